/*
 * slow_stop_test.c - stops that take their time: they are owed, and nobody is told before.
 *
 * The driver is a base on the loop whose work somebody else does: the test, which says when it has
 * stopped.
 */
#include <stdlib.h>
#include <string.h>

#include "conformance/stage.h"
#include "device/inside.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

/* ---- A base ---------------------------------------------------------------------------------- */

static struct {
    unsigned halts;
    tp_halt how;
    unsigned way;
} base;

static tp_status drive(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    (void)err;
    return TP_OK;
}

static const tp_position2d_ops base_ops = {.cmd_vel = drive};

static tp_status base_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_position2d, NULL, &base_ops, NULL, NULL, err);
}

static void base_halt(tp_device *device, tp_halt how)
{
    base.halts++;
    base.how = how;
    base.way = tp_instance_halt_way(tp_device_instance(device));
    tp_device_halting(device);
}

static const tp_driver_ops driver_ops = {.init = base_init, .halt = base_halt};
static const tp_driver driver = {
    .abi = TP_DRIVER_ABI, .name = "base", .ops = &driver_ops, .flags = TP_DRIVER_ON_LOOP};

static tp_status came_of_it; /* of what was asked last; TP_PENDING before */

static void begin(struct stage *s)
{
    stage_begin(s, &driver);
    memset(&base, 0, sizeof base);
    assert_int_equal(stage_enter(s, 0, "anna"), TP_OK);
    assert_int_equal(visit_drive(s->sessions[0], s->device, 1, NULL), TP_OK);
}

static bool owes(const struct stage *s)
{
    tp_panic_state *panic = NULL;

    assert_int_equal(tp_hub_panic(s->b.hub, &panic), TP_OK);
    const bool named = strcmp(panic->owing, "base0") == 0;
    assert_true(named || panic->owing[0] == '\0');
    free(panic);
    return named;
}

static void answered(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    (void)answer;
    (void)err;
    *(tp_status *)context = status;
}

static void ask(struct stage *s, unsigned code, const tp_struct *type, const void *value)
{
    const tp_message *what = tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, code);
    const tp_msghdr header = {
        .addr = *tp_device_addr(s->device), .type = TP_MSGTYPE_REQ, .subtype = (uint8_t)code};
    tp_msg *msg = NULL;

    came_of_it = TP_PENDING;
    assert_int_equal(tp_msg_create(&msg, &header, type, value), TP_OK);
    assert_int_equal(tpi_device_call(s->device, what, msg, answered, &came_of_it, NULL), TP_OK);
    tp_msg_unref(msg);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void a_panic_names_it_until_it_has_stopped(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    assert_false(owes(&s));
    tpi_panic_raise(tpi_panic_of(s.b.hub), "somebody", "test");
    while (base.halts == 0) {
        assert_true(owes(&s));
        tp_loop_turn(s.b.loop, false);
    }
    assert_int_equal(base.way, TP_HALT_SO_OWN);
    assert_true(owes(&s));
    assert_true(tpi_panic_reset(tpi_panic_of(s.b.hub), 1)); /* it still moves */
    assert_true(owes(&s));
    tp_device_halted(s.device);
    assert_false(owes(&s));
    tp_device_halted(s.device); /* once more does no harm */
    assert_false(owes(&s));
    stage_end(&s);
}

static void a_request_is_answered_when_it_has_stopped(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    ask(&s, TP_COMMON_REQ_HALT, NULL, NULL);
    ask(&s, TP_COMMON_REQ_HALT, NULL, NULL); /* and somebody else */
    assert_int_equal(base.way, TP_HALT_SO_BRAKE);
    tp_device_halted(s.device);
    assert_int_equal(came_of_it, TP_PENDING);
    assert_true(tpi_claim_is_moved(&s.device->safety));
    tp_device_halted(s.device);
    assert_int_equal(came_of_it, TP_OK);
    assert_false(tpi_claim_is_moved(&s.device->safety));
    assert_int_equal(visit_drive(s.sessions[0], s.device, 1, NULL), TP_OK);
    assert_true(tpi_claim_is_moved(&s.device->safety));
    stage_end(&s);
}

static void who_moves_it_after_the_request_still_does(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    ask(&s, TP_COMMON_REQ_HALT, NULL, NULL);
    assert_int_equal(visit_drive(s.sessions[0], s.device, 1, NULL), TP_OK);
    tp_device_halted(s.device);
    assert_int_equal(came_of_it, TP_OK);
    assert_true(tpi_claim_is_moved(&s.device->safety));
    stage_end(&s);
}

static void it_can_be_asked_for_in_another_way(void **state)
{
    tp_halt_so so = {0};
    struct stage s;

    (void)state;
    begin(&s);
    for (so.way = TP_HALT_SO_BRAKE; so.way <= TP_HALT_SO_FINISH; so.way++) {
        ask(&s, TP_COMMON_REQ_HALT_SO, &tp_desc_halt_so, &so);
        assert_int_equal(base.how, so.way);
        assert_int_equal(base.way, so.way);
        tp_device_halted(s.device);
        assert_int_equal(came_of_it, TP_OK);
    }
    tpi_hub_set_panic_action(s.b.hub, TP_HALT_HOLD);
    ask(&s, TP_COMMON_REQ_HALT_SO, &tp_desc_halt_so, &so); /* as the configuration says */
    assert_int_equal(base.how, TP_HALT_HOLD);
    assert_int_equal(base.way, TP_HALT_SO_OWN);
    so.way++;
    ask(&s, TP_COMMON_REQ_HALT_SO, &tp_desc_halt_so, &so);
    assert_int_equal(came_of_it, TP_E_RANGE);
    assert_int_equal(base.halts, 4);
    stage_end(&s);
}

static void what_is_stopped_as_a_whole_owes_nothing(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    ask(&s, TP_COMMON_REQ_HALT, NULL, NULL);
    assert_true(owes(&s));
    tp_instance_fail(s.device->instance, TP_E_IO, "gone");
    assert_int_equal(came_of_it, TP_E_DEVICE);
    assert_false(owes(&s));
    stage_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_panic_names_it_until_it_has_stopped),
        cmocka_unit_test(a_request_is_answered_when_it_has_stopped),
        cmocka_unit_test(who_moves_it_after_the_request_still_does),
        cmocka_unit_test(it_can_be_asked_for_in_another_way),
        cmocka_unit_test(what_is_stopped_as_a_whole_owes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
