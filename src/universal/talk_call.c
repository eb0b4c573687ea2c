/* talk_call.c - calls: universal commands that run, and those that stand for others; see
 * talk_inside.h. */
#include <string.h>

#include "universal/talk_inside.h"

tpi_context tpi_talk_context(tpi_talk *talk, tpi_frame_call *call)
{
    return (tpi_context){.locals = call->locals,
                         .values = call->values,
                         .numbers = call->part >= 0 ? talk->wired->parts[call->part].numbers : NULL,
                         .words = talk->words,
                         .scope = &talk->wired->robot->scope,
                         .now_ms = (double)(talk->now_ns - talk->connected_ns) / 1e6};
}

tpi_frame_call *tpi_talk_push(tpi_talk *talk, tpi_call_kind kind, tpi_command command, int part)
{
    if (talk->depth == TPI_MOST_CALLS) {
        tpi_talk_fail(talk, TPI_FAULT_NOT_AVAILABLE,
                      "macros of the robot file call each other over %d deep", TPI_MOST_CALLS);
        return NULL;
    }
    tpi_frame_call *call = &talk->calls[talk->depth++];
    memset(call, 0, sizeof *call);
    call->kind = kind;
    call->command = command;
    call->part = part;
    call->begun_ns = talk->now_ns;
    call->result_local = -1;
    return call;
}

void tpi_talk_run_steps(tpi_talk *talk, const tpi_steps *steps, tpi_command command, int part,
                        const tpi_value *values)
{
    tpi_frame_call *call = tpi_talk_push(talk, TPI_CALL_STEPS, command, part);

    if (call != NULL) {
        call->steps = steps;
        if (values != NULL) {
            memcpy(call->values, values, sizeof call->values);
        }
    }
}

/* Put the set-ups on top that have not run yet. */
static void set_up(tpi_talk *talk, int part)
{
    if (part >= 0 && !talk->states[part].is_set_up) {
        tpi_talk_run_steps(talk, &talk->wired->parts[part].device->setup, TPI_COMMANDS, part, NULL);
        if (talk->depth > 0) {
            tpi_talk_top(talk)->is_setup = true;
        }
    }
    if (!talk->is_set_up && talk->depth > 0) {
        talk->is_set_up = true; /* a macro in it must not begin it again */
        tpi_talk_run_steps(talk, &talk->wired->robot->setup, TPI_COMMANDS, -1, NULL);
        if (talk->depth > 0) {
            tpi_talk_top(talk)->is_setup = true;
        }
    }
}

/* The command is another one, whose values are converted. */
static void adapt(tpi_talk *talk, const tpi_route *route, tpi_command command, int part,
                  const tpi_value *values)
{
    tpi_frame_call *call = tpi_talk_push(talk, TPI_CALL_ADAPT, command, part);
    tpi_value converted[TPI_MOST_VALUES];

    if (call != NULL) {
        memcpy(call->values, values, sizeof call->values);
        tpi_convert_values(&talk->wired->parts[part], command, route->next, values, converted,
                           call->number, sizeof call->number);
        tpi_talk_call(talk, route->next, part, converted);
    }
}

static void not_available(tpi_talk *talk, tpi_command command, int part)
{
    const char *why = tpi_robot_na(talk->wired->robot, command);
    const tpi_device *device = talk->wired->parts[part].device;

    tpi_talk_fail(talk, TPI_FAULT_NOT_AVAILABLE, "%s of %s: %s",
                  tpi_dictionary_entry(command)->name, device->label,
                  why != NULL ? why : "the device cannot do this");
}

void tpi_talk_call(tpi_talk *talk, tpi_command command, int part, const tpi_value *values)
{
    const tpi_route *route = part >= 0 ? tpi_wired_route(talk->wired, command, part) : NULL;
    tpi_frame_call *call;

    if (route == NULL || route->way == TPI_WAY_ENGINE) {
        tpi_talk_control(talk, command, part, values);
        return;
    }
    switch (route->way) {
    case TPI_WAY_NONE:
        not_available(talk, command, part);
        break;
    case TPI_WAY_CONVERT:
    case TPI_WAY_PARENT:
        adapt(talk, route, command, part, values);
        break;
    case TPI_WAY_MEMBERS:
        call = tpi_talk_push(talk, TPI_CALL_MEMBERS, command, part);
        if (call != NULL) {
            memcpy(call->values, values, sizeof call->values);
        }
        break;
    default:
        tpi_talk_run_steps(talk, &route->translation->steps, command, part, values);
        if (talk->depth > 0) {
            set_up(talk, part);
        }
        break;
    }
}

/* ---- Returning ---- */

/* The call below takes the results. */
static void take_results(tpi_talk *talk, const tpi_frame_call *done)
{
    tpi_frame_call *call = tpi_talk_top(talk);
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
        route = tpi_wired_route(talk->wired, call->command, call->part);
        tpi_convert_results(&talk->states[call->part], &talk->wired->parts[call->part],
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
static void keep_number(tpi_talk *talk, tpi_frame_call *call)
{
    tpi_value *result = &call->results[0];
    const size_t room = talk->wired->robot->timing.largest - talk->texts_length;

    if (result->text == call->number && result->length <= room) {
        memcpy(talk->texts + talk->texts_length, result->text, result->length);
        result->text = talk->texts + talk->texts_length;
        talk->texts_length += result->length;
    }
}

static void finish(tpi_talk *talk, const tpi_frame_call *done)
{
    const tpi_order *order = &talk->order;
    tpi_outcome *outcome = &talk->outcome;

    outcome->fault = TPI_FAULT_NONE;
    outcome->text[0] = '\0';
    memcpy(outcome->results, done->results, sizeof outcome->results);
    if (order->part < 0 || done->command != order->command ||
        tpi_dictionary_entry(order->command)->sort != TPI_SORT_READ) {
        return;
    }
    if (order->is_inverted && outcome->results[0].text == NULL) {
        tpi_convert_sense(&talk->wired->parts[order->part], order->command, &outcome->results[0]);
    }
    if (order->command <= TPI_READ_COUNT) {
        talk->states[order->part].readings[order->command - TPI_READ_GENERIC] =
            (tpi_reading){true, outcome->results[0].number, talk->now_ns};
    }
}

void tpi_talk_return(tpi_talk *talk)
{
    tpi_frame_call *done = tpi_talk_top(talk);

    keep_number(talk, done);
    talk->depth--;
    if (done->is_setup) {
        if (done->part >= 0) {
            talk->states[done->part].is_set_up = true;
        }
        return; /* the call below has not begun */
    }
    if (talk->depth == 0) {
        finish(talk, done);
    } else {
        take_results(talk, done);
    }
}

/* ---- Going on ---- */

static void go_on_members(tpi_talk *talk)
{
    tpi_frame_call *call = tpi_talk_top(talk);
    const tpi_part *part = &talk->wired->parts[call->part];
    const bool is_one = call->command == TPI_MOVE_POWER;
    tpi_value values[TPI_MOST_VALUES] = {{0}};

    if (call->at == 2) {
        tpi_talk_return(talk);
        return;
    }
    values[0] = call->values[is_one ? 0 : call->at];
    tpi_talk_call(talk, TPI_MOVE_POWER, call->at++ == 0 ? part->left : part->right, values);
}

void tpi_talk_go_on(tpi_talk *talk)
{
    while (talk->depth > 0 && talk->waiting == TPI_WAIT_NOTHING) {
        switch (tpi_talk_top(talk)->kind) {
        case TPI_CALL_STEPS:
            tpi_talk_step(talk);
            break;
        case TPI_CALL_ADAPT: /* its command has returned */
            tpi_talk_return(talk);
            break;
        case TPI_CALL_MEMBERS:
            go_on_members(talk);
            break;
        default:
            tpi_talk_go_on_control(talk);
            break;
        }
    }
}
