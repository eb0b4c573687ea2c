/* address.h - device addresses as configurations write them: [[[key:]host:]robot:]interface:index.
 */
#ifndef TROUPE_SERVER_ADDRESS_H
#define TROUPE_SERVER_ADDRESS_H

#include "troupe/padi.h"

enum { TPI_ADDRESS_PART = 64 };

typedef struct tpi_devaddr_text {
    char key[TPI_ADDRESS_PART];  /* "" for none */
    char host[TPI_ADDRESS_PART]; /* "" for this one */
    unsigned robot;              /* 0 for the default */
    bool has_robot;
    char interface[TPI_ADDRESS_PART];
    unsigned index;
} tpi_devaddr_text;

/* Split at colons from the right, as Player does; empty parts are defaults. */
tp_status tpi_devaddr_parse(tpi_devaddr_text *out, const char *text, tp_error *err);

#endif
