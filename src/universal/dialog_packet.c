/*
 * dialog_packet.c - commands that the robot executes itself; see dialog_inside.h.
 *
 * The bytes are those of the universal protocol (packet.h): a command that waits, with the type and
 * the id of the part as its port, and its reply. Replies carry no number: after one that did not
 * come in time the line is left quiet, so that a late reply is not taken for that of the next
 * command.
 */
#include <string.h>

#include "universal/dialog_inside.h"
#include "universal/packet.h"

enum { NS_PER_MS = 1000000 };

/* ---- Out ---- */

void tpi_dialog_packet(tpi_dialog *dialog, tpi_command command, int part, const tpi_value *values)
{
    tpi_frame_call *call = tpi_dialog_push(dialog, TPI_CALL_PACKET, command, part);

    if (call != NULL && values != NULL) {
        memcpy(call->values, values, sizeof call->values);
    }
}

static int64_t later(const tpi_dialog *dialog, double ms)
{
    return dialog->now_ns + (int64_t)(ms * NS_PER_MS);
}

/* Until when nothing may be written: the pause between writes, or a late reply. */
static bool must_wait(tpi_dialog *dialog)
{
    const tpi_timing *timing = &dialog->wired->robot->timing;
    const int64_t gap_ends = dialog->sent_ns + (int64_t)(timing->gap_ms * NS_PER_MS);

    if (dialog->is_late) {
        dialog->is_late = false;
        dialog->waiting = TPI_WAIT_UNTIL;
        dialog->until_ns = later(dialog, timing->reply_ms);
        return true;
    }
    if (dialog->has_sent && gap_ends > dialog->now_ns) {
        dialog->waiting = TPI_WAIT_GAP;
        dialog->until_ns = gap_ends;
        return true;
    }
    return false;
}

void tpi_dialog_go_on_packet(tpi_dialog *dialog)
{
    const tpi_timing *timing = &dialog->wired->robot->timing;
    tpi_frame_call *call = tpi_dialog_top(dialog);
    const tpi_part *part = &dialog->wired->parts[call->part];
    const tpi_entry *entry = tpi_dictionary_entry(call->command);

    if (call->at == 1) {
        tpi_dialog_return(dialog);
        return;
    }
    if (must_wait(dialog)) {
        return;
    }
    tpi_packet packet = {.waits = true,
                         .most = (uint32_t)(timing->largest / 2),
                         .command = call->command,
                         .has_port = true,
                         .type = (uint8_t)tpi_dictionary_type_number(part->device->type),
                         .id = (uint8_t)part->id,
                         .count = tpi_entry_value_count(entry->values)};
    memcpy(packet.values, call->values, sizeof packet.values);
    tpi_buf_clear(&dialog->packet);
    tpi_packet_put(&dialog->packet, &packet);
    /* The length in front belongs to the frame. */
    if (dialog->packet.failed || dialog->packet.length > timing->largest ||
        !tpi_dialog_write(dialog, (const uint8_t *)dialog->packet.data + TPI_PACKET_LENGTH,
                          dialog->packet.length - TPI_PACKET_LENGTH)) {
        tpi_dialog_fail(dialog, TPI_FAULT_VALUE, "the text is too long for this robot");
        return;
    }
    dialog->waiting = TPI_WAIT_PACKET;
    dialog->until_ns = later(dialog, timing->reply_ms);
}

tpi_command tpi_dialog_awaits(const tpi_dialog *dialog)
{
    return dialog->depth > 0 && dialog->waiting == TPI_WAIT_PACKET
               ? dialog->calls[dialog->depth - 1].command
               : TPI_COMMANDS;
}

/* ---- In ---- */

/* The code and the text of a fault; false if they are not whole. */
static bool take_fault(tpi_packet_rest *rest, tpi_fault *fault, tpi_value *text)
{
    uint16_t code = 0;

    if (!tpi_packet_take_u16(rest, &code) || !tpi_packet_take(rest, TPI_KIND_TEXT, text)) {
        return false;
    }
    *fault = code > TPI_FAULT_NONE && code < TPI_FAULTS ? (tpi_fault)code : TPI_FAULT_REFUSED;
    return true;
}

/* Texts of results, since the input will change. */
static void keep(tpi_dialog *dialog, tpi_value *result)
{
    const size_t room = dialog->wired->robot->timing.largest - dialog->texts_length;

    if (result->text != NULL) {
        result->length = result->length < room ? result->length : (uint32_t)room;
        memcpy(dialog->texts + dialog->texts_length, result->text, result->length);
        result->text = dialog->texts + dialog->texts_length;
        dialog->texts_length += result->length;
    }
}

/* The results of the command; false if the reply has others. */
static bool take_results(tpi_frame_call *call, tpi_packet_rest *rest)
{
    const tpi_entry_value *slots = tpi_dictionary_entry(call->command)->results;

    for (unsigned i = 0; slots[i].name != NULL; i++) {
        if (!tpi_packet_take(rest, slots[i].kind, &call->results[i])) {
            return false;
        }
    }
    return rest->length == 0;
}

bool tpi_dialog_take_packet(tpi_dialog *dialog, const uint8_t *body, size_t length)
{
    tpi_frame_call *call = tpi_dialog_top(dialog);
    tpi_packet_rest rest = {body, length};
    uint8_t status = 0;
    uint32_t number = 0;
    tpi_fault fault = TPI_FAULT_NONE;
    tpi_value text = {0};

    if (!tpi_packet_take_u8(&rest, &status) || status > TPI_PACKET_EARLIER ||
        (status == TPI_PACKET_EARLIER && !tpi_packet_take_u32(&rest, &number)) ||
        (status != TPI_PACKET_DONE && !take_fault(&rest, &fault, &text))) {
        return false;
    }
    const int shown = text.length < 100 ? (int)text.length : 100;
    if (status == TPI_PACKET_ERROR) {
        tpi_dialog_fail(dialog, fault, "%.*s", shown, shown > 0 ? text.text : "");
        return true;
    }
    if (!take_results(call, &rest)) {
        return false;
    }
    if (status == TPI_PACKET_EARLIER) {
        tpi_dialog_note(dialog, "an earlier command has failed: %s: %.*s", tpi_fault_text(fault),
                        shown, shown > 0 ? text.text : "");
    }
    for (unsigned i = 0; i < TPI_MOST_RESULTS; i++) {
        keep(dialog, &call->results[i]);
    }
    call->at = 1;
    dialog->waiting = TPI_WAIT_NOTHING;
    return true;
}
