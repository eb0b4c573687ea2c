/*
 * log_experiment.c - troupe log --experiment: sets an experiment up, starts it, and records until
 * its end; see log_record.h. log_relay.c passes signals between its sensors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "called.h"
#include "log_record.h"
#include "output.h"
#include "troupe/client/experiment.h"

static const char name[] = "log";

int log_experiment_read(struct record *r)
{
    struct log_experiment *x = &r->experiment;
    tp_error err = {.text = ""};

    if (tpi_file_read(&x->text, r->experiment_path, TPI_EXPERIMENT_TEXT, &err) != TP_OK ||
        tpi_experiment_read(&x->experiment, tpi_buf_text(&x->text), x->text.length,
                            r->experiment_path, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    return EXIT_DONE;
}

void log_experiment_fini(struct record *r)
{
    tpi_experiment_destroy(r->experiment.experiment);
    tpi_buf_fini(&r->experiment.text);
}

/* ---- Devices --------------------------------------------------------------------------------- */

static bool is_suited(const tpi_experiment_sensor *sensor, const tp_client_device *device)
{
    if (device->interface == NULL || strcmp(device->interface->name, "experiment") != 0) {
        return false;
    }
    return sensor->device[0] == '\0' || strcmp(device->name, sensor->device) == 0;
}

/* The device of a sensor: one that the command line names, else the first. */
static const tp_client_device *find_device(const struct record *r,
                                           const tpi_experiment_sensor *sensor)
{
    const tp_client_device *first = NULL;

    for (size_t i = r->device_count; i-- > 0;) {
        const tp_client_device *device = &r->devices[i];
        if (is_suited(sensor, device) &&
            (first == NULL || !log_is_named(r, first->name) || log_is_named(r, device->name))) {
            first = device;
        }
    }
    return first;
}

static int choose_device(struct record *r, unsigned place)
{
    const tpi_experiment_sensor *sensor = &r->experiment.experiment->sensors[place];
    const tp_client_device *device = find_device(r, sensor);
    char where[MOST_PATH + 16] = "";

    if (device != NULL) {
        (void)snprintf(r->experiment.sensors[place].device,
                       sizeof r->experiment.sensors[place].device, "%s", device->name);
        return EXIT_DONE;
    }
    if (sensor->line > 0) {
        (void)snprintf(where, sizeof where, "%s:%u: ", r->experiment_path, sensor->line);
    }
    return command_fail(name, EXIT_FAILED,
                        "%sthe server has no device %s; a section of the driver sensor offers it "
                        "with provides [ \"%s\" ]",
                        where, sensor->device[0] != '\0' ? sensor->device : "experiment",
                        sensor->device[0] != '\0' ? sensor->device : "experiment:0");
}

int log_experiment_choose(struct record *r)
{
    int result = EXIT_DONE;

    r->experiment.count = r->experiment.experiment->sensor_count;
    for (unsigned i = 0; i < r->experiment.count && result == EXIT_DONE; i++) {
        result = choose_device(r, i);
    }
    return result;
}

struct log_sensor *log_experiment_sensor(struct record *r, const char *device)
{
    for (unsigned i = 0; i < r->experiment.count; i++) {
        if (strcmp(r->experiment.sensors[i].device, device) == 0) {
            return &r->experiment.sensors[i];
        }
    }
    return NULL;
}

struct log_sensor *log_experiment_proxy(struct record *r, const tp_proxy *proxy)
{
    for (unsigned i = 0; i < r->experiment.count; i++) {
        if (r->experiment.sensors[i].proxy == proxy) {
            return &r->experiment.sensors[i];
        }
    }
    return NULL;
}

/* ---- Setting up ------------------------------------------------------------------------------ */

/* The name of the file without folders, for the messages of the server. */
static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

int log_experiment_setup(struct record *r, struct log_sensor *sensor)
{
    struct log_experiment *x = &r->experiment;
    const tp_experiment_channels *channels = NULL;
    tp_experiment_text ask = {0};
    tp_error err = {.text = ""};

    ask.name = tpi_text_field(short_name(r->experiment_path), &ask.name_count);
    ask.text = tpi_text_field(tpi_buf_text(&x->text), &ask.text_count);
    if (tp_experiment_request_setup(sensor->proxy, &ask, &err) != TP_OK ||
        tp_experiment_request_get_channels(sensor->proxy, &channels, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    for (unsigned i = 0; i < channels->channels_count && i < TPI_EXPERIMENT_CHANNELS; i++) {
        sensor->numbers[i] = channels->channels[i].number;
        sensor->number_count = i + 1;
    }
    return EXIT_DONE;
}

static int start_sensor(struct log_sensor *sensor)
{
    const tp_experiment_state *state = NULL;
    tp_error err = {.text = ""};

    if (tp_experiment_request_get_state(sensor->proxy, &state, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    sensor->runs = state->runs + 1;
    if (tp_experiment_request_start(sensor->proxy, &err) != TP_OK) {
        sensor->runs = 0;
        return command_fail(name, EXIT_FAILED, "%s: %s", sensor->device, err.text);
    }
    return EXIT_DONE;
}

int log_experiment_start(struct record *r)
{
    struct log_experiment *x = &r->experiment;
    int result = EXIT_DONE;

    for (unsigned i = x->count; i-- > 0 && result == EXIT_DONE;) {
        result =
            start_sensor(&x->sensors[i]); /* those that wait for the first one are ready then */
    }
    for (unsigned i = 0; i < x->count && result != EXIT_DONE; i++) {
        if (x->sensors[i].runs > 0) {
            (void)tp_experiment_request_stop(x->sensors[i].proxy, NULL);
        }
        x->sensors[i].runs = 0;
    }
    return result;
}

bool log_experiment_has_run(const struct record *r)
{
    for (unsigned i = 0; i < r->experiment.count; i++) {
        if (r->experiment.sensors[i].runs > 0) {
            return true;
        }
    }
    return false;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Whether a sensor has only actuators that hold or repeat: it ends with the others. */
static bool is_endless(const tpi_experiment *e, unsigned sensor)
{
    for (unsigned i = 0; i < e->channel_count; i++) {
        const tpi_experiment_channel *c = &e->channels[i];
        if (c->sensor == sensor && (c->value_count == 0 || (c->end.kind != TPI_WHEN_UNSAID &&
                                                            c->end.kind != TPI_WHEN_NEVER))) {
            return false;
        }
    }
    return true;
}

bool log_experiment_is_over(const struct record *r)
{
    const struct log_experiment *x = &r->experiment;
    bool has_ended = false;

    for (unsigned i = 0; i < x->count; i++) {
        if (x->sensors[i].why[0] != '\0') {
            return true; /* one that failed ends all */
        }
    }
    for (unsigned i = 0; i < x->count; i++) {
        if (!x->sensors[i].has_ended && !is_endless(x->experiment, i)) {
            return false;
        }
        has_ended = has_ended || x->sensors[i].has_ended;
    }
    return has_ended;
}

static void see_state(struct record *r, struct log_sensor *sensor, const tp_experiment_state *state)
{
    if (sensor->runs == 0 || state->runs != sensor->runs || state->phase != TP_EXPERIMENT_ENDED) {
        return;
    }
    sensor->has_ended = true;
    (void)snprintf(sensor->why, sizeof sensor->why, "%s", state->why_count > 0 ? state->why : "");
    log_relay_ended(r, sensor);
    if (log_experiment_is_over(r)) {
        remote_stop(&r->remote);
    }
}

void log_experiment_see(struct record *r, struct log_sensor *sensor, const tp_msghdr *header,
                        const void *value)
{
    if (value == NULL) {
        return;
    }
    if (header->subtype == TP_EXPERIMENT_DATA_STATE) {
        see_state(r, sensor, value);
    } else if (header->subtype == TP_EXPERIMENT_DATA_SAMPLE) {
        log_relay_sample(r, sensor, value, header->timestamp);
    } else if (header->subtype == TP_EXPERIMENT_DATA_LOST) {
        log_relay_lost(r, sensor, value);
    }
}

/* End a sensor that still runs, and add up what has come. */
static int end_sensor(struct log_sensor *sensor, unsigned *samples, unsigned *lost)
{
    const tp_experiment_state *state = NULL;
    tp_error err = {.text = ""};

    if ((!sensor->has_ended && tp_experiment_request_stop(sensor->proxy, &err) != TP_OK) ||
        tp_experiment_request_get_state(sensor->proxy, &state, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s: %s", sensor->device, err.text);
    }
    *samples += state->samples;
    *lost += state->lost;
    return EXIT_DONE;
}

int log_experiment_end(struct record *r)
{
    struct log_experiment *x = &r->experiment;
    unsigned samples = 0, lost = 0;
    int result = EXIT_DONE;

    for (unsigned i = 0; i < x->count; i++) {
        const int ended = end_sensor(&x->sensors[i], &samples, &lost);
        result = result == EXIT_DONE ? ended : result;
    }
    if (!r->quiet || lost > 0) {
        (void)fprintf(stderr, "%s: %u sample%s, %u lost\n", r->experiment_path, samples,
                      output_plural(samples), lost);
    }
    if (x->dropped > 0) {
        (void)fprintf(stderr, "%s: %u signals between sensors came too fast and were left out\n",
                      r->experiment_path, x->dropped);
    }
    for (unsigned i = 0; i < x->count && result == EXIT_DONE; i++) {
        if (x->sensors[i].why[0] != '\0') {
            result = command_fail(name, EXIT_FAILED, "%s: %s%s%s", r->experiment_path,
                                  x->count > 1 ? x->sensors[i].device : "",
                                  x->count > 1 ? ": " : "", x->sensors[i].why);
        }
    }
    return result;
}
