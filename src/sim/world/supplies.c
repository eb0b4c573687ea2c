/* supplies.c - see supplies.h. */
#include "sim/world/supplies.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct supply {
    const char *type, *file;
};
static const struct supply supplies[] = {{"arduino", "robots/arduino"},
                                         {"carrier", "robots/carrier"},
                                         {"create", "robots/create"},
                                         {"create1", "robots/create1"},
                                         {"create2", "robots/create2"},
                                         {"finch", "robots/finch"},
                                         {"finch1", "robots/finch1"},
                                         {"follower", "robots/follower"},
                                         {"lms", "robots/lasers"},
                                         {"urg", "robots/lasers"},
                                         {"mite", "robots/mite"},
                                         {"nxt", "robots/nxt"},
                                         {"p3dx", "robots/p3dx"},
                                         {"pioneer", "robots/pioneer"},
                                         {"pioneer_sonar", "robots/pioneer"},
                                         {"sick", "robots/sick"},
                                         {"srv1", "robots/srv1"},
                                         {"tello", "robots/tello"},
                                         {"rover", "robots/rover"},
                                         {"evid30", "robots/evid30"},
                                         {"receiver", "robots/receiver"},
                                         {"urg04lx", "robots/urg04lx"},
                                         {"pioneer2dx", "pioneer"},
                                         {"pioneer3dx", "pioneer"},
                                         {"pioneer3at", "pioneer"},
                                         {"amigobot", "pioneer"},
                                         {"fancypioneer2dx", "pioneer"},
                                         {"roomba", "irobot"},
                                         {"sicklaser", "sick"},
                                         {"fancysicklaser", "sick"},
                                         {"hokuyolaser", "hokuyo"},
                                         {"floorplan", "map"},
                                         {"zone", "map"},
                                         {"person", "people"},
                                         {"wall", "things"},
                                         {"desk", "things"},
                                         {"chair", "things"},
                                         {"round_table", "things"},
                                         {"plant", "things"},
                                         {"pillar", "things"},
                                         {"sofa", "things"},
                                         {"shelf", "things"},
                                         {"crate", "things"},
                                         {"charger", "things"},
                                         {"cup", "things"}};
enum { SUPPLIES = sizeof supplies / sizeof supplies[0] };

static const struct supply *find_supply(const char *type)
{
    for (size_t i = 0; i < SUPPLIES; i++) {
        if (strcmp(supplies[i].type, type) == 0) {
            return &supplies[i];
        }
    }
    return NULL;
}

static const struct supply *find_nearly(const char *type)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, type);
    for (size_t i = 0; i < SUPPLIES; i++) {
        tpi_nearest_offer(&nearest, supplies[i].type);
    }
    return nearest.best != NULL ? find_supply(nearest.best) : NULL;
}

bool tpi_sim_hint_supply(const char *type, bool nearly, char *hint, size_t size)
{
    const struct supply *found = find_supply(type);

    if (found != NULL) {
        (void)snprintf(hint, size, "; include \"%s.inc\" defines it", found->file);
        return true;
    }
    found = nearly ? find_nearly(type) : NULL;
    if (found != NULL) {
        (void)snprintf(hint, size, "; did you mean \"%s\"? include \"%s.inc\" defines it",
                       found->type, found->file);
    }
    return found != NULL;
}
