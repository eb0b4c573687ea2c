/*
 * generic.c - plays messages from nothing but their descriptions.
 *
 * For every message that carries something back (data, answers) a value is made at the start. Its
 * numbers are drawn by their units, the same for each message of the kind but for the noise of what
 * is measured. What a client writes is remembered: the next message of the same type shows all of
 * it, and messages of other types show the fields that have the same name. So what was set can be
 * got again, and a light that was switched on reports that it is on.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* The last value of a type that a client has written. */
struct memory {
    const tp_struct *type;
    void *value; /* owned, one block */
};

struct fake_player {
    void **values; /* owned, one for each message; NULL for those that bring nothing back */
    struct memory *memories; /* owned, room for one for each message; the latest is the last */
    uint32_t memory_count;
};

/* ---- Remembering ----------------------------------------------------------------------------- */

/* What a message brings back; NULL for nothing. */
static const tp_struct *returned_by(const tp_message *what)
{
    return what->kind == TP_KIND_DATA ? what->ask : what->answer;
}

static struct memory *find_memory(const struct fake_player *p, const tp_struct *type)
{
    for (uint32_t i = 0; i < p->memory_count; i++) {
        if (p->memories[i].type == type) {
            return &p->memories[i];
        }
    }
    return NULL;
}

static tp_status remember(struct fake_player *p, const tp_struct *type, const void *value,
                          tp_error *err)
{
    struct memory fresh = {.type = type};
    struct memory *old = find_memory(p, type);

    if (tp_value_copy(&fresh.value, type, value, NULL) != TP_OK) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (old != NULL) {
        free(old->value);
        p->memory_count--;
        memmove(old, old + 1, (size_t)(p->memories + p->memory_count - old) * sizeof *old);
    }
    p->memories[p->memory_count++] = fresh;
    return TP_OK;
}

/* The field of that name, if it has the same form and nothing behind pointers; else NULL. */
static const tp_field *find_alike(const tp_struct *type, const tp_field *wanted)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (strcmp(field->name, wanted->name) == 0) {
            const bool same = field->type == wanted->type && field->shape == wanted->shape &&
                              field->of == wanted->of && field->length == wanted->length;
            const bool flat = (field->of == NULL || !field->of->variable) && !field->is_count &&
                              (field->shape == TP_SHAPE_ONE || field->shape == TP_SHAPE_FIXED);
            return same && flat ? field : NULL;
        }
    }
    return NULL;
}

static void copy_field(const tp_field *to, char *value, const tp_field *from, const char *other)
{
    memcpy(value + to->offset, other + from->offset,
           tpi_fake_element_size(to) * tp_field_count(to, value));
}

/* Show what clients have written to fields with the same names, the latest last. */
static void show_memories(const struct fake_player *p, const tp_struct *type, char *value)
{
    for (uint32_t i = 0; i < p->memory_count; i++) {
        for (uint32_t k = 0; k < type->field_count; k++) {
            const tp_field *from = find_alike(p->memories[i].type, &type->fields[k]);
            if (from != NULL) {
                copy_field(&type->fields[k], value, from, p->memories[i].value);
            }
        }
    }
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Where the device sits and its size, in the answer to a question about that. */
static void show_geometry(const fake_device *d, const tp_struct *type, char *value)
{
    const tp_pose3d pose = tpi_fake_pose(d);
    const tp_bbox3d size = tpi_fake_size(d);

    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (field->of == &tp_desc_pose3d && field->shape == TP_SHAPE_ONE) {
            memcpy(value + field->offset, &pose, sizeof pose);
        } else if (field->of == &tp_desc_bbox3d && field->shape == TP_SHAPE_ONE) {
            memcpy(value + field->offset, &size, sizeof size);
        }
    }
}

/* The value of a message that brings something back. Borrowed until the next one. */
static const void *value_for(fake_device *d, const tp_message *what)
{
    const struct fake_player *p = d->player;
    const tp_struct *type = returned_by(what);
    const struct memory *memory = find_memory(p, type);
    const size_t number = (size_t)(what - tp_device_interface(d->device)->messages);
    fake_random random = {.state = d->origin + number};

    if (memory != NULL) {
        return memory->value;
    }
    tpi_fake_draw(d, &random, type, p->values[number]);
    show_memories(p, type, p->values[number]);
    if (strstr(what->name, "GEOM") != NULL) {
        show_geometry(d, type, p->values[number]);
    }
    return p->values[number];
}

/* A question that carries something asks about it; anything else that does sets it. */
static bool is_question(const tp_message *what)
{
    return strncmp(what->name, "GET", 3) == 0;
}

/* A question about one of several is answered about that one. */
static void show_ids(const tp_message *what, const void *ask, char *answer)
{
    for (uint32_t i = 0; i < what->answer->field_count; i++) {
        const tp_field *to = &what->answer->fields[i];
        const tp_field *from = find_alike(what->ask, to);
        if (from != NULL && to->unit != NULL && strcmp(to->unit, "id") == 0) {
            copy_field(to, answer, from, ask);
        }
    }
}

tp_status tpi_fake_play(fake_device *d, const tp_message *what, const void *ask, void *answer,
                        tp_error *err)
{
    const bool sets = what->ask != NULL && !is_question(what);
    tp_status status = TP_OK;

    if (sets) {
        status = tpi_fake_check_size(what->ask, ask, 1 << 20, err);
        status = status == TP_OK ? remember(d->player, what->ask, ask, err) : status;
    }
    if (status == TP_OK && what->answer != NULL) {
        memcpy(answer, value_for(d, what), what->answer->size);
        if (what->ask != NULL && !sets) {
            show_ids(what, ask, answer);
        }
    }
    return status;
}

bool tpi_fake_plays_data(const fake_device *d, const tp_message *what)
{
    const tp_interface *interface = tp_device_interface(d->device);

    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *other = &interface->messages[i];
        if (other->kind != TP_KIND_DATA && other->ask == what->ask &&
            other->mark != TP_MARK_EXTENSION && !is_question(other)) {
            return true; /* clients write such values, which are shown then */
        }
    }
    return what->mark == TP_MARK_REQUIRED;
}

static void generic_publish(fake_device *d)
{
    const tp_interface *interface = tp_device_interface(d->device);

    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *what = &interface->messages[i];
        if (what->kind == TP_KIND_DATA && what->mark != TP_MARK_EXTENSION &&
            (what->mark == TP_MARK_REQUIRED || find_memory(d->player, what->ask) != NULL)) {
            tp_publish(d->device, what->code, value_for(d, what), 0);
        }
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_fake_player_create(fake_device *d, tp_error *err)
{
    const tp_interface *interface = tp_device_interface(d->device);
    struct fake_player *p = d->player = calloc(1, sizeof *p);

    if (p != NULL) {
        p->values = calloc(interface->message_count + 1, sizeof *p->values);
        p->memories = calloc(interface->message_count + 1, sizeof *p->memories);
    }
    if (p == NULL || p->values == NULL || p->memories == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_struct *type = returned_by(&interface->messages[i]);
        p->values[i] = type == NULL ? NULL : calloc(1, type->size);
        if (type != NULL && (p->values[i] == NULL || !tpi_fake_make_arrays(type, p->values[i]))) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
    }
    return TP_OK;
}

void tpi_fake_player_destroy(fake_device *d)
{
    const tp_interface *interface = tp_device_interface(d->device);
    struct fake_player *p = d->player;

    if (p == NULL) {
        return;
    }
    for (uint32_t i = 0; p->values != NULL && i < interface->message_count; i++) {
        if (p->values[i] != NULL) {
            tp_value_clear(returned_by(&interface->messages[i]), p->values[i]);
            free(p->values[i]);
        }
    }
    for (uint32_t i = 0; i < p->memory_count; i++) {
        free(p->memories[i].value);
    }
    free((void *)p->values);
    free(p->memories);
    free(p);
}

const fake_kind tpi_fake_generic = {
    .size = {.sw = 0.1, .sl = 0.1, .sh = 0.1},
    .publish = generic_publish,
};
