/* show.c - values of a machine as text. */
#include "play/show.h"

#include "base/number.h"

void tpi_play_put_cell(tpi_buf *out, const tpi_play_machine *machine, const tpi_play_cell *cell)
{
    char number[TPI_NUMBER_SIZE];
    uint8_t length;

    switch (cell->tag) {
    case TPI_PLAY_INT:
        tpi_buf_printf(out, "%ld", (long)cell->as.i);
        break;
    case TPI_PLAY_FLOAT:
        tpi_buf_put(out, number, tpi_number_put_f32(number, cell->as.f));
        break;
    case TPI_PLAY_BOOL:
        tpi_buf_puts(out, cell->as.i != 0 ? "true" : "false");
        break;
    default: {
        const char *text = tpi_play_text(machine, cell, &length);
        tpi_buf_put(out, text, length);
    }
    }
}

double tpi_play_cell_number(const tpi_play_cell *cell)
{
    return cell->tag == TPI_PLAY_FLOAT  ? (double)cell->as.f
           : cell->tag == TPI_PLAY_TEXT ? 0.0
                                        : (double)cell->as.i;
}

const char *tpi_play_fault_text(unsigned fault)
{
    static const char *const texts[TPI_PLAY_FAULTS] = {
        "nothing is wrong", "a text stands where a number is needed",
        "`mod` by 0",       "the calls are nested too deep",
        "a command failed", "too many texts are in use",
    };

    return fault < TPI_PLAY_FAULTS ? texts[fault] : "?";
}
