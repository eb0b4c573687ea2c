/* field.c - see field.h. */
#include "log/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- Finding --------------------------------------------------------------------------------- */

static const tp_field *field_named(const tp_struct *type, const char *name, size_t length)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (strlen(type->fields[i].name) == length &&
            memcmp(type->fields[i].name, name, length) == 0) {
            return &type->fields[i];
        }
    }
    return NULL;
}

static tp_status unknown(const tp_struct *type, const char *name, size_t length, tp_error *err)
{
    char names[96] = "";
    size_t at = 0;

    for (uint32_t i = 0; i < type->field_count && at < sizeof names; i++) {
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i > 0 ? ", " : "",
                               type->fields[i].name);
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no \"%.*s\"; there is %s%s",
                   (int)(length > 24 ? 24 : length), name, names, at >= sizeof names ? " ..." : "");
}

/* "[3]" behind a name. False if it is something else. */
static bool take_index(const char **path, uint32_t *index)
{
    char *end = NULL;

    *index = 0;
    if (**path != '[') {
        return true;
    }
    if ((*path)[1] < '0' || (*path)[1] > '9') {
        return false;
    }
    const unsigned long long number = strtoull(*path + 1, &end, 10);
    *path = end + 1;
    *index = (uint32_t)number;
    return *end == ']' && number < UINT32_MAX;
}

/* A struct's unit divides those of its members, or takes their place. */
static void note_unit(tpi_log_field *out, const char *outer, const tp_field *field)
{
    static const char *const plain[] = {"1", "bool", "byte", "count", "enum", "id", "raw", NULL};
    const char *unit = field->unit == NULL ? "" : field->unit;

    if (outer != NULL && outer[0] == '/') {
        (void)snprintf(out->unit, sizeof out->unit, "%s%s", unit, outer);
    } else {
        unit = outer != NULL ? outer : unit;
        (void)snprintf(out->unit, sizeof out->unit, "%s", tpi_text_among(plain, unit) ? "" : unit);
    }
}

tp_status tpi_log_field_find(tpi_log_field *out, const tp_struct *type, const char *path,
                             tp_error *err)
{
    const char *outer = NULL;

    *out = (tpi_log_field){0};
    for (;;) {
        const size_t length = strcspn(path, ".[");
        const tp_field *field = field_named(type, path, length);

        if (field == NULL) {
            return unknown(type, path, length, err);
        }
        const char *rest = path + length;
        const bool array = field->shape != TP_SHAPE_ONE;
        uint32_t index = 0;
        if (!take_index(&rest, &index) || (path[length] == '[') != array) {
            return tp_fail(err, TP_E_INVALID, "\"%s\" %s", field->name,
                           array ? "is an array: write NAME[0]" : "is not an array");
        }
        if (field->shape == TP_SHAPE_FIXED && index >= field->length) {
            return tp_fail(err, TP_E_RANGE, "\"%s\" has %u elements", field->name,
                           (unsigned)field->length);
        }
        out->steps[out->depth].field = field;
        out->steps[out->depth++].index = index;
        if (field->type != TP_TYPE_STRUCT) {
            note_unit(out, outer, field);
            return field->type != TP_TYPE_CHAR && *rest == '\0'
                       ? TP_OK
                       : tp_fail(err, TP_E_INVALID, "\"%s\" is %s", field->name,
                                 *rest == '\0' ? "a text" : "a number, with nothing behind it");
        }
        if (*rest != '.' || out->depth == TPI_LOG_MOST_DEPTH) {
            return tp_fail(err, TP_E_INVALID, "\"%s\" is a struct: write %s.FIELD", field->name,
                           field->name);
        }
        outer = field->unit != NULL ? field->unit : outer;
        type = field->of;
        path = rest + 1;
    }
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static double number_at(const tp_field *field, const void *at)
{
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
    } n;
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 4, 8, 1};

    memcpy(&n, at, sizes[field->type]);
    switch (field->type) {
    case TP_TYPE_U8:
        return n.u8;
    case TP_TYPE_I8:
        return n.i8;
    case TP_TYPE_U16:
        return n.u16;
    case TP_TYPE_I16:
        return n.i16;
    case TP_TYPE_U32:
        return n.u32;
    case TP_TYPE_I32:
        return n.i32;
    case TP_TYPE_I64:
        return (double)n.i64;
    case TP_TYPE_F32:
        return (double)n.f32;
    default:
        return n.f64;
    }
}

static size_t size_of(const tp_field *field)
{
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 4, 8, 1};

    return field->type == TP_TYPE_STRUCT ? field->of->size : sizes[field->type];
}

bool tpi_log_field_number(const tpi_log_field *field, const void *value, double *number)
{
    const char *at = value;

    for (unsigned i = 0; i < field->depth && at != NULL; i++) {
        const tp_field *step = field->steps[i].field;
        const uint32_t index = field->steps[i].index;

        if (step->shape != TP_SHAPE_ONE && index >= tp_field_count(step, at)) {
            return false;
        }
        at += step->offset;
        if (step->shape == TP_SHAPE_POINTER) {
            memcpy(&at, at, sizeof at);
        }
        at = at == NULL ? NULL : at + index * size_of(step);
    }
    if (at == NULL || field->depth == 0) {
        return false;
    }
    *number = number_at(field->steps[field->depth - 1].field, at);
    return isfinite(*number);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static void list(const tp_struct *type, const char *prefix, tpi_buf *out)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        char path[160];

        (void)snprintf(path, sizeof path, "%s%s", prefix, field->name);
        if (field->shape != TP_SHAPE_ONE || field->is_count || field->type == TP_TYPE_CHAR) {
            continue;
        }
        if (field->type == TP_TYPE_STRUCT) {
            (void)snprintf(path, sizeof path, "%s%s.", prefix, field->name);
            list(field->of, path, out);
        } else {
            tpi_buf_printf(out, "%s\n", path);
        }
    }
}

void tpi_log_field_list(const tp_struct *type, tpi_buf *out)
{
    list(type, "", out);
}
