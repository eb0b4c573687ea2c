/*
 * demo_house.h - the house of the demo: configs/demo.cfg, with the robots that other drivers than
 * the simulator move, and the sequences that are played on its stage. Or a configuration of the
 * user's, with a world and whatever it adds; then nothing is played.
 */
#ifndef TROUPE_APPS_DEMO_HOUSE_H
#define TROUPE_APPS_DEMO_HOUSE_H

#include <sys/types.h>

#include "base/buf.h"
#include "demo_crew.h"

enum { DEMO_PLAYERS = 2 };

/* A program of its own that plays a sequence, again and again. */
struct demo_player {
    tpi_buf file;    /* owned: the sequence */
    char url[64];    /* of the robot; "" if the server has none */
    pid_t pid;       /* 0 while none runs */
    int64_t next_ns; /* when to begin again */
};

struct demo_house {
    tpi_buf path; /* owned: of the configuration */
    tpi_buf text; /* owned */
    struct demo_player players[DEMO_PLAYERS];
};

/* Find and read the configuration. A front `web` is left out of it if this program has none. */
tp_status demo_house_init(struct demo_house *house, tp_error *err);

/* Read a configuration of the user's, and append the path of its world to `world`. The driver of
 * the world is called `driver`: sim, or stage. TP_E_INVALID if it has no world. */
tp_status demo_house_read(struct demo_house *house, const char *path, tpi_buf *world,
                          const char **driver, tp_error *err);

/* Simulated seconds for each real one, in the section of the world. */
void demo_house_set_speed(struct demo_house *house, double speed);

/* Ends the players. */
void demo_house_fini(struct demo_house *house);

/* Whether this program has a front for browsers. */
bool demo_house_has_page(void);

/* Append the URL of the page; nothing if the server has none. */
void demo_house_put_page(tpi_buf *out, const tp_server *server);

/* Add the robots of `bodies` to the crew. */
tp_status demo_house_add_crew(const struct demo_house *house, struct demo_crew *crew,
                              tp_error *err);

/* Learn where the robots of the stage are; then play, a few times each second. */
void demo_house_set_stage(struct demo_house *house, const tp_server *server);
void demo_house_tick(struct demo_house *house, int64_t now_ns);

#endif
