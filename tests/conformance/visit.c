/* visit.c - see visit.h. */
#include "conformance/visit.h"

#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

static void on_ready(void *context)
{
    (void)context;
}

static void on_lost(void *context)
{
    ((visit *)context)->lost++;
}

tp_session *visit_begin(visit *v, const char *name)
{
    static const tp_session_events events = {.ready = on_ready, .lost = on_lost};
    static const tp_session_limits limits = {.data = 64, .replies = 64, .requests = 64};
    tp_session *session = NULL;

    assert_int_equal(tp_session_create(&session, v->b->hub, BENCH_ROBOT, &limits, &events, v, NULL),
                     TP_OK);
    tp_session_explain_failures(session, true);
    if (name != NULL) {
        tp_session_set_name(session, name);
    }
    return session;
}

static void on_opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                      const tp_error *err)
{
    visit *v = context;

    (void)request;
    (void)device;
    v->opened = true;
    v->refusal = status == TP_OK ? (tp_error){0} : *err;
}

tp_status visit_open(visit *v, tp_session *session, tp_device *device, unsigned access)
{
    v->opened = false;
    tp_session_heard(session);
    assert_int_equal(tp_session_open(session, device, access, &(tp_msghdr){0}, on_opened), TP_OK);
    while (!v->opened) {
        tp_loop_turn(v->b->loop, true);
    }
    return v->refusal.code;
}

tp_status visit_send(tp_session *session, tp_device *device, tp_kind kind, unsigned code,
                     const void *value, uint32_t seq, tp_error *err)
{
    const tp_message *own = tp_interface_message(tp_device_interface(device), kind, code);
    const tp_message *what =
        own != NULL ? own : tp_interface_message(&tp_interface_common, kind, code);
    const tp_msghdr header = {.addr = *tp_device_addr(device),
                              .type = kind == TP_KIND_COMMAND ? TP_MSGTYPE_CMD : TP_MSGTYPE_REQ,
                              .subtype = (uint8_t)code,
                              .seq = seq};
    tp_msg *msg = NULL;

    tp_session_heard(session);
    assert_int_equal(tp_msg_create(&msg, &header, what->ask, value), TP_OK);
    const tp_status status = tp_session_send(session, msg, what, err);
    tp_msg_unref(msg);
    return status;
}

tp_status visit_drive(tp_session *session, tp_device *device, double speed, tp_error *err)
{
    const tp_position2d_cmd_vel vel = {.vel = {.px = speed}, .state = 1};

    return visit_send(session, device, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel, 0, err);
}
