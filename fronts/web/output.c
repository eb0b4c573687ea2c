/*
 * output.c - what goes out.
 *
 * First the bytes of the front itself: answers, text frames. Then frames that are the same for many
 * clients. Then what the sessions have queued: data goes out from the bytes that all clients share,
 * with the number of the client's subscription before them. When the stream takes no more, the data
 * stays in the sessions, which keep the newest.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum {
    PIECES = 2,
    BATCH = TP_STREAM_PIECES / PIECES,
    MOST_BATCH = 256 << 10, /* bytes */
    MOST_BEHIND = 64,       /* messages that wait for a client that is behind */
    MOST_BEHIND_BYTES = 512 << 10,
    DATA_HEAD = TPI_FRAME_HEAD + 1 + 4, /* frame, opcode, subscription */
    MESSAGE_DATA = 1,
};

size_t tpi_web_waiting(const struct connection *c)
{
    return c->out.length - c->sent;
}

bool tpi_web_has_written(const struct connection *c)
{
    return tpi_web_waiting(c) == 0 && tpi_web_tls_waiting(c) == 0;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

struct note *tpi_web_note_create(const tpi_buf *text)
{
    struct note *note = calloc(1, sizeof *note);
    uint8_t head[TPI_FRAME_HEAD];

    if (note == NULL) {
        return NULL;
    }
    note->references = 1;
    tpi_buf_put(&note->frame, head, tpi_frame_begin(head, TPI_FRAME_TEXT, text->length));
    tpi_buf_put(&note->frame, tpi_buf_text(text), text->length);
    if (note->frame.failed || text->failed) {
        tpi_web_note_unref(note);
        return NULL;
    }
    return note;
}

void tpi_web_note_unref(struct note *note)
{
    if (note != NULL && --note->references == 0) {
        tpi_buf_fini(&note->frame);
        free(note);
    }
}

void tpi_web_send_note(struct connection *c, struct note *note)
{
    if (note == NULL || c->behind.count == MOST_NOTES) {
        tpi_web_give_up(c);
        return;
    }
    note->references++;
    c->behind.notes[c->behind.count++] = note;
    tpi_web_flush(c);
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

    tpi_buf_put(&c->out, head, tpi_frame_begin(head, TPI_FRAME_TEXT, length));
    tpi_buf_put(&c->out, text, length);
    check_out(c);
}

tpi_buf *tpi_web_binary(struct connection *c, size_t length)
{
    uint8_t head[TPI_FRAME_HEAD];

    tpi_buf_put(&c->out, head, tpi_frame_begin(head, TPI_FRAME_BINARY, length));
    check_out(c);
    return &c->out;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Write some bytes; how many were taken. The connection is blocked if not all were. */
static size_t put(struct connection *c, const tp_piece *pieces, unsigned count, size_t length)
{
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

static void write_out(struct connection *c)
{
    const size_t left = tpi_web_waiting(c);
    const tp_piece piece = {c->out.data + c->sent, left};

    if (left == 0) {
        return;
    }
    const size_t taken = put(c, &piece, 1, left);
    if (taken > 0) {
        tp_session_goes_on(c->door->sessions[FORM_JSON]);
    }
    c->sent += taken;
    if (c->sent < c->out.length) {
        return;
    }
    c->sent = 0;
    if (c->out.capacity > MOST_OUT) {
        tpi_buf_fini(&c->out); /* an answer that was long */
    } else {
        tpi_buf_clear(&c->out);
    }
}

static void write_note(struct connection *c)
{
    const tpi_buf *frame = &c->behind.notes[0]->frame;
    const tp_piece piece = {frame->data + c->behind.sent, frame->length - c->behind.sent};

    c->behind.sent += put(c, &piece, 1, piece.length);
    if (c->behind.sent == frame->length) {
        tpi_web_note_unref(c->behind.notes[0]);
        c->behind.count--;
        memmove((void *)c->behind.notes, (void *)(c->behind.notes + 1),
                c->behind.count * sizeof c->behind.notes[0]);
        c->behind.sent = 0;
    }
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* Messages that go out together. */
struct batch {
    uint8_t heads[BATCH][DATA_HEAD];
    tp_piece pieces[BATCH * PIECES];
    unsigned count;
    size_t length;
};

/* A message of data as two pieces; false if it cannot be encoded, or has no form of this kind. */
static bool add_data(struct batch *batch, tp_msg *msg, const struct subscription *s)
{
    const tp_encoding *encoding = s->form == FORM_JSON ? &tpi_web_json : &tpi_web_cdr;
    uint8_t *head = batch->heads[batch->count];
    const void *bytes;
    size_t length;

    if (tp_msg_encode(msg, encoding, &bytes, &length) != TP_OK || length <= TPI_WEB_STAMP) {
        return false;
    }
    size_t used = tpi_frame_begin(head, TPI_FRAME_BINARY, 1 + 4 + length);
    head[used++] = MESSAGE_DATA;
    tpi_web_put_u32(head + used, s->id);
    used += 4;
    batch->pieces[batch->count * PIECES] = (tp_piece){head, used};
    batch->pieces[batch->count * PIECES + 1] = (tp_piece){bytes, length};
    batch->count++;
    batch->length += used + length;
    return true;
}

/* The rest of the frame that has begun is copied; what has not begun stays in the session. How many
 * messages are done with. */
static unsigned finish_frame(struct connection *c, const struct batch *batch, size_t taken)
{
    unsigned done = 0;

    while (done < batch->count) {
        const tp_piece *pieces = &batch->pieces[done * PIECES];
        const size_t length = pieces[0].length + pieces[1].length;

        if (taken < length) {
            break;
        }
        taken -= length;
        done++;
    }
    if (taken == 0) {
        return done;
    }
    for (unsigned i = done * PIECES; i < (done + 1) * PIECES; i++) {
        const size_t gone = taken < batch->pieces[i].length ? taken : batch->pieces[i].length;

        tpi_buf_put(&c->out, (const char *)batch->pieces[i].bytes + gone,
                    batch->pieces[i].length - gone);
        taken -= gone;
    }
    check_out(c);
    return done + 1;
}

static void write_batch(struct connection *c, const struct batch *batch, tp_session *session)
{
    const size_t taken = put(c, batch->pieces, batch->count * PIECES, batch->length);
    const unsigned done = finish_frame(c, batch, taken);

    for (unsigned i = 0; i < done; i++) {
        tp_msg_unref(tp_session_take(session));
    }
    c->typical = batch->length / batch->count;
    tp_session_count_sent(session, done);
}

/* A message that is no data for a subscription. */
static void handle_other(struct connection *c, enum form form)
{
    struct client *client = c->door;
    tp_msg *msg = tp_session_take(client->sessions[form]);

    if (form == FORM_JSON && c->phase != PHASE_HTTP) {
        tp_msg_header(msg)->type == TP_MSGTYPE_DATA ? tpi_web_note_data(client, msg)
                                                    : tpi_web_answered(client, msg);
    }
    tp_msg_unref(msg);
}

/* Data at the head of a session's queue, as much as fits into one batch. */
static void gather(const struct connection *c, enum form form, struct batch *batch)
{
    const tp_session *session = c->door->sessions[form];
    tp_msg *msg;

    while (batch->count < BATCH && batch->length < MOST_BATCH &&
           (msg = tp_session_peek(session, batch->count)) != NULL) {
        const tp_msghdr *header = tp_msg_header(msg);
        const struct subscription *s =
            header->type == TP_MSGTYPE_DATA ? tpi_web_subscription(c->door, form, header) : NULL;

        if (s == NULL || !add_data(batch, msg, s)) {
            return;
        }
    }
}

/* False if nothing is left. */
static bool write_session(struct connection *c, enum form form)
{
    tp_session *session = c->door->sessions[form];
    struct batch batch; /* not cleared: that would cost more than to send one message */

    if (tp_session_waiting(session) == 0) {
        return false;
    }
    batch.count = 0;
    batch.length = 0;
    gather(c, form, &batch);
    if (batch.count > 0) {
        write_batch(c, &batch, session);
    } else {
        handle_other(c, form);
    }
    return true;
}

/* A client that is behind gets the newest data. A few messages more than one of each kind may wait:
 * to write them together costs less, and they are new, too. */
void tpi_web_behind(struct connection *c)
{
    const size_t most = c->typical > 0 ? MOST_BEHIND_BYTES / c->typical : MOST_BEHIND;

    for (int form = 0; form < FORMS; form++) {
        tp_session *session = c->door->sessions[form];

        if (session != NULL && tp_session_waiting(session) > MOST_BEHIND / 16 &&
            (tp_session_waiting(session) >= MOST_BEHIND || tp_session_waiting(session) >= most)) {
            tp_session_keep_newest(session, true);
            tp_session_keep_newest(session, false);
        }
    }
}

void tpi_web_write(struct connection *c)
{
    bool more = true;

    assert(front_is_current(c->front));
    if (c->tls != NULL && !c->blocked) {
        c->blocked = !tpi_web_tls_flush(c);
    }
    while (!c->blocked && more) {
        if (c->behind.sent > 0) {
            write_note(c); /* the frame has begun */
        } else if (tpi_web_waiting(c) > 0) {
            write_out(c);
        } else if (c->behind.count > 0) {
            write_note(c);
        } else {
            more = write_session(c, FORM_JSON);
            if (!c->blocked && tpi_web_waiting(c) == 0 && c->door->sessions[FORM_CDR] != NULL) {
                more = write_session(c, FORM_CDR) || more;
            }
            more = more || tpi_web_waiting(c) > 0;
        }
        more = more && !(c->ending && !c->dismissed);
    }
}
