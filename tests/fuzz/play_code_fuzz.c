/* play_code_fuzz.c - any bytes as a compiled program: it is refused, or it runs within its bounds.
 */
#include <string.h>

#include "fuzz.h"
#include "play/machine.h"
#include "play/program.h"

enum { CELLS = 300, FRAMES = 40, SLOTS = 4, SLOT = 16, TURNS = 200, BUDGET = 500 };

static uint8_t image[4096];
static tpi_play_machine machine;
static tpi_play_cell cells[CELLS], constants[256];
static tpi_play_frame frames[FRAMES];
static char slots[SLOTS * SLOT];

/* Answer with all kinds of values. */
static void answer(unsigned turn)
{
    for (unsigned i = 0; i < machine.request.results; i++) {
        tpi_play_cell *cell = &machine.request.row[i];
        if (turn % 4 == 0) {
            tpi_play_put_text(&machine, cell, "some text of some length", (uint8_t)(turn % 24));
        } else {
            cell->tag = (uint8_t)(turn % 3);
            cell->as.i =
                turn % 3 == TPI_PLAY_BOOL ? (int32_t)(turn & 1) : (int32_t)(turn * 77777777u);
        }
    }
    tpi_play_answer(&machine);
}

static void execute(void)
{
    const tpi_play_memory memory = {cells, CELLS, frames, FRAMES, slots, SLOTS, SLOT, constants};

    if (!tpi_play_init(&machine, image, &memory, 3)) {
        return;
    }
    for (unsigned turn = 0; turn < TURNS; turn++) {
        const tpi_play_status status = tpi_play_run(&machine, BUDGET);
        if (status == TPI_PLAY_ASKS) {
            for (unsigned i = 0; i < machine.request.values; i++) {
                uint8_t length = 0;
                fuzz_require(machine.request.row[i].tag <= TPI_PLAY_TEXT, "a cell of no kind");
                if (machine.request.row[i].tag == TPI_PLAY_TEXT) {
                    const char *text = tpi_play_text(&machine, &machine.request.row[i], &length);
                    fuzz_require(memchr(text, 1, length) == NULL || length > 0,
                                 "a text of no length");
                }
            }
            answer(turn);
        } else if (status == TPI_PLAY_DONE || status == TPI_PLAY_FAULTED) {
            return;
        }
        machine.now_ms += 20;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tpi_buf text = {0};
    tp_error err = {0};

    if (size > sizeof image || size < TPI_PLAY_HEADER) {
        return 0;
    }
    memcpy(image, data, size);
    if (tpi_play_verify(image, size, &err) != TP_OK) {
        fuzz_require(err.text[0] != '\0', "an image is refused without a reason");
    }
    /* Most inputs fail at length and checksum: these are put right. */
    image[0] = 'T';
    image[1] = 'P';
    image[TPI_PLAY_AT_VERSION] = TPI_PLAY_VERSION;
    image[TPI_PLAY_AT_LENGTH] = (uint8_t)(size & 0xff);
    image[TPI_PLAY_AT_LENGTH + 1] = (uint8_t)(size >> 8);
    const uint16_t sum =
        tpi_play_checksum(0xffff, image + TPI_PLAY_AT_VERSION, size - TPI_PLAY_AT_VERSION);
    image[TPI_PLAY_AT_CHECKSUM] = (uint8_t)(sum & 0xff);
    image[TPI_PLAY_AT_CHECKSUM + 1] = (uint8_t)(sum >> 8);
    if (tpi_play_verify(image, size, &err) == TP_OK) {
        tpi_play_disassemble(&text, image, NULL);
        execute();
    }
    tpi_buf_fini(&text);
    return 0;
}
