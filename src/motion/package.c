/*
 * package.c - headers of packages, and payloads as rows of records.
 */
#include "motion/package.h"

#include <stdio.h>
#include <string.h>

#include "base/endian.h"
#include "motion/body.h"

/* ---- Headers ---- */

void tpi_motion_header_put(uint8_t out[TPI_MOTION_HEADER], const tpi_motion_header *header)
{
    memset(out, 0, TPI_MOTION_HEADER);
    memcpy(out, "RT", 2);
    out[2] = TPI_MOTION_VERSION;
    out[3] = header->flags;
    out[4] = header->kind;
    out[5] = header->mode;
    tpi_motion_store16(out + 6, header->records);
    tpi_store_be32(out + 8, header->id);
    tpi_store_be32(out + 12, header->size);
    tpi_store_be64(out + 16, header->time_us);
    tpi_store_be32(out + 24, header->sequence);
}

bool tpi_motion_is_panic(const uint8_t bytes[TPI_MOTION_HEADER])
{
    return bytes[0] == 'R' && bytes[1] == 'T' && (bytes[3] & TPI_MOTION_PANIC) != 0;
}

static bool is_mode(const tpi_motion_header *header)
{
    switch (header->mode) {
    case TPI_MOTION_DIRECT:
    case TPI_MOTION_SESSIONS_OWN:
        return true;
    case TPI_MOTION_DELAY:
    case TPI_MOTION_PLAYBACK:
    case TPI_MOTION_ADAPTIVE:
        return header->kind == TPI_MOTION_COMMAND || header->kind == TPI_MOTION_REPLY;
    case TPI_MOTION_BROADCAST:
        return header->kind == TPI_MOTION_QUERY || header->kind == TPI_MOTION_REPLY;
    default:
        return false;
    }
}

static tp_status check_header(const tpi_motion_header *header, const uint8_t *bytes, tp_error *err)
{
    if (bytes[2] != TPI_MOTION_VERSION) {
        return tp_fail(err, TP_E_INVALID, "version %u is not %u", bytes[2], TPI_MOTION_VERSION);
    }
    if ((header->flags & ~TPI_MOTION_FLAGS) != 0) {
        return tp_fail(err, TP_E_INVALID, "unknown flags 0x%02x", header->flags);
    }
    if (header->kind < TPI_MOTION_QUERY || header->kind > TPI_MOTION_REPLY) {
        return tp_fail(err, TP_E_INVALID, "unknown kind %u", header->kind);
    }
    if (!is_mode(header)) {
        return tp_fail(err, TP_E_INVALID, "mode %u does not fit kind %u", header->mode,
                       header->kind);
    }
    if (tpi_load_be32(bytes + 28) != 0) {
        return tp_fail(err, TP_E_INVALID, "bytes 28 to 31 of the header are not zero");
    }
    if (header->size > TPI_MOTION_PAYLOAD) {
        return tp_fail(err, TP_E_LIMIT, "a payload of %u bytes is over %u", header->size,
                       TPI_MOTION_PAYLOAD);
    }
    return TP_OK;
}

tp_status tpi_motion_header_get(tpi_motion_header *out, const uint8_t bytes[TPI_MOTION_HEADER],
                                bool *foreign, tp_error *err)
{
    *foreign = bytes[0] != 'R' || bytes[1] != 'T';
    if (*foreign) {
        return tp_fail(err, TP_E_INVALID, "a package begins with RT");
    }
    *out = (tpi_motion_header){
        .flags = bytes[3],
        .kind = bytes[4],
        .mode = bytes[5],
        .records = tpi_motion_load16(bytes + 6),
        .id = tpi_load_be32(bytes + 8),
        .size = tpi_load_be32(bytes + 12),
        .time_us = tpi_load_be64(bytes + 16),
        .sequence = tpi_load_be32(bytes + 24),
    };
    return check_header(out, bytes, err);
}

/* ---- Payloads ---- */

tp_status tpi_motion_record_next(tpi_motion_record *out, const uint8_t *payload, size_t size,
                                 size_t *at, tp_error *err)
{
    const uint8_t *from = payload + *at;
    const size_t left = size - *at;

    if (left < TPI_MOTION_RECORD) {
        return tp_fail(err, TP_E_INVALID, "the payload ends inside of a record");
    }
    *out = (tpi_motion_record){
        .code = tpi_motion_load16(from),
        .length = tpi_motion_load16(from + 2),
        .tag = tpi_load_be32(from + 4),
        .body = from + TPI_MOTION_RECORD,
    };
    if (left - TPI_MOTION_RECORD < out->length) {
        return tp_fail(err, TP_E_INVALID, "the payload ends inside of a record");
    }
    *at += TPI_MOTION_RECORD + out->length;
    return TP_OK;
}

/* Whether a record has the body that its code asks for. */
static tp_status check_record(const tpi_motion_header *header, const tpi_motion_record *record,
                              tp_error *err)
{
    const tpi_motion_body *body = tpi_motion_body_of(record->code);
    const tpi_motion_field *count = NULL;
    size_t size;

    if (body == NULL) {
        return tp_fail(err, TP_E_INVALID, "unknown code 0x%04x", record->code);
    }
    if (tpi_motion_kind_of(record->code) != header->kind) {
        return tp_fail(err, TP_E_INVALID, "%s does not fit kind %u", body->name, header->kind);
    }
    size = tpi_motion_fixed_size(body);
    if (tpi_motion_list_of(body, &count) == NULL ? record->length != size : record->length < size) {
        return tp_fail(err, TP_E_INVALID, "%s has %u bytes instead of %zu", body->name,
                       record->length, size);
    }
    return tpi_motion_body_check(body, record->body, record->length, err);
}

tp_status tpi_motion_payload_check(const tpi_motion_header *header, const uint8_t *payload,
                                   tp_error *err)
{
    size_t at = 0;

    for (unsigned i = 0; i < header->records; i++) {
        tpi_motion_record record;
        tp_status status = tpi_motion_record_next(&record, payload, header->size, &at, err);

        if (status == TP_OK) {
            status = check_record(header, &record, err);
        }
        if (status != TP_OK) {
            char where[32];

            snprintf(where, sizeof where, "record %u", i);
            return tp_wrap(err, status, where);
        }
    }
    if (at != header->size) {
        return tp_fail(err, TP_E_INVALID, "%zu bytes follow the last record",
                       (size_t)header->size - at);
    }
    return TP_OK;
}
