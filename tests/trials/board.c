/* board.c - the memory that trials and the server under trial share. */
#define _GNU_SOURCE /* processors of a thread */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000, SLEEP_NS = 1000000 };

int64_t board_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

void board_sleep_ns(int64_t ns)
{
    struct timespec left = {.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};

    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
}

board *board_open(const char *path, bool create)
{
    const int fd = open(path, create ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDWR | O_CLOEXEC, 0600);
    void *memory = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, (off_t)sizeof(board)) == 0) {
        memory = mmap(NULL, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (fd >= 0) {
        close(fd);
    }
    return memory == MAP_FAILED ? NULL : memory;
}

void board_close(board *b)
{
    munmap(b, sizeof *b);
}

void board_note(board *b, unsigned slot, int64_t kind, int64_t at_ns, double value)
{
    board_slot *s = &b->slots[slot];
    const uint64_t number = atomic_load(&s->count);

    s->events[number % BOARD_EVENTS] = (board_event){at_ns, kind, value};
    atomic_store(&s->count, number + 1);
}

bool board_read(const board *b, unsigned slot, uint64_t number, board_event *out)
{
    const board_slot *s = &b->slots[slot];

    if (atomic_load(&s->count) <= number) {
        return false;
    }
    *out = s->events[number % BOARD_EVENTS];
    if (atomic_load(&s->count) - number >= BOARD_EVENTS) {
        fprintf(stderr, "the board is too small\n");
        exit(1);
    }
    return true;
}

/* ---- Watches --------------------------------------------------------------------------------- */

void board_keep_watch(board *b, unsigned watch, int processor)
{
    board_watch *w = &b->watches[watch];
    cpu_set_t processors;

    if (processor >= 0) { /* if it cannot be had, any other watches as well */
        CPU_ZERO(&processors);
        CPU_SET((unsigned)processor, &processors);
        sched_setaffinity(0, sizeof processors, &processors);
    }
    while (!atomic_load(&w->ends)) {
        const int64_t before_ns = board_now_ns();
        board_sleep_ns(SLEEP_NS);
        const int64_t now_ns = board_now_ns();
        const uint64_t number = atomic_load(&w->count);
        w->stalls[number % BOARD_STALLS].woken_ns = now_ns;
        w->stalls[number % BOARD_STALLS].late_ns = now_ns - before_ns - SLEEP_NS;
        atomic_store(&w->count, number + 1);
        atomic_store(&w->latest_ns, now_ns);
    }
    atomic_store(&w->latest_ns, 0);
    atomic_store(&w->ends, false); /* it may be kept again */
}

void board_end_watch(board *b, unsigned watch)
{
    atomic_store(&b->watches[watch].ends, true);
}

/* ---- Of this process ------------------------------------------------------------------------- */

enum { OWN_WATCHES = 4, PROCESSORS = 2 };

static struct own_watch {
    pthread_t thread;
    board *board;
    unsigned number;
} own_watches[OWN_WATCHES];

static void *keep_own_watch(void *context)
{
    const struct own_watch *watch = context;

    board_keep_watch(watch->board, watch->number, (int)watch->number % PROCESSORS);
    return NULL;
}

void board_begin_watches(board *b)
{
    for (unsigned i = 0; i < OWN_WATCHES; i++) {
        own_watches[i].board = b;
        own_watches[i].number = i;
        if (pthread_create(&own_watches[i].thread, NULL, keep_own_watch, &own_watches[i]) != 0) {
            fprintf(stderr, "a watch cannot be kept\n");
            exit(1);
        }
    }
}

void board_end_watches(board *b)
{
    for (unsigned i = 0; i < OWN_WATCHES; i++) {
        board_end_watch(b, i);
        pthread_join(own_watches[i].thread, NULL);
    }
}

/* ---- Judging --------------------------------------------------------------------------------- */

static int64_t worst_of(const board_watch *w, int64_t from_ns, int64_t to_ns)
{
    const uint64_t count = atomic_load(&w->count);
    int64_t worst_ns = 0;

    for (uint64_t i = count > BOARD_STALLS ? count - BOARD_STALLS : 0; i < count; i++) {
        const int64_t woken_ns = w->stalls[i % BOARD_STALLS].woken_ns;
        const int64_t late_ns = w->stalls[i % BOARD_STALLS].late_ns;
        if (woken_ns >= from_ns && woken_ns - late_ns <= to_ns && late_ns > worst_ns) {
            worst_ns = late_ns;
        }
    }
    return worst_ns;
}

int64_t board_worst_stall(const board *b, int64_t from_ns, int64_t to_ns)
{
    int64_t worst_ns = 0;

    for (unsigned i = 0; i < BOARD_WATCHES; i++) {
        const board_watch *w = &b->watches[i];
        while (atomic_load(&w->latest_ns) != 0 && atomic_load(&w->latest_ns) < to_ns) {
            board_sleep_ns(SLEEP_NS);
        }
        const int64_t of_this_ns = worst_of(w, from_ns, to_ns);
        worst_ns = of_this_ns > worst_ns ? of_this_ns : worst_ns;
    }
    return worst_ns;
}
