/*
 * control.h - the control that POSITION_MODE of a position1d, position2d or position3d chooses.
 *
 * Until a client has chosen, each command says itself what it controls. After that a command of the
 * other control is refused, except one that only stops: a program stops a robot with a velocity of
 * 0 and need not know what another one has chosen. The choice stays.
 */
#ifndef SHARED_CONTROL_H
#define SHARED_CONTROL_H

#include <stddef.h>

#include "troupe/status.h"

typedef enum tpi_control {
    TPI_CONTROL_ANY, /* as a choice: none yet; of a command: it only stops */
    TPI_CONTROL_SPEED,
    TPI_CONTROL_POSITION,
} tpi_control;

/* What a command of these speeds controls. */
tpi_control tpi_control_of_speeds(const double *speeds, size_t count);

/* Refuse a command of this control if a client has chosen the other one. `noun` names the device in
 * the error, as in "vehicle". */
tp_status tpi_control_check(tpi_control chosen, tpi_control wanted, const char *noun,
                            tp_error *err);

#endif
