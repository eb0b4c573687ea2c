/* msg.h - the inside of a message; troupe/msg.h says what it is. */
#ifndef TROUPE_BUS_MSG_H
#define TROUPE_BUS_MSG_H

#include <stdatomic.h>

#include "loop/task.h"
#include "troupe/msg.h"

struct tp_msg {
    tpi_task task; /* how its maker hands it to the loop, once; then unused */
    atomic_uint references;
    tp_msghdr header;
    const tp_struct *type; /* NULL without payload */
    void *payload;         /* in the same block */
    unsigned char *wire;   /* owned, of the pool; NULL until asked for */
    size_t wire_length;
    size_t weight; /* bytes that it took when it was made, roughly; does not change */
    void *context; /* borrowed: whom the task is for, while it is on its way */
    int burden;    /* the work that it is for the loop, while it is on its way */
};

/* Encode a header before a body of header->size bytes: 40 bytes. */
void tpi_header_encode(const tp_msghdr *header, unsigned char bytes[TP_XDR_HEADER_SIZE]);

/* The other way round; all bit patterns are headers. */
void tpi_header_decode(const unsigned char bytes[TP_XDR_HEADER_SIZE], tp_msghdr *header);

#endif
