/* rivals_test.c - which bodies are in the way of one: all, but in a pile only some. */
#include "sim/move/rivals.h"

#include "support/sim.h"

enum { MANY = 300 };

/* `count` robots in one place, one beside them that drives at them, and one far away. */
static tpi_sim *make_pile(unsigned count)
{
    tpi_buf text = {0};
    tpi_buf ignored = {0};
    const tpi_sim_options options = {.seed = 1, .note = sim_collect, .context = &ignored};
    tpi_sim *sim = NULL;

    tpi_buf_puts(&text, "define bot position ( size [0.4 0.4 0.2] drive \"diff\" )\n");
    tpi_buf_puts(&text, "bot ( name \"guest\" pose [-0.5 0 0 0] velocity [0.5 0 0 0] )\n"
                        "bot ( name \"far\" pose [9 9 0 0] )\n");
    for (unsigned i = 0; i < count; i++) {
        tpi_buf_printf(&text, "bot ( name \"b%u\" pose [%g 0 0 %u] velocity [0.2 0 0 20] )\n", i,
                       i * 1e-4, i % 360);
    }
    assert_int_equal(tpi_sim_parse(&sim, "x.world", text.data, text.length, &options, NULL), TP_OK);
    tpi_buf_fini(&text);
    tpi_buf_fini(&ignored);
    return sim;
}

static unsigned count_rivals(tpi_sim *sim, const char *name)
{
    const uint32_t tree = sim->tree_of[sim_named(sim, name)];
    struct sim_rivals rivals;
    unsigned count = 0;

    tpi_sim_rivals_sort(sim);
    tpi_sim_rivals_init(&rivals, sim, &sim->crowd.spots[sim->crowd.slot[tree]], 0.1);
    while (tpi_sim_rivals_next(&rivals) != NULL) {
        count++;
    }
    return count;
}

static void a_few_that_overlap_are_all_in_the_way(void **state)
{
    tpi_sim *sim = make_pile(SIM_MOST_PILED);

    (void)state;
    assert_int_equal(count_rivals(sim, "b0"), SIM_MOST_PILED); /* and the guest */
    assert_int_equal(count_rivals(sim, "b31"), SIM_MOST_PILED);
    assert_int_equal(count_rivals(sim, "guest"), SIM_MOST_PILED);
    assert_int_equal(count_rivals(sim, "far"), 0);
    tpi_sim_destroy(sim);
}

static void in_a_pile_only_some_are(void **state)
{
    tpi_sim *sim = make_pile(MANY);

    (void)state;
    for (unsigned i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%u", i);
        assert_in_range(count_rivals(sim, name), SIM_MOST_PILED, SIM_MOST_PILED + 1);
    }
    tpi_sim_destroy(sim);
}

static void one_that_is_not_in_it_meets_the_whole_pile(void **state)
{
    tpi_sim *sim = make_pile(MANY);

    (void)state;
    assert_int_equal(count_rivals(sim, "guest"), MANY);
    tpi_sim_destroy(sim);
}

/* It runs into the pile and stops there. */
static void a_pile_is_in_the_way(void **state)
{
    tpi_sim *sim = make_pile(MANY);

    (void)state;
    sim_steps(sim, 20);
    sim_assert_near(tpi_sim_global_pose(sim, sim_named(sim, "guest")).x, -0.4, 0.2);
    assert_true(tpi_sim_global_pose(sim, sim_named(sim, "guest")).x < -0.3);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_that_overlap_are_all_in_the_way),
        cmocka_unit_test(in_a_pile_only_some_are),
        cmocka_unit_test(one_that_is_not_in_it_meets_the_whole_pile),
        cmocka_unit_test(a_pile_is_in_the_way),
    };

    return cmocka_run_group_tests_name("rivals", tests, NULL, NULL);
}
