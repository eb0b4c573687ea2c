/* run.c - universal commands of a program and their results; see troupe/universal.h. */
#include <stdlib.h>
#include <string.h>

#include "client/universal/inside.h"

/* A command that was begun. */
struct pending {
    tp_universal *robot; /* borrowed */
    tp_universal_done *done;
    void *context;
    bool is_declared; /* it is for a registered device */
    struct pending *next, *previous;
};

/* ---- Orders ---------------------------------------------------------------------------------- */

void tpi_universal_fill(const tp_universal *robot, const tp_universal_call *call,
                        tp_universal_order *out, tp_universal_value *values)
{
    const struct declared *device = tpi_universal_declared(robot, call->port);
    const tpi_command command = tpi_dictionary_code((uint16_t)call->command);
    const uint8_t usual = command < TPI_COMMANDS ? (uint8_t)tpi_dictionary_entry(command)->type : 0;

    *out = (tp_universal_order){.command = (uint16_t)call->command,
                                .part = device != NULL ? device->match.part : TP_UNIVERSAL_ANY_PART,
                                .revision = robot->revision,
                                .type = call->port.is_given ? call->port.type : usual,
                                .id = call->port.id,
                                .inverted = device != NULL && device->match.is_inverted,
                                .loose = robot->loose,
                                .trace = call->trace,
                                .max_age = (double)call->max_age_ns / (double)TP_NS_PER_S};
    if (!call->port.is_given && command == TPI_STOP) {
        out->type = out->id = TPI_TYPE_ALL;
    }
    for (unsigned i = 0; values != NULL && i < call->count; i++) {
        const tp_universal_datum *value = &call->values[i];
        values[i] = (tp_universal_value){.number = value->number, .is_text = value->text != NULL};
        if (value->text != NULL) {
            values[i].text_count = (uint32_t)value->length;
            memcpy(&values[i].text, &value->text, sizeof values[i].text); /* sent, not changed */
        }
    }
    out->values = values;
    out->values_count = values != NULL ? call->count : 0;
}

/* The message that a command goes with. */
static unsigned message_of(const tp_universal *robot, const tp_universal_call *call)
{
    const struct declared *device = tpi_universal_declared(robot, call->port);
    const tpi_command command = tpi_dictionary_code((uint16_t)call->command);
    const tpi_risk risk = command < TPI_COMMANDS ? tpi_dictionary_risk(command) : TPI_RISK_MOVE;

    if (risk == TPI_RISK_LOOK) {
        return tp_client_right(robot->client) < TP_RIGHT_WRITE ? TP_UNIVERSAL_REQ_LOOK
                                                               : TP_UNIVERSAL_REQ_RUN;
    }
    if (command == TPI_COMMANDS || command == TPI_RAW) {
        return TP_UNIVERSAL_REQ_MOVE;
    }
    const bool writes =
        tpi_dictionary_entry(command)->sort == TPI_SORT_WRITE || command == TPI_SETUP_OUTPUT;
    const bool moves =
        device != NULL ? device->match.moves != 0 : risk == TPI_RISK_MOVE || robot->loose;
    return writes && moves ? TP_UNIVERSAL_REQ_MOVE : TP_UNIVERSAL_REQ_RUN;
}

/* How long the server may take: the command may wait itself. */
static int64_t patience(const tp_universal *robot, const tp_universal_call *call)
{
    static const int64_t USUAL_NS = 5 * TP_NS_PER_S, LONGEST_MS = 65535, MISSING_MS = 1000;
    const unsigned at = call->command == TP_UNIVERSAL_WAIT_TRIGGER ? 2 : 0;
    const bool waits =
        call->command == TP_UNIVERSAL_WAIT_TIME || call->command == TP_UNIVERSAL_WAIT_TRIGGER;
    const int64_t own = robot->timeout_ns > 0 ? robot->timeout_ns : USUAL_NS;
    double ms = call->count > at ? call->values[at].number : (double)MISSING_MS;

    if (!waits || own == TP_NEVER) {
        return robot->timeout_ns;
    }
    ms = ms > 0 ? ms : 0;
    return own + (int64_t)(ms < (double)LONGEST_MS ? ms : (double)LONGEST_MS) * TP_NS_PER_MS;
}

static tp_status check(const tp_universal *robot, const tp_universal_call *call, tp_error *err)
{
    if (call->size > sizeof *call) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the call is of a newer library");
    }
    if (call->count > TP_UNIVERSAL_MOST_VALUES) {
        return tp_fail(err, TP_E_INVALID, "a command has at most %d values",
                       TP_UNIVERSAL_MOST_VALUES);
    }
    if (call->port.is_given && call->port.type >= TP_UNIVERSAL_FIRST_TYPE &&
        call->port.type != TPI_TYPE_ALL && tpi_universal_declared(robot, call->port) == NULL) {
        return tp_fail(err, TP_E_INVALID, "no device is registered with the type %u",
                       call->port.type);
    }
    return TP_OK;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* The fault of a request that was not answered. */
static tp_universal_fault fault_of(tp_status status)
{
    switch (status) {
    case TP_E_DENIED:
        return TP_UNIVERSAL_DENIED;
    case TP_E_PANIC:
        return TP_UNIVERSAL_STOPPED;
    case TP_E_TIMEOUT:
    case TP_E_CLOSED:
    case TP_E_INTERRUPTED:
        return TP_UNIVERSAL_SILENT;
    default:
        return TP_UNIVERSAL_REFUSED;
    }
}

static tp_status status_of(tp_universal_fault fault)
{
    static const tp_status all[] = {TP_OK,        TP_E_UNSUPPORTED, TP_E_UNKNOWN,
                                    TP_E_INVALID, TP_E_TIMEOUT,     TP_E_DEVICE,
                                    TP_E_PANIC,   TP_E_DENIED,      TP_E_SPACE};

    return fault < sizeof all / sizeof all[0] ? all[fault] : TP_E_DEVICE;
}

static void fill_result(tp_universal_result *out, const tp_universal_outcome *outcome)
{
    *out = (tp_universal_result){.fault = (tp_universal_fault)outcome->fault,
                                 .text = outcome->text_count > 0 ? outcome->text : "",
                                 .trace = outcome->trace_count > 0 ? outcome->trace : ""};
    for (uint32_t i = 0; i < outcome->results_count && i < TP_UNIVERSAL_MOST_RESULTS; i++) {
        const tp_universal_value *value = &outcome->results[i];
        out->values[i] = (tp_universal_datum){.number = value->number};
        if (value->is_text) {
            out->values[i].text = value->text_count > 0 ? (const char *)value->text : "";
            out->values[i].length = value->text_count;
        }
        out->count = i + 1;
    }
}

/* ---- Commands that wait ---------------------------------------------------------------------- */

struct waited {
    bool is_over;
    tp_msg *answer; /* owned reference */
    tp_error err;
};

static void on_waited(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                      const char *why)
{
    struct waited *waited = context;

    (void)proxy;
    waited->is_over = true;
    waited->answer = answer != NULL ? tp_msg_ref(answer) : NULL;
    if (status != TP_OK) {
        tp_fail(&waited->err, status, "%s", why);
    }
}

static bool is_over(void *context)
{
    return ((const struct waited *)context)->is_over;
}

/* Send an order and wait for its answer, which the robot keeps. */
static tp_status ask(tp_universal *robot, const tp_universal_call *call, tp_error *err)
{
    tp_universal_value values[TP_UNIVERSAL_MOST_VALUES];
    struct waited waited = {0};
    tp_universal_order order;

    tpi_universal_fill(robot, call, &order, values);
    tp_status status = tp_proxy_request_later(robot->proxy, message_of(robot, call), &order,
                                              patience(robot, call), on_waited, &waited, err);
    if (status != TP_OK) {
        return status;
    }
    /* the request has its own deadline */
    if (tpi_client_wait(robot->client, TP_NEVER, is_over, &waited) != TP_OK) {
        tpi_ask_abandon(robot->client, &waited);
        return tpi_client_fail_interrupted(tp_proxy_name(robot->proxy), err);
    }
    if (waited.err.code != TP_OK || waited.answer == NULL) {
        tp_msg_unref(waited.answer);
        return tp_fail(err, waited.err.code != TP_OK ? waited.err.code : TP_E_SHORT, "%s",
                       waited.err.code != TP_OK ? waited.err.text : "the answer is empty");
    }
    tp_msg_unref(robot->answer);
    robot->answer = waited.answer;
    return TP_OK;
}

/* Have it done; once more if the robot has changed. */
static tp_status ask_anew(tp_universal *robot, const tp_universal_call *call,
                          tp_universal_result *result, tp_error *err)
{
    for (int i = 0; i < 2; i++) {
        tp_status status = robot->is_stale ? tp_universal_match_again(robot, err) : TP_OK;

        status = status == TP_OK ? ask(robot, call, err) : status;
        if (status != TP_OK) {
            return status;
        }
        fill_result(result, tp_msg_payload(robot->answer));
        robot->is_stale = result->fault == TP_UNIVERSAL_NO_MATCH &&
                          tpi_universal_declared(robot, call->port) != NULL;
        if (!robot->is_stale) {
            break;
        }
    }
    return TP_OK;
}

tp_status tp_universal_run(tp_universal *robot, const tp_universal_call *call,
                           tp_universal_result *out, tp_error *err)
{
    tp_universal_result own = {0};
    tp_universal_result *result = out != NULL ? out : &own;
    tp_error why = {.text = ""};
    tp_status status = check(robot, call, &why);

    *result = (tp_universal_result){.text = "", .trace = ""};
    if (status != TP_OK) {
        result->fault = TP_UNIVERSAL_BAD_VALUE;
    } else {
        status = ask_anew(robot, call, result, &why);
        result->fault = status != TP_OK ? fault_of(status) : result->fault;
    }
    if (status != TP_OK) {
        robot->why = why;
        result->text = robot->why.text;
        return tp_fail(err, status, "%s", why.text);
    }
    return result->fault == TP_UNIVERSAL_DONE
               ? TP_OK
               : tp_fail(err, status_of(result->fault), "%s", result->text);
}

tp_status tp_universal_read(tp_universal *robot, unsigned command, tp_universal_port port,
                            double *out, tp_error *err)
{
    const tp_universal_call call = {.command = command, .port = port};
    tp_universal_result result;
    const tp_status status = tp_universal_run(robot, &call, &result, err);

    *out = status == TP_OK && result.count > 0 ? result.values[0].number : 0;
    return status;
}

tp_status tp_universal_write(tp_universal *robot, unsigned command, tp_universal_port port,
                             double value, tp_error *err)
{
    const tp_universal_call call = {
        .command = command, .port = port, .count = 1, .values = {{.number = value}}};

    return tp_universal_run(robot, &call, NULL, err);
}

/* ---- Commands that do not wait --------------------------------------------------------------- */

static void unlink_pending(struct pending *pending)
{
    *(pending->previous != NULL ? &pending->previous->next : &pending->robot->pending) =
        pending->next;
    if (pending->next != NULL) {
        pending->next->previous = pending->previous;
    }
}

static void on_done(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                    const char *why)
{
    struct pending *pending = context;
    tp_universal_result result = {.text = "", .trace = ""};

    (void)proxy;
    unlink_pending(pending);
    if (status == TP_OK && answer != NULL && tp_msg_payload(answer) != NULL) {
        fill_result(&result, tp_msg_payload(answer));
        pending->robot->is_stale = pending->robot->is_stale ||
                                   (pending->is_declared && result.fault == TP_UNIVERSAL_NO_MATCH);
    } else {
        result.fault = fault_of(status);
        result.text = why != NULL ? why : "the answer is empty";
    }
    pending->done(pending->context, pending->robot, &result);
    free(pending);
}

tp_status tp_universal_begin(tp_universal *robot, const tp_universal_call *call,
                             tp_universal_done *done, void *context, tp_error *err)
{
    tp_universal_value values[TP_UNIVERSAL_MOST_VALUES];
    tp_universal_order order;
    struct pending *pending;
    tp_status status = check(robot, call, err);

    if (status != TP_OK) {
        return status;
    }
    if (robot->is_stale) {
        return tp_fail(err, TP_E_CLOSED, "%s: the devices have to be matched again",
                       tp_proxy_name(robot->proxy));
    }
    pending = calloc(1, sizeof *pending);
    if (pending == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *pending = (struct pending){.robot = robot,
                                .done = done,
                                .context = context,
                                .is_declared = tpi_universal_declared(robot, call->port) != NULL,
                                .next = robot->pending};
    tpi_universal_fill(robot, call, &order, values);
    status = tp_proxy_request_later(robot->proxy, message_of(robot, call), &order,
                                    patience(robot, call), on_done, pending, err);
    if (status != TP_OK) {
        free(pending);
        return status;
    }
    if (pending->next != NULL) {
        pending->next->previous = pending;
    }
    robot->pending = pending;
    return TP_OK;
}

void tpi_universal_forget(tp_universal *robot)
{
    while (robot->pending != NULL) {
        struct pending *pending = robot->pending;
        unlink_pending(pending);
        free(pending);
    }
}
