/* answers_test.c - the return queue: order, what may be dropped and what never is. */
#include "motion/answers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void add(tpi_motion_answers *a, uint8_t what, bool passing)
{
    uint8_t record[20];

    memset(record, what, sizeof record);
    tpi_motion_answers_add(a, record, sizeof record, passing);
}

static void expect(tpi_motion_answers *a, uint8_t what)
{
    uint8_t record[20];
    uint16_t records;

    assert_int_equal(tpi_motion_answers_take(a, record, sizeof record, &records), 20);
    assert_int_equal(records, 1);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(record[i], what);
    }
}

static void records_leave_in_the_order_of_issuance(void **state)
{
    tpi_motion_answers a;
    uint8_t all[64];
    uint16_t records;

    (void)state;
    assert_int_equal(tpi_motion_answers_init(&a, 200, 200), TP_OK);
    for (uint8_t i = 0; i < 100; i += 4) { /* wraps around many times */
        add(&a, i, false);
        add(&a, (uint8_t)(i + 1), true);
        add(&a, (uint8_t)(i + 2), true);
        add(&a, (uint8_t)(i + 3), false);
        assert_int_equal(tpi_motion_answers_count(&a), 4);
        for (uint8_t k = 0; k < 4; k++) {
            expect(&a, (uint8_t)(i + k));
        }
    }
    add(&a, 1, true);
    add(&a, 2, false);
    add(&a, 3, true);
    add(&a, 4, true);
    assert_int_equal(tpi_motion_answers_take(&a, all, sizeof all, &records), 60);
    assert_int_equal(records, 3);
    assert_true(all[0] == 1 && all[20] == 2 && all[40] == 3);
    expect(&a, 4);
    assert_false(a.lost);
    tpi_motion_answers_fini(&a);
}

static void old_answers_of_broadcasts_are_dropped_and_counted(void **state)
{
    tpi_motion_answers a;

    (void)state;
    assert_int_equal(tpi_motion_answers_init(&a, 100, 3 * 36), TP_OK);
    for (uint8_t i = 0; i < 10; i++) {
        add(&a, i, true);
    }
    assert_int_equal(a.dropped, 7);
    expect(&a, 7);
    expect(&a, 8);
    expect(&a, 9);
    assert_false(a.lost);
    tpi_motion_answers_fini(&a);
}

static void a_final_signal_without_room_marks_the_client_as_lost(void **state)
{
    tpi_motion_answers a;

    (void)state;
    assert_int_equal(tpi_motion_answers_init(&a, 2 * 36, 100), TP_OK);
    add(&a, 1, false);
    add(&a, 2, false);
    assert_false(a.lost);
    add(&a, 3, false);
    assert_true(a.lost);
    assert_int_equal(a.dropped, 0);
    expect(&a, 1);
    expect(&a, 2);
    tpi_motion_answers_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_leave_in_the_order_of_issuance),
        cmocka_unit_test(old_answers_of_broadcasts_are_dropped_and_counted),
        cmocka_unit_test(a_final_signal_without_room_marks_the_client_as_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
