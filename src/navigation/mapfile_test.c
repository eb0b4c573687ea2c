/* mapfile_test.c - maps from pictures and from the YAML files of map_server; grids and rays. */
#include "navigation/mapfile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "platform/folder.h"
#include "support/unit.h"

/* Four columns, three rows: black, dark grey, light grey, white in the first row. */
static const char pgm[] = "P2\n4 3\n255\n0 100 240 255\n255 255 255 255\n0 255 255 255\n";

static char folder[64];

static const char *write_file(const char *name, const char *text)
{
    static char path[256];
    tp_error err = {0};

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (tpi_file_write(path, text, strlen(text), &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    return path;
}

static void has_cells(const tpi_nav_grid *grid, const int8_t cells[12])
{
    assert_int_equal(grid->width, 4);
    assert_int_equal(grid->height, 3);
    for (size_t i = 0; i < 12; i++) {
        if (grid->cells[i] != cells[i]) {
            fail_msg("cell %zu is %d, not %d", i, grid->cells[i], cells[i]);
        }
    }
}

static void a_picture_has_its_first_row_on_top(void **state)
{
    static const int8_t cells[] = {1, -1, -1, -1, -1, -1, -1, -1, 1, 0, -1, -1};
    tpi_nav_rules rules = tpi_nav_rules_of_player();
    tpi_nav_grid grid;

    (void)state;
    rules.scale = 0.5;
    assert_int_equal(tpi_nav_mapfile_picture(&grid, write_file("a.pgm", pgm), &rules, NULL), TP_OK);
    has_cells(&grid, cells);
    assert_true(grid.x == -1 && grid.y == -0.75); /* 0 0 is in its middle */
    assert_int_equal(tpi_nav_grid_value(&grid, -0.9, -0.7), 1);
    assert_int_equal(tpi_nav_grid_value(&grid, -0.4, -0.7), -1);
    assert_int_equal(tpi_nav_grid_value(&grid, 5, 0), 0);
    tpi_nav_grid_fini(&grid);
}

static void negate_turns_light_into_dark(void **state)
{
    static const int8_t cells[] = {-1, 1, 1, 1, 1, 1, 1, 1, -1, 0, 0, 1};
    tpi_nav_rules rules = tpi_nav_rules_of_player();
    tpi_nav_grid grid;

    (void)state;
    rules.scale = 1;
    rules.negate = true;
    assert_int_equal(tpi_nav_mapfile_picture(&grid, write_file("b.pgm", pgm), &rules, NULL), TP_OK);
    has_cells(&grid, cells);
    tpi_nav_grid_fini(&grid);
}

static void a_yaml_file_names_its_picture_and_rules(void **state)
{
    static const int8_t cells[] = {1, -1, -1, -1, -1, -1, -1, -1, 1, 0, -1, -1};
    tpi_nav_rules rules;
    tpi_nav_grid grid;
    tp_error err = {0};

    (void)state;
    write_file("c.pgm", pgm);
    const char *path =
        write_file("c.yaml", "# a map\nimage: \"c.pgm\" # here\n"
                             "resolution: 0.05\norigin: [-1.5, 2, 0.25]\nnegate: 0\n"
                             "occupied_thresh: 0.65\nfree_thresh: 0.196\nmode: trinary\n"
                             "unknown_key: 7\n");
    if (tpi_nav_mapfile_yaml(&grid, path, &rules, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    has_cells(&grid, cells);
    assert_true(grid.scale == 0.05 && grid.x == -1.5 && grid.y == 2 && rules.yaw == 0.25);
    tpi_nav_grid_fini(&grid);
}

static void is_refused(const char *text, const char *why)
{
    tpi_nav_mapyaml yaml;
    tp_error err = {0};

    assert_int_not_equal(tpi_nav_mapyaml_read(&yaml, text, strlen(text), &err), TP_OK);
    assert_string_equal(err.text, why);
}

static void bad_yaml_is_refused_with_its_line(void **state)
{
    (void)state;
    is_refused("", "the file has no image");
    is_refused("image: a.png\norigin: [0, 0, 0]\n", "the file has no resolution");
    is_refused("image: a.png\nresolution: 1\n", "the file has no origin");
    is_refused("image:\n", "line 1: image needs the name of a picture");
    is_refused("a\n", "line 1: this is not `key: value`");
    is_refused("\nresolution: wide\n", "line 2: resolution needs a number");
    is_refused("origin: [1, 2]\n", "line 1: origin needs three numbers");
    is_refused("origin: 1, 2, 3\n", "line 1: origin needs [x, y, yaw]");
    is_refused("origin: [1, 2, x]\n", "line 1: origin needs a number");
    is_refused("negate: maybe\n", "line 1: negate needs 0 or 1");
    is_refused("mode: raw\n", "line 1: only the mode trinary is supported");
    is_refused("free_thresh: 2\n", "line 1: free_thresh is not between 0 and 1");
    is_refused("image: a\nresolution: 1\norigin: [0,0,0]\nfree_thresh: 0.9\n",
               "free_thresh is above occupied_thresh");
}

static void what_is_written_reads_back(void **state)
{
    const tpi_nav_grid grid = {.width = 1, .height = 1, .scale = 0.05, .x = -3.25, .y = 0.1};
    tpi_nav_mapyaml yaml;
    tpi_buf text = {0};

    (void)state;
    tpi_nav_mapyaml_write(&text, &grid, "office.png");
    assert_int_equal(tpi_nav_mapyaml_read(&yaml, text.data, text.length, NULL), TP_OK);
    assert_string_equal(yaml.image, "office.png");
    assert_true(yaml.rules.scale == 0.05 && yaml.rules.x == -3.25 && yaml.rules.y == 0.1);
    tpi_buf_fini(&text);
}

static void wrong_files_are_named(void **state)
{
    tpi_nav_rules rules = tpi_nav_rules_of_player();
    tpi_nav_grid grid;
    tp_error err = {0};

    (void)state;
    assert_int_not_equal(tpi_nav_mapfile_picture(&grid, "/no/such.png", &rules, &err), TP_OK);
    assert_non_null(strstr(err.text, "/no/such.png"));
    assert_null(grid.cells);
    const char *path = write_file("d.pgm", pgm); /* without a scale */
    assert_int_equal(tpi_nav_mapfile_picture(&grid, path, &rules, &err), TP_E_RANGE);
    assert_non_null(strstr(err.text, "/d.pgm: the side of a cell, 0 m, is not a length above 0"));
}

static void rays_end_at_occupied_cells(void **state)
{
    tpi_nav_grid grid;

    (void)state;
    assert_int_equal(tpi_nav_grid_init(&grid, 20, 10, 0.5, NULL), TP_OK);
    grid.cells[5 * 20 + 12] = 1; /* from 6 to 6.5, 2.5 to 3 */
    assert_true(fabs(tpi_nav_grid_ray(&grid, 1, 2.75, 0, 8) - 5) < 1e-9);
    assert_true(fabs(tpi_nav_grid_ray(&grid, 1, 2.25, 0, 8) - 8) < 1e-9);
    assert_true(fabs(tpi_nav_grid_ray(&grid, 9, 2.75, acos(-1), 8) - 2.5) < 1e-9);
    assert_true(fabs(tpi_nav_grid_ray(&grid, 6.25, 0, acos(-1) / 2, 8) - 2.5) < 1e-9);
    assert_true(fabs(tpi_nav_grid_ray(&grid, -5, 2.75, 0, 30) - 11) < 1e-9); /* from outside */
    tpi_nav_grid_fini(&grid);
}

static int set_up(void **state)
{
    tp_error err;

    (void)state;
    return tpi_folder_make(folder, sizeof folder, &err) == TP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tpi_folder_remove(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_has_its_first_row_on_top),
        cmocka_unit_test(negate_turns_light_into_dark),
        cmocka_unit_test(a_yaml_file_names_its_picture_and_rules),
        cmocka_unit_test(bad_yaml_is_refused_with_its_line),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(wrong_files_are_named),
        cmocka_unit_test(rays_end_at_occupied_cells),
    };

    return cmocka_run_group_tests_name("mapfile_test", tests, set_up, tear_down);
}
