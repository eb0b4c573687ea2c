/* estimate_test.c - the estimators on a simulated slow link: a reader that sleeps 0 to 0.1 s, k
 * times for each package. 600 frames, one each 0.1 s. */
#include "motion/estimate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { FRAMES = 600, RUNS = 400, ENOUGH = 30 };
static const int64_t STEP_NS = 100000000;
static const int64_t DURATION_NS = (FRAMES - 1) * (int64_t)100000000;

static double random_of(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* When the reader has cached each package, which was sent at its time. */
static void arrivals_of(int64_t out[FRAMES], int polls, uint64_t seed)
{
    int64_t free_ns = 0;

    for (int i = 0; i < FRAMES; i++) {
        int64_t at = i * STEP_NS > free_ns ? i * STEP_NS : free_ns;

        for (int k = 0; k < polls; k++) {
            at += (int64_t)(random_of(&seed) * 1e8);
        }
        out[i] = free_ns = at;
    }
}

/* The earliest start at which no frame is late. */
static int64_t best_start(const int64_t arrivals[FRAMES])
{
    int64_t best = arrivals[0];

    for (int i = 0; i < FRAMES; i++) {
        const int64_t need = arrivals[i] - i * STEP_NS;

        best = need > best ? need : best;
    }
    return best;
}

/* When a playback starts: the bound is looked at again with each arrival, the paper's once. */
static int64_t start_of(const int64_t arrivals[FRAMES], tpi_motion_estimator estimator)
{
    tpi_motion_estimate e = {0};
    int64_t start = 0;

    for (int i = 0; i < FRAMES; i++) {
        const bool known =
            i > 0 && tpi_motion_estimate_start(&e, estimator, FRAMES, DURATION_NS, &start);

        if (known && estimator == TPI_MOTION_UPPER_BOUND && start <= arrivals[i]) {
            return start > arrivals[i - 1] ? start : arrivals[i - 1];
        }
        tpi_motion_estimate_add(&e, arrivals[i], i * STEP_NS);
        if (estimator == TPI_MOTION_OF_THE_PAPER && i == ENOUGH) {
            tpi_motion_estimate_start(&e, estimator, FRAMES, DURATION_NS, &start);
            return start > arrivals[i] ? start : arrivals[i];
        }
    }
    return arrivals[FRAMES - 1];
}

struct figures {
    int stalls;     /* runs in which a frame is late */
    double finish;  /* mean finish, as a ratio to the best possible */
    double short_s; /* by how much the start was too early, where it was */
};

static struct figures measure(int polls, tpi_motion_estimator estimator)
{
    struct figures f = {0, 0, 0};

    for (uint64_t run = 0; run < RUNS; run++) {
        int64_t arrivals[FRAMES];

        arrivals_of(arrivals, polls, run * 977 + 13);
        const int64_t best = best_start(arrivals), start = start_of(arrivals, estimator);
        f.finish += (double)(start + DURATION_NS) / (double)(best + DURATION_NS) / RUNS;
        if (start < best) {
            f.stalls++;
            f.short_s += (double)(best - start) * 1e-9;
        }
    }
    f.short_s /= f.stalls > 0 ? f.stalls : 1;
    return f;
}

static void nothing_is_said_before_enough_is_known(void **state)
{
    tpi_motion_estimate e = {0};
    int64_t start;

    (void)state;
    for (int i = 0; i <= TPI_MOTION_ESTIMATE_LEAST; i++) {
        assert_false(tpi_motion_estimate_start(&e, TPI_MOTION_UPPER_BOUND, 9, 800000000, &start));
        tpi_motion_estimate_add(&e, 1000 + i * 2 * STEP_NS, i * STEP_NS);
    }
    /* Spacings without scatter: three more frames come at twice the spacing. */
    assert_true(tpi_motion_estimate_start(&e, TPI_MOTION_UPPER_BOUND, 9, 800000000, &start));
    assert_int_equal(start, 1000 + 5 * 2 * STEP_NS + 3 * 2 * STEP_NS - 800000000);
    assert_true(tpi_motion_estimate_start(&e, TPI_MOTION_OF_THE_PAPER, 9, 800000000, &start));
    assert_int_equal(start, 1000 + 800000000);
}

static void the_bound_seldom_stalls_and_finishes_near_the_best(void **state)
{
    (void)state;
    for (int polls = 1; polls <= 4; polls++) {
        const struct figures f = measure(polls, TPI_MOTION_UPPER_BOUND);

        print_message("# bound, %d polls: %d of %d runs stall, finish %.3f of the best\n", polls,
                      f.stalls, RUNS, f.finish);
        if (polls >= 3) {
            assert_true(f.stalls <= RUNS / 20);
            assert_true(f.finish <= 1.04);
        } else {
            assert_true(f.finish <= 1.12);
        }
    }
}

static void the_papers_estimate_is_too_short_in_half_of_the_runs(void **state)
{
    (void)state;
    for (int polls = 3; polls <= 4; polls++) {
        const struct figures f = measure(polls, TPI_MOTION_OF_THE_PAPER);

        print_message("# paper, %d polls: %d of %d runs stall, by %.1f s, finish %.3f\n", polls,
                      f.stalls, RUNS, f.short_s, f.finish);
        assert_in_range(f.stalls, RUNS * 40 / 100, RUNS * 60 / 100);
        assert_true(f.short_s > 1 && f.short_s < 10);
    }
}

static void the_order_of_frames_does_not_matter(void **state)
{
    static const int64_t orders[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 2, 7, 6, 5, 4, 3}};
    int64_t starts[2];

    (void)state;
    for (int k = 0; k < 2; k++) {
        tpi_motion_estimate estimate = {0};

        for (int64_t i = 0; i < 8; i++) {
            tpi_motion_estimate_add(&estimate, i * 150000000, orders[k][i] * 100000000);
        }
        assert_true(tpi_motion_estimate_start(&estimate, TPI_MOTION_OF_THE_PAPER, 20, 2000000000,
                                              &starts[k]));
    }
    assert_int_equal(starts[0], 1000000000); /* half of the duration */
    assert_int_equal(starts[1], starts[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_frames_does_not_matter),
        cmocka_unit_test(nothing_is_said_before_enough_is_known),
        cmocka_unit_test(the_bound_seldom_stalls_and_finishes_near_the_best),
        cmocka_unit_test(the_papers_estimate_is_too_short_in_half_of_the_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
