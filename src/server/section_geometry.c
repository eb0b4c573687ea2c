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

static tp_status read_device(const struct reading *reading, void *into, tp_error *err)
{
    tpi_cfg_section *section = reading->section;
    const tpi_blueprint *blueprint = reading->blueprint;
    tp_devaddr *addr = &((tpi_place *)into)->addr;
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
    const unsigned robot = named.robot > 0 ? named.robot : reading->server->options.port;
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

static tp_status read_pose(const struct reading *reading, void *into, tp_error *err)
{
    tpi_cfg_section *section = reading->section;
    tpi_place *out = into;
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

static tp_status read_size(const struct reading *reading, void *into, tp_error *err)
{
    tpi_cfg_section *section = reading->section;
    tpi_place *out = into;
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

static tp_status read_frame(const struct reading *reading, void *into, tp_error *err)
{
    return read_name(reading->section, "frame", &((tpi_place *)into)->frame, err);
}

static tp_status read_parent(const struct reading *reading, void *into, tp_error *err)
{
    return read_name(reading->section, "parent", &((tpi_place *)into)->parent, err);
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static bool same_device(const void *a, const void *b)
{
    const tpi_place *x = a;
    const tpi_place *y = b;

    return memcmp(&x->addr, &y->addr, sizeof x->addr) == 0;
}

static bool same_pose(const void *a, const void *b)
{
    const tpi_place *x = a;
    const tpi_place *y = b;

    return x->has_pose == y->has_pose && tp_value_equal(&tp_desc_pose3d, &x->pose, &y->pose);
}

static bool same_size(const void *a, const void *b)
{
    const tpi_place *x = a;
    const tpi_place *y = b;

    return x->has_size == y->has_size && tp_value_equal(&tp_desc_bbox3d, &x->size, &y->size);
}

static bool same_frame(const void *a, const void *b)
{
    return tpi_same_text(((const tpi_place *)a)->frame, ((const tpi_place *)b)->frame);
}

static bool same_parent(const void *a, const void *b)
{
    return tpi_same_text(((const tpi_place *)a)->parent, ((const tpi_place *)b)->parent);
}

static const struct section_field geometry_fields[] = {
    {.name = "device",
     .value = FIELD_ADDRESS,
     .fallback = "the only one",
     .help = "a device of the driver section",
     .examples = {"\"laser:0\"", "\"position2d:0\""},
     .read = read_device,
     .same = same_device},
    {.name = "pose",
     .value = FIELD_NUMBERS,
     .unit = "unit_length, unit_angle",
     .fallback = "from the driver",
     .help = "x y yaw, or x y z roll pitch yaw, in the parent frame",
     .examples = {"[ 0.1 0 90 ]", "[ 0.1 0 0.3 0 0 90 ]"},
     .read = read_pose,
     .same = same_pose},
    {.name = "size",
     .value = FIELD_NUMBERS,
     .unit = "unit_length",
     .fallback = "from the driver",
     .help = "length width height",
     .examples = {"[ 0.15 0.16 0.2 ]", "[ 0.15 0.16 0.3 ]"},
     .read = read_size,
     .same = same_size},
    {.name = "frame",
     .value = FIELD_TEXT,
     .fallback = "its name, \"laser:0\"",
     .help = "the frame of its data",
     .examples = {"\"eye\"", "\"rear_eye\""},
     .read = read_frame,
     .same = same_frame},
    {.name = "parent",
     .value = FIELD_TEXT,
     .fallback = "\"base\"",
     .help = "the frame in which it is mounted",
     .examples = {"\"base\"", "\"mast\""},
     .read = read_parent,
     .same = same_parent},
    {.name = NULL},
};

const struct section_kind tpi_geometry_section = {"geometry", geometry_fields};

/* ---- Sections -------------------------------------------------------------------------------- */

static tp_status read_place(const struct reading *reading, tpi_place *out, tp_error *err)
{
    const char *names[TPI_MOST_FIELDS + 1];
    tp_status status = tpi_fields_read(&tpi_geometry_section, reading, out, err);

    tpi_fields_names(&tpi_geometry_section, names);
    tpi_cfg_report_unused(reading->section, names, true, tpi_server_note, reading->server);
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
            const struct reading reading = {server, inner, blueprint};
            status = read_place(&reading, &places[blueprint->place_count], err);
            status =
                status == TP_OK ? check_new(inner, places, blueprint->place_count, err) : status;
            blueprint->place_count++;
        }
    }
    blueprint->places = places;
    return status;
}

static bool has_place(const tpi_blueprint *blueprint, const tpi_place *place)
{
    for (uint32_t i = 0; i < blueprint->place_count; i++) {
        if (tpi_fields_same(&tpi_geometry_section, &blueprint->places[i], place)) {
            return true;
        }
    }
    return false;
}

bool tpi_places_same(const tpi_blueprint *a, const tpi_blueprint *b)
{
    for (uint32_t i = 0; i < a->place_count && a->place_count == b->place_count; i++) {
        if (!has_place(b, &a->places[i])) {
            return false;
        }
    }
    return a->place_count == b->place_count;
}
