/*
 * scene_poses.c - where models are, for programs that draw a world.
 *
 * A message tells of a range of models, all of them unless a great many have moved; so a reader
 * that misses some is right again with the next ones. How often they are sent depends on how long
 * they are: 50,000 poses a second are the most, whatever the world.
 */
#include "scenes.h"
#include "sim/sense/sensors.h"

static const int64_t least_period_ns = TP_NS_PER_S / 30;
static const int64_t pose_ns =
    20 * TP_NS_PER_US;           /* the period is as much longer for each pose ... */
enum { MOST_LOOKED_AT = 65536 }; /* models for one message */
static const int64_t model_ns = 2 * TP_NS_PER_US; /* ... or each model that was looked at */

/* ---- A message ------------------------------------------------------------------------------- */

/* What has moved, tree by tree, up to a number of poses; returns the model behind the last one. */
static tpi_sim_model gather(const simd *s, struct simd_scene *scene, tpi_sim_model first,
                            uint32_t most)
{
    const uint32_t total = tpi_sim_model_count(s->world);
    tpi_sim_model model = first;
    tpi_sim_info info;

    tpi_buf_clear(&scene->moved);
    tpi_buf_clear(&scene->shifted);
    while (model < total && model - first < MOST_LOOKED_AT) {
        const size_t moved = scene->moved.length;
        const size_t shifted = scene->shifted.length;
        tpi_sim_model_info(s->world, model, &info);
        tpi_sim_looks_moved(scene->looks, model, &scene->moved, &scene->shifted);
        if (scene->moved.length > most * sizeof(tpi_sim_moved) && model > first) {
            scene->moved.length = moved; /* it is the first of the next message */
            scene->shifted.length = shifted;
            break;
        }
        model += info.family;
    }
    return model;
}

static void put_poses(struct simd_scene *scene)
{
    const tpi_sim_moved *moved = (const tpi_sim_moved *)(const void *)scene->moved.data;
    const tpi_sim_shifted *shifted = (const tpi_sim_shifted *)(const void *)scene->shifted.data;

    tpi_buf_clear(&scene->poses);
    tpi_buf_clear(&scene->shifts);
    for (size_t i = 0; i < scene->moved.length / sizeof *moved; i++) {
        const tp_scene_pose pose = {.model = moved[i].model,
                                    .px = moved[i].pose.x,
                                    .py = moved[i].pose.y,
                                    .pz = (float)moved[i].pose.z,
                                    .pa = (float)moved[i].pose.a};
        tpi_buf_put(&scene->poses, &pose, sizeof pose);
    }
    for (size_t i = 0; i < scene->shifted.length / sizeof *shifted; i++) {
        const tp_scene_shift shift = {.model = shifted[i].model,
                                      .part = shifted[i].part,
                                      .dx = (float)shifted[i].x,
                                      .dy = (float)shifted[i].y,
                                      .dz = (float)shifted[i].z};
        tpi_buf_put(&scene->shifts, &shift, sizeof shift);
    }
}

static void put_lights(const simd *s, struct simd_scene *scene, tpi_sim_model first,
                       tpi_sim_model end)
{
    const uint32_t count = tpi_sim_look_light_count(s->world);

    tpi_buf_clear(&scene->lights);
    for (uint32_t i = 0; i < count; i++) {
        tp_scene_light light = {.model = tpi_sim_look_light(s->world, i)};
        if (light.model >= first && light.model < end) {
            (void)tpi_sim_get_light(s->world, light.model, &light.intensity, NULL);
            (void)tpi_sim_get_light_fov(s->world, light.model, &light.fov, NULL);
            tpi_buf_put(&scene->lights, &light, sizeof light);
        }
    }
}

/* Of the models from `first` on, which stands on nothing. */
static tp_status fill(const simd *s, struct simd_scene *scene, tpi_sim_model first, uint32_t most,
                      tp_scene_poses *out, tp_error *err)
{
    const tpi_sim_model end = gather(s, scene, first, most);

    put_poses(scene);
    put_lights(s, scene, first, end);
    if (scene->moved.failed || scene->shifted.failed || scene->poses.failed ||
        scene->shifts.failed || scene->lights.failed) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *out = (tp_scene_poses){
        .time = tpi_simd_time_s(s),
        .speed = s->pace.speed,
        .steps = (int64_t)s->step_count,
        .paused = s->pace.paused,
        .lockstep = s->lockstep,
        .late = s->pace.late,
        .revision = tpi_sim_look_changes(s->world),
        .drawings = tpi_sim_look_drawings(s->world),
        .first = first,
        .end = end,
        .poses_count = (uint32_t)(scene->poses.length / sizeof(tp_scene_pose)),
        .poses = (tp_scene_pose *)(void *)scene->poses.data,
        .lights_count = (uint32_t)(scene->lights.length / sizeof(tp_scene_light)),
        .lights = (tp_scene_light *)(void *)scene->lights.data,
        .shifts_count = (uint32_t)(scene->shifts.length / sizeof(tp_scene_shift)),
        .shifts = (tp_scene_shift *)(void *)scene->shifts.data,
    };
    return TP_OK;
}

tp_status tpi_simd_scene_get_poses(tp_device *device, const tp_scene_page *ask,
                                   tp_scene_poses *answer, tp_error *err)
{
    const simd *s = simd_of(device)->owner;
    struct simd_scene *scene = simd_state(device);
    const uint32_t total = tpi_sim_model_count(s->world);
    const uint32_t most =
        ask->count == 0 || ask->count > TP_SCENE_MOST_POSES ? TP_SCENE_MOST_POSES : ask->count;
    tp_status status = tpi_simd_scene_prepare(simd_of(device), err);

    if (status != TP_OK) {
        return status;
    }
    const tpi_sim_model first =
        ask->first < total ? tpi_sim_looks_root(scene->looks, ask->first) : total;
    return fill(s, scene, first, most, answer, err);
}

/* ---- Data ------------------------------------------------------------------------------------ */

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void send(simd *s, struct simd_scene *scene)
{
    tp_scene_poses poses;

    if (tpi_simd_scene_prepare(s->scene, NULL) != TP_OK ||
        fill(s, scene, scene->next, TP_SCENE_MOST_POSES, &poses, NULL) != TP_OK) {
        return; /* the next one will do */
    }
    tp_publish(s->scene->device, TP_SCENE_DATA_POSES, &poses, tpi_simd_time_s(s));
    scene->due_ns =
        tpi_simd_now_ns(s) + longer(longer(least_period_ns, poses.poses_count * pose_ns),
                                    (poses.end - poses.first) * model_ns);
    scene->changed = poses.end < tpi_sim_model_count(s->world);
    scene->next = scene->changed ? poses.end : 0;
}

static bool is_read(const simd *s)
{
    return s->scene != NULL && tp_device_readers(s->scene->device) > 0;
}

bool tpi_simd_scene_waits(const simd *s)
{
    return is_read(s) && ((const struct simd_scene *)s->scene->state)->changed;
}

void tpi_simd_scene_look(simd *s)
{
    struct simd_scene *scene = s->scene == NULL ? NULL : s->scene->state;

    if (tpi_simd_scene_waits(s) && tpi_simd_now_ns(s) >= scene->due_ns) {
        send(s, scene);
        tpi_simd_set_period(s);
    }
}

void tpi_simd_scene_changed(simd *s)
{
    if (is_read(s)) {
        ((struct simd_scene *)s->scene->state)->changed = true;
        tpi_simd_scene_look(s);
        tpi_simd_set_period(s);
    }
}

void tpi_simd_scene_publish(simd_device *d)
{
    struct simd_scene *scene = d->state;

    scene->changed = true;
    if (tpi_simd_now_ns(d->owner) >= scene->due_ns) {
        send(d->owner, scene);
    }
}
