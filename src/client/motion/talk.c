/* talk.c - one connection to a motion server as bytes; see talk.h. */
#include "client/motion/talk.h"

#include <string.h>

enum { ROOM = 16384 };

void tpi_talk_fini(tpi_talk *talk)
{
    tpi_buf_fini(&talk->out);
    tpi_buf_fini(&talk->in);
}

void tpi_talk_clear(tpi_talk *talk)
{
    tpi_buf_clear(&talk->out);
    tpi_buf_clear(&talk->in);
    talk->sent = 0;
    talk->ended = false;
}

/* ---- Out ---- */

static tp_status put_items(tpi_buf *out, const tpi_talk_item *items, size_t count, tp_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const tpi_motion_body *body = tpi_motion_body_of(items[i].code);
        const size_t size = tpi_motion_body_size(body, items[i].value);
        uint8_t *place = (uint8_t *)tpi_buf_reserve(out, TPI_MOTION_RECORD + size);

        if (place == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        const size_t put = tpi_motion_record_put(place, TPI_MOTION_RECORD + size, items[i].code,
                                                 items[i].tag, items[i].value);
        if (put == 0) {
            return tp_fail(err, TP_E_RANGE, "%s: a value is out of range", body->name);
        }
        out->length += put;
    }
    return TP_OK;
}

tp_status tpi_talk_put(tpi_talk *talk, const tpi_motion_header *header, const tpi_talk_item *items,
                       size_t count, tp_error *err)
{
    tpi_buf *out = &talk->out;
    const size_t start = out->length;
    tpi_motion_header full = *header;
    static const uint8_t blank[TPI_MOTION_HEADER];

    if (count > UINT16_MAX) {
        return tp_fail(err, TP_E_LIMIT, "%zu commands are too many for a frame", count);
    }
    tpi_buf_put(out, blank, sizeof blank);
    tp_status status = put_items(out, items, count, err);
    const size_t size = out->length - start - TPI_MOTION_HEADER;
    if (status == TP_OK && size > TPI_MOTION_PAYLOAD) {
        status = tp_fail(err, TP_E_LIMIT, "%zu bytes are too many for a frame", size);
    }
    if (status != TP_OK || out->failed) {
        out->length = start;
        out->failed = false; /* what was put before is still there */
        return status != TP_OK ? status : tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    full.records = (uint16_t)count;
    full.size = (uint32_t)size;
    tpi_motion_header_put((uint8_t *)out->data + start, &full);
    return TP_OK;
}

const uint8_t *tpi_talk_unsent(const tpi_talk *talk, size_t *length)
{
    *length = talk->out.length - talk->sent;
    return (const uint8_t *)talk->out.data + talk->sent;
}

void tpi_talk_gone(tpi_talk *talk, size_t length)
{
    talk->sent += length;
    if (talk->sent == talk->out.length) {
        tpi_buf_clear(&talk->out);
        talk->sent = 0;
    } else if (talk->sent > talk->out.length / 2) {
        talk->out.length -= talk->sent;
        memmove(talk->out.data, talk->out.data + talk->sent, talk->out.length);
        talk->sent = 0;
    }
}

/* ---- In ---- */

uint8_t *tpi_talk_room(tpi_talk *talk, size_t *length)
{
    *length = ROOM;
    return (uint8_t *)tpi_buf_reserve(&talk->in, ROOM);
}

static tp_status handle_package(tpi_talk *talk, const tpi_motion_header *header,
                                const uint8_t *payload, tpi_talk_handle *handle, void *context,
                                tp_error *err)
{
    tpi_motion_record record;
    size_t at = 0;
    tp_status status = tpi_motion_payload_check(header, payload, err);

    if (status == TP_OK && header->kind != TPI_MOTION_REPLY) {
        status = tp_fail(err, TP_E_INVALID, "a package that is no reply");
    }
    while (status == TP_OK && at < header->size && !talk->ended) {
        status = tpi_motion_record_next(&record, payload, header->size, &at, err);
        if (status == TP_OK) {
            handle(context, &record);
        }
    }
    return status;
}

/* A whole package at `at`; how many bytes it takes, 0 if it is not complete. */
static tp_status take_package(tpi_talk *talk, size_t at, size_t *taken, tpi_talk_handle *handle,
                              void *context, tp_error *err)
{
    const uint8_t *bytes = (const uint8_t *)talk->in.data + at;
    const size_t left = talk->in.length - at;
    tpi_motion_header header;
    bool foreign;

    *taken = 0;
    if (left < TPI_MOTION_HEADER) {
        return TP_OK;
    }
    tp_status status = tpi_motion_header_get(&header, bytes, &foreign, err);
    if (status != TP_OK || left < TPI_MOTION_HEADER + (size_t)header.size) {
        return status;
    }
    *taken = TPI_MOTION_HEADER + (size_t)header.size;
    return handle_package(talk, &header, bytes + TPI_MOTION_HEADER, handle, context, err);
}

tp_status tpi_talk_came(tpi_talk *talk, size_t length, tpi_talk_handle *handle, void *context,
                        tp_error *err)
{
    size_t at = 0, taken = 1;
    tp_status status = TP_OK;

    talk->in.length += length;
    while (status == TP_OK && taken > 0 && !talk->ended) {
        status = take_package(talk, at, &taken, handle, context, err);
        at += taken;
    }
    if (status != TP_OK || talk->ended) {
        return status == TP_OK ? TP_OK : tp_wrap(err, status, "this is no motion server");
    }
    talk->in.length -= at;
    memmove(talk->in.data, talk->in.data + at, talk->in.length);
    return TP_OK;
}
