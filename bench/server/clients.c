/* clients.c - many clients in one process; see clients.h. */
#include "clients.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/endian.h"
#include "bench.h"
#include "troupe/clock.h"
#include "troupe/interfaces/player.h"
#include "troupe/interfaces/position2d.h"

enum { READ_SIZE = 65536, MOST_EVENTS = 512, OPEN_BODY = 28 };

/* ---- One, waiting ---------------------------------------------------------------------------- */

static void send_all(int fd, const void *bytes, size_t length)
{
    if (send(fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) {
        bench_give_up("cannot send");
    }
}

static void receive(int fd, void *bytes, size_t length)
{
    if (recv(fd, bytes, length, MSG_WAITALL) != (ssize_t)length) {
        bench_give_up("a server does not send what it should");
    }
}

/* What goes to the memory of the kernel is not what is measured. */
static void make_buffers_small(int fd)
{
    const int segment = 1400;
    const int bytes = 4096;

    setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

int client_connect(unsigned port, bool small_buffers)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct linger at_once = {.l_onoff = 1}; /* leaves no port waiting behind */
    const int yes = 1;
    char greeting[GREETING_SIZE];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && small_buffers) {
        make_buffers_small(fd);
    }
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        bench_give_up("cannot connect");
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    receive(fd, greeting, sizeof greeting);
    return fd;
}

static void put_request(unsigned char *at, unsigned interf, unsigned index, unsigned subtype,
                        unsigned size)
{
    memset(at, 0, HEADER_SIZE);
    tpi_store_be32(at + 8, interf);
    tpi_store_be32(at + 12, index);
    tpi_store_be32(at + 16, TP_MSGTYPE_REQ);
    tpi_store_be32(at + 20, subtype);
    tpi_store_be32(at + 36, size);
}

static void expect_acknowledgement(const unsigned char *header)
{
    if (tpi_load_be32(header + 16) != TP_MSGTYPE_RESP_ACK) {
        bench_give_up("a request was refused");
    }
}

void client_open_device(int fd, unsigned interf, unsigned index)
{
    unsigned char request[HEADER_SIZE + OPEN_BODY] = {0};
    unsigned char reply[HEADER_SIZE];
    unsigned char body[OPEN_BODY + TP_MAX_DRIVER_STRING_LEN];

    put_request(request, TP_PLAYER_CODE, 0, TP_PLAYER_REQ_DEV, OPEN_BODY);
    tpi_store_be32(request + HEADER_SIZE + 8, interf);
    tpi_store_be32(request + HEADER_SIZE + 12, index);
    tpi_store_be32(request + HEADER_SIZE + 16, TP_OPEN_MODE);
    send_all(fd, request, sizeof request);
    receive(fd, reply, sizeof reply);
    expect_acknowledgement(reply);
    const size_t size = tpi_load_be32(reply + 36);
    if (size < OPEN_BODY || size > sizeof body) {
        bench_give_up("a strange reply");
    }
    receive(fd, body, size);
    if (tpi_load_be32(body + 16) != TP_OPEN_MODE) {
        bench_give_up("a device cannot be opened");
    }
}

void client_read_scans(int fd, int count)
{
    const struct timeval patience = {.tv_sec = 5};
    unsigned char scan[SCAN_SIZE];

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    for (int i = 0; i < count; i++) {
        receive(fd, scan, sizeof scan);
        if (tpi_load_be32(scan + 16) != TP_MSGTYPE_DATA ||
            tpi_load_be32(scan + 36) != SCAN_SIZE - HEADER_SIZE) {
            bench_give_up("this is not a scan");
        }
    }
}

void client_ask(int fd, unsigned index, int times, bench_spread *round_trips)
{
    const tp_clock *clock = tp_clock_real();
    unsigned char request[HEADER_SIZE];
    unsigned char reply[GEOM_SIZE];

    put_request(request, TP_POSITION2D_CODE, index, TP_POSITION2D_REQ_GET_GEOM, 0);
    for (int i = 0; i < times; i++) {
        const int64_t asked_ns = tp_clock_now_ns(clock);
        send_all(fd, request, sizeof request);
        receive(fd, reply, sizeof reply);
        spread_add(round_trips, tp_clock_now_ns(clock) - asked_ns);
    }
}

/* ---- Many ------------------------------------------------------------------------------------ */

/* A connection: what has come of a header, or what is left of a body. */
struct connection {
    int fd;
    uint32_t body_left;
    uint32_t header_length;
    unsigned char header[HEADER_SIZE];
};

struct bench_clients {
    int epoll;
    int count;
    uint64_t messages;
    unsigned char *room;             /* owned */
    struct connection connections[]; /* `count` of them */
};

bench_clients *clients_connect(unsigned port, int count, bool small_buffers)
{
    bench_clients *all = calloc(1, sizeof *all + (size_t)count * sizeof all->connections[0]);

    if (all == NULL || (all->room = malloc(READ_SIZE)) == NULL) {
        bench_give_up("out of memory");
    }
    all->epoll = epoll_create1(EPOLL_CLOEXEC);
    all->count = count;
    for (int i = 0; i < count; i++) {
        struct connection *connection = &all->connections[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        connection->fd = client_connect(port, small_buffers);
        epoll_ctl(all->epoll, EPOLL_CTL_ADD, connection->fd, &event);
    }
    return all;
}

void clients_open_device(bench_clients *all, unsigned interf, unsigned index)
{
    for (int i = 0; i < all->count; i++) {
        client_open_device(all->connections[i].fd, interf, index);
    }
}

void clients_ask(bench_clients *all)
{
    static bench_spread unused;

    for (int i = 0; i < all->count; i++) {
        client_ask(all->connections[i].fd, 0, 1, &unused);
    }
}

void clients_close(bench_clients *all)
{
    for (int i = 0; i < all->count; i++) {
        close(all->connections[i].fd);
    }
    close(all->epoll);
    free(all->room);
    free(all);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void end_header(bench_clients *all, struct connection *connection, double now_s,
                       bench_spread *ages)
{
    const uint64_t bits = tpi_load_be64(connection->header + 24);
    double made_s;

    memcpy(&made_s, &bits, sizeof made_s);
    if (ages != NULL) {
        spread_add(ages, (int64_t)((now_s - made_s) * 1e9));
    }
    all->messages++;
    connection->body_left = tpi_load_be32(connection->header + 36);
    connection->header_length = 0;
}

static uint32_t least(uint32_t a, size_t b)
{
    return a < b ? a : (uint32_t)b;
}

static void parse(bench_clients *all, struct connection *connection, size_t length, double now_s,
                  bench_spread *ages)
{
    const unsigned char *at = all->room;
    const unsigned char *end = at + length;

    while (at < end) {
        const uint32_t skipped = least(connection->body_left, (size_t)(end - at));
        connection->body_left -= skipped;
        at += skipped;
        const uint32_t part = least(HEADER_SIZE - connection->header_length, (size_t)(end - at));
        memcpy(connection->header + connection->header_length, at, part);
        connection->header_length += part;
        at += part;
        if (connection->header_length == HEADER_SIZE) {
            end_header(all, connection, now_s, ages);
        }
    }
}

static void read_connection(bench_clients *all, struct connection *connection, bench_spread *ages)
{
    const ssize_t length = recv(connection->fd, all->room, READ_SIZE, MSG_DONTWAIT);

    if (length <= 0) {
        bench_give_up("a server has closed a connection");
    }
    parse(all, connection, (size_t)length, tp_clock_wall_s(tp_clock_real()), ages);
}

uint64_t clients_read(bench_clients *all, int64_t until_ns, bench_spread *ages)
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
            read_connection(all, events[i].data.ptr, ages);
        }
    }
}
