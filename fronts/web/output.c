/*
 * output.c - what goes out.
 *
 * First the bytes of the front itself: answers, text frames. Then frames that are the same for many
 * clients. Then what the sessions have queued: data goes out from the bytes that all clients share,
 * with the number of the client's subscription before them. When the stream takes no more, the data
 * stays in the sessions, which keep the newest.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum {
    FEW = 4, /* messages that may always wait */
    MESSAGE_DATA = 1,
    KEPT_OUT = 4 << 10,          /* room for the next answer */
    MOST_BEHIND_BYTES = 4 << 20, /* that wait for a client that is behind */
};

static const int64_t FRESH_NS = 250 * TP_NS_PER_MS;
static const int64_t READ_NS = 2 * TP_NS_PER_S; /* so soon clients read what is sent to all */

static size_t waiting_in_out(const struct connection *c)
{
    return c->out.length - c->sent;
}

size_t tpi_web_waiting(const struct connection *c)
{
    return waiting_in_out(c) + c->file.length;
}

/* Its part of the frames for many clients that are kept for those that do not read. Clients that
 * may write are not made to wait for what they have not asked for. */
static size_t part_of_old_notes(const struct connection *c)
{
    const int64_t old_ns = front_now(c->front) - READ_NS;
    size_t bytes = 0;

    if (c->behind.count == 0 || !only_reads(c->door)) {
        return 0;
    }
    for (unsigned i = 0; i < c->behind.count; i++) {
        const struct note *note = c->behind.notes[i].note;

        bytes += note->old_ns < old_ns ? note->frame.length / note->references : 0;
    }
    return bytes;
}

/* A long answer stays whole until its end has gone out. What is left of a file takes no room of the
 * client's own. */
void tpi_web_count_waiting(struct connection *c)
{
    assert(front_is_current(c->front));
    tp_session_owes(c->door->sessions[FORM_JSON],
                    (c->out.capacity > MOST_OUT ? c->out.capacity : waiting_in_out(c)) +
                        part_of_old_notes(c));
}

bool tpi_web_has_written(const struct connection *c)
{
    return tpi_web_waiting(c) == 0 && tpi_web_tls_waiting(c) == 0 && tp_stream_has_sent(c->stream);
}

/* ---- Notes ----------------------------------------------------------------------------------- */

struct note *tpi_web_note_create(void)
{
    struct note *note = calloc(1, sizeof *note);

    if (note != NULL) {
        note->references = 1;
        note->old_ns = TP_NEVER;
    }
    return note;
}

struct note *tpi_web_note_adopt(tpi_buf *text)
{
    struct note *note = text->failed ? NULL : tpi_web_note_create();
    uint8_t head[TPI_FRAME_HEAD];

    if (note != NULL) {
        const size_t length = tpi_frame_begin(head, TPI_FRAME_TEXT, text->length - TPI_FRAME_HEAD);

        note->begin = TPI_FRAME_HEAD - length;
        memcpy(text->data + note->begin, head, length);
        note->frame = *text;
    } else {
        tpi_buf_fini(text);
    }
    *text = (tpi_buf){0};
    return note;
}

void tpi_web_note_unref(struct note *note)
{
    if (note != NULL && --note->references == 0) {
        if (note->alive != NULL) {
            (*note->alive)--;
        }
        tpi_buf_fini(&note->frame);
        free(note);
    }
}

void tpi_web_note_drop(struct web_front *front, struct note *note)
{
    assert(front_is_current(front));
    if (note != NULL) {
        note->old_ns = front_now(front);
        tpi_web_note_unref(note);
    }
}

static void queue(struct connection *c, struct queued_note queued)
{
    if (queued.note == NULL || c->behind.count == MOST_NOTES) {
        tpi_web_give_up(c);
        return;
    }
    queued.note->references++;
    c->behind.notes[c->behind.count++] = queued;
    tpi_web_flush_later(c); /* many clients get it: some of them in a turn */
}

void tpi_web_send_note(struct connection *c, struct note *note)
{
    assert(front_is_current(c->front));
    queue(c, (struct queued_note){.note = note});
}

void tpi_web_send_data(struct connection *c, uint32_t subscription, struct note *note)
{
    struct queued_note queued = {.note = note};
    size_t used = tpi_frame_begin(queued.head, TPI_FRAME_BINARY, 1 + 4 + note->frame.length);

    assert(front_is_current(c->front));
    queued.head[used] = MESSAGE_DATA;
    tpi_web_put_u32(queued.head + used + 1, subscription);
    queued.head_length = (unsigned)used + 1 + 4;
    queue(c, queued);
}

/* ---- Bytes of the front ---------------------------------------------------------------------- */

static void check_out(struct connection *c)
{
    if (c->out.failed) {
        tpi_web_give_up(c);
    }
    tpi_web_flush(c);
}

void tpi_web_text(struct connection *c, const char *text, size_t length)
{
    uint8_t head[TPI_FRAME_HEAD];

    assert(front_is_current(c->front));
    tpi_buf_put(&c->out, head, tpi_frame_begin(head, TPI_FRAME_TEXT, length));
    tpi_buf_put(&c->out, text, length);
    check_out(c);
}

tpi_buf *tpi_web_binary(struct connection *c, size_t length)
{
    uint8_t head[TPI_FRAME_HEAD];

    assert(front_is_current(c->front));
    tpi_buf_put(&c->out, head, tpi_frame_begin(head, TPI_FRAME_BINARY, length));
    check_out(c);
    return &c->out;
}

/* ---- Status --------------------------------------------------------------------------------- */

void tpi_web_status(struct connection *c, int level, const char *format, ...)
{
    char message[512];
    tpi_buf text = {0};
    va_list args;

    assert(front_is_current(c->front));
    if (c->phase != PHASE_SOCKET) {
        return;
    }
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    tpi_buf_printf(&text, "{\"op\":\"status\",\"level\":%d,\"message\":", level);
    tpi_json_put_string(&text, message, strlen(message));
    tpi_buf_putc(&text, '}');
    tpi_web_text(c, tpi_buf_text(&text), text.length);
    tpi_buf_fini(&text);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Write some bytes; how many were taken. The connection is blocked if not all were. */
size_t tpi_web_put(struct connection *c, const tp_piece *pieces, unsigned count, size_t length)
{
    assert(front_is_current(c->front));
    if (c->tls != NULL) {
        const size_t encrypted = tpi_web_tls_write(c, pieces, count);

        c->blocked = encrypted < length || tpi_web_tls_waiting(c) > 0;
        return encrypted;
    }
    const long taken = length == 0 ? 0 : tp_stream_try_write(c->stream, pieces, count);

    if (taken < 0) {
        tpi_web_give_up(c);
        c->blocked = true;
        return 0;
    }
    c->blocked = (size_t)taken < length;
    return (size_t)taken;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void take_from_out(struct connection *c, size_t taken)
{
    c->sent += taken;
    if (c->sent == c->out.length) {
        c->sent = 0;
        if (c->out.capacity > KEPT_OUT) {
            tpi_buf_fini(&c->out); /* thousands may stay connected */
        } else {
            tpi_buf_clear(&c->out);
        }
    }
}

static void take_from_file(struct connection *c, size_t taken)
{
    c->file.bytes = (const char *)c->file.bytes + taken;
    c->file.length -= taken;
    if (c->file.length == 0) {
        c->http.waiting = WAITS_NOT;
        tpi_web_flush(c); /* the next request */
    }
}

size_t tpi_web_write_out(struct connection *c)
{
    const bool is_long = tpi_web_waiting(c) > MOST_OUT;
    const size_t of_out = smaller(waiting_in_out(c), MOST_WRITTEN);
    const size_t of_file = smaller(c->file.length, MOST_WRITTEN - of_out);
    tp_piece pieces[2];
    unsigned count = 0;

    assert(front_is_current(c->front));
    if (of_out > 0) {
        pieces[count++] = (tp_piece){c->out.data + c->sent, of_out};
    }
    if (of_file > 0) {
        pieces[count++] = (tp_piece){c->file.bytes, of_file};
    }
    if (count == 0) {
        return 0;
    }
    const size_t taken = tpi_web_put(c, pieces, count, of_out + of_file);
    if (taken > 0) {
        tp_session_goes_on(c->door->sessions[FORM_JSON]);
    }
    if (is_long) {
        tp_session_answered(c->door->sessions[FORM_JSON], taken);
    }
    const size_t taken_of_out = smaller(taken, of_out);
    if (taken_of_out > 0) {
        take_from_out(c, taken_of_out);
    }
    if (taken > taken_of_out) {
        take_from_file(c, taken - taken_of_out);
    }
    tpi_web_count_waiting(c);
    return taken;
}

size_t tpi_web_write_note(struct connection *c)
{
    const struct queued_note *first = &c->behind.notes[0];
    const tpi_buf *frame = &first->note->frame;
    const size_t whole = frame->length - first->note->begin;
    const size_t length = first->head_length + whole, sent = c->behind.sent;
    const size_t of_head = sent < first->head_length ? first->head_length - sent : 0;
    const size_t of_frame = of_head > 0 ? whole : length - sent;
    const size_t now = smaller(of_frame, MOST_WRITTEN);
    const tp_piece pieces[] = {{first->head + first->head_length - of_head, of_head},
                               {frame->data + frame->length - of_frame, now}};
    const unsigned skip = of_head == 0 ? 1 : 0;

    assert(front_is_current(c->front));
    const size_t taken = tpi_web_put(c, pieces + skip, 2 - skip, of_head + now);
    tp_session_answered(c->door->sessions[FORM_JSON], taken);
    c->behind.sent += taken;
    if (c->behind.sent == length) {
        tpi_web_note_unref(first->note);
        c->behind.count--;
        memmove((void *)c->behind.notes, (void *)(c->behind.notes + 1),
                c->behind.count * sizeof c->behind.notes[0]);
        c->behind.sent = 0;
        tpi_web_count_waiting(c);
    }
    return taken;
}

/* ---- Clients that are behind ------------------------------------------------------------------
 */

static void keep_newest(struct connection *c)
{
    for (int form = 0; form < FORMS; form++) {
        tp_session *session = c->door->sessions[form];

        if (session != NULL && tp_session_waiting(session) > FEW) {
            tp_session_keep_newest(session, true);
            tp_session_keep_newest(session, false);
        }
    }
}

/* What has waited for a short time goes out whole: to write many messages together costs little,
 * and a client whose queue is full is not sent more, so that nothing is made for it. What is older,
 * or long, makes place for the newest. */
void tpi_web_behind(struct connection *c)
{
    const int64_t now_ns = front_now(c->front);
    size_t waiting = 0;

    assert(front_is_current(c->front));
    for (int form = 0; form < FORMS; form++) {
        waiting +=
            c->door->sessions[form] != NULL ? tp_session_waiting(c->door->sessions[form]) : 0;
    }
    if (waiting > FEW &&
        (now_ns - c->behind_ns > FRESH_NS || waiting * c->typical > MOST_BEHIND_BYTES)) {
        keep_newest(c);
        c->behind_ns = now_ns;
    }
}
