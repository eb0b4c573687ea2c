/* play_state_fuzz.c - any bytes as the saved state of a program: refused, or it goes on within its
 * bounds. */
#include <string.h>

#include "play/program.h"
#include "play/save.h"
#include "universal.h"

enum { CELLS = 60, FRAMES = 8, SLOTS = 2, SLOT = 8, TURNS = 40, BUDGET = 50 };

static const char source[] =
    "device eye is Light Sensor\nlet m be \"text\"\nto f(a)\nlet b be a\nif a > 3\nwait 0.1\n"
    "return b\nend\nreturn f(a + 1) + b\nend\nforever\nprint f(0), m, eye\nend\n"
    "when eye > 5\nprint m\nend\n";

static const tpi_play_program *fuzz_program(void)
{
    static tpi_play_program program;
    static tpi_play_troubles troubles;

    if (program.image.length == 0) {
        fuzz_require(
            tpi_play_compile(&program, source, strlen(source), fuzz_vocabulary(), &troubles),
            "the program of the target is wrong");
    }
    return &program;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tpi_play_machine machine;
    static tpi_play_cell cells[CELLS], constants[256];
    static tpi_play_frame frames[FRAMES];
    static char slots[SLOTS * SLOT];
    const tpi_play_memory memory = {cells, CELLS, frames, FRAMES, slots, SLOTS, SLOT, constants};
    tp_error err = {0};

    fuzz_require(tpi_play_init(&machine, (const uint8_t *)fuzz_program()->image.data, &memory, 1),
                 "the program of the target does not fit");
    if (tpi_play_restore(&machine, data, size, &err) != TP_OK) {
        fuzz_require(err.text[0] != '\0', "a state is refused without a reason");
        return 0;
    }
    for (unsigned turn = 0; turn < TURNS; turn++) {
        const tpi_play_status status = tpi_play_run(&machine, BUDGET);
        if (status == TPI_PLAY_ASKS) {
            for (unsigned i = 0; i < machine.request.results; i++) {
                tpi_play_put_text(&machine, &machine.request.row[i], "abcdefgh",
                                  (uint8_t)(turn % 8));
            }
            tpi_play_answer(&machine);
        }
        machine.now_ms = (int32_t)((uint32_t)machine.now_ms + 30u);
    }
    return 0;
}
