/* room.c - the room that all sensors look at: four walls and a few round posts. */
#include <math.h>

#include "fake.h"

static const double half_length_m = 5;
static const double half_width_m = 4;
static const double margin_m = 0.1; /* the nearest that a pose gets to a wall */

/* Posts stand away from the origin, where robots start, and from the walls. */
void tpi_fake_room_init(fake_room *room, fake_random *random)
{
    room->half_x = half_length_m;
    room->half_y = half_width_m;
    for (size_t i = 0; i < FAKE_POSTS; i++) {
        const double angle = tpi_fake_random_between(random, 0, 2) + 2.1 * (double)i;
        const double distance = tpi_fake_random_between(random, 2, 3);
        room->posts[i].x = distance * cos(angle);
        room->posts[i].y = distance * sin(angle);
        room->posts[i].radius = tpi_fake_random_between(random, 0.1, 0.3);
    }
}

static double clamp(double value, double most)
{
    return fmax(-most, fmin(most, value));
}

/* From a coordinate inside the room to the wall that the ray goes towards. */
static double wall_ray(double from, double direction, double half)
{
    return direction == 0 ? (double)INFINITY : (copysign(half, direction) - from) / direction;
}

/* To a circle about (x, y), seen from the origin along a unit vector; infinite if it is missed. */
static double post_ray(double x, double y, double radius, double dx, double dy)
{
    const double along = x * dx + y * dy;
    const double across = x * dy - y * dx;
    const double inside = radius * radius - across * across;
    const double distance = inside < 0 ? -1 : along - sqrt(inside);

    return distance < 0 ? (double)INFINITY : distance;
}

double tpi_fake_room_ray(const fake_room *room, const tp_pose2d *from, double angle, double most)
{
    const double x = clamp(from->px, room->half_x - margin_m);
    const double y = clamp(from->py, room->half_y - margin_m);
    const double dx = cos(from->pa + angle);
    const double dy = sin(from->pa + angle);
    double range = fmin(wall_ray(x, dx, room->half_x), wall_ray(y, dy, room->half_y));

    for (size_t i = 0; i < FAKE_POSTS; i++) {
        range = fmin(range, post_ray(room->posts[i].x - x, room->posts[i].y - y,
                                     room->posts[i].radius, dx, dy));
    }
    return fmin(range, most);
}

bool tpi_fake_room_is_solid(const fake_room *room, double x, double y)
{
    bool solid = fabs(x) >= room->half_x || fabs(y) >= room->half_y;

    for (size_t i = 0; i < FAKE_POSTS; i++) {
        solid = solid || hypot(x - room->posts[i].x, y - room->posts[i].y) < room->posts[i].radius;
    }
    return solid;
}

tp_pose2d tpi_fake_eye(const fake_device *d)
{
    const tp_pose3d mounted = tpi_fake_pose(d);
    const tp_pose2d flat = {.px = mounted.px, .py = mounted.py, .pa = mounted.pyaw};

    return tpi_fake_compose(&d->owner->robot, &flat);
}
