/* cfg_stage_test.c - what differs in Stage's files: repeated fields, and where includes are found.
 */
#include "convert/cfg.h"

#include <stdio.h>
#include <string.h>

#include "support/cfg_files.h"
#include "support/memory.h"

static int set_up(void **state)
{
    *state = bench_create("main.world");
    return 0;
}

static tp_status load(struct bench *b)
{
    const tpi_cfg_options options = {.dialect = TPI_CFG_STAGE,
                                     .folders = b->folders[0] == '\0' ? NULL : b->folders,
                                     .note = cfg_collect,
                                     .context = &b->notes};

    tpi_cfg_destroy(b->cfg);
    b->cfg = NULL;
    return tpi_cfg_load_as(&b->cfg, b->path, &options, &b->err);
}

/* main.world stands for `tree` and gives no notes. */
static void main_means(struct bench *b, const char *tree)
{
    tpi_buf_clear(&b->tree);
    tp_status status = load(b);
    assert_string_equal(b->err.text, "");
    assert_int_equal(status, TP_OK);
    cfg_put(&b->tree, tpi_cfg_root(b->cfg));
    assert_string_equal(tpi_buf_text(&b->tree), tree);
    assert_string_equal(tpi_buf_text(&b->notes), "");
}

static void the_last_value_replaces_the_others(void **state)
{
    struct bench *b = *state;

    file(b, "main.world", "define m p ( a [1 2 3] c [1 2] ) m ( a [4] c 5 ) m ( )");
    main_means(b, "p<m>( a=[4] c=5 ) p<m>( a=[1 2 3] c=[1 2] ) ");
}

static void notes_speak_of_stage(void **state)
{
    struct bench *b = *state;
    char wanted[4096];

    file(b, "main.world", "a [1,2]\na 1e1\n");
    assert_int_equal(load(b), TP_OK);
    snprintf(wanted, sizeof wanted,
             "%s:1:5: Stage refuses \",\" between values\n"
             "%s:2:3: Stage misreads a number with an exponent: 1e1\n"
             "%s:2:1: \"a\" is given again; its value of line 1 is lost",
             b->path, b->path, b->path);
    assert_string_equal(tpi_buf_text(&b->notes), wanted);
}

static void what_stage_reads_otherwise_is_told(void **state)
{
    struct bench *b = *state;
    tpi_buf wanted = {0};

    file(b, "main.world",
         "a [1 # one\n2] b\n\"x\" c [\n] d 1\ninclude \"x.inc\" e 2 # all\n"
         "include \"x.inc\" # more\ns ( include \"x.inc\" )");
    file(b, "x.inc", "x ( )");
    assert_int_equal(load(b), TP_OK);
    tpi_buf_printf(&wanted,
                   "%s:1:1: Stage wants \"a\" and its values in one line\n"
                   "%s:2:4: Stage wants \"b\" and its values in one line\n"
                   "%s:3:5: Stage wants \"c\" and its values in one line\n"
                   "%s:5:17: Stage ignores what follows an include in its line\n"
                   "%s:7:21: Stage ignores what follows an include in its line",
                   b->path, b->path, b->path, b->path, b->path);
    assert_string_equal(tpi_buf_text(&b->notes), tpi_buf_text(&wanted));
    cfg_put(&b->tree, tpi_cfg_root(b->cfg)); /* all of it is read */
    assert_string_equal(tpi_buf_text(&b->tree), "a=[1 2] b='x' c=[] d=1 e=2 x( ) x( ) s( x( ) ) ");
    tpi_buf_fini(&wanted);
}

static void includes_are_beside_the_main_file_first(void **state)
{
    struct bench *b = *state;

    file(b, "main.world", "include \"sub/x.inc\"");
    file(b, "sub/x.inc", "include \"y.inc\"\ninclude \"z.inc\"");
    file(b, "sub/y.inc", "y 1");
    file(b, "y.inc", "y 2");
    file(b, "sub/z.inc", "z 3");
    main_means(b, "y=2 z=3 ");
}

static void folders_are_searched_for_names_without_theirs(void **state)
{
    struct bench *b = *state;

    snprintf(b->folders, sizeof b->folders, "/nowhere:%s/lib:%s/sub", b->folder, b->folder);
    file(b, "main.world", "include \"gone/x.inc\"\ninclude \"/gone/y.inc\"\ninclude \"z.inc\"");
    file(b, "lib/x.inc", "x 1");
    file(b, "sub/x.inc", "x 2");
    file(b, "sub/y.inc", "y 3");
    file(b, "z.inc", "z 4");
    file(b, "lib/z.inc", "z 5");
    main_means(b, "x=1 y=3 z=4 ");
}

static void a_file_that_is_nowhere_is_refused(void **state)
{
    static const char *const rest[] = {"", "", "; nor is it in /nowhere",
                                       "; nor is it in /nowhere or /gone",
                                       "; nor is it in /nowhere, /gone or /"};
    static const char *const folders[] = {"", "::", "/nowhere::", "/nowhere/:/gone:/nowhere",
                                          "/nowhere:/gone:/"};
    struct bench *b = *state;
    tp_error wanted;

    file(b, "main.world", "include \"x.inc\"");
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        tp_fail(&wanted, TP_E_IO, "%s:1:1: cannot include %s/x.inc: No such file or directory%s",
                b->path, b->folder, rest[i]);
        snprintf(b->folders, sizeof b->folders, "%s", folders[i]);
        assert_int_equal(load(b), TP_E_IO);
        assert_string_equal(b->err.text, wanted.text);
        assert_string_equal(tpi_buf_text(&b->notes), "");
    }
}

static void a_file_that_is_not_beside_an_included_one_is_refused(void **state)
{
    struct bench *b = *state;
    tp_error wanted;

    snprintf(b->folders, sizeof b->folders, "/gone:%s", b->folder);
    file(b, "main.world", "include \"sub/y.inc\"");
    file(b, "sub/y.inc", "include \"x.inc\"");
    tp_fail(&wanted, TP_E_IO,
            "%s:1:1: cannot include %s/x.inc: No such file or directory; nor is it in %s/sub or "
            "/gone",
            in_folder(b, "sub/y.inc"), b->folder, b->folder);
    assert_int_equal(load(b), TP_E_IO);
    assert_string_equal(b->err.text, wanted.text);
    file(b, "sub/y.inc", "include \"/nowhere/x.inc\""); /* which is beside nothing */
    tp_fail(&wanted, TP_E_IO,
            "%s:1:1: cannot include /nowhere/x.inc: No such file or directory; nor is it in /gone",
            in_folder(b, "sub/y.inc"));
    assert_int_equal(load(b), TP_E_IO);
    assert_string_equal(b->err.text, wanted.text);
}

/* An error has room for 255 characters. */
static void folders_without_room_are_told_as_notes(void **state)
{
    struct bench *b = *state;
    char longest[151];
    tpi_buf wanted = {0};

    memset(longest, 'x', sizeof longest - 1);
    longest[150] = '\0';
    snprintf(b->folders, sizeof b->folders, "/a:/%s:/b", longest);
    file(b, "main.world", "include \"x.inc\"");
    assert_int_equal(load(b), TP_E_IO);
    tpi_buf_printf(&wanted, "%s:1:1: it is not in /%s\n%s:1:1: it is not in /b", b->path, longest,
                   b->path);
    assert_string_equal(tpi_buf_text(&b->notes), tpi_buf_text(&wanted));
    tpi_buf_clear(&wanted);
    tpi_buf_printf(&wanted,
                   "%s:1:1: cannot include %s/x.inc: No such file or directory; nor is it in /a or "
                   "2 other folders",
                   b->path, b->folder);
    assert_string_equal(b->err.text, tpi_buf_text(&wanted));
    tpi_buf_fini(&wanted);
}

static tp_status load_and_free(void *context)
{
    struct bench *b = context;
    tp_status status = load(b);

    tpi_cfg_destroy(b->cfg);
    b->cfg = NULL;
    tpi_buf_fini(&b->notes);
    return status;
}

static void little_memory_is_told(void **state)
{
    struct bench *b = *state;

    snprintf(b->folders, sizeof b->folders, "/nowhere:%s/lib", b->folder);
    file(b, "main.world", "include \"x.inc\"");
    file(b, "lib/x.inc", "x 1");
    memory_sweep(load_and_free, b);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(the_last_value_replaces_the_others),
        IN_A_FOLDER(notes_speak_of_stage),
        IN_A_FOLDER(what_stage_reads_otherwise_is_told),
        IN_A_FOLDER(includes_are_beside_the_main_file_first),
        IN_A_FOLDER(folders_are_searched_for_names_without_theirs),
        IN_A_FOLDER(a_file_that_is_nowhere_is_refused),
        IN_A_FOLDER(a_file_that_is_not_beside_an_included_one_is_refused),
        IN_A_FOLDER(folders_without_room_are_told_as_notes),
        IN_A_FOLDER(little_memory_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
