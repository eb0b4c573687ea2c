/*
 * crew.c - threads that share pieces of work.
 *
 * A free thread takes the next item, so that a long item does not delay the others. A worker has a
 * bell that calls it to work; the last one to finish rings the owner's bell. On a busy machine a
 * worker may wake up after all work is done: the owner does not wait for workers that have not
 * begun.
 */
#include "platform/crew.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "platform/thread.h"
#include "troupe/clock.h"

/* The state of a worker. The worker changes CALLED to WORKING, or the owner changes it to FREE,
 * whichever comes first. */
enum { FREE, CALLED, WORKING };

struct worker {
    atomic_uint state;
    tpi_crew *crew;     /* borrowed */
    tpi_thread *thread; /* owned */
    tpi_bell bell;
    uint32_t number;
};

struct tpi_crew {
    uint32_t workers;
    struct worker *others; /* owned; all but the owner, which is number 0 */
    tpi_bell done;
    tpi_crew_work *work; /* of the run that is on, like the next two */
    void *argument;      /* borrowed */
    uint32_t count;
    atomic_uint next;   /* item */
    atomic_uint active; /* workers that have been called and are not free yet */
    atomic_bool ending;
};

static void work_on(tpi_crew *crew, uint32_t number)
{
    for (;;) {
        const uint32_t item = atomic_fetch_add(&crew->next, 1);
        if (item >= crew->count) {
            return;
        }
        crew->work(crew->argument, item, number);
    }
}

static void wait_for(const tpi_bell *bell)
{
    tpi_wait(&bell->fd, 1, TP_NEVER);
    tpi_bell_silence(bell);
}

static void worker_main(void *context)
{
    struct worker *worker = context;
    tpi_crew *crew = worker->crew;

    for (;;) {
        unsigned called = CALLED;
        wait_for(&worker->bell);
        if (atomic_load(&crew->ending)) {
            return;
        }
        if (!atomic_compare_exchange_strong(&worker->state, &called, WORKING)) {
            continue; /* too late: there is nothing left to do */
        }
        work_on(crew, worker->number);
        atomic_store(&worker->state, FREE);
        if (atomic_fetch_sub(&crew->active, 1) == 1) {
            tpi_bell_ring(&crew->done);
        }
    }
}

/* Free the workers that have been called and have not begun. The thread that makes `active` 0 is
 * the last one: a worker then rings; if this call frees all workers, none does. True if a worker is
 * still busy or has rung. */
static bool call_off(tpi_crew *crew, uint32_t called)
{
    uint32_t freed = 0;

    for (uint32_t i = 0; i < called; i++) {
        unsigned expected = CALLED;
        freed += atomic_compare_exchange_strong(&crew->others[i].state, &expected, FREE);
    }
    return freed == 0 || atomic_fetch_sub(&crew->active, freed) > freed;
}

void tpi_crew_run(tpi_crew *crew, tpi_crew_work *work, void *argument, uint32_t count)
{
    const uint32_t others = crew->workers - 1;
    const uint32_t called = count == 0 ? 0 : count - 1 < others ? count - 1 : others;

    crew->work = work;
    crew->argument = argument;
    crew->count = count;
    atomic_store(&crew->next, 0);
    atomic_store(&crew->active, called);
    for (uint32_t i = 0; i < called; i++) {
        atomic_store(&crew->others[i].state, CALLED);
        tpi_bell_ring(&crew->others[i].bell);
    }
    work_on(crew, 0);
    if (called > 0 && call_off(crew, called)) {
        wait_for(&crew->done);
    }
}

void tpi_crew_destroy(tpi_crew *crew)
{
    if (crew == NULL) {
        return;
    }
    atomic_store(&crew->ending, true);
    for (uint32_t i = 0; crew->others != NULL && i + 1 < crew->workers; i++) {
        struct worker *worker = &crew->others[i];
        if (worker->thread != NULL) {
            tpi_bell_ring(&worker->bell);
            tpi_thread_join(worker->thread);
        }
        tpi_bell_fini(&worker->bell);
    }
    tpi_bell_fini(&crew->done);
    free(crew->others);
    free(crew);
}

static tp_status start_worker(tpi_crew *crew, uint32_t number, const char *name, tp_error *err)
{
    struct worker *worker = &crew->others[number - 1];
    tp_status status = tpi_bell_init(&worker->bell, err);

    worker->crew = crew;
    worker->number = number;
    return status != TP_OK ? status
                           : tpi_thread_start(&worker->thread, name, worker_main, worker, err);
}

tp_status tpi_crew_create(tpi_crew **out, uint32_t workers, const char *name, tp_error *err)
{
    tpi_crew *crew = calloc(1, sizeof *crew);

    *out = NULL;
    if (crew == NULL) {
        return tp_fail(err, TP_E_NOMEM, "crew %s: out of memory", name);
    }
    crew->workers = workers > 0 ? workers : 1;
    crew->done.fd = -1;
    crew->others = calloc(crew->workers, sizeof crew->others[0]);
    tp_status status = crew->others != NULL
                           ? tpi_bell_init(&crew->done, err)
                           : tp_fail(err, TP_E_NOMEM, "crew %s: out of memory", name);
    for (uint32_t i = 0; crew->others != NULL && i < crew->workers; i++) {
        crew->others[i].bell.fd = -1;
    }
    for (uint32_t i = 1; i < crew->workers && status == TP_OK; i++) {
        status = start_worker(crew, i, name, err);
    }
    if (status != TP_OK) {
        tpi_crew_destroy(crew);
        return status;
    }
    *out = crew;
    return TP_OK;
}
