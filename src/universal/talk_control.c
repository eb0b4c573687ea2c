/* talk_control.c - the commands of the engine: waiting, stopping, setting up; see talk_inside.h. */
#include <string.h>

#include "universal/talk_inside.h"

enum { NS_PER_MS = 1000000, TRIGGER_MS = 10, QUIET_MS = 50 };

/* ---- Stop and End ---- */

/* Steps of <stop>, on top of the stack. */
static void stop_all(tpi_talk *talk)
{
    if (!talk->wired->robot->has_stop) {
        tpi_talk_fail(talk, TPI_FAULT_NOT_AVAILABLE, "this robot has nothing that stops");
        return;
    }
    tpi_talk_run_steps(talk, &talk->wired->robot->stop, TPI_STOP, -1, NULL);
}

/* A device without a stop of its own gets a zero. */
static void stop_part(tpi_talk *talk, int part)
{
    static const tpi_command ways[] = {TPI_MOVE_POWER, TPI_MOVE_MOTORS, TPI_WRITE_ANALOG,
                                       TPI_WRITE_DIGITAL, TPI_WRITE_COUNT};
    const tpi_value zero[TPI_MOST_VALUES] = {{0}};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (tpi_wired_route(talk->wired, ways[i], part)->way != TPI_WAY_NONE) {
            tpi_talk_call(talk, ways[i], part, zero);
            return;
        }
    }
    stop_all(talk);
}

/* Shut down the parts that were set up, then the robot. */
static void go_on_end(tpi_talk *talk)
{
    tpi_frame_call *call = tpi_talk_top(talk);
    const bool again = call->command == TPI_RESET;

    while (call->at < talk->wired->part_count) {
        const unsigned part = call->at++;
        if (talk->states[part].is_set_up) {
            talk->states[part].is_set_up = false;
            tpi_talk_run_steps(talk, &talk->wired->parts[part].device->shutdown, TPI_COMMANDS,
                               (int)part, NULL);
            return;
        }
    }
    if (call->at == talk->wired->part_count) {
        call->at++;
        if (talk->is_set_up) {
            talk->is_set_up = false;
            tpi_talk_run_steps(talk, &talk->wired->robot->shutdown, TPI_COMMANDS, -1, NULL);
            return;
        }
    }
    if (again && call->at == talk->wired->part_count + 1) {
        call->at++;
        talk->is_set_up = true;
        tpi_talk_run_steps(talk, &talk->wired->robot->setup, TPI_COMMANDS, -1, NULL);
        return;
    }
    tpi_talk_return(talk);
}

static void end(tpi_talk *talk, tpi_command command)
{
    if (tpi_talk_push(talk, TPI_CALL_END, command, -1) != NULL && talk->wired->robot->has_stop) {
        tpi_talk_run_steps(talk, &talk->wired->robot->stop, TPI_COMMANDS, -1, NULL);
    }
}

/* ---- Setting up ---- */

static void initialize(tpi_talk *talk, tpi_command command, bool again)
{
    static const tpi_steps none = {NULL, 0};
    const bool runs = again || !talk->is_set_up;

    talk->is_set_up = true;
    tpi_talk_run_steps(talk, runs ? &talk->wired->robot->setup : &none, command, -1, NULL);
}

static void set_up_part(tpi_talk *talk, tpi_command command, int part)
{
    initialize(talk, command, false);
    if (talk->depth > 0) {
        tpi_talk_run_steps(talk, &talk->wired->parts[part].device->setup, TPI_COMMANDS, part, NULL);
    }
    if (talk->depth > 0) {
        tpi_talk_top(talk)->is_setup = true;
    }
}

/* ---- Waiting ---- */

static void sleep_for(tpi_talk *talk, double ms)
{
    if (tpi_talk_push(talk, TPI_CALL_SLEEP, TPI_WAIT_TIME, -1) != NULL) {
        talk->waiting = TPI_WAIT_UNTIL;
        talk->until_ns = talk->now_ns + (int64_t)(ms * NS_PER_MS);
    }
}

static bool compares(unsigned comparison, double a, double b)
{
    switch (comparison) {
    case 0:
        return a < b;
    case 1:
        return a <= b;
    case 2:
        return a == b;
    case 3:
        return a >= b;
    case 4:
        return a > b;
    case 5:
        return a != b;
    default:
        return a != 0;
    }
}

/* Phase 0: read. 1: compare. For "becomes" (6, 7) the reading before counts too: bit 0 of `polls`.
 */
static void go_on_trigger(tpi_talk *talk)
{
    tpi_frame_call *call = tpi_talk_top(talk);
    const unsigned comparison = (unsigned)call->values[0].number;
    const tpi_value none[TPI_MOST_VALUES] = {{0}};

    if (call->at == 0) {
        call->at = 1;
        tpi_talk_call(talk, TPI_READ_GENERIC, call->part, none);
        return;
    }
    tpi_value reading = call->results[0];
    if (talk->order.is_inverted) {
        tpi_convert_sense(&talk->wired->parts[call->part], TPI_READ_GENERIC, &reading);
    }
    bool holds = compares(comparison, reading.number, call->values[1].number);
    holds = comparison == 7 ? !holds : holds;
    const bool held = call->poll_count > 0 && call->polls[0] != 0;
    const bool is_edge = comparison < 6 || (call->poll_count > 0 && !held);
    call->poll_count = 1;
    call->polls[0] = holds;
    if ((holds && is_edge) ||
        talk->now_ns >= call->begun_ns + (int64_t)(call->values[2].number * NS_PER_MS)) {
        call->results[0] = (tpi_value){.number = holds && is_edge};
        tpi_talk_return(talk);
        return;
    }
    call->at = 0;
    talk->waiting = TPI_WAIT_UNTIL;
    talk->until_ns = talk->now_ns + TRIGGER_MS * NS_PER_MS;
}

/* ---- Raw ---- */

static void raw(tpi_talk *talk, tpi_command command, const tpi_value *values)
{
    if (tpi_talk_push(talk, TPI_CALL_RAW, command, -1) == NULL) {
        return;
    }
    talk->input_length = 0;
    if (!tpi_talk_write(talk, (const uint8_t *)values[0].text, values[0].length)) {
        tpi_talk_fail(talk, TPI_FAULT_VALUE, "the bytes are too many for one instruction");
        return;
    }
    talk->waiting = TPI_WAIT_BYTES;
    talk->until_ns = talk->now_ns + (int64_t)(talk->wired->robot->timing.reply_ms * NS_PER_MS);
}

/* Without framing the reply ends when it is quiet. */
static void raw_time_out(tpi_talk *talk)
{
    tpi_frame_call *call = tpi_talk_top(talk);

    if (!tpi_robot_reads_frames(talk->wired->robot)) {
        memcpy(talk->texts, talk->input, talk->input_length);
        call->results[0].length = (uint32_t)talk->input_length;
        talk->input_length = 0;
    }
    call->results[0].text = talk->texts;
    talk->waiting = TPI_WAIT_NOTHING;
}

/* ---- All of them ---- */

void tpi_talk_go_on_control(tpi_talk *talk)
{
    switch (tpi_talk_top(talk)->kind) {
    case TPI_CALL_TRIGGER:
        go_on_trigger(talk);
        break;
    case TPI_CALL_END:
        go_on_end(talk);
        break;
    default:
        tpi_talk_return(talk);
        break;
    }
}

void tpi_talk_control(tpi_talk *talk, tpi_command command, int part, const tpi_value *values)
{
    static const tpi_steps none = {NULL, 0};
    tpi_frame_call *call;

    switch (command) {
    case TPI_NO_OP:
        tpi_talk_run_steps(talk, &none, command, -1, NULL);
        break;
    case TPI_INITIALIZE:
    case TPI_START:
        initialize(talk, command, command == TPI_INITIALIZE);
        break;
    case TPI_END:
    case TPI_RESET:
        end(talk, command);
        break;
    case TPI_WAIT_TIME:
        sleep_for(talk, values[0].number);
        break;
    case TPI_WAIT_TRIGGER:
        call = tpi_talk_push(talk, TPI_CALL_TRIGGER, command, part);
        if (call != NULL) {
            memcpy(call->values, values, sizeof call->values);
        }
        break;
    case TPI_SETUP_INPUT:
    case TPI_SETUP_OUTPUT:
        set_up_part(talk, command, part);
        break;
    case TPI_STOP:
        if (part >= 0) {
            stop_part(talk, part);
        } else {
            stop_all(talk);
        }
        break;
    case TPI_RAW:
        raw(talk, command, values);
        break;
    default:
        tpi_talk_fail(talk, TPI_FAULT_NOT_AVAILABLE, "%s needs a server",
                      tpi_dictionary_entry(command)->name);
        break;
    }
}

void tpi_talk_time_out(tpi_talk *talk)
{
    switch (talk->waiting) {
    case TPI_WAIT_REPLY:
    case TPI_WAIT_WORD:
        tpi_talk_fail(talk, TPI_FAULT_SILENT, "no reply in time%s",
                      talk->noise > 0 ? "; bytes came that fit nothing" : "");
        break;
    case TPI_WAIT_BYTES:
        raw_time_out(talk);
        break;
    default:
        talk->waiting = TPI_WAIT_NOTHING;
        break;
    }
}
