/* button_test.c - buttons that are touched, driven over, or pressed by hand. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

static bool is_pressed(const tpi_sim *sim, const char *name)
{
    tpi_sim_button button;

    assert_int_equal(tpi_sim_get_button(sim, sim_named(sim, name), &button, NULL), TP_OK);
    return button.pressed;
}

static bool is_pressed_at(tpi_sim *sim, const char *robot, double x, double y, const char *name)
{
    sim_put(sim, robot, x, y, 0);
    tpi_sim_step(sim);
    return is_pressed(sim, name);
}

static void a_touch_sensor_on_a_robot(void **state)
{
    tpi_sim *sim = sim_make(
        "position ( name \"r\" size [0.2 0.2 0.1] stack_children 0\n"
        "  button ( name \"nose\" pose [0.11 0 0.02 0] alwayson 1 ) )\n" /* up to x + 0.12 */
        "model ( pose [1.5 0 0 0] size [1 1 1] )\n"                      /* from x = 1 */
        "model ( pose [-1.5 0 0.05 0] size [1 1 1] )\n"); /* up to x = -1, but above the button */

    (void)state;
    assert_false(is_pressed_at(sim, "r", 0.869, 0, "r.nose")); /* 11 mm */
    assert_true(is_pressed_at(sim, "r", 0.871, 0, "r.nose"));  /* 9 mm */
    assert_false(is_pressed_at(sim, "r", -1.13, 0, "r.nose"));
    tpi_sim_destroy(sim);
}

static void a_plate_that_robots_drive_over(void **state)
{
    tpi_sim *sim = sim_make(
        "button ( name \"plate\" size [0.1 0.1 0.01] obstacle_return 0 alwayson 1 reach 0 )\n"
        "position ( name \"r\" size [0.5 0.5 0.1] )\n");

    (void)state;
    assert_true(is_pressed_at(sim, "r", 0, 0, "plate"));     /* it is wholly below the robot */
    assert_true(is_pressed_at(sim, "r", 0.29, 0, "plate"));  /* 1 cm of it */
    assert_false(is_pressed_at(sim, "r", 0.31, 0, "plate")); /* 1 cm beside it */
    const tpi_sim_pose above = {.z = 0.02};
    assert_int_equal(tpi_sim_set_pose(sim, sim_named(sim, "r"), &above, NULL), TP_OK);
    tpi_sim_step(sim);
    assert_false(is_pressed(sim, "plate")); /* 1 cm above it */
    tpi_sim_destroy(sim);
}

static void by_hand_at_once(void **state)
{
    tpi_sim *sim = sim_make("button ( name \"b\" )\n");
    const tpi_sim_model model = sim_named(sim, "b");
    const uint64_t before = tpi_sim_hash(sim);
    tpi_sim_button button;
    tp_error err;

    (void)state;
    assert_int_equal(tpi_sim_press(sim, model, true, NULL), TP_OK);
    assert_int_equal(tpi_sim_get_button(sim, model, &button, NULL), TP_OK);
    assert_true(button.pressed && button.held && button.time_us == -1);
    assert_true(tpi_sim_hash(sim) != before);
    assert_int_equal(tpi_sim_press(sim, model, false, NULL), TP_OK);
    assert_false(is_pressed(sim, "b"));
    assert_true(tpi_sim_hash(sim) == before);
    assert_int_equal(tpi_sim_press(sim, 1, true, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no button");
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_touch_sensor_on_a_robot),
        cmocka_unit_test(a_plate_that_robots_drive_over),
        cmocka_unit_test(by_hand_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
