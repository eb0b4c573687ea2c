/* maps.c - map and vectormap: the room, as a grid and as shapes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "troupe/interfaces/map.h"
#include "troupe/interfaces/vectormap.h"

/* ---- map ------------------------------------------------------------------------------------- */

enum {
    CELLS_PER_M = 10,
    POST_SIDES = 4,
    SEGMENTS = 4 + FAKE_POSTS * POST_SIDES,
};

struct map {
    tp_map_info info;
    int8_t *tile; /* owned: room for an answer */
    tp_segment segments[SEGMENTS];
};

static tp_status map_begin(fake_device *d, tp_error *err)
{
    struct map *m = d->state;
    const fake_room *room = &d->owner->room;

    (void)err;
    m->info = (tp_map_info){
        .scale = 1.0f / CELLS_PER_M,
        .width = (uint32_t)(2 * room->half_x * CELLS_PER_M),
        .height = (uint32_t)(2 * room->half_y * CELLS_PER_M),
        .origin = {.px = -room->half_x, .py = -room->half_y},
    };
    return TP_OK;
}

static void map_end(fake_device *d)
{
    free(((struct map *)d->state)->tile);
}

static tp_status map_get_info(tp_device *device, tp_map_info *answer, tp_error *err)
{
    (void)err;
    *answer = ((const struct map *)fake_state(device))->info;
    return TP_OK;
}

/* 1 for occupied, -1 for free, 0 beyond the map. The outermost cells are the walls. */
static int8_t cell(const fake_device *d, uint64_t column, uint64_t row)
{
    const struct map *m = d->state;
    const double x = m->info.origin.px + ((double)column + 0.5) / CELLS_PER_M;
    const double y = m->info.origin.py + ((double)row + 0.5) / CELLS_PER_M;

    if (column >= m->info.width || row >= m->info.height) {
        return 0;
    }
    if (column == 0 || row == 0 || column == m->info.width - 1 || row == m->info.height - 1) {
        return 1;
    }
    return tpi_fake_room_is_solid(&d->owner->room, x, y) ? 1 : -1;
}

/* The tile is as large as was asked for, but not larger than the map; what lies beyond the map is
 * unknown. */
static tp_status map_get_data(tp_device *device, const tp_map_data *ask, tp_map_data *answer,
                              tp_error *err)
{
    fake_device *d = fake_of(device);
    struct map *m = d->state;
    const uint32_t width = ask->width < m->info.width ? ask->width : m->info.width;
    const uint32_t height = ask->height < m->info.height ? ask->height : m->info.height;
    const size_t count = (size_t)width * height;

    int8_t *tile = realloc(m->tile, count + 1);
    if (tile == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    m->tile = tile;
    for (size_t i = 0; i < count; i++) {
        tile[i] = cell(d, (uint64_t)ask->col + i % width, (uint64_t)ask->row + i / width);
    }
    *answer = (tp_map_data){.col = ask->col,
                            .row = ask->row,
                            .width = width,
                            .height = height,
                            .data_count = (uint32_t)count,
                            .data_range = 1,
                            .data = tile};
    return TP_OK;
}

/* A polygon with its corners on an ellipse: turned by half a side, four of them are a rectangle. */
static tp_segment side(double x, double y, double radius_x, double radius_y, unsigned i)
{
    const double from = 1.5707963267948966 * (i + 0.5);
    const double to = 1.5707963267948966 * (i + 1.5);

    return (tp_segment){.x0 = x + radius_x * cos(from),
                        .y0 = y + radius_y * sin(from),
                        .x1 = x + radius_x * cos(to),
                        .y1 = y + radius_y * sin(to)};
}

static tp_segment wall(const fake_room *room, unsigned i)
{
    return side(0, 0, room->half_x * sqrt(2), room->half_y * sqrt(2), i);
}

static tp_status map_get_vector(tp_device *device, tp_map_data_vector *answer, tp_error *err)
{
    struct map *m = fake_state(device);
    const fake_room *room = &fake_of(device)->owner->room;

    (void)err;
    for (unsigned i = 0; i < SEGMENTS; i++) {
        const unsigned post = i / POST_SIDES - 1;
        m->segments[i] = i < 4 ? wall(room, i)
                               : side(room->posts[post].x, room->posts[post].y,
                                      room->posts[post].radius, room->posts[post].radius, i % 4);
    }
    *answer = (tp_map_data_vector){.minx = (float)-room->half_x,
                                   .maxx = (float)room->half_x,
                                   .miny = (float)-room->half_y,
                                   .maxy = (float)room->half_y,
                                   .segments_count = SEGMENTS,
                                   .segments = m->segments};
    return TP_OK;
}

static const tp_map_ops map_ops = {
    .req_get_info = map_get_info,
    .req_get_data = map_get_data,
    .req_get_vector = map_get_vector,
};

/* ---- vectormap: a layer "walls", and whatever clients write ---------------------------------- */

enum { LAYERS = 16, MOST_LAYER_SIZE = 1 << 20, WALLS = 4, WKB_LINE = 2, WKB_SIZE = 9 + 4 * 8 };

struct layers {
    tp_vectormap_layer_data *written[LAYERS]; /* owned, each one block; the first is "walls" */
    uint32_t count;
    tp_vectormap_layer_info infos[LAYERS]; /* room for an answer */
};

/* A line of two points as well-known binary, low bytes first. */
static void put_wkb(uint8_t *bytes, const tp_segment *line)
{
    const double places[] = {line->x0, line->y0, line->x1, line->y1};

    memset(bytes, 0, WKB_SIZE);
    bytes[0] = 1;
    bytes[1] = WKB_LINE;
    bytes[5] = 2;
    for (size_t i = 0; i < 4; i++) {
        uint64_t bits;
        memcpy(&bits, &places[i], sizeof bits);
        for (size_t k = 0; k < 8; k++) {
            bytes[9 + i * 8 + k] = (uint8_t)(bits >> 8 * k);
        }
    }
}

static tp_status keep_layer(struct layers *l, uint32_t at, const tp_vectormap_layer_data *layer,
                            tp_error *err)
{
    void *copy = NULL;

    if (tp_value_copy(&copy, &tp_desc_vectormap_layer_data, layer, NULL) != TP_OK) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    free(l->written[at]);
    l->written[at] = copy;
    l->count = at < l->count ? l->count : at + 1;
    return TP_OK;
}

static tp_status layers_begin(fake_device *d, tp_error *err)
{
    uint8_t wkb[WALLS][WKB_SIZE];
    tp_vectormap_feature_data features[WALLS];
    const tp_vectormap_layer_data walls = {.name_count = 6,
                                           .name = fake_chars("walls"),
                                           .features_count = WALLS,
                                           .features = features};

    for (unsigned i = 0; i < WALLS; i++) {
        const tp_segment line = wall(&d->owner->room, i);
        put_wkb(wkb[i], &line);
        features[i] = (tp_vectormap_feature_data){.name_count = 5,
                                                  .name = fake_chars("wall"),
                                                  .wkb_count = WKB_SIZE,
                                                  .wkb = wkb[i],
                                                  .attrib_count = 1,
                                                  .attrib = fake_chars("")};
    }
    return keep_layer(d->state, 0, &walls, err);
}

static void layers_end(fake_device *d)
{
    struct layers *l = d->state;

    for (uint32_t i = 0; i < l->count; i++) {
        free(l->written[i]);
    }
}

static bool same_text(const char *a, uint32_t a_count, const char *b, uint32_t b_count)
{
    char name[256];

    tpi_counted_copy(name, sizeof name, a, a_count);
    return tpi_counted_is(b, b_count, name);
}

/* The place of a layer by its name; the number of layers if it is new. */
static uint32_t find_layer(const struct layers *l, const char *name, uint32_t count)
{
    uint32_t i = 0;

    while (i < l->count &&
           !same_text(name, count, l->written[i]->name, l->written[i]->name_count)) {
        i++;
    }
    return i;
}

static tp_status layers_get_info(tp_device *device, tp_vectormap_info *answer, tp_error *err)
{
    struct layers *l = fake_state(device);
    const fake_room *room = &fake_of(device)->owner->room;
    const tp_extent2d extent = {-room->half_x, -room->half_y, room->half_x, room->half_y};

    (void)err;
    for (uint32_t i = 0; i < l->count; i++) {
        l->infos[i] = (tp_vectormap_layer_info){
            .name_count = l->written[i]->name_count, .name = l->written[i]->name, .extent = extent};
    }
    answer->layers = l->infos;
    answer->layers_count = l->count;
    answer->extent = extent;
    return TP_OK;
}

static tp_status layers_get(tp_device *device, const tp_vectormap_layer_data *ask,
                            tp_vectormap_layer_data *answer, tp_error *err)
{
    const struct layers *l = fake_state(device);
    const uint32_t at = find_layer(l, ask->name, ask->name_count);

    if (at == l->count) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no such layer");
    }
    *answer = *l->written[at];
    return TP_OK;
}

static tp_status layers_write(tp_device *device, const tp_vectormap_layer_data *ask, tp_error *err)
{
    struct layers *l = fake_state(device);
    const uint32_t at = find_layer(l, ask->name, ask->name_count);

    if (ask->name_count == 0 || ask->name_count > FAKE_LABEL) {
        return tp_fail(err, TP_E_RANGE, "a layer's name has 1 to %d characters", FAKE_LABEL - 1);
    }
    if (at == LAYERS) {
        return tp_fail(err, TP_E_LIMIT, "there are %d layers already", LAYERS);
    }
    tp_status status =
        tpi_fake_check_size(&tp_desc_vectormap_layer_data, ask, MOST_LAYER_SIZE, err);
    return status == TP_OK ? keep_layer(l, at, ask, err) : status;
}

static const tp_vectormap_ops layers_ops = {
    .req_get_map_info = layers_get_info,
    .req_get_layer_data = layers_get,
    .req_write_layer = layers_write,
};

const fake_kind tpi_fake_maps[] = {
    {
        .interface = &tp_interface_map,
        .ops = &map_ops,
        .state_size = sizeof(struct map),
        .begin = map_begin,
        .end = map_end,
    },
    {
        .interface = &tp_interface_vectormap,
        .ops = &layers_ops,
        .state_size = sizeof(struct layers),
        .begin = layers_begin,
        .end = layers_end,
    },
    {0},
};
