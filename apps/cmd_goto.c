/*
 * cmd_goto.c - troupe goto: sends a robot to a place and waits until it is there.
 *
 * The robot goes by a planner if the server has one, otherwise by a position2d that takes poses,
 * such as that of vfh. The goal is sent again and again, since the lease of the device ends
 * otherwise; every way out stops the robot first.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "called.h"
#include "lapse.h"
#include "output.h"
#include "remote.h"
#include "troupe/client/planner.h"
#include "troupe/client/position2d.h"

static const char name[] = "goto";
static const double radian = 3.14159265358979323846 / 180;

static const int64_t lease_ns = TP_NS_PER_S; /* a device can have a shorter one */

enum { TICK_MS = 200, WHY = 200, SHOWN_TICKS = 5 };

struct journey {
    struct remote remote;
    struct remote_device device;
    const char *wanted; /* borrowed: the device as the user names it; NULL for none */
    double to[3];       /* m, m, rad */
    size_t given;       /* how many of these */
    double tolerance, angle_tolerance;
    double patience_s; /* 0 for no end */
    bool quiet;
    tp_proxy *proxy;
    bool planned; /* by a planner */
    bool posed;
    tp_pose2d pose;
    double left;         /* m */
    const char *trouble; /* constant: why it does not get on; "" if it does */
    unsigned ticks;
    struct lapse lapse;
    bool arrived;
    int64_t begun_ns;
    tp_status failure;
    char reason[WHY];
};

static void end(struct journey *j, tp_status status, const char *reason)
{
    j->failure = status;
    snprintf(j->reason, sizeof j->reason, "%.*s", WHY - 1, reason);
    remote_stop(&j->remote);
}

static double elapsed_s(const struct journey *j)
{
    return (double)(tp_clock_now_ns(tp_clock_real()) - j->begun_ns) / (double)TP_NS_PER_S;
}

/* ---- What the robot tells -------------------------------------------------------------------- */

static void take_pose(struct journey *j, const tp_pose2d *pose)
{
    if (j->given < 3 && !j->posed) {
        j->to[2] = atan2(j->to[1] - pose->py, j->to[0] - pose->px); /* as it comes */
    }
    j->pose = *pose;
    j->posed = true;
    j->left = hypot(j->to[0] - pose->px, j->to[1] - pose->py);
}

static void take_plan(struct journey *j, const tp_planner_data *data)
{
    const bool ours = hypot(data->goal.px - j->to[0], data->goal.py - j->to[1]) < 1e-3;

    take_pose(j, &data->pos);
    j->trouble = ours && !data->valid && !data->done ? "; there is no way at the moment" : "";
    if (ours && data->done && j->ticks > 0) {
        j->arrived = true;
        remote_stop(&j->remote);
    }
}

static void take_state(struct journey *j, const tp_position2d_data *data)
{
    const bool turned =
        j->given < 3 || fabs(remainder(data->pos.pa - j->to[2], 360 * radian)) < j->angle_tolerance;
    const bool still = fabs(data->vel.px) < 0.01 && fabs(data->vel.pa) < 0.02;

    take_pose(j, &data->pos);
    j->trouble = data->stall != 0 ? "; something is in the way" : "";
    if (j->left <= j->tolerance && turned && still && j->ticks > 0) {
        j->arrived = true;
        remote_stop(&j->remote);
    }
}

static void on_data(tp_proxy *proxy, const tp_msg *msg)
{
    struct journey *j = tp_proxy_context(proxy);
    const unsigned code = tp_msg_header(msg)->subtype;
    const void *payload = tp_msg_payload(msg);
    tpi_buf text = {0};

    if (code == TP_COMMON_DATA_ERROR && payload != NULL) {
        const tp_failure *failure = payload;
        if (failure->code < 0) {
            output_put_clean(&text, failure->text, strnlen(failure->text, failure->text_count));
            end(j, failure->code, tpi_buf_text(&text));
            tpi_buf_fini(&text);
        }
    } else if (j->planned && code == TP_PLANNER_DATA_STATE && payload != NULL) {
        take_plan(j, payload);
    } else if (!j->planned && code == TP_POSITION2D_DATA_STATE && payload != NULL) {
        take_state(j, payload);
    }
}

/* ---- What it sends and prints ---------------------------------------------------------------- */

static tp_status send_goal(struct journey *j, tp_error *err)
{
    const tp_pose2d to = {.px = j->to[0], .py = j->to[1], .pa = j->to[2]};
    const tp_planner_cmd goal = {.goal = to};
    const tp_position2d_cmd_pos pos = {.pos = to, .state = 1};

    return j->planned ? tp_planner_command_goal(j->proxy, &goal, err)
                      : tp_position2d_command_pos(j->proxy, &pos, err);
}

static void show(const struct journey *j)
{
    if (!j->quiet && j->posed && j->ticks % SHOWN_TICKS == 0) {
        printf("at %.2f %.2f, %.2f m to go%s\n", j->pose.px, j->pose.py, j->left, j->trouble);
        fflush(stdout);
    }
}

static void tick(void *context)
{
    struct journey *j = context;
    const double frozen_s =
        lapse_look_s(&j->lapse, tp_clock_now_ns(tp_clock_real()), TICK_MS * TP_NS_PER_MS, lease_ns);
    tp_error err = {0};

    if (frozen_s > 0) {
        tp_fail(&err, TP_E_TIMEOUT, "this program was frozen or busy for %.1f s", frozen_s);
        end(j, err.code, err.text);
        return;
    }
    if (!tp_client_is_connected(j->remote.client)) {
        end(j, TP_E_CLOSED, "the connection is lost; the server stops the robot");
        return;
    }
    if (j->patience_s > 0 && elapsed_s(j) > j->patience_s) {
        end(j, TP_E_TIMEOUT, "the time is over");
        return;
    }
    if (j->posed || j->given == 3) {
        if (send_goal(j, &err) != TP_OK) {
            end(j, TP_E_DENIED, err.text);
            return;
        }
        j->ticks++;
    }
    show(j);
}

/* HALT stops whatever is behind the device. */
static void stop(struct journey *j)
{
    if (tp_proxy_is_open(j->proxy)) {
        (void)tp_proxy_request(j->proxy, TP_COMMON_REQ_HALT, NULL, NULL, NULL);
    }
}

static int report(const struct journey *j, bool interrupted)
{
    if (j->arrived) {
        printf("arrived at %.2f %.2f after %.0f s\n", j->pose.px, j->pose.py, elapsed_s(j));
        return EXIT_DONE;
    }
    if (!j->posed) {
        return command_fail(name, EXIT_FAILED, "%s: %s", j->device.name,
                            interrupted || j->reason[0] == '\0' ? "it does not say where it is"
                                                                : j->reason);
    }
    return command_fail(name, EXIT_FAILED, "%s: %s, %.2f m before the goal; the robot is stopped",
                        j->device.name, interrupted ? "interrupted" : j->reason, j->left);
}

static int perform(struct journey *j)
{
    tp_timer *timer = NULL;
    tp_error err = {0};

    if (tp_timer_create(&timer, tp_client_loop(j->remote.client), tick, j, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    j->lapse.last_ns = j->begun_ns = tp_clock_now_ns(tp_clock_real());
    remote_catch_signals(&j->remote);
    tp_timer_every(timer, TICK_MS * TP_NS_PER_MS);
    const bool interrupted = remote_run(&j->remote);
    stop(j);
    tp_timer_destroy(timer);
    return report(j, interrupted);
}

/* ---- Which device ---------------------------------------------------------------------------- */

/* The planner with the lowest number, otherwise position2d:0. */
static int choose(struct journey *j)
{
    char text[32] = "position2d:0";
    const void *answer = NULL;
    unsigned least = UINT16_MAX + 1;
    tp_error err = {0};

    if (tp_client_request(j->remote.client, TP_PLAYER_REQ_DEVLIST, NULL, &answer, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    const tp_device_devlist *list = answer;
    for (uint32_t i = 0; list != NULL && i < list->devices_count; i++) {
        if (list->devices[i].interf == TP_PLANNER_CODE && list->devices[i].index < least) {
            least = list->devices[i].index;
            snprintf(text, sizeof text, "planner:%u", least);
        }
    }
    return remote_read_device(&j->remote, text, &j->device);
}

static int go(struct journey *j)
{
    int result = remote_connect(&j->remote, TP_CLIENT_FRESH, false);

    if (result == EXIT_DONE && j->device.interface == NULL) {
        result = choose(j);
    }
    if (result == EXIT_DONE && j->device.interface->code != TP_PLANNER_CODE &&
        j->device.interface->code != TP_POSITION2D_CODE) {
        result = command_fail(name, EXIT_USAGE, "%s is neither a planner nor a position2d",
                              j->device.name);
    }
    if (result == EXIT_DONE) {
        j->planned = j->device.interface->code == TP_PLANNER_CODE;
        result = remote_open(&j->remote, &j->device, TP_ALL_MODE, &j->proxy);
    }
    if (result == EXIT_DONE) {
        tp_proxy_set_context(j->proxy, j);
        tp_proxy_on_data(j->proxy, on_data);
        result = perform(j);
    }
    return result;
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int read_place(struct journey *j, const char *text)
{
    double value = 0;

    if (j->given == 3) {
        return command_fail(name, EXIT_USAGE, "a place has X, Y and an angle, not \"%s\" too",
                            text);
    }
    if (tpi_number_read_f64(text, strlen(text), &value) != strlen(text) || !isfinite(value)) {
        return command_fail(name, EXIT_USAGE, "\"%s\" is no number; %s goto X Y [ANGLE]", text,
                            called());
    }
    j->to[j->given] = j->given == 2 ? value * radian : value;
    j->given++;
    return EXIT_DONE;
}

static bool is_number(const char *text)
{
    return (text[0] >= '0' && text[0] <= '9') ||
           (text[0] == '-' && text[1] != '-' && text[1] != 'u');
}

static int read_option(struct journey *j, int argc, char **argv, int *i)
{
    static const char *const known[] = {"--tolerance", "--within", "--quiet", NULL};
    const char *option = argv[*i];

    if (is_number(option)) {
        return read_place(j, option);
    }
    if (remote_has_option(option)) {
        return remote_option(&j->remote, argc, argv, i);
    }
    if (strcmp(option, "--tolerance") == 0) {
        return command_positive(name, argc, argv, i, &j->tolerance);
    }
    if (strcmp(option, "--within") == 0) {
        return command_positive(name, argc, argv, i, &j->patience_s);
    }
    if (strcmp(option, "--quiet") == 0) {
        j->quiet = true;
        return EXIT_DONE;
    }
    if (option[0] != '-' && j->wanted == NULL) {
        j->wanted = option;
        return EXIT_DONE;
    }
    return remote_unexpected(&j->remote, option, known);
}

static int run(int argc, char **argv)
{
    struct journey j = {.tolerance = 0.5, .angle_tolerance = 15 * radian, .trouble = ""};
    int result = remote_init(&j.remote, name);

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        result = read_option(&j, argc, argv, &i);
    }
    if (result == EXIT_DONE && j.wanted != NULL) { /* now the server is known */
        result = remote_read_device(&j.remote, j.wanted, &j.device);
    }
    if (result == EXIT_DONE && j.given < 2) {
        result = command_fail(name, EXIT_USAGE, "where to? %s goto X Y [ANGLE]", called());
    }
    result = result == EXIT_DONE ? go(&j) : result;
    remote_fini(&j.remote);
    return result;
}

const command command_goto = {
    .name = name,
    .summary = "send a robot to a place",
    .help =
        "usage: troupe goto X Y [ANGLE] [DEVICE] [options]\n"
        "\n"
        "Sends a robot to a place, in metres and degrees, and waits until it is there. Without\n"
        "ANGLE the robot stays turned as it comes. DEVICE is a planner, or a position2d that "
        "takes\n"
        "poses (of the driver vfh or nd, or of a simulated robot); by default the first planner "
        "of\n"
        "the server, otherwise position2d:0. The place is in the frame of the device: the map of "
        "a\n"
        "planner, the odometry of a position2d. A planner finds its way through doors, vfh and nd\n"
        "avoid what they see, other devices drive straight on. Ctrl-C stops the robot. The exit\n"
        "code is 0 if it has arrived.\n"
        "\n"
        "  --tolerance M   how near a position2d has to come, in metres (0.5); a planner says\n"
        "                  itself when it is there\n"
        "  --within S      stop the robot if it has not arrived after so many seconds\n"
        "  --quiet         print nothing on the way\n" REMOTE_OPTIONS_HELP "\n"
        "Examples: troupe goto 3 -1.5\n"
        "          troupe goto 3 -1.5 90 position2d:1 --within 60\n",
    .run = run,
};
