/*
 * play.h - one driver on a bench, with its first device open: what most tests of drivers need.
 *
 * Whatever goes wrong where it should not fails the test with the device's own sentence.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_PLAY_H
#define TROUPE_TESTS_CONFORMANCE_PLAY_H

#include "base/buf.h"
#include "conformance/bench.h"
#include "support/unit.h"

enum { PLAY_MOST_PLANS = 4 };

typedef struct play {
    bench b;
    bench_plan *plans[PLAY_MOST_PLANS]; /* owned */
    size_t plan_count;
    tp_device *device; /* the first one of the driver that was added last */
    bench_reader r;    /* of that device */
    bool is_open;
    tp_msg *answer; /* owned: the last one */
    char *script;   /* owned: the file of play_begin_script(); NULL if there is none */
} play;

/* An empty bench; add drivers, the one to play last, then open. */
play *play_create(void);
void play_add(play *p, const tp_driver *driver, const char *provides, const char *requires,
              const char *settings);
void play_open(play *p);
void play_close(play *p); /* and wait until it begins to stop; no message reaches it any more */
void play_destroy(play *p);

/* All of that for a driver that uses no other. */
play *play_begin(const tp_driver *driver, const char *provides, const char *settings);

/* The same for a driver with a line that a script plays: `parameter` names the line, `text`
 * (disposed) is the script. The file is removed at the end. */
play *play_begin_script(const tp_driver *driver, const char *provides, const char *parameter,
                        tpi_buf *text, const char *more_settings);

/* Adding this driver fails with this sentence. */
void play_assert_not_added(const tp_driver *driver, const char *provides, const char *requires,
                           const char *settings, const char *why);

void play_command(play *p, unsigned code, const void *ask);
void play_request(play *p, unsigned code, const void *ask);

/* A request's answer; it stays until the next one. */
const void *play_get(play *p, unsigned code, const void *ask);

/* Let time pass, then look at what the device sends. */
const void *play_after(play *p, double seconds, unsigned code);

/* Let time pass, and what is due happen: the answers come behind all that came before. */
void play_pass(play *p, double seconds);

/* The newest data with this code, without waiting; NULL if there was none. */
const void *play_last(const play *p, unsigned code);

/* The same; lets time pass until there is some. */
const void *play_await(play *p, unsigned code);

/* A call on this bench failed with this sentence. */
void play_assert_refused(const play *p, tp_status status, const char *why);
#define play_assert_request_refused(p, code, ask, why)                                             \
    play_assert_refused(p, bench_request(&(p)->b, (p)->device, code, ask, NULL), why)
#define play_assert_command_refused(p, code, ask, why)                                             \
    play_assert_refused(p, bench_command(&(p)->b, (p)->device, code, ask), why)

/* What the device says of its failure; waits for it. */
const char *play_await_failure(play *p);

/* Within a millionth. */
void play_assert_near(double a, double b);
void play_assert_between(double value, double low, double high);
void play_assert_pose(const tp_pose2d *pose, double x, double y, double a);

/* A literal where a message has a pointer that nobody writes through. */
static inline char *play_chars(const char *text)
{
    return (char *)(uintptr_t)text;
}

#endif
