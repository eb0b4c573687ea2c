/* inside.h - what the files of this folder share and nobody else sees. */
#ifndef TROUPE_LOOP_INSIDE_H
#define TROUPE_LOOP_INSIDE_H

#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "loop/task.h"
#include "troupe/stream.h"

/* The struct of `type` that has `pointer` as its `member`. */
#define CONTAINER_OF(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

/* Bytes to be written, as libuv wants them. It only reads them. */
static inline uv_buf_t tpi_uv_buf(const void *bytes, size_t length)
{
    const union {
        const void *constant;
        char *plain;
    } pointer = {.constant = bytes};

    return (uv_buf_t){.base = pointer.plain, .len = length};
}

/* Fail with "what: why", where `code` is libuv's. */
tp_status tpi_uv_fail(tp_error *err, int code, const char *what);

/* The timers of a loop: a heap of the armed ones, with room for all, so that arming cannot fail. */
typedef struct tpi_timers {
    tp_timer **heap; /* owned; the timers are borrowed; the next to fire comes first */
    size_t armed;
    size_t created;
    size_t capacity;
    uint64_t sequence; /* how often any was armed */
    int64_t floor_ns;  /* while timers fire no deadline lies before this */
} tpi_timers;

void tpi_timers_init(tpi_timers *timers);
void tpi_timers_fini(tpi_timers *timers);

/* When the next one is due; TP_NEVER if none is armed. */
int64_t tpi_timers_next_ns(const tpi_timers *timers);

/* Fire those that are due, except the ones that are armed by this very call: they wait for the
 * next turn, so that a timer that always asks for "now" starves nobody. */
void tpi_timers_fire(tpi_timers *timers, int64_t now_ns);

/* The libuv loop. */
struct uv_loop_s *tpi_loop_uv(tp_loop *loop);

tpi_timers *tpi_loop_timers(tp_loop *loop);

/* In a turn: the beginning of the turn before, behind its wait; between turns, of the last one. A
 * socket that was not readable in that turn was empty then. */
int64_t tpi_loop_before_ns(const tp_loop *loop);

/* Sets what tp_loop_arrival_ns() returns; TP_NEVER when the callback of a socket is over. */
void tpi_loop_set_arrival(tp_loop *loop, int64_t arrival_ns);

/* A stream from a connected socket, which is the stream's from now on and closed if this fails. It
 * was connected at `since_ns` at the earliest. */
tp_status tp_stream_adopt(tp_stream **out, tp_loop *loop, int fd, const struct sockaddr *peer,
                          int64_t since_ns);

#endif
