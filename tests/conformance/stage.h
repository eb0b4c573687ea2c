/*
 * stage.h - one device and the clients around it, for tests of who may do what with it; and a motor
 * that counts, for tests of what stops it.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_STAGE_H
#define TROUPE_TESTS_CONFORMANCE_STAGE_H

#include <stdatomic.h>

#include "conformance/visit.h"

enum { STAGE_CLIENTS = 3 };

struct stage {
    bench b;
    bench_plan *plan;                    /* owned */
    tp_device *device;                   /* borrowed: position2d:0 of the driver */
    tp_session *sessions[STAGE_CLIENTS]; /* owned; NULL for those who are not there */
    visit visit;
    tp_error err; /* for the test's use */
};

/* A hub with the one driver, and nobody there yet; the motor is as new. */
void stage_begin(struct stage *s, const tp_driver *driver);
void stage_end(struct stage *s);

/* For cmocka: a stage with the clients anna and berta, who have the device open; and its end. */
int stage_set_up(void **state, const tp_driver *driver);
int stage_tear_down(void **state);

/* A client comes and opens the device; `name` may be NULL. */
tp_status stage_enter(struct stage *s, unsigned who, const char *name);

/* ---- The motor ------------------------------------------------------------------------------- */

struct motor {
    atomic_int speed; /* mm/s */
    atomic_int commands;
    atomic_int halts;
    atomic_int how, reason; /* it was halted last */
    /* The test's; NULL for nothing. What is done with a velocity first, which is driven if that is
     * TP_OK; and when it is asked for its geometry. Where the motor runs. */
    tp_status (*consider)(tp_device *device, double speed_mps, tp_error *err);
    void (*asked)(void);
};

extern struct motor motor;

/* It is the same on a thread of its own and on the loop. */
extern const tp_driver motor_threaded;
extern const tp_driver motor_on_loop;

/* A test of both: two functions for cmocka from one that takes the driver. */
#define ON_BOTH(name)                                                                              \
    static void name##_on_a_thread(void **state)                                                   \
    {                                                                                              \
        (void)state;                                                                               \
        name(&motor_threaded);                                                                     \
    }                                                                                              \
    static void name##_on_the_loop(void **state)                                                   \
    {                                                                                              \
        (void)state;                                                                               \
        name(&motor_on_loop);                                                                      \
    }

#endif
