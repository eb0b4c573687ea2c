/* compile_expression.c - expressions, conditions and commands as instructions. */
#include <string.h>

#include "play/cell.h"
#include "play/emit.h"

static const tpi_play_node *inside(const tpi_play_node *node)
{
    while (node->kind == TPI_PLAY_GROUP) {
        node = node->slots[0];
    }
    return node;
}

/* A number, also a negative one. */
static bool literal(const tpi_play_node *node, bool *is_integer, double *value)
{
    node = inside(node);
    if (node->kind == TPI_PLAY_NEGATIVE) {
        const bool found = literal(node->slots[0], is_integer, value);
        *value = -*value;
        return found && (*value != 0.0 || *is_integer);
    }
    return node->kind == TPI_PLAY_NUMBER && tpi_play_number_value(node, is_integer, value);
}

/* Whether a function of the program is called in it, which can change variables. */
static bool has_call(const tpi_play_node *node)
{
    if (node->kind == TPI_PLAY_CALL && node->symbol != NULL) {
        return true;
    }
    for (unsigned i = 0; i < TPI_PLAY_MOST_SLOTS; i++) {
        for (const tpi_play_node *part = node->slots[i]; part != NULL; part = part->next) {
            if (has_call(part)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- Operands ---- */

/* The second operand in one of three modes: 0 register, 1 small number, 2 constant. */
static uint8_t operand(tpi_play_compiler *c, const tpi_play_node *node, unsigned *mode)
{
    bool is_integer;
    double value;

    *mode = 0;
    if (!literal(node, &is_integer, &value)) {
        return tpi_play_value(c, node);
    }
    *mode = is_integer && value >= -128 && value <= 127 ? 1 : 2;
    return *mode == 1 ? (uint8_t)(int8_t)value : tpi_play_constant(c, is_integer, value);
}

/* The first operand. It is copied if what follows can change it. */
static uint8_t first_operand(tpi_play_compiler *c, const tpi_play_node *left,
                             const tpi_play_node *right)
{
    if (inside(left)->kind == TPI_PLAY_NAME && has_call(right)) {
        const uint8_t copy = tpi_play_take(c, 1);
        tpi_play_value_into(c, left, copy);
        return copy;
    }
    return tpi_play_value(c, left);
}

/* Whether the sides are better exchanged: only the second operand can be a number. */
static bool should_turn(const tpi_play_node *left, const tpi_play_node *right)
{
    bool is_integer;
    double value;

    return literal(left, &is_integer, &value) && !literal(right, &is_integer, &value);
}

static int kind_of(const char *operator)
{
    static const char *const list[] = {"+",  "-", "*",  "/", "mod", "=",
                                       "<>", "<", "<=", ">", ">=",  NULL};

    for (int i = 0; list[i] != NULL; i++) {
        if (strcmp(list[i], operator) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- Conditions ---- */

static void jump_if(tpi_play_compiler *c, const tpi_play_node *node, unsigned *chain);

static void compare(tpi_play_compiler *c, const tpi_play_node *node, unsigned *chain)
{
    static const uint8_t turned[] = {TPI_PLAY_EQ, TPI_PLAY_NE, TPI_PLAY_GT,
                                     TPI_PLAY_GE, TPI_PLAY_LT, TPI_PLAY_LE};
    const unsigned mark = c->next;
    const bool is_turned = should_turn(node->slots[0], node->slots[1]);
    const tpi_play_node *first = node->slots[is_turned], *second = node->slots[!is_turned];
    const uint8_t left = first_operand(c, first, second);
    unsigned mode, kind = (unsigned)kind_of(node->text) - 5;
    const uint8_t right = operand(c, second, &mode);

    kind = is_turned ? turned[kind] : kind;

    tpi_play_emit(c, (tpi_play_opcode)(TPI_PLAY_OP_UNLESS_EQ + kind * 3 + mode), left, right, 0);
    tpi_play_emit_jump(c, chain);
    c->next = mark;
}

static bool is_comparison(const tpi_play_node *node)
{
    return node->kind == TPI_PLAY_BINARY && strpbrk(node->text, "=<>") != NULL;
}

static bool is_logic(const tpi_play_node *node, const char *word)
{
    return node->kind == TPI_PLAY_BINARY && strcmp(node->text, word) == 0;
}

static void test(tpi_play_compiler *c, const tpi_play_node *node, tpi_play_opcode opcode,
                 unsigned *chain)
{
    const unsigned mark = c->next;

    tpi_play_emit(c, opcode, tpi_play_value(c, node), 0, 0);
    tpi_play_emit_jump(c, chain);
    c->next = mark;
}

void tpi_play_unless(tpi_play_compiler *c, const tpi_play_node *node, unsigned *chain)
{
    node = inside(node);
    if (is_comparison(node)) {
        compare(c, node, chain);
    } else if (is_logic(node, "and")) {
        tpi_play_unless(c, node->slots[0], chain);
        tpi_play_unless(c, node->slots[1], chain);
    } else if (is_logic(node, "or")) {
        unsigned holds = 0;
        jump_if(c, node->slots[0], &holds);
        tpi_play_unless(c, node->slots[1], chain);
        tpi_play_land(c, &holds);
    } else if (node->kind == TPI_PLAY_NOT) {
        jump_if(c, node->slots[0], chain);
    } else {
        test(c, node, TPI_PLAY_OP_JUMP_NOT, chain);
    }
}

static void jump_if(tpi_play_compiler *c, const tpi_play_node *node, unsigned *chain)
{
    node = inside(node);
    if (is_comparison(node) || is_logic(node, "and")) {
        unsigned fails = 0;
        tpi_play_unless(c, node, &fails);
        tpi_play_emit(c, TPI_PLAY_OP_JUMP, 0, 0, 0);
        tpi_play_emit_jump(c, chain);
        tpi_play_land(c, &fails);
    } else if (is_logic(node, "or")) {
        jump_if(c, node->slots[0], chain);
        jump_if(c, node->slots[1], chain);
    } else if (node->kind == TPI_PLAY_NOT) {
        tpi_play_unless(c, node->slots[0], chain);
    } else {
        test(c, node, TPI_PLAY_OP_JUMP_IF, chain);
    }
}

/* A condition as a value. */
static void truth_into(tpi_play_compiler *c, const tpi_play_node *node, uint8_t target)
{
    unsigned fails = 0, done = 0;

    tpi_play_unless(c, node, &fails);
    tpi_play_emit(c, TPI_PLAY_OP_BOOL, target, 1, 0);
    tpi_play_emit(c, TPI_PLAY_OP_JUMP, 0, 0, 0);
    tpi_play_emit_jump(c, &done);
    tpi_play_land(c, &fails);
    tpi_play_emit(c, TPI_PLAY_OP_BOOL, target, 0, 0);
    tpi_play_land(c, &done);
}

/* ---- Commands ---- */

void tpi_play_emit_do(tpi_play_compiler *c, unsigned code, int device, uint8_t row, unsigned values,
                      unsigned results)
{
    const uint8_t bytes[] = {
        TPI_PLAY_OP_DO,  (uint8_t)(code & 0xffu), (uint8_t)(code >> 8), (uint8_t)device, row,
        (uint8_t)values, (uint8_t)results};

    if (c->code.length > TPI_PLAY_MOST_CODE) {
        tpi_play_too_much(c, "the program is too long: 32,000 bytes at most");
        return;
    }
    tpi_buf_put(&c->code, bytes, sizeof bytes);
}

uint8_t tpi_play_row(tpi_play_compiler *c, const tpi_play_node *values, unsigned least)
{
    unsigned count = 0, i = 0;

    for (const tpi_play_node *node = values; node != NULL; node = node->next) {
        count++;
    }
    const uint8_t row = tpi_play_take(c, count > least ? count : least);
    for (const tpi_play_node *node = values; node != NULL; node = node->next, i++) {
        tpi_play_value_into(c, node, (uint8_t)(row + i));
    }
    return row;
}

/* Times of commands are in milliseconds. */
static void scale_times(tpi_play_compiler *c, const tpi_entry *entry, const tpi_play_node *values,
                        uint8_t row)
{
    for (unsigned i = 0; values != NULL; values = values->next, i++) {
        if (values->dimension == TPI_PLAY_TIME && (strcmp(entry->values[i].name, "ms") == 0 ||
                                                   strcmp(entry->values[i].name, "timeout") == 0)) {
            tpi_play_emit(c, TPI_PLAY_OP_MUL_K, row + (int)i, row + (int)i,
                          tpi_play_constant(c, true, 1000));
        }
    }
}

uint8_t tpi_play_command(tpi_play_compiler *c, tpi_command command, const tpi_play_node *values,
                         unsigned results)
{
    const tpi_entry *entry = tpi_dictionary_entry(command);
    int device = TPI_PLAY_NO_DEVICE;
    unsigned count = 0;

    if (entry->has_port && values != NULL && values->kind == TPI_PLAY_NAME &&
        values->symbol != NULL &&
        (values->symbol->role == TPI_PLAY_DEVICE || values->symbol->role == TPI_PLAY_CHANNEL)) {
        device = (int)values->symbol->index;
        values = values->next;
    }
    for (const tpi_play_node *node = values; node != NULL; node = node->next) {
        count++;
    }
    const uint8_t row = tpi_play_row(c, values, results);
    scale_times(c, entry, values, row);
    tpi_play_emit_do(c, entry->code, device, row, count, results);
    return row;
}

/* A count as a value in the unit of programs. */
static void scale_reading(tpi_play_compiler *c, const tpi_play_node *node, uint8_t target)
{
    const tpi_device_class *class = node->symbol->class;
    const tpi_play_unit *unit =
        class != NULL && class->unit != NULL ? tpi_play_unit_named(class->unit) : NULL;

    if (node->reading != TPI_READ_COUNT || unit == NULL) {
        return;
    }
    const double factor = unit->factor * (class->resolution > 0 ? class->resolution : 1);
    const double parts = 1 / factor;
    const double whole = (double)(int32_t)(parts + 0.5);
    if (factor < 1 && parts < 1e9 && parts - whole < 1e-6 && whole - parts < 1e-6) {
        tpi_play_emit(c, whole <= 127 ? TPI_PLAY_OP_DIV_I : TPI_PLAY_OP_DIV_K, target, target,
                      whole <= 127 ? (int)whole : tpi_play_constant(c, true, whole));
    } else if (factor < 1 || factor > 1) {
        tpi_play_emit(c, TPI_PLAY_OP_MUL_K, target, target, tpi_play_constant(c, false, factor));
    }
}

static void read_into(tpi_play_compiler *c, const tpi_play_node *node, uint8_t target)
{
    const tpi_entry *entry = tpi_dictionary_entry((tpi_command)node->reading);

    tpi_play_emit_do(c, entry->code, (int)node->symbol->index, target, 0, 1);
    scale_reading(c, node, target);
}

void tpi_play_call(tpi_play_compiler *c, const tpi_play_node *values, const char *name,
                   const tpi_play_symbol *symbol, uint8_t target)
{
    const uint8_t row = tpi_play_row(c, values, 0);

    if (symbol != NULL) {
        tpi_play_emit(c, TPI_PLAY_OP_CALL, (int)symbol->index, target, row);
    } else {
        tpi_play_emit(c, TPI_PLAY_OP_MATH, tpi_play_math_named(name), target, row);
    }
}

/* ---- Values ---- */

static void number_into(tpi_play_compiler *c, bool is_integer, double value, uint8_t target)
{
    if (is_integer && value >= -128 && value <= 127) {
        tpi_play_emit(c, TPI_PLAY_OP_INT, target, (int)value, 0);
    } else {
        tpi_play_emit(c, TPI_PLAY_OP_CONST, target, tpi_play_constant(c, is_integer, value), 0);
    }
}

static void name_into(tpi_play_compiler *c, const tpi_play_node *node, uint8_t target)
{
    const tpi_play_symbol *symbol = node->symbol;

    if (symbol->role == TPI_PLAY_DEVICE) {
        read_into(c, node, target);
    } else if (symbol->role == TPI_PLAY_VARIABLE && c->function != NULL) {
        tpi_play_emit(c, TPI_PLAY_OP_GET, target, (int)symbol->index, 0);
    } else if (symbol->index != target) {
        tpi_play_emit(c, TPI_PLAY_OP_MOVE, target, (int)symbol->index, 0);
    }
}

static void arith_into(tpi_play_compiler *c, const tpi_play_node *node, uint8_t target)
{
    const unsigned kind = (unsigned)kind_of(node->text);
    const bool is_turned = (kind == TPI_PLAY_ADD || kind == TPI_PLAY_MUL) &&
                           should_turn(node->slots[0], node->slots[1]);
    const tpi_play_node *first = node->slots[is_turned], *second = node->slots[!is_turned];
    unsigned mode;
    const uint8_t left = first_operand(c, first, second);
    const uint8_t right = operand(c, second, &mode);

    tpi_play_emit(c, (tpi_play_opcode)(TPI_PLAY_OP_ADD + kind * 3 + mode), target, left, right);
}

static void message_into(tpi_play_compiler *c, const tpi_play_node *node, uint8_t target)
{
    tpi_play_emit_do(c, tpi_dictionary_entry(TPI_READ_MESSAGE)->code,
                     (int)node->slots[0]->symbol->index, target, 0, 1);
}

void tpi_play_value_into(tpi_play_compiler *c, const tpi_play_node *node, uint8_t target)
{
    const unsigned mark = c->next;
    bool is_integer;
    double value;

    node = inside(node);
    if (literal(node, &is_integer, &value)) {
        number_into(c, is_integer, value, target);
        return;
    }
    if (is_comparison(node) || is_logic(node, "and") || is_logic(node, "or")) {
        truth_into(c, node, target);
        return;
    }
    switch (node->kind) {
    case TPI_PLAY_STRING:
        tpi_play_emit(c, TPI_PLAY_OP_TEXT, target, tpi_play_text_number(c, node->text), 0);
        break;
    case TPI_PLAY_TRUTH:
        tpi_play_emit(c, TPI_PLAY_OP_BOOL, target, node->text[0] == 't', 0);
        break;
    case TPI_PLAY_NAME:
        name_into(c, node, target);
        break;
    case TPI_PLAY_BINARY:
        arith_into(c, node, target);
        break;
    case TPI_PLAY_NEGATIVE:
        tpi_play_emit(c, TPI_PLAY_OP_NEG, target, tpi_play_value(c, node->slots[0]), 0);
        break;
    case TPI_PLAY_NOT:
        tpi_play_emit(c, TPI_PLAY_OP_NOT, target, tpi_play_value(c, node->slots[0]), 0);
        break;
    case TPI_PLAY_CALL:
        tpi_play_call(c, node->slots[0], node->text, node->symbol, target);
        break;
    case TPI_PLAY_DO:
        tpi_play_emit(c, TPI_PLAY_OP_MOVE, target,
                      tpi_play_command(c, tpi_dictionary_named(node->text), node->slots[0], 1), 0);
        break;
    default:
        message_into(c, node, target);
    }
    c->next = mark;
}

uint8_t tpi_play_value(tpi_play_compiler *c, const tpi_play_node *node)
{
    const tpi_play_symbol *symbol;

    node = inside(node);
    symbol = node->kind == TPI_PLAY_NAME ? node->symbol : NULL;
    if (symbol != NULL && (symbol->role == TPI_PLAY_LOCAL ||
                           (symbol->role == TPI_PLAY_VARIABLE && c->function == NULL))) {
        return (uint8_t)symbol->index;
    }
    const uint8_t target = tpi_play_take(c, 1);
    tpi_play_value_into(c, node, target);
    return target;
}
