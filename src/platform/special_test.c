/* special_test.c - lines that are devices and pipes with a name. */
#include "platform/special.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/lines.h"
#include "support/unit.h"

static void a_pipe_outlives_its_writers(void **state)
{
    char path[64], bytes[16];
    tpi_line *line = NULL;
    size_t length = 1;

    (void)state;
    snprintf(path, sizeof path, "/tmp/troupe-special-%d", (int)getpid());
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(line_open(&tpi_scheme_file, &line, path, NULL), TP_OK);
    for (unsigned i = 0; i < 2; i++) {
        const int writer = open(path, O_WRONLY);
        assert_int_equal(write(writer, "abc", 3), 3);
        close(writer);
        line_read_all(line, bytes, 3);
        assert_string_equal(bytes, "abc");
        assert_int_equal(line->ops->read(line, bytes, sizeof bytes, &length, NULL), TP_OK);
        assert_int_equal(length, 0);
    }
    line->ops->close(line);
    unlink(path);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    line_fails(&tpi_scheme_file, "/no/such", "/no/such: no such file or directory");
    line_fails(&tpi_scheme_file, "/etc/passwd", "/etc/passwd: it is no device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_outlives_its_writers),
        cmocka_unit_test(what_is_wrong_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
