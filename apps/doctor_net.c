/*
 * doctor_net.c - troupe doctor: sockets of this machine, the ports of robots, the server in
 * TROUPE_URL.
 *
 * Everything is tried for real, on a loop of its own and with a deadline: a listener that echoes
 * and a stream that asks it; a stream to each port that waits for a greeting.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "called.h"
#include "doctor.h"
#include "output.h"
#include "troupe/client.h"
#include "troupe/stream.h"

enum { FIRST_PORT = 6665, LAST_PORT = 6669, GREETING = 32 };

#define PATIENCE_NS (2 * TP_NS_PER_S)

/* One attempt. It is over when `done` is set; `why` is empty if it went well. */
struct attempt {
    tp_loop *loop;         /* owned */
    tp_timer *deadline;    /* owned */
    tp_listener *listener; /* owned; NULL if it asks somebody else */
    tp_stream *asking;     /* owned */
    tp_stream *answering;  /* owned; the listener's side */
    char echo[8];          /* what the listener's side got */
    char bytes[GREETING];  /* what has come back */
    size_t length;
    size_t wanted; /* bytes, to be done */
    bool connected;
    bool done;
    char why[sizeof((tp_error){0}).text];
};

static void end_attempt(struct attempt *a, const char *why)
{
    snprintf(a->why, sizeof a->why, "%s", why);
    a->done = true;
}

/* ---- The side that echoes -------------------------------------------------------------------- */

static void echo_room(void *context, void **bytes, size_t *length)
{
    struct attempt *a = context;

    *bytes = a->echo;
    *length = sizeof a->echo;
}

static void echo_read(void *context, size_t length)
{
    struct attempt *a = context;

    tp_stream_try_write(a->answering, &(tp_piece){a->echo, length}, 1);
}

static void ignore_written(void *context)
{
    (void)context;
}

static void echo_end(void *context, tp_status status)
{
    (void)context;
    (void)status;
}

static const tp_stream_events echo_events = {
    .room = echo_room,
    .read = echo_read,
    .written = ignore_written,
    .end = echo_end,
};

static void accept_one(void *context, tp_stream *stream)
{
    struct attempt *a = context;

    if (a->answering != NULL || tp_stream_start(stream, &echo_events, a) != TP_OK) {
        tp_stream_close(stream);
        return;
    }
    a->answering = stream;
}

/* ---- The side that asks ---------------------------------------------------------------------- */

static void ask_room(void *context, void **bytes, size_t *length)
{
    struct attempt *a = context;

    *bytes = a->bytes + a->length;
    *length = sizeof a->bytes - a->length;
}

static void ask_read(void *context, size_t length)
{
    struct attempt *a = context;

    a->length += length;
    if (a->length >= a->wanted) {
        end_attempt(a, "");
        tp_stream_pause(a->asking);
    }
}

static void ask_end(void *context, tp_status status)
{
    struct attempt *a = context;

    (void)status;
    end_attempt(a, "the connection was closed");
}

static const tp_stream_events ask_events = {
    .room = ask_room,
    .read = ask_read,
    .written = ignore_written,
    .end = ask_end,
};

static void ask_connected(void *context, tp_stream *stream, tp_status status)
{
    struct attempt *a = context;
    tp_error err = {0};

    if (status != TP_OK) {
        tp_stream_error(stream, &err);
        end_attempt(a, err.text);
        return;
    }
    a->connected = true;
    if (tp_stream_start(stream, &ask_events, a) != TP_OK) {
        end_attempt(a, "cannot read");
    } else if (a->listener != NULL) {
        tp_stream_try_write(stream, &(tp_piece){"hello", 5}, 1);
    }
}

static void too_late(void *context)
{
    end_attempt(context, "no answer in time");
}

/* Connect and wait for `wanted` bytes, from the listener if there is one. */
static void attempt_run(struct attempt *a, const char *address, size_t wanted)
{
    tp_error err = {0};

    a->wanted = wanted;
    if (tp_timer_create(&a->deadline, a->loop, too_late, a, &err) != TP_OK ||
        tp_stream_connect(&a->asking, a->loop, address, ask_connected, a, &err) != TP_OK) {
        end_attempt(a, err.text);
        return;
    }
    tp_timer_at(a->deadline, tp_clock_now_ns(tp_clock_real()) + PATIENCE_NS);
    while (!a->done) {
        tp_loop_turn(a->loop, true);
    }
}

static bool attempt_init(struct attempt *a)
{
    tp_error err = {0};

    memset(a, 0, sizeof *a);
    if (tp_loop_create(&a->loop, tp_clock_real(), &err) != TP_OK) {
        end_attempt(a, err.text);
    }
    return a->loop != NULL;
}

static void attempt_fini(struct attempt *a)
{
    if (a->loop != NULL) {
        tp_stream_close(a->asking);
        tp_stream_close(a->answering);
        tp_listener_close(a->listener);
        tp_timer_destroy(a->deadline);
        tp_loop_destroy(a->loop);
    }
}

/* ---- Sockets of this machine ----------------------------------------------------------------- */

static void look_at_echo(struct doctor *doctor, const char *what, const char *place,
                         const char *advice)
{
    struct attempt a;
    char address[128];
    tp_error err = {0};

    if (attempt_init(&a)) {
        if (tp_listener_open(&a.listener, a.loop, place, accept_one, &a, &err) != TP_OK) {
            end_attempt(&a, err.text);
        } else {
            snprintf(address, sizeof address, "tcp:127.0.0.1:%u", tp_listener_port(a.listener));
            const int64_t start = tp_clock_now_ns(tp_clock_real());
            attempt_run(&a, tp_listener_port(a.listener) != 0 ? address : place, 5);
            const double took_us = (double)(tp_clock_now_ns(tp_clock_real()) - start) / 1e3;
            if (a.why[0] == '\0') {
                doctor_report(doctor, DOCTOR_OK, "%s (connected and answered in %.0f us)", what,
                              took_us);
            }
        }
    }
    if (a.why[0] != '\0') {
        doctor_report(doctor, DOCTOR_PROBLEM, "%s: %s", what, a.why);
        doctor_advise("%s", advice);
    }
    attempt_fini(&a);
}

void doctor_check_sockets(struct doctor *doctor)
{
    const char *folder = getenv("TMPDIR");
    char path[96];

    look_at_echo(doctor, "TCP on 127.0.0.1", "tcp:127.0.0.1:0",
                 "is the loopback interface up? ip link set lo up");
    snprintf(path, sizeof path, "unix:%.60s/troupe-doctor-%llx",
             folder != NULL && folder[0] != '\0' ? folder : "/tmp",
             (unsigned long long)tp_clock_now_ns(tp_clock_real()));
    look_at_echo(doctor, "unix sockets", path,
                 "may you write to that folder? TMPDIR names another");
}

/* ---- The ports of robots --------------------------------------------------------------------- */

/* A server that greets like a Player server: find out which one it is. */
static void name_server(struct doctor *doctor, unsigned port, const char *url)
{
    const tp_client_options options = {.name = "troupe doctor", .stay_lost = true};
    tp_client *client = NULL;
    tp_client_device *devices = NULL;
    size_t count = 0;
    tp_error err = {0};

    if (tp_client_connect(&client, url, &options, &err) == TP_OK &&
        tp_client_list(client, &devices, &count, &err) == TP_OK) {
        doctor_report(doctor, DOCTOR_OK, "port %u: a %s server with %zu device%s", port,
                      tp_client_is_troupe(client) ? "Troupe" : "Player", count,
                      output_plural(count));
    } else {
        doctor_report(doctor, DOCTOR_WARNING,
                      "port %u: a server that greets but does not answer: %s", port, err.text);
        doctor_advise("it may hang; start it again");
    }
    free(devices);
    tp_client_destroy(client);
}

/* Nobody answers there; is it free? */
static void try_listening(struct doctor *doctor, struct attempt *a, unsigned port,
                          const char *address)
{
    tp_error err = {0};

    if (tp_listener_open(&a->listener, a->loop, address, accept_one, a, &err) == TP_OK) {
        doctor_report(doctor, DOCTOR_OK, "port %u is free", port);
        return;
    }
    doctor_report(doctor, DOCTOR_WARNING, "port %u: %s", port, err.text);
    doctor_advise("take another one: %s run FILE.cfg --port PORT", called());
}

static void look_at_port(struct doctor *doctor, unsigned port)
{
    struct attempt a;
    char address[64];

    snprintf(address, sizeof address, "tcp:127.0.0.1:%u", port);
    if (attempt_init(&a)) {
        attempt_run(&a, address, GREETING);
        if (!a.connected) {
            try_listening(doctor, &a, port, address);
        } else if (a.why[0] == '\0' && memcmp(a.bytes, "Player v.", 9) == 0) {
            name_server(doctor, port, address);
        } else {
            doctor_report(doctor, DOCTOR_WARNING,
                          "port %u is used by something that is no server of "
                          "robots",
                          port);
            doctor_advise("take another one: %s run FILE.cfg --port PORT", called());
        }
    }
    attempt_fini(&a);
}

void doctor_check_ports(struct doctor *doctor)
{
    for (unsigned port = FIRST_PORT; port <= LAST_PORT; port++) {
        look_at_port(doctor, port);
    }
}

/* ---- The server in TROUPE_URL ---------------------------------------------------------------- */

void doctor_check_server(struct doctor *doctor)
{
    const char *url = getenv("TROUPE_URL");
    const tp_client_options options = {.name = "troupe doctor", .stay_lost = true};
    tp_client *client = NULL;
    tp_error err = {0};

    if (url == NULL || url[0] == '\0') {
        doctor_report(doctor, DOCTOR_OK, "TROUPE_URL is not set: commands talk to localhost:6665");
        return;
    }
    if (tp_client_connect(&client, NULL, &options, &err) == TP_OK) {
        doctor_report(doctor, DOCTOR_OK, "TROUPE_URL is %s: a %s server answers there", url,
                      tp_client_is_troupe(client) ? "Troupe" : "Player");
    } else {
        doctor_report(doctor, DOCTOR_PROBLEM, "TROUPE_URL is %s, but: %s", url, err.text);
        doctor_advise("start the server, or name another one: export TROUPE_URL=HOST:PORT");
    }
    tp_client_destroy(client);
}
