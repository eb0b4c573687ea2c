/* reader.c - see reader.h. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "motion/package.h"
#include "troupe/stream.h"

enum { ROOM = 1 << 16, MOST_PACKAGES = 4096 };

static const double LONGEST_NAP_NS = 1e8;

static struct {
    tp_loop *loop;              /* borrowed; NULL: off */
    tp_stream *stream;          /* borrowed; NULL: no connection yet */
    const tp_stream_events *to; /* borrowed: the front's */
    void *context;              /* borrowed */
    tp_timer *timer;            /* owned */
    bool held_back;             /* by the front */
    bool sleeps;                /* before the package at the start of `bytes` */
    bool hands;                 /* a package is being handed on */
    unsigned polls;
    uint64_t seed;
    unsigned char bytes[ROOM]; /* what was read and not handed on */
    size_t length;
    bool notes;
    int64_t arrivals[MOST_PACKAGES];
    size_t count;
} reader;

tp_status __real_tp_stream_start(tp_stream *stream, const tp_stream_events *events, void *context);
void __real_tp_stream_pause(tp_stream *stream);
void __real_tp_stream_resume(tp_stream *stream);
void __real_tp_stream_close(tp_stream *stream);
tp_status __wrap_tp_stream_start(tp_stream *stream, const tp_stream_events *events, void *context);
void __wrap_tp_stream_pause(tp_stream *stream);
void __wrap_tp_stream_resume(tp_stream *stream);
void __wrap_tp_stream_close(tp_stream *stream);

double reader_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* ---- Packages -------------------------------------------------------------------------------- */

/* The bytes of the package at the start; 0 while it is not complete. */
static size_t first_package(void)
{
    if (reader.length < TPI_MOTION_HEADER) {
        return 0;
    }
    const size_t whole =
        TPI_MOTION_HEADER + ((size_t)reader.bytes[12] << 24 | (size_t)reader.bytes[13] << 16 |
                             (size_t)reader.bytes[14] << 8 | reader.bytes[15]);
    return reader.length >= whole ? whole : 0;
}

/* Hand bytes to the front, as its stream does. */
static void hand_over(size_t length)
{
    size_t at = 0;

    if (reader.notes && reader.bytes[4] == TPI_MOTION_COMMAND && reader.count < MOST_PACKAGES) {
        reader.arrivals[reader.count++] = tp_clock_now_ns(tp_loop_clock(reader.loop));
    }
    reader.hands = true;
    while (at < length && reader.stream != NULL) {
        void *room;
        size_t space;

        reader.to->room(reader.context, &room, &space);
        space = space < length - at ? space : length - at;
        memcpy(room, reader.bytes + at, space);
        reader.to->read(reader.context, space);
        at += space;
    }
    reader.hands = false;
    memmove(reader.bytes, reader.bytes + length, reader.length - length);
    reader.length -= length;
}

/* Whether nothing keeps it from the next package. */
static bool is_awake(void)
{
    return reader.stream != NULL && !reader.sleeps && !reader.held_back && !reader.hands;
}

static int64_t nap_ns(void)
{
    double nap = 0;

    for (unsigned i = 0; i < reader.polls; i++) {
        nap += reader_random(&reader.seed) * LONGEST_NAP_NS;
    }
    return (int64_t)nap;
}

/* Sleep before the next package, or hand it on at once; read on if there is none. */
static void go_on(void)
{
    size_t length;

    while (is_awake() && (length = first_package()) > 0) {
        if (reader.polls > 0) {
            reader.sleeps = true;
            __real_tp_stream_pause(reader.stream);
            tp_timer_at(reader.timer, tp_clock_now_ns(tp_loop_clock(reader.loop)) + nap_ns());
            return;
        }
        hand_over(length);
    }
    if (is_awake()) {
        __real_tp_stream_resume(reader.stream);
    }
}

static void awake(void *context)
{
    const size_t length = first_package();

    (void)context;
    if (reader.stream != NULL) {
        reader.sleeps = false;
        hand_over(length);
        go_on();
    }
}

/* ---- The stream ------------------------------------------------------------------------------ */

static void on_room(void *context, void **bytes, size_t *length)
{
    (void)context;
    *bytes = reader.bytes + reader.length;
    *length = ROOM - reader.length;
}

static void on_read(void *context, size_t length)
{
    (void)context;
    reader.length += length;
    if (reader.length == ROOM) {
        bench_give_up("the slow reader has no more room");
    }
    go_on();
}

static void on_written(void *context)
{
    (void)context;
    reader.to->written(reader.context);
}

static void on_end(void *context, tp_status status)
{
    (void)context;
    reader.to->end(reader.context, status);
}

tp_status __wrap_tp_stream_start(tp_stream *stream, const tp_stream_events *events, void *context)
{
    static const tp_stream_events own = {
        .room = on_room, .read = on_read, .written = on_written, .end = on_end};

    if (reader.loop == NULL || reader.stream != NULL) {
        return __real_tp_stream_start(stream, events, context);
    }
    reader.stream = stream;
    reader.to = events;
    reader.context = context;
    return __real_tp_stream_start(stream, &own, NULL);
}

void __wrap_tp_stream_pause(tp_stream *stream)
{
    reader.held_back = stream == reader.stream ? true : reader.held_back;
    __real_tp_stream_pause(stream);
}

void __wrap_tp_stream_resume(tp_stream *stream)
{
    if (stream != reader.stream) {
        __real_tp_stream_resume(stream);
        return;
    }
    reader.held_back = false;
    go_on();
}

void __wrap_tp_stream_close(tp_stream *stream)
{
    if (stream != NULL && stream == reader.stream) {
        reader.stream = NULL;
        reader.sleeps = false;
    }
    __real_tp_stream_close(stream);
}

/* ---- Life ------------------------------------------------------------------------------------ */

void reader_on(tp_loop *loop)
{
    tp_error err = {.text = ""};

    memset(&reader, 0, sizeof reader);
    reader.loop = loop;
    if (tp_timer_create(&reader.timer, loop, awake, NULL, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
}

void reader_slow(unsigned polls, uint64_t seed)
{
    reader.polls = polls;
    reader.seed = seed;
    reader.notes = true;
}

const int64_t *reader_arrivals(size_t *count)
{
    *count = reader.count;
    return reader.arrivals;
}

void reader_off(void)
{
    tp_timer_destroy(reader.timer);
    reader.timer = NULL;
    reader.loop = NULL;
    reader.stream = NULL;
}
