/* text_test.c - the text format of Player's writelog. */
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "log/text.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/sonar.h"

static tp_catalogue *catalogue;

static int set_up(void **state)
{
    (void)state;
    return tp_catalogue_create(&catalogue, NULL) == TP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tp_catalogue_destroy(catalogue);
    return 0;
}

/* Read a line that is right. */
static void *read_line(const char *line, tpi_log_text *head)
{
    void *value = NULL;

    assert_int_equal(tpi_log_text_read(head, line, catalogue, &value, NULL), TP_OK);
    assert_non_null(value);
    return value;
}

static void lines_of_player_are_read(void **state)
{
    tpi_log_text head;

    (void)state;
    tp_laser_data *scan = read_line(
        "0000000010.100 16777343 6665 laser 02 001 001 0007 -1.5708 +1.5708 +0.78539816 +08.0000 "
        "0003 1.500  1 2.250  0 7.999 15 ",
        &head);
    assert_int_equal(head.time_ns, UINT64_C(10100000000));
    assert_int_equal(head.index, 2);
    assert_int_equal(head.robot, 6665);
    assert_string_equal(head.what->name, "SCAN");
    assert_int_equal(scan->id, 7);
    assert_int_equal(scan->ranges_count, 3);
    assert_int_equal(scan->intensity_count, 3);
    assert_true(scan->ranges[1] == 2.25F && scan->intensity[2] == 15);
    free(scan);

    tp_position2d_data *place = read_line(
        "12.5 0 6665 position2d 00 001 001 +01.250 -00.500 +0.785 +00.300 +00.000 +00.100 1",
        &head);
    assert_true(place->pos.px == 1.25 && place->pos.py == -0.5 && place->vel.pa == 0.1);
    assert_int_equal(place->stall, 1);
    free(place);

    tp_sonar_geom *geom = read_line("1 0 0 sonar 0 4 1 2 1 2 3 4 5 6", &head);
    assert_int_equal(head.what->kind, TP_KIND_REQUEST);
    assert_int_equal(geom->poses_count, 2);
    assert_true(geom->poses[1].px == 4 && geom->poses[1].pyaw == 6 && geom->poses[1].pz == 0);
    free(geom);

    tp_actarray_data *arm = read_line("1 0 0 actarray 0 1 1 2 0.5 0 0 0 1 0.25 0 0 0 2 1", &head);
    assert_int_equal(arm->actuators_count, 2);
    assert_true(arm->actuators[1].position == 0.25F);
    assert_int_equal(arm->motor_state, 1);
    free(arm);
}

static void wrong_lines_are_told(void **state)
{
    static const struct {
        const char *line;
        tp_status status;
        const char *text;
    } wrong[] = {
        {"# a comment", TP_E_CLOSED, ""},
        {"   ", TP_E_CLOSED, ""},
        {"soon 0 0 sonar 0 1 1 0", TP_E_SYNTAX, "word 1: not a number"},
        {"1 0 0 sonar 0 1 1 2 0.5", TP_E_SYNTAX, "word 10: the line ends early"},
        {"1 0 0 sonar 0 1 1 4000000000 0.5", TP_E_SYNTAX,
         "word 9: not a whole number in its range"},
        {"1 0 0 sonar 0 1 1 -1", TP_E_SYNTAX, "word 9: not a whole number in its range"},
        {"1 0 0 sonar 0 1 1 1 far", TP_E_SYNTAX, "word 9: not a number"},
        {"1 0 0 position2d 0 1 1 0 0 0", TP_E_SYNTAX, "word 11: the line ends early"},
        {"1 0 0 sonar 0 1 9 1 1", TP_E_UNSUPPORTED, "no message sonar 1:9 is known"},
        {"1 0 0 wifi 0 1 1 1 1", TP_E_UNSUPPORTED, "no message wifi 1:1 is known"},
        {"1 0 0 ranger 0 4 3 0", TP_E_UNSUPPORTED, "no message ranger 4:3 is known"},
        {"1 0 0 nosuch 0 1 1 1 1", TP_E_UNSUPPORTED, "no message nosuch 1:1 is known"},
        {"-1 0 0 sonar 0 1 1 0", TP_E_SYNTAX, "word 1: not a time"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tpi_log_text head;
        tp_error err = {.text = ""};
        void *value = NULL;

        assert_int_equal(tpi_log_text_read(&head, wrong[i].line, catalogue, &value, &err),
                         wrong[i].status);
        assert_null(value);
        assert_string_equal(err.text, wrong[i].text);
    }
}

static void what_is_written_is_read_again(void **state)
{
    float ranges[] = {1.5F, 2};
    const tp_laser_data scan = {
        .min_angle = -1, .max_angle = 1, .ranges_count = 2, .ranges = ranges, .id = 9};
    const tpi_log_text head = {.time_ns = UINT64_C(1234567890123000000),
                               .interface = &tp_interface_laser,
                               .what = tp_interface_message(&tp_interface_laser, TP_KIND_DATA, 1),
                               .robot = 6665,
                               .index = 1};
    tpi_buf line = {0};
    tpi_log_text again;

    (void)state;
    assert_int_equal(tpi_log_text_write(&line, &head, &scan, NULL), TP_OK);
    assert_string_equal(
        tpi_buf_text(&line),
        "1234567890.123 0 6665 laser 01 001 001 9 -1.0000 1.0000 0.00000000 0.0000 2 "
        "1.500 0 2.000 0\n");
    line.data[line.length - 1] = '\0';
    tp_laser_data *value = read_line(line.data, &again);
    assert_int_equal(again.time_ns, head.time_ns);
    assert_true(value->ranges_count == 2 && value->ranges[0] == 1.5F);
    free(value);
    tpi_buf_fini(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_player_are_read),
        cmocka_unit_test(wrong_lines_are_told),
        cmocka_unit_test(what_is_written_is_read_again),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
