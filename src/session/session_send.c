/* session_send.c - what clients send to devices, and how they hear of its end. */
#include <stdio.h>
#include <string.h>

#include "bus/pool.h"
#include "safety/moving.h"
#include "session/session.h"

static void forget_asking(struct asking *a)
{
    if (a->previous != NULL) {
        a->previous->next = a->next;
    } else {
        a->session->askings = a->next;
    }
    if (a->next != NULL) {
        a->next->previous = a->previous;
    }
    a->session->requests -= !a->command;
    a->session->commands -= a->command;
    tpi_pool_give(a);
}

/* Everybody may have a device stopped. Who reads it, or moves it, is to know who did. */
static void tell_halt(const tp_session *by, tp_device *device)
{
    char name[RANK_NAME];
    char text[RANK_NAME + 64];

    tpi_session_label(by, name, sizeof name);
    (void)snprintf(text, sizeof text, "stopped: %s has asked for it", name);
    device->halt_told = true;
    tpi_device_deliver_failure(device, TP_E_DENIED, text);
}

/* By somebody else than who moves it; once, for as long as it is not moved again. */
static bool halts_other(const tp_session *session, const tp_device *device, const tp_message *what)
{
    return what ==
               tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, TP_COMMON_REQ_HALT) &&
           device->mover != session && tpi_hold_is_moved(device) && !device->halt_told;
}

static void answered(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct asking *a = context;
    tp_session *session = a->session;
    const tp_msghdr request = a->request;

    const struct subscription *s = a->halts ? tpi_session_find_open(session, a->device) : NULL;
    if (s != NULL && status == TP_OK && !s->device->halt_told) {
        tell_halt(session, s->device);
    }
    forget_asking(a);
    tp_msg *other = status == TP_OK && session->events->reply != NULL
                        ? session->events->reply(session->context, answer)
                        : NULL;
    if (status == TP_OK) {
        tp_session_queue(session, other != NULL ? other : answer);
        tp_msg_unref(other);
    } else {
        tp_session_refuse(session, &request, status,
                          err->text[0] != '\0' ? err->text : tp_status_text(status));
    }
}

/* A command has no answer; but who sends one that the driver cannot do is to know. */
static void carried_out(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct asking *a = context;
    struct subscription *s = tpi_session_find_open(a->session, a->device);
    tp_error why = {0};

    (void)answer;
    forget_asking(a);
    if (s != NULL && status == TP_OK) {
        s->baulked = false;
    } else if (s != NULL) {
        tp_fail(&why, status, "%s: %s", s->device->name,
                err->text[0] != '\0' ? err->text : tp_status_text(status));
        tpi_access_tell_refusal(s, &why, &s->baulked);
    }
}

/* A client that commands faster than a driver obeys must leave room for the others. */
enum { MOST_COMMANDS = 1024 };

static tp_status ask(tp_session *session, tp_device *device, tp_msg *msg, const tp_message *what,
                     const tpi_mover *mover)
{
    const bool command = what->kind == TP_KIND_COMMAND;

    if (command && session->commands >= MOST_COMMANDS) {
        return TP_E_LIMIT;
    }
    struct asking *a = tpi_pool_take(sizeof *a);
    if (a == NULL) {
        return TP_E_NOMEM;
    }
    *a = (struct asking){.session = session,
                         .request = *tp_msg_header(msg),
                         .device = device,
                         .command = command,
                         .halts = halts_other(session, device, what)};
    a->request.addr = device->addr;
    a->next = session->askings;
    if (a->next != NULL) {
        a->next->previous = a;
    }
    session->askings = a;
    session->requests += !command;
    session->commands += command;
    tp_status status = tpi_device_call_for(device, what, msg, mover,
                                           command ? carried_out : answered, a, &a->call);
    if (status != TP_OK) {
        forget_asking(a);
    }
    return status;
}

void tpi_session_abandon(struct asking *a)
{
    tpi_call_abandon(a->call);
    forget_asking(a);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static tp_status pass_on(struct subscription *s, tp_msg *msg, const tp_message *what, tp_error *err)
{
    tp_device *device = s->device;
    const tpi_mover mover = tpi_hold_mover(s, what, msg);
    tp_status status = tpi_access_check(s, what, &mover, err);

    if (status != TP_OK) {
        return status;
    }
    if (tpi_hold_owns(what)) {
        return tpi_hold_answer(s, msg, err);
    }
    if (tpi_hold_is_late(s, what, msg)) {
        return tp_fail(err, TP_E_TIMEOUT, "%s: %s came too late", device->name, what->name);
    }
    s->moves = s->moves || what->effect == TP_EFFECT_MOVES ||
               (!device->moves && what->effect != TP_EFFECT_READS);
    status = ask(s->session, device, msg, what, &mover);
    return status == TP_OK ? TP_OK
                           : tp_fail(err, status, "%s: %s", device->name, tp_status_text(status));
}

tp_status tp_session_send(tp_session *session, tp_msg *msg, const tp_message *what, tp_error *err)
{
    const tp_devaddr *addr = &tp_msg_header(msg)->addr;
    tp_device *device = session->robot == TP_EVERY_ROBOT
                            ? tp_session_find_at(session, addr)
                            : tp_session_find(session, addr->interf, addr->index);
    tp_error why = {0};

    session->received++;
    if (device == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no device %u:%u", addr->interf, addr->index);
    }
    struct subscription *s = tpi_session_find_open(session, device);
    if (s == NULL) {
        tpi_access_count_refusal(session, device);
        return tp_fail(err, TP_E_DENIED, "%s is not open", device->name);
    }
    const tp_status status = pass_on(s, msg, what, &why);
    if (status == TP_OK) {
        s->refused = s->refused && what->kind != TP_KIND_COMMAND;
        return TP_OK;
    }
    tpi_access_count_refusal(session, device);
    if (what->kind == TP_KIND_COMMAND) {
        tpi_access_tell_refusal(s, &why, &s->refused);
    }
    return tp_fail(err, status, "%s", why.text);
}

bool tp_session_is_busy(const tp_session *session)
{
    return session->requests >= session->limits.requests;
}
