/* odd_test.c - world files that are odd: every note says what and where. */
#include "support/sim.h"

struct odd {
    const char *text;
    const char *note; /* behind "x.world:" */
};

static const struct odd odd[] = {
    {"model ( colr \"blue\" )", "1:9: \"colr\" is not used; did you mean \"color\"?"},
    {"includ \"gone.inc\"", "1:1: \"includ\" is not used; did you mean \"include\"?"},
    {"model ( color \"blu\" )",
     "1:9: there is no colour \"blu\" (did you mean \"blue\"?); it becomes red"},
    {"position ( ranger ( samples 3 sensor ( ) ) )",
     "1:21: \"samples\" has no effect in a \"ranger\"; it belongs in a \"sensor\""},
    {"pose [0 0 0 0]",
     "1:1: \"pose\" has no effect at the top of the file; it belongs in a \"model\""},
    {"model ( interval_sim 5 )",
     "1:9: \"interval_sim\" has no effect in a \"model\"; it belongs at the top of the file"},
    {"model ( odom_error 5 )",
     "1:9: \"odom_error\" has no effect in a \"model\"; it belongs in a \"position\""},
    {"model ( points 5 )",
     "1:9: \"points\" has no effect in a \"model\"; it belongs in a \"block\""},
    {"position ( noise 5 )",
     "1:12: \"noise\" has no effect in a \"position\""}, /* in many others it has */
    {"position ( samples 5 )",
     "1:12: \"samples\" has no effect in a \"position\"; it belongs in a \"sensor\""},
    {"ranger ( sensor ( mass 5 ) )",
     "1:19: \"mass\" has no effect in a \"sensor\"; it belongs in a \"model\""},
    {"ranger ( sensor ( rang [0 5] ) )", "1:19: \"rang\" is not used; did you mean \"range\"?"},
    {"ranger ( sensor ( drive \"car\" ) )",
     "1:19: \"drive\" has no effect in a \"sensor\"; it belongs in a \"position\""},
    {"model ( ctrl \"foo bar\" )", "1:14: there is no built-in controller \"foo\"; built in are "
                                   "wander, expand, follow, flocking, lasernoise and fasr; the "
                                   "model waits for commands"},
    {"model ( ctrl \"wandr 3\" )",
     "1:14: there is no built-in controller \"wandr\" (did you mean \"wander\"?); built in are "
     "wander, expand, follow, flocking, lasernoise and fasr; the model waits for commands"},
    {"position ( size [1 1 1] ranger ( sensor ( ) ) ctrl \"wander  3 4 x\" )",
     "1:52: \"wander\" takes no arguments; \"3 4 x\" has no effect"},
    {"position ( ctrl \"wander\" )",
     "1:17: \"wander\" needs a \"ranger\" on the robot; without one it stands still"},
    {"position ( floorsensor ( ) ctrl \"expand\" )",
     "1:33: \"expand\" needs a \"ranger\" on the robot; without one it stands still"},
    {"position ( ranger ( sensor ( ) ) ctrl \"follow\" )",
     "1:39: \"follow\" needs a \"floorsensor\" on the robot; without one it stands still"},
    {"position ( size [1 1 1] ctrl \"lasernoise 3\" )",
     "1:30: \"lasernoise\" takes no arguments; \"3\" has no effect\n"
     "x.world:1:30: \"lasernoise 3\" belongs in a \"ranger\"; a \"position\" has no ranges"},
    {"model ( ranger ( sensor ( ) ) ctrl \"wander\" )",
     "1:36: \"wander\" drives a \"position\"; a \"model\" stands still"},
    {"position ( ranger ( ) )",
     "1:12: the ranger has no \"sensor ( ... )\" in it and sees nothing"},
    {"position ( ranger ( sensor ( ) ) ) model ( pose [2 0 0 0] )",
     "1:12: the ranger looks out at 1.01 m and sees nothing: all else in the world ends at 1 m; is "
     "what it stands on too high?"},
    {"define bot position ( ranger ( sensor ( ) sensor ( pose [0 0 1 0] ) ) )\n"
     "bot ( ) bot ( pose [2 0 0 0] ) model ( pose [4 0 2 0] ranger_return -1 )",
     "1:23: the ranger looks out at 1.01 m and sees nothing: all else in the world ends at 1 m; is "
     "what it stands on too high?"},
    {"ranger ( sensor ( range [-1 5] ) )", "1:19: the least range of a sensor, -1 m, is negative"},
    {"ranger ( sensor ( fov 400 ) )", "1:19: \"fov\" is 400 degrees; it makes sense from 0 to 360"},
    {"ranger ( sensor ( fov -10 ) )", "1:19: \"fov\" is -10 degrees; it makes sense from 0 to 360"},
    {"ranger ( sensor ( noise [0 -1 0] ) )", "1:19: \"noise\" is negative"},
    {"ranger ( sensor ( fov 3.14159 samples 181 ) )",
     "1:19: \"fov\" is 3.14159 degrees; angles are in degrees unless \"unit_angle\" says "
     "otherwise"},
    {"model ( pose [1 2 3 4 5 6] )", "1:23: \"pose\" takes 4 values, not 6; the rest is ignored"},
    {"model ( size [1 2 3 4] )", "1:21: \"size\" takes 3 values, not 4; the rest is ignored"},
    {"model ( boundary 2 )", "1:18: \"boundary\" is 0 or 1; 2 counts as 1"},
    {"model ( boundary [1 0] )", "1:21: \"boundary\" takes 1 value, not 2; the rest is ignored"},
    {"model ( name [\"a\" \"b\"] )", "1:19: \"name\" takes 1 value, not 2; the rest is ignored"},
    {"position ( drive [\"car\" \"diff\"] )",
     "1:25: \"drive\" takes 1 value, not 2; the rest is ignored"},
    {"model ( unit_length \"cm\" )",
     "1:9: \"unit_length\" has no effect in a \"model\"; it belongs at the top of the file"},
    {"quit_time -1", "1:1: \"quit_time\" is negative: the world never ends"},
    {"gui ( size [1 1] foo ( bar 1 ) )", "1:1: \"gui\" is an old word: this is a \"window\" now"},
    {"model 5", "1:1: a \"model\" is made with \"model ( ... )\""},
    {"model ( name \"\" )", "1:9: the name is empty"},
    {"model ( model ( name \"x\" ) model ( name \"y\" ) model ( name \"x\" ) )",
     "1:47: the name \"x\" is that of x.world:1:9, too; from here on it is this model's"},
    {"model ( model ( name \"x\" model ( name \"x\" ) ) model ( name \"y\" model ( name \"x\" ) ) "
     "foo 1 )",
     "1:85: \"foo\" is not used"}, /* and not the names */
    {"model ( size [0 0 1] )", "1:9: the body has no width"},
    {"model ( size [1 1 0] )", "1:9: the body has no height"},
    {"model ( color_rgba [1 0.5 255] )", "1:27: \"color_rgba\" is from 0 to 1, not 255"},
    {"model ( fiducial_return 1.5 )", "1:25: \"fiducial_return\" is a whole number; 1.5 becomes 1"},
    {"ranger ( sensor ( samples 2.5 ) )", "1:27: \"samples\" is a whole number; 2.5 becomes 2"},
    {"model ( mass \"12.5\" )", "1:14: \"mass\" takes numbers; \"12.5\" is taken for one"},
    {"model ( noblocks \"1\" )", "1:18: \"noblocks\" takes numbers; \"1\" is taken for one"},
    {"model ( joules_capacity -5 )", "1:9: the battery has no capacity and is ignored"},
    {"model ( block ( points 3 point[0] [0 0] point[1] [1 0] point[2] [0 1] z [2 1] ) )",
     "1:71: \"z\" is from 2 to 1; the least comes first"},
    {"model ( block ( points 3 point[0] [0 0] point[1] [1 0] point[2] [0 1] z [1 1] )\n"
     "        block ( points 3 point[0] [0 0] point[1] [1 0] point[2] [0 1] ) )",
     "1:71: the block has no height"},
    {"blobfinder ( colors [\"red\" \"blue\"] colors_count 3 )",
     "1:36: \"colors_count\" says 3; there are 2 colours"},
    {"blobfinder ( channels [\"red\" \"blue\"] channel_count 1 colors \"red\" )",
     "1:14: \"channels\" has no effect: \"colors\" says otherwise\n"
     "x.world:1:38: \"channel_count\" is called \"colors_count\" now"},
    {"model ( define bot position ( ) bot ( ) )",
     "1:9: Stage wants \"define\" at the top of the file"},
    {"model ( mass -1 )", "1:9: \"mass\" is negative"},
    {"model ( joules 9 kjoules_capacity 0.005 )",
     "1:18: the battery can hold 5 J and begins with 9 J"},
    {"position ( velocity_bounds [1 2 0 0 0 0 0 0] )",
     "1:12: \"velocity_bounds\" does not hold 0: the robot cannot stand still"},
    {"position ( odom_error [0 0 9 2] )",
     "1:12: \"odom_error\" has shares: with 2 odometry is off by up to 100 %"},
    {"position ( odom_error [0.1 0.1 0.2] )",
     "1:12: \"odom_error\" has three values, as in old files: x, y and heading"},
    {"position ( size [1 1 1] ranger ( sensor ( ) ) ctrl [\"wander\" \"expand\"] )",
     "1:62: \"expand\" takes the place of \"wander\""},
    {"position ( size [1 1 1] ctrl \"  wander\" )",
     "1:30: \"  wander\" needs a \"ranger\" on the robot; without one it stands still"},
    {"model ( position ( ranger ( sensor ( ) ) ctrl \"wander\" ) )",
     "1:47: \"wander\" drives what stands on the ground; this stands on a \"model\""},
    {"actuator ( start_position 5 )", "1:12: the actuator begins at 5, which is not from 0 to 1"},
    {"fiducial ( range_min 9 )",
     "1:1: the finder sees nothing: its least range, 9 m, is not below its greatest, 8 m"},
    {"bumper ( bcount 1 )", "1:1: bumper 0 has no length; \"blength\" says it"},
    {"bumper ( bcount 1 blength 1 bpose[1] [0 0 0 0] )",
     "1:29: there are fewer: \"bpose[1]\" has no effect"},
    {"gripper ( paddle_state [\"open\" \"up\" \"x\"] )",
     "1:37: \"paddle_state\" takes 2 values, not 3; the rest is ignored"},
    {"model ( block ( points 3 point[0] [0 0] point[1] [1 0] point[2] [2 0] ) )",
     "1:9: the block has no area"},
    {"model ( block ( points 3 point[0] [0 0] point[1] [1 0] point[2] [0 1] point[3] [1 1] ) )",
     "1:71: there are fewer: \"point[3]\" has no effect"},
    {"ranger ( sensor ( model ( ) ) )", "1:19: \"model\" has no effect in a \"sensor\""},
    {"model ( block ( points 2 ) )", "1:9: a block of 2 points is no body"},
    {"model ( block ( points 4 point[0] [0 0] point[2] [1 0] point[1] [1 1] ) )",
     "1:9: the block says 4 points and gives 3; the others are 0, 0"},
    {"model ( )\ndefine model position ( )\ndefine model ranger ( )",
     "2:8: \"model\" is built in; from here on it is this macro\n"
     "x.world:3:8: the macro \"model\" of x.world:2 stays; this one is ignored"},
    {"define block model ( )", "1:8: \"block\" is built in; from here on it is this macro"},
    {" define sensor model ( )", "1:9: \"sensor\" is built in; from here on it is this macro"},
    {"define window model ( )", "1:8: \"window\" is built in; from here on it is this macro"},
    {"define puck model ( foo 1 ) define laser ranger ( ) define Model model ( ) puck ( )",
     "1:21: \"foo\" is not used"}, /* and not that the macros have names of old words */
    {"define a model ( )\ndefine a position ( ) a ( )",
     "2:8: the macro \"a\" of x.world:1 stays; this one is ignored"},
    {"model ( name \"x\" )\nmodel ( name \"x\" pose [3 0 0 0] )",
     "2:1: the name \"x\" is that of x.world:1:1, too; from here on it is this model's"},
    {"model ( name \"x\" )\nposition ( name \"x\" pose [3 0 0 0] )\nmodel ( name \"/x\" pose [6 0 "
     "0 0] )",
     "2:1: the name \"x\" is that of x.world:1:1, too; from here on it is this model's\n"
     "x.world:3:1: the name \"x\" is that of x.world:2:1, too; from here on it is this model's"},
    {"define bot model (\n model ( name \"/x\" ) model ( name \"/\" ) model ( name \"/\" ) )\n"
     "bot ( ) bot ( )\nmodel ( name \"x\" )",
     "2:41: the name \"/\" is that of x.world:2:22, too; from here on it is this model's\n"
     "x.world:2:2: several models get the name \"x\" from this line; it is the last one's\n"
     "x.world:4:1: the name \"x\" is that of x.world:2:2, too; from here on it is this model's"},
    {"ranger ( sensor ( name \"x\" ) model ( name \"x\" ) )",
     "1:19: \"name\" has no effect in a \"sensor\"; it belongs in a \"model\""},
    {"ranger ( scount 1 )", "1:10: \"scount\" is an old way to say how many sensors there are"},
    {"model ( size [1 2] )", "1:9: \"size\" has two values, as in old files; the height stays 1 m"},
    {"model ( pose [1,2,0,0] )", "1:16: Stage refuses \",\" between values"},
    {"ranger ( range_max 4 sensor ( ) )",
     "1:10: \"range_max\" has no effect in a \"ranger\"; it is \"range "
     "[MIN MAX]\" in a \"sensor\""},
    {"ranger ( sensor ( range_min 1 ) )", "1:19: \"range_min\" has no effect in a \"sensor\"; it "
                                          "is \"range [MIN MAX]\" in a \"sensor\""},
    {"position ( name \"a\" ) model ( name \"b\" pose [0.2 0 0 0] )",
     "1:1: \"a\" overlaps \"b\"; it can only drive out of it"},
    {"position ( name \"a\" )\nposition ( name \"b\" pose [0.2 0 0 0] )",
     "1:1: \"a\" overlaps \"b\"; it can only drive out of it"},
    {"position ( name \"a\" )\nposition ( name \"b\" pose [0.2 0 0 0] )\n"
     "position ( name \"c\" pose [0.1 0 0 0] )\n",
     "1:1: \"a\" overlaps \"c\"; it can only drive out of it\nx.world:1:1: \"a\" "
     "overlaps \"b\"; it can only drive out of it"},
};

static void odd_things_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        tpi_buf notes = {0};
        const tpi_sim_options options = {.note = sim_collect, .context = &notes};
        tpi_sim *sim = NULL;
        tp_error err = {0};
        tpi_sim_parse(&sim, "x.world", odd[i].text, strlen(odd[i].text), &options, &err);
        assert_string_equal(err.text, "");
        assert_int_equal(strncmp(tpi_buf_text(&notes), "x.world:", 8), 0);
        assert_string_equal(tpi_buf_text(&notes) + 8, odd[i].note);
        sim_steps(sim, 2);
        tpi_sim_destroy(sim);
        tpi_buf_fini(&notes);
    }
}

static void an_unknown_kind_is_told_with_all_there_are(void **state)
{
    static const char text[] = "model ( )\nxyzzy ( )";
    tpi_buf notes = {0};
    const tpi_sim_options options = {.note = sim_collect, .context = &notes};
    tpi_sim *sim = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_sim_parse(&sim, "x.world", text, strlen(text), &options, &err),
                     TP_E_SYNTAX);
    assert_string_equal(err.text, "x.world:2:1: there is no model \"xyzzy\"");
    assert_string_equal(
        tpi_buf_text(&notes),
        "x.world:2:1: models are model, position, ranger, fiducial, blobfinder, bumper, gripper, "
        "actuator, camera, blinkenlight, lightindicator, light, lightsensor, floor, floorsensor, "
        "sound, microphone, button, wifi, gps, imu, compass, aircraft, effector, rfidtag, "
        "rfidreader, mote, basestation and stereocamera");
    tpi_buf_fini(&notes);
}

static void an_unknown_kind_that_is_near_another_is_told_alone(void **state)
{
    static const char text[] = "model ( )\nmodle ( )";
    tpi_buf notes = {0};
    const tpi_sim_options options = {.note = sim_collect, .context = &notes};
    tpi_sim *sim = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_sim_parse(&sim, "x.world", text, strlen(text), &options, &err),
                     TP_E_SYNTAX);
    assert_string_equal(err.text,
                        "x.world:2:1: there is no model \"modle\"; did you mean \"model\"?");
    assert_string_equal(tpi_buf_text(&notes), "");
    tpi_buf_fini(&notes);
}

static void small_angles_that_may_be_meant_are_not_told(void **state)
{
    static const char *const texts[] = {
        "unit_angle \"radians\" ranger ( sensor ( fov 3.14159 samples 181 ) )",
        "ranger ( sensor ( fov 3.14159 samples 20 ) )",
        "ranger ( sensor ( fov 5 samples 181 ) )",
        "ranger ( sensor ( fov 6.5 samples 181 ) )",
        "ranger ( sensor ( fov 0 samples 181 ) )",
        "ranger ( sensor ( samples 181 ) )",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tpi_buf notes = {0};
        const tpi_sim_options options = {.note = sim_collect, .context = &notes};
        tpi_sim *sim = NULL;
        assert_int_equal(tpi_sim_parse(&sim, "x.world", texts[i], strlen(texts[i]), &options, NULL),
                         TP_OK);
        assert_string_equal(tpi_buf_text(&notes), "");
        tpi_sim_destroy(sim);
        tpi_buf_fini(&notes);
    }
}

/* What is told of a world, whose text is not needed any more. */
static void collect_notes(tpi_buf *text, tpi_buf *notes)
{
    const tpi_sim_options options = {.note = sim_collect, .context = notes};
    tpi_sim *sim = NULL;

    assert_int_equal(tpi_sim_parse(&sim, "x.world", text->data, text->length, &options, NULL),
                     TP_OK);
    tpi_sim_destroy(sim);
    tpi_buf_fini(text);
}

/* A thousand robots of one macro have one mistake. */
static void a_mistake_of_a_macro_is_told_once(void **state)
{
    tpi_buf text = {0};
    tpi_buf notes = {0};

    (void)state;
    tpi_buf_puts(&text, "define bot position ( colr \"blue\" )\n");
    for (int i = 0; i < 1000; i++) {
        tpi_buf_printf(&text, "bot ( pose [%d 0 0 0] )\n", i);
    }
    collect_notes(&text, &notes);
    assert_string_equal(tpi_buf_text(&notes),
                        "x.world:1:23: \"colr\" is not used; did you mean \"color\"?");
    tpi_buf_fini(&notes);
}

/* The same mistake in a thousand lines. */
static void a_mistake_of_many_lines_is_told_in_short(void **state)
{
    tpi_buf text = {0};
    tpi_buf notes = {0};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        tpi_buf_printf(&text, "position ( pose [%d 0 0 0] ctrl \"wander\" )\n", i);
    }
    collect_notes(&text, &notes);
    assert_string_equal(
        tpi_buf_text(&notes),
        "x.world:1:32: \"wander\" needs a \"ranger\" on the robot; without one it stands still\n"
        "x.world:2:32: \"wander\" needs a \"ranger\" on the robot; without one it stands still\n"
        "x.world:3:32: \"wander\" needs a \"ranger\" on the robot; without one it stands still "
        "(and 997 more like it)");
    tpi_buf_fini(&notes);
}

/* Many robots in one place are told of together. */
static void many_overlaps_are_told_in_short(void **state)
{
    tpi_buf text = {0};
    tpi_buf notes = {0};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        tpi_buf_puts(&text, "position ( )\n");
    }
    collect_notes(&text, &notes);
    assert_non_null(strstr(tpi_buf_text(&notes), "\nx.world: 980 more robots overlap something"));
    assert_true(notes.length < 2000);
    tpi_buf_fini(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_things_are_told),
        cmocka_unit_test(small_angles_that_may_be_meant_are_not_told),
        cmocka_unit_test(an_unknown_kind_is_told_with_all_there_are),
        cmocka_unit_test(an_unknown_kind_that_is_near_another_is_told_alone),
        cmocka_unit_test(a_mistake_of_a_macro_is_told_once),
        cmocka_unit_test(a_mistake_of_many_lines_is_told_in_short),
        cmocka_unit_test(many_overlaps_are_told_in_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
