/*
 * log_relay.c - signals between the sensors of an experiment: what one has measured starts, times
 * or ends channels of another one; see log_record.h.
 *
 * Each sensor has a queue. One signal is under way to it; the next one is sent with the answer.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "log_record.h"
#include "troupe/client/experiment.h"

static void send_next(struct record *r, struct log_sensor *sensor);

static void on_told(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                    const char *why)
{
    struct record *r = context;
    struct log_sensor *sensor = log_experiment_proxy(r, proxy);

    (void)answer;
    if (sensor == NULL) {
        return;
    }
    sensor->is_told = false;
    if (status != TP_OK && !sensor->has_ended && !sensor->has_noted && !r->quiet) {
        sensor->has_noted = true;
        (void)fprintf(stderr, "%s: %s does not take a signal: %s\n", r->experiment_path,
                      sensor->device, why != NULL ? why : "no answer");
    }
    send_next(r, sensor);
}

static void send_next(struct record *r, struct log_sensor *sensor)
{
    const struct log_signal *next = &sensor->queue[sensor->head % LOG_SIGNALS];

    if (sensor->is_told || sensor->head == sensor->tail || sensor->has_ended) {
        return;
    }
    tp_experiment_signal ask = {
        .channel = next->channel, .sign = (uint8_t)next->sign, .time = next->time_s};
    ask.sensor =
        tpi_text_field(r->experiment.experiment->sensors[next->sensor].name, &ask.sensor_count);
    sensor->head++;
    sensor->is_told = tp_proxy_request_later(sensor->proxy, TP_EXPERIMENT_REQ_SIGNAL, &ask, 0,
                                             on_told, r, NULL) == TP_OK;
    r->experiment.dropped += !sensor->is_told;
}

static void put_signal(struct record *r, unsigned to, const struct log_signal *signal)
{
    struct log_sensor *sensor = &r->experiment.sensors[to];

    if (sensor->tail - sensor->head == LOG_SIGNALS) {
        r->experiment.dropped++;
        return;
    }
    sensor->queue[sensor->tail++ % LOG_SIGNALS] = *signal;
    send_next(r, sensor);
}

/* Whether a channel has to learn of it now: a start is sent once. */
static bool is_waiting(struct record *r, unsigned line, const struct log_signal *signal)
{
    const tpi_experiment_channel *c = &r->experiment.experiment->channels[line];
    bool *has_started = &r->experiment.lines[line].has_started;

    if (signal->sign == TP_EXPERIMENT_OVER) {
        return tpi_experiment_waits_for(c, &c->end, signal->sensor, signal->channel);
    }
    if (tpi_experiment_waits_for(c, &c->start, signal->sensor, signal->channel) && !*has_started) {
        *has_started = true;
        return true;
    }
    return tpi_experiment_waits_for(c, &c->every, signal->sensor, signal->channel);
}

/* Each sensor receives one signal, however many of its channels wait for it. */
static void relay(struct record *r, const struct log_signal *signal)
{
    const tpi_experiment *e = r->experiment.experiment;
    bool tells[TPI_EXPERIMENT_SENSORS] = {false};

    for (unsigned i = 0; i < e->channel_count; i++) {
        if (is_waiting(r, i, signal)) {
            tells[e->channels[i].sensor] = true;
        }
    }
    for (unsigned i = 0; i < e->sensor_count; i++) {
        if (tells[i]) {
            put_signal(r, i, signal);
        }
    }
}

/* The line of a channel; -1 for none. */
static int line_of(const struct record *r, unsigned sensor, unsigned channel)
{
    const tpi_experiment *e = r->experiment.experiment;

    for (unsigned i = 0; i < e->channel_count; i++) {
        if (e->channels[i].sensor == sensor && e->channels[i].channel == channel) {
            return (int)i;
        }
    }
    return -1;
}

static void end_line(struct record *r, unsigned line, double time_s)
{
    const tpi_experiment_channel *c = &r->experiment.experiment->channels[line];
    const struct log_signal signal = {
        .sensor = c->sensor, .channel = c->channel, .sign = TP_EXPERIMENT_OVER, .time_s = time_s};

    if (!r->experiment.lines[line].has_ended) {
        r->experiment.lines[line].has_ended = true;
        relay(r, &signal);
    }
}

/* So many samples of a channel have come or are lost: it may have ended with them. */
static void count_samples(struct record *r, unsigned line, uint64_t count, double time_s)
{
    struct log_line *state = &r->experiment.lines[line];
    const uint64_t all = tpi_experiment_count(&r->experiment.experiment->channels[line]);

    state->count += count;
    if (all > 0 && state->count >= all) {
        end_line(r, line, time_s);
    }
}

void log_relay_sample(struct record *r, const struct log_sensor *sensor,
                      const tp_experiment_sample *sample, double time_s)
{
    const unsigned place = (unsigned)(sensor - r->experiment.sensors);

    for (unsigned i = 0; i < sample->values_count && i < sensor->number_count; i++) {
        const int line = isnan(sample->values[i]) ? -1 : line_of(r, place, sensor->numbers[i]);
        const struct log_signal signal = {
            .sensor = place, .channel = sensor->numbers[i], .time_s = time_s};
        if (line >= 0 && sensor->runs > 0) {
            relay(r, &signal);
            count_samples(r, (unsigned)line, 1, time_s);
        }
    }
}

void log_relay_lost(struct record *r, const struct log_sensor *sensor,
                    const tp_experiment_lost *lost)
{
    const int line = line_of(r, (unsigned)(sensor - r->experiment.sensors), lost->channel);

    if (line >= 0 && sensor->runs > 0) {
        count_samples(r, (unsigned)line, lost->count, 0);
    }
}

void log_relay_ended(struct record *r, const struct log_sensor *sensor)
{
    const tpi_experiment *e = r->experiment.experiment;

    for (unsigned i = 0; i < e->channel_count; i++) {
        if (&r->experiment.sensors[e->channels[i].sensor] == sensor) {
            end_line(r, i, 0);
        }
    }
}
