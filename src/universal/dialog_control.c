/* dialog_control.c - the commands of the engine: waiting, stopping, setting up; see
 * dialog_inside.h. */
#include <stdio.h>
#include <string.h>

#include "universal/dialog_inside.h"

enum { NS_PER_MS = 1000000, TRIGGER_MS = 10, QUIET_MS = 50 };

/* ---- Stop and End ---- */

/* Steps of <stop>, on top of the stack. */
static void stop_all(tpi_dialog *dialog)
{
    if (!dialog->wired->robot->has_stop) {
        tpi_dialog_fail(dialog, TPI_FAULT_NOT_AVAILABLE, "this robot has nothing that stops");
        return;
    }
    tpi_dialog_run_steps(dialog, &dialog->wired->robot->stop, TPI_STOP, -1, NULL);
}

/* A device without a stop of its own gets a zero. */
static void stop_part(tpi_dialog *dialog, int part)
{
    static const tpi_command ways[] = {TPI_MOVE_POWER, TPI_MOVE_MOTORS, TPI_WRITE_ANALOG,
                                       TPI_WRITE_DIGITAL, TPI_WRITE_COUNT};
    const tpi_value zero[TPI_MOST_VALUES] = {{0}};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (tpi_wired_route(dialog->wired, ways[i], part)->way != TPI_WAY_NONE) {
            tpi_dialog_call(dialog, ways[i], part, zero);
            return;
        }
    }
    stop_all(dialog);
}

/* Shut down the parts that were set up, then the robot. */
static void go_on_end(tpi_dialog *dialog)
{
    tpi_frame_call *call = tpi_dialog_top(dialog);
    const bool again = call->command == TPI_RESET;

    while (call->at < dialog->wired->part_count) {
        const unsigned part = call->at++;
        if (dialog->states[part].is_set_up) {
            dialog->states[part].is_set_up = false;
            tpi_dialog_run_steps(dialog, &dialog->wired->parts[part].device->shutdown, TPI_COMMANDS,
                                 (int)part, NULL);
            return;
        }
    }
    if (call->at == dialog->wired->part_count) {
        call->at++;
        if (dialog->is_set_up) {
            dialog->is_set_up = false;
            tpi_dialog_run_steps(dialog, &dialog->wired->robot->shutdown, TPI_COMMANDS, -1, NULL);
            return;
        }
    }
    if (again && call->at == dialog->wired->part_count + 1) {
        call->at++;
        dialog->is_set_up = true;
        tpi_dialog_run_steps(dialog, &dialog->wired->robot->setup, TPI_COMMANDS, -1, NULL);
        return;
    }
    tpi_dialog_return(dialog);
}

static void end(tpi_dialog *dialog, tpi_command command)
{
    if (tpi_dialog_push(dialog, TPI_CALL_END, command, -1) != NULL &&
        dialog->wired->robot->has_stop) {
        tpi_dialog_run_steps(dialog, &dialog->wired->robot->stop, TPI_COMMANDS, -1, NULL);
    }
}

/* ---- Setting up ---- */

static void initialize(tpi_dialog *dialog, tpi_command command, bool again)
{
    static const tpi_steps none = {NULL, 0};
    const bool runs = again || !dialog->is_set_up;

    dialog->is_set_up = true;
    tpi_dialog_run_steps(dialog, runs ? &dialog->wired->robot->setup : &none, command, -1, NULL);
}

static void set_up_part(tpi_dialog *dialog, tpi_command command, int part)
{
    initialize(dialog, command, false);
    if (dialog->depth > 0) {
        tpi_dialog_run_steps(dialog, &dialog->wired->parts[part].device->setup, TPI_COMMANDS, part,
                             NULL);
    }
    if (dialog->depth > 0) {
        tpi_dialog_top(dialog)->is_setup = true;
    }
}

/* ---- Waiting ---- */

static void sleep_for(tpi_dialog *dialog, double ms)
{
    if (tpi_dialog_push(dialog, TPI_CALL_SLEEP, TPI_WAIT_TIME, -1) != NULL) {
        dialog->waiting = TPI_WAIT_UNTIL;
        dialog->until_ns = dialog->now_ns + (int64_t)(ms * NS_PER_MS);
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

/* For "becomes" (6, 7) the reading before counts too. */
bool tpi_trigger_fires(tpi_trigger *trigger, unsigned comparison, double reading, double value)
{
    const bool is_edge = comparison < 6 || (trigger->was_read && !trigger->held);

    trigger->was_read = true;
    trigger->held = compares(comparison, reading, value) != (comparison == 7);
    return trigger->held && is_edge;
}

/* Phase 0: read. 1: compare. */
static void go_on_trigger(tpi_dialog *dialog)
{
    tpi_frame_call *call = tpi_dialog_top(dialog);
    const unsigned comparison = (unsigned)call->values[0].number;
    const tpi_value none[TPI_MOST_VALUES] = {{0}};

    if (call->at == 0) {
        call->at = 1;
        tpi_dialog_call(dialog, TPI_READ_GENERIC, call->part, none);
        return;
    }
    tpi_value reading = call->results[0];
    if (dialog->order.is_inverted) {
        tpi_convert_sense(&dialog->wired->parts[call->part], TPI_READ_GENERIC, &reading);
    }
    const bool fires =
        tpi_trigger_fires(&dialog->trigger, comparison, reading.number, call->values[1].number);
    if (fires || dialog->now_ns >= call->begun_ns + (int64_t)(call->values[2].number * NS_PER_MS)) {
        call->results[0] = (tpi_value){.number = fires};
        tpi_dialog_return(dialog);
        return;
    }
    call->at = 0;
    dialog->waiting = TPI_WAIT_UNTIL;
    dialog->until_ns = dialog->now_ns + TRIGGER_MS * NS_PER_MS;
}

/* ---- Raw ---- */

static void raw(tpi_dialog *dialog, tpi_command command, const tpi_value *values)
{
    if (tpi_dialog_push(dialog, TPI_CALL_RAW, command, -1) == NULL) {
        return;
    }
    dialog->input_length = 0;
    if (!tpi_dialog_write(dialog, (const uint8_t *)values[0].text, values[0].length)) {
        tpi_dialog_fail(dialog, TPI_FAULT_VALUE, "the bytes are too many for one instruction");
        return;
    }
    dialog->waiting = TPI_WAIT_BYTES;
    dialog->until_ns =
        dialog->now_ns + (int64_t)(dialog->wired->robot->timing.reply_ms * NS_PER_MS);
}

/* Without framing the reply ends when it is quiet. */
static void raw_time_out(tpi_dialog *dialog)
{
    tpi_frame_call *call = tpi_dialog_top(dialog);

    if (!tpi_robotfile_reads_frames(dialog->wired->robot)) {
        memcpy(dialog->texts, dialog->input, dialog->input_length);
        call->results[0].length = (uint32_t)dialog->input_length;
        dialog->input_length = 0;
    }
    call->results[0].text = dialog->texts;
    dialog->waiting = TPI_WAIT_NOTHING;
}

/* ---- All of them ---- */

void tpi_dialog_go_on_control(tpi_dialog *dialog)
{
    switch (tpi_dialog_top(dialog)->kind) {
    case TPI_CALL_TRIGGER:
        go_on_trigger(dialog);
        break;
    case TPI_CALL_END:
        go_on_end(dialog);
        break;
    default:
        tpi_dialog_return(dialog);
        break;
    }
}

void tpi_dialog_control(tpi_dialog *dialog, tpi_command command, int part, const tpi_value *values)
{
    static const tpi_steps none = {NULL, 0};
    tpi_frame_call *call;

    switch (command) {
    case TPI_NO_OP:
        tpi_dialog_run_steps(dialog, &none, command, -1, NULL);
        break;
    case TPI_INITIALIZE:
    case TPI_START:
        initialize(dialog, command, command == TPI_INITIALIZE);
        break;
    case TPI_END:
    case TPI_RESET:
        end(dialog, command);
        break;
    case TPI_WAIT_TIME:
        sleep_for(dialog, values[0].number);
        break;
    case TPI_WAIT_TRIGGER:
        call = tpi_dialog_push(dialog, TPI_CALL_TRIGGER, command, part);
        dialog->trigger = (tpi_trigger){0};
        if (call != NULL) {
            memcpy(call->values, values, sizeof call->values);
        }
        break;
    case TPI_SETUP_INPUT:
    case TPI_SETUP_OUTPUT:
        set_up_part(dialog, command, part);
        break;
    case TPI_STOP:
        if (part >= 0) {
            stop_part(dialog, part);
        } else {
            stop_all(dialog);
        }
        break;
    case TPI_RAW:
        raw(dialog, command, values);
        break;
    default:
        tpi_dialog_fail(dialog, TPI_FAULT_NOT_AVAILABLE, "%s needs a server",
                        tpi_dictionary_entry(command)->name);
        break;
    }
}

/* "05 00 02" */
static const char *put_bytes(char out[40], const uint8_t *bytes, size_t count, size_t most)
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i < count && i < most; i++) {
        used += (size_t)snprintf(out + used, 40 - used, "%s%02x", i > 0 ? " " : "", bytes[i]);
    }
    (void)snprintf(out + used, 40 - used, "%s", count > most ? " ..." : "");
    return out;
}

/* Say what the robot did instead of answering. What came is dropped: it would be taken for the
 * beginning of the next answer. */
static void no_reply(tpi_dialog *dialog)
{
    const tpi_robot_link *link = &dialog->wired->robot->links[0];
    const tpi_strange strange = dialog->strange;
    char bytes[40], speed[48] = "";
    const size_t begun = dialog->input_length;

    dialog->input_length = 0;
    if (strcmp(link->kind, "serial") == 0 && link->baud > 0 && !dialog->hooks.has_no_speed) {
        (void)snprintf(speed, sizeof speed, " (is the line at %.0f baud?)", link->baud);
    }
    if (strange.count > 0) {
        tpi_dialog_fail(
            dialog, TPI_FAULT_SILENT, "no reply in time; bytes came that fit nothing: %s%s",
            put_bytes(bytes, strange.bytes, strange.count, sizeof strange.bytes), speed);
    } else if (begun > 0) {
        tpi_dialog_fail(dialog, TPI_FAULT_SILENT, "the reply ends too early, after %zu bytes: %s%s",
                        begun, put_bytes(bytes, dialog->input, begun, sizeof strange.bytes), speed);
    } else {
        tpi_dialog_fail(dialog, TPI_FAULT_SILENT, "no reply in time%s", speed);
    }
}

void tpi_dialog_time_out(tpi_dialog *dialog)
{
    switch (dialog->waiting) {
    case TPI_WAIT_REPLY:
    case TPI_WAIT_WORD:
        no_reply(dialog);
        break;
    case TPI_WAIT_PACKET:
        dialog->is_late = true;
        no_reply(dialog);
        break;
    case TPI_WAIT_BYTES:
        raw_time_out(dialog);
        break;
    default:
        dialog->waiting = TPI_WAIT_NOTHING;
        break;
    }
}
