/*
 * setting.c - parameters in a driver section: each is checked by the unit that its driver declares.
 *
 * The unit of a parameter (troupe/driver.h) says what its values are: a text, yes or no, or
 * numbers. Lengths and angles are brought to metres and radians here, by the units of the file.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "server/inside.h"

static bool is_own_field(const char *name)
{
    return tpi_fields_find(&tpi_driver_section, name) != NULL;
}

const tp_param *tpi_setting_find(const tp_param *params, const char *name)
{
    while (params != NULL && params->name != NULL && strcmp(params->name, name) != 0) {
        params++;
    }
    return params != NULL && params->name != NULL ? params : NULL;
}

/* ---- Units ----------------------------------------------------------------------------------- */

/* A unit among those of a tuple; not ended by a NUL. */
struct unit {
    const char *name;
    size_t length;
};

/* The unit of the i-th value; the last one holds for the rest. */
static struct unit unit_at(const char *units, uint32_t i)
{
    struct unit unit = {units, strcspn(units, " ")};

    for (; i > 0 && unit.name[unit.length] == ' '; i--) {
        unit.name += unit.length + 1;
        unit.length = strcspn(unit.name, " ");
    }
    return unit;
}

static bool is_unit(const struct unit *unit, const char *name)
{
    return unit->length == strlen(name) && memcmp(unit->name, name, unit->length) == 0;
}

static bool is_secret(const tp_param *param)
{
    return param->unit != NULL && strcmp(param->unit, "secret") == 0;
}

bool tpi_setting_is_line(const tp_param *param)
{
    return param->unit != NULL && strcmp(param->unit, "line") == 0;
}

bool tpi_setting_is_text(const tp_param *param)
{
    return param->unit == NULL || is_secret(param) || tpi_setting_is_line(param);
}

static double scale_of(const tpi_cfg_section *section, const struct unit *unit)
{
    if (is_unit(unit, "m")) {
        return tpi_cfg_length_unit(section);
    }
    return is_unit(unit, "rad") ? tpi_cfg_angle_unit(section) : 1;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool read_word(const tpi_cfg_value *value, double *number)
{
    static const char *const words[] = {"no", "yes", "false", "true", "0", "1"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(value->text, words[i]) == 0) {
            *number = (double)(i % 2);
            return true;
        }
    }
    return false;
}

/* Quotes around a number do not make it a text. */
static bool read_number(const tpi_cfg_value *value, double *number)
{
    const size_t length = strlen(value->text);

    if (value->kind == TPI_CFG_STRING) {
        return length > 0 && tpi_number_read_f64(value->text, length, number) == length;
    }
    *number = value->number;
    return value->kind == TPI_CFG_NUMBER;
}

static tp_status read_value(const tpi_cfg_section *section, const tp_param *param, uint32_t i,
                            const tpi_cfg_value *value, tpi_setting_value *out, tp_error *err)
{
    const char *quote = value->kind == TPI_CFG_STRING ? "\"" : "";

    out->text = value->text;
    out->number = value->kind == TPI_CFG_STRING ? (double)NAN : value->number;
    if (tpi_setting_is_text(param)) {
        return TP_OK;
    }
    const struct unit unit = unit_at(param->unit, i);
    const bool flag = is_unit(&unit, "bool");
    if (flag ? !read_word(value, &out->number) : !read_number(value, &out->number)) {
        return tpi_cfg_fail(&value->place, err, "%s is %s, not %s%.40s%s", param->name,
                            flag ? "yes or no" : "a number", quote, value->text, quote);
    }
    out->number *= scale_of(section, &unit);
    return TP_OK;
}

tp_status tpi_setting_read(tp_server *server, tpi_cfg_section *section, const tp_param *param,
                           tpi_setting *out, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, param->name); /* marks it as used */
    tpi_setting_value *values =
        tpi_arena_array(&server->file->arena, field->value_count + 1, sizeof *values);
    tp_status status = TP_OK;

    if (values == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < field->value_count && status == TP_OK; i++) {
        status = read_value(section, param, i, &field->values[i], &values[i], err);
    }
    *out = (tpi_setting){param->name, values, field->value_count};
    if (status == TP_OK && is_secret(param) && field->value_count > 0) {
        tpi_access_note_public(server, field);
    }
    return status;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Numbers are compared as numbers, texts letter by letter. */
static bool same_values(const tpi_setting *a, const tpi_setting *b, bool numbers)
{
    for (uint32_t i = 0; i < a->value_count && a->value_count == b->value_count; i++) {
        const tpi_setting_value *x = &a->values[i];
        const tpi_setting_value *y = &b->values[i];
        if (numbers ? x->number != y->number : strcmp(x->text, y->text) != 0) {
            return false;
        }
    }
    return a->value_count == b->value_count;
}

static const tpi_setting *find_setting(const tpi_joined *section, const char *name)
{
    for (uint32_t i = 0; i < section->setting_count; i++) {
        if (strcmp(section->settings[i].name, name) == 0) {
            return &section->settings[i];
        }
    }
    return NULL;
}

bool tpi_settings_same(const tp_param *params, const tpi_joined *a, const tpi_joined *b)
{
    for (uint32_t i = 0; i < a->setting_count && a->setting_count == b->setting_count; i++) {
        const tpi_setting *mine = &a->settings[i];
        const tpi_setting *other = find_setting(b, mine->name);
        const tp_param *param = tpi_setting_find(params, mine->name);
        if (other == NULL ||
            !same_values(mine, other, param != NULL && !tpi_setting_is_text(param))) {
            return false;
        }
    }
    return a->setting_count == b->setting_count;
}

/* ---- Slips of the pen ------------------------------------------------------------------------ */

static bool has_same_letters(const char *a, const char *b)
{
    int count[UCHAR_MAX + 1] = {0};
    bool same = strlen(a) == strlen(b);

    for (size_t i = 0; same && a[i] != '\0'; i++) {
        count[(unsigned char)a[i]]++;
        count[(unsigned char)b[i]]--;
    }
    for (size_t i = 0; i <= UCHAR_MAX; i++) {
        same = same && count[i] == 0;
    }
    return same;
}

/* Nearer than what is good enough for a note: a parameter of another server's driver is not to be
 * taken for one of ours. */
static bool is_slip(const tpi_nearest *nearest)
{
    enum { LONG = 7 };

    return nearest->best != NULL && (nearest->distance <= (strlen(nearest->best) >= LONG ? 2 : 1) ||
                                     has_same_letters(nearest->word, nearest->best));
}

/* Without its first parameter such a section says nothing of what it is about. */
static bool lacks_its_subject(tp_server *server, tpi_cfg_section *section, const tp_driver *driver)
{
    return (driver->flags & TP_DRIVER_JOINS) != 0 && driver->params != NULL &&
           tpi_cfg_find(section, driver->params[0].name) == NULL &&
           tpi_join_find(server, section, driver) == NULL;
}

/* Safety or rights depend on it: a slip is an error, not a note. */
static bool is_careful(const tp_driver *driver, const char *name)
{
    const tp_param *param = tpi_setting_find(driver->params, name);

    return tpi_fields_have(&tpi_driver_section, name, FIELD_CAREFUL) ||
           tpi_fields_have(&tpi_top_section, name, FIELD_CAREFUL) ||
           (param != NULL && is_secret(param));
}

/* What stands in place of a missing name is a mistake, too; `missing` may be NULL. */
static tp_status check_field(const tpi_cfg_field *field, const tp_driver *driver,
                             const char *missing, tp_error *err)
{
    tpi_nearest nearest;

    if (is_own_field(field->name) || tpi_setting_find(driver->params, field->name) != NULL) {
        return TP_OK;
    }
    if (tpi_fields_have(&tpi_top_section, field->name, FIELD_CAREFUL)) {
        return tpi_cfg_fail(&field->place, err,
                            "\"%s\" stands at the top of the file, not in a driver section",
                            field->name);
    }
    tpi_nearest_init(&nearest, field->name);
    tpi_nearest_offer(&nearest, "key_file");
    tpi_fields_offer(&tpi_driver_section, &nearest);
    for (const tp_param *p = driver->params; p != NULL && p->name != NULL; p++) {
        tpi_nearest_offer(&nearest, p->name);
    }
    const bool replaces = missing != NULL && nearest.best == missing;
    return replaces || (is_slip(&nearest) && is_careful(driver, nearest.best))
               ? tpi_cfg_fail(&field->place, err, "there is no \"%.40s\"; did you mean \"%s\"?",
                              field->name, nearest.best)
               : TP_OK;
}

static tp_status check_section(const tpi_cfg_section *section, tp_error *err)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, section->type);
    tpi_nearest_offer(&nearest, "writer");
    return strcmp(section->type, "writer") != 0 && is_slip(&nearest)
               ? tpi_cfg_fail(&section->place, err,
                              "there is no \"%.40s\"; did you mean \"writer\"?", section->type)
               : TP_OK;
}

static tp_status check_slips(tp_server *server, tpi_cfg_section *section, const tp_driver *driver,
                             tp_error *err)
{
    const char *missing =
        lacks_its_subject(server, section, driver) ? driver->params[0].name : NULL;
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < section->field_count && status == TP_OK; i++) {
        status = check_field(&section->fields[i], driver, missing, err);
    }
    for (uint32_t i = 0; i < section->section_count && status == TP_OK; i++) {
        status = check_section(section->sections[i], err);
    }
    return status;
}

/* ---- Sections -------------------------------------------------------------------------------- */

/* What nobody uses is reported, with the nearest name that somebody would have used. */
static tp_status report_unused(tp_server *server, tpi_cfg_section *section, const tp_driver *driver,
                               tp_error *err)
{
    size_t count = 0;
    const char *own_names[TPI_MOST_FIELDS + 1];
    const size_t own = tpi_fields_names(&tpi_driver_section, own_names);

    while (driver->params != NULL && driver->params[count].name != NULL) {
        count++;
    }
    const char **known =
        tpi_arena_array(&server->file->arena, count + own + 1, sizeof(const char *));
    if (known == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < own; i++) {
        known[i] = own_names[i];
    }
    for (size_t i = 0; i < count; i++) {
        known[own + i] = driver->params[i].name;
    }
    tpi_cfg_report_unused(section, known, false, tpi_server_note, server);
    for (uint32_t i = 0; i < section->section_count; i++) {
        const char *type = section->sections[i]->type;
        if (strcmp(type, "geometry") != 0 && strcmp(type, "writer") != 0) { /* which tell it */
            tpi_cfg_report_unused(section->sections[i], known, true, tpi_server_note, server);
        }
    }
    return TP_OK;
}

static tp_status check_missing(tpi_cfg_section *section, const tp_driver *driver, tp_error *err)
{
    const tp_param *param = driver->params;

    for (; param != NULL && param->name != NULL; param++) {
        if (param->fallback == NULL && tpi_cfg_find(section, param->name) == NULL) {
            return tpi_cfg_fail(&section->place, err, "the driver %s needs \"%s\": %s",
                                driver->name, param->name, param->doc);
        }
    }
    return TP_OK;
}

tp_status tpi_settings_read(tp_server *server, tpi_cfg_section *section, tpi_blueprint *blueprint,
                            tp_error *err)
{
    tpi_setting *settings =
        tpi_arena_array(&server->file->arena, section->field_count + 1, sizeof *settings);
    tp_status status = check_slips(server, section, blueprint->driver, err);

    status = status == TP_OK ? check_missing(section, blueprint->driver, err) : status;
    if (settings == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < section->field_count && status == TP_OK; i++) {
        const tp_param *param =
            tpi_setting_find(blueprint->driver->params, section->fields[i].name);
        if (param != NULL) {
            status = tpi_setting_read(server, section, param, &settings[blueprint->setting_count++],
                                      err);
        }
    }
    blueprint->settings = settings;
    return status == TP_OK ? report_unused(server, section, blueprint->driver, err) : status;
}
