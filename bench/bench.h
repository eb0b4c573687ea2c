/*
 * bench.h - what benchmarks share: timing in rounds, and rows that are a table or JSON.
 *
 * Every figure is a ratio against something measured in the same run: candidates take turns in
 * short rounds, and the fastest round of each counts, since a busy machine only ever slows.
 */
#ifndef TROUPE_BENCH_H
#define TROUPE_BENCH_H

#include <stdbool.h>
#include <stddef.h>

/* Something to time: does its work `times` over. */
typedef struct bench_candidate {
    const char *name;
    void (*work)(void *context, size_t times);
    void *context;
    double best_ns; /* result: nanoseconds for one time */
} bench_candidate;

/* Time all candidates against each other. */
void bench_race(bench_candidate *candidates, size_t count);

/* One row of the result. */
typedef struct bench_row {
    const char *name;      /* what was measured */
    const char *parameter; /* with what */
    double ns;             /* per operation */
    double floor_ns;       /* the floor in the same run */
    const char *peer;      /* another way to do it, or NULL */
    double peer_ns;
} bench_row;

void bench_print_head(bool json);

/* Print what the columns of a table mean; nothing with JSON. A line for each, ended by NULL. */
void bench_print_legend(bool json, const char *const *lines);

void bench_print_row(bool json, const bench_row *row);

/* Whether --json is among the arguments; anything else is an error, which ends the program. */
bool bench_wants_json(int argc, char **argv, const char *help);

/* Any argument is an error, which ends the program, or --help, which prints the help and does so.
 */
void bench_takes_nothing(int argc, char **argv, const char *help);

/* Say why on the standard error and end the program. */
_Noreturn void bench_give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
