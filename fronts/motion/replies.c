/* replies.c - what goes out on a connection: packages of kind reply. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { LONGEST_OWN = 1024 }; /* bytes of a record of the front itself */

/* The header of `size` bytes of records, which are at `at` + TPI_MOTION_HEADER already. */
static void add_package(struct connection *c, unsigned char *at, uint32_t package, uint16_t records,
                        uint32_t size)
{
    const tpi_motion_header header = {
        .kind = TPI_MOTION_REPLY,
        .records = records,
        .id = package,
        .size = size,
        .time_us = (uint64_t)front_now(c->front) / 1000,
    };

    tpi_motion_header_put(at, &header);
    tp_connection_commit(c->base, TPI_MOTION_HEADER + (size_t)size);
    tp_session_count_sent(c->session, 1);
}

void tpi_motionf_reply(struct connection *c, uint32_t package, uint16_t code, uint32_t tag,
                       const void *value)
{
    unsigned char *at = tp_connection_reserve(c->base, TPI_MOTION_HEADER + LONGEST_OWN);

    if (at == NULL) {
        return;
    }
    const size_t size =
        tpi_motion_record_put(at + TPI_MOTION_HEADER, LONGEST_OWN, code, tag, value);
    add_package(c, at, package, 1, (uint32_t)size);
}

void tpi_motionf_reply_signal(struct connection *c, uint32_t package, uint32_t tag,
                              tpi_motion_signal signal, const char *text)
{
    char words[TPI_MOTION_TEXT];
    const size_t length = strlen(text) < sizeof words ? strlen(text) : sizeof words;
    uint32_t epoch = 0;
    bool on;

    if (signal == TPI_MOTION_PANICKED) {
        tpi_motionf_panic_state(c->front, &epoch, &on);
    }
    memcpy(words, text, length);
    const tpi_motion_signalled body = {.signal = (uint8_t)signal,
                                       .final = 1,
                                       .package = package,
                                       .epoch = epoch,
                                       .length = (uint16_t)length,
                                       .text = words};
    tpi_motionf_reply(c, package, TPI_MOTION_SIGNAL, tag, &body);
}

void tpi_motionf_reply_records(struct connection *c, const tp_mechanism_records *records)
{
    unsigned char *at =
        tp_connection_reserve(c->base, TPI_MOTION_HEADER + (size_t)records->bytes_count);

    if (at == NULL || records->records == 0) {
        return;
    }
    memcpy(at + TPI_MOTION_HEADER, records->bytes, records->bytes_count);
    add_package(c, at, 0, (uint16_t)records->records, records->bytes_count);
}

void tpi_motionf_panic_state(const struct motion_front *front, uint32_t *epoch, bool *on)
{
    tp_panic_state *state = NULL;

    *epoch = 0;
    *on = false;
    if (tp_hub_panic(tp_front_hub(front->instance), &state) == TP_OK) {
        *on = state->active != 0;
        *epoch = state->active != 0 || state->epoch == 0 ? state->epoch : state->epoch - 1;
    }
    free(state);
}
