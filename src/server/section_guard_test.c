/* section_guard_test.c - the stop bytes in a driver section, as text and in hex; mistakes with
 * their place.
 */
#include <stdio.h>
#include <string.h>

#include "server/inside.h"
#include "support/unit.h"
#include "troupe/interfaces/ptz.h"

static void reads(const char *text, const char *wanted, size_t length)
{
    tpi_buf bytes = {0};
    tp_error err = {0};

    assert_int_equal(tpi_guard_parse(&bytes, text, &err), TP_OK);
    assert_int_equal(bytes.length, length);
    assert_memory_equal(bytes.data, wanted, length);
    tpi_buf_fini(&bytes);
}

static void texts_have_the_escapes_of_scripts(void **state)
{
    (void)state;
    reads("V 0", "V 0", 3);
    reads("V 0\\r\\n", "V 0\r\n", 5);
    reads("\\x00a\\\\\\0", "\0a\\\0", 4);
    reads("\\x68ex:00", "hex:00", 6); /* a text that would begin like bytes */
}

static void bytes_are_written_in_hex(void **state)
{
    (void)state;
    reads("hex:89 00 00 00 00", "\x89\0\0\0\0", 5);
    reads("hex:8900fF", "\x89\0\xff", 3);
}

static tp_status no_init(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops ops = {0};

    return tp_offer(self, &tp_interface_ptz, NULL, &ops, NULL, NULL, err);
}

static const tp_driver_ops own_ops = {.init = no_init};
static const tp_param line[] = {{"tty", "line", "/dev/null", "the line"}, {NULL, NULL, NULL, NULL}};
static const tp_param perhaps[] = {{"tty", "line", "", "the line"}, {NULL, NULL, NULL, NULL}};
static const tp_param no_line[] = {{"port", NULL, "6665", "no line, whatever it is called"},
                                   {NULL, NULL, NULL, NULL}};
static const tp_driver own = {
    .abi = TP_DRIVER_ABI, .name = "own", .summary = "has a line", .ops = &own_ops, .params = line};
static const tp_driver maybe = {.abi = TP_DRIVER_ABI,
                                .name = "maybe",
                                .summary = "has a line if it is told so",
                                .ops = &own_ops,
                                .params = perhaps};
static const tp_driver without = {.abi = TP_DRIVER_ABI,
                                  .name = "without",
                                  .summary = "has none",
                                  .ops = &own_ops,
                                  .params = no_line};
static const tp_driver on_loop = {.abi = TP_DRIVER_ABI,
                                  .name = "here",
                                  .summary = "has none",
                                  .ops = &own_ops,
                                  .flags = TP_DRIVER_ON_LOOP};
static const tp_driver *const own_drivers[] = {&own, &maybe, &without, &on_loop, NULL};

static void is_refused(const char *driver, const char *guard, const char *why)
{
    char text[2048];
    const tp_server_options options = {
        .drivers = own_drivers, .path = "x.cfg", .text = text, .listen = ""};
    tp_server *server = NULL;
    tp_error err = {0};

    snprintf(text, sizeof text, "driver ( name \"%s\" provides [ \"ptz:0\" ]\nguard %s )", driver,
             guard);
    const tp_status status = tp_server_create(&server, &options, &err);
    tp_server_destroy(server);
    assert_int_equal(status == TP_OK, why == NULL);
    assert_string_equal(err.text, why == NULL ? "" : why);
}

static void mistakes_are_told_with_their_place(void **state)
{
    char many[1100];

    (void)state;
    is_refused("own", "\"stop\"", NULL);
    is_refused("maybe", "\"stop\" tty \"/dev/null\"", NULL);
    is_refused("maybe", "\"stop\"", "x.cfg:2:7: guard has no line to write to: give \"tty\"");
    is_refused("without", "\"stop\"",
               "x.cfg:2:7: the driver without has no line that could be guarded");
    is_refused("own", "\"\"", "x.cfg:2:7: guard has from 1 to 1024 bytes");
    is_refused("own", "\"hex:\"", "x.cfg:2:7: guard has from 1 to 1024 bytes");
    is_refused("own", "\"hex:8\"", "x.cfg:2:7: character 1, '8', has no second hex digit");
    is_refused("own", "\"\\z\"",
               "x.cfg:2:7: behind \\ stands n, r, t, 0, \\, ' or x and two hex digits");
    is_refused("here", "\"stop\"", "x.cfg:2:7: the driver here has no line that could be guarded");
    snprintf(many, sizeof many, "\"%01025d\"", 0);
    is_refused("own", many, "x.cfg:2:7: guard has from 1 to 1024 bytes");
}

/* ---- Reading the file again ------------------------------------------------------------------ */

static tp_server *server;
static char text[256];

/* Whether another instance is there then; the old one goes only after the new one is made. */
static bool changes(const char *guard)
{
    const tp_device *before = tp_server_device_at(server, 0);
    tp_error err = {0};

    snprintf(text, sizeof text, "driver ( name \"own\" provides [ \"ptz:0\" ] %s )", guard);
    assert_int_equal(tp_server_reload(server, &err), TP_OK);
    const bool changed = tp_server_device_at(server, 0) != before;
    while (server->leaving > 0) {
        tp_server_step(server, true);
    }
    return changed;
}

static void other_bytes_are_another_driver(void **state)
{
    const tp_server_options options = {
        .drivers = own_drivers, .path = "x.cfg", .text = text, .listen = ""};

    (void)state;
    snprintf(text, sizeof text, "driver ( name \"own\" provides [ \"ptz:0\" ] guard \"a\" )");
    assert_int_equal(tp_server_create(&server, &options, NULL), TP_OK);
    assert_false(changes("guard \"hex:61\"")); /* means the same */
    assert_true(changes("guard \"b\""));
    assert_false(changes("guard \"b\""));
    assert_true(changes(""));
    assert_true(changes("tty \"/dev/zero\""));
    assert_false(changes("tty \"/dev/zero\""));
    tp_server_destroy(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_the_escapes_of_scripts),
        cmocka_unit_test(bytes_are_written_in_hex),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(other_bytes_are_another_driver),
    };

    return cmocka_run_group_tests_name("src/server/section_guard", tests, NULL, NULL);
}
