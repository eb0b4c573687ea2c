/* print.c - values for people: one line, or a block with units and the names of enums. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "padi/plan.h"
#include "padi/value.h"

enum { INDENT = 2, MOST_ON_A_LINE = 12, MOST_BYTES = 96, SOME_BYTES = 12 };

static const char *member_name(const tp_enum *values, int64_t value)
{
    for (uint32_t i = 0; i < values->member_count; i++) {
        if (values->members[i].value == value) {
            return values->members[i].name;
        }
    }
    return NULL;
}

/* How a value is written: on one line, or as a block with units and the names of enums. */
struct printer {
    tpi_buf *out;
    bool block;
};

/* What the structs around a member do to its unit, from the inside outwards. */
struct around {
    const char *unit; /* "/s", "/s^2" or another unit */
    const struct around *next;
};

static void new_line(const struct printer *p, size_t indent)
{
    tpi_buf_putc(p->out, '\n');
    tpi_buf_indent(p->out, indent);
}

/* ---- Names of numbers ------------------------------------------------------------------------ */

/* " (VOLTS+PERCENT+64)": the names of the bits, and those that have none. */
static void put_flags(tpi_buf *out, const tp_enum *values, int64_t value)
{
    const char *glue = " (";
    int64_t rest = value;

    for (uint32_t i = 0; i < values->member_count; i++) {
        const int64_t bits = values->members[i].value;
        if (bits != 0 && (value & bits) == bits) {
            tpi_buf_printf(out, "%s%s", glue, values->members[i].name);
            glue = "+";
            rest &= ~bits;
        }
    }
    if (rest != 0 && rest != value) {
        tpi_buf_printf(out, "+%lld", (long long)rest);
    } else if (rest != 0) {
        tpi_buf_puts(out, " (?");
    }
    tpi_buf_puts(out, value != 0 ? ")" : "");
}

/* " (OPEN)" or " (VOLTS+PERCENT)" behind a number. */
static void put_meaning(tpi_buf *out, const tp_enum *values, int64_t value)
{
    const char *name = member_name(values, value);

    if (name == NULL && values->flags) {
        put_flags(out, values, value);
    } else {
        tpi_buf_printf(out, " (%s)", name != NULL ? name : "?");
    }
}

/* ---- Units ----------------------------------------------------------------------------------- */

static bool is_one_of(const char *unit, const char *const *units)
{
    while (*units != NULL && strcmp(*units, unit) != 0) {
        units++;
    }
    return *units != NULL;
}

/* One of the units in "m/s|rad/s", divided by so many seconds more. */
static void put_divided(tpi_buf *out, const char *unit, size_t length, unsigned seconds)
{
    if (length > 4 && memcmp(unit + length - 4, "/s^2", 4) == 0) {
        seconds += 2;
        length -= 4;
    } else if (length > 2 && memcmp(unit + length - 2, "/s", 2) == 0) {
        seconds += 1;
        length -= 2;
    }
    tpi_buf_put(out, unit, length);
    tpi_buf_puts(out, "/s");
    if (seconds > 1) {
        tpi_buf_printf(out, "^%u", seconds);
    }
}

/* " (#ff8000)", " (48.137 deg)" or " (-60 dBm)" behind a number that means something else than it
 * seems; false if it does not. */
static bool put_hidden(tpi_buf *out, const char *unit, int64_t value)
{
    if (strcmp(unit, "rgb") == 0 && value >= 0 && value <= 0xffffff) {
        tpi_buf_printf(out, " (#%06llx)", (unsigned long long)value);
    } else if (strcmp(unit, "dBm|raw") == 0 && value > INT32_MAX && value <= UINT32_MAX) {
        tpi_buf_printf(out, " (%lld dBm)", (long long)value - UINT32_MAX - 1);
    } else if (strcmp(unit, "1e-7deg") == 0) {
        const lldiv_t degrees = lldiv(llabs(value), 10000000);
        tpi_buf_printf(out, " (%s%lld.%07lld deg)", value < 0 ? "-" : "", degrees.quot,
                       degrees.rem);
    } else {
        return false;
    }
    return true;
}

static void put_unit(tpi_buf *out, const char *unit, const struct around *around)
{
    static const char *const never_shown[] = {"count", "id",  "raw",     "bool", "byte",
                                              "text",  "rgb", "dBm|raw", NULL};
    unsigned seconds = 0;

    if (unit == NULL || is_one_of(unit, never_shown)) {
        return;
    }
    for (; around != NULL; around = around->next) {
        if (around->unit[0] == '/') {
            seconds += strcmp(around->unit, "/s") == 0 ? 1 : 2;
        } else {
            unit = around->unit;
            seconds = 0;
        }
    }
    if (seconds == 0) {
        const bool shown = strcmp(unit, "1") != 0 && !is_one_of(unit, never_shown);
        tpi_buf_puts(out, shown ? " " : "");
        tpi_buf_puts(out, shown ? unit : "");
        return;
    }
    tpi_buf_putc(out, ' ');
    for (const char *at = unit; at != NULL; at = strchr(at, '|')) {
        tpi_buf_puts(out, at == unit ? "" : "|");
        at += *at == '|' ? 1 : 0;
        put_divided(out, at, strcspn(at, "|"), seconds);
    }
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static void put_struct(const struct printer *p, const tp_struct *type, const void *value,
                       size_t indent, const struct around *around);

/* People want no more than millionths of what is not tiny; float has as many digits. */
static double shorten(double value)
{
    const double size = fabs(value);

    if (size >= 1e-3 && size < 1e9) {
        return round(value * 1e6) / 1e6;
    }
    return value;
}

static void put_number(const struct printer *p, tp_type type, const void *at)
{
    if (!p->block || type != TP_TYPE_F64) {
        tpi_number_put(p->out, type, at, false);
        return;
    }
    const double value = shorten(tpi_number_get_real(type, at));
    const float narrow = (float)value;
    if (fabs(value) < 1e-3 && fabs(value) >= (double)FLT_MIN) {
        tpi_number_put(p->out, TP_TYPE_F32, &narrow, false);
    } else {
        tpi_number_put(p->out, TP_TYPE_F64, &value, false);
    }
}

static bool is_truth(const tp_field *field)
{
    return field->unit != NULL && strcmp(field->unit, "bool") == 0 &&
           !tpi_type_is_real(field->type);
}

/* "yes", "no", or "yes (7)" for a number that stands for yes and may mean more. */
static void put_truth(tpi_buf *out, int64_t value)
{
    tpi_buf_puts(out, value != 0 ? "yes" : "no");
    if (value != 0 && value != 1) {
        tpi_buf_printf(out, " (%lld)", (long long)value);
    }
}

/* One number of a field or an array; of those that stand for yes or no, which. */
static void put_value(const struct printer *p, const tp_field *field, const void *at)
{
    if (p->block && is_truth(field)) {
        put_truth(p->out, tpi_number_get_whole(field->type, at));
    } else {
        put_number(p, field->type, at);
    }
}

static void put_scalar(const struct printer *p, const tp_field *field, const void *at,
                       const struct around *around)
{
    put_value(p, field, at);
    if (!p->block || is_truth(field)) {
        return;
    }
    if (field->values != NULL) {
        put_meaning(p->out, field->values, tpi_number_get_whole(field->type, at));
    } else if (!tpi_type_is_real(field->type) && field->unit != NULL &&
               put_hidden(p->out, field->unit, tpi_number_get_whole(field->type, at))) {
        return;
    }
    put_unit(p->out, field->unit, around);
}

static void put_numbers(const struct printer *p, const tp_field *field, const char *elements,
                        uint32_t count, size_t indent, const struct around *around)
{
    const size_t size = tpi_field_element_size(field);

    tpi_buf_putc(p->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (p->block && count > MOST_ON_A_LINE && i % MOST_ON_A_LINE == 0) {
            new_line(p, indent + INDENT);
        } else if (i > 0) {
            tpi_buf_putc(p->out, ' ');
        }
        put_value(p, field, elements + i * size);
    }
    tpi_buf_putc(p->out, ']');
    if (p->block && count > 0) {
        put_unit(p->out, field->unit, around);
    }
}

/* Pictures and sounds: the first bytes, and how many there are. */
static void put_some_bytes(const struct printer *p, const tp_field *field, const char *elements,
                           uint32_t count)
{
    tpi_buf_putc(p->out, '[');
    for (uint32_t i = 0; i < SOME_BYTES; i++) {
        tpi_number_put(p->out, field->type, elements + i, false);
        tpi_buf_putc(p->out, ' ');
    }
    tpi_buf_printf(p->out, "...] (%lu bytes)", (unsigned long)count);
}

static void put_structs(const struct printer *p, const tp_field *field, const char *elements,
                        uint32_t count, size_t indent, const struct around *around)
{
    if (p->block) {
        tpi_buf_printf(p->out, "(%lu)", (unsigned long)count);
    } else {
        tpi_buf_putc(p->out, '[');
    }
    for (uint32_t i = 0; i < count; i++) {
        if (p->block) {
            new_line(p, indent);
            tpi_buf_printf(p->out, "%lu:", (unsigned long)i);
        } else if (i > 0) {
            tpi_buf_putc(p->out, ' ');
        }
        put_struct(p, field->of, elements + (size_t)i * field->of->size, indent + INDENT, around);
    }
    tpi_buf_puts(p->out, p->block ? "" : "]");
}

static void put_array(const struct printer *p, const tp_field *field, const void *value,
                      size_t indent, const struct around *around)
{
    const uint32_t count = tp_field_count(field, value);
    const char *elements = tpi_field_elements(field, value);
    const bool bytes = tpi_field_element_size(field) == 1 && field->unit != NULL;
    const bool text = field->type == TP_TYPE_CHAR || (bytes && strcmp(field->unit, "text") == 0);
    uint32_t length;

    if (field->type == TP_TYPE_STRUCT) {
        put_structs(p, field, elements, count, indent, around);
    } else if (text && tpi_chars_text(elements, count, &length)) {
        tpi_json_put_string(p->out, elements, length);
    } else if (p->block && bytes && strcmp(field->unit, "byte") == 0 && count > MOST_BYTES) {
        put_some_bytes(p, field, elements, count);
    } else {
        put_numbers(p, field, elements, count, indent, around);
    }
}

static void put_field(const struct printer *p, const tp_field *field, const void *value,
                      size_t indent, const struct around *around)
{
    const char *at = (const char *)value + field->offset;
    const bool one_struct = field->type == TP_TYPE_STRUCT && field->shape == TP_SHAPE_ONE;
    const struct around own = {field->unit, around};

    if (field->type == TP_TYPE_STRUCT && field->unit != NULL) {
        around = &own;
    }
    tpi_buf_puts(p->out, field->name);
    tpi_buf_puts(p->out, !p->block ? "=" : one_struct ? ":" : ": ");
    if (field->shape != TP_SHAPE_ONE) {
        put_array(p, field, value, indent + INDENT, around);
    } else if (one_struct) {
        put_struct(p, field->of, at, indent + INDENT, around);
    } else {
        put_scalar(p, field, at, around);
    }
}

static void put_struct(const struct printer *p, const tp_struct *type, const void *value,
                       size_t indent, const struct around *around)
{
    bool first = true;

    tpi_buf_puts(p->out, p->block ? "" : "{");
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (field->is_count) {
            continue; /* the array shows it */
        }
        if (p->block) {
            new_line(p, indent);
        } else if (!first) {
            tpi_buf_putc(p->out, ' ');
        }
        first = false;
        put_field(p, field, value, indent, around);
    }
    tpi_buf_puts(p->out, p->block ? "" : "}");
}

tp_status tp_value_text(char **out, const tp_struct *type, const void *value, tp_text_form form)
{
    tpi_buf text = {0};

    if (form == TP_TEXT_JSON || form == TP_TEXT_JSON_PRETTY) {
        tpi_value_put_json(&text, type, value, form == TP_TEXT_JSON_PRETTY, 0);
    } else {
        tpi_buf_puts(&text, type->name);
        put_struct(&(struct printer){&text, form == TP_TEXT_BLOCK}, type, value, INDENT, NULL);
    }
    if (text.failed) {
        tpi_buf_fini(&text);
        return TP_E_NOMEM;
    }
    *out = text.data;
    return TP_OK;
}
