/*
 * traces.c - programs on the chip and on this computer: what they print, what they ask of the robot
 * and what they get must be the same bytes.
 *
 * Some programs are written by hand, the others are made by chance. The machine of this computer
 * has as much memory as that of the chip, so that even calls that are too deep end at the same
 * place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "chip/chip.h"
#include "chip/programs.h"
#include "play/machine.h"
#include "play/program.h"

enum { CELLS = 128, FRAMES = 16, SLOTS = 2, SLOT = 8 }; /* as in firmware/sizes.h */
enum {
    RUN = 17,
    NEWS = 3,
    NEWS_PRINT = 1,
    NEWS_LOG = 2,
    NEWS_ACT = 3,
    NEWS_RESULT = 4,
    NEWS_END = 5
};
enum { ENDED = 3, FAULTED = 4 };
enum { CHANNELS = 6, MOST_MS = 20000 };

/* ---- Devices ---- */

static unsigned millivolts(unsigned channel)
{
    return 300 + 800 * channel;
}

/* Give each device a port of the chip that fits the command that it is used with. */
static void resolve(tpi_play_program *program)
{
    uint8_t *image = (uint8_t *)program->image.data;
    tpi_play_layout layout;

    tpi_play_layout_read(&layout, image);
    for (unsigned i = 0; i < layout.device_count; i++) {
        const tpi_command command = program->devices[i].command;
        uint8_t *port = image + layout.ports + i * TPI_PLAY_PORT_SIZE;
        port[1] = (uint8_t)(i % 2);
        port[0] = command == TPI_READ_DIGITAL                                       ? 2
                  : command == TPI_READ_ANALOG || command == TPI_READ_GENERIC       ? 3
                  : command == TPI_MOVE_POWER                                       ? 19
                  : command == TPI_WRITE_DIGITAL || command == TPI_INDICATE_TRIGGER ? 17
                                                                                    : 18;
    }
    const uint16_t sum = tpi_play_checksum(0xffff, image + TPI_PLAY_AT_VERSION,
                                           program->image.length - TPI_PLAY_AT_VERSION);
    image[TPI_PLAY_AT_CHECKSUM] = (uint8_t)(sum & 0xff);
    image[TPI_PLAY_AT_CHECKSUM + 1] = (uint8_t)(sum >> 8);
}

/* What the chip reads, by another way: its volts are known. */
static void read_port(const tpi_play_machine *machine, const tpi_play_request *request)
{
    const uint8_t *port =
        machine->image + machine->layout.ports + request->device * TPI_PLAY_PORT_SIZE;
    const bool has_port = request->device != TPI_PLAY_NO_DEVICE;
    const unsigned channel = has_port ? port[1] & 63u : 0;
    const bool is_analog = has_port ? port[0] == 3 : request->code == 0x1003;
    const unsigned level = is_analog ? millivolts(channel) * 1023 / 5000 : 0;
    tpi_play_cell *out = &request->row[0];

    if (request->code == 0x1002) {
        out->tag = TPI_PLAY_BOOL;
        out->as.i = level >= 563;
    } else {
        out->tag = TPI_PLAY_FLOAT;
        out->as.f = (float)(level * 100) / 1023.0f;
    }
}

/* ---- This computer ---- */

static void put_row(tpi_buf *out, uint8_t news, const tpi_play_machine *machine)
{
    const tpi_play_request *request = &machine->request;
    const unsigned count = news == NEWS_RESULT ? request->results : request->values;

    tpi_buf_putc(out, NEWS);
    tpi_buf_putc(out, (char)news);
    tpi_buf_putc(out, (char)(request->code >> 8));
    tpi_buf_putc(out, (char)(request->code & 0xff));
    tpi_buf_putc(out, (char)request->device);
    for (unsigned i = 0; i < count; i++) {
        const tpi_play_cell *cell = &request->row[i];
        tpi_buf_putc(out, (char)cell->tag);
        if (cell->tag == TPI_PLAY_TEXT) {
            uint8_t length;
            const char *text = tpi_play_text(machine, cell, &length);
            tpi_buf_putc(out, (char)length);
            tpi_buf_put(out, text, length);
            continue;
        }
        for (int shift = 24; shift >= 0; shift -= 8) {
            tpi_buf_putc(out, (char)(cell->as.bits >> shift));
        }
    }
}

static void serve(tpi_buf *out, tpi_play_machine *machine)
{
    const tpi_play_request *request = &machine->request;

    if (request->code == TPI_PLAY_PRINT_CODE || request->code == TPI_PLAY_LOG_CODE) {
        put_row(out, request->code == TPI_PLAY_PRINT_CODE ? NEWS_PRINT : NEWS_LOG, machine);
    } else {
        put_row(out, NEWS_ACT, machine);
        if (request->code >> 8 == 0x10 && request->results > 0) {
            read_port(machine, request);
            put_row(out, NEWS_RESULT, machine);
        }
    }
    tpi_play_answer(machine);
}

static void put_end(tpi_buf *out, const tpi_play_machine *machine)
{
    const bool is_fault = machine->fault != TPI_PLAY_FINE;

    tpi_buf_putc(out, NEWS);
    tpi_buf_putc(out, NEWS_END);
    tpi_buf_putc(out, is_fault ? FAULTED : ENDED);
    tpi_buf_putc(out, (char)machine->fault);
    tpi_buf_putc(out, (char)(machine->fault_pc >> 8));
    tpi_buf_putc(out, (char)(machine->fault_pc & 0xff));
}

static void run_here(tpi_buf *out, const tpi_play_program *program)
{
    static tpi_play_machine machine;
    static tpi_play_cell cells[CELLS], constants[256];
    static tpi_play_frame frames[FRAMES];
    static char slots[SLOTS * SLOT];
    const tpi_play_memory memory = {cells, CELLS, frames, FRAMES, slots, SLOTS, SLOT, constants};

    if (!tpi_play_init(&machine, (const uint8_t *)program->image.data, &memory, 1)) {
        return;
    }
    for (;;) {
        const tpi_play_status status = tpi_play_run(&machine, 100);
        if (status == TPI_PLAY_ASKS) {
            serve(out, &machine);
        } else if (status == TPI_PLAY_WAITS) {
            machine.now_ms = tpi_play_wake_ms(&machine);
        } else if (status == TPI_PLAY_RUNS && machine.now_ms < MOST_MS) {
            machine.now_ms++;
        } else {
            break;
        }
    }
    put_end(out, &machine);
}

/* ---- The chip ---- */

static bool run_there(tpi_buf *out, board *b, const tpi_play_program *program)
{
    const uint8_t watch[] = {3};
    uint8_t packet[512];
    size_t length;

    board_reset(b);
    board_run_ms(b, 2);
    board_store(b, (const uint8_t *)program->image.data, program->image.length);
    if (!board_extended(b, RUN, watch, 1, packet, sizeof packet, &length) || packet[0] != 0 ||
        packet[6] != 2) {
        printf("the chip refuses the program: state %u, reason %u, at %u\n", packet[6], packet[7],
               packet[8] << 8 | packet[9]);
        return false;
    }
    while (board_packet(b, packet, sizeof packet, &length, MOST_MS)) {
        tpi_buf_put(out, packet, length);
        if (length > 1 && packet[1] == NEWS_END) {
            return true;
        }
    }
    printf("the program does not end on the chip\n");
    return false;
}

static void print_bytes(const char *who, const tpi_buf *bytes, size_t from)
{
    printf("  %s from byte %zu of %zu:", who, from, bytes->length);
    for (size_t i = from; i < bytes->length && i < from + 40; i++) {
        printf(" %02x", (uint8_t)bytes->data[i]);
    }
    printf("\n");
}

/* True if both did the same. */
static bool compare(board *b, unsigned long index, tpi_play_program *program, size_t *bytes)
{
    tpi_buf here = {0}, there = {0};

    resolve(program);
    run_here(&here, program);
    bool same = run_there(&there, b, program);
    size_t at = 0;
    while (at < here.length && at < there.length && here.data[at] == there.data[at]) {
        at++;
    }
    if (!same || at < here.length || at < there.length) {
        printf("program %lu differs\n", index);
        at = at < 20 ? 0 : at - 20;
        print_bytes("here", &here, at);
        print_bytes("chip", &there, at);
        same = false;
    }
    *bytes += here.length;
    tpi_buf_fini(&here);
    tpi_buf_fini(&there);
    return same;
}

static tpi_vocabulary *read_vocabulary(void)
{
    tpi_vocabulary *vocabulary = NULL;
    tpi_buf text = {0};
    tp_error err = {0};

    if (tpi_file_read(&text, BENCH_ROBOTS "/classes.xml", TPI_MOST_DOCUMENT, &err) != TP_OK ||
        tpi_vocabulary_read(&vocabulary, text.data, text.length, "classes.xml", &err) != TP_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    tpi_buf_fini(&text);
    return vocabulary;
}

int chip_traces(board *b, unsigned long count)
{
    static tpi_play_troubles troubles;
    tpi_vocabulary *vocabulary = read_vocabulary();
    unsigned long differ = 0;
    size_t bytes = 0;

    for (unsigned channel = 0; channel < CHANNELS; channel++) {
        board_analog_mv(b, channel, millivolts(channel));
    }
    for (unsigned long i = 0; i < count; i++) {
        tpi_play_program program = {0};
        char text[CHIP_PROGRAM];
        chip_program(text, sizeof text, i);
        troubles.count = 0;
        if (!tpi_play_compile(&program, text, strlen(text), vocabulary, &troubles) ||
            program.image.length > TPI_PLAY_CHIP_BYTES) {
            printf("program %lu is wrong or too long:\n%s\n", i, text);
            differ++;
        } else {
            if (!compare(b, i, &program, &bytes)) {
                printf("%s\n", text);
                differ++;
            }
        }
        tpi_play_program_fini(&program);
    }
    tpi_vocabulary_destroy(vocabulary);
    printf("programs %lu differ %lu bytes of traces %zu\n", count, differ, bytes);
    return differ > 0;
}
