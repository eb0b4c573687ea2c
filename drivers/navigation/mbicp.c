/*
 * mbicp - odometry that is corrected by comparing each scan with the one before it.
 *
 * Names and options are those of Player's driver. navigation/icp.h has the method. A scan counts
 * with the odometry that is known when it comes; a laserposeinterpolator in front of it brings both
 * together. Where scans do not fit, the odometry counts.
 */
#include <math.h>
#include <string.h>

#include "beams.h"
#include "forward.h"
#include "navigation/icp.h"
#include "troupe/driver/position2d.h"

struct mbicp {
    tp_device *position; /* borrowed */
    tp_link *link;       /* borrowed: the odometry */
    struct beams beams;
    tpi_nav_icp_settings settings;
    double longest;
    size_t step;        /* each so-manieth reading counts */
    tpi_nav_pose laser; /* on the robot */
    tpi_nav_icp_scan scans[2];
    unsigned newest;             /* of them */
    bool compared;               /* there is a scan to compare with */
    bool known;                  /* there is odometry */
    tpi_nav_pose odometry, then; /* now, and at the last scan */
    tpi_nav_pose pose;           /* of the robot at the last scan, corrected */
    tp_position2d_data last;
};

static const tp_param mbicp_params[] = {
    {"max_laser_range", "m", "7.9", "readings from here on are nothing seen"},
    {"laserPose_x", "m", "0.16", "where the laser is on the robot"},
    {"laserPose_y", "m", "0", "the same"},
    {"laserPose_th", "rad", "0", "the same: where it looks"},
    {"radial_window", "m", "0.3",
     "how much farther a point may be seen than the one it was before"},
    {"angular_window", "1", "0.523333333", "in which angle it is looked for, in radians"},
    {"L", "1", "3", "what a radian of turn is worth in metres"},
    {"laserStep", "1", "1", "each so-manieth reading counts"},
    {"MaxDistInter", "m", "0.5", "neighbours that are farther apart are no wall"},
    {"filter", "1", "0.95", "this part of the pairs counts, the nearest ones"},
    {"ProjectionFilter", "1", "1", "ignored: what is hidden is never a partner"},
    {"AsocError", "1", "0.1", "this part of the readings needs a partner"},
    {"MaxIter", "1", "50", "rounds"},
    {"errorRatio", "1", "0.0001", "ignored: the size of motions counts"},
    {"errx_out", "m", "0.0001", "a motion that is smaller is the last"},
    {"erry_out", "m", "0.0001", "the same"},
    {"errt_out", "1", "0.0001", "the same for turns, in radians"},
    {"IterSmoothConv", "1", "2", "so many small motions in a row end it"},
    {NULL, NULL, NULL, NULL},
};

static struct mbicp *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Scans ----------------------------------------------------------------------------------- */

/* The readings in the frame of the laser. */
static void keep_scan(struct mbicp *m)
{
    tpi_nav_icp_scan *out = &m->scans[m->newest];
    const double c = cos(m->laser.a);
    const double s = sin(m->laser.a);

    out->count = 0;
    for (size_t i = 0; i < m->beams.count && out->count < TPI_NAV_ICP_MOST_POINTS; i += m->step) {
        const tpi_nav_beam *b = &m->beams.beams[i];
        if (b->hit && b->range < m->longest) {
            out->points[out->count++] = (tpi_nav_point){b->range * (c * b->dx + s * b->dy),
                                                        b->range * (c * b->dy - s * b->dx)};
        }
    }
}

/* A motion of the robot as one of its laser, and back. */
static tpi_nav_pose of_laser(const struct mbicp *m, const tpi_nav_pose *by)
{
    const tpi_nav_pose end = tpi_nav_after(by, &m->laser);

    return tpi_nav_between(&m->laser, &end);
}

static tpi_nav_pose of_robot(const struct mbicp *m, const tpi_nav_pose *by)
{
    const tpi_nav_pose back = tpi_nav_between(&m->laser, &(tpi_nav_pose){0});
    const tpi_nav_pose end = tpi_nav_after(&m->laser, by);

    return tpi_nav_after(&end, &back);
}

static void compare(struct mbicp *m)
{
    const tpi_nav_pose by = tpi_nav_between(&m->then, &m->odometry);
    tpi_nav_pose motion = of_laser(m, &by);

    m->newest = 1 - m->newest;
    keep_scan(m);
    if (m->compared &&
        tpi_nav_icp(&m->scans[1 - m->newest], &m->scans[m->newest], &m->settings, &motion)) {
        const tpi_nav_pose robot = of_robot(m, &motion);
        m->pose = tpi_nav_after(&m->pose, &robot);
    } else {
        m->pose = m->compared ? tpi_nav_after(&m->pose, &by) : m->odometry;
    }
    m->then = m->odometry;
    m->compared = true;
}

static void tell(struct mbicp *m, double time)
{
    const tpi_nav_pose by = tpi_nav_between(&m->then, &m->odometry);
    const tpi_nav_pose pose = m->compared ? tpi_nav_after(&m->pose, &by) : m->odometry;

    m->last.pos = (tp_pose2d){.px = pose.x, .py = pose.y, .pa = pose.a};
    tp_position2d_publish_state(m->position, &m->last, time);
}

static void mbicp_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct mbicp *m = tp_instance_state(self);
    const tp_position2d_data *data = tp_msg_payload(msg);

    if (from == m->link && tp_msg_header(msg)->subtype == TP_POSITION2D_DATA_STATE &&
        data != NULL && isfinite(data->pos.px + data->pos.py + data->pos.pa)) {
        m->odometry = (tpi_nav_pose){data->pos.px, data->pos.py, data->pos.pa};
        m->last = *data;
        m->known = true;
        tell(m, tp_msg_header(msg)->timestamp);
    } else if (from == m->beams.link && tpi_beams_take(&m->beams, msg) && m->known) {
        compare(m);
    }
}

/* ---- The device ------------------------------------------------------------------------------ */

static tp_status get_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)answer;
    return tpi_forward_ask(device, state_of(device)->link, TP_POSITION2D_REQ_GET_GEOM, NULL,
                           FORWARD_TIMEOUT_NS, tpi_forward_answer, err);
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    return tp_fail(err, TP_E_DENIED, "mbicp moves nothing: command the robot's own position2d");
}

static const tp_position2d_ops position_ops = {.req_get_geom = get_geom, .cmd_vel = cmd_vel};

static void mbicp_halt(tp_device *device, tp_halt how)
{
    (void)device; /* it moves nothing */
    (void)how;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_settings(tp_instance *self, struct mbicp *m, tp_error *err)
{
    tpi_nav_icp_settings *s = &m->settings;
    double step = 1, rounds = 0, smooth = 0;
    const struct {
        const char *name;
        double low, high;
        double *out;
    } numbers[] = {{"max_laser_range", 0.1, 100, &m->longest},
                   {"laserPose_x", -100, 100, &m->laser.x},
                   {"laserPose_y", -100, 100, &m->laser.y},
                   {"laserPose_th", -10, 10, &m->laser.a},
                   {"radial_window", 0, 100, &s->radial},
                   {"angular_window", 0, 3.2, &s->window},
                   {"L", 0.001, 1000, &s->l},
                   {"laserStep", 1, 1000, &step},
                   {"MaxDistInter", 0, 100, &s->gap},
                   {"filter", 0.01, 1, &s->kept},
                   {"AsocError", 0, 1, &s->least},
                   {"MaxIter", 1, 10000, &rounds},
                   {"errx_out", 1e-9, 1, &s->done[0]},
                   {"erry_out", 1e-9, 1, &s->done[1]},
                   {"errt_out", 1e-9, 1, &s->done[2]},
                   {"IterSmoothConv", 1, 1000, &smooth}};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i].out = tp_param_double(self, numbers[i].name);
        if (!(*numbers[i].out >= numbers[i].low && *numbers[i].out <= numbers[i].high)) {
            tp_param_blame(self, numbers[i].name);
            return tp_fail(err, TP_E_RANGE, "%s is not from %g to %g", numbers[i].name,
                           numbers[i].low, numbers[i].high);
        }
    }
    m->step = (size_t)step;
    s->most = (unsigned)rounds;
    s->smooth = (unsigned)smooth;
    m->beams.longest = m->longest;
    tpi_beams_place(&m->beams, m->laser.x, m->laser.y, m->laser.a);
    return TP_OK;
}

static tp_status mbicp_init(tp_instance *self, tp_error *err)
{
    struct mbicp *m = tp_instance_state(self);
    tp_status status = read_settings(self, m, err);

    status =
        status == TP_OK ? tp_require(self, &tp_interface_position2d, NULL, &m->link, err) : status;
    status = status == TP_OK ? tpi_beams_require(self, &m->beams, err) : status;
    return status == TP_OK ? tp_offer_position2d(self, NULL, &position_ops, &m->position, err)
                           : status;
}

static tp_status mbicp_start(tp_instance *self, tp_error *err)
{
    struct mbicp *m = tp_instance_state(self);

    m->compared = m->known = false;
    return tpi_beams_start(&m->beams, err);
}

static void mbicp_fini(tp_instance *self)
{
    tpi_beams_fini(&((struct mbicp *)tp_instance_state(self))->beams);
}

static const tp_driver_ops mbicp_ops = {
    .init = mbicp_init,
    .start = mbicp_start,
    .data = mbicp_data,
    .halt = mbicp_halt,
    .fini = mbicp_fini,
};

extern const tp_driver tp_driver_mbicp;
TP_API const tp_driver tp_driver_mbicp = {
    .abi = TP_DRIVER_ABI,
    .name = "mbicp",
    .summary = "odometry that is corrected by comparing scans",
    .state_size = sizeof(struct mbicp),
    .params = mbicp_params,
    .ops = &mbicp_ops,
};
