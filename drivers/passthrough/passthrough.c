/*
 * passthrough - offers a device that another one stands behind.
 *
 * Everything goes through: data out, commands and requests in. A request is kept open until the
 * other device has answered it, or the time for that is over. Data can be thinned out on its way:
 * at most so often, and only when it has changed. `relay` is another name for it.
 *
 * A flow is the data of one kind of one pair. Where data comes faster than it may go out, a flow
 * holds the newest until its time has come, so that the last one always arrives.
 *
 * An `opaque` with nothing behind it is Player's relay: what a client commands is data for all.
 */
#include <stdlib.h>
#include <string.h>

#include "forward.h"
#include "troupe/interfaces/opaque.h"
#include "troupe/interfaces/player.h"

struct flow {
    tp_msg *last;    /* owned reference: what was sent; NULL unless `changes` */
    tp_msg *held;    /* owned reference: what waits for its time */
    int64_t next_ns; /* not before that */
};

/* A device and what stands behind it. */
struct pair {
    tp_device *device;  /* borrowed */
    tp_link *link;      /* borrowed; NULL if nothing stands behind it */
    struct flow *flows; /* owned: one for each message of the interface */
};

struct passthrough {
    struct pair *pairs; /* owned */
    size_t pair_count;
    tp_timer *timer; /* owned: when the next flow sends what it holds */
    int64_t timeout_ns;
    int64_t period_ns; /* between two data messages of a kind; 0 for any */
    bool changes;
    bool reads, writes; /* data passes; commands do */
};

static const tp_param passthrough_params[] = {
    {"timeout", "s", "5", "how long the other device may take to answer"},
    {"rate", "Hz", "0", "most messages of each kind per second; 0 for no limit"},
    {"changes", "bool", "no", "data goes out only if it is not the same as before"},
    {"latch", "bool", "no", "new readers receive the last data at once"},
    {"remote_host", NULL, "",
     "the other server, instead of `requires`; as in older files of Player"},
    {"remote_port", "1", "6665", "its port"},
    {"remote_index", "1", "", "number of the device there; as in `provides` if not given"},
    {"access", NULL, "a", "r: commands are refused; w: no data comes; a: neither"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Data ------------------------------------------------------------------------------------ */

static void keep(tp_msg **place, const tp_msg *msg)
{
    tp_msg *before = *place;

    *place = msg == NULL ? NULL : tp_msg_ref(msg);
    tp_msg_unref(before);
}

static bool is_same(const tp_msg *a, const tp_msg *b)
{
    const tp_struct *type = tp_msg_type(a);

    return type != NULL && tp_msg_type(b) == type &&
           tp_value_equal(type, tp_msg_payload(a), tp_msg_payload(b));
}

static void set_timer(struct passthrough *p)
{
    int64_t earliest = TP_NEVER;

    for (size_t i = 0; i < p->pair_count; i++) {
        const struct pair *pair = &p->pairs[i];
        for (uint32_t k = 0; k < tp_device_interface(pair->device)->message_count; k++) {
            const struct flow *flow = &pair->flows[k];
            earliest = flow->held != NULL && flow->next_ns < earliest ? flow->next_ns : earliest;
        }
    }
    if (earliest == TP_NEVER) {
        tp_timer_cancel(p->timer);
    } else {
        tp_timer_at(p->timer, earliest);
    }
}

/* The pace is kept even if a message is a little late. Sent last: a reader may close the device. */
static void send(const struct passthrough *p, const struct pair *pair, struct flow *flow,
                 const tp_msg *msg, int64_t now_ns)
{
    const bool in_step = now_ns - flow->next_ns < p->period_ns;

    flow->next_ns = (in_step ? flow->next_ns : now_ns) + p->period_ns;
    if (p->changes) {
        keep(&flow->last, msg);
    }
    tpi_forward_data(pair->device, msg);
}

static void take(struct passthrough *p, const struct pair *pair, struct flow *flow,
                 const tp_msg *msg, int64_t now_ns)
{
    const bool same = p->changes && flow->last != NULL && is_same(flow->last, msg);

    if (same || now_ns >= flow->next_ns) {
        keep(&flow->held, NULL); /* this one is newer */
        if (!same) {
            send(p, pair, flow, msg, now_ns);
        }
    } else {
        keep(&flow->held, msg);
    }
}

static void send_held(void *context)
{
    struct passthrough *p = tp_instance_state(context);
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(context));

    for (size_t i = 0; i < p->pair_count; i++) {
        const struct pair *pair = &p->pairs[i];
        for (uint32_t k = 0; k < tp_device_interface(pair->device)->message_count; k++) {
            struct flow *flow = &pair->flows[k];
            tp_msg *held = flow->held;
            if (held != NULL && now_ns >= flow->next_ns) {
                flow->held = NULL;
                send(p, pair, flow, held, now_ns);
                tp_msg_unref(held);
            }
        }
    }
    set_timer(p);
}

static const struct pair *pair_of(const struct passthrough *p, const tp_link *link)
{
    const struct pair *pair = p->pairs;

    while (pair->link != link) {
        pair++;
    }
    return pair;
}

/* Common data (the other device has failed, or has moved) goes through at once. */
static void passthrough_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct passthrough *p = tp_instance_state(self);
    const struct pair *pair = pair_of(p, from);
    const tp_interface *interface = tp_link_interface(from);
    const tp_message *what =
        tp_interface_message(interface, TP_KIND_DATA, tp_msg_header(msg)->subtype);

    if (what != NULL && !p->reads) {
        return; /* `access` says so */
    }
    if (what == NULL || (p->period_ns == 0 && !p->changes)) {
        tpi_forward_data(pair->device, msg);
        return;
    }
    take(p, pair, &pair->flows[what - interface->messages], msg,
         tp_clock_now_ns(tp_instance_clock(self)));
    if (p->period_ns > 0) {
        set_timer(p);
    }
}

/* ---- Commands and requests ------------------------------------------------------------------- */

static tp_status passthrough_handle(tp_device *device, const tp_message *what, const void *ask,
                                    void *answer, tp_error *err)
{
    const struct passthrough *p = tp_instance_state(tp_device_instance(device));
    const struct pair *pair = tp_device_context(device);

    (void)answer;
    if (what->kind == TP_KIND_COMMAND && !p->writes) {
        return tp_fail(err, TP_E_DENIED, "passthrough has `access \"r\"`: it passes no commands");
    }
    return tpi_forward_message(device, pair->link, what, ask, p->timeout_ns, err);
}

/* The sender hears it, too. */
static tp_status repeat(tp_device *device, const tp_message *what, const void *ask, void *answer,
                        tp_error *err)
{
    (void)answer;
    return what->kind == TP_KIND_COMMAND
               ? tp_publish(device, TP_OPAQUE_DATA_STATE, ask, 0)
               : tp_fail(err, TP_E_UNSUPPORTED, "a relay answers nothing");
}

static void passthrough_halt(tp_device *device, tp_halt how)
{
    const struct pair *pair = tp_device_context(device);

    (void)how; /* the other device's own configuration says */
    if (pair->link != NULL) {
        tp_link_halt(pair->link);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* Whether an earlier address of `provides` has the same interface and key. Without keys, two of an
 * interface are joined in their order. */
static bool is_repeated(const tp_instance *self, size_t i)
{
    const char *key = tp_provides_key(self, i);

    for (size_t k = 0; k < i && key[0] != '\0'; k++) {
        if (tp_provides_interface(self, k) == tp_provides_interface(self, i) &&
            strcmp(tp_provides_key(self, k), key) == 0) {
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
                       "`provides` has %s twice with the key \"%s\": each needs its own",
                       interface->name, key);
    }
    pair->flows = calloc(interface->message_count + 1, sizeof *pair->flows);
    if (pair->flows == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    const bool alone = interface == &tp_interface_opaque && tp_requires_count(self) == 0;
    tp_status status =
        alone ? TP_OK : tp_require(self, interface, key[0] == '\0' ? NULL : key, &pair->link, err);
    status = status == TP_OK ? tp_offer(self, interface, key, NULL,
                                        alone ? repeat : passthrough_handle, &pair->device, err)
                             : status;
    if (status == TP_OK) {
        tp_device_set_context(pair->device, pair);
    }
    return status == TP_OK && tp_param_bool(self, "latch") ? tp_device_latch(pair->device, err)
                                                           : status;
}

static tp_status read_settings(tp_instance *self, struct passthrough *p, tp_error *err)
{
    const double rate_hz = tp_param_double(self, "rate");
    const char *access = tp_param_string(self, "access");

    if (strlen(access) != 1 || strchr("rwa", access[0]) == NULL) {
        tp_param_blame(self, "access");
        return tp_fail(err, TP_E_INVALID, "access \"%s\" is none of \"r\", \"w\" and \"a\"",
                       access);
    }
    p->reads = access[0] != 'w';
    p->writes = access[0] != 'r';
    if (!(rate_hz == 0 || (rate_hz >= 1e-6 && rate_hz <= 1e6))) {
        return tp_fail(err, TP_E_RANGE,
                       "rate \"%s\" is neither 0 nor a number of messages a second",
                       tp_param_string(self, "rate"));
    }
    p->period_ns = rate_hz == 0 ? 0 : (int64_t)((double)TP_NS_PER_S / rate_hz);
    p->changes = tp_param_bool(self, "changes");
    return tpi_forward_seconds(self, "timeout", &p->timeout_ns, err);
}

static tp_status passthrough_init(tp_instance *self, tp_error *err)
{
    struct passthrough *p = tp_instance_state(self);
    tp_status status = read_settings(self, p, err);

    if (status != TP_OK) {
        return status;
    }
    p->pairs = calloc(tp_provides_count(self) + 1, sizeof *p->pairs);
    if (p->pairs == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    p->pair_count = tp_provides_count(self);
    for (size_t i = 0; i < p->pair_count && status == TP_OK; i++) {
        status = join(self, i, err);
    }
    return status == TP_OK
               ? tp_timer_create(&p->timer, tp_instance_loop(self), send_held, self, err)
               : status;
}

static void forget(struct pair *pair)
{
    for (uint32_t k = 0; k < tp_device_interface(pair->device)->message_count; k++) {
        keep(&pair->flows[k].last, NULL);
        keep(&pair->flows[k].held, NULL);
        pair->flows[k].next_ns = 0;
    }
}

/* The first data after this is new, whatever it is. */
static void passthrough_stop(tp_instance *self)
{
    struct passthrough *p = tp_instance_state(self);

    tp_timer_cancel(p->timer);
    for (size_t i = 0; i < p->pair_count; i++) {
        forget(&p->pairs[i]);
    }
}

static void passthrough_fini(tp_instance *self)
{
    struct passthrough *p = tp_instance_state(self);

    tp_timer_destroy(p->timer);
    for (size_t i = 0; i < p->pair_count; i++) {
        free(p->pairs[i].flows);
    }
    free(p->pairs);
}

static const tp_driver_ops passthrough_ops = {
    .init = passthrough_init,
    .data = passthrough_data,
    .halt = passthrough_halt,
    .stop = passthrough_stop,
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

TP_API const tp_driver tp_driver_relay = {
    .abi = TP_DRIVER_ABI,
    .name = "relay",
    .summary = "offers a device again: under another address, slower, or with its last data",
    .state_size = sizeof(struct passthrough),
    .params = passthrough_params,
    .ops = &passthrough_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
