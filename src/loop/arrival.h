/*
 * arrival.h - how old bytes can be that are read from a socket.
 *
 * A program that is frozen (SIGSTOP, a debugger, a suspended machine) or slow finds bytes in its
 * sockets that have waited there. The kernel does not report their age, but there is a bound: a
 * socket that was empty at some time contains only bytes that arrived later. A socket that the loop
 * polls and does not find readable is empty. So bytes that are read in a turn arrived after the
 * beginning of the turn before, unless the socket was not read to its end then, or not polled.
 */
#ifndef TROUPE_LOOP_ARRIVAL_H
#define TROUPE_LOOP_ARRIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one socket. Sizes are bytes, or datagrams. All zero, but for the first two, for an empty
 * socket. */
typedef struct tpi_arrival {
    size_t peer_holds;  /* how much the peer's kernel can keep while this side takes nothing ... */
    size_t much;        /* ... which is nothing unless so much waits here */
    bool behind;        /* the socket may contain something from before the current turn ... */
    int64_t since_ns;   /* ... which did not arrive before this time */
    int64_t mark_ns;    /* what is behind the next `ahead` bytes did not arrive before this time */
    size_t ahead;       /* at most this much in the socket arrived before the mark */
    size_t taken;       /* old bytes that were read */
    int64_t settles_ns; /* until then the peer's kernel may deliver more of them; 0 for none */
} tpi_arrival;

/* From now on bytes may wait: those that are there, `left` of them, since `since_ns` at the
 * earliest. No effect if bytes wait already. */
void tpi_arrival_wait(tpi_arrival *arrival, int64_t since_ns, int64_t now_ns, size_t left);

/* The socket is read again after a pause, and `unread` bytes are in it. If there are none, nothing
 * came in the pause, and what comes next is new. */
void tpi_arrival_resume(tpi_arrival *arrival, size_t unread);

/* `length` bytes were read. `turn_ns` is the beginning of the turn before. `drained`: the socket
 * was empty afterwards; otherwise `left` bytes are left at most. Returns the time that the bytes
 * arrived at the earliest. */
int64_t tpi_arrival_read(tpi_arrival *arrival, int64_t turn_ns, int64_t now_ns, size_t length,
                         bool drained, size_t left);

#endif
