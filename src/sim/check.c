/*
 * check.c - what is odd about models that are all right by themselves: rangers that look over
 * everything, controllers without what they need.
 */
#include <math.h>

#include "sim/control.h"
#include "sim/sense/ranger.h"
#include "sim/world/world.h"

/* ---- Rangers --------------------------------------------------------------------------------- */

/* A ranger, and the height at which the lowest of its rays leave, above the tree's pose. */
struct eye {
    tpi_cfg_place place;
    double z;
    uint32_t seed; /* the tree's */
};

/* Where the highest visible body ends, whose that is, and where that of all others does. */
struct tops {
    double highest, next;
    uint32_t seed;
};

tp_status tpi_sim_note_ranger(struct sim_loader *loader, const tpi_cfg_section *section,
                              const struct sim_member *member, const struct sim_device *device)
{
    const struct sim_ranger *config = device->config;
    struct eye eye = {.place = section->place,
                      .z = HUGE_VAL,
                      .seed = (uint32_t)(loader->seeds.length / sizeof(struct sim_seed))};

    if (loader->reader.note == NULL) {
        return TP_OK;
    }
    if (config->sample_count == 0) {
        tpi_sim_note(&loader->reader, &section->place,
                     "the ranger has no \"sensor ( ... )\" in it and sees nothing");
        return TP_OK;
    }
    for (uint32_t i = 0; i < config->group_count; i++) {
        eye.z = fmin(eye.z, member->place.z + tpi_sim_ranger_groups(config)[i].frame.z);
    }
    tpi_buf_put(&loader->eyes, &eye, sizeof eye);
    return loader->eyes.failed ? tpi_sim_no_memory(loader) : TP_OK;
}

/* Take the bodies of a tree into account. */
static void add_tops(struct tops *tops, const struct sim_seed *seed, uint32_t index)
{
    double top = -HUGE_VAL;

    for (uint32_t i = 0; i < seed->template->part_count; i++) {
        const struct sim_part *part = &seed->template->parts[i];
        if ((part->flags & SIM_VISIBLE) != 0) {
            top = fmax(top, seed->pose.z + part->z1);
        }
    }
    tops->next = fmax(tops->next, fmin(top, tops->highest));
    if (top > tops->highest) {
        tops->highest = top;
        tops->seed = index;
    }
}

void tpi_sim_check_rangers(const struct sim_loader *loader)
{
    const struct sim_seed *seeds = (const struct sim_seed *)(const void *)loader->seeds.data;
    const struct eye *eyes = (const struct eye *)(const void *)loader->eyes.data;
    struct tops tops = {-HUGE_VAL, -HUGE_VAL, TPI_SIM_NONE};

    for (uint32_t i = 0; i < loader->seeds.length / sizeof seeds[0]; i++) {
        add_tops(&tops, &seeds[i], i);
    }
    for (size_t i = 0; i < loader->eyes.length / sizeof eyes[0]; i++) {
        const struct sim_seed *seed = &seeds[eyes[i].seed];
        const double top = tops.seed == eyes[i].seed ? tops.next : tops.highest;
        const double z = seed->pose.z + eyes[i].z;
        /* in an empty world there is nothing to see, and what is lifted may see something there */
        if (z > top && top > -HUGE_VAL && !seed->template->jointed) {
            tpi_sim_note(&loader->reader, &eyes[i].place,
                         "the ranger looks out at %.4g m and sees nothing: all else in the world "
                         "ends at %.4g m; is what it stands on too high?",
                         z, top);
        }
    }
}

/* ---- Controllers ----------------------------------------------------------------------------- */

static bool has_device(const struct sim_draft *draft, tpi_sim_kind kind)
{
    const struct sim_device *devices = (const struct sim_device *)(const void *)draft->devices.data;

    for (size_t i = 0; i < draft->devices.length / sizeof devices[0]; i++) {
        if (devices[i].type->kind == kind) {
            return true;
        }
    }
    return false;
}

/* Tell what the controller needs and the robot has not. */
static void tell_missing(const struct sim_loader *loader)
{
    const struct sim_draft *draft = &loader->draft;

    for (tpi_sim_kind kind = 0; kind < TPI_SIM_KINDS; kind++) {
        if (tpi_sim_control_needs(draft->control, kind) && !has_device(draft, kind)) {
            tpi_sim_note(&loader->reader, &draft->control_value->place,
                         "\"%.40s\" needs a \"%s\" on the robot; without one it stands still",
                         draft->control_value->text, tpi_sim_types[kind]->name);
        }
    }
}

void tpi_sim_check_control(const struct sim_loader *loader)
{
    const struct sim_draft *draft = &loader->draft;
    const tpi_sim_kind kind = tpi_sim_draft_member(draft, 0)->type->kind;
    const tpi_cfg_value *value = draft->control_value;

    if (draft->control == 0 || loader->reader.note == NULL) {
        return;
    }
    if (!sim_is_driven(kind) && draft->control_member > 0) {
        tpi_sim_note(&loader->reader, &value->place,
                     "\"%.40s\" drives what stands on the ground; this stands on a \"%s\"",
                     value->text, tpi_sim_types[kind]->name);
    } else if (!sim_is_driven(kind)) {
        tpi_sim_note(&loader->reader, &value->place,
                     "\"%.40s\" drives a \"position\"; a \"%s\" stands still", value->text,
                     tpi_sim_types[kind]->name);
    } else {
        tell_missing(loader);
    }
}
