/*
 * hostile.c - damaged and malicious images: the chip refuses what this computer refuses, for the
 * same reason, and whatever it accepts runs without harm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "chip/chip.h"
#include "chip/programs.h"
#include "play/examine.h"
#include "play/program.h"
#include "universal/vocabulary.h"

enum { RUN = 17, HALT = 18, STORE = 1024, CELLS = 128, STATE_AT = 5, RUN_MS = 4, EVERY = 16 };

static uint32_t state = 99;

static uint32_t draw(uint32_t count)
{
    return tpi_play_random(&state) % count;
}

static void seal(uint8_t *image, size_t length)
{
    const uint16_t sum = tpi_play_checksum(0xffff, image + 4, length - 4);

    image[2] = (uint8_t)sum;
    image[3] = (uint8_t)(sum >> 8);
}

/* Change some bytes; most of the time the checksum fits again. */
static void damage(uint8_t *image, size_t length)
{
    for (unsigned i = draw(3) + 1; i > 0; i--) {
        uint8_t *byte = &image[4 + draw((uint32_t)length - 4)];
        switch (draw(4)) {
        case 0:
            *byte = (uint8_t)draw(256);
            break;
        case 1:
            *byte = (uint8_t)(*byte ^ 1u << draw(8));
            break;
        case 2:
            *byte = (uint8_t)(*byte + 1);
            break;
        default:
            *byte = (uint8_t)(draw(2) ? 255 : 0);
        }
    }
    if (draw(8) != 0) {
        seal(image, length);
    }
}

/* What this computer says: 0 if the chip should run it, else the reason. */
static unsigned expected_reason(const uint8_t *image)
{
    static uint8_t starts[STORE / 8];
    tpi_play_exam exam = {.image = image, .starts = starts};
    const uint16_t length = (uint16_t)(image[6] | image[7] << 8);

    if (length > STORE) {
        return TPI_PLAY_NO_IMAGE;
    }
    const uint8_t reason = tpi_play_examine(&exam, length);
    return reason == TPI_PLAY_ACCEPTED && exam.layout.registers > CELLS ? TPI_PLAY_WRONG_HEADER
                                                                        : reason;
}

struct tally {
    unsigned long refused, run, differ;
};

static void attack(board *b, const uint8_t *image, struct tally *tally)
{
    const uint8_t watch = 3;
    uint8_t reply[256];
    size_t length;

    board_store(b, image, STORE);
    if (!board_extended(b, RUN, &watch, 1, reply, sizeof reply, &length) || reply[0] != 0) {
        printf("the chip does not answer\n");
        tally->differ++;
        board_reset(b);
        return;
    }
    const unsigned reason = reply[STATE_AT + 1] == 0 ? reply[STATE_AT + 2] : 0;
    if (reason != expected_reason(image)) {
        printf("the chip says %u, this computer %u\n", reason, expected_reason(image));
        tally->differ++;
    }
    if (reason != 0) {
        tally->refused++;
        return;
    }
    tally->run++;
    board_run_ms(b, RUN_MS);
    if (!board_extended(b, HALT, NULL, 0, reply, sizeof reply, &length)) {
        printf("the chip does not stop\n");
        tally->differ++;
    }
    board_forget(b);
}

int chip_hostile(board *b, unsigned long count)
{
    static tpi_play_troubles troubles;
    tpi_vocabulary *vocabulary = NULL;
    struct tally tally = {0};
    tpi_buf text = {0};
    tp_error err = {0};
    tpi_play_program program = {0};

    if (tpi_file_read(&text, BENCH_ROBOTS "/classes.xml", TPI_MOST_DOCUMENT, &err) != TP_OK ||
        tpi_vocabulary_read(&vocabulary, text.data, text.length, "classes.xml", &err) != TP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tpi_buf_fini(&text);
    board_run_ms(b, 2);
    for (unsigned long i = 0; i < count; i++) {
        uint8_t image[STORE];
        if (i % EVERY == 0) {
            char source[CHIP_PROGRAM];
            tpi_play_program_fini(&program);
            program = (tpi_play_program){0};
            troubles.count = 0;
            chip_program(source, sizeof source, i / EVERY);
            if (!tpi_play_compile(&program, source, strlen(source), vocabulary, &troubles) ||
                program.image.length > STORE) {
                fprintf(stderr, "a program of the benchmark is wrong\n");
                return 1;
            }
        }
        memset(image, 0xff, sizeof image);
        memcpy(image, program.image.data, program.image.length);
        damage(image, program.image.length);
        attack(b, image, &tally);
    }
    tpi_play_program_fini(&program);
    tpi_vocabulary_destroy(vocabulary);
    printf("images %lu refused %lu run %lu differ %lu\n", count, tally.refused, tally.run,
           tally.differ);
    return tally.differ > 0;
}
