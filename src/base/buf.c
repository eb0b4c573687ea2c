/* buf.c - a growing buffer. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tpi_buf_fini(tpi_buf *buf)
{
    free(buf->data);
    *buf = (tpi_buf){0};
}

void tpi_buf_clear(tpi_buf *buf)
{
    buf->length = 0;
    buf->failed = false;
    if (buf->data != NULL) {
        buf->data[0] = '\0';
    }
}

char *tpi_buf_reserve(tpi_buf *buf, size_t extra)
{
    if (buf->failed) {
        return NULL;
    }
    if (extra >= SIZE_MAX / 2 - buf->length) {
        buf->failed = true;
        return NULL;
    }
    if (buf->length + extra + 1 > buf->capacity) {
        size_t wanted = (buf->length + extra + 1) * 2;
        if (wanted < 64) {
            wanted = 64;
        }
        char *data = realloc(buf->data, wanted);
        if (data == NULL) {
            buf->failed = true;
            return NULL;
        }
        buf->data = data;
        buf->data[buf->length] = '\0'; /* fresh memory may hold anything */
        buf->capacity = wanted;
    }
    return buf->data + buf->length;
}

void tpi_buf_put(tpi_buf *buf, const void *bytes, size_t length)
{
    char *at = tpi_buf_reserve(buf, length);

    if (at != NULL) {
        if (length > 0) {
            memcpy(at, bytes, length);
        }
        buf->length += length;
        buf->data[buf->length] = '\0';
    }
}

void tpi_buf_puts(tpi_buf *buf, const char *text)
{
    tpi_buf_put(buf, text, strlen(text));
}

void tpi_buf_putc(tpi_buf *buf, char c)
{
    if (!buf->failed && buf->length + 1 < buf->capacity) { /* mostly */
        buf->data[buf->length++] = c;
        buf->data[buf->length] = '\0';
        return;
    }
    tpi_buf_put(buf, &c, 1);
}

void tpi_buf_vprintf(tpi_buf *buf, const char *format, va_list args)
{
    va_list again;

    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);

    /* a text that cannot be printed has no size that could be reserved */
    char *at = tpi_buf_reserve(buf, length < 0 ? SIZE_MAX : (size_t)length);
    if (at != NULL) {
        vsnprintf(at, (size_t)length + 1, format, args);
        buf->length += (size_t)length;
    }
}

void tpi_buf_printf(tpi_buf *buf, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tpi_buf_vprintf(buf, format, args);
    va_end(args);
}

void tpi_buf_indent(tpi_buf *buf, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        tpi_buf_putc(buf, ' ');
    }
}

const char *tpi_buf_text(const tpi_buf *buf)
{
    return buf->failed || buf->data == NULL ? "" : buf->data;
}

tp_status tpi_buf_status(const tpi_buf *buf)
{
    return buf->failed ? TP_E_NOMEM : TP_OK;
}
