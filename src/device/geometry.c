/*
 * geometry.c - where a device sits, in one form for every interface.
 *
 * What the configuration says goes first, part by part; then what the driver has set; then what the
 * device answers: to GET_GEOMETRY itself, if it has a handler, or to the question of its interface
 * whose answer has a pose (GET_GEOM). Else it is not known.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "device/answers.h"
#include "device/inside.h"
#include "troupe/interfaces/localize.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/position3d.h"

/* ---- Names ----------------------------------------------------------------------------------- */

bool tpi_geometry_is_vehicle(const tp_device *device)
{
    return device->interface == &tp_interface_position2d ||
           device->interface == &tp_interface_position3d;
}

bool tpi_geometry_is_localizer(const tp_device *device)
{
    return device->interface == &tp_interface_localize;
}

/* "base", "base1", ... */
static void number_name(char name[PLACE_NAME], const char *word, unsigned index)
{
    if (index == 0) {
        snprintf(name, PLACE_NAME, "%s", word);
    } else {
        snprintf(name, PLACE_NAME, "%s%u", word, index);
    }
}

/* REP 105: the map holds the odometry's frame, which holds the base, which holds the sensors. */
static void name_by_kind(tp_device *device)
{
    const unsigned index = device->addr.index;

    if (tpi_geometry_is_vehicle(device)) {
        number_name(device->geometry.frame, "base", index);
        number_name(device->geometry.parent, "odom", index);
    } else if (tpi_geometry_is_localizer(device)) {
        number_name(device->geometry.frame, "odom", index);
        snprintf(device->geometry.parent, PLACE_NAME, "map");
    } else {
        snprintf(device->geometry.frame, PLACE_NAME, "%s", device->name);
        snprintf(device->geometry.parent, PLACE_NAME, "base");
    }
}

unsigned tpi_geometry_other_vehicle(const tp_device *device)
{
    if (!tpi_geometry_is_vehicle(device)) {
        return 0;
    }
    return device->interface == &tp_interface_position2d ? TP_POSITION3D_CODE : TP_POSITION2D_CODE;
}

void tpi_geometry_tell_apart(tp_device *device)
{
    number_name(device->geometry.frame,
                device->interface == &tp_interface_position2d ? "base2d" : "base3d",
                device->addr.index);
}

/* ---- What an interface says about it --------------------------------------------------------- */

/* The field of one struct of this name; NULL if there is none. */
static const tp_field *find_field(const tp_struct *type, const tp_struct *of)
{
    for (uint32_t i = 0; type != NULL && i < type->field_count; i++) {
        if (type->fields[i].of == of && type->fields[i].shape == TP_SHAPE_ONE) {
            return &type->fields[i];
        }
    }
    return NULL;
}

static const tp_message *find_question(const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *what = &interface->messages[i];
        const bool named = strcmp(what->name, "GET_GEOM") == 0 || strcmp(what->name, "GEOM") == 0;
        if (named && what->kind == TP_KIND_REQUEST && what->ask == NULL &&
            find_field(what->answer, &tp_desc_pose3d) != NULL) {
            return what;
        }
    }
    return NULL;
}

void tpi_geometry_prepare(tp_device *device)
{
    const tpi_blueprint *blueprint = &device->instance->blueprint;

    name_by_kind(device);
    device->geometry.question = find_question(device->interface);
    for (uint32_t i = 0; i < blueprint->place_count; i++) {
        if (memcmp(&blueprint->places[i].addr, &device->addr, sizeof device->addr) == 0) {
            device->geometry.configured = &blueprint->places[i];
        }
    }
}

static void read_fields(const tp_struct *type, const char *value, struct place *place)
{
    const tp_field *pose = find_field(type, &tp_desc_pose3d);
    const tp_field *size = find_field(type, &tp_desc_bbox3d);

    place->known = TP_GEOMETRY_MEASURED;
    memcpy(&place->pose, value + pose->offset, sizeof place->pose);
    if (size != NULL) {
        memcpy(&place->size, value + size->offset, sizeof place->size);
    }
}

/* ---- One form -------------------------------------------------------------------------------- */

/* A counted text, with or without its NUL, cut to the room there is. */
static void copy_name(char name[PLACE_NAME], const char *text, uint32_t count)
{
    size_t length = text == NULL ? 0 : count;

    length = length < PLACE_NAME ? length : PLACE_NAME - 1;
    memcpy(name, length == 0 ? "" : text, length);
    name[length] = '\0';
}

static void read_geometry(const tp_geometry *geometry, struct place *place)
{
    place->known = geometry->known;
    place->pose = geometry->pose;
    place->size = geometry->size;
    copy_name(place->frame, geometry->frame, geometry->frame_count);
    copy_name(place->parent, geometry->parent, geometry->parent_count);
}

static const char *choose_name(const char *configured, const char *told, const char *usual)
{
    return configured != NULL ? configured : told[0] != '\0' ? told : usual;
}

/* What is known of the place, with what the configuration says over it. Texts are borrowed. */
static void write_geometry(const tp_device *device, const struct place *place, tp_geometry *out)
{
    static const tpi_place nothing = {.frame = NULL};
    const tpi_place *configured =
        device->geometry.configured == NULL ? &nothing : device->geometry.configured;

    *out = (tp_geometry){.known = place->known, .pose = place->pose, .size = place->size};
    if (configured->has_pose) {
        out->known = TP_GEOMETRY_CONFIGURED;
        out->pose = configured->pose;
    }
    if (configured->has_size) {
        out->known = TP_GEOMETRY_CONFIGURED;
        out->size = configured->size;
    }
    out->frame = tpi_text_field(
        choose_name(configured->frame, place->frame, device->geometry.frame), &out->frame_count);
    out->parent =
        tpi_text_field(choose_name(configured->parent, place->parent, device->geometry.parent),
                       &out->parent_count);
}

void tpi_geometry_now(const tp_device *device, tp_geometry *out)
{
    write_geometry(device, &device->geometry.own, out);
}

/* ---- Asking the device ----------------------------------------------------------------------- */

void tpi_geometry_convert(tp_device *device, const tp_message *what, const void *value,
                          tp_geometry *out)
{
    struct place *place = &device->instance->place;

    memset(place, 0, sizeof *place);
    if (value != NULL && what->answer == &tp_desc_geometry) {
        read_geometry(value, place);
    } else if (value != NULL) {
        read_fields(what->answer, value, place);
    }
    write_geometry(device, place, out);
}

static tp_status ask(tp_device *device, const tp_message *what, void *answer, tp_error *err)
{
    tp_instance *self = device->instance;

    memset(answer, 0, what->answer->size);
    call_ask_instead(self, what);
    return device->handler != NULL ? device->handler(device, what, NULL, answer, err)
                                   : what->call(device->ops, device, NULL, answer, err);
}

tp_status tpi_geometry_answer(tp_device *device, const tp_message *what, tp_geometry *answer,
                              tp_error *err)
{
    tp_instance *self = device->instance;
    const tpi_place *configured = device->geometry.configured;
    tp_status status = TP_E_UNSUPPORTED;

    if (device->geometry.has_own ||
        (configured != NULL && configured->has_pose && configured->has_size)) {
        tpi_geometry_now(device, answer);
        return TP_OK;
    }
    if (device->handler != NULL) {
        status = ask(device, what, call_spare(self), err);
    }
    if (status == TP_E_UNSUPPORTED && device->geometry.question != NULL &&
        (device->handler != NULL || tp_message_handled(device->geometry.question, device->ops))) {
        what = device->geometry.question;
        status = ask(device, what, call_spare(self), err);
    }
    if (status == TP_PENDING) {
        return TP_PENDING;
    }
    call_ask_instead(self, NULL);
    if (status != TP_OK && status != TP_E_UNSUPPORTED) {
        return status;
    }
    tpi_geometry_convert(device, what, status == TP_OK ? call_spare(self) : NULL, answer);
    return TP_OK;
}

/* ---- For drivers ----------------------------------------------------------------------------- */

tp_status tp_device_set_geometry(tp_device *device, const tp_geometry *geometry)
{
    const struct place old = device->geometry.own;
    tp_geometry before;
    tp_geometry now;

    assert(device_is_current(device));
    memset(&device->geometry.own, 0, sizeof device->geometry.own);
    read_geometry(geometry, &device->geometry.own);
    device->geometry.has_own = true;
    write_geometry(device, &old, &before);
    tpi_geometry_now(device, &now);
    if (!device->instance->added || tp_value_equal(&tp_desc_geometry, &before, &now)) {
        return TP_OK;
    }
    tpi_geometry_tell(device);
    return tpi_device_tell(device, TP_COMMON_DATA_GEOMETRY, &now);
}

bool tpi_geometry_can_ask(const tp_device *device)
{
    return device->handler != NULL || device->geometry.question != NULL;
}
