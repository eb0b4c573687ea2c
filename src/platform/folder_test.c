/* folder_test.c - a folder of the program's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "platform/folder.h"
#include "support/unit.h"

static void is_made_for_this_user_alone_and_removed_with_its_files(void **state)
{
    char path[64];
    char file[80];
    struct stat status;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_folder_make(path, sizeof path, &err), TP_OK);
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_int_equal(status.st_mode & 0777, 0700);
    (void)snprintf(file, sizeof file, "%s/left behind", path);
    FILE *left = fopen(file, "w");
    assert_non_null(left);
    (void)fclose(left);
    tpi_folder_remove(path);
    assert_int_equal(stat(path, &status), -1);
}

static void those_around_the_program_are_known(void **state)
{
    char path[4096];
    char above[4096];

    (void)state;
    assert_true(tpi_folder_above(false, 1, path, sizeof path));
    assert_true(path[0] == '/' && tpi_folder_exists(path));
    assert_true(tpi_folder_above(false, 2, above, sizeof above));
    assert_true(strlen(above) < strlen(path) && strncmp(above, path, strlen(above)) == 0);
    assert_false(tpi_folder_above(false, 1000, path, sizeof path));
    assert_false(tpi_folder_exists("/no such folder"));
    assert_false(tpi_folder_exists("/dev/null"));
}

static void two_are_never_the_same(void **state)
{
    char one[64];
    char two[64];

    (void)state;
    assert_int_equal(tpi_folder_make(one, sizeof one, NULL), TP_OK);
    assert_int_equal(tpi_folder_make(two, sizeof two, NULL), TP_OK);
    assert_string_not_equal(one, two);
    tpi_folder_remove(one);
    tpi_folder_remove(two);
}

static void a_place_that_does_not_exist_is_an_error(void **state)
{
    char path[64];
    tp_error err = {0};

    (void)state;
    assert_int_equal(setenv("TMPDIR", "/nowhere", 1), 0);
    assert_int_equal(tpi_folder_make(path, sizeof path, &err), TP_E_IO);
    assert_string_equal(err.text, "make a folder in /nowhere: No such file or directory");
    assert_int_equal(unsetenv("TMPDIR"), 0);
    tpi_folder_remove(path); /* "" */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_made_for_this_user_alone_and_removed_with_its_files),
        cmocka_unit_test(those_around_the_program_are_known),
        cmocka_unit_test(two_are_never_the_same),
        cmocka_unit_test(a_place_that_does_not_exist_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
