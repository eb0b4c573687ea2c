/* subject.c - the server under test in a process of its own, with drivers for the benchmark. */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "bench.h"
#include "fronts/player/player.h"
#include "peer.h"
#include "troupe/front.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/server.h"

enum {
    MOST_AHEAD = 384, /* a flat-out laser waits when so many scans are on their way, */
    FEW_AHEAD = 16,   /* until there are so few */
    FLAT_POLL_MS = 10,
    SESSIONS = 100,
    ROBOT = 6665,
};

static const char configuration[] =
    "driver ( name \"bench_loop\" provides [\"position2d:0\"] )\n"
    "driver ( name \"bench_thread\" provides [\"position2d:1\"] )\n"
    "driver ( name \"bench_laser\" provides [\"laser:0\"] rate 100 )\n"
    "driver ( name \"bench_laser\" provides [\"laser:1\"] rate 0 )\n"
    "driver ( name \"bench_laser\" provides [\"laser:2\"] rate 0 loses no )\n"
    "driver ( name \"bench_laser\" provides [\"laser:3\"] rate 0 intensities no )\n";

/* The same with the web front; the devices keep their order. */
static const char web_front[] = "front ( name \"web\" )\n";

static peer_flow *shared_flow; /* one server per process */

/* ---- bench_loop, bench_thread: answer GET_GEOM ----------------------------------------------- */

static tp_status answer_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->size.sl = 0.5;
    return TP_OK;
}

static const tp_position2d_ops position2d_ops = {.req_get_geom = answer_geom};

static tp_status position2d_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_position2d, NULL, &position2d_ops, NULL, NULL, err);
}

static const tp_driver_ops position2d_driver_ops = {.init = position2d_init};

static const tp_driver on_loop_driver = {.abi = TP_DRIVER_ABI,
                                         .name = "bench_loop",
                                         .summary = "answers on the loop",
                                         .ops = &position2d_driver_ops,
                                         .flags = TP_DRIVER_ON_LOOP};

static const tp_driver threaded_driver = {.abi = TP_DRIVER_ABI,
                                          .name = "bench_thread",
                                          .summary = "answers on its thread",
                                          .ops = &position2d_driver_ops};

/* ---- bench_laser: publishes ------------------------------------------------------------------ */

struct laser {
    tp_device *device;
    bool paced; /* one scan per poll, or as many as there is room for */
    bool loses; /* or it waits for readers that are behind */
    float ranges[RANGES];
    uint8_t intensity[RANGES];
    tp_laser_data scan;
};

static const tp_param laser_params[] = {
    {"rate", "Hz", "0", "scans per second; 0 for as many as the server takes"},
    {"loses", NULL, "yes", "no to wait for readers that are behind"},
    {"intensities", NULL, "yes", "no for scans of ranges only"},
    {NULL}};

static const tp_laser_ops laser_ops = {0};

static tp_status laser_init(tp_instance *self, tp_error *err)
{
    struct laser *laser = tp_instance_state(self);
    const double rate = tp_param_double(self, "rate");

    laser->scan =
        (tp_laser_data){.max_range = 8,
                        .ranges_count = RANGES,
                        .ranges = laser->ranges,
                        .intensity_count = tp_param_bool(self, "intensities") ? RANGES : 0,
                        .intensity = laser->intensity};
    for (int i = 0; i < RANGES; i++) { /* as long in text as those of a real one */
        laser->ranges[i] = 1.5F + 0.0173F * (float)i;
        laser->intensity[i] = (uint8_t)i;
    }
    laser->paced = rate > 0;
    tp_instance_set_period(self, rate > 0 ? (int64_t)((double)TP_NS_PER_S / rate)
                                          : FLAT_POLL_MS * TP_NS_PER_MS);
    const tp_status status =
        tp_offer(self, &tp_interface_laser, NULL, &laser_ops, NULL, &laser->device, err);
    laser->loses = tp_param_bool(self, "loses");
    if (status == TP_OK && !laser->loses) {
        tp_device_keeps(laser->device);
        tp_instance_keep_all(self, true);
    }
    return status;
}

/* Whether it has to wait, as a world in lockstep does. */
static bool is_ahead(tp_instance *self, const struct laser *laser)
{
    return tp_instance_on_its_way(self) >= MOST_AHEAD ||
           (!laser->loses && tp_device_behind(laser->device) > 0);
}

static bool publish(struct laser *laser)
{
    laser->scan.id++;
    if (tp_publish(laser->device, TP_LASER_DATA_SCAN, &laser->scan, 0) != TP_OK) {
        return false;
    }
    atomic_fetch_add(&shared_flow->made, 1);
    return true;
}

/* Flat out: until enough is on its way or no reader has room, so that jobs get a turn. */
static tp_status laser_poll(tp_instance *self, tp_error *err)
{
    struct laser *laser = tp_instance_state(self);

    (void)err;
    if (laser->paced) {
        if (atomic_load(&shared_flow->on)) {
            (void)publish(laser);
        }
        return TP_OK;
    }
    for (int i = 0; i < MOST_AHEAD && atomic_load(&shared_flow->on) && !is_ahead(self, laser) &&
                    publish(laser);
         i++) {
    }
    if (atomic_load(&shared_flow->on)) {
        tp_instance_await_room(self, FEW_AHEAD);
    }
    return TP_OK;
}

static const tp_driver_ops laser_driver_ops = {.init = laser_init, .poll = laser_poll};

static const tp_driver laser_driver = {.abi = TP_DRIVER_ABI,
                                       .name = "bench_laser",
                                       .summary = "publishes scans",
                                       .state_size = sizeof(struct laser),
                                       .params = laser_params,
                                       .ops = &laser_driver_ops};

/* ---- The process ----------------------------------------------------------------------------- */

static tp_server *create(peer_flow *flow, const char *listen, bool web)
{
    char text[sizeof web_front + sizeof configuration];
    static const tp_driver *const drivers[] = {&on_loop_driver, &threaded_driver, &laser_driver,
                                               NULL};
    const tp_server_options options = {.text = text,
                                       .port = ROBOT,
                                       .listen = listen,
                                       .any_port = true,
                                       .kit = &tp_full_kit,
                                       .drivers = drivers};
    tp_server *server = NULL;
    tp_error err = {0};

    snprintf(text, sizeof text, "%s%s", web ? web_front : "", configuration);
    shared_flow = flow;
    tp_server_raise_limits();
    if (tp_server_create(&server, &options, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    tp_server_begin(server);
    return server;
}

void subject_main(peer_flow *flow, int mode)
{
    unsigned robot;
    unsigned port;
    tp_server_front front;
    tp_server *server = create(flow, "127.0.0.1", mode == SUBJECT_WITH_WEB);

    for (size_t i = 0; tp_server_front_at(server, i, &front); i++) {
        flow->web_port = strcmp(front.name, "web") == 0 ? front.port : flow->web_port;
    }
    prctl(PR_SET_NAME, "subject"); /* for profilers */
    tp_server_port(server, 0, &robot, &port);
    peer_ready(flow, port);
    tp_server_run(server);
}

/* ---- Counting encodings ---------------------------------------------------------------------- */

static void ignore(void *context)
{
    (void)context;
}

static void ignore_opened(void *context, const tp_msghdr *request, tp_device *device,
                          tp_status status, const tp_error *err)
{
    (void)context;
    (void)request;
    (void)device;
    if (status != TP_OK) {
        bench_give_up("%s", err->text);
    }
}

static void open_sessions(tp_server *server, tp_session *sessions[SESSIONS])
{
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    static const tp_session_limits limits = {.data = 1, .replies = 1, .requests = 1};
    const tp_msghdr request = {0};

    for (int i = 0; i < SESSIONS; i++) {
        tp_session *session = NULL;
        if (tp_session_create(&session, tp_server_hub(server), ROBOT, &limits, &events, NULL,
                              NULL) != TP_OK ||
            tp_session_open(session, tp_session_find(session, TP_LASER_CODE, SUBJECT_PACED),
                            TP_OPEN_MODE, &request, ignore_opened) != TP_OK) {
            bench_give_up("cannot open a session");
        }
        sessions[i] = session;
    }
}

/* How many different blocks of memory hold the bytes of one scan for all sessions. */
static int count_blocks(tp_session *sessions[SESSIONS])
{
    const void *blocks[SESSIONS];
    int count = 0;

    for (int i = 0; i < SESSIONS; i++) {
        const void *bytes = NULL;
        size_t length;
        int known = 0;
        if (tp_msg_encode(tp_session_peek(sessions[i], 0), &tp_encoding_player, &bytes, &length) !=
            TP_OK) {
            bench_give_up("cannot encode");
        }
        while (known < count && blocks[known] != bytes) {
            known++;
        }
        blocks[known] = bytes;
        count += known == count;
    }
    return count;
}

void subject_count_encodings(peer_flow *flow, int mode)
{
    tp_session *sessions[SESSIONS];
    tp_server *server = create(flow, "", false);

    (void)mode;
    open_sessions(server, sessions);
    atomic_store(&flow->on, true);
    while (tp_session_waiting(sessions[SESSIONS - 1]) == 0) {
        tp_server_step(server, true);
    }
    flow->result = count_blocks(sessions);
    for (int i = 0; i < SESSIONS; i++) {
        tp_session_destroy(sessions[i]);
    }
    tp_server_destroy(server);
    peer_ready(flow, 0);
}
