/*
 * timed_test.c - commands with due times: order, none early, cancelled, held, refused.
 *
 * The clock is the test's, so that nothing here depends on how busy the machine is. How grants end:
 * grant_test.c.
 */
#include <stdio.h>
#include <string.h>

#include "conformance/puppet.h"
#include "conformance/timetable.h"
#include "device/grant.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/position2d.h"

/* ---- Order of time --------------------------------------------------------------------------- */

static void commands_are_carried_out_at_their_times(const timetable_cast *cast)
{
    timetable t;

    timetable_begin(&t, cast);
    assert_int_equal(timetable_ask(&t, 0, 8, 0), TP_OK);
    timetable_must_post(&t, 0, 300, 3);
    timetable_must_post(&t, 0, 100, 1);
    timetable_must_post(&t, 0, 200, 2);
    timetable_assert_log(&t, "");
    timetable_at(&t, 99);
    timetable_assert_log(&t, ""); /* none early */
    timetable_at(&t, 100);
    timetable_assert_log(&t, "100:1 ");
    timetable_at(&t, 199);
    timetable_assert_log(&t, "");
    timetable_at(&t, 310);
    timetable_assert_log(&t, "310:2 310:3 "); /* late, and in order */
    const tp_grant_counts counts = timetable_look(&t, 0);
    assert_int_equal(counts.posted, 3);
    assert_int_equal(counts.played, 3);
    assert_int_equal(counts.waiting, 0);
    assert_int_equal(counts.last_late_ns, 10 * TP_NS_PER_MS);
    assert_int_equal(counts.longest_late_ns, 110 * TP_NS_PER_MS);
    timetable_end(&t);
}
WITH_ALL_CASTS(commands_are_carried_out_at_their_times)

static void equal_times_keep_the_order_of_posting(const timetable_cast *cast)
{
    timetable t;

    timetable_begin(&t, cast);
    assert_int_equal(timetable_ask(&t, 0, 16, 0), TP_OK);
    for (int i = 0; i < 12; i++) {
        timetable_must_post(&t, 0, i % 2 == 0 ? 100 : 50, i);
    }
    timetable_at(&t, 100);
    timetable_assert_log(&t, "100:1 100:3 100:5 100:7 100:9 100:11 "
                             "100:0 100:2 100:4 100:6 100:8 100:10 ");
    timetable_end(&t);
}
WITH_ALL_CASTS(equal_times_keep_the_order_of_posting)

/* What an owner has posted for later than what waits already. */
struct later {
    bool woken;
    int64_t rests_ns;
};

static void post_later(timetable_owner *owner, void *argument)
{
    const tp_position2d_cmd_vel vel = {.vel = {.px = 2}};
    tp_instance *target = owner->grant->target;
    struct later *out = argument;

    do { /* a target with a thread may not rest yet */
        out->rests_ns = atomic_load(&target->timed.rests_ns);
    } while (out->rests_ns == TP_NEVER && !target->on_loop);
    (void)tp_grant_post(owner->grant, out->rests_ns + 1, TP_POSITION2D_CMD_VEL, &vel);
    out->woken = atomic_load(&target->timed.wake_sent);
}

/* Of players on the loop it can be seen who wakes them. */
static void what_is_posted_for_later_wakes_nobody(const timetable_cast *cast)
{
    timetable t;
    struct later later;

    timetable_begin(&t, cast);
    assert_int_equal(timetable_ask(&t, 0, 8, 0), TP_OK);
    timetable_must_post(&t, 0, 100, 1);
    timetable_at(&t, 50);
    timetable_do(&t, 0, post_later, &later);
    assert_false(later.woken);
    timetable_must_post(&t, 0, 60, 3); /* but what comes before does */
    timetable_at(&t, 60);
    timetable_assert_log(&t, "60:3 ");
    timetable_at(&t, 101);
    timetable_assert_log(&t, "101:1 101:2 ");
    timetable_end(&t);
}
WITH_ALL_CASTS(what_is_posted_for_later_wakes_nobody)

static void what_is_past_is_carried_out_at_once(const timetable_cast *cast)
{
    timetable t;

    timetable_begin(&t, cast);
    timetable_at(&t, 5000);
    assert_int_equal(timetable_ask(&t, 0, 8, 1000), TP_OK);
    timetable_must_post(&t, 0, 10, 1); /* the lateness counts from now on */
    timetable_assert_log(&t, "5000:1 ");
    assert_int_equal(timetable_look(&t, 0).last_late_ns, 0);
    timetable_end(&t);
}
WITH_ALL_CASTS(what_is_past_is_carried_out_at_once)

/* A step of the clock is made when all that it has let happen is over. */
static void play_in_lockstep(const timetable_cast *cast, char *log, size_t size)
{
    timetable t;

    timetable_begin(&t, cast);
    assert_int_equal(timetable_ask(&t, 0, 64, 100), TP_OK);
    for (int i = 0; i < 40; i++) {
        timetable_must_post(&t, 0, 1 + i * 7, 1 + i % 10);
    }
    for (int ms = 0; ms <= 300; ms += 5) {
        timetable_at(&t, ms);
        assert_int_equal(timetable_renew(&t, 0), TP_OK);
    }
    (void)snprintf(log, size, "%s", t.log);
    timetable_end(&t);
}

static void in_lockstep_every_run_is_the_same(const timetable_cast *cast)
{
    char first[1024];
    char second[1024];

    play_in_lockstep(cast, first, sizeof first);
    play_in_lockstep(cast, second, sizeof second);
    assert_string_equal(first, second);
    assert_int_equal(strncmp(first, "5:1 10:2 15:3 25:4 30:5 40:6 ", 29), 0);
    assert_non_null(strstr(first, " 275:10 "));
}
WITH_ALL_CASTS(in_lockstep_every_run_is_the_same)

/* ---- Room ------------------------------------------------------------------------------------ */

static void a_full_grant_refuses(const timetable_cast *cast)
{
    timetable t;

    timetable_begin(&t, cast);
    assert_int_equal(timetable_ask(&t, 0, 3, 0), TP_OK);
    for (int i = 1; i <= 3; i++) {
        timetable_must_post(&t, 0, i * 100, i);
    }
    assert_int_equal(timetable_post(&t, 0, 400, 4), TP_E_LIMIT);
    timetable_at(&t, 100);
    timetable_must_post(&t, 0, 150, 5);
    assert_int_equal(timetable_post(&t, 0, 400, 4), TP_E_LIMIT);
    timetable_at(&t, 300);
    timetable_assert_log(&t, "100:1 300:5 300:2 300:3 ");
    timetable_end(&t);
}
WITH_ALL_CASTS(a_full_grant_refuses)

static void post_odd(timetable_owner *owner, void *argument)
{
    const tp_position2d_cmd_vel vel = {0};
    tp_status *out = argument;

    out[0] = tp_grant_post(owner->grant, 0, 200, &vel);
    out[1] = tp_grant_post(owner->grant, 0, TP_POSITION2D_CMD_VEL, NULL);
}

static void ask_without_done(timetable_owner *owner, void *argument)
{
    const tp_grant_options plan = {.capacity = 1};

    *(tp_status *)argument = tp_link_grant(owner->link, &plan);
}

static void what_cannot_be_is_refused_at_once(const timetable_cast *cast)
{
    timetable t;
    tp_status status[2];

    timetable_begin(&t, cast);
    timetable_do(&t, 0, ask_without_done, status);
    assert_int_equal(status[0], TP_E_INVALID);
    assert_int_equal(timetable_ask_only(&t, 0, 0, 0), TP_E_INVALID);
    assert_int_equal(timetable_ask_only(&t, 0, 65537, 0), TP_E_INVALID);
    assert_int_equal(timetable_ask_only(&t, 0, 1, -1), TP_E_INVALID);
    assert_int_equal(timetable_ask(&t, 0, 1, 0), TP_OK);
    timetable_do(&t, 0, post_odd, status);
    assert_int_equal(status[0], TP_E_UNKNOWN);
    assert_int_equal(status[1], TP_E_INVALID);
    assert_int_equal(timetable_look(&t, 0).posted, 0);
    timetable_end(&t);
}
WITH_ALL_CASTS(what_cannot_be_is_refused_at_once)

/* ---- Commands with arrays -------------------------------------------------------------------- */

/* A driver on the loop that has a grant for an arm. */
static struct {
    tp_link *link;
    tp_grant *grant;
} arm;

static tp_status arm_init(tp_instance *self, tp_error *err)
{
    tp_instance_stay_on(self);
    return tp_require(self, &tp_interface_actarray, NULL, &arm.link, err);
}

static void arm_granted(tp_instance *self, void *context, tp_status status, tp_grant *grant,
                        const char *why)
{
    (void)self;
    (void)context;
    (void)status;
    (void)why;
    arm.grant = grant;
}

static void an_array_has_to_fit(void **state)
{
    static const tp_driver_ops ops = {.init = arm_init};
    static const tp_driver driver = {
        .abi = TP_DRIVER_ABI, .name = "arm", .ops = &ops, .flags = TP_DRIVER_ON_LOOP};
    float positions[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    tp_actarray_multi_position_cmd command = {.positions_count = 8, .positions = positions};
    const tp_grant_options plan = {
        .capacity = 2, .value_size = sizeof command + 8 * sizeof(float), .done = arm_granted};
    play *p = play_create();

    (void)state;
    play_add(p, &driver, NULL, "actarray:0", NULL);
    play_add(p, &puppet_driver, "actarray:0", NULL, NULL);
    play_open(p);
    tpi_hub_begin(p->b.hub, NULL, NULL);
    assert_int_equal(tp_link_grant(arm.link, &plan), TP_OK);
    puppet_wait(&p->b, 0);
    assert_non_null(arm.grant);
    assert_int_equal(tp_grant_post(arm.grant, 0, TP_ACTARRAY_CMD_MULTI_POS, &command), TP_OK);
    positions[7] = 0; /* it was copied */
    command.positions_count = 9;
    assert_int_equal(tp_grant_post(arm.grant, 0, TP_ACTARRAY_CMD_MULTI_POS, &command), TP_E_SPACE);
    puppet_wait(&p->b, 0);
    const tp_actarray_multi_position_cmd *got =
        puppet_last(&p->b, "actarray:0", TP_ACTARRAY_CMD_MULTI_POS);
    assert_int_equal(got->positions_count, 8);
    assert_true(got->positions[7] == 8);
    play_destroy(p);
}

static void nothing_allocates_while_it_plays(const timetable_cast *cast)
{
    timetable t;

    timetable_begin(&t, cast);
    assert_int_equal(timetable_ask(&t, 0, 16, 0), TP_OK);
    timetable_settle(&t); /* which takes what the test itself needs */
    const size_t before = memory_allocations();
    for (int i = 0; i < 16; i++) {
        timetable_must_post(&t, 0, i, i);
    }
    timetable_at(&t, 20);
    assert_int_equal(timetable_look(&t, 0).played, 16);
    assert_int_equal(memory_allocations(), before);
    timetable_end(&t);
}
WITH_ALL_CASTS(nothing_allocates_while_it_plays)

/* ---- Cancelling and holding ------------------------------------------------------------------ */

static void what_is_cancelled_is_dropped(const timetable_cast *cast)
{
    timetable t;

    timetable_begin(&t, cast);
    assert_int_equal(timetable_ask(&t, 0, 5, 0), TP_OK);
    for (int i = 1; i <= 5; i++) {
        timetable_must_post(&t, 0, i * 100, i);
    }
    assert_int_equal(timetable_cancel(&t, 0, 300), 3); /* at the time, or later */
    timetable_settle(&t);
    timetable_must_post(&t, 0, 400, 9); /* there is room again, and this one is not meant */
    timetable_at(&t, 1000);
    timetable_assert_log(&t, "1000:1 1000:2 1000:9 ");
    const tp_grant_counts counts = timetable_look(&t, 0);
    assert_int_equal(counts.cancelled, 3);
    assert_int_equal(counts.played, 3);
    assert_int_equal(counts.waiting, 0);
    timetable_end(&t);
}
WITH_ALL_CASTS(what_is_cancelled_is_dropped)

static void flush(timetable_owner *owner, void *argument)
{
    *(uint32_t *)argument = tp_grant_flush(owner->grant);
}

static void a_flush_drops_everything(const timetable_cast *cast)
{
    timetable t;
    uint32_t count = 0;

    timetable_begin(&t, cast);
    assert_int_equal(timetable_ask(&t, 0, 4, 0), TP_OK);
    for (int i = 1; i <= 4; i++) {
        timetable_must_post(&t, 0, i * 100, i);
    }
    timetable_at(&t, 100);
    timetable_do(&t, 0, flush, &count);
    assert_int_equal(count, 3);
    timetable_settle(&t);
    timetable_must_post(&t, 0, 250, 7);
    timetable_at(&t, 1000);
    timetable_assert_log(&t, "100:1 1000:7 ");
    timetable_end(&t);
}
WITH_ALL_CASTS(a_flush_drops_everything)

static void hold(timetable_owner *owner, void *argument)
{
    if (*(const bool *)argument) {
        tp_grant_hold(owner->grant);
    } else {
        tp_grant_resume(owner->grant);
    }
}

static void set_hold(timetable *t, bool on)
{
    timetable_do(t, 0, hold, &on);
}

static void a_hold_shifts_what_waits(const timetable_cast *cast)
{
    timetable t;

    timetable_begin(&t, cast);
    assert_int_equal(timetable_ask(&t, 0, 8, 0), TP_OK);
    timetable_must_post(&t, 0, 100, 1);
    timetable_must_post(&t, 0, 200, 2);
    timetable_must_post(&t, 0, 300, 3);
    timetable_at(&t, 150);
    set_hold(&t, true);
    timetable_at(&t, 400); /* 2 and 3 would have been due */
    timetable_must_post(&t, 0, 210, 4);
    timetable_assert_log(&t, "150:1 ");
    set_hold(&t, false); /* 250 ms later */
    timetable_must_post(&t, 0, 455, 5);
    timetable_at(&t, 449);
    timetable_assert_log(&t, "");
    timetable_at(&t, 450);
    timetable_assert_log(&t, "450:2 ");
    timetable_at(&t, 500);
    timetable_assert_log(&t, "500:5 500:4 ");
    assert_int_equal(timetable_cancel(&t, 0, 551), 0);
    assert_int_equal(timetable_cancel(&t, 0, 550), 1); /* the shift counts */
    timetable_at(&t, 1000);
    timetable_assert_log(&t, "");
    timetable_end(&t);
}
WITH_ALL_CASTS(a_hold_shifts_what_waits)

/* ---- What the driver makes of it ------------------------------------------------------------- */

static void a_refused_command_is_counted(const timetable_cast *cast)
{
    timetable t;

    timetable_begin(&t, cast);
    atomic_store(&t.refused, 2000);
    assert_int_equal(timetable_ask(&t, 0, 4, 0), TP_OK);
    timetable_must_post(&t, 0, 10, 1);
    timetable_must_post(&t, 0, 20, 2);
    timetable_must_post(&t, 0, 30, 3);
    timetable_at(&t, 30);
    timetable_assert_log(&t, "30:1 30:3 ");
    const tp_grant_counts counts = timetable_look(&t, 0);
    assert_int_equal(counts.refused, 1);
    assert_int_equal(counts.played, 2);
    timetable_end(&t);
}
WITH_ALL_CASTS(a_refused_command_is_counted)

static void a_driver_may_answer_later(const timetable_cast *cast)
{
    timetable t;

    timetable_begin(&t, cast);
    atomic_store(&t.kept, 2000);
    assert_int_equal(timetable_ask(&t, 0, 4, 0), TP_OK);
    timetable_must_post(&t, 0, 10, 2);
    timetable_must_post(&t, 0, 20, 3);
    timetable_must_post(&t, 0, 30, 2);
    timetable_at(&t, 30);
    timetable_assert_log(&t, "30:2 30:3 30:2 ");
    assert_int_equal(timetable_look(&t, 0).played, 3);
    assert_int_equal(atomic_load(&t.target->jobs.waiting), 2); /* until the driver stops */
    timetable_end(&t);
}
WITH_ALL_CASTS(a_driver_may_answer_later)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALL_CASTS(commands_are_carried_out_at_their_times),
        ALL_CASTS(equal_times_keep_the_order_of_posting),
        ALL_CASTS(what_is_posted_for_later_wakes_nobody),
        ALL_CASTS(what_is_past_is_carried_out_at_once),
        ALL_CASTS(in_lockstep_every_run_is_the_same),
        ALL_CASTS(a_full_grant_refuses),
        ALL_CASTS(what_cannot_be_is_refused_at_once),
        cmocka_unit_test(an_array_has_to_fit),
        ALL_CASTS(nothing_allocates_while_it_plays),
        ALL_CASTS(what_is_cancelled_is_dropped),
        ALL_CASTS(a_flush_drops_everything),
        ALL_CASTS(a_hold_shifts_what_waits),
        ALL_CASTS(a_refused_command_is_counted),
        ALL_CASTS(a_driver_may_answer_later),
    };

    return cmocka_run_group_tests_name("src/device/timed", tests, NULL, NULL);
}
