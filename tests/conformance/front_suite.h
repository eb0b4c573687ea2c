/*
 * front_suite.h - what every front has to pass, by being listed.
 *
 * The suite opens the front without a server, on a bench with one motor, and talks to it through
 * plain sockets on the same thread. The clock stands still unless a case moves it. What the bytes
 * of a protocol are, a small adapter says.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_FRONT_SUITE_H
#define TROUPE_TESTS_CONFORMANCE_FRONT_SUITE_H

#include "base/buf.h"
#include "session/front.h"

struct front_scene;

/* What a message of the front to a client is. */
typedef enum suite_answer {
    SUITE_NONE, /* there is no whole message yet */
    SUITE_DATA,
    SUITE_REPLY, /* to a request, also one that opens a device */
    SUITE_REFUSAL,
    SUITE_OTHER,
} suite_answer;

typedef struct suite_front {
    const tp_front *front;
    size_t greeting;         /* bytes that come before the first message */
    const char *bad_name;    /* a setting that open refuses; NULL if the front has none */
    const char *bad_text;    /* its value */
    double bad_number;       /* the same */
    const char *bad_message; /* the error that it gives */

    /* A device that the front serves besides position2d:0, which moves the same motor; NULL for
     * none. */
    const tp_driver *behind;
    const char *behind_provides;

    bool has_no_data; /* the front sends nothing that was not asked for */

    /* Data for all clients; NULL: of position2d:0. And how much of it the client with this name has
     * missed; NULL: what its session has dropped. */
    void (*publish)(struct front_scene *s);
    uint64_t (*missed)(const struct front_scene *s, const char *name);

    /* Append the bytes of a message about the device (position2d:0 of robot 6665): open it, command
     * a speed in m/s, ask it something; and those that raise a panic. */
    void (*put_open)(tpi_buf *out);
    void (*put_command)(tpi_buf *out, double speed);
    void (*put_request)(tpi_buf *out);
    void (*put_panic)(tpi_buf *out);

    /* Bytes, without an end, that the front must not keep. */
    void (*put_huge)(tpi_buf *out);

    /* The length of the first message in what came, and what it is. */
    size_t (*next)(const char *bytes, size_t length, suite_answer *what);
} suite_front;

/* Run all cases for all fronts; the result of main(). Every front of the kit has to be listed. */
int front_suite_run(const suite_front *fronts, size_t count);

#endif
