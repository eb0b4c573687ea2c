/* recover.c - see recover.h. */
#include "log/recover.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NOTES = 64, STEP = 64 };

/* Numbers in the new file, by number in the old one; 0 for none. Most files have few. */
struct numbers {
    uint16_t *of; /* owned */
    size_t count; /* of those behind there are none yet */
};

struct copy {
    tpi_log_writer *writer;
    struct numbers schemas, channels;
    tpi_buf texts; /* texts with a NUL, one behind the other */
};

static uint16_t number_of(const struct numbers *numbers, uint16_t id)
{
    return id < numbers->count ? numbers->of[id] : 0;
}

/* Where the number is to be kept; NULL if there is no memory. */
static uint16_t *place_of(struct numbers *numbers, uint16_t id)
{
    if (id >= numbers->count) {
        const size_t count = (id / STEP + (size_t)1) * STEP;
        uint16_t *of = realloc(numbers->of, count * sizeof *of);

        if (of == NULL) {
            return NULL;
        }
        memset(of + numbers->count, 0, (count - numbers->count) * sizeof *of);
        numbers->of = of;
        numbers->count = count;
    }
    return &numbers->of[id];
}

static tp_status fail_memory(tp_error *err)
{
    return tp_fail(err, TP_E_NOMEM, "no memory to recover a recording");
}

/* The offset of a copy with a NUL; texts move, so that offsets are turned into pointers last. */
static size_t keep_text(struct copy *copy, tpi_mcap_view text)
{
    const size_t at = copy->texts.length;

    tpi_buf_put(&copy->texts, text.at, tpi_mcap_left(&text));
    tpi_buf_putc(&copy->texts, '\0');
    return at;
}

static const char *text_at(const struct copy *copy, size_t at)
{
    return copy->texts.failed ? "" : copy->texts.data + at;
}

/* Notes beyond the limit are left out: no recorder makes so many. */
static void keep_notes(struct copy *copy, tpi_mcap_view view, size_t names[MOST_NOTES],
                       size_t values[MOST_NOTES], size_t *count)
{
    tpi_mcap_view name, value;

    *count = 0;
    while (*count < MOST_NOTES && tpi_log_take_note(&view, &name, &value)) {
        names[*count] = keep_text(copy, name);
        values[(*count)++] = keep_text(copy, value);
    }
}

static tp_status copy_described(struct copy *copy, const tpi_log_item *item, tp_error *err)
{
    size_t names[MOST_NOTES], values[MOST_NOTES], count = 0;
    tpi_log_note notes[MOST_NOTES + 1] = {{NULL, NULL}};

    tpi_buf_clear(&copy->texts);
    const size_t name = keep_text(copy, item->name), encoding = keep_text(copy, item->encoding);
    keep_notes(copy, item->notes, names, values, &count);
    for (size_t i = 0; i < count; i++) {
        notes[i] = (tpi_log_note){text_at(copy, names[i]), text_at(copy, values[i])};
    }
    uint16_t *number = item->kind == TPI_LOG_SCHEMA    ? place_of(&copy->schemas, item->id)
                       : item->kind == TPI_LOG_CHANNEL ? place_of(&copy->channels, item->id)
                                                       : NULL;
    if (number == NULL && (item->kind == TPI_LOG_SCHEMA || item->kind == TPI_LOG_CHANNEL)) {
        return fail_memory(err);
    }
    switch (item->kind) {
    case TPI_LOG_SCHEMA:
        return tpi_log_writer_schema(copy->writer, text_at(copy, name), text_at(copy, encoding),
                                     item->bytes.at, tpi_mcap_left(&item->bytes), number, err);
    case TPI_LOG_CHANNEL:
        return tpi_log_writer_channel(copy->writer, number_of(&copy->schemas, item->schema),
                                      text_at(copy, name), text_at(copy, encoding), notes, number,
                                      err);
    default:
        return tpi_log_writer_metadata(copy->writer, text_at(copy, name), notes, err);
    }
}

static tp_status copy_message(struct copy *copy, const tpi_log_item *item, tp_error *err)
{
    const tpi_log_message message = {.channel = number_of(&copy->channels, item->id),
                                     .sequence = item->sequence,
                                     .log_ns = item->log_ns,
                                     .publish_ns = item->publish_ns,
                                     .bytes = item->bytes.at,
                                     .length = tpi_mcap_left(&item->bytes)};

    return tpi_log_writer_message(copy->writer, &message, err);
}

tp_status tpi_log_recover(const tpi_log_source *source, tpi_log_writer *writer,
                          tpi_log_recovery *recovery, tp_error *err)
{
    struct copy copy = {.writer = writer};
    tpi_log_reader *reader = NULL;
    tpi_log_item item;
    tp_error why = {.text = ""};
    tp_status status = tpi_log_reader_open(&reader, source, err);

    *recovery = (tpi_log_recovery){0};
    while (status == TP_OK) {
        status = tpi_log_reader_next(reader, &item, &why);
        if (status == TP_E_SYNTAX) {
            if (recovery->first.code == TP_OK) {
                recovery->first = why;
            }
            status = TP_OK;
        } else if (status == TP_OK) {
            recovery->messages += item.kind == TPI_LOG_MESSAGE;
            status = item.kind == TPI_LOG_MESSAGE ? copy_message(&copy, &item, err)
                                                  : copy_described(&copy, &item, err);
        } else if (status != TP_E_CLOSED) {
            (void)tp_fail(err, status, "%s", why.text);
        }
    }
    if (reader != NULL) {
        recovery->chunks = tpi_log_reader_chunks(reader);
        recovery->damages = tpi_log_reader_damages(reader);
    }
    tpi_log_reader_close(reader);
    tpi_buf_fini(&copy.texts);
    free(copy.schemas.of);
    free(copy.channels.of);
    return status == TP_E_CLOSED ? TP_OK : status;
}
