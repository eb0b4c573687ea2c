/* robotfile.h - the state of an instance of robotfile. */
#ifndef TROUPE_DRIVERS_ROBOTFILE_H
#define TROUPE_DRIVERS_ROBOTFILE_H

#include "devices.h"
#include "troupe/driver/actarray.h"
#include "troupe/driver/blinkenlight.h"
#include "troupe/driver/position2d.h"
#include "troupe/port.h"
#include "universal.h"
#include "universal/dialog.h"
#include "universal/host/files.h"
#include "universal/route_text.h"

enum {
    MOST_READINGS = 64,
    MOST_LISTED = 32, /* readings or outputs of one device */
    MOST_OUTPUTS = 112,
    LONGEST_SAYING = 256,
    LONGEST_NAMES = 1024,
};

/* Devices that publish readings, or that move joints. */
enum robotfile_list_kind {
    LIST_ANALOG,
    LIST_DIGITAL,
    LIST_RANGE,
    LIST_SONAR,
    LIST_BUMP,
    LIST_POWER,  /* percent, then volts if they are known */
    LIST_JOINTS, /* the encoder of each joint that has one */
    LISTS
};

/* Outputs of one device. */
enum robotfile_row_kind { ROW_JOINTS, ROW_DIGITAL, ROW_ANALOG, ROW_LIGHTS, ROW_COLOURS, ROWS };

/* Something that is read: a part and the command that reads it. */
struct robotfile_reading {
    int part;
    tpi_command command;
    double value;
    bool is_known;   /* it was read since the start */
    bool is_blocked; /* its pin is used by an output */
};

struct robotfile_list {
    tp_device *device; /* NULL if it is not offered */
    unsigned count;
    uint8_t at[MOST_LISTED]; /* readings */
    char names[LONGEST_NAMES];
};

/* Something that is written, and what it is to be. */
struct robotfile_output {
    int part;
    tpi_command command;
    double value;
    bool is_wanted; /* the value has not been written */
    bool is_taken;  /* its pins belong to the wheels */
    int encoder;    /* reading of a joint; -1 for none */
};

struct robotfile_row {
    unsigned count;
    uint8_t at[MOST_LISTED]; /* outputs */
    char names[LONGEST_NAMES];
};

/* What is read, in rounds. */
struct robotfile_inputs {
    unsigned count;
    struct robotfile_reading all[MOST_READINGS];
    struct robotfile_list lists[LISTS];
    bool has_volts;
    uint64_t wanted;    /* readings of this round, by their bits */
    bool is_open;       /* the round is under way */
    unsigned at;        /* the reading that runs, or is next */
    int64_t next_ns;    /* when the next round begins */
    int64_t battery_ns; /* when the battery is read without a request */
    bool is_low;        /* the operator knows that the battery is nearly empty */
};

/* What is written. */
struct robotfile_outputs {
    unsigned count;
    struct robotfile_output all[MOST_OUTPUTS];
    struct robotfile_row rows[ROWS];
    tp_device *lights;          /* NULL if they are not offered */
    tp_blinkenlight_data light; /* what the last command said */
    int voice;                  /* the part that takes texts; -1 for none */
    tpi_command say;
    char saying[LONGEST_SAYING];
    char said[LONGEST_SAYING]; /* the text of the command that runs */
    bool wants_saying;
    unsigned in_a_row; /* outputs since the last reading */
    tp_actarray_actuatorgeom geoms[MOST_LISTED];
};

/* The wheels. */
struct robotfile_wheels {
    tp_device *device; /* NULL if they are not offered */
    int axis;          /* the part; -1 for none */
    double max_speed, width;
    double left, right; /* percent */
    bool is_wanted;     /* not written yet */
    int64_t reckoned_ns;
    tp_position2d_data state;
};

/* The stop bytes that the guard has: their number, and the first ones. */
struct robotfile_guarded {
    size_t length;
    uint8_t bytes[32];
};

/* The line and what the robot said. */
struct robotfile_line {
    tp_port *port;   /* owned; NULL unless it runs */
    bool has_failed; /* a write */
    struct robotfile_guarded guarded;
    int64_t ready_ns;               /* when the robot takes its first byte */
    unsigned silent;                /* commands in a row without an answer */
    bool is_busy;                   /* a command runs */
    bool is_reading;                /* it is a reading */
    bool is_mine;                   /* an order of `universal` is sent before the next reading */
    char reported[TPI_DIALOG_TEXT]; /* the last fault that was reported */
    tp_error err;
};

struct robotfile {
    tp_instance *self;  /* borrowed */
    tpi_loaded *loaded; /* owned */
    tpi_dialog *dialog; /* owned */
    int64_t period_ns;
    double motor_speed; /* rad/s at full power */
    bool was_lost;      /* it does not run because the line failed or the robot was silent */
    struct robotfile_line line;
    struct robotfile_inputs in;
    struct robotfile_outputs out;
    struct robotfile_wheels wheels;
    struct robotfile_universal *universal; /* owned; NULL if it is not offered */
    struct robotfile_devices *devices;     /* owned; NULL if the robot has a line */
};

static inline struct robotfile *tpi_robotfile_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static inline int64_t tpi_robotfile_now_ns(const struct robotfile *r)
{
    return tp_clock_now_ns(tp_instance_clock(r->self));
}

/* The voltages that 0 and 100 % of a part stand for; 5 V are 100 % unless the file says it. */
static inline const double *tpi_robotfile_volts(const struct robotfile *r, int part)
{
    static const double usual[2] = {0, 5};
    const double *volts = r->loaded->wired->parts[part].device->volts;

    return volts[0] < volts[1] ? volts : usual;
}

/* sort.c: find the parts that are wheels, inputs and outputs, and their names. */
void tpi_robotfile_sort_parts(struct robotfile *r);

/* offer.c: offer the devices that `provides` asks for. */
tp_status tpi_robotfile_offer(struct robotfile *r, tp_error *err);

/* robotfile.c: go on with the next command; the state of the line. */
tp_status tpi_robotfile_work(struct robotfile *r, tp_error *err);

/* inputs.c: the next reading of a round. False if there is none now; a round that ends is
 * published, and a new one begins when its time has come. */
bool tpi_robotfile_next_reading(struct robotfile *r, int64_t now_ns, tpi_dialog_order *out);

/* inputs.c: keep the value of the reading that has ended, or leave it as it was. */
void tpi_robotfile_keep_reading(struct robotfile *r, const tpi_outcome *outcome);

/* outputs.c: the next thing to write; false for none. */
bool tpi_robotfile_next_output(struct robotfile *r, tpi_dialog_order *out);

/* outputs.c: forget what was not written. */
void tpi_robotfile_drop_outputs(struct robotfile *r);

/* The stop bytes stop everything. outputs.c, wheels.c: forget what was wanted, or (false) write it
 * once more. */
void tpi_robotfile_rest_outputs(struct robotfile *r, bool joints, bool others);
void tpi_robotfile_rest_wheels(struct robotfile *r, bool all);

/* wheels.c: what the wheels are to do; false if nothing is new. */
bool tpi_robotfile_next_motion(struct robotfile *r, tpi_dialog_order *out);
/* wheels.c: the wheels turn with these percents from now on. */
void tpi_robotfile_reckon(struct robotfile *r, double left, double right);
void tpi_robotfile_publish_wheels(struct robotfile *r);

/* Operations of the devices, by the files that have them. */
extern const tp_position2d_ops tpi_robotfile_wheels_ops;

/* robotfile.c: its operations, for drivers of other names (create.c). */
extern const tp_driver_ops tpi_robotfile_ops;

#endif
