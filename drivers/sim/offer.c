/*
 * offer.c - from sections and models to devices.
 *
 * A section names a model. For each interface that it provides, the model and all that stands on it
 * are searched in the order of the file for the first that fits and is not taken for this interface
 * already; as Player's Stage plug-in does it. A section without a list gets everything, robot by
 * robot in the order of their names, where numbers count as numbers.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "simulator.h"

enum { MOST_KINDS = 64 };

/* What is needed while devices are made. */
struct offering {
    simd *s;
    tpi_sim_model *roots; /* owned: in the order of their names */
    size_t root_count;
    simd_device **vehicles;    /* owned; of each model: the vehicle that it is, or NULL */
    uint64_t *taken;           /* owned: of each model, a bit for each kind of device */
    uint32_t next[MOST_KINDS]; /* index of the next device of each kind, for "all" */
};

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

static tp_status sort_roots(struct offering *o, tp_error *err)
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

/* The row of an interface, and its number among all; NULL if there is none. */
static const simd_kind *kind_of(const tp_interface *interface, unsigned *number)
{
    *number = 0;
    for (size_t i = 0; simd_kinds[i] != NULL; i++) {
        for (const simd_kind *kind = simd_kinds[i]; kind->interface != NULL; kind++) {
            if (kind->interface == interface) {
                return kind;
            }
            (*number)++;
        }
    }
    return NULL;
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
    free(name);
    return status;
}

/* Where it sits: on the base of its robot, or somewhere in the world. */
static tp_status tell_place(const struct offering *o, simd_device *d, tp_error *err)
{
    tpi_sim_info info;
    char parent[24] = "map";

    if (d->model == TPI_SIM_NONE || d->kind->follows || d->kind->passive) {
        return TP_OK;
    }
    const simd_device *vehicle = o->vehicles[d->robot];
    const unsigned index = vehicle == NULL ? 0 : tp_device_addr(vehicle->device)->index;
    if (vehicle != NULL && index == 0) {
        snprintf(parent, sizeof parent, "base");
    } else if (vehicle != NULL) {
        snprintf(parent, sizeof parent, "base%u", index);
    }
    const tpi_sim_pose pose = vehicle != NULL ? simd_pose_on_robot(d->owner, d->model)
                                              : tpi_sim_global_pose(d->owner->world, d->model);
    simd_info(d, &info);
    const tp_geometry geometry = {.known = TP_GEOMETRY_MEASURED,
                                  .pose = simd_pose3d(&pose),
                                  .size = simd_bbox3d(info.size),
                                  .parent_count = (uint32_t)strlen(parent) + 1,
                                  .parent = parent};
    return tp_device_set_geometry(d->device, &geometry) == TP_OK
               ? TP_OK
               : tp_fail(err, TP_E_NOMEM, "out of memory");
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
static tp_status begin_device(struct offering *o, simd_device *d, tp_error *err)
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
static tp_status make_device(struct offering *o, const simd_kind *kind, tpi_sim_model model,
                             size_t i, tp_error *err)
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
    tp_status status = simd_profile_choose(d, err);
    if (status == TP_OK && i != SIZE_MAX) {
        status = tp_offer_at(o->s->instance, i, kind->ops, NULL, &d->device, err);
    } else if (status == TP_OK) {
        unsigned number = 0;
        (void)kind_of(kind->interface, &number);
        uint32_t *next = &o->next[number];
        if (*next > UINT16_MAX) { /* no address is left */
            free(o->s->devices[--o->s->device_count]);
            return TP_OK;
        }
        status = tp_offer_more(o->s->instance, kind->interface, (uint16_t)(*next)++, kind->ops,
                               NULL, &d->device, err);
    }
    return status == TP_OK ? begin_device(o, d, err) : status;
}

/* ---- Sections with a list -------------------------------------------------------------------- */

/* What a search looks for. */
struct wanted {
    const simd_kind *kind;
    unsigned number;
    bool suits; /* nothing less will do */
};

static bool is_wanted(const struct offering *o, const struct wanted *w, tpi_sim_model model)
{
    const simd *s = o->s;
    tpi_sim_info info;

    tpi_sim_model_info(s->world, model, &info);
    return (w->kind->models >> info.kind & 1) != 0 && (o->taken[model] >> w->number & 1) == 0 &&
           (w->kind->has == NULL || w->kind->has(s, model)) &&
           (!w->suits || w->kind->suits == NULL || w->kind->suits(s, model));
}

/* The first in a family; TPI_SIM_NONE if there is none. */
static tpi_sim_model search_family(const struct offering *o, const struct wanted *w,
                                   tpi_sim_model first)
{
    tpi_sim_info info;

    tpi_sim_model_info(o->s->world, first, &info);
    for (tpi_sim_model model = first; model < first + info.family; model++) {
        if (is_wanted(o, w, model)) {
            return model;
        }
    }
    return TPI_SIM_NONE;
}

static tpi_sim_model search(const struct offering *o, struct wanted *w, tpi_sim_model first)
{
    tpi_sim_model found = TPI_SIM_NONE;

    for (int pass = 0; pass < 2 && found == TPI_SIM_NONE; pass++) {
        w->suits = pass == 0;
        if (first != TPI_SIM_NONE) {
            found = search_family(o, w, first);
        }
        for (size_t i = 0; first == TPI_SIM_NONE && i < o->root_count && found == TPI_SIM_NONE;
             i++) {
            found = search_family(o, w, o->roots[i]);
        }
    }
    return found;
}

/* The model that a section names; TPI_SIM_NONE if it names none. */
static tp_status find_model(const simd *s, size_t section, tpi_sim_model *model, tp_error *err)
{
    const char *name = tp_section_string(s->instance, section, "model");

    *model = name[0] == '\0' ? TPI_SIM_NONE : tpi_sim_find(s->world, name);
    return name[0] == '\0' || *model != TPI_SIM_NONE
               ? TP_OK
               : tp_fail(err, TP_E_UNKNOWN, "there is no model \"%s\" in the world %s", name,
                         tpi_sim_name(s->world));
}

static tp_status fail_to_find(const simd *s, const simd_kind *kind, const char *model,
                              tp_error *err)
{
    if (kind->any && model[0] == '\0') {
        return tp_fail(err, TP_E_INVALID, "%s needs the name of a model", kind->interface->name);
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no model for %s%s%s%s", kind->interface->name,
                   model[0] == '\0' ? " in the world " : " left in the model \"",
                   model[0] == '\0' ? tpi_sim_name(s->world) : model, model[0] == '\0' ? "" : "\"");
}

static tp_status offer_listed(struct offering *o, size_t i, tp_error *err)
{
    tp_instance *self = o->s->instance;
    const tp_interface *interface = tp_provides_interface(self, i);
    const size_t section = tp_provides_section(self, i);
    struct wanted w = {0};
    tpi_sim_model model = TPI_SIM_NONE;

    w.kind = kind_of(interface, &w.number);
    tp_section_blame(self, section);
    if (w.kind == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED, "no model of a world is a %s", interface->name);
    }
    if (w.kind->models == 0 && !w.kind->any) {
        return make_device(o, w.kind, TPI_SIM_NONE, i, err);
    }
    tp_status status = find_model(o->s, section, &model, err);
    if (status != TP_OK) {
        return status;
    }
    const bool fits =
        w.kind->any && model != TPI_SIM_NONE && (w.kind->has == NULL || w.kind->has(o->s, model));
    model = w.kind->any ? (fits ? model : TPI_SIM_NONE) : search(o, &w, model);
    if (model == TPI_SIM_NONE) {
        return fail_to_find(o->s, w.kind, tp_section_string(self, section, "model"), err);
    }
    o->taken[model] |= UINT64_C(1) << w.number;
    return make_device(o, w.kind, model, i, err);
}

/* ---- Everything ------------------------------------------------------------------------------ */

static bool is_offered(const simd *s, const simd_kind *kind, tpi_sim_model model)
{
    tpi_sim_info info;

    tpi_sim_model_info(s->world, model, &info);
    const bool kind_fits = kind->any ? kind->has != NULL && info.parent == TPI_SIM_NONE
                                     : (kind->models >> info.kind & 1) != 0;
    return kind_fits && !kind->asked_only && (kind->has == NULL || kind->has(s, model)) &&
           (kind->suits == NULL || kind->suits(s, model));
}

static tp_status offer_model(struct offering *o, tpi_sim_model model, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; simd_kinds[i] != NULL; i++) {
        for (const simd_kind *kind = simd_kinds[i]; kind->interface != NULL && status == TP_OK;
             kind++) {
            if (is_offered(o->s, kind, model)) {
                status = make_device(o, kind, model, SIZE_MAX, err);
            }
        }
    }
    return status;
}

static tp_status offer_everything(struct offering *o, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; simd_kinds[i] != NULL; i++) {
        for (const simd_kind *kind = simd_kinds[i]; kind->interface != NULL && status == TP_OK;
             kind++) {
            if (kind->models == 0 && !kind->any) {
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

tp_status simd_offer_all(simd *s, tp_error *err)
{
    struct offering *o = calloc(1, sizeof *o);
    const size_t count = tp_provides_count(s->instance);

    if (o == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    o->s = s;
    o->taken = calloc(tpi_sim_model_count(s->world) + 1, sizeof *o->taken);
    o->vehicles = calloc(tpi_sim_model_count(s->world) + 1, sizeof(simd_device *));
    tp_status status =
        o->taken == NULL || o->vehicles == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
    status = status == TP_OK ? sort_roots(o, err) : status;
    if (status == TP_OK && count == 0) {
        status = offer_everything(o, err);
    }
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        status = offer_listed(o, i, err);
    }
    for (size_t i = 0; i < s->device_count && status == TP_OK; i++) {
        status = tell_place(o, s->devices[i], err);
    }
    free((void *)o->vehicles);
    free(o->taken);
    free(o->roots);
    free(o);
    return status;
}
