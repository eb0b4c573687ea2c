/* imu_test.c - accelerations and rates on straight lines and circles. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

static void near(double a, double b, double error)
{
    if (!(fabs(a - b) <= error)) {
        fail_msg("%.12g is not %.12g", a, b);
    }
}

static tpi_sim_inertia read_imu(const tpi_sim *sim, const char *name)
{
    tpi_sim_inertia inertia;

    assert_int_equal(tpi_sim_get_inertia(sim, sim_named(sim, name), &inertia, NULL), TP_OK);
    assert_true(inertia.time_us == tpi_sim_time_us(sim));
    return inertia;
}

static void drive(tpi_sim *sim, double x, double y, double a)
{
    const double goal[3] = {x, y, a};

    assert_int_equal(tpi_sim_drive(sim, sim_named(sim, "r"), TPI_SIM_DRIVE_VELOCITY, goal, NULL),
                     TP_OK);
}

#define ROBOT                                                                                      \
    "position ( name \"r\" pose [0 0 0 30] alwayson 1 drive \"omni\"\n"                            \
    "  velocity_bounds [-5 5 -5 5 0 0 -180 180] "

static void at_rest_only_gravity_is_felt(void **state)
{
    tpi_sim *sim = sim_make("imu ( name \"i\" pose [0 0 0 90] alwayson 1 )\n");

    (void)state;
    tpi_sim_step(sim);
    const tpi_sim_inertia i = read_imu(sim, "i");
    near(i.acceleration[0], 0, 0);
    near(i.acceleration[1], 0, 0);
    near(i.acceleration[2], 9.80665, 0);
    near(i.rate[2], 0, 0);
    near(i.heading, SIM_PI / 2, 0);
    near(i.field[0], 0.5, 1e-12); /* it points north; the field dips by 60 degrees */
    near(i.field[1], 0, 1e-12);
    near(i.field[2], -sqrt(3) / 2, 1e-12);
    tpi_sim_destroy(sim);
}

static void a_push_ahead_is_felt_once(void **state)
{
    tpi_sim *sim = sim_make(ROBOT "imu ( alwayson 1 ) imu ( alwayson 1 pose [0 0 0 -90] ) )\n");

    (void)state;
    drive(sim, 1, 0, 0);
    tpi_sim_step(sim); /* from 0 to 1 m/s in a tenth of a second */
    near(read_imu(sim, "r.imu:0").acceleration[0], 10, 1e-9);
    near(read_imu(sim, "r.imu:0").acceleration[1], 0, 1e-9);
    near(read_imu(sim, "r.imu:1").acceleration[0], 0, 1e-9); /* it looks to the right */
    near(read_imu(sim, "r.imu:1").acceleration[1], 10, 1e-9);
    tpi_sim_step(sim);
    near(read_imu(sim, "r.imu:0").acceleration[0], 0, 1e-9);
    tpi_sim_destroy(sim);
}

/* On a circle with the speed v and the rate w, the pull inwards is v w. */
static void a_circle_pulls_inwards(void **state)
{
    tpi_sim *sim = sim_make(ROBOT "imu ( alwayson 1 )\n"
                                  "  imu ( alwayson 1 pose [0.5 0 0 0] )\n"
                                  "  imu ( alwayson 1 pose [0 2 0 0] ) )\n");

    (void)state;
    drive(sim, 2, 0, 1);
    sim_steps(sim, 5);
    near(read_imu(sim, "r.imu:0").rate[2], 1, 1e-9);
    near(read_imu(sim, "r.imu:0").acceleration[0], 0, 1e-9);
    near(read_imu(sim, "r.imu:0").acceleration[1], 2, 1e-9);
    near(read_imu(sim, "r.imu:1").acceleration[0], -0.5, 1e-9); /* away from the middle: w^2 r */
    near(read_imu(sim, "r.imu:1").acceleration[1], 2, 1e-9);
    near(read_imu(sim, "r.imu:2").acceleration[0], 0, 1e-9);
    near(read_imu(sim, "r.imu:2").acceleration[1], 0, 1e-9); /* the middle of the circle */
    near(read_imu(sim, "r.imu:2").rate[2], 1, 1e-9);
    tpi_sim_destroy(sim);
}

static void sideways_and_with_a_limit(void **state)
{
    tpi_sim *sim = sim_make(
        ROBOT "acceleration_bounds [-0.5 0.5 -0.25 0.25 0 0 -90 90] imu ( alwayson 1 ) )\n");

    (void)state;
    drive(sim, 1, -1, 0);
    sim_steps(sim, 10);
    near(read_imu(sim, "r.imu:0").acceleration[0], 0.5, 1e-9);
    near(read_imu(sim, "r.imu:0").acceleration[1], -0.25, 1e-9);
    tpi_sim_destroy(sim);
}

static void the_first_reading_is_right(void **state)
{
    tpi_sim *sim = sim_make(ROBOT "imu ( pose [0.5 0 0 90] ) )\n");
    const tpi_sim_model imu = sim_named(sim, "r.imu:0");

    (void)state;
    drive(sim, 2, 0, 1);
    sim_steps(sim, 20);
    for (int i = 0; i < 3; i++) { /* it looks to the left, half a metre ahead of the middle */
        tpi_sim_subscribe(sim, imu);
        for (int k = 0; k < 3; k++) {
            tpi_sim_step(sim);
            near(read_imu(sim, "r.imu:0").rate[2], 1, 1e-9);
            near(read_imu(sim, "r.imu:0").acceleration[0], 2, 1e-9);
            near(read_imu(sim, "r.imu:0").acceleration[1], 0.5, 1e-9);
        }
        tpi_sim_unsubscribe(sim, imu);
        sim_steps(sim, 10);
    }
    tpi_sim_destroy(sim);
}

/* Who is put elsewhere by hand has not been pushed there, and goes on as before. */
static void being_put_elsewhere_is_no_motion(void **state)
{
    tpi_sim *sim = sim_make(ROBOT "imu ( pose [0.5 0 0 90] alwayson 1 ) )\n");

    (void)state;
    drive(sim, 2, 0, 1);
    sim_steps(sim, 20);
    for (int i = 0; i < 3; i++) {
        sim_put(sim, "r", 1000 * i, -500, i);
        tpi_sim_step(sim);
        near(read_imu(sim, "r.imu:0").rate[2], 1, 1e-9);
        near(read_imu(sim, "r.imu:0").acceleration[0], 2, 1e-9);
        near(read_imu(sim, "r.imu:0").acceleration[1], 0.5, 1e-9);
    }
    tpi_sim_destroy(sim);
}

static void a_robot_that_begins_at_speed_is_not_pushed(void **state)
{
    tpi_sim *sim = sim_make(ROBOT "velocity [2 0 0 0] imu ( alwayson 1 ) )\n");

    (void)state;
    tpi_sim_step(sim);
    near(read_imu(sim, "r.imu:0").acceleration[0], 0, 1e-9);
    tpi_sim_destroy(sim);
}

static void noise_and_bias(void **state)
{
    tpi_sim *sim =
        sim_make("imu ( name \"n\" alwayson 1 accel_noise 0.1 gyro_noise 2 )\n"
                 "imu ( name \"b\" alwayson 1 accel_bias 0.2 gyro_bias 5 magn_bias 0.1 )\n");
    double square = 0;
    double turn = 0;
    const int count = 2000;

    (void)state;
    for (int i = 0; i < count; i++) {
        tpi_sim_step(sim);
        const tpi_sim_inertia n = read_imu(sim, "n");
        square += n.acceleration[0] * n.acceleration[0];
        turn += n.rate[2] * n.rate[2];
    }
    near(sqrt(square / count), 0.1, 0.01);
    near(sqrt(turn / count), 2 * SIM_PI / 180, 0.003);
    const tpi_sim_inertia b = read_imu(sim, "b");
    tpi_sim_step(sim);
    assert_true(b.acceleration[0] == read_imu(sim, "b").acceleration[0]);
    assert_true(b.acceleration[0] != 0 && fabs(b.acceleration[0]) <= 0.2);
    assert_true(b.rate[2] != 0 && fabs(b.rate[2]) <= 5 * SIM_PI / 180);
    assert_true(b.acceleration[0] != b.acceleration[1]);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_only_gravity_is_felt),
        cmocka_unit_test(a_push_ahead_is_felt_once),
        cmocka_unit_test(a_circle_pulls_inwards),
        cmocka_unit_test(sideways_and_with_a_limit),
        cmocka_unit_test(the_first_reading_is_right),
        cmocka_unit_test(being_put_elsewhere_is_no_motion),
        cmocka_unit_test(a_robot_that_begins_at_speed_is_not_pushed),
        cmocka_unit_test(noise_and_bias),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
