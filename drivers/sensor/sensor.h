/*
 * sensor.h - the parts of the driver `sensor`.
 *
 * sensor.c: parameters, life, what is asked next. connect.c: which line, and whether it is the
 * right sensor. channels.c: which channel belongs to which device. offer.c: the devices. publish.c:
 * data. act.c: actuators. experiment.c and its sisters: experiments. settings.c,
 * properties.c: conversions and modes.
 */
#ifndef TROUPE_DRIVERS_SENSOR_H
#define TROUPE_DRIVERS_SENSOR_H

#include "sensors/experiment.h"
#include "sensors/host.h"
#include "sensors/host/plugged.h"
#include "sensors/manifest.h"
#include "troupe/driver.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/experiment.h"
#include "troupe/port.h"

enum { SENSOR_BUSY_PERIOD_MS = 5, SENSOR_TEXT = 1024, SENSOR_TRY_MS = 200 };
enum { SENSOR_TRIES = 3, SENSOR_BAD_TRIES = 100 }; /* of a question; on a bad line */

/* What a channel is for a device. */
enum sensor_use { USE_ANALOG, USE_DIGITAL, USE_RANGE, USE_ACCEL, USE_GYRO, USE_BATTERY, USES };

/* The devices that the section may have; NULL for those that it has not. */
struct sensor_devices {
    tp_device *aio, *dio, *ranger, *imu, *power;
};

/* What the line is used for, beside readings. */
enum sensor_job { JOB_NONE, JOB_SETUP, JOB_START, JOB_TRIGGER, JOB_READ, JOB_SIGNAL, JOB_FINISH };

/* A channel in an experiment. */
struct sensor_run {
    const tpi_experiment_channel *line; /* borrowed; NULL: it is no part of it */
    uint64_t next;                      /* the number of the next sample */
    uint64_t count;                     /* how many it takes; 0: not known before */
    uint64_t period_us;                 /* 0: at irregular times */
    int64_t began_ns;                   /* of one that waits for a signal; 0: it still waits */
    bool is_relayed;                    /* its samples are taken at signals of another sensor */
    bool has_started;                   /* of a relayed one */
    bool has_ended;                     /* by a signal of another sensor, or as it was told */
    bool is_told;                       /* the sensor has said that it ended, and with what count */
};

/* A signal of another sensor that the sensor is being told. */
struct sensor_signal {
    char sensor[64];
    unsigned channel;
    tp_experiment_sign sign;
    double time_s;
};

struct sensor_task {
    unsigned line; /* of the experiment; 0: none */
    char text[TPI_EXPERIMENT_COMMAND];
};

/* Asking the sensor which channels have ended. */
struct sensor_check {
    int64_t due_ns; /* when it is asked again */
    unsigned place; /* the channel that is asked next */
    bool is_asked;
    bool is_unknown; /* the sensor does not know the question */
};

struct sensor_experiment {
    tp_device *device;          /* borrowed; NULL: the section has none */
    tpi_experiment *experiment; /* owned; what is set up; NULL for nothing */
    char *text;                 /* owned; the same as text */
    char name[64];              /* of its file */
    unsigned own;               /* which of its sensors this one is */
    tpi_experiment *wanted;     /* owned; what is being set up */
    char *wanted_text;          /* owned */
    unsigned wanted_own;
    struct sensor_signal signal; /* of JOB_SIGNAL */
    struct sensor_run runs[TPI_MOST_CHANNELS];
    tp_experiment_phase phase;
    uint32_t starts, samples, lost;
    char why[160];

    enum sensor_job job;
    tp_ticket *ticket;         /* owned; who waits for the job; NULL for nobody */
    struct sensor_task *tasks; /* owned; the commands of the job */
    unsigned task_count, task_at, task_room;
    bool is_asked;              /* the current one */
    unsigned repeats, restarts; /* of questions before this task; of the whole job */

    int64_t started_ns, told_ns, ended_ns, due_ns;
    double started_s; /* wall clock */
    bool accepts;     /* samples: it was told to begin */
    bool has_zero;
    uint64_t zero_us; /* of the sensor: its start */
    struct sensor_check check;
    tpi_arena answers; /* owned; what GET_CHANNELS has answered */
};

enum { SENSOR_MEMORIES = 16, SENSOR_KEY = 64, SENSOR_DOC = 256 };

/* The settings of a sensor that was plugged in, for the next time. */
struct sensor_memory {
    char uuid[80], serial[80]; /* "" for no sensor */
    uint8_t conversions[TPI_MOST_CHANNELS];
    double modes[TPI_MOST_CHANNELS][TPI_MOST_MODES];
};

/* A property that a device has as long as the sensor is there. */
struct sensor_property {
    tp_device *device; /* borrowed */
    tp_property_plan plan;
    char key[SENSOR_KEY], doc[SENSOR_DOC], value[TPI_EXPERIMENT_COMMAND];
};

struct sensor_settings {
    struct sensor_property **properties; /* owned, each of them */
    unsigned property_count, property_room;
    bool is_asked;
    char command[TPI_EXPERIMENT_COMMAND]; /* what was asked */
    struct sensor_memory memories[SENSOR_MEMORIES];
    unsigned newest;
};

struct sensor_channel {
    const tpi_transducer *transducer; /* borrowed from the manifest */
    const tpi_conversion *conversion; /* the current one */
    double value;
    bool is_known;
    bool acts;
    double wanted; /* of an actuator */
    bool is_wanted;
    double modes[TPI_MOST_MODES]; /* what they are set to */
    unsigned conversion_wanted;   /* its index; 0: none */
    double modes_wanted[TPI_MOST_MODES];
    bool is_mode_wanted[TPI_MOST_MODES];
};

struct sensor {
    tp_instance *self;
    struct sensor_devices devices;
    tpi_sensor_host *host;  /* owned */
    tpi_manifest *manifest; /* owned; NULL: no sensor is there */
    tp_port *port;          /* owned; NULL: no line is open */
    struct sensor_channel channels[TPI_MOST_CHANNELS];
    unsigned count;
    unsigned next; /* the channel to read next */
    int asked;     /* the channel that was asked; -1: none */
    bool is_write; /* it was written */
    int64_t period_ns, round_ns, alive_ns;
    size_t come;              /* of the manifest, at most, since the line is open */
    bool is_pattern;          /* sensors come and go */
    const char *pattern_tail; /* what follows the pattern in the URL: "?baud=9600" */
    char pattern[TPI_PLUGGED_PATH];
    int64_t look_ns; /* when to look for lines again */
    uint64_t refused[TPI_PLUGGED_MOST];
    unsigned refused_count;
    uint64_t mark;   /* of the line that is open */
    bool has_failed; /* the line */
    bool is_held;    /* its bytes wait: too many samples are on their way to readers */
    bool has_news;   /* its readers do not know yet which channels there are */
    tp_error err;
    struct sensor_experiment experiment;
    struct sensor_settings settings;
};

static inline int64_t tpi_sensor_now_ns(const struct sensor *s)
{
    return tp_clock_now_ns(tp_instance_clock(s->self));
}

/* ---- connect.c ---- */

/* Open a line and ask for the manifest. */
tp_status tpi_sensor_open(struct sensor *s, const char *url, tp_error *err);

/* The manifest has come: whether it is the right sensor. */
tp_status tpi_sensor_accept(struct sensor *s, tp_error *err);

/* Look for lines that fit the pattern, and open the next one. */
void tpi_sensor_look(struct sensor *s);

/* The sensor is gone: readers learn it. */
void tpi_sensor_gone(struct sensor *s, const char *why);

/* ---- channels.c ---- */

/* Learn the channels of the manifest. */
void tpi_sensor_learn(struct sensor *s);

/* Whether a channel has this use. */
bool tpi_sensor_channel_is(const struct sensor_channel *channel, enum sensor_use use);

/* The value in SI units. */
double tpi_sensor_channel_si(const struct sensor_channel *channel);

/* Tell properties what is there; NULL manifest: nothing. */
void tpi_sensor_describe(struct sensor *s);

/* Readers learn which channels there are now, if that has changed: the property `channels`. */
void tpi_sensor_announce(struct sensor *s);

/* ---- offer.c ---- */

tp_status tpi_sensor_offer(struct sensor *s, tp_error *err);

/* Whether someone reads a device that needs this channel. */
bool tpi_sensor_is_read(const struct sensor *s, const struct sensor_channel *channel);

/* ---- publish.c ---- */

/* Send what was read. */
void tpi_sensor_publish(struct sensor *s);

/* ---- act.c ---- */

tp_status tpi_sensor_write_analog(tp_device *device, const tp_aio_cmd *cmd, tp_error *err);
tp_status tpi_sensor_write_digital(tp_device *device, const tp_dio_cmd *cmd, tp_error *err);

/* Everything that acts is switched off, and an experiment ends if `ends`: the bytes, at most
 * `size`; how many. */
size_t tpi_sensor_off_bytes(const struct sensor *s, bool ends, char *out, size_t size);

/* Forget what actuators were to do. */
void tpi_sensor_drop_wanted(struct sensor *s);

/* ---- experiment.c ---- */

tp_status tpi_sensor_offer_experiment(struct sensor *s, tp_error *err);

/* Whether a channel should have ended, by the clock of this computer. */
bool tpi_sensor_is_past(const struct sensor *s, unsigned place, int64_t now_ns);

/* Whether an experiment runs and nothing else is under way. */
tp_status tpi_sensor_check_running(const struct sensor *s, tp_error *err);

/* Tell readers what the experiment does. */
void tpi_sensor_tell_state(struct sensor *s);

/* What the experiment does, until the next call. */
void tpi_sensor_put_state(struct sensor *s, tp_experiment_state *out);

/* ---- experiment_signal.c ---- */

/* Which of the sensors of an experiment has this device. */
tp_status tpi_sensor_find_own(const struct sensor *s, const tpi_experiment *experiment,
                              unsigned *out, tp_error *err);

/* The request SIGNAL. */
tp_status tpi_sensor_take_signal(tp_device *device, const tp_experiment_signal *ask, tp_error *err);

/* The trigger command: whether the relayed channel `place` has waited for it. */
bool tpi_sensor_trigger_relayed(struct sensor *s, unsigned place);

/* A command of the job was done. */
void tpi_sensor_signal_answer(struct sensor *s, const char *command, const char *answer);

/* The job was done: readers learn how long it took. */
void tpi_sensor_tell_signal(struct sensor *s);

/* ---- experiment_told.c ---- */

/* What the sensor is and what can be set, until the next call. */
tp_status tpi_sensor_put_channels(struct sensor *s, tp_experiment_channels *out, tp_error *err);

/* ---- experiment_run.c ---- */

/* Begin a job. Its commands are asked one after the other; then the ticket is answered. */
tp_status tpi_sensor_begin(struct sensor *s, enum sensor_job job, tp_ticket *ticket, tp_error *err);

/* Add a command to the job that begins next. */
void tpi_sensor_add_task(struct sensor *s, unsigned line, const char *text);

/* A channel that has waited has begun, as far as is known here: when it ends is known then. */
void tpi_sensor_run_began(struct sensor *s, unsigned place);

/* Ask the next command; true if there was one. */
bool tpi_sensor_ask_task(struct sensor *s, int64_t now_ns);

/* The answer to a command has come. */
void tpi_sensor_task_answer(struct sensor *s);

/* Time passes: ends, and what is told once a second. */
void tpi_sensor_experiment_tick(struct sensor *s, int64_t now_ns);

/* The sensor is gone, or everything is stopped: who waits gets the reason. */
void tpi_sensor_experiment_drop(struct sensor *s, const char *why);

/* Whether an experiment runs that has this channel; any channel: NULL. */
bool tpi_sensor_is_running(const struct sensor *s, const struct sensor_channel *channel);

/* Whether an experiment runs that has actuators. */
bool tpi_sensor_run_acts(const struct sensor *s);

void tpi_sensor_experiment_fini(struct sensor *s);

/* ---- experiment_samples.c ---- */

/* Send a sample with its time since the start. */
void tpi_sensor_publish_sample(struct sensor *s, unsigned place, double time_s, double value);

/* The place of a channel by its number; -1 for none. */
int tpi_sensor_place_of(const struct sensor *s, unsigned channel);

/* Hooks of the host side. */
void tpi_sensor_on_samples(void *context, const tpi_sensor_samples *samples);
void tpi_sensor_on_lost(void *context, unsigned channel, uint64_t first, uint64_t count);

/* ---- experiment_check.c ---- */

/* Ask whether a channel has ended whose end is not known before; true if one was asked. */
bool tpi_sensor_ask_check(struct sensor *s, int64_t now_ns);

/* The answer to it has come. */
void tpi_sensor_check_answer(struct sensor *s);

/* ---- settings.c ---- */

/* A sensor was plugged in: it gets the settings that it had the last time. */
void tpi_sensor_recall(struct sensor *s);

/* Ask for a setting that is wanted; true if there was one. */
bool tpi_sensor_ask_setting(struct sensor *s, int64_t now_ns);

/* The answer to it has come. */
void tpi_sensor_setting_answer(struct sensor *s);

/* The sensor goes: what it was not asked for yet, or has not answered, is a setting for the next
 * time. */
void tpi_sensor_keep_settings(struct sensor *s);

/* "S,C,2,1" or "S,M,1,2,1" was done: the channel has these settings now. Others are ignored. */
void tpi_sensor_note_setting(struct sensor *s, const char *command);

/* ---- properties.c ---- */

/* The properties of the channels: units, uncertainties, settings. */
void tpi_sensor_show_settings(struct sensor *s);

/* Remove them. */
void tpi_sensor_hide_settings(struct sensor *s);

#endif
