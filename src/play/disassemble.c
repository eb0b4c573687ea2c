/* disassemble.c - the instructions of an image in words. */
#include <string.h>

#include "play/machine.h"
#include "play/opcodes.h"
#include "play/program.h"

static unsigned word(const uint8_t *bytes)
{
    return (unsigned)(bytes[0] | bytes[1] << 8);
}

static void put_constant(tpi_buf *out, const uint8_t *image, const tpi_play_layout *layout,
                         uint8_t number)
{
    const bool is_float = number >= layout->integer_count;
    const unsigned index = is_float ? layout->integer_count + 255u - number : number;
    const uint8_t *place = image + layout->constants + index * 4;
    const union {
        uint32_t bits;
        float f;
    } value = {word(place) | (uint32_t)word(place + 2) << 16};

    if (is_float) {
        tpi_buf_printf(out, " %.9g", (double)value.f);
    } else {
        tpi_buf_printf(out, " %ld", (long)(int32_t)value.bits);
    }
}

static void put_command(tpi_buf *out, unsigned code)
{
    const tpi_command command = tpi_dictionary_code((uint16_t)code);

    if (code == TPI_PLAY_PRINT_CODE || code == TPI_PLAY_LOG_CODE) {
        tpi_buf_puts(out, code == TPI_PLAY_PRINT_CODE ? " print" : " log");
    } else if (command < TPI_COMMANDS) {
        tpi_buf_printf(out, " %s", tpi_dictionary_entry(command)->name);
    } else {
        tpi_buf_printf(out, " %04X", code);
    }
}

static void put_operand(tpi_buf *out, const uint8_t *image, const tpi_play_layout *layout,
                        char letter, unsigned at)
{
    switch (letter) {
    case 'd':
    case 'r':
    case 'w':
        tpi_buf_printf(out, " r%u", image[at]);
        break;
    case 'g':
        tpi_buf_printf(out, " g%u", image[at]);
        break;
    case 'i':
        tpi_buf_printf(out, " %d", (int8_t)image[at]);
        break;
    case 'k':
        put_constant(out, image, layout, image[at]);
        break;
    case 'j':
        tpi_buf_printf(out, " -> %u",
                       (unsigned)((int)at + 2 + (int16_t)(uint16_t)word(image + at)));
        break;
    case 'm':
        tpi_buf_printf(out, " %s", tpi_play_math_name(image[at]));
        break;
    case 'c':
        put_command(out, word(image + at));
        break;
    case 'v':
        if (image[at] != TPI_PLAY_NO_DEVICE) {
            tpi_buf_printf(out, " #%u", image[at]);
        }
        break;
    default:
        tpi_buf_printf(out, " %u", image[at]);
    }
}

static void put_unit_head(tpi_buf *out, const uint8_t *image, const tpi_play_layout *layout,
                          unsigned at)
{
    for (unsigned i = 0; i < layout->task_count; i++) {
        if (word(image + layout->tasks + i * TPI_PLAY_TASK_SIZE) == at) {
            tpi_buf_printf(out, "task %u\n", i);
        }
    }
    for (unsigned i = 0; i < layout->function_count; i++) {
        const uint8_t *f = image + layout->functions + i * TPI_PLAY_FUNCTION_SIZE;
        if (word(f) == at) {
            tpi_buf_printf(out, "function %u: %u values, %u registers\n", i, f[2], f[4]);
        }
    }
}

void tpi_play_disassemble(tpi_buf *out, const uint8_t *image, const tpi_play_program *program)
{
    tpi_play_layout layout;
    unsigned line = 0;

    tpi_play_layout_read(&layout, image);
    for (unsigned at = layout.code; at < layout.length; at += tpi_play_opcode_size(image[at])) {
        const tpi_play_opcode_info *info = tpi_play_opcode_of(image[at]);
        const unsigned here =
            program != NULL ? tpi_play_program_line(program, (uint16_t)(at + 1)) : 0;
        unsigned operand = at + 1;
        put_unit_head(out, image, &layout, at);
        if (here != line) {
            tpi_buf_printf(out, "; line %u\n", here);
        }
        line = here;
        tpi_buf_printf(out, "%6u %-12s", at, info->name);
        for (const char *letter = info->operands; *letter != '\0'; letter++) {
            put_operand(out, image, &layout, *letter, operand);
            operand += *letter == 'j' || *letter == 'c' ? 2 : 1;
        }
        tpi_buf_putc(out, '\n');
    }
}
