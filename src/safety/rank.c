/*
 * rank.c - who writes to a device before others: a joystick before a planner.
 *
 * Whoever moves a device keeps writers of a lower rank out until some time after the last move;
 * among equals the last one moves it. A device that moves nothing is kept by whoever writes to it.
 * Ranks are the operator's word: they stand in the configuration, and one who asks for another rank
 * gets no higher one by that. All of this belongs to the loop.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "safety/moving.h"
#include "session/session.h"

/* ---- Who has which rank ---------------------------------------------------------------------- */

static bool fits(const char *pattern, const char *name)
{
    return tpi_text_fits(pattern, name, strlen(name));
}

/* "127.0.0.1:51234" is 127.0.0.1, "[::1]:51234" is ::1, and "unix" is itself. */
static bool fits_host(const char *pattern, const char *name)
{
    const char *colon = strrchr(name, ':');
    size_t length = colon != NULL ? (size_t)(colon - name) : strlen(name);

    if (length >= 2 && name[0] == '[' && name[length - 1] == ']') {
        name++;
        length -= 2;
    }
    return tpi_text_fits(pattern, name, length);
}

static bool fits_session(const tpi_rank *rank, const tp_session *session)
{
    return rank->driver == NULL &&
           (rank->client == NULL || fits(rank->client, session->software)) &&
           (rank->host == NULL || fits_host(rank->host, session->name)) &&
           (rank->key == NULL || fits(rank->key, tp_session_key(session)));
}

/* The driver whose own process this client is; NULL for all others. Only such processes come from
 * inside by the name of a driver that runs elsewhere. */
static const tp_instance *driver_of(const tp_session *session)
{
    const tp_instance *at =
        session->guest.reach == TP_REACH_INSIDE ? session->hub->instances : NULL;

    while (at != NULL &&
           (at->plan.in_place_of == NULL || strcmp(at->name, session->software) != 0)) {
        at = at->next;
    }
    return at;
}

/* By the name of the driver, or of the instance. */
static bool fits_driver(const tpi_rank *rank, const tp_instance *user)
{
    const char *driver = tpi_instance_driver_name(user);

    return rank->client == NULL && rank->host == NULL && rank->key == NULL &&
           (rank->driver == NULL || fits(rank->driver, driver) || fits(rank->driver, user->name));
}

static void take_rank(const tpi_rank *rank, tpi_mover *mover)
{
    mover->rank = rank->rank;
    mover->hold_ns = rank->hold_ns;
}

void tpi_rank_of_session(const tp_session *session, const tp_device *device, tpi_mover *mover)
{
    const tpi_blueprint *plan = &device->instance->plan;
    const tp_instance *driver = driver_of(session);

    if (driver != NULL) {
        tpi_rank_of_driver(driver, device, mover);
        return;
    }
    for (uint32_t i = 0; i < plan->rank_count; i++) {
        if (plan->ranks[i].section == device->section && fits_session(&plan->ranks[i], session)) {
            take_rank(&plan->ranks[i], mover);
            return;
        }
    }
    mover->hold_ns = TPI_RANK_HOLD_NS;
}

void tpi_rank_of_driver(const tp_instance *user, const tp_device *device, tpi_mover *mover)
{
    const tpi_blueprint *plan = &device->instance->plan;

    for (uint32_t i = 0; i < plan->rank_count; i++) {
        if (plan->ranks[i].section == device->section && fits_driver(&plan->ranks[i], user)) {
            take_rank(&plan->ranks[i], mover);
            return;
        }
    }
    mover->hold_ns = TPI_RANK_HOLD_NS;
}

/* ---- Who holds a device ---------------------------------------------------------------------- */

void tpi_session_label(const tp_session *session, char *out, size_t size)
{
    if (driver_of(session) != NULL) {
        (void)snprintf(out, size, "the driver %s", session->software);
        return;
    }
    (void)snprintf(out, size, "%s%s%s", session->software,
                   session->software[0] != '\0' ? " at " : "", session->name);
}

/* He is a session or a link; both are found by their place. */
void tpi_rank_name(const tpi_hub *hub, const void *who, char *out, size_t size)
{
    out[0] = '\0';
    for (const tp_session *session = hub->sessions; session != NULL; session = session->next) {
        if (session == who) {
            tpi_session_label(session, out, size);
        }
    }
    for (const tp_instance *user = hub->instances; user != NULL; user = user->next) {
        for (const tp_link *link = user->links; link != NULL; link = link->next) {
            if (link == who) {
                (void)snprintf(out, size, "the driver %s", user->name);
            }
        }
    }
}

bool tpi_rank_matters(const tp_device *device)
{
    const tpi_blueprint *plan = &device->instance->plan;

    for (uint32_t i = 0; i < plan->rank_count; i++) {
        if (plan->ranks[i].section == device->section) {
            return true;
        }
    }
    for (const tp_session *at = device->instance->hub->sessions; at != NULL; at = at->next) {
        for (const struct subscription *s = at->subscriptions; s != NULL; s = s->next) {
            if (s->device == device && s->has_rank) {
                return true; /* it gives way to others */
            }
        }
    }
    return false;
}

/* A grant holds the device for as long as its lease; one without a limit, as the last move does. */
static int64_t held_until_ns(const tp_device *device, int64_t now_ns)
{
    const tpi_lease *granted = device->granted.lease;
    const int64_t ends_ns = granted == NULL ? 0 : tpi_lease_deadline(granted);
    const int64_t granted_ns = ends_ns == TP_NEVER ? now_ns + TPI_RANK_HOLD_NS : ends_ns;

    return granted_ns > device->mover_until_ns ? granted_ns : device->mover_until_ns;
}

double tpi_rank_left_s(const tp_device *device)
{
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(device->instance));
    const int64_t until_ns = held_until_ns(device, now_ns);

    return device->mover != NULL && until_ns > now_ns
               ? (double)(until_ns - now_ns) / (double)TP_NS_PER_S
               : 0;
}

tp_status tpi_rank_check(const tp_device *device, const tp_message *what, const tpi_mover *mover,
                         tp_error *err)
{
    char name[RANK_NAME];

    if (what->effect == TP_EFFECT_READS || device->mover == NULL || device->mover == mover->who ||
        device->mover_rank <= mover->rank || !(tpi_rank_left_s(device) > 0)) {
        return TP_OK;
    }
    tpi_rank_name(device->instance->hub, device->mover, name, sizeof name);
    return tp_fail(err, TP_E_DENIED, "%s is held by %s, rank %ld over %ld, for another %.1f s",
                   device->name, name, (long)device->mover_rank, (long)mover->rank,
                   tpi_rank_left_s(device));
}

void tpi_rank_take(tp_device *device, const tp_message *what, const tpi_mover *mover)
{
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(device->instance));

    if (mover->who == NULL || what->effect == TP_EFFECT_READS ||
        (device->moves && what->effect != TP_EFFECT_MOVES)) {
        return;
    }
    device->mover = mover->who;
    device->mover_rank = mover->rank;
    device->halt_told = false;
    device->mover_until_ns = now_ns + mover->hold_ns;
}
