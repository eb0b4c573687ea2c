/* survey_test.c - a robot drives through two rooms with bad odometry and makes a map of them. */
#include "navigation/survey.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "navigation/mapfile.h"
#include "support/unit.h"

enum { BEAMS = 181 };

static const double pi = 3.14159265358979323846;

static const tpi_nav_survey_settings usual = {
    .scale = 0.05, .longest = 8, .reach = 0.15, .twist = 0.1, .most = 4 << 20, .few_beams = 90};

struct scene {
    tpi_nav_grid truth;
    tpi_nav_survey survey;
    tpi_nav_pose robot;
    tpi_nav_pose told; /* the pose by odometry alone */
    uint64_t random;
};

static void block(struct scene *s, double x0, double y0, double x1, double y1)
{
    for (double y = y0 + 0.025; y < y1; y += 0.05) {
        for (double x = x0 + 0.025; x < x1; x += 0.05) {
            uint32_t column;
            uint32_t row;
            assert_true(tpi_nav_grid_at(&s->truth, x, y, &column, &row));
            s->truth.cells[(size_t)row * s->truth.width + column] = 1;
        }
    }
}

static void begin(struct scene *s, const tpi_nav_survey_settings *settings)
{
    *s = (struct scene){.robot = {2, 2, 0}, .told = {2, 2, 0}, .random = 7};
    assert_int_equal(tpi_nav_grid_init(&s->truth, 240, 160, 0.05, NULL), TP_OK);
    memset(s->truth.cells, -1, 240 * 160);
    block(s, 0, 0, 12, 0.2);
    block(s, 0, 7.8, 12, 8);
    block(s, 0, 0, 0.2, 8);
    block(s, 11.8, 0, 12, 8);
    block(s, 5, 0, 5.2, 3);
    block(s, 5, 4.5, 5.2, 8);
    block(s, 1, 6, 2.5, 7.8);
    block(s, 9, 0.2, 10, 1.5);
    block(s, 8, 5, 8.5, 5.5);
    tpi_nav_survey_init(&s->survey, settings, &s->robot);
}

static void end(struct scene *s)
{
    tpi_nav_survey_fini(&s->survey);
    tpi_nav_grid_fini(&s->truth);
}

/* Between -1 and 1. */
static double chance(struct scene *s)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(s->random >> 33) / (double)(1u << 30) - 1;
}

static void look(const struct scene *s, tpi_nav_beam *out)
{
    for (int i = 0; i < BEAMS; i++) {
        const double angle = -pi / 2 + pi * i / (BEAMS - 1);
        const double range =
            tpi_nav_grid_ray(&s->truth, s->robot.x, s->robot.y, s->robot.a + angle, 8);
        out[i] = tpi_nav_beam_make(0, 0, angle, range, range < 8);
    }
}

/* Move in its own frame; the odometry is wrong by up to 15 % and turns by itself. */
static void drive(struct scene *s, double forward, double turn)
{
    const tpi_nav_pose by = {forward, 0, turn};
    const tpi_nav_pose told = {forward * (1.05 + 0.1 * chance(s)), 0,
                               turn * (1 + 0.15 * chance(s)) + 0.01 * forward};
    tpi_nav_beam beams[BEAMS];

    s->robot = tpi_nav_after(&s->robot, &by);
    s->told = tpi_nav_after(&s->told, &told);
    look(s, beams);
    assert_int_equal(tpi_nav_survey_take(&s->survey, &told, beams, BEAMS, NULL), TP_OK);
}

static void turn_to(struct scene *s, double angle)
{
    double left = tpi_nav_angle(angle - s->robot.a);

    while (fabs(left) > 1e-6) {
        const double by = fmax(fmin(left, 0.1), -0.1);
        drive(s, 0, by);
        left -= by;
    }
}

static void go(struct scene *s, double x, double y)
{
    const double way = hypot(x - s->robot.x, y - s->robot.y);

    turn_to(s, atan2(y - s->robot.y, x - s->robot.x));
    for (double done = 0; done < way - 1e-6; done += 0.1) {
        drive(s, fmin(0.1, way - done), 0);
    }
}

static void tour(struct scene *s)
{
    drive(s, 0, 0);
    go(s, 3.8, 2);
    go(s, 3.8, 3.7);
    go(s, 7, 3.7);
    go(s, 7, 1.2);
    go(s, 11, 2);
    go(s, 11, 7);
    go(s, 6, 7);
    go(s, 7, 3.8);
    go(s, 3.8, 3.8);
    go(s, 3, 5.5);
    go(s, 1, 4);
    go(s, 2, 2);
}

/* Whether the truth has such a cell there or next to it. */
static bool right_at(const struct scene *s, double x, double y, int8_t value)
{
    bool found = false;

    for (int i = -1; i <= 1; i++) {
        for (int j = -1; j <= 1; j++) {
            found = found || tpi_nav_grid_value(&s->truth, x + i * 0.05, y + j * 0.05) == value;
        }
    }
    return found;
}

/* The share of the known cells that is right within a cell; their number in `known`. */
static double right_share(const struct scene *s, const tpi_nav_grid *grid, size_t *known)
{
    size_t right = 0;

    *known = 0;
    for (uint32_t row = 0; row < grid->height; row++) {
        for (uint32_t column = 0; column < grid->width; column++) {
            const int8_t value = grid->cells[(size_t)row * grid->width + column];
            double x, y;
            tpi_nav_grid_centre(grid, column, row, &x, &y);
            *known += value != 0;
            right += value != 0 && right_at(s, x, y, value);
        }
    }
    return *known > 0 ? (double)right / (double)*known : 0;
}

static void a_map_is_made_with_odometry_that_drifts(void **state)
{
    struct scene s;
    size_t known;

    (void)state;
    begin(&s, &usual);
    tour(&s);
    assert_true(hypot(s.told.x - s.robot.x, s.told.y - s.robot.y) > 0.5); /* odometry is lost */
    assert_true(hypot(s.survey.pose.x - s.robot.x, s.survey.pose.y - s.robot.y) < 0.05);
    assert_true(fabs(tpi_nav_angle(s.survey.pose.a - s.robot.a)) < 0.02);
    assert_true(s.survey.fit > 0.5);
    assert_true(right_share(&s, &s.survey.grid, &known) > 0.98);
    assert_true(known > 30000); /* of 38400 cells, some of which are inside of walls */
    assert_false(s.survey.full);
    end(&s);
}

static void what_has_gone_is_forgotten(void **state)
{
    struct scene s;

    (void)state;
    begin(&s, &usual);
    block(&s, 4, 1.8, 4.2, 2.2); /* somebody stands there */
    for (int i = 0; i < 3; i++) {
        drive(&s, 0, 0);
    }
    assert_int_equal(tpi_nav_grid_value(&s.survey.grid, 4.03, 2), TPI_NAV_OCCUPIED);
    for (uint32_t row = 36; row < 44; row++) {
        memset(s.truth.cells + (size_t)row * 240 + 80, -1, 4);
    }
    for (int i = 0; i < 20; i++) {
        drive(&s, 0, 0);
    }
    assert_int_equal(tpi_nav_grid_value(&s.survey.grid, 4.03, 2), TPI_NAV_FREE);
    end(&s);
}

static void a_map_does_not_grow_beyond_its_limit(void **state)
{
    tpi_nav_survey_settings small = usual;
    struct scene s;

    (void)state;
    small.most = 60000;
    begin(&s, &small);
    tour(&s);
    assert_true(s.survey.full);
    assert_true((size_t)s.survey.grid.width * s.survey.grid.height <= small.most);
    end(&s);
    small.most = 0; /* not even the first scan fits */
    begin(&s, &small);
    drive(&s, 0, 0);
    drive(&s, 0.1, 0);
    assert_true(s.survey.full);
    assert_null(s.survey.grid.cells);
    end(&s);
}

static void a_scan_of_another_place_does_not_move_the_robot(void **state)
{
    struct scene s;
    tpi_nav_beam beams[BEAMS];
    tpi_nav_pose found;
    double fit;

    (void)state;
    begin(&s, &usual);
    drive(&s, 0, 0);
    for (int i = 0; i < BEAMS; i++) {
        beams[i] =
            tpi_nav_beam_make(0, 0, -pi / 2 + pi * i / (BEAMS - 1), 0.8 + 0.01 * (i % 7), true);
    }
    assert_int_equal(tpi_nav_survey_match(&s.survey, &s.robot, beams, BEAMS, &found, &fit, NULL),
                     TP_OK);
    assert_true(fit < 0.35);
    assert_memory_equal(&found, &s.robot, sizeof found);
    assert_int_equal(tpi_nav_survey_match(&s.survey, &s.robot, beams, 0, &found, &fit, NULL),
                     TP_OK);
    assert_memory_equal(&found, &s.robot, sizeof found);
    end(&s);
}

static void a_map_that_was_saved_loads_as_it_was(void **state)
{
    char folder[] = "/tmp/survey.XXXXXX";
    char path[64];
    tpi_nav_grid loaded;
    tpi_nav_rules rules;
    struct scene s;
    size_t known, same = 0, count = 0;

    (void)state;
    begin(&s, &usual);
    go(&s, 3.8, 2);
    right_share(&s, &s.survey.grid, &known);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rooms", folder);
    assert_int_equal(tpi_nav_mapfile_save(&s.survey.grid, path, NULL), TP_OK);
    strcat(path, ".yaml");
    assert_int_equal(tpi_nav_mapfile_yaml(&loaded, path, &rules, NULL), TP_OK);
    for (uint32_t row = 0; row < loaded.height; row++) {
        for (uint32_t column = 0; column < loaded.width; column++) {
            const int8_t value = loaded.cells[(size_t)row * loaded.width + column];
            double x, y;
            tpi_nav_grid_centre(&loaded, column, row, &x, &y);
            count += value != 0;
            same += value != 0 && tpi_nav_grid_value(&s.survey.grid, x, y) == value;
        }
    }
    assert_int_equal(count, known);
    assert_int_equal(same, known);
    assert_int_equal(remove(path), 0);
    strcpy(strrchr(path, '.'), ".png");
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
    tpi_nav_grid_fini(&loaded);
    end(&s);
}

static void a_map_that_cannot_be_saved_says_where(void **state)
{
    struct scene s;
    tp_error err = {0};

    (void)state;
    begin(&s, &usual);
    drive(&s, 0, 0);
    assert_int_equal(tpi_nav_mapfile_save(&s.survey.grid, "/no/folder/m", &err), TP_E_IO);
    assert_string_equal(err.text, "/no/folder/m.png: No such file or directory");
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_is_made_with_odometry_that_drifts),
        cmocka_unit_test(what_has_gone_is_forgotten),
        cmocka_unit_test(a_map_does_not_grow_beyond_its_limit),
        cmocka_unit_test(a_scan_of_another_place_does_not_move_the_robot),
        cmocka_unit_test(a_map_that_was_saved_loads_as_it_was),
        cmocka_unit_test(a_map_that_cannot_be_saved_says_where),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
