/*
 * reader.h - reads an MCAP file: of ours or of others, whole or damaged.
 *
 * tpi_log_reader_next() gives what the file holds, one item after the other: each schema and each
 * channel once and before the messages that need it, then messages in the order of the file. If the
 * file has an intact summary, all schemas and channels come first.
 *
 * Damage is reported where it is met, with its place in the file. The next call goes on with the
 * next chunk whose check sum is right, so a caller that wants all that is left just goes on, and
 * one that wants a sound file stops. A chunk is either given whole or not at all.
 *
 * One thread uses a reader. Only the source may wait.
 */
#ifndef TROUPE_LOG_READER_H
#define TROUPE_LOG_READER_H

#include "log/mcap.h"

typedef struct tpi_log_reader tpi_log_reader;

/* The bytes of a file. `read` gives exactly `length` bytes from `at` on, or fails. */
typedef struct tpi_log_source {
    void *context;
    uint64_t size;
    tp_status (*read)(void *context, uint64_t at, void *bytes, size_t length, tp_error *err);
} tpi_log_source;

typedef enum tpi_log_kind {
    TPI_LOG_SCHEMA,
    TPI_LOG_CHANNEL,
    TPI_LOG_MESSAGE,
    TPI_LOG_METADATA,
} tpi_log_kind;

/* What comes next. Views are borrowed until the next call; texts in them have no NUL. */
typedef struct tpi_log_item {
    tpi_log_kind kind;
    uint16_t id;     /* of a schema or a channel; the channel of a message */
    uint16_t schema; /* of a channel; 0 for none */
    uint32_t sequence;
    uint64_t log_ns, publish_ns;
    tpi_mcap_view name;     /* of a schema or of metadata; the topic of a channel */
    tpi_mcap_view encoding; /* of a schema or a channel */
    tpi_mcap_view notes;    /* of a channel or of metadata: tpi_log_take_note() */
    tpi_mcap_view bytes;    /* of a schema or a message */
} tpi_log_item;

/* What the summary says of the whole file. */
typedef struct tpi_log_summary {
    bool intact; /* false: there is none, or it is damaged, and the rest is 0 */
    uint64_t messages, start_ns, end_ns;
    uint32_t channels, chunks;
} tpi_log_summary;

/* Fails with TP_E_SYNTAX if the file does not begin as an MCAP file. `source` is copied. */
tp_status tpi_log_reader_open(tpi_log_reader **out, const tpi_log_source *source, tp_error *err);
void tpi_log_reader_close(tpi_log_reader *reader);

const tpi_log_summary *tpi_log_reader_summary(const tpi_log_reader *reader);

/* The next item. TP_E_CLOSED at the end of the file. TP_E_SYNTAX for damage, also for a file that
 * ends without a footer or whose data differ from their check sum. */
tp_status tpi_log_reader_next(tpi_log_reader *reader, tpi_log_item *item, tp_error *err);

/* Go on with the first chunk that has a message of this time or later. TP_E_UNSUPPORTED without an
 * intact summary. The check sum over the whole file is not checked after that. */
tp_status tpi_log_reader_seek(tpi_log_reader *reader, uint64_t log_ns, tp_error *err);

/* The next note. False at the end. */
bool tpi_log_take_note(tpi_mcap_view *notes, tpi_mcap_view *name, tpi_mcap_view *value);

/* How many chunks were read, and how many places were damaged. */
uint32_t tpi_log_reader_chunks(const tpi_log_reader *reader);
uint32_t tpi_log_reader_damages(const tpi_log_reader *reader);

#endif
