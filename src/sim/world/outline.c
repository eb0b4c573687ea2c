/*
 * outline.c - from pixels to polygons.
 *
 * The border between occupied and free pixels is walked with the occupied ones on the left. Where
 * two occupied pixels touch at a corner only, the walk turns left, so that they belong to two
 * polygons (or two parts of one) which do not cross.
 */
#include "sim/world/shape.h"

enum { EAST, NORTH, WEST, SOUTH };
enum { OCCUPIED = 1, BEGUN = 2 }; /* BEGUN: the border below the pixel has been walked along */

static const int dx[] = {1, 0, -1, 0};
static const int dy[] = {0, 1, 0, -1};

struct tracer {
    struct sim_bitmap *bitmap; /* borrowed */
    tpi_buf corners;           /* of the polygon that is being walked round */
};

/* The pixel whose lower left corner is x, y, where y points up; NULL outside. */
static unsigned char *pixel(const struct tracer *t, int64_t x, int64_t y)
{
    const struct sim_bitmap *b = t->bitmap;

    if (x < 0 || y < 0 || x >= b->width || y >= b->height) {
        return NULL;
    }
    return &b->pixels[(size_t)(b->height - 1 - y) * b->width + (size_t)x];
}

static bool occupied(const struct tracer *t, int64_t x, int64_t y)
{
    const unsigned char *at = pixel(t, x, y);

    return at != NULL && (*at & OCCUPIED) != 0;
}

/* The pixel ahead of the corner x, y on the left or right of the way. */
static bool ahead(const struct tracer *t, int64_t x, int64_t y, int way, bool left)
{
    const int64_t side = left ? 1 : -1;
    const int64_t tx = dx[way] - side * dy[way]; /* way plus a turn to the side */
    const int64_t ty = dy[way] + side * dx[way];

    return occupied(t, x + (tx - 1) / 2, y + (ty - 1) / 2);
}

/* Walk round a polygon; false if it has more corners than `most`. */
static bool walk(struct tracer *t, int64_t x, int64_t y, size_t most)
{
    const int64_t start_x = x;
    const int64_t start_y = y;
    size_t count = 0;
    int way = EAST;

    tpi_buf_clear(&t->corners);
    do {
        if (way == EAST) {
            *pixel(t, x, y) |= BEGUN;
        }
        x += dx[way];
        y += dy[way];
        int turn = 0;
        if (!ahead(t, x, y, way, true)) {
            turn = 1;
        } else if (ahead(t, x, y, way, false)) {
            turn = 3;
        }
        if (turn != 0) {
            const struct sim_point corner = {(double)x, (double)y};
            tpi_buf_put(&t->corners, &corner, sizeof corner);
            count++;
        }
        way = (way + turn) % 4;
    } while (count <= most && (x != start_x || y != start_y || way != EAST));
    return count <= most;
}

/* Walk round the polygon that begins there and keep it. */
static tp_status trace(struct tracer *t, int64_t x, int64_t y, struct sim_shape *shape,
                       tp_error *err)
{
    const size_t there = shape->points.length / sizeof(struct sim_point);

    if (!walk(t, x, y, TPI_SIM_MOST_TRACED - there)) {
        return tp_fail(err, TP_E_LIMIT,
                       "the picture has more than %d corners, as noise has; remove the noise, or "
                       "scale the picture down",
                       TPI_SIM_MOST_TRACED);
    }
    const size_t count = t->corners.length / sizeof(struct sim_point);
    const struct sim_polygon polygon = {
        .first = (uint32_t)there, .count = (uint32_t)count, .z1 = 1, .simple = true};

    tpi_buf_put(&shape->points, t->corners.data, t->corners.length);
    tpi_buf_put(&shape->polygons, &polygon, sizeof polygon);
    if (t->corners.failed || shape->points.failed || shape->polygons.failed) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return TP_OK;
}

tp_status tpi_sim_shape_trace(struct sim_shape *shape, struct sim_bitmap *bitmap, tp_error *err)
{
    struct tracer t = {.bitmap = bitmap};
    tp_status status = TP_OK;

    /* every border has a lower side somewhere */
    for (int64_t y = 0; y < bitmap->height && status == TP_OK; y++) {
        for (int64_t x = 0; x < bitmap->width && status == TP_OK; x++) {
            if (*pixel(&t, x, y) == OCCUPIED && !occupied(&t, x, y - 1)) {
                status = trace(&t, x, y, shape, err);
            }
        }
    }
    tpi_buf_fini(&t.corners);
    return status;
}
