/* sockets.c - see sockets.h. */
#include "sockets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "bench.h"
#include "server/crowd.h"
#include "server/dial.h"

enum { HEAD = 10 + 13 };

/* A connection: what has come of the head of a frame, or what is left of its body. */
struct connection {
    uint64_t left;
    unsigned length;
    unsigned char head[HEAD];
};

struct bench_sockets {
    bench_crowd *crowd; /* owned */
    unsigned port, channel;
    uint64_t messages, bytes;
};

/* ---- Connecting ------------------------------------------------------------------------------ */

/* Read up to the end of the answer of HTTP. */
static void read_greeting(int fd)
{
    char text[4096];
    size_t length = 0;

    while (length < 4 || memcmp(text + length - 4, "\r\n\r\n", 4) != 0) {
        if (length == sizeof text || recv(fd, text + length, 1, MSG_WAITALL) != 1) {
            bench_give_up("the web front does not answer");
        }
        length++;
    }
    if (memcmp(text, "HTTP/1.1 101", 12) != 0) {
        bench_give_up("the web front refuses: %.40s", text);
    }
}

static void subscribe(int fd, unsigned channel)
{
    unsigned char frame[128] = {0x81};
    const int length =
        snprintf((char *)frame + 6, sizeof frame - 6,
                 "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":%u}]}", channel);

    frame[1] = (unsigned char)(0x80 | length); /* a mask of zeroes */
    dial_send(fd, frame, 6 + (size_t)length);
}

static int connect_one(void *context)
{
    static const char request[] =
        "GET /ws?brief=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Protocol: foxglove.websocket.v1\r\n\r\n";
    const bench_sockets *all = context;
    const int fd = dial(all->port, false);

    if (fd < 0) {
        bench_give_up("cannot connect to the web front");
    }
    dial_send(fd, request, sizeof request - 1);
    read_greeting(fd);
    subscribe(fd, all->channel);
    return fd;
}

double sockets_frame_bytes(const bench_sockets *all)
{
    return all->messages > 0 ? (double)all->bytes / (double)all->messages : 0;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The length of the head of a frame, with the 13 bytes that data begins with, of which `length`
 * bytes have come; 0 if it is not known yet. `*payload` is the length of its body. */
static unsigned head_length(const unsigned char *at, size_t length, uint64_t *payload)
{
    const unsigned extra = length < 2 ? 0 : (at[1] & 127) == 127 ? 8 : (at[1] & 127) == 126 ? 2 : 0;

    if (length < 2 + extra) {
        return 0;
    }
    *payload = extra == 0 ? at[1] & 127U : 0;
    for (unsigned i = 0; i < extra; i++) {
        *payload = *payload << 8 | at[2 + i];
    }
    return 2 + extra + (*payload < 13 ? (unsigned)*payload : 13);
}

static uint64_t time_of(const unsigned char *at)
{
    uint64_t time = 0;

    for (int i = 7; i >= 0; i--) {
        time = time << 8 | at[i];
    }
    return time;
}

/* A head is whole: of data the age counts. */
static void end_head(bench_sockets *all, struct connection *c, const unsigned char *at,
                     unsigned head, uint64_t payload, double now_s, bench_spread *ages)
{
    const unsigned begun = payload < 13 ? (unsigned)payload : 13;
    const unsigned char *body = at + head - begun;

    if ((at[0] & 15) == 2 && payload > 13 && body[0] == 1) {
        all->messages++;
        all->bytes += payload + head - begun;
        if (ages != NULL) {
            spread_add(ages, (int64_t)(now_s * 1e9 - (double)time_of(body + 5)));
        }
    }
    c->left = payload - begun;
    c->length = 0;
}

/* A message counts when its head is whole. Heads that have come in parts are put together. */
static uint64_t parse(void *context, void *state, const unsigned char *at, size_t length,
                      double now_s, bench_spread *ages)
{
    bench_sockets *all = context;
    struct connection *c = state;
    const unsigned char *end = at + length;
    const uint64_t before = all->messages;

    while (at < end) {
        const size_t there = (size_t)(end - at);
        uint64_t payload = 0;

        if (c->left > 0) {
            const size_t skipped = c->left < there ? (size_t)c->left : there;
            c->left -= skipped;
            at += skipped;
        } else if (c->length == 0 && there >= HEAD) {
            const unsigned head = head_length(at, there, &payload);
            end_head(all, c, at, head, payload, now_s, ages);
            at += head;
        } else {
            c->head[c->length++] = *at++;
            const unsigned head = head_length(c->head, c->length, &payload);
            if (head > 0 && c->length == head) {
                end_head(all, c, c->head, head, payload, now_s, ages);
            }
        }
    }
    return all->messages - before;
}

/* ---- All of them ----------------------------------------------------------------------------- */

bench_sockets *sockets_connect(unsigned port, int count, unsigned channel)
{
    bench_sockets *all = calloc(1, sizeof *all);

    if (all == NULL) {
        bench_give_up("out of memory");
    }
    const crowd_kind kind = {.server = "the web front",
                             .state_size = sizeof(struct connection),
                             .parse = parse,
                             .context = all};
    all->port = port;
    all->channel = channel;
    all->crowd = crowd_create(&kind, count, connect_one, all);
    return all;
}

void sockets_close(bench_sockets *all)
{
    crowd_close(all->crowd);
    free(all);
}

uint64_t sockets_read(bench_sockets *all, int64_t until_ns, bench_spread *ages)
{
    return crowd_read(all->crowd, until_ns, ages);
}
