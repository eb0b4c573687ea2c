/* play_arrive_fuzz.c - any bytes as the body of ARRIVE, a program with its state from another
 * server: refused with a reason, or it goes on within its bounds and can leave again. */
#include <stdlib.h>
#include <string.h>

#include "play/runner.h"
#include "troupe/interfaces/program.h"
#include "universal.h"

enum { TURNS = 40, BUDGET = 200, TIMES = 16 };

/* Some lines of the program, with answers of a robot. False if it has ended with a fault. */
static bool run(tpi_play_runner *runner)
{
    tpi_play_machine *machine = &runner->machine;
    tpi_play_status status = TPI_PLAY_RUNS;

    for (unsigned turn = 0; turn < TURNS; turn++) {
        status = tpi_play_run(machine, BUDGET);
        if (status == TPI_PLAY_ASKS) {
            for (unsigned i = 0; i < machine->request.results; i++) {
                tpi_play_put_text(machine, &machine->request.row[i], "abcdefgh",
                                  (uint8_t)(turn % 8));
            }
            tpi_play_answer(machine);
        }
        machine->now_ms = (int32_t)((uint32_t)machine->now_ms + 30u);
    }
    return status != TPI_PLAY_FAULTED;
}

/* What has arrived leaves again, and arrives once more. */
static void leave(tpi_play_runner *runner, const tpi_play_program *program)
{
    tpi_buf state = {0};
    tp_error err = {0};

    tpi_play_runner_save(&state, runner);
    fuzz_require(!state.failed, "out of memory");
    fuzz_require(tpi_play_runner_begin(runner, program, 1, &err) == TP_OK, err.text);
    fuzz_require(tpi_play_runner_restore(runner, (const uint8_t *)state.data, state.length, &err) ==
                     TP_OK,
                 err.text);
    tpi_buf_fini(&state);
}

static void arrive(const tp_program_package *package)
{
    static tpi_play_runner runner;
    static tpi_play_troubles troubles;
    tpi_play_program program = {.marks_lines = true};
    const char *text = package->source.text_count > 0 ? package->source.text : "";
    const char *end = memchr(text, 0, package->source.text_count);
    tp_error err = {0};

    memset(&troubles, 0, sizeof troubles);
    const size_t length = end != NULL ? (size_t)(end - text) : package->source.text_count;
    if (package->state_count >= TIMES &&
        tpi_play_compile(&program, text, length, fuzz_vocabulary(), &troubles) &&
        tpi_play_runner_begin(&runner, &program, package->seed, &err) == TP_OK) {
        if (tpi_play_runner_restore(&runner, package->state + TIMES, package->state_count - TIMES,
                                    &err) == TP_OK) {
            if (run(&runner)) {
                leave(&runner, &program);
                (void)run(&runner);
            }
        } else {
            fuzz_require(err.text[0] != '\0', "a state is refused without a reason");
        }
    }
    tpi_play_program_fini(&program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tp_message *message =
        tp_interface_message(&tp_interface_program, TP_KIND_REQUEST, TP_PROGRAM_REQ_ARRIVE);
    void *value = NULL;

    if (tp_xdr_decode_new(&value, message->ask, data, size) == TP_OK) {
        arrive(value);
    }
    free(value);
    return 0;
}
