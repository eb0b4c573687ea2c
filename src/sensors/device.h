/*
 * device.h - the device side of the sensor protocol: what a sensor itself runs.
 *
 * Plain C without heap, files or printing, for small chips too. The caller owns all memory and
 * gives a plan (what the manifest says, in numbers) and hooks (the hardware and the line):
 *
 *     tpi_sensor_init()      once
 *     tpi_sensor_input()     bytes of the host, however they are cut
 *     tpi_sensor_step()      often, with the time: takes samples that are due, answers, sends data
 *
 * Each step writes at most a piece of TPI_SENSOR_PIECE bytes, and only if the line has room for it:
 * a slow line never delays a sample. Samples wait in the cells that the caller gives. When these
 * are full, the oldest sample goes, and the host learns how many have gone.
 *
 * docs/reference/sensor-protocol.md describes the bytes. Nothing here is for several threads.
 */
#ifndef TROUPE_SENSORS_DEVICE_H
#define TROUPE_SENSORS_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/scaling.h"

/* A firmware can have less. */
#ifndef TPI_SENSOR_CHANNELS
#define TPI_SENSOR_CHANNELS 16
#endif
#ifndef TPI_SENSOR_MODES
#define TPI_SENSOR_MODES 8 /* of a channel */
#endif
#ifndef TPI_SENSOR_CONDITIONS
#define TPI_SENSOR_CONDITIONS 4 /* of a channel */
#endif

#ifndef TPI_SENSOR_CELL
#define TPI_SENSOR_CELL int32_t /* what a raw number fits in */
#endif

typedef TPI_SENSOR_CELL tpi_sensor_cell;

enum {
    TPI_SENSOR_COMMAND = 120, /* the longest command */
    TPI_SENSOR_PIECE = 48,    /* the most bytes that a step writes */
    TPI_SENSOR_CHUNK = 64,    /* of a manifest */
    TPI_SENSOR_LINE = 16,     /* the most samples in a line */
    TPI_SENSOR_ANSWER = 64,   /* the longest answer, without data */
    TPI_SENSOR_NONE = 255,    /* no channel */
};

/* ---- The plan: what the manifest says -------------------------------------------------------- */

typedef struct tpi_sensor_conversion {
    tpi_scaling scaling;
    uint8_t places; /* decimal places of its values */
} tpi_sensor_conversion;

typedef struct tpi_sensor_mode {
    double min, max; /* of a state: the indexes of its options */
    double start;
    bool is_state; /* whole numbers only */
    uint8_t places;
} tpi_sensor_mode;

typedef enum tpi_sensor_kind {
    TPI_SENSOR_SENSES,
    TPI_SENSOR_ACTS,
    TPI_SENSOR_EVENTS,
} tpi_sensor_kind;

typedef struct tpi_sensor_channel {
    uint8_t number; /* as in commands */
    uint8_t kind;   /* tpi_sensor_kind */
    uint8_t conversion_count, conversion_start;
    uint8_t mode_count;
    const tpi_sensor_conversion *conversions; /* borrowed */
    const tpi_sensor_mode *modes;             /* borrowed */
    uint32_t min_period_us, trig_delay_us;
} tpi_sensor_channel;

typedef struct tpi_sensor_plan {
    const tpi_sensor_channel *channels; /* borrowed */
    uint8_t channel_count;              /* 1 to TPI_SENSOR_CHANNELS */
    uint8_t default_channel;            /* the number of the channel of commands without one */
    uint32_t manifest_length;           /* bytes */
} tpi_sensor_plan;

/* The hardware and the line. Channels and modes are places in the plan, from 0. None waits. */
typedef struct tpi_sensor_hooks {
    int32_t (*read)(void *context, uint8_t channel, uint64_t now_us);
    void (*write)(void *context, uint8_t channel, int32_t raw);
    void (*set)(void *context, uint8_t channel, uint8_t mode, double value);
    char (*manifest)(void *context, uint32_t at);
    uint16_t (*room)(void *context); /* how many bytes the line takes now */
    void (*put)(void *context, const char *bytes, uint8_t length);
} tpi_sensor_hooks;

/* ---- The state ------------------------------------------------------------------------------- */

enum { TPI_RUN_NONE, TPI_RUN_READY, TPI_RUN_WAITS, TPI_RUN_RUNS, TPI_RUN_ENDED };
enum { TPI_START_NOW, TPI_START_TIME, TPI_START_TRIGGER, TPI_START_CHANNEL };
enum { TPI_END_COUNT, TPI_END_CHANNEL, TPI_END_NEVER };
enum { TPI_SEND_READ, TPI_SEND_DONE, TPI_SEND_TIME, TPI_SEND_COUNT };
enum { TPI_TAKE_TIME, TPI_TAKE_CHANNEL };

/* How a line is checked: not at all, *HH, or a number and a CRC: *nHHHH. */
enum { TPI_CHECKS_NOT, TPI_CHECKS_SUM, TPI_CHECKS_NUMBER };

typedef struct tpi_sensor_condition {
    double value, range;
    bool is_while; /* every sample inside is recorded, not only the first */
} tpi_sensor_condition;

/* Data logging of a channel: how it was set up, and what it does. */
typedef struct tpi_sensor_run {
    uint8_t start, end, send, take; /* the enumerations above */
    uint8_t start_channel, end_channel, take_channel;
    bool repeats; /* the data set of an actuator begins anew */
    uint8_t condition_count;
    tpi_sensor_condition conditions[TPI_SENSOR_CONDITIONS];
    uint64_t start_us, send_us, period_us;
    uint32_t end_count, send_count;
    uint16_t data_first, data_count; /* cells of a data set */

    uint8_t state; /* TPI_RUN_ */
    uint8_t conversion;
    bool was_true, signals;
    uint64_t due_us;                                    /* of the next sample, or of the start */
    uint64_t stamp_us;                                  /* the time of sample 0 */
    uint64_t next_send_us;                              /* of TPI_SEND_TIME */
    uint32_t taken;                                     /* samples so far */
    uint32_t oldest;                                    /* number of the oldest sample that waits */
    uint16_t ring_first, ring_size, ring_head, waiting; /* cells; the last in samples */
    uint16_t to_send;                                   /* of the waiting ones */
    uint32_t lost;                                      /* right before the oldest, not yet told */
} tpi_sensor_run;

/* What commands and lines are checked by. */
typedef struct tpi_sensor_check {
    uint8_t answer, lines; /* how the answer and data lines are: TPI_CHECKS_ */
    char number;           /* of the last command that had one */
    uint16_t crc;          /* of this command, with its number */
    char done_number;      /* of the last set-up or start that was carried out; 0: it had none */
    uint16_t done_crc;
    uint8_t line_sum; /* of the line so far */
    uint16_t line_crc;
} tpi_sensor_check;

typedef struct tpi_sensor {
    const tpi_sensor_plan *plan;   /* borrowed */
    const tpi_sensor_hooks *hooks; /* borrowed */
    void *context;                 /* of the hooks; borrowed */
    tpi_sensor_cell *cells;        /* borrowed: samples and data sets */
    uint16_t cell_count, data_cells;
    uint64_t now_us;

    uint8_t conversion[TPI_SENSOR_CHANNELS];
    double mode[TPI_SENSOR_CHANNELS][TPI_SENSOR_MODES];
    int32_t written[TPI_SENSOR_CHANNELS]; /* what actuators were told */
    tpi_sensor_run run[TPI_SENSOR_CHANNELS];

    char command[TPI_SENSOR_COMMAND + 1];
    uint8_t length; /* of the command */
    bool is_open;   /* behind < */
    bool is_whole;  /* > has come; it waits to be carried out */
    bool is_long;   /* it has lost bytes */
    uint8_t pluses;

    char answer[TPI_SENSOR_ANSWER];
    uint8_t answer_length, answer_sent;
    uint8_t answer_after; /* the channel whose data go first; TPI_SENSOR_NONE */
    tpi_sensor_check check;
    uint8_t says;         /* what is being written: device_say.c */
    uint32_t manifest_at; /* of the manifest that is being written */
    uint8_t chunk_left;
    uint16_t chunk; /* the number of the only chunk to write; 0 for all */
    uint8_t line_run, line_count, line_at;
    uint32_t line_first;
    uint64_t line_us;
    tpi_sensor_cell line[TPI_SENSOR_LINE];
} tpi_sensor;

/* Begin with the settings after power-up. `cells` are at most 65535. */
void tpi_sensor_init(tpi_sensor *sensor, const tpi_sensor_plan *plan, const tpi_sensor_hooks *hooks,
                     void *context, tpi_sensor_cell *cells, uint16_t cell_count);

void tpi_sensor_input(tpi_sensor *sensor, const char *bytes, uint16_t length);

/* Go on until `now_us`, which never goes back. True if there is more to do at once. */
bool tpi_sensor_step(tpi_sensor *sensor, uint64_t now_us);

/* The time of the next sample or start; UINT64_MAX for none. */
uint64_t tpi_sensor_due_us(const tpi_sensor *sensor);

/* The value of a channel (its place) now, in its current conversion. */
double tpi_sensor_value(tpi_sensor *sensor, uint8_t channel);

#endif
