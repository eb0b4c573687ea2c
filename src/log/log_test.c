/* log_test.c - recordings are written, read, cut, damaged and recovered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "log/recorder.h"
#include "log/recover.h"
#include "support/random.h"
#include "troupe/interfaces/laser.h"

enum { CHUNKS = 20, PER_CHUNK = 10, MESSAGES = CHUNKS * PER_CHUNK };

static tp_status to_buf(void *context, const void *bytes, size_t length, tp_error *err)
{
    tpi_buf *buf = context;

    (void)err;
    tpi_buf_put(buf, bytes, length);
    return TP_OK;
}

static tp_status from_buf(void *context, uint64_t at, void *bytes, size_t length, tp_error *err)
{
    const tpi_buf *buf = context;

    if (at > buf->length || length > buf->length - at) {
        return tp_fail(err, TP_E_IO, "read beyond the end");
    }
    memcpy(bytes, buf->data + at, length);
    return TP_OK;
}

static tpi_log_source source_of(tpi_buf *file)
{
    return (tpi_log_source){.context = file, .size = file->length, .read = from_buf};
}

/* The payload of message i: its number and as many letters as that says. */
static size_t payload(char *text, size_t size, unsigned i)
{
    const int length = snprintf(text, size, "{\"n\":%u,\"x\":\"%.*s\"}", i, (int)(i % 40),
                                "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");

    assert_true(length > 0 && (size_t)length < size);
    return (size_t)length;
}

static tpi_log_writer *writer_to(tpi_buf *file, tpi_mcap_compression compression)
{
    const tpi_log_writer_options options = {
        .sink = to_buf, .context = file, .compression = compression};
    tpi_log_writer *writer = NULL;

    assert_int_equal(tpi_log_writer_open(&writer, &options, NULL), TP_OK);
    return writer;
}

/* A recording of two channels: message i at i milliseconds. */
static void record(tpi_buf *file, tpi_mcap_compression compression)
{
    tpi_log_writer *writer = writer_to(file, compression);
    const tpi_log_note notes[] = {{"device", "laser:0"}, {NULL, NULL}};
    uint16_t schema, channels[2];

    assert_int_equal(tpi_log_writer_schema(writer, "Scan", "jsonschema", "{}", 2, &schema, NULL),
                     TP_OK);
    assert_int_equal(
        tpi_log_writer_channel(writer, schema, "/a", "json", notes, &channels[0], NULL), TP_OK);
    assert_int_equal(tpi_log_writer_channel(writer, 0, "/b", "json", NULL, &channels[1], NULL),
                     TP_OK);
    assert_int_equal(tpi_log_writer_metadata(writer, "troupe", notes, NULL), TP_OK);
    for (unsigned i = 0; i < MESSAGES; i++) {
        char text[128];
        const tpi_log_message message = {.channel = channels[i % 2],
                                         .sequence = i,
                                         .log_ns = i * UINT64_C(1000000),
                                         .publish_ns = i,
                                         .length = payload(text, sizeof text, i),
                                         .bytes = text};

        assert_int_equal(tpi_log_writer_message(writer, &message, NULL), TP_OK);
        if (i % PER_CHUNK == PER_CHUNK - 1) {
            assert_int_equal(tpi_log_writer_flush(writer, NULL), TP_OK);
        }
    }
    assert_int_equal(tpi_log_writer_messages(writer), MESSAGES);
    assert_int_equal(tpi_log_writer_close(writer, NULL), TP_OK);
}

/* Read all messages; each must be the one that was written. Returns how many there are. */
static unsigned read_all(tpi_buf *file, bool sound, unsigned *schemas, unsigned *channels)
{
    const tpi_log_source source = source_of(file);
    tpi_log_reader *reader = NULL;
    tpi_log_item item;
    unsigned messages = 0;
    tp_status status;

    *schemas = *channels = 0;
    assert_int_equal(tpi_log_reader_open(&reader, &source, NULL), TP_OK);
    while ((status = tpi_log_reader_next(reader, &item, NULL)) != TP_E_CLOSED) {
        if (status == TP_E_SYNTAX) {
            assert_false(sound);
            continue;
        }
        assert_int_equal(status, TP_OK);
        *schemas += item.kind == TPI_LOG_SCHEMA;
        *channels += item.kind == TPI_LOG_CHANNEL;
        if (item.kind == TPI_LOG_MESSAGE) {
            char text[128];
            const size_t length = payload(text, sizeof text, item.sequence);

            assert_int_equal(item.log_ns, item.sequence * UINT64_C(1000000));
            assert_int_equal(item.publish_ns, item.sequence);
            assert_int_equal(tpi_mcap_left(&item.bytes), length);
            assert_memory_equal(item.bytes.at, text, length);
            messages++;
        }
    }
    tpi_log_reader_close(reader);
    return messages;
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    for (unsigned c = 0; c < TPI_MCAP_COMPRESSIONS; c++) {
        tpi_buf file = {0};
        unsigned schemas, channels;

        record(&file, (tpi_mcap_compression)c);
        assert_int_equal(read_all(&file, true, &schemas, &channels), MESSAGES);
        assert_int_equal(schemas, 1);
        assert_int_equal(channels, 2);
        tpi_buf_fini(&file);
    }
}

static void the_summary_tells_of_the_whole_and_finds_times(void **state)
{
    tpi_buf file = {0};
    tpi_log_reader *reader = NULL;
    tpi_log_item item = {.kind = TPI_LOG_SCHEMA};

    (void)state;
    record(&file, TPI_MCAP_LZ4);
    const tpi_log_source source = source_of(&file);
    assert_int_equal(tpi_log_reader_open(&reader, &source, NULL), TP_OK);
    const tpi_log_summary *summary = tpi_log_reader_summary(reader);
    assert_true(summary->intact);
    assert_int_equal(summary->messages, MESSAGES);
    assert_int_equal(summary->chunks, CHUNKS);
    assert_int_equal(summary->channels, 2);
    assert_int_equal(summary->start_ns, 0);
    assert_int_equal(summary->end_ns, (MESSAGES - 1) * UINT64_C(1000000));
    assert_int_equal(tpi_log_reader_seek(reader, UINT64_C(95000000), NULL), TP_OK);
    while (item.kind != TPI_LOG_MESSAGE) {
        assert_int_equal(tpi_log_reader_next(reader, &item, NULL), TP_OK);
    }
    assert_int_equal(item.sequence, 90); /* the chunk begins there */
    assert_int_equal(tpi_log_reader_seek(reader, UINT64_C(1) << 60, NULL), TP_OK);
    assert_int_equal(tpi_log_reader_next(reader, &item, NULL), TP_E_CLOSED);
    tpi_log_reader_close(reader);
    tpi_buf_fini(&file);
}

/* Recover `file`; the result must be sound. Returns its messages. */
static uint64_t recover(tpi_buf *file, tpi_log_recovery *recovery)
{
    tpi_buf saved = {0};
    tpi_log_writer *writer = writer_to(&saved, TPI_MCAP_ZSTD);
    const tpi_log_source source = source_of(file);
    unsigned schemas, channels;

    assert_int_equal(tpi_log_recover(&source, writer, recovery, NULL), TP_OK);
    assert_int_equal(tpi_log_writer_close(writer, NULL), TP_OK);
    assert_int_equal(read_all(&saved, true, &schemas, &channels), recovery->messages);
    tpi_buf_fini(&saved);
    return recovery->messages;
}

/* Where chunk k ends, for each k. */
static void chunk_ends(tpi_buf *file, size_t ends[CHUNKS])
{
    size_t at = TPI_MCAP_MAGIC_LENGTH;
    unsigned k = 0;

    while (k < CHUNKS) {
        tpi_mcap_view view = {.at = (const unsigned char *)file->data + at,
                              .end = (const unsigned char *)file->data + file->length};
        const uint64_t op = tpi_mcap_take(&view, 1);

        at += (size_t)tpi_mcap_take(&view, 8) + TPI_MCAP_HEAD;
        if (op == TPI_MCAP_CHUNK) {
            ends[k++] = at;
        }
    }
}

static void a_cut_file_gives_every_chunk_before_the_cut(void **state)
{
    tpi_buf file = {0};
    size_t ends[CHUNKS];
    random_source random = {17};

    (void)state;
    record(&file, TPI_MCAP_LZ4);
    chunk_ends(&file, ends);
    const size_t whole = file.length;
    for (int i = 0; i < 200; i++) {
        tpi_log_recovery recovery;
        unsigned intact = 0;

        file.length = TPI_MCAP_MAGIC_LENGTH +
                      (size_t)random_below(&random, (uint32_t)(whole - TPI_MCAP_MAGIC_LENGTH));
        for (int k = 0; k < CHUNKS; k++) {
            intact += ends[k] <= file.length;
        }
        assert_int_equal(recover(&file, &recovery), intact * PER_CHUNK);
        assert_int_equal(recovery.chunks, intact);
        assert_true(recovery.damages > 0);
        assert_non_null(strstr(recovery.first.text, "at byte"));
    }
    file.length = whole;
    tpi_buf_fini(&file);
}

static void a_flipped_byte_costs_one_chunk_at_most(void **state)
{
    tpi_buf file = {0};
    random_source random = {18};

    (void)state;
    record(&file, TPI_MCAP_ZSTD);
    for (int i = 0; i < 200; i++) {
        const size_t at =
            TPI_MCAP_MAGIC_LENGTH + (size_t)random_below(&random, (uint32_t)(file.length - 16));
        const char before = file.data[at];
        tpi_log_recovery recovery;

        file.data[at] = (char)(before ^ (char)(1 << random_below(&random, 8)));
        assert_true(recover(&file, &recovery) >= MESSAGES - PER_CHUNK);
        assert_true(recovery.damages > 0);
        file.data[at] = before;
    }
    tpi_log_recovery recovery;
    assert_int_equal(recover(&file, &recovery), MESSAGES);
    assert_int_equal(recovery.damages, 0);
    tpi_buf_fini(&file);
}

/* Recover with one bit changed; how many messages there are. */
static uint64_t flipped(tpi_buf *file, size_t at, int bit)
{
    tpi_log_recovery recovery;

    file->data[at] = (char)(file->data[at] ^ (char)(1 << bit));
    const uint64_t messages = recover(file, &recovery);
    assert_true(recovery.damages > 0);
    file->data[at] = (char)(file->data[at] ^ (char)(1 << bit));
    return messages;
}

/* A wrong kind or length of a record hides no chunk, nor do wrong first or last bytes of a file. */
static void no_bit_outside_of_a_chunk_costs_a_chunk(void **state)
{
    tpi_buf file = {0};
    size_t at = 0;

    (void)state;
    record(&file, TPI_MCAP_PLAIN);
    for (; at < TPI_MCAP_MAGIC_LENGTH; at++) {
        assert_int_equal(flipped(&file, at, (int)(at % 8)), MESSAGES);
        assert_int_equal(flipped(&file, file.length - 1 - at, (int)(at % 8)), MESSAGES);
    }
    while (at < file.length - TPI_MCAP_MAGIC_LENGTH) {
        tpi_mcap_view view = {.at = (const unsigned char *)file.data + at};

        view.end = view.at + TPI_MCAP_HEAD;
        const uint64_t op = tpi_mcap_take(&view, 1);
        const unsigned left = op == TPI_MCAP_CHUNK ? MESSAGES - PER_CHUNK : MESSAGES;
        for (int bit = 0; bit < TPI_MCAP_HEAD * 8; bit++) {
            assert_true(flipped(&file, at + (size_t)bit / 8, bit % 8) >= left);
        }
        at += (size_t)tpi_mcap_take(&view, 8) + TPI_MCAP_HEAD;
    }
    tpi_buf_fini(&file);
}

static void what_is_no_recording_is_refused(void **state)
{
    tpi_buf file = {0};
    tpi_log_reader *reader = NULL;
    tp_error err;

    (void)state;
    tpi_buf_puts(&file, "#!/bin/sh\necho hello\n");
    const tpi_log_source source = source_of(&file);
    assert_int_equal(tpi_log_reader_open(&reader, &source, &err), TP_E_SYNTAX);
    assert_non_null(strstr(err.text, "not an MCAP file"));
    tpi_buf_fini(&file);
}

static tp_status full(void *context, const void *bytes, size_t length, tp_error *err)
{
    size_t *room = context;

    (void)bytes;
    if (length > *room) {
        return tp_fail(err, TP_E_IO, "no space left on the disk");
    }
    *room -= length;
    return TP_OK;
}

static void a_full_disk_is_told_and_stays_told(void **state)
{
    size_t room = 300;
    const tpi_log_writer_options options = {.sink = full, .context = &room};
    tpi_log_writer *writer = NULL;
    uint16_t channel;
    tp_error err = {.text = ""};
    const char bytes[200] = "x";

    (void)state;
    assert_int_equal(tpi_log_writer_open(&writer, &options, NULL), TP_OK);
    assert_int_equal(tpi_log_writer_channel(writer, 0, "/a", "json", NULL, &channel, NULL), TP_OK);
    const tpi_log_message message = {.channel = channel, .bytes = bytes, .length = sizeof bytes};
    assert_int_equal(tpi_log_writer_message(writer, &message, NULL), TP_OK);
    assert_int_equal(tpi_log_writer_flush(writer, &err), TP_E_IO);
    assert_string_equal(err.text, "no space left on the disk");
    assert_int_equal(tpi_log_writer_message(writer, &message, &err), TP_E_IO);
    assert_int_equal(tpi_log_writer_close(writer, &err), TP_E_IO);
    assert_string_equal(err.text, "no space left on the disk");
}

/* However late a flush comes: what a crash loses is never more than the span. */
static void no_chunk_is_longer_than_its_span(void **state)
{
    tpi_buf file = {0};
    const tpi_log_writer_options options = {.sink = to_buf, .context = &file, .span_ns = 1000};
    static const uint64_t times[] = {0, 500, 1000, 1001, 2001, 2002, 1500, 900, 5000};
    static const unsigned ends[] = {3, 5, 7, 8, 9}; /* messages up to the end of each chunk */
    tpi_log_writer *writer = NULL;
    uint16_t channel;
    unsigned chunks = 0;

    (void)state;
    assert_int_equal(tpi_log_writer_open(&writer, &options, NULL), TP_OK);
    assert_int_equal(tpi_log_writer_channel(writer, 0, "/a", "json", NULL, &channel, NULL), TP_OK);
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
        const tpi_log_message message = {
            .channel = channel, .log_ns = times[i], .bytes = "x", .length = 1};
        const size_t before = file.length;

        assert_int_equal(tpi_log_writer_message(writer, &message, NULL), TP_OK);
        assert_int_equal(file.length > before, i == ends[chunks]);
        chunks += file.length > before;
    }
    assert_int_equal(chunks, 4);
    assert_int_equal(tpi_log_writer_close(writer, NULL), TP_OK);
    tpi_buf_fini(&file);
}

/* Devices that send nothing, and what devices answer, are in the recording. */
static void devices_and_answers_are_noted(void **state)
{
    tpi_buf file = {0};
    const tpi_log_writer_options options = {.sink = to_buf, .context = &file};
    const tp_message *request =
        tp_interface_message_named(&tp_interface_laser, TP_KIND_REQUEST, "GET_GEOM");
    const tp_laser_geom geom = {.pose = {.px = 0.25}};
    tp_catalogue *catalogue = NULL;
    tpi_log_writer *writer = NULL;
    tpi_log_recorder *recorder = NULL;
    tpi_log_reader *reader = NULL;
    tpi_log_item item;
    tpi_log_about about;
    unsigned device;

    (void)state;
    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    assert_int_equal(tpi_log_writer_open(&writer, &options, NULL), TP_OK);
    assert_int_equal(tpi_log_recorder_create(&recorder, writer, TPI_LOG_XDR, NULL, NULL), TP_OK);
    assert_int_equal(
        tpi_log_recorder_add(recorder, "laser:3", "urg0", &tp_interface_laser, &device, NULL),
        TP_OK);
    assert_int_equal(tpi_log_recorder_answer(recorder, device, request, &geom, NULL), TP_OK);
    tpi_log_recorder_destroy(recorder);
    assert_int_equal(tpi_log_writer_close(writer, NULL), TP_OK);

    const tpi_log_source source = source_of(&file);
    assert_int_equal(tpi_log_reader_open(&reader, &source, NULL), TP_OK);
    assert_int_equal(tpi_log_reader_next(reader, &item, NULL), TP_OK);
    assert_true(tpi_log_about_read(&about, &item, catalogue));
    assert_string_equal(about.device, "laser:3");
    assert_string_equal(about.driver, "urg0");
    assert_ptr_equal(about.interface, &tp_interface_laser);
    assert_null(about.request);
    assert_int_equal(tpi_log_reader_next(reader, &item, NULL), TP_OK);
    assert_true(tpi_log_about_read(&about, &item, catalogue));
    assert_ptr_equal(about.request, request);
    assert_memory_equal(about.value.at, "{\"pose\":{\"px\":0.25", 18);
    assert_int_equal(tpi_log_reader_next(reader, &item, NULL), TP_E_CLOSED);
    tpi_log_reader_close(reader);
    tp_catalogue_destroy(catalogue);
    tpi_buf_fini(&file);
}

/* A reader knows the interfaces of others from the recording, as a client from the server. */
static void the_channel_of_an_own_interface_describes_it(void **state)
{
    static const char base[] = "interface base 213 \"Probes.\"\n"
                               "struct base_probe \"A probe.\" { wet f32 1 \"Share of water.\" }\n";
    static const char padi[] = "interface soil 212 \"Soil.\"\n"
                               "use base\n"
                               "struct soil_data \"One.\" { probe base_probe \"Its data.\" }\n"
                               "data STATE 1 (soil_data) required \"New.\"\n";
    const float wet = 0.5F;
    tpi_buf file = {0};
    const tpi_log_writer_options options = {.sink = to_buf, .context = &file};
    tp_catalogue *own = NULL, *catalogue = NULL;
    tpi_log_writer *writer = NULL;
    tpi_log_recorder *recorder = NULL;
    tpi_log_reader *reader = NULL;
    tpi_log_item item;
    tpi_log_track track;
    unsigned device;

    (void)state;
    assert_int_equal(tp_catalogue_create(&own, NULL), TP_OK);
    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    assert_int_equal(tp_catalogue_load_text(own, "base.padi", base, strlen(base), NULL), TP_OK);
    assert_int_equal(tp_catalogue_load_text(own, "soil.padi", padi, strlen(padi), NULL), TP_OK);
    assert_int_equal(tpi_log_writer_open(&writer, &options, NULL), TP_OK);
    assert_int_equal(tpi_log_recorder_create(&recorder, writer, TPI_LOG_JSON, own, NULL), TP_OK);
    assert_int_equal(tpi_log_recorder_add(recorder, "soil:0", "x", tp_catalogue_named(own, "soil"),
                                          &device, NULL),
                     TP_OK);
    assert_int_equal(tpi_log_recorder_put(recorder, device, 1, &wet, 1, 1, NULL), TP_OK);
    tpi_log_recorder_destroy(recorder);
    assert_int_equal(tpi_log_writer_close(writer, NULL), TP_OK);

    const tpi_log_source source = source_of(&file);
    assert_int_equal(tpi_log_reader_open(&reader, &source, NULL), TP_OK);
    while (tpi_log_reader_next(reader, &item, NULL) == TP_OK && item.kind != TPI_LOG_CHANNEL) {
    }
    tpi_log_track_read(&track, &item, catalogue);
    assert_null(track.what);
    tpi_log_learn(catalogue, &item);
    tpi_log_learn(catalogue, &item); /* a second channel adds nothing */
    tpi_log_track_read(&track, &item, catalogue);
    assert_string_equal(track.what->ask->name, "soil_data");
    tpi_log_reader_close(reader);
    tp_catalogue_destroy(catalogue);
    tp_catalogue_destroy(own);
    tpi_buf_fini(&file);
}

/* 256 MB are the most that a chunk may have; a few bytes cannot become as many. */
static void memory_is_not_taken_because_a_chunk_says_so(void **state)
{
    static const tpi_mcap_compression all[] = {TPI_MCAP_PLAIN, TPI_MCAP_LZ4, TPI_MCAP_ZSTD};
    const char bytes[100] = {0};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tpi_buf out = {0};
        tp_error err = {0};

        assert_int_equal(
            tpi_mcap_decompress(&out, all[i], bytes, sizeof bytes, (size_t)1 << 28, &err),
            TP_E_SYNTAX);
        assert_string_equal(err.text, "a chunk is damaged: its length");
        assert_null(out.data);
        tpi_buf_fini(&out);
    }
}

/* The other way round: what is as small as it can be is unpacked. */
static void much_that_is_packed_well_is_unpacked(void **state)
{
    static const tpi_mcap_compression all[] = {TPI_MCAP_LZ4, TPI_MCAP_ZSTD};
    enum { SIZE = 32 << 20 };
    tpi_buf zeros = {0};

    (void)state;
    memset(tpi_buf_reserve(&zeros, SIZE), 0, SIZE);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tpi_buf packed = {0}, out = {0};
        tp_error err = {0};

        assert_int_equal(tpi_mcap_compress(&packed, all[i], zeros.data, SIZE, &err), TP_OK);
        assert_int_equal(tpi_mcap_decompress(&out, all[i], packed.data, packed.length, SIZE, &err),
                         TP_OK);
        assert_int_equal(out.length, SIZE);
        tpi_buf_fini(&packed);
        tpi_buf_fini(&out);
    }
    tpi_buf_fini(&zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_not_taken_because_a_chunk_says_so),
        cmocka_unit_test(much_that_is_packed_well_is_unpacked),
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(the_summary_tells_of_the_whole_and_finds_times),
        cmocka_unit_test(a_cut_file_gives_every_chunk_before_the_cut),
        cmocka_unit_test(a_flipped_byte_costs_one_chunk_at_most),
        cmocka_unit_test(no_bit_outside_of_a_chunk_costs_a_chunk),
        cmocka_unit_test(what_is_no_recording_is_refused),
        cmocka_unit_test(a_full_disk_is_told_and_stays_told),
        cmocka_unit_test(no_chunk_is_longer_than_its_span),
        cmocka_unit_test(devices_and_answers_are_noted),
        cmocka_unit_test(the_channel_of_an_own_interface_describes_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
