/* declare.c - the names that a program makes. */
#include <stdio.h>
#include <string.h>

#include "play/check.h"
#include "play/image.h"
#include "universal/registry.h"

enum {
    MOST_VARIABLES = 200,
    MOST_FUNCTIONS = 200,
    MOST_DEVICES = TPI_MOST_PORTS,
    MOST_CHANNELS = 32
};

static const char *role_text(tpi_play_role role)
{
    static const char *const texts[] = {"a device",   "a channel",  "a task",
                                        "a function", "a variable", "a variable"};

    return texts[role];
}

static tpi_play_symbol *find_in(tpi_play_symbol *list, const char *name)
{
    while (list != NULL && strcmp(list->name, name) != 0) {
        list = list->next;
    }
    return list;
}

tpi_play_symbol *tpi_play_find(const tpi_play_checker *checker, const char *name)
{
    tpi_play_symbol *local =
        checker->function != NULL ? find_in(checker->function->locals, name) : NULL;

    return local != NULL ? local : find_in(checker->names->first, name);
}

static bool is_free(tpi_play_checker *checker, const tpi_play_node *node,
                    const tpi_play_symbol *other)
{
    if (other != NULL) {
        tpi_play_blame(checker, node, "this is %s already, in line %u: take another name",
                       role_text(other->role), other->line);
        return false;
    }
    if (tpi_play_math_named(node->text) >= 0) {
        tpi_play_blame(checker, node, "this is a built-in function; take another name");
        return false;
    }
    return true;
}

static tpi_play_symbol *create(tpi_play_checker *checker, tpi_play_symbol **list,
                               const tpi_play_node *node, tpi_play_role role)
{
    tpi_play_symbol *symbol = tpi_arena_alloc(&checker->tree->arena, sizeof *symbol);

    if (symbol == NULL) {
        checker->troubles->no_memory = true;
        return NULL;
    }
    *symbol = (tpi_play_symbol){
        .name = node->text, .role = role, .line = node->line, .command = TPI_COMMANDS};
    while (*list != NULL) {
        list = &(*list)->next;
    }
    *list = symbol;
    return symbol;
}

static tpi_play_symbol *declare(tpi_play_checker *checker, tpi_play_node *statement,
                                tpi_play_role role, unsigned *count, unsigned most)
{
    tpi_play_node *name = statement->slots[0];

    if (name == NULL || !is_free(checker, name, find_in(checker->names->first, name->text))) {
        return NULL;
    }
    if (*count >= most) {
        tpi_play_blame(checker, name, "a program has at most %u of these", most);
        return NULL;
    }
    tpi_play_symbol *symbol = create(checker, &checker->names->first, name, role);
    if (symbol != NULL) {
        symbol->index = (*count)++;
        symbol->node = statement;
        name->symbol = symbol;
    }
    return symbol;
}

/* ---- Variables ---- */

/* A variable that `let` sets outside of functions. */
static void make_variable(tpi_play_checker *checker, tpi_play_node *name)
{
    tpi_play_symbol *other = find_in(checker->names->first, name->text);

    if (other != NULL && other->role == TPI_PLAY_VARIABLE) {
        return;
    }
    if (other != NULL) {
        is_free(checker, name, other);
    } else if (checker->names->variable_count >= MOST_VARIABLES) {
        tpi_play_blame(checker, name, "a program has at most %u variables", MOST_VARIABLES);
    } else if (is_free(checker, name, NULL)) {
        tpi_play_symbol *symbol = create(checker, &checker->names->first, name, TPI_PLAY_VARIABLE);
        if (symbol != NULL) {
            symbol->index = checker->names->variable_count++;
        }
    }
}

/* A variable of a function, unless it is the program's. */
static void make_local(tpi_play_checker *checker, tpi_play_node *name, bool is_value)
{
    tpi_play_symbol *function = checker->function;
    tpi_play_symbol *other = find_in(checker->names->first, name->text);

    if (find_in(function->locals, name->text) != NULL) {
        if (is_value) {
            tpi_play_blame(checker, name, "this is a value of the function already");
        }
        return;
    }
    if (other != NULL && (is_value || other->role != TPI_PLAY_VARIABLE)) {
        is_free(checker, name, other);
        return;
    }
    if (other != NULL || !is_free(checker, name, NULL)) {
        return;
    }
    if (function->local_count >= MOST_VARIABLES) {
        tpi_play_blame(checker, name, "a function has at most %u variables", MOST_VARIABLES);
        return;
    }
    tpi_play_symbol *symbol = create(checker, &function->locals, name, TPI_PLAY_LOCAL);
    if (symbol != NULL) {
        symbol->index = function->local_count++;
        symbol->takes_others = is_value;
    }
}

/* Whether a value is computed from the variable itself: with a text in it, that fails. */
static bool computes_from(const tpi_play_node *value, const char *name, bool is_operand)
{
    if (value == NULL) {
        return false;
    }
    switch (value->kind) {
    case TPI_PLAY_NAME:
        return is_operand && strcmp(value->text, name) == 0;
    case TPI_PLAY_GROUP:
        return computes_from(value->slots[0], name, is_operand);
    case TPI_PLAY_NEGATIVE:
        return computes_from(value->slots[0], name, true);
    case TPI_PLAY_BINARY:
        return tpi_play_sort_of(value) != TPI_PLAY_TRUTH_SORT &&
               (computes_from(value->slots[0], name, true) ||
                computes_from(value->slots[1], name, true));
    default:
        return false;
    }
}

/* `let lamp be 100`: an output is written with another statement. */
static bool is_written(tpi_play_checker *checker, const tpi_play_node *let)
{
    const tpi_play_node *name = let->slots[0];
    const tpi_play_symbol *device = tpi_play_find(checker, name->text);

    if (name->next != NULL || device == NULL || device->role != TPI_PLAY_DEVICE ||
        device->class == NULL || !device->class->is_output) {
        return false;
    }
    strcpy(tpi_play_blame(checker, let, "`%.50s` is a device: it is written with `set`", name->text)
               ->fix,
           "set");
    return true;
}

/* A name that a statement sets, here or in a function. */
static void collect_name(tpi_play_checker *checker, tpi_play_node *name)
{
    if (checker->function != NULL) {
        make_local(checker, name, false);
    } else {
        make_variable(checker, name);
    }
}

/* The variables of a `let`. */
static void collect_let(tpi_play_checker *checker, tpi_play_node *node)
{
    const bool is_text = node->slots[1] != NULL && node->slots[0]->next == NULL &&
                         tpi_play_sort_of(node->slots[1]) == TPI_PLAY_TEXT_SORT;

    if (is_written(checker, node)) {
        return;
    }
    for (tpi_play_node *name = node->slots[0]; name != NULL; name = name->next) {
        collect_name(checker, name);
        tpi_play_symbol *symbol = tpi_play_find(checker, name->text);
        if (symbol != NULL) {
            symbol->takes_others |= !is_text && !computes_from(node->slots[1], name->text, false);
        }
    }
}

/* The variables that a body sets. */
static void collect(tpi_play_checker *checker, tpi_play_node *body)
{
    for (tpi_play_node *node = body != NULL ? body->slots[0] : NULL; node != NULL;
         node = node->next) {
        if (node->kind == TPI_PLAY_LET_STATEMENT && node->slots[0] != NULL) {
            collect_let(checker, node);
        }
        if (node->kind == TPI_PLAY_SET_STATEMENT && node->slots[0] != NULL &&
            tpi_play_find(checker, node->slots[0]->text) == NULL &&
            tpi_play_seems_variable(checker, node->slots[0])) {
            collect_name(checker, node->slots[0]); /* `set x to 5` is reported where it stands */
        }
        if (node->kind == TPI_PLAY_TO_STATEMENT) {
            continue;
        }
        for (unsigned i = 0; i < TPI_PLAY_MOST_SLOTS; i++) {
            if (node->slots[i] != NULL && node->slots[i]->kind == TPI_PLAY_BODY) {
                collect(checker, node->slots[i]);
            }
        }
        for (tpi_play_node *branch = node->branches; branch != NULL; branch = branch->next) {
            collect(checker, branch->slots[branch->kind == TPI_PLAY_ELSE_STATEMENT ? 0 : 1]);
        }
    }
}

static void declare_function(tpi_play_checker *checker, tpi_play_symbol *function)
{
    checker->function = function;
    for (tpi_play_node *name = function->node->slots[1]; name != NULL; name = name->next) {
        make_local(checker, name, true);
        function->value_count++;
    }
    collect(checker, function->node->slots[2]);
    checker->function = NULL;
}

/* ---- Devices ---- */

/* `Sound Sensor Input`: a comma is missing between two classes. */
static bool offer_two_classes(tpi_play_checker *checker, tpi_play_trouble *trouble,
                              const char *word)
{
    char first[64];

    for (size_t length = 1; length < sizeof first && word[length] != '\0'; length++) {
        memcpy(first, word, length);
        first[length] = '\0';
        if (word[length] == ' ' && tpi_vocabulary_find(checker->vocabulary, first) >= 0 &&
            tpi_vocabulary_find(checker->vocabulary, word + length + 1) >= 0) {
            snprintf(trouble->text, sizeof trouble->text, "a comma stands between two classes");
            snprintf(trouble->fix, sizeof trouble->fix, "%s, %.50s", first, word + length + 1);
            return true;
        }
    }
    return false;
}

/* The class that a mistyped one may have meant. */
static void offer_class(tpi_play_checker *checker, tpi_play_trouble *trouble, const char *word)
{
    static const char *const articles[] = {"a ", "an ", "the ", NULL};
    char hint[160];

    for (unsigned i = 0; articles[i] != NULL; i++) {
        const size_t length = strlen(articles[i]);
        if (strncmp(word, articles[i], length) == 0 &&
            tpi_vocabulary_find(checker->vocabulary, word + length) >= 0) {
            snprintf(trouble->fix, sizeof trouble->fix, "%.70s", word + length);
            return;
        }
    }
    const char *blank = strchr(word, ' ');
    if (blank != NULL) { /* `Sensor Light` */
        snprintf(hint, sizeof hint, "%.60s %.*s", blank + 1, (int)(blank - word), word);
        if (tpi_vocabulary_find(checker->vocabulary, hint) >= 0) {
            snprintf(trouble->fix, sizeof trouble->fix, "%.70s", hint);
            return;
        }
    }
    if (offer_two_classes(checker, trouble, word)) {
        return;
    }
    const char *text = tpi_vocabulary_hint(checker->vocabulary, word, hint, sizeof hint);
    const char *begin = strchr(text, '"'), *end = strrchr(text, '"');

    if (begin != NULL && end > begin) {
        snprintf(trouble->fix, sizeof trouble->fix, "%.*s", (int)(end - begin - 1), begin + 1);
    }
}

static void declare_device(tpi_play_checker *checker, tpi_play_node *statement)
{
    tpi_play_symbol *symbol =
        declare(checker, statement, TPI_PLAY_DEVICE, &checker->names->device_count, MOST_DEVICES);
    unsigned count = 0;

    for (tpi_play_node *class = statement->slots[1]; class != NULL; class = class->next) {
        const int found = tpi_vocabulary_find(checker->vocabulary, class->text);
        if (found < 0) {
            offer_class(checker, tpi_play_blame(checker, class, "there is no such class"),
                        class->text);
        } else if (symbol != NULL && symbol->class == NULL) {
            symbol->class = tpi_vocabulary_class(checker->vocabulary, found);
        }
        if (++count > TPI_MOST_LIST / 2) {
            tpi_play_blame(checker, class, "a device has at most %u classes", TPI_MOST_LIST / 2);
            break;
        }
    }
    tpi_play_node *number = statement->slots[2];
    if (number != NULL && (strlen(number->text) > 3 || strcmp(number->text, "255") > 0) &&
        strlen(number->text) >= 3) {
        tpi_play_blame(checker, number, "a number of a device is at most 254");
    }
}

/* The program itself, handlers and tasks: at most 4 run. */
static void count_task(tpi_play_checker *checker, const tpi_play_node *node)
{
    if (++checker->names->task_count > TPI_PLAY_MOST_TASKS) {
        tpi_play_blame(checker, node,
                       "at most %u of these run side by side: the program itself, `task`, `when`",
                       TPI_PLAY_MOST_TASKS);
    }
}

static void declare_statement(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_names *names = checker->names;
    unsigned number = names->task_count;
    tpi_play_symbol *symbol;

    switch (node->kind) {
    case TPI_PLAY_DEVICE_STATEMENT:
        declare_device(checker, node);
        break;
    case TPI_PLAY_CHANNEL_STATEMENT:
        declare(checker, node, TPI_PLAY_CHANNEL, &names->channel_count, MOST_CHANNELS);
        break;
    case TPI_PLAY_TO_STATEMENT:
        declare(checker, node, TPI_PLAY_FUNCTION, &names->function_count, MOST_FUNCTIONS);
        break;
    case TPI_PLAY_TASK_STATEMENT:
        symbol = declare(checker, node, TPI_PLAY_TASK, &number, TPI_PLAY_MOST_TASKS + 1);
        if (symbol != NULL) {
            symbol->index = names->task_count;
        }
        count_task(checker, node);
        break;
    case TPI_PLAY_WHEN_STATEMENT:
        count_task(checker, node);
        break;
    default:
        break;
    }
}

void tpi_play_declare(tpi_play_checker *checker)
{
    tpi_play_node *const first = checker->tree->body->slots[0];

    for (const tpi_play_node *node = first; node != NULL; node = node->next) {
        if (tpi_play_statement_of(node->kind)->place == TPI_PLAY_ANY && !checker->names->has_main) {
            checker->names->has_main = true; /* the first task is the program itself */
            checker->names->task_count = 1;
        }
    }
    for (tpi_play_node *node = first; node != NULL; node = node->next) {
        declare_statement(checker, node);
    }
    collect(checker, checker->tree->body);
    for (tpi_play_symbol *symbol = checker->names->first; symbol != NULL; symbol = symbol->next) {
        if (symbol->role == TPI_PLAY_FUNCTION) {
            declare_function(checker, symbol);
        }
    }
}
