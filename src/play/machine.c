/* machine.c - the life of a machine: tasks, requests, texts. Freestanding. */
#include "play/machine.h"

#include <string.h>

uint16_t tpi_play_checksum(uint16_t sum, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        sum = (uint16_t)(sum ^ (uint16_t)(bytes[i] << 8));
        for (uint8_t bit = 0; bit < 8; bit++) {
            sum = (uint16_t)((sum & 0x8000u) != 0 ? sum << 1 ^ 0x1021 : sum << 1);
        }
    }
    return sum;
}

static uint16_t word_at(const uint8_t *image, uint16_t at)
{
    return (uint16_t)(TPI_PLAY_BYTE(image, at) | (uint16_t)(TPI_PLAY_BYTE(image, at + 1) << 8));
}

void tpi_play_layout_read(tpi_play_layout *layout, const uint8_t *image)
{
    layout->length = word_at(image, TPI_PLAY_AT_LENGTH);
    layout->code = word_at(image, TPI_PLAY_AT_CODE);
    layout->registers = TPI_PLAY_BYTE(image, TPI_PLAY_AT_REGISTERS);
    layout->task_count = TPI_PLAY_BYTE(image, TPI_PLAY_AT_TASKS);
    layout->function_count = TPI_PLAY_BYTE(image, TPI_PLAY_AT_FUNCTIONS);
    layout->device_count = TPI_PLAY_BYTE(image, TPI_PLAY_AT_DEVICES);
    layout->channel_count = TPI_PLAY_BYTE(image, TPI_PLAY_AT_CHANNELS);
    layout->integer_count = TPI_PLAY_BYTE(image, TPI_PLAY_AT_INTEGERS);
    layout->float_count = TPI_PLAY_BYTE(image, TPI_PLAY_AT_FLOATS);
    layout->text_count = TPI_PLAY_BYTE(image, TPI_PLAY_AT_TEXTS);
    layout->tasks = TPI_PLAY_HEADER;
    layout->functions = (uint16_t)(layout->tasks + layout->task_count * TPI_PLAY_TASK_SIZE);
    layout->ports = (uint16_t)(layout->functions + layout->function_count * TPI_PLAY_FUNCTION_SIZE);
    layout->constants = (uint16_t)(layout->ports + layout->device_count * TPI_PLAY_PORT_SIZE);
    layout->texts =
        (uint16_t)(layout->constants + (uint16_t)(layout->integer_count + layout->float_count) * 4);
}

#ifndef TPI_PLAY_SMALL
static void expand_constants(tpi_play_machine *machine)
{
    const tpi_play_layout *layout = &machine->layout;

    for (unsigned i = 0; i < (unsigned)layout->integer_count + layout->float_count; i++) {
        const uint16_t at = (uint16_t)(layout->constants + i * 4);
        const bool is_float = i >= layout->integer_count;
        tpi_play_cell *cell =
            &machine->memory.constants[is_float ? 255u + layout->integer_count - i : i];
        cell->as.bits = word_at(machine->image, at) |
                        (uint32_t)word_at(machine->image, (uint16_t)(at + 2)) << 16;
        cell->tag = is_float ? TPI_PLAY_FLOAT : TPI_PLAY_INT;
    }
}
#endif

void tpi_play_start(tpi_play_machine *machine, uint8_t task)
{
    tpi_play_task *t = &machine->tasks[task];

    if (t->state == TPI_PLAY_OFF) {
        t->pc =
            word_at(machine->image, (uint16_t)(machine->layout.tasks + task * TPI_PLAY_TASK_SIZE));
        t->base = 0;
        t->depth = 0;
        t->top = (uint16_t)(machine->layout.registers + task * machine->part);
        t->state = TPI_PLAY_READY;
    }
}

bool tpi_play_init(tpi_play_machine *machine, const uint8_t *image, const tpi_play_memory *memory,
                   uint32_t seed)
{
    memset(machine, 0, sizeof *machine);
    machine->image = image;
    machine->memory = *memory;
    machine->random = seed != 0 ? seed : 1;
    tpi_play_layout_read(&machine->layout, image);
    const tpi_play_layout *layout = &machine->layout;
    if (memory->cell_count < layout->registers || layout->task_count > TPI_PLAY_MOST_TASKS) {
        return false;
    }
    if (layout->task_count > 0) {
        machine->part = (uint16_t)((memory->cell_count - layout->registers) / layout->task_count);
        const uint16_t frames = (uint16_t)(memory->frame_count / layout->task_count);
        machine->frame_part = frames > 255 ? 255 : (uint8_t)frames;
    }
    memset(memory->cells, 0, memory->cell_count * sizeof *memory->cells);
    memset(memory->slots, 0, (size_t)memory->slot_count * memory->slot_size);
#ifndef TPI_PLAY_SMALL
    expand_constants(machine);
#endif
    for (uint8_t i = 0; i < layout->task_count; i++) {
        const uint8_t flags = TPI_PLAY_BYTE(image, layout->tasks + i * TPI_PLAY_TASK_SIZE + 2);
        if ((flags & TPI_PLAY_STARTS) != 0) {
            tpi_play_start(machine, i);
        }
    }
    return true;
}

/* ---- Tasks ---- */

static bool has_come(const tpi_play_machine *machine, int32_t time_ms)
{
    return (int32_t)((uint32_t)machine->now_ms - (uint32_t)time_ms) >= 0;
}

/* Wake tasks up whose time has come; how many are ready. */
static uint8_t wake(tpi_play_machine *machine)
{
    uint8_t ready = 0;

    for (uint8_t i = 0; i < machine->layout.task_count; i++) {
        tpi_play_task *task = &machine->tasks[i];
        if (task->state == TPI_PLAY_WAITING && has_come(machine, task->wake_ms)) {
            task->state = TPI_PLAY_READY;
        }
        ready = (uint8_t)(ready + (task->state == TPI_PLAY_READY));
    }
    return ready;
}

static void choose_next(tpi_play_machine *machine)
{
    do {
        machine->current = (uint8_t)((machine->current + 1) % machine->layout.task_count);
    } while (machine->tasks[machine->current].state != TPI_PLAY_READY);
}

static tpi_play_status standing(const tpi_play_machine *machine)
{
    for (uint8_t i = 0; i < machine->layout.task_count; i++) {
        if (machine->tasks[i].state == TPI_PLAY_WAITING) {
            return TPI_PLAY_WAITS;
        }
    }
    return TPI_PLAY_DONE;
}

tpi_play_status tpi_play_run(tpi_play_machine *machine, uint32_t budget)
{
    while (machine->fault == TPI_PLAY_FINE && !machine->is_asking) {
        const uint8_t ready = wake(machine);
        if (ready == 0) {
            return standing(machine);
        }
        if (budget == 0) {
            return TPI_PLAY_RUNS;
        }
        if (machine->tasks[machine->current].state != TPI_PLAY_READY) {
            choose_next(machine);
        }
        if (tpi_play_execute(machine, &budget, ready == 1) && ready > 1) {
            choose_next(machine);
        }
    }
    return machine->fault != TPI_PLAY_FINE ? TPI_PLAY_FAULTED : TPI_PLAY_ASKS;
}

int32_t tpi_play_wake_ms(const tpi_play_machine *machine)
{
    int32_t least = INT32_MAX;

    for (uint8_t i = 0; i < machine->layout.task_count; i++) {
        const tpi_play_task *task = &machine->tasks[i];
        const int32_t left = (int32_t)((uint32_t)task->wake_ms - (uint32_t)machine->now_ms);
        if (task->state == TPI_PLAY_WAITING && left < least) {
            least = left;
        }
    }
    return (int32_t)((uint32_t)machine->now_ms + (uint32_t)(least < 0 ? 0 : least));
}

void tpi_play_answer(tpi_play_machine *machine)
{
    machine->is_asking = false;
}

void tpi_play_refuse(tpi_play_machine *machine)
{
    machine->is_asking = false;
    machine->fault = TPI_PLAY_REFUSED;
    machine->fault_pc = machine->tasks[machine->current].pc;
}

/* ---- Texts ---- */

/* Where a text of the image begins: at its length. */
static uint16_t text_at(const tpi_play_machine *machine, uint32_t number)
{
    uint16_t at = machine->layout.texts;

    for (; number > 0; number--) {
        at = (uint16_t)(at + 1 + TPI_PLAY_BYTE(machine->image, at));
    }
    return at;
}

#ifdef TPI_PLAY_IS_NEAR
const char *tpi_play_text(const tpi_play_machine *machine, const tpi_play_cell *cell,
                          uint8_t *length)
{
    const uint8_t *text =
        cell->as.bits < TPI_PLAY_FIRST_SLOT
            ? machine->image + text_at(machine, cell->as.bits)
            : (const uint8_t *)machine->memory.slots +
                  (cell->as.bits - TPI_PLAY_FIRST_SLOT) * machine->memory.slot_size;

    *length = text[0];
    return (const char *)text + 1;
}
#endif

/* A byte of a text, its length first. */
static uint8_t text_byte(const tpi_play_machine *machine, const tpi_play_cell *cell, uint8_t at)
{
    return cell->as.bits < TPI_PLAY_FIRST_SLOT
               ? TPI_PLAY_BYTE(machine->image, text_at(machine, cell->as.bits) + at)
               : (uint8_t)machine->memory
                     .slots[(cell->as.bits - TPI_PLAY_FIRST_SLOT) * machine->memory.slot_size + at];
}

bool tpi_play_same_text(const tpi_play_machine *machine, const tpi_play_cell *x,
                        const tpi_play_cell *y)
{
    uint8_t left = text_byte(machine, x, 0);

    if (left != text_byte(machine, y, 0)) {
        return false;
    }
    for (; left > 0; left--) {
        if (text_byte(machine, x, left) != text_byte(machine, y, left)) {
            return false;
        }
    }
    return true;
}

static bool is_used(const tpi_play_machine *machine, uint32_t number)
{
    for (uint16_t i = 0; i < machine->memory.cell_count; i++) {
        const tpi_play_cell *cell = &machine->memory.cells[i];
        if (cell->tag == TPI_PLAY_TEXT && cell->as.bits == number) {
            return true;
        }
    }
    return false;
}

void tpi_play_put_text(tpi_play_machine *machine, tpi_play_cell *cell, const char *text,
                       uint8_t length)
{
    const tpi_play_memory *memory = &machine->memory;
    const uint8_t most = (uint8_t)(memory->slot_size - 1);

    cell->tag = TPI_PLAY_INT; /* what it held is free */
    for (uint8_t tried = 0; tried < memory->slot_count; tried++) {
        const uint8_t slot = machine->next_slot;
        machine->next_slot = (uint8_t)((slot + 1) % memory->slot_count);
        if (is_used(machine, (uint32_t)slot + TPI_PLAY_FIRST_SLOT)) {
            continue;
        }
        char *place = memory->slots + (size_t)slot * memory->slot_size;
        length = length > most ? most : length;
        place[0] = (char)length;
        memcpy(place + 1, text, length);
        cell->as.bits = (uint32_t)slot + TPI_PLAY_FIRST_SLOT;
        cell->tag = TPI_PLAY_TEXT;
        return;
    }
    machine->fault = TPI_PLAY_NO_SLOT;
    machine->fault_pc = machine->tasks[machine->current].pc;
}
