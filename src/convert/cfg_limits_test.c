/* cfg_limits_test.c - large, deep, cut and spoilt configurations, and little memory. */
#include "convert/cfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cfg.h"
#include "support/memory.h"
#include "support/unit.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

/* A bit of everything, without includes. */
static const char example[] =
    "\xef\xbb\xbfunit_length \"cm\" # the units come first\r\n"
    "define sick laser ( range_max 8.0 samples [180 181,182] )\n"
    "define fast_sick sick ( range_max 9e0 mount ( pose[0 0 1] ) )\n"
    "plugin \"libx\"\nplugin \"liby\";\n"
    "driver\n(\n  name \"fake\"\n  provides [ \"position2d:0\" # wheels\n \"laser:0\" ]\n"
    "  alwayson yes\n  point[0] [1.5 -2 +.5]\n  fast_sick ( range_max 0x10 samples 1 )\n)\n";

static tpi_cfg *parse(const tpi_buf *text)
{
    tpi_cfg *cfg = NULL;
    tp_error err = {0};

    tp_status status = cfg_parse_bytes(&cfg, text->data, text->length, NULL, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, TP_OK);
    return cfg;
}

static void is_refused(const tpi_buf *text, tp_status code, const char *error)
{
    tpi_cfg *cfg = NULL;
    tp_error err = {0};

    assert_int_equal(cfg_parse_bytes(&cfg, text->data, text->length, NULL, &err), code);
    assert_string_equal(err.text, error);
    assert_null(cfg);
}

static void repeat(tpi_buf *text, const char *piece, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tpi_buf_puts(text, piece);
    }
}

static void ends_cleanly(const char *text, size_t length)
{
    tpi_cfg *cfg = NULL;
    tp_error err = {0};

    tp_status status = cfg_parse_bytes(&cfg, text, length, NULL, &err);
    if (status != TP_OK) {
        assert_int_equal(strncmp(err.text, "x.cfg:", 6), 0);
        assert_null(cfg);
    }
    tpi_cfg_destroy(cfg);
}

/* ---- Long and many --------------------------------------------------------------------------- */

static void comments_may_be_long(void **state)
{
    tpi_buf text = {0};

    (void)state;
    repeat(&text, "#123456789abcdef", (10 << 20) / 16);
    tpi_buf_puts(&text, "\na 1");
    tpi_cfg *cfg = parse(&text);
    assert_int_equal(tpi_cfg_root(cfg)->fields[0].place.line, 2);
    tpi_cfg_destroy(cfg);
    tpi_buf_fini(&text);
}

static void words_texts_and_blanks_may_be_long(void **state)
{
    const size_t length = 1 << 20;
    tpi_buf text = {0};

    (void)state;
    repeat(&text, "abcd", length / 4);
    repeat(&text, "    ", length / 4);
    tpi_buf_puts(&text, "\"");
    repeat(&text, "efgh", length / 4);
    tpi_buf_puts(&text, "\" z 5");
    tpi_cfg *cfg = parse(&text);
    const tpi_cfg_field *fields = tpi_cfg_root(cfg)->fields;
    assert_int_equal(strlen(fields[0].name), length);
    assert_int_equal(strlen(fields[0].values[0].text), length);
    assert_int_equal(fields[1].place.column, 3 * length + 4);
    tpi_cfg_destroy(cfg);
    tpi_buf_fini(&text);
}

static void numbers_may_have_800_digits(void **state)
{
    tpi_buf text = {0};
    double value = 0;

    (void)state;
    tpi_buf_puts(&text, "a ");
    repeat(&text, "0", 5000);
    tpi_buf_puts(&text, "2.5");
    repeat(&text, "0", 790);
    tpi_cfg *cfg = parse(&text);
    assert_int_equal(tpi_cfg_number(tpi_cfg_root(cfg), "a", 0, &value, NULL), TP_OK);
    assert_true(value == 2.5);
    tpi_cfg_destroy(cfg);
    repeat(&text, "0", 10);
    is_refused(&text, TP_E_SYNTAX,
               "x.cfg:1:3: the number 00000000000000000000... has too many digits");
    tpi_buf_fini(&text);
}

static void sections_may_have_many_fields(void **state)
{
    enum { MANY = 100000 };
    tpi_buf text = {0};

    (void)state;
    for (int i = 0; i < MANY; i++) {
        tpi_buf_printf(&text, "f%d %d\n", i, i);
    }
    tpi_buf_puts(&text, "f0 [7 8] f31 7 f32 7 f99999 7 new 9");
    tpi_cfg *cfg = parse(&text);
    tpi_cfg_section *root = tpi_cfg_root(cfg);
    assert_int_equal(root->field_count, MANY + 1);
    for (uint32_t i = 0; i < MANY; i++) {
        const bool again = i == 0 || i == 31 || i == 32 || i == 99999;
        assert_true(root->fields[i].values[0].number == (again ? 7 : (double)i));
    }
    assert_int_equal(root->fields[0].value_count, 2);
    assert_ptr_equal(tpi_cfg_find(root, "new"), &root->fields[MANY]);
    tpi_cfg_destroy(cfg);
    tpi_buf_fini(&text);
}

static void macros_may_have_many_fields(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "define m p (");
    for (int i = 0; i < 40; i++) {
        tpi_buf_printf(&text, " f%d %d", i, i);
    }
    tpi_buf_puts(&text, ") m ( f3 9 f39 9 ) m ( g 1 )");
    tpi_cfg *cfg = parse(&text);
    const tpi_cfg_section *root = tpi_cfg_root(cfg);
    assert_int_equal(root->sections[0]->field_count, 40);
    assert_true(root->sections[0]->fields[3].values[0].number == 9);
    assert_true(root->sections[0]->fields[39].values[0].number == 9);
    assert_int_equal(root->sections[1]->field_count, 41);
    assert_true(root->sections[1]->fields[39].values[0].number == 39);
    tpi_cfg_destroy(cfg);
    tpi_buf_fini(&text);
}

static void files_may_have_many_sections_macros_and_values(void **state)
{
    enum { MANY = 20000 };
    tpi_buf text = {0};

    (void)state;
    for (int i = 0; i < MANY; i++) {
        tpi_buf_printf(&text, "define m%d p ( a %d ) m%d ( )\n", i, i, i);
    }
    tpi_buf_puts(&text, "tuple [");
    repeat(&text, " 1", MANY);
    tpi_buf_puts(&text, " ]");
    tpi_cfg *cfg = parse(&text);
    const tpi_cfg_section *root = tpi_cfg_root(cfg);
    assert_int_equal(root->section_count, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(root->sections[i]->fields[0].values[0].number == (double)i);
    }
    assert_int_equal(root->fields[0].value_count, MANY);
    tpi_cfg_destroy(cfg);
    tpi_buf_fini(&text);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static void sections_are_at_most_64_deep(void **state)
{
    tpi_buf text = {0};

    (void)state;
    repeat(&text, "s(", 64);
    repeat(&text, ")", 64);
    tpi_cfg_destroy(parse(&text));
    tpi_buf_clear(&text);
    repeat(&text, "s(", 65);
    repeat(&text, ")", 65);
    is_refused(&text, TP_E_LIMIT, "x.cfg:1:129: sections are nested deeper than 64");
    tpi_buf_clear(&text);
    repeat(&text, "define m p (", 100000);
    is_refused(&text, TP_E_LIMIT, "x.cfg:1:776: sections are nested deeper than 64");
    tpi_buf_fini(&text);
}

static void macros_do_not_lead_deeper(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "define m p ( ");
    repeat(&text, "s(", 33);
    repeat(&text, ")", 33);
    tpi_buf_puts(&text, ")\n");
    repeat(&text, "s(", 30);
    tpi_buf_puts(&text, "m()");
    repeat(&text, ")", 30);
    tpi_cfg_destroy(parse(&text));
    tpi_buf_puts(&text, "\n");
    repeat(&text, "s(", 31);
    tpi_buf_puts(&text, "m()");
    is_refused(&text, TP_E_LIMIT, "x.cfg:1:78: sections are nested deeper than 64");
    tpi_buf_fini(&text);
}

static void macros_rest_on_at_most_64_macros(void **state)
{
    tpi_buf text = {0};

    (void)state;
    for (int i = 1; i <= 65; i++) {
        tpi_buf_printf(&text, "define m%d m%d ( a%d 1 )\n", i, i - 1, i);
    }
    tpi_buf_puts(&text, "m64 ( )\n");
    tpi_cfg *cfg = parse(&text);
    assert_int_equal(tpi_cfg_root(cfg)->sections[0]->field_count, 64);
    assert_string_equal(tpi_cfg_root(cfg)->sections[0]->type, "m0");
    assert_string_equal(tpi_cfg_root(cfg)->sections[0]->macro, "m64");
    tpi_cfg_destroy(cfg);
    tpi_buf_puts(&text, "m65 ( )\n");
    is_refused(&text, TP_E_LIMIT, "x.cfg:2:11: macros are nested deeper than 64");
    tpi_buf_fini(&text);
}

/* Each macro has ten of the next: 10^8 sections from a few lines. */
static void macros_cannot_fill_the_memory(void **state)
{
    tpi_buf text = {0};

    (void)state;
    for (int i = 0; i < 8; i++) {
        tpi_buf_printf(&text, "define m%d p (", i);
        for (int k = 0; k < 10; k++) {
            tpi_buf_printf(&text, " m%d()", i + 1);
        }
        tpi_buf_puts(&text, " )\n");
    }
    tpi_buf_puts(&text, "m0 ( )");
    is_refused(&text, TP_E_LIMIT,
               "x.cfg:8:35: the macros make more than 4202848 sections and fields");
    tpi_buf_fini(&text);
}

/* Overriding a value of a macro copies the tuple; so does the next one. */
static void overriding_cannot_fill_the_memory(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "define m p ( a [");
    repeat(&text, " 1", 10000);
    tpi_buf_puts(&text, " ] )\nm (");
    repeat(&text, "\na 1", 1000);
    is_refused(&text, TP_E_LIMIT,
               "x.cfg:460:1: the macros make more than 4578688 sections and fields");
    tpi_buf_fini(&text);
}

static void files_are_at_most_64_megabytes_long(void **state)
{
    tpi_cfg *cfg = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_cfg_parse(&cfg, "x.cfg", "", (64 << 20) + 1, NULL, NULL, &err),
                     TP_E_LIMIT);
    assert_string_equal(err.text, "x.cfg: longer than 67108864 bytes");
    assert_null(cfg);
}

/* ---- Cut, spoilt, and little memory ---------------------------------------------------------- */

static void the_example_is_understood(void **state)
{
    tpi_buf text = {0};
    tpi_buf out = {0};

    (void)state;
    tpi_buf_puts(&text, example);
    tpi_cfg *cfg = parse(&text);
    cfg_put(&out, tpi_cfg_root(cfg));
    assert_string_equal(
        out.data,
        "unit_length='cm' plugin=['libx' 'liby'] "
        "driver( name='fake' provides=['position2d:0' 'laser:0'] "
        "alwayson=yes point[0]=[1.5 -2 +.5] "
        "laser<fast_sick>( range_max=0x10 samples=[1 181 182] mount( pose=[0 0 1] ) ) ) ");
    tpi_buf_fini(&out);
    tpi_buf_fini(&text);
    tpi_cfg_destroy(cfg);
}

static void every_prefix_ends_cleanly(void **state)
{
    (void)state;
    for (size_t length = 0; length <= strlen(example); length++) {
        ends_cleanly(example, length);
    }
}

static void every_wrong_character_ends_cleanly(void **state)
{
    static const char wrong[] = {'\0', '"', '(', ')', '[', ']', ',', ';',  '#',    '\n',
                                 '\r', 'x', '1', '-', '.', ' ', '=', '\\', '\x7f', '\xff'};
    char text[sizeof example];

    (void)state;
    memcpy(text, example, sizeof text);
    for (size_t at = 0; at < strlen(example); at++) {
        for (size_t i = 0; i < sizeof wrong; i++) {
            text[at] = wrong[i];
            ends_cleanly(text, strlen(example));
        }
        text[at] = example[at];
    }
}

static tp_status parse_and_free(void *context)
{
    const tpi_buf *text = context;
    tpi_cfg *cfg = NULL;
    tp_error err = {0};

    tp_status status = tpi_cfg_parse(&cfg, "x.cfg", text->data, text->length, NULL, NULL, &err);
    assert_string_equal(err.text, status == TP_OK ? "" : "x.cfg: out of memory");
    tpi_cfg_destroy(cfg);
    return status;
}

/* The arena takes memory in chunks of 8 KB; a long word moves the end of the first one along. */
static void memory_may_run_out_at_any_place(void **state)
{
    (void)state;
    for (size_t length = 1; length < 8192; length += 16) {
        tpi_buf text = {0};
        repeat(&text, "w", length);
        tpi_buf_printf(&text, " 1\n%s", example + 3);
        memory_sweep(parse_and_free, &text);
        tpi_buf_fini(&text);
    }
}

static void memory_may_run_out_for_large_things(void **state)
{
    tpi_buf text = {0};

    (void)state;
    for (int i = 0; i < 400; i++) {
        tpi_buf_printf(&text, "f%d %d s%d ( ) define m%d p ( a %d )\n", i, i, i, i, i);
    }
    tpi_buf_puts(&text, "tuple [");
    repeat(&text, " 1", 1000);
    tpi_buf_puts(&text, " ] tuple 5 define m p ( tuple [");
    repeat(&text, " 1", 1000);
    tpi_buf_puts(&text, " ] ) m ( tuple 5 )");
    memory_sweep(parse_and_free, &text);
    tpi_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_may_be_long),
        cmocka_unit_test(words_texts_and_blanks_may_be_long),
        cmocka_unit_test(numbers_may_have_800_digits),
        cmocka_unit_test(sections_may_have_many_fields),
        cmocka_unit_test(macros_may_have_many_fields),
        cmocka_unit_test(files_may_have_many_sections_macros_and_values),
        cmocka_unit_test(sections_are_at_most_64_deep),
        cmocka_unit_test(macros_do_not_lead_deeper),
        cmocka_unit_test(macros_rest_on_at_most_64_macros),
        cmocka_unit_test(macros_cannot_fill_the_memory),
        cmocka_unit_test(overriding_cannot_fill_the_memory),
        cmocka_unit_test(files_are_at_most_64_megabytes_long),
        cmocka_unit_test(the_example_is_understood),
        cmocka_unit_test(every_prefix_ends_cleanly),
        cmocka_unit_test(every_wrong_character_ends_cleanly),
        cmocka_unit_test(memory_may_run_out_at_any_place),
        cmocka_unit_test(memory_may_run_out_for_large_things),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
