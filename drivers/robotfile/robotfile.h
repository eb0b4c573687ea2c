/* robotfile.h - the state of an instance of robotfile. */
#ifndef TROUPE_DRIVERS_ROBOTFILE_H
#define TROUPE_DRIVERS_ROBOTFILE_H

#include "troupe/driver/aio.h"
#include "troupe/driver/dio.h"
#include "troupe/driver/position2d.h"
#include "troupe/driver/power.h"
#include "troupe/port.h"
#include "universal.h"
#include "universal/dialog.h"
#include "universal/host/files.h"
#include "universal/route_text.h"

enum { MOST_ANALOG = 16, MOST_DIGITAL = 32 };

/* What the devices publish. */
struct robotfile_data {
    float levels[MOST_ANALOG]; /* percent */
    uint32_t bits;
    float volts, percent;
    tp_position2d_data position;
};

/* A round of readings: analog inputs, digital inputs, battery. */
struct robotfile_round {
    bool is_busy;     /* a command runs */
    bool is_reading;  /* it is a reading */
    bool is_open;     /* the round is under way */
    bool is_mine;     /* an order of the device `universal` goes before the next reading */
    unsigned reading; /* the next one */
    int64_t next_ns;  /* when the next round begins */
};

struct robotfile {
    tp_instance *self;                     /* borrowed */
    tpi_loaded *loaded;                    /* owned */
    tpi_dialog *dialog;                    /* owned */
    tp_port *port;                         /* owned; NULL unless it runs */
    tp_device *wheels, *aio, *dio, *power; /* NULL for what is not offered */
    double max_speed, width;
    int64_t period_ns;

    int axis, battery; /* parts; -1 for none */
    unsigned analog_count, digital_count;
    int analog[MOST_ANALOG], digital[MOST_DIGITAL]; /* parts */

    struct robotfile_universal *universal; /* owned; NULL if it is not offered */
    struct robotfile_round round;
    bool wants_motion, has_failed;
    bool is_guarded;  /* the guard has the stop bytes of a robot that is set up */
    int64_t ready_ns; /* when the robot takes its first byte */
    unsigned silent;  /* commands in a row without an answer */
    int64_t reckoned_ns;
    double left, right; /* percent */
    struct robotfile_data data;
    char told[TPI_DIALOG_TEXT]; /* the last fault that was reported */
    tp_error err;               /* of the line */
};

/* Go on with what waits for the line; the failure of the line. */
tp_status tpi_robotfile_work(struct robotfile *r, tp_error *err);

/* The wheels turn with these percents from now on. */
void tpi_robotfile_reckon(struct robotfile *r, double left, double right);

/* Find the parts that are wheels, inputs and battery. */
void tpi_robotfile_sort_parts(struct robotfile *r);

#endif
