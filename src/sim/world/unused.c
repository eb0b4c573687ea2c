/*
 * unused.c - properties of a world file that were not read.
 *
 * What belongs elsewhere is reported with where; anything else with the nearest name that would
 * mean something where it stands.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/world/world.h"

static const char *const world_properties[] = {"name",        "interval_sim", "quit_time",
                                               "unit_length", "unit_angle",   NULL};
static const char *const block_properties[] = {"points", "z", NULL};

/* ---- Where a name means something ------------------------------------------------------------ */

/* A kind of place: the top of the file, a model, or a section in one. */
struct spot {
    const char *what;            /* the word; NULL for the top of the file */
    const char *const *lists[2]; /* of names; may be NULL */
};

static const struct spot top = {NULL, {world_properties, tpi_sim_scene_properties}};
static const struct spot block = {"block", {block_properties, NULL}};

static struct spot spot_of_kind(const tpi_sim_type *type)
{
    return (struct spot){type->name, {type->properties, tpi_sim_model_properties}};
}

static struct spot spot_of(const tpi_cfg_section *section)
{
    if (section->parent == NULL) {
        return top;
    }
    if (strcmp(section->type, block.what) == 0) {
        return block;
    }
    const tpi_sim_type *type = tpi_sim_type_find(section->type);
    type = type == NULL ? tpi_sim_old_type(section->type) : type;
    if (type != NULL) {
        return spot_of_kind(type);
    }
    const tpi_sim_type *home = tpi_sim_type_find(section->parent->type);
    return (struct spot){section->type, {home == NULL ? NULL : home->section_properties, NULL}};
}

static bool knows(const struct spot *spot, const char *name)
{
    return tpi_sim_is_among(spot->lists[0], name) || tpi_sim_is_among(spot->lists[1], name);
}

/* In how many kinds of places the name means something that stands in a section in vain, and one of
 * them. */
static uint32_t find_homes(const tpi_cfg_section *section, const char *name, struct spot *home)
{
    const tpi_sim_type *own = tpi_sim_type_find(section->type);
    uint32_t count = 0;

    if (own != NULL && tpi_sim_is_among(own->section_properties, name)) {
        *home = (struct spot){own->sections[0], {own->section_properties, NULL}};
        return 1;
    }
    if (tpi_sim_is_among(tpi_sim_model_properties, name)) {
        *home = spot_of_kind(tpi_sim_types[TPI_SIM_PLAIN]);
        return 1;
    }
    if (knows(&top, name) || knows(&block, name)) {
        *home = knows(&top, name) ? top : block;
        return 1;
    }
    for (int i = 0; i < TPI_SIM_KINDS; i++) {
        const tpi_sim_type *type = tpi_sim_types[i];
        if (type->base != NULL && tpi_sim_is_among(type->base->properties, name)) {
            continue; /* it is the base's */
        }
        if (tpi_sim_is_among(type->properties, name)) {
            *home = spot_of_kind(type);
            count++;
        } else if (tpi_sim_is_among(type->section_properties, name)) {
            *home = (struct spot){type->sections[0], {type->section_properties, NULL}};
            count++;
        }
    }
    return count;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static void put_spot(char out[64], const struct spot *spot)
{
    if (spot->what == NULL) {
        snprintf(out, 64, "at the top of the file");
    } else {
        snprintf(out, 64, "in a \"%.40s\"", spot->what);
    }
}

/* If it belongs in one place alone, that is reported too. */
static void tell_home(const struct sim_loader *loader, const tpi_cfg_field *field,
                      const struct spot *here, const struct spot *home)
{
    char place[64];
    char there[64] = "";

    put_spot(place, here);
    if (home != NULL) {
        put_spot(there, home);
    }
    tpi_sim_note(&loader->reader, &field->place, "\"%.40s\" has no effect %s%s%s", field->name,
                 place, home == NULL ? "" : "; it belongs ", there);
}

/* Whether the name is that of one in a row, "bpose[4]", of which there are not so many. */
static bool is_beyond(const struct spot *here, const char *name)
{
    char base[32];
    const size_t length = strcspn(name, "[");

    snprintf(base, sizeof base, "%.*s", length < sizeof base ? (int)length : 0, name);
    return name[length] == '[' &&
           (knows(here, base) ||
            (here->what != NULL && strcmp(here->what, "block") == 0 && strcmp(base, "point") == 0));
}

/* A fiducial has its ranges apart, a ranger's sensor both in one. */
static bool is_range_of_sensor(const struct spot *here, const char *name)
{
    return here->what != NULL &&
           (strcmp(here->what, "ranger") == 0 || strcmp(here->what, "sensor") == 0) &&
           (strcmp(name, "range_max") == 0 || strcmp(name, "range_min") == 0);
}

static void tell_field(const struct sim_loader *loader, const tpi_cfg_section *section,
                       const tpi_cfg_field *field)
{
    const struct spot here = spot_of(section);
    struct spot home;
    const uint32_t homes = find_homes(section, field->name, &home);
    tpi_nearest nearest;
    char hint[96];

    if (is_range_of_sensor(&here, field->name)) {
        tpi_sim_note(&loader->reader, &field->place,
                     "\"%s\" has no effect in a \"%s\"; it is \"range [MIN MAX]\" in a \"sensor\"",
                     field->name, here.what);
        return;
    }
    if (homes > 0) {
        tell_home(loader, field, &here, homes == 1 ? &home : NULL);
        return;
    }
    if (is_beyond(&here, field->name)) {
        tpi_sim_note(&loader->reader, &field->place, "there are fewer: \"%.40s\" has no effect",
                     field->name);
        return;
    }
    if (tpi_sim_type_find(field->name) != NULL) {
        tpi_sim_note(&loader->reader, &field->place, "a \"%s\" is made with \"%s ( ... )\"",
                     field->name, field->name);
        return;
    }
    tpi_nearest_init(&nearest, field->name);
    tpi_nearest_offer(&nearest, "include"); /* a statement, whose word was misspelt */
    for (int i = 0; i < 2; i++) {
        for (const char *const *name = here.lists[i]; name != NULL && *name != NULL; name++) {
            tpi_nearest_offer(&nearest, *name);
        }
    }
    tpi_sim_note(&loader->reader, &field->place, "\"%.40s\" is not used%s", field->name,
                 tpi_nearest_hint(&nearest, hint, sizeof hint));
}

/* What a block or a sensor cannot have. */
static void tell_sections(const struct sim_loader *loader, const tpi_cfg_section *section)
{
    const struct spot here = spot_of(section);
    char place[64];

    put_spot(place, &here);
    for (uint32_t i = 0; i < section->section_count; i++) {
        tpi_sim_note(&loader->reader, &section->sections[i]->place, "\"%.40s\" has no effect %s",
                     section->sections[i]->type, place);
    }
}

static bool may_have_sections(const tpi_cfg_section *section)
{
    return section->parent == NULL || tpi_sim_type_find(section->type) != NULL ||
           tpi_sim_old_type(section->type) != NULL;
}

/* What only a window would show is no mistake. */
static bool is_silent(const tpi_cfg_field *field)
{
    return field->used || tpi_sim_is_among(tpi_sim_silent_properties, field->name);
}

/* Uses of one macro share its fields' names: each is reported once. Without memory for that it is
 * told of again, which does no harm. */
static void look_at(const struct sim_loader *loader, const tpi_cfg_section *section,
                    tpi_cfg_table *told)
{
    if (tpi_sim_is_window(section->type)) { /* nor are windows themselves */
        return;
    }
    for (uint32_t i = 0; i < section->field_count; i++) {
        const tpi_cfg_field *field = &section->fields[i];
        if (!is_silent(field) && !tpi_cfg_table_get(told, field->name, field->name, NULL)) {
            tpi_cfg_table_add(told, field->name, field->name, 0);
            tell_field(loader, section, field);
        }
    }
    if (!may_have_sections(section)) {
        tell_sections(loader, section);
        return;
    }
    for (uint32_t i = 0; i < section->section_count; i++) {
        look_at(loader, section->sections[i], told);
    }
}

void tpi_sim_note_unused(const struct sim_loader *loader, const tpi_cfg_section *root)
{
    tpi_cfg_table told = {0};

    look_at(loader, root, &told);
    tpi_cfg_table_fini(&told);
}
