/*
 * exec.c - the loop that executes instructions, for computers: fast.
 *
 * Each opcode jumps to the next one, and integers and floats take a short way; everything else is
 * done by the general functions of cell.c. Chips have exec_small.c, with the same results;
 * machine_test.c tests both. The function is long, as loops of virtual machines are.
 */
#include "play/exec_inside.h"

typedef const uint8_t *place;
#define NEXT() (*pc++)
#define PLACE(offset) (machine->image + (offset))
#define OFFSET(at) ((uint16_t)((at)-machine->image))
#define CASE(name) do_##name:
#define DONE goto *labels[*pc++]

/* The jump that an instruction ends with: taken, or passed over. */
#define JUMP_DISTANCE() ((int16_t)(uint16_t)(low | high << 8))

/* Leave the loop; the task goes on at pc. */
#define LEAVE(result)                                                                              \
    do {                                                                                           \
        task->pc = OFFSET(pc);                                                                     \
        *budget = left;                                                                            \
        return result;                                                                             \
    } while (0)

#define FAULT(code)                                                                                \
    do {                                                                                           \
        machine->fault = (uint8_t)(code);                                                          \
        goto faulted;                                                                              \
    } while (0)

/* Negate without making a -0 of the integer 0. */
static void negate(tpi_play_cell *out, const tpi_play_cell *x)
{
    if (x->tag == TPI_PLAY_FLOAT) {
        out->as.f = tpi_play_canonical(-x->as.f);
        out->tag = TPI_PLAY_FLOAT;
    } else {
        out->as.bits = 0u - x->as.bits;
        out->tag = TPI_PLAY_INT;
    }
}

/* Arithmetic in three modes. The short ways are those of two integers and of two floats. */
#define ARITH_ONE(name, y_of, INT_WAY, FLOAT_WAY, op)                                              \
    CASE(name)                                                                                     \
    {                                                                                              \
        tpi_play_cell *d = registers + NEXT();                                                     \
        const tpi_play_cell *x = registers + NEXT();                                               \
        const tpi_play_cell *y = y_of;                                                             \
        const unsigned tags = x->tag | y->tag;                                                     \
        if (tags == TPI_PLAY_INT) {                                                                \
            INT_WAY                                                                                \
        } else if (tags == TPI_PLAY_FLOAT && x->tag == y->tag) {                                   \
            const float a = x->as.f, b = y->as.f;                                                  \
            FLOAT_WAY                                                                              \
        }                                                                                          \
        const tpi_play_fault fault = tpi_play_arith(d, op, x, y);                                  \
        if (fault != TPI_PLAY_FINE) {                                                              \
            FAULT(fault);                                                                          \
        }                                                                                          \
        DONE;                                                                                      \
    }
#define ARITH(name, INT_WAY, FLOAT_WAY)                                                            \
    ARITH_ONE(name, registers + NEXT(), INT_WAY, FLOAT_WAY, TPI_PLAY_##name)                       \
    ARITH_ONE(name##_I, (small.as.i = (int8_t)NEXT(), &small), INT_WAY, FLOAT_WAY,                 \
              TPI_PLAY_##name)                                                                     \
    ARITH_ONE(name##_K, constants + NEXT(), INT_WAY, FLOAT_WAY, TPI_PLAY_##name)
#define PUT_INT(value)                                                                             \
    d->as.i = (int32_t)(value);                                                                    \
    d->tag = TPI_PLAY_INT;                                                                         \
    DONE;
#define PUT_FLOAT(value)                                                                           \
    d->as.f = tpi_play_canonical(value);                                                           \
    d->tag = TPI_PLAY_FLOAT;                                                                       \
    DONE;

#define UNLESS_ONE(name, y_of, operator, op)                                                       \
    CASE(UNLESS_##name)                                                                            \
    {                                                                                              \
        const tpi_play_cell *x = registers + NEXT();                                               \
        const tpi_play_cell *y = y_of;                                                             \
        const unsigned tags = x->tag | y->tag;                                                     \
        bool is_so;                                                                                \
        if (tags == TPI_PLAY_INT) {                                                                \
            is_so = x->as.i operator y->as.i;                                                      \
        } else if (tags == TPI_PLAY_FLOAT && x->tag == y->tag) {                                   \
            is_so = x->as.f operator y->as.f;                                                      \
        } else {                                                                                   \
            is_so = holds(machine, op, x, y);                                                      \
            if (machine->fault != TPI_PLAY_FINE) {                                                 \
                goto faulted;                                                                      \
            }                                                                                      \
        }                                                                                          \
        if (is_so) {                                                                               \
            pc = (place)(pc + 2);                                                                  \
            DONE;                                                                                  \
        }                                                                                          \
        goto jump;                                                                                 \
    }
#define UNLESS(name, operator)                                                                     \
    UNLESS_ONE(name, registers + NEXT(), operator, TPI_PLAY_##name)                                \
    UNLESS_ONE(name##_I, (small.as.i = (int8_t)NEXT(), &small), operator, TPI_PLAY_##name)         \
    UNLESS_ONE(name##_K, constants + NEXT(), operator, TPI_PLAY_##name)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* labels as values */
bool tpi_play_execute(tpi_play_machine *machine, unsigned *budget, bool is_alone)
{
    tpi_play_task *const task = &machine->tasks[machine->current];
    tpi_play_cell *registers = machine->memory.cells + task->base;
    place pc = PLACE(task->pc);
    uint32_t left = *budget;
    const uint32_t floor = is_alone ? 0 : UINT32_MAX;
    uint8_t low, high;

    static const void *const labels[] = {
#define PLAY_OP(name, operands, sentence) &&do_##name,
#include "play/opcodes.def"
#undef PLAY_OP
    };
    const tpi_play_cell *const constants = machine->memory.constants;
    tpi_play_cell small = {.tag = TPI_PLAY_INT};

    goto *labels[*pc++];
    {
        {
            ARITH(ADD, PUT_INT((uint32_t)x->as.i + (uint32_t)y->as.i), PUT_FLOAT(a + b))
            ARITH(SUB, PUT_INT((uint32_t)x->as.i - (uint32_t)y->as.i), PUT_FLOAT(a - b))
            ARITH(MUL, PUT_INT((uint32_t)x->as.i * (uint32_t)y->as.i), PUT_FLOAT(a * b))
            ARITH(DIV, PUT_FLOAT((float)x->as.i / (float)y->as.i), PUT_FLOAT(a / b))
            ARITH(MOD, if (y->as.i != 0){PUT_INT(tpi_play_mod(x->as.i, y->as.i))}, (void)a;
                  (void)b;)
            UNLESS(EQ, ==)
            UNLESS(NE, !=)
            UNLESS(LT, <)
            UNLESS(LE, <=)
            UNLESS(GT, >)
            UNLESS(GE, >=)
            CASE(END)
            {
                task->state = TPI_PLAY_OFF;
                LEAVE(false);
            }
            CASE(MOVE)
            {
                tpi_play_cell *d = registers + NEXT();
                copy(d, registers + NEXT());
                DONE;
            }
            CASE(INT)
            CASE(BOOL)
            {
                const bool is_bool = pc[-1] == TPI_PLAY_OP_BOOL;
                tpi_play_cell *d = registers + NEXT();
                d->as.i = (int8_t)NEXT();
                d->tag = TPI_PLAY_INT;
                if (is_bool) {
                    d->as.i = d->as.i != 0;
                    d->tag = TPI_PLAY_BOOL;
                }
                DONE;
            }
            CASE(CONST)
            {
                tpi_play_cell *d = registers + NEXT();
                copy(d, constants + NEXT());
                DONE;
            }
            CASE(TEXT)
            {
                tpi_play_cell *d = registers + NEXT();
                d->as.bits = NEXT();
                d->tag = TPI_PLAY_TEXT;
                DONE;
            }
            CASE(GET)
            {
                tpi_play_cell *d = registers + NEXT();
                copy(d, machine->memory.cells + NEXT());
                DONE;
            }
            CASE(PUT)
            {
                tpi_play_cell *d = machine->memory.cells + NEXT();
                copy(d, registers + NEXT());
                DONE;
            }
            CASE(NEG)
            {
                tpi_play_cell *d = registers + NEXT();
                const tpi_play_cell *x = registers + NEXT();
                if (x->tag == TPI_PLAY_TEXT) {
                    FAULT(TPI_PLAY_NOT_A_NUMBER);
                }
                negate(d, x);
                DONE;
            }
            CASE(NOT)
            {
                tpi_play_cell *d = registers + NEXT();
                d->as.i = !is_true(registers + NEXT());
                d->tag = TPI_PLAY_BOOL;
                DONE;
            }
            CASE(JUMP_IF)
            {
                if (is_true(registers + NEXT())) {
                    goto jump;
                }
                pc = (place)(pc + 2);
                DONE;
            }
            CASE(JUMP_NOT)
            {
                if (!is_true(registers + NEXT())) {
                    goto jump;
                }
                pc = (place)(pc + 2);
                DONE;
            }
            CASE(LOOP)
            {
                low = NEXT();
                high = NEXT();
                pc = (place)(pc + JUMP_DISTANCE());
                if (--left <= floor) {
                    LEAVE(true);
                }
                DONE;
            }
            CASE(REPEAT)
            {
                tpi_play_cell *d = registers + NEXT();
                if (d->tag != TPI_PLAY_INT || d->as.i < 1) {
                    goto jump;
                }
                d->as.i--;
                pc = (place)(pc + 2);
                DONE;
            }
            CASE(COUNT)
            CASE(TIMER)
            {
                const bool is_timer = pc[-1] == TPI_PLAY_OP_TIMER;
                tpi_play_cell *d = registers + NEXT();
                const tpi_play_cell *x = registers + NEXT();
                if (x->tag == TPI_PLAY_TEXT) {
                    FAULT(TPI_PLAY_NOT_A_NUMBER);
                }
                d->as.i = is_timer                   ? deadline(machine, x)
                          : x->tag == TPI_PLAY_FLOAT ? tpi_play_round(x->as.f)
                                                     : x->as.i;
                d->tag = TPI_PLAY_INT;
                DONE;
            }
            CASE(WAIT)
            {
                task->wake_ms = registers[NEXT()].as.i;
                task->state = TPI_PLAY_WAITING;
                LEAVE(false);
            }
            CASE(PAST)
            {
                const int32_t time_ms = registers[NEXT()].as.i;
                if ((int32_t)((uint32_t)machine->now_ms - (uint32_t)time_ms) >= 0) {
                    goto jump;
                }
                pc = (place)(pc + 2);
                DONE;
            }
            CASE(CALL)
            {
                const uint16_t header =
                    (uint16_t)(machine->layout.functions + NEXT() * TPI_PLAY_FUNCTION_SIZE);
                const uint8_t target = NEXT();
                const tpi_play_cell *values = registers + NEXT();
                if (!enter(machine, task, values, header, target, OFFSET(pc))) {
                    FAULT(TPI_PLAY_TOO_DEEP);
                }
                low = TPI_PLAY_BYTE(machine->image, header);
                high = TPI_PLAY_BYTE(machine->image, header + 1);
                pc = PLACE((uint16_t)(low | high << 8));
                registers = machine->memory.cells + task->base;
                if (--left == 0) {
                    LEAVE(false); /* a call is no place to switch tasks */
                }
                DONE;
            }
            CASE(MATH)
            {
                const uint8_t function = NEXT();
                tpi_play_cell *d = registers + NEXT();
                const tpi_play_fault fault = tpi_play_math(d, function, registers + NEXT(),
                                                           &machine->random, machine->now_ms);
                if (fault != TPI_PLAY_FINE) {
                    FAULT(fault);
                }
                DONE;
            }
            CASE(RETURN)
            {
                const tpi_play_cell *result = registers + NEXT();
                const tpi_play_frame *frame =
                    &machine->memory
                         .frames[(unsigned)machine->current * machine->frame_part + --task->depth];
                task->top = task->base;
                task->base = frame->base;
                registers = machine->memory.cells + task->base;
                copy(registers + frame->target, result);
                pc = PLACE(frame->pc);
                DONE;
            }
            CASE(START)
            {
                tpi_play_start(machine, NEXT());
                DONE;
            }
            CASE(HALT)
            {
                const uint8_t halted = NEXT();
                machine->tasks[halted].state = TPI_PLAY_OFF;
                if (halted == machine->current) {
                    LEAVE(false);
                }
                DONE;
            }
            CASE(DO)
            {
                low = NEXT();
                high = NEXT();
                machine->request.code = (uint16_t)(low | high << 8);
                machine->request.device = NEXT();
                machine->request.row = registers + NEXT();
                machine->request.values = NEXT();
                machine->request.results = NEXT();
                machine->is_asking = true;
                LEAVE(false);
            }
            CASE(JUMP)
        jump : {
            low = NEXT();
            high = NEXT();
            pc = (place)(pc + JUMP_DISTANCE());
            DONE;
        }
        }
    }

faulted:
    machine->fault_pc = OFFSET(pc);
    LEAVE(false);
}
#pragma GCC diagnostic pop
