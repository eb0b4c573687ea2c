/* rfid_test.c - tags by range, field of view and wall. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

static tpi_sim_tags look(tpi_sim *sim)
{
    tpi_sim_tags tags;

    tpi_sim_step(sim);
    assert_int_equal(tpi_sim_get_tags(sim, sim_named(sim, "r"), &tags, NULL), TP_OK);
    assert_true(tags.time_us == tpi_sim_time_us(sim));
    return tags;
}

/* The ids that a reader finds, one letter each, the nearest first. */
static void finds(const char *world, const char *wanted)
{
    tpi_sim *sim = sim_make(world);
    const tpi_sim_tags tags = look(sim);
    char found[TPI_SIM_MOST_TAGS + 1] = "";

    for (uint32_t i = 0; i < tags.count; i++) {
        assert_int_equal(tags.items[i].length, 1);
        found[i] = (char)tags.items[i].id[0];
    }
    assert_string_equal(found, wanted);
    tpi_sim_destroy(sim);
}

#define READER "rfidreader ( name \"r\" pose [0 0 0.5 0] alwayson 1 range_max 3 "
#define TAG(id, pose) "rfidtag ( id \"" id "\" pose " pose " )\n"

static void tags_in_range_are_found_nearest_first(void **state)
{
    (void)state;
    finds(READER ")", "");
    finds(READER ")" TAG("a", "[2 0 0.5 0]") TAG("b", "[0 -1 0.5 0]") TAG("c", "[3.1 0 0.5 0]"),
          "ba");
    finds(READER ")" TAG("a", "[2 0 2.9 0]"), ""); /* too high */
    finds(READER "fov 90 )" TAG("a", "[1 0.9 0.5 0]") TAG("b", "[1 1.1 0.5 0]")
              TAG("c", "[-1 0 0.5 0]"),
          "a");
}

static void walls_hide_tags_unless_the_file_says_otherwise(void **state)
{
#define WALL "model ( pose [1 0 0 0] size [0.1 2 1] )\n"
    (void)state;
    finds(READER ")" TAG("a", "[2 0 0.5 0]") WALL, "");
    finds(READER "through_walls 1 )" TAG("a", "[2 0 0.5 0]") WALL, "a");
    finds(READER ")" TAG("a", "[2 0 0.5 0]") "model ( pose [1 0 0 0] size [0.1 2 0.4] )", "a");
    finds(READER ")" TAG("a", "[2 0 0.5 0]") "position ( pose [1 0 0 0] )", "a");
    finds(READER ")"
                 "model ( pose [2 0 0 0] size [0.5 0.5 1] " TAG("a", "[0 0 -0.5 0]") ")",
          "a");
}

static void ids_are_letters_digits_or_of_the_model(void **state)
{
    tpi_sim *sim = sim_make(READER ") rfidtag ( pose [1 0 0.5 0] id \"0xE20034a1\" tag_type 7 )\n"
                                   "rfidtag ( name \"t\" pose [2 0 0.5 0] )");
    const tpi_sim_tags tags = look(sim);

    (void)state;
    assert_int_equal(tags.count, 2);
    assert_int_equal(tags.items[0].length, 4);
    assert_int_equal(tags.items[0].type, 7);
    assert_memory_equal(tags.items[0].id, "\xe2\x00\x34\xa1", 4);
    assert_int_equal(tags.items[1].length, 8);
    assert_true(fabs(tags.items[1].range - 2) < 1e-12);
    tpi_sim_destroy(sim);
    sim_refuse("rfidtag ( id \"0xE2003\" )",
               "x.world:1:11: \"id\" is 1 to 32 letters, or 0x and pairs of hexadecimal digits");
    sim_refuse("rfidtag ( id \"0xEg\" )",
               "x.world:1:11: \"id\" is 1 to 32 letters, or 0x and pairs of hexadecimal digits");
    sim_refuse("rfidtag ( id \"\" )",
               "x.world:1:11: \"id\" is 1 to 32 letters, or 0x and pairs of hexadecimal digits");
}

static void many_tags_are_the_nearest(void **state)
{
    tpi_buf world = {0};

    (void)state;
    tpi_buf_printf(&world, "rfidreader ( name \"r\" pose [0 0 0.5 0] alwayson 1 range_max 100 )\n");
    for (int i = 40; i > 0; i--) {
        tpi_buf_printf(&world, "rfidtag ( id \"%d\" pose [%d 0 0.5 0] )\n", i, i);
    }
    tpi_sim *sim = sim_make(tpi_buf_text(&world));
    const tpi_sim_tags tags = look(sim);
    assert_int_equal(tags.count, TPI_SIM_MOST_TAGS);
    assert_true(tags.items[0].range == 1 && tags.items[31].range == 32);
    tpi_buf_fini(&world);
    tpi_sim_destroy(sim);
}

static void without_power_it_finds_none(void **state)
{
    tpi_sim *sim = sim_make(READER ")" TAG("a", "[2 0 0.5 0]"));
    const tpi_sim_model r = sim_named(sim, "r");
    tpi_sim_tags tags;
    tp_error err;

    (void)state;
    assert_int_equal(tpi_sim_set_reader_power(sim, r, false, NULL), TP_OK);
    assert_int_equal(look(sim).count, 0);
    assert_false(look(sim).powered);
    assert_int_equal(tpi_sim_set_reader_power(sim, r, true, NULL), TP_OK);
    assert_int_equal(look(sim).count, 1);
    assert_int_equal(tpi_sim_get_tags(sim, sim_named(sim, "rfidtag:0"), &tags, &err),
                     TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no rfidreader");
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_in_range_are_found_nearest_first),
        cmocka_unit_test(walls_hide_tags_unless_the_file_says_otherwise),
        cmocka_unit_test(ids_are_letters_digits_or_of_the_model),
        cmocka_unit_test(many_tags_are_the_nearest),
        cmocka_unit_test(without_power_it_finds_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
