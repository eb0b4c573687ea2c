/* example.h - what a message looks like on the command line, made from its descriptor. */
#ifndef TROUPE_APPS_EXAMPLE_H
#define TROUPE_APPS_EXAMPLE_H

#include "base/buf.h"
#include "troupe/padi.h"

/* Append an example of the struct as one line of JSON that `tp_value_from_json()` reads: numbers
 * are 0, yes-or-no is true, an enum is its first name, an array has one element. What `asks` has no
 * members that are for an answer. */
void example_put(tpi_buf *out, const tp_struct *type, bool asks);

/* Append all messages of a kind, each with its sentence and a command line to copy:
 * "troupe COMMAND DEVICE MESSAGE 'JSON'", with the program as in called.h. `url` is the server that
 * the interface was read from, NULL for an interface that every program knows; only a
 * server outside of this program describes it once more. */
void example_put_messages(tpi_buf *out, const tp_interface *interface, tp_kind kind,
                          const char *command, const char *device, const char *url);

#endif
