/* experiment.c - the device `experiment` of a sensor: its requests, and what readers learn; see
 * sensor.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sensor.h"
#include "troupe/driver/experiment.h"

static struct sensor *of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- What it does ---------------------------------------------------------------------------- */

void tpi_sensor_put_state(struct sensor *s, tp_experiment_state *out)
{
    const struct sensor_experiment *x = &s->experiment;
    const bool runs = x->phase == TP_EXPERIMENT_RUNNING;
    const int64_t until_ns = runs ? tpi_sensor_now_ns(s) : x->ended_ns;

    *out =
        (tp_experiment_state){.phase = (uint8_t)x->phase,
                              .runs = x->starts,
                              .time = x->starts > 0 ? (double)(until_ns - x->started_ns) * 1e-9 : 0,
                              .samples = x->samples,
                              .lost = x->lost};
    out->title =
        tpi_text_field(x->experiment != NULL ? x->experiment->title : "", &out->title_count);
    out->why = tpi_text_field(x->why, &out->why_count);
}

void tpi_sensor_tell_state(struct sensor *s)
{
    struct sensor_experiment *x = &s->experiment;
    tp_experiment_state state;

    x->told_ns = tpi_sensor_now_ns(s);
    if (x->device != NULL && tp_device_readers(x->device) > 0) {
        tpi_sensor_put_state(s, &state);
        (void)tp_experiment_publish_state(x->device, &state, 0);
    }
}

static tp_status get_state(tp_device *device, tp_experiment_state *answer, tp_error *err)
{
    (void)err;
    tpi_sensor_put_state(of(device), answer);
    return TP_OK;
}

static tp_status get_text(tp_device *device, tp_experiment_text *answer, tp_error *err)
{
    const struct sensor_experiment *x = &of(device)->experiment;

    (void)err;
    answer->name = tpi_text_field(x->name, &answer->name_count);
    answer->text = tpi_text_field(x->text != NULL ? x->text : "", &answer->text_count);
    return TP_OK;
}

static tp_status get_channels(tp_device *device, tp_experiment_channels *answer, tp_error *err)
{
    return tpi_sensor_put_channels(of(device), answer, err);
}

/* ---- Setting up ------------------------------------------------------------------------------ */

/* Whether the sensor is there and nothing else is under way. */
static tp_status check_free(const struct sensor *s, tp_error *err)
{
    if (s->manifest == NULL) {
        return tp_fail(err, TP_E_DEVICE, "no sensor is plugged in");
    }
    return s->experiment.job != JOB_NONE
               ? tp_fail(err, TP_E_LIMIT, "the sensor is being told something else; try again")
               : TP_OK;
}

/* The length of a text without its NUL. */
static size_t length_of(const char *text, uint32_t count)
{
    const char *end = count == 0 ? NULL : memchr(text, '\0', count);

    return end == NULL ? count : (size_t)(end - text);
}

static void add_command(void *context, unsigned line, const char *command)
{
    tpi_sensor_add_task(context, line, command);
}

/* Commands that set the experiment up from nothing. */
static void add_setup(struct sensor *s, const tpi_experiment *experiment)
{
    const bool is_wanted = experiment == s->experiment.wanted;

    tpi_experiment_commands(experiment, is_wanted ? s->experiment.wanted_own : s->experiment.own,
                            s->manifest, add_command, s);
}

static tp_status read_wanted(struct sensor *s, const tp_experiment_text *ask, tp_error *err)
{
    struct sensor_experiment *x = &s->experiment;
    const size_t length = length_of(ask->text, ask->text_count);
    const size_t named = length_of(ask->name, ask->name_count);
    char name[64];

    (void)snprintf(name, sizeof name, "%.*s", named > 0 && named < 60 ? (int)named : 10,
                   named > 0 && named < 60 ? ask->name : "experiment");
    tp_status status =
        tpi_experiment_read(&x->wanted, length > 0 ? ask->text : "", length, name, err);
    status = status == TP_OK ? tpi_sensor_find_own(s, x->wanted, &x->wanted_own, err) : status;
    status =
        status == TP_OK ? tpi_experiment_fit(x->wanted, x->wanted_own, s->manifest, err) : status;
    x->wanted_text = status == TP_OK ? calloc(1, length + 1) : NULL;
    if (status == TP_OK && x->wanted_text == NULL) {
        status = tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (status != TP_OK) {
        tpi_experiment_destroy(x->wanted);
        x->wanted = NULL;
        return status;
    }
    memcpy(x->wanted_text, ask->text, length);
    return TP_OK;
}

static tp_status set_up(tp_device *device, const tp_experiment_text *ask, tp_error *err)
{
    struct sensor *s = of(device);
    tp_status status = check_free(s, err);

    if (status == TP_OK && s->experiment.phase == TP_EXPERIMENT_RUNNING) {
        status = tp_fail(err, TP_E_INVALID, "an experiment runs; STOP ends it");
    }
    status = status == TP_OK ? read_wanted(s, ask, err) : status;
    if (status != TP_OK) {
        return status;
    }
    add_setup(s, s->experiment.wanted);
    return tpi_sensor_begin(s, JOB_SETUP, tp_device_defer(device), err);
}

/* ---- Running --------------------------------------------------------------------------------- */

static tp_status start(tp_device *device, tp_error *err)
{
    struct sensor *s = of(device);
    const struct sensor_experiment *x = &s->experiment;
    tp_status status = check_free(s, err);

    if (status == TP_OK && x->experiment == NULL) {
        status = tp_fail(err, TP_E_INVALID, "no experiment is set up; SETUP does that");
    } else if (status == TP_OK && x->phase == TP_EXPERIMENT_RUNNING) {
        status = tp_fail(err, TP_E_INVALID, "the experiment runs already");
    }
    status = status == TP_OK ? tpi_experiment_fit(x->experiment, x->own, s->manifest, err) : status;
    if (status != TP_OK) {
        return status;
    }
    add_setup(s, x->experiment);
    tpi_sensor_add_task(s, 0, "L,go");
    return tpi_sensor_begin(s, JOB_START, tp_device_defer(device), err);
}

tp_status tpi_sensor_check_running(const struct sensor *s, tp_error *err)
{
    const tp_status status = check_free(s, err);

    return status == TP_OK && s->experiment.phase != TP_EXPERIMENT_RUNNING
               ? tp_fail(err, TP_E_INVALID, "no experiment runs")
               : status;
}

static tp_status stop(tp_device *device, tp_error *err)
{
    struct sensor *s = of(device);
    const tp_status status = tpi_sensor_check_running(s, err);

    return status == TP_OK ? tpi_sensor_begin(s, JOB_FINISH, tp_device_defer(device), err) : status;
}

static tp_status read_samples(tp_device *device, tp_error *err)
{
    struct sensor *s = of(device);
    const tp_status status = tpi_sensor_check_running(s, err);
    unsigned tasks = 0;

    for (unsigned i = 0; i < s->count && status == TP_OK; i++) {
        const tpi_experiment_channel *line = s->experiment.runs[i].line;
        if (line != NULL && line->send.kind == TPI_WHEN_READ && !s->experiment.runs[i].is_relayed) {
            char command[32];
            (void)snprintf(command, sizeof command, "L,%u,read",
                           s->channels[i].transducer->channel);
            tpi_sensor_add_task(s, 0, command);
            tasks++;
        }
    }
    return status != TP_OK || tasks == 0
               ? status
               : tpi_sensor_begin(s, JOB_READ, tp_device_defer(device), err);
}

static tp_status trigger(tp_device *device, const tp_experiment_trigger *ask, tp_error *err)
{
    struct sensor *s = of(device);
    tp_status status = tpi_sensor_check_running(s, err);
    char command[32];
    unsigned tasks = 0, relayed = 0;

    for (unsigned i = 0; i < s->count && status == TP_OK; i++) {
        const tpi_experiment_channel *line = s->experiment.runs[i].line;
        const unsigned number = s->channels[i].transducer->channel;
        if (line == NULL || line->start.kind != TPI_WHEN_TRIGGER ||
            (ask->channel != 0 && ask->channel != number)) {
            continue;
        }
        if (tpi_sensor_trigger_relayed(s, i)) {
            relayed++;
        } else {
            (void)snprintf(command, sizeof command, "T,%u", number);
            tpi_sensor_add_task(s, 0, command);
            tasks++;
        }
    }
    if (status == TP_OK && tasks + relayed == 0) {
        status = tp_fail(err, TP_E_INVALID, "no channel has start=trigger");
    }
    return status == TP_OK && tasks > 0
               ? tpi_sensor_begin(s, JOB_TRIGGER, tp_device_defer(device), err)
               : status;
}

tp_status tpi_sensor_offer_experiment(struct sensor *s, tp_error *err)
{
    static const tp_experiment_ops ops = {.req_get_channels = get_channels,
                                          .req_get_text = get_text,
                                          .req_get_state = get_state,
                                          .req_setup = set_up,
                                          .req_start = start,
                                          .req_launch = start,
                                          .req_stop = stop,
                                          .req_read = read_samples,
                                          .req_trigger = trigger,
                                          .req_signal = tpi_sensor_take_signal};

    if (!tp_provides(s->self, &tp_interface_experiment, NULL)) {
        return TP_OK;
    }
    tp_instance_stay_on(s->self); /* an experiment goes on without clients */
    return tp_offer_experiment(s->self, NULL, &ops, &s->experiment.device, err);
}
