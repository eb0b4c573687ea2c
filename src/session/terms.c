/*
 * terms.c - how long a device obeys a client that is silent, and before whom: leases and ranks as
 * clients have them, and the request LEASE about both.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "safety/safety.h"
#include "session/session.h"

enum { PLAIN_LEASE_S = 5, OWN_LEASE_S = 1 };

/* ---- Leases ---------------------------------------------------------------------------------- */

/* That of a client who asks for none: the configuration's word, or else what is usual for such
 * clients; less than 0 for ever. Nobody gets a longer one by asking. */
static int64_t default_ns(const tp_session *session, const tp_device *device)
{
    const int64_t configured_ns = device->instance->plan.lease_ns;

    return configured_ns != 0 ? configured_ns
                              : (session->leases ? OWN_LEASE_S : PLAIN_LEASE_S) * TP_NS_PER_S;
}

int64_t tpi_hold_lease_ns(const struct subscription *s)
{
    return s->lease_ns > 0 ? s->lease_ns : default_ns(s->session, s->device);
}

void tp_session_heard(tp_session *session)
{
    session->heard_ns = tp_clock_now_ns(tp_hub_clock(session->hub));
    for (struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        if (s->moves) {
            tpi_device_heard(s->device, session, tpi_hold_lease_ns(s));
        }
    }
}

void tp_session_speak_leases(tp_session *session, bool on)
{
    session->leases = on;
}

static tpi_mover mover_of(const struct subscription *s)
{
    tpi_mover mover = {.who = s->session, .lease_ns = tpi_hold_lease_ns(s)};

    tpi_rank_of_session(s->session, s->device, &mover);
    mover.rank = s->has_rank && s->rank < mover.rank ? s->rank : mover.rank;
    return mover;
}

/* The number of a command that moves, from a client that speaks leases, is how long it is valid. */
tpi_mover tpi_hold_mover(const struct subscription *s, const tp_message *what, const tp_msg *msg)
{
    const uint32_t valid_ms = tp_msg_header(msg)->seq;
    tpi_mover mover = mover_of(s);

    if (s->session->leases && what->kind == TP_KIND_COMMAND) {
        mover.valid_ns = valid_ms * TP_NS_PER_MS;
    }
    return mover;
}

/* To the process of a driver all comes from the server that started it, on the same machine and
 * stamped by the same clock, which never jumps. */
bool tpi_hold_is_late(const struct subscription *s, const tp_message *what, const tp_msg *msg)
{
    const tpi_hub *hub = s->session->hub;
    const int64_t lease_ns = tpi_hold_lease_ns(s);
    const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(hub));
    const double sent_s = tp_msg_header(msg)->timestamp;

    return hub->part_of_another && what->effect == TP_EFFECT_MOVES && lease_ns > 0 &&
           sent_s < (double)(now_ns - lease_ns) / (double)TP_NS_PER_S;
}

/* ---- The request ----------------------------------------------------------------------------- */

bool tpi_hold_owns(const tp_message *what)
{
    return what == tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, TP_COMMON_REQ_LEASE);
}

static tp_status check(const tp_device *device, const tp_lease *ask, tp_error *err)
{
    if (!device->moves) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s moves nothing", device->name);
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
            s->has_rank = true;
            s->rank = ask->rank;
        }
    }
}

double tpi_hold_lease_left_s(const tp_device *device)
{
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(device->instance));
    const int64_t ends_ns = tpi_lease_deadline(&device->lease);

    return ends_ns != TP_NEVER && ends_ns > now_ns
               ? (double)(ends_ns - now_ns) / (double)TP_NS_PER_S
               : 0;
}

bool tpi_hold_is_moved(const tp_device *device)
{
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(device->instance));

    return device->mover != NULL && !tpi_halting_is_over(device) &&
           tpi_lease_is_held(&device->lease, now_ns);
}

/* Texts are borrowed from `name`. */
static void describe(const struct subscription *s, char name[RANK_NAME], tp_lease *out)
{
    const tp_device *device = s->device;
    const tpi_mover mover = mover_of(s);
    const bool moved = tpi_hold_is_moved(device);

    name[0] = '\0';
    *out = (tp_lease){
        .duration = mover.lease_ns > 0 ? (double)mover.lease_ns / (double)TP_NS_PER_S : 0,
        .rank = mover.rank,
    };
    if (moved) {
        tpi_rank_name(device->instance->hub, device->mover, name, RANK_NAME);
        out->mine = device->mover == s->session;
        out->remaining = tpi_hold_lease_left_s(device);
        out->held = tpi_rank_left_s(device);
        out->mover_rank = device->mover_rank;
    }
    out->mover = tpi_text_field(name, &out->mover_count);
}

tp_status tpi_hold_answer(const struct subscription *s, const tp_msg *msg, tp_error *err)
{
    tp_msghdr header = *tp_msg_header(msg);
    const tp_lease *ask = tp_msg_payload(msg);
    char name[RANK_NAME];
    tp_lease lease;
    tp_msg *answer = NULL;
    tp_status status = check(s->device, ask, err);

    if (status != TP_OK) {
        return status;
    }
    grant(s->session, s->device, ask);
    tpi_device_heard(s->device, s->session, tpi_hold_lease_ns(s));
    describe(s, name, &lease);
    header.addr = s->device->addr;
    header.type = TP_MSGTYPE_RESP_ACK;
    header.timestamp = tp_clock_wall_s(tp_hub_clock(s->session->hub));
    status = tp_msg_create(&answer, &header, &tp_desc_lease, &lease);
    if (status != TP_OK) {
        return tp_fail(err, status, "%s: %s", s->device->name, tp_status_text(status));
    }
    tp_session_queue(s->session, answer);
    tp_msg_unref(answer);
    return TP_OK;
}
