/*
 * text.h - the text format of Player's drivers writelog and readlog.
 *
 * A line is a message: time, host, robot, interface, index, type, subtype, then the numbers of the
 * message in an order that each message has of its own. Type 1 is data, type 4 the answer to a
 * request. Lines with '#' in front are comments. Numbers have few digits, so a message that was
 * written and read again is not the same.
 */
#ifndef TROUPE_LOG_TEXT_H
#define TROUPE_LOG_TEXT_H

#include "base/buf.h"
#include "troupe/padi.h"

/* The head of a line. */
typedef struct tpi_log_text {
    uint64_t time_ns;
    const tp_interface *interface; /* borrowed from the catalogue */
    const tp_message *what;        /* data, or a request, of which the line has the answer */
    unsigned robot, index;
} tpi_log_text;

/* What a file begins with: comments, as Player writes them. */
void tpi_log_text_begin(tpi_buf *out);

/* Whether the format has this message. */
bool tpi_log_text_has(const tp_interface *interface, const tp_message *what);

/* Append a line. TP_E_UNSUPPORTED if the format has no such message. */
tp_status tpi_log_text_write(tpi_buf *out, const tpi_log_text *head, const void *value,
                             tp_error *err);

/* Read a line. `value` is one block, to free(). TP_E_CLOSED for a comment or an empty line,
 * TP_E_UNSUPPORTED for a message that is not known, TP_E_SYNTAX with the number of the word. */
tp_status tpi_log_text_read(tpi_log_text *head, const char *line, const tp_catalogue *catalogue,
                            void **value, tp_error *err);

#endif
