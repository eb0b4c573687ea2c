/* house.c - see house.h. */
#include "house.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "platform/folder.h"
#include "ports.h"
#include "reader.h"
#include "route.h"
#include "sim/host/served.h"
#include "troupe/server.h"

extern const tp_driver tp_driver_motion;
extern const tp_front tp_front_motion;

/* The robot of configs/motion-pioneer.cfg on an empty floor. Steps of a millisecond: what is left
 * of the phase between the steps and the frames is below a tenth of the path's tolerance. */
const char house_world[] =
    "name \"congestion\"\n"
    "interval_sim 1\n"
    "define neck actuator ( type \"rotational\" noblocks 1 stack_children 0 size [0.08 0.08 0.05] "
    ")\n"
    "position ( name \"pioneer\" pose [0 0 0 0] size [0.44 0.38 0.22] drive \"diff\"\n"
    "  localization \"odom\" odom_error [0 0 0 0]\n"
    "  velocity_bounds [-1 1 0 0 0 0 -180 180] acceleration_bounds [-2 2 0 0 0 0 -360 360]\n"
    "  neck ( name \"pan\" pose [0.08 0 0 0] axis [0 0 1] min_position -1.745329\n"
    "    max_position 1.745329 max_speed 3\n"
    "    neck ( name \"tilt\" axis [0 1 0] min_position -0.436332 max_position 0.436332\n"
    "      max_speed 3 ) ) )\n";

static const char config_text[] =
    "driver ( name \"sim\" model \"pioneer\" provides [ \"position2d:1\" \"ptz:1\" ] lease 0 )\n"
    "driver ( name \"port\" provides [ \"position2d:0\" ] requires [ \"position2d:1\" ] lease 0 )\n"
    "driver ( name \"port\" provides [ \"ptz:0\" ] requires [ \"ptz:1\" ] lease 0 )\n"
    "driver ( name \"motion\" provides [ \"mechanism:0\" ] urdf \"" BENCH_ROBOTS "/pioneer.urdf\"\n"
    "  requires [ \"position2d:0\" \"head:::ptz:0\" ]\n"
    "  base_velocity [ 0.6 0 1.5 ] base_acceleration [ 1 1 4 ] lease 300 max_lease 300 )\n";

static struct {
    tp_server *server;
    tpi_sim_host host;
    tpi_sim_served sim;
    tp_driver motion;
    int64_t now_ns;
    char folder[64], socket[96];
    tpi_sim_model robot;
    struct house_notes notes;
} house;

/* ---- Time ------------------------------------------------------------------------------------ */

static int64_t now_of(const tp_clock *clock)
{
    (void)clock;
    return house.now_ns;
}

static double wall_of(const tp_clock *clock)
{
    (void)clock;
    return 1e9 + (double)house.now_ns * 1e-9;
}

static const tp_clock house_clock = {.now_ns = now_of, .wall_s = wall_of};

int64_t house_now(void)
{
    return house.now_ns;
}

int64_t house_next(void)
{
    return tp_loop_deadline(tp_server_loop(house.server));
}

void house_set(int64_t now_ns)
{
    house.now_ns = now_ns > house.now_ns ? now_ns : house.now_ns;
}

void house_serve(void)
{
    tp_loop *loop = tp_server_loop(house.server);
    struct pollfd ready = {.fd = tp_loop_fd(loop), .events = POLLIN};

    while (tp_loop_deadline(loop) <= house.now_ns || poll(&ready, 1, 0) > 0) {
        tp_server_step(house.server, false);
    }
}

/* ---- The world ------------------------------------------------------------------------------- */

static bool stepped(void *context, const tpi_sim *world)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(world, house.robot);

    (void)context;
    places_add(&house.notes.way, &(struct place){house.now_ns, pose.x, pose.y, pose.a});
    return true;
}

static void load_world(void)
{
    const tpi_sim_host_options options = {.seed = 1, .threads = 1};
    char path[128];
    tp_error err = {.text = ""};

    if (tpi_folder_make(house.folder, sizeof house.folder, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    (void)snprintf(path, sizeof path, "%s/congestion.world", house.folder);
    (void)snprintf(house.socket, sizeof house.socket, "%s/motion", house.folder);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(house_world, file) < 0 || fclose(file) != 0) {
        bench_give_up("%s: it cannot be written", path);
    }
    house.host = (tpi_sim_host){.watcher = {.stepped = stepped}};
    if (tpi_sim_host_load(&house.host, path, &options, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    house.robot = tpi_sim_find(house.host.world, "pioneer");
}

/* ---- The server ------------------------------------------------------------------------------ */

const char *house_socket(void)
{
    return house.socket;
}

void house_open(void)
{
    static const tp_front *const fronts[] = {&tp_front_motion, NULL};
    static tp_kit kit;
    const tp_driver *drivers[] = {&house.sim.driver, &house.motion, &port_driver, NULL};
    const tp_server_options options = {.size = sizeof options,
                                       .kit = &kit,
                                       .path = "congestion.cfg",
                                       .text = config_text,
                                       .drivers = drivers,
                                       .listen = "",
                                       .unix_path = house.socket,
                                       .clock = &house_clock};
    tp_error err = {.text = ""};

    house.now_ns = 1000 * TP_NS_PER_S;
    load_world();
    house.sim = (tpi_sim_served){.driver = tpi_sim_served_driver, .host = &house.host};
    house.sim.driver.flags |= TP_DRIVER_ON_LOOP;
    house.motion = tp_driver_motion;
    house.motion.flags |= TP_DRIVER_ON_LOOP;
    kit = tp_full_kit;
    kit.fronts = fronts;
    port_note(&house.notes.base, &house.notes.head);
    if (tp_server_create(&house.server, &options, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    reader_on(tp_server_loop(house.server));
    tp_server_begin(house.server);
    house_serve();
}

void house_close(struct house_notes *out)
{
    reader_off();
    tp_server_destroy(house.server);
    tpi_sim_host_fini(&house.host);
    tpi_folder_remove(house.folder);
    *out = house.notes;
    house.notes = (struct house_notes){0};
    house.server = NULL;
}

void house_forget(struct house_notes *notes)
{
    free(notes->base.items);
    free(notes->head.items);
    free(notes->way.items);
    *notes = (struct house_notes){0};
}
