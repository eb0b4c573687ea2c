/* pause_test.c - clients that have fallen behind: what they miss is counted, whoever counts it. */
#include "device/inside.h"
#include "support/memory.h"
#include "support/session_scene.h"

static void assert_counts(const struct scene *s, unsigned waiting, unsigned dropped)
{
    assert_int_equal(tp_session_waiting(s->session), waiting);
    assert_int_equal(tp_session_dropped(s->session), dropped);
}

static bool sleeps(const struct scene *s, int which)
{
    return s->devices[which]->paused != NULL && s->devices[which]->readers == NULL;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void who_has_no_room_sleeps_and_what_it_misses_is_counted(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    scene_publish(s, 0, ROOM);
    assert_false(sleeps(s, 0));
    scene_publish(s, 0, 100);
    assert_true(sleeps(s, 0));
    assert_counts(s, ROOM, 100);
    assert_int_equal(s->woken, ROOM);
    scene_take(s, 2);
    assert_false(sleeps(s, 0));
    assert_counts(s, ROOM - 2, 100);
    scene_publish(s, 0, 5);
    assert_counts(s, ROOM, 103);
    scene_end(s);
}

static void each_device_is_missed_for_itself(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    scene_open(s, 1);
    scene_open(s, 1); /* data twice */
    scene_publish(s, 0, ROOM + 1);
    assert_true(sleeps(s, 0));
    assert_false(sleeps(s, 1));
    scene_publish(s, 1, 10);
    assert_true(sleeps(s, 1));
    scene_publish(s, 0, 10);
    assert_counts(s, ROOM, 1 + 20 + 10);
    scene_take(s, 1);
    assert_false(sleeps(s, 0) || sleeps(s, 1));
    assert_counts(s, ROOM - 1, 31);
    scene_end(s);
}

static void what_only_our_clients_get_is_missed_by_these_only(void **state)
{
    for (int ours = 0; ours < 2; ours++) {
        struct scene *s = scene_begin();
        (void)state;
        tp_session_explain_failures(s->session, ours == 1);
        scene_publish(s, 0, ROOM + 1);
        assert_true(sleeps(s, 0));
        assert_int_equal(
            tp_device_set_geometry(
                s->devices[0], &(tp_geometry){.known = TP_GEOMETRY_MEASURED, .pose = {.px = 1}}),
            TP_OK);
        assert_int_equal(s->devices[0]->news, 1);
        assert_counts(s, ROOM, ours == 1 ? 2 : 1);
        tp_session_explain_failures(s->session, ours == 0);
        assert_counts(s, ROOM, ours == 1 ? 2 : 1);
        scene_end(s);
    }
}

static void who_has_rules_or_a_rate_does_not_sleep(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    scene_publish(s, 0, ROOM + 3);
    assert_true(sleeps(s, 0));
    assert_int_equal(tp_session_add_rule(s->session, -1, -1, TP_MSGTYPE_DATA, -1, 0), TP_OK);
    assert_false(sleeps(s, 0));
    scene_publish(s, 0, 3);
    assert_false(sleeps(s, 0));
    assert_counts(s, ROOM, 6);
    scene_end(s);

    s = scene_begin();
    scene_publish(s, 0, ROOM + 3);
    assert_int_equal(tp_session_set_rate(s->session, s->devices[0], 1000), TP_OK);
    assert_false(sleeps(s, 0));
    assert_counts(s, ROOM, 3);
    scene_end(s);
}

static void nothing_is_forgotten_when_a_device_is_closed(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    scene_open(s, 1);
    scene_publish(s, 1, ROOM + 1);
    scene_publish(s, 0, 10);
    assert_counts(s, ROOM, 11);
    assert_int_equal(tp_session_close(s->session, s->devices[0]), TP_OK);
    assert_counts(s, ROOM, 11);
    assert_int_equal(tp_session_close(s->session, s->devices[1]), TP_OK);
    assert_counts(s, 0, 11);
    scene_end(s);
}

static void nothing_is_forgotten_when_a_device_is_removed(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    scene_publish(s, 0, ROOM + 10);
    assert_true(sleeps(s, 0));
    tpi_hub_remove(tp_device_instance(s->devices[0]), scene_ignore, NULL);
    while (tpi_hub_device_count(s->session->hub) > 1) {
        tp_loop_turn(s->p->b.loop, false);
    }
    tp_loop_turn(s->p->b.loop, false);
    assert_true(tp_session_dropped(s->session) >= 10); /* and perhaps that it was removed */
    scene_end(s);
}

static void a_sleeper_costs_nothing(void **state)
{
    struct scene *s = scene_begin();

    (void)state;
    scene_publish(s, 0, ROOM + 1);
    const size_t before = memory_allocations();
    scene_publish(s, 0, 1000);
    scene_take(s, 1);
    scene_publish(s, 0, 1000);
    assert_int_equal(memory_allocations(), before);
    assert_counts(s, ROOM, 1 + 1000 + 999);
    scene_end(s);
}

/* What the driver would make in vain is counted like what was made. */
static void nothing_is_made_while_all_readers_sleep(void **state)
{
    struct scene *s = scene_begin();
    tp_session *first = s->session;

    (void)state;
    scene_publish(s, 0, ROOM + 1);
    assert_int_equal(atomic_load(&s->devices[0]->forms.skipped), 0);
    scene_publish(s, 0, 10);
    assert_int_equal(atomic_load(&s->devices[0]->forms.skipped), 10);
    scene_add_client(s); /* for whom it is made again */
    scene_publish(s, 0, 3);
    assert_int_equal(atomic_load(&s->devices[0]->forms.skipped), 10);
    assert_counts(s, 3, 0);
    scene_leave(s);
    scene_publish(s, 0, 2);
    assert_int_equal(atomic_load(&s->devices[0]->forms.skipped), 12);
    s->session = first;
    assert_counts(s, ROOM, 1 + 10 + 3 + 2);
    scene_take(s, 1);
    scene_publish(s, 0, 1);
    assert_int_equal(atomic_load(&s->devices[0]->forms.skipped), 12);
    assert_counts(s, ROOM, 16);
    tp_device_stat stat;
    tpi_device_describe(s->devices[0], &stat);
    assert_int_equal(stat.published, ROOM + 1 + 10 + 3 + 2 + 1);
    scene_end(s);
}

/* A driver that publishes until it is refused. */
static void who_goes_on_publishing_in_vain_is_refused(void **state)
{
    struct scene *s = scene_begin();
    const tp_ptz_data data = {0};
    int count = 0;

    (void)state;
    scene_publish(s, 0, ROOM + 1);
    while (tp_publish(s->devices[0], TP_PTZ_DATA_STATE, &data, 0) == TP_OK) {
        count++;
    }
    assert_int_equal(count, MOST_IN_VAIN);
    assert_counts(s, ROOM, 1 + MOST_IN_VAIN + 1);
    tpi_output_begin(tp_device_instance(s->devices[0])); /* as the next operation does */
    scene_publish(s, 0, 1);
    scene_end(s);
}

/* What others than the readers need is made. */
static void what_is_kept_or_followed_is_made_for_sleepers_too(void **state)
{
    struct scene *s = scene_begin();
    tp_instance *self = tp_device_instance(s->devices[0]);

    (void)state;
    scene_publish(s, 0, ROOM + 1);
    s->devices[0]->follows = true;
    scene_publish(s, 0, 1);
    s->devices[0]->follows = false;
    tp_instance_keep_all(self, true);
    scene_publish(s, 0, 1);
    tp_instance_keep_all(self, false);
    assert_int_equal(atomic_load(&s->devices[0]->forms.skipped), 0);
    assert_counts(s, ROOM, 3);
    scene_end(s);
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
        cmocka_unit_test(nothing_is_made_while_all_readers_sleep),
        cmocka_unit_test(who_goes_on_publishing_in_vain_is_refused),
        cmocka_unit_test(what_is_kept_or_followed_is_made_for_sleepers_too),
    };

    return cmocka_run_group_tests_name("src/device/sleep", tests, NULL, NULL);
}
