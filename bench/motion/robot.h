/*
 * robot.h - a server with a robot of 30 joints on three devices that note when they are written.
 *
 * Each device is an actarray of ten joints. Frame k of a run moves all joints to k * STEP in one
 * period, so that the write at its instant has the position of frame k - 1: from the value a device
 * knows which frame it is, and when it was due.
 */
#ifndef TROUPE_BENCH_MOTION_ROBOT_H
#define TROUPE_BENCH_MOTION_ROBOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/spread.h"
#include "troupe/server.h"

enum { DEVICES = 3, JOINTS = 30, MOST_FRAMES = 16384 };
#define STEP 0.001 /* rad */

/* What the devices note; read while no run is under way. */
struct noted {
    atomic_llong written_ns[DEVICES][MOST_FRAMES]; /* when each frame was written; 0: never */
    atomic_uint writes[DEVICES];                   /* in the run */
    atomic_llong halted_ns;                        /* the first halt of the panic; 0: none */
    atomic_uint halted,
        lifted; /* the number of the last panic: that halted a device, that is over */
    atomic_llong last_write_ns;
    atomic_uint stopped[DEVICES]; /* the number of the last panic that halted this device */
    atomic_uint late_writes;      /* at a device that a panic has halted, before its reset */
    atomic_uint in_flight; /* after the first halt, at a device whose own halt was yet to come */
    atomic_llong in_flight_ns; /* the longest time of these after the first halt */
    atomic_uint epochs;        /* panics that a device has halted for */
};

extern struct noted noted;

/* Start the server on a thread; frames follow each other every `frame_us`. Returns the port of the
 * motion front. */
unsigned robot_begin(unsigned frame_us);

extern unsigned robot_frame_us;
extern unsigned robot_realtime; /* priority of the threads that write; 0: none */
extern bool robot_patient;      /* leases of a minute: a busy machine ends nothing */
void robot_end(void);

/* Forget what was noted. */
void robot_forget(void);

int64_t robot_now_ns(void);

#endif
