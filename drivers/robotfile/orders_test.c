/* orders_test.c - orders to devices of the server: those that there are, and texts that are none.
 */
#include "orders.h"

#include <string.h>

#include "support/unit.h"

static bool reads(struct order *order, const char *text)
{
    return tpi_robotfile_order_read(order, text, strlen(text));
}

static void every_order_is_read(void **state)
{
    static const struct {
        const char *text, *interface;
        enum order_verb verb;
        double numbers[ORDER_NUMBERS];
    } rows[] = {
        {"stop", "", ORDER_STOP, {0}},
        {"position2d wheels 20.00 -50.5", "position2d", ORDER_WHEELS, {20, -50.5}},
        {"position2d goto 1.5 -2 90", "position2d", ORDER_GO_TO, {1.5, -2, 90}},
        {"aio 7", "aio", ORDER_ANALOG, {7}},
        {"dio 0", "dio", ORDER_DIGITAL, {0}},
        {"ranger -40 40", "ranger", ORDER_RANGE, {-40, 40}},
        {"bumper", "bumper", ORDER_BUMPER, {0}},
        {"power percent", "power", ORDER_PERCENT, {0}},
        {"power volts", "power", ORDER_VOLTS, {0}},
        {"position2d heading", "position2d", ORDER_HEADING, {0}},
        {"aio set 0 3 2.5", "aio", ORDER_VOLTAGE, {0, 3, 2.5}},
        {"dio set 1 7 1", "dio", ORDER_SWITCH, {1, 7, 1}},
        {"bumper -10 180", "bumper", ORDER_BUMPERS, {-10, 180}},
        {"blinkenlight 0 2 100 50 0", "blinkenlight", ORDER_LIGHT, {0, 2, 100, 50, 0}},
        {"audio tone 440 200", "audio", ORDER_TONE, {440, 200}},
        {"actarray angle 0 2", "actarray", ORDER_ANGLE, {0, 2}},
        {"actarray turn 0 2 -45.5", "actarray", ORDER_TURN, {0, 2, -45.5}},
        {"actarray move 0 2 75", "actarray", ORDER_MOVE, {0, 2, 75}},
        {"gripper open", "gripper", ORDER_OPEN, {0}},
        {"gripper close", "gripper", ORDER_CLOSE, {0}},
        {"gripper beams", "gripper", ORDER_BEAMS, {0}},
        {"blobfinder 3", "blobfinder", ORDER_BLOB, {3}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct order order;

        assert_true(reads(&order, rows[i].text));
        assert_int_equal(order.verb, rows[i].verb);
        assert_memory_equal(order.numbers, rows[i].numbers, sizeof order.numbers);
        assert_string_equal(tpi_robotfile_order_interface(order.verb), rows[i].interface);
    }
}

static void other_texts_are_none(void **state)
{
    static const char *const texts[] = {
        "",
        "sto",
        "stop ",
        "stop 1",
        "STOP",
        "aio",
        "aio ",
        "aio x",
        "aio 1 2",
        "aio  1",
        "aio\t1",
        "aio 1e999",
        "aio nan",
        "ranger 1",
        "bumper 0",
        "power",
        "power watts",
        "position2d wheels 1",
        "aio set",
        "dio set 1 2",
        "gripper",
        "gripper 1",
        "blobfinder",
        "actarray turn 0 1",
        "blinkenlight 0 0 1 1",
        "audio tone 440",
        "speech",
        "speech hello",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct order order;

        assert_false(reads(&order, texts[i]));
    }
}

static void a_text_is_the_rest(void **state)
{
    static const char order_text[] = "speech say stop 1 2";
    struct order order;

    (void)state;
    assert_true(reads(&order, order_text));
    assert_int_equal(order.verb, ORDER_SAY);
    assert_int_equal(order.text_length, 8);
    assert_memory_equal(order.text, "stop 1 2", 8);
    assert_true(reads(&order, "speech say "));
    assert_int_equal(order.text_length, 0);
    assert_false(reads(&order, "speech say"));
}

static void nothing_behind_the_end_is_read(void **state)
{
    struct order order;

    (void)state;
    assert_true(tpi_robotfile_order_read(&order, "aio 12", 5));
    assert_true(order.numbers[0] == 1);
    assert_false(tpi_robotfile_order_read(&order, "aio 12", 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_is_read),
        cmocka_unit_test(other_texts_are_none),
        cmocka_unit_test(a_text_is_the_rest),
        cmocka_unit_test(nothing_behind_the_end_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
