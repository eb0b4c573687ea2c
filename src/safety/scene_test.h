/*
 * scene_test.h - safety without devices and drivers: an instance that is nothing but a struct.
 *
 * What safety asks for leaves a letter: H for a stop, P for a panic, a number for a report.
 */
#ifndef TROUPE_SAFETY_SCENE_TEST_H
#define TROUPE_SAFETY_SCENE_TEST_H

#include "safety/safety.h"
#include "support/loop_bench.h"
#include "troupe/interfaces/position2d.h"

/* An instance on the loop with one device; what safety asks for leaves a letter. */
struct scene {
    struct bench *b; /* borrowed */
    tpi_panic *panic;
    tpi_instance_safety instance;
    tpi_device_safety device;
    tpi_order order;
    bool slow;             /* stops take their time */
    tp_halt how;           /* it was halted last */
    tp_halt_reason reason; /* of that */
    uint8_t way;           /* as it was asked for */
    tpi_mover reported;    /* that the last report is about */
};

static struct scene scene;

static inline bool runs(const tpi_instance_safety *instance)
{
    (void)instance;
    return true;
}

static inline void halt(tpi_device_safety *device, tp_halt how)
{
    const tpi_instance_safety *instance = device->instance;

    assert_true(device->moves && instance->halts && tpi_stop_may_write(instance));
    assert_ptr_equal(instance->halted, device);
    scene.how = how;
    scene.reason = instance->halt_reason;
    scene.way = instance->halt_way;
    note(scene.b, 'H');
    if (scene.slow) {
        tpi_slow_stop_begin(device);
    }
}

static inline void report(tpi_device_safety *device, const tpi_mover *mover, tpi_leaving why)
{
    (void)device;
    scene.reported = *mover;
    note(scene.b, (char)('0' + why));
}

static inline void panic_changed(tpi_instance_safety *instance)
{
    (void)instance;
    note(scene.b, 'P');
}

static const tpi_safety_ops ops = {
    .runs = runs, .halt = halt, .report = report, .panic_changed = panic_changed};

static inline int begin(void **state)
{
    assert_int_equal(set_up(state), 0);
    scene = (struct scene){.b = *state};
    assert_int_equal(tpi_panic_create(&scene.panic, &scene.b->clock, NULL, NULL, NULL), TP_OK);
    tpi_safety_init(&scene.instance, &ops, scene.panic, scene.b->loop);
    tpi_safety_add(&scene.instance, &scene.device, "position2d:0", &tp_interface_position2d);
    assert_int_equal(tpi_stop_begin(&scene.instance, true, NULL), TP_OK);
    return 0;
}

/* Nothing is left of a stop. */
static inline int end(void **state)
{
    assert_false(scene.instance.halts || scene.instance.halts_for_panic);
    assert_null(scene.instance.halted);
    assert_int_equal(scene.instance.halt_reason, TP_HALT_UNASKED);
    assert_int_equal(scene.instance.halt_way, TP_HALT_SO_BRAKE);
    tpi_stop_end(&scene.instance);
    tpi_panic_destroy(scene.panic);
    return tear_down(state);
}

static inline const tp_message *velocity(void)
{
    return tp_interface_message(&tp_interface_position2d, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL);
}

static inline const tp_message *request(uint8_t code)
{
    return tp_interface_message(&tp_interface_position2d, TP_KIND_REQUEST, code);
}

static inline tpi_claim claim_of(tpi_mover_kind kind, uint32_t id, int32_t rank)
{
    return (tpi_claim){.mover = {kind, id, kind == TPI_MOVER_CLIENT ? "a client" : "a driver"},
                       .lease_ns = 2 * TP_NS_PER_S,
                       .rank = rank,
                       .hold_ns = TP_NS_PER_S};
}

/* A command that is sent and carried out. */
static inline void move(const tpi_claim *claim)
{
    tpi_claim_take(&scene.device, velocity(), claim, tpi_panic_epoch(scene.panic), &scene.order);
    assert_false(tpi_stop_is_late(&scene.device, velocity(), &scene.order));
    tpi_stop_note(&scene.device, &scene.order.mover, TP_OK);
}

static inline void pass(int64_t time_ns)
{
    scene.b->now_ns += time_ns;
    turn(scene.b);
}

static inline void ask_to_halt(uint8_t way)
{
    const tp_message *what =
        tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, TP_COMMON_REQ_HALT_SO);
    const tp_halt_so ask = {way};
    tp_error err = {0};

    assert_int_equal(tpi_stop_answer(&scene.device, what, &ask, tpi_panic_epoch(scene.panic), &err),
                     way <= TP_HALT_SO_OWN ? TP_OK : TP_E_RANGE);
}

#endif
