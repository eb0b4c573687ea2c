/* receive.c - packages of commands: what is accepted of them, and where it waits. */
#include <string.h>

#include "motion/inside.h"

/* A package on its way into a queue. */
struct arrival {
    tpi_motion_client *client;
    tpi_motion_track *track;
    tpi_motion_frame_info info;
};

static tpi_motion_subject subject_of(const struct arrival *a, uint32_t tag)
{
    return (tpi_motion_subject){tag, a->info.package, a->info.mode, a->info.flags, 0};
}

/* Refuse all commands of a package. */
static void refuse(tpi_motion_engine *e, const struct arrival *a, const uint8_t *payload,
                   uint32_t size, tpi_motion_signal signal, const char *why)
{
    tpi_motion_record record;
    size_t at = 0;

    while (at < size && tpi_motion_record_next(&record, payload, size, &at, NULL) == TP_OK) {
        const tpi_motion_subject subject = subject_of(a, record.tag);

        tpi_motion_signal_send(e, a->client, &subject, signal, true, "%s", why);
    }
}

/* ---- Commands that are refused alone ---- */

/* Whether this client has been told already that the robot has no such thing. */
static bool is_known_refusal(tpi_motion_client *client, const tpi_motion_record *record)
{
    uint32_t target = 0;

    /* Those for a joint or a control frame begin with it. */
    if (record->code >= TPI_MOTION_SET && record->code != TPI_MOTION_MOVE) {
        memcpy(&target, record->body, sizeof target);
    }
    const uint64_t key = (uint64_t)record->code << 32 | target;

    for (uint32_t i = 0; i < client->refusal_count; i++) {
        if (client->refusals[i] == key) {
            return true;
        }
    }
    if (client->refusal_count < TPI_MOTION_REFUSALS) {
        client->refusals[client->refusal_count++] = key;
    }
    return false;
}

/* The first axis of an order whose time line stands; NULL if there is none. A hold of another
 * client does not protect what a higher rank may take. */
static const tpi_motion_axis *standing(const tpi_motion_engine *e, const struct arrival *a,
                                       const tpi_motion_order *order)
{
    const bool held = a->client->rate * e->rate == 0;

    for (uint16_t i = 0; i < order->count; i++) {
        const tpi_motion_axis *axis = &e->axes[order->targets[i].axis];
        const bool stands = axis->motion.servo != 0 && axis->motion.track->client == a->client &&
                            tpi_motion_track_scale(axis->motion.track) == 0 &&
                            axis->motion.track != &a->client->tracks[0];

        if (held || stands) {
            return axis;
        }
    }
    return NULL;
}

/* Count the axes of an order for the client; if one of them cannot be had, nothing is taken. */
static bool hold_all(tpi_motion_engine *e, const struct arrival *a, const tpi_motion_order *order)
{
    const tpi_motion_subject subject = subject_of(a, order->tag);

    for (uint16_t i = 0; i < order->count; i++) {
        const tpi_motion_axis *axis = &e->axes[order->targets[i].axis];

        if (!tpi_motion_axis_is_free(axis, a->client)) {
            char name[TPI_MOTION_NAME + 16];

            tpi_motion_axis_put_name(e, axis, name);
            tpi_motion_signal_send(e, a->client, &subject, TPI_MOTION_BUSY, true,
                                   "%s is moved by %s", name, axis->holder->label);
            return false;
        }
    }
    for (uint16_t i = 0; i < order->count; i++) {
        tpi_motion_axis_hold(e, &e->axes[order->targets[i].axis], a->client);
    }
    return true;
}

static bool accept(tpi_motion_engine *e, const struct arrival *a, const tpi_motion_record *record)
{
    const tpi_motion_subject subject = subject_of(a, record->tag);
    tpi_motion_order order;
    tp_error err = {.text = ""};

    if (!tpi_motion_order_read(e, record, &order, &err)) {
        const bool known = is_known_refusal(a->client, record);

        if (!known || tpi_motion_signal_answers(&subject)) {
            tpi_motion_signal_send(e, a->client, &subject, TPI_MOTION_NA, true, "%s", err.text);
        }
        return false;
    }
    const tpi_motion_axis *stands = standing(e, a, &order);
    if (a->info.mode == TPI_MOTION_DIRECT && order.code != TPI_MOTION_STOP && stands != NULL) {
        char name[TPI_MOTION_NAME + 16];

        tpi_motion_axis_put_name(e, stands, name);
        tpi_motion_signal_send(e, a->client, &subject, TPI_MOTION_BUSY, true, "%s is held", name);
        return false;
    }
    return hold_all(e, a, &order);
}

/* Whether there is a base that no other client moves. */
static bool has_base(const tpi_motion_engine *e, const tpi_motion_client *client)
{
    for (uint16_t i = 0; i < e->base_axes; i++) {
        if (e->axes[i].holder != NULL && e->axes[i].holder != client) {
            return false;
        }
    }
    return e->base_axes > 0;
}

/* A STOP while time is held: the base stands already, and what moved it ends. */
static bool stopped_in_hold(tpi_motion_engine *e, const struct arrival *a,
                            const tpi_motion_record *record)
{
    const tpi_motion_subject subject = subject_of(a, record->tag);

    if (record->code != TPI_MOTION_STOP || a->info.mode != TPI_MOTION_DIRECT ||
        a->client->rate * e->rate > 0 || !has_base(e, a->client)) {
        return false;
    }
    for (uint16_t i = 0; i < e->base_axes; i++) {
        tpi_motion_axis *axis = &e->axes[i];

        if (axis->motion.servo != 0 && axis->motion.track->client == a->client) {
            tpi_motion_axis_end(e, axis, TPI_MOTION_MODIFIED, true, "stopped");
        }
    }
    tpi_motion_signal_send(e, a->client, &subject, TPI_MOTION_SUCCESS, true, "stopped");
    return true;
}

/* Copy the commands that are accepted to the engine's room. */
static void filter(tpi_motion_engine *e, struct arrival *a, const uint8_t *payload, size_t size)
{
    tpi_motion_record record;
    size_t at = 0, kept = 0;

    while (at < size) {
        const size_t start = at;

        if (tpi_motion_record_next(&record, payload, size, &at, NULL) != TP_OK) {
            break;
        }
        if (!stopped_in_hold(e, a, &record) && accept(e, a, &record)) {
            memcpy(e->room.accepted + kept, payload + start, at - start);
            kept += at - start;
            a->info.records++;
        }
    }
    a->info.size = (uint32_t)kept;
}

/* ---- Time lines ---- */

static tpi_motion_track *find_track(tpi_motion_client *client, uint8_t mode, uint32_t sequence)
{
    if (mode == TPI_MOTION_DIRECT || mode == TPI_MOTION_DELAY) {
        return &client->tracks[0];
    }
    for (int i = 1; i < TPI_MOTION_TRACKS; i++) {
        tpi_motion_track *track = &client->tracks[i];
        const bool open =
            track->state == TPI_MOTION_TRACK_COLLECTS || track->state == TPI_MOTION_TRACK_PLAYS;

        if (open && track->sequence.id == sequence && track->sequence.mode == mode) {
            return track;
        }
    }
    return NULL;
}

/* On the server's clock: a line that plays nothing has the server's time. */
static void place_on_clock(tpi_motion_engine *e, struct arrival *a, uint64_t time_us)
{
    const int64_t now = tpi_motion_track_present(e);
    tpi_motion_track *track = a->track;

    if (track->queue.count == 0 && track->moving == 0) {
        tpi_motion_track_set_state(e, track, TPI_MOTION_TRACK_PLAYS);
        tpi_motion_line_start(&track->line, now, now, a->client->rate * e->rate);
        track->line.known_ns = now;
    }
    const int64_t present = tpi_motion_line_tau(&track->line, now);
    const int64_t tau = (int64_t)time_us * 1000;

    a->info.tau_ns = time_us == 0 ? present : tau;
    track->line.bounded = a->client->late == 2;
    if (a->info.tau_ns > track->line.known_ns) {
        track->line.known_ns = a->info.tau_ns;
    }
    if (time_us > 0 && tau < present) {
        const uint64_t late = (uint64_t)(present - tau);

        a->client->late_frames++;
        a->client->longest_late_ns =
            late > a->client->longest_late_ns ? late : a->client->longest_late_ns;
    }
}

/* When a sequence can start, as far as is known now. */
static int64_t start_of(const tpi_motion_engine *e, const tpi_motion_track *track)
{
    const int64_t now = tpi_motion_track_present(e);
    const tpi_motion_frame_info *first =
        tpi_motion_queue_first(&track->client->store, &track->queue);
    int64_t start;

    if (track->sequence.complete) {
        return now;
    }
    if (track->sequence.mode == TPI_MOTION_ADAPTIVE) {
        /* Half a buffer more than it wants to keep: jitter alone does not slow it. */
        const int64_t enough = track->line.target_ns + track->line.target_ns / 2;

        return first != NULL && track->line.known_ns - first->tau_ns >= enough ? now : INT64_MAX;
    }
    if (!tpi_motion_estimate_start(&track->sequence.estimate, track->sequence.estimator,
                                   track->sequence.expected, track->sequence.duration_ns, &start)) {
        return INT64_MAX;
    }
    return start > now ? start : now;
}

static void count_in_sequence(tpi_motion_engine *e, const struct arrival *a)
{
    tpi_motion_track *track = a->track;
    const int64_t tau = a->info.tau_ns;

    if (track->state == TPI_MOTION_TRACK_PLAYS &&
        tpi_motion_line_tau(&track->line, tpi_motion_track_present(e)) >= tau) {
        track->sequence.late++;
        a->client->late_frames++;
    }
    if (track->sequence.received++ == 0 || tau > track->line.known_ns) {
        track->line.known_ns = tau;
    }
    tpi_motion_estimate_add(&track->sequence.estimate, e->now_ns, tau);
    if (track->sequence.mode == TPI_MOTION_PLAYBACK &&
        track->sequence.received == track->sequence.expected) {
        track->sequence.complete = true;
    }
    if (track->state == TPI_MOTION_TRACK_COLLECTS) {
        track->sequence.start_at = start_of(e, track);
    }
}

static void clear(tpi_motion_engine *e, const struct arrival *a, int64_t tau_ns)
{
    tpi_motion_track *track = a->track;

    tpi_motion_track_drop(e, track, tau_ns, 0, TPI_MOTION_MODIFIED, "cleared");
    if (track->line.known_ns >= tau_ns) {
        track->line.known_ns = tpi_motion_line_tau(&track->line, tpi_motion_track_present(e));
        const uint32_t count =
            tpi_motion_queue_times(&a->client->store, &track->queue, e->room.times);

        for (uint32_t i = 0; i < count; i++) {
            if (e->room.times[i] > track->line.known_ns) {
                track->line.known_ns = e->room.times[i];
            }
        }
    }
}

/* ---- Packages ---- */

static void insert(tpi_motion_engine *e, struct arrival *a, const tpi_motion_header *header)
{
    const bool sequence = a->track != &a->client->tracks[0];

    a->info.arrival = e->arrivals++;
    if (a->info.size == 0 && !sequence) {
        return;
    }
    if (sequence) {
        a->info.tau_ns = (int64_t)header->time_us * 1000;
    } else {
        place_on_clock(e, a, header->time_us);
    }
    /* There is room: it was looked for before anything was counted. */
    tpi_motion_queue_add(&a->client->store, &a->track->queue, &a->info, e->room.accepted);
    if (sequence) {
        count_in_sequence(e, a);
    }
    tpi_motion_track_touch(e, a->track);
}

/* Frames may lie a horizon ahead of what plays; the first one of a sequence may have any time. */
static bool times_are_allowed(const tpi_motion_engine *e, const struct arrival *a,
                              const tpi_motion_header *header)
{
    const tpi_motion_track *track = a->track;
    int64_t from = e->now_ns;

    if (header->time_us > (uint64_t)INT64_MAX / 2000) {
        return false;
    }
    if (track != &a->client->tracks[0]) {
        if (track->sequence.received == 0) {
            return true;
        }
        from = track->state == TPI_MOTION_TRACK_PLAYS
                   ? tpi_motion_line_tau(&track->line, tpi_motion_track_present(e))
                   : track->sequence.estimate.first_tau_ns;
    }
    return (int64_t)header->time_us * 1000 - from <= e->settings.horizon_ns;
}

/* Why the whole package is refused; NULL if it is not. */
static const char *refusal(const tpi_motion_engine *e, const struct arrival *a,
                           const tpi_motion_header *header)
{
    if (e->panicked) {
        return "there is a panic";
    }
    if (a->client->right < 2) {
        return "this client may not move the robot";
    }
    if (a->track == NULL) {
        return "no such sequence has begun";
    }
    if (!times_are_allowed(e, a, header)) {
        return "the time is beyond the horizon";
    }
    if (a->track == &a->client->tracks[0] && header->time_us != 0 &&
        (int64_t)header->time_us < e->began_ns / 1000) {
        return "the time is before the start of the server";
    }
    return NULL;
}

static bool has_room(const tpi_motion_store *store, uint32_t size)
{
    return store->free_frames != 0 && store->blocks_left > size / TPI_MOTION_BLOCK;
}

void tpi_motion_receive(tpi_motion_engine *e, tpi_motion_client *client,
                        const tpi_motion_header *header, const uint8_t *payload)
{
    struct arrival a = {.client = client};

    a.info.package = header->id;
    a.info.flags = header->flags;
    a.info.mode = header->mode == TPI_MOTION_SESSIONS_OWN ? client->mode : header->mode;
    a.track = find_track(client, a.info.mode, header->sequence);
    const char *why = refusal(e, &a, header);
    if (why == NULL && (header->flags & TPI_MOTION_CLEAR) != 0) {
        clear(e, &a, (int64_t)header->time_us * 1000);
    }
    if (why == NULL && !has_room(&client->store, header->size)) {
        why = "the queue is full";
    }
    if (why != NULL) {
        refuse(e, &a, payload, header->size, e->panicked ? TPI_MOTION_PANICKED : TPI_MOTION_ERROR,
               why);
        return;
    }
    filter(e, &a, payload, header->size);
    insert(e, &a, header);
}
