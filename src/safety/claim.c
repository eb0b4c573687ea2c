/*
 * claim.c - the mover of a device, for how long, and which writers that keeps out. The loop's.
 *
 * The last mover counts. Its lease is written here; the thread of the instance waits for the end of
 * the lease and stops the device (stop.c). A mover keeps writers of a lower rank out until some
 * time after its last move. A device that moves nothing belongs to its last writer.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "safety/rank.h"
#include "safety/safety.h"

static int64_t now_ns(const tpi_device_safety *device)
{
    return tp_clock_now_ns(tp_loop_clock(device->instance->loop));
}

static void assert_owner(const tpi_device_safety *device)
{
    assert(tp_loop_is_current(device->instance->loop));
    (void)device;
}

/* ---- Leases ---------------------------------------------------------------------------------- */

/* So much time from now, 0 or less for unlimited. */
static int64_t in(const tpi_device_safety *device, int64_t time_ns)
{
    const int64_t now = now_ns(device);

    return time_ns <= 0 || time_ns > TPI_LEASE_UNLIMITED - now ? TPI_LEASE_UNLIMITED
                                                               : now + time_ns;
}

/* The end of the lease after a message of the mover that has come now. */
static int64_t end_of(tpi_device_safety *device, int64_t lease_ns)
{
    const int64_t end_ns = in(device, lease_ns);

    device->heard_ns = now_ns(device);
    device->limited = end_ns > device->lease_limit_ns;
    return device->limited ? device->lease_limit_ns : end_ns;
}

static void set_mover(tpi_device_safety *device, const tpi_mover *mover)
{
    device->mover = *mover;
    if (mover->label != NULL && strcmp(device->label, mover->label) != 0) {
        (void)snprintf(device->label, sizeof device->label, "%s", mover->label);
    }
    device->mover.label = device->label;
    device->labelled = device->mover;
}

static void take_lease(tpi_device_safety *device, const tpi_claim *claim, unsigned epoch)
{
    set_mover(device, &claim->mover);
    device->takes++;
    device->taken_epoch = epoch;
    device->stands = false;
    device->lease_limit_ns = in(device, claim->valid_ns);
    atomic_store(&device->leaving, TPI_LEAVING_SILENT);
    atomic_store(&device->silence_ns, claim->silence_ns);
    tpi_lease_extend(&device->lease, end_of(device, claim->lease_ns));
    tpi_safety_arm(device->instance);
}

static void take_rank(tpi_device_safety *device, const tpi_claim *claim)
{
    set_mover(device, &claim->mover);
    device->rank = claim->rank;
    device->halt_reported = false;
    device->rank_until_ns = now_ns(device) + claim->hold_ns;
}

/* When a message that takes no lease is too old: after the time that a lease of its sender has. */
static int64_t too_old_ns(const tpi_device_safety *device, const tpi_claim *claim)
{
    const int64_t lease_ns = in(device, claim->lease_ns);
    const int64_t valid_ns = in(device, claim->valid_ns);

    return tpi_smaller(lease_ns, valid_ns);
}

/* Before the message is handed over, so that the worker finds the lease when it finds the message.
 */
void tpi_claim_take(tpi_device_safety *device, const tp_message *what, const tpi_claim *claim,
                    unsigned epoch, tpi_order *order)
{
    assert_owner(device);
    *order = (tpi_order){.epoch = epoch, .takes = device->takes, .until_ns = TP_NEVER};
    if (what->effect == TP_EFFECT_MOVES) {
        order->mover = claim->mover;
        take_lease(device, claim, epoch);
        order->until_ns = end_of(device, claim->lease_ns);
    } else if (tpi_safety_effect(device, what) == TP_EFFECT_ACTUATES) {
        order->until_ns = too_old_ns(device, claim);
    }
    if (claim->until_ns > 0) {
        order->until_ns = tpi_smaller(claim->until_ns, order->until_ns);
    }
    if (tpi_mover_exists(&claim->mover) && what->effect != TP_EFFECT_READS &&
        (!device->moves || what->effect == TP_EFFECT_MOVES)) {
        take_rank(device, claim);
    }
}

void tpi_claim_grant(tpi_device_safety *device, const tpi_claim *claim, unsigned epoch,
                     const tpi_lease *granted)
{
    assert_owner(device);
    take_lease(device, claim, epoch);
    take_rank(device, claim);
    device->granted = granted;
}

void tpi_claim_end_grant(tpi_device_safety *device)
{
    assert_owner(device);
    device->granted = NULL;
}

void tpi_claim_renew(tpi_device_safety *device, const tpi_mover *mover, int64_t lease_ns)
{
    assert_owner(device);
    if (!tpi_mover_equal(&device->mover, mover)) {
        return;
    }
    const int64_t before_ns = tpi_lease_deadline(&device->lease);
    const int64_t ends_ns = end_of(device, lease_ns);
    tpi_lease_renew(&device->lease, now_ns(device), ends_ns);
    if (ends_ns < before_ns && tpi_lease_deadline(&device->lease) == ends_ns) {
        tpi_safety_wake(device->instance); /* it waits for the later time */
    }
}

void tpi_claim_leave(tpi_device_safety *device, const tpi_mover *mover, tpi_leaving why)
{
    assert_owner(device);
    if (tpi_mover_equal(&device->mover, mover)) {
        device->mover = (tpi_mover){0};
        atomic_store(&device->leaving, why); /* before the worker can find the lease over */
        tpi_lease_end(&device->lease);
        tpi_safety_wake(device->instance);
    }
}

void tpi_claim_drop(tpi_device_safety *device, const tpi_mover *mover)
{
    assert_owner(device);
    if (tpi_mover_equal(&device->mover, mover)) {
        device->mover = (tpi_mover){0};
    }
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* A grant holds the device for as long as its lease; one without a limit, as the last move does. */
static int64_t held_until_ns(const tpi_device_safety *device, int64_t now)
{
    if (device->granted == NULL) {
        return device->rank_until_ns;
    }
    const int64_t ends_ns = tpi_lease_deadline(device->granted);
    return tpi_larger(ends_ns == TP_NEVER ? now + TPI_RANK_HOLD_NS : ends_ns,
                      device->rank_until_ns);
}

double tpi_claim_rank_left_s(const tpi_device_safety *device)
{
    const int64_t now = now_ns(device);
    const int64_t until_ns = held_until_ns(device, now);

    return tpi_mover_exists(&device->mover) && until_ns > now
               ? (double)(until_ns - now) / (double)TP_NS_PER_S
               : 0;
}

tp_status tpi_claim_check(const tpi_device_safety *device, const tp_message *what,
                          const tpi_claim *claim, tp_error *err)
{
    assert_owner(device);
    if (what->effect == TP_EFFECT_READS || !tpi_mover_exists(&device->mover) ||
        tpi_mover_equal(&device->mover, &claim->mover) || device->rank <= claim->rank ||
        !(tpi_claim_rank_left_s(device) > 0)) {
        return TP_OK;
    }
    return tp_fail(err, TP_E_DENIED, "%s is held by %s, rank %ld over %ld, for another %.1f s",
                   device->name, device->label, (long)device->rank, (long)claim->rank,
                   tpi_claim_rank_left_s(device));
}

/* ---- The last mover ----------------------------------------------------------------------------
 */

void tpi_claim_look_back(const tpi_device_safety *device, const tpi_mover *mover,
                         tpi_claim_past *out)
{
    assert_owner(device);
    *out = (tpi_claim_past){0};
    if (tpi_mover_equal(&device->labelled, mover) && device->label[0] != '\0') {
        out->label = device->label;
        out->silent_ns = now_ns(device) - device->heard_ns;
        out->ran_out = device->limited;
    }
}

/* ---- Whether it moves ------------------------------------------------------------------------ */

/* If it was moved after the request was sent, it still is. */
void tpi_claim_stopped(tpi_device_safety *device, const tpi_order *order)
{
    assert_owner(device);
    device->stands = device->stands || order->takes == device->takes;
}

void tpi_claim_stopped_whole(tpi_device_safety *device)
{
    assert_owner(device);
    device->stands = true;
}

bool tpi_claim_is_moved(const tpi_device_safety *device)
{
    assert_owner(device);
    return tpi_mover_exists(&device->mover) && !device->stands &&
           !tpi_safety_panicked_since(device->instance, device->taken_epoch) &&
           tpi_lease_is_held(&device->lease, now_ns(device));
}

double tpi_claim_lease_left_s(const tpi_device_safety *device)
{
    const int64_t now = now_ns(device);
    const int64_t ends_ns = tpi_lease_deadline(&device->lease);

    return ends_ns != TP_NEVER && ends_ns > now ? (double)(ends_ns - now) / (double)TP_NS_PER_S : 0;
}
