/* body.c - wheels and sensors of an emulated robot; see body.h. */
#include "emulate/body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/move/actuators.h"
#include "sim/sense/sensors.h"

static const double half_light = 0.25; /* the level at which a light sensor reads a half */

tp_status tpi_body_init(struct tpi_body *body, tpi_sim *sim, tpi_sim_model model, double track,
                        tp_error *err)
{
    tpi_buf name = {0};

    *body = (struct tpi_body){.sim = sim, .model = model, .track = track};
    tpi_sim_put_name(sim, model, &name);
    const tp_status status = name.failed ? tp_fail(err, TP_E_NOMEM, "out of memory")
                             : name.length >= sizeof body->name
                                 ? tp_fail(err, TP_E_LIMIT, "the name of the model is too long")
                                 : TP_OK;
    if (status == TP_OK) {
        memcpy(body->name, tpi_buf_text(&name), name.length + 1);
        tpi_sim_subscribe(sim, model);
    }
    tpi_buf_fini(&name);
    return status;
}

/* ---- Wheels ---------------------------------------------------------------------------------- */

void tpi_body_drive(struct tpi_body *body, double left_mps, double right_mps)
{
    body->wanted[0] = isfinite(left_mps) ? left_mps : 0;
    body->wanted[1] = isfinite(right_mps) ? right_mps : 0;
}

void tpi_body_read(struct tpi_body *body)
{
    tpi_sim_motion motion;

    if (tpi_sim_get_motion(body->sim, body->model, &motion, NULL) == TP_OK) {
        const double turn = motion.velocity[2] * body->track / 2;
        body->turned[0] = motion.velocity[0] - turn;
        body->turned[1] = motion.velocity[0] + turn;
        body->blocked = motion.stalled;
    }
    if (body->lifted && !body->empty) {
        body->turned[0] = body->wanted[0];
        body->turned[1] = body->wanted[1];
    }
}

void tpi_body_command(struct tpi_body *body)
{
    const bool still = body->empty || body->lifted;
    const double left = still ? 0 : body->wanted[0];
    const double right = still ? 0 : body->wanted[1];
    const double goal[3] = {(left + right) / 2, 0, (right - left) / body->track};

    if (!body->flies) {
        (void)tpi_sim_drive(body->sim, body->model, TPI_SIM_DRIVE_VELOCITY, goal, NULL);
    }
}

/* ---- Parts ----------------------------------------------------------------------------------- */

tpi_sim_model tpi_body_find(const struct tpi_body *body, const char *name)
{
    char full[TPI_BODY_NAME + 64];

    (void)snprintf(full, sizeof full, "%s.%.60s", body->name, name);
    return tpi_sim_find(body->sim, full);
}

tpi_sim_model tpi_body_part(struct tpi_body *body, const char *name)
{
    const tpi_sim_model part = tpi_body_find(body, name);

    if (part != TPI_SIM_NONE) {
        tpi_sim_subscribe(body->sim, part);
    }
    return part;
}

double tpi_body_light(const struct tpi_body *body, tpi_sim_model part, double added)
{
    tpi_sim_brightness seen = {0};

    (void)tpi_sim_get_brightness(body->sim, part, &seen, NULL);
    const double level = seen.level + added;
    return level / (level + half_light);
}

static const tpi_sim_floor_value *floor_value(const struct tpi_body *body, tpi_sim_model part,
                                              uint32_t index)
{
    tpi_sim_floor_values values = {0};

    return tpi_sim_get_floor(body->sim, part, &values, NULL) == TP_OK && index < values.count
               ? &values.items[index]
               : NULL;
}

double tpi_body_floor(const struct tpi_body *body, tpi_sim_model part, uint32_t index)
{
    const tpi_sim_floor_value *value = floor_value(body, part, index);

    return value == NULL ? 0 : fmin(fmax((double)value->reflectance, 0), 1);
}

uint32_t tpi_body_floor_colour(const struct tpi_body *body, tpi_sim_model part, uint32_t index)
{
    const tpi_sim_floor_value *value = floor_value(body, part, index);

    return value == NULL ? 0 : value->colour;
}

double tpi_body_range(const struct tpi_body *body, tpi_sim_model part, uint32_t index)
{
    tpi_sim_scan scan = {0};
    tpi_sim_sensor sensor;
    double nearest = HUGE_VAL;

    if (tpi_sim_get_scan(body->sim, part, index, &scan, NULL) != TP_OK ||
        tpi_sim_get_sensor(body->sim, part, index, &sensor, NULL) != TP_OK || scan.time_us < 0) {
        return HUGE_VAL;
    }
    for (uint32_t i = 0; i < scan.count; i++) {
        nearest = fmin(nearest, scan.ranges[i]);
    }
    return nearest < sensor.range_max ? nearest : HUGE_VAL;
}

bool tpi_body_button(const struct tpi_body *body, tpi_sim_model part)
{
    tpi_sim_button button = {0};

    return tpi_sim_get_button(body->sim, part, &button, NULL) == TP_OK && button.pressed;
}

bool tpi_body_bumper(const struct tpi_body *body, tpi_sim_model part, uint32_t index)
{
    tpi_sim_bumpers bumpers = {0};

    return tpi_sim_get_bumpers(body->sim, part, &bumpers, NULL) == TP_OK && index < bumpers.count &&
           bumpers.pressed[index] != 0;
}

double tpi_body_sound(const struct tpi_body *body, tpi_sim_model part)
{
    tpi_sim_hearing hearing = {0};

    (void)tpi_sim_get_hearing(body->sim, part, &hearing, NULL);
    return hearing.level;
}

void tpi_body_tone(struct tpi_body *body, tpi_sim_model part, double hertz, double seconds)
{
    const tpi_sim_note_play note = {.frequency = hertz, .seconds = seconds, .amplitude = 1};

    if (part != TPI_SIM_NONE) {
        (void)tpi_sim_play(body->sim, part, &note, hertz > 0 && seconds > 0 ? 1 : 0, NULL);
    }
}

void tpi_body_lamp(struct tpi_body *body, tpi_sim_model part, uint32_t colour)
{
    const tpi_sim_lamp lamp = {.enabled = colour != 0, .period = 0, .duty = 1};

    if (part != TPI_SIM_NONE) {
        (void)tpi_sim_set_lamp(body->sim, part, &lamp, NULL);
        if (colour != 0) {
            (void)tpi_sim_set_colour(body->sim, part, colour << 8 | 0xff, NULL);
        }
    }
}
