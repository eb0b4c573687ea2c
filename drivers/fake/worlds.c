/* worlds.c - simulation: objects with poses and properties, and a clock that can be stopped. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "troupe/interfaces/simulation.h"

enum { OBJECTS = 2, PROPERTIES = 64, MOST_VALUE_SIZE = 4096 };

struct object {
    char name[FAKE_LABEL];
    tp_pose3d pose;
    tp_pose3d first; /* where RESET puts it */
};

struct world {
    struct object objects[OBJECTS];
    uint32_t object_count;
    tp_simulation_property_req *properties[PROPERTIES]; /* owned, each one block */
    uint32_t property_count;
    double time_s;
    bool paused;
};

static void add_object(struct world *w, const char *name, const tp_pose3d *pose)
{
    struct object *object = &w->objects[w->object_count++];

    tpi_counted_copy(object->name, FAKE_LABEL, name, tpi_counted_size(name));
    object->pose = *pose;
    object->first = *pose;
}

/* A robot, and a box somewhere. */
static tp_status world_begin(fake_device *d, tp_error *err)
{
    const tp_pose3d box = {.px = tpi_fake_random_between(&d->random, -3, 3),
                           .py = tpi_fake_random_between(&d->random, -3, 3)};

    (void)err;
    add_object(d->state, "robot", &(tp_pose3d){0});
    add_object(d->state, "box", &box);
    return TP_OK;
}

static void world_end(fake_device *d)
{
    struct world *w = d->state;

    for (uint32_t i = 0; i < w->property_count; i++) {
        free(w->properties[i]);
    }
}

static void world_advance(fake_device *d, double dt_s)
{
    struct world *w = d->state;

    w->time_s += w->paused ? 0 : dt_s;
}

/* ---- Objects --------------------------------------------------------------------------------- */

static struct object *find(tp_device *device, const char *name, uint32_t count, tp_error *err)
{
    struct world *w = fake_state(device);
    char asked[FAKE_LABEL];

    for (uint32_t i = 0; i < w->object_count; i++) {
        if (tpi_counted_is(name, count, w->objects[i].name)) {
            return &w->objects[i];
        }
    }
    tpi_counted_copy(asked, sizeof asked, name, count);
    tp_fail(err, TP_E_UNKNOWN, "there is no object \"%s\"", asked);
    return NULL;
}

static tp_status get_pose2d(tp_device *device, const tp_simulation_pose2d_req *ask,
                            tp_simulation_pose2d_req *answer, tp_error *err)
{
    const struct object *object = find(device, ask->name, ask->name_count, err);

    if (object == NULL) {
        return TP_E_UNKNOWN;
    }
    *answer = *ask;
    answer->pose =
        (tp_pose2d){.px = object->pose.px, .py = object->pose.py, .pa = object->pose.pyaw};
    return TP_OK;
}

static tp_status set_pose2d(tp_device *device, const tp_simulation_pose2d_req *ask, tp_error *err)
{
    struct object *object = find(device, ask->name, ask->name_count, err);

    if (object == NULL) {
        return TP_E_UNKNOWN;
    }
    object->pose.px = ask->pose.px;
    object->pose.py = ask->pose.py;
    object->pose.pyaw = tpi_fake_angle(ask->pose.pa);
    return TP_OK;
}

static tp_status get_pose3d(tp_device *device, const tp_simulation_pose3d_req *ask,
                            tp_simulation_pose3d_req *answer, tp_error *err)
{
    const struct world *w = fake_state(device);
    const struct object *object = find(device, ask->name, ask->name_count, err);

    if (object == NULL) {
        return TP_E_UNKNOWN;
    }
    *answer = *ask;
    answer->pose = object->pose;
    answer->simtime = w->time_s;
    return TP_OK;
}

static tp_status set_pose3d(tp_device *device, const tp_simulation_pose3d_req *ask, tp_error *err)
{
    struct object *object = find(device, ask->name, ask->name_count, err);

    if (object == NULL) {
        return TP_E_UNKNOWN;
    }
    object->pose = ask->pose;
    return TP_OK;
}

/* ---- Properties ------------------------------------------------------------------------------ */

static bool same_text(const char *a, uint32_t a_count, const char *b, uint32_t b_count)
{
    char text[256];

    tpi_counted_copy(text, sizeof text, a, a_count);
    return tpi_counted_is(b, b_count, text);
}

/* The place of a property; their number if it is new. */
static uint32_t find_property(const struct world *w, const tp_simulation_property_req *ask)
{
    uint32_t i = 0;

    while (i < w->property_count) {
        const tp_simulation_property_req *kept = w->properties[i];
        if (kept->index == ask->index &&
            same_text(kept->name, kept->name_count, ask->name, ask->name_count) &&
            same_text(kept->prop, kept->prop_count, ask->prop, ask->prop_count)) {
            break;
        }
        i++;
    }
    return i;
}

static tp_status get_property(tp_device *device, const tp_simulation_property_req *ask,
                              tp_simulation_property_req *answer, tp_error *err)
{
    const struct world *w = fake_state(device);

    if (find(device, ask->name, ask->name_count, err) == NULL) {
        return TP_E_UNKNOWN;
    }
    const uint32_t at = find_property(w, ask);
    if (at == w->property_count) {
        return tp_fail(err, TP_E_UNKNOWN, "the object has no such property");
    }
    *answer = *w->properties[at];
    return TP_OK;
}

/* An object gets whatever property is set. */
static tp_status set_property(tp_device *device, const tp_simulation_property_req *ask,
                              tp_error *err)
{
    struct world *w = fake_state(device);
    const uint32_t at = find_property(w, ask);
    void *copy = NULL;

    if (find(device, ask->name, ask->name_count, err) == NULL) {
        return TP_E_UNKNOWN;
    }
    if (at == PROPERTIES || ask->prop_count > FAKE_LABEL || ask->value_count > MOST_VALUE_SIZE) {
        return tp_fail(err, TP_E_LIMIT, "there is no room for such a property");
    }
    if (tp_value_copy(&copy, &tp_desc_simulation_property_req, ask, NULL) != TP_OK) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    free(w->properties[at]);
    w->properties[at] = copy;
    w->property_count += at == w->property_count;
    return TP_OK;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status cmd_pause(tp_device *device, tp_error *err)
{
    struct world *w = fake_state(device);

    (void)err;
    w->paused = !w->paused;
    return TP_OK;
}

static tp_status cmd_reset(tp_device *device, tp_error *err)
{
    struct world *w = fake_state(device);

    (void)err;
    for (uint32_t i = 0; i < w->object_count; i++) {
        w->objects[i].pose = w->objects[i].first;
    }
    w->time_s = 0;
    return TP_OK;
}

/* What is saved is what RESET goes back to. */
static tp_status cmd_save(tp_device *device, tp_error *err)
{
    struct world *w = fake_state(device);

    (void)err;
    for (uint32_t i = 0; i < w->object_count; i++) {
        w->objects[i].first = w->objects[i].pose;
    }
    return TP_OK;
}

static const tp_simulation_ops world_ops = {
    .req_get_pose2d = get_pose2d,
    .req_set_pose2d = set_pose2d,
    .req_get_pose3d = get_pose3d,
    .req_set_pose3d = set_pose3d,
    .req_get_property = get_property,
    .req_set_property = set_property,
    .cmd_pause = cmd_pause,
    .cmd_reset = cmd_reset,
    .cmd_save = cmd_save,
};

const fake_kind tpi_fake_worlds[] = {
    {
        .interface = &tp_interface_simulation,
        .ops = &world_ops,
        .state_size = sizeof(struct world),
        .begin = world_begin,
        .advance = world_advance,
        .end = world_end,
    },
    {0},
};
