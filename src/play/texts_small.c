/* texts_small.c - texts of a machine on a chip: all of them are in the image, and constants are
 * read there, too. Instead of texts.c. Freestanding. */
#include "play/machine.h"

void tpi_play_prepare(tpi_play_machine *machine)
{
    (void)machine;
}

uint16_t tpi_play_text_at(const tpi_play_machine *machine, const tpi_play_cell *cell)
{
    uint16_t at = machine->layout.texts;

    for (uint8_t i = (uint8_t)cell->as.bits; i > 0; i--) {
        at = (uint16_t)(at + 1u + TPI_PLAY_BYTE(machine->image, at));
    }
    return at;
}

bool tpi_play_same_text(const tpi_play_machine *machine, const tpi_play_cell *x,
                        const tpi_play_cell *y)
{
    uint16_t a = tpi_play_text_at(machine, x), b = tpi_play_text_at(machine, y);
    uint8_t left = TPI_PLAY_BYTE(machine->image, a);

    do { /* the length, then as many bytes */
        if (TPI_PLAY_BYTE(machine->image, a) != TPI_PLAY_BYTE(machine->image, b)) {
            return false;
        }
        a++;
        b++;
    } while (left-- > 0);
    return true;
}
