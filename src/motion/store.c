/* store.c - see store.h. The queues are leftist heaps: two are merged along their right spines,
 * which have at most log2(n) frames. */
#include "motion/store.h"

#include <stdlib.h>
#include <string.h>

tp_status tpi_motion_store_init(tpi_motion_store *store, uint32_t frames, uint32_t bytes)
{
    const uint32_t blocks = bytes / TPI_MOTION_BLOCK + 1;

    *store = (tpi_motion_store){0};
    store->frames = calloc((size_t)frames + 1, sizeof *store->frames);
    store->blocks = calloc((size_t)blocks + 1, sizeof *store->blocks);
    if (store->frames == NULL || store->blocks == NULL) {
        tpi_motion_store_fini(store);
        return TP_E_NOMEM;
    }
    for (uint32_t i = frames; i > 0; i--) {
        store->frames[i].left = store->free_frames;
        store->free_frames = i;
    }
    for (uint32_t i = blocks; i > 0; i--) {
        store->blocks[i].next = store->free_blocks;
        store->free_blocks = i;
    }
    store->blocks_left = blocks;
    return TP_OK;
}

void tpi_motion_store_fini(tpi_motion_store *store)
{
    free(store->frames);
    free(store->blocks);
    *store = (tpi_motion_store){0};
}

/* ---- Heaps ---- */

static bool before(const tpi_motion_frame_info *a, const tpi_motion_frame_info *b)
{
    return a->tau_ns != b->tau_ns ? a->tau_ns < b->tau_ns : a->arrival < b->arrival;
}

/* Recursion is as deep as the two right spines are long. */
static uint32_t merge(tpi_motion_stored *frames, uint32_t a, uint32_t b)
{
    if (a == 0 || b == 0) {
        return a != 0 ? a : b;
    }
    if (before(&frames[b].info, &frames[a].info)) {
        const uint32_t other = a;

        a = b;
        b = other;
    }
    tpi_motion_stored *top = &frames[a];
    top->right = merge(frames, top->right, b);
    if (top->left == 0 || frames[top->left].rank < frames[top->right].rank) {
        const uint32_t left = top->left;

        top->left = top->right;
        top->right = left;
    }
    top->rank = top->right != 0 ? frames[top->right].rank + 1 : 1;
    return a;
}

static void insert(tpi_motion_store *store, tpi_motion_queue *queue, uint32_t frame)
{
    tpi_motion_stored *own = &store->frames[frame];

    own->left = own->right = 0;
    own->rank = 1;
    queue->root = merge(store->frames, queue->root, frame);
    queue->count++;
}

static uint32_t remove_first(tpi_motion_store *store, tpi_motion_queue *queue)
{
    const uint32_t first = queue->root;
    const tpi_motion_stored *own = &store->frames[first];

    queue->root = merge(store->frames, own->left, own->right);
    queue->count--;
    return first;
}

/* ---- Payloads ---- */

static uint32_t put_bytes(tpi_motion_store *store, const uint8_t *bytes, uint32_t size)
{
    const uint32_t first = store->free_blocks;
    uint32_t last = 0;

    for (uint32_t at = 0; at < size; at += TPI_MOTION_BLOCK) {
        const uint32_t part = size - at < TPI_MOTION_BLOCK ? size - at : TPI_MOTION_BLOCK;

        last = store->free_blocks;
        memcpy(store->blocks[last].bytes, bytes + at, part);
        store->free_blocks = store->blocks[last].next;
        store->blocks_left--;
    }
    if (last == 0) {
        return 0;
    }
    store->blocks[last].next = 0;
    return first;
}

/* Copy the payload out and return its blocks to the pool. */
static void take_bytes(tpi_motion_store *store, uint32_t block, uint8_t *bytes, uint32_t size)
{
    for (uint32_t at = 0; at < size; at += TPI_MOTION_BLOCK) {
        const uint32_t part = size - at < TPI_MOTION_BLOCK ? size - at : TPI_MOTION_BLOCK;
        const uint32_t next = store->blocks[block].next;

        memcpy(bytes + at, store->blocks[block].bytes, part);
        store->blocks[block].next = store->free_blocks;
        store->free_blocks = block;
        store->blocks_left++;
        block = next;
    }
}

/* ---- Queues ---- */

bool tpi_motion_queue_add(tpi_motion_store *store, tpi_motion_queue *queue,
                          const tpi_motion_frame_info *info, const uint8_t *payload)
{
    const uint32_t blocks = (info->size + TPI_MOTION_BLOCK - 1) / TPI_MOTION_BLOCK;
    const uint32_t frame = store->free_frames;

    if (frame == 0 || blocks > store->blocks_left) {
        return false;
    }
    tpi_motion_stored *own = &store->frames[frame];
    store->free_frames = own->left;
    own->info = *info;
    own->first_block = put_bytes(store, payload, info->size);
    store->count++;
    insert(store, queue, frame);
    return true;
}

const tpi_motion_frame_info *tpi_motion_queue_first(const tpi_motion_store *store,
                                                    const tpi_motion_queue *queue)
{
    return queue->root != 0 ? &store->frames[queue->root].info : NULL;
}

void tpi_motion_queue_take(tpi_motion_store *store, tpi_motion_queue *queue,
                           tpi_motion_frame_info *info, uint8_t *payload)
{
    const uint32_t frame = remove_first(store, queue);
    tpi_motion_stored *own = &store->frames[frame];

    *info = own->info;
    take_bytes(store, own->first_block, payload, info->size);
    own->left = store->free_frames;
    store->free_frames = frame;
    store->count--;
}

void tpi_motion_queue_split(tpi_motion_store *store, tpi_motion_queue *queue, int64_t tau_ns,
                            tpi_motion_queue *rest)
{
    tpi_motion_queue kept = {0, 0};

    while (queue->root != 0) {
        const uint32_t frame = remove_first(store, queue);
        const bool early = store->frames[frame].info.tau_ns < tau_ns;

        insert(store, early ? &kept : rest, frame);
    }
    *queue = kept;
}

static uint32_t times_below(const tpi_motion_stored *frames, uint32_t frame, int64_t *out)
{
    uint32_t count = 0;

    /* Left subtrees may be deep, right ones are not: recurse to the right only. */
    for (; frame != 0; frame = frames[frame].left) {
        out[count++] = frames[frame].info.tau_ns;
        count += times_below(frames, frames[frame].right, out + count);
    }
    return count;
}

uint32_t tpi_motion_queue_times(const tpi_motion_store *store, const tpi_motion_queue *queue,
                                int64_t *out)
{
    return times_below(store->frames, queue->root, out);
}
