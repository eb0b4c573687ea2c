/*
 * numbers.h - what the small drivers of this folder share: parameters that are numbers, devices
 * that are offered if they are wanted, check sums, and lines to hardware that reports by itself.
 */
#ifndef CLASSIC_NUMBERS_H
#define CLASSIC_NUMBERS_H

#include "troupe/driver.h"
#include "troupe/port.h"

/* A parameter that is a number between two others. */
struct classic_number {
    const char *name;
    double low, high;
    double *out;
};

/* Read them all; an error names the parameter and its limits. */
tp_status tpi_classic_numbers(tp_instance *self, const struct classic_number *numbers, size_t count,
                              tp_error *err);

/* A device that the driver can offer. */
struct classic_offer {
    const tp_interface *interface;
    const char *key; /* NULL for any */
    const void *ops; /* the table of its interface */
    tp_device **out; /* NULL stays there if it is not offered */
};

/* Offer those that `provides` names. */
tp_status tpi_classic_offer(tp_instance *self, const struct classic_offer *offers, size_t count,
                            tp_error *err);

/* Check sums of packets: the sum of all bytes, and all bytes joined by exclusive or. */
uint8_t tpi_classic_sum(const uint8_t *bytes, size_t length);
uint8_t tpi_classic_xor(const uint8_t *bytes, size_t length);

/* The time of the instance. */
int64_t tpi_classic_now_ns(const tp_instance *self);

/* Open the line of the parameter `port`; a serial one has 8 bits and one stop bit. */
tp_status tpi_classic_open(tp_port **port, tp_instance *self, double baud, tp_error *err);

/* The same with other settings. */
tp_status tpi_classic_open_with(tp_port **port, tp_instance *self, const tp_port_settings *settings,
                                tp_error *err);

/* Fail if nothing was heard for so many seconds. */
tp_status tpi_classic_check(const tp_instance *self, int64_t heard_ns, double timeout_s,
                            const char *what, tp_error *err);

#endif
