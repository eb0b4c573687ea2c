/*
 * isolated - a driver in a process of its own.
 *
 * The server puts this one in the place of a driver whose section says `isolated yes`. It runs
 * `troupe run` with that section alone and relays its devices over a unix socket. A driver that
 * crashes takes only its own process along; it is started again as any failed driver is. A panic
 * of the server is one of the child, so that it reaches what is no device, too.
 */
#include <stdio.h>
#include <string.h>

#include "relay.h"
#include "troupe/process.h"

struct isolated {
    struct relay relay;
    tp_process *child; /* owned; NULL while stopped; it outlives a start that failed */
    uint32_t children; /* started so far: each listens on its own socket */
    uint32_t restarts; /* of guards in the child */

    /* The panic of the child: as it reported last, and with what was sent to it since then. */
    bool knows;     /* the child has told */
    bool raised;    /* it is this server's, which ends it */
    uint32_t epoch; /* odd while there is one */
};

static const tp_param isolated_params[] = {
    {"program", NULL, NULL, "the troupe program"},
    {"configuration", NULL, NULL, "the driver's section"},
    {"file", NULL, NULL, "the file that it stands in, for messages and for paths in it"},
    {"socket", NULL, NULL, "where children listen; a number follows"},
    {NULL, NULL, NULL, NULL},
};

enum { TIMEOUT_S = 5, PATIENCE_S = 10 };

/* ---- Guards, of which there is no news but when one asks ------------------------------------- */

static void take_guards(void *context, tp_proxy *none, tp_status status, const tp_msg *answer,
                        const char *why)
{
    tp_instance *self = context;
    struct isolated *i = tp_instance_state(self);
    const tp_statistics *found = status == TP_OK && answer != NULL ? tp_msg_payload(answer) : NULL;
    uint32_t guards = 0;

    (void)none;
    (void)why;
    if (found == NULL) {
        return;
    }
    for (uint32_t k = 0; k < found->devices_count; k++) { /* one driver, so all say the same */
        const tp_device_stat *one = &found->devices[k];
        guards = one->guards > guards ? one->guards : guards;
        i->restarts = one->guard_restarts > i->restarts ? one->guard_restarts : i->restarts;
    }
    tp_instance_set_guards(self, guards, i->restarts);
}

static tp_status isolated_poll(tp_instance *self, tp_error *err)
{
    struct isolated *i = tp_instance_state(self);

    (void)err; /* a child that does not answer is no failure yet */
    (void)tp_client_request_later(i->relay.client, TP_PLAYER_REQ_STATISTICS, NULL, 0, take_guards,
                                  self, NULL);
    return TP_OK;
}

static void ask_at_once(struct relay *relay)
{
    isolated_poll(relay->self, NULL);
}

/* ---- Panic ----------------------------------------------------------------------------------- */

/* Tell the child of a panic, or of its end, unless it knows. Both go the way of commands: what is
 * sent after them finds them done. So the number of its panic is counted here, too. */
static void mind_panic(tp_instance *self)
{
    struct isolated *i = tp_instance_state(self);
    const bool wanted = tp_instance_in_panic(self);
    const bool is_on = (i->epoch & 1) != 0;
    tp_status status = TP_OK;

    if (i->relay.client == NULL || !i->knows || wanted == is_on || (is_on && !i->raised)) {
        return;
    }
    if (wanted) {
        static char why[] = "there is one on the server that it is a part of";
        const tp_panic ask = {.why_count = sizeof why, .why = why};
        status = tp_client_request_later(i->relay.client, TP_PLAYER_REQ_PANIC, &ask, 0, NULL, self,
                                         NULL);
    } else {
        const tp_panic_reset ask = {.epoch = i->epoch};
        status = tp_client_request_later(i->relay.client, TP_PLAYER_REQ_RESET_PANIC, &ask, 0, NULL,
                                         self, NULL);
    }
    if (status == TP_OK) {
        i->raised = wanted;
        i->epoch++;
    }
}

/* Its report may be from before the message to it. */
static void take_panic(struct relay *relay, const tp_panic_state *panic)
{
    struct isolated *i = tp_instance_state(relay->self);

    if (!i->knows || (int32_t)(panic->epoch - i->epoch) > 0) {
        i->epoch = panic->epoch;
        i->raised = false;
        i->knows = true;
    }
    mind_panic(relay->self);
}

static void mind_before(struct relay *relay)
{
    mind_panic(relay->self);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status isolated_init(tp_instance *self, tp_error *err)
{
    struct isolated *i = tp_instance_state(self);

    i->relay.of_child = true;
    i->relay.ready = ask_at_once;
    i->relay.panicked = take_panic;
    i->relay.sends = mind_before;
    tp_instance_on_panic(self, mind_panic);
    tp_instance_set_period(self, TP_NS_PER_S);
    return tpi_remote_relay_init(&i->relay, self, NULL, TIMEOUT_S * TP_NS_PER_S, err);
}

static void child_ended(void *context, int64_t code, int signal)
{
    tp_instance *self = context;
    struct isolated *i = tp_instance_state(self);
    char why[128];

    if (signal != 0) {
        snprintf(why, sizeof why, "its process was killed by signal %d", signal);
    } else {
        snprintf(why, sizeof why, "its process ended with code %lld", (long long)code);
    }
    tp_process_destroy(i->child);
    i->child = NULL;
    if (i->relay.starting) {
        tpi_remote_relay_end_start(&i->relay, TP_E_DEVICE, why);
    } else {
        tp_instance_fail(self, TP_E_DEVICE, why);
    }
}

static tp_status isolated_start(tp_instance *self, tp_error *err)
{
    struct isolated *i = tp_instance_state(self);
    char socket[240];
    char text_path[32];
    char robot[16];
    char url[256];
    const tp_device *first = i->relay.joints[0].device;

    tp_process_destroy(i->child); /* it may listen for a while */
    i->child = NULL;
    i->knows = i->raised = false;
    i->epoch = 0;
    snprintf(text_path, sizeof text_path, "/dev/fd/%d", TP_PROCESS_TEXT_FD);
    snprintf(robot, sizeof robot, "%u", tp_device_addr(first)->robot);
    snprintf(socket, sizeof socket, "%s.%u", tp_param_string(self, "socket"), i->children++);
    snprintf(url, sizeof url, "unix:%s", socket);
    const char *const arguments[] = {tp_param_string(self, "program"),
                                     "run",
                                     text_path,
                                     "--name",
                                     tp_param_string(self, "file"),
                                     "--port",
                                     robot,
                                     "--listen",
                                     "",
                                     "--unix",
                                     socket,
                                     "--quiet",
                                     "--child",
                                     "--part",
                                     tp_instance_name(self),
                                     NULL};
    tp_status status =
        tp_process_start(&i->child, tp_instance_loop(self), arguments,
                         tp_param_string(self, "configuration"), child_ended, self, err);
    return status == TP_OK ? tpi_remote_relay_start(&i->relay, url, PATIENCE_S * TP_NS_PER_S, err)
                           : status;
}

static void isolated_stop(tp_instance *self)
{
    struct isolated *i = tp_instance_state(self);

    tpi_remote_relay_stop(&i->relay);
    tp_process_destroy(i->child);
    i->child = NULL;
    tp_instance_set_guards(self, 0, i->restarts);
}

static void isolated_fini(tp_instance *self)
{
    struct isolated *i = tp_instance_state(self);

    tpi_remote_relay_fini(&i->relay);
    tp_process_destroy(i->child);
}

static const tp_driver_ops isolated_ops = {.init = isolated_init,
                                           .start = isolated_start,
                                           .poll = isolated_poll,
                                           .halt = tpi_remote_relay_halt,
                                           .stop = isolated_stop,
                                           .fini = isolated_fini};

TP_API const tp_driver tp_driver_isolated = {
    .abi = TP_DRIVER_ABI,
    .name = "isolated",
    .summary = "a driver in a process of its own; made by `isolated yes` in its section",
    .state_size = sizeof(struct isolated),
    .params = isolated_params,
    .ops = &isolated_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
