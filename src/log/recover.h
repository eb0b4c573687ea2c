/* recover.h - saves what is left of a damaged recording. */
#ifndef TROUPE_LOG_RECOVER_H
#define TROUPE_LOG_RECOVER_H

#include "log/reader.h"
#include "log/writer.h"

typedef struct tpi_log_recovery {
    uint64_t messages;
    uint32_t chunks;  /* that were intact */
    uint32_t damages; /* places; 0: the file was whole */
    tp_error first;   /* what the first damage is, and where; code TP_OK for none */
} tpi_log_recovery;

/* Write every intact chunk of `source` with `writer`, which stays open. Fails only if reading or
 * writing fails; damage is counted instead. */
tp_status tpi_log_recover(const tpi_log_source *source, tpi_log_writer *writer,
                          tpi_log_recovery *recovery, tp_error *err);

#endif
