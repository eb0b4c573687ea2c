/*
 * writer.h - writes a recording as an MCAP file: indexed, in compressed chunks.
 *
 *     tpi_log_writer *w;
 *     tpi_log_writer_open(&w, &options, &err);
 *     tpi_log_writer_schema(w, "LaserScan", "jsonschema", text, length, &schema, &err);
 *     tpi_log_writer_channel(w, schema, "/laser:0/scan", "json", NULL, &channel, &err);
 *     tpi_log_writer_message(w, &message, &err);  ...
 *     tpi_log_writer_flush(w, &err);              at least every second
 *     tpi_log_writer_close(w, &err);
 *
 * Messages are kept until a chunk is full, or until a flush. What was flushed survives a crash:
 * `recover.h` finds it. A failure to write is sticky: nothing is written after it, so that the file
 * ends with a whole chunk as far as the sink kept it.
 *
 * One thread uses a writer. Only the sink may wait.
 */
#ifndef TROUPE_LOG_WRITER_H
#define TROUPE_LOG_WRITER_H

#include "log/mcap.h"

typedef struct tpi_log_writer tpi_log_writer;

/* Takes all bytes, in order, or fails with a sentence. */
typedef tp_status tpi_log_sink(void *context, const void *bytes, size_t length, tp_error *err);

typedef struct tpi_log_writer_options {
    tpi_log_sink *sink;
    void *context;
    tpi_mcap_compression compression;
    size_t chunk;        /* a chunk with so many bytes is written; 0 for 768 KiB */
    uint64_t span_ns;    /* no chunk has messages further apart than this; 0 for no limit */
    const char *profile; /* "ros2" or NULL */
} tpi_log_writer_options;

/* A name and a value; a list ends with a NULL name. */
typedef struct tpi_log_note {
    const char *name, *value;
} tpi_log_note;

typedef struct tpi_log_message {
    uint16_t channel;
    uint32_t sequence;
    uint64_t log_ns;     /* when it was recorded */
    uint64_t publish_ns; /* when its device made it */
    const void *bytes;   /* borrowed */
    size_t length;
} tpi_log_message;

/* Writes the beginning of the file. */
tp_status tpi_log_writer_open(tpi_log_writer **out, const tpi_log_writer_options *options,
                              tp_error *err);

/* What messages of a channel look like. Bytes are copied. At most 65535. */
tp_status tpi_log_writer_schema(tpi_log_writer *writer, const char *name, const char *encoding,
                                const void *bytes, size_t length, uint16_t *schema, tp_error *err);

/* A series of messages. `schema` 0 for none; `notes` may be NULL. At most 65535. */
tp_status tpi_log_writer_channel(tpi_log_writer *writer, uint16_t schema, const char *topic,
                                 const char *encoding, const tpi_log_note *notes, uint16_t *channel,
                                 tp_error *err);

/* Add a message; `channel` is one of the writer's. */
tp_status tpi_log_writer_message(tpi_log_writer *writer, const tpi_log_message *message,
                                 tp_error *err);

/* Facts about the recording as a whole. */
tp_status tpi_log_writer_metadata(tpi_log_writer *writer, const char *name,
                                  const tpi_log_note *notes, tp_error *err);

/* Write what is kept as a chunk. Does nothing if nothing is kept. */
tp_status tpi_log_writer_flush(tpi_log_writer *writer, tp_error *err);

/* How many bytes the sink was given, and how many messages were added. */
uint64_t tpi_log_writer_bytes(const tpi_log_writer *writer);
uint64_t tpi_log_writer_messages(const tpi_log_writer *writer);

/* Flush, write the summary, and free the writer, also if that fails. NULL is accepted. */
tp_status tpi_log_writer_close(tpi_log_writer *writer, tp_error *err);

#endif
