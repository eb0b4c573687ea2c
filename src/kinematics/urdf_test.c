/* urdf_test.c - robots of files: what is accepted, and what is refused with its place. */
#include <stdlib.h>

#include "kinematics/urdf.h"
#include "support/kinematics.h"
#include "support/memory.h"

static tp_status read_text(tpi_mechanism **out, const char *text, tp_error *err)
{
    return tpi_urdf_read(out, text, strlen(text), "x.urdf", err);
}

/* ---- What is refused ---- */

#define LINK(name) "<link name=\"" name "\"/>"
#define JOINT(name, parent, child, more)                                                           \
    "<joint name=\"" name "\" type=\"revolute\"><parent link=\"" parent "\"/><child link=\"" child \
    "\"/>" more "</joint>"
#define ROBOT(inside) "<robot name=\"r\">\n" inside "\n</robot>"

static const struct {
    const char *text;
    const char *error;
} wrong[] = {
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "") JOINT("k", "b", "a", "")),
     "x.urdf:2: <link name=\"a\">: it hangs in a ring: every link has a parent"},
    {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "b", "c", "") JOINT("k", "c", "b", "")),
     "x.urdf:2: <link name=\"b\">: it hangs in a ring, not on the root a"},
    {ROBOT(LINK("a") "\n" LINK("b")),
     "x.urdf:3: <link name=\"b\">: it has no parent, and link a has none either"},
    {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "a", "c", "") "\n" JOINT("k", "b", "c", "")),
     "x.urdf:3: <joint name=\"k\">: link c is the child of joint j already"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<axis xyz=\"0 0 0\"/>")),
     "x.urdf:2: <joint name=\"j\">: the axis 0 0 0 has no direction"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<mimic joint=\"j\"/>")),
     "x.urdf:2: <joint name=\"j\">: it mimics itself"},
    {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "a", "b", "<mimic joint=\"k\"/>")
               JOINT("k", "b", "c", "<mimic joint=\"j\"/>")),
     "x.urdf:2: <joint name=\"j\">: it mimics itself"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<mimic joint=\"z\"/>")),
     "x.urdf:2: <joint name=\"j\">: mimic: there is no joint z"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<limit lower=\"nan\"/>")),
     "x.urdf:2: <limit>: lower=\"nan\" is not 1 number"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<limit lower=\"1\" upper=\"0\"/>")),
     "x.urdf:2: <joint name=\"j\">: the lower limit 1 is above the upper limit 0"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<limit velocity=\"-1\"/>")),
     "x.urdf:2: <joint name=\"j\">: a limit of velocity or effort is below 0"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<origin xyz=\"0 0\"/>")),
     "x.urdf:2: <origin>: xyz=\"0 0\" is not 3 finite numbers"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<origin xyz=\"0 inf 0\"/>")),
     "x.urdf:2: <origin>: xyz=\"0 inf 0\" is not 3 finite numbers"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<limit lower=\"inf\" upper=\"inf\"/>")),
     "x.urdf:2: <joint name=\"j\">: no position is within the limits inf to inf"},
    {ROBOT(LINK("a") LINK("b") LINK("c") LINK("d") JOINT("j", "a", "b", "")
               JOINT("k", "b", "c", "<mimic joint=\"j\" multiplier=\"1e8\"/>")
                   JOINT("l", "c", "d", "<mimic joint=\"k\" multiplier=\"1e8\"/>")),
     "x.urdf:2: <joint name=\"l\">: the factors of the mimics that it follows are too large"},
    {ROBOT(LINK("a") "\n" LINK("a")),
     "x.urdf:3: <link name=\"a\">: line 2 has a link with this name"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "") "\n" JOINT("j", "a", "b", "")),
     "x.urdf:3: <joint name=\"j\">: line 2 has a joint with this name"},
    {ROBOT(LINK("a") JOINT("j", "a", "b", "")),
     "x.urdf:2: <joint name=\"j\">: child: there is no link b"},
    {ROBOT(LINK("a") "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>"),
     "x.urdf:2: <joint name=\"j\">: <child> is missing"},
    {ROBOT(LINK("a") "<joint name=\"j\" type=\"hinge\"/>"),
     "x.urdf:2: <joint name=\"j\">: type is one of fixed, revolute, continuous, prismatic, planar, "
     "floating"},
    {ROBOT("<link/>"), "x.urdf:2: <link>: name is missing"},
    {ROBOT("<link name=\"a\"><inertial><mass value=\"-1\"/></inertial></link>"),
     "x.urdf:2: <mass>: value is below 0"},
    {ROBOT(""), "x.urdf:1: <robot name=\"r\">: there is no link"},
    {"<html/>", "x.urdf:1: <html>: a URDF file begins with <robot>"},
    {"<robot name=\"r\">", "x.urdf:1: no element found"},
    {"", "x.urdf:1: no element found"},
    {"<?xml version=\"1.0\"?>\n<!DOCTYPE r [\n<!ENTITY a \"aaaaaaaaaa\">\n<!ENTITY b "
     "\"&a;&a;\">]><robot name=\"&b;\"/>",
     "x.urdf:2: <!DOCTYPE name=\"r\">: declarations are not allowed"},
    {ROBOT(LINK("&a;")), "x.urdf:2: undefined entity"},
    {ROBOT(LINK("a") "<troupe><base type=\"round\"/></troupe>"),
     "x.urdf:2: <base>: type is one of fixed, planar, floating"},
    {ROBOT(LINK("a") "<troupe><joint name=\"j\"/></troupe>"),
     "x.urdf:2: <joint name=\"j\">: there is no joint with this name"},
    {ROBOT(LINK("a") "<troupe><frame name=\"f\" link=\"z\"/></troupe>"),
     "x.urdf:2: <frame name=\"f\">: there is no link z"},
    {ROBOT(LINK("a") "<troupe><frame name=\"f\" link=\"a\" servo=\"fast\"/></troupe>"),
     "x.urdf:2: <frame>: servo is one or more of position, speed, force, or none"},
    {ROBOT(LINK("a") LINK("b")
               JOINT("j", "a", "b", "") "<troupe><compound name=\"c\" joints=\"j\"/></troupe>"),
     "x.urdf:2: <compound name=\"c\">: joints has fewer than two names"},
    {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "a", "b", "")
               JOINT("k", "a", "c", "") "<troupe><compound name=\"d\" joints=\"j k\"/></troupe>"),
     "x.urdf:2: <compound name=\"d\">: joint k does not follow the one before it"},
    {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "a", "b", "") JOINT(
         "k", "b", "c",
         "<origin xyz=\"1 0 0\"/>") "<troupe><compound name=\"d\" joints=\"j k\"/></troupe>"),
     "x.urdf:2: <compound name=\"d\">: joint k is not at the place of the one before it"},
    {ROBOT(LINK("a") LINK("b") LINK("c") LINK("d") JOINT("j", "a", "b", "") JOINT("k", "b", "c", "")
               JOINT("l", "b", "d", "") "<troupe><compound name=\"d\" joints=\"j k\"/></troupe>"),
     "x.urdf:2: <joint name=\"l\">: link b is inside of a compound"},
    {ROBOT(LINK("a") LINK("b") LINK("c") LINK("d") JOINT("j", "a", "b", "") JOINT("k", "b", "c", "")
               JOINT("l", "a", "d", "") "<troupe><compound name=\"l\" joints=\"j k\"/></troupe>"),
     "x.urdf:2: <compound name=\"l\">: another joint has this name"},
    {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "a", "b", "")
               JOINT("k", "b", "c", "") "<troupe><compound name=\"d\" joints=\"j k\"/><frame "
                                        "name=\"f\" link=\"b\"/></troupe>"),
     "x.urdf:2: <frame name=\"f\">: link b is inside of a compound"},
    {ROBOT(LINK("a") LINK("b")
               JOINT("j", "a", "b", "") "<troupe><joint name=\"j\" acceleration=\"0\"/></troupe>"),
     "x.urdf:2: <joint name=\"j\">: acceleration is not above 0"},
};

static void a_wrong_file_is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tpi_mechanism *mechanism = NULL;
        tp_error err = {0};

        assert_int_equal(read_text(&mechanism, wrong[i].text, &err), TP_E_INVALID);
        assert_string_equal(err.text, wrong[i].error);
        assert_null(mechanism);
    }
}

static void deep_nesting_is_refused(void **state)
{
    enum { DEEP = 100000 };
    char *text = malloc(3 * DEEP + 32);
    tpi_mechanism *mechanism = NULL;
    tp_error err = {0};
    int length = sprintf(text, "<robot name=\"r\">");

    (void)state;
    for (int i = 0; i < DEEP; i++) {
        memcpy(text + length, "<a>", 3);
        length += 3;
    }
    assert_int_equal(tpi_urdf_read(&mechanism, text, (size_t)length, "deep.urdf", &err),
                     TP_E_INVALID);
    assert_string_equal(err.text, "deep.urdf:1: <a>: elements are nested over 100 deep");
    free(text);
}

static void numbers_are_read_as_files_have_them(void **state)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1", 1},          {"+.5", 0.5},      {"-1.", -1},
                {"007", 7},        {" 2 ", 2},        {"1.e2", 100},
                {"-1e-05", -1e-5}, {"inf", INFINITY}, {"-Infinity", -(double)INFINITY},
                {"0.0000", 0}};
    static const char *const bad[] = {"",       ".",   "-",   "1..5", "1.2.3",
                                      "+-1",    "e5",  "1e",  "nan",  "0x10",
                                      "inform", "1,5", "1 2", "--1",  "1e400x"};
    double value;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(tpi_urdf_read_numbers(good[i].text, &value, 1, true));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(tpi_urdf_read_numbers(bad[i], &value, 1, true));
    }
    assert_false(tpi_urdf_read_numbers("inf", &value, 1, false));
    assert_false(tpi_urdf_read_numbers("1e10", &value, 1, false));
}

/* A robot of so many links in a row, with names of the same beginning. */
static tp_status read_row(unsigned links, tpi_mechanism **out, tp_error *err)
{
    tpi_buf text = {0};
    tp_status status;

    tpi_buf_puts(&text, "<robot name=\"row\">");
    for (unsigned i = 0; i < links; i++) {
        tpi_buf_printf(&text, "<link name=\"link_%060u\"/>\n", i);
    }
    for (unsigned i = 1; i < links; i++) {
        tpi_buf_printf(&text,
                       "<joint name=\"joint_%060u\" type=\"fixed\"><parent "
                       "link=\"link_%060u\"/><child link=\"link_%060u\"/></joint>\n",
                       i, i - 1, i);
    }
    tpi_buf_puts(&text, "</robot>");
    status = tpi_urdf_read(out, text.data, text.length, "row.urdf", err);
    tpi_buf_fini(&text);
    return status;
}

static void the_number_of_elements_is_limited(void **state)
{
    tpi_mechanism *mechanism = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(read_row(TPI_MOST_LINKS, &mechanism, &err), TP_OK);
    assert_int_equal(mechanism->link_count, TPI_MOST_LINKS);
    tpi_mechanism_destroy(mechanism);
    assert_int_equal(read_row(TPI_MOST_LINKS + 1, &mechanism, &err), TP_E_INVALID);
    assert_string_equal(err.text, "row.urdf:4097: <link>: over 4096 of these elements");
}

static void joints_frames_and_extras_are_limited(void **state)
{
    static const char *const elements[][2] = {
        {"", "<joint name=\"j%u\" type=\"fixed\"/>"},
        {"<troupe>", "<frame name=\"f%u\" link=\"a\"/>"},
        {"<troupe>", "<joint name=\"j%u\"/>"},
        {"<troupe>", "<compound name=\"c%u\" joints=\"a b\"/>"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof elements / sizeof elements[0]; k++) {
        tpi_mechanism *mechanism = NULL;
        tpi_buf text = {0};
        tp_error err = {0};

        tpi_buf_printf(&text, "<robot name=\"r\"><link name=\"a\"/>%s", elements[k][0]);
        for (unsigned i = 0; i <= TPI_URDF_MOST; i++) {
            tpi_buf_printf(&text, elements[k][1], i);
        }
        assert_int_equal(tpi_urdf_read(&mechanism, text.data, text.length, "x", &err),
                         TP_E_INVALID);
        assert_non_null(strstr(err.text, "over 4096 of these elements"));
        tpi_buf_fini(&text);
    }
}

static void a_robot_has_at_most_512_dofs(void **state)
{
    tpi_mechanism *mechanism = NULL;
    tpi_buf text = {0};
    tp_error err = {0};

    (void)state;
    tpi_buf_puts(&text, "<robot name=\"r\"><link name=\"a\"/>");
    for (unsigned i = 0; i < TPI_MOST_DOFS; i++) {
        tpi_buf_printf(&text,
                       "<link name=\"l%u\"/><joint name=\"j%u\" type=\"continuous\"><parent "
                       "link=\"a\"/><child link=\"l%u\"/></joint>",
                       i, i, i);
    }
    const size_t length = text.length;
    tpi_buf_puts(&text, "</robot>");
    assert_int_equal(tpi_urdf_read(&mechanism, text.data, text.length, "x", &err), TP_OK);
    assert_int_equal(mechanism->dof_count, TPI_MOST_DOFS);
    tpi_mechanism_destroy(mechanism);
    text.length = length;
    tpi_buf_puts(&text, "<troupe><base type=\"planar\"/></troupe></robot>");
    assert_int_equal(tpi_urdf_read(&mechanism, text.data, text.length, "x", &err), TP_E_INVALID);
    assert_string_equal(err.text, "x:1: <robot name=\"r\">: over 512 dofs");
    tpi_buf_fini(&text);
}

static void a_long_name_and_a_long_path_leave_room_for_the_reason(void **state)
{
    tpi_mechanism *mechanism = NULL;
    char text[1000], path[1000] = "";
    tp_error err = {0};

    (void)state;
    memset(path, 'p', 900);
    snprintf(text, sizeof text, "<robot name=\"r\"><link name=\"%0201u\"/></robot>", 1u);
    assert_int_equal(tpi_urdf_read(&mechanism, text, strlen(text), path, &err), TP_E_INVALID);
    assert_non_null(strstr(err.text, "p:1: <link>: name has over 200 characters"));
}

/* Memory that runs out at any place is reported, and nothing is lost. */
static tp_status read_with_warnings(void *context)
{
    tpi_mechanism *mechanism = NULL;
    tp_error err = {0};
    const tp_status status = read_text(&mechanism, context, &err);

    if (status == TP_OK) {
        assert_non_null(mechanism->warnings);
        tpi_mechanism_destroy(mechanism);
    }
    return status;
}

static void no_memory_is_reported(void **state)
{
    static char text[] =
        ROBOT(LINK("a") LINK("b") LINK("c")
                  JOINT("j", "a", "b", "<axis xyz=\"0 0 2\"/><limit velocity=\"0\"/>")
                      JOINT("k", "b", "c", "") "<troupe><compound name=\"d\" joints=\"j k\"/>"
                                               "<frame name=\"f\" link=\"c\"/></troupe>");

    (void)state;
    memory_sweep(read_with_warnings, text);
}

/* ---- What is accepted ---- */

static tpi_mechanism *accept(const char *text)
{
    tpi_mechanism *mechanism = NULL;
    tp_error err = {0};

    if (read_text(&mechanism, text, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    return mechanism;
}

static void a_robot_of_one_link_is_valid(void **state)
{
    tpi_mechanism *m = accept(ROBOT(LINK("a")));

    (void)state;
    assert_int_equal(m->link_count, 1);
    assert_int_equal(m->joint_count, 1);
    assert_int_equal(m->dof_count, 0);
    assert_int_equal(m->joints[0].parent, TPI_WORLD);
    assert_int_equal(m->joints[0].child, 0);
    assert_null(m->warnings);
    tpi_mechanism_destroy(m);
}

static void what_real_files_have_is_accepted(void **state)
{
    tpi_mechanism *m = accept(ROBOT(LINK("a") LINK("b") LINK("j") LINK("d") JOINT(
        "a", "a", "b",
        "<axis xyz=\"0 0 2\"/><limit lower=\"-1e16\" upper=\"1e16\" "
        "velocity=\"0\" effort=\"+.5\"/>") JOINT("j", "b", "j",
                                                 "<limit lower=\"-1.\" upper=\"2e0\" "
                                                 "velocity=\"3\"/>") "<joint name=\"f\" "
                                                                     "type=\"fixed\"><parent "
                                                                     "link=\"j\"/><child "
                                                                     "link=\"d\"/>"
                                                                     "<axis xyz=\"0 0 0\"/></joint>"
                                                                     "<transmission><joint "
                                                                     "name=\"none\"/></"
                                                                     "transmission>"));

    (void)state;
    assert_int_equal(m->dof_count, 2);
    assert_near(m->dofs[0].axis[2], 1, 0);
    assert_true(isinf(m->dofs[0].lower) && isinf(m->dofs[0].upper) && isinf(m->dofs[0].velocity));
    assert_near(m->dofs[0].force, 0.5, 0);
    assert_near(m->dofs[1].axis[0], 1, 0);
    assert_near(m->dofs[1].lower, -1, 0);
    assert_near(m->dofs[1].acceleration, 15, 1e-12);
    assert_true(m->dofs[1].assumed_acceleration);
    assert_non_null(m->warnings);
    assert_string_equal(m->warnings->text, "joint a: the axis has the length 2 instead of 1");
    assert_string_equal(m->warnings->next->text,
                        "joint a: a limit of velocity of 0 is taken for none");
    assert_null(m->warnings->next->next);
    tpi_mechanism_destroy(m);
}

/* As a two-wheeled robot has it: by the letter of the format its wheels could not turn. */
static void a_limit_without_ends_does_not_keep_a_joint(void **state)
{
    tpi_mechanism *m = accept(
        ROBOT(LINK("a") LINK("b") LINK("c")
                  JOINT("j", "a", "b", "<limit effort=\"1.7\" velocity=\"111\"/>") "\n" JOINT(
                      "k", "b", "c", "<limit effort=\"1\" velocity=\"1\" upper=\"1\"/>")));

    (void)state;
    assert_true(isinf(m->dofs[0].lower) && isinf(m->dofs[0].upper));
    assert_near(m->dofs[0].velocity, 111, 0);
    assert_string_equal(m->warnings->text,
                        "joint j has no limit of its position: there is neither lower nor upper");
    assert_near(m->dofs[1].lower, 0, 0);
    assert_near(m->dofs[1].upper, 1, 0);
    assert_null(m->warnings->next);
    tpi_mechanism_destroy(m);
}

/* As a gripper has it: a passive joint turns the other way, with the limits of the others. */
static void limits_of_a_follower_that_leave_no_way_are_warned_of(void **state)
{
    const char limit[] = "<limit effort=\"1\" velocity=\"1\" lower=\"0\" upper=\"0.5\"/>";
    char text[1024];
    (void)snprintf(text, sizeof text,
                   ROBOT(LINK("a") LINK("b") LINK("c") LINK("d") JOINT("j", "a", "b", "%s")
                             JOINT("k", "b", "c", "%s<mimic joint=\"j\"/>") "\n" JOINT(
                                 "l", "c", "d", "%s<mimic joint=\"j\" multiplier=\"-1\"/>")),
                   limit, limit, limit);
    tpi_mechanism *m = accept(text);

    (void)state;
    assert_int_equal(m->warnings->line, 3);
    assert_string_equal(m->warnings->text, "joint l: with its limits the joint that it follows "
                                           "could not move: they are ignored");
    assert_null(m->warnings->next);
    tpi_mechanism_destroy(m);
}

static void the_head_of_the_pioneer_is_joint_1_with_two_dofs(void **state)
{
    tpi_mechanism *m = robot_of("pioneer.urdf");

    (void)state;
    assert_string_equal(m->joints[1].name, "head");
    assert_int_equal(m->joints[1].dof_count, 2);
    assert_int_equal(m->joints[0].dof_count, 3); /* a plane */
    assert_int_equal(m->link_count, 2);
    assert_string_equal(m->links[m->joints[1].parent].name, "base");
    assert_string_equal(m->links[m->joints[1].child].name, "camera");
    assert_near(m->joints[1].rest.p[2], 0.3, 0);
    assert_near(m->dofs[3].acceleration, 7, 0);
    assert_int_equal(m->dofs[3].servo, TPI_SERVO_POSITION | TPI_SERVO_SPEED); /* actuated */
    assert_int_equal(tpi_mechanism_frame(m, "eye"), 0);
    assert_null(m->warnings);
    tpi_mechanism_destroy(m);
}

static void the_first_of_two_counts(void **state)
{
    tpi_mechanism *m = accept(ROBOT(LINK("a") LINK("b") JOINT(
        "j", "a", "b",
        "<limit lower=\"-1\" upper=\"1\" velocity=\"1\"/>\n<limit lower=\"-2\" upper=\"2\"/>")));

    (void)state;
    assert_near(m->dofs[0].upper, 1, 0);
    assert_string_equal(m->warnings->text, "<limit> is there twice: the first one counts");
    assert_int_equal(m->warnings->line, 3);
    tpi_mechanism_destroy(m);
}

static void mistakes_in_the_extension_are_warned_of(void **state)
{
    tpi_mechanism *m = accept(ROBOT(LINK("a") LINK("b") JOINT(
        "j", "a", "b",
        "<limit lower=\"-1\" upper=\"1\" velocity=\"1\"/>") "<troupe>"
                                                            "<joint name=\"j\" accel=\"3\" "
                                                            "servo=\"speed\"/>\n"
                                                            "<frames><frame "
                                                            "name=\"f\"/></frames></troupe>"));

    (void)state;
    assert_string_equal(m->warnings->text, "<joint>: the attribute accel is not known");
    assert_string_equal(m->warnings->next->text, "<troupe>: the element frames is not known");
    assert_int_equal(m->warnings->next->line, m->warnings->line + 1);
    assert_null(m->warnings->next->next);
    tpi_mechanism_destroy(m);
}

static void what_xacro_has_not_expanded_is_warned_of(void **state)
{
    tpi_mechanism *m = accept(ROBOT(
        LINK("a") "<xacro:macro name=\"m\"><link name=\"b\"/></xacro:macro><xacro:m side=\"l\"/>"));

    (void)state;
    assert_int_equal(m->link_count, 1);
    assert_string_equal(m->warnings->text,
                        "<xacro:macro> is skipped: xacro makes links and joints of it");
    assert_null(m->warnings->next);
    tpi_mechanism_destroy(m);
}

static void a_limit_of_a_plane_has_no_ends(void **state)
{
    tpi_mechanism *m = accept(ROBOT(LINK("a") LINK(
        "b") "<joint name=\"j\" type=\"planar\"><parent link=\"a\"/><child link=\"b\"/>"
             "<limit velocity=\"2\" effort=\"3\"/></joint>"));

    (void)state;
    assert_int_equal(m->dof_count, 3);
    assert_true(isinf(m->dofs[2].lower) && isinf(m->dofs[2].upper));
    assert_near(m->dofs[2].velocity, 2, 0);
    assert_null(m->warnings);
    tpi_mechanism_destroy(m);
}

/* A fixed joint in a compound has no dof: the dofs behind it keep their numbers. */
static void a_mimic_finds_its_dof_in_a_compound(void **state)
{
    tpi_mechanism *m = accept(ROBOT(LINK("a") LINK("b") LINK("c") LINK("d") LINK(
        "e") "<joint name=\"f\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/>"
             "<origin rpy=\"0 0 1.5707963267948966\"/></joint>" JOINT("j", "b", "c", "")
                                        JOINT("k", "c", "d", "<axis xyz=\"0 0 1\"/>")
                                            JOINT("l", "a", "e",
                                                  "<mimic joint=\"k\" multiplier=\"2\" "
                                                  "offset=\"1\"/>") "<troupe><compound name=\"w\" "
                                                                    "joints=\"f j k\"/></troupe>"));
    double values[TPI_MOST_DOFS] = {0, 3, 0};

    (void)state;
    assert_int_equal(m->joint_count, 3);
    assert_int_equal(m->joints[1].dof_count, 2);
    assert_int_equal(m->dofs[2].master, 1);
    tpi_mechanism_follow(m, values);
    assert_near(values[2], 7, 0);
    tpi_mechanism_destroy(m);
}

/* l follows k, and k follows j: both follow j. */
static void a_mimic_of_a_mimic_follows_a_free_dof(void **state)
{
    tpi_mechanism *m = accept(
        ROBOT(LINK("a") LINK("b") LINK("c") LINK("d")
                  JOINT("l", "a", "b", "<mimic joint=\"k\" multiplier=\"2\" offset=\"1\"/>")
                      JOINT("k", "b", "c", "<mimic joint=\"j\" multiplier=\"-3\" offset=\"0.5\"/>")
                          JOINT("j", "c", "d", "")));
    double values[TPI_MOST_DOFS] = {0, 0, 2};

    (void)state;
    assert_int_equal(m->dofs[0].master, 2);
    assert_int_equal(m->dofs[1].master, 2);
    tpi_mechanism_follow(m, values);
    assert_near(values[1], -5.5, 0);
    assert_near(values[0], -10, 0);
    tpi_mechanism_destroy(m);
}

static void the_mass_inside_of_a_compound_is_warned_of(void **state)
{
    tpi_mechanism *m = accept(
        ROBOT(LINK("a") "<link name=\"b\"><inertial><mass value=\"2\"/></inertial></link>" LINK(
            "c") "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child "
                 "link=\"b\"/></joint><joint name=\"k\" type=\"continuous\"><parent "
                 "link=\"b\"/><child link=\"c\"/></joint>"
                 "<troupe><compound name=\"d\" joints=\"j k\"/></troupe>"));

    (void)state;
    assert_int_equal(m->link_count, 2);
    assert_string_equal(m->warnings->text, "link b is inside of a compound: its 2 kg are lost");
    tpi_mechanism_destroy(m);
}

/* Turned by a quarter about z, x and y change places. */
static void a_link_has_mass_centre_and_inertia(void **state)
{
    tpi_mechanism *m = accept(
        ROBOT("<link name=\"a\"><inertial><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/>"
              "<mass value=\"4\"/><inertia ixx=\"5\" ixy=\"0.5\" ixz=\"0\" iyy=\"6\" iyz=\"0\" "
              "izz=\"7\"/></inertial></link>"));
    static const double wanted[] = {6, -0.5, 0, 5, 0, 7};

    (void)state;
    assert_near(m->links[0].mass_kg, 4, 0);
    assert_near(m->links[0].centre_m[2], 3, 0);
    for (int i = 0; i < 6; i++) {
        assert_near(m->links[0].inertia[i], wanted[i], 1e-12);
    }
    assert_null(m->warnings);
    tpi_mechanism_destroy(m);
}

static void a_joint_has_at_most_six_dofs(void **state)
{
    static const char text[] = ROBOT(LINK("a") LINK("b") LINK(
        "c") "<joint name=\"j\" type=\"floating\"><parent link=\"a\"/><child link=\"b\"/></joint>"
             "<joint name=\"k\" type=\"%s\"><parent link=\"b\"/><child link=\"c\"/></joint>"
             "<troupe><compound name=\"w\" joints=\"j k\"/></troupe>");
    char filled[1000];
    tpi_mechanism *m = NULL;
    tp_error err = {0};

    (void)state;
    snprintf(filled, sizeof filled, text, "fixed");
    m = accept(filled);
    assert_int_equal(m->joints[1].dof_count, TPI_JOINT_DOFS);
    assert_int_equal(m->dofs[2].type, TPI_PRISMATIC);
    assert_int_equal(m->dofs[3].type, TPI_REVOLUTE);
    assert_near(m->dofs[3].axis[2], 1, 0);
    tpi_mechanism_destroy(m);
    snprintf(filled, sizeof filled, text, "continuous");
    assert_int_equal(read_text(&m, filled, &err), TP_E_INVALID);
    assert_string_equal(err.text, "x.urdf:2: <compound name=\"w\">: a joint has at most 6 dofs");
}

static void the_hand_has_64_dofs(void **state)
{
    tpi_mechanism *m = robot_of("hand64.urdf");

    (void)state;
    assert_int_equal(m->dof_count, 64);
    assert_int_equal(m->joints[0].dof_count, 0);
    assert_int_equal(m->joints[tpi_mechanism_joint(m, "wrist")].dof_count, 3); /* a gimbal */
    assert_true(m->frame_count >= 5);
    assert_null(m->warnings);
    tpi_mechanism_destroy(m);
}

static void a_finger_follows_the_other(void **state)
{
    tpi_mechanism *m = robot_of("puma560.urdf");
    double values[TPI_MOST_DOFS] = {0};
    const tpi_joint *right = &m->joints[tpi_mechanism_joint(m, "grip_right")];
    const tpi_joint *left = &m->joints[tpi_mechanism_joint(m, "grip")];

    (void)state;
    assert_int_equal(m->dof_count, 8);
    assert_int_equal(m->joints[0].dof_count, 0); /* fixed on its table */
    values[left->first_dof] = 0.03;
    tpi_mechanism_follow(m, values);
    assert_near(values[right->first_dof], 0.03, 0);
    assert_int_equal(m->dofs[right->first_dof].servo, 0);
    assert_null(m->warnings);
    tpi_mechanism_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_file_is_refused_with_its_place),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(numbers_are_read_as_files_have_them),
        cmocka_unit_test(the_number_of_elements_is_limited),
        cmocka_unit_test(joints_frames_and_extras_are_limited),
        cmocka_unit_test(a_robot_has_at_most_512_dofs),
        cmocka_unit_test(a_long_name_and_a_long_path_leave_room_for_the_reason),
        cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(the_first_of_two_counts),
        cmocka_unit_test(mistakes_in_the_extension_are_warned_of),
        cmocka_unit_test(what_xacro_has_not_expanded_is_warned_of),
        cmocka_unit_test(a_limit_of_a_plane_has_no_ends),
        cmocka_unit_test(a_mimic_finds_its_dof_in_a_compound),
        cmocka_unit_test(a_mimic_of_a_mimic_follows_a_free_dof),
        cmocka_unit_test(the_mass_inside_of_a_compound_is_warned_of),
        cmocka_unit_test(a_link_has_mass_centre_and_inertia),
        cmocka_unit_test(a_joint_has_at_most_six_dofs),
        cmocka_unit_test(the_hand_has_64_dofs),
        cmocka_unit_test(a_robot_of_one_link_is_valid),
        cmocka_unit_test(what_real_files_have_is_accepted),
        cmocka_unit_test(a_limit_without_ends_does_not_keep_a_joint),
        cmocka_unit_test(limits_of_a_follower_that_leave_no_way_are_warned_of),
        cmocka_unit_test(the_head_of_the_pioneer_is_joint_1_with_two_dofs),
        cmocka_unit_test(a_finger_follows_the_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
