/* link.c - a connection to a motion server: a stream with packages. */
#include <stdio.h>

#include "client/motion/inside.h"

static const size_t MOST_UNREAD = 4 << 20; /* of one package; the server's payloads are smaller */

void tpi_link_flush(tpi_link *link)
{
    size_t length;

    if (link->stream == NULL || link->blocked) {
        return;
    }
    const tp_piece piece = {tpi_talk_unsent(&link->talk, &length), length};
    if (length == 0) {
        return;
    }
    const long taken = tp_stream_try_write(link->stream, &piece, 1);
    if (taken < 0) {
        return; /* the end of the stream is reported later */
    }
    link->blocked = (size_t)taken < length;
    tpi_talk_gone(&link->talk, (size_t)taken);
}

void tpi_link_close(tpi_link *link)
{
    tp_stream_close(link->stream);
    link->stream = NULL;
    link->blocked = false;
    link->talk.ended = true;
}

static void lose(tpi_link *link, const char *why)
{
    tpi_link_close(link);
    link->lost(link->motion, why);
}

/* ---- Events of the stream ---- */

static void on_room(void *context, void **bytes, size_t *length)
{
    tpi_link *link = context;
    static uint8_t spill[256]; /* without memory: read, and not looked at */

    *bytes = tpi_talk_room(&link->talk, length);
    if (*bytes == NULL) {
        *bytes = spill;
        *length = sizeof spill;
    }
}

static void take_record(void *context, const tpi_motion_record *record)
{
    tpi_link *link = context;

    link->took(link->motion, record);
}

static void on_read(void *context, size_t length)
{
    tpi_link *link = context;
    tp_motion *motion = link->motion;
    tp_error err = {0};
    char why[sizeof err.text + 64];

    motion->entered++;
    if (link->talk.in.failed || link->talk.in.length > MOST_UNREAD) {
        lose(link, "out of memory");
    } else if (tpi_talk_came(&link->talk, length, take_record, link, &err) != TP_OK) {
        (void)snprintf(why, sizeof why, "%s: %s", motion->url, err.text);
        lose(link, why);
    } else {
        tpi_link_flush(link);
    }
    motion->entered--;
}

static void on_written(void *context)
{
    tpi_link *link = context;

    link->blocked = false;
    tpi_link_flush(link);
}

static void on_end(void *context, tp_status status)
{
    tpi_link *link = context;
    tp_error err = {0};
    char why[sizeof err.text + 64];

    link->motion->entered++;
    (void)snprintf(why, sizeof why, "%s: the server closed the connection", link->motion->url);
    if (status != TP_OK) {
        tp_stream_error(link->stream, &err);
        (void)snprintf(why, sizeof why, "%s", err.text);
    }
    lose(link, why);
    link->motion->entered--;
}

static const tp_stream_events events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};

static void on_connected(void *context, tp_stream *stream, tp_status status)
{
    tpi_link *link = context;
    tp_error err = {0};

    link->motion->entered++;
    if (status != TP_OK) {
        tp_stream_error(stream, &err);
        lose(link, err.text);
    } else {
        tp_stream_start(stream, &events, link);
        link->made(link->motion);
        tpi_link_flush(link);
    }
    link->motion->entered--;
}

tp_status tpi_link_open(tpi_link *link, tp_error *err)
{
    tpi_talk_clear(&link->talk);
    link->blocked = false;
    return tp_stream_connect(&link->stream, link->motion->loop, link->motion->url, on_connected,
                             link, err);
}
