/* scene_test.c - faults, lines at the wrong speed, and several robots in one world. */
#include "emulate/garble.h"
#include "support/memory.h"
#include "support/scene.h"

/* ---- Faults ---------------------------------------------------------------------------------- */

static void refuse_fault(const char *text, const char *why)
{
    tpi_emu_fault fault;
    tp_error err = {0};

    assert_int_not_equal(tpi_emu_fault_parse(&fault, text, &err), TP_OK);
    assert_string_equal(err.text, why);
}

static void faults_are_read(void **state)
{
    tpi_emu_fault fault;

    (void)state;
    assert_int_equal(tpi_emu_fault_parse(&fault, "silent@5s", NULL), TP_OK);
    assert_int_equal(fault.kind, TPI_EMU_SILENT);
    assert_int_equal(fault.from_us, 5000000);
    assert_true(fault.to_us == INT64_MAX);
    assert_int_equal(tpi_emu_fault_parse(&fault, "unplugged@250ms-1.5", NULL), TP_OK);
    assert_int_equal(fault.kind, TPI_EMU_UNPLUGGED);
    assert_int_equal(fault.from_us, 250000);
    assert_int_equal(fault.to_us, 1500000);
    refuse_fault("silnt",
                 "\"silnt\" is no fault; did you mean \"silent\"? (unplugged, silent, wrong, "
                 "short, battery, lifted)");
    refuse_fault("silent@soon", "\"silent@soon\": \"soon\" is no time, as 5s and 250ms are");
    refuse_fault("silent@5m", "\"silent@5m\": \"m\" behind the time");
    refuse_fault("silent@5-5", "\"silent@5-5\" ends before it begins");
}

static void faults_begin_and_end(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "", NULL, "silent@1s-2s");
    assert_string_equal(stage_ask(&s, "02 00 00 0b"), "05 00 02 0b 00 98 1e");
    stage_run(&s, 1);
    assert_string_equal(stage_ask(&s, "02 00 00 0b"), "");
    stage_run(&s, 1);
    assert_string_equal(stage_ask(&s, "02 00 00 0b"), "05 00 02 0b 00 98 1e");
    tpi_emu_set_fault(s.robot, TPI_EMU_SHORT, true);
    assert_string_equal(stage_ask(&s, "02 00 00 0b"), "05 00 02 0b 00 98");
    tpi_emu_set_fault(s.robot, TPI_EMU_SHORT, false);
    tpi_emu_set_fault(s.robot, TPI_EMU_WRONG, true);
    assert_true(tpi_emu_has_fault(s.robot, TPI_EMU_WRONG));
    const char *wrong = stage_ask(&s, "02 00 00 0b");
    assert_int_equal(strlen(wrong), strlen("05 00 02 0b 00 98 1e"));
    assert_string_not_equal(wrong, "05 00 02 0b 00 98 1e");
    stage_close(&s);
}

static void output_that_nobody_reads_is_bounded(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "nxt", "", NULL, NULL);
    for (unsigned i = 0; i < 100000; i++) {
        tpi_emu_input(s.robot, "\x02\x00\x00\x0b", 4);
    }
    assert_between(tpi_emu_waiting(s.robot), 200000, 262144);
    stage_close(&s);
}

/* ---- Speeds ---------------------------------------------------------------------------------- */

static void a_line_at_another_speed_garbles(void **state)
{
    static const uint8_t sent[] = {0x02, 0x00, 0x00, 0x0b, 0xff, 0x80, 0x55};
    uint8_t received[64];

    (void)state;
    assert_int_equal(tpi_garble(sent, 7, 57600, 57600, received, 64), 7);
    assert_memory_equal(received, sent, 7);
    assert_int_equal(tpi_garble(sent, 7, 57600, 58200, received, 64), 7); /* 1 % off */
    assert_memory_equal(received, sent, 7);
    const size_t slower = tpi_garble(sent, 7, 57600, 9600, received, 64);
    assert_true(slower > 0 && slower < 7);
    const size_t faster = tpi_garble(sent, 7, 9600, 57600, received, 64);
    assert_true(faster > 7);
    assert_int_equal(tpi_garble(sent, 7, 9600, 115200, received, 3), 3);
    assert_int_equal(tpi_garble(sent, 0, 9600, 115200, received, 3), 0);
}

/* ---- Several robots -------------------------------------------------------------------------- */

static void robots_find_places_and_meet(void **state)
{
    tp_error err = {0};
    const tpi_emu_kind *nxt = tpi_emu_kind_named("nxt", &err);
    const tpi_scene_actor actors[] = {
        {.kind = nxt}, {.kind = nxt}, {.kind = nxt, .name = "tom", .placed = true, .x = 0.5}};
    const tpi_scene_plan plan = {.world = TEST_ROOT "/worlds/classroom.world",
                                 .folders = TEST_ROOT "/worlds",
                                 .actors = actors,
                                 .count = 3};
    tpi_scene *scene = NULL;

    (void)state;
    tp_status status = tpi_scene_create(&scene, &plan, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, TP_OK);
    assert_string_equal(tpi_scene_name(scene, 0), "nxt");
    assert_string_equal(tpi_scene_name(scene, 1), "nxt2");
    assert_string_equal(tpi_scene_name(scene, 2), "tom");
    assert_int_equal(tpi_scene_count(scene), 3);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < i; k++) {
            const tpi_sim_pose a = tpi_sim_global_pose(tpi_scene_world(scene),
                                                       tpi_emu_model(tpi_scene_robot(scene, i)));
            const tpi_sim_pose b = tpi_sim_global_pose(tpi_scene_world(scene),
                                                       tpi_emu_model(tpi_scene_robot(scene, k)));
            assert_true(hypot(a.x - b.x, a.y - b.y) > 0.28);
        }
    }
    tpi_scene_destroy(scene);
}

static uint64_t run_once(void)
{
    static const uint8_t drive[] = {12, 0, 0x80, 0x04, 0xff, 0x32, 7, 1, 0, 0x20, 0, 0, 0, 0};
    tp_error err = {0};
    const tpi_emu_kind *nxt = tpi_emu_kind_named("nxt", &err);
    const tpi_scene_actor actors[] = {{.kind = nxt}, {.kind = nxt}};
    const tpi_scene_plan plan = {.world = TEST_ROOT "/worlds/classroom.world",
                                 .folders = TEST_ROOT "/worlds",
                                 .seed = 7,
                                 .actors = actors,
                                 .count = 2};
    tpi_scene *scene = NULL;

    assert_int_equal(tpi_scene_create(&scene, &plan, &err), TP_OK);
    tpi_scene_advance(scene, 300000);
    tpi_emu_input(tpi_scene_robot(scene, 0), drive, sizeof drive);
    tpi_scene_advance(scene, 2000000);
    assert_int_equal(tpi_scene_time_us(scene), 2000000);
    const uint64_t hash = tpi_sim_hash(tpi_scene_world(scene));
    tpi_scene_destroy(scene);
    return hash;
}

static void every_run_is_the_same(void **state)
{
    (void)state;
    const uint64_t first = run_once();
    assert_true(first == run_once());
}

static void refuse_scene(const tpi_scene_plan *plan, const char *why)
{
    tpi_scene *scene = NULL;
    tp_error err = {0};

    assert_int_not_equal(tpi_scene_create(&scene, plan, &err), TP_OK);
    assert_string_equal(err.text, why);
    assert_null(scene);
}

static void mistakes_are_told(void **state)
{
    static const char *const bad_slot[] = {"5=light", NULL};
    static const char *const bad_part[] = {"1=laser", NULL};
    static const char *const no_wire[] = {"light", NULL};
    tp_error err = {0};
    tpi_scene_actor actor = {.kind = tpi_emu_kind_named("nxt", &err), .placed = true};
    tpi_scene_plan plan = {.folders = TEST_ROOT "/worlds", .actors = &actor, .count = 0};

    (void)state;
    assert_null(tpi_emu_kind_named("nxr", &err));
    assert_string_equal(err.text, "there is no emulated robot \"nxr\"; did you mean \"nxt\"?");
    refuse_scene(&plan, "a world has 1 to 32 emulated robots");
    plan.count = 1;
    actor.options.wires = bad_slot;
    refuse_scene(&plan, "nxt: 5=light: there is no slot \"5\"; there are 1 to 4");
    actor.options.wires = bad_part;
    refuse_scene(&plan, "nxt: 1=laser: there is no part \"laser\" for this slot; there are touch, "
                        "sound, light, ultrasonic, colour, none");
    actor.options.wires = no_wire;
    refuse_scene(&plan, "nxt: \"light\" is not SLOT=PART");
    actor.options.wires = NULL;
    actor.name = "a.b";
    refuse_scene(&plan, "\"a.b\" is no name for a robot: 1 to 63 characters without \" \\ / .");
    actor.name = NULL;
    actor.x = NAN;
    refuse_scene(&plan, "a place is not a finite number");
    actor.x = 0;
    plan.text = "define nxt position ( )";
    refuse_scene(&plan,
                 "nxt: the body of a nxt needs a \"touch\"; include \"robots/nxt.inc\" has one");
    plan.text = NULL;
    plan.world = "/nowhere/x.world";
    tpi_scene *scene = NULL;
    assert_int_not_equal(tpi_scene_create(&scene, &plan, &err), TP_OK);
    assert_non_null(strstr(err.text, "x.world"));
}

static tp_status make_and_run(void *context)
{
    const tpi_scene_actor actor = {.kind = context};
    const tpi_scene_plan plan = {.folders = TEST_ROOT "/worlds", .actors = &actor, .count = 1};
    tpi_scene *scene = NULL;
    const tp_status status = tpi_scene_create(&scene, &plan, NULL);

    if (status == TP_OK) {
        tpi_scene_advance(scene, 20000);
    }
    tpi_scene_destroy(scene);
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    /* a kind that says nothing by itself: what is not sent for want of memory is lost */
    memory_sweep(make_and_run, (void *)(uintptr_t)tpi_emu_kind_named("lifa", NULL));
}

/* A scanner on a Pioneer moves with it. */
static void sensors_ride_on_robots(void **state)
{
    tpi_scene_actor actors[] = {
        {.kind = tpi_emu_kind_named("sicklms200", NULL), .name = "lms", .on = "pia", .x = 0.1},
        {.kind = tpi_emu_kind_named("p2os", NULL), .name = "pia"}};
    const tpi_scene_plan plan = {
        .text = "", .folders = TEST_ROOT "/worlds", .actors = actors, .count = 2};
    static const char drive[] = "fa fb 03 00 00 00 fa fb 03 01 00 01 fa fb 03 02 00 02 "
                                "fa fb 03 01 00 01 fa fb 06 04 3b 01 00 05 3b "
                                "fa fb 06 0b 3b c8 00 d3 3b";
    tpi_scene *scene = NULL;
    tpi_buf bytes = {0};
    tp_error err = {0};

    (void)state;
    (void)tpi_scene_create(&scene, &plan, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(tpi_hex_read(&bytes, drive, strlen(drive), NULL), TP_OK);
    tpi_emu_input(tpi_scene_robot(scene, 1), bytes.data, bytes.length);
    tpi_scene_advance(scene, 1900000);
    const tpi_sim *world = tpi_scene_world(scene);
    const tpi_sim_pose base = tpi_sim_global_pose(world, tpi_emu_model(tpi_scene_robot(scene, 1)));
    const tpi_sim_pose lms = tpi_sim_global_pose(world, tpi_emu_model(tpi_scene_robot(scene, 0)));
    assert_between(base.x, 0.15, 0.4);
    assert_between(lms.x - base.x, 0.0999, 0.1001);
    tpi_scene_destroy(scene);
    tpi_buf_fini(&bytes);
    actors[0].on = "nobody";
    assert_int_equal(tpi_scene_create(&scene, &plan, &err), TP_E_INVALID);
    assert_string_equal(err.text, "lms: \"nobody\" is no robot here that can carry it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_read),
        cmocka_unit_test(faults_begin_and_end),
        cmocka_unit_test(output_that_nobody_reads_is_bounded),
        cmocka_unit_test(a_line_at_another_speed_garbles),
        cmocka_unit_test(robots_find_places_and_meet),
        cmocka_unit_test(every_run_is_the_same),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(sensors_ride_on_robots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
