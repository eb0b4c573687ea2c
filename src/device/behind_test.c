/* behind_test.c - clients that are behind with reading, as devices count them. */
#include <stdlib.h>

#include "conformance/play.h"
#include "device/session.h"
#include "troupe/interfaces/ptz.h"

enum { ROOM = 16 }; /* so more than 4 are much, until there are 2 */

/* ---- Two devices for which the test speaks --------------------------------------------------- */

static tp_status puppet_init(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops nothing = {0};

    return tp_offer(self, &tp_interface_ptz, NULL, &nothing, NULL, NULL, err);
}

static const tp_driver_ops puppet_ops = {.init = puppet_init};
static const tp_driver puppet = {.abi = TP_DRIVER_ABI,
                                 .name = "puppet",
                                 .summary = "says what the test says",
                                 .ops = &puppet_ops,
                                 .flags = TP_DRIVER_ON_LOOP};

struct scene {
    play *p;
    tp_device *devices[2];
    tp_session *session;
    int opened;
};

static void ignore(void *context)
{
    (void)context;
}

static void count_opened(void *context, const tp_msghdr *request, tp_device *device,
                         tp_status status, const tp_error *err)
{
    (void)request;
    (void)device;
    (void)err;
    assert_int_equal(status, TP_OK);
    ((struct scene *)context)->opened++;
}

static void open_device(struct scene *s, int which)
{
    const int before = s->opened;

    assert_int_equal(
        tp_session_open(s->session, s->devices[which], TP_OPEN_MODE, &(tp_msghdr){0}, count_opened),
        TP_OK);
    while (s->opened == before) {
        tp_loop_turn(s->p->b.loop, false);
    }
}

static struct scene *begin(void)
{
    static const tp_session_limits limits = {.data = ROOM, .replies = 100, .requests = 100};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    struct scene *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->p = play_create();
    play_add(s->p, &puppet, "ptz:0", NULL, NULL);
    play_add(s->p, &puppet, "ptz:1", NULL, NULL);
    s->devices[0] = bench_find(&s->p->b, "ptz:0");
    s->devices[1] = bench_find(&s->p->b, "ptz:1");
    assert_int_equal(
        tp_session_create(&s->session, s->p->b.hub, BENCH_ROBOT, &limits, &events, s, &s->p->b.err),
        TP_OK);
    open_device(s, 0);
    return s;
}

static void end(struct scene *s)
{
    tp_session_destroy(s->session);
    assert_int_equal(tp_device_behind(s->devices[0]), 0);
    play_destroy(s->p);
    free(s);
}

static void publish(struct scene *s, int which, int times)
{
    const tp_ptz_data data = {0};

    for (int i = 0; i < times; i++) {
        assert_int_equal(tp_publish(s->devices[which], TP_PTZ_DATA_STATE, &data, 0), TP_OK);
    }
}

static void take(struct scene *s, int times)
{
    for (int i = 0; i < times; i++) {
        tp_msg *msg = tp_session_take(s->session);
        assert_non_null(msg);
        tp_msg_unref(msg);
    }
}

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

/* ---- Tests ----------------------------------------------------------------------------------- */

static void a_quarter_of_the_queue_is_much_until_half_of_it_is_gone(void **state)
{
    struct scene *s = begin();

    (void)state;
    publish(s, 0, 4);
    assert_behind(s, 0, 0);
    publish(s, 0, 1);
    assert_behind(s, 1, 0);
    take(s, 2);
    assert_behind(s, 1, 0);
    take(s, 1);
    assert_behind(s, 0, 0);
    end(s);
}

static void large_messages_are_much_too(void **state)
{
    struct scene *s = begin();

    (void)state;
    s->session->queue.most_bytes = 1;
    publish(s, 0, 1);
    assert_behind(s, 1, 0);
    take(s, 1);
    assert_behind(s, 0, 0);
    end(s);
}

/* The device that counts need not be the one that sends. */
static void every_opening_counts(void **state)
{
    struct scene *s = begin();

    (void)state;
    publish(s, 0, 5);
    open_device(s, 1);
    open_device(s, 1);
    assert_behind(s, 1, 2);
    assert_int_equal(tp_session_close(s->session, s->devices[1]), TP_OK);
    assert_behind(s, 1, 1);
    assert_int_equal(tp_session_close(s->session, s->devices[0]), TP_OK); /* what waited is gone */
    assert_behind(s, 0, 0);
    end(s);
}

static void who_takes_nothing_is_not_counted_until_it_goes_on(void **state)
{
    struct scene *s = begin();

    (void)state;
    publish(s, 0, 12);
    wait_s(s, 9);
    assert_behind(s, 1, 0);
    take(s, 1); /* slowly is quick enough */
    wait_s(s, 2);
    assert_behind(s, 1, 0);
    wait_s(s, 9);
    assert_behind(s, 1, 0);
    wait_s(s, 2);
    assert_behind(s, 0, 0);
    publish(s, 0, 1);
    open_device(s, 1);
    assert_behind(s, 0, 0);
    take(s, 1);
    assert_behind(s, 1, 1);
    take(s, 9);
    assert_behind(s, 0, 0);
    end(s);
}

static void who_pulls_is_never_behind(void **state)
{
    struct scene *s = begin();

    (void)state;
    tp_session_set_pulls(s->session, true);
    publish(s, 0, 10);
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
    struct scene *s = begin();
    tp_instance *self = tp_device_instance(s->devices[0]);

    (void)state;
    tp_device_keeps(s->devices[0]);
    assert_int_equal(tp_session_close(s->session, s->devices[0]), TP_OK);
    open_device(s, 0);
    tp_instance_keep_all(self, true);
    publish(s, 0, 3 * ROOM);
    tp_instance_keep_all(self, false);
    publish(s, 0, 1);
    assert_int_equal(tp_session_dropped(s->session), 1);
    take(s, 3 * ROOM);
    assert_null(tp_session_take(s->session));
    end(s);
}

static void what_is_kept_is_lost_for_all_others(void **state)
{
    struct scene *s = begin();
    tp_instance *self = tp_device_instance(s->devices[0]);

    (void)state;
    tp_instance_keep_all(self, true);
    publish(s, 0, 3 * ROOM); /* does not keep */
    assert_int_equal(tp_session_dropped(s->session), 2 * ROOM);
    take(s, ROOM);
    tp_device_keeps(s->devices[0]);
    assert_int_equal(tp_session_close(s->session, s->devices[0]), TP_OK);
    open_device(s, 0);
    tp_session_set_pulls(s->session, true);
    publish(s, 0, 3 * ROOM); /* pulls */
    assert_int_equal(tp_session_dropped(s->session), 4 * ROOM);
    take(s, ROOM);
    tp_session_set_pulls(s->session, false);
    publish(s, 0, ROOM);
    wait_s(s, 11);
    publish(s, 0, 1); /* takes nothing */
    assert_int_equal(tp_session_dropped(s->session), 4 * ROOM + 1);
    tp_session_goes_on(s->session); /* with a part of the first */
    publish(s, 0, ROOM);
    assert_int_equal(tp_session_dropped(s->session), 4 * ROOM + 1);
    end(s);
}

static void who_leaves_is_behind_no_more(void **state)
{
    struct scene *s = begin();
    tp_session *first = s->session;
    static const tp_session_limits limits = {.data = ROOM, .replies = 100, .requests = 100};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};

    (void)state;
    assert_int_equal(
        tp_session_create(&s->session, s->p->b.hub, BENCH_ROBOT, &limits, &events, s, &s->p->b.err),
        TP_OK);
    open_device(s, 0);
    publish(s, 0, 5);
    assert_behind(s, 2, 0);
    tp_session_destroy(s->session);
    s->session = first;
    assert_behind(s, 1, 0);
    take(s, 5);
    assert_behind(s, 0, 0);
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
    };

    return cmocka_run_group_tests_name("src/device/behind", tests, NULL, NULL);
}
