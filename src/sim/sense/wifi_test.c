/* wifi_test.c - levels in dBm, by distance and wall. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

static tpi_sim_links links_of(tpi_sim *sim, const char *name)
{
    tpi_sim_links links;

    tpi_sim_step(sim);
    assert_int_equal(tpi_sim_get_links(sim, sim_named(sim, name), &links, NULL), TP_OK);
    assert_true(links.time_us == tpi_sim_time_us(sim));
    return links;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b)))) {
        fail_msg("%.12g is not %.12g", a, b);
    }
}

/* In free space a signal of 1000 MHz loses 20 log10(1000) - 27.55 dB over one metre. */
#define STATION "define station wifi ( freq 1000 power 10 alwayson 1 )\n"
static const double loss = 60 - 27.55;

static void levels_fall_with_the_distance(void **state)
{
    tpi_sim *sim =
        sim_make(STATION "station ( name \"a\" ) station ( name \"b\" pose [10 0 0 0] )\n"
                         "station ( name \"c\" pose [0 1 0 0] power 20 plc 3 )\n");
    const tpi_sim_links links = links_of(sim, "a");

    (void)state;
    assert_int_equal(links.count, 2);
    assert_int_equal(links.items[0].model, sim_named(sim, "c"));
    near(links.items[0].level, 20 - loss);
    assert_int_equal(links.items[1].model, sim_named(sim, "b"));
    near(links.items[1].level, 10 - loss - 20);
    const tpi_sim_links other = links_of(sim, "c"); /* its own exponent */
    assert_int_equal(other.items[1].model, sim_named(sim, "b"));
    near(other.items[1].level, 10 - loss - 30 * log10(sqrt(101)));
    near(links.noise, -90);
    tpi_sim_destroy(sim);
}

static void walls_count_and_robots_do_not(void **state)
{
    tpi_sim *sim = sim_make(
        STATION "station ( name \"a\" pose [0 0 0.5 0] ) station ( name \"b\" pose [10 0 0.5 0] )\n"
                "model ( pose [3 0 0 0] size [0.1 2 1] ) model ( pose [6 0 0 30] size [0.1 2 1] )\n"
                "model ( pose [8 0 0 0] size [0.1 2 0.4] )\n"
                "position ( pose [5 0 0 0] )\n");

    (void)state;
    near(links_of(sim, "a").items[0].level, 10 - loss - 20 - 2 * 5);
    near(links_of(sim, "b").items[0].level, 10 - loss - 20 - 2 * 5);
    tpi_sim_destroy(sim);
}

static void too_weak_is_not_heard(void **state)
{
    tpi_sim *sim = sim_make(STATION "station ( name \"a\" sensitivity -42.5 )\n"
                                    "station ( name \"b\" pose [10 0 0 0] sensitivity -42.4 )\n");

    (void)state;
    assert_int_equal(links_of(sim, "a").count, 1); /* -42.45 dBm */
    assert_int_equal(links_of(sim, "b").count, 0);
    tpi_sim_destroy(sim);
}

static void stations_have_addresses(void **state)
{
    tpi_sim *sim = sim_make("wifi ( name \"a\" mac \"00:11:22:33:44:55\" ip \"10.0.0.1\" "
                            "essid \"school\" freq 5180 power 17 )\n"
                            "wifi ( name \"b\" ) wifi ( name \"c\" )\n");
    tpi_sim_station a;
    tpi_sim_station b;
    tpi_sim_station c;
    tp_error err;

    (void)state;
    assert_int_equal(tpi_sim_get_station(sim, sim_named(sim, "a"), &a, NULL), TP_OK);
    assert_string_equal(a.mac, "00:11:22:33:44:55");
    assert_string_equal(a.ip, "10.0.0.1");
    assert_string_equal(a.essid, "school");
    assert_true(a.frequency == 5180 && a.power == 17);
    tpi_sim_get_station(sim, sim_named(sim, "b"), &b, NULL);
    tpi_sim_get_station(sim, sim_named(sim, "c"), &c, NULL);
    assert_int_equal(strlen(b.mac), 17);
    assert_int_equal(strncmp(b.mac, "02:", 3), 0);
    assert_string_not_equal(b.mac, c.mac);
    tpi_sim_destroy(sim);
    sim_refuse("wifi ( essid \"123456789012345678901234567890123\" )",
               "x.world:1:8: \"essid\" has more than 32 characters");
    sim = sim_make("model ( )");
    assert_int_equal(tpi_sim_get_station(sim, 0, &a, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no wifi");
    tpi_sim_destroy(sim);
}

static void of_very_many_the_strongest_are_told_of(void **state)
{
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, STATION "station ( name \"a\" )\n");
    for (int i = 1; i <= 50; i++) {
        tpi_buf_printf(&text, "station ( name \"s%d\" pose [%d 0 0 0] )\n", i, i);
    }
    tpi_sim *sim = sim_make(tpi_buf_text(&text));
    const tpi_sim_links links = links_of(sim, "a");
    assert_int_equal(links.count, TPI_SIM_MOST_LINKS);
    for (uint32_t i = 0; i < links.count; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%u", i + 1);
        assert_int_equal(links.items[i].model, sim_named(sim, name));
    }
    tpi_sim_destroy(sim);
    tpi_buf_fini(&text);
}

/* More than there is room for, in a row: those to either side are the strongest, wherever in the
 * row one stands. */
static void of_very_many_the_nearest_are_heard(void **state)
{
    enum { STATIONS = 100 };
    tpi_buf text = {0};
    tpi_sim_links links;

    (void)state;
    for (int i = 0; i < STATIONS; i++) {
        tpi_buf_printf(&text, "wifi ( name \"w%d\" alwayson 1 pose [%d 0 0 0] )\n", i, 7 * i % 100);
    }
    tpi_sim *sim = sim_make(tpi_buf_text(&text));
    tpi_sim_step(sim);
    for (tpi_sim_model model = 0; model < STATIONS; model++) {
        const double x = tpi_sim_global_pose(sim, model).x;
        assert_int_equal(tpi_sim_get_links(sim, model, &links, NULL), TP_OK);
        assert_int_equal(links.count, TPI_SIM_MOST_LINKS);
        for (uint32_t i = 0; i < links.count; i++) {
            const double away = fabs(tpi_sim_global_pose(sim, links.items[i].model).x - x);
            const double room = fmin(x, STATIONS - 1 - x); /* with neighbours on both sides */
            const double wanted = i < 2 * room ? (i / 2) + 1 : i - room + 1;
            assert_true(fabs(away - wanted) < 1e-9);
        }
    }
    tpi_sim_destroy(sim);
    tpi_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_very_many_the_nearest_are_heard),
        cmocka_unit_test(levels_fall_with_the_distance),
        cmocka_unit_test(walls_count_and_robots_do_not),
        cmocka_unit_test(too_weak_is_not_heard),
        cmocka_unit_test(stations_have_addresses),
        cmocka_unit_test(of_very_many_the_strongest_are_told_of),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
