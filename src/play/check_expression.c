/* check_expression.c - names, units and commands within expressions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "play/cell.h"
#include "play/check.h"

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

/* ---- Suggestions ---- */

/* Offer the nearest name: functions if it is called, everything else if it is not. */
static void offer_names(tpi_play_checker *checker, tpi_play_trouble *trouble, const char *word,
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
    if (nearest.best != NULL) {
        snprintf(trouble->fix, sizeof trouble->fix, "%.70s", nearest.best);
    }
}

tpi_play_symbol *tpi_play_need(tpi_play_checker *checker, tpi_play_node *name, tpi_play_role role,
                               const char *what)
{
    tpi_play_symbol *symbol = name != NULL ? tpi_play_find(checker, name->text) : NULL;
    tpi_nearest nearest;

    if (name == NULL || (symbol != NULL && symbol->role == role)) {
        if (name != NULL) {
            name->symbol = symbol;
        }
        return symbol;
    }
    tpi_play_trouble *trouble =
        symbol != NULL ? tpi_play_blame(checker, name, "this is not %s", what)
                       : tpi_play_blame(checker, name, "there is no such name; %s is needed", what);
    tpi_nearest_init(&nearest, name->text);
    for (const tpi_play_symbol *s = checker->names->first; s != NULL; s = s->next) {
        if (s->role == role) {
            tpi_nearest_offer(&nearest, s->name);
        }
    }
    if (nearest.best != NULL) {
        snprintf(trouble->fix, sizeof trouble->fix, "%.70s", nearest.best);
    }
    return NULL;
}

void tpi_play_use(tpi_play_symbol *device, tpi_command command)
{
    if (device->command == TPI_COMMANDS) {
        device->command = command;
    }
}

/* ---- Numbers ---- */

bool tpi_play_number_value(const tpi_play_node *node, bool *is_integer, double *value)
{
    const tpi_play_unit *unit = node->unit != NULL ? tpi_play_unit_named(node->unit) : NULL;
    double number = 0;

    *is_integer = strchr(node->text, '.') == NULL;
    *value = 0;
    if (tpi_number_read_f64(node->text, strlen(node->text), &number) == 0) {
        number = strtod(node->text, NULL); /* zeros in front */
    }
    number *= unit != NULL ? unit->factor : 1;
    *is_integer = *is_integer && (double)(int64_t)(number < 1e15 ? number : 0) == number;
    if (*is_integer ? number > 2147483647.0 : number > 3.4e38) {
        return false;
    }
    *value = number;
    return true;
}

static tpi_play_dimension check_number(tpi_play_checker *checker, tpi_play_node *node)
{
    const tpi_play_unit *unit = node->unit != NULL ? tpi_play_unit_named(node->unit) : NULL;
    bool is_integer;
    double value;

    if (node->unit != NULL && unit == NULL) {
        const char *best = tpi_play_unit_meant(node->unit);
        unsigned width = 0;
        for (const char *c = node->unit; *c != '\0'; c++) {
            width += ((unsigned char)*c & 0xc0) != 0x80;
        }
        tpi_play_trouble *trouble =
            tpi_play_trouble_add(checker->troubles, node->line, node->unit_column, width,
                                 node->unit, "there is no such unit");
        snprintf(trouble->fix, sizeof trouble->fix, "%s", best != NULL ? best : "");
    } else if (!tpi_play_number_value(node, &is_integer, &value)) {
        tpi_play_blame(checker, node,
                       is_integer ? "the largest integer is 2147483647"
                                  : "the number is too large");
    }
    return unit != NULL ? unit->dimension : TPI_PLAY_PLAIN;
}

/* ---- Devices that are read ---- */

static tpi_play_dimension dimension_of(const tpi_device_class *class)
{
    const tpi_play_unit *unit =
        class != NULL && class->unit != NULL ? tpi_play_unit_named(class->unit) : NULL;

    return unit != NULL ? unit->dimension : TPI_PLAY_PLAIN;
}

static tpi_play_dimension check_device(tpi_play_checker *checker, tpi_play_node *node)
{
    const tpi_device_class *class = node->symbol->class;
    const tpi_command read =
        class != NULL && class->read < TPI_COMMANDS ? class->read : TPI_READ_ANALOG;

    if (class != NULL && class->is_output && class->read >= TPI_COMMANDS) {
        tpi_play_blame(checker, node, "this is an output, it cannot be read");
        return TPI_PLAY_PLAIN;
    }
    node->reading = (uint8_t)read;
    tpi_play_use(node->symbol, read);
    return read == TPI_READ_COUNT    ? dimension_of(class)
           : read == TPI_READ_ANALOG ? TPI_PLAY_PERCENT
                                     : TPI_PLAY_PLAIN;
}

static tpi_play_dimension check_name(tpi_play_checker *checker, tpi_play_node *node)
{
    node->symbol = tpi_play_find(checker, node->text);
    if (node->symbol == NULL) {
        const int math = tpi_play_math_named(node->text);
        tpi_play_trouble *trouble = tpi_play_blame(
            checker, node,
            math >= 0 ? "this is a function: its values stand in ( )" : "there is no such name");
        if (math >= 0) {
            snprintf(trouble->fix, sizeof trouble->fix, "%s(%s", node->text,
                     maths[math].values == 0 ? ")" : "");
        } else {
            offer_names(checker, trouble, node->text, false);
        }
        return TPI_PLAY_PLAIN;
    }
    switch (node->symbol->role) {
    case TPI_PLAY_DEVICE:
        return check_device(checker, node);
    case TPI_PLAY_FUNCTION:
        snprintf(tpi_play_blame(checker, node, "this is a function: ( ) stand behind it")->fix, 80,
                 "%.60s()", node->text);
        break;
    case TPI_PLAY_CHANNEL:
        snprintf(
            tpi_play_blame(checker, node, "this is a channel: it is read with `message from`")->fix,
            80, "message from %.60s", node->text);
        break;
    case TPI_PLAY_TASK:
        tpi_play_blame(checker, node, "this is a task, it has no value");
        break;
    default:
        break;
    }
    return TPI_PLAY_PLAIN;
}

/* ---- Operators ---- */

tpi_play_sort tpi_play_sort_of(const tpi_play_node *node)
{
    tpi_command command;

    switch (node->kind) {
    case TPI_PLAY_GROUP:
        return node->slots[0] != NULL ? tpi_play_sort_of(node->slots[0]) : TPI_PLAY_ANY_SORT;
    case TPI_PLAY_STRING:
    case TPI_PLAY_MESSAGE:
        return TPI_PLAY_TEXT_SORT;
    case TPI_PLAY_TRUTH:
    case TPI_PLAY_NOT:
        return TPI_PLAY_TRUTH_SORT;
    case TPI_PLAY_BINARY:
        return strpbrk(node->text, "=<>") != NULL || strcmp(node->text, "and") == 0 ||
                       strcmp(node->text, "or") == 0
                   ? TPI_PLAY_TRUTH_SORT
                   : TPI_PLAY_ANY_SORT;
    case TPI_PLAY_NAME:
        return node->symbol != NULL && node->symbol->role == TPI_PLAY_DEVICE &&
                       node->reading == TPI_READ_DIGITAL
                   ? TPI_PLAY_TRUTH_SORT
                   : TPI_PLAY_ANY_SORT;
    case TPI_PLAY_DO:
        command = tpi_dictionary_named(node->text);
        return command < TPI_COMMANDS &&
                       tpi_kind_is_text(tpi_dictionary_entry(command)->results[0].kind)
                   ? TPI_PLAY_TEXT_SORT
                   : TPI_PLAY_ANY_SORT;
    default:
        return TPI_PLAY_ANY_SORT;
    }
}

static tpi_play_node *inside(tpi_play_node *node)
{
    while (node != NULL && node->kind == TPI_PLAY_GROUP) {
        node = node->slots[0];
    }
    return node;
}

/* A device whose class has a unit is read in that unit if it meets a value with it. */
static void adapt(tpi_play_node *node, tpi_play_dimension other)
{
    tpi_play_node *device = inside(node);

    if (device == NULL || device->kind != TPI_PLAY_NAME || device->symbol == NULL ||
        device->symbol->role != TPI_PLAY_DEVICE || other <= TPI_PLAY_PERCENT ||
        dimension_of(device->symbol->class) != other) {
        return;
    }
    if (device->symbol->command == (tpi_command)device->reading) {
        device->symbol->command = TPI_READ_COUNT;
    }
    device->reading = TPI_READ_COUNT;
    device->symbol->needs_unit = true;
    for (; node != device; node = node->slots[0]) {
        node->dimension = (uint8_t)other;
    }
    device->dimension = (uint8_t)other;
}

/* Both sides of + - and comparisons measure the same. */
static tpi_play_dimension join(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_node *left = node->slots[0], *right = node->slots[1];

    adapt(left, (tpi_play_dimension)right->dimension);
    adapt(right, (tpi_play_dimension)left->dimension);
    const tpi_play_dimension a = (tpi_play_dimension)left->dimension;
    const tpi_play_dimension b = (tpi_play_dimension)right->dimension;
    if (a != TPI_PLAY_PLAIN && b != TPI_PLAY_PLAIN && a != b) {
        tpi_play_node *at = inside(right);
        tpi_play_trouble *trouble =
            at->kind == TPI_PLAY_NUMBER && at->unit != NULL
                ? tpi_play_trouble_add(checker->troubles, at->line, at->unit_column,
                                       (unsigned)strlen(at->unit), at->unit, "the other side is %s",
                                       tpi_play_dimension_text(a))
                : tpi_play_blame(checker, at, "this is %s, the other side is %s",
                                 tpi_play_dimension_text(b), tpi_play_dimension_text(a));
        if (at->kind == TPI_PLAY_NUMBER) {
            snprintf(trouble->fix, sizeof trouble->fix, "%s", tpi_play_dimension_unit(a));
        }
    }
    return a != TPI_PLAY_PLAIN ? a : b;
}

static void refuse_text(tpi_play_checker *checker, tpi_play_node *node, const char *operator)
{
    if (tpi_play_sort_of(node) == TPI_PLAY_TEXT_SORT) {
        tpi_play_blame(checker, inside(node), "a text: `%s` needs numbers", operator);
    }
}

static tpi_play_dimension check_binary(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_node *left = node->slots[0], *right = node->slots[1];
    const bool is_logic = strcmp(node->text, "and") == 0 || strcmp(node->text, "or") == 0;
    const bool is_equality = strcmp(node->text, "=") == 0 || strcmp(node->text, "<>") == 0;

    if (left == NULL || right == NULL) {
        return TPI_PLAY_PLAIN;
    }
    const tpi_play_dimension a = tpi_play_check_expression(checker, left);
    const tpi_play_dimension b = tpi_play_check_expression(checker, right);
    if (is_logic) {
        return TPI_PLAY_PLAIN;
    }
    if (!is_equality) {
        refuse_text(checker, left, node->text);
        refuse_text(checker, right, node->text);
    }
    if (strpbrk(node->text, "=<>") != NULL) {
        join(checker, node);
        return TPI_PLAY_PLAIN;
    }
    if (node->text[0] == '+' || node->text[0] == '-') {
        return join(checker, node);
    }
    return a == TPI_PLAY_PLAIN   ? (node->text[0] == '*' ? b : a)
           : b == TPI_PLAY_PLAIN ? a
                                 : TPI_PLAY_PLAIN;
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

static tpi_play_dimension check_call(tpi_play_checker *checker, tpi_play_node *node)
{
    const unsigned given = check_values(checker, node->slots[0]);
    const int math = tpi_play_math_named(node->text);

    node->symbol = math < 0 ? tpi_play_find(checker, node->text) : NULL;
    if (math < 0 && (node->symbol == NULL || node->symbol->role != TPI_PLAY_FUNCTION)) {
        tpi_play_trouble *trouble = tpi_play_blame(
            checker, node,
            node->symbol == NULL ? "there is no such function" : "this is no function");
        offer_names(checker, trouble, node->text, true);
        node->symbol = NULL;
        return TPI_PLAY_PLAIN;
    }
    const unsigned wanted = math >= 0 ? maths[math].values : node->symbol->value_count;
    if (given != wanted) {
        tpi_play_blame(checker, node, "this takes %u value%s, not %u", wanted,
                       wanted == 1 ? "" : "s", given);
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

static tpi_play_dimension check_kind(tpi_play_checker *checker, tpi_play_node *node)
{
    switch (node->kind) {
    case TPI_PLAY_NUMBER:
        return check_number(checker, node);
    case TPI_PLAY_NAME:
        return check_name(checker, node);
    case TPI_PLAY_BINARY:
        return check_binary(checker, node);
    case TPI_PLAY_NEGATIVE:
        if (node->slots[0] != NULL) {
            const tpi_play_dimension inner = tpi_play_check_expression(checker, node->slots[0]);
            refuse_text(checker, node->slots[0], "-");
            return inner;
        }
        return TPI_PLAY_PLAIN;
    case TPI_PLAY_NOT:
        if (node->slots[0] != NULL) {
            tpi_play_check_expression(checker, node->slots[0]);
        }
        return TPI_PLAY_PLAIN;
    case TPI_PLAY_GROUP:
        return node->slots[0] != NULL ? tpi_play_check_expression(checker, node->slots[0])
                                      : TPI_PLAY_PLAIN;
    case TPI_PLAY_CALL:
        return check_call(checker, node);
    case TPI_PLAY_DO:
        tpi_play_check_command(checker, node, node->text, node->slots[0], 1);
        return TPI_PLAY_PLAIN;
    case TPI_PLAY_MESSAGE:
        tpi_play_need(checker, node->slots[0], TPI_PLAY_CHANNEL, "a channel");
        return TPI_PLAY_PLAIN;
    default:
        return TPI_PLAY_PLAIN;
    }
}

tpi_play_dimension tpi_play_check_expression(tpi_play_checker *checker, tpi_play_node *node)
{
    const tpi_play_dimension dimension = check_kind(checker, node);

    node->dimension = (uint8_t)dimension;
    return dimension;
}
