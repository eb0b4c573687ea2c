/*
 * puppet.h - a driver whose devices do what the test says, for tests of drivers that use others.
 *
 * A puppet takes every command and remembers it, answers the requests that the test has given it an
 * answer for and refuses all others, and sends what it is told to. Runs on the loop.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_PUPPET_H
#define TROUPE_TESTS_CONFORMANCE_PUPPET_H

#include "conformance/play.h"

extern const tp_driver puppet_driver; /* offers whatever `provides` lists */

/* What a puppet was told. */
typedef struct puppet {
    tp_device *device;        /* borrowed */
    uint32_t commands[256];   /* by code */
    void *last[256];          /* owned: the newest command by code */
    uint32_t requests[256];   /* by code */
    const void *answers[256]; /* borrowed from the test: by code; NULL is refused */
    uint32_t halts;           /* how often it was halted */
    bool agrees[256];         /* to requests that are answered without a body */
    const char *stubborn;     /* borrowed: why it refuses all commands; NULL if it does not */
} puppet;

/* The puppet at an address; fails the test if there is none. */
puppet *puppet_at(const bench *b, const char *address);

/* Send data, and let everybody hear it. */
void puppet_send(bench *b, const char *address, unsigned code, const void *value);

/* Send data and wait for what a reader then gets of the driver in between. */
const void *puppet_await(bench_reader *r, const char *address, unsigned code, const void *value,
                         unsigned awaited);

/* Let time pass, and what is due happen. */
void puppet_wait(bench *b, double seconds);

/* The newest command with this code; fails the test if there was none. */
const void *puppet_last(const bench *b, const char *address, unsigned code);

#endif
