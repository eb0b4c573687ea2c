/*
 * play.c - a recording as devices again; see log.h.
 *
 * The time of the recording is that of an anchor, plus the time since then times the speed. Each
 * call plays what is due and sets the period until the next message. Where nothing may be lost
 * (`lossless`, speed 0), playing waits while readers are behind, and the anchor with it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

enum { MOST_ANSWERS = 8, MOST_AT_ONCE = 256, MOST_ON_THE_WAY = 64, MOST_LOOK = 1 << 16 };
static const uint64_t look_ns = UINT64_C(2000000000); /* for answers */
static const int64_t longest_ns = TP_NS_PER_S / 10, shortest_ns = 50 * TP_NS_PER_US;

struct log_played {
    char name[80];
    const tp_interface *interface;
    tp_device *device; /* NULL: not offered */
    struct {
        const tp_message *request;
        void *value; /* owned */
    } answers[MOST_ANSWERS];
    unsigned answer_count;
};

/* ---- What is in the file --------------------------------------------------------------------- */

static struct log_played *played_named(const struct log_playing *p, const char *name)
{
    size_t i = 0;

    while (i < p->count && strcmp(p->played[i].name, name) != 0) {
        i++;
    }
    return i < p->count ? &p->played[i] : NULL;
}

/* The device of this interface, if there is but one. */
static struct log_played *only_of(const struct log_playing *p, const tp_interface *interface)
{
    struct log_played *only = NULL;

    for (size_t i = 0; i < p->count; i++) {
        if (p->played[i].interface == interface) {
            if (only != NULL) {
                return NULL;
            }
            only = &p->played[i];
        }
    }
    return only != NULL && only->device == NULL ? only : NULL;
}

static tp_status meet_device(struct log_playing *p, const struct log_entry *entry,
                             struct log_played **out, tp_error *err)
{
    struct log_played *played = played_named(p, entry->device);

    if (played == NULL) {
        if (p->count == p->room) {
            const size_t room = p->room == 0 ? 16 : 2 * p->room;
            struct log_played *more = realloc(p->played, room * sizeof *more);

            if (more == NULL) {
                return tp_fail(err, TP_E_NOMEM, "out of memory");
            }
            p->played = more;
            p->room = room;
        }
        played = &p->played[p->count++];
        *played = (struct log_played){.interface = entry->interface};
        (void)snprintf(played->name, sizeof played->name, "%s", entry->device);
    }
    *out = played;
    return TP_OK;
}

static tp_status keep_answer(struct log_played *played, const struct log_entry *entry,
                             tp_error *err)
{
    void *copy = NULL;

    if (played->answer_count == MOST_ANSWERS) {
        return TP_OK;
    }
    if (tp_value_copy(&copy, entry->what->answer, entry->value, NULL) != TP_OK) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    played->answers[played->answer_count].request = entry->what;
    played->answers[played->answer_count++].value = copy;
    return TP_OK;
}

/* The devices of a file are named in its summary, or by their first messages; what they have
 * answered stands near the beginning. */
tp_status tpi_playing_init(struct log_playing *p, tp_instance *self, tp_error *err)
{
    const bool is_text = tpi_log_is_text(p->path);
    struct log_entry entry;
    struct log_played *played = NULL;
    bool begun = false, looked = false;
    uint64_t last_ns = 0;
    tp_status status = tpi_source_open(&p->source, p->path, tp_instance_catalogue(self), err);

    p->instance = self;
    for (unsigned i = 0; i < MOST_LOOK && status == TP_OK && (is_text || !looked); i++) {
        status = tpi_source_next(p->source, &entry, err);
        if (status == TP_OK) {
            status = meet_device(p, &entry, &played, err);
        }
        if (status == TP_OK && entry.what != NULL && entry.what->kind == TP_KIND_REQUEST) {
            status = keep_answer(played, &entry, err);
        } else if (status == TP_OK && entry.what != NULL && !begun) {
            p->first_ns = entry.log_ns;
            begun = true;
        }
        last_ns = status == TP_OK && entry.log_ns > last_ns ? entry.log_ns : last_ns;
        looked = begun && status == TP_OK && entry.log_ns > p->first_ns + look_ns;
    }
    if ((status == TP_OK || status == TP_E_CLOSED) && !begun) {
        return tp_fail(err, TP_E_INVALID, "%s: there is no data of a known interface", p->path);
    }
    if (status == TP_OK || status == TP_E_CLOSED) {
        last_ns = tpi_source_end(p->source) > 0 ? tpi_source_end(p->source)
                  : status == TP_E_CLOSED       ? last_ns
                                                : 0;
        p->span_ns = last_ns > p->first_ns ? last_ns - p->first_ns : 0;
    }
    return status == TP_E_CLOSED ? TP_OK : status;
}

void tpi_playing_fini(struct log_playing *p)
{
    for (size_t i = 0; i < p->count; i++) {
        for (unsigned k = 0; k < p->played[i].answer_count; k++) {
            free(p->played[i].answers[k].value);
        }
    }
    free(p->played);
    tpi_source_close(p->source);
    p->source = NULL;
    p->played = NULL;
    p->count = 0;
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* Answers are those of the recording. Commands change nothing: what was recorded is past. */
static tp_status handle(tp_device *device, const tp_message *what, const void *ask, void *answer,
                        tp_error *err)
{
    const struct log_playing *p = tp_instance_state(tp_device_instance(device));

    (void)ask;
    if (what->kind == TP_KIND_COMMAND) {
        return TP_OK;
    }
    for (size_t i = 0; i < p->count; i++) {
        for (unsigned k = 0; p->played[i].device == device && k < p->played[i].answer_count; k++) {
            if (p->played[i].answers[k].request == what && answer != NULL) {
                memcpy(answer, p->played[i].answers[k].value, what->answer->size);
                return TP_OK;
            }
        }
    }
    return tp_fail(err, TP_E_UNSUPPORTED, "%s: the recording has no answer to it", what->name);
}

/* Every device that is played says so. */
static tp_status complete(struct log_playing *p, struct log_played *played, tp_device *device,
                          tp_error *err)
{
    static const tp_property_plan plan = {
        "recording", TP_PROPERTY_STRING, false, "", "the file that is played", "", NULL};
    tp_status status = tp_device_add_property(device, &plan, err);

    played->device = device;
    if (status == TP_OK && p->waits) {
        tp_device_keeps(device);
    }
    return status == TP_OK ? tp_device_set_property_text(device, plan.key, p->path) : status;
}

/* What a recording has for a device: the one of the same address, or the only one. */
static struct log_played *played_for(const struct log_playing *p, const tp_device *device,
                                     char name[80])
{
    (void)snprintf(name, 80, "%s:%u", tp_device_interface(device)->name,
                   tp_device_addr(device)->index);
    struct log_played *played = played_named(p, name);

    return played == NULL ? only_of(p, tp_device_interface(device)) : played;
}

/* A device that the recording does not have: it is silent. */
static tp_status add_silent(struct log_playing *p, const tp_device *device, const char *name,
                            struct log_played **out, tp_error *err)
{
    struct log_entry entry = {.interface = tp_device_interface(device)};

    (void)snprintf(entry.device, sizeof entry.device, "%s", name);
    return meet_device(p, &entry, out, err);
}

tp_status tpi_playing_offer(struct log_playing *p, size_t i, tp_error *err)
{
    char name[80];
    tp_device *device = NULL;
    tp_status status = tp_offer_at(p->instance, i, NULL, handle, &device, err);

    if (status != TP_OK) {
        return status;
    }
    struct log_played *played = played_for(p, device, name);
    if (played == NULL && p->source == NULL) { /* the file comes later */
        status = add_silent(p, device, name, &played, err);
    } else if (played == NULL) {
        char names[96] = "";
        size_t at = 0;

        for (size_t k = 0; k < p->count && at < sizeof names; k++) {
            at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", k > 0 ? ", " : "",
                                   p->played[k].name);
        }
        tp_param_blame(p->instance, "filename");
        return tp_fail(err, TP_E_UNKNOWN, "the recording has no %s; it has %s%s", name, names,
                       at >= sizeof names ? " ..." : "");
    }
    return status == TP_OK ? complete(p, played, device, err) : status;
}

tp_status tpi_playing_offer_all(struct log_playing *p, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < p->count && status == TP_OK; i++) {
        struct log_played *played = &p->played[i];
        const char *colon = strrchr(played->name, ':');
        const unsigned long index = colon == NULL ? 0 : strtoul(colon + 1, NULL, 10);

        if (played->interface == &tp_interface_recordings) {
            continue; /* the section has one of its own */
        }
        status = tp_offer_more(p->instance, played->interface, (uint16_t)index, NULL, handle,
                               &played->device, err);
        status = status == TP_OK ? complete(p, played, played->device, err) : status;
    }
    return status;
}

/* ---- Time ------------------------------------------------------------------------------------ */

static int64_t clock_ns(const struct log_playing *p)
{
    return tp_clock_now_ns(tp_instance_clock(p->instance));
}

/* Nanoseconds from the beginning of the recording. */
static uint64_t position_ns(const struct log_playing *p)
{
    if (!p->is_on || p->speed == 0) {
        return p->anchor_at_ns;
    }
    return p->anchor_at_ns + (uint64_t)((double)(clock_ns(p) - p->anchor_ns) * p->speed);
}

static void anchor(struct log_playing *p, uint64_t at_ns)
{
    p->anchor_ns = clock_ns(p);
    p->anchor_at_ns = at_ns;
}

double tpi_playing_position(const struct log_playing *p)
{
    return (double)position_ns(p) * 1e-9;
}

static uint64_t at_of(const struct log_playing *p, const struct log_entry *entry)
{
    return entry->log_ns > p->first_ns ? entry->log_ns - p->first_ns : 0;
}

/* Find the next data. At the end there is none. */
static tp_status fetch(struct log_playing *p, tp_error *err)
{
    tp_status status;

    do {
        status = tpi_source_next(p->source, &p->next, err);
    } while (status == TP_OK && (p->next.what == NULL || p->next.what->kind != TP_KIND_DATA ||
                                 played_named(p, p->next.device) == NULL));
    p->has_next = status == TP_OK && (p->to_ns == 0 || at_of(p, &p->next) <= p->to_ns);
    return status == TP_E_CLOSED ? TP_OK : status;
}

static tp_status go(struct log_playing *p, uint64_t to_ns, tp_error *err)
{
    if (p->source == NULL) { /* no file was chosen yet */
        return TP_OK;
    }
    tp_status status = tpi_source_seek(p->source, to_ns > 0 ? p->first_ns + to_ns : 0, err);

    p->has_shift = false;
    do {
        status = status == TP_OK ? fetch(p, err) : status;
    } while (status == TP_OK && p->has_next && at_of(p, &p->next) < to_ns);
    anchor(p, to_ns);
    return status;
}

tp_status tpi_playing_go(struct log_playing *p, double to_s, tp_error *err)
{
    if (!(to_s >= 0 && to_s < 1e9)) {
        return tp_fail(err, TP_E_RANGE, "%g s is no time of the recording", to_s);
    }
    return go(p, (uint64_t)(to_s * 1e9), err);
}

void tpi_playing_set(struct log_playing *p, bool on)
{
    anchor(p, position_ns(p));
    p->is_on = on;
    tp_instance_set_period(p->instance, on ? shortest_ns : 0);
}

void tpi_playing_set_speed(struct log_playing *p, double speed)
{
    anchor(p, position_ns(p));
    p->speed = speed;
    tp_instance_keep_all(p->instance, p->waits);
    tpi_playing_set(p, p->is_on);
}

/* ---- Another file ---------------------------------------------------------------------------- */

/* Give the devices of `p` to what `next` has of them. */
static tp_status hand_over(const struct log_playing *p, struct log_playing *next, tp_error *err)
{
    char name[80];
    tp_status status = TP_OK;

    for (size_t i = 0; i < p->count && status == TP_OK; i++) {
        tp_device *device = p->played[i].device;
        struct log_played *played = device == NULL ? NULL : played_for(next, device, name);

        if (device != NULL && played == NULL) {
            status = add_silent(next, device, name, &played, err);
        }
        if (status == TP_OK && device != NULL) {
            played->device = device;
        }
    }
    return status;
}

tp_status tpi_playing_open(struct log_playing *p, const char *path, tp_error *err)
{
    struct log_playing next = {.instance = p->instance};

    (void)snprintf(next.path, sizeof next.path, "%s", path);
    tp_status status = tpi_playing_init(&next, p->instance, err);
    status = status == TP_OK ? hand_over(p, &next, err) : status;
    if (status != TP_OK) {
        tpi_playing_fini(&next);
        return status;
    }
    tpi_playing_fini(p);
    memcpy(p->path, next.path, sizeof p->path);
    p->source = next.source;
    p->played = next.played;
    p->count = next.count;
    p->room = next.room;
    p->first_ns = next.first_ns;
    p->span_ns = next.span_ns;
    p->from_ns = p->to_ns = 0; /* those of the configured file */
    for (size_t i = 0; i < p->count; i++) {
        if (p->played[i].device != NULL) {
            (void)tp_device_set_property_text(p->played[i].device, "recording", p->path);
        }
    }
    return go(p, 0, err);
}

tp_status tpi_playing_resume(struct log_playing *p, tp_error *err)
{
    if (p->source == NULL) {
        return tp_fail(err, TP_E_INVALID, "choose a file first");
    }
    const tp_status status = p->has_next ? TP_OK : go(p, p->from_ns, err);

    p->awaits_reader = false;
    tpi_playing_set(p, status == TP_OK);
    return status;
}

/* ---- Playing --------------------------------------------------------------------------------- */

static tp_status play_one(struct log_playing *p, tp_error *err)
{
    const struct log_played *played = played_named(p, p->next.device);
    double time_s = p->next.publish_s;

    if (p->shifts && !p->has_shift) {
        p->shift_s = tp_clock_wall_s(tp_instance_clock(p->instance)) - time_s;
        p->has_shift = true;
    }
    time_s += p->shifts ? p->shift_s : 0;
    if (played->device != NULL) {
        (void)tp_publish(played->device, p->next.what->code, p->next.value, time_s);
        p->messages++;
    }
    return fetch(p, err);
}

static bool is_behind(const struct log_playing *p)
{
    uint32_t behind = 0;

    for (size_t i = 0; i < p->count && p->waits; i++) {
        behind += p->played[i].device == NULL ? 0 : tp_device_behind(p->played[i].device);
    }
    return behind > 0;
}

/* Whether readers that must not lose anything have too much before them. If so, the next poll comes
 * when they have less. */
static bool is_held(const struct log_playing *p)
{
    const bool behind = is_behind(p);
    const bool ahead =
        (p->waits || p->speed == 0) && tp_instance_on_its_way(p->instance) > MOST_ON_THE_WAY;

    if (behind || ahead) {
        tp_instance_set_period(p->instance, TP_NS_PER_MS);
    }
    if (ahead && !behind) {
        tp_instance_await_room(p->instance, MOST_ON_THE_WAY / 2);
    }
    return behind || ahead;
}

static bool has_reader(const struct log_playing *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->played[i].device != NULL && tp_device_readers(p->played[i].device) > 0) {
            return true;
        }
    }
    return false;
}

tp_status tpi_playing_step(struct log_playing *p, unsigned count, tp_error *err)
{
    tp_status status = TP_OK;

    p->awaits_reader = false;
    if (p->is_on) {
        tpi_playing_set(p, false);
    }
    for (unsigned i = 0; i < count && p->has_next && status == TP_OK; i++) {
        anchor(p, at_of(p, &p->next));
        status = play_one(p, err);
    }
    return status;
}

/* At the end: from the beginning again, or stop. */
static tp_status at_end(struct log_playing *p, tp_error *err)
{
    const tp_status status = p->loops ? go(p, p->from_ns, err) : TP_OK;

    if (!p->loops || !p->has_next) {
        tpi_playing_set(p, false);
    }
    return status;
}

tp_status tpi_playing_poll(struct log_playing *p, tp_error *err)
{
    tp_status status = TP_OK;

    if (!p->is_on) {
        return TP_OK;
    }
    if (p->awaits_reader && !has_reader(p)) {
        anchor(p, p->anchor_at_ns);
        tp_instance_set_period(p->instance, TP_NS_PER_MS);
        return TP_OK;
    }
    p->awaits_reader = false;
    if (!p->has_next) {
        status = at_end(p, err);
    }
    for (unsigned i = 0; i < MOST_AT_ONCE && p->is_on && p->has_next && status == TP_OK; i++) {
        const uint64_t due_ns = at_of(p, &p->next);

        if (is_held(p)) {
            anchor(p, due_ns);
            return TP_OK;
        }
        if (p->speed > 0 && due_ns > position_ns(p)) {
            const double wait_ns = (double)(due_ns - position_ns(p)) / p->speed;

            tp_instance_set_period(
                p->instance, (int64_t)fmin(fmax(wait_ns, (double)shortest_ns), (double)longest_ns));
            return TP_OK;
        }
        if (p->speed == 0) {
            anchor(p, due_ns);
        }
        status = play_one(p, err);
    }
    if (p->is_on) {
        tp_instance_set_period(p->instance, shortest_ns);
    }
    return status;
}
