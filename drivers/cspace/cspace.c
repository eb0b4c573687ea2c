/*
 * cspace - a laser in configuration space: how far the robot's centre can go, for every direction.
 *
 * Each scan of a laser or ranger becomes one of the space that is free for the robot's outline
 * (space.h has how). It is a scan from the robot's centre, whose axes are those of the sensor. The
 * sensor is asked at the start where it sits and how it scans; scans that come before are left out.
 * Runs on a thread of its own, since a scan takes a while.
 */
#include <math.h>
#include <stdlib.h>

#include "cspace.h"
#include "forward.h"

static const tp_param cspace_params[] = {
    {"radius", "m", "", "radius of the robot, if it is round"},
    {"outline", "m", "",
     "corners of the robot otherwise: x y x y ..., convex, seen from its centre"},
    {"pose", "m m rad", "",
     "where the sensor sits on the robot: x y yaw; asked of it if not given"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Where the sensor sits ------------------------------------------------------------------- */

/* A place on the robot with the axes of the sensor, which may hang upside down. */
static space_point turned(const struct cspace *c, double x, double y)
{
    const double cosine = cos(c->pose.pyaw);
    const double sine = sin(c->pose.pyaw);
    const double side = cos(c->pose.proll) < 0 ? -1 : 1;

    return (space_point){cosine * x + sine * y, side * (cosine * y - sine * x)};
}

static tp_status place(struct cspace *c, tp_error *err)
{
    space_point corners[SPACE_MOST_CORNERS];
    const space_point sensor = turned(c, c->pose.px, c->pose.py);

    c->centre = (space_point){-sensor.x, -sensor.y};
    if (c->corner_count == 0) {
        c->outline = (space_outline){.radius = c->radius};
        return TP_OK;
    }
    for (size_t i = 0; i < c->corner_count; i++) {
        corners[i] = turned(c, c->corners[i].x, c->corners[i].y);
    }
    return tpi_cspace_space_outline_set(&c->outline, corners, c->corner_count, err);
}

/* Turning cannot spoil an outline that was good before. */
static void learn_pose(struct cspace *c, const tp_pose3d *pose, const tp_bbox3d *size)
{
    const bool good = isfinite(pose->px) && isfinite(pose->py) && isfinite(pose->pyaw);

    c->size = *size;
    if (!c->placed && good) {
        c->known = true;
        c->pose = *pose;
        (void)place(c, NULL);
    }
}

/* ---- Questions at the start ------------------------------------------------------------------ */

static void got_geom(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct cspace *c = tp_instance_state(self);
    const void *payload = status == TP_OK ? tp_msg_payload(answer) : NULL;

    (void)context;
    (void)why;
    c->open_questions--;
    if (payload != NULL && cspace_of_laser(c)) {
        const tp_laser_geom *geom = payload;
        learn_pose(c, &geom->pose, &geom->size);
    } else if (payload != NULL) {
        const tp_ranger_geom *geom = payload;
        learn_pose(c, &geom->pose, &geom->size);
    }
}

void tpi_cspace_learn_config(struct cspace *c, const void *payload)
{
    if (payload != NULL && cspace_of_laser(c)) {
        c->config = ranging_of_laser(payload);
    } else if (payload != NULL) {
        c->config = *(const tp_ranger_config *)payload;
    }
}

static void got_config(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                       const char *why)
{
    struct cspace *c = tp_instance_state(self);

    (void)context;
    (void)why;
    c->open_questions--;
    if (status == TP_OK) {
        tpi_cspace_learn_config(c, tp_msg_payload(answer));
    }
}

static tp_status cspace_start(tp_instance *self, tp_error *err)
{
    struct cspace *c = tp_instance_state(self);
    const bool laser = cspace_of_laser(c);
    const unsigned geom = laser ? TP_LASER_REQ_GET_GEOM : TP_RANGER_REQ_GET_GEOM;
    const unsigned config = laser ? TP_LASER_REQ_GET_CONFIG : TP_RANGER_REQ_GET_CONFIG;

    c->open_questions = 2;
    tp_status status = tp_link_request(c->sensor, geom, NULL, FORWARD_TIMEOUT_NS, got_geom, NULL);
    status = status == TP_OK
                 ? tp_link_request(c->sensor, config, NULL, FORWARD_TIMEOUT_NS, got_config, NULL)
                 : status;
    return status == TP_OK ? TP_OK : tp_fail(err, status, "the sensor cannot be asked");
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* A failure of the sensor is one of all that is made of it. */
static void pass_error(const struct cspace *c, const tp_msg *msg)
{
    if (c->laser != NULL) {
        tpi_forward_data(c->laser, msg);
    }
    if (c->ranger != NULL) {
        tpi_forward_data(c->ranger, msg);
    }
}

static void cspace_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct cspace *c = tp_instance_state(self);
    const tp_msghdr *header = tp_msg_header(msg);
    const tp_geometry *geometry = tp_msg_payload(msg);

    (void)from;
    if (header->subtype == TP_COMMON_DATA_ERROR) {
        pass_error(c, msg);
    } else if (header->subtype == TP_COMMON_DATA_GEOMETRY && geometry != NULL) {
        learn_pose(c, &geometry->pose, &geometry->size);
    } else if (c->open_questions == 0 && tp_msg_payload(msg) != NULL) {
        tpi_cspace_take(self, header->subtype, tp_msg_payload(msg), header->timestamp);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_outline(tp_instance *self, struct cspace *c, tp_error *err)
{
    const size_t count = tp_param_count(self, "outline");

    c->radius = tp_param_double(self, "radius");
    if ((count == 0) == !tp_param_given(self, "radius")) {
        return tp_fail(err, TP_E_INVALID, "give either radius or outline, the size of the robot");
    }
    if (count == 0 && !(c->radius > 0 && c->radius <= 1e6)) {
        return tp_fail(err, TP_E_RANGE, "radius \"%s\" is not a length above 0",
                       tp_param_string(self, "radius"));
    }
    if (count % 2 != 0 || count / 2 > SPACE_MOST_CORNERS) {
        return tp_fail(err, TP_E_INVALID, "outline has %zu values: up to %d corners have two each",
                       count, SPACE_MOST_CORNERS);
    }
    c->corner_count = count / 2;
    for (size_t i = 0; i < c->corner_count; i++) {
        c->corners[i] = (space_point){tp_param_double_at(self, "outline", 2 * i),
                                      tp_param_double_at(self, "outline", 2 * i + 1)};
    }
    return TP_OK;
}

static tp_status read_pose(tp_instance *self, struct cspace *c, tp_error *err)
{
    const size_t count = tp_param_count(self, "pose");

    if (count != 0 && count != 3) {
        return tp_fail(err, TP_E_INVALID, "pose has %zu values in place of 3", count);
    }
    c->placed = count == 3;
    c->pose = (tp_pose3d){.px = tp_param_double_at(self, "pose", 0),
                          .py = tp_param_double_at(self, "pose", 1),
                          .pyaw = tp_param_double_at(self, "pose", 2)};
    return isfinite(c->pose.px + c->pose.py + c->pose.pyaw)
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "pose is no place");
}

/* A laser is preferred if both are there. */
static tp_status offer(tp_instance *self, struct cspace *c, tp_error *err)
{
    tp_status status = tp_require(self, &tp_interface_laser, NULL, &c->sensor, NULL);

    if (status == TP_E_UNKNOWN) {
        status = tp_require(self, &tp_interface_ranger, NULL, &c->sensor, NULL);
    }
    if (status != TP_OK) {
        return tp_fail(err, status, "%s",
                       status == TP_E_UNKNOWN ? "`requires` has neither a laser nor a ranger"
                                              : tp_status_text(status));
    }
    if (tp_provides(self, &tp_interface_laser, NULL)) {
        status = tp_offer(self, &tp_interface_laser, NULL, NULL, tpi_cspace_handle, &c->laser, err);
    }
    if (status == TP_OK && tp_provides(self, &tp_interface_ranger, NULL)) {
        status =
            tp_offer(self, &tp_interface_ranger, NULL, NULL, tpi_cspace_handle, &c->ranger, err);
    }
    return status;
}

static tp_status cspace_init(tp_instance *self, tp_error *err)
{
    struct cspace *c = tp_instance_state(self);
    tp_status status = read_outline(self, c, err);

    status = status == TP_OK ? read_pose(self, c, err) : status;
    status = status == TP_OK ? place(c, err) : status;
    return status == TP_OK ? offer(self, c, err) : status;
}

static void cspace_fini(tp_instance *self)
{
    struct cspace *c = tp_instance_state(self);

    tpi_cspace_space_fini(&c->space);
    free(c->points);
    free(c->ways);
    free(c->ranges);
}

static const tp_driver_ops cspace_ops = {
    .init = cspace_init,
    .start = cspace_start,
    .data = cspace_data,
    .fini = cspace_fini,
};

TP_API const tp_driver tp_driver_cspace = {
    .abi = TP_DRIVER_ABI,
    .name = "cspace",
    .summary = "how far the robot's centre can go in each direction, from a laser or ranger",
    .state_size = sizeof(struct cspace),
    .params = cspace_params,
    .ops = &cspace_ops,
};
