/* lease_test.c - leases that run out, are renewed, and are over; and two threads at one. */
#include "platform/thread.h"
#include "safety/lease.h"
#include "support/unit.h"

static void nothing_is_held_at_first(void **state)
{
    tpi_lease lease;

    (void)state;
    tpi_lease_init(&lease);
    assert_false(tpi_lease_is_held(&lease, 0));
    assert_false(tpi_lease_take_expired(&lease, INT64_MAX - 2));
    assert_true(tpi_lease_deadline(&lease) == TP_NEVER);
    tpi_lease_renew(&lease, 0, 100); /* nothing to renew */
    tpi_lease_end(&lease);           /* nothing to end */
    assert_true(tpi_lease_deadline(&lease) == TP_NEVER);
}

static void ends_once_at_its_time(void **state)
{
    tpi_lease lease;

    (void)state;
    tpi_lease_init(&lease);
    tpi_lease_extend(&lease, 100);
    assert_true(tpi_lease_is_held(&lease, 99));
    assert_false(tpi_lease_is_held(&lease, 100));
    assert_true(tpi_lease_deadline(&lease) == 100);
    assert_false(tpi_lease_take_expired(&lease, 99));
    assert_true(tpi_lease_take_expired(&lease, 100));
    assert_false(tpi_lease_take_expired(&lease, 101));
    assert_false(tpi_lease_is_held(&lease, 0));
}

static void a_word_of_the_mover_renews_it(void **state)
{
    tpi_lease lease;

    (void)state;
    tpi_lease_init(&lease);
    tpi_lease_extend(&lease, 100);
    tpi_lease_renew(&lease, 99, 200);
    assert_false(tpi_lease_take_expired(&lease, 150));
    assert_true(tpi_lease_take_expired(&lease, 200));
    tpi_lease_renew(&lease, 200, 300); /* too late: what was moving has been stopped */
    assert_false(tpi_lease_is_held(&lease, 250));
}

/* The worker has not seen the end yet: it was frozen, too. */
static void a_message_after_the_end_does_not_renew_it(void **state)
{
    tpi_lease lease;

    (void)state;
    tpi_lease_init(&lease);
    tpi_lease_extend(&lease, 100);
    tpi_lease_renew(&lease, 100, 200);
    assert_false(tpi_lease_is_held(&lease, 100));
    assert_true(tpi_lease_take_expired(&lease, 100));
}

static void is_over_at_once_when_the_mover_is_gone(void **state)
{
    tpi_lease lease;

    (void)state;
    tpi_lease_init(&lease);
    tpi_lease_extend(&lease, 1000);
    tpi_lease_end(&lease);
    assert_false(tpi_lease_is_held(&lease, 10));
    tpi_lease_renew(&lease, 0, 2000); /* a word that was on its way brings nothing back */
    assert_false(tpi_lease_is_held(&lease, 10));
    assert_true(tpi_lease_deadline(&lease) < 0);
    assert_true(tpi_lease_take_expired(&lease, 10));
    assert_false(tpi_lease_take_expired(&lease, 10));
}

static void an_unlimited_one_only_ends_by_being_ended(void **state)
{
    tpi_lease lease;

    (void)state;
    tpi_lease_init(&lease);
    tpi_lease_extend(&lease, TPI_LEASE_UNLIMITED);
    assert_true(tpi_lease_is_held(&lease, INT64_MAX - 2));
    assert_true(tpi_lease_deadline(&lease) == TP_NEVER);
    assert_false(tpi_lease_take_expired(&lease, INT64_MAX - 2));
    tpi_lease_end(&lease);
    assert_true(tpi_lease_take_expired(&lease, 0));
}

/* ---- Two threads ----------------------------------------------------------------------------- */

enum { ROUNDS = 200000 };

struct pair {
    tpi_lease lease;
    atomic_bool moving; /* what the worker would do to the motor */
    atomic_int extended;
    atomic_bool quit;
    unsigned stops;
};

static void work(void *context)
{
    struct pair *pair = context;
    int seen = 0;

    while (!atomic_load(&pair->quit)) {
        const int extended = atomic_load(&pair->extended);
        if (extended != seen && tpi_lease_is_held(&pair->lease, 0)) {
            atomic_store(&pair->moving, true);
        }
        seen = extended;
        if (tpi_lease_take_expired(&pair->lease, 0)) {
            atomic_store(&pair->moving, false);
            pair->stops++;
        }
    }
    if (tpi_lease_take_expired(&pair->lease, 0)) {
        atomic_store(&pair->moving, false);
    }
}

/* However the two meet: once the lease was ended and the worker has looked, nothing moves. */
static void nothing_moves_after_the_end_however_threads_meet(void **state)
{
    struct pair pair = {0};
    tpi_thread *thread = NULL;

    (void)state;
    tpi_lease_init(&pair.lease);
    assert_int_equal(tpi_thread_start(&thread, "worker", work, &pair, NULL), TP_OK);
    for (int i = 0; i < ROUNDS; i++) {
        tpi_lease_extend(&pair.lease, 1000);
        atomic_fetch_add(&pair.extended, 1);
        tpi_lease_renew(&pair.lease, 0, 2000);
        tpi_lease_end(&pair.lease);
        tpi_lease_renew(&pair.lease, 0, 3000);
        assert_false(tpi_lease_is_held(&pair.lease, 0));
    }
    atomic_store(&pair.quit, true);
    tpi_thread_join(thread);
    assert_false(atomic_load(&pair.moving));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_held_at_first),
        cmocka_unit_test(ends_once_at_its_time),
        cmocka_unit_test(a_word_of_the_mover_renews_it),
        cmocka_unit_test(a_message_after_the_end_does_not_renew_it),
        cmocka_unit_test(is_over_at_once_when_the_mover_is_gone),
        cmocka_unit_test(an_unlimited_one_only_ends_by_being_ended),
        cmocka_unit_test(nothing_moves_after_the_end_however_threads_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
