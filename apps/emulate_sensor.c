/* emulate_sensor.c - emulated sensors on pseudo-terminals and TCP ports; see emulate_sensor.h. */
#include "emulate_sensor.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "sensor_line.h"
#include "sensors/emulated.h"
#include "sensors/host/files.h"
#include "troupe/clock.h"

static const char name[] = "emulate";

enum { MOST_SENSORS = 16, MOST_WAVES = 16, STEP_MS = 1, CHUNK = 1024, LONGEST_COMMAND = 256 };

struct sensor {
    const char *manifest, *link, *listen;
    const char *waves[MOST_WAVES];
    unsigned wave_count;
    double lose, garble; /* percent */
    uint64_t baud;
    tpi_emulated *emulated; /* owned */
    sensor_line *line;      /* owned */
    tpi_buf text;           /* owned: its manifest */
    int64_t began_ns;       /* of its power */
    char pending[CHUNK];
    size_t pending_length;
};

struct running {
    struct sensor all[MOST_SENSORS];
    unsigned count;
    uint64_t seed;
    double seconds; /* 0: for ever */
    char command[LONGEST_COMMAND];
    size_t command_length;
    bool input_ended, quits;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL);
}

/* ---- Options --------------------------------------------------------------------------------- */

static int read_number(const char *text, const char *what, double most, double *out)
{
    char *end = NULL;

    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= 0 && *out <= most
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE, "\"%s\" is no %s", text, what);
}

static int read_wave(struct sensor *s, const char *text)
{
    if (s->wave_count == MOST_WAVES) {
        return command_fail(name, EXIT_USAGE, "a sensor has at most %d waves", MOST_WAVES);
    }
    s->waves[s->wave_count++] = text;
    return EXIT_DONE;
}

/* An option for the last sensor. */
static int read_own(struct sensor *s, const char *option, const char *value)
{
    if (strcmp(option, "--link") == 0) {
        s->link = value;
        return EXIT_DONE;
    }
    if (strcmp(option, "--listen") == 0) {
        s->listen = value;
        return EXIT_DONE;
    }
    if (strcmp(option, "--wave") == 0) {
        return read_wave(s, value);
    }
    if (strcmp(option, "--baud") == 0) {
        return command_read_whole(name, "speed", value, 1, 4000000, &s->baud);
    }
    return strcmp(option, "--lose") == 0 ? read_number(value, "percentage", 100, &s->lose)
                                         : read_number(value, "percentage", 100, &s->garble);
}

static int read_option(struct running *r, int argc, char **argv, int *i)
{
    static const char *const own[] = {"--link", "--listen", "--wave", "--baud",
                                      "--lose", "--garble", "--seed", "--seconds"};
    const char *option = argv[*i], *value;
    bool is_known = false;

    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
        is_known = is_known || strcmp(option, own[k]) == 0;
    }
    if (!is_known) {
        return command_unexpected(name, option, NULL);
    }
    if ((value = command_value(name, argc, argv, i)) == NULL) {
        return EXIT_USAGE;
    }
    if (strcmp(option, "--seed") == 0) {
        return command_read_whole(name, "seed", value, 0, INT64_MAX, &r->seed);
    }
    if (strcmp(option, "--seconds") == 0) {
        return read_number(value, "number of seconds", 1e9, &r->seconds);
    }
    return r->count > 0 ? read_own(&r->all[r->count - 1], option, value)
                        : command_fail(name, EXIT_USAGE,
                                       "%s belongs behind the sensor that it is for", option);
}

static int read_options(struct running *r, int argc, char **argv)
{
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (argv[i][0] == '-') {
            result = read_option(r, argc, argv, &i);
        } else if (r->count == MOST_SENSORS) {
            result = command_fail(name, EXIT_USAGE, "at most %d sensors", MOST_SENSORS);
        } else {
            r->all[r->count].baud = 115200;
            r->all[r->count++].manifest = argv[i];
        }
    }
    return result == EXIT_DONE && r->count == 0
               ? command_fail(name, EXIT_USAGE, "which sensor? troupe sensors lists manifests")
               : result;
}

/* ---- Life of a sensor ------------------------------------------------------------------------ */

/* Power on: settings and times begin anew. */
static tp_status power_on(const struct running *r, struct sensor *s, tp_error *err)
{
    const tpi_emulated_options options = {
        .seed = r->seed + (uint64_t)(s - r->all), .lose = s->lose / 100, .garble = s->garble / 100};

    tpi_emulated_destroy(s->emulated);
    s->emulated = NULL;
    s->pending_length = 0;
    s->began_ns = tp_clock_now_ns(tp_clock_real());
    tp_status status = tpi_emulated_create(&s->emulated, tpi_buf_text(&s->text), s->text.length,
                                           s->manifest, &options, err);
    for (unsigned i = 0; i < s->wave_count && status == TP_OK; i++) {
        status = tpi_emulated_set_wave(s->emulated, s->waves[i], err);
    }
    return status;
}

static void print_place(const struct sensor *s)
{
    tpi_buf url = {0};

    sensor_line_put_url(s->line, &url);
    printf("%s %s\n", s->manifest, tpi_buf_text(&url));
    (void)fflush(stdout);
    tpi_buf_fini(&url);
}

static tp_status set_up(struct running *r, tp_error *err)
{
    tp_status status = TP_OK;

    for (unsigned i = 0; i < r->count && status == TP_OK; i++) {
        struct sensor *s = &r->all[i];
        tpi_manifest *manifest = NULL;
        status = tpi_sensor_files_read(&manifest, &s->text, s->manifest, NULL, err);
        tpi_manifest_destroy(manifest);
        status = status == TP_OK ? power_on(r, s, err) : status;
        if (status == TP_OK) {
            status = sensor_line_open(&s->line, s->listen, s->link, (unsigned)s->baud, err);
        }
        if (status == TP_OK) {
            print_place(s);
        }
    }
    return status;
}

static void fini(struct running *r)
{
    for (unsigned i = 0; i < r->count; i++) {
        sensor_line_close(r->all[i].line);
        tpi_emulated_destroy(r->all[i].emulated);
        tpi_buf_fini(&r->all[i].text);
    }
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static void exchange(struct sensor *s)
{
    const int64_t passed_ns = tp_clock_now_ns(tp_clock_real()) - s->began_ns;
    char bytes[CHUNK];
    bool is_new = false;
    size_t length;

    if (!sensor_line_is_plugged(s->line)) {
        return;
    }
    while ((length = sensor_line_read(s->line, bytes, sizeof bytes, &is_new)) > 0) {
        tpi_emulated_input(s->emulated, bytes, length);
    }
    tpi_emulated_advance(s->emulated, (uint64_t)passed_ns / 1000);
    do {
        s->pending_length += tpi_emulated_output(s->emulated, s->pending + s->pending_length,
                                                 sizeof s->pending - s->pending_length);
        length = sensor_line_write(s->line, s->pending, s->pending_length);
        memmove(s->pending, s->pending + length, s->pending_length - length);
        s->pending_length -= length;
        tpi_emulated_advance(s->emulated, (uint64_t)passed_ns / 1000);
    } while (length > 0);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status plug(struct running *r, struct sensor *s, bool plugged, tp_error *err)
{
    tp_status status = plugged ? power_on(r, s, err) : TP_OK;

    status = status == TP_OK ? sensor_line_plug(s->line, plugged, err) : status;
    if (status == TP_OK) {
        print_place(s);
    }
    return status;
}

static void do_command(struct running *r)
{
    char verb[16] = "", value[100] = "";
    unsigned number = 0;
    tp_error err = {0};
    tp_status status = TP_OK;
    const int found = sscanf(r->command, "%15s %u %99s", verb, &number, value);

    if (found == 1 && strcmp(verb, "quit") == 0) {
        r->quits = true;
    } else if (found < 2 || number < 1 || number > r->count) {
        status =
            tp_fail(&err, TP_E_INVALID, "expected unplug N, plug N, wave N CHANNEL=WAVE or quit");
    } else if (strcmp(verb, "wave") == 0) {
        status = tpi_emulated_set_wave(r->all[number - 1].emulated, value, &err);
    } else if (strcmp(verb, "plug") == 0 || strcmp(verb, "unplug") == 0) {
        status = plug(r, &r->all[number - 1], verb[0] == 'p', &err);
    } else {
        status = tp_fail(&err, TP_E_INVALID, "\"%s\" is no command", verb);
    }
    if (status != TP_OK) {
        (void)command_fail(name, EXIT_FAILED, "%s", err.text);
    }
}

static void read_commands(struct running *r)
{
    struct pollfd at = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte;

    while (!r->input_ended && poll(&at, 1, 0) > 0) {
        if (read(STDIN_FILENO, &byte, 1) <= 0) {
            r->input_ended = true; /* without an input it goes on */
        } else if (byte == '\n') {
            r->command[r->command_length] = '\0';
            r->command_length = 0;
            do_command(r);
        } else if (r->command_length + 1 < sizeof r->command) {
            r->command[r->command_length++] = byte;
        }
    }
}

static void wait_for_work(const struct running *r)
{
    struct pollfd fds[MOST_SENSORS + 1];
    nfds_t count = 0;

    for (unsigned i = 0; i < r->count; i++) {
        fds[count++] = (struct pollfd){.fd = sensor_line_fd(r->all[i].line), .events = POLLIN};
    }
    if (!r->input_ended) {
        fds[count++] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    }
    (void)poll(fds, count, STEP_MS);
}

static void work(struct running *r)
{
    const int64_t began_ns = tp_clock_now_ns(tp_clock_real());

    command_catch(SIGINT, on_signal);
    command_catch(SIGTERM, on_signal);
    command_catch(SIGHUP, on_signal);
    while (!interrupted && !r->quits &&
           (r->seconds <= 0 ||
            (double)(tp_clock_now_ns(tp_clock_real()) - began_ns) * 1e-9 < r->seconds)) {
        read_commands(r);
        for (unsigned i = 0; i < r->count; i++) {
            exchange(&r->all[i]);
        }
        wait_for_work(r);
    }
}

int emulate_sensor(int argc, char **argv)
{
    struct running *r = calloc(1, sizeof *r);
    tp_error err = {0};
    int result =
        r == NULL ? command_fail(name, EXIT_FAILED, "out of memory") : read_options(r, argc, argv);

    if (result == EXIT_DONE) {
        if (set_up(r, &err) == TP_OK) {
            work(r);
        } else {
            result = command_fail(name, EXIT_FAILED, "%s", err.text);
        }
        fini(r);
    }
    free(r);
    return result;
}
