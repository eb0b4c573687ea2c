/* texts.c - texts and constants of a machine on a computer: texts of the image, slots for those
 * that are made while it runs, constants as cells. Chips have texts_small.c. */
#include <string.h>

#include "play/machine.h"

static void expand_constants(tpi_play_machine *machine)
{
    const tpi_play_layout *layout = &machine->layout;

    for (unsigned i = 0; i < (unsigned)layout->integer_count + layout->float_count; i++) {
        const uint16_t at = (uint16_t)(layout->constants + i * 4);
        const bool is_float = i >= layout->integer_count;
        tpi_play_cell *cell =
            &machine->memory.constants[is_float ? 255u + layout->integer_count - i : i];
        const uint8_t *bytes = machine->image + at;
        cell->as.bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                        (uint32_t)bytes[3] << 24;
        cell->tag = is_float ? TPI_PLAY_FLOAT : TPI_PLAY_INT;
    }
}

void tpi_play_prepare(tpi_play_machine *machine)
{
    const tpi_play_memory *memory = &machine->memory;

    memset(memory->slots, 0, (size_t)memory->slot_count * memory->slot_size);
    expand_constants(machine);
}

/* Where a text of the image begins: at its length. */
static uint16_t text_at(const tpi_play_machine *machine, uint32_t number)
{
    uint16_t at = machine->layout.texts;

    for (; number > 0; number--) {
        at = (uint16_t)(at + 1 + TPI_PLAY_BYTE(machine->image, at));
    }
    return at;
}

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
