/* pty_test.c - a pseudo-terminal, and a serial line at its other side. */
#include "platform/pty.h"

#include <string.h>
#include <unistd.h>

#include "platform/serial.h"
#include "platform/thread.h"
#include "support/unit.h"

static tpi_line *open_far(const char *path, unsigned baud)
{
    const tpi_line_options plan = {
        .url = path, .rest = path, .settings.baud = baud, .clock = tp_clock_real()};
    tpi_line *line = NULL;

    assert_int_equal(tpi_scheme_serial.open(&line, &plan, NULL), TP_OK);
    return line;
}

static void carries_bytes_both_ways(void **state)
{
    tpi_pty pty;
    char bytes[16] = "";
    size_t length = 0;

    (void)state;
    assert_int_equal(tpi_pty_open(&pty, 57600, NULL), TP_OK);
    assert_false(tpi_pty_is_used(&pty));
    assert_int_equal(tpi_pty_baud(&pty), 57600);
    tpi_line *far = open_far(pty.path, 115200);
    assert_true(tpi_pty_is_used(&pty));
    assert_int_equal(tpi_pty_baud(&pty), 115200);
    assert_int_equal(far->ops->write(far, "\r\n\x03", 3, &length, NULL), TP_OK);
    assert_int_equal(tpi_wait(&pty.fd, 1, TP_NEVER), 1);
    assert_int_equal(read(pty.fd, bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "\r\n\x03", 3);
    assert_int_equal(write(pty.fd, "\n\x04", 2), 2);
    assert_int_equal(tpi_wait(&far->fd, 1, TP_NEVER), 1);
    assert_int_equal(far->ops->read(far, bytes, sizeof bytes, &length, NULL), TP_OK);
    assert_int_equal(length, 2);
    assert_memory_equal(bytes, "\n\x04", 2);
    far->ops->close(far);
    assert_false(tpi_pty_is_used(&pty));
    tpi_pty_close(&pty);
    tpi_pty_close(&pty);
    assert_int_equal(pty.fd, -1);
}

static void an_odd_speed_is_known(void **state)
{
    tpi_pty pty;

    (void)state;
    assert_int_equal(tpi_pty_open(&pty, 0, NULL), TP_OK);
    assert_int_equal(tpi_pty_baud(&pty), 38400);
    tpi_line *far = open_far(pty.path, 123456);
    assert_int_equal(tpi_pty_baud(&pty), 123456);
    far->ops->close(far);
    tpi_pty_close(&pty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_bytes_both_ways),
        cmocka_unit_test(an_odd_speed_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
