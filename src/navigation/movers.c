/* movers.c - what moves around a robot; see movers.h. */
#include "navigation/movers.h"

#include <math.h>

static const double gap = 0.25;     /* m: readings that are farther apart are of two things */
static const double widest = 0.8;   /* m: of something that moves */
static const double leap = 0.5;     /* m: between two scans */
static const double slowest = 0.15; /* m/s */
static const double fastest = 2;
static const double gone_s = 3;     /* without being seen, outside of the view */
static const double hidden_s = 0.5; /* where a beam passes: it is elsewhere */
static const double got_on = 0.2;   /* m: from where it was seen first; what is near, less */
static const double skin = 0.1;     /* m: around what is seen of it */
static const double rest_s = 2;     /* how slowly its pace is forgotten when it stands */
static const double start = 0.2;    /* m/s: one that stands may walk on with that at least */
static const double creep = 0.1;    /* m: what gets on by so much... */
static const double stand_s = 3;    /* ...in this time has not stopped */

enum { SEEN_OFTEN = 4 };

/* A group of readings. */
struct group {
    tpi_nav_point first, last, sum;
    size_t count;
    bool cut_first, cut_last; /* the view ends at that side of it */
};

void tpi_nav_movers_clear(tpi_nav_movers *movers)
{
    *movers = (tpi_nav_movers){0};
}

/* A pose with the sine and cosine of its angle. */
struct frame {
    double x, y, c, s;
};

static tpi_nav_point end_of(const struct frame *robot, const tpi_nav_beam *beam)
{
    const double x = beam->x + beam->range * beam->dx;
    const double y = beam->y + beam->range * beam->dy;

    return (tpi_nav_point){robot->x + robot->c * x - robot->s * y,
                           robot->y + robot->s * x + robot->c * y};
}

static double between(tpi_nav_point a, tpi_nav_point b)
{
    const double dx = a.x - b.x;
    const double dy = a.y - b.y;

    return sqrt(dx * dx + dy * dy);
}

/* ---- Following ------------------------------------------------------------------------------- */

static tpi_nav_point expected(const struct nav_track *track, double time)
{
    const double since = time - track->time;

    return (tpi_nav_point){track->at.x + track->at.vx * since, track->at.y + track->at.vy * since};
}

static struct nav_track *find(tpi_nav_movers *movers, tpi_nav_point at, double time)
{
    struct nav_track *best = NULL;
    double least = leap;

    for (size_t i = 0; i < TPI_NAV_MOST_MOVERS; i++) {
        struct nav_track *track = &movers->tracks[i];
        if (track->seen > 0 && track->time < time) {
            const double away = between(expected(track, time), at);
            if (away < least) {
                least = away;
                best = track;
            }
        }
    }
    return best;
}

/* Room for a new one: an empty place, otherwise that of the oldest. */
static struct nav_track *room(tpi_nav_movers *movers)
{
    struct nav_track *oldest = &movers->tracks[0];

    for (size_t i = 0; i < TPI_NAV_MOST_MOVERS; i++) {
        struct nav_track *track = &movers->tracks[i];
        if (track->seen == 0) {
            return track;
        }
        oldest = track->time < oldest->time ? track : oldest;
    }
    return oldest;
}

/* Whether it walks: it is fast enough and has got somewhere, and has not stood for long since. */
static void judge(struct nav_track *track, double away)
{
    const tpi_nav_point at = {track->at.x, track->at.y};
    const double enough = fmin(got_on, 0.05 + 0.1 * away); /* it is measured so well */
    const double way = between(at, track->born);

    if (track->walks ? way >= creep
                     : track->seen >= SEEN_OFTEN && way >= enough &&
                           hypot(track->at.vx, track->at.vy) >= slowest) {
        track->walks = true;
        track->born = at;
        track->got_on = track->time;
    } else if (track->walks && track->time - track->got_on > stand_s) {
        track->walks = false;
        track->born = at;
    }
}

static void follow(struct nav_track *track, tpi_nav_point at, double radius, double away,
                   double time)
{
    const double since = time - track->time;
    const tpi_nav_point guess = expected(track, time);
    const double dx = at.x - guess.x;
    const double dy = at.y - guess.y;
    const double gain = track->seen == 1 ? 1 : 0.35;

    track->at.x = guess.x + 0.6 * dx;
    track->at.y = guess.y + 0.6 * dy;
    track->at.vx += gain * dx / since;
    track->at.vy += gain * dy / since;
    const double speed = hypot(track->at.vx, track->at.vy);
    if (speed > fastest) {
        track->at.vx *= fastest / speed;
        track->at.vy *= fastest / speed;
    }
    track->at.radius = radius;
    track->at.pace = fmax(fmin(speed, fastest), track->at.pace * exp(-since / rest_s));
    track->time = time;
    track->seen++;
    judge(track, away);
}

/* Another part of a thing is its place from now on: it has not moved there. */
static void shift(struct nav_track *track, tpi_nav_point at, double time)
{
    const tpi_nav_point guess = expected(track, time);

    track->born.x += at.x - guess.x;
    track->born.y += at.y - guess.y;
    track->at.x += at.x - guess.x;
    track->at.y += at.y - guess.y;
}

/* The middle of a group; of one that the view cuts, the edge that is seen, as its middle would move
 * when more of it comes into view. */
static tpi_nav_point place_of(const struct group *g)
{
    const tpi_nav_point middle = {g->sum.x / (double)g->count, g->sum.y / (double)g->count};

    return g->cut_first ? g->last : g->cut_last ? g->first : middle;
}

static void take_group(tpi_nav_movers *movers, const struct group *g, const struct frame *robot,
                       double time)
{
    const double width = between(g->first, g->last);
    const bool partly = g->cut_first || g->cut_last;

    if (g->count < 2 || width > widest || (g->cut_first && g->cut_last)) {
        return;
    }
    const tpi_nav_point at = place_of(g);
    const double radius = fmax(width / 2, 0.15) + skin;
    struct nav_track *track = find(movers, at, time);
    if (track == NULL) {
        *room(movers) = (struct nav_track){.at = {.x = at.x, .y = at.y, .radius = radius},
                                           .born = at,
                                           .time = time,
                                           .seen = 1,
                                           .partly = partly};
        return;
    }
    if (track->partly != partly) {
        shift(track, at, time);
        track->partly = partly;
    }
    follow(track, at, radius, between(at, (tpi_nav_point){robot->x, robot->y}), time);
}

/* Whether a reading at the side of a group is nearer: then more of it may be behind that. */
static bool hides(const tpi_nav_beam *side, const tpi_nav_beam *edge)
{
    return side->range < edge->range - 0.1;
}

/* Whether a beam goes past a place: nothing can be there. */
static bool is_passed(const struct frame *robot, tpi_nav_point at, const tpi_nav_beam *beams,
                      size_t count)
{
    const double dx = at.x - robot->x;
    const double dy = at.y - robot->y;
    const double x = robot->c * dx + robot->s * dy;
    const double y = robot->c * dy - robot->s * dx;

    for (size_t i = 0; i < count; i++) {
        const double along = (x - beams[i].x) * beams[i].dx + (y - beams[i].y) * beams[i].dy;
        const double off = (y - beams[i].y) * beams[i].dx - (x - beams[i].x) * beams[i].dy;
        if (fabs(off) < 0.02 * along && beams[i].range > along + leap) {
            return true;
        }
    }
    return false;
}

static void forget_old(tpi_nav_movers *movers, const struct frame *robot, const tpi_nav_beam *beams,
                       size_t count, double time)
{
    for (size_t i = 0; i < TPI_NAV_MOST_MOVERS; i++) {
        struct nav_track *track = &movers->tracks[i];
        const double since = time - track->time;
        if (track->seen == 0) {
            continue;
        }
        if (!(since >= 0 && since <= gone_s) ||
            (since > hidden_s && is_passed(robot, expected(track, time), beams, count))) {
            track->seen = 0;
        }
    }
}

/* ---- Scans ----------------------------------------------------------------------------------- */

void tpi_nav_movers_take(tpi_nav_movers *movers, const tpi_nav_pose *pose,
                         const tpi_nav_beam *beams, size_t count, double time)
{
    const struct frame robot = {pose->x, pose->y, cos(pose->a), sin(pose->a)};

    forget_old(movers, &robot, beams, count, time);
    for (size_t i = 0; i < count;) {
        if (!beams[i].hit) {
            i++;
            continue;
        }
        struct group g = {.count = 0};
        const size_t begin = i;
        while (i < count && beams[i].hit) {
            const tpi_nav_point at = end_of(&robot, &beams[i]);
            if (g.count > 0 && between(at, g.last) > gap) {
                break;
            }
            g.first = g.count == 0 ? at : g.first;
            g.last = at;
            g.sum.x += at.x;
            g.sum.y += at.y;
            g.count++;
            i++;
        }
        g.cut_first = begin == 0;
        g.cut_last = i == count;
        if ((g.cut_first || !hides(&beams[begin - 1], &beams[begin])) &&
            (g.cut_last || !hides(&beams[i], &beams[i - 1]))) {
            take_group(movers, &g, &robot, time);
        }
    }
}

size_t tpi_nav_movers_around(const tpi_nav_movers *movers, const tpi_nav_pose *pose, double time,
                             tpi_nav_mover out[TPI_NAV_MOST_MOVERS])
{
    const double c = cos(pose->a);
    const double s = sin(pose->a);
    size_t count = 0;

    for (size_t i = 0; i < TPI_NAV_MOST_MOVERS; i++) {
        const struct nav_track *track = &movers->tracks[i];
        const tpi_nav_mover *m = &track->at;
        if (track->seen == 0 || !track->walks || !(time - track->time <= gone_s)) {
            continue;
        }
        const tpi_nav_point at = expected(track, time);
        const double dx = at.x - pose->x;
        const double dy = at.y - pose->y;
        out[count++] = (tpi_nav_mover){.x = c * dx + s * dy,
                                       .y = c * dy - s * dx,
                                       .vx = c * m->vx + s * m->vy,
                                       .vy = c * m->vy - s * m->vx,
                                       .radius = m->radius,
                                       .pace = fmax(m->pace, start)};
    }
    return count;
}
