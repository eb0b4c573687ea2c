/*
 * offer.c - from sections and models to devices; see offer.h.
 *
 * A section without a list gets everything, robot by robot in the order of their names, where
 * numbers count as numbers.
 */
#include "offer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* ---- Robots, by name ------------------------------------------------------------------------- */

/* "r2" before "r10". */
static int compare_names(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *a_end = NULL;
            char *b_end = NULL;
            const unsigned long long x = strtoull(a, &a_end, 10);
            const unsigned long long y = strtoull(b, &b_end, 10);
            if (x != y) {
                return x < y ? -1 : 1;
            }
            a = a_end;
            b = b_end;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

struct named {
    char *name; /* owned */
    tpi_sim_model model;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a;
    const struct named *y = b;
    const int order = compare_names(x->name, y->name);

    return order != 0 ? order : strcmp(x->name, y->name);
}

static char *name_of(const simd *s, tpi_sim_model model)
{
    tpi_buf name = {0};

    tpi_sim_put_name(s->world, model, &name);
    if (name.failed || name.data == NULL) {
        tpi_buf_fini(&name);
        return NULL;
    }
    return name.data;
}

static size_t count_roots(const simd *s)
{
    const uint32_t count = tpi_sim_model_count(s->world);
    size_t roots = 0;
    tpi_sim_info info;

    for (tpi_sim_model model = 0; model < count; model += info.family) {
        tpi_sim_model_info(s->world, model, &info);
        roots++;
    }
    return roots;
}

static tp_status sort_roots(simd_offering *o, tp_error *err)
{
    const size_t most = count_roots(o->s);
    struct named *named = calloc(most + 1, sizeof *named);
    const uint32_t count = tpi_sim_model_count(o->s->world);
    tpi_sim_info info;
    tp_status status = TP_OK;

    o->roots = calloc(most + 1, sizeof *o->roots);
    if (named == NULL || o->roots == NULL) {
        free(named);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (tpi_sim_model model = 0; model < count && status == TP_OK; model += info.family) {
        tpi_sim_model_info(o->s->world, model, &info);
        named[o->root_count] = (struct named){name_of(o->s, model), model};
        status =
            named[o->root_count].name == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
        o->root_count += status == TP_OK;
    }
    qsort(named, o->root_count, sizeof *named, compare_named);
    for (size_t i = 0; i < o->root_count; i++) {
        o->roots[i] = named[i].model;
        free(named[i].name);
    }
    free(named);
    return status;
}

/* ---- One device ------------------------------------------------------------------------------ */

static const tp_property_plan model_property = {
    .key = "model",
    .type = TP_PROPERTY_STRING,
    .unit = "",
    .doc = "The model of the world that it is.",
    .value = "",
};

static tp_status tell_model(simd_device *d, tp_error *err)
{
    char *name = d->model == TPI_SIM_NONE ? NULL : name_of(d->owner, d->model);
    tp_status status = tp_device_add_property(d->device, &model_property, err);

    if (status == TP_OK && d->model != TPI_SIM_NONE &&
        (name == NULL || tp_device_set_property_text(d->device, "model", name) != TP_OK)) {
        status = tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (status == TP_OK && name != NULL) {
        status = tp_device_set_label(d->device, name, err);
    }
    free(name);
    return status;
}

static tpi_sim_model root_of(const simd *s, tpi_sim_model model)
{
    tpi_sim_info info = {.parent = model};

    while (model != TPI_SIM_NONE && info.parent != TPI_SIM_NONE) {
        model = info.parent;
        tpi_sim_model_info(s->world, model, &info);
    }
    return model;
}

static simd_device *add_device(simd *s)
{
    if (s->device_count == s->device_capacity) {
        const size_t capacity = s->device_capacity * 2 + 16;
        simd_device **devices = realloc((void *)s->devices, capacity * sizeof(simd_device *));
        if (devices == NULL) {
            return NULL;
        }
        s->devices = devices;
        s->device_capacity = capacity;
    }
    simd_device *d = calloc(1, sizeof *d);
    if (d != NULL) {
        s->devices[s->device_count++] = d;
    }
    return d;
}

/* The device is there; now it begins. */
static tp_status begin_device(simd_offering *o, simd_device *d, tp_error *err)
{
    tp_device_set_context(d->device, d);
    d->state = d->kind->state_size > 0 ? calloc(1, d->kind->state_size) : NULL;
    if (d->kind->state_size > 0 && d->state == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (d->kind->follows) {
        o->vehicles[d->robot] = d;
    }
    tp_status status = tell_model(d, err);
    if (status == TP_OK && d->kind->begin != NULL) {
        d->begun = true;
        status = d->kind->begin(d, err);
    }
    return status;
}

/* At the i-th address of `provides`, or at the next index if `i` is SIZE_MAX. */
static tp_status make_device(simd_offering *o, const simd_kind *kind, tpi_sim_model model, size_t i,
                             tp_error *err)
{
    simd_device *d = add_device(o->s);

    if (d == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *d = (simd_device){.owner = o->s,
                       .kind = kind,
                       .model = model,
                       .robot = root_of(o->s, model),
                       .section = i == SIZE_MAX ? 0 : tp_provides_section(o->s->instance, i)};
    tp_status status = tpi_simd_profile_choose(d, err);
    if (status == TP_OK && i != SIZE_MAX) {
        status = tp_offer_at(o->s->instance, i, kind->ops, NULL, &d->device, err);
    } else if (status == TP_OK) {
        unsigned number = 0;
        (void)tpi_simd_kind_of(kind->interface, &number);
        uint32_t *next = &o->next[number];
        if (*next > UINT16_MAX) { /* no address is left */
            free(o->s->devices[--o->s->device_count]);
            o->left_out++;
            return TP_OK;
        }
        status = tp_offer_more(o->s->instance, kind->interface, (uint16_t)(*next)++, kind->ops,
                               NULL, &d->device, err);
    }
    return status == TP_OK ? begin_device(o, d, err) : status;
}

/* ---- Sections with a list -------------------------------------------------------------------- */

static tp_status offer_listed(simd_offering *o, size_t i, tp_error *err)
{
    const simd_kind *kind = NULL;
    tpi_sim_model model = TPI_SIM_NONE;

    tp_section_blame(o->s->instance, tp_provides_section(o->s->instance, i));
    tp_status status = tpi_simd_choose(o, i, &kind, &model, err);
    return status == TP_OK ? make_device(o, kind, model, i, err) : status;
}

/* ---- Everything ------------------------------------------------------------------------------ */

static bool is_offered(const simd *s, const simd_kind *kind, tpi_sim_model model)
{
    tpi_sim_info info;

    tpi_sim_model_info(s->world, model, &info);
    const bool some = kind->has != NULL || kind->suits != NULL; /* not all there are */
    const bool kind_fits =
        kind->any ? some && info.parent == TPI_SIM_NONE : (kind->models >> info.kind & 1) != 0;
    return kind_fits && (kind->has == NULL || kind->has(s, model)) &&
           (kind->always || kind->suits == NULL || kind->suits(s, model));
}

static tp_status offer_model(simd_offering *o, tpi_sim_model model, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; tpi_simd_kinds[i] != NULL; i++) {
        for (const simd_kind *kind = tpi_simd_kinds[i]; kind->interface != NULL && status == TP_OK;
             kind++) {
            if (is_offered(o->s, kind, model)) {
                status = make_device(o, kind, model, SIZE_MAX, err);
            }
        }
    }
    return status;
}

static tp_status offer_everything(simd_offering *o, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; tpi_simd_kinds[i] != NULL; i++) {
        for (const simd_kind *kind = tpi_simd_kinds[i]; kind->interface != NULL && status == TP_OK;
             kind++) {
            if (kind->models == 0 && !kind->any && kind->key == NULL) {
                status = make_device(o, kind, TPI_SIM_NONE, SIZE_MAX, err);
            }
        }
    }
    for (size_t i = 0; i < o->root_count && status == TP_OK; i++) {
        tpi_sim_info info;
        tpi_sim_model_info(o->s->world, o->roots[i], &info);
        for (uint32_t k = 0; k < info.family && status == TP_OK; k++) {
            status = offer_model(o, o->roots[i] + k, err);
        }
    }
    return status;
}

/* What the sections say in vain. */
static void tell_surplus(const simd *s)
{
    char text[96];
    const size_t files = tp_param_count(s->instance, "worldfile");

    if (files > 1) {
        snprintf(text, sizeof text, "\"worldfile\" takes 1 value, not %zu; the rest is ignored",
                 files);
        tpi_simd_note(s, text);
    }
    if (tp_provides_count(s->instance) == 0 && tp_param_string(s->instance, "model")[0] != '\0') {
        tpi_simd_note(s, "\"model\" has no effect where everything is provided");
    }
}

static void tell_left_out(const simd_offering *o)
{
    char text[96];

    if (o->left_out > 0) {
        snprintf(text, sizeof text, "%zu devices are left out: a server has %u of an interface",
                 o->left_out, UINT16_MAX + 1U);
        tpi_simd_note(o->s, text);
    }
}

tp_status tpi_simd_offer_all(simd *s, tp_error *err)
{
    simd_offering *o = calloc(1, sizeof *o);
    const size_t count = tp_provides_count(s->instance);

    if (o == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tell_surplus(s);
    o->s = s;
    o->section = SIZE_MAX;
    o->taken = calloc(tpi_sim_model_count(s->world) + 1, sizeof *o->taken);
    o->taken_here = calloc(tpi_sim_model_count(s->world) + 1, sizeof *o->taken_here);
    o->vehicles = calloc(tpi_sim_model_count(s->world) + 1, sizeof(simd_device *));
    tp_status status = o->taken == NULL || o->taken_here == NULL || o->vehicles == NULL
                           ? tp_fail(err, TP_E_NOMEM, "out of memory")
                           : TP_OK;
    status = status == TP_OK ? sort_roots(o, err) : status;
    if (status == TP_OK && count == 0) {
        status = offer_everything(o, err);
    }
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        status = offer_listed(o, i, err);
    }
    for (size_t i = 0; i < s->device_count && status == TP_OK; i++) {
        simd_device *d = s->devices[i];
        status =
            tpi_simd_place_begin(d, d->model == TPI_SIM_NONE ? NULL : o->vehicles[d->robot], err);
    }
    if (status == TP_OK) {
        tpi_simd_profile_tell(s);
        tell_left_out(o);
    }
    free((void *)o->vehicles);
    free(o->taken_here);
    free(o->taken);
    free(o->roots);
    free(o);
    return status;
}
