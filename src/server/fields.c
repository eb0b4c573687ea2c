/* fields.c - walking the tables of configuration fields; see fields.h. */
#include "server/fields.h"

#include <assert.h>
#include <string.h>

const struct section_field *tpi_fields_find(const struct section_kind *kind, const char *name)
{
    const struct section_field *field = kind->fields;

    while (field->name != NULL && strcmp(field->name, name) != 0) {
        field++;
    }
    return field->name != NULL ? field : NULL;
}

bool tpi_fields_have(const struct section_kind *kind, const char *name, unsigned flag)
{
    const struct section_field *field = tpi_fields_find(kind, name);

    return field != NULL && (field->flags & flag) != 0;
}

tp_status tpi_fields_read(const struct section_kind *kind, const struct reading *reading,
                          void *into, tp_error *err)
{
    tp_status status = TP_OK;

    for (const struct section_field *field = kind->fields; field->name != NULL && status == TP_OK;
         field++) {
        status = field->read != NULL ? field->read(reading, into, err) : TP_OK;
    }
    return status;
}

bool tpi_fields_same(const struct section_kind *kind, const void *a, const void *b)
{
    bool same = true;

    for (const struct section_field *field = kind->fields; field->name != NULL && same; field++) {
        same = field->same == NULL || field->same(a, b);
    }
    return same;
}

void tpi_fields_offer(const struct section_kind *kind, tpi_nearest *nearest)
{
    for (const struct section_field *field = kind->fields; field->name != NULL; field++) {
        tpi_nearest_offer(nearest, field->name);
    }
}

size_t tpi_fields_names(const struct section_kind *kind, const char *names[TPI_MOST_FIELDS + 1])
{
    size_t count = 0;

    for (const struct section_field *field = kind->fields; field->name != NULL; field++) {
        assert(count < TPI_MOST_FIELDS);
        names[count++] = field->name;
    }
    names[count] = NULL;
    return count;
}

bool tpi_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool tpi_fields_same_text(tpi_cfg_section *a, tpi_cfg_section *b, const char *name)
{
    const tpi_cfg_field *x = a == NULL ? NULL : tpi_cfg_find(a, name);
    const tpi_cfg_field *y = b == NULL ? NULL : tpi_cfg_find(b, name);

    if (x == NULL || y == NULL) {
        return x == y;
    }
    for (uint32_t i = 0; i < x->value_count && x->value_count == y->value_count; i++) {
        if (strcmp(x->values[i].text, y->values[i].text) != 0) {
            return false;
        }
    }
    return x->value_count == y->value_count;
}

tp_status tpi_section_read_panic(tpi_cfg_section *section, bool *given, tp_halt *action,
                                 tp_error *err)
{
    static const char *const actions[] = {
        [TP_HALT_BRAKE] = "brake", [TP_HALT_HOLD] = "hold", [TP_HALT_FINISH] = "finish"};
    const char *word = NULL;
    tp_status status = tpi_cfg_string(section, "panic", NULL, &word, err);

    *given = word != NULL;
    if (status != TP_OK || word == NULL) {
        return status;
    }
    for (unsigned i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i], word) == 0) {
            *action = (tp_halt)i;
            return TP_OK;
        }
    }
    return tpi_cfg_fail(&tpi_cfg_find(section, "panic")->place, err,
                        "panic is \"brake\", \"hold\" or \"finish\", not \"%s\"", word);
}
