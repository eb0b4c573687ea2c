/*
 * stop.c - the emergency stop and its confirmation.
 *
 * A panic is raised when the message is read; nothing is asked before. Then the front looks every
 * few milliseconds whether all drivers have stopped what they move, and tells the client.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static const int64_t WATCH_NS = 2 * TP_NS_PER_MS, PATIENCE_NS = 2 * TP_NS_PER_S;

/* ---- The state ------------------------------------------------------------------------------- */

static void put_text(tpi_buf *out, const char *name, const char *text, uint32_t count)
{
    tpi_buf_printf(out, ",\"%s\":", name);
    tpi_json_put_string(out, text, count > 0 ? strlen(text) : 0);
}

/* "a, b" as a list. */
static void put_list(tpi_buf *out, const char *names)
{
    bool first = true;

    tpi_buf_puts(out, ",\"owing\":[");
    while (*names != '\0') {
        const size_t length = strcspn(names, ",");

        tpi_buf_puts(out, first ? "" : ",");
        tpi_json_put_string(out, names, length);
        names += length;
        names += strspn(names, ", ");
        first = false;
    }
    tpi_buf_putc(out, ']');
}

void tpi_web_put_panic(struct web_front *front, tpi_buf *out, bool op, int64_t began_ns,
                       bool *stopped)
{
    assert(front_is_current(front));
    tp_panic_state *state = NULL;

    if (tp_hub_panic(tp_front_hub(front->instance), &state) != TP_OK) {
        tpi_buf_puts(out, "null");
        return;
    }
    const bool owes = state->owing_count > 1;
    tpi_buf_printf(out, "{%s\"active\":%s,\"epoch\":%u,\"count\":%u,\"since\":%.3f,\"stopped\":%s",
                   op ? "\"op\":\"panic\"," : "", state->active ? "true" : "false", state->epoch,
                   state->count, state->since, state->active && !owes ? "true" : "false");
    put_text(out, "who", state->who, state->who_count);
    put_text(out, "why", state->why, state->why_count);
    if (began_ns >= 0) {
        tpi_buf_printf(out, ",\"ms\":%.3f", (double)(front_now(front) - began_ns) * 1e-6);
    }
    put_list(out, owes ? state->owing : "");
    tpi_buf_putc(out, '}');
    if (stopped != NULL) {
        *stopped = !owes;
    }
    free(state);
}

/* ---- Stopping -------------------------------------------------------------------------------- */

/* Tell the client how it is; whether that was the last time. */
static bool confirm(struct connection *c, bool last)
{
    tpi_buf text = {0};
    bool stopped = false;
    const bool http = c->phase == PHASE_HTTP;

    tpi_web_put_panic(c->front, &text, !http, c->stop.began_ns, &stopped);
    last = last || stopped;
    if (http && last) {
        tpi_buf_putc(&text, '\n');
        tpi_web_answer(c, 200, tpi_buf_text(&text), text.length);
    } else if (!http && (last || !c->stop.told)) {
        tpi_web_text(c, tpi_buf_text(&text), text.length);
    }
    c->stop.told = true;
    tpi_buf_fini(&text);
    return last;
}

void tpi_web_stop(struct connection *c, const char *why)
{
    struct web_front *front = c->front;
    const int64_t arrival_ns = tp_loop_arrival_ns(front->loop);
    const int64_t now_ns = front_now(front);

    assert(front_is_current(c->front));
    tp_session_panic(c->door->sessions[FORM_JSON], why[0] != '\0' ? why : "STOP");
    c->stop.began_ns = arrival_ns != TP_NEVER && arrival_ns < now_ns ? arrival_ns : now_ns;
    c->stop.told = false;
    c->stop.owed = !confirm(c, false);
    if (c->stop.owed) {
        tp_timer_every(front->watch, WATCH_NS);
    }
}

void tpi_web_stop_tick(struct web_front *front)
{
    const int64_t now_ns = front_now(front);
    bool more = false;

    assert(front_is_current(front));
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        if (c->stop.owed && !c->ending) {
            c->stop.owed = !confirm(c, now_ns - c->stop.began_ns >= PATIENCE_NS);
            more = more || c->stop.owed;
        }
    }
    if (!more) {
        tp_timer_cancel(front->watch);
    }
}

void tpi_web_stop_told(struct connection *c)
{
    assert(front_is_current(c->front));
    tpi_buf text = {0};

    if (c->stop.owed) {
        return; /* its confirmation comes */
    }
    tpi_web_put_panic(c->front, &text, true, -1, NULL);
    tpi_web_text(c, tpi_buf_text(&text), text.length);
    tpi_buf_fini(&text);
}

void tpi_web_stop_say(struct connection *c, const char *text, size_t length)
{
    assert(front_is_current(c->front));
    tpi_say said;
    char why[80];
    const bool read = tpi_say_read(&said, text, length, NULL) == TP_OK;

    if (read && said.op == TPI_SAY_PING) {
        tpi_web_text(c, "{\"op\":\"pong\"}", 13);
    } else if (read && said.op == TPI_SAY_STATE) {
        tpi_web_stop_told(c);
    } else {
        tpi_web_stop(c, read && tpi_say_copy(why, sizeof why, said.why) ? why : "");
    }
}
