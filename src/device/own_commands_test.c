/*
 * own_commands_test.c - commands that a driver sends of its own accord, and a device refuses.
 *
 * The driver commands a puppet in each of its polls. The clock is the test's.
 */
#include "conformance/puppet.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/position2d.h"

struct walker {
    tp_link *link;
    tp_device *inputs, *base;
};

static const tp_dio_ops no_ops = {0};
static const tp_position2d_ops no_moves = {0};

static tp_status walker_init(tp_instance *self, tp_error *err)
{
    struct walker *w = tp_instance_state(self);
    tp_status status = tp_require(self, &tp_interface_position2d, NULL, &w->link, err);

    if (status == TP_OK) {
        tp_link_report(w->link);
        status = tp_offer(self, &tp_interface_dio, NULL, &no_ops, NULL, &w->inputs, err);
    }
    tp_instance_set_period(self, TP_NS_PER_S / 10);
    return status == TP_OK
               ? tp_offer(self, &tp_interface_position2d, NULL, &no_moves, NULL, &w->base, err)
               : status;
}

static tp_status walker_poll(tp_instance *self, tp_error *err)
{
    const struct walker *w = tp_instance_state(self);
    const tp_position2d_cmd_vel vel = {.vel = {.px = 1}, .state = 1};

    (void)err;
    return tp_link_command(w->link, TP_POSITION2D_CMD_VEL, &vel);
}

static const tp_driver_ops walker_ops = {.init = walker_init, .poll = walker_poll};
static const tp_driver walker = {.abi = TP_DRIVER_ABI,
                                 .name = "walker",
                                 .state_size = sizeof(struct walker),
                                 .ops = &walker_ops,
                                 .flags = TP_DRIVER_ON_LOOP};

/* How often the readers of both devices have heard of a refusal, after some polls. */
static uint32_t told(play *p, const bench_reader *other)
{
    for (int i = 0; i < 5; i++) {
        bench_move_clock(&p->b, 0.11);
        tp_loop_turn(p->b.loop, false);
        tp_loop_turn(p->b.loop, false);
    }
    assert_int_equal(p->r.counts[TP_COMMON_DATA_ERROR], other->counts[TP_COMMON_DATA_ERROR]);
    return p->r.counts[TP_COMMON_DATA_ERROR];
}

static void readers_of_the_driver_hear_it_once(void **state)
{
    play *p = play_create();
    bench_reader other;

    (void)state;
    play_add(p, &puppet_driver, "position2d:0", NULL, NULL);
    play_add(p, &walker, "dio:0 position2d:1", "position2d:0", NULL);
    play_open(p);
    assert_int_equal(bench_open(&p->b, &other, bench_find(&p->b, "position2d:1")), TP_OK);
    assert_int_equal(told(p, &other), 0);
    for (uint32_t times = 1; times <= 2; times++) {
        puppet_at(&p->b, "position2d:0")->stubborn = "it does not want to";
        assert_int_equal(told(p, &other), times);
        assert_int_equal(told(p, &other), times);
        puppet_at(&p->b, "position2d:0")->stubborn = NULL;
        assert_int_equal(told(p, &other), times);
    }
    const tp_failure *failure = tp_msg_payload(other.last[TP_COMMON_DATA_ERROR]);
    assert_string_equal(failure->text, "position2d:1: it does not want to");
    assert_int_equal(failure->code, TP_E_DEVICE);
    bench_close(&other);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_of_the_driver_hear_it_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
