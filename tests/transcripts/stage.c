/*
 * stage.c - a server whose drivers behave as those did with which Player was recorded.
 *
 * They publish when the test says so, by a request to the director (an opaque device on a port of
 * its own), so that a replay needs no clock: "INTERFACE INDEX TIMES COMMANDS" publishes so many
 * times once the device has had so many commands in all.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "troupe/interfaces/blackboard.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/log.h"
#include "troupe/interfaces/map.h"
#include "troupe/interfaces/opaque.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/server.h"

static const char configuration[] =
    "driver ( name \"benchpos\" provides [ \"6700:position2d:0\" ] )\n"
    "driver ( name \"dummy\" provides [ \"6700:laser:0\" ] )\n"
    "driver ( name \"benchscan\" provides [ \"6700:ranger:0\" ] )\n"
    "driver ( name \"benchpos\" provides [ \"6700:position2d:1\" ] )\n"
    "driver ( name \"dummy\" provides [ \"6700:laser:1\" ] )\n"
    "driver ( name \"mapfile\" provides [ \"6700:map:0\" ] )\n"
    "driver ( name \"localbb\" provides [ \"6700:blackboard:0\" ] )\n"
    "driver ( name \"relay\" provides [ \"6700:opaque:0\" ] )\n"
    "driver ( name \"writelog\" provides [ \"6700:log:0\" ] )\n"
    "driver ( name \"director\" provides [ \"6701:opaque:0\" ] )\n";

/* ---- What the director directs --------------------------------------------------------------- */

/* An actor: a device that publishes on demand. */
struct actor {
    tp_device *device;
    void (*publish)(tp_device *device);
    unsigned commands; /* so far */
};

enum { MOST_ACTORS = 8 };

static struct actor actors[MOST_ACTORS];
static unsigned actor_count;

/* What the director was told and has not done yet; one order at a time. */
static struct {
    tp_ticket *ticket; /* NULL if there is none */
    struct actor *actor;
    unsigned times;
    unsigned commands;
} order;

static void add_actor(tp_device *device, void (*publish)(tp_device *device))
{
    actors[actor_count++] = (struct actor){.device = device, .publish = publish};
}

static struct actor *find_actor(unsigned interf, unsigned index)
{
    for (unsigned i = 0; i < actor_count; i++) {
        const tp_devaddr *addr = tp_device_addr(actors[i].device);
        if (addr->interf == interf && addr->index == index) {
            return &actors[i];
        }
    }
    return NULL;
}

static void carry_out(void)
{
    if (order.ticket != NULL && order.actor->commands >= order.commands) {
        for (unsigned i = 0; i < order.times; i++) {
            order.actor->publish(order.actor->device);
        }
        tp_ticket_answer(order.ticket, &(tp_opaque_data){0});
        order.ticket = NULL;
    }
}

static void count_command(const tp_device *device)
{
    for (unsigned i = 0; i < actor_count; i++) {
        actors[i].commands += actors[i].device == device;
    }
    carry_out();
}

static tp_status director_request(tp_device *device, const tp_opaque_data *ask,
                                  tp_opaque_data *answer, tp_error *err)
{
    char text[64] = "";
    unsigned interf;
    unsigned index;

    (void)answer;
    if (ask->data_count < sizeof text) {
        memcpy(text, ask->data, ask->data_count);
    }
    if (sscanf(text, "%u %u %u %u", &interf, &index, &order.times, &order.commands) != 4) {
        return tp_fail(err, TP_E_SYNTAX, "that is no order");
    }
    order.actor = find_actor(interf, index);
    if (order.actor == NULL || order.ticket != NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no such actor, or it is too early for it");
    }
    order.ticket = tp_device_defer(device);
    carry_out();
    return TP_PENDING;
}

static const tp_opaque_ops director_device = {.req_data = director_request};

static tp_status director_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_opaque, NULL, &director_device, NULL, NULL, err);
}

/* ---- benchpos: a vehicle that does not move -------------------------------------------------- */

static void publish_position(tp_device *device)
{
    const tp_position2d_data *data = tp_instance_state(tp_device_instance(device));

    tp_publish(device, TP_POSITION2D_DATA_STATE, data, 0);
}

static tp_status benchpos_velocity(tp_device *device, const tp_position2d_cmd_vel *ask,
                                   tp_error *err)
{
    tp_position2d_data *data = tp_instance_state(tp_device_instance(device));

    (void)err;
    data->vel = ask->vel;
    count_command(device);
    return TP_OK;
}

static tp_status benchpos_geometry(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->pose.px = -0.25;
    answer->size = (tp_bbox3d){.sw = 0.5, .sl = 1.5, .sh = 0.25};
    return TP_OK;
}

static tp_status benchpos_power(tp_device *device, const tp_position2d_power_config *ask,
                                tp_error *err)
{
    (void)device;
    (void)ask;
    (void)err;
    return TP_OK;
}

static tp_status benchpos_odometry(tp_device *device, const tp_position2d_set_odom_req *ask,
                                   tp_error *err)
{
    tp_position2d_data *data = tp_instance_state(tp_device_instance(device));

    (void)err;
    data->pos = ask->pose;
    return TP_OK;
}

static const tp_position2d_ops benchpos_device = {
    .cmd_vel = benchpos_velocity,
    .req_get_geom = benchpos_geometry,
    .req_motor_power = benchpos_power,
    .req_set_odom = benchpos_odometry,
};

static const tp_property_plan benchpos_properties[] = {
    {"anint", TP_PROPERTY_INT, true, "", "", "7", NULL},
    {"adbl", TP_PROPERTY_DOUBLE, true, "", "", "1.5", NULL},
    {"astr", TP_PROPERTY_STRING, true, "", "", "abc", NULL},
    {"abool", TP_PROPERTY_BOOL, true, "", "", "yes", NULL},
};

static tp_status benchpos_init(tp_instance *self, tp_error *err)
{
    tp_device *device;
    tp_status status =
        tp_offer(self, &tp_interface_position2d, NULL, &benchpos_device, NULL, &device, err);

    for (unsigned i = 0; i < 4 && status == TP_OK; i++) {
        status = tp_device_add_property(device, &benchpos_properties[i], err);
    }
    if (status == TP_OK) {
        add_actor(device, publish_position);
    }
    return status;
}

static tp_status benchpos_start(tp_instance *self, tp_error *err)
{
    (void)err;
    memset(tp_instance_state(self), 0, sizeof(tp_position2d_data));
    return TP_OK;
}

/* ---- dummy and benchscan: readings that are always the same ---------------------------------- */

static void publish_scan(tp_device *device)
{
    static float ranges[361];
    static uint8_t intensity[361];
    const tp_laser_data scan = {.min_angle = -1.57079637F,
                                .max_angle = 1.57079637F,
                                .resolution = 0.00872664619F,
                                .max_range = 8,
                                .ranges_count = 361,
                                .ranges = ranges,
                                .intensity_count = 361,
                                .intensity = intensity,
                                .id = 1};

    for (unsigned i = 0; i < 361; i++) {
        ranges[i] = 8;
        intensity[i] = 1;
    }
    tp_publish(device, TP_LASER_DATA_SCAN, &scan, 0);
}

static tp_status dummy_init(tp_instance *self, tp_error *err)
{
    static const tp_laser_ops nothing = {0};
    tp_device *device;
    tp_status status = tp_offer(self, &tp_interface_laser, NULL, &nothing, NULL, &device, err);

    if (status == TP_OK) {
        add_actor(device, publish_scan);
    }
    return status;
}

static void publish_ranges(tp_device *device)
{
    double ranges[] = {8, 8, 8, 8};
    const tp_ranger_data_range data = {.ranges_count = 4, .ranges = ranges};

    tp_publish(device, TP_RANGER_DATA_RANGE, &data, 0);
}

static tp_status benchscan_init(tp_instance *self, tp_error *err)
{
    static const tp_ranger_ops nothing = {0};
    tp_device *device;
    tp_status status = tp_offer(self, &tp_interface_ranger, NULL, &nothing, NULL, &device, err);

    if (status == TP_OK) {
        add_actor(device, publish_ranges);
    }
    return status;
}

/* ---- mapfile: an empty room ------------------------------------------------------------------ */

enum { MAP_WIDTH = 60, MAP_HEIGHT = 40 };

static tp_status mapfile_info(tp_device *device, tp_map_info *answer, tp_error *err)
{
    (void)device;
    (void)err;
    *answer = (tp_map_info){
        .scale = 0.1F, .width = MAP_WIDTH, .height = MAP_HEIGHT, .origin = {.px = -3, .py = -2}};
    return TP_OK;
}

/* Walls around free cells; unknown beyond. */
static int8_t cell(uint32_t x, uint32_t y)
{
    if (x >= MAP_WIDTH || y >= MAP_HEIGHT) {
        return 0;
    }
    return x == 0 || y == 0 || x == MAP_WIDTH - 1 || y == MAP_HEIGHT - 1 ? 1 : -1;
}

static tp_status mapfile_tile(tp_device *device, const tp_map_data *ask, tp_map_data *answer,
                              tp_error *err)
{
    static int8_t cells[MAP_WIDTH * MAP_HEIGHT];

    (void)device;
    if (ask->width > MAP_WIDTH || ask->height > MAP_HEIGHT) {
        return tp_fail(err, TP_E_RANGE, "the tile is larger than the map");
    }
    *answer = *ask;
    answer->data_range = 1;
    answer->data_count = ask->width * ask->height;
    answer->data = cells;
    for (uint32_t i = 0; i < answer->data_count; i++) {
        cells[i] = cell(ask->col + i % ask->width, ask->row + i / ask->width);
    }
    return TP_OK;
}

static const tp_map_ops mapfile_device = {.req_get_info = mapfile_info,
                                          .req_get_data = mapfile_tile};

static tp_status mapfile_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_map, NULL, &mapfile_device, NULL, NULL, err);
}

/* ---- localbb: a blackboard with room for one entry ------------------------------------------- */

static struct {
    bool written;
    tp_blackboard_entry entry;
    char key[32];
    char group[32];
    uint8_t data[32];
} board;

static tp_status localbb_read(tp_device *device, const tp_blackboard_entry *ask,
                              tp_blackboard_entry *answer, tp_error *err)
{
    (void)device;
    (void)err;
    *answer = (tp_blackboard_entry){.key_count = ask->key_count,
                                    .key = ask->key,
                                    .group_count = ask->group_count,
                                    .group = ask->group};
    if (board.written) {
        *answer = board.entry;
    }
    return TP_OK;
}

static tp_status localbb_forget(tp_device *device, const tp_blackboard_entry *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    (void)err;
    return TP_OK;
}

static tp_status localbb_write(tp_device *device, const tp_blackboard_entry *ask, tp_error *err)
{
    if (ask->key_count > sizeof board.key || ask->group_count > sizeof board.group ||
        ask->data_count > sizeof board.data) {
        return tp_fail(err, TP_E_LIMIT, "the board is too small");
    }
    board.entry = *ask;
    board.entry.key = memcpy(board.key, ask->key, ask->key_count);
    board.entry.group = memcpy(board.group, ask->group, ask->group_count);
    board.entry.data = memcpy(board.data, ask->data, ask->data_count);
    board.written = true;
    return tp_publish(device, TP_BLACKBOARD_DATA_UPDATE, &board.entry, 0);
}

static const tp_blackboard_ops localbb_device = {
    .req_subscribe_to_key = localbb_read,
    .req_unsubscribe_from_key = localbb_forget,
    .req_set_entry = localbb_write,
    .req_get_entry = localbb_read,
};

static tp_status localbb_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_blackboard, NULL, &localbb_device, NULL, NULL, err);
}

/* ---- relay and writelog
 * -------------------------------------------------------------------------- */

static tp_status relay_command(tp_device *device, const tp_opaque_data *ask, tp_error *err)
{
    (void)err;
    return tp_publish(device, TP_OPAQUE_DATA_STATE, ask, 0);
}

static const tp_opaque_ops relay_device = {.cmd_data = relay_command};

static tp_status relay_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_opaque, NULL, &relay_device, NULL, NULL, err);
}

static tp_status writelog_state(tp_device *device, tp_log_get_state *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->type = TP_LOG_TYPE_WRITE;
    return TP_OK;
}

static const tp_log_ops writelog_device = {.req_get_state = writelog_state};

static tp_status writelog_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_log, NULL, &writelog_device, NULL, NULL, err);
}

/* ---- The server ------------------------------------------------------------------------------ */

static const tp_driver_ops benchpos_ops = {.init = benchpos_init, .start = benchpos_start};
static const tp_driver_ops dummy_ops = {.init = dummy_init};
static const tp_driver_ops benchscan_ops = {.init = benchscan_init};
static const tp_driver_ops mapfile_ops = {.init = mapfile_init};
static const tp_driver_ops localbb_ops = {.init = localbb_init};
static const tp_driver_ops relay_ops = {.init = relay_init};
static const tp_driver_ops writelog_ops = {.init = writelog_init};
static const tp_driver_ops director_ops = {.init = director_init};

enum { DRIVERS = 8 };

static const struct {
    const char *name;
    const tp_driver_ops *ops;
} cast[DRIVERS] = {
    {"benchpos", &benchpos_ops}, {"dummy", &dummy_ops},       {"benchscan", &benchscan_ops},
    {"mapfile", &mapfile_ops},   {"localbb", &localbb_ops},   {"relay", &relay_ops},
    {"writelog", &writelog_ops}, {"director", &director_ops},
};

static tp_driver drivers[DRIVERS];
static const tp_driver *driver_list[DRIVERS + 1]; /* ended by NULL */

static void make_drivers(void)
{
    for (unsigned i = 0; i < DRIVERS; i++) {
        drivers[i] = (tp_driver){.abi = TP_DRIVER_ABI,
                                 .name = cast[i].name,
                                 .summary = "as it was recorded",
                                 .state_size = sizeof(tp_position2d_data),
                                 .ops = cast[i].ops,
                                 .flags = TP_DRIVER_ON_LOOP};
        driver_list[i] = &drivers[i];
    }
}

static tp_server *running;

static void on_signal(int number)
{
    (void)number;
    tp_server_stop(running);
}

int main(void)
{
    const tp_server_options options = {.path = "stage",
                                       .text = configuration,
                                       .any_port = true,
                                       .udp = true,
                                       .kit = &tp_full_kit,
                                       .drivers = driver_list};
    tp_error err = {0};
    unsigned robot;
    unsigned port;

    make_drivers();
    if (tp_server_create(&running, &options, &err) != TP_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILURE;
    }
    signal(SIGTERM, on_signal);
    tp_server_begin(running);
    for (size_t i = 0; tp_server_port(running, i, &robot, &port); i++) {
        printf("listening on port %u\n", port);
    }
    (void)fflush(stdout);
    tp_server_run(running);
    tp_server_destroy(running);
    return EXIT_SUCCESS;
}
