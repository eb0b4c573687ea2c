/* timer_test.c - timers follow the clock of their loop, whichever it is. */
#include "troupe/loop.h"

#include "support/loop_bench.h"
#include "support/random.h"

static void a_timer_fires_once_at_its_time_and_not_before(void **state)
{
    struct bench *b = *state;
    struct alarm alarm;

    make_alarm(&alarm, b, 'a');
    turn(b);
    assert_trace(b, "");
    tp_timer_at(alarm.timer, b->now_ns + 5);
    b->now_ns += 4;
    turn(b);
    assert_trace(b, "");
    b->now_ns += 1;
    turn(b);
    assert_trace(b, "a");
    b->now_ns += 100;
    turn(b);
    assert_trace(b, "");
    tp_timer_destroy(alarm.timer);
    tp_timer_destroy(NULL);
}

static void a_time_that_has_passed_is_now(void **state)
{
    struct bench *b = *state;
    struct alarm alarm;

    make_alarm(&alarm, b, 'a');
    tp_timer_at(alarm.timer, 1);
    tp_loop_turn(b->loop, true); /* something is due, so it does not wait */
    assert_trace(b, "a");
    tp_timer_at(alarm.timer, INT64_MIN);
    tp_loop_turn(b->loop, true);
    assert_trace(b, "a");
    tp_timer_destroy(alarm.timer);
}

static void a_cancelled_timer_does_not_fire(void **state)
{
    struct bench *b = *state;
    struct alarm alarm;

    make_alarm(&alarm, b, 'a');
    tp_timer_cancel(alarm.timer);
    tp_timer_at(alarm.timer, b->now_ns);
    tp_timer_cancel(alarm.timer);
    turn(b);
    tp_timer_every(alarm.timer, 1);
    tp_timer_cancel(alarm.timer);
    b->now_ns += 10;
    turn(b);
    tp_timer_at(alarm.timer, TP_NEVER);
    b->now_ns = TP_NEVER;
    turn(b);
    assert_trace(b, "");
    tp_timer_destroy(alarm.timer);
}

static void a_new_time_replaces_the_old_one(void **state)
{
    struct bench *b = *state;
    struct alarm alarm;

    make_alarm(&alarm, b, 'a');
    tp_timer_at(alarm.timer, b->now_ns + 1);
    tp_timer_at(alarm.timer, b->now_ns + 3);
    b->now_ns += 2;
    turn(b);
    assert_trace(b, "");
    tp_timer_every(alarm.timer, 5);
    tp_timer_at(alarm.timer, b->now_ns + 1);
    b->now_ns += 100;
    turn(b);
    b->now_ns += 100;
    turn(b);
    assert_trace(b, "a");
    tp_timer_destroy(alarm.timer);
}

static void a_periodic_timer_keeps_in_step_and_leaves_out_what_it_missed(void **state)
{
    static const struct {
        int64_t after;
        const char *fired;
    } steps[] = {{9, ""},   {10, "a"}, {19, ""},  {20, "a"},
                 {57, "a"}, {59, ""},  {60, "a"}, {70, "a"}};
    struct bench *b = *state;
    const int64_t start = b->now_ns;
    struct alarm alarm;

    make_alarm(&alarm, b, 'a');
    tp_timer_every(alarm.timer, 10);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        b->now_ns = start + steps[i].after;
        turn(b);
        assert_trace(b, steps[i].fired);
    }
    tp_timer_every(alarm.timer, TP_NEVER);
    turn(b);
    assert_trace(b, "");
    tp_timer_destroy(alarm.timer);
}

static void a_timer_that_always_asks_for_now_starves_nobody(void **state)
{
    struct bench *b = *state;
    struct alarm greedy;
    struct alarm modest;

    make_alarm(&greedy, b, 'g');
    make_alarm(&modest, b, 'm');
    greedy.again_at = 1; /* long ago, and before the other one */
    tp_timer_at(greedy.timer, 1);
    tp_timer_at(modest.timer, b->now_ns);
    turn(b);
    assert_trace(b, "gm");
    tp_loop_turn(b->loop, true);
    assert_trace(b, "g");
    tp_timer_destroy(greedy.timer);
    tp_timer_destroy(modest.timer);
}

static void a_timer_can_be_destroyed_by_itself_and_by_another(void **state)
{
    struct bench *b = *state;
    struct alarm alarms[3];

    for (int i = 0; i < 3; i++) {
        make_alarm(&alarms[i], b, (char)('a' + i));
        tp_timer_every(alarms[i].timer, 10 + i);
    }
    alarms[0].destroys = &alarms[1].timer;
    alarms[2].destroys = &alarms[2].timer;
    b->now_ns += 100;
    turn(b);
    assert_trace(b, "ac");
    alarms[0].destroys = &alarms[0].timer;
    b->now_ns += 100;
    turn(b);
    b->now_ns += 100;
    turn(b);
    assert_trace(b, "a");
    assert_null(alarms[0].timer);
}

/* Many timers, armed, moved and cancelled at random, against a plain list of times. */
enum { MANY = 50 };

struct crowd {
    struct bench *b;
    tp_timer *timers[MANY];
    int64_t due[MANY]; /* 0 for none */
    bool fired[MANY];
    int64_t last;
};

struct member {
    struct crowd *crowd;
    unsigned number;
};

static void fire_member(void *context)
{
    const struct member *member = context;
    struct crowd *crowd = member->crowd;

    assert_true(crowd->due[member->number] >= crowd->last);
    crowd->last = crowd->due[member->number];
    crowd->fired[member->number] = true;
}

static void check_fired(struct crowd *crowd)
{
    for (unsigned i = 0; i < MANY; i++) {
        assert_int_equal(crowd->fired[i], crowd->due[i] != 0 && crowd->due[i] <= crowd->b->now_ns);
        if (crowd->fired[i]) {
            crowd->due[i] = 0;
            crowd->fired[i] = false;
        }
    }
    crowd->last = 0;
}

static void disturb(struct crowd *crowd, random_source *source)
{
    const uint32_t chosen = random_below(source, MANY);

    if (random_below(source, 4) == 0) {
        crowd->due[chosen] = 0;
        tp_timer_cancel(crowd->timers[chosen]);
    } else {
        crowd->due[chosen] = crowd->b->now_ns + 1 + random_below(source, 100);
        tp_timer_at(crowd->timers[chosen], crowd->due[chosen]);
    }
}

static void many_timers_fire_when_they_should(void **state)
{
    struct bench *b = *state;
    struct crowd crowd = {.b = b};
    struct member members[MANY];
    random_source source = {.state = 1};

    for (unsigned i = 0; i < MANY; i++) {
        members[i] = (struct member){.crowd = &crowd, .number = i};
        assert_int_equal(
            tp_timer_create(&crowd.timers[i], b->loop, fire_member, &members[i], &b->err), TP_OK);
    }
    for (int round = 0; round < 2000; round++) {
        for (uint32_t i = random_below(&source, 20); i > 0; i--) {
            disturb(&crowd, &source);
        }
        b->now_ns += random_below(&source, 30);
        turn(b);
        check_fired(&crowd);
    }
    for (unsigned i = 0; i < MANY; i++) {
        tp_timer_destroy(crowd.timers[i]);
    }
}

static void with_the_real_clock_a_wait_ends_when_a_timer_is_due(void **state)
{
    struct bench *b = *state;
    struct alarm alarm;
    random_source source = {.state = 2};

    make_alarm(&alarm, b, 'a');
    for (int i = 0; i < 200; i++) {
        const int64_t at =
            tp_clock_now_ns(tp_clock_real()) + random_below(&source, 3000) * TP_NS_PER_US - 500;
        tp_timer_at(alarm.timer, at);
        while (b->trace[0] == '\0') {
            tp_loop_turn(b->loop, true);
        }
        assert_true(tp_clock_now_ns(tp_clock_real()) >= at);
        assert_trace(b, "a");
    }
    tp_timer_destroy(alarm.timer);
}

static void with_the_real_clock_a_time_that_has_passed_is_now(void **state)
{
    struct bench *b = *state;
    struct alarm alarm;

    make_alarm(&alarm, b, 'a');
    for (int64_t ago_ns = 1; ago_ns <= TP_NS_PER_S; ago_ns *= 10) {
        tp_timer_at(alarm.timer, tp_clock_now_ns(tp_clock_real()) - ago_ns);
        while (b->trace[0] == '\0') {
            tp_loop_turn(b->loop, true);
        }
        assert_trace(b, "a");
    }
    tp_timer_destroy(alarm.timer);
}

static void with_the_real_clock_a_periodic_timer_goes_on(void **state)
{
    struct bench *b = *state;
    const int64_t start = tp_clock_now_ns(tp_clock_real());
    struct alarm alarm;

    make_alarm(&alarm, b, 'a');
    tp_timer_every(alarm.timer, 700 * TP_NS_PER_US);
    while (strlen(b->trace) < 5) {
        tp_loop_turn(b->loop, true);
    }
    assert_true(tp_clock_now_ns(tp_clock_real()) >= start + 5 * 700 * TP_NS_PER_US);
    tp_timer_destroy(alarm.timer);
}

int main(void)
{
#define TIMER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define REAL_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_real, tear_down)
    const struct CMUnitTest tests[] = {
        TIMER_TEST(a_timer_fires_once_at_its_time_and_not_before),
        TIMER_TEST(a_time_that_has_passed_is_now),
        TIMER_TEST(a_cancelled_timer_does_not_fire),
        TIMER_TEST(a_new_time_replaces_the_old_one),
        TIMER_TEST(a_periodic_timer_keeps_in_step_and_leaves_out_what_it_missed),
        TIMER_TEST(a_timer_that_always_asks_for_now_starves_nobody),
        TIMER_TEST(a_timer_can_be_destroyed_by_itself_and_by_another),
        TIMER_TEST(many_timers_fire_when_they_should),
        REAL_TEST(with_the_real_clock_a_wait_ends_when_a_timer_is_due),
        REAL_TEST(with_the_real_clock_a_time_that_has_passed_is_now),
        REAL_TEST(with_the_real_clock_a_periodic_timer_goes_on),
    };
#undef TIMER_TEST
#undef REAL_TEST

    return cmocka_run_group_tests_name("loop/timer", tests, NULL, NULL);
}
