/*
 * send_stream.c - commands from standard input, one after the other, each as it comes.
 *
 * The first one is waited for before there is a connection, so that mistakes in it need no server.
 * The others come while the loop turns. What has come at once is sent at once, up to a number; no
 * more is sent or read before the device has answered a question that is sent behind it, so that a
 * writer that is faster than the device has to wait, and nothing is lost.
 *
 * Commands that can move something are left out if they waited in the input while this program was
 * frozen, or while it waited for the server for longer than the lease (waited.h). While it
 * connects, that holds for writers that go on: what is complete by then, a file or the output of a
 * program that has ended, is as new as a command on the command line.
 */
#include <stdlib.h>

#include "base/order.h"
#include "loop/input.h"
#include "send.h"

enum { LARGEST_VALUE = 64 << 20 };

/* Commands that are on their way. The driver may be in a process of its own: the socket between it
 * and the server is full with some two hundred, and a command is not kept until there is room. A
 * slow device gets so few that it has done them within a part of a lease: what it takes longer for
 * counts as having waited. */
enum { FIRST_AT_ONCE = 8, MOST_AT_ONCE = 100 };

/* How often the program looks whether it was frozen, at least. */
static const int64_t longest_beat_ns = 250 * TP_NS_PER_MS;

/* Ordinary programs are late by so much. */
static const int64_t shortest_lease_ns = 20 * TP_NS_PER_MS;

static int fail(const struct send *s, const char *text)
{
    tpi_buf placed = {0};

    feed_place(&s->feed, text, &placed);
    const int result = command_fail(s->remote.command, EXIT_FAILED, "%s %s: %s", s->device.name,
                                    s->message->name, tpi_buf_text(&placed));
    tpi_buf_fini(&placed);
    return result;
}

static int add(struct send *s, const char *bytes, size_t length)
{
    if (s->feed.text.length > LARGEST_VALUE) {
        return fail(s, "the value is too large");
    }
    return feed_add(&s->feed, bytes, length)
               ? EXIT_DONE
               : command_fail(s->remote.command, EXIT_FAILED, "out of memory");
}

/* ---- What waited ----------------------------------------------------------------------------- */

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

static int64_t lease_ns(const struct send *s)
{
    return s->lease_s > 0 ? tpi_larger(command_ns(s->lease_s), shortest_lease_ns) : TP_NS_PER_S;
}

static int64_t beat_ns(const struct send *s)
{
    return tpi_smaller(lease_ns(s) / 4, longest_beat_ns);
}

/* All that was read, and not sent. */
static void leave_out_read(struct send *s)
{
    const char *value = NULL;
    size_t length = 0;

    while (feed_next(&s->feed, &value, &length)) {
        s->old.left_out++;
    }
    s->old.begun = s->feed.in_value;
}

/* Whether all that was read has become old; `length` bytes of it are not in the feed yet. The time
 * first: what comes into the pipe in a freeze behind it is old for the next look. */
static bool look(struct send *s, size_t length)
{
    const int64_t now = now_ns();
    const size_t there = length + tpi_input_unread();
    const double frozen_s = waited_look_s(&s->old.input, now, lease_ns(s), there, tpi_input_room());

    if (frozen_s > 0 && !tp_effect_can_move(s->message->effect)) {
        waited_forget(&s->old.input);
        return false;
    }
    if (frozen_s > 0) {
        s->old.frozen_s = frozen_s;
        s->old.was_connecting = s->old.connects;
        s->old.first = true;
        leave_out_read(s);
    }
    return frozen_s > 0;
}

/* The next value that has not waited. */
static bool next_value(struct send *s, const char **value, size_t *length)
{
    while (feed_next(&s->feed, value, length)) {
        if (!s->old.begun) {
            return true;
        }
        s->old.begun = false;
        s->old.left_out++;
    }
    return false;
}

/* The same at the end, where it need not be whole. */
static bool rest_value(struct send *s, const char **value, size_t *length)
{
    if (!feed_rest(&s->feed, value, length)) {
        return false;
    }
    s->old.left_out += s->old.begun;
    return !s->old.begun;
}

static void tell_left_out(struct send *s)
{
    if (s->old.left_out > 0 && (s->input_ended || !waited_goes_on(&s->old.input, now_ns()))) {
        s->refused = true;
        command_fail(s->remote.command, EXIT_FAILED,
                     "%s %.1f s: %lu command%s that waited meanwhile %s left out",
                     s->old.was_connecting ? "the connection took"
                                           : "this program was frozen or busy for",
                     s->old.frozen_s, s->old.left_out, s->old.left_out == 1 ? "" : "s",
                     s->old.left_out == 1 ? "is" : "are");
        s->old.left_out = 0;
    }
}

/* These bytes were read. */
static int take(struct send *s, const char *bytes, size_t length)
{
    const size_t old = waited_take(&s->old.input, now_ns(), length);
    int result = add(s, bytes, old);

    if (result == EXIT_DONE && old > 0) {
        leave_out_read(s);
    }
    return result == EXIT_DONE ? add(s, bytes + old, length - old) : result;
}

static void on_beat(void *context)
{
    struct send *s = context;

    if (!s->awaits) {
        (void)look(s, 0);
        tell_left_out(s);
    }
}

/* All that there will be is there: it has no age. */
static bool is_complete(const struct send *s)
{
    return !s->streams || s->input_ended || tpi_input_is_complete();
}

tp_status send_watch(struct send *s, tp_error *err)
{
    const tp_status status =
        tp_timer_create(&s->beat, tp_client_loop(s->remote.client), on_beat, s, err);

    if (status == TP_OK) {
        s->old.input.looked_ns = is_complete(s) ? 0 : s->old.input.looked_ns;
        s->old.first = false;
        s->old.connects = true;
        (void)look(s, 0);
        s->old.connects = false;
        tp_timer_every(s->beat, beat_ns(s));
    }
    return status;
}

int send_refuse_old(struct send *s)
{
    (void)look(s, 0);
    if (!s->old.first) {
        return EXIT_DONE;
    }
    if (!s->streams) {
        return command_fail(s->remote.command, EXIT_FAILED,
                            "this program was frozen or busy for %.1f s: %s is not sent",
                            s->old.frozen_s, s->message->name);
    }
    s->old.left_out++;
    return EXIT_DONE;
}

/* ---- The first one --------------------------------------------------------------------------- */

static int read_some(struct send *s)
{
    char room[4096];

    do {
        (void)look(s, 0);
    } while (!tpi_input_comes(beat_ns(s)));
    (void)look(s, 0);
    const long count = tpi_input_wait(room, sizeof room);
    s->input_ended = count <= 0;
    return count < 0 ? command_fail(s->remote.command, EXIT_FAILED, "standard input cannot be read")
                     : take(s, room, (size_t)count);
}

int send_read_first(struct send *s)
{
    const char *value = "";
    size_t length = 0;
    int result = EXIT_DONE;

    while (result == EXIT_DONE && !s->input_ended && !next_value(s, &value, &length)) {
        result = read_some(s);
        tell_left_out(s);
    }
    if (result == EXIT_DONE && s->input_ended && !rest_value(s, &value, &length)) {
        tell_left_out(s);
        if (s->refused) {
            return EXIT_FAILED;
        }
        value = ""; /* which is right for some */
        length = 0;
    }
    return result == EXIT_DONE ? send_parse_value(s, value, length) : result;
}

/* ---- The others ------------------------------------------------------------------------------ */

static int send_one(struct send *s, const char *value, size_t length)
{
    tp_error err = {0};

    if (look(s, 0)) {
        s->old.left_out++;
        return EXIT_DONE;
    }
    free(s->value);
    s->value = NULL;
    const int result = send_parse_value(s, value, length);
    if (result == EXIT_DONE &&
        tp_proxy_command(s->proxy, s->message->code, s->value, &err) != TP_OK) {
        return fail(s, err.text);
    }
    s->unanswered += result == EXIT_DONE;
    return result;
}

static bool may_send(const struct send *s)
{
    return s->result == EXIT_DONE && s->unanswered < s->at_once;
}

/* Those that are whole, as many as the device takes at once, and at the end what is left. */
static void send_some(struct send *s)
{
    const char *value = NULL;
    size_t length = 0;

    while (may_send(s) && next_value(s, &value, &length)) {
        s->result = send_one(s, value, length);
    }
    if (may_send(s) && s->input_ended && rest_value(s, &value, &length)) {
        s->result = send_one(s, value, length);
    }
    tell_left_out(s);
}

static bool is_over(const struct send *s)
{
    return s->result != EXIT_DONE || (s->input_ended && may_send(s));
}

static void await_answer(struct send *s);

/* It has answered what it was sent. */
static void learn_pace(struct send *s)
{
    const int64_t took_ns = now_ns() - s->asked_ns;

    if (took_ns > lease_ns(s) / 4) {
        s->at_once = s->at_once > 1 ? s->at_once / 2 : 1;
    } else if (took_ns < lease_ns(s) / 16) {
        s->at_once = s->at_once < MOST_AT_ONCE / 2 ? s->at_once * 2 : MOST_AT_ONCE;
    }
}

/* Read on when the device has done what it was sent. */
static void go_on(struct send *s)
{
    send_some(s);
    if (is_over(s)) {
        remote_stop(&s->remote);
    } else if (s->unanswered > 0) {
        await_answer(s);
    } else {
        tpi_input_resume(s->input);
    }
}

static void on_answer(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                      const char *why)
{
    struct send *s = context;

    (void)proxy;
    (void)answer;
    if (status == TP_E_TIMEOUT || status == TP_E_CLOSED) {
        s->result = fail(s, why);
        remote_stop(&s->remote);
    } else if (s->input != NULL) {
        s->awaits = false;
        learn_pace(s);
        (void)look(s, 0);
        go_on(s);
    }
}

static void await_answer(struct send *s)
{
    const tp_capabilities_req ask = {.type = TP_MSGTYPE_CMD, .subtype = s->message->code};
    tp_error err = {0};
    tp_status status;

    s->unanswered = 0;
    s->asked_ns = now_ns();
    s->awaits = true;
    tpi_input_pause(s->input);
    if (tp_client_is_troupe(s->remote.client)) {
        status = tp_proxy_request_later(s->proxy, TP_COMMON_REQ_CAPABILITIES, &ask, 0, on_answer, s,
                                        &err);
    } else {
        status = tp_client_request_later(s->remote.client, TP_PLAYER_REQ_DEVLIST, NULL, 0,
                                         on_answer, s, &err);
    }
    if (status != TP_OK) {
        s->result = fail(s, err.text);
        remote_stop(&s->remote);
    }
}

static void on_input(void *context, const char *bytes, size_t length)
{
    struct send *s = context;

    (void)look(s, length);
    s->input_ended = length == 0;
    s->result = take(s, bytes, length);
    go_on(s);
}

int send_stream(struct send *s, bool *interrupted)
{
    tp_error err = {0};

    *interrupted = false;
    s->at_once = FIRST_AT_ONCE;
    send_some(s); /* what came along with the first one */
    if (is_over(s)) {
        return s->result;
    }
    if (tpi_input_open(&s->input, tp_client_loop(s->remote.client), on_input, s, &err) != TP_OK) {
        return command_fail(s->remote.command, EXIT_FAILED, "%s", err.text);
    }
    go_on(s);
    *interrupted = remote_run(&s->remote);
    tpi_input_close(s->input);
    s->input = NULL;
    return s->result;
}
