/* joint.c - messages between a device and its counterpart on another server; see relay.h. */
#include <stdio.h>
#include <string.h>

#include "relay.h"
#include "troupe/interfaces/player.h"
#include "troupe/interfaces/position1d.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/position3d.h"

/* It is this server that has no key for the other one; a client of ours could give none. */
static void say_whose_key(const struct relay *relay, tp_error *err)
{
    static const char ending[] = "give a key";
    const size_t length = err != NULL ? strlen(err->text) : 0;

    if (length >= sizeof ending - 1 &&
        strcmp(err->text + length - (sizeof ending - 1), ending) == 0) {
        const size_t kept = length - (sizeof ending - 1);
        snprintf(err->text + kept, sizeof err->text - kept, "the section of %s needs a key_file",
                 tp_instance_name(relay->self));
    }
}

tp_status tpi_remote_relay_name_server(const struct relay *relay, tp_status status, tp_error *err)
{
    const char *url = tp_client_url(relay->client);

    if (!relay->of_child) {
        say_whose_key(relay, err);
    }
    return relay->of_child || (err != NULL && strstr(err->text, url) != NULL)
               ? status
               : tp_wrap(err, status, url);
}

/* ---- Whether it works ------------------------------------------------------------------------ */

const char *tpi_remote_joint_cause(const struct joint *joint)
{
    return joint->why[0] != '\0' ? joint->why : joint->fault;
}

/* From where it lies in memory and the time. */
int64_t tpi_remote_joint_number(const struct joint *joint)
{
    const tp_clock *clock = tp_instance_clock(joint->relay->self);
    uint64_t x = (uint64_t)(uintptr_t)joint ^ (uint64_t)tp_clock_now_ns(clock) << 20 ^
                 (uint64_t)(tp_clock_wall_s(clock) * 1e6);

    for (int i = 0; i < 3; i++) { /* mixed, so that neither shows in a few digits only */
        x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (int64_t)(x >> 1);
}

/* Something came from the counterpart. */
static void works(struct joint *joint)
{
    joint->fault[0] = '\0';
    if (joint->faulty) {
        joint->faulty = false;
        tpi_remote_relay_judge(joint->relay);
    }
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* What we have stopped there ourselves is no news. */
static bool is_stop(const tp_failure *failure)
{
    static const char stopped[] = "stopped: ";

    return failure->text_count >= sizeof stopped &&
           strncmp(failure->text, stopped, sizeof stopped - 1) == 0;
}

/* In a panic, or while another client has the device exclusively, the driver there works. What it
 * has refused, or stopped for others, is reported in the same way. */
static bool may_be_of_driver(const tp_failure *failure)
{
    return failure->code != TP_OK && failure->code != TP_E_DENIED && failure->code != TP_E_PANIC &&
           !is_stop(failure);
}

static void pass_failure(struct joint *joint, tp_failure failure, double timestamp)
{
    tp_error err = {0};

    if (joint->halted && is_stop(&failure)) {
        return;
    }
    tp_fail(&err, TP_E_DEVICE, "%.*s", (int)failure.text_count, failure.text);
    tpi_remote_relay_name_server(joint->relay, TP_E_DEVICE, &err);
    if (may_be_of_driver(&failure)) {
        (void)snprintf(joint->fault, sizeof joint->fault, "%s", err.text);
        tpi_remote_relay_suspect(joint);
    } else if (failure.code == TP_OK) {
        works(joint);
    }
    /* removed there, not here: this device stays open for its clients */
    failure.code = failure.code == TP_E_REMOVED ? TP_E_DEVICE : failure.code;
    failure.text = err.text;
    failure.text_count = (uint32_t)strlen(err.text) + 1;
    tp_publish(joint->device, TP_COMMON_DATA_ERROR, &failure, timestamp);
}

void tpi_remote_joint_pass_data(tp_proxy *proxy, const tp_msg *msg)
{
    struct joint *joint = tp_proxy_context(proxy);
    const tp_msghdr *header = tp_msg_header(msg);

    if (header->subtype == TP_COMMON_DATA_ERROR && tp_msg_payload(msg) != NULL) {
        pass_failure(joint, *(const tp_failure *)tp_msg_payload(msg), header->timestamp);
    } else {
        works(joint);
        tp_publish(joint->device, header->subtype, tp_msg_payload(msg), header->timestamp);
    }
}

/* ---- Requests and commands ------------------------------------------------------------------- */

static void pass_answer(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                        const char *why)
{
    const struct joint *joint = tp_proxy_context(proxy);
    tp_ticket *ticket = context;
    tp_error err = {0};

    if (status == TP_OK) {
        tp_ticket_answer(ticket, answer == NULL ? NULL : tp_msg_payload(answer));
    } else {
        tp_fail(&err, status, "%s", why);
        tpi_remote_relay_name_server(joint->relay, status, &err);
        tp_ticket_fail(ticket, status, err.text);
    }
}

/* What a Player server does not know is answered here: nothing is known. */
static bool is_ours(const tp_message *what)
{
    return what->code >= TP_COMMON_REQ_TEST_AND_SET && what->code < TP_COMMON_REQ_SET_BOOLPROP;
}

/* Whether it can be passed on. Commands are not kept for later; requests wait for a device that is
 * about to start. */
static tp_status check(const struct joint *joint, const tp_message *what, tp_error *err)
{
    const struct relay *relay = joint->relay;

    if (relay->lost[0] != '\0') {
        return tp_fail(err, TP_E_CLOSED, "%s", relay->lost);
    }
    if (joint->why[0] != '\0') {
        return tp_fail(err, TP_E_DEVICE, "%s", joint->why);
    }
    if (what->kind == TP_KIND_COMMAND && !joint->ready) {
        tp_fail(err, TP_E_CLOSED, "%s has not started there yet", tp_proxy_name(joint->proxy));
        return tpi_remote_relay_name_server(relay, TP_E_CLOSED, err);
    }
    if (tp_effect_can_move(what->effect) && relay->panic[0] != '\0') {
        return tp_fail(err, TP_E_PANIC, "%s", relay->panic);
    }
    return TP_OK;
}

static tp_status ask_there(struct joint *joint, const tp_message *what, const void *ask,
                           tp_error *err)
{
    const struct relay *relay = joint->relay;

    if (tp_client_is_connected(relay->client) && !tp_client_is_troupe(relay->client) &&
        is_ours(what)) {
        return what->mark == TP_MARK_REQUIRED
                   ? TP_OK
                   : tp_fail(err, TP_E_UNSUPPORTED, "a Player server does not know %s", what->name);
    }
    tp_status status = tp_proxy_request_later(joint->proxy, what->code, ask, relay->timeout_ns,
                                              pass_answer, tp_device_defer(joint->device), err);
    return status == TP_OK ? TP_PENDING : tpi_remote_relay_name_server(relay, status, err);
}

/* One that we have sent and that comes back shows a circle, which we are a part of. */
static tp_status follow(struct joint *joint, const tp_message *what, const tp_trace *trace,
                        tp_error *err)
{
    tp_trace next = *trace;

    if (trace->id == joint->id || joint->relay->circle[0] != '\0') {
        tpi_remote_relay_in_circle(joint);
        return tp_fail(err, TP_E_INVALID, "%s", joint->relay->circle);
    }
    if (trace->hops == 0) {
        return tp_fail(err, TP_E_LIMIT, "too many servers behind each other");
    }
    next.hops--;
    return ask_there(joint, what, &next, err);
}

/* The other server ends the lease of the client if this program hangs. It receives each change of
 * the lease before the next command: the lease of the last one may be much shorter. */
static void pass_lease(struct joint *joint)
{
    const int64_t lease_ns = tp_device_silence_ns(joint->device);

    if (lease_ns != joint->lease_ns && tp_client_is_troupe(joint->relay->client) &&
        tp_proxy_set_lease_later(joint->proxy, (double)lease_ns / (double)TP_NS_PER_S, NULL) ==
            TP_OK) {
        joint->lease_ns = lease_ns;
    }
}

tp_status tpi_remote_joint_handle(tp_device *device, const tp_message *what, const void *ask,
                                  void *answer, tp_error *err)
{
    struct joint *joint = tp_device_context(device);
    tp_status status = check(joint, what, err);

    (void)answer; /* zeroed: geometry is unknown, there are no properties */
    if (status != TP_OK) {
        return status;
    }
    if (what->kind == TP_KIND_REQUEST && what->code == TP_COMMON_REQ_TRACE && ask != NULL) {
        return follow(joint, what, ask, err);
    }
    if (joint->relay->sends != NULL) {
        joint->relay->sends(joint->relay);
    }
    if (what->effect == TP_EFFECT_MOVES) {
        pass_lease(joint);
    }
    if (what->kind == TP_KIND_COMMAND) {
        status = tp_proxy_command(joint->proxy, what->code, ask, err);
        status = status == TP_OK ? TP_OK : tpi_remote_relay_name_server(joint->relay, status, err);
    } else {
        status = ask_there(joint, what, ask, err);
    }
    if (what->effect == TP_EFFECT_MOVES && status >= 0) {
        joint->halted = false;
    }
    return status;
}

/* ---- Stopping -------------------------------------------------------------------------------- */

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

void tpi_remote_joint_has_stopped(struct joint *joint)
{
    if (joint->owes) {
        joint->owes = joint->away = false;
        tp_device_halted(joint->device);
    }
}

static void halt_answered(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                          const char *why);

static void halt_there(struct joint *joint)
{
    const tp_halt_so so = {.way = (uint8_t)joint->way};
    const bool plain = joint->way == TP_HALT_SO_BRAKE && !joint->for_panic;

    if (!tp_client_is_troupe(joint->relay->client)) {
        send_zero(joint->proxy);
        tpi_remote_joint_has_stopped(joint);
    } else if (tp_proxy_request_later(joint->proxy,
                                      plain ? TP_COMMON_REQ_HALT : TP_COMMON_REQ_HALT_SO,
                                      plain ? NULL : &so, joint->relay->timeout_ns, halt_answered,
                                      joint, NULL) == TP_OK) {
        joint->halts++;
    }
}

/* A device that refuses it is not running. */
static void halt_answered(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                          const char *why)
{
    struct joint *joint = context;

    (void)proxy;
    (void)answer;
    (void)why;
    joint->halts -= joint->halts > 0;
    if (!joint->owes || joint->halts > 0 || status == TP_E_CLOSED) {
        return; /* it was stopped, is asked once more, or will be */
    }
    if (status == TP_OK) {
        tpi_remote_joint_has_stopped(joint);
    } else if (status == TP_E_DEVICE) {
        tpi_remote_joint_is_away(joint);
    } else if (joint->ready && (status == TP_E_TIMEOUT || joint->way != TP_HALT_SO_BRAKE)) {
        /* it does not answer; or has never heard of such a way */
        joint->way = status == TP_E_TIMEOUT ? joint->way : (unsigned)TP_HALT_SO_BRAKE;
        halt_there(joint);
    }
}

void tpi_remote_joint_is_back(struct joint *joint)
{
    joint->away = false;
    if (joint->relay->owed[0] != '\0') {
        tpi_remote_relay_ask_owed(joint->relay); /* what is told of it may be over */
    }
    if (joint->owes && joint->halts == 0) {
        halt_there(joint);
    }
}

void tpi_remote_relay_halt(tp_device *device, tp_halt how)
{
    struct joint *joint = tp_device_context(device);
    const unsigned way = tp_instance_halt_way(tp_device_instance(device));

    joint->halted = true;
    if (!joint->known) {
        return; /* nothing was commanded */
    }
    joint->way = joint->relay->of_child && way == TP_HALT_SO_OWN ? (unsigned)how : way;
    joint->for_panic = joint->relay->of_child &&
                       tp_instance_halt_reason(tp_device_instance(device)) == TP_HALT_PANIC;
    if (!joint->owes) {
        joint->owes = true;
        tp_device_halting(device);
    }
    if (joint->ready) {
        halt_there(joint);
    } else if (joint->why[0] != '\0') {
        tpi_remote_joint_is_away(joint);
    }
}
