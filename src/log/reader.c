/* reader.c - see reader.h. */
#include "log/reader.h"

#include <stdlib.h>
#include <zlib.h>

#include "log/scan.h"

enum { IDS = 65536, FOOTER = TPI_MCAP_HEAD + 20, LIKE_MAGIC = 6 };

struct tpi_log_reader {
    tpi_log_source source;
    tpi_log_summary summary;
    uint64_t data_end; /* where the summary begins; the size of the file without one */

    uint64_t at;        /* of the next record */
    uint64_t known;     /* every chunk before it was read, or is damaged */
    tpi_buf record;     /* the content of the record that was read last */
    tpi_buf chunk;      /* unpacked */
    tpi_mcap_view list; /* what is left of the chunk, or of schemas and channels of the summary */
    tpi_buf tables;     /* the summary */
    tpi_buf chunk_list; /* struct tpi_log_place of each chunk, from the summary */

    uint32_t crc;  /* of the file so far */
    bool unbroken; /* everything so far was read, without damage */
    bool ended, footed;
    bool misnamed; /* its first bytes are damaged, and nobody was told yet */
    uint32_t chunks, damages;
    unsigned char seen[2][IDS / 8]; /* a bit for each schema and channel that was given */
};

/* A chunk, as the summary has it. */
struct tpi_log_place {
    uint64_t end_ns, at;
};

static tp_status damage(tpi_log_reader *r, uint64_t at, tp_error *err, const char *what)
{
    r->damages++;
    r->unbroken = false;
    return tp_fail(err, TP_E_SYNTAX, "damaged at byte %llu: %s", (unsigned long long)at, what);
}

static bool is_seen(const tpi_log_reader *r, int table, uint16_t id)
{
    return (r->seen[table][id / 8] >> id % 8 & 1) != 0;
}

/* Note that a schema (table 0) or a channel (table 1) is given. False if it was given before. */
static bool note_new(tpi_log_reader *r, int table, uint16_t id)
{
    const bool is_new = !is_seen(r, table, id);

    r->seen[table][id / 8] |= (unsigned char)(1U << id % 8);
    return is_new;
}

/* ---- Items ----------------------------------------------------------------------------------- */

bool tpi_log_take_note(tpi_mcap_view *notes, tpi_mcap_view *name, tpi_mcap_view *value)
{
    if (tpi_mcap_left(notes) == 0) {
        return false;
    }
    *name = tpi_mcap_take_counted(notes);
    *value = tpi_mcap_take_counted(notes);
    return !notes->failed;
}

static void take_message(tpi_mcap_view *content, tpi_log_item *item)
{
    item->kind = TPI_LOG_MESSAGE;
    item->id = (uint16_t)tpi_mcap_take(content, 2);
    item->sequence = (uint32_t)tpi_mcap_take(content, 4);
    item->log_ns = tpi_mcap_take(content, 8);
    item->publish_ns = tpi_mcap_take(content, 8);
    item->bytes = *content;
}

static void take_schema(tpi_mcap_view *content, tpi_log_item *item)
{
    item->kind = TPI_LOG_SCHEMA;
    item->id = (uint16_t)tpi_mcap_take(content, 2);
    item->name = tpi_mcap_take_counted(content);
    item->encoding = tpi_mcap_take_counted(content);
    item->bytes = tpi_mcap_take_counted(content);
}

static void take_channel(tpi_mcap_view *content, tpi_log_item *item)
{
    item->kind = TPI_LOG_CHANNEL;
    item->id = (uint16_t)tpi_mcap_take(content, 2);
    item->schema = (uint16_t)tpi_mcap_take(content, 2);
    item->name = tpi_mcap_take_counted(content);
    item->encoding = tpi_mcap_take_counted(content);
    item->notes = tpi_mcap_take_counted(content);
}

/* The next item of the list. TP_PENDING if it has no more. */
static tp_status next_of_list(tpi_log_reader *r, tpi_log_item *item, tp_error *err)
{
    while (tpi_mcap_left(&r->list) > 0) {
        const unsigned op = (unsigned)tpi_mcap_take(&r->list, 1);
        const uint64_t length = tpi_mcap_take(&r->list, 8);
        tpi_mcap_view content = tpi_mcap_take_part(&r->list, length);
        bool wanted = false;

        *item = (tpi_log_item){0};
        if (op == TPI_MCAP_MESSAGE) {
            take_message(&content, item);
            wanted = is_seen(r, 1, item->id);
            if (!wanted && !content.failed) {
                return damage(r, r->at, err, "the chunk before it has a message of a lost channel");
            }
        } else if (op == TPI_MCAP_SCHEMA) {
            take_schema(&content, item);
            wanted = !content.failed && note_new(r, 0, item->id);
        } else if (op == TPI_MCAP_CHANNEL) {
            take_channel(&content, item);
            wanted = !content.failed && note_new(r, 1, item->id);
        }
        if (r->list.failed || content.failed) {
            r->list.at = r->list.end;
            r->list.failed = false;
            return damage(r, r->at, err, "a record in the chunk before it");
        }
        if (wanted) {
            return TP_OK;
        }
    }
    return TP_PENDING;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* Unpack the chunk in `record`. */
static tp_status open_chunk(tpi_log_reader *r, uint64_t at, tp_error *err)
{
    tpi_mcap_view content = {.at = (const unsigned char *)r->record.data};
    tpi_log_chunk chunk;
    tp_error why = {.text = ""};

    content.end = content.at + r->record.length;
    if (!tpi_log_take_chunk(&content, r->record.length, &chunk)) {
        return damage(r, at, err, "the head of a chunk");
    }
    tpi_buf_clear(&r->chunk);
    const tp_status status = tpi_mcap_decompress(&r->chunk, chunk.compression, content.at,
                                                 (size_t)chunk.packed, (size_t)chunk.size, &why);
    if (status == TP_E_NOMEM) {
        return tp_fail(err, status, "%s", why.text);
    }
    const unsigned char *records = (const unsigned char *)r->chunk.data;
    if (status != TP_OK || (chunk.crc != 0 && crc32_z(0, records, r->chunk.length) != chunk.crc)) {
        return damage(r, at, err, "a chunk differs from its check sum");
    }
    r->list = (tpi_mcap_view){.at = records, .end = records + r->chunk.length};
    r->chunks++;
    return TP_OK;
}

/* After damage: to the next chunk that can be read, or to the end. A record with a wrong length may
 * have hidden chunks before the place where the damage was noticed. */
static tp_status find_chunk(tpi_log_reader *r, tp_error *err)
{
    r->at = r->known;
    const tp_status status = tpi_log_scan(&r->source, &r->at, r->data_end, err);

    r->known = r->at + 1;
    if (status == TP_E_CLOSED) {
        r->at = r->data_end;
        r->ended = true;
    }
    return status;
}

/* ---- Records of the file --------------------------------------------------------------------- */

/* Read the record at `at` into `record`. */
static tp_status read_record(tpi_log_reader *r, unsigned *op, tp_error *err)
{
    unsigned char head[TPI_MCAP_HEAD];
    const uint64_t left = r->data_end - r->at;

    if (left < sizeof head) {
        return damage(r, r->at, err, "the file ends early");
    }
    tp_status status = r->source.read(r->source.context, r->at, head, sizeof head, err);
    if (status != TP_OK) {
        return status;
    }
    tpi_mcap_view view = {.at = head, .end = head + sizeof head};
    *op = (unsigned)tpi_mcap_take(&view, 1);
    const uint64_t length = tpi_mcap_take(&view, 8);
    if (length > left - sizeof head || length > TPI_LOG_MOST_RECORD) {
        return damage(r, r->at, err, "a record is longer than the file, or the file ends early");
    }
    tpi_buf_clear(&r->record);
    char *to = tpi_buf_reserve(&r->record, (size_t)length);
    if (to == NULL) {
        return tp_fail(err, TP_E_NOMEM, "no memory for a record");
    }
    status = r->source.read(r->source.context, r->at + sizeof head, to, (size_t)length, err);
    if (status == TP_OK) {
        r->record.length = (size_t)length;
        if (r->unbroken && *op != TPI_MCAP_DATA_END) {
            r->crc = (uint32_t)crc32_z(r->crc, head, sizeof head);
            r->crc = (uint32_t)crc32_z(r->crc, (const unsigned char *)to, (size_t)length);
        }
        r->at += sizeof head + length;
    }
    return status;
}

/* The data end here: the file is whole if the check sum is right and a footer follows. */
static tp_status end_data(tpi_log_reader *r, uint64_t at, tp_error *err)
{
    tpi_mcap_view content = {.at = (const unsigned char *)r->record.data};

    content.end = content.at + r->record.length;
    const uint32_t crc = (uint32_t)tpi_mcap_take(&content, 4);
    if (!r->footed) {
        return damage(r, at, err, "the summary behind it is damaged");
    }
    if (r->at != r->data_end) {
        return damage(r, at, err, "an end within the data");
    }
    r->ended = true;
    if (content.failed || (r->unbroken && crc != 0 && crc != r->crc)) {
        return damage(r, at, err, "the data differ from their check sum");
    }
    return TP_E_CLOSED;
}

/* Handle the record that was read: TP_OK if it is the item, TP_PENDING to go on. */
static tp_status take_record(tpi_log_reader *r, unsigned op, uint64_t at, tpi_log_item *item,
                             tp_error *err)
{
    tpi_mcap_view content = {.at = (const unsigned char *)r->record.data};
    tp_status status = TP_PENDING;

    content.end = content.at + r->record.length;
    if (op == TPI_MCAP_CHUNK) {
        status = open_chunk(r, at, err);
        r->known = status == TP_OK ? r->at : at + 1;
        return status == TP_OK ? TP_PENDING : status;
    }
    if (op == TPI_MCAP_DATA_END) {
        return end_data(r, at, err);
    }
    if (op == TPI_MCAP_METADATA) {
        *item = (tpi_log_item){.kind = TPI_LOG_METADATA};
        item->name = tpi_mcap_take_counted(&content);
        item->notes = tpi_mcap_take_counted(&content);
        return content.failed ? damage(r, at, err, "metadata") : TP_OK;
    }
    if (op == TPI_MCAP_MESSAGE && (r->chunks > 0 || r->summary.chunks > 0)) {
        return damage(r, at, err, "a message outside of the chunks"); /* another record once */
    }
    if (op == TPI_MCAP_SCHEMA || op == TPI_MCAP_CHANNEL || op == TPI_MCAP_MESSAGE) {
        /* Outside of a chunk: a list of one record, which is read again as such. */
        tpi_buf_clear(&r->chunk);
        const size_t begin = tpi_mcap_begin(&r->chunk, (tpi_mcap_op)op);
        tpi_buf_put(&r->chunk, r->record.data, r->record.length);
        tpi_mcap_end(&r->chunk, begin);
        if (r->chunk.failed) {
            return tp_fail(err, TP_E_NOMEM, "no memory for a record");
        }
        r->list.at = (const unsigned char *)r->chunk.data;
        r->list.end = r->list.at + r->chunk.length;
        return TP_PENDING;
    }
    if (op == TPI_MCAP_FOOTER || op == 0 || (op > TPI_MCAP_DATA_END && op < 0x80)) {
        return damage(r, at, err,
                      op == TPI_MCAP_FOOTER ? "a footer within the data"
                                            : "a record of an unknown kind");
    }
    return TP_PENDING;
}

tp_status tpi_log_reader_next(tpi_log_reader *r, tpi_log_item *item, tp_error *err)
{
    if (r->misnamed) {
        r->misnamed = false;
        return damage(r, 0, err, "its first bytes");
    }
    for (;;) {
        tp_status status = next_of_list(r, item, err);
        unsigned op = 0;

        if (status != TP_PENDING) {
            return status;
        }
        if (r->ended) {
            return TP_E_CLOSED;
        }
        const uint64_t at = r->at;
        status = read_record(r, &op, err);
        if (status == TP_OK) {
            status = take_record(r, op, at, item, err);
        }
        if (status == TP_E_SYNTAX && !r->ended) {
            const tp_status found = find_chunk(r, NULL);
            return found == TP_OK || found == TP_E_CLOSED ? status : found;
        }
        if (status != TP_PENDING) {
            return status;
        }
    }
}

/* ---- The summary ----------------------------------------------------------------------------- */

static void take_statistics(tpi_log_reader *r, tpi_mcap_view *content)
{
    tpi_log_summary *s = &r->summary;

    s->messages = tpi_mcap_take(content, 8);
    (void)tpi_mcap_take(content, 2);
    s->channels = (uint32_t)tpi_mcap_take(content, 4);
    (void)tpi_mcap_take(content, 8);
    s->chunks = (uint32_t)tpi_mcap_take(content, 4);
    s->start_ns = tpi_mcap_take(content, 8);
    s->end_ns = tpi_mcap_take(content, 8);
}

static void take_chunk_index(tpi_log_reader *r, tpi_mcap_view *content)
{
    struct tpi_log_place place;

    (void)tpi_mcap_take(content, 8);
    place.end_ns = tpi_mcap_take(content, 8);
    place.at = tpi_mcap_take(content, 8);
    if (!content->failed && place.at < r->data_end) {
        tpi_buf_put(&r->chunk_list, &place, sizeof place);
    }
}

/* Look through the records of the summary. False if they are damaged. */
static bool walk_summary(tpi_log_reader *r)
{
    tpi_mcap_view view = {.at = (const unsigned char *)r->tables.data};

    view.end = view.at + r->tables.length;
    while (tpi_mcap_left(&view) > 0) {
        const unsigned op = (unsigned)tpi_mcap_take(&view, 1);
        const uint64_t length = tpi_mcap_take(&view, 8);
        tpi_mcap_view content = tpi_mcap_take_part(&view, length);

        if (op == TPI_MCAP_STATISTICS) {
            take_statistics(r, &content);
        } else if (op == TPI_MCAP_CHUNK_INDEX) {
            take_chunk_index(r, &content);
        }
        if (view.failed || content.failed) {
            return false;
        }
    }
    return !r->chunk_list.failed;
}

/* Read the summary, if the file has one whose check sum is right. */
static tp_status read_summary(tpi_log_reader *r, tp_error *err)
{
    unsigned char end[FOOTER + TPI_MCAP_MAGIC_LENGTH];
    const uint64_t size = r->source.size;

    if (size < 2 * TPI_MCAP_MAGIC_LENGTH + FOOTER) {
        return TP_OK;
    }
    const uint64_t footer_at = size - sizeof end;
    tp_status status = r->source.read(r->source.context, footer_at, end, sizeof end, err);
    tpi_mcap_view view = {.at = end, .end = end + sizeof end};
    if (status != TP_OK || tpi_mcap_take(&view, 1) != TPI_MCAP_FOOTER ||
        tpi_mcap_take(&view, 8) != 20 ||
        memcmp(end + FOOTER, tpi_mcap_magic, TPI_MCAP_MAGIC_LENGTH) != 0) {
        return status;
    }
    const uint64_t start = tpi_mcap_take(&view, 8);
    (void)tpi_mcap_take(&view, 8);
    const uint32_t crc = (uint32_t)tpi_mcap_take(&view, 4);
    r->footed = start == 0;
    if (start == 0) { /* a file without a summary, but whole */
        r->data_end = footer_at;
        return TP_OK;
    }
    if (start > footer_at || footer_at - start > TPI_LOG_MOST_RECORD) {
        return TP_OK;
    }
    char *to = tpi_buf_reserve(&r->tables, (size_t)(footer_at - start));
    if (to == NULL) {
        return tp_fail(err, TP_E_NOMEM, "no memory for the summary");
    }
    status = r->source.read(r->source.context, start, to, (size_t)(footer_at - start), err);
    if (status != TP_OK) {
        return status;
    }
    r->tables.length = (size_t)(footer_at - start);
    uLong sum = crc32_z(0, (const unsigned char *)to, r->tables.length);
    sum = crc32_z(sum, end, FOOTER - 4);
    r->data_end = start;
    if ((crc == 0 || crc == (uint32_t)sum) && walk_summary(r)) {
        r->summary.intact = r->footed = true;
        r->list.at = (const unsigned char *)r->tables.data;
        r->list.end = r->list.at + r->tables.length;
    } else {
        r->summary = (tpi_log_summary){0};
        r->data_end = size;
    }
    return TP_OK;
}

/* ---- Opening --------------------------------------------------------------------------------- */

tp_status tpi_log_reader_open(tpi_log_reader **out, const tpi_log_source *source, tp_error *err)
{
    unsigned char magic[TPI_MCAP_MAGIC_LENGTH];
    tpi_log_reader *r = calloc(1, sizeof *r);
    tp_status status = TP_E_SYNTAX;
    unsigned same = 0;

    if (r == NULL) {
        return tp_fail(err, TP_E_NOMEM, "no memory for a reader");
    }
    r->source = *source;
    r->data_end = source->size;
    r->at = r->known = sizeof magic;
    r->unbroken = true;
    if (source->size >= sizeof magic) {
        status = source->read(source->context, 0, magic, sizeof magic, err);
    }
    for (size_t i = 0; i < sizeof magic && status == TP_OK; i++) {
        same += magic[i] == tpi_mcap_magic[i];
    }
    r->misnamed = same < sizeof magic;
    status = status == TP_OK && same < LIKE_MAGIC ? TP_E_SYNTAX : status;
    if (status == TP_E_SYNTAX) {
        (void)tp_fail(err, status, "not an MCAP file: it does not begin like one");
    } else if (status == TP_OK) {
        r->crc = (uint32_t)crc32_z(0, magic, sizeof magic);
        status = read_summary(r, err);
    }
    if (status != TP_OK) {
        tpi_log_reader_close(r);
        return status;
    }
    *out = r;
    return TP_OK;
}

void tpi_log_reader_close(tpi_log_reader *r)
{
    if (r != NULL) {
        tpi_buf_fini(&r->record);
        tpi_buf_fini(&r->chunk);
        tpi_buf_fini(&r->tables);
        tpi_buf_fini(&r->chunk_list);
        free(r);
    }
}

tp_status tpi_log_reader_seek(tpi_log_reader *r, uint64_t log_ns, tp_error *err)
{
    const struct tpi_log_place *places = (const struct tpi_log_place *)(void *)r->chunk_list.data;
    const size_t count = r->chunk_list.length / sizeof *places;
    uint64_t first = r->data_end;

    if (!r->summary.intact) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the file has no index to find a time with");
    }
    for (size_t i = 0; i < count; i++) {
        if (places[i].end_ns >= log_ns && places[i].at < first) {
            first = places[i].at;
        }
    }
    r->unbroken = false;
    r->at = r->known = first;
    r->ended = first == r->data_end;
    if (r->list.at != NULL && r->chunks > 0) { /* what is left of another chunk */
        r->list.at = r->list.end;
    }
    return TP_OK;
}

const tpi_log_summary *tpi_log_reader_summary(const tpi_log_reader *reader)
{
    return &reader->summary;
}

uint32_t tpi_log_reader_chunks(const tpi_log_reader *reader)
{
    return reader->chunks;
}

uint32_t tpi_log_reader_damages(const tpi_log_reader *reader)
{
    return reader->damages;
}
