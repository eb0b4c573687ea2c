/* relay_test.c - passthrough and relay thin data out and repeat the last; all on one opening. */
#include "conformance/puppet.h"
#include "device/inside.h"
#include "troupe/interfaces/opaque.h"
#include "troupe/interfaces/position1d.h"

extern const tp_driver tp_driver_passthrough;
extern const tp_driver tp_driver_relay;

static play *begin(const tp_driver *driver, const char *settings)
{
    play *p = play_create();

    play_add(p, &puppet_driver, "position1d:0", NULL, NULL);
    play_add(p, driver, "position1d:1", "position1d:0", settings);
    play_open(p);
    return p;
}

/* The source says where it is, some time after what it said before. */
static void say(play *p, double after_s, float pos)
{
    const tp_position1d_data data = {.pos = pos};

    puppet_wait(&p->b, after_s);
    puppet_send(&p->b, "position1d:0", TP_POSITION1D_DATA_STATE, &data);
}

/* So much data has come, the last of it this. */
static void assert_seen(const bench_reader *r, uint32_t count, float pos)
{
    assert_int_equal(r->counts[TP_POSITION1D_DATA_STATE], count);
    const tp_position1d_data *last = tp_msg_payload(r->last[TP_POSITION1D_DATA_STATE]);
    assert_true(last->pos == pos);
}

static void without_settings_all_data_comes_out(void **state)
{
    play *p = begin(&tp_driver_relay, NULL);

    (void)state;
    say(p, 0, 1);
    say(p, 0, 1);
    say(p, 0.001, 1);
    assert_seen(&p->r, 3, 1);
    play_destroy(p);
}

static void data_comes_at_most_at_the_rate_and_the_newest_is_not_lost(void **state)
{
    play *p = begin(&tp_driver_relay, "rate=10");

    (void)state;
    say(p, 0, 1);
    assert_seen(&p->r, 1, 1);
    say(p, 0.03, 2);
    say(p, 0.03, 3);
    assert_seen(&p->r, 1, 1);
    puppet_wait(&p->b, 0.03);
    assert_seen(&p->r, 1, 1);
    puppet_wait(&p->b, 0.01); /* a tenth of a second has passed */
    assert_seen(&p->r, 2, 3);
    play_assert_near(tp_msg_header(p->r.last[TP_POSITION1D_DATA_STATE])->timestamp, 1.06);
    puppet_wait(&p->b, 1);
    assert_seen(&p->r, 2, 3); /* nothing is sent twice */
    say(p, 0, 4);
    assert_seen(&p->r, 3, 4);
    play_destroy(p);
}

/* A source that is a little late each time does not slow the relay down. */
static void the_rate_is_kept_over_time(void **state)
{
    play *p = begin(&tp_driver_relay, "rate=10");

    (void)state;
    for (int i = 0; i <= 100; i++) { /* 3 s at 33 1/3 Hz */
        say(p, i == 0 ? 0 : 0.03, (float)i);
    }
    assert_in_range(p->r.counts[TP_POSITION1D_DATA_STATE], 30, 31);
    play_destroy(p);
}

static void what_has_not_changed_stays_away(void **state)
{
    play *p = begin(&tp_driver_relay, "changes=1");

    (void)state;
    say(p, 1, 5);
    say(p, 1, 5);
    assert_seen(&p->r, 1, 5);
    say(p, 1, 6);
    say(p, 1, 5);
    assert_seen(&p->r, 3, 5);
    play_close(p);
    play_open(p); /* begins anew */
    say(p, 1, 5);
    assert_seen(&p->r, 1, 5);
    play_destroy(p);
}

static void a_change_that_is_undone_before_its_time_is_none(void **state)
{
    play *p = begin(&tp_driver_relay, "changes=1 rate=10");

    (void)state;
    say(p, 0, 5);
    say(p, 0.02, 6);
    say(p, 0.02, 5);
    puppet_wait(&p->b, 1);
    assert_seen(&p->r, 1, 5);
    play_destroy(p);
}

static void failures_go_through_at_once(void **state)
{
    play *p = begin(&tp_driver_relay, "rate=0.001 changes=1");
    const tp_failure failure = {.code = TP_E_IO, .text_count = 4, .text = play_chars("off")};

    (void)state;
    for (int i = 0; i < 2; i++) {
        puppet_send(&p->b, "position1d:0", TP_COMMON_DATA_ERROR, &failure);
    }
    assert_int_equal(p->r.counts[TP_COMMON_DATA_ERROR], 2);
    play_destroy(p);
}

static void new_readers_get_the_last_data_of_a_latch(void **state)
{
    play *p = begin(&tp_driver_relay, "latch=1");
    bench_reader late;

    (void)state;
    say(p, 0, 7);
    say(p, 0, 8);
    assert_int_equal(bench_open(&p->b, &late, p->device), TP_OK);
    assert_seen(&late, 1, 8);
    assert_seen(&p->r, 2, 8); /* the others do not hear it again */
    say(p, 0, 9);
    assert_seen(&late, 2, 9);
    bench_close(&late);
    play_destroy(p);
}

static void without_a_latch_they_wait(void **state)
{
    play *p = begin(&tp_driver_passthrough, NULL);
    bench_reader late;

    (void)state;
    say(p, 0, 7);
    assert_int_equal(bench_open(&p->b, &late, p->device), TP_OK);
    assert_null(late.last[TP_POSITION1D_DATA_STATE]);
    bench_close(&late);
    play_destroy(p);
}

static void what_was_sent_before_a_stop_is_forgotten(void **state)
{
    play *p = begin(&tp_driver_relay, "latch=1");

    (void)state;
    say(p, 0, 7);
    play_close(p);
    play_open(p);
    assert_null(play_last(p, TP_POSITION1D_DATA_STATE));
    play_destroy(p);
}

/* A driver that starts later gets it too, although it opened the device before it ran. */
static void drivers_get_it_when_they_run(void **state)
{
    play *p = begin(&tp_driver_relay, "latch=1");
    bench_reader behind;

    (void)state;
    say(p, 0, 7);
    play_add(p, &tp_driver_passthrough, "position1d:2", "position1d:1", "latch=1");
    assert_int_equal(bench_open(&p->b, &behind, p->device), TP_OK);
    tp_loop_turn(p->b.loop, false);
    assert_seen(&behind, 1, 7);
    bench_close(&behind);
    play_destroy(p);
}

static void many_readers_are_one_upstream(void **state)
{
    play *p = begin(&tp_driver_relay, NULL);
    bench_reader more[3];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(bench_open(&p->b, &more[i], p->device), TP_OK);
    }
    say(p, 0, 1);
    assert_int_equal(bench_find(&p->b, "position1d:0")->reader_count, 1);
    for (size_t i = 0; i < 3; i++) {
        assert_seen(&more[i], 1, 1);
        bench_close(&more[i]);
    }
    play_destroy(p);
}

static void wrong_rates_are_refused_with_a_sentence(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_relay, "ptz:1", "ptz:0", "rate=-2",
                          "relay0: rate \"-2\" is neither 0 nor a number of messages a second");
}

/* With nothing behind it, as in Player. */
static void an_opaque_alone_repeats_commands_to_all(void **state)
{
    uint8_t bytes[] = {1, 2, 3};
    const tp_opaque_data said = {.data_count = sizeof bytes, .data = bytes};
    play *p = play_begin(&tp_driver_relay, "opaque:0", NULL);
    bench_reader second;

    (void)state;
    assert_int_equal(bench_open(&p->b, &second, p->device), TP_OK);
    play_command(p, TP_OPAQUE_CMD_DATA, &said);
    const tp_opaque_data *heard = play_await(p, TP_OPAQUE_DATA_STATE);
    assert_int_equal(heard->data_count, sizeof bytes);
    assert_memory_equal(heard->data, bytes, sizeof bytes);
    heard = tp_msg_payload(second.last[TP_OPAQUE_DATA_STATE]);
    assert_memory_equal(heard->data, bytes, sizeof bytes);
    play_assert_request_refused(p, TP_OPAQUE_REQ_DATA, &said, "a relay answers nothing");
    bench_close(&second);
    play_destroy(p);
    play_assert_not_added(&tp_driver_relay, "ptz:0", NULL, NULL, "relay0: `requires` has no ptz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_settings_all_data_comes_out),
        cmocka_unit_test(data_comes_at_most_at_the_rate_and_the_newest_is_not_lost),
        cmocka_unit_test(the_rate_is_kept_over_time),
        cmocka_unit_test(what_has_not_changed_stays_away),
        cmocka_unit_test(a_change_that_is_undone_before_its_time_is_none),
        cmocka_unit_test(failures_go_through_at_once),
        cmocka_unit_test(new_readers_get_the_last_data_of_a_latch),
        cmocka_unit_test(without_a_latch_they_wait),
        cmocka_unit_test(what_was_sent_before_a_stop_is_forgotten),
        cmocka_unit_test(drivers_get_it_when_they_run),
        cmocka_unit_test(many_readers_are_one_upstream),
        cmocka_unit_test(an_opaque_alone_repeats_commands_to_all),
        cmocka_unit_test(wrong_rates_are_refused_with_a_sentence),
    };

    return cmocka_run_group_tests_name("relay_test", tests, NULL, NULL);
}
