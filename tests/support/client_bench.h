/* client_bench.h - a client and a server that does what the test wants, on one loop, on a clock
 * that stands still unless the test moves it. */
#ifndef TROUPE_TESTS_CLIENT_BENCH_H
#define TROUPE_TESTS_CLIENT_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/inside.h"
#include "support/fake_server.h"
#include "support/unit.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"

#define S TP_NS_PER_S

struct bench {
    tp_clock clock;
    int64_t now_ns;
    tp_loop *loop;
    fake_server server;
    tp_client_options options;
    tp_client *client;
    tp_error err;
    char trace[1024]; /* what the callbacks saw */
};

static inline int64_t bench_now(const tp_clock *clock)
{
    return ((const struct bench *)clock->context)->now_ns;
}

static inline double bench_wall(const tp_clock *clock)
{
    return (double)bench_now(clock) / (double)TP_NS_PER_S;
}

static inline void trace(struct bench *b, const char *format, ...) TP_PRINTF(2, 3);

static inline void trace(struct bench *b, const char *format, ...)
{
    const size_t length = strlen(b->trace);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(b->trace + length, sizeof b->trace - length, format, arguments);
    va_end(arguments);
}

static inline void assert_trace(struct bench *b, const char *wanted)
{
    assert_string_equal(b->trace, wanted);
    b->trace[0] = '\0';
}

static inline void assert_sent(struct bench *b, const char *wanted)
{
    assert_string_equal(fake_server_log(&b->server), wanted);
}

static inline void on_changed(void *context, tp_client *client, const char *why)
{
    struct bench *b = context;

    (void)client;
    trace(b, "%s%s;", why == NULL ? "made" : "lost: ", why == NULL ? "" : why);
}

static inline int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    b->clock = (tp_clock){.now_ns = bench_now, .wall_s = bench_wall, .context = b};
    b->now_ns = 1000 * S;
    assert_int_equal(tp_loop_create(&b->loop, &b->clock, &b->err), TP_OK);
    fake_server_begin(&b->server, b->loop);
    b->options =
        (tp_client_options){.loop = b->loop, .name = "test", .changed = on_changed, .context = b};
    *state = b;
    return 0;
}

static inline int tear_down(void **state)
{
    struct bench *b = *state;

    tp_client_destroy(b->client);
    fake_server_end(&b->server);
    tp_loop_destroy(b->loop);
    free(b);
    return 0;
}

static inline void connect_client(struct bench *b)
{
    tp_status status = tp_client_connect(&b->client, b->server.url, &b->options, &b->err);

    assert_string_equal(status == TP_OK ? "" : b->err.text, "");
    fake_server_log(&b->server);
    b->trace[0] = '\0';
}

static inline int set_up_connected(void **state)
{
    set_up(state);
    connect_client(*state);
    return 0;
}

/* A client of a plain Player server. */
static inline int set_up_plain(void **state)
{
    struct bench *b;

    set_up(state);
    b = *state;
    b->server.plain = true;
    connect_client(b);
    return 0;
}

static inline tp_proxy *open_device(struct bench *b, const char *name)
{
    tp_proxy *proxy = NULL;
    tp_status status = tp_client_open(b->client, name, TP_OPEN_MODE, &proxy, &b->err);

    assert_string_equal(status == TP_OK ? "" : b->err.text, "");
    fake_server_log(&b->server);
    return proxy;
}

/* Turns that do not wait: enough of them for whatever is on its way between the two. */
static inline void turn(struct bench *b)
{
    for (int i = 0; i < 10; i++) {
        tp_loop_turn(b->loop, false);
    }
}

static inline void wait_until(struct bench *b, const bool *flag)
{
    while (!*flag) {
        tp_loop_turn(b->loop, true);
    }
}

static inline void wait_for_words(struct bench *b, const char *word)
{
    while (!fake_server_has(&b->server, word)) {
        tp_loop_turn(b->loop, true);
    }
}

static inline void wait_connected(struct bench *b)
{
    while (!tp_client_is_connected(b->client)) {
        tp_loop_turn(b->loop, true);
    }
}

static inline void wait_lost(struct bench *b)
{
    while (tp_client_is_connected(b->client)) {
        tp_loop_turn(b->loop, true);
    }
}

static inline void wait_open(struct bench *b, const tp_proxy *proxy)
{
    while (!tp_proxy_is_open(proxy)) {
        tp_loop_turn(b->loop, true);
    }
}

/* Let time pass. */
static inline void pass(struct bench *b, int64_t time_ns)
{
    b->now_ns += time_ns;
    tp_loop_turn(b->loop, false);
}

static inline void send_state(struct bench *b, unsigned index, double x, double timestamp)
{
    const tp_position2d_data state = {.pos = {.px = x}};

    fake_server_data(&b->server, TP_POSITION2D_CODE, index, TP_POSITION2D_DATA_STATE,
                     &tp_desc_position2d_data, &state, timestamp);
}

static inline double state_x(const tp_msg *msg)
{
    assert_non_null(msg);
    return ((const tp_position2d_data *)tp_msg_payload(msg))->pos.px;
}

#endif
