/*
 * msg.h - the inside of a message; troupe/msg.h says what it is.
 *
 * Encoded bytes are in a block of their own: a message without payload, of which the message that
 * was encoded holds a reference. So a queue can keep the bytes of one encoding and release the
 * payload. Most messages have one encoding. The message itself repeats where the bytes of the first
 * one are; the blocks of all of them are a list.
 */
#ifndef TROUPE_BUS_MSG_H
#define TROUPE_BUS_MSG_H

#include <stdatomic.h>

#include "loop/task.h"
#include "troupe/msg.h"

struct tp_msg {
    tpi_task task; /* how its maker hands it to the loop, once; then unused */
    atomic_uint references;
    tp_msghdr header;
    const tp_struct *type;       /* NULL without payload */
    void *payload;               /* in the same block */
    const tp_encoding *encoding; /* borrowed: of the bytes; NULL until the first is made */
    const unsigned char *bytes;  /* in the block of `encoded`, or in its own if that is NULL */
    size_t length;
    tp_msg *encoded; /* owned list, a reference to each: the same message in each encoding */
    tp_msg *next;    /* in the list of the message that was encoded; used only by that message */
    const void *encoder; /* borrowed, only compared: the thread that encodes it; NULL before */
    size_t weight;       /* bytes that it took when it was made, roughly; does not change */
    void *context;       /* borrowed: whom the task is for, while it is on its way */
    unsigned burden;     /* the work that it is for the loop, while it is on its way */
    int64_t arrival_ns; /* while it is on its way: what it follows from came to this program then at
                           the earliest; TP_NEVER if that was made here */
    bool kept;          /* participants of the instance receive it, even if their queue is full */
    uint32_t queued;    /* in so many queues, which share one reference; the queues' thread's */
    uint32_t grouped;   /* of them so many that are counted together */
};

/* Whether it was made as the bytes of one encoding, and has neither payload nor other encodings. */
bool tpi_msg_has_only_bytes(const tp_msg *msg);

/* The same message without its payload, with nothing but its bytes in this encoding: what a queue
 * keeps for a client to which only these are sent. Borrowed from `msg`; NULL if it cannot be made.
 * Only in the thread of the loop. */
tp_msg *tpi_msg_encoded(tp_msg *msg, const tp_encoding *encoding);

#endif
