/* gallery_test.c - devices of the models in gallery.world: axes, aircraft, limbs, tags, nodes. */
#include "simulator_test.h"

#include "simulator.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/position1d.h"

#define GALLERY DATA("gallery") " sleep=1 paused=1 model="

/* ---- position1d ------------------------------------------------------------------------------ */

static const tp_position1d_data *axis(const bench_reader *r)
{
    return stage_last(r, TP_POSITION1D_DATA_STATE);
}

static bool has_bit(const bench_reader *r, unsigned bit)
{
    return (axis(r)->status >> bit & 1) != 0;
}

static void a_lift_goes_to_a_place_and_to_its_ends(void **state)
{
    stage s;
    const tp_position1d_cmd_pos there = {.pos = 1, .vel = 0.25F, .state = 1};
    const tp_position1d_cmd_vel up = {.vel = 5, .state = 1}, down = {.vel = -5, .state = 1};

    (void)state;
    stage_begin(&s, "world:0 position1d:0", GALLERY "lift");
    bench_reader *r = stage_open(&s, "position1d:0");
    stage_command(&s, r, TP_POSITION1D_CMD_POS, &there);
    stage_step(&s, 10);
    play_assert_near((double)axis(r)->pos, 0.75);
    play_assert_near((double)axis(r)->vel, 0.25);
    assert_false(has_bit(r, TP_POSITION1D_STATUS_TRAJ_COMPLETE));
    stage_step(&s, 15);
    play_assert_near((double)axis(r)->pos, 1);
    assert_true(has_bit(r, TP_POSITION1D_STATUS_TRAJ_COMPLETE));
    assert_true(has_bit(r, TP_POSITION1D_STATUS_LIMIT_CEN));
    assert_true(has_bit(r, TP_POSITION1D_STATUS_ENABLED));
    stage_command(&s, r, TP_POSITION1D_CMD_VEL, &down);
    stage_step(&s, 30);
    play_assert_near((double)axis(r)->pos, 0);
    assert_true(has_bit(r, TP_POSITION1D_STATUS_LIMIT_MIN));
    stage_command(&s, r, TP_POSITION1D_CMD_VEL, &up);
    stage_step(&s, 10);
    play_assert_near((double)axis(r)->vel, 0.5); /* no faster than its model */
    stage_step(&s, 60);
    assert_true(axis(r)->pos > 1.9F);
    stage_end(&s);
}

static void a_lift_stalls_below_a_ceiling(void **state)
{
    stage s;
    const tp_position1d_cmd_vel up = {.vel = 0.5F, .state = 1};

    (void)state;
    stage_begin(&s, "world:0 position1d:0", GALLERY "low");
    bench_reader *r = stage_open(&s, "position1d:0");
    stage_command(&s, r, TP_POSITION1D_CMD_VEL, &up);
    stage_step(&s, 30);
    assert_true(axis(r)->stall != 0 && has_bit(r, TP_POSITION1D_STATUS_OC));
    assert_true(axis(r)->pos > 0.35F && axis(r)->pos <= 0.4F);
    stage_end(&s);
}

static void an_axis_keeps_to_what_it_was_asked(void **state)
{
    stage s;
    const tp_position1d_position_mode_req position = {.state = 1};
    const tp_position1d_set_odom_req here = {.pos = -3};
    const tp_position1d_reset_odom_config reset = {0};
    const tp_position1d_cmd_vel up = {.vel = 0.5F, .state = 1}, odd = {.vel = NAN};
    const tp_position1d_cmd_pos there = {.pos = -2.5F, .state = 1};
    tp_position1d_power_config power = {.state = 0};

    (void)state;
    stage_begin(&s, "world:0 position1d:0", GALLERY "lift");
    bench_reader *r = stage_open(&s, "position1d:0");
    assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION1D_CMD_VEL, &odd) < 0);
    stage_request(&s, r, TP_POSITION1D_REQ_SET_ODOM, &here);
    stage_request(&s, r, TP_POSITION1D_REQ_POSITION_MODE, &position);
    assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION1D_CMD_VEL, &up) < 0);
    assert_string_equal(s.p->b.err.text,
                        "the axis is under position control, as POSITION_MODE has chosen");
    stage_command(&s, r, TP_POSITION1D_CMD_POS, &there);
    stage_step(&s, 20);
    play_assert_near((double)axis(r)->pos, -2.5); /* the actuator is at 1 */
    assert_true(has_bit(r, TP_POSITION1D_STATUS_LIMIT_CEN));
    stage_request(&s, r, TP_POSITION1D_REQ_MOTOR_POWER, &power);
    stage_request(&s, r, TP_POSITION1D_REQ_RESET_ODOM, &reset);
    stage_command(&s, r, TP_POSITION1D_CMD_POS, &there);
    stage_step(&s, 20);
    play_assert_near((double)axis(r)->pos, 0);
    assert_false(has_bit(r, TP_POSITION1D_STATUS_ENABLED));
    const tp_position1d_geom *geom = stage_get(&s, r, TP_POSITION1D_REQ_GET_GEOM, NULL);
    play_assert_near(geom->size.sl, 0.5);
    stage_end(&s);
}

/* A camera on a lift: its readers receive its geometry when that changes, and only then. */
static void what_stands_on_a_joint_tells_where_it_is(void **state)
{
    stage s;
    const tp_position1d_cmd_pos there = {.pos = 1, .state = 1};

    (void)state;
    stage_begin(&s, "world:0 position1d:0 camera:0", GALLERY "lift");
    bench_reader *r = stage_open(&s, "position1d:0");
    bench_reader *eye = stage_open(&s, "camera:0");
    stage_step(&s, 5);
    assert_int_equal(eye->counts[TP_COMMON_DATA_GEOMETRY], 0);
    stage_command(&s, r, TP_POSITION1D_CMD_POS, &there);
    stage_step(&s, 5);
    assert_int_equal(eye->counts[TP_COMMON_DATA_GEOMETRY], 5);
    stage_step(&s, 20);
    const tp_geometry *geometry = stage_last(eye, TP_COMMON_DATA_GEOMETRY);
    play_assert_near(geometry->pose.pz, 1.1);
    const uint32_t count = eye->counts[TP_COMMON_DATA_GEOMETRY];
    stage_step(&s, 5);
    assert_int_equal(eye->counts[TP_COMMON_DATA_GEOMETRY], count);
    stage_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lift_goes_to_a_place_and_to_its_ends),
        cmocka_unit_test(a_lift_stalls_below_a_ceiling),
        cmocka_unit_test(an_axis_keeps_to_what_it_was_asked),
        cmocka_unit_test(what_stands_on_a_joint_tells_where_it_is),
    };

    return cmocka_run_group_tests_name("drivers/sim/gallery", tests, NULL, NULL);
}
