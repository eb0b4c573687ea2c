/* expression.c - evaluation of expressions, and their functions; see expression.h. */
#include "universal/expression.h"

#include <math.h>

/* ---- Functions ---- */

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double f_scale(const double *a, unsigned count)
{
    const double low = fmin(a[3], a[4]), high = fmax(a[3], a[4]);

    (void)count;
    return clamp(a[3] + (a[0] - a[1]) * (a[4] - a[3]) / (a[2] - a[1]), low, high);
}

static double f_points(const double *a, unsigned count)
{
    if ((count & 1) == 0) {
        return (double)NAN;
    }
    if (a[0] <= a[1]) {
        return a[2];
    }
    for (unsigned i = 3; i + 1 < count; i += 2) {
        if (a[0] <= a[i]) {
            return a[i - 1] + (a[0] - a[i - 2]) * (a[i + 1] - a[i - 1]) / (a[i] - a[i - 2]);
        }
    }
    return a[count - 1];
}

static double f_clamp(const double *a, unsigned count)
{
    (void)count;
    return clamp(a[0], a[1], a[2]);
}

static double f_min(const double *a, unsigned count)
{
    (void)count;
    return a[0] < a[1] ? a[0] : a[1];
}

static double f_max(const double *a, unsigned count)
{
    (void)count;
    return a[0] > a[1] ? a[0] : a[1];
}

static double f_abs(const double *a, unsigned count)
{
    (void)count;
    return fabs(a[0]);
}

static double f_sign(const double *a, unsigned count)
{
    (void)count;
    return a[0] > 0 ? 1 : a[0] < 0 ? -1 : 0;
}

static double f_round(const double *a, unsigned count)
{
    (void)count;
    return round(a[0]);
}

static double f_floor(const double *a, unsigned count)
{
    (void)count;
    return floor(a[0]);
}

static double f_sqrt(const double *a, unsigned count)
{
    (void)count;
    return sqrt(a[0]);
}

static double f_pick(const double *a, unsigned count)
{
    const double index = round(a[0]);

    return index >= 0 && index < count - 1 ? a[1 + (unsigned)index] : (double)NAN;
}

static double f_if(const double *a, unsigned count)
{
    (void)count;
    return a[0] != 0 ? a[1] : a[2];
}

/* The bits of a number; 0 for what is no integer of 53 bits. */
static uint64_t bits(double x)
{
    return fabs(x) < 9007199254740992.0 ? (uint64_t)(int64_t)round(x) : 0;
}

static double number_of(uint64_t x)
{
    return (double)(int64_t)x;
}

static unsigned shift(double n)
{
    return (unsigned)clamp(n, 0, 63);
}

static double f_bit(const double *a, unsigned count)
{
    (void)count;
    return number_of((bits(a[0]) >> shift(a[1])) & 1);
}

static double f_setbit(const double *a, unsigned count)
{
    const uint64_t mask = (uint64_t)1 << shift(a[1]);

    (void)count;
    return number_of(a[2] != 0 ? bits(a[0]) | mask : bits(a[0]) & ~mask);
}

static double f_both(const double *a, unsigned count)
{
    (void)count;
    return number_of(bits(a[0]) & bits(a[1]));
}

static double f_either(const double *a, unsigned count)
{
    (void)count;
    return number_of(bits(a[0]) | bits(a[1]));
}

static double f_left(const double *a, unsigned count)
{
    (void)count;
    return number_of(bits(a[0]) << shift(a[1]));
}

static double f_right(const double *a, unsigned count)
{
    (void)count;
    return number_of(bits(a[0]) >> shift(a[1]));
}

const tpi_function tpi_functions[] = {
    {"scale", 5, 5, f_scale},   {"points", 5, 21, f_points}, {"clamp", 3, 3, f_clamp},
    {"min", 2, 2, f_min},       {"max", 2, 2, f_max},        {"abs", 1, 1, f_abs},
    {"sign", 1, 1, f_sign},     {"round", 1, 1, f_round},    {"floor", 1, 1, f_floor},
    {"sqrt", 1, 1, f_sqrt},     {"pick", 2, 17, f_pick},     {"if", 3, 3, f_if},
    {"bit", 2, 2, f_bit},       {"setbit", 3, 3, f_setbit},  {"both", 2, 2, f_both},
    {"either", 2, 2, f_either}, {"left", 2, 2, f_left},      {"right", 2, 2, f_right},
    {NULL, 0, 0, NULL},
};

/* ---- Evaluation ---- */

static double next_of(const tpi_context *context, unsigned index)
{
    const tpi_register *r = &context->scope->registers[index];
    double *word = &context->words[r->offset];

    *word = *word >= r->to ? r->from : *word + 1;
    return *word;
}

static double element_of(const tpi_context *context, unsigned index, double at)
{
    const tpi_register *r = &context->scope->registers[index];
    const double place = round(at);

    return place >= 0 && place < r->size ? context->words[r->offset + (unsigned)place]
                                         : (double)NAN;
}

static double leaf(const tpi_op *op, const tpi_context *context)
{
    switch (op->code) {
    case TPI_OP_LOCAL:
        return context->locals[op->index].number;
    case TPI_OP_VALUE:
        return context->values[op->index].number;
    case TPI_OP_DEVICE:
        return context->numbers != NULL ? context->numbers[op->index] : (double)NAN;
    case TPI_OP_REGISTER:
        return context->words[context->scope->registers[op->index].offset];
    case TPI_OP_NEXT:
        return next_of(context, op->index);
    case TPI_OP_SIZE_LOCAL:
        return context->locals[op->index].length;
    case TPI_OP_SIZE_VALUE:
        return context->values[op->index].length;
    case TPI_OP_NOW:
        return context->now_ms;
    default:
        return op->number;
    }
}

static double binary(unsigned code, double a, double b)
{
    switch (code) {
    case TPI_OP_ADD:
        return a + b;
    case TPI_OP_SUBTRACT:
        return a - b;
    case TPI_OP_MULTIPLY:
        return a * b;
    case TPI_OP_DIVIDE:
        return b != 0 ? a / b : (double)NAN;
    case TPI_OP_MODULO:
        return b != 0 ? a - b * floor(a / b) : (double)NAN;
    case TPI_OP_LT:
        return a < b;
    case TPI_OP_LE:
        return a <= b;
    case TPI_OP_GT:
        return a > b;
    case TPI_OP_GE:
        return a >= b;
    case TPI_OP_EQ:
        return a == b;
    case TPI_OP_NE:
        return a != b;
    case TPI_OP_AND:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

bool tpi_expression_number(const tpi_expression *expression, const tpi_context *context,
                           double *out)
{
    double stack[TPI_MOST_STACK];
    unsigned depth = 0; /* the compiler has checked that it stays within the stack */

    for (unsigned i = 0; i < expression->count; i++) {
        const tpi_op *op = &expression->ops[i];

        if (op->code <= TPI_OP_NOW && op->code != TPI_OP_ELEMENT) {
            stack[depth++] = leaf(op, context);
        } else if (op->code == TPI_OP_ELEMENT) {
            stack[depth - 1] = element_of(context, op->index, stack[depth - 1]);
        } else if (op->code == TPI_OP_NEGATE || op->code == TPI_OP_NOT) {
            stack[depth - 1] = op->code == TPI_OP_NOT ? stack[depth - 1] == 0 : -stack[depth - 1];
        } else if (op->code == TPI_OP_FUNCTION) {
            depth -= op->count;
            stack[depth] = tpi_functions[op->index].call(&stack[depth], op->count);
            depth++;
        } else {
            depth--;
            stack[depth - 1] = binary(op->code, stack[depth - 1], stack[depth]);
        }
    }
    *out = depth == 1 ? stack[0] : (double)NAN;
    return isfinite(*out);
}

tpi_value tpi_expression_text(const tpi_expression *expression, const tpi_context *context)
{
    const tpi_op *op = expression->ops;
    const tpi_value value =
        op->code == TPI_OP_LOCAL ? context->locals[op->index] : context->values[op->index];

    return value.text != NULL ? value : (tpi_value){.text = ""};
}

bool tpi_expression_uses(const tpi_expression *expression, unsigned number)
{
    for (unsigned i = 0; i < expression->count; i++) {
        if (expression->ops[i].code == TPI_OP_DEVICE && expression->ops[i].index == number) {
            return true;
        }
    }
    return false;
}
