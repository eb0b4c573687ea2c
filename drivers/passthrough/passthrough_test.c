/* passthrough_test.c - everything goes through, in both directions, and in time. */
#include "conformance/play.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ptz.h"

extern const tp_driver tp_driver_fake;
extern const tp_driver tp_driver_passthrough;

static const char *const exact = "rate=1000 noise=0";

static play *begin(void)
{
    play *p = play_create();

    play_add(p, &tp_driver_fake, "position2d:0", NULL, exact);
    play_add(p, &tp_driver_passthrough, "position2d:7", "position2d:0", NULL);
    play_open(p);
    return p;
}

static void commands_go_in_and_data_comes_out(void **state)
{
    play *p = begin();
    const tp_position2d_cmd_vel go = {.vel = {.px = 1}, .state = 1};

    (void)state;
    play_command(p, TP_POSITION2D_CMD_VEL, &go);
    const tp_position2d_data *data = play_after(p, 0, TP_POSITION2D_DATA_STATE);
    play_assert_near(data->vel.px, 1);
    data = play_after(p, 2, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 2, 0, 0);
    assert_int_equal(tp_msg_header(p->r.last[TP_POSITION2D_DATA_STATE])->addr.index, 7);
    play_destroy(p);
}

static void access_can_be_for_one_direction(void **state)
{
    play *p = play_create();
    const tp_position2d_cmd_vel go = {.vel = {.px = 1}, .state = 1};

    (void)state;
    play_add(p, &tp_driver_fake, "position2d:0", NULL, exact);
    play_add(p, &tp_driver_passthrough, "position2d:7", "position2d:0", "access=r");
    play_open(p);
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL, &go,
                                "passthrough has `access \"r\"`: it passes no commands");
    assert_non_null(play_after(p, 1, TP_POSITION2D_DATA_STATE));
    play_get(p, TP_POSITION2D_REQ_GET_GEOM, NULL);
    play_destroy(p);
}

static void data_keeps_its_time(void **state)
{
    play *p = begin();
    bench_reader source;

    (void)state;
    assert_int_equal(bench_open(&p->b, &source, bench_find(&p->b, "position2d:0")), TP_OK);
    bench_move_clock(&p->b, 5);
    play_after(p, 0, TP_POSITION2D_DATA_STATE);
    play_assert_near(tp_msg_header(p->r.last[TP_POSITION2D_DATA_STATE])->timestamp, 6);
    bench_close(&source);
    play_destroy(p);
}

static void requests_are_answered_by_the_other_device(void **state)
{
    play *p = begin();
    const tp_position2d_set_odom_req there = {.pose = {1, 2, 0}};
    const tp_dblprop_req noise = {.key_count = 6, .key = play_chars("noise")};

    (void)state;
    const tp_position2d_geom *geom = play_get(p, TP_POSITION2D_REQ_GET_GEOM, NULL);
    play_assert_near(geom->size.sl, 0.44);
    play_request(p, TP_POSITION2D_REQ_SET_ODOM, &there);
    const tp_position2d_data *data = play_after(p, 0, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 1, 2, 0);
    const tp_dblprop_req *told = play_get(p, TP_COMMON_REQ_GET_DBLPROP, &noise);
    play_assert_near(told->value, 0);
    const tp_geometry *common = play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL);
    assert_string_equal(common->frame, "base");
    play_destroy(p);
}

/* The cursor is in the request, so that clients of this device do not share one. */
static void counters_are_those_of_the_other_device(void **state)
{
    play *p = begin();
    const tp_position2d_cmd_vel forward = {.vel = {.px = 0.5}, .state = 1};
    tp_counter_reading first = {.key_count = 7, .key = play_chars("driven")};
    const tp_counter_reading second = first;

    (void)state;
    play_command(p, TP_POSITION2D_CMD_VEL, &forward);
    play_after(p, 0, TP_POSITION2D_DATA_STATE);
    play_after(p, 2, TP_POSITION2D_DATA_STATE);
    const tp_counter_reading *reading = play_get(p, TP_COMMON_REQ_READ_AND_CLEAR, &first);
    const double driven = reading->amount;
    play_assert_near(driven, 1);
    first.run = reading->run;
    first.total = reading->total;
    reading = play_get(p, TP_COMMON_REQ_READ_AND_CLEAR, &first);
    assert_true(reading->amount == 0);
    reading = play_get(p, TP_COMMON_REQ_READ_AND_CLEAR, &second);
    assert_true(reading->amount == driven);
    play_destroy(p);
}

static void refusals_come_back_with_their_reason(void **state)
{
    play *p = begin();
    const tp_position2d_speed_pid_req pid = {0};

    (void)state;
    play_assert_request_refused(p, TP_POSITION2D_REQ_SPEED_PID, &pid, "SPEED_PID is not supported");
    play_destroy(p);
}

/* ---- A device that does not answer ----------------------------------------------------------- */

struct mute {
    tp_ticket *ticket;
};

static tp_status mute_handle(tp_device *device, const tp_message *what, const void *ask,
                             void *answer, tp_error *err)
{
    struct mute *m = tp_instance_state(tp_device_instance(device));

    (void)what;
    (void)ask;
    (void)answer;
    (void)err;
    m->ticket = tp_device_defer(device);
    return TP_PENDING;
}

static tp_status mute_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_ptz, NULL, NULL, mute_handle, NULL, err);
}

/* It speaks up when it is stopped: a ticket has to be answered some time. */
static void mute_stop(tp_instance *self)
{
    struct mute *m = tp_instance_state(self);

    if (m->ticket != NULL) {
        tp_ticket_fail(m->ticket, TP_E_CLOSED, "too late");
        m->ticket = NULL;
    }
}

static const tp_driver_ops mute_ops = {.init = mute_init, .stop = mute_stop};
static const tp_driver mute_driver = {.abi = TP_DRIVER_ABI,
                                      .name = "mute",
                                      .state_size = sizeof(struct mute),
                                      .ops = &mute_ops,
                                      .flags = TP_DRIVER_ON_LOOP};

struct outcome {
    bool done;
    tp_status status;
    tp_error error;
};

static void note(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct outcome *o = context;

    assert_null(answer);
    o->done = true;
    o->status = status;
    o->error = *err;
}

static void silence_is_ended_by_the_deadline(void **state)
{
    play *p = play_create();
    const tp_message *what = &tp_interface_ptz.messages[2];
    struct outcome o = {0};
    tp_msg *msg = NULL;

    (void)state;
    play_add(p, &mute_driver, "ptz:0", NULL, NULL);
    play_add(p, &tp_driver_passthrough, "ptz:1", "ptz:0", "timeout=2.5");
    play_open(p);
    const tp_msghdr header = {.addr = *tp_device_addr(p->device)};
    assert_string_equal(what->name, "GEOM");
    assert_int_equal(tp_msg_create(&msg, &header, NULL, NULL), TP_OK);
    assert_int_equal(tpi_device_call(p->device, what, msg, note, &o, NULL), TP_OK);
    for (int i = 0; i < 10; i++) {
        tp_loop_turn(p->b.loop, false);
    }
    assert_false(o.done);
    bench_move_clock(&p->b, 2.5);
    while (!o.done) {
        tp_loop_turn(p->b.loop, false);
    }
    assert_int_equal(o.status, TP_E_TIMEOUT);
    assert_string_equal(o.error.text, "ptz:0 does not answer GEOM in time");
    tp_msg_unref(msg);
    play_destroy(p);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static void keys_tell_devices_of_one_kind_apart(void **state)
{
    play *p = play_create();
    const tp_ptz_cmd look = {.pan = 1, .panspeed = 100};

    (void)state;
    play_add(p, &tp_driver_fake, "ptz:0 ptz:1", NULL, exact);
    play_add(p, &tp_driver_passthrough, "front@ptz:10 rear@ptz:11", "rear@ptz:1 front@ptz:0", NULL);
    play_open(p);
    play_command(p, TP_PTZ_CMD_STATE, &look);
    play_after(p, 0, TP_PTZ_DATA_STATE); /* it has arrived */
    const tp_ptz_data *data = play_after(p, 1, TP_PTZ_DATA_STATE);
    play_assert_near((double)data->pan, 1);
    p->device = bench_find(&p->b, "ptz:11");
    const tp_geometry *rear = play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL);
    assert_string_equal(rear->frame, "ptz:1");
    play_destroy(p);
}

static void wrong_settings_are_refused_with_a_sentence(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_passthrough, "ptz:1", NULL, NULL,
                          "passthrough0: `requires` has no ptz");
    play_assert_not_added(&tp_driver_passthrough, "a@ptz:1 a@ptz:2", "a@ptz:3 a@ptz:4", NULL,
                          "passthrough0: `provides` has ptz twice with the key \"a\": each needs "
                          "its own");
    play_assert_not_added(&tp_driver_passthrough, "ptz:1 ptz:2", "ptz:3", NULL,
                          "passthrough0: `requires` has no ptz");
    play_assert_not_added(&tp_driver_passthrough, "ptz:1", "ptz:0", "timeout=0",
                          "passthrough0: timeout \"0\" is not a number of seconds above 0");
}

static void what_is_not_there_cannot_be_opened(void **state)
{
    play *p = play_create();

    (void)state;
    play_add(p, &tp_driver_passthrough, "ptz:1", "ptz:0", NULL);
    assert_int_equal(bench_open(&p->b, &p->r, p->device), TP_E_UNKNOWN);
    assert_string_equal(p->b.err.text, "passthrough0: requires ptz:0: no driver offers it");
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_go_in_and_data_comes_out),
        cmocka_unit_test(access_can_be_for_one_direction),
        cmocka_unit_test(data_keeps_its_time),
        cmocka_unit_test(requests_are_answered_by_the_other_device),
        cmocka_unit_test(counters_are_those_of_the_other_device),
        cmocka_unit_test(refusals_come_back_with_their_reason),
        cmocka_unit_test(silence_is_ended_by_the_deadline),
        cmocka_unit_test(keys_tell_devices_of_one_kind_apart),
        cmocka_unit_test(wrong_settings_are_refused_with_a_sentence),
        cmocka_unit_test(what_is_not_there_cannot_be_opened),
    };

    return cmocka_run_group_tests_name("passthrough_test", tests, NULL, NULL);
}
