/* advance.c - instants: all that happens at the same time is gathered and written once. */
#include "motion/inside.h"

/* The n-th track of the engine: its own, then those of the clients that are not free; NULL after
 * the last. */
static tpi_motion_track *next_track(tpi_motion_engine *e, uint32_t *at)
{
    if (*at == 0) {
        *at = 1;
        return &e->own;
    }
    while ((*at - 1) / TPI_MOTION_TRACKS < e->settings.clients) {
        const uint32_t place = (*at - 1) / TPI_MOTION_TRACKS, k = (*at - 1) % TPI_MOTION_TRACKS;
        const unsigned left = (unsigned)e->briefs[place].tracks >> k;

        *at += left != 0 ? 1 : TPI_MOTION_TRACKS - k;
        if ((left & 1) != 0) {
            return &e->clients[place]->tracks[k];
        }
    }
    return NULL;
}

static int64_t due_of(const tpi_motion_track *track)
{
    switch (track->state) {
    case TPI_MOTION_TRACK_COLLECTS:
        return track->sequence.start_at;
    case TPI_MOTION_TRACK_PLAYS:
    case TPI_MOTION_TRACK_ENDED:
        return track->line.due_ns;
    default:
        return INT64_MAX;
    }
}

/* Bring the tracks that are due to this instant; start sequences. */
static void reach(tpi_motion_engine *e, int64_t at_ns)
{
    uint32_t at = 0;

    for (tpi_motion_track *track; (track = next_track(e, &at)) != NULL;) {
        if (due_of(track) > at_ns) {
            continue;
        }
        if (track->state == TPI_MOTION_TRACK_COLLECTS) {
            tpi_motion_track_turn(e, track, at_ns);
            continue;
        }
        track->stepped = track->line.phase != TPI_MOTION_EXACT;
        tpi_motion_line_reach(&track->line, at_ns);
        track->touched = true;
    }
}

/* The track whose first frame is due and arrived first. */
static tpi_motion_track *first_due(tpi_motion_engine *e)
{
    tpi_motion_track *best = NULL;
    uint64_t arrival = UINT64_MAX;
    uint32_t at = 0;

    for (tpi_motion_track *track; (track = next_track(e, &at)) != NULL;) {
        const tpi_motion_frame_info *first =
            track->touched && track->client != NULL
                ? tpi_motion_queue_first(&track->client->store, &track->queue)
                : NULL;

        if (first != NULL && first->tau_ns <= track->line.tau_ns && first->arrival < arrival) {
            arrival = first->arrival;
            best = track;
        }
    }
    return best;
}

/* Plan the tracks of this instant. Where the rate has changed, all that moves is written. */
static void plan(tpi_motion_engine *e, int64_t at_ns)
{
    uint32_t at = 0;

    for (tpi_motion_track *track; (track = next_track(e, &at)) != NULL;) {
        if (!track->touched) {
            continue;
        }
        tpi_motion_track_plan(e, track);
        track->stepped = track->stepped || track->line.phase != TPI_MOTION_EXACT;
        if (track->client != NULL && track != &track->client->tracks[0]) {
            tpi_motion_track_turn(e, track, at_ns);
        }
    }
    for (uint16_t i = 0; i < e->axis_count; i++) {
        const tpi_motion_axis *axis = &e->axes[i];

        if (axis->motion.servo != 0 && axis->motion.track->touched && axis->motion.track->stepped) {
            tpi_motion_output_mark(e, axis, false);
        }
    }
    at = 0;
    for (tpi_motion_track *track; (track = next_track(e, &at)) != NULL;) {
        track->touched = track->stepped = false;
    }
}

static void instant(tpi_motion_engine *e, int64_t at_ns)
{
    e->planned_ns = at_ns;
    reach(e, at_ns);
    tpi_motion_axis_samples(e);
    for (tpi_motion_track *track; (track = first_due(e)) != NULL;) {
        tpi_motion_track_play(e, track);
    }
    tpi_motion_axis_samples(e); /* a motion without a way ends where it starts */
    plan(e, at_ns);
    tpi_motion_output_write(e, at_ns);
}

static int64_t next_instant(tpi_motion_engine *e)
{
    int64_t due = INT64_MAX;
    uint32_t at = 0;

    for (tpi_motion_track *track; (track = next_track(e, &at)) != NULL;) {
        due = due_of(track) < due ? due_of(track) : due;
    }
    return due;
}

static bool is_dirty(const tpi_motion_engine *e)
{
    for (uint16_t i = 0; i < e->robot.outputs; i++) {
        if (e->outputs[i].dirty) {
            return true;
        }
    }
    return false;
}

void tpi_motion_advance(tpi_motion_engine *e, int64_t until_ns)
{
    bool ran = false;
    int64_t due;

    while ((due = next_instant(e)) <= until_ns || is_dirty(e)) {
        instant(e, is_dirty(e) || due < e->planned_ns ? e->planned_ns : due);
        ran = true;
    }
    /* The instants up to this time are closed: what comes in later starts after them. */
    if (until_ns >= e->planned_ns) {
        e->planned_ns = until_ns + 1;
    } else if (ran) {
        e->planned_ns++;
    }
}

int64_t tpi_motion_advance_next(tpi_motion_engine *e)
{
    return is_dirty(e) ? tpi_motion_track_present(e) : next_instant(e);
}
