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
    assert_true(tpi_arrival_read(&a, 10 * s, 0, 11 * s, 100, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, 11 * s, 0, 12 * s, 100, true, 0) == 11 * s);
}

static void what_is_left_keeps_its_age_until_it_was_read(void **state)
{
    tpi_arrival a = {0};

    (void)state;
    assert_true(tpi_arrival_read(&a, 10 * s, 0, 15 * s, ROOM, false, ROOM + 7) == 10 * s);
    assert_true(tpi_arrival_read(&a, 15 * s, 0, 16 * s, ROOM, false, 7) == 10 * s);
    assert_true(tpi_arrival_read(&a, 16 * s, 0, 17 * s, 7, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, 17 * s, 0, 18 * s, 7, true, 0) == 17 * s);
}

/* The socket never gets empty, but what is behind those bytes came after they were counted. */
static void a_flood_is_not_old_for_ever(void **state)
{
    tpi_arrival a = {0};

    (void)state;
    assert_true(tpi_arrival_read(&a, 10 * s, 0, 11 * s, ROOM, false, 2 * ROOM) == 10 * s);
    assert_true(tpi_arrival_read(&a, 11 * s, 0, 12 * s, ROOM, false, 2 * ROOM) == 10 * s);
    assert_true(tpi_arrival_read(&a, 12 * s, 0, 13 * s, ROOM, false, 2 * ROOM) == 10 * s);
    assert_true(tpi_arrival_read(&a, 13 * s, 0, 14 * s, ROOM, false, 2 * ROOM) == 11 * s);
}

/* The window was full: the peer's kernel keeps more, and delivers it after the socket was emptied.
 */
static void what_the_peer_still_holds_is_as_old(void **state)
{
    const int64_t ms = TP_NS_PER_MS;
    tpi_arrival a = {.peer_holds = 10 * ROOM, .much = ROOM / 2, .quiet_ns = 5 * ms};
    const int64_t thaw = 20 * s;

    (void)state;
    assert_true(tpi_arrival_read(&a, 10 * s, 0, thaw, ROOM, false, ROOM) == 10 * s);
    assert_true(tpi_arrival_read(&a, thaw, 0, thaw + ms, 8, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, thaw + ms, 0, thaw + 5 * ms, ROOM, false, 9) == 10 * s);
    assert_true(tpi_arrival_read(&a, thaw + 5 * ms, 0, thaw + 9 * ms, 9, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, thaw + 9 * ms, 4 * ms, thaw + 23 * ms, 9, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, thaw + 23 * ms, 5 * ms, thaw + 28 * ms, 9, true, 0) ==
                thaw + 23 * ms);
}

/* It always has something to send: it is not refused for ever. */
static void a_busy_peer_is_not_old_for_ever(void **state)
{
    const int64_t ms = TP_NS_PER_MS;
    tpi_arrival a = {.peer_holds = 10 * ROOM, .much = ROOM / 2, .quiet_ns = 5 * ms};
    int64_t now = 20 * s;
    unsigned slow = 0;
    unsigned fast = 0;

    (void)state;
    assert_true(tpi_arrival_read(&a, 10 * s, 0, now, ROOM / 2, true, 0) == 10 * s);
    for (; tpi_arrival_read(&a, now, 0, now + ms, 100, true, 0) == 10 * s; now += ms) {
        slow++;
    }
    assert_in_range(slow, 295, 305);
    a = (tpi_arrival){.peer_holds = 10 * ROOM, .much = ROOM / 2, .quiet_ns = 5 * ms};
    assert_true(tpi_arrival_read(&a, 10 * s, 0, now, ROOM / 2, true, 0) == 10 * s);
    for (; tpi_arrival_read(&a, now, 0, now + ms, ROOM / 2, true, 0) == 10 * s; now += ms) {
        fast++;
    }
    assert_in_range(fast, 19, 21);
}

static void little_that_was_old_leaves_nothing_behind(void **state)
{
    tpi_arrival a = {.peer_holds = 10 * ROOM, .much = ROOM / 2};

    (void)state;
    assert_true(tpi_arrival_read(&a, 10 * s, 0, 20 * s, 1000, true, 0) == 10 * s);
    assert_true(tpi_arrival_read(&a, 20 * s, 0, 20 * s + 1, 1000, true, 0) == 20 * s);
}

static void what_comes_while_nobody_reads_is_as_old_as_the_pause(void **state)
{
    tpi_arrival a = {0};

    (void)state;
    tpi_arrival_wait(&a, 9 * s, 10 * s, 5);
    tpi_arrival_wait(&a, 12 * s, 13 * s, 50); /* it waits already */
    assert_true(tpi_arrival_read(&a, 19 * s, 0, 20 * s, 50, true, 0) == 9 * s);
    assert_true(tpi_arrival_read(&a, 20 * s, 0, 21 * s, 50, true, 0) == 20 * s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_an_empty_socket_arrived_after_the_turn_before),
        cmocka_unit_test(what_is_left_keeps_its_age_until_it_was_read),
        cmocka_unit_test(a_flood_is_not_old_for_ever),
        cmocka_unit_test(what_the_peer_still_holds_is_as_old),
        cmocka_unit_test(a_busy_peer_is_not_old_for_ever),
        cmocka_unit_test(little_that_was_old_leaves_nothing_behind),
        cmocka_unit_test(what_comes_while_nobody_reads_is_as_old_as_the_pause),
    };

    return cmocka_run_group_tests_name("arrival", tests, NULL, NULL);
}
