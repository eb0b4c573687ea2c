/*
 * port.h - lines to hardware: serial lines, sockets, HID devices, and scripts that stand in for
 * hardware in tests.
 *
 * A port belongs to an instance of a driver and is used where the instance's operations run. It is
 * opened by URL, so that the same driver talks to a serial line, to a serial server on the network,
 * or to a script:
 *
 *     serial:/dev/ttyUSB0?baud=57600     also parity=none|even|odd, bits=7|8, stop=1|2,
 *                                        flow=none|hardware|software; the default is raw, 9600 8N1
 *     /dev/ttyUSB0                       the same, with the driver's default speed
 *     tcp:HOST:PORT                      a serial server
 *     unix:PATH
 *     udp:HOST:PORT                      packets: each write and each read is one
 *     file:/dev/input/js0                a device that is no serial line, or a pipe with a name
 *     video:/dev/video0?width=640&height=480&format=yuyv   pictures of a camera
 *     run:PROGRAM ARGUMENTS              a program: its input and output
 *     hid:/dev/hidraw0                   a USB-HID device: each write and each read is one report
 *     hid:2354:1111                      the same, by vendor and product
 *     can:can0                           a CAN bus: each write and each read is one frame of 16
 *                                        bytes: identifier (4, lowest first), length, 3 zeros, 8
 *                                        of data
 *     script:FILE                        a conversation: docs/reference/scripts.md
 *     emulate:nxt?world=classroom        an emulated robot: docs/guide/emulators.md
 *     sensor:nxt_light?wave=1=sine       an emulated sensor: docs/guide/sensors.md
 *
 * A write waits at most one second; a line that takes nothing in that time has failed. A read waits
 * until a deadline of the instance's clock. With a simulated clock, waiting for a script takes no
 * time; a real line waits for the real duration. A running instance should not wait for its line:
 * after tp_port_watch() its `input` operation is called when bytes arrive, so that a command never
 * waits for a read. `start` may wait, to prove that the hardware answers.
 */
#ifndef TROUPE_PORT_H
#define TROUPE_PORT_H

#include "troupe/driver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_port tp_port;

/* Settings of a serial line. Those in the URL override them. All zero is 9600 8N1. */
typedef struct tp_port_settings {
    unsigned baud;
    unsigned bits;
    unsigned stop_bits;
    char parity; /* 'n', 'e', 'o'; 0 for none */
    char flow;   /* 'h' hardware, 's' software; 0 for none */
} tp_port_settings;

/* Open a line. May wait for a connection, at most until `deadline_ns` of the clock. Call it from
 * `start`. The error has the URL and the reason: "open /dev/ttyUSB0: permission denied (are you in
 * the group dialout?)". Only for drivers with a thread. An instance has at most 7 ports. */
TP_API tp_status tp_port_open(tp_port **out, tp_instance *self, const char *url,
                              const tp_port_settings *settings, int64_t deadline_ns, tp_error *err);

/* Close a line. Call it from `stop`, or from a `start` that fails. Ports that are left open are
 * closed with the instance. NULL is accepted. */
TP_API void tp_port_close(tp_port *port);

/* The URL that the port was opened with. Borrowed. */
TP_API const char *tp_port_url(const tp_port *port);

/* Change the speed of a serial line. Other lines ignore it. Bytes that were written before go out
 * at the old speed. */
TP_API tp_status tp_port_set_baud(tp_port *port, unsigned baud, tp_error *err);

/* Read the bytes that have arrived, at most `size`. Waits for the first byte until the deadline; 0
 * does not wait. TP_E_TIMEOUT if no byte arrives in time; TP_E_CLOSED if the other side has closed
 * the line or the server ends. */
TP_API tp_status tp_port_read(tp_port *port, void *bytes, size_t size, size_t *length,
                              int64_t deadline_ns, tp_error *err);

/* Read exactly `size` bytes. If fewer arrive in time, they are kept for the next call. Fails as
 * tp_port_read(). */
TP_API tp_status tp_port_read_all(tp_port *port, void *bytes, size_t size, int64_t deadline_ns,
                                  tp_error *err);

/* Read up to and including the byte `end`. `length` counts that byte; a NUL follows it in `text`.
 * TP_E_SPACE if `end` is not among the first `size` - 1 bytes, which are dropped then. Otherwise as
 * tp_port_read_all(). */
TP_API tp_status tp_port_read_until(tp_port *port, char *text, size_t size, char end,
                                    size_t *length, int64_t deadline_ns, tp_error *err);

/* Drop the bytes that have arrived and were not read. */
TP_API void tp_port_drain(tp_port *port);

/* Write all bytes. TP_E_TIMEOUT if the line takes nothing for a second; TP_E_CLOSED if the other
 * side has closed the line. If the instance offers a device that moves and the call does not come
 * from its `halt` or `stop`: TP_E_DENIED during a panic, and when the lease of what moves has ended
 * while an operation went on. */
TP_API tp_status tp_port_write(tp_port *port, const void *bytes, size_t length, tp_error *err);

/* Format a text of at most 1023 bytes and write it as tp_port_write() does. */
TP_API tp_status tp_port_printf(tp_port *port, tp_error *err, const char *format, ...)
    TP_PRINTF(3, 4);

/* Set the stop bytes of the line. A separate process, the guard, writes them to the line if the
 * server dies for any reason. They begin with whatever ends a half-written command, and then stop
 * the robot. At most 1024 bytes. A later call replaces them; a length of 0 ends the guard. They are
 * not written when the port is closed normally. When the instance has failed, they are the first
 * bytes that are written when the line with this URL is opened again. The first call waits until
 * the guard runs, at most 5 seconds; later calls do not wait. The configuration's `guard` overrides
 * these bytes. A script has no guard, and is stopped as other lines when it is opened again. Fails
 * if the guard cannot be started. The framework restarts a guard that ends. */
TP_API tp_status tp_port_guard(tp_port *port, const void *bytes, size_t length, tp_error *err);

/* Call the instance's `input` operation whenever bytes arrive, and once when the other side closes
 * the line. `input` reads with a deadline of 0 until TP_E_TIMEOUT. Bytes that it does not take,
 * such as half a line, are still there at the next call. `on` false switches the calls off. */
TP_API void tp_port_watch(tp_port *port, bool on);

#ifdef __cplusplus
}
#endif
#endif
