/* camera_test.c - pictures whose every pixel follows from geometry. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

static tpi_sim_image shoot(tpi_sim *sim)
{
    tpi_sim_image image;

    tpi_sim_step(sim);
    assert_int_equal(tpi_sim_get_image(sim, sim_named(sim, "c"), &image, NULL), TP_OK);
    assert_true(image.time_us == tpi_sim_time_us(sim));
    return image;
}

static uint32_t colour(const tpi_sim_image *image, uint32_t column, uint32_t row)
{
    const uint8_t *rgb = &image->rgb[3 * (row * image->width + column)];

    return (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

static double depth(const tpi_sim_image *image, uint32_t column, uint32_t row)
{
    return (double)image->depth[row * image->width + column];
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-6 * (1 + fabs(b)))) {
        fail_msg("%.9g is not %.9g", a, b);
    }
}

/* Half a metre high; 40 rows over 90 degrees, so row r looks along the slope 1 - (2 r + 1) / 40. */
#define CAMERA                                                                                     \
    "sky_color \"cyan\" floor_color \"white\"\n"                                                   \
    "camera ( name \"c\" pose [0 0 0.45 0] size [0.1 0.1 0.1] alwayson 1 shade 0\n"                \
    "  resolution [40 40] fov [90 90] "
#define WALL "model ( pose [2.5 0 0 0] size [1 10 1] color \"red\" )\n" /* from x = 2 */

enum { SKY = 0x00ffff, FLOOR = 0xffffff, RED = 0xff0000, BLUE = 0x0000ff };

static void a_wall_between_floor_and_sky(void **state)
{
    tpi_sim *sim = sim_make(CAMERA ")\n" WALL);
    const tpi_sim_image image = shoot(sim);

    (void)state;
    assert_int_equal(image.width, 40);
    assert_int_equal(image.height, 40);
    for (uint32_t row = 0; row < 40; row++) { /* it covers the slopes from -0.25 to 0.25 */
        const double slope = 1 - (2 * row + 1) / 40.0;
        for (uint32_t column = 0; column < 40; column++) {
            if (row < 15) {
                assert_int_equal(colour(&image, column, row), SKY);
                near(depth(&image, column, row), 0);
            } else if (row < 25) {
                assert_int_equal(colour(&image, column, row), RED);
                near(depth(&image, column, row), 2); /* depth, not range: all of it is 2 m ahead */
            } else {
                assert_int_equal(colour(&image, column, row), FLOOR);
                near(depth(&image, column, row), -0.5 / slope);
            }
        }
    }
    tpi_sim_destroy(sim);
}

static void the_top_of_a_box_below_the_eye(void **state)
{
    tpi_sim *sim = sim_make(CAMERA ")\nmodel ( pose [1.5 0 0 0] size [1 1 0.3] color \"blue\" )\n");
    const tpi_sim_image image = shoot(sim);

    (void)state;
    /* from 1 m to 2 m, 0.2 m below the eye: the top from slope -0.1 to -0.2, the front to -0.5 */
    near(depth(&image, 20, 21), 0.5 / 0.075); /* floor behind it */
    assert_int_equal(colour(&image, 20, 21), FLOOR);
    assert_int_equal(colour(&image, 20, 22), BLUE);
    near(depth(&image, 20, 22), 0.2 / 0.125);
    assert_int_equal(colour(&image, 20, 23), BLUE);
    near(depth(&image, 20, 23), 0.2 / 0.175);
    for (uint32_t row = 24; row < 30; row++) {
        assert_int_equal(colour(&image, 20, row), BLUE);
        near(depth(&image, 20, row), 1);
    }
    assert_int_equal(colour(&image, 20, 30), FLOOR);
    near(depth(&image, 20, 30), 0.5 / 0.525);
    /* its front is half a metre to each side: columns whose tangent is up to 0.5 */
    assert_int_equal(colour(&image, 9, 26), FLOOR); /* 1 - 19 / 40 is 0.525 */
    assert_int_equal(colour(&image, 10, 26), BLUE); /* 0.475 */
    assert_int_equal(colour(&image, 29, 26), BLUE);
    assert_int_equal(colour(&image, 30, 26), FLOOR);
    tpi_sim_destroy(sim);
}

static void the_underside_of_what_hangs(void **state)
{
    tpi_sim *sim =
        sim_make(CAMERA ")\nmodel ( pose [1.5 0 0.7 0] size [1 1 0.3] color \"blue\" )\n");
    const tpi_sim_image image = shoot(sim);

    (void)state;
    /* the mirror image: below from slope 0.1 to 0.2, the front to 0.5 */
    assert_int_equal(colour(&image, 20, 18), SKY);
    assert_int_equal(colour(&image, 20, 17), BLUE);
    near(depth(&image, 20, 17), 0.2 / 0.125);
    near(depth(&image, 20, 16), 0.2 / 0.175);
    near(depth(&image, 20, 15), 1);
    near(depth(&image, 20, 10), 1);
    assert_int_equal(colour(&image, 20, 9), SKY);
    tpi_sim_destroy(sim);
}

/* The first and the last row of red in a column. */
static void rows_of(const tpi_sim_image *image, uint32_t column, uint32_t *first, uint32_t *last)
{
    *first = image->height;
    *last = 0;
    for (uint32_t row = 0; row < image->height; row++) {
        if (colour(image, column, row) == RED) {
            *first = row < *first ? row : *first;
            *last = row;
        }
    }
}

static void pan_tilt_and_zoom(void **state)
{
    tpi_sim *sim = sim_make(CAMERA "pantilt [90 0] )\n"
                                   "model ( pose [0 2.5 0 0] size [10 1 1] color \"red\" )\n");
    const tpi_sim_model camera = sim_named(sim, "c");
    tpi_sim_lens lens;
    uint32_t first;
    uint32_t last;

    (void)state;
    assert_int_equal(tpi_sim_get_lens(sim, camera, &lens, NULL), TP_OK);
    near(lens.pan, SIM_PI / 2);
    near(lens.fov, SIM_PI / 2);
    tpi_sim_image image = shoot(sim);
    rows_of(&image, 0, &first, &last);
    assert_true(first == 15 && last == 24);
    lens.tilt = atan(0.25); /* five rows up */
    assert_int_equal(tpi_sim_set_lens(sim, camera, &lens, NULL), TP_OK);
    image = shoot(sim);
    rows_of(&image, 39, &first, &last);
    assert_true(first == 20 && last == 29);
    lens = (tpi_sim_lens){.pan = SIM_PI / 2, .fov = 2 * atan(0.5)}; /* twice as large */
    assert_int_equal(tpi_sim_set_lens(sim, camera, &lens, NULL), TP_OK);
    image = shoot(sim);
    rows_of(&image, 20, &first, &last);
    assert_true(first == 10 && last == 29);
    lens = (tpi_sim_lens){.pan = 9, .tilt = -9, .fov = 9}; /* as far as it goes */
    assert_int_equal(tpi_sim_set_lens(sim, camera, &lens, NULL), TP_OK);
    assert_int_equal(tpi_sim_get_lens(sim, camera, &lens, NULL), TP_OK);
    near(lens.pan, SIM_PI);
    near(lens.tilt, -80 * SIM_PI / 180);
    near(lens.fov, 170 * SIM_PI / 180);
    tpi_sim_destroy(sim);
}

static void near_and_far_are_limits(void **state)
{
    tpi_sim *sim = sim_make(CAMERA "range [1 1.9] )\n" WALL
                                   "model ( pose [0.9 0 0 0] size [0.1 0.1 1] color \"blue\" )\n");
    const tpi_sim_image image = shoot(sim);

    (void)state;
    assert_int_equal(colour(&image, 20, 20), SKY); /* the blue one is too near, the wall too far */
    near(depth(&image, 20, 20), 0);
    assert_int_equal(colour(&image, 20, 25), FLOOR); /* 1.82 m */
    assert_int_equal(colour(&image, 20, 30), SKY);   /* 0.95 m */
    tpi_sim_destroy(sim);
}

static void what_is_nearer_covers_and_its_own_robot_is_not_seen(void **state)
{
    tpi_sim *sim = sim_make("position ( name \"r\" size [2 2 0.4] camera ( name \"/c\" alwayson 1\n"
                            "  resolution [5 5] fov [90 90] shade 0 ) )\n" WALL
                            "position ( pose [1.8 0 0 45] size [0.1 0.1 1] color \"blue\" )\n");
    tpi_sim_image image = shoot(sim);

    (void)state;
    assert_int_equal(colour(&image, 2, 2), BLUE); /* its corner is ahead */
    near(depth(&image, 2, 2), 1.8 - sqrt(0.5) * 0.1);
    assert_int_equal(colour(&image, 1, 2), RED);
    near(depth(&image, 1, 2), 2);
    tpi_sim_destroy(sim);
}

static void sides_are_shaded_by_their_angle(void **state)
{
    tpi_sim *sim = sim_make("camera ( name \"c\" alwayson 1 resolution [1 1] shade 0.5 )\n"
                            "model ( pose [2 0 0 60] size [0.01 4 1] color_rgba [1 0.4 0 1] )\n");
    const tpi_sim_image image = shoot(sim);

    (void)state;
    assert_int_equal(colour(&image, 0, 0), 0xbf4d00); /* cos 60: three quarters of 255 and 102 */
    tpi_sim_destroy(sim);
}

static void floors_are_seen(void **state)
{
    tpi_sim *sim = sim_make(CAMERA ")\nfloor ( pose [1 0 0 0] size [0.2 0.2 0] )\n");
    const tpi_sim_image image = shoot(sim);

    (void)state;
    assert_int_equal(colour(&image, 20, 27), FLOOR); /* slope -0.375: 1.33 m */
    assert_int_equal(colour(&image, 20, 29), 0);     /* -0.475: 1.05 m */
    assert_int_equal(colour(&image, 20, 30), 0);     /* -0.525: 0.95 m */
    assert_int_equal(colour(&image, 20, 31), FLOOR); /* -0.575: 0.87 m */
    assert_int_equal(colour(&image, 17, 30), FLOOR); /* 0.12 m to the left */
    assert_int_equal(colour(&image, 18, 30), 0);     /* 0.07 m */
    tpi_sim_destroy(sim);
}

/* ---- Brute force ----------------------------------------------------------------------------- */

enum { BOXES = 40, WIDTH = 64, HEIGHT = 48 };

struct box {
    double x, y, z, a, size[3];
};

/* The depth at which a ray along (1, left, slope) from the eye meets a box; HUGE_VAL if never. */
static double meet_box(const struct box *box, double left, double slope, double eye)
{
    const double c = cos(box->a);
    const double s = sin(box->a);
    const double from[3] = {-c * box->x - s * box->y, s * box->x - c * box->y,
                            eye - box->z - box->size[2] / 2};
    const double way[3] = {c + s * left, c * left - s, slope};
    double begin = 0;
    double end = HUGE_VAL;

    for (int i = 0; i < 3; i++) {
        const double t0 = (-box->size[i] / 2 - from[i]) / way[i];
        const double t1 = (box->size[i] / 2 - from[i]) / way[i];
        begin = fmax(begin, fmin(t0, t1));
        end = fmin(end, fmax(t0, t1));
    }
    return begin <= end ? begin : HUGE_VAL;
}

static struct box throw_box(struct sim_dice *dice)
{
    const double distance = sim_throw(dice, 1.2, 6);
    const double angle = sim_throw(dice, -1, 1);

    return (struct box){
        .x = distance * cos(angle),
        .y = distance * sin(angle),
        .z = sim_throw(dice, 0, 1) < 0.5 ? 0 : sim_throw(dice, 0, 1),
        .a = sim_throw(dice, -3, 3),
        .size = {sim_throw(dice, 0.05, 0.7), sim_throw(dice, 0.05, 0.7), sim_throw(dice, 0.05, 1)}};
}

static void compare_all(const tpi_sim_image *image, const struct box *boxes, double eye,
                        double rise)
{
    const double across = tan(35 * SIM_PI / 180);
    const double up = tan(25 * SIM_PI / 180);

    for (uint32_t row = 0; row < HEIGHT; row++) {
        for (uint32_t column = 0; column < WIDTH; column++) {
            const double left = (1 - (2.0 * column + 1) / WIDTH) * across;
            const double slope = rise + (1 - (2.0 * row + 1) / HEIGHT) * up;
            double wanted = slope < 0 ? -eye / slope : HUGE_VAL;
            int which = -1;
            for (int i = 0; i < BOXES; i++) {
                const double at = meet_box(&boxes[i], left, slope, eye);
                which = at < wanted ? i : which;
                wanted = fmin(wanted, at);
            }
            wanted = wanted <= 8 && wanted >= 0.2 ? wanted : 0;
            if (!(fabs(depth(image, column, row) - wanted) <= 1e-6 * (1 + wanted))) {
                fail_msg("column %u row %u: depth %.9g, by brute force %.9g", column, row,
                         depth(image, column, row), wanted);
            }
            assert_int_equal(colour(image, column, row), wanted == 0  ? SKY
                                                         : which >= 0 ? (unsigned)which << 2 | 1
                                                                      : FLOOR);
        }
    }
}

/* Turned boxes on the floor and in the air, standing and movable, seen from three heights. */
static void every_pixel_is_that_of_brute_force(void **state)
{
    struct sim_dice dice = {7};

    (void)state;
    for (int round = 0; round < 30; round++) {
        const double eye = 0.3 + 0.5 * (round % 3);
        const double tilt = (round % 5 - 2) * 10;
        struct box boxes[BOXES];
        tpi_buf text = {0};
        tpi_buf_printf(&text,
                       "sky_color \"cyan\"\n"
                       "camera ( name \"c\" pose [0 0 %.3f 0] size [0.01 0.01 0.01] alwayson 1\n"
                       "  shade 0 resolution [%d %d] fov [70 50] pantilt [0 %g] )\n",
                       eye - 0.005, WIDTH, HEIGHT, tilt);
        for (int i = 0; i < BOXES; i++) {
            const struct box *b = &boxes[i];
            boxes[i] = throw_box(&dice);
            tpi_buf_printf(&text,
                           "%s ( pose [%.17f %.17f %.17f %.17f] size [%.17f %.17f %.17f]\n"
                           "  obstacle_return 0 color_rgba [0 0 %.17f 1] )\n",
                           i % 2 == 0 ? "model" : "position", b->x, b->y, b->z, b->a * 180 / SIM_PI,
                           b->size[0], b->size[1], b->size[2], (i << 2 | 1) / 255.0);
        }
        tpi_sim *sim = sim_make(tpi_buf_text(&text));
        const tpi_sim_image image = shoot(sim);
        compare_all(&image, boxes, eye, tan(tilt * SIM_PI / 180));
        tpi_sim_destroy(sim);
        tpi_buf_fini(&text);
    }
}

/* ---- Bad ones -------------------------------------------------------------------------------- */

static void bad_properties_are_named(void **state)
{
    tpi_sim *sim = sim_make("model ( )");
    tpi_sim_image image;
    tp_error err;

    (void)state;
    assert_int_equal(tpi_sim_get_image(sim, 0, &image, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no camera");
    tpi_sim_destroy(sim);
    sim_refuse(
        "camera ( resolution [4096 4096] )",
        "x.world:1:10: \"resolution\" is from 1 to 4096 pixels a side and up to 4194304 in all");
    sim_refuse(
        "camera ( resolution [0 5] )",
        "x.world:1:10: \"resolution\" is from 1 to 4096 pixels a side and up to 4194304 in all");
    sim_refuse("camera ( fov [180 40] )", "x.world:1:10: \"fov\" is from 1 to 170 degrees");
    sim_refuse("camera ( range [2 1] )",
               "x.world:1:10: \"range\" begins at 1 mm at least and ends farther away");
    sim_refuse("camera ( pantilt [0 81] )",
               "x.world:1:10: \"pantilt\" is up to 180 degrees to a side and 80 up or down");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_between_floor_and_sky),
        cmocka_unit_test(the_top_of_a_box_below_the_eye),
        cmocka_unit_test(the_underside_of_what_hangs),
        cmocka_unit_test(pan_tilt_and_zoom),
        cmocka_unit_test(near_and_far_are_limits),
        cmocka_unit_test(what_is_nearer_covers_and_its_own_robot_is_not_seen),
        cmocka_unit_test(sides_are_shaded_by_their_angle),
        cmocka_unit_test(floors_are_seen),
        cmocka_unit_test(every_pixel_is_that_of_brute_force),
        cmocka_unit_test(bad_properties_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
