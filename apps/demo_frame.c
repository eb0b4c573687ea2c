/* demo_frame.c - pictures that go from one thread to another; see demo_frame.h. */
#include "demo_frame.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/looks.h"
#include "worlds.h"

enum { TRAIL = 160 };
enum { REST = 4 }; /* how many times as long as a picture took the world has for itself */

/* Whose turn it is: the terminal's thread has the picture unless there is an open order. */
enum turn { FREE, ORDERED, DONE };

struct demo_frame {
    atomic_int turn;
    struct demo_picture picture; /* its size is what was ordered */
    tp_status status;            /* of it */

    /* The world's thread's. */
    const struct demo_crew *crew; /* borrowed; NULL for no robots */
    tpi_sim_model *models;        /* owned: of the crew; NULL until the world is seen */
    tpi_draw_trails *trails;      /* owned; NULL until the world is seen */
    const tp_clock *clock;        /* borrowed */
    int64_t rest_until_ns;
    const char *file; /* borrowed */
    double kept_s;    /* the time that it shows */
    tp_status kept;
    tp_error err; /* of it */
};

tp_status demo_frame_create(demo_frame **out, const char *file, const tp_clock *clock,
                            tp_error *err)
{
    demo_frame *frame = calloc(1, sizeof *frame);

    *out = frame;
    if (frame == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    atomic_init(&frame->turn, FREE);
    frame->file = file;
    frame->clock = clock;
    return TP_OK;
}

void demo_frame_destroy(demo_frame *frame)
{
    if (frame != NULL) {
        tpi_draw_trails_destroy(frame->trails);
        tpi_buf_fini(&frame->picture.pixels);
        free(frame->models);
        free(frame);
    }
}

void demo_frame_know(demo_frame *frame, const struct demo_crew *crew)
{
    frame->crew = crew;
}

/* ---- The world's thread ---------------------------------------------------------------------- */

static double nearest_of(const tpi_sim *sim, tpi_sim_model robot, uint32_t family)
{
    double nearest = -1;

    for (tpi_sim_model i = robot; i < robot + family; i++) {
        for (uint32_t k = 0; k < tpi_sim_sensor_count(sim, i); k++) {
            tpi_sim_scan scan;
            if (tpi_sim_get_scan(sim, i, k, &scan, NULL) != TP_OK || scan.time_us < 0) {
                continue;
            }
            for (uint32_t n = 0; n < scan.count; n++) {
                nearest = nearest < 0 ? scan.ranges[n] : fmin(nearest, scan.ranges[n]);
            }
        }
    }
    return nearest;
}

static void describe(const tpi_sim *sim, tpi_sim_model model, const struct demo_member *member,
                     struct demo_robot *robot)
{
    tpi_sim_motion motion = {0};
    tpi_sim_info info;

    tpi_sim_model_info(sim, model, &info);
    snprintf(robot->name, sizeof robot->name, "%s", member->name);
    robot->device = member->device;
    robot->colour = tpi_sim_look_colour(sim, model);
    robot->speed = tpi_sim_get_motion(sim, model, &motion, NULL) == TP_OK ? motion.velocity[0] : 0;
    robot->nearest = nearest_of(sim, model, info.family);
}

/* The models of the crew, once. */
static bool find_models(demo_frame *frame, const tpi_sim *sim)
{
    const struct demo_crew *crew = frame->crew;

    if (frame->models == NULL && crew != NULL) {
        frame->models = calloc((size_t)crew->count + 1, sizeof *frame->models);
        for (uint32_t i = 0; frame->models != NULL && i < crew->count; i++) {
            frame->models[i] = tpi_sim_find(sim, crew->members[i].name);
        }
    }
    return frame->models != NULL;
}

static void list_robots(demo_frame *frame, const tpi_sim *sim, const tpi_draw_look *look)
{
    struct demo_picture *picture = &frame->picture;
    double places[DEMO_ROBOTS][2] = {{0}};

    picture->robot_count = picture->own_count = 0;
    if (!find_models(frame, sim)) {
        return;
    }
    const uint32_t count = picture->robot_count = frame->crew->count;
    for (uint32_t i = 0; i < count; i++) {
        picture->own_count += tpi_sim_is_controlled(sim, frame->models[i]);
    }
    picture->first = picture->first < count ? picture->first : 0;
    const uint32_t left = count - picture->first;
    const uint32_t listed = left < DEMO_ROBOTS ? left : DEMO_ROBOTS;
    tpi_draw_places(sim, look, frame->models + picture->first, listed, places);
    for (uint32_t i = 0; i < listed; i++) {
        struct demo_robot *robot = &picture->robots[i];
        describe(sim, frame->models[picture->first + i], &frame->crew->members[picture->first + i],
                 robot);
        memcpy(robot->place, places[i], sizeof robot->place);
    }
}

static double time_s(const tpi_sim *sim)
{
    return (double)tpi_sim_time_us(sim) / 1e6;
}

static void draw(demo_frame *frame, const tpi_sim *sim)
{
    struct demo_picture *picture = &frame->picture;
    const tpi_draw_look look = {.trails = frame->trails,
                                .width = picture->width,
                                .height = picture->height,
                                .dark = true,
                                .bare = true};

    tpi_buf_clear(&picture->pixels);
    frame->status = tpi_draw_pixels(&picture->pixels, sim, &look, NULL);
    picture->time_s = time_s(sim);
    list_robots(frame, sim, &look);
}

void demo_frame_watch(void *context, const tpi_sim *sim)
{
    demo_frame *frame = context;

    world_note_trails(&frame->trails, sim, TRAIL);
    if (atomic_load(&frame->turn) != ORDERED) {
        return;
    }
    const int64_t begun_ns = tp_clock_now_ns(frame->clock);
    if (begun_ns >= frame->rest_until_ns) {
        draw(frame, sim);
        const int64_t now_ns = tp_clock_now_ns(frame->clock);
        frame->rest_until_ns = now_ns + REST * (now_ns - begun_ns);
        atomic_store(&frame->turn, DONE);
    }
}

void demo_frame_save(void *context, const tpi_sim *sim)
{
    demo_frame *frame = context;
    const tpi_draw_look look = {.trails = frame->trails};

    frame->kept = world_draw(sim, &look, frame->file, &frame->err);
    frame->kept_s = time_s(sim);
}

/* ---- The terminal's thread ------------------------------------------------------------------- */

void demo_frame_order(demo_frame *frame, uint32_t width, uint32_t height, uint32_t first)
{
    if (atomic_load(&frame->turn) == FREE) {
        frame->picture.width = width;
        frame->picture.height = height;
        frame->picture.first = first;
        atomic_store(&frame->turn, ORDERED);
    }
}

bool demo_frame_take(demo_frame *frame, struct demo_picture *picture, tp_status *status)
{
    if (atomic_load(&frame->turn) != DONE) {
        return false;
    }
    const struct demo_picture other = *picture;
    *picture = frame->picture;
    frame->picture = other;
    *status = frame->status;
    atomic_store(&frame->turn, FREE);
    return true;
}

tp_status demo_frame_saved(const demo_frame *frame, double *time_s, tp_error *err)
{
    *time_s = frame->kept_s;
    return frame->kept == TP_OK ? TP_OK : tp_fail(err, frame->kept, "%s", frame->err.text);
}
