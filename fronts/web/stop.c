/*
 * stop.c - the emergency stop and its confirmation.
 *
 * A panic is raised when the message is read; nothing is asked before. Then the front looks every
 * few milliseconds which drivers have stopped what they move, and tells the client: a robot that
 * confirms late is named, so that it is not taken for a slow stop of all.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static const int64_t WATCH_NS = 2 * TP_NS_PER_MS, PATIENCE_NS = 2 * TP_NS_PER_S;

enum { MOST_OWED = 64, OWED_NAME = 48, LONGEST_QUESTION = 512, WHOLE = 0x80 };

/* A driver that did not stop at once. */
struct owed {
    struct owed *next;
    char name[OWED_NAME]; /* of its instance */
    bool seen;            /* it is still to stop */
    double ms;            /* when it had stopped, after the panic; 0 until then */
};

/* ---- Drivers that stop later ----------------------------------------------------------------- */

static void note_owed(struct connection *c, const char *name, size_t length)
{
    struct owed **at = &c->stop.drivers;
    unsigned count = 0;

    while (*at != NULL &&
           (strlen((*at)->name) != length || memcmp((*at)->name, name, length) != 0)) {
        at = &(*at)->next;
        count++;
    }
    if (*at == NULL && count < MOST_OWED && length < OWED_NAME) {
        *at = calloc(1, sizeof **at);
        if (*at != NULL) {
            memcpy((*at)->name, name, length);
        }
    }
    if (*at != NULL) {
        (*at)->seen = true;
    }
}

/* "base0, arm0 (silent: whether it has stopped is not known)" */
static void look_at_owed(struct connection *c, const char *names, double ms)
{
    for (struct owed *at = c->stop.drivers; at != NULL; at = at->next) {
        at->seen = false;
    }
    while (*names != '\0') {
        const size_t length = strcspn(names, ", ");

        note_owed(c, names, length);
        names += length;
        names += strncmp(names, " (", 2) == 0 ? strcspn(names, ")") : 0;
        names += strcspn(names, ",");
        names += strspn(names, ", ");
    }
    for (struct owed *at = c->stop.drivers; at != NULL; at = at->next) {
        at->ms = at->seen ? 0 : at->ms > 0 ? at->ms : ms;
    }
}

void tpi_web_stop_forget(struct connection *c)
{
    struct owed *at;

    while ((at = c->stop.drivers) != NULL) {
        c->stop.drivers = at->next;
        free(at);
    }
}

/* The device that people know the driver by: what drives if there is one, else the first. */
static const tp_device *device_of(const struct connection *c, const char *name)
{
    const tp_session *session = c->door->sessions[FORM_JSON];
    const tp_device *found = NULL;
    size_t place = 0;
    tp_device *device;

    while ((device = tp_session_next_device(session, &place)) != NULL) {
        if (strcmp(tp_instance_name(tp_device_instance(device)), name) != 0) {
            continue;
        }
        if (strncmp(tp_device_interface(device)->name, "position", 8) == 0) {
            return device;
        }
        found = found != NULL ? found : device;
    }
    return found;
}

/* ,"confirmed":[{"driver":"robotfile0","device":"6665:position2d:4","label":"nina","ms":640.1}] */
static void put_confirmed(const struct connection *c, tpi_buf *out)
{
    bool first = true;

    tpi_buf_puts(out, ",\"confirmed\":[");
    for (const struct owed *at = c->stop.drivers; at != NULL; at = at->next) {
        const tp_device *device = device_of(c, at->name);

        if (at->ms == 0) {
            continue;
        }
        tpi_buf_printf(out, "%s{\"driver\":", first ? "" : ",");
        tpi_json_put_string(out, at->name, strlen(at->name));
        if (device != NULL) {
            const tp_devaddr *addr = tp_session_address(device);
            const char *label = tp_session_label(device);
            tpi_buf_printf(out, ",\"device\":\"%u:%s:%u\",\"label\":", (unsigned)addr->robot,
                           tp_device_interface(device)->name, (unsigned)addr->index);
            tpi_json_put_string(out, label, strlen(label));
        }
        tpi_buf_printf(out, ",\"ms\":%.3f}", at->ms);
        first = false;
    }
    tpi_buf_putc(out, ']');
}

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

/* With the confirmations of the stop of `c`; NULL for none. */
static void put_panic(struct web_front *front, tpi_buf *out, bool op, struct connection *c,
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
    if (c != NULL) {
        const double ms = (double)(front_now(front) - c->stop.began_ns) * 1e-6;
        look_at_owed(c, owes ? state->owing : "", ms);
        tpi_buf_printf(out, ",\"ms\":%.3f", ms);
        put_confirmed(c, out);
    }
    put_list(out, owes ? state->owing : "");
    tpi_buf_putc(out, '}');
    if (stopped != NULL) {
        *stopped = !owes;
    }
    free(state);
}

void tpi_web_put_panic(struct web_front *front, tpi_buf *out, bool op)
{
    put_panic(front, out, op, NULL, NULL);
}

/* ---- Stopping -------------------------------------------------------------------------------- */

/* Tell the client how it is; whether that was the last time. */
static bool confirm(struct connection *c, bool last)
{
    tpi_buf text = {0};
    bool stopped = false;
    const bool http = c->phase == PHASE_HTTP;

    put_panic(c->front, &text, !http, c, &stopped);
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

void tpi_web_raise(struct connection *c, const char *why)
{
    tp_session *session = c->door->sessions[FORM_JSON];

    assert(front_is_current(c->front));
    if (c->in.acted == 0 || tp_session_sees_panic(session)) {
        tp_session_panic(session, why[0] != '\0' ? why : "STOP");
    }
}

void tpi_web_stop(struct connection *c, const char *why)
{
    struct web_front *front = c->front;
    const int64_t arrival_ns = tp_loop_arrival_ns(front->loop);
    const int64_t now_ns = front_now(front);

    assert(front_is_current(c->front));
    tpi_web_raise(c, why);
    c->stop.began_ns = arrival_ns != TP_NEVER && arrival_ns < now_ns ? arrival_ns : now_ns;
    c->stop.told = false;
    tpi_web_stop_forget(c);
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
    tpi_web_put_panic(c->front, &text, true);
    tpi_web_text(c, tpi_buf_text(&text), text.length);
    tpi_buf_fini(&text);
}

/* Longer messages than questions need are taken for a panic. Parts of messages wait. */
bool tpi_web_stop_is_urgent(const struct connection *c, const uint8_t *bytes, size_t length)
{
    const uint64_t whole = tpi_frame_length(bytes, length);
    char text[LONGEST_QUESTION];
    tpi_say said;

    assert(front_is_current(c->front));
    if (c->phase != PHASE_STOP || tp_session_sees_panic(c->door->sessions[FORM_JSON]) ||
        whole == 0 || whole > length ||
        (bytes[0] != (WHOLE | TPI_FRAME_TEXT) && bytes[0] != (WHOLE | TPI_FRAME_BINARY))) {
        return false;
    }
    const size_t count = tpi_frame_payload(text, sizeof text, bytes, length);
    return count > sizeof text || tpi_say_read(&said, text, count, NULL) != TP_OK ||
           (said.op != TPI_SAY_PING && said.op != TPI_SAY_STATE);
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
