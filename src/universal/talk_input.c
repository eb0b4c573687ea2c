/* talk_input.c - what arrives: replies, refusals, messages that come unasked; see talk_inside.h. */
#include <string.h>

#include "universal/talk_inside.h"

/* ---- Texts ---- */

void tpi_talk_keep_texts(tpi_talk *talk, tpi_frame_call *call)
{
    const char *start = (const char *)talk->input;

    for (unsigned i = 0; i < TPI_MOST_LOCALS; i++) {
        tpi_value *local = &call->locals[i];
        if (local->text == NULL || local->text < start ||
            local->text >= start + talk->wired->robot->timing.largest) {
            continue;
        }
        if (local->length > talk->wired->robot->timing.largest - talk->texts_length) {
            local->length = 0; /* several long texts in one command: the buffer is full */
        }
        memmove(talk->texts + talk->texts_length, local->text, local->length);
        local->text = talk->texts + talk->texts_length;
        talk->texts_length += local->length;
    }
}

static void consume(tpi_talk *talk, size_t length)
{
    talk->input_length -= length;
    memmove(talk->input, talk->input + length, talk->input_length);
}

/* ---- Messages ---- */

/* Names of a message that comes unasked; nothing else runs in them. */
static tpi_context plain_context(tpi_talk *talk, tpi_value *locals)
{
    return (tpi_context){.locals = locals,
                         .words = talk->words,
                         .scope = &talk->wired->robot->scope,
                         .now_ms = (double)(talk->now_ns - talk->connected_ns) / 1e6};
}

/* One of the messages that come unasked. */
static tpi_matched match_incoming(tpi_talk *talk, uint8_t *data, size_t length, bool is_whole,
                                  tpi_found *found)
{
    const tpi_robot *robot = talk->wired->robot;
    tpi_value locals[TPI_MOST_LOCALS] = {{0}};
    const tpi_context context = plain_context(talk, locals);
    bool more = false;

    for (unsigned i = 0; i < robot->incoming_count; i++) {
        const tpi_steps *steps = &robot->incoming[i].steps;
        const tpi_matched result =
            tpi_pattern_match(&steps->steps[0].pattern, data, length, is_whole, &context, found);
        if (result == TPI_MATCH_YES) {
            for (unsigned j = 1; j < steps->count; j++) {
                tpi_talk_set(talk, &steps->steps[j], &context, true);
            }
            return TPI_MATCH_YES;
        }
        more = more || result == TPI_MATCH_MORE;
    }
    return more ? TPI_MATCH_MORE : TPI_MATCH_NO;
}

/* A message that refuses the command. */
static tpi_matched match_refusal(tpi_talk *talk, uint8_t *data, size_t length, bool is_whole,
                                 tpi_found *found)
{
    const tpi_robot *robot = talk->wired->robot;
    tpi_value locals[TPI_MOST_LOCALS] = {{0}};
    const tpi_context context = plain_context(talk, locals);
    bool more = false;

    for (unsigned i = 0; i < robot->refusal_count; i++) {
        const tpi_incoming *refusal = &robot->refusals[i];
        const tpi_matched result = tpi_pattern_match(&refusal->steps.steps[0].pattern, data, length,
                                                     is_whole, &context, found);
        if (result == TPI_MATCH_YES) {
            const char *text = locals[0].text != NULL ? locals[0].text : "";
            tpi_talk_fail(talk, TPI_FAULT_REFUSED, "%s%s%.*s", refusal->says,
                          locals[0].length > 0 ? ": " : "", (int)locals[0].length, text);
            return TPI_MATCH_REFUSED;
        }
        more = more || result == TPI_MATCH_MORE;
    }
    return more ? TPI_MATCH_MORE : TPI_MATCH_NO;
}

/* ---- Replies ---- */

static void refuse(tpi_talk *talk, double code)
{
    const tpi_remarks *errors = &talk->wired->robot->errors;

    for (unsigned i = 0; i < errors->count; i++) {
        if (errors->all[i].code == code) {
            tpi_talk_fail(talk, TPI_FAULT_REFUSED, "status %02X: %s", (unsigned)code,
                          errors->all[i].why);
            return;
        }
    }
    tpi_talk_fail(talk, TPI_FAULT_REFUSED, "status %02X", (unsigned)code);
}

/* The reply that is waited for. After YES the command can go on, after REFUSED it has failed. */
static tpi_matched match_reply(tpi_talk *talk, uint8_t *data, size_t length, bool is_whole,
                               tpi_found *found)
{
    if (talk->waiting != TPI_WAIT_REPLY) {
        return TPI_MATCH_NO;
    }
    tpi_frame_call *call = tpi_talk_top(talk);
    const tpi_context context = tpi_talk_context(talk, call);
    const tpi_matched result = tpi_pattern_match(&call->steps->steps[call->at].pattern, data,
                                                 length, is_whole, &context, found);
    if (result == TPI_MATCH_YES) {
        tpi_talk_keep_texts(talk, call);
        call->at++;
        talk->waiting = TPI_WAIT_NOTHING;
    } else if (result == TPI_MATCH_REFUSED) {
        refuse(talk, found->code);
    } else if (result == TPI_MATCH_NO) {
        return match_refusal(talk, data, length, is_whole, found);
    }
    return result;
}

/* Whether the reply begins with something that only a reply has. */
static bool reply_is_marked(tpi_talk *talk)
{
    if (talk->waiting != TPI_WAIT_REPLY) {
        return false;
    }
    const tpi_frame_call *call = tpi_talk_top(talk);
    return call->steps->steps[call->at].pattern.items[0].kind == TPI_ITEM_BYTES;
}

/* What a message is. `progress` is set if the command can go on, or has failed. */
static tpi_matched match(tpi_talk *talk, uint8_t *data, size_t length, bool is_whole,
                         tpi_found *found, bool *progress)
{
    const bool reply_first = reply_is_marked(talk);
    bool more = false;

    for (int turn = 0; turn < 2; turn++) {
        const bool is_reply = reply_first == (turn == 0);
        const tpi_matched result = is_reply ? match_reply(talk, data, length, is_whole, found)
                                            : match_incoming(talk, data, length, is_whole, found);
        if (result == TPI_MATCH_YES || result == TPI_MATCH_REFUSED) {
            *progress = is_reply || talk->waiting == TPI_WAIT_NOTHING;
            return result;
        }
        more = more || result == TPI_MATCH_MORE;
    }
    return more ? TPI_MATCH_MORE : TPI_MATCH_NO;
}

/* ---- The input ---- */

/* Raw: the body of a frame, or all that there is, becomes the result. */
static void take_raw(tpi_talk *talk, const uint8_t *body, size_t length)
{
    tpi_frame_call *call = tpi_talk_top(talk);

    memcpy(talk->texts, body, length);
    call->results[0] = (tpi_value){.text = talk->texts, .length = (uint32_t)length};
    talk->waiting = TPI_WAIT_NOTHING;
}

static bool look_frames(tpi_talk *talk)
{
    const tpi_framing *framing = &talk->wired->robot->framing;
    tpi_found found = {0};
    tpi_frame frame;
    bool progress = false;

    while (!progress && talk->input_length > 0) {
        const tpi_framed framed = tpi_framing_get(framing, talk->input, talk->input_length, &frame);
        if (framed == TPI_FRAME_MORE) {
            return false;
        }
        if (framed == TPI_FRAME_NOISE ||
            (framing->has_sequence && frame.sequence != talk->sequence)) {
            talk->noise += frame.used;
        } else if (talk->waiting == TPI_WAIT_BYTES) {
            take_raw(talk, frame.body, frame.length);
            progress = true;
        } else if (match(talk, frame.body, frame.length, true, &found, &progress) == TPI_MATCH_NO) {
            talk->noise += frame.used;
        }
        consume(talk, frame.used);
    }
    return progress;
}

static bool look_plain(tpi_talk *talk)
{
    const size_t capacity = talk->wired->robot->timing.largest;
    tpi_found found = {0};
    bool progress = false;

    if (talk->waiting == TPI_WAIT_BYTES) {
        return false; /* Raw takes all that comes until it is quiet */
    }
    while (!progress && talk->input_length > 0) {
        const tpi_matched result =
            match(talk, talk->input, talk->input_length, false, &found, &progress);
        if (result == TPI_MATCH_MORE && talk->input_length < capacity) {
            return false;
        }
        if (result == TPI_MATCH_NO || result == TPI_MATCH_MORE) {
            talk->noise++;
            found.used = 1;
        }
        consume(talk, found.used > 0 ? found.used : 1);
    }
    return progress;
}

bool tpi_talk_look(tpi_talk *talk)
{
    return tpi_robot_reads_frames(talk->wired->robot) ? look_frames(talk) : look_plain(talk);
}
