/*
 * clients.c - clients of the device `mechanism`: packages in, records out.
 *
 * A client is known by its token, which cannot be guessed. What it may do follows
 * from the message that a package comes with, whose right the session has checked: ASK reads, PLAY
 * moves. PROMOTE makes a client an operator, which overrides others. Half of the places are kept
 * for clients that can write.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion.h"
#include "troupe/interfaces/player.h"

static const int64_t JOIN_NS = 3 * TP_NS_PER_S;    /* for the first state of all devices */
static const int64_t SILENT_NS = 60 * TP_NS_PER_S; /* a client without any request is gone then */

static const int64_t LOOK_NS = 10 * TP_NS_PER_MS; /* for clients that are gone */

static struct motion *motion_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static uint64_t key_of(const uint8_t *token)
{
    uint64_t key;

    memcpy(&key, token, sizeof key);
    return key;
}

static struct member *find(const struct motion *m, const uint8_t *token)
{
    const uint64_t key = key_of(token);

    for (uint32_t i = 0; i < m->settings.clients; i++) {
        if (m->keys[i] == key && m->members[i].used &&
            memcmp(m->members[i].token, token, TP_MECHANISM_TOKEN) == 0) {
            return &m->members[i];
        }
    }
    return NULL;
}

/* Its place is free again. */
static void clear(struct motion *m, struct member *member)
{
    if (member->number != 0) {
        m->by_number[member->number - 1] = NULL;
    }
    m->keys[member - m->members] = 0;
    *member = (struct member){.used = false};
}

static tp_status unknown(tp_error *err)
{
    return tp_fail(err, TP_E_UNKNOWN, "no client has joined with this token");
}

/* ---- Joining --------------------------------------------------------------------------------- */

static void answer_join(struct motion *m, struct member *member)
{
    const tpi_motion_settings *s = tpi_motion_engine_settings(m->engine);
    const int64_t lease = tpi_motion_engine_lease(m->engine, member->number, member->lease_ns);
    const tp_mechanism_joined answer = {
        .client = member->number,
        .frames = s->frames,
        .clock = (int64_t)m->robot.clock,
        .lease = (double)lease * 1e-9,
        .longest = (double)s->longest_lease_ns * 1e-9,
        .horizon = (double)s->horizon_ns * 1e-9,
    };

    tp_ticket_answer(member->joins, &answer);
    member->joins = NULL;
}

static void join(struct motion *m, struct member *member)
{
    member->number = tpi_motion_engine_join(m->engine, member->name,
                                            member->reads ? TP_RIGHT_READ : TP_RIGHT_WRITE, 0,
                                            tpi_motiond_device_time(m));
    if (member->number == 0) {
        tp_ticket_fail(member->joins, TP_E_LIMIT, "no place for another client");
        clear(m, member);
        return;
    }
    m->by_number[member->number - 1] = member;
    answer_join(m, member);
}

void tpi_motiond_members_ready(struct motion *m)
{
    for (uint32_t i = 0; i < m->settings.clients; i++) {
        if (m->members[i].used && m->members[i].joins != NULL) {
            join(m, &m->members[i]);
        }
    }
}

/* A free place; of readers only half of them. */
static struct member *free_place(const struct motion *m, bool reads)
{
    struct member *found = NULL;
    uint32_t readers = 0;

    for (uint32_t i = 0; i < m->settings.clients; i++) {
        struct member *at = &m->members[i];

        readers += at->used && at->reads;
        found = found == NULL && !at->used ? at : found;
    }
    return reads && readers >= (m->settings.clients + 1) / 2 ? NULL : found;
}

static tp_status add_member(tp_device *device, const tp_mechanism_join *ask, bool reads,
                            tp_error *err)
{
    struct motion *m = motion_of(device);
    struct member *member = find(m, ask->token);

    if (member != NULL) {
        return tp_fail(err, TP_E_EXISTS, "a client has joined with this token already");
    }
    if (!(ask->lease >= 0 && ask->lease <= 1e6)) {
        return tp_fail(err, TP_E_RANGE, "a lease is a number of seconds");
    }
    member = free_place(m, reads);
    if (member == NULL) {
        return tp_fail(err, TP_E_LIMIT, "no place for another client");
    }
    *member = (struct member){.used = true, .reads = reads, .heard_ns = motion_now(m)};
    memcpy(member->token, ask->token, sizeof member->token);
    m->keys[member - m->members] = key_of(member->token);
    (void)snprintf(member->name, sizeof member->name, "%.*s", (int)ask->name_count,
                   ask->name_count > 0 ? ask->name : "");
    member->lease_ns = (int64_t)(ask->lease * 1e9);
    member->joins = tp_device_defer(device);
    if (m->ready) {
        join(m, member);
    }
    return TP_PENDING;
}

static tp_status req_join(tp_device *device, const tp_mechanism_join *ask,
                          tp_mechanism_joined *answer, tp_error *err)
{
    (void)answer;
    return add_member(device, ask, false, err);
}

static tp_status req_watch(tp_device *device, const tp_mechanism_join *ask,
                           tp_mechanism_joined *answer, tp_error *err)
{
    (void)answer;
    return add_member(device, ask, true, err);
}

/* Reports to the client which devices send nothing that is of use. */
static void give_up_joining(struct motion *m, struct member *member)
{
    char why[160] = "the robot is not ready";

    for (unsigned i = 0; i < m->output_count; i++) {
        if (!output_device(m->outputs[i])->known) {
            tpi_motiond_device_unknown(output_device(m->outputs[i]), why, sizeof why);
        }
    }
    tp_ticket_fail(member->joins, TP_E_DEVICE, why);
    clear(m, member);
}

/* ---- Leaving --------------------------------------------------------------------------------- */

static void remove_member(struct motion *m, struct member *member, tp_status status,
                          const char *why)
{
    if (member->joins != NULL) {
        tp_ticket_fail(member->joins, status, why);
    }
    if (member->waits != NULL) {
        tp_ticket_fail(member->waits, status, why);
    }
    if (member->number != 0 && m->engine != NULL) {
        tpi_motion_engine_leave(m->engine, member->number, m->finishes, m->time_ns);
    }
    clear(m, member);
}

static tp_status req_leave(tp_device *device, const tp_mechanism_client *ask, tp_error *err)
{
    struct motion *m = motion_of(device);
    struct member *member = find(m, ask->token);

    if (member == NULL) {
        return unknown(err);
    }
    remove_member(m, member, TP_E_CLOSED, "the client has left");
    tpi_motiond_turn(m);
    return TP_OK;
}

/* Its session may have ended without a word. */
static bool is_gone(const struct member *member, int64_t now_ns)
{
    if (member->joins != NULL) {
        return !tp_ticket_is_wanted(member->joins);
    }
    if (member->waits != NULL) {
        return !tp_ticket_is_wanted(member->waits);
    }
    return now_ns - member->heard_ns > SILENT_NS;
}

void tpi_motiond_members_turn(struct motion *m, int64_t now_ns)
{
    if (now_ns - m->looked_ns < LOOK_NS) {
        return;
    }
    m->looked_ns = now_ns;
    for (uint32_t i = 0; i < m->settings.clients; i++) {
        struct member *at = &m->members[i];

        if (at->used && is_gone(at, now_ns)) {
            remove_member(m, at, TP_E_CLOSED, "the client has left");
        } else if (at->used && at->joins != NULL && now_ns - at->heard_ns > JOIN_NS) {
            give_up_joining(m, at);
        }
    }
}

void tpi_motiond_members_end(struct motion *m)
{
    for (uint32_t i = 0; i < m->settings.clients; i++) {
        if (m->members[i].used) {
            remove_member(m, &m->members[i], TP_E_DEVICE, "the robot was stopped");
        }
    }
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Tell the client that records wait. */
static void deliver(struct motion *m, struct member *member)
{
    const tp_mechanism_waiting answer = {tpi_motion_engine_waiting(m->engine, member->number)};
    tp_ticket *ticket = member->waits;

    if (ticket == NULL) {
        return;
    }
    if (tpi_motion_engine_lost(m->engine, member->number)) {
        remove_member(m, member, TP_E_LIMIT, "the client takes no answers");
    } else if (answer.records > 0) {
        member->waits = NULL;
        tp_ticket_answer(ticket, &answer);
    }
}

void tpi_motiond_members_deliver(struct motion *m)
{
    uint32_t number = 0;

    while ((number = tpi_motion_engine_told(m->engine, number)) != 0) {
        if (m->by_number[number - 1] != NULL) {
            deliver(m, m->by_number[number - 1]);
        }
    }
}

static tp_status req_wait(tp_device *device, const tp_mechanism_client *ask,
                          tp_mechanism_waiting *answer, tp_error *err)
{
    struct motion *m = motion_of(device);
    struct member *member = find(m, ask->token);

    (void)answer;
    if (member == NULL || member->number == 0) {
        return unknown(err);
    }
    if (member->waits != NULL && tp_ticket_is_wanted(member->waits)) {
        return tp_fail(err, TP_E_EXISTS, "the client waits already");
    }
    if (member->waits != NULL) {
        tp_ticket_fail(member->waits, TP_E_CLOSED, "another request has come");
    }
    member->heard_ns = motion_now(m);
    member->waits = tp_device_defer(device);
    deliver(m, member);
    return TP_PENDING;
}

static tp_status req_take(tp_device *device, const tp_mechanism_client *ask,
                          tp_mechanism_records *answer, tp_error *err)
{
    struct motion *m = motion_of(device);
    struct member *member = find(m, ask->token);
    uint16_t count = 0;

    if (member == NULL || member->number == 0) {
        return unknown(err);
    }
    member->heard_ns = motion_now(m); /* it may only listen */
    answer->bytes_count = (uint32_t)tpi_motion_engine_take(m->engine, member->number, m->records,
                                                           MOST_RECORDS, &count);
    answer->records = count;
    answer->bytes = m->records;
    return TP_OK;
}

/* ---- Packages -------------------------------------------------------------------------------- */

static tp_status req_heard(tp_device *device, const tp_mechanism_client *ask, tp_error *err)
{
    struct motion *m = motion_of(device);
    struct member *member = find(m, ask->token);

    if (member == NULL || member->number == 0) {
        return unknown(err);
    }
    member->heard_ns = motion_now(m);
    tpi_motion_engine_heard(m->engine, member->number, tpi_motiond_device_time(m));
    return TP_OK;
}

static tp_status check_package(const tp_mechanism_package *ask, tpi_motion_header *header,
                               bool commands, tp_error *err)
{
    bool foreign = false;

    if (ask->bytes_count < TPI_MOTION_HEADER) {
        return tp_fail(err, TP_E_SHORT, "the header is too short");
    }
    const tp_status status = tpi_motion_header_get(header, ask->bytes, &foreign, err);
    if (status != TP_OK) {
        return status;
    }
    if (header->size != ask->bytes_count - TPI_MOTION_HEADER) {
        return tp_fail(err, TP_E_INVALID, "the payload has another size");
    }
    if (header->kind == TPI_MOTION_REPLY || (header->kind == TPI_MOTION_COMMAND && !commands)) {
        return tp_fail(err, TP_E_INVALID, "packages of this kind are not accepted here");
    }
    return tpi_motion_payload_check(header, ask->bytes + TPI_MOTION_HEADER, err);
}

/* When the client was heard: when its bytes arrived, which may be a while ago. */
static int64_t arrival_ns(const tp_mechanism_package *ask, int64_t now_ns)
{
    const double arrived_ns = ask->arrived * 1e9;

    return arrived_ns > 0 && arrived_ns < (double)now_ns ? (int64_t)arrived_ns : now_ns;
}

/* What waited for longer than the lease of its client moves nothing: the lease has ended since. */
static tp_status check_age(const struct motion *m, const struct member *member, int64_t age_ns,
                           tp_error *err)
{
    const int64_t lease_ns = tpi_motion_engine_leased(m->engine, member->number);

    if (age_ns < lease_ns) {
        return TP_OK;
    }
    return tp_fail(err, TP_E_TIMEOUT,
                   "the package can be %.1f s old, more than the lease of %.1f s: the server was "
                   "frozen or busy",
                   (double)age_ns * 1e-9, (double)lease_ns * 1e-9);
}

/* A question changes no plan: the turn that was chosen before comes in time. Otherwise a client
 * that asks all the time would have everybody's motion looked at for each of its questions. */
static bool only_asks(const tpi_motion_header *header)
{
    return header->kind == TPI_MOTION_QUERY && header->mode != TPI_MOTION_BROADCAST &&
           header->flags == 0;
}

static tp_status take_package(tp_device *device, const tp_mechanism_package *ask, uint8_t right,
                              tp_error *err)
{
    struct motion *m = motion_of(device);
    struct member *member = find(m, ask->token);
    tpi_motion_header header;

    if (member == NULL || member->number == 0) {
        return unknown(err);
    }
    const int64_t now_ns = motion_now(m), arrived_ns = arrival_ns(ask, now_ns);
    tp_status status = check_package(ask, &header, right >= TP_RIGHT_MOVE, err);

    if (status == TP_OK && right >= TP_RIGHT_MOVE) {
        status = check_age(m, member, now_ns - arrived_ns, err);
    }
    if (status != TP_OK) {
        return status;
    }
    const int64_t time_ns =
        only_asks(&header) ? tpi_motiond_device_time_to_ask(m) : tpi_motiond_device_time(m);

    member->heard_ns = now_ns;
    if (right >= TP_RIGHT_MOVE) {
        const bool operates = member->promoted && ask->operates != 0;

        member->reads = false;
        tpi_motion_engine_grant(m->engine, member->number,
                                operates ? TP_RIGHT_OPERATE : TP_RIGHT_MOVE, operates, time_ns);
    }
    tpi_motion_engine_package(m->engine, member->number, &header, ask->bytes + TPI_MOTION_HEADER,
                              time_ns);
    tpi_motion_engine_aged(m->engine, member->number, arrived_ns);
    if (!only_asks(&header)) {
        tpi_motiond_turn(m);
    }
    deliver(m, member);
    return TP_OK;
}

static tp_status req_ask(tp_device *device, const tp_mechanism_package *ask, tp_error *err)
{
    return take_package(device, ask, TP_RIGHT_READ, err);
}

static tp_status req_play(tp_device *device, const tp_mechanism_package *ask, tp_error *err)
{
    return take_package(device, ask, TP_RIGHT_MOVE, err);
}

static tp_status req_promote(tp_device *device, const tp_mechanism_client *ask, tp_error *err)
{
    struct member *member = find(motion_of(device), ask->token);

    if (member == NULL) {
        return unknown(err);
    }
    member->promoted = true;
    return TP_OK;
}

const tp_mechanism_ops tpi_motiond_ops = {
    .req_join = req_join,
    .req_watch = req_watch,
    .req_leave = req_leave,
    .req_heard = req_heard,
    .req_wait = req_wait,
    .req_take = req_take,
    .req_ask = req_ask,
    .req_play = req_play,
    .req_promote = req_promote,
    .req_bind = tpi_motiond_rebind,
};
