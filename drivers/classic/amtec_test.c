/*
 * amtec_test.c - an arm of PowerCubes on scripts of a CAN bus: positions, movements, halts, errors
 * and modules that are silent; frames that are torn, short or not for it.
 *
 * The clock is the test's: nothing waits.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "conformance/play.h"
#include "troupe/interfaces/actarray.h"

extern const tp_driver tp_driver_amtecM5;

static const double pi = 3.14159265358979323846;
static char path[64];

static uint32_t bits_of(double value)
{
    const float narrow = (float)value;
    uint32_t bits = 0;

    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

/* A frame: `data` is as long as `length` says. */
static void put(tpi_buf *out, const char *mark, unsigned id, unsigned length, const uint8_t *data,
                bool torn)
{
    for (unsigned i = 0; i < 16; i++) {
        const unsigned byte = i == 0                     ? id & 0xff
                              : i == 1                   ? id >> 8
                              : i == 4                   ? length
                              : i >= 8 && i - 8 < length ? data[i - 8]
                                                         : 0;
        tpi_buf_printf(out, "%s %02x%s", i == 0 || torn ? mark : "", byte,
                       torn || i == 15 ? "\n" : "");
    }
}

/* Six bytes: command, value, a number. */
static void put_six(tpi_buf *out, const char *mark, unsigned id, unsigned command, unsigned value,
                    uint32_t bits)
{
    const uint8_t data[6] = {(uint8_t)command,     (uint8_t)value,        (uint8_t)bits,
                             (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24)};

    put(out, mark, id, 6, data, false);
}

static void put_question(tpi_buf *out, unsigned module, unsigned value)
{
    put(out, ">>", 0xc0 + module, 2, (const uint8_t[]){10, (uint8_t)value}, false);
}

static void put_asked(tpi_buf *out, unsigned module, unsigned value, uint32_t bits)
{
    put_question(out, module, value);
    put_six(out, "<<", 0xa0 + module, 10, value, bits);
}

/* A command that the module acknowledges. */
static void put_told(tpi_buf *out, unsigned module, unsigned command, unsigned value, double number)
{
    put_six(out, ">>", 0xe0 + module, command, value, bits_of(number));
    put(out, "<<", 0xa0 + module, 3, (const uint8_t[]){(uint8_t)command, (uint8_t)value, 0x64},
        false);
}

static void put_reset(tpi_buf *out, unsigned module)
{
    put(out, ">>", 0xe0 + module, 1, (const uint8_t[]){0}, false);
    put(out, "<<", 0xa0 + module, 1, (const uint8_t[]){0}, false);
}

static void put_halt(tpi_buf *out)
{
    put(out, ">>", 0x100, 1, (const uint8_t[]){2}, false);
}

/* Both modules tell what they are: from -3 to 2, at most 1 rad/s and 5 rad/s^2. */
static void put_beginning(tpi_buf *out, uint32_t state)
{
    for (unsigned module = 3; module <= 4; module++) {
        put_asked(out, module, 0x39, 8);
        put_asked(out, module, 0x45, bits_of(-3));
        put_asked(out, module, 0x46, bits_of(2));
        put_asked(out, module, 0x48, bits_of(1));
        put_asked(out, module, 0x4a, bits_of(5));
        put_asked(out, module, 0x59, bits_of(0));
        put_reset(out, module);
        put_asked(out, module, 0x27, state);
    }
}

/* Rounds of questions without end. */
static void put_rounds(tpi_buf *out, const double positions[2], uint32_t state)
{
    tpi_buf_puts(out, "repeat\n");
    for (unsigned i = 0; i < 2; i++) {
        put_asked(out, 3 + i, 0x3c, bits_of(positions[i]));
        put_asked(out, 3 + i, 0x27, state);
        put_asked(out, 3 + i, 0x41, bits_of(0.25));
        put_asked(out, 3 + i, 0x4d, bits_of(1.5));
    }
    tpi_buf_puts(out, "end\n");
}

#define ARM "module_ids=3,4 directions=1,-1 offsets=0,0.5 samplingrate=1000 timeout=60"

static play *begin_with(tpi_buf *text, const char *settings)
{
    static char all[256];

    snprintf(path, sizeof path, "/tmp/troupe-amtec-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(path, text->data, text->length, NULL), TP_OK);
    tpi_buf_fini(text);
    snprintf(all, sizeof all, "port=script:%s %s", path, settings);
    return play_begin(&tp_driver_amtecM5, "actarray:0", all);
}

static play *begin(tpi_buf *text)
{
    return begin_with(text, ARM);
}

static void end(play *p)
{
    play_destroy(p);
    unlink(path);
}

/* Wait for data that comes from now on: nothing is asked then till the next period. */
static const tp_actarray_data *await_state(play *p)
{
    const uint32_t before = p->r.counts[TP_ACTARRAY_DATA_STATE];

    for (unsigned i = 0; i < 2000 && p->r.counts[TP_ACTARRAY_DATA_STATE] == before; i++) {
        play_pass(p, 0.01);
    }
    if (play_last(p, TP_COMMON_DATA_ERROR) != NULL) {
        fail_msg("%s", play_await_failure(p));
    }
    assert_int_not_equal(p->r.counts[TP_ACTARRAY_DATA_STATE], before);
    return play_last(p, TP_ACTARRAY_DATA_STATE);
}

static void positions_are_the_clients(void **state)
{
    const double positions[] = {1, -0.25};
    tpi_buf text = {0};

    (void)state;
    put_beginning(&text, 2);
    put_rounds(&text, positions, 0x802);
    play *p = begin(&text);
    const tp_actarray_data *data = await_state(p);
    assert_int_equal(data->actuators_count, 2);
    play_assert_near((double)data->actuators[0].position, 1);
    play_assert_near((double)data->actuators[1].position, -0.25);
    play_assert_near((double)data->actuators[0].speed, 0.25);
    play_assert_near((double)data->actuators[1].speed, -0.25);
    play_assert_near((double)data->actuators[0].current, 1.5);
    assert_int_equal(data->actuators[0].state, TP_ACTARRAY_ACTSTATE_MOVING);
    const tp_actarray_geom *geom = play_get(p, TP_ACTARRAY_REQ_GET_GEOM, NULL);
    assert_int_equal(geom->actuators[1].type, TP_ACTARRAY_TYPE_ROTARY);
    play_assert_near((double)geom->actuators[0].min, -3);
    play_assert_near((double)geom->actuators[1].min, -2.5);
    play_assert_near((double)geom->actuators[1].max, 2.5);
    assert_int_equal(geom->actuators[0].hasbrakes, 1);
    end(p);
}

/* An answer may come torn at every byte, behind frames of others, of wrong values and too short
 * ones, and frames that say nothing of numbers. */
static void only_answers_count(void **state)
{
    const uint8_t other[] = {10, 0x3c, 0, 0, 0x80, 0x40}, nan[] = {10, 0x3c, 0, 0, 0xc0, 0x7f};
    const uint8_t right[] = {10, 0x3c, 0, 0, 0, 0x3f};
    tpi_buf text = {0};

    (void)state;
    put_beginning(&text, 2);
    put_question(&text, 3, 0x3c);
    put(&text, "<<", 0xa9, 6, other, false);  /* another module */
    put(&text, "<<", 0xc3, 6, other, false);  /* another program that asks */
    put(&text, "<<", 0x8a3, 6, other, false); /* another identifier */
    put(&text, "<<", 0xa3, 5, other, false);
    put(&text, "<<", 0xa3, 0, other, false);
    put(&text, "<<", 0xa3, 6, nan, false);
    put(&text, "+0.001 <<", 0xa3, 6, right, true);
    put_asked(&text, 3, 0x27, 2);
    put_asked(&text, 3, 0x41, 0);
    put_asked(&text, 3, 0x4d, 0);
    put_asked(&text, 4, 0x3c, 0);
    put_asked(&text, 4, 0x27, 1);
    put_asked(&text, 4, 0x41, 0);
    put_asked(&text, 4, 0x4d, 0);
    put_rounds(&text, (const double[]){0.5, 0}, 1);
    play *p = begin(&text);
    const tp_actarray_data *data = await_state(p);
    play_assert_near((double)data->actuators[0].position, 0.5);
    assert_int_equal(data->actuators[0].state, TP_ACTARRAY_ACTSTATE_IDLE);
    assert_int_equal(data->actuators[1].state, TP_ACTARRAY_ACTSTATE_STALLED);
    const tp_actarray_home_cmd all = {.joint = -1};
    const tp_actarray_position_cmd cmd = {.joint = 1, .position = 0};
    play_assert_command_refused(p, TP_ACTARRAY_CMD_HOME, &all,
                                "module 4 reports an error (state 0x00000001): switching the "
                                "power on clears it");
    (void)await_state(p); /* the first one does not go home either */
    play_assert_command_refused(p, TP_ACTARRAY_CMD_POS, &cmd,
                                "module 4 reports an error (state 0x00000001): switching the "
                                "power on clears it");
    end(p);
}

/* An angle beyond pi is brought back; the second module turns the other way round and is offset.
 * Then it halts with one frame, and a reset comes before the next movement. */
static void it_moves_and_halts(void **state)
{
    const double zero[] = {0, 0};
    float to[] = {1, (float)(2 * pi - 1)};
    const tp_actarray_multi_position_cmd both = {.positions_count = 2, .positions = to};
    const tp_actarray_speed_cmd turn = {.joint = 1, .speed = 0.5F};
    tpi_buf text = {0};

    (void)state;
    put_beginning(&text, 2);
    put_rounds(&text, zero, 2);
    for (unsigned value = 0x4f; value <= 0x50; value++) {
        put_told(&text, 3, 8, value, 0.1);
        put_told(&text, 4, 8, value, 0.1);
    }
    put_told(&text, 3, 11, 4, 1);
    put_told(&text, 4, 11, 4, 2 * pi - (double)to[1] - 0.5);
    put_rounds(&text, zero, 0x802);
    put_halt(&text);
    put_rounds(&text, zero, 0x206);
    put_reset(&text, 4);
    put_told(&text, 4, 11, 7, -0.5);
    put_rounds(&text, zero, 0x802);
    put_halt(&text);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin(&text);
    (void)await_state(p);
    play_command(p, TP_ACTARRAY_CMD_MULTI_POS, &both);
    (void)await_state(p);
    play_request(p, TP_COMMON_REQ_HALT, NULL);
    (void)await_state(p);
    play_command(p, TP_ACTARRAY_CMD_SPEED, &turn);
    (void)await_state(p);
    end(p);
}

/* An error stays until the power is switched on. */
static void power_clears_errors(void **state)
{
    const tp_actarray_home_cmd home = {.joint = 0};
    const tp_actarray_power_config on = {.value = 1};
    tpi_buf text = {0};

    (void)state;
    put_beginning(&text, 0x11);
    put_rounds(&text, (const double[]){0, 0}, 0x11);
    put_reset(&text, 3);
    put_reset(&text, 4);
    put_rounds(&text, (const double[]){0, 0}, 2);
    put(&text, ">>", 0xe3, 1, (const uint8_t[]){1}, false);
    put(&text, "<<", 0xa3, 1, (const uint8_t[]){1}, false);
    put_rounds(&text, (const double[]){0, 0}, 2);
    put_halt(&text);
    play *p = begin(&text);
    (void)await_state(p);
    play_assert_command_refused(p, TP_ACTARRAY_CMD_HOME, &home,
                                "module 3 reports an error (state 0x00000011): switching the "
                                "power on clears it");
    play_request(p, TP_ACTARRAY_REQ_POWER, &on);
    (void)await_state(p);
    play_command(p, TP_ACTARRAY_CMD_HOME, &home);
    (void)await_state(p);
    end(p);
}

static void a_silent_module_is_named(void **state)
{
    tpi_buf text = {0};

    (void)state;
    put_beginning(&text, 2);
    put_asked(&text, 3, 0x3c, 0);
    put_asked(&text, 3, 0x27, 2);
    tpi_buf_puts(&text, "silence\n");
    play *p = begin_with(&text, "module_ids=3,4 timeout=1");
    for (unsigned i = 0; i < 200 && play_last(p, TP_COMMON_DATA_ERROR) == NULL; i++) {
        play_pass(p, 0.02);
    }
    const char *why = play_await_failure(p);
    assert_non_null(strstr(why, "has said nothing for 1.0 s"));
    end(p);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    play_assert_not_added(&tp_driver_amtecM5, "actarray:0", NULL, "module_ids=1,x",
                          "amtecM50: module_ids: \"x\" is not a number");
    play_assert_not_added(&tp_driver_amtecM5, "actarray:0", NULL, "module_ids=1,2 module_count=3",
                          "amtecM50: module_ids has 2 numbers, and module_count is 3");
    play_assert_not_added(&tp_driver_amtecM5, "actarray:0", NULL, "module_ids=1,32",
                          "amtecM50: module_ids: 32 is not from 1 to 31");
    play_assert_not_added(&tp_driver_amtecM5, "actarray:0", NULL, "module_ids=1,1",
                          "amtecM50: module_ids names 1 twice");
    play_assert_not_added(&tp_driver_amtecM5, "actarray:0", NULL, "module_ids=1 directions=2",
                          "amtecM50: directions: 2 is not 1 or -1");
    play_assert_not_added(&tp_driver_amtecM5, "actarray:0", NULL, "module_ids=1 connstring=RS232:1",
                          "amtecM50: connstring \"RS232:1\" is no CAN bus: it is like "
                          "\"ESD:0,1000\"; serial lines (RS232) are not supported");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_the_clients), cmocka_unit_test(only_answers_count),
        cmocka_unit_test(it_moves_and_halts),        cmocka_unit_test(power_clears_errors),
        cmocka_unit_test(a_silent_module_is_named),  cmocka_unit_test(mistakes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
