/* robot.c - a server with a base on a line, and the robot at the other side; see robot.h. */
#include "safety/robot.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"
#include "server/machine.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/port.h"
#include "troupe/server.h"

/* ---- bench_base: a letter for whatever happens ----------------------------------------------- */

struct base {
    tp_port *port;
};

static char line_path[64]; /* one robot at a time */

static void put(tp_device *device, char letter)
{
    const struct base *base = tp_instance_state(tp_device_instance(device));

    tp_port_write(base->port, &letter, 1, NULL);
}

static tp_status base_vel(tp_device *device, const tp_position2d_cmd_vel *cmd, tp_error *err)
{
    (void)cmd;
    (void)err;
    put(device, ROBOT_MOVES);
    return TP_OK;
}

static const tp_position2d_ops base_device_ops = {.cmd_vel = base_vel};

static tp_status base_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_position2d, NULL, &base_device_ops, NULL, NULL, err);
}

static tp_status base_start(tp_instance *self, tp_error *err)
{
    struct base *base = tp_instance_state(self);
    const char letter = ROBOT_GUARD;
    char url[80];

    snprintf(url, sizeof url, "unix:%s", line_path);
    tp_status status = tp_port_open(&base->port, self, url, NULL, TP_NEVER, err);
    return status == TP_OK ? tp_port_guard(base->port, &letter, 1, err) : status;
}

static void base_halt(tp_device *device, tp_halt how)
{
    (void)how;
    put(device, ROBOT_HALTS);
}

static const tp_driver_ops base_ops = {.init = base_init, .start = base_start, .halt = base_halt};
static const tp_driver base_driver = {.abi = TP_DRIVER_ABI,
                                      .name = "bench_base",
                                      .summary = "a letter for whatever happens",
                                      .state_size = sizeof(struct base),
                                      .ops = &base_ops};

/* ---- bench_stall: keeps the loop from turning ------------------------------------------------ */

static tp_status stall(tp_device *device, const tp_position2d_cmd_vel *cmd, tp_error *err)
{
    (void)device;
    (void)cmd;
    (void)err;
    machine_rest_ms(STALL_MS);
    return TP_OK;
}

static const tp_position2d_ops stall_device_ops = {.cmd_vel = stall};

static tp_status stall_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_position2d, NULL, &stall_device_ops, NULL, NULL, err);
}

static void stall_halt(tp_device *device, tp_halt how)
{
    (void)device;
    (void)how;
}

static const tp_driver_ops stall_ops = {.init = stall_init, .halt = stall_halt};
static const tp_driver stall_driver = {.abi = TP_DRIVER_ABI,
                                       .name = "bench_stall",
                                       .summary = "keeps the loop from turning",
                                       .ops = &stall_ops,
                                       .flags = TP_DRIVER_ON_LOOP};

/* ---- The server's process -------------------------------------------------------------------- */

static tp_server *running;            /* for the handlers */
static volatile char *running_memory; /* in use until the end */

static void on_panic(int number)
{
    (void)number;
    tp_server_panic_by_signal(running);
}

/* As troupe run does. */
static void on_crash(int number)
{
    tp_server_crash(running);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signal(int number, void (*handler)(int number))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* Each page is touched, so that it is really there. */
static void use_memory(size_t megabytes)
{
    const size_t size = megabytes << 20;

    running_memory = size == 0 ? NULL : malloc(size);
    for (size_t i = 0; running_memory != NULL && i < size; i += 4096) {
        running_memory[i] = 1;
    }
}

static void serve(peer_flow *flow, int megabytes)
{
    static const tp_driver *const drivers[] = {&base_driver, &stall_driver, NULL};
    static const struct rlimit no_core = {0, 0};
    char text[256];
    const tp_server_options options = {.text = text,
                                       .listen = "127.0.0.1",
                                       .any_port = true,
                                       .kit = &tp_full_kit,
                                       .drivers = drivers,
                                       .guard = BENCH_GUARD};
    tp_error err = {0};
    unsigned robot;
    unsigned port;

    use_memory((size_t)megabytes);
    snprintf(text, sizeof text,
             "driver ( name \"bench_base\" provides [\"position2d:0\"] alwayson 1 lease 0.0%d )\n"
             "driver ( name \"bench_stall\" provides [\"position2d:1\"] )\n",
             LEASE_MS);
    if (tp_server_create(&running, &options, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)freopen("/dev/null", "w", stderr); /* what guards say of servers that have died */
    catch_signal(SIGUSR1, on_panic);
    catch_signal(SIGSEGV, on_crash);
    tp_server_begin(running);
    tp_server_port(running, 0, &robot, &port);
    peer_ready(flow, port);
    tp_server_run(running);
}

/* ---- The robot's side ------------------------------------------------------------------------ */

void robot_start(bench_robot *out, int megabytes)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval patience = {.tv_sec = 20};
    char folder[] = "/tmp/troupe-bench-XXXXXX";
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (mkdtemp(folder) == NULL) {
        bench_give_up("cannot make a folder");
    }
    snprintf(line_path, sizeof line_path, "%s/line", folder);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", line_path);
    setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 1) != 0) {
        bench_give_up("cannot listen");
    }
    peer_start(&out->server, serve, megabytes);
    out->line = accept(listener, NULL, NULL);
    if (out->line < 0) {
        bench_give_up("a driver does not open its line");
    }
    setsockopt(out->line, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    close(listener);
    unlink(line_path);
    rmdir(folder);
}

void robot_end(bench_robot *robot)
{
    peer_end(&robot->server);
    close(robot->line);
}

int64_t robot_wait_ns(const bench_robot *robot, char letter)
{
    char got = 0;

    while (got != letter) {
        if (recv(robot->line, &got, 1, 0) != 1) {
            bench_give_up("a robot waits for '%c' in vain", letter);
        }
    }
    return tp_clock_now_ns(tp_clock_real());
}
