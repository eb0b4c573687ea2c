/* session.c - session records of a client: sequences, rates, cancelling. */
#include <math.h>

#include "motion/inside.h"

union body {
    tpi_motion_set_mode mode;
    tpi_motion_begin begin;
    tpi_motion_end end;
    tpi_motion_broadcast broadcast;
    tpi_motion_tag tag;
    tpi_motion_rate rate;
    tpi_motion_lease lease;
    tpi_motion_update update;
    uint8_t others[1024];
};

static const int64_t DEFAULT_TARGET_NS = 1000000000;
static const uint64_t MOST_US = 1000000000000; /* eleven days */

static void touch_all(tpi_motion_engine *e)
{
    for (uint32_t i = 0; i < e->settings.clients; i++) {
        for (int k = 0; e->clients[i] != NULL && k < TPI_MOTION_TRACKS; k++) {
            tpi_motion_track_touch(e, &e->clients[i]->tracks[k]);
        }
    }
}

/* ---- Stopping ---- */

static void end_motions(tpi_motion_engine *e, const tpi_motion_client *client, uint32_t tag,
                        tpi_motion_signal signal, bool brake, const char *why)
{
    for (uint16_t i = 0; i < e->axis_count; i++) {
        tpi_motion_axis *axis = &e->axes[i];
        const tpi_motion_motion *m = &axis->motion;

        if (m->servo != 0 && m->track->client == client && m->command != NULL &&
            (tag == 0 || m->command->tag == tag)) {
            tpi_motion_axis_end(e, axis, signal, brake, why);
        }
    }
}

void tpi_motion_session_stop(tpi_motion_engine *e, tpi_motion_client *client,
                             tpi_motion_signal signal, bool brake, const char *why)
{
    for (int i = 0; i < TPI_MOTION_TRACKS; i++) {
        tpi_motion_track *track = &client->tracks[i];

        if (track->state == TPI_MOTION_TRACK_FREE) {
            continue;
        }
        tpi_motion_track_drop(e, track, INT64_MIN, 0, signal, why);
    }
    end_motions(e, client, 0, signal, brake, why);
    for (int i = 1; i < TPI_MOTION_TRACKS; i++) {
        tpi_motion_track *track = &client->tracks[i];

        if (track->state == TPI_MOTION_TRACK_COLLECTS || track->state == TPI_MOTION_TRACK_PLAYS) {
            tpi_motion_track_close(e, track, signal, why);
        }
    }
}

static const char *cancel(tpi_motion_engine *e, tpi_motion_client *client, uint32_t tag)
{
    if (tag == 0) {
        tpi_motion_session_stop(e, client, TPI_MOTION_MODIFIED, true, "cancelled");
        return NULL;
    }
    for (int i = 0; i < TPI_MOTION_TRACKS; i++) {
        if (client->tracks[i].state != TPI_MOTION_TRACK_FREE) {
            tpi_motion_track_drop(e, &client->tracks[i], INT64_MIN, tag, TPI_MOTION_MODIFIED,
                                  "cancelled");
        }
    }
    end_motions(e, client, tag, TPI_MOTION_MODIFIED, true, "cancelled");
    return NULL;
}

/* ---- Sequences ---- */

static tpi_motion_track *find(tpi_motion_client *client, uint32_t id, bool unused)
{
    for (int i = 1; i < TPI_MOTION_TRACKS; i++) {
        tpi_motion_track *track = &client->tracks[i];
        const bool open =
            track->state == TPI_MOTION_TRACK_COLLECTS || track->state == TPI_MOTION_TRACK_PLAYS;

        if (unused ? track->state == TPI_MOTION_TRACK_FREE : open && track->sequence.id == id) {
            return track;
        }
    }
    return NULL;
}

/* Whether a playback of this number was over before its END; it is forgotten. */
static bool forget_over(tpi_motion_client *client, uint32_t sequence)
{
    for (unsigned i = 0; i < TPI_MOTION_TRACKS; i++) {
        if (sequence != 0 && client->over[i] == sequence) {
            client->over[i] = 0;
            return true;
        }
    }
    return false;
}

static const char *begin(tpi_motion_engine *e, tpi_motion_client *client, const tpi_motion_begin *b)
{
    const bool playback = b->mode == TPI_MOTION_PLAYBACK;
    tpi_motion_track *track = find(client, b->sequence, true);
    const int64_t target = b->target_us != 0 ? (int64_t)b->target_us * 1000 : DEFAULT_TARGET_NS;

    if (client->right < 2) {
        return "this client may not move the robot";
    }
    if (!playback && b->mode != TPI_MOTION_ADAPTIVE) {
        return "a sequence is playback or adaptive";
    }
    if (b->estimate > 1 || b->late > 2 || b->duration_us > MOST_US || b->target_us > MOST_US) {
        return "a field is out of range";
    }
    if (playback && (b->frames == 0 || (b->frames > 1 && b->duration_us == 0))) {
        return "a playback needs the number of frames and the duration";
    }
    if (b->sequence == 0) {
        return "sequence 0 is the server's clock: choose another number";
    }
    if (find(client, b->sequence, false) != NULL) {
        return "the sequence has begun already";
    }
    if (track == NULL) {
        return "too many sequences";
    }
    *track = (tpi_motion_track){.client = client};
    (void)forget_over(client, b->sequence);
    tpi_motion_track_set_state(e, track, TPI_MOTION_TRACK_COLLECTS);
    track->sequence.id = b->sequence;
    track->sequence.mode = b->mode;
    track->sequence.expected = b->frames;
    track->sequence.estimator = (tpi_motion_estimator)b->estimate;
    track->sequence.duration_ns = (int64_t)b->duration_us * 1000;
    track->sequence.start_at = INT64_MAX;
    track->line.bounded = b->late != 1;
    track->line.target_ns = playback || b->late == 1 ? 0 : target;
    track->line.due_ns = INT64_MAX;
    return NULL;
}

static const char *end(tpi_motion_engine *e, tpi_motion_client *client, const tpi_motion_end *b)
{
    tpi_motion_track *track = find(client, b->sequence, false);

    if (track == NULL) {
        return forget_over(client, b->sequence) ? NULL : "no such sequence has begun";
    }
    track->sequence.complete = track->sequence.ended = true;
    track->sequence.gaps = b->frames > track->sequence.received;
    if (track->state == TPI_MOTION_TRACK_COLLECTS) {
        track->sequence.start_at = tpi_motion_track_present(e);
        return NULL;
    }
    tpi_motion_track_touch(e, track);
    return NULL;
}

/* ---- Rates and leases ---- */

/* What the others have slowed the robot to. */
static double rate_of_others(const tpi_motion_engine *e, const tpi_motion_client *client)
{
    double rate = e->left_rate;

    for (uint32_t i = 0; i < e->settings.clients; i++) {
        if (e->clients[i] != NULL && e->clients[i] != client) {
            rate = fmin(rate, e->clients[i]->robot_rate);
        }
    }
    return rate;
}

/* An operator takes back what others have slowed the robot by. */
static void raise_others(tpi_motion_engine *e, double rate)
{
    for (uint32_t i = 0; i < e->settings.clients; i++) {
        if (e->clients[i] != NULL) {
            e->clients[i]->robot_rate = fmax(e->clients[i]->robot_rate, rate);
        }
    }
    e->left_rate = fmax(e->left_rate, rate);
}

static const char *set_robot_rate(tpi_motion_engine *e, tpi_motion_client *client, double rate)
{
    if (rate > e->rate && rate > rate_of_others(e, client)) {
        if (client->right < 3) {
            return "another client has slowed the robot";
        }
        raise_others(e, rate);
    }
    client->robot_rate = e->rate = rate;
    return NULL;
}

static const char *set_rate(tpi_motion_engine *e, tpi_motion_client *client,
                            const tpi_motion_rate *b)
{
    const char *why = NULL;

    if (client->right < 2) {
        return "this client may not move the robot";
    }
    if (b->scope > 1) {
        return "the scope is own or robot";
    }
    if (b->scope == 0) {
        client->rate = b->rate;
    } else {
        why = set_robot_rate(e, client, b->rate);
    }
    touch_all(e);
    return why;
}

static void set_lease(tpi_motion_engine *e, tpi_motion_client *client, uint32_t tag,
                      uint64_t lease_us)
{
    const int64_t asked = lease_us < MOST_US ? (int64_t)lease_us * 1000 : INT64_MAX;
    const int64_t granted = tpi_motion_engine_lease(e, client->number, asked);
    const tpi_motion_lease answer = {(uint64_t)granted / 1000};

    tpi_motion_answer(e, client, TPI_MOTION_LEASE | TPI_MOTION_ANSWER, tag, &answer, false);
}

static const char *set_mode(tpi_motion_client *client, const tpi_motion_set_mode *b)
{
    if (b->mode > TPI_MOTION_ADAPTIVE || b->mode == TPI_MOTION_BROADCAST || b->late > 2) {
        return "there is no such mode";
    }
    client->mode = b->mode;
    client->late = b->late;
    return NULL;
}

/* ---- Broadcasts ---- */

static const char *broadcast(tpi_motion_engine *e, tpi_motion_client *client, uint32_t tag,
                             const tpi_motion_broadcast *b)
{
    if (tpi_motion_kind_of(b->query) != TPI_MOTION_QUERY || b->period_us == 0 ||
        b->period_us > MOST_US) {
        return "there is no such broadcast";
    }
    if (!tpi_motion_query_repeat(e, client, b->query, tag, (tpi_motion_page){b->first, b->count},
                                 (int64_t)b->period_us * 1000)) {
        return "too many broadcasts";
    }
    return NULL;
}

static const char *silence(tpi_motion_engine *e, tpi_motion_client *client, uint32_t tag)
{
    for (int i = 0; i < TPI_MOTION_BROADCASTS; i++) {
        if (tag == 0 || client->repeats[i].tag == tag) {
            client->repeats[i].used = false;
        }
    }
    tpi_motion_query_plan(e, client);
    return NULL;
}

/* ---- Records ---- */

/* Handle a record. Returns why it is refused; NULL if it is not. */
static const char *handle(tpi_motion_engine *e, tpi_motion_client *client,
                          const tpi_motion_record *record, const union body *b)
{
    switch (record->code) {
    case TPI_MOTION_SET_MODE:
        return set_mode(client, &b->mode);
    case TPI_MOTION_BEGIN:
        return begin(e, client, &b->begin);
    case TPI_MOTION_END:
        return end(e, client, &b->end);
    case TPI_MOTION_BROADCAST_BEGIN:
        return broadcast(e, client, record->tag, &b->broadcast);
    case TPI_MOTION_BROADCAST_END:
        return silence(e, client, b->tag.tag);
    case TPI_MOTION_CANCEL:
        return cancel(e, client, b->tag.tag);
    case TPI_MOTION_UPDATE:
        return tpi_motion_update_field(e, client, &b->update);
    default:
        return set_rate(e, client, &b->rate);
    }
}

static bool is_ours(uint16_t code)
{
    return code >= TPI_MOTION_SET_MODE && code <= TPI_MOTION_UPDATE;
}

void tpi_motion_session(tpi_motion_engine *e, tpi_motion_client *client,
                        const tpi_motion_header *header, const uint8_t *payload)
{
    tpi_motion_record record;
    size_t at = 0;

    while (at < header->size &&
           tpi_motion_record_next(&record, payload, header->size, &at, NULL) == TP_OK) {
        const tpi_motion_body *body = tpi_motion_body_of(record.code);
        const tpi_motion_subject subject = {record.tag, header->id, TPI_MOTION_DIRECT, 0, 0};
        union body b;

        if (!is_ours(record.code) ||
            tpi_motion_body_get(body, record.body, record.length, &b, NULL, 0, NULL) != TP_OK) {
            continue;
        }
        if (record.code == TPI_MOTION_LEASE) {
            set_lease(e, client, record.tag, b.lease.lease_us);
            continue;
        }
        const bool refused = e->panicked && record.code == TPI_MOTION_BEGIN;
        const char *why = refused ? "there is a panic" : handle(e, client, &record, &b);
        tpi_motion_signal_send(e, client, &subject,
                               refused       ? TPI_MOTION_PANICKED
                               : why == NULL ? TPI_MOTION_SUCCESS
                                             : TPI_MOTION_ERROR,
                               true, "%s", why == NULL ? "" : why);
    }
}
