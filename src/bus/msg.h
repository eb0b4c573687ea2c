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
    tp_msg *encoded;       /* owned reference: the same without payload; NULL until asked for */
    unsigned char *wire;   /* in the block of `encoded`, or in its own; NULL until asked for */
    size_t wire_length;
    size_t weight; /* bytes that it took when it was made, roughly; does not change */
    void *context; /* borrowed: whom the task is for, while it is on its way */
    int burden;    /* the work that it is for the loop, while it is on its way */
    bool kept;     /* who takes part in what its maker does gets it, however much waits for him */
};

/* The same message without its payload, as it is on the wire: all that those need who only send it,
 * and less memory. Borrowed from `msg`; NULL if it cannot be made. */
tp_msg *tpi_msg_encoded(tp_msg *msg);

/* Encode a header before a body of header->size bytes: 40 bytes. */
void tpi_header_encode(const tp_msghdr *header, unsigned char bytes[TP_XDR_HEADER_SIZE]);

/* The other way round; all bit patterns are headers. */
void tpi_header_decode(const unsigned char bytes[TP_XDR_HEADER_SIZE], tp_msghdr *header);

#endif
