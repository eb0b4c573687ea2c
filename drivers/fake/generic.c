/*
 * generic.c - plays an interface from nothing but its description.
 *
 * For every message that carries something back (data, answers) a value is made at the start; its
 * numbers are drawn anew each time, by their units. What a client writes is remembered by its type:
 * the next message of that type shows it, so that what was set can be got again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

enum { ELEMENTS = 8 };

/* The last value of a type that a client has written. */
struct memory {
    const tp_struct *type;
    void *value; /* owned, one block */
};

struct generic {
    void **values; /* owned, one for each message; NULL for those that bring nothing back */
    struct memory *memories; /* owned, room for one for each message */
    uint32_t memory_count;
};

/* ---- Making values --------------------------------------------------------------------------- */

static size_t element_size(const tp_field *field)
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

static bool make_arrays(const tp_struct *type, char *value);

/* Give a field its elements, and those theirs. */
static bool make_elements(const tp_field *field, char *value)
{
    uint32_t count = ELEMENTS;

    if (field->shape == TP_SHAPE_POINTER) {
        void *array = calloc(count, element_size(field));
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
        if (!make_arrays(field->of, elements(field, value) + (size_t)i * field->of->size)) {
            return false;
        }
    }
    return true;
}

static bool make_arrays(const tp_struct *type, char *value)
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

    switch (element_size(field)) {
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

static void draw_number(fake_random *random, const tp_field *field, char *at)
{
    const double real = field->values != NULL ? draw_by_name(random, field->values)
                                              : draw_by_unit(random, field->unit);
    const float narrow = (float)real;

    if (field->type == TP_TYPE_F64) {
        memcpy(at, &real, sizeof real);
    } else if (field->type == TP_TYPE_F32) {
        memcpy(at, &narrow, sizeof narrow);
    } else {
        put_whole(field, at, (int64_t)floor(real));
    }
}

static void draw_text(char *at, uint32_t count)
{
    static const char text[ELEMENTS] = "fake";

    for (uint32_t i = 0; i < count; i++) {
        at[i] = i < ELEMENTS ? text[i] : '\0';
    }
}

static void draw(fake_random *random, const tp_struct *type, char *value)
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
                draw(random, field->of, at + (size_t)k * field->of->size);
            } else {
                draw_number(random, field, at + k * element_size(field));
            }
        }
    }
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* What a message brings back; NULL for nothing. */
static const tp_struct *returned_by(const tp_message *what)
{
    return what->kind == TP_KIND_DATA ? what->ask : what->answer;
}

static struct memory *find_memory(const struct generic *g, const tp_struct *type)
{
    for (uint32_t i = 0; i < g->memory_count; i++) {
        if (g->memories[i].type == type) {
            return &g->memories[i];
        }
    }
    return NULL;
}

/* What was written last, or fresh numbers. Borrowed; NULL if the message brings nothing. */
static const void *value_for(fake_device *d, const tp_message *what)
{
    struct generic *g = d->state;
    const tp_struct *type = returned_by(what);
    const struct memory *memory = type == NULL ? NULL : find_memory(g, type);

    if (type == NULL || memory != NULL) {
        return memory == NULL ? NULL : memory->value;
    }
    void *value = g->values[what - tp_device_interface(d->device)->messages];
    draw(&d->random, type, value);
    return value;
}

static tp_status remember(struct generic *g, const tp_struct *type, const void *value,
                          tp_error *err)
{
    void *copy = NULL;
    struct memory *memory = find_memory(g, type);

    if (tp_value_copy(&copy, type, value, NULL) != TP_OK) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (memory == NULL) {
        memory = &g->memories[g->memory_count++];
        memory->type = type;
    }
    free(memory->value);
    memory->value = copy;
    return TP_OK;
}

/* A question that carries something asks about it; anything else that does sets it. */
static bool is_question(const tp_message *what)
{
    return strncmp(what->name, "GET", 3) == 0;
}

tp_status tpi_fake_generic_handle(fake_device *d, const tp_message *what, const void *ask,
                                  void *answer, tp_error *err)
{
    tp_status status = TP_OK;

    if (what->ask != NULL && !is_question(what)) {
        status = tpi_fake_check_size(what->ask, ask, 1 << 20, err);
        status = status == TP_OK ? remember(d->state, what->ask, ask, err) : status;
    }
    if (status == TP_OK && what->answer != NULL) {
        memcpy(answer, value_for(d, what), what->answer->size);
    }
    return status;
}

static void generic_publish(fake_device *d)
{
    const tp_interface *interface = tp_device_interface(d->device);

    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *what = &interface->messages[i];
        if (what->kind == TP_KIND_DATA && what->mark == TP_MARK_REQUIRED) {
            tp_publish(d->device, what->code, value_for(d, what), 0);
        }
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status generic_begin(fake_device *d, tp_error *err)
{
    struct generic *g = d->state;
    const tp_interface *interface = tp_device_interface(d->device);

    g->values = calloc(interface->message_count + 1, sizeof *g->values);
    g->memories = calloc(interface->message_count + 1, sizeof *g->memories);
    if (g->values == NULL || g->memories == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_struct *type = returned_by(&interface->messages[i]);
        g->values[i] = type == NULL ? NULL : calloc(1, type->size);
        if (type != NULL && (g->values[i] == NULL || !make_arrays(type, g->values[i]))) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
    }
    return TP_OK;
}

static void generic_end(fake_device *d)
{
    struct generic *g = d->state;
    const tp_interface *interface = tp_device_interface(d->device);

    for (uint32_t i = 0; g->values != NULL && i < interface->message_count; i++) {
        if (g->values[i] != NULL) {
            tp_value_clear(returned_by(&interface->messages[i]), g->values[i]);
            free(g->values[i]);
        }
    }
    for (uint32_t i = 0; i < g->memory_count; i++) {
        free(g->memories[i].value);
    }
    free((void *)g->values);
    free(g->memories);
}

const fake_kind tpi_fake_generic = {
    .state_size = sizeof(struct generic),
    .size = {.sw = 0.1, .sl = 0.1, .sh = 0.1},
    .begin = generic_begin,
    .publish = generic_publish,
    .end = generic_end,
};
