/*
 * print_scan.h - which data messages are scans, and their pictures.
 *
 * Some devices send ranges without their angles. These are asked for once, when the device is
 * opened.
 */
#ifndef TROUPE_APPS_PRINT_SCAN_H
#define TROUPE_APPS_PRINT_SCAN_H

#include "scan_picture.h"
#include "troupe/client.h"

/* What is known about the device; all zero if nothing is. */
struct print_scan {
    double first, step; /* rad; of a scanning beam */
    double longest;     /* m */
    double *yaws;       /* owned: of single sensors, rad */
    uint32_t yaw_count;
};

/* Whether the device sends ranges without angles. */
bool print_scan_asks(const tp_interface *interface);

/* Ask for them; waits. What the device does not answer is not known. */
void print_scan_ask(struct print_scan *about, tp_proxy *proxy);
void print_scan_fini(struct print_scan *about);

/* The room that a message has below its head, if so many of them are on a terminal and so many
 * lines are something else; elsewhere as much as on an usual terminal. */
struct scan_room print_scan_room(bool live, size_t messages, size_t others);

/* Append a picture of the message; false if it is no scan. */
bool print_scan_put(tpi_buf *out, const struct print_scan *about, const tp_msg *msg,
                    const struct scan_room *room);

#endif
