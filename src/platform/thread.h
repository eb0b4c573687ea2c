/*
 * thread.h - threads and the wake-up that one thread gives another.
 *
 * Only framework code makes threads; drivers never do. Stopping is a request, then a join.
 */
#ifndef TROUPE_PLATFORM_THREAD_H
#define TROUPE_PLATFORM_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "troupe/status.h"

typedef struct tpi_thread tpi_thread;

/* Start a thread; `name` (at most 15 characters count) shows in debuggers. */
tp_status tpi_thread_start(tpi_thread **out, const char *name, void (*main)(void *context),
                           void *context, tp_error *err);

/* Wait for its end and release it. NULL is accepted. */
void tpi_thread_join(tpi_thread *thread);

/* The same, until `deadline_ns` of the real clock; TP_NEVER waits without an end. False if it has
 * not ended by then: it is not released. */
bool tpi_thread_join_by(tpi_thread *thread, int64_t deadline_ns);

/* The calling thread gets processor time only after the others of the program, as far as the system
 * knows such a thing. */
void tpi_thread_give_way(void);

/* The calling thread has work that is due at a time and is short: its waits end at their time, and
 * when it wakes it runs before others of its priority. It gets no more processor time than they do.
 * Needs no right. As far as the system knows such things. */
void tpi_thread_be_prompt(void);

/* Give the calling thread this real-time priority (1 to 99; first come, first served), or none (0).
 * Processes that it starts have none. TP_E_DENIED if the system does not permit it. */
tp_status tpi_thread_set_realtime(unsigned priority, tp_error *err);

/* A lock, for the little that threads share and no inbox can carry. */
typedef struct tpi_lock tpi_lock;

tp_status tpi_lock_create(tpi_lock **out, tp_error *err);
void tpi_lock_destroy(tpi_lock *lock); /* NULL is accepted */
void tpi_lock_take(tpi_lock *lock);
void tpi_lock_give(tpi_lock *lock);

/* For assertions: whether the calling thread has it. */
bool tpi_lock_is_mine(const tpi_lock *lock);

/* A bell: rung from any thread or a signal handler, waited for with poll(). */
typedef struct tpi_bell {
    int fd; /* readable while it rings; -1 before init */
} tpi_bell;

tp_status tpi_bell_init(tpi_bell *bell, tp_error *err);
void tpi_bell_fini(tpi_bell *bell);
void tpi_bell_ring(const tpi_bell *bell);
void tpi_bell_silence(const tpi_bell *bell);

/* Wait until one of the descriptors is readable or `deadline_ns` of the real clock has come. -1
 * among the descriptors is passed over. Bit i of the result is set if fds[i] is readable (or its
 * peer is gone); 0 means that the time has come. At most 15. */
unsigned tpi_wait(const int *fds, unsigned count, int64_t deadline_ns);

#endif
