/* mover.c - the mover of a device, for the layers above and for drivers that use it. The loop's. */
#include <assert.h>
#include <string.h>

#include "device/inside.h"

void tpi_device_heard(tp_device *device, const tpi_mover *mover, int64_t lease_ns)
{
    tpi_claim_renew(&device->safety, mover, lease_ns);
}

void tpi_device_left(tp_device *device, const tpi_mover *mover, tpi_leaving why)
{
    tpi_claim_leave(&device->safety, mover, why);
}

/* A driver that stops may have parked what it used: the stop comes behind that. */
void tpi_mover_leave_in_order(tp_device *device, const tpi_mover *mover)
{
    const tp_message *what =
        tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, TP_COMMON_REQ_HALT);
    const tp_msghdr header = {
        .addr = device->addr, .type = TP_MSGTYPE_REQ, .subtype = TP_COMMON_REQ_HALT};
    tp_msg *msg = NULL;

    if (device->safety.moves && tpi_mover_equal(&device->safety.mover, mover) &&
        (tp_msg_create(&msg, &header, NULL, NULL) != TP_OK ||
         tpi_call_quietly(device, what, msg, NULL, NULL) != TP_OK)) {
        tpi_device_left(device, mover, TPI_LEAVING_CLOSED); /* at least it is stopped */
    }
    tpi_claim_drop(&device->safety, mover);
    tp_msg_unref(msg);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

tpi_rank_list tpi_device_ranks(const tp_device *device)
{
    const tpi_blueprint *blueprint = &device->instance->blueprint;

    return (tpi_rank_list){blueprint->ranks, blueprint->rank_count, device->section};
}

void tpi_mover_rank_driver(const tp_instance *user, const tp_device *device, tpi_claim *claim)
{
    const tpi_writer writer = {.driver = tpi_instance_driver_name(user), .instance = user->name};
    const tpi_rank_list ranks = tpi_device_ranks(device);

    tpi_rank_choose(&ranks, &writer, claim);
}

const char *tpi_mover_shut_out_by(const tp_device *device, int32_t rank)
{
    const tpi_hub *hub = device->instance->hub;

    return hub->clients == NULL ? NULL : hub->clients_ops->keeps_out(hub->clients, device, rank);
}

tp_status tpi_mover_check_driver(const tp_device *device, const tp_message *what,
                                 const tpi_claim *claim, tp_error *err)
{
    const char *holder =
        what->effect == TP_EFFECT_READS ? NULL : tpi_mover_shut_out_by(device, claim->rank);

    return holder == NULL ? tpi_claim_check(&device->safety, what, claim, err)
                          : tp_fail(err, TP_E_DENIED, "%s is held by %s", device->name, holder);
}

const tp_instance *tpi_hub_find_isolated(const tpi_hub *hub, const char *name)
{
    const tp_instance *at = hub->instances;

    while (at != NULL && (at->blueprint.in_place_of == NULL || strcmp(at->name, name) != 0)) {
        at = at->next;
    }
    return at;
}
