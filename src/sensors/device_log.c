/*
 * device_log.c - data logging of the device side: samples at their times; see device.h.
 *
 * A channel that was set up waits for its start, runs, and ends. A sample signals Trigger, which
 * can start other channels or let them take a sample; the end of a channel can end others. Samples
 * wait in a ring of cells: one cell for a sample at regular times, three (value, low and high half
 * of the time) for others.
 */
#include <math.h>
#include <string.h>

#include "sensors/device_inside.h"

enum { CELL_BITS = 8 * sizeof(tpi_sensor_cell), TIME_CELLS = 64 / CELL_BITS };

static void signal_trigger(tpi_sensor *s, uint8_t channel, uint64_t at_us);

/* Whether the times of its samples have to be kept. */
static bool is_irregular(const tpi_sensor *s, uint8_t channel)
{
    return s->run[channel].take == TPI_TAKE_CHANNEL ||
           s->plan->channels[channel].kind == TPI_SENSOR_EVENTS;
}

static uint8_t cells_of(const tpi_sensor *s, uint8_t channel)
{
    return is_irregular(s, channel) ? 1 + TIME_CELLS : 1;
}

/* ---- The ring -------------------------------------------------------------------------------- */

static tpi_sensor_cell *cell(tpi_sensor *s, const tpi_sensor_run *run, uint16_t offset)
{
    const uint32_t at = (uint32_t)run->ring_head + offset;

    return &s->cells[run->ring_first + (uint16_t)(at % run->ring_size)];
}

static void drop_oldest(tpi_sensor *s, uint8_t channel)
{
    tpi_sensor_run *run = &s->run[channel];

    run->ring_head = (uint16_t)((run->ring_head + cells_of(s, channel)) % run->ring_size);
    run->waiting--;
    run->oldest++;
    if (run->to_send > run->waiting) {
        run->to_send = run->waiting;
    }
}

static void keep(tpi_sensor *s, uint8_t channel, int32_t raw, uint64_t at_us)
{
    tpi_sensor_run *run = &s->run[channel];
    const uint8_t size = cells_of(s, channel);

    if (run->ring_size < size) { /* no room at all */
        run->oldest++;
        run->lost++;
        run->taken++;
        return;
    }
    if ((uint32_t)(run->waiting + 1) * size > run->ring_size) {
        drop_oldest(s, channel);
        run->lost++;
    }
    const uint16_t offset = (uint16_t)(run->waiting * size);
    *cell(s, run, offset) = (tpi_sensor_cell)raw;
    for (uint8_t i = 1; i < size; i++) {
        *cell(s, run, (uint16_t)(offset + i)) = (tpi_sensor_cell)(at_us >> (i - 1) * CELL_BITS);
    }
    run->waiting++;
    run->taken++;
    if (run->send == TPI_SEND_COUNT && (uint32_t)(run->waiting - run->to_send) >= run->send_count) {
        run->to_send = run->waiting;
    }
}

/* The time of the oldest sample. */
static uint64_t oldest_us(tpi_sensor *s, uint8_t channel)
{
    tpi_sensor_run *run = &s->run[channel];
    uint64_t time_us = 0;

    if (!is_irregular(s, channel)) {
        return run->stamp_us + run->oldest * run->period_us;
    }
    for (uint8_t i = TIME_CELLS; i > 0; i--) {
        const uint64_t part = (uint64_t)*cell(s, run, i) & (UINT64_MAX >> (64 - CELL_BITS));
        time_us = time_us << CELL_BITS | part;
    }
    return time_us;
}

uint8_t tpi_sensor_log_take(tpi_sensor *s, uint8_t channel, tpi_sensor_cell *out, uint32_t *first,
                            uint64_t *last_us)
{
    tpi_sensor_run *run = &s->run[channel];
    const uint8_t most = is_irregular(s, channel) ? 1 : TPI_SENSOR_LINE;
    uint8_t count = 0;

    *first = run->oldest;
    *last_us = s->now_us;
    while (count < most && run->to_send > 0) {
        *last_us = oldest_us(s, channel);
        out[count++] = *cell(s, run, 0);
        run->to_send--;
        const uint16_t left = run->to_send;
        drop_oldest(s, channel);
        run->to_send = left;
    }
    return count;
}

void tpi_sensor_log_flush(tpi_sensor *s, uint8_t channel)
{
    s->run[channel].to_send = s->run[channel].waiting;
}

/* ---- Samples --------------------------------------------------------------------------------- */

void tpi_sensor_log_end(tpi_sensor *s, uint8_t channel)
{
    tpi_sensor_run *run = &s->run[channel];

    if (run->state != TPI_RUN_RUNS && run->state != TPI_RUN_WAITS) {
        return;
    }
    run->state = TPI_RUN_ENDED;
    if (run->send != TPI_SEND_READ) {
        tpi_sensor_log_flush(s, channel);
    }
    for (uint8_t i = 0; i < s->plan->channel_count;
         i++) { /* each ends once: this comes to an end */
        if (s->run[i].end == TPI_END_CHANNEL && s->run[i].end_channel == channel) {
            tpi_sensor_log_end(s, i);
        }
    }
}

/* The next value of the data set; none is left if it ends with `hold`. */
static void act(tpi_sensor *s, uint8_t channel)
{
    tpi_sensor_run *run = &s->run[channel];
    const uint32_t at =
        run->repeats && run->data_count > 0 ? run->taken % run->data_count : run->taken;

    if (at < run->data_count) {
        s->written[channel] = s->cells[run->data_first + (uint16_t)at];
        s->hooks->write(s->context, channel, s->written[channel]);
    }
    run->taken++;
    run->oldest = run->taken;
}

static bool is_inside(const tpi_sensor_run *run, double value, bool *is_while)
{
    for (uint8_t i = 0; i < run->condition_count; i++) {
        if (fabs(value - run->conditions[i].value) <= run->conditions[i].range) {
            *is_while = run->conditions[i].is_while;
            return true;
        }
    }
    return false;
}

/* An event records when its condition comes true, or every sample while it is. True if it has come
 * true. */
static bool watch(tpi_sensor *s, uint8_t channel, uint64_t at_us)
{
    tpi_sensor_run *run = &s->run[channel];
    const int32_t raw = s->hooks->read(s->context, channel, at_us);
    const tpi_scaling *scaling = &s->plan->channels[channel].conversions[run->conversion].scaling;
    bool is_while = false;
    const bool is_true = is_inside(run, tpi_scaling_value(scaling, raw), &is_while);
    const bool comes = is_true && !run->was_true;

    run->was_true = is_true;
    if (comes || (is_true && is_while)) {
        keep(s, channel, raw, at_us);
    }
    return comes;
}

static void take_sample(tpi_sensor *s, uint8_t channel, uint64_t at_us)
{
    tpi_sensor_run *run = &s->run[channel];
    bool signals = true;

    switch (s->plan->channels[channel].kind) {
    case TPI_SENSOR_ACTS:
        act(s, channel);
        break;
    case TPI_SENSOR_EVENTS:
        signals = watch(s, channel, at_us);
        break;
    default:
        keep(s, channel, s->hooks->read(s->context, channel, at_us), at_us);
    }
    if (signals) {
        signal_trigger(s, channel, at_us);
    }
    if (run->end == TPI_END_COUNT && run->taken >= run->end_count) {
        tpi_sensor_log_end(s, channel);
    }
}

/* ---- Starts ---------------------------------------------------------------------------------- */

static void start_run(tpi_sensor *s, uint8_t channel, uint64_t at_us)
{
    tpi_sensor_run *run = &s->run[channel];

    run->state = TPI_RUN_RUNS;
    run->stamp_us = at_us + s->plan->channels[channel].trig_delay_us;
    run->due_us = run->take == TPI_TAKE_TIME ? run->stamp_us : UINT64_MAX;
    run->next_send_us = at_us + run->send_us;
}

/* A channel that is in the middle of its signal is not reached again: circles come to an end. */
static void signal_trigger(tpi_sensor *s, uint8_t channel, uint64_t at_us)
{
    if (s->run[channel].signals) {
        return;
    }
    s->run[channel].signals = true;
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        tpi_sensor_run *run = &s->run[i];
        if (run->state == TPI_RUN_WAITS && run->start == TPI_START_CHANNEL &&
            run->start_channel == channel) {
            start_run(s, i, at_us);
        }
        if (run->state == TPI_RUN_RUNS && run->take == TPI_TAKE_CHANNEL &&
            run->take_channel == channel && !run->signals) {
            take_sample(s, i, at_us + s->plan->channels[i].trig_delay_us);
        }
    }
    s->run[channel].signals = false;
}

void tpi_sensor_log_trigger(tpi_sensor *s, uint8_t channel)
{
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        tpi_sensor_run *run = &s->run[i];
        if ((channel == TPI_SENSOR_NONE || channel == i) && run->state == TPI_RUN_WAITS &&
            run->start == TPI_START_TRIGGER) {
            start_run(s, i, s->now_us);
        }
    }
}

/* The cells that no data set has are shared by the channels with samples. */
static void share_cells(tpi_sensor *s)
{
    uint8_t count = 0;
    uint16_t first = s->data_cells;

    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        if (s->run[i].state != TPI_RUN_NONE && s->plan->channels[i].kind != TPI_SENSOR_ACTS) {
            count++;
        }
    }
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        tpi_sensor_run *run = &s->run[i];
        const uint8_t size = cells_of(s, i);
        if (run->state == TPI_RUN_NONE || s->plan->channels[i].kind == TPI_SENSOR_ACTS) {
            continue;
        }
        const uint16_t share = (uint16_t)((s->cell_count - s->data_cells) / count);
        run->ring_first = first;
        run->ring_size = (uint16_t)(share / size * size);
        first = (uint16_t)(first + share);
    }
}

/* A host that has not heard the answer asks again: what runs is not started anew. */
static bool is_on(const tpi_sensor *s)
{
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        if (s->run[i].state == TPI_RUN_WAITS || s->run[i].state == TPI_RUN_RUNS) {
            return true;
        }
    }
    return false;
}

void tpi_sensor_log_go(tpi_sensor *s)
{
    if (is_on(s)) {
        return;
    }
    share_cells(s);
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        tpi_sensor_run *run = &s->run[i];
        if (run->state == TPI_RUN_NONE) {
            continue;
        }
        run->state = TPI_RUN_WAITS;
        run->conversion = s->conversion[i];
        run->taken = run->oldest = run->lost = 0;
        run->ring_head = run->waiting = run->to_send = 0;
        run->was_true = run->signals = false;
        run->due_us = run->start == TPI_START_NOW    ? s->now_us
                      : run->start == TPI_START_TIME ? s->now_us + run->start_us
                                                     : UINT64_MAX;
    }
}

void tpi_sensor_log_stop(tpi_sensor *s)
{
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        tpi_sensor_log_end(s, i);
    }
}

void tpi_sensor_log_clear(tpi_sensor *s)
{
    memset(s->run, 0, sizeof s->run);
    s->data_cells = 0;
}

/* ---- Time ------------------------------------------------------------------------------------ */

uint64_t tpi_sensor_due_us(const tpi_sensor *s)
{
    uint64_t due_us = UINT64_MAX;

    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        const tpi_sensor_run *run = &s->run[i];
        if ((run->state == TPI_RUN_WAITS || run->state == TPI_RUN_RUNS) && run->due_us < due_us) {
            due_us = run->due_us;
        }
    }
    return due_us;
}

static void send_in_time(tpi_sensor *s)
{
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        tpi_sensor_run *run = &s->run[i];
        if (run->send == TPI_SEND_TIME && run->state == TPI_RUN_RUNS &&
            s->now_us >= run->next_send_us) {
            tpi_sensor_log_flush(s, i);
            run->next_send_us +=
                ((s->now_us - run->next_send_us) / run->send_us + 1) * run->send_us;
        }
    }
}

/* What comes first: starts before samples of the same time, so that these trigger what has started.
 */
static bool comes_before(const tpi_sensor_run *a, const tpi_sensor_run *b)
{
    return a->due_us < b->due_us ||
           (a->due_us == b->due_us && a->state == TPI_RUN_WAITS && b->state == TPI_RUN_RUNS);
}

bool tpi_sensor_log_advance(tpi_sensor *s)
{
    uint8_t first = TPI_SENSOR_NONE;

    send_in_time(s);
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        const tpi_sensor_run *run = &s->run[i];
        if ((run->state == TPI_RUN_WAITS || run->state == TPI_RUN_RUNS) &&
            run->due_us <= s->now_us &&
            (first == TPI_SENSOR_NONE || comes_before(run, &s->run[first]))) {
            first = i;
        }
    }
    if (first == TPI_SENSOR_NONE) {
        return false;
    }
    const uint64_t due_us = s->run[first].due_us;
    if (s->run[first].state == TPI_RUN_WAITS) {
        start_run(s, first, due_us);
    } else {
        s->run[first].due_us += s->run[first].period_us;
        take_sample(s, first, due_us);
    }
    return true;
}
