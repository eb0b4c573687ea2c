/* sockets.c - see sockets.h. */
#include "sockets.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "troupe/clock.h"

enum { READ_SIZE = 65536, MOST_EVENTS = 512, HEAD = 10 + 13 };

/* A connection: what has come of the head of a frame, or what is left of its body. */
struct connection {
    int fd;
    uint64_t left;
    unsigned length;
    unsigned char head[HEAD];
};

struct bench_sockets {
    int epoll;
    int count;
    uint64_t messages, bytes;
    unsigned char *room;             /* owned */
    struct connection connections[]; /* `count` of them */
};

/* ---- Connecting ------------------------------------------------------------------------------ */

static void send_all(int fd, const void *bytes, size_t length)
{
    if (send(fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) {
        bench_give_up("cannot send");
    }
}

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
    send_all(fd, frame, 6 + (size_t)length);
}

static int connect_one(unsigned port, unsigned channel)
{
    static const char request[] =
        "GET /ws?brief=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Protocol: foxglove.websocket.v1\r\n\r\n";
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct linger at_once = {.l_onoff = 1}; /* leaves no port waiting behind */
    const int yes = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        bench_give_up("cannot connect to the web front");
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    send_all(fd, request, sizeof request - 1);
    read_greeting(fd);
    subscribe(fd, channel);
    return fd;
}

bench_sockets *sockets_connect(unsigned port, int count, unsigned channel)
{
    bench_sockets *all = calloc(1, sizeof *all + (size_t)count * sizeof all->connections[0]);

    if (all == NULL || (all->room = malloc(READ_SIZE)) == NULL) {
        bench_give_up("out of memory");
    }
    all->epoll = epoll_create1(EPOLL_CLOEXEC);
    all->count = count;
    for (int i = 0; i < count; i++) {
        struct connection *connection = &all->connections[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};

        connection->fd = connect_one(port, channel);
        epoll_ctl(all->epoll, EPOLL_CTL_ADD, connection->fd, &event);
    }
    return all;
}

void sockets_close(bench_sockets *all)
{
    for (int i = 0; i < all->count; i++) {
        close(all->connections[i].fd);
    }
    close(all->epoll);
    free(all->room);
    free(all);
}

double sockets_frame_bytes(const bench_sockets *all)
{
    return all->messages > 0 ? (double)all->bytes / (double)all->messages : 0;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The length of the head of a frame, with the 13 bytes that data begins with; 0 if it is not known
 * yet. `*payload` is the length of its body. */
static unsigned head_length(const struct connection *c, uint64_t *payload)
{
    const unsigned extra = c->length < 2               ? 0
                           : (c->head[1] & 127) == 127 ? 8
                           : (c->head[1] & 127) == 126 ? 2
                                                       : 0;

    if (c->length < 2 + extra) {
        return 0;
    }
    *payload = extra == 0 ? c->head[1] & 127U : 0;
    for (unsigned i = 0; i < extra; i++) {
        *payload = *payload << 8 | c->head[2 + i];
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
static void end_head(bench_sockets *all, struct connection *c, unsigned head, uint64_t payload,
                     double now_s, bench_spread *ages)
{
    const unsigned begun = payload < 13 ? (unsigned)payload : 13;
    const unsigned char *body = c->head + head - begun;

    if ((c->head[0] & 15) == 2 && payload > 13 && body[0] == 1) {
        all->messages++;
        all->bytes += payload + head - begun;
        if (ages != NULL) {
            spread_add(ages, (int64_t)(now_s * 1e9 - (double)time_of(body + 5)));
        }
    }
    c->left = payload - begun;
    c->length = 0;
}

static void parse(bench_sockets *all, struct connection *c, size_t length, double now_s,
                  bench_spread *ages)
{
    const unsigned char *at = all->room, *end = at + length;

    while (at < end) {
        const size_t there = (size_t)(end - at);
        uint64_t payload = 0;

        if (c->left > 0) {
            const size_t skipped = c->left < there ? (size_t)c->left : there;
            c->left -= skipped;
            at += skipped;
            continue;
        }
        c->head[c->length++] = *at++;
        const unsigned head = head_length(c, &payload);
        if (head > 0 && c->length == head) {
            end_head(all, c, head, payload, now_s, ages);
        }
    }
}

uint64_t sockets_read(bench_sockets *all, int64_t until_ns, bench_spread *ages)
{
    struct epoll_event events[MOST_EVENTS];
    const tp_clock *clock = tp_clock_real();
    const uint64_t before = all->messages;

    for (;;) {
        const int64_t left_ns = until_ns - tp_clock_now_ns(clock);
        if (left_ns <= 0) {
            return all->messages - before;
        }
        const int ready = epoll_wait(all->epoll, events, MOST_EVENTS,
                                     (int)((left_ns + TP_NS_PER_MS - 1) / TP_NS_PER_MS));
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].data.ptr;
            const ssize_t length = recv(c->fd, all->room, READ_SIZE, MSG_DONTWAIT);

            if (length <= 0) {
                bench_give_up("the web front has closed a connection");
            }
            parse(all, c, (size_t)length, tp_clock_wall_s(clock), ages);
        }
    }
}
