/* stereo_test.c - two pictures whose shift tells how far away something is. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

#define STEREO                                                                                     \
    "stereocamera ( name \"c\" pose [0 0 0.5 0] size [0.1 0.1 0.1] noblocks 1 alwayson 1 "         \
    "resolution [101 11] fov [90 10] range [0.1 20] shade 0 "

static tpi_sim_stereo look(tpi_sim *sim)
{
    tpi_sim_stereo stereo;

    tpi_sim_step(sim);
    assert_int_equal(tpi_sim_get_stereo(sim, sim_named(sim, "c"), &stereo, NULL), TP_OK);
    assert_true(stereo.left.time_us == tpi_sim_time_us(sim));
    return stereo;
}

/* The middle column of what is red in the middle row; -1 for nothing. */
static double middle_of_red(const tpi_sim_image *image)
{
    double sum = 0;
    double count = 0;

    for (uint32_t i = 0; i < image->width; i++) {
        const uint8_t *rgb = image->rgb + 3 * ((size_t)image->height / 2 * image->width + i);
        if (rgb[0] == 255 && rgb[1] == 0 && rgb[2] == 0) {
            sum += i;
            count++;
        }
    }
    return count > 0 ? sum / count : -1;
}

static void near_things_are_shifted_more(void **state)
{
    static const double away[] = {2, 4};

    (void)state;
    for (int i = 0; i < 2; i++) {
        char world[400];
        snprintf(world, sizeof world,
                 STEREO "baseline 0.4 )\nmodel ( pose [%g 0 0 0] size [0.1 0.3 2] color \"red\" )",
                 away[i] + 0.05);
        tpi_sim *sim = sim_make(world);
        const tpi_sim_stereo s = look(sim);
        const double shift = middle_of_red(&s.left) - middle_of_red(&s.right);
        const double focal = 101 / 2.0 / tan(SIM_PI / 4); /* pixels */
        assert_true(fabs(shift - focal * 0.4 / away[i]) <= 1);
        assert_true(s.baseline == 0.4);
        const size_t left = 5 * 101 + (size_t)middle_of_red(&s.left);
        assert_true(fabs((double)s.left.depth[left] - away[i]) < 1e-3);
        tpi_sim_destroy(sim);
    }
}

static void both_pictures_are_those_of_a_camera(void **state)
{
    tpi_sim *sim =
        sim_make(STEREO "baseline 1 )\n"
                        "camera ( name \"l\" pose [0 0.5 0.5 0] size [0.1 0.1 0.1] noblocks 1 "
                        "alwayson 1 resolution [101 11] fov [90 10] range [0.1 20] shade 0 )\n"
                        "model ( pose [3 1 0 20] size [0.5 0.5 2] color \"blue\" )");
    const tpi_sim_stereo s = look(sim);
    tpi_sim_image image;

    (void)state;
    assert_int_equal(tpi_sim_get_image(sim, sim_named(sim, "l"), &image, NULL), TP_OK);
    assert_memory_equal(s.left.rgb, image.rgb, 3 * 101 * 11);
    assert_memory_equal(s.left.depth, image.depth, 101 * 11 * sizeof(float));
    assert_true(memcmp(s.right.rgb, image.rgb, 3 * 101 * 11) != 0);
    tpi_sim_destroy(sim);
}

static void what_makes_no_sense_is_refused(void **state)
{
    tpi_sim *sim = sim_make("camera ( name \"c\" )");
    tpi_sim_stereo stereo;
    tp_error err;

    (void)state;
    assert_int_equal(tpi_sim_get_stereo(sim, sim_named(sim, "c"), &stereo, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no stereocamera");
    tpi_sim_destroy(sim);
    sim_refuse("stereocamera ( resolution [1024 1024] )",
               "x.world:1:16: \"resolution\" of a stereo camera is up to 524288 pixels in all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_things_are_shifted_more),
        cmocka_unit_test(both_pictures_are_those_of_a_camera),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
