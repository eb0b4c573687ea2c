/* collection_test.c - files of one kind in several folders. */
#include "platform/collection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/folder.h"
#include "support/unit.h"

enum { PATH = 256 };

static char base[64], first[PATH], second[PATH];

static const tpi_collection tunes = {.what = "tune",
                                     .ending = ".tune",
                                     .kind = "tunes",
                                     .variable = "COLLECTION_TEST_PATH",
                                     .except = "scale.tune"};

static void write_file(const char *folder, const char *name)
{
    char path[2 * PATH];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static int set_up(void **state)
{
    char both[2 * PATH + 4];
    tp_error err;

    (void)state;
    assert_int_equal(tpi_folder_make(base, sizeof base, &err), TP_OK);
    snprintf(first, sizeof first, "%s/one", base);
    snprintf(second, sizeof second, "%s/two", base);
    assert_int_equal(mkdir(first, 0700) | mkdir(second, 0700), 0);
    write_file(first, "march.tune");
    write_file(first, "scale.tune");
    write_file(first, ".hidden.tune");
    write_file(first, "notes.txt");
    write_file(second, "march.tune");
    write_file(second, "air.tune");
    write_file(second, "waltz.tune");
    snprintf(both, sizeof both, ":%s::%s:", first, second);
    return setenv("COLLECTION_TEST_PATH", both, 1);
}

static int tear_down(void **state)
{
    (void)state;
    tpi_folder_remove(first);
    tpi_folder_remove(second);
    tpi_folder_remove(base);
    return unsetenv("COLLECTION_TEST_PATH");
}

static void names_are_in_order_and_each_once(void **state)
{
    static const char short_names[] = "air\0march\0waltz";
    static const char long_names[] = "march.tune";
    tpi_buf names = {0};

    (void)state;
    assert_int_equal(tpi_collection_names(&tunes, false, &names), 3);
    assert_int_equal(names.length, sizeof short_names);
    assert_memory_equal(tpi_buf_text(&names), short_names, sizeof short_names);
    tpi_buf_clear(&names);
    assert_int_equal(tpi_collection_names_in(&tunes, first, true, &names), 1);
    assert_int_equal(names.length, sizeof long_names);
    assert_memory_equal(tpi_buf_text(&names), long_names, sizeof long_names);
    assert_int_equal(tpi_collection_names_in(&tunes, "/nowhere", true, &names), -1);
    tpi_buf_fini(&names);
}

static void the_first_folder_that_has_it_counts(void **state)
{
    tpi_collection own = tunes;
    char path[PATH], wanted[2 * PATH];
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_collection_find(&tunes, "march", path, sizeof path, &err), TP_OK);
    snprintf(wanted, sizeof wanted, "%s/march.tune", first);
    assert_string_equal(path, wanted);
    own.first = second;
    assert_int_equal(tpi_collection_find(&own, "march", path, sizeof path, &err), TP_OK);
    snprintf(wanted, sizeof wanted, "%s/march.tune", second);
    assert_string_equal(path, wanted);
    assert_true(tpi_collection_file(&tunes, "scale.tune", path, sizeof path));
    assert_false(tpi_collection_file(&tunes, "rondo.tune", path, sizeof path));
}

static void a_path_is_taken_as_it_is(void **state)
{
    char path[16];
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_collection_find(&tunes, "./x", path, sizeof path, &err), TP_OK);
    assert_string_equal(path, "./x");
    assert_int_equal(tpi_collection_find(&tunes, "y.tune", path, sizeof path, &err), TP_OK);
    assert_string_equal(path, "y.tune");
    assert_int_equal(tpi_collection_find(&tunes, "a/path/of/sixteen", path, sizeof path, &err),
                     TP_E_LIMIT);
    assert_string_equal(err.text, "the path has over 15 bytes");
}

static void what_is_unknown_has_a_hint(void **state)
{
    char path[PATH];
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_collection_find(&tunes, "walz", path, sizeof path, &err), TP_E_UNKNOWN);
    assert_string_equal(
        err.text, "there is no tune \"walz\"; did you mean \"waltz\"? There are air, march, waltz");
    assert_int_equal(tpi_collection_find(&tunes, "scale", path, sizeof path, &err), TP_E_UNKNOWN);
    assert_string_equal(err.text, "there is no tune \"scale\"; there are air, march, waltz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_in_order_and_each_once),
        cmocka_unit_test(the_first_folder_that_has_it_counts),
        cmocka_unit_test(a_path_is_taken_as_it_is),
        cmocka_unit_test(what_is_unknown_has_a_hint),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
