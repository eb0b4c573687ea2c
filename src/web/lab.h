/*
 * lab.h - the samples of an experiment, and the pages of phyphox's remote interface about them.
 *
 *     tpi_lab_set_channels() -> tpi_lab_sample(), tpi_lab_event() ... -> tpi_lab_put_get() ...
 *
 * Each channel N has two buffers: `tN` with times and `chN` with values. Numbers are written as
 * text when they come, so that a page is copied and no turn of a loop is long. The oldest half of a
 * full buffer is dropped. Each setting has a buffer with one number: `conversion.N`, `mode.N.NAME`.
 * It has no sockets and no devices.
 */
#ifndef TROUPE_WEB_LAB_H
#define TROUPE_WEB_LAB_H

#include "base/buf.h"
#include "troupe/interfaces/experiment.h"
#include "web/http.h"

enum {
    TPI_LAB_CHANNELS = 16,    /* more are left out */
    TPI_LAB_SAMPLES = 131072, /* of all channels together */
    TPI_LAB_EVENTS = 128,
    TPI_LAB_SETTINGS = 64, /* more are left out */
    TPI_LAB_NAME = 64,     /* of a buffer, with its NUL */
    TPI_LAB_TEXT = 128,
};

/* Numbers with their texts. */
typedef struct tpi_lab_series {
    tpi_buf text;    /* "1,2.5,", owned */
    uint32_t *ends;  /* owned; where each one ends, with its comma */
    double *numbers; /* owned */
    uint32_t count, room;
} tpi_lab_series;

typedef struct tpi_lab_channel {
    unsigned number;
    char label[TPI_LAB_TEXT]; /* "Brightness (%)" */
    bool acts;
    tpi_lab_series times, values;
} tpi_lab_channel;

/* A setting: a property of the device. */
typedef struct tpi_lab_setting {
    char name[TPI_LAB_NAME];
    double value;
    bool is_text; /* the property is a text */
} tpi_lab_setting;

typedef struct tpi_lab_event {
    bool starts;
    double experiment_s, system_s; /* since the first start; since 1970 */
} tpi_lab_event;

typedef struct tpi_lab {
    char sensor[TPI_LAB_TEXT], uuid[TPI_LAB_TEXT], serial[TPI_LAB_TEXT];
    char title[TPI_LAB_TEXT];
    char session[32]; /* another one if other channels or units come */
    uint32_t crc;     /* of the text of the experiment */
    bool measures;
    tpi_lab_channel channels[TPI_LAB_CHANNELS];
    unsigned count;
    tpi_lab_setting settings[TPI_LAB_SETTINGS];
    unsigned setting_count;
    tpi_lab_event events[TPI_LAB_EVENTS];
    unsigned event_count;
} tpi_lab;

void tpi_lab_fini(tpi_lab *lab);

/* Forget samples and events. */
void tpi_lab_clear(tpi_lab *lab);

/* The channels are these now. If others or other units were there before, samples are forgotten and
 * the session ends. */
void tpi_lab_set_channels(tpi_lab *lab, const tp_experiment_channels *channels);

void tpi_lab_sample(tpi_lab *lab, const tp_experiment_sample *sample);
void tpi_lab_event_put(tpi_lab *lab, bool starts, double experiment_s, double system_s);

/* The setting of this name; NULL for none. */
const tpi_lab_setting *tpi_lab_find_setting(const tpi_lab *lab, const char *name);

/* The pages. */
void tpi_lab_put_config(const tpi_lab *lab, tpi_buf *out);
void tpi_lab_put_meta(const tpi_lab *lab, const char *version, tpi_buf *out);
void tpi_lab_put_time(const tpi_lab *lab, tpi_buf *out);

/* ---- lab_query.c ---- */

/* The page /get. A query that asks for buffers that are not there is answered without them. NULL,
 * or what is wrong with the query. */
const char *tpi_lab_put_get(const tpi_lab *lab, tpi_span query, tpi_buf *out);

/* The parameters of a body, in front of those of the query: a flat JSON object, or
 * `name=value&...`. False if the body is neither. */
bool tpi_lab_put_query(tpi_span body, bool is_json, tpi_span query, tpi_buf *out);

/* ---- lab_export.c, lab_workbook.c ---- */

/* All samples as tables in a ZIP file; the format is phyphox's number: 0 for a workbook, 1 to 5.
 * False if it is another one. */
bool tpi_lab_put_export(const tpi_lab *lab, int format, tpi_buf *out);

/* The same as a workbook of Excel. */
void tpi_lab_put_workbook(const tpi_lab *lab, tpi_buf *out);

#endif
