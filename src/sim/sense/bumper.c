/*
 * bumper.c - the model `bumper`: straight pieces that feel what touches them.
 *
 * As in Stage, heights and obstacle_return do not matter. How it differs: bodies in this simulator
 * stop just before they touch, so a bumper is pressed by what is within `reach` of it, which is as
 * much as Stage's cells would blur.
 */
#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/ray/touch.h"
#include "sim/sense/sense.h"

struct bumper {
    double reach;
    uint32_t count, spare;
    tpi_sim_bumper items[]; /* `count` of them */
};

struct bumper_state {
    struct sim_common common;
    uint8_t pressed[TPI_SIM_MOST_BUMPERS];
};

static const char *const properties[] = {"bcount", "bpose", "blength", "reach", NULL};

/* ---- Properties ------------------------------------------------------------------------------ */

static tp_status read_one(struct sim_reader *reader, tpi_cfg_section *section, uint32_t index,
                          tpi_sim_bumper *bumper)
{
    char name[32];
    tp_status status = tpi_sim_read_pose(
        reader, section, tpi_sim_indexed(section, "bpose", index, name), &bumper->pose);

    if (status == TP_OK) {
        status =
            tpi_sim_read_within(reader, section, tpi_sim_indexed(section, "blength", index, name),
                                'L', 0, TPI_SIM_FARTHEST, &bumper->length);
    }
    if (status == TP_OK &&
        !(fabs(bumper->pose.x) <= TPI_SIM_FARTHEST && fabs(bumper->pose.y) <= TPI_SIM_FARTHEST &&
          fabs(bumper->pose.a) <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(&section->place, reader->err, "bumper %u is outside of the world",
                            index);
    }
    if (status == TP_OK && bumper->length == 0) {
        tpi_sim_note(reader, &section->place, "bumper %u has no length; \"blength\" says it",
                     index);
    }
    bumper->pose.a = status == TP_OK ? sim_normal(bumper->pose.a) : 0;
    return status;
}

static tp_status bumper_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    struct bumper head = {.reach = 0.02};
    tp_status status =
        tpi_sim_read_count(reader, section, "bcount", TPI_SIM_MOST_BUMPERS, &head.count);

    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "reach", 'L', 0, 1, &head.reach);
    }
    tpi_buf_put(settings, &head, sizeof head);
    for (uint32_t i = 0; i < head.count && status == TP_OK; i++) {
        tpi_sim_bumper bumper = {0};
        status = read_one(reader, section, i, &bumper);
        tpi_buf_put(settings, &bumper, sizeof bumper);
    }
    return status;
}

/* ---- Sensing --------------------------------------------------------------------------------- */

static struct sim_stick stick_of(const struct sim_view *view, const struct bumper *config,
                                 const tpi_sim_bumper *bumper)
{
    const struct sim_frame local = sim_frame_of(&bumper->pose);
    const struct sim_frame frame = sim_frame_join(&view->frame, &local);
    const double half = bumper->length / 2;

    return (struct sim_stick){.x0 = frame.x + frame.s * half,
                              .y0 = frame.y - frame.c * half,
                              .x1 = frame.x - frame.s * half,
                              .y1 = frame.y + frame.c * half,
                              .reach = config->reach,
                              .group = view->group,
                              .feels = SIM_ANY,
                              .flat = true};
}

static void bumper_sense(const struct sim_view *view)
{
    const struct bumper *config = view->config;
    struct bumper_state *state = (struct bumper_state *)view->state;

    for (uint32_t i = 0; i < config->count; i++) {
        const struct sim_stick stick = stick_of(view, config, &config->items[i]);
        state->pressed[i] = tpi_sim_feels(view->sim, &stick) ? 1 : 0;
    }
}

const tpi_sim_type tpi_sim_type_bumper = {
    .kind = TPI_SIM_BUMPER,
    .name = "bumper",
    .size = {0.4, 0.4, 1.0},
    .colour = 0xff0000ff,
    .properties = properties,
    .state_size = sizeof(struct bumper_state),
    .read = bumper_read,
    .sense = bumper_sense,
};

/* ---- Asking ---------------------------------------------------------------------------------- */

tp_status tpi_sim_get_bumpers(const tpi_sim *sim, tpi_sim_model model, tpi_sim_bumpers *bumpers,
                              tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_bumper, &view, err);

    if (status == TP_OK) {
        const struct bumper *config = view.config;
        *bumpers = (tpi_sim_bumpers){.pressed = ((const struct bumper_state *)view.state)->pressed,
                                     .count = config->count,
                                     .time_us = view.state->updated_us};
    }
    return status;
}

tp_status tpi_sim_get_bumper(const tpi_sim *sim, tpi_sim_model model, uint32_t index,
                             tpi_sim_bumper *bumper, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_bumper, &view, err);

    if (status != TP_OK) {
        return status;
    }
    const struct bumper *config = view.config;
    if (index >= config->count) {
        return tp_fail(err, TP_E_RANGE, "the model has %u bumpers; there is no number %u",
                       config->count, index);
    }
    *bumper = config->items[index];
    return TP_OK;
}
