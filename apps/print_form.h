/* print_form.h - data messages as records: for people, on a line, as JSON, as bytes. */
#ifndef TROUPE_APPS_PRINT_FORM_H
#define TROUPE_APPS_PRINT_FORM_H

#include "base/buf.h"
#include "troupe/msg.h"

typedef enum print_form {
    PRINT_HUMAN,
    PRINT_PICTURE, /* of scans; all else as PRINT_HUMAN */
    PRINT_LINE,
    PRINT_JSON,
    PRINT_HEX
} print_form;

/* The form that an option asks for; false if it is none. */
bool print_form_named(const char *option, print_form *form);

/* Append one whole record with its line ends. `units` (NULL for those of the interface) are what
 * values in volts are really in: Player has no other analogue values. For people only. */
void print_form_record(tpi_buf *out, print_form form, const tp_catalogue *catalogue,
                       const char *device, const char *units, const tp_msg *msg);

/* The parts of a record for people: name and time without a line end, and the indented body. */
void print_form_head(tpi_buf *out, const tp_catalogue *catalogue, const tp_msg *msg);
void print_form_body(tpi_buf *out, const char *units, const tp_msg *msg);

#endif
