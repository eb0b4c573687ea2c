/* panic_test.c - raising, resetting and being woken, from several threads and a signal handler. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "safety/panic.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/clock.h"

static int set_up(void **state)
{
    tpi_panic *panic = NULL;

    assert_int_equal(tpi_panic_create(&panic, tp_clock_real(), NULL, NULL, NULL), TP_OK);
    *state = panic;
    return 0;
}

static int tear_down(void **state)
{
    tpi_panic_destroy(*state);
    return 0;
}

static void is_off_at_first(void **state)
{
    const tpi_panic *panic = *state;
    tpi_panic_state look;

    assert_false(tpi_panic_is_on(panic));
    tpi_panic_look(panic, &look);
    assert_false(look.on);
    assert_string_equal(look.who, "");
}

static void stays_until_it_is_reset(void **state)
{
    tpi_panic *panic = *state;
    tpi_panic_state look;

    tpi_panic_raise(panic, "anna", "smoke");
    tpi_panic_raise(panic, "berta", "more smoke");
    tpi_panic_look(panic, &look);
    assert_true(look.on);
    assert_string_equal(look.who, "anna"); /* the first one */
    assert_string_equal(look.why, "smoke");
    assert_int_equal(look.raises, 2);
    assert_string_equal(look.last_who, "berta"); /* and the last one */
    assert_string_equal(look.last_why, "more smoke");
    assert_true(look.since_ns > 0 && look.since_ns <= tp_clock_now_ns(tp_clock_real()));
    assert_true(look.since_s > 0 && look.since_s <= tp_clock_wall_s(tp_clock_real()));
    assert_int_equal(look.epoch, tpi_panic_epoch(panic));
    assert_true(tpi_panic_reset(panic, look.epoch));
    assert_false(tpi_panic_is_on(panic));
    assert_int_not_equal(look.epoch, tpi_panic_epoch(panic));
    tpi_panic_look(panic, &look);
    assert_string_equal(look.last_why, "");
    assert_int_equal(look.raises, 0);
}

static tp_status create_and_destroy(void *context)
{
    tpi_panic *panic = NULL;
    const tp_status status = tpi_panic_create(&panic, tp_clock_real(), NULL, NULL, NULL);

    (void)context;
    tpi_panic_destroy(panic); /* NULL if there is none */
    return status;
}

/* The lowest number of a file that is free. */
static int free_file(void)
{
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    close(fd);
    return fd;
}

static void memory_may_run_out(void **state)
{
    const int before = free_file();

    (void)state;
    memory_sweep(create_and_destroy, NULL);
    assert_int_equal(free_file(), before); /* none is left open, and no other one is closed */
}

struct seen {
    const tpi_panic *panic;
    unsigned told;
    bool on; /* the last time */
};

static void tell(void *context)
{
    struct seen *seen = context;

    seen->told++;
    seen->on = tpi_panic_is_on(seen->panic);
}

static void both_ends_are_told_when_they_are_true(void **state)
{
    struct seen seen = {0};
    tpi_panic *panic = NULL;

    (void)state;
    assert_int_equal(tpi_panic_create(&panic, tp_clock_real(), tell, &seen, NULL), TP_OK);
    seen.panic = panic;
    tpi_panic_raise(panic, "anna", "smoke");
    assert_true(seen.told == 1 && seen.on);
    assert_true(tpi_panic_reset(panic, tpi_panic_epoch(panic)));
    assert_true(seen.told == 2 && !seen.on);
    tpi_panic_raise_by_signal(panic);
    while (!tpi_panic_is_on(panic)) {
        sched_yield();
    }
    assert_true(tpi_panic_reset(panic, tpi_panic_epoch(panic)));
    tpi_panic_destroy(panic);
    assert_int_equal(seen.told, 4); /* a signal raises it once */
}

/* One that has not joined changes nothing for the others. */
static void a_seat_leaves_once(void **state)
{
    tpi_panic *panic = *state;
    tpi_bell bells[2];
    tpi_panic_seat seats[2];

    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(tpi_bell_init(&bells[i], NULL), TP_OK);
        seats[i] = (tpi_panic_seat){.bell = &bells[i]};
    }
    tpi_panic_leave(panic, &seats[0]); /* nobody is there */
    tpi_panic_join(panic, &seats[0]);
    tpi_panic_leave(panic, &seats[1]);
    tpi_panic_raise(panic, "anna", "smoke");
    tpi_wait(&bells[0].fd, 1, TP_NEVER); /* it is still woken */
    tpi_panic_leave(panic, &seats[0]);
    for (unsigned i = 0; i < 2; i++) {
        tpi_bell_fini(&bells[i]);
    }
}

static void an_old_reset_does_not_end_a_new_panic(void **state)
{
    tpi_panic *panic = *state;

    tpi_panic_raise(panic, "a", "b");
    const unsigned first = tpi_panic_epoch(panic);
    assert_true(tpi_panic_reset(panic, first));
    assert_false(tpi_panic_reset(panic, first));
    tpi_panic_raise(panic, "a", "b");
    assert_false(tpi_panic_reset(panic, first));
    assert_true(tpi_panic_is_on(panic));
}

/* The list is in the order in which they are woken. */
static void hardware_is_woken_first(void **state)
{
    tpi_panic *panic = *state;
    static const tpi_panic_rank ranks[] = {TPI_PANIC_LOOKS, TPI_PANIC_COMMANDS, TPI_PANIC_MOVES,
                                           TPI_PANIC_LOOKS, TPI_PANIC_MOVES,    TPI_PANIC_COMMANDS};
    enum { SEATS = sizeof ranks / sizeof ranks[0] };
    tpi_panic_seat seats[SEATS];
    tpi_bell bell;
    const tpi_panic_seat *at;

    assert_int_equal(tpi_bell_init(&bell, NULL), TP_OK);
    for (int i = 0; i < SEATS; i++) {
        seats[i] = (tpi_panic_seat){.bell = &bell, .rank = ranks[i]};
        tpi_panic_join(panic, &seats[i]);
    }
    at = &seats[4]; /* the newest of the first rank */
    for (int i = 0; i < SEATS; i++, at = at->next) {
        assert_non_null(at);
        assert_int_equal(at->rank, i / 2);
    }
    assert_null(at);
    for (int i = 0; i < SEATS; i++) {
        tpi_panic_leave(panic, &seats[i]);
    }
    tpi_bell_fini(&bell);
}

static void wakes_everybody_who_has_a_seat(void **state)
{
    tpi_panic *panic = *state;
    tpi_bell bells[3];
    tpi_panic_seat seats[3];

    for (int i = 0; i < 3; i++) {
        assert_int_equal(tpi_bell_init(&bells[i], NULL), TP_OK);
        seats[i] = (tpi_panic_seat){.bell = &bells[i]};
        tpi_panic_join(panic, &seats[i]);
    }
    tpi_panic_leave(panic, &seats[1]);
    tpi_panic_raise(panic, "a", "b");
    assert_int_equal(tpi_wait(&bells[0].fd, 1, 0), 1);
    assert_int_equal(tpi_wait(&bells[1].fd, 1, 0), 0);
    assert_int_equal(tpi_wait(&bells[2].fd, 1, 0), 1);
    tpi_bell_silence(&bells[0]);
    tpi_panic_raise(panic, "a", "again"); /* who is deaf is rung again */
    assert_int_equal(tpi_wait(&bells[0].fd, 1, 0), 1);
    tpi_bell_silence(&bells[0]);
    tpi_panic_wake(panic);
    assert_int_equal(tpi_wait(&bells[0].fd, 1, 0), 1);
    tpi_panic_leave(panic, &seats[0]);
    tpi_panic_leave(panic, &seats[2]);
    for (int i = 0; i < 3; i++) {
        tpi_bell_fini(&bells[i]);
    }
}

/* ---- A signal -------------------------------------------------------------------------------- */

static tpi_panic *of_handler;

static void on_signal(int number)
{
    (void)number;
    tpi_panic_raise_by_signal(of_handler);
}

static void a_signal_raises_it_without_any_loop(void **state)
{
    tpi_panic *panic = *state;
    tpi_bell bell;
    tpi_panic_state look;

    assert_int_equal(tpi_bell_init(&bell, NULL), TP_OK);
    tpi_panic_seat seat = {.bell = &bell};
    tpi_panic_join(panic, &seat);
    of_handler = panic;
    assert_ptr_not_equal(signal(SIGUSR1, on_signal), SIG_ERR);
    assert_int_equal(raise(SIGUSR1), 0);
    tpi_wait(&bell.fd, 1, TP_NEVER);
    tpi_panic_look(panic, &look);
    assert_true(look.on);
    assert_string_equal(look.who, "signal");
    tpi_panic_leave(panic, &seat);
    tpi_bell_fini(&bell);
}

/* ---- Many threads ---------------------------------------------------------------------------- */

enum { ROUNDS = 2000 };

static void raise_often(void *context)
{
    for (int i = 0; i < ROUNDS; i++) {
        tpi_panic_raise(context, "thread", "test");
    }
}

/* A reset that succeeded ended the panic that it named and no other. */
static void raising_and_resetting_may_meet(void **state)
{
    tpi_panic *panic = *state;
    tpi_thread *threads[3] = {NULL};

    for (int i = 0; i < 3; i++) {
        assert_int_equal(tpi_thread_start(&threads[i], "raiser", raise_often, panic, NULL), TP_OK);
    }
    for (int i = 0; i < ROUNDS; i++) {
        const unsigned epoch = tpi_panic_epoch(panic);
        if (tpi_panic_reset(panic, epoch)) {
            assert_int_equal(epoch & 1, 1);
            assert_int_not_equal(tpi_panic_epoch(panic), epoch);
        }
    }
    for (int i = 0; i < 3; i++) {
        tpi_thread_join(threads[i]);
    }
    tpi_panic_raise(panic, "last", "one");
    assert_true(tpi_panic_is_on(panic));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(is_off_at_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stays_until_it_is_reset, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_old_reset_does_not_end_a_new_panic, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_seat_leaves_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hardware_is_woken_first, set_up, tear_down),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(both_ends_are_told_when_they_are_true),
        cmocka_unit_test_setup_teardown(wakes_everybody_who_has_a_seat, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_signal_raises_it_without_any_loop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(raising_and_resetting_may_meet, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
