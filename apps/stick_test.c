/* stick_test.c - keys and gamepads as velocities. */
#include "stick.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "typed.h"

static const int64_t second = 1000000000;

static struct stick made(void)
{
    return (struct stick){.speed_mps = 0.4, .turn_radps = 0.8};
}

static void is(const struct stick *stick, int64_t now_ns, double ahead, double turn)
{
    double got[2];

    stick_velocity(stick, now_ns, &got[0], &got[1]);
    if (fabs(got[0] - ahead) > 1e-6 || fabs(got[1] - turn) > 1e-6) {
        fail_msg("%g m/s and %g rad/s, not %g and %g", got[0], got[1], ahead, turn);
    }
}

static void event(struct stick *stick, unsigned kind, unsigned number, int16_t value)
{
    unsigned char bytes[STICK_EVENT] = {1, 2, 3, 4};

    memcpy(bytes + 4, &value, sizeof value);
    bytes[6] = (unsigned char)kind;
    bytes[7] = (unsigned char)number;
    stick_pad(stick, bytes, 3); /* in two pieces */
    stick_pad(stick, bytes + 3, sizeof bytes - 3);
}

static void a_key_drives_for_a_moment(void **state)
{
    struct stick stick = made();

    (void)state;
    is(&stick, 0, 0, 0);
    assert_true(stick_key(&stick, TYPED_UP, second));
    is(&stick, second, 0.4, 0);
    is(&stick, second + second / 2, 0.4, 0);
    assert_true(stick_key(&stick, TYPED_RIGHT, second + second / 2));
    is(&stick, second + second / 2, 0.4, -0.8);
    is(&stick, 2 * second, 0, -0.8); /* the first has ended */
    is(&stick, 3 * second, 0, 0);
    assert_true(stick_key(&stick, TYPED_DOWN, 4 * second));
    assert_true(stick_key(&stick, TYPED_LEFT, 4 * second));
    is(&stick, 4 * second, -0.4, 0.8);
    assert_true(stick_key(&stick, ' ', 4 * second));
    is(&stick, 4 * second, 0, 0);
    assert_false(stick_key(&stick, 'x', 4 * second));
}

static void speeds_are_changed_within_bounds(void **state)
{
    struct stick stick = made();

    (void)state;
    assert_true(stick_key(&stick, '+', 0));
    assert_true(stick_key(&stick, TYPED_UP, 0));
    assert_true(stick_key(&stick, TYPED_LEFT, 0));
    is(&stick, 0, 0.5, 1);
    for (int i = 0; i < 100; i++) {
        stick_key(&stick, '+', 0);
    }
    assert_true(stick.speed_mps <= STICK_FASTEST && stick.speed_mps > STICK_FASTEST / 1.3);
    for (int i = 0; i < 200; i++) {
        stick_key(&stick, '-', 0);
    }
    assert_true(stick.speed_mps >= STICK_SLOWEST && stick.speed_mps < STICK_SLOWEST * 1.3);
}

static void a_gamepad_drives_until_it_is_let_go(void **state)
{
    struct stick stick = made();

    (void)state;
    event(&stick, 0x82, 1, 0); /* as at first */
    is(&stick, 0, 0, 0);
    event(&stick, 2, 1, -32767);
    event(&stick, 2, 0, 32767);
    is(&stick, 100 * second, 0.4, -0.8);
    event(&stick, 2, 0, 3000); /* hardly anything */
    is(&stick, 100 * second, 0.4, 0);
    event(&stick, 2, 3, 32767); /* another stick */
    is(&stick, 100 * second, 0.4, 0);
    event(&stick, 2, 1, INT16_MIN);
    is(&stick, 100 * second, 0.4, 0);
    event(&stick, 2, 1, 0);
    is(&stick, 100 * second, 0, 0);
}

static void buttons_stop_and_change_speeds(void **state)
{
    struct stick stick = made();

    (void)state;
    event(&stick, 2, 1, -32767);
    event(&stick, 1, 5, 1);
    event(&stick, 1, 5, 0); /* released */
    is(&stick, 0, 0.5, 0);
    event(&stick, 1, 4, 1);
    is(&stick, 0, 0.4, 0);
    event(&stick, 1, 0, 1);
    is(&stick, 0, 0, 0);
}

static void a_key_counts_before_the_gamepad(void **state)
{
    struct stick stick = made();

    (void)state;
    event(&stick, 2, 1, -32767);
    stick_key(&stick, TYPED_DOWN, 0);
    is(&stick, 0, -0.4, 0);
    is(&stick, second, 0.4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_drives_for_a_moment),
        cmocka_unit_test(speeds_are_changed_within_bounds),
        cmocka_unit_test(a_gamepad_drives_until_it_is_let_go),
        cmocka_unit_test(buttons_stop_and_change_speeds),
        cmocka_unit_test(a_key_counts_before_the_gamepad),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
