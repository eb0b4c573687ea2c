/* caller.c - see caller.h. */
#include "caller.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "mirror.h"
#include "troupe/stream.h"

enum { ROOM = 1 << 22, SMALL_PIECES = 64 /* at most; each takes a turn of the loop */ };

static struct {
    caller seen;
    tp_stream *stream;
    bool connected, blocked;
} us;
static unsigned char *received; /* ROOM bytes */
static tp_front_instance *opened;

static void on_room(void *context, void **bytes, size_t *length)
{
    (void)context;
    fuzz_require(us.seen.length < ROOM, "the answers have no end");
    *bytes = received + us.seen.length;
    *length = ROOM - us.seen.length;
}

static void on_read(void *context, size_t length)
{
    (void)context;
    us.seen.length += length;
}

static void on_written(void *context)
{
    (void)context;
    us.blocked = false;
}

static void on_end(void *context, tp_status status)
{
    (void)context;
    (void)status;
    us.seen.ended = true;
}

static const tp_stream_events events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};

static void on_connected(void *context, tp_stream *stream, tp_status status)
{
    (void)context;
    fuzz_require(status == TP_OK && tp_stream_start(stream, &events, NULL) == TP_OK,
                 "cannot connect");
    us.connected = true;
}

static void close_front(void)
{
    tpi_front_close(opened);
}

/* The front listens on a socket that is named after the process and removed at the end. */
static const char *address_of(const tp_front *front)
{
    static char address[64];

    if (opened == NULL) {
        (void)snprintf(address, sizeof address, "unix:/tmp/troupe-fuzz-%ld", (long)getpid());
        opened = mirror_open(front, address);
        fuzz_require(atexit(close_front) == 0, "no room for atexit");
    }
    return address;
}

const caller *caller_connect(const tp_front *front)
{
    received = received != NULL ? received : malloc(ROOM);
    fuzz_require(received != NULL, "no memory");
    memset(&us, 0, sizeof us);
    us.seen.received = received;
    fuzz_require(tp_stream_connect(&us.stream, mirror_loop(), address_of(front), on_connected, NULL,
                                   NULL) == TP_OK,
                 "cannot connect");
    while (!us.connected) {
        mirror_turn();
    }
    return &us.seen;
}

void caller_say(const uint8_t *data, size_t size)
{
    while (size > 0 && !us.seen.ended) {
        const tp_piece piece = {data, size};
        const long taken = us.blocked ? 0 : tp_stream_try_write(us.stream, &piece, 1);

        if (taken < 0) {
            return;
        }
        us.blocked = us.blocked || (size_t)taken < size;
        data += taken;
        size -= (size_t)taken;
        mirror_turn();
    }
}

void caller_say_in_pieces(unsigned pattern, const uint8_t *data, size_t size)
{
    for (unsigned i = 0; size > 0; i++) {
        const bool small = i < SMALL_PIECES && (pattern >> i % 8 & 1) != 0;
        size_t length = small ? 1 + pattern % 61 : 1000;

        length = length < size ? length : size;
        caller_say(data, length);
        data += length;
        size -= length;
    }
}

void caller_close(void)
{
    tp_stream_close(us.stream);
    mirror_turn();
    mirror_turn();
}
