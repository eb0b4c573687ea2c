/*
 * advertise.h - texts about what devices have, for advertise.c and tell.c; see inside.h.
 */
#ifndef TROUPE_FRONTS_WEB_ADVERTISE_H
#define TROUPE_FRONTS_WEB_ADVERTISE_H

#include "inside.h"

/* What a text is made of. */
struct writer {
    struct web_front *front; /* borrowed; NULL if no schemas are written */
    tpi_buf text;
    bool brief;
    unsigned count; /* of channels or services so far */
};

typedef void put_message(struct writer *w, const struct web_device *device, uint32_t number,
                         const tp_message *what);

/* All messages of a kind: the interface's own, and the common ones that it does not replace. */
void tpi_web_for_messages(struct writer *w, const struct web_device *device, uint32_t number,
                          tp_kind kind, put_message *put);

/* Go on with the text of web_front.making; whether it is whole. */
bool tpi_web_advertise_some(struct web_front *front);

#endif
