/* places.c - localize, planner and gps: where the robot is and where it goes. */
#include <math.h>
#include <string.h>

#include "fake.h"
#include "troupe/interfaces/gps.h"
#include "troupe/interfaces/localize.h"
#include "troupe/interfaces/planner.h"

/* ---- localize: one guess, which is the truth in a frame that SET_POSE may move --------------- */

enum { PARTICLES = 20 };

struct localize {
    tp_pose2d frame; /* of the odometry, on the map */
    tp_localize_hypoth guess;
    tp_localize_particle particles[PARTICLES];
};

static void localize_guess(fake_device *d)
{
    struct localize *l = d->state;

    l->guess.mean = tpi_fake_compose(&l->frame, &d->owner->robot);
}

static void localize_publish(fake_device *d)
{
    struct localize *l = d->state;
    const tp_localize_data data = {
        .pending_time = tpi_fake_wall_s(d), .hypoths_count = 1, .hypoths = &l->guess};

    localize_guess(d);
    tp_publish(d->device, TP_LOCALIZE_DATA_HYPOTHS, &data, 0);
}

/* The frame in which the robot is where the asker says. */
static tp_status localize_set_pose(tp_device *device, const tp_localize_set_pose *ask,
                                   tp_error *err)
{
    struct localize *l = fake_state(device);
    const tp_pose2d *robot = &fake_of(device)->owner->robot;

    (void)err;
    const double turn = tpi_fake_angle(ask->mean.pa - robot->pa);
    const tp_pose2d only_turned = {.pa = turn};
    const tp_pose2d there = tpi_fake_compose(&only_turned, robot);
    l->frame =
        (tp_pose2d){.px = ask->mean.px - there.px, .py = ask->mean.py - there.py, .pa = turn};
    memcpy(l->guess.cov, ask->cov, sizeof l->guess.cov);
    return TP_OK;
}

static tp_status localize_get_particles(tp_device *device, tp_localize_get_particles *answer,
                                        tp_error *err)
{
    fake_device *d = fake_of(device);
    struct localize *l = d->state;
    const double *cov = l->guess.cov;

    (void)err;
    localize_guess(d);
    for (size_t i = 0; i < PARTICLES; i++) {
        tp_pose2d *pose = &l->particles[i].pose;
        *pose = l->guess.mean;
        pose->px += sqrt(fabs(cov[0])) * tpi_fake_random_normal(&d->random);
        pose->py += sqrt(fabs(cov[1])) * tpi_fake_random_normal(&d->random);
        pose->pa =
            tpi_fake_angle(pose->pa + sqrt(fabs(cov[2])) * tpi_fake_random_normal(&d->random));
        l->particles[i].alpha = 1.0 / PARTICLES;
    }
    answer->mean = l->guess.mean;
    answer->variance = fabs(cov[0]) + fabs(cov[1]);
    answer->particles = l->particles;
    answer->particles_count = PARTICLES;
    return TP_OK;
}

static const tp_localize_ops localize_ops = {
    .req_set_pose = localize_set_pose,
    .req_get_particles = localize_get_particles,
};

/* ---- planner: the way is straight, and it takes a robot of its own along it ------------------ */

struct planner {
    fake_drive drive;
    tp_pose2d way[2]; /* start and goal */
    bool planned;
    bool held;
};

static void planner_advance(fake_device *d, double dt_s)
{
    struct planner *p = d->state;

    if (!p->held) {
        tpi_fake_drive_advance(&p->drive, dt_s);
    }
}

static void planner_halt(fake_device *d)
{
    struct planner *p = d->state;

    tpi_fake_drive_stop(&p->drive);
    p->planned = false;
}

static void planner_publish(fake_device *d)
{
    const struct planner *p = d->state;
    const bool done = p->planned && p->drive.mode == FAKE_REST;
    const tp_planner_data data = {
        .valid = p->planned,
        .done = done,
        .pos = p->drive.pose,
        .goal = p->drive.goal,
        .waypoint = p->drive.goal,
        .waypoint_idx = p->planned && !done ? 1 : -1,
        .waypoints_count = p->planned ? 2 : 0,
    };

    tp_publish(d->device, TP_PLANNER_DATA_STATE, &data, 0);
}

static tp_status planner_goal(tp_device *device, const tp_planner_cmd *ask, tp_error *err)
{
    struct planner *p = fake_state(device);

    (void)err;
    p->drive.mode = FAKE_POSE;
    p->drive.goal = ask->goal;
    p->drive.goal.pa = tpi_fake_angle(ask->goal.pa);
    p->drive.forward_mps = FAKE_USUAL_MPS;
    p->drive.turn_radps = FAKE_USUAL_RADPS;
    p->way[0] = p->drive.pose;
    p->way[1] = p->drive.goal;
    p->planned = true;
    return TP_OK;
}

/* Plan from elsewhere; the robot stays where it is. */
static tp_status planner_start(tp_device *device, const tp_planner_cmd *ask, tp_error *err)
{
    struct planner *p = fake_state(device);

    (void)err;
    p->way[0] = ask->goal;
    return TP_OK;
}

static tp_status planner_waypoints(tp_device *device, tp_planner_waypoints_req *answer,
                                   tp_error *err)
{
    struct planner *p = fake_state(device);

    (void)err;
    if (p->planned) {
        answer->waypoints = p->way;
        answer->waypoints_count = 2;
        answer->waypoints_distance =
            hypot(p->way[1].px - p->way[0].px, p->way[1].py - p->way[0].py);
    }
    return TP_OK;
}

static tp_status planner_enable(tp_device *device, const tp_planner_enable_req *ask, tp_error *err)
{
    (void)err;
    ((struct planner *)fake_state(device))->held = ask->state == 0;
    return TP_OK;
}

static const tp_planner_ops planner_ops = {
    .cmd_goal = planner_goal,
    .cmd_start = planner_start,
    .req_get_waypoints = planner_waypoints,
    .req_enable = planner_enable,
};

/* ---- gps: the origin of the odometry is a place in a town ------------------------------------ */

static const double origin_latitude = 48.137;
static const double origin_longitude = 11.575;
static const double origin_easting_m = 691600;
static const double origin_northing_m = 5334760;
static const double metres_per_degree = 111320;

/* x is east and y is north. */
static void gps_publish(fake_device *d)
{
    const fake *f = d->owner;
    const tp_pose2d at = tpi_fake_eye(d);
    const double east = tpi_fake_measure(d, at.px);
    const double north = tpi_fake_measure(d, at.py);
    const double now_s = tpi_fake_wall_s(d);
    const double shrink = cos(origin_latitude * 0.017453292519943295);
    const tp_gps_data data = {
        .time_sec = (uint32_t)now_s,
        .time_usec = (uint32_t)(fmod(now_s, 1) * 1e6),
        .latitude = tpi_fake_whole((origin_latitude + north / metres_per_degree) * 1e7),
        .longitude = tpi_fake_whole((origin_longitude + east / metres_per_degree / shrink) * 1e7),
        .altitude = tpi_fake_whole(519000 + 1000 * tpi_fake_measure(d, 0)),
        .speed = hypot(f->robot_vel.px, f->robot_vel.py),
        .course = tpi_fake_angle(f->robot.pa + atan2(f->robot_vel.py, f->robot_vel.px)),
        .utm_e = origin_easting_m + east,
        .utm_n = origin_northing_m + north,
        .quality = 1,
        .num_sats = 8,
        .hdop = 11,
        .vdop = 17,
        .err_horz = 2.5,
        .err_vert = 4,
    };

    tp_publish(d->device, TP_GPS_DATA_STATE, &data, 0);
}

const fake_kind tpi_fake_places[] = {
    {
        .interface = &tp_interface_localize,
        .ops = &localize_ops,
        .state_size = sizeof(struct localize),
        .first = &(const struct localize){.guess = {.cov = {0.01, 0.01, 0.001}, .alpha = 1}},
        .publish = localize_publish,
    },
    {
        .interface = &tp_interface_planner,
        .ops = &planner_ops,
        .state_size = sizeof(struct planner),
        .advance = planner_advance,
        .publish = planner_publish,
        .halt = planner_halt,
    },
    {
        .interface = &tp_interface_gps,
        .size = {.sw = 0.05, .sl = 0.05, .sh = 0.02},
        .publish = gps_publish,
    },
    {0},
};
