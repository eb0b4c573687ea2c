/* demo_frame.c - pictures that go from one thread to another; see demo_frame.h. */
#include "demo_frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/thread.h"
#include "worlds.h"

enum { TRAIL = 160, PATH = 1024 };

typedef enum order { ORDER_NONE, ORDER_PIXELS, ORDER_FILE, ORDER_DONE } order;

struct demo_frame {
    tpi_lock *lock; /* owned; of everything below */
    order order;
    uint32_t width, height; /* that were ordered */
    char path[PATH];        /* likewise */
    struct demo_picture picture;
    tp_status status; /* of the last order */
    tp_error err;
    double time_s;
    tpi_draw_trails *trails; /* owned; NULL until the world is seen */
};

tp_status demo_frame_create(demo_frame **out, tp_error *err)
{
    demo_frame *frame = calloc(1, sizeof *frame);

    *out = frame;
    if (frame == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return tpi_lock_create(&frame->lock, err);
}

void demo_frame_destroy(demo_frame *frame)
{
    if (frame != NULL) {
        tpi_lock_destroy(frame->lock);
        tpi_draw_trails_destroy(frame->trails);
        tpi_buf_fini(&frame->picture.pixels);
        free(frame);
    }
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

static void describe(const tpi_sim *sim, tpi_sim_model model, const tpi_sim_info *info,
                     struct demo_robot *robot)
{
    tpi_sim_motion motion = {0};
    tpi_buf name = {0};

    tpi_sim_put_name(sim, model, &name);
    snprintf(robot->name, sizeof robot->name, "%s", tpi_buf_text(&name));
    tpi_buf_fini(&name);
    robot->colour = info->colour;
    robot->speed = tpi_sim_get_motion(sim, model, &motion, NULL) == TP_OK ? motion.velocity[0] : 0;
    robot->nearest = nearest_of(sim, model, info->family);
}

static void list_robots(struct demo_picture *picture, const tpi_sim *sim)
{
    tpi_sim_info info;

    picture->robot_count = 0;
    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_model_info(sim, i, &info);
        if (info.kind == TPI_SIM_POSITION && info.parent == TPI_SIM_NONE) {
            if (picture->robot_count < DEMO_ROBOTS) {
                describe(sim, i, &info, &picture->robots[picture->robot_count]);
            }
            picture->robot_count++;
        }
    }
}

static void draw(demo_frame *frame, const tpi_sim *sim)
{
    struct demo_picture *picture = &frame->picture;
    tpi_draw_look look = {.trails = frame->trails};

    tpi_buf_clear(&picture->pixels);
    if (frame->order == ORDER_FILE) {
        frame->status = world_draw(sim, &look, frame->path, &frame->err);
    } else {
        look.width = picture->width = frame->width;
        look.height = picture->height = frame->height;
        look.dark = look.bare = true;
        frame->status = tpi_draw_pixels(&picture->pixels, sim, &look, &frame->err);
    }
    picture->time_s = frame->time_s;
    list_robots(picture, sim);
    frame->order = ORDER_DONE;
}

void demo_frame_watch(void *context, const tpi_sim *sim)
{
    demo_frame *frame = context;

    tpi_lock_take(frame->lock);
    frame->time_s = (double)tpi_sim_time_us(sim) * 1e-6;
    if (frame->trails == NULL) {
        (void)tpi_draw_trails_create(&frame->trails, sim, TRAIL, NULL); /* goes without */
    }
    if (frame->trails != NULL) {
        tpi_draw_trails_note(frame->trails, sim);
    }
    if (frame->order == ORDER_PIXELS || frame->order == ORDER_FILE) {
        draw(frame, sim);
    }
    tpi_lock_give(frame->lock);
}

/* ---- The terminal's thread ------------------------------------------------------------------- */

double demo_frame_time_s(demo_frame *frame)
{
    tpi_lock_take(frame->lock);
    const double time_s = frame->time_s;
    tpi_lock_give(frame->lock);
    return time_s;
}

void demo_frame_order(demo_frame *frame, uint32_t width, uint32_t height)
{
    tpi_lock_take(frame->lock);
    frame->order = ORDER_PIXELS;
    frame->width = width;
    frame->height = height;
    tpi_lock_give(frame->lock);
}

void demo_frame_order_file(demo_frame *frame, const char *path)
{
    tpi_lock_take(frame->lock);
    frame->order = ORDER_FILE;
    snprintf(frame->path, sizeof frame->path, "%s", path);
    tpi_lock_give(frame->lock);
}

bool demo_frame_take(demo_frame *frame, struct demo_picture *picture, tp_status *status,
                     tp_error *err)
{
    tpi_lock_take(frame->lock);
    const bool done = frame->order == ORDER_DONE;
    if (done) {
        const struct demo_picture other = *picture;
        *picture = frame->picture;
        frame->picture = other;
        frame->order = ORDER_NONE;
        *status = frame->status;
        *err = frame->err;
    }
    tpi_lock_give(frame->lock);
    return done;
}
