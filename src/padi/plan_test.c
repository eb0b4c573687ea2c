/*
 * plan_test.c - layouts and XDR plans: the same from the C compiler as from a file at run time.
 *
 * The built-in tables were printed by the generator and filled in by the compiler (offsetof,
 * sizeof); the same files parsed here are laid out by plan.c. They have to agree in everything.
 */
#include "padi/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "padi/parse.h"
#include "support/unit.h"
#include "troupe/interfaces/all.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Files parsed at run time ---------------------------------------------------------------- */

enum { MOST_FILES = 128 };

/* The interface files that were parsed so far. */
struct shelf {
    tpi_padi *files[MOST_FILES]; /* owned */
    size_t count;
};

static const tp_interface *find(void *context, const char *name, tp_error *err);

static const tp_interface *load(struct shelf *shelf, const char *name)
{
    const tpi_padi_scope scope = {find, shelf, true};
    tpi_padi *file = calloc(1, sizeof *file);
    tpi_buf path = {0};
    tpi_buf text = {0};
    tp_error err = {0};

    assert_non_null(file);
    tpi_buf_printf(&path, "%s/interfaces/%s.padi", TEST_ROOT, name);
    assert_int_equal(tpi_file_read(&text, path.data, 1 << 20, NULL), TP_OK);
    tpi_padi_parse(file, path.data, text.data, text.length, &scope, &err);
    assert_string_equal(err.text, "");
    tpi_buf_fini(&path);
    tpi_buf_fini(&text);
    assert_in_range(shelf->count, 0, MOST_FILES - 1);
    shelf->files[shelf->count++] = file;
    return &file->interface;
}

static const tp_interface *find(void *context, const char *name, tp_error *err)
{
    struct shelf *shelf = context;

    (void)err;
    for (size_t i = 0; i < shelf->count; i++) {
        if (strcmp(shelf->files[i]->interface.name, name) == 0) {
            return &shelf->files[i]->interface;
        }
    }
    return load(shelf, name);
}

static void clear(struct shelf *shelf)
{
    while (shelf->count > 0) {
        tpi_padi *file = shelf->files[--shelf->count];
        tpi_padi_fini(file);
        free(file);
    }
}

/* ---- Comparing descriptors ------------------------------------------------------------------- */

static void same_text(const char *a, const char *b)
{
    assert_string_equal(a == NULL ? "(none)" : a, b == NULL ? "(none)" : b);
}

static void same_constants(const tp_constant *a, const tp_constant *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        same_text(a[i].name, b[i].name);
        same_text(a[i].doc, b[i].doc);
        assert_int_equal(a[i].value, b[i].value);
    }
}

static void same_enum(const tp_enum *a, const tp_enum *b)
{
    same_text(a->name, b->name);
    same_text(a->doc, b->doc);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->member_count, b->member_count);
    same_constants(a->members, b->members, a->member_count);
}

static const char *struct_name(const tp_struct *type)
{
    return type == NULL ? NULL : type->name;
}

static void same_field(const tp_field *a, const tp_field *b)
{
    same_text(a->name, b->name);
    same_text(a->unit, b->unit);
    same_text(a->doc, b->doc);
    same_text(struct_name(a->of), struct_name(b->of));
    same_text(a->values == NULL ? NULL : a->values->name,
              b->values == NULL ? NULL : b->values->name);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->shape, b->shape);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->count_offset, b->count_offset);
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->is_count, b->is_count);
}

static void same_step(const tp_step *a, const tp_step *b)
{
    assert_int_equal(a->op, b->op);
    assert_int_equal(a->item, b->item);
    assert_int_equal(a->slot, b->slot);
    assert_int_equal(a->pointer, b->pointer);
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->count_offset, b->count_offset);
    assert_int_equal(a->most, b->most);
    assert_int_equal(a->stride, b->stride);
    same_text(struct_name(a->of), struct_name(b->of));
}

static void same_struct(const tp_struct *a, const tp_struct *b)
{
    same_text(a->name, b->name);
    same_text(a->doc, b->doc);
    same_text(a->interface, b->interface);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->align, b->align);
    assert_int_equal(a->wire_min, b->wire_min);
    assert_int_equal(a->variable, b->variable);
    assert_int_equal(a->field_count, b->field_count);
    for (uint32_t i = 0; i < a->field_count; i++) {
        same_field(&a->fields[i], &b->fields[i]);
    }
    assert_int_equal(a->step_count, b->step_count);
    for (uint32_t i = 0; i < a->step_count; i++) {
        same_step(&a->steps[i], &b->steps[i]);
    }
}

static void same_message(const tp_message *a, const tp_message *b)
{
    same_text(a->name, b->name);
    same_text(a->doc, b->doc);
    same_text(struct_name(a->ask), struct_name(b->ask));
    same_text(struct_name(a->answer), struct_name(b->answer));
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->mark, b->mark);
    assert_int_equal(a->effect, b->effect);
    assert_int_equal(a->code, b->code);
}

static void same_interface(const tp_interface *a, const tp_interface *b)
{
    same_text(a->name, b->name);
    same_text(a->doc, b->doc);
    assert_int_equal(a->code, b->code);
    assert_int_equal(a->use_count, b->use_count);
    for (uint32_t i = 0; i < a->use_count; i++) {
        same_text(a->uses[i], b->uses[i]);
    }
    assert_int_equal(a->constant_count, b->constant_count);
    same_constants(a->constants, b->constants, a->constant_count);
    assert_int_equal(a->enum_count, b->enum_count);
    for (uint32_t i = 0; i < a->enum_count; i++) {
        same_enum(a->enums[i], b->enums[i]);
    }
    assert_int_equal(a->struct_count, b->struct_count);
    for (uint32_t i = 0; i < a->struct_count; i++) {
        same_struct(a->structs[i], b->structs[i]);
    }
    assert_int_equal(a->message_count, b->message_count);
    for (uint32_t i = 0; i < a->message_count; i++) {
        same_message(&a->messages[i], &b->messages[i]);
    }
}

static void a_file_at_run_time_equals_what_the_compiler_made_of_it(void **state)
{
    struct shelf shelf = {.count = 0};
    tp_catalogue *catalogue = NULL;

    (void)state;
    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    assert_in_range(tp_catalogue_size(catalogue), 40, MOST_FILES);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *builtin = tp_catalogue_at(catalogue, i);
        same_interface(find(&shelf, builtin->name, NULL), builtin);
    }
    assert_int_equal(shelf.count, tp_catalogue_size(catalogue));
    clear(&shelf);
    tp_catalogue_destroy(catalogue);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

struct mixed {
    uint8_t a;
    int16_t b;
    char c;
    double d;
    uint16_t e[3];
    int64_t f;
    float g[1];
    uint8_t h[5];
    tp_pose2d i;
    tp_color j[3];
    void *k;
    int8_t l;
};

static void fields_are_laid_out_as_c_does(void **state)
{
    tp_field fields[] = {
        {.type = TP_TYPE_U8},
        {.type = TP_TYPE_I16},
        {.type = TP_TYPE_CHAR},
        {.type = TP_TYPE_F64},
        {.type = TP_TYPE_U16, .shape = TP_SHAPE_FIXED, .length = 3},
        {.type = TP_TYPE_I64},
        {.type = TP_TYPE_F32, .shape = TP_SHAPE_FIXED, .length = 1},
        {.type = TP_TYPE_U8, .shape = TP_SHAPE_BOUNDED, .length = 5},
        {.type = TP_TYPE_STRUCT, .of = &tp_desc_pose2d},
        {.type = TP_TYPE_STRUCT, .of = &tp_desc_color, .shape = TP_SHAPE_FIXED, .length = 3},
        {.type = TP_TYPE_STRUCT, .of = &tp_desc_pose3d, .shape = TP_SHAPE_POINTER},
        {.type = TP_TYPE_I8},
    };
    static const size_t offsets[] = {
        offsetof(struct mixed, a), offsetof(struct mixed, b), offsetof(struct mixed, c),
        offsetof(struct mixed, d), offsetof(struct mixed, e), offsetof(struct mixed, f),
        offsetof(struct mixed, g), offsetof(struct mixed, h), offsetof(struct mixed, i),
        offsetof(struct mixed, j), offsetof(struct mixed, k), offsetof(struct mixed, l),
    };
    tp_struct type = {.name = "mixed", .fields = fields, .field_count = COUNT(fields)};

    (void)state;
    assert_int_equal(tpi_plan_layout(&type, fields, NULL), TP_OK);
    for (size_t i = 0; i < COUNT(fields); i++) {
        assert_int_equal(fields[i].offset, offsets[i]);
    }
    assert_int_equal(type.size, sizeof(struct mixed));
    assert_int_equal(type.align, _Alignof(struct mixed));
}

static void elements_have_the_size_and_alignment_of_their_type(void **state)
{
    static const uint32_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 4, 8, 1};
    const tp_field pose = {.type = TP_TYPE_STRUCT, .of = &tp_desc_pose3d};

    (void)state;
    for (unsigned i = TP_TYPE_U8; i < TP_TYPE_STRUCT; i++) {
        const tp_field field = {.type = (tp_type)i, .shape = TP_SHAPE_FIXED, .length = 7};
        assert_int_equal(tpi_field_element_size(&field), sizes[i]);
        assert_in_range(tpi_field_element_align(&field), 1, sizes[i]);
    }
    assert_int_equal(tpi_field_element_size(&pose), sizeof(tp_pose3d));
    assert_int_equal(tpi_field_element_align(&pose), _Alignof(tp_pose3d));
}

static void sizes_on_the_wire_are_whole_words(void **state)
{
    (void)state;
    assert_int_equal(tpi_step_wire_size(TP_STEP_U8, 3), 12);
    assert_int_equal(tpi_step_wire_size(TP_STEP_I16, 3), 12);
    assert_int_equal(tpi_step_wire_size(TP_STEP_WORDS, 3), 12);
    assert_int_equal(tpi_step_wire_size(TP_STEP_LONGS, 3), 24);
    assert_int_equal(tpi_step_wire_size(TP_STEP_BYTES, 0), 0);
    assert_int_equal(tpi_step_wire_size(TP_STEP_BYTES, 1), 4);
    assert_int_equal(tpi_step_wire_size(TP_STEP_BYTES, 4), 4);
    assert_int_equal(tpi_step_wire_size(TP_STEP_BYTES, 5), 8);
    assert_int_equal(tpi_step_wire_size(TP_STEP_LONGS, UINT32_MAX), 8 * (uint64_t)UINT32_MAX);
}

static void items_have_their_size_in_memory(void **state)
{
    (void)state;
    assert_int_equal(tpi_step_item_size(TP_STEP_U8), 1);
    assert_int_equal(tpi_step_item_size(TP_STEP_I16), 2);
    assert_int_equal(tpi_step_item_size(TP_STEP_WORDS), 4);
    assert_int_equal(tpi_step_item_size(TP_STEP_LONGS), 8);
    assert_int_equal(tpi_step_item_size(TP_STEP_BYTES), 1);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* One file that uses nothing but common. */
struct file {
    struct shelf shelf;
    tpi_padi padi;
};

static const tp_struct *parse(struct file *file, const char *text)
{
    const tpi_padi_scope scope = {find, &file->shelf, true};
    tp_error err = {0};

    file->shelf.count = 0;
    tpi_padi_parse(&file->padi, "x.padi", text, strlen(text), &scope, &err);
    assert_string_equal(err.text, "");
    return file->padi.interface.structs[file->padi.interface.struct_count - 1];
}

static const tpi_step_path *last_paths(const struct file *file)
{
    return file->padi.paths[file->padi.interface.struct_count - 1];
}

static void close_file(struct file *file)
{
    tpi_padi_fini(&file->padi);
    clear(&file->shelf);
}

static void has_steps(const tp_struct *type, const tp_step *steps, uint32_t count)
{
    assert_int_equal(type->step_count, count);
    for (uint32_t i = 0; i < count; i++) {
        same_step(&type->steps[i], &steps[i]);
    }
}

static void neighbours_of_one_width_are_one_run(void **state)
{
    static const tp_step steps[] = {
        {.op = TP_STEP_LONGS, .n = 6, .offset = 0},
        {.op = TP_STEP_U8, .n = 1, .offset = offsetof(tp_position2d_data, stall)},
    };

    (void)state;
    has_steps(&tp_desc_position2d_data, steps, COUNT(steps));
    assert_int_equal(tp_desc_position2d_data.wire_min, 6 * 8 + 4);
    assert_false(tp_desc_position2d_data.variable);
}

static void a_pose_is_a_single_run_and_so_are_arrays_of_it(void **state)
{
    static const tp_step steps[] = {
        {.op = TP_STEP_COUNT, .n = 1, .offset = offsetof(tp_sonar_geom, poses_count)},
        {.op = TP_STEP_ARRAY,
         .item = TP_STEP_LONGS,
         .n = 6,
         .pointer = true,
         .offset = offsetof(tp_sonar_geom, poses),
         .count_offset = offsetof(tp_sonar_geom, poses_count),
         .stride = sizeof(tp_pose3d)},
    };

    (void)state;
    assert_int_equal(tp_desc_pose3d.step_count, 1);
    assert_int_equal(tp_desc_pose3d.steps[0].n, 6);
    has_steps(&tp_desc_sonar_geom, steps, COUNT(steps));
    assert_true(tp_desc_sonar_geom.variable);
    assert_int_equal(tp_desc_sonar_geom.wire_min, 8);
}

static void a_fixed_array_of_poses_joins_the_run_beside_it(void **state)
{
    static const tp_step steps[] = {{.op = TP_STEP_LONGS, .n = 1 + 4 * 3 + 1, .offset = 0}};
    struct file file;
    const tp_struct *type =
        parse(&file, "interface x 150 \"X.\" use common struct s \"S.\" { before f64 m \"B.\"\n"
                     "poses pose2d[4] \"P.\" after i64 us \"A.\" }");

    (void)state;
    has_steps(type, steps, COUNT(steps));
    assert_string_equal(last_paths(&file)[0].first, "before");
    assert_string_equal(last_paths(&file)[0].last, "after");
    assert_null(last_paths(&file)[0].count);
    close_file(&file);
}

static void padding_and_other_widths_end_a_run(void **state)
{
    static const tp_step steps[] = {
        {.op = TP_STEP_U8, .n = 2, .offset = 0},     {.op = TP_STEP_I8, .n = 2, .offset = 2},
        {.op = TP_STEP_U16, .n = 2, .offset = 4},    {.op = TP_STEP_I16, .n = 2, .offset = 8},
        {.op = TP_STEP_WORDS, .n = 3, .offset = 12}, {.op = TP_STEP_U8, .n = 1, .offset = 24},
        {.op = TP_STEP_WORDS, .n = 1, .offset = 28},
    };
    struct file file;
    const tp_struct *type =
        parse(&file, "interface x 150 \"X.\" struct s \"S.\" { a u8 1 \"A.\" b u8 1 \"B.\"\n"
                     "c i8 1 \"C.\" d char \"D.\" e u16 1 \"E.\" f u16 1 \"F.\" g i16[2] 1 \"G.\"\n"
                     "h f32 1 \"H.\" i u32 1 \"I.\" j i32 1 \"J.\" k u8 1 \"K.\" l f32 1 \"L.\" }");

    (void)state;
    has_steps(type, steps, COUNT(steps));
    assert_int_equal(type->wire_min, 4 * 13);
    close_file(&file);
}

static void arrays_of_bytes_are_packed_and_stand_alone(void **state)
{
    static const tp_step steps[] = {
        {.op = TP_STEP_U8, .n = 1, .offset = 0},    {.op = TP_STEP_BYTES, .n = 3, .offset = 1},
        {.op = TP_STEP_BYTES, .n = 5, .offset = 4}, {.op = TP_STEP_BYTES, .n = 2, .offset = 9},
        {.op = TP_STEP_I8, .n = 1, .offset = 11},
    };
    struct file file;
    const tp_struct *type =
        parse(&file, "interface x 150 \"X.\" struct s \"S.\" { a u8 1 \"A.\" b u8[3] byte \"B.\"\n"
                     "c char[5] \"C.\" d i8[2] 1 \"D.\" e i8 1 \"E.\" }");

    (void)state;
    has_steps(type, steps, COUNT(steps));
    assert_int_equal(type->wire_min, 4 + 4 + 8 + 4 + 4);
    close_file(&file);
}

static void each_variable_array_has_its_slot(void **state)
{
    static const tp_step steps[] = {
        {.op = TP_STEP_COUNT, .n = 1, .offset = 0},
        {.op = TP_STEP_COUNT, .n = 1, .offset = 4, .slot = 1},
        {.op = TP_STEP_ARRAY,
         .item = TP_STEP_BYTES,
         .slot = 1,
         .n = 1,
         .offset = 8,
         .count_offset = 4,
         .most = 6,
         .stride = 1},
        {.op = TP_STEP_ARRAY,
         .item = TP_STEP_WORDS,
         .n = 1,
         .offset = 16,
         .count_offset = 0,
         .pointer = true,
         .stride = 4},
    };
    struct file file;
    const tp_struct *type = parse(
        &file, "interface x 150 \"X.\" struct s \"S.\" { n u32 count \"N.\" m u32 count \"M.\"\n"
               "name char[m max 6] \"A.\" values f32[n] m \"V.\" }");

    (void)state;
    has_steps(type, steps, COUNT(steps));
    assert_string_equal(last_paths(&file)[2].first, "name");
    assert_string_equal(last_paths(&file)[2].count, "m");
    assert_string_equal(last_paths(&file)[3].count, "n");
    assert_true(type->variable);
    assert_int_equal(type->wire_min, 16);
    close_file(&file);
}

struct name {
    uint32_t n;
    char *text;
};

struct named {
    uint8_t kind;
    struct name first;
    struct name second;
};

static void counts_of_nested_structs_are_found_where_they_are(void **state)
{
    static const tp_step steps[] = {
        {.op = TP_STEP_U8, .n = 1, .offset = 0},
        {.op = TP_STEP_COUNT, .n = 1, .offset = offsetof(struct named, first.n)},
        {.op = TP_STEP_ARRAY,
         .item = TP_STEP_BYTES,
         .n = 1,
         .offset = offsetof(struct named, first.text),
         .count_offset = offsetof(struct named, first.n),
         .pointer = true,
         .stride = 1},
        {.op = TP_STEP_COUNT, .n = 1, .offset = offsetof(struct named, second.n), .slot = 1},
        {.op = TP_STEP_ARRAY,
         .item = TP_STEP_BYTES,
         .slot = 1,
         .n = 1,
         .offset = offsetof(struct named, second.text),
         .count_offset = offsetof(struct named, second.n),
         .pointer = true,
         .stride = 1},
    };
    struct file file;
    const tp_struct *type = parse(
        &file,
        "interface x 150 \"X.\" struct name \"N.\" { n u32 count \"N.\" text char[n] \"T.\" }\n"
        "struct s \"S.\" { kind u8 id \"K.\" first name \"F.\" second name \"S.\" }");

    (void)state;
    has_steps(type, steps, COUNT(steps));
    assert_string_equal(last_paths(&file)[1].first, "first.n");
    assert_string_equal(last_paths(&file)[4].first, "second.text");
    assert_string_equal(last_paths(&file)[4].count, "second.n");
    close_file(&file);
}

struct pair {
    uint8_t a;
    double b;
};

struct pairs {
    uint32_t n;
    struct pair *all;
    struct pair some[3];
};

static void structs_that_are_no_run_are_visited_one_by_one(void **state)
{
    struct file file;
    const tp_struct *type =
        parse(&file, "interface x 150 \"X.\" struct two \"E.\" { a u8 1 \"A.\" b f64 m \"B.\" }\n"
                     "struct s \"S.\" { n u32 count \"N.\" all two[n] \"A.\" some two[3] \"S.\" }");
    const tp_struct *element = file.padi.interface.structs[0];
    const tp_step steps[] = {
        {.op = TP_STEP_COUNT, .n = 1, .offset = 0},
        {.op = TP_STEP_ARRAY,
         .n = 1,
         .offset = offsetof(struct pairs, all),
         .count_offset = 0,
         .pointer = true,
         .stride = sizeof(struct pair),
         .of = element},
        {.op = TP_STEP_EACH,
         .n = 3,
         .offset = offsetof(struct pairs, some),
         .stride = sizeof(struct pair),
         .of = element},
    };

    (void)state;
    has_steps(type, steps, COUNT(steps));
    assert_int_equal(type->wire_min, 4 + 4 + 3 * 12);
    close_file(&file);
}

static void a_struct_that_holds_variable_ones_is_variable(void **state)
{
    struct file file;
    const tp_struct *type = parse(
        &file,
        "interface x 150 \"X.\" struct name \"N.\" { n u32 count \"N.\" text char[n] \"T.\" }\n"
        "struct s \"S.\" { names name[2] \"N.\" }");

    (void)state;
    assert_int_equal(type->steps[0].op, TP_STEP_EACH);
    assert_true(type->variable);
    assert_int_equal(type->wire_min, 2 * 8);
    close_file(&file);
}

static void a_run_may_be_behind_longer_paths_than_any_buffer(void **state)
{
    tpi_buf text = {0};
    struct file file;

    (void)state;
    tpi_buf_puts(&text, "interface x 150 \"X.\" struct s0 \"S.\" { value u8 1 \"V.\" }\n");
    for (int i = 1; i < 32; i++) {
        tpi_buf_printf(&text,
                       "struct s%d \"S.\" { a_name_of_more_than_a_few_letters s%d \"S.\" }\n", i,
                       i - 1);
    }
    const tp_struct *type = parse(&file, text.data);
    assert_int_equal(type->step_count, 1);
    assert_int_equal(strlen(last_paths(&file)[0].first), 31 * 34 + 5);
    close_file(&file);
    tpi_buf_fini(&text);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static void is_refused(const tpi_buf *text, const char *error)
{
    const tpi_padi_scope scope = {find, NULL, true};
    tpi_padi padi;
    tp_error err = {0};

    assert_int_equal(tpi_padi_parse(&padi, "x.padi", text->data, text->length, &scope, &err),
                     TP_E_SYNTAX);
    assert_string_equal(err.text, error);
}

static void a_struct_has_at_most_16_variable_arrays(void **state)
{
    tpi_buf text = {0};
    struct file file;

    (void)state;
    tpi_buf_puts(&text, "interface x 150 \"X.\" struct s \"S.\" {\n");
    for (int i = 0; i < TP_MAX_SLOTS; i++) {
        tpi_buf_printf(&text, "n%d u32 count \"N.\" v%d u8[n%d] byte \"V.\"\n", i, i, i);
    }
    tpi_buf_puts(&text, "}\n");
    assert_int_equal(parse(&file, text.data)->step_count, 2 * TP_MAX_SLOTS);
    close_file(&file);
    tpi_buf_puts(&text, "struct t \"T.\" { n u32 count \"N.\" v u8[n] byte \"V.\" rest s \"R.\" }");
    is_refused(&text, "x.padi:19:8: struct t has more than 16 variable arrays");
    tpi_buf_fini(&text);
}

static void a_struct_has_at_most_16_megabytes(void **state)
{
    tpi_buf text = {0};
    struct file file;

    (void)state;
    tpi_buf_puts(&text, "interface x 150 \"X.\"\nstruct s \"S.\" { a f64[1048576] m \"A.\" }\n"
                        "struct t \"T.\" { a s[2] \"A.\" }\n");
    assert_int_equal(parse(&file, text.data)->size, 1 << 24);
    assert_int_equal(file.padi.interface.structs[1]->wire_min, 1 << 24);
    close_file(&file);
    tpi_buf_puts(&text, "struct u \"U.\" { a t \"A.\" b u8 1 \"B.\" }");
    is_refused(&text, "x.padi:4:8: struct u is larger than 16777216 bytes");
    tpi_buf_fini(&text);
}

static void a_struct_has_at_most_16_megabytes_on_the_wire(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text,
                 "interface x 150 \"X.\"\nstruct b \"B.\" { a u8 1 \"A.\" }\n"
                 "struct s \"S.\" { a b[1048576] \"A.\" }\nstruct t \"T.\" { a s[5] \"A.\" }\n");
    is_refused(&text, "x.padi:4:8: struct t takes more than 16777216 bytes on the wire");
    tpi_buf_fini(&text);
}

static void a_struct_has_at_most_4096_fields_with_nested_ones(void **state)
{
    tpi_buf text = {0};
    struct file file;

    (void)state;
    tpi_buf_puts(&text, "interface x 150 \"X.\" struct s \"S.\" {\n");
    for (int i = 0; i < TP_MAX_FIELDS; i++) {
        tpi_buf_printf(&text, "f%d %s 1 \"F.\"\n", i, i % 2 == 0 ? "u8" : "i8");
    }
    tpi_buf_puts(&text, "} struct t \"T.\" {");
    for (int i = 0; i < 16; i++) {
        tpi_buf_printf(&text, " g%d s \"G.\"", i);
    }
    const size_t fits = text.length;
    tpi_buf_puts(&text, " }");
    assert_int_equal(parse(&file, text.data)->step_count, 4096);
    close_file(&file);
    text.length = fits;
    tpi_buf_puts(&text, " h u8 1 \"H.\" }");
    is_refused(&text, "x.padi:258:10: struct t has more than 4096 fields, nested ones included");
    tpi_buf_fini(&text);
}

static void structs_are_nested_at_most_32_deep(void **state)
{
    static const char *const shapes[] = {"", "[2]", "[n]"};

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++) {
        tpi_buf text = {0};
        tpi_buf_puts(&text, "interface x 150 \"X.\"\nstruct s1 \"S.\" { a u8 1 \"A.\" }\n");
        for (int i = 2; i <= 33; i++) {
            tpi_buf_printf(&text, "struct s%d \"S.\" { n u32 count \"N.\" a s%d%s \"A.\" }\n", i,
                           i - 1, i % 7 == 0 ? shapes[k] : "");
        }
        is_refused(&text, "x.padi:34:8: struct s33 has structs in it more than 32 deep");
        tpi_buf_fini(&text);
    }
}

static void limits_are_told_without_a_parser_too(void **state)
{
    tp_field field = {
        .name = "a", .type = TP_TYPE_F64, .shape = TP_SHAPE_FIXED, .length = UINT32_MAX};
    tp_struct type = {.name = "huge", .fields = &field, .field_count = 1};
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_plan_layout(&type, &field, &err), TP_E_LIMIT);
    assert_string_equal(err.text, "struct huge is larger than 16777216 bytes");
}

static void paths_are_optional(void **state)
{
    tp_field fields[] = {{.name = "a", .type = TP_TYPE_F64}, {.name = "b", .type = TP_TYPE_I64}};
    tp_struct type = {.name = "pair", .fields = fields, .field_count = COUNT(fields)};
    tpi_arena arena = {0};

    (void)state;
    assert_int_equal(tpi_plan_layout(&type, fields, NULL), TP_OK);
    assert_int_equal(tpi_plan_make(&type, &arena, NULL, NULL), TP_OK);
    assert_int_equal(type.step_count, 1);
    assert_int_equal(type.wire_min, 16);
    tpi_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_at_run_time_equals_what_the_compiler_made_of_it),
        cmocka_unit_test(fields_are_laid_out_as_c_does),
        cmocka_unit_test(elements_have_the_size_and_alignment_of_their_type),
        cmocka_unit_test(sizes_on_the_wire_are_whole_words),
        cmocka_unit_test(items_have_their_size_in_memory),
        cmocka_unit_test(neighbours_of_one_width_are_one_run),
        cmocka_unit_test(a_pose_is_a_single_run_and_so_are_arrays_of_it),
        cmocka_unit_test(a_fixed_array_of_poses_joins_the_run_beside_it),
        cmocka_unit_test(padding_and_other_widths_end_a_run),
        cmocka_unit_test(arrays_of_bytes_are_packed_and_stand_alone),
        cmocka_unit_test(each_variable_array_has_its_slot),
        cmocka_unit_test(counts_of_nested_structs_are_found_where_they_are),
        cmocka_unit_test(structs_that_are_no_run_are_visited_one_by_one),
        cmocka_unit_test(a_struct_that_holds_variable_ones_is_variable),
        cmocka_unit_test(a_run_may_be_behind_longer_paths_than_any_buffer),
        cmocka_unit_test(a_struct_has_at_most_16_variable_arrays),
        cmocka_unit_test(a_struct_has_at_most_16_megabytes),
        cmocka_unit_test(a_struct_has_at_most_16_megabytes_on_the_wire),
        cmocka_unit_test(a_struct_has_at_most_4096_fields_with_nested_ones),
        cmocka_unit_test(structs_are_nested_at_most_32_deep),
        cmocka_unit_test(limits_are_told_without_a_parser_too),
        cmocka_unit_test(paths_are_optional),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
