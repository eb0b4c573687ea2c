/* extended.c - the functions of the command Extended; docs/universal-protocol.md lists them. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { MOST_CLASSES = 2048, LEAST_PERIOD_MS = 20 };

/* The bytes of a function are one value: bytes with their length. */
static void answer(struct connection *c, const tpi_buf *body)
{
    tpi_buf values = {0};

    if (body != NULL && body->failed) {
        tp_connection_give_up(c->base);
        return;
    }
    tpi_packet_put_text(&values, body != NULL ? body->data : NULL, body != NULL ? body->length : 0);
    tpi_universalf_done(c, &values);
    tpi_buf_fini(&values);
}

static bool bad_body(struct connection *c, const char *wanted)
{
    tpi_universalf_failed(c, TPI_FAULT_VALUE, "bad value: the function needs %s", wanted);
    return false;
}

/* ---- Keys and panic -------------------------------------------------------------------------- */

static void challenge(struct connection *c)
{
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];
    tp_error err = {.text = ""};
    const tp_status status = tp_session_challenge(c->session, nonce, &err);
    tpi_buf body = {0};

    if (status != TP_OK) {
        tpi_universalf_failed(c, TPI_FAULT_NOT_AVAILABLE, "not available: %s", err.text);
        return;
    }
    tpi_packet_put_text(&body, nonce, sizeof nonce);
    answer(c, &body);
    tpi_buf_fini(&body);
}

static void prove(struct connection *c)
{
    tp_error err = {.text = ""};
    tpi_value digest;
    tpi_buf body = {0};

    if (!tpi_packet_take(&c->task.in, TPI_KIND_BYTES, &digest)) {
        (void)bad_body(c, "the answer to the challenge as bytes");
        return;
    }
    if (tp_session_prove(c->session, (const uint8_t *)digest.text, digest.length, &err) != TP_OK) {
        tpi_universalf_failed(c, TPI_FAULT_DENIED, "denied: %s", err.text);
        return;
    }
    const char *right = tp_right_name(tp_session_right(c->session));
    tpi_packet_put_text(&body, right, strlen(right));
    answer(c, &body);
    tpi_buf_fini(&body);
}

/* The reason of a panic, from the bytes behind the function. */
void tpi_universalf_panic(struct connection *c, tpi_packet_rest body)
{
    char why[80] = "";
    tpi_value text;

    if (tpi_packet_take(&body, TPI_KIND_TEXT, &text) && text.length < sizeof why) {
        memcpy(why, text.text, text.length);
        why[text.length] = '\0';
    }
    tp_session_panic(c->session, why);
}

/* ---- Devices and robots ---------------------------------------------------------------------- */

/* Add a device; it is matched with all others before the packet goes on. */
static bool add_device(struct connection *c)
{
    tpi_value classes;
    uint8_t id = UINT8_MAX;

    if (!tpi_packet_take(&c->task.in, TPI_KIND_TEXT, &classes) || classes.length > MOST_CLASSES ||
        memchr(classes.text, '\0', classes.length) != NULL) {
        return bad_body(c, "classes as a text of at most 2048 bytes, and a number");
    }
    (void)tpi_packet_take_u8(&c->task.in, &id);
    if (c->port_count == TP_UNIVERSAL_MOST_DEVICES) {
        tpi_universalf_failed(c, TPI_FAULT_VALUE, "bad value: a program has at most %d devices",
                              TP_UNIVERSAL_MOST_DEVICES);
        return false;
    }
    if (!tpi_universalf_add_port(c, &classes, id == UINT8_MAX ? -1 : id)) {
        tp_connection_give_up(c->base);
        return false;
    }
    c->is_stale = c->task.adds = true;
    return true;
}

static void registered(struct connection *c)
{
    const unsigned last = c->port_count - 1;
    const struct port *port = &c->ports[last];
    tpi_buf body = {0};

    if (port->part < 0) {
        tpi_universalf_failed(c, TPI_FAULT_NO_MATCH, "no match: %s", port->explanation);
        return;
    }
    tpi_packet_put_u8(&body, FIRST_TYPE + last);
    tpi_packet_put_u8(&body, port->id >= 0 ? (unsigned)port->id : 0);
    tpi_packet_put_text(&body, port->explanation, strlen(port->explanation));
    answer(c, &body);
    tpi_buf_fini(&body);
}

static bool select_robot(struct connection *c)
{
    tpi_value name;
    tp_device *device;

    if (!tpi_packet_take(&c->task.in, TPI_KIND_TEXT, &name)) {
        return bad_body(c, "the name of a robot as a text");
    }
    device = tpi_universalf_find(c, name.text, name.length);
    if (device == NULL) {
        tpi_universalf_failed(c, TPI_FAULT_NO_MATCH,
                              "no match: there is no robot \"%.*s\"; TARGETS lists them",
                              name.length < 60 ? (int)name.length : 60, name.text);
        return false;
    }
    return tpi_universalf_select(c, device);
}

static void targets(struct connection *c)
{
    tpi_buf lines = {0}, body = {0};

    tpi_universalf_list(c, &lines);
    tpi_packet_put_text(&body, tpi_buf_text(&lines), lines.length);
    body.failed = body.failed || lines.failed;
    answer(c, &body);
    tpi_buf_fini(&lines);
    tpi_buf_fini(&body);
}

void tpi_universalf_described(struct connection *c, const tp_universal_robot *robot)
{
    tpi_buf body = {0};

    if (robot == NULL) {
        tpi_universalf_failed(c, TPI_FAULT_REFUSED, "the answer is empty");
        return;
    }
    if (c->task.function == TPI_PACKET_SELECT) {
        tpi_packet_put_text(&body, robot->name, robot->name_count > 0 ? robot->name_count - 1 : 0);
        tpi_packet_put_text(&body, robot->title,
                            robot->title_count > 0 ? robot->title_count - 1 : 0);
    } else {
        tpi_packet_put_text(&body, robot->file, robot->file_count);
    }
    answer(c, &body);
    tpi_buf_fini(&body);
}

void tpi_universalf_parts(struct connection *c, const tp_universal_parts *parts)
{
    tpi_buf lines = {0}, body = {0};

    for (unsigned i = 0; i < c->port_count; i++) {
        tpi_buf_printf(&lines, "port\t%u\t%d\t%s\n", FIRST_TYPE + i,
                       c->ports[i].id >= 0 ? c->ports[i].id : 0, c->ports[i].explanation);
    }
    for (uint32_t i = 0; parts != NULL && i < parts->parts_count; i++) {
        const tp_universal_part *part = &parts->parts[i];
        tpi_buf_printf(&lines, "part\t%u\t%s\t%s\t%s\t%s\n", i, part->name, part->place, part->type,
                       part->classes);
    }
    tpi_packet_put_text(&body, tpi_buf_text(&lines), lines.length);
    body.failed = body.failed || lines.failed;
    answer(c, &body);
    tpi_buf_fini(&lines);
    tpi_buf_fini(&body);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Find the camera: nothing else may stand for it. */
static void ask_camera(struct connection *c, uint8_t id)
{
    char classes[] = "Camera";
    tp_universal_device device = {.classes = classes,
                                  .classes_count = sizeof classes,
                                  .id = id > 0 ? id : -1,
                                  .command = TP_UNIVERSAL_NO_COMMAND};
    const tp_universal_program program = {.devices_count = 1, .devices = &device};

    c->task.seeks = true;
    tpi_universalf_ask(c, TP_UNIVERSAL_REQ_MATCH, &program);
}

void tpi_universalf_camera(struct connection *c, const tp_universal_matches *matches)
{
    c->task.seeks = false;
    if (matches == NULL || matches->matches_count != 1 || matches->matches[0].part < 0) {
        tpi_universalf_failed(c, TPI_FAULT_NOT_AVAILABLE, "not available: no camera on this robot");
        return;
    }
    c->camera.part = matches->matches[0].part;
    c->camera.revision = matches->revision;
    c->camera.is_known = true;
    tpi_universalf_extended_go_on(c);
}

/* ReadBuffer of the camera. */
static void ask_picture(struct connection *c)
{
    const tp_universal_order order = {.command = tpi_dictionary_entry(TPI_READ_BUFFER)->code,
                                      .part = c->camera.part,
                                      .revision = c->camera.revision};

    tpi_universalf_ask(c, TP_UNIVERSAL_REQ_RUN, &order);
}

static const char *format_of(const tp_universal_value *picture)
{
    const bool is_long = picture->text_count > 2;

    return is_long && memcmp(picture->text, "\xff\xd8", 2) == 0 ? "jpeg"
           : is_long && memcmp(picture->text, "P6", 2) == 0     ? "ppm"
           : is_long && memcmp(picture->text, "P5", 2) == 0     ? "pgm"
                                                                : "raw";
}

/* A picture as the bytes of a function: its format, then the picture. */
static void put_picture(tpi_buf *out, const tp_universal_value *picture)
{
    const char *format = format_of(picture);

    tpi_packet_put_text(out, format, strlen(format));
    tpi_packet_put_text(out, picture->text, picture->text_count);
}

static void schedule(struct connection *c)
{
    const tp_clock *clock = tp_loop_clock(c->front->loop);

    tp_timer_at(c->stream_of.timer, tp_clock_now_ns(clock) + c->stream_of.period_ns);
}

static void stream_picture(struct connection *c, const tp_universal_value *picture)
{
    tpi_buf body = {0}, values = {0};

    put_picture(&body, picture);
    tpi_packet_put_text(&values, body.data, body.length);
    if (body.failed || values.failed) {
        tp_connection_give_up(c->base);
    } else if (values.length > c->stream_of.most) {
        char why[MOST_WHY];
        snprintf(why, sizeof why, "reply too long: it has %zu bytes, the client takes %u",
                 values.length, c->stream_of.most);
        tpi_universalf_unasked(c, TPI_FAULT_TOO_LONG, why, NULL);
        tpi_universalf_stream_end(c);
    } else {
        tpi_universalf_unasked(c, TPI_FAULT_NONE, "", &values);
        schedule(c);
    }
    tpi_buf_fini(&body);
    tpi_buf_fini(&values);
}

void tpi_universalf_picture(struct connection *c, const tp_universal_outcome *outcome)
{
    const bool done = outcome != NULL && outcome->fault == TP_UNIVERSAL_DONE &&
                      outcome->results_count > 0 && outcome->results[0].is_text;
    const tpi_fault fault = outcome != NULL && outcome->fault != TP_UNIVERSAL_DONE
                                ? (tpi_fault)outcome->fault
                                : TPI_FAULT_REFUSED;
    const char *why = outcome != NULL && outcome->text_count > 1 ? outcome->text : "no picture";
    tpi_buf body = {0};

    if (c->task.on && c->task.function == TPI_PACKET_PICTURE) {
        if (!done) {
            tpi_universalf_failed(c, fault, "%s", why);
            return;
        }
        put_picture(&body, &outcome->results[0]);
        answer(c, &body);
        tpi_buf_fini(&body);
        return;
    }
    if (!done) {
        tpi_universalf_unasked(c, fault, why, NULL);
        tpi_universalf_stream_end(c);
        return;
    }
    stream_picture(c, &outcome->results[0]);
}

static void on_timer(void *context)
{
    struct connection *c = context;

    assert(front_is_current(c->front));
    c->stream_of.due = true;
    tp_connection_soon(c->base);
}

void tpi_universalf_stream_go_on(struct connection *c)
{
    if (!c->stream_of.on || !c->stream_of.due || c->task.on || c->task.asked != 0 ||
        tp_connection_waiting(c->base) > 0) {
        return;
    }
    c->stream_of.due = false;
    ask_picture(c);
}

/* A period of 0 ends the stream; its reply is the last one. */
static void stream(struct connection *c, tpi_packet_rest in)
{
    uint16_t period_ms = 0;
    uint8_t id = 0;
    tp_error err = {.text = ""};

    if (!tpi_packet_take_u16(&in, &period_ms)) {
        (void)bad_body(c, "a period in ms");
        return;
    }
    (void)tpi_packet_take_u8(&in, &id);
    tpi_universalf_stream_end(c);
    if (period_ms == 0) {
        answer(c, NULL);
        return;
    }
    if (!c->task.packet.waits) {
        tpi_universalf_failed(c, TPI_FAULT_VALUE, "bad value: STREAM needs a client that waits");
        return;
    }
    if (c->stream_of.timer == NULL &&
        tp_timer_create(&c->stream_of.timer, c->front->loop, on_timer, c, &err) != TP_OK) {
        tp_connection_give_up(c->base);
        return;
    }
    if (!c->camera.is_known) {
        ask_camera(c, id);
        return;
    }
    c->camera.is_known = false; /* the next one may mean another */
    period_ms = period_ms < LEAST_PERIOD_MS ? LEAST_PERIOD_MS : period_ms;
    c->stream_of.on = c->stream_of.due = true;
    c->stream_of.period_ns = period_ms * TP_NS_PER_MS;
    c->stream_of.most = c->task.packet.most;
    answer(c, NULL);
}

/* ---- Functions ------------------------------------------------------------------------------- */

bool tpi_universalf_extended(struct connection *c)
{
    struct task *task = &c->task;

    task->in = (tpi_packet_rest){(const uint8_t *)task->packet.values[0].text,
                                 task->packet.count > 0 ? task->packet.values[0].length : 0};
    if (!tpi_packet_take_u8(&task->in, &task->function) || task->function == 0 ||
        task->function > TPI_PACKET_PANIC) {
        task->function = 0;
        tpi_universalf_failed(c, TPI_FAULT_NOT_AVAILABLE,
                              "not available: Extended has no such "
                              "function");
        return false;
    }
    switch (task->function) {
    case TPI_PACKET_CHALLENGE:
        challenge(c);
        return false;
    case TPI_PACKET_PROVE:
        prove(c);
        return false;
    case TPI_PACKET_PANIC:
        if (!tp_connection_acted(c->base)) {
            tpi_universalf_panic(c, task->in); /* there was one when it came */
        }
        answer(c, NULL);
        return false;
    case TPI_PACKET_REGISTER:
        return add_device(c);
    case TPI_PACKET_SELECT:
        return select_robot(c);
    default:
        return true;
    }
}

static void picture(struct connection *c, tpi_packet_rest in)
{
    uint8_t id = 0;

    (void)tpi_packet_take_u8(&in, &id);
    if (!c->camera.is_known) {
        ask_camera(c, id);
        return;
    }
    c->camera.is_known = false;
    ask_picture(c);
}

void tpi_universalf_extended_go_on(struct connection *c)
{

    switch (c->task.function) {
    case TPI_PACKET_REGISTER:
        registered(c);
        break;
    case TPI_PACKET_TARGETS:
        targets(c);
        break;
    case TPI_PACKET_PORTS:
        tpi_universalf_ask(c, TP_UNIVERSAL_REQ_PARTS, NULL);
        break;
    case TPI_PACKET_PICTURE:
        picture(c, c->task.in);
        break;
    case TPI_PACKET_STREAM:
        stream(c, c->task.in);
        break;
    default:
        tpi_universalf_ask(c, TP_UNIVERSAL_REQ_DESCRIBE, NULL);
        break;
    }
}
