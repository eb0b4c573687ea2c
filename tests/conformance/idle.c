/* idle.c - devices that do nothing by themselves; see idle.h. */
#include "conformance/idle.h"

#include <stdlib.h>

static tp_status refuse(tp_device *device, const tp_message *what, const void *ask, void *answer,
                        tp_error *err)
{
    (void)device;
    (void)ask;
    (void)answer;
    return tp_fail(err, TP_E_UNSUPPORTED, "no %s", what->name);
}

static tp_status idle_init(tp_instance *self, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < tp_provides_count(self) && status == TP_OK; i++) {
        status = tp_offer(self, tp_provides_interface(self, i), NULL, NULL, refuse, NULL, err);
    }
    return status;
}

static const tp_driver_ops idle_ops = {.init = idle_init};
const tp_driver idle_driver = {
    .abi = TP_DRIVER_ABI, .name = "idle", .ops = &idle_ops, .flags = TP_DRIVER_ON_LOOP};

void idle_begin(idle_crowd *crowd, const tp_interface *const *interfaces, uint32_t count)
{
    uint32_t kinds = 0;

    while (interfaces[kinds] != NULL) {
        kinds++;
    }
    *crowd = (idle_crowd){.p = play_create(),
                          .provides = calloc((size_t)count * kinds, sizeof(tpi_wanted))};
    assert_non_null(crowd->provides);
    for (uint32_t i = 0; i < count * kinds; i++) {
        const tp_interface *interface = interfaces[i % kinds];
        crowd->provides[i] = (tpi_wanted){.key = "",
                                          .interface = interface,
                                          .addr = {.robot = BENCH_ROBOT,
                                                   .interf = (uint16_t)interface->code,
                                                   .index = (uint16_t)(i / kinds)}};
    }
    const tpi_blueprint blueprint = {.driver = &idle_driver,
                                     .robot = BENCH_ROBOT,
                                     .provides = crowd->provides,
                                     .provide_count = count * kinds};
    if (tpi_hub_add(crowd->p->b.hub, &blueprint, NULL, &crowd->p->b.err) != TP_OK) {
        fail_msg("%s", crowd->p->b.err.text);
    }
}

void idle_end(idle_crowd *crowd)
{
    play_destroy(crowd->p);
    free(crowd->provides);
}
