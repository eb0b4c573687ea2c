/* log_record.h - what the files of troupe log's recording share: log_record.c records,
 * log_record_options.c reads the command line, log_experiment.c runs an experiment meanwhile,
 * log_relay.c passes signals between its sensors. */
#ifndef TROUPE_APPS_LOG_RECORD_H
#define TROUPE_APPS_LOG_RECORD_H

#include "log.h"
#include "remote.h"
#include "sensors/experiment.h"
#include "troupe/interfaces/experiment.h"

enum { MOST_PATH = 4096, LOG_SIGNALS = 256 };

/* A signal of a channel for another sensor. */
struct log_signal {
    unsigned sensor, channel; /* where it comes from */
    tp_experiment_sign sign;
    double time_s; /* of its sample; 0: not known */
};

/* A sensor of the experiment. */
struct log_sensor {
    char device[96]; /* "experiment:0" */
    tp_proxy *proxy; /* borrowed; of the device */
    uint32_t runs;   /* the number of the run; 0: it has not started */
    bool has_ended;
    char why[160]; /* why it has ended early; "" for no reason */
    unsigned numbers[TPI_EXPERIMENT_CHANNELS], number_count; /* of its channels, as in SAMPLE */
    struct log_signal queue[LOG_SIGNALS];                    /* signals that it has to be told */
    unsigned head, tail;                                     /* they only grow */
    bool is_told, has_noted;
};

/* A line of the experiment: what is known of its channel. */
struct log_line {
    uint64_t count; /* samples that have come or are lost */
    bool has_started, has_ended;
};

/* An experiment that runs while its devices are recorded. */
struct log_experiment {
    tpi_buf text;               /* owned */
    tpi_experiment *experiment; /* owned; NULL for none */
    struct log_sensor sensors[TPI_EXPERIMENT_SENSORS];
    unsigned count;
    struct log_line lines[TPI_EXPERIMENT_CHANNELS];
    unsigned dropped; /* signals */
};

struct record {
    struct remote remote;
    const char *wanted[256]; /* names of devices; none: all */
    unsigned wanted_count;
    const char *out; /* borrowed; NULL for a name made of the time */
    bool force, quiet;
    double for_s, rate_hz; /* 0 for no limit */
    int64_t most;          /* messages; 0 for no limit */
    tpi_log_form form;
    tpi_mcap_compression compression;
    tpi_log_locale locale;
    const char *plot; /* borrowed; NULL for no picture */
    struct log_condition start, end, when;
    const char *experiment_path; /* borrowed; NULL for none */
    struct log_experiment experiment;

    char made[64];        /* the name made of the time */
    char path[MOST_PATH]; /* of the recording */
    FILE *file;           /* owned */
    tpi_log_writer *writer;
    tpi_log_recorder *recorder;
    struct follower {
        struct record *record;
        tp_proxy *proxy;
        unsigned device;
        unsigned skipped; /* messages that are not of the interface */
    } * followers;        /* owned */
    size_t count;
    tp_client_device *devices; /* owned; of the server */
    size_t device_count;
    int64_t start_ns, shown_ns;
    tp_error failure;
};

/* Read the arguments. */
int log_record_options(struct record *r, int argc, char **argv);

/* Whether the command line has the name of this device. */
bool log_is_named(const struct record *r, const char *device);

/* ---- log_experiment.c ---- */

/* Read the file. */
int log_experiment_read(struct record *r);

/* Choose the devices of the experiment. */
int log_experiment_choose(struct record *r);

/* The sensor with this device; NULL for none. */
struct log_sensor *log_experiment_sensor(struct record *r, const char *device);
struct log_sensor *log_experiment_proxy(struct record *r, const tp_proxy *proxy);

/* Set it up: from then on its device has the units of the experiment. Waits. */
int log_experiment_setup(struct record *r, struct log_sensor *sensor);

/* Start it. Waits. */
int log_experiment_start(struct record *r);

/* Whether it was started. */
bool log_experiment_has_run(const struct record *r);

/* Whether all its sensors have ended, or one has failed. */
bool log_experiment_is_over(const struct record *r);

/* Data of its devices: the recording ends with the last one. */
void log_experiment_see(struct record *r, struct log_sensor *sensor, const tp_msghdr *header,
                        const void *value);

/* End it if it still runs, so that what the sensor has kept is recorded; tell how it went. */
int log_experiment_end(struct record *r);

void log_experiment_fini(struct record *r);

/* ---- log_relay.c ---- */

/* A sensor has sent a sample, has lost some, or has ended: send signals to others that wait for it.
 */
void log_relay_sample(struct record *r, const struct log_sensor *sensor,
                      const tp_experiment_sample *sample, double time_s);
void log_relay_lost(struct record *r, const struct log_sensor *sensor,
                    const tp_experiment_lost *lost);
void log_relay_ended(struct record *r, const struct log_sensor *sensor);

#endif
