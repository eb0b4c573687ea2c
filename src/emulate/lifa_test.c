/* lifa_test.c - the emulated Arduino with LabVIEW's interface, in a world. */
#include "support/scene.h"

/* Send a command and its data in a packet with its sum; what is answered. */
static const char *ask(struct stage *s, const char *hex)
{
    tpi_buf bytes = {0};
    uint8_t packet[15] = {0xff};
    unsigned sum = 0;

    assert_int_equal(tpi_hex_read(&bytes, hex, strlen(hex), NULL), TP_OK);
    assert_true(bytes.length <= 13);
    memcpy(packet + 1, bytes.data, bytes.length);
    for (unsigned i = 0; i < 14; i++) {
        sum += packet[i];
    }
    packet[14] = (uint8_t)sum;
    (void)stage_heard(s);
    tpi_emu_input(s->robot, packet, sizeof packet);
    tpi_buf_fini(&bytes);
    return stage_heard(s);
}

static void a_packet_is_15_bytes_with_a_sum(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "lifa", "", NULL, NULL);
    /* FF 0A pin duty, as the thesis prints it: pin 5, half */
    assert_string_equal(stage_ask(&s, "ff 0a 05 80 00 00 00 00 00 00 00 00 00 00 8e"), "30");
    assert_string_equal(stage_ask(&s, "ff 0a 05 80 00 00 00 00 00 00 00 00 00 00 8f"), "");
    assert_string_equal(stage_ask(&s, "fe 00 00 00 00 00 00 00 00 00 00 00 00 00 fe"), "");
    assert_string_equal(ask(&s, "00"), "73 79 6e 63"); /* sync */
    assert_string_equal(stage_ask(&s, "ff 00 00"), "");
    stage_run(&s, 1.5); /* half a packet is forgotten */
    assert_string_equal(ask(&s, "00"), "73 79 6e 63");
    assert_string_equal(ask(&s, "2c"), "02 00");
    assert_string_equal(ask(&s, "77"), "");
    stage_close(&s);
}

static void pins_are_written_and_read(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "lifa", "ambient_light 0.25", NULL, NULL);
    stage_run(&s, 0.1);
    assert_string_equal(ask(&s, "02 0c 01"), "30");
    assert_string_equal(ask(&s, "06 0c"), "00");
    assert_string_equal(ask(&s, "03 0c 01"), "30");
    assert_string_equal(ask(&s, "06 0c"), "01");
    assert_string_equal(ask(&s, "07"), "00 10");
    assert_string_equal(ask(&s, "08 00"), "01 ff"); /* 511, the high byte first */
    assert_string_equal(ask(&s, "03 02 01"), "30"); /* the pull-up of the bumper's pin */
    assert_string_equal(ask(&s, "06 02"), "01");
    assert_int_equal(tpi_emu_press(s.robot, "bump_left", true, NULL), TP_OK);
    stage_run(&s, 0.1);
    assert_string_equal(ask(&s, "06 02"), "00");
    /* A0 and A1 are 511, the line is white, nothing in range */
    assert_string_equal(ask(&s, "09"), "ff fd f7 3f 0a 00 00 00");
    stage_close(&s);
}

static void drives_with_duties_and_directions(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "lifa", "", NULL, NULL);
    ask(&s, "02 04 01");
    ask(&s, "02 07 01");
    ask(&s, "0b 05 06 03 ff ff 00"); /* both wheels in one packet */
    stage_run(&s, 1);
    assert_between(stage_pose(&s).x, 0.39, 0.41);
    ask(&s, "03 04 01");
    stage_run(&s, 0.3);
    assert_true(stage_pose(&s).a > 0.5); /* left back, right ahead */
    ask(&s, "0a 05 00");
    ask(&s, "0a 06 00");
    stage_run(&s, 0.1);
    const double there = stage_pose(&s).a;
    stage_run(&s, 0.5);
    assert_between(stage_pose(&s).a, there - 1e-9, there + 1e-9);
    stage_close(&s);
}

static void servos_keep_their_angles(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "lifa", "", NULL, NULL);
    assert_string_equal(ask(&s, "17 02"), "30");
    assert_string_equal(ask(&s, "18 01 09"), "30");
    assert_string_equal(ask(&s, "19 01 2d"), "30");
    assert_string_equal(ask(&s, "1a 01"), "2d");
    assert_string_equal(ask(&s, "1b 01 dc 05"), "30"); /* 1500 us */
    assert_string_equal(ask(&s, "1c 01"), "dc 05");
    assert_string_equal(ask(&s, "1d 01"), "30");
    assert_string_equal(ask(&s, "1a ff"), "5a"); /* no such servo: the first */
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_is_15_bytes_with_a_sum),
        cmocka_unit_test(pins_are_written_and_read),
        cmocka_unit_test(drives_with_duties_and_directions),
        cmocka_unit_test(servos_keep_their_angles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
