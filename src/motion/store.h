/*
 * store.h - frames that wait: a bounded pool of frames and bytes, and heaps of frames in it.
 *
 * A client has one store. Each of its time lines has a queue in it. A queue yields the frame with
 * the earliest time first; equal times are in the order of arrival. The memory is taken at the
 * start: adding and taking frames allocate nothing. A full store refuses the frame.
 */
#ifndef TROUPE_MOTION_STORE_H
#define TROUPE_MOTION_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

enum { TPI_MOTION_BLOCK = 64 }; /* bytes of payload in a block */

/* What is known of a frame besides its payload. */
typedef struct tpi_motion_frame_info {
    int64_t tau_ns;   /* its time on its time line */
    uint64_t arrival; /* counts frames of all clients */
    uint32_t package; /* the id of its package */
    uint16_t records;
    uint8_t mode, flags;
    uint32_t size; /* of the payload, in bytes */
} tpi_motion_frame_info;

/* A frame in the pool. Indices count from 1; 0 is "none". */
typedef struct tpi_motion_stored {
    tpi_motion_frame_info info;
    uint32_t left, right; /* children in the heap; `left` is also the next free frame */
    uint32_t rank;        /* distance to the nearest missing child, plus one */
    uint32_t first_block;
} tpi_motion_stored;

typedef struct tpi_motion_block {
    uint32_t next;
    uint8_t bytes[TPI_MOTION_BLOCK];
} tpi_motion_block;

typedef struct tpi_motion_store {
    tpi_motion_stored *frames; /* owned; index 0 is unused */
    tpi_motion_block *blocks;  /* owned; index 0 is unused */
    uint32_t free_frames, free_blocks;
    uint32_t blocks_left; /* how many are free */
    uint32_t count;       /* frames that wait, in all queues */
} tpi_motion_store;

/* A queue of frames. Zero is empty. */
typedef struct tpi_motion_queue {
    uint32_t root;
    uint32_t count;
} tpi_motion_queue;

/* Take the memory for so many frames and bytes of payload. TP_E_NOMEM. */
tp_status tpi_motion_store_init(tpi_motion_store *store, uint32_t frames, uint32_t bytes);

void tpi_motion_store_fini(tpi_motion_store *store);

/* Copy a frame into a queue. Returns false if the store has no room for it. */
bool tpi_motion_queue_add(tpi_motion_store *store, tpi_motion_queue *queue,
                          const tpi_motion_frame_info *info, const uint8_t *payload);

/* The first frame; NULL if the queue is empty. Valid until the queue changes. */
const tpi_motion_frame_info *tpi_motion_queue_first(const tpi_motion_store *store,
                                                    const tpi_motion_queue *queue);

/* Remove the first frame, which must exist. Copies its payload to `payload`, which has room for its
 * size. */
void tpi_motion_queue_take(tpi_motion_store *store, tpi_motion_queue *queue,
                           tpi_motion_frame_info *info, uint8_t *payload);

/* Move all frames at or after a time to another queue. */
void tpi_motion_queue_split(tpi_motion_store *store, tpi_motion_queue *queue, int64_t tau_ns,
                            tpi_motion_queue *rest);

/* The times of all frames, in no order; `out` has room for the queue's count. Returns how many. */
uint32_t tpi_motion_queue_times(const tpi_motion_store *store, const tpi_motion_queue *queue,
                                int64_t *out);

#endif
