/* tip_test.c - arms that are commanded by their tips. */
#include "motion/tip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "motion/model.h"
#include "support/random.h"

/* A slide on a table, and an arm of three joints on it; a frame at its end, a camera elsewhere. */
static const char arm[] =
    "<robot name='r'><link name='table'/><link name='sledge'/><link name='upper'/>"
    "<link name='lower'/><link name='hand'/><link name='plate'/><link name='camera'/>"
    "<joint name='rail' type='prismatic'><parent link='table'/><child link='sledge'/>"
    "<axis xyz='0 1 0'/><limit lower='-1' upper='1' velocity='1' effort='1'/></joint>"
    "<joint name='a' type='revolute'><parent link='sledge'/><child link='upper'/>"
    "<origin xyz='0 0 0.3'/><axis xyz='0 0 1'/>"
    "<limit lower='-2' upper='2' velocity='1' effort='1'/></joint>"
    "<joint name='b' type='revolute'><parent link='upper'/><child link='lower'/>"
    "<origin xyz='0.4 0 0'/><axis xyz='0 0 1'/>"
    "<limit lower='0.1' upper='2' velocity='1' effort='1'/></joint>"
    "<joint name='c' type='revolute'><parent link='lower'/><child link='hand'/>"
    "<origin xyz='0.3 0 0'/><axis xyz='0 0 1'/>"
    "<limit lower='-2' upper='2' velocity='1' effort='1'/></joint>"
    "<joint name='screw' type='fixed'><parent link='hand'/><child link='plate'/>"
    "<origin xyz='0.1 0 0'/></joint>"
    "<joint name='neck' type='revolute'><parent link='table'/><child link='camera'/>"
    "<axis xyz='0 0 1'/><limit lower='-2' upper='2' velocity='1' effort='1'/></joint>"
    "<troupe><frame name='eye' link='camera'/><frame name='tool' link='plate'>"
    "<origin xyz='0.05 0 0' rpy='0 0 0'/></frame></troupe></robot>";

struct scene {
    tpi_motion_model *model;
    tpi_motion_robot robot;
    uint16_t dofs[3];
    tpi_motion_tip *tip;
    tp_error err;
};

static int set_up(void **state)
{
    static struct scene s;

    s = (struct scene){.err = {.text = ""}};
    assert_int_equal(tpi_motion_model_read(&s.model, arm, strlen(arm), "arm", &s.err), TP_OK);
    tpi_motion_model_fill(s.model, &s.robot);
    for (int i = 0; i < 3; i++) {
        s.dofs[i] = s.robot.joints[2 + i].first_dof;
    }
    assert_int_equal(tpi_motion_tip_create(&s.tip, &s.robot, s.dofs, 3, &s.err), TP_OK);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *s = *state;

    tpi_motion_tip_destroy(s->tip);
    tpi_motion_model_destroy(s->model);
    return 0;
}

static void near(double a, double b)
{
    if (fabs(a - b) > 1e-3) {
        fail_msg("%g instead of %g", a, b);
    }
}

static void the_tip_is_the_frame_behind_fixed_joints(void **state)
{
    struct scene *s = *state;
    const double right[3] = {0, 1.5707963, 0};
    tpi_motion_tip_pose pose;

    tpi_motion_tip_forward(s->tip, right, &pose);
    near(pose.place[0], 0.4);
    near(pose.place[1], 0.45); /* 0.3 + 0.1 + 0.05 */
    near(pose.place[2], 0.3);
    near(pose.approach[1], 1);
    near(pose.across[0], -1);
}

static void other_joints_on_the_way_count(void **state)
{
    struct scene *s = *state;
    const double right[3] = {0, 1.5707963, 0};
    double back[3] = {0.1, 1.4, 0.1};
    tpi_motion_tip_pose pose;

    tpi_motion_tip_other(s->tip, s->robot.joints[1].first_dof, 0.5);
    tpi_motion_tip_forward(s->tip, right, &pose);
    near(pose.place[1], 0.95);
    assert_true(tpi_motion_tip_inverse(s->tip, &pose, back));
    near(back[0], 0);
    near(back[1], 1.5707963);
}

static double part(random_source *random)
{
    return random_below(random, 1000) / 999.0;
}

static void joints_of_a_tip_are_found_again(void **state)
{
    struct scene *s = *state;
    random_source random = {7};

    for (int i = 0; i < 300; i++) {
        double wanted[3], found[3];
        tpi_motion_tip_pose pose;

        for (int k = 0; k < 3; k++) {
            wanted[k] = 0.3 + 1.4 * part(&random);
            found[k] = wanted[k] + 0.1 * (part(&random) - 0.5);
        }
        tpi_motion_tip_forward(s->tip, wanted, &pose);
        for (int k = 0; k < 3; k++) { /* only directions count */
            pose.approach[k] *= 3;
            pose.across[k] = 2 * pose.across[k] + 0.1 * pose.approach[k];
        }
        assert_true(tpi_motion_tip_inverse(s->tip, &pose, found));
        for (int k = 0; k < 3; k++) {
            near(found[k], wanted[k]);
        }
    }
}

static void a_tip_out_of_reach_changes_nothing(void **state)
{
    struct scene *s = *state;
    tpi_motion_tip_pose pose = {{5, 0, 0.3}, {1, 0, 0}, {0, 1, 0}};
    double positions[3] = {0.1, 0.2, 0.3};

    assert_false(tpi_motion_tip_inverse(s->tip, &pose, positions));
    pose.place[0] = 0.5;
    memset(pose.across, 0, sizeof pose.across);
    assert_false(tpi_motion_tip_inverse(s->tip, &pose, positions));
    memcpy(pose.across, pose.approach, sizeof pose.across);
    assert_false(tpi_motion_tip_inverse(s->tip, &pose, positions));
    assert_true(positions[0] == 0.1 && positions[1] == 0.2 && positions[2] == 0.3);
}

static void joints_that_do_not_move_the_tip_are_refused(void **state)
{
    struct scene *s = *state;
    const uint16_t neck = s->robot.joints[6].first_dof;
    const uint16_t wrong[] = {neck, s->dofs[2]};
    tpi_motion_tip *tip = NULL;

    assert_int_equal(tpi_motion_tip_create(&tip, &s->robot, wrong, 2, &s->err), TP_E_INVALID);
    assert_string_equal(s->err.text, "joint neck does not move the tip of the arm");
    assert_int_equal(tpi_motion_tip_create(&tip, &s->robot, wrong, 0, &s->err), TP_E_INVALID);
    assert_null(tip);
}

/* As many dofs as a chain can have, one behind the other, and a neck. */
static void an_arm_has_at_most_64_joints(void **state)
{
    static char text[65536];
    uint16_t dofs[65];
    struct scene long_arm = {.err = {.text = ""}};
    size_t at = (size_t)snprintf(text, sizeof text, "<robot name='r'><link name='l0'/>");
    double positions[64];
    tpi_motion_tip_pose pose;

    (void)state;
    for (int i = 1; i <= 65; i++) {
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            "<link name='l%d'/><joint name='j%d' type='prismatic'><parent link='l%d'/>"
            "<child link='l%d'/><axis xyz='1 0 0'/>"
            "<limit lower='-1' upper='1' velocity='1' effort='1'/></joint>",
            i, i, i == 65 ? 0 : i - 1, i);
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "</robot>");
    assert_int_equal(tpi_motion_model_read(&long_arm.model, text, at, "arm", &long_arm.err), TP_OK);
    tpi_motion_model_fill(long_arm.model, &long_arm.robot);
    for (uint16_t i = 0; i < 65; i++) {
        dofs[i] = long_arm.robot.joints[i + 1].first_dof;
        positions[i < 64 ? i : 0] = 0.01;
    }
    assert_int_equal(tpi_motion_tip_create(&long_arm.tip, &long_arm.robot, dofs, 64, &long_arm.err),
                     TP_OK);
    tpi_motion_tip_forward(long_arm.tip, positions, &pose);
    near(pose.place[0], 0.64);
    tpi_motion_tip_destroy(long_arm.tip);
    dofs[0] = dofs[64];
    assert_int_equal(tpi_motion_tip_create(&long_arm.tip, &long_arm.robot, dofs, 64, &long_arm.err),
                     TP_E_INVALID);
    assert_string_equal(long_arm.err.text, "joint j65 does not move the tip of the arm");
    assert_int_equal(tpi_motion_tip_create(&long_arm.tip, &long_arm.robot, dofs, 65, &long_arm.err),
                     TP_E_INVALID);
    assert_string_equal(long_arm.err.text, "an arm has 1 to 64 dofs");
    tpi_motion_model_destroy(long_arm.model);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(the_tip_is_the_frame_behind_fixed_joints),
        CASE(other_joints_on_the_way_count),
        CASE(joints_of_a_tip_are_found_again),
        CASE(a_tip_out_of_reach_changes_nothing),
        CASE(joints_that_do_not_move_the_tip_are_refused),
        CASE(an_arm_has_at_most_64_joints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
