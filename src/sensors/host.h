/*
 * host.h - the host side of the sensor protocol: asks, takes answers, gathers data.
 *
 * One command is outstanding. It is asked again when its answer is damaged or does not come, and
 * given up after some tries. Check sums are used if the sensor knows them. They do not find every
 * damage: with `verify` commands have numbers and CRCs, so that one that comes twice is carried out
 * once, and a refusal has to come twice. With a sensor that does not know numbers, everything is
 * asked until two answers in a row are the same, except readings that have a check sum. A manifest
 * comes as a whole; from the first damaged chunk on, or with `verify`, its chunks are asked for one
 * by one.
 *
 *     tpi_sensor_host_ask()      -> input, tick ... -> tpi_sensor_host_state() is not BUSY
 *     tpi_sensor_host_manifest() -> the same; tpi_sensor_host_text() is the manifest then
 *
 * It has no line and no clock: bytes go out through a hook, times come with the calls. Nothing
 * waits.
 */
#ifndef TROUPE_SENSORS_HOST_H
#define TROUPE_SENSORS_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum { TPI_SENSOR_HOST_VALUES = 64 }; /* the most samples in a line */

typedef struct tpi_sensor_host tpi_sensor_host;

/* A line of data: samples from number `first` on. The time is that of the last one. */
typedef struct tpi_sensor_samples {
    unsigned channel;
    uint64_t first;
    unsigned count;
    uint64_t time_us;
    double values[TPI_SENSOR_HOST_VALUES];
} tpi_sensor_samples;

typedef struct tpi_sensor_host_hooks {
    void (*write)(void *context, const char *bytes, size_t length);
    /* Lines of data; both may be NULL. What is passed is borrowed for the call. */
    void (*samples)(void *context, const tpi_sensor_samples *samples);
    void (*lost)(void *context, unsigned channel, uint64_t first, uint64_t count);
    void *context; /* borrowed */
} tpi_sensor_host_hooks;

typedef struct tpi_sensor_host_options {
    int64_t try_ns; /* how long an answer may take; 0: 300 ms */
    unsigned tries; /* 0: 3 */
    bool verify;    /* the line is bad: nothing is believed that could be damage */
    bool plain;     /* never use check sums */
} tpi_sensor_host_options;

typedef enum tpi_sensor_host_state {
    TPI_HOST_IDLE,    /* nothing was asked */
    TPI_HOST_BUSY,    /* an answer is awaited */
    TPI_HOST_DONE,    /* tpi_sensor_host_text() is the answer, or the manifest */
    TPI_HOST_REFUSED, /* the sensor said !!!, or that it cannot do a field of a set-up */
    TPI_HOST_SILENT,  /* no answer that is whole */
} tpi_sensor_host_state;

/* NULL if memory ran out. Options may be NULL. */
tpi_sensor_host *tpi_sensor_host_create(const tpi_sensor_host_hooks *hooks,
                                        const tpi_sensor_host_options *options);

void tpi_sensor_host_destroy(tpi_sensor_host *host); /* NULL is accepted */

/* How long an answer may take from now on, and how often a question is asked. */
void tpi_sensor_host_set_patience(tpi_sensor_host *host, int64_t try_ns, unsigned tries);

/* Ask: "R,1", without < > and check sum, at most 110 bytes. What was asked before is given up. */
void tpi_sensor_host_ask(tpi_sensor_host *host, const char *command, int64_t now_ns);

/* The sensor forgets its set-ups for data logging and what it was about to send. It gives no
 * answer; on a bad line the bytes are sent several times. */
void tpi_sensor_host_clear(tpi_sensor_host *host);

/* Whether a command that comes twice is carried out once. */
bool tpi_sensor_host_is_once(const tpi_sensor_host *host);

/* Ask for the manifest. */
void tpi_sensor_host_manifest(tpi_sensor_host *host, int64_t now_ns);

/* The same after it has not come: only for the rest, if its chunks can be asked for. A line that
 * often stands still does not begin anew each time. */
void tpi_sensor_host_manifest_on(tpi_sensor_host *host, int64_t now_ns);

void tpi_sensor_host_input(tpi_sensor_host *host, const void *bytes, size_t length, int64_t now_ns);

/* Time passes. */
void tpi_sensor_host_tick(tpi_sensor_host *host, int64_t now_ns);

/* When the next tick has something to do; INT64_MAX for never. */
int64_t tpi_sensor_host_due_ns(const tpi_sensor_host *host);

tpi_sensor_host_state tpi_sensor_host_state_of(const tpi_sensor_host *host);

/* The answer without its check sum; "" if there is none. Borrowed until the next call. */
const char *tpi_sensor_host_text(const tpi_sensor_host *host);
size_t tpi_sensor_host_text_length(const tpi_sensor_host *host);

/* How often something was asked again, and how many lines were damaged. */
unsigned tpi_sensor_host_repeats(const tpi_sensor_host *host);
unsigned tpi_sensor_host_damaged(const tpi_sensor_host *host);

#endif
