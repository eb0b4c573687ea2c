/* check_call.c - names that are called: functions, built-in ones, universal commands. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/cell.h"
#include "play/check.h"
#include "play/meant.h"

static const struct {
    const char *name;
    unsigned values;
} maths[] = {
#define PLAY_MATH(name, text, count, sentence) {text, count},
    TPI_PLAY_MATHS(PLAY_MATH)
#undef PLAY_MATH
};

int tpi_play_math_named(const char *name)
{
    for (int i = 0; i < TPI_PLAY_MATH_COUNT; i++) {
        if (strcmp(maths[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *tpi_play_math_name(unsigned function)
{
    return maths[function].name;
}

unsigned tpi_play_math_takes(int function)
{
    return maths[function].values;
}

/* ---- Suggestions ---- */

/* Offer the nearest name: functions if it is called, everything else if it is not. */
void tpi_play_offer_names(tpi_play_checker *checker, tpi_play_trouble *trouble, const char *word,
                          bool is_call)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, word);
    if (checker->function != NULL && !is_call) {
        for (const tpi_play_symbol *s = checker->function->locals; s != NULL; s = s->next) {
            tpi_nearest_offer(&nearest, s->name);
        }
    }
    for (const tpi_play_symbol *s = checker->names->first; s != NULL; s = s->next) {
        if ((s->role == TPI_PLAY_FUNCTION) == is_call) {
            tpi_nearest_offer(&nearest, s->name);
        }
    }
    for (int i = 0; is_call && i < TPI_PLAY_MATH_COUNT; i++) {
        tpi_nearest_offer(&nearest, maths[i].name);
    }
    if (!is_call) {
        tpi_nearest_offer(&nearest, "true");
        tpi_nearest_offer(&nearest, "false");
    }
    const char *known = is_call ? tpi_play_meant(TPI_PLAY_MEANS_FUNCTION, word) : NULL;
    if (known != NULL && (nearest.best == NULL || nearest.distance > 1)) {
        strcpy(trouble->fix, known);
    } else if (nearest.best != NULL && !tpi_play_is_far(&nearest)) {
        snprintf(trouble->fix, sizeof trouble->fix, "%.70s", nearest.best);
    }
}

bool tpi_play_is_excused(const tpi_play_checker *checker, const tpi_play_node *name)
{
    const size_t length = strlen(name->text);

    for (unsigned i = 0; i < checker->parsed; i++) {
        const tpi_play_trouble *trouble = &checker->troubles->list[i];
        const char *at = trouble->line < name->line ? strstr(trouble->word, name->text) : NULL;
        if (at != NULL && (at == trouble->word || at[-1] == ' ') &&
            (at[length] == '\0' || at[length] == ' ')) {
            return true;
        }
    }
    return false;
}

/* The name of this role that is like a word; NULL for none. */
static const char *near_name(const tpi_play_checker *checker, const char *word, tpi_play_role role)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, word);
    for (const tpi_play_symbol *s = checker->names->first; s != NULL; s = s->next) {
        if (s->role == role) {
            tpi_nearest_offer(&nearest, s->name);
        }
    }
    return nearest.best;
}

bool tpi_play_seems_variable(const tpi_play_checker *checker, const tpi_play_node *name)
{
    char class[64];

    snprintf(class, sizeof class, "%c%.60s",
             name->text[0] >= 'a' && name->text[0] <= 'z' ? name->text[0] - 'a' + 'A'
                                                          : name->text[0],
             name->text + 1);
    return near_name(checker, name->text, TPI_PLAY_DEVICE) == NULL &&
           tpi_vocabulary_find(checker->vocabulary, class) < 0 &&
           !tpi_play_is_excused(checker, name);
}

/* A name that there is, of another role. */
static void blame_role(tpi_play_checker *checker, const tpi_play_node *name,
                       const tpi_play_symbol *symbol, tpi_play_role role, const char *what)
{
    const tpi_play_node *statement = checker->statement;

    if (role == TPI_PLAY_DEVICE && symbol->role >= TPI_PLAY_VARIABLE && statement != NULL &&
        statement->kind == TPI_PLAY_SET_STATEMENT) {
        strcpy(tpi_play_blame(checker, statement,
                              "`%.50s` is a variable, not a device: it is set with `let`",
                              name->text)
                   ->fix,
               "let");
    } else if (role == TPI_PLAY_DEVICE && symbol->role >= TPI_PLAY_VARIABLE) {
        tpi_play_blame(checker, name, "this is a variable, not a device: write `let %.60s be`",
                       name->text);
    } else if (role == TPI_PLAY_TASK && symbol->role == TPI_PLAY_FUNCTION) {
        snprintf(
            tpi_play_blame(checker, name, "this is a function: it is called without `start`")->fix,
            80, "%.60s()", name->text);
    } else if (role == TPI_PLAY_VARIABLE && symbol->role == TPI_PLAY_DEVICE) {
        tpi_play_blame(checker, name,
                       "this is a device, `change` adds to variables: read it "
                       "into one with `let`");
    } else {
        tpi_play_blame(checker, name, "this is not %s", what);
    }
}

tpi_play_symbol *tpi_play_need(tpi_play_checker *checker, tpi_play_node *name, tpi_play_role role,
                               const char *what)
{
    tpi_play_symbol *symbol = name != NULL ? tpi_play_find(checker, name->text) : NULL;

    if (name == NULL || (symbol != NULL && symbol->role == role)) {
        if (name != NULL) {
            name->symbol = symbol;
        }
        return symbol;
    }
    const char *near = near_name(checker, name->text, role);
    if (symbol != NULL) {
        blame_role(checker, name, symbol, role, what);
        return NULL;
    }
    if (tpi_play_is_excused(checker, name)) {
        return NULL;
    }
    tpi_play_trouble *trouble =
        role == TPI_PLAY_CHANNEL
            ? tpi_play_blame(checker, name, "there is no such channel: write `channel %.60s` above",
                             name->text)
        : role == TPI_PLAY_DEVICE
            ? tpi_play_blame(checker, name,
                             "there is no such device: declare it above with `device %.50s is …`",
                             name->text)
        : role == TPI_PLAY_TASK
            ? tpi_play_blame(checker, name, "there is no such task: make it with `task %.60s`",
                             name->text)
            : tpi_play_blame(checker, name,
                             "there is no such variable: make it above with `let %.60s be 0`",
                             name->text);
    snprintf(trouble->fix, sizeof trouble->fix, "%.70s", near != NULL ? near : "");
    return NULL;
}

void tpi_play_use(tpi_play_symbol *device, tpi_command command)
{
    if (device->command == TPI_COMMANDS) {
        device->command = command;
    }
}

/* ---- Calls ---- */

static unsigned check_values(tpi_play_checker *checker, tpi_play_node *values)
{
    unsigned count = 0;

    for (; values != NULL; values = values->next) {
        tpi_play_check_expression(checker, values);
        count++;
    }
    return count;
}

/* The names of the values of a function; those of a built-in one are x and y. */
static void list_names(char *out, size_t size, const tpi_play_symbol *function, unsigned count)
{
    const tpi_play_symbol *value = function != NULL ? function->locals : NULL;

    for (unsigned i = 0; i < count; i++) {
        const size_t length = strlen(out);
        snprintf(out + length, size - length, "%s%.20s", i > 0 ? ", " : "",
                 value != NULL ? value->name
                 : i == 0      ? "x"
                               : "y");
        value = value != NULL ? value->next : NULL;
    }
}

/* `sleep(2)` */
static bool is_statement(const tpi_play_checker *checker, const tpi_play_node *node)
{
    return checker->statement != NULL && checker->statement->kind == TPI_PLAY_CALL_STATEMENT &&
           tpi_play_meant(TPI_PLAY_MEANS_STATEMENT, node->text) != NULL;
}

/* What is called is no function. */
static void blame_call(tpi_play_checker *checker, const tpi_play_node *node)
{
    const char *statement = tpi_play_meant(TPI_PLAY_MEANS_STATEMENT, node->text);

    if (node->symbol == NULL && tpi_play_is_excused(checker, node)) {
        return;
    }
    tpi_play_trouble *trouble = tpi_play_blame(
        checker, node, node->symbol == NULL ? "there is no such function" : "this is no function");

    if (node->symbol != NULL && node->symbol->role == TPI_PLAY_TASK) {
        strcpy(trouble->text, "a task begins with `start`, without ( )");
        snprintf(trouble->fix, sizeof trouble->fix, "start %.60s", node->text);
        return;
    }
    tpi_play_offer_names(checker, trouble, node->text, true);
    if (trouble->fix[0] != '\0' || node->symbol != NULL) {
        return;
    }
    if (is_statement(checker, node)) {
        strcpy(trouble->text, "there is no such statement"); /* `sleep(2)` */
        strcpy(trouble->fix, statement);
    } else {
        snprintf(trouble->text, sizeof trouble->text,
                 "there is no such function: make it with `to %.50s`", node->text);
    }
}

/* A function has too few or too many values. */
static void blame_count(tpi_play_checker *checker, const tpi_play_node *node, unsigned wanted,
                        unsigned given)
{
    char names[80] = "";

    if (wanted == 0) {
        tpi_play_blame(checker, node, "this takes no values: `%.40s()`", node->text);
        return;
    }
    list_names(names, sizeof names, node->symbol, wanted);
    tpi_play_blame(checker, node, "this takes %u value%s (%s), not %u", wanted,
                   wanted == 1 ? "" : "s", names, given);
}

tpi_play_dimension tpi_play_check_call(tpi_play_checker *checker, tpi_play_node *node)
{
    const int math = tpi_play_math_named(node->text);

    node->symbol = math < 0 ? tpi_play_find(checker, node->text) : NULL;
    if (math < 0 && node->symbol == NULL && is_statement(checker, node)) {
        blame_call(checker, node); /* the values are those of the statement */
        return TPI_PLAY_PLAIN;
    }
    const unsigned given = check_values(checker, node->slots[0]);
    if (math < 0 && (node->symbol == NULL || node->symbol->role != TPI_PLAY_FUNCTION)) {
        blame_call(checker, node);
        node->symbol = NULL;
        return TPI_PLAY_PLAIN;
    }
    const unsigned wanted = math >= 0 ? maths[math].values : node->symbol->value_count;
    if (given != wanted) {
        blame_count(checker, node, wanted, given);
    }
    for (const tpi_play_node *value = node->slots[0]; math >= 0 && value != NULL;
         value = value->next) {
        if (tpi_play_is_text(value)) {
            tpi_play_blame(checker, value, "a text: `%s` needs numbers", node->text);
        }
    }
    return math == TPI_PLAY_MATH_TIME    ? TPI_PLAY_TIME
           : math == TPI_PLAY_MATH_ATAN2 ? TPI_PLAY_ANGLE
                                         : TPI_PLAY_PLAIN;
}

/* ---- Commands ---- */

static tpi_command command_named(tpi_play_checker *checker, tpi_play_node *at, const char *name)
{
    const tpi_command command = tpi_dictionary_named(name);
    tpi_nearest nearest;

    if (command < TPI_COMMANDS) {
        return command;
    }
    tpi_nearest_init(&nearest, name);
    for (int i = 0; i < TPI_COMMANDS; i++) {
        tpi_nearest_offer(&nearest, tpi_dictionary_entry((tpi_command)i)->name);
    }
    tpi_play_trouble *trouble = tpi_play_blame(checker, at, "there is no such command");
    snprintf(trouble->fix, sizeof trouble->fix, "%.70s", nearest.best != NULL ? nearest.best : "");
    return TPI_COMMANDS;
}

/* The device or channel that a command begins with: the first value, if it names one. */
static tpi_play_node *check_port(tpi_play_checker *checker, tpi_command command,
                                 tpi_play_node *values)
{
    const tpi_entry *entry = tpi_dictionary_entry(command);
    const bool takes_channel = entry->sort == TPI_SORT_CHANNEL;

    if (!entry->has_port || values == NULL || values->kind != TPI_PLAY_NAME) {
        return values;
    }
    tpi_play_symbol *symbol = tpi_play_find(checker, values->text);
    if (symbol == NULL || (symbol->role != TPI_PLAY_DEVICE && symbol->role != TPI_PLAY_CHANNEL)) {
        return values;
    }
    values->symbol = symbol;
    if ((symbol->role == TPI_PLAY_CHANNEL) != takes_channel) {
        tpi_play_blame(checker, values,
                       takes_channel ? "this command needs a channel"
                                     : "this command needs a device");
    } else if (!takes_channel) {
        tpi_play_use(symbol, command);
    }
    return values->next;
}

void tpi_play_check_command(tpi_play_checker *checker, tpi_play_node *at, const char *name,
                            tpi_play_node *values, unsigned results)
{
    const tpi_command command = name != NULL ? command_named(checker, at, name) : TPI_COMMANDS;

    if (command == TPI_COMMANDS) {
        const tpi_play_symbol *port = values != NULL && values->kind == TPI_PLAY_NAME
                                          ? tpi_play_find(checker, values->text)
                                          : NULL;
        const bool has_port = port != NULL && port->role <= TPI_PLAY_CHANNEL;
        check_values(checker, has_port ? values->next : values);
        return;
    }
    const tpi_entry *entry = tpi_dictionary_entry(command);
    const unsigned most = tpi_entry_value_count(entry->values);
    const unsigned most_results = tpi_entry_value_count(entry->results);
    unsigned count = 0;
    for (values = check_port(checker, command, values); values != NULL; values = values->next) {
        tpi_play_check_expression(checker, values);
        if (count == most) {
            tpi_play_blame(checker, values, "`%s` takes %u value%s", entry->name, most,
                           most == 1 ? "" : "s");
            break;
        }
        if (!tpi_kind_is_text(entry->values[count].kind) &&
            tpi_play_sort_of(values) == TPI_PLAY_TEXT_SORT) {
            tpi_play_blame(checker, values, "a text: `%s` is a number", entry->values[count].name);
        }
        count++;
    }
    if (results > most_results) {
        if (most_results == 0) {
            tpi_play_blame(checker, at, "this command has no result");
        } else {
            tpi_play_blame(checker, at, "this command has %u result%s, not %u", most_results,
                           most_results == 1 ? "" : "s", results);
        }
    }
}
