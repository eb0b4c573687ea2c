/*
 * terms.c - how long a device obeys a client that is silent, and before whom: leases and ranks as
 * clients have them, and the request LEASE about both.
 */
#include <assert.h>
#include <math.h>

#include "base/order.h"
#include "base/text.h"
#include "session/session.h"

enum { PLAIN_LEASE_S = 5, OWN_LEASE_S = 1 };

/* ---- Leases ---------------------------------------------------------------------------------- */

int64_t tpi_terms_plain_ns(const tp_device *device)
{
    const int64_t configured_ns = tpi_device_lease_ns(device);

    if (configured_ns != 0) {
        return configured_ns;
    }
    return tpi_device_is_simulated(device) ? -1 : PLAIN_LEASE_S * TP_NS_PER_S;
}

/* The lease of a client that asks for none: the configured one, or the default for its kind of
 * client; less than 0 is endless. A client cannot get a longer one by asking. */
static int64_t default_ns(const tp_session *session, const tp_device *device)
{
    const int64_t configured_ns = tpi_device_lease_ns(device);

    if (!session->leases) {
        return tpi_terms_plain_ns(device);
    }
    return configured_ns != 0 ? configured_ns : OWN_LEASE_S * TP_NS_PER_S;
}

int64_t tpi_terms_lease_ns(const struct subscription *s)
{
    return s->lease_ns > 0 ? s->lease_ns : default_ns(s->session, s->device);
}

/* What is left of a lease that begins when the message arrived; 0 if nothing is. */
static int64_t left_ns(int64_t lease_ns, int64_t age_ns)
{
    return lease_ns <= 0 ? lease_ns : lease_ns > age_ns ? lease_ns - age_ns : 0;
}

static void renew(const struct subscription *s, const tpi_mover *mover)
{
    const int64_t lease_ns = tpi_terms_lease_ns(s);
    const int64_t left = left_ns(lease_ns, tpi_age_ns(s->session));

    if (lease_ns <= 0 || left > 0) {
        tpi_device_heard(s->device, mover, left);
    }
}

/* Its client is no silent stranger, and the work for the message begins now. */
static void note_message(tp_session *session)
{
    assert(session_is_current(session));
    tpi_budget_begin_work(session);
    tpi_crowd_heard(session);
}

void tp_session_heard(tp_session *session)
{
    const tpi_mover mover = tpi_identity_mover(&session->identity);

    note_message(session);
    session->heard_ns = tp_clock_now_ns(tp_hub_clock(session->hub));
    for (struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        if (s->moves) {
            renew(s, &mover);
        }
    }
}

/* Pulls of such a client repeat by themselves, so they do not show that its program is well. */
static bool is_automatic(const tp_session *session, const tp_msghdr *header)
{
    return session->leases && header->type == TP_MSGTYPE_REQ &&
           header->addr.interf == TP_PLAYER_CODE && header->subtype == TP_PLAYER_REQ_DATA;
}

void tp_session_heard_message(tp_session *session, const tp_msghdr *header)
{
    if (is_automatic(session, header)) {
        note_message(session);
    } else {
        tp_session_heard(session);
    }
}

static tpi_claim claim_of(const struct subscription *s)
{
    tpi_claim claim = {.mover = tpi_identity_mover(&s->session->identity),
                       .lease_ns = tpi_terms_lease_ns(s)};

    tpi_identity_rank(&s->session->identity, s->device, &claim);
    if (s->has_rank) {
        claim.rank = (int32_t)tpi_smaller(s->rank, claim.rank);
    }
    return claim;
}

int32_t tpi_terms_rank(const struct subscription *s)
{
    return claim_of(s).rank;
}

/* The shorter one of two times, of which 0 and less are endless. */
static int64_t shorter(int64_t a_ns, int64_t b_ns)
{
    return a_ns <= 0 || (b_ns > 0 && b_ns < a_ns) ? b_ns : a_ns;
}

static bool can_move(const struct subscription *s, const tp_message *what)
{
    return tp_effect_can_move(tpi_safety_effect(tpi_device_safety_look(s->device), what));
}

/* The number of a command that moves, from a client that speaks leases, is how long it is valid. */
tpi_claim tpi_terms_claim(const struct subscription *s, const tp_message *what, const tp_msg *msg)
{
    const uint32_t valid_ms = tp_msg_header(msg)->seq;
    tpi_claim claim = claim_of(s);

    if (s->session->leases && what->kind == TP_KIND_COMMAND) {
        claim.valid_ns = valid_ms * TP_NS_PER_MS;
    }
    const int64_t lease_ns = shorter(claim.lease_ns, claim.valid_ns);
    claim.silence_ns = lease_ns > 0 ? lease_ns : 0;
    if (can_move(s, what)) {
        tpi_age_expect(s->session->clients, lease_ns);
    }
    return claim;
}

static bool is_late(const struct subscription *s, const tp_msg *msg, int64_t lease_ns)
{
    const tpi_hub *hub = s->session->hub;
    const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(hub));
    const double sent_s = tp_msg_header(msg)->timestamp;

    /* To the process of a driver all comes from the server that started it, on the same machine and
     * stamped by the same clock, which never jumps. */
    return tpi_hub_is_part(hub) && sent_s < (double)(now_ns - lease_ns) / (double)TP_NS_PER_S;
}

bool tpi_terms_is_late(const struct subscription *s, const tp_message *what, const tp_msg *msg,
                       const tpi_claim *claim, tp_error *err)
{
    const int64_t lease_ns = shorter(claim->lease_ns, claim->valid_ns);

    if (!can_move(s, what) || lease_ns <= 0) {
        return false;
    }
    const int64_t late_ns =
        tp_clock_now_ns(tp_hub_clock(s->session->hub)) - tpi_age_end_ns(s->session, lease_ns);
    if (late_ns >= 0) {
        tp_fail(err, TP_E_TIMEOUT,
                "%s: %s can be %.1f s old, more than its lease of %.1f s: the server was frozen or "
                "busy",
                tpi_device_name(s->device), what->name,
                (double)(lease_ns + late_ns) / (double)TP_NS_PER_S,
                (double)lease_ns / (double)TP_NS_PER_S);
        return true;
    }
    if (is_late(s, msg, lease_ns)) {
        tp_fail(err, TP_E_TIMEOUT, "%s: %s came too late", tpi_device_name(s->device), what->name);
        return true;
    }
    return false;
}

void tpi_terms_count_age(const struct subscription *s, const tp_message *what, tpi_claim *claim)
{
    const int64_t age_ns = tpi_age_ns(s->session);
    const int64_t lease_ns = shorter(claim->lease_ns, claim->valid_ns);

    if (can_move(s, what) && lease_ns > 0) {
        claim->until_ns = tpi_age_end_ns(s->session, lease_ns);
    }
    claim->lease_ns = left_ns(claim->lease_ns, age_ns);
    claim->valid_ns = left_ns(claim->valid_ns, age_ns);
}

/* ---- The request ----------------------------------------------------------------------------- */

bool tpi_terms_owns(const tp_message *what)
{
    return what == tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, TP_COMMON_REQ_LEASE);
}

static tp_status check(const tp_device *device, const tp_lease *ask, tp_error *err)
{
    if (!tpi_device_safety_look(device)->moves) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s moves nothing", tpi_device_name(device));
    }
    if (ask == NULL) {
        return tp_fail(err, TP_E_SHORT, "LEASE without a body");
    }
    if ((ask->asks & TP_LEASE_DURATION) != 0 && !(ask->duration >= 0 && isfinite(ask->duration))) {
        return tp_fail(err, TP_E_RANGE, "a lease is a number of seconds, 0 for the default");
    }
    return TP_OK;
}

/* On all openings of the device that the client has. */
static void grant(const tp_session *session, const tp_device *device, const tp_lease *ask)
{
    const int64_t usual_ns = default_ns(session, device);
    const int64_t most_ns = usual_ns > 0 ? usual_ns : INT64_MAX;
    const double most_s = (double)most_ns / (double)TP_NS_PER_S;

    for (struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        if (s->device != device) {
            continue;
        }
        if ((ask->asks & TP_LEASE_DURATION) != 0) {
            s->lease_ns = ask->duration >= most_s
                              ? most_ns
                              : (int64_t)ceil(ask->duration * (double)TP_NS_PER_S);
        }
        if ((ask->asks & TP_LEASE_RANK) != 0) {
            s->has_rank = s->session->ranked = true;
            s->rank = ask->rank;
        }
    }
}

/* Texts are borrowed. */
static void describe(const struct subscription *s, tp_lease *out)
{
    const tpi_device_safety *safety = tpi_device_safety_look(s->device);
    const tpi_claim claim = claim_of(s);
    const bool moved = tpi_claim_is_moved(safety);

    *out = (tp_lease){
        .duration = claim.lease_ns > 0 ? (double)claim.lease_ns / (double)TP_NS_PER_S : 0,
        .rank = claim.rank,
    };
    if (moved) {
        out->mine = tpi_mover_equal(&safety->mover, &claim.mover);
        out->remaining = tpi_claim_lease_left_s(safety);
        out->held = tpi_claim_rank_left_s(safety);
        out->mover_rank = safety->rank;
    }
    out->mover = tpi_text_field(moved ? safety->label : "", &out->mover_count);
}

tp_status tpi_terms_answer(const struct subscription *s, const tp_msg *msg, tp_error *err)
{
    tp_msghdr header = *tp_msg_header(msg);
    const tp_lease *ask = tp_msg_payload(msg);
    tp_lease lease;
    tp_msg *answer = NULL;
    const tpi_mover mover = tpi_identity_mover(&s->session->identity);
    tp_status status = check(s->device, ask, err);

    if (status != TP_OK) {
        return status;
    }
    grant(s->session, s->device, ask);
    renew(s, &mover);
    tpi_age_expect(s->session->clients, tpi_terms_lease_ns(s));
    describe(s, &lease);
    header.addr = *tp_device_addr(s->device);
    header.type = TP_MSGTYPE_RESP_ACK;
    header.timestamp = tp_clock_wall_s(tp_hub_clock(s->session->hub));
    status = tp_msg_create(&answer, &header, &tp_desc_lease, &lease);
    if (status != TP_OK) {
        return tp_fail(err, status, "%s: %s", tpi_device_name(s->device), tp_status_text(status));
    }
    tp_session_queue(s->session, answer);
    tp_msg_unref(answer);
    return TP_OK;
}
