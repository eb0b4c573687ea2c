/* tidy.c - gives memory back to the system; see tidy.h. */
#include "session/tidy.h"

#include <assert.h>
#include <stdlib.h>

#include "bus/pool.h"
#include "loop/task.h"
#include "platform/thread.h"

static const int64_t look_ns = 2 * TP_NS_PER_S;

/* However busy it is, others have used the memory that there was before. */
enum { MOST_LOOKS = 4 };

/* Work in that time that ordinary clients do not make. */
static const int64_t much_work = 100 * TP_NS_PER_MS;

/* One run of the thread. */
struct tpi_tidying {
    tpi_task done;
    tp_loop *loop;      /* borrowed */
    tpi_tidy *tidy;     /* borrowed, the loop's; NULL if it is gone */
    tpi_thread *thread; /* owned, the loop's; NULL if it was joined */
    tpi_idle *idle;     /* owned, the thread's */
};

static void thread_main(void *context)
{
    struct tpi_tidying *running = context;

    tpi_pool_tidy(running->idle);
    tpi_loop_post(running->loop, &running->done);
}

static void done(tpi_task *task)
{
    struct tpi_tidying *running = (struct tpi_tidying *)task;

    tpi_thread_join(running->thread);
    if (running->tidy != NULL) {
        running->tidy->running = NULL;
    }
    free(running);
}

/* Without memory for it, memory stays with the process. */
static void run(tpi_tidy *tidy)
{
    struct tpi_tidying *running = calloc(1, sizeof *running);

    if (running == NULL) {
        return;
    }
    *running = (struct tpi_tidying){
        .done = {.run = done}, .loop = tidy->loop, .tidy = tidy, .idle = tpi_pool_detach()};
    if (tpi_thread_start(&running->thread, "tidy", thread_main, running, NULL) != TP_OK) {
        tpi_pool_tidy(running->idle);
        free(running);
        return;
    }
    tidy->running = running;
}

static void look(void *context)
{
    tpi_tidy *tidy = context;
    const bool busy = tidy->used || tidy->work >= much_work;

    tidy->used = false;
    tidy->work = 0;
    tidy->looks += busy || tidy->looks > 0;
    if ((busy && tidy->looks < MOST_LOOKS) || tidy->running != NULL) {
        return;
    }
    if (!busy) {
        tp_timer_cancel(tidy->timer);
        tidy->armed = false;
    }
    if (tidy->looks > 0) {
        tidy->looks = 0;
        run(tidy);
    }
}

void tpi_tidy_init(tpi_tidy *tidy, tp_loop *loop)
{
    tidy->loop = loop;
}

/* The task of the thread is in the loop's inbox, and releases the rest. */
void tpi_tidy_fini(tpi_tidy *tidy)
{
    tp_timer_destroy(tidy->timer);
    if (tidy->running != NULL) {
        tpi_thread_join(tidy->running->thread);
        tidy->running->thread = NULL;
        tidy->running->tidy = NULL;
    }
}

/* Without a timer memory stays with the process. */
static void arm(tpi_tidy *tidy)
{
    if (!tidy->armed && (tidy->timer != NULL ||
                         tp_timer_create(&tidy->timer, tidy->loop, look, tidy, NULL) == TP_OK)) {
        tp_timer_every(tidy->timer, look_ns);
        tidy->armed = true;
    }
}

void tpi_tidy_expect(tpi_tidy *tidy)
{
    assert(tp_loop_is_current(tidy->loop));
    tidy->used = true;
    arm(tidy);
}

void tpi_tidy_count(tpi_tidy *tidy, size_t work)
{
    assert(tp_loop_is_current(tidy->loop));
    tidy->work += (int64_t)work;
    arm(tidy);
}
