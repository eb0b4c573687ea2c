/* pose.c - poses in space; see pose.h. */
#include "base/pose.h"

#include <math.h>

/* Columns are where x, y and z of the frame point; `place` is its origin. */
struct motion {
    double turn[3][3];
    double place[3];
};

/* Below this cosine of pitch the frame looks straight up or down. */
static const double upright = 1e-9;

static struct motion motion_of(const tpi_pose *pose)
{
    const double cr = cos(pose->roll);
    const double sr = sin(pose->roll);
    const double cp = cos(pose->pitch);
    const double sp = sin(pose->pitch);
    const double cy = cos(pose->yaw);
    const double sy = sin(pose->yaw);

    return (struct motion){
        .turn = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                 {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                 {-sp, cp * sr, cp * cr}},
        .place = {pose->x, pose->y, pose->z},
    };
}

static tpi_pose pose_of(const struct motion *m)
{
    const double(*t)[3] = m->turn;
    const double level = hypot(t[0][0], t[1][0]);
    tpi_pose pose = {.x = m->place[0], .y = m->place[1], .z = m->place[2]};

    pose.pitch = atan2(-t[2][0], level);
    if (level > upright) {
        pose.roll = atan2(t[2][1], t[2][2]);
        pose.yaw = atan2(t[1][0], t[0][0]);
    } else {
        pose.yaw = atan2(-t[0][1], t[1][1]);
    }
    return pose;
}

tpi_pose tpi_pose_compose(const tpi_pose *frame, const tpi_pose *inner)
{
    const struct motion a = motion_of(frame);
    const struct motion b = motion_of(inner);
    struct motion c = {.place = {a.place[0], a.place[1], a.place[2]}};

    for (int row = 0; row < 3; row++) {
        for (int k = 0; k < 3; k++) {
            c.place[row] += a.turn[row][k] * b.place[k];
            for (int column = 0; column < 3; column++) {
                c.turn[row][column] += a.turn[row][k] * b.turn[k][column];
            }
        }
    }
    return pose_of(&c);
}

tpi_pose tpi_pose_invert(const tpi_pose *pose)
{
    const struct motion a = motion_of(pose);
    struct motion back = {0};

    for (int row = 0; row < 3; row++) {
        for (int k = 0; k < 3; k++) {
            back.turn[row][k] = a.turn[k][row];
            back.place[row] -= a.turn[k][row] * a.place[k];
        }
    }
    return pose_of(&back);
}
