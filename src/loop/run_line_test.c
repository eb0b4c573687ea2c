/* run_line_test.c - lines that are programs. */
#include "loop/run_line.h"

#include "support/lines.h"
#include "support/unit.h"

static void a_program_hears_and_answers(void **state)
{
    tpi_line *line = NULL;
    char bytes[16];
    size_t length = 0;

    (void)state;
    assert_int_equal(line_open(&tpi_scheme_run, &line, "cat  -u -", NULL), TP_OK);
    assert_int_equal(line->ops->write(line, "hello", 5, &length, NULL), TP_OK);
    assert_int_equal(length, 5);
    line_read_all(line, bytes, 5);
    assert_string_equal(bytes, "hello");
    line->ops->close(line); /* ends it: the test does not wait for ever */
}

static void a_program_that_has_ended_is_told(void **state)
{
    tpi_line *line = NULL;
    struct pollfd polled = {.events = POLLIN};
    char bytes[4];
    size_t length = 0;
    tp_error err = {0};

    (void)state;
    assert_int_equal(line_open(&tpi_scheme_run, &line, "true", NULL), TP_OK);
    polled.fd = line->fd;
    assert_true(poll(&polled, 1, -1) > 0);
    assert_int_equal(line->ops->read(line, bytes, sizeof bytes, &length, &err), TP_E_CLOSED);
    assert_int_equal(line->ops->write(line, "x", 1, &length, &err), TP_E_CLOSED);
    assert_string_equal(err.text, "true: the program has ended");
    line->ops->close(line);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    line_fails(&tpi_scheme_run, "  ", "which program?");
    line_fails(&tpi_scheme_run, "no-such-program-here",
               "no-such-program-here: no such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_hears_and_answers),
        cmocka_unit_test(a_program_that_has_ended_is_told),
        cmocka_unit_test(what_is_wrong_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
