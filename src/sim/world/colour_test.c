/* colour_test.c - colours by name. */
#include "sim/world/colour.h"

#include <string.h>

#include "support/unit.h"

static void is(const char *name, uint32_t wanted)
{
    uint32_t colour = 1;

    assert_true(tpi_sim_colour_find(name, &colour));
    assert_int_equal(colour, wanted);
}

static void is_none(const char *name)
{
    uint32_t colour = 1;

    assert_false(tpi_sim_colour_find(name, &colour));
    assert_int_equal(colour, 1);
}

static void names_of_x11_are_known(void **state)
{
    (void)state;
    is("red", 0xff0000ff);
    is("black", 0x000000ff);
    is("snow", 0xfffafaff);
    is("yellow4", 0x8b8b00ff);
    is("blue1", 0x0000ffff);
    is("gray0", 0x000000ff);
    is("gray30", 0x4d4d4dff);
    is("gray50", 0x7f7f7fff);
    is("gray51", 0x828282ff);
    is("gray100", 0xffffffff);
    is("yellow green", 0x9acd32ff);
}

static void spellings_are_many(void **state)
{
    (void)state;
    is("LightSlateGrey", 0x778899ff);
    is("light slate gray", 0x778899ff);
    is("LIGHTSLATEGRAY", 0x778899ff);
    is("grey51", 0x828282ff);
    is("antique white 3", 0xcdc0b0ff);
}

static void other_names_are_not(void **state)
{
    (void)state;
    is_none("");
    is_none("4");
    is_none("gray101");
    is_none("gray1000000000000");
    is_none("grayx");
    is_none("red5");
    is_none("navy2"); /* has no variants */
    is_none("a name that is much longer than any colour could ever have");
}

static void a_mistyped_name_has_a_neighbour(void **state)
{
    (void)state;
    assert_string_equal(tpi_sim_colour_guess("Majenta"), "magenta");
    assert_null(tpi_sim_colour_guess("qwertyuiop"));
    assert_null(tpi_sim_colour_guess("a name that is much longer than any colour could ever have"));
}

static void the_table_is_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < tpi_sim_colour_count; i++) {
        const struct sim_colour *colour = &tpi_sim_colours[i];
        assert_true(i == 0 || strcmp(colour[-1].name, colour->name) < 0);
        is(colour->name, colour->rgb[0] << 8 | 0xff);
    }
}

static void parts_are_cut_to_bytes(void **state)
{
    (void)state;
    assert_int_equal(tpi_sim_colour_of(1, 0.5, 0, 1), 0xff8000ff);
    assert_int_equal(tpi_sim_colour_of(2, -1, 1.0 / 0.0, 0.0), 0xff00ff00);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_x11_are_known), cmocka_unit_test(spellings_are_many),
        cmocka_unit_test(other_names_are_not),    cmocka_unit_test(a_mistyped_name_has_a_neighbour),
        cmocka_unit_test(the_table_is_in_order),  cmocka_unit_test(parts_are_cut_to_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
