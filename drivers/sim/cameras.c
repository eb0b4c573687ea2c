/*
 * cameras.c - camera and ptz; depths.c has what else cameras see.
 *
 * A ptz is the lens of a camera or blobfinder, which turns at once; or a pair of actuators, one on
 * the other, which turn as fast as they can.
 */
#include <math.h>

#include "sim/move/actuators.h"
#include "sim/sense/sensors.h"
#include "simulator.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/ptz.h"

/* ---- camera ---------------------------------------------------------------------------------- */

static bool take_picture(const simd_device *d, tp_camera_data *data, int64_t *time_us)
{
    tpi_sim_image image;

    if (tpi_sim_get_image(d->owner->world, d->model, &image, NULL) != TP_OK) {
        return false;
    }
    *time_us = image.time_us;
    *data = (tp_camera_data){
        .width = image.width,
        .height = image.height,
        .bpp = 24,
        .format = TP_CAMERA_FORMAT_RGB888,
        .fdiv = 1,
        .compression = TP_CAMERA_COMPRESS_RAW,
        .image_count = image.width * image.height * 3,
        .image = (uint8_t *)(uintptr_t)image.rgb,
    };
    return true;
}

static void camera_publish(simd_device *d)
{
    tp_camera_data data;
    int64_t time_us = -1;

    if (take_picture(d, &data, &time_us) && tpi_simd_is_new(d, time_us)) {
        tp_publish(d->device, TP_CAMERA_DATA_STATE, &data, (double)time_us / 1e6);
    }
}

static tp_status get_image(tp_device *device, tp_camera_data *answer, tp_error *err)
{
    int64_t time_us = -1;

    return take_picture(simd_of(device), answer, &time_us) && time_us >= 0
               ? TP_OK
               : tp_fail(err, TP_E_LIMIT, "there is no picture yet");
}

static const tp_camera_ops camera_ops = {.req_get_image = get_image};

/* ---- ptz ------------------------------------------------------------------------------------- */

struct ptz {
    tpi_sim_model pan;  /* actuators; TPI_SIM_NONE for a lens */
    tpi_sim_model tilt; /* TPI_SIM_NONE if it cannot */
    bool by_speed;
};

/* The actuator that stands on another one; TPI_SIM_NONE if there is none. */
static tpi_sim_model find_tilt(const simd *s, tpi_sim_model pan)
{
    tpi_sim_info info;

    tpi_sim_model_info(s->world, pan, &info);
    const uint32_t family = info.family;
    for (tpi_sim_model model = pan + 1; model < pan + family; model++) {
        tpi_sim_model_info(s->world, model, &info);
        if (info.kind == TPI_SIM_ACTUATOR) {
            return model;
        }
    }
    return TPI_SIM_NONE;
}

/* A lens; or two actuators that turn, the lower one about the vertical. */
static bool ptz_suits(const simd *s, tpi_sim_model model)
{
    tpi_sim_actuator pan;
    tpi_sim_actuator tilt;
    tpi_sim_info info;

    tpi_sim_model_info(s->world, model, &info);
    if (info.kind != TPI_SIM_ACTUATOR) {
        return true;
    }
    const tpi_sim_model upper = find_tilt(s, model);
    return upper != TPI_SIM_NONE && find_tilt(s, upper) == TPI_SIM_NONE &&
           tpi_sim_get_actuator(s->world, model, &pan, NULL) == TP_OK &&
           tpi_sim_get_actuator(s->world, upper, &tilt, NULL) == TP_OK && !pan.linear &&
           !tilt.linear && fabs(pan.axis[2]) > 0.9;
}

static tp_status ptz_begin(simd_device *d, tp_error *err)
{
    struct ptz *p = d->state;
    tpi_sim_info info;

    (void)err;
    tpi_simd_info(d, &info);
    p->pan = info.kind == TPI_SIM_ACTUATOR ? d->model : TPI_SIM_NONE;
    p->tilt = p->pan == TPI_SIM_NONE ? TPI_SIM_NONE : find_tilt(d->owner, p->pan);
    return TP_OK;
}

static void ptz_subscribe(simd_device *d, bool subscribed)
{
    const struct ptz *p = d->state;

    if (p->tilt != TPI_SIM_NONE && subscribed) {
        tpi_sim_subscribe(d->owner->world, p->tilt);
    } else if (p->tilt != TPI_SIM_NONE) {
        tpi_sim_unsubscribe(d->owner->world, p->tilt);
    }
}

static void read_joints(const simd_device *d, tp_ptz_data *data)
{
    const struct ptz *p = d->state;
    tpi_sim_actuator pan = {0};
    tpi_sim_actuator tilt = {0};

    (void)tpi_sim_get_actuator(d->owner->world, p->pan, &pan, NULL);
    if (p->tilt != TPI_SIM_NONE) {
        (void)tpi_sim_get_actuator(d->owner->world, p->tilt, &tilt, NULL);
    }
    *data = (tp_ptz_data){.pan = (float)pan.position,
                          .tilt = (float)tilt.position,
                          .panspeed = (float)pan.velocity,
                          .tiltspeed = (float)tilt.velocity};
}

static void ptz_publish(simd_device *d)
{
    const struct ptz *p = d->state;
    tpi_sim_lens lens = {0};
    tp_ptz_data data = {0};

    if (!tpi_simd_is_due(d)) {
        return;
    }
    if (p->pan != TPI_SIM_NONE) {
        read_joints(d, &data);
    } else if (tpi_sim_get_lens(d->owner->world, d->model, &lens, NULL) == TP_OK) {
        data = (tp_ptz_data){
            .pan = (float)lens.pan, .tilt = (float)lens.tilt, .zoom = (float)lens.fov};
    }
    tp_publish(d->device, TP_PTZ_DATA_STATE, &data, tpi_simd_time_s(d->owner));
}

/* A field of view of 0 leaves it as it is. */
static tp_status turn_lens(const simd_device *d, const tp_ptz_cmd *ask, tp_error *err)
{
    tpi_sim_lens lens;
    tp_status status = tpi_sim_get_lens(d->owner->world, d->model, &lens, err);

    lens.pan = (double)ask->pan;
    lens.tilt = (double)ask->tilt;
    lens.fov = ask->zoom > 0 ? (double)ask->zoom : lens.fov;
    return status == TP_OK ? tpi_sim_set_lens(d->owner->world, d->model, &lens, err) : status;
}

static tp_status turn_joint(const simd_device *d, tpi_sim_model joint, double angle, double speed,
                            tp_error *err)
{
    const struct ptz *p = d->state;

    if (joint == TPI_SIM_NONE) {
        return TP_OK;
    }
    return p->by_speed ? tpi_sim_actuator_turn(d->owner->world, joint, speed, err)
                       : tpi_sim_actuator_go(d->owner->world, joint, angle, fabs(speed), err);
}

static tp_status check_command(const tp_ptz_cmd *ask, tp_error *err)
{
    const struct {
        const char *name;
        float value;
    } parts[] = {{"pan", ask->pan},
                 {"tilt", ask->tilt},
                 {"zoom", ask->zoom},
                 {"panspeed", ask->panspeed},
                 {"tiltspeed", ask->tiltspeed}};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!isfinite(parts[i].value)) {
            return tp_fail(err, TP_E_RANGE, "%s is %g, which is no number to turn by",
                           parts[i].name, (double)parts[i].value);
        }
    }
    return TP_OK;
}

static tp_status cmd_state(tp_device *device, const tp_ptz_cmd *ask, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const struct ptz *p = d->state;

    tp_status status = check_command(ask, err);

    if (status != TP_OK) {
        return status;
    }
    if (p->pan == TPI_SIM_NONE) {
        return turn_lens(d, ask, err);
    }
    status = turn_joint(d, p->pan, (double)ask->pan, (double)ask->panspeed, err);
    return status == TP_OK ? turn_joint(d, p->tilt, (double)ask->tilt, (double)ask->tiltspeed, err)
                           : status;
}

static void ptz_halt(simd_device *d)
{
    const struct ptz *p = d->state;

    if (p->pan != TPI_SIM_NONE) {
        (void)tpi_sim_actuator_turn(d->owner->world, p->pan, 0, NULL);
    }
    if (p->tilt != TPI_SIM_NONE) {
        (void)tpi_sim_actuator_turn(d->owner->world, p->tilt, 0, NULL);
    }
}

static tp_status control_mode(tp_device *device, const tp_ptz_req_control_mode *ask, tp_error *err)
{
    struct ptz *p = simd_state(device);

    if (ask->mode > TP_PTZ_POSITION_CONTROL) {
        return tp_fail(err, TP_E_RANGE, "there is no mode %u", ask->mode);
    }
    if (ask->mode == TP_PTZ_VELOCITY_CONTROL && p->pan == TPI_SIM_NONE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "a lens turns at once and has no speed");
    }
    if (p->by_speed != (ask->mode == TP_PTZ_VELOCITY_CONTROL)) {
        ptz_halt(simd_of(device)); /* the other controller lets go */
    }
    p->by_speed = ask->mode == TP_PTZ_VELOCITY_CONTROL;
    return TP_OK;
}

static tp_status ptz_geom(tp_device *device, tp_ptz_geom *answer, tp_error *err)
{
    (void)err;
    tpi_simd_place(simd_of(device), &answer->pos, &answer->size);
    return TP_OK;
}

static const tp_ptz_ops ptz_ops = {
    .req_control_mode = control_mode,
    .req_geom = ptz_geom,
    .cmd_state = cmd_state,
};

const simd_kind tpi_simd_cameras[] = {
    {
        .interface = &tp_interface_camera,
        .ops = &camera_ops,
        .models = SIMD_MODEL(CAMERA),
        .publish = camera_publish,
    },
    {
        .interface = &tp_interface_ptz,
        .ops = &ptz_ops,
        .models = SIMD_MODEL(CAMERA) | SIMD_MODEL(BLOBFINDER) | SIMD_MODEL(ACTUATOR),
        .state_size = sizeof(struct ptz),
        .suits = ptz_suits,
        .begin = ptz_begin,
        .subscribe = ptz_subscribe,
        .publish = ptz_publish,
        .halt = ptz_halt,
    },
    {0},
};
