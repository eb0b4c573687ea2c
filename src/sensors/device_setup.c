/*
 * device_setup.c - how data logging is set up: the L commands; see device.h.
 *
 * A set-up is read into a copy of the run and takes effect as a whole, so that a refused one
 * changes nothing. Values of a data set have no room for a copy: they are kept when all is read a
 * second time. Fields begin with a capital letter; commas and blanks between them can be left
 * out.
 */
#include <string.h>

#include "sensors/device_inside.h"

struct setup {
    tpi_sensor *sensor;
    const char *text;
    uint8_t length, at;
    uint8_t channel;
    tpi_sensor_run run;
    uint16_t data_cells; /* of the sensor, with this data set */
    bool keeps;          /* the whole set-up can be done: values are kept */
    char bad;            /* the field that cannot be done; 0 for none */
    uint64_t limit;      /* what it could be */
};

/* ---- Words ----------------------------------------------------------------------------------- */

/* Skip a word if it stands here. */
static bool word(struct setup *u, const char *text)
{
    const uint8_t length = (uint8_t)strlen(text);

    if (u->length - u->at < length || memcmp(u->text + u->at, text, length) != 0) {
        return false;
    }
    u->at = (uint8_t)(u->at + length);
    return true;
}

static bool whole(struct setup *u, uint64_t *out)
{
    const uint8_t used = tpi_sensor_read_whole(u->text + u->at, (uint8_t)(u->length - u->at), out);

    u->at = (uint8_t)(u->at + used);
    return used > 0;
}

static bool number(struct setup *u, double *out)
{
    const uint8_t used = tpi_sensor_read_number(u->text + u->at, (uint8_t)(u->length - u->at), out);

    u->at = (uint8_t)(u->at + used);
    return used > 0;
}

static void refuse(struct setup *u, char field, uint64_t limit)
{
    if (u->bad == 0) {
        u->bad = field;
        u->limit = limit;
    }
}

/* "ch=n": another channel. */
static bool other_channel(struct setup *u, char field, uint8_t *out)
{
    uint64_t channel;

    if (!whole(u, &channel)) {
        return false;
    }
    *out = tpi_sensor_channel_at(u->sensor, channel);
    if (*out == TPI_SENSOR_NONE || *out == u->channel) {
        refuse(u, field, u->sensor->plan->channel_count);
    }
    return true;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static bool read_start(struct setup *u)
{
    tpi_sensor_run *run = &u->run;

    if (word(u, "now")) {
        run->start = TPI_START_NOW;
        return true;
    }
    if (word(u, "trig")) {
        run->start = TPI_START_TRIGGER;
        return true;
    }
    if (word(u, "t=")) {
        run->start = TPI_START_TIME;
        return whole(u, &run->start_us);
    }
    run->start = TPI_START_CHANNEL;
    return word(u, "ch=") && other_channel(u, 'S', &run->start_channel);
}

static bool read_end(struct setup *u)
{
    tpi_sensor_run *run = &u->run;
    uint64_t count = 0;

    if (word(u, "inf")) {
        run->end = TPI_END_NEVER;
        return true;
    }
    if (word(u, "n=")) {
        run->end = TPI_END_COUNT;
        if (!whole(u, &count)) {
            return false;
        }
        if (count < 1 || count > UINT32_MAX) {
            refuse(u, 'E', count < 1 ? 1 : UINT32_MAX);
        }
        run->end_count = (uint32_t)count;
        return true;
    }
    run->end = TPI_END_CHANNEL;
    return word(u, "ch=") && other_channel(u, 'E', &run->end_channel);
}

static bool read_send(struct setup *u)
{
    tpi_sensor_run *run = &u->run;
    uint64_t count = 0;

    if (word(u, "read")) {
        run->send = TPI_SEND_READ;
        return true;
    }
    if (word(u, "done")) {
        run->send = TPI_SEND_DONE;
        return true;
    }
    if (word(u, "t=")) {
        run->send = TPI_SEND_TIME;
        if (!whole(u, &run->send_us)) {
            return false;
        }
        if (run->send_us < 1000) {
            refuse(u, 'X', 1000);
        }
        return true;
    }
    run->send = TPI_SEND_COUNT;
    if (!word(u, "n=") || !whole(u, &count)) {
        return false;
    }
    if (count < 1 || count > u->sensor->cell_count) {
        refuse(u, 'X', count < 1 ? 1 : u->sensor->cell_count);
    }
    run->send_count = (uint32_t)count;
    return true;
}

static bool read_take(struct setup *u)
{
    const uint32_t least = u->sensor->plan->channels[u->channel].min_period_us;
    tpi_sensor_run *run = &u->run;

    if (word(u, "t=")) {
        run->take = TPI_TAKE_TIME;
        if (!whole(u, &run->period_us)) {
            return false;
        }
        if (run->period_us < least) {
            refuse(u, 'K', least);
        }
        return true;
    }
    run->take = TPI_TAKE_CHANNEL;
    return word(u, "ch=") && other_channel(u, 'K', &run->take_channel);
}

/* Where a data set begins. The cells of data sets follow each other, and only the last one can
 * grow; samples that nobody has read yet are not overwritten. */
static void begin_data(struct setup *u, bool appends)
{
    const tpi_sensor *s = u->sensor;
    const tpi_sensor_run *before = &s->run[u->channel];

    if (s->plan->channels[u->channel].kind != TPI_SENSOR_ACTS) {
        refuse(u, 'D', 0);
    }
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        if (s->run[i].waiting > 0) {
            refuse(u, 'D', 0);
        }
    }
    if (appends && u->run.data_first + u->run.data_count != u->data_cells) {
        refuse(u, 'D', u->run.data_count);
    }
    if (!appends && before->data_first + before->data_count == u->data_cells) {
        u->data_cells = (uint16_t)(u->data_cells - before->data_count);
    }
    if (!appends) {
        u->run.data_first = u->data_cells;
        u->run.data_count = 0;
    }
}

/* "v;v;..." */
static bool read_data(struct setup *u, bool appends)
{
    tpi_sensor *s = u->sensor;
    const tpi_sensor_conversion *conversion = tpi_sensor_conversion_of(s, u->channel);
    const tpi_scaling *scaling = &conversion->scaling;

    begin_data(u, appends);
    do {
        double value;
        if (!number(u, &value)) {
            return false;
        }
        if (!(value >= scaling->min && value <= scaling->max)) {
            refuse(u, 'D', (uint64_t)(scaling->max > 0 ? scaling->max : 0));
        } else if (u->data_cells == s->cell_count) {
            refuse(u, 'D', u->run.data_count);
        } else if (u->bad == 0) {
            if (u->keeps) {
                s->cells[u->data_cells] = (tpi_sensor_cell)tpi_sensor_raw(conversion, value);
            }
            u->data_cells++;
            u->run.data_count++;
        }
    } while (word(u, ";"));
    return true;
}

static bool read_condition(struct setup *u)
{
    tpi_sensor_condition condition = {0};

    if (!number(u, &condition.value) || !word(u, ";") || !number(u, &condition.range) ||
        !word(u, ";")) {
        return false;
    }
    condition.is_while = word(u, "while");
    if (!condition.is_while && !word(u, "once")) {
        return false;
    }
    if (u->sensor->plan->channels[u->channel].kind != TPI_SENSOR_EVENTS || condition.range < 0) {
        refuse(u, 'C', 0);
    } else if (u->run.condition_count == TPI_SENSOR_CONDITIONS) {
        refuse(u, 'C', TPI_SENSOR_CONDITIONS);
    } else {
        u->run.conditions[u->run.condition_count++] = condition;
    }
    return true;
}

static bool read_behaviour(struct setup *u)
{
    u->run.repeats = word(u, "repeat");
    return u->run.repeats || word(u, "hold");
}

static bool read_field(struct setup *u)
{
    return word(u, "S:")    ? read_start(u)
           : word(u, "E:")  ? read_end(u)
           : word(u, "X:")  ? read_send(u)
           : word(u, "K:")  ? read_take(u)
           : word(u, "D:")  ? read_data(u, false)
           : word(u, "D+:") ? read_data(u, true)
           : word(u, "B:")  ? read_behaviour(u)
           : word(u, "C:")  ? read_condition(u)
                            : false;
}

/* ---- Set-ups --------------------------------------------------------------------------------- */

static void skip_blanks(struct setup *u)
{
    while (u->at < u->length && u->text[u->at] == ' ') {
        u->at++;
    }
}

/* A comma with blanks behind it, or blanks, or nothing. False for a comma at the end. */
static bool separator(struct setup *u)
{
    skip_blanks(u);
    if (u->at < u->length && u->text[u->at] == ',') {
        u->at++;
        skip_blanks(u);
        return u->at < u->length;
    }
    return true;
}

/* What a set-up begins with: everything that is not said. A data set alone appends to the last
 * one. */
static void begin_setup(struct setup *u)
{
    const tpi_sensor *s = u->sensor;
    const tpi_sensor_run *before = &s->run[u->channel];

    u->data_cells = s->data_cells;
    if (u->length - u->at > 3 && memcmp(u->text + u->at, "D+:", 3) == 0 &&
        before->state != TPI_RUN_NONE) {
        u->run = *before;
        return;
    }
    memset(&u->run, 0, sizeof u->run); /* a second one on the stack is too much for a chip */
    u->run.end = TPI_END_NEVER;
    u->run.period_us = s->plan->channels[u->channel].min_period_us;
    u->run.start_channel = u->run.end_channel = u->run.take_channel = TPI_SENSOR_NONE;
}

/* Take the set-up over, and answer. */
static void finish_setup(struct setup *u)
{
    tpi_sensor *s = u->sensor;
    const char field[2] = {u->bad, '\0'};

    tpi_sensor_answer_text(s, "L,");
    tpi_sensor_answer_whole(s, s->plan->channels[u->channel].number);
    if (u->bad != 0) {
        tpi_sensor_answer_text(s, ",bad,");
        tpi_sensor_answer_text(s, field);
        tpi_sensor_answer_text(s, ",");
        tpi_sensor_answer_whole(s, u->limit);
        return;
    }
    if (s->plan->channels[u->channel].kind == TPI_SENSOR_EVENTS && u->run.condition_count == 0) {
        const tpi_scaling *scaling = &tpi_sensor_conversion_of(s, u->channel)->scaling;
        u->run.conditions[u->run.condition_count++] = (tpi_sensor_condition){.value = scaling->max};
    }
    u->run.state = TPI_RUN_READY;
    s->run[u->channel] = u->run;
    s->data_cells = u->data_cells;
    tpi_sensor_note_done(s);
    tpi_sensor_answer_text(s, ",ok");
}

/* While something runs, nothing is set up: the cells belong to it. */
static bool is_running(const tpi_sensor *s)
{
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        if (s->run[i].state == TPI_RUN_WAITS || s->run[i].state == TPI_RUN_RUNS) {
            return true;
        }
    }
    return false;
}

/* Whether damage has cut the number off: a host that uses numbers uses them always. */
static bool lacks_number(const tpi_sensor *s)
{
    return s->check.done_number != '\0' && s->check.answer != TPI_CHECKS_NUMBER;
}

/* All is read, then read again with its values kept. One function: a call more would take stack of
 * a chip. */
static bool set_up(struct setup *u)
{
    const uint8_t from = u->at;

    if (is_running(u->sensor) || lacks_number(u->sensor) || u->at == u->length) {
        return false;
    }
    for (bool is_read = false; !is_read;) {
        begin_setup(u);
        if (tpi_sensor_is_repeated(u->sensor)) { /* appending twice would be wrong */
            u->at = u->length;
            u->run = u->sensor->run[u->channel];
        }
        while (u->at < u->length) {
            if (!read_field(u) || !separator(u)) {
                return false;
            }
        }
        is_read = u->keeps || u->bad != 0;
        u->keeps = true;
        u->at = is_read ? u->length : from;
    }
    finish_setup(u);
    return true;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static bool read_channel_data(struct setup *u)
{
    tpi_sensor *s = u->sensor;

    if (u->at != u->length || s->run[u->channel].state == TPI_RUN_NONE) {
        return false;
    }
    tpi_sensor_log_flush(s, u->channel);
    s->answer_after = u->channel;
    tpi_sensor_answer_text(s, "L,");
    tpi_sensor_answer_whole(s, s->plan->channels[u->channel].number);
    tpi_sensor_answer_text(s, ",read");
    return true;
}

/* Whether the channel has ended, and with how many samples: its last line may have been lost. */
static bool tell_state(struct setup *u)
{
    tpi_sensor *s = u->sensor;
    const tpi_sensor_run *run = &s->run[u->channel];

    if (u->at != u->length || run->state == TPI_RUN_NONE) {
        return false;
    }
    s->answer_after = u->channel;
    tpi_sensor_answer_text(s, "L,");
    tpi_sensor_answer_whole(s, s->plan->channels[u->channel].number);
    tpi_sensor_answer_text(s, ",state"); /* few and short texts: they take memory of the chip */
    if (run->state == TPI_RUN_ENDED) {
        tpi_sensor_answer_text(s, ",ended,");
        tpi_sensor_answer_whole(s, run->taken);
    }
    return true;
}

static bool stop_channel(struct setup *u)
{
    tpi_sensor *s = u->sensor;

    if (u->at != u->length || s->run[u->channel].state == TPI_RUN_NONE) {
        return false;
    }
    tpi_sensor_log_end(s, u->channel);
    tpi_sensor_answer_text(s, "L,");
    tpi_sensor_answer_whole(s, s->plan->channels[u->channel].number);
    tpi_sensor_answer_text(s, ",stop");
    return true;
}

bool tpi_sensor_log_command(tpi_sensor *s, const char *text, uint8_t length)
{
    struct setup u = {.sensor = s, .text = text, .length = length, .at = 1};
    uint64_t channel;

    if (!separator(&u)) {
        return false;
    }
    if (word(&u, "go") && u.at == length) {
        s->check.lines = s->check.answer;
        if (!tpi_sensor_is_repeated(s)) { /* what it has started may have ended already */
            tpi_sensor_log_go(s);
            tpi_sensor_note_done(s);
        }
        tpi_sensor_answer_text(s, "L,go");
        return true;
    }
    if (word(&u, "stop") && u.at == length) {
        tpi_sensor_log_stop(s);
        tpi_sensor_answer_text(s, "L,stop");
        return true;
    }
    if (!whole(&u, &channel) || !separator(&u)) {
        return false;
    }
    u.channel = tpi_sensor_channel_at(s, channel);
    if (u.channel == TPI_SENSOR_NONE) {
        return false;
    }
    if (word(&u, "stop")) {
        return stop_channel(&u);
    }
    if (word(&u, "state")) {
        return tell_state(&u);
    }
    return word(&u, "read") ? read_channel_data(&u) : set_up(&u);
}
