/* dummy_test.c - what Player's dummy sends, as its transcripts show. */
#include "conformance/play.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/imu.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/wifi.h"

extern const tp_driver tp_driver_dummy;

static const char *const often = "rate=1000";

/* Transcript 14. */
static void a_laser_sees_eight_metres_everywhere(void **state)
{
    play *p = play_begin(&tp_driver_dummy, "laser:0", often);
    const tp_laser_data *data = bench_await(&p->r, TP_LASER_DATA_SCAN);

    (void)state;
    play_assert_near((double)data->min_angle, -1.5707963705062866);
    play_assert_near((double)data->max_angle, 1.5707963705062866);
    assert_true(data->resolution == 0.008726646192371845f);
    play_assert_near((double)data->max_range, 8);
    assert_int_equal(data->ranges_count, 361);
    assert_int_equal(data->intensity_count, 361);
    assert_int_equal(data->id, 1);
    for (size_t i = 0; i < 361; i++) {
        assert_true(data->ranges[i] == 8);
        assert_int_equal(data->intensity[i], 1);
    }
    play_destroy(p);
}

static void pictures_turn_from_black_to_white(void **state)
{
    play *p = play_begin(&tp_driver_dummy, "camera:0", often);
    const tp_camera_data *data = bench_await(&p->r, TP_CAMERA_DATA_STATE);
    const uint8_t first = data->image[0];

    (void)state;
    assert_int_equal(data->image_count, 320 * 240 * 3);
    assert_int_equal(data->image[data->image_count - 1], first);
    data = bench_await(&p->r, TP_CAMERA_DATA_STATE);
    assert_true((uint8_t)(data->image[0] - first) >= 1);
    play_destroy(p);
}

static void one_instance_may_play_several(void **state)
{
    play *p = play_begin(&tp_driver_dummy, "wifi:0 imu:0", often);
    const tp_wifi_data *wifi = bench_await(&p->r, TP_WIFI_DATA_STATE);
    bench_reader other;

    (void)state;
    assert_string_equal((const char *)wifi->links[1].mac, "00:11:22:33:44:55");
    assert_string_equal(wifi->ap, "AccessPoint");
    assert_int_equal(bench_open(&p->b, &other, bench_find(&p->b, "imu:0")), TP_OK);
    const tp_imu_data_state *imu = bench_await(&other, TP_IMU_DATA_STATE);
    play_assert_near(imu->pose.pyaw, 1);
    bench_close(&other);
    play_destroy(p);
}

static void commands_are_swallowed_and_requests_refused(void **state)
{
    play *p = play_begin(&tp_driver_dummy, "position2d:0", often);
    const tp_position2d_cmd_vel go = {.vel = {.px = 1}, .state = 1};
    const tp_capabilities_req can = {.type = TP_KIND_COMMAND, .subtype = TP_POSITION2D_CMD_VEL};

    (void)state;
    play_command(p, TP_POSITION2D_CMD_VEL, &go);
    const tp_position2d_data *data = bench_await(&p->r, TP_POSITION2D_DATA_STATE);
    play_assert_pose(&data->pos, 1, 1, 1);
    play_assert_request_refused(p, TP_POSITION2D_REQ_GET_GEOM, NULL,
                                "GET_GEOM: this driver refuses every request");
    play_assert_request_refused(p, TP_COMMON_REQ_CAPABILITIES, &can,
                                "CAPABILITIES: this driver refuses every request");
    play_destroy(p);
}

static void wrong_rates_are_refused(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_dummy, "laser:0", NULL, "rate=0",
                          "dummy0: rate \"0\" is not above 0 and up to 1000000");
}

/* All of them have code 1. */
static void every_interface_on_the_list_sends(void **state)
{
    static const char *const addresses[] = {
        "actarray:0", "aio:0",          "blobfinder:0", "camera:0",     "dio:0",
        "fiducial:0", "gps:0",          "imu:0",        "joystick:0",   "laser:0",
        "opaque:0",   "pointcloud3d:0", "position2d:0", "position3d:0", "power:0",
        "ptz:0",      "ranger:0",       "wifi:0",       "wsn:0"};

    (void)state;
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        play *p = play_begin(&tp_driver_dummy, addresses[i], often);
        assert_non_null(bench_await(&p->r, 1));
        play_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_laser_sees_eight_metres_everywhere),
        cmocka_unit_test(pictures_turn_from_black_to_white),
        cmocka_unit_test(one_instance_may_play_several),
        cmocka_unit_test(commands_are_swallowed_and_requests_refused),
        cmocka_unit_test(wrong_rates_are_refused),
        cmocka_unit_test(every_interface_on_the_list_sends),
    };

    return cmocka_run_group_tests_name("dummy_test", tests, NULL, NULL);
}
