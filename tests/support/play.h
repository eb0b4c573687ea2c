/* play.h - programs for tests of src/play: compiled, and executed with a scripted robot. */
#ifndef TROUPE_TESTS_PLAY_H
#define TROUPE_TESTS_PLAY_H

#include "base/number.h"
#include "play/format.h"
#include "play/machine.h"
#include "play/parse.h"
#include "play/program.h"
#include "support/universal.h"

enum { PLAY_CELLS = 2000, PLAY_FRAMES = 400, PLAY_SLOTS = 8, PLAY_SLOT = 32 };

/* All that a program needs, and what it did. */
struct play {
    tpi_vocabulary *vocabulary;
    tpi_play_troubles troubles;
    tpi_play_program program;
    tpi_play_machine machine;
    tpi_play_cell cells[PLAY_CELLS], constants[256];
    tpi_play_frame frames[PLAY_FRAMES];
    char slots[PLAY_SLOTS * PLAY_SLOT];
    tpi_buf trace;          /* what was printed and done */
    const double *readings; /* what commands with a result give, one after the other */
    unsigned reading_count, reading_at;
    const char *message; /* what channels give */
    int32_t until_ms;
};

static inline struct play *play_create(void)
{
    struct play *play = calloc(1, sizeof *play);

    assert_non_null(play);
    play->vocabulary = universal_vocabulary();
    play->until_ms = 10000;
    return play;
}

static inline void play_clear(struct play *play)
{
    tpi_play_program_fini(&play->program);
    play->program = (tpi_play_program){0};
    play->troubles.count = 0;
    tpi_buf_clear(&play->trace);
}

static inline void play_destroy(struct play *play)
{
    play_clear(play);
    tpi_buf_fini(&play->trace);
    tpi_vocabulary_destroy(play->vocabulary);
    free(play);
}

/* All mistakes as lines. */
static inline const char *play_troubles(struct play *play)
{
    tpi_buf_clear(&play->trace);
    for (unsigned i = 0; i < tpi_play_trouble_count(&play->troubles); i++) {
        tpi_play_trouble_put(&play->trace, "x", &play->troubles.list[i]);
    }
    return tpi_buf_text(&play->trace);
}

static inline void play_compile(struct play *play, const char *text)
{
    tp_error err = {0};

    play_clear(play);
    if (!tpi_play_compile(&play->program, text, strlen(text), play->vocabulary, &play->troubles)) {
        fail_msg("%s", play_troubles(play));
    }
    if (tpi_play_verify((const uint8_t *)play->program.image.data, play->program.image.length,
                        &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
}

static inline void play_begin(struct play *play)
{
    const tpi_play_memory memory = {play->cells, PLAY_CELLS, play->frames, PLAY_FRAMES,
                                    play->slots, PLAY_SLOTS, PLAY_SLOT,    play->constants};

    assert_true(
        tpi_play_init(&play->machine, (const uint8_t *)play->program.image.data, &memory, 7));
    play->reading_at = 0;
}

static inline void play_put_cell(struct play *play, const tpi_play_cell *cell)
{
    char number[TPI_NUMBER_SIZE];
    uint8_t length;

    switch (cell->tag) {
    case TPI_PLAY_INT:
        tpi_buf_printf(&play->trace, " %ld", (long)cell->as.i);
        break;
    case TPI_PLAY_FLOAT:
        tpi_number_put_f32(number, cell->as.f);
        tpi_buf_printf(&play->trace, " %s", number);
        break;
    case TPI_PLAY_BOOL:
        tpi_buf_puts(&play->trace, cell->as.i ? " true" : " false");
        break;
    default: {
        const char *text = tpi_play_text(&play->machine, cell, &length);
        tpi_buf_printf(&play->trace, " \"%.*s\"", length, text);
    }
    }
}

/* Write down what the program asks for, and answer it. */
static inline void play_serve(struct play *play)
{
    const tpi_play_request *request = &play->machine.request;
    const tpi_command command = tpi_dictionary_code(request->code);

    if (request->code != TPI_PLAY_PRINT_CODE) {
        tpi_buf_printf(&play->trace, "%s",
                       request->code == TPI_PLAY_LOG_CODE ? "log"
                       : command < TPI_COMMANDS           ? tpi_dictionary_entry(command)->name
                                                          : "?");
        if (request->device != TPI_PLAY_NO_DEVICE) {
            tpi_buf_printf(&play->trace, " #%u", request->device);
        }
    }
    for (unsigned i = 0; i < request->values; i++) {
        play_put_cell(play, &request->row[i]);
    }
    tpi_buf_puts(&play->trace, "\n");
    for (unsigned i = 0; i < request->results; i++) {
        const double reading =
            play->reading_count > 0 ? play->readings[play->reading_at++ % play->reading_count] : 0;
        if (command == TPI_READ_MESSAGE) {
            const char *text = play->message != NULL ? play->message : "";
            tpi_play_put_text(&play->machine, &request->row[i], text, (uint8_t)strlen(text));
        } else if (command == TPI_READ_COUNT) {
            request->row[i] = (tpi_play_cell){.as.i = (int32_t)reading, .tag = TPI_PLAY_INT};
        } else if (command == TPI_READ_DIGITAL) {
            request->row[i] = (tpi_play_cell){.as.i = reading != 0, .tag = TPI_PLAY_BOOL};
        } else {
            request->row[i] = (tpi_play_cell){.as.f = (float)reading, .tag = TPI_PLAY_FLOAT};
        }
    }
    tpi_play_answer(&play->machine);
}

/* Execute until the end, a fault, or until_ms of the program's time. */
static inline tpi_play_status play_go(struct play *play, uint32_t budget)
{
    for (unsigned turns = 0; turns < 100000; turns++) {
        const tpi_play_status status = tpi_play_run(&play->machine, budget);
        if (status == TPI_PLAY_ASKS) {
            play_serve(play);
        } else if (status == TPI_PLAY_WAITS) {
            play->machine.now_ms = tpi_play_wake_ms(&play->machine);
            if (play->machine.now_ms > play->until_ms) {
                return status;
            }
        } else if (status == TPI_PLAY_RUNS) {
            play->machine.now_ms++;
            if (play->machine.now_ms > play->until_ms) {
                return status;
            }
        } else {
            return status;
        }
    }
    fail_msg("the program does not end");
    return TPI_PLAY_FAULTED;
}

/* Compile and execute; what it did. */
static inline const char *play_run(struct play *play, const char *text)
{
    play_compile(play, text);
    play_begin(play);
    play_go(play, 1000);
    return tpi_buf_text(&play->trace);
}

#endif
