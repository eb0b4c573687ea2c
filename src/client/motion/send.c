/* send.c - commands and sequences of the program. */
#include <stdlib.h>

#include "base/options.h"
#include "client/motion/inside.h"

enum { FEW = 16 };                           /* commands of a frame that need no memory */
static const uint32_t LAST_TAG = 0xfffe0000; /* the library's own tags are larger */
static const size_t MOST_UNSENT = 1 << 20;

uint32_t tpi_mclient_next_tag(tp_motion *m)
{
    m->last_tag = m->last_tag < LAST_TAG ? m->last_tag + 1 : 1;
    return m->last_tag;
}

/* ---- Packages -------------------------------------------------------------------------------- */

tp_status tpi_mclient_post(tp_motion *m, bool urgent, const tpi_motion_header *header,
                           const tpi_talk_item *items, size_t count, uint32_t first, tp_error *err)
{
    tpi_link *link = urgent && m->second_ready ? &m->second : &m->first;
    tpi_motion_header full = *header;

    if (m->state != TPI_MCLIENT_CONNECTED) {
        return tp_fail(err, m->why.code, "%s", m->why.text);
    }
    full.id = ++m->last_id;
    const tp_status status = tpi_talk_put(&link->talk, &full, items, count, err);
    if (status == TP_OK) {
        m->parcels[full.id % TPI_MCLIENT_PARCELS] =
            (tpi_mclient_parcel){full.id, first, count > 0 ? (uint32_t)count : 1};
        tpi_link_flush(link);
    }
    return status;
}

/* Commands for now are not kept for a server that does not read. */
static tp_status check_room(const tp_motion *m, const tpi_motion_header *header, tp_error *err)
{
    const bool for_now = header->mode == TPI_MOTION_DIRECT || header->mode == TPI_MOTION_DELAY;

    if (m->first.blocked && for_now) {
        return tp_fail(err, TP_E_LIMIT,
                       "the server does not read: the command was not sent, and would be old");
    }
    return tp_motion_unsent(m) <= MOST_UNSENT
               ? TP_OK
               : tp_fail(err, TP_E_LIMIT, "the server does not read what it is sent");
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static tp_status post_frame(tp_motion *m, const tpi_motion_header *header,
                            const tp_motion_command *commands, size_t count, uint32_t *first,
                            tp_error *err)
{
    tpi_talk_item few_items[FEW];
    tpi_encoded few_bodies[FEW];
    tpi_talk_item *items = few_items;
    tpi_encoded *bodies = few_bodies;
    tp_status status = check_room(m, header, err);

    if (count > FEW) {
        items = calloc(count, sizeof *items);
        bodies = calloc(count, sizeof *bodies);
        if (items == NULL || bodies == NULL) {
            status = tp_fail(err, TP_E_NOMEM, "out of memory");
        }
    }
    if (status == TP_OK && m->last_tag > LAST_TAG - count) {
        m->last_tag = 0; /* the tags of a frame follow each other */
    }
    *first = m->last_tag + 1;
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        status = tpi_encode(&items[i], &bodies[i], &commands[i], tpi_mclient_next_tag(m), err);
    }
    if (status == TP_OK) {
        status = tpi_mclient_post(m, false, header, items, count, *first, err);
    }
    if (items != few_items) {
        free(items);
        free(bodies);
    }
    return status;
}

tp_status tp_motion_send(tp_motion *m, const tp_motion_command *commands, size_t count,
                         const tp_motion_when *when, uint32_t *first, tp_error *err)
{
    static const tpi_options_kind kind = {"tp_motion_when", sizeof *when,
                                          TPI_OPTIONS_END(tp_motion_when, clear)};
    const tp_motion_when now = {.size = sizeof now, .mode = m->mode};
    tp_motion_when w;
    uint32_t tag;
    const tp_status status = tpi_options_take(&w, &kind, when != NULL ? when : &now, err);

    if (status != TP_OK) {
        return status;
    }
    tpi_motion_header header = {
        .kind = TPI_MOTION_COMMAND,
        .mode = (uint8_t)w.mode,
        .time_us = w.time_us,
        .sequence = w.sequence,
        .flags = (uint8_t)((w.ack ? TPI_MOTION_ACK : 0) | (w.clear ? TPI_MOTION_CLEAR : 0))};
    if (w.mode == TP_MOTION_DELAY) {
        header.time_us =
            (w.time_us != 0 ? w.time_us : tp_motion_now_us(m)) + (uint64_t)m->delay_ns / 1000;
    }
    return post_frame(m, &header, commands, count, first != NULL ? first : &tag, err);
}

tp_status tp_motion_call(tp_motion *m, const tp_motion_command *commands, size_t count,
                         uint32_t *first, tp_error *err)
{
    const tp_motion_when when = {.size = sizeof when, .mode = TP_MOTION_DIRECT, .ack = true};
    uint32_t tag = 0;
    tp_status worst = tp_motion_send(m, commands, count, &when, &tag, err);

    if (first != NULL) {
        *first = tag;
    }
    if (worst != TP_OK) {
        return worst;
    }
    for (uint32_t i = 0; i < count; i++) {
        const tp_status status =
            tpi_mclient_await_signal(m, tag + i, true, 0, tp_motion_verb_name(commands[i].verb),
                                     worst == TP_OK ? err : NULL);

        worst = worst == TP_OK ? status : worst;
    }
    return worst;
}

tp_status tp_motion_wait(tp_motion *m, uint32_t tag, int64_t timeout_ns, tp_motion_signalled *out,
                         tp_error *err)
{
    const tp_status status =
        tpi_mclient_await_signal(m, tag, false, timeout_ns, "the command", err);

    if (out != NULL && m->lent != NULL && m->lent->kind == TP_MOTION_IS_SIGNAL) {
        *out = m->lent->as.signal;
    }
    return status;
}

/* ---- Sequences ------------------------------------------------------------------------------- */

tp_status tp_motion_begin(tp_motion *m, const tp_motion_sequence *what, uint32_t *sequence,
                          uint32_t *later, tp_error *err)
{
    static const tpi_options_kind kind = {"tp_motion_sequence", sizeof *what,
                                          TPI_OPTIONS_END(tp_motion_sequence, paper)};
    tp_motion_sequence s;
    tp_status status = tpi_options_take(&s, &kind, what, err);

    if (status == TP_OK && (s.duration_ns < 0 || s.target_ns < 0)) {
        status = tp_fail(err, TP_E_RANGE, "a sequence has no negative times");
    }
    if (status != TP_OK) {
        return status;
    }
    /* its summary comes under the number of the sequence, so that is a tag */
    const tpi_motion_begin begin = {.sequence = tpi_mclient_next_tag(m),
                                    .mode = (uint8_t)s.mode,
                                    .estimate = s.paper,
                                    .late = (uint8_t)s.late,
                                    .frames = s.frames,
                                    .duration_us = (uint64_t)s.duration_ns / 1000,
                                    .target_us = (uint64_t)s.target_ns / 1000};
    *sequence = begin.sequence;
    m->sequences[begin.sequence % TPI_MCLIENT_SEQUENCES] =
        (tpi_mclient_sending){begin.sequence, begin.mode, 0};
    return tpi_mclient_settle(m, false, TPI_MOTION_BEGIN, &begin, later, err);
}

static tpi_mclient_sending *find_sequence(tp_motion *m, uint32_t sequence)
{
    tpi_mclient_sending *found = &m->sequences[sequence % TPI_MCLIENT_SEQUENCES];

    return found->sequence == sequence && sequence != 0 ? found : NULL;
}

tp_status tp_motion_add(tp_motion *m, uint32_t sequence, int64_t time_ns,
                        const tp_motion_command *commands, size_t count, tp_error *err)
{
    tpi_mclient_sending *sending = find_sequence(m, sequence);
    uint32_t tag;

    if (sending == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no sequence %u", sequence);
    }
    if (time_ns < 0) {
        return tp_fail(err, TP_E_RANGE, "the time of a frame is negative");
    }
    const tpi_motion_header header = {.kind = TPI_MOTION_COMMAND,
                                      .mode = sending->mode,
                                      .time_us = (uint64_t)time_ns / 1000,
                                      .sequence = sequence};
    const tp_status status = post_frame(m, &header, commands, count, &tag, err);
    sending->frames += status == TP_OK;
    return status;
}

tp_status tp_motion_end(tp_motion *m, uint32_t sequence, uint32_t *later, tp_error *err)
{
    const tpi_mclient_sending *sending = find_sequence(m, sequence);
    const tpi_motion_end end = {sequence, sending != NULL ? sending->frames : 0};

    return sending == NULL ? tp_fail(err, TP_E_UNKNOWN, "there is no sequence %u", sequence)
                           : tpi_mclient_settle(m, false, TPI_MOTION_END, &end, later, err);
}

tp_status tp_motion_wait_end(tp_motion *m, uint32_t sequence, int64_t timeout_ns,
                             tp_motion_summary *out, tp_error *err)
{
    tp_motion_reply *reply = NULL;
    tp_status status = tp_motion_await(m, sequence, timeout_ns, &reply, err);

    if (status != TP_OK) {
        return status;
    }
    free(m->lent);
    m->lent = reply;
    if (out != NULL && reply->kind == TP_MOTION_IS_SUMMARY) {
        *out = reply->as.summary;
    }
    status = reply->kind == TP_MOTION_IS_SUMMARY ? tpi_signal_status(reply->as.summary.signal)
                                                 : TP_E_INVALID;
    return status == TP_OK ? TP_OK
                           : tp_fail(err, status, "the sequence: %s",
                                     reply->as.summary.text != NULL ? reply->as.summary.text
                                                                    : "it was refused");
}
