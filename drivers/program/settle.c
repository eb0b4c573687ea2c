/*
 * settle.c - a move that was cut is ended by the two servers themselves; see program.h.
 *
 * `requires` can list devices program:N of other servers. While a program is in transit here, and
 * nobody has gone on with its move for some time, these devices are asked how far the move went
 * there, one after the other, again and again. The source hands over to a target that has accepted
 * the program, or takes it back if no target knows it and it was not given up. The target asks the
 * source for the proof, or drops the program if the source has taken it back. Every step is one of
 * transfer.c, so the program still never runs at both. What no server can know is left to an
 * operator: the source has given the program up, and no target knows it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program.h"

static const int64_t ASK_NS = 5 * TP_NS_PER_S;

static void ask_next(struct program *p);

/* ---- Times ----------------------------------------------------------------------------------- */

tp_status tpi_program_settle_init(struct program *p, tp_error *err)
{
    const double seconds = tp_param_double(p->instance, "settle");

    if (!(seconds >= 0.1 && seconds <= 86400)) {
        tp_param_blame(p->instance, "settle");
        return tp_fail(err, TP_E_RANGE, "settle is not between 0.1 and 86400 s");
    }
    p->settle.after_ns = (int64_t)(seconds * 1e9);
    while (p->settle.peer_count < MOST_PEERS &&
           tp_require_loosely(p->instance, &tp_interface_program, NULL,
                              &p->settle.peers[p->settle.peer_count], NULL) == TP_OK) {
        p->settle.peer_count++;
    }
    return TP_OK;
}

void tpi_program_settle_later(struct program *p)
{
    p->settle.next_ns = program_now(p) + p->settle.after_ns;
    p->settle.is_asking = p->settle.is_over = false;
    p->settle.asked++;
}

static bool is_in_transit(const struct program *p)
{
    return p->phase == TP_PROGRAM_LEAVING || p->phase == TP_PROGRAM_ARRIVING ||
           (p->phase == TP_PROGRAM_GONE && p->move.is_source);
}

int64_t tpi_program_settle_ns(const struct program *p)
{
    return is_in_transit(p) && p->settle.peer_count > 0 && !p->settle.is_asking &&
                   !p->settle.is_over
               ? p->settle.next_ns
               : INT64_MAX;
}

/* ---- A round --------------------------------------------------------------------------------- */

/* The round ends; the next one comes later. */
static void end_round(struct program *p)
{
    p->settle.is_asking = false;
    p->settle.next_ns = program_now(p) + p->settle.after_ns;
    tpi_program_turn(p);
}

static void note(struct program *p, const char *what)
{
    char text[MOST_SENTENCE];

    (void)snprintf(text, sizeof text, "the move %s is settled: %s", p->move.id, what);
    tp_instance_note(p->instance, text);
}

/* Ask the peer of this turn; `done` gets the answer. */
static void ask(struct program *p, unsigned code, const void *value, tp_link_done *done)
{
    p->settle.asked++;
    if (tp_link_request(p->settle.peers[p->settle.at], code, value, ASK_NS, done,
                        (void *)(uintptr_t)p->settle.asked) != TP_OK) {
        p->settle.has_silent = true;
        p->settle.at++;
        ask_next(p);
    }
}

static tp_program_transfer this_move(struct program *p)
{
    return (tp_program_transfer){.id_count = (uint32_t)strlen(p->move.id) + 1, .id = p->move.id};
}

/* The answer is that to the last question of this round. */
static bool is_awaited(const struct program *p, const void *context)
{
    return p->settle.is_asking && (uintptr_t)context == p->settle.asked;
}

static void on_begun(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct program *p = tp_instance_state(self);

    (void)answer;
    (void)why;
    if (is_awaited(p, context)) {
        p->settle.is_over = status == TP_OK;
        if (status == TP_OK) {
            note(p, "the program goes on at the other server");
        }
        end_round(p);
    }
}

/* The target has accepted: it goes on. */
static void hand_over(struct program *p)
{
    tp_program_proof proof = {.id_count = (uint32_t)strlen(p->move.id) + 1, .id = p->move.id};
    tp_error err = {.text = ""};

    if (tpi_program_give_up(p, &err) != TP_OK) {
        end_round(p);
        return;
    }
    memcpy(proof.proof, p->move.proof, sizeof proof.proof);
    ask(p, TP_PROGRAM_REQ_BEGIN, &proof, on_begun);
}

static void on_proof(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct program *p = tp_instance_state(self);
    tp_error err = {.text = ""};

    (void)why;
    if (!is_awaited(p, context)) {
        return;
    }
    if (status == TP_OK && answer != NULL && !tp_instance_in_panic(self)) {
        const tp_program_proof *proof = tp_msg_payload(answer);
        if (tpi_program_take_proof(p, proof->proof, &err) == TP_OK) {
            note(p, "the program goes on here");
        }
    }
    end_round(p);
}

/* What the phase at a peer means. */
static void judge(struct program *p, unsigned phase)
{
    const bool is_arriving = p->phase == TP_PROGRAM_ARRIVING;
    tp_program_transfer transfer = this_move(p);

    if (phase == TP_PROGRAM_EMPTY) {
        p->settle.at++;
        ask_next(p);
    } else if (!is_arriving && phase == TP_PROGRAM_ARRIVING) {
        hand_over(p);
    } else if (is_arriving && (phase == TP_PROGRAM_LEAVING || phase == TP_PROGRAM_GONE)) {
        ask(p, TP_PROGRAM_REQ_RELEASE, &transfer, on_proof);
    } else if (is_arriving) {
        note(p, "the source has taken the program back");
        tpi_program_drop(p);
        end_round(p);
    } else {
        p->settle.is_over = p->phase == TP_PROGRAM_GONE; /* it has begun there */
        end_round(p);
    }
}

static void on_phase(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct program *p = tp_instance_state(self);

    (void)why;
    if (!is_awaited(p, context)) {
        return;
    }
    if (status == TP_OK && answer != NULL) {
        judge(p, ((const tp_program_settled *)tp_msg_payload(answer))->phase);
        return;
    }
    p->settle.has_silent = true;
    p->settle.at++;
    ask_next(p);
}

/* The next peer, or what follows if none has the program. */
static void ask_next(struct program *p)
{
    tp_program_transfer transfer = this_move(p);
    tp_error err = {.text = ""};

    if (p->settle.at < p->settle.peer_count) {
        ask(p, TP_PROGRAM_REQ_TRANSFER, &transfer, on_phase);
        return;
    }
    if (p->phase == TP_PROGRAM_LEAVING && !p->settle.has_silent &&
        !tp_instance_in_panic(p->instance) && tpi_program_is_matched(p, &err) == TP_OK) {
        note(p, "the other server does not have the program; it goes on here");
        tpi_program_take_back(p);
    }
    end_round(p);
}

void tpi_program_settle(struct program *p)
{
    if (program_now(p) >= tpi_program_settle_ns(p)) {
        p->settle.is_asking = true;
        p->settle.has_silent = false;
        p->settle.at = 0;
        ask_next(p);
    }
}
