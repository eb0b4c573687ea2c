/*
 * old.c - words of older world files that are still in common use.
 *
 * `laser` and `sonar` are rangers, `map` is a model that nobody moves, `puck` one that grippers
 * take. How their properties are read is in sense/ranger.c. `ptz`, `speech` and `energy` were
 * models of their own, of which nothing is seen: what stands on them is what counts.
 */
#include <string.h>

#include "sim/world/world.h"

struct old_word {
    const char *word;
    tpi_sim_kind kind;
    bool unseen; /* has no body */
};

static const struct old_word words[] = {
    {"laser", TPI_SIM_RANGER, true},
    {"sonar", TPI_SIM_RANGER, true},
    {"fiducialfinder", TPI_SIM_FIDUCIAL, true},
    {"map", TPI_SIM_PLAIN, false},
    {"puck", TPI_SIM_PLAIN, false},
    {"ptz", TPI_SIM_PLAIN, true},
    {"speech", TPI_SIM_PLAIN, true},
    {"energy", TPI_SIM_PLAIN, true},
};

static const struct old_word *find(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i].word) == 0) {
            return &words[i];
        }
    }
    return NULL;
}

const tpi_sim_type *tpi_sim_old_type(const char *word)
{
    const struct old_word *found = find(word);

    return found == NULL ? NULL : tpi_sim_types[found->kind];
}

bool tpi_sim_is_window(const char *word)
{
    return strcmp(word, "window") == 0 || strcmp(word, "gui") == 0;
}

bool tpi_sim_old_unseen(const char *word)
{
    const struct old_word *found = find(word);

    return found != NULL && found->unseen;
}

/* ---- Properties ------------------------------------------------------------------------------ */

struct old_name {
    const char *name, *old;
};

static const struct old_name names[] = {
    {"ranger_return", "laser_return"},
    {"blob_return", "blobfinder_return"},
    {"plc", "ple"},
    {"colors", "channels"},
    {"colors_count", "channel_count"},
};

static bool say_the_same(const tpi_cfg_field *a, const tpi_cfg_field *b)
{
    bool same = a->value_count == b->value_count;

    for (uint32_t i = 0; same && i < a->value_count; i++) {
        same = strcmp(a->values[i].text, b->values[i].text) == 0;
    }
    return same;
}

/* Files for several Stages have both, which is odd only if they differ. */
static void tell_both(const struct sim_reader *reader, const tpi_cfg_field *old,
                      const tpi_cfg_field *field)
{
    if (old != NULL && !say_the_same(old, field)) {
        tpi_sim_note(reader, &old->place, "\"%s\" has no effect: \"%s\" says otherwise", old->name,
                     field->name);
    }
}

const char *tpi_sim_old_name(const struct sim_reader *reader, tpi_cfg_section *section,
                             const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i].name) != 0) {
            continue;
        }
        const tpi_cfg_field *field = tpi_cfg_find(section, name);
        const tpi_cfg_field *old = tpi_cfg_find(section, names[i].old);
        if (field != NULL) {
            tell_both(reader, old, field);
        } else if (old != NULL) {
            tpi_sim_note(reader, &old->place, "\"%s\" is called \"%s\" now", names[i].old, name);
            return names[i].old;
        }
    }
    return name;
}

void tpi_sim_old_traits(const char *word, struct sim_traits *traits)
{
    const struct old_word *found = find(word);

    if (found != NULL && found->unseen && found->kind == TPI_SIM_PLAIN) {
        traits->size[0] = traits->size[1] = traits->size[2] = 0;
    }
    if (strcmp(word, "puck") == 0) {
        traits->size[0] = traits->size[1] = 0.08;
        traits->size[2] = 0.1;
        traits->gripper_return = true;
        traits->obstacle = false;
    }
}
