/*
 * choose.c - which model a device of a section is.
 *
 * A section names a model. For each interface that it provides, the model and all that stands on it
 * are searched in the order of the file for the first that fits and is not taken for this interface
 * already; as Player's Stage plug-in does it. A model that fits is preferred to one that can stand
 * in. A section that names no model takes one robot: the first by name that has all that the
 * section provides. If there is none, it takes the robot that has most of it, the rest from other
 * robots, and adds a note. A model that two sections name has its devices twice, with a note. A
 * name that the world does not have means its robot, if it has one only, with a note.
 */
#include <stdio.h>
#include <string.h>

#include "offer.h"

const simd_kind *tpi_simd_kind_of(const tp_interface *interface, unsigned *number)
{
    *number = 0;
    for (size_t i = 0; tpi_simd_kinds[i] != NULL; i++) {
        for (const simd_kind *kind = tpi_simd_kinds[i]; kind->interface != NULL; kind++) {
            if (kind->interface == interface) {
                return kind;
            }
            (*number)++;
        }
    }
    return NULL;
}

/* Row number n of an interface; NULL if it has no more. */
static const simd_kind *row_of(const tp_interface *interface, unsigned n)
{
    for (size_t i = 0; tpi_simd_kinds[i] != NULL; i++) {
        for (const simd_kind *kind = tpi_simd_kinds[i]; kind->interface != NULL; kind++) {
            if (kind->interface == interface && n-- == 0) {
                return kind;
            }
        }
    }
    return NULL;
}

/* A number for one row. */
static unsigned number_of(const simd_kind *row)
{
    unsigned number = 0;

    for (size_t i = 0; tpi_simd_kinds[i] != NULL; i++) {
        for (const simd_kind *kind = tpi_simd_kinds[i]; kind->interface != NULL; kind++) {
            if (kind == row) {
                return number;
            }
            number++;
        }
    }
    return number;
}

/* ---- Searching ------------------------------------------------------------------------------- */

/* What a search looks for. */
struct wanted {
    const simd_kind *kind; /* the first row of the interface; when it is found, the right one */
    unsigned number;
    const char *key; /* of the address; "" for none */
    bool makeshift;  /* what is no more than that is taken, too */
    bool shared;     /* what an earlier section has is taken, too */
};

static bool is_free(const simd_offering *o, const struct wanted *w, const simd_kind *kind,
                    tpi_sim_model model)
{
    const uint64_t taken = w->shared ? o->taken_here[model] : o->taken[model];
    tpi_sim_info info;

    tpi_sim_model_info(o->s->world, model, &info);
    return (kind->models >> info.kind & 1) != 0 && (taken >> w->number & 1) == 0 &&
           (kind->has == NULL || kind->has(o->s, model));
}

/* The first in a family that fits a row; TPI_SIM_NONE if there is none. */
static tpi_sim_model search_row(const simd_offering *o, const struct wanted *w,
                                const simd_kind *kind, tpi_sim_model first, bool suits)
{
    tpi_sim_info info;

    tpi_sim_model_info(o->s->world, first, &info);
    for (tpi_sim_model model = first; model < first + info.family; model++) {
        if (is_free(o, w, kind, model) &&
            (!suits || kind->suits == NULL || kind->suits(o->s, model))) {
            return model;
        }
    }
    return TPI_SIM_NONE;
}

/* Row by row, from what suits best to what will do. A key asks for one row alone. */
static tpi_sim_model search_family(const simd_offering *o, struct wanted *w, tpi_sim_model first)
{
    const tp_interface *interface = w->kind->interface;
    const simd_kind *kind;

    for (unsigned n = 0; (kind = row_of(interface, n)) != NULL; n++) {
        if (w->key[0] != '\0' && kind->key != NULL && strcmp(kind->key, w->key) == 0) {
            w->kind = kind;
            w->number = number_of(kind); /* a camera shows colours and depths */
            return search_row(o, w, kind, first, false);
        }
    }
    for (unsigned n = 0; (kind = row_of(interface, n / 2)) != NULL; n++) {
        const bool suits = n % 2 == 0 || (kind->makeshift && !w->makeshift);
        const tpi_sim_model found = search_row(o, w, kind, first, suits);
        if (found != TPI_SIM_NONE) {
            w->kind = kind;
            return found;
        }
    }
    return TPI_SIM_NONE;
}

/* The model itself, for what is no part of it but said, drawn or stored by it. */
static tpi_sim_model search_itself(const simd_offering *o, const struct wanted *w,
                                   tpi_sim_model model)
{
    return w->kind->has == NULL || w->kind->has(o->s, model) ? model : TPI_SIM_NONE;
}

static tpi_sim_model search(const simd_offering *o, struct wanted *w, tpi_sim_model first)
{
    return w->kind->any ? search_itself(o, w, first) : search_family(o, w, first);
}

/* ---- The robot of a section ------------------------------------------------------------------ */

static bool is_of_world(const simd_kind *kind)
{
    return kind->models == 0 && !kind->any;
}

static struct wanted wanted_at(const simd_offering *o, size_t i)
{
    struct wanted w = {.key = tp_provides_key(o->s->instance, i)};

    w.kind = tpi_simd_kind_of(tp_provides_interface(o->s->instance, i), &w.number);
    for (unsigned n = 0; w.kind != NULL && w.key[0] != '\0'; n++) { /* a key can mean the world */
        const simd_kind *row = row_of(w.kind->interface, n);
        if (row == NULL) {
            break;
        }
        if (is_of_world(row) && row->key != NULL && strcmp(row->key, w.key) == 0) {
            w.kind = row;
            w.number = number_of(row);
        }
    }
    return w;
}

/* How many of a section's devices a robot has; `wanted` is how many there are. Nothing is taken. */
static size_t count_devices(simd_offering *o, tpi_sim_model robot, size_t *wanted)
{
    enum { MOST = 256 };
    struct {
        tpi_sim_model model;
        unsigned number;
    } taken[MOST];
    size_t count = 0;
    size_t marked = 0;

    *wanted = 0;
    for (size_t i = 0; i < tp_provides_count(o->s->instance); i++) {
        struct wanted w = wanted_at(o, i);
        if (tp_provides_section(o->s->instance, i) != o->section || w.kind == NULL ||
            is_of_world(w.kind)) {
            continue;
        }
        const bool any = w.kind->any;
        const tpi_sim_model found = search(o, &w, robot);
        (*wanted)++;
        count += found != TPI_SIM_NONE;
        if (found != TPI_SIM_NONE && !any && marked < MOST) {
            o->taken[found] |= UINT64_C(1) << w.number;
            taken[marked].model = found;
            taken[marked++].number = w.number;
        }
    }
    while (marked > 0) {
        marked--;
        o->taken[taken[marked].model] &= ~(UINT64_C(1) << taken[marked].number);
    }
    return count;
}

static void find_robot(simd_offering *o)
{
    size_t most = 0;
    size_t wanted = 1;

    for (size_t i = 0; i < o->root_count && most < wanted; i++) {
        const size_t count = count_devices(o, o->roots[i], &wanted);
        if (count > most) {
            most = count;
            o->robot = o->roots[i];
        }
    }
}

/* Whether another section names a part of this robot, or a model that is not there either. */
static bool is_wanted_elsewhere(const simd_offering *o, tpi_sim_model robot, const char *name)
{
    tpi_sim_info info;

    tpi_sim_model_info(o->s->world, robot, &info);
    for (size_t i = 0; i < tp_section_count(o->s->instance); i++) {
        const char *other = tp_section_string(o->s->instance, i, "model");
        const tpi_sim_model found = tpi_sim_find(o->s->world, other);
        const bool is_part = found >= robot && found < robot + info.family;
        if (other[0] != '\0' && strcmp(other, name) != 0 && (found == TPI_SIM_NONE || is_part)) {
            return true;
        }
    }
    return false;
}

/* Whether robots have the same parts, so that it does not matter which of them is taken. */
static bool are_alike(const tpi_sim *world, tpi_sim_model one, tpi_sim_model other)
{
    tpi_sim_info a;
    tpi_sim_info b;

    tpi_sim_model_info(world, one, &a);
    tpi_sim_model_info(world, other, &b);
    bool alike = a.family == b.family;
    for (uint32_t i = 0, parts = a.family; i < parts && alike; i++) {
        tpi_sim_model_info(world, one + i, &a);
        tpi_sim_model_info(world, other + i, &b);
        alike = a.kind == b.kind && a.family == b.family;
    }
    return alike;
}

/* "robot" or "robot1": the name that robots had in the worlds of older Stages. */
static bool is_older_name(const char *name)
{
    return strncmp(name, "robot", 5) == 0 && name[5 + strspn(name + 5, "0123456789")] == '\0';
}

/* Whether a section names something that is in the world. */
static bool knows_the_world(const simd_offering *o)
{
    bool known = false;

    for (size_t i = 0; i < tp_section_count(o->s->instance); i++) {
        const char *name = tp_section_string(o->s->instance, i, "model");
        known = known || tpi_sim_find(o->s->world, name) != TPI_SIM_NONE;
    }
    return known;
}

/* Published configurations name the robot of an earlier version of their world. If the world has
 * one robot that no other section wants, it is meant. For an older name, the first of several that
 * are alike is taken, unless the configuration knows this world. TPI_SIM_NONE otherwise. */
static tpi_sim_model stand_in(const simd_offering *o, const char *name)
{
    tpi_sim_model first = TPI_SIM_NONE;
    bool alone = true;
    tpi_buf text = {0};

    for (size_t i = 0; i < o->root_count; i++) {
        tpi_sim_info info;
        tpi_sim_model_info(o->s->world, o->roots[i], &info);
        if (info.kind != TPI_SIM_POSITION) {
            continue;
        }
        if (first != TPI_SIM_NONE && !are_alike(o->s->world, first, o->roots[i])) {
            return TPI_SIM_NONE;
        }
        alone = first == TPI_SIM_NONE;
        first = alone ? o->roots[i] : first;
    }
    if (first == TPI_SIM_NONE || is_wanted_elsewhere(o, first, name) ||
        (!alone && (!is_older_name(name) || knows_the_world(o)))) {
        return TPI_SIM_NONE;
    }
    tpi_buf_printf(&text, "there is no model \"%.60s\" in the world %.80s; %s, ", name,
                   tpi_sim_name(o->s->world), alone ? "its only robot" : "the first of its robots");
    tpi_sim_put_name(o->s->world, first, &text);
    tpi_buf_puts(&text, ", is taken");
    tpi_simd_note(o->s, tpi_buf_text(&text));
    tpi_buf_fini(&text);
    return first;
}

/* A section begins. */
static tp_status begin_section(simd_offering *o, size_t section, tp_error *err)
{
    const simd *s = o->s;
    const char *name = tp_section_string(s->instance, section, "model");

    o->section = section;
    o->named = name[0] != '\0';
    o->told = false;
    o->robot = o->named ? tpi_sim_find(s->world, name) : TPI_SIM_NONE;
    if (o->named && o->robot == TPI_SIM_NONE) {
        o->robot = strchr(name, '.') == NULL ? stand_in(o, name) : TPI_SIM_NONE;
    }
    if (o->named && o->robot == TPI_SIM_NONE) {
        return tpi_simd_fail_unknown(s, name, err);
    }
    if (!o->named) {
        find_robot(o);
        return TP_OK;
    }
    tpi_sim_info info;
    tpi_sim_model_info(s->world, o->robot, &info);
    memset(o->taken_here + o->robot, 0, info.family * sizeof *o->taken_here);
    return TP_OK;
}

/* ---- One device ------------------------------------------------------------------------------ */

static tp_status fail_to_find(const simd_offering *o, const simd_kind *kind, tp_error *err)
{
    const char *model = tp_section_string(o->s->instance, o->section, "model");
    const char *needs = kind->needs == NULL ? "" : kind->needs;

    if (kind->any && model[0] == '\0') {
        return tp_fail(err, TP_E_INVALID, "%s needs the name of a model", kind->interface->name);
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no model for %s%s%s%s%s%s", kind->interface->name,
                   model[0] == '\0' ? " in the world " : " left in the model \"",
                   model[0] == '\0' ? tpi_sim_name(o->s->world) : model,
                   model[0] == '\0' ? "" : "\"", needs[0] == '\0' ? "" : ": it takes ", needs);
}

/* Said once for each section. */
static void tell_stray(simd_offering *o, const tp_interface *interface, tpi_sim_model other)
{
    tpi_buf text = {0};

    if (!o->told) {
        tpi_buf_printf(&text, "no robot has all that a section without \"model\" provides: it is ");
        tpi_sim_put_name(o->s->world, o->robot, &text);
        tpi_buf_printf(&text, ", but its %s is of ", interface->name);
        tpi_sim_put_name(o->s->world, other, &text);
        tpi_simd_note(o->s, tpi_buf_text(&text));
        tpi_buf_fini(&text);
    }
    o->told = true;
}

/* In the robot of the section, or anywhere if that has none and nobody has named it. */
static tpi_sim_model search_robots(simd_offering *o, struct wanted *w)
{
    tpi_sim_model found = o->robot == TPI_SIM_NONE ? TPI_SIM_NONE : search(o, w, o->robot);

    for (size_t i = 0; !o->named && !w->kind->any && i < o->root_count && found == TPI_SIM_NONE;
         i++) {
        found = search_family(o, w, o->roots[i]);
        if (found != TPI_SIM_NONE && o->roots[i] != o->robot && o->robot != TPI_SIM_NONE) {
            tell_stray(o, w->kind->interface, o->roots[i]);
        }
    }
    return found;
}

/* What is makeshift is better than nothing, and no better. */
static tpi_sim_model search_all(simd_offering *o, struct wanted *w)
{
    const tpi_sim_model found = search_robots(o, w);

    w->makeshift = true;
    return found == TPI_SIM_NONE ? search_robots(o, w) : found;
}

/* Published configurations name one robot in two sections, at two ports: both get it. */
static tpi_sim_model search_shared(simd_offering *o, struct wanted *w)
{
    char text[192];

    w->makeshift = false;
    w->shared = true;
    const tpi_sim_model found = o->named ? search_all(o, w) : TPI_SIM_NONE;
    if (found != TPI_SIM_NONE) {
        snprintf(text, sizeof text, "the %s of the model \"%.80s\" is offered by two sections",
                 w->kind->interface->name, tp_section_string(o->s->instance, o->section, "model"));
        tpi_simd_note(o->s, text);
    }
    return found;
}

/* A slip in a key would give something else than was meant. */
static void tell_key(const simd_offering *o, const struct wanted *w)
{
    char text[128];

    if (w->key[0] != '\0' && (w->kind->key == NULL || strcmp(w->kind->key, w->key) != 0)) {
        snprintf(text, sizeof text, "the key \"%.40s\" of %s means nothing here", w->key,
                 w->kind->interface->name);
        tpi_simd_note(o->s, text);
    }
}

tp_status tpi_simd_choose(simd_offering *o, size_t i, const simd_kind **kind, tpi_sim_model *model,
                          tp_error *err)
{
    const size_t section = tp_provides_section(o->s->instance, i);
    struct wanted w = wanted_at(o, i);
    tp_status status = TP_OK;

    if (w.kind == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED, "no model of a world is a %s",
                       tp_provides_interface(o->s->instance, i)->name);
    }
    *kind = w.kind;
    *model = TPI_SIM_NONE;
    if (is_of_world(w.kind)) {
        return TP_OK;
    }
    if (section != o->section) {
        status = begin_section(o, section, err);
    }
    if (status == TP_OK) {
        *model = search_all(o, &w);
        *model = *model == TPI_SIM_NONE ? search_shared(o, &w) : *model;
        *kind = w.kind;
        status = *model == TPI_SIM_NONE ? fail_to_find(o, w.kind, err) : TP_OK;
    }
    if (status == TP_OK && !w.kind->any) {
        o->taken[*model] |= UINT64_C(1) << w.number;
        o->taken_here[*model] |= UINT64_C(1) << w.number;
    }
    if (status == TP_OK) {
        tell_key(o, &w);
    }
    return status;
}
