/* sleep_test.c - clients that have fallen behind: what they miss is counted, whoever counts it. */
#include <stdlib.h>

#include "conformance/play.h"
#include "device/session.h"
#include "support/memory.h"
#include "troupe/interfaces/ptz.h"

enum { ROOM = 16 };

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
    int woken; /* how often the client was told that there is something */
};

static void count_ready(void *context)
{
    ((struct scene *)context)->woken++;
}

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
    static const tp_session_events events = {.ready = count_ready, .lost = ignore};
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

static void assert_counts(const struct scene *s, unsigned waiting, unsigned dropped)
{
    assert_int_equal(tp_session_waiting(s->session), waiting);
    assert_int_equal(tp_session_dropped(s->session), dropped);
}

static bool sleeps(const struct scene *s, int which)
{
    return s->devices[which]->sleepers != NULL && s->devices[which]->readers == NULL;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void who_has_no_room_sleeps_and_what_it_misses_is_counted(void **state)
{
    struct scene *s = begin();

    (void)state;
    publish(s, 0, ROOM);
    assert_false(sleeps(s, 0));
    publish(s, 0, 100);
    assert_true(sleeps(s, 0));
    assert_counts(s, ROOM, 100);
    assert_int_equal(s->woken, ROOM);
    take(s, 2);
    assert_false(sleeps(s, 0));
    assert_counts(s, ROOM - 2, 100);
    publish(s, 0, 5);
    assert_counts(s, ROOM, 103);
    end(s);
}

static void each_device_is_missed_for_itself(void **state)
{
    struct scene *s = begin();

    (void)state;
    open_device(s, 1);
    open_device(s, 1); /* data twice */
    publish(s, 0, ROOM + 1);
    assert_true(sleeps(s, 0));
    assert_false(sleeps(s, 1));
    publish(s, 1, 10);
    assert_true(sleeps(s, 1));
    publish(s, 0, 10);
    assert_counts(s, ROOM, 1 + 20 + 10);
    take(s, 1);
    assert_false(sleeps(s, 0) || sleeps(s, 1));
    assert_counts(s, ROOM - 1, 31);
    end(s);
}

static void what_only_our_clients_get_is_missed_by_these_only(void **state)
{
    for (int ours = 0; ours < 2; ours++) {
        struct scene *s = begin();
        (void)state;
        tp_session_explain_failures(s->session, ours == 1);
        publish(s, 0, ROOM + 1);
        assert_true(sleeps(s, 0));
        assert_int_equal(
            tp_device_set_geometry(
                s->devices[0], &(tp_geometry){.known = TP_GEOMETRY_MEASURED, .pose = {.px = 1}}),
            TP_OK);
        assert_int_equal(s->devices[0]->news, 1);
        assert_counts(s, ROOM, ours == 1 ? 2 : 1);
        tp_session_explain_failures(s->session, ours == 0);
        assert_counts(s, ROOM, ours == 1 ? 2 : 1);
        end(s);
    }
}

static void who_has_rules_or_a_rate_does_not_sleep(void **state)
{
    struct scene *s = begin();

    (void)state;
    publish(s, 0, ROOM + 3);
    assert_true(sleeps(s, 0));
    assert_int_equal(tp_session_add_rule(s->session, -1, -1, TP_MSGTYPE_DATA, -1, 0), TP_OK);
    assert_false(sleeps(s, 0));
    publish(s, 0, 3);
    assert_false(sleeps(s, 0));
    assert_counts(s, ROOM, 6);
    end(s);

    s = begin();
    publish(s, 0, ROOM + 3);
    assert_int_equal(tp_session_set_rate(s->session, s->devices[0], 1000), TP_OK);
    assert_false(sleeps(s, 0));
    assert_counts(s, ROOM, 3);
    end(s);
}

static void nothing_is_forgotten_when_a_device_is_closed(void **state)
{
    struct scene *s = begin();

    (void)state;
    open_device(s, 1);
    publish(s, 1, ROOM + 1);
    publish(s, 0, 10);
    assert_counts(s, ROOM, 11);
    assert_int_equal(tp_session_close(s->session, s->devices[0]), TP_OK);
    assert_counts(s, ROOM, 11);
    assert_int_equal(tp_session_close(s->session, s->devices[1]), TP_OK);
    assert_counts(s, 0, 11);
    end(s);
}

static void nothing_is_forgotten_when_a_device_is_removed(void **state)
{
    struct scene *s = begin();

    (void)state;
    publish(s, 0, ROOM + 10);
    assert_true(sleeps(s, 0));
    tpi_hub_remove(tp_device_instance(s->devices[0]), ignore, NULL);
    while (tpi_hub_device_count(s->session->hub) > 1) {
        tp_loop_turn(s->p->b.loop, false);
    }
    tp_loop_turn(s->p->b.loop, false);
    assert_true(tp_session_dropped(s->session) >= 10); /* and perhaps that it was removed */
    end(s);
}

static void a_sleeper_costs_nothing(void **state)
{
    struct scene *s = begin();

    (void)state;
    publish(s, 0, ROOM + 1);
    const size_t before = memory_allocations();
    publish(s, 0, 1000);
    take(s, 1);
    publish(s, 0, 1000);
    assert_int_equal(memory_allocations(), before);
    assert_counts(s, ROOM, 1 + 1000 + 999);
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_no_room_sleeps_and_what_it_misses_is_counted),
        cmocka_unit_test(each_device_is_missed_for_itself),
        cmocka_unit_test(what_only_our_clients_get_is_missed_by_these_only),
        cmocka_unit_test(who_has_rules_or_a_rate_does_not_sleep),
        cmocka_unit_test(nothing_is_forgotten_when_a_device_is_closed),
        cmocka_unit_test(nothing_is_forgotten_when_a_device_is_removed),
        cmocka_unit_test(a_sleeper_costs_nothing),
    };

    return cmocka_run_group_tests_name("src/device/sleep", tests, NULL, NULL);
}
