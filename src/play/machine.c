/* machine.c - the life of a machine: tasks, requests, texts. Freestanding. */
#include "play/machine.h"

#include <string.h>

uint16_t tpi_play_checksum_byte(uint16_t sum, uint8_t byte)
{
    sum = (uint16_t)(sum ^ (uint16_t)(byte << 8));
    for (uint8_t bit = 0; bit < 8; bit++) {
        sum = (uint16_t)((sum & 0x8000u) != 0 ? sum << 1 ^ 0x1021 : sum << 1);
    }
    return sum;
}

uint16_t tpi_play_checksum(uint16_t sum, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        sum = tpi_play_checksum_byte(sum, bytes[i]);
    }
    return sum;
}

static uint16_t word_at(const uint8_t *image, uint16_t at)
{
    return (uint16_t)(TPI_PLAY_BYTE(image, at) | (uint16_t)(TPI_PLAY_BYTE(image, at + 1) << 8));
}

void tpi_play_layout_read(tpi_play_layout *layout, const uint8_t *image)
{
    uint8_t *const counts = &layout->task_count; /* in the order of the header */

    layout->registers = TPI_PLAY_BYTE(image, TPI_PLAY_AT_REGISTERS);
    layout->length = word_at(image, TPI_PLAY_AT_LENGTH);
    layout->code = word_at(image, TPI_PLAY_AT_CODE);
    for (uint8_t i = 0; i < TPI_PLAY_AT_RESERVED - TPI_PLAY_AT_TASKS; i++) {
        counts[i] = TPI_PLAY_BYTE(image, TPI_PLAY_AT_TASKS + i);
    }
    layout->tasks = TPI_PLAY_HEADER;
    layout->functions = (uint16_t)(layout->tasks + layout->task_count * TPI_PLAY_TASK_SIZE);
    layout->ports = (uint16_t)(layout->functions + layout->function_count * TPI_PLAY_FUNCTION_SIZE);
    layout->constants = (uint16_t)(layout->ports + layout->device_count * TPI_PLAY_PORT_SIZE);
    layout->texts =
        (uint16_t)(layout->constants + (layout->integer_count + layout->float_count) * 4);
}

void tpi_play_start(tpi_play_machine *machine, uint8_t task)
{
    tpi_play_task *t = &machine->tasks[task];

    if (t->state == TPI_PLAY_OFF) {
        t->pc =
            word_at(machine->image, (uint16_t)(machine->layout.tasks + task * TPI_PLAY_TASK_SIZE));
        t->base = 0;
        t->depth = 0;
        t->top = (tpi_play_index)(machine->layout.registers + task * machine->part);
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
        machine->part = (tpi_play_index)((tpi_play_index)(memory->cell_count - layout->registers) /
                                         layout->task_count);
        const tpi_play_index frames = (tpi_play_index)(memory->frame_count / layout->task_count);
        machine->frame_part = frames > 255 ? 255 : (uint8_t)frames;
    }
    memset(memory->cells, 0, memory->cell_count * sizeof *memory->cells);
    tpi_play_prepare(machine);
    for (uint8_t i = 0; i < layout->task_count; i++) {
        const uint8_t flags = TPI_PLAY_BYTE(image, layout->tasks + i * TPI_PLAY_TASK_SIZE + 2);
        if ((flags & TPI_PLAY_STARTS) != 0) {
            tpi_play_start(machine, i);
        }
    }
    return true;
}

/* ---- Tasks ---- */

bool tpi_play_has_come(const tpi_play_machine *machine, int32_t time_ms)
{
    return (int32_t)((uint32_t)machine->now_ms - (uint32_t)time_ms) >= 0;
}

static void choose_next(tpi_play_machine *machine)
{
    do {
        machine->current++;
        if (machine->current >= machine->layout.task_count) {
            machine->current = 0;
        }
    } while (machine->tasks[machine->current].state != TPI_PLAY_READY);
}

tpi_play_status tpi_play_run(tpi_play_machine *machine, unsigned budget)
{
    while (machine->fault == TPI_PLAY_FINE && !machine->is_asking) {
        tpi_play_status standing = TPI_PLAY_DONE;
        uint8_t ready = 0;
        for (uint8_t i = 0; i < machine->layout.task_count; i++) {
            tpi_play_task *task = &machine->tasks[i];
            if (task->state == TPI_PLAY_WAITING) {
                standing = TPI_PLAY_WAITS;
                if (tpi_play_has_come(machine, task->wake_ms)) {
                    task->state = TPI_PLAY_READY;
                }
            }
            ready = (uint8_t)(ready + (task->state == TPI_PLAY_READY));
        }
        if (ready == 0) {
            return standing;
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
