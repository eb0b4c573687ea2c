/* probe.c - what a peer is that takes a connection and does not greet; see probe.h. */
#include "client/probe.h"

#include <stdlib.h>
#include <string.h>

#include "troupe/stream.h"

/* A server that is busy greets within this time; somebody who waits for a mistake does not mind. */
static const int64_t patience_ns = 400 * TP_NS_PER_MS;

struct tpi_probe {
    tp_loop *loop;     /* borrowed */
    const char *url;   /* borrowed */
    tp_timer *timer;   /* owned */
    tp_stream *stream; /* owned; NULL before it asks, and once it knows enough */
    char answer[8];    /* the first bytes */
    size_t length;
    void (*found)(void *context, tpi_peer what);
    void *context; /* borrowed */
};

static void leave(tpi_probe *probe)
{
    tp_stream_close(probe->stream);
    probe->stream = NULL;
}

static bool begins_with(const tpi_probe *probe, const char *start, size_t length)
{
    return probe->length >= length && memcmp(probe->answer, start, length) == 0;
}

/* Plain text to a server that speaks TLS is answered with an alert. */
static bool is_web(const tpi_probe *probe)
{
    return begins_with(probe, "HTTP/", 5) || begins_with(probe, "\x15\x03", 2);
}

static void judge(tpi_probe *probe)
{
    if (is_web(probe)) {
        leave(probe);
        probe->found(probe->context, TPI_PEER_PAGE);
    } else if (probe->length == sizeof probe->answer) {
        leave(probe); /* a Player server greets this connection, and is only slow with the other */
    }
}

static void on_room(void *context, void **bytes, size_t *length)
{
    tpi_probe *probe = context;

    *bytes = probe->answer + probe->length;
    *length = sizeof probe->answer - probe->length;
}

static void on_read(void *context, size_t length)
{
    tpi_probe *probe = context;

    probe->length += length;
    judge(probe);
}

static void on_written(void *context)
{
    (void)context;
}

/* It does not want what is no message of its protocol. A Player server would have greeted first. */
static void on_end(void *context, tp_status status)
{
    tpi_probe *probe = context;
    const bool refused = status == TP_OK && probe->length == 0;

    leave(probe);
    if (refused) {
        probe->found(probe->context, TPI_PEER_SILENT);
    }
}

static const tp_stream_events events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};

static void on_connected(void *context, tp_stream *stream, tp_status status)
{
    /* Longer than the header of a package of timed motion. */
    static const char question[] = "GET / HTTP/1.0\r\nUser-Agent: troupe\r\n\r\n";
    tpi_probe *probe = context;

    if (status != TP_OK || tp_stream_start(stream, &events, probe) != TP_OK) {
        leave(probe);
        return;
    }
    tp_stream_try_write(stream, &(tp_piece){question, sizeof question - 1}, 1);
}

static void ask(void *context)
{
    tpi_probe *probe = context;

    if (tp_stream_connect(&probe->stream, probe->loop, probe->url, on_connected, probe, NULL) !=
        TP_OK) {
        probe->stream = NULL;
    }
}

tpi_probe *tpi_probe_begin(tp_loop *loop, const char *url,
                           void (*found)(void *context, tpi_peer what), void *context)
{
    tpi_probe *probe = calloc(1, sizeof *probe);

    if (probe == NULL || tp_timer_create(&probe->timer, loop, ask, probe, NULL) != TP_OK) {
        free(probe);
        return NULL;
    }
    probe->loop = loop;
    probe->url = url;
    probe->found = found;
    probe->context = context;
    tp_timer_at(probe->timer, tp_clock_now_ns(tp_loop_clock(loop)) + patience_ns);
    return probe;
}

void tpi_probe_end(tpi_probe *probe)
{
    if (probe != NULL) {
        leave(probe);
        tp_timer_destroy(probe->timer);
        free(probe);
    }
}
