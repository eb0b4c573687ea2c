/* traits.c - the properties that all models have. */
#include <math.h>

#include "sim/world/world.h"

const char *const tpi_sim_model_properties[] = {
    "name",
    "pose",
    "size",
    "origin",
    "color",
    "color_rgba",
    "bitmap",
    "boundary",
    "noblocks",
    "ctrl",
    "obstacle_return",
    "ranger_return",
    "blob_return",
    "fiducial_return",
    "fiducial_key",
    "gripper_return",
    "stack_children",
    "mass",
    "update_interval",
    "alwayson",
    "joules",
    "kjoules",
    "joules_capacity",
    "kjoules_capacity",
    "watts",
    "give_watts",
    "take_watts",
    "friction",
    NULL,
};

/* What only a window would show, and what Stage stores and never looks at. */
const char *const tpi_sim_silent_properties[] = {
    "gui_nose",
    "gui_grid",
    "gui_outline",
    "gui_move",
    "gui_movemask",
    "gui_boundary",
    "map_resolution",
    "say",
    "debug",
    "event_queue",
    "trail_length",
    "trail_interval",
    "laser_return",
    "blobfinder_return",
    "include",
    "interval_real",
    "gui_interval",
    "show_clock",
    "show_clock_interval",
    "paused",
    "confirm_on_quit",
    "resolution",
    "threads",
    "speedup",
    "test",
    "threadpool",
    NULL,
};

static const struct sim_traits usual = {
    .update_us = 100000,
    .ranger_return = 1,
    .obstacle = true,
    .blob_return = true,
    .stack_children = true,
};

/* A flag or number under its name. */
enum form { FLAG, NUMBER, INTEGER };

struct property {
    const char *name;
    enum form form;
    size_t offset; /* in struct sim_traits */
};

#define AT(member) offsetof(struct sim_traits, member)

static const struct property simple[] = {
    {"obstacle_return", FLAG, AT(obstacle)},
    {"blob_return", FLAG, AT(blob_return)},
    {"gripper_return", FLAG, AT(gripper_return)},
    {"stack_children", FLAG, AT(stack_children)},
    {"alwayson", FLAG, AT(always_on)},
    {"fiducial_return", INTEGER, AT(fiducial_return)},
    {"fiducial_key", INTEGER, AT(fiducial_key)},
    {"mass", NUMBER, AT(mass)},
    {"friction", NUMBER, AT(friction)},
    {"watts", NUMBER, AT(watts)},
    {"give_watts", NUMBER, AT(give_watts)},
    {"take_watts", NUMBER, AT(take_watts)},
};

static const double greatest = 1e12; /* beyond this numbers lose their sense */

static tp_status read_plain(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                            double *value)
{
    tp_status status = tpi_sim_read_number(reader, section, name, 'F', value);

    if (status == TP_OK && !(fabs(*value) <= greatest)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, name)->place, reader->err,
                            "\"%s\" is too large: %.6g", name, *value);
    }
    return status;
}

/* The same where less than nothing makes no sense, though Stage takes it. */
static tp_status read_amount(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                             double *value)
{
    tp_status status = read_plain(reader, section, name, value);

    if (status == TP_OK && *value < 0) {
        tpi_sim_note(reader, &tpi_cfg_find(section, name)->place, "\"%s\" is negative", name);
    }
    return status;
}

static tp_status read_simple(struct sim_reader *reader, tpi_cfg_section *section,
                             struct sim_traits *traits)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < sizeof simple / sizeof simple[0] && status == TP_OK; i++) {
        const char *name = tpi_sim_old_name(reader, section, simple[i].name);
        void *to = (char *)traits + simple[i].offset;
        switch (simple[i].form) {
        case FLAG:
            status = tpi_sim_read_flag(reader, section, name, to);
            break;
        case NUMBER:
            status = read_amount(reader, section, name, to);
            break;
        case INTEGER:
            status = tpi_sim_read_int(reader, section, name, to);
            break;
        }
    }
    return status;
}

/* What rangers see. */
static tp_status read_return(struct sim_reader *reader, tpi_cfg_section *section,
                             struct sim_traits *traits)
{
    const char *name = tpi_sim_old_name(reader, section, "ranger_return");
    double value = (double)traits->ranger_return;
    tp_status status = read_plain(reader, section, name, &value);

    traits->ranger_return = status == TP_OK ? (float)value : 1;
    return status;
}

/* Both may be NAN, for what the file does not say. */
static void tell_battery(const struct sim_reader *reader, tpi_cfg_section *section,
                         const char *name, double stored, double capacity)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, name);

    if (capacity <= 0) {
        tpi_sim_note(reader, &field->place, "the battery has no capacity and is ignored");
    } else if (stored > capacity) {
        tpi_sim_note(reader, &field->place, "the battery can hold %.6g J and begins with %.6g J",
                     capacity, stored);
    }
}

static tp_status read_power(struct sim_reader *reader, tpi_cfg_section *section,
                            struct sim_traits *traits)
{
    double joules[4] = {NAN, NAN, NAN, NAN};
    static const char *const names[] = {"joules", "kjoules", "joules_capacity", "kjoules_capacity"};
    tp_status status = TP_OK;

    for (int i = 0; i < 4 && status == TP_OK; i++) {
        if (tpi_cfg_find(section, names[i]) != NULL) {
            status = read_plain(reader, section, names[i], &joules[i]);
        }
        joules[i] *= i % 2 == 1 ? 1000 : 1;
    }
    const double stored = isnan(joules[1]) ? joules[0] : joules[1];
    const double capacity = isnan(joules[3]) ? joules[2] : joules[3];
    if (!isnan(stored)) {
        traits->joules = stored;
        traits->joules_capacity = fabs(stored);
    }
    if (!isnan(capacity)) {
        traits->joules_capacity = capacity;
    }
    if (status == TP_OK) {
        tell_battery(reader, section, isnan(joules[3]) ? names[2] : names[3], stored, capacity);
    }
    return status;
}

static tp_status read_interval(struct sim_reader *reader, tpi_cfg_section *section,
                               struct sim_traits *traits)
{
    double ms = (double)traits->update_us / 1000;
    tp_status status = tpi_sim_read_number(reader, section, "update_interval", 'F', &ms);

    if (status == TP_OK && !(ms >= 0.001 && ms <= 1e9)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "update_interval")->place, reader->err,
                            "\"update_interval\" is from 0.001 to 1e9 ms, not %.15g", ms);
    }
    traits->update_us = (int64_t)(ms * 1000 + 0.5);
    return status;
}

static tp_status read_box(struct sim_reader *reader, tpi_cfg_section *section,
                          struct sim_traits *traits)
{
    const tpi_sim_pose *origin = &traits->origin;
    tp_status status = tpi_sim_read_pose(reader, section, "origin", &traits->origin);

    if (status == TP_OK &&
        !(fabs(origin->x) <= TPI_SIM_FARTHEST && fabs(origin->y) <= TPI_SIM_FARTHEST &&
          fabs(origin->z) <= TPI_SIM_FARTHEST && fabs(origin->a) <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "origin")->place, reader->err,
                            "the origin is farther away than %g m", TPI_SIM_FARTHEST);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_size(reader, section, "size", traits->size);
    }
    const tpi_cfg_field *size = tpi_cfg_find(section, "size");
    if (size != NULL && size->value_count == 2) { /* a flat world: its sensors are as high as it */
        traits->stack_children = false;
    }
    for (int i = 0; i < 3 && status == TP_OK; i++) {
        if (!(traits->size[i] >= 0 && traits->size[i] <= TPI_SIM_FARTHEST)) {
            status = tpi_cfg_fail(&tpi_cfg_find(section, "size")->place, reader->err,
                                  "\"size\" is from 0 to %g m, not %.15g", TPI_SIM_FARTHEST,
                                  traits->size[i]);
        }
    }
    return status;
}

tp_status tpi_sim_load_traits(struct sim_loader *loader, tpi_cfg_section *section,
                              const tpi_sim_type *type, struct sim_traits *traits)
{
    static tp_status (*const readers[])(struct sim_reader *, tpi_cfg_section *,
                                        struct sim_traits *) = {read_box, read_simple, read_return,
                                                                read_power, read_interval};
    struct sim_reader *reader = &loader->reader;
    tp_status status = TP_OK;

    *traits = usual;
    for (int i = 0; i < 3; i++) {
        traits->size[i] = type->size[i];
    }
    traits->colour = type->colour;
    tpi_sim_old_traits(section->type, traits);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0] && status == TP_OK; i++) {
        status = readers[i](reader, section, traits);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_colour(reader, section, &traits->colour, &traits->random_colour);
    }
    traits->uncoloured = traits->colour == type->colour && !traits->random_colour &&
                         tpi_cfg_find(section, "color") == NULL &&
                         tpi_cfg_find(section, "color_rgba") == NULL;
    return status;
}
