/* check_fits.c - values that must fit: units, ranges, what is written to a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play/check.h"
#include "play/meant.h"

enum { MOST_PERCENT = 100 };

/* ---- Units and ranges ---- */

void tpi_play_blame_unit(tpi_play_checker *checker, const tpi_play_node *number, const char *fix,
                         const char *format, ...)
{
    char text[200];
    unsigned width = 0;
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (const char *c = number->unit; *c != '\0'; c++) {
        width += ((unsigned char)*c & 0xc0) != 0x80;
    }
    tpi_play_trouble *trouble = tpi_play_trouble_add(
        checker->troubles, number->line, number->unit_column, width, number->unit, "%s", text);
    snprintf(trouble->fix, sizeof trouble->fix, "%s", fix);
}

/* The number that an expression is, without its sign and parentheses; NULL for none. */
static const tpi_play_node *number_in(const tpi_play_node *node, const tpi_play_node **minus)
{
    while (node != NULL && (node->kind == TPI_PLAY_GROUP || node->kind == TPI_PLAY_NEGATIVE)) {
        *minus = node->kind == TPI_PLAY_NEGATIVE ? node : *minus;
        node = node->slots[0];
    }
    return node != NULL && node->kind == TPI_PLAY_NUMBER ? node : NULL;
}

/* Report a number with its sign. */
static tpi_play_trouble *blame_number(tpi_play_checker *checker, const tpi_play_node *minus,
                                      const tpi_play_node *number, const char *sentence)
{
    char word[64];
    const bool is_joined =
        minus != NULL && minus->line == number->line && minus->column + 1 == number->column;

    snprintf(word, sizeof word, "%s%.60s", is_joined ? "-" : "", number->text);
    return tpi_play_trouble_add(checker->troubles, number->line, number->column - is_joined,
                                number->width + is_joined, word, "%s", sentence);
}

/* A number that is too large, or below 0 where nothing is. */
static void check_range(tpi_play_checker *checker, const tpi_play_node *node,
                        tpi_play_dimension dimension)
{
    const tpi_play_node *minus = NULL, *number = number_in(node, &minus);
    bool is_integer;
    double value;

    if (number == NULL || !tpi_play_number_value(number, &is_integer, &value)) {
        return;
    }
    if (dimension == TPI_PLAY_PERCENT && value > MOST_PERCENT) {
        strcpy(blame_number(checker, minus, number, "the most is 100 %")->fix,
               minus != NULL ? "-100" : "100");
    } else if (minus != NULL && value > 0 &&
               (dimension == TPI_PLAY_TIME || dimension == TPI_PLAY_PLAIN ||
                dimension == TPI_PLAY_FREQUENCY)) {
        snprintf(blame_number(checker, minus, number, "this is never below 0")->fix, 80, "%.70s",
                 number->text);
    }
}

/* Whether no reading of 0 to 100 compares so with a number. */
static bool is_never(const char *sign, double value)
{
    return strcmp(sign, ">") == 0    ? value >= MOST_PERCENT
           : strcmp(sign, ">=") == 0 ? value > MOST_PERCENT
           : strcmp(sign, "<") == 0  ? value <= 0
           : strcmp(sign, "<=") == 0
               ? value < 0
               : strcmp(sign, "=") == 0 && (value < 0 || value > MOST_PERCENT);
}

void tpi_play_check_reading(tpi_play_checker *checker, const tpi_play_node *device,
                            const char *sign, const tpi_play_node *number)
{
    const tpi_play_node *minus = NULL;
    bool is_integer;
    double value;

    number = number_in(number, &minus);
    if (device->kind != TPI_PLAY_NAME || device->symbol == NULL || number == NULL ||
        device->symbol->role != TPI_PLAY_DEVICE || device->symbol->class == NULL) {
        return;
    }
    if (device->reading == TPI_READ_DIGITAL && number->unit != NULL) {
        tpi_play_blame_unit(checker, number, "", "this sensor gives true or false");
        return;
    }
    if ((number->unit != NULL && strcmp(number->unit, "%") != 0) ||
        !tpi_play_number_value(number, &is_integer, &value)) {
        return;
    }
    value = minus != NULL ? -value : value;
    if (device->reading == TPI_READ_ANALOG &&
        (value > MOST_PERCENT || value < 0 || is_never(sign, value))) {
        blame_number(checker, minus, number,
                     is_never(sign, value)
                         ? "this sensor gives 0 to 100: so this is never true"
                         : "this sensor gives 0 to 100: so this makes no difference");
    } else if (device->reading == TPI_READ_DIGITAL && value > 1) {
        strcpy(blame_number(checker, minus, number, "this sensor gives true or false")->fix,
               "true");
    }
}

void tpi_play_offer_unit(tpi_play_checker *checker, const tpi_play_node *number,
                         tpi_play_dimension dimension)
{
    const tpi_play_node *minus = NULL;

    number = number_in(number, &minus);
    if (number == NULL || number->unit == NULL || tpi_play_unit_named(number->unit) != NULL) {
        return;
    }
    for (unsigned i = 0; i < tpi_play_trouble_count(checker->troubles); i++) {
        tpi_play_trouble *trouble = &checker->troubles->list[i];
        const tpi_play_unit *meant = tpi_play_unit_named(trouble->fix);
        if (trouble->line == number->line && trouble->column == number->unit_column &&
            dimension != TPI_PLAY_PLAIN && strcmp(trouble->text, "there is no such unit") == 0 &&
            (meant == NULL || meant->dimension != dimension)) {
            strcpy(trouble->fix, tpi_play_dimension_unit(dimension));
        }
    }
}

/* Whether a text is a number in quotes. */
static bool is_numeral(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    const size_t more = text[digits] == '.' ? strspn(text + digits + 1, "0123456789") : 0;

    return digits > 0 && (text[digits] == '\0' || (more > 0 && text[digits + 1 + more] == '\0'));
}

void tpi_play_offer_number(tpi_play_trouble *trouble, const tpi_play_node *node, bool is_truth)
{
    const char *text = node->kind == TPI_PLAY_STRING ? node->text : "";
    const char *truth = tpi_play_meant(TPI_PLAY_MEANS_TRUTH, text);
    const char *number = tpi_play_meant(TPI_PLAY_MEANS_NUMBER, text);

    if (is_numeral(text)) {
        snprintf(trouble->fix, sizeof trouble->fix, "%.70s", text);
    } else if (is_truth && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
        strcpy(trouble->fix, text);
    } else if (is_truth && truth != NULL) {
        strcpy(trouble->fix, truth);
    } else if (number != NULL) {
        strcpy(trouble->fix, number);
    }
}

void tpi_play_name_source(tpi_play_trouble *trouble, const tpi_play_node *variable)
{
    const tpi_play_symbol *symbol = variable->kind == TPI_PLAY_NAME ? variable->symbol : NULL;
    const tpi_play_node *let = symbol != NULL ? symbol->set_by : NULL;
    const size_t length = strlen(trouble->text);

    if (let == NULL || length == 0) {
        return;
    }
    if (let->slots[1]->kind == TPI_PLAY_STRING && is_numeral(let->slots[1]->text)) {
        snprintf(trouble->text + length, sizeof trouble->text - length,
                 "; in line %u write `let %.50s be %.30s`", let->line, symbol->name,
                 let->slots[1]->text);
    } else {
        snprintf(trouble->text + length, sizeof trouble->text - length, "; it comes from line %u",
                 let->line);
    }
}

/* A text that stands where a number must: "50", "on". */
static void blame_text(tpi_play_checker *checker, const tpi_play_node *node,
                       tpi_play_dimension dimension)
{
    tpi_play_trouble *trouble =
        tpi_play_blame(checker, node, "a text: %s is needed", tpi_play_dimension_text(dimension));

    tpi_play_offer_number(trouble, node,
                          checker->statement != NULL &&
                              checker->statement->kind == TPI_PLAY_SET_STATEMENT);
    tpi_play_name_source(trouble, node);
}

void tpi_play_check_fits(tpi_play_checker *checker, tpi_play_node *node,
                         tpi_play_dimension dimension)
{
    if (node == NULL) {
        return;
    }
    const tpi_play_dimension found = tpi_play_check_expression(checker, node);
    if (tpi_play_is_text(node)) {
        blame_text(checker, node, dimension);
    }
    tpi_play_offer_unit(checker, node, dimension);
    const tpi_play_node *minus = NULL, *number = number_in(node, &minus);
    /* A reading in percent may stand for any value. */
    if (found == dimension || found == TPI_PLAY_PLAIN ||
        (found == TPI_PLAY_PERCENT && number == NULL)) {
        check_range(checker, node, dimension);
    } else if (number != NULL) {
        const bool is_minutes = dimension == TPI_PLAY_TIME && strcmp(number->unit, "m") == 0;
        tpi_play_blame_unit(
            checker, number, is_minutes ? "min" : tpi_play_dimension_unit(dimension),
            dimension == TPI_PLAY_PLAIN ? "leave it out: %s is needed here" : "%s is needed here",
            tpi_play_dimension_text(dimension));
    } else {
        tpi_play_blame(checker, node, "this is %s, %s is needed", tpi_play_dimension_text(found),
                       tpi_play_dimension_text(dimension));
    }
}

/* ---- Devices that are written ---- */

bool tpi_play_class_is(const tpi_vocabulary *vocabulary, const tpi_device_class *class,
                       const char *name)
{
    if (class == NULL) {
        return false;
    }
    if (strcmp(class->name, name) == 0) {
        return true;
    }
    for (unsigned i = 0; i < class->parent_count; i++) {
        if (tpi_play_class_is(vocabulary, tpi_vocabulary_class(vocabulary, class->parents[i]),
                              name)) {
            return true;
        }
    }
    return false;
}

/* What `set` does with a device: the first of these classes that it is. */
static const struct {
    const char *class;
    tpi_command number, truth, text; /* TPI_COMMANDS: it takes no text */
} writers[] = {
    {"Servo", TPI_WRITE_SERVO, TPI_WRITE_SERVO, TPI_COMMANDS},
    {"Motor", TPI_MOVE_POWER, TPI_MOVE_POWER, TPI_COMMANDS},
    {"Display", TPI_DISPLAY_VALUE, TPI_DISPLAY_VALUE, TPI_DISPLAY_STRING},
    {"Indicator", TPI_INDICATE_VALUE, TPI_INDICATE_TRIGGER, TPI_COMMANDS},
    {"PWM", TPI_WRITE_PWM, TPI_WRITE_DIGITAL, TPI_COMMANDS},
    {"Count_Output", TPI_WRITE_COUNT, TPI_WRITE_COUNT, TPI_COMMANDS},
    {"Digital_Output", TPI_WRITE_DIGITAL, TPI_WRITE_DIGITAL, TPI_COMMANDS},
    {"Output", TPI_WRITE_ANALOG, TPI_WRITE_DIGITAL, TPI_WRITE_STRING},
};

static unsigned writer_of(const tpi_play_checker *checker, const tpi_device_class *class)
{
    const unsigned last = sizeof writers / sizeof writers[0] - 1;
    unsigned i = 0;

    while (i < last && !tpi_play_class_is(checker->vocabulary, class, writers[i].class)) {
        i++;
    }
    return i;
}

/* The only device of the program that can be written, or run; NULL if there are none or several.
 */
static const tpi_play_symbol *only_output(const tpi_play_checker *checker, bool runs)
{
    const tpi_play_symbol *found = NULL;
    unsigned count = 0;

    for (const tpi_play_symbol *s = checker->names->first; s != NULL; s = s->next) {
        if (s->role == TPI_PLAY_DEVICE && s->class != NULL && s->class->is_output &&
            (!runs || tpi_play_class_is(checker->vocabulary, s->class, "Motor"))) {
            found = s;
            count++;
        }
    }
    return count == 1 ? found : NULL;
}

/* The device of `set` and `move`. */
static tpi_play_symbol *written(tpi_play_checker *checker, tpi_play_node *name, bool runs)
{
    tpi_play_symbol *device = tpi_play_need(checker, name, TPI_PLAY_DEVICE, "a device");

    if (device != NULL && device->class != NULL && !device->class->is_output) {
        const tpi_play_symbol *output = only_output(checker, runs);
        tpi_play_trouble *trouble =
            tpi_play_blame(checker, name, "this is a sensor, it cannot be written");
        snprintf(trouble->fix, sizeof trouble->fix, "%.70s", output != NULL ? output->name : "");
        return NULL;
    }
    return device;
}

void tpi_play_check_set(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_symbol *device = written(checker, node->slots[0], false);
    tpi_play_node *value = node->slots[1];

    if (value == NULL) {
        return;
    }
    tpi_play_check_expression(checker, value);
    if (device == NULL) {
        return;
    }
    const unsigned writer = writer_of(checker, device->class);
    const bool is_text = tpi_play_sort_of(value) == TPI_PLAY_TEXT_SORT;
    const bool takes_text = writers[writer].text != TPI_COMMANDS;
    const tpi_command command = is_text && takes_text ? writers[writer].text
                                : tpi_play_sort_of(value) == TPI_PLAY_TRUTH_SORT
                                    ? writers[writer].truth
                                    : writers[writer].number;
    node->slots[0]->reading = (uint8_t)command;
    tpi_play_use(device, command);
    if (!(is_text && takes_text) && command != TPI_WRITE_COUNT && command != TPI_DISPLAY_VALUE) {
        tpi_play_check_fits(checker, value,
                            command == TPI_WRITE_SERVO ? TPI_PLAY_ANGLE : TPI_PLAY_PERCENT);
    }
}

void tpi_play_check_move(tpi_play_checker *checker, tpi_play_node *node)
{
    tpi_play_symbol *device = written(checker, node->slots[0], true);

    if (device != NULL) {
        tpi_play_use(device, TPI_MOVE_POWER);
    }
    tpi_play_check_fits(checker, node->slots[1], TPI_PLAY_PERCENT);
}
