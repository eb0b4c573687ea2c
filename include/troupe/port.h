/*
 * port.h - lines to hardware: serial lines, sockets, and scripts that play the hardware in tests.
 *
 * A port belongs to a driver's instance and is used where the instance's operations run. It is
 * opened by URL, so that the same driver talks to a cable, to a serial server on the network, or to
 * a script:
 *
 *     serial:/dev/ttyUSB0?baud=57600     also parity=none|even|odd, bits=7|8, stop=1|2,
 *                                        flow=none|hardware|software; raw, 9600 8N1 without these
 *     /dev/ttyUSB0                       the same, with the driver's default speed
 *     tcp:HOST:PORT                      a serial server
 *     unix:PATH
 *     script:FILE                        a conversation: docs/reference/scripts.md
 *
 * Writing never waits for long: a line that takes nothing within a second is a failure. Reading
 * waits for a deadline of the instance's clock; with another clock than the real one, waiting for a
 * script takes no time, and a real line waits as long as the deadline is away. While an instance
 * runs, it should not wait for its line at all: tp_port_watch() has its `input` operation called
 * when bytes are there, so that a command never waits for a read to end. start may wait, to prove
 * that the hardware answers.
 */
#ifndef TROUPE_PORT_H
#define TROUPE_PORT_H

#include "troupe/driver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_port tp_port;

/* How a serial line is set unless its URL says otherwise. All zero is 9600 8N1. */
typedef struct tp_port_settings {
    unsigned baud;
    unsigned bits;
    unsigned stop_bits;
    char parity; /* 'n', 'e', 'o'; 0 for none */
    char flow;   /* 'h' hardware, 's' software; 0 for none */
} tp_port_settings;

/* Open a line; may wait (for a connection, at most until `deadline_ns` of the clock). From start.
 * Fails with the URL and the reason: "open /dev/ttyUSB0: permission denied (are you in the group
 * dialout?)". Only for drivers with a thread; an instance has at most 7 ports. */
TP_API tp_status tp_port_open(tp_port **out, tp_instance *self, const char *url,
                              const tp_port_settings *settings, int64_t deadline_ns, tp_error *err);

/* From stop, or from start if it fails. NULL is accepted. What is left open is closed with the
 * instance. */
TP_API void tp_port_close(tp_port *port);

TP_API const char *tp_port_url(const tp_port *port);

/* Change the speed of a serial line; others accept and ignore it. What was written before goes out
 * at the old speed. */
TP_API tp_status tp_port_set_baud(tp_port *port, unsigned baud, tp_error *err);

/* Read what is there, at most `size` bytes; waits for the first one until the deadline (0 does not
 * wait). TP_E_TIMEOUT if there is none, TP_E_CLOSED if the other side is gone or the server ends.
 */
TP_API tp_status tp_port_read(tp_port *port, void *bytes, size_t size, size_t *length,
                              int64_t deadline_ns, tp_error *err);

/* Read exactly `size` bytes. What has come is kept for the next call if it is not enough. */
TP_API tp_status tp_port_read_all(tp_port *port, void *bytes, size_t size, int64_t deadline_ns,
                                  tp_error *err);

/* Read up to and including the byte `end`; `length` counts it, and a NUL is put behind it.
 * TP_E_SPACE if it does not come within `size` - 1 bytes, which are dropped then. Otherwise as
 * tp_port_read_all(). */
TP_API tp_status tp_port_read_until(tp_port *port, char *text, size_t size, char end,
                                    size_t *length, int64_t deadline_ns, tp_error *err);

/* Drop what has come and was not read. */
TP_API void tp_port_drain(tp_port *port);

/* Write all of it. TP_E_TIMEOUT if the line takes nothing, TP_E_CLOSED if the other side is gone. A
 * formatted text has at most 1023 bytes. In a panic an instance that moves something writes nothing
 * but in its halt and stop: TP_E_DENIED. */
TP_API tp_status tp_port_write(tp_port *port, const void *bytes, size_t length, tp_error *err);
TP_API tp_status tp_port_printf(tp_port *port, tp_error *err, const char *format, ...)
    TP_PRINTF(3, 4);

/* Have these bytes written to the line if the server dies, in whatever way, by a process of its
 * own: whatever stops the robot, and before it whatever ends a command that was cut in the middle.
 * At most 1024; other ones can be told at any time, and count from then on; none ends it. They are
 * not written when the port is closed in order. The first call waits until the guard is there, at
 * most 5 seconds; later ones do not wait. What the configuration says (`guard`) goes before it. A
 * script has no use for a guard: accepted, and nothing is done. Fails if the guard cannot be
 * started; one that ends is started again by the framework. */
TP_API tp_status tp_port_guard(tp_port *port, const void *bytes, size_t length, tp_error *err);

/* Have the instance's `input` operation called whenever bytes have come, and once when the other
 * side is gone. It reads with a deadline of 0 until TP_E_TIMEOUT; what it leaves, half a line for
 * instance, is there when more has come. Off again with false. */
TP_API void tp_port_watch(tp_port *port, bool on);

#ifdef __cplusplus
}
#endif
#endif
