/*
 * pool.h - blocks of memory that are used again.
 *
 * Every thread has a pool of its own. A block returns to the pool it came from: at once if its own
 * thread gives it back, otherwise over a stack that any thread may push to and the owner empties
 * when it runs short. A pool that runs short of small blocks makes some more than it needs. So a
 * message made by a driver's thread and released by the loop costs neither a lock nor an
 * allocation. Large blocks that are idle lie on such stacks, too, and any thread may free them; all
 * pools together keep 32 MB of them at most. A pool whose thread has ended lives until its last
 * block is back.
 */
#ifndef TROUPE_BUS_POOL_H
#define TROUPE_BUS_POOL_H

#include <stddef.h>

/* At least `size` bytes, aligned for any type; NULL if memory ran out. Any thread. */
void *tpi_pool_take(size_t size);

/* Give a block back; any thread. NULL is accepted. */
void tpi_pool_give(void *block);

/* How many bytes the block really has. */
size_t tpi_pool_size(const void *block);

/* The calling thread will take no more: give what is idle back to the system. Called at the end of
 * every thread that used a pool. */
void tpi_pool_leave(void);

/* Small blocks that are idle in the pool of the calling thread, taken out of it; NULL if there is
 * no memory. For tpi_pool_tidy(). */
typedef struct tpi_idle tpi_idle;
tpi_idle *tpi_pool_detach(void);

/* Give memory that nobody uses back to the system, but for some small blocks: what was detached
 * (NULL is accepted), what threads gave back to the pools of others, and large blocks of all pools.
 * Any thread; takes milliseconds if there is much. */
void tpi_pool_tidy(tpi_idle *idle);

#endif
