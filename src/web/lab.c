/* lab.c - the samples of an experiment, and the pages of phyphox's remote interface; see lab.h. */
#include "web/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"

enum { MOST_NAME = 40, FIRST_ROOM = 256 };

/* ---- Numbers --------------------------------------------------------------------------------- */

static void series_fini(tpi_lab_series *series)
{
    tpi_buf_fini(&series->text);
    free(series->ends);
    free(series->numbers);
    *series = (tpi_lab_series){.count = 0};
}

static void series_clear(tpi_lab_series *series)
{
    tpi_buf_clear(&series->text);
    series->count = 0;
}

static bool series_grow(tpi_lab_series *series)
{
    const uint32_t room = series->room == 0 ? FIRST_ROOM : 2 * series->room;
    uint32_t *ends = realloc(series->ends, room * sizeof *ends);
    series->ends = ends != NULL ? ends : series->ends;
    double *numbers = realloc(series->numbers, room * sizeof *numbers);
    series->numbers = numbers != NULL ? numbers : series->numbers;

    series->room = ends != NULL && numbers != NULL ? room : series->room;
    return ends != NULL && numbers != NULL;
}

static void series_halve(tpi_lab_series *series)
{
    const uint32_t gone = series->count / 2;
    const uint32_t cut = gone > 0 ? series->ends[gone - 1] : 0;

    for (uint32_t i = gone; i < series->count; i++) {
        series->ends[i - gone] = series->ends[i] - cut;
        series->numbers[i - gone] = series->numbers[i];
    }
    memmove(series->text.data, series->text.data + cut, series->text.length - cut);
    series->text.length -= cut;
    series->count -= gone;
}

/* There is room for it. */
static void series_add(tpi_lab_series *series, double number)
{
    char text[TPI_NUMBER_SIZE];

    tpi_buf_put(&series->text, text, tpi_number_put_f64(text, number));
    tpi_buf_putc(&series->text, ',');
    series->numbers[series->count] = number;
    series->ends[series->count++] = (uint32_t)series->text.length;
}

/* Numbers from place `from` on, as a list. */
static void put_numbers(tpi_buf *out, const tpi_lab_series *series, uint32_t from)
{
    const size_t begin = from > 0 ? series->ends[from - 1] : 0;

    tpi_buf_putc(out, '[');
    if (from < series->count) {
        tpi_buf_put(out, series->text.data + begin, series->text.length - begin - 1);
    }
    tpi_buf_putc(out, ']');
}

/* ---- Samples --------------------------------------------------------------------------------- */

void tpi_lab_clear(tpi_lab *lab)
{
    for (unsigned i = 0; i < lab->count; i++) {
        series_clear(&lab->channels[i].times);
        series_clear(&lab->channels[i].values);
    }
    lab->event_count = 0;
}

void tpi_lab_fini(tpi_lab *lab)
{
    for (unsigned i = 0; i < TPI_LAB_CHANNELS; i++) {
        series_fini(&lab->channels[i].times);
        series_fini(&lab->channels[i].values);
    }
    lab->count = 0;
}

static void copy(char out[TPI_LAB_TEXT], const char *text, uint32_t count)
{
    const char *end = count > 0 ? memchr(text, '\0', count) : NULL;
    const size_t length = end != NULL ? (size_t)(end - text) : count;

    (void)snprintf(out, TPI_LAB_TEXT, "%.*s", (int)(length < TPI_LAB_TEXT ? length : TPI_LAB_TEXT),
                   count > 0 ? text : "");
}

void tpi_lab_set_channels(tpi_lab *lab, const tp_experiment_channels *channels)
{
    tpi_lab_clear(lab);
    copy(lab->sensor, channels->sensor, channels->sensor_count);
    copy(lab->uuid, channels->uuid, channels->uuid_count);
    copy(lab->serial, channels->serial, channels->serial_count);
    lab->count =
        channels->channels_count < TPI_LAB_CHANNELS ? channels->channels_count : TPI_LAB_CHANNELS;
    for (unsigned i = 0; i < lab->count; i++) {
        const tp_experiment_channel *from = &channels->channels[i];
        char name[TPI_LAB_TEXT], unit[TPI_LAB_TEXT];

        copy(name, from->parameter_count > 1 ? from->parameter : from->name,
             from->parameter_count > 1 ? from->parameter_count : from->name_count);
        copy(unit, from->unit, from->unit_count);
        lab->channels[i].number = from->number;
        lab->channels[i].acts = from->kind == TP_EXPERIMENT_ACTUATOR;
        (void)snprintf(lab->channels[i].label, TPI_LAB_TEXT,
                       unit[0] != '\0' ? "%.80s (%.40s)" : "%.80s", name, unit);
        series_clear(&lab->channels[i].times);
        series_clear(&lab->channels[i].values);
    }
}

void tpi_lab_sample(tpi_lab *lab, const tp_experiment_sample *sample)
{
    const uint32_t most = TPI_LAB_SAMPLES / (lab->count > 4 ? lab->count : 4);

    for (unsigned i = 0; i < lab->count && i < sample->values_count; i++) {
        tpi_lab_channel *c = &lab->channels[i];
        if (!isfinite(sample->values[i]) || !isfinite(sample->time)) {
            continue;
        }
        if (c->values.count >= most) {
            series_halve(&c->times);
            series_halve(&c->values);
        }
        if ((c->values.count < c->values.room || series_grow(&c->values)) &&
            (c->times.count < c->times.room || series_grow(&c->times)) && !c->times.text.failed &&
            !c->values.text.failed) {
            series_add(&c->times, sample->time);
            series_add(&c->values, sample->values[i]);
        }
    }
}

void tpi_lab_event_put(tpi_lab *lab, bool starts, double experiment_s, double system_s)
{
    if (lab->event_count < TPI_LAB_EVENTS) {
        lab->events[lab->event_count++] = (tpi_lab_event){starts, experiment_s, system_s};
    }
}

/* ---- /get ------------------------------------------------------------------------------------ */

/* "t1" or "ch1"; NULL for none. */
static const tpi_lab_series *find(const tpi_lab *lab, const char *name)
{
    for (unsigned i = 0; i < lab->count; i++) {
        char own[MOST_NAME];
        (void)snprintf(own, sizeof own, "ch%u", lab->channels[i].number);
        if (strcmp(name, own) == 0) {
            return &lab->channels[i].values;
        }
        (void)snprintf(own, sizeof own, "t%u", lab->channels[i].number);
        if (strcmp(name, own) == 0) {
            return &lab->channels[i].times;
        }
    }
    return NULL;
}

/* The first place whose number is above the limit, from the end on: what is new. */
static uint32_t first_above(const tpi_lab_series *series, double limit)
{
    uint32_t at = series->count;

    while (at > 0 && series->numbers[at - 1] > limit) {
        at--;
    }
    return at;
}

/* `buffer=full`, `buffer=0.63`, `buffer=0.63|t1`, or `buffer` alone for its last number. */
static void put_buffer(const tpi_lab *lab, const char *name, char *wanted, tpi_buf *out)
{
    const tpi_lab_series *series = find(lab, name), *by = series;
    const char *mode = "single";
    double limit = 0;

    if (series == NULL) {
        return;
    }
    uint32_t from = series->count > 0 ? series->count - 1 : 0;
    char *bar = strchr(wanted, '|');
    if (bar != NULL) {
        *bar = '\0';
        by = find(lab, bar + 1);
    }
    if (strcmp(wanted, "full") == 0) {
        mode = "full";
        from = 0;
    } else if (by != NULL && wanted[0] != '\0' &&
               tpi_number_read_f64(wanted, strlen(wanted), &limit) == strlen(wanted)) {
        mode = "partial";
        from = first_above(by, limit);
        from = from < series->count ? from : series->count;
    }
    tpi_buf_puts(out, out->data[out->length - 1] == '{' ? "" : ",");
    tpi_json_put_string(out, name, strlen(name));
    tpi_buf_printf(out, ":{\"size\":0,\"updateMode\":\"%s\",\"buffer\":", mode);
    put_numbers(out, series, from);
    tpi_buf_putc(out, '}');
}

void tpi_lab_put_get(const tpi_lab *lab, tpi_span query, tpi_buf *out)
{
    size_t at = 0;

    tpi_buf_puts(out, "{\"buffer\":{");
    while (at < query.length && !out->failed) {
        const char *and = memchr(query.text + at, '&', query.length - at);
        const size_t end = and != NULL ? (size_t)(and-query.text) : query.length;
        const char *is = memchr(query.text + at, '=', end - at);
        const size_t cut = is != NULL ? (size_t)(is - query.text) : end;
        char name[MOST_NAME], wanted[MOST_NAME] = "";

        if (tpi_http_decode(name, sizeof name, (tpi_span){query.text + at, cut - at}, true) &&
            (is == NULL ||
             tpi_http_decode(wanted, sizeof wanted, (tpi_span){is + 1, end - cut - 1}, true))) {
            put_buffer(lab, name, wanted, out);
        }
        at = end + 1;
    }
    tpi_buf_puts(out, "},\"status\":{\"session\":");
    tpi_json_put_string(out, lab->session, strlen(lab->session));
    tpi_buf_printf(out, ",\"measuring\":%s,\"timedRun\":false,\"countDown\":0}}\n",
                   lab->measures ? "true" : "false");
}

/* ---- Other pages ----------------------------------------------------------------------------- */

static void put_text(tpi_buf *out, const char *text)
{
    tpi_json_put_string(out, text, strlen(text));
}

void tpi_lab_put_config(const tpi_lab *lab, tpi_buf *out)
{
    const char *title = lab->title[0] != '\0' ? lab->title : lab->sensor;
    bool first = true;

    tpi_buf_puts(out, "{\"crc32\":\"\",\"title\":");
    put_text(out, title);
    tpi_buf_puts(out, ",\"localTitle\":");
    put_text(out, title);
    tpi_buf_puts(out, ",\"category\":\"Troupe\",\"localCategory\":\"Troupe\",\"buffers\":[");
    for (unsigned i = 0; i < lab->count; i++) {
        tpi_buf_printf(out, "%s{\"name\":\"t%u\",\"size\":0},{\"name\":\"ch%u\",\"size\":0}",
                       i > 0 ? "," : "", lab->channels[i].number, lab->channels[i].number);
    }
    tpi_buf_puts(out, "],\"inputs\":[");
    for (unsigned i = 0; i < lab->count; i++) {
        if (!lab->channels[i].acts) {
            tpi_buf_puts(out, first ? "{\"source\":" : ",{\"source\":");
            put_text(out, lab->channels[i].label);
            tpi_buf_printf(out, ",\"outputs\":[{\"x\":\"ch%u\"},{\"t\":\"t%u\"}]}",
                           lab->channels[i].number, lab->channels[i].number);
            first = false;
        }
    }
    tpi_buf_puts(out, "],\"export\":[");
    first = true;
    for (unsigned i = 0; i < lab->count; i++) {
        if (!lab->channels[i].acts) {
            tpi_buf_puts(out, first ? "{\"set\":" : ",{\"set\":");
            put_text(out, lab->channels[i].label);
            tpi_buf_printf(out,
                           ",\"sources\":[{\"label\":\"Time (s)\",\"buffer\":\"t%u\"},{\"label\":",
                           lab->channels[i].number);
            put_text(out, lab->channels[i].label);
            tpi_buf_printf(out, ",\"buffer\":\"ch%u\"}]}", lab->channels[i].number);
            first = false;
        }
    }
    tpi_buf_puts(out, "]}\n");
}

void tpi_lab_put_meta(const tpi_lab *lab, const char *version, tpi_buf *out)
{
    tpi_buf_puts(out, "{\"version\":");
    put_text(out, version);
    tpi_buf_puts(out, ",\"build\":");
    put_text(out, version);
    tpi_buf_puts(out, ",\"fileFormat\":\"1.19\",\"deviceModel\":");
    put_text(out, lab->sensor);
    tpi_buf_puts(out, ",\"deviceBrand\":\"Troupe\",\"deviceBoard\":");
    put_text(out, lab->uuid);
    tpi_buf_puts(out, ",\"deviceSerial\":");
    put_text(out, lab->serial);
    tpi_buf_puts(out, ",\"sensors\":{}}\n");
}

void tpi_lab_put_time(const tpi_lab *lab, tpi_buf *out)
{
    tpi_buf_putc(out, '[');
    for (unsigned i = 0; i < lab->event_count; i++) {
        tpi_buf_printf(out, "%s{\"event\":\"%s\",\"experimentTime\":%.6f,\"systemTime\":%.6f}",
                       i > 0 ? "," : "", lab->events[i].starts ? "START" : "PAUSE",
                       lab->events[i].experiment_s, lab->events[i].system_s);
    }
    tpi_buf_puts(out, "]\n");
}
