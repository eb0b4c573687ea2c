/*
 * step_test.c - steps give the same bits: in every run, in any order of the file, with any number
 * of threads, and from a saved state on. And they take no memory.
 */
#include "sim/sim.h"

#include "support/memory.h"
#include "support/sim_crowd.h"

enum { ROBOTS = 300, STEPS = 60 };

/* ---- Worlds ---------------------------------------------------------------------------------- */

static const char definitions[] =
    "define laserbot position ( size [0.44 0.38 0.22] ctrl \"wander\"\n"
    "  localization \"odom\" acceleration_bounds [-0.5 0.5 0 0 0 0 -90 90]\n"
    "  ranger ( sensor ( range [0 8] fov 180 samples 61 noise [0.0001 0.01 0] ) ) )\n"
    "define sonarbot position ( size [0.3 0.3 0.3] ctrl \"expand\" collision \"slide\"\n"
    "  ranger ( pose [0 0 -0.05 0] sensor ( range [0 3] pose [0.1 0 0 0] )\n"
    "    sensor ( range [0 3] pose [0 0.1 0 90] ) sensor ( range [0 3] pose [0 -0.1 0 -90] )\n"
    "    sensor ( range [0 3] pose [-0.1 0 0 180] noise [0 0 3] ) ) )\n";

static void put_line(tpi_buf *text, int i)
{
    struct sim_dice dice = {(uint64_t)i};
    const double x = (i % 20) * 1.3 - 13;
    const double y = (i / 20) * 1.3 - 10;

    if (i % 6 == 5) {
        tpi_buf_printf(text, "model ( name \"m%d\" pose [%.3f %.3f 0 %.1f] size [0.5 0.3 0.5] )\n",
                       i, x, y, sim_throw(&dice, -180, 180));
    } else {
        tpi_buf_printf(text, "%s ( name \"r%d\" pose [%.3f %.3f 0 %.1f] color \"random\" )\n",
                       i % 2 == 0 ? "laserbot" : "sonarbot", i, x, y, sim_throw(&dice, -180, 180));
    }
}

static const struct sim_crowd_text crowd = {
    .definitions = definitions,
    .arena = "model ( name \"arena\" size [30 24 1] )\n",
    .lines = ROBOTS,
    .put_line = put_line,
};

/* `crew` may be NULL. */
static tpi_sim *make_world(uint64_t order, uint64_t seed, tpi_crew *crew, uint32_t workers)
{
    return sim_crowd_make(&crowd, order, seed, crew, workers);
}

/* The hash after every step. */
static void record(tpi_sim *sim, uint64_t hashes[STEPS])
{
    for (int i = 0; i < STEPS; i++) {
        tpi_sim_step(sim);
        hashes[i] = tpi_sim_hash(sim);
    }
}

static void same(const uint64_t *hashes, const uint64_t *wanted)
{
    for (int i = 0; i < STEPS; i++) {
        if (hashes[i] != wanted[i]) {
            fail_msg("differs from step %d on", i + 1);
        }
    }
}

/* ---- The same bits --------------------------------------------------------------------------- */

static void the_world_is_busy(void **state)
{
    tpi_sim *sim = make_world(0, 1, NULL, 0);
    uint32_t moved = 0;
    uint32_t stalled = 0;

    (void)state;
    const tpi_sim_pose before = tpi_sim_global_pose(sim, sim_named(sim, "r0"));
    sim_steps(sim, STEPS);
    for (uint32_t i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_motion motion;
        if (tpi_sim_get_motion(sim, i, &motion, NULL) == TP_OK) {
            moved += motion.velocity[0] != 0 ? 1 : 0;
            stalled += motion.stalled ? 1 : 0;
        }
    }
    const tpi_sim_pose after = tpi_sim_global_pose(sim, sim_named(sim, "r0"));
    assert_true(before.x != after.x || before.a != after.a);
    assert_true(moved > 50);
    assert_true(stalled > 5);
    tpi_sim_destroy(sim);
}

static void every_run_is_the_same(void **state)
{
    static uint64_t wanted[STEPS];
    static uint64_t hashes[STEPS];
    tpi_sim *first = make_world(0, 1, NULL, 0);
    tpi_sim *second = make_world(0, 1, NULL, 0);
    tpi_sim *other = make_world(0, 2, NULL, 0);

    (void)state;
    record(first, wanted);
    record(second, hashes);
    same(hashes, wanted);
    record(other, hashes);
    assert_true(hashes[STEPS - 1] != wanted[STEPS - 1]); /* another seed, another world */
    tpi_sim_destroy(first);
    tpi_sim_destroy(second);
    tpi_sim_destroy(other);
}

static void the_order_of_the_file_does_not_matter(void **state)
{
    static uint64_t wanted[STEPS];
    static uint64_t hashes[STEPS];
    tpi_sim *sim = make_world(0, 1, NULL, 0);

    (void)state;
    record(sim, wanted);
    tpi_sim_destroy(sim);
    for (uint64_t order = 1; order <= 3; order++) {
        sim = make_world(order, 1, NULL, 0);
        record(sim, hashes);
        same(hashes, wanted);
        tpi_sim_destroy(sim);
    }
}

static void the_number_of_threads_does_not_matter(void **state)
{
    static uint64_t wanted[STEPS];
    static uint64_t hashes[STEPS];
    tpi_sim *sim = make_world(0, 1, NULL, 0);

    (void)state;
    record(sim, wanted);
    tpi_sim_destroy(sim);
    for (uint32_t workers = 1; workers <= 4; workers++) {
        tpi_crew *crew;
        assert_int_equal(tpi_crew_create(&crew, workers, "test", NULL), TP_OK);
        sim = make_world(0, 1, crew, workers);
        record(sim, hashes);
        same(hashes, wanted);
        tpi_sim_destroy(sim);
        tpi_crew_destroy(crew);
    }
}

/* ---- Saved states ---------------------------------------------------------------------------- */

static void move_things(tpi_sim *sim)
{
    sim_put(sim, "m5", 0.4, 0.4, 1);
    sim_put(sim, "r2", 0.1, 6.5, 2);
    sim_put(sim, "r8.ranger:0", 0.05, 0.02, 0.5);
    assert_int_equal(tpi_sim_set_colour(sim, sim_named(sim, "r4"), 0x123456ff, NULL), TP_OK);
    tpi_sim_subscribe(sim, sim_named(sim, "r8"));
}

/* From the saved state on, in the same world, in one that has gone on, and in one whose file has
 * another order. */
static void a_restored_world_goes_on_alike(void **state)
{
    static uint64_t wanted[STEPS];
    static uint64_t hashes[STEPS];
    tpi_sim *sim = make_world(0, 1, NULL, 0);
    tpi_sim *fresh = make_world(0, 1, NULL, 0);
    tpi_buf saved = {0};

    (void)state;
    sim_steps(sim, 20);
    move_things(sim);
    tpi_sim_step(sim);
    tpi_sim_save(sim, &saved);
    const uint64_t at = tpi_sim_hash(sim);
    record(sim, wanted);
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, NULL), TP_OK);
    assert_true(tpi_sim_hash(sim) == at);
    record(sim, hashes);
    same(hashes, wanted);
    assert_int_equal(tpi_sim_restore(fresh, saved.data, saved.length, NULL), TP_OK);
    assert_true(tpi_sim_hash(fresh) == at);
    record(fresh, hashes);
    same(hashes, wanted);
    tpi_sim_destroy(sim);
    tpi_sim_destroy(fresh);
    tpi_buf_fini(&saved);
}

/* What was changed from outside since is undone. */
static void restoring_undoes_what_was_moved_since(void **state)
{
    static uint64_t wanted[STEPS];
    static uint64_t hashes[STEPS];
    tpi_sim *sim = make_world(0, 1, NULL, 0);
    tpi_buf saved = {0};
    tpi_buf again = {0};

    (void)state;
    sim_steps(sim, 20);
    tpi_sim_save(sim, &saved);
    const uint64_t at = tpi_sim_hash(sim);
    record(sim, wanted);
    move_things(sim);
    sim_steps(sim, 5);
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, NULL), TP_OK);
    assert_true(tpi_sim_hash(sim) == at);
    tpi_sim_save(sim, &again);
    assert_int_equal(again.length, saved.length);
    assert_memory_equal(again.data, saved.data, saved.length);
    record(sim, hashes);
    same(hashes, wanted);
    tpi_sim_destroy(sim);
    tpi_buf_fini(&saved);
    tpi_buf_fini(&again);
}

static void a_state_that_does_not_fit_is_refused(void **state)
{
    tpi_sim *sim = make_world(0, 1, NULL, 0);
    tpi_sim *other = make_world(0, 2, NULL, 0);
    tpi_buf saved = {0};
    tp_error err;

    (void)state;
    sim_steps(sim, 3);
    tpi_sim_save(sim, &saved);
    const uint64_t at = tpi_sim_hash(sim);
    assert_int_equal(tpi_sim_restore(other, saved.data, saved.length, &err), TP_E_INVALID);
    assert_string_equal(err.text, "the saved state is of another world");
    assert_int_equal(tpi_sim_restore(sim, "", 0, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "this is no saved state of a simulation");
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length - 1, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "the saved state is damaged");
    saved.data[saved.length / 2] ^= 1;
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "the saved state is damaged");
    assert_true(tpi_sim_hash(sim) == at);
    tpi_sim_destroy(sim);
    tpi_sim_destroy(other);
    tpi_buf_fini(&saved);
}

/* ---- The hash -------------------------------------------------------------------------------- */

/* Every kind of change shows. */
static void the_hash_tells_of_every_change(void **state)
{
    tpi_sim *sim = make_world(0, 1, NULL, 0);
    const double goal[3] = {0.25, 0, 0};
    uint64_t before = tpi_sim_hash(sim);

    (void)state;
    assert_int_equal(tpi_sim_drive(sim, sim_named(sim, "r0"), TPI_SIM_DRIVE_VELOCITY, goal, NULL),
                     TP_OK);
    assert_true(tpi_sim_hash(sim) != before);
    before = tpi_sim_hash(sim);
    tpi_sim_subscribe(sim, sim_named(sim, "r0"));
    assert_true(tpi_sim_hash(sim) != before);
    before = tpi_sim_hash(sim);
    sim_put(sim, "arena", 0, 0, 0.1);
    assert_true(tpi_sim_hash(sim) != before);
    before = tpi_sim_hash(sim);
    assert_int_equal(tpi_sim_set_colour(sim, sim_named(sim, "m5"), 0x123456ff, NULL), TP_OK);
    assert_true(tpi_sim_hash(sim) != before);
    tpi_sim_destroy(sim);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void steps_take_no_memory(void **state)
{
    tpi_sim *sim = make_world(0, 1, NULL, 0);
    const double goal[3] = {0.25, 0, 0};

    (void)state;
    tpi_sim_step(sim);
    const size_t before = memory_allocations();
    for (int i = 0; i < STEPS; i++) {
        tpi_sim_drive(sim, sim_named(sim, "r0"), TPI_SIM_DRIVE_VELOCITY, goal, NULL);
        tpi_sim_step(sim);
        tpi_sim_hash(sim);
    }
    assert_int_equal(memory_allocations(), before);
    tpi_sim_destroy(sim);
}

/* Less than a kilobyte for a robot, besides its samples. */
static void robots_are_small(void **state)
{
    tpi_sim *sim = make_world(0, 1, NULL, 0);
    tpi_sim_usage usage;

    (void)state;
    tpi_sim_get_usage(sim, &usage);
    assert_int_equal(usage.bodies, ROBOTS - ROBOTS / 6);
    assert_int_equal(usage.sample_bytes, 12 * (150 * 61 + 100 * 4));
    assert_in_range((usage.bytes - usage.sample_bytes) / ROBOTS, 100, 1000);
    tpi_sim_destroy(sim);
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* A sensor looks when a multiple of its interval has come. */
static void sensors_look_in_their_own_time(void **state)
{
    tpi_sim *sim = sim_make("interval_sim 40 "
                            "position ( name \"r\" ranger ( alwayson 1 update_interval 100 "
                            "sensor ( ) ) )");
    static const int64_t wanted[] = {-1, -1, 120000, 120000, 200000, 200000, 200000, 320000};
    tpi_sim_scan scan;

    (void)state;
    assert_int_equal(tpi_sim_interval_us(sim), 40000);
    for (int i = 0; i < 8; i++) {
        tpi_sim_step(sim);
        assert_int_equal(tpi_sim_time_us(sim), 40000 * (i + 1));
        assert_int_equal(tpi_sim_get_scan(sim, sim_named(sim, "r.ranger:0"), 0, &scan, NULL),
                         TP_OK);
        assert_int_equal(scan.time_us, wanted[i]);
    }
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_world_is_busy),
        cmocka_unit_test(every_run_is_the_same),
        cmocka_unit_test(the_order_of_the_file_does_not_matter),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(a_restored_world_goes_on_alike),
        cmocka_unit_test(restoring_undoes_what_was_moved_since),
        cmocka_unit_test(a_state_that_does_not_fit_is_refused),
        cmocka_unit_test(the_hash_tells_of_every_change),
        cmocka_unit_test(steps_take_no_memory),
        cmocka_unit_test(robots_are_small),
        cmocka_unit_test(sensors_look_in_their_own_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
