/* base64.h - bytes as letters, as RFC 4648 has it. */
#ifndef TROUPE_BASE_BASE64_H
#define TROUPE_BASE_BASE64_H

#include "base/buf.h"

/* Put bytes as letters, with padding. */
void tpi_base64_put(tpi_buf *buf, const void *bytes, size_t length);

#endif
