/* cfg_read_test.c - reading fields: kinds, fallbacks, units, file names, and what nobody read. */
#include "convert/cfg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cfg.h"
#include "support/memory.h"
#include "support/unit.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

struct bench {
    tpi_cfg *cfg;
    tpi_cfg_section *root;
    tpi_buf notes;
    tp_error err;
};

static void parse(struct bench *b, const char *text)
{
    tpi_cfg_destroy(b->cfg);
    assert_int_equal(cfg_parse_bytes(&b->cfg, text, strlen(text), NULL, &b->err), TP_OK);
    b->root = tpi_cfg_root(b->cfg);
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    parse(b, "text \"slow\" word \"yes\" off \"false\" number 2.5 whole -7 float 3.0\n"
             "on yes not false one 1 zero 0 two 2 hex 0x10 exponent 1e3 plus +5\n"
             "big 9007199254740993 huge 9223372036854775808 hexbig 0x20000000000000\n"
             "tuple [4 \"x\"] texts [\"a\" \"b\"] empty []");
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    tpi_cfg_destroy(b->cfg);
    tpi_buf_fini(&b->notes);
    free(b);
    return 0;
}

/* The last call failed with this text. */
static void assert_refused(struct bench *b, tp_status status, const char *error)
{
    assert_int_equal(status, TP_E_SYNTAX);
    assert_int_equal(b->err.code, TP_E_SYNTAX);
    assert_string_equal(b->err.text, error);
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

static void texts_are_read(void **state)
{
    struct bench *b = *state;
    const char *value = "before";

    assert_int_equal(tpi_cfg_string(b->root, "text", "x", &value, &b->err), TP_OK);
    assert_string_equal(value, "slow");
    assert_int_equal(tpi_cfg_string(b->root, "texts", "x", &value, &b->err), TP_OK);
    assert_string_equal(value, "a");
    assert_int_equal(tpi_cfg_string(b->root, "absent", "x", &value, &b->err), TP_OK);
    assert_string_equal(value, "x");
    assert_int_equal(tpi_cfg_string(b->root, "absent", NULL, &value, &b->err), TP_OK);
    assert_null(value);
    assert_refused(b, tpi_cfg_string(b->root, "number", "x", &value, &b->err),
                   "x.cfg:1:43: \"number\" takes a text in quotes, not 2.5");
    assert_refused(b, tpi_cfg_string(b->root, "on", "x", &value, &b->err),
                   "x.cfg:2:4: \"on\" takes a text in quotes, not yes");
    assert_refused(b, tpi_cfg_string(b->root, "tuple", "x", &value, &b->err),
                   "x.cfg:4:8: \"tuple\" takes a text in quotes, not 4");
    assert_refused(b, tpi_cfg_string(b->root, "empty", "x", &value, &b->err),
                   "x.cfg:4:31: \"empty\" takes a text in quotes, not an empty tuple");
    assert_null(value);
}

static void numbers_are_read(void **state)
{
    struct bench *b = *state;
    double value = -1;

    assert_int_equal(tpi_cfg_number(b->root, "number", 9, &value, &b->err), TP_OK);
    assert_true(value == 2.5);
    assert_int_equal(tpi_cfg_number(b->root, "tuple", 9, &value, &b->err), TP_OK);
    assert_true(value == 4);
    assert_int_equal(tpi_cfg_number(b->root, "hex", 9, &value, &b->err), TP_OK);
    assert_true(value == 16);
    assert_int_equal(tpi_cfg_number(b->root, "absent", 9, &value, &b->err), TP_OK);
    assert_true(value == 9);
    assert_refused(b, tpi_cfg_number(b->root, "text", 1, &value, &b->err),
                   "x.cfg:1:6: \"text\" takes a number, not \"slow\"");
    assert_refused(b, tpi_cfg_number(b->root, "not", 1, &value, &b->err),
                   "x.cfg:2:12: \"not\" takes a number, not false");
    assert_refused(b, tpi_cfg_number(b->root, "empty", 1, &value, &b->err),
                   "x.cfg:4:31: \"empty\" takes a number, not an empty tuple");
    assert_true(value == 9);
}

static void whole_numbers_are_read_exactly(void **state)
{
    static const struct {
        const char *name;
        int64_t value;
    } cases[] = {{"whole", -7},      {"float", 3}, {"hex", 16},
                 {"exponent", 1000}, {"plus", 5},  {"big", 9007199254740993},
                 {"tuple", 4},       {"absent", 9}};
    struct bench *b = *state;
    int64_t value = -1;

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(tpi_cfg_integer(b->root, cases[i].name, 9, &value, &b->err), TP_OK);
        assert_true(value == cases[i].value);
    }
    assert_refused(b, tpi_cfg_integer(b->root, "number", 1, &value, &b->err),
                   "x.cfg:1:43: \"number\" takes a whole number, not 2.5");
    assert_refused(b, tpi_cfg_integer(b->root, "huge", 1, &value, &b->err),
                   "x.cfg:3:27: \"huge\" takes a whole number, not 9223372036854775808");
    assert_refused(b, tpi_cfg_integer(b->root, "hexbig", 1, &value, &b->err),
                   "x.cfg:3:54: \"hexbig\" takes a whole number, not 0x20000000000000");
    assert_refused(b, tpi_cfg_integer(b->root, "text", 1, &value, &b->err),
                   "x.cfg:1:6: \"text\" takes a whole number, not \"slow\"");
    assert_refused(b, tpi_cfg_integer(b->root, "on", 1, &value, &b->err),
                   "x.cfg:2:4: \"on\" takes a whole number, not yes");
    assert_refused(b, tpi_cfg_integer(b->root, "empty", 1, &value, &b->err),
                   "x.cfg:4:31: \"empty\" takes a whole number, not an empty tuple");
    assert_true(value == 9);
}

static void bools_are_words_texts_or_bits(void **state)
{
    static const struct {
        const char *name;
        bool value;
    } cases[] = {{"on", true},    {"not", false}, {"one", true},
                 {"zero", false}, {"word", true}, {"off", false}};
    struct bench *b = *state;
    bool value = false;

    for (size_t i = 0; i < COUNT(cases); i++) {
        bool other = !cases[i].value;
        assert_int_equal(tpi_cfg_bool(b->root, cases[i].name, other, &value, &b->err), TP_OK);
        assert_int_equal(value, cases[i].value);
    }
    assert_int_equal(tpi_cfg_bool(b->root, "absent", true, &value, &b->err), TP_OK);
    assert_true(value);
    assert_refused(b, tpi_cfg_bool(b->root, "two", false, &value, &b->err),
                   "x.cfg:2:35: \"two\" takes yes or no, not 2");
    assert_refused(b, tpi_cfg_bool(b->root, "text", false, &value, &b->err),
                   "x.cfg:1:6: \"text\" takes yes or no, not \"slow\"");
    assert_refused(b, tpi_cfg_bool(b->root, "empty", false, &value, &b->err),
                   "x.cfg:4:31: \"empty\" takes yes or no, not an empty tuple");
    assert_true(value);
}

static void found_fields_are_marked_as_used(void **state)
{
    struct bench *b = *state;
    const tpi_cfg_field *field = tpi_cfg_find(b->root, "texts");

    assert_non_null(field);
    assert_true(field->used);
    assert_true(field->tuple);
    assert_int_equal(field->value_count, 2);
    assert_string_equal(field->values[1].text, "b");
    assert_null(tpi_cfg_find(b->root, "absent"));
    assert_false(b->root->fields[0].used);
}

static void a_reader_can_fail_at_a_value(void **state)
{
    struct bench *b = *state;
    const tpi_cfg_field *field = tpi_cfg_find(b->root, "text");

    assert_refused(b, tpi_cfg_fail(&field->values[0].place, &b->err, "no %s today", "slowness"),
                   "x.cfg:1:6: no slowness today");
    assert_int_equal(tpi_cfg_fail(&field->place, NULL, "x"), TP_E_SYNTAX);
}

/* ---- Units ----------------------------------------------------------------------------------- */

static const double degree = 3.14159265358979323846 / 180;

static void lengths_and_angles_are_scaled(void **state)
{
    static const struct {
        const char *text;
        double length;
        double angle;
    } cases[] = {
        {"a ( x 500 )", 1, 3.14159265358979323846 / 180},
        {"unit_length \"m\" unit_angle \"degrees\" a ( x 500 )", 1, 3.14159265358979323846 / 180},
        {"unit_length \"cm\" a ( x 500 )", 0.01, 3.14159265358979323846 / 180},
        {"a ( x 500 ) unit_length \"mm\" unit_angle \"radians\"", 0.001, 1},
        {"unit_length [\"cm\"] a ( x 500 unit_length \"mm\" )", 0.01, 3.14159265358979323846 / 180},
    };
    struct bench *b = *state;
    double value = 0;

    for (size_t i = 0; i < COUNT(cases); i++) {
        parse(b, cases[i].text);
        tpi_cfg_section *a = b->root->sections[0];
        assert_true(tpi_cfg_length_unit(a) == cases[i].length);
        assert_true(tpi_cfg_angle_unit(b->root) == cases[i].angle);
        assert_int_equal(tpi_cfg_length(a, "x", 7, &value, &b->err), TP_OK);
        assert_true(value == 500 * cases[i].length);
        assert_int_equal(tpi_cfg_angle(a, "x", 7, &value, &b->err), TP_OK);
        assert_true(value == 500 * cases[i].angle);
        assert_int_equal(tpi_cfg_length(a, "absent", 7, &value, &b->err), TP_OK);
        assert_true(value == 7);
        assert_int_equal(tpi_cfg_angle(a, "absent", degree, &value, &b->err), TP_OK);
        assert_true(value == degree);
    }
}

static void lengths_and_angles_are_numbers(void **state)
{
    struct bench *b = *state;
    double value = 7;

    assert_refused(b, tpi_cfg_length(b->root, "text", 1, &value, &b->err),
                   "x.cfg:1:6: \"text\" takes a number, not \"slow\"");
    assert_refused(b, tpi_cfg_angle(b->root, "on", 1, &value, &b->err),
                   "x.cfg:2:4: \"on\" takes a number, not yes");
    assert_true(value == 7);
}

/* ---- File names ------------------------------------------------------------------------------ */

static void file_names_are_relative_to_their_file(void **state)
{
    static const struct {
        const char *file, *name, *path;
    } cases[] = {
        {"x.cfg", "map.png", "map.png"},
        {"robots/x.cfg", "map.png", "robots/map.png"},
        {"robots/x.cfg", "../map.png", "robots/../map.png"},
        {"/etc/robots/x.cfg", "maps/map.png", "/etc/robots/maps/map.png"},
        {"/x.cfg", "map.png", "/map.png"},
        {"robots/x.cfg", "/maps/map.png", "/maps/map.png"},
        {"x.cfg", "-", "./-"},
        {"robots/x.cfg", "-", "robots/-"},
    };
    struct bench *b = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        tpi_cfg_value value = {
            .kind = TPI_CFG_STRING, .text = cases[i].name, .place = {.file = cases[i].file}};
        char *path = NULL;
        assert_int_equal(tpi_cfg_path(&value, &path, &b->err), TP_OK);
        assert_string_equal(path, cases[i].path);
        free(path);
    }
}

static void what_names_no_file_is_refused(void **state)
{
    struct bench *b = *state;
    char *path = NULL;

    parse(b, "a 5 b \"\" c no");
    assert_refused(b, tpi_cfg_path(&b->root->fields[0].values[0], &path, &b->err),
                   "x.cfg:1:3: expected the name of a file in quotes, not 5");
    assert_refused(b, tpi_cfg_path(&b->root->fields[1].values[0], &path, &b->err),
                   "x.cfg:1:7: the name of the file is empty");
    assert_refused(b, tpi_cfg_path(&b->root->fields[2].values[0], &path, &b->err),
                   "x.cfg:1:12: expected the name of a file in quotes, not no");
    assert_null(path);
}

static tp_status make_path(void *context)
{
    const tpi_cfg_value *value = context;
    char *path = NULL;
    tp_error err = {0};

    tp_status status = tpi_cfg_path(value, &path, &err);
    assert_string_equal(err.text, status == TP_OK ? "" : "x.cfg: out of memory");
    free(path);
    return status;
}

static void a_path_needs_memory(void **state)
{
    struct bench *b = *state;

    memory_sweep(make_path, &b->root->fields[0].values[0]);
}

/* ---- What nobody read ------------------------------------------------------------------------ */

static void unused_fields_are_told_with_the_nearest_name(void **state)
{
    static const char *const known[] = {"alwayson", "speed", "name", NULL};
    struct bench *b = *state;

    parse(b, "driver\n(\n  name \"x\"\n  alwayon 1\n  wheels 4\n  speed 2\n  sub ( sped 1 )\n)");
    tpi_cfg_section *driver = b->root->sections[0];
    tpi_cfg_find(driver, "name");
    tpi_cfg_report_unused(driver, known, false, cfg_collect, &b->notes);
    assert_string_equal(b->notes.data,
                        "x.cfg:4:3: \"alwayon\" is not used; did you mean \"alwayson\"?\n"
                        "x.cfg:5:3: \"wheels\" is not used\n"
                        "x.cfg:6:3: \"speed\" is not used");
    tpi_buf_clear(&b->notes);
    tpi_cfg_find(driver, "alwayon");
    tpi_cfg_find(driver, "wheels");
    tpi_cfg_find(driver, "speed");
    tpi_cfg_report_unused(b->root, known, true, cfg_collect, &b->notes);
    assert_string_equal(b->notes.data, "x.cfg:7:9: \"sped\" is not used; did you mean \"speed\"?");
    tpi_buf_clear(&b->notes);
    tpi_cfg_report_unused(b->root, NULL, true, cfg_collect, &b->notes);
    assert_string_equal(b->notes.data, "x.cfg:7:9: \"sped\" is not used");
    tpi_cfg_report_unused(b->root, known, true, NULL, NULL);
}

static void units_are_used_by_the_parser(void **state)
{
    struct bench *b = *state;

    parse(b, "unit_length \"m\" unit_angle \"radians\" unit_mass \"kg\"");
    tpi_cfg_report_unused(b->root, NULL, true, cfg_collect, &b->notes);
    assert_string_equal(b->notes.data, "x.cfg:1:38: \"unit_mass\" is not used");
}

static void a_field_of_a_macro_is_told_of_once(void **state)
{
    struct bench *b = *state;

    parse(b, "define m p ( a 1 s ( b 1 ) )\nm ( ) m ( a 2 ) m ( )");
    tpi_cfg_report_unused(b->root->sections[0], NULL, false, cfg_collect, &b->notes);
    assert_string_equal(b->notes.data, "x.cfg:1:14: \"a\" is not used");
    tpi_buf_clear(&b->notes);
    tpi_cfg_report_unused(b->root, NULL, true, cfg_collect, &b->notes);
    assert_string_equal(b->notes.data, "x.cfg:1:14: \"a\" is not used\n"
                                       "x.cfg:1:22: \"b\" is not used\n"
                                       "x.cfg:2:11: \"a\" is not used");
}

static void a_report_does_not_need_memory(void **state)
{
    struct bench *b = *state;
    char *room = tpi_buf_reserve(&b->notes, 4096);

    assert_non_null(room);
    parse(b, "define m p ( a 1 ) m ( ) m ( )");
    memory_fail_at(1);
    tpi_cfg_report_unused(b->root, NULL, true, cfg_collect, &b->notes);
    assert_true(memory_has_failed());
    memory_fail_at(0);
    assert_string_equal(b->notes.data,
                        "x.cfg:1:14: \"a\" is not used\nx.cfg:1:14: \"a\" is not used");
}

#define ON_THE_BENCH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_THE_BENCH(texts_are_read),
        ON_THE_BENCH(numbers_are_read),
        ON_THE_BENCH(whole_numbers_are_read_exactly),
        ON_THE_BENCH(bools_are_words_texts_or_bits),
        ON_THE_BENCH(found_fields_are_marked_as_used),
        ON_THE_BENCH(a_reader_can_fail_at_a_value),
        ON_THE_BENCH(lengths_and_angles_are_scaled),
        ON_THE_BENCH(lengths_and_angles_are_numbers),
        ON_THE_BENCH(file_names_are_relative_to_their_file),
        ON_THE_BENCH(what_names_no_file_is_refused),
        ON_THE_BENCH(a_path_needs_memory),
        ON_THE_BENCH(unused_fields_are_told_with_the_nearest_name),
        ON_THE_BENCH(units_are_used_by_the_parser),
        ON_THE_BENCH(a_field_of_a_macro_is_told_of_once),
        ON_THE_BENCH(a_report_does_not_need_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
