/*
 * lab.h - the samples of an experiment, and the pages of phyphox's remote interface about them.
 *
 *     tpi_lab_set_channels() -> tpi_lab_sample(), tpi_lab_event() ... -> tpi_lab_put_get() ...
 *
 * Each channel N has two buffers: `tN` with times and `chN` with values. Numbers are written as
 * text when they come, so that a page is copied and no turn of a loop is long. The oldest half of a
 * full buffer is dropped. It has no sockets and no devices.
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

typedef struct tpi_lab_event {
    bool starts;
    double experiment_s, system_s; /* since the first start; since 1970 */
} tpi_lab_event;

typedef struct tpi_lab {
    char sensor[TPI_LAB_TEXT], uuid[TPI_LAB_TEXT], serial[TPI_LAB_TEXT];
    char title[TPI_LAB_TEXT];
    char session[20];
    bool measures;
    tpi_lab_channel channels[TPI_LAB_CHANNELS];
    unsigned count;
    tpi_lab_event events[TPI_LAB_EVENTS];
    unsigned event_count;
} tpi_lab;

void tpi_lab_fini(tpi_lab *lab);

/* Forget samples and events. */
void tpi_lab_clear(tpi_lab *lab);

/* The channels are these now. Samples are forgotten. */
void tpi_lab_set_channels(tpi_lab *lab, const tp_experiment_channels *channels);

void tpi_lab_sample(tpi_lab *lab, const tp_experiment_sample *sample);
void tpi_lab_event_put(tpi_lab *lab, bool starts, double experiment_s, double system_s);

/* The pages. A query that asks for buffers that are not there is answered without them. */
void tpi_lab_put_get(const tpi_lab *lab, tpi_span query, tpi_buf *out);
void tpi_lab_put_config(const tpi_lab *lab, tpi_buf *out);
void tpi_lab_put_meta(const tpi_lab *lab, const char *version, tpi_buf *out);
void tpi_lab_put_time(const tpi_lab *lab, tpi_buf *out);

/* ---- lab_export.c ---- */

/* All samples as tables in a ZIP file; the format is phyphox's number, 1 to 5. False if it is
 * another one. */
bool tpi_lab_put_export(const tpi_lab *lab, int format, tpi_buf *out);

#endif
