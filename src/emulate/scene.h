/*
 * scene.h - emulated robots of several kinds in one world, in step with it.
 *
 *     tpi_scene_create()      load a world with the bodies of the robots, switch the robots on
 *     tpi_scene_advance()     move time on; every robot lives after each step of the world
 *     tpi_emu_input(), tpi_emu_output() of tpi_scene_robot()
 *
 * The scene belongs to one thread. The world makes steps of TPI_SCENE_STEP_US, whatever its file
 * says, so that the timers of the robots are exact.
 */
#ifndef TROUPE_EMULATE_SCENE_H
#define TROUPE_EMULATE_SCENE_H

#include "emulate/emulate.h"

typedef struct tpi_scene tpi_scene;

enum { TPI_SCENE_STEP_US = 5000, TPI_SCENE_MOST = 32 }; /* robots in one world */

/* One robot. */
typedef struct tpi_scene_actor {
    const tpi_emu_kind *kind;
    const char *name;        /* borrowed: of its model; NULL for the kind's name, with a number */
    const char *on;          /* borrowed: the name of the robot that carries it; NULL for none */
    bool placed;             /* otherwise the nearest place to the middle that is free */
    double x, y, degrees;    /* where; on a robot that carries it, in the frame of that */
    tpi_emu_options options; /* what it borrows lives as long as the scene */
} tpi_scene_actor;

typedef struct tpi_scene_plan {
    const char *world; /* borrowed: the path of a world file; NULL for an empty floor */
    const char *text;  /* borrowed: more of the world, in the format of world files; may be NULL */
    const char *folders; /* borrowed: where included files are searched; NULL for none */
    uint64_t seed;
    tpi_cfg_note *note;            /* receives notes of the world; may be NULL */
    void *context;                 /* of `note`; borrowed */
    const tpi_scene_actor *actors; /* borrowed */
    size_t count;                  /* 1 to TPI_SCENE_MOST */
} tpi_scene_plan;

/* Load the world and switch the robots on. Errors of the world begin with their place, those of a
 * robot with its name. */
tp_status tpi_scene_create(tpi_scene **out, const tpi_scene_plan *plan, tp_error *err);

void tpi_scene_destroy(tpi_scene *scene); /* NULL is accepted */

/* Make all steps until a time of the world, which begins at 0. */
void tpi_scene_advance(tpi_scene *scene, int64_t until_us);

int64_t tpi_scene_time_us(const tpi_scene *scene);
tpi_sim *tpi_scene_world(const tpi_scene *scene);
size_t tpi_scene_count(const tpi_scene *scene);
tpi_emu *tpi_scene_robot(const tpi_scene *scene, size_t index);
const char *tpi_scene_name(const tpi_scene *scene, size_t index); /* of the robot's model */

/* ---- place.c --------------------------------------------------------------------------------- */

/* The nearest place to the middle of the world where a circle touches neither a body nor one of the
 * other circles (x, y, radius of each); false if there is none. */
bool tpi_place_find(const tpi_sim *sim, double radius, const double (*others)[3], size_t count,
                    double *x, double *y);

#endif
