/* relay.c - devices whose work is done by devices of another server; see relay.h. */
#include "relay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "troupe/interfaces/player.h"
#include "troupe/interfaces/position1d.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/position3d.h"

/* ---- Messages -------------------------------------------------------------------------------- */

static void pass_data(tp_proxy *proxy, const tp_msg *msg)
{
    const struct joint *joint = tp_proxy_context(proxy);
    const tp_msghdr *header = tp_msg_header(msg);

    if (header->subtype == TP_COMMON_DATA_ERROR && tp_msg_payload(msg) != NULL) {
        tp_failure failure = *(const tp_failure *)tp_msg_payload(msg);
        /* there, not here: whoever has this one open need not open it again */
        failure.code = failure.code == TP_E_REMOVED ? TP_E_DEVICE : failure.code;
        tp_publish(joint->device, header->subtype, &failure, header->timestamp);
        return;
    }
    tp_publish(joint->device, header->subtype, tp_msg_payload(msg), header->timestamp);
}

static void pass_answer(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                        const char *why)
{
    tp_ticket *ticket = context;

    (void)proxy;
    if (status == TP_OK) {
        tp_ticket_answer(ticket, answer == NULL ? NULL : tp_msg_payload(answer));
    } else {
        tp_ticket_fail(ticket, status, why);
    }
}

/* What a Player server does not know is answered here: nothing is known. */
static bool is_ours(const tp_message *what)
{
    return what->code >= TP_COMMON_REQ_GET_GEOMETRY && what->code <= TP_COMMON_REQ_GET_GEOMETRY + 6;
}

static tp_status handle(tp_device *device, const tp_message *what, const void *ask, void *answer,
                        tp_error *err)
{
    const struct joint *joint = tp_device_context(device);

    (void)answer; /* zeroed: geometry is unknown, there are no properties */
    if (what->kind == TP_KIND_COMMAND) {
        return tp_proxy_command(joint->proxy, what->code, ask, err);
    }
    if (tp_client_is_connected(joint->relay->client) &&
        !tp_client_is_troupe(joint->relay->client) && is_ours(what)) {
        return what->mark == TP_MARK_REQUIRED
                   ? TP_OK
                   : tp_fail(err, TP_E_UNSUPPORTED, "a Player server does not know %s", what->name);
    }
    tp_status status =
        tp_proxy_request_later(joint->proxy, what->code, ask, joint->relay->timeout_ns, pass_answer,
                               tp_device_defer(device), err);
    return status == TP_OK ? TP_PENDING : status;
}

static void ignore_answer(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                          const char *why)
{
    (void)context;
    (void)proxy;
    (void)status;
    (void)answer;
    (void)why;
}

/* A Player server knows no HALT; its vehicles stand still at a velocity of zero. */
static void send_zero(tp_proxy *proxy)
{
    const tp_position1d_cmd_vel vel1d = {.state = 1};
    const tp_position2d_cmd_vel vel2d = {.state = 1};
    const tp_position3d_cmd_vel vel3d = {.state = 1};

    switch (tp_proxy_interface(proxy)->code) {
    case TP_POSITION1D_CODE:
        tp_proxy_command(proxy, TP_POSITION1D_CMD_VEL, &vel1d, NULL);
        break;
    case TP_POSITION2D_CODE:
        tp_proxy_command(proxy, TP_POSITION2D_CMD_VEL, &vel2d, NULL);
        break;
    case TP_POSITION3D_CODE:
        tp_proxy_command(proxy, TP_POSITION3D_CMD_SET_VEL, &vel3d, NULL);
        break;
    default:
        break;
    }
}

void relay_halt(tp_device *device, tp_halt how)
{
    const struct joint *joint = tp_device_context(device);

    (void)how; /* the other server's own configuration says */
    if (tp_client_is_troupe(joint->relay->client)) {
        tp_proxy_request_later(joint->proxy, TP_COMMON_REQ_HALT, NULL, 0, ignore_answer, NULL,
                               NULL);
    } else {
        send_zero(joint->proxy);
    }
}

/* ---- Offering -------------------------------------------------------------------------------- */

/* "laser:3" or "3": the index of the counterpart. */
static tp_status read_index(const char *text, const tp_interface *interface, unsigned *index,
                            tp_error *err)
{
    const char *colon = strrchr(text, ':');
    const char *number = colon == NULL ? text : colon + 1;
    char *end = NULL;
    const unsigned long value = strtoul(number, &end, 10);
    const bool named =
        colon == NULL || (strlen(interface->name) == (size_t)(colon - text) &&
                          strncmp(text, interface->name, (size_t)(colon - text)) == 0);

    if (!named || number[0] < '0' || number[0] > '9' || *end != '\0' || value > UINT16_MAX) {
        return tp_fail(err, TP_E_INVALID, "\"%s\" cannot stand behind a %s: give %s:INDEX", text,
                       interface->name, interface->name);
    }
    *index = (unsigned)value;
    return TP_OK;
}

static tp_status offer(struct relay *relay, size_t i, const char *devices_param, tp_error *err)
{
    struct joint *joint = &relay->joints[i];
    const tp_interface *interface = tp_provides_interface(relay->self, i);

    if (interface->code <= TP_PLAYER_CODE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s is the server's own", interface->name);
    }
    tp_status status = tp_offer(relay->self, interface, tp_provides_key(relay->self, i), NULL,
                                handle, &joint->device, err);

    if (status != TP_OK) {
        return status;
    }
    joint->relay = relay;
    joint->index = tp_device_addr(joint->device)->index;
    tp_device_set_context(joint->device, joint);
    if (devices_param == NULL || i >= tp_param_count(relay->self, devices_param)) {
        return TP_OK;
    }
    return read_index(tp_param_string_at(relay->self, devices_param, i), interface, &joint->index,
                      err);
}

static void tell_start(tp_after *after);
static void lose_patience(void *context);

tp_status relay_init(struct relay *out, tp_instance *self, const char *devices_param,
                     int64_t timeout_ns, tp_error *err)
{
    tp_status status = TP_OK;

    out->self = self;
    out->timeout_ns = timeout_ns;
    out->ending.run = tell_start;
    out->joint_count = tp_provides_count(self);
    out->joints = calloc(out->joint_count + 1, sizeof *out->joints);
    if (out->joints == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < out->joint_count && status == TP_OK; i++) {
        status = offer(out, i, devices_param, err);
    }
    return status == TP_OK
               ? tp_timer_create(&out->patience, tp_instance_loop(self), lose_patience, out, err)
               : status;
}

void relay_fini(struct relay *relay)
{
    if (relay->joints == NULL) {
        return;
    }
    relay_stop(relay);
    tp_timer_destroy(relay->patience);
    free(relay->joints);
}

/* ---- Starting -------------------------------------------------------------------------------- */

/* The client must not be destroyed by its own callbacks: told when this turn is over. */
static void finish_start(struct relay *relay, tp_status status, const char *why)
{
    if (!relay->starting) {
        return;
    }
    relay->starting = false;
    relay->outcome = status;
    snprintf(relay->why, sizeof relay->why, "%s", why == NULL ? "" : why);
    tp_timer_cancel(relay->patience);
    tp_loop_after(tp_instance_loop(relay->self), &relay->ending);
}

void relay_fail_start(struct relay *relay, tp_status status, const char *why)
{
    finish_start(relay, status, why);
}

static void tell_start(tp_after *after)
{
    struct relay *of = (struct relay *)((char *)after - offsetof(struct relay, ending));

    if (of->refused) {
        of->refused = false;
        tp_instance_fail(of->self, of->outcome, of->why);
        return;
    }
    if (of->outcome != TP_OK) {
        relay_stop(of);
    }
    of->started = of->outcome == TP_OK;
    tp_instance_started(of->self, of->outcome, of->why);
}

/* The key is not good any more, and the client has given up. */
static void fail_later(struct relay *relay, const char *why)
{
    relay->refused = true;
    relay->outcome = TP_E_DENIED;
    snprintf(relay->why, sizeof relay->why, "%s", why);
    tp_loop_after(tp_instance_loop(relay->self), &relay->ending);
}

static void lose_patience(void *context)
{
    struct relay *of = context;

    if (tp_client_is_connected(of->client)) {
        finish_start(of, TP_OK, NULL);
    } else {
        char why[256];
        snprintf(why, sizeof why, "%s does not answer", tp_client_url(of->client));
        finish_start(of, TP_E_TIMEOUT, why);
    }
}

/* Readers hear that the counterpart is gone, or that it is back. */
static void tell_readers(const struct relay *relay, tp_status status, const char *why)
{
    char text[300];
    tp_failure failure = {.code = status, .text = text};

    for (size_t i = 0; i < relay->joint_count; i++) {
        snprintf(text, sizeof text, "%s: %s", tp_instance_name(relay->self), why);
        failure.text_count = (uint32_t)strlen(text) + 1;
        tp_publish(relay->joints[i].device, TP_COMMON_DATA_ERROR, &failure, 0);
    }
}

static void connection_changed(void *context, tp_client *client, const char *why)
{
    struct relay *of = context;

    if (why == NULL) {
        if (of->was_connected && !of->starting) {
            tell_readers(of, TP_OK, "the server is back");
        }
        of->was_connected = true;
    } else if (of->of_child) {
        return; /* not listening yet, or its owner knows more */
    } else if (of->starting) {
        finish_start(of, tp_client_is_refused(client) ? TP_E_DENIED : TP_E_IO, why);
    } else if (tp_client_is_refused(client) && of->started) {
        fail_later(of, why);
    } else if (of->started) {
        tell_readers(of, TP_E_CLOSED, why);
    }
}

static void counterpart_opened(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    struct joint *joint = context;
    struct relay *of = joint->relay;

    (void)proxy;
    if (status != TP_OK) {
        finish_start(of, status, why);
        return;
    }
    of->open_count += !joint->open;
    joint->open = true;
    if (of->open_count == of->joint_count) {
        finish_start(of, TP_OK, NULL);
    }
}

static tp_status open_counterparts(struct relay *relay, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < relay->joint_count && status == TP_OK; i++) {
        struct joint *joint = &relay->joints[i];
        joint->open = false;
        status =
            tp_client_open_later(relay->client, tp_device_interface(joint->device), joint->index,
                                 TP_OPEN_MODE, counterpart_opened, joint, &joint->proxy, err);
        if (status == TP_OK) {
            tp_proxy_set_context(joint->proxy, joint);
            tp_proxy_on_data(joint->proxy, pass_data);
        }
    }
    return status;
}

tp_status relay_start(struct relay *relay, const char *url, int64_t patience_ns, tp_error *err)
{
    const tp_client_options options = {
        .name = tp_instance_name(relay->self),
        .mode = TP_CLIENT_EVERYTHING,
        .timeout_ns = relay->timeout_ns,
        .extensions = true,
        .key = relay->key != NULL || relay->key_file != NULL ? relay->key : "",
        .key_file = relay->key_file,
        .catalogue = tp_instance_catalogue(relay->self),
        .loop = tp_instance_loop(relay->self),
        .changed = connection_changed,
        .context = relay};
    relay->open_count = 0;
    relay->was_connected = relay->started = relay->refused = false;
    tp_status status = tp_client_connect_later(&relay->client, url, &options, err);
    status = status == TP_OK ? open_counterparts(relay, err) : status;
    if (status != TP_OK) {
        relay_stop(relay);
        return status;
    }
    relay->starting = true;
    tp_timer_at(relay->patience, tp_clock_now_ns(tp_instance_clock(relay->self)) + patience_ns);
    return TP_PENDING;
}

void relay_stop(struct relay *relay)
{
    tp_loop *loop = tp_instance_loop(relay->self);

    relay->starting = false;
    tp_loop_after_cancel(loop, &relay->ending);
    if (relay->patience != NULL) {
        tp_timer_cancel(relay->patience);
    }
    for (size_t i = 0; i < relay->joint_count; i++) {
        tp_proxy_close(relay->joints[i].proxy);
        relay->joints[i].proxy = NULL;
    }
    tp_client_destroy(relay->client);
    relay->client = NULL;
}
