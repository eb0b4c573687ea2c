/* dialog_input.c - what arrives: replies, refusals, messages that come unasked; see
 * dialog_inside.h. */
#include <string.h>

#include "universal/dialog_inside.h"

/* ---- Texts ---- */

void tpi_dialog_keep_texts(tpi_dialog *dialog, tpi_frame_call *call)
{
    const char *start = (const char *)dialog->input;

    for (unsigned i = 0; i < TPI_MOST_LOCALS; i++) {
        tpi_value *local = &call->locals[i];
        if (local->text == NULL || local->text < start ||
            local->text >= start + dialog->wired->robot->timing.largest) {
            continue;
        }
        if (local->length > dialog->wired->robot->timing.largest - dialog->texts_length) {
            local->length = 0; /* several long texts in one command: the buffer is full */
        }
        memmove(dialog->texts + dialog->texts_length, local->text, local->length);
        local->text = dialog->texts + dialog->texts_length;
        dialog->texts_length += local->length;
    }
}

static void consume(tpi_dialog *dialog, size_t length)
{
    dialog->input_length -= length;
    memmove(dialog->input, dialog->input + length, dialog->input_length);
}

/* ---- Messages ---- */

/* Names of a message that comes unasked; nothing else runs in them. */
static tpi_context plain_context(tpi_dialog *dialog, tpi_value *locals)
{
    return (tpi_context){.locals = locals,
                         .words = dialog->words,
                         .scope = &dialog->wired->robot->scope,
                         .now_ms = (double)(dialog->now_ns - dialog->connected_ns) / 1e6};
}

/* One of the messages that come unasked. */
static tpi_matched match_incoming(tpi_dialog *dialog, uint8_t *data, size_t length, bool is_whole,
                                  tpi_found *found)
{
    const tpi_robotfile *robot = dialog->wired->robot;
    tpi_value locals[TPI_MOST_LOCALS] = {{0}};
    const tpi_context context = plain_context(dialog, locals);
    bool more = false;

    for (unsigned i = 0; i < robot->incoming_count; i++) {
        const tpi_steps *steps = &robot->incoming[i].steps;
        const tpi_matched result =
            tpi_pattern_match(&steps->steps[0].pattern, data, length, is_whole, &context, found);
        if (result == TPI_MATCH_YES) {
            for (unsigned j = 1; j < steps->count; j++) {
                tpi_dialog_set(dialog, &steps->steps[j], &context, true);
            }
            return TPI_MATCH_YES;
        }
        more = more || result == TPI_MATCH_MORE;
    }
    return more ? TPI_MATCH_MORE : TPI_MATCH_NO;
}

/* A message that refuses the command. */
static tpi_matched match_refusal(tpi_dialog *dialog, uint8_t *data, size_t length, bool is_whole,
                                 tpi_found *found)
{
    const tpi_robotfile *robot = dialog->wired->robot;
    tpi_value locals[TPI_MOST_LOCALS] = {{0}};
    const tpi_context context = plain_context(dialog, locals);
    bool more = false;

    for (unsigned i = 0; i < robot->refusal_count; i++) {
        const tpi_incoming *refusal = &robot->refusals[i];
        const tpi_matched result = tpi_pattern_match(&refusal->steps.steps[0].pattern, data, length,
                                                     is_whole, &context, found);
        if (result == TPI_MATCH_YES) {
            const char *text = locals[0].text != NULL ? locals[0].text : "";
            tpi_dialog_fail(dialog, TPI_FAULT_REFUSED, "%s%s%.*s", refusal->says,
                            locals[0].length > 0 ? ": " : "", (int)locals[0].length, text);
            return TPI_MATCH_REFUSED;
        }
        more = more || result == TPI_MATCH_MORE;
    }
    return more ? TPI_MATCH_MORE : TPI_MATCH_NO;
}

/* ---- Replies ---- */

static void refuse(tpi_dialog *dialog, double code)
{
    const tpi_remarks *errors = &dialog->wired->robot->errors;

    for (unsigned i = 0; i < errors->count; i++) {
        if (errors->all[i].code == code) {
            tpi_dialog_fail(dialog, TPI_FAULT_REFUSED, "status %02X: %s", (unsigned)code,
                            errors->all[i].why);
            return;
        }
    }
    tpi_dialog_fail(dialog, TPI_FAULT_REFUSED, "status %02X", (unsigned)code);
}

/* The reply that is waited for. After YES the command can go on, after REFUSED it has failed. */
static tpi_matched match_reply(tpi_dialog *dialog, uint8_t *data, size_t length, bool is_whole,
                               tpi_found *found)
{
    if (dialog->waiting != TPI_WAIT_REPLY) {
        return TPI_MATCH_NO;
    }
    tpi_frame_call *call = tpi_dialog_top(dialog);
    const tpi_context context = tpi_dialog_context(dialog, call);
    const tpi_matched result = tpi_pattern_match(&call->steps->steps[call->at].pattern, data,
                                                 length, is_whole, &context, found);
    if (result == TPI_MATCH_YES) {
        tpi_dialog_keep_texts(dialog, call);
        call->at++;
        dialog->waiting = TPI_WAIT_NOTHING;
    } else if (result == TPI_MATCH_REFUSED) {
        refuse(dialog, found->code);
    } else if (result == TPI_MATCH_NO) {
        return match_refusal(dialog, data, length, is_whole, found);
    }
    return result;
}

/* Whether the reply begins with something that only a reply has. */
static bool reply_is_marked(tpi_dialog *dialog)
{
    if (dialog->waiting != TPI_WAIT_REPLY) {
        return false;
    }
    const tpi_frame_call *call = tpi_dialog_top(dialog);
    return call->steps->steps[call->at].pattern.items[0].kind == TPI_ITEM_BYTES;
}

/* What a message is. `progress` is set if the command can go on, or has failed. */
static tpi_matched match(tpi_dialog *dialog, uint8_t *data, size_t length, bool is_whole,
                         tpi_found *found, bool *progress)
{
    const bool reply_first = reply_is_marked(dialog);
    bool more = false;

    for (int turn = 0; turn < 2; turn++) {
        const bool is_reply = reply_first == (turn == 0);
        const tpi_matched result = is_reply ? match_reply(dialog, data, length, is_whole, found)
                                            : match_incoming(dialog, data, length, is_whole, found);
        if (result == TPI_MATCH_YES || result == TPI_MATCH_REFUSED) {
            *progress = is_reply || dialog->waiting == TPI_WAIT_NOTHING;
            return result;
        }
        more = more || result == TPI_MATCH_MORE;
    }
    return more ? TPI_MATCH_MORE : TPI_MATCH_NO;
}

/* ---- The input ---- */

/* Bytes fitted nothing. */
static void wonder(tpi_dialog *dialog, const uint8_t *bytes, size_t length)
{
    tpi_strange *strange = &dialog->strange;

    dialog->noise += length;
    for (size_t i = 0; i < length; i++, strange->count++) {
        if (strange->count < sizeof strange->bytes) {
            strange->bytes[strange->count] = bytes[i];
        }
    }
}

/* Raw: the body of a frame, or all that there is, becomes the result. */
static void take_raw(tpi_dialog *dialog, const uint8_t *body, size_t length)
{
    tpi_frame_call *call = tpi_dialog_top(dialog);

    memcpy(dialog->texts, body, length);
    call->results[0] = (tpi_value){.text = dialog->texts, .length = (uint32_t)length};
    dialog->waiting = TPI_WAIT_NOTHING;
}

static bool look_frames(tpi_dialog *dialog)
{
    const tpi_framing *framing = &dialog->wired->robot->framing;
    tpi_found found = {0};
    tpi_frame frame;
    bool progress = false;

    while (!progress && dialog->input_length > 0) {
        const tpi_framed framed =
            tpi_framing_get(framing, dialog->input, dialog->input_length, &frame);
        if (framed == TPI_FRAME_MORE) {
            return false;
        }
        if (framed == TPI_FRAME_NOISE ||
            (framing->has_sequence && frame.sequence != dialog->sequence)) {
            wonder(dialog, dialog->input, frame.used);
        } else if (dialog->waiting == TPI_WAIT_BYTES) {
            take_raw(dialog, frame.body, frame.length);
            progress = true;
        } else if (dialog->waiting == TPI_WAIT_PACKET) {
            progress = tpi_dialog_take_packet(dialog, frame.body, frame.length);
            if (!progress) {
                wonder(dialog, dialog->input, frame.used);
            }
        } else if (match(dialog, frame.body, frame.length, true, &found, &progress) ==
                   TPI_MATCH_NO) {
            wonder(dialog, dialog->input, frame.used);
        }
        consume(dialog, frame.used);
    }
    return progress;
}

static bool look_plain(tpi_dialog *dialog)
{
    const size_t capacity = dialog->wired->robot->timing.largest;
    tpi_found found = {0};
    bool progress = false;

    if (dialog->waiting == TPI_WAIT_BYTES) {
        return false; /* Raw takes all that comes until it is quiet */
    }
    while (!progress && dialog->input_length > 0) {
        const tpi_matched result =
            match(dialog, dialog->input, dialog->input_length, false, &found, &progress);
        if (result == TPI_MATCH_MORE && dialog->input_length < capacity) {
            return false;
        }
        if (result == TPI_MATCH_NO || result == TPI_MATCH_MORE) {
            wonder(dialog, dialog->input, 1);
            found.used = 1;
        }
        consume(dialog, found.used > 0 ? found.used : 1);
    }
    return progress;
}

bool tpi_dialog_look(tpi_dialog *dialog)
{
    return tpi_robotfile_reads_frames(dialog->wired->robot) ? look_frames(dialog)
                                                            : look_plain(dialog);
}
