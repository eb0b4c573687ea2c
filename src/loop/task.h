/* task.h - what other threads hand to the loop. */
#ifndef TROUPE_LOOP_TASK_H
#define TROUPE_LOOP_TASK_H

#include "loop/inbox.h"
#include "troupe/loop.h"

/* Begins with the inbox's item; `run` is called once on the loop's thread and then owns the task.
 */
typedef struct tpi_task {
    tpi_item item;
    void (*run)(struct tpi_task *task);
} tpi_task;

/* May be called from any thread; never waits, never allocates. */
void tpi_loop_post(tp_loop *loop, tpi_task *task);

/* Whether tasks wait. One turn runs only some of them. On the loop's thread. */
bool tpi_loop_has_tasks(const tp_loop *loop);

/* The calling thread becomes the loop's thread, as if it had turned it. No other thread may use the
 * loop meanwhile. */
void tpi_loop_take(tp_loop *loop);

#endif
