/*
 * lines.h - lines, opened and read by tests of their schemes.
 */
#ifndef TROUPE_TESTS_LINES_H
#define TROUPE_TESTS_LINES_H

#include <poll.h>

#include "platform/line.h"
#include "support/unit.h"

static inline tp_status line_open(const tp_scheme *scheme, tpi_line **line, const char *rest,
                                  tp_error *err)
{
    const tpi_line_options plan = {.url = rest, .rest = rest, .folder = ""};

    return scheme->open(line, &plan, err);
}

/* Read until so many bytes are there. */
static inline void line_read_all(tpi_line *line, char *bytes, size_t wanted)
{
    size_t have = 0, length = 0;

    while (have < wanted) {
        struct pollfd polled = {.fd = line->fd, .events = POLLIN};
        assert_true(poll(&polled, 1, -1) > 0);
        assert_int_equal(line->ops->read(line, bytes + have, wanted - have, &length, NULL), TP_OK);
        have += length;
    }
    bytes[have] = '\0';
}

static inline void line_fails(const tp_scheme *scheme, const char *rest, const char *why)
{
    tpi_line *line = NULL;
    tp_error err = {0};

    assert_true(line_open(scheme, &line, rest, &err) != TP_OK);
    assert_string_equal(err.text, why);
}

#endif
