/* draw_test.c - shapes cover exactly what they cover, and worlds become pictures. */
#include "sim/draw/draw.h"

#include "sim/draw/canvas.h"
#include "sim/sketch.h"
#include "support/memory.h"
#include "support/sim.h"
#include "support/unit.h"

#define WHITE 0xffffffffu
#define BLACK 0x000000ffu

static const char world[] =
    "name \"<a & b>\"\n"
    "model ( name \"wall\" pose [0 2 0 0] size [8 0.2 1] color_rgba [0 0 1 1] )\n"
    "light ( pose [3 1 0 0] intensity 1 )\n"
    "position ( name \"r<&\\\"0\" pose [0 0 0 45] size [1 1 0.4] color_rgba [1 0 0 1] ctrl "
    "\"wander\"\n"
    "  ranger ( sensor ( range [0 3] fov 180 samples 31 ) ) )\n"
    "floor ( size [8 6 0] pose [0 0 0 0] color_rgba [0 1 0 1] )\n";

/* A canvas with a white ground. */
static struct draw_canvas canvas_of(uint32_t width, uint32_t height)
{
    struct draw_canvas canvas;

    assert_int_equal(tpi_draw_canvas_init(&canvas, width, height, WHITE, NULL), TP_OK);
    return canvas;
}

static void add_box(struct draw_path *path, double x0, double y0, double x1, double y1)
{
    tpi_draw_path_to(path, x0, y0);
    tpi_draw_path_to(path, x1, y0);
    tpi_draw_path_to(path, x1, y1);
    tpi_draw_path_to(path, x0, y1);
    tpi_draw_path_end(path);
}

static int grey_at(const struct draw_canvas *canvas, uint32_t x, uint32_t y)
{
    return canvas->pixels[3 * (y * canvas->width + x)];
}

/* All that was covered, in pixels. */
static double covered(const struct draw_canvas *canvas)
{
    double sum = 0;

    for (size_t i = 0; i < (size_t)canvas->width * canvas->height; i++) {
        sum += (255 - canvas->pixels[3 * i]) / 255.0;
    }
    return sum;
}

static void a_pixel_is_as_dark_as_its_covered_part(void **state)
{
    const struct draw_paint paint = {.colour = BLACK};
    struct draw_canvas canvas = canvas_of(8, 6);
    struct draw_path path = {0};

    (void)state;
    add_box(&path, 1.25, 1.5, 3, 4);
    canvas.pen.fill(&canvas.pen, &path, &paint);
    assert_int_equal(grey_at(&canvas, 0, 2), 255);
    assert_int_equal(grey_at(&canvas, 1, 2), 64);  /* three quarters */
    assert_int_equal(grey_at(&canvas, 2, 2), 0);   /* all of it */
    assert_int_equal(grey_at(&canvas, 2, 1), 128); /* half */
    assert_int_equal(grey_at(&canvas, 1, 1), 159); /* three eighths */
    assert_int_equal(grey_at(&canvas, 3, 2), 255);
    assert_int_equal(grey_at(&canvas, 2, 4), 255);
    tpi_draw_path_fini(&path);
    tpi_draw_canvas_fini(&canvas);
}

static void areas_are_exact_whatever_the_shape(void **state)
{
    const struct draw_paint paint = {.colour = BLACK};
    struct sim_dice dice = {7};

    (void)state;
    for (int i = 0; i < 200; i++) {
        struct draw_canvas canvas = canvas_of(64, 64);
        struct draw_path path = {0};
        double x[3];
        double y[3];
        for (int k = 0; k < 3; k++) {
            x[k] = sim_throw(&dice, 1, 63);
            y[k] = sim_throw(&dice, 1, 63);
            tpi_draw_path_to(&path, x[k], y[k]);
        }
        tpi_draw_path_end(&path);
        canvas.pen.fill(&canvas.pen, &path, &paint);
        const double area = fabs((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])) / 2;
        sim_assert_near(covered(&canvas), area, 0.5 + 0.005 * area);
        tpi_draw_path_fini(&path);
        tpi_draw_canvas_fini(&canvas);
    }
}

static void what_lies_outside_leaves_no_trace(void **state)
{
    const struct draw_paint paint = {.colour = BLACK};
    struct draw_canvas canvas = canvas_of(10, 10);
    struct draw_path path = {0};

    (void)state;
    add_box(&path, -50, -50, -1, 200);
    add_box(&path, 11, -50, 1e6, 200);
    add_box(&path, -50, -20, 50, -10);
    add_box(&path, -1e7, 10, 1e7, 1e7);
    canvas.pen.fill(&canvas.pen, &path, &paint);
    assert_true(covered(&canvas) == 0);
    tpi_draw_path_clear(&path);
    add_box(&path, -50, -50, 5, 200); /* and what lies half inside is cut */
    canvas.pen.fill(&canvas.pen, &path, &paint);
    sim_assert_near(covered(&canvas), 50, 1e-9);
    for (size_t i = 0; i < 12 * 10; i++) {
        assert_true(canvas.sums[i] == 0);
    }
    tpi_draw_path_fini(&path);
    tpi_draw_canvas_fini(&canvas);
}

static void holes_are_left_out_and_overlaps_count_once(void **state)
{
    const struct draw_paint paint = {.colour = BLACK};
    struct draw_canvas canvas = canvas_of(20, 20);
    struct draw_path path = {0};

    (void)state;
    add_box(&path, 2, 2, 12, 12);
    add_box(&path, 8, 2, 18, 12); /* over it */
    tpi_draw_path_to(&path, 4, 4);
    tpi_draw_path_to(&path, 4, 6); /* the other way round */
    tpi_draw_path_to(&path, 6, 6);
    tpi_draw_path_to(&path, 6, 4);
    tpi_draw_path_end(&path);
    canvas.pen.fill(&canvas.pen, &path, &paint);
    sim_assert_near(covered(&canvas), 160 - 4, 1e-9);
    tpi_draw_path_fini(&path);
    tpi_draw_canvas_fini(&canvas);
}

static void lines_are_as_wide_as_they_shall_be(void **state)
{
    const struct draw_paint paint = {.colour = BLACK};
    struct draw_canvas canvas = canvas_of(40, 40);
    struct draw_path path = {0};

    (void)state;
    tpi_draw_path_to(&path, 5, 5);
    tpi_draw_path_to(&path, 35, 30);
    tpi_draw_path_end(&path);
    canvas.pen.stroke(&canvas.pen, &path, DRAW_ROUND, 1, &paint);
    sim_assert_near(covered(&canvas), hypot(30, 25), 0.5);
    tpi_draw_path_fini(&path);
    tpi_draw_canvas_fini(&canvas);
}

static void shadows_keep_their_weight(void **state)
{
    const struct draw_paint paint = {.colour = BLACK};
    struct draw_canvas canvas = canvas_of(60, 60);
    struct draw_path path = {0};

    (void)state;
    add_box(&path, 25, 25, 35, 35);
    canvas.pen.begin_shadow(&canvas.pen, 6, BLACK);
    canvas.pen.fill(&canvas.pen, &path, &paint);
    canvas.pen.end_shadow(&canvas.pen);
    sim_assert_near(covered(&canvas), 100, 2);
    assert_true(grey_at(&canvas, 23, 30) < 255); /* and are soft */
    assert_true(grey_at(&canvas, 23, 30) > 0);
    tpi_draw_path_fini(&path);
    tpi_draw_canvas_fini(&canvas);
}

/* ---- Worlds ---------------------------------------------------------------------------------- */

static tpi_sim *make_world(void)
{
    char text[sizeof world];

    memcpy(text, world, sizeof world);
    for (char *at = text; (at = strchr(at, '\\')) != NULL;) { /* world files know no escapes */
        memmove(at, at + 2, strlen(at + 2) + 1);
    }
    tpi_sim *sim = sim_make(text);
    sim_steps(sim, 3);
    return sim;
}

static void a_world_has_its_colours_where_they_are(void **state)
{
    const tpi_draw_look look = {.width = 100, .height = 75, .bare = true};
    tpi_sim *sim = make_world();
    tpi_buf out = {0};

    (void)state;
    assert_int_equal(tpi_draw_pixels(&out, sim, &look, NULL), TP_OK);
    assert_int_equal(out.length, 100 * 75 * 3);
    const unsigned char *pixels = (const unsigned char *)out.data;
    const unsigned char *wall = pixels + 3 * (14 * 100 + 20);
    assert_true(wall[2] > 200 && wall[0] < 60);
    const unsigned char *floor = pixels + 3 * (65 * 100 + 50);
    assert_true(floor[1] > 200 && floor[0] < 100);
    unsigned red = 0;
    for (size_t i = 0; i < 100 * 75; i++) {
        red += pixels[3 * i] > 180 && pixels[3 * i + 1] < 60;
    }
    assert_true(red > 40); /* the robot, about 11 pixels wide, with an arrow on it */
    tpi_buf_fini(&out);
    tpi_sim_destroy(sim);
}

/* Pixels that are more magenta than anything in the world. */
static unsigned count_magenta(const tpi_sim *sim, uint32_t low_row, uint32_t high_row)
{
    const tpi_draw_look look = {.width = 100, .height = 75, .bare = true};
    tpi_buf out = {0};
    unsigned count = 0;

    assert_int_equal(tpi_draw_pixels(&out, sim, &look, NULL), TP_OK);
    for (size_t i = (size_t)low_row * 100; i < (size_t)high_row * 100; i++) {
        const unsigned char *pixel = (const unsigned char *)out.data + 3 * i;
        count += pixel[0] > 200 && pixel[1] < 60 && pixel[2] > 200;
    }
    tpi_buf_fini(&out);
    return count;
}

static void what_programs_draw_is_seen_in_the_frame_of_the_model(void **state)
{
    static const double box[] = {-3, -4, 3, -4, 3, -3, -3, -3}; /* below the middle of the world */
    static const double far[] = {0, 0, 1e30, -1e30};
    const tpi_sim_stroke shape = {TPI_SIM_STROKE_SHAPE, 0xff00ffff, 0xff00ffff, 4};
    const tpi_sim_stroke line = {TPI_SIM_STROKE_LINE, 0xff00ffff, 0, 2};
    const tpi_sim_stroke dots = {TPI_SIM_STROKE_POINTS, 0xff00ffff, 0, 4};
    const tpi_sim_stroke lines = {TPI_SIM_STROKE_LINES, 0xff00ffff, 0, 4};
    tpi_sim *sim = make_world();
    const tpi_sim_model wall = sim_named(sim, "wall");

    (void)state;
    assert_int_equal(count_magenta(sim, 0, 75), 0);
    assert_int_equal(tpi_sim_sketch(sim, wall, &shape, box, NULL), TP_OK);
    assert_int_equal(tpi_sim_sketch(sim, wall, &line, far, NULL), TP_OK); /* leaves no trace */
    assert_true(count_magenta(sim, 38, 75) > 300);
    assert_int_equal(count_magenta(sim, 0, 38), 0);
    tpi_sim_sketch_clear(sim, wall);
    assert_int_equal(count_magenta(sim, 0, 75), 0);
    assert_int_equal(tpi_sim_sketch(sim, wall, &dots, box, NULL), TP_OK);
    const unsigned dotted = count_magenta(sim, 38, 75);
    assert_true(dotted >= 4 && dotted < 80);
    assert_int_equal(tpi_sim_sketch(sim, wall, &lines, box, NULL), TP_OK);
    assert_true(count_magenta(sim, 38, 75) > dotted);
    tpi_sim_destroy(sim);
}

/* How many pixels change when a model stands in the middle of a room. */
static unsigned changed_by(const char *model)
{
    const tpi_draw_look look = {.width = 100, .height = 75};
    tpi_buf pictures[2] = {{0}, {0}};
    unsigned count = 0;

    for (int i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text, "model ( size [4 4 1] boundary 1 )\n%s", i == 0 ? "" : model);
        tpi_sim *sim = sim_make(text);
        assert_int_equal(tpi_draw_pixels(&pictures[i], sim, &look, NULL), TP_OK);
        tpi_sim_destroy(sim);
    }
    assert_int_equal(pictures[0].length, pictures[1].length);
    for (size_t i = 0; i < pictures[0].length; i += 3) {
        count += memcmp(pictures[0].data + i, pictures[1].data + i, 3) != 0;
    }
    tpi_buf_fini(&pictures[0]);
    tpi_buf_fini(&pictures[1]);
    return count;
}

/* Symbols, not larger than a robot's. */
static void tags_and_nodes_are_drawn(void **state)
{
    const unsigned tag = changed_by("rfidtag ( color \"magenta\" )");
    const unsigned node = changed_by("mote ( color \"magenta\" )");

    (void)state;
    assert_int_equal(changed_by("microphone ( )"), 0);
    assert_true(tag > 4 && tag < 100 && node > 4 && node < 100 && tag != node);
}

static void the_same_world_gives_the_same_picture(void **state)
{
    tpi_buf first = {0};
    tpi_buf second = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        const tpi_draw_look look = {0};
        tpi_sim *sim = make_world();
        assert_int_equal(tpi_draw_png(i == 0 ? &first : &second, sim, &look, NULL), TP_OK);
        tpi_sim_destroy(sim);
    }
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    assert_memory_equal(first.data, "\x89PNG\r\n", 6);
    tpi_buf_fini(&first);
    tpi_buf_fini(&second);
}

static void names_in_svg_cannot_break_it(void **state)
{
    const tpi_draw_look look = {0};
    tpi_sim *sim = make_world();
    tpi_buf out = {0};

    (void)state;
    assert_int_equal(tpi_draw_svg(&out, sim, &look, NULL), TP_OK);
    assert_non_null(strstr(out.data, "<title>&lt;a &amp; b></title>"));
    assert_non_null(strstr(out.data, ">r&lt;&amp;0</text>"));
    assert_non_null(strstr(out.data, "data:image/png;base64,"));
    assert_non_null(strstr(out.data, "</svg>\n"));
    tpi_buf_fini(&out);
    tpi_sim_destroy(sim);
}

static void an_empty_world_has_a_picture_too(void **state)
{
    const tpi_draw_look look = {0};
    tpi_sim *sim = sim_make("");
    tpi_buf out = {0};

    (void)state;
    assert_int_equal(tpi_draw_png(&out, sim, &look, NULL), TP_OK);
    tpi_buf_clear(&out);
    assert_int_equal(tpi_draw_svg(&out, sim, &look, NULL), TP_OK);
    tpi_buf_fini(&out);
    tpi_sim_destroy(sim);
}

static void a_picture_has_the_size_of_the_window(void **state)
{
    static const struct {
        const char *world, *size;
    } cases[] = {
        {"window ( size [400 300] )", "width=\"400\" height=\"300\""},
        {"window ( size [700.000 650.000] )", "width=\"700\" height=\"650\""},
        {"window ( size [0 90000] )", "width=\"1000\""},
        {"window ( size [\"a\" \"b\"] )", "width=\"1000\""},
        {"window ( size 500 )", "width=\"1000\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tpi_sim *sim = sim_make(cases[i].world);
        tpi_buf out = {0};

        assert_int_equal(tpi_draw_svg(&out, sim, &(tpi_draw_look){0}, NULL), TP_OK);
        assert_non_null(strstr(tpi_buf_text(&out), cases[i].size));
        tpi_buf_fini(&out);
        tpi_sim_destroy(sim);
    }
}

static void a_picture_that_is_too_large_is_refused(void **state)
{
    const tpi_draw_look look = {.width = 20000, .height = 20000};
    tpi_sim *sim = sim_make("");
    tpi_buf out = {0};
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_draw_png(&out, sim, &look, &err), TP_E_LIMIT);
    assert_string_equal(err.text, "a picture of 20000x20000 pixels is too large");
    assert_int_equal(tpi_draw_svg(&out, sim, &look, &err), TP_E_LIMIT);
    tpi_buf_fini(&out);
    tpi_sim_destroy(sim);
}

/* Two that meet are as one, also if one can see through them; round ends would cover each other. */
static void lines_that_are_cut_go_on(void **state)
{
    const struct draw_paint paint = {.colour = 0x00000080};
    struct draw_canvas canvas = canvas_of(40, 10);
    struct draw_path path = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        tpi_draw_path_clear(&path);
        tpi_draw_path_to(&path, 5 + 10 * i, 5);
        tpi_draw_path_to(&path, 10 + 10 * i, 5);
        tpi_draw_path_to(&path, 15 + 10 * i, 5);
        tpi_draw_path_end(&path);
        canvas.pen.stroke(&canvas.pen, &path, DRAW_CUT, 4, &paint);
    }
    for (unsigned x = 5; x < 35; x++) {
        assert_int_equal(canvas.pixels[3 * (5 * 40 + x)], canvas.pixels[3 * (5 * 40 + 5)]);
    }
    assert_int_equal(canvas.pixels[3 * (5 * 40 + 4)], 255);
    assert_int_equal(canvas.pixels[3 * (5 * 40 + 35)], 255);
    tpi_draw_path_fini(&path);
    tpi_draw_canvas_fini(&canvas);
}

/* Robots leave trails where they were, and no more than they may. */
static void trails_are_where_robots_were(void **state)
{
    const tpi_draw_look plain = {.width = 200, .height = 100, .bare = true};
    tpi_sim *sim = sim_make("model ( pose [-4 -2 0 0] size [0.1 0.1 1] )\n"
                            "model ( pose [4 2 0 0] size [0.1 0.1 1] )\n"
                            "position ( name \"r\" pose [-3 0 0 0] size [0.2 0.2 0.2] )\n");
    tpi_draw_look trailed = plain;
    tpi_draw_trails *trails = NULL;
    tpi_buf first = {0};
    tpi_buf second = {0};

    (void)state;
    assert_int_equal(tpi_draw_trails_create(&trails, sim, 10, NULL), TP_OK);
    for (int i = 0; i < 100; i++) {
        sim_put(sim, "r", -3 + 0.05 * i, 0, 0);
        tpi_draw_trails_note(trails, sim);
    }
    assert_int_equal(tpi_draw_pixels(&first, sim, &plain, NULL), TP_OK);
    trailed.trails = trails;
    assert_int_equal(tpi_draw_pixels(&second, sim, &trailed, NULL), TP_OK);
    /* ten places of 5 cm: right behind the robot, but not where it began */
    const size_t row = (size_t)3 * 50 * 200;
    const size_t near = row + (size_t)3 * (100 + 43 - 5);
    const size_t far = row + (size_t)3 * (100 - 40);
    assert_memory_not_equal(first.data + near, second.data + near, 3);
    assert_memory_equal(first.data + far, second.data + far, 3);
    tpi_draw_trails_destroy(trails);
    tpi_buf_fini(&first);
    tpi_buf_fini(&second);
    tpi_sim_destroy(sim);
}

static tp_status draw_both(void *context)
{
    const tpi_draw_look look = {.width = 60, .height = 40};
    tpi_buf out = {0};
    tp_status status = tpi_draw_png(&out, context, &look, NULL);

    if (status == TP_OK) {
        tpi_buf_clear(&out);
        status = tpi_draw_svg(&out, context, &look, NULL);
    }
    tpi_buf_fini(&out);
    return status;
}

static void memory_that_runs_out_is_told(void **state)
{
    tpi_sim *sim = make_world();

    (void)state;
    memory_sweep(draw_both, sim);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pixel_is_as_dark_as_its_covered_part),
        cmocka_unit_test(areas_are_exact_whatever_the_shape),
        cmocka_unit_test(what_lies_outside_leaves_no_trace),
        cmocka_unit_test(holes_are_left_out_and_overlaps_count_once),
        cmocka_unit_test(lines_are_as_wide_as_they_shall_be),
        cmocka_unit_test(shadows_keep_their_weight),
        cmocka_unit_test(a_world_has_its_colours_where_they_are),
        cmocka_unit_test(what_programs_draw_is_seen_in_the_frame_of_the_model),
        cmocka_unit_test(tags_and_nodes_are_drawn),
        cmocka_unit_test(the_same_world_gives_the_same_picture),
        cmocka_unit_test(names_in_svg_cannot_break_it),
        cmocka_unit_test(an_empty_world_has_a_picture_too),
        cmocka_unit_test(a_picture_has_the_size_of_the_window),
        cmocka_unit_test(a_picture_that_is_too_large_is_refused),
        cmocka_unit_test(lines_that_are_cut_go_on),
        cmocka_unit_test(trails_are_where_robots_were),
        cmocka_unit_test(memory_that_runs_out_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
