/* demo_drive.c - the user drives a robot of the demo; see demo_drive.h. */
#include "demo_drive.h"

#include "troupe/client/position2d.h"
#include "typed.h"

/* Longer than it takes until a terminal repeats a key for the first time. */
static const int64_t hold_ns = 700 * TP_NS_PER_MS;

static const double speed_mps = 0.5;
static const double turn_radps = 0.8;

static void stop(struct demo_drive *drive)
{
    const tp_position2d_cmd_vel still = {.state = 1};

    if (drive->proxy != NULL && tp_proxy_is_open(drive->proxy)) {
        tp_position2d_command_vel(drive->proxy, &still, NULL);
    }
    tp_proxy_close(drive->proxy);
    drive->proxy = NULL;
    drive->ahead = drive->turn = (struct demo_axis){0};
}

static void choose(struct demo_drive *drive, uint32_t number)
{
    if (number != drive->chosen) {
        stop(drive);
        drive->chosen = number;
        drive->refused = false;
    }
}

/* The robot with the device position2d:N. */
static void choose_device(struct demo_drive *drive, unsigned device)
{
    for (uint32_t i = 0; i < drive->crew->count; i++) {
        if (drive->crew->members[i].device == device) {
            choose(drive, i);
        }
    }
}

static void on_opened(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    struct demo_drive *drive = context;

    (void)proxy;
    (void)why;
    drive->refused = status != TP_OK;
}

/* Open the robot, unless it is open. */
static void take(struct demo_drive *drive, tp_server *server)
{
    const tp_client_options options = {.name = "troupe demo", .mode = TP_CLIENT_EVERYTHING};
    const unsigned device = drive->crew->members[drive->chosen].device;

    if (drive->client == NULL &&
        tp_client_attach(&drive->client, server, 0, &options, NULL) != TP_OK) {
        drive->refused = true;
        return;
    }
    if (drive->proxy == NULL &&
        tp_client_open_later(drive->client, &tp_interface_position2d, device, TP_WRITE_MODE,
                             on_opened, drive, &drive->proxy, NULL) != TP_OK) {
        drive->refused = true;
    }
}

static void push(struct demo_drive *drive, tp_server *server, struct demo_axis *axis, double speed,
                 int64_t now_ns)
{
    *axis = (struct demo_axis){speed, now_ns + hold_ns};
    take(drive, server);
}

static bool steer(struct demo_drive *drive, tp_server *server, int key, int64_t now_ns)
{
    switch (key) {
    case TYPED_UP:
        push(drive, server, &drive->ahead, speed_mps, now_ns);
        return true;
    case TYPED_DOWN:
        push(drive, server, &drive->ahead, -speed_mps, now_ns);
        return true;
    case TYPED_LEFT:
        push(drive, server, &drive->turn, turn_radps, now_ns);
        return true;
    case TYPED_RIGHT:
        push(drive, server, &drive->turn, -turn_radps, now_ns);
        return true;
    default:
        return false;
    }
}

bool demo_drive_key(struct demo_drive *drive, tp_server *server, int key, int64_t now_ns)
{
    const uint32_t count = drive->crew->count;

    if (count == 0) {
        return false;
    }
    if (key == '\t') {
        choose(drive, (drive->chosen + 1) % count);
    } else if (key == TYPED_BACKTAB) {
        choose(drive, (drive->chosen + count - 1) % count);
    } else if (key >= '0' && key <= '9') {
        choose_device(drive, (unsigned)(key - '0'));
    } else {
        return steer(drive, server, key, now_ns);
    }
    return true;
}

static double speed_of(const struct demo_axis *axis, int64_t now_ns)
{
    return now_ns < axis->until_ns ? axis->speed : 0;
}

void demo_drive_tick(struct demo_drive *drive, int64_t now_ns)
{
    const double ahead = speed_of(&drive->ahead, now_ns);
    const double turn = speed_of(&drive->turn, now_ns);
    const tp_position2d_cmd_vel vel = {.vel = {.px = ahead, .pa = turn}, .state = 1};

    if (drive->proxy == NULL) {
        return;
    }
    if (drive->refused || (ahead == 0 && turn == 0)) {
        stop(drive);
    } else if (tp_proxy_is_open(drive->proxy)) {
        tp_position2d_command_vel(drive->proxy, &vel, NULL);
    }
}

void demo_drive_fini(struct demo_drive *drive)
{
    stop(drive);
    tp_client_destroy(drive->client);
    drive->client = NULL;
}
