/* showing_test.c - what is set can be got, what is commanded shows, sensors see one world. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "troupe/interfaces/all.h"

extern const tp_driver tp_driver_fake;

static const double pi = 3.141592653589793;
static const char *const exact = "rate=1000 noise=0";

/* ---- Small values ---------------------------------------------------------------------------- */

static void outputs_come_back_as_inputs(void **state)
{
    play *p = play_begin(&tp_driver_fake, "dio:0", exact);
    const tp_dio_cmd low = {.count = 4, .digout = 5};
    const tp_dio_data *data = bench_await(&p->r, TP_DIO_DATA_VALUES);
    const uint32_t high_bits = data->bits & 0xf0;

    (void)state;
    play_command(p, TP_DIO_CMD_VALUES, &low);
    data = play_after(p, 0, TP_DIO_DATA_VALUES);
    assert_int_equal(data->bits, high_bits | 5);
    play_destroy(p);
    p = play_begin(&tp_driver_fake, "aio:0", exact);
    const tp_aio_cmd volts = {.id = 3, .voltage = 2.5f};
    play_command(p, TP_AIO_CMD_STATE, &volts);
    const tp_aio_data *analog = play_after(p, 0, TP_AIO_DATA_STATE);
    play_assert_near((double)analog->voltages[3], 2.5);
    play_destroy(p);
}

static void a_light_shows_what_it_was_told(void **state)
{
    play *p = play_begin(&tp_driver_fake, "blinkenlight:0", exact);
    const tp_blinkenlight_cmd on = {
        .enable = 1, .period = 2, .dutycycle = 0.25f, .color = {255, 1, 2, 3}};
    const tp_blinkenlight_cmd_flash faster = {.period = 1, .dutycycle = 0.5f};

    (void)state;
    play_command(p, TP_BLINKENLIGHT_CMD_STATE, &on);
    play_command(p, TP_BLINKENLIGHT_CMD_FLASH, &faster);
    const tp_blinkenlight_data *data = play_after(p, 0, TP_BLINKENLIGHT_DATA_STATE);
    assert_int_equal(data->enable, 1);
    assert_int_equal(data->color.blue, 3);
    play_assert_near((double)data->period, 1);
    play_destroy(p);
}

/* From descriptions alone: a position, and what was set for another of several. */
static void descriptions_are_enough_for_answers(void **state)
{
    play *p = play_begin(&tp_driver_fake, "blobfinder:0 ptz:0", "rate=1000 position=1,2,3");
    const tp_blobfinder_color_config red = {.channel = 5, .rmin = 200, .rmax = 255};
    const tp_blobfinder_color_config which = {.channel = 9};

    (void)state;
    play_request(p, TP_BLOBFINDER_REQ_SET_COLOR, &red);
    const tp_blobfinder_color_config *kept = play_get(p, TP_BLOBFINDER_REQ_GET_COLOR, &which);
    assert_int_equal(kept->rmin, 200);
    assert_int_equal(kept->channel, 9);
    p->device = bench_find(&p->b, "ptz:0");
    const tp_ptz_geom *geom = play_get(p, TP_PTZ_REQ_GEOM, NULL);
    play_assert_near(geom->pos.py, 2);
    play_assert_near(geom->size.sh, 0.15);
    play_destroy(p);
}

static void sensors_that_are_off_send_nothing(void **state)
{
    play *p = play_begin(&tp_driver_fake, "sonar:0", exact);
    const tp_sonar_power_config off = {.state = 0};
    const tp_sonar_power_config on = {.state = 1};

    (void)state;
    bench_await(&p->r, TP_SONAR_DATA_RANGES);
    play_request(p, TP_SONAR_REQ_POWER, &off);
    const unsigned before = p->r.counts[TP_SONAR_DATA_RANGES];
    bench_move_clock(&p->b, 1);
    play_request(p, TP_SONAR_REQ_POWER, &off); /* an answer comes after all that was sent */
    assert_int_equal(p->r.counts[TP_SONAR_DATA_RANGES], before);
    play_request(p, TP_SONAR_REQ_POWER, &on);
    assert_non_null(play_after(p, 1, TP_SONAR_DATA_RANGES));
    play_destroy(p);
}

static void a_battery_drains_and_is_charged_when_low(void **state)
{
    play *p = play_begin(&tp_driver_fake, "power:0", exact);
    const tp_power_chargepolicy_config no_charging = {.enable_output = 1};
    const tp_power_data *data = bench_await(&p->r, TP_POWER_DATA_STATE);
    const double before = (double)data->joules;

    (void)state;
    assert_int_equal(data->charging, 0);
    data = play_after(p, 60, TP_POWER_DATA_STATE);
    assert_true(fabs(before - (double)data->joules - 60 * 25) < 0.01);
    data =
        play_after(p, (before - 7200) / 25 - 60 + 10, TP_POWER_DATA_STATE); /* 10 s into charging */
    assert_int_equal(data->charging, 1);
    assert_true(fabs((double)data->joules - 7700) < 0.01);
    play_request(p, TP_POWER_REQ_SET_CHARGING_POLICY, &no_charging);
    data = play_after(p, 1e6, TP_POWER_DATA_STATE);
    play_assert_near((double)data->joules, 0);
    play_destroy(p);
}

static void mixer_levels_are_kept(void **state)
{
    play *p = play_begin(&tp_driver_fake, "audio:0", exact);
    tp_audio_mixer_channel quiet = {.amplitude = 0.125f, .index = 0};
    const tp_audio_mixer_channel_list ask = {.channels_count = 1, .channels = &quiet};

    (void)state;
    play_command(p, TP_AUDIO_CMD_MIXER_CHANNEL, &ask);
    const tp_audio_mixer_channel_list *levels = play_get(p, TP_AUDIO_REQ_MIXER_CHANNEL_LEVEL, NULL);
    assert_int_equal(levels->channels_count, 2);
    play_assert_near((double)levels->channels[0].amplitude, 0.125);
    assert_int_equal(levels->channels[0].active.state, 0);
    play_destroy(p);
}

static void sounds_are_kept_and_played_for_as_long_as_they_last(void **state)
{
    play *p = play_begin(&tp_driver_fake, "audio:0", exact);
    uint8_t bytes[11025] = {1, 2, 3};
    const tp_audio_sample ask = {
        .sample = {sizeof bytes, bytes, TP_AUDIO_FORMAT_RAW | TP_AUDIO_FREQ_11k}, .index = -1};
    const tp_audio_sample_item first = {.index = 0};

    (void)state;
    const tp_audio_sample *kept = play_get(p, TP_AUDIO_REQ_SAMPLE_LOAD, &ask);
    assert_int_equal(kept->index, 0);
    const tp_audio_sample which = {.index = 0};
    kept = play_get(p, TP_AUDIO_REQ_SAMPLE_RETRIEVE, &which);
    assert_int_equal(kept->sample.data_count, sizeof bytes);
    assert_memory_equal(kept->sample.data, bytes, sizeof bytes);
    play_command(p, TP_AUDIO_CMD_SAMPLE_PLAY, &first);
    const tp_audio_state *told = play_last(p, TP_AUDIO_DATA_STATE);
    assert_int_equal(told->state, TP_AUDIO_STATE_PLAYING);
    bench_move_clock(&p->b, 1.5);
    told = bench_await(&p->r, TP_AUDIO_DATA_STATE);
    assert_int_equal(told->state, TP_AUDIO_STATE_STOPPED);
    play_destroy(p);
}

/* ---- Sensors --------------------------------------------------------------------------------- */

static void scans_are_configured_within_what_is_possible(void **state)
{
    play *p = play_begin(&tp_driver_fake, "laser:0", exact);
    const tp_laser_config ask = {.min_angle = -0.7853982f,
                                 .max_angle = 0.7853982f,
                                 .resolution = 0.017453292f,
                                 .max_range = 1000,
                                 .intensity = 0};

    (void)state;
    const tp_laser_config *made = play_get(p, TP_LASER_REQ_SET_CONFIG, &ask);
    play_assert_near((double)made->max_range, 30);
    made = play_get(p, TP_LASER_REQ_GET_CONFIG, NULL);
    play_assert_near((double)made->max_range, 30);
    const tp_laser_data *data = play_after(p, 0, TP_LASER_DATA_SCAN);
    assert_int_equal(data->ranges_count, 91);
    assert_int_equal(data->intensity_count, 0);
    assert_true(data->ranges[45] > 0 && data->ranges[45] <= 5);
    play_destroy(p);
}

/* The robot drives towards a wall that is 5 m away, and the laser sees it come nearer. */
static void sensors_see_the_robot_move(void **state)
{
    play *p = play_begin(&tp_driver_fake, "ranger:0 position2d:0", "rate=1000 noise=0 seed=3");
    const tp_position2d_set_odom_req near_wall = {.pose = {4, 0, 0}};
    const tp_ranger_data_range *data;
    tp_device *position = bench_find(&p->b, "position2d:0");

    (void)state;
    assert_int_equal(bench_request(&p->b, position, TP_POSITION2D_REQ_SET_ODOM, &near_wall, NULL),
                     TP_OK);
    data = play_after(p, 0, TP_RANGER_DATA_RANGE);
    assert_int_equal(data->ranges_count, 361);
    play_assert_near(data->ranges[180], 1);
    play_destroy(p);
}

/* What a device says first, as text. */
static char *first_words(const char *provides, const char *settings, unsigned code)
{
    play *p = play_begin(&tp_driver_fake, provides, settings);
    char *text = NULL;

    bench_await(&p->r, code);
    tp_msg *msg = p->r.last[code];
    assert_int_equal(tp_value_text(&text, tp_msg_type(msg), tp_msg_payload(msg), TP_TEXT_JSON),
                     TP_OK);
    play_destroy(p);
    return text;
}

static void the_same_seed_gives_the_same_data(void **state)
{
    char *one = first_words("aio:0", "rate=1000 seed=5 noise=0", TP_AIO_DATA_STATE);
    char *same = first_words("aio:0", "rate=1000 seed=5 noise=0", TP_AIO_DATA_STATE);
    char *other = first_words("aio:0", "rate=1000 seed=6 noise=0", TP_AIO_DATA_STATE);

    (void)state;
    assert_string_equal(one, same);
    assert_string_not_equal(one, other);
    free(one);
    free(same);
    free(other);
}

static void a_planner_reaches_its_goal(void **state)
{
    play *p = play_begin(&tp_driver_fake, "planner:0", exact);
    const tp_planner_cmd goal = {.goal = {3, 4, 1}};
    const tp_planner_enable_req hold = {.state = 0};
    const tp_planner_enable_req move = {.state = 1};
    const tp_planner_data *data;

    (void)state;
    play_request(p, TP_PLANNER_REQ_ENABLE, &hold);
    play_command(p, TP_PLANNER_CMD_GOAL, &goal);
    data = play_after(p, 100, TP_PLANNER_DATA_STATE);
    play_assert_pose(&data->pos, 0, 0, 0);
    assert_true(data->valid && !data->done);
    assert_int_equal(data->waypoint_idx, 1);
    play_request(p, TP_PLANNER_REQ_ENABLE, &move);
    const tp_planner_waypoints_req *way = play_get(p, TP_PLANNER_REQ_GET_WAYPOINTS, NULL);
    play_assert_near(way->waypoints_distance, 5);
    data = play_after(p, 100, TP_PLANNER_DATA_STATE);
    play_assert_pose(&data->pos, 3, 4, 1);
    assert_true(data->done);
    assert_int_equal(data->waypoint_idx, -1);
    play_destroy(p);
}

static void localization_starts_afresh_where_it_is_told(void **state)
{
    play *p = play_begin(&tp_driver_fake, "localize:0 position2d:0", exact);
    const tp_localize_set_pose here = {.mean = {10, 20, pi / 2}};
    const tp_position2d_cmd_vel go = {.vel = {.px = 1}, .state = 1};

    (void)state;
    play_request(p, TP_LOCALIZE_REQ_SET_POSE, &here);
    assert_int_equal(
        bench_command(&p->b, bench_find(&p->b, "position2d:0"), TP_POSITION2D_CMD_VEL, &go), TP_OK);
    const tp_localize_data *data = play_after(p, 2, TP_LOCALIZE_DATA_HYPOTHS);
    assert_int_equal(data->hypoths_count, 1);
    play_assert_pose(&data->hypoths[0].mean, 10, 22, pi / 2);
    play_destroy(p);
}

static void an_imu_sends_what_was_chosen(void **state)
{
    play *p = play_begin(&tp_driver_fake, "imu:0", exact);
    const tp_imu_datatype_config euler = {.value = TP_IMU_DATA_EULER};
    const tp_imu_reset_euler_config turned = {.orientation = {.pyaw = 1}};

    (void)state;
    assert_true(((const tp_imu_data_calib *)bench_await(&p->r, TP_IMU_DATA_CALIB))->accel_z > 9);
    play_request(p, TP_IMU_REQ_SET_DATATYPE, &euler);
    play_request(p, TP_IMU_REQ_RESET_EULER, &turned);
    const tp_imu_data_euler *data = play_after(p, 0, TP_IMU_DATA_EULER);
    play_assert_near(data->orientation.pyaw, 1);
    play_destroy(p);
}

/* ---- Maps and boards ------------------------------------------------------------------------- */

static void a_tile_beyond_the_map_is_padded(void **state)
{
    play *p = play_begin(&tp_driver_fake, "map:0", exact);
    const tp_map_data ask = {.col = 98, .row = 10, .width = 4, .height = 2};

    (void)state;
    const tp_map_info *info = play_get(p, TP_MAP_REQ_GET_INFO, NULL);
    assert_int_equal(info->width, 100);
    assert_int_equal(info->height, 80);
    play_assert_near(info->origin.px, -5);
    const tp_map_data *tile = play_get(p, TP_MAP_REQ_GET_DATA, &ask);
    const int8_t wanted[] = {-1, 1, 0, 0, -1, 1, 0, 0};
    assert_int_equal(tile->col, 98);
    assert_int_equal(tile->width, 4);
    assert_int_equal(tile->data_range, 1);
    assert_int_equal(tile->data_count, 8);
    assert_memory_equal(tile->data, wanted, 8);
    play_destroy(p);
}

static void a_tile_is_not_larger_than_the_map(void **state)
{
    play *p = play_begin(&tp_driver_fake, "map:0", exact);
    const tp_map_data ask = {.width = 65536, .height = 65536};

    (void)state;
    const tp_map_data *tile = play_get(p, TP_MAP_REQ_GET_DATA, &ask);
    assert_int_equal(tile->width, 100);
    assert_int_equal(tile->height, 80);
    assert_int_equal(tile->data_count, 8000);
    play_destroy(p);
}

static void layers_are_written_and_read(void **state)
{
    play *p = play_begin(&tp_driver_fake, "vectormap:0", exact);
    uint8_t wkb[] = {1, 2, 3};
    tp_vectormap_feature_data feature = {.name_count = 2, .name = play_chars("f"), .wkb_count = 3};
    const tp_vectormap_layer_data layer = {
        .name_count = 4, .name = play_chars("new"), .features_count = 1, .features = &feature};
    const tp_vectormap_layer_data ask = {.name_count = 4, .name = play_chars("new")};
    const tp_vectormap_layer_data walls = {.name_count = 6, .name = play_chars("walls")};

    (void)state;
    feature.wkb = wkb;
    play_request(p, TP_VECTORMAP_REQ_WRITE_LAYER, &layer);
    const tp_vectormap_info *info = play_get(p, TP_VECTORMAP_REQ_GET_MAP_INFO, NULL);
    assert_int_equal(info->layers_count, 2);
    assert_string_equal(info->layers[1].name, "new");
    const tp_vectormap_layer_data *back = play_get(p, TP_VECTORMAP_REQ_GET_LAYER_DATA, &ask);
    assert_true(tp_value_equal(&tp_desc_vectormap_layer_data, back, &layer));
    back = play_get(p, TP_VECTORMAP_REQ_GET_LAYER_DATA, &walls);
    assert_int_equal(back->features_count, 4);
    assert_int_equal(back->features[0].wkb_count, 41);
    play_destroy(p);
}

static tp_blackboard_entry entry(const char *key, const char *group, uint8_t *bytes, uint32_t count)
{
    return (tp_blackboard_entry){.key_count = (uint32_t)strlen(key) + 1,
                                 .key = play_chars(key),
                                 .group_count = (uint32_t)strlen(group) + 1,
                                 .group = play_chars(group),
                                 .subtype = count > 0,
                                 .data_count = count,
                                 .data = bytes};
}

/* As transcript 10 shows for Player's blackboard. */
static void who_watches_a_key_hears_of_it(void **state)
{
    play *p = play_begin(&tp_driver_fake, "blackboard:0", exact);
    uint8_t bytes[] = {1, 2, 3, 4};
    const tp_blackboard_entry ask = entry("k1", "g1", NULL, 0);
    const tp_blackboard_entry written = entry("k1", "g1", bytes, 4);
    const tp_blackboard_entry unseen = entry("k2", "g1", bytes, 4);

    (void)state;
    const tp_blackboard_entry *told = play_get(p, TP_BLACKBOARD_REQ_SUBSCRIBE_TO_KEY, &ask);
    assert_int_equal(told->data_count, 0);
    assert_int_equal(told->subtype, 0);
    play_request(p, TP_BLACKBOARD_REQ_SET_ENTRY, &unseen);
    assert_int_equal(p->r.counts[TP_BLACKBOARD_DATA_UPDATE], 0);
    play_request(p, TP_BLACKBOARD_REQ_SET_ENTRY, &written);
    assert_int_equal(p->r.counts[TP_BLACKBOARD_DATA_UPDATE], 1); /* before the request ended */
    assert_true(tp_value_equal(&tp_desc_blackboard_entry, play_last(p, TP_BLACKBOARD_DATA_UPDATE),
                               &written));
    told = play_get(p, TP_BLACKBOARD_REQ_GET_ENTRY, &ask);
    assert_true(tp_value_equal(&tp_desc_blackboard_entry, told, &written));
    play_request(p, TP_BLACKBOARD_REQ_UNSUBSCRIBE_FROM_KEY, &ask);
    play_request(p, TP_BLACKBOARD_REQ_SET_ENTRY, &written);
    assert_int_equal(p->r.counts[TP_BLACKBOARD_DATA_UPDATE], 1);
    play_request(p, TP_BLACKBOARD_REQ_SUBSCRIBE_TO_GROUP, &ask); /* both entries come */
    assert_int_equal(p->r.counts[TP_BLACKBOARD_DATA_UPDATE], 3);
    play_destroy(p);
}

static void objects_of_the_world_are_moved(void **state)
{
    play *p = play_begin(&tp_driver_fake, "simulation:0", exact);
    const tp_simulation_pose2d_req put = {
        .name_count = 4, .name = play_chars("box"), .pose = {1, 2, 0.5}};
    const tp_simulation_pose2d_req ghost = {.name_count = 6, .name = play_chars("ghost")};

    (void)state;
    play_request(p, TP_SIMULATION_REQ_SET_POSE2D, &put);
    const tp_simulation_pose2d_req *told = play_get(p, TP_SIMULATION_REQ_GET_POSE2D, &put);
    play_assert_pose(&told->pose, 1, 2, 0.5);
    play_assert_request_refused(p, TP_SIMULATION_REQ_GET_POSE2D, &ghost,
                                "there is no object \"ghost\"");
    play_destroy(p);
}

static void what_is_said_is_heard(void **state)
{
    play *p = play_begin(&tp_driver_fake, "speech_recognition:0 speech:0", exact);
    const tp_speech_cmd say = {.string_count = 5, .string = play_chars("ahoy")};

    (void)state;
    assert_int_equal(bench_command(&p->b, bench_find(&p->b, "speech:0"), TP_SPEECH_CMD_SAY, &say),
                     TP_OK);
    const tp_speech_recognition_data *data = play_last(p, TP_SPEECH_RECOGNITION_DATA_STRING);
    assert_string_equal(data->text, "ahoy");
    play_destroy(p);
}

static void every_kind_of_inertial_data_can_be_chosen(void **state)
{
    play *p = play_begin(&tp_driver_fake, "imu:0 position2d:0", exact);
    const tp_position2d_cmd_vel turn = {.vel = {.px = 2, .pa = 0.5}, .state = 1};

    (void)state;
    assert_int_equal(
        bench_command(&p->b, bench_find(&p->b, "position2d:0"), TP_POSITION2D_CMD_VEL, &turn),
        TP_OK);
    for (uint8_t type = TP_IMU_DATA_STATE; type <= TP_IMU_DATA_FULLSTATE; type++) {
        const tp_imu_datatype_config choice = {.value = type};
        play_request(p, TP_IMU_REQ_SET_DATATYPE, &choice);
        assert_non_null(play_after(p, 1, type));
    }
    const tp_imu_data_quat *quat = play_last(p, TP_IMU_DATA_QUAT);
    const double norm = (double)quat->q0 * (double)quat->q0 + (double)quat->q3 * (double)quat->q3;
    assert_true(fabs(norm - 1) < 1e-6);
    play_assert_near((double)quat->calib_data.gyro_z, 0.5);
    play_assert_near((double)quat->calib_data.accel_y, 1); /* to the middle of the circle */
    const tp_imu_data_fullstate *full = play_last(p, TP_IMU_DATA_FULLSTATE);
    play_assert_near(full->vel.px, 2);
    play_destroy(p);
}

static void properties_and_clock_of_the_world(void **state)
{
    play *p = play_begin(&tp_driver_fake, "simulation:0", exact);
    const tp_simulation_property_req colour = {.name_count = 4,
                                               .name = play_chars("box"),
                                               .prop_count = 7,
                                               .prop = play_chars("colour"),
                                               .value_count = 4,
                                               .value = play_chars("red")};
    const tp_simulation_pose3d_req high = {
        .name_count = 6, .name = play_chars("robot"), .pose = {1, 2, 3, 0, 0, 0.5}};
    const tp_simulation_pose3d_req *told;

    (void)state;
    play_assert_request_refused(p, TP_SIMULATION_REQ_GET_PROPERTY, &colour,
                                "the object has no such property");
    play_request(p, TP_SIMULATION_REQ_SET_PROPERTY, &colour);
    const tp_simulation_property_req *kept = play_get(p, TP_SIMULATION_REQ_GET_PROPERTY, &colour);
    assert_string_equal(kept->value, "red");
    play_request(p, TP_SIMULATION_REQ_SET_POSE3D, &high);
    bench_move_clock(&p->b, 5);
    play_command(p, TP_SIMULATION_CMD_PAUSE, NULL);
    bench_move_clock(&p->b, 5);
    told = play_get(p, TP_SIMULATION_REQ_GET_POSE3D, &high);
    play_assert_near(told->simtime, 5);
    play_assert_near(told->pose.pz, 3);
    play_command(p, TP_SIMULATION_CMD_RESET, NULL);
    told = play_get(p, TP_SIMULATION_REQ_GET_POSE3D, &high);
    play_assert_near(told->simtime, 0);
    play_assert_near(told->pose.pz, 0);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_come_back_as_inputs),
        cmocka_unit_test(a_light_shows_what_it_was_told),
        cmocka_unit_test(descriptions_are_enough_for_answers),
        cmocka_unit_test(sensors_that_are_off_send_nothing),
        cmocka_unit_test(a_battery_drains_and_is_charged_when_low),
        cmocka_unit_test(mixer_levels_are_kept),
        cmocka_unit_test(sounds_are_kept_and_played_for_as_long_as_they_last),
        cmocka_unit_test(scans_are_configured_within_what_is_possible),
        cmocka_unit_test(sensors_see_the_robot_move),
        cmocka_unit_test(the_same_seed_gives_the_same_data),
        cmocka_unit_test(a_planner_reaches_its_goal),
        cmocka_unit_test(localization_starts_afresh_where_it_is_told),
        cmocka_unit_test(an_imu_sends_what_was_chosen),
        cmocka_unit_test(a_tile_beyond_the_map_is_padded),
        cmocka_unit_test(a_tile_is_not_larger_than_the_map),
        cmocka_unit_test(layers_are_written_and_read),
        cmocka_unit_test(who_watches_a_key_hears_of_it),
        cmocka_unit_test(objects_of_the_world_are_moved),
        cmocka_unit_test(what_is_said_is_heard),
        cmocka_unit_test(every_kind_of_inertial_data_can_be_chosen),
        cmocka_unit_test(properties_and_clock_of_the_world),
    };

    return cmocka_run_group_tests_name("showing_test", tests, NULL, NULL);
}
