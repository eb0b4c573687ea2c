/* chunks.c - the body of a request in chunks (Transfer-Encoding: chunked); see http.h. */
#include <string.h>

#include "web/http.h"

enum { MORE = 0, WHOLE = 1, BAD = 400, TOO_LONG = 413, LONGEST_LINE = 128 };

/* The line that begins at `*at`, without its CR LF. */
static int take_line(const char *bytes, size_t length, size_t *at, tpi_span *line)
{
    const size_t left = length - *at;
    const size_t most = left < LONGEST_LINE ? left : LONGEST_LINE;
    const char *end = most > 0 ? memchr(bytes + *at, '\n', most) : NULL;

    if (end == NULL) {
        return left < LONGEST_LINE ? MORE : BAD;
    }
    *line = (tpi_span){bytes + *at, (size_t)(end - bytes) - *at};
    if (line->length == 0 || line->text[line->length - 1] != '\r') {
        return BAD;
    }
    line->length--;
    *at = (size_t)(end - bytes) + 1;
    return WHOLE;
}

/* A length in hexadecimal digits; what follows a semicolon means nothing. */
static int read_size(tpi_span line, size_t *out)
{
    size_t i = 0;

    *out = 0;
    for (; i < line.length && line.text[i] != ';' && line.text[i] != ' '; i++) {
        const char c = line.text[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            return BAD;
        }
        *out = *out * 16 + (size_t)digit;
        if (*out > TPI_HTTP_CHUNKED) {
            return TOO_LONG;
        }
    }
    return i == 0 ? BAD : WHOLE;
}

int tpi_http_chunks(tpi_buf *out, const char *bytes, size_t length, size_t *used)
{
    size_t at = 0, size = 0;
    tpi_span line = {NULL, 0};

    for (unsigned chunks = 0; chunks < TPI_HTTP_CHUNKS; chunks++) {
        int status = take_line(bytes, length, &at, &line);
        status = status == WHOLE ? read_size(line, &size) : status;
        if (status != WHOLE) {
            return status;
        }
        if (size == 0) { /* the last one; fields behind it are none of ours */
            status = take_line(bytes, length, &at, &line);
            *used = at;
            return status == WHOLE && line.length > 0 ? BAD : status;
        }
        if (out->length + size > TPI_HTTP_CHUNKED) {
            return TOO_LONG;
        }
        if (length - at < size + 2) {
            return MORE;
        }
        if (bytes[at + size] != '\r' || bytes[at + size + 1] != '\n') {
            return BAD;
        }
        tpi_buf_put(out, bytes + at, size);
        at += size + 2;
    }
    return TOO_LONG;
}
