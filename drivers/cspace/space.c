/* space.c - free space for a robot of some size; see space.h. */
#include "space.h"

#include <math.h>
#include <stdlib.h>

static const double circle = 6.283185307179586;
static const double touch = 1e-9; /* as a part of the outline: nearer than that is on it */

/* The directions in which a point is in the way, and where it is. */
typedef struct space_arc {
    double left;
    double right;
    space_point point;
    int32_t first; /* direction of the fan */
    int32_t last;
    int32_t from; /* once joined: the first direction in which it counts */
} space_arc;

static double dot(space_point a, space_point b)
{
    return a.x * b.x + a.y * b.y;
}

static double cross(space_point a, space_point b)
{
    return a.x * b.y - a.y * b.x;
}

static space_point minus(space_point a, space_point b)
{
    return (space_point){a.x - b.x, a.y - b.y};
}

/* ---- The outline ----------------------------------------------------------------------------- */

/* No corner turns right, the centre is to the left of every edge, and it goes around once: then it
 * is convex. */
static bool set_edges(space_outline *out)
{
    double turned = 0;

    for (uint32_t i = 0; i < out->corner_count; i++) {
        const space_point at = out->corners[i];
        const space_point next = out->corners[(i + 1) % out->corner_count];
        const space_point along = minus(next, at);
        const double length = hypot(along.x, along.y);
        space_edge *edge = &out->edges[i];
        *edge = (space_edge){.normal = {along.y / length, -along.x / length}};
        edge->offset = dot(edge->normal, at);
        const space_point after = minus(out->corners[(i + 2) % out->corner_count], next);
        const double turn = cross(along, after) / (length * hypot(after.x, after.y));
        if (!(edge->offset > 0 && turn >= -touch)) { /* neither is true of what is no number */
            return false;
        }
        turned += atan2(cross(at, next), dot(at, next));
    }
    return turned < 1.5 * circle;
}

tp_status tpi_cspace_space_outline_set(space_outline *out, const space_point *corners, size_t count,
                                       tp_error *err)
{
    double area = 0;

    if (count < 3 || count > SPACE_MOST_CORNERS) {
        return tp_fail(err, TP_E_INVALID, "an outline has 3 to %d corners, not %zu",
                       SPACE_MOST_CORNERS, count);
    }
    for (size_t i = 0; i < count; i++) {
        area += cross(corners[i], corners[(i + 1) % count]);
    }
    *out = (space_outline){.corner_count = (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        out->corners[i] = corners[area > 0 ? i : count - 1 - i];
    }
    return set_edges(out)
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "the outline is not convex around the robot's centre");
}

/* How far the robot can go in a direction of the point's arc. */
static double way_to(const space_outline *outline, space_point p, space_point u)
{
    const double along = dot(p, u);
    double way = 0;

    if (outline->radius > 0) {
        const double across = cross(u, p);
        const double root = outline->radius * outline->radius - across * across;
        return fmax(0, along - (root > 0 ? sqrt(root) : 0));
    }
    for (uint32_t i = 0; i < outline->corner_count; i++) { /* until all edges are passed inwards */
        const space_edge *edge = &outline->edges[i];
        const double ahead = dot(edge->normal, p) - edge->offset;
        const double speed = dot(edge->normal, u);
        way = ahead > 0 && speed > 0 ? fmax(way, ahead / speed) : way;
    }
    return way;
}

/* ---- Arcs ------------------------------------------------------------------------------------ */

static void span_circle(const space_outline *outline, space_arc *arc)
{
    const double middle = atan2(arc->point.y, arc->point.x);
    const double distance = hypot(arc->point.x, arc->point.y);
    const double half = distance > outline->radius ? asin(outline->radius / distance) : circle / 4;

    arc->left = middle - half;
    arc->right = middle + half;
}

/* The edge where the line from the centre through a point that is touched leaves the outline; NULL
 * for a point outside. */
static const space_edge *find_touched(const space_outline *outline, space_point p)
{
    const space_edge *nearest = outline->edges;
    double most = -HUGE_VAL;

    for (uint32_t i = 0; i < outline->corner_count; i++) {
        const space_edge *edge = &outline->edges[i];
        const double part = dot(edge->normal, p) / edge->offset;
        nearest = part > most ? edge : nearest;
        most = fmax(most, part);
    }
    return most > 1 + touch ? NULL : nearest;
}

/* Seen from the centre, the outline around the point lies between two of its corners. */
static void span_polygon(const space_outline *outline, space_arc *arc)
{
    const space_edge *touched = find_touched(outline, arc->point);

    if (touched != NULL) {
        const double middle = atan2(touched->normal.y, touched->normal.x);
        arc->left = middle - circle / 4;
        arc->right = middle + circle / 4;
        return;
    }
    space_point right = minus(arc->point, outline->corners[0]);
    space_point left = right;
    for (uint32_t i = 1; i < outline->corner_count; i++) {
        const space_point corner = minus(arc->point, outline->corners[i]);
        left = cross(left, corner) < 0 ? corner : left;
        right = cross(right, corner) > 0 ? corner : right;
    }
    arc->left = atan2(left.y, left.x);
    arc->right = arc->left + atan2(cross(left, right), dot(left, right));
}

/* The arc as it lies in the fan, once or, if it goes across the fan's ends, twice. */
static uint32_t place(const space_fan *fan, const space_arc *arc, space_arc *out)
{
    const double end = fan->first + fan->step * (fan->count - 1);
    const double turns = ceil((fan->first - arc->right) / circle);
    uint32_t made = 0;

    for (double shift = turns * circle; arc->left + shift <= end && made < 2; shift += circle) {
        space_arc *copy = &out[made];
        *copy = *arc;
        copy->left += shift;
        copy->right += shift;
        copy->first = (int32_t)fmax(0, ceil((copy->left - fan->first) / fan->step));
        copy->last = (int32_t)fmin(fan->count - 1, floor((copy->right - fan->first) / fan->step));
        made += copy->first <= copy->last;
    }
    return made;
}

/* ---- Sorting --------------------------------------------------------------------------------- */

static void merge(const space_arc *from, space_arc *to, uint32_t low, uint32_t middle,
                  uint32_t high)
{
    uint32_t a = low;
    uint32_t b = middle;

    for (uint32_t i = low; i < high; i++) {
        const bool first = b >= high || (a < middle && from[a].left <= from[b].left);
        to[i] = first ? from[a++] : from[b++];
    }
}

/* The library's qsort() may allocate. The result is in s->arcs. */
static void sort(space *s, uint32_t count)
{
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t low = 0; low < count; low += 2 * width) {
            const uint32_t middle = low + width < count ? low + width : count;
            const uint32_t high = low + 2 * width < count ? low + 2 * width : count;
            merge(s->arcs, s->spare, low, middle, high);
        }
        space_arc *sorted = s->spare;
        s->spare = s->arcs;
        s->arcs = sorted;
    }
}

/* ---- Joining --------------------------------------------------------------------------------- */

/* The first direction in which `later` counts and not `earlier`. */
static int32_t change(const space *s, const space_outline *outline, const space_arc *earlier,
                      const space_arc *later)
{
    int32_t low = later->first;
    int32_t high = earlier->last + 1;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const space_point u = s->headings[middle];
        if (way_to(outline, later->point, u) <= way_to(outline, earlier->point, u)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* Of the sorted arcs those that count somewhere, each from where it does; they are moved to the
 * front. */
static uint32_t join(space *s, const space_outline *outline, uint32_t count)
{
    double reached = -HUGE_VAL;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        space_arc arc = s->arcs[i];
        if (arc.right <= reached) { /* inside another one */
            continue;
        }
        reached = arc.right;
        arc.from = arc.first;
        while (kept > 0) {
            arc.from = change(s, outline, &s->arcs[kept - 1], &arc);
            if (arc.from > s->arcs[kept - 1].from) {
                break;
            }
            kept--;
        }
        arc.from = kept > 0 ? arc.from : arc.first;
        s->arcs[kept++] = arc;
    }
    return kept;
}

/* ---- All of it ------------------------------------------------------------------------------- */

void tpi_cspace_space_fini(space *s)
{
    free(s->arcs);
    free(s->spare);
    free(s->headings);
}

static bool make_room(space *s, uint32_t point_count, const space_fan *fan)
{
    if (point_count > s->point_capacity) {
        const size_t size = 2 * (size_t)point_count * sizeof(space_arc);
        space_arc *arcs = realloc(s->arcs, size);
        s->arcs = arcs == NULL ? s->arcs : arcs;
        space_arc *spare = realloc(s->spare, size);
        s->spare = spare == NULL ? s->spare : spare;
        s->point_capacity = arcs == NULL || spare == NULL ? s->point_capacity : point_count;
    }
    if (fan->count > s->heading_capacity) {
        space_point *headings = realloc(s->headings, fan->count * sizeof *headings);
        s->headings = headings == NULL ? s->headings : headings;
        s->heading_capacity = headings == NULL ? s->heading_capacity : fan->count;
    }
    return point_count <= s->point_capacity && fan->count <= s->heading_capacity;
}

static void set_headings(space *s, const space_fan *fan)
{
    if (s->fan.first == fan->first && s->fan.step == fan->step && s->fan.count == fan->count) {
        return;
    }
    for (uint32_t i = 0; i < fan->count; i++) {
        const double angle = fan->first + fan->step * i;
        s->headings[i] = (space_point){cos(angle), sin(angle)};
    }
    s->fan = *fan;
}

static uint32_t make_arcs(space *s, const space_outline *outline, const space_point *points,
                          uint32_t point_count)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < point_count; i++) {
        space_arc arc = {.point = points[i]};
        if (outline->radius > 0) {
            span_circle(outline, &arc);
        } else {
            span_polygon(outline, &arc);
        }
        count += place(&s->fan, &arc, &s->arcs[count]);
    }
    return count;
}

bool tpi_cspace_space_clear(space *s, const space_outline *outline, const space_point *points,
                            uint32_t point_count, const space_fan *fan, double most, double *ways)
{
    if (!make_room(s, point_count, fan)) {
        return false;
    }
    set_headings(s, fan);
    uint32_t count = make_arcs(s, outline, points, point_count);
    sort(s, count);
    count = join(s, outline, count);
    for (uint32_t i = 0; i < fan->count; i++) {
        ways[i] = most;
    }
    for (uint32_t i = 0; i < count; i++) {
        const space_arc *arc = &s->arcs[i];
        const int32_t end = i + 1 < count ? s->arcs[i + 1].from - 1 : arc->last;
        for (int32_t k = arc->from; k <= arc->last && k <= end; k++) {
            ways[k] = fmin(most, way_to(outline, arc->point, s->headings[k]));
        }
    }
    return true;
}
