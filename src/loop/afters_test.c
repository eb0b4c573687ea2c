/* afters_test.c - what comes last: behind all others, and for half of the time at most. */
#include "loop/afters.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

enum { MANY = 64 };

static const int64_t ms = TP_NS_PER_MS;

/* A callback that takes some time. */
struct work {
    tp_after after;
    struct bench *b;
    int64_t takes_ns;
    char letter;
    bool again; /* it queues itself as what comes last */
};

struct bench {
    tp_clock clock;
    int64_t now_ns;
    tpi_afters afters;
    struct work works[MANY];
    char trace[4 * MANY];
};

static int64_t now_ns(const tp_clock *clock)
{
    return ((const struct bench *)clock->context)->now_ns;
}

static double wall_s(const tp_clock *clock)
{
    return (double)now_ns(clock) / (double)TP_NS_PER_S;
}

static void run(tp_after *after)
{
    struct work *work = (struct work *)after;
    struct bench *b = work->b;
    const size_t length = strlen(b->trace);

    assert_true(length + 1 < sizeof b->trace);
    b->trace[length] = work->letter;
    b->now_ns += work->takes_ns;
    if (work->again) {
        tpi_afters_add(&b->afters, after, TPI_LAST);
    }
}

static struct bench *begin(bool may_rest)
{
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    b->clock = (tp_clock){.now_ns = now_ns, .wall_s = wall_s, .context = b};
    b->now_ns = 1000 * TP_NS_PER_S;
    tpi_afters_init(&b->afters, &b->clock, may_rest);
    return b;
}

/* Queue so many callbacks with the letters from `letter` on, of `takes_ns` each. */
static void add(struct bench *b, unsigned from, unsigned count, char letter, int64_t takes_ns,
                tpi_urgency urgency)
{
    for (unsigned i = from; i < from + count; i++) {
        b->works[i] = (struct work){.after.run = run,
                                    .b = b,
                                    .takes_ns = takes_ns,
                                    .letter = (char)(letter + (int)(i - from))};
        tpi_afters_add(&b->afters, &b->works[i].after, urgency);
    }
}

/* The end of a turn that runs these. */
static void expect(struct bench *b, const char *letters)
{
    tpi_afters_run(&b->afters);
    assert_string_equal(b->trace, letters);
    memset(b->trace, 0, sizeof b->trace);
}

static void what_comes_last_runs_behind_all_others(void **state)
{
    struct bench *b = begin(true);

    (void)state;
    add(b, 0, 2, 'x', 0, TPI_LAST);
    add(b, 2, 2, 'l', 0, TPI_LATER);
    add(b, 4, 2, 'a', 0, TPI_AFTER);
    assert_true(tpi_afters_due_ns(&b->afters) == INT64_MIN);
    expect(b, "ablmxy");
    assert_true(tpi_afters_due_ns(&b->afters) == TP_NEVER);
    free(b);
}

static void what_waits_becomes_more_urgent_and_never_less(void **state)
{
    struct bench *b = begin(true);

    (void)state;
    add(b, 0, 3, 'x', 0, TPI_LAST);
    add(b, 3, 1, 'l', 0, TPI_LATER);
    tpi_afters_add(&b->afters, &b->works[1].after, TPI_LATER);
    tpi_afters_add(&b->afters, &b->works[2].after, TPI_AFTER);
    tpi_afters_add(&b->afters, &b->works[2].after, TPI_LAST);
    tpi_afters_cancel(&b->afters, &b->works[0].after);
    expect(b, "zly");
    free(b);
}

/* Half a millisecond of work, then as long a rest, in which others run. */
static void what_comes_last_rests_as_long_as_it_works(void **state)
{
    struct bench *b = begin(true);

    (void)state;
    add(b, 0, 8, 'q', ms / 4, TPI_LAST);
    expect(b, "qr");
    assert_true(tpi_afters_due_ns(&b->afters) == b->now_ns + ms / 2);
    b->now_ns += ms / 2 - 1;
    add(b, 8, 1, 'a', 0, TPI_AFTER);
    expect(b, "a");
    b->now_ns++;
    expect(b, "st");
    b->now_ns += 10 * ms;
    expect(b, "uv");
    free(b);
}

/* The same if it is a little in each of many turns, and each of them queues more. */
static void a_little_in_each_turn_is_counted_together(void **state)
{
    struct bench *b = begin(true);
    const int64_t begun_ns = b->now_ns;
    int64_t worked_ns = 0;

    (void)state;
    add(b, 0, 1, 'q', ms / 10, TPI_LAST);
    b->works[0].again = true;
    for (int i = 0; i < 100; i++) {
        const int64_t due_ns = tpi_afters_due_ns(&b->afters);

        b->now_ns = due_ns > b->now_ns ? due_ns : b->now_ns;
        expect(b, "q");
        worked_ns += ms / 10;
    }
    assert_in_range(b->now_ns - begun_ns, 2 * worked_ns - ms, 2 * worked_ns + ms);
    free(b);
}

static void one_that_takes_long_is_run_all_the_same(void **state)
{
    struct bench *b = begin(true);

    (void)state;
    add(b, 0, 2, 'q', 20 * ms, TPI_LAST);
    expect(b, "q");
    assert_true(tpi_afters_due_ns(&b->afters) == b->now_ns + 20 * ms);
    b->now_ns += 20 * ms;
    expect(b, "r");
    free(b);
}

static void where_no_clock_ends_a_rest_the_next_turn_goes_on(void **state)
{
    struct bench *b = begin(false);

    (void)state;
    add(b, 0, 4, 'q', ms, TPI_LAST);
    for (char letter = 'q'; letter <= 't'; letter++) {
        assert_true(tpi_afters_due_ns(&b->afters) == INT64_MIN);
        expect(b, (const char[]){letter, '\0'});
    }
    assert_true(tpi_afters_due_ns(&b->afters) == TP_NEVER);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_last_runs_behind_all_others),
        cmocka_unit_test(what_waits_becomes_more_urgent_and_never_less),
        cmocka_unit_test(what_comes_last_rests_as_long_as_it_works),
        cmocka_unit_test(a_little_in_each_turn_is_counted_together),
        cmocka_unit_test(one_that_takes_long_is_run_all_the_same),
        cmocka_unit_test(where_no_clock_ends_a_rest_the_next_turn_goes_on),
    };

    return cmocka_run_group_tests_name("loop/afters", tests, NULL, NULL);
}
