/*
 * live.c - see live.h.
 *
 * The process makes the namespace of the server, starts the server there as a process of its own,
 * then goes to the namespace of the client. A thread carries the packets. The server has its usual
 * threads and clock; it ends when its pipe is closed, and sends back where the robot was.
 */
#include "live.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "platform/folder.h"
#include "platform/thread.h"
#include "route.h"
#include "sim/host/served.h"
#include "troupe/motion.h"
#include "troupe/server.h"

enum { SERVER = 1, CLIENT = 2, PORT = 7665 };

static const int64_t LEASE_NS = 30 * TP_NS_PER_S, PATIENCE_NS = 60 * TP_NS_PER_S;
static const int64_t DELAY_NS = TP_NS_PER_S / 2;

static const char config_text[] =
    "open yes\n" /* the namespace has one client */
    "front ( name \"motion\" listen \"10.77.0.1\" port 7665 )\n"
    "driver ( name \"sim\" model \"pioneer\" provides [ \"position2d:0\" \"ptz:0\" ] )\n"
    "driver ( name \"motion\" provides [ \"mechanism:0\" ] urdf \"" BENCH_ROBOTS "/pioneer.urdf\"\n"
    "  requires [ \"position2d:0\" \"head:::ptz:0\" ]\n"
    "  base_velocity [ 0.6 0 1.5 ] base_acceleration [ 1 1 4 ] )\n";

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

static void send_all(int fd, const void *bytes, size_t length)
{
    const char *at = bytes;

    while (length > 0) {
        const ssize_t sent = write(fd, at, length);

        if (sent <= 0 && errno != EINTR) {
            bench_give_up("a pipe is closed");
        }
        at += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
    }
}

static void receive_all(int fd, void *bytes, size_t length)
{
    char *at = bytes;

    while (length > 0) {
        const ssize_t got = read(fd, at, length);

        if (got == 0 || (got < 0 && errno != EINTR)) {
            bench_give_up("the server of a run has ended");
        }
        at += got > 0 ? got : 0;
        length -= got > 0 ? (size_t)got : 0;
    }
}

/* ---- The server ------------------------------------------------------------------------------ */

static struct {
    tp_server *server;
    tpi_sim_host host;
    tpi_sim_served sim;
    tpi_sim_model robot;
    struct places way;
    char folder[64];
} live;

static bool stepped(void *context, const tpi_sim *world)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(world, live.robot);

    (void)context;
    places_add(&live.way, &(struct place){now_ns(), pose.x, pose.y, pose.a});
    return true;
}

static void load_world(void)
{
    const tpi_sim_host_options options = {.seed = 1, .threads = 1};
    char path[128];
    tp_error err = {.text = ""};

    if (tpi_folder_make(live.folder, sizeof live.folder, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    (void)snprintf(path, sizeof path, "%s/live.world", live.folder);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(house_world, file) < 0 || fclose(file) != 0) {
        bench_give_up("%s: it cannot be written", path);
    }
    live.host = (tpi_sim_host){.watcher = {.stepped = stepped}};
    if (tpi_sim_host_load(&live.host, path, &options, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    live.robot = tpi_sim_find(live.host.world, "pioneer");
}

static void serve(void *context)
{
    tp_server_run(context);
    tp_server_destroy(context); /* by the thread that has turned its loop */
}

static void start_server(tpi_thread **thread)
{
    const tp_driver *drivers[] = {&live.sim.driver, NULL};
    const tp_server_options options = {.size = sizeof options,
                                       .kit = &tp_full_kit,
                                       .path = "live.cfg",
                                       .text = config_text,
                                       .drivers = drivers,
                                       .listen = "127.0.0.1"};
    tp_error err = {.text = ""};

    live.sim = (tpi_sim_served){.driver = tpi_sim_served_driver, .host = &live.host};
    if (tp_server_create(&live.server, &options, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    tp_server_begin(live.server);
    if (tpi_thread_start(thread, "server", serve, live.server, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
}

/* The process of the server: until `in` is closed. */
_Noreturn static void be_server(int in, int out)
{
    tpi_thread *thread = NULL;
    char byte = 1;

    load_world();
    start_server(&thread);
    send_all(out, &byte, 1);
    while (read(in, &byte, 1) < 0 && errno == EINTR) {
    }
    tp_server_stop(live.server);
    tpi_thread_join(thread);
    tpi_folder_remove(live.folder);
    send_all(out, &live.way.count, sizeof live.way.count);
    send_all(out, live.way.items, live.way.count * sizeof *live.way.items);
    exit(0);
}

/* ---- The client ------------------------------------------------------------------------------ */

struct client {
    tp_motion *motion;
    char lost[160]; /* why the connection was lost last */
    play_mode mode;
    uint32_t sequence, tag; /* the tag of the last frame */
    int64_t start_ns;
};

/* Handle packages until this time. */
static void handle_until(tp_motion *motion, int64_t until_ns)
{
    while (now_ns() < until_ns) {
        struct pollfd ready = {.fd = tp_motion_fd(motion), .events = POLLIN};
        const int64_t due_ns = tp_motion_deadline(motion);
        const int64_t end_ns = due_ns < until_ns ? due_ns : until_ns;
        const int64_t left_ms = (end_ns - now_ns()) / TP_NS_PER_MS;

        (void)poll(&ready, 1, left_ms > 0 ? (int)left_ms : 0);
        tp_motion_process(motion);
    }
}

static tp_status begin(struct client *c, tp_error *err)
{
    const bool adaptive = c->mode == PLAY_ADAPTIVE;
    const tp_motion_sequence what = {.size = sizeof what,
                                     .mode = adaptive ? TP_MOTION_ADAPTIVE : TP_MOTION_PLAYBACK,
                                     .frames = adaptive ? 0 : ROUTE_FRAMES,
                                     .duration_ns =
                                         adaptive ? 0 : (ROUTE_FRAMES - 1) * ROUTE_STEP_NS,
                                     .paper = c->mode == PLAY_PAPER};

    if (c->mode == PLAY_DELAY) {
        return tp_motion_set_mode(c->motion, TP_MOTION_DELAY, 0, DELAY_NS, &c->tag, err);
    }
    return c->mode == PLAY_DIRECT ? TP_OK
                                  : tp_motion_begin(c->motion, &what, &c->sequence, NULL, err);
}

static tp_status send_frame(struct client *c, int frame, uint64_t base_us, tp_error *err)
{
    double v, omega;

    route_speed(frame, &v, &omega);
    const tp_motion_command command = tp_motion_set_speed(v, 0, omega);
    const tp_motion_when when = {.size = sizeof when,
                                 .mode = TP_MOTION_DELAY,
                                 .time_us = base_us + (uint64_t)frame * 100000,
                                 .ack = frame == ROUTE_FRAMES - 1};

    if (c->mode == PLAY_DIRECT) {
        return tp_motion_call(c->motion, &command, 1, &c->tag, err);
    }
    if (c->mode == PLAY_DELAY) {
        return tp_motion_send(c->motion, &command, 1, &when, &c->tag, err);
    }
    return tp_motion_add(c->motion, c->sequence, frame * ROUTE_STEP_NS, &command, 1, err);
}

static tp_status finish(struct client *c, struct live_result *out, tp_error *err)
{
    tp_motion_summary summary = {0};
    tp_motion_reply *reply = NULL;
    tp_status status;

    if (c->mode == PLAY_DIRECT || c->mode == PLAY_DELAY) {
        status = tp_motion_wait(c->motion, c->tag, 2 * PATIENCE_NS, NULL, err);
        status =
            status == TP_OK ? tp_motion_ask(c->motion, TP_MOTION_ASK_QUEUES, &reply, err) : status;
        out->late = status == TP_OK ? (uint32_t)reply->as.queues.late : 0;
        free(reply);
        return status;
    }
    status = tp_motion_end(c->motion, c->sequence, NULL, err);
    status = status == TP_OK
                 ? tp_motion_wait_end(c->motion, c->sequence, 3 * PATIENCE_NS, &summary, err)
                 : status;
    out->late = summary.late;
    out->stalls = summary.stalls;
    out->held_s = (double)summary.held_us * 1e-6;
    return status;
}

static void changed(void *context, tp_motion *motion, const char *why)
{
    struct client *c = context;

    (void)motion;
    if (why != NULL) {
        (void)snprintf(c->lost, sizeof c->lost, "%.150s", why);
    }
}

static tp_status play(struct client *c, struct live_result *out, tp_error *err)
{
    const tp_motion_options options = {.size = sizeof options,
                                       .name = "bench",
                                       .timeout_ns = PATIENCE_NS,
                                       .lease_ns = LEASE_NS,
                                       .changed = changed,
                                       .context = c};
    tp_status status = tp_motion_connect(&c->motion, "10.77.0.1:7665", &options, err);

    if (status == TP_OK) { /* the clocks are compared several times */
        handle_until(c->motion, now_ns() + 5 * TP_NS_PER_S);
        status = begin(c, err);
    }
    const uint64_t base_us = status == TP_OK ? tp_motion_now_us(c->motion) : 0;
    out->start_ns = now_ns();
    for (int i = 0; i < ROUTE_FRAMES && status == TP_OK; i++) {
        handle_until(c->motion, out->start_ns + i * ROUTE_STEP_NS);
        status = send_frame(c, i, base_us, err);
    }
    status = status == TP_OK ? finish(c, out, err) : status;
    if (status == TP_OK) {
        handle_until(c->motion, now_ns() + TP_NS_PER_S);
    }
    tp_motion_destroy(c->motion);
    return status;
}

/* ---- Both ------------------------------------------------------------------------------------ */

struct carrier {
    int ends[2];
    const struct channel *how;
    uint64_t seed;
    atomic_bool stop;
};

static void carry(void *context)
{
    struct carrier *c = context;

    tun_carry(c->ends, c->how, c->seed, &c->stop);
}

static void take_way(int from, struct places *way, struct live_result *out)
{
    receive_all(from, &way->count, sizeof way->count);
    way->items = malloc((way->count + 1) * sizeof *way->items);
    if (way->items == NULL) {
        bench_give_up("out of memory");
    }
    receive_all(from, way->items, way->count * sizeof *way->items);
    out->places = way->count;
    if (way->count > 1) { /* the first place is that at the start */
        out->first_ns = way->items[1].at_ns;
        out->last_ns = way->items[way->count - 1].at_ns;
    }
}

void live_play(play_mode mode, const struct channel *how, uint64_t seed, struct live_result *out,
               struct places *way)
{
    struct carrier carrier = {.how = how, .seed = seed};
    struct client client = {.mode = mode};
    int to_server[2], from_server[2];
    tpi_thread *thread = NULL;
    tp_error err = {.text = ""};
    char byte;

    *out = (struct live_result){.ok = false};
    carrier.ends[0] = tun_open(SERVER, CLIENT);
    if (pipe(to_server) != 0 || pipe(from_server) != 0) {
        bench_give_up("no pipe: %s", strerror(errno));
    }
    const pid_t server = fork();
    if (server == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)close(to_server[1]);
        be_server(to_server[0], from_server[1]);
    }
    (void)close(to_server[0]);
    (void)close(from_server[1]);
    receive_all(from_server[0], &byte, 1);
    carrier.ends[1] = tun_open(CLIENT, SERVER);
    if (server < 0 || tpi_thread_start(&thread, "link", carry, &carrier, &err) != TP_OK) {
        bench_give_up("the link cannot be started");
    }
    out->ok = play(&client, out, &err) == TP_OK && client.lost[0] == '\0';
    (void)snprintf(out->why, sizeof out->why, "%.130s%s%.90s", err.text,
                   client.lost[0] != '\0' ? "; the connection was lost: " : "", client.lost);
    (void)close(to_server[1]); /* the server ends */
    take_way(from_server[0], way, out);
    atomic_store(&carrier.stop, true);
    tpi_thread_join(thread);
    (void)waitpid(server, NULL, 0);
}
