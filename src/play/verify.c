/*
 * verify.c - decides whether an image can be executed.
 *
 * What the machine trusts: tables and texts lie within the image; the code is a row of units, each
 * a row of whole instructions that cannot run off its end; jumps stay in their unit and lead to an
 * instruction; only LOOP goes back; registers, constants, texts, functions and rows exist. Tags of
 * cells are checked while it runs.
 */
#include <stdio.h>
#include <string.h>

#include "play/cell.h"
#include "play/check.h"
#include "play/machine.h"
#include "play/opcodes.h"
#include "play/program.h"

struct verifier {
    const uint8_t *image;
    tpi_play_layout layout;
    uint8_t starts[8192]; /* a bit for each place where an instruction begins */
    unsigned at;          /* the instruction that is looked at */
    tp_error *err;
};

/* What runs in one set of registers. */
struct unit {
    unsigned begin, end;
    unsigned registers;
    bool is_function;
};

static unsigned word(const struct verifier *v, unsigned at)
{
    return (unsigned)(v->image[at] | v->image[at + 1] << 8);
}

static tp_status refuse(struct verifier *v, const char *reason)
{
    return tp_fail(v->err, TP_E_INVALID, "the program's code at byte %u: %s", v->at, reason);
}

/* ---- Tables ---- */

static tp_status check_header(struct verifier *v, const uint8_t *image, size_t length)
{
    if (length < TPI_PLAY_HEADER || memcmp(image, "TP", 2) != 0) {
        return tp_fail(v->err, TP_E_SYNTAX, "this is no compiled program");
    }
    if (image[TPI_PLAY_AT_VERSION] != TPI_PLAY_VERSION) {
        return tp_fail(v->err, TP_E_UNSUPPORTED, "the program has version %u, this is version %u",
                       image[TPI_PLAY_AT_VERSION], (unsigned)TPI_PLAY_VERSION);
    }
    tpi_play_layout_read(&v->layout, image);
    if (v->layout.length != length) {
        return tp_fail(v->err, TP_E_SHORT, "the program has %u bytes, %u are here",
                       v->layout.length, (unsigned)length);
    }
    if (tpi_play_checksum(0xffff, image + TPI_PLAY_AT_VERSION, length - TPI_PLAY_AT_VERSION) !=
        word(v, TPI_PLAY_AT_CHECKSUM)) {
        return tp_fail(v->err, TP_E_INVALID, "the checksum of the program is wrong");
    }
    return TP_OK;
}

static tp_status check_tables(struct verifier *v)
{
    const tpi_play_layout *l = &v->layout;
    unsigned at = TPI_PLAY_HEADER + l->task_count * (unsigned)TPI_PLAY_TASK_SIZE +
                  l->function_count * (unsigned)TPI_PLAY_FUNCTION_SIZE +
                  l->device_count * (unsigned)TPI_PLAY_PORT_SIZE +
                  ((unsigned)l->integer_count + l->float_count) * 4;

    if (l->task_count > TPI_PLAY_MOST_TASKS || l->registers > TPI_PLAY_MOST_REGISTERS ||
        l->integer_count + l->float_count > 256 || v->image[TPI_PLAY_AT_RESERVED] != 0) {
        return tp_fail(v->err, TP_E_RANGE, "the header of the program is wrong");
    }
    for (unsigned i = 0; i < l->text_count && at < l->length; i++) {
        at += 1u + v->image[at];
    }
    return at == l->code && at <= l->length
               ? TP_OK
               : tp_fail(v->err, TP_E_RANGE, "the tables of the program do not fit its code");
}

/* ---- Instructions ---- */

static bool is_start(const struct verifier *v, unsigned at)
{
    return (v->starts[at / 8] >> (at % 8) & 1) != 0;
}

/* Mark where instructions begin. */
static tp_status mark(struct verifier *v, const struct unit *unit)
{
    for (v->at = unit->begin; v->at < unit->end;) {
        const uint8_t opcode = v->image[v->at];
        if (opcode >= TPI_PLAY_OPCODES) {
            return refuse(v, "there is no such instruction");
        }
        v->starts[v->at / 8] |= (uint8_t)(1u << (v->at % 8));
        const unsigned next = v->at + tpi_play_opcode_size(opcode);
        if (next > unit->end) {
            return refuse(v, "the instruction is cut");
        }
        const bool ends =
            opcode == TPI_PLAY_OP_END || opcode == TPI_PLAY_OP_RETURN || opcode == TPI_PLAY_OP_LOOP;
        if (next == unit->end && !ends) {
            return refuse(v, "the code runs off its end");
        }
        v->at = next;
    }
    return TP_OK;
}

static bool fits_jump(const struct verifier *v, const struct unit *unit, unsigned operand,
                      bool is_loop)
{
    const int distance = (int16_t)(uint16_t)word(v, operand);
    const int target = (int)operand + 2 + distance; /* a jump is the last operand */

    return is_loop == (distance < 0) && target >= (int)unit->begin && target < (int)unit->end &&
           is_start(v, (unsigned)target);
}

static bool fits_call(const struct verifier *v, const struct unit *unit, unsigned at)
{
    const uint8_t function = v->image[at + 1], row = v->image[at + 3];
    const unsigned values =
        v->image[v->layout.functions + function * (unsigned)TPI_PLAY_FUNCTION_SIZE + 2];

    return row + values <= unit->registers;
}

/* A row has room for what a command gets and gives. */
static bool fits_row(const struct verifier *v, const struct unit *unit, unsigned at)
{
    switch (v->image[at]) {
    case TPI_PLAY_OP_CALL:
        return fits_call(v, unit, at);
    case TPI_PLAY_OP_MATH:
        return v->image[at + 3] + tpi_play_math_values(v->image[at + 1]) <= unit->registers;
    default:
        return v->image[at + 4] + v->image[at + 5] <= (int)unit->registers &&
               v->image[at + 4] + v->image[at + 6] <= (int)unit->registers;
    }
}

static bool fits_device(const struct verifier *v, unsigned at)
{
    const uint8_t device = v->image[at + 3];
    const unsigned most =
        word(v, at + 1) >> 8 == 0x40 ? v->layout.channel_count : v->layout.device_count;

    return device == TPI_PLAY_NO_DEVICE || device < most;
}

static const char *check_operand(const struct verifier *v, const struct unit *unit, char letter,
                                 unsigned at)
{
    const tpi_play_layout *l = &v->layout;
    const uint8_t byte = v->image[at];

    switch (letter) {
    case 'd':
    case 'r':
        return byte < unit->registers ? NULL : "there is no such register";
    case 'g':
        return byte < l->registers && unit->is_function
                   ? NULL
                   : "there is no such register of the program";
    case 'k':
        return byte < l->integer_count || 255 - byte < l->float_count ? NULL
                                                                      : "there is no such constant";
    case 't':
        return byte < l->text_count ? NULL : "there is no such text";
    case 'f':
        return byte < l->function_count ? NULL : "there is no such function";
    case 'q':
        return byte < l->task_count ? NULL : "there is no such task";
    case 'm':
        return byte < TPI_PLAY_MATH_COUNT ? NULL : "there is no such built-in function";
    case 'j':
        return fits_jump(v, unit, at, v->image[v->at] == TPI_PLAY_OP_LOOP)
                   ? NULL
                   : "the jump leads nowhere";
    case 'w':
        return fits_row(v, unit, v->at) ? NULL : "the row of values is too long";
    case 'v':
        return fits_device(v, v->at) ? NULL : "there is no such device or channel";
    default:
        return NULL;
    }
}

static tp_status check_unit(struct verifier *v, const struct unit *unit)
{
    for (v->at = unit->begin; v->at < unit->end; v->at += tpi_play_opcode_size(v->image[v->at])) {
        const uint8_t opcode = v->image[v->at];
        unsigned at = v->at + 1;
        for (const char *letter = tpi_play_opcode_of(opcode)->operands; *letter != '\0'; letter++) {
            const char *reason = check_operand(v, unit, *letter, at);
            if (reason != NULL) {
                return refuse(v, reason);
            }
            at += *letter == 'j' || *letter == 'c' ? 2 : 1;
        }
        if (opcode == TPI_PLAY_OP_RETURN && !unit->is_function) {
            return refuse(v, "there is no function to return from");
        }
        if (opcode == TPI_PLAY_OP_END && unit->is_function) {
            return refuse(v, "a function does not end a task");
        }
    }
    return TP_OK;
}

/* ---- Units ---- */

static unsigned entry_of(const struct verifier *v, unsigned index)
{
    const tpi_play_layout *l = &v->layout;

    if (index == (unsigned)l->task_count + l->function_count) {
        return l->length;
    }
    return index < l->task_count
               ? word(v, l->tasks + index * (unsigned)TPI_PLAY_TASK_SIZE)
               : word(v, l->functions + (index - l->task_count) * (unsigned)TPI_PLAY_FUNCTION_SIZE);
}

static struct unit unit_of(const struct verifier *v, unsigned index)
{
    const tpi_play_layout *l = &v->layout;
    struct unit unit = {entry_of(v, index), entry_of(v, index + 1), l->registers,
                        index >= l->task_count};

    if (unit.is_function) {
        unit.registers =
            v->image[l->functions + (index - l->task_count) * (unsigned)TPI_PLAY_FUNCTION_SIZE + 4];
    }
    return unit;
}

/* Tasks, then functions, in the order of their code. */
static tp_status check_units(struct verifier *v)
{
    const tpi_play_layout *l = &v->layout;
    const unsigned count = (unsigned)l->task_count + l->function_count;
    unsigned end = l->code;
    tp_status status = TP_OK;

    for (unsigned i = 0; i < count && status == TP_OK; i++) {
        const struct unit unit = unit_of(v, i);
        v->at = unit.begin;
        if (unit.begin != end || unit.end <= unit.begin || unit.end > l->length) {
            return refuse(v, "a task or function begins at a wrong place");
        }
        if (unit.is_function) {
            const uint8_t *f =
                v->image + l->functions + (i - l->task_count) * (unsigned)TPI_PLAY_FUNCTION_SIZE;
            if (f[2] > f[3] || f[3] > f[4] || f[4] > TPI_PLAY_MOST_REGISTERS) {
                return refuse(v, "the registers of a function are wrong");
            }
        }
        status = mark(v, &unit);
        end = unit.end;
    }
    if (status == TP_OK && end != l->length) {
        v->at = end;
        return refuse(v, "nothing leads to the code here");
    }
    for (unsigned i = 0; i < count && status == TP_OK; i++) {
        const struct unit unit = unit_of(v, i);
        status = check_unit(v, &unit);
    }
    return status;
}

tp_status tpi_play_verify(const uint8_t *image, size_t length, tp_error *err)
{
    struct verifier v = {.image = image, .err = err};
    tp_status status = check_header(&v, image, length);

    status = status == TP_OK ? check_tables(&v) : status;
    return status == TP_OK ? check_units(&v) : status;
}
