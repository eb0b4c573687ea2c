/* requests.c - what cspace answers: as a laser and as a ranger at the robot's centre. */
#include <string.h>

#include "cspace.h"
#include "forward.h"

static struct cspace *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* It looks from the robot's centre, with the axes of the sensor. */
static tp_pose3d told_pose(const struct cspace *c)
{
    tp_pose3d pose = c->pose;

    pose.px = 0;
    pose.py = 0;
    return pose;
}

static tp_status laser_geom(tp_device *device, tp_laser_geom *answer, tp_error *err)
{
    (void)err;
    answer->pose = told_pose(state_of(device));
    answer->size = state_of(device)->size;
    return TP_OK;
}

static tp_status laser_config(tp_device *device, tp_laser_config *answer, tp_error *err)
{
    (void)err;
    *answer = ranging_of_ranger(&state_of(device)->config, false);
    return TP_OK;
}

static tp_status ranger_geom(tp_device *device, tp_ranger_geom *answer, tp_error *err)
{
    struct cspace *c = state_of(device);

    (void)err;
    answer->pose = told_pose(c);
    answer->size = c->size;
    answer->element_poses_count = 1;
    answer->element_poses = &c->element_pose;
    answer->element_sizes_count = 1;
    answer->element_sizes = &c->size;
    return TP_OK;
}

static tp_status ranger_config(tp_device *device, tp_ranger_config *answer, tp_error *err)
{
    (void)err;
    *answer = state_of(device)->config;
    return TP_OK;
}

/* What only a sensor of the same interface can do. */

static void set_config_done(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                            const char *why)
{
    struct cspace *c = tp_instance_state(self);

    if (tpi_forward_payload(ticket, status, answer, why, "sensor") == NULL) {
        return;
    }
    tpi_cspace_learn_config(c, tp_msg_payload(answer));
    const tp_laser_config narrow = ranging_of_ranger(&c->config, false);
    tp_ticket_answer(ticket, cspace_of_laser(c) ? (const void *)&narrow : &c->config);
}

static tp_status ask_sensor(tp_device *device, unsigned code, const void *ask, tp_link_done *done,
                            tp_error *err)
{
    return tpi_forward_ask(device, state_of(device)->sensor, code, ask, FORWARD_TIMEOUT_NS, done,
                           err);
}

static tp_status laser_set_config(tp_device *device, const tp_laser_config *ask,
                                  tp_laser_config *answer, tp_error *err)
{
    (void)answer;
    return ask_sensor(device, TP_LASER_REQ_SET_CONFIG, ask, set_config_done, err);
}

static tp_status laser_power(tp_device *device, const tp_laser_power_config *ask, tp_error *err)
{
    return ask_sensor(device, TP_LASER_REQ_POWER, ask, tpi_forward_answer, err);
}

static tp_status laser_id(tp_device *device, tp_laser_get_id_config *answer, tp_error *err)
{
    (void)answer;
    return ask_sensor(device, TP_LASER_REQ_GET_ID, NULL, tpi_forward_answer, err);
}

static tp_status ranger_set_config(tp_device *device, const tp_ranger_config *ask,
                                   tp_ranger_config *answer, tp_error *err)
{
    (void)answer;
    return ask_sensor(device, TP_RANGER_REQ_SET_CONFIG, ask, set_config_done, err);
}

static tp_status ranger_power(tp_device *device, const tp_ranger_power_config *ask, tp_error *err)
{
    return ask_sensor(device, TP_RANGER_REQ_POWER, ask, tpi_forward_answer, err);
}

static const tp_laser_ops laser_of_ranger = {.req_get_geom = laser_geom,
                                             .req_get_config = laser_config};
static const tp_laser_ops laser_of_laser = {.req_get_geom = laser_geom,
                                            .req_get_config = laser_config,
                                            .req_set_config = laser_set_config,
                                            .req_power = laser_power,
                                            .req_get_id = laser_id};
static const tp_ranger_ops ranger_of_laser = {.req_get_geom = ranger_geom,
                                              .req_get_config = ranger_config};
static const tp_ranger_ops ranger_of_ranger = {.req_get_geom = ranger_geom,
                                               .req_get_config = ranger_config,
                                               .req_set_config = ranger_set_config,
                                               .req_power = ranger_power};

static void get_geometry(const struct cspace *c, const tp_instance *self, tp_geometry *answer)
{
    answer->known = c->placed  ? TP_GEOMETRY_CONFIGURED
                    : c->known ? TP_GEOMETRY_MEASURED
                               : TP_GEOMETRY_UNKNOWN;
    answer->pose = told_pose(c);
    answer->size = c->size;
    answer->parent = (char *)(uintptr_t) "base";
    answer->parent_count = sizeof "base";
    answer->frame = (char *)(uintptr_t)tp_instance_name(self);
    answer->frame_count = (uint32_t)strlen(answer->frame) + 1;
}

tp_status tpi_cspace_handle(tp_device *device, const tp_message *what, const void *ask,
                            void *answer, tp_error *err)
{
    const struct cspace *c = state_of(device);
    const bool laser = cspace_of_laser(c);
    const forward_front lasers = {.interface = &tp_interface_laser,
                                  .ops = laser ? &laser_of_laser : &laser_of_ranger,
                                  .sends = 1u << TP_LASER_DATA_SCAN |
                                           (laser ? 1u << TP_LASER_DATA_SCANPOSE : 0)};
    const forward_front rangers = {.interface = &tp_interface_ranger,
                                   .ops = laser ? &ranger_of_laser : &ranger_of_ranger,
                                   .sends = 1u << TP_RANGER_DATA_RANGE};

    if (tpi_forward_is_common(what) && what->code == TP_COMMON_REQ_GET_GEOMETRY) {
        get_geometry(c, tp_device_instance(device), answer);
        return TP_OK;
    }
    return tpi_forward_or_operate(device == c->laser ? &lasers : &rangers, device, c->sensor, what,
                                  ask, answer, err);
}
