/* line_test.c - emulated robots behind a URL, with a clock that stands still. */
#include "emulate/host/line.h"

#include <string.h>

#include "support/unit.h"

static int64_t stopped(const tp_clock *clock)
{
    (void)clock;
    return 5 * (int64_t)TP_NS_PER_S;
}

static const tp_clock no_clock = {.now_ns = stopped};

static tp_status open_url(tpi_line **line, const char *rest, unsigned baud, tp_error *err)
{
    const tpi_line_options plan = {.url = rest,
                                   .rest = rest,
                                   .folder = TEST_ROOT "/worlds/",
                                   .settings.baud = baud,
                                   .clock = &no_clock};

    return tpi_scheme_emulate.open(line, &plan, err);
}

static tpi_line *open_line(const char *rest)
{
    tpi_line *line = NULL;
    tp_error err = {0};
    const tp_status status = open_url(&line, rest, 0, &err);

    assert_string_equal(err.text, "");
    assert_int_equal(status, TP_OK);
    assert_int_equal(line->fd, -1);
    return line;
}

static void say(tpi_line *line, const void *bytes, size_t length)
{
    size_t taken = 0;

    assert_int_equal(line->ops->write(line, bytes, length, &taken, NULL), TP_OK);
    assert_int_equal(taken, length);
}

/* Read until something comes, or for so many steps. */
static size_t hear(tpi_line *line, uint8_t *bytes, size_t size, unsigned steps)
{
    size_t length = 0;

    for (unsigned i = 0; i <= steps && length == 0; i++) {
        assert_int_equal(line->ops->read(line, bytes, size, &length, NULL), TP_OK);
        if (length == 0) {
            line->ops->skip_to(line, line->ops->due_ns(line));
        }
    }
    return length;
}

static void a_robot_answers_at_once(void **state)
{
    tpi_line *line = open_line("nxt?at=1,2,90&seed=4");
    uint8_t bytes[16];

    (void)state;
    say(line, "\x02\x00\x00\x0b", 4);
    assert_true(line->ops->due_ns(line) == INT64_MIN);
    assert_int_equal(hear(line, bytes, sizeof bytes, 0), 7);
    assert_memory_equal(bytes, "\x05\x00\x02\x0b\x00\x98\x1e", 7);
    assert_true(line->ops->due_ns(line) == 5005000000);
    line->ops->close(line);
}

static void a_stream_comes_when_time_passes(void **state)
{
    tpi_line *line = open_line("create1?world=classroom");
    uint8_t bytes[16];

    (void)state;
    say(line, "\x80\x94\x01\x23", 4);
    assert_int_equal(hear(line, bytes, sizeof bytes, 2), 0);
    assert_int_equal(hear(line, bytes, sizeof bytes, 2), 5);
    assert_memory_equal(bytes, "\x13\x02\x23\x01\xc7", 5);
    line->ops->close(line);
}

static void a_wrong_speed_garbles(void **state)
{
    tpi_line *line = NULL;
    uint8_t bytes[16];

    (void)state;
    assert_int_equal(open_url(&line, "create", 9600, NULL), TP_OK); /* short for create1 */
    say(line, "\x80\x8e\x23", 3);
    assert_int_equal(hear(line, bytes, sizeof bytes, 3), 0);
    assert_int_equal(line->ops->set_baud(line, 57600, NULL), TP_OK);
    say(line, "\0\0\0\0\0\0\0\0\x80\x8e\x23", 11);
    assert_int_equal(hear(line, bytes, sizeof bytes, 3), 1);
    assert_int_equal(bytes[0], 1);
    line->ops->close(line);
}

static void an_unplugged_robot_ends_the_line(void **state)
{
    tpi_line *line = open_line("nxt?fault=unplugged@10ms&wire=1=light");
    uint8_t bytes[16];
    size_t length = 0;
    tp_error err = {0};

    (void)state;
    assert_int_equal(hear(line, bytes, sizeof bytes, 1), 0);
    assert_int_equal(line->ops->read(line, bytes, sizeof bytes, &length, &err), TP_E_CLOSED);
    assert_string_equal(err.text, "the robot was unplugged");
    assert_int_equal(line->ops->write(line, bytes, 1, &length, NULL), TP_E_CLOSED);
    line->ops->close(line);
}

static void mistakes_are_told(void **state)
{
    static const struct {
        const char *rest, *why;
    } cases[] = {
        {"", "which robot? emulate:nxt"},
        {"?world=classroom", "which robot? emulate:nxt"},
        {"nxr", "there is no emulated robot \"nxr\"; did you mean \"nxt\"?"},
        {"nxt?wrld=x", "there is no setting \"wrld\"; did you mean \"world\"?"},
        {"nxt?at", "a setting is NAME=VALUE, not \"at\""},
        {"nxt?at=1", "\"1\" is no place, as 1,0.5,90 is"},
        {"nxt?seed=x", "\"x\" is no seed"},
        {"nxt?world=nowhere", "there is no world \"nowhere\""},
        {"nxt?wire=7=light", "nxt: 7=light: there is no slot \"7\"; there are 1 to 4"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tpi_line *line = NULL;
        tp_error err = {0};
        assert_int_not_equal(open_url(&line, cases[i].rest, 0, &err), TP_OK);
        assert_string_equal(err.text, cases[i].why);
        assert_null(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_answers_at_once),
        cmocka_unit_test(a_stream_comes_when_time_passes),
        cmocka_unit_test(a_wrong_speed_garbles),
        cmocka_unit_test(an_unplugged_robot_ends_the_line),
        cmocka_unit_test(mistakes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
