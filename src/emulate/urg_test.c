/* urg_test.c - the emulated URG-04LX. Answers are those of a recorded session of a real one. */
#include "support/scene.h"

/* Say a line, and what it answers as text. */
static const char *ask(struct stage *s, const char *line)
{
    static tpi_buf answer;
    char bytes[8192];
    size_t length;

    tpi_buf_clear(&answer);
    tpi_emu_input(s->robot, line, strlen(line));
    while ((length = tpi_emu_output(s->robot, bytes, sizeof bytes)) > 0) {
        tpi_buf_put(&answer, bytes, length);
    }
    return tpi_buf_text(&answer);
}

static void answers_as_a_real_one_does(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "urg04lx", "", NULL, NULL);
    assert_string_equal(ask(&s, "SCIP2.0\n"), "SCIP2.0\n0\n\n");
    assert_string_equal(ask(&s, "SCIP2.0\n"), "SCIP2.0\n0Ee\n\n");
    assert_string_equal(ask(&s, "VV\n"),
                        "VV\n00P\nVEND:Hokuyo Automatic Co.,Ltd.;[\n"
                        "PROD:SOKUIKI Sensor URG-04LX;[\nFIRM:3.1.04(02/Aug./2007);a\n"
                        "PROT:SCIP 2.0;N\nSERI:H0000001;6\n\n");
    assert_string_equal(ask(&s, "PP\n"),
                        "PP\n00P\nMODL:URG-04LX(Hokuyo Automatic Co.,Ltd.);N\nDMIN:20;4\n"
                        "DMAX:5600;_\nARES:1024;\\\nAMIN:44;7\nAMAX:725;o\nAFRT:384;6\n"
                        "SCAN:600;e\n\n");
    assert_string_equal(ask(&s, "B"), ""); /* torn */
    assert_string_equal(ask(&s, "M\r\n"), "BM\n00P\n\n");
    assert_string_equal(ask(&s, "BM\n"), "BM\n02R\n\n");
    assert_string_equal(ask(&s, "QT\n"), "QT\n00P\n\n");
    assert_string_equal(ask(&s, "GD0044072500\n"), "GD0044072500\n10Q\n\n");
    assert_string_equal(ask(&s, "MD00440726000001\n"), "MD00440726000001\n04T\n\n");
    assert_string_equal(ask(&s, "MD0x44\n"), "MD0x44\n0Ee\n\n");
    stage_close(&s);
}

/* A wall at 0.55 m ahead: step 384 is three characters of 550 mm, 0 8 V. */
static void scans_see_the_world(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "urg04lx", "model ( pose [0.6 0 0 0] size [0.1 2 0.5] )", NULL, NULL);
    (void)ask(&s, "SCIP2.0\nBM\n");
    stage_run(&s, 0.3);
    const char *scan = ask(&s, "GD0384038401\n");
    assert_true(strncmp(scan, "GD0384038401\n00P\n", 17) == 0);
    const char *value = strchr(scan + 17, '\n') + 1; /* behind the time */
    const int mm = (value[0] - 0x30) << 12 | (value[1] - 0x30) << 6 | (value[2] - 0x30);
    assert_between(mm, 545, 555);
    stage_close(&s);
}

static void streams_end_or_are_ended(void **state)
{
    struct stage s;

    (void)state;
    stage_open(&s, "urg04lx", "", NULL, NULL);
    (void)ask(&s, "SCIP2.0\n");
    assert_string_equal(ask(&s, "MD0380039001002\n"), "MD0380039001002\n00P\n\n");
    stage_run(&s, 1);
    const char *scans = ask(&s, "GD0384038401\n"); /* the laser is off again */
    assert_non_null(strstr(scans, "MD0380039001001\n99b\n"));
    assert_non_null(strstr(scans, "MD0380039001000\n99b\n"));
    assert_non_null(strstr(scans, "GD0384038401\n10Q\n"));
    (void)ask(&s, "MD0380039001000\n");
    stage_run(&s, 1);
    assert_non_null(strstr(ask(&s, "QT\n"), "MD0380039001000\n99b\n"));
    stage_run(&s, 1);
    assert_string_equal(ask(&s, "\n"), "");
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_as_a_real_one_does),
        cmocka_unit_test(scans_see_the_world),
        cmocka_unit_test(streams_end_or_are_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
