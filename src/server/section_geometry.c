/*
 * section_geometry.c - where devices sit: the geometry sections inside of a driver section.
 *
 *     geometry ( device "laser:0" pose [ 0.1 0 0.3 0 0 90 ] size [ 0.15 0.16 0.2 ]
 *                frame "laser" parent "base" )
 *
 * Lengths and angles are in the units of the file. `device` may be left out if the driver provides
 * only one; a pose of three values is x, y and yaw.
 */
#include <string.h>

#include "server/address.h"
#include "server/inside.h"

enum { MOST_NAME = 63, MOST_VALUES = 6 };

/* ---- Devices --------------------------------------------------------------------------------- */

static tp_status the_only_device(const tpi_cfg_section *section, const tpi_blueprint *blueprint,
                                 tp_devaddr *addr, tp_error *err)
{
    if (blueprint->provide_count != 1) {
        return tpi_cfg_fail(&section->place, err,
                            "the driver provides %u devices: say which one, as device \"%s:%u\"",
                            blueprint->provide_count, blueprint->provides[0].interface->name,
                            blueprint->provides[0].addr.index);
    }
    *addr = blueprint->provides[0].addr;
    return TP_OK;
}

static tp_status read_device(const tp_server *server, tpi_cfg_section *section,
                             const tpi_blueprint *blueprint, tp_devaddr *addr, tp_error *err)
{
    const char *text = NULL;
    tpi_devaddr_text named;
    tp_error why = {0};
    tp_status status = tpi_cfg_string(section, "device", NULL, &text, err);

    if (status != TP_OK || text == NULL) {
        return status == TP_OK ? the_only_device(section, blueprint, addr, err) : status;
    }
    const tpi_cfg_place *place = &tpi_cfg_find(section, "device")->values[0].place;
    if (tpi_devaddr_parse(&named, text, &why) != TP_OK) {
        return tpi_cfg_fail(place, err, "%s", why.text);
    }
    const unsigned robot = named.robot > 0 ? named.robot : server->options.port;
    for (uint32_t i = 0; i < blueprint->provide_count; i++) {
        const tpi_wanted *wanted = &blueprint->provides[i];
        if (strcmp(wanted->interface->name, named.interface) == 0 &&
            wanted->addr.index == named.index && wanted->addr.robot == robot) {
            *addr = wanted->addr;
            return TP_OK;
        }
    }
    return tpi_cfg_fail(place, err, "the driver does not provide %s", text);
}

/* ---- Numbers and names ----------------------------------------------------------------------- */

/* `count` is 0 if the field is absent; `spare` values are also as good as `wanted` ones. */
static tp_status read_numbers(tpi_cfg_section *section, const char *name, const char *what,
                              uint32_t wanted, uint32_t spare, double values[MOST_VALUES],
                              uint32_t *count, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, name);

    *count = field == NULL ? 0 : field->value_count;
    if (field == NULL) {
        return TP_OK;
    }
    if (*count != wanted && *count != spare) {
        return tpi_cfg_fail(&field->place, err, "%s is %s, not %u values", name, what, *count);
    }
    for (uint32_t i = 0; i < *count; i++) {
        const tpi_cfg_value *value = &field->values[i];
        if (value->kind != TPI_CFG_NUMBER) {
            return tpi_cfg_fail(&value->place, err, "%s is made of numbers, not \"%.40s\"", name,
                                value->text);
        }
        values[i] = value->number;
    }
    return TP_OK;
}

static tp_status read_pose(tpi_cfg_section *section, tpi_place *out, tp_error *err)
{
    const double length = tpi_cfg_length_unit(section);
    const double angle = tpi_cfg_angle_unit(section);
    double v[MOST_VALUES] = {0};
    uint32_t count = 0;
    tp_status status =
        read_numbers(section, "pose", "x y yaw, or x y z roll pitch yaw", 6, 3, v, &count, err);

    out->has_pose = count > 0;
    if (count == 3) {
        out->pose = (tp_pose3d){.px = v[0] * length, .py = v[1] * length, .pyaw = v[2] * angle};
    } else {
        out->pose = (tp_pose3d){v[0] * length, v[1] * length, v[2] * length,
                                v[3] * angle,  v[4] * angle,  v[5] * angle};
    }
    return status;
}

static tp_status read_size(tpi_cfg_section *section, tpi_place *out, tp_error *err)
{
    const double length = tpi_cfg_length_unit(section);
    double v[MOST_VALUES] = {0};
    uint32_t count = 0;
    tp_status status = read_numbers(section, "size", "length width height", 3, 3, v, &count, err);

    if (status == TP_OK && (v[0] < 0 || v[1] < 0 || v[2] < 0)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "size")->place, err, "a size is not below 0");
    }
    out->has_size = count > 0;
    out->size = (tp_bbox3d){.sl = v[0] * length, .sw = v[1] * length, .sh = v[2] * length};
    return status;
}

static tp_status read_name(tpi_cfg_section *section, const char *name, const char **out,
                           tp_error *err)
{
    tp_status status = tpi_cfg_string(section, name, NULL, out, err);

    if (status == TP_OK && *out != NULL && ((*out)[0] == '\0' || strlen(*out) > MOST_NAME)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, name)->values[0].place, err,
                            "%s is a name of 1 to %d characters", name, MOST_NAME);
    }
    return status;
}

/* ---- Sections -------------------------------------------------------------------------------- */

static tp_status read_place(tp_server *server, tpi_cfg_section *section,
                            const tpi_blueprint *blueprint, tpi_place *out, tp_error *err)
{
    static const char *const known[] = {"device", "pose", "size", "frame", "parent", NULL};
    tp_status status = read_device(server, section, blueprint, &out->addr, err);

    status = status == TP_OK ? read_pose(section, out, err) : status;
    status = status == TP_OK ? read_size(section, out, err) : status;
    status = status == TP_OK ? read_name(section, "frame", &out->frame, err) : status;
    status = status == TP_OK ? read_name(section, "parent", &out->parent, err) : status;
    tpi_cfg_report_unused(section, known, true, tpi_server_note, server);
    return status;
}

static tp_status check_new(const tpi_cfg_section *section, const tpi_place *places, uint32_t count,
                           tp_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (memcmp(&places[i].addr, &places[count].addr, sizeof places[i].addr) == 0) {
            return tpi_cfg_fail(&section->place, err, "there is a geometry of that device already");
        }
    }
    return TP_OK;
}

tp_status tpi_places_read(tp_server *server, tpi_cfg_section *section, tpi_blueprint *blueprint,
                          tp_error *err)
{
    tpi_place *places =
        tpi_arena_array(&server->file->arena, section->section_count + 1, sizeof *places);
    tp_status status = TP_OK;

    if (places == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < section->section_count && status == TP_OK; i++) {
        tpi_cfg_section *inner = section->sections[i];
        if (strcmp(inner->type, "geometry") == 0) {
            status = read_place(server, inner, blueprint, &places[blueprint->place_count], err);
            status =
                status == TP_OK ? check_new(inner, places, blueprint->place_count, err) : status;
            blueprint->place_count++;
        }
    }
    blueprint->places = places;
    return status;
}
