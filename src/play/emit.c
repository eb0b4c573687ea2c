/* emit.c - code, registers, constants, jumps; the image. */
#include "play/emit.h"

#include <string.h>

#include "play/machine.h"
#include "play/opcodes.h"

void tpi_play_too_much(tpi_play_compiler *c, const char *sentence)
{
    const tpi_play_node *at = c->statement;
    const char *shape = at != NULL ? tpi_play_statement_of(at->kind)->shape : "";
    char word[32] = {0};

    memcpy(word, shape, strcspn(shape, " "));
    tpi_play_trouble_add(c->troubles, at != NULL ? at->line : 1, at != NULL ? at->column : 1,
                         at != NULL ? at->width : 0, word, "%s", sentence);
}

void tpi_play_emit(tpi_play_compiler *c, tpi_play_opcode opcode, int first, int second, int third)
{
    const int operands[] = {first, second, third};
    const char *letters = tpi_play_opcode_of(opcode)->operands;

    if (c->code.length > TPI_PLAY_MOST_CODE) {
        tpi_play_too_much(c, "the program is too long: 32,000 bytes at most");
        return;
    }
    tpi_buf_putc(&c->code, (char)opcode);
    for (unsigned i = 0; letters[i] != '\0' && letters[i] != 'j'; i++) {
        tpi_buf_putc(&c->code, (char)operands[i]);
    }
}

/* Jumps of a chain hold the place of the one before, 0 for none: place 0 is never a jump. */
void tpi_play_emit_jump(tpi_play_compiler *c, unsigned *chain)
{
    const unsigned before = *chain;

    *chain = (unsigned)c->code.length;
    tpi_buf_putc(&c->code, (char)(before & 0xffu));
    tpi_buf_putc(&c->code, (char)(before >> 8));
}

void tpi_play_land(tpi_play_compiler *c, unsigned *chain)
{
    while (*chain != 0 && *chain + 1 < c->code.length) {
        uint8_t *place = (uint8_t *)c->code.data + *chain;
        const unsigned distance = (unsigned)c->code.length - (*chain + 2);
        *chain = (unsigned)(place[0] | place[1] << 8);
        place[0] = (uint8_t)(distance & 0xffu);
        place[1] = (uint8_t)(distance >> 8);
    }
    *chain = 0;
}

void tpi_play_emit_loop(tpi_play_compiler *c, unsigned target)
{
    tpi_play_emit(c, TPI_PLAY_OP_LOOP, 0, 0, 0);
    const unsigned distance = target - ((unsigned)c->code.length + 2);
    tpi_buf_putc(&c->code, (char)(distance & 0xffu));
    tpi_buf_putc(&c->code, (char)((distance >> 8) & 0xffu));
}

uint8_t tpi_play_take(tpi_play_compiler *c, unsigned count)
{
    const unsigned first = c->next;

    if (first + count > TPI_PLAY_MOST_REGISTERS) {
        tpi_play_too_much(c, "there are too many variables and values at once here");
        return 0;
    }
    c->next += count;
    if (c->next > c->highest) {
        c->highest = c->next;
    }
    return (uint8_t)first;
}

uint8_t tpi_play_constant(tpi_play_compiler *c, bool is_integer, double value)
{
    const union {
        float f;
        uint32_t bits;
    } number = {.f = (float)value};
    unsigned i = 0;

    if (is_integer) {
        while (i < c->integer_count && c->integers[i] != (int32_t)value) {
            i++;
        }
    } else {
        while (i < c->float_count && c->floats[i] != number.bits) {
            i++;
        }
    }
    if (i == TPI_PLAY_MOST_CONSTANTS) {
        tpi_play_too_much(c, "a program has at most 128 different integers and 128 others");
        return 0;
    }
    if (is_integer && i == c->integer_count) {
        c->integers[c->integer_count++] = (int32_t)value;
    } else if (!is_integer && i == c->float_count) {
        c->floats[c->float_count++] = number.bits;
    }
    return (uint8_t)(is_integer ? i : 255 - i);
}

uint8_t tpi_play_text_number(tpi_play_compiler *c, const char *text)
{
    unsigned i = 0;

    while (i < c->text_count && strcmp(c->texts[i], text) != 0) {
        i++;
    }
    if (i == 255 || strlen(text) > 250) {
        tpi_play_too_much(c, i == 255 ? "a program has at most 255 texts"
                                      : "a text has at most 250 bytes");
        return 0;
    }
    if (i == c->text_count) {
        c->texts[c->text_count++] = text;
    }
    return (uint8_t)i;
}

void tpi_play_note_line(tpi_play_compiler *c, const tpi_play_node *statement)
{
    const tpi_play_line line = {(uint16_t)c->code.length, statement->line};

    c->statement = statement;
    tpi_buf_put(&c->program->lines, &line, sizeof line);
}

void tpi_play_mark_line(tpi_play_compiler *c)
{
    if (c->program->marks_lines) {
        tpi_play_emit_do(c, TPI_PLAY_LINE_CODE, TPI_PLAY_NO_DEVICE, 0, 0, 0);
    }
}

/* ---- The image ---- */

static void put_word(tpi_buf *out, unsigned value)
{
    tpi_buf_putc(out, (char)(value & 0xffu));
    tpi_buf_putc(out, (char)((value >> 8) & 0xffu));
}

static void put_units(tpi_buf *out, const tpi_play_compiler *c, unsigned start)
{
    for (unsigned i = 0; i < c->names->task_count; i++) {
        put_word(out, c->tasks[i].entry + start);
        tpi_buf_putc(out, (char)c->tasks[i].flags);
    }
    for (unsigned i = 0; i < c->names->function_count; i++) {
        const tpi_play_unit_code *f = &c->functions[i];
        put_word(out, f->entry + start);
        tpi_buf_putc(out, (char)f->values);
        tpi_buf_putc(out, (char)f->variables);
        tpi_buf_putc(out, (char)f->registers);
    }
}

static void put_data(tpi_buf *out, const tpi_play_compiler *c)
{
    for (unsigned i = 0; i < c->program->device_count; i++) {
        tpi_buf_puts(out, "\xff\xff"); /* matched when it is loaded */
    }
    for (unsigned i = 0; i < c->integer_count; i++) {
        put_word(out, (uint32_t)c->integers[i] & 0xffffu);
        put_word(out, (uint32_t)c->integers[i] >> 16);
    }
    for (unsigned i = 0; i < c->float_count; i++) {
        put_word(out, c->floats[i] & 0xffffu);
        put_word(out, c->floats[i] >> 16);
    }
    for (unsigned i = 0; i < c->text_count; i++) {
        tpi_buf_putc(out, (char)strlen(c->texts[i]));
        tpi_buf_puts(out, c->texts[i]);
    }
}

static unsigned data_size(const tpi_play_compiler *c)
{
    unsigned size = TPI_PLAY_HEADER + c->names->task_count * TPI_PLAY_TASK_SIZE +
                    c->names->function_count * TPI_PLAY_FUNCTION_SIZE +
                    c->program->device_count * TPI_PLAY_PORT_SIZE +
                    (c->integer_count + c->float_count) * 4;

    for (unsigned i = 0; i < c->text_count; i++) {
        size += 1 + (unsigned)strlen(c->texts[i]);
    }
    return size;
}

void tpi_play_assemble(tpi_play_compiler *c)
{
    tpi_buf *out = &c->program->image;
    const unsigned start = data_size(c);

    if (start + c->code.length > UINT16_MAX) {
        tpi_play_too_much(c, "the program is too long");
        return;
    }
    tpi_buf_puts(out, "TP");
    put_word(out, 0);
    tpi_buf_putc(out, TPI_PLAY_VERSION);
    tpi_buf_putc(out, (char)c->highest);
    put_word(out, start + (unsigned)c->code.length);
    tpi_buf_putc(out, (char)c->names->task_count);
    tpi_buf_putc(out, (char)c->names->function_count);
    tpi_buf_putc(out, (char)c->program->device_count);
    tpi_buf_putc(out, (char)c->program->channel_count);
    tpi_buf_putc(out, (char)c->integer_count);
    tpi_buf_putc(out, (char)c->float_count);
    tpi_buf_putc(out, (char)c->text_count);
    tpi_buf_putc(out, 0);
    put_word(out, start);
    put_units(out, c, start);
    put_data(out, c);
    tpi_buf_put(out, c->code.data, c->code.length);
    if (!out->failed) {
        const uint16_t sum =
            tpi_play_checksum(0xffff, (const uint8_t *)out->data + TPI_PLAY_AT_VERSION,
                              out->length - TPI_PLAY_AT_VERSION);
        out->data[TPI_PLAY_AT_CHECKSUM] = (char)(sum & 0xff);
        out->data[TPI_PLAY_AT_CHECKSUM + 1] = (char)(sum >> 8);
    }
    for (unsigned i = 0; i * sizeof(tpi_play_line) < c->program->lines.length; i++) {
        tpi_play_line *line = (tpi_play_line *)(void *)c->program->lines.data + i;
        line->pc = (uint16_t)(line->pc + start);
    }
}
