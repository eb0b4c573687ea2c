/*
 * access.c - who may do what with a device that it has open.
 *
 * Player's mode is to read and to write. Ours tell them apart, and one client can keep all others
 * from writing for as long as it has the device open, but for those who rank before it. A client
 * that has frozen keeps nobody out: once it has been silent for its lease, others write, and
 * whoever wants the device for itself gets it.
 */
#include <string.h>

#include "safety/moving.h"
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

static tp_status held_by(const tp_device *device, tp_error *err)
{
    char name[RANK_NAME];

    tpi_session_label(device->holder, name, sizeof name);
    return tp_fail(err, TP_E_DENIED, "%s is held by %s", device->name, name);
}

/* What is shorter could end between two words of a client that has no reason to hurry: of a device
 * that moves nothing it is not told how long its lease is. */
static const int64_t shortest_hold_ns = TP_NS_PER_S;

static int64_t silence_allowed_ns(const struct subscription *s)
{
    const int64_t lease_ns = tpi_hold_lease_ns(s);

    return lease_ns > 0 && lease_ns < shortest_hold_ns ? shortest_hold_ns : lease_ns;
}

/* With which opening somebody has it for itself; NULL for nobody. */
static struct subscription *find_holding(const tp_device *device)
{
    struct subscription *s = device->holder != NULL ? device->holder->subscriptions : NULL;

    while (s != NULL && (s->device != device || s->waiting || s->access != TP_EXCLUSIVE_MODE)) {
        s = s->next;
    }
    return s;
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

/* Who has lost it by silence is told, and reads it when it is back. */
static void tell_loss(const tp_device *device, const tp_session *taker)
{
    struct subscription *s = find_holding(device);
    char name[RANK_NAME];
    tp_error why = {0};
    bool told = false;

    if (s != NULL) {
        tpi_session_label(taker, name, sizeof name);
        tp_fail(&why, TP_E_DENIED,
                "%s is not open exclusively any more: nothing was heard for too long, and %s has "
                "taken it",
                device->name, name);
        tpi_access_tell_refusal(s, &why, &told);
    }
}

tp_status tpi_access_take(struct subscription *s, tp_error *err)
{
    tp_device *device = s->device;

    if (s->access != TP_EXCLUSIVE_MODE) {
        return TP_OK;
    }
    if (device->holder != s->session && tpi_access_is_held(device)) {
        return held_by(device, err);
    }
    if (device->holder != s->session) {
        tell_loss(device, s->session);
    }
    device->holder = s->session;
    tpi_grant_shut_out(device);
    return TP_OK;
}

/* The last of a client's openings that hold a device lets go of it. */
void tpi_access_give(const struct subscription *s)
{
    const struct subscription *other = s->session->subscriptions;

    if (s->device->holder != s->session || s->access != TP_EXCLUSIVE_MODE) {
        return;
    }
    while (other != NULL && (other == s || other->device != s->device || other->waiting ||
                             other->access != TP_EXCLUSIVE_MODE)) {
        other = other->next;
    }
    if (other == NULL) {
        s->device->holder = NULL;
    }
}

/* Whether another client holds it, before whom this one does not rank. */
static bool is_shut_out(const tp_session *session, const tp_device *device, const tpi_mover *mover)
{
    tpi_mover holder = {0};

    if (device->holder == session || !tpi_access_is_held(device)) {
        return false;
    }
    tpi_rank_of_session(device->holder, device, &holder);
    return mover->rank <= holder.rank;
}

static tp_status check_writer(const tp_session *session, const tp_device *device,
                              const tp_message *what, const tpi_mover *mover, tp_error *err)
{
    const struct subscription *s = session->subscriptions;

    if (what->effect == TP_EFFECT_READS) {
        return TP_OK;
    }
    if (is_shut_out(session, device, mover)) {
        return held_by(device, err);
    }
    while (s != NULL && (s->device != device || s->waiting || !writes(s->access))) {
        s = s->next;
    }
    return s != NULL ? TP_OK
                     : tp_fail(err, TP_E_DENIED, "%s is open for reading only", device->name);
}

static tp_status refuse_in_panic(const tp_session *session, tp_error *err)
{
    tpi_panic_state panic;

    tpi_panic_look(session->hub->panic, &panic);
    return tp_fail(err, TP_E_PANIC, "nothing moves: panic, raised by %s: %s", panic.who, panic.why);
}

tp_status tpi_access_check(const struct subscription *s, const tp_message *what,
                           const tpi_mover *mover, tp_error *err)
{
    const tp_session *session = s->session;
    const tp_device *device = s->device;
    tp_status allowed = tp_session_may(session, what, err);

    allowed = allowed == TP_OK ? check_writer(session, device, what, mover, err) : allowed;
    allowed = allowed == TP_OK ? tpi_rank_check(device, what, mover, err) : allowed;
    if (allowed != TP_OK) {
        return allowed;
    }
    if (what->mark == TP_MARK_EXTENSION && !session->extensions &&
        !device->instance->plan.extensions) {
        return tp_fail(err, TP_E_DENIED, "%s is an extension of %s: ask for extensions", what->name,
                       device->interface->name);
    }
    if (what->effect == TP_EFFECT_MOVES && tpi_panic_is_on(session->hub->panic)) {
        return refuse_in_panic(session, err);
    }
    if (what->effect == TP_EFFECT_MOVES && session->stale > 0) {
        return tp_fail(err, TP_E_DENIED, "%s was sent before the panic was over", what->name);
    }
    return TP_OK;
}

void tpi_access_count_refusal(tp_session *session, tp_device *device)
{
    session->refused++;
    device->counts.refused++;
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
