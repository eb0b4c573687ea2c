/* cfg_field.c - how fields are kept: found by name, added, overwritten value by value. The plug-ins
 * of a file add up. */
#include <string.h>

#include "convert/cfg_parser.h"

/* Sections with fewer fields are searched from end to end, others through the table. */
enum { MANY_FIELDS = 32 };

tpi_cfg_field *tpi_cfg_find_field(const struct tpi_cfg_parser *p, const tpi_cfg_section *section,
                                  const char *name)
{
    uint32_t at = 0;

    if (section->field_count >= MANY_FIELDS) {
        return tpi_cfg_table_get(&p->names, section, name, &at) ? &section->fields[at] : NULL;
    }
    while (at < section->field_count && strcmp(section->fields[at].name, name) != 0) {
        at++;
    }
    return at < section->field_count ? &section->fields[at] : NULL;
}

/* Enter the last field into the table; the first time, all of them. */
static tp_status index_field(struct tpi_cfg_parser *p, const tpi_cfg_section *section)
{
    const uint32_t count = section->field_count;

    if (count < MANY_FIELDS) {
        return TP_OK;
    }
    for (uint32_t i = count == MANY_FIELDS ? 0 : count - 1; i < count; i++) {
        if (!tpi_cfg_table_add(&p->names, section, section->fields[i].name, i)) {
            return tpi_cfg_no_memory(p);
        }
    }
    return TP_OK;
}

static tp_status add_field(struct tpi_cfg_parser *p, tpi_cfg_section *section,
                           const tpi_cfg_field *field)
{
    tpi_cfg_field *fields =
        tpi_cfg_grow(p, section->fields, section->field_count, sizeof fields[0]);

    if (fields == NULL) {
        return TP_E_NOMEM;
    }
    fields[section->field_count++] = *field;
    section->fields = fields;
    return index_field(p, section);
}

/* Values that a macro's template shares are copied before they change. */
static tp_status own_values(struct tpi_cfg_parser *p, tpi_cfg_field *field)
{
    tpi_cfg_value *values =
        tpi_arena_array(&p->cfg->arena, field->value_count, sizeof field->values[0]);

    if (values == NULL) {
        return tpi_cfg_no_memory(p);
    }
    memcpy(values, field->values, field->value_count * sizeof values[0]);
    field->values = values;
    return tpi_cfg_count_expanded(p, &field->place, field->value_count);
}

static tp_status overwrite(struct tpi_cfg_parser *p, tpi_cfg_field *old, const tpi_cfg_field *field,
                           bool shared)
{
    tp_status status = TP_OK;

    old->name = field->name;
    old->place = field->place;
    old->tuple = field->tuple || (old->tuple && p->options.dialect == TPI_CFG_PLAYER);
    if (field->value_count >= old->value_count || p->options.dialect == TPI_CFG_STAGE) {
        old->values = field->values;
        old->value_count = field->value_count;
        return TP_OK;
    }
    if (shared) {
        status = own_values(p, old);
    }
    if (status == TP_OK && field->value_count > 0) {
        memcpy(old->values, field->values, field->value_count * sizeof old->values[0]);
    }
    return status;
}

bool tpi_cfg_adds_up(const struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                     const char *name)
{
    return scope->section == &p->cfg->root && strcmp(name, "plugin") == 0;
}

/* Put the values behind those that are there. Such a field's array is one of tpi_cfg_grow(). */
static tp_status append(struct tpi_cfg_parser *p, tpi_cfg_field *old, const tpi_cfg_field *field)
{
    for (uint32_t i = 0; i < field->value_count; i++) {
        tpi_cfg_value *values = tpi_cfg_grow(p, old->values, old->value_count, sizeof values[0]);
        if (values == NULL) {
            return TP_E_NOMEM;
        }
        values[old->value_count++] = field->values[i];
        old->values = values;
    }
    old->tuple = old->tuple || field->tuple || old->value_count > 1;
    return TP_OK;
}

static tp_status add_up(struct tpi_cfg_parser *p, tpi_cfg_section *section,
                        const tpi_cfg_field *field)
{
    const tpi_cfg_field empty = {.name = field->name, .place = field->place};
    tpi_cfg_field *old = tpi_cfg_find_field(p, section, field->name);
    tp_status status = old == NULL ? add_field(p, section, &empty) : TP_OK;

    return status == TP_OK ? append(p, tpi_cfg_find_field(p, section, field->name), field) : status;
}

tp_status tpi_cfg_set_field(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                            const tpi_cfg_field *field)
{
    tpi_cfg_field *old = tpi_cfg_find_field(p, scope->section, field->name);

    if (tpi_cfg_adds_up(p, scope, field->name)) {
        return add_up(p, scope->section, field);
    }
    if (old == NULL) {
        return add_field(p, scope->section, field);
    }
    return overwrite(p, old, field, old - scope->section->fields < (ptrdiff_t)scope->own_from);
}
