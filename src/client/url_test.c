/* url_test.c - where a server is, written out in full. */
#include "client/url.h"

#include <stdlib.h>

#include "support/memory.h"
#include "support/unit.h"

static void is(const char *url, const char *full)
{
    char *got = NULL;
    tp_error err = {0};

    assert_int_equal(tpi_url_complete(&got, url, &err), TP_OK);
    assert_string_equal(got, full);
    free(got);
}

static void what_is_left_out_is_added(void **state)
{
    (void)state;
    is("robot", "tcp:robot:6665");
    is("robot:7000", "tcp:robot:7000");
    is("tcp:robot", "tcp:robot:6665");
    is("tcp:robot:7000", "tcp:robot:7000");
    is("192.168.1.5", "tcp:192.168.1.5:6665");
    is("[::1]", "tcp:[::1]:6665");
    is("[::1]:7000", "tcp:[::1]:7000");
    is("tcp:[::1]", "tcp:[::1]:6665");
    is("unix:/run/troupe", "unix:/run/troupe");
    is("inproc:robot.cfg", "inproc:robot.cfg");
    is("tcp:", "tcp::6665");
    is("robot:", "tcp:robot:");
}

static void other_schemes_are_refused(void **state)
{
    static const char *const wrong[] = {"http://robot/", "udp:robot:6665", "::1", "robot:port"};
    char *got = NULL;
    tp_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(tpi_url_complete(&got, wrong[i], &err), TP_E_SYNTAX);
    }
    assert_string_equal(err.text,
                        "robot:port: a server is tcp:HOST:PORT, unix:PATH or inproc:FILE.cfg");
}

static void a_port_is_no_server(void **state)
{
    char *got = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_url_complete(&got, "6666", &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "6666 is a port: write localhost:6666");
    assert_int_equal(tpi_url_complete_motion(&got, "7665", &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "7665 is a port: write localhost:7665");
    is("2130706433", "tcp:2130706433:6665"); /* too long for a port: an address as one number */
    is("9robot", "tcp:9robot:6665");
}

static void is_motion(const char *url, const char *full)
{
    char *got = NULL;
    tp_error err = {0};

    assert_int_equal(tpi_url_complete_motion(&got, url, &err), TP_OK);
    assert_string_equal(got, full);
    free(got);
}

static void motion_servers_have_their_own_scheme_and_port(void **state)
{
    char *got = NULL;
    tp_error err = {0};

    (void)state;
    is_motion("motion://robot", "tcp:robot:7665");
    is_motion("motion://robot/", "tcp:robot:7665");
    is_motion("motion://robot:7000", "tcp:robot:7000");
    is_motion("motion://[::1]", "tcp:[::1]:7665");
    is_motion("tcp:robot", "tcp:robot:7665");
    is_motion("robot:7000", "tcp:robot:7000");
    is_motion("unix:/run/motion", "unix:/run/motion");
    assert_int_equal(tpi_url_complete_motion(&got, "inproc:robot.cfg", &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "inproc:robot.cfg: a motion server is motion://HOST:PORT, "
                                  "tcp:HOST:PORT or unix:PATH");
}

static void files_are_found(void **state)
{
    (void)state;
    assert_string_equal(tpi_url_file("inproc:a.cfg"), "a.cfg");
    assert_null(tpi_url_file("tcp:a.cfg:1"));
}

static tp_status complete(void *context)
{
    char *got = NULL;
    tp_status status = tpi_url_complete(&got, context, NULL);

    free(got);
    return status;
}

static void memory_may_run_out(void **state)
{
    char url[] = "robot";

    (void)state;
    memory_sweep(complete, url);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_added),
        cmocka_unit_test(other_schemes_are_refused),
        cmocka_unit_test(a_port_is_no_server),
        cmocka_unit_test(motion_servers_have_their_own_scheme_and_port),
        cmocka_unit_test(files_are_found),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
