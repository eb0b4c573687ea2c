/*
 * phidget.h - what the drivers of Phidgets share: boards on USB that send and take reports.
 */
#ifndef DRIVERS_PHIDGET_H
#define DRIVERS_PHIDGET_H

#include "troupe/driver/dio.h"
#include "troupe/port.h"

enum { PHIDGET_REPORT = 8, PHIDGET_LARGEST = 64 }; /* bytes of a report: one or the other */

/* A report of the board: of PHIDGET_REPORT or of PHIDGET_LARGEST bytes. */
typedef void phidget_take(tp_instance *self, const uint8_t *report, size_t length);

/* The time of the instance. */
int64_t tpi_phidget_now_ns(const tp_instance *self);

/* The parameter `samplingrate`: milliseconds between messages. */
tp_status tpi_phidget_period(tp_instance *self, double *out, tp_error *err);

/* Open the line that a parameter names. */
tp_status tpi_phidget_open(tp_port **port, tp_instance *self, const char *parameter, tp_error *err);

/* Take all reports that have arrived; what is shorter than one is dropped. */
tp_status tpi_phidget_hear(tp_instance *self, tp_port *port, phidget_take *take, tp_error *err);

/* `outputs` after a command for the first `count` of them. */
uint8_t tpi_phidget_bits(uint8_t outputs, const tp_dio_cmd *ask);

#endif
