/*
 * connect.c - connecting, losing the connection, connecting again; the clock and the lease.
 *
 * The pulse asks for the server's time about once a second. That also renews the lease, so it stops
 * when nobody attends to the client (troupe/client.h says when that is).
 */
#include <stdio.h>
#include <string.h>

#include "client/motion/inside.h"
#include "platform/secret.h"

static const int64_t FIRST_BACKOFF_NS = 100 * TP_NS_PER_MS;
static const int64_t LAST_BACKOFF_NS = 2 * TP_NS_PER_S;
static const int64_t LONGEST_GREETING_NS = 60 * TP_NS_PER_S;
static const int64_t SHORTEST_PULSE_NS = 20 * TP_NS_PER_MS;
enum { SECOND_TRIES = 5 };

int64_t tpi_mclient_now_ns(const tp_motion *m)
{
    return tp_clock_now_ns(tp_loop_clock(m->loop));
}

static int64_t greeting_time(const tp_motion *m)
{
    return m->options.timeout_ns < LONGEST_GREETING_NS ? m->options.timeout_ns
                                                       : LONGEST_GREETING_NS;
}

static void end_probe(tp_motion *m)
{
    tpi_probe_end(m->contact.probe);
    m->contact.probe = NULL;
}

/* ---- Lost ------------------------------------------------------------------------------------ */

static void try_again_later(tp_motion *m, bool was_connected)
{
    tpi_mclient_contact *c = &m->contact;
    const int64_t now_ns = tpi_mclient_now_ns(m);

    if (was_connected && now_ns - c->connected_ns >= LAST_BACKOFF_NS) {
        c->backoff_ns = FIRST_BACKOFF_NS;
    }
    tp_timer_at(c->watch, now_ns + c->backoff_ns);
    c->backoff_ns = c->backoff_ns * 2 < LAST_BACKOFF_NS ? c->backoff_ns * 2 : LAST_BACKOFF_NS;
}

/* Nothing is resumed: the mode is the usual one again. */
static void is_down(tp_motion *m, tp_status code, const char *why)
{
    const bool was_connected = m->state == TPI_MCLIENT_CONNECTED;

    m->state = TPI_MCLIENT_LOST;
    m->losses += was_connected;
    m->mode = TP_MOTION_DIRECT;
    m->delay_ns = 0;
    m->second_ready = false;
    tp_fail(&m->why, code, "%s", why);
    tpi_link_close(&m->first);
    tpi_link_close(&m->second);
    tpi_greet_fini(&m->greeting);
    end_probe(m);
    tp_timer_cancel(m->contact.watch);
    tp_timer_cancel(m->contact.pulse);
    if (!m->contact.gives_up) {
        try_again_later(m, was_connected);
    }
    if (!m->contact.told) {
        const tp_error told = m->why; /* the program may do something that changes it */

        m->contact.told = true;
        if (m->options.changed != NULL) {
            m->options.changed(m->options.context, m, told.text);
        }
    }
}

static void first_lost(tp_motion *m, const char *why)
{
    is_down(m, TP_E_CLOSED, why);
}

/* A bad network may be silent for as long as the lease: the connection is not given up before. */
static void be_patient(const tp_motion *m, const tpi_link *link)
{
    const uint64_t needed_s = m->met.welcome.lease_us / 4 * 5 / 1000000 + 1;

    if (needed_s > TP_STREAM_PATIENCE_S && needed_s < UINT32_MAX) {
        tp_stream_set_patience(link->stream, (unsigned)needed_s);
    }
}

/* ---- The second connection ------------------------------------------------------------------- */

static void second_lost(tp_motion *m, const char *why)
{
    (void)why;
    m->second_ready = false;
    m->contact.second_tries++;
    m->contact.second_ns = tpi_mclient_now_ns(m) + LAST_BACKOFF_NS;
}

static void open_second(tp_motion *m)
{
    if (m->options.single || m->second.stream != NULL || m->state != TPI_MCLIENT_CONNECTED ||
        m->contact.second_tries >= SECOND_TRIES || tpi_mclient_now_ns(m) < m->contact.second_ns) {
        return;
    }
    if (tpi_link_open(&m->second, NULL) != TP_OK) {
        second_lost(m, NULL);
    }
}

static void second_made(tp_motion *m)
{
    m->second_greeting = (tpi_greet){.lease_us = m->greeting.lease_us};
    memcpy(m->second_greeting.name, m->met.name, sizeof m->met.name);
    memcpy(m->second_greeting.token, m->met.welcome.token, sizeof m->met.welcome.token);
    (void)tpi_greet_begin(&m->second_greeting, &m->second.talk, tpi_mclient_now_ns(m), NULL);
}

static void second_took(tp_motion *m, const tpi_motion_record *record)
{
    if (m->second_ready) {
        tpi_mclient_answered(m, record);
        return;
    }
    const tp_status status =
        tpi_greet_take(&m->second_greeting, &m->second.talk, record, tpi_mclient_now_ns(m), NULL);
    if (status == TP_OK) {
        m->second_ready = true;
        m->contact.second_tries = 0;
        be_patient(m, &m->second);
    } else if (status != TP_PENDING) {
        tpi_link_close(&m->second);
        second_lost(m, NULL);
    }
}

/* ---- The clock and the lease ----------------------------------------------------------------- */

/* A third of the lease, so that two words may be late. */
static void next_pulse(tp_motion *m)
{
    const int64_t third = (int64_t)(m->met.welcome.lease_us / 3) * TP_NS_PER_US;
    int64_t pause = tpi_sync_pause_ns(&m->met.sync);

    pause = third > 0 && third < pause ? third : pause;
    pause = pause > SHORTEST_PULSE_NS ? pause : SHORTEST_PULSE_NS;
    tp_timer_at(m->contact.pulse, tpi_mclient_now_ns(m) + pause);
}

static void pulse(void *context)
{
    tp_motion *m = context;

    if (m->state != TPI_MCLIENT_CONNECTED) {
        return;
    }
    if (tpi_mclient_is_attended(m) && !m->first.blocked) {
        (void)tpi_greet_ask_time(&m->met, &m->first.talk, tpi_mclient_now_ns(m), NULL);
        tpi_link_flush(&m->first);
    }
    open_second(m);
    next_pulse(m);
}

/* ---- Made ------------------------------------------------------------------------------------ */

static void is_up(tp_motion *m)
{
    tpi_greet_fini(&m->met);
    m->met = m->greeting;
    m->greeting.robot = NULL;
    m->state = TPI_MCLIENT_CONNECTED;
    m->panicked = m->met.welcome.panicked != 0;
    m->epoch = m->met.welcome.epoch;
    m->contact.connected_ns = tpi_mclient_now_ns(m);
    m->contact.told = false;
    m->contact.second_tries = 0;
    m->contact.second_ns = 0;
    end_probe(m);
    tp_timer_cancel(m->contact.watch);
    be_patient(m, &m->first);
    open_second(m);
    next_pulse(m);
    if (m->options.changed != NULL) {
        m->options.changed(m->options.context, m, NULL);
    }
    if (m->panicked && m->options.panicked != NULL) {
        m->options.panicked(m->options.context, m, m->epoch);
    }
}

static void first_took(tp_motion *m, const tpi_motion_record *record)
{
    const int64_t now_ns = tpi_mclient_now_ns(m);
    tp_error err = {0};
    char why[sizeof err.text + 64];

    if (m->state == TPI_MCLIENT_CONNECTED) {
        if (!tpi_greet_synced(&m->met, record, now_ns)) {
            tpi_mclient_answered(m, record);
        }
        return;
    }
    const tp_status status = tpi_greet_take(&m->greeting, &m->first.talk, record, now_ns, &err);
    if (status == TP_OK) {
        is_up(m);
    } else if (status != TP_PENDING) {
        m->contact.gives_up = m->contact.gives_up || status == TP_E_DENIED;
        (void)snprintf(why, sizeof why, "%s: %s", m->url,
                       err.text[0] != '\0' ? err.text : tp_status_text(status));
        is_down(m, status, why);
    }
}

static tp_status prove(void *context, uint8_t digest[32], const uint8_t nonce[32])
{
    const tp_motion *m = context;

    return tpi_secret_proof(digest, m->key, strlen(m->key), nonce, 32);
}

/* A motion server that is only slow closes the connection of the probe without a word. */
static void on_found(void *context, tpi_peer what)
{
    tp_motion *m = context;
    tp_error err;

    if (what != TPI_PEER_PAGE) {
        return;
    }
    m->entered++;
    tp_fail(&err, TP_E_CLOSED,
            "%s: this is a page for browsers and no motion server; timed motion has a port of its "
            "own, 7665 if nothing else is said",
            m->url);
    is_down(m, err.code, err.text);
    m->entered--;
}

static void first_made(tp_motion *m)
{
    (void)tpi_greet_begin(&m->greeting, &m->first.talk, tpi_mclient_now_ns(m), NULL);
    if (m->contact.gives_up) { /* else it has been right once */
        m->contact.probe = tpi_probe_begin(m->loop, m->url, on_found, m);
    }
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static tp_status begin(tp_motion *m, tp_error *err)
{
    const char *name = m->options.name != NULL ? m->options.name : "a program";

    tpi_greet_fini(&m->greeting);
    m->greeting = (tpi_greet){.lease_us = (uint64_t)m->options.lease_ns / 1000,
                              .prove = m->key != NULL ? prove : NULL,
                              .context = m};
    tpi_motion_name_put(m->greeting.name, name);
    m->state = TPI_MCLIENT_GREETING;
    tp_timer_at(m->contact.watch, tpi_mclient_now_ns(m) + greeting_time(m));
    const tp_status status = tpi_link_open(&m->first, err);
    if (status != TP_OK) {
        m->state = TPI_MCLIENT_LOST;
        tp_timer_cancel(m->contact.watch);
    }
    return status;
}

tp_status tpi_mclient_begin(tp_motion *m, bool once, tp_error *err)
{
    m->contact.gives_up = once || m->options.stay_lost;
    m->contact.told = once;
    return begin(m, err);
}

static void watch(void *context)
{
    tp_motion *m = context;
    tp_error err = {0};

    m->entered++;
    if (m->state == TPI_MCLIENT_GREETING) {
        (void)snprintf(err.text, sizeof err.text, "%s: the server did not answer in time", m->url);
        is_down(m, TP_E_TIMEOUT, err.text);
    } else if (m->state == TPI_MCLIENT_LOST && begin(m, &err) != TP_OK) {
        is_down(m, err.code, err.text);
    }
    m->entered--;
}

tp_status tpi_mclient_contact_init(tp_motion *m, tp_error *err)
{
    m->first = (tpi_link){.motion = m, .took = first_took, .made = first_made, .lost = first_lost};
    m->second =
        (tpi_link){.motion = m, .took = second_took, .made = second_made, .lost = second_lost};
    m->contact.backoff_ns = FIRST_BACKOFF_NS;
    tp_fail(&m->why, TP_E_CLOSED, "%s: it is not connected yet", m->url);
    const tp_status status = tp_timer_create(&m->contact.watch, m->loop, watch, m, err);
    return status == TP_OK ? tp_timer_create(&m->contact.pulse, m->loop, pulse, m, err) : status;
}

void tpi_mclient_contact_fini(tp_motion *m)
{
    end_probe(m);
    tpi_link_close(&m->first);
    tpi_link_close(&m->second);
    tpi_talk_fini(&m->first.talk);
    tpi_talk_fini(&m->second.talk);
    tpi_greet_fini(&m->greeting);
    tpi_greet_fini(&m->met);
    tp_timer_destroy(m->contact.watch);
    tp_timer_destroy(m->contact.pulse);
}
