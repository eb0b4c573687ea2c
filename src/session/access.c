/*
 * access.c - who may do what with a device that it has open.
 *
 * Player's mode is to read and to write. Ours tell them apart, and one client can keep all others
 * from writing for as long as it has the device open, except for clients of a higher rank. A client
 * that has frozen excludes no other client: once it has been silent for its lease, others can write
 * and can get exclusive access.
 */
#include <assert.h>
#include <stddef.h>

#include "base/order.h"
#include "session/session.h"
#include "troupe/interfaces/player.h"

bool tpi_access_reads(unsigned access)
{
    return access != TP_WRITE_MODE;
}

static bool writes(unsigned access)
{
    return access != TP_READ_MODE;
}

/* What is shorter could end between two words of a client that has no reason to hurry: of a device
 * that moves nothing it does not receive how long its lease is. */
static const int64_t shortest_hold_ns = TP_NS_PER_S;

/* A simulated device that moves on without a lease is still not kept from others for ever. */
static const int64_t longest_hold_ns = 5 * TP_NS_PER_S;

static int64_t silence_allowed_ns(const struct subscription *s)
{
    const int64_t lease_ns = tpi_terms_lease_ns(s);

    if (lease_ns <= 0 && tpi_device_lease_ns(s->device) == 0) { /* nobody asked for no limit */
        return longest_hold_ns;
    }
    return lease_ns > 0 ? tpi_larger(lease_ns, shortest_hold_ns) : lease_ns;
}

/* With which opening a client has it for itself; NULL for none. */
static struct subscription *find_holding(const tp_device *device)
{
    const tpi_reader *holder = tpi_device_holder(device);

    return holder == NULL ? NULL : holder->context;
}

const tp_session *tpi_access_holder(const tp_device *device)
{
    const struct subscription *s = find_holding(device);

    return s == NULL ? NULL : s->session;
}

static tp_status held_by(const tp_device *device, tp_error *err)
{
    return tp_fail(err, TP_E_DENIED, "%s is held by %s", tpi_device_name(device),
                   tpi_access_holder(device)->identity.label);
}

/* Whether somebody has it for itself, and was heard of in time. */
bool tpi_access_is_held(const tp_device *device)
{
    const struct subscription *s = find_holding(device);

    if (s == NULL) {
        return false;
    }
    const int64_t allowed_ns = silence_allowed_ns(s);
    const tp_session *holder = s->session;
    return allowed_ns <= 0 ||
           tp_clock_now_ns(tp_hub_clock(holder->hub)) - holder->heard_ns < allowed_ns;
}

/* A client that has lost exclusive access by silence gets a message, and reads it when it is back.
 */
static void tell_loss(const tp_device *device, const tp_session *taker)
{
    struct subscription *s = find_holding(device);
    tp_error why = {0};
    bool told = false;

    if (s != NULL) {
        tp_fail(&why, TP_E_DENIED,
                "%s is no longer open exclusively: its client was silent for too long, and %s has "
                "taken it",
                tpi_device_name(device), taker->identity.label);
        tpi_access_tell_refusal(s, &why, &told);
    }
}

/* A client that asks to write, in our modes, is refused at once. Player's mode is also for reading:
 * such a client is refused when it writes. */
static bool is_kept_from_opening(const struct subscription *s)
{
    return (s->access == TP_WRITE_MODE || s->access == TP_ALL_MODE) &&
           tpi_access_keeps_out(s->device, tpi_terms_rank(s)) != NULL;
}

tp_status tpi_access_take(struct subscription *s, tp_error *err)
{
    tp_device *device = s->device;

    assert(session_is_current(s->session));
    if (tpi_access_holder(device) == s->session) {
        return TP_OK;
    }
    if (s->access != TP_EXCLUSIVE_MODE) {
        return is_kept_from_opening(s) ? held_by(device, err) : TP_OK;
    }
    if (tpi_access_is_held(device)) {
        return held_by(device, err);
    }
    tell_loss(device, s->session);
    tpi_device_set_holder(device, &s->reader);
    tpi_device_taken_exclusively(device);
    return TP_OK;
}

/* The last of a client's openings that hold a device lets go of it. */
void tpi_access_give(const struct subscription *s)
{
    struct subscription *other = s->session->subscriptions;

    assert(session_is_current(s->session));
    if (find_holding(s->device) != s) {
        return;
    }
    while (other != NULL && (other == s || other->device != s->device || other->waiting ||
                             other->access != TP_EXCLUSIVE_MODE)) {
        other = other->next;
    }
    tpi_device_set_holder(s->device, other == NULL ? NULL : &other->reader);
}

const char *tpi_access_keeps_out(const tp_device *device, int32_t rank)
{
    const struct subscription *s = find_holding(device);

    return tpi_access_is_held(device) && rank <= tpi_terms_rank(s) ? s->session->identity.label
                                                                   : NULL;
}

/* Whether another client holds it, over which this one does not take precedence. */
static bool is_shut_out(const tp_session *session, const tp_device *device, const tpi_claim *claim)
{
    return tpi_access_holder(device) != session &&
           tpi_access_keeps_out(device, claim->rank) != NULL;
}

static tp_status check_writer(const tp_session *session, const tp_device *device,
                              const tp_message *what, const tpi_claim *claim, tp_error *err)
{
    const struct subscription *s = session->subscriptions;

    if (what->effect == TP_EFFECT_READS) {
        return TP_OK;
    }
    if (is_shut_out(session, device, claim)) {
        return held_by(device, err);
    }
    while (s != NULL && (s->device != device || s->waiting || !writes(s->access))) {
        s = s->next;
    }
    return s != NULL
               ? TP_OK
               : tp_fail(err, TP_E_DENIED, "%s is open for reading only", tpi_device_name(device));
}

static tp_status refuse_in_panic(const tp_session *session, tp_error *err)
{
    tpi_panic_state panic;

    tpi_panic_look(tpi_panic_of(session->hub), &panic);
    return tp_fail(err, TP_E_PANIC, "nothing moves: panic, raised by %s: %s", panic.who, panic.why);
}

tp_status tpi_access_check(const struct subscription *s, const tp_message *what,
                           const tpi_claim *claim, tp_error *err)
{
    const tp_session *session = s->session;
    const tp_device *device = s->device;
    const bool can_move =
        tp_effect_can_move(tpi_safety_effect(tpi_device_safety_look(device), what));
    tp_status allowed = tpi_identity_may_send(&session->identity, device, what, err);

    allowed = allowed == TP_OK ? check_writer(session, device, what, claim, err) : allowed;
    allowed = allowed == TP_OK ? tpi_claim_check(tpi_device_safety_look(device), what, claim, err)
                               : allowed;
    if (allowed != TP_OK) {
        return allowed;
    }
    if (what->mark == TP_MARK_EXTENSION && !session->extensions &&
        !tpi_device_plan(device)->extensions) {
        return tp_fail(err, TP_E_DENIED, "%s is an extension of %s: ask for extensions", what->name,
                       tp_device_interface(device)->name);
    }
    if (can_move && tpi_panic_is_on(tpi_panic_of(session->hub))) {
        return refuse_in_panic(session, err);
    }
    if (can_move && tpi_age_is_stale(session)) {
        return tp_fail(err, TP_E_DENIED, "%s was sent before the panic was over", what->name);
    }
    return TP_OK;
}

void tpi_access_count_refusal(tp_session *session, tp_device *device)
{
    session->refused++;
    tpi_device_count_refusal(device);
}

void tpi_access_tell_refusal(struct subscription *s, const tp_error *why, bool *told)
{
    if (*told || !s->session->explain) {
        return;
    }
    *told = true;
    tp_msg *msg = tpi_device_failure(s->device, why->code, why->text);
    if (msg != NULL) {
        tp_session_queue(s->session, msg);
        tp_msg_unref(msg);
    }
}

void tpi_access_rights_changed(tpi_identity *identity)
{
    tp_session *session = (tp_session *)((char *)identity - offsetof(tp_session, identity));
    const tp_right right = tpi_identity_right(identity);
    const tpi_mover mover = tpi_identity_mover(identity);

    assert(session_is_current(session));
    if (tpi_budget_class(session) == TPI_MEMBERS) {
        tpi_budget_wait_as_member(session);
    }
    tpi_crowd_look(session);
    tpi_backlog_rights_changed(session);
    for (struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        if (right >= tpi_right_to_open(s->device, TP_EXCLUSIVE_MODE)) {
            continue; /* it may still move the device, or write to one that moves nothing */
        }
        if (s->moves) {
            s->moves = false;
            tpi_device_left(s->device, &mover, TPI_LEAVING_FORBIDDEN);
        }
        if (tpi_access_holder(s->device) == session) {
            tpi_device_set_holder(s->device, NULL);
        }
    }
}
