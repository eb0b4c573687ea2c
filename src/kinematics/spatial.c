/* spatial.c - rotations in their different forms; see spatial.h. */
#include "kinematics/spatial.h"

void tpi_rotation_about(double out[9], const double axis[3], double angle_rad)
{
    const double s = sin(angle_rad), c = cos(angle_rad), d = 1 - c;
    const double x = axis[0], y = axis[1], z = axis[2];

    out[0] = c + d * x * x;
    out[1] = d * x * y - s * z;
    out[2] = d * x * z + s * y;
    out[3] = d * x * y + s * z;
    out[4] = c + d * y * y;
    out[5] = d * y * z - s * x;
    out[6] = d * x * z - s * y;
    out[7] = d * y * z + s * x;
    out[8] = c + d * z * z;
}

void tpi_rotation_of_rpy(double out[9], double roll, double pitch, double yaw)
{
    const double cr = cos(roll), sr = sin(roll), cp = cos(pitch), sp = sin(pitch), cy = cos(yaw),
                 sy = sin(yaw);

    out[0] = cy * cp;
    out[1] = cy * sp * sr - sy * cr;
    out[2] = cy * sp * cr + sy * sr;
    out[3] = sy * cp;
    out[4] = sy * sp * sr + cy * cr;
    out[5] = sy * sp * cr - cy * sr;
    out[6] = -sp;
    out[7] = cp * sr;
    out[8] = cp * cr;
}

void tpi_rpy_of_rotation(double out[3], const double r[9])
{
    const double level = sqrt(r[0] * r[0] + r[3] * r[3]);

    out[1] = atan2(-r[6], level);
    if (level > 1e-9) {
        out[0] = atan2(r[7], r[8]);
        out[2] = atan2(r[3], r[0]);
    } else {
        out[0] = 0;
        out[2] = atan2(-r[1], r[4]);
    }
}

/* Near half a turn the antisymmetric part vanishes: the axis is the column of r + 1 that is
 * longest. */
static void log_near_half_turn(double out[3], const double r[9], double angle_rad)
{
    const int longest = r[0] > r[4] ? (r[0] > r[8] ? 0 : 2) : (r[4] > r[8] ? 1 : 2);
    double axis[3] = {r[longest], r[3 + longest], r[6 + longest]};
    const double sign_source[3] = {r[7] - r[5], r[2] - r[6], r[3] - r[1]};

    axis[longest] += 1;
    double length = sqrt(tpi_dot3(axis, axis));
    if (tpi_dot3(axis, sign_source) < 0) {
        length = -length;
    }
    for (int i = 0; i < 3; i++) {
        out[i] = axis[i] / length * angle_rad;
    }
}

void tpi_rotation_log(double out[3], const double r[9])
{
    const double twice[3] = {r[7] - r[5], r[2] - r[6], r[3] - r[1]};
    const double sine = sqrt(tpi_dot3(twice, twice)) / 2;
    const double cosine = (r[0] + r[4] + r[8] - 1) / 2;
    const double angle_rad = atan2(sine, cosine);

    if (cosine < 0 && sine < 1e-4) {
        log_near_half_turn(out, r, angle_rad);
        return;
    }
    const double scale = sine > 1e-9 ? angle_rad / (2 * sine) : 0.5;
    for (int i = 0; i < 3; i++) {
        out[i] = twice[i] * scale;
    }
}
