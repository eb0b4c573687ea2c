/* chain_test.c - forward kinematics, Jacobian and inverse on robots whose answers are known. */
#include <stdlib.h>

#include "support/kinematics.h"
#include "support/poses.h"

/* ---- Rotations ---- */

static void rotations_go_there_and_back(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        const double length = pose_any(&seed, 0, TPI_PI - (i % 10 == 0 ? 1e-7 : 0.01));
        double axis[3], r[9], back[3], rpy[3], again[9];

        for (int k = 0; k < 3; k++) {
            axis[k] = pose_any(&seed, -1, 1);
        }
        const double norm = sqrt(tpi_dot3(axis, axis));
        for (int k = 0; k < 3; k++) {
            axis[k] /= norm;
        }
        tpi_rotation_about(r, axis, length);
        tpi_rotation_log(back, r);
        for (int k = 0; k < 3; k++) {
            assert_near(back[k], axis[k] * length, 1e-6);
        }
        tpi_rpy_of_rotation(rpy, r);
        tpi_rotation_of_rpy(again, rpy[0], rpy[1], rpy[2]);
        for (int k = 0; k < 9; k++) {
            assert_near(again[k], r[k], 1e-9);
        }
    }
}

static void a_half_turn_has_its_axis(void **state)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        double r[9], back[3];

        tpi_rotation_about(r, axes[i], TPI_PI);
        tpi_rotation_log(back, r);
        assert_near(fabs(back[i]), TPI_PI, 1e-9);
    }
}

/* ---- Forward ---- */

/* The product of the Denavit and Hartenberg matrices, written from the table in the robot's file.
 */
static void dh_step(double t[12], double angle, double a, double alpha, double d)
{
    const double ca = cos(angle), sa = sin(angle), cb = cos(alpha), sb = sin(alpha);
    const double step[12] = {ca,       -sa * cb, sa * sb, a * ca, sa, ca * cb,
                             -ca * sb, a * sa,   0,       sb,     cb, d};
    double out[12];

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            out[4 * i + j] = t[4 * i] * step[j] + t[4 * i + 1] * step[4 + j] +
                             t[4 * i + 2] * step[8 + j] + (j == 3 ? t[4 * i + 3] : 0);
        }
    }
    memcpy(t, out, sizeof out);
}

static void the_arm_agrees_with_its_published_parameters(void **state)
{
    static const double table[6][3] = {
        {0, TPI_PI / 2, 0},      {0.4318, 0, 0},      {0.0203, -TPI_PI / 2, 0.15005},
        {0, TPI_PI / 2, 0.4318}, {0, -TPI_PI / 2, 0}, {0, 0, 0}};
    tpi_mechanism *m = robot_of("puma560.urdf");
    double values[TPI_MOST_DOFS];
    tpi_chain chain;
    uint64_t seed = 2;

    (void)state;
    assert_int_equal(tpi_chain_init(&chain, m, tpi_mechanism_link(m, "flange"), NULL, NULL), TP_OK);
    assert_int_equal(chain.column_count, 6);
    for (int i = 0; i < 1000; i++) {
        double t[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.672};
        tpi_spatial tip;

        pose_values(m, values, &seed);
        for (int k = 0; k < 6; k++) {
            dh_step(t, values[k], table[k][0], table[k][1], table[k][2]);
        }
        tpi_chain_forward(&chain, values, &tip);
        for (int k = 0; k < 3; k++) {
            assert_near(tip.p[k], t[4 * k + 3], 1e-12);
            for (int j = 0; j < 3; j++) {
                assert_near(tip.r[3 * k + j], t[4 * k + j], 1e-12);
            }
        }
    }
    tpi_mechanism_destroy(m);
}

static void the_eye_looks_where_pan_and_tilt_say(void **state)
{
    tpi_mechanism *m = robot_of("pioneer.urdf");
    double values[TPI_MOST_DOFS] = {0};
    const tpi_control_frame *eye = &m->frames[0];
    tpi_chain chain;
    tpi_spatial tip;

    (void)state;
    assert_int_equal(tpi_chain_init(&chain, m, eye->link, &eye->pose, NULL), TP_OK);
    values[m->joints[1].first_dof] = TPI_PI / 2;
    values[m->joints[1].first_dof + 1] = 0.4;
    tpi_chain_forward(&chain, values, &tip);
    /* To the left and up: x of the eye is (0, cos 0.4, sin 0.4). */
    assert_near(tip.r[0], 0, 1e-12);
    assert_near(tip.r[3], cos(0.4), 1e-12);
    assert_near(tip.r[6], sin(0.4), 1e-12);
    assert_near(tip.p[0], 0.08, 1e-12);
    assert_near(tip.p[1], 0.06 * cos(0.4) - 0.03 * sin(0.4), 1e-12);
    assert_near(tip.p[2], 0.3 + 0.06 * sin(0.4) + 0.03 * cos(0.4), 1e-12);
    tpi_mechanism_destroy(m);
}

/* ---- Jacobian ---- */

/* The Jacobian by small steps; `values` follow their masters. */
static void differences(const tpi_chain *chain, const double *values, double *out)
{
    const double step = 1e-6;

    for (unsigned k = 0; k < chain->column_count; k++) {
        double moved[TPI_MOST_DOFS], between[9], turn[3];
        tpi_spatial before, after;

        memcpy(moved, values, chain->mechanism->dof_count * sizeof *moved);
        moved[chain->columns[k]] -= step;
        tpi_mechanism_follow(chain->mechanism, moved);
        tpi_chain_forward(chain, moved, &before);
        moved[chain->columns[k]] += 2 * step;
        tpi_mechanism_follow(chain->mechanism, moved);
        tpi_chain_forward(chain, moved, &after);
        const tpi_spatial back = tpi_spatial_inverse(&before);
        tpi_rotation_product(between, after.r, back.r);
        tpi_rotation_log(turn, between);
        for (unsigned i = 0; i < 3; i++) {
            out[i * chain->column_count + k] = (after.p[i] - before.p[i]) / (2 * step);
            out[(i + 3) * chain->column_count + k] = turn[i] / (2 * step);
        }
    }
}

static void the_jacobian_is_the_derivative(void **state)
{
    static const char *const tips[][2] = {
        {"puma560.urdf", "flange"}, {"puma560.urdf", "right_finger"}, {"pioneer.urdf", "camera"}};
    uint64_t seed = 3;

    (void)state;
    for (int r = 0; r < 3; r++) {
        tpi_mechanism *m = robot_of(tips[r][0]);
        tpi_chain chain;

        assert_int_equal(tpi_chain_init(&chain, m, tpi_mechanism_link(m, tips[r][1]), NULL, NULL),
                         TP_OK);
        for (int i = 0; i < 100; i++) {
            double values[TPI_MOST_DOFS], ours[6 * TPI_CHAIN_DOFS], theirs[6 * TPI_CHAIN_DOFS];
            tpi_spatial tip, forward;

            pose_values(m, values, &seed);
            tpi_chain_jacobian(&chain, values, ours, &tip);
            tpi_chain_forward(&chain, values, &forward);
            assert_memory_equal(&tip, &forward, sizeof tip);
            differences(&chain, values, theirs);
            for (unsigned k = 0; k < 6 * chain.column_count; k++) {
                assert_near(ours[k], theirs[k], 1e-8);
            }
        }
        tpi_mechanism_destroy(m);
    }
}

/* One chain of the file. Returns the number of poses. */
static unsigned compare_with_kdl(FILE *file, const char *robot, const char *tip, unsigned poses)
{
    char name[80], line[80];
    uint64_t seed = 1;
    tpi_chain chain;

    snprintf(name, sizeof name, "%s.urdf", robot);
    tpi_mechanism *m = robot_of(name);
    assert_int_equal(tpi_chain_init(&chain, m, tpi_mechanism_link(m, tip), NULL, NULL), TP_OK);
    for (unsigned i = 0; i < poses; i++) {
        double values[TPI_MOST_DOFS], jacobian[6 * TPI_CHAIN_DOFS];
        tpi_spatial end, forward;

        assert_non_null(fgets(line, sizeof line, file));
        pose_values(m, values, &seed);
        tpi_chain_jacobian(&chain, values, jacobian, &end);
        tpi_chain_forward(&chain, values, &forward);
        assert_memory_equal(&end, &forward, sizeof end);
        assert_near(pose_digest(&end, jacobian, chain.column_count), strtod(line, NULL), 1e-9);
    }
    tpi_mechanism_destroy(m);
    return poses;
}

static void our_robots_agree_with_kdl(void **state)
{
    FILE *file = fopen(KDL_VECTORS, "r");
    unsigned poses = 0, count, chains = 0;
    char line[80], robot[40], tip[40];

    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "chain %39s %39s %u", robot, tip, &count) == 3) {
            poses += compare_with_kdl(file, robot, tip, count);
            chains++;
        }
    }
    fclose(file);
    assert_int_equal(chains, 8); /* every leaf of the three robots */
    assert_int_equal(poses, 10000);
}

static void a_stretched_arm_is_singular(void **state)
{
    tpi_mechanism *m = robot_of("puma560.urdf");
    double values[TPI_MOST_DOFS] = {0.3, 0.7, -1.2, 0.4, 0.9, 0.1}, jacobian[6 * TPI_CHAIN_DOFS];
    tpi_chain chain;
    tpi_spatial tip;

    (void)state;
    tpi_chain_init(&chain, m, tpi_mechanism_link(m, "flange"), NULL, NULL);
    tpi_chain_jacobian(&chain, values, jacobian, &tip);
    assert_true(tpi_chain_condition(jacobian, 6) < 200);
    values[4] = 0; /* two axes of the wrist are one line */
    tpi_chain_jacobian(&chain, values, jacobian, &tip);
    assert_true(tpi_chain_condition(jacobian, 6) > 1e6);
    tpi_mechanism_destroy(m);
}

/* A head has two columns: its condition is that of two singular values. */
static void a_short_chain_has_a_condition(void **state)
{
    tpi_mechanism *m = robot_of("pioneer.urdf");
    double values[TPI_MOST_DOFS] = {0}, jacobian[6 * TPI_CHAIN_DOFS];
    tpi_chain chain;
    tpi_spatial tip;

    (void)state;
    tpi_chain_init(&chain, m, tpi_mechanism_link(m, "camera"), NULL, NULL);
    assert_int_equal(chain.column_count, 2);
    tpi_chain_jacobian(&chain, values, jacobian, &tip);
    assert_near(tpi_chain_condition(jacobian, 2), 1, 1e-9); /* both turn the camera where it is */
    assert_true(isinf(tpi_chain_condition(jacobian, 0)));
    memset(jacobian, 0, sizeof jacobian);
    jacobian[0] = 3; /* two columns of which one does nothing */
    assert_true(isinf(tpi_chain_condition(jacobian, 2)));
    tpi_mechanism_destroy(m);
}

static void speeds_of_columns_make_a_twist(void **state)
{
    static const double twist[6] = {0.1, -0.2, 0.05, 0.3, 0.1, -0.1};
    const bool fixed[6] = {false, false, true, false, false, false};
    tpi_mechanism *m = robot_of("puma560.urdf");
    double values[TPI_MOST_DOFS] = {0.3, 0.7, -2.2, 0.4, 0.9, 0.1}, jacobian[36], speeds[6];
    tpi_chain chain;
    tpi_spatial tip;

    (void)state;
    tpi_chain_init(&chain, m, tpi_mechanism_link(m, "flange"), NULL, NULL);
    tpi_chain_jacobian(&chain, values, jacobian, &tip);
    tpi_chain_solve(jacobian, 6, NULL, twist, 0, speeds);
    for (unsigned i = 0; i < 6; i++) {
        double made = 0;

        for (unsigned k = 0; k < 6; k++) {
            made += jacobian[6 * i + k] * speeds[k];
        }
        assert_near(made, twist[i], 1e-9);
    }
    tpi_chain_solve(jacobian, 6, fixed, twist, 1e-6, speeds);
    assert_true(speeds[2] == 0);
    /* The rest is at right angles to what the other columns can do. */
    for (unsigned k = 0; k < 6; k++) {
        double along = 0;

        for (unsigned i = 0; i < 6; i++) {
            double rest = twist[i];

            for (unsigned j = 0; j < 6; j++) {
                rest -= jacobian[6 * i + j] * speeds[j];
            }
            along += fixed[k] ? 0 : jacobian[6 * i + k] * rest;
        }
        assert_near(along, 0, 1e-5);
    }
    tpi_mechanism_destroy(m);
}

/* ---- Inverse ---- */

static bool is_within_limits(const tpi_mechanism *m, const double *values)
{
    for (unsigned i = 0; i < m->dof_count; i++) {
        if (!(values[i] >= m->dofs[i].lower && values[i] <= m->dofs[i].upper)) {
            return false;
        }
    }
    return true;
}

static void the_arm_reaches_what_it_can_reach(void **state)
{
    tpi_mechanism *m = robot_of("puma560.urdf");
    tpi_chain chain;
    uint64_t seed = 4;

    (void)state;
    tpi_chain_init(&chain, m, tpi_mechanism_link(m, "flange"), NULL, NULL);
    for (int i = 0; i < 300; i++) {
        double values[TPI_MOST_DOFS], found[TPI_MOST_DOFS] = {0};
        tpi_spatial goal, tip;

        pose_values(m, values, &seed);
        tpi_chain_forward(&chain, values, &goal);
        assert_int_equal(tpi_chain_inverse(&chain, &goal, found, NULL), TP_OK);
        assert_true(is_within_limits(m, found));
        tpi_chain_forward(&chain, found, &tip);
        for (int k = 0; k < 3; k++) {
            assert_near(tip.p[k], goal.p[k], 2e-6);
        }
        for (int k = 0; k < 9; k++) {
            assert_near(tip.r[k], goal.r[k], 2e-6);
        }
    }
    tpi_mechanism_destroy(m);
}

/* From a place beside the goal the nearest solution is found, and fixed columns stay. */
static void the_inverse_can_stay_near_and_leave_columns_alone(void **state)
{
    const double start[6] = {0.3, 0.7, -2.2, 0.4, 0.9, 0.1};
    const bool fixed[6] = {true, false, false, false, false, false};
    tpi_inverse_options o = {.here = true};
    tpi_mechanism *m = robot_of("puma560.urdf");
    double values[TPI_MOST_DOFS] = {0}, found[TPI_MOST_DOFS] = {0};
    tpi_chain chain;
    tpi_spatial goal;

    (void)state;
    tpi_chain_init(&chain, m, tpi_mechanism_link(m, "flange"), NULL, NULL);
    for (int k = 0; k < 6; k++) {
        found[k] = start[k];
        values[k] = start[k] + 0.05 * (k % 3);
    }
    tpi_chain_forward(&chain, values, &goal);
    assert_int_equal(tpi_chain_inverse(&chain, &goal, found, &o), TP_OK);
    for (int k = 0; k < 6; k++) {
        assert_near(found[k], values[k], 1e-4);
    }
    memcpy(found, start, sizeof start);
    found[0] = 0.31; /* the waist is needed: without it the goal is out of reach, also elsewhere */
    o = (tpi_inverse_options){.fixed = fixed, .restarts = 5};
    assert_int_equal(tpi_chain_inverse(&chain, &goal, found, &o), TP_E_RANGE);
    assert_true(found[0] == 0.31);
    found[0] = values[0];
    assert_int_equal(tpi_chain_inverse(&chain, &goal, found, &o), TP_OK);
    assert_true(found[0] == values[0]);
    goal.p[0] = 9;
    memcpy(found, start, sizeof start);
    o = (tpi_inverse_options){.here = true, .restarts = 50};
    assert_int_equal(tpi_chain_inverse(&chain, &goal, found, &o), TP_E_RANGE);
    tpi_mechanism_destroy(m);
}

static void what_is_out_of_reach_is_reported(void **state)
{
    tpi_mechanism *m = robot_of("puma560.urdf");
    double first[TPI_MOST_DOFS] = {0}, again[TPI_MOST_DOFS] = {0};
    tpi_spatial far_away = tpi_spatial_identity();
    const tpi_inverse_options few = {.restarts = 3};
    tpi_chain chain;

    (void)state;
    far_away.p[0] = 5;
    tpi_chain_init(&chain, m, tpi_mechanism_link(m, "flange"), NULL, NULL);
    assert_int_equal(tpi_chain_inverse(&chain, &far_away, first, &few), TP_E_RANGE);
    assert_true(is_within_limits(m, first));
    assert_int_equal(tpi_chain_inverse(&chain, &far_away, again, &few), TP_E_RANGE);
    assert_memory_equal(first, again, sizeof first); /* the same in every run */
    tpi_mechanism_destroy(m);
}

/* A joint of 4 to 6 rad is far from 0, and both its ends are used. */
static const char far_joint[] =
    "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"revolute\">"
    "<parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 1\"/>"
    "<limit lower=\"4\" upper=\"6\"/></joint></robot>";

static void limits_far_from_0_are_kept(void **state)
{
    tpi_mechanism *m = NULL;
    tpi_chain chain;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_urdf_read(&m, far_joint, sizeof far_joint - 1, "far", &err), TP_OK);
    assert_int_equal(tpi_chain_init(&chain, m, 1, NULL, &err), TP_OK);
    for (double angle = 4; angle <= 6; angle += 0.1) {
        double found[TPI_MOST_DOFS] = {0};
        tpi_spatial goal = tpi_spatial_identity();

        tpi_rotation_of_rpy(goal.r, 0, 0, angle);
        assert_int_equal(tpi_chain_inverse(&chain, &goal, found, NULL), TP_OK);
        assert_near(found[0], angle, 1e-6);
    }
    tpi_mechanism_destroy(m);
}

/* l turns by twice as much as k, and has the narrower limits. */
static const char mimicking[] =
    "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>"
    "<joint name=\"k\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>"
    "<limit lower=\"-3\" upper=\"3\"/></joint>"
    "<joint name=\"l\" type=\"revolute\"><parent link=\"a\"/><child link=\"c\"/>"
    "<limit lower=\"-1\" upper=\"1\"/><mimic joint=\"k\" multiplier=\"2\" offset=\"%s\"/></joint>"
    "</robot>";

static tp_status turn_to(const char *offset, double angle, double *values)
{
    char text[800];
    tpi_mechanism *m = NULL;
    tpi_chain chain;
    tpi_spatial goal = tpi_spatial_identity();
    tp_error err = {0};

    snprintf(text, sizeof text, mimicking, offset);
    assert_int_equal(tpi_urdf_read(&m, text, strlen(text), "mimic", &err), TP_OK);
    assert_int_equal(tpi_chain_init(&chain, m, 1, NULL, &err), TP_OK);
    tpi_rotation_of_rpy(goal.r, angle, 0, 0);
    const tp_status status = tpi_chain_inverse(&chain, &goal, values, NULL);
    tpi_mechanism_destroy(m);
    return status;
}

static void limits_of_followers_are_kept(void **state)
{
    double values[2] = {0};

    (void)state;
    assert_int_equal(turn_to("0", 0.4, values), TP_OK);
    assert_near(values[1], 0.8, 3e-6);
    assert_int_equal(turn_to("0", 1.2, values), TP_E_RANGE); /* l would be at 2.4 */
    assert_near(values[0], 0.5, 1e-12);
    assert_int_equal(turn_to("9", 0.4, values), TP_E_RANGE); /* nothing is within both limits */
}

static void a_goal_that_is_no_number_is_out_of_reach(void **state)
{
    tpi_mechanism *m = robot_of("puma560.urdf");
    double values[TPI_MOST_DOFS] = {0.1, 0.2};
    tpi_spatial goal = tpi_spatial_identity();
    tpi_chain chain;

    (void)state;
    goal.p[1] = (double)NAN;
    assert_int_equal(tpi_chain_init(&chain, m, tpi_mechanism_link(m, "flange"), NULL, NULL), TP_OK);
    assert_int_equal(tpi_chain_inverse(&chain, &goal, values, NULL), TP_E_RANGE);
    assert_true(is_within_limits(m, values));
    tpi_mechanism_destroy(m);
}

static void a_chain_has_at_most_64_dofs(void **state)
{
    tpi_mechanism *m = NULL;
    tpi_buf text = {0};
    tpi_chain chain;
    tp_error err = {0};

    (void)state;
    tpi_buf_puts(&text, "<robot name=\"r\"><link name=\"l0\"/>");
    for (int i = 1; i <= TPI_CHAIN_DOFS + 1; i++) {
        tpi_buf_printf(&text,
                       "<link name=\"l%d\"/><joint name=\"j%d\" type=\"continuous\"><parent "
                       "link=\"l%d\"/><child link=\"l%d\"/></joint>",
                       i, i, i - 1, i);
    }
    tpi_buf_puts(&text, "</robot>");
    assert_int_equal(tpi_urdf_read(&m, text.data, text.length, "x", &err), TP_OK);
    assert_int_equal(tpi_chain_init(&chain, m, TPI_CHAIN_DOFS, NULL, &err), TP_OK);
    assert_int_equal(tpi_chain_init(&chain, m, TPI_CHAIN_DOFS + 1, NULL, &err), TP_E_LIMIT);
    assert_string_equal(err.text, "the chain to link l65 has over 64 dofs");
    tpi_mechanism_destroy(m);
    tpi_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_go_there_and_back),
        cmocka_unit_test(a_half_turn_has_its_axis),
        cmocka_unit_test(the_arm_agrees_with_its_published_parameters),
        cmocka_unit_test(the_eye_looks_where_pan_and_tilt_say),
        cmocka_unit_test(the_jacobian_is_the_derivative),
        cmocka_unit_test(our_robots_agree_with_kdl),
        cmocka_unit_test(a_stretched_arm_is_singular),
        cmocka_unit_test(a_short_chain_has_a_condition),
        cmocka_unit_test(speeds_of_columns_make_a_twist),
        cmocka_unit_test(the_arm_reaches_what_it_can_reach),
        cmocka_unit_test(the_inverse_can_stay_near_and_leave_columns_alone),
        cmocka_unit_test(what_is_out_of_reach_is_reported),
        cmocka_unit_test(limits_far_from_0_are_kept),
        cmocka_unit_test(limits_of_followers_are_kept),
        cmocka_unit_test(a_goal_that_is_no_number_is_out_of_reach),
        cmocka_unit_test(a_chain_has_at_most_64_dofs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
