/*
 * lasertoranger - offers a laser as a ranger, for clients of the newer interface.
 *
 * Scans become ranges and intensities; geometry, settings and power are asked of the laser. What a
 * laser does not tell by itself (many know no GET_CONFIG) is taken from its scans.
 */
#include <stdlib.h>

#include "forward.h"
#include "ranging.h"

enum { FORCED = 5 };

struct lasertoranger {
    tp_device *ranger;      /* borrowed */
    tp_link *laser;         /* borrowed */
    tp_laser_config config; /* of the laser, as far as it is known */
    bool known;
    bool forced; /* `force_config` counts instead */
    double force[FORCED];
    bool flat;       /* `buggy_geom`: of the pose only x, y and yaw count */
    double *numbers; /* owned: room for a scan */
    uint32_t capacity;
};

static const tp_param lasertoranger_params[] = {
    {"force_config", "rad rad rad m m", "",
     "settings to report instead of the laser's: least and greatest angle, their resolution, "
     "greatest"
     " range and its resolution"},
    {"buggy_geom", "bool", "no", "the laser's z, roll and pitch mean nothing"},
    {NULL, NULL, NULL, NULL},
};

static struct lasertoranger *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Settings -------------------------------------------------------------------------------- */

static void learn(struct lasertoranger *l, const tp_msg *answer)
{
    const tp_laser_config *config = tp_msg_payload(answer);

    if (config != NULL) {
        l->config = *config;
        l->known = true;
    }
}

static void learn_from_scan(struct lasertoranger *l, const tp_laser_data *scan)
{
    l->config.min_angle = scan->min_angle;
    l->config.max_angle = scan->max_angle;
    l->config.resolution = scan->resolution;
    l->config.max_range = scan->max_range;
    l->config.intensity = scan->intensity_count > 0;
    l->known = true;
}

static tp_ranger_config told_config(const struct lasertoranger *l)
{
    tp_ranger_config told = ranging_of_laser(&l->config);

    if (l->forced) {
        told.min_angle = l->force[0];
        told.max_angle = l->force[1];
        told.angular_res = l->force[2];
        told.max_range = l->force[3];
        told.range_res = l->force[4];
    }
    return told;
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* Ask the laser; the asker waits until `done` answers the ticket. */
static tp_status ask_laser(tp_device *device, unsigned code, const void *value, tp_link_done *done,
                           tp_error *err)
{
    return tpi_forward_ask(device, state_of(device)->laser, code, value, FORWARD_TIMEOUT_NS, done,
                           err);
}

static void got_geom(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                     const char *why)
{
    const struct lasertoranger *l = tp_instance_state(self);
    const tp_laser_geom *geom = tpi_forward_payload(ticket, status, answer, why, "laser");

    if (geom == NULL) {
        return;
    }
    tp_pose3d element_pose = {0};
    tp_bbox3d element_size = geom->size;
    tp_ranger_geom told = {.pose = geom->pose,
                           .size = geom->size,
                           .element_poses_count = 1,
                           .element_poses = &element_pose,
                           .element_sizes_count = 1,
                           .element_sizes = &element_size};
    if (l->flat) {
        told.pose.pz = told.pose.proll = told.pose.ppitch = 0;
    }
    tp_ticket_answer(ticket, &told);
}

/* What the scans tell is enough if the laser cannot say. */
static void got_config(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                       const char *why)
{
    struct lasertoranger *l = tp_instance_state(self);

    if (status == TP_OK) {
        learn(l, answer);
    }
    if (!l->known && !l->forced) {
        tpi_forward_refuse(ticket, status, why, "laser");
        return;
    }
    const tp_ranger_config told = told_config(l);
    tp_ticket_answer(ticket, &told);
}

static void set_config_done(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                            const char *why)
{
    struct lasertoranger *l = tp_instance_state(self);

    if (status != TP_OK) {
        tp_ticket_fail(ticket, status, why);
        return;
    }
    learn(l, answer);
    const tp_ranger_config told = told_config(l);
    tp_ticket_answer(ticket, &told);
}

static void switched(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                     const char *why)
{
    if (status != TP_OK) {
        tp_ticket_fail(ticket, status, why);
        return;
    }
    learn(tp_instance_state(self), answer);
    tp_ticket_answer(ticket, NULL);
}

/* Intensities are one of the laser's settings, so all of them are read and written back. */
static void switch_intensity(struct lasertoranger *l, void *ticket, tp_status status, bool on,
                             const char *why)
{
    if (!l->known) {
        tpi_forward_refuse(ticket, status, why, "laser");
        return;
    }
    tp_laser_config config = l->config;
    config.intensity = on;
    status = tp_link_request(l->laser, TP_LASER_REQ_SET_CONFIG, &config, FORWARD_TIMEOUT_NS,
                             switched, ticket);
    if (status != TP_OK) {
        tp_ticket_fail(ticket, status, tp_status_text(status));
    }
}

static void got_config_to_switch_on(tp_instance *self, void *ticket, tp_status status,
                                    const tp_msg *answer, const char *why)
{
    struct lasertoranger *l = tp_instance_state(self);

    if (status == TP_OK) {
        learn(l, answer);
    }
    switch_intensity(l, ticket, status, true, why);
}

static void got_config_to_switch_off(tp_instance *self, void *ticket, tp_status status,
                                     const tp_msg *answer, const char *why)
{
    struct lasertoranger *l = tp_instance_state(self);

    if (status == TP_OK) {
        learn(l, answer);
    }
    switch_intensity(l, ticket, status, false, why);
}

static tp_status get_geom(tp_device *device, tp_ranger_geom *answer, tp_error *err)
{
    (void)answer;
    return ask_laser(device, TP_LASER_REQ_GET_GEOM, NULL, got_geom, err);
}

static tp_status power(tp_device *device, const tp_ranger_power_config *ask, tp_error *err)
{
    const tp_laser_power_config config = {.state = ask->state};

    return ask_laser(device, TP_LASER_REQ_POWER, &config, tpi_forward_answer, err);
}

static tp_status intensities(tp_device *device, const tp_ranger_intns_config *ask, tp_error *err)
{
    return ask_laser(device, TP_LASER_REQ_GET_CONFIG, NULL,
                     ask->state != 0 ? got_config_to_switch_on : got_config_to_switch_off, err);
}

static tp_status get_config(tp_device *device, tp_ranger_config *answer, tp_error *err)
{
    (void)answer;
    return ask_laser(device, TP_LASER_REQ_GET_CONFIG, NULL, got_config, err);
}

static tp_status set_config(tp_device *device, const tp_ranger_config *ask,
                            tp_ranger_config *answer, tp_error *err)
{
    const tp_laser_config config = ranging_of_ranger(ask, state_of(device)->config.intensity != 0);

    (void)answer;
    return ask_laser(device, TP_LASER_REQ_SET_CONFIG, &config, set_config_done, err);
}

static const tp_ranger_ops ranger_ops = {
    .req_get_geom = get_geom,
    .req_power = power,
    .req_intns = intensities,
    .req_set_config = set_config,
    .req_get_config = get_config,
};

static const forward_front front = {
    .interface = &tp_interface_ranger,
    .ops = &ranger_ops,
    .sends = 1u << TP_RANGER_DATA_RANGE | 1u << TP_RANGER_DATA_RANGESTAMPED |
             1u << TP_RANGER_DATA_INTNS | 1u << TP_RANGER_DATA_INTNSSTAMPED,
};

static tp_status lasertoranger_handle(tp_device *device, const tp_message *what, const void *ask,
                                      void *answer, tp_error *err)
{
    return tpi_forward_or_operate(&front, device, state_of(device)->laser, what, ask, answer, err);
}

/* ---- Data ------------------------------------------------------------------------------------ */

static bool make_room(struct lasertoranger *l, uint32_t count)
{
    if (count <= l->capacity) {
        return true;
    }
    double *numbers = realloc(l->numbers, count * sizeof *numbers);
    if (numbers != NULL) {
        l->numbers = numbers;
        l->capacity = count;
    }
    return numbers != NULL;
}

static void publish_ranges(struct lasertoranger *l, const tp_laser_data *scan,
                           const tp_ranger_geom *geom, double timestamp_s)
{
    tp_ranger_data_rangestamped data = {
        .data = {.ranges_count = scan->ranges_count, .ranges = l->numbers},
        .have_config = 1,
        .config = told_config(l),
    };

    for (uint32_t i = 0; i < scan->ranges_count; i++) {
        l->numbers[i] = (double)scan->ranges[i];
    }
    if (geom == NULL) {
        tp_publish(l->ranger, TP_RANGER_DATA_RANGE, &data.data, timestamp_s);
        return;
    }
    data.have_geom = 1;
    data.geom = *geom;
    tp_publish(l->ranger, TP_RANGER_DATA_RANGESTAMPED, &data, timestamp_s);
}

static void publish_intensities(struct lasertoranger *l, const tp_laser_data *scan,
                                const tp_ranger_geom *geom, double timestamp_s)
{
    tp_ranger_data_intnsstamped data = {
        .data = {.intensities_count = scan->intensity_count, .intensities = l->numbers},
        .have_config = 1,
        .config = told_config(l),
    };

    for (uint32_t i = 0; i < scan->intensity_count; i++) {
        l->numbers[i] = scan->intensity[i];
    }
    if (geom == NULL) {
        tp_publish(l->ranger, TP_RANGER_DATA_INTNS, &data.data, timestamp_s);
        return;
    }
    data.have_geom = 1;
    data.geom = *geom;
    tp_publish(l->ranger, TP_RANGER_DATA_INTNSSTAMPED, &data, timestamp_s);
}

static void convert(struct lasertoranger *l, const tp_laser_data *scan, const tp_ranger_geom *geom,
                    double timestamp_s)
{
    if (!make_room(l, scan->ranges_count) || !make_room(l, scan->intensity_count)) {
        return; /* one scan is lost; the next one may find memory */
    }
    learn_from_scan(l, scan);
    if (scan->ranges_count > 0) {
        publish_ranges(l, scan, geom, timestamp_s);
    }
    if (scan->intensity_count > 0) {
        publish_intensities(l, scan, geom, timestamp_s);
    }
}

static void convert_posed(struct lasertoranger *l, const tp_laser_data_scanpose *posed,
                          double timestamp_s)
{
    tp_pose3d element_pose = {0};
    tp_bbox3d element_size = {0};
    const tp_ranger_geom geom = {
        .pose = {.px = posed->pose.px, .py = posed->pose.py, .pyaw = posed->pose.pa},
        .element_poses_count = 1,
        .element_poses = &element_pose,
        .element_sizes_count = 1,
        .element_sizes = &element_size,
    };

    convert(l, &posed->scan, &geom, timestamp_s);
}

/* Scans at uneven angles have no form as ranges; common data is passed on. */
static void lasertoranger_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct lasertoranger *l = tp_instance_state(self);
    const tp_msghdr *header = tp_msg_header(msg);
    const void *payload = tp_msg_payload(msg);

    (void)from;
    if (tp_interface_message(&tp_interface_common, TP_KIND_DATA, header->subtype) != NULL) {
        tpi_forward_data(l->ranger, msg);
    } else if (payload != NULL && header->subtype == TP_LASER_DATA_SCAN) {
        convert(l, payload, NULL, header->timestamp);
    } else if (payload != NULL && header->subtype == TP_LASER_DATA_SCANPOSE) {
        convert_posed(l, payload, header->timestamp);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_forced(tp_instance *self, tp_error *err)
{
    struct lasertoranger *l = tp_instance_state(self);
    const size_t count = tp_param_count(self, "force_config");

    if (count != 0 && count != FORCED) {
        return tp_fail(err, TP_E_INVALID, "force_config has %zu values in place of %d", count,
                       FORCED);
    }
    for (size_t i = 0; i < count; i++) {
        l->force[i] = tp_param_double_at(self, "force_config", i);
    }
    l->forced = count > 0;
    return TP_OK;
}

static tp_status lasertoranger_init(tp_instance *self, tp_error *err)
{
    struct lasertoranger *l = tp_instance_state(self);
    tp_status status = read_forced(self, err);

    l->flat = tp_param_bool(self, "buggy_geom");
    status = status == TP_OK ? tp_require(self, &tp_interface_laser, NULL, &l->laser, err) : status;
    return status == TP_OK ? tp_offer(self, &tp_interface_ranger, NULL, NULL, lasertoranger_handle,
                                      &l->ranger, err)
                           : status;
}

static void lasertoranger_fini(tp_instance *self)
{
    struct lasertoranger *l = tp_instance_state(self);

    free(l->numbers);
}

static const tp_driver_ops lasertoranger_ops = {
    .init = lasertoranger_init,
    .data = lasertoranger_data,
    .fini = lasertoranger_fini,
};

TP_API const tp_driver tp_driver_lasertoranger = {
    .abi = TP_DRIVER_ABI,
    .name = "lasertoranger",
    .summary = "offers a laser as a ranger",
    .state_size = sizeof(struct lasertoranger),
    .params = lasertoranger_params,
    .ops = &lasertoranger_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
