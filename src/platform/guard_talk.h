/*
 * guard_talk.h - what a server tells a guard, and where; for guard.c and the program itself.
 *
 * Messages go through a pipe, each in one write that the kernel does not divide: a server that is
 * killed in the middle of one has sent all of it or nothing. A pipe that ends without a goodbye
 * means that the server is gone.
 */
#ifndef TROUPE_PLATFORM_GUARD_TALK_H
#define TROUPE_PLATFORM_GUARD_TALK_H

#include <stdint.h>

enum {
    TPI_GUARD_CONTROL_FD = 0, /* messages come from here */
    TPI_GUARD_LINE_FD = 1,    /* what is guarded */
    TPI_GUARD_ALIVE_FD = 3,   /* the guard writes a byte when it is ready, and holds it open */
    TPI_GUARD_MOST = 1024,    /* stop bytes */
};

typedef enum tpi_guard_kind {
    TPI_GUARD_BYTES = 'b',   /* write these from now on; the first message */
    TPI_GUARD_GOODBYE = 'g', /* end, and write nothing */
    TPI_GUARD_CRASH = 'c',   /* the server is about to die: write now, and end */
} tpi_guard_kind;

typedef struct tpi_guard_head {
    uint8_t kind;
    uint8_t zero;
    uint16_t length; /* of the stop bytes behind it */
} tpi_guard_head;

#endif
