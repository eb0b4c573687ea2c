/* simulation_test.c - a unicycle driven by a speed every 0.1 s for 60 s, over slow links: four
 * small half circles and a large one back. What is never slowed is the same to the byte, shifted by
 * a constant; what is slowed keeps the path and the acceleration limits. */
#include "motion/engine_test.h"

enum { FRAMES = 601, POINTS = 1500, HOLDS = 20 };
static const int64_t STEP_NS = 100000000;
static const double SPEED = 0.3, LENGTH = 18;

struct link {
    int polls; /* sleeps of the reader for each package; 0: all frames are there at once */
    uint64_t seed;
    uint8_t mode, estimate;
    int holds;
};

struct run {
    struct bench *b;
    tpi_motion_summary summary;
    uint64_t excesses;
    int64_t held[HOLDS];
};

static double random_of(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* The speeds of the figure; the last frame stops. */
static tpi_motion_setspeed speed_of(int frame)
{
    const double small = acos(-1) / 7.5, turn[8] = {small,      -small,     small,      -small,
                                                    -small / 4, -small / 4, -small / 4, -small / 4};

    return frame == FRAMES - 1 ? (tpi_motion_setspeed){0, 0, 0}
                               : (tpi_motion_setspeed){SPEED, 0, turn[frame / 75]};
}

static void send_frame(struct bench *b, uint32_t client, uint8_t mode, int frame)
{
    const tpi_motion_setspeed speed = speed_of(frame);
    const tpi_motion_header header = {
        .mode = mode, .time_us = 5000000 + (uint64_t)frame * 100000, .sequence = 3};

    bench_send(b, client, header, TPI_MOTION_SETSPEED, (uint32_t)frame + 1, &speed);
}

/* The times at which the reader has cached each package. */
static void arrivals_of(int64_t out[FRAMES], const struct link *link)
{
    uint64_t seed = link->seed;
    int64_t free_ns = BENCH_START;

    for (int i = 0; i < FRAMES; i++) {
        const int64_t sent = BENCH_START + (link->polls > 0 ? i * STEP_NS : 0);
        int64_t at = sent > free_ns ? sent : free_ns;

        for (int k = 0; k < link->polls; k++) {
            at += (int64_t)(random_of(&seed) * 1e8);
        }
        out[i] = free_ns = at;
    }
}

/* Hold for half a second every three seconds, as often as asked for. `held` are the times from
 * which on the holds can act: what is planned already is not changed. */
static void hold_now_and_then(struct bench *b, uint32_t client, int holds, int64_t held[HOLDS])
{
    for (int i = 0; i < holds; i++) {
        bench_wait(b, client, i == 0 ? 1000 : 2500);
        held[i] = b->now_ns + 10 * BENCH_MS;
        bench_rate(b, client, 0);
        bench_wait(b, client, 500);
        bench_rate(b, client, 1);
    }
}

static struct run play(const struct link *link)
{
    struct run run = {.b = bench_new(NULL)};
    const uint32_t client = bench_join(run.b, "unicycle", 0);
    int64_t arrivals[FRAMES];
    tpi_motion_record record;

    arrivals_of(arrivals, link);
    bench_session(run.b, client, TPI_MOTION_BEGIN,
                  &(tpi_motion_begin){.sequence = 3,
                                      .mode = link->mode,
                                      .estimate = link->estimate,
                                      .frames = link->mode == TPI_MOTION_PLAYBACK ? FRAMES : 0,
                                      .duration_us = 60000000});
    for (int i = 0; i < FRAMES; i++) {
        bench_run(run.b, arrivals[i]);
        send_frame(run.b, client, link->mode, i);
    }
    bench_session(run.b, client, TPI_MOTION_END, &(tpi_motion_end){3, FRAMES});
    hold_now_and_then(run.b, client, link->holds, run.held);
    bench_wait(run.b, client, 90000);
    while (bench_next(run.b, client, &record)) {
        if (record.code == TPI_MOTION_SUMMARY) {
            bench_get(&record, &run.summary);
        }
    }
    run.excesses = tpi_motion_engine_excesses(run.b->engine);
    assert_int_equal(run.summary.signal, TPI_MOTION_SUCCESS);
    assert_int_equal(run.summary.played, FRAMES);
    return run;
}

/* ---- Paths ---- */

struct path {
    double x[POINTS], y[POINTS];
};

/* Where the writes lead, in points of equal length of the way. */
static void path_of(struct path *out, const struct bench *b)
{
    double x = 0, y = 0, theta = 0, way = 0;
    int point = 0;

    for (size_t i = 0; i + 1 < b->count; i++) {
        const double v = b->writes[i].values[0], w = b->writes[i].values[2];
        double left = (double)(b->writes[i + 1].due_ns - b->writes[i].due_ns) * 1e-9;

        while (v > 0 && left > 0) {
            const double to_point = (point * LENGTH / (POINTS - 1) - way) / v;
            const double dt = point < POINTS && to_point < left ? fmax(to_point, 0) : left;

            x += v * dt * cos(theta + w * dt / 2) *
                 (w == 0 ? 1 : sin(w * dt / 2) / (w * dt / 2 + 1e-300));
            y += v * dt * sin(theta + w * dt / 2) *
                 (w == 0 ? 1 : sin(w * dt / 2) / (w * dt / 2 + 1e-300));
            theta += w * dt;
            way += v * dt;
            left -= dt;
            if (point < POINTS && to_point <= left + dt) {
                out->x[point] = x;
                out->y[point++] = y;
            }
        }
        theta += v > 0 ? 0 : w * left;
    }
    for (; point < POINTS; point++) {
        out->x[point] = x;
        out->y[point] = y;
    }
}

static double distance(const struct path *a, int i, const struct path *b, int j)
{
    return hypot(a->x[i] - b->x[j], a->y[i] - b->y[j]);
}

/* Discrete Frechet distance, row by row. */
static double frechet(const struct path *a, const struct path *b)
{
    static double row[POINTS];

    for (int i = 0; i < POINTS; i++) {
        double corner = i > 0 ? row[0] : 0;

        for (int j = 0; j < POINTS; j++) {
            const double above = i > 0 ? row[j] : HUGE_VAL, left = j > 0 ? row[j - 1] : HUGE_VAL;
            const double least =
                i == 0 && j == 0 ? 0 : fmin(fmin(above, left), j > 0 && i > 0 ? corner : HUGE_VAL);

            corner = above;
            row[j] = fmax(least, distance(a, i, b, j));
        }
    }
    return row[POINTS - 1];
}

/* ---- Checks ---- */

static void same_but_for_a_shift(const struct bench *a, const struct bench *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->writes[i].due_ns - a->writes[0].due_ns,
                         b->writes[i].due_ns - b->writes[0].due_ns);
        assert_memory_equal(a->writes[i].values, b->writes[i].values, sizeof a->writes[i].values);
        assert_memory_equal(a->writes[i].speeds, b->writes[i].speeds, sizeof a->writes[i].speeds);
    }
}

/* In each window the speed changes by no more than the limit allows; a speed is held for a period.
 */
static void within_acceleration(const struct bench *b, int slot, double limit)
{
    for (size_t i = 0; i < b->count; i++) {
        for (size_t j = i + 1;
             j < b->count && b->writes[j].due_ns - b->writes[i].due_ns < 2 * STEP_NS; j++) {
            const double time = (double)(b->writes[j].due_ns - b->writes[i].due_ns) * 1e-9 + 0.01;
            const double change = fabs(b->writes[j].values[slot] - b->writes[i].values[slot]);

            if (change > limit * time * 1.01 + 1e-9) {
                fail_msg("slot %d: %g in %g s at %g s", slot, change, time,
                         (double)(b->writes[i].due_ns - BENCH_START) * 1e-9);
            }
        }
    }
}

static void keeps_the_path(const struct run *run, const struct path *reference)
{
    static struct path path;

    path_of(&path, run->b);
    const double away = frechet(&path, reference);
    if (!(away <= 0.001 * LENGTH)) {
        fail_msg("the path is %g m away", away);
    }
    within_acceleration(run->b, 0, 1);
    within_acceleration(run->b, 2, 4);
    assert_int_equal(run->excesses, 0);
}

/* ---- Tests ---- */

static struct path reference;

static void the_path_closes(void **state)
{
    struct run run = play(&(struct link){.mode = TPI_MOTION_PLAYBACK});

    (void)state;
    path_of(&reference, run.b);
    print_message("# closing error %.3f m\n",
                  hypot(reference.x[POINTS - 1], reference.y[POINTS - 1]));
    assert_true(hypot(reference.x[POINTS - 1], reference.y[POINTS - 1]) < 0.2);
    within_acceleration(run.b, 0, 1);
    within_acceleration(run.b, 2, 4);
    bench_free(run.b);
}

static void what_is_never_slowed_is_the_same_to_the_byte(void **state)
{
    struct run fast = play(&(struct link){.mode = TPI_MOTION_PLAYBACK});
    int shifted = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct run playback = play(&(struct link){4, seed, TPI_MOTION_PLAYBACK, 0, 0});
        struct run adaptive = play(&(struct link){1, seed, TPI_MOTION_ADAPTIVE, 0, 0});

        if (playback.summary.held_us == 0) {
            same_but_for_a_shift(fast.b, playback.b);
            shifted++;
        }
        assert_int_equal(adaptive.summary.held_us, 0);
        assert_true(adaptive.summary.start_us < 2000000 + (uint64_t)BENCH_START / 1000);
        same_but_for_a_shift(fast.b, adaptive.b);
        bench_free(playback.b);
        bench_free(adaptive.b);
    }
    assert_true(shifted >= 3);
    bench_free(fast.b);
}

static void a_slowed_playback_keeps_the_path(void **state)
{
    int slowed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct run run = play(&(struct link){4, seed, TPI_MOTION_PLAYBACK, 1, 0});

        slowed += run.summary.held_us > 0;
        keeps_the_path(&run, &reference);
        bench_free(run.b);
    }
    assert_true(slowed > 0);
}

static void a_slowed_adaptive_sequence_keeps_the_path_and_finishes_early(void **state)
{
    (void)state;
    for (int polls = 2; polls <= 4; polls++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            const struct link link = {polls, seed, TPI_MOTION_ADAPTIVE, 0, 0};
            int64_t arrivals[FRAMES], best = BENCH_START;

            arrivals_of(arrivals, &link);
            for (int i = 0; i + 1 < FRAMES; i++) {
                const int64_t need = arrivals[i + 1] - i * STEP_NS;
                best = need > best ? need : best;
            }
            struct run run = play(&link);
            const double finish = (double)((int64_t)run.summary.end_us - BENCH_START / 1000) * 1e-6;
            const double ideal = (double)(best + (FRAMES - 1) * STEP_NS - BENCH_START) * 1e-9;

            print_message(
                "# adaptive, %d polls: finish %.3f of the best, %u stalls, start %.1f s\n", polls,
                finish / ideal, run.summary.stalls,
                (double)((int64_t)run.summary.start_us - BENCH_START / 1000) * 1e-6);
            assert_true(finish <= 1.05 * ideal);
            assert_int_equal(run.summary.stalls, 0);
            keeps_the_path(&run, &reference);
            bench_free(run.b);
        }
    }
}

/* The robot stands 1.1 v/a after each hold, at the latest. */
static void stops_in_time(const struct bench *b, int64_t held_ns)
{
    double speed = 0;
    size_t i = 0;

    for (; i < b->count && b->writes[i].due_ns < held_ns; i++) {
        speed = b->writes[i].values[0];
    }
    while (i < b->count && b->writes[i].values[0] != 0) {
        i++;
    }
    assert_true(i < b->count && speed > 0.29);
    const double time = (double)(b->writes[i].due_ns - held_ns) * 1e-9;
    if (!(time <= 1.1 * speed / 1)) {
        fail_msg("it stands after %g s, from %g m/s", time, speed);
    }
}

static void twenty_holds_keep_the_path(void **state)
{
    struct run run = play(&(struct link){0, 0, TPI_MOTION_PLAYBACK, 0, HOLDS});
    static struct path path;
    int stops = 0;

    (void)state;
    for (size_t i = 1; i < run.b->count; i++) {
        stops += run.b->writes[i].values[0] == 0 && run.b->writes[i - 1].values[0] > 0;
    }
    assert_int_equal(stops, HOLDS + 1); /* and the end */
    for (int i = 0; i < HOLDS; i++) {
        stops_in_time(run.b, run.held[i]);
    }
    keeps_the_path(&run, &reference);
    path_of(&path, run.b);
    const double away = frechet(&path, &reference);
    print_message("# twenty holds: %.2g m from the path\n", away);
    assert_true(away < 1e-6); /* of 18 m: the times are whole nanoseconds */
    bench_free(run.b);
}

static void a_hold_stops_within_what_the_limit_needs(void **state)
{
    struct bench *b = bench_new(NULL);
    const uint32_t client = bench_join(b, "holder", 0);

    (void)state;
    bench_send(b, client, (tpi_motion_header){0}, TPI_MOTION_SETSPEED, 1,
               &(tpi_motion_setspeed){0.9, 0, 0});
    bench_wait(b, client, 3000);
    const size_t before = b->count;
    const int64_t held = b->now_ns + 10 * BENCH_MS; /* what is planned already is not changed */
    bench_rate(b, client, 0);
    bench_wait(b, client, 2000);
    assert_true(b->writes[before - 1].values[0] == 0.9);
    assert_true(b->writes[b->count - 1].values[0] == 0);
    assert_true((double)(b->writes[b->count - 1].due_ns - held) <= 1.1 * 0.9e9);
    double way = 0.9 * (double)(b->writes[before].due_ns - held) * 1e-9;
    for (size_t i = before; i + 1 < b->count; i++) {
        way +=
            b->writes[i].values[0] * (double)(b->writes[i + 1].due_ns - b->writes[i].due_ns) * 1e-9;
    }
    assert_true(fabs(way - 0.405) < 1e-6); /* v^2 / 2a */
    within_acceleration(b, 0, 1);
    bench_free(b);
}

/* The path itself uses the acceleration while the rate changes. */
static void holds_while_the_speed_changes_stay_within_limits(void **state)
{
    struct bench *b = bench_new(NULL);
    const uint32_t client = bench_join(b, "holder", 0);

    (void)state;
    for (uint32_t i = 0; i < 12; i++) {
        bench_send(b, client, (tpi_motion_header){0}, TPI_MOTION_SETSPEED, i,
                   &(tpi_motion_setspeed){i % 2 == 0 ? 0.9 : 0.1, 0, i % 2 == 0 ? -2.5 : 2.5});
        bench_wait(b, client, 40 + 30 * (int64_t)i);
        bench_rate(b, client, 0);
        bench_wait(b, client, 20 + 150 * (int64_t)(i % 6));
        bench_rate(b, client, 1);
        bench_wait(b, client, 3000);
    }
    within_acceleration(b, 0, 1);
    within_acceleration(b, 2, 4);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_path_closes),
        cmocka_unit_test(what_is_never_slowed_is_the_same_to_the_byte),
        cmocka_unit_test(a_slowed_playback_keeps_the_path),
        cmocka_unit_test(a_slowed_adaptive_sequence_keeps_the_path_and_finishes_early),
        cmocka_unit_test(twenty_holds_keep_the_path),
        cmocka_unit_test(a_hold_stops_within_what_the_limit_needs),
        cmocka_unit_test(holds_while_the_speed_changes_stay_within_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
