/*
 * passthrough - offers a device that another one stands behind.
 *
 * Everything goes through as it is: data out, commands and requests in. A request is kept open
 * until the other device has answered it, or the time for that is over.
 */
#include <stdlib.h>
#include <string.h>

#include "troupe/driver.h"
#include "troupe/interfaces/player.h"

/* A device and what stands behind it. */
struct pair {
    tp_device *device; /* borrowed */
    tp_link *link;     /* borrowed */
};

struct passthrough {
    struct pair *pairs; /* owned */
    size_t pair_count;
    int64_t timeout_ns;
};

static const tp_param passthrough_params[] = {
    {"timeout", "s", "5", "how long the other device may take to answer"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Messages -------------------------------------------------------------------------------- */

static void answered(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    tp_ticket *ticket = context;

    (void)self;
    if (status == TP_OK) {
        tp_ticket_answer(ticket, tp_msg_payload(answer));
    } else {
        tp_ticket_fail(ticket, status, why);
    }
}

static tp_status passthrough_handle(tp_device *device, const tp_message *what, const void *ask,
                                    void *answer, tp_error *err)
{
    const struct passthrough *p = tp_instance_state(tp_device_instance(device));
    const struct pair *pair = tp_device_context(device);

    (void)answer;
    (void)err;
    if (what->kind == TP_KIND_COMMAND) {
        return tp_link_command(pair->link, what->code, ask);
    }
    tp_status status = tp_link_request(pair->link, what->code, ask, p->timeout_ns, answered,
                                       tp_device_defer(device));
    return status == TP_OK ? TP_PENDING : status;
}

static void passthrough_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    const struct passthrough *p = tp_instance_state(self);
    const tp_msghdr *header = tp_msg_header(msg);

    for (size_t i = 0; i < p->pair_count; i++) {
        if (p->pairs[i].link == from) {
            tp_publish(p->pairs[i].device, header->subtype, tp_msg_payload(msg), header->timestamp);
        }
    }
}

static void passthrough_halt(tp_device *device, tp_halt how)
{
    const struct pair *pair = tp_device_context(device);

    (void)how; /* the other device's own configuration says */
    tp_link_halt(pair->link);
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* Whether an earlier address of `provides` has the same interface and key. */
static bool is_repeated(const tp_instance *self, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (tp_provides_interface(self, k) == tp_provides_interface(self, i) &&
            strcmp(tp_provides_key(self, k), tp_provides_key(self, i)) == 0) {
            return true;
        }
    }
    return false;
}

/* The other device has the same interface and, if there is one, the same key. */
static tp_status join(tp_instance *self, size_t i, tp_error *err)
{
    struct passthrough *p = tp_instance_state(self);
    struct pair *pair = &p->pairs[i];
    const tp_interface *interface = tp_provides_interface(self, i);
    const char *key = tp_provides_key(self, i);

    if (interface->code <= TP_PLAYER_CODE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s is the server's own", interface->name);
    }
    if (is_repeated(self, i)) {
        return tp_fail(err, TP_E_INVALID,
                       "`provides` has %s twice: give both keys, and `requires` the same ones",
                       interface->name);
    }
    tp_status status = tp_require(self, interface, key[0] == '\0' ? NULL : key, &pair->link, err);
    status = status == TP_OK
                 ? tp_offer(self, interface, key, NULL, passthrough_handle, &pair->device, err)
                 : status;
    if (status == TP_OK) {
        tp_device_set_context(pair->device, pair);
    }
    return status;
}

static tp_status passthrough_init(tp_instance *self, tp_error *err)
{
    struct passthrough *p = tp_instance_state(self);
    const double timeout_s = tp_param_double(self, "timeout");
    tp_status status = TP_OK;

    if (!(timeout_s > 0 && timeout_s <= 1e6)) {
        return tp_fail(err, TP_E_RANGE, "timeout \"%s\" is not a number of seconds above 0",
                       tp_param_string(self, "timeout"));
    }
    p->timeout_ns = (int64_t)(timeout_s * (double)TP_NS_PER_S);
    p->pair_count = tp_provides_count(self);
    p->pairs = calloc(p->pair_count + 1, sizeof *p->pairs);
    if (p->pairs == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < p->pair_count && status == TP_OK; i++) {
        status = join(self, i, err);
    }
    return status;
}

static void passthrough_fini(tp_instance *self)
{
    struct passthrough *p = tp_instance_state(self);

    free(p->pairs);
}

static const tp_driver_ops passthrough_ops = {
    .init = passthrough_init,
    .data = passthrough_data,
    .halt = passthrough_halt,
    .fini = passthrough_fini,
};

TP_API const tp_driver tp_driver_passthrough = {
    .abi = TP_DRIVER_ABI,
    .name = "passthrough",
    .summary = "offers a device that another one stands behind",
    .state_size = sizeof(struct passthrough),
    .params = passthrough_params,
    .ops = &passthrough_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
