/* twist_test.c - speeds of dofs for a twist of a control frame, one period after the other. */
#include <string.h>

#include "motion/twist.h"
#include "support/kinematics.h"

/* An arm of two links of 1 m in a plane. The second joint turns twice as far as the first. */
static const char folding[] =
    "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/><link name=\"tip\"/>"
    "<joint name=\"k\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 "
    "1\"/>"
    "<limit lower=\"-3\" upper=\"3\" velocity=\"9\" effort=\"9\"/></joint>"
    "<joint name=\"l\" type=\"revolute\"><parent link=\"b\"/><child link=\"c\"/><axis xyz=\"0 0 "
    "1\"/>"
    "<origin xyz=\"1 0 0\"/><limit lower=\"-6\" upper=\"6\" velocity=\"18\" effort=\"9\"/>"
    "<mimic joint=\"k\" multiplier=\"2\"/></joint>"
    "<joint name=\"m\" type=\"fixed\"><parent link=\"c\"/><child link=\"tip\"/>"
    "<origin xyz=\"1 0 0\"/></joint></robot>";

/* What the tip of this arm does per radian of the first joint, by hand: x' and y'. */
static void slope_at(double angle, double out[2])
{
    out[0] = -sin(angle) - 3 * sin(3 * angle);
    out[1] = cos(angle) + 3 * cos(3 * angle);
}

/* The speeds of a period are those of its middle, also where a dof follows another one: there it
 * has gone twice as far as the one that it follows. */
static void a_dof_that_follows_is_in_the_middle_of_the_period_too(void **state)
{
    const tpi_motion_limits limits = {.lower = -3, .upper = 3, .velocity = 9, .acceleration = 1000};
    const double start = 0.3, speed = 1, period_s = 0.2;
    const double middle = start + speed * period_s / 2;
    const bool fixed[TPI_CHAIN_DOFS] = {false};
    double values[TPI_MOST_DOFS] = {start, 2 * start}, speeds[TPI_CHAIN_DOFS] = {speed}, slope[2];
    tpi_mechanism *m = NULL;
    tpi_chain chain;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_urdf_read(&m, folding, strlen(folding), "folding", &err), TP_OK);
    assert_int_equal(tpi_chain_init(&chain, m, tpi_mechanism_link(m, "tip"), NULL, &err), TP_OK);
    assert_int_equal(chain.column_count, 1);
    slope_at(middle, slope);
    const tpi_motion_twist what = {.chain = &chain,
                                   .fixed = fixed,
                                   .limits = &limits,
                                   .values = values,
                                   .twist = {0.8 * slope[0], 0.8 * slope[1], 0, 0, 0, 0.8 * 3},
                                   .period_s = period_s};
    assert_true(tpi_motion_twist_step(&what, speeds)); /* the frame moves as asked for */
    assert_near(speeds[0], 0.8, 1e-4);
    assert_near(values[1], 2 * middle, 1e-12);
    tpi_mechanism_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dof_that_follows_is_in_the_middle_of_the_period_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
