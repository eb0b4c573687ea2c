/* universal_test.c - programs for any robot, on emulated robots behind a server in this program. */
#include "troupe/universal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/server.h"
#include "universal/dictionary.h"

struct scene {
    tp_client *client;
    tp_universal *robot;
    tp_error err;
    char path[64];
};

/* A server with one robot, in a file that is gone when it is read. */
static void open_scene(struct scene *s, const char *robot, const char *port)
{
    const tp_client_options options = {.size = sizeof options, .kit = &tp_full_kit};
    char url[96];

    *s = (struct scene){.path = "/tmp/troupe-universal-XXXXXX"};
    const int fd = mkstemp(s->path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file,
            "driver ( name \"robotfile\" robot \"%s\" port \"%s\" provides [ \"position2d:0\" "
            "\"universal:0\" ] )\n",
            robot, port);
    fclose(file);
    snprintf(url, sizeof url, "inproc:%s", s->path);
    assert_int_equal(tp_client_connect(&s->client, url, &options, &s->err), TP_OK);
    remove(s->path);
    assert_int_equal(tp_universal_create(&s->robot, s->client, NULL, NULL, &s->err), TP_OK);
}

static void close_scene(struct scene *s)
{
    tp_universal_destroy(s->robot);
    tp_client_destroy(s->client);
}

static unsigned count_lines(const char *trace, char first)
{
    unsigned count = trace[0] == first;

    for (const char *at = strchr(trace, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        count += at[1] == first;
    }
    return count;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void the_codes_are_those_of_the_dictionary(void **state)
{
    static const struct {
        unsigned code;
        const char *name;
    } some[] = {{TP_UNIVERSAL_NO_OP, "NoOp"},
                {TP_UNIVERSAL_WAIT_TRIGGER, "WaitTrigger"},
                {TP_UNIVERSAL_SETUP_INPUT, "SetupInput"},
                {TP_UNIVERSAL_READ_ANALOG, "ReadAnalog"},
                {TP_UNIVERSAL_TRACK, "Track"},
                {TP_UNIVERSAL_WRITE_BUFFER, "WriteBuffer"},
                {TP_UNIVERSAL_DISPLAY_STRING, "DisplayString"},
                {TP_UNIVERSAL_MOVE_POWER, "MovePower"},
                {TP_UNIVERSAL_DRIVE, "Drive"},
                {TP_UNIVERSAL_TONE, "Tone"},
                {TP_UNIVERSAL_MOVE_MOTORS, "MoveMotors"},
                {TP_UNIVERSAL_GO_TO, "GoTo"},
                {TP_UNIVERSAL_HALT, "Stop"},
                {TP_UNIVERSAL_CHECK_STATUS, "CheckStatus"},
                {TP_UNIVERSAL_RAW, "Raw"}};

    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        assert_string_equal(tp_universal_code_name(some[i].code), some[i].name);
        assert_int_equal(tp_universal_code(some[i].name), some[i].code);
    }
    assert_int_equal(tp_universal_code("motor power"), TP_UNIVERSAL_MOVE_POWER);
    assert_int_equal(tp_universal_code("Fly"), TP_UNIVERSAL_NO_COMMAND);
    assert_null(tp_universal_code_name(0x1234));
    assert_null(tp_universal_code_name(TP_UNIVERSAL_NO_COMMAND));
    assert_string_equal(tp_universal_fault_text(TP_UNIVERSAL_SILENT), "robot silent");
    assert_string_equal(tp_universal_fault_text(99), "unknown fault");
}

/* ---- Devices --------------------------------------------------------------------------------- */

static void a_robot_says_what_it_is(void **state)
{
    struct scene s;
    size_t length = 0;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_string_equal(tp_universal_name(s.robot), "nxt");
    assert_string_equal(tp_universal_title(s.robot), "LEGO MINDSTORMS NXT");
    assert_non_null(strstr(tp_universal_file(s.robot, &length), "<robot "));
    assert_int_equal(strlen(tp_universal_file(s.robot, NULL)), length);
    assert_ptr_equal(tp_universal_client(s.robot), s.client);
    assert_string_equal(tp_proxy_name(tp_universal_proxy(s.robot)), "universal:0");
    close_scene(&s);
}

static void another_device_is_no_robot(void **state)
{
    struct scene s;
    tp_universal *robot = NULL;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_int_equal(tp_universal_create(&robot, s.client, "position2d:0", NULL, &s.err),
                     TP_E_INVALID);
    assert_string_equal(s.err.text, "position2d:0 is no device of the interface universal");
    assert_int_equal(tp_universal_create(&robot, s.client, "universal:1", NULL, &s.err),
                     TP_E_UNKNOWN);
    assert_null(robot);
    close_scene(&s);
}

static void devices_are_matched_and_explained(void **state)
{
    tp_universal_device_info info;
    tp_universal_port eye, left, right, nothing;
    struct scene s;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_int_equal(
        tp_universal_register(s.robot, "Light Sensor, Intensity Sensor", -1, 0, &eye, &s.err),
        TP_OK);
    assert_int_equal(eye.type, TP_UNIVERSAL_FIRST_TYPE);
    assert_string_equal(tp_universal_explanation(s.robot, eye),
                        "\"Light Sensor\" → Light Sensor, port 3");
    assert_int_equal(tp_universal_register(s.robot, "Left Wheel\nMotor", -1, 0, &left, &s.err),
                     TP_OK);
    assert_int_equal(tp_universal_register(s.robot, "Right Wheel", -1, 0, &right, &s.err), TP_OK);
    assert_true(tp_universal_info(s.robot, left, &info));
    const int other = info.part;
    assert_true(info.moves && !info.is_inverted && !info.is_shared);
    assert_true(tp_universal_info(s.robot, right, &info));
    assert_int_not_equal(info.part, other);
    assert_string_equal(info.classes, "Right Wheel");
    assert_int_equal(tp_universal_register(s.robot, "Heater", -1, 0, &nothing, &s.err),
                     TP_E_UNKNOWN);
    assert_string_equal(s.err.text, "\"Heater\" → not on this robot (nxt), and nothing that may "
                                    "stand for it");
    assert_false(tp_universal_info(s.robot, nothing, &info));
    assert_string_equal(tp_universal_explanation(s.robot, nothing), "");
    assert_int_equal(tp_universal_registered(s.robot), 3);
    assert_int_equal(tp_universal_match_again(s.robot, &s.err), TP_OK);
    close_scene(&s);
}

static void there_are_at_most_64_devices(void **state)
{
    tp_universal_port port;
    struct scene s;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    for (int i = 0; i < TP_UNIVERSAL_MOST_DEVICES; i++) {
        assert_int_equal(tp_universal_register(s.robot, "Light Sensor", -1, 0, &port, &s.err),
                         TP_OK);
    }
    assert_int_equal(port.type, TP_UNIVERSAL_FIRST_TYPE + 63);
    assert_int_equal(tp_universal_register(s.robot, "Light Sensor", -1, 0, &port, &s.err),
                     TP_E_LIMIT);
    assert_string_equal(s.err.text, "a program has at most 64 devices");
    close_scene(&s);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void a_reading_tells_how_it_was_done(void **state)
{
    tp_universal_call call = {.command = TP_UNIVERSAL_READ_ANALOG, .trace = true};
    tp_universal_result result;
    struct scene s;
    char *text = NULL;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_int_equal(tp_universal_register(s.robot, "Light Sensor", -1, 0, &call.port, &s.err),
                     TP_OK);
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
    assert_int_equal(result.fault, TP_UNIVERSAL_DONE);
    assert_int_equal(result.count, 1);
    assert_true(result.values[0].number >= 0 && result.values[0].number <= 100);
    assert_non_null(strstr(result.trace, "ReadAnalog: direct, line "));
    assert_non_null(strstr(result.trace, "\n> 03 00 00 07 02\n< 10 00 02 07 00 02 "));
    assert_int_equal(
        tp_universal_explain(s.robot, TP_UNIVERSAL_READ_DIGITAL, call.port, &text, &s.err), TP_OK);
    assert_non_null(strstr(text, "Light Sensor, port 3\nReadDigital: conversion, ReadAnalog: "));
    free(text);
    close_scene(&s);
}

static void a_young_reading_is_not_made_again(void **state)
{
    tp_universal_call call = {.command = TP_UNIVERSAL_READ_ANALOG, .trace = true};
    tp_universal_result result;
    struct scene s;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
    assert_true(count_lines(result.trace, '>') > 0);
    call.max_age_ns = 3600 * TP_NS_PER_S;
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
    assert_int_equal(count_lines(result.trace, '>'), 0);
    close_scene(&s);
}

static void a_program_drives_and_stops(void **state)
{
    tp_universal_call call = {.command = TP_UNIVERSAL_DRIVE,
                              .count = 2,
                              .values = {{.number = 50}, {.number = 10}},
                              .trace = true};
    tp_universal_result result;
    struct scene s;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
    assert_non_null(strstr(result.trace, "Drive: parent, MoveMotors: direct"));
    assert_non_null(strstr(result.trace, "> 0c 00 80 04 01 28 07 "));
    assert_non_null(strstr(result.trace, "> 0c 00 00 04 02 3c 07 "));
    assert_int_equal(tp_universal_stop(s.robot, &s.err), TP_OK);
    assert_int_equal(
        tp_universal_write(s.robot, TP_UNIVERSAL_MOVE_POWER, tp_universal_default, 20, &s.err),
        TP_OK);
    call = (tp_universal_call){.command = TP_UNIVERSAL_HALT, .trace = true};
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
    assert_non_null(strstr(result.trace, "> 0c 00 80 04 ff 00 07 01 00 20 00 00 00 00"));
    close_scene(&s);
}

/* The bytes on the line, in both directions, from the end of one line of a trace to that of another
 * one. */
static unsigned bytes_between(const char *trace, const char *first, const char *second)
{
    const char *at = strstr(trace, first), *last = strstr(trace, second);
    unsigned count = 0;

    assert_true(at != NULL && last != NULL && at < last);
    at = strchr(at, '\n');
    for (last = strchr(last, '\n'); at < last; at++) {
        count += *at == ' '; /* one before each byte */
    }
    return count;
}

/* On robots that have no instruction for both wheels, the second one follows as fast as the line
 * carries what is between them. */
static void both_wheels_are_at_most_5_ms_apart(void **state)
{
    static const struct {
        const char *robot, *port, *left, *right;
        double baud;
    } robots[] = {
        {"lifa", "emulate:lifa", "> ff 0a 05 ", "> ff 0a 06 ", 115200},
        {"firmata", "emulate:firmata", " e5 00 01", " e6 00 01", 57600},
        {"nxt", "emulate:nxt", "> 0c 00 80 04 01 ", "> 0c 00 00 04 02 ", 115200},
    };
    tp_universal_call call = {
        .command = TP_UNIVERSAL_MOVE_MOTORS, .count = 2, .trace = true, .values = {{50}, {-50}}};
    tp_universal_result result;

    (void)state;
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        struct scene s;

        open_scene(&s, robots[i].robot, robots[i].port);
        for (int turn = 0; turn < 2; turn++) { /* the first one also sets up pins */
            assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
            const double apart_s =
                10 * bytes_between(result.trace, robots[i].left, robots[i].right) / robots[i].baud;
            if (apart_s > 0.005) {
                fail_msg("%s: %g ms\n%s", robots[i].robot, 1000 * apart_s, result.trace);
            }
        }
        close_scene(&s);
    }
}

static void texts_go_to_the_robot_and_back(void **state)
{
    tp_universal_call call = {
        .command = TP_UNIVERSAL_RAW, .count = 1, .values = {{.text = "\x00\x0b", .length = 2}}};
    tp_universal_result result;
    struct scene s;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
    assert_int_equal(result.values[0].length, 5); /* the battery */
    assert_memory_equal(result.values[0].text, "\x02\x0b\x00", 3);
    close_scene(&s);
}

static void a_tone_needs_no_lease(void **state)
{
    const tp_universal_call call = {.command = TP_UNIVERSAL_TONE,
                                    .count = 2,
                                    .values = {{.number = 440}, {.number = 10}},
                                    .trace = true};
    tp_universal_result result;
    tp_lease lease;
    struct scene s;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
    assert_non_null(strstr(result.trace, "03 b8 01 0a 00"));
    lease = (tp_lease){0};
    const void *answer = NULL;
    assert_int_equal(
        tp_proxy_request(tp_universal_proxy(s.robot), TP_COMMON_REQ_LEASE, &lease, &answer, &s.err),
        TP_OK);
    assert_false(((const tp_lease *)answer)->mine);
    assert_int_equal(
        tp_universal_write(s.robot, TP_UNIVERSAL_DRIVE, tp_universal_default, 1, &s.err), TP_OK);
    assert_int_equal(
        tp_proxy_request(tp_universal_proxy(s.robot), TP_COMMON_REQ_LEASE, &lease, &answer, &s.err),
        TP_OK);
    assert_true(((const tp_lease *)answer)->mine);
    close_scene(&s);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static void assert_fault(struct scene *s, const tp_universal_call *call, tp_universal_fault fault,
                         tp_status status, const char *text)
{
    tp_universal_result result;

    assert_int_equal(tp_universal_run(s->robot, call, &result, &s->err), status);
    assert_int_equal(result.fault, fault);
    assert_string_equal(result.text, text);
    assert_string_equal(s->err.text, text);
}

static void every_fault_has_its_sentence(void **state)
{
    tp_universal_call call = {.command = TP_UNIVERSAL_TRACK};
    struct scene s;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_fault(&s, &call, TP_UNIVERSAL_NOT_AVAILABLE, TP_E_UNSUPPORTED,
                 "nxt: not available: Track: the brick has no camera");
    call.command = 0x1234;
    assert_fault(&s, &call, TP_UNIVERSAL_NOT_AVAILABLE, TP_E_UNSUPPORTED,
                 "not available: there is no command 0x1234");
    call = (tp_universal_call){.command = TP_UNIVERSAL_READ_ANALOG,
                               .port = {.type = 37, .is_given = true}};
    assert_fault(&s, &call, TP_UNIVERSAL_NO_MATCH, TP_E_UNKNOWN,
                 "nxt: no match: no device has the type 37");
    call =
        (tp_universal_call){.command = TP_UNIVERSAL_DRIVE, .count = 1, .values = {{.number = NAN}}};
    assert_fault(&s, &call, TP_UNIVERSAL_BAD_VALUE, TP_E_INVALID,
                 "nxt: bad value: power must be a number");
    call.values[0] = (tp_universal_datum){.text = "fast", .length = 4};
    assert_fault(&s, &call, TP_UNIVERSAL_BAD_VALUE, TP_E_INVALID,
                 "nxt: bad value: power must be a number");
    call = (tp_universal_call){.command = TP_UNIVERSAL_READ_ANALOG, .count = 1};
    assert_fault(&s, &call, TP_UNIVERSAL_BAD_VALUE, TP_E_INVALID,
                 "bad value: ReadAnalog takes 0 values of at most 65536 bytes");
    call = (tp_universal_call){.command = TP_UNIVERSAL_READ_ANALOG,
                               .port = {.type = 70, .is_given = true}};
    assert_fault(&s, &call, TP_UNIVERSAL_BAD_VALUE, TP_E_INVALID,
                 "no device is registered with the type 70");
    close_scene(&s);
}

static void a_silent_robot_is_a_fault(void **state)
{
    const tp_universal_call call = {.command = TP_UNIVERSAL_READ_ANALOG};
    struct scene s;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt?fault=silent");
    tp_universal_result result;
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_E_TIMEOUT);
    assert_int_equal(result.fault, TP_UNIVERSAL_SILENT);
    assert_non_null(strstr(result.text, "robot silent: no reply in time"));
    close_scene(&s);
}

static void nothing_moves_in_a_panic(void **state)
{
    const tp_panic panic = {.active = 1};
    tp_universal_call call = {.command = TP_UNIVERSAL_DRIVE, .count = 1, .values = {{.number = 9}}};
    tp_universal_result result;
    struct scene s;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
    assert_int_equal(tp_client_request(s.client, TP_PLAYER_REQ_PANIC, &panic, NULL, &s.err), TP_OK);
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_E_PANIC);
    assert_int_equal(result.fault, TP_UNIVERSAL_STOPPED);
    call = (tp_universal_call){.command = TP_UNIVERSAL_READ_ANALOG};
    assert_fault(&s, &call, TP_UNIVERSAL_STOPPED, TP_E_PANIC, "nxt: stopped: there is a panic");
    call = (tp_universal_call){.command = TP_UNIVERSAL_WAIT_TIME, .count = 1};
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
    close_scene(&s);
}

/* ---- Several at once ------------------------------------------------------------------------- */

struct log {
    char text[64];
    unsigned count;
};

struct named {
    struct log *log;
    char name;
};

static void note(void *context, tp_universal *robot, const tp_universal_result *result)
{
    const struct named *named = context;

    (void)robot;
    named->log->text[named->log->count++] =
        (char)(result->fault == TP_UNIVERSAL_DONE ? named->name : '!');
}

static void a_wait_does_not_hold_the_line(void **state)
{
    const tp_universal_call wait = {
        .command = TP_UNIVERSAL_WAIT_TIME, .count = 1, .values = {{.number = 65535}}};
    const tp_universal_call read = {.command = TP_UNIVERSAL_READ_ANALOG};
    const tp_universal_call drive = {
        .command = TP_UNIVERSAL_DRIVE, .count = 1, .values = {{.number = 10}}};
    struct log log = {0};
    struct named w = {&log, 'w'}, r = {&log, 'r'}, d = {&log, 'd'};
    struct scene s;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_int_equal(tp_universal_begin(s.robot, &wait, note, &w, &s.err), TP_OK);
    assert_int_equal(tp_universal_begin(s.robot, &read, note, &r, &s.err), TP_OK);
    assert_int_equal(tp_universal_begin(s.robot, &drive, note, &d, &s.err), TP_OK);
    while (log.count < 2) {
        tp_client_step(s.client, true);
    }
    assert_null(strchr(log.text, 'w'));
    assert_null(strchr(log.text, '!'));
    assert_int_equal(tp_universal_stop(s.robot, &s.err), TP_OK);
    close_scene(&s); /* while the wait is under way */
}

static void a_trigger_fires_or_runs_out(void **state)
{
    tp_universal_call call = {.command = TP_UNIVERSAL_WAIT_TRIGGER,
                              .count = 3,
                              .values = {{.number = 3}, {.number = 0}, {.number = 60000}}};
    tp_universal_result result;
    struct scene s;

    (void)state;
    open_scene(&s, "nxt", "emulate:nxt");
    assert_int_equal(tp_universal_register(s.robot, "Light Sensor", -1, 0, &call.port, &s.err),
                     TP_OK);
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
    assert_int_equal(result.values[0].number, 1);
    call.values[0].number = 0;
    call.values[2].number = 30;
    assert_int_equal(tp_universal_run(s.robot, &call, &result, &s.err), TP_OK);
    assert_int_equal(result.values[0].number, 0);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_codes_are_those_of_the_dictionary),
        cmocka_unit_test(a_robot_says_what_it_is),
        cmocka_unit_test(another_device_is_no_robot),
        cmocka_unit_test(devices_are_matched_and_explained),
        cmocka_unit_test(there_are_at_most_64_devices),
        cmocka_unit_test(a_reading_tells_how_it_was_done),
        cmocka_unit_test(a_young_reading_is_not_made_again),
        cmocka_unit_test(a_program_drives_and_stops),
        cmocka_unit_test(both_wheels_are_at_most_5_ms_apart),
        cmocka_unit_test(texts_go_to_the_robot_and_back),
        cmocka_unit_test(a_tone_needs_no_lease),
        cmocka_unit_test(every_fault_has_its_sentence),
        cmocka_unit_test(a_silent_robot_is_a_fault),
        cmocka_unit_test(nothing_moves_in_a_panic),
        cmocka_unit_test(a_wait_does_not_hold_the_line),
        cmocka_unit_test(a_trigger_fires_or_runs_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
