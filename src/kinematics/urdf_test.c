/* urdf_test.c - robots of files: what is accepted, and what is refused with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/file.h"
#include "kinematics/mechanism.h"

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
     "x.urdf:1: <robot name=\"r\">: every link has a parent: a ring"},
    {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "b", "c", "") JOINT("k", "c", "b", "")),
     "x.urdf:1: <robot name=\"r\">: link b hangs in a ring, not on the root a"},
    {ROBOT(LINK("a") LINK("b")), "x.urdf:1: <robot name=\"r\">: two links have no parent: a and b"},
    {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "a", "c", "") "\n" JOINT("k", "b", "c", "")),
     "x.urdf:3: <joint name=\"k\">: link c is the child of joint j already"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<axis xyz=\"0 0 0\"/>")),
     "x.urdf:2: <joint name=\"j\">: the axis 0 0 0 has no direction"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<mimic joint=\"j\"/>")),
     "x.urdf:2: <joint name=\"j\">: it mimics itself"},
    {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "a", "b", "<mimic joint=\"k\"/>")
               JOINT("k", "b", "c", "<mimic joint=\"j\"/>")),
     "x.urdf:2: <joint name=\"k\">: it mimics itself"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<mimic joint=\"z\"/>")),
     "x.urdf:2: <joint name=\"j\">: mimic: there is no joint z"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<limit lower=\"nan\"/>")),
     "x.urdf:2: <limit>: lower=\"nan\" is not 1 number"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<limit lower=\"1\" upper=\"0\"/>")),
     "x.urdf:2: <joint name=\"j\">: the lower limit 1 is above the upper limit 0"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<limit velocity=\"-1\"/>")),
     "x.urdf:2: <joint name=\"j\">: a limit of velocity or effort is below 0"},
    {ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<origin xyz=\"0 0\"/>")),
     "x.urdf:2: <origin>: xyz=\"0 0\" is not 3 numbers"},
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
    {"<!DOCTYPE r [\n<!ENTITY a \"aaaaaaaaaa\">\n<!ENTITY b \"&a;&a;\">]><robot name=\"&b;\"/>",
     "x.urdf:2: entity a: entities are not allowed"},
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
     "x.urdf:2: <compound name=\"d\">: joint k does not follow joint j"},
    {ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "a", "b", "") JOINT(
         "k", "b", "c",
         "<origin xyz=\"1 0 0\"/>") "<troupe><compound name=\"d\" joints=\"j k\"/></troupe>"),
     "x.urdf:2: <compound name=\"d\">: joint k is not at the place of joint j"},
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
    assert_float_equal(m->dofs[0].axis[2], 1, 0);
    assert_true(isinf(m->dofs[0].lower) && isinf(m->dofs[0].upper) && isinf(m->dofs[0].velocity));
    assert_float_equal(m->dofs[0].force, 0.5, 0);
    assert_float_equal(m->dofs[1].axis[0], 1, 0);
    assert_float_equal(m->dofs[1].lower, -1, 0);
    assert_float_equal(m->dofs[1].acceleration, 15, 1e-12);
    assert_true(m->dofs[1].assumed_acceleration);
    assert_non_null(m->warnings);
    assert_string_equal(m->warnings->text, "joint a: the axis has the length 2 instead of 1");
    assert_string_equal(m->warnings->next->text,
                        "joint a: a limit of velocity of 0 is taken for none");
    assert_null(m->warnings->next->next);
    tpi_mechanism_destroy(m);
}

static tpi_mechanism *robot_of(const char *file)
{
    tpi_mechanism *mechanism = NULL;
    tpi_buf text = {0};
    tp_error err = {0};
    char path[512];

    snprintf(path, sizeof path, "%s/%s", ROBOTS, file);
    assert_int_equal(tpi_file_read(&text, path, 1 << 20, &err), TP_OK);
    if (tpi_urdf_read(&mechanism, text.data, text.length, file, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    tpi_buf_fini(&text);
    return mechanism;
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
    assert_float_equal(m->joints[1].rest.p[2], 0.3, 0);
    assert_float_equal(m->dofs[3].acceleration, 7, 0);
    assert_int_equal(tpi_mechanism_frame(m, "eye"), 0);
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
    assert_float_equal(values[right->first_dof], 0.03, 0);
    assert_int_equal(m->dofs[right->first_dof].servo, 0);
    assert_null(m->warnings);
    tpi_mechanism_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_file_is_refused_with_its_place),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(a_robot_of_one_link_is_valid),
        cmocka_unit_test(what_real_files_have_is_accepted),
        cmocka_unit_test(the_head_of_the_pioneer_is_joint_1_with_two_dofs),
        cmocka_unit_test(a_finger_follows_the_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
