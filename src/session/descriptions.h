/*
 * descriptions.h - the interfaces that a server has loaded, as texts that clients can read.
 *
 * A text is written when a client first asks for it, and kept: clients read it page by page.
 * Interfaces stay until the server ends, and so do the texts. The loop's.
 */
#ifndef TROUPE_SESSION_DESCRIPTIONS_H
#define TROUPE_SESSION_DESCRIPTIONS_H

#include "troupe/padi.h"

/* Clients refuse a longer description, and it is not kept. */
enum { TPI_DESCRIPTION_LONGEST = 256 << 10 };

typedef struct tpi_description {
    const tp_interface *interface; /* borrowed */
    char *text;                    /* owned; NULL if it is too long */
    uint32_t length;
    struct tpi_description *next;
} tpi_description;

/* An all-zero struct is ready. */
typedef struct tpi_descriptions {
    tpi_description *first; /* owned list, the newest first */
} tpi_descriptions;

void tpi_descriptions_fini(tpi_descriptions *descriptions);

/* The description at a place of the list of interfaces that are not built in. `interfaces` is the
 * length of that list. NULL in `out` behind its end. TP_E_LIMIT if the text is too long. */
tp_status tpi_descriptions_at(tpi_descriptions *descriptions, const tp_catalogue *catalogue,
                              uint32_t place, const tpi_description **out, uint32_t *interfaces);

#endif
