/*
 * talk.h - one connection to a motion server as bytes: packages that go out, records that come in.
 *
 * It knows no sockets: the owner reads into tpi_talk_room() and sends what tpi_talk_unsent() gives.
 */
#ifndef TROUPE_CLIENT_MOTION_TALK_H
#define TROUPE_CLIENT_MOTION_TALK_H

#include "base/buf.h"
#include "motion/package.h"

/* All zero: nothing was said. */
typedef struct tpi_talk {
    tpi_buf out;
    size_t sent; /* bytes of `out` that are gone */
    tpi_buf in;
    bool ended; /* the connection is over: the rest of what came is not looked at */
} tpi_talk;

/* A record that is to be sent. */
typedef struct tpi_talk_item {
    uint16_t code;
    uint32_t tag;
    const void *value; /* of the body's type */
} tpi_talk_item;

void tpi_talk_fini(tpi_talk *talk);

/* Forget everything: for the next connection. */
void tpi_talk_clear(tpi_talk *talk);

/* ---- Out ---- */

/* Append a package; its number of records and its size are filled in. TP_E_RANGE if a value has no
 * bytes, TP_E_LIMIT if it has too many; nothing is appended then. */
tp_status tpi_talk_put(tpi_talk *talk, const tpi_motion_header *header, const tpi_talk_item *items,
                       size_t count, tp_error *err);

/* What is to be sent. */
const uint8_t *tpi_talk_unsent(const tpi_talk *talk, size_t *length);

/* So many bytes of it are gone. */
void tpi_talk_gone(tpi_talk *talk, size_t length);

/* ---- In ---- */

/* Room for bytes that come: at least one, `*length` bytes; NULL without memory. */
uint8_t *tpi_talk_room(tpi_talk *talk, size_t *length);

/* So many bytes came into the room. Calls `handle` for each record of whole packages, unless one of
 * the calls sets `ended`. TP_E_INVALID if the other side is no motion server. */
typedef void tpi_talk_handle(void *context, const tpi_motion_record *record);
tp_status tpi_talk_came(tpi_talk *talk, size_t length, tpi_talk_handle *handle, void *context,
                        tp_error *err);

#endif
