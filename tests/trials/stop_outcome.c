/* stop_outcome.c - what comes of a trial, and how it is told; see stop.c. */
#define _GNU_SOURCE
#include "stop.h"

#include <poll.h>
#include <stdio.h>
#include <time.h>

#include "wire.h"

enum { ENOUGH_DATA = 100 }; /* half a second of it */

void outcome_look_at_board(const struct trial *t, struct outcome *o)
{
    board_event event;

    while (board_read(t->board, t->lane, o->next, &event)) {
        o->next++;
        if (event.kind == BOARD_MOVE) {
            o->moved = true;
            o->after += o->stop_ns != 0 && !o->driven;
            o->stop_ns = o->driven ? 0 : o->stop_ns;
        } else if ((event.kind == BOARD_HALT || event.kind == BOARD_STOP) && o->stop_ns == 0) {
            o->stop_ns = event.at_ns;
        }
    }
}

/* The server's time is that of the wall. Both clocks have to be read at once for that: whoever is
 * held up between them reads them again. */
static int64_t monotonic(double wall_s)
{
    struct timespec now;
    int64_t before_ns;
    int64_t now_ns;

    do {
        before_ns = board_now_ns();
        clock_gettime(CLOCK_REALTIME, &now);
        now_ns = board_now_ns();
    } while (now_ns - before_ns > ms / 10);
    return now_ns - (int64_t)(((double)now.tv_sec - wall_s) * 1e9 + (double)now.tv_nsec);
}

/* One message of the fake's data, if there is one within a millisecond. */
void outcome_look_at_fake(const struct trial *t, struct outcome *o)
{
    static wire_message message;
    struct pollfd ready = {.fd = t->witness, .events = POLLIN};

    if (poll(&ready, 1, 1) <= 0) {
        return;
    }
    if (!wire_receive(t->witness, &message)) {
        wire_die("the server is gone");
    }
    if (message.type != WIRE_DATA || message.interf != WIRE_POSITION2D || message.subtype != 1) {
        return;
    }
    o->seen++;
    const double speed_mps = wire_get_f64(message.body + 24);
    if (speed_mps != 0) {
        o->fake_moved = true;
        o->fake_ns = 0;
    } else if (o->fake_moved && o->fake_ns == 0) {
        o->fake_ns = monotonic(message.time_s);
    }
}

void outcome_watch_until(const struct trial *t, struct outcome *o, int64_t until_ns)
{
    while (board_now_ns() < until_ns) {
        outcome_look_at_fake(t, o);
        outcome_look_at_board(t, o);
    }
}

/* Until both have stopped, or never will: that takes a while in which the server, too, was awake
 * and has sent data. A machine that stood still for so long shows nothing. */
void outcome_watch_it_stop(const struct trial *t, struct outcome *o)
{
    const int64_t until_ns = o->took_ns + t->lease_ns + 3000 * ms;

    o->seen = 0;
    while ((o->stop_ns == 0 || o->fake_ns == 0) &&
           (board_now_ns() < until_ns || o->seen < ENOUGH_DATA)) {
        outcome_look_at_fake(t, o);
        outcome_look_at_board(t, o);
    }
}

/* The last word that was answered before the stop. */
static int64_t last_heard(const struct lane *lane, int64_t stop_ns)
{
    const unsigned count = atomic_load(&lane->word_count);
    int64_t last_ns = 0;

    for (unsigned i = count > WORDS ? count - WORDS : 0; i < count; i++) {
        const struct word *word = &lane->words[i % WORDS];
        const int64_t heard_ns = atomic_load(&word->heard_ns);
        if (heard_ns != 0 && (stop_ns == 0 || heard_ns <= stop_ns)) {
            last_ns = atomic_load(&word->before_ns);
        }
    }
    return last_ns;
}

/* No word can have been said later than this. */
static int64_t last_said(const struct trial *t, const struct lane *lane, int64_t took_ns)
{
    const unsigned count = atomic_load(&lane->word_count);

    if (trial_is(t, "proxy")) {
        const int64_t passed_ns = atomic_load(&lane->passed_ns);
        return passed_ns >= atomic_load(&lane->passing_ns) ? passed_ns : took_ns;
    }
    for (unsigned i = count; i > 0 && i + WORDS > count; i--) {
        const struct word *word = &lane->words[(i - 1) % WORDS];
        const int64_t after_ns = atomic_load(&word->after_ns);
        if (atomic_load(&word->before_ns) < took_ns) {
            return after_ns != 0 && after_ns < took_ns ? after_ns : took_ns;
        }
    }
    return took_ns;
}

void outcome_find_free(const struct trial *t, uint64_t from, struct outcome *o)
{
    board_event event = {0};

    while (trial_is(t, "stall") && event.kind != BOARD_FREE) {
        if (!board_read(t->board, BLOCKER_SLOT, from, &event)) {
            board_sleep_ns(ms);
        } else {
            from++;
            o->free_ns = event.at_ns;
        }
    }
}

static void print_time(const char *name, int64_t at_ns, int64_t zero_ns)
{
    if (at_ns == 0) {
        printf(" %s=never", name);
    } else {
        printf(" %s=%lld", name, (long long)((at_ns - zero_ns) / 1000));
    }
}

void outcome_print(const struct trial *t, const struct lane *lane, const struct outcome *o)
{
    const int64_t end_ns = board_now_ns();
    const int64_t stall_ns = board_worst_stall(t->board, o->begun_ns, end_ns);

    printf("%s", t->how);
    print_time("heard", last_heard(lane, o->stop_ns), o->grief_ns);
    print_time("heard_by_fake", last_heard(lane, o->fake_ns), o->grief_ns);
    print_time("said", last_said(t, lane, o->took_ns), o->grief_ns);
    print_time("stop", o->stop_ns, o->grief_ns);
    print_time("fake", o->fake_ns, o->grief_ns);
    print_time("took", o->took_ns, o->grief_ns);
    print_time("free", o->free_ns, o->grief_ns);
    printf(" stall=%lld wait=%lld after=%u\n", (long long)(stall_ns / 1000),
           (long long)(waits_worst(&o->waits, t->server) / 1000), o->after);
    fflush(stdout);
}
