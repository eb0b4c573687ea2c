/* address_test.c - device addresses as configurations write them. */
#include "server/address.h"

#include "support/unit.h"

static void is(const char *text, const char *key, const char *host, unsigned robot,
               const char *interface, unsigned index)
{
    tpi_devaddr_text address;
    tp_error err = {0};

    assert_int_equal(tpi_devaddr_parse(&address, text, &err), TP_OK);
    assert_string_equal(address.key, key);
    assert_string_equal(address.host, host);
    assert_int_equal(address.robot, robot);
    assert_string_equal(address.interface, interface);
    assert_int_equal(address.index, index);
}

static void is_refused(const char *text, const char *why)
{
    tpi_devaddr_text address;
    tp_error err = {0};

    assert_int_equal(tpi_devaddr_parse(&address, text, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, why);
}

static void parts_are_split_from_the_right(void **state)
{
    (void)state;
    is("laser:0", "", "", 0, "laser", 0);
    is("6666:laser:3", "", "", 6666, "laser", 3);
    is(" 7001:ranger:1 \t", "", "", 7001, "ranger", 1);
    is(":192.168.1.5:6665:laser:0", "", "192.168.1.5", 6665, "laser", 0);
    is("odometry:::position2d:0", "odometry", "", 0, "position2d", 0);
    is("key:host:6667:imu:65535", "key", "host", 6667, "imu", 65535);
}

static void what_is_no_address_is_refused(void **state)
{
    (void)state;
    is_refused("laser", "\"laser\" is no device address: [[[key:]host:]robot:]interface:index");
    is_refused("laser:", "\"laser:\" is no device address: [[[key:]host:]robot:]interface:index");
    is_refused(":0", "\":0\" is no device address: [[[key:]host:]robot:]interface:index");
    is_refused("laser:x", "\"laser:x\" is no device address: [[[key:]host:]robot:]interface:index");
    is_refused("laser:65536",
               "\"laser:65536\" is no device address: [[[key:]host:]robot:]interface:index");
    is_refused("port:laser:0", "\"port:laser:0\": \"port\" is no port");
    is_refused("a:b:c:6665:laser:0", "\"a:b:c:6665:laser:0\" has too many parts");
    is_refused("  :   :r:5:r:5", "\":   :r:5:r:5\" has too many parts"); /* an empty one counts */
    is_refused("::::::laser:0", "\"::::::laser:0\" has too many parts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_split_from_the_right),
        cmocka_unit_test(what_is_no_address_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
