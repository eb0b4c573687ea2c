/* log_fuzz.c - reading any file as a recording; what is recovered from it is a sound recording. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "log/recorder.h"
#include "log/recover.h"

enum { MOST = 1 << 20 }; /* of what is written: a bomb must not fill the memory of the fuzzer */

static tp_status read_bytes(void *context, uint64_t at, void *bytes, size_t length, tp_error *err)
{
    const tpi_buf *file = context;

    if (at > file->length || length > file->length - at) {
        return tp_fail(err, TP_E_IO, "beyond the end");
    }
    memcpy(bytes, file->data + at, length);
    return TP_OK;
}

static tp_status keep_bytes(void *context, const void *bytes, size_t length, tp_error *err)
{
    tpi_buf *file = context;

    if (file->length + length > MOST) {
        return tp_fail(err, TP_E_LIMIT, "too long");
    }
    tpi_buf_put(file, bytes, length);
    return TP_OK;
}

static tpi_log_source source_of(tpi_buf *file)
{
    return (tpi_log_source){.context = file, .size = file->length, .read = read_bytes};
}

/* Read to the end; every message is tried as one of ours. */
static void read_all(tpi_buf *file, bool sound)
{
    static tpi_log_track tracks[65536];
    tp_catalogue *learned = NULL;
    const tpi_log_source source = source_of(file);
    tpi_log_reader *reader = NULL;
    tpi_log_item item;
    tp_error err = {.text = ""};
    tp_status status;

    if (tpi_log_reader_open(&reader, &source, &err) != TP_OK) {
        fuzz_require(err.text[0] != '\0', "a failure without a reason");
        return;
    }
    fuzz_require(tp_catalogue_create(&learned, NULL) == TP_OK, "no catalogue");
    while ((status = tpi_log_reader_next(reader, &item, &err)) != TP_E_CLOSED) {
        void *value = NULL;

        fuzz_require(status == TP_OK || (status == TP_E_SYNTAX && !sound) || status == TP_E_NOMEM,
                     "a recovered recording is damaged");
        if (status == TP_E_NOMEM) {
            break;
        }
        if (status == TP_OK && item.kind == TPI_LOG_CHANNEL) {
            tpi_log_learn(learned, &item);
            tpi_log_track_read(&tracks[item.id], &item, fuzz_catalogue());
        } else if (status == TP_OK && item.kind == TPI_LOG_MESSAGE) {
            (void)tpi_log_track_value(&tracks[item.id], &item, &value, &err);
        }
        free(value);
    }
    tpi_log_reader_close(reader);
    tp_catalogue_destroy(learned);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tpi_buf file = {0}, saved = {0};
    const tpi_log_writer_options options = {.sink = keep_bytes, .context = &saved};
    tpi_log_writer *writer = NULL;
    tpi_log_recovery recovery;

    tpi_buf_put(&file, data, size);
    const tpi_log_source source = source_of(&file);
    read_all(&file, false);
    fuzz_require(tpi_log_writer_open(&writer, &options, NULL) == TP_OK, "cannot write");
    const bool recovered = tpi_log_recover(&source, writer, &recovery, NULL) == TP_OK;
    if (tpi_log_writer_close(writer, NULL) == TP_OK && recovered) {
        read_all(&saved, true);
    }
    tpi_buf_fini(&saved);
    tpi_buf_fini(&file);
    return 0;
}
