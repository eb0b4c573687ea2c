/*
 * odd_test.c - worlds of odd shapes have good pictures too: names stand where their robots
 * are, and everything can be told apart.
 */
#include "sim/draw/draw.h"

#include "sim/draw/canvas.h"
#include "sim/draw/scene.h"
#include "sim/looks.h"
#include "support/sim.h"
#include "support/unit.h"

/* ---- A pen that notes the texts -------------------------------------------------------------- */

enum { MOST_TEXTS = 64 };

struct noted {
    struct draw_pen pen; /* first, so that it is the notes */
    struct draw_text texts[MOST_TEXTS];
    char letters[MOST_TEXTS][40];
    uint32_t count;
};

static void pass_path(struct draw_pen *pen, const struct draw_path *path,
                      const struct draw_paint *paint)
{
    (void)pen;
    (void)path;
    (void)paint;
}

static void pass_line(struct draw_pen *pen, const struct draw_path *path, enum draw_end end,
                      double width, const struct draw_paint *paint)
{
    (void)end;
    (void)width;
    pass_path(pen, path, paint);
}

static void note_text(struct draw_pen *pen, const struct draw_text *text)
{
    struct noted *noted = (struct noted *)pen;

    assert_true(noted->count < MOST_TEXTS);
    snprintf(noted->letters[noted->count], sizeof noted->letters[0], "%s", text->text);
    noted->texts[noted->count++] = *text;
}

static void pass_begin(struct draw_pen *pen, double blur, uint32_t colour)
{
    (void)pen;
    (void)colour;
    assert_true(blur >= 1 && blur <= 12);
}

static void pass_end(struct draw_pen *pen)
{
    (void)pen;
}

static void pass_picture(struct draw_pen *pen, const struct draw_picture *picture)
{
    (void)pen;
    (void)picture;
}

/* The texts of a world, and how it is looked at. */
static struct noted note_world(const char *text, struct draw_view *view)
{
    const tpi_draw_look look = {0};
    struct noted noted = {.pen = {.fill = pass_path,
                                  .stroke = pass_line,
                                  .text = note_text,
                                  .begin_shadow = pass_begin,
                                  .end_shadow = pass_end,
                                  .picture = pass_picture}};
    tpi_sim *sim = sim_make(text);

    assert_int_equal(tpi_draw_view_init(view, sim, &look, NULL), TP_OK);
    assert_true(tpi_draw_scene(&noted.pen, view, sim, &look));
    tpi_sim_destroy(sim);
    return noted;
}

/* The middle of a text. */
static struct draw_point middle_of(const struct noted *noted, const char *name)
{
    for (uint32_t i = 0; i < noted->count; i++) {
        if (strcmp(noted->letters[i], name) == 0) {
            return (struct draw_point){noted->texts[i].x,
                                       noted->texts[i].y - 0.3 * noted->texts[i].size};
        }
    }
    fail_msg("there is no text \"%s\"", name);
    return (struct draw_point){0};
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Of each robot: its body is 0.4 m wide, so its name is that far from its middle, and a line. */
static void assert_near(const struct noted *noted, const struct draw_view *view, const char *name,
                        double x, double y)
{
    const struct draw_point at = middle_of(noted, name);
    const struct draw_point robot = draw_at(view, x, y);
    const double away = hypot(at.x - robot.x, at.y - robot.y);

    assert_true(away < 0.3 * view->scale + 45);
    assert_true(away > 0.15 * view->scale);
}

static void names_stand_at_the_body_not_at_the_pose(void **state)
{
    struct draw_view view;
    const struct noted noted = note_world("model ( size [8 0.2 1] pose [0 3 0 0] )\n"
                                          "model ( size [8 0.2 1] pose [0 -3 0 0] )\n"
                                          "position ( name \"far\" origin [1.5 0 0 0] )\n"
                                          "position ( name \"here\" pose [-2 1 0 90] )\n",
                                          &view);

    (void)state;
    assert_near(&noted, &view, "far", 1.5, 0);
    assert_near(&noted, &view, "here", -2, 1);
}

static void names_cover_no_other_robots(void **state)
{
    struct draw_view view;
    const struct noted noted = note_world("model ( size [8 0.2 1] pose [0 3 0 0] )\n"
                                          "model ( size [8 0.2 1] pose [0 -3 0 0] )\n"
                                          "position ( name \"above\" pose [0 0.3 0 0] )\n"
                                          "position ( name \"below\" pose [0 -0.2 0 0] )\n",
                                          &view);
    const double above = middle_of(&noted, "above").y;
    const double below = middle_of(&noted, "below").y;

    (void)state;
    assert_true(above < draw_at(&view, 0, 0.45).y);
    assert_true(below > draw_at(&view, 0, -0.35).y);
}

static void names_at_the_side_are_moved_in(void **state)
{
    struct draw_view view;
    const struct noted noted =
        note_world("model ( size [8 0.2 1] pose [0 3 0 0] )\n"
                   "position ( name \"a robot with a long name\" pose [-3.9 2 0 0] )\n",
                   &view);
    const struct draw_point at = middle_of(&noted, "a robot with a long name");
    const double half = tpi_draw_font_width("a robot with a long name", noted.texts[0].size) / 2;

    (void)state;
    assert_true(at.x - half >= 0);
    assert_near(&noted, &view, "a robot with a long name", at.x / view.scale - 4, 2);
}

/* How much brighter the letters of a name are than what they stand on. */
static double contrast_of(const struct noted *noted, const char *name, double under)
{
    for (uint32_t i = 0; i < noted->count; i++) {
        if (strcmp(noted->letters[i], name) == 0) {
            const double halo = tpi_draw_brightness(noted->texts[i].halo);
            const double ink = tpi_draw_brightness(noted->texts[i].colour);
            assert_true(fabs(ink - halo) > 0.3);
            return ink - under;
        }
    }
    fail_msg("there is no name \"%s\"", name);
    return 0;
}

static void names_can_be_read_on_every_floor(void **state)
{
    struct draw_view view;
    const struct noted noted = note_world("floor_color \"gray60\"\n"
                                          "floor ( size [4 4 0] pose [-4 0 0 0] color \"black\" )\n"
                                          "floor ( size [4 4 0] pose [4 0 0 0] color \"white\" )\n"
                                          "position ( name \"black\" pose [-4 0 0 0] )\n"
                                          "position ( name \"white\" pose [4 0 0 0] )\n"
                                          "position ( name \"grey\" )\n",
                                          &view);

    (void)state;
    assert_true(contrast_of(&noted, "black", 0) > 0.6);
    assert_true(contrast_of(&noted, "white", 1) < -0.6);
    assert_true(contrast_of(&noted, "grey", 0.6) < -0.3);
}

/* In a corridor that is lower than a letter names stand outside of it. */
static void names_stand_beside_walls(void **state)
{
    struct draw_view view;
    const struct noted noted = note_world("model ( size [100 0.05 1] pose [0 0.5 0 0] )\n"
                                          "model ( size [100 0.05 1] pose [0 -0.5 0 0] )\n"
                                          "position ( name \"r\" size [0.3 0.3 0.3] )\n",
                                          &view);
    const struct draw_point at = middle_of(&noted, "r");

    (void)state;
    assert_true(fabs(at.y - draw_at(&view, 0, 0).y) > 0.55 * view.scale);
}

static void of_many_robots_none_is_named(void **state)
{
    struct draw_view view;
    tpi_buf text = {0};

    (void)state;
    for (int i = 0; i < 41; i++) {
        tpi_buf_printf(&text, "position ( name \"r%d\" pose [%d 0 0 0] )\n", i, i);
    }
    assert_int_equal(note_world(tpi_buf_text(&text), &view).count, 1); /* the scale bar's */
    tpi_buf_fini(&text);
}

/* ---- Views ----------------------------------------------------------------------------------- */

static struct draw_view view_of(const char *text)
{
    const tpi_draw_look look = {0};
    struct draw_view view;
    tpi_sim *sim = sim_make(text);

    assert_int_equal(tpi_draw_view_init(&view, sim, &look, NULL), TP_OK);
    tpi_sim_destroy(sim);
    return view;
}

static void long_worlds_have_long_pictures(void **state)
{
    const struct draw_view wide = view_of("model ( size [100 1 1] )");
    const struct draw_view tall = view_of("model ( size [1 100 1] )");
    const struct draw_view square = view_of("model ( size [3 3 1] )");

    (void)state;
    assert_int_equal(wide.width, 1945);
    assert_int_equal(wide.height, 160);
    assert_int_equal(tall.height, 1945);
    assert_int_equal(tall.width, 360);
    assert_int_equal(square.width, 1000);
    assert_int_equal(square.height, 1000);
}

static void a_single_robot_has_room_around_it(void **state)
{
    const struct draw_view alone = view_of("position ( name \"one\" size [0.4 0.4 0.4] )");
    const struct draw_view seeing =
        view_of("position ( size [0.4 0.4 0.4] ranger ( sensor ( range [0 5] ) ) )");

    (void)state;
    assert_true(alone.high[0] - alone.low[0] > 2);
    assert_true(seeing.high[0] > 5 && seeing.low[1] < -5);
}

/* Three metres ahead of its model, which looks up. */
static void a_floor_is_where_its_origin_is(void **state)
{
    const struct draw_view view =
        view_of("floor ( pose [0 0 0 90] origin [3 0 0 0] size [1 1 0] )");

    (void)state;
    assert_true(view.high[1] > 3.5 && view.low[1] > 2 && view.high[0] < 1);
}

static void scale_bars_have_a_unit_that_fits(void **state)
{
    static const struct {
        const char *size, *bar;
    } cases[] = {{"0.03 0.03 0.03", "5 mm"},
                 {"0.5 0.5 0.5", "5 cm"},
                 {"20 12 1", "2 m"},
                 {"9000 9000 1", "1 km"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct draw_view view;
        char text[80];
        snprintf(text, sizeof text, "model ( size [%s] )", cases[i].size);
        const struct noted noted = note_world(text, &view);
        assert_string_equal(noted.letters[0], cases[i].bar);
    }
}

/* ---- Colours --------------------------------------------------------------------------------- */

static void what_has_no_colour_can_be_told_apart(void **state)
{
    tpi_sim *sim = sim_make("model ( name \"wall\" )\nposition ( name \"a\" pose [2 0 0 0] )\n"
                            "position ( name \"b\" pose [4 0 0 0] model ( name \"hat\" ) )\n"
                            "model ( name \"red\" color \"red\" pose [6 0 0 0] )\n");
    const uint32_t wall = tpi_sim_look_colour(sim, tpi_sim_find(sim, "wall"));
    const uint32_t a = tpi_sim_look_colour(sim, tpi_sim_find(sim, "a"));
    const uint32_t b = tpi_sim_look_colour(sim, tpi_sim_find(sim, "b"));

    (void)state;
    assert_true(wall != a && wall != b && a != b);
    assert_int_equal(tpi_sim_look_colour(sim, tpi_sim_find(sim, "b.hat")), b);
    assert_int_equal(tpi_sim_look_colour(sim, tpi_sim_find(sim, "red")), 0xff0000ff);
    assert_int_equal(tpi_sim_set_colour(sim, tpi_sim_find(sim, "wall"), 0xff0000ff, NULL), TP_OK);
    assert_int_equal(tpi_sim_look_colour(sim, tpi_sim_find(sim, "wall")), 0xff0000ff);
    tpi_sim_destroy(sim);
}

/* Where a hundred scans lie on each other the ground can still be seen. */
static void many_scans_leave_the_ground_visible(void **state)
{
    const tpi_draw_look look = {.width = 100, .height = 100, .bare = true};
    tpi_buf text = {0};
    tpi_buf out = {0};

    (void)state;
    tpi_buf_puts(&text, "define bot position ( size [0.1 0.1 0.1] obstacle_return 0 ranger_return "
                        "-1 color \"blue\" ranger ( sensor ( range [0 9] fov 360 ) ) )\n"
                        "model ( size [20 20 0.1] ranger_return -1 obstacle_return 0 pose [0 0 -1 "
                        "0] color \"white\" )\n");
    for (int i = 0; i < 100; i++) {
        tpi_buf_printf(&text, "bot ( name \"r%d\" pose [%d 0 0 0] )\n", i, i % 3);
    }
    tpi_sim *sim = sim_make(tpi_buf_text(&text));
    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_subscribe(sim, i);
    }
    sim_steps(sim, 2);
    assert_int_equal(tpi_draw_pixels(&out, sim, &look, NULL), TP_OK);
    const unsigned char *pixel = (const unsigned char *)out.data + 3 * (30 * 100 + 50);
    assert_true(pixel[0] > 60); /* all blue would be 0 */
    tpi_buf_fini(&out);
    tpi_buf_fini(&text);
    tpi_sim_destroy(sim);
}

/* A wide beam along a wall: the range is that of its middle, but beyond the wall there is nothing.
 */
static void beams_do_not_reach_through_walls(void **state)
{
    const tpi_draw_look look = {.width = 300, .height = 220, .bare = true};
    tpi_sim *sim = sim_make("model ( size [3 2 0.3] boundary 1 )\n"
                            "model ( size [3 0.02 0.3] pose [0 0.3 0 0] )\n"
                            "position ( name \"r\" size [0.2 0.2 0.2] pose [-1 0 0 0]"
                            " ranger ( sensor ( range [0 2] fov 60 samples 1 ) ) )\n");
    struct draw_view view;
    tpi_buf free_of = {0};
    tpi_buf seeing = {0};

    (void)state;
    assert_int_equal(tpi_draw_view_init(&view, sim, &look, NULL), TP_OK);
    assert_int_equal(tpi_draw_pixels(&free_of, sim, &look, NULL), TP_OK);
    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_subscribe(sim, i);
    }
    sim_steps(sim, 2);
    assert_int_equal(tpi_draw_pixels(&seeing, sim, &look, NULL), TP_OK);
    for (int i = 0; i < 2; i++) { /* 21 degrees to the right, and as much to the left */
        const struct draw_point at = draw_at(&view, 0, i == 0 ? -0.4 : 0.4);
        const size_t pixel = 3 * ((size_t)at.y * 300 + (size_t)at.x);
        assert_int_equal(memcmp(free_of.data + pixel, seeing.data + pixel, 3) == 0, i == 1);
    }
    tpi_buf_fini(&free_of);
    tpi_buf_fini(&seeing);
    tpi_sim_destroy(sim);
}

/* ---- Floors and lamps ------------------------------------------------------------------------ */

#define ARENA "model ( size [3 2 0.3] boundary 1 ) floor ( size [2 0.2 0] color \"%s\" )\n"

/* How bright the pixel at a place is, 0 to 255. */
static int brightness_at(const char *world, bool dark, double x, double y)
{
    const tpi_draw_look look = {.width = 300, .height = 220, .bare = true, .dark = dark};
    tpi_sim *sim = sim_make(world);
    struct draw_view view;
    tpi_buf out = {0};

    assert_int_equal(tpi_draw_view_init(&view, sim, &look, NULL), TP_OK);
    assert_int_equal(tpi_draw_pixels(&out, sim, &look, NULL), TP_OK);
    const struct draw_point at = draw_at(&view, x, y);
    const unsigned char *pixel =
        (const unsigned char *)out.data + 3 * ((size_t)at.y * 300 + (size_t)at.x);
    const int bright = (pixel[0] + pixel[1] + pixel[2]) / 3;
    tpi_buf_fini(&out);
    tpi_sim_destroy(sim);
    return bright;
}

static void the_floor_has_its_colour(void **state)
{
    char black[200];
    char white[200];

    (void)state;
    snprintf(black, sizeof black, ARENA "floor_color \"black\"", "white");
    snprintf(white, sizeof white, ARENA, "black");
    assert_true(brightness_at(black, false, 0, 0.5) < 10);
    assert_true(brightness_at(black, false, 0, 0) > 240);
    assert_true(brightness_at(black, true, 0, 0) > brightness_at(black, true, 0, 0.5) + 80);
    assert_true(brightness_at(white, false, 0, 0.5) > 230);
    assert_true(brightness_at(white, false, 0, 0) < 10);
    assert_true(brightness_at(white, true, 0, 0.5) > brightness_at(white, true, 0, 0) + 40);
}

/* Even in strong light the line can be followed. */
static void lamps_leave_what_lies_on_the_floor_visible(void **state)
{
    char world[200];

    (void)state;
    snprintf(world, sizeof world, ARENA "light ( pose [0.4 0.4 1 0] intensity 20 )", "black");
    assert_true(brightness_at(world, false, 0, 0.2) > brightness_at(world, false, 0, 0) + 120);
    assert_true(brightness_at(world, true, 0, 0.2) > brightness_at(world, true, 0, 0) + 30);
}

/* Up and to the left, no farther than 20 degrees to each side. */
static void spotlights_shine_into_their_cones(void **state)
{
    const char *world = "model ( size [3 2 0.3] boundary 1 )\nfloor_color \"black\"\n"
                        "light ( pose [0.2 -0.2 0.2 135] fov 40 intensity 1 )";
    const int dark = brightness_at(world, false, 0.6, 0);

    (void)state;
    assert_true(brightness_at(world, false, 0, 0) > dark + 20);
    assert_true(brightness_at(world, false, 0.02, 0.1) > dark + 20);   /* 14 degrees right */
    assert_int_equal(brightness_at(world, false, 0.05, 0.15), dark);   /* 22 degrees right */
    assert_int_equal(brightness_at(world, false, -0.15, -0.05), dark); /* and left */
    assert_int_equal(brightness_at(world, false, 0.4, -0.4), dark);    /* behind */
}

static void lamps_are_in_the_picture_with_their_names(void **state)
{
    struct draw_view view;
    const struct noted noted =
        note_world("floor ( size [3 2 0] ) light ( name \"lamp\" pose [0 3 1 0] )"
                   "light ( name \"sun\" pose [100 0 50 0] intensity 9999 )"
                   "light ( name \"off\" pose [1 0 1 0] intensity 0 )",
                   &view);
    const struct draw_point lamp = draw_at(&view, 0, 3);
    const struct draw_point name = middle_of(&noted, "lamp");

    (void)state;
    (void)middle_of(&noted, "off");
    assert_true(lamp.y > 0 && hypot(name.x - lamp.x, name.y - lamp.y) < 40);
    assert_true(view.high[0] < 10); /* the sun does not make everything else small */
    assert_true(brightness_at("floor ( size [3 2 0] color \"white\" ) light ( intensity 1 )", false,
                              0, 0) < 250); /* the disc of the lamp */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stand_at_the_body_not_at_the_pose),
        cmocka_unit_test(names_cover_no_other_robots),
        cmocka_unit_test(names_at_the_side_are_moved_in),
        cmocka_unit_test(names_can_be_read_on_every_floor),
        cmocka_unit_test(names_stand_beside_walls),
        cmocka_unit_test(of_many_robots_none_is_named),
        cmocka_unit_test(long_worlds_have_long_pictures),
        cmocka_unit_test(a_single_robot_has_room_around_it),
        cmocka_unit_test(a_floor_is_where_its_origin_is),
        cmocka_unit_test(scale_bars_have_a_unit_that_fits),
        cmocka_unit_test(what_has_no_colour_can_be_told_apart),
        cmocka_unit_test(many_scans_leave_the_ground_visible),
        cmocka_unit_test(beams_do_not_reach_through_walls),
        cmocka_unit_test(the_floor_has_its_colour),
        cmocka_unit_test(lamps_leave_what_lies_on_the_floor_visible),
        cmocka_unit_test(spotlights_shine_into_their_cones),
        cmocka_unit_test(lamps_are_in_the_picture_with_their_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
