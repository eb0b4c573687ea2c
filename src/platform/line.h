/*
 * line.h - a line to hardware as a port sees it: bytes in, bytes out, without waiting.
 *
 * The scheme of a URL chooses what kind of line it is. Most kinds have a descriptor to wait for; a
 * script has none and says by the clock when it has something to read. Which kinds there are is
 * handed in (tp_kit), so that a program without sockets contains none.
 */
#ifndef TROUPE_PLATFORM_LINE_H
#define TROUPE_PLATFORM_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "troupe/clock.h"

typedef struct tpi_line tpi_line;

typedef struct tpi_line_ops {
    /* What is there, at most `size` bytes; 0 of them if there is nothing now. TP_E_CLOSED if the
     * other side is gone. */
    tp_status (*read)(tpi_line *line, void *bytes, size_t size, size_t *length, tp_error *err);
    /* As much as the line takes now, which may be nothing. TP_E_CLOSED as for read. */
    tp_status (*write)(tpi_line *line, const void *bytes, size_t size, size_t *length,
                       tp_error *err);
    /* NULL if the line has no speed. Waits until all is sent that was written before, at most a
     * second. */
    tp_status (*set_baud)(tpi_line *line, unsigned baud, tp_error *err);
    /* Only of lines without a descriptor: when there is something to read (or the end), by the
     * clock; TP_NEVER if that depends on what is written. */
    int64_t (*due_ns)(const tpi_line *line);
    /* The same: somebody waits until then and the clock does not move by itself, so time passes for
     * this line alone. */
    void (*skip_to)(tpi_line *line, int64_t until_ns);
    /* NULL if a write puts the bytes on the descriptor as they are. Else: what it puts there, for a
     * guard, which writes by itself. The length, or 0 if `size` is too small. */
    size_t (*wrap)(const tpi_line *line, const void *bytes, size_t length, void *out, size_t size);
    void (*close)(tpi_line *line);
} tpi_line_ops;

/* Begins every kind of line. */
struct tpi_line {
    const tpi_line_ops *ops;
    const char *url; /* borrowed as long as the line: for errors */
    int fd;          /* readable when there is something to read; -1 if there is none */
    bool is_packets; /* each write and each read is one packet */
};

/* How a serial line is set; 0 where nothing is said. */
typedef struct tpi_line_settings {
    unsigned baud;
    unsigned bits;
    unsigned stop_bits;
    char parity; /* 'n', 'e', 'o' */
    char flow;   /* 'n', 'h', 's' */
} tpi_line_settings;

typedef struct tpi_line_options {
    const char *url;    /* the whole; borrowed as long as the line */
    const char *rest;   /* what follows the scheme */
    const char *folder; /* where relative names of files begin: "" or it ends in a slash */
    tpi_line_settings settings;
    const tp_clock *clock; /* borrowed as long as the line */
    int64_t deadline_ns;   /* of the clock: for opening */
} tpi_line_options;

/* A kind of line: "serial", "tcp". */
typedef struct tp_scheme {
    const char *name;
    /* Fails with the reason alone; the caller puts the URL in front of it. */
    tp_status (*open)(tpi_line **out, const tpi_line_options *plan, tp_error *err);
    /* What is wrong with the form of a URL, in the same way; opens nothing. NULL for any form. */
    tp_status (*check)(const char *url, const char *rest, tp_error *err);
    bool is_special; /* only drivers that are made for this kind understand what comes */
} tp_scheme;

/* ---- For lines that are descriptors ---------------------------------------------------------- */

/* Read and write as above, for descriptors that do not wait. */
tp_status tpi_line_read_fd(tpi_line *line, void *bytes, size_t size, size_t *length, tp_error *err);
tp_status tpi_line_write_fd(tpi_line *line, const void *bytes, size_t size, size_t *length,
                            tp_error *err);

/* Wait until the descriptor takes bytes, a connection under way is settled, or `deadline_ns` of the
 * real clock has come; whether something happened. */
bool tpi_line_wait_writable(int fd, int64_t deadline_ns);

/* A deadline of any clock as one of the real clock. Another clock than the real one cannot end a
 * wait, so a real line then waits as long as the deadline is away now. */
int64_t tpi_line_real_deadline(const tp_clock *clock, int64_t deadline_ns);

/* What a number of errno means, in lower case and without a full stop. */
const char *tpi_line_reason(int error, char *out, size_t size);

#endif
