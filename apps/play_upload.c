/*
 * play_upload.c - troupe play PROGRAM --upload LINE: a program into a chip, where it runs alone.
 *
 * The devices are matched here, to the robot file of the firmware (--on uno). The image goes to the
 * chip in blocks, each with its checksum, the first one last: without it nothing is a program. Then
 * the chip examines what it has and starts it; checksum and length are compared.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "chip_line.h"
#include "output.h"
#include "play.h"
#include "play/bind.h"
#include "play/chip.h"
#include "play/show.h"
#include "universal/host/files.h"

static const char name[] = PLAY_NAME;

enum { BLOCK = 64, WATCH_PRINTS = 1, WATCH_TRACE = 2 };
enum { NEWS_PRINT = 1, NEWS_LOG = 2, NEWS_ACT = 3, NEWS_RESULT = 4, NEWS_END = 5 };
static const int64_t S_NS = 1000000000;

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

/* ---- Matching ---- */

static int match(const play_options *options, const play_source *source, tpi_buf *image)
{
    const tpi_play_chip chip = {TPI_PLAY_CHIP_BYTES, TPI_PLAY_CHIP_CELLS};
    tpi_loaded loaded = {0};
    tpi_buf out = {0};
    tp_error err = {0};
    int result = EXIT_DONE;

    tp_status status = tpi_loaded_init(&loaded, options->robot != NULL ? options->robot : "uno",
                                       options->wiring, &err);
    for (unsigned i = 0; status == TP_OK && i < options->map_count; i++) {
        status = tpi_wired_map(loaded.wired, options->maps[i], &err);
    }
    if (status == TP_OK) {
        const unsigned missing =
            tpi_play_explain(&out, &source->program, loaded.wired, options->is_loose, &err);
        result = command_write(name, &out);
        fflush(stdout);
        status = missing > 0 ? TP_E_UNKNOWN : TP_OK;
    }
    if (status == TP_OK) {
        status = tpi_play_fit_chip(image, &source->program, loaded.wired, options->is_loose, &chip,
                                   &err);
    }
    if (status != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "%s does not fit the chip: %s", options->path,
                              err.text);
    }
    tpi_buf_fini(&out);
    tpi_loaded_fini(&loaded);
    return result;
}

/* ---- Loading ---- */

static tp_status load_block(chip_line *line, const tpi_buf *image, size_t at, tp_error *err)
{
    const size_t length = image->length - at < BLOCK ? image->length - at : BLOCK;
    uint8_t body[4 + BLOCK] = {(uint8_t)(at >> 8), (uint8_t)at};
    uint8_t reply[8];
    size_t got;

    memcpy(body + 4, image->data + at, length);
    uint16_t sum = tpi_play_checksum(0xffff, body, 2);
    sum = tpi_play_checksum(sum, body + 4, length);
    body[2] = (uint8_t)(sum >> 8);
    body[3] = (uint8_t)sum;
    return chip_line_call(line, CHIP_LOAD, body, 4 + length, reply, sizeof reply, &got, err);
}

static tp_status load(chip_line *line, const tpi_buf *image, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t block = (image->length + BLOCK - 1) / BLOCK; block > 0 && status == TP_OK;
         block--) {
        status = load_block(line, image, (block - 1) * BLOCK, err);
    }
    return status;
}

static tp_status start(chip_line *line, const tpi_buf *image, uint8_t watch, chip_state *state,
                       tp_error *err)
{
    const unsigned checksum = (uint8_t)image->data[TPI_PLAY_AT_CHECKSUM] |
                              (unsigned)(uint8_t)image->data[TPI_PLAY_AT_CHECKSUM + 1] << 8;
    tp_status status = chip_line_state(line, CHIP_RUN, watch, state, err);

    if (status == TP_OK && state->state == CHIP_NONE) {
        tp_error why = {0};
        tpi_play_verify_fail(state->reason, state->at, &why);
        status = tp_fail(err, TP_E_INVALID, "the chip does not run it: %s", why.text);
    } else if (status == TP_OK && (state->checksum != checksum || state->length != image->length)) {
        status = tp_fail(err, TP_E_INVALID, "the chip has stored something else");
    }
    return status;
}

/* ---- What it tells ---- */

static uint32_t long_at(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* A row of cells: each a tag, and four bytes, or a length and a text. */
static void put_cells(tpi_buf *out, const uint8_t *bytes, size_t length)
{
    for (size_t at = 0; at + 2 <= length;) {
        tpi_buf_puts(out, at > 0 ? " " : "");
        if (bytes[at] == TPI_PLAY_TEXT) {
            const size_t most = length - at - 2;
            const size_t count = bytes[at + 1] < most ? bytes[at + 1] : most;
            tpi_buf_put(out, bytes + at + 2, count);
            at += 2 + count;
        } else if (at + 5 <= length) {
            const tpi_play_cell cell = {.as.bits = long_at(bytes + at + 1),
                                        .tag = (uint8_t)(bytes[at] % TPI_PLAY_TEXT)};
            tpi_play_put_cell(out, NULL, &cell);
            at += 5;
        } else {
            return;
        }
    }
}

/* Print news. True at the end of the program. */
static bool tell(const uint8_t *packet, size_t length)
{
    tpi_buf line = {0}, clean = {0};

    if (length >= 6 && packet[1] == NEWS_END) {
        return true;
    }
    if (length < 5) {
        return false;
    }
    const tpi_command done = tpi_dictionary_code((uint16_t)(packet[2] << 8 | packet[3]));
    if (packet[1] == NEWS_ACT && done < TPI_COMMANDS) {
        tpi_buf_printf(&line, "%s ", tpi_dictionary_entry(done)->name);
    } else if (packet[1] == NEWS_RESULT) {
        tpi_buf_puts(&line, "  → ");
    }
    put_cells(&line, packet + 5, length - 5);
    output_put_clean(&clean, tpi_buf_text(&line), line.length);
    printf("%s\n", tpi_buf_text(&clean));
    fflush(stdout);
    tpi_buf_fini(&line);
    tpi_buf_fini(&clean);
    return false;
}

/* The line of a place in the image of the chip, which has more devices. */
static unsigned line_of(const play_source *source, const tpi_buf *image, unsigned pc)
{
    const uint8_t *here = (const uint8_t *)source->program.image.data + TPI_PLAY_AT_CODE;
    const uint8_t *there = (const uint8_t *)image->data + TPI_PLAY_AT_CODE;
    const unsigned moved =
        (unsigned)(there[0] | there[1] << 8) - (unsigned)(here[0] | here[1] << 8);

    return tpi_play_program_line(&source->program, (uint16_t)(pc - moved));
}

static int watch_it(const play_options *options, const play_source *source, const tpi_buf *image,
                    chip_line *line)
{
    uint8_t packet[CHIP_LONGEST];
    size_t length;
    tp_error err = {0};

    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    while (!interrupted) {
        const tp_status status =
            chip_line_news(line, packet, sizeof packet, &length, S_NS / 5, &err);
        if (status == TP_E_TIMEOUT) {
            continue;
        }
        if (status != TP_OK) {
            return interrupted ? EXIT_DONE : command_fail(name, EXIT_FAILED, "%s", err.text);
        }
        if (tell(packet, length)) {
            const unsigned pc = (unsigned)(packet[4] << 8 | packet[5]);
            return packet[2] != CHIP_FAULTED
                       ? EXIT_DONE
                       : command_fail(name, EXIT_FAILED, "%s:%u: %s", options->path,
                                      line_of(source, image, pc), tpi_play_fault_text(packet[3]));
        }
    }
    return EXIT_DONE;
}

/* ---- The command ---- */

int play_upload(const play_options *options, const play_source *source)
{
    const uint8_t watch = !options->watch && !options->trace ? 0
                          : options->trace                   ? WATCH_PRINTS | WATCH_TRACE
                                                             : WATCH_PRINTS;
    tpi_buf image = {0};
    chip_line *line = NULL;
    chip_state state = {0};
    tp_error err = {0};
    int result = match(options, source, &image);

    if (result == EXIT_DONE) {
        tp_status status = chip_line_open(&line, options->upload, &err);
        status = status == TP_OK ? chip_line_knock(line, 5 * S_NS, &err) : status;
        status = status == TP_OK ? load(line, &image, &err) : status;
        status = status == TP_OK ? start(line, &image, watch, &state, &err) : status;
        if (status != TP_OK) {
            result = command_fail(name, EXIT_FAILED, "%s", err.text);
        } else {
            printf("%s runs on the chip: %zu of %u bytes, %u of %u cells\n", options->path,
                   image.length, state.bytes, (unsigned)(uint8_t)image.data[TPI_PLAY_AT_REGISTERS],
                   state.cells);
            fflush(stdout);
        }
    }
    if (result == EXIT_DONE && watch != 0) {
        result = watch_it(options, source, &image, line);
    }
    chip_line_close(line);
    tpi_buf_fini(&image);
    return result;
}
