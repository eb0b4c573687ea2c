/*
 * send_stream.c - commands from standard input, one after the other, each as it comes.
 *
 * The first one is waited for before there is a connection, so that mistakes in it need no server.
 * The others come while the loop turns. What has come at once is sent at once; no more is read
 * before the device has answered a question that is sent behind it, so that a writer that is
 * faster than the device has to wait, and nothing is lost.
 */
#include <stdlib.h>

#include "loop/input.h"
#include "send.h"

enum { LARGEST_VALUE = 64 << 20 };

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

int send_read_first(struct send *s)
{
    const char *value = "";
    size_t length = 0;
    char room[4096];
    int result = EXIT_DONE;

    while (result == EXIT_DONE && !s->input_ended && !feed_next(&s->feed, &value, &length)) {
        const long count = tpi_input_wait(room, sizeof room);
        s->input_ended = count <= 0;
        if (count < 0) {
            result = command_fail(s->remote.command, EXIT_FAILED, "standard input cannot be read");
        } else if (count > 0) {
            result = add(s, room, (size_t)count);
        }
    }
    if (result == EXIT_DONE && s->input_ended && !feed_rest(&s->feed, &value, &length)) {
        value = ""; /* which is right for some */
        length = 0;
    }
    return result == EXIT_DONE ? send_parse_value(s, value, length) : result;
}

/* ---- The others ------------------------------------------------------------------------------ */

static int send_one(struct send *s, const char *value, size_t length)
{
    tp_error err = {0};

    free(s->value);
    s->value = NULL;
    const int result = send_parse_value(s, value, length);
    if (result == EXIT_DONE &&
        tp_proxy_command(s->proxy, s->message->code, s->value, &err) != TP_OK) {
        return fail(s, err.text);
    }
    s->unanswered = s->unanswered || result == EXIT_DONE;
    return result;
}

/* All that are whole, and at the end what is left. */
static void send_some(struct send *s)
{
    const char *value = NULL;
    size_t length = 0;

    while (s->result == EXIT_DONE && feed_next(&s->feed, &value, &length)) {
        s->result = send_one(s, value, length);
    }
    if (s->result == EXIT_DONE && s->input_ended && feed_rest(&s->feed, &value, &length)) {
        s->result = send_one(s, value, length);
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
        tpi_input_resume(s->input);
    }
}

/* Read on when the device has done what it was sent. */
static void await_answer(struct send *s)
{
    const tp_capabilities_req ask = {.type = TP_MSGTYPE_CMD, .subtype = s->message->code};
    tp_error err = {0};
    tp_status status;

    s->unanswered = false;
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
    }
}

static void on_input(void *context, const char *bytes, size_t length)
{
    struct send *s = context;

    s->input_ended = length == 0;
    s->result = length > 0 ? add(s, bytes, length) : EXIT_DONE;
    send_some(s);
    if (s->result == EXIT_DONE && s->unanswered && !s->input_ended) {
        await_answer(s);
    }
    if (s->result != EXIT_DONE || s->input_ended) {
        remote_stop(&s->remote);
    }
}

int send_stream(struct send *s, bool *interrupted)
{
    tp_error err = {0};

    *interrupted = false;
    send_some(s); /* what came along with the first one */
    if (s->result != EXIT_DONE || s->input_ended) {
        return s->result;
    }
    if (tpi_input_open(&s->input, tp_client_loop(s->remote.client), on_input, s, &err) != TP_OK) {
        return command_fail(s->remote.command, EXIT_FAILED, "%s", err.text);
    }
    *interrupted = remote_run(&s->remote);
    tpi_input_close(s->input);
    s->input = NULL;
    return s->result;
}
