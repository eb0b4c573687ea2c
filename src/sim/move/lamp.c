/* lamp.c - the models `blinkenlight` and `lightindicator`: lamps that are seen, and light nothing.
 */
#include <math.h>
#include <string.h>

#include "sim/inside.h"
#include "sim/move/actuators.h"

struct config {
    double period_ms;
    double duty;
    bool enabled;
};

struct state {
    struct sim_common common;
    double period_us;
    double duty;
    uint32_t enabled;
    uint32_t spare;
};

static const char *const properties[] = {"period", "dutycycle", "enabled", NULL};

static tp_status blink_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    struct config c;
    uint32_t enabled = 1;

    memset(&c, 0, sizeof c);
    c.period_ms = 1000;
    c.duty = 1;
    tp_status status = tpi_sim_read_within(reader, section, "period", 'F', 0, 1e9, &c.period_ms);
    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "dutycycle", 'F', 0, 1, &c.duty);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_count(reader, section, "enabled", 1, &enabled);
    }
    c.enabled = enabled == 1;
    tpi_buf_put(settings, &c, sizeof c);
    return status;
}

static void blink_start(const struct sim_view *view)
{
    const struct config *c = view->config;
    struct state *state = (struct state *)view->state;

    state->period_us = c->period_ms * 1000;
    state->duty = c->duty;
    state->enabled = c->enabled;
}

static void indicator_start(const struct sim_view *view)
{
    struct state *state = (struct state *)view->state;

    state->duty = 1;
}

static bool lamp_check(const struct sim_common *common)
{
    const struct state *state = (const struct state *)common;

    return state->period_us >= 0 && state->period_us <= 1e12 && state->duty >= 0 &&
           state->duty <= 1;
}

const tpi_sim_type tpi_sim_type_blinkenlight = {
    .kind = TPI_SIM_BLINKENLIGHT,
    .name = "blinkenlight",
    .size = {0.02, 0.02, 0.02},
    .colour = 0x00ff00ff,
    .properties = properties,
    .state_size = sizeof(struct state),
    .read = blink_read,
    .start = blink_start,
    .check = lamp_check,
};

const tpi_sim_type tpi_sim_type_lightindicator = {
    .kind = TPI_SIM_LIGHTINDICATOR,
    .name = "lightindicator",
    .size = {0.4, 0.4, 1.0},
    .colour = 0xff0000ff,
    .state_size = sizeof(struct state),
    .start = indicator_start,
    .check = lamp_check,
};

/* ---- From outside ---------------------------------------------------------------------------- */

static struct state *state_of(const tpi_sim *sim, tpi_sim_model model, tp_error *err)
{
    struct sim_view view;

    if (tpi_sim_find_device(sim, model, &tpi_sim_type_lightindicator, &view, NULL) != TP_OK &&
        tpi_sim_find_device(sim, model, &tpi_sim_type_blinkenlight, &view, err) != TP_OK) {
        return NULL;
    }
    return (struct state *)view.state;
}

/* Blinking follows from the time alone. */
static bool is_lit(const struct state *state, int64_t time_us)
{
    if (state->enabled == 0 || state->period_us <= 0) {
        return state->enabled != 0;
    }
    return fmod((double)time_us, state->period_us) < state->duty * state->period_us;
}

tp_status tpi_sim_get_lamp(const tpi_sim *sim, tpi_sim_model model, tpi_sim_lamp *lamp,
                           tp_error *err)
{
    const struct state *state = state_of(sim, model, err);
    tpi_sim_info info;

    if (state == NULL) {
        return TP_E_UNSUPPORTED;
    }
    tpi_sim_model_info(sim, model, &info);
    *lamp = (tpi_sim_lamp){.enabled = state->enabled != 0,
                           .lit = is_lit(state, sim->time_us),
                           .period = state->period_us * 1e-6,
                           .duty = state->duty,
                           .colour = info.colour};
    return TP_OK;
}

tp_status tpi_sim_set_lamp(tpi_sim *sim, tpi_sim_model model, const tpi_sim_lamp *lamp,
                           tp_error *err)
{
    struct state *state = state_of(sim, model, err);
    tpi_sim_info info;

    if (state == NULL) {
        return TP_E_UNSUPPORTED;
    }
    if (!(lamp->period >= 0 && lamp->period <= 1e6 && lamp->duty >= 0 && lamp->duty <= 1)) {
        return tp_fail(err, TP_E_RANGE, "a lamp cannot blink every %g s, lit for %g of it",
                       lamp->period, lamp->duty);
    }
    tpi_sim_model_info(sim, model, &info);
    if (info.kind == TPI_SIM_LIGHTINDICATOR && lamp->period > 0 && lamp->duty < 1) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "a lightindicator is on or off; a blinkenlight blinks");
    }
    state->enabled = lamp->enabled;
    if (info.kind == TPI_SIM_BLINKENLIGHT) {
        state->period_us = lamp->period * 1e6;
        state->duty = lamp->duty;
    }
    return TP_OK;
}
