/*
 * switch - chooses between sources of one interface.
 *
 * Data of the chosen source comes out, whole messages as they are; commands and requests go to it.
 * The choice is made by hand (the property `source`) or by priority: the first source in the order
 * of `requires` that has sent data within the time-out. If none has, the choice stays.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forward.h"
#include "property.h"
#include "troupe/interfaces/player.h"

static const int64_t never_ns = INT64_MIN / 2;

struct source {
    tp_link *link; /* borrowed */
    char name[32]; /* its key in `requires`, or its place there */
    bool moved;    /* it was commanded to move, and may still move */
    int64_t heard_ns;
};

struct chooser {
    own_properties properties; /* first, as property.h wants it */
    tp_device *device;         /* borrowed */
    struct source *sources;    /* owned */
    size_t source_count;
    size_t chosen;
    bool by_priority;
    int64_t timeout_ns;
    tp_timer *timer; /* owned: when the chosen source has been silent for too long */
};

static const tp_param switch_params[] = {
    {"mode", NULL, "manual", "how to choose: manual or priority"},
    {"source", NULL, "", "the source at first: its key in `requires`, or its place from 0"},
    {"timeout", "s", "0.5", "by priority: how long a source may be silent"},
    {NULL, NULL, NULL, NULL},
};

static struct chooser *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* The place of the new source is published like any change of geometry. */
static void tell_geometry(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                          const char *why)
{
    const struct chooser *c = tp_instance_state(self);
    const tp_geometry *geometry = status == TP_OK ? tp_msg_payload(answer) : NULL;

    (void)why;
    if (geometry != NULL && geometry->known != TP_GEOMETRY_UNKNOWN &&
        context == &c->sources[c->chosen]) {
        tp_publish(c->device, TP_COMMON_DATA_GEOMETRY, geometry, 0);
    }
}

/* Nobody would stop what is not chosen any more. */
static void leave(struct source *source)
{
    if (source->moved) {
        tp_link_halt(source->link);
    }
    source->moved = false;
}

/* The geometry is not told if it cannot be asked: the readers may ask themselves. */
static void choose(struct chooser *c, size_t i)
{
    struct source *source = &c->sources[i];

    if (i == c->chosen) {
        return;
    }
    leave(&c->sources[c->chosen]);
    c->chosen = i;
    (void)tp_link_request(source->link, TP_COMMON_REQ_GET_GEOMETRY, NULL, FORWARD_TIMEOUT_NS,
                          tell_geometry, source);
    tpi_own_properties_announce(&c->properties, c->device, "source");
}

static bool is_alive(const struct chooser *c, size_t i, int64_t now_ns)
{
    return now_ns - c->sources[i].heard_ns < c->timeout_ns;
}

static void choose_by_priority(struct chooser *c, int64_t now_ns)
{
    size_t first = 0;

    while (first < c->source_count && !is_alive(c, first, now_ns)) {
        first++;
    }
    if (first == c->source_count) {
        tp_timer_cancel(c->timer);
        return;
    }
    tp_timer_at(c->timer, c->sources[first].heard_ns + c->timeout_ns);
    choose(c, first);
}

static void look_again(void *context)
{
    struct chooser *c = tp_instance_state(context);

    if (c->by_priority) {
        choose_by_priority(c, tp_clock_now_ns(tp_instance_clock(context)));
    }
}

/* ---- Properties ------------------------------------------------------------------------------ */

static const char *mode_name(bool by_priority)
{
    return by_priority ? "priority" : "manual";
}

static const char *property_text(const tp_device *device, const char *key)
{
    const struct chooser *c = state_of(device);

    return strcmp(key, "source") == 0 ? c->sources[c->chosen].name : mode_name(c->by_priority);
}

static tp_status find_source(const struct chooser *c, const char *name, size_t *out, tp_error *err)
{
    char names[160] = "";
    size_t length = 0;

    for (*out = 0; *out < c->source_count; (*out)++) {
        if (strcmp(c->sources[*out].name, name) == 0) {
            return TP_OK;
        }
        if (length < sizeof names) {
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       *out == 0 ? "" : ", ", c->sources[*out].name);
        }
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no source \"%s\" among %s", name, names);
}

static void set_mode(struct chooser *c, bool by_priority)
{
    const bool changed = c->by_priority != by_priority;

    c->by_priority = by_priority;
    if (changed) {
        tpi_own_properties_announce(&c->properties, c->device, "mode");
    }
}

/* A choice by hand holds until priority is wanted again. */
static tp_status set_source(tp_device *device, const char *key, const char *text, double number,
                            tp_error *err)
{
    struct chooser *c = state_of(device);
    size_t i = 0;
    tp_status status = find_source(c, text, &i, err);

    (void)key;
    (void)number;
    if (status == TP_OK) {
        set_mode(c, false);
        choose(c, i);
    }
    return status;
}

static tp_status read_mode(const char *text, bool *by_priority, tp_error *err)
{
    *by_priority = strcmp(text, mode_name(true)) == 0;
    return *by_priority || strcmp(text, mode_name(false)) == 0
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "mode is manual or priority, not \"%s\"", text);
}

static tp_status set_mode_text(tp_device *device, const char *key, const char *text, double number,
                               tp_error *err)
{
    bool by_priority = false;
    tp_status status = read_mode(text, &by_priority, err);

    (void)key;
    (void)number;
    if (status == TP_OK) {
        set_mode(state_of(device), by_priority);
        look_again(tp_device_instance(device));
    }
    return status;
}

static const tp_property_plan plans[] = {
    {.key = "source",
     .type = TP_PROPERTY_STRING,
     .writable = true,
     .unit = "",
     .doc = "The source that is chosen; setting it makes the mode manual.",
     .set = set_source},
    {.key = "mode",
     .type = TP_PROPERTY_STRING,
     .writable = true,
     .unit = "",
     .doc = "How the source is chosen: manual or priority.",
     .set = set_mode_text},
    {.key = NULL},
};

/* ---- Messages -------------------------------------------------------------------------------- */

static tp_status switch_handle(tp_device *device, const tp_message *what, const void *ask,
                               void *answer, tp_error *err)
{
    struct chooser *c = state_of(device);
    struct source *source = &c->sources[c->chosen];
    tp_status status = TP_OK;

    if (tpi_own_properties_handle(&c->properties, device, source->link, what, ask, answer, &status,
                                  err)) {
        return status;
    }
    source->moved = source->moved || what->effect == TP_EFFECT_MOVES;
    return tpi_forward_message(device, source->link, what, ask, FORWARD_TIMEOUT_NS, err);
}

static void switch_halt(tp_device *device, tp_halt how)
{
    struct chooser *c = state_of(device);

    (void)how; /* the source's own configuration says */
    c->sources[c->chosen].moved = false;
    tp_link_halt(c->sources[c->chosen].link);
}

/* A source that fails makes room for the next one; if there is none, the readers hear of it. */
static void switch_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct chooser *c = tp_instance_state(self);
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(self));
    const unsigned code = tp_msg_header(msg)->subtype;
    const bool own = tp_interface_message(tp_link_interface(from), TP_KIND_DATA, code) != NULL;
    size_t i = 0;

    while (c->sources[i].link != from) {
        i++;
    }
    if (own || tpi_forward_is_failure(msg)) {
        c->sources[i].heard_ns = own ? now_ns : never_ns;
        if (c->by_priority) {
            choose_by_priority(c, now_ns);
        }
    }
    if (i == c->chosen) {
        tpi_forward_data(c->device, msg);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status add_source(tp_instance *self, const tp_interface *interface, tp_error *err)
{
    struct chooser *c = tp_instance_state(self);
    const size_t i = c->source_count;
    struct source *source = &c->sources[i];
    const char *key = tp_requires_key(self, i);

    if (tp_requires_interface(self, i) != interface) {
        return tp_fail(err, TP_E_INVALID, "`requires` has a %s, but what it provides is a %s",
                       tp_requires_interface(self, i)->name, interface->name);
    }
    if (key[0] != '\0') {
        snprintf(source->name, sizeof source->name, "%s", key);
    } else {
        snprintf(source->name, sizeof source->name, "%zu", i);
    }
    for (size_t k = 0; k < i; k++) {
        if (strcmp(c->sources[k].name, source->name) == 0) {
            return tp_fail(err, TP_E_INVALID, "two sources have the key %s", source->name);
        }
    }
    source->heard_ns = never_ns;
    c->source_count++;
    return tp_require(self, interface, NULL, &source->link, err);
}

static tp_status add_sources(tp_instance *self, const tp_interface *interface, tp_error *err)
{
    struct chooser *c = tp_instance_state(self);
    const size_t count = tp_requires_count(self);
    tp_status status = TP_OK;

    if (count == 0) {
        return tp_fail(err, TP_E_INVALID, "`requires` has no %s", interface->name);
    }
    c->sources = calloc(count, sizeof *c->sources);
    if (c->sources == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        status = add_source(self, interface, err);
    }
    return status;
}

static tp_status read_settings(tp_instance *self, struct chooser *c, tp_error *err)
{
    const char *source = tp_param_string(self, "source");
    tp_status status = tpi_forward_seconds(self, "timeout", &c->timeout_ns, err);

    status =
        status == TP_OK ? read_mode(tp_param_string(self, "mode"), &c->by_priority, err) : status;
    return status == TP_OK && source[0] != '\0' ? find_source(c, source, &c->chosen, err) : status;
}

static tp_status switch_init(tp_instance *self, tp_error *err)
{
    struct chooser *c = tp_instance_state(self);

    c->properties = (own_properties){.plans = plans, .text = property_text};
    if (tp_provides_count(self) != 1) {
        return tp_fail(err, TP_E_INVALID, "`provides` has %zu devices in place of one",
                       tp_provides_count(self));
    }
    const tp_interface *interface = tp_provides_interface(self, 0);
    if (interface->code <= TP_PLAYER_CODE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s is the server's own", interface->name);
    }
    tp_status status = add_sources(self, interface, err);
    status = status == TP_OK ? read_settings(self, c, err) : status;
    status = status == TP_OK ? tp_offer(self, interface, NULL, NULL, switch_handle, &c->device, err)
                             : status;
    return status == TP_OK
               ? tp_timer_create(&c->timer, tp_instance_loop(self), look_again, self, err)
               : status;
}

static void switch_stop(tp_instance *self)
{
    struct chooser *c = tp_instance_state(self);

    tp_timer_cancel(c->timer);
    for (size_t i = 0; i < c->source_count; i++) {
        c->sources[i].heard_ns = never_ns;
        c->sources[i].moved = false; /* it is closed now, which stops it */
    }
}

static void switch_fini(tp_instance *self)
{
    struct chooser *c = tp_instance_state(self);

    tp_timer_destroy(c->timer);
    free(c->sources);
    tpi_own_properties_fini(&c->properties);
}

static const tp_driver_ops switch_ops = {
    .init = switch_init,
    .data = switch_data,
    .halt = switch_halt,
    .stop = switch_stop,
    .fini = switch_fini,
};

TP_API const tp_driver tp_driver_switch = {
    .abi = TP_DRIVER_ABI,
    .name = "switch",
    .summary = "chooses between sources of one interface, by hand or by priority",
    .state_size = sizeof(struct chooser),
    .params = switch_params,
    .ops = &switch_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
