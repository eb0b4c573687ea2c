/*
 * exec_small.c - the loop that executes instructions, for chips: small instead of fast.
 *
 * Instead of exec.c; the same results. Bytes of the image are fetched one by one, since it can lie
 * in a memory of its own. The two large groups, arithmetic and comparing, are decoded by their
 * numbers, the rest by a switch. Freestanding.
 */
#include "play/exec_inside.h"

/* The task that is executed. There is one machine on a chip. An AVR has registers to spare. */
static tpi_play_machine *machine;
static tpi_play_task *task;
#ifdef __AVR__
register tpi_play_cell *registers __asm__("r4");
register uint16_t pc __asm__("r2");
#else
static tpi_play_cell *registers;
static uint16_t pc;
#endif

static uint8_t fetch(void)
{
    return TPI_PLAY_BYTE(machine->image, pc++);
}

static tpi_play_cell *fetch_register(void)
{
    return registers + fetch();
}

static uint16_t fetch_word(void)
{
    const uint8_t low = fetch();

    return (uint16_t)(low | (uint16_t)(fetch() << 8));
}

static void put(tpi_play_cell *cell, int32_t value, uint8_t tag)
{
    cell->as.i = value;
    cell->tag = tag;
}

/* Operands that are no registers are put into a cell. */
typedef enum operand_mode { REGISTER, SMALL, CONSTANT, TEXT, GLOBAL } operand_mode;

static const tpi_play_cell *fetch_operand(uint8_t mode, tpi_play_cell *room)
{
    const uint8_t byte = fetch();

    if (mode == REGISTER) {
        return registers + byte;
    }
    if (mode == GLOBAL) {
        return machine->memory.cells + byte;
    }
    put(room, mode == SMALL ? (int8_t)byte : byte, mode == TEXT ? TPI_PLAY_TEXT : TPI_PLAY_INT);
    if (mode == CONSTANT) {
        const tpi_play_layout *layout = &machine->layout;
        uint16_t at = byte;
        if (byte >= layout->integer_count) { /* floats count down from 255 */
            at = (uint16_t)(layout->integer_count + 255u - byte);
            room->tag = TPI_PLAY_FLOAT;
        }
        at = (uint16_t)(layout->constants + at * 4u);
        uint8_t *bytes = (uint8_t *)&room->as;
        for (uint8_t i = 0; i < 4; i++) {
            bytes[i] = TPI_PLAY_BYTE(machine->image, at++);
        }
    }
    return room;
}

/* Arithmetic and comparing in three modes: x op y. Whether it holds. */
static bool compute(uint8_t kind, tpi_play_cell *d)
{
    const tpi_play_cell *const x = fetch_register();
    const uint8_t op = (uint8_t)((uint16_t)(kind * 171u) >> 9); /* a third */
    const uint8_t mode = (uint8_t)(kind - op * 3u);
    tpi_play_cell room;
    const tpi_play_cell *const y = mode == REGISTER ? fetch_register() : fetch_operand(mode, &room);

    if ((x->tag | y->tag) == TPI_PLAY_INT) { /* the short way */
        if (d == NULL && op <= TPI_PLAY_NE) {
            return (x->as.i == y->as.i) == (op == TPI_PLAY_EQ);
        }
        if (d == NULL && op <= TPI_PLAY_LT) {
            return x->as.i < y->as.i;
        }
        if (d != NULL && op <= TPI_PLAY_MUL) {
            put(d,
                (int32_t)(op == TPI_PLAY_ADD   ? x->as.bits + y->as.bits
                          : op == TPI_PLAY_SUB ? x->as.bits - y->as.bits
                                               : x->as.bits * y->as.bits),
                TPI_PLAY_INT);
            return true;
        }
    }
    if (d == NULL) {
        return holds(machine, op, x, y);
    }
    machine->fault = (uint8_t)tpi_play_arith(d, op, x, y);
    return true;
}

/* Functions of one number. */
static void change(uint8_t opcode, tpi_play_cell *d)
{
    const tpi_play_cell *const x = fetch_register();

    if (opcode == TPI_PLAY_OP_NOT) {
        put(d, !is_true(x), TPI_PLAY_BOOL);
    } else if (opcode == TPI_PLAY_OP_NEG) {
        tpi_play_cell minus;
        put(&minus, -1, TPI_PLAY_INT);
        machine->fault = (uint8_t)tpi_play_arith(d, TPI_PLAY_MUL, x, &minus);
    } else {
        machine->fault = (uint8_t)tpi_play_math(d, TPI_PLAY_MATH_ROUND, x, NULL, 0);
    }
}

static void call(void)
{
    const uint16_t header =
        (uint16_t)(machine->layout.functions + fetch() * TPI_PLAY_FUNCTION_SIZE);
    const uint8_t target = fetch();
    const tpi_play_cell *const values = fetch_register();

    if (!enter(machine, task, values, header, target, pc)) {
        machine->fault = TPI_PLAY_TOO_DEEP;
        return;
    }
    pc = header;
    pc = fetch_word();
    registers = machine->memory.cells + task->base;
}

static void give_back(void)
{
    const tpi_play_cell *result = fetch_register();
    const tpi_play_frame *frame =
        &machine->memory.frames[machine->current * machine->frame_part + --task->depth];

    task->top = task->base;
    task->base = frame->base;
    pc = frame->pc;
    registers = machine->memory.cells + frame->base;
    copy(registers + frame->target, result);
}

static void ask(void)
{
    tpi_play_request *request = &machine->request;

    request->code = fetch_word();
    request->device = fetch();
    request->row = fetch_register();
    request->values = fetch();
    request->results = fetch();
    machine->is_asking = true;
}

/* What an instruction does to the loop. */
typedef enum outcome { GOES_ON, JUMPS, PASSES, ENTERS, LEAVES } outcome;

static outcome execute(uint8_t opcode)
{
    tpi_play_cell *d = NULL;
    tpi_play_cell room;
    uint8_t first = 0;

    if (opcode != TPI_PLAY_OP_END && opcode != TPI_PLAY_OP_JUMP && opcode != TPI_PLAY_OP_DO &&
        opcode != TPI_PLAY_OP_CALL) {
        first = fetch();
        d = registers + first;
    }
    uint8_t mode = REGISTER;
    switch (opcode) {
    case TPI_PLAY_OP_END:
        task->state = TPI_PLAY_OFF;
        return LEAVES;
    case TPI_PLAY_OP_BOOL:
    case TPI_PLAY_OP_INT:
        mode = SMALL;
        break;
    case TPI_PLAY_OP_CONST:
        mode = CONSTANT;
        break;
    case TPI_PLAY_OP_TEXT:
        mode = TEXT;
        break;
    case TPI_PLAY_OP_GET:
        mode = GLOBAL;
        break;
    case TPI_PLAY_OP_PUT:
        d = machine->memory.cells + first;
        break;
    case TPI_PLAY_OP_MOVE:
        break;
    case TPI_PLAY_OP_JUMP:
        return JUMPS;
    case TPI_PLAY_OP_JUMP_IF:
        return is_true(d) ? JUMPS : PASSES;
    case TPI_PLAY_OP_JUMP_NOT:
        return is_true(d) ? PASSES : JUMPS;
    case TPI_PLAY_OP_REPEAT:
        if (d->tag != TPI_PLAY_INT || d->as.i < 1) {
            return JUMPS;
        }
        d->as.i--;
        return PASSES;
    case TPI_PLAY_OP_PAST:
        return tpi_play_has_come(machine, d->as.i) ? JUMPS : PASSES;
    case TPI_PLAY_OP_WAIT:
        task->wake_ms = d->as.i;
        task->state = TPI_PLAY_WAITING;
        return LEAVES;
    case TPI_PLAY_OP_CALL:
        call();
        return ENTERS;
    case TPI_PLAY_OP_RETURN:
        pc--;
        give_back();
        return GOES_ON;
    case TPI_PLAY_OP_MATH: {
        d = fetch_register();
        machine->fault =
            (uint8_t)tpi_play_math(d, first, fetch_register(), &machine->random, machine->now_ms);
        return GOES_ON;
    }
    case TPI_PLAY_OP_START:
        tpi_play_start(machine, first);
        return GOES_ON;
    case TPI_PLAY_OP_HALT:
        machine->tasks[first].state = TPI_PLAY_OFF;
        return first == machine->current ? LEAVES : GOES_ON;
    case TPI_PLAY_OP_DO:
        ask();
        return LEAVES;
    case TPI_PLAY_OP_TIMER: {
        const tpi_play_cell *const x = fetch_register();
        machine->fault = x->tag == TPI_PLAY_TEXT ? TPI_PLAY_NOT_A_NUMBER : TPI_PLAY_FINE;
        put(d, deadline(machine, x), TPI_PLAY_INT);
        return GOES_ON;
    }
    default:
        change(opcode, d);
        return GOES_ON;
    }
    copy(d, fetch_operand(mode, &room));
    if (opcode == TPI_PLAY_OP_BOOL) {
        put(d, d->as.i != 0, TPI_PLAY_BOOL);
    }
    return GOES_ON;
}

bool tpi_play_execute(tpi_play_machine *the_machine, unsigned *budget, bool is_alone)
{
    /* Where these are registers of the processor, they belong to the callers. */
    tpi_play_cell *const registers_before = registers;
    const uint16_t pc_before = pc;
    bool switches = false;
    outcome what;

    machine = the_machine;
    task = &machine->tasks[machine->current];
    pc = task->pc;
    registers = machine->memory.cells + task->base;
    for (;;) {
        const uint8_t opcode = fetch();
        if (opcode >= TPI_PLAY_OP_ADD && opcode <= TPI_PLAY_OP_MOD_K) {
            compute((uint8_t)(opcode - TPI_PLAY_OP_ADD), fetch_register());
            what = GOES_ON;
        } else if (opcode >= TPI_PLAY_OP_UNLESS_EQ && opcode <= TPI_PLAY_OP_UNLESS_GE_K) {
            what = compute((uint8_t)(opcode - TPI_PLAY_OP_UNLESS_EQ), NULL) ? PASSES : JUMPS;
        } else {
            what = opcode == TPI_PLAY_OP_LOOP ? JUMPS : execute(opcode);
        }
        if (machine->fault != TPI_PLAY_FINE) {
            machine->fault_pc = pc;
            break;
        }
        if (what == GOES_ON) {
            continue;
        }
        if (what == LEAVES) {
            break;
        }
        if (what != ENTERS) {
            const uint16_t distance = fetch_word();
            if (what == JUMPS) {
                pc = (uint16_t)(pc + distance);
            }
        }
        if (opcode == TPI_PLAY_OP_CALL || opcode == TPI_PLAY_OP_LOOP) {
            switches = --*budget == 0 || !is_alone;
            switches = switches && opcode == TPI_PLAY_OP_LOOP;
            if (*budget == 0 || switches) {
                break;
            }
        }
    }
    task->pc = pc;
    registers = registers_before;
    pc = pc_before;
    return switches;
}
