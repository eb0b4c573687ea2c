/* window.c - what stands around a robot; see window.h. */
#include "navigation/window.h"

#include <math.h>
#include <stdlib.h>

struct window_point {
    double x, y, time;
    int32_t column, row; /* of the plane */
    uint32_t cell;       /* of the torus */
};

/* Beams from one place whose angles rise, or fall. */
struct fan {
    const tpi_nav_beam *beams;
    size_t count;
    double sign;    /* -1 if they fall */
    double reach;   /* the longest of them */
    double density; /* beams per radian, on average */
};

static const double pi = 3.14159265358979323846;
static const double farthest = 1e8; /* cells from the origin */

double tpi_nav_angle(double angle)
{
    const double turned = remainder(angle, 2 * pi);

    return isfinite(turned) ? turned : 0;
}

tpi_nav_beam tpi_nav_beam_make(double x, double y, double angle, double range, bool hit)
{
    return (tpi_nav_beam){x, y, angle, cos(angle), sin(angle), range, hit};
}

tp_status tpi_nav_window_init(tpi_nav_window *window, uint32_t side, double cell, double memory,
                              tp_error *err)
{
    *window = (tpi_nav_window){.side = side, .cell = cell, .memory = memory};
    window->known = calloc((size_t)side * side, sizeof *window->known);
    window->numbers = calloc((size_t)side * side, sizeof *window->numbers);
    return window->known != NULL && window->numbers != NULL
               ? TP_OK
               : tp_fail(err, TP_E_NOMEM, "out of memory");
}

void tpi_nav_window_fini(tpi_nav_window *window)
{
    free(window->known);
    free(window->numbers);
    window->known = NULL;
    window->numbers = NULL;
    window->count = 0;
}

static void forget(tpi_nav_window *window, size_t index)
{
    struct window_point *point = &window->known[index];
    const struct window_point *last = &window->known[--window->count];

    window->numbers[point->cell] = 0;
    if (point != last) {
        *point = *last;
        window->numbers[point->cell] = (uint32_t)index + 1;
    }
}

void tpi_nav_window_clear(tpi_nav_window *window)
{
    while (window->count > 0) {
        forget(window, window->count - 1);
    }
}

static bool is_near(const tpi_nav_window *window, const tpi_nav_pose *pose, double x, double y)
{
    const double half = (window->side / 2.0 - 1) * window->cell;

    return fabs(x - pose->x) < half && fabs(y - pose->y) < half;
}

/* A pose with the cosine and sine of its angle. */
struct frame {
    double x, y, c, s;
};

static struct frame frame_of(const tpi_nav_pose *pose)
{
    return (struct frame){pose->x, pose->y, cos(pose->a), sin(pose->a)};
}

static tpi_nav_point on_robot(const struct frame *robot, double x, double y)
{
    const double dx = x - robot->x;
    const double dy = y - robot->y;

    return (tpi_nav_point){robot->c * dx + robot->s * dy, robot->c * dy - robot->s * dx};
}

/* ---- Forgetting ------------------------------------------------------------------------------ */

/* The longest fan at the beginning of some beams. */
static struct fan fan_of(const tpi_nav_beam *beams, size_t count)
{
    const bool falls = count > 1 && beams[1].angle < beams[0].angle;
    struct fan fan = {.beams = beams, .count = 1, .sign = falls ? -1 : 1, .reach = beams->range};

    while (fan.count < count && beams[fan.count].x == beams->x && beams[fan.count].y == beams->y &&
           fan.sign * (beams[fan.count].angle - beams[fan.count - 1].angle) > 0) {
        fan.reach = fmax(fan.reach, beams[fan.count].range);
        fan.count++;
    }
    if (fan.count > 1) {
        fan.density = (double)(fan.count - 1) / fabs(beams[fan.count - 1].angle - beams->angle);
    }
    return fan;
}

/* The angle of a beam; it rises along every fan. */
static double rising(const struct fan *fan, size_t i)
{
    return fan->sign * fan->beams[i].angle;
}

/* The first beam of a fan that is not before an angle. Most fans are even, so it is near to where
 * an even one has it. */
static size_t first_from(const struct fan *fan, double angle)
{
    const double even = (angle - rising(fan, 0)) * fan->density;
    size_t i = even > 0 ? (size_t)fmin(even, (double)fan->count) : 0;

    while (i > 0 && rising(fan, i - 1) >= angle) {
        i--;
    }
    while (i < fan->count && rising(fan, i) < angle) {
        i++;
    }
    return i;
}

/* Shorten the part of a beam that is between two borders along one axis. */
static void clip(double low, double high, double along, double *enter, double *leave)
{
    if (fabs(along) > 1e-12) {
        *enter = fmax(*enter, fmin(low / along, high / along));
        *leave = fmin(*leave, fmax(low / along, high / along));
    } else if (low > 0 || high < 0) {
        *leave = -1;
    }
}

/* Whether a beam goes through the cell of a point and ends well behind it. It is looked at in steps
 * of half a cell: one that only grazes a cell does not tell about it. */
static bool crosses(const tpi_nav_window *window, const struct frame *robot,
                    const tpi_nav_beam *beam, const struct window_point *point)
{
    const double x = robot->x + robot->c * beam->x - robot->s * beam->y;
    const double y = robot->y + robot->s * beam->x + robot->c * beam->y;
    const double dx = robot->c * beam->dx - robot->s * beam->dy;
    const double dy = robot->s * beam->dx + robot->c * beam->dy;
    const double left = point->column * window->cell - x;
    const double below = point->row * window->cell - y;
    const double step = window->cell / 2;
    double enter = 0;
    double leave = beam->range - 1.5 * window->cell;

    clip(left, left + window->cell, dx, &enter, &leave);
    clip(below, below + window->cell, dy, &enter, &leave);
    return step * ceil(enter / step) < leave;
}

/* Whether a beam of the fan passes a point at less than half a cell. */
static bool is_passed(const tpi_nav_window *window, const struct frame *robot,
                      const struct fan *fan, const struct window_point *point)
{
    const tpi_nav_point at = on_robot(robot, point->x, point->y);
    const double x = at.x - fan->beams->x;
    const double y = at.y - fan->beams->y;
    const double away = sqrt(x * x + y * y);
    const double margin = window->cell / 2;

    if (away >= fan->reach) {
        return false;
    }
    const double half = away > margin ? asin(margin / away) : pi;
    const double last = rising(fan, fan->count - 1) + half;
    const double at_angle = fan->sign * atan2(y, x);
    const double turns = ceil((rising(fan, 0) - half - at_angle) / (2 * pi));
    for (double angle = at_angle + 2 * pi * turns; angle <= last; angle += 2 * pi) {
        for (size_t i = first_from(fan, angle - half);
             i < fan->count && rising(fan, i) <= angle + half; i++) {
            if (fan->beams[i].range > away && crosses(window, robot, &fan->beams[i], point)) {
                return true;
            }
        }
    }
    return false;
}

static void sweep(tpi_nav_window *window, const tpi_nav_pose *pose, const struct fan *fan)
{
    const struct frame robot = frame_of(pose);

    for (size_t i = window->count; i-- > 0;) {
        const struct window_point *point = &window->known[i];
        if (is_near(window, pose, point->x, point->y) && is_passed(window, &robot, fan, point)) {
            forget(window, i);
        }
    }
}

static void forget_old(tpi_nav_window *window, double time)
{
    for (size_t i = window->count; i-- > 0;) {
        if (time - window->known[i].time > window->memory) {
            forget(window, i);
        }
    }
}

/* ---- Seeing ---------------------------------------------------------------------------------- */

/* The cell of the torus along one axis. */
static uint32_t wrap(const tpi_nav_window *window, int32_t at)
{
    const int32_t side = (int32_t)window->side;
    const int32_t rest = at % side;

    return (uint32_t)(rest < 0 ? rest + side : rest);
}

static double square_of(double x, double y)
{
    return x * x + y * y;
}

static void put(tpi_nav_window *window, const tpi_nav_pose *pose, double x, double y, double time)
{
    if (!is_near(window, pose, x, y)) {
        return;
    }
    const int32_t column = (int32_t)floor(x / window->cell);
    const int32_t row = (int32_t)floor(y / window->cell);
    const uint32_t cell = wrap(window, row) * window->side + wrap(window, column);
    const bool used = window->numbers[cell] != 0;
    const size_t index = used ? window->numbers[cell] - 1 : window->count;
    struct window_point *point = &window->known[index];
    const bool same = used && point->column == column && point->row == row;
    /* Of several points of one scan in a cell, the one that is nearest to the robot counts. */
    if (same && point->time == time &&
        square_of(point->x - pose->x, point->y - pose->y) <= square_of(x - pose->x, y - pose->y)) {
        return;
    }
    window->count += used ? 0 : 1;
    window->numbers[cell] = (uint32_t)index + 1;
    *point = (struct window_point){x, y, time, column, row, cell};
}

void tpi_nav_window_take(tpi_nav_window *window, const tpi_nav_pose *pose,
                         const tpi_nav_beam *beams, size_t count, double time)
{
    const struct frame robot = frame_of(pose);

    if (!(fabs(pose->x) / window->cell < farthest && fabs(pose->y) / window->cell < farthest)) {
        return;
    }
    forget_old(window, time);
    for (size_t i = 0; i < count;) { /* what is seen now stays, whatever else is swept */
        const struct fan fan = fan_of(&beams[i], count - i);
        sweep(window, pose, &fan);
        i += fan.count;
    }
    for (size_t i = 0; i < count; i++) {
        const double x = beams[i].x + beams[i].range * beams[i].dx;
        const double y = beams[i].y + beams[i].range * beams[i].dy;
        if (beams[i].hit) {
            put(window, pose, robot.x + robot.c * x - robot.s * y,
                robot.y + robot.s * x + robot.c * y, time);
        }
    }
}

size_t tpi_nav_window_points(const tpi_nav_window *window, const tpi_nav_pose *pose, double time,
                             tpi_nav_point *out, size_t most)
{
    const struct frame robot = frame_of(pose);
    size_t count = 0;

    for (size_t i = 0; i < window->count && count < most; i++) {
        const struct window_point *p = &window->known[i];
        if (time - p->time <= window->memory && is_near(window, pose, p->x, p->y)) {
            out[count++] = on_robot(&robot, p->x, p->y);
        }
    }
    return count;
}

tpi_nav_pose tpi_nav_between(const tpi_nav_pose *from, const tpi_nav_pose *to)
{
    const double dx = to->x - from->x;
    const double dy = to->y - from->y;

    return (tpi_nav_pose){cos(from->a) * dx + sin(from->a) * dy,
                          cos(from->a) * dy - sin(from->a) * dx, tpi_nav_angle(to->a - from->a)};
}

tpi_nav_pose tpi_nav_after(const tpi_nav_pose *from, const tpi_nav_pose *by)
{
    return (tpi_nav_pose){from->x + cos(from->a) * by->x - sin(from->a) * by->y,
                          from->y + sin(from->a) * by->x + cos(from->a) * by->y,
                          tpi_nav_angle(from->a + by->a)};
}
