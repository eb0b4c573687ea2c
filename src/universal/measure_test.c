/* measure_test.c - channels of sensors as devices of a robot; what is plugged in and out. */
#include "universal/measure.h"

#include <math.h>

#include "support/universal.h"

static const char *class_name(const tpi_vocabulary *vocabulary, const char *name, bool is_output)
{
    const int class = tpi_measure_class(vocabulary, name, is_output);

    return class >= 0 ? tpi_vocabulary_class(vocabulary, class)->name : "";
}

static void the_longest_part_of_a_name_is_its_class(void **state)
{
    static const char *const rows[][2] = {
        {"Light Sensor", "Light Sensor"},
        {"NXT Light Sensor", "Light Sensor"},
        {"Brightness", "Light Sensor"},
        {"Accelerometer x", "Acceleration Sensor"},
        {"Temperature of the water", "Temperature Sensor"},
        {"left_light_sensor", "Left Light Sensor"},
        {"pH of the pond", ""},
        {"Analog Input", ""}, /* a generic word says nothing */
        {"Heater", ""},       /* it acts */
        {"", ""},
        {"a b c d e f g h Light Sensor", ""}, /* beyond what is looked at */
    };
    tpi_vocabulary *vocabulary = universal_vocabulary();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(class_name(vocabulary, rows[i][0], false), rows[i][1]);
    }
    assert_string_equal(class_name(vocabulary, "Heater", true), "Heater");
    tpi_vocabulary_destroy(vocabulary);
}

static void values_become_counts_of_the_class(void **state)
{
    static const struct {
        const char *class, *unit;
        double value, count; /* count < -1e8: none */
    } rows[] = {
        {"Temperature Sensor", "degC", 21.5, 215},
        {"Temperature Sensor", "K", 273.15, 0},
        {"Temperature Sensor", "degF", 212, 1000},
        {"Distance Sensor", "m", 1.25, 1250},
        {"Distance Sensor", "cm", 30, 300},
        {"Acceleration Sensor", "m/s^2", 9.80665, 1000},
        {"Gyroscope", "rad/s", 3.14159265358979, 1800},
        {"Distance Sensor", "degC", 1, -1e9},
        {"Distance Sensor", "%", 1, -1e9},
        {"Light Sensor", "%", 1, -1e9}, /* it has no unit */
    };
    tpi_vocabulary *vocabulary = universal_vocabulary();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int class = tpi_vocabulary_find(vocabulary, rows[i].class);
        double factor = 0, offset = 0;
        const bool counts = tpi_measure_counts(tpi_vocabulary_class(vocabulary, class),
                                               rows[i].unit, &factor, &offset);
        assert_int_equal(counts, rows[i].count > -1e8);
        if (counts) {
            assert_true(fabs(rows[i].value * factor + offset - rows[i].count) < 1e-6);
        }
    }
    tpi_vocabulary_destroy(vocabulary);
}

static void the_element_has_classes_range_and_numbers(void **state)
{
    const tpi_measure warm = {.name = "Water <\"&> Temperature",
                              .parameter = "Temperature",
                              .unit = "degC",
                              .low = -10,
                              .high = 50};
    const tpi_measure odd = {.name = "pH", .parameter = "", .unit = "pH", .low = 0, .high = 14};
    const tpi_measure raw = {
        .name = "Light Sensor", .parameter = "", .unit = "raw", .low = 0, .high = 1023};
    tpi_vocabulary *vocabulary = universal_vocabulary();
    tpi_buf text = {0};

    (void)state;
    tpi_measure_put(&text, vocabulary, &warm, "aio:1", 1, 2);
    tpi_measure_put(&text, vocabulary, &odd, "aio:0", 0, 0);
    tpi_measure_put(&text, vocabulary, &raw, "aio:0", 0, 1);
    assert_string_equal(
        tpi_buf_text(&text),
        "<device name=\"Water &#60;&#34;&#38;&#62; Temperature (aio:1)\" type=\"measured\" "
        "base=\"ReadCount\" classes=\"Temperature Sensor, Count_Input, Input\" "
        "range=\"-100 500\" values=\"device 1, channel 2, factor 10, offset 0, low -10, high "
        "50\"/>\n"
        "<device name=\"pH (aio:0)\" type=\"scaled\" base=\"ReadAnalog\" "
        "classes=\"Measurement, Analog_Input, Input\" values=\"device 0, channel 0, factor 1, "
        "offset 0, low 0, high 14\"/>\n"
        "<device name=\"Light Sensor (aio:0)\" type=\"scaled\" base=\"ReadAnalog\" "
        "classes=\"Measurement, Analog_Input, Input\" values=\"device 0, channel 1, factor 1, "
        "offset 0, low 0, high 1023\"/>\n");
    tpi_buf_fini(&text);
    tpi_vocabulary_destroy(vocabulary);
}

static const char robot_text[] =
    "<robot version=\"1\" name=\"t\" title=\"T\"><link kind=\"tcp\"/>"
    "<slots name=\"s\" labels=\"one\"/>"
    "<device name=\"A\" type=\"a\" classes=\"Light Sensor, Analog_Input, Input\" "
    "base=\"ReadAnalog\" values=\"n 1\"/>"
    "<device name=\"B\" type=\"b\" classes=\"Measurement, Count_Input, Input\" base=\"ReadCount\" "
    "slots=\"s\" values=\"n 2\"/>"
    "<translate command=\"ReadAnalog\" type=\"a\" send=\"01\" reply=\"{v:u8}\" "
    "result=\"v\"><example/></translate>"
    "<translate command=\"ReadCount\" type=\"b\" send=\"02 {n:u8}\" reply=\"{v:u8}\" "
    "result=\"v\"><example/></translate></robot>";
static const char plugged[] =
    "<wiring><device name=\"Far\" type=\"b\" classes=\"Distance Sensor, Count_Input, Input\" "
    "base=\"ReadCount\" values=\"n 7\"/></wiring>";
static const char wrong[] = "<wiring><device name=\"Far\" type=\"none\" classes=\"Distance Sensor, "
                            "Input\" base=\"ReadCount\"/></wiring>";

static int part_of(const tpi_wired *wired, const char *class)
{
    const tpi_classes classes = {
        .count = 1, .words = {{class, tpi_vocabulary_find(wired->robot->vocabulary, class)}}};
    const tpi_match_wish wish = {&classes, -1, TPI_COMMANDS, false, false};

    return tpi_match_find(wired, &wish, NULL).part;
}

static void parts_are_plugged_in_and_out(void **state)
{
    tpi_vocabulary *vocabulary = universal_vocabulary();
    tpi_robotfile *robot = universal_robot(vocabulary, robot_text);
    tpi_wired *wired = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_wired_create(&wired, robot, NULL, 0, NULL, &err), TP_OK);
    assert_int_equal(part_of(wired, "Distance Sensor"), -1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tpi_wired_plug_in(wired, plugged, strlen(plugged), &err), TP_OK);
        assert_int_equal(wired->part_count, 2);
        assert_int_equal(part_of(wired, "Distance Sensor"), 1);
        assert_int_equal(part_of(wired, "Light Sensor"), 0);
        assert_int_equal(tpi_wired_plug_in(wired, wrong, strlen(wrong), &err), TP_E_INVALID);
        assert_non_null(strstr(err.text, "has no device of this type"));
        assert_int_equal(wired->part_count, 1);
        assert_int_equal(tpi_wired_plug_in(wired, NULL, 0, &err), TP_OK);
        assert_int_equal(part_of(wired, "Distance Sensor"), -1);
    }
    wired->parts[0].is_gone = true;
    assert_int_equal(part_of(wired, "Light Sensor"), -1);
    tpi_wired_destroy(wired);
    tpi_robotfile_destroy(robot);
    tpi_vocabulary_destroy(vocabulary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_part_of_a_name_is_its_class),
        cmocka_unit_test(values_become_counts_of_the_class),
        cmocka_unit_test(the_element_has_classes_range_and_numbers),
        cmocka_unit_test(parts_are_plugged_in_and_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
