/*
 * stopwatch.c - a plug-in for trials: a base that notes when it is moved and stopped, a driver that
 * keeps the loop busy, and one that passes data on.
 *
 * `stopwatch` is a position2d with a thread of its own, as a driver of hardware is. RESET_ODOM
 * makes it wait until somebody has written to its `gate`, a FIFO. What happens is noted on a board
 * (board.h). With a `port` it writes lines there: "V SPEED" when it is to move, "S" when a panic
 * stops it, "H" when anything else does, and "T" once in each `tick`; these three with the time.
 * `blocker` is a dio on the loop: the value that it is sent is for how many milliseconds it does
 * not give it back; with 0 it waits at its `gate`. `carrier` is a dio with a thread of its own
 * whose inputs are those of another.
 *
 * With `watch yes` an instance keeps watches in the server; drivers of hardware have no threads.
 */
#include <pthread.h>
#include <stdio.h>

#include "board.h"
#include "troupe/driver/dio.h"
#include "troupe/driver/position2d.h"
#include "troupe/port.h"

enum { WATCH_IN_SERVER = 4 }; /* and the next one */

struct stopwatch {
    board *board; /* owned */
    unsigned slot;
    tp_device *device; /* borrowed */
    tp_port *port;     /* owned; NULL without a line */
    pthread_t watches[2];
    unsigned watch_count;
};

static const tp_param stopwatch_params[] = {
    {"board", NULL, NULL, "the file of the board"},
    {"slot", "1", "0", "where it notes what happens"},
    {"port", "line", "", "a line; none without"},
    {"tick", "s", "0", "how often it writes a line that moves nothing"},
    {"gate", NULL, "", "a FIFO that RESET_ODOM waits for"},
    {"watch", "bool", "no", "whether it keeps watches in this process"},
    {NULL, NULL, NULL, NULL},
};

static tp_status stopwatch_geometry(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->size.sl = answer->size.sw = 1;
    return TP_OK;
}

static tp_status stopwatch_move(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    const struct stopwatch *s = tp_device_context(device);
    tp_status status = TP_OK;

    if (s->port != NULL) {
        status = tp_port_printf(s->port, err, "V %.6f\n", ask->vel.px);
    }
    board_note(s->board, s->slot, status == TP_OK ? BOARD_MOVE : BOARD_REFUSED, board_now_ns(),
               ask->vel.px);
    return status;
}

/* Until somebody has opened the gate to write and closed it again: as a driver does whose hardware
 * is slow. */
static tp_status wait_at_gate(tp_device *device, tp_error *err)
{
    FILE *gate = fopen(tp_param_string(tp_device_instance(device), "gate"), "r");

    if (gate == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED, "there is no gate");
    }
    while (fgetc(gate) != EOF) {
    }
    fclose(gate);
    return TP_OK;
}

static void stopwatch_halt(tp_device *device, tp_halt how)
{
    const struct stopwatch *s = tp_device_context(device);
    const bool panic = tp_instance_halt_reason(tp_device_instance(device)) == TP_HALT_PANIC;
    const long long now_ns = board_now_ns();

    if (s->port != NULL) {
        tp_port_printf(s->port, NULL, "%c %lld\n", panic ? 'S' : 'H', now_ns);
    }
    board_note(s->board, s->slot, panic ? BOARD_PANIC : BOARD_HALT, board_now_ns(), how);
}

static const tp_position2d_ops base_ops = {
    .req_get_geom = stopwatch_geometry,
    .req_reset_odom = wait_at_gate,
    .cmd_vel = stopwatch_move,
};

static void *keep_first_watch(void *context)
{
    board_keep_watch(context, WATCH_IN_SERVER, -1);
    return NULL;
}

static void *keep_second_watch(void *context)
{
    board_keep_watch(context, WATCH_IN_SERVER + 1, -1);
    return NULL;
}

static void keep_watches(struct stopwatch *s)
{
    s->watch_count += pthread_create(&s->watches[0], NULL, keep_first_watch, s->board) == 0;
    s->watch_count += s->watch_count == 1 &&
                      pthread_create(&s->watches[1], NULL, keep_second_watch, s->board) == 0;
}

static tp_status find_board(tp_instance *self, board **out, tp_error *err)
{
    *out = board_open(tp_param_string(self, "board"), false);
    return *out != NULL ? TP_OK : tp_fail(err, TP_E_IO, "there is no board");
}

static tp_status stopwatch_init(tp_instance *self, tp_error *err)
{
    struct stopwatch *s = tp_instance_state(self);
    tp_status status = find_board(self, &s->board, err);

    s->slot = (unsigned)tp_param_int(self, "slot");
    tp_instance_set_period(self, (int64_t)(tp_param_double(self, "tick") * TP_NS_PER_S));
    if (status == TP_OK) {
        status = tp_offer_position2d(self, NULL, &base_ops, &s->device, err);
    }
    if (status == TP_OK) {
        tp_device_set_context(s->device, s);
    }
    if (status == TP_OK && tp_param_bool(self, "watch")) {
        keep_watches(s);
    }
    return status;
}

static tp_status stopwatch_start(tp_instance *self, tp_error *err)
{
    struct stopwatch *s = tp_instance_state(self);
    const char *port = tp_param_string(self, "port");
    const int64_t deadline_ns = tp_clock_now_ns(tp_instance_clock(self)) + 10 * TP_NS_PER_S;

    return port[0] == '\0' ? TP_OK : tp_port_open(&s->port, self, port, NULL, deadline_ns, err);
}

static tp_status stopwatch_poll(tp_instance *self, tp_error *err)
{
    const struct stopwatch *s = tp_instance_state(self);
    const long long now_ns = board_now_ns();
    const tp_status status =
        s->port == NULL ? TP_OK : tp_port_printf(s->port, err, "T %lld\n", now_ns);

    return status == TP_E_DENIED ? TP_OK : status;
}

static void stopwatch_stop(tp_instance *self)
{
    struct stopwatch *s = tp_instance_state(self);

    board_note(s->board, s->slot, BOARD_STOP, board_now_ns(), 0);
    tp_port_close(s->port);
    s->port = NULL;
}

static void stopwatch_fini(tp_instance *self)
{
    struct stopwatch *s = tp_instance_state(self);

    for (unsigned i = 0; i < s->watch_count; i++) {
        board_end_watch(s->board, WATCH_IN_SERVER + i);
        pthread_join(s->watches[i], NULL);
    }
    if (s->board != NULL) {
        board_close(s->board);
    }
}

static const tp_driver_ops stopwatch_ops = {
    .init = stopwatch_init,
    .start = stopwatch_start,
    .poll = stopwatch_poll,
    .halt = stopwatch_halt,
    .stop = stopwatch_stop,
    .fini = stopwatch_fini,
};

extern const tp_driver tp_driver_stopwatch;

TP_API const tp_driver tp_driver_stopwatch = {
    .abi = TP_DRIVER_ABI,
    .name = "stopwatch",
    .summary = "a base that notes when it is moved and stopped",
    .state_size = sizeof(struct stopwatch),
    .params = stopwatch_params,
    .ops = &stopwatch_ops,
};

/* ---- What a loop must not do ----------------------------------------------------------------- */

struct blocker {
    board *board; /* owned */
    unsigned slot;
    tp_device *device; /* borrowed */
};

static const tp_param blocker_params[] = {
    {"board", NULL, NULL, "the file of the board"},
    {"slot", "1", "0", "where it notes what happens"},
    {"gate", NULL, "", "a FIFO that 0 waits for"},
    {NULL, NULL, NULL, NULL},
};

static tp_status blocker_block(tp_device *device, const tp_dio_cmd *ask, tp_error *err)
{
    const struct blocker *b = tp_device_context(device);
    const int64_t until_ns = board_now_ns() + (int64_t)ask->digout * TP_NS_PER_S / 1000;

    if (ask->digout == 0) {
        return wait_at_gate(device, err);
    }
    board_note(b->board, b->slot, BOARD_BUSY, board_now_ns(), ask->digout);
    while (board_now_ns() < until_ns) {
    }
    board_note(b->board, b->slot, BOARD_FREE, board_now_ns(), ask->digout);
    return TP_OK;
}

static const tp_dio_ops block_ops = {.cmd_values = blocker_block};

static tp_status blocker_init(tp_instance *self, tp_error *err)
{
    struct blocker *b = tp_instance_state(self);
    tp_status status = find_board(self, &b->board, err);

    b->slot = (unsigned)tp_param_int(self, "slot");
    if (status == TP_OK) {
        status = tp_offer_dio(self, NULL, &block_ops, &b->device, err);
    }
    if (status == TP_OK) {
        tp_device_set_context(b->device, b);
    }
    return status;
}

static void blocker_fini(tp_instance *self)
{
    struct blocker *b = tp_instance_state(self);

    if (b->board != NULL) {
        board_close(b->board);
    }
}

static const tp_driver_ops blocker_ops = {.init = blocker_init, .fini = blocker_fini};

extern const tp_driver tp_driver_blocker;

TP_API const tp_driver tp_driver_blocker = {
    .abi = TP_DRIVER_ABI,
    .name = "blocker",
    .summary = "keeps the loop busy",
    .state_size = sizeof(struct blocker),
    .params = blocker_params,
    .ops = &blocker_ops,
    .flags = TP_DRIVER_ON_LOOP,
};

/* ---- Data that goes through a thread --------------------------------------------------------- */

struct carrier {
    tp_link *link;     /* borrowed */
    tp_device *device; /* borrowed */
};

static const tp_dio_ops carrier_dio_ops = {0};

static tp_status carrier_init(tp_instance *self, tp_error *err)
{
    struct carrier *c = tp_instance_state(self);
    const tp_status status = tp_require(self, &tp_interface_dio, NULL, &c->link, err);

    return status == TP_OK ? tp_offer_dio(self, NULL, &carrier_dio_ops, &c->device, err) : status;
}

static void carrier_data(tp_instance *self, tp_link *link, const tp_msg *msg)
{
    const struct carrier *c = tp_instance_state(self);

    (void)link;
    if (tp_msg_header(msg)->subtype == TP_DIO_DATA_VALUES) {
        tp_publish(c->device, TP_DIO_DATA_VALUES, tp_msg_payload(msg), 0);
    }
}

static const tp_driver_ops carrier_ops = {.init = carrier_init, .data = carrier_data};

extern const tp_driver tp_driver_carrier;

TP_API const tp_driver tp_driver_carrier = {
    .abi = TP_DRIVER_ABI,
    .name = "carrier",
    .summary = "passes inputs on",
    .state_size = sizeof(struct carrier),
    .ops = &carrier_ops,
};
