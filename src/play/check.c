/* check.c - statements: do their parts fit? */
#include "play/check.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void check_body(tpi_play_checker *checker, tpi_play_node *body, bool is_top);

tpi_play_trouble *tpi_play_blame(tpi_play_checker *checker, const tpi_play_node *node,
                                 const char *format, ...)
{
    char text[200], word[64];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    while (node->kind == TPI_PLAY_GROUP && node->slots[0] != NULL) {
        node = node->slots[0];
    }
    if (node->kind < TPI_PLAY_STATEMENTS) {
        const char *shape = tpi_play_statement_of(node->kind)->shape;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(shape, " "), shape);
    } else {
        const char *quote = node->kind == TPI_PLAY_STRING ? "\"" : "";
        const char *first = node->text != NULL                ? node->text
                            : node->kind == TPI_PLAY_MESSAGE  ? "message"
                            : node->kind == TPI_PLAY_NEGATIVE ? "-"
                            : node->kind == TPI_PLAY_NOT      ? "not"
                                                              : "";
        snprintf(word, sizeof word, "%s%.60s%s", quote, first, quote);
    }
    return tpi_play_trouble_add(checker->troubles, node->line, node->column, node->width, word,
                                "%s", text);
}

static void check_stop(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_node *name = node->slots[0];
    tpi_play_symbol *symbol = name != NULL ? tpi_play_find(checker, name->text) : NULL;

    if (name != NULL && symbol != NULL && symbol->role == TPI_PLAY_TASK) {
        name->symbol = symbol;
    } else if (name != NULL) {
        static const char *const all[] = {"all",    "everything", "robot", "motors",
                                          "moving", "driving",    "now",   NULL};
        if (symbol == NULL && tpi_text_among(all, name->text)) {
            tpi_play_blame(checker, name, "leave it out: `stop` alone stops everything");
            return;
        }
        symbol = tpi_play_need(checker, name, TPI_PLAY_DEVICE, "a device or a task");
        if (symbol != NULL) {
            tpi_play_use(symbol, TPI_STOP);
        }
    }
}

/* ---- Variables ---- */

bool tpi_play_holds_text(const tpi_play_checker *checker, const tpi_play_symbol *variable)
{
    return variable->role >= TPI_PLAY_VARIABLE && !variable->takes_others &&
           variable->set_at > checker->set_from;
}

/* A variable that a body sets: so it is up to the end of that body. */
struct tpi_play_setting {
    tpi_play_symbol *variable;
    unsigned before; /* its `set_at` */
    struct tpi_play_setting *up;
};

static void note_set(tpi_play_checker *checker, const tpi_play_node *let)
{
    tpi_play_symbol *variable = let->slots[0]->symbol;

    if (variable == NULL || variable->takes_others || variable->set_at > checker->set_from) {
        return;
    }
    struct tpi_play_setting *setting = tpi_arena_alloc(&checker->tree->arena, sizeof *setting);
    if (setting == NULL) {
        checker->troubles->no_memory = true;
        return;
    }
    *setting = (struct tpi_play_setting){variable, variable->set_at, checker->set};
    checker->set = setting;
    variable->set_at = ++checker->set_count;
    variable->set_by = let;
}

static void forget_set(tpi_play_checker *checker, const struct tpi_play_setting *outer)
{
    for (; checker->set != outer; checker->set = checker->set->up) {
        checker->set->variable->set_at = checker->set->before;
    }
}

static void check_let(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_node *value = node->slots[1];
    unsigned count = 0;

    for (tpi_play_node *name = node->slots[0]; name != NULL; name = name->next) {
        name->symbol = tpi_play_find(checker, name->text);
        count++;
    }
    if (value == NULL) {
        return;
    }
    if (value->kind == TPI_PLAY_DO) {
        tpi_play_check_command(checker, value, value->text, value->slots[0], count);
    } else {
        tpi_play_check_expression(checker, value);
    }
    if (count == 1 && tpi_play_sort_of(value) == TPI_PLAY_TEXT_SORT) {
        note_set(checker, node);
    } else if (count > 1 && value->kind != TPI_PLAY_DO) {
        tpi_play_blame(checker, value, "several names take the results of a command: `be do …`");
    }
}

static void check_change(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_node *name = node->slots[0];
    tpi_play_symbol *symbol = name != NULL ? tpi_play_find(checker, name->text) : NULL;

    if (symbol != NULL && symbol->role == TPI_PLAY_LOCAL) {
        name->symbol = symbol;
    } else {
        tpi_play_need(checker, name, TPI_PLAY_VARIABLE, "a variable");
    }
    if (symbol != NULL && tpi_play_holds_text(checker, symbol)) {
        tpi_play_name_source(
            tpi_play_blame(checker, name, "this holds a text: `change` adds numbers"), name);
    }
    if (node->slots[1] != NULL) {
        tpi_play_check_expression(checker, node->slots[1]);
        if (tpi_play_is_text(node->slots[1])) {
            tpi_play_blame(checker, node->slots[1], "a text: `change` adds numbers");
        }
    }
}

/* ---- Statements ---- */

static void check_row(tpi_play_checker *checker, tpi_play_node *node)
{
    for (; node != NULL; node = node->next) {
        tpi_play_check_expression(checker, node);
    }
}

static void check_call_statement(tpi_play_checker *checker, tpi_play_node *node)
{
    if (node->slots[0] == NULL) {
        return;
    }
    tpi_play_node call = *node->slots[0];
    call.kind = TPI_PLAY_CALL;
    call.slots[0] = node->slots[1];
    tpi_play_check_expression(checker, &call);
    node->slots[0]->symbol = call.symbol;
}

static void check_loop(tpi_play_checker *checker, tpi_play_node *body)
{
    checker->loops++;
    check_body(checker, body, false);
    checker->loops--;
}

/* A body that loops around it cannot be left from, and that runs at another time. */
static void check_apart(tpi_play_checker *checker, tpi_play_node *body)
{
    const unsigned loops = checker->loops, set_from = checker->set_from;

    checker->loops = 0;
    checker->set_from = checker->set_count;
    check_body(checker, body, false);
    checker->loops = loops;
    checker->set_from = set_from;
}

static void check_if(tpi_play_checker *checker, tpi_play_node *node)
{
    check_row(checker, node->slots[0]);
    check_body(checker, node->slots[1], false);
    for (tpi_play_node *branch = node->branches; branch != NULL; branch = branch->next) {
        const bool has_condition = branch->kind == TPI_PLAY_ELSE_IF_STATEMENT;
        if (has_condition) {
            check_row(checker, branch->slots[0]);
        }
        check_body(checker, branch->slots[has_condition ? 1 : 0], false);
    }
}

/* Statements with a body. */
static bool check_block(tpi_play_checker *checker, tpi_play_node *node)
{
    switch (node->kind) {
    case TPI_PLAY_WHEN_STATEMENT:
        check_row(checker, node->slots[0]);
        check_apart(checker, node->slots[1]);
        return true;
    case TPI_PLAY_TASK_STATEMENT:
        check_apart(checker, node->slots[1]);
        return true;
    case TPI_PLAY_TO_STATEMENT:
        checker->function = node->slots[0] != NULL ? node->slots[0]->symbol : NULL;
        check_apart(checker, node->slots[2]);
        checker->function = NULL;
        return true;
    case TPI_PLAY_IF_STATEMENT:
        check_if(checker, node);
        return true;
    case TPI_PLAY_REPEAT_STATEMENT:
        tpi_play_check_fits(checker, node->slots[0], TPI_PLAY_PLAIN);
        check_loop(checker, node->slots[1]);
        return true;
    case TPI_PLAY_WHILE_STATEMENT:
        check_row(checker, node->slots[0]);
        check_loop(checker, node->slots[1]);
        return true;
    case TPI_PLAY_FOREVER_STATEMENT:
        check_loop(checker, node->slots[0]);
        return true;
    default:
        return false;
    }
}

/* A condition is no time: `wait button`. */
static void check_wait(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_check_fits(checker, node->slots[0], TPI_PLAY_TIME);
    if (node->slots[0] != NULL && tpi_play_sort_of(node->slots[0]) == TPI_PLAY_TRUTH_SORT) {
        strcpy(tpi_play_blame(checker, node, "a condition stands behind `wait until`")->fix,
               "wait until");
    }
}

/* A time is no condition: `wait until 5 s`. */
static void check_until(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_node *condition = node->slots[0];

    check_row(checker, condition);
    tpi_play_check_fits(checker, node->slots[1], TPI_PLAY_TIME);
    if (condition != NULL && condition->kind == TPI_PLAY_NUMBER &&
        condition->dimension == TPI_PLAY_TIME) {
        tpi_play_trouble *trouble =
            tpi_play_blame(checker, condition, "this is a time, a condition stands behind `until`");
        snprintf(trouble->whole, sizeof trouble->whole, "wait %.40s %.20s", condition->text,
                 condition->unit);
    }
}

static void check_plain(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_node **slots = node->slots;

    switch (node->kind) {
    case TPI_PLAY_DRIVE_STATEMENT:
        tpi_play_check_fits(checker, slots[0], TPI_PLAY_PERCENT);
        tpi_play_check_fits(checker, slots[1], TPI_PLAY_PERCENT);
        break;
    case TPI_PLAY_START_STATEMENT:
        tpi_play_need(checker, slots[0], TPI_PLAY_TASK, "a task");
        break;
    case TPI_PLAY_WAIT_STATEMENT:
        check_wait(checker, node);
        break;
    case TPI_PLAY_WAIT_UNTIL_STATEMENT:
        check_until(checker, node);
        break;
    case TPI_PLAY_TONE_STATEMENT:
        tpi_play_check_fits(checker, slots[0], TPI_PLAY_FREQUENCY);
        tpi_play_check_fits(checker, slots[1], TPI_PLAY_TIME);
        break;
    case TPI_PLAY_SEND_STATEMENT:
        check_row(checker, slots[0]);
        tpi_play_need(checker, slots[1], TPI_PLAY_CHANNEL, "a channel");
        break;
    case TPI_PLAY_LOG_STATEMENT:
        check_row(checker, slots[1]);
        break;
    case TPI_PLAY_DO_STATEMENT:
        if (slots[0] != NULL) {
            tpi_play_check_command(checker, slots[0], slots[0]->text, slots[1], 0);
        }
        break;
    default: /* print, show, say, return */
        check_row(checker, slots[0]);
    }
}

static void check_statement(tpi_play_checker *checker, tpi_play_node *node)
{
    checker->statement = node;
    switch (node->kind) {
    case TPI_PLAY_DEVICE_STATEMENT:
    case TPI_PLAY_CHANNEL_STATEMENT:
        break;
    case TPI_PLAY_LET_STATEMENT:
        check_let(checker, node);
        break;
    case TPI_PLAY_CHANGE_STATEMENT:
        check_change(checker, node);
        break;
    case TPI_PLAY_SET_STATEMENT:
        tpi_play_check_set(checker, node);
        break;
    case TPI_PLAY_MOVE_STATEMENT:
        tpi_play_check_move(checker, node);
        break;
    case TPI_PLAY_STOP_STATEMENT:
        check_stop(checker, node);
        break;
    case TPI_PLAY_CALL_STATEMENT:
        check_call_statement(checker, node);
        break;
    case TPI_PLAY_BREAK_STATEMENT:
        if (checker->loops == 0) {
            tpi_play_blame(checker, node, "`break` leaves a loop, and here is none: leave it out");
        }
        break;
    case TPI_PLAY_RETURN_STATEMENT:
        if (checker->function == NULL) {
            tpi_play_blame(checker, node,
                           "`return` ends a function, and here is none: leave it out");
        }
        check_plain(checker, node);
        break;
    case TPI_PLAY_LANG_STATEMENT:
        break; /* the parser has seen it */
    default:
        if (!check_block(checker, node)) {
            check_plain(checker, node);
        }
    }
}

static void check_body(tpi_play_checker *checker, tpi_play_node *body, bool is_top)
{
    const struct tpi_play_setting *outer = checker->set;

    for (tpi_play_node *node = body != NULL ? body->slots[0] : NULL; node != NULL;
         node = node->next) {
        if (!is_top && tpi_play_statement_of(node->kind)->place == TPI_PLAY_TOP) {
            tpi_play_blame(checker, node, "this stands outside of all bodies: write it above them");
        } else {
            check_statement(checker, node);
        }
    }
    forget_set(checker, outer);
}

bool tpi_play_check(tpi_play_names *names, tpi_play_tree *tree, const tpi_vocabulary *vocabulary,
                    tpi_play_troubles *troubles)
{
    tpi_play_checker checker = {.tree = tree,
                                .names = names,
                                .vocabulary = vocabulary,
                                .troubles = troubles,
                                .parsed = tpi_play_trouble_count(troubles)};

    *names = (tpi_play_names){0};
    if (tree->body == NULL) {
        return false;
    }
    tpi_play_declare(&checker);
    check_body(&checker, tree->body, true);
    return troubles->count == 0 && !troubles->no_memory;
}
