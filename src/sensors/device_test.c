/* device_test.c - the device side of the sensor protocol, byte by byte; each test names the ids of
 * docs/seeds.md that it shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

#include "base/file.h"
#include "sensors/emulated.h"

struct bench {
    tpi_emulated *sensor;
    uint64_t now_us;
    char said[8192];
};

static void make(struct bench *b, const char *name, const tpi_emulated_options *options)
{
    tpi_buf text = {0};
    tp_error err = {0};
    char path[512];

    memset(b, 0, sizeof *b);
    snprintf(path, sizeof path, "%s/sensors/%s.xml", TEST_ROOT, name);
    assert_int_equal(tpi_file_read(&text, path, TPI_MOST_MANIFEST, &err), TP_OK);
    if (tpi_emulated_create(&b->sensor, tpi_buf_text(&text), text.length, path, options, &err) !=
        TP_OK) {
        fail_msg("%s", err.text);
    }
    tpi_buf_fini(&text);
}

static void wave(struct bench *b, const char *text)
{
    tp_error err = {0};

    if (tpi_emulated_set_wave(b->sensor, text, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
}

/* Let time pass; everything that was said then. */
static const char *pass(struct bench *b, uint64_t us)
{
    b->now_us += us;
    tpi_emulated_advance(b->sensor, b->now_us);
    b->said[tpi_emulated_output(b->sensor, b->said, sizeof b->said - 1)] = '\0';
    return b->said;
}

static const char *ask(struct bench *b, const char *command)
{
    tpi_emulated_input(b->sensor, command, strlen(command));
    return pass(b, 0);
}

static void says(struct bench *b, const char *command, const char *answer)
{
    const char *said = ask(b, command);

    if (strcmp(said, answer) != 0) {
        fail_msg("%s: \"%s\" instead of \"%s\"", command, said, answer);
    }
}

/* ---- Simple commands: tables 2.1 and B.1 ----------------------------------------------------- */

static void reads_gets_and_sets_as_table_2_1(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "accelerometer", NULL);
    wave(&b, "1=511");
    says(&b, "<R>", "R,-0.02\n");            /* 2.1-1 */
    says(&b, "<G, M, 2>", "G,M,4\n");        /* 2.1-2 */
    says(&b, "<S, M, 2, 33>", "S,M,2,33\n"); /* 2.1-3 */
    says(&b, "<G, M, 2>", "G,M,33\n");
    tpi_emulated_destroy(b.sensor);
}

static void reads_with_the_current_conversion(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "nxt_light", NULL);
    wave(&b, "1=550");
    says(&b, "<R>", "R,550\n");
    says(&b, "<S,C,2>", "S,C,2\n");
    says(&b, "<R>", "R,50\n");
    says(&b, "<G,C>", "G,C,2\n");
    says(&b, "<R,1>", "R,1,50\n");
    says(&b, "<G,C,1>", "G,C,2,1\n");
    says(&b, "<S,C,1,1>", "S,C,1,1\n");
    says(&b, "<G,M>", "G,M,1\n"); /* Floodlight: 1 is On */
    says(&b, "<S,M,2>", "S,M,1,2\n");
    says(&b, "<G,M,1>", "G,M,2\n");
    says(&b, "<S,M,1,1,1>", "S,M,1,1,1\n");
    says(&b, "<G,M,1,1>", "G,M,1,1\n");
    tpi_emulated_destroy(b.sensor);
}

static void writes_actuators(void **state)
{
    struct bench b;
    unsigned times;

    (void)state;
    make(&b, "heater", NULL);
    says(&b, "<W,40>", "W,40\n");
    assert_int_equal(tpi_emulated_written(b.sensor, 1, &times), 102);
    assert_int_equal(times, 1);
    says(&b, "<R>", "R,40\n");
    says(&b, "<W,1,100>", "W,1,100\n");
    assert_int_equal(tpi_emulated_written(b.sensor, 1, &times), 255);
    says(&b, "<W,2,10>", "!!!,W,2,10\n"); /* a sensor */
    says(&b, "<W,101>", "!!!,W,101\n");
    says(&b, "<W>", "!!!,W\n");
    assert_int_equal(tpi_emulated_written(b.sensor, 1, &times), 255);
    assert_int_equal(times, 2);
    tpi_emulated_destroy(b.sensor);
}

static void sends_its_manifest_in_chunks(void **state)
{
    struct bench b;
    tpi_buf whole = {0};
    const char *at = b.said;
    tpi_manifest *again = NULL;
    tp_error err = {0};

    (void)state;
    make(&b, "nxt_light", NULL);
    ask(&b, "<X>");
    for (;;) {
        unsigned length = 0;
        int head = 0;
        if (strcmp(at, "X\xFF\n") == 0) {
            break;
        }
        assert_int_equal(sscanf(at, "X,%u,%n", &length, &head), 1);
        assert_true(length >= 1 && length <= 64);
        tpi_buf_put(&whole, at + head, length);
        at += head + (int)length;
        assert_int_equal(*at++, '\n');
    }
    assert_int_equal(
        tpi_manifest_read(&again, tpi_buf_text(&whole), whole.length, "x.xml", NULL, &err), TP_OK);
    assert_string_equal(again->uuid, "LEGO.NXT.Light.9844");
    tpi_manifest_destroy(again);
    tpi_buf_fini(&whole);
    tpi_emulated_destroy(b.sensor);
}

static void refuses_bad_commands(void **state)
{
    struct bench b;
    char longer[200] = "<";

    (void)state;
    make(&b, "nxt_light", NULL);
    says(&b, "<Q>", "!!!,Q\n");
    says(&b, "<>", "!!!,\n");
    says(&b, "<R,2>", "!!!,R,2\n");
    says(&b, "<S,M,3>", "!!!,S,M,3\n");
    says(&b, "<S,M,1.5>", "!!!,S,M,1.5\n");
    says(&b, "<S,C,3>", "!!!,S,C,3\n");
    says(&b, "<S,>", "!!!,S,\n");
    says(&b, "<R,>", "!!!,R,\n");
    says(&b, "<S,M,1,2,1,1>", "!!!,S,M,1,2,1,1\n");
    says(&b, "<a\tb\xC3>", "!!!,a?b?\n");
    says(&b, "<R", "");
    says(&b, "<R>", "R,512\n"); /* < begins anew */
    memset(longer + 1, 'R', 121);
    strcat(longer, ">");
    says(&b, longer, "!!!,RRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRR\n");
    says(&b, "R> \n", "");
    tpi_emulated_destroy(b.sensor);
}

static void clears_on_three_pluses(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "nxt_light", NULL);
    wave(&b, "1=7");
    says(&b, "<L,1,K:t=4000,E:n=5,X:read>", "L,1,ok\n");
    says(&b, "<L,go>", "L,go\n");
    (void)pass(&b, 100000);
    says(&b, "+++", "");
    says(&b, "<L,1,read>", "!!!,L,1,read\n");
    says(&b, "<+++>", "!!!,+++\n"); /* only outside of < > */
    says(&b, "++<R>", "R,7\n");
    tpi_emulated_destroy(b.sensor);
}

static void adds_check_sums_where_they_are_asked_for(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "nxt_light", NULL);
    wave(&b, "1=550");
    says(&b, "<R*52>", "R,550*4E\n");
    says(&b, "<R*53>", "!!!,R*53*73\n");
    says(&b, "<Q*51>", "!!!,Q*51*72\n");
    tpi_emulated_destroy(b.sensor);
}

/* ---- Without commas -------------------------------------------------------------------------- */

static void takes_commands_without_commas(void **state)
{
    static const struct {
        const char *sensor, *loose, *full;
    } all[] = {
        {"nxt_light", "<R1>", "<R,1>"},
        {"nxt_light", "<GM>", "<G,M>"},
        {"nxt_light", "<GC>", "<G,C>"},
        {"nxt_light", "<GM1>", "<G,M,1>"},
        {"nxt_light", "<GM11>", "<G,M,1,1>"},
        {"nxt_light", "<SC2>", "<S,C,2>"},
        {"nxt_light", "<SC21>", "<S,C,2,1>"},
        {"nxt_light", "<SM2>", "<S,M,2>"},
        {"nxt_light", "<SM12>", "<S,M,1,2>"},
        {"nxt_light", "<SM121>", "<S,M,1,2,1>"},
        {"nxt_light", "<S,M2>", "<S,M,2>"},
        {"nxt_light", "<SM,1,2>", "<S,M,1,2>"},
        {"nxt_light", "<GC1>", "<G,C,1>"},
        {"nxt_light", "<T1>", "<T,1>"},
        {"heater", "<W1100>", "<W,1,100>"},
        {"heater", "<W7>", "<W,7>"},
        {"heater", "<R2>", "<R,2>"},
        {"accelerometer", "<GM2>", "<G,M,2>"},
        {"accelerometer", "<SM2,33>", "<S,M,2,33>"},
        {"accelerometer", "<SC32>", "<S,C,3,2>"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct bench a, b;
        make(&a, all[i].sensor, NULL);
        make(&b, all[i].sensor, NULL);
        const char *full = ask(&a, all[i].full);
        assert_true(full[0] != '!');
        says(&b, all[i].loose, full);
        tpi_emulated_destroy(a.sensor);
        tpi_emulated_destroy(b.sensor);
    }
}

static void refuses_what_has_two_readings(void **state)
{
    struct bench b;
    unsigned times;

    (void)state;
    make(&b, "heater", NULL);
    says(&b, "<W15>", "!!!,W15\n"); /* 15 %, or 5 % on channel 1 */
    (void)tpi_emulated_written(b.sensor, 1, &times);
    assert_int_equal(times, 0);
    tpi_emulated_destroy(b.sensor);
    make(&b, "simulated", NULL);
    says(&b, "<SM233>", "S,M,2,33\n");    /* channel 3 has no mode 2 */
    says(&b, "<SM2121>", "!!!,SM2121\n"); /* mode 2 is 121, or 12 on channel 1 */
    says(&b, "<G,M,2>", "G,M,33\n");
    tpi_emulated_destroy(b.sensor);
}

/* ---- Data logging: B.2 ----------------------------------------------------------------------- */

static void starts_now_and_ends_after_n(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "simulated", NULL);
    wave(&b, "2=count");
    says(&b, "<S,C,2,2>", "S,C,2,2\n");
    says(&b, "<L,2,S:now,E:n=5,X:n=2,K:t=1000>", "L,2,ok\n");
    says(&b, "<L,go>", "L,go\n");
    assert_string_equal(pass(&b, 10000), "L,2,0,2,1000,1;1\nL,2,2,2,3000,2;3\nL,2,4,1,4000,4\n");
    tpi_emulated_destroy(b.sensor);
}

static void starts_after_a_delay_and_sends_when_done(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "nxt_light", NULL);
    wave(&b, "1=7");
    says(&b, "<L,1,S:t=50000,E:n=3,X:done,K:t=4000>", "L,1,ok\n");
    (void)pass(&b, 1000);
    says(&b, "<L,go>", "L,go\n");
    assert_string_equal(pass(&b, 60000), "");
    /* trig_delay, 3004 us, is added to the first time stamp */
    assert_string_equal(pass(&b, 3000), "L,1,0,3,62004,7;7;7\n");
    tpi_emulated_destroy(b.sensor);
}

static void starts_with_the_trigger_command(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "simulated", NULL);
    wave(&b, "3=1023");
    says(&b, "<L,3,S:trig,E:inf,X:t=50000,K:t=10000>", "L,3,ok\n");
    says(&b, "<L,go>", "L,go\n");
    assert_string_equal(pass(&b, 500000), "");
    says(&b, "<T>", "T\n");
    assert_string_equal(pass(&b, 60000), "L,3,0,5,540000,10.00;10.00;10.00;10.00;10.00\n");
    tpi_emulated_destroy(b.sensor);
}

static void a_button_starts_and_triggers(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "simulated", NULL);
    wave(&b, "4=0");
    wave(&b, "1=200");
    wave(&b, "3=0");
    says(&b, "<L,4,K:t=1000,E:n=2,X:n=1,C:1;0;once>", "L,4,ok\n");
    says(&b, "<L,1,S:ch=4,E:ch=4,X:done,K:t=10000>", "L,1,ok\n");
    says(&b, "<L,3,K:ch=4,E:inf,X:n=1>", "L,3,ok\n");
    says(&b, "<L,go>", "L,go\n");
    assert_string_equal(pass(&b, 100500), "");
    wave(&b, "4=1");
    assert_string_equal(pass(&b, 20000), "L,3,0,1,101000,0.00\nL,4,0,1,101000,1\n");
    wave(&b, "4=0");
    assert_string_equal(pass(&b, 2000), "");
    wave(&b, "4=1"); /* the second press ends the button, which ends channel 1 */
    assert_string_equal(pass(&b, 2000),
                        "L,1,0,3,121000,100;100;100\nL,3,1,1,123000,0.00\nL,4,1,1,123000,1\n");
    tpi_emulated_destroy(b.sensor);
}

static void an_event_records_while_inside(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "simulated", NULL);
    wave(&b, "4=1");
    says(&b, "<L,4,K:t=1000,E:n=3,X:done,C:1;0.5;while,C:9;0;once>", "L,4,ok\n");
    says(&b, "<L,go>", "L,go\n");
    assert_string_equal(pass(&b, 5000), "L,4,0,1,0,1\nL,4,1,1,1000,1\nL,4,2,1,2000,1\n");
    tpi_emulated_destroy(b.sensor);
}

static void a_numbered_command_is_carried_out_once(void **state)
{
    struct bench b;
    unsigned times;

    (void)state;
    make(&b, "heater", NULL);
    says(&b, "<L,1,K:t=10000,E:n=4,D:0;20*a0AD8>", "L,1,ok*a707B\n");
    says(&b, "<L,1,D+:40;60*b23B0>", "L,1,ok*b4018\n");
    says(&b, "<L,1,D+:40;60*b23B0>", "L,1,ok*b4018\n");
    says(&b, "<L,go*cE631>", "L,go*cE631\n");
    (void)pass(&b, 100000);
    says(&b, "<L,go*cE631>", "L,go*cE631\n"); /* it has ended: it would start anew */
    (void)pass(&b, 100000);
    assert_int_equal(tpi_emulated_written(b.sensor, 1, &times), 153);
    assert_int_equal(times, 4); /* 0 20 40 60, once */
    says(&b, "<L,go*d96D6>", "L,go*d96D6\n");
    (void)pass(&b, 100000);
    (void)tpi_emulated_written(b.sensor, 1, &times);
    assert_int_equal(times, 8); /* another number: another start */
    says(&b, "<L,1,K:t=1*e5187>", "L,1,bad,K,10000*eB971\n");
    says(&b, "<Q*f402F>", "!!!,Q*f402F*f30BF\n"); /* refused as it was sent */
    says(&b, "<L,1,K:t=100*g0B86>",
         "!!!,L,1,K:t=100*g0B86\n"); /* as it was not: without a number */
    tpi_emulated_destroy(b.sensor);
}

/* A command that is sent again can be damaged after the first one was carried out. */
static void a_refused_set_up_changes_no_value(void **state)
{
    static const char *const refused[] = {"<L,1,K:t=10000,E:n=4,D:1;2*a0AD>",
                                          "<L,1,K:t=10000,E:n=4,D:1;2,Q>",
                                          "<L,1,K:t=10000,E:n=4,D:1;2;>"};
    struct bench b;
    unsigned times;

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        make(&b, "heater", NULL);
        says(&b, "<L,1,K:t=10000,E:n=2,D:0;20>", "L,1,ok\n");
        assert_memory_equal(ask(&b, refused[i]), "!!!", 3);
        says(&b, "<L,1,D+:40,E:n=2,K:t=1>", "L,1,bad,K,10000\n");
        says(&b, "<L,go>", "L,go\n");
        (void)pass(&b, 100000);
        assert_int_equal(tpi_emulated_written(b.sensor, 1, &times), 51);
        assert_int_equal(times, 2);
        tpi_emulated_destroy(b.sensor);
    }
}

/* One bit makes > of 6, and the rest of the command with its number is cut off. */
static void behind_numbers_a_set_up_needs_one(void **state)
{
    struct bench b;
    unsigned times;

    (void)state;
    make(&b, "heater", NULL);
    says(&b, "<L,1,K:t=10000,E:n=4,D:0;20*a0AD8>", "L,1,ok*a707B\n");
    says(&b, "<L,1,K:t=10000,E:n=4,D:0;2>", "!!!,L,1,K:t=10000,E:n=4,D:0;2\n");
    says(&b, "<L,1,D+:4>", "!!!,L,1,D+:4\n");
    says(&b, "<L,1,D+:40;60*b23B0>", "L,1,ok*b4018\n");
    says(&b, "<L,go>", "L,go\n");
    (void)pass(&b, 100000);
    assert_int_equal(tpi_emulated_written(b.sensor, 1, &times), 153);
    assert_int_equal(times, 4);
    (void)ask(&b, "+++");
    says(&b, "<L,1,K:t=10000,E:n=4,D:0;2>", "L,1,ok\n");
    tpi_emulated_destroy(b.sensor);
}

static void an_actuator_plays_a_data_set(void **state)
{
    struct bench b;
    unsigned times;

    (void)state;
    make(&b, "heater", NULL);
    says(&b, "<L,1,K:t=10000,E:inf,D:0;20,B:hold>", "L,1,ok\n");
    says(&b, "<L,1,D+:40;60>", "L,1,ok\n");
    says(&b, "<L,go>", "L,go\n");
    (void)pass(&b, 15000);
    assert_int_equal(tpi_emulated_written(b.sensor, 1, &times), 51);
    (void)pass(&b, 100000);
    assert_int_equal(tpi_emulated_written(b.sensor, 1, &times), 153);
    assert_int_equal(times, 4);
    says(&b, "<L,stop>", "L,stop\n");
    says(&b, "<L,1,K:t=10000,E:n=5,D:10;90,B:repeat>", "L,1,ok\n");
    says(&b, "<L,go>", "L,go\n");
    (void)pass(&b, 1000000);
    assert_int_equal(tpi_emulated_written(b.sensor, 1, &times), 26);
    assert_int_equal(times, 9);
    tpi_emulated_destroy(b.sensor);
}

static void an_actuator_follows_a_button(void **state)
{
    struct bench b;
    unsigned times;

    (void)state;
    make(&b, "simulated", NULL);
    wave(&b, "4=square:0.1"); /* it comes true after 50 ms, 150 ms, ... */
    says(&b, "<S,C,2,5>", "S,C,2,5\n");
    says(&b, "<L,4,K:t=1000,X:read>", "L,4,ok\n");
    says(&b, "<L,5,K:ch=4,D:10;20;30,B:hold>", "L,5,ok\n");
    says(&b, "<L,go>", "L,go\n");
    (void)pass(&b, 40000);
    (void)tpi_emulated_written(b.sensor, 5, &times);
    assert_int_equal(times, 0);
    (void)pass(&b, 120000);
    assert_int_equal(tpi_emulated_written(b.sensor, 5, &times), 20);
    assert_int_equal(times, 2);
    tpi_emulated_destroy(b.sensor);
}

static void an_event_is_looked_at_when_another_channel_says(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "simulated", NULL);
    wave(&b, "4=1");
    says(&b, "<L,3,K:t=20000,E:n=3,X:read>", "L,3,ok\n");
    says(&b, "<L,4,K:ch=3,X:n=1,C:1;0;while>", "L,4,ok\n");
    says(&b, "<L,go>", "L,go\nL,4,0,1,0,1\n");
    assert_string_equal(pass(&b, 100000), "L,4,1,1,20000,1\nL,4,2,1,40000,1\n");
    tpi_emulated_destroy(b.sensor);
}

static void sends_on_the_read_command(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "nxt_light", NULL);
    wave(&b, "1=3");
    says(&b, "<L,1,X:read,K:t=10000>", "L,1,ok\n");
    says(&b, "<L,go>", "L,go\n");
    assert_string_equal(pass(&b, 25000), "");
    says(&b, "<L,1,read>", "L,1,0,3,23004,3;3;3\nL,1,read\n");
    assert_string_equal(pass(&b, 10000), "");
    says(&b, "<R>", "L,1,3,1,33004,3\nR,3\n"); /* R of a channel that is logging */
    says(&b, "<L,1,read>", "L,1,read\n");
    says(&b, "<L,stop>", "L,stop\n");
    says(&b, "<L,1,read>", "L,1,read\n");
    tpi_emulated_destroy(b.sensor);
}

/* A host that has lost the last line can ask. */
static void tells_whether_a_channel_has_ended(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "nxt_light", NULL);
    wave(&b, "1=3");
    says(&b, "<L,1,state>", "!!!,L,1,state\n");
    says(&b, "<L,1,S:trig,E:n=2,X:n=2,K:t=10000>", "L,1,ok\n");
    says(&b, "<L,go>", "L,go\n");
    says(&b, "<L,1,state>", "L,1,state\n");
    says(&b, "<T,1>", "T,1\n");
    says(&b, "<L1state>", "L,1,state\n");
    assert_string_equal(pass(&b, 25000), "L,1,0,2,13004,3;3\n");
    says(&b, "<L,1,state>", "L,1,state,ended,2\n");
    says(&b, "<L,1,state,1>", "!!!,L,1,state,1\n");
    says(&b, "<L,1,read>", "L,1,read\n");
    tpi_emulated_destroy(b.sensor);
}

/* A channel that waits for its End ends with it; the others go on. */
static void ends_one_channel_and_those_that_wait_for_it(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "simulated", NULL);
    wave(&b, "1=3");
    says(&b, "<L,1,stop>", "!!!,L,1,stop\n");
    says(&b, "<L,1,X:n=2,K:t=10000>", "L,1,ok\n");
    says(&b, "<L,2,X:done,E:ch=1,K:t=1000000>", "L,2,ok\n");
    says(&b, "<L,3,X:n=1,K:t=30000>", "L,3,ok\n");
    (void)ask(&b, "<L,go>");
    (void)pass(&b, 25000);
    const char *told = ask(&b, "<L,1,stop>");
    assert_non_null(strstr(told, "L,1,stop\n"));
    assert_non_null(strstr(told, "L,2,0,1,"));
    const char *rest = pass(&b, 100000);
    assert_null(strstr(rest, "L,1,"));
    assert_non_null(strstr(rest, "L,3,"));
    says(&b, "<L,1,stop,>", "!!!,L,1,stop,\n");
    tpi_emulated_destroy(b.sensor);
}

static void refuses_set_ups_with_their_limit(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "nxt_light", NULL);
    says(&b, "<L,1,K:t=3003>", "L,1,bad,K,3004\n");
    says(&b, "<L,1,E:n=0>", "L,1,bad,E,1\n");
    says(&b, "<L,1,K:ch=1>", "L,1,bad,K,1\n");
    says(&b, "<L,1,S:ch=7>", "L,1,bad,S,1\n");
    says(&b, "<L,1,X:n=0>", "L,1,bad,X,1\n");
    says(&b, "<L,1,X:n=9000>", "L,1,bad,X,8192\n");
    says(&b, "<L,1,X:t=1>", "L,1,bad,X,1000\n");
    says(&b, "<L,1,D:1;2>", "L,1,bad,D,0\n");
    says(&b, "<L,1,C:1;0;once>", "L,1,bad,C,0\n");
    says(&b, "<L,2,K:t=5000>", "!!!,L,2,K:t=5000\n");
    says(&b, "<L,1,Z:t=5000>", "!!!,L,1,Z:t=5000\n");
    says(&b, "<L,1,K:t=5000,>", "!!!,L,1,K:t=5000,\n");
    says(&b, "<L,1>", "!!!,L,1\n");
    says(&b, "<L,1,K:t=5000>", "L,1,ok\n");
    says(&b, "<L,go>", "L,go\n");
    says(&b, "<L,1,K:t=5000>", "!!!,L,1,K:t=5000\n"); /* it runs */
    says(&b, "<L,stop>", "L,stop\n");
    says(&b, "<L1K:t=5000E:n=3X:done>", "L,1,ok\n"); /* without commas */
    says(&b, "<Lgo>", "L,go\n");
    says(&b, "<Lstop>", "L,stop\n");
    tpi_emulated_destroy(b.sensor);
}

static void says_what_is_lost(void **state)
{
    const tpi_emulated_options small = {.cells = 4};
    struct bench b;

    (void)state;
    make(&b, "simulated", &small);
    wave(&b, "2=count");
    says(&b, "<S,C,2,2>", "S,C,2,2\n");
    says(&b, "<L,2,E:n=10,X:read,K:t=1000>", "L,2,ok\n");
    says(&b, "<L,go>", "L,go\n");
    assert_string_equal(pass(&b, 20000), "L,2,lost,0,6\n");
    says(&b, "<L,2,read>", "L,2,6,4,9000,6;7;8;9\nL,2,read\n");
    tpi_emulated_destroy(b.sensor);
}

/* One of 60,000 samples is told twice, or not at all: neither happens. */
struct tally {
    uint64_t delivered, lost, next, time;
};

static void count_line(struct tally *t, const char *line)
{
    unsigned long long first, count, time;

    if (sscanf(line, "L,2,lost,%llu,%llu", &first, &count) == 2) {
        t->lost += count;
    } else {
        assert_int_equal(sscanf(line, "L,2,%llu,%llu,%llu,", &first, &count, &time), 3);
        assert_true(time > t->time);
        t->time = time;
        t->delivered += count;
    }
    assert_int_equal(first, t->next);
    t->next = first + count;
}

/* A line that stands still from 20 s to 22 s, and has so many bytes per second otherwise. */
static void log_a_minute(struct tally *t, uint32_t cells, size_t rate)
{
    const tpi_emulated_options options = {.cells = cells, .line = 256};
    struct bench b;
    char line[512];
    size_t length = 0;

    memset(t, 0, sizeof *t);
    make(&b, "simulated", &options);
    says(&b, "<S,C,2,2>", "S,C,2,2\n");
    says(&b, "<L,2,E:n=60000,X:n=16,K:t=1000>", "L,2,ok\n");
    says(&b, "<L,go>", "L,go\n");
    for (uint64_t ms = 1; ms <= 70000; ms++) {
        size_t got = 0;
        tpi_emulated_advance(b.sensor, ms * 1000);
        while ((ms < 20000 || ms >= 22000) && got < rate / 1000) {
            char byte;
            if (tpi_emulated_output(b.sensor, &byte, 1) == 0) {
                tpi_emulated_advance(b.sensor, ms * 1000);
                if (tpi_emulated_waiting(b.sensor) == 0) {
                    break;
                }
                continue;
            }
            got++;
            assert_true(length + 1 < sizeof line);
            line[length++] = byte;
            if (byte == '\n') {
                line[length] = '\0';
                count_line(t, line);
                length = 0;
            }
        }
    }
    tpi_emulated_destroy(b.sensor);
}

static void loses_nothing_while_the_line_stands_still(void **state)
{
    struct tally t;

    (void)state;
    log_a_minute(&t, 8192, 11000); /* 32 KB */
    assert_int_equal(t.delivered, 60000);
    assert_int_equal(t.lost, 0);
    log_a_minute(&t, 256, 11000); /* the size of the firmware */
    assert_true(t.lost > 1000);
    assert_int_equal(t.delivered + t.lost, 60000);
}

static void waves_are_checked(void **state)
{
    struct bench b;
    tp_error err = {0};

    (void)state;
    make(&b, "nxt_light", NULL);
    assert_int_equal(tpi_emulated_set_wave(b.sensor, "2=sine", &err), TP_E_INVALID);
    assert_string_equal(err.text, "the sensor has no channel 2=sine");
    assert_int_equal(tpi_emulated_set_wave(b.sensor, "1=siine", &err), TP_E_INVALID);
    assert_int_equal(tpi_emulated_set_wave(b.sensor, "1=sine:0", &err), TP_E_INVALID);
    assert_int_equal(tpi_emulated_set_wave(b.sensor, "x", &err), TP_E_INVALID);
    tpi_emulated_destroy(b.sensor);
}

static void a_restart_leaves_nothing_of_before(void **state)
{
    struct bench b;
    unsigned times;

    (void)state;
    make(&b, "heater", NULL);
    says(&b, "<W,40>", "W,40\n");
    tpi_emulated_input(b.sensor, "<W,1", 4); /* half a command */
    tpi_emulated_restart(b.sensor);
    assert_int_equal(tpi_emulated_waiting(b.sensor), 0);
    assert_int_equal(tpi_emulated_written(b.sensor, 1, &times), 0);
    assert_int_equal(times, 0);
    says(&b, "<R>", "R,0\n");
    tpi_emulated_destroy(b.sensor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_gets_and_sets_as_table_2_1),
        cmocka_unit_test(reads_with_the_current_conversion),
        cmocka_unit_test(writes_actuators),
        cmocka_unit_test(sends_its_manifest_in_chunks),
        cmocka_unit_test(refuses_bad_commands),
        cmocka_unit_test(clears_on_three_pluses),
        cmocka_unit_test(adds_check_sums_where_they_are_asked_for),
        cmocka_unit_test(takes_commands_without_commas),
        cmocka_unit_test(refuses_what_has_two_readings),
        cmocka_unit_test(starts_now_and_ends_after_n),
        cmocka_unit_test(starts_after_a_delay_and_sends_when_done),
        cmocka_unit_test(starts_with_the_trigger_command),
        cmocka_unit_test(a_button_starts_and_triggers),
        cmocka_unit_test(an_event_records_while_inside),
        cmocka_unit_test(a_numbered_command_is_carried_out_once),
        cmocka_unit_test(a_refused_set_up_changes_no_value),
        cmocka_unit_test(behind_numbers_a_set_up_needs_one),
        cmocka_unit_test(an_actuator_plays_a_data_set),
        cmocka_unit_test(an_actuator_follows_a_button),
        cmocka_unit_test(an_event_is_looked_at_when_another_channel_says),
        cmocka_unit_test(sends_on_the_read_command),
        cmocka_unit_test(tells_whether_a_channel_has_ended),
        cmocka_unit_test(ends_one_channel_and_those_that_wait_for_it),
        cmocka_unit_test(refuses_set_ups_with_their_limit),
        cmocka_unit_test(says_what_is_lost),
        cmocka_unit_test(loses_nothing_while_the_line_stands_still),
        cmocka_unit_test(waves_are_checked),
        cmocka_unit_test(a_restart_leaves_nothing_of_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
