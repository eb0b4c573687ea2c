/* clients.c - many clients in one process; see clients.h. */
#include "clients.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/endian.h"
#include "bench.h"
#include "dial.h"
#include "troupe/clock.h"
#include "troupe/interfaces/player.h"
#include "troupe/interfaces/position2d.h"

enum { OPEN_BODY = 28 };

/* ---- One, waiting ---------------------------------------------------------------------------- */

int client_connect(unsigned port, bool small_buffers)
{
    char greeting[GREETING_SIZE];
    const int fd = dial(port, small_buffers);

    if (fd < 0) {
        bench_give_up("cannot connect");
    }
    dial_receive(fd, greeting, sizeof greeting);
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
    dial_send(fd, request, sizeof request);
    dial_receive(fd, reply, sizeof reply);
    expect_acknowledgement(reply);
    const size_t size = tpi_load_be32(reply + 36);
    if (size < OPEN_BODY || size > sizeof body) {
        bench_give_up("a strange reply");
    }
    dial_receive(fd, body, size);
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
        dial_receive(fd, scan, sizeof scan);
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
        dial_send(fd, request, sizeof request);
        dial_receive(fd, reply, sizeof reply);
        spread_add(round_trips, tp_clock_now_ns(clock) - asked_ns);
    }
}

/* ---- Many ------------------------------------------------------------------------------------ */

/* A connection: what has come of a header, or what is left of a body. */
struct connection {
    uint32_t body_left;
    uint32_t header_length;
    unsigned char header[HEADER_SIZE];
};

static void end_header(struct connection *connection, double now_s, bench_spread *ages)
{
    const uint64_t bits = tpi_load_be64(connection->header + 24);
    double made_s;

    memcpy(&made_s, &bits, sizeof made_s);
    if (ages != NULL) {
        spread_add(ages, (int64_t)((now_s - made_s) * 1e9));
    }
    connection->body_left = tpi_load_be32(connection->header + 36);
    connection->header_length = 0;
}

static uint32_t least(uint32_t a, size_t b)
{
    return a < b ? a : (uint32_t)b;
}

/* A message counts when its header is whole. */
static uint64_t parse(void *context, void *state, const unsigned char *at, size_t length,
                      double now_s, bench_spread *ages)
{
    struct connection *connection = state;
    const unsigned char *end = at + length;
    uint64_t messages = 0;

    (void)context;
    while (at < end) {
        const uint32_t skipped = least(connection->body_left, (size_t)(end - at));
        connection->body_left -= skipped;
        at += skipped;
        const uint32_t part = least(HEADER_SIZE - connection->header_length, (size_t)(end - at));
        memcpy(connection->header + connection->header_length, at, part);
        connection->header_length += part;
        at += part;
        if (connection->header_length == HEADER_SIZE) {
            end_header(connection, now_s, ages);
            messages++;
        }
    }
    return messages;
}

struct target {
    unsigned port;
    bool small_buffers;
};

static int connect_to(void *context)
{
    const struct target *target = context;

    return client_connect(target->port, target->small_buffers);
}

bench_crowd *clients_connect(unsigned port, int count, bool small_buffers)
{
    const crowd_kind kind = {
        .server = "a server", .state_size = sizeof(struct connection), .parse = parse};
    struct target target = {port, small_buffers};

    return crowd_create(&kind, count, connect_to, &target);
}

void clients_open_device(const bench_crowd *clients, unsigned interf, unsigned index)
{
    for (int i = 0; i < crowd_count(clients); i++) {
        client_open_device(crowd_socket(clients, i), interf, index);
    }
}

void clients_ask(const bench_crowd *clients)
{
    static bench_spread unused;

    for (int i = 0; i < crowd_count(clients); i++) {
        client_ask(crowd_socket(clients, i), 0, 1, &unused);
    }
}
