/*
 * exec_inside.h - what both loops share, exec.c (computers) and exec_small.c (chips). Each includes
 * it once, so that its compiler sees all of it. Freestanding.
 */
#ifndef TROUPE_PLAY_EXEC_INSIDE_H
#define TROUPE_PLAY_EXEC_INSIDE_H

#include "play/machine.h"

static bool is_true(const tpi_play_cell *cell)
{
    return cell->tag == TPI_PLAY_TEXT ||
           (cell->tag == TPI_PLAY_FLOAT ? cell->as.bits << 1 : cell->as.bits) != 0; /* -0 is 0 */
}

/* x op y for any cells. A text is equal to the same text only, and has no order. */
static bool holds(tpi_play_machine *machine, uint8_t op, const tpi_play_cell *x,
                  const tpi_play_cell *y)
{
    if (x->tag != TPI_PLAY_TEXT && y->tag != TPI_PLAY_TEXT) {
        return tpi_play_compare(op, x, y);
    }
    if (op > TPI_PLAY_NE) {
        machine->fault = TPI_PLAY_NOT_A_NUMBER;
        return false;
    }
    return (x->tag == y->tag && tpi_play_same_text(machine, x, y)) == (op == TPI_PLAY_EQ);
}

/* The time in so many seconds; at most 12 days ahead. */
static int32_t deadline(const tpi_play_machine *machine, const tpi_play_cell *seconds)
{
    int32_t ahead = tpi_play_round(tpi_play_float(seconds) * 1000.0f);

    ahead = ahead > 1000000000 ? 1000000000 : ahead < 0 ? 0 : ahead;
    return (int32_t)((uint32_t)machine->now_ms + (uint32_t)ahead);
}

/* Copy a cell part by part: what was just written in parts is slow to read as a whole. */
static inline void copy(tpi_play_cell *to, const tpi_play_cell *from)
{
    to->as.bits = from->as.bits;
    to->tag = from->tag;
}

/* Enter a function: a frame of its own, the values copied, its other variables 0. False if there
 * is no room. */
static bool enter(tpi_play_machine *machine, tpi_play_task *task, const tpi_play_cell *values,
                  const uint16_t header, uint8_t target, uint16_t return_to)
{
    const uint8_t *const image = machine->image;
    const uint8_t given = TPI_PLAY_BYTE(image, header + 2);
    const uint8_t variables = TPI_PLAY_BYTE(image, header + 3);
    const uint8_t registers = TPI_PLAY_BYTE(image, header + 4);
    const tpi_play_index limit =
        (tpi_play_index)(machine->layout.registers + (machine->current + 1u) * machine->part);

    (void)image;
    if (task->depth >= machine->frame_part || registers > limit - task->top) {
        return false;
    }
    tpi_play_cell *cells = machine->memory.cells + task->top;
    uint8_t i = 0;
    for (; i < given; i++) {
        copy(&cells[i], &values[i]);
    }
    for (; i < variables; i++) {
        cells[i].as.i = 0;
        cells[i].tag = TPI_PLAY_INT;
    }
    tpi_play_frame *frame =
        &machine->memory.frames[(unsigned)machine->current * machine->frame_part + task->depth++];
    frame->pc = return_to;
    frame->base = task->base;
    frame->target = target;
    task->base = task->top;
    task->top = (tpi_play_index)(task->top + registers);
    return true;
}

#endif
