/*
 * bad_test.c - world files that are wrong: every error says what and where.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "sim/world/bitmap.h"
#include "support/sim.h"

/* ---- Errors ---------------------------------------------------------------------------------- */

struct bad {
    const char *text;
    const char *error; /* behind "x.world:" */
};

static const struct bad syntax[] = {
    {"model (", "1:8: expected \")\" for \"model\" of line 1, found the end of the file"},
    {"model ( name a )",
     "1:14: expected a value for \"name\", found the word a; a text needs quotes"},
    {"\n  model ( pose [0 0 0 0 )", "2:25: expected a value or \"]\" for \"pose\", found \")\""},
    {"model ( pose [0 0 0 nan] )",
     "1:21: expected a value or \"]\" for \"pose\", found the word nan; that is no number"},
    {"model ( pose [1e400 0 0 0] )", "1:15: the number 1e400 is too large"},
    {"define position position ( ) position ( )", "1:17: the macro \"position\" uses itself"},
    {"define a b ( )\ndefine b a ( )\na ( )",
     "2:10: the macro \"a\" uses \"b\", which uses \"a\" again"},
    {"include \"gone.inc\"", "1:1: cannot include gone.inc: No such file or directory"},
    {"position ( ranger ( include \"gone.inc\" ) )",
     "1:21: cannot include gone.inc: No such file or directory"},
    {"unit_length \"ft\"", "1:13: \"unit_length\" takes \"m\", \"cm\" or \"mm\", not \"ft\""},
};

static const struct bad kinds[] = {
    {"modle ( )", "1:1: there is no model \"modle\"; did you mean \"model\"?"},
    {"xyzzy ( )", "1:1: there is no model \"xyzzy\""},
    {"model ( ranger ( senzor ( ) ) )",
     "1:18: there is no model \"senzor\"; did you mean \"sensor\"?"},
    {"model ( Block ( ) )", "1:9: there is no model \"Block\"; did you mean \"block\"?"},
    {"define bot robt ( )\nbot ( )",
     "2:1: there is no model \"robt\", which the macro \"bot\" stands for"},
    {"define a b ( ) model ( )\na ( )",
     "2:1: there is no model \"b\", which the macro \"a\" stands for"},
    {"define bot positoin ( ) bot ( )",
     "1:25: there is no model \"positoin\", which the macro \"bot\" stands for; did you mean "
     "\"position\"?"},
    {"define explorer position ( ) model ( explore ( ) )",
     "1:38: there is no model \"explore\"; did you mean \"explorer\"?"},
    {"model ( )\nbot ( )\n\ndefine bot position ( )",
     "2:1: \"bot\" is used before it is defined, at x.world:4"},
    {"sensor ( )", "1:1: \"sensor\" belongs in a \"ranger\""},
    {"model ( sensor ( ) )", "1:9: \"sensor\" belongs in a \"ranger\""},
    {"block ( )", "1:1: \"block\" belongs in a \"model\""},
    {"model ( window ( ) )", "1:9: \"window\" belongs at the top of the file"},
    {"model ( gui ( ) )", "1:9: \"gui\" belongs at the top of the file"},
    {"driver ( name \"sim\" )",
     "1:1: \"driver\" belongs in a configuration (.cfg), not in a world"},
};

static const struct bad values[] = {
    {"model ( size [1] )", "1:9: \"size\" needs 3 values, not 1"},
    {"model ( pose [1 2] )", "1:9: \"pose\" needs 4 values, not 2"},
    {"model ( pose [1 2 3 \"x\"] )", "1:21: \"pose\" takes numbers, not \"x\""},
    {"model ( pose [9999999 0 0 0] )", "1:9: the pose is farther away than 1e+06 m"},
    {"model ( origin [0 0 9999999 0] )", "1:9: the origin is farther away than 1e+06 m"},
    {"model ( size [1 -1 1] )", "1:9: \"size\" is from 0 to 1e+06 m, not -1"},
    {"model ( color_rgba [1 0] )", "1:9: \"color_rgba\" needs 3 values, not 2"},
    {"model ( color 3 )", "1:15: \"color\" takes a text in quotes, not 3"},
    {"model ( update_interval 0 )", "1:9: \"update_interval\" is from 0.001 to 1e9 ms, not 0"},
    {"model ( fiducial_return 99999999999 )", "1:9: \"fiducial_return\" is too large: 99999999999"},
    {"model ( watts \"x\" )", "1:15: \"watts\" takes numbers, not \"x\""},
    {"model ( bitmap \"gone.png\" )", "1:9: gone.png: No such file or directory"},
    {"model ( bitmap [ ] )", "1:9: \"bitmap\" needs a file"},
    {"model ( bitmap \"\" )", "1:9: \"bitmap\" needs a file"},
    {"model ( mass 1e300 )", "1:9: \"mass\" is too large: 1e+300"},
    {"model ( ranger_return 1e300 )", "1:9: \"ranger_return\" is too large: 1e+300"},
    {"model ( joules 1e300 )", "1:9: \"joules\" is too large: 1e+300"},
    {"model ( pose ( 0 0 0 0 ) )",
     "1:16: expected a field or a section in \"pose\" (values stand in [ ]), found \"0\""},
    {"\xff\xfem", "1:1: the file is UTF-16; please save it as UTF-8"},
    {"interval_sim 0", "1:1: \"interval_sim\" is from 0.001 to 1e6 ms, not 0"},
    {"interval_sim -5", "1:1: \"interval_sim\" is from 0.001 to 1e6 ms, not -5"},
    {"model ( block ( points 3 point[0] [9999999 0] ) )",
     "1:26: the point is farther away than 1e+06 m"},
    {"model ( block ( points 3 z [0 9999999] ) )", "1:26: the block is higher than 1e+06 m"},
    {"model ( block ( points 99999 ) )", "1:17: \"points\" is from 0 to 65536, not 99999"},
    {"model ( block ( points 3 point[0] [1] ) )", "1:26: \"point[0]\" needs 2 values, not 1"},
};

static const struct bad devices[] = {
    {"position ( drive \"dif\" )",
     "1:18: \"drive\" is \"diff\", \"omni\" or \"car\", not \"dif\"; did you mean \"diff\"?"},
    {"position ( drive \"xyz\" )", "1:18: \"drive\" is \"diff\", \"omni\" or \"car\", not \"xyz\""},
    {"position ( drive [ ] )",
     "1:12: \"drive\" is \"diff\", \"omni\" or \"car\", not an empty tuple"},
    {"position ( drive 3 )", "1:18: \"drive\" is \"diff\", \"omni\" or \"car\", not \"3\""},
    {"position ( localization \"gpss\" )",
     "1:25: \"localization\" is \"gps\" or \"odom\", not \"gpss\"; did you mean \"gps\"?"},
    {"position ( collision \"bounce\" )",
     "1:22: \"collision\" is \"stop\" or \"slide\", not \"bounce\""},
    {"position ( velocity_bounds [1 2] )", "1:12: \"velocity_bounds\" needs 8 values, not 2"},
    {"position ( velocity_bounds [2 1 0 0 0 0 0 0] )",
     "1:12: \"velocity_bounds\" has the bounds 2 to 1; the least comes first"},
    {"position ( wheelbase 0 )", "1:12: \"wheelbase\" is greater than 0 and up to 1e+06 m, not 0"},
    {"position ( wheelbase 10000000 )",
     "1:12: \"wheelbase\" is greater than 0 and up to 1e+06 m, not 10000000"},
    {"model ( size \"big\" )", "1:14: \"size\" takes numbers, not \"big\""},
    {"model ( color_rgba \"red\" )", "1:20: \"color_rgba\" takes numbers, not \"red\""},
    {"model ( noblocks \"2x\" )", "1:18: \"noblocks\" takes yes or no, not \"2x\""},
    {"position ( velocity [9999999 0 0 0] )", "1:12: \"velocity\" is too large"},
    {"ranger ( sensor ( samples 0 ) )", "1:19: the sensor has no samples"},
    {"ranger ( sensor ( samples 70000 ) )", "1:19: \"samples\" is from 0 to 65536, not 70000"},
    {"ranger ( sensor ( range [0 0] ) )",
     "1:19: the range of a sensor is greater than 0, up to 1e+06 m, not 0"},
    {"ranger ( sensor ( range [3 2] ) )",
     "1:19: the least range of a sensor, 3 m, is beyond its greatest, 2 m; the least comes first"},
    {"ranger ( sensor ( range [8 0] ) )",
     "1:19: the least range of a sensor, 8 m, is beyond its greatest, 0 m; the least comes first"},
    {"laser ( range_min 9 )",
     "1:9: the least range of a sensor, 9 m, is beyond its greatest, 8 m; the least comes first"},
    {"blinkenlight ( period -5 )", "1:16: \"period\" is from 0 to 1e+09, not -5"},
    {"blinkenlight ( dutycycle 7 )", "1:16: \"dutycycle\" is from 0 to 1, not 7"},
    {"ranger ( sensor ( range 5 ) )", "1:19: \"range\" needs 2 values, not 1"},
    {"ranger ( sensor ( fov \"x\" ) )", "1:23: \"fov\" takes numbers, not \"x\""},
    {"ranger ( sensor ( pose [0 0 9999999 0] ) )", "1:10: the sensor is larger than the world"},
    {"ranger ( scount 1 spose[0] [1 2] )", "1:19: \"spose[0]\" needs 3 values, not 2"},
};

static void are_refused(const struct bad *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tpi_sim *sim = (tpi_sim *)&sim;
        tp_error err = {0};
        tp_status status =
            tpi_sim_parse(&sim, "x.world", cases[i].text, strlen(cases[i].text), NULL, &err);
        assert_int_equal(strncmp(err.text, "x.world:", 8), 0);
        assert_string_equal(err.text + 8, cases[i].error);
        assert_true(status == TP_E_SYNTAX || status == TP_E_IO);
        assert_null(sim);
    }
}

#define ALL(cases) cases, sizeof(cases) / sizeof((cases)[0])

static void bad_syntax_is_refused_with_its_place(void **state)
{
    (void)state;
    are_refused(ALL(syntax));
}

static void bad_kinds_are_refused_with_the_nearest(void **state)
{
    (void)state;
    are_refused(ALL(kinds));
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    are_refused(ALL(values));
}

static void bad_devices_are_refused(void **state)
{
    (void)state;
    are_refused(ALL(devices));
}

/* A ranger with too many samples is refused before it takes all memory. */
static void a_ranger_has_its_limits(void **state)
{
    tpi_buf text = {0};
    tpi_sim *sim = NULL;
    tp_error err = {0};

    (void)state;
    tpi_buf_puts(&text, "ranger ( ");
    for (int i = 0; i < 17; i++) {
        tpi_buf_puts(&text, "sensor ( samples 65536 )\n");
    }
    tpi_buf_puts(&text, ")");
    assert_int_equal(tpi_sim_parse(&sim, "x.world", text.data, text.length, NULL, &err),
                     TP_E_SYNTAX);
    assert_string_equal(err.text, "x.world:17:1: the ranger has more than 1048576 samples");
    tpi_buf_fini(&text);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static void pictures_that_are_none_are_refused(void **state)
{
    static const struct {
        const char *bytes;
        tp_status status;
        const char *text;
    } cases[] = {
        {"", TP_E_UNSUPPORTED,
         "the picture is neither PNG nor JPEG, BMP or PNM; please convert it"},
        {"GIF89a", TP_E_UNSUPPORTED,
         "the picture is neither PNG nor JPEG, BMP or PNM; please convert it"},
        {"P1 ", TP_E_SYNTAX, "the head of the picture has no width and height"},
        {"P1 2 x", TP_E_SYNTAX, "the head of the picture has no width and height"},
        {"P1 0 5 ", TP_E_SYNTAX, "the picture is empty"},
        {"P1 2 2 1 0 1", TP_E_SYNTAX, "the picture ends before its last pixel"},
        {"P5 2 2 255 abc", TP_E_SYNTAX, "the picture ends before its last pixel"},
        {"P5 2 2 99999 abcd", TP_E_SYNTAX, "the picture's greatest value is 99999"},
        {"P5 999999 999999 255 ", TP_E_LIMIT, "the picture has more than 134217728 pixels"},
        {"P4 999999999 1 ", TP_E_LIMIT, "the picture has more than 134217728 pixels"},
        {"\x89PNG\r\n\x1a\n", TP_E_SYNTAX, "the picture is damaged: it ends too early"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim_bitmap bitmap;
        tp_error err = {0};
        tp_status status =
            tpi_sim_bitmap_read(&bitmap, cases[i].bytes, strlen(cases[i].bytes), &err);
        assert_string_equal(err.text, cases[i].text);
        assert_int_equal(status, cases[i].status);
        tpi_sim_bitmap_fini(&bitmap);
    }
}

/* A picture that is found beside our worlds, and that is all white. */
static void a_picture_may_be_elsewhere_and_white(void **state)
{
    static const char world[] = "model ( bitmap [\"x.pgm\" \"y\"] )";
    static const char picture[] = "P2 2 1 255 255 200";
    char folder[] = "/tmp/troupe-bad-XXXXXX";
    char bitmap[64];
    tpi_buf notes = {0};
    const tpi_sim_options options = {.path = folder, .note = sim_collect, .context = &notes};
    tpi_sim *sim = NULL;
    tp_error err = {0};

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(bitmap, sizeof bitmap, "%s/x.pgm", folder);
    assert_int_equal(tpi_file_write(bitmap, picture, strlen(picture), &err), TP_OK);
    tpi_sim_parse(&sim, "x.world", world, strlen(world), &options, &err);
    assert_string_equal(err.text, "");
    assert_string_equal(tpi_buf_text(&notes),
                        "x.world:1:25: \"bitmap\" takes 1 value, not 2; the rest is ignored\n"
                        "x.world:1:9: there is nothing dark in \"x.pgm\": the model has no body");
    tpi_sim_destroy(sim);
    tpi_buf_fini(&notes);
    unlink(bitmap);
    rmdir(folder);
}

/* Alpha does not count; that is worth a word where it changes something. */
static void transparent_pixels_that_are_dark_are_told(void **state)
{
    static const char *const names[] = {"clear", "white", "grey"};
    static const char *const wanted[] = {
        "x.world:1:9: transparent pixels of \"clear.png\" are dark: they are body, as in Stage", "",
        "x.world:1:9: transparent pixels of \"grey.png\" are dark: they are body, as in Stage"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        tpi_buf notes = {0};
        char world[64];
        const tpi_sim_options options = {
            .path = TEST_ROOT "/tests/data/sim", .note = sim_collect, .context = &notes};
        tpi_sim *sim = NULL;
        tp_error err = {0};
        snprintf(world, sizeof world, "model ( bitmap \"%s.png\" )", names[i]);
        tpi_sim_parse(&sim, "x.world", world, strlen(world), &options, &err);
        assert_string_equal(err.text, "");
        assert_string_equal(tpi_buf_text(&notes), wanted[i]);
        tpi_sim_destroy(sim);
        tpi_buf_fini(&notes);
    }
}

/* The world's place comes first, then the file and what is wrong with it. */
static void a_bad_picture_is_told_with_the_place_that_names_it(void **state)
{
    static const char world[] = "model (\n  bitmap \"x.pgm\" )";
    static const char picture[] = "P5 99999 99999 255 ";
    char folder[] = "/tmp/troupe-bad-XXXXXX";
    char path[64];
    char bitmap[64];
    char wanted[256];
    tpi_sim *sim;
    tp_error err = {0};

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.world", folder);
    snprintf(bitmap, sizeof bitmap, "%s/x.pgm", folder);
    snprintf(wanted, sizeof wanted, "%s:2:3: %s: the picture has more than 134217728 pixels", path,
             bitmap);
    assert_int_equal(tpi_file_write(bitmap, picture, strlen(picture), &err), TP_OK);
    assert_int_equal(tpi_sim_parse(&sim, path, world, strlen(world), NULL, &err), TP_E_LIMIT);
    assert_string_equal(err.text, wanted);
    unlink(bitmap);
    assert_int_equal(mkdir(bitmap, 0700), 0); /* a folder is no picture */
    assert_int_equal(tpi_sim_parse(&sim, path, world, strlen(world), NULL, &err), TP_E_IO);
    rmdir(bitmap);
    rmdir(folder);
}

static void a_world_that_is_not_there_is_refused(void **state)
{
    tpi_sim *sim;
    tp_error err;

    (void)state;
    assert_int_equal(tpi_sim_load(&sim, "/no/such.world", NULL, &err), TP_E_IO);
    assert_string_equal(err.text, "/no/such.world: No such file or directory");
    assert_null(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_syntax_is_refused_with_its_place),
        cmocka_unit_test(bad_kinds_are_refused_with_the_nearest),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(bad_devices_are_refused),
        cmocka_unit_test(a_ranger_has_its_limits),
        cmocka_unit_test(pictures_that_are_none_are_refused),
        cmocka_unit_test(a_picture_may_be_elsewhere_and_white),
        cmocka_unit_test(transparent_pixels_that_are_dark_are_told),
        cmocka_unit_test(a_bad_picture_is_told_with_the_place_that_names_it),
        cmocka_unit_test(a_world_that_is_not_there_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
