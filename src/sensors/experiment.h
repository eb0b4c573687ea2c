/*
 * experiment.h - an experiment with sensors: which channels take samples, from when to when, and
 * what actuators do meanwhile.
 *
 *     tpi_experiment_read()     text -> experiment; a mistake has its file and its line
 *     tpi_experiment_fit()      whether a sensor can do it: channels, periods, values, settings
 *     tpi_experiment_commands() what a sensor has to be told
 *
 * docs/reference/experiments.md describes the text. All memory belongs to the experiment. Nothing
 * here waits or prints.
 */
#ifndef TROUPE_SENSORS_EXPERIMENT_H
#define TROUPE_SENSORS_EXPERIMENT_H

#include "sensors/manifest.h"

enum {
    TPI_EXPERIMENT_TEXT = 65536,   /* the longest text, in bytes */
    TPI_EXPERIMENT_SENSORS = 8,    /* the most sensors */
    TPI_EXPERIMENT_CHANNELS = 64,  /* the most lines of channels */
    TPI_EXPERIMENT_VALUES = 4096,  /* the longest data set */
    TPI_EXPERIMENT_SETTINGS = 9,   /* of a channel: its conversion and its modes */
    TPI_EXPERIMENT_CONDITIONS = 4, /* of a channel */
    TPI_EXPERIMENT_COMMAND = 112,  /* the longest command with its NUL */
};

typedef enum tpi_when {
    TPI_WHEN_NOW,
    TPI_WHEN_TIME,    /* `number` microseconds */
    TPI_WHEN_COUNT,   /* `number` samples */
    TPI_WHEN_CHANNEL, /* with the signal of another channel */
    TPI_WHEN_TRIGGER, /* with the trigger command */
    TPI_WHEN_NEVER,
    TPI_WHEN_READ, /* when it is asked for */
    TPI_WHEN_DONE, /* at the end */
    TPI_WHEN_UNSAID,
} tpi_when;

typedef struct tpi_experiment_when {
    tpi_when kind;
    uint64_t number;
    unsigned sensor, channel; /* of TPI_WHEN_CHANNEL */
} tpi_experiment_when;

typedef struct tpi_experiment_setting {
    const char *name, *value;
} tpi_experiment_setting;

typedef struct tpi_experiment_condition {
    double value, range;
    bool is_while; /* every sample inside is recorded, not only the first */
} tpi_experiment_condition;

/* A line. */
typedef struct tpi_experiment_channel {
    unsigned line;
    unsigned sensor;  /* its place in `sensors` */
    unsigned channel; /* its number */
    tpi_experiment_when start, end, send, every;
    const double *values; /* of an actuator */
    unsigned value_count;
    bool repeats;
    tpi_experiment_condition conditions[TPI_EXPERIMENT_CONDITIONS];
    unsigned condition_count;
    tpi_experiment_setting settings[TPI_EXPERIMENT_SETTINGS];
    unsigned setting_count;
} tpi_experiment_channel;

typedef struct tpi_experiment_sensor {
    unsigned line;
    const char *name;   /* "" for the only one */
    const char *device; /* "experiment:1"; "" if it is not said */
} tpi_experiment_sensor;

typedef struct tpi_experiment {
    tpi_arena arena; /* owned */
    const char *path;
    const char *title;
    const tpi_experiment_sensor *sensors;
    unsigned sensor_count; /* at least 1 */
    const tpi_experiment_channel *channels;
    unsigned channel_count; /* at least 1 */
} tpi_experiment;

/* Read a text. `path` is for messages, and copied. */
tp_status tpi_experiment_read(tpi_experiment **out, const char *text, size_t length,
                              const char *path, tp_error *err);

void tpi_experiment_destroy(tpi_experiment *experiment); /* NULL is accepted */

/* Whether the sensor with this manifest can do its part; an error has the line. */
tp_status tpi_experiment_fit(const tpi_experiment *experiment, unsigned sensor,
                             const tpi_manifest *manifest, tp_error *err);

/* How many samples a channel takes; 0 if that is not known before. */
uint64_t tpi_experiment_count(const tpi_experiment_channel *channel);

/* Microseconds between two samples; 0 unless it takes them at regular times. */
uint64_t tpi_experiment_period_us(const tpi_experiment_channel *channel,
                                  const tpi_transducer *transducer);

/* Whether the host has to take each sample of the channel: at the signals of another sensor. */
bool tpi_experiment_is_relayed(const tpi_experiment_channel *channel);

/* Whether this is a signal of another sensor than that of the channel: of `sensor` and `number`. */
bool tpi_experiment_waits_for(const tpi_experiment_channel *channel,
                              const tpi_experiment_when *when, unsigned sensor, unsigned number);

/* The value of a setting: a number, or the name of a choice. False if it is none of the mode. */
bool tpi_experiment_mode_value(const tpi_mode *mode, const char *text, double *out);

/* The commands that set a sensor up, in their order, without < >. `line` is that of the text. A
 * text is borrowed for the call. */
typedef void tpi_experiment_put(void *context, unsigned line, const char *command);
void tpi_experiment_commands(const tpi_experiment *experiment, unsigned sensor,
                             const tpi_manifest *manifest, tpi_experiment_put *put, void *context);

#endif
