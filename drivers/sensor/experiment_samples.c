/* experiment_samples.c - the samples of an experiment, their times, and what is lost; see sensor.h.
 */
#include <math.h>

#include "sensor.h"
#include "troupe/driver/experiment.h"

int tpi_sensor_place_of(const struct sensor *s, unsigned channel)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->channels[i].transducer->channel == channel) {
            return (int)i;
        }
    }
    return -1;
}

/* The time of the sensor at its start: exact from a channel with regular samples; otherwise as
 * this computer sees it. */
static void find_zero(struct sensor *s, const struct sensor_channel *c,
                      const struct sensor_run *run, const tpi_sensor_samples *samples)
{
    struct sensor_experiment *x = &s->experiment;
    const tpi_when start = run->line->start.kind;
    const uint64_t delay_us = (uint64_t)llround(c->transducer->trig_delay_ms * 1000);
    uint64_t since_us;

    if (x->has_zero) {
        return;
    }
    if (run->period_us > 0 &&
        (start == TPI_WHEN_NOW || start == TPI_WHEN_UNSAID || start == TPI_WHEN_TIME)) {
        since_us = (samples->first + samples->count - 1) * run->period_us + delay_us +
                   (start == TPI_WHEN_TIME ? run->line->start.number : 0);
    } else {
        since_us = (uint64_t)(tpi_sensor_now_ns(s) - x->started_ns) / 1000;
    }
    x->has_zero = true;
    x->zero_us = samples->time_us > since_us ? samples->time_us - since_us : 0;
}

void tpi_sensor_publish_sample(struct sensor *s, unsigned place, double time_s, double value)
{
    struct sensor_experiment *x = &s->experiment;
    double values[TPI_MOST_CHANNELS];
    const tp_experiment_sample sample = {
        .time = time_s, .values_count = s->count, .values = values};

    for (unsigned i = 0; i < s->count; i++) {
        values[i] = NAN;
    }
    values[place] = value;
    (void)tp_experiment_publish_sample(x->device, &sample, x->started_s + time_s);
}

/* The numbers of samples tell which ones the line has lost. */
void tpi_sensor_on_samples(void *context, const tpi_sensor_samples *samples)
{
    struct sensor *s = context;
    struct sensor_experiment *x = &s->experiment;
    const int place = tpi_sensor_place_of(s, samples->channel);

    if (place < 0 || !x->accepts || x->runs[place].line == NULL || samples->count == 0) {
        return;
    }
    struct sensor_run *run = &x->runs[place];
    s->alive_ns = tpi_sensor_now_ns(s);
    if (samples->first > run->next) {
        tpi_sensor_on_lost(s, samples->channel, run->next, samples->first - run->next);
    }
    tpi_sensor_run_began(s, (unsigned)place);
    find_zero(s, &s->channels[place], run, samples);
    for (unsigned i = 0; i < samples->count; i++) {
        const uint64_t back_us = (uint64_t)(samples->count - 1 - i) * run->period_us;
        if (samples->first + i < run->next) {
            continue; /* it was there already */
        }
        run->next = samples->first + i + 1;
        x->samples++;
        s->channels[place].value = samples->values[i];
        s->channels[place].is_known = true;
        const uint64_t time_us = samples->time_us > back_us ? samples->time_us - back_us : 0;
        tpi_sensor_publish_sample(s, (unsigned)place, ((double)time_us - (double)x->zero_us) / 1e6,
                                  samples->values[i]);
    }
}

void tpi_sensor_on_lost(void *context, unsigned channel, uint64_t first, uint64_t count)
{
    struct sensor *s = context;
    struct sensor_experiment *x = &s->experiment;
    const int place = tpi_sensor_place_of(s, channel);

    if (place < 0 || !x->accepts || x->runs[place].line == NULL ||
        first + count <= x->runs[place].next) {
        return;
    }
    struct sensor_run *run = &x->runs[place];
    const uint64_t from = run->next; /* what is before `first` has not come either */
    const tp_experiment_lost lost = {
        .channel = channel, .first = (uint32_t)from, .count = (uint32_t)(first + count - from)};
    run->next = first + count;
    x->lost += lost.count;
    (void)tp_experiment_publish_lost(x->device, &lost, 0);
}
