/*
 * scenes.h - scene: a world for programs that draw it.
 *
 * scenes.c answers what does not change, scene_poses.c tells where models are. The tables that both
 * need are made when somebody asks first: a world that nobody looks at pays nothing.
 */
#ifndef SIM_SCENES_H
#define SIM_SCENES_H

#include "sim/looks.h"
#include "simulator.h"
#include "troupe/interfaces/scene.h"

struct simd_scene {
    tpi_sim_looks *looks;   /* owned; NULL until somebody asks */
    uint32_t *first_device; /* owned: of each model, 1 more than its first device; 0 for none */
    uint32_t *next_device;  /* owned: of each device, the same for the next one of its model */
    tpi_buf items, text, numbers;  /* owned: room for answers */
    tpi_buf moved, shifted;        /* owned: room for what has moved */
    tpi_buf poses, lights, shifts; /* owned: the same as messages have it */
    tpi_sim_model next;            /* the first model of the next message */
    int64_t due_ns;                /* when it may be sent */
    bool changed;                  /* something, since the last message about all models */
};

/* The tables of a scene; fails if memory runs out. */
tp_status tpi_simd_scene_prepare(simd_device *d, tp_error *err);

/* scene_poses.c: the request. */
tp_status tpi_simd_scene_get_poses(tp_device *device, const tp_scene_page *ask,
                                   tp_scene_poses *answer, tp_error *err);

/* After a step, while somebody reads. */
void tpi_simd_scene_publish(simd_device *d);

#endif
