/* robot.c - see robot.h. */
#include "robot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "platform/folder.h"
#include "platform/thread.h"
#include "troupe/interfaces/actarray.h"

struct noted noted;
unsigned robot_frame_us;
unsigned robot_realtime;
bool robot_patient;

static struct {
    tp_server *server;
    tpi_thread *thread;
    char folder[64];
} running;

int64_t robot_now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

void robot_forget(void)
{
    for (int d = 0; d < DEVICES; d++) {
        atomic_store(&noted.writes[d], 0);
        for (int i = 0; i < MOST_FRAMES; i++) {
            atomic_store(&noted.written_ns[d][i], 0);
        }
    }
}

/* ---- The devices ----------------------------------------------------------------------------- */

struct port {
    tp_device *device;
    unsigned number;
    float positions[JOINTS / DEVICES];
};

static struct port *port_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* A write between the first halt of a panic, at another device, and the halt of its own device. */
static void note_in_flight(int64_t now)
{
    const int64_t after = now - atomic_load(&noted.halted_ns);
    long long longest = atomic_load(&noted.in_flight_ns);

    atomic_fetch_add(&noted.in_flight, 1);
    while (after > longest &&
           !atomic_compare_exchange_strong(&noted.in_flight_ns, &longest, after)) {
    }
}

static tp_status write_positions(tp_device *device, const tp_actarray_multi_position_cmd *ask,
                                 tp_error *err)
{
    struct port *port = port_of(device);
    const int64_t now = robot_now_ns();
    const long frame = lround((double)ask->positions[0] / STEP);

    (void)err;
    if (ask->positions_count == JOINTS / DEVICES) {
        memcpy(port->positions, ask->positions, sizeof port->positions);
    }
    atomic_fetch_add(&noted.writes[port->number], 1);
    atomic_store(&noted.last_write_ns, now);
    const unsigned lifted = atomic_load(&noted.lifted);
    if (atomic_load(&noted.stopped[port->number]) > lifted) {
        atomic_fetch_add(&noted.late_writes, 1);
    } else if (atomic_load(&noted.halted) > lifted) {
        note_in_flight(now);
    }
    if (frame >= 0 && frame < MOST_FRAMES &&
        atomic_load(&noted.written_ns[port->number][frame]) == 0) {
        atomic_store(&noted.written_ns[port->number][frame], now);
    }
    return TP_OK;
}

static void halt(tp_device *device, tp_halt how)
{
    const unsigned number = tp_instance_panic_number(tp_device_instance(device));
    unsigned before = atomic_load(&noted.halted);

    (void)how;
    if (tp_instance_halt_reason(tp_device_instance(device)) != TP_HALT_PANIC || number % 2 == 0) {
        return; /* an even number: it is over already */
    }
    atomic_store(&noted.stopped[port_of(device)->number], number);
    while (number > before) { /* the first one of this panic */
        if (atomic_compare_exchange_strong(&noted.halted, &before, number)) {
            atomic_store(&noted.halted_ns, robot_now_ns());
            break;
        }
    }
    atomic_fetch_add(&noted.epochs, 1);
}

static tp_status port_poll(tp_instance *self, tp_error *err)
{
    struct port *port = tp_instance_state(self);
    tp_actarray_actuator actuators[JOINTS / DEVICES] = {{0}};
    const tp_actarray_data data = {.actuators_count = JOINTS / DEVICES, .actuators = actuators};

    (void)err;
    for (int i = 0; i < JOINTS / DEVICES; i++) {
        actuators[i].position = port->positions[i];
    }
    (void)tp_publish(port->device, TP_ACTARRAY_DATA_STATE, &data, 0);
    return TP_OK;
}

static tp_status port_init(tp_instance *self, tp_error *err)
{
    static const tp_actarray_ops ops = {.cmd_multi_pos = write_positions};
    struct port *port = tp_instance_state(self);

    port->number = (unsigned)tp_param_int(self, "number");
    tp_instance_set_period(self, 20 * TP_NS_PER_MS);
    return tp_offer(self, &tp_interface_actarray, NULL, &ops, NULL, &port->device, err);
}

static const tp_param params[] = {{"number", "1", "0", "which device it is"},
                                  {NULL, NULL, NULL, NULL}};
static const tp_driver_ops port_ops = {.init = port_init, .poll = port_poll, .halt = halt};
static const tp_driver port_driver = {.abi = TP_DRIVER_ABI,
                                      .name = "port",
                                      .summary = "notes when it is written",
                                      .state_size = sizeof(struct port),
                                      .params = params,
                                      .ops = &port_ops};

/* ---- The server ------------------------------------------------------------------------------ */

/* A chain of joints without limits of position. */
static void write_urdf(const char *path)
{
    FILE *file = fopen(path, "w");

    if (file == NULL) {
        bench_give_up("%s: it cannot be written", path);
    }
    (void)fprintf(file, "<robot name=\"bench\"><link name=\"l0\"/>");
    for (int i = 1; i <= JOINTS; i++) {
        (void)fprintf(file,
                      "<link name=\"l%d\"/><joint name=\"j%d\" type=\"continuous\"><parent "
                      "link=\"l%d\"/><child link=\"l%d\"/><axis xyz=\"0 0 1\"/><limit "
                      "velocity=\"100\" effort=\"1\"/></joint>",
                      i, i, i - 1, i);
    }
    (void)fprintf(file, "<troupe>");
    for (int i = 1; i <= JOINTS; i++) {
        (void)fprintf(file, "<joint name=\"j%d\" acceleration=\"100000\"/>", i);
    }
    (void)fprintf(file, "</troupe></robot>");
    (void)fclose(file);
}

static void serve(void *context)
{
    tp_server_run(context);
    tp_server_destroy(context); /* by the thread that has turned its loop */
}

static unsigned motion_port(void)
{
    tp_server_front front;

    for (size_t i = 0; tp_server_front_at(running.server, i, &front); i++) {
        if (strcmp(front.name, "motion") == 0) {
            return front.port;
        }
    }
    bench_give_up("the front motion is not open");
}

unsigned robot_begin(unsigned frame_us)
{
    static const tp_driver *const drivers[] = {&port_driver, NULL};
    char text[1024], path[128];
    tp_error err = {.text = ""};

    robot_frame_us = frame_us;
    if (tpi_folder_make(running.folder, sizeof running.folder, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    (void)snprintf(path, sizeof path, "%s/bench.urdf", running.folder);
    write_urdf(path);
    (void)snprintf(text, sizeof text,
                   "front ( name \"motion\" )\n"
                   "driver ( name \"port\" provides [ \"actarray:0\" ] number 0 )\n"
                   "driver ( name \"port\" provides [ \"actarray:1\" ] number 1 )\n"
                   "driver ( name \"port\" provides [ \"actarray:2\" ] number 2 )\n"
                   "driver ( name \"motion\" provides [ \"mechanism:0\" ] urdf \"%s\" period %g "
                   "clients 256 realtime %u %s requires [ \"j1:::actarray:0\" \"j11:::actarray:1\" "
                   "\"j21:::actarray:2\" ] )\n",
                   path, frame_us * 1e-6, robot_realtime,
                   robot_patient ? "lease 60 max_lease 60 device_lease 60" : "");
    const tp_server_options options = {.size = sizeof options,
                                       .kit = &tp_full_kit,
                                       .path = "bench.cfg",
                                       .text = text,
                                       .drivers = drivers,
                                       .listen = "127.0.0.1",
                                       .any_port = true};

    tp_server_raise_limits();
    if (tp_server_create(&running.server, &options, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    const unsigned port = motion_port();
    tp_server_begin(running.server); /* by the thread that has made it */
    if (tpi_thread_start(&running.thread, "server", serve, running.server, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    return port;
}

void robot_end(void)
{
    tp_server_stop(running.server);
    tpi_thread_join(running.thread);
    tpi_folder_remove(running.folder);
}
