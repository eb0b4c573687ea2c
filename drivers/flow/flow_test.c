/* flow_test.c - commands that are split, blocked or suppressed; scans at other angles, with poses
 * and as points; bits that wait, are joined, or come from sensors; pictures as JPEG. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/puppet.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/gripper.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/pointcloud3d.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ptz.h"
#include "troupe/interfaces/ranger.h"

extern const tp_driver tp_driver_bitlogic;
extern const tp_driver tp_driver_blobtodio;
extern const tp_driver tp_driver_cameracompress;
extern const tp_driver tp_driver_camerauncompress;
extern const tp_driver tp_driver_cmdsplitter;
extern const tp_driver tp_driver_diodelay;
extern const tp_driver tp_driver_gripcmd;
extern const tp_driver tp_driver_laserptzcloud;
extern const tp_driver tp_driver_rangertodio;
extern const tp_driver tp_driver_inhibitor;
extern const tp_driver tp_driver_laserposeinterpolator;
extern const tp_driver tp_driver_laserrescan;

static const tp_position2d_cmd_vel forward = {.vel = {.px = 0.5}, .state = 1};

static void go(play *p)
{
    play_command(p, TP_POSITION2D_CMD_VEL, &forward);
    puppet_wait(&p->b, 0);
}

static void a_command_reaches_all_devices(void **state)
{
    play *p = play_create();
    const tp_position2d_data data = {.pos = {.px = 3}};

    (void)state;
    play_add(p, &puppet_driver, "position2d:0 position2d:1 position2d:2", NULL, NULL);
    play_add(p, &tp_driver_cmdsplitter, "position2d:10",
             "0@position2d:0 1@position2d:1 2@position2d:2", "devices=3");
    play_open(p);
    go(p);
    for (int i = 0; i < 3; i++) {
        char address[32];
        snprintf(address, sizeof address, "position2d:%d", i);
        const tp_position2d_cmd_vel *got = puppet_last(&p->b, address, TP_POSITION2D_CMD_VEL);
        play_assert_near(got->vel.px, 0.5);
    }
    puppet_send(&p->b, "position2d:0", TP_POSITION2D_DATA_STATE, &data);
    const tp_position2d_data *told = play_last(p, TP_POSITION2D_DATA_STATE);
    assert_non_null(told);
    play_assert_near(told->pos.px, 3);
    play_destroy(p);
}

static void a_switch_blocks_commands_and_stops_what_moves(void **state)
{
    play *p = play_create();
    const tp_dio_data off = {.count = 4, .bits = 9};
    const tp_dio_data on = {.count = 4, .bits = 4};

    (void)state;
    play_add(p, &puppet_driver, "position2d:0 dio:0", NULL, NULL);
    play_add(p, &tp_driver_inhibitor, "comm@position2d:10", "comm@position2d:0 switch@dio:0",
             "bitmask=110");
    play_open(p);
    go(p);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL], 1);
    puppet_send(&p->b, "dio:0", TP_DIO_DATA_VALUES, &off);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->halts, 1);
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL, &forward,
                                "the switch of the inhibitor is off");
    puppet_send(&p->b, "dio:0", TP_DIO_DATA_VALUES, &on);
    go(p);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL], 2);
    play_destroy(p);
}

static void commands_that_come_too_soon_are_dropped(void **state)
{
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "position2d:0", NULL, NULL);
    play_add(p, &tp_driver_inhibitor, "comm@position2d:10", "comm@position2d:0", "msg_interval=1");
    play_open(p);
    go(p);
    go(p);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL], 1);
    puppet_wait(&p->b, 1.1);
    go(p);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL], 2);
    play_destroy(p);
}

static void a_scan_at_other_angles_is_interpolated(void **state)
{
    float ranges[] = {1, 1.2f, 1.4f, 4, 4};
    const tp_laser_data scan = {.min_angle = -1,
                                .max_angle = 1,
                                .resolution = 0.5f,
                                .max_range = 8,
                                .ranges_count = 5,
                                .ranges = ranges,
                                .id = 7};
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "laser:0", NULL, NULL);
    play_add(p, &tp_driver_laserrescan, "laser:1", "laser:0",
             "min_angle=-1.25 max_angle=1 scan_count=10");
    play_open(p);
    const tp_laser_data *out =
        puppet_await(&p->r, "laser:0", TP_LASER_DATA_SCAN, &scan, TP_LASER_DATA_SCAN);
    const double wanted[] = {8, 1, 1.1, 1.2, 1.3, 1.4, 4, 4, 4, 4};
    assert_int_equal(out->ranges_count, 10);
    for (int i = 0; i < 10; i++) {
        if (fabs((double)out->ranges[i] - wanted[i]) > 1e-5) {
            fail_msg("reading %d is %g, not %g", i, (double)out->ranges[i], wanted[i]);
        }
    }
    assert_int_equal(out->id, 7);
    play_destroy(p);
}

static void a_scan_waits_for_its_pose(void **state)
{
    float ranges[] = {1, 2};
    const tp_laser_data scan = {
        .resolution = 1, .max_range = 8, .ranges_count = 2, .ranges = ranges};
    const tp_position2d_data before = {.pos = {.px = 1, .pa = 3}};
    const tp_position2d_data after = {.pos = {.px = 2, .pa = -3}};
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "laser:0 position2d:0", NULL, NULL);
    play_add(p, &tp_driver_laserposeinterpolator, "laser:1", "laser:0 position2d:0", NULL);
    play_open(p);
    puppet_send(&p->b, "position2d:0", TP_POSITION2D_DATA_STATE, &before);
    puppet_send(&p->b, "laser:0", TP_LASER_DATA_SCAN, &scan);
    assert_null(play_last(p, TP_LASER_DATA_SCANPOSE));
    const tp_laser_data_scanpose *out = puppet_await(
        &p->r, "position2d:0", TP_POSITION2D_DATA_STATE, &after, TP_LASER_DATA_SCANPOSE);
    assert_true(out->pose.px >= 1 && out->pose.px <= 2);
    assert_true(fabs(out->pose.pa) >= 3); /* the short way round */
    assert_int_equal(out->scan.ranges_count, 2);
    play_destroy(p);
}

static uint32_t bits_of(const play *p)
{
    const tp_dio_cmd *sent = puppet_last(&p->b, "dio:0", TP_DIO_CMD_VALUES);

    assert_non_null(sent);
    return sent->digout;
}

static void want(play *p, uint32_t bits)
{
    const tp_dio_cmd command = {.count = 2, .digout = bits};

    play_command(p, TP_DIO_CMD_VALUES, &command);
    puppet_wait(&p->b, 0);
}

static void bits_change_after_their_time(void **state)
{
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "dio:0", NULL, NULL);
    play_add(p, &tp_driver_diodelay, "dio:10", "state@dio:0",
             "init_state=01 wait_on_1=1 wait_on_0=0.5 fade_out=0.2");
    play_open(p);
    puppet_wait(&p->b, 0);
    assert_int_equal(bits_of(p), 1);
    want(p, 2);
    puppet_wait(&p->b, 0.6);
    assert_int_equal(bits_of(p), 0); /* the lower one is 0 now, the other one waits */
    puppet_wait(&p->b, 0.5);
    assert_int_equal(bits_of(p), 2);
    want(p, 3);
    puppet_wait(&p->b, 0.5);
    want(p, 2); /* a change of mind that lasts */
    puppet_wait(&p->b, 1);
    assert_int_equal(bits_of(p), 2);
    play_destroy(p);
}

static void after_a_freeze_bits_do_not_change_but_to_what_they_were_first(void **state)
{
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "dio:0", NULL, NULL);
    play_add(p, &tp_driver_diodelay, "dio:10", "state@dio:0",
             "init_state=00 wait_on_1=0.5 wait_on_0=0.5");
    play_open(p);
    want(p, 1);
    puppet_wait(&p->b, 0.5);
    assert_int_equal(bits_of(p), 1);
    want(p, 2); /* the lower one off, the other one on */
    puppet_wait(&p->b, 3);
    assert_int_equal(bits_of(p), 0);
    puppet_wait(&p->b, 1);
    assert_int_equal(bits_of(p), 0);
    want(p, 2); /* counts from now on */
    assert_int_equal(bits_of(p), 0);
    puppet_wait(&p->b, 0.5);
    assert_int_equal(bits_of(p), 2);
    play_destroy(p);
}

static void what_comes_after_a_freeze_ends_no_wait_from_before(void **state)
{
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "dio:0", NULL, NULL);
    play_add(p, &tp_driver_diodelay, "dio:10", "state@dio:0", "init_state=00 wait_on_1=0.5");
    play_open(p);
    want(p, 1);
    bench_move_clock(&p->b, 3);
    want(p, 1); /* the first thing that it hears */
    assert_int_equal(bits_of(p), 0);
    puppet_wait(&p->b, 0.5);
    assert_int_equal(bits_of(p), 1);
    play_destroy(p);
}

/* The first slot's own bits, with those of `init_bits` in the second one. */
static uint32_t joined(const char *function, uint32_t bits)
{
    play *p = play_create();
    char settings[80];

    snprintf(settings, sizeof settings, "function=%s slots=2 init_bits=10 wait_for_all=0",
             function);
    play_add(p, &puppet_driver, "dio:0", NULL, NULL);
    play_add(p, &tp_driver_bitlogic, "0@dio:10 1@dio:11", "dio:0", settings);
    play_open(p);
    want(p, bits);
    const uint32_t result = bits_of(p);
    play_destroy(p);
    return result;
}

static void bits_are_joined_by_a_function(void **state)
{
    (void)state;
    assert_int_equal(joined("and", 3), 2);
    assert_int_equal(joined("or", 1), 3);
    assert_int_equal(joined("xor", 3), 1);
    assert_int_equal(joined("nand", 3), 1);
    assert_int_equal(joined("nor", 0), 1);
    assert_int_equal(joined("nxor", 3), 2);
}

static void bits_wait_until_each_slot_has_some(void **state)
{
    play *p = play_create();
    const tp_dio_cmd command = {.count = 2, .digout = 2};

    (void)state;
    play_add(p, &puppet_driver, "dio:0", NULL, NULL);
    play_add(p, &tp_driver_bitlogic, "0@dio:10 1@dio:11", "dio:0", "function=or slots=2");
    play_open(p);
    want(p, 1);
    assert_int_equal(puppet_at(&p->b, "dio:0")->commands[TP_DIO_CMD_VALUES], 0);
    assert_int_equal(bench_command(&p->b, bench_find(&p->b, "dio:11"), TP_DIO_CMD_VALUES, &command),
                     TP_OK);
    puppet_wait(&p->b, 0);
    assert_int_equal(bits_of(p), 3);
    play_destroy(p);
}

static void near_readings_become_bits(void **state)
{
    double ranges[] = {9, 0.2, 0.5, 3, 3, 0.4, 0.1};
    const tp_ranger_data_range scan = {.ranges_count = 7, .ranges = ranges};
    const tp_ranger_data_range cut = {.ranges_count = 4, .ranges = ranges};
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "ranger:0 dio:0", NULL, NULL);
    play_add(p, &tp_driver_rangertodio, "dio:10", "ranger:0 dio:0",
             "bits=3 start_idx=1 end_idx=6 threshold=0.9");
    play_open(p);
    puppet_send(&p->b, "ranger:0", TP_RANGER_DATA_RANGE, &cut);
    assert_null(play_last(p, TP_DIO_DATA_VALUES));
    puppet_send(&p->b, "ranger:0", TP_RANGER_DATA_RANGE, &scan);
    const tp_dio_data *out = play_last(p, TP_DIO_DATA_VALUES);
    assert_non_null(out);
    assert_int_equal(out->count, 3);
    assert_int_equal(out->bits, 5);
    assert_int_equal(bits_of(p), 5);
    play_destroy(p);
}

static void colours_become_bits(void **state)
{
    tp_blobfinder_blob blobs[] = {{.color = 0x0000ff}, {.color = 0xff0000}, {.color = 0x0000ff}};
    const tp_blobfinder_data seen = {.blobs_count = 3, .blobs = blobs};
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "blobfinder:0 dio:0", NULL, NULL);
    play_add(p, &tp_driver_blobtodio, "dio:10", "blobfinder:0 dio:0",
             "color[0]=255,0,0 color[1]=0,0,255 threshold=2");
    play_open(p);
    puppet_send(&p->b, "blobfinder:0", TP_BLOBFINDER_DATA_BLOBS, &seen);
    const tp_dio_data *out = play_last(p, TP_DIO_DATA_VALUES);
    assert_non_null(out);
    assert_int_equal(out->count, 2);
    assert_int_equal(out->bits, 2);
    assert_int_equal(bits_of(p), 2);
    play_destroy(p);
}

static void a_gripper_hears_one_command_again_and_again(void **state)
{
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "gripper:0", NULL, NULL);
    play_add(p, &tp_driver_gripcmd, "opaque:10", "gripper:0", "cmd=OPEN");
    play_open(p);
    for (uint32_t i = 1; i < 5; i++) {
        puppet_wait(&p->b, 0.11);
        assert_in_range(puppet_at(&p->b, "gripper:0")->commands[TP_GRIPPER_CMD_OPEN], i, i + 1);
    }
    play_destroy(p);
}

/* A picture through both drivers. */
static void a_picture_is_compressed_and_expanded(void **state)
{
    enum { WIDTH = 32, HEIGHT = 24 };
    uint8_t pixels[WIDTH * HEIGHT * 3];
    const tp_camera_data picture = {.width = WIDTH,
                                    .height = HEIGHT,
                                    .bpp = 24,
                                    .format = TP_CAMERA_FORMAT_RGB888,
                                    .fdiv = 1,
                                    .compression = TP_CAMERA_COMPRESS_RAW,
                                    .image_count = sizeof pixels,
                                    .image = pixels};
    play *p = play_create();

    (void)state;
    for (size_t i = 0; i < sizeof pixels; i++) {
        pixels[i] = (uint8_t)(i % 3 == 0 ? 200 : i / (WIDTH * 3) * 4);
    }
    play_add(p, &puppet_driver, "camera:0", NULL, NULL);
    play_add(p, &tp_driver_cameracompress, "camera:10", "camera:0", "image_quality=0.95");
    play_open(p);
    const tp_camera_data *out =
        puppet_await(&p->r, "camera:0", TP_CAMERA_DATA_STATE, &picture, TP_CAMERA_DATA_STATE);
    assert_int_equal(out->compression, TP_CAMERA_COMPRESS_JPEG);
    assert_int_equal(out->width, WIDTH);
    assert_true(out->image_count > 100 && out->image_count < sizeof pixels);
    uint8_t bytes[sizeof pixels];
    tp_camera_data squeezed = *out;
    memcpy(bytes, out->image, out->image_count);
    squeezed.image = bytes;
    play_destroy(p);

    p = play_create();
    play_add(p, &puppet_driver, "camera:0", NULL, NULL);
    play_add(p, &tp_driver_camerauncompress, "camera:10", "camera:0", NULL);
    play_open(p);
    out = puppet_await(&p->r, "camera:0", TP_CAMERA_DATA_STATE, &squeezed, TP_CAMERA_DATA_STATE);
    assert_int_equal(out->compression, TP_CAMERA_COMPRESS_RAW);
    assert_int_equal(out->image_count, sizeof pixels);
    for (size_t i = 0; i < sizeof pixels; i++) {
        assert_true(abs((int)out->image[i] - (int)pixels[i]) < 24);
    }
    play_destroy(p);
}

static void a_scan_becomes_points_in_space(void **state)
{
    float ranges[] = {2, 20, 2};
    const tp_laser_data scan = {.min_angle = -1.5707963f,
                                .max_angle = 1.5707963f,
                                .resolution = 1.5707963f,
                                .max_range = 30,
                                .ranges_count = 3,
                                .ranges = ranges};
    const tp_ptz_data level = {.tilt = 0};
    const tp_ptz_data up = {.tilt = 0.5f};
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "laser:0 ptz:0", NULL, NULL);
    play_add(p, &tp_driver_laserptzcloud, "pointcloud3d:10", "laser:0 ptz:0", "max_distance=30");
    play_open(p);
    puppet_send(&p->b, "ptz:0", TP_PTZ_DATA_STATE, &level);
    puppet_send(&p->b, "laser:0", TP_LASER_DATA_SCAN, &scan);
    const tp_pointcloud3d_data *out =
        puppet_await(&p->r, "ptz:0", TP_PTZ_DATA_STATE, &up, TP_POINTCLOUD3D_DATA_STATE);
    assert_int_equal(out->points_count, 3);
    play_assert_near(hypot(out->points[1].point.px, out->points[1].point.pz), 20);
    play_assert_near(out->points[1].point.py, 0);
    assert_true(out->points[1].point.pz >= 0);
    assert_true(fabs(out->points[0].point.py + 2) < 1e-5);
    assert_true(fabs(out->points[2].point.py - 2) < 1e-5);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_change_after_their_time),
        cmocka_unit_test(after_a_freeze_bits_do_not_change_but_to_what_they_were_first),
        cmocka_unit_test(what_comes_after_a_freeze_ends_no_wait_from_before),
        cmocka_unit_test(bits_are_joined_by_a_function),
        cmocka_unit_test(bits_wait_until_each_slot_has_some),
        cmocka_unit_test(near_readings_become_bits),
        cmocka_unit_test(colours_become_bits),
        cmocka_unit_test(a_gripper_hears_one_command_again_and_again),
        cmocka_unit_test(a_picture_is_compressed_and_expanded),
        cmocka_unit_test(a_scan_becomes_points_in_space),
        cmocka_unit_test(a_command_reaches_all_devices),
        cmocka_unit_test(a_switch_blocks_commands_and_stops_what_moves),
        cmocka_unit_test(commands_that_come_too_soon_are_dropped),
        cmocka_unit_test(a_scan_at_other_angles_is_interpolated),
        cmocka_unit_test(a_scan_waits_for_its_pose),
    };

    return cmocka_run_group_tests_name("flow_test", tests, NULL, NULL);
}
