/*
 * deliver.c - everything that goes out, in its order: bytes of the front, frames for many clients,
 * then what the sessions have queued.
 */
#include <assert.h>
#include <string.h>

#include "inside.h"

enum {
    PIECES = 2,
    BATCH = TP_STREAM_PIECES / PIECES,
    MOST_BATCH = 256 << 10,             /* bytes */
    DATA_HEAD = TPI_FRAME_HEAD + 1 + 4, /* frame, opcode, subscription */
    MESSAGE_DATA = 1,
};

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
    const tp_encoding *encoding = tpi_web_encoding(s->form);
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
    tpi_web_flush(c);
    if (c->out.failed) {
        tpi_web_give_up(c);
    }
    return done + 1;
}

static void write_batch(struct connection *c, const struct batch *batch, tp_session *session)
{
    const size_t taken = tpi_web_put(c, batch->pieces, batch->count * PIECES, batch->length);
    const unsigned done = finish_frame(c, batch, taken);

    tp_session_sent(session, done);
    c->typical = batch->length / batch->count;
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

static bool has_long(const struct connection *c)
{
    return c->behind.count > 0 || tpi_web_waiting(c) > MOST_OUT;
}

/* What is long goes out as far as the client has work left, and a part of it at a time. */
static bool may_write(struct connection *c, size_t written)
{
    if (c->ending || !has_long(c)) {
        return true;
    }
    if (written >= MOST_WRITTEN) {
        tpi_web_flush_later(c);
        return false;
    }
    return tp_session_has_turn(c->door->sessions[FORM_JSON]);
}

/* What goes to a guest goes out a part at a time. */
static bool lets_others_go_on(struct connection *c)
{
    const bool lets = !c->ending && tp_session_comes_last(c->door->sessions[FORM_JSON]);

    if (lets) {
        tpi_web_flush_later(c);
    }
    return lets;
}

void tpi_web_write(struct connection *c)
{
    bool more = true;
    size_t written = 0; /* of what the front itself sends */

    assert(front_is_current(c->front));
    if (c->tls != NULL && !c->blocked) {
        c->blocked = !tpi_web_tls_flush(c);
    }
    while (!c->blocked && more && may_write(c, written)) {
        if (c->behind.sent > 0) {
            written += tpi_web_write_note(c); /* the frame has begun */
        } else if (tpi_web_waiting(c) > 0) {
            written += tpi_web_write_out(c);
        } else if (c->behind.count > 0) {
            written += tpi_web_write_note(c);
        } else {
            more = write_session(c, FORM_JSON);
            for (enum form form = FORM_CDR; form < FORMS; form++) {
                if (!c->blocked && tpi_web_waiting(c) == 0 && c->door->sessions[form] != NULL) {
                    more = write_session(c, form) || more;
                }
            }
            more = more || tpi_web_waiting(c) > 0;
            if (more && lets_others_go_on(c)) {
                break;
            }
        }
        more = more && !(c->ending && !c->dismissed);
    }
    if (!c->blocked) {
        c->behind_ns = 0;
    } else if (c->behind_ns == 0) {
        c->behind_ns = front_now(c->front);
    }
}
