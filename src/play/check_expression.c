/* check_expression.c - names, units and commands within expressions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "play/check.h"
#include "play/meant.h"

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

/* `5 sec`, `2x`, `drive 50 backwards` */
static void blame_unknown_unit(tpi_play_checker *checker, const tpi_play_node *node)
{
    static const char *const backs[] = {"back", "backward", "backwards", "reverse", NULL};
    const char *best = tpi_play_unit_meant(node->unit);
    const bool is_drive =
        checker->statement != NULL && checker->statement->kind == TPI_PLAY_DRIVE_STATEMENT;
    char product[80];

    if (tpi_play_find(checker, node->unit) != NULL &&
        node->column + node->width < node->unit_column) {
        tpi_play_blame_unit(checker, node, "",
                            "a sign is missing before this, such as `*`, `+` or `>`");
    } else if (tpi_play_find(checker, node->unit) != NULL) {
        snprintf(product, sizeof product, "* %.60s", node->unit);
        tpi_play_blame_unit(checker, node, product, "a product is written with *");
    } else if (is_drive && tpi_text_among(backs, node->unit)) {
        snprintf(product, sizeof product, "drive -%.60s", node->text);
        tpi_play_blame_unit(checker, node, product, "it drives backwards with a number below 0");
    } else if (is_drive && tpi_play_meant(TPI_PLAY_MEANS_NOTHING, node->unit) != NULL) {
        tpi_play_blame_unit(checker, node, "", "leave it out: the number says how fast");
    } else {
        tpi_play_blame_unit(checker, node, best != NULL ? best : "", "there is no such unit");
    }
}

static tpi_play_dimension check_number(tpi_play_checker *checker, tpi_play_node *node)
{
    const tpi_play_unit *unit = node->unit != NULL ? tpi_play_unit_named(node->unit) : NULL;
    bool is_integer;
    double value;

    if (node->unit != NULL && unit == NULL) {
        blame_unknown_unit(checker, node);
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

static bool is_readable(const tpi_device_class *class)
{
    return class == NULL || !class->is_output || class->read < TPI_COMMANDS;
}

/* An output is read: the only device that can be read may be meant. */
static void blame_output(tpi_play_checker *checker, const tpi_play_node *node)
{
    tpi_play_trouble *trouble =
        tpi_play_blame(checker, node, "this is an output, it cannot be read");
    const tpi_play_symbol *found = NULL;
    unsigned count = 0;

    for (const tpi_play_symbol *s = checker->names->first; s != NULL; s = s->next) {
        if (s->role == TPI_PLAY_DEVICE && is_readable(s->class)) {
            found = s;
            count++;
        }
    }
    snprintf(trouble->fix, sizeof trouble->fix, "%.70s", count == 1 ? found->name : "");
}

static tpi_play_dimension check_device(tpi_play_checker *checker, tpi_play_node *node)
{
    const tpi_device_class *class = node->symbol->class;
    const tpi_command read =
        class != NULL && class->read < TPI_COMMANDS ? class->read : TPI_READ_ANALOG;

    if (!is_readable(class)) {
        blame_output(checker, node);
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
        tpi_play_blame_unknown(checker, node);
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
        node->is_text = tpi_play_holds_text(checker, node->symbol);
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
        command = node->text != NULL ? tpi_dictionary_named(node->text) : TPI_COMMANDS;
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

bool tpi_play_is_text(const tpi_play_node *node)
{
    while (node->kind == TPI_PLAY_GROUP && node->slots[0] != NULL) {
        node = node->slots[0];
    }
    return node->is_text || tpi_play_sort_of(node) == TPI_PLAY_TEXT_SORT;
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
        if (at->kind == TPI_PLAY_NUMBER && at->unit != NULL) {
            tpi_play_blame_unit(checker, at, tpi_play_dimension_unit(a), "the other side is %s",
                                tpi_play_dimension_text(a));
        } else {
            tpi_play_blame(checker, at, "this is %s, the other side is %s",
                           tpi_play_dimension_text(b), tpi_play_dimension_text(a));
        }
    }
    return a != TPI_PLAY_PLAIN ? a : b;
}

/* Texts are not added; in `print` a comma stands between them, `say` takes one after the other. */
static bool joins_texts(tpi_play_checker *checker, tpi_play_node *node)
{
    const tpi_play_kind kind =
        checker->statement != NULL ? checker->statement->kind : TPI_PLAY_STATEMENTS;

    if (node->text[0] != '+' ||
        (!tpi_play_is_text(node->slots[0]) && !tpi_play_is_text(node->slots[1]))) {
        return false;
    }
    if (kind == TPI_PLAY_PRINT_STATEMENT) {
        strcpy(
            tpi_play_blame(checker, node, "`+` needs numbers; `print` takes several values")->fix,
            ",");
    } else if (kind == TPI_PLAY_SAY_STATEMENT || kind == TPI_PLAY_SHOW_STATEMENT) {
        const char *word = kind == TPI_PLAY_SAY_STATEMENT ? "say" : "show";
        tpi_play_blame(checker, node, "`+` needs numbers; write another `%s` on the next line",
                       word);
    } else {
        return false;
    }
    return true;
}

static void refuse_text(tpi_play_checker *checker, tpi_play_node *node, const char *operator)
{
    if (tpi_play_is_text(node)) {
        tpi_play_name_source(
            tpi_play_blame(checker, inside(node), "a text: `%s` needs numbers", operator),
            inside(node));
    }
}

/* Whether the value is a number or a truth for certain. */
static bool is_number(const tpi_play_node *node)
{
    return node->kind == TPI_PLAY_NUMBER || node->kind == TPI_PLAY_NEGATIVE ||
           (node->kind == TPI_PLAY_BINARY && strpbrk(node->text, "+-*/m") != NULL) ||
           (node->kind == TPI_PLAY_CALL && tpi_play_math_named(node->text) >= 0) ||
           (node->kind == TPI_PLAY_NAME && node->symbol != NULL &&
            node->symbol->role == TPI_PLAY_DEVICE &&
            (node->reading == TPI_READ_ANALOG || node->reading == TPI_READ_COUNT)) ||
           tpi_play_sort_of(node) == TPI_PLAY_TRUTH_SORT;
}

/* `bump = "yes"`: a text is equal to no number. */
static void refuse_mixed(tpi_play_checker *checker, const tpi_play_node *text,
                         const tpi_play_node *other)
{
    if (!tpi_play_is_text(text) || !is_number(other)) {
        return;
    }
    const bool is_truth = tpi_play_sort_of(other) == TPI_PLAY_TRUTH_SORT;
    tpi_play_trouble *trouble = tpi_play_blame(checker, text, "a text: the other side is %s",
                                               is_truth ? "true or false" : "a number");
    tpi_play_offer_number(trouble, text, is_truth);
    if (other->kind == TPI_PLAY_NAME && other->reading == TPI_READ_COUNT &&
        trouble->fix[0] == '\0' && other->dimension == TPI_PLAY_PLAIN) {
        snprintf(trouble->text, sizeof trouble->text,
                 "a text: this sensor gives a number, which each robot counts in its own way: "
                 "`print %.50s` shows it",
                 other->text);
    }
    tpi_play_name_source(trouble, text);
}

static bool is_logic(const tpi_play_node *node)
{
    return strcmp(node->text, "and") == 0 || strcmp(node->text, "or") == 0;
}

/* The last comparison of a condition; NULL for none. */
static tpi_play_node *comparison_in(tpi_play_node *node)
{
    node = inside(node);
    if (node == NULL || node->kind != TPI_PLAY_BINARY || strpbrk(node->text, "=<>") != NULL) {
        return node != NULL && node->kind == TPI_PLAY_BINARY ? node : NULL;
    }
    tpi_play_node *found = is_logic(node) ? comparison_in(node->slots[1]) : NULL;
    return found == NULL && is_logic(node) ? comparison_in(node->slots[0]) : found;
}

/* `x = 5 or 6`: a value beside a comparison is meant for the same comparison. */
static void refuse_value(tpi_play_checker *checker, const tpi_play_node *node)
{
    const tpi_play_node *value = inside(node->slots[1]);
    const tpi_play_node *like = comparison_in(node->slots[0]);
    const tpi_play_node *of = like != NULL ? inside(like->slots[0]) : NULL;

    if (of == NULL || (value->kind != TPI_PLAY_NUMBER && value->kind != TPI_PLAY_STRING)) {
        return;
    }
    const char *quote = value->kind == TPI_PLAY_STRING ? "\"" : "";
    tpi_play_trouble *trouble = tpi_play_blame(
        checker, value, "this is no condition: `%s` stands between two of them", node->text);
    if (of->kind == TPI_PLAY_MESSAGE) {
        snprintf(trouble->text, sizeof trouble->text,
                 "this is no condition, and each `message from` takes another message: read one "
                 "with `let` above, and compare the variable twice");
    } else if (of->kind == TPI_PLAY_NAME) {
        snprintf(trouble->fix, sizeof trouble->fix, "%.25s %s %s%.25s%s%s%.10s", of->text,
                 like->text, quote, value->text, quote, value->unit != NULL ? " " : "",
                 value->unit != NULL ? value->unit : "");
    }
}

/* `message from crew = go`: an unknown name beside a text is meant for a text. */
static void offer_quotes(tpi_play_checker *checker, const tpi_play_node *text,
                         const tpi_play_node *name)
{
    if (!tpi_play_is_text(text) || name->kind != TPI_PLAY_NAME || name->symbol != NULL) {
        return;
    }
    for (unsigned i = 0; i < tpi_play_trouble_count(checker->troubles); i++) {
        tpi_play_trouble *trouble = &checker->troubles->list[i];
        if (trouble->line == name->line && trouble->column == name->column &&
            trouble->fix[0] == '\0') {
            strcpy(trouble->text, "there is no such name");
            snprintf(trouble->fix, sizeof trouble->fix, "\"%.70s\"", name->text);
        }
    }
}

/* The comparison that is the same with its sides in each other's place. */
static const char *mirrored(const char *sign)
{
    return sign[0] == '>'            ? (sign[1] == '=' ? "<=" : "<")
           : strcmp(sign, "<") == 0  ? ">"
           : strcmp(sign, "<=") == 0 ? ">="
                                     : sign;
}

static tpi_play_dimension check_binary(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_node *left = node->slots[0], *right = node->slots[1];
    const bool is_equality = strcmp(node->text, "=") == 0 || strcmp(node->text, "<>") == 0;

    if (left == NULL || right == NULL) {
        return TPI_PLAY_PLAIN;
    }
    const tpi_play_dimension a = tpi_play_check_expression(checker, left);
    const tpi_play_dimension b = tpi_play_check_expression(checker, right);
    if (is_logic(node)) {
        refuse_value(checker, node);
        return TPI_PLAY_PLAIN;
    }
    if (left->kind == TPI_PLAY_NAME && left->symbol != NULL &&
        left->symbol->role == TPI_PLAY_DEVICE) {
        tpi_play_offer_unit(checker, right, dimension_of(left->symbol->class));
    }
    if (is_equality) {
        offer_quotes(checker, left, right);
        offer_quotes(checker, right, left);
        refuse_mixed(checker, inside(left), inside(right));
        refuse_mixed(checker, inside(right), inside(left));
    } else if (!joins_texts(checker, node)) {
        refuse_text(checker, left, node->text);
        refuse_text(checker, right, node->text);
    }
    if (strpbrk(node->text, "=<>") != NULL) {
        join(checker, node);
        tpi_play_check_reading(checker, inside(left), node->text, right);
        tpi_play_check_reading(checker, inside(right), mirrored(node->text), left);
        return TPI_PLAY_PLAIN;
    }
    if (node->text[0] == '+' || node->text[0] == '-') {
        return join(checker, node);
    }
    return a == TPI_PLAY_PLAIN   ? (node->text[0] == '*' ? b : a)
           : b == TPI_PLAY_PLAIN ? a
                                 : TPI_PLAY_PLAIN;
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
        return tpi_play_check_call(checker, node);
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
