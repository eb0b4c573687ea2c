/*
 * driver_suite.h - what every driver has to pass, by being listed.
 *
 * The suite makes instances of the driver, on devices of `fake` if it uses any, and looks from
 * outside: everything required is there, everything asked is answered, nothing is left behind.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_DRIVER_SUITE_H
#define TROUPE_TESTS_CONFORMANCE_DRIVER_SUITE_H

#include "conformance/bench.h"

typedef struct suite_driver {
    bench_section section;
    const char *behind;        /* devices of `fake` that it uses, as in `provides`; NULL for none */
    const char *behind_driver; /* another driver than `fake` for these; NULL for none */
    const char *behind_settings; /* the same */
    const char *foreign;         /* an address that it cannot offer; NULL if it offers anything */
    const char *const *bad_settings; /* each is refused; ended by NULL, may be NULL */
    const char *quiet;     /* interfaces whose data comes only on demand, as words; NULL for none */
    bool waits_for_others; /* it answers when the devices behind it have sent something */
    bool follows_clock;    /* what it does takes time, and it makes up for no gap */
    bool refuses_requests; /* by design: every one, and data need not be what is required */
    bool stays_on;         /* by design: it runs without users, too */
} suite_driver;

/* Run all cases for all drivers; the result of main(). Every built-in driver has to be listed, but
 * for those that are `hidden`: not made by a section of their own. */
int driver_suite_run(const suite_driver *drivers, size_t count, const char *const *hidden);

#endif
