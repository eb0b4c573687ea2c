/* lockstep_test.c - who waits for steps of a world: in step with others, or until it ends. */
#include "simulator_test.h"

#define ALL "simulation:0 world:0 position2d:0"

/* A request that is not waited for. */
struct asking {
    bool done;
    tp_status status;
    double time_s;
    tp_error why;
    tpi_call *call;
};

static void settle(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct asking *asking = context;

    asking->done = true;
    asking->why = err != NULL ? *err : (tp_error){0};
    asking->status = status;
    asking->time_s = status == TP_OK ? ((const tp_world_state *)tp_msg_payload(answer))->time : -1;
}

static void ask_step(stage *s, struct asking *asking, uint32_t count)
{
    const tp_world_step ask = {.count = count};
    const tp_msghdr header = {.addr = *tp_device_addr(s->p->device)};
    tp_msg *msg = NULL;

    *asking = (struct asking){0};
    assert_int_equal(tp_msg_create(&msg, &header, &tp_desc_world_step, &ask), TP_OK);
    assert_int_equal(tpi_device_call(s->p->device,
                                     tp_interface_message(&tp_interface_world, TP_KIND_REQUEST,
                                                          TP_WORLD_REQ_STEP),
                                     msg, settle, asking, &asking->call),
                     TP_OK);
    tp_msg_unref(msg);
}

static void wait_for(stage *s, const struct asking *asking)
{
    while (!asking->done) {
        tp_loop_turn(s->p->b.loop, true);
    }
    assert_int_equal(asking->status, TP_OK);
}

static void wait_in_vain(stage *s, const struct asking *asking)
{
    while (!asking->done) {
        tp_loop_turn(s->p->b.loop, true);
    }
    assert_int_equal(asking->status, TP_E_CLOSED);
    assert_string_equal(asking->why.text, "the world has ended");
}

static int64_t steps(stage *s)
{
    return ((const tp_world_state *)play_get(s->p, TP_WORLD_REQ_GET_STATE, NULL))->steps;
}

static void in_lockstep_time_moves_when_all_have_asked(void **state)
{
    stage s;
    struct asking one;
    struct asking two;

    (void)state;
    stage_begin(&s, ALL, DATA("yard") " sleep=1 lockstep=1 model=r0");
    bench_reader *other = stage_open(&s, "world:0");
    ask_step(&s, &one, 1);
    bench_move_clock(&s.p->b, 5); /* which means nothing here */
    assert_int_equal(steps(&s), 0);
    assert_false(one.done);
    ask_step(&s, &two, 3);
    wait_for(&s, &one);
    assert_int_equal(steps(&s), 1); /* the second wants two more, the first has not said so */
    assert_false(two.done);
    ask_step(&s, &one, 2);
    wait_for(&s, &two);
    play_assert_near(two.time_s, 0.3);
    wait_for(&s, &one);
    assert_int_equal(steps(&s), 3);
    bench_close(other);
    s.count--;
    stage_step(&s, 1); /* alone now */
    assert_int_equal(steps(&s), 4);
    stage_end(&s);
}

static void who_leaves_does_not_hold_up_the_others(void **state)
{
    stage s;
    struct asking gone;
    struct asking stays;

    (void)state;
    stage_begin(&s, ALL, DATA("yard") " sleep=1 lockstep=1 model=r0");
    stage_open(&s, "position2d:0");
    bench_reader *second = stage_open(&s, "world:0");
    bench_reader *third = stage_open(&s, "world:0");
    ask_step(&s, &gone, 1);
    tpi_call_abandon(gone.call); /* as when its connection ends */
    bench_close(third);
    ask_step(&s, &stays, 1);
    assert_int_equal(steps(&s),
                     0); /* the first one has not asked, and the gone one counts no more */
    bench_close(second);
    while (!stays.done) { /* noticed by the watch */
        bench_move_clock(&s.p->b, 0.05);
        tp_loop_turn(s.p->b.loop, false);
    }
    assert_int_equal(steps(&s), 1);
    s.count = 1;
    stage_end(&s);
}

static void the_end_of_lockstep_lets_all_go(void **state)
{
    stage s;
    struct asking one;
    const tp_world_lockstep off = {0};

    (void)state;
    stage_begin(&s, ALL, DATA("yard") " sleep=1 paused=1 lockstep=1 model=r0");
    stage_open(&s, "world:0");
    ask_step(&s, &one, 1);
    play_request(s.p, TP_WORLD_REQ_LOCKSTEP, &off);
    wait_for(&s, &one);
    assert_int_equal(steps(&s), 0);
    stage_end(&s);
}

static void who_waits_at_quit_time_is_told(void **state)
{
    stage s;
    struct asking one;
    struct asking two;

    (void)state;
    stage_begin(&s, ALL, DATA("brief") " sleep=1 lockstep=1 model=r0");
    stage_open(&s, "world:0");
    ask_step(&s, &one, 5);
    ask_step(&s, &two, 7);
    wait_for(&s, &one);
    play_assert_near(one.time_s, 0.5);
    wait_in_vain(&s, &two);
    assert_int_equal(steps(&s), 5);
    stage_end(&s);
}

static void steps_of_a_world_that_stands_still_end_at_quit_time(void **state)
{
    stage s;
    struct asking one;

    (void)state;
    stage_begin(&s, ALL, DATA("brief") " sleep=1 paused=1 model=r0");
    ask_step(&s, &one, 7);
    wait_in_vain(&s, &one);
    assert_int_equal(steps(&s), 5);
    stage_end(&s);
}

static void after_its_quit_time_a_world_goes_on_for_who_asks(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, ALL, DATA("brief") " sleep=1 lockstep=1 model=r0");
    stage_step(&s, 5);
    stage_step(&s, 2);
    assert_int_equal(steps(&s), 7);
    stage_end(&s);
}

static void note_removal(void *context)
{
    *(bool *)context = true;
}

static void who_waits_when_the_world_is_stopped_is_told(void **state)
{
    stage s;
    struct asking one;
    bool removed = false;

    (void)state;
    stage_begin(&s, ALL, DATA("yard") " lockstep=2 model=r0");
    ask_step(&s, &one, 1);
    assert_int_equal(steps(&s), 0);
    tpi_hub_remove(tp_device_instance(s.p->device), note_removal, &removed);
    wait_in_vain(&s, &one);
    stage_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_lockstep_time_moves_when_all_have_asked),
        cmocka_unit_test(who_leaves_does_not_hold_up_the_others),
        cmocka_unit_test(the_end_of_lockstep_lets_all_go),
        cmocka_unit_test(who_waits_at_quit_time_is_told),
        cmocka_unit_test(steps_of_a_world_that_stands_still_end_at_quit_time),
        cmocka_unit_test(after_its_quit_time_a_world_goes_on_for_who_asks),
        cmocka_unit_test(who_waits_when_the_world_is_stopped_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
