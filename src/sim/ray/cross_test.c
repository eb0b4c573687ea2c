/* cross_test.c - all sides that a ray crosses, against every edge one by one. */
#include "sim/ray/cross.h"
#include "support/sim.h"

enum { THINGS = 120, RAYS = 2000 };

/* How many edges the ray meets up to `range`, and the sum of the distances. */
static uint32_t brute(const tpi_sim *sim, const struct sim_ray *ray, double range, bool crowd,
                      double *sum)
{
    uint32_t count = 0;

    *sum = 0;
    for (uint32_t tree = 0; tree < sim->trees.count; tree++) {
        const struct sim_template *template = sim->trees.template[tree];
        const double c = cos(sim->trees.a[tree]);
        const double s = sin(sim->trees.a[tree]);
        for (uint32_t i = 0; i < template->part_count && (crowd || !template->moves); i++) {
            const struct sim_part *part = &template->parts[i];
            for (uint32_t k = part->first; k < part->first + part->count; k++) {
                const double *vx = template->vx + k;
                const double *vy = template->vy + k;
                const double at = brute_segment(ray, sim->trees.x[tree] + c * vx[0] - s * vy[0],
                                                sim->trees.y[tree] + s * vx[0] + c * vy[0],
                                                sim->trees.x[tree] + c * vx[1] - s * vy[1],
                                                sim->trees.y[tree] + s * vx[1] + c * vy[1]);
                if (at <= range) {
                    count++;
                    *sum += at;
                }
            }
        }
    }
    return count;
}

static void check(const struct sim_crossings *found, uint32_t count, double sum)
{
    double total = 0;

    assert_int_equal(found->count, count);
    for (uint32_t i = 0; i < found->count; i++) {
        assert_true(i == 0 || found->items[i].range >= found->items[i - 1].range);
        assert_true(fabs(found->items[i].facing) <= 1 + 1e-12);
        total += found->items[i].range;
    }
    assert_true(fabs(total - sum) < 1e-6);
}

static void the_same_as_brute_force(void **state)
{
    struct sim_dice dice = {3};
    tpi_sim *sim = sim_make_clutter(&dice, THINGS, 8, 2);
    uint32_t most = 0;

    (void)state;
    for (int i = 0; i < RAYS; i++) {
        /* some along the axes, some from outside of everything */
        const double angle =
            i % 10 == 0 ? (i / 10 % 4) * SIM_PI / 2 : sim_throw(&dice, -SIM_PI, SIM_PI);
        struct sim_ray ray = {.x = sim_throw(&dice, -12, 12),
                              .y = sim_throw(&dice, -12, 12),
                              .group = TPI_SIM_NONE,
                              .sees = SIM_ANY};
        const double range = sim_throw(&dice, 0.1, 30);
        struct sim_crossings found;
        double sum;
        sim_sincos(angle, &ray.dy, &ray.dx);
        for (int crowd = 0; crowd < 2; crowd++) {
            const uint32_t count = brute(sim, &ray, range, crowd != 0, &sum);
            tpi_sim_cross(sim, &ray, range, crowd != 0, &found);
            check(&found, count, sum);
            most = count > most ? count : most;
        }
    }
    assert_true(most > 20);
    tpi_sim_destroy(sim);
}

/* Bodies are closed, so a ray from outside goes in as often as out. */
static void in_and_out(void **state)
{
    struct sim_dice dice = {4};
    tpi_sim *sim = sim_make_clutter(&dice, THINGS, 8, 2);

    (void)state;
    for (int i = 0; i < RAYS; i++) {
        struct sim_ray ray = {
            .x = -30, .y = sim_throw(&dice, -8, 8), .group = TPI_SIM_NONE, .sees = SIM_ANY};
        struct sim_crossings found;
        int inside = 0;
        sim_sincos(sim_throw(&dice, -0.2, 0.2), &ray.dy, &ray.dx);
        tpi_sim_cross(sim, &ray, 60, true, &found);
        for (uint32_t k = 0; k < found.count; k++) {
            inside += found.items[k].facing > 0 ? 1 : -1;
            assert_true(inside >= 0);
        }
        assert_int_equal(inside, 0);
    }
    tpi_sim_destroy(sim);
}

/* Up and down too, from and to bodies and walls, of which none is in its own way. */
static void hidden_is_what_something_is_between(void **state)
{
    struct sim_dice dice = {5};
    tpi_sim *sim = sim_make_clutter(&dice, THINGS, 8, 2);
    uint32_t hidden = 0;

    (void)state;
    for (int i = 0; i < RAYS; i++) {
        const uint32_t tree = (uint32_t)sim_throw(&dice, 0, sim->trees.count - 0.01);
        const struct sim_line line = {.x = sim_throw(&dice, -12, 12),
                                      .y = sim_throw(&dice, -12, 12),
                                      .z = sim_throw(&dice, 0, 1),
                                      .dx = i % 100 == 0 ? 0 : sim_throw(&dice, -4, 4),
                                      .dy = i % 50 == 0 ? 0 : sim_throw(&dice, -4, 4),
                                      .dz = sim_throw(&dice, -1, 1),
                                      .group = (uint32_t)i % sim->trees.count,
                                      .tree = tree};
        const bool between = tpi_sim_count_between(sim, &line, true) > 0;
        assert_int_equal(tpi_sim_is_hidden(sim, &line), between);
        hidden += between ? 1 : 0;
    }
    assert_true(hidden > RAYS / 10 && hidden < RAYS - RAYS / 10);
    tpi_sim_destroy(sim);
}

static void of_very_many_the_nearest_are_kept(void **state)
{
    tpi_buf text = {0};
    struct sim_crossings found;
    const struct sim_ray ray = {
        .x = -1, .y = 0.01, .dx = 1, .group = TPI_SIM_NONE, .sees = SIM_ANY};

    (void)state;
    for (int i = 0; i < 200; i++) {
        tpi_buf_printf(&text, "model ( pose [%d 0 0 0] size [0.5 1 1] )\n", 199 - i);
    }
    tpi_sim *sim = sim_make(tpi_buf_text(&text));
    tpi_sim_cross(sim, &ray, 1000, true, &found);
    assert_int_equal(found.count, SIM_MOST_CROSSINGS);
    for (uint32_t i = 0; i < found.count; i++) {
        assert_true(fabs(found.items[i].range - (0.75 + i / 2 + (i % 2) * 0.5)) < 1e-9);
    }
    tpi_sim_destroy(sim);
    tpi_buf_fini(&text);
}

/* In batches of every size, from and to bodies, of no length, and beyond the world. */
static void many_at_once_are_as_one_by_one(void **state)
{
    struct sim_dice dice = {6};
    tpi_sim *sim = sim_make_clutter(&dice, 8 * THINGS, 40, 2);
    uint32_t most = 0;

    (void)state;
    for (int i = 0; i < RAYS; i++) {
        const uint32_t count = (uint32_t)i % (SIM_MOST_LINES + 1);
        struct sim_line lines[SIM_MOST_LINES];
        uint32_t found[SIM_MOST_LINES];
        for (uint32_t k = 0; k < count; k++) {
            lines[k] = (struct sim_line){.x = sim_throw(&dice, -60, 60),
                                         .y = sim_throw(&dice, -60, 60),
                                         .z = sim_throw(&dice, 0, 1),
                                         .dx = i % 10 == 0 ? 0 : sim_throw(&dice, -80, 80),
                                         .dy = i % 15 == 0 ? 0 : sim_throw(&dice, -80, 80),
                                         .dz = sim_throw(&dice, -1, 1),
                                         .group = (uint32_t)i % sim->trees.count,
                                         .tree = (uint32_t)(i / 7) % sim->trees.count};
        }
        tpi_sim_count_many(sim, lines, count, found);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(found[k], tpi_sim_count_between(sim, &lines[k], false));
            most = found[k] > most ? found[k] : most;
        }
    }
    assert_true(most > 20);
    tpi_sim_destroy(sim);
}

static void too_many_to_be_noted_are_counted_as_one_by_one(void **state)
{
    tpi_buf text = {0};
    const struct sim_line line = {
        .x = -1, .y = 0.01, .z = 0.5, .dx = 500, .dz = -0.1, .group = TPI_SIM_NONE};
    uint32_t found = 0;

    (void)state;
    tpi_buf_puts(&text, "position ( pose [-5 -5 0 0] )\n");
    for (int i = 0; i < 200; i++) {
        tpi_buf_printf(&text, "model ( pose [%d 0 0 0] size [0.5 1 %g] )\n", 199 - i,
                       i % 2 == 0 ? 1 : 0.4);
    }
    tpi_sim *sim = sim_make(tpi_buf_text(&text));
    tpi_sim_count_many(sim, &line, 1, &found);
    assert_int_equal(found, tpi_sim_count_between(sim, &line, false));
    assert_true(found > 100 && found <= SIM_MOST_CROSSINGS);
    tpi_sim_destroy(sim);
    tpi_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_as_brute_force),
        cmocka_unit_test(in_and_out),
        cmocka_unit_test(hidden_is_what_something_is_between),
        cmocka_unit_test(of_very_many_the_nearest_are_kept),
        cmocka_unit_test(many_at_once_are_as_one_by_one),
        cmocka_unit_test(too_many_to_be_noted_are_counted_as_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
