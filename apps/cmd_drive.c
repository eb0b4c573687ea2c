/*
 * cmd_drive.c - troupe drive: a robot driven from the terminal, by keys or a gamepad.
 *
 * It is a client like any other: leases, ranks, exclusive access and panic apply to it. It sends a
 * velocity only while somebody drives, so that others can drive when nobody does. Every way out
 * stops the robot first; if the program dies, the lease does.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "called.h"
#include "output.h"
#include "remote.h"
#include "stick.h"
#include "terminal.h"
#include "troupe/client/position2d.h"
#include "typed.h"

static const char name[] = "drive";

enum { TICK_MS = 50, LINES = 8, MOVER = 96, WHY = 200 };

static const int64_t ask_ns = 500 * TP_NS_PER_MS;  /* how often the mover is asked for */
static const int64_t refusal_ns = 4 * TP_NS_PER_S; /* how long a refusal is shown */

struct drive {
    struct remote remote;
    struct remote_device device;
    const char *wanted;  /* borrowed: the device as the user names it; NULL for none */
    const char *gamepad; /* the file; NULL for none */
    int pad;             /* the gamepad; -1 if there is none */
    bool exclusive;
    bool live; /* there is a terminal */
    tp_proxy *proxy;
    struct stick stick;
    struct typed typed;
    bool moving; /* the last command was to move */
    int64_t asked_ns;
    char mover[MOVER]; /* who moves the device; "" for nobody */
    bool mine;
    char why[WHY]; /* the last refusal */
    int64_t why_ns;
    tp_status failure; /* why it has ended */
    char reason[WHY];
};

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

static void end(struct drive *d, tp_status status, const char *reason)
{
    d->failure = status;
    snprintf(d->reason, sizeof d->reason, "%s", reason);
    remote_stop(&d->remote);
}

/* ---- The screen ------------------------------------------------------------------------------ */

static void put_line(tpi_buf *out, unsigned line, const char *text, size_t columns)
{
    const size_t length = strlen(text);

    tpi_buf_printf(out, "\033[%u;1H\033[K", line);
    tpi_buf_put(out, text, length < columns ? length : columns);
}

static void put_state(const struct drive *d, tpi_buf *out, size_t columns)
{
    const tp_msg *msg = tp_proxy_latest(d->proxy, TP_POSITION2D_DATA_STATE);
    const tp_position2d_data *data = msg == NULL ? NULL : tp_msg_payload(msg);
    char text[160];

    if (data == NULL) {
        put_line(out, 3, "  pose     no data so far", columns);
        put_line(out, 4, "", columns);
        return;
    }
    snprintf(text, sizeof text, "  pose     x %.2f m, y %.2f m, heading %.0f degrees", data->pos.px,
             data->pos.py, data->pos.pa * 180 / 3.14159265358979);
    put_line(out, 3, text, columns);
    snprintf(text, sizeof text, "  moves    %.2f m/s, %.2f rad/s%s", data->vel.px, data->vel.pa,
             data->stall ? ", something is in the way" : "");
    put_line(out, 4, text, columns);
}

static void put_holder(const struct drive *d, tpi_buf *out, size_t columns)
{
    char text[MOVER + 40];

    snprintf(text, sizeof text, "  driver   %s%s", d->mine ? "you: " : "",
             d->mover[0] == '\0' ? "nobody" : d->mover);
    put_line(out, 6, text, columns);
}

static void draw(struct drive *d)
{
    tpi_buf out = {0};
    char text[240];
    size_t columns = 80;
    size_t lines = LINES;
    size_t written = 0;
    double ahead = 0;
    double turn = 0;

    output_size(&columns, &lines);
    stick_velocity(&d->stick, now_ns(), &ahead, &turn);
    snprintf(text, sizeof text, "%s at %s", d->device.name, remote_url(&d->remote));
    put_line(&out, 1, text, columns);
    put_state(d, &out, columns);
    snprintf(text, sizeof text, "  command  %.2f m/s, %.2f rad/s   (keys: %.2f m/s, %.2f rad/s)",
             ahead, turn, d->stick.speed_mps, d->stick.turn_radps);
    put_line(&out, 5, text, columns);
    put_holder(d, &out, columns);
    put_line(&out, 7, now_ns() - d->why_ns < refusal_ns ? d->why : "", columns);
    put_line(&out, 8, "arrows drive, + and - change the speed, space stops, q or Ctrl-C quits",
             columns);
    if (out.failed || terminal_write(tpi_buf_text(&out), out.length, TICK_MS, &written) != TP_OK) {
        end(d, TP_E_CLOSED, "the terminal is gone");
    }
    tpi_buf_fini(&out);
}

/* ---- Input ----------------------------------------------------------------------------------- */

/* Whether it is one that ends the command. */
static bool take_key(struct drive *d, int key, int64_t came_ns)
{
    (void)stick_key(&d->stick, key, came_ns);
    return key == 'q' || key == 'Q' || key == TYPED_ESCAPE;
}

static bool take_keys(struct drive *d)
{
    const int64_t came_ns = typed_came_ns(&d->typed, now_ns());
    bool quit = false;

    for (int byte = terminal_key(); byte >= 0 && !quit; byte = terminal_key()) {
        quit = take_key(d, typed_byte(&d->typed, (unsigned char)byte, now_ns()), came_ns);
    }
    return quit || take_key(d, typed_pause(&d->typed, now_ns()), came_ns);
}

static void take_gamepad(struct drive *d)
{
    unsigned char bytes[STICK_EVENT * 32];
    ssize_t length;

    while (d->pad >= 0 && (length = read(d->pad, bytes, sizeof bytes)) != -1) {
        if (length == 0) {
            errno = ENODEV;
            break;
        }
        stick_pad(&d->stick, bytes, (size_t)length);
    }
    if (d->pad >= 0 && errno != EAGAIN && errno != EINTR) {
        char reason[WHY];
        snprintf(reason, sizeof reason, "the gamepad %.120s: %.60s", d->gamepad, strerror(errno));
        stick_stop(&d->stick);
        end(d, TP_E_IO, reason);
    }
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void note_failure(struct drive *d, const char *text)
{
    snprintf(d->why, sizeof d->why, "  refused  %.*s", (int)(sizeof d->why - 12), text);
    d->why_ns = now_ns();
}

static void send_velocity(struct drive *d)
{
    tp_position2d_cmd_vel vel = {.state = 1};
    tp_error err = {0};

    stick_velocity(&d->stick, now_ns(), &vel.vel.px, &vel.vel.pa);
    const bool moves = vel.vel.px != 0 || vel.vel.pa != 0;
    if ((moves || d->moving) && tp_position2d_command_vel(d->proxy, &vel, &err) != TP_OK) {
        note_failure(d, err.text);
    }
    d->moving = moves;
}

static void on_lease(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct drive *d = context;
    const tp_lease *lease = status == TP_OK && answer != NULL ? tp_msg_payload(answer) : NULL;
    tpi_buf text = {0};

    (void)proxy;
    (void)why;
    if (lease != NULL) {
        output_put_clean(&text, lease->mover, strnlen(lease->mover, lease->mover_count));
        snprintf(d->mover, sizeof d->mover, "%s", tpi_buf_text(&text));
        d->mine = lease->mine != 0;
        tpi_buf_fini(&text);
    }
}

static void ask_mover(struct drive *d)
{
    static char nobody[] = "";
    const tp_lease ask = {.mover_count = sizeof nobody, .mover = nobody};

    if (now_ns() - d->asked_ns >= ask_ns && tp_client_is_troupe(d->remote.client)) {
        d->asked_ns = now_ns();
        (void)tp_proxy_request_later(d->proxy, TP_COMMON_REQ_LEASE, &ask, 0, on_lease, d, NULL);
    }
}

/* Servers of ours tell when they refuse a command, or stop what moves. */
static void on_data(tp_proxy *proxy, const tp_msg *msg)
{
    struct drive *d = tp_proxy_context(proxy);
    const tp_failure *failure =
        tp_msg_header(msg)->subtype == TP_COMMON_DATA_ERROR ? tp_msg_payload(msg) : NULL;
    tpi_buf text = {0};

    if (failure != NULL && failure->code < 0) {
        output_put_clean(&text, failure->text, strnlen(failure->text, failure->text_count));
        note_failure(d, tpi_buf_text(&text));
        stick_stop(&d->stick); /* whoever drives has to want it again */
        tpi_buf_fini(&text);
    }
}

static void tick(void *context)
{
    struct drive *d = context;

    if (!tp_client_is_connected(d->remote.client)) {
        end(d, TP_E_CLOSED, "the connection is lost; the server stops what was driven");
        return;
    }
    take_gamepad(d);
    if (d->live && take_keys(d)) {
        remote_stop(&d->remote);
    }
    send_velocity(d);
    ask_mover(d);
    if (d->live) {
        draw(d);
    }
}

/* ---- From the beginning to the end ----------------------------------------------------------- */

/* An answer shows that the command has arrived. */
static void stop(struct drive *d)
{
    const tp_position2d_cmd_vel still = {.state = 1};

    if (d->moving && tp_proxy_is_open(d->proxy)) {
        tp_position2d_command_vel(d->proxy, &still, NULL);
        (void)tp_client_request(d->remote.client, TP_PLAYER_REQ_DEVLIST, NULL, NULL, NULL);
    }
}

static int open_gamepad(struct drive *d)
{
    d->pad = d->gamepad == NULL ? -1 : open(d->gamepad, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return d->gamepad == NULL || d->pad >= 0
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "the gamepad %s: %s", d->gamepad, strerror(errno));
}

static int check_terminal(struct drive *d)
{
    d->live = output_is_live() && isatty(STDIN_FILENO);
    return d->live || d->gamepad != NULL
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED,
                              "this is no terminal; use a gamepad (--joystick FILE), or %s send",
                              called());
}

static int perform(struct drive *d)
{
    tp_timer *timer = NULL;
    tp_error err = {0};
    tp_status status = tp_timer_create(&timer, tp_client_loop(d->remote.client), tick, d, &err);

    if (status == TP_OK && d->live) {
        status = terminal_take(&err);
    } else if (status == TP_OK) {
        printf("driving %s with %s; Ctrl-C stops it\n", d->device.name, d->gamepad);
        fflush(stdout);
    }
    if (status == TP_OK) {
        remote_catch_signals(&d->remote);
        tp_timer_every(timer, TICK_MS * TP_NS_PER_MS);
        remote_run(&d->remote);
        stop(d);
    }
    tp_timer_destroy(timer);
    terminal_restore();
    if (status != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    return d->failure == TP_OK ? EXIT_DONE : command_fail(name, EXIT_FAILED, "%s", d->reason);
}

static int drive(struct drive *d)
{
    int result = check_terminal(d);

    if (result == EXIT_DONE && d->device.interface == NULL) {
        result = remote_read_device(&d->remote, "position2d:0", &d->device);
    }
    if (result == EXIT_DONE && d->device.interface->code != TP_POSITION2D_CODE) {
        result = command_fail(name, EXIT_USAGE, "%s is no position2d; %s send moves other devices",
                              d->device.name, called());
    }
    result = result == EXIT_DONE ? open_gamepad(d) : result;
    result = result == EXIT_DONE ? remote_connect(&d->remote, TP_CLIENT_FRESH, false) : result;
    if (result == EXIT_DONE) {
        d->remote.ignores_panics = true; /* refusals are shown */
        result = remote_open(&d->remote, &d->device, d->exclusive ? TP_EXCLUSIVE_MODE : TP_ALL_MODE,
                             &d->proxy);
    }
    if (result == EXIT_DONE) {
        tp_proxy_set_context(d->proxy, d);
        tp_proxy_on_data(d->proxy, on_data);
        result = perform(d);
    }
    if (d->pad >= 0) {
        close(d->pad);
    }
    return result;
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int read_option(struct drive *d, int argc, char **argv, int *i)
{
    static const char *const known[] = {"--joystick", "--speed", "--turn", "--exclusive", NULL};
    const char *option = argv[*i];

    if (remote_has_option(option)) {
        return remote_option(&d->remote, argc, argv, i);
    }
    if (strcmp(option, "--speed") == 0) {
        return command_positive(name, argc, argv, i, &d->stick.speed_mps);
    }
    if (strcmp(option, "--turn") == 0) {
        return command_positive(name, argc, argv, i, &d->stick.turn_radps);
    }
    if (strcmp(option, "--joystick") == 0) {
        d->gamepad = command_value(name, argc, argv, i);
        return d->gamepad == NULL ? EXIT_USAGE : EXIT_DONE;
    }
    if (strcmp(option, "--exclusive") == 0) {
        d->exclusive = true;
        return EXIT_DONE;
    }
    if (option[0] != '-' && d->wanted == NULL) {
        d->wanted = option;
        return EXIT_DONE;
    }
    return remote_unexpected(&d->remote, option, known);
}

static int run(int argc, char **argv)
{
    struct drive d = {.pad = -1, .stick = {.speed_mps = 0.4, .turn_radps = 0.8}};
    int result = remote_init(&d.remote, name);

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        result = read_option(&d, argc, argv, &i);
    }
    if (result == EXIT_DONE && d.wanted != NULL) { /* now the server is known */
        result = remote_read_device(&d.remote, d.wanted, &d.device);
    }
    result = result == EXIT_DONE ? drive(&d) : result;
    remote_fini(&d.remote);
    return result;
}

const command command_drive = {
    .name = name,
    .summary = "drive a robot from the terminal, by keys or a gamepad",
    .help =
        "usage: troupe drive [DEVICE] [options]\n"
        "\n"
        "Drives a position2d (position2d:0): the arrow keys drive while they are held, + and -\n"
        "change the speed, space stops, q or Ctrl-C stops the robot and quits. Shows the pose and\n"
        "speed that the device reports, who drives it, and why a command was refused. A robot "
        "that\n"
        "is not driven is free for other programs. DEVICE can have the server before it:\n"
        "robot.local/position2d:1.\n"
        "\n"
        "  --speed V       speed of the keys, in m/s (0.4)\n"
        "  --turn W        turning speed of the keys, in rad/s (0.8)\n"
        "  --joystick FILE a gamepad, such as /dev/input/js0: its first stick drives, the buttons "
        "4\n"
        "                  and 5 change the speed, all other buttons stop\n"
        "  --exclusive     keep other clients from driving it meanwhile\n" REMOTE_OPTIONS_HELP "\n"
        "Examples: troupe drive\n"
        "          troupe drive position2d:1 --speed 0.2\n"
        "          troupe drive --url robot.local --joystick /dev/input/js0\n",
    .run = run,
};
