/* gallery_test.c - devices of the models in gallery.world: axes, aircraft, limbs, tags, nodes. */
#include "simulator_test.h"

#include "simulator.h"
#include "troupe/interfaces/audio.h"
#include "troupe/interfaces/blinkenlight.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/coopobject.h"
#include "troupe/interfaces/limb.h"
#include "troupe/interfaces/localize.h"
#include "troupe/interfaces/position1d.h"
#include "troupe/interfaces/position3d.h"
#include "troupe/interfaces/rfid.h"
#include "troupe/interfaces/stereo.h"
#include "troupe/interfaces/wsn.h"

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

/* Player's C++ clients send a `state` of 0 with every command to a position1d. */
static void an_axis_moves_whatever_the_state_of_a_command(void **state)
{
    stage s;
    const tp_position1d_position_mode_req position = {.state = 1}, speed = {.state = 0};
    const tp_position1d_cmd_vel up = {.vel = 0.25F};
    const tp_position1d_cmd_pos there = {.pos = 1, .vel = 0.5F};

    (void)state;
    stage_begin(&s, "world:0 position1d:0", GALLERY "lift");
    bench_reader *r = stage_open(&s, "position1d:0");
    stage_command(&s, r, TP_POSITION1D_CMD_VEL, &up);
    stage_step(&s, 4);
    play_assert_near((double)axis(r)->vel, 0.25);
    stage_request(&s, r, TP_POSITION1D_REQ_POSITION_MODE, &position);
    stage_step(&s, 1);
    play_assert_near((double)axis(r)->vel, 0); /* what was commanded before has ended */
    stage_command(&s, r, TP_POSITION1D_CMD_POS, &there);
    stage_step(&s, 1);
    play_assert_near((double)axis(r)->vel, 0.5);
    stage_request(&s, r, TP_POSITION1D_REQ_POSITION_MODE, &speed);
    stage_step(&s, 1);
    play_assert_near((double)axis(r)->vel, 0);
    stage_end(&s);
}

static void an_axis_stops_by_a_speed_of_zero_under_position_control(void **state)
{
    stage s;
    const tp_position1d_position_mode_req position = {.state = 1};
    const tp_position1d_cmd_vel still = {0};
    const tp_position1d_cmd_pos there = {.pos = 1, .vel = 0.5F};

    (void)state;
    stage_begin(&s, "world:0 position1d:0", GALLERY "lift");
    bench_reader *r = stage_open(&s, "position1d:0");
    stage_request(&s, r, TP_POSITION1D_REQ_POSITION_MODE, &position);
    stage_command(&s, r, TP_POSITION1D_CMD_POS, &there);
    stage_step(&s, 1);
    play_assert_near((double)axis(r)->vel, 0.5);
    stage_command(&s, r, TP_POSITION1D_CMD_VEL, &still);
    stage_step(&s, 1);
    play_assert_near((double)axis(r)->vel, 0);
    stage_command(&s, r, TP_POSITION1D_CMD_POS, &there);
    stage_step(&s, 1);
    play_assert_near((double)axis(r)->vel, 0.5);
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

/* ---- position3d ------------------------------------------------------------------------------ */

static const tp_position3d_data *flyer(const bench_reader *r)
{
    return stage_last(r, TP_POSITION3D_DATA_STATE);
}

static void an_aircraft_flies_over_a_crate_and_lands(void **state)
{
    stage s;
    const tp_position3d_cmd_vel up = {.vel = {.pz = 1}, .state = 1};
    const tp_position3d_cmd_vel on = {.vel = {.px = 1}, .state = 1};
    const tp_position3d_power_config off = {0};

    (void)state;
    stage_begin(&s, "world:0 position3d:0 localize:0 camera:0", GALLERY "copter");
    bench_reader *r = stage_open(&s, "position3d:0");
    bench_reader *truth = stage_open(&s, "localize:0");
    stage_command(&s, r, TP_POSITION3D_CMD_SET_VEL, &up);
    stage_step(&s, 10);
    play_assert_near(flyer(r)->pos.pz, 1);
    play_assert_near(flyer(r)->vel.pz, 1);
    stage_command(&s, r, TP_POSITION3D_CMD_SET_VEL, &on);
    stage_step(&s, 20);
    stage_request(&s, r, TP_COMMON_REQ_HALT, NULL);
    stage_step(&s, 5);
    play_assert_near(flyer(r)->pos.px, 2);
    play_assert_near(flyer(r)->pos.pz, 1); /* it hovers */
    const tp_localize_data *where = stage_last(truth, TP_LOCALIZE_DATA_HYPOTHS);
    play_assert_near(where->hypoths[0].mean.px, 2);
    stage_request(&s, r, TP_POSITION3D_REQ_MOTOR_POWER, &off);
    stage_command(&s, r, TP_POSITION3D_CMD_SET_VEL, &up);
    stage_step(&s, 20);
    assert_true(fabs(flyer(r)->pos.pz - 0.5) < 1e-5); /* on the crate */
    assert_int_equal(flyer(r)->stall, 1);
    stage_end(&s);
}

static void an_aircraft_goes_to_a_pose_and_refuses_roll(void **state)
{
    stage s;
    const tp_position3d_cmd_pos there = {
        .pos = {.px = -1, .py = 1, .pz = 2, .pyaw = 0.5}, .vel = {.pz = 0.5}, .state = 1};
    const tp_position3d_cmd_pos brisk = {.pos = {.px = 5, .pyaw = 1},
                                         .vel = {.px = 0.5, .pyaw = 0.2}};
    const tp_position3d_cmd_vel rolls = {.vel = {.proll = 1}, .state = 1};
    const tp_position3d_cmd_vel odd = {.vel = {.pz = NAN}, .state = 1};
    const tp_position3d_set_odom_req here = {.pos = {.px = 7, .pz = -1}};
    const tp_position3d_position_mode_req position = {.value = 1};
    const tp_position3d_velocity_mode_config mode = {.value = 3};

    (void)state;
    stage_begin(&s, "world:0 position3d:0", GALLERY "copter");
    bench_reader *r = stage_open(&s, "position3d:0");
    assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION3D_CMD_SET_VEL, &rolls) < 0);
    assert_string_equal(s.p->b.err.text, "vel has roll or pitch: a simulated aircraft stays level");
    assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION3D_CMD_SET_VEL, &odd) < 0);
    stage_command(&s, r, TP_POSITION3D_CMD_SET_POS, &there);
    stage_step(&s, 10);
    play_assert_near(flyer(r)->pos.pz, 0.5);
    stage_step(&s, 90);
    assert_true(fabs(flyer(r)->pos.px + 1) < 0.03 && fabs(flyer(r)->pos.py - 1) < 0.03);
    play_assert_near(flyer(r)->pos.pz, 2);
    assert_true(fabs(flyer(r)->pos.pyaw - 0.5) < 1e-3);
    stage_request(&s, r, TP_POSITION3D_REQ_SET_ODOM, &here);
    stage_request(&s, r, TP_POSITION3D_REQ_POSITION_MODE, &position);
    stage_refused(&s, r, TP_POSITION3D_REQ_VELOCITY_MODE, &mode,
                  "there is no velocity mode 3: 0, direct control, is the only one");
    const tp_position3d_geom *geom = stage_get(&s, r, TP_POSITION3D_REQ_GET_GEOM, NULL);
    play_assert_near(geom->size.sh, 0.3);
    stage_step(&s, 1);
    assert_true(fabs(flyer(r)->pos.pz + 1) < 1e-5);
    stage_command(&s, r, TP_POSITION3D_CMD_SET_POS, &brisk);
    stage_step(&s, 1);
    play_assert_near(hypot(flyer(r)->vel.px, flyer(r)->vel.py), 0.5);
    play_assert_near(flyer(r)->vel.pyaw, 0.2);
    stage_end(&s);
}

/* Player's C++ clients send a `state` of 0 with SetSpeed. */
static void an_aircraft_moves_whatever_the_state_of_a_command(void **state)
{
    stage s;
    const tp_position3d_position_mode_req position = {.value = 1}, speed = {.value = 0};
    const tp_position3d_cmd_vel up = {.vel = {.pz = 0.5}};
    const tp_position3d_cmd_pos there = {.pos = {.pz = 2}, .vel = {.pz = 0.25}};

    (void)state;
    stage_begin(&s, "world:0 position3d:0", GALLERY "copter");
    bench_reader *r = stage_open(&s, "position3d:0");
    stage_command(&s, r, TP_POSITION3D_CMD_SET_VEL, &up);
    stage_step(&s, 2);
    play_assert_near(flyer(r)->vel.pz, 0.5);
    stage_request(&s, r, TP_POSITION3D_REQ_POSITION_MODE, &position);
    stage_step(&s, 1);
    play_assert_near(flyer(r)->vel.pz, 0); /* what was commanded before has ended */
    stage_command(&s, r, TP_POSITION3D_CMD_SET_POS, &there);
    stage_step(&s, 1);
    play_assert_near(flyer(r)->vel.pz, 0.25);
    stage_request(&s, r, TP_POSITION3D_REQ_POSITION_MODE, &speed);
    stage_step(&s, 1);
    play_assert_near(flyer(r)->vel.pz, 0);
    stage_end(&s);
}

static void an_aircraft_stops_by_a_velocity_of_zero_under_position_control(void **state)
{
    stage s;
    const tp_position3d_position_mode_req position = {.value = 1};
    const tp_position3d_cmd_vel up = {.vel = {.pz = 0.5}}, still = {0};
    const tp_position3d_cmd_pos there = {.pos = {.pz = 2}, .vel = {.pz = 0.25}};

    (void)state;
    stage_begin(&s, "world:0 position3d:0", GALLERY "copter");
    bench_reader *r = stage_open(&s, "position3d:0");
    stage_request(&s, r, TP_POSITION3D_REQ_POSITION_MODE, &position);
    stage_command(&s, r, TP_POSITION3D_CMD_SET_POS, &there);
    stage_step(&s, 1);
    play_assert_near(flyer(r)->vel.pz, 0.25);
    stage_command(&s, r, TP_POSITION3D_CMD_SET_VEL, &still);
    stage_step(&s, 2);
    play_assert_near(flyer(r)->vel.pz, 0);
    assert_true(bench_command(&s.p->b, r->reader.device, TP_POSITION3D_CMD_SET_VEL, &up) < 0);
    assert_string_equal(s.p->b.err.text,
                        "the aircraft is under position control, as POSITION_MODE has chosen");
    stage_end(&s);
}

/* ---- limb ------------------------------------------------------------------------------------ */

static const tp_limb_data *limb(const bench_reader *r)
{
    return stage_last(r, TP_LIMB_DATA_STATE);
}

static void a_limb_brings_its_tip_to_places(void **state)
{
    stage s;
    const tp_limb_setposition_cmd there = {.position = {0.6, 0.3, 0.6}};
    const tp_limb_setposition_cmd far = {.position = {3, 0, 0.5}};
    const tp_limb_vecmove_cmd aside = {.direction = {0, -2, 0}, .length = 0.4F};

    (void)state;
    stage_begin(&s, "world:0 limb:0", GALLERY "arm");
    bench_reader *r = stage_open(&s, "limb:0");
    stage_command(&s, r, TP_LIMB_CMD_SETPOSITION, &there);
    stage_step(&s, 2);
    assert_int_equal(limb(r)->state, TP_LIMB_STATE_MOVING);
    stage_step(&s, 100);
    assert_int_equal(limb(r)->state, TP_LIMB_STATE_IDLE);
    assert_true(fabs(limb(r)->position.px - 0.6) < 1e-4 && fabs(limb(r)->position.pz - 0.6) < 1e-4);
    stage_command(&s, r, TP_LIMB_CMD_VECMOVE, &aside);
    stage_step(&s, 100);
    assert_true(fabs(limb(r)->position.px - 0.6) < 1e-4 && fabs(limb(r)->position.py + 0.1) < 1e-4);
    stage_command(&s, r, TP_LIMB_CMD_SETPOSITION, &far);
    stage_step(&s, 1);
    assert_int_equal(limb(r)->state, TP_LIMB_STATE_OOR);
    stage_command(&s, r, TP_LIMB_CMD_HOME, NULL);
    stage_step(&s, 100);
    play_assert_near(limb(r)->position.px, 1);
    const tp_limb_geom_req *geom = stage_get(&s, r, TP_LIMB_REQ_GEOM, NULL);
    play_assert_near(geom->basePos.pz, 0.5);
    stage_end(&s);
}

static void a_limb_obeys_brakes_power_and_directions(void **state)
{
    stage s;
    const tp_limb_setpose_cmd there = {
        .position = {1, 0, 0.6}, .approach = {2, 0, 0}, .orientation = {0, 1, 0}};
    const tp_limb_setpose_cmd down = {.position = {0.6, 0, 0.6}, .approach = {0, 0, -1}};
    const tp_limb_setpose_cmd odd = {.position = {NAN, 0, 0}};
    tp_limb_brakes_req brakes = {.value = 1};
    tp_limb_power_req power = {.value = 0};
    const tp_limb_speed_req still = {.speed = 0};

    (void)state;
    stage_begin(&s, "world:0 limb:0", GALLERY "arm");
    bench_reader *r = stage_open(&s, "limb:0");
    stage_request(&s, r, TP_LIMB_REQ_BRAKES, &brakes);
    stage_command(&s, r, TP_LIMB_CMD_SETPOSE, &there);
    stage_step(&s, 10);
    assert_int_equal(limb(r)->state, TP_LIMB_STATE_BRAKED);
    play_assert_near(limb(r)->position.pz, 0.5);
    brakes.value = 0;
    stage_request(&s, r, TP_LIMB_REQ_BRAKES, &brakes);
    stage_request(&s, r, TP_LIMB_REQ_POWER, &power);
    stage_command(&s, r, TP_LIMB_CMD_SETPOSE, &there);
    stage_step(&s, 10);
    play_assert_near(limb(r)->position.pz, 0.5);
    power.value = 1;
    stage_request(&s, r, TP_LIMB_REQ_POWER, &power);
    stage_command(&s, r, TP_LIMB_CMD_SETPOSE, &there);
    stage_step(&s, 100);
    assert_true(fabs(limb(r)->position.pz - 0.6) < 1e-4 && fabs(limb(r)->approach.px - 1) < 1e-4);
    stage_command(&s, r, TP_LIMB_CMD_SETPOSE, &down); /* the tip stays level */
    stage_step(&s, 10);
    assert_int_equal(limb(r)->state, TP_LIMB_STATE_OOR);
    assert_true(fabs(limb(r)->position.px - 1) < 1e-4);
    assert_true(bench_command(&s.p->b, r->reader.device, TP_LIMB_CMD_SETPOSE, &odd) < 0);
    assert_string_equal(s.p->b.err.text, "position is not a place or direction");
    stage_refused(&s, r, TP_LIMB_REQ_SPEED, &still, "speed 0 m/s is not above 0");
    stage_end(&s);
}

/* ---- rfid ------------------------------------------------------------------------------------ */

static void a_reader_finds_tags_while_it_has_power(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 rfid:0", GALLERY "rover");
    bench_reader *r = stage_open(&s, "rfid:0");
    stage_step(&s, 1);
    const tp_rfid_data *seen = stage_last(r, TP_RFID_DATA_TAGS);
    assert_int_equal(seen->tags_count, 1);
    assert_int_equal(seen->tags[0].type, 3);
    assert_int_equal(seen->tags[0].guid_count, 6);
    assert_memory_equal(seen->tags[0].guid, "pallet", 6);
    stage_request(&s, r, TP_RFID_REQ_POWER, NULL);
    stage_step(&s, 1);
    seen = stage_last(r, TP_RFID_DATA_TAGS);
    assert_int_equal(seen->tags_count, 0);
    stage_request(&s, r, TP_RFID_REQ_POWER, NULL);
    stage_step(&s, 1);
    seen = stage_last(r, TP_RFID_DATA_TAGS);
    assert_int_equal(seen->tags_count, 1);
    stage_end(&s);
}

/* ---- audio ----------------------------------------------------------------------------------- */

static const tp_audio_seq *heard(const bench_reader *r)
{
    return stage_last(r, TP_AUDIO_DATA_SEQ);
}

static void tones_are_played_and_heard(void **state)
{
    stage s;
    tp_audio_seq_item tones[] = {{.freq = 440, .duration = 0.3F, .amplitude = 1},
                                 {.freq = 880, .duration = 0.2F, .amplitude = 0.1F}};
    const tp_audio_seq melody = {.tones_count = 2, .tones = tones};

    (void)state;
    stage_begin(&s, "world:0 audio:0 audio:1", GALLERY "band");
    bench_reader *horn = stage_open(&s, "audio:0");
    bench_reader *ear = stage_open(&s, "audio:1");
    stage_step(&s, 1);
    assert_int_equal(heard(ear)->tones_count, 0);
    stage_command(&s, horn, TP_AUDIO_CMD_SEQ_PLAY, &melody);
    const tp_audio_state *now = stage_last(horn, TP_AUDIO_DATA_STATE);
    assert_int_equal(now->state, TP_AUDIO_STATE_PLAYING);
    stage_step(&s, 2);
    assert_int_equal(heard(ear)->tones_count, 1);
    play_assert_near((double)heard(ear)->tones[0].freq, 440);
    assert_true(fabs((double)heard(ear)->tones[0].amplitude - 0.1) < 1e-3); /* 80 dB at 1 m */
    stage_step(&s, 2);
    play_assert_near((double)heard(ear)->tones[0].freq, 880);
    assert_true(fabs((double)heard(ear)->tones[0].amplitude - 0.01) < 1e-3);
    stage_step(&s, 2);
    assert_int_equal(heard(ear)->tones_count, 0);
    now = stage_last(horn, TP_AUDIO_DATA_STATE);
    assert_int_equal(now->state, TP_AUDIO_STATE_STOPPED);
    tones[0].link.state = 1;
    assert_true(bench_command(&s.p->b, horn->reader.device, TP_AUDIO_CMD_SEQ_PLAY, &melody) < 0);
    assert_string_equal(s.p->b.err.text, "a sound plays one tone at a time");
    assert_true(bench_command(&s.p->b, ear->reader.device, TP_AUDIO_CMD_SEQ_PLAY, &melody) < 0);
    assert_string_equal(s.p->b.err.text, "a microphone plays nothing");
    stage_end(&s);
}

/* It is not only for what is played afterwards. */
static void the_mixer_changes_what_sounds_already(void **state)
{
    stage s;
    tp_audio_seq_item tone = {.freq = 440, .duration = 1, .amplitude = 1};
    const tp_audio_seq melody = {.tones_count = 1, .tones = &tone};
    tp_audio_mixer_channel channel = {.amplitude = 0.5F, .active = {.state = 1}};
    const tp_audio_mixer_channel_list mixer = {.channels_count = 1, .channels = &channel};

    (void)state;
    stage_begin(&s, "world:0 audio:0 audio:1", GALLERY "band");
    bench_reader *horn = stage_open(&s, "audio:0");
    bench_reader *ear = stage_open(&s, "audio:1");
    stage_command(&s, horn, TP_AUDIO_CMD_SEQ_PLAY, &melody);
    stage_step(&s, 2);
    assert_true(fabs((double)heard(ear)->tones[0].amplitude - 0.1) < 1e-3);
    stage_command(&s, horn, TP_AUDIO_CMD_MIXER_CHANNEL, &mixer);
    stage_step(&s, 1);
    assert_true(fabs((double)heard(ear)->tones[0].amplitude - 0.05) < 1e-3);
    channel.active.state = 0;
    stage_command(&s, horn, TP_AUDIO_CMD_MIXER_CHANNEL, &mixer);
    stage_step(&s, 1);
    assert_int_equal(heard(ear)->tones_count, 0);
    channel.active.state = 1;
    stage_command(&s, horn, TP_AUDIO_CMD_MIXER_CHANNEL, &mixer);
    stage_step(&s, 1);
    assert_true(fabs((double)heard(ear)->tones[0].amplitude - 0.05) < 1e-3);
    stage_step(&s, 6); /* the melody ends when it would have */
    assert_int_equal(heard(ear)->tones_count, 0);
    stage_end(&s);
}

/* A recorded wave that is played again has the frequency of the tone. */
static void waves_are_played_and_recorded(void **state)
{
    stage s;
    static uint8_t bytes[2205];
    const tp_audio_wav wave = {.data_count = sizeof bytes,
                               .data = bytes,
                               .format = TP_AUDIO_8BIT | TP_AUDIO_MONO | TP_AUDIO_FREQ_11k |
                                         TP_AUDIO_FORMAT_RAW};
    const tp_audio_wav packed = {.format = TP_AUDIO_FORMAT_MP3};
    const tp_bool on = {.state = 1};
    tp_audio_mixer_channel half = {.amplitude = 0.5F, .active = {.state = 1}};
    tp_audio_mixer_channel_list mixer = {.channels_count = 1, .channels = &half};

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) { /* 0.2 s */
        bytes[i] = (uint8_t)lrint(128 + 100 * sin(2 * SIMD_PI * 300 * (double)i / 11025));
    }
    stage_begin(&s, "world:0 audio:0 audio:1", GALLERY "band");
    bench_reader *horn = stage_open(&s, "audio:0");
    bench_reader *ear = stage_open(&s, "audio:1");
    stage_command(&s, ear, TP_AUDIO_CMD_WAV_STREAM_REC, &on);
    stage_command(&s, horn, TP_AUDIO_CMD_WAV_PLAY, &wave);
    stage_step(&s, 1);
    assert_true(fabs((double)heard(ear)->tones[0].freq - 300) < 6);
    const double loud = (double)heard(ear)->tones[0].amplitude;
    const tp_audio_wav *record = stage_last(ear, TP_AUDIO_DATA_WAV_REC);
    assert_int_equal(record->data_count, 2 * 1102);
    stage_command(&s, horn, TP_AUDIO_CMD_MIXER_CHANNEL, &mixer);
    stage_command(&s, horn, TP_AUDIO_CMD_WAV_PLAY, &wave);
    stage_step(&s, 1);
    assert_true(fabs((double)heard(ear)->tones[0].amplitude - loud / 2) < 1e-3);
    assert_true(bench_command(&s.p->b, horn->reader.device, TP_AUDIO_CMD_WAV_PLAY, &packed) < 0);
    assert_string_equal(s.p->b.err.text, "a sound plays raw waves of 8 or 16 bits");
    const tp_audio_mixer_channel_list *level =
        stage_get(&s, horn, TP_AUDIO_REQ_MIXER_CHANNEL_LEVEL, NULL);
    play_assert_near((double)level->channels[0].amplitude, 0.5);
    record = stage_get(&s, ear, TP_AUDIO_REQ_WAV_REC, NULL);
    assert_int_equal(record->data_count, 2 * 1102);
    half.index = 3;
    assert_true(bench_command(&s.p->b, horn->reader.device, TP_AUDIO_CMD_MIXER_CHANNEL, &mixer) <
                0);
    stage_end(&s);
}

/* ---- wsn ------------------------------------------------------------------------------------- */

static const tp_wsn_data *report(const bench_reader *r)
{
    return stage_last(r, TP_WSN_DATA_STATE);
}

/* Node 2 is out of reach of the station and reports through node 1. */
static void nodes_report_what_stands_on_them(void **state)
{
    stage s;
    const tp_wsn_datatype_config units = {.value = 1};
    tp_wsn_power_config power = {.node_id = 2, .group_id = -1, .value = 0};

    (void)state;
    stage_begin(&s, "world:0 wsn:0", GALLERY "hub");
    bench_reader *r = stage_open(&s, "wsn:0");
    stage_request(&s, r, TP_WSN_REQ_DATATYPE, &units);
    stage_step(&s, 2);
    assert_int_equal(r->counts[TP_WSN_DATA_STATE], 4); /* two nodes, two steps */
    stage_request(&s, r, TP_WSN_REQ_POWER, &power);
    stage_step(&s, 1);
    assert_int_equal(report(r)->node_id, 1);
    assert_int_equal(report(r)->node_parent_id, 0);
    assert_int_equal(report(r)->node_type, 9);
    play_assert_near((double)report(r)->data_packet.light, 4); /* a light of 4 at 1 m */
    assert_true(fabs((double)report(r)->data_packet.accel_z - 9.80665) < 1e-3);
    play_assert_near((double)report(r)->data_packet.temperature, 21.5);
    play_assert_near((double)report(r)->data_packet.mic, -1);
    play_assert_near((double)report(r)->data_packet.battery, -1);
    power.value = 1;
    stage_request(&s, r, TP_WSN_REQ_POWER, &power);
    power = (tp_wsn_power_config){.node_id = 1, .group_id = -1, .value = 0};
    stage_request(&s, r, TP_WSN_REQ_POWER, &power);
    r->counts[TP_WSN_DATA_STATE] = 0;
    stage_step(&s, 2);
    assert_int_equal(r->counts[TP_WSN_DATA_STATE], 0); /* no node passes on what node 2 sends */
    power.node_id = 77;
    stage_refused(&s, r, TP_WSN_REQ_POWER, &power, "there is no node 77 in group -1");
    stage_end(&s);
}

static void nodes_report_as_often_as_they_are_asked(void **state)
{
    stage s;
    tp_wsn_datafreq_config often = {.node_id = -1, .group_id = 5, .frequency = 2};
    const tp_wsn_cmd lamp = {.node_id = 1, .group_id = -1, .device = 0, .enable = 1};
    const tp_wsn_cmd none = {.node_id = 1, .group_id = -1, .device = 1, .enable = 1};

    (void)state;
    stage_begin(&s, "world:0 wsn:0 blinkenlight:0", DATA("gallery") " sleep=1 paused=1");
    bench_reader *r = stage_open(&s, "wsn:0");
    bench_reader *led = stage_open(&s, "blinkenlight:0");
    stage_request(&s, r, TP_WSN_REQ_DATAFREQ, &often); /* node 1 is in group 5, node 2 is not */
    stage_step(&s, 10);
    assert_int_equal(r->counts[TP_WSN_DATA_STATE], 2 + 10);
    play_assert_near((double)report(r)->data_packet.mic, -1); /* the sensors' own numbers */
    const tp_blinkenlight_data *light = stage_last(led, TP_BLINKENLIGHT_DATA_STATE);
    assert_int_equal(light->enable, 0);
    stage_command(&s, r, TP_WSN_CMD_DEVSTATE, &lamp);
    stage_step(&s, 1);
    light = stage_last(led, TP_BLINKENLIGHT_DATA_STATE);
    assert_int_equal(light->enable, 1);
    assert_true(bench_command(&s.p->b, r->reader.device, TP_WSN_CMD_DEVSTATE, &none) < 0);
    assert_string_equal(s.p->b.err.text, "such nodes have no light or sound of this number");
    often.frequency = 0;
    stage_refused(&s, r, TP_WSN_REQ_DATAFREQ, &often, "a node cannot report 0 times a second");
    often.frequency = 11;
    stage_refused(&s, r, TP_WSN_REQ_DATAFREQ, &often,
                  "a node of this world reports at most 10 times a second");
    stage_end(&s);
}

/* ---- coopobject ------------------------------------------------------------------------------ */

static void objects_tell_of_themselves(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 coopobject:0", GALLERY "hub");
    bench_reader *r = stage_open(&s, "coopobject:0");
    stage_step(&s, 1);
    assert_int_equal(r->counts[TP_COOPOBJECT_DATA_HEALTH], 2);
    assert_int_equal(r->counts[TP_COOPOBJECT_DATA_SENSOR], 1);
    const tp_coopobject_data_sensor *sensors = stage_last(r, TP_COOPOBJECT_DATA_SENSOR);
    assert_int_equal(sensors->header.id, 1);
    assert_int_equal(sensors->header.origin, TP_COOPOBJECT_ORIGIN_MOTE);
    assert_int_equal(sensors->data[0].type, TP_COOPOBJECT_TEMPERATURE);
    assert_int_equal(sensors->data[0].value, 215);
    const tp_coopobject_rssi *signal = stage_last(r, TP_COOPOBJECT_DATA_RSSI);
    assert_true(signal->rssi > 0 && signal->rssi < 255);
    const tp_coopobject_position *place = stage_last(r, TP_COOPOBJECT_DATA_POSITION);
    assert_int_equal(place->header.id, 2);
    assert_int_equal(place->header.parent_id, 1);
    assert_true(fabs((double)place->x - 24) < 1e-3);
    stage_end(&s);
}

static void objects_send_each_other_messages(void **state)
{
    stage s;
    uint8_t bytes[] = {1, 2, 3};
    tp_coopobject_data_userdefined ask = {
        .header = {.id = 2}, .type = 9, .data_count = 3, .data = bytes};

    (void)state;
    stage_begin(&s, NULL, DATA("gallery") " sleep=1 paused=1");
    bench_reader *a = stage_open(&s, "coopobject:0"); /* the hub */
    bench_reader *b = stage_open(&s, "coopobject:1"); /* on node 2 */
    stage_step(&s, 1);
    stage_command(&s, a, TP_COOPOBJECT_CMD_DATA, &ask);
    const tp_coopobject_data_userdefined *got = stage_last(b, TP_COOPOBJECT_DATA_USERDEFINED);
    assert_int_equal(got->header.id, 0);
    assert_int_equal(got->type, 9);
    assert_memory_equal(got->data, bytes, 3);
    ask.header.id = 1;
    assert_true(bench_command(&s.p->b, a->reader.device, TP_COOPOBJECT_CMD_DATA, &ask) < 0);
    assert_string_equal(s.p->b.err.text, "object 1 has no device to take it");
    ask.header.id = 50;
    assert_true(bench_command(&s.p->b, a->reader.device, TP_COOPOBJECT_CMD_DATA, &ask) < 0);
    assert_string_equal(s.p->b.err.text, "object 50 is not heard");
    stage_end(&s);
}

/* ---- stereo ---------------------------------------------------------------------------------- */

/* A wall 2 m ahead fills both pictures. */
static void a_stereo_camera_sends_pictures_disparity_and_points(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, "world:0 stereo:0", GALLERY "eyes");
    bench_reader *r = stage_open(&s, "stereo:0");
    stage_step(&s, 1);
    const tp_stereo_data *seen = stage_last(r, TP_STEREO_DATA_STATE);
    assert_int_equal(seen->mode, 15);
    assert_int_equal(seen->left_channel.image_count, 16 * 12 * 3);
    assert_int_equal(seen->right_channel.image_count, 16 * 12 * 3);
    assert_int_equal(seen->disparity.fdiv, 16);
    const uint8_t *middle = seen->disparity.image + 2 * (6 * 16 + 8);
    const double shift = (middle[0] << 8 | middle[1]) / 16.0;
    const double focal = 8 / tan(30 * SIMD_PI / 180);
    assert_true(fabs(shift - focal * 0.2 / 2) < 0.05);
    assert_int_equal(seen->points_count, 16 * 12);
    play_assert_near((double)seen->points[0].px, 2);
    assert_true(seen->points[0].py > 0 && seen->points[0].red == 0 && seen->points[0].blue > 0);
    stage_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lift_goes_to_a_place_and_to_its_ends),
        cmocka_unit_test(a_lift_stalls_below_a_ceiling),
        cmocka_unit_test(an_axis_moves_whatever_the_state_of_a_command),
        cmocka_unit_test(an_axis_stops_by_a_speed_of_zero_under_position_control),
        cmocka_unit_test(an_axis_keeps_to_what_it_was_asked),
        cmocka_unit_test(an_aircraft_moves_whatever_the_state_of_a_command),
        cmocka_unit_test(an_aircraft_stops_by_a_velocity_of_zero_under_position_control),
        cmocka_unit_test(what_stands_on_a_joint_tells_where_it_is),
        cmocka_unit_test(an_aircraft_flies_over_a_crate_and_lands),
        cmocka_unit_test(an_aircraft_goes_to_a_pose_and_refuses_roll),
        cmocka_unit_test(a_limb_brings_its_tip_to_places),
        cmocka_unit_test(a_limb_obeys_brakes_power_and_directions),
        cmocka_unit_test(a_reader_finds_tags_while_it_has_power),
        cmocka_unit_test(tones_are_played_and_heard),
        cmocka_unit_test(the_mixer_changes_what_sounds_already),
        cmocka_unit_test(waves_are_played_and_recorded),
        cmocka_unit_test(nodes_report_what_stands_on_them),
        cmocka_unit_test(nodes_report_as_often_as_they_are_asked),
        cmocka_unit_test(objects_tell_of_themselves),
        cmocka_unit_test(objects_send_each_other_messages),
        cmocka_unit_test(a_stereo_camera_sends_pictures_disparity_and_points),
    };

    return cmocka_run_group_tests_name("drivers/sim/gallery", tests, NULL, NULL);
}
