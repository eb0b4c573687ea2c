/*
 * motion_play_send.c - troupe motion play: frames to the server, and what comes back.
 *
 * Sequences (playback, adaptive) are sent as fast as the server has room for frames; direct and
 * delay frames at their times. Everything that comes back goes through one place, handle().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lapse.h"
#include "motion_play.h"

enum { MOST_TOLD = 8 };      /* changes that are printed */
enum { CLOSED, OPEN, TOLD }; /* commands: TOLD what is not done as asked */

/* ---- What comes back ------------------------------------------------------------------------- */

/* The place of a tag; NULL if its command is not waited for. */
static uint8_t *open_at(struct play *p, uint32_t tag)
{
    const size_t at = tag - p->open.first;

    return p->open.first != 0 && at < p->open.room ? &p->open.is[at] : NULL;
}

/* What is not done as asked, once for a command. A speed that is replaced by the next one is. */
static void tell_change(struct play *p, uint32_t tag, const tp_motion_signalled *signal)
{
    static const char replaced[] = "replaced by a newer command";
    uint8_t *at = open_at(p, tag);
    const char *text = signal->text;

    if (strncmp(text, replaced, sizeof replaced - 1) == 0) {
        text += sizeof replaced - 1;
        text += strspn(text, "; ");
    }
    if (signal->signal != TP_MOTION_MODIFIED || text[0] == '\0' || (at != NULL && *at == TOLD) ||
        p->changed++ >= MOST_TOLD) {
        return;
    }
    mover_progress_end(&p->mover);
    printf("modified: %s\n", strncmp(text, "started; ", 9) == 0 ? text + 9 : text);
    if (at != NULL) {
        *at = TOLD;
    }
}

/* A command has its last signal. */
static void close_tag(struct play *p, uint32_t tag)
{
    uint8_t *at = open_at(p, tag);

    if (at != NULL && *at != CLOSED) {
        *at = CLOSED;
        p->open.count--;
    }
}

/* What helps; "" if nothing is known. */
static const char *hint_for(const char *reason)
{
    return strstr(reason, "not evenly spaced") != NULL ? "; --mode adaptive plays such frames" : "";
}

/* Whether a reason is new; it is kept then. A panic is one reason, whatever the words. */
static bool is_new(struct play *p, uint8_t signal, const char *text)
{
    char reason[MOTION_PLAY_REASON];

    (void)snprintf(reason, sizeof reason, "%u %s", (unsigned)signal,
                   signal == TP_MOTION_PANIC ? "" : text);
    for (unsigned i = 0; i < p->told; i++) {
        if (strcmp(p->reasons[i], reason) == 0) {
            return false;
        }
    }
    if (p->told == MOTION_PLAY_REASONS) {
        return false;
    }
    memcpy(p->reasons[p->told++], reason, sizeof reason);
    return true;
}

/* Why a command was refused or ended by others: each reason once. */
static void tell(struct play *p, uint8_t signal, const char *text)
{
    const char *name = tp_motion_signal_name(signal);

    if (name != NULL && signal > TP_MOTION_MODIFIED && is_new(p, signal, text)) {
        tp_error err = {0};

        mover_progress_end(&p->mover);
        tp_fail(&err, TP_E_INVALID, "%s: %s%s", name, text, hint_for(text));
        (void)mover_fail(&p->mover, &err);
    }
}

static void handle_signal(struct play *p, uint32_t tag, const tp_motion_signalled *signal)
{
    const bool refused = signal->signal > TP_MOTION_MODIFIED;

    if (tag != 0 && tag == p->end_tag) { /* a summary says why, if one comes */
        p->end_refused = refused;
        tp_fail(&p->end_error, TP_E_INVALID, "END: %s", signal->text);
        return;
    }
    p->refused += refused;
    tell_change(p, tag, signal);
    tell(p, signal->signal, signal->text);
    if (signal->final) {
        close_tag(p, tag);
    }
}

static void handle_summary(struct play *p, const tp_motion_summary *summary)
{
    p->summed = true;
    p->summary = *summary;
    p->summary.text = NULL;
    if (summary->signal > TP_MOTION_MODIFIED) {
        tell(p, summary->signal, summary->text);
    } else if (summary->signal == TP_MOTION_MODIFIED || strcmp(summary->text, "done") != 0) {
        mover_progress_end(&p->mover); /* what was not done as asked */
        printf("%s%s\n", summary->signal == TP_MOTION_MODIFIED ? "MODIFIED: " : "", summary->text);
    }
}

static void handle(struct play *p, const tp_motion_reply *reply)
{
    switch (reply->kind) {
    case TP_MOTION_IS_SIGNAL:
        handle_signal(p, reply->tag, &reply->as.signal);
        break;
    case TP_MOTION_IS_SUMMARY:
        handle_summary(p, &reply->as.summary);
        break;
    case TP_MOTION_IS_BASE:
        p->base = reply->as.base;
        break;
    case TP_MOTION_IS_STATE:
        (void)paths_add(&p->paths, &reply->as.state, &p->base);
        break;
    case TP_MOTION_IS_QUEUES:
        p->waiting = reply->as.queues.playback + reply->as.queues.command;
        break;
    default:
        break;
    }
}

void motion_play_handle(void *user, const tp_motion_reply *reply)
{
    handle(user, reply);
}

/* Handle what has come, and wait for more until a time. TP_E_TIMEOUT then. */
tp_status motion_play_listen(struct play *p, int64_t wait_ns, tp_error *err)
{
    tp_motion_reply *reply = NULL;
    const int64_t until = tp_clock_now_ns(tp_clock_real()) + wait_ns;
    tp_status status = TP_OK;

    while (status == TP_OK && !p->summed) {
        const int64_t left = until - tp_clock_now_ns(tp_clock_real());

        status = left > 0 ? tp_motion_await(p->mover.robot, 0, left, &reply, err) : TP_E_TIMEOUT;
        if (status == TP_OK) {
            handle(p, reply);
            free(reply);
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static void show(struct play *p, const char *what)
{
    const struct sequence *s = &p->sequence;
    const size_t played = p->sent > p->waiting ? p->sent - p->waiting : 0;

    mover_progress(&p->mover, "%s: frame %zu of %zu, %.1f of %.1f s", what, played, s->frame_count,
                   s->frames[played > 0 ? played - 1 : 0].time_s - s->frames[0].time_s,
                   s->frames[s->frame_count - 1].time_s - s->frames[0].time_s);
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* Forces last; everything else has an end. */
static void open_tags(struct play *p, uint32_t first, const tp_motion_command *commands,
                      size_t count)
{
    p->open.first = p->open.first == 0 ? first : p->open.first;
    for (size_t i = 0; i < count; i++) {
        const size_t at = first + i - p->open.first;
        const bool ends =
            commands[i].verb != TP_MOTION_DO_MOVE || commands[i].servo != TP_MOTION_FORCE;

        if (ends && at < p->open.room) {
            p->open.is[at] = OPEN;
            p->open.count++;
        }
    }
}

/* A frame at its time. Its commands are answered when they end. */
static tp_status send_now(struct play *p, const tp_motion_command *commands, size_t count,
                          tp_error *err)
{
    const tp_motion_when when = {.size = sizeof when, .mode = p->mode, .ack = true};
    uint32_t first = 0;
    const tp_status status =
        count > 0 ? tp_motion_send(p->mover.robot, commands, count, &when, &first, err) : TP_OK;

    if (status == TP_OK) {
        open_tags(p, first, commands, count);
    }
    return status;
}

static tp_status send_one(struct play *p, tp_error *err)
{
    tp_motion_command commands[4];
    const size_t count = motion_play_commands(p, p->sent, commands);
    const double at_s = p->sequence.frames[p->sent].time_s;
    tp_status status;

    if (p->mode == TP_MOTION_DIRECT || p->mode == TP_MOTION_DELAY) {
        status = send_now(p, commands, count, err);
    } else {
        status =
            tp_motion_add(p->mover.robot, p->number, (int64_t)(at_s * 1e9), commands, count, err);
    }
    p->sent += status == TP_OK;
    return status;
}

/* As many frames as the server has room for; half of that, so that others can come between. */
static tp_status send_sequence(struct play *p, tp_error *err)
{
    tp_motion_terms terms;
    tp_status status = TP_OK;

    tp_motion_get_terms(p->mover.robot, &terms);
    while (status == TP_OK && p->sent < p->sequence.frame_count && !p->summed) {
        for (uint32_t free = terms.frames / 2;
             p->waiting < free && status == TP_OK && p->sent < p->sequence.frame_count;
             p->waiting++) {
            status = send_one(p, err);
        }
        if (status == TP_E_LIMIT || (status == TP_OK && p->sent < p->sequence.frame_count)) {
            status = motion_play_listen(p, MOTION_PLAY_SLICE_NS, err);
            show(p, "sending");
        }
    }
    return status;
}

tp_status motion_play_as_sequence(struct play *p, tp_error *err)
{
    const struct sequence *s = &p->sequence;
    const double length_s = s->frames[s->frame_count - 1].time_s - s->frames[0].time_s;
    const tp_motion_sequence what = {.size = sizeof what,
                                     .mode = p->mode,
                                     .frames = (uint32_t)s->frame_count,
                                     .duration_ns = (int64_t)(length_s * 1e9),
                                     .paper = p->paper};
    tp_status status = tp_motion_begin(p->mover.robot, &what, &p->number, NULL, err);

    status = status == TP_OK ? send_sequence(p, err) : status;
    if (status == TP_OK && !p->summed) {
        status = tp_motion_end(p->mover.robot, p->number, &p->end_tag, err);
    }
    while (status == TP_OK && !p->summed && !p->end_refused) {
        status = motion_play_listen(p, MOTION_PLAY_SLICE_NS, err);
        show(p, "playing");
    }
    if (status == TP_OK && !p->summed) {
        status = tp_fail(err, TP_E_INVALID, "%s", p->end_error.text);
    }
    return status;
}

/* After its lease the robot has dropped what was sent. Frames that were due meanwhile are old, and
 * those that follow them are not what was meant. */
static tp_status look_for_freeze(const struct play *p, struct lapse *lapse, tp_error *err)
{
    tp_motion_terms terms;

    tp_motion_get_terms(p->mover.robot, &terms);
    const double frozen_s =
        lapse_look_s(lapse, tp_clock_now_ns(tp_clock_real()), MOTION_PLAY_SLICE_NS, terms.lease_ns);
    return frozen_s == 0 ? TP_OK
                         : tp_fail(err, TP_E_TIMEOUT,
                                   "this program was frozen or busy for %.1f s, and the robot "
                                   "stands: it does not go on",
                                   frozen_s);
}

/* Direct and delay: each frame at its time; then all motions come to their ends. */
tp_status motion_play_in_time(struct play *p, tp_error *err)
{
    const struct sequence *s = &p->sequence;
    const double first = s->frames[0].time_s;
    struct lapse lapse = {0};
    tp_status status = tp_motion_set_mode(p->mover.robot, p->mode, TP_MOTION_LATE_USUAL,
                                          (int64_t)(p->delay_s * 1e9), NULL, err);

    p->open.room = 4 * s->frame_count;
    p->open.is = calloc(p->open.room + 1, sizeof *p->open.is);
    if (p->open.is == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    p->begun_ns = tp_clock_now_ns(tp_clock_real());
    while (status == TP_OK && (p->sent < s->frame_count || p->open.count > 0)) {
        const bool all = p->sent == s->frame_count;
        const double at_s = all ? 0 : s->frames[p->sent].time_s - first;
        const int64_t left = p->begun_ns + (int64_t)(at_s * 1e9) - tp_clock_now_ns(tp_clock_real());

        status = look_for_freeze(p, &lapse, err);
        if (status != TP_OK) {
            break;
        }
        if (all || left > 0) {
            status = motion_play_listen(
                p, all || left > MOTION_PLAY_SLICE_NS ? MOTION_PLAY_SLICE_NS : left, err);
            show(p, "playing");
        } else {
            status = send_one(p, err);
        }
    }
    return status;
}
