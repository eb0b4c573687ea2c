/*
 * client_fuzz.c - a client that is sent anything: no harm, bounded memory, and every request ends.
 *
 * The stream is a stand-in for that of src/loop: it takes all that is written, and what is read is
 * the input. Its first byte chooses the kind of client and how the bytes are cut into pieces.
 */
#include <stdlib.h>
#include <string.h>

#include "client/inside.h"
#include "fuzz.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/map.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/stream.h"

enum { LARGEST_ROOM = 65536 };

/* ---- The stream ------------------------------------------------------------------------------ */

struct tp_stream {
    const tp_stream_events *events;
    void *context;
};

static struct {
    tp_stream *stream; /* the open one; NULL for none */
    void (*done)(void *context, tp_stream *stream, tp_status status);
    void *context;
    int64_t now_ns;
    unsigned asked;
    unsigned answered;
    unsigned data;
} world;

tp_status tp_stream_connect(tp_stream **out, tp_loop *loop, const char *address,
                            void (*done)(void *context, tp_stream *stream, tp_status status),
                            void *context, tp_error *err)
{
    (void)loop;
    (void)address;
    (void)err;
    *out = world.stream = calloc(1, sizeof **out);
    fuzz_require(world.stream != NULL, "no memory");
    world.done = done;
    world.context = context;
    return TP_OK;
}

tp_status tp_stream_start(tp_stream *stream, const tp_stream_events *events, void *context)
{
    stream->events = events;
    stream->context = context;
    return TP_OK;
}

long tp_stream_try_write(tp_stream *stream, const tp_piece *pieces, unsigned count)
{
    long total = 0;

    (void)stream;
    for (unsigned i = 0; i < count; i++) {
        total += (long)pieces[i].length;
    }
    return total;
}

long tp_stream_try_write_at_once(tp_stream *stream, const tp_piece *pieces, unsigned count)
{
    return tp_stream_try_write(stream, pieces, count);
}

void tp_stream_close(tp_stream *stream)
{
    if (stream != NULL && stream == world.stream) {
        world.stream = NULL;
    }
    free(stream);
}

tp_status tp_stream_check(const char *address, tp_error *err)
{
    (void)address;
    (void)err;
    return TP_OK;
}

tp_status tp_stream_error(const tp_stream *stream, tp_error *err)
{
    (void)stream;
    return tp_fail(err, TP_E_IO, "broken");
}

/* Let the client read; false if it has closed the connection. */
static bool feed(const uint8_t *data, size_t size, size_t piece)
{
    while (size > 0 && world.stream != NULL) {
        tp_stream *stream = world.stream;
        void *room = NULL;
        size_t length = 0;
        stream->events->room(stream->context, &room, &length);
        fuzz_require(length > 0 && length <= 2 * (size_t)TP_XDR_MAX_MESSAGE_SIZE, "odd room");
        length = length < piece ? length : piece;
        length = length < size ? length : size;
        memcpy(room, data, length);
        data += length;
        size -= length;
        stream->events->read(stream->context, length);
    }
    return world.stream != NULL;
}

/* ---- The program ----------------------------------------------------------------------------- */

static int64_t now_ns(const tp_clock *clock)
{
    (void)clock;
    return world.now_ns;
}

static double wall_s(const tp_clock *clock)
{
    (void)clock;
    return 0;
}

static void on_done(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                    const char *why)
{
    (void)context;
    (void)proxy;
    world.answered++;
    fuzz_require((status == TP_OK) == (why == NULL), "a failure without a reason");
    fuzz_require(status == TP_OK || answer == NULL, "an answer to what failed");
    if (answer != NULL && tp_msg_payload(answer) != NULL) {
        size_t size;
        fuzz_require(tp_xdr_size(tp_msg_type(answer), tp_msg_payload(answer), &size) == TP_OK,
                     "an answer that is none");
    }
}

static void on_data(tp_proxy *proxy, const tp_msg *msg)
{
    fuzz_require(tp_proxy_latest(proxy, tp_msg_header(msg)->subtype) == msg, "not the latest");
    if (++world.data % 5 == 0) {
        tp_proxy_close(proxy);
    }
}

static void ask(tp_proxy *proxy, unsigned code, const void *value)
{
    world.asked += tp_proxy_request_later(proxy, code, value, 0, on_done, NULL, NULL) == TP_OK;
}

/* What is open asks for everything, as soon as it is open. */
static void on_opened(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    const tp_map_data tile = {.width = 4, .height = 4};
    const tp_counter_reading reading = {.run = 1, .total = 2};

    (void)context;
    (void)why;
    if (status != TP_OK) {
        tp_proxy_close(proxy);
        return;
    }
    tp_proxy_on_data(proxy, on_data);
    ask(proxy, 1, NULL);
    ask(proxy, TP_COMMON_REQ_GET_PROPERTIES, NULL);
    ask(proxy, TP_COMMON_REQ_READ_AND_CLEAR, &reading);
    if (tp_proxy_interface(proxy) == &tp_interface_map) {
        ask(proxy, TP_MAP_REQ_GET_DATA, &tile);
    }
}

static void open_devices(tp_client *client)
{
    static const tp_interface *const interfaces[] = {&tp_interface_position2d, &tp_interface_laser,
                                                     &tp_interface_map, &tp_interface_laser};
    tp_proxy *proxy = NULL;

    for (size_t i = 0; i < sizeof interfaces / sizeof interfaces[0]; i++) {
        fuzz_require(tp_client_open_later(client, interfaces[i], 0, TP_OPEN_MODE, on_opened, NULL,
                                          &proxy, NULL) == TP_OK,
                     "cannot open");
    }
}

static void run(tp_loop *loop, const uint8_t *data, size_t size)
{
    const tp_client_options options = {.loop = loop,
                                       .catalogue = fuzz_catalogue(),
                                       .plain = (data[0] & 1) != 0,
                                       .mode = (data[0] & 2) != 0 ? TP_CLIENT_FRESH
                                                                  : TP_CLIENT_EVERYTHING,
                                       .stay_lost = (data[0] & 4) != 0};
    const size_t piece = (data[0] & 8) != 0 ? LARGEST_ROOM : 1 + (size_t)(data[0] >> 4) * 13;
    tp_client *client = NULL;

    memset(&world, 0, sizeof world);
    fuzz_require(tp_client_connect_later(&client, "robot", &options, NULL) == TP_OK, "no client");
    open_devices(client);
    world.done(world.context, world.stream, TP_OK);
    if (feed(data + 1, size - 1, piece)) {
        tp_loop_turn(loop, false);
        world.stream->events->end(world.context, TP_OK);
    }
    world.now_ns += 10 * TP_NS_PER_S; /* now everything is too late */
    tp_loop_turn(loop, false);
    for (tp_proxy *proxy = client->proxies; proxy != NULL; proxy = proxy->next) {
        fuzz_require(!proxy->closed, "a closed proxy is left");
    }
    fuzz_require(client->asks.first == NULL || client->asks.first->deadline_ns == TP_NEVER ||
                     client->asks.first->deadline_ns > world.now_ns,
                 "a request that never ends");
    tp_client_destroy(client);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tp_clock clock = {.now_ns = now_ns, .wall_s = wall_s};
    static tp_loop *loop;

    if (size == 0) {
        return 0;
    }
    if (loop == NULL) {
        fuzz_require(tp_loop_create(&loop, &clock, NULL) == TP_OK, "no loop");
    }
    run(loop, data, size);
    fuzz_require(world.answered <= world.asked, "answered what nobody asked");
    return 0;
}
