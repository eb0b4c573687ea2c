/* table.c - see table.h. */
#include "log/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* A walk over all columns of a type, with or without a value. */
struct walk {
    tpi_log_columns *columns;
    tpi_buf *path; /* of the field that is visited */
    const char *unit;
    /* A column. `at` is NULL where the value has nothing for it. */
    void (*visit)(struct walk *walk, const tp_field *field, const void *at);
    const tpi_log_locale *locale;
    const char *prefix;
    tpi_log_unit_of *unit_of; /* NULL for none */
    void *context;            /* of unit_of; borrowed */
    tpi_buf *out;
    bool widens; /* arrays are as long as in the value, and that is noted */
};

/* How many arrays of variable length a type has, with those of its parts. */
static unsigned arrays_of(const tp_struct *type)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];

        count += field->shape == TP_SHAPE_BOUNDED || field->shape == TP_SHAPE_POINTER;
        if (field->type == TP_TYPE_STRUCT) {
            count += arrays_of(field->of);
        }
    }
    return count;
}

static size_t size_of(const tp_field *field)
{
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 4, 8, 1};

    return field->type == TP_TYPE_STRUCT ? field->of->size : sizes[field->type];
}

/* The first element; NULL if there is none. */
static const char *elements(const tp_field *field, const void *value)
{
    const char *at = (const char *)value + field->offset;

    if (field->shape == TP_SHAPE_POINTER) {
        const char *behind;
        memcpy(&behind, at, sizeof behind);
        return behind;
    }
    return at;
}

static void walk_struct(struct walk *walk, const tp_struct *type, const void *value,
                        unsigned array);

/* One element of a field, at `at`, or what is missing. */
static void walk_element(struct walk *walk, const tp_field *field, const void *at, unsigned inner)
{
    const char *unit = walk->unit;

    if (field->type == TP_TYPE_STRUCT) {
        walk->unit = field->unit != NULL ? field->unit : unit;
        tpi_buf_putc(walk->path, '.');
        walk_struct(walk, field->of, at, inner);
        walk->unit = unit;
    } else {
        walk->visit(walk, field, at);
    }
}

/* All elements of a field. `inner` is the number of the first array within them. */
static void walk_field(struct walk *walk, const tp_field *field, const void *value,
                       uint32_t columns, unsigned inner)
{
    const uint32_t count = value == NULL ? 0 : tp_field_count(field, value);
    const char *first = value == NULL ? NULL : elements(field, value);
    const size_t length = walk->path->length;
    const bool text = field->type == TP_TYPE_CHAR && field->shape != TP_SHAPE_ONE;

    tpi_buf_puts(walk->path, field->name);
    if (text || field->shape == TP_SHAPE_ONE) {
        walk_element(walk, field, text ? value : first, inner);
    } else {
        for (uint32_t i = 0; i < columns; i++) {
            const size_t named = walk->path->length;

            tpi_buf_printf(walk->path, "[%" PRIu32 "]", i);
            walk_element(walk, field,
                         first != NULL && i < count ? first + i * size_of(field) : NULL, inner);
            walk->path->length = named;
        }
    }
    walk->path->length = length;
}

static void walk_struct(struct walk *walk, const tp_struct *type, const void *value, unsigned array)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        const bool varies = field->shape == TP_SHAPE_BOUNDED || field->shape == TP_SHAPE_POINTER;
        uint32_t columns = field->shape == TP_SHAPE_FIXED ? field->length : 1;

        if (varies && array < TPI_LOG_MOST_ARRAYS) {
            uint32_t *longest = &walk->columns->longest[array];
            const uint32_t count = value == NULL ? 0 : tp_field_count(field, value);

            if (walk->widens) {
                *longest = count > *longest ? count : *longest;
                columns = count;
            } else {
                columns = *longest;
            }
        } else if (varies) {
            columns = 0;
        }
        if (!field->is_count) {
            walk_field(walk, field, value, columns, array + varies);
        }
        array += varies;
        if (field->type == TP_TYPE_STRUCT) {
            array += arrays_of(field->of);
        }
    }
}

static void walk_all(struct walk *walk, const void *value)
{
    tpi_buf path = {0};

    walk->path = &path;
    if (walk->columns->type != NULL) {
        walk_struct(walk, walk->columns->type, value, 0);
    }
    tpi_buf_fini(&path);
}

/* ---- Columns --------------------------------------------------------------------------------- */

void tpi_log_columns_init(tpi_log_columns *columns, const tp_struct *type)
{
    *columns = (tpi_log_columns){.type = type};
}

static void visit_nothing(struct walk *walk, const tp_field *field, const void *at)
{
    (void)walk;
    (void)field;
    (void)at;
}

void tpi_log_columns_widen(tpi_log_columns *columns, const void *value)
{
    struct walk walk = {.columns = columns, .visit = visit_nothing, .widens = true};

    if (value != NULL) {
        walk_all(&walk, value);
    }
}

static void visit_count(struct walk *walk, const tp_field *field, const void *at)
{
    (void)field;
    (void)at;
    walk->columns->count++;
}

tp_status tpi_log_columns_end(tpi_log_columns *columns, tp_error *err)
{
    struct walk walk = {.columns = columns, .visit = visit_count};

    columns->count = 0;
    walk_all(&walk, NULL);
    return columns->count <= TPI_LOG_MOST_COLUMNS
               ? TP_OK
               : tp_fail(err, TP_E_LIMIT, "%zu columns, more than %d: too wide for a table",
                         columns->count, TPI_LOG_MOST_COLUMNS);
}

/* A text as a cell: in quotes where it has to be. */
static void put_cell(tpi_buf *out, const char *text, size_t length, char separator)
{
    const char special[] = {'"', '\n', '\r', separator, '\0'};
    bool quoted = false;

    for (size_t i = 0; i < length; i++) {
        quoted = quoted || strchr(special, text[i]) != NULL;
    }
    tpi_buf_puts(out, quoted ? "\"" : "");
    for (size_t i = 0; i < length; i++) {
        tpi_buf_puts(out, text[i] == '"' ? "\"" : "");
        tpi_buf_putc(out, text[i]);
    }
    tpi_buf_puts(out, quoted ? "\"" : "");
}

/* What .padi files give as the unit of numbers that have none. */
static const char *const plain_units[] = {"1", "bool", "byte", "count", "enum", "id", "raw", NULL};

static void visit_name(struct walk *walk, const tp_field *field, const void *at)
{
    tpi_buf name = {0};
    const char *own =
        walk->unit_of != NULL ? walk->unit_of(walk->context, tpi_buf_text(walk->path)) : NULL;
    const char *unit = walk->unit != NULL ? walk->unit : field->unit;

    (void)at;
    tpi_buf_printf(&name, "%s %s", walk->prefix, tpi_buf_text(walk->path));
    if (own != NULL && own[0] != '\0') {
        tpi_buf_printf(&name, " (%s)", own);
    } else if (walk->unit != NULL && walk->unit[0] == '/' && field->unit != NULL) {
        tpi_buf_printf(&name, " (%s%s)", field->unit, walk->unit);
    } else if (unit != NULL && !tpi_text_among(plain_units, unit)) {
        tpi_buf_printf(&name, " (%s)", unit);
    }
    tpi_buf_putc(walk->out, walk->locale->separator);
    put_cell(walk->out, tpi_buf_text(&name), name.length, walk->locale->separator);
    tpi_buf_fini(&name);
}

void tpi_log_columns_names(const tpi_log_columns *columns, const char *prefix,
                           const tpi_log_locale *locale, tpi_log_unit_of *unit_of, void *context,
                           tpi_buf *out)
{
    tpi_log_columns copy = *columns;
    struct walk walk = {.columns = &copy,
                        .visit = visit_name,
                        .prefix = prefix,
                        .locale = locale,
                        .unit_of = unit_of,
                        .context = context,
                        .out = out};

    walk_all(&walk, NULL);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* A number as text, with the point of the locale. */
static void put_number(tpi_buf *out, char *text, const tpi_log_locale *locale)
{
    char *point = strchr(text, '.');

    if (point != NULL) {
        *point = locale->point;
    }
    tpi_buf_puts(out, text);
}

/* An integer of any width. */
static int64_t integer_at(const tp_field *field, const void *at)
{
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        int64_t i64;
    } number;

    memcpy(&number, at, size_of(field));
    switch (field->type) {
    case TP_TYPE_U8:
        return number.u8;
    case TP_TYPE_I8:
        return number.i8;
    case TP_TYPE_U16:
        return number.u16;
    case TP_TYPE_I16:
        return number.i16;
    case TP_TYPE_U32:
        return number.u32;
    case TP_TYPE_I32:
        return number.i32;
    default:
        return number.i64;
    }
}

static void visit_value(struct walk *walk, const tp_field *field, const void *at)
{
    char digits[TPI_NUMBER_SIZE], empty[1] = ""; /* what is not a number is an empty cell */

    tpi_buf_putc(walk->out, walk->locale->separator);
    if (at == NULL) {
        return;
    }
    if (field->type == TP_TYPE_CHAR && field->shape != TP_SHAPE_ONE) {
        const char *text = elements(field, at); /* `at` is the struct */
        const size_t most = tp_field_count(field, at);

        if (text != NULL) {
            const char *end = memchr(text, '\0', most);
            put_cell(walk->out, text, end == NULL ? most : (size_t)(end - text),
                     walk->locale->separator);
        }
    } else if (field->type == TP_TYPE_F64) {
        double value;
        memcpy(&value, at, sizeof value);
        tpi_number_put_f64(digits, value);
        put_number(walk->out, isnan(value) ? empty : digits, walk->locale);
    } else if (field->type == TP_TYPE_F32) {
        float value;
        memcpy(&value, at, sizeof value);
        tpi_number_put_f32(digits, value);
        put_number(walk->out, isnan(value) ? empty : digits, walk->locale);
    } else if (field->type == TP_TYPE_CHAR) {
        put_cell(walk->out, at, 1, walk->locale->separator);
    } else {
        tpi_buf_printf(walk->out, "%" PRId64, integer_at(field, at));
    }
}

void tpi_log_columns_row(const tpi_log_columns *columns, const void *value,
                         const tpi_log_locale *locale, tpi_buf *out)
{
    if (value == NULL) {
        for (size_t i = 0; i < columns->count; i++) {
            tpi_buf_putc(out, locale->separator);
        }
    } else {
        tpi_log_columns copy = *columns;
        struct walk walk = {.columns = &copy, .visit = visit_value, .locale = locale, .out = out};

        walk_all(&walk, value);
    }
}
