/*
 * log_record.c - troupe log: records the data of devices.
 *
 * The data is written in chunks, at least one a second, so that a crash loses no more than that. A
 * table (.csv) is made from the recording at the end, since its columns are known only then.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "called.h"
#include "log_record.h"
#include "output.h"

static const char name[] = "log";

static const int64_t progress_ns = 2 * TP_NS_PER_S; /* nothing is shown before */

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* Whether this message is recorded: from --start on, while --when holds, until --end. */
static bool is_due(struct record *r, const char *device, unsigned code, const void *value)
{
    const bool begun = r->start.text == NULL || r->start.is_true;

    if (r->end.is_true) { /* it ends; what has arrived since is not part of it */
        return false;
    }
    if (!begun) {
        (void)log_condition_see(&r->start, device, code, value);
    }
    (void)log_condition_see(&r->when, device, code, value);
    const bool due =
        (r->start.text == NULL || r->start.is_true) && (r->when.text == NULL || r->when.is_true);
    if (begun && log_condition_see(&r->end, device, code, value) && r->end.is_true) {
        remote_stop(&r->remote);
    }
    return due;
}

static void on_data(tp_proxy *proxy, const tp_msg *msg)
{
    struct follower *follower = tp_proxy_context(proxy);
    struct record *r = follower->record;
    const tp_msghdr *header = tp_msg_header(msg);

    if (r->failure.code != TP_OK ||
        (r->most > 0 && tpi_log_writer_messages(r->writer) >= (uint64_t)r->most)) {
        return;
    }
    struct log_sensor *sensor = log_experiment_proxy(r, proxy);
    if (sensor != NULL) {
        log_experiment_see(r, sensor, header, tp_msg_payload(msg));
    }
    if (!is_due(r, tp_proxy_name(proxy), header->subtype, tp_msg_payload(msg))) {
        return;
    }
    const tp_status status = tpi_log_recorder_put(
        r->recorder, follower->device, header->subtype, tp_msg_payload(msg), (uint64_t)now_ns(),
        header->timestamp > 0 ? (uint64_t)(header->timestamp * 1e9) : 0, &r->failure);
    if (status == TP_E_UNKNOWN) { /* a common message, as an error of the device */
        r->failure = (tp_error){.code = TP_OK};
        follower->skipped++;
    } else if (status != TP_OK) {
        r->failure.code = status;
        remote_stop(&r->remote);
    } else if (r->most > 0 && tpi_log_writer_messages(r->writer) >= (uint64_t)r->most) {
        remote_stop(&r->remote);
    }
}

static void on_answer(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                      const char *why)
{
    struct follower *follower = tp_proxy_context(proxy);
    struct record *r = follower->record;

    (void)context;
    (void)why;
    if (status == TP_OK && answer != NULL && r->failure.code == TP_OK) {
        r->failure.code =
            log_note_answer(proxy, answer, r->recorder, follower->device, &r->failure);
    }
}

static void show_progress(struct record *r)
{
    const int64_t now = now_ns();

    if (!r->quiet && output_is_live() && now - r->start_ns >= progress_ns) {
        (void)fprintf(stderr, "\r%.0f s, %llu messages, %.1f MB \b",
                      (double)(now - r->start_ns) * 1e-9,
                      (unsigned long long)tpi_log_writer_messages(r->writer),
                      (double)tpi_log_writer_bytes(r->writer) * 1e-6);
        r->shown_ns = now;
    }
}

/* Every second: what has come so far survives a crash. */
static void on_second(void *context)
{
    struct record *r = context;

    if (r->failure.code == TP_OK) {
        r->failure.code = tpi_log_writer_flush(r->writer, &r->failure);
    }
    show_progress(r);
    if (r->failure.code != TP_OK) {
        remote_stop(&r->remote);
    }
}

static void on_end(void *context)
{
    struct record *r = context;

    remote_stop(&r->remote);
}

/* ---- Devices --------------------------------------------------------------------------------- */

static bool has_data(const tp_interface *interface)
{
    for (uint32_t i = 0; interface != NULL && i < interface->message_count; i++) {
        if (interface->messages[i].kind == TP_KIND_DATA) {
            return true;
        }
    }
    return false;
}

/* What is said of a device was not written: a full disk is reported at the end, once. */
static int fail_notes(struct record *r, const tp_error *err)
{
    if (r->failure.code == TP_OK) {
        r->failure.code = tpi_log_writer_flush(r->writer, &r->failure);
    }
    return r->failure.code != TP_OK ? EXIT_FAILED
                                    : command_fail(name, EXIT_FAILED, "%s: %s", r->path, err->text);
}

bool log_is_named(const struct record *r, const char *device)
{
    char first[96];

    for (unsigned i = 0; i < r->wanted_count; i++) {
        (void)snprintf(first, sizeof first, "%s:0", r->wanted[i]);
        if (strcmp(r->wanted[i], device) == 0 || strcmp(first, device) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(struct record *r, const tp_client_device *device)
{
    if (log_is_named(r, device->name)) {
        return true;
    }
    if (r->experiment_path != NULL) {
        return log_experiment_sensor(r, device->name) != NULL;
    }
    return r->wanted_count == 0 && has_data(device->interface);
}

static int follow_device(struct record *r, const tp_client_device *device)
{
    struct follower *follower = &r->followers[r->count];
    tp_error err = {.text = ""};

    if (device->interface == NULL) {
        return command_fail(name, EXIT_FAILED, "%s: its interface is not known", device->name);
    }
    if (tp_catalogue_named(r->remote.catalogue, device->interface->name) == NULL) {
        (void)tp_client_learn(r->remote.client, r->remote.catalogue, NULL);
    }
    tp_status status = tpi_log_recorder_add(r->recorder, device->name, device->driver,
                                            device->interface, &follower->device, &err);
    struct log_sensor *sensor = log_experiment_sensor(r, device->name);
    if (status == TP_OK) {
        status =
            tp_client_open(r->remote.client, device->name,
                           sensor != NULL ? TP_ALL_MODE : TP_READ_MODE, &follower->proxy, &err);
    }
    if (status != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s: %s", device->name, err.text);
    }
    follower->record = r;
    r->count++;
    tp_proxy_set_context(follower->proxy, follower);
    if (sensor != NULL) {
        sensor->proxy = follower->proxy;
        if (log_experiment_setup(r, sensor) != EXIT_DONE) {
            return EXIT_FAILED;
        }
    }
    if (log_condition_bind(&r->start, device->name, device->interface) != EXIT_DONE ||
        log_condition_bind(&r->end, device->name, device->interface) != EXIT_DONE ||
        log_condition_bind(&r->when, device->name, device->interface) != EXIT_DONE) {
        return EXIT_FAILED;
    }
    log_ask_device(follower->proxy, on_answer);
    tp_proxy_on_data(follower->proxy, on_data);
    if (log_note_properties(follower->proxy, r->recorder, follower->device, &err) != TP_OK) {
        return fail_notes(r, &err);
    }
    if (r->rate_hz > 0 && tp_proxy_set_rate(follower->proxy, r->rate_hz, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "--rate: %s", err.text);
    }
    return EXIT_DONE;
}

/* Says that there is no such device, and which one, or which other form of the command, may be
 * meant. */
static int fail_unknown(const char *wanted, const tp_client_device *devices, size_t count)
{
    static const char *const forms[] = {"info", "csv", "plot", "recover"};
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, wanted);
    for (size_t i = 0; i < count; i++) {
        tpi_nearest_offer(&nearest, devices[i].name);
        if (devices[i].interface != NULL) {
            tpi_nearest_offer(&nearest, devices[i].interface->name);
        }
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        tpi_nearest_offer(&nearest, forms[i]);
    }
    if (nearest.best != NULL) {
        return command_fail(name, EXIT_FAILED, "there is no device %s%s", wanted,
                            tpi_nearest_hint(&nearest, hint, sizeof hint));
    }
    return command_fail(name, EXIT_FAILED, "there is no device %s; %s list%s names them", wanted,
                        called(), called_server());
}

/* Every name has to be there. */
static int check_names(const struct record *r, const tp_client_device *devices, size_t count)
{
    for (unsigned i = 0; i < r->wanted_count; i++) {
        char first[96];
        bool found = false;

        (void)snprintf(first, sizeof first, "%s:0", r->wanted[i]);
        for (size_t k = 0; k < count; k++) {
            found = found || strcmp(r->wanted[i], devices[k].name) == 0 ||
                    strcmp(first, devices[k].name) == 0;
        }
        if (!found) {
            return fail_unknown(r->wanted[i], devices, count);
        }
    }
    return EXIT_DONE;
}

/* The devices of the server; those that were named have to be there. */
static int list_devices(struct record *r)
{
    tp_error err = {.text = ""};
    bool any = false;

    if (tp_client_list(r->remote.client, &r->devices, &r->device_count, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    int result = r->experiment_path != NULL ? log_experiment_choose(r) : EXIT_DONE;
    if (result != EXIT_DONE) {
        return result;
    }
    for (size_t i = 0; i < r->device_count; i++) {
        any = any || is_wanted(r, &r->devices[i]);
    }
    result = check_names(r, r->devices, r->device_count);
    return result == EXIT_DONE && !any
               ? command_fail(name, EXIT_FAILED, "the server has no device that sends data")
               : result;
}

static int follow_devices(struct record *r)
{
    int result = EXIT_DONE;

    r->followers = calloc(r->device_count, sizeof *r->followers);
    if (r->followers == NULL) {
        result = command_fail(name, EXIT_FAILED, "out of memory");
    }
    for (size_t i = 0; i < r->device_count && result == EXIT_DONE; i++) {
        if (is_wanted(r, &r->devices[i])) {
            result = follow_device(r, &r->devices[i]);
        }
    }
    result = result == EXIT_DONE ? log_condition_check(&r->start) : result;
    result = result == EXIT_DONE ? log_condition_check(&r->end) : result;
    result = result == EXIT_DONE ? log_condition_check(&r->when) : result;
    return result;
}

/* ---- The file -------------------------------------------------------------------------------- */

static int create_file(struct record *r)
{
    const time_t now = time(NULL);
    struct tm local;

    if (r->out == NULL) {
        (void)localtime_r(&now, &local);
        (void)strftime(r->made, sizeof r->made, "troupe-%Y%m%d-%H%M%S.mcap", &local);
        r->out = r->made;
    }
    const bool table = log_ends_in(r->out, ".csv");
    (void)snprintf(r->path, sizeof r->path, "%s%s", r->out, table ? ".mcap" : "");
    if (table && !r->force) { /* the table itself must not be there either */
        FILE *there = fopen(r->out, "r");

        if (there != NULL) {
            (void)fclose(there);
            return command_fail(name, EXIT_FAILED, "%s: File exists; --force replaces it", r->out);
        }
    }
    return log_file_create(&r->file, r->path, r->force);
}

static int begin_recording(struct record *r)
{
    const tpi_log_writer_options options = {.sink = log_file_sink,
                                            .context = r->file,
                                            .compression = r->compression,
                                            .span_ns = TP_NS_PER_S};
    const tpi_log_note notes[] = {{"server", remote_url(&r->remote)}, {NULL, NULL}};
    tp_error err = {.text = ""};

    if (tpi_log_writer_open(&r->writer, &options, &err) != TP_OK ||
        tpi_log_writer_metadata(r->writer, "troupe", notes, &err) != TP_OK ||
        tpi_log_recorder_create(&r->recorder, r->writer, r->form, r->remote.catalogue, &err) !=
            TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s: %s", r->path, err.text);
    }
    return EXIT_DONE;
}

/* Write the end of the file, and the table if one is wanted. */
static int end_recording(struct record *r)
{
    tp_error err = {.text = ""};
    const uint64_t messages = tpi_log_writer_messages(r->writer);
    const tp_status status = tpi_log_writer_close(r->writer, &err);
    const bool closed = fclose(r->file) == 0;

    r->writer = NULL;
    r->file = NULL;
    if (r->shown_ns != 0) {
        (void)fprintf(stderr, "\n");
    }
    if (r->failure.code != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s: %s; %s log recover saves what was recorded",
                            r->path, r->failure.text, called());
    }
    if (status != TP_OK || !closed) {
        return command_fail(name, EXIT_FAILED, "%s: %s", r->path,
                            status != TP_OK ? err.text : strerror(errno));
    }
    if (r->experiment_path != NULL && !log_experiment_has_run(r)) {
        return EXIT_DONE; /* it was refused: there is nothing to draw, and no table */
    }
    int result = EXIT_DONE;
    if (r->plot != NULL && messages > 0) {
        result = log_write_plot(r->path, r->plot, r->force);
    }
    if (result == EXIT_DONE && log_ends_in(r->out, ".csv")) {
        result = log_write_csv(r->path, r->out, &r->locale);
        if (result == EXIT_DONE) {
            (void)remove(r->path);
        }
    }
    if (result == EXIT_DONE && !r->quiet) {
        (void)fprintf(stderr, "%s: %llu message%s of %zu device%s\n", r->out,
                      (unsigned long long)messages, output_plural(messages), r->count,
                      output_plural(r->count));
    }
    return result;
}

/* ---- Running --------------------------------------------------------------------------------- */

static int follow(struct record *r)
{
    tp_timer *second = NULL, *end = NULL;
    tp_loop *loop = tp_client_loop(r->remote.client);
    tp_error err = {.text = ""};
    int result = EXIT_DONE;

    if (tp_timer_create(&second, loop, on_second, r, &err) != TP_OK ||
        tp_timer_create(&end, loop, on_end, r, &err) != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "%s", err.text);
    } else {
        tp_timer_every(second, TP_NS_PER_S);
        if (r->for_s > 0) {
            tp_timer_at(end, tp_clock_now_ns(tp_loop_clock(loop)) + command_ns(r->for_s));
        }
        r->start_ns = now_ns();
        result = r->experiment_path != NULL ? log_experiment_start(r) : EXIT_DONE;
        if (result == EXIT_DONE && !log_experiment_is_over(r)) {
            (void)remote_run(&r->remote);
        }
        if (result == EXIT_DONE && r->experiment_path != NULL) {
            result = log_experiment_end(r);
        }
    }
    tp_timer_destroy(second);
    tp_timer_destroy(end);
    return result;
}

static int record(struct record *r)
{
    int result = remote_connect(&r->remote, TP_CLIENT_EVERYTHING, true);

    result = result == EXIT_DONE ? list_devices(r) : result;
    result = result == EXIT_DONE ? create_file(r) : result;
    result = result == EXIT_DONE ? begin_recording(r) : result;
    if (result == EXIT_DONE) {
        remote_catch_signals(&r->remote);
        result = follow_devices(r);
        result = result == EXIT_DONE ? follow(r) : result;
        for (size_t i = 0; i < r->count; i++) {
            tp_proxy_close(r->followers[i].proxy);
        }
        const int ended = end_recording(r);
        if (r->experiment_path != NULL && !log_experiment_has_run(r)) {
            (void)remove(r->path); /* it was refused: nothing was recorded */
        }
        result = result == EXIT_DONE ? ended : result;
    }
    tpi_log_recorder_destroy(r->recorder);
    free(r->followers);
    free(r->devices);
    if (r->file != NULL) {
        (void)fclose(r->file);
    }
    return result;
}

int log_record(int argc, char **argv)
{
    struct record *r = calloc(1, sizeof *r);

    if (r == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    r->compression = TPI_MCAP_LZ4;
    r->locale = (tpi_log_locale){',', '.'};
    int result = remote_init(&r->remote, name);
    result = result == EXIT_DONE ? log_record_options(r, argc, argv) : result;
    result = result == EXIT_DONE && r->experiment_path != NULL ? log_experiment_read(r) : result;
    result = result == EXIT_DONE ? record(r) : result;
    log_experiment_fini(r);
    remote_fini(&r->remote);
    free(r);
    return result;
}
