/* xdr.h - what the codec of troupe/padi.h tells inside Troupe. */
#ifndef TROUPE_PADI_XDR_H
#define TROUPE_PADI_XDR_H

#include "troupe/padi.h"

/* Why these bytes cannot be decoded: the status of tp_xdr_measure() and a sentence that names the
 * field. TP_OK if they can. */
tp_status tpi_xdr_explain(const tp_struct *type, const void *bytes, size_t length, tp_error *err);

#endif
