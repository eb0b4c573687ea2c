/* cfg_include_test.c - files and what they include, in a temporary folder of their own. */
#include "convert/cfg.h"

#include <stdio.h>
#include <string.h>

#include "support/cfg_files.h"
#include "support/memory.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    *state = bench_create("main.cfg");
    return 0;
}

/* main.cfg is accepted, stands for `tree` and gives no notes. */
static void main_means(struct bench *b, const char *tree)
{
    tpi_cfg_destroy(b->cfg);
    tpi_buf_clear(&b->tree);
    tp_status status = tpi_cfg_load(&b->cfg, b->path, cfg_collect, &b->notes, &b->err);
    assert_string_equal(b->err.text, "");
    assert_int_equal(status, TP_OK);
    cfg_put(&b->tree, tpi_cfg_root(b->cfg));
    assert_string_equal(tpi_buf_text(&b->tree), tree);
    assert_string_equal(tpi_buf_text(&b->notes), "");
}

/* main.cfg is refused; `error` goes without the folder before the file. */
static void main_is_refused(struct bench *b, tp_status code, const char *error)
{
    tp_error wanted;
    tpi_cfg *cfg = NULL;

    tp_fail(&wanted, code, "%s/%s", b->folder, error);
    assert_int_equal(tpi_cfg_load(&cfg, b->path, NULL, NULL, &b->err), code);
    assert_string_equal(b->err.text, wanted.text);
    assert_null(cfg);
}

/* The same for an error that names the folder twice. */
static void main_cannot_include(struct bench *b, const char *place, const char *name,
                                const char *reason)
{
    char error[4096];

    snprintf(error, sizeof error, "%s: cannot include %s/%s: %s", place, b->folder, name, reason);
    main_is_refused(b, TP_E_IO, error);
}

/* ---- What can be included -------------------------------------------------------------------- */

static void an_included_file_is_read_in_its_place(void **state)
{
    struct bench *b = *state;

    file(b, "main.cfg", "a 1 include \"x.inc\" c 3");
    file(b, "x.inc", "b 2 s ( )");
    main_means(b, "a=1 b=2 c=3 s( ) ");
    const tpi_cfg_section *root = tpi_cfg_root(b->cfg);
    assert_string_equal(root->place.file, b->path);
    assert_string_equal(root->fields[0].place.file, b->path);
    assert_string_equal(root->fields[1].place.file, in_folder(b, "x.inc"));
    assert_int_equal(root->fields[1].place.line, 1);
    assert_int_equal(root->fields[1].place.column, 1);
    assert_int_equal(root->fields[2].place.column, 21);
}

static void files_may_be_included_in_sections_and_macros(void **state)
{
    struct bench *b = *state;

    file(b, "main.cfg", "define m p ( include \"x.inc\" )\nd ( include \"x.inc\" ) m ( )");
    file(b, "x.inc", "b 2 s ( ) # no newline");
    main_means(b, "d( b=2 s( ) ) p<m>( b=2 s( ) ) ");
}

static void macros_of_an_included_file_can_be_used(void **state)
{
    struct bench *b = *state;

    file(b, "main.cfg", "include \"x.inc\" m ( a 2 )");
    file(b, "x.inc", "define m p ( a 1 b 1 )\r\n");
    main_means(b, "p<m>( a=2 b=1 ) ");
}

static void a_file_may_be_included_more_than_once(void **state)
{
    struct bench *b = *state;

    file(b, "main.cfg", "a ( include \"x.inc\" ) b ( include \"x.inc\" include \"y.inc\" )");
    file(b, "x.inc", "x 1");
    file(b, "y.inc", "s ( include \"x.inc\" )");
    main_means(b, "a( x=1 ) b( x=1 s( x=1 ) ) ");
}

static void includes_are_relative_to_the_file_that_has_them(void **state)
{
    struct bench *b = *state;
    char *path = NULL;

    file(b, "main.cfg", "include \"sub/x.inc\"");
    file(b, "sub/x.inc", "include \"y.inc\" bitmap \"z.png\"");
    file(b, "sub/y.inc", "y 1");
    file(b, "y.inc", "y 2");
    main_means(b, "y=1 bitmap='z.png' ");
    const tpi_cfg_field *bitmap = tpi_cfg_find(tpi_cfg_root(b->cfg), "bitmap");
    assert_int_equal(tpi_cfg_path(&bitmap->values[0], &path, &b->err), TP_OK);
    assert_string_equal(path, in_folder(b, "sub/z.png"));
    free(path);
}

static void includes_may_be_relative_to_the_main_file(void **state)
{
    struct bench *b = *state;

    file(b, "main.cfg", "include \"sub/x.inc\"");
    file(b, "sub/x.inc", "include \"y.inc\" include \"sub/z.inc\"");
    file(b, "y.inc", "y 2");
    file(b, "sub/z.inc", "z 3");
    main_means(b, "y=2 z=3 ");
}

static void includes_may_be_absolute(void **state)
{
    struct bench *b = *state;
    char text[1300];

    snprintf(text, sizeof text, "include \"%s\"", in_folder(b, "sub/x.inc"));
    file(b, "main.cfg", text);
    file(b, "sub/x.inc", "x 1");
    main_means(b, "x=1 ");
}

static void texts_include_beside_their_path(void **state)
{
    static const char text[] = "include \"x.inc\"";
    struct bench *b = *state;

    file(b, "x.inc", "x 1, y 2");
    assert_int_equal(
        tpi_cfg_parse(&b->cfg, in_folder(b, "none.cfg"), text, strlen(text), NULL, NULL, &b->err),
        TP_E_SYNTAX);
    tp_error wanted;
    tp_fail(&wanted, TP_E_SYNTAX,
            "%s:1:4: ',' is out of place: fields need none between them, and "
            "several values stand in [ ]",
            in_folder(b, "x.inc"));
    assert_string_equal(b->err.text, wanted.text);
}

static void notes_name_the_included_file(void **state)
{
    struct bench *b = *state;
    tp_error wanted;

    file(b, "main.cfg", "x 1\ninclude \"x.inc\"");
    file(b, "x.inc", "\nx [1]");
    assert_int_equal(tpi_cfg_load(&b->cfg, b->path, cfg_collect, &b->notes, &b->err), TP_OK);
    tp_fail(&wanted, TP_OK, "%s:2:1: \"x\" is given again; its value of line 1 is lost",
            in_folder(b, "x.inc"));
    assert_string_equal(tpi_buf_text(&b->notes), wanted.text);
}

/* ---- What cannot ----------------------------------------------------------------------------- */

static void missing_files_are_refused(void **state)
{
    struct bench *b = *state;

    main_is_refused(b, TP_E_IO, "main.cfg: No such file or directory");
    file(b, "main.cfg", "a 1\n  include \"gone.inc\"");
    main_cannot_include(b, "main.cfg:2:3", "gone.inc", "No such file or directory");
    file(b, "main.cfg", "include \"sub\"");
    main_cannot_include(b, "main.cfg:1:1", "sub", "Is a directory");
    file(b, "main.cfg", "include \"sub/x.inc\"");
    file(b, "sub/x.inc", "s ( include \"gone.inc\" )");
    char reason[1300];
    snprintf(reason, sizeof reason, "No such file or directory; nor is it in %s", b->folder);
    main_cannot_include(b, "sub/x.inc:1:5", "sub/gone.inc", reason);
}

static void standard_input_is_not_included(void **state)
{
    static const char text[] = "include \"-\"";
    struct bench *b = *state;

    assert_int_equal(tpi_cfg_parse(&b->cfg, "x.cfg", text, strlen(text), NULL, NULL, &b->err),
                     TP_E_IO);
    assert_string_equal(b->err.text, "x.cfg:1:1: cannot include ./-: No such file or directory");
}

static void circles_are_refused(void **state)
{
    struct bench *b = *state;

    file(b, "main.cfg", "include \"main.cfg\"");
    main_is_refused(b, TP_E_SYNTAX,
                    "main.cfg:1:1: \"main.cfg\" cannot be included: it includes this file");
    file(b, "main.cfg", "include \"x.inc\"");
    file(b, "x.inc", "s (\n include \"sub/y.inc\" )");
    file(b, "sub/y.inc", "a 1\ninclude \"x.inc\"");
    main_is_refused(b, TP_E_SYNTAX,
                    "sub/y.inc:2:1: \"x.inc\" cannot be included: it includes this file");
    file(b, "main.cfg", "include \"sub/../main.cfg\"");
    main_is_refused(b, TP_E_LIMIT,
                    "sub/../sub/../sub/../sub/../sub/../sub/../sub/../sub/../sub/../sub/../sub/../"
                    "sub/../sub/../sub/../sub/../sub/../main.cfg:1:1: "
                    "files include each other deeper than 16");
}

static void includes_are_at_most_16_deep(void **state)
{
    struct bench *b = *state;
    char name[16];
    char text[32];

    file(b, "main.cfg", "include \"1\"");
    for (int i = 1; i <= 16; i++) {
        snprintf(name, sizeof name, "%d", i);
        snprintf(text, sizeof text, "include \"%d\"", i + 1);
        file(b, name, i < 16 ? text : "deepest 1");
    }
    main_means(b, "deepest=1 ");
    file(b, "16", "\n include \"17\"");
    file(b, "17", "");
    main_is_refused(b, TP_E_LIMIT, "16:2:2: files include each other deeper than 16");
}

static void sections_end_in_the_file_where_they_began(void **state)
{
    struct bench *b = *state;

    file(b, "main.cfg", "d ( include \"x.inc\"");
    file(b, "x.inc", "a 1 )");
    main_is_refused(b, TP_E_SYNTAX, "x.inc:1:5: \")\" closes nothing");
    file(b, "x.inc", "s ( a 1");
    main_is_refused(b, TP_E_SYNTAX,
                    "x.inc:1:8: expected \")\" for \"s\" of line 1, found the end of the file");
    file(b, "x.inc", "a");
    main_is_refused(b, TP_E_SYNTAX,
                    "x.inc:1:2: expected a value for \"a\", found the end of the file");
}

static void all_files_together_are_limited(void **state)
{
    struct bench *b = *state;
    const size_t length = (40 << 20) - 1;
    char *text = malloc(length + 1);

    assert_non_null(text);
    memset(text, '#', length);
    text[length] = '\0';
    file(b, "x.inc", text);
    file(b, "main.cfg", "include \"x.inc\" a 1");
    main_means(b, "a=1 ");
    file(b, "main.cfg", "include \"x.inc\"\ninclude \"x.inc\" a 1");
    main_is_refused(b, TP_E_LIMIT,
                    "main.cfg:2:1: with \"x.inc\" the files are longer than 67108864 bytes");
    free(text);
}

/* ---- Little memory --------------------------------------------------------------------------- */

static tp_status load_and_free(void *context)
{
    struct bench *b = context;
    tpi_cfg *cfg = NULL;
    tp_error err = {0};

    tp_status status = tpi_cfg_load(&cfg, b->path, NULL, NULL, &err);
    if (status != TP_OK) {
        assert_null(cfg);
        assert_non_null(strstr(err.text, ": out of memory"));
    }
    tpi_cfg_destroy(cfg);
    return status;
}

/* The arena takes memory in chunks of 8 KB; a long text moves the end of the first one along. */
static void little_memory_is_told_and_nothing_is_lost(void **state)
{
    struct bench *b = *state;
    static char text[8192 + 256];

    file(b, "sub/x.inc", "include \"y.inc\" include \"z.inc\"");
    file(b, "sub/y.inc", "define m p ( a [1 2 3] s ( b 1 ) ) define n m ( a 2 )");
    file(b, "z.inc", "n ( a [5 6] ) driver ( name \"x\" provides [ \"y\" \"z\" ] )");
    for (size_t length = 1; length < 8192; length += 80) {
        memset(text, 'x', length);
        snprintf(text + length, sizeof text - length, " 1 include \"sub/x.inc\" n ( a [3] c 1 )");
        assert_int_equal(tpi_file_write(b->path, text, strlen(text), &b->err), TP_OK);
        memory_sweep(load_and_free, b);
    }
    tpi_buf_put(&b->files, "main.cfg", 9);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(an_included_file_is_read_in_its_place),
        IN_A_FOLDER(files_may_be_included_in_sections_and_macros),
        IN_A_FOLDER(macros_of_an_included_file_can_be_used),
        IN_A_FOLDER(a_file_may_be_included_more_than_once),
        IN_A_FOLDER(includes_are_relative_to_the_file_that_has_them),
        IN_A_FOLDER(includes_may_be_relative_to_the_main_file),
        IN_A_FOLDER(includes_may_be_absolute),
        IN_A_FOLDER(texts_include_beside_their_path),
        IN_A_FOLDER(notes_name_the_included_file),
        IN_A_FOLDER(missing_files_are_refused),
        IN_A_FOLDER(standard_input_is_not_included),
        IN_A_FOLDER(circles_are_refused),
        IN_A_FOLDER(includes_are_at_most_16_deep),
        IN_A_FOLDER(sections_end_in_the_file_where_they_began),
        IN_A_FOLDER(all_files_together_are_limited),
        IN_A_FOLDER(little_memory_is_told_and_nothing_is_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
