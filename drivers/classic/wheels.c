/* wheels.c - see wheels.h. */
#include "wheels.h"

#include <math.h>

tp_status tpi_wheels_speeds(double out[2], const tp_pose2d *velocity, double axle, double most,
                            tp_error *err)
{
    const double left = velocity->px - velocity->pa * axle / 2;
    const double right = velocity->px + velocity->pa * axle / 2;
    const double fastest = fmax(fabs(left), fabs(right));
    const double scale = fastest > most ? most / fastest : 1;

    if (!isfinite(left) || !isfinite(right)) {
        return tp_fail(err, TP_E_RANGE, "a velocity is made of numbers");
    }
    out[0] = left * scale;
    out[1] = right * scale;
    return TP_OK;
}

tp_status tpi_wheels_place(tp_pose2d *pose, const tp_pose2d *to, tp_error *err)
{
    if (!isfinite(to->px) || !isfinite(to->py) || !isfinite(to->pa)) {
        return tp_fail(err, TP_E_RANGE, "a pose is made of numbers");
    }
    *pose = *to;
    return TP_OK;
}

void tpi_wheels_roll(tp_pose2d *pose, double left, double right, double axle)
{
    const double ahead = (left + right) / 2;
    const double turn = (right - left) / axle;
    const double middle = pose->pa + turn / 2;

    pose->px += ahead * cos(middle);
    pose->py += ahead * sin(middle);
    pose->pa = remainder(pose->pa + turn, 2 * 3.14159265358979323846);
}

int32_t tpi_wheels_ticks(uint32_t from, uint32_t to)
{
    return (int32_t)(to - from);
}
