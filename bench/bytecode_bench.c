/*
 * bytecode_bench.c - mutated bytecode: the verifier refuses it, or the machine executes it within
 * its bounds. With sanitizers, every step outside of them is a report.
 *
 * Counted are ends of loops and calls, which the budget of the machine counts; the instructions
 * between them come on top.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "chip/programs.h"
#include "play/machine.h"
#include "play/program.h"
#include "universal/vocabulary.h"

static const char help[] =
    "usage: ./troupe bench bytecode [STEPS]\n\n"
    "Damages the bytecode of programs at random. The verifier refuses it, or the machine executes\n"
    "it, until STEPS (100000000) ends of loops and calls were counted. It is built with "
    "sanitizers,\n"
    "which end it with a report at the first access outside of what it may use.\n";

enum { CELLS = 300, FRAMES = 40, SLOTS = 4, SLOT = 16, TURNS = 60, BUDGET = 2000, EVERY = 200 };

static uint32_t state = 7;

static uint32_t draw(uint32_t count)
{
    return tpi_play_random(&state) % count;
}

static void damage(uint8_t *image, size_t length)
{
    for (unsigned i = draw(4); i > 0; i--) {
        uint8_t *byte = &image[4 + draw((uint32_t)length - 4)];
        const uint32_t turned = *byte ^ 1u << draw(8);
        *byte = (uint8_t)((draw(2) != 0 ? draw(256) : turned) & 0xffu);
    }
    const uint16_t sum = tpi_play_checksum(0xffff, image + 4, length - 4);
    image[2] = (uint8_t)(sum & 0xff);
    image[3] = (uint8_t)(sum >> 8);
}

/* Answer with all kinds of values. */
static void answer(tpi_play_machine *machine)
{
    for (unsigned i = 0; i < machine->request.results; i++) {
        tpi_play_cell *cell = &machine->request.row[i];
        const uint32_t kind = draw(4);
        if (kind == TPI_PLAY_TEXT) {
            tpi_play_put_text(machine, cell, "some text of some length", (uint8_t)draw(24));
        } else {
            cell->tag = (uint8_t)kind;
            cell->as.bits = kind == TPI_PLAY_BOOL ? draw(2) : tpi_play_random(&state);
            if (kind == TPI_PLAY_FLOAT) {
                cell->as.f = tpi_play_canonical(cell->as.f);
            }
        }
    }
    tpi_play_answer(machine);
}

/* How many steps of the budget it used. */
static unsigned long execute(const uint8_t *image)
{
    static tpi_play_machine machine;
    static tpi_play_cell cells[CELLS], constants[256];
    static tpi_play_frame frames[FRAMES];
    static char slots[SLOTS * SLOT];
    const tpi_play_memory memory = {cells, CELLS, frames, FRAMES, slots, SLOTS, SLOT, constants};
    unsigned long steps = 0;

    if (!tpi_play_init(&machine, image, &memory, 1)) {
        return 0;
    }
    for (unsigned turn = 0; turn < TURNS; turn++) {
        const tpi_play_status status = tpi_play_run(&machine, BUDGET);
        if (status == TPI_PLAY_ASKS) {
            answer(&machine);
        } else if (status == TPI_PLAY_RUNS) {
            steps += BUDGET;
        } else if (status != TPI_PLAY_WAITS) {
            break;
        }
        machine.now_ms += 50;
    }
    return steps;
}

static void compile(tpi_play_program *program, const tpi_vocabulary *vocabulary,
                    unsigned long index)
{
    static tpi_play_troubles troubles;
    char text[CHIP_PROGRAM], endless[CHIP_PROGRAM + 64];

    chip_program(text, sizeof text, 20 + index);
    /* The statements behind the function are repeated without end. */
    char *body = strstr(text, "end\nend\n");
    const size_t head = body != NULL ? (size_t)(body - text) + 8 : 0;
    snprintf(endless, sizeof endless, "%.*sforever\n%send\n", (int)head, text, text + head);
    tpi_play_program_fini(program);
    *program = (tpi_play_program){0};
    troubles.count = 0;
    if (!tpi_play_compile(program, endless, strlen(endless), vocabulary, &troubles)) {
        tpi_play_program_fini(program);
        *program = (tpi_play_program){0};
        troubles.count = 0;
        if (!tpi_play_compile(program, text, strlen(text), vocabulary, &troubles)) {
            fprintf(stderr, "a program of the benchmark is wrong:\n%s", text);
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    const char *number = argc > 1 ? argv[1] : "100000000";
    const unsigned long wanted = strtoul(number, NULL, 10);
    unsigned long steps = 0, images = 0, refused = 0;
    tpi_vocabulary *vocabulary = NULL;
    tpi_play_program program = {0};
    tpi_buf text = {0};
    tp_error err = {0};

    if (argc > 2 || number[strspn(number, "0123456789")] != '\0') {
        fputs(help, stderr);
        return 2;
    }
    if (tpi_file_read(&text, BENCH_ROBOTS "/classes.xml", TPI_MOST_DOCUMENT, &err) != TP_OK ||
        tpi_vocabulary_read(&vocabulary, text.data, text.length, "classes.xml", &err) != TP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tpi_buf_fini(&text);
    for (; steps < wanted; images++) {
        if (images % EVERY == 0) {
            compile(&program, vocabulary, images / EVERY);
        }
        const size_t length = program.image.length;
        uint8_t *image = malloc(length); /* so that a byte too many is seen */
        if (image == NULL) {
            return 1;
        }
        memcpy(image, program.image.data, length);
        damage(image, length);
        if (tpi_play_verify(image, length, &err) == TP_OK) {
            steps += execute(image);
        } else {
            refused++;
        }
        free(image);
    }
    tpi_play_program_fini(&program);
    tpi_vocabulary_destroy(vocabulary);
    printf("steps %lu images %lu refused %lu\n", steps, images, refused);
    return 0;
}
