/* robot_test.c - robot files and wiring files: what is read, and that each mistake is told with its
 * place, what was expected, and a fix. */
#include "support/memory.h"
#include "support/universal.h"
#include "universal/example.h"

static const char good[] =
    "<robot version=\"1\" name=\"bot\" title=\"Bot\">\n"
    "<link kind=\"serial\" baud=\"9600\"/>\n"
    "<timing reply=\"100\"/>\n"
    "<framing start=\"FE\" length=\"u8\" checksum=\"xor8\"/>\n"
    "<slots name=\"inputs\" labels=\"port 1, port 2\"/>\n"
    "<register name=\"left\" start=\"0\"/>\n"
    "<register name=\"all\" size=\"4\"/>\n"
    "<counter name=\"seq\" from=\"1\" to=\"9\"/>\n"
    "<incoming match=\"AA {v:u8}\"><set name=\"all\" at=\"0\" to=\"v\"/></incoming>\n"
    "<error code=\"C0\" says=\"out of range\"/>\n"
    "<instruction name=\"Ask\"><send>41 {what:u8}</send><reply>41 {status:u8 ok 00} "
    "{v:u8}</reply></instruction>\n"
    "<device name=\"Eye\" type=\"BotEye\" classes=\"Light Sensor, Analog_Input, Input\" "
    "base=\"ReadAnalog\" slots=\"inputs\" at=\"port 1\" values=\"ch 3\"/>\n"
    "<device name=\"Left Wheel\" type=\"LocoMotor\" classes=\"Left Wheel, LocoMotor, Motor, "
    "Output\" base=\"MovePower\" values=\"side 0\"/>\n"
    "<device name=\"Right Wheel\" type=\"LocoMotor\" classes=\"Right Wheel, LocoMotor, Motor, "
    "Output\" base=\"MovePower\" values=\"side 1\"/>\n"
    "<group name=\"Both\" type=\"DriveAxis\" classes=\"LocoMotor, DriveAxis, Output\" left=\"Left "
    "Wheel\" right=\"Right Wheel\"/>\n"
    "<translate command=\"ReadAnalog\" type=\"BotEye\" result=\"v\">\n"
    "<use instruction=\"Ask\" what=\"ch\"/>\n"
    "<example device=\"Eye\" result=\"7\">> 41 03\n&lt; 41 00 07</example>\n"
    "</translate>\n"
    "<translate command=\"MovePower\" type=\"LocoMotor\" send=\"4D {side:u8} {power:s8}\"><example "
    "device=\"Left Wheel\" values=\"50\">> 4D 00 32</example></translate>\n"
    "<stop send=\"58\"/>\n"
    "</robot>\n";

struct mistake {
    const char *old, *new; /* in the text above */
    const char *says;      /* behind "x.xml:" */
};

static const struct mistake mistakes[] = {
#include "../../tests/data/universal/mistakes.inc"
};

/* The text with one part replaced. */
static char *broken(const struct mistake *m)
{
    const char *at = strstr(good, m->old);
    tpi_buf text = {0};

    if (at == NULL) {
        fail_msg("the text has no \"%s\"", m->old);
        return NULL;
    }
    tpi_buf_printf(&text, "%.*s%s%s", (int)(at - good), good, m->new, at + strlen(m->old));
    assert_int_equal(tpi_buf_status(&text), TP_OK);
    return text.data;
}

static void each_mistake_is_told_with_its_place_and_a_fix(void **state)
{
    tpi_vocabulary *vocabulary = universal_vocabulary();
    unsigned wrong = 0;

    (void)state;
    assert_true(sizeof mistakes / sizeof mistakes[0] >= 40);
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        char *text = broken(&mistakes[i]);
        tpi_robotfile *robot = NULL;
        tp_error err = {0};
        unsigned examples;
        tp_status status =
            tpi_robotfile_read(&robot, text, strlen(text), "x.xml", vocabulary, &err);
        if (status == TP_OK) {
            status = tpi_examples_run(robot, &examples, &err);
        }
        if (status == TP_OK || strncmp(err.text, "x.xml:", 6) != 0 ||
            strcmp(err.text + 6, mistakes[i].says) != 0) {
            print_error("{\"%s\", \"%s\"}: %s\n", mistakes[i].old, mistakes[i].new, err.text);
            wrong++;
        }
        tpi_robotfile_destroy(robot);
        free(text);
    }
    assert_int_equal(wrong, 0);
    tpi_vocabulary_destroy(vocabulary);
}

static void a_file_without_mistakes_is_read_and_its_examples_run(void **state)
{
    tpi_vocabulary *vocabulary = universal_vocabulary();
    tpi_robotfile *robot = universal_robot(vocabulary, good);

    (void)state;
    assert_string_equal(robot->identity.name, "bot");
    assert_int_equal(robot->device_count, 4);
    assert_int_equal(robot->translation_count, 2);
    assert_true(robot->has_stop);
    assert_int_equal(tpi_robotfile_device(robot, "rightwheel"), 2);
    tpi_robotfile_destroy(robot);
    tpi_vocabulary_destroy(vocabulary);
}

/* ---- Wiring files ---- */

static void a_mistake_in_a_wiring_file_is_told(void **state)
{
    static const struct {
        const char *text, *says;
    } all[] = {
        {"<wires/>", "w.xml:1: <wires>: a wiring file begins with <wiring version=\"1\" "
                     "robot=\"...\">"},
        {"<wiring version=\"1\" robot=\"nxt\"/>",
         "w.xml:1: <wiring>: robot=\"nxt\": this robot is \"bot\""},
        {"<wiring version=\"2\" robot=\"bot\"/>",
         "w.xml:1: <wiring>: version=\"2\" is not known; this program reads version 1"},
        {"<wiring version=\"1\" robot=\"bot\"><plug slot=\"port 9\" device=\"Eye\"/></wiring>",
         "w.xml:1: <plug>: slot=\"port 9\": \"Eye\" does not fit there; labels are \"port 1\" ..."},
        {"<wiring version=\"1\" robot=\"bot\"><plug slot=\"port 1\" device=\"Both\"/></wiring>",
         "w.xml:1: <plug>: device=\"Both\": the robot bot has no such device for a slot"},
        {"<wiring version=\"1\" robot=\"bot\"><plug slot=\"port 1\" device=\"Eye\"/>\n"
         "<plug slot=\"port 1\" device=\"Eye\"/></wiring>",
         "w.xml:2: <plug>: slot=\"port 1\" has the \"Eye\" already"},
        {"<wiring version=\"1\" robot=\"bot\"><use class=\"Left Wheel\" device=\"Ear\"/></wiring>",
         "w.xml:1: <use>: device=\"Ear\" is not there; plug it in or declare it first"},
        {"<wiring version=\"1\" robot=\"bot\"><device name=\"X\" type=\"Y\" classes=\"Input\" "
         "base=\"ReadAnalog\"/></wiring>",
         "w.xml:1: <device>: type=\"Y\": the robot bot has no device of this type"},
        {"<wiring version=\"1\" robot=\"bot\"><plugs/></wiring>",
         "w.xml:1: <plugs>: it cannot stand here; did you mean \"plug\"?; expected plug, device, "
         "use, set"},
        {"<wiring version=\"1\" robot=\"bot\"><set device=\"Eye\" threshold=\"200\"/></wiring>",
         "w.xml:1: <set>: threshold=\"200\": expected a number from 0 to 100"},
    };
    tpi_vocabulary *vocabulary = universal_vocabulary();
    tpi_robotfile *robot = universal_robot(vocabulary, good);

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tpi_wired *wired = NULL;
        tp_error err = {0};
        assert_int_not_equal(
            tpi_wired_create(&wired, robot, all[i].text, strlen(all[i].text), "w.xml", &err),
            TP_OK);
        assert_string_equal(err.text, all[i].says);
    }
    tpi_robotfile_destroy(robot);
    tpi_vocabulary_destroy(vocabulary);
}

static void only_what_is_plugged_is_in_a_row(void **state)
{
    tpi_vocabulary *vocabulary = universal_vocabulary();
    tpi_robotfile *robot = universal_robot(vocabulary, good);
    tpi_wired *wired = universal_wired(robot, "<wiring version=\"1\" robot=\"bot\">"
                                              "<plug slot=\"port 2\" device=\"Eye\"/></wiring>");

    (void)state;
    assert_int_equal(wired->part_count, 4);
    const int eye = tpi_wired_part(wired, "Eye", -1);
    assert_int_equal(wired->parts[eye].slot, 1);
    assert_string_equal(tpi_part_place(wired, &wired->parts[eye]), "port 2");
    tpi_wired_destroy(wired);
    tpi_robotfile_destroy(robot);
    tpi_vocabulary_destroy(vocabulary);
}

static void a_map_that_fits_nothing_is_told(void **state)
{
    tpi_vocabulary *vocabulary = universal_vocabulary();
    tpi_robotfile *robot = universal_robot(vocabulary, good);
    tpi_wired *wired = universal_wired(robot, NULL);
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_wired_map(wired, "Eye", &err), TP_E_SYNTAX);
    assert_string_equal(err.text,
                        "--map \"Eye\": expected a class and a place: \"Light Sensor=port 2\"");
    assert_int_equal(tpi_wired_map(wired, "Gripper=port 2", &err), TP_E_UNKNOWN);
    assert_string_equal(err.text, "--map \"Gripper=port 2\": the robot bot has no Gripper there");
    tpi_wired_destroy(wired);
    tpi_robotfile_destroy(robot);
    tpi_vocabulary_destroy(vocabulary);
}

/* ---- Memory ---- */

static tp_status read_all(void *context)
{
    tpi_buf classes = *(tpi_buf *)context;
    tpi_vocabulary *vocabulary = NULL;
    tpi_robotfile *robot = NULL;
    tpi_wired *wired = NULL;
    tp_error err = {0};
    tp_status status =
        tpi_vocabulary_read(&vocabulary, classes.data, classes.length, "classes.xml", &err);

    if (status == TP_OK) {
        status = tpi_robotfile_read(&robot, good, strlen(good), "x.xml", vocabulary, &err);
    }
    if (status == TP_OK) {
        status = tpi_wired_create(&wired, robot, NULL, 0, NULL, &err);
    }
    tpi_wired_destroy(wired);
    tpi_robotfile_destroy(robot);
    tpi_vocabulary_destroy(vocabulary);
    return status;
}

static void reading_survives_without_memory(void **state)
{
    /* A small vocabulary: each allocation fails once. */
    static char classes[] =
        "<classes version=\"1\"><class name=\"Input\" generic=\"yes\"/>"
        "<class name=\"Output\" generic=\"yes\"/>"
        "<class name=\"Analog_Input\" generic=\"yes\" parents=\"Input\"/>"
        "<class name=\"Light Sensor\" parents=\"Input\" synonyms=\"Light\"/>"
        "<class name=\"Motor\" parents=\"Output\"/><class name=\"LocoMotor\" parents=\"Motor\"/>"
        "<class name=\"Left Wheel\" parents=\"LocoMotor\"/>"
        "<class name=\"Right Wheel\" parents=\"LocoMotor\"/>"
        "<class name=\"DriveAxis\" parents=\"LocoMotor\"/></classes>";
    tpi_buf text = {.data = classes, .length = sizeof classes - 1};

    (void)state;
    memory_sweep(read_all, &text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_without_mistakes_is_read_and_its_examples_run),
        cmocka_unit_test(each_mistake_is_told_with_its_place_and_a_fix),
        cmocka_unit_test(a_mistake_in_a_wiring_file_is_told),
        cmocka_unit_test(only_what_is_plugged_is_in_a_row),
        cmocka_unit_test(a_map_that_fits_nothing_is_told),
        cmocka_unit_test(reading_survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
