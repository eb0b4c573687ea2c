/* lab.c - the samples of an experiment, and the pages of phyphox's remote interface; see lab.h. */
#include "web/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/json.h"
#include "base/number.h"

enum { FIRST_ROOM = 256 };

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

/* ---- Samples --------------------------------------------------------------------------------- */

void tpi_lab_clear(tpi_lab *lab)
{
    for (unsigned i = 0; i < TPI_LAB_CHANNELS; i++) {
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

/* A check sum of what a client has to know: a change ends its session. */
static uint32_t sign(const tpi_lab *lab)
{
    uLong sum = crc32(0, (const unsigned char *)lab->uuid, (unsigned)strlen(lab->uuid));

    sum = crc32(sum, (const unsigned char *)lab->serial, (unsigned)strlen(lab->serial));
    for (unsigned i = 0; i < lab->count; i++) {
        const tpi_lab_channel *c = &lab->channels[i];
        sum = crc32(sum, (const unsigned char *)&c->number, sizeof c->number);
        sum = crc32(sum, (const unsigned char *)c->label, (unsigned)strlen(c->label));
    }
    return (uint32_t)sum;
}

static void add_settings(tpi_lab *lab, const tp_experiment_channel *from)
{
    for (unsigned k = 0; k < from->settings_count && lab->setting_count < TPI_LAB_SETTINGS; k++) {
        const tp_experiment_setting *setting = &from->settings[k];
        tpi_lab_setting *to = &lab->settings[lab->setting_count++];
        char name[TPI_LAB_TEXT];

        copy(name, setting->name, setting->name_count);
        const bool converts = strcmp(name, "conversion") == 0;
        *to = (tpi_lab_setting){.value = setting->value,
                                .is_text = !converts && setting->choices_count > 0};
        if (converts) {
            (void)snprintf(to->name, sizeof to->name, "conversion.%u", from->number);
        } else {
            (void)snprintf(to->name, sizeof to->name, "mode.%u.%.48s", from->number, name);
        }
        if (converts && setting->choices_count < 2) {
            lab->setting_count--; /* nothing can be chosen */
        }
    }
}

static void set_channel(tpi_lab_channel *to, const tp_experiment_channel *from)
{
    char name[TPI_LAB_TEXT], unit[TPI_LAB_TEXT];

    copy(name, from->parameter_count > 1 ? from->parameter : from->name,
         from->parameter_count > 1 ? from->parameter_count : from->name_count);
    copy(unit, from->unit, from->unit_count);
    to->number = from->number;
    to->acts = from->kind == TP_EXPERIMENT_ACTUATOR;
    (void)snprintf(to->label, TPI_LAB_TEXT, unit[0] != '\0' ? "%.80s (%.40s)" : "%.80s", name,
                   unit);
}

void tpi_lab_set_channels(tpi_lab *lab, const tp_experiment_channels *channels)
{
    const uint32_t before = sign(lab);
    const unsigned count_before = lab->count;

    copy(lab->sensor, channels->sensor, channels->sensor_count);
    copy(lab->uuid, channels->uuid, channels->uuid_count);
    copy(lab->serial, channels->serial, channels->serial_count);
    lab->count =
        channels->channels_count < TPI_LAB_CHANNELS ? channels->channels_count : TPI_LAB_CHANNELS;
    lab->setting_count = 0;
    for (unsigned i = 0; i < lab->count; i++) {
        set_channel(&lab->channels[i], &channels->channels[i]);
        add_settings(lab, &channels->channels[i]);
    }
    if (sign(lab) == before && lab->count == count_before) {
        return;
    }
    tpi_lab_clear(lab);
    (void)snprintf(lab->session + strcspn(lab->session, "-"), 10, "-%08x", sign(lab));
}

const tpi_lab_setting *tpi_lab_find_setting(const tpi_lab *lab, const char *name)
{
    for (unsigned i = 0; i < lab->setting_count; i++) {
        if (strcmp(lab->settings[i].name, name) == 0) {
            return &lab->settings[i];
        }
    }
    return NULL;
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

/* ---- Pages ----------------------------------------------------------------------------------- */

static void put_text(tpi_buf *out, const char *text)
{
    tpi_json_put_string(out, text, strlen(text));
}

void tpi_lab_put_config(const tpi_lab *lab, tpi_buf *out)
{
    const char *title = lab->title[0] != '\0' ? lab->title : lab->sensor;
    bool first = true;

    tpi_buf_printf(out, "{\"crc32\":\"%x\",\"title\":", (unsigned)lab->crc);
    put_text(out, title);
    tpi_buf_puts(out, ",\"localTitle\":");
    put_text(out, title);
    tpi_buf_puts(out, ",\"category\":\"Troupe\",\"localCategory\":\"Troupe\",\"buffers\":[");
    for (unsigned i = 0; i < lab->count; i++) {
        tpi_buf_printf(out, "%s{\"name\":\"t%u\",\"size\":0},{\"name\":\"ch%u\",\"size\":0}",
                       i > 0 ? "," : "", lab->channels[i].number, lab->channels[i].number);
    }
    for (unsigned i = 0; i < lab->setting_count; i++) {
        tpi_buf_puts(out, ",{\"name\":");
        put_text(out, lab->settings[i].name);
        tpi_buf_puts(out, ",\"size\":1}");
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
