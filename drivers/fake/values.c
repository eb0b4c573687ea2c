/*
 * values.c - values of any type, by its description: making them, drawing plausible numbers for
 * them, and checking those of clients.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

enum { ELEMENTS = 8 }; /* of an array that may have any number */

/* ---- Making values --------------------------------------------------------------------------- */

size_t tpi_fake_element_size(const tp_field *field)
{
    static const size_t sizes[] = {
        [TP_TYPE_U8] = 1,  [TP_TYPE_I8] = 1,   [TP_TYPE_U16] = 2, [TP_TYPE_I16] = 2,
        [TP_TYPE_U32] = 4, [TP_TYPE_I32] = 4,  [TP_TYPE_I64] = 8, [TP_TYPE_F32] = 4,
        [TP_TYPE_F64] = 8, [TP_TYPE_CHAR] = 1,
    };

    return field->type == TP_TYPE_STRUCT ? field->of->size : sizes[field->type];
}

/* The first element of a field. */
static char *elements(const tp_field *field, char *value)
{
    void *behind = NULL;

    if (field->shape != TP_SHAPE_POINTER) {
        return value + field->offset;
    }
    memcpy(&behind, value + field->offset, sizeof behind);
    return behind;
}

/* Give a field its elements, and those theirs. */
static bool make_elements(const tp_field *field, char *value)
{
    uint32_t count = ELEMENTS;

    if (field->shape == TP_SHAPE_POINTER) {
        void *array = calloc(count, tpi_fake_element_size(field));
        if (array == NULL) {
            return false;
        }
        memcpy(value + field->offset, &array, sizeof array);
    }
    if (field->shape == TP_SHAPE_BOUNDED && field->length < count) {
        count = field->length;
    }
    if (field->shape == TP_SHAPE_POINTER || field->shape == TP_SHAPE_BOUNDED) {
        memcpy(value + field->count_offset, &count, sizeof count);
    }
    if (field->type != TP_TYPE_STRUCT) {
        return true;
    }
    for (uint32_t i = 0; i < tp_field_count(field, value); i++) {
        if (!tpi_fake_make_arrays(field->of,
                                  elements(field, value) + (size_t)i * field->of->size)) {
            return false;
        }
    }
    return true;
}

bool tpi_fake_make_arrays(const tp_struct *type, char *value)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (!make_elements(&type->fields[i], value)) {
            return false;
        }
    }
    return true;
}

/* ---- Drawing numbers ------------------------------------------------------------------------- */

/* What is plausible for a unit. */
static const struct {
    const char *unit;
    double low;
    double high;
} ranges[] = {
    {"m", 0, 5},
    {"mm", 0, 5000},
    {"km", 0, 1},
    {"m^2", 0, 10},
    {"rad", -3, 3},
    {"deg", -180, 180},
    {"1e-7deg", 481370000, 481370100},
    {"s", 0, 60},
    {"ms", 0, 1000},
    {"us", 0, 999999},
    {"m/s", -0.5, 0.5},
    {"rad/s", -1, 1},
    {"deg/s", -60, 60},
    {"m/s^2", -1, 1},
    {"rad/s^2", -1, 1},
    {"m|rad", -1, 1},
    {"m/s|rad/s", -0.5, 0.5},
    {"m/s^2|rad/s^2", -1, 1},
    {"Hz", 1, 50},
    {"MHz", 2400, 2480},
    {"kg", 0, 2},
    {"N", 0, 10},
    {"N*m", 0, 5},
    {"Pa", 98000, 103000},
    {"degC", 18, 25},
    {"lx", 100, 1000},
    {"T", 2e-5, 6e-5},
    {"V", 11, 13},
    {"A", 0, 2},
    {"W", 5, 25},
    {"J", 1000, 36000},
    {"dBm", -80, -40},
    {"dB", 10, 40},
    {"%", 10, 90},
    {"px", 0, 320},
    {"byte", 0, 256},
    {"bit", 0, 32},
    {"bit/s", 1000000, 54000000},
    {"count", 0, 8},
    {"bool", 0, 2},
    {"id", 0, 4},
    {"1", 0, 1},
    {"raw", 0, 100},
    {"text", 'a', 'z'},
    {"rgb", 0, 0x1000000},
    {"dBm|raw", 4294967216, 4294967256},
};

static double draw_by_unit(fake_random *random, const char *unit)
{
    for (size_t i = 0; unit != NULL && i < sizeof ranges / sizeof ranges[0]; i++) {
        if (strcmp(unit, ranges[i].unit) == 0) {
            return tpi_fake_random_between(random, ranges[i].low, ranges[i].high);
        }
    }
    return tpi_fake_random_between(random, 0, 100);
}

/* One of the members; of flags any sum of them. */
static double draw_by_name(fake_random *random, const tp_enum *values)
{
    int64_t sum = 0;

    if (values->member_count == 0) {
        return 0;
    }
    if (!values->flags) {
        return (double)values->members[tpi_fake_random_below(random, values->member_count)].value;
    }
    for (uint32_t i = 0; i < values->member_count; i++) {
        sum |= tpi_fake_random_below(random, 2) == 0 ? values->members[i].value : 0;
    }
    return (double)sum;
}

static void put_whole(const tp_field *field, char *at, int64_t whole)
{
    const uint8_t u8 = (uint8_t)whole;
    const uint16_t u16 = (uint16_t)whole;
    const uint32_t u32 = (uint32_t)whole;

    switch (tpi_fake_element_size(field)) {
    case 1:
        memcpy(at, &u8, sizeof u8);
        break;
    case 2:
        memcpy(at, &u16, sizeof u16);
        break;
    case 4:
        memcpy(at, &u32, sizeof u32);
        break;
    default:
        memcpy(at, &whole, sizeof whole);
    }
}

static void draw_number(fake_device *d, fake_random *random, const tp_field *field, char *at)
{
    const bool named = field->values != NULL;
    const double drawn =
        named ? draw_by_name(random, field->values) : draw_by_unit(random, field->unit);
    const double real = named ? drawn : tpi_fake_measure(d, drawn);
    const float narrow = (float)real;

    if (field->type == TP_TYPE_F64) {
        memcpy(at, &real, sizeof real);
    } else if (field->type == TP_TYPE_F32) {
        memcpy(at, &narrow, sizeof narrow);
    } else {
        put_whole(field, at, (int64_t)floor(drawn));
    }
}

static void draw_text(char *at, uint32_t count)
{
    static const char text[ELEMENTS] = "fake";

    for (uint32_t i = 0; i < count; i++) {
        at[i] = i < ELEMENTS ? text[i] : '\0';
    }
}

void tpi_fake_draw(fake_device *d, fake_random *random, const tp_struct *type, char *value)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        const uint32_t count = tp_field_count(field, value);
        char *at = elements(field, value);

        if (field->is_count) {
            continue;
        }
        if (field->type == TP_TYPE_CHAR && field->shape != TP_SHAPE_ONE) {
            draw_text(at, count);
            continue;
        }
        for (uint32_t k = 0; k < count; k++) {
            if (field->type == TP_TYPE_STRUCT) {
                tpi_fake_draw(d, random, field->of, at + (size_t)k * field->of->size);
            } else {
                draw_number(d, random, field, at + k * tpi_fake_element_size(field));
            }
        }
    }
}

/* ---- Checking numbers ------------------------------------------------------------------------ */

static double number_at(const tp_field *field, const char *at)
{
    double wide = 0;
    float narrow = 0;

    if (field->type == TP_TYPE_F64) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return (double)narrow;
}

/* Times count from long ago. */
static bool is_usable(const tp_field *field, double number)
{
    const bool time = field->unit != NULL && strcmp(field->unit, "s") == 0;

    return isfinite(number) && (time || fabs(number) <= FAKE_MOST);
}

static bool is_zero_element(const tp_field *field, const char *at)
{
    static const char zero[sizeof(int64_t)];

    if (field->type == TP_TYPE_STRUCT) {
        for (uint32_t i = 0; i < field->of->field_count; i++) {
            if (!tpi_fake_is_zero(&field->of->fields[i], at)) {
                return false;
            }
        }
        return true;
    }
    return field->type == TP_TYPE_F64 || field->type == TP_TYPE_F32
               ? number_at(field, at) == 0
               : memcmp(at, zero, tpi_fake_element_size(field)) == 0;
}

bool tpi_fake_is_zero(const tp_field *field, const char *value)
{
    const char *at = elements(field, fake_chars(value));

    for (uint32_t k = 0; k < tp_field_count(field, value); k++) {
        if (!is_zero_element(field, at + k * tpi_fake_element_size(field))) {
            return false;
        }
    }
    return true;
}

tp_status tpi_fake_check_numbers(const tp_struct *type, const void *value, tp_error *err)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        const uint32_t count = tp_field_count(field, value);
        const char *at = elements(field, fake_chars(value));

        for (uint32_t k = 0; k < count; k++, at += tpi_fake_element_size(field)) {
            if (field->type == TP_TYPE_STRUCT) {
                const tp_status status = tpi_fake_check_numbers(field->of, at, err);
                if (status != TP_OK) {
                    return status;
                }
            } else if ((field->type == TP_TYPE_F64 || field->type == TP_TYPE_F32) &&
                       !is_usable(field, number_at(field, at))) {
                return tp_fail(err, TP_E_RANGE, "%s of %s is not a number from %g to %g",
                               field->name, type->name, -FAKE_MOST, FAKE_MOST);
            }
        }
    }
    return TP_OK;
}
