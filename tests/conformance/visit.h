/* visit.h - clients as a front makes them, for tests of what devices do with several. */
#ifndef TROUPE_TESTS_CONFORMANCE_VISIT_H
#define TROUPE_TESTS_CONFORMANCE_VISIT_H

#include "conformance/bench.h"
#include "session/session.h"

/* What the clients of one test share. */
typedef struct visit {
    bench *b; /* borrowed */
    bool opened;
    tp_error refusal; /* of the last opening; its code is TP_OK if there was none */
    unsigned lost;    /* how often a client was to be given up */
} visit;

/* A client that is told of failures; `name` may be NULL. To be destroyed before the hub. */
tp_session *visit_begin(visit *v, const char *name);

/* Open a device and wait until that is settled. */
tp_status visit_open(visit *v, tp_session *session, tp_device *device, unsigned access);

/* Send a message of the device's interface, or a common one, as a front does; `seq` of a command is
 * for how many milliseconds it is valid. */
tp_status visit_send(tp_session *session, tp_device *device, tp_kind kind, unsigned code,
                     const void *value, uint32_t seq, tp_error *err);

/* A velocity for a position2d. */
tp_status visit_drive(tp_session *session, tp_device *device, double speed, tp_error *err);

#endif
