/*
 * sim - offers the models of a simulated world as devices.
 *
 * See README.md; the parts are introduced in simulator.h. All sections that describe one world are
 * one instance. Its thread makes the steps: in `poll` when they are due, or when all who keep in
 * step have asked for one. Commands come in between, so a step never sees half of one.
 *
 * Not supported: pushing things, worlds with slopes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator.h"

enum { MOST_SHOWN = 64 };                          /* at once */
static const int64_t show_ns = 250 * TP_NS_PER_MS; /* how often some robots are shown */

const simd_kind *const tpi_simd_kinds[] = {
    tpi_simd_objects,
    tpi_simd_worlds,
    tpi_simd_maps,
    tpi_simd_scenes,
    tpi_simd_vehicles,
    tpi_simd_rangers,
    tpi_simd_lasers,
    tpi_simd_sonars,
    tpi_simd_bumpers,
    tpi_simd_finders,
    tpi_simd_arms,
    tpi_simd_grippers,
    tpi_simd_lamps,
    tpi_simd_batteries,
    tpi_simd_cameras,
    tpi_simd_depths,
    tpi_simd_senses,
    tpi_simd_radios,
    tpi_simd_inertials,
    tpi_simd_screens,
    tpi_simd_axes,
    tpi_simd_flyers,
    tpi_simd_limbs,
    tpi_simd_tags,
    tpi_simd_sounds,
    tpi_simd_nodes,
    tpi_simd_coopobjects,
    tpi_simd_stereos,
    NULL,
};

/* The first one tells a section with a world from those that join it. */
static const tp_param sim_params[] = {
    {"worldfile", NULL, "", "the world, relative to the configuration; only in its first section"},
    {"model", NULL, "", "the model whose devices this section provides"},
    {"profile", NULL, "", "the device that it is to be: lms200, urg or p2os"},
    {"speed", "1", "1", "simulated seconds for each real second; 0 for as fast as it can"},
    {"paused", "bool", "no", "whether time stands still at first"},
    {"lockstep", NULL, "no",
     "time moves only when all clients of `world` have asked for it: yes, no, or the number of "
     "clients to wait for at the start"},
    {"sleep", "bool", "no", "pause while no device of the world is in use"},
    {"threads", "1", "1", "how many threads share the work"},
    {"seed", "1", "1", "what noise begins with; the same seed gives the same bits"},
    {"map_resolution", "m", "0.05", "side of the cells of its map"},
    {"bodies", NULL, "",
     "models that devices of other drivers are, each with these devices: \"tom position2d:4\""},
    {"usegui", "bool", "no", "ignored; for configurations made for Stage"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Readers --------------------------------------------------------------------------------- */

static void set_subscribed(simd_device *d, bool subscribed)
{
    if (subscribed == d->subscribed) {
        return;
    }
    d->subscribed = subscribed;
    if (subscribed) {
        tpi_sim_subscribe(d->owner->world, d->model);
    } else {
        tpi_sim_unsubscribe(d->owner->world, d->model);
    }
    if (d->kind->subscribe != NULL) {
        d->kind->subscribe(d, subscribed);
    }
}

static void look_at_readers(simd *s)
{
    memset(s->robots, 0, tpi_sim_model_count(s->world));
    for (size_t i = 0; i < s->device_count; i++) {
        simd_device *d = s->devices[i];
        d->read = tp_device_readers(d->device) > 0;
        if (d->read && d->robot != TPI_SIM_NONE) {
            s->robots[d->robot] = 1;
        }
    }
}

void tpi_simd_refresh(simd *s)
{
    const uint32_t readings = tp_instance_readings(s->instance);

    if (readings == s->readings) {
        return;
    }
    s->readings = readings;
    look_at_readers(s);
    s->active_count = 0;
    for (size_t i = 0; i < s->device_count; i++) {
        simd_device *d = s->devices[i];
        if (d->model != TPI_SIM_NONE && !d->kind->passive) {
            set_subscribed(d, d->read);
        }
        if (d->kind->publish != NULL &&
            (d->read || (d->kind->follows && s->robots[d->robot] != 0))) {
            s->active[s->active_count++] = d;
        }
    }
    tpi_simd_scene_changed(s); /* a new reader has seen nothing so far */
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static bool is_shown_anyway(const simd_device *d)
{
    return d->read || (d->kind->follows && d->owner->robots[d->robot] != 0);
}

/* The tree of frames reads where robots are, too, whether or not anybody else does: now and then,
 * some of them at a time, so that thousands cost no more than a few. */
void tpi_simd_show_some(simd *s)
{
    size_t shown = 0;

    for (size_t i = 0; i < s->device_count && shown < MOST_SHOWN; i++) {
        simd_device *d = s->devices[s->shown.next];
        s->shown.next = (s->shown.next + 1) % s->device_count;
        if (d->kind->show != NULL && !is_shown_anyway(d)) {
            d->kind->show(d);
            shown++;
        }
    }
    s->shown.at_ns = tpi_simd_now_ns(s);
}

static void show_if_due(simd *s)
{
    if (tpi_simd_now_ns(s) - s->shown.at_ns >= show_ns) {
        tpi_simd_show_some(s);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void note_by_instance(void *context, const char *text)
{
    tp_instance_note(((simd *)context)->instance, text);
}

void tpi_simd_note(const simd *s, const char *text)
{
    s->host->note(s->host->note_context, text);
}

static tp_status load_path(simd *s, const char *path, tp_error *err)
{
    const int64_t threads = tp_param_int(s->instance, "threads");
    const tpi_sim_host_options options = {.seed = (uint64_t)tp_param_int(s->instance, "seed"),
                                          .threads = (uint32_t)threads,
                                          .note = note_by_instance,
                                          .context = s};

    if (!(threads >= 1 && threads <= TPI_SIM_MOST_THREADS)) {
        tp_param_blame(s->instance, "threads");
        return tp_fail(err, TP_E_RANGE, "threads \"%s\" is not from 1 to %d",
                       tp_param_string(s->instance, "threads"), TPI_SIM_MOST_THREADS);
    }
    tp_status status = tpi_sim_host_load(&s->own, path, &options, err);
    tp_param_blame(s->instance, status == TP_OK ? NULL : "worldfile");
    s->host = &s->own;
    s->world = s->own.world;
    return status;
}

/* Beside the configuration, or where worlds are, with a note. */
static void find_world(const simd *s, const char *name, tpi_buf *path)
{
    char text[256];

    tpi_buf_printf(path, "%s%s", name[0] == '/' ? "" : tp_instance_folder(s->instance), name);
    if (tpi_sim_find_world(path, name)) {
        snprintf(text, sizeof text, "%.60s is not beside the configuration: %.120s is taken", name,
                 tpi_buf_text(path));
        tp_instance_note(s->instance, text);
    }
}

static tp_status load(simd *s, tp_error *err)
{
    const char *name = tp_param_string(s->instance, "worldfile");
    tpi_buf path = {0};

    if (name[0] == '\0') {
        return tp_fail(err, TP_E_INVALID,
                       "the first section of a world names its file with \"worldfile\"");
    }
    find_world(s, name, &path);
    tp_status status = path.failed ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                   : load_path(s, tpi_buf_text(&path), err);
    tpi_buf_fini(&path);
    return status;
}

/* yes, no, or how many take part. */
static tp_status read_lockstep(simd *s, tp_error *err)
{
    static const char *const words[] = {"no", "yes", "false", "true"};
    const char *text = tp_param_string(s->instance, "lockstep");
    char *end = NULL;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i]) == 0) {
            s->lockstep = i % 2 != 0;
            return TP_OK;
        }
    }
    const unsigned long count = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || count > TPI_SIM_MOST_EXPECTED) {
        tp_param_blame(s->instance, "lockstep");
        return tp_fail(err, TP_E_RANGE, "lockstep is yes, no or a number up to %d, not \"%.40s\"",
                       TPI_SIM_MOST_EXPECTED, text);
    }
    s->lockstep = count > 0;
    s->expected = (uint32_t)count;
    return TP_OK;
}

static tp_status read_params(simd *s, tp_error *err)
{
    s->map_resolution = tp_param_double(s->instance, "map_resolution");
    s->pace.interval_ns = tpi_sim_interval_us(s->world) * TP_NS_PER_US;
    s->pace.speed = tp_param_double(s->instance, "speed");
    s->pace.paused = tp_param_bool(s->instance, "paused");
    if (!(s->pace.speed >= 0 && s->pace.speed <= TPI_SIM_FASTEST)) {
        tp_param_blame(s->instance, "speed");
        return tp_fail(err, TP_E_RANGE, "speed \"%s\" is not from 0 to %.0f",
                       tp_param_string(s->instance, "speed"), TPI_SIM_FASTEST);
    }
    if (!(s->map_resolution >= 0.001 && s->map_resolution <= 100)) {
        tp_param_blame(s->instance, "map_resolution");
        return tp_fail(err, TP_E_RANGE, "map_resolution \"%s\" is not from 0.001 to 100 m",
                       tp_param_string(s->instance, "map_resolution"));
    }
    return read_lockstep(s, err);
}

static tp_status make_room(simd *s, tp_error *err)
{
    s->active = calloc(s->device_count + 1, sizeof(simd_device *));
    s->robots = calloc(tpi_sim_model_count(s->world) + 1, 1);
    return s->active == NULL || s->robots == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                                  : tpi_simd_scan_room_create(s, err);
}

/* With the host and its world. */
static tp_status init(simd *s, tp_error *err)
{
    if (!tp_param_bool(s->instance, "sleep")) {
        tp_instance_stay_on(s->instance);
    }
    tp_status status = read_params(s, err);
    status = status == TP_OK ? tpi_simd_offer_all(s, err) : status;
    status = status == TP_OK ? make_room(s, err) : status;
    return status == TP_OK ? tpi_simd_save_start(s, err) : status;
}

static tp_status sim_init(tp_instance *self, tp_error *err)
{
    simd *s = tp_instance_state(self);

    s->instance = self;
    const tp_status status = load(s, err);
    return status == TP_OK ? init(s, err) : status;
}

/* The program has loaded the world. */
static tp_status served_init(tp_instance *self, tp_error *err)
{
    simd *s = tp_instance_state(self);
    const void *served = tp_instance_driver(self);

    s->instance = self;
    s->host = ((const tpi_sim_served *)served)->host;
    s->world = s->host->world;
    return init(s, err);
}

static tp_status sim_start(tp_instance *self, tp_error *err)
{
    simd *s = tp_instance_state(self);

    (void)err;
    tpi_simd_pace_begin(&s->pace, tpi_simd_now_ns(s));
    s->readings = tp_instance_readings(self) - 1; /* whatever it was */
    s->period_ns = -1;
    tpi_simd_refresh(s);
    tpi_simd_set_period(s);
    tpi_simd_show_some(s);
    return TP_OK;
}

static tp_status sim_poll(tp_instance *self, tp_error *err)
{
    simd *s = tp_instance_state(self);
    const tpi_sim_watcher *watcher = &s->host->watcher;

    (void)err;
    tpi_simd_refresh(s);
    if (s->waits.count > 0) {
        tpi_simd_step_for_waiters(s);
    }
    if (!s->lockstep) {
        tpi_simd_run(s);
    }
    if (s->over) {
        tpi_simd_report_end(s);
    }
    show_if_due(s);
    tpi_simd_scene_look(s);
    if (watcher->passed != NULL) {
        watcher->passed(watcher->context, s->world);
    }
    return TP_OK;
}

static void sim_halt(tp_device *device, tp_halt how)
{
    simd_device *d = simd_of(device);

    (void)how; /* nothing in a world falls over */
    if (d->kind->halt != NULL) {
        d->kind->halt(d);
        tpi_simd_brakes_watch(d);
    }
    tpi_simd_check_panic(d->owner);
}

static void sim_stop(tp_instance *self)
{
    simd *s = tp_instance_state(self);

    for (size_t i = 0; i < s->device_count; i++) {
        simd_device *d = s->devices[i];
        if (d->subscribed && d->kind->halt != NULL) {
            d->kind->halt(d);
        }
        set_subscribed(d, false);
    }
    tpi_simd_end_waits(s);
    tpi_simd_brakes_forget(s);
    s->active_count = 0;
}

static void sim_fini(tp_instance *self)
{
    simd *s = tp_instance_state(self);

    for (size_t i = 0; i < s->device_count; i++) {
        simd_device *d = s->devices[i];
        if (d->begun && d->kind->end != NULL) {
            d->kind->end(d);
        }
        free(d->state);
        free(d);
    }
    tpi_simd_forget_saved(s);
    free((void *)s->devices);
    free((void *)s->active);
    free(s->robots);
    tpi_simd_scan_room_destroy(s->scan_room);
    free(s->waits.items);
    tpi_sim_host_fini(&s->own);
}

static const tp_driver_ops sim_ops = {
    .init = sim_init,
    .start = sim_start,
    .poll = sim_poll,
    .halt = sim_halt,
    .stop = sim_stop,
    .fini = sim_fini,
};

TP_API const tp_driver tp_driver_sim = {
    .abi = TP_DRIVER_ABI,
    .name = "sim",
    .summary = "robots in a simulated world, with all their devices",
    .state_size = sizeof(simd),
    .params = sim_params,
    .ops = &sim_ops,
    .flags = TP_DRIVER_JOINS | TP_DRIVER_OFFERS_ALL | TP_DRIVER_SIMULATED,
};

/* The same by the name that configurations for Player's Stage plug-in have. */
TP_API const tp_driver tp_driver_stage = {
    .abi = TP_DRIVER_ABI,
    .name = "stage",
    .summary = "a second name for sim, in configurations made for the Stage plug-in of Player",
    .state_size = sizeof(simd),
    .params = sim_params,
    .ops = &sim_ops,
    .flags = TP_DRIVER_JOINS | TP_DRIVER_OFFERS_ALL | TP_DRIVER_SIMULATED,
};

/* And by that of Player's driver for the same as our `localize`: where the simulated robot is. */
TP_API const tp_driver tp_driver_fakelocalize = {
    .abi = TP_DRIVER_ABI,
    .name = "fakelocalize",
    .summary = "a second name for sim, in configurations that localize a simulated robot with it",
    .state_size = sizeof(simd),
    .params = sim_params,
    .ops = &sim_ops,
    .flags = TP_DRIVER_JOINS | TP_DRIVER_OFFERS_ALL | TP_DRIVER_SIMULATED,
};

/* ---- A world that the program has loaded ----------------------------------------------------- */

static const tp_driver_ops served_ops = {
    .init = served_init,
    .start = sim_start,
    .poll = sim_poll,
    .halt = sim_halt,
    .stop = sim_stop,
    .fini = sim_fini,
};

const tp_driver tpi_sim_served_driver = {
    .abi = TP_DRIVER_ABI,
    .name = "sim",
    .summary = "the robots of a world that the program has loaded",
    .state_size = sizeof(simd),
    .params = sim_params,
    .ops = &served_ops,
    .flags = TP_DRIVER_OFFERS_ALL | TP_DRIVER_SIMULATED,
};
