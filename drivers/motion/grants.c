/*
 * grants.c - grants of devices: asked for, renewed, given back; and what becomes of commands that
 * were posted through them.
 *
 * A command that does not reach its device ends in a fault, whatever the reason: the client that
 * waits for it receives INTERRUPTED and the reason, and nothing stands still without a word.
 */
#include <stdio.h>

#include "motion.h"

static const int64_t RENEW_NS = 100 * TP_NS_PER_MS;
static const int64_t IDLE_NS = TP_NS_PER_S;      /* then the device is given back */
static const int64_t GRANT_NS = 3 * TP_NS_PER_S; /* commands wait so long for a grant */

static const int64_t ENDING_NS = 100 * TP_NS_PER_MS; /* a device says so long why it has ended */

/* ---- Asking ---------------------------------------------------------------------------------- */

/* Without real-time priority everything works, with more lateness on a busy machine. */
static void note_once(const struct output *output, const char *why)
{
    struct motion *m = output->motion;
    char text[256];

    if (why[0] != '\0' && !m->noted) {
        m->noted = true;
        (void)snprintf(text, sizeof text, "%.60s: timed commands are played without it: %s",
                       output->key, why);
        tp_instance_note(m->instance, text);
    }
}

static void granted(tp_instance *self, void *context, tp_status status, tp_grant *grant,
                    const char *why)
{
    struct device *d = context;
    const unsigned count = d->parked_count;

    (void)self;
    d->asked = false;
    d->grant = grant;
    d->missed = d->sent = 0;
    d->parked_count = 0;
    if (status != TP_OK) {
        tpi_motiond_rebind_refused(d->output, d, status, why);
        if (count > 0 && status != TP_E_PANIC) {
            tpi_motiond_device_fail(d->output, why);
        }
        tpi_motiond_turn(d->output->motion);
        return;
    }
    note_once(d->output, why);
    for (unsigned i = 0; i < d->output->count; i++) {
        d->positions[i] = d->states[i].position;
    }
    d->stepped_ns = count > 0 ? d->parked[0].due_ns : d->stepped_ns;
    for (unsigned i = 0; i < count; i++) {
        tpi_motiond_device_carry_out(d, &d->parked[i]);
    }
    d->moved_ns = count > 0 ? d->moved_ns : motion_now(d->output->motion);
    tpi_motiond_rebind_granted(d->output, d);
    tpi_motiond_turn(d->output->motion);
}

/* A lease ends only if this driver was held up. */
static void fail_for(struct output *output, tp_status status, const char *why)
{
    char text[sizeof output->fault];

    (void)snprintf(text, sizeof text, "%.100s%s", why,
                   status == TP_E_TIMEOUT ? ": the server was busy for longer (device_lease)" : "");
    tpi_motiond_device_fail(output, text);
}

static void ended(tp_instance *self, void *context, tp_grant *grant, tp_status status,
                  const char *why)
{
    struct device *d = context;

    (void)self;
    tp_grant_end(grant);
    d->grant = NULL;
    d->stepping = false;
    tpi_motiond_rebind_refused(d->output, d, status, why);
    if (status != TP_E_PANIC && d == output_device(d->output)) {
        fail_for(d->output, status, why);
    }
    tpi_motiond_turn(d->output->motion);
}

void tpi_motiond_device_ask(struct device *d)
{
    const tp_grant_options options = {
        .size = sizeof options,
        .capacity = MOST_POSTED,
        .value_size = sizeof(struct command),
        .lease_ns = d->output->motion->device_lease_ns,
        .realtime = d->output->motion->realtime,
        .done = granted,
        .ended = ended,
        .context = d,
    };

    if (d->grant != NULL || d->asked) {
        return;
    }
    d->asked = tp_link_grant(d->link, &options) == TP_OK;
    if (!d->asked) {
        d->parked_count = 0;
        tpi_motiond_device_fail(d->output, "the device cannot be granted");
    }
}

void tpi_motiond_grant_give_back(struct device *d)
{
    tp_grant_end(d->grant);
    d->grant = NULL;
    d->stepping = false;
    d->wish.what = TPI_MOTION_WRITE_STOP;
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* Find the first command that the device has not carried out. They are carried out in order of
 * time; if some were posted in another order, an earlier one is found. */
static void find_behind(struct device *d, const tp_grant_counts *counts)
{
    const uint64_t done = counts->played + counts->cancelled;

    for (uint64_t i = d->sent; i > done && d->sent - i < MOST_POSTED; i--) {
        const struct posted *at = &d->last[(i - 1) % MOST_POSTED];
        const int64_t wanted_ns = at->due_ns > at->at_ns ? at->due_ns : at->at_ns;

        d->behind_ns = at->due_ns < d->behind_ns ? at->due_ns : d->behind_ns;
        d->wanted_ns = wanted_ns < d->wanted_ns ? wanted_ns : d->wanted_ns;
    }
}

static void fail_busy(struct output *output, int64_t lease_ns)
{
    char why[sizeof output->fault];

    (void)snprintf(why, sizeof why,
                   "%.60s: the device was busy for over %.3g s, and a command became too old",
                   output->key, (double)lease_ns * 1e-9);
    tpi_motiond_device_fail(output, why);
}

/* A panic drops commands as well, and says so itself. */
void tpi_motiond_grant_look(struct device *d)
{
    struct output *output = d->output;
    tp_grant_counts counts;
    char why[sizeof output->fault];

    d->behind_ns = d->parked_count > 0 ? d->parked[0].due_ns : INT64_MAX;
    d->wanted_ns = INT64_MAX;
    if (d->grant == NULL) {
        return;
    }
    tp_grant_look(d->grant, &counts);
    find_behind(d, &counts);
    const uint64_t missed = counts.dropped_late + counts.refused;
    if (missed == d->missed || tp_instance_in_panic(output->motion->instance) ||
        d != output_device(output)) {
        return;
    }
    d->missed = missed;
    if (counts.dropped_late > 0) {
        fail_busy(output, tp_grant_lease_ns(d->grant));
        return;
    }
    (void)snprintf(why, sizeof why, "%.60s: the device refused a command", output->key);
    tpi_motiond_device_fail(output, why);
}

int64_t tpi_motiond_grant_confirmed(const struct output *output, int64_t now_ns)
{
    const struct device *d = output_device(output), *old = output->change.from;
    int64_t behind = d->behind_ns;

    if (output->fault[0] != '\0' || d->ends_ns != 0) {
        return INT64_MIN; /* what its device has not carried out is lost */
    }
    if (old != NULL && old->behind_ns < behind) {
        behind = old->behind_ns;
    }
    return behind <= now_ns ? behind - 1 : now_ns;
}

/* A device that hangs drops nothing, and does not say that it is late: it is not waited for any
 * longer than for one that drops what is too old. */
static void look_for_hang(const struct device *d, int64_t now_ns)
{
    const int64_t lease_ns = d->grant != NULL ? tp_grant_lease_ns(d->grant) : 0;

    if (lease_ns > 0 && d->wanted_ns < now_ns - lease_ns) {
        fail_busy(d->output, lease_ns);
    }
}

bool tpi_motiond_grant_renew(struct device *d, int64_t now_ns)
{
    char why[sizeof d->output->fault];

    if (tp_instance_in_panic(d->output->motion->instance)) {
        d->ends_ns = 0;
        return true;
    }
    if (d->grant == NULL || tp_grant_renew(d->grant) == TP_OK) {
        look_for_hang(d, now_ns);
        d->ends_ns = 0;
        return true;
    }
    d->ends_ns = d->ends_ns == 0 ? now_ns : d->ends_ns;
    if (now_ns - d->ends_ns < ENDING_NS) {
        return false;
    }
    (void)snprintf(why, sizeof why,
                   "%.60s: the grant of the device has ended, and it does not say why",
                   d->output->key);
    tpi_motiond_device_fail(d->output, why);
    return true;
}

/* A device that is busy may answer much later, or never. */
static void look_for_grant(const struct device *d, int64_t now_ns)
{
    char why[80];

    if (d->parked_count > 0 && now_ns - d->parked_ns >= GRANT_NS) {
        (void)snprintf(why, sizeof why, "%.40s: the device was not granted within %g s",
                       d->output->key, (double)GRANT_NS * 1e-9);
        tpi_motiond_device_fail(d->output, why);
    }
}

void tpi_motiond_grant_turn(struct device *d, int64_t now_ns)
{
    if (d->grant == NULL) {
        look_for_grant(d, now_ns);
        return;
    }
    if (d != output_device(d->output)) {
        tpi_motiond_grant_look(d);
        (void)tp_grant_renew(d->grant); /* ended() is called if it is too late */
    }
    if (tpi_motiond_device_is_at_rest(d) && now_ns - d->moved_ns > IDLE_NS &&
        d->behind_ns == INT64_MAX && d->output->change.ticket == NULL) {
        tpi_motiond_grant_give_back(d);
    }
}

int64_t tpi_motiond_grant_next(const struct device *d)
{
    if (d->grant == NULL) {
        return d->parked_count > 0 ? d->parked_ns + GRANT_NS : INT64_MAX;
    }
    const int64_t lease_ns = tp_grant_lease_ns(d->grant);

    return motion_now(d->output->motion) +
           (lease_ns > 0 && lease_ns / 4 < RENEW_NS ? lease_ns / 4 : RENEW_NS);
}
