/*
 * requests.c - how long a request takes while a server records; see requests.h.
 *
 * A server with a fake robot has a client that reads its laser and its position all the time and
 * asks for its geometry. In turns the server records both devices or not: the loop must not wait
 * for the disk.
 */
#include "requests.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../bench.h"
#include "../server/spread.h"
#include "base/text.h"
#include "troupe/client/laser.h"
#include "troupe/client/position2d.h"
#include "troupe/client/recordings.h"
#include "troupe/clock.h"
#include "troupe/server.h"

enum { ROUNDS = 10, REQUESTS = 5000 };

struct client {
    tp_client *client;
    tp_proxy *base, *laser, *recordings;
};

static void *serve(void *server)
{
    tp_server_run(server);
    return NULL;
}

static void check(tp_status status, const tp_error *err)
{
    if (status != TP_OK) {
        bench_give_up("%s", err->text);
    }
}

static void connect_to(struct client *c, const tp_server *server)
{
    unsigned robot = 0, port = 0;
    char url[64];
    tp_error err = {.text = ""};

    (void)tp_server_port(server, 0, &robot, &port);
    (void)snprintf(url, sizeof url, "localhost:%u", port);
    check(tp_client_connect(&c->client, url, NULL, &err), &err);
    check(tp_position2d_open(c->client, 0, &c->base, &err), &err);
    check(tp_laser_open(c->client, 0, &c->laser, &err), &err);
    check(tp_recordings_open(c->client, 0, &c->recordings, &err), &err);
}

static void ask(struct client *c, bench_spread *out)
{
    const tp_position2d_geom *geom = NULL;
    tp_error err = {.text = ""};

    for (int i = 0; i < REQUESTS; i++) {
        const int64_t start_ns = tp_clock_now_ns(tp_clock_real());
        check(tp_position2d_request_get_geom(c->base, &geom, &err), &err);
        spread_add(out, tp_clock_now_ns(tp_clock_real()) - start_ns);
    }
}

/* The best round counts: other work of the machine only ever slows. */
static void keep_best(double *p99_us, double *median_us, const bench_spread *round)
{
    const double p99 = spread_quantile(round, 0.99) * 1e-3;

    if (*p99_us <= 0 || p99 < *p99_us) {
        *p99_us = p99;
        *median_us = spread_quantile(round, 0.5) * 1e-3;
    }
}

/* A round with recording. */
static unsigned long long ask_while_it_records(struct client *c, bench_spread *out)
{
    tp_recordings_name name = {0};
    const tp_recordings_state *state = NULL;
    tp_error err = {.text = ""};

    name.name = tpi_text_field("", &name.name_count);
    check(tp_recordings_request_record(c->recordings, &name, &err), &err);
    ask(c, out);
    check(tp_recordings_request_state(c->recordings, &state, &err), &err);
    const unsigned long long messages = (unsigned long long)state->messages;
    check(tp_recordings_request_stop(c->recordings, &err), &err);
    return messages;
}

log_requests log_requests_measure(const char *path)
{
    tp_server *server = NULL;
    struct client c = {NULL};
    pthread_t thread;
    char text[512];
    tp_error err = {.text = ""};
    log_requests out = {0};

    (void)snprintf(text, sizeof text,
                   "driver ( name \"fake\" provides [ \"position2d:0\" \"laser:0\" ] rate 200 )\n"
                   "driver ( name \"log\" requires [ \"position2d:0\" \"laser:0\" ] provides [ "
                   "\"recordings:0\" ] filename \"%s\" autorecord no )\n",
                   path);
    const tp_server_options options = {.size = sizeof options,
                                       .text = text,
                                       .path = "bench.cfg",
                                       .any_port = true,
                                       .kit = &tp_full_kit};
    check(tp_server_create(&server, &options, &err), &err);
    tp_server_begin(server);
    if (pthread_create(&thread, NULL, serve, server) != 0) {
        bench_give_up("no thread");
    }
    connect_to(&c, server);
    for (int i = 0; i < ROUNDS; i++) {
        static bench_spread idle, records;
        idle = records = (bench_spread){0};
        ask(&c, &idle);
        out.messages += ask_while_it_records(&c, &records);
        (void)remove(path);
        keep_best(&out.idle_us, &out.idle_median_us, &idle);
        keep_best(&out.records_us, &out.records_median_us, &records);
    }
    tp_client_destroy(c.client);
    tp_server_stop(server);
    (void)pthread_join(thread, NULL);
    tp_server_destroy(server);
    (void)remove(path);
    return out;
}
