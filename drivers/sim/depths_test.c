/* depths_test.c - how far away things are: pictures of depths, and points in space. */
#include "simulator_test.h"

#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/pointcloud3d.h"
#include "troupe/interfaces/ptz.h"

#define EVERYTHING DATA("everything") " sleep=1 paused=1"

static uint32_t depth_at(const tp_camera_data *picture, uint32_t column, uint32_t row)
{
    const uint8_t *pixel = picture->image + ((size_t)row * picture->width + column) * 2;

    return (uint32_t)pixel[0] << 8 | pixel[1];
}

/* The camera is at the middle of the robot, 0.225 m high; the wall begins at x 2.9. */
static void a_camera_has_depths(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 camera:0 depth@camera:1", EVERYTHING);
    bench_reader *colours = stage_open(&s, "camera:0");
    bench_reader *depths = stage_open(&s, "camera:1");
    stage_refused(&s, depths, TP_CAMERA_REQ_GET_IMAGE, NULL, "there is no picture yet");
    stage_step(&s, 1);
    const tp_camera_data *colour = stage_last(colours, TP_CAMERA_DATA_STATE);
    assert_int_equal(colour->format, TP_CAMERA_FORMAT_RGB888);
    const tp_camera_data *depth = stage_last(depths, TP_CAMERA_DATA_STATE);
    assert_int_equal(depth->format, TP_CAMERA_FORMAT_MONO16);
    assert_int_equal(depth->bpp, 16);
    assert_int_equal(depth->fdiv, 1000);
    assert_int_equal(depth->width, 16);
    assert_int_equal(depth->image_count, 16 * 12 * 2);
    assert_int_equal(depth_at(depth, 8, 6), 2900); /* of the whole wall: straight ahead */
    assert_int_equal(depth_at(depth, 13, 6), 2900);
    assert_int_equal(depth_at(depth, 8, 0), 0);                                /* the sky */
    assert_true(depth_at(depth, 8, 11) > 400 && depth_at(depth, 8, 11) < 700); /* the floor */
    depth = stage_get(&s, depths, TP_CAMERA_REQ_GET_IMAGE, NULL);
    assert_int_equal(depth_at(depth, 8, 6), 2900);
    stage_end(&s);
}

/* Points lie on what there is, whatever the lens does. */
static void check_points(const tp_pointcloud3d_data *data)
{
    uint32_t walls = 0;

    for (uint32_t i = 0; i < data->points_count; i++) {
        const tp_point_3d *p = &data->points[i].point;
        const tp_color *c = &data->points[i].color;
        if (c->red > 60 && c->green == 0 && c->blue == 0) {
            assert_true(fabs(p->px - 2.9) < 1e-5 && fabs(p->py) < 2.001);
            assert_true(p->pz > -0.2001 && p->pz < 0.8001); /* the camera stands 0.2 m high */
            walls++;
        }
        assert_true(p->pz > -0.2001); /* nothing is below the floor */
        assert_int_equal(c->alpha, 255);
    }
    assert_true(walls > 10);
}

static void a_camera_has_points(void **state)
{
    const tp_ptz_cmd look = {.pan = 0.3f, .tilt = 0.1f, .zoom = 0.6f};
    stage s;

    (void)state;
    stage_begin(&s, "world:0 pointcloud3d:0 ptz:0 ptz:1", EVERYTHING);
    bench_reader *r = stage_open(&s, "pointcloud3d:0");
    bench_reader *lens = stage_open(&s, "ptz:1");
    stage_step(&s, 1);
    const tp_pointcloud3d_data *data = stage_last(r, TP_POINTCLOUD3D_DATA_STATE);
    assert_true(data->points_count > 16 * 6 && data->points_count < 16 * 12); /* no sky */
    check_points(data);
    play_assert_near(stage_stamp(r, TP_POINTCLOUD3D_DATA_STATE), 0.1);
    stage_command(&s, lens, TP_PTZ_CMD_STATE, &look);
    stage_step(&s, 1);
    check_points(stage_last(r, TP_POINTCLOUD3D_DATA_STATE));
    stage_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_camera_has_depths),
        cmocka_unit_test(a_camera_has_points),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
