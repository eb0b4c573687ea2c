/* crew_test.c - threads that share pieces of work. */
#include "platform/crew.h"

#include <stdatomic.h>

#include "support/memory.h"
#include "support/unit.h"

enum { ITEMS = 1000 };

struct sheet {
    atomic_uint done[ITEMS];
    atomic_uint busy[8]; /* of each worker: items that it is doing now */
    atomic_bool twice;   /* a worker did two at once */
    uint32_t workers;
};

static void tick(void *argument, uint32_t item, uint32_t worker)
{
    struct sheet *sheet = argument;

    assert_in_range(worker, 0, sheet->workers - 1);
    if (atomic_fetch_add(&sheet->busy[worker], 1) != 0) {
        atomic_store(&sheet->twice, true);
    }
    atomic_fetch_add(&sheet->done[item], 1);
    atomic_fetch_sub(&sheet->busy[worker], 1);
}

static void every_item_is_done_once(void **state)
{
    (void)state;
    for (uint32_t workers = 0; workers <= 5; workers++) {
        struct sheet sheet = {.workers = workers > 0 ? workers : 1};
        tpi_crew *crew;
        assert_int_equal(tpi_crew_create(&crew, workers, "test", NULL), TP_OK);
        for (uint32_t count = 0; count <= ITEMS; count = count * 3 + 1) {
            for (uint32_t i = 0; i < ITEMS; i++) {
                atomic_store(&sheet.done[i], 0);
            }
            tpi_crew_run(crew, tick, &sheet, count);
            for (uint32_t i = 0; i < ITEMS; i++) {
                assert_int_equal(atomic_load(&sheet.done[i]), i < count ? 1 : 0);
            }
        }
        assert_false(atomic_load(&sheet.twice));
        tpi_crew_destroy(crew);
    }
}

/* An item that waits until another one has begun: two threads have to be at work. */
static void meet(void *argument, uint32_t item, uint32_t worker)
{
    atomic_uint *there = argument;

    (void)item;
    (void)worker;
    atomic_fetch_add(there, 1);
    while (atomic_load(there) < 2) {
    }
}

static void items_are_done_at_the_same_time(void **state)
{
    atomic_uint there = 0;
    tpi_crew *crew;

    (void)state;
    assert_int_equal(tpi_crew_create(&crew, 2, "test", NULL), TP_OK);
    tpi_crew_run(crew, meet, &there, 2);
    assert_int_equal(atomic_load(&there), 2);
    tpi_crew_destroy(crew);
}

/* Not atomic: the thread sanitizer would tell. */
static void count_up(void *argument, uint32_t item, uint32_t worker)
{
    uint32_t *plain = argument;

    (void)worker;
    plain[item]++;
}

static void what_was_written_is_seen_by_the_owner(void **state)
{
    static uint32_t plain[ITEMS];
    tpi_crew *crew;

    (void)state;
    assert_int_equal(tpi_crew_create(&crew, 3, "test", NULL), TP_OK);
    for (uint32_t round = 0; round < 100; round++) {
        tpi_crew_run(crew, count_up, plain, ITEMS);
        for (uint32_t i = 0; i < ITEMS; i++) {
            assert_int_equal(plain[i], round + 1);
        }
    }
    tpi_crew_destroy(crew);
}

/* So short that workers come in time, come too late, or come for the next run. */
static void who_comes_too_late_changes_nothing(void **state)
{
    static uint32_t plain[4];
    tpi_crew *crew;

    (void)state;
    assert_int_equal(tpi_crew_create(&crew, 4, "test", NULL), TP_OK);
    for (uint32_t round = 0; round < 20000; round++) {
        tpi_crew_run(crew, count_up, plain, 1 + round % 4);
    }
    assert_int_equal(plain[0], 20000);
    assert_int_equal(plain[1], 15000);
    assert_int_equal(plain[2], 10000);
    assert_int_equal(plain[3], 5000);
    tpi_crew_destroy(crew);
}

static void running_takes_no_memory(void **state)
{
    struct sheet sheet = {.workers = 2};
    tpi_crew *crew;

    (void)state;
    assert_int_equal(tpi_crew_create(&crew, 2, "test", NULL), TP_OK);
    const size_t before = memory_allocations();
    tpi_crew_run(crew, tick, &sheet, ITEMS);
    assert_int_equal(memory_allocations(), before);
    tpi_crew_destroy(crew);
}

static tp_status create_and_destroy(void *context)
{
    tpi_crew *crew;
    tp_error err;
    tp_status status = tpi_crew_create(&crew, 3, "test", &err);

    (void)context;
    tpi_crew_destroy(crew);
    return status;
}

static void little_memory_is_told(void **state)
{
    (void)state;
    memory_sweep(create_and_destroy, NULL);
    tpi_crew_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once),
        cmocka_unit_test(items_are_done_at_the_same_time),
        cmocka_unit_test(what_was_written_is_seen_by_the_owner),
        cmocka_unit_test(who_comes_too_late_changes_nothing),
        cmocka_unit_test(running_takes_no_memory),
        cmocka_unit_test(little_memory_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
