/*
 * examine.c - the checks of the verifier. Freestanding.
 *
 * What the machine trusts: tables and texts lie within the image; the code is a row of units (tasks
 * and functions), each a row of whole instructions that cannot run off its end; jumps stay in their
 * unit and lead to an instruction; only LOOP goes back; registers, constants, texts, functions and
 * rows exist. Tags of cells are checked while it runs. Places are 16 bits: all sums are compared so
 * that none that goes around is taken for a smaller one.
 */
#include "play/examine.h"

#include "play/tables.h"

/* The operands of all instructions, one behind the other, each with a NUL. */
TPI_PLAY_LETTERS letters[] =
#define PLAY_OP(name, operands, sentence) operands "\0"
#include "play/opcodes.def"
#undef PLAY_OP
    ;
_Static_assert(sizeof letters <= 255, "places in the letters are one byte");

static uint8_t letters_of(uint8_t opcode)
{
    uint8_t at = 0;

    for (; opcode > 0; at++) {
        opcode = (uint8_t)(opcode - (TPI_PLAY_LETTER(letters, at) == 0));
    }
    return at;
}

static uint8_t byte_at(const tpi_play_exam *e, uint16_t at)
{
    (void)e;
    return TPI_PLAY_BYTE(e->image, at);
}

static uint16_t word_at(const tpi_play_exam *e, uint16_t at)
{
    return (uint16_t)(byte_at(e, at) | (uint16_t)(byte_at(e, (uint16_t)(at + 1)) << 8));
}

/* ---- Tables ---- */

static uint8_t examine_header(tpi_play_exam *e, uint16_t length)
{
    uint16_t sum = 0xffff;

    if (length < TPI_PLAY_HEADER || word_at(e, 0) != ('T' | 'P' << 8)) {
        return TPI_PLAY_NO_IMAGE;
    }
    if (byte_at(e, TPI_PLAY_AT_VERSION) != TPI_PLAY_VERSION) {
        return TPI_PLAY_OTHER_VERSION;
    }
    tpi_play_layout_read(&e->layout, e->image);
    if (e->layout.length != length) {
        return TPI_PLAY_OTHER_LENGTH;
    }
    for (uint16_t at = TPI_PLAY_AT_VERSION; at < length; at++) {
        sum = tpi_play_checksum_byte(sum, byte_at(e, at));
    }
    return sum != word_at(e, TPI_PLAY_AT_CHECKSUM) ? TPI_PLAY_OTHER_CHECKSUM : TPI_PLAY_ACCEPTED;
}

static uint8_t examine_tables(const tpi_play_exam *e)
{
    const tpi_play_layout *l = &e->layout;
    uint16_t at = l->texts;

    if (l->task_count > TPI_PLAY_MOST_TASKS || l->registers > TPI_PLAY_MOST_REGISTERS ||
        l->integer_count + l->float_count > 256 || byte_at(e, TPI_PLAY_AT_RESERVED) != 0) {
        return TPI_PLAY_WRONG_HEADER;
    }
    for (uint8_t i = 0; i < l->text_count; i++) {
        if (at >= l->length || byte_at(e, at) >= l->length - at) {
            return TPI_PLAY_WRONG_TABLES;
        }
        at = (uint16_t)(at + 1 + byte_at(e, at));
    }
    return at == l->code && at <= l->length ? TPI_PLAY_ACCEPTED : TPI_PLAY_WRONG_TABLES;
}

/* ---- Instructions ---- */

/* A row has room for what a command gets and gives. */
static bool fits_row(const tpi_play_exam *e, uint16_t operand)
{
    const uint8_t opcode = byte_at(e, e->at), first = byte_at(e, (uint16_t)(operand - 2));
    uint8_t values;

    if (opcode == TPI_PLAY_OP_CALL) {
        values = byte_at(e, (uint16_t)(e->layout.functions + first * TPI_PLAY_FUNCTION_SIZE + 2));
    } else if (opcode == TPI_PLAY_OP_MATH) {
        values = tpi_play_math_values(first);
    } else {
        const uint8_t results = byte_at(e, (uint16_t)(operand + 2));
        values = byte_at(e, (uint16_t)(operand + 1));
        values = values > results ? values : results;
    }
    return byte_at(e, operand) + values <= e->registers;
}

/* A jump is the last operand. */
static bool fits_jump(const tpi_play_exam *e, uint16_t operand)
{
    const uint16_t distance = word_at(e, operand), next = (uint16_t)(operand + 2);
    const uint16_t target = (uint16_t)(next + distance);
    const bool is_back = (distance & 0x8000u) != 0;

    return is_back == (byte_at(e, e->at) == TPI_PLAY_OP_LOOP) && is_back == (target < next) &&
           target >= e->begin && target < e->end &&
           (e->starts[target / 8] >> (target % 8) & 1) != 0;
}

static bool fits(const tpi_play_exam *e, uint8_t letter, uint16_t operand)
{
    const tpi_play_layout *l = &e->layout;
    const uint8_t byte = byte_at(e, operand);
    uint8_t limit;

    switch (letter) {
    case 'd':
    case 'r':
        limit = e->registers;
        break;
    case 'g':
        limit = e->is_function ? l->registers : 0;
        break;
    case 'k':
        if (255 - byte < l->float_count) {
            return true;
        }
        limit = l->integer_count;
        break;
    case 't':
        limit = l->text_count;
        break;
    case 'f':
        limit = l->function_count;
        break;
    case 'q':
        limit = l->task_count;
        break;
    case 'm':
        limit = TPI_PLAY_MATH_COUNT;
        break;
    case 'v': /* the code is before it, its high byte the nearer one */
        if (byte == TPI_PLAY_NO_DEVICE) {
            return true;
        }
        limit = byte_at(e, (uint16_t)(operand - 1)) == 0x40 ? l->channel_count : l->device_count;
        break;
    case 'w':
        return fits_row(e, operand);
    case 'j':
        return fits_jump(e, operand);
    default:
        return true;
    }
    return byte < limit;
}

/* What an instruction must not be at its place; `next` is behind it. */
static uint8_t examine_place(const tpi_play_exam *e, uint8_t opcode, uint16_t next)
{
    if (opcode == TPI_PLAY_OP_RETURN) {
        return e->is_function ? TPI_PLAY_ACCEPTED : TPI_PLAY_WRONG_RETURN;
    }
    if (opcode == TPI_PLAY_OP_END) {
        return e->is_function ? TPI_PLAY_WRONG_END : TPI_PLAY_ACCEPTED;
    }
    return next == e->end && opcode != TPI_PLAY_OP_LOOP ? TPI_PLAY_RUNS_OFF : TPI_PLAY_ACCEPTED;
}

/* Mark where the instructions of a unit begin; then, `checks`, look at their operands. */
static uint8_t walk(tpi_play_exam *e, bool checks)
{
    uint8_t reason = TPI_PLAY_ACCEPTED;

    for (e->at = e->begin; e->at < e->end && reason == TPI_PLAY_ACCEPTED;) {
        const uint8_t opcode = byte_at(e, e->at);
        if (opcode >= TPI_PLAY_OPCODES) {
            return TPI_PLAY_NO_INSTRUCTION;
        }
        e->starts[e->at / 8] |= (uint8_t)(1u << (e->at % 8));
        uint16_t operand = (uint16_t)(e->at + 1);
        uint8_t letter;
        for (uint8_t i = letters_of(opcode); (letter = TPI_PLAY_LETTER(letters, i)) != 0; i++) {
            if (checks && !fits(e, letter, operand)) {
                return letter;
            }
            operand = (uint16_t)(operand + (letter == 'j' || letter == 'c' ? 2 : 1));
        }
        if ((uint16_t)(operand - e->at) > (uint16_t)(e->end - e->at)) {
            return TPI_PLAY_CUT;
        }
        reason = examine_place(e, opcode, operand);
        if (reason == TPI_PLAY_ACCEPTED) {
            e->at = operand;
        }
    }
    return reason;
}

/* ---- Units ---- */

/* Where the entry of a task or function is written down. */
static uint16_t entry_at(const tpi_play_exam *e, uint16_t unit)
{
    const tpi_play_layout *l = &e->layout;

    return (uint16_t)(unit < l->task_count
                          ? l->tasks + unit * TPI_PLAY_TASK_SIZE
                          : l->functions + (unit - l->task_count) * TPI_PLAY_FUNCTION_SIZE);
}

static uint8_t examine_unit(tpi_play_exam *e, uint16_t unit, uint16_t count)
{
    const tpi_play_layout *l = &e->layout;
    const uint16_t at = entry_at(e, unit), before = e->end;

    e->begin = e->at = word_at(e, at);
    e->end = unit + 1 < count ? word_at(e, entry_at(e, (uint16_t)(unit + 1))) : l->length;
    if (e->begin != before || e->end <= e->begin || e->end > l->length) {
        return TPI_PLAY_WRONG_ENTRY;
    }
    e->registers = l->registers;
    e->is_function = unit >= l->task_count;
    if (e->is_function) {
        const uint8_t values = byte_at(e, (uint16_t)(at + 2));
        const uint8_t variables = byte_at(e, (uint16_t)(at + 3));
        e->registers = byte_at(e, (uint16_t)(at + 4));
        if (values > variables || variables > e->registers ||
            e->registers > TPI_PLAY_MOST_REGISTERS) {
            return TPI_PLAY_WRONG_REGISTERS;
        }
    }
    const uint8_t reason = walk(e, false);
    return reason == TPI_PLAY_ACCEPTED ? walk(e, true) : reason;
}

uint8_t tpi_play_examine(tpi_play_exam *e, uint16_t length)
{
    uint8_t reason = examine_header(e, length);

    if (reason == TPI_PLAY_ACCEPTED) {
        reason = examine_tables(e);
    }
    if (reason != TPI_PLAY_ACCEPTED) {
        return reason;
    }
    const uint16_t count = (uint16_t)(e->layout.task_count + e->layout.function_count);
    for (uint16_t i = 0; i < (length + 7u) / 8; i++) {
        e->starts[i] = 0;
    }
    e->end = e->layout.code;
    for (uint16_t unit = 0; unit < count && reason == TPI_PLAY_ACCEPTED; unit++) {
        reason = examine_unit(e, unit, count);
    }
    if (reason == TPI_PLAY_ACCEPTED && e->end != length) {
        e->at = e->end;
        reason = TPI_PLAY_NOT_REACHED;
    }
    return reason;
}
