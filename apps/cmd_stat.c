/*
 * cmd_stat.c - troupe stat: what a server and its clients have done.
 *
 * A single look shows numbers since the start. Watching shows how many there were in a second,
 * which is the difference of two looks; drops stay numbers since the start, so that none is missed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "called.h"
#include "output.h"
#include "remote.h"
#include "stat_programs.h"
#include "stat_text.h"
#include "table.h"
#include "troupe/front.h"

static const char name[] = "stat";

struct stat {
    struct remote remote;
    bool json;
    bool watch;
    double period_s;
    tp_statistics *now;    /* owned; NULL before the first look */
    tp_statistics *before; /* owned; NULL before the second look */
    size_t columns;        /* of a terminal; 0 for any width */
    bool several;          /* devices of more than one robot */
    bool ended;            /* nobody reads any more, or it cannot be written */
    struct screen screen;
};

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A count since the start, or in a second if there was a look before. */
static void put_count(struct table *rows, const struct stat *s, int64_t now, int64_t before)
{
    const double elapsed = s->before != NULL ? s->now->uptime - s->before->uptime : 0;

    if (!s->watch) {
        table_cell(rows, "%lld", (long long)now);
    } else if (elapsed > 0) {
        table_cell(rows, "%.1f", (double)(now - before) / elapsed);
    } else {
        table_cell(rows, "-");
    }
}

static void put_latency(struct table *rows, double seconds)
{
    char text[32];

    table_cell(rows, "%s", stat_latency(text, sizeof text, seconds));
}

/* Where it was before, unless devices have come or gone. */
static const tp_device_stat *device_before(const struct stat *s, const tp_device_stat *now)
{
    const size_t likely = (size_t)(now - s->now->devices);
    const tp_device_stat *before =
        s->before != NULL ? stat_find(s->before, &now->addr, likely) : NULL;

    return before != NULL ? before : now;
}

static const tp_client_stat *client_before(const struct stat *s, const tp_client_stat *now)
{
    for (uint32_t i = 0; s->before != NULL && i < s->before->clients_count; i++) {
        const tp_client_stat *one = &s->before->clients[i];
        if (one->number == now->number) {
            return one;
        }
    }
    return now;
}

/* With the robot's port before it if there are several. */
static void put_name(const struct stat *s, const tp_devaddr *addr, tpi_buf *out)
{
    const tp_interface *interface = tp_catalogue_code(s->remote.catalogue, addr->interf);
    char robot[16] = "";
    char code[16];

    if (s->several) {
        snprintf(robot, sizeof robot, "%lu:", (unsigned long)addr->robot);
    }
    snprintf(code, sizeof code, "%u", addr->interf);
    tpi_buf_printf(out, "%s%s:%u", robot, interface != NULL ? interface->name : code, addr->index);
}

static void put_device_name(struct table *rows, const struct stat *s, const tp_devaddr *addr)
{
    tpi_buf name_of = {0};

    put_name(s, addr, &name_of);
    table_cell(rows, "%s", tpi_buf_text(&name_of));
    tpi_buf_fini(&name_of);
}

static void put_state(struct table *rows, const tp_device_stat *one)
{
    tpi_buf state = {0};

    stat_put_state(&state, one);
    table_cell(rows, "%s", tpi_buf_text(&state));
    tpi_buf_fini(&state);
}

static void put_devices(const struct stat *s, tpi_buf *out)
{
    static const char *const totals[] = {"DEVICE",   "DRIVER",   "STATE",     ">READERS",
                                         ">DATA",    ">DROPPED", ">COMMANDS", ">REQUESTS",
                                         ">REFUSED", ">LATENCY", ">MAX",      NULL};
    static const char *const rates[] = {"DEVICE",   "DRIVER",   "STATE",       ">READERS",
                                        ">DATA/s",  ">DROPPED", ">COMMANDS/s", ">REQUESTS/s",
                                        ">REFUSED", ">LATENCY", ">MAX",        NULL};
    struct table rows;

    table_init(&rows, s->watch ? rates : totals);
    for (uint32_t i = 0; i < s->now->devices_count; i++) {
        const tp_device_stat *one = &s->now->devices[i];
        const tp_device_stat *before = device_before(s, one);
        put_device_name(&rows, s, &one->addr);
        table_cell(&rows, "%.*s", (int)one->instance_count, one->instance);
        put_state(&rows, one);
        table_cell(&rows, "%lu", (unsigned long)one->readers);
        put_count(&rows, s, one->published, before->published);
        table_cell(&rows, "%lld", (long long)one->dropped);
        put_count(&rows, s, one->commands, before->commands);
        put_count(&rows, s, one->requests, before->requests);
        table_cell(&rows, "%lld", (long long)(one->failed_requests + one->refused));
        put_latency(&rows, one->latency_mean);
        put_latency(&rows, one->latency_max);
    }
    table_put_fitting(out, &rows, 0, s->columns);
    table_fini(&rows);
}

static void put_clients(const struct stat *s, tpi_buf *out)
{
    static const char *const totals[] = {">NO",        "CLIENT",   "SOFTWARE", "KEY",   "RIGHT",
                                         ">CONNECTED", ">OPEN",    ">WAITING", ">SENT", ">RECEIVED",
                                         ">REFUSED",   ">DROPPED", NULL};
    static const char *const rates[] = {
        ">NO",      "CLIENT",  "SOFTWARE",    "KEY",      "RIGHT",    ">CONNECTED", ">OPEN",
        ">WAITING", ">SENT/s", ">RECEIVED/s", ">REFUSED", ">DROPPED", NULL};
    struct table rows;

    table_init(&rows, s->watch ? rates : totals);
    for (uint32_t i = 0; i < s->now->clients_count; i++) {
        const tp_client_stat *one = &s->now->clients[i];
        const tp_client_stat *before = client_before(s, one);
        char age[32];
        table_cell(&rows, "%lu", (unsigned long)one->number);
        table_cell(&rows, "%.*s", (int)one->name_count, one->name);
        table_cell(&rows, "%.*s", (int)one->software_count, one->software);
        table_cell(&rows, "%.*s", one->key_count > 1 ? (int)one->key_count : 1,
                   one->key_count > 1 ? one->key : "-");
        table_cell(&rows, "%s",
                   one->right <= TP_RIGHT_OPERATE ? tp_right_name((tp_right)one->right) : "?");
        table_cell(&rows, "%s", stat_duration(age, sizeof age, one->age));
        table_cell(&rows, "%lu", (unsigned long)one->opened);
        table_cell(&rows, "%lu", (unsigned long)one->waiting);
        put_count(&rows, s, one->sent, before->sent);
        put_count(&rows, s, one->received, before->received);
        table_cell(&rows, "%lld", (long long)one->refused);
        table_cell(&rows, "%lld", (long long)one->dropped);
    }
    table_put_fitting(out, &rows, 0, s->columns);
    table_fini(&rows);
}

/* "position2d:0 is moved by joystick at 127.0.0.1:51234, rank 2; lower ranks wait 0.8 s; stops in
 * 0.9 s if its client stays silent". */
static void put_mover(const struct stat *s, const tp_device_stat *one, tpi_buf *out)
{
    put_name(s, &one->addr, out);
    tpi_buf_puts(out,
                 one->lease_left > 0 || one->rank_left <= 0 ? " is moved by " : " is held by ");
    output_put_clean(out, one->mover, one->mover_count);
    if (one->rank_left > 0) { /* otherwise all its writers are equals */
        tpi_buf_printf(out, ", rank %ld; lower ranks wait %.1f s", (long)one->rank, one->rank_left);
    }
    if (one->lease_left > 0) {
        tpi_buf_printf(out, "; stops in %.1f s if its client stays silent", one->lease_left);
    }
    tpi_buf_putc(out, '\n');
}

/* The movers and holders of devices, if there are any. */
static void put_movers(const struct stat *s, tpi_buf *out)
{
    bool first = true;

    for (uint32_t i = 0; i < s->now->devices_count; i++) {
        const tp_device_stat *one = &s->now->devices[i];
        const bool moved = one->mover_count > 1 && !s->now->panic.active;
        const bool held = one->holder_count > 1;
        tpi_buf_puts(out, first && (moved || held) ? "\n" : "");
        first = first && !moved && !held;
        if (moved) {
            put_mover(s, one, out);
        }
        if (held) {
            put_name(s, &one->addr, out);
            tpi_buf_puts(out, " is open exclusively by ");
            output_put_clean(out, one->holder, one->holder_count);
            tpi_buf_printf(out, "%s; %s kick %lu%s disconnects it\n",
                           one->holder_silent ? ", whose time is over: anybody may take it" : "",
                           called(), (unsigned long)one->holder_number, called_server());
        }
    }
}

static bool is_same_instance(const tp_device_stat *a, const tp_device_stat *b)
{
    return a->instance_count == b->instance_count &&
           (a->instance_count == 0 || memcmp(a->instance, b->instance, a->instance_count) == 0);
}

/* Once for each driver, not for each of its devices. */
static bool is_first_of_instance(const struct stat *s, uint32_t i)
{
    uint32_t first = 0;

    while (!is_same_instance(&s->now->devices[first], &s->now->devices[i])) {
        first++;
    }
    return first == i;
}

static void put_failures(const struct stat *s, tpi_buf *out)
{
    const char *before = "\n";

    for (uint32_t i = 0; i < s->now->devices_count; i++) {
        const tp_device_stat *one = &s->now->devices[i];
        if (one->failure_count > 1 && is_first_of_instance(s, i)) {
            tpi_buf_puts(out, before);
            output_put_clean(out, one->failure, one->failure_count);
            tpi_buf_putc(out, '\n');
            before = "";
        }
    }
}

static void put_guards(const struct stat *s, tpi_buf *out)
{
    const char *before = "\n";

    for (uint32_t i = 0; i < s->now->devices_count; i++) {
        const tp_device_stat *one = &s->now->devices[i];
        if (one->guard_restarts > 0 && is_first_of_instance(s, i)) {
            tpi_buf_puts(out, before);
            output_put_clean(out, one->instance, one->instance_count);
            tpi_buf_printf(out, ": a guard had ended and was started again, %lu time%s\n",
                           (unsigned long)one->guard_restarts, output_plural(one->guard_restarts));
            before = "";
        }
    }
}

/* Of a terminal; 0 in a pipe, which takes any width. */
static size_t columns_now(const struct stat *s)
{
    size_t columns = 0;
    size_t lines;

    if (output_is_terminal()) {
        output_size(&columns, &lines);
        columns -= s->watch && columns > 1; /* text in place leaves the last one free */
    }
    return columns;
}

static void put_text(const struct stat *s, tpi_buf *out)
{
    char uptime[32];

    output_put_clean(out, remote_url(&s->remote), strlen(remote_url(&s->remote)));
    tpi_buf_printf(out, ", running for %s%s\n\n",
                   stat_duration(uptime, sizeof uptime, s->now->uptime),
                   s->watch && output_is_live() ? "   (Ctrl-C ends)" : "");
    if (s->now->panic.active) {
        stat_put_panic(out, &s->now->panic);
        tpi_buf_putc(out, '\n');
    }
    put_devices(s, out);
    tpi_buf_putc(out, '\n');
    put_clients(s, out);
    put_movers(s, out);
    put_failures(s, out);
    put_guards(s, out);
    if (!s->watch) { /* programs have devices of their own to watch */
        stat_put_programs(out, s->remote.client, s->now);
    }
}

/* ---- Looking --------------------------------------------------------------------------------- */

static bool has_several(const tp_statistics *all)
{
    uint32_t i = 0;

    while (i < all->devices_count && all->devices[i].addr.robot == all->devices[0].addr.robot) {
        i++;
    }
    return i < all->devices_count;
}

static int look(struct stat *s)
{
    tp_statistics *found = remote_statistics(&s->remote);

    if (found == NULL) {
        return EXIT_FAILED;
    }
    free(s->before);
    s->before = s->now;
    s->now = found;
    s->several = has_several(s->now);
    return EXIT_DONE;
}

static int show(struct stat *s)
{
    tpi_buf out = {0};
    char *json = NULL;

    if (s->json) {
        out.failed = tp_value_text(&json, &tp_desc_statistics, s->now, TP_TEXT_JSON) != TP_OK;
        tpi_buf_printf(&out, "%s\n", json != NULL ? json : "");
        free(json);
    } else {
        tpi_buf_puts(&out, s->before != NULL && !output_is_live() ? "\n" : "");
        s->columns = columns_now(s);
        put_text(s, &out);
    }
    const bool live = s->watch && !s->json && output_is_live();
    const tp_status status = out.failed ? TP_E_NOMEM
                             : live     ? screen_show(&s->screen, tpi_buf_text(&out))
                                        : output_write(tpi_buf_text(&out), out.length);
    tpi_buf_fini(&out);
    s->ended = status != TP_OK;
    return status == TP_OK || status == TP_E_CLOSED
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "%s",
                              status == TP_E_IO ? "cannot write the output"
                                                : tp_status_text(status));
}

static void leave_screen(struct remote *remote)
{
    struct stat *s = (struct stat *)remote; /* its first member */

    screen_leave(&s->screen);
}

static void end_wait(void *context)
{
    struct stat *s = context;

    remote_stop(&s->remote);
}

/* One look after the other. A server that is away is waited for. */
static int keep_looking(struct stat *s, tp_timer *timer)
{
    const tp_clock *clock = tp_loop_clock(tp_client_loop(s->remote.client));
    const int64_t period = command_ns(s->period_s);
    int64_t next = tp_clock_now_ns(clock);
    bool interrupted = false;

    while (!interrupted && !output_is_gone() && !s->ended) {
        const int64_t now = tp_clock_now_ns(clock);
        next = next + period > now ? next + period : now + period;
        if (tp_client_is_connected(s->remote.client) &&
            (look(s) != EXIT_DONE || show(s) != EXIT_DONE)) {
            return EXIT_FAILED;
        }
        tp_timer_at(timer, next);
        interrupted = remote_run(&s->remote);
    }
    return EXIT_DONE;
}

static int watch(struct stat *s)
{
    tp_timer *timer = NULL;
    tp_error err = {0};

    s->remote.before_note = leave_screen;
    if (tp_timer_create(&timer, tp_client_loop(s->remote.client), end_wait, s, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    remote_catch_signals(&s->remote);
    const int result = keep_looking(s, timer);
    tp_timer_destroy(timer);
    return result;
}

/* ---- Command line ---------------------------------------------------------------------------- */

/* --watch takes a number of seconds if one follows. */
static int read_watch(struct stat *s, int argc, char **argv, int *i)
{
    const char first = *i + 1 < argc ? argv[*i + 1][0] : '\0';

    s->watch = true;
    s->period_s = 1;
    if ((first >= '0' && first <= '9' && strchr(argv[*i + 1], ':') == NULL) || first == '.') {
        return command_positive(name, argc, argv, i, &s->period_s);
    }
    return EXIT_DONE;
}

static int read_options(struct stat *s, int argc, char **argv)
{
    static const char *const options[] = {"--json", "--watch", NULL};
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (remote_has_option(argv[i])) {
            result = remote_option(&s->remote, argc, argv, &i);
        } else if (strcmp(argv[i], "--json") == 0) {
            s->json = true;
        } else if (strcmp(argv[i], "--watch") == 0 || strcmp(argv[i], "-w") == 0) {
            result = read_watch(s, argc, argv, &i);
        } else if (argv[i][0] == '-') {
            result = remote_unexpected(&s->remote, argv[i], options);
        } else {
            result = remote_set_url(&s->remote, argv[i]);
        }
    }
    return result;
}

static int run(int argc, char **argv)
{
    struct stat s = {.json = false};
    int result = remote_init(&s.remote, name);

    result = result == EXIT_DONE ? read_options(&s, argc, argv) : result;
    result = result == EXIT_DONE ? remote_connect(&s.remote, TP_CLIENT_FRESH, s.watch) : result;
    if (result == EXIT_DONE && s.watch) {
        result = watch(&s);
    } else if (result == EXIT_DONE) {
        result = look(&s);
        result = result == EXIT_DONE ? show(&s) : result;
    }
    free(s.now);
    free(s.before);
    remote_fini(&s.remote);
    return result;
}

const command command_stat = {
    .name = name,
    .summary = "print the statistics of a server and its clients",
    .help =
        "usage: troupe stat [URL] [--watch [SECONDS]] [--json]\n"
        "\n"
        "Prints the statistics of a Troupe server. For each device: readers, data, dropped data,\n"
        "commands, requests, refusals and the time of answers. For each client: its number (for\n"
        "troupe kick), key and right, open devices, queued messages, messages sent and received,\n"
        "refusals and losses. The numbers count from the start; --watch shows numbers per second.\n"
        "\n"
        "  -w, --watch [SECONDS]\n"
        "                  print again every SECONDS (1)\n"
        "  --json          print one JSON object each time, always counted from the "
        "start\n" REMOTE_OPTIONS_HELP "\n"
        "Examples: troupe stat\n"
        "          troupe stat robot.local --watch 5\n",
    .run = run,
};
