/* sequence_test.c - files of timed motion, and what is wrong with some. */
#include "sequence.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void reads(struct sequence *s, const char *text)
{
    tp_error err = {0};
    const tp_status status = sequence_read(s, text, strlen(text), "dance", &err);

    assert_string_equal(status == TP_OK ? "" : err.text, "");
    assert_int_equal(status, TP_OK);
}

static void fails(const char *text, const char *why)
{
    struct sequence s;
    tp_error err = {0};

    assert_int_not_equal(sequence_read(&s, text, strlen(text), "dance", &err), TP_OK);
    assert_string_equal(err.text, why);
    assert_null(s.frames);
}

static void a_table_has_a_frame_in_each_line(void **state)
{
    struct sequence s;

    (void)state;
    reads(&s, "# a nod\n"
              "time, head:1, arm.speed, base.vx, base.omega\r\n"
              "\n"
              "0,    0.2,    0.5,       0.1,     -1\r\n"
              "0.5 , -0.2,   ,          ,\n"
              "1,0,0,,");
    assert_int_equal(s.frame_count, 3);
    assert_int_equal(s.name_count, 2);
    assert_string_equal(s.names[0].text, "head:1");
    assert_int_equal(s.names[0].servo, 1);
    assert_int_equal(s.names[0].line, 2);
    assert_int_equal(s.names[0].column, 7);
    assert_string_equal(s.names[1].text, "arm");
    assert_int_equal(s.names[1].servo, 2);
    assert_int_equal(s.frames[0].base, BASE_DRIVE);
    assert_true(s.frames[0].values[2] == -1 && s.frames[0].values[1] == 0);
    assert_int_equal(s.frames[0].count, 2);
    assert_int_equal(s.frames[1].base, BASE_NOTHING);
    assert_int_equal(s.frames[1].count, 1);
    assert_true(s.targets[s.frames[1].first].value == -0.2);
    assert_true(s.frames[2].time_s == 1 && s.frames[2].duration_s < 0);
    sequence_fini(&s);
}

static void json_has_a_list_of_frames(void **state)
{
    struct sequence s;

    (void)state;
    reads(&s, "{\"name\": \"nod\", \"frames\": [\n"
              "  {\"time\": 0, \"set\": {\"head:1\": 0.2, \"arm\": 1}, \"duration\": 0.4},\n"
              "  {\"time\": 0.5, \"drive\": [0.1, 0, -1], \"speed\": {\"arm\": 2}},\n"
              "  {\"time\": 1, \"stop\": true}, {\"time\": 2, \"goto\": [1, 2, 3]}]}");
    assert_int_equal(s.frame_count, 4);
    assert_int_equal(s.name_count, 3);
    assert_int_equal(s.names[1].line, 2);
    assert_int_equal(s.names[1].column, 39);
    assert_true(s.frames[0].duration_s == 0.4);
    assert_int_equal(s.frames[1].base, BASE_DRIVE);
    assert_int_equal(s.frames[2].base, BASE_STOP);
    assert_int_equal(s.frames[3].base, BASE_GOTO);
    assert_true(s.frames[3].values[2] == 3);
    sequence_fini(&s);
    reads(&s, "[{\"time\": 3}]");
    assert_int_equal(s.frame_count, 1);
    sequence_fini(&s);
}

static void a_sequence_ends_at_rest(void **state)
{
    struct sequence s;

    (void)state;
    reads(&s, "time,a.speed,b.speed,c,base.vx\n0,1,1,5,1\n0.5,2,0,6,\n");
    assert_true(sequence_add_rest(&s));
    assert_int_equal(s.frame_count, 3);
    assert_true(s.frames[2].time_s == 1);
    assert_int_equal(s.frames[2].base, BASE_DRIVE);
    assert_int_equal(s.frames[2].count, 1);
    assert_string_equal(s.names[s.targets[s.frames[2].first].name].text, "a");
    assert_true(s.targets[s.frames[2].first].value == 0);
    sequence_fini(&s);
    reads(&s, "time,a.speed,base.vx,c\n0,1,1,1\n0.5,0,0,2\n");
    assert_true(sequence_add_rest(&s));
    assert_int_equal(s.frame_count, 2);
    sequence_fini(&s);
}

/* A set-point ends by itself: a frame behind it would cut it short. */
static void a_set_point_ends_the_speed_before_it(void **state)
{
    struct sequence s;

    (void)state;
    reads(&s, "time,a.speed,a,duration\n0,1,,\n0.5,,2,9\n");
    assert_true(sequence_add_rest(&s));
    assert_int_equal(s.frame_count, 2);
    sequence_fini(&s);
    reads(&s, "time,a.speed,a,b\n0,,2,\n0.5,1,,2\n");
    assert_true(sequence_add_rest(&s));
    assert_int_equal(s.frame_count, 3);
    assert_int_equal(s.frames[2].count, 1);
    assert_int_equal(s.names[s.targets[s.frames[2].first].name].servo, 2);
    sequence_fini(&s);
}

static void mistakes_in_a_table_have_their_place(void **state)
{
    (void)state;
    fails("", "dance:1:1: there is no line with the names of the columns");
    fails("time,x\n", "dance:2:1: there are no frames");
    fails("x,time\n0,0\n", "dance:1:1: the first column is not time");
    fails("time,a,,b\n", "dance:1:8: \"\" is no name of a column");
    fails("time,a,a\n", "dance:1:8: \"a\" is there twice");
    fails("time,a\n0,1\n0.5,one\n", "dance:3:5: \"one\" is no number");
    fails("time,a\n0,1e999\n", "dance:2:3: \"1e999\" is no number");
    fails("time,a\n0,1\n0,2\n", "dance:3:1: the time is not after that of the line before");
    fails("time,a\n-1,1\n", "dance:2:1: \"-1\" is no time from 0 to 1,000,000 s");
    fails("time,a\n0,1,2\n", "dance:2:5: there are more cells than columns");
    fails("time,a\n,1\n", "dance:2:1: there is no time");
    fails("time,base.x,base.vx\n0,1,2\n", "dance:2:5: \"2\" is a speed, beside a pose of the base");
    fails("time,base.vx,base.x\n0,1,2\n",
          "dance:2:5: \"2\" is a pose of the base, beside its speed");
    fails("time,caf\xc3\xa9,b\n0,1,x\n", "dance:2:5: \"x\" is no number");
    fails("time,a\n0,\xff\n", "dance: it is no text in UTF-8");
}

static void mistakes_in_json_have_their_place(void **state)
{
    (void)state;
    fails("{}", "dance:1:1: there is no member \"frames\"");
    fails("[]", "dance:1:3: there are no frames");
    fails("[{\"time\": 0},\n {\"time\": 0}]",
          "dance:2:2: the time is not after that of the frame before");
    fails("[{\"set\": {\"a\": 1}}]", "dance:1:2: a frame needs a time");
    fails("[{\"time\": -1}]", "dance:1:11: a time is from 0 to 1,000,000 s");
    fails("[{\"time\": 0, \"jump\": 1}]", "dance:1:15: a frame has no member \"jump\"");
    fails("[{\"time\": 0, \"drive\": [1, 2]}]", "dance:1:29: three numbers are needed");
    fails("[{\"time\": 0, \"drive\": [1, 2, 3, 4]}]", "dance:1:32: three numbers are enough");
    fails("[{\"time\": 0, \"stop\": true, \"goto\": [1, 2, 3]}]",
          "dance:1:35: the base has two commands");
    fails("[{\"time\": 0, \"set\": {\"a\": 1, \"a\": 2}}]",
          "dance:1:31: the frame has this dof twice");
    fails("[{\"time\": 0, \"set\": {\"a\": 1}, \"set\": {\"b\": 1, \"a\": 2}}]",
          "dance:1:48: the frame has this dof twice");
    fails("[{\"time\": 0, \"set\": {\"a\": NaN}}]", "dance:1:27: 'N' where a number was expected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_a_frame_in_each_line),
        cmocka_unit_test(json_has_a_list_of_frames),
        cmocka_unit_test(a_sequence_ends_at_rest),
        cmocka_unit_test(a_set_point_ends_the_speed_before_it),
        cmocka_unit_test(mistakes_in_a_table_have_their_place),
        cmocka_unit_test(mistakes_in_json_have_their_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
