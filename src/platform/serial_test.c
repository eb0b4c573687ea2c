/* serial_test.c - serial lines: what their URLs say, and a line whose other end is a
 * pseudo-terminal.
 */
#define _GNU_SOURCE /* posix_openpt */
#include "platform/serial.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/thread.h"
#include "support/unit.h"

/* ---- URLs ------------------------------------------------------------------------------------ */

static void means(const char *text, const tpi_line_settings *defaults, const char *meaning)
{
    tpi_line_settings s = *defaults;
    char path[TPI_SERIAL_PATH];
    char got[TPI_SERIAL_PATH + 64];
    tp_error err = {0};

    const tp_status status = tpi_serial_parse(text, path, &s, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, TP_OK);
    snprintf(got, sizeof got, "%s %u %u%c%u %c", path, s.baud, s.bits, s.parity, s.stop_bits,
             s.flow);
    assert_string_equal(got, meaning);
}

static void a_url_says_how_the_line_is_set(void **state)
{
    const tpi_line_settings none = {0};
    const tpi_line_settings own = {.baud = 19200, .bits = 7, .parity = 'e', .flow = 'h'};

    (void)state;
    means("/dev/x", &none, "/dev/x 9600 8n1 n");
    means("/dev/x", &own, "/dev/x 19200 7e1 h");
    means("/dev/x?", &own, "/dev/x 19200 7e1 h");
    means("/dev/x?baud=750000", &own, "/dev/x 750000 7e1 h");
    means("/dev/x?bits=8&parity=none&flow=none&stop=2", &own, "/dev/x 19200 8n2 n");
    means("/dev/x?parity=odd&flow=software", &none, "/dev/x 9600 8o1 s");
    means("x?baud=1&baud=2", &none, "x 2 8n1 n");
}

static void is_refused(const char *text, const char *why)
{
    tpi_line_settings settings = {0};
    char path[TPI_SERIAL_PATH];
    tp_error err = {0};

    assert_int_equal(tpi_serial_parse(text, path, &settings, &err), TP_E_INVALID);
    assert_string_equal(err.text, why);
}

static void mistakes_in_a_url_are_named(void **state)
{
    char longer[TPI_SERIAL_PATH + 1];

    (void)state;
    memset(longer, 'x', TPI_SERIAL_PATH);
    longer[TPI_SERIAL_PATH] = '\0';
    is_refused("", "which line? serial:/dev/ttyUSB0");
    is_refused("?baud=9600", "which line? serial:/dev/ttyUSB0");
    is_refused(longer, "the path is longer than 255 characters");
    is_refused("x?bau=9600", "there is no setting \"bau\"; did you mean \"baud\"?");
    is_refused("x?baud", "a setting is NAME=VALUE, not \"baud\"");
    is_refused("x?&", "a setting is NAME=VALUE, not \"\"");
    is_refused("x?baud=fast", "baud is a speed in bits per second, not \"fast\"");
    is_refused("x?baud=0", "baud is a speed in bits per second, not \"0\"");
    is_refused("x?baud=", "baud is a speed in bits per second, not \"\"");
    is_refused("x?parity=maybe", "parity is none, even or odd, not \"maybe\"");
    is_refused("x?bits=6", "bits is 7 or 8, not \"6\"");
    is_refused("x?stop=3", "stop is 1 or 2, not \"3\"");
    is_refused("x?flow=low", "flow is none, hardware or software, not \"low\"");
    is_refused("x?aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1",
               "the setting \"aaaaaaaaaaaaaaaaaaaa...\" is too long");
}

/* ---- Opening --------------------------------------------------------------------------------- */

static tp_status open_serial(tpi_line **line, const char *text, tp_error *err)
{
    const tpi_line_options plan = {
        .url = text, .rest = text, .folder = "", .clock = tp_clock_real()};

    return tpi_scheme_serial.open(line, &plan, err);
}

static void cannot_be_opened(const char *path, const char *why)
{
    tpi_line *line = NULL;
    tp_error err = {0};

    assert_int_equal(open_serial(&line, path, &err), TP_E_IO);
    assert_string_equal(err.text, why);
}

static void why_it_cannot_be_opened_is_told(void **state)
{
    char wanted[128];
    struct stat about;
    tp_error err = {0};

    (void)state;
    cannot_be_opened("/dev/ttyNONE7", "no such file or directory (is it plugged in?)");
    cannot_be_opened("/dev/null", "it is no serial line");
    cannot_be_opened("/tmp", "is a directory");
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_int_equal(about.st_gid, 0);
    assert_int_equal(tpi_serial_explain("/dev/null", EACCES, &err), TP_E_IO);
    snprintf(wanted, sizeof wanted, "permission denied (are you in the group root?)");
    assert_string_equal(err.text, wanted);
    assert_int_equal(tpi_serial_explain("/dev/ttyNONE7", EACCES, &err), TP_E_IO);
    assert_string_equal(err.text, "permission denied");
}

struct cable {
    int far; /* the hardware's end */
    char path[64];
    tpi_line *line;
    tp_error err;
};

static int plug_in(void **state)
{
    static struct cable cable;

    cable.far = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(cable.far >= 0);
    assert_int_equal(grantpt(cable.far), 0);
    assert_int_equal(unlockpt(cable.far), 0);
    assert_int_equal(ptsname_r(cable.far, cable.path, sizeof cable.path), 0);
    *state = &cable;
    return 0;
}

static int unplug(void **state)
{
    struct cable *c = *state;

    close(c->far);
    return 0;
}

static void open_cable(struct cable *c, const char *options)
{
    static char url[96];

    snprintf(url, sizeof url, "%s%s", c->path, options);
    const tp_status status = open_serial(&c->line, url, &c->err);
    assert_string_equal(status == TP_OK ? "" : c->err.text, "");
}

static void the_line_is_set_and_raw(void **state)
{
    struct cable *c = *state;
    struct termios2 t;

    open_cable(c, "?baud=57600&stop=2&flow=software");
    assert_int_equal(ioctl(c->line->fd, TCGETS2, &t), 0);
    assert_int_equal(t.c_ospeed, 57600);
    assert_int_equal(t.c_ispeed, 57600);
    assert_int_equal(t.c_lflag & (ICANON | ECHO | ISIG), 0);
    assert_int_equal(t.c_oflag & OPOST, 0);
    assert_int_equal(t.c_iflag & (ICRNL | IXON), IXON);
    assert_int_equal(t.c_cflag & CSTOPB, CSTOPB);
    assert_int_equal(c->line->ops->set_baud(c->line, 115200, &c->err), TP_OK);
    assert_int_equal(ioctl(c->line->fd, TCGETS2, &t), 0);
    assert_int_equal(t.c_ospeed, 115200);
    assert_int_equal(t.c_cflag & CSTOPB, CSTOPB);
    assert_int_equal(c->line->ops->set_baud(c->line, 750000, &c->err), TP_OK); /* has no name */
    c->line->ops->close(c->line);
}

static void bytes_pass_as_they_are(void **state)
{
    static const char all[] = "\x00\x01\x03\x04\x11\x13\n\r\x1a\x7f\xff";
    struct cable *c = *state;
    char got[64];
    size_t length = 0;
    size_t total = 0;

    open_cable(c, "");
    assert_int_equal(c->line->ops->read(c->line, got, sizeof got, &length, &c->err), TP_OK);
    assert_int_equal(length, 0);
    assert_int_equal(write(c->far, all, sizeof all), sizeof all);
    while (total < sizeof all) {
        tpi_wait(&c->line->fd, 1, TP_NEVER);
        assert_int_equal(
            c->line->ops->read(c->line, got + total, sizeof got - total, &length, &c->err), TP_OK);
        total += length;
    }
    assert_memory_equal(got, all, sizeof all);
    assert_int_equal(c->line->ops->write(c->line, all, sizeof all, &length, &c->err), TP_OK);
    assert_int_equal(length, sizeof all);
    assert_int_equal(read(c->far, got, sizeof got), sizeof all);
    assert_memory_equal(got, all, sizeof all);
    c->line->ops->close(c->line);
}

static void nobody_else_can_open_it(void **state)
{
    struct cable *c = *state;
    tpi_line *second = NULL;
    tp_error err = {0};

    open_cable(c, "");
    assert_int_equal(open_serial(&second, c->path, &err), TP_E_IO);
    assert_string_equal(err.text, "another program has it open");
    c->line->ops->close(c->line);
    assert_int_equal(open_serial(&second, c->path, &err), TP_OK);
    second->ops->close(second);
}

static void a_full_line_takes_no_more(void **state)
{
    struct cable *c = *state;
    static const char block[4096];
    size_t length = 1;
    size_t total = 0;

    open_cable(c, "");
    /* the kernel hands bytes on for a while */
    while (length > 0 || tpi_line_wait_writable(c->line->fd, 0)) {
        assert_int_equal(c->line->ops->write(c->line, block, sizeof block, &length, &c->err),
                         TP_OK);
        total += length;
    }
    assert_true(total > 0);
    c->line->ops->close(c->line);
}

static void a_line_that_is_gone_is_told(void **state)
{
    struct cable *c = *state;
    char wanted[128];
    char got[8];
    size_t length = 0;

    open_cable(c, "");
    close(c->far);
    c->far = -1;
    tpi_wait(&c->line->fd, 1, TP_NEVER);
    assert_int_equal(c->line->ops->read(c->line, got, sizeof got, &length, &c->err), TP_E_CLOSED);
    snprintf(wanted, sizeof wanted, "%s: the other side is gone", c->path);
    assert_string_equal(c->err.text, wanted);
    assert_int_equal(c->line->ops->write(c->line, "a", 1, &length, &c->err), TP_E_CLOSED);
    c->line->ops->close(c->line);
}

/* ---- Deadlines ------------------------------------------------------------------------------- */

static int64_t frozen_now(const tp_clock *clock)
{
    (void)clock;
    return 1000;
}

static void deadlines_of_other_clocks_become_real(void **state)
{
    const tp_clock frozen = {.now_ns = frozen_now};
    const int64_t before = tp_clock_now_ns(tp_clock_real());

    (void)state;
    assert_int_equal(tpi_line_real_deadline(tp_clock_real(), 77), 77);
    assert_true(tpi_line_real_deadline(&frozen, TP_NEVER) == TP_NEVER);
    assert_true(tpi_line_real_deadline(&frozen, TP_NEVER - 1) == TP_NEVER);
    assert_true(tpi_line_real_deadline(&frozen, 1000 + TP_NS_PER_S) >= before + TP_NS_PER_S);
    const int64_t past = tpi_line_real_deadline(&frozen, 0);
    assert_true(past >= before && past <= tp_clock_now_ns(tp_clock_real()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_says_how_the_line_is_set),
        cmocka_unit_test(mistakes_in_a_url_are_named),
        cmocka_unit_test(why_it_cannot_be_opened_is_told),
        cmocka_unit_test_setup_teardown(the_line_is_set_and_raw, plug_in, unplug),
        cmocka_unit_test_setup_teardown(bytes_pass_as_they_are, plug_in, unplug),
        cmocka_unit_test_setup_teardown(nobody_else_can_open_it, plug_in, unplug),
        cmocka_unit_test_setup_teardown(a_full_line_takes_no_more, plug_in, unplug),
        cmocka_unit_test_setup_teardown(a_line_that_is_gone_is_told, plug_in, unplug),
        cmocka_unit_test(deadlines_of_other_clocks_become_real),
    };

    return cmocka_run_group_tests_name("platform/serial", tests, NULL, NULL);
}
