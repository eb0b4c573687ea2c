/* control_test.c - what POSITION_MODE has chosen, and commands that only stop. */
#include "control.h"

#include <math.h>

#include "support/unit.h"

static void only_speeds_of_zero_stop(void **state)
{
    const double still[] = {0, -0.0, 0}, last[] = {0, 0, -0.25}, odd[] = {NAN};

    (void)state;
    assert_int_equal(tpi_control_of_speeds(still, 3), TPI_CONTROL_ANY);
    assert_int_equal(tpi_control_of_speeds(last, 3), TPI_CONTROL_SPEED);
    assert_int_equal(tpi_control_of_speeds(odd, 1), TPI_CONTROL_SPEED);
}

static void what_only_stops_is_never_refused(void **state)
{
    static const struct {
        tpi_control chosen, wanted;
        const char *why;
    } cases[] = {
        {TPI_CONTROL_ANY, TPI_CONTROL_SPEED, ""},
        {TPI_CONTROL_ANY, TPI_CONTROL_POSITION, ""},
        {TPI_CONTROL_SPEED, TPI_CONTROL_ANY, ""},
        {TPI_CONTROL_SPEED, TPI_CONTROL_SPEED, ""},
        {TPI_CONTROL_SPEED, TPI_CONTROL_POSITION,
         "the axis is under velocity control, as POSITION_MODE has chosen"},
        {TPI_CONTROL_POSITION, TPI_CONTROL_ANY, ""},
        {TPI_CONTROL_POSITION, TPI_CONTROL_POSITION, ""},
        {TPI_CONTROL_POSITION, TPI_CONTROL_SPEED,
         "the axis is under position control, as POSITION_MODE has chosen"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tp_error err = {0};
        const tp_status status = tpi_control_check(cases[i].chosen, cases[i].wanted, "axis", &err);
        assert_int_equal(status, cases[i].why[0] == '\0' ? TP_OK : TP_E_INVALID);
        assert_string_equal(err.text, cases[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_speeds_of_zero_stop),
        cmocka_unit_test(what_only_stops_is_never_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
