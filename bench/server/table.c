/* table.c - rows and goals; see table.h. */
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

enum { MOST_GOALS = 32 };

struct goal {
    char what[80];
    double figure;
    double limit;
    bool at_least;
};

static struct goal goals[MOST_GOALS]; /* one table per program */
static int goal_count;

/* ---- Rows ------------------------------------------------------------------------------------ */

static void print_json_figures(const table_row *row, const char *key,
                               double (*value)(const table_figure *))
{
    printf(",\"%s\":{", key);
    for (int i = 0; i < row->count; i++) {
        const double number = value(&row->figures[i]);
        printf("%s\"%s\":", i > 0 ? "," : "", row->figures[i].name);
        if (isfinite(number)) {
            printf("%.6g", number);
        } else {
            printf("null");
        }
    }
    putchar('}');
}

static double ours_of(const table_figure *figure)
{
    return figure->ours;
}

static double floor_of(const table_figure *figure)
{
    return figure->floor;
}

static double ratio_of(const table_figure *figure)
{
    return figure->ours / figure->floor;
}

static void print_json(const table_row *row)
{
    printf("{\"name\":\"%s\",\"parameters\":{\"with\":\"%s\"}", row->name, row->with);
    print_json_figures(row, "figures", ours_of);
    print_json_figures(row, "floor", floor_of);
    print_json_figures(row, "ratio", ratio_of);
    puts("}");
}

static void print_head(const table_row *row)
{
    static const char *const legend[] = {
        "what, with  what was measured, and with how much of it",
        "floor       the same without Troupe: bare sockets and libuv, in the same run",
        "ratio       the figure divided by its floor",
        "us, ms      of times; the figures p50 and p99 are the median and the 99th percentile",
        NULL};
    static const char *printed; /* constant texts: the same name is the same pointer */

    if (printed == row->figures[0].name) {
        return;
    }
    if (printed == NULL) {
        bench_print_legend(false, legend);
    }
    printf("%s%-20s %-12s", printed == NULL ? "" : "\n", "what", "with");
    for (int i = 0; i < row->count; i++) {
        printf(" %11s", row->figures[i].name);
        if (isfinite(row->figures[i].floor)) {
            printf(" %8s %6s", "floor", "ratio");
        }
    }
    putchar('\n');
    printed = row->figures[0].name;
}

static void print_number(int width, double number)
{
    const int digits = number >= 1000 ? 0 : number >= 10 ? 1 : 2;

    printf(" %*.*f", width, digits, number);
}

void table_print(bool json, const table_row *row)
{
    if (json) {
        print_json(row);
        fflush(stdout);
        return;
    }
    print_head(row);
    printf("%-20s %-12s", row->name, row->with);
    for (int i = 0; i < row->count; i++) {
        print_number(11, row->figures[i].ours);
        if (isfinite(row->figures[i].floor)) {
            print_number(8, row->figures[i].floor);
            print_number(6, ratio_of(&row->figures[i]));
        }
    }
    putchar('\n');
    fflush(stdout);
}

/* ---- Goals ----------------------------------------------------------------------------------- */

static void note(const char *what, double figure, double limit, bool at_least)
{
    if (goal_count < MOST_GOALS) {
        struct goal *goal = &goals[goal_count++];
        snprintf(goal->what, sizeof goal->what, "%s", what);
        goal->figure = figure;
        goal->limit = limit;
        goal->at_least = at_least;
    }
}

void table_at_most(const char *what, double figure, double limit)
{
    note(what, figure, limit, false);
}

void table_at_least(const char *what, double figure, double limit)
{
    note(what, figure, limit, true);
}

static bool is_reached(const struct goal *goal)
{
    return goal->at_least ? goal->figure >= goal->limit : goal->figure <= goal->limit;
}

void table_print_goals(bool json)
{
    if (!json) {
        putchar('\n');
    }
    for (int i = 0; i < goal_count; i++) {
        const struct goal *goal = &goals[i];
        const bool reached = is_reached(goal);
        if (json) {
            printf("{\"goal\":\"%s\",\"%s\":%.6g,\"figure\":%.6g,\"reached\":%s}\n", goal->what,
                   goal->at_least ? "at_least" : "at_most", goal->limit, goal->figure,
                   reached ? "true" : "false");
        } else {
            printf("goal: %s at %s %g: %.2f, %s\n", goal->what, goal->at_least ? "least" : "most",
                   goal->limit, goal->figure, reached ? "reached" : "NOT reached");
        }
    }
}
