/* front.h - instances of fronts: opened by a server, or by a test without one. */
#ifndef TROUPE_SESSION_FRONT_H
#define TROUPE_SESSION_FRONT_H

#include "device/hub.h"
#include "troupe/front.h"

/* What an instance is made of. Everything but the front, hub and loop is copied. */
typedef struct tpi_front_opening {
    const tp_front *front; /* borrowed, as the two below */
    tpi_hub *hub;
    tp_loop *loop;
    tp_front_place place;
    const tpi_setting *settings;
    uint32_t setting_count;
    void (*note)(void *context, const char *text); /* may be NULL; borrowed with its context */
    void *note_context;
} tpi_front_opening;

/* Let a front check its parameters, without opening it. Fails as tpi_front_open(). */
tp_status tpi_front_check(const tpi_front_opening *opening, const char **blamed, tp_error *err);

/* Check and open a front. If it fails, `blamed` (may be NULL) is the parameter that the error is
 * about: a name of the front's table, or NULL. Fails with the front's own sentence. */
tp_status tpi_front_open(tp_front_instance **out, const tpi_front_opening *opening,
                         const char **blamed, tp_error *err);

/* Closes all its clients. NULL is accepted. */
void tpi_front_close(tp_front_instance *self);

unsigned tpi_front_port(const tp_front_instance *self);

/* Whether the front has an address of this scheme. */
bool tpi_front_speaks(const tp_front *front, const char *scheme);

#endif
