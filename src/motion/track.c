/* track.c - time lines with the frames that wait on them, and the life of sequences. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/inside.h"

static const double LARGEST_GAP = 2; /* of a playback, as a ratio to the median gap */

int64_t tpi_motion_track_present(const tpi_motion_engine *e)
{
    return e->planned_ns;
}

void tpi_motion_track_set_state(tpi_motion_engine *e, tpi_motion_track *track,
                                tpi_motion_track_state state)
{
    tpi_motion_brief *brief = tpi_motion_brief_of(e, track->client);
    const unsigned bit = 1u << (track - track->client->tracks);

    track->state = state;
    brief->tracks =
        (uint16_t)(state != TPI_MOTION_TRACK_FREE ? brief->tracks | bit : brief->tracks & ~bit);
}

/* ---- Rates ---- */

double tpi_motion_track_scale(const tpi_motion_track *track)
{
    switch (track->line.phase) {
    case TPI_MOTION_EXACT:
        return 1;
    case TPI_MOTION_STEP:
        return track->line.mean;
    default:
        return track->line.rate;
    }
}

/* A speed holds until a step of the rate is over, with its mean. A set-point moves on within it,
 * and comes to the rate at its end. */
double tpi_motion_axis_scale(const tpi_motion_engine *e, const tpi_motion_axis *axis)
{
    const tpi_motion_motion *m = &axis->motion;

    if (m->servo == 0) {
        return 0;
    }
    return m->servo == TPI_MOTION_SERVO_POSITION && m->track->line.phase == TPI_MOTION_STEP
               ? tpi_motion_line_rate(&m->track->line, tpi_motion_track_present(e))
               : tpi_motion_track_scale(m->track);
}

/* ---- Planning ---- */

static void steer(const tpi_motion_engine *e, tpi_motion_track *track)
{
    tpi_motion_line *line = &track->line;

    line->goal = track->client != NULL ? track->client->rate * e->rate : 1;
    if (track->sequence.complete) {
        line->bounded = false;
        line->target_ns = 0;
    }
}

/* A line of the server's clock that has nothing to play: its time starts with the next frame. */
static bool is_idle(const tpi_motion_track *track)
{
    return track->client != NULL && track == &track->client->tracks[0] && track->queue.count == 0 &&
           track->moving == 0;
}

void tpi_motion_track_plan(tpi_motion_engine *e, tpi_motion_track *track)
{
    tpi_motion_line *line = &track->line;
    const uint32_t excesses = line->excesses;
    tpi_motion_grip grip;
    int64_t event = tpi_motion_axis_ahead(e, track, &grip);
    const tpi_motion_frame_info *first =
        track->client != NULL ? tpi_motion_queue_first(&track->client->store, &track->queue) : NULL;

    if (is_idle(track)) {
        tpi_motion_line_start(line, line->at_ns, line->tau_ns, line->goal);
        return;
    }
    if (first != NULL && first->tau_ns < event) {
        event = first->tau_ns;
    }
    if (event < line->tau_ns) {
        event = line->tau_ns; /* a late frame runs now */
    }
    steer(e, track);
    tpi_motion_line_plan(line, grip, event, e->robot.period_ns);
    e->excesses += line->excesses - excesses;
}

void tpi_motion_track_touch(tpi_motion_engine *e, tpi_motion_track *track)
{
    const bool plays =
        track->state == TPI_MOTION_TRACK_PLAYS || track->state == TPI_MOTION_TRACK_ENDED;

    if (!plays || track->touched || track->line.phase == TPI_MOTION_STEP) {
        return; /* it is planned at the end of this instant, or of its step */
    }
    tpi_motion_line_reach(&track->line, tpi_motion_track_present(e));
    track->line.due_ns = track->line.at_ns; /* planned in an instant: what follows is written */
}

/* ---- Frames ---- */

void tpi_motion_track_play(tpi_motion_engine *e, tpi_motion_track *track)
{
    tpi_motion_client *client = track->client;
    tpi_motion_frame_info info;
    tpi_motion_record record;
    tpi_motion_order order;
    size_t at = 0;

    tpi_motion_queue_take(&client->store, &track->queue, &info, e->room.payload);
    client->played++;
    track->sequence.played++;
    while (at < info.size &&
           tpi_motion_record_next(&record, e->room.payload, info.size, &at, NULL) == TP_OK) {
        if (tpi_motion_order_read(e, &record, &order, NULL)) {
            tpi_motion_command_start(e, track, &order, &info);
        }
    }
}

/* Drop a command of a frame that waits. */
static void drop_record(tpi_motion_engine *e, tpi_motion_client *client,
                        const tpi_motion_frame_info *info, const tpi_motion_record *record,
                        tpi_motion_signal signal, const char *why)
{
    const tpi_motion_subject subject = {record->tag, info->package, info->mode, info->flags, 0};
    tpi_motion_order order;

    if (tpi_motion_order_read(e, record, &order, NULL)) {
        for (uint16_t i = 0; i < order.count; i++) {
            tpi_motion_axis_release(e, &e->axes[order.targets[i].axis], client);
        }
    }
    tpi_motion_signal_send(e, client, &subject, signal, true, "%s", why);
}

void tpi_motion_track_drop(tpi_motion_engine *e, tpi_motion_track *track, int64_t tau_ns,
                           uint32_t tag, tpi_motion_signal signal, const char *why)
{
    tpi_motion_client *client = track->client;
    tpi_motion_queue rest = {0, 0};

    tpi_motion_queue_split(&client->store, &track->queue, tau_ns, &rest);
    while (rest.count > 0) {
        tpi_motion_frame_info info;
        tpi_motion_record record;
        size_t at = 0, kept = 0;

        tpi_motion_queue_take(&client->store, &rest, &info, e->room.payload);
        while (at < info.size) {
            const size_t start = at;

            tpi_motion_record_next(&record, e->room.payload, info.size, &at, NULL);
            if (tag != 0 && record.tag != tag) {
                memcpy(e->room.accepted + kept, e->room.payload + start, at - start);
                kept += at - start;
                continue;
            }
            drop_record(e, client, &info, &record, signal, why);
        }
        if (tag != 0 && (kept > 0 || track != &client->tracks[0])) {
            info.size = (uint32_t)kept;
            tpi_motion_queue_add(&client->store, &track->queue, &info, e->room.accepted);
        }
    }
}

/* ---- Sequences ---- */

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Whether the frames that are there are about evenly spaced. */
static bool is_even(tpi_motion_engine *e, const tpi_motion_track *track)
{
    int64_t *times = e->room.times;
    const uint32_t count = tpi_motion_queue_times(&track->client->store, &track->queue, times);

    if (count < 3) {
        return true;
    }
    qsort(times, count, sizeof *times, by_size);
    for (uint32_t i = 0; i + 1 < count; i++) {
        times[i] = times[i + 1] - times[i];
    }
    qsort(times, count - 1, sizeof *times, by_size);
    return (double)times[count - 2] <= LARGEST_GAP * (double)times[(count - 2) / 2];
}

static void start_sequence(tpi_motion_engine *e, tpi_motion_track *track, int64_t at_ns)
{
    const tpi_motion_frame_info *first =
        tpi_motion_queue_first(&track->client->store, &track->queue);

    track->sequence.start_at = INT64_MAX;
    if (first != NULL && track->sequence.mode == TPI_MOTION_PLAYBACK && !is_even(e, track)) {
        tpi_motion_track_close(e, track, TPI_MOTION_ERROR, "the frames are not evenly spaced");
        return;
    }
    track->sequence.begun_ns = at_ns;
    track->sequence.begun_tau_ns = first != NULL ? first->tau_ns : 0;
    tpi_motion_track_set_state(e, track, TPI_MOTION_TRACK_PLAYS);
    steer(e, track);
    tpi_motion_line_start(&track->line, at_ns, track->sequence.begun_tau_ns, track->line.goal);
    track->touched = true;
}

static void append(char text[TPI_MOTION_TEXT], const char *format, ...) TP_PRINTF(2, 3);

static void append(char text[TPI_MOTION_TEXT], const char *format, ...)
{
    const size_t length = strlen(text);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text + length, TPI_MOTION_TEXT - length, format, args);
    va_end(args);
}

/* The text of a summary. Limits that were exceeded are said, and commands that were changed. */
static uint16_t put_reason(const tpi_motion_engine *e, const tpi_motion_track *track,
                           const char *why, char text[TPI_MOTION_TEXT])
{
    const uint32_t excesses = track->line.excesses, changes = track->sequence.changes;

    text[0] = '\0';
    append(text, "%s", why);
    if (excesses > 0) {
        append(text, "; an acceleration limit was exceeded in %u steps", (unsigned)excesses);
    }
    if (changes > 0) {
        append(text, "; %u command%s modified, first at %g s", (unsigned)changes,
               changes == 1 ? " was" : "s were", (double)track->sequence.change_ns * 1e-9);
        tpi_motion_change_put(e, &track->sequence.change, text);
    }
    return (uint16_t)strlen(text);
}

void tpi_motion_track_close(tpi_motion_engine *e, tpi_motion_track *track, tpi_motion_signal signal,
                            const char *why)
{
    const int64_t now = tpi_motion_track_present(e);
    const int64_t begun = track->sequence.begun_ns;
    const int64_t own = track->line.tau_ns - track->sequence.begun_tau_ns;
    char text[TPI_MOTION_TEXT];
    const uint16_t length = put_reason(e, track, why, text);
    const tpi_motion_summary summary = {
        .sequence = track->sequence.id,
        .signal = (uint8_t)signal,
        .frames = track->sequence.received,
        .played = track->sequence.played,
        .late = track->sequence.late,
        .stalls = track->line.stalls,
        .start_us = (uint64_t)begun / 1000,
        .end_us = (uint64_t)now / 1000,
        .held_us = begun > 0 && now - begun > own ? (uint64_t)(now - begun - own) / 1000 : 0,
        .length = length,
        .text = text,
    };

    tpi_motion_track_drop(e, track, INT64_MIN, 0, signal, why);
    tpi_motion_confirm_summary(e, track->client, &summary);
    tpi_motion_track_set_state(e, track,
                               track->moving > 0 ? TPI_MOTION_TRACK_ENDED : TPI_MOTION_TRACK_FREE);
}

void tpi_motion_track_turn(tpi_motion_engine *e, tpi_motion_track *track, int64_t at_ns)
{
    if (track->state == TPI_MOTION_TRACK_COLLECTS && track->sequence.start_at <= at_ns) {
        start_sequence(e, track, at_ns);
        return;
    }
    if (track->state == TPI_MOTION_TRACK_ENDED && track->moving == 0) {
        tpi_motion_track_set_state(e, track, TPI_MOTION_TRACK_FREE);
    }
    if (track->state == TPI_MOTION_TRACK_PLAYS && track->sequence.complete &&
        track->queue.count == 0 && track->finite == 0) {
        const bool gaps = track->sequence.gaps;

        if (!track->sequence.ended) {
            track->client->over[track->client->overs++ % TPI_MOTION_TRACKS] = track->sequence.id;
        }
        tpi_motion_track_close(e, track, gaps ? TPI_MOTION_MODIFIED : TPI_MOTION_SUCCESS,
                               gaps ? "frames are missing" : "done");
    }
}
