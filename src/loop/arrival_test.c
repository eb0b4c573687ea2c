/* arrival_test.c - how old bytes can be that are read from a socket. */
#include "loop/arrival.h"
#include "support/unit.h"
#include "troupe/clock.h"

enum { ROOM = 65536 };
static const int64_t s = TP_NS_PER_S;

static void bytes_of_an_empty_socket_arrived_after_the_turn_before(void **state)
{
    tpi_arrival a = {0};

    (void)state;
    assert_true(tpi_arrival_read(&a, 10 * s, 11 * s, 100, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, 11 * s, 12 * s, 100, true, 0) == 11 * s);
}

static void what_is_left_keeps_its_age_until_it_was_read(void **state)
{
    tpi_arrival a = {0};

    (void)state;
    assert_true(tpi_arrival_read(&a, 10 * s, 15 * s, ROOM, false, ROOM + 7) == 10 * s);
    assert_true(tpi_arrival_read(&a, 15 * s, 16 * s, ROOM, false, 7) == 10 * s);
    assert_true(tpi_arrival_read(&a, 16 * s, 17 * s, 7, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, 17 * s, 18 * s, 7, true, 0) == 17 * s);
}

/* A pause without bytes makes nothing old; one with bytes does. */
static void what_comes_after_a_pause_is_new_if_nothing_came_in_it(void **state)
{
    tpi_arrival a = {.peer_holds = 10 * ROOM, .much = ROOM / 2};

    (void)state;
    tpi_arrival_wait(&a, 10 * s, 10 * s, 0);
    tpi_arrival_resume(&a, 0);
    assert_true(tpi_arrival_read(&a, 14 * s, 14 * s, 100, true, 0) == 14 * s);
    tpi_arrival_wait(&a, 20 * s, 20 * s, 0);
    tpi_arrival_resume(&a, 100);
    assert_true(tpi_arrival_read(&a, 24 * s, 24 * s, 100, true, 0) == 20 * s);
}

/* The pause began late in a turn: the peer may hold bytes that came before it. */
static void what_the_peer_holds_is_old_after_a_pause_too(void **state)
{
    tpi_arrival a = {.peer_holds = 10 * ROOM, .much = ROOM / 2};

    (void)state;
    tpi_arrival_wait(&a, 10 * s, 11 * s, 0);
    tpi_arrival_resume(&a, 0);
    assert_true(tpi_arrival_read(&a, 14 * s, 14 * s, 100, true, 0) == 10 * s);
}

/* The socket never gets empty, but what is behind those bytes came after they were counted. */
static void a_flood_is_not_old_for_ever(void **state)
{
    tpi_arrival a = {0};

    (void)state;
    assert_true(tpi_arrival_read(&a, 10 * s, 11 * s, ROOM, false, 2 * ROOM) == 10 * s);
    assert_true(tpi_arrival_read(&a, 11 * s, 12 * s, ROOM, false, 2 * ROOM) == 10 * s);
    assert_true(tpi_arrival_read(&a, 12 * s, 13 * s, ROOM, false, 2 * ROOM) == 10 * s);
    assert_true(tpi_arrival_read(&a, 13 * s, 14 * s, ROOM, false, 2 * ROOM) == 11 * s);
}

/* The window was full: the peer's kernel keeps more, and delivers it after the socket was emptied.
 */
static void what_the_peer_still_holds_is_as_old(void **state)
{
    const int64_t ms = TP_NS_PER_MS;
    tpi_arrival a = {.peer_holds = 10 * ROOM, .much = ROOM / 2};
    const int64_t thaw = 20 * s;

    (void)state;
    assert_true(tpi_arrival_read(&a, 10 * s, thaw, ROOM, false, ROOM) == 10 * s);
    assert_true(tpi_arrival_read(&a, thaw, thaw + ms, 8, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, thaw + ms, thaw + 200 * ms, ROOM, false, 9) == 10 * s);
    assert_true(tpi_arrival_read(&a, thaw + 200 * ms, thaw + 400 * ms, 9, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, thaw + 400 * ms, thaw + 800 * ms, 9, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, thaw + 800 * ms, thaw + 900 * ms, 9, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, thaw + 900 * ms, thaw + 950 * ms, 9, true, 0) ==
                thaw + 900 * ms);
}

/* It always has something to send: it is not refused for ever. */
static void a_busy_peer_is_not_old_for_ever(void **state)
{
    const int64_t ms = TP_NS_PER_MS;
    tpi_arrival a = {.peer_holds = 10 * ROOM, .much = ROOM / 2};
    int64_t now = 20 * s;
    unsigned slow = 0;
    unsigned fast = 0;

    (void)state;
    assert_true(tpi_arrival_read(&a, 10 * s, now, ROOM / 2, true, 0) == 10 * s);
    for (; tpi_arrival_read(&a, now, now + ms, 10, true, 0) == 10 * s; now += ms) {
        slow++;
    }
    assert_in_range(slow, 495, 505);
    a = (tpi_arrival){.peer_holds = 10 * ROOM, .much = ROOM / 2};
    assert_true(tpi_arrival_read(&a, 10 * s, now, ROOM / 2, true, 0) == 10 * s);
    for (; tpi_arrival_read(&a, now, now + ms, ROOM / 2, true, 0) == 10 * s; now += ms) {
        fast++;
    }
    assert_in_range(fast, 19, 21);
}

static void little_that_was_old_leaves_nothing_behind(void **state)
{
    tpi_arrival a = {.peer_holds = 10 * ROOM, .much = ROOM / 2};

    (void)state;
    assert_true(tpi_arrival_read(&a, 10 * s, 20 * s, 1000, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, 20 * s, 20 * s + 1, 1000, true, 0) == 20 * s);
}

static void what_comes_while_nobody_reads_is_as_old_as_the_pause(void **state)
{
    tpi_arrival a = {0};

    (void)state;
    tpi_arrival_wait(&a, 9 * s, 10 * s, 5);
    tpi_arrival_wait(&a, 12 * s, 13 * s, 50); /* it waits already */
    assert_true(tpi_arrival_read(&a, 19 * s, 20 * s, 50, true, 0) == 9 * s);
    assert_true(tpi_arrival_read(&a, 20 * s, 21 * s, 50, true, 0) == 20 * s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_an_empty_socket_arrived_after_the_turn_before),
        cmocka_unit_test(what_comes_after_a_pause_is_new_if_nothing_came_in_it),
        cmocka_unit_test(what_the_peer_holds_is_old_after_a_pause_too),
        cmocka_unit_test(what_is_left_keeps_its_age_until_it_was_read),
        cmocka_unit_test(a_flood_is_not_old_for_ever),
        cmocka_unit_test(what_the_peer_still_holds_is_as_old),
        cmocka_unit_test(a_busy_peer_is_not_old_for_ever),
        cmocka_unit_test(little_that_was_old_leaves_nothing_behind),
        cmocka_unit_test(what_comes_while_nobody_reads_is_as_old_as_the_pause),
    };

    return cmocka_run_group_tests_name("arrival", tests, NULL, NULL);
}
