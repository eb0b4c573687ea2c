/* bench.c - timing in rounds, and rows; see bench.h. */
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 40 };

static const double round_ns = 2e6;

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_round(const bench_candidate *candidate, size_t times)
{
    const double start = now_ns();

    candidate->work(candidate->context, times);
    return (now_ns() - start) / (double)times;
}

/* How often the work fits into a round. */
static size_t choose_times(const bench_candidate *candidate)
{
    size_t times = 1;

    while (time_round(candidate, times) * (double)times < round_ns / 4) {
        times *= 2;
    }
    return times * 4;
}

void bench_race(bench_candidate *candidates, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        candidates[i].best_ns = 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < count; i++) {
            double ns = time_round(&candidates[i], choose_times(&candidates[i]));
            if (round == 0 || ns < candidates[i].best_ns) {
                candidates[i].best_ns = ns;
            }
        }
    }
}

void bench_print_legend(bool json, const char *const *lines)
{
    for (; !json && *lines != NULL; lines++) {
        printf("# %s\n", *lines);
    }
}

void bench_print_head(bool json)
{
    static const char *const legend[] = {
        "ns         time of one operation, the best of several rounds",
        "floor ns   the same bytes, copied with a byte swap, in the same run",
        "ratio      ns divided by floor ns",
        "peer ns    the same operation by the peer, in the same run",
        "faster by  peer ns divided by ns",
        NULL};

    bench_print_legend(json, legend);
    if (!json) {
        printf("%-28s %-12s %12s %12s %8s %12s %10s\n", "what", "with", "ns", "floor ns", "ratio",
               "peer ns", "faster by");
    }
}

void bench_print_row(bool json, const bench_row *row)
{
    if (json) {
        printf("{\"name\":\"%s\",\"parameters\":{\"with\":\"%s\"},\"ns\":%.2f,\"floor\":%.2f,"
               "\"ratio\":%.3f",
               row->name, row->parameter, row->ns, row->floor_ns, row->ns / row->floor_ns);
        if (row->peer != NULL) {
            printf(",\"peer\":\"%s\",\"peer_ns\":%.2f,\"peer_ratio\":%.3f", row->peer, row->peer_ns,
                   row->peer_ns / row->ns);
        }
        puts("}");
    } else {
        printf("%-28s %-12s %12.1f %12.1f %8.2f", row->name, row->parameter, row->ns, row->floor_ns,
               row->ns / row->floor_ns);
        if (row->peer != NULL) {
            printf(" %12.1f %9.1fx", row->peer_ns, row->peer_ns / row->ns);
        }
        putchar('\n');
    }
    fflush(stdout);
}

static _Noreturn void end_with_help(const char *argument, const char *help)
{
    if (strcmp(argument, "--help") == 0) {
        fputs(help, stdout);
        exit(0);
    }
    fprintf(stderr, "unexpected \"%s\"\n%s", argument, help);
    exit(2);
}

bool bench_wants_json(int argc, char **argv, const char *help)
{
    bool json = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") != 0) {
            end_with_help(argv[i], help);
        }
        json = true;
    }
    return json;
}

void bench_takes_nothing(int argc, char **argv, const char *help)
{
    if (argc > 1) {
        end_with_help(argv[1], help);
    }
}

void bench_give_up(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}
