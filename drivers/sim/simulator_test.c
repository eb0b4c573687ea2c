/* simulator_test.c - a world as a device: its time, its objects, its states, who keeps in step. */
#include "simulator_test.h"

#include <stdio.h>

#include "platform/folder.h"
#include "simulator.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/interfaces/simulation.h"

#define STILL DATA("yard") " sleep=1 paused=1 model=r0"
#define ALL "simulation:0 world:0 position2d:0 ranger:0 ranger:1"

static const tp_position2d_cmd_vel forward = {.vel = {.px = 1}, .state = 1};

static tp_simulation_pose2d_req named(const char *name)
{
    return (tp_simulation_pose2d_req){.name_count = (uint32_t)strlen(name) + 1,
                                      .name = play_chars(name)};
}

static tp_pose2d pose_of(stage *s, bench_reader *simulation, const char *name)
{
    const tp_simulation_pose2d_req ask = named(name);
    const tp_simulation_pose2d_req *answer =
        stage_get(s, simulation, TP_SIMULATION_REQ_GET_POSE2D, &ask);

    return answer->pose;
}

/* ---- Time ------------------------------------------------------------------------------------ */

static void a_step_moves_time_and_data_has_the_time_of_the_world(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "position2d:0");
    const tp_world_state *now = stage_step(&s, 3);
    assert_int_equal(now->steps, 3);
    play_assert_near(now->time, 0.3);
    play_assert_near(now->interval, 0.1);
    assert_true(now->paused);
    assert_int_equal(r->counts[TP_POSITION2D_DATA_STATE], 3);
    play_assert_near(stage_stamp(r, TP_POSITION2D_DATA_STATE), 0.3);
    stage_end(&s);
}

static void a_world_follows_the_clock_with_its_speed(void **state)
{
    stage s;
    const tp_world_state *now = NULL;

    (void)state;
    stage_begin(&s, ALL, DATA("yard") " sleep=1 speed=2 model=r0");
    bench_reader *r = stage_open(&s, "position2d:0");
    for (uint32_t i = 1; i <= 10; i++) {
        play_get(s.p, TP_WORLD_REQ_GET_STATE, NULL); /* it waits for the next step */
        bench_move_clock(&s.p->b, 0.05);
        while (r->counts[TP_POSITION2D_DATA_STATE] < i) {
            tp_loop_turn(s.p->b.loop, false);
        }
    }
    now = play_get(s.p, TP_WORLD_REQ_GET_STATE, NULL);
    assert_int_equal(now->steps, 10);
    play_assert_near(now->speed, 2);
    assert_false(now->late);
    stage_end(&s);
}

static void a_world_that_is_too_late_says_so(void **state)
{
    stage s;
    const tp_world_state *now = NULL;

    (void)state;
    stage_begin(&s, ALL, DATA("yard") " sleep=1 model=r0");
    bench_reader *r = stage_open(&s, "position2d:0");
    while (r->counts[TP_POSITION2D_DATA_STATE] == 0) { /* it looks at the time too rarely */
        bench_move_clock(&s.p->b, 0.3);
        tp_loop_turn(s.p->b.loop, false);
    }
    now = play_get(s.p, TP_WORLD_REQ_GET_STATE, NULL);
    assert_true(now->late);
    assert_true(now->steps <= 10);
    stage_end(&s);
}

static void speed_and_pause_are_requests_and_properties(void **state)
{
    stage s;
    const tp_world_speed fast = {.speed = 4};
    const tp_world_speed wrong = {.speed = -1};
    const tp_world_pause go = {.paused = 0};

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "simulation:0");
    play_request(s.p, TP_WORLD_REQ_SPEED, &fast);
    play_request(s.p, TP_WORLD_REQ_PAUSE, &go);
    const tp_world_state *now = play_get(s.p, TP_WORLD_REQ_GET_STATE, NULL);
    play_assert_near(now->speed, 4);
    assert_false(now->paused);
    const tp_dblprop_req speed = {.key_count = 6, .key = play_chars("speed"), .value = 0.5};
    const tp_dblprop_req *told = stage_get(&s, r, TP_COMMON_REQ_GET_DBLPROP, &speed);
    play_assert_near(told->value, 4);
    stage_request(&s, r, TP_COMMON_REQ_SET_DBLPROP, &speed);
    stage_command(&s, r, TP_SIMULATION_CMD_PAUSE, NULL);
    now = play_get(s.p, TP_WORLD_REQ_GET_STATE, NULL);
    play_assert_near(now->speed, 0.5);
    assert_true(now->paused);
    play_assert_request_refused(s.p, TP_WORLD_REQ_SPEED, &wrong,
                                "speed -1 is not from 0 to 1000000");
    stage_end(&s);
}

/* ---- Objects --------------------------------------------------------------------------------- */

static void models_are_moved_and_found_by_name(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "simulation:0");
    tp_pose2d pose = pose_of(&s, r, "r10");
    play_assert_pose(&pose, 0, -2, 0);
    tp_simulation_pose2d_req ask = named("r10");
    ask.pose = (tp_pose2d){1, 2, 0.5};
    stage_request(&s, r, TP_SIMULATION_REQ_SET_POSE2D, &ask);
    pose = pose_of(&s, r, "r10");
    play_assert_pose(&pose, 1, 2, 0.5);
    pose = pose_of(&s, r, "r10.laser"); /* in the frame of its parent */
    play_assert_pose(&pose, 0.1, 0, 0);
    tp_simulation_pose3d_req tilted = {.name_count = 4, .name = play_chars("r10")};
    tilted.pose.ppitch = 0.1;
    stage_refused(&s, r, TP_SIMULATION_REQ_SET_POSE3D, &tilted,
                  "pose has roll or pitch: the models of a world stay level");
    ask = named("nobody");
    stage_refused(&s, r, TP_SIMULATION_REQ_GET_POSE2D, &ask,
                  "there is no model \"nobody\" in the world yard");
    ask = named("r10.lsaer");
    stage_refused(&s, r, TP_SIMULATION_REQ_SET_POSE2D, &ask,
                  "there is no model \"r10.lsaer\" in the world yard; did you mean \"r10.laser\"?");
    stage_end(&s);
}

static void colour_and_time_are_properties_of_models(void **state)
{
    stage s;
    tp_simulation_property_req ask = {
        .name_count = 3, .name = play_chars("r0"), .prop_count = 6, .prop = play_chars("color")};
    float colour[4];
    uint64_t time_us = 0;

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "simulation:0");
    stage_step(&s, 2);
    const tp_simulation_property_req *told = stage_get(&s, r, TP_SIMULATION_REQ_GET_PROPERTY, &ask);
    assert_int_equal(told->value_count, sizeof colour);
    memcpy(colour, told->value, sizeof colour);
    assert_true(colour[0] == 0 && colour[1] == 0 && colour[2] == 1 && colour[3] == 1);
    colour[0] = 1;
    ask.value = (char *)colour;
    ask.value_count = sizeof colour;
    stage_request(&s, r, TP_SIMULATION_REQ_SET_PROPERTY, &ask);
    told = stage_get(&s, r, TP_SIMULATION_REQ_GET_PROPERTY, &ask);
    memcpy(colour, told->value, sizeof colour);
    assert_true(colour[0] == 1 && colour[2] == 1);
    ask.prop = play_chars("time");
    ask.prop_count = 5;
    told = stage_get(&s, r, TP_SIMULATION_REQ_GET_PROPERTY, &ask);
    memcpy(&time_us, told->value, sizeof time_us);
    assert_int_equal(time_us, 200000);
    ask.prop = play_chars("delivered");
    ask.prop_count = 10;
    told = stage_get(&s, r, TP_SIMULATION_REQ_GET_PROPERTY, &ask);
    assert_string_equal(told->value, "0"); /* nobody forages */
    ask.prop = play_chars("mass");
    ask.prop_count = 5;
    stage_refused(
        &s, r, TP_SIMULATION_REQ_GET_PROPERTY, &ask,
        "models have no property \"mass\": there are color, color_rgba, delivered and time");
    stage_end(&s);
}

/* A property of r0 in words, as people write it by hand. */
static tp_simulation_property_req worded(const char *prop, const char *value)
{
    return (tp_simulation_property_req){.name_count = 3,
                                        .name = play_chars("r0"),
                                        .prop_count = (uint32_t)strlen(prop) + 1,
                                        .prop = play_chars(prop),
                                        .value_count = (uint32_t)strlen(value),
                                        .value = play_chars(value)};
}

static void colours_are_told_and_set_in_words(void **state)
{
    stage s;
    const tp_simulation_property_req look = worded("color_rgba", "");
    static const char *const set[][3] = {{"color", "red", "1 0 0 1"},
                                         {"color", "DarkSlateGray1 ", "0.592 1 1 1"},
                                         {"color", "light goldenrod", "0.933 0.867 0.51 1"},
                                         {"color_rgba", "0 0.2 1 0.4", "0 0.2 1 0.4"}};
    static const char *const wrong[][3] = {
        {"color", "orangge", "there is no colour \"orangge\" (did you mean \"orange\"?)"},
        {"color", "hopelessly green", "there is no colour \"hopelessly green\""},
        {"color", "\x01\x02\x7f",
         "a color is the name of one, or four floats from 0 to 1 in 16 bytes"},
        {"color", "", "a color is the name of one, or four floats from 0 to 1 in 16 bytes"},
        {"color_rgba", "1 0 2 1", "color_rgba is four numbers from 0 to 1, not \"1 0 2 1\""},
        {"color_rgba", "1 0 1", "color_rgba is four numbers from 0 to 1, not \"1 0 1\""},
        {"color_rgba", "1 0 1 0 1", "color_rgba is four numbers from 0 to 1, not \"1 0 1 0 1\""},
        {"color_rgba", "nan 0 0 1", "color_rgba is four numbers from 0 to 1, not \"nan 0 0 1\""},
        {"time", "0", "time cannot be set"},
    };

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "simulation:0");
    for (size_t i = 0; i < sizeof set / sizeof set[0]; i++) {
        const tp_simulation_property_req ask = worded(set[i][0], set[i][1]);
        stage_request(&s, r, TP_SIMULATION_REQ_SET_PROPERTY, &ask);
        const tp_simulation_property_req *told =
            stage_get(&s, r, TP_SIMULATION_REQ_GET_PROPERTY, &look);
        assert_string_equal(told->value, set[i][2]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const tp_simulation_property_req ask = worded(wrong[i][0], wrong[i][1]);
        stage_refused(&s, r, TP_SIMULATION_REQ_SET_PROPERTY, &ask, wrong[i][2]);
    }
    stage_end(&s);
}

/* ---- States ---------------------------------------------------------------------------------- */

static tp_world_name name_of(const char *name)
{
    return (tp_world_name){.name_count = (uint32_t)strlen(name) + 1, .name = play_chars(name)};
}

static void a_saved_state_can_be_gone_back_to_by_others(void **state)
{
    stage s;
    const tp_world_name here = name_of("here");
    const tp_world_name nowhere = name_of("nowhere");

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "position2d:0");
    stage_command(&s, r, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 10);
    const double x = ((const tp_position2d_data *)stage_last(r, TP_POSITION2D_DATA_STATE))->pos.px;
    play_request(s.p, TP_WORLD_REQ_SAVE, &here);
    stage_step(&s, 5);
    bench_reader *late = stage_open(&s, "ranger:1"); /* was not read when it was saved */
    stage_step(&s, 5);
    play_request(s.p, TP_WORLD_REQ_RESTORE, &here);
    assert_int_equal(((const tp_world_state *)play_get(s.p, TP_WORLD_REQ_GET_STATE, NULL))->steps,
                     10);
    const uint32_t before = late->counts[TP_RANGER_DATA_RANGE];
    stage_step(&s, 1);
    play_assert_near(((const tp_position2d_data *)stage_last(r, TP_POSITION2D_DATA_STATE))->pos.px,
                     x + 0.1);
    play_assert_near(stage_stamp(r, TP_POSITION2D_DATA_STATE), 1.1);
    assert_int_equal(late->counts[TP_RANGER_DATA_RANGE], before + 1);
    play_assert_request_refused(s.p, TP_WORLD_REQ_RESTORE, &nowhere,
                                "no state \"nowhere\" was saved");
    stage_end(&s);
}

static void assert_states(stage *s, const char *wanted)
{
    const tp_world_saved_list *list = play_get(s->p, TP_WORLD_REQ_STATES, NULL);
    char text[256] = "";

    for (uint32_t i = 0; i < list->states_count; i++) {
        const tp_world_saved *one = &list->states[i];
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s %.1f %d ", one->name, one->time,
                 (int)one->steps);
    }
    assert_string_equal(text, wanted);
}

static void saved_states_are_listed_and_can_be_forgotten(void **state)
{
    const tp_world_name names[] = {name_of("a"), name_of("b"), name_of("c")};
    stage s;

    (void)state;
    stage_begin(&s, ALL, STILL);
    assert_states(&s, "");
    for (int i = 0; i < 3; i++) {
        stage_step(&s, 5);
        play_request(s.p, TP_WORLD_REQ_SAVE, &names[i]);
    }
    play_request(s.p, TP_WORLD_REQ_SAVE, &names[0]); /* once more, later */
    assert_states(&s, "a 1.5 15 b 1.0 10 c 1.5 15 ");
    play_request(s.p, TP_WORLD_REQ_FORGET, &names[0]);
    assert_states(&s, "b 1.0 10 c 1.5 15 ");
    play_assert_request_refused(s.p, TP_WORLD_REQ_FORGET, &names[0], "no state \"a\" was saved");
    play_request(s.p, TP_WORLD_REQ_RESTORE, &names[1]);
    play_request(s.p, TP_WORLD_REQ_SAVE, &names[0]);
    assert_states(&s, "b 1.0 10 c 1.5 15 a 1.0 10 ");
    stage_end(&s);
}

static void there_is_room_for_so_many_states(void **state)
{
    stage s;
    char text[8];

    (void)state;
    stage_begin(&s, ALL, STILL);
    for (int i = 0; i < 16; i++) {
        snprintf(text, sizeof text, "n%d", i);
        const tp_world_name name = name_of(text);
        play_request(s.p, TP_WORLD_REQ_SAVE, &name);
    }
    const tp_world_name more = name_of("more");
    play_assert_request_refused(s.p, TP_WORLD_REQ_SAVE, &more,
                                "there are 16 saved states already; FORGET one");
    const tp_world_name third = name_of("n3");
    play_request(s.p, TP_WORLD_REQ_FORGET, &third);
    play_request(s.p, TP_WORLD_REQ_SAVE, &more);
    stage_end(&s);
}

/* What a world goes back to may move; what has no power does not. */
static void an_arm_without_power_stands_in_any_state(void **state)
{
    const tp_actarray_speed_cmd turn = {.joint = 0, .speed = 0.5f};
    const tp_actarray_power_config off = {0};
    const tp_world_name here = name_of("here");
    stage s;

    (void)state;
    stage_begin(&s, "world:0 actarray:0", DATA("everything") " sleep=1 paused=1");
    bench_reader *arm = stage_open(&s, "actarray:0");
    stage_command(&s, arm, TP_ACTARRAY_CMD_SPEED, &turn);
    stage_step(&s, 5);
    const tp_actarray_data *joints = stage_last(arm, TP_ACTARRAY_DATA_STATE);
    assert_int_equal(joints->actuators[0].state, TP_ACTARRAY_ACTSTATE_MOVING);
    play_request(s.p, TP_WORLD_REQ_SAVE, &here);
    stage_request(&s, arm, TP_ACTARRAY_REQ_POWER, &off);
    play_request(s.p, TP_WORLD_REQ_RESTORE, &here);
    stage_step(&s, 5);
    joints = stage_last(arm, TP_ACTARRAY_DATA_STATE);
    assert_int_equal(joints->actuators[0].state, TP_ACTARRAY_ACTSTATE_IDLE);
    stage_end(&s);
}

static void reset_goes_back_to_the_start_or_to_what_was_saved(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, ALL " laser:0", STILL);
    bench_reader *r = stage_open(&s, "simulation:0");
    bench_reader *base = stage_open(&s, "position2d:0");
    bench_reader *laser = stage_open(&s, "laser:0");
    stage_command(&s, base, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 10);
    assert_int_equal(((const tp_laser_data *)stage_last(laser, TP_LASER_DATA_SCAN))->id, 9);
    const tp_pose2d there = pose_of(&s, r, "r0");
    assert_true(there.px > 0.5);
    stage_command(&s, r, TP_SIMULATION_CMD_RESET, NULL);
    tp_pose2d pose = pose_of(&s, r, "r0");
    play_assert_pose(&pose, 0, 0, 0);
    stage_command(&s, base, TP_POSITION2D_CMD_VEL, &forward);
    stage_step(&s, 10);
    assert_int_equal(((const tp_laser_data *)stage_last(laser, TP_LASER_DATA_SCAN))->id, 9);
    stage_command(&s, r, TP_SIMULATION_CMD_SAVE, NULL);
    stage_step(&s, 3);
    stage_command(&s, r, TP_SIMULATION_CMD_RESET, NULL);
    pose = pose_of(&s, r, "r0");
    play_assert_pose(&pose, there.px, there.py, there.pa);
    stage_end(&s);
}

/* ---- What it costs --------------------------------------------------------------------------- */

static void what_nobody_reads_is_not_sent(void **state)
{
    stage s;

    (void)state;
    stage_begin(&s, ALL, STILL);
    bench_reader *r = stage_open(&s, "ranger:1");
    stage_step(&s, 2);
    assert_int_equal(r->counts[TP_RANGER_DATA_RANGE], 2);
    bench_close(r);
    s.count--;
    stage_step(&s, 3);
    r = stage_open(&s, "ranger:1");
    assert_int_equal(r->counts[TP_RANGER_DATA_RANGE], 0);
    stage_step(&s, 1);
    assert_int_equal(r->counts[TP_RANGER_DATA_RANGE], 1);
    play_assert_near(stage_stamp(r, TP_RANGER_DATA_RANGE), 0.6);
    stage_end(&s);
}

/* ---- Many ------------------------------------------------------------------------------------ */

/* A world with so many robots, in a file of its own. */
static void write_swarm(const char *path, int count)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    for (int i = 0; i < count; i++) {
        (void)fprintf(file, "position ( name \"r%d\" pose [%d %d 0 0] size [0.3 0.3 0.2] )\n", i,
                      i % 20, i / 20);
    }
    assert_int_equal(fclose(file), 0);
}

/* Whoever runs it: a program with a server inside prepares nothing. */
static void the_driver_itself_knows_where_files_are(void **state)
{
    char folder[4096];
    stage s;

    (void)state;
    assert_true(tpi_sim_own_folder(folder, sizeof folder, 0));
    assert_non_null(strstr(folder, "/share/troupe/worlds"));
    assert_int_equal(setenv("TROUPE_WORLD_PATH", TEST_ROOT "/worlds", 1), 0);
    stage_begin(&s, "world:0 position2d:0", DATA("ours") " sleep=1 paused=1 model=r0");
    stage_end(&s);
    unsetenv("TROUPE_WORLD_PATH");
}

static void hundreds_of_robots_are_offered_and_all_can_be_read(void **state)
{
    char folder[64];
    char path[96];
    char settings[160];
    stage s;
    static bench_reader readers[300];

    (void)state;
    assert_int_equal(tpi_folder_make(folder, sizeof folder, NULL), TP_OK);
    snprintf(path, sizeof path, "%s/x.world", folder);
    write_swarm(path, 300);
    snprintf(settings, sizeof settings, "worldfile=%s sleep=1 paused=1", path);
    stage_begin(&s, NULL, settings);
    assert_int_equal(tpi_hub_device_count(s.p->b.hub), 4 + 3 * 300);
    for (unsigned i = 0; i < 300; i++) {
        tp_device *device = tpi_hub_find(s.p->b.hub, BENCH_ROBOT, tp_interface_position2d.code, i);
        assert_non_null(device);
        assert_int_equal(bench_open(&s.p->b, &readers[i], device), TP_OK);
    }
    assert_null(tpi_hub_find(s.p->b.hub, BENCH_ROBOT, tp_interface_position2d.code, 300));
    stage_step(&s, 1);
    for (unsigned i = 0; i < 300; i++) { /* more at once than one device could send */
        const tp_position2d_data *data = stage_last(&readers[i], TP_POSITION2D_DATA_STATE);
        play_assert_pose(&data->pos, i % 20, i / 20, 0);
    }
    for (unsigned i = 0; i < 300; i++) {
        bench_close(&readers[i]);
    }
    stage_end(&s);
    tpi_folder_remove(folder);
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

static void mistakes_in_a_section_are_told(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_sim, "simulation:0", NULL, NULL,
                          "sim0: the first section of a world names its file with \"worldfile\"");
    play_assert_not_added(
        &tp_driver_sim, "position2d:0", NULL, DATA("yard") " model=r1",
        "sim0: there is no model \"r1\" in the world yard; did you mean \"r10\"?");
    play_assert_not_added(&tp_driver_sim, "ranger:0", NULL, DATA("yard") " model=r10.lazer",
                          "sim0: there is no model \"r10.lazer\" in the world yard; did you mean "
                          "\"r10.laser\"?");
    play_assert_not_added(&tp_driver_sim, "ranger:0", NULL, DATA("yard") " model=nobody",
                          "sim0: there is no model \"nobody\" in the world yard");
    play_assert_not_added(&tp_driver_sim, "gripper:0", NULL, DATA("yard") " model=r0",
                          "sim0: there is no model for gripper left in the model \"r0\"");
    play_assert_not_added(&tp_driver_sim, "ranger:0 ranger:1 ranger:2", NULL,
                          DATA("yard") " model=r0",
                          "sim0: there is no model for ranger left in the model \"r0\"");
    play_assert_not_added(&tp_driver_sim, "gps:0", NULL, DATA("yard"),
                          "sim0: there is no model for gps in the world yard");
    play_assert_not_added(&tp_driver_sim, "power:0", NULL, DATA("yard"),
                          "sim0: power needs the name of a model");
    play_assert_not_added(&tp_driver_sim, "health:0", NULL, DATA("yard"),
                          "sim0: no model of a world is a health");
    play_assert_not_added(&tp_driver_sim, "laser:0", NULL, DATA("yard") " profile=lms300",
                          "sim0: there is no profile \"lms300\": there are lms200, p2os and urg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_moves_time_and_data_has_the_time_of_the_world),
        cmocka_unit_test(a_world_follows_the_clock_with_its_speed),
        cmocka_unit_test(a_world_that_is_too_late_says_so),
        cmocka_unit_test(speed_and_pause_are_requests_and_properties),
        cmocka_unit_test(models_are_moved_and_found_by_name),
        cmocka_unit_test(colour_and_time_are_properties_of_models),
        cmocka_unit_test(colours_are_told_and_set_in_words),
        cmocka_unit_test(a_saved_state_can_be_gone_back_to_by_others),
        cmocka_unit_test(saved_states_are_listed_and_can_be_forgotten),
        cmocka_unit_test(there_is_room_for_so_many_states),
        cmocka_unit_test(an_arm_without_power_stands_in_any_state),
        cmocka_unit_test(reset_goes_back_to_the_start_or_to_what_was_saved),
        cmocka_unit_test(what_nobody_reads_is_not_sent),
        cmocka_unit_test(the_driver_itself_knows_where_files_are),
        cmocka_unit_test(hundreds_of_robots_are_offered_and_all_can_be_read),
        cmocka_unit_test(mistakes_in_a_section_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
