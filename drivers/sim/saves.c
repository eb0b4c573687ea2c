/*
 * saves.c - states of the world that can be gone back to.
 *
 * A state has in it how many were subscribed to each model. The readers are not part of the
 * world, so with it is kept which devices had subscribed; after going back the difference is made
 * up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator.h"

static void clear(simd_saved *saved)
{
    tpi_buf_fini(&saved->state);
    free(saved->subscribed);
    *saved = (simd_saved){0};
}

void tpi_simd_forget_saved(simd *s)
{
    for (size_t i = 0; i <= SIMD_MOST_STATES; i++) {
        clear(&s->saved[i]);
    }
}

static tp_status keep(const simd *s, simd_saved *to, tp_error *err)
{
    bool *subscribed = calloc(s->device_count + 1, sizeof *subscribed);
    tpi_buf state = {0};

    tpi_sim_save(s->world, &state);
    if (subscribed == NULL || state.failed) {
        free(subscribed);
        tpi_buf_fini(&state);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < s->device_count; i++) {
        subscribed[i] = s->devices[i]->subscribed;
    }
    tpi_buf_fini(&to->state);
    free(to->subscribed);
    to->state = state;
    to->subscribed = subscribed;
    to->step_count = s->step_count;
    to->time_s = tpi_simd_time_s(s);
    return TP_OK;
}

static tp_status go_back(simd *s, const simd_saved *to, tp_error *err)
{
    tp_status status = tpi_sim_restore(s->world, to->state.data, to->state.length, err);

    if (status != TP_OK) {
        return status;
    }
    s->step_count = to->step_count;
    for (size_t i = 0; i < s->device_count; i++) {
        s->devices[i]->subscribed = to->subscribed[i];
        s->devices[i]->next_us = 0;
    }
    s->readings = tp_instance_readings(s->instance) - 1; /* look again */
    tpi_simd_refresh(s);
    for (size_t i = 0; i < s->device_count; i++) {
        if (s->devices[i]->kind->returned != NULL) {
            s->devices[i]->kind->returned(s->devices[i]);
        }
    }
    s->stands = false; /* in a panic all is stopped again */
    tpi_simd_show_some(s);
    return TP_OK;
}

/* The state of that name; NULL if there is none, and then `unused` may be where to put it. */
static simd_saved *find(simd *s, const char *name, simd_saved **unused)
{
    for (size_t i = 0; i < SIMD_MOST_STATES; i++) {
        simd_saved *saved = &s->saved[i];
        if (saved->name[0] != '\0' && strcmp(saved->name, name) == 0) {
            return saved;
        }
        if (saved->name[0] == '\0' && unused != NULL && *unused == NULL) {
            *unused = saved;
        }
    }
    return NULL;
}

tp_status tpi_simd_save(simd *s, const char *name, tp_error *err)
{
    simd_saved *unused = NULL;
    simd_saved *saved = find(s, name, &unused);

    if (name[0] == '\0') {
        return tp_fail(err, TP_E_INVALID, "a state has a name");
    }
    saved = saved != NULL ? saved : unused;
    if (saved == NULL) {
        return tp_fail(err, TP_E_LIMIT, "there are %d saved states already; FORGET one",
                       SIMD_MOST_STATES);
    }
    tp_status status = keep(s, saved, err);
    if (status == TP_OK) {
        snprintf(saved->name, sizeof saved->name, "%s", name);
    }
    return status;
}

static tp_status fail_unknown(const char *name, tp_error *err)
{
    return tp_fail(err, TP_E_UNKNOWN, "no state \"%s\" was saved", name);
}

tp_status tpi_simd_restore(simd *s, const char *name, tp_error *err)
{
    const simd_saved *saved = find(s, name, NULL);

    return saved == NULL ? fail_unknown(name, err) : go_back(s, saved, err);
}

tp_status tpi_simd_forget(simd *s, const char *name, tp_error *err)
{
    simd_saved *saved = find(s, name, NULL);

    if (saved == NULL) {
        return fail_unknown(name, err);
    }
    clear(saved);
    for (simd_saved *next = saved + 1; next < &s->saved[SIMD_MOST_STATES]; next++) {
        next[-1] = *next;
        *next = (simd_saved){0};
    }
    return TP_OK;
}

tp_status tpi_simd_save_start(simd *s, tp_error *err)
{
    return keep(s, &s->saved[SIMD_MOST_STATES], err);
}

tp_status tpi_simd_reset(simd *s, tp_error *err)
{
    return go_back(s, &s->saved[SIMD_MOST_STATES], err);
}
