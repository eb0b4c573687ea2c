/*
 * confirm.c - final signals wait until devices have carried out what they report.
 *
 * The engine plans ahead. When it ends a motion, the last set-points still have to be written: the
 * device can refuse them, hang, or never be granted. SUCCESS and MODIFIED of a command are sent
 * when its outputs have confirmed everything up to its end. The answers of a client stay in order.
 */
#include <stdio.h>
#include <string.h>

#include "motion/inside.h"

static tpi_motion_pending *pending_at(const tpi_motion_client *client, uint32_t i)
{
    return &client->pending.at[(client->pending.first + i) % TPI_MOTION_PENDING];
}

static void send(tpi_motion_engine *e, tpi_motion_client *client, tpi_motion_pending *p)
{
    tpi_motion_summary summary = p->summary;

    if (!p->sums_up) {
        tpi_motion_signal_end(e, client, &p->subject, p->signal, p->end_ns, p->text);
        return;
    }
    summary.signal = (uint8_t)p->signal;
    summary.text = p->text;
    summary.length = (uint16_t)strlen(p->text);
    tpi_motion_answer(e, client, TPI_MOTION_SUMMARY, 0, &summary, false);
}

static bool waits_for(const tpi_motion_engine *e, const tpi_motion_pending *p, uint16_t output)
{
    return (p->outputs >> output % 64 & 1) != 0 && e->outputs[output].confirmed_ns < p->end_ns;
}

static bool is_confirmed(const tpi_motion_engine *e, const tpi_motion_pending *p)
{
    for (uint16_t i = 0; i < e->robot.outputs; i++) {
        if (waits_for(e, p, i)) {
            return false;
        }
    }
    return true;
}

static bool has_pending(const tpi_motion_engine *e, uint32_t place)
{
    return e->clients[place] != NULL && e->briefs[place].confirm_ns != INT64_MAX;
}

/* Send what is confirmed, up to the first that is not. */
static void release(tpi_motion_engine *e, tpi_motion_client *client)
{
    while (client->pending.count > 0 && is_confirmed(e, pending_at(client, 0))) {
        send(e, client, pending_at(client, 0));
        client->pending.first = (client->pending.first + 1) % TPI_MOTION_PENDING;
        client->pending.count--;
        e->pending--;
    }
    tpi_motion_brief_of(e, client)->confirm_ns =
        client->pending.count > 0 ? pending_at(client, 0)->end_ns : INT64_MAX;
}

/* It will not be carried out. */
static void spoil(tpi_motion_engine *e, tpi_motion_pending *p, tpi_motion_signal signal,
                  const char *why)
{
    p->signal = signal > p->signal ? signal : p->signal;
    p->outputs = 0;
    p->end_ns = tpi_motion_track_present(e);
    (void)snprintf(p->text, sizeof p->text, "%s", why);
}

/* A place for the next one; the last of a full row is sent: too much waits for a device. */
static tpi_motion_pending *next_place(tpi_motion_engine *e, tpi_motion_client *client)
{
    if (client->pending.count == TPI_MOTION_PENDING) {
        tpi_motion_pending *last = pending_at(client, TPI_MOTION_PENDING - 1);

        spoil(e, last, TPI_MOTION_INTERRUPTED, "too many commands wait for the device");
        send(e, client, last);
        return last;
    }
    e->pending++;
    return pending_at(client, client->pending.count++);
}

void tpi_motion_confirm_signal(tpi_motion_engine *e, tpi_motion_client *client,
                               const tpi_motion_subject *subject, uint64_t outputs,
                               tpi_motion_signal signal, const char *text)
{
    const int64_t now = tpi_motion_track_present(e);

    if (!e->settings.confirms || signal > TPI_MOTION_MODIFIED || client->gone) {
        tpi_motion_signal_end(e, client, subject, signal, now, text);
        return;
    }
    tpi_motion_pending *p = next_place(e, client);
    p->outputs = outputs;
    p->end_ns = now;
    p->sums_up = false;
    p->signal = signal;
    p->subject = *subject;
    (void)snprintf(p->text, sizeof p->text, "%s", text);
    release(e, client);
}

void tpi_motion_confirm_summary(tpi_motion_engine *e, tpi_motion_client *client,
                                const tpi_motion_summary *summary)
{
    const uint32_t before = client->pending.count;

    if (before == 0) {
        tpi_motion_answer(e, client, TPI_MOTION_SUMMARY, 0, summary, false);
        return;
    }
    tpi_motion_pending *p = next_place(e, client);
    p->outputs = 0;
    for (uint32_t i = 0; i < before && summary->signal <= TPI_MOTION_MODIFIED; i++) {
        p->outputs |= pending_at(client, i)->outputs;
    }
    p->end_ns = tpi_motion_track_present(e);
    p->sums_up = true;
    p->signal = (tpi_motion_signal)summary->signal;
    p->summary = *summary;
    (void)snprintf(p->text, sizeof p->text, "%.*s", (int)summary->length, summary->text);
    release(e, client);
}

void tpi_motion_confirm_fail(tpi_motion_engine *e, uint16_t output, const char *why)
{
    for (uint32_t i = 0; i < e->settings.clients && e->pending > 0; i++) {
        tpi_motion_client *client = has_pending(e, i) ? e->clients[i] : NULL;

        for (uint32_t k = 0; client != NULL && k < client->pending.count; k++) {
            if (waits_for(e, pending_at(client, k), output)) {
                spoil(e, pending_at(client, k), TPI_MOTION_INTERRUPTED, why);
                client->hit = true;
            }
        }
        if (client != NULL) {
            release(e, client);
        }
    }
}

void tpi_motion_confirm_panic(tpi_motion_engine *e, const char *why)
{
    for (uint32_t i = 0; i < e->settings.clients && e->pending > 0; i++) {
        tpi_motion_client *client = has_pending(e, i) ? e->clients[i] : NULL;

        for (uint32_t k = 0; client != NULL && k < client->pending.count; k++) {
            if (!is_confirmed(e, pending_at(client, k))) {
                spoil(e, pending_at(client, k), TPI_MOTION_PANICKED, why);
            }
        }
        if (client != NULL) {
            release(e, client);
        }
    }
}

void tpi_motion_engine_confirm(tpi_motion_engine *engine, const int64_t *until_ns)
{
    for (uint16_t i = 0; i < engine->robot.outputs; i++) {
        tpi_motion_output *output = &engine->outputs[i];

        output->confirmed_ns =
            until_ns[i] > output->confirmed_ns ? until_ns[i] : output->confirmed_ns;
    }
    for (uint32_t i = 0; i < engine->settings.clients && engine->pending > 0; i++) {
        if (has_pending(engine, i)) {
            release(engine, engine->clients[i]);
        }
    }
}

int64_t tpi_motion_engine_unconfirmed(const tpi_motion_engine *engine)
{
    int64_t next = INT64_MAX;

    for (uint32_t i = 0; i < engine->settings.clients && engine->pending > 0; i++) {
        if (has_pending(engine, i) && engine->briefs[i].confirm_ns < next) {
            next = engine->briefs[i].confirm_ns;
        }
    }
    return next;
}
