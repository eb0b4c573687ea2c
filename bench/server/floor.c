/*
 * floor.c - the least that a server could do: sockets and libuv, no messages, no devices.
 *
 * Scans are one constant block of bytes. Flat out, the time stamps of all are renewed before each
 * write. At 100 Hz the block is a ring: each scan gets its stamp when it is due, and every client
 * gets all scans, those that wait for it in one write. All clients share the block, so the rest of
 * a write that was cut may carry a newer stamp.
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

enum { PACE_NS = 10 * TP_NS_PER_MS, LOOK_MS = 1, BACKLOG = 511, RING = BATCH_SIZE / SCAN_SIZE };

struct client {
    uv_tcp_t tcp;
    uv_write_t write;
    bool writing;
    unsigned long sent; /* at 100 Hz: of the scans so far, these are sent or under way */
    struct client *next;
};

static struct {
    uv_loop_t loop;
    uv_tcp_t listener;
    uv_timer_t timer;
    peer_flow *flow; /* borrowed */
    int mode;
    struct client *clients; /* owned */
    unsigned long made;     /* at 100 Hz */
    int64_t due_ns;         /* at 100 Hz: the next scan; 0 before the first */
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

static void put_stamp(char *scan, double stamp_s)
{
    uint64_t bits;

    memcpy(&bits, &stamp_s, sizeof bits);
    tpi_store_be64(scan + 24, bits);
}

static void stamp_scans(void)
{
    const double now_s = tp_clock_wall_s(tp_clock_real());

    for (char *scan = all.scans; scan < all.scans + BATCH_SIZE; scan += SCAN_SIZE) {
        put_stamp(scan, now_s);
    }
}

/* All that are due. One that is late by more than a period was due then, the last one is made now:
 * timers of libuv are late by up to a millisecond, and that is not the age of the scan. */
static void make_due_scans(void)
{
    const int64_t now_ns = tp_clock_now_ns(tp_clock_real());
    const double now_s = tp_clock_wall_s(tp_clock_real());

    if (all.due_ns == 0) {
        all.due_ns = now_ns;
    }
    for (; all.due_ns <= now_ns; all.due_ns += PACE_NS) {
        const int64_t late_ns = now_ns - all.due_ns;
        put_stamp(all.scans + all.made % RING * SCAN_SIZE,
                  late_ns < PACE_NS ? now_s : now_s - (double)late_ns / (double)TP_NS_PER_S);
        all.made++;
        atomic_fetch_add(&all.flow->made, 1);
    }
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void send_batch(struct client *client);
static void send_due(struct client *client);

static void on_written(uv_write_t *write, int error)
{
    struct client *client = write->data;

    client->writing = false;
    if (error != 0 || !atomic_load(&all.flow->on)) {
        return;
    }
    if (all.mode == FLOOR_FLAT) {
        send_batch(client);
    } else {
        send_due(client);
    }
}

static void write_all(struct client *client, const uv_buf_t *parts, unsigned count)
{
    client->write.data = client;
    client->writing =
        uv_write(&client->write, (uv_stream_t *)&client->tcp, parts, count, on_written) == 0;
}

static void send_batch(struct client *client)
{
    const uv_buf_t scans = uv_buf_init(all.scans, BATCH_SIZE);

    if (client == all.clients) { /* a scan counts when it went to one of them */
        atomic_fetch_add(&all.flow->made, BATCH_SIZE / SCAN_SIZE);
    }
    stamp_scans();
    write_all(client, &scans, 1);
}

static void skip(uv_buf_t *part, size_t *written)
{
    const size_t gone = *written < part->len ? *written : part->len;

    part->base += gone;
    part->len -= gone;
    *written -= gone;
}

/* Whatever the client has not got yet, in one write. */
static void send_due(struct client *client)
{
    if (client->writing || client->sent == all.made) {
        return;
    }
    if (all.made - client->sent > RING) { /* the ring has no more: the oldest are lost */
        client->sent = all.made - RING;
    }
    const size_t count = all.made - client->sent;
    const size_t first = client->sent % RING;
    const size_t before_end = count < RING - first ? count : RING - first;
    uv_buf_t parts[] = {
        uv_buf_init(all.scans + first * SCAN_SIZE, (unsigned)(before_end * SCAN_SIZE)),
        uv_buf_init(all.scans, (unsigned)((count - before_end) * SCAN_SIZE))};

    client->sent = all.made;
    const int result = uv_try_write((uv_stream_t *)&client->tcp, parts, count > before_end ? 2 : 1);
    size_t written = result > 0 ? (size_t)result : 0;
    if (written < count * SCAN_SIZE) {
        skip(&parts[0], &written);
        skip(&parts[1], &written);
        write_all(client, parts, 2);
    }
}

static void on_pace(uv_timer_t *timer);

/* When the next scan is due; before the first one, when to look again. */
static void set_pace(void)
{
    const int64_t left_ns =
        all.due_ns == 0 ? LOOK_MS * TP_NS_PER_MS : all.due_ns - tp_clock_now_ns(tp_clock_real());

    uv_update_time(&all.loop);
    uv_timer_start(&all.timer, on_pace,
                   left_ns > 0 ? (uint64_t)(left_ns + TP_NS_PER_MS - 1) / TP_NS_PER_MS : 0, 0);
}

static void on_pace(uv_timer_t *timer)
{
    (void)timer;
    if (atomic_load(&all.flow->on)) {
        make_due_scans();
        for (struct client *client = all.clients; client != NULL; client = client->next) {
            send_due(client);
        }
    }
    set_pace();
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
    client->sent = all.made;
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
        set_pace();
    } else if (mode == FLOOR_FLAT) {
        uv_timer_start(&all.timer, on_look, LOOK_MS, LOOK_MS);
    }
    peer_ready(flow, port);
    uv_run(&all.loop, UV_RUN_DEFAULT);
}
