/* read.c - single properties of a world file; see type.h and world.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "convert/cfg_number.h"
#include "sim/world/colour.h"
#include "sim/world/world.h"

void tpi_sim_note(const struct sim_reader *reader, const tpi_cfg_place *place, const char *format,
                  ...)
{
    tpi_buf text = {0}; /* lists in notes grow, so that no fixed size is enough */
    va_list args;

    if (reader->note == NULL) {
        return;
    }
    tpi_buf_printf(&text, "%s:%u:%u: ", place->file, place->line, place->column);
    va_start(args, format);
    tpi_buf_vprintf(&text, format, args);
    va_end(args);
    reader->note(reader->context, text.failed ? "out of memory" : tpi_buf_text(&text));
    tpi_buf_fini(&text);
}

void tpi_sim_note_surplus(const struct sim_reader *reader, const tpi_cfg_field *field,
                          uint32_t wanted)
{
    if (field != NULL && field->value_count > wanted) {
        tpi_sim_note(reader, &field->values[wanted].place,
                     "\"%.40s\" takes %u value%s, not %u; the rest is ignored", field->name, wanted,
                     wanted == 1 ? "" : "s", field->value_count);
    }
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static double worth(const struct sim_reader *reader, char unit)
{
    switch (unit) {
    case 'L':
        return reader->metre;
    case 'A':
        return reader->radian;
    default:
        return 1;
    }
}

/* A number, with or without quotes: Stage makes no difference. */
static bool is_number(const struct sim_reader *reader, const tpi_cfg_field *field, uint32_t i,
                      double *number)
{
    const tpi_cfg_value *value = &field->values[i];

    if (value->kind == TPI_CFG_STRING &&
        tpi_cfg_number_read(value->text, number) == TPI_CFG_DECIMAL) {
        tpi_sim_note(reader, &value->place, "\"%.40s\" takes numbers; \"%.40s\" is taken for one",
                     field->name, value->text);
        return true;
    }
    *number = value->number;
    return value->kind == TPI_CFG_NUMBER;
}

tp_status tpi_sim_read_tuple(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                             const char *units, uint32_t least, double *values)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, name);
    const uint32_t wanted = (uint32_t)strlen(units);
    double number;

    if (field == NULL) {
        return TP_OK;
    }
    for (uint32_t i = 0; i < wanted && i < field->value_count; i++) {
        if (!is_number(reader, field, i, &number)) {
            const char *quote = field->values[i].kind == TPI_CFG_STRING ? "\"" : "";
            return tpi_cfg_fail(&field->values[i].place, reader->err,
                                "\"%s\" takes numbers, not %s%.40s%s", name, quote,
                                field->values[i].text, quote);
        }
        if (field->value_count >= least) {
            values[i] = number * worth(reader, units[i]);
        }
    }
    if (field->value_count < least) {
        return tpi_cfg_fail(&field->place, reader->err, "\"%s\" needs %u value%s, not %u", name,
                            least, least == 1 ? "" : "s", field->value_count);
    }
    tpi_sim_note_surplus(reader, field, wanted);
    return TP_OK;
}

tp_status tpi_sim_read_number(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                              char unit, double *value)
{
    const char units[] = {unit, '\0'};

    return tpi_sim_read_tuple(reader, section, name, units, 1, value);
}

/* What is behind the point is cut off. */
static void tell_fraction(const struct sim_reader *reader, tpi_cfg_section *section,
                          const char *name, double number)
{
    if (number != trunc(number)) {
        tpi_sim_note(reader, &tpi_cfg_find(section, name)->values[0].place,
                     "\"%s\" is a whole number; %.15g becomes %.15g", name, number, trunc(number));
    }
}

tp_status tpi_sim_read_count(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                             uint32_t most, uint32_t *value)
{
    double number = *value;
    tp_status status = tpi_sim_read_number(reader, section, name, 'F', &number);

    if (status == TP_OK && !(number >= 0 && number <= most)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, name)->place, reader->err,
                            "\"%s\" is from 0 to %u, not %.15g", name, most, number);
    }
    if (status == TP_OK) {
        tell_fraction(reader, section, name, number);
    }
    *value = status == TP_OK ? (uint32_t)number : *value;
    return status;
}

tp_status tpi_sim_read_within(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                              char unit, double least, double most, double *value)
{
    tp_status status = tpi_sim_read_number(reader, section, name, unit, value);

    if (status == TP_OK && !(*value >= least && *value <= most)) {
        const double worth = unit == 'A' ? reader->radian : unit == 'L' ? reader->metre : 1;
        return tpi_cfg_fail(&tpi_cfg_find(section, name)->place, reader->err,
                            "\"%s\" is from %.6g to %.6g, not %.6g", name, least / worth,
                            most / worth, *value / worth);
    }
    return status;
}

const char *tpi_sim_indexed(tpi_cfg_section *section, const char *name, uint32_t index,
                            char out[32])
{
    snprintf(out, 32, "%s[%u]", name, index);
    return tpi_cfg_find(section, out) != NULL ? out : name;
}

tp_status tpi_sim_read_int(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                           int32_t *value)
{
    double number = *value;
    tp_status status = tpi_sim_read_number(reader, section, name, 'F', &number);

    if (status == TP_OK && !(fabs(number) <= INT32_MAX)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, name)->place, reader->err,
                            "\"%s\" is too large: %.15g", name, number);
    }
    if (status == TP_OK) {
        tell_fraction(reader, section, name, number);
    }
    *value = status == TP_OK ? (int32_t)number : *value;
    return status;
}

/* Files say 1 and 0; yes and no are as good. */
tp_status tpi_sim_read_flag(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                            bool *flag)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, name);
    double number;

    tpi_sim_note_surplus(reader, field, 1);
    if (field != NULL && field->value_count > 0 && is_number(reader, field, 0, &number)) {
        *flag = number != 0;
        if (number != 0 && number != 1) {
            tpi_sim_note(reader, &field->values[0].place, "\"%s\" is 0 or 1; %.6g counts as 1",
                         name, number);
        }
        return TP_OK;
    }
    return tpi_cfg_bool(section, name, *flag, flag, reader->err);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

tp_status tpi_sim_read_text(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                            const char **text)
{
    tpi_sim_note_surplus(reader, tpi_cfg_find(section, name), 1);
    return tpi_cfg_string(section, name, NULL, text, reader->err);
}

/* "diff", "omni" or "car" */
static void put_choice(tpi_buf *out, const char *const *words)
{
    for (uint32_t i = 0; words[i] != NULL; i++) {
        const char *before = i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ";
        tpi_buf_printf(out, "%s\"%s\"", before, words[i]);
    }
}

tp_status tpi_sim_read_word(struct sim_reader *reader, const tpi_cfg_field *field, uint32_t at,
                            const char *const *words, uint32_t *index)
{
    const tpi_cfg_value *value =
        field == NULL || at >= field->value_count ? NULL : &field->values[at];
    tpi_nearest nearest;
    tpi_buf choice = {0};
    char hint[96];

    if (value == NULL && (field == NULL || field->value_count > 0)) {
        return TP_OK;
    }
    tpi_nearest_init(&nearest, value == NULL ? "" : value->text);
    for (uint32_t i = 0; words[i] != NULL; i++) {
        if (value != NULL && strcmp(words[i], value->text) == 0) {
            *index = i;
            return TP_OK;
        }
        tpi_nearest_offer(&nearest, words[i]);
    }
    put_choice(&choice, words);
    tpi_cfg_fail(value == NULL ? &field->place : &value->place, reader->err,
                 "\"%s\" is %s, not %s%.40s%s%s", field->name, tpi_buf_text(&choice),
                 value == NULL ? "an empty tuple" : "\"", value == NULL ? "" : value->text,
                 value == NULL ? "" : "\"", tpi_nearest_hint(&nearest, hint, sizeof hint));
    tpi_buf_fini(&choice);
    return TP_E_SYNTAX;
}

tp_status tpi_sim_read_choice(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                              const char *const *words, uint32_t *index)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, name);

    tpi_sim_note_surplus(reader, field, 1);
    return tpi_sim_read_word(reader, field, 0, words, index);
}

void tpi_sim_name_colour(const struct sim_reader *reader, const tpi_cfg_place *place,
                         const char *name, uint32_t *colour)
{
    if (tpi_sim_colour_find(name, colour)) {
        return;
    }
    const char *guess = tpi_sim_colour_guess(name);
    tpi_sim_note(reader, place, "there is no colour \"%.40s\"%s%s%s; it becomes red", name,
                 guess == NULL ? "" : " (did you mean \"", guess == NULL ? "" : guess,
                 guess == NULL ? "" : "\"?)");
    *colour = 0xff0000ff;
}

tp_status tpi_sim_read_colour(struct sim_reader *reader, tpi_cfg_section *section, uint32_t *colour,
                              bool *random)
{
    double rgba[4] = {NAN, 0, 0, 1};
    const char *name = NULL;
    tp_status status = tpi_sim_read_tuple(reader, section, "color_rgba", "FFFF", 3, rgba);

    if (status == TP_OK) {
        status = tpi_sim_read_text(reader, section, "color", &name);
    }
    if (status != TP_OK) {
        return status;
    }
    for (int i = 0; i < 4 && !isnan(rgba[0]); i++) {
        if (!(rgba[i] >= 0 && rgba[i] <= 1)) {
            tpi_sim_note(reader, &tpi_cfg_find(section, "color_rgba")->values[i].place,
                         "\"color_rgba\" is from 0 to 1, not %.6g", rgba[i]);
        }
    }
    if (!isnan(rgba[0])) {
        *colour = tpi_sim_colour_of(rgba[0], rgba[1], rgba[2], rgba[3]);
    }
    *random = name != NULL && strcmp(name, "random") == 0;
    if (name != NULL && !*random) {
        tpi_sim_name_colour(reader, &tpi_cfg_find(section, "color")->place, name, colour);
    }
    return TP_OK;
}

/* ---- Poses and sizes ------------------------------------------------------------------------- */

tp_status tpi_sim_read_pose(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                            tpi_sim_pose *pose)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, name);
    double values[4] = {pose->x, pose->y, pose->z, pose->a};
    tp_status status;

    if (field != NULL && field->value_count == 3) {
        tpi_sim_note(reader, &field->place,
                     "\"%s\" has three values, as in old files: x, y and heading", name);
        status = tpi_sim_read_tuple(reader, section, name, "LLA", 3, values);
        values[3] = values[2];
        values[2] = pose->z;
    } else {
        status = tpi_sim_read_tuple(reader, section, name, "LLLA", 4, values);
    }
    if (status == TP_OK) {
        *pose = (tpi_sim_pose){values[0], values[1], values[2], values[3]};
    }
    return status;
}

tp_status tpi_sim_read_size(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                            double size[3])
{
    const tpi_cfg_field *field = tpi_cfg_find(section, name);

    if (field != NULL && field->value_count == 2) {
        tpi_sim_note(reader, &field->place,
                     "\"%s\" has two values, as in old files; the height stays %.3g m", name,
                     size[2]);
        return tpi_sim_read_tuple(reader, section, name, "LL", 2, size);
    }
    return tpi_sim_read_tuple(reader, section, name, "LLL", 3, size);
}
