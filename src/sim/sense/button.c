/*
 * button.c - the model `button`: pressed by what touches it, or by hand.
 *
 * On a robot it is a touch sensor; on a wall a switch for robots; with obstacle_return 0 a plate
 * that robots drive over. Its box feels on all sides, at its own height.
 */
#include "sim/maths.h"
#include "sim/ray/touch.h"
#include "sim/sense/sense.h"

struct button {
    double reach;
};

struct button_state {
    struct sim_common common;
    uint32_t touched, held;
};

static const char *const properties[] = {"reach", NULL};

static tp_status button_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    struct button config = {.reach = 0.01};
    tp_status status = tpi_sim_read_within(reader, section, "reach", 'L', 0, 1, &config.reach);

    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

/* ---- Sensing --------------------------------------------------------------------------------- */

/* A corner of its box: number 0 to 3, counter-clockwise. */
static void corner(const struct sim_frame *middle, const double size[3], int index, double *x,
                   double *y)
{
    const double dx = index == 0 || index == 3 ? -size[0] / 2 : size[0] / 2;
    const double dy = index < 2 ? -size[1] / 2 : size[1] / 2;

    *x = middle->x + middle->c * dx - middle->s * dy;
    *y = middle->y + middle->s * dx + middle->c * dy;
}

static void button_sense(const struct sim_view *view)
{
    const struct button *config = view->config;
    struct button_state *state = (struct button_state *)view->state;
    const struct sim_traits *traits = tpi_sim_view_traits(view);
    const struct sim_frame origin = sim_frame_of(&traits->origin);
    const struct sim_frame middle = sim_frame_join(&view->frame, &origin);
    struct sim_stick stick = {.x0 = middle.x,
                              .y0 = middle.y,
                              .z0 = middle.z,
                              .z1 = middle.z + traits->size[2],
                              .reach = config->reach,
                              .group = view->group,
                              .feels = SIM_ANY};
    bool touched = tpi_sim_is_covered(view->sim, &stick);

    for (int i = 0; i < 4 && !touched; i++) {
        corner(&middle, traits->size, i, &stick.x0, &stick.y0);
        corner(&middle, traits->size, (i + 1) % 4, &stick.x1, &stick.y1);
        touched = tpi_sim_feels(view->sim, &stick);
    }
    state->touched = touched ? 1 : 0;
}

static bool button_check(const struct sim_common *common)
{
    const struct button_state *state = (const struct button_state *)common;

    return state->touched <= 1 && state->held <= 1;
}

const tpi_sim_type tpi_sim_type_button = {
    .kind = TPI_SIM_BUTTON,
    .name = "button",
    .size = {0.02, 0.02, 0.02},
    .colour = 0xff0000ff,
    .properties = properties,
    .state_size = sizeof(struct button_state),
    .read = button_read,
    .sense = button_sense,
    .check = button_check,
};

/* ---- Asking ---------------------------------------------------------------------------------- */

tp_status tpi_sim_get_button(const tpi_sim *sim, tpi_sim_model model, tpi_sim_button *button,
                             tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_button, &view, err);

    if (status == TP_OK) {
        const struct button_state *state = (const struct button_state *)view.state;
        *button = (tpi_sim_button){.pressed = state->touched != 0 || state->held != 0,
                                   .held = state->held != 0,
                                   .time_us = state->common.updated_us};
    }
    return status;
}

tp_status tpi_sim_press(tpi_sim *sim, tpi_sim_model model, bool held, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_button, &view, err);

    if (status == TP_OK) {
        ((struct button_state *)view.state)->held = held ? 1 : 0;
    }
    return status;
}
