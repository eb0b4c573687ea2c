/* mote_test.c - nodes that a station hears directly, through others, or not. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

#define STATION "basestation ( name \"s\" alwayson 1 "
#define MOTE(id, pose) "mote ( name \"m" id "\" id " id " pose " pose " range 3 )\n"

static tpi_sim_routes routes_of(tpi_sim *sim)
{
    tpi_sim_routes routes;

    tpi_sim_step(sim);
    assert_int_equal(tpi_sim_get_routes(sim, sim_named(sim, "s"), &routes, NULL), TP_OK);
    assert_true(routes.time_us == tpi_sim_time_us(sim));
    return routes;
}

static uint32_t id_of(const tpi_sim *sim, tpi_sim_model model)
{
    tpi_sim_mote mote = {0};

    if (model != TPI_SIM_NONE) {
        assert_int_equal(tpi_sim_get_mote(sim, model, &mote, NULL), TP_OK);
    }
    return mote.id;
}

/* Each node that is heard as "id<parent:hops", by id. */
static void hears(tpi_sim *sim, const char *wanted)
{
    const tpi_sim_routes routes = routes_of(sim);
    tpi_buf text = {0};

    for (uint32_t id = 1; id < 10; id++) {
        for (uint32_t i = 0; i < routes.count; i++) {
            const tpi_sim_route *r = &routes.items[i];
            if (id_of(sim, r->mote) == id) {
                tpi_buf_printf(&text, "%u<%u:%u ", id, id_of(sim, r->parent), r->hops);
            }
        }
    }
    assert_string_equal(tpi_buf_text(&text), wanted);
    tpi_buf_fini(&text);
}

static void hears_in(const char *world, const char *wanted)
{
    tpi_sim *sim = sim_make(world);

    hears(sim, wanted);
    tpi_sim_destroy(sim);
}

static void nodes_pass_on_what_others_report(void **state)
{
    (void)state;
    hears_in(STATION ")", "");
    hears_in(STATION ")" MOTE("1", "[2 0 0 0]") MOTE("2", "[0 4 0 0]"), "1<0:1 ");
    hears_in(STATION ")" MOTE("1", "[2 0 0 0]") MOTE("2", "[4 0 0 0]") MOTE("3", "[6 0 0 0]"),
             "1<0:1 2<1:2 3<2:3 ");
    hears_in(STATION "max_hops 2 )" MOTE("1", "[2 0 0 0]") MOTE("2", "[4 0 0 0]")
                 MOTE("3", "[6 0 0 0]"),
             "1<0:1 2<1:2 ");
    /* through the strongest */
    hears_in(STATION ")" MOTE("1", "[2 0 0 0]") MOTE("2", "[2.5 0 0 0]") MOTE("3", "[4 0 0 0]"),
             "1<0:1 2<0:1 3<2:2 ");
}

/* A wall halves the range of 3 m. */
static void walls_shorten_the_range(void **state)
{
#define WALL "model ( pose [1 0 -1 0] size [0.1 9 3] )\n"
    (void)state;
    hears_in(STATION ")" MOTE("1", "[1.4 0 0 0]") WALL, "1<0:1 ");
    hears_in(STATION ")" MOTE("1", "[1.6 0 0 0]") WALL, "");
    hears_in(STATION ")" MOTE("1", "[1.6 0 0 0]") "position ( pose [1 0 0 0] )", "1<0:1 ");
}

static void nodes_that_sleep_are_silent(void **state)
{
    tpi_sim *sim = sim_make(STATION ")" MOTE("1", "[2 0 0 0]") MOTE("2", "[4 0 0 0]"));
    tpi_sim_mote mote;
    tp_error err;

    (void)state;
    assert_int_equal(tpi_sim_set_mote_asleep(sim, sim_named(sim, "m1"), true, NULL), TP_OK);
    hears(sim, "");
    assert_int_equal(tpi_sim_get_mote(sim, sim_named(sim, "m1"), &mote, NULL), TP_OK);
    assert_true(mote.asleep);
    assert_int_equal(tpi_sim_set_mote_asleep(sim, sim_named(sim, "m1"), false, NULL), TP_OK);
    hears(sim, "1<0:1 2<1:2 ");
    const tpi_sim_routes routes = routes_of(sim);
    for (uint32_t i = 0; i < routes.count; i++) {
        assert_true(fabs(routes.items[i].level - 1.0 / 3) < 1e-9);
    }
    assert_int_equal(tpi_sim_get_mote(sim, sim_named(sim, "s"), &mote, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no mote");
    tpi_sim_destroy(sim);
}

static void only_so_many_nodes_are_looked_for(void **state)
{
    tpi_buf world = {0};

    (void)state;
    tpi_buf_printf(&world, STATION ")\n");
    for (int i = 0; i < TPI_SIM_MOST_NODES + 20; i++) {
        tpi_buf_printf(&world, "mote ( id %d pose [%g 0 0 0] )\n", i, i * 0.001);
    }
    tpi_sim *sim = sim_make(tpi_buf_text(&world));
    assert_int_equal(routes_of(sim).count, TPI_SIM_MOST_NODES);
    tpi_buf_fini(&world);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_pass_on_what_others_report),
        cmocka_unit_test(walls_shorten_the_range),
        cmocka_unit_test(nodes_that_sleep_are_silent),
        cmocka_unit_test(only_so_many_nodes_are_looked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
