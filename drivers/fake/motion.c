/* motion.c - how things move: arcs, approaches, and a vehicle that finds its way. */
#include <math.h>

#include "fake.h"

static const double pi = 3.141592653589793;

double tpi_fake_angle(double angle)
{
    return remainder(angle, 2 * pi);
}

double tpi_fake_approach(double from, double to, double step)
{
    return fabs(to - from) <= step ? to : from + copysign(step, to - from);
}

int32_t tpi_fake_whole(double value)
{
    return (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, value));
}

double tpi_fake_speed_or(double speed, double usual)
{
    return speed != 0 ? fabs(speed) : usual;
}

tp_pose2d tpi_fake_compose(const tp_pose2d *frame, const tp_pose2d *pose)
{
    const double c = cos(frame->pa);
    const double s = sin(frame->pa);

    return (tp_pose2d){.px = frame->px + c * pose->px - s * pose->py,
                       .py = frame->py + s * pose->px + c * pose->py,
                       .pa = tpi_fake_angle(frame->pa + pose->pa)};
}

tp_pose2d tpi_fake_arc(const tp_pose2d *from, const tp_pose2d *vel, double dt_s)
{
    const double turn = vel->pa * dt_s;
    /* sin(t)/t and (1-cos(t))/t, whose limits at 0 are 1 and 0 */
    const double along = fabs(turn) < 1e-6 ? 1 - turn * turn / 6 : sin(turn) / turn;
    const double across = fabs(turn) < 1e-6 ? turn / 2 : (1 - cos(turn)) / turn;
    const tp_pose2d moved = {.px = (vel->px * along - vel->py * across) * dt_s,
                             .py = (vel->px * across + vel->py * along) * dt_s,
                             .pa = turn};

    return tpi_fake_compose(from, &moved);
}

/* ---- The vehicle ----------------------------------------------------------------------------- */

void tpi_fake_drive_stop(fake_drive *drive)
{
    drive->mode = FAKE_REST;
    drive->vel = (tp_pose2d){0};
}

/* Keep its velocity for so long. */
static void keep_moving(fake_drive *drive, double dt_s)
{
    drive->pose = tpi_fake_arc(&drive->pose, &drive->vel, dt_s);
    drive->driven_m += hypot(drive->vel.px, drive->vel.py) * dt_s;
    drive->turned_rad += fabs(drive->vel.pa) * dt_s;
}

static void move(fake_drive *drive, double forward_mps, double turn_radps, double dt_s)
{
    drive->vel = (tp_pose2d){.px = forward_mps, .pa = turn_radps};
    keep_moving(drive, dt_s);
}

/* Turn to a heading while moving forward; returns the time that is left when it is reached. */
static double turn_to(fake_drive *drive, double heading, double forward_mps, double dt_s)
{
    const double turn = tpi_fake_angle(heading - drive->pose.pa);
    const double needed_s = fabs(turn) / drive->turn_radps;

    if (needed_s > dt_s) {
        move(drive, forward_mps, copysign(drive->turn_radps, turn), dt_s);
        return 0;
    }
    move(drive, forward_mps, copysign(drive->turn_radps, turn), needed_s);
    drive->pose.pa = tpi_fake_angle(heading); /* rid of what rounding left */
    drive->vel.pa = 0;
    return dt_s - needed_s;
}

/* Drive straight to the place of the goal; returns the time that is left when it is reached. */
static double drive_to(fake_drive *drive, double dt_s)
{
    const double x = drive->goal.px - drive->pose.px;
    const double y = drive->goal.py - drive->pose.py;
    const double needed_s = hypot(x, y) / drive->forward_mps;

    if (needed_s > dt_s) {
        move(drive, drive->forward_mps, 0, dt_s);
        return 0;
    }
    drive->driven_m += hypot(x, y);
    drive->pose.px = drive->goal.px;
    drive->pose.py = drive->goal.py;
    return dt_s - needed_s;
}

static bool is_there(const fake_drive *drive)
{
    return drive->pose.px == drive->goal.px && drive->pose.py == drive->goal.py;
}

static void go_to_pose(fake_drive *drive, double dt_s)
{
    if (!is_there(drive)) {
        const double way = atan2(drive->goal.py - drive->pose.py, drive->goal.px - drive->pose.px);
        dt_s = turn_to(drive, way, 0, dt_s);
        dt_s = dt_s > 0 ? drive_to(drive, dt_s) : 0;
    }
    if (is_there(drive) && dt_s > 0) {
        dt_s = turn_to(drive, drive->goal.pa, 0, dt_s);
    }
    if (dt_s > 0) {
        tpi_fake_drive_stop(drive);
    }
}

void tpi_fake_drive_advance(fake_drive *drive, double dt_s)
{
    if (dt_s <= 0) {
        return;
    }
    if (drive->mode == FAKE_VELOCITY) {
        keep_moving(drive, dt_s);
    } else if (drive->mode == FAKE_HEADING) {
        dt_s = turn_to(drive, drive->goal.pa, drive->forward_mps, dt_s);
        move(drive, drive->forward_mps, drive->vel.pa, dt_s);
    } else if (drive->mode == FAKE_POSE) {
        go_to_pose(drive, dt_s);
    }
}
