/*
 * bench.h - a hub with drivers, for tests: opens devices, asks them, waits for what they send.
 *
 * The clock stands still unless the test moves it, and nothing here sleeps: the loop turns until
 * what was waited for has happened. While a test waits for data, drivers with a thread of their own
 * poll all the time, due or not; those on the loop poll when the clock has been moved.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_BENCH_H
#define TROUPE_TESTS_CONFORMANCE_BENCH_H

#include <stdatomic.h>

#include "device/hub.h"
#include "troupe/driver.h"

enum { BENCH_ROBOT = 6665, BENCH_MOST_POLLED = 8 };

/* A poll that an instance is asked for. */
typedef struct bench_poll bench_poll;

/* A way to an instance and back. */
typedef struct bench_errand bench_errand;

typedef struct bench {
    tp_clock clock;
    atomic_llong now_ns;
    tp_loop *loop;
    tp_catalogue *catalogue;
    tpi_hub *hub;
    tp_error err;          /* of the last call that failed */
    bench_poll *polls;     /* owned array */
    bench_errand *errands; /* owned array */
} bench;

/* Fails the test if it cannot be made. */
void bench_init(bench *b);
void bench_fini(bench *b);

void bench_move_clock(bench *b, double by_s);

/* Wait until the thread of a device has done all that waits for it at this time, and its messages
 * have arrived. Returns false as soon as `hangs` (may be NULL) is true: then it does nothing more.
 */
bool bench_settle(bench *b, const tp_device *device, const atomic_bool *hangs);

/* ---- Drivers --------------------------------------------------------------------------------- */

/* A driver section as short texts: "position2d:0 front@laser:1" (a key before the @) and
 * "rate=1000 size=1,2,3". NULL is empty. */
typedef struct bench_section {
    const tp_driver *driver;
    const char *provides;
    const char *requires;
    const char *settings;
} bench_section;

/* The same as the hub wants it; `shift` is added to every index. To be freed after the hub. */
typedef struct bench_plan bench_plan;
bench_plan *bench_plan_create(const tp_catalogue *catalogue, const bench_section *section,
                              unsigned shift);
void bench_plan_destroy(bench_plan *plan);
const tpi_blueprint *bench_plan_blueprint(const bench_plan *plan);

/* The device at "laser:1"; NULL if there is none. */
tp_device *bench_find(const bench *b, const char *address);

/* ---- Readers --------------------------------------------------------------------------------- */

typedef struct bench_reader {
    tpi_reader reader;
    tpi_opening opening;
    bench *b;
    bool settled;
    tp_status status;
    uint32_t counts[256]; /* messages by code */
    tp_msg *last[256];    /* owned; the newest by code */
} bench_reader;

/* Open a device and wait until that is settled. Close with bench_close(), opened or not. */
tp_status bench_open(bench *b, bench_reader *r, tp_device *device);
void bench_close(bench_reader *r);

/* Wait for the next data message with this code, and return its payload. Borrowed until the next
 * one comes. */
const void *bench_await(bench_reader *r, unsigned code);

/* The same after the clock has moved on. It moves between two operations of the driver, so that
 * nothing that the driver does just now takes too long by this. */
const void *bench_await_later(bench_reader *r, double by_s, unsigned code);

/* The same while the clock moves on in small steps: of a device that makes up for no gap. */
const void *bench_await_by_and_by(bench_reader *r, unsigned code);

/* The next, but what the device sent after it had done all that it was asked before this call. */
const void *bench_await_fresh(bench_reader *r, unsigned code);

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Send a command or request and wait for its end. `answer` (may be NULL) gets a reference. */
tp_status bench_call(bench *b, tp_device *device, const tp_message *what, const void *ask,
                     tp_msg **answer);

/* By code: one of the interface, or a common one. */
tp_status bench_command(bench *b, tp_device *device, unsigned code, const void *ask);
tp_status bench_request(bench *b, tp_device *device, unsigned code, const void *ask,
                        tp_msg **answer);

#endif
