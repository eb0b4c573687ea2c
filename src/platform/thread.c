/* thread.c - threads, bells and waiting, on Linux. */
#define _GNU_SOURCE /* pthread_setname_np, ppoll */
#include "platform/thread.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/owner.h"
#include "troupe/clock.h"

/* ---- Threads --------------------------------------------------------------------------------- */

struct tpi_thread {
    pthread_t id;
    void (*main)(void *context);
    void *context; /* borrowed */
    char name[16]; /* what the kernel has room for */
    pthread_mutex_t lock;
    pthread_cond_t end; /* by the monotonic clock */
    bool ended;         /* guarded by the lock: `main` has returned */
};

static void *begin(void *argument)
{
    tpi_thread *thread = argument;

    pthread_setname_np(pthread_self(), thread->name);
    prctl(PR_SET_TIMERSLACK, 1UL); /* a wait ends at its deadline, not up to 50 us later */
    thread->main(thread->context);
    pthread_mutex_lock(&thread->lock);
    thread->ended = true;
    pthread_cond_signal(&thread->end);
    pthread_mutex_unlock(&thread->lock);
    return NULL;
}

/* On Linux neither needs memory, so neither fails. */
static void init_end(tpi_thread *thread)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&thread->end, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&thread->lock, NULL);
}

static void release(tpi_thread *thread)
{
    pthread_cond_destroy(&thread->end);
    pthread_mutex_destroy(&thread->lock);
    free(thread);
}

/* On Linux a process of 0 is the calling thread alone. */
void tpi_thread_give_way(void)
{
    const int nicer = 10;

    (void)setpriority(PRIO_PROCESS, 0, nicer);
}

/* What sched_getattr() and sched_setattr() exchange. The C library has no name for it everywhere.
 */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice_ns, deadline_ns, period_ns;
};

/* Of a thread without a real-time policy, the kernel takes `slice_ns` as the length of the turns
 * that it asks for (since 6.12; older ones ignore it). A thread with shorter turns is chosen
 * earlier, and interrupts one with longer turns. */
void tpi_thread_be_prompt(void)
{
    const uint64_t shortest_ns = 100000;
    struct scheduling now = {.size = sizeof now};

    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    if (syscall(SYS_sched_getattr, 0, &now, (unsigned)sizeof now, 0U) == 0 && now.priority == 0) {
        now.slice_ns = shortest_ns;
        (void)syscall(SYS_sched_setattr, 0, &now, 0U);
    }
}

tp_status tpi_thread_set_realtime(unsigned priority, tp_error *err)
{
    const struct sched_param param = {.sched_priority = (int)priority};
    const int policy = priority > 0 ? SCHED_FIFO : SCHED_OTHER;

    if (sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &param) != 0) {
        return tp_fail(err, TP_E_DENIED,
                       "the real-time priority %u is not permitted: %s (it needs CAP_SYS_NICE or "
                       "`ulimit -r %u`)",
                       priority, strerror(errno), priority);
    }
    return TP_OK;
}

/* Signals from outside belong to the thread that made this one. Faults stay with the thread
 * that causes them, so that crash reports name the right thread. */
static void fill_with_foreign_signals(sigset_t *set)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

    sigfillset(set);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        sigdelset(set, faults[i]);
    }
}

/* A thread inherits the signal mask of the moment that it is made in. */
static int create_blocking_signals(tpi_thread *thread)
{
    sigset_t blocked;
    sigset_t before;

    fill_with_foreign_signals(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    int error = pthread_create(&thread->id, NULL, begin, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

tp_status tpi_thread_start(tpi_thread **out, const char *name, void (*main)(void *context),
                           void *context, tp_error *err)
{
    tpi_thread *thread = calloc(1, sizeof *thread);

    if (thread == NULL) {
        return tp_fail(err, TP_E_NOMEM, "thread %s: out of memory", name);
    }
    thread->main = main;
    thread->context = context;
    (void)snprintf(thread->name, sizeof thread->name, "%s", name);
    init_end(thread);
    int error = create_blocking_signals(thread);
    if (error != 0) {
        release(thread);
        return tp_fail(err, TP_E_IO, "thread %s: %s", name, strerror(error));
    }
    *out = thread;
    return TP_OK;
}

void tpi_thread_join(tpi_thread *thread)
{
    if (thread != NULL) {
        pthread_join(thread->id, NULL);
        release(thread);
    }
}

bool tpi_thread_join_by(tpi_thread *thread, int64_t deadline_ns)
{
    const struct timespec deadline = {.tv_sec = deadline_ns / TP_NS_PER_S,
                                      .tv_nsec = deadline_ns % TP_NS_PER_S};

    int error = 0;

    pthread_mutex_lock(&thread->lock);
    while (deadline_ns != TP_NEVER && !thread->ended && error == 0) {
        error = pthread_cond_timedwait(&thread->end, &thread->lock, &deadline);
    }
    const bool ended = deadline_ns == TP_NEVER || thread->ended;
    pthread_mutex_unlock(&thread->lock);
    if (ended) {
        tpi_thread_join(thread);
    }
    return ended;
}

/* ---- Locks ----------------------------------------------------------------------------------- */

struct tpi_lock {
    pthread_mutex_t mutex;
    tpi_owner owner; /* the thread that has it */
};

tp_status tpi_lock_create(tpi_lock **out, tp_error *err)
{
    tpi_lock *lock = calloc(1, sizeof *lock);

    if (lock == NULL || pthread_mutex_init(&lock->mutex, NULL) != 0) {
        free(lock);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *out = lock;
    return TP_OK;
}

void tpi_lock_destroy(tpi_lock *lock)
{
    if (lock != NULL) {
        pthread_mutex_destroy(&lock->mutex);
        free(lock);
    }
}

void tpi_lock_take(tpi_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
    tpi_owner_take(&lock->owner);
}

void tpi_lock_give(tpi_lock *lock)
{
    assert(tpi_lock_is_mine(lock));
    tpi_owner_drop(&lock->owner);
    pthread_mutex_unlock(&lock->mutex);
}

bool tpi_lock_is_mine(const tpi_lock *lock)
{
    return tpi_owner_is_current(&lock->owner);
}

/* ---- Bells ----------------------------------------------------------------------------------- */

tp_status tpi_bell_init(tpi_bell *bell, tp_error *err)
{
    bell->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return bell->fd >= 0 ? TP_OK : tp_fail(err, TP_E_IO, "bell: %s", strerror(errno));
}

void tpi_bell_fini(tpi_bell *bell)
{
    if (bell->fd >= 0) {
        close(bell->fd);
        bell->fd = -1;
    }
}

/* A full counter (EAGAIN) rings already. */
void tpi_bell_ring(const tpi_bell *bell)
{
    const uint64_t one = 1;
    const int saved = errno; /* a signal handler must leave it as it was */

    while (write(bell->fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
    errno = saved;
}

void tpi_bell_silence(const tpi_bell *bell)
{
    uint64_t count;

    while (read(bell->fd, &count, sizeof count) < 0 && errno == EINTR) {
    }
}

/* ---- Waiting --------------------------------------------------------------------------------- */

enum { MOST_WAITED = 15 };

static struct timespec time_until(int64_t deadline_ns)
{
    const int64_t now_ns = tp_clock_now_ns(tp_clock_real());
    const int64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;

    return (struct timespec){.tv_sec = left_ns / TP_NS_PER_S, .tv_nsec = left_ns % TP_NS_PER_S};
}

static unsigned ready_bits(const struct pollfd *polled, unsigned count)
{
    unsigned bits = 0;

    for (unsigned i = 0; i < count; i++) {
        bits |= polled[i].revents != 0 ? 1u << i : 0;
    }
    return bits;
}

unsigned tpi_wait(const int *fds, unsigned count, int64_t deadline_ns)
{
    struct pollfd polled[MOST_WAITED] = {0};

    assert(count <= MOST_WAITED);
    for (unsigned i = 0; i < count; i++) {
        polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    }
    for (;;) {
        const struct timespec left = time_until(deadline_ns);
        const int ready = ppoll(polled, count, deadline_ns == TP_NEVER ? NULL : &left, NULL);
        if (ready > 0) {
            return ready_bits(polled, count);
        }
        assert(ready == 0 || errno == EINTR);
        if (ready == 0 && tp_clock_now_ns(tp_clock_real()) >= deadline_ns) {
            return 0;
        }
    }
}
