/*
 * buf.h - a growing buffer of bytes or text.
 *
 * Failure is sticky: after memory runs out every call is a no-op and `failed` stays set, so a
 * writer of many pieces checks once, at the end. The contents are always followed by a NUL that
 * `length` does not count, so that text can be used as it is.
 */
#ifndef TROUPE_BASE_BUF_H
#define TROUPE_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "troupe/status.h"

typedef struct tpi_buf {
    char *data; /* owned; NULL until something was put */
    size_t length;
    size_t capacity;
    bool failed;
} tpi_buf;

/* An all-zero tpi_buf is empty and ready. */
void tpi_buf_fini(tpi_buf *buf);

/* Empty it, keep its memory, forget a failure. */
void tpi_buf_clear(tpi_buf *buf);

void tpi_buf_put(tpi_buf *buf, const void *bytes, size_t length);
void tpi_buf_puts(tpi_buf *buf, const char *text);
void tpi_buf_putc(tpi_buf *buf, char c);
void tpi_buf_printf(tpi_buf *buf, const char *format, ...) TP_PRINTF(2, 3);
void tpi_buf_vprintf(tpi_buf *buf, const char *format, va_list args) TP_PRINTF(2, 0);

/* Put `n` blanks. */
void tpi_buf_indent(tpi_buf *buf, size_t n);

/* The text so far; "" for an empty or failed buffer. Borrowed until the next call. */
const char *tpi_buf_text(const tpi_buf *buf);

/* TP_OK, or TP_E_NOMEM once anything failed. */
tp_status tpi_buf_status(const tpi_buf *buf);

/* Room for `extra` more bytes and a NUL; the place to write them, NULL on failure. */
char *tpi_buf_reserve(tpi_buf *buf, size_t extra);

#endif
