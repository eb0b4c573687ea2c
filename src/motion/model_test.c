/* model_test.c - descriptions for clients, made of files. */
#include "support/memory.h"
#include "support/motion.h"

static void the_base_and_its_head_are_described(void **state)
{
    tpi_motion_model *model = bench_model("pioneer.urdf");
    tpi_motion_robot robot = {0};

    (void)state;
    tpi_motion_model_fill(model, &robot);
    assert_string_equal(robot.name, "pioneer");
    assert_int_equal(robot.joint_count, 2);
    assert_int_equal(robot.link_count, 2);
    assert_int_equal(tpi_motion_model_dofs(model), 5);
    assert_int_equal(tpi_motion_model_joint(model, "head"), 1);
    assert_int_equal(tpi_motion_model_joint(model, "pan"), -1);
    assert_int_equal(tpi_motion_model_frame(model, "eye"), 0);
    const tpi_motion_joint *base = &robot.joints[0], *head = &robot.joints[1];
    assert_int_equal(base->parent, 0xffff);
    assert_int_equal(base->dof_count, 3);
    assert_int_equal(base->dofs[0].type, 2);
    assert_int_equal(base->dofs[2].type, 1);
    assert_string_equal(head->name, "head");
    assert_int_equal(head->first_dof, 3);
    assert_int_equal(head->dof_count, 2);
    assert_near(head->dofs[0].upper, 1.745329, 1e-12);
    assert_near(head->dofs[0].acceleration, 7, 1e-12);
    assert_near(head->dofs[1].axis[1], -1, 1e-12);
    /* From the centre of mass of the base, which is 0.12 m high, and of the camera. */
    assert_near(head->inboard_m[0], 0.08, 1e-12);
    assert_near(head->inboard_m[2], 0.18, 1e-12);
    assert_near(head->outboard_m[0], -0.02, 1e-12);
    assert_near(robot.frames[0].position_m[0], 0.06, 1e-12);
    assert_int_equal(robot.links[robot.frames[0].link].joint, 1);
    tpi_motion_model_destroy(model);
}

/* As of the PR2: narrow_stereo_gazebo_l_stereo_camera_frame and …_optical_frame. */
static void long_names_stay_different(void **state)
{
    static const char text[] =
        "<robot name=\"r\"><link name=\"0123456789012345678901234567890123\"/>"
        "<link name=\"0123456789012345678901234567890124\"/>"
        "<link name=\"0123456789012345678901234567890\"/>"
        "<joint name=\"j\" type=\"fixed\"><parent link=\"0123456789012345678901234567890123\"/>"
        "<child link=\"0123456789012345678901234567890124\"/></joint>"
        "<joint name=\"k\" type=\"fixed\"><parent link=\"0123456789012345678901234567890123\"/>"
        "<child link=\"0123456789012345678901234567890\"/></joint></robot>";
    tpi_motion_model *model = NULL;
    tpi_motion_robot robot = {0};

    (void)state;
    assert_int_equal(tpi_motion_model_read(&model, text, sizeof text - 1, "x.urdf", NULL), TP_OK);
    tpi_motion_model_fill(model, &robot);
    assert_string_equal(robot.links[0].name, "01234567890123456789012345678901");
    assert_string_equal(robot.links[1].name, "012345678901234567890123456789~1");
    assert_string_equal(robot.links[2].name, "0123456789012345678901234567890");
    tpi_motion_model_destroy(model);
}

static void a_dof_that_mimics_names_its_master(void **state)
{
    tpi_motion_model *model = bench_model("puma560.urdf");
    tpi_motion_robot robot = {0};

    (void)state;
    tpi_motion_model_fill(model, &robot);
    const tpi_motion_joint *right = &robot.joints[tpi_motion_model_joint(model, "grip_right")];
    assert_int_equal(right->dofs[0].mimics, 1);
    assert_int_equal(right->dofs[0].master, 6);
    assert_int_equal(right->dofs[0].servo, 0);
    assert_int_equal(robot.joints[1].dofs[0].mimics, 0);
    assert_int_equal(robot.joints[1].dofs[1].type, 0); /* it has one dof */
    tpi_motion_model_destroy(model);
}

static void long_names_are_cut_between_characters(void **state)
{
    static const char text[] =
        "<robot name=\"r\"><link name=\"a\"/>"
        "<link name=\"0123456789012345678901234567890\xc3\xa4x\"/>"
        "<joint name=\"01234567890123456789012345678901x\" type=\"revolute\">"
        "<parent link=\"a\"/>"
        "<child link=\"0123456789012345678901234567890\xc3\xa4x\"/>"
        "</joint></robot>";
    tpi_motion_model *model = NULL;
    tpi_motion_robot robot = {0};
    unsigned line = 0;

    (void)state;
    assert_int_equal(tpi_motion_model_read(&model, text, sizeof text - 1, "x", NULL), TP_OK);
    tpi_motion_model_fill(model, &robot);
    assert_string_equal(robot.links[1].name, "0123456789012345678901234567890");
    assert_string_equal(robot.joints[1].name, "01234567890123456789012345678901");
    assert_string_equal(tpi_motion_model_warning(model, 0, &line),
                        "joint 01234567890123456789012345678901x has no limit");
    assert_int_equal(line, 1);
    assert_null(tpi_motion_model_warning(model, 1, &line));
    tpi_motion_model_destroy(model);
}

static void a_wrong_file_is_refused(void **state)
{
    tpi_motion_model *model = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_motion_model_read(&model, "<robot/>", 8, "x.urdf", &err), TP_E_INVALID);
    assert_string_equal(err.text, "x.urdf:1: <robot>: name is missing");
    assert_null(model);
}

static tp_status read_it(void *context)
{
    static const char text[] = "<robot name=\"r\"><link name=\"a\"/><troupe><frame name=\"f\" "
                               "link=\"a\"/></troupe></robot>";
    tpi_motion_model *model = NULL;
    const tp_status status = tpi_motion_model_read(&model, text, sizeof text - 1, "x", NULL);

    (void)context;
    tpi_motion_model_destroy(model);
    return status;
}

static void no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    memory_sweep(read_it, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_base_and_its_head_are_described),
        cmocka_unit_test(a_dof_that_mimics_names_its_master),
        cmocka_unit_test(long_names_are_cut_between_characters),
        cmocka_unit_test(long_names_stay_different),
        cmocka_unit_test(a_wrong_file_is_refused),
        cmocka_unit_test(no_memory_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
