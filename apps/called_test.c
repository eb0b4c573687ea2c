/* called_test.c - hints can be copied, however the program was called. */
#include "called.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_called(const char *program, const char *command, const char *wanted)
{
    called_set(program, command);
    assert_string_equal(called(), wanted);
}

static void it_is_what_was_typed(void **state)
{
    (void)state;
    assert_string_equal(called(), "troupe");
    assert_called("troupe", NULL, "troupe");
    assert_called("/opt/troupe/bin/troupe", NULL, "/opt/troupe/bin/troupe");
    assert_called("/src/build/run/apps/troupe", "./troupe", "./troupe");
    assert_called("/src/build/run/apps/troupe", "", "/src/build/run/apps/troupe");
}

static void shells_take_it_as_one_word(void **state)
{
    (void)state;
    assert_called("/my robots/troupe", NULL, "'/my robots/troupe'");
    assert_called("./anna's/troupe", NULL, "'./anna'\\''s/troupe'");
    assert_called("$(reboot)", NULL, "'$(reboot)'");
}

static void hints_name_the_server_of_the_command_line(void **state)
{
    (void)state;
    assert_string_equal(called_server(), "");
    called_set_server("localhost:7000");
    assert_string_equal(called_server(), " localhost:7000");
    called_set_server("unix:/my robots/a");
    assert_string_equal(called_server(), " 'unix:/my robots/a'");
    called_set_server("\033[2J");
    assert_string_equal(called_server(), "");
    called_set_server("robot.local");
    called_set_server(NULL);
    assert_string_equal(called_server(), "");
}

static void what_nobody_can_type_is_not_repeated(void **state)
{
    char longest[600];

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_called(NULL, NULL, "troupe");
    assert_called("", NULL, "troupe");
    assert_called("\033[2J", NULL, "troupe");
    assert_called(longest, NULL, "troupe");
}

static void command_lines_in_texts_follow(void **state)
{
    tpi_buf out = {0};

    (void)state;
    called_set("./troupe", NULL);
    called_put(&out, "troupe a: see troupe b\n  troupe c, troupe-guard, troupe, /x/troupe d\n");
    assert_string_equal(tpi_buf_text(&out), "./troupe a: see ./troupe b\n"
                                            "  ./troupe c, troupe-guard, troupe, /x/troupe d\n");
    tpi_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_was_typed),
        cmocka_unit_test(shells_take_it_as_one_word),
        cmocka_unit_test(hints_name_the_server_of_the_command_line),
        cmocka_unit_test(what_nobody_can_type_is_not_repeated),
        cmocka_unit_test(command_lines_in_texts_follow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
