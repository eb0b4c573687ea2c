/*
 * source.c - the entries of a recording; see log.h.
 *
 * MCAP files are read with log/reader.h, Player's text files line by line with log/text.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "log.h"
#include "log/text.h"

enum { CHANNELS = 65536, MOST_LINE = 1 << 24 };

struct log_source {
    FILE *file; /* owned */
    const tp_catalogue *catalogue;
    tpi_log_source bytes;
    tpi_log_reader *reader; /* owned; NULL for a text */
    tpi_log_track *tracks;  /* owned, by channel */
    void *value;            /* owned: of the last entry */
    bool is_text;
    tpi_buf line;
    uint64_t left_out;
};

void tpi_source_close(struct log_source *s)
{
    if (s != NULL) {
        tpi_log_reader_close(s->reader);
        if (s->file != NULL) {
            (void)fclose(s->file);
        }
        tpi_buf_fini(&s->line);
        free(s->tracks);
        free(s->value);
        free(s);
    }
}

tp_status tpi_source_open(struct log_source **out, const char *path, const tp_catalogue *catalogue,
                          tp_error *err)
{
    struct log_source *s = calloc(1, sizeof *s);
    tp_status status;

    if (s == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    s->catalogue = catalogue;
    s->is_text = tpi_log_is_text(path);
    status = tpi_file_open(&s->file, path, err);
    if (status != TP_OK) {
        tpi_source_close(s);
        return status;
    }
    if (!s->is_text) {
        s->tracks = calloc(CHANNELS, sizeof *s->tracks);
        status = s->tracks == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                   : tpi_log_from_file(&s->bytes, s->file, err);
        status = status == TP_OK ? tpi_log_reader_open(&s->reader, &s->bytes, err) : status;
    }
    if (status != TP_OK) {
        tpi_source_close(s);
        return tp_wrap(err, status, path);
    }
    *out = s;
    return TP_OK;
}

/* ---- MCAP ------------------------------------------------------------------------------------ */

/* The interface that a data message belongs to. */
static const tp_interface *interface_of(const struct log_source *s, const char *device)
{
    char interface[80];

    (void)snprintf(interface, sizeof interface, "%.*s", (int)strcspn(device, ":"), device);
    return tp_catalogue_named(s->catalogue, interface);
}

static bool take_about(struct log_source *s, const tpi_log_item *item, struct log_entry *entry)
{
    tpi_log_about about;

    if (!tpi_log_about_read(&about, item, s->catalogue) || about.interface == NULL) {
        return false;
    }
    memcpy(entry->device, about.device, sizeof entry->device);
    entry->interface = about.interface;
    if (about.request != NULL && about.request->answer != NULL &&
        tp_value_from_json(&s->value, about.request->answer, (const char *)about.value.at,
                           tpi_mcap_left(&about.value), NULL) == TP_OK) {
        entry->what = about.request;
        entry->value = s->value;
    }
    return true;
}

/* False if the item is not known. */
static bool take_item(struct log_source *s, const tpi_log_item *item, struct log_entry *entry)
{
    tpi_log_track *track = item->kind == TPI_LOG_METADATA ? NULL : &s->tracks[item->id];

    *entry = (struct log_entry){.log_ns = item->log_ns};
    if (item->kind == TPI_LOG_METADATA) {
        return take_about(s, item, entry);
    }
    if (item->kind == TPI_LOG_CHANNEL) {
        tpi_log_track_read(track, item, s->catalogue);
    }
    memcpy(entry->device, track->device, sizeof entry->device);
    entry->interface = track->what == NULL ? NULL : interface_of(s, track->device);
    if (item->kind == TPI_LOG_MESSAGE && entry->interface != NULL &&
        tpi_log_track_value(track, item, &s->value, NULL) == TP_OK) {
        entry->what = track->what;
        entry->value = s->value;
        entry->publish_s = (double)item->publish_ns / 1e9;
    }
    return entry->interface != NULL && (item->kind == TPI_LOG_CHANNEL || entry->what != NULL);
}

static tp_status next_item(struct log_source *s, struct log_entry *entry, tp_error *err)
{
    tpi_log_item item;
    tp_status status;

    while ((status = tpi_log_reader_next(s->reader, &item, err)) == TP_OK ||
           status == TP_E_SYNTAX) {
        free(s->value);
        s->value = NULL;
        if (status == TP_OK && item.kind == TPI_LOG_SCHEMA) {
            continue;
        }
        if (status == TP_OK && take_item(s, &item, entry)) {
            return TP_OK;
        }
        s->left_out += status != TP_OK || item.kind == TPI_LOG_MESSAGE;
    }
    return status;
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Read a line, without its end. False at the end of the file. */
static bool read_line(struct log_source *s)
{
    int c = EOF;

    tpi_buf_clear(&s->line);
    while ((c = getc(s->file)) != EOF && c != '\n') {
        if (s->line.length < MOST_LINE) {
            tpi_buf_putc(&s->line, (char)c);
        }
    }
    return c != EOF || s->line.length > 0;
}

static tp_status next_line(struct log_source *s, struct log_entry *entry, tp_error *err)
{
    while (read_line(s)) {
        tpi_log_text text;

        if (s->line.failed) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        free(s->value);
        s->value = NULL;
        const tp_status status =
            tpi_log_text_read(&text, tpi_buf_text(&s->line), s->catalogue, &s->value, NULL);
        if (status == TP_OK) {
            *entry = (struct log_entry){.interface = text.interface,
                                        .what = text.what,
                                        .value = s->value,
                                        .log_ns = text.time_ns,
                                        .publish_s = (double)text.time_ns / 1e9};
            (void)snprintf(entry->device, sizeof entry->device, "%s:%u", text.interface->name,
                           text.index);
            return TP_OK;
        }
        if (status == TP_E_NOMEM) {
            return tp_fail(err, status, "out of memory");
        }
        s->left_out += status != TP_E_CLOSED; /* that is a comment */
    }
    return ferror(s->file) != 0 ? tp_fail(err, TP_E_IO, "cannot read on") : TP_E_CLOSED;
}

tp_status tpi_source_next(struct log_source *s, struct log_entry *entry, tp_error *err)
{
    return s->is_text          ? next_line(s, entry, err)
           : s->reader == NULL ? TP_E_CLOSED
                               : next_item(s, entry, err);
}

tp_status tpi_source_seek(struct log_source *s, uint64_t log_ns, tp_error *err)
{
    s->left_out = 0;
    if (s->is_text) {
        rewind(s->file);
        return TP_OK;
    }
    tpi_log_reader_close(s->reader);
    s->reader = NULL;
    tp_status status = tpi_log_reader_open(&s->reader, &s->bytes, err);
    if (status == TP_OK && log_ns > 0) {
        (void)tpi_log_reader_seek(s->reader, log_ns, NULL); /* without an index: from the start */
    }
    return status;
}

uint64_t tpi_source_left_out(const struct log_source *s)
{
    return s == NULL ? 0 : s->left_out;
}

uint64_t tpi_source_end(const struct log_source *s)
{
    const tpi_log_summary *summary = s->reader == NULL ? NULL : tpi_log_reader_summary(s->reader);

    return summary != NULL && summary->intact ? summary->end_ns : 0;
}
