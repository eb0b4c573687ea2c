/* dialog_call.c - calls: universal commands that run, and those that stand for others; see
 * dialog_inside.h. */
#include <string.h>

#include "universal/dialog_inside.h"
#include "universal/measure.h"

tpi_context tpi_dialog_context(tpi_dialog *dialog, tpi_frame_call *call)
{
    return (tpi_context){.locals = call->locals,
                         .values = call->values,
                         .numbers =
                             call->part >= 0 ? dialog->wired->parts[call->part].numbers : NULL,
                         .words = dialog->words,
                         .scope = &dialog->wired->robot->scope,
                         .now_ms = (double)(dialog->now_ns - dialog->connected_ns) / 1e6};
}

tpi_frame_call *tpi_dialog_push(tpi_dialog *dialog, tpi_call_kind kind, tpi_command command,
                                int part)
{
    if (dialog->depth == TPI_MOST_CALLS) {
        tpi_dialog_fail(dialog, TPI_FAULT_NOT_AVAILABLE,
                        "macros of the robot file call each other over %d deep", TPI_MOST_CALLS);
        return NULL;
    }
    tpi_frame_call *call = &dialog->calls[dialog->depth++];
    memset(call, 0, sizeof *call);
    call->kind = kind;
    call->command = command;
    call->part = part;
    call->begun_ns = dialog->now_ns;
    call->result_local = -1;
    return call;
}

void tpi_dialog_run_steps(tpi_dialog *dialog, const tpi_steps *steps, tpi_command command, int part,
                          const tpi_value *values)
{
    tpi_frame_call *call = tpi_dialog_push(dialog, TPI_CALL_STEPS, command, part);

    if (call != NULL) {
        call->steps = steps;
        if (values != NULL) {
            memcpy(call->values, values, sizeof call->values);
        }
    }
}

/* Put the set-ups on top that have not run yet. */
static void set_up(tpi_dialog *dialog, int part)
{
    if (part >= 0 && !dialog->states[part].is_set_up) {
        tpi_dialog_run_steps(dialog, &dialog->wired->parts[part].device->setup, TPI_COMMANDS, part,
                             NULL);
        if (dialog->depth > 0) {
            tpi_dialog_top(dialog)->is_setup = true;
        }
    }
    if (!dialog->is_set_up && dialog->depth > 0) {
        dialog->is_set_up = true; /* a macro in it must not begin it again */
        tpi_dialog_run_steps(dialog, &dialog->wired->robot->setup, TPI_COMMANDS, -1, NULL);
        if (dialog->depth > 0) {
            tpi_dialog_top(dialog)->is_setup = true;
        }
    }
}

/* The command is another one, whose values are converted. */
static void adapt(tpi_dialog *dialog, const tpi_route *route, tpi_command command, int part,
                  const tpi_value *values)
{
    tpi_frame_call *call = tpi_dialog_push(dialog, TPI_CALL_ADAPT, command, part);
    tpi_value converted[TPI_MOST_VALUES];

    if (call != NULL) {
        memcpy(call->values, values, sizeof call->values);
        tpi_convert_values(&dialog->wired->parts[part], command, route->next, values, converted,
                           call->number, sizeof call->number);
        tpi_dialog_call(dialog, route->next, part, converted);
    }
}

static void not_available(tpi_dialog *dialog, tpi_command command, int part)
{
    const char *why = tpi_robotfile_na(dialog->wired->robot, command);
    const tpi_device *device = dialog->wired->parts[part].device;

    tpi_dialog_fail(dialog, TPI_FAULT_NOT_AVAILABLE, "%s of %s: %s",
                    tpi_dictionary_entry(command)->name, device->label,
                    why != NULL ? why : "the device cannot do this");
}

void tpi_dialog_call(tpi_dialog *dialog, tpi_command command, int part, const tpi_value *values)
{
    const tpi_route *route = part >= 0 ? tpi_wired_route(dialog->wired, command, part) : NULL;
    tpi_frame_call *call;

    if (route == NULL || route->way == TPI_WAY_ENGINE) {
        tpi_dialog_control(dialog, command, part, values);
        return;
    }
    switch (route->way) {
    case TPI_WAY_NONE:
        not_available(dialog, command, part);
        break;
    case TPI_WAY_CONVERT:
    case TPI_WAY_PARENT:
        adapt(dialog, route, command, part, values);
        break;
    case TPI_WAY_MEMBERS:
        call = tpi_dialog_push(dialog, TPI_CALL_MEMBERS, command, part);
        if (call != NULL) {
            memcpy(call->values, values, sizeof call->values);
        }
        break;
    default:
        if (route->translation != NULL) {
            tpi_dialog_run_steps(dialog, &route->translation->steps, command, part, values);
        } else {
            tpi_dialog_packet(dialog, command, part, values);
        }
        if (dialog->depth > 0) {
            set_up(dialog, part);
        }
        break;
    }
}

/* ---- Returning ---- */

/* The call below takes the results. */
static void take_results(tpi_dialog *dialog, const tpi_frame_call *done)
{
    tpi_frame_call *call = tpi_dialog_top(dialog);
    const tpi_route *route;

    switch (call->kind) {
    case TPI_CALL_STEPS:
        if (call->result_local >= 0) {
            call->locals[call->result_local] = done->results[0];
            call->result_local = -1;
        }
        break;
    case TPI_CALL_ADAPT:
        memcpy(call->results, done->results, sizeof call->results);
        route = tpi_wired_route(dialog->wired, call->command, call->part);
        tpi_convert_results(&dialog->states[call->part], &dialog->wired->parts[call->part],
                            call->command, route->next, call->results, call->number,
                            sizeof call->number);
        call->at = 1;
        break;
    default:
        call->results[0] = done->results[0];
        break;
    }
}

/* Texts of numbers lie in a call, which the next one overwrites. */
static void keep_number(tpi_dialog *dialog, tpi_frame_call *call)
{
    tpi_value *result = &call->results[0];
    const size_t room = dialog->wired->robot->timing.largest - dialog->texts_length;

    if (result->text == call->number && result->length <= room) {
        memcpy(dialog->texts + dialog->texts_length, result->text, result->length);
        result->text = dialog->texts + dialog->texts_length;
        dialog->texts_length += result->length;
    }
}

/* What the robot has read is a raw number for the manifest of the device. */
static void measure(const tpi_dialog *dialog, tpi_frame_call *done)
{
    const tpi_device *device = done->part >= 0 ? dialog->wired->parts[done->part].device : NULL;

    if (device != NULL && device->scaling != NULL && !done->is_setup &&
        (done->kind == TPI_CALL_STEPS || done->kind == TPI_CALL_PACKET) &&
        done->command == device->base) {
        done->results[0].number = tpi_measure_percent(device->scaling, done->results[0].number);
    }
}

static void finish(tpi_dialog *dialog, const tpi_frame_call *done)
{
    const tpi_dialog_order *order = &dialog->order;
    tpi_outcome *outcome = &dialog->outcome;

    outcome->fault = TPI_FAULT_NONE;
    outcome->text[0] = '\0';
    memcpy(outcome->results, done->results, sizeof outcome->results);
    if (order->part < 0 || done->command != order->command ||
        tpi_dictionary_entry(order->command)->sort != TPI_SORT_READ) {
        return;
    }
    if (order->command <= TPI_READ_COUNT) {
        dialog->states[order->part].readings[order->command - TPI_READ_GENERIC] =
            (tpi_last_reading){true, outcome->results[0].number, dialog->now_ns};
    }
    if (order->is_inverted && outcome->results[0].text == NULL) {
        tpi_convert_sense(&dialog->wired->parts[order->part], order->command, &outcome->results[0]);
    }
}

void tpi_dialog_return(tpi_dialog *dialog)
{
    tpi_frame_call *done = tpi_dialog_top(dialog);

    keep_number(dialog, done);
    measure(dialog, done);
    dialog->depth--;
    if (done->is_setup) {
        if (done->part >= 0) {
            dialog->states[done->part].is_set_up = true;
        }
        return; /* the call below has not begun */
    }
    if (dialog->depth == 0) {
        finish(dialog, done);
    } else {
        take_results(dialog, done);
    }
}

/* ---- Going on ---- */

static void go_on_members(tpi_dialog *dialog)
{
    tpi_frame_call *call = tpi_dialog_top(dialog);
    const tpi_part *part = &dialog->wired->parts[call->part];
    const bool is_one = call->command == TPI_MOVE_POWER;
    tpi_value values[TPI_MOST_VALUES] = {{0}};

    if (call->at == 2) {
        tpi_dialog_return(dialog);
        return;
    }
    values[0] = call->values[is_one ? 0 : call->at];
    tpi_dialog_call(dialog, TPI_MOVE_POWER, call->at++ == 0 ? part->left : part->right, values);
}

void tpi_dialog_go_on(tpi_dialog *dialog)
{
    while (dialog->depth > 0 && dialog->waiting == TPI_WAIT_NOTHING) {
        switch (tpi_dialog_top(dialog)->kind) {
        case TPI_CALL_STEPS:
            tpi_dialog_step(dialog);
            break;
        case TPI_CALL_ADAPT: /* its command has returned */
            tpi_dialog_return(dialog);
            break;
        case TPI_CALL_MEMBERS:
            go_on_members(dialog);
            break;
        case TPI_CALL_PACKET:
            tpi_dialog_go_on_packet(dialog);
            break;
        default:
            tpi_dialog_go_on_control(dialog);
            break;
        }
    }
}
