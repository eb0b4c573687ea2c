/*
 * floor.c - the least that a server could do: sockets and libuv, no messages, no devices.
 *
 * Scans are one constant block of bytes whose time stamps are renewed before each write. All
 * clients share the block, so the rest of a write that was cut may carry a newer stamp.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <uv.h>

#include "base/endian.h"
#include "bench.h"
#include "peer.h"
#include "troupe/clock.h"
#include "troupe/interfaces/laser.h"

enum { PACE_MS = 10, LOOK_MS = 1, BACKLOG = 511 };

struct client {
    uv_tcp_t tcp;
    uv_write_t write;
    bool writing;
    struct client *next;
};

static struct {
    uv_loop_t loop;
    uv_tcp_t listener;
    uv_timer_t timer;
    peer_flow *flow; /* borrowed */
    int mode;
    struct client *clients; /* owned */
    char greeting[GREETING_SIZE];
    char room[65536];
    char answer[GEOM_SIZE];
    char scans[BATCH_SIZE];
} all; /* one floor per process */

/* ---- Scans ----------------------------------------------------------------------------------- */

static void make_scans(void)
{
    static const uint32_t words[] = {0, 0, TP_LASER_CODE, 0, TP_MSGTYPE_DATA, TP_LASER_DATA_SCAN};

    for (char *scan = all.scans; scan < all.scans + BATCH_SIZE; scan += SCAN_SIZE) {
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            tpi_store_be32(scan + 4 * i, words[i]);
        }
        tpi_store_be32(scan + 36, SCAN_SIZE - HEADER_SIZE);
    }
}

static void stamp_scans(size_t length)
{
    const double now_s = tp_clock_wall_s(tp_clock_real());
    uint64_t bits;

    memcpy(&bits, &now_s, sizeof bits);
    for (size_t at = 0; at < length; at += SCAN_SIZE) {
        tpi_store_be64(all.scans + at + 24, bits);
    }
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void send_batch(struct client *client);

static void on_written(uv_write_t *write, int error)
{
    struct client *client = write->data;

    client->writing = false;
    if (error == 0 && all.mode == FLOOR_FLAT && atomic_load(&all.flow->on)) {
        send_batch(client);
    }
}

static void write_all(struct client *client, size_t from, size_t length)
{
    const uv_buf_t rest = uv_buf_init(all.scans + from, (unsigned)(length - from));

    client->write.data = client;
    client->writing =
        uv_write(&client->write, (uv_stream_t *)&client->tcp, &rest, 1, on_written) == 0;
}

static void send_batch(struct client *client)
{
    if (client == all.clients) { /* a scan counts when it went to one of them */
        atomic_fetch_add(&all.flow->made, BATCH_SIZE / SCAN_SIZE);
    }
    stamp_scans(BATCH_SIZE);
    write_all(client, 0, BATCH_SIZE);
}

/* Whoever still has an older scan to take misses this one. */
static void send_scan(struct client *client)
{
    const uv_buf_t scan = uv_buf_init(all.scans, SCAN_SIZE);

    if (client->writing) {
        return;
    }
    const int written = uv_try_write((uv_stream_t *)&client->tcp, &scan, 1);
    if (written < SCAN_SIZE) {
        write_all(client, written > 0 ? (size_t)written : 0, SCAN_SIZE);
    }
}

static void on_pace(uv_timer_t *timer)
{
    (void)timer;
    if (!atomic_load(&all.flow->on)) {
        return;
    }
    stamp_scans(SCAN_SIZE);
    atomic_fetch_add(&all.flow->made, 1);
    for (struct client *client = all.clients; client != NULL; client = client->next) {
        send_scan(client);
    }
}

static void on_look(uv_timer_t *timer)
{
    if (!atomic_load(&all.flow->on)) {
        return;
    }
    uv_timer_stop(timer);
    for (struct client *client = all.clients; client != NULL; client = client->next) {
        send_batch(client);
    }
}

/* ---- Clients --------------------------------------------------------------------------------- */

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
    (void)handle;
    (void)suggested;
    *room = uv_buf_init(all.room, sizeof all.room);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *room)
{
    const uv_buf_t answer = uv_buf_init(all.answer, sizeof all.answer);

    (void)room;
    if (length > 0) {
        uv_try_write(stream, &answer, 1);
    } else if (length < 0) {
        uv_read_stop(stream); /* it stays in the list; the process does not live long */
    }
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct client *client = calloc(1, sizeof *client);
    const uv_buf_t greeting = uv_buf_init(all.greeting, sizeof all.greeting);

    if (client == NULL || status != 0) {
        bench_give_up("the floor cannot accept");
    }
    uv_tcp_init(&all.loop, &client->tcp);
    if (uv_accept(listener, (uv_stream_t *)&client->tcp) != 0) {
        bench_give_up("the floor cannot accept");
    }
    uv_tcp_nodelay(&client->tcp, 1);
    uv_read_start((uv_stream_t *)&client->tcp, on_room, on_read);
    uv_try_write((uv_stream_t *)&client->tcp, &greeting, 1);
    client->next = all.clients;
    all.clients = client;
}

static unsigned listen_on_any_port(void)
{
    struct sockaddr_in address;
    int length = sizeof address;

    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_init(&all.loop, &all.listener);
    uv_tcp_bind(&all.listener, (const struct sockaddr *)&address, 0);
    if (uv_listen((uv_stream_t *)&all.listener, BACKLOG, on_connection) != 0) {
        bench_give_up("the floor cannot listen");
    }
    uv_tcp_getsockname(&all.listener, (struct sockaddr *)&address, &length);
    return ntohs(address.sin_port);
}

void floor_main(peer_flow *flow, int mode)
{
    prctl(PR_SET_NAME, "floor"); /* for profilers */
    all.flow = flow;
    all.mode = mode;
    make_scans();
    uv_loop_init(&all.loop);
    const unsigned port = listen_on_any_port();
    uv_timer_init(&all.loop, &all.timer);
    if (mode == FLOOR_PACED) {
        uv_timer_start(&all.timer, on_pace, PACE_MS, PACE_MS);
    } else if (mode == FLOOR_FLAT) {
        uv_timer_start(&all.timer, on_look, LOOK_MS, LOOK_MS);
    }
    peer_ready(flow, port);
    uv_run(&all.loop, UV_RUN_DEFAULT);
}
