/* plan.c - layout and XDR plan of a struct; see plan.h. */
#include "padi/plan.h"

#include <assert.h>
#include <string.h>

/* So deep a value, each struct in an array, is as deep as JSON may be. */
enum { LARGEST_STRUCT = 1 << 24, MOST_STEPS = 4096, DEEPEST_STRUCT = 32 };

static const uint8_t type_sizes[] = {
    [TP_TYPE_U8] = 1,
    [TP_TYPE_I8] = 1,
    [TP_TYPE_U16] = 2,
    [TP_TYPE_I16] = 2,
    [TP_TYPE_U32] = sizeof(uint32_t),
    [TP_TYPE_I32] = sizeof(int32_t),
    [TP_TYPE_I64] = 8,
    [TP_TYPE_F32] = 4,
    [TP_TYPE_F64] = 8,
    [TP_TYPE_CHAR] = 1,
};

static const uint8_t type_aligns[] = {
    [TP_TYPE_U8] = 1,
    [TP_TYPE_I8] = 1,
    [TP_TYPE_U16] = _Alignof(uint16_t),
    [TP_TYPE_I16] = _Alignof(int16_t),
    [TP_TYPE_U32] = _Alignof(uint32_t),
    [TP_TYPE_I32] = _Alignof(int32_t),
    [TP_TYPE_I64] = _Alignof(int64_t),
    [TP_TYPE_F32] = _Alignof(float),
    [TP_TYPE_F64] = _Alignof(double),
    [TP_TYPE_CHAR] = 1,
};

static const uint8_t type_ops[] = {
    [TP_TYPE_U8] = TP_STEP_U8,     [TP_TYPE_I8] = TP_STEP_I8,     [TP_TYPE_U16] = TP_STEP_U16,
    [TP_TYPE_I16] = TP_STEP_I16,   [TP_TYPE_U32] = TP_STEP_WORDS, [TP_TYPE_I32] = TP_STEP_WORDS,
    [TP_TYPE_I64] = TP_STEP_LONGS, [TP_TYPE_F32] = TP_STEP_WORDS, [TP_TYPE_F64] = TP_STEP_LONGS,
    [TP_TYPE_CHAR] = TP_STEP_I8,
};

/* Memory size of one item of a run. */
static const uint8_t item_sizes[] = {
    [TP_STEP_U8] = 1,    [TP_STEP_I8] = 1,    [TP_STEP_U16] = 2,   [TP_STEP_I16] = 2,
    [TP_STEP_WORDS] = 4, [TP_STEP_LONGS] = 8, [TP_STEP_BYTES] = 1,
};

uint32_t tpi_field_element_size(const tp_field *field)
{
    return field->type == TP_TYPE_STRUCT ? field->of->size : type_sizes[field->type];
}

uint32_t tpi_field_element_align(const tp_field *field)
{
    return field->type == TP_TYPE_STRUCT ? field->of->align : type_aligns[field->type];
}

uint32_t tpi_step_item_size(unsigned op)
{
    return item_sizes[op];
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static uint64_t field_size(const tp_field *field)
{
    switch (field->shape) {
    case TP_SHAPE_POINTER:
        return sizeof(void *);
    case TP_SHAPE_ONE:
        return tpi_field_element_size(field);
    default:
        return (uint64_t)tpi_field_element_size(field) * field->length;
    }
}

static uint32_t field_align(const tp_field *field)
{
    return field->shape == TP_SHAPE_POINTER ? (uint32_t) _Alignof(void *)
                                            : tpi_field_element_align(field);
}

tp_status tpi_plan_layout(tp_struct *type, tp_field *fields, tp_error *err)
{
    uint64_t at = 0;

    type->align = 1;
    for (uint32_t i = 0; i < type->field_count; i++) {
        uint32_t align = field_align(&fields[i]);
        at = (at + align - 1) / align * align;
        fields[i].offset = (uint32_t)at;
        at += field_size(&fields[i]);
        if (at > LARGEST_STRUCT) {
            return tp_fail(err, TP_E_LIMIT, "struct %s is larger than %d bytes", type->name,
                           LARGEST_STRUCT);
        }
        type->align = align > type->align ? align : type->align;
    }
    type->size = (uint32_t)((at + type->align - 1) / type->align * type->align);
    return TP_OK;
}

/* ---- Plan ------------------------------------------------------------------------------------ */

/* The plan in the making. */
struct maker {
    tpi_arena *arena;
    tp_step *steps;       /* the arena's */
    tpi_step_path *paths; /* the arena's, one for each step */
    uint32_t count;
    uint32_t slots;
    uint32_t slot_offsets[TP_MAX_SLOTS]; /* of the count fields, from the start of the struct */
    bool too_many_slots;
    bool failed; /* out of memory */
};

/* Where a nested struct stands in the one that is planned. */
struct place {
    uint32_t base;
    const char *prefix; /* "" or "pose." */
};

static const char *join(struct maker *m, const char *first, const char *second)
{
    const size_t length = strlen(first);
    char *both = tpi_arena_alloc(m->arena, length + strlen(second) + 1);

    if (both == NULL) {
        m->failed = true;
        return NULL;
    }
    memcpy(both, first, length);
    memcpy(both + length, second, strlen(second) + 1);
    return both;
}

static const char *make_path(struct maker *m, const struct place *where, const char *name)
{
    return join(m, where->prefix, name);
}

static void add_step(struct maker *m, tp_step step, const char *path, const char *count_path)
{
    m->steps[m->count] = step;
    m->paths[m->count] = (tpi_step_path){.first = path, .count = count_path};
    m->count++;
}

/* Append to the run before it if that has the same width and ends where this begins. */
static void add_run(struct maker *m, unsigned op, uint32_t n, uint32_t offset, const char *path)
{
    if (m->count > 0 && op < TP_STEP_BYTES) {
        tp_step *last = &m->steps[m->count - 1];
        if (last->op == op && last->offset + last->n * item_sizes[op] == offset) {
            last->n += n;
            m->paths[m->count - 1].last = path;
            return;
        }
    }
    add_step(m, (tp_step){.op = (uint8_t)op, .n = n, .offset = offset}, path, NULL);
}

/* Whether a struct is nothing but one run without padding, so that arrays of it are runs too. */
static const tp_step *single_run(const tp_struct *type)
{
    const tp_step *step = type->steps;

    if (type->step_count != 1 || step->op >= TP_STEP_BYTES || step->offset != 0 ||
        step->n * item_sizes[step->op] != type->size) {
        return NULL;
    }
    return step;
}

static bool is_byte(tp_type type)
{
    return type == TP_TYPE_U8 || type == TP_TYPE_I8 || type == TP_TYPE_CHAR;
}

/* What an array of this field is made of: `n` items of a simple step, or structs (`of`). */
static tp_step element_step(const tp_field *field)
{
    tp_step step = {.n = 1, .stride = tpi_field_element_size(field)};

    if (field->type == TP_TYPE_STRUCT) {
        const tp_step *run = single_run(field->of);
        if (run != NULL) {
            step.item = run->op;
            step.n = run->n;
        } else {
            step.of = field->of;
        }
    } else {
        step.item = is_byte(field->type) ? TP_STEP_BYTES : type_ops[field->type];
    }
    return step;
}

static void add_fixed(struct maker *m, const tp_field *field, uint32_t offset, const char *path)
{
    tp_step element = element_step(field);

    if (element.of == NULL) {
        add_run(m, element.item, element.n * field->length, offset, path);
        return;
    }
    element.op = TP_STEP_EACH;
    element.n = field->length;
    element.offset = offset;
    add_step(m, element, path, NULL);
}

static const char *name_at(const tp_struct *type, uint32_t offset)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].offset == offset) {
            return type->fields[i].name;
        }
    }
    return "";
}

static void add_array(struct maker *m, const tp_struct *type, const tp_field *field,
                      const struct place *where)
{
    tp_step step = element_step(field);

    step.op = TP_STEP_ARRAY;
    step.pointer = field->shape == TP_SHAPE_POINTER;
    step.most = step.pointer ? 0 : field->length;
    step.offset = where->base + field->offset;
    step.count_offset = where->base + field->count_offset;
    for (uint32_t i = 0; i < m->slots; i++) {
        if (m->slot_offsets[i] == step.count_offset) {
            step.slot = (uint8_t)i;
        }
    }
    add_step(m, step, make_path(m, where, field->name),
             make_path(m, where, name_at(type, field->count_offset)));
}

static void add_count(struct maker *m, uint32_t offset, const char *path)
{
    if (m->slots == TP_MAX_SLOTS) {
        m->too_many_slots = true;
        return;
    }
    add_step(m, (tp_step){.op = TP_STEP_COUNT, .slot = (uint8_t)m->slots, .n = 1, .offset = offset},
             path, NULL);
    m->slot_offsets[m->slots++] = offset;
}

static void flatten(struct maker *m, const tp_struct *type, struct place where);

static void add_field(struct maker *m, const tp_struct *type, const tp_field *field,
                      const struct place *where)
{
    const uint32_t offset = where->base + field->offset;
    const char *path = make_path(m, where, field->name);

    if (m->failed) {
        return;
    }
    if (field->shape == TP_SHAPE_BOUNDED || field->shape == TP_SHAPE_POINTER) {
        add_array(m, type, field, where);
    } else if (field->shape == TP_SHAPE_FIXED) {
        add_fixed(m, field, offset, path);
    } else if (field->is_count) {
        add_count(m, offset, path);
    } else if (field->type == TP_TYPE_STRUCT) {
        flatten(m, field->of, (struct place){offset, join(m, path, ".")});
    } else {
        add_run(m, type_ops[field->type], 1, offset, path);
    }
}

static void flatten(struct maker *m, const tp_struct *type, struct place where)
{
    for (uint32_t i = 0; i < type->field_count && !m->failed && !m->too_many_slots; i++) {
        add_field(m, type, &type->fields[i], &where);
    }
}

/* How many structs are inside one another. */
static uint32_t depth_of(const tp_struct *type)
{
    const tp_struct *last = NULL;
    uint32_t deepest = 0;

    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_struct *of = type->fields[i].of;
        if (of != NULL && of != last) {
            uint32_t depth = depth_of(of);
            deepest = depth > deepest ? depth : deepest;
            last = of;
        }
    }
    return deepest + 1;
}

/* At most so many steps: one for each field, nested ones included. */
static uint64_t count_leaves(const tp_struct *type)
{
    uint64_t leaves = 0;

    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        bool nested = field->type == TP_TYPE_STRUCT && field->shape == TP_SHAPE_ONE;
        leaves += nested ? count_leaves(field->of) : 1;
    }
    return leaves;
}

static tp_status measure_wire(tp_struct *type, tp_error *err)
{
    uint64_t least = 0;

    type->variable = false;
    for (uint32_t i = 0; i < type->step_count; i++) {
        const tp_step *step = &type->steps[i];
        switch (step->op) {
        case TP_STEP_ARRAY:
            type->variable = true;
            least += 4;
            break;
        case TP_STEP_EACH:
            assert(step->of != NULL);
            type->variable = type->variable || step->of->variable;
            least += (uint64_t)step->n * step->of->wire_min;
            break;
        default:
            least += tpi_step_wire_size(step->op, step->n);
            break;
        }
    }
    if (least > LARGEST_STRUCT) {
        return tp_fail(err, TP_E_LIMIT, "struct %s takes more than %d bytes on the wire",
                       type->name, LARGEST_STRUCT);
    }
    type->wire_min = (uint32_t)least;
    return TP_OK;
}

tp_status tpi_plan_make(tp_struct *type, tpi_arena *arena, const tpi_step_path **paths,
                        tp_error *err)
{
    if (depth_of(type) > DEEPEST_STRUCT) {
        return tp_fail(err, TP_E_LIMIT, "struct %s has structs in it more than %d deep", type->name,
                       DEEPEST_STRUCT);
    }
    const uint64_t leaves = count_leaves(type);
    if (leaves > MOST_STEPS) {
        return tp_fail(err, TP_E_LIMIT, "struct %s has more than %d fields, nested ones included",
                       type->name, MOST_STEPS);
    }
    struct maker m = {
        .arena = arena,
        .steps = tpi_arena_array(arena, (size_t)leaves, sizeof *m.steps),
        .paths = tpi_arena_array(arena, (size_t)leaves, sizeof *m.paths),
    };
    if (m.steps != NULL && m.paths != NULL) {
        flatten(&m, type, (struct place){0, ""});
    }
    if (m.steps == NULL || m.paths == NULL || m.failed) {
        return tp_fail(err, TP_E_NOMEM, "struct %s: out of memory", type->name);
    }
    if (m.too_many_slots) {
        return tp_fail(err, TP_E_LIMIT, "struct %s has more than %d variable arrays", type->name,
                       TP_MAX_SLOTS);
    }
    type->steps = m.steps;
    type->step_count = m.count;
    if (paths != NULL) {
        *paths = m.paths;
    }
    return measure_wire(type, err);
}
