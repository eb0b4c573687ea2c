/*
 * nomad_test.c - a Nomad's server on scripts: what is said to it, what is understood, torn and cut,
 * and what stops the robot.
 *
 * The clock is the test's: nothing waits.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "conformance/play.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/ir.h"
#include "troupe/interfaces/position1d.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/sonar.h"

extern const tp_driver tp_driver_nomad_driver;

enum { STATE = 45, EVERYTHING = 45 + 1 };

static void put_word(tpi_buf *out, int32_t word)
{
    const uint32_t w = (uint32_t)word;

    tpi_buf_printf(out, " %02x %02x %02x %02x", w >> 24, w >> 16 & 0xff, w >> 8 & 0xff, w & 0xff);
}

static void put_message(tpi_buf *out, const char *mark, unsigned type, const int32_t *words,
                        unsigned count)
{
    tpi_buf_printf(out, "%s 00 %02x 00 %02x", mark, type, count);
    for (unsigned i = 0; i < count; i++) {
        put_word(out, words[i]);
    }
    tpi_buf_puts(out, "\n");
}

/* A state: where the robot is, with one more word behind it, as the server sends it. */
static void put_state(tpi_buf *out, const int32_t place[4])
{
    int32_t words[EVERYTHING] = {
        [1] = 5, [17] = 100, [18] = 255, [33] = 1 << 19, [38] = 100, [39] = 450, [43] = 900};

    memcpy(words + 34, place, 4 * sizeof place[0]);
    put_message(out, "<<", 80, words, EVERYTHING);
}

/* Connected, its mask, time-out, accelerations and speeds set. */
static void put_start(tpi_buf *out)
{
    static const int32_t port = 7020, nowhere[4] = {0};

    put_message(out, ">>", 102, (const int32_t[]){1, 1}, 2);
    put_message(out, "<<", 82, &port, 1);
    put_message(out, ">>", 16, (const int32_t[]){255, 255, 255, 255, 255, 14, 0}, 7);
    put_state(out, nowhere);
    put_message(out, ">>", 26, (const int32_t[]){5}, 1);
    put_state(out, nowhere);
    put_message(out, ">>", 10, (const int32_t[]){300, 300, 300}, 3);
    put_state(out, nowhere);
    put_message(out, ">>", 11, (const int32_t[]){200, 450, 450}, 3);
    put_state(out, nowhere);
}

static void put_asked(tpi_buf *out, const int32_t place[4])
{
    put_message(out, ">>", 15, NULL, 0);
    put_state(out, place);
}

/* It is asked any number of times. */
static void put_questions(tpi_buf *out, const int32_t place[4])
{
    tpi_buf_puts(out, "repeat\n");
    put_asked(out, place);
    tpi_buf_puts(out, "end\n");
}

static play *begin(tpi_buf *text, const char *provides, const char *more)
{
    return play_begin_script(&tp_driver_nomad_driver, provides, "line", text, more);
}

/* Until the robot reports this heading. */
static const tp_position2d_data *await_heading(play *p, double heading)
{
    const tp_position2d_data *data = NULL;

    for (unsigned i = 0; i < 200; i++) {
        play_pass(p, 0.02);
        data = play_last(p, TP_POSITION2D_DATA_STATE);
        if (data != NULL && fabs(remainder(data->pos.pa - heading, 6.283185307)) < 1e-4) {
            return data;
        }
    }
    fail_msg("no such heading: %s", play_await_failure(p));
    return NULL;
}

static const int32_t somewhere[4] = {1000, 2000, 900, 1350}; /* 0.1 inch, 0.1 degree */
static const int32_t further[4] = {1000, 2100, 1800, 1350};

/* Where it is counts from the first report: 10 inches ahead, and a quarter to the left. */
static void its_way_is_counted_from_the_first_report(void **state)
{
    tpi_buf text = {0};

    (void)state;
    put_start(&text);
    put_asked(&text, somewhere);
    put_asked(&text, further);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "position2d:0", "");
    const tp_position2d_data *data = await_heading(p, 1.5707963);
    play_assert_pose(&data->pos, 0.254, 0, 1.5707963);
    play_assert_near(data->vel.px, 0.254);
    play_assert_near(data->vel.pa, 0.785398);
    play_destroy(p);
}

/* Every byte of the server comes alone. */
static void answers_in_pieces_are_understood(void **state)
{
    tpi_buf whole = {0}, text = {0};

    (void)state;
    put_start(&text);
    put_asked(&text, somewhere);
    put_message(&text, ">>", 15, NULL, 0);
    put_state(&whole, further);
    const char *bytes = tpi_buf_text(&whole) + strlen("<< ");
    for (; *bytes != '\0' && *bytes != '\n'; bytes += 3) {
        tpi_buf_printf(&text, "+0.0001 << %.2s\n", bytes);
    }
    tpi_buf_puts(&text, "silence\n");
    tpi_buf_fini(&whole);
    play *p = begin(&text, "position2d:0", "");
    const tp_position2d_data *data = await_heading(p, 1.5707963);
    play_assert_pose(&data->pos, 0.254, 0, 1.5707963);
    play_destroy(p);
}

/* Sonars turn with the turret, which looks an eighth to the left of the wheels; bumpers do not turn
 * with the wheels. */
static void its_sensors_are_read(void **state)
{
    static const char *const provides[] = {"sonar:0", "ir:0", "bumper:0", "compass@position1d:0"};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        tpi_buf text = {0};
        put_start(&text);
        put_questions(&text, somewhere);
        play *p = begin(&text, provides[i], "");
        if (i == 0) {
            const tp_sonar_data *data = play_await(p, TP_SONAR_DATA_RANGES);
            assert_int_equal(data->ranges_count, 16);
            play_assert_near((double)data->ranges[0], (double)2.54f);
            const tp_sonar_geom *geom = play_get(p, TP_SONAR_REQ_GET_GEOM, NULL);
            play_assert_near(geom->poses[0].pyaw, 0.785398);
        } else if (i == 1) {
            const tp_ir_data *data = play_await(p, TP_IR_DATA_RANGES);
            play_assert_near((double)data->ranges[0], (double)0.127f);
        } else if (i == 2) {
            const tp_bumper_data *data = play_await(p, TP_BUMPER_DATA_STATE);
            assert_int_equal(data->bumpers_count, 20);
            assert_int_equal(data->bumpers[19], 1);
            assert_int_equal(data->bumpers[0], 0);
            const tp_bumper_geom *geom = play_get(p, TP_BUMPER_REQ_GET_GEOM, NULL);
            play_assert_near(geom->bumper_def[0].pose.pyaw, -1.570796);
        } else {
            const tp_position1d_data *data = play_await(p, TP_POSITION1D_DATA_STATE);
            play_assert_near((double)data->pos, (double)1.570796f);
            play_assert_command_refused(p, TP_POSITION1D_CMD_VEL, (&(tp_position1d_cmd_vel){0}),
                                        "a compass does not move");
        }
        play_destroy(p);
    }
}

/* 1 m/s is faster than it may be. A moving robot is told its velocity instead of being asked; a
 * halt is said at once. */
static void it_drives_and_stops(void **state)
{
    static const int32_t nowhere[4] = {0}, going[] = {200, 90, 90}, still[] = {0, 0, 0};
    const tp_position2d_cmd_vel fast = {.vel = {.px = 1, .pa = 0.15707963}, .state = 1};
    tpi_buf text = {0};

    (void)state;
    put_start(&text);
    put_questions(&text, nowhere);
    put_message(&text, ">>", 12, going, 3);
    put_state(&text, nowhere);
    put_message(&text, ">>", 12, going, 3);
    put_state(&text, somewhere);
    put_message(&text, ">>", 12, still, 3);
    put_state(&text, somewhere);
    put_asked(&text, further);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "position2d:0", "");
    play_command(p, TP_POSITION2D_CMD_VEL, &fast);
    (void)await_heading(p, 1.5707963);
    play_request(p, TP_COMMON_REQ_HALT, NULL);
    (void)await_heading(p, 3.14159265);
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL,
                                (&(tp_position2d_cmd_vel){.vel = {.px = NAN}, .state = 1}),
                                "a velocity is made of numbers");
    play_destroy(p);
}

/* A turret of its own turns and stops; a locked one is not told. */
static void a_free_turret_turns(void **state)
{
    static const int32_t nowhere[4] = {0};
    const tp_position1d_cmd_vel turn = {.vel = 0.17453293f, .state = 1};
    tpi_buf text = {0};

    (void)state;
    put_start(&text);
    put_questions(&text, nowhere);
    put_message(&text, ">>", 12, (const int32_t[]){0, 0, 100}, 3);
    put_state(&text, nowhere);
    put_message(&text, ">>", 12, (const int32_t[]){0, 0, 0}, 3);
    put_state(&text, nowhere);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "turret@position1d:0", "LOCKED=no");
    play_command(p, TP_POSITION1D_CMD_VEL, &turn);
    play_request(p, TP_COMMON_REQ_HALT, NULL);
    play_destroy(p);
    text = (tpi_buf){0};
    put_start(&text);
    tpi_buf_puts(&text, "silence\n");
    p = begin(&text, "turret@position1d:0", "");
    play_assert_command_refused(p, TP_POSITION1D_CMD_VEL, &turn,
                                "the turret turns with the wheels; LOCKED 0 frees it");
    play_destroy(p);
}

/* A server that does not answer gets no fifth message; the newest velocity waits. */
static void a_slow_server_is_not_flooded(void **state)
{
    static const int32_t nowhere[4] = {0};
    tpi_buf text = {0};

    (void)state;
    put_start(&text);
    put_questions(&text, nowhere);
    for (int32_t i = 1; i <= 4; i++) {
        put_message(&text, ">>", 12, (const int32_t[]){10 * i, 0, 0}, 3);
    }
    tpi_buf_puts(&text, "+0.05 ");
    put_state(&text, nowhere);
    put_message(&text, ">>", 12, (const int32_t[]){90, 0, 0}, 3);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "position2d:0", "");
    for (int i = 1; i <= 9; i++) {
        play_command(p, TP_POSITION2D_CMD_VEL,
                     &(tp_position2d_cmd_vel){.vel = {.px = 0.0254 * i}, .state = 1});
    }
    (void)play_await(p, TP_POSITION2D_DATA_STATE);
    play_pass(p, 0.01);
    play_destroy(p);
}

static void errors_and_silence_are_failures(void **state)
{
    tpi_buf text = {0};

    (void)state;
    put_start(&text);
    put_message(&text, ">>", 15, NULL, 0);
    put_message(&text, "<<", 91, (const int32_t[]){11}, 1);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text, "position2d:0", "");
    play_pass(p, 0.2);
    assert_string_equal(play_await_failure(p),
                        "nomad_driver0: the robot's server reports the error 11");
    play_destroy(p);
    text = (tpi_buf){0};
    put_start(&text);
    tpi_buf_puts(&text, "silence\n");
    p = begin(&text, "position2d:0", "timeout=2");
    play_pass(p, 2.2);
    assert_string_equal(play_await_failure(p),
                        "nomad_driver0: the robot's server has said nothing for 2.0 s");
    play_destroy(p);
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_nomad_driver, "position2d:0", NULL, "REAL_ROBOT=2",
                          "nomad_driver0: REAL_ROBOT is 0, 1 or 3, not 2");
    play_assert_not_added(&tp_driver_nomad_driver, "position2d:0", NULL, "CYCLE_TIME_US=1",
                          "nomad_driver0: CYCLE_TIME_US is not from 10000 to 1e+06");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_way_is_counted_from_the_first_report),
        cmocka_unit_test(answers_in_pieces_are_understood),
        cmocka_unit_test(its_sensors_are_read),
        cmocka_unit_test(it_drives_and_stops),
        cmocka_unit_test(a_free_turret_turns),
        cmocka_unit_test(a_slow_server_is_not_flooded),
        cmocka_unit_test(errors_and_silence_are_failures),
        cmocka_unit_test(wrong_settings_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
