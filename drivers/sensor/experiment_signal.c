/*
 * experiment_signal.c - signals of other sensors in an experiment with several; see sensor.h.
 *
 * A program reads all sensors and passes their signals on with the request SIGNAL. A channel that
 * waits for one begins or ends; one with `every` takes a reading, whose time is that of this
 * computer.
 */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "sensor.h"
#include "troupe/driver/experiment.h"

/* ---- Which sensor ---------------------------------------------------------------------------- */

/* "experiment:1", also with the number of a robot in front of it. */
static bool is_named(const char *name, const char *own)
{
    const size_t length = strlen(name), end = strlen(own);

    return length >= end && strcmp(name + length - end, own) == 0 &&
           (length == end || name[length - end - 1] == ':');
}

tp_status tpi_sensor_find_own(const struct sensor *s, const tpi_experiment *experiment,
                              unsigned *out, tp_error *err)
{
    char own[32];

    *out = 0;
    if (experiment->sensor_count == 1) {
        return TP_OK;
    }
    (void)snprintf(own, sizeof own, "experiment:%u",
                   (unsigned)tp_device_addr(s->experiment.device)->index);
    for (unsigned i = 0; i < experiment->sensor_count; i++) {
        if (is_named(experiment->sensors[i].device, own)) {
            *out = i;
            return TP_OK;
        }
    }
    return tp_fail(err, TP_E_INVALID, "%s: no sensor is %s; a line \"sensor NAME %s\" names it",
                   experiment->path, own, own);
}

/* The sensor with this name; a negative number for none. */
static int sensor_named(const tpi_experiment *experiment, const char *name, uint32_t count)
{
    for (unsigned i = 0; i < experiment->sensor_count; i++) {
        const size_t length = strlen(experiment->sensors[i].name);
        if (count >= length && memcmp(experiment->sensors[i].name, name, length) == 0 &&
            (count == length || name[length] == '\0')) {
            return (int)i;
        }
    }
    return -1;
}

/* ---- What it does ---------------------------------------------------------------------------- */

static void add_task(struct sensor *s, const char *form, unsigned place)
{
    char command[32];

    (void)snprintf(command, sizeof command, form, s->channels[place].transducer->channel);
    tpi_sensor_add_task(s, 0, command);
}

bool tpi_sensor_trigger_relayed(struct sensor *s, unsigned place)
{
    struct sensor_run *run = &s->experiment.runs[place];

    run->has_started = run->has_started || run->is_relayed;
    return run->is_relayed;
}

/* The commands of a signal for one channel. */
static void add_channel(struct sensor *s, unsigned place, unsigned sensor, unsigned number,
                        tp_experiment_sign sign)
{
    struct sensor_run *run = &s->experiment.runs[place];
    const tpi_experiment_channel *line = run->line;

    if (line == NULL || run->has_ended) {
        return;
    }
    if (sign == TP_EXPERIMENT_OVER) {
        if (tpi_experiment_waits_for(line, &line->end, sensor, number)) {
            run->has_ended = true;
            if (!run->is_relayed) {
                add_task(s, "L,%u,stop", place);
            }
        }
        return;
    }
    if (tpi_experiment_waits_for(line, &line->start, sensor, number) && !run->has_started) {
        run->has_started = true;
        if (!run->is_relayed) {
            add_task(s, "T,%u", place);
        }
    }
    if (tpi_experiment_waits_for(line, &line->every, sensor, number) && run->has_started &&
        (run->count == 0 || run->next < run->count)) {
        add_task(s, "R,%u", place);
    }
}

tp_status tpi_sensor_take_signal(tp_device *device, const tp_experiment_signal *ask, tp_error *err)
{
    struct sensor *s = tp_instance_state(tp_device_instance(device));
    struct sensor_experiment *x = &s->experiment;
    const tp_status status = tpi_sensor_check_running(s, err);

    if (status != TP_OK) {
        return status;
    }
    const int sensor = sensor_named(x->experiment, ask->sensor, ask->sensor_count);
    if (sensor < 0 || (unsigned)sensor == x->own || ask->sign > TP_EXPERIMENT_OVER) {
        return tp_fail(err, TP_E_INVALID, "the experiment has no other sensor with this name%s",
                       ask->sign > TP_EXPERIMENT_OVER ? ", or the sign is not known" : "");
    }
    for (unsigned i = 0; i < s->count; i++) {
        add_channel(s, i, (unsigned)sensor, ask->channel, (tp_experiment_sign)ask->sign);
    }
    x->signal = (struct sensor_signal){
        .channel = ask->channel, .sign = (tp_experiment_sign)ask->sign, .time_s = ask->time};
    (void)snprintf(x->signal.sensor, sizeof x->signal.sensor, "%s",
                   x->experiment->sensors[sensor].name);
    if (x->task_count == 0) { /* nothing that the sensor has to know */
        tpi_sensor_tell_signal(s);
        return TP_OK;
    }
    return tpi_sensor_begin(s, JOB_SIGNAL, tp_device_defer(device), err);
}

/* "R,channel,value": a sample of a relayed channel. */
void tpi_sensor_signal_answer(struct sensor *s, const char *command, const char *answer)
{
    struct sensor_experiment *x = &s->experiment;
    const char *comma = strrchr(answer, ',');
    int64_t number = 0;
    double value;

    if (command[0] != 'R' || comma == NULL ||
        !tpi_number_read_i64(command + 2, strlen(command + 2), &number) ||
        tpi_number_read_f64(comma + 1, strlen(comma + 1), &value) == 0) {
        return;
    }
    const int place = tpi_sensor_place_of(s, (unsigned)number);
    if (place >= 0 && x->accepts && x->runs[place].line != NULL) {
        x->runs[place].next++;
        x->samples++;
        s->channels[place].value = value;
        s->channels[place].is_known = true;
        tpi_sensor_publish_sample(s, (unsigned)place,
                                  (double)(tpi_sensor_now_ns(s) - x->started_ns) * 1e-9, value);
    }
}

void tpi_sensor_tell_signal(struct sensor *s)
{
    const struct sensor_signal *signal = &s->experiment.signal;
    const double now_s = tp_clock_wall_s(tp_instance_clock(s->self));
    tp_experiment_signal told = {.channel = signal->channel,
                                 .sign = (uint8_t)signal->sign,
                                 .time = signal->time_s,
                                 .delay = signal->time_s > 0 ? now_s - signal->time_s : 0};

    told.sensor = tpi_text_field(signal->sensor, &told.sensor_count);
    (void)tp_experiment_publish_signal(s->experiment.device, &told, 0);
}
