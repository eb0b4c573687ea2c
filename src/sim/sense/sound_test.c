/* sound_test.c - levels in decibels, by distance, wall and number of sources. */
#include "sim/sense/sensors.h"
#include "support/sim.h"

static tpi_sim_hearing hear(tpi_sim *sim)
{
    tpi_sim_hearing hearing;

    tpi_sim_step(sim);
    assert_int_equal(tpi_sim_get_hearing(sim, sim_named(sim, "m"), &hearing, NULL), TP_OK);
    assert_true(hearing.time_us == tpi_sim_time_us(sim));
    return hearing;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b)))) {
        fail_msg("%.12g is not %.12g", a, b);
    }
}

static tpi_sim_hearing hear_in(const char *world)
{
    tpi_sim *sim = sim_make(world);
    const tpi_sim_hearing heard = hear(sim);

    tpi_sim_destroy(sim);
    return heard;
}

/* Hardly any background, so that it does not show. */
#define MICROPHONE "microphone ( name \"m\" pose [0 0 0.1 90] alwayson 1 background -100 "
#define WALL "model ( pose [5 0 0 0] size [0.1 2 1] )"

static void levels_fall_with_the_distance(void **state)
{
    (void)state;
    near(hear_in(MICROPHONE ")").level, -100);
    near(hear_in(MICROPHONE ") sound ( pose [1 0 0.1 0] )").level, 60);
    near(hear_in(MICROPHONE ") sound ( pose [10 0 0.1 0] level 50 )").level, 30);
    near(hear_in(MICROPHONE ") sound ( pose [2 1 2.1 0] )").level, 60 - 20 * log10(3));
}

static void powers_add_up(void **state)
{
    (void)state;
    near(hear_in(MICROPHONE ") sound ( pose [1 0 0.1 0] ) sound ( pose [0 1 0.1 0] )").level,
         60 + 10 * log10(2));
    near(hear_in("microphone ( name \"m\" pose [0 0 0.1 0] alwayson 1 background 40 )\n"
                 "sound ( pose [10 0 0.1 0] )")
             .level,
         40 + 10 * log10(2));
}

static void the_loudest_is_told_of(void **state)
{
    const tpi_sim_hearing heard =
        hear_in(MICROPHONE ") sound ( pose [10 0 0.1 0] frequency 1000 )\n"
                           "sound ( pose [0 -3 0.1 0] frequency 500 level 55 )");

    (void)state;
    near(heard.frequency, 500); /* 45.5 dB, the other 40 */
    near(fabs(heard.bearing), SIM_PI);
    near(hear_in(MICROPHONE ") sound ( pose [2 0 0.1 0] )").bearing, -SIM_PI / 2);
    const tpi_sim_hearing quiet =
        hear_in("microphone ( name \"m\" alwayson 1 )\nsound ( pose [100 0 0 0] )");
    near(quiet.frequency, 0); /* below the background of 30 dB */
    near(quiet.bearing, 0);
}

static void walls_take_some_of_it(void **state)
{
    (void)state;
    near(hear_in(MICROPHONE ") sound ( pose [10 0 0.1 0] ) " WALL).level, 40 - 15);
    near(hear_in(MICROPHONE "wall_loss 4 ) sound ( pose [10 0 0.1 0] ) " WALL).level, 40 - 4);
    near(hear_in(MICROPHONE ") sound ( pose [0 10 0.1 0] ) " WALL).level, 40);
    near(hear_in(MICROPHONE ") sound ( pose [10 0 0.1 0] ) position ( pose [5 0 0 0] )").level, 40);
}

static void sources_can_be_changed(void **state)
{
    tpi_sim *sim = sim_make(MICROPHONE ")\nsound ( name \"s\" pose [1 0 0.1 0] level 0 )");
    const tpi_sim_model source = sim_named(sim, "s");
    tpi_sim_tone tone = {.level = 70, .frequency = 880};
    tp_error err;

    (void)state;
    near(hear(sim).level, -100);
    assert_int_equal(tpi_sim_set_tone(sim, source, &tone, NULL), TP_OK);
    near(hear(sim).level, 70);
    near(hear(sim).frequency, 880);
    tone.level = 0;
    assert_int_equal(tpi_sim_get_tone(sim, source, &tone, NULL), TP_OK);
    near(tone.level, 70);
    tone.frequency = NAN;
    assert_int_equal(tpi_sim_set_tone(sim, source, &tone, &err), TP_E_INVALID);
    tone = (tpi_sim_tone){.level = 301, .frequency = 5};
    assert_int_equal(tpi_sim_set_tone(sim, source, &tone, &err), TP_E_INVALID);
    assert_string_equal(err.text,
                        "a tone is from -200 to 300 dB and from 0 to 1 MHz, not 301 dB and 5 Hz");
    assert_int_equal(tpi_sim_get_tone(sim, sim_named(sim, "m"), &tone, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no sound");
    tpi_sim_destroy(sim);
}

static void a_melody_is_heard_tone_by_tone(void **state)
{
    tpi_sim *sim = sim_make(MICROPHONE ")\nsound ( name \"s\" pose [1 0 0.1 0] level 0 "
                                       "frequency 50 max_level 90 )");
    const tpi_sim_model source = sim_named(sim, "s");
    const tpi_sim_note_play notes[] = {{440, 0.2, 1}, {0, 0.1, 0}, {880, 0.15, 0.1}};
    const tpi_sim_note_play odd = {.frequency = 440, .seconds = 1, .amplitude = 1.5};
    bool playing = false;
    tp_error err;

    (void)state;
    assert_int_equal(tpi_sim_play(sim, source, notes, 3, NULL), TP_OK);
    near(hear(sim).level, 90);
    near(hear(sim).level, -100); /* the pause: 200 ms have passed */
    assert_int_equal(tpi_sim_get_playing(sim, source, &playing, NULL), TP_OK);
    assert_true(playing);
    const tpi_sim_hearing last = hear(sim);
    near(last.level, 70);
    near(last.frequency, 880);
    near(hear(sim).level, 70);
    near(hear(sim).level, -100); /* as before */
    assert_int_equal(tpi_sim_get_playing(sim, source, &playing, NULL), TP_OK);
    assert_false(playing);
    assert_int_equal(tpi_sim_play(sim, source, &odd, 1, &err), TP_E_RANGE);
    assert_string_equal(err.text, "tone 0 of 440 Hz, 1 s and amplitude 1.5 makes no sense");
    assert_int_equal(tpi_sim_play(sim, source, notes, 65, &err), TP_E_LIMIT);
    assert_int_equal(tpi_sim_play(sim, source, notes, 1, NULL), TP_OK);
    assert_int_equal(tpi_sim_play(sim, source, notes, 0, NULL), TP_OK); /* silence */
    near(hear(sim).level, -100);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_fall_with_the_distance),
        cmocka_unit_test(powers_add_up),
        cmocka_unit_test(the_loudest_is_told_of),
        cmocka_unit_test(walls_take_some_of_it),
        cmocka_unit_test(sources_can_be_changed),
        cmocka_unit_test(a_melody_is_heard_tone_by_tone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
