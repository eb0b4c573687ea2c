/*
 * profile.h - particular devices: a named layer on a generic model.
 *
 * A profile gives a model the limits of a device that one can buy, and those extension requests
 * that it has. A program that keeps to what the profile allows runs on the real device too.
 */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include "simulator.h"

struct simd_profile {
    const char *name;
    const tp_interface *interfaces[4]; /* that it is for; ended by NULL */

    /* Of vehicles: 0 for no limit but the model's. */
    double forward_mps;
    double turn_radps;
    bool no_sideways;
    bool has_pid; /* gains of its controllers can be set */

    /* Of scanners. */
    double range_max;      /* what is beyond that reads as this */
    double range_res;      /* ranges are multiples of it */
    double none;           /* what it says where nothing is seen; NAN for the greatest range */
    double resolutions[4]; /* radians that can be chosen; ended by 0 */
};

/* The profile that the device's section asks for, if it is for such devices. Fails for a name that
 * nobody knows. */
tp_status tpi_simd_profile_choose(simd_device *d, tp_error *err);

/* When all devices are there: tell of profiles that are for none of them. */
void tpi_simd_profile_tell(const simd *s);

#endif
