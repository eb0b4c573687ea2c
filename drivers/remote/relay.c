/* relay.c - devices whose work is done by devices of another server; see relay.h. */
#include "relay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "troupe/interfaces/player.h"

enum {
    MOST_SERVERS = 16, /* behind each other */
    MOST_TRIES = 5,    /* to find out what is behind a device that keeps failing */
};

static const int64_t TRY_AGAIN_NS = TP_NS_PER_S / 2;

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
                                tpi_remote_joint_handle, &joint->device, err);

    if (status != TP_OK) {
        return status;
    }
    joint->relay = relay;
    joint->id = tpi_remote_joint_number(joint);
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

tp_status tpi_remote_relay_init(struct relay *out, tp_instance *self, const char *devices_param,
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
    tp_loop *loop = tp_instance_loop(self);
    if (status == TP_OK) {
        status = tp_timer_create(&out->again, loop, tpi_remote_relay_ask_owed, out, err);
    }
    return status == TP_OK ? tp_timer_create(&out->patience, loop, lose_patience, out, err)
                           : status;
}

void tpi_remote_relay_fini(struct relay *relay)
{
    if (relay->joints == NULL) {
        return;
    }
    tpi_remote_relay_stop(relay);
    tp_timer_destroy(relay->patience);
    tp_timer_destroy(relay->again);
    free(relay->joints);
}

/* ---- Starting -------------------------------------------------------------------------------- */

/* Readers hear that the counterpart is gone, or that it is back. */
static void tell_readers(const struct relay *relay, tp_status status, const char *why)
{
    char text[320];
    tp_failure failure = {.code = status, .text = text};

    for (size_t i = 0; i < relay->joint_count; i++) {
        snprintf(text, sizeof text, "%s: %s", tp_instance_name(relay->self), why);
        failure.text_count = (uint32_t)strlen(text) + 1;
        tp_publish(relay->joints[i].device, TP_COMMON_DATA_ERROR, &failure, 0);
    }
}

static bool is_at_work(const struct joint *joint)
{
    return joint->ready && !joint->faulty;
}

static const struct joint *find_unready(const struct relay *relay)
{
    const struct joint *found = NULL;

    for (size_t i = 0; i < relay->joint_count; i++) {
        const struct joint *joint = &relay->joints[i];
        if (!is_at_work(joint) && (found == NULL || tpi_remote_joint_cause(joint)[0] != '\0')) {
            found = joint;
        }
    }
    return found;
}

/* For a child, only what it owes is reported here. */
void tpi_remote_relay_judge(struct relay *relay)
{
    const struct joint *unready = find_unready(relay);
    const char *why = NULL;
    char text[256];

    if (relay->starting || relay->client == NULL) {
        return;
    }
    if (relay->of_child) {
        why = relay->owed[0] != '\0' ? relay->owed : NULL;
    } else if (relay->lost[0] != '\0') {
        why = relay->lost;
    } else if (relay->circle[0] != '\0') {
        why = relay->circle;
    } else if (unready != NULL && tpi_remote_joint_cause(unready)[0] != '\0') {
        why = tpi_remote_joint_cause(unready);
    } else if (unready != NULL && relay->waited) {
        snprintf(text, sizeof text, "%s: %s has not started there yet",
                 tp_client_url(relay->client), tp_proxy_name(unready->proxy));
        why = text;
    } else if (unready != NULL) {
        return; /* it is being opened */
    } else if (relay->owed[0] != '\0') {
        why = relay->owed;
    } else if (relay->panic[0] != '\0') {
        why = relay->panic;
    }
    tp_instance_trouble(relay->self, why);
}

/* The client must not be destroyed by its own callbacks: told when this turn is over. */
void tpi_remote_relay_end_start(struct relay *relay, tp_status status, const char *why)
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

static void tell_start(tp_after *after)
{
    struct relay *of = (struct relay *)((char *)after - offsetof(struct relay, ending));

    if (of->failing) {
        of->failing = false;
        tp_instance_fail(of->self, of->outcome, of->why);
        return;
    }
    if (of->outcome != TP_OK) {
        tpi_remote_relay_stop(of);
    }
    of->started = of->outcome == TP_OK;
    tpi_remote_relay_judge(of);
    tp_instance_started(of->self, of->outcome, of->why);
}

/* The key is not good any more, and the client has given up; or there is no use in going on. */
static void fail_later(struct relay *relay, tp_status status, const char *why)
{
    relay->failing = true;
    relay->outcome = status;
    snprintf(relay->why, sizeof relay->why, "%s", why);
    tp_loop_after(tp_instance_loop(relay->self), &relay->ending);
}

static void trace_again(struct relay *relay);

static void lose_patience(void *context)
{
    struct relay *of = context;

    if (tp_client_is_connected(of->client)) {
        of->waited = of->waited || of->starting;
        tpi_remote_relay_end_start(of, TP_OK, NULL);
        trace_again(of);
    } else if (of->starting) {
        char why[256];
        snprintf(why, sizeof why, "%s does not answer", tp_client_url(of->client));
        tpi_remote_relay_end_start(of, TP_E_TIMEOUT, why);
    }
}

/* ---- The other server ------------------------------------------------------------------------ */

static void is_lost(struct relay *relay, const char *why)
{
    snprintf(relay->lost, sizeof relay->lost, "%s", why);
    relay->panic[0] = '\0';
    for (size_t i = 0; i < relay->joint_count; i++) {
        relay->joints[i].ready = false;
        relay->joints[i].why[0] = '\0';
    }
}

static void connection_changed(void *context, tp_client *client, const char *why)
{
    struct relay *of = context;

    if (of->of_child) {
        return; /* not listening yet, or its owner knows more */
    }
    if (why == NULL) {
        of->lost[0] = '\0'; /* it is well when the devices are open again */
        return;
    }
    is_lost(of, why);
    if (of->starting) {
        tpi_remote_relay_end_start(of, tp_client_is_refused(client) ? TP_E_DENIED : TP_E_IO, why);
    } else if (tp_client_is_refused(client) && of->started) {
        fail_later(of, TP_E_DENIED, why);
    } else if (of->started) {
        of->told = true;
        tell_readers(of, TP_E_CLOSED, why);
        tpi_remote_relay_judge(of);
    }
}

static void panic_changed(void *context, tp_client *client, const tp_panic_state *panic)
{
    struct relay *of = context;
    const bool before = of->panic[0] != '\0';

    if (of->of_child) {
        of->panicked(of, panic);
        return; /* clients that have the devices open here know of the panic already */
    }
    of->panic[0] = '\0';
    if (panic->active) {
        snprintf(of->panic, sizeof of->panic,
                 "%s: nothing moves there: panic, raised by %.*s: %.*s", tp_client_url(client),
                 (int)panic->who_count, panic->who, (int)panic->why_count, panic->why);
    }
    if (before != (panic->active != 0)) {
        tell_readers(of, panic->active ? TP_E_PANIC : TP_OK,
                     panic->active ? of->panic : "the panic there is over");
        tpi_remote_relay_judge(of);
    }
}

/* ---- Its devices ----------------------------------------------------------------------------- */

static void is_ready(struct joint *joint)
{
    struct relay *of = joint->relay;

    joint->ready = joint->known = true;
    joint->fault[0] = '\0';
    joint->faulty = false;
    tpi_remote_joint_is_back(joint);
    if (find_unready(of) != NULL) {
        tpi_remote_relay_judge(of); /* for another reason now, perhaps */
        return;
    }
    of->waited = false;
    of->circle[0] = '\0';
    if (of->ready != NULL) {
        of->ready(of);
    }
    if (of->starting) {
        tpi_remote_relay_end_start(of, TP_OK, NULL);
        return;
    }
    if (of->told) {
        of->told = false;
        tell_readers(of, TP_OK, "the server is back");
    }
    tpi_remote_relay_judge(of);
}

void tpi_remote_relay_in_circle(struct joint *joint)
{
    struct relay *of = joint->relay;

    snprintf(
        of->circle, sizeof of->circle,
        "%s: %s is in a circle of servers, each of which has it from the next: no data can come",
        tp_client_url(of->client), tp_proxy_name(joint->proxy));
    if (of->starting) {
        tpi_remote_relay_end_start(of, TP_E_INVALID, of->circle);
    } else if (of->started) {
        fail_later(of, TP_E_INVALID, of->circle);
    }
}

/* A counterpart that does not work, or may lead back here, is asked soon again. The start has its
 * own end. */
static void is_unclear(struct joint *joint)
{
    struct relay *of = joint->relay;

    if (joint->ready && tp_proxy_is_open(joint->proxy)) {
        joint->faulty = true;
        tpi_remote_relay_judge(of);
    }
    if (!of->starting) {
        tp_timer_at(of->patience, tp_clock_now_ns(tp_instance_clock(of->self)) + TRY_AGAIN_NS);
    }
}

/* A server that does not know the question does not forward it. */
static void traced(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                   const char *why)
{
    struct joint *joint = context;
    const bool unclear =
        status == TP_E_DEVICE || status == TP_E_CLOSED; /* it has failed meanwhile */
    const bool is_enough = joint->tries >= MOST_TRIES && !joint->ready;

    (void)answer;
    (void)why;
    joint->tracing = false;
    if (status == TP_E_INVALID || status == TP_E_LIMIT) {
        tpi_remote_relay_in_circle(joint);
    } else if (!tp_proxy_is_open(proxy) || (unclear && !is_enough)) {
        is_unclear(joint);
    } else if (is_at_work(joint)) {
        joint->fault[0] = '\0'; /* it was none */
    } else {
        is_ready(joint);
    }
}

/* The same device of two servers that have it from each other would wait for ever, and what is sent
 * to it would go round: nothing is, before that is ruled out. */
static void trace(struct joint *joint)
{
    const struct relay *of = joint->relay;
    const tp_trace ask = {.id = joint->id, .hops = MOST_SERVERS};

    joint->tracing = true;
    joint->tries++;
    if (of->of_child || !tp_client_is_troupe(of->client) ||
        tp_proxy_request_later(joint->proxy, TP_COMMON_REQ_TRACE, &ask, of->timeout_ns, traced,
                               joint, NULL) != TP_OK) {
        is_ready(joint);
    }
}

void tpi_remote_relay_suspect(struct joint *joint)
{
    if (is_at_work(joint) && !joint->tracing && !joint->relay->of_child) {
        trace(joint);
    }
}

static void trace_again(struct relay *relay)
{
    for (size_t i = 0; i < relay->joint_count; i++) {
        struct joint *joint = &relay->joints[i];
        if (!is_at_work(joint) && !joint->tracing && tp_proxy_is_open(joint->proxy)) {
            trace(joint);
        }
    }
}

/* The process has one driver, which has another number there: the reason names neither that one nor
 * the device, whose names here are put before it. */
static const char *without_names_of_child(const struct joint *joint, const char *why)
{
    const char *own = tp_instance_name(joint->relay->self);
    const char *device = tp_proxy_name(joint->proxy);
    const size_t length = strcspn(own, "0123456789");

    if (strncmp(why, device, strlen(device)) == 0 && strncmp(why + strlen(device), ": ", 2) == 0) {
        why += strlen(device) + 2;
    }
    return strncmp(why, own, length) == 0 && strncmp(why + length, "0: ", 3) == 0 ? why + length + 3
                                                                                  : why;
}

/* At first, and whenever that changes. */
static void counterpart_opened(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    struct joint *joint = context;
    struct relay *of = joint->relay;
    tp_error err = {0};

    (void)proxy;
    joint->ready = false;
    joint->why[0] = '\0';
    joint->tries = 0;
    if (status == TP_OK) {
        trace(joint);
        return;
    }
    if (status == TP_E_REMOVED) {
        tpi_remote_joint_has_stopped(joint);
    }
    tp_fail(&err, status, "%s", of->of_child ? without_names_of_child(joint, why) : why);
    tpi_remote_relay_name_server(of, status, &err);
    snprintf(joint->why, sizeof joint->why, "%s", err.text);
    if (status == TP_E_DEVICE && joint->owes) {
        tpi_remote_joint_is_away(joint);
    }
    if (of->starting) {
        tpi_remote_relay_end_start(of, status, joint->why);
    } else {
        tpi_remote_relay_judge(of);
    }
}

static tp_status open_counterparts(struct relay *relay, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < relay->joint_count && status == TP_OK; i++) {
        struct joint *joint = &relay->joints[i];
        joint->ready = joint->known = joint->tracing = joint->faulty = false;
        joint->lease_ns = 0;
        joint->why[0] = joint->fault[0] = '\0';
        status =
            tp_client_open_later(relay->client, tp_device_interface(joint->device), joint->index,
                                 TP_OPEN_MODE, counterpart_opened, joint, &joint->proxy, err);
        if (status == TP_OK) {
            tp_proxy_set_context(joint->proxy, joint);
            tp_proxy_on_data(joint->proxy, tpi_remote_joint_pass_data);
            tp_proxy_on_change(joint->proxy, counterpart_opened, joint);
        }
    }
    return status;
}

tp_status tpi_remote_relay_start(struct relay *relay, const char *url, int64_t patience_ns,
                                 tp_error *err)
{
    const tp_client_options options = {
        .name = tp_instance_known_as(relay->self),
        .mode = TP_CLIENT_EVERYTHING,
        .timeout_ns = relay->timeout_ns,
        .extensions = true,
        .steady = relay->of_child,
        .key = relay->key != NULL || relay->key_file != NULL ? relay->key : "",
        .key_file = relay->key_file,
        .catalogue = tp_instance_catalogue(relay->self),
        .loop = tp_instance_loop(relay->self),
        .changed = connection_changed,
        .panicked = panic_changed,
        .context = relay};
    relay->lost[0] = relay->panic[0] = relay->owed[0] = '\0';
    relay->started = relay->failing = relay->waited = relay->told = false;
    tp_status status = tp_client_connect_later(&relay->client, url, &options, err);
    status = status == TP_OK ? open_counterparts(relay, err) : status;
    if (status != TP_OK) {
        tpi_remote_relay_stop(relay);
        return status;
    }
    relay->starting = true;
    tp_timer_at(relay->patience, tp_clock_now_ns(tp_instance_clock(relay->self)) + patience_ns);
    return TP_PENDING;
}

void tpi_remote_relay_stop(struct relay *relay)
{
    tp_loop *loop = tp_instance_loop(relay->self);

    relay->starting = false;
    tp_loop_after_cancel(loop, &relay->ending);
    if (relay->patience != NULL) { /* the last one that init makes */
        tp_timer_cancel(relay->patience);
        tp_timer_cancel(relay->again);
    }
    relay->asks = false;
    for (size_t i = 0; i < relay->joint_count; i++) {
        relay->joints[i].ready = relay->joints[i].owes = relay->joints[i].away = false;
        tp_proxy_close(relay->joints[i].proxy);
        relay->joints[i].proxy = NULL;
    }
    tp_client_destroy(relay->client);
    relay->client = NULL;
    for (size_t i = 0; i < relay->joint_count; i++) {
        relay->joints[i].halts = 0;
    }
}
