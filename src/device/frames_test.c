/* frames_test.c - the tree of frames, and ways through it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conformance/idle.h"
#include "support/memory.h"
#include "troupe/front.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/localize.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/position3d.h"

/* ---- Devices for which the test speaks ------------------------------------------------------- */

static play *begin(const char *provides)
{
    return play_begin(&idle_driver, provides, NULL);
}

static void sit(play *p, const char *address, double x, double y, double yaw)
{
    const tp_geometry g = {.known = TP_GEOMETRY_MEASURED, .pose = {.px = x, .py = y, .pyaw = yaw}};

    assert_int_equal(tp_device_set_geometry(bench_find(&p->b, address), &g), TP_OK);
}

static void drive(play *p, const char *address, double x, double y, double a, double time_s)
{
    const tp_position2d_data data = {.pos = {x, y, a}};

    assert_int_equal(
        tp_publish(bench_find(&p->b, address), TP_POSITION2D_DATA_STATE, &data, time_s), TP_OK);
}

static void believe(play *p, double x, double y, double a, double time_s)
{
    tp_localize_hypoth hypoths[] = {{.mean = {99, 99, 1}, .alpha = 0.2},
                                    {.mean = {x, y, a}, .alpha = 0.7},
                                    {.mean = {98, 98, 1}, .alpha = 0.1}};
    const tp_localize_data data = {.hypoths_count = 3, .hypoths = hypoths};

    assert_int_equal(
        tp_publish(bench_find(&p->b, "localize:0"), TP_LOCALIZE_DATA_HYPOTHS, &data, time_s),
        TP_OK);
}

/* ---- Looking --------------------------------------------------------------------------------- */

static void assert_transform(play *p, const char *from, const char *to, double x, double y,
                             double yaw, double time_s)
{
    tp_pose3d pose;
    double timestamp_s = -1;
    tp_error err = {0};

    if (tp_hub_transform(p->b.hub, BENCH_ROBOT, from, to, &pose, &timestamp_s, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    play_assert_near(pose.px, x);
    play_assert_near(pose.py, y);
    play_assert_near(remainder(pose.pyaw - yaw, 6.283185307179586), 0);
    play_assert_near(timestamp_s, time_s);
}

static void assert_no_transform(play *p, const char *from, const char *to, const char *why)
{
    tp_pose3d pose;
    double timestamp_s;
    tp_error err = {0};

    assert_int_equal(tp_hub_transform(p->b.hub, BENCH_ROBOT, from, to, &pose, &timestamp_s, &err),
                     TP_E_UNKNOWN);
    assert_string_equal(err.text, why);
}

/* "name<parent" of each; a star if it moves, a question mark if it is not known. */
static void assert_frames(play *p, const char *wanted)
{
    char text[512] = "";
    tp_frame_list *list = NULL;

    assert_int_equal(tp_hub_frames(p->b.hub, &list), TP_OK);
    for (uint32_t i = 0; i < list->frames_count; i++) {
        const tp_frame_info *f = &list->frames[i];
        assert_int_equal(f->robot, BENCH_ROBOT);
        strcat(text, i == 0 ? "" : " ");
        strcat(text, f->name);
        strcat(text, f->parent[0] == '\0' ? "" : "<");
        strcat(text, f->parent);
        strcat(text, f->moves ? "*" : "");
        strcat(text, f->known ? "" : "?");
    }
    assert_string_equal(text, wanted);
    free(list);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static const double quarter = 1.5707963267948966;

static void a_sensor_sits_on_the_base(void **state)
{
    play *p = begin("laser:0 ptz:0");

    (void)state;
    assert_frames(p, "base laser:0<base? ptz:0<base?");
    assert_no_transform(p, "laser:0", "base", "it is not known yet where \"laser:0\" is");
    sit(p, "laser:0", 1, 2, quarter);
    sit(p, "ptz:0", 1, 0, 0);
    assert_frames(p, "base laser:0<base ptz:0<base");
    assert_transform(p, "laser:0", "base", 1, 2, quarter, 0);
    assert_transform(p, "base", "laser:0", -2, 1, -quarter, 0);
    assert_transform(p, "ptz:0", "laser:0", -2, 0, -quarter, 0);
    assert_transform(p, "ptz:0", "ptz:0", 0, 0, 0, 0);
    play_destroy(p);
}

static void the_base_moves_in_its_odometry(void **state)
{
    play *p = begin("laser:0 position2d:0");

    (void)state;
    sit(p, "laser:0", 1, 0, 0);
    assert_frames(p, "odom base<odom*? laser:0<base");
    assert_no_transform(p, "laser:0", "odom", "it is not known yet where \"base\" is");
    assert_transform(p, "laser:0", "base", 1, 0, 0, 0); /* what is above does not matter */
    drive(p, "position2d:0", 10, 5, quarter, 42);
    assert_transform(p, "laser:0", "odom", 10, 6, quarter, 42);
    drive(p, "position2d:0", 20, 5, -quarter, 43);
    assert_transform(p, "laser:0", "odom", 20, 4, -quarter, 43);
    assert_frames(p, "odom base<odom* laser:0<base");
    play_destroy(p);
}

/* The driver of position2d:0 publishes although only the laser is open. */
static void the_tree_follows_what_nobody_reads(void **state)
{
    play *p = begin("laser:0 position2d:0 position3d:7");
    const tp_position3d_data flight = {.pos = {.pz = 3, .ppitch = 0.5}};
    tp_pose3d pose;
    double time_s;

    (void)state;
    drive(p, "position2d:0", 1, 1, 0, 5);
    assert_transform(p, "base", "odom", 1, 1, 0, 5);
    assert_int_equal(
        tp_publish(bench_find(&p->b, "position3d:7"), TP_POSITION3D_DATA_STATE, &flight, 6), TP_OK);
    assert_int_equal(
        tp_hub_transform(p->b.hub, BENCH_ROBOT, "base7", "odom7", &pose, &time_s, NULL), TP_OK);
    play_assert_near(pose.pz, 3);
    play_assert_near(pose.ppitch, 0.5);
    assert_no_transform(p, "base7", "base", "\"base7\" and \"base\" are not connected");
    play_destroy(p);
}

static void a_localizer_moves_the_odometry_in_the_map(void **state)
{
    play *p = begin("position2d:0 localize:0 laser:0");

    (void)state;
    sit(p, "laser:0", 1, 0, 0);
    assert_frames(p, "map odom<map*? base<odom*? laser:0<base");
    drive(p, "position2d:0", 2, 0, 0, 10);
    believe(p, 5, 5, quarter, 11);
    assert_transform(p, "base", "map", 5, 5, quarter, 10);
    assert_transform(p, "odom", "map", 5, 3, quarter, 11);
    assert_transform(p, "laser:0", "map", 5, 6, quarter, 10);
    assert_transform(p, "map", "laser:0", -6, 5, -quarter, 10);
    drive(p, "position2d:0", 3, 0, 0, 12); /* one ahead, which is up in the map */
    assert_transform(p, "base", "map", 5, 6, quarter, 11);
    play_destroy(p);
}

static void a_belief_waits_for_the_odometry(void **state)
{
    play *p = begin("localize:0 position2d:0");
    const tp_localize_data none = {0};

    (void)state;
    believe(p, 5, 5, 0, 11);
    assert_no_transform(p, "odom", "map", "it is not known yet where \"odom\" is");
    drive(p, "position2d:0", 2, 0, 0, 12);
    assert_transform(p, "odom", "map", 3, 5, 0, 11);
    tp_publish(bench_find(&p->b, "localize:0"), TP_LOCALIZE_DATA_HYPOTHS, &none, 13);
    assert_transform(p, "odom", "map", 3, 5, 0, 11); /* no guess is no news */
    play_destroy(p);
}

static void names_that_are_not_there_are_told(void **state)
{
    play *p = begin("laser:0 position2d:0");

    (void)state;
    assert_no_transform(p, "lasr:0", "base",
                        "there is no frame \"lasr:0\"; did you mean \"laser:0\"?");
    assert_no_transform(p, "base", "map", "there is no frame \"map\"");
    assert_no_transform(p, "", "map", "there is no frame \"\"");
    play_destroy(p);
}

/* ---- Configured trees ------------------------------------------------------------------------ */

static tp_status add_placed(play *p, const char *provides, const tpi_place *places, uint32_t count)
{
    const bench_section section = {&idle_driver, provides, NULL, NULL};
    bench_plan *plan = bench_plan_create(p->b.catalogue, &section, 0);
    tpi_blueprint blueprint = *bench_plan_blueprint(plan);

    blueprint.places = places;
    blueprint.place_count = count;
    p->plans[p->plan_count++] = plan;
    return tpi_hub_add(p->b.hub, &blueprint, NULL, &p->b.err);
}

#define LASER(i)                                                                                   \
    {                                                                                              \
        .robot = BENCH_ROBOT, .interf = TP_LASER_CODE, .index = (i)                                \
    }

static void a_chain_is_as_configured(void **state)
{
    const tpi_place places[] = {
        {.addr = LASER(0), .has_pose = true, .pose = {.px = 1}, .frame = "eye", .parent = "head"},
        {.addr = LASER(1), .has_pose = true, .pose = {.pz = 2}, .frame = "head"},
        {.addr = LASER(2), .has_pose = true, .pose = {.py = 9}, .frame = "head"}, /* too late */
    };
    play *p = play_create();

    (void)state;
    assert_int_equal(add_placed(p, "laser:0 laser:1 laser:2", places, 3), TP_OK);
    assert_frames(p, "base head<base eye<head");
    assert_transform(p, "eye", "base", 1, 0, 0, 0);
    play_destroy(p);
}

static void frames_cannot_sit_in_each_other(void **state)
{
    const tpi_place places[] = {{.addr = LASER(0), .frame = "a", .parent = "b"},
                                {.addr = LASER(1), .frame = "b", .parent = "c"},
                                {.addr = LASER(2), .frame = "c", .parent = "a"}};
    const tpi_place own = {.addr = LASER(0), .frame = "a", .parent = "a"};
    const long before = memory_live();
    play *p = play_create();

    (void)state;
    assert_int_equal(add_placed(p, "laser:0 laser:1 laser:2", places, 3), TP_E_INVALID);
    assert_string_equal(p->b.err.text, "idle0: the frames \"a\" and \"b\" sit in each other");
    assert_int_equal(add_placed(p, "laser:0", &own, 1), TP_E_INVALID);
    assert_string_equal(p->b.err.text, "idle0: the frames \"a\" and \"a\" sit in each other");
    assert_int_equal(tpi_hub_device_count(p->b.hub), 0);
    play_destroy(p);
    assert_int_equal(memory_live(), before);
}

/* A driver may do what a configuration may not; then the way ends somewhere. */
static void frames_that_come_to_sit_in_each_other_end_no_turn(void **state)
{
    play *p = begin("laser:0 laser:1");
    const tp_geometry a = {.known = 2,
                           .frame_count = 2,
                           .frame = play_chars("a"),
                           .parent_count = 2,
                           .parent = play_chars("b")};
    const tp_geometry b = {.known = 2,
                           .frame_count = 2,
                           .frame = play_chars("b"),
                           .parent_count = 2,
                           .parent = play_chars("a")};

    (void)state;
    tp_device_set_geometry(bench_find(&p->b, "laser:0"), &a);
    tp_device_set_geometry(bench_find(&p->b, "laser:1"), &b);
    assert_frames(p, "");
    assert_no_transform(p, "a", "base", "there is no frame \"base\"");
    assert_transform(p, "a", "b", 0, 0, 0, 0);
    play_destroy(p);
}

/* ---- Very many ------------------------------------------------------------------------------- */

/* Vehicles of both interfaces with one index are two frames. */
static void two_kinds_of_vehicles_have_a_frame_each(void **state)
{
    play *p = begin("position2d:0 position3d:0 position3d:1 position2d:1 laser:0");

    (void)state;
    assert_frames(p, "odom odom1 base<odom*? base3d<odom*? base1<odom1*? base2d1<odom1*? "
                     "laser:0<base?");
    play_destroy(p);
}

/* How long it takes to list the frames of so many devices: the best of some times. */
static double list_crowd(uint32_t count)
{
    static const tp_interface *const lasers[] = {&tp_interface_laser, NULL};
    idle_crowd crowd;
    clock_t best = 0;

    idle_begin(&crowd, lasers, count);
    for (unsigned i = 0; i < 5; i++) {
        tp_frame_list *list = NULL;
        const clock_t begun = clock();
        assert_int_equal(tp_hub_frames(crowd.p->b.hub, &list), TP_OK);
        const clock_t taken = clock() - begun;
        best = i == 0 || taken < best ? taken : best;
        assert_int_equal(list->frames_count, count + 1);
        free(list);
    }
    idle_end(&crowd);
    return (double)best;
}

/* The loop waits meanwhile: sixteen times as many may not take 256 times as long. */
static void very_many_are_listed_without_comparing_each_with_each(void **state)
{
    (void)state;
    const double few = list_crowd(500);
    const double many = list_crowd(8000);
    if (many > 64 * few) {
        fail_msg("16 times as many frames take %.0f times as long", many / few);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sensor_sits_on_the_base),
        cmocka_unit_test(the_base_moves_in_its_odometry),
        cmocka_unit_test(the_tree_follows_what_nobody_reads),
        cmocka_unit_test(a_localizer_moves_the_odometry_in_the_map),
        cmocka_unit_test(a_belief_waits_for_the_odometry),
        cmocka_unit_test(names_that_are_not_there_are_told),
        cmocka_unit_test(a_chain_is_as_configured),
        cmocka_unit_test(frames_cannot_sit_in_each_other),
        cmocka_unit_test(frames_that_come_to_sit_in_each_other_end_no_turn),
        cmocka_unit_test(two_kinds_of_vehicles_have_a_frame_each),
        cmocka_unit_test(very_many_are_listed_without_comparing_each_with_each),
    };

    return cmocka_run_group_tests_name("src/device/frames", tests, NULL, NULL);
}
