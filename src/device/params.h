/*
 * params.h - declared parameters: what the configuration gives, or the fallback of the declaration.
 *
 * Drivers and fronts declare parameters in the same way (tp_param). Fallbacks are cut into values
 * once; from then on given values and fallbacks look the same.
 */
#ifndef TROUPE_DEVICE_PARAMS_H
#define TROUPE_DEVICE_PARAMS_H

#include "base/arena.h"
#include "device/hub.h"

typedef struct tpi_params {
    const tpi_setting *given; /* borrowed */
    uint32_t given_count;
    const tpi_setting *defaults; /* of an arena: one for each declared parameter */
    uint32_t default_count;
} tpi_params;

/* Cut the fallbacks of a declaration (ended by a NULL name, may be NULL) into values. Memory comes
 * from the arena. TP_E_NOMEM. */
tp_status tpi_params_cut(tpi_arena *arena, const tp_param *declared, tpi_setting **out,
                         uint32_t *count);

/* The setting with a name; NULL if there is none. */
const tpi_setting *tpi_params_setting(const tpi_setting *settings, uint32_t count,
                                      const char *name);

/* See tp_param_given() and its neighbours in troupe/driver.h. */
bool tpi_params_given(const tpi_params *params, const char *name);
size_t tpi_params_count(const tpi_params *params, const char *name);
const char *tpi_params_text(const tpi_params *params, const char *name, size_t i);
double tpi_params_number(const tpi_params *params, const char *name, size_t i);
int64_t tpi_params_whole(const tpi_params *params, const char *name);

#endif
