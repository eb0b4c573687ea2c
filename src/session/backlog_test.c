/* backlog_test.c - clients that are behind with reading, as devices count them. */
#include "support/session_scene.h"

static void wait_s(struct scene *s, double seconds)
{
    bench_move_clock(&s->p->b, seconds);
    tp_loop_turn(s->p->b.loop, false);
}

/* As both devices count. */
static void assert_behind(const struct scene *s, unsigned first, unsigned second)
{
    assert_int_equal(tp_device_behind(s->devices[0]), first);
    assert_int_equal(tp_device_behind(s->devices[1]), second);
}

static void end(struct scene *s)
{
    scene_leave(s);
    assert_behind(s, 0, 0);
    scene_end(s);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void a_quarter_of_the_queue_is_much_until_half_of_it_is_gone(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    scene_publish(s, 0, 4);
    assert_behind(s, 0, 0);
    scene_publish(s, 0, 1);
    assert_behind(s, 1, 0);
    scene_take(s, 2);
    assert_behind(s, 1, 0);
    scene_take(s, 1);
    assert_behind(s, 0, 0);
    end(s);
}

static void large_messages_are_much_too(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    s->session->queue.most_bytes = 1;
    scene_publish(s, 0, 1);
    assert_behind(s, 1, 0);
    scene_take(s, 1);
    assert_behind(s, 0, 0);
    end(s);
}

/* The device that counts need not be the one that sends. */
static void every_opening_counts(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    scene_publish(s, 0, 5);
    scene_open(s, 1);
    scene_open(s, 1);
    assert_behind(s, 1, 2);
    assert_int_equal(tp_session_close(s->session, s->devices[1]), TP_OK);
    assert_behind(s, 1, 1);
    assert_int_equal(tp_session_close(s->session, s->devices[0]), TP_OK); /* what waited is gone */
    assert_behind(s, 0, 0);
    end(s);
}

static void who_takes_nothing_is_not_counted_until_it_goes_on(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    scene_publish(s, 0, 12);
    wait_s(s, 9);
    assert_behind(s, 1, 0);
    scene_take(s, 1); /* slowly is quick enough */
    wait_s(s, 2);
    assert_behind(s, 1, 0);
    wait_s(s, 9);
    assert_behind(s, 1, 0);
    wait_s(s, 2);
    assert_behind(s, 0, 0);
    scene_publish(s, 0, 1);
    scene_open(s, 1);
    assert_behind(s, 0, 0);
    scene_take(s, 1);
    assert_behind(s, 1, 1);
    scene_take(s, 9);
    assert_behind(s, 0, 0);
    end(s);
}

static void who_pulls_is_never_behind(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    tp_session_set_pulls(s->session, true);
    scene_publish(s, 0, 10);
    assert_behind(s, 0, 0);
    tp_session_set_pulls(s->session, false);
    assert_behind(s, 1, 0);
    tp_session_set_pulls(s->session, true);
    assert_behind(s, 0, 0);
    end(s);
}

/* The device that keeps is the first one. */
static void what_is_kept_finds_room_with_those_who_take_part(void **state)
{
    struct scene *s = scene_begin();
    tp_instance *self = tp_device_instance(s->devices[0]);

    (void)state;
    tp_device_keeps(s->devices[0]);
    assert_int_equal(tp_session_close(s->session, s->devices[0]), TP_OK);
    scene_open(s, 0);
    tp_instance_keep_all(self, true);
    scene_publish(s, 0, 3 * ROOM);
    tp_instance_keep_all(self, false);
    scene_publish(s, 0, 1);
    assert_int_equal(tp_session_dropped(s->session), 1);
    scene_take(s, 3 * ROOM);
    assert_null(tp_session_take(s->session));
    end(s);
}

static void what_is_kept_is_lost_for_all_others(void **state)
{
    struct scene *s = scene_begin();
    tp_instance *self = tp_device_instance(s->devices[0]);

    (void)state;
    tp_instance_keep_all(self, true);
    scene_publish(s, 0, 3 * ROOM); /* does not keep */
    assert_int_equal(tp_session_dropped(s->session), 2 * ROOM);
    scene_take(s, ROOM);
    tp_device_keeps(s->devices[0]);
    assert_int_equal(tp_session_close(s->session, s->devices[0]), TP_OK);
    scene_open(s, 0);
    tp_session_set_pulls(s->session, true);
    scene_publish(s, 0, 3 * ROOM); /* pulls */
    assert_int_equal(tp_session_dropped(s->session), 4 * ROOM);
    scene_take(s, ROOM);
    tp_session_set_pulls(s->session, false);
    scene_publish(s, 0, ROOM);
    wait_s(s, 11);
    scene_publish(s, 0, 1); /* takes nothing */
    assert_int_equal(tp_session_dropped(s->session), 4 * ROOM + 1);
    tp_session_goes_on(s->session); /* with a part of the first */
    scene_publish(s, 0, ROOM);
    assert_int_equal(tp_session_dropped(s->session), 4 * ROOM + 1);
    end(s);
}

static void who_leaves_is_behind_no_more(void **state)
{
    struct scene *s = scene_begin();
    tp_session *first = s->session;

    (void)state;
    scene_add_client(s);
    scene_publish(s, 0, 5);
    assert_behind(s, 2, 0);
    scene_leave(s);
    s->session = first;
    assert_behind(s, 1, 0);
    scene_take(s, 5);
    assert_behind(s, 0, 0);
    end(s);
}

static void set_guests(const struct scene *s, tp_right right)
{
    static const tpi_key key = {"anna", "drive", TP_RIGHT_MOVE};
    const tpi_access access = {
        .keys = &key, .key_count = 1, .guests = {right, right, right, right}};

    assert_int_equal(tpi_hub_set_access(s->p->b.hub, &access), TP_OK);
}

/* Else a client that may only read could hold up those that may write. */
static void a_client_that_may_only_read_is_not_waited_for(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    tp_device_keeps(s->devices[1]);
    scene_open(s, 1);
    assert_int_equal(tp_device_participants(s->devices[1]), 1);
    scene_publish(s, 0, 12);
    assert_behind(s, 1, 1);
    set_guests(s, TP_RIGHT_READ);
    assert_behind(s, 0, 0);
    assert_int_equal(tp_device_participants(s->devices[1]), 0);
    scene_open(s, 1);
    assert_behind(s, 0, 0);
    assert_int_equal(tp_device_readers(s->devices[1]), 2);
    assert_int_equal(tp_device_participants(s->devices[1]), 0);
    assert_int_equal(tp_session_show_key(s->session, "drive", 5, NULL), TP_OK);
    assert_behind(s, 1, 2);
    assert_int_equal(tp_device_participants(s->devices[1]), 2);
    end(s);
}

/* What is kept does not fill the queue of an onlooker either. */
static void what_is_kept_is_lost_for_a_client_that_may_only_read(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    tp_device_keeps(s->devices[0]);
    set_guests(s, TP_RIGHT_READ);
    assert_int_equal(tp_session_close(s->session, s->devices[0]), TP_OK);
    scene_open(s, 0);
    tp_instance_keep_all(tp_device_instance(s->devices[0]), true);
    scene_publish(s, 0, 3 * ROOM);
    assert_int_equal(tp_session_dropped(s->session), 2 * ROOM);
    assert_int_equal(tp_session_close(s->session, s->devices[0]), TP_OK);
    assert_int_equal(tp_device_participants(s->devices[0]), 0);
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quarter_of_the_queue_is_much_until_half_of_it_is_gone),
        cmocka_unit_test(large_messages_are_much_too),
        cmocka_unit_test(every_opening_counts),
        cmocka_unit_test(who_takes_nothing_is_not_counted_until_it_goes_on),
        cmocka_unit_test(who_pulls_is_never_behind),
        cmocka_unit_test(what_is_kept_finds_room_with_those_who_take_part),
        cmocka_unit_test(what_is_kept_is_lost_for_all_others),
        cmocka_unit_test(who_leaves_is_behind_no_more),
        cmocka_unit_test(a_client_that_may_only_read_is_not_waited_for),
        cmocka_unit_test(what_is_kept_is_lost_for_a_client_that_may_only_read),
    };

    return cmocka_run_group_tests_name("src/device/behind", tests, NULL, NULL);
}
