/* demo_lines_test.c - what the demo says fits into any terminal, and nothing is cut in two. */
#include "demo_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct demo_picture picture_of(uint32_t robots)
{
    struct demo_picture picture = {.time_s = 12.4, .robot_count = robots, .own_count = robots};

    for (uint32_t i = 0; i < robots && i < DEMO_ROBOTS; i++) {
        snprintf(picture.robots[i].name, DEMO_NAME, "r%u", i);
        picture.robots[i].device = i;
        picture.robots[i].speed = 0.4;
        picture.robots[i].nearest = i == 1 ? -1 : 1.25;
    }
    return picture;
}

static void assert_title(size_t columns, const char *world, uint32_t robots, const char *wanted)
{
    const struct demo_picture picture = picture_of(robots);
    tpi_buf out = {0};

    demo_lines_put_title(&out, columns, world, &picture);
    assert_string_equal(tpi_buf_text(&out), wanted);
    tpi_buf_fini(&out);
}

static void titles_are_as_long_as_there_is_room(void **state)
{
    (void)state;
    assert_title(
        100, "office", 4,
        " troupe demo - office, 4 robots that find their own way, 12 s. Tab selects, arrows "
        "drive, q quits");
    assert_title(
        100, "office", 1,
        " troupe demo - office, 1 robot that finds its own way, 12 s. arrows drive, q quits");
    assert_title(80, "office", 4,
                 " troupe demo - office, 4 robots, 12 s. Tab selects, arrows drive, q quits");
    assert_title(69, "office", 4, " troupe demo - office, 4 robots, 12 s. q quits");
    assert_title(80, "office", 0, " troupe demo - office, 0 robots, 12 s. q quits");
    assert_title(40, "office", 4, " office, 4 robots, 12 s. q quits");
    assert_title(30, "office", 4, " office 12 s. q quits");
    assert_title(20, "office", 4, " 12 s. q quits");
    assert_title(8, "office", 4, " q quits");
    assert_title(7, "office", 4, "");
}

static void assert_panic(size_t columns, const char *wanted)
{
    tpi_buf out = {0};

    demo_lines_put_panic(&out, columns, "eve at 127.0.0.1:50123", "fire\033[2J");
    assert_string_equal(tpi_buf_text(&out), wanted);
    tpi_buf_fini(&out);
}

static void a_panic_is_shown_in_any_room(void **state)
{
    (void)state;
    assert_panic(100, " PANIC, raised by eve at 127.0.0.1:50123: fire?[2J. troupe reset ends it");
    assert_panic(65, " PANIC, raised by eve: fire?[2J. troupe reset ends it");
    assert_panic(40, " PANIC: fire?[2J. troupe reset ends it");
    assert_panic(37, " PANIC: fire?[2J");
    assert_panic(15, " PANIC: fire...");
    assert_panic(13, " PANIC");
    assert_panic(5, "");
}

static void who_waits_for_a_program_does_not_find_its_way(void **state)
{
    static const struct {
        uint32_t own;
        const char *title;
    } cases[] = {
        {0, " troupe demo - yard, 3 robots, 12 s. Tab selects, arrows drive, q quits"},
        {1,
         " troupe demo - yard, 3 robots, 1 finds its own way, 12 s. Tab selects, arrows drive, q "
         "quits"},
        {2,
         " troupe demo - yard, 3 robots, 2 find their own way, 12 s. Tab selects, arrows drive, q "
         "quits"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct demo_picture picture = picture_of(3);
        tpi_buf out = {0};
        picture.own_count = cases[i].own;
        demo_lines_put_title(&out, 100, "yard", &picture);
        assert_string_equal(tpi_buf_text(&out), cases[i].title);
        tpi_buf_fini(&out);
    }
}

static void a_world_is_called_like_its_file(void **state)
{
    (void)state;
    assert_title(40, "/home/anna/my.worlds/yard.world", 2, " yard, 2 robots, 12 s. q quits");
    assert_title(40, "x/.hidden", 2, " .hidden, 2 robots, 12 s. q quits");
    assert_title(40, "a\033[2J", 2, " a?[2J, 2 robots, 12 s. q quits");
}

static void assert_chosen(size_t columns, uint32_t robots, uint32_t chosen, const char *wanted)
{
    const struct demo_picture picture = picture_of(robots);
    tpi_buf out = {0};

    demo_lines_put_robots(&out, columns, MOSAIC_ASCII, &picture, chosen);
    assert_string_equal(tpi_buf_text(&out), wanted);
    assert_true(out.length <= columns);
    tpi_buf_fini(&out);
}

/* None of them is chosen. */
static void assert_robots(size_t columns, uint32_t robots, const char *wanted)
{
    assert_chosen(columns, robots, UINT32_MAX, wanted);
}

static void of_few_robots_more_is_told(void **state)
{
    (void)state;
    assert_robots(80, 0, "");
    assert_robots(80, 2, " * 0 r0 0.40 m/s, 1.2 m free  * 1 r1 0.40 m/s");
    assert_robots(40, 2, " * 0 r0 0.40 m/s  * 1 r1 0.40 m/s");
    assert_robots(20, 2, " * 0 r0  * 1 r1");
    assert_robots(14, 2, "");
    assert_robots(15, 2, " * 0 r0  * 1 r1");
}

static void those_that_do_not_fit_are_counted(void **state)
{
    (void)state;
    assert_robots(31, 4, " * 0 r0  * 1 r1  * 2 r2  * 3 r3");
    assert_robots(30, 4, " * 0 r0  * 1 r1  and 2 more");
    assert_robots(26, 4, " * 0 r0  and 3 more");
    assert_robots(80, 2000,
                  " * 0 r0  * 1 r1  * 2 r2  * 3 r3  * 4 r4  * 5 r5  * 6 r6  * 7 r7  and 1992 more");
    assert_robots(30, 2000, " * 0 r0  * 1 r1  and 1998 more");
    assert_robots(16, 2000, "");
}

static void the_chosen_one_is_marked_and_always_there(void **state)
{
    (void)state;
    assert_chosen(32, 4, 1, " * 0 r0  > 1 r1  * 2 r2  * 3 r3");
    assert_chosen(30, 2000, 1, " * 0 r0  > 1 r1  and 1998 more");
    assert_chosen(30, 2000, 5, " > 5 r5  * 6 r6  and 1998 more");
    assert_chosen(30, 2000, 7, " > 7 r7  and 1999 more");
    assert_chosen(30, 2000, 8, " * 0 r0  * 1 r1  and 1998 more"); /* until its page is drawn */
}

static void assert_hint(size_t columns, const char *commands, size_t index, const char *wanted)
{
    tpi_buf out = {0};

    demo_lines_put_hint(&out, columns, commands, index);
    assert_string_equal(tpi_buf_text(&out), wanted);
    tpi_buf_fini(&out);
}

static void half_commands_are_not_shown(void **state)
{
    static const char commands[] = "./troupe list\n./troupe print position2d:0\n./troupe x\n";

    (void)state;
    assert_hint(80, commands, 0, " in another terminal: ./troupe list");
    assert_hint(80, commands, 1, "                      ./troupe print position2d:0");
    assert_hint(80, commands, 3, "");
    assert_hint(48, commands, 0, " $ ./troupe list");
    assert_hint(48, commands, 1, " $ ./troupe print position2d:0");
    assert_hint(28, commands, 1, " $ ./troupe x");
    assert_hint(28, commands, 2, "");
    assert_hint(5, commands, 0, "");
}

static void pictures_get_most_of_the_lines(void **state)
{
    (void)state;
    assert_int_equal(demo_lines_hints(60), 4);
    assert_int_equal(demo_lines_hints(24), 4);
    assert_int_equal(demo_lines_hints(12), 1);
    assert_int_equal(demo_lines_hints(5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(titles_are_as_long_as_there_is_room),
        cmocka_unit_test(a_panic_is_shown_in_any_room),
        cmocka_unit_test(who_waits_for_a_program_does_not_find_its_way),
        cmocka_unit_test(a_world_is_called_like_its_file),
        cmocka_unit_test(of_few_robots_more_is_told),
        cmocka_unit_test(those_that_do_not_fit_are_counted),
        cmocka_unit_test(the_chosen_one_is_marked_and_always_there),
        cmocka_unit_test(half_commands_are_not_shown),
        cmocka_unit_test(pictures_get_most_of_the_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
