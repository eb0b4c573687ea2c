/* play_log.c - the file of `log`; see play_log.h. */
#include "play_log.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "log.h"
#include "log/writer.h"
#include "play/show.h"

static const char name[] = "play";

enum { MOST_SERIES = 256 }; /* a program has fewer texts */

static const uint64_t NS_PER_MS = 1000000;

struct play_log {
    FILE *file;             /* owned */
    const char *path;       /* borrowed */
    tpi_log_writer *writer; /* owned; NULL for a table */
    uint16_t schema;
    unsigned count;
    char *series[MOST_SERIES]; /* owned: the names; the index is the channel less one */
    uint32_t sequence[MOST_SERIES];
    uint64_t flushed_ms;
    tp_error err; /* the first failure of the recording */
};

/* ---- Tables ---- */

static void put_quoted(tpi_buf *out, const tpi_buf *text)
{
    tpi_buf_putc(out, '"');
    for (size_t i = 0; i < text->length; i++) {
        tpi_buf_puts(out, text->data[i] == '"' ? "\"" : "");
        tpi_buf_putc(out, text->data[i]);
    }
    tpi_buf_putc(out, '"');
}

static void write_line(const play_log *log, uint64_t ms, const tpi_buf *series,
                       const tpi_buf *value, bool is_text)
{
    tpi_buf line = {0};

    tpi_buf_puts(&line, tpi_buf_text(series));
    tpi_buf_putc(&line, ',');
    if (is_text) {
        put_quoted(&line, value);
    } else {
        tpi_buf_puts(&line, tpi_buf_text(value));
    }
    fprintf(log->file, "%ld.%03ld,%s\n", (long)(ms / 1000), (long)(ms % 1000), tpi_buf_text(&line));
    fflush(log->file);
    tpi_buf_fini(&line);
}

/* ---- Recordings ---- */

static tp_status begin_recording(play_log *log)
{
    static const char schema[] =
        "{\"title\":\"Value\",\"type\":\"object\",\"properties\":{\"value\":{\"type\":"
        "[\"number\",\"boolean\",\"string\",\"null\"]}}}";
    const tpi_log_writer_options options = {.sink = log_file_sink, .context = log->file};
    tp_status status = tpi_log_writer_open(&log->writer, &options, &log->err);

    return status == TP_OK ? tpi_log_writer_schema(log->writer, "Value", "jsonschema", schema,
                                                   sizeof schema - 1, &log->schema, &log->err)
                           : status;
}

/* The channel of a name, made at its first value; 0 if there is none. */
static uint16_t channel_of(play_log *log, const char *series)
{
    char topic[300];
    uint16_t channel = 0;

    for (unsigned i = 0; i < log->count; i++) {
        if (strcmp(log->series[i], series) == 0) {
            return (uint16_t)(i + 1);
        }
    }
    snprintf(topic, sizeof topic, "/%s", series);
    char *copy = log->count < MOST_SERIES ? malloc(strlen(series) + 1) : NULL;
    if (copy == NULL) {
        tp_fail(&log->err, TP_E_NOMEM, "out of memory");
    } else if (tpi_log_writer_channel(log->writer, log->schema, topic, "json", NULL, &channel,
                                      &log->err) != TP_OK) {
        free(copy);
    } else {
        log->series[log->count++] = strcpy(copy, series);
    }
    return channel;
}

/* What was flushed survives a crash. */
static void write_message(play_log *log, uint64_t ms, const char *series, const tpi_buf *json)
{
    const uint16_t channel = log->err.code == TP_OK ? channel_of(log, series) : 0;

    if (channel == 0) {
        return;
    }
    const tpi_log_message message = {.channel = channel,
                                     .sequence = log->sequence[channel - 1]++,
                                     .log_ns = ms * NS_PER_MS,
                                     .publish_ns = ms * NS_PER_MS,
                                     .bytes = tpi_buf_text(json),
                                     .length = json->length};
    const tp_status status = tpi_log_writer_message(log->writer, &message, &log->err);
    if (status == TP_OK && ms - log->flushed_ms >= 1000) {
        log->flushed_ms = ms;
        (void)tpi_log_writer_flush(log->writer, &log->err);
    }
}

static void put_json(tpi_buf *out, const tpi_play_cell *cell, const tpi_buf *value)
{
    tpi_buf_puts(out, "{\"value\":");
    if (cell->tag == TPI_PLAY_TEXT) {
        tpi_json_put_string(out, tpi_buf_text(value), value->length);
    } else {
        const bool has_digits = isfinite(tpi_play_cell_number(cell));
        tpi_buf_puts(out, has_digits ? tpi_buf_text(value) : "null");
    }
    tpi_buf_putc(out, '}');
}

/* ---- Both ---- */

int play_log_open(play_log **out, const char *path)
{
    play_log *log = calloc(1, sizeof *log);
    int result = EXIT_DONE;

    if (log == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    log->path = path;
    log->file = fopen(path, "wb");
    if (log->file == NULL) {
        result = command_fail(name, EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
        free(log);
    } else if (!log_ends_in(path, ".mcap")) {
        fputs("time,name,value\n", log->file);
        *out = log;
    } else if (begin_recording(log) == TP_OK) {
        *out = log;
    } else {
        result = play_log_close(log);
    }
    return result;
}

void play_log_row(play_log *log, const tpi_play_machine *machine, const tpi_play_request *request)
{
    const tpi_play_cell *cell = &request->row[1];
    tpi_buf series = {0}, value = {0}, json = {0};

    tpi_play_put_cell(&series, machine, &request->row[0]);
    tpi_play_put_cell(&value, machine, cell);
    if (log->writer == NULL) {
        write_line(log, (uint64_t)machine->now_ms, &series, &value, cell->tag == TPI_PLAY_TEXT);
    } else {
        put_json(&json, cell, &value);
        write_message(log, (uint64_t)machine->now_ms, tpi_buf_text(&series), &json);
    }
    tpi_buf_fini(&series);
    tpi_buf_fini(&value);
    tpi_buf_fini(&json);
}

int play_log_close(play_log *log)
{
    int result = EXIT_DONE;

    if (log == NULL) {
        return result;
    }
    const bool has_failed = log->err.code != TP_OK;
    (void)tpi_log_writer_close(log->writer, has_failed ? NULL : &log->err);
    if (fclose(log->file) != 0 && log->err.code == TP_OK) {
        tp_fail(&log->err, TP_E_IO, "%s", strerror(errno));
    }
    if (log->err.code != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "cannot write %s: %s", log->path, log->err.text);
    }
    for (unsigned i = 0; i < log->count; i++) {
        free(log->series[i]);
    }
    free(log);
    return result;
}
