/* scenes.c - scene: models, shapes, pictures and drawings of a world; see scenes.h. */
#include "scenes.h"

#include <stdlib.h>
#include <string.h>

#include "sim/sense/sensors.h"
#include "sim/sketch.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

/* From the last to the first, so that lists have the order of the devices. */
static void list_devices(const simd *s, struct simd_scene *scene)
{
    for (size_t i = s->device_count; i-- > 0;) {
        const tpi_sim_model model = s->devices[i]->model;
        if (model != TPI_SIM_NONE) {
            scene->next_device[i] = scene->first_device[model];
            scene->first_device[model] = (uint32_t)i + 1;
        }
    }
}

tp_status tpi_simd_scene_prepare(simd_device *d, tp_error *err)
{
    const simd *s = d->owner;
    struct simd_scene *scene = d->state;

    if (scene->looks != NULL) {
        return TP_OK;
    }
    free(scene->first_device);
    free(scene->next_device);
    scene->first_device = calloc((size_t)tpi_sim_model_count(s->world) + 1, sizeof(uint32_t));
    scene->next_device = calloc(s->device_count + 1, sizeof(uint32_t));
    if (scene->first_device == NULL || scene->next_device == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    list_devices(s, scene);
    return tpi_sim_looks_create(&scene->looks, s->world, err);
}

static tp_status scene_begin(simd_device *d, tp_error *err)
{
    (void)err;
    d->owner->scene = d;
    return TP_OK;
}

static void scene_end(simd_device *d)
{
    struct simd_scene *scene = d->state;

    tpi_sim_looks_destroy(scene->looks);
    free(scene->first_device);
    free(scene->next_device);
    tpi_buf_fini(&scene->items);
    tpi_buf_fini(&scene->text);
    tpi_buf_fini(&scene->numbers);
    tpi_buf_fini(&scene->moved);
    tpi_buf_fini(&scene->shifted);
    tpi_buf_fini(&scene->poses);
    tpi_buf_fini(&scene->lights);
    tpi_buf_fini(&scene->shifts);
}

static void scene_returned(simd_device *d)
{
    tpi_simd_scene_changed(d->owner);
}

/* The scene of a device, ready to answer; room for the answer is empty. NULL if memory ran out. */
static struct simd_scene *prepare(tp_device *device, tp_error *err)
{
    struct simd_scene *scene = simd_state(device);

    if (tpi_simd_scene_prepare(simd_of(device), err) != TP_OK) {
        return NULL;
    }
    tpi_buf_clear(&scene->items);
    tpi_buf_clear(&scene->text);
    tpi_buf_clear(&scene->numbers);
    return scene;
}

static tp_status finish(const struct simd_scene *scene, tp_error *err)
{
    return scene->items.failed || scene->text.failed || scene->numbers.failed
               ? tp_fail(err, TP_E_NOMEM, "out of memory")
               : TP_OK;
}

static tp_color color_of(uint32_t colour)
{
    return (tp_color){.alpha = (uint8_t)(colour & 255),
                      .red = (uint8_t)(colour >> 24),
                      .green = (uint8_t)(colour >> 16 & 255),
                      .blue = (uint8_t)(colour >> 8 & 255)};
}

/* ---- The whole ------------------------------------------------------------------------------- */

static tp_status get_info(tp_device *device, tp_scene_info *answer, tp_error *err)
{
    const simd *s = simd_of(device)->owner;
    struct simd_scene *scene = prepare(device, err);
    uint32_t colour = 0;
    double ambient = 0;

    if (scene == NULL) {
        return TP_E_NOMEM;
    }
    const tpi_sim_bounds bounds = tpi_sim_looks_bounds(scene->looks);
    tpi_sim_look_ground(s->world, &colour, &ambient);
    tpi_buf_puts(&scene->text, tpi_sim_name(s->world));
    *answer = (tp_scene_info){
        .title_count = (uint32_t)scene->text.length + 1,
        .title = scene->text.data,
        .revision = tpi_sim_look_changes(s->world),
        .models = tpi_sim_model_count(s->world),
        .shapes = tpi_sim_looks_shape_count(scene->looks),
        .polygons = tpi_sim_looks_polygon_count(scene->looks),
        .drawings = tpi_sim_look_drawings(s->world),
        .bounds = {.x0 = bounds.x0, .y0 = bounds.y0, .x1 = bounds.x1, .y1 = bounds.y1},
        .floor = color_of(colour),
        .ambient = ambient,
    };
    return finish(scene, err);
}

/* ---- Models ---------------------------------------------------------------------------------- */

enum { TEXTS = 3, MOST_DEVICES_TEXT = 4000 };

/* Where the texts of a model begin, while the buffer may still move. */
struct texts {
    size_t at[TEXTS];
};

/* The text since `at` is complete. */
static uint32_t end_text(tpi_buf *text, size_t at)
{
    tpi_buf_putc(text, '\0');
    return (uint32_t)(text->length - at);
}

/* "position2d:0", or "6666:position2d:0" if it is a robot of its own. */
static void put_devices(const simd *s, const struct simd_scene *scene, tpi_sim_model model,
                        tpi_buf *text)
{
    const uint32_t robot = tp_device_addr(s->scene->device)->robot;
    const size_t before = text->length;

    for (uint32_t i = scene->first_device[model];
         i != 0 && text->length - before < MOST_DEVICES_TEXT; i = scene->next_device[i - 1]) {
        const tp_device *device = s->devices[i - 1]->device;
        const tp_devaddr *addr = tp_device_addr(device);
        if (text->length > before) {
            tpi_buf_putc(text, ' ');
        }
        if (addr->robot != robot) {
            tpi_buf_printf(text, "%u:", addr->robot);
        }
        tpi_buf_printf(text, "%s:%u", tp_device_interface(device)->name, addr->index);
    }
}

/* The devices of other drivers that the configuration names for a model. */
static void put_bodies(const simd *s, const char *name, size_t length, tpi_buf *text, size_t before)
{
    for (size_t i = 0; i < tp_param_count(s->instance, "bodies"); i++) {
        const char *body = tp_param_string_at(s->instance, "bodies", i);
        const size_t model = strcspn(body, " ");
        if (model == length && strncmp(body, name, length) == 0 && body[model] != '\0') {
            tpi_buf_printf(text, "%s%s", text->length > before ? " " : "",
                           body + model + strspn(body + model, " "));
        }
    }
}

static void put_texts(const simd *s, struct simd_scene *scene, tp_scene_model *m, const char *kind,
                      struct texts *texts)
{
    tpi_buf *text = &scene->text;

    texts->at[0] = text->length;
    tpi_buf_puts(text, kind);
    m->kind_count = end_text(text, texts->at[0]);
    texts->at[1] = text->length;
    tpi_sim_put_name(s->world, m->model, text);
    m->name_count = end_text(text, texts->at[1]);
    texts->at[2] = text->length;
    put_devices(s, scene, m->model, text);
    if (!text->failed) {
        tpi_buf name = {0};
        tpi_buf_put(&name, text->data + texts->at[1], m->name_count - 1);
        put_bodies(s, tpi_buf_text(&name), name.length, text, texts->at[2]);
        tpi_buf_fini(&name);
    }
    m->devices_count = end_text(text, texts->at[2]);
}

static void put_model(const simd *s, struct simd_scene *scene, tpi_sim_model model)
{
    const tpi_sim_pose pose = tpi_sim_looks_pose(scene->looks, model);
    tpi_sim_floor_picture picture = {0};
    struct texts texts;
    tpi_sim_info info;

    tpi_sim_model_info(s->world, model, &info);
    (void)tpi_sim_get_floor_picture(s->world, model, &picture, NULL);
    tp_scene_model m = {
        .model = model,
        .parent = info.parent == TPI_SIM_NONE ? -1 : (int32_t)info.parent,
        .shape = (int32_t)tpi_sim_looks_shape(scene->looks, model),
        .pose = {model, pose.x, pose.y, (float)pose.z, (float)pose.a},
        .origin = {info.origin.x, info.origin.y, info.origin.a},
        .size = tpi_simd_bbox3d(info.size),
        .color = color_of(tpi_sim_look_colour(s->world, model)),
        .robot = tpi_sim_looks_is_robot(scene->looks, model),
        .controlled = tpi_sim_is_controlled(s->world, model),
        .drags = tpi_sim_looks_drags(scene->looks, model),
        .obstacle = info.obstacle,
        .picture_width = picture.width,
        .picture_height = picture.height,
    };
    put_texts(s, scene, &m, info.type, &texts);
    tpi_buf_put(&scene->items, &m, sizeof m);
    tpi_buf_put(&scene->numbers, &texts, sizeof texts);
}

static uint32_t page_size(const tp_scene_page *ask, uint32_t total, uint32_t most)
{
    const uint32_t left = ask->first < total ? total - ask->first : 0;
    const uint32_t wanted = ask->count == 0 || ask->count > most ? most : ask->count;

    return wanted < left ? wanted : left;
}

static tp_status get_models(tp_device *device, const tp_scene_page *ask, tp_scene_models *answer,
                            tp_error *err)
{
    const simd *s = simd_of(device)->owner;
    struct simd_scene *scene = prepare(device, err);
    const uint32_t total = tpi_sim_model_count(s->world);
    const uint32_t count = page_size(ask, total, TP_SCENE_MOST_MODELS);

    for (uint32_t i = 0; scene != NULL && i < count; i++) {
        put_model(s, scene, ask->first + i);
    }
    if (scene == NULL || finish(scene, err) != TP_OK) {
        return TP_E_NOMEM;
    }
    tp_scene_model *models = (tp_scene_model *)(void *)scene->items.data;
    const struct texts *texts = (const struct texts *)(const void *)scene->numbers.data;
    for (uint32_t i = 0; i < count; i++) {
        models[i].kind = scene->text.data + texts[i].at[0];
        models[i].name = scene->text.data + texts[i].at[1];
        models[i].devices = scene->text.data + texts[i].at[2];
    }
    *answer = (tp_scene_models){.revision = tpi_sim_look_changes(s->world),
                                .total = total,
                                .models_count = count,
                                .models = models};
    return TP_OK;
}

/* ---- Polygons -------------------------------------------------------------------------------- */

/* How many polygons from `first` on have not too many corners; at least one. */
static uint32_t count_polygons(const tpi_sim_looks *looks, uint32_t first, uint32_t most,
                               size_t *corners)
{
    tpi_sim_look_polygon polygon;
    uint32_t count = 0;

    *corners = 0;
    while (count < most) {
        tpi_sim_looks_polygon(looks, first + count, &polygon);
        if (count > 0 && *corners + polygon.count > TP_SCENE_MOST_CORNERS) {
            break;
        }
        *corners += polygon.count;
        count++;
    }
    return count;
}

static tp_status get_polygons(tp_device *device, const tp_scene_page *ask,
                              tp_scene_polygons *answer, tp_error *err)
{
    struct simd_scene *scene = prepare(device, err);
    size_t corners = 0;

    if (scene == NULL) {
        return TP_E_NOMEM;
    }
    const uint32_t total = tpi_sim_looks_polygon_count(scene->looks);
    const uint32_t count = count_polygons(
        scene->looks, ask->first, page_size(ask, total, TP_SCENE_MOST_CORNERS / 3), &corners);
    float *xy = (float *)(void *)tpi_buf_reserve(&scene->numbers, corners * 2 * sizeof *xy);
    for (uint32_t i = 0; xy != NULL && i < count; i++) {
        tpi_sim_look_polygon polygon;
        tpi_sim_looks_polygon(scene->looks, ask->first + i, &polygon);
        tpi_sim_looks_corners(scene->looks, ask->first + i, xy);
        const tp_scene_polygon item = {.shape = polygon.shape,
                                       .part = polygon.part,
                                       .z0 = (float)polygon.z0,
                                       .z1 = (float)polygon.z1,
                                       .xy_count = 2 * polygon.count,
                                       .xy = xy};
        tpi_buf_put(&scene->items, &item, sizeof item);
        xy += (size_t)2 * polygon.count;
    }
    *answer = (tp_scene_polygons){.total = total,
                                  .polygons_count = count,
                                  .polygons = (tp_scene_polygon *)(void *)scene->items.data};
    return finish(scene, err);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* What one answer may cost: pixels that are looked at in all, and along a side of a square. */
enum { MOST_LOOKS = 1 << 20, MOST_ALONG = 16 };

/* The mean of a square of pixels, cut at the edges; of large squares, of some of their pixels. */
static void put_mean(tpi_buf *out, const tpi_sim_floor_picture *picture, uint32_t column,
                     uint32_t row, uint32_t reduce)
{
    uint64_t sums[3] = {0};
    uint64_t count = 0;

    const uint32_t stride = (reduce + MOST_ALONG - 1) / MOST_ALONG;

    for (uint32_t y = row * reduce; y < (row + 1) * reduce && y < picture->height; y += stride) {
        for (uint32_t x = column * reduce; x < (column + 1) * reduce && x < picture->width;
             x += stride) {
            const unsigned char *rgb = &picture->rgb[3 * ((size_t)y * picture->width + x)];
            sums[0] += rgb[0];
            sums[1] += rgb[1];
            sums[2] += rgb[2];
            count++;
        }
    }
    for (int i = 0; i < 3; i++) {
        tpi_buf_putc(out, (char)(unsigned char)((sums[i] + count / 2) / count));
    }
}

static tp_status find_picture(const simd *s, uint32_t model, tpi_sim_floor_picture *picture,
                              tp_error *err)
{
    if (model >= tpi_sim_model_count(s->world)) {
        return tp_fail(err, TP_E_RANGE, "there is no model %u: the world has %u", model,
                       tpi_sim_model_count(s->world));
    }
    if (tpi_sim_get_floor_picture(s->world, model, picture, NULL) != TP_OK || picture->width == 0) {
        return tp_fail(err, TP_E_UNKNOWN, "model %u has no picture", model);
    }
    return TP_OK;
}

static tp_status get_picture(tp_device *device, const tp_scene_picture_part *ask,
                             tp_scene_picture *answer, tp_error *err)
{
    tpi_sim_floor_picture picture;
    struct simd_scene *scene = prepare(device, err);

    if (scene == NULL) {
        return TP_E_NOMEM;
    }
    const tp_status status = find_picture(simd_of(device)->owner, ask->model, &picture, err);
    if (status != TP_OK) {
        return status;
    }
    const uint32_t longest = picture.width > picture.height ? picture.width : picture.height;
    const uint32_t reduce = ask->reduce == 0 ? 1 : ask->reduce < longest ? ask->reduce : longest;
    const uint32_t width = (picture.width + reduce - 1) / reduce;
    const uint32_t height = (picture.height + reduce - 1) / reduce;
    const uint32_t along = reduce < MOST_ALONG ? reduce : MOST_ALONG;
    const uint32_t pixels = MOST_LOOKS / (along * along) < TP_SCENE_MOST_PIXELS
                                ? MOST_LOOKS / (along * along)
                                : TP_SCENE_MOST_PIXELS;
    const uint32_t room = width < pixels ? pixels / width : 1;
    const uint32_t left = ask->top < height ? height - ask->top : 0;
    const uint32_t wanted = ask->rows == 0 || ask->rows > room ? room : ask->rows;
    const uint32_t rows = wanted < left ? wanted : left;
    for (uint32_t i = 0; i < rows * width; i++) {
        put_mean(&scene->items, &picture, i % width, ask->top + i / width, reduce);
    }
    *answer = (tp_scene_picture){.model = ask->model,
                                 .width = width,
                                 .height = height,
                                 .top = ask->top,
                                 .rows = rows,
                                 .rgb_count = (uint32_t)scene->items.length,
                                 .rgb = (uint8_t *)scene->items.data};
    return finish(scene, err);
}

/* ---- Drawings -------------------------------------------------------------------------------- */

static uint32_t count_strokes(const simd *s)
{
    tpi_sim_sketched sketched = {0};
    uint32_t count = 0;

    while (tpi_sim_sketch_next(s->world, &sketched)) {
        count++;
    }
    return count;
}

static void put_stroke(struct simd_scene *scene, const tpi_sim_sketched *sketched)
{
    const tp_scene_stroke stroke = {.model = sketched->model,
                                    .kind = (uint8_t)sketched->stroke.kind,
                                    .color = color_of(sketched->stroke.colour),
                                    .fill = color_of(sketched->stroke.fill),
                                    .xy_count = 2 * sketched->stroke.count,
                                    .xy = (float *)(uintptr_t)sketched->xy};

    tpi_buf_put(&scene->items, &stroke, sizeof stroke);
}

static tp_status get_drawings(tp_device *device, const tp_scene_page *ask,
                              tp_scene_drawings *answer, tp_error *err)
{
    const simd *s = simd_of(device)->owner;
    struct simd_scene *scene = prepare(device, err);
    tpi_sim_sketched sketched = {0};
    size_t points = 0;
    uint32_t made = 0;

    if (scene == NULL) {
        return TP_E_NOMEM;
    }
    const uint32_t total = count_strokes(s);
    const uint32_t count = page_size(ask, total, TP_SCENE_MOST_CORNERS);
    for (uint32_t i = 0; made < count && tpi_sim_sketch_next(s->world, &sketched); i++) {
        if (i < ask->first) {
            continue;
        }
        points += sketched.stroke.count;
        if (made > 0 && points > TP_SCENE_MOST_CORNERS) {
            break;
        }
        put_stroke(scene, &sketched);
        made++;
    }
    *answer = (tp_scene_drawings){.drawings = tpi_sim_look_drawings(s->world),
                                  .total = total,
                                  .strokes_count = made,
                                  .strokes = (tp_scene_stroke *)(void *)scene->items.data};
    return finish(scene, err);
}

static const tp_scene_ops scene_ops = {
    .req_get_info = get_info,
    .req_models = get_models,
    .req_polygons = get_polygons,
    .req_poses = tpi_simd_scene_get_poses,
    .req_picture = get_picture,
    .req_drawings = get_drawings,
};

const simd_kind tpi_simd_scenes[] = {
    {
        .interface = &tp_interface_scene,
        .ops = &scene_ops,
        .state_size = sizeof(struct simd_scene),
        .begin = scene_begin,
        .publish = tpi_simd_scene_publish,
        .returned = scene_returned,
        .end = scene_end,
    },
    {0},
};
