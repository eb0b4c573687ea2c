/* stage.c - see stage.h. */
#include "conformance/stage.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

void stage_begin(struct stage *s, const tp_driver *driver)
{
    const bench_section section = {.driver = driver, .provides = "position2d:0"};

    memset(s, 0, sizeof *s);
    memset(&motor, 0, sizeof motor);
    bench_init(&s->b);
    s->visit.b = &s->b;
    s->plan = bench_plan_create(s->b.catalogue, &section, 0);
    assert_int_equal(tpi_hub_add(s->b.hub, bench_plan_blueprint(s->plan), NULL, NULL), TP_OK);
    s->device = bench_find(&s->b, "position2d:0");
}

void stage_end(struct stage *s)
{
    for (unsigned i = 0; i < STAGE_CLIENTS; i++) {
        tp_session_destroy(s->sessions[i]);
    }
    bench_fini(&s->b);
    bench_plan_destroy(s->plan);
}

tp_status stage_enter(struct stage *s, unsigned who, const char *name)
{
    s->sessions[who] = visit_begin(&s->visit, name);
    return visit_open(&s->visit, s->sessions[who], s->device, TP_OPEN_MODE);
}

int stage_set_up(void **state, const tp_driver *driver)
{
    struct stage *s = calloc(1, sizeof *s);

    assert_non_null(s);
    stage_begin(s, driver);
    assert_int_equal(stage_enter(s, 0, "anna"), TP_OK);
    assert_int_equal(stage_enter(s, 1, "berta"), TP_OK);
    *state = s;
    return 0;
}

int stage_tear_down(void **state)
{
    stage_end(*state);
    free(*state);
    return 0;
}

/* ---- The motor ------------------------------------------------------------------------------- */

struct motor motor;

static tp_status drive(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    const tp_status status =
        motor.consider != NULL ? motor.consider(device, ask->vel.px, err) : TP_OK;

    if (status == TP_OK) {
        atomic_store(&motor.speed, (int)(ask->vel.px * 1000));
        atomic_fetch_add(&motor.commands, 1);
    }
    return status;
}

static tp_status tell_geometry(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)answer;
    (void)err;
    if (motor.asked != NULL) {
        motor.asked();
    }
    return TP_OK;
}

static const tp_position2d_ops motor_ops = {.cmd_vel = drive, .req_get_geom = tell_geometry};

static tp_status motor_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_position2d, NULL, &motor_ops, NULL, NULL, err);
}

static void motor_halt(tp_device *device, tp_halt how)
{
    (void)device;
    atomic_store(&motor.how, (int)how);
    atomic_store(&motor.reason, (int)tp_instance_halt_reason(tp_device_instance(device)));
    atomic_store(&motor.speed, 0);
    atomic_fetch_add(&motor.halts, 1);
}

static const tp_driver_ops driver_ops = {.init = motor_init, .halt = motor_halt};
const tp_driver motor_threaded = {.abi = TP_DRIVER_ABI, .name = "motor", .ops = &driver_ops};
const tp_driver motor_on_loop = {
    .abi = TP_DRIVER_ABI, .name = "motor", .ops = &driver_ops, .flags = TP_DRIVER_ON_LOOP};
