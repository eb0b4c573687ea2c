/*
 * reading.h - readings of properties, for parameter.c and watched.c; see inside.h.
 *
 * A reading lists the properties of some devices and then asks for their values, a few at a time.
 * With a value given, the property is set first: the list says of which type it is. The answer goes
 * out when all have come.
 */
#ifndef TROUPE_FRONTS_WEB_READING_H
#define TROUPE_FRONTS_WEB_READING_H

#include "inside.h"

enum { PARAMETER_NAME = 192 };

/* A device whose properties are listed, or one property. */
struct item {
    tp_devaddr addr;
    bool list;
    uint8_t type, writable;
    bool set;    /* its value is set before it is read */
    char *key;   /* owned; NULL for a list */
    char *about; /* owned: unit and sentence as JSON members, for HTTP */
    char *value; /* owned: JSON of the value to set, NULL to read only; channels: what was read */
};

struct reading {
    struct reading *next;
    struct connection *http; /* borrowed; NULL for a WebSocket, or if it has gone */
    bool is_http, silent;    /* silent: nobody wants the answer */
    web_channels *done;      /* of a reading of channels: gets what has come; NULL for others */
    tpi_buf names;           /* the parameters that are wanted, each ended by a NUL; none: all */
    tpi_buf values;          /* JSON of those to set, in the order of the names */
    tpi_buf id;              /* of the request, with its quotes */
    tpi_buf text;            /* the answer so far */
    unsigned answered;
    struct item *items; /* owned */
    unsigned count, begun, ended;
    tp_status status; /* of the first failure */
    char why[256];
};

/* "/6665/laser/0/name" */
void tpi_web_parameter_name(char out[PARAMETER_NAME], const struct web_device *device,
                            const char *key);

/* A reading of a client; NULL if it has too many. */
struct reading *tpi_web_reading_begin(struct client *client);
void tpi_web_reading_destroy(struct client *client, struct reading *reading);

/* The first failure is told. */
void tpi_web_reading_fail(struct reading *reading, tp_status status, const char *why);

/* The properties of this device belong to it. */
void tpi_web_reading_add(struct reading *reading, const tp_devaddr *addr);

/* Ask for more, or end: the reading may be gone then. */
void tpi_web_reading_go_on(struct client *client, struct reading *reading);

/* ---- watched.c ---- */

/* The client follows no parameter any more. */
void tpi_web_watched_clear(struct client *client);

#endif
