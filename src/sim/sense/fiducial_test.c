/* fiducial_test.c - what fiducial finders see and what hides it. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

static tpi_sim_fiducials look(tpi_sim *sim, const char *name)
{
    tpi_sim_fiducials found;

    tpi_sim_step(sim);
    assert_int_equal(tpi_sim_get_fiducials(sim, sim_named(sim, name), &found, NULL), TP_OK);
    assert_true(found.time_us == tpi_sim_time_us(sim));
    return found;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9)) {
        fail_msg("%.12g is not %.12g", a, b);
    }
}

/* The finder is 1 m east of the origin and looks north. */
#define FINDER "fiducial ( name \"f\" pose [1 0 0.1 90] alwayson 1 "

static void range_bearing_and_pose_are_exact(void **state)
{
    tpi_sim *sim =
        sim_make(FINDER ")\n"
                        "model ( pose [-2 4 0 120] size [0.2 0.3 1] fiducial_return 7 )\n");
    const tpi_sim_fiducials found = look(sim, "f");

    (void)state;
    assert_int_equal(found.count, 1);
    near(found.items[0].range, 5);
    near(found.items[0].bearing, atan2(3, 4)); /* to the left */
    near(found.items[0].pose.x, 4);
    near(found.items[0].pose.y, 3);
    near(found.items[0].pose.z, -0.1);
    near(found.items[0].pose.a, SIM_PI / 6);
    near(found.items[0].size[1], 0.3);
    assert_int_equal(found.items[0].id, 0); /* five metres is too far to be read */
    tpi_sim_destroy(sim);
}

static void ranges_and_view_are_limits(void **state)
{
    tpi_sim *sim = sim_make(FINDER "range_max 4 range_max_id 2 range_min 1 fov 90 )\n"
                                   "define m model ( size [0.1 0.1 1] )\n"
                                   "m ( name \"m\" fiducial_return 7 )\n");
    const struct {
        double x, y;
        int count, id;
    } cases[] = {
        {1, 3.99, 1, 0},     {1, 4.01, 0, 0},     {1, 1.99, 1, 7},     {1, 2.01, 1, 0},
        {1, 0.99, 0, 0},     {1, 1.01, 1, 7},     {1 + 1.99, 2, 1, 0}, {1 + 2.01, 2, 0, 0},
        {1 - 2, 2.01, 1, 0}, {1 - 2, 1.99, 0, 0}, {1, -1.5, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_put(sim, "m", cases[i].x, cases[i].y, 0);
        const tpi_sim_fiducials found = look(sim, "f");
        assert_int_equal(found.count, cases[i].count);
        if (found.count > 0) {
            assert_int_equal(found.items[0].id, cases[i].id);
        }
    }
    tpi_sim_destroy(sim);
}

static void keys_have_to_match_and_the_nearest_come_first(void **state)
{
    tpi_sim *sim = sim_make(FINDER "fiducial_key 3 )\n"
                                   "define m model ( size [0.1 0.1 1] fiducial_key 3 )\n"
                                   "m ( pose [1 3 0 0] fiducial_return 3 )\n"
                                   "m ( pose [2 2 0 0] fiducial_return 2 )\n"
                                   "m ( pose [0.5 1 0 0] fiducial_return 1 )\n"
                                   "m ( pose [0 1 0 0] fiducial_return 4 fiducial_key 0 )\n"
                                   "m ( pose [0 2 0 0] )\n");
    const tpi_sim_fiducials found = look(sim, "f");

    (void)state;
    assert_int_equal(found.count, 3);
    assert_int_equal(found.items[0].id, 1);
    assert_int_equal(found.items[1].id, 2);
    assert_int_equal(found.items[2].id, 3);
    tpi_sim_destroy(sim);
}

static uint32_t count_with(const char *things)
{
    tpi_buf text = {0};

    tpi_buf_printf(&text, FINDER ")\n%s", things);
    tpi_sim *sim = sim_make(tpi_buf_text(&text));
    const uint32_t count = look(sim, "f").count;
    tpi_sim_destroy(sim);
    tpi_buf_fini(&text);
    return count;
}

#define TARGET "size [0.2 0.2 1] pose [1 3 0 0] fiducial_return 5"

static void what_is_in_the_way_hides(void **state)
{
    (void)state;
    assert_int_equal(count_with("model ( " TARGET " )"), 1);
    assert_int_equal(count_with("model ( " TARGET " ) model ( pose [1 2 0 0] )"), 0);
    assert_int_equal(count_with("model ( " TARGET " ) model ( pose [1.3 2 0 0] )"), 1);
    assert_int_equal(count_with("model ( " TARGET " ) model ( pose [1 2 0.11 0] )"), 1);
    assert_int_equal(count_with("model ( " TARGET " ) model ( pose [1 2 0 0] ranger_return -1 )"),
                     0);
    assert_int_equal(count_with("model ( " TARGET " ) position ( pose [1 2 0 0] )"), 0);
    assert_int_equal(
        count_with("model ( " TARGET " ) position ( pose [1 2 0 0] size [.1 .1 .09] )"), 1);
    assert_int_equal(count_with("model ( " TARGET " ) model ( pose [1 4 0 0] )"), 1);
    /* not the target's own sensors */
    assert_int_equal(count_with("model ( " TARGET " model ( pose [0 -0.5 -1 0] ) )"), 1);
    assert_int_equal(count_with("position ( " TARGET " model ( pose [0 -0.5 -1 0] ) )"), 1);
}

static void heights_count_unless_ignored(void **state)
{
    (void)state;
    assert_int_equal(count_with("model ( size [.2 .2 .05] pose [1 3 0 0] fiducial_return 5 )"), 0);
    assert_int_equal(count_with("model ( size [.2 .2 .05] pose [1 3 0.08 0] fiducial_return 5 )"),
                     1);
    assert_int_equal(count_with("model ( noblocks 1 pose [1 3 0 0] fiducial_return 5 )"), 1);
    tpi_sim *sim = sim_make(FINDER "ignore_zloc 1 )\n"
                                   "model ( size [.2 .2 .05] pose [1 3 0 0] fiducial_return 5 )\n"
                                   "model ( size [.2 .2 .05] pose [-1 3 0 0] fiducial_return 6 )\n"
                                   "model ( pose [0 1.5 0 0] )\n"); /* before the second */
    const tpi_sim_fiducials found = look(sim, "f");
    assert_int_equal(found.count, 1);
    assert_int_equal(found.items[0].id, 5);
    tpi_sim_destroy(sim);
}

static void finders_show_markers_too(void **state)
{
    tpi_sim *sim = sim_make("define rob position ( size [0.3 0.3 0.2]\n"
                            "  fiducial ( alwayson 1 fov 360 ) )\n"
                            "rob ( name \"a\" ) rob ( name \"b\" pose [2 0 0 180] )\n");
    const tpi_sim_model b = sim_named(sim, "b.fiducial:0");
    int32_t id = -1;
    tp_error err;

    (void)state;
    assert_int_equal(look(sim, "a.fiducial:0").count, 0);
    assert_int_equal(tpi_sim_set_fiducial_id(sim, b, 9, NULL), TP_OK);
    assert_int_equal(tpi_sim_get_fiducial_id(sim, b, &id, NULL), TP_OK);
    assert_int_equal(id, 9);
    const tpi_sim_fiducials found = look(sim, "a.fiducial:0");
    assert_int_equal(found.count, 1);
    assert_int_equal(found.items[0].id, 9);
    near(found.items[0].range, 2);
    near(fabs(found.items[0].pose.a), SIM_PI);
    assert_int_equal(look(sim, "b.fiducial:0").count, 0); /* not its own */
    assert_int_equal(tpi_sim_set_fiducial_id(sim, b - 1, 9, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no fiducial");
    tpi_sim_destroy(sim);
}

static void the_view_can_be_changed(void **state)
{
    tpi_sim *sim = sim_make(FINDER ")\nmodel ( " TARGET " )\n");
    const tpi_sim_model f = sim_named(sim, "f");
    tpi_sim_fiducial_view view;
    tp_error err;

    (void)state;
    assert_int_equal(look(sim, "f").count, 1);
    assert_int_equal(tpi_sim_get_fiducial_view(sim, f, &view, NULL), TP_OK);
    assert_true(view.range_max == 8 && view.range_max_id == 5 && view.fov == SIM_PI);
    view.range_max = 2.5;
    assert_int_equal(tpi_sim_set_fiducial_view(sim, f, &view, NULL), TP_OK);
    assert_int_equal(look(sim, "f").count, 0);
    view.range_min = 3;
    assert_int_equal(tpi_sim_set_fiducial_view(sim, f, &view, &err), TP_E_INVALID);
    assert_string_equal(err.text, "the minimum range 3 m is above the maximum range 2.5 m");
    view.range_min = 0;
    view.fov = NAN;
    assert_int_equal(tpi_sim_set_fiducial_view(sim, f, &view, &err), TP_E_INVALID);
    assert_string_equal(err.text, "a fiducial finder cannot see that far or wide");
    tpi_sim_destroy(sim);
}

static void of_very_many_the_nearest_are_seen(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "fiducial ( name \"f\" alwayson 1 fov 360 )\n");
    for (int i = 0; i < 100; i++) { /* on a spiral, the farthest first */
        const double r = 4 - i * 0.02;
        tpi_buf_printf(&text,
                       "model ( pose [%.6f %.6f 0 0] size [.01 .01 1] fiducial_return %d )\n",
                       r * cos(i * 0.0628), r * sin(i * 0.0628), 100 - i);
    }
    tpi_sim *sim = sim_make(tpi_buf_text(&text));
    const tpi_sim_fiducials found = look(sim, "f");
    assert_int_equal(found.count, TPI_SIM_MOST_FIDUCIALS);
    for (uint32_t i = 0; i < found.count; i++) {
        assert_int_equal(found.items[i].id, i + 1);
    }
    tpi_sim_destroy(sim);
    tpi_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(range_bearing_and_pose_are_exact),
        cmocka_unit_test(ranges_and_view_are_limits),
        cmocka_unit_test(keys_have_to_match_and_the_nearest_come_first),
        cmocka_unit_test(what_is_in_the_way_hides),
        cmocka_unit_test(heights_count_unless_ignored),
        cmocka_unit_test(finders_show_markers_too),
        cmocka_unit_test(the_view_can_be_changed),
        cmocka_unit_test(of_very_many_the_nearest_are_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
