/*
 * connection.c - bytes of a stream to packets, and the turns of a packet that is handled.
 *
 * While a command runs, a few packets more are read, so that a panic behind it is seen: every
 * packet is looked at for one as soon as its function is there, whatever its lengths are. A further
 * panic waits as other packets do.
 */
#include <assert.h>
#include <stdlib.h>

#include "inside.h"

enum { MOST_AHEAD = 4096, LENGTH_SIZE = 4, RETURN_SIZE = 4, COMMAND_SIZE = 2, MOST_KEY = 64 };

/* ---- Packets --------------------------------------------------------------------------------- */

static size_t size_of(const unsigned char *bytes)
{
    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
}

/* The function of a packet with the command Extended, and its body; 0 for other packets. */
static uint8_t function_of(const unsigned char *bytes, size_t length, tpi_packet_rest *body)
{
    char why[MOST_WHY];
    tpi_packet packet;
    uint8_t function = 0;

    if (tpi_packet_read(&packet, bytes, length, why, sizeof why) == TPI_FAULT_NONE &&
        packet.command == TPI_EXTENDED && packet.count > 0) {
        *body = (tpi_packet_rest){(const uint8_t *)packet.values[0].text, packet.values[0].length};
        (void)tpi_packet_take_u8(body, &function);
    }
    return function;
}

/* Whether a packet asks for a panic: by its command and its function. Its lengths may be wrong, and
 * the rest of it may never come. */
static bool is_panic(const unsigned char *bytes, size_t length)
{
    const size_t command = 1 + (length > 0 && bytes[0] == 1 ? RETURN_SIZE : 0);
    const size_t function = command + COMMAND_SIZE + LENGTH_SIZE;

    return length > function &&
           ((unsigned)bytes[command] << 8 | bytes[command + 1]) ==
               tpi_dictionary_entry(TPI_EXTENDED)->code &&
           bytes[function] == TPI_PACKET_PANIC;
}

/* Raise a panic if the packet asks for one. */
static void look_for_panic(struct connection *c, const unsigned char *bytes, size_t length)
{
    tpi_packet_rest body = {NULL, 0};

    if (!tp_session_sees_panic(c->session) && is_panic(bytes, length)) {
        (void)function_of(bytes, length, &body);
        tp_connection_act(c->base);
        tpi_universalf_panic(c, body);
    }
}

static uint64_t universal_look(tp_connection *base, const unsigned char *bytes, size_t length)
{
    if (length < LENGTH_SIZE) {
        return 0;
    }
    const size_t size = size_of(bytes), there = length - LENGTH_SIZE;

    look_for_panic(tp_connection_state(base), bytes + LENGTH_SIZE, size < there ? size : there);
    return size <= there ? LENGTH_SIZE + size : 0;
}

/* The packet before it is not done. Its reply is not sent, too, if `most_out` is reached. */
static bool universal_waits(tp_connection *base)
{
    const struct connection *c = tp_connection_state(base);

    return c->task.on || c->task.asked != 0;
}

static bool universal_shows_key(tp_connection *base, const unsigned char *bytes, size_t length)
{
    tpi_packet_rest body;

    (void)base;
    if (length < LENGTH_SIZE || size_of(bytes) > length - LENGTH_SIZE ||
        size_of(bytes) > MOST_KEY) {
        return false;
    }
    const uint8_t function = function_of(bytes + LENGTH_SIZE, size_of(bytes), &body);
    return function == TPI_PACKET_CHALLENGE || function == TPI_PACKET_PROVE;
}

/* Go on with the packet as long as the robot does not have to answer. */
static void advance(struct connection *c)
{
    while (c->task.goes_on && !tp_connection_is_ending(c->base)) {
        c->task.goes_on = false;
        tpi_universalf_go_on(c);
    }
}

static size_t universal_message(tp_connection *base, const unsigned char *bytes, size_t length,
                                size_t *needed)
{
    struct connection *c = tp_connection_state(base);

    assert(front_is_current(c->front));
    *needed = LENGTH_SIZE + (length < LENGTH_SIZE ? 0 : size_of(bytes));
    if (length < *needed) {
        return 0;
    }
    tpi_universalf_handle(c, bytes + LENGTH_SIZE, *needed - LENGTH_SIZE);
    advance(c);
    return *needed;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static tp_status universal_begin(tp_connection *base)
{
    struct connection *c = tp_connection_state(base);

    c->base = base;
    c->front = tp_front_state(tp_connection_front(base));
    c->session = tp_connection_session(base);
    tp_session_explain_failures(c->session, true);
    return TP_OK;
}

static void universal_receive(tp_connection *base, const tp_msg *msg)
{
    struct connection *c = tp_connection_state(base);

    tpi_universalf_answer(c, msg);
    advance(c);
}

static void universal_turn(tp_connection *base)
{
    struct connection *c = tp_connection_state(base);

    advance(c);
    tpi_universalf_stream_go_on(c);
}

static void universal_end(tp_connection *base)
{
    struct connection *c = tp_connection_state(base);

    assert(front_is_current(c->front));
    tp_timer_destroy(c->stream_of.timer);
    tpi_universalf_drop_ports(c, 0);
    tpi_universalf_channels_end(c);
    free(c->task.bytes);
}

/* One request at a time: the session counts how long the commands behind it wait, and those that
 * get older than a lease move nothing. */
const tp_connection_ops tpi_universalf_connection_ops = {
    .state_size = sizeof(struct connection),
    .limits = {.data = 16, .replies = 64, .requests = 1},
    .most_out = 1,
    .read_ahead = MOST_AHEAD,
    .renews = true,
    .begin = universal_begin,
    .look = universal_look,
    .message = universal_message,
    .waits = universal_waits,
    .shows_key = universal_shows_key,
    .receive = universal_receive,
    .turn = universal_turn,
    .end = universal_end,
};
