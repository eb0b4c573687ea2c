/* blobfinder_test.c - blobs whose columns and rows follow from angles. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

static tpi_sim_blobs look(tpi_sim *sim)
{
    tpi_sim_blobs blobs;

    tpi_sim_step(sim);
    assert_int_equal(tpi_sim_get_blobs(sim, sim_named(sim, "f"), &blobs, NULL), TP_OK);
    assert_true(blobs.time_us == tpi_sim_time_us(sim));
    return blobs;
}

/* 61 columns over 60 degrees: column i looks at 30 - i degrees. */
#define FINDER "blobfinder ( name \"f\" pose [0 0 0.5 0] image [61 40] alwayson 1 "

/* From -2 to 2 degrees at 4 m, as a thin plate that is 0.6 m high and centred at 0.5 m. */
static void a_plate_ahead(void **state)
{
    tpi_sim *sim =
        sim_make(FINDER ")\n"
                        "model ( pose [4 0 0.2 0] size [0.001 0.29 0.6] color \"blue\" )\n");
    const tpi_sim_blobs blobs = look(sim);
    const double half = atan2(0.3, 4 - 0.0005) * 180 / SIM_PI; /* 4.29 degrees, 1.5 to a row */

    (void)state;
    assert_int_equal(blobs.width, 61);
    assert_int_equal(blobs.height, 40);
    assert_int_equal(blobs.count, 1);
    assert_int_equal(blobs.items[0].colour, 0x0000ff);
    assert_int_equal(blobs.items[0].left, 28); /* 0.145 / 4 is 2.08 degrees */
    assert_int_equal(blobs.items[0].right, 32);
    assert_true(half / 1.5 > 2 && half / 1.5 < 3);
    assert_int_equal(blobs.items[0].top, 20 - 3);
    assert_int_equal(blobs.items[0].bottom, 20 + 2);
    /* the mean of (4 - 0.0005) / cos(-2 to 2 degrees) */
    const double c1 = cos(SIM_PI / 180);
    const double c2 = cos(SIM_PI / 90);
    assert_true(fabs(blobs.items[0].range - 3.9995 * (1 + 2 / c1 + 2 / c2) / 5) < 1e-9);
    tpi_sim_destroy(sim);
}

/* A cup on the floor before a finder that sits high: 0.6 m high and level with it, as in Stage. */
static void what_is_low_is_seen_as_if_it_were_level(void **state)
{
    tpi_sim *sim = sim_make(FINDER ")\n"
                                   "model ( pose [0.6 0 0 0] size [0.1 0.1 0.1] )\n");
    const tpi_sim_blobs blobs = look(sim);

    (void)state;
    assert_int_equal(blobs.count, 1);
    assert_int_equal(blobs.items[0].top, 0); /* 28.6 degrees at 0.55 m, 1.5 to a row */
    assert_int_equal(blobs.items[0].bottom, 39);
    tpi_sim_destroy(sim);
}

/* The same where heights count: from 36 to 42 degrees below it is out of the picture, farther away
 * it is in its lower half. */
static void heights_count_where_they_are_asked_for(void **state)
{
    tpi_sim *sim = sim_make(FINDER "heights 1 )\n"
                                   "model ( name \"m\" pose [0.6 0 0 0] size [0.1 0.1 0.1] )\n");

    (void)state;
    assert_int_equal(look(sim).count, 0);
    sim_put(sim, "m", 2.05, 0, 0);
    const tpi_sim_blobs blobs = look(sim);
    assert_int_equal(blobs.count, 1);
    assert_int_equal(blobs.items[0].top, 27);    /* 0.4 / 2 is 11.3 degrees: 7.5 rows */
    assert_int_equal(blobs.items[0].bottom, 29); /* 0.5 / 2 is 14.0 degrees: 9.4 rows */
    tpi_sim_destroy(sim);
}

static void what_is_nearer_hides_and_neighbours_of_one_colour_are_one(void **state)
{
    tpi_sim *sim =
        sim_make(FINDER ")\n"
                        "model ( pose [5 0 0 0] size [0.1 20 1] color \"green\" )\n"
                        "model ( pose [2 0.1 0 0] size [0.01 0.2 1] color \"red\" )\n"
                        "position ( pose [3 -0.2 0 0] size [0.01 0.6 1] color \"red\" )\n");
    const tpi_sim_blobs blobs = look(sim);

    (void)state;
    assert_int_equal(blobs.count, 3); /* green, both reds, green */
    assert_int_equal(blobs.items[2].colour, 0x00ff00);
    assert_int_equal(blobs.items[2].left, 0);
    assert_int_equal(blobs.items[2].right, 24);
    assert_int_equal(blobs.items[1].colour, 0xff0000);
    assert_int_equal(blobs.items[1].left, 25);  /* 0.2 / 1.995 is 5.7 degrees */
    assert_int_equal(blobs.items[1].right, 39); /* 0.5 / 2.995 is 9.5 degrees */
    assert_int_equal(blobs.items[0].left, 40);  /* they come from right to left */
    assert_int_equal(blobs.items[0].right, 60);
    tpi_sim_destroy(sim);
}

static void only_the_colours_that_are_looked_for(void **state)
{
    tpi_sim *sim = sim_make(FINDER "colors [ \"red\" \"blue\" ] colors_count 2 )\n"
                                   "model ( pose [2 0.5 0 0] size [0.1 0.3 1] color \"green\" )\n"
                                   "model ( pose [2 0 0 0] size [0.1 0.3 1] color \"blue\" )\n"
                                   "model ( pose [2 -0.5 0 0] size [0.1 0.3 1] color \"red\" )\n");
    const tpi_sim_blobs blobs = look(sim);

    (void)state;
    assert_int_equal(blobs.count, 2);
    assert_int_equal(blobs.items[0].colour, 0xff0000);
    assert_int_equal(blobs.items[0].channel, 0);
    assert_int_equal(blobs.items[1].colour, 0x0000ff);
    assert_int_equal(blobs.items[1].channel, 1);
    tpi_sim_destroy(sim);
}

static void what_has_no_blob_return_is_not_told_of_but_hides(void **state)
{
    tpi_sim *sim = sim_make(FINDER ")\n"
                                   "model ( pose [2 0 0 0] size [0.1 20 0.01] blob_return 0 )\n"
                                   "model ( pose [3 0 0 0] size [0.1 1 1] color \"blue\" )\n");

    (void)state;
    assert_int_equal(look(sim).count, 0);
    tpi_sim_destroy(sim);
}

static void range_and_pan(void **state)
{
    tpi_sim *sim = sim_make("unit_angle \"degrees\"\n" FINDER "range 3 pan 90 )\n"
                            "model ( name \"m\" pose [0 3.2 0 0] size [0.2 0.2 1] )\n");
    const tpi_sim_model f = sim_named(sim, "f");
    tpi_sim_lens lens;
    tp_error err;

    (void)state;
    assert_int_equal(look(sim).count, 0); /* its side is 3.1 m away */
    sim_put(sim, "m", 0, 3.05, 0);
    assert_int_equal(look(sim).count, 1);
    assert_int_equal(tpi_sim_get_lens(sim, f, &lens, NULL), TP_OK);
    assert_true(lens.pan == SIM_PI / 2 && lens.tilt == 0 && fabs(lens.fov - SIM_PI / 3) < 1e-12);
    lens = (tpi_sim_lens){.pan = 0, .tilt = 1, .fov = 1};
    assert_int_equal(tpi_sim_set_lens(sim, f, &lens, NULL), TP_OK);
    assert_int_equal(tpi_sim_get_lens(sim, f, &lens, NULL), TP_OK);
    assert_true(lens.pan == 0 && lens.tilt == 0 && lens.fov == 1);
    assert_int_equal(look(sim).count, 0);
    lens.pan = NAN;
    assert_int_equal(tpi_sim_set_lens(sim, f, &lens, &err), TP_E_INVALID);
    assert_string_equal(err.text, "the angles of a camera are finite");
    assert_int_equal(tpi_sim_get_lens(sim, sim_named(sim, "m"), &lens, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no camera and no blobfinder");
    tpi_sim_destroy(sim);
}

static void bad_properties_are_named(void **state)
{
    (void)state;
    sim_refuse("blobfinder ( image [0 5] )",
               "x.world:1:14: \"image\" is from 1 to 4096 pixels wide and high");
    sim_refuse("blobfinder ( fov 0 )", "x.world:1:14: \"fov\" is from 1 to 360, not 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plate_ahead),
        cmocka_unit_test(what_is_low_is_seen_as_if_it_were_level),
        cmocka_unit_test(heights_count_where_they_are_asked_for),
        cmocka_unit_test(what_is_nearer_hides_and_neighbours_of_one_colour_are_one),
        cmocka_unit_test(only_the_colours_that_are_looked_for),
        cmocka_unit_test(what_has_no_blob_return_is_not_told_of_but_hides),
        cmocka_unit_test(range_and_pan),
        cmocka_unit_test(bad_properties_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
