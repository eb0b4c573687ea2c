/*
 * cmd_print.c - troupe print: the data of a device, as it comes.
 *
 * On a terminal the newest of each message stands in one place and is drawn again when it changes;
 * elsewhere one record follows the other. print_form.c makes the records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "called.h"
#include "output.h"
#include "print_form.h"
#include "print_scan.h"
#include "print_silence.h"
#include "remote.h"
#include "troupe/interfaces/aio.h"

static const char name[] = "print";

enum {
    KINDS = 256,
    MOST_ONLY = 16,
    REDRAWS_HZ = 10,
};

static const int64_t silence_ns = 2 * TP_NS_PER_S; /* after which one wonders why */

/* What has come of one message. */
struct kind {
    const tp_msg *last; /* owned; on a terminal */
    uint64_t count;
    int64_t due_ns;     /* with a rate that the server does not keep: nothing before this */
    int64_t counted_ns; /* since when `counted` counts, and what it made */
    uint64_t counted;
    double rate_hz;
    bool measured; /* the rate */
};

struct print {
    struct remote remote;
    struct remote_device device;
    print_form form;
    const char *form_option; /* that chose it; NULL for none */
    double rate_hz;          /* 0 for all */
    bool server_thins;       /* the server keeps the rate */
    int64_t most;            /* messages; 0 for no end */
    int64_t shown;
    const char *only_names[MOST_ONLY];
    unsigned only_count;
    bool only[KINDS];
    bool live; /* drawn in place */
    bool changed;
    int64_t heard_ns; /* when data came last, or it was opened */
    bool wonders;     /* about a silence: it was not looked into yet */
    bool asks;        /* it is looked into now */
    bool timed_out;   /* nothing came for as long as --timeout says */
    bool troubled;    /* the last message reported that the device has failed */
    tpi_buf why;      /* owned: nothing comes; empty if that is not known */
    char *units;      /* owned: of analogue values that are no volts; NULL for those that are */
    struct print_scan scan; /* owned: angles, for pictures */
    bool asks_first;        /* about the device; what comes meanwhile has to wait: */
    const tp_msg *early;    /* owned: the last of it; NULL for none */
    int64_t drawn_ns;
    tp_status failure; /* the output cannot be written, or not be made */
    struct screen screen;
    tp_proxy *proxy;
    struct kind kinds[KINDS];
};

/* ---- In place on a terminal ------------------------------------------------------------------ */

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

/* Messages a second, over the last second or more. */
static void measure(struct kind *kind, int64_t now)
{
    if (now - kind->counted_ns >= TP_NS_PER_S) {
        kind->rate_hz =
            (double)(kind->count - kind->counted) * 1e9 / (double)(now - kind->counted_ns);
        kind->counted = kind->count;
        kind->counted_ns = now;
        kind->measured = true;
    }
}

/* What a record is without its head. */
static void put_body(struct print *p, tpi_buf *out, const tp_msg *msg)
{
    size_t kinds = 0;

    for (unsigned i = 0; i < KINDS; i++) {
        kinds += p->kinds[i].last != NULL;
    }
    const struct scan_room room = print_scan_room(p->live, kinds, p->why.length > 0 ? 3 : 0);
    if (p->form != PRINT_PICTURE || !print_scan_put(out, &p->scan, msg, &room)) {
        print_form_body(out, p->units, msg);
    }
}

static void draw(struct print *p)
{
    tpi_buf out = {0};
    const int64_t now = now_ns();
    bool nothing = true;

    tpi_buf_printf(&out, "%s, ", p->device.name);
    output_put_clean(&out, tp_proxy_driver(p->proxy), strlen(tp_proxy_driver(p->proxy)));
    tpi_buf_puts(&out, " at ");
    output_put_clean(&out, remote_url(&p->remote), strlen(remote_url(&p->remote)));
    tpi_buf_puts(&out, "   (Ctrl-C ends)\n");
    for (unsigned i = 0; i < KINDS; i++) {
        struct kind *kind = &p->kinds[i];
        if (kind->last == NULL) {
            continue;
        }
        nothing = false;
        measure(kind, now);
        tpi_buf_putc(&out, '\n');
        print_form_head(&out, p->remote.catalogue, kind->last);
        tpi_buf_printf(&out, "  %llu received", (unsigned long long)kind->count);
        if (kind->measured) {
            tpi_buf_printf(&out, ", %.1f Hz", kind->rate_hz);
        }
        tpi_buf_putc(&out, '\n');
        put_body(p, &out, kind->last);
    }
    tpi_buf_puts(&out, nothing ? "waiting for data\n" : "");
    if (p->why.length > 0) {
        tpi_buf_printf(&out, "\nnothing comes: %s\n", tpi_buf_text(&p->why));
    }
    p->failure = out.failed ? TP_E_NOMEM : screen_show(&p->screen, tpi_buf_text(&out));
    tpi_buf_fini(&out);
    p->changed = false;
    p->drawn_ns = now;
}

static void leave_screen(struct remote *remote)
{
    struct print *p = (struct print *)remote; /* its first member */

    screen_leave(&p->screen);
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* Whether the rate lets this one through. A server that keeps it is trusted, but for what it sent
 * before it knew of the rate. */
static bool is_due(struct print *p, struct kind *kind)
{
    const int64_t now = now_ns();
    const int64_t period = p->rate_hz > 0 ? command_ns(1 / p->rate_hz) : 0;
    const int64_t grace = p->server_thins ? period / 2 : 0;

    if (now < kind->due_ns - grace) {
        return false;
    }
    kind->due_ns = kind->due_ns + period > now ? kind->due_ns + period : now + period;
    return true;
}

static void write_record(struct print *p, const tp_msg *msg)
{
    tpi_buf out = {0};

    if (p->form == PRINT_PICTURE) {
        tpi_buf_printf(&out, "%s ", p->device.name);
        print_form_head(&out, p->remote.catalogue, msg);
        tpi_buf_putc(&out, '\n');
        put_body(p, &out, msg);
    } else {
        print_form_record(&out, p->form, p->remote.catalogue, p->device.name, p->units, msg);
    }
    p->failure = out.failed ? TP_E_NOMEM : output_write(tpi_buf_text(&out), out.length);
    if (p->failure != TP_OK) {
        remote_stop(&p->remote);
    }
    tpi_buf_fini(&out);
}

static void show(struct print *p, const tp_msg *msg)
{
    const unsigned code = tp_msg_header(msg)->subtype;
    struct kind *kind = &p->kinds[code];

    p->heard_ns = now_ns();
    p->wonders = true;
    tpi_buf_clear(&p->why);
    if ((p->only_count > 0 && !p->only[code]) || (p->most > 0 && p->shown >= p->most) ||
        p->failure != TP_OK || !is_due(p, kind)) {
        return;
    }
    kind->count++;
    p->shown++;
    if (p->live) {
        kind->counted_ns = kind->count == 1 ? now_ns() : kind->counted_ns;
        kind->counted = kind->count == 1 ? 1 : kind->counted;
        tp_msg_unref(kind->last);
        kind->last = tp_msg_ref(msg);
        p->changed = true;
    } else {
        write_record(p, msg);
    }
    if (p->most > 0 && p->shown >= p->most) {
        remote_stop(&p->remote);
    }
}

/* Whether it says that the device has failed. */
static bool is_failure(const tp_msg *msg)
{
    const tp_failure *failure = tp_msg_payload(msg);

    return tp_msg_header(msg)->subtype == TP_COMMON_DATA_ERROR && failure != NULL &&
           failure->code != TP_OK;
}

static void on_data(tp_proxy *proxy, const tp_msg *msg)
{
    struct print *p = tp_proxy_context(proxy);

    p->troubled = is_failure(msg);
    if (p->asks_first) {
        tp_msg_unref(p->early);
        p->early = tp_msg_ref(msg);
    } else {
        show(p, msg);
    }
}

/* Draw what has changed, and the rates once in a while; and see whether anybody still reads, if
 * there is nothing to write. */
static void on_tick(void *context)
{
    struct print *p = context;

    if (p->live && (p->changed || now_ns() - p->drawn_ns >= TP_NS_PER_S)) {
        draw(p);
    }
    const int64_t silent_ns = now_ns() - p->heard_ns;
    if (p->remote.timeout_ns > 0 && silent_ns >= p->remote.timeout_ns) {
        p->timed_out = true;
    }
    if (p->wonders && (p->timed_out || silent_ns >= silence_ns)) {
        p->wonders = false;
        p->asks = true;
        remote_stop(&p->remote); /* asking has to wait for answers */
    }
    if (p->timed_out || output_is_gone() || p->failure != TP_OK) {
        remote_stop(&p->remote);
    }
}

/* ---- Silence --------------------------------------------------------------------------------- */

static void tell_silence(struct print *p)
{
    print_put_silence(&p->why, &p->remote, p->proxy);
    p->troubled = p->troubled || p->why.length > 0;
    if (p->live) {
        p->changed = true;
    } else if (p->why.length > 0) {
        command_fail(name, EXIT_DONE, "nothing comes: %s", tpi_buf_text(&p->why));
    }
}

static bool is_over(const struct print *p)
{
    return p->timed_out || p->failure != TP_OK || (p->most > 0 && p->shown >= p->most) ||
           output_is_gone();
}

/* Until the end, or a signal. */
static void follow_data(struct print *p)
{
    bool ended = is_over(p) || remote_run(&p->remote);

    while (p->asks && !ended && !is_over(p)) {
        p->asks = false;
        tell_silence(p);
        ended = is_over(p) || remote_run(&p->remote);
    }
    if (p->asks && p->timed_out && !ended) { /* print the reason before the end */
        p->asks = false;
        tell_silence(p);
    }
}

/* Its end, if nothing came in time. */
static int tell_timeout(const struct print *p)
{
    return command_fail(name, EXIT_FAILED, "no data came for %g s",
                        (double)p->remote.timeout_ns / (double)TP_NS_PER_S);
}

/* Devices without data may yet tell that they failed, or that a property has changed. */
static void tell_if_mute(const struct print *p)
{
    if (!print_has_data(p->device.interface)) {
        command_fail(name, EXIT_DONE, "%s sends no data; %s request %s lists what it answers",
                     p->device.name, called(), p->device.interface->name);
    }
}

/* ---- Running --------------------------------------------------------------------------------- */

static int follow(struct print *p)
{
    tp_timer *timer = NULL;
    tp_error err = {0};

    if (tp_timer_create(&timer, tp_client_loop(p->remote.client), on_tick, p, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    tp_timer_every(timer, TP_NS_PER_S / REDRAWS_HZ);
    if (p->live) {
        draw(p);
    }
    follow_data(p);
    if (p->live && p->changed) {
        draw(p);
    }
    tp_timer_destroy(timer);
    if (p->timed_out && p->failure == TP_OK && !output_is_gone()) {
        return tell_timeout(p);
    }
    if (p->failure == TP_OK && !output_is_gone() &&
        (p->troubled || !tp_client_is_connected(p->remote.client))) {
        return EXIT_FAILED; /* it was reported */
    }
    return p->failure == TP_OK || p->failure == TP_E_CLOSED
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "%s",
                              p->failure == TP_E_IO ? "cannot write the output"
                                                    : tp_status_text(p->failure));
}

static void ask_first(struct print *p)
{
    if (p->device.interface->code != TP_AIO_CODE) {
        print_scan_ask(&p->scan, p->proxy);
    } else if (tp_proxy_get_property(p->proxy, "units", &p->units, NULL) != TP_OK) {
        p->units = NULL;
    }
    p->asks_first = false;
    if (p->early != NULL) {
        show(p, p->early);
    }
    tp_msg_unref(p->early);
    p->early = NULL;
}

static int open_device(struct print *p)
{
    int result = remote_connect(&p->remote, TP_CLIENT_EVERYTHING, true);

    p->asks_first = p->form == PRINT_PICTURE && print_scan_asks(p->device.interface);
    if (p->form <= PRINT_PICTURE && p->device.interface->code == TP_AIO_CODE) {
        p->asks_first = true;
    }
    if (result == EXIT_DONE) {
        remote_catch_signals(
            &p->remote); /* data comes, and is printed, while the device is opened */
        result = remote_follow(&p->remote, &p->device, on_data, p, &p->proxy);
    }
    if (result == EXIT_DONE && p->rate_hz > 0) {
        p->server_thins = tp_proxy_set_rate(p->proxy, p->rate_hz, NULL) == TP_OK;
    }
    if (result == EXIT_DONE && p->asks_first) {
        ask_first(p);
    }
    return result;
}

static int find_only(struct print *p)
{
    for (unsigned i = 0; i < p->only_count; i++) {
        const tp_message *what =
            remote_message(&p->remote, p->device.interface, TP_KIND_DATA, p->only_names[i]);
        if (what == NULL) {
            return EXIT_FAILED;
        }
        p->only[what->code] = true;
    }
    return EXIT_DONE;
}

static int print_data(struct print *p)
{
    int result = find_only(p);

    p->heard_ns = now_ns();
    p->wonders = true;
    if (p->form_option == NULL && output_is_live()) {
        p->form = PRINT_PICTURE;
    }
    p->live = p->form <= PRINT_PICTURE && output_is_live();
    p->remote.before_note = p->live ? leave_screen : NULL;
    p->remote.tells_panics = true;
    result = result == EXIT_DONE ? open_device(p) : result;
    if (result == EXIT_DONE) {
        tell_if_mute(p);
        result = follow(p);
    }
    tp_proxy_close(p->proxy);
    tpi_buf_fini(&p->why);
    free(p->units);
    print_scan_fini(&p->scan);
    tp_msg_unref(p->early);
    for (unsigned i = 0; i < KINDS; i++) {
        tp_msg_unref(p->kinds[i].last);
    }
    return result;
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int read_form(struct print *p, const char *option)
{
    static const char *const options[] = {"--human", "--picture", "--line", "--json", "--hex",
                                          "--rate",  "--count",   "--only", NULL};

    if (!print_form_named(option, &p->form)) {
        return remote_unexpected(&p->remote, option, options);
    }
    if (p->form_option != NULL && strcmp(p->form_option, option) != 0) {
        return command_fail(name, EXIT_USAGE, "%s and %s exclude each other", p->form_option,
                            option);
    }
    p->form_option = option;
    return EXIT_DONE;
}

static int read_only(struct print *p, int argc, char **argv, int *i)
{
    const char *message = command_value(name, argc, argv, i);

    if (message == NULL) {
        return EXIT_USAGE;
    }
    if (p->only_count == MOST_ONLY) {
        return command_fail(name, EXIT_USAGE, "--only more than %d times", MOST_ONLY);
    }
    p->only_names[p->only_count++] = message;
    return EXIT_DONE;
}

static int read_option(struct print *p, int argc, char **argv, int *i)
{
    if (remote_has_option(argv[*i])) {
        return remote_option(&p->remote, argc, argv, i);
    }
    if (strcmp(argv[*i], "--rate") == 0) {
        return command_positive(name, argc, argv, i, &p->rate_hz);
    }
    if (strcmp(argv[*i], "--count") == 0 || strcmp(argv[*i], "-n") == 0) {
        return command_whole(name, argc, argv, i, &p->most);
    }
    if (strcmp(argv[*i], "--only") == 0) {
        return read_only(p, argc, argv, i);
    }
    return read_form(p, argv[*i]);
}

static int read_options(struct print *p, int argc, char **argv)
{
    const char *device = NULL;
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (argv[i][0] == '-' || device != NULL) {
            result = read_option(p, argc, argv, &i);
        } else {
            device = argv[i];
        }
    }
    if (result == EXIT_DONE && device == NULL) {
        return command_fail(name, EXIT_USAGE, "which device? %s list names them", called());
    }
    return result == EXIT_DONE ? remote_read_device(&p->remote, device, &p->device) : result;
}

static int run(int argc, char **argv)
{
    struct print *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    int result = remote_init(&p->remote, name);

    result = result == EXIT_DONE ? read_options(p, argc, argv) : result;
    result = result == EXIT_DONE ? print_data(p) : result;
    remote_fini(&p->remote);
    free(p);
    return result;
}

const command command_print = {
    .name = name,
    .summary = "print the data of a device as it arrives",
    .help =
        "usage: troupe print DEVICE [--human | --picture | --line | --json | --hex]\n"
        "                    [--only MESSAGE] [--rate HZ] [--count N]\n"
        "\n"
        "Prints the data of a device until it is interrupted. DEVICE is "
        "[SERVER/]INTERFACE[:INDEX]:\n"
        "laser, laser:1, robot.local:6666/laser:1. On a terminal, new data replaces the old on "
        "the\n"
        "screen; otherwise, one record follows the other. A lost connection is made again. Panics\n"
        "are reported on standard error, and so is the reason why no data arrives, if it is "
        "known:\n"
        "a paused simulated world, for example. With --timeout it also ends when no data has come\n"
        "for that long. The exit code is 1 then, or if the device had failed or the server was\n"
        "lost at the end.\n"
        "\n"
        "  --human         print indented text, with units and the names of constants; the "
        "default\n"
        "                  in a pipe\n"
        "  --picture       print scans as a picture from above or as bars, with the nearest echo "
        "and\n"
        "                  the ranges left, ahead and right; the default on a terminal\n"
        "  --line          print one line per message: time, device, message, name=value\n"
        "  --json          print one JSON object per line: time, device, message, value\n"
        "  --hex           print one line per message: time, device, message, the body as hex, "
        "for\n"
        "                  troupe decode\n"
        "  --only MESSAGE  print only this data message; may be repeated\n"
        "  --rate HZ       print at most this many messages of each kind per second\n"
        "  -n, --count N   end after N messages\n" REMOTE_OPTIONS_HELP "\n"
        "Examples: troupe print laser\n"
        "          troupe print position2d:0 --json --rate 2 --count 10\n",
    .run = run,
};
