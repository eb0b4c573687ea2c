/* universal_puppet.c - see universal_puppet.h. */
#include "conformance/universal_puppet.h"

#include "troupe/interfaces/universal.h"

static char none[1];
static bool moves; /* in the scene that runs */

/* Every command that reads gives 42. */
static tp_status answer_it(tp_device *device, const tp_universal_order *ask,
                           tp_universal_outcome *answer, tp_error *err)
{
    static tp_universal_value result = {.number = 42};

    (void)device;
    (void)err;
    *answer = (tp_universal_outcome){
        .text_count = 1, .text = none, .trace_count = 1, .trace = none, .results = &result};
    answer->results_count = ask->command == 0x1003;
    return TP_OK;
}

static tp_status move_it(tp_device *device, const tp_universal_order *ask,
                         tp_universal_outcome *answer, tp_error *err)
{
    motor.speed = ask->values_count > 0 ? (int)(ask->values[0].number * 10) : 0;
    motor.commands++;
    moves = true;
    return answer_it(device, ask, answer, err);
}

static void halt_motor(int reason)
{
    if (moves) {
        moves = false;
        motor.speed = 0;
        motor.reason = reason;
        motor.halts++;
    }
}

static void halt(tp_device *device, tp_halt how)
{
    (void)how;
    halt_motor((int)tp_instance_halt_reason(tp_device_instance(device)));
}

/* Its last client has left. */
static void stop(tp_instance *self)
{
    (void)self;
    halt_motor(TP_HALT_LEFT);
}

static tp_status init(tp_instance *self, tp_error *err)
{
    static const tp_universal_ops ops = {
        .req_look = answer_it, .req_run = answer_it, .req_move = move_it};

    moves = false;
    return tp_offer(self, &tp_interface_universal, NULL, &ops, NULL, NULL, err);
}

static const tp_driver_ops puppet_ops = {.init = init, .halt = halt, .stop = stop};
const tp_driver universal_puppet = {.abi = TP_DRIVER_ABI,
                                    .name = "universal_puppet",
                                    .ops = &puppet_ops,
                                    .flags = TP_DRIVER_ON_LOOP};
