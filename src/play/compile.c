/* compile.c - statements, tasks and functions as instructions. */
#include <stdlib.h>
#include <string.h>

#include "play/emit.h"
#include "play/repair.h"

static void compile_body(tpi_play_compiler *c, const tpi_play_node *body);

/* ---- Variables ---- */

/* The register where a variable is, or a fresh one whose value store() puts there. */
static uint8_t place_of(tpi_play_compiler *c, const tpi_play_symbol *symbol)
{
    return symbol->role == TPI_PLAY_VARIABLE && c->function != NULL ? tpi_play_take(c, 1)
                                                                    : (uint8_t)symbol->index;
}

static void store(tpi_play_compiler *c, const tpi_play_symbol *symbol, uint8_t from)
{
    if (symbol->role == TPI_PLAY_VARIABLE && c->function != NULL) {
        tpi_play_emit(c, TPI_PLAY_OP_PUT, (int)symbol->index, from, 0);
    } else if (symbol->index != from) {
        tpi_play_emit(c, TPI_PLAY_OP_MOVE, (int)symbol->index, from, 0);
    }
}

static void assign(tpi_play_compiler *c, const tpi_play_symbol *symbol, const tpi_play_node *value)
{
    const uint8_t place = place_of(c, symbol);

    tpi_play_value_into(c, value, place);
    store(c, symbol, place);
}

static void compile_let(tpi_play_compiler *c, const tpi_play_node *node)
{
    const tpi_play_node *names = node->slots[0], *value = node->slots[1];
    unsigned count = 0, i = 0;

    if (names->next == NULL) {
        assign(c, names->symbol, value);
        return;
    }
    for (const tpi_play_node *name = names; name != NULL; name = name->next) {
        count++;
    }
    const uint8_t row =
        tpi_play_command(c, tpi_dictionary_named(value->text), value->slots[0], count);
    for (const tpi_play_node *name = names; name != NULL; name = name->next) {
        store(c, name->symbol, (uint8_t)(row + i++));
    }
}

static void compile_change(tpi_play_compiler *c, const tpi_play_node *node)
{
    const tpi_play_node sum = {
        .kind = TPI_PLAY_BINARY, .text = "+", .slots = {node->slots[0], node->slots[1]}};

    assign(c, node->slots[0]->symbol, &sum);
}

/* ---- Acting ---- */

static unsigned code_of(tpi_command command)
{
    return tpi_dictionary_entry(command)->code;
}

/* A command with one device and one value. */
static void write_value(tpi_play_compiler *c, tpi_command command, int device,
                        const tpi_play_node *value)
{
    const uint8_t row = tpi_play_take(c, 1);

    tpi_play_value_into(c, value, row);
    tpi_play_emit_do(c, code_of(command), device, row, 1, 0);
}

static void compile_drive(tpi_play_compiler *c, const tpi_play_node *node)
{
    const uint8_t row = tpi_play_take(c, 2);

    tpi_play_value_into(c, node->slots[0], row);
    if (node->slots[1] != NULL) {
        tpi_play_value_into(c, node->slots[1], (uint8_t)(row + 1));
    }
    tpi_play_emit_do(c, code_of(TPI_DRIVE), TPI_PLAY_NO_DEVICE, row, node->slots[1] != NULL ? 2 : 1,
                     0);
}

static void compile_stop(tpi_play_compiler *c, const tpi_play_node *node)
{
    const tpi_play_symbol *symbol = node->slots[0] != NULL ? node->slots[0]->symbol : NULL;

    if (symbol != NULL && symbol->role == TPI_PLAY_TASK) {
        tpi_play_emit(c, TPI_PLAY_OP_HALT, (int)symbol->index, 0, 0);
    } else {
        tpi_play_emit_do(c, code_of(TPI_STOP),
                         symbol != NULL ? (int)symbol->index : TPI_PLAY_NO_DEVICE, 0, 0, 0);
    }
}

static void compile_tone(tpi_play_compiler *c, const tpi_play_node *node)
{
    const uint8_t row = tpi_play_take(c, 2);

    tpi_play_value_into(c, node->slots[0], row);
    tpi_play_value_into(c, node->slots[1], (uint8_t)(row + 1));
    tpi_play_emit(c, TPI_PLAY_OP_MUL_K, row + 1, row + 1, tpi_play_constant(c, true, 1000));
    tpi_play_emit_do(c, code_of(TPI_TONE), TPI_PLAY_NO_DEVICE, row, 2, 0);
}

static void compile_print(tpi_play_compiler *c, const tpi_play_node *values)
{
    unsigned count = 0;

    for (const tpi_play_node *node = values; node != NULL; node = node->next) {
        count++;
    }
    tpi_play_emit_do(c, TPI_PLAY_PRINT_CODE, TPI_PLAY_NO_DEVICE, tpi_play_row(c, values, 0), count,
                     0);
}

static void compile_log(tpi_play_compiler *c, const tpi_play_node *node)
{
    const uint8_t row = tpi_play_take(c, 2);

    tpi_play_emit(c, TPI_PLAY_OP_TEXT, row, tpi_play_text_number(c, node->slots[0]->text), 0);
    tpi_play_value_into(c, node->slots[1], (uint8_t)(row + 1));
    tpi_play_emit_do(c, TPI_PLAY_LOG_CODE, TPI_PLAY_NO_DEVICE, row, 2, 0);
}

/* ---- Waiting ---- */

static void compile_wait(tpi_play_compiler *c, const tpi_play_node *node)
{
    const uint8_t timer = tpi_play_take(c, 1);

    tpi_play_emit(c, TPI_PLAY_OP_TIMER, timer, tpi_play_value(c, node->slots[0]), 0);
    tpi_play_emit(c, TPI_PLAY_OP_WAIT, timer, 0, 0);
}

/* The loop looks again until it is so, or until the time has passed. */
static void compile_wait_until(tpi_play_compiler *c, const tpi_play_node *node)
{
    const uint8_t timer = tpi_play_take(c, 1);
    unsigned again = 0, done = 0;

    if (node->slots[1] != NULL) {
        tpi_play_emit(c, TPI_PLAY_OP_TIMER, timer, tpi_play_value(c, node->slots[1]), 0);
    }
    const unsigned top = (unsigned)c->code.length;
    tpi_play_unless(c, node->slots[0], &again);
    tpi_play_emit(c, TPI_PLAY_OP_JUMP, 0, 0, 0);
    tpi_play_emit_jump(c, &done);
    tpi_play_land(c, &again);
    if (node->slots[1] != NULL) {
        tpi_play_emit(c, TPI_PLAY_OP_PAST, timer, 0, 0);
        tpi_play_emit_jump(c, &done);
    }
    tpi_play_emit_loop(c, top);
    tpi_play_land(c, &done);
}

/* ---- Deciding and repeating ---- */

static void compile_if(tpi_play_compiler *c, const tpi_play_node *node)
{
    unsigned done = 0, next = 0;

    tpi_play_unless(c, node->slots[0], &next);
    compile_body(c, node->slots[1]);
    for (const tpi_play_node *branch = node->branches; branch != NULL; branch = branch->next) {
        tpi_play_emit(c, TPI_PLAY_OP_JUMP, 0, 0, 0);
        tpi_play_emit_jump(c, &done);
        tpi_play_land(c, &next);
        if (branch->kind == TPI_PLAY_ELSE_IF_STATEMENT) {
            tpi_play_note_line(c, branch);
            tpi_play_mark_line(c);
            tpi_play_unless(c, branch->slots[0], &next);
            compile_body(c, branch->slots[1]);
        } else {
            compile_body(c, branch->slots[0]);
        }
    }
    tpi_play_land(c, &next);
    tpi_play_land(c, &done);
}

static void compile_loop(tpi_play_compiler *c, const tpi_play_node *node, const tpi_play_node *body)
{
    const unsigned outer = c->break_chain;
    unsigned done = 0;
    uint8_t counter = 0;

    c->break_chain = 0;
    if (node->kind == TPI_PLAY_REPEAT_STATEMENT) {
        counter = tpi_play_take(c, 1);
        const unsigned mark = c->next;
        tpi_play_emit(c, TPI_PLAY_OP_COUNT, counter, tpi_play_value(c, node->slots[0]), 0);
        c->next = mark;
    }
    const unsigned top = (unsigned)c->code.length;
    if (node->kind == TPI_PLAY_REPEAT_STATEMENT) {
        tpi_play_emit(c, TPI_PLAY_OP_REPEAT, counter, 0, 0);
        tpi_play_emit_jump(c, &done);
    } else if (node->kind == TPI_PLAY_WHILE_STATEMENT) {
        tpi_play_mark_line(c);
        tpi_play_unless(c, node->slots[0], &done);
    }
    compile_body(c, body);
    tpi_play_emit_loop(c, top);
    tpi_play_land(c, &done);
    tpi_play_land(c, &c->break_chain);
    c->break_chain = outer;
}

/* ---- Statements ---- */

static void compile_voice(tpi_play_compiler *c, const tpi_play_node *node)
{
    write_value(c, TPI_WRITE_STRING, c->voice, node->slots[0]);
}

static void compile_act(tpi_play_compiler *c, const tpi_play_node *node)
{
    tpi_play_node *const *slots = node->slots;

    switch (node->kind) {
    case TPI_PLAY_SET_STATEMENT:
        write_value(c, (tpi_command)slots[0]->reading, (int)slots[0]->symbol->index, slots[1]);
        break;
    case TPI_PLAY_MOVE_STATEMENT:
        write_value(c, TPI_MOVE_POWER, (int)slots[0]->symbol->index, slots[1]);
        break;
    case TPI_PLAY_DRIVE_STATEMENT:
        compile_drive(c, node);
        break;
    case TPI_PLAY_STOP_STATEMENT:
        compile_stop(c, node);
        break;
    case TPI_PLAY_SHOW_STATEMENT:
        write_value(c,
                    tpi_play_sort_of(slots[0]) == TPI_PLAY_TEXT_SORT ? TPI_DISPLAY_STRING
                                                                     : TPI_DISPLAY_VALUE,
                    TPI_PLAY_NO_DEVICE, slots[0]);
        break;
    case TPI_PLAY_SAY_STATEMENT:
        compile_voice(c, node);
        break;
    case TPI_PLAY_TONE_STATEMENT:
        compile_tone(c, node);
        break;
    case TPI_PLAY_SEND_STATEMENT:
        write_value(c, TPI_WRITE_MESSAGE, (int)slots[1]->symbol->index, slots[0]);
        break;
    case TPI_PLAY_DO_STATEMENT:
        tpi_play_command(c, tpi_dictionary_named(slots[0]->text), slots[1], 0);
        break;
    case TPI_PLAY_PRINT_STATEMENT:
        compile_print(c, slots[0]);
        break;
    case TPI_PLAY_LOG_STATEMENT:
        compile_log(c, node);
        break;
    default: /* names only */
        break;
    }
}

static void compile_return(tpi_play_compiler *c, const tpi_play_node *value)
{
    if (value != NULL) {
        tpi_play_emit(c, TPI_PLAY_OP_RETURN, tpi_play_value(c, value), 0, 0);
    } else {
        const uint8_t nothing = tpi_play_take(c, 1);
        tpi_play_emit(c, TPI_PLAY_OP_INT, nothing, 0, 0);
        tpi_play_emit(c, TPI_PLAY_OP_RETURN, nothing, 0, 0);
    }
}

static void compile_statement(tpi_play_compiler *c, const tpi_play_node *node)
{
    tpi_play_node *const *slots = node->slots;

    switch (node->kind) {
    case TPI_PLAY_LET_STATEMENT:
        compile_let(c, node);
        break;
    case TPI_PLAY_CHANGE_STATEMENT:
        compile_change(c, node);
        break;
    case TPI_PLAY_IF_STATEMENT:
        compile_if(c, node);
        break;
    case TPI_PLAY_WHILE_STATEMENT:
    case TPI_PLAY_REPEAT_STATEMENT:
        compile_loop(c, node, slots[1]);
        break;
    case TPI_PLAY_FOREVER_STATEMENT:
        compile_loop(c, node, slots[0]);
        break;
    case TPI_PLAY_BREAK_STATEMENT:
        tpi_play_emit(c, TPI_PLAY_OP_JUMP, 0, 0, 0);
        tpi_play_emit_jump(c, &c->break_chain);
        break;
    case TPI_PLAY_RETURN_STATEMENT:
        compile_return(c, slots[0]);
        break;
    case TPI_PLAY_WAIT_STATEMENT:
        compile_wait(c, node);
        break;
    case TPI_PLAY_WAIT_UNTIL_STATEMENT:
        compile_wait_until(c, node);
        break;
    case TPI_PLAY_START_STATEMENT:
        tpi_play_emit(c, TPI_PLAY_OP_START, (int)slots[0]->symbol->index, 0, 0);
        break;
    case TPI_PLAY_CALL_STATEMENT:
        tpi_play_call(c, slots[1], slots[0]->text, slots[0]->symbol, tpi_play_take(c, 1));
        break;
    default:
        compile_act(c, node);
    }
}

static void compile_body(tpi_play_compiler *c, const tpi_play_node *body)
{
    const unsigned mark = c->next;

    for (const tpi_play_node *node = body->slots[0]; node != NULL; node = node->next) {
        if (tpi_play_statement_of(node->kind)->place != TPI_PLAY_TOP) {
            tpi_play_note_line(c, node);
            if (node->kind != TPI_PLAY_WHILE_STATEMENT) { /* it is marked in each round */
                tpi_play_mark_line(c);
            }
            compile_statement(c, node);
            c->next = mark;
        }
    }
}

/* ---- Tasks and functions ---- */

/* Each task has registers of its own behind the variables. */
static void begin_task(tpi_play_compiler *c, unsigned index, uint8_t flags)
{
    c->tasks[index] = (tpi_play_unit_code){.entry = (unsigned)c->code.length, .flags = flags};
    c->next = c->highest;
}

/* The body runs each time the condition becomes true. */
static void compile_when(tpi_play_compiler *c, const tpi_play_node *node)
{
    const uint8_t before = tpi_play_take(c, 1);
    const unsigned top = (unsigned)c->code.length;
    unsigned is_false = 0, again = 0;

    tpi_play_note_line(c, node);
    tpi_play_unless(c, node->slots[0], &is_false);
    tpi_play_emit(c, TPI_PLAY_OP_JUMP_IF, before, 0, 0);
    tpi_play_emit_jump(c, &again);
    tpi_play_emit(c, TPI_PLAY_OP_BOOL, before, 1, 0);
    compile_body(c, node->slots[1]);
    tpi_play_emit(c, TPI_PLAY_OP_JUMP, 0, 0, 0);
    tpi_play_emit_jump(c, &again);
    tpi_play_land(c, &is_false);
    tpi_play_emit(c, TPI_PLAY_OP_BOOL, before, 0, 0);
    tpi_play_land(c, &again);
    tpi_play_emit_loop(c, top);
}

static void compile_tasks(tpi_play_compiler *c)
{
    const tpi_play_node *body = c->tree->body;
    unsigned count = 0;

    c->highest = c->names->variable_count;
    if (c->names->has_main) {
        begin_task(c, count++, TPI_PLAY_STARTS);
        compile_body(c, body);
        tpi_play_emit(c, TPI_PLAY_OP_END, 0, 0, 0);
    }
    for (const tpi_play_node *node = body->slots[0]; node != NULL; node = node->next) {
        if (node->kind == TPI_PLAY_TASK_STATEMENT) {
            begin_task(c, count++, 0);
            compile_body(c, node->slots[1]);
            tpi_play_emit(c, TPI_PLAY_OP_END, 0, 0, 0);
        } else if (node->kind == TPI_PLAY_WHEN_STATEMENT) {
            begin_task(c, count++, TPI_PLAY_STARTS);
            compile_when(c, node);
        }
    }
}

static void compile_function(tpi_play_compiler *c, const tpi_play_symbol *function)
{
    tpi_play_unit_code *unit = &c->functions[function->index];

    c->function = function;
    c->next = c->highest = function->local_count;
    unit->entry = (unsigned)c->code.length;
    tpi_play_note_line(c, function->node);
    compile_body(c, function->node->slots[2]);
    compile_return(c, NULL);
    unit->values = (uint8_t)function->value_count;
    unit->variables = (uint8_t)function->local_count;
    unit->registers = (uint8_t)c->highest;
    c->function = NULL;
}

static void compile_functions(tpi_play_compiler *c)
{
    const unsigned highest = c->highest;

    for (const tpi_play_symbol *s = c->names->first; s != NULL; s = s->next) {
        if (s->role == TPI_PLAY_FUNCTION) {
            compile_function(c, s);
        }
    }
    c->highest = highest;
}

/* ---- Programs ---- */

static bool translate(tpi_play_compiler *c)
{
    if (!tpi_play_describe(c)) {
        c->troubles->no_memory = true;
        return false;
    }
    compile_tasks(c);
    compile_functions(c);
    if (c->troubles->count == 0) {
        tpi_play_assemble(c);
    }
    c->troubles->no_memory |=
        c->code.failed || c->program->image.failed || c->program->lines.failed;
    return c->troubles->count == 0 && !c->troubles->no_memory;
}

bool tpi_play_compile(tpi_play_program *program, const char *text, size_t length,
                      const tpi_vocabulary *vocabulary, tpi_play_troubles *troubles)
{
    tpi_play_tree tree = {0};
    tpi_play_names names;
    tpi_play_compiler *c = calloc(1, sizeof *c);

    if (c == NULL) {
        troubles->no_memory = true;
        return false;
    }
    *c = (tpi_play_compiler){.tree = &tree,
                             .names = &names,
                             .vocabulary = vocabulary,
                             .troubles = troubles,
                             .program = program};
    tpi_play_skip_mark(&text, &length);
    const bool fine =
        tpi_play_understand(&tree, &names, text, length, vocabulary, troubles) && translate(c);
    if (!fine && !troubles->no_memory) {
        tpi_play_repair(troubles, text, length, vocabulary);
    }
    tpi_buf_fini(&c->code);
    free(c);
    tpi_play_tree_fini(&tree);
    return fine;
}
