/* filter_test.c - a robot in a room that is not symmetric, with readings made from the map. */
#include "navigation/filter.h"

#include <math.h>
#include <string.h>

#include "support/unit.h"

enum { BEAMS = 30 };

static const double pi = 3.14159265358979323846;

struct scene {
    tpi_nav_grid grid;
    tpi_nav_field field;
    tpi_nav_filter filter;
    tpi_nav_pose robot;
};

static void block(struct scene *s, double x0, double y0, double x1, double y1)
{
    for (double y = y0 + 0.05; y < y1; y += 0.1) {
        for (double x = x0 + 0.05; x < x1; x += 0.1) {
            uint32_t column;
            uint32_t row;
            assert_true(tpi_nav_grid_at(&s->grid, x, y, &column, &row));
            s->grid.cells[(size_t)row * s->grid.width + column] = 1;
        }
    }
}

/* Two rooms with a door between them, and furniture. */
static void begin(struct scene *s, bool beams)
{
    const tpi_nav_filter_settings settings = {.least = 100,
                                              .most = 5000,
                                              .error = 0.05,
                                              .quantile = 3,
                                              .drift = {{0.2, 0, 0}, {0, 0.2, 0}, {0.2, 0, 0.2}},
                                              .seed = 1};

    assert_int_equal(tpi_nav_grid_init(&s->grid, 120, 80, 0.1, NULL), TP_OK);
    memset(s->grid.cells, -1, 120 * 80);
    block(s, 0, 0, 12, 0.2);
    block(s, 0, 7.8, 12, 8);
    block(s, 0, 0, 0.2, 8);
    block(s, 11.8, 0, 12, 8);
    block(s, 5, 0, 5.2, 3);
    block(s, 5, 4.5, 5.2, 8);
    block(s, 1, 6, 2.5, 7.8);
    block(s, 9, 0.2, 10, 1.5);
    block(s, 8, 5, 8.5, 5.5);
    assert_int_equal(tpi_nav_field_init(&s->field, &s->grid, 0.1, 0.1, NULL), TP_OK);
    s->field.beams = beams;
    assert_int_equal(tpi_nav_filter_init(&s->filter, &s->field, &settings, NULL), TP_OK);
}

static void end(struct scene *s)
{
    tpi_nav_filter_fini(&s->filter);
    tpi_nav_field_fini(&s->field);
    tpi_nav_grid_fini(&s->grid);
}

static void look(const struct scene *s, tpi_nav_beam *out)
{
    for (int i = 0; i < BEAMS; i++) {
        const double angle = -pi / 2 + pi * i / (BEAMS - 1);
        const double range =
            tpi_nav_grid_ray(&s->grid, s->robot.x, s->robot.y, s->robot.a + angle, 8);
        out[i] = tpi_nav_beam_make(0, 0, angle, fmin(range + 0.03, 8), range < 8);
    }
}

/* Move in its own frame, and let the filter know. */
static void drive(struct scene *s, double forward, double turn)
{
    const tpi_nav_pose by = {forward, 0, turn};
    tpi_nav_beam beams[BEAMS];

    s->robot.x += forward * cos(s->robot.a);
    s->robot.y += forward * sin(s->robot.a);
    s->robot.a = tpi_nav_angle(s->robot.a + turn);
    tpi_nav_filter_move(&s->filter, &by);
    look(s, beams);
    tpi_nav_filter_sense(&s->filter, beams, BEAMS);
}

static double off(const struct scene *s)
{
    const tpi_nav_guess *best = &s->filter.guesses[0];

    assert_true(s->filter.guess_count > 0);
    return hypot(best->mean.x - s->robot.x, best->mean.y - s->robot.y) +
           fabs(tpi_nav_angle(best->mean.a - s->robot.a));
}

static void a_known_start_is_followed(void **state)
{
    const double deviation[3] = {0.3, 0.3, 0.2};
    static struct scene s;

    (void)state;
    begin(&s, false);
    s.robot = (tpi_nav_pose){2, 2, 0};
    tpi_nav_filter_start_at(&s.filter, &(tpi_nav_pose){2.2, 1.9, 0.1}, deviation);
    for (int i = 0; i < 10; i++) {
        drive(&s, 0.2, 0.1);
    }
    assert_true(off(&s) < 0.15);
    assert_true(s.filter.count < 1000); /* it needs few particles when it is sure */
    assert_true(s.filter.guesses[0].weight > 0.9);
    end(&s);
}

static void an_unknown_start_is_found(void **state)
{
    static struct scene s;

    (void)state;
    for (int beams = 0; beams < 2; beams++) {
        begin(&s, beams != 0);
        s.robot = (tpi_nav_pose){3, 3.7, 0.2};
        tpi_nav_filter_start_anywhere(&s.filter);
        for (int i = 0; i < 12; i++) {
            drive(&s, 0.25, i % 4 == 0 ? 0.3 : -0.1);
        }
        if (off(&s) > 0.25) {
            fail_msg("%g off, %zu particles", off(&s), s.filter.count);
        }
        end(&s);
    }
}

static void a_robot_that_was_carried_away_is_found_again(void **state)
{
    const double deviation[3] = {0.2, 0.2, 0.1};
    static struct scene s;

    (void)state;
    begin(&s, false);
    s.robot = (tpi_nav_pose){2, 2, 0};
    tpi_nav_filter_start_at(&s.filter, &s.robot, deviation);
    for (int i = 0; i < 10; i++) {
        drive(&s, 0.1, 0.1);
    }
    s.robot = (tpi_nav_pose){9, 6.5, -2};
    int steps = 0;
    do {
        drive(&s, 0.15, 0.15);
        steps++;
    } while (off(&s) > 0.3 && steps < 40);
    assert_in_range(steps, 1, 39);
    for (int i = 0; i < 5; i++) {
        drive(&s, 0.1, 0.1);
    }
    assert_true(off(&s) < 0.3);
    end(&s);
}

static void two_places_that_look_alike_are_two_guesses(void **state)
{
    const tpi_nav_filter_settings settings = {.least = 500,
                                              .most = 5000,
                                              .error = 0.02,
                                              .quantile = 3,
                                              .drift = {{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}},
                                              .seed = 2};
    static struct scene s;

    (void)state;
    assert_int_equal(tpi_nav_grid_init(&s.grid, 100, 60, 0.1, NULL), TP_OK);
    memset(s.grid.cells, -1, 6000);
    block(&s, 0, 0, 10, 0.2); /* a rectangle looks the same from opposite corners */
    block(&s, 0, 5.8, 10, 6);
    block(&s, 0, 0, 0.2, 6);
    block(&s, 9.8, 0, 10, 6);
    assert_int_equal(tpi_nav_field_init(&s.field, &s.grid, 0.1, 0.1, NULL), TP_OK);
    assert_int_equal(tpi_nav_filter_init(&s.filter, &s.field, &settings, NULL), TP_OK);
    s.robot = (tpi_nav_pose){2, 2, 0.5};
    tpi_nav_filter_start_anywhere(&s.filter);
    for (int i = 0; i < 3; i++) {
        drive(&s, 0.1, 0.1);
    }
    assert_true(s.filter.guess_count >= 2);
    const tpi_nav_guess *g = s.filter.guesses;
    assert_true(fabs(g[0].mean.x + g[1].mean.x - 10) < 0.5 &&
                fabs(g[0].mean.y + g[1].mean.y - 6) < 0.5);
    assert_true(g[0].weight >= g[1].weight && g[1].weight > 0.1);
    end(&s);
}

static void a_map_without_a_free_cell_is_refused(void **state)
{
    const tpi_nav_filter_settings settings = {.least = 10, .most = 100};
    tpi_nav_grid grid;
    tpi_nav_field field;
    tpi_nav_filter filter;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_nav_grid_init(&grid, 4, 4, 1, NULL), TP_OK);
    assert_int_equal(tpi_nav_field_init(&field, &grid, 0.1, 0.1, NULL), TP_OK);
    assert_int_equal(tpi_nav_filter_init(&filter, &field, &settings, &err), TP_E_INVALID);
    assert_string_equal(err.text, "the map has no free cell");
    tpi_nav_filter_fini(&filter);
    tpi_nav_field_fini(&field);
    tpi_nav_grid_fini(&grid);
}

/* How well one reading fits by rays, from the definition. */
static double fit_of(const struct scene *s, const tpi_nav_pose *pose, const tpi_nav_beam *beam)
{
    const double seen = tpi_nav_grid_ray(&s->grid, pose->x, pose->y, pose->a + beam->angle, 12);
    const double away =
        fmax(beam->hit ? fabs(seen - beam->range) - s->grid.scale / 2 : beam->range - seen, 0);

    return log(0.9 * exp(-away * away / 0.1 / 0.1 / 2) + 0.1);
}

static void rays_in_long_steps_meet_what_short_ones_meet(void **state)
{
    static struct scene s;
    double most = 0;

    (void)state;
    begin(&s, true);
    for (int i = 0; i < 4000; i++) { /* in both rooms, in walls and outside */
        const tpi_nav_pose pose = {-0.5 + 0.00325 * i, 0.371 * (i % 23) - 0.1, 0.7 * i};
        const tpi_nav_beam beam =
            tpi_nav_beam_make(0, 0, 0.01 * (i % 300), 0.3 + 0.05 * (i % 150), i % 5 != 0);
        most = fmax(most,
                    fabs(tpi_nav_field_fit(&s.field, &pose, &beam, 1) - fit_of(&s, &pose, &beam)));
    }
    assert_true(most < 0.01); /* of a table */
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_start_is_followed),
        cmocka_unit_test(an_unknown_start_is_found),
        cmocka_unit_test(a_robot_that_was_carried_away_is_found_again),
        cmocka_unit_test(two_places_that_look_alike_are_two_guesses),
        cmocka_unit_test(a_map_without_a_free_cell_is_refused),
        cmocka_unit_test(rays_in_long_steps_meet_what_short_ones_meet),
    };

    return cmocka_run_group_tests_name("filter_test", tests, NULL, NULL);
}
