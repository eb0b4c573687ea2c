/*
 * chip.c - the loop of the firmware, and the program that it runs.
 *
 * A program is stored in a memory that lasts. It is examined before each start; what does not pass
 * is not run. All outputs go off when the program ends, faults or is stopped. While it runs, the
 * line is looked at after a few turns of the machine.
 */
#include "chip.h"

#include "play/examine.h"
#include "sizes.h"

enum { TURNS_AT_ONCE = 32 };
enum { PRINT_CODE = 0x2001, LOG_CODE = 0x2002, WAIT_TIME_CODE = 0x0005 };

program the_program;

static tpi_play_cell cells[CHIP_CELLS];
static tpi_play_frame frames[CHIP_FRAMES];
static uint32_t began_ms;   /* the program */
static uint32_t resumes_ms; /* WaitTime of the program ends */
static bool is_waiting;     /* in WaitTime */

_Static_assert(sizeof cells >= CHIP_STORE / 8, "the examination needs a bit for each byte");

void program_stop(void)
{
    board_off();
    if (the_program.state == PROGRAM_RUNS) {
        the_program.state = PROGRAM_STOPPED;
    }
    is_waiting = false;
}

void program_start(void)
{
    tpi_play_exam exam = {.starts = (uint8_t *)cells};
    const tpi_play_memory memory = {
        .cells = cells, .cell_count = CHIP_CELLS, .frames = frames, .frame_count = CHIP_FRAMES};
    const uint16_t length = (uint16_t)(board_read(TPI_PLAY_AT_LENGTH) |
                                       (uint16_t)(board_read(TPI_PLAY_AT_LENGTH + 1) << 8));

    program_stop();
    the_program.state = PROGRAM_NONE;
    the_program.reason =
        length > CHIP_STORE ? (uint8_t)TPI_PLAY_NO_IMAGE : tpi_play_examine(&exam, length);
    the_program.at = exam.at;
    if (the_program.reason == TPI_PLAY_ACCEPTED) {
        if (tpi_play_init(&the_program.machine, NULL, &memory, 1)) {
            the_program.state = PROGRAM_RUNS;
            began_ms = board_ms();
        } else {
            the_program.reason = TPI_PLAY_WRONG_HEADER; /* more registers than there are cells */
        }
    }
}

static void end(uint8_t state)
{
    board_off();
    the_program.state = state;
    the_program.reason = the_program.machine.fault;
    the_program.at = the_program.machine.fault_pc;
    line_end();
}

/* A command of the robot: false if it fails. */
static bool serve(const tpi_play_request *request)
{
    const uint16_t port =
        (uint16_t)(the_program.machine.layout.ports + request->device * TPI_PLAY_PORT_SIZE);
    act what;

    if (!act_find(&what, request->code)) {
        return false;
    }
    if ((the_program.watch & WATCH_TRACE) != 0) {
        line_row(NEWS_ACT, request);
    }
    uint8_t type = what.type, id = 0;
    if (request->device != TPI_PLAY_NO_DEVICE) {
        type = board_read(port);
        id = board_read((uint16_t)(port + 1));
    }
    tpi_play_cell room, *row = request->row;
    if (request->results == 0 && what.result != KIND_NONE) {
        row = &room; /* the program does not want it */
    }
    if (act_do(&what, type, id, row, request->values) != ACT_FINE) {
        return false;
    }
    if ((the_program.watch & WATCH_TRACE) != 0 && request->results > 0) {
        line_row(NEWS_RESULT, request);
    }
    return true;
}

static void answer(const tpi_play_request *request)
{
    const bool is_print = request->code == PRINT_CODE;

    if (is_print || request->code == LOG_CODE) {
        if ((the_program.watch & WATCH_PRINTS) != 0) {
            line_row(is_print ? NEWS_PRINT : NEWS_LOG, request);
        }
    } else if (request->code == WAIT_TIME_CODE && request->values > 0 && !is_waiting) {
        resumes_ms = board_ms() + (uint32_t)tpi_play_round(tpi_play_float(request->row));
        is_waiting = true;
        return;
    } else if (is_waiting) {
        if ((int32_t)(board_ms() - resumes_ms) < 0) {
            return;
        }
        is_waiting = false;
    } else if (!serve(request)) {
        tpi_play_refuse(&the_program.machine);
        return;
    }
    tpi_play_answer(&the_program.machine);
}

static void program_step(void)
{
    tpi_play_machine *machine = &the_program.machine;

    machine->now_ms = (int32_t)(board_ms() - began_ms);
    switch (tpi_play_run(machine, TURNS_AT_ONCE)) {
    case TPI_PLAY_ASKS:
        answer(&machine->request);
        break;
    case TPI_PLAY_DONE:
        end(PROGRAM_ENDED);
        break;
    case TPI_PLAY_FAULTED:
        end(PROGRAM_FAULTED);
        break;
    default:
        break;
    }
}

void chip_start(void)
{
    board_start();
    if (board_may_run()) {
        program_start();
    }
}

void chip_step(void)
{
    board_feed();
    line_step();
    if (the_program.state == PROGRAM_RUNS) {
        program_step();
    }
}

int main(void)
{
    chip_start();
    for (;;) {
        chip_step();
    }
}
