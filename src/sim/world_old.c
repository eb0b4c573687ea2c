/*
 * world_old.c - words of older world files that are still in common use.
 *
 * `laser` and `sonar` are rangers, `map` is a model that nobody moves, `puck` one that grippers
 * take. How their properties are read is in ranger.c.
 */
#include <string.h>

#include "sim/world.h"

struct old_word {
    const char *word;
    tpi_sim_kind kind;
};

static const struct old_word words[] = {
    {"laser", TPI_SIM_RANGER},
    {"sonar", TPI_SIM_RANGER},
    {"map", TPI_SIM_PLAIN},
    {"puck", TPI_SIM_PLAIN},
};

const tpi_sim_type *tpi_sim_old_type(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i].word) == 0) {
            return tpi_sim_types[words[i].kind];
        }
    }
    return NULL;
}

void tpi_sim_old_traits(const char *word, struct sim_traits *traits)
{
    if (strcmp(word, "puck") == 0) {
        traits->size[0] = traits->size[1] = 0.08;
        traits->size[2] = 0.1;
        traits->gripper_return = true;
        traits->obstacle = false;
    }
}
