/* session_send.c - what clients send to devices, and how they hear of its end. */
#include <assert.h>
#include <stdio.h>

#include "bus/pool.h"
#include "session/maker.h"
#include "session/session.h"

static void forget_asking(struct asking *a)
{
    if (a->previous != NULL) {
        a->previous->next = a->next;
    } else {
        a->session->sending.askings = a->next;
    }
    if (a->next != NULL) {
        a->next->previous = a->previous;
    }
    tpi_budget_release(a->session, a->cost);
    a->session->sending.requests -= !a->command;
    a->session->sending.commands -= a->command;
    tpi_pool_give(a);
}

/* Every client may stop a device. Its readers and its mover receive the name of that client. */
static void tell_halt(const tp_session *by, tp_device *device)
{
    char text[TPI_MOVER_LABEL + 64];

    (void)snprintf(text, sizeof text, "stopped: %s has asked for HALT", by->identity.label);
    tpi_device_safety_of(device)->halt_reported = true;
    tpi_device_deliver_failure(device, TP_E_DENIED, text);
}

static const tp_message *halt_request(unsigned code)
{
    return tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, code);
}

/* Only if that client is not the mover; once, until the device is moved again. */
static bool halts_other(const tp_session *session, const tp_device *device, const tp_message *what)
{
    const tpi_device_safety *safety = tpi_device_safety_look(device);
    const tpi_mover own = tpi_identity_mover(&session->identity);

    return what == halt_request(TP_COMMON_REQ_HALT) && !tpi_mover_equal(&safety->mover, &own) &&
           tpi_claim_is_moved(safety) && !safety->halt_reported;
}

/* The estimate becomes what the answer has cost; the reservation is the caller's now. */
static size_t settle_cost(struct asking *a, const tp_msg *answer)
{
    const size_t estimate = a->cost;
    const size_t cost = answer != NULL ? answer->weight : 0;

    a->cost = 0;
    tpi_budget_answered(a->session, a->what, estimate, cost);
    return cost;
}

static void answered(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct asking *a = context;
    tp_session *session = a->session;
    const tp_msghdr request = a->request;

    const struct subscription *s = a->halts ? tpi_session_find_open(session, a->device) : NULL;
    if (s != NULL && status == TP_OK && !tpi_device_safety_look(s->device)->halt_reported) {
        tell_halt(session, s->device);
    }
    const size_t cost = settle_cost(a, answer);
    forget_asking(a);
    if (status == TP_OK) {
        tpi_maker_answer(session, answer, cost);
    } else {
        tpi_budget_release(session, cost);
        tp_session_refuse(session, &request, status,
                          err->text[0] != '\0' ? err->text : tp_status_text(status));
    }
}

/* A command has no answer, but the client learns of a command that the driver refuses. */
static void carried_out(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct asking *a = context;
    struct subscription *s = tpi_session_find_open(a->session, a->device);
    tp_error why = {0};

    (void)answer;
    forget_asking(a);
    if (s != NULL && status == TP_OK) {
        s->driver_refused = false;
    } else if (s != NULL) {
        tp_fail(&why, status, "%s: %s", tpi_device_name(s->device),
                err->text[0] != '\0' ? err->text : tp_status_text(status));
        tpi_access_tell_refusal(s, &why, &s->driver_refused);
    }
}

/* A client that commands faster than a driver obeys must leave room for the others. */
enum { MOST_COMMANDS = 1024 };

static tp_status ask(tp_session *session, tp_device *device, tp_msg *msg, const tp_message *what,
                     const tpi_claim *claim)
{
    const bool command = what->kind == TP_KIND_COMMAND;

    if (command && session->sending.commands >= MOST_COMMANDS) {
        return TP_E_LIMIT;
    }
    struct asking *a = tpi_pool_take(sizeof *a);
    if (a == NULL) {
        return TP_E_NOMEM;
    }
    *a = (struct asking){.session = session,
                         .request = *tp_msg_header(msg),
                         .device = device,
                         .what = what,
                         .cost = command ? 0 : tpi_budget_estimate(session, what),
                         .command = command,
                         .halts = halts_other(session, device, what)};
    a->request.addr = *tp_device_addr(device);
    a->next = session->sending.askings;
    if (a->next != NULL) {
        a->next->previous = a;
    }
    session->sending.askings = a;
    tpi_budget_reserve(session, a->cost);
    session->sending.requests += !command;
    session->sending.commands += command;
    tp_status status = tpi_device_call_for(device, what, msg, claim,
                                           command ? carried_out : answered, a, &a->call);
    if (status != TP_OK) {
        forget_asking(a);
    }
    return status;
}

void tpi_session_abandon_all(tp_session *session)
{
    tp_msg_unref(session->sending.parked);
    session->sending.parked = NULL;
    while (session->sending.askings != NULL) {
        tpi_call_abandon(session->sending.askings->call);
        forget_asking(session->sending.askings);
    }
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* Guests only ask; what they ask comes behind what others want of the driver. A stop never waits.
 */
static bool yields(tp_session *session, const tp_message *what)
{
    return what->kind == TP_KIND_REQUEST && what->effect == TP_EFFECT_READS &&
           what != halt_request(TP_COMMON_REQ_HALT) &&
           what != halt_request(TP_COMMON_REQ_HALT_SO) && tpi_budget_is_guest(session);
}

static tp_status pass_on(struct subscription *s, tp_msg *msg, const tp_message *what, tp_error *err)
{
    tp_device *device = s->device;
    tpi_claim claim = tpi_terms_claim(s, what, msg);
    tp_status status = tpi_access_check(s, what, &claim, err);

    if (status != TP_OK) {
        return status;
    }
    if (tpi_terms_owns(what)) {
        return tpi_terms_answer(s, msg, err);
    }
    if (tpi_terms_is_late(s, what, msg, &claim, err)) {
        return TP_E_TIMEOUT;
    }
    tpi_terms_count_age(s, what, &claim);
    s->moves = s->moves || what->effect == TP_EFFECT_MOVES ||
               (!tpi_device_safety_look(device)->moves && what->effect != TP_EFFECT_READS);
    claim.yields = yields(s->session, what);
    status = ask(s->session, device, msg, what, &claim);
    return status == TP_OK
               ? TP_OK
               : tp_fail(err, status, "%s: %s", tpi_device_name(device), tp_status_text(status));
}

/* The opening that a message is sent by: of several one that writes, if the message does more than
 * ask. What it moves stops when that one is closed. */
static struct subscription *find_sender(const tp_session *session, const tp_device *device,
                                        const tp_message *what)
{
    struct subscription *s = session->subscriptions;

    while (s != NULL && (s->device != device || s->waiting || s->access == TP_READ_MODE ||
                         what->effect == TP_EFFECT_READS)) {
        s = s->next;
    }
    return s != NULL ? s : tpi_session_find_open(session, device);
}

/* Pass a message on to the device, which may have been closed or removed while it was parked. */
static tp_status send_now(tp_session *session, tp_msg *msg, const tp_message *what, tp_error *err)
{
    const tp_devaddr *addr = &tp_msg_header(msg)->addr;
    tp_device *device = tpi_session_device(session, addr);
    tp_error why = {0};

    if (device == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no device %u:%u", addr->interf, addr->index);
    }
    struct subscription *s = find_sender(session, device, what);
    if (s == NULL) {
        tpi_access_count_refusal(session, device);
        return tp_fail(err, TP_E_DENIED, "%s is not open", tpi_device_name(device));
    }
    const tp_status status = pass_on(s, msg, what, &why);
    if (status == TP_OK) {
        s->refused = s->refused && what->kind != TP_KIND_COMMAND;
        return TP_OK;
    }
    tpi_access_count_refusal(session, device);
    if (what->kind == TP_KIND_COMMAND) {
        tpi_access_tell_refusal(s, &why, &s->refused);
    }
    return tp_fail(err, status, "%s", why.text);
}

static bool has_room(tp_session *session, const tp_message *what)
{
    return tpi_budget_has_room(session, tpi_budget_estimate(session, what));
}

static bool unpark(tp_session *session)
{
    tp_msg *msg = session->sending.parked;
    tp_error err = {0};

    if (!has_room(session, session->sending.parked_as)) {
        return false;
    }
    session->sending.parked = NULL;
    const tp_status status = send_now(session, msg, session->sending.parked_as, &err);
    if (status != TP_OK) {
        (void)tp_session_refuse(session, tp_msg_header(msg), status, err.text);
    }
    tp_msg_unref(msg);
    return true;
}

/* A request that reads waits for room for its answer. The front that goes on nevertheless finds
 * that there is too much to do. */
static bool parks(tp_session *session, tp_msg *msg, const tp_message *what)
{
    if (what->kind != TP_KIND_REQUEST || what->effect != TP_EFFECT_READS ||
        what == halt_request(TP_COMMON_REQ_HALT) || what == halt_request(TP_COMMON_REQ_HALT_SO) ||
        session->sending.parked != NULL || has_room(session, what)) {
        return false;
    }
    session->sending.parked = tp_msg_ref(msg);
    session->sending.parked_as = what;
    tpi_budget_park(session, unpark);
    return true;
}

tp_status tp_session_send(tp_session *session, tp_msg *msg, const tp_message *what, tp_error *err)
{
    assert(session_is_current(session));
    session->sending.received++;
    return parks(session, msg, what) ? TP_OK : send_now(session, msg, what, err);
}

tp_status tp_session_send_later(tp_session *session, const tp_origin *origin, tp_msg *msg,
                                const tp_message *what, tp_error *err)
{
    tpi_age_set_origin(session, origin);
    const tp_status status = tp_session_send(session, msg, what, err);
    tpi_age_set_origin(session, NULL);
    return status;
}

static bool is_busy(tp_session *session)
{
    return session->sending.requests >= session->limits.requests ||
           session->sending.parked != NULL || tpi_maker_is_busy(session) ||
           tpi_budget_is_behind(session) || !tpi_budget_may_work(session);
}

bool tp_session_has_to_wait(tp_session *session, bool waits)
{
    waits = waits || is_busy(session);
    if (session->account.busy && !waits) {
        tpi_budget_begin_work(session); /* the wait was none */
    }
    tpi_age_wait(session, waits);
    return waits;
}

bool tp_session_is_busy(tp_session *session)
{
    return tp_session_has_to_wait(session, false);
}

uint64_t tpi_session_received(const tp_session *session)
{
    return session->sending.received;
}
