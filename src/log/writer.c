/* writer.c - see writer.h. */
#include "log/writer.h"

#include <stdlib.h>
#include <zlib.h>

enum { CHUNK = 768 << 10, MOST_IDS = 65535 };

/* What is known of a channel. */
struct series {
    tpi_buf index; /* of the chunk that is filled: times and offsets */
    uint64_t messages;
};

struct tpi_log_writer {
    tpi_log_writer_options options;
    tp_error failure; /* the first one; code TP_OK: none */
    uint64_t written;
    uint32_t crc; /* of all that was written */

    tpi_buf out;                /* what goes to the sink next */
    tpi_buf chunk;              /* records of the chunk that is filled */
    uint64_t first_ns, last_ns; /* of its messages */
    size_t in_chunk;            /* its messages */

    struct series *series; /* owned; of channel i + 1 */
    size_t series_count, series_room;
    size_t schemas_count;

    /* For the summary, records by kind. */
    tpi_buf schemas, channels, chunk_indexes, metadata_indexes;
    uint32_t chunks, metadata;
    uint64_t messages, start_ns, end_ns;
};

/* ---- The sink -------------------------------------------------------------------------------- */

static tp_status has_failed(const tpi_log_writer *w, tp_error *err)
{
    return w->failure.code == TP_OK ? TP_OK : tp_fail(err, w->failure.code, "%s", w->failure.text);
}

/* Keep the first failure. */
static tp_status fail(tpi_log_writer *w, tp_status status, tp_error *err)
{
    if (w->failure.code == TP_OK && status != TP_OK) {
        w->failure.code = status;
    }
    return has_failed(w, err);
}

static tp_status keep_memory(tpi_log_writer *w, const tpi_buf *buf, tp_error *err)
{
    return fail(
        w, buf->failed ? tp_fail(&w->failure, TP_E_NOMEM, "no memory for the recording") : TP_OK,
        err);
}

/* Give what is in `out` to the sink. */
static tp_status pass_on(tpi_log_writer *w, tp_error *err)
{
    if (keep_memory(w, &w->out, err) != TP_OK) {
        return w->failure.code;
    }
    const tp_status status =
        w->options.sink(w->options.context, w->out.data, w->out.length, &w->failure);
    if (status != TP_OK) {
        return fail(w, status, err);
    }
    w->crc = (uint32_t)crc32_z(w->crc, (const unsigned char *)w->out.data, w->out.length);
    w->written += w->out.length;
    tpi_buf_clear(&w->out);
    return TP_OK;
}

/* ---- Schemas and channels -------------------------------------------------------------------- */

/* A list of notes as a map: names in order of the caller. */
static void put_notes(tpi_buf *out, const tpi_log_note *notes)
{
    const size_t begin = out->length;

    tpi_mcap_put(out, 0, 4);
    for (const tpi_log_note *note = notes; note != NULL && note->name != NULL; note++) {
        tpi_mcap_put_text(out, note->name);
        tpi_mcap_put_text(out, note->value);
    }
    if (!out->failed) {
        const uint32_t length = (uint32_t)(out->length - begin - 4);

        for (unsigned i = 0; i < 4; i++) {
            out->data[begin + i] = (char)(unsigned char)(length >> (8 * i));
        }
    }
}

/* A record that the summary repeats, from `begin` of `list` on, goes into the chunk too. */
static tp_status repeat(tpi_log_writer *w, const tpi_buf *list, size_t begin, tp_error *err)
{
    if (keep_memory(w, list, err) == TP_OK) {
        tpi_buf_put(&w->chunk, list->data + begin, list->length - begin);
    }
    return keep_memory(w, &w->chunk, err);
}

tp_status tpi_log_writer_schema(tpi_log_writer *w, const char *name, const char *encoding,
                                const void *bytes, size_t length, uint16_t *schema, tp_error *err)
{
    if (has_failed(w, err) != TP_OK) {
        return w->failure.code;
    }
    if (w->schemas_count == MOST_IDS) {
        return tp_fail(err, TP_E_LIMIT, "a recording has at most %d schemas", MOST_IDS);
    }
    *schema = (uint16_t)++w->schemas_count;
    const size_t begin = tpi_mcap_begin(&w->schemas, TPI_MCAP_SCHEMA);
    tpi_mcap_put(&w->schemas, *schema, 2);
    tpi_mcap_put_text(&w->schemas, name);
    tpi_mcap_put_text(&w->schemas, encoding);
    tpi_mcap_put(&w->schemas, length, 4);
    tpi_buf_put(&w->schemas, bytes, length);
    tpi_mcap_end(&w->schemas, begin);
    return repeat(w, &w->schemas, begin, err);
}

static tp_status add_series(tpi_log_writer *w, tp_error *err)
{
    if (w->series_count == w->series_room) {
        const size_t room = w->series_room == 0 ? 16 : 2 * w->series_room;
        struct series *more = realloc(w->series, room * sizeof *more);

        if (more == NULL) {
            return fail(w, tp_fail(&w->failure, TP_E_NOMEM, "no memory for the recording"), err);
        }
        w->series = more;
        w->series_room = room;
    }
    w->series[w->series_count++] = (struct series){0};
    return TP_OK;
}

tp_status tpi_log_writer_channel(tpi_log_writer *w, uint16_t schema, const char *topic,
                                 const char *encoding, const tpi_log_note *notes, uint16_t *channel,
                                 tp_error *err)
{
    if (has_failed(w, err) != TP_OK) {
        return w->failure.code;
    }
    if (w->series_count == MOST_IDS) {
        return tp_fail(err, TP_E_LIMIT, "a recording has at most %d channels", MOST_IDS);
    }
    if (add_series(w, err) != TP_OK) {
        return w->failure.code;
    }
    *channel = (uint16_t)w->series_count;
    const size_t begin = tpi_mcap_begin(&w->channels, TPI_MCAP_CHANNEL);
    tpi_mcap_put(&w->channels, *channel, 2);
    tpi_mcap_put(&w->channels, schema, 2);
    tpi_mcap_put_text(&w->channels, topic);
    tpi_mcap_put_text(&w->channels, encoding);
    put_notes(&w->channels, notes);
    tpi_mcap_end(&w->channels, begin);
    return repeat(w, &w->channels, begin, err);
}

/* ---- Messages and chunks --------------------------------------------------------------------- */

static void note_times(tpi_log_writer *w, uint64_t log_ns)
{
    if (w->in_chunk == 0 || log_ns < w->first_ns) {
        w->first_ns = log_ns;
    }
    if (w->in_chunk == 0 || log_ns > w->last_ns) {
        w->last_ns = log_ns;
    }
    if (w->messages == 0 || log_ns < w->start_ns) {
        w->start_ns = log_ns;
    }
    if (w->messages == 0 || log_ns > w->end_ns) {
        w->end_ns = log_ns;
    }
}

/* Whether a message of this time is too far from the others of the chunk. */
static bool ends_chunk(const tpi_log_writer *w, uint64_t log_ns)
{
    return w->options.span_ns > 0 && w->in_chunk > 0 &&
           ((log_ns > w->first_ns && log_ns - w->first_ns > w->options.span_ns) ||
            (log_ns < w->last_ns && w->last_ns - log_ns > w->options.span_ns));
}

tp_status tpi_log_writer_message(tpi_log_writer *w, const tpi_log_message *message, tp_error *err)
{
    if (has_failed(w, err) != TP_OK) {
        return w->failure.code;
    }
    if (message->channel == 0 || message->channel > w->series_count) {
        return tp_fail(err, TP_E_INVALID, "the recording has no channel %u", message->channel);
    }
    if (ends_chunk(w, message->log_ns) && tpi_log_writer_flush(w, err) != TP_OK) {
        return w->failure.code;
    }
    struct series *series = &w->series[message->channel - 1];

    tpi_mcap_put(&series->index, message->log_ns, 8);
    tpi_mcap_put(&series->index, w->chunk.length, 8);
    const size_t begin = tpi_mcap_begin(&w->chunk, TPI_MCAP_MESSAGE);
    tpi_mcap_put(&w->chunk, message->channel, 2);
    tpi_mcap_put(&w->chunk, message->sequence, 4);
    tpi_mcap_put(&w->chunk, message->log_ns, 8);
    tpi_mcap_put(&w->chunk, message->publish_ns, 8);
    tpi_buf_put(&w->chunk, message->bytes, message->length);
    tpi_mcap_end(&w->chunk, begin);
    note_times(w, message->log_ns);
    w->in_chunk++;
    w->messages++;
    series->messages++;
    if (keep_memory(w, &w->chunk, err) != TP_OK || keep_memory(w, &series->index, err) != TP_OK) {
        return w->failure.code;
    }
    return w->chunk.length >= w->options.chunk ? tpi_log_writer_flush(w, err) : TP_OK;
}

/* The chunk itself, into `out`. */
static tp_status put_chunk(tpi_log_writer *w, size_t *packed)
{
    const size_t begin = tpi_mcap_begin(&w->out, TPI_MCAP_CHUNK);
    const unsigned char *records = (const unsigned char *)w->chunk.data;

    tpi_mcap_put(&w->out, w->first_ns, 8);
    tpi_mcap_put(&w->out, w->last_ns, 8);
    tpi_mcap_put(&w->out, w->chunk.length, 8);
    tpi_mcap_put(&w->out, crc32_z(0, records, w->chunk.length), 4);
    tpi_mcap_put_text(&w->out, tpi_mcap_compression_name(w->options.compression));
    const size_t length_at = w->out.length;
    tpi_mcap_put(&w->out, 0, 8);
    const size_t from = w->out.length;
    const tp_status status =
        tpi_mcap_compress(&w->out, w->options.compression, records, w->chunk.length, &w->failure);
    if (status != TP_OK) {
        return status;
    }
    *packed = w->out.length - from;
    for (unsigned i = 0; i < 8; i++) {
        w->out.data[length_at + i] = (char)(unsigned char)((uint64_t)*packed >> (8 * i));
    }
    tpi_mcap_end(&w->out, begin);
    return TP_OK;
}

/* The index of each channel behind its chunk; the entry of the summary for both. */
static void put_indexes(tpi_log_writer *w, uint64_t chunk_length, size_t packed)
{
    const uint64_t chunk_at = w->written;
    tpi_buf *entry = &w->chunk_indexes;
    const size_t begin = tpi_mcap_begin(entry, TPI_MCAP_CHUNK_INDEX);

    tpi_mcap_put(entry, w->first_ns, 8);
    tpi_mcap_put(entry, w->last_ns, 8);
    tpi_mcap_put(entry, chunk_at, 8);
    tpi_mcap_put(entry, chunk_length, 8);
    size_t indexes = 0;
    for (size_t i = 0; i < w->series_count; i++) {
        indexes += w->series[i].index.length > 0;
    }
    tpi_mcap_put(entry, indexes * 10, 4);
    for (size_t i = 0; i < w->series_count; i++) {
        tpi_buf *index = &w->series[i].index;

        if (index->length > 0) {
            tpi_mcap_put(entry, i + 1, 2);
            tpi_mcap_put(entry, chunk_at + w->out.length, 8);
            const size_t at = tpi_mcap_begin(&w->out, TPI_MCAP_MESSAGE_INDEX);
            tpi_mcap_put(&w->out, i + 1, 2);
            tpi_mcap_put(&w->out, index->length, 4);
            tpi_buf_put(&w->out, index->data, index->length);
            tpi_mcap_end(&w->out, at);
            tpi_buf_clear(index);
        }
    }
    tpi_mcap_put(entry, w->out.length - chunk_length, 8);
    tpi_mcap_put_text(entry, tpi_mcap_compression_name(w->options.compression));
    tpi_mcap_put(entry, packed, 8);
    tpi_mcap_put(entry, w->chunk.length, 8);
    tpi_mcap_end(entry, begin);
}

tp_status tpi_log_writer_flush(tpi_log_writer *w, tp_error *err)
{
    size_t packed = 0;

    if (has_failed(w, err) != TP_OK || w->chunk.length == 0) {
        return w->failure.code;
    }
    if (w->in_chunk == 0) {
        w->first_ns = w->last_ns = w->end_ns;
    }
    const tp_status status = put_chunk(w, &packed);
    if (status != TP_OK) {
        return fail(w, status, err);
    }
    put_indexes(w, w->out.length, packed);
    tpi_buf_clear(&w->chunk);
    w->in_chunk = 0;
    w->chunks++;
    return pass_on(w, err);
}

tp_status tpi_log_writer_metadata(tpi_log_writer *w, const char *name, const tpi_log_note *notes,
                                  tp_error *err)
{
    if (has_failed(w, err) != TP_OK) {
        return w->failure.code;
    }
    const uint64_t at = w->written;
    size_t begin = tpi_mcap_begin(&w->out, TPI_MCAP_METADATA);

    tpi_mcap_put_text(&w->out, name);
    put_notes(&w->out, notes);
    tpi_mcap_end(&w->out, begin);
    tpi_buf *entry = &w->metadata_indexes;
    begin = tpi_mcap_begin(entry, TPI_MCAP_METADATA_INDEX);
    tpi_mcap_put(entry, at, 8);
    tpi_mcap_put(entry, w->out.length, 8);
    tpi_mcap_put_text(entry, name);
    tpi_mcap_end(entry, begin);
    w->metadata++;
    return pass_on(w, err);
}

/* ---- The beginning and the end --------------------------------------------------------------- */

tp_status tpi_log_writer_open(tpi_log_writer **out, const tpi_log_writer_options *options,
                              tp_error *err)
{
    tpi_log_writer *w = calloc(1, sizeof *w);

    if (w == NULL) {
        return tp_fail(err, TP_E_NOMEM, "no memory for a recording");
    }
    w->options = *options;
    w->options.chunk = options->chunk == 0 ? CHUNK : options->chunk;
    tpi_buf_put(&w->out, tpi_mcap_magic, sizeof tpi_mcap_magic);
    const size_t begin = tpi_mcap_begin(&w->out, TPI_MCAP_HEADER);
    tpi_mcap_put_text(&w->out, options->profile == NULL ? "" : options->profile);
    tpi_mcap_put_text(&w->out, "troupe");
    tpi_mcap_end(&w->out, begin);
    const tp_status status = pass_on(w, err);
    if (status != TP_OK) {
        (void)tpi_log_writer_close(w, NULL);
        return status;
    }
    *out = w;
    return TP_OK;
}

static void put_statistics(const tpi_log_writer *w, tpi_buf *out)
{
    const size_t begin = tpi_mcap_begin(out, TPI_MCAP_STATISTICS);

    tpi_mcap_put(out, w->messages, 8);
    tpi_mcap_put(out, w->schemas_count, 2);
    tpi_mcap_put(out, w->series_count, 4);
    tpi_mcap_put(out, 0, 4); /* attachments */
    tpi_mcap_put(out, w->metadata, 4);
    tpi_mcap_put(out, w->chunks, 4);
    tpi_mcap_put(out, w->start_ns, 8);
    tpi_mcap_put(out, w->end_ns, 8);
    tpi_mcap_put(out, 10 * w->series_count, 4);
    for (size_t i = 0; i < w->series_count; i++) {
        tpi_mcap_put(out, i + 1, 2);
        tpi_mcap_put(out, w->series[i].messages, 8);
    }
    tpi_mcap_end(out, begin);
}

/* A group of the summary, and where it is. */
static void put_group(tpi_buf *summary, tpi_buf *offsets, uint64_t base, tpi_mcap_op op,
                      const tpi_buf *records)
{
    if (records->length > 0) {
        const size_t begin = tpi_mcap_begin(offsets, TPI_MCAP_SUMMARY_OFFSET);

        tpi_mcap_put(offsets, op, 1);
        tpi_mcap_put(offsets, base + summary->length, 8);
        tpi_mcap_put(offsets, records->length, 8);
        tpi_mcap_end(offsets, begin);
        tpi_buf_put(summary, records->data, records->length);
    }
}

/* The end of the data, the summary and the footer. */
static tp_status put_summary(tpi_log_writer *w, tp_error *err)
{
    tpi_buf statistics = {0}, offsets = {0};

    size_t begin = tpi_mcap_begin(&w->out, TPI_MCAP_DATA_END);
    tpi_mcap_put(&w->out, w->crc, 4);
    tpi_mcap_end(&w->out, begin);
    if (pass_on(w, err) != TP_OK) {
        return w->failure.code;
    }
    const uint64_t base = w->written;
    put_group(&w->out, &offsets, base, TPI_MCAP_SCHEMA, &w->schemas);
    put_group(&w->out, &offsets, base, TPI_MCAP_CHANNEL, &w->channels);
    put_statistics(w, &statistics);
    put_group(&w->out, &offsets, base, TPI_MCAP_STATISTICS, &statistics);
    put_group(&w->out, &offsets, base, TPI_MCAP_CHUNK_INDEX, &w->chunk_indexes);
    put_group(&w->out, &offsets, base, TPI_MCAP_METADATA_INDEX, &w->metadata_indexes);
    const uint64_t offsets_at = base + w->out.length;
    tpi_buf_put(&w->out, offsets.data, offsets.length);
    begin = tpi_mcap_begin(&w->out, TPI_MCAP_FOOTER);
    tpi_mcap_end(&w->out, begin);
    if (!w->out.failed) { /* the length is part of the check sum */
        w->out.data[begin + 1] = 20;
    }
    tpi_mcap_put(&w->out, base, 8);
    tpi_mcap_put(&w->out, offsets_at, 8);
    tpi_mcap_put(&w->out, crc32_z(0, (const unsigned char *)w->out.data, w->out.length), 4);
    tpi_buf_put(&w->out, tpi_mcap_magic, sizeof tpi_mcap_magic);
    w->out.failed = w->out.failed || offsets.failed || statistics.failed;
    tpi_buf_fini(&offsets);
    tpi_buf_fini(&statistics);
    return pass_on(w, err);
}

uint64_t tpi_log_writer_bytes(const tpi_log_writer *writer)
{
    return writer->written;
}

uint64_t tpi_log_writer_messages(const tpi_log_writer *writer)
{
    return writer->messages;
}

tp_status tpi_log_writer_close(tpi_log_writer *w, tp_error *err)
{
    if (w == NULL) {
        return TP_OK;
    }
    tp_status status = tpi_log_writer_flush(w, err);
    if (status == TP_OK) {
        status = put_summary(w, err);
    }
    for (size_t i = 0; i < w->series_count; i++) {
        tpi_buf_fini(&w->series[i].index);
    }
    free(w->series);
    tpi_buf *const all[] = {&w->out,      &w->chunk,         &w->schemas,
                            &w->channels, &w->chunk_indexes, &w->metadata_indexes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tpi_buf_fini(all[i]);
    }
    free(w);
    return status;
}
