/* cfg_read.c - reading the fields of a configuration file, and telling of those that nobody read.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "convert/cfg_parser.h"

/* ---- Failing --------------------------------------------------------------------------------- */

static tp_status fail_with(const tpi_cfg_place *place, tp_status code, tp_error *err,
                           const char *format, va_list args)
{
    char reason[sizeof err->text];

    vsnprintf(reason, sizeof reason, format, args);
    return tp_fail(err, code, "%s:%u:%u: %s", place->file, place->line, place->column, reason);
}

tp_status tpi_cfg_fail(const tpi_cfg_place *place, tp_error *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tp_status status = fail_with(place, TP_E_SYNTAX, err, format, args);
    va_end(args);
    return status;
}

tp_status tpi_cfg_fail_as(const tpi_cfg_place *place, tp_status code, tp_error *err,
                          const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tp_status status = fail_with(place, code, err, format, args);
    va_end(args);
    return status;
}

/* "NAME" takes WHAT, not VALUE. */
static tp_status wrong_kind(const char *name, const tpi_cfg_value *value, const char *what,
                            tp_error *err)
{
    const char *quote = value->kind == TPI_CFG_STRING ? "\"" : "";

    return tpi_cfg_fail(&value->place, err, "\"%.40s\" takes %s, not %s%.40s%s", name, what, quote,
                        value->text, quote);
}

/* ---- Fields and their first values ----------------------------------------------------------- */

static tpi_cfg_field *find(const tpi_cfg_section *section, const char *name)
{
    for (uint32_t i = 0; i < section->field_count; i++) {
        if (strcmp(section->fields[i].name, name) == 0) {
            return &section->fields[i];
        }
    }
    return NULL;
}

const tpi_cfg_field *tpi_cfg_find(tpi_cfg_section *section, const char *name)
{
    tpi_cfg_field *field = find(section, name);

    if (field != NULL) {
        field->used = true;
    }
    return field;
}

/* The first value of a field; NULL if the field is absent. */
static tp_status first_value(tpi_cfg_section *section, const char *name, const char *what,
                             const tpi_cfg_value **value, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, name);

    *value = NULL;
    if (field == NULL) {
        return TP_OK;
    }
    if (field->value_count == 0) {
        return tpi_cfg_fail(&field->place, err, "\"%.40s\" takes %s, not an empty tuple", name,
                            what);
    }
    *value = &field->values[0];
    return TP_OK;
}

tp_status tpi_cfg_string(tpi_cfg_section *section, const char *name, const char *fallback,
                         const char **value, tp_error *err)
{
    const char *what = "a text in quotes";
    const tpi_cfg_value *first;
    tp_status status = first_value(section, name, what, &first, err);

    if (status != TP_OK) {
        return status;
    }
    if (first != NULL && first->kind != TPI_CFG_STRING) {
        return wrong_kind(name, first, what, err);
    }
    *value = first == NULL ? fallback : first->text;
    return TP_OK;
}

tp_status tpi_cfg_number(tpi_cfg_section *section, const char *name, double fallback, double *value,
                         tp_error *err)
{
    const char *what = "a number";
    const tpi_cfg_value *first;
    tp_status status = first_value(section, name, what, &first, err);

    if (status != TP_OK) {
        return status;
    }
    if (first != NULL && first->kind != TPI_CFG_NUMBER) {
        return wrong_kind(name, first, what, err);
    }
    *value = first == NULL ? fallback : first->number;
    return TP_OK;
}

/* 5, 5.0, 0x5 and 5e0 are whole; from 2^53 on only decimal digits say exactly what is meant. */
static bool read_whole(const tpi_cfg_value *value, int64_t *whole)
{
    const char *text = value->text[0] == '+' ? value->text + 1 : value->text;

    if (value->kind != TPI_CFG_NUMBER) {
        return false;
    }
    if (tpi_number_read_i64(text, strlen(text), whole)) {
        return true;
    }
    if (fabs(value->number) >= 9007199254740992.0 || value->number != trunc(value->number)) {
        return false;
    }
    *whole = (int64_t)value->number;
    return true;
}

tp_status tpi_cfg_integer(tpi_cfg_section *section, const char *name, int64_t fallback,
                          int64_t *value, tp_error *err)
{
    const char *what = "a whole number";
    const tpi_cfg_value *first;
    tp_status status = first_value(section, name, what, &first, err);

    if (status != TP_OK) {
        return status;
    }
    if (first == NULL) {
        *value = fallback;
        return TP_OK;
    }
    return read_whole(first, value) ? TP_OK : wrong_kind(name, first, what, err);
}

/* Whether the value means yes (1) or no (0); -1 for neither. */
static int truth(const tpi_cfg_value *value)
{
    if (value->kind == TPI_CFG_STRING) {
        if (strcmp(value->text, "yes") == 0 || strcmp(value->text, "true") == 0) {
            return 1;
        }
        return strcmp(value->text, "no") == 0 || strcmp(value->text, "false") == 0 ? 0 : -1;
    }
    if (value->number == 1) {
        return 1;
    }
    return value->number == 0 ? 0 : -1;
}

tp_status tpi_cfg_bool(tpi_cfg_section *section, const char *name, bool fallback, bool *value,
                       tp_error *err)
{
    const char *what = "yes or no";
    const tpi_cfg_value *first;
    tp_status status = first_value(section, name, what, &first, err);

    if (status != TP_OK) {
        return status;
    }
    if (first != NULL && truth(first) < 0) {
        return wrong_kind(name, first, what, err);
    }
    *value = first == NULL ? fallback : truth(first) == 1;
    return TP_OK;
}

/* ---- Units ----------------------------------------------------------------------------------- */

struct unit {
    const char *name; /* NULL ends the list */
    double worth;
};

/* The first one holds where the file names none. */
static const struct unit lengths[] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {NULL, 0}};
static const struct unit angles[] = {
    {"degrees", 3.14159265358979323846 / 180}, {"radians", 1}, {NULL, 0}};

static const struct unit *find_unit(const struct unit *units, const char *name)
{
    while (units->name != NULL && strcmp(units->name, name) != 0) {
        units++;
    }
    return units->name == NULL ? NULL : units;
}

static tp_status check_unit(tpi_cfg_section *root, const char *field, const struct unit *units,
                            const char *what, tp_error *err)
{
    const char *name = units->name;
    tp_status status = tpi_cfg_string(root, field, units->name, &name, err);

    if (status == TP_OK && find_unit(units, name) == NULL) {
        return wrong_kind(field, &find(root, field)->values[0], what, err);
    }
    return status;
}

tp_status tpi_cfg_check_units(tpi_cfg_section *root, tp_error *err)
{
    tp_status status = check_unit(root, "unit_length", lengths, "\"m\", \"cm\" or \"mm\"", err);

    return status != TP_OK
               ? status
               : check_unit(root, "unit_angle", angles, "\"degrees\" or \"radians\"", err);
}

/* The parser has checked the units. */
static double unit_worth(const tpi_cfg_section *section, const char *name, const struct unit *units)
{
    while (section->parent != NULL) {
        section = section->parent;
    }
    const tpi_cfg_field *field = find(section, name);
    return field == NULL ? units->worth : find_unit(units, field->values[0].text)->worth;
}

double tpi_cfg_length_unit(const tpi_cfg_section *section)
{
    return unit_worth(section, "unit_length", lengths);
}

double tpi_cfg_angle_unit(const tpi_cfg_section *section)
{
    return unit_worth(section, "unit_angle", angles);
}

static tp_status scaled(tpi_cfg_section *section, const char *name, double unit, double fallback,
                        double *value, tp_error *err)
{
    tp_status status = tpi_cfg_number(section, name, fallback, value, err);

    if (status == TP_OK && find(section, name) != NULL) {
        *value *= unit;
    }
    return status;
}

tp_status tpi_cfg_length(tpi_cfg_section *section, const char *name, double fallback, double *value,
                         tp_error *err)
{
    return scaled(section, name, tpi_cfg_length_unit(section), fallback, value, err);
}

tp_status tpi_cfg_angle(tpi_cfg_section *section, const char *name, double fallback, double *value,
                        tp_error *err)
{
    return scaled(section, name, tpi_cfg_angle_unit(section), fallback, value, err);
}

/* ---- File names ------------------------------------------------------------------------------ */

tp_status tpi_cfg_path(const tpi_cfg_value *value, char **path, tp_error *err)
{
    const char *file = value->place.file;
    const char *name = value->text;
    const char *slash = strrchr(file, '/');
    size_t folder = slash == NULL || name[0] == '/' ? 0 : (size_t)(slash - file) + 1;

    if (value->kind != TPI_CFG_STRING) {
        return tpi_cfg_fail(&value->place, err, "expected the name of a file in quotes, not %.40s",
                            name);
    }
    if (name[0] == '\0') {
        return tpi_cfg_fail(&value->place, err, "the name of the file is empty");
    }
    if (folder == 0 && strcmp(name, "-") == 0) {
        file = "./"; /* a file of this name, not standard input */
        folder = 2;
    }
    *path = malloc(folder + strlen(name) + 1);
    if (*path == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", value->place.file);
    }
    memcpy(*path, file, folder);
    memcpy(*path + folder, name, strlen(name) + 1);
    return TP_OK;
}

/* ---- What nobody read ------------------------------------------------------------------------ */

struct report {
    const char *const *known;
    bool deep;
    tpi_cfg_note *note;
    void *context;
    tpi_cfg_table told; /* uses of one macro share its fields' names: each is reported once */
};

static void report_field(struct report *report, const tpi_cfg_field *field)
{
    char hint[96];
    tp_error text;
    tpi_nearest nearest;

    if (tpi_cfg_table_get(&report->told, field->name, field->name, NULL)) {
        return;
    }
    /* without memory it is reported again, which does no harm */
    tpi_cfg_table_add(&report->told, field->name, field->name, 0);
    tpi_nearest_init(&nearest, field->name);
    tpi_nearest_offer(&nearest, "include"); /* a statement, whose word was misspelt */
    for (const char *const *name = report->known; name != NULL && *name != NULL; name++) {
        tpi_nearest_offer(&nearest, *name);
    }
    if (nearest.best != NULL && strcmp(nearest.best, field->name) == 0) {
        nearest.best = NULL; /* it is known elsewhere */
    }
    tpi_cfg_fail(&field->place, &text, "\"%.40s\" is not used%s", field->name,
                 tpi_nearest_hint(&nearest, hint, sizeof hint));
    report->note(report->context, text.text);
}

static void report_section(struct report *report, const tpi_cfg_section *section)
{
    for (uint32_t i = 0; i < section->field_count; i++) {
        if (!section->fields[i].used) {
            report_field(report, &section->fields[i]);
        }
    }
    for (uint32_t i = 0; i < section->section_count && report->deep; i++) {
        report_section(report, section->sections[i]);
    }
}

void tpi_cfg_report_unused(tpi_cfg_section *section, const char *const *known, bool deep,
                           tpi_cfg_note *note, void *context)
{
    struct report report = {.known = known, .deep = deep, .note = note, .context = context};

    if (note != NULL) {
        report_section(&report, section);
    }
    tpi_cfg_table_fini(&report.told);
}
