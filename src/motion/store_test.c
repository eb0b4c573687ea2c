/* store_test.c - queues in a store: order, limits, splitting, and their bytes. */
#include "motion/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool add(tpi_motion_store *s, tpi_motion_queue *q, int64_t tau, uint64_t arrival,
                uint32_t size)
{
    static uint8_t bytes[4096];

    memset(bytes, (int)(arrival & 255), size);
    return tpi_motion_queue_add(
        s, q, &(tpi_motion_frame_info){.tau_ns = tau, .arrival = arrival, .size = size}, bytes);
}

static tpi_motion_frame_info take(tpi_motion_store *s, tpi_motion_queue *q)
{
    tpi_motion_frame_info info;
    uint8_t bytes[4096];

    tpi_motion_queue_take(s, q, &info, bytes);
    for (uint32_t i = 0; i < info.size; i++) {
        assert_int_equal(bytes[i], info.arrival & 255);
    }
    return info;
}

static void frames_leave_by_time_then_by_arrival(void **state)
{
    tpi_motion_store s;
    tpi_motion_queue q = {0, 0};
    uint32_t seed = 5;

    (void)state;
    assert_int_equal(tpi_motion_store_init(&s, 3000, 1 << 20), TP_OK);
    for (uint64_t round = 0; round < 3; round++) {
        tpi_motion_frame_info last = {.tau_ns = -1};

        for (uint64_t i = 0; i < 3000; i++) {
            seed = seed * 1664525 + 1013904223;
            assert_true(add(&s, &q, seed >> 24, i, (seed >> 8) % 300));
        }
        assert_false(add(&s, &q, 0, 0, 0)); /* no frame is left */
        for (int i = 0; i < 3000; i++) {
            assert_int_equal(tpi_motion_queue_first(&s, &q)->tau_ns >= last.tau_ns, 1);
            const tpi_motion_frame_info now = take(&s, &q);
            assert_true(now.tau_ns > last.tau_ns || now.arrival > last.arrival);
            last = now;
        }
        assert_null(tpi_motion_queue_first(&s, &q));
        assert_int_equal(s.count, 0);
    }
    tpi_motion_store_fini(&s);
}

static void a_store_without_bytes_refuses_and_recovers(void **state)
{
    tpi_motion_store s;
    tpi_motion_queue q = {0, 0};

    (void)state;
    assert_int_equal(tpi_motion_store_init(&s, 100, 10 * TPI_MOTION_BLOCK - 1), TP_OK);
    for (int round = 0; round < 5; round++) {
        assert_true(add(&s, &q, 1, 1, 5 * TPI_MOTION_BLOCK));
        assert_false(add(&s, &q, 2, 2, 5 * TPI_MOTION_BLOCK + 1));
        assert_true(add(&s, &q, 3, 3, 5 * TPI_MOTION_BLOCK));
        assert_false(add(&s, &q, 4, 4, 1));
        assert_true(add(&s, &q, 5, 5, 0));
        assert_int_equal(take(&s, &q).arrival, 1);
        assert_int_equal(take(&s, &q).arrival, 3);
        assert_int_equal(take(&s, &q).arrival, 5);
    }
    tpi_motion_store_fini(&s);
}

static void a_split_keeps_earlier_frames(void **state)
{
    tpi_motion_store s;
    tpi_motion_queue q = {0, 0}, rest = {0, 0};
    int64_t times[100], sum = 0;

    (void)state;
    assert_int_equal(tpi_motion_store_init(&s, 100, 100 * TPI_MOTION_BLOCK), TP_OK);
    for (uint64_t i = 0; i < 100; i++) {
        assert_true(add(&s, &q, (int64_t)(i * 37 % 100), i, 8));
    }
    tpi_motion_queue_split(&s, &q, 40, &rest);
    assert_int_equal(q.count, 40);
    assert_int_equal(rest.count, 60);
    assert_int_equal(tpi_motion_queue_times(&s, &q, times), 40);
    for (int i = 0; i < 40; i++) {
        sum += times[i];
    }
    assert_int_equal(sum, 39 * 40 / 2);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(take(&s, i < 40 ? &q : &rest).tau_ns, i);
    }
    tpi_motion_store_fini(&s);
}

static void falling_times_make_no_deep_recursion(void **state)
{
    enum { MANY = 200000 };
    tpi_motion_store s;
    tpi_motion_queue q = {0, 0};
    int64_t *times = calloc(MANY, sizeof *times);

    (void)state;
    assert_int_equal(tpi_motion_store_init(&s, MANY, 64), TP_OK);
    for (uint64_t i = 0; i < MANY; i++) {
        assert_true(add(&s, &q, MANY - (int64_t)i, i, 0)); /* falling: the heap becomes a list */
    }
    assert_int_equal(tpi_motion_queue_times(&s, &q, times), MANY);
    for (int64_t i = 1; i <= MANY; i++) {
        assert_int_equal(take(&s, &q).tau_ns, i);
    }
    free(times);
    tpi_motion_store_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_leave_by_time_then_by_arrival),
        cmocka_unit_test(a_store_without_bytes_refuses_and_recovers),
        cmocka_unit_test(a_split_keeps_earlier_frames),
        cmocka_unit_test(falling_times_make_no_deep_recursion),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
