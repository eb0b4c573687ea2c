/*
 * sensors_test.c - all sensors together: the same bits in every run, in any order of the file, with
 * any number of threads and from a saved state on; and no memory is taken.
 */
#include "sim/sense/sensors.h"

#include "support/memory.h"
#include "support/sim_crowd.h"

enum { LINES = 90, STEPS = 25 };

/* ---- Worlds ---------------------------------------------------------------------------------- */

static const char definitions[] =
    "ambient_light 0.1 gps_origin [ 48 11 520 ]\n"
    "define rob position ( size [0.3 0.3 0.2] ctrl \"wander\" fiducial_return 5\n"
    "  ranger ( sensor ( range [0 3] fov 120 samples 5 ) )\n"
    "  bumper ( noblocks 1 alwayson 1 bcount 1 blength 0.3 bpose[0] [0.15 0 0 0] )\n"
    "  button ( pose [0.16 0 -0.1 0] alwayson 1 )\n"
    "  fiducial ( alwayson 1 fov 360 )\n"
    "  blobfinder ( alwayson 1 image [24 16] )\n"
    "  camera ( alwayson 1 resolution [16 12] )\n"
    "  lightsensor ( alwayson 1 fov 180 noise 0.1 )\n"
    "  floorsensor ( alwayson 1 noise 0.1 sensor ( ) sensor ( pose [0.1 0 0 0] ) )\n"
    "  microphone ( alwayson 1 noise 1 )\n"
    "  sound ( level 50 frequency 300 )\n"
    "  wifi ( alwayson 1 )\n"
    "  gps ( alwayson 1 noise [1 2] bias [1 1] )\n"
    "  imu ( alwayson 1 accel_noise 0.1 gyro_bias 3 )\n"
    "  compass ( alwayson 1 noise 2 bias 1 ) )\n"
    "define mark model ( size [0.1 0.1 0.6] fiducial_return 9 color \"random\" )\n"
    "define tape floor ( size [4 0.05 0] )\n"
    "define lamp light ( intensity 3 )\n";

static void put_line(tpi_buf *text, int i)
{
    static const char *const kinds[] = {"rob", "mark", "tape", "lamp", "rob"};
    struct sim_dice dice = {(uint64_t)i};

    tpi_buf_printf(text, "%s ( name \"n%d\" pose [%.3f %.3f %g %.1f] )\n", kinds[i % 5], i,
                   (i % 10) * 1.1 - 5, (i / 10) * 1.1 - 5, i % 5 == 3 ? 1.5 : 0,
                   sim_throw(&dice, -180, 180));
}

static const struct sim_crowd_text crowd = {
    .definitions = definitions,
    .arena = "model ( name \"arena\" size [13 13 1] )\n",
    .lines = LINES,
    .put_line = put_line,
};

/* `crew` may be NULL. */
static tpi_sim *make_world(uint64_t order, uint64_t seed, tpi_crew *crew, uint32_t workers)
{
    return sim_crowd_make(&crowd, order, seed, crew, workers);
}

static void record(tpi_sim *sim, uint64_t hashes[STEPS])
{
    for (int i = 0; i < STEPS; i++) {
        tpi_sim_step(sim);
        hashes[i] = tpi_sim_hash(sim);
    }
}

static void same(tpi_sim *sim, const uint64_t wanted[STEPS])
{
    uint64_t hashes[STEPS];

    record(sim, hashes);
    for (int i = 0; i < STEPS; i++) {
        if (hashes[i] != wanted[i]) {
            fail_msg("differs from step %d on", i + 1);
        }
    }
}

/* ---- The same bits --------------------------------------------------------------------------- */

static void every_sensor_perceives_something(void **state)
{
    tpi_sim *sim = make_world(0, 1, NULL, 0);
    tpi_sim_fiducials fiducials;
    tpi_sim_blobs blobs;
    tpi_sim_brightness brightness;
    tpi_sim_hearing hearing;
    tpi_sim_links links;
    bool dark = false;
    bool bright = false;

    (void)state;
    sim_steps(sim, STEPS);
    assert_int_equal(tpi_sim_get_fiducials(sim, sim_named(sim, "n4.fiducial:0"), &fiducials, NULL),
                     TP_OK);
    assert_in_range(fiducials.count, 3, TPI_SIM_MOST_FIDUCIALS);
    assert_int_equal(tpi_sim_get_blobs(sim, sim_named(sim, "n4.blobfinder:0"), &blobs, NULL),
                     TP_OK);
    assert_in_range(blobs.count, 1, TPI_SIM_MOST_BLOBS);
    assert_int_equal(tpi_sim_get_hearing(sim, sim_named(sim, "n4.microphone:0"), &hearing, NULL),
                     TP_OK);
    assert_true(hearing.level > 45 && hearing.frequency == 300);
    assert_int_equal(tpi_sim_get_links(sim, sim_named(sim, "n4.wifi:0"), &links, NULL), TP_OK);
    assert_int_equal(links.count, TPI_SIM_MOST_LINKS);
    for (uint32_t i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_floor_values values;
        dark |= tpi_sim_get_floor(sim, i, &values, NULL) == TP_OK && values.items[0].dark != 0;
        bright |=
            tpi_sim_get_brightness(sim, i, &brightness, NULL) == TP_OK && brightness.level > 0.5;
    }
    assert_true(dark && bright);
    tpi_sim_destroy(sim);
}

static void every_run_and_every_order_is_the_same(void **state)
{
    uint64_t wanted[STEPS];
    uint64_t hashes[STEPS];
    tpi_sim *sim = make_world(0, 1, NULL, 0);

    (void)state;
    record(sim, wanted);
    tpi_sim_destroy(sim);
    for (uint64_t order = 0; order <= 2; order++) {
        sim = make_world(order, 1, NULL, 0);
        same(sim, wanted);
        tpi_sim_destroy(sim);
    }
    sim = make_world(0, 2, NULL, 0);
    record(sim, hashes);
    assert_true(hashes[STEPS - 1] != wanted[STEPS - 1]);
    tpi_sim_destroy(sim);
}

static void the_number_of_threads_does_not_matter(void **state)
{
    uint64_t wanted[STEPS];
    tpi_sim *sim = make_world(0, 1, NULL, 0);
    tpi_crew *crew;

    (void)state;
    record(sim, wanted);
    tpi_sim_destroy(sim);
    assert_int_equal(tpi_crew_create(&crew, 3, "test", NULL), TP_OK);
    sim = make_world(0, 1, crew, 3);
    same(sim, wanted);
    tpi_sim_destroy(sim);
    tpi_crew_destroy(crew);
}

/* ---- Saved states ---------------------------------------------------------------------------- */

static void change_things(tpi_sim *sim)
{
    const tpi_sim_tone tone = {.level = 70, .frequency = 800};
    const tpi_sim_lens lens = {.pan = 1, .tilt = 0.1, .fov = 0.5};
    const tpi_sim_fiducial_view view = {.range_max = 3, .range_max_id = 2, .fov = 2};

    assert_int_equal(tpi_sim_set_tone(sim, sim_named(sim, "n0.sound:0"), &tone, NULL), TP_OK);
    assert_int_equal(tpi_sim_set_light(sim, sim_named(sim, "n3"), 9, NULL), TP_OK);
    assert_int_equal(tpi_sim_press(sim, sim_named(sim, "n0.button:0"), true, NULL), TP_OK);
    assert_int_equal(tpi_sim_set_lens(sim, sim_named(sim, "n0.camera:0"), &lens, NULL), TP_OK);
    assert_int_equal(tpi_sim_set_fiducial_view(sim, sim_named(sim, "n0.fiducial:0"), &view, NULL),
                     TP_OK);
    assert_int_equal(tpi_sim_set_fiducial_id(sim, sim_named(sim, "n4.fiducial:0"), 77, NULL),
                     TP_OK);
    sim_put(sim, "n1", 0.5, 0.5, 0);
    sim_put(sim, "n2", 0.2, 0.5, 1);
}

static void a_restored_world_goes_on_alike(void **state)
{
    uint64_t wanted[STEPS];
    tpi_sim *sim = make_world(0, 1, NULL, 0);
    tpi_sim *fresh = make_world(1, 1, NULL, 0); /* of a file with another order */
    tpi_buf saved = {0};

    (void)state;
    sim_steps(sim, 10);
    change_things(sim);
    tpi_sim_step(sim);
    tpi_sim_save(sim, &saved);
    record(sim, wanted);
    assert_int_equal(tpi_sim_restore(fresh, saved.data, saved.length, NULL), TP_OK);
    same(fresh, wanted);
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, NULL), TP_OK);
    same(sim, wanted);
    tpi_sim_destroy(sim);
    tpi_sim_destroy(fresh);
    tpi_buf_fini(&saved);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void steps_take_no_memory(void **state)
{
    tpi_sim *sim = make_world(0, 1, NULL, 0);

    (void)state;
    tpi_sim_step(sim);
    const size_t before = memory_allocations();
    sim_steps(sim, STEPS);
    tpi_sim_hash(sim);
    assert_int_equal(memory_allocations(), before);
    tpi_sim_destroy(sim);
}

/* ---- Who looks ------------------------------------------------------------------------------- */

/* How many sensors measure in one step. */
static uint64_t looks_in_a_step(tpi_sim *sim)
{
    tpi_sim_usage before;
    tpi_sim_usage after;

    tpi_sim_get_usage(sim, &before);
    tpi_sim_step(sim);
    tpi_sim_get_usage(sim, &after);
    return after.looks - before.looks;
}

/* One of each kind that measures, on three robots: nothing is done for those that nobody reads, and
 * one that is read costs itself alone. */
static void what_nobody_reads_is_not_measured(void **state)
{
    static const char *const kinds[] = {
        "ranger:0",      "fiducial:0",    "blobfinder:0", "bumper:0", "camera:0",
        "lightsensor:0", "floorsensor:0", "microphone:0", "button:0", "wifi:0",
        "gps:0",         "imu:0",         "compass:0"};
    enum { COUNT = sizeof kinds / sizeof kinds[0] };
    tpi_sim *sim = sim_make(
        "define rob position ( size [0.4 0.4 0.2] ranger ( sensor ( range [0 4] ) ) fiducial ( )\n"
        "  blobfinder ( ) bumper ( ) camera ( ) lightsensor ( ) floorsensor ( ) microphone ( )\n"
        "  button ( ) wifi ( ) gps ( ) imu ( ) compass ( ) )\n"
        "rob ( name \"r0\" ) rob ( name \"r1\" pose [2 0 0 0] ) rob ( name \"r2\" pose [4 0 0 0] "
        ")\n");
    tpi_sim_usage usage;
    char name[64];

    (void)state;
    assert_int_equal(looks_in_a_step(sim), 0);
    tpi_sim_subscribe(sim, sim_named(sim, "r1")); /* to drive is not to look */
    assert_int_equal(looks_in_a_step(sim), 0);
    tpi_sim_get_usage(sim, &usage);
    assert_int_equal(usage.rays, 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "r1.%s", kinds[i]);
        tpi_sim_subscribe(sim, sim_named(sim, name));
        tpi_sim_subscribe(sim, sim_named(sim, name)); /* two readers share one look */
        assert_int_equal(looks_in_a_step(sim), i + 1);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "r1.%s", kinds[i]);
        tpi_sim_unsubscribe(sim, sim_named(sim, name));
        assert_int_equal(looks_in_a_step(sim), COUNT - i);
        tpi_sim_unsubscribe(sim, sim_named(sim, name));
        assert_int_equal(looks_in_a_step(sim), COUNT - 1 - i);
    }
    tpi_sim_destroy(sim);
}

static tp_status load_and_step(void *context)
{
    tpi_sim *sim = NULL;
    tp_error err;
    const tp_status status = tpi_sim_parse(&sim, "x.world", context, strlen(context), NULL, &err);

    if (status == TP_OK) {
        tpi_sim_step(sim);
    }
    tpi_sim_destroy(sim);
    return status;
}

static void memory_may_run_out(void **state)
{
    char text[sizeof definitions + 64];

    (void)state;
    snprintf(text, sizeof text, "%srob ( ) mark ( ) tape ( ) lamp ( )\n", definitions);
    memory_sweep(load_and_step, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sensor_perceives_something),
        cmocka_unit_test(every_run_and_every_order_is_the_same),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(a_restored_world_goes_on_alike),
        cmocka_unit_test(steps_take_no_memory),
        cmocka_unit_test(what_nobody_reads_is_not_measured),
        cmocka_unit_test(memory_may_run_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
