/* lab_test.c - samples of experiments as phyphox's clients get them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "web/lab.h"

static tpi_span span(const char *text)
{
    return (tpi_span){text, strlen(text)};
}

/* A sensor with a channel 1 that measures %, an actuator 2, and a channel 7 without a unit. */
static void make(tpi_lab *lab)
{
    static tp_experiment_choice choices[2] = {{.value = 1}, {.value = 2}};
    static tp_experiment_setting settings[] = {
        {.name_count = 11,
         .name = (char *)"conversion",
         .value = 1,
         .choices_count = 1,
         .choices = choices},
        {.name_count = 11,
         .name = (char *)"Floodlight",
         .value = 2,
         .choices_count = 2,
         .choices = choices},
        {.name_count = 5, .name = (char *)"Gain", .value = 0.5},
    };
    static tp_experiment_channel channels[] = {
        {.number = 1,
         .name_count = 6,
         .name = (char *)"Light",
         .parameter_count = 11,
         .parameter = (char *)"Brightness",
         .unit_count = 2,
         .unit = (char *)"%"},
        {.number = 2,
         .kind = TP_EXPERIMENT_ACTUATOR,
         .name_count = 4,
         .name = (char *)"LED",
         .settings_count = 3,
         .settings = settings},
        {.number = 7, .name_count = 4, .name = (char *)"a/b"},
    };
    const tp_experiment_channels all = {
        .sensor_count = 4, .sensor = (char *)"Set", .channels_count = 3, .channels = channels};

    *lab = (tpi_lab){.session = "abc"};
    tpi_lab_set_channels(lab, &all);
    assert_int_equal(strlen(lab->session), strlen("abc-12345678"));
}

static void add(tpi_lab *lab, double time_s, double first, double last)
{
    double values[] = {first, NAN, last};
    const tp_experiment_sample sample = {.time = time_s, .values_count = 3, .values = values};

    tpi_lab_sample(lab, &sample);
}

static void gets(const tpi_lab *lab, const char *query, const char *buffers)
{
    tpi_buf out = {0};
    tpi_buf wanted = {0};

    assert_null(tpi_lab_put_get(lab, span(query), &out));
    tpi_buf_printf(&wanted,
                   "{\"buffer\":{%s},\"status\":{\"session\":\"%s\",\"measuring\":false,"
                   "\"timedRun\":false,\"countDown\":0}}\n",
                   buffers, lab->session);
    assert_string_equal(tpi_buf_text(&out), tpi_buf_text(&wanted));
    tpi_buf_fini(&out);
    tpi_buf_fini(&wanted);
}

static void buffers_are_given_whole_in_part_and_by_their_last_number(void **state)
{
    tpi_lab lab;

    (void)state;
    make(&lab);
    gets(&lab, "", "");
    gets(&lab, "ch1&t1=full",
         "\"ch1\":{\"size\":0,\"updateMode\":\"single\",\"buffer\":[]},"
         "\"t1\":{\"size\":0,\"updateMode\":\"full\",\"buffer\":[]}");
    add(&lab, 0, 10, NAN);
    add(&lab, 0.5, 12.25, NAN);
    add(&lab, 1, 11, 3);
    gets(&lab, "ch1", "\"ch1\":{\"size\":0,\"updateMode\":\"single\",\"buffer\":[11]}");
    gets(&lab, "ch1=full", "\"ch1\":{\"size\":0,\"updateMode\":\"full\",\"buffer\":[10,12.25,11]}");
    gets(&lab, "t1=0.25", "\"t1\":{\"size\":0,\"updateMode\":\"partial\",\"buffer\":[0.5,1]}");
    gets(&lab, "ch1=0.25%7Ct1",
         "\"ch1\":{\"size\":0,\"updateMode\":\"partial\",\"buffer\":[12.25,11]}");
    gets(&lab, "ch1=5|t1&ch7=full",
         "\"ch1\":{\"size\":0,\"updateMode\":\"partial\",\"buffer\":[]},"
         "\"ch7\":{\"size\":0,\"updateMode\":\"full\",\"buffer\":[3]}");
    gets(&lab, "ch1=10.5", "\"ch1\":{\"size\":0,\"updateMode\":\"partial\",\"buffer\":[12.25,11]}");
    gets(&lab, "ch1=12|ch1&ch1=full",
         "\"ch1\":{\"size\":0,\"updateMode\":\"partial\",\"buffer\":[12.25,11]}");
    gets(&lab, "ch3=full&nothing&=&&ch3=x|y|z", "");
    gets(&lab, "mode.2.Floodlight&mode.2.Gain=full&conversion.2",
         "\"mode.2.Floodlight\":{\"size\":1,\"updateMode\":\"single\",\"buffer\":[2]},"
         "\"mode.2.Gain\":{\"size\":1,\"updateMode\":\"full\",\"buffer\":[0.5]}");
    gets(&lab, "ch7=0|t1", "\"ch7\":{\"size\":0,\"updateMode\":\"partial\",\"buffer\":[]}");
    tpi_lab_fini(&lab);
}

static void a_query_that_cannot_be_read_is_refused(void **state)
{
    static const char *const wrong[] = {"ch1=x",   "ch1=1x",   "ch1=nan",
                                        "ch1=|t1", "ch1=1|t9", "ch1=x|t1"};
    tpi_lab lab;

    (void)state;
    make(&lab);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tpi_buf out = {0};
        assert_non_null(tpi_lab_put_get(&lab, span(wrong[i]), &out));
        tpi_buf_fini(&out);
    }
    tpi_lab_fini(&lab);
}

static void reads(const char *body, bool is_json, const char *query, const char *wanted)
{
    tpi_buf out = {0};

    assert_int_equal(tpi_lab_put_query(span(body), is_json, span(query), &out), wanted != NULL);
    if (wanted != NULL) {
        assert_string_equal(tpi_buf_text(&out), wanted);
    }
    tpi_buf_fini(&out);
}

static void parameters_of_a_body_come_first(void **state)
{
    (void)state;
    reads("", false, "cmd=stop", "cmd=stop");
    reads("cmd=start", false, "cmd=stop", "cmd=start&cmd=stop");
    reads("{\"cmd\":\"set\",\"value\":-1.5,\"a b\":true}", true, "x",
          "cmd=set&value=-1.5&a%20b=true&x");
    reads("{\"t1\":\"3|ch1&\"}", true, "", "t1=3%7Cch1%26");
    reads("{}", true, "", "");
    reads("{\"a\":[1]}", true, "", NULL);
    reads("{\"a\":null}", true, "", NULL);
    reads("[1]", true, "", NULL);
    reads("{\"a\":1", true, "", NULL);
}

/* Samples stay while channels and units are the same. */
static void other_channels_end_the_session(void **state)
{
    tpi_lab lab;
    tp_experiment_channel other = {.number = 1, .name_count = 2, .name = (char *)"a"};
    const tp_experiment_channels all = {.channels_count = 1, .channels = &other};
    char before[32];

    (void)state;
    lab = (tpi_lab){.session = "abc"};
    tpi_lab_set_channels(&lab, &all);
    memcpy(before, lab.session, sizeof before);
    add(&lab, 0, 10, NAN);
    tpi_lab_set_channels(&lab, &all);
    assert_string_equal(lab.session, before);
    assert_int_equal(lab.channels[0].values.count, 1);
    other.unit = (char *)"m";
    other.unit_count = 2;
    tpi_lab_set_channels(&lab, &all);
    assert_string_not_equal(lab.session, before);
    assert_int_equal(lab.channels[0].values.count, 0);
    tpi_lab_fini(&lab);
}

static void a_full_buffer_drops_its_oldest_half(void **state)
{
    tpi_lab lab;
    const unsigned most = TPI_LAB_SAMPLES / 4;

    (void)state;
    make(&lab);
    for (unsigned i = 0; i < most + 1; i++) {
        add(&lab, i, i, NAN);
    }
    assert_int_equal(lab.channels[0].values.count, most / 2 + 1);
    gets(&lab, "ch1=32766|t1",
         "\"ch1\":{\"size\":0,\"updateMode\":\"partial\",\"buffer\":[32767,32768]}");
    assert_true(lab.channels[0].values.numbers[0] == most / 2);
    assert_int_equal(lab.channels[0].values.ends[0], 6);
    tpi_lab_fini(&lab);
}

static void its_channels_are_told(void **state)
{
    tpi_lab lab;
    tpi_buf out = {0};

    (void)state;
    make(&lab);
    tpi_lab_put_config(&lab, &out);
    assert_string_equal(
        tpi_buf_text(&out),
        "{\"crc32\":\"0\",\"title\":\"Set\",\"localTitle\":\"Set\",\"category\":\"Troupe\","
        "\"localCategory\":\"Troupe\",\"buffers\":[{\"name\":\"t1\",\"size\":0},{\"name\":\"ch1\","
        "\"size\":0},{\"name\":\"t2\",\"size\":0},{\"name\":\"ch2\",\"size\":0},{\"name\":\"t7\","
        "\"size\":0},{\"name\":\"ch7\",\"size\":0},{\"name\":\"mode.2.Floodlight\",\"size\":1},"
        "{\"name\":\"mode.2.Gain\",\"size\":1}],\"inputs\":[{\"source\":\"Brightness (%)\","
        "\"outputs\":[{\"x\":\"ch1\"},{\"t\":\"t1\"}]},{\"source\":\"a/b\",\"outputs\":[{\"x\":"
        "\"ch7\"},{\"t\":\"t7\"}]}],\"export\":[{\"set\":\"Brightness "
        "(%)\",\"sources\":[{\"label\":"
        "\"Time (s)\",\"buffer\":\"t1\"},{\"label\":\"Brightness (%)\",\"buffer\":\"ch1\"}]},{"
        "\"set\":\"a/b\",\"sources\":[{\"label\":\"Time "
        "(s)\",\"buffer\":\"t7\"},{\"label\":\"a/b\","
        "\"buffer\":\"ch7\"}]}]}\n");
    tpi_buf_clear(&out);
    tpi_lab_event_put(&lab, true, 0, 1000.5);
    tpi_lab_event_put(&lab, false, 2, 1002.5);
    tpi_lab_put_time(&lab, &out);
    assert_string_equal(
        tpi_buf_text(&out),
        "[{\"event\":\"START\",\"experimentTime\":0.000000,\"systemTime\":1000.500000},"
        "{\"event\":\"PAUSE\",\"experimentTime\":2.000000,\"systemTime\":1002.500000}]\n");
    tpi_buf_fini(&out);
    tpi_lab_fini(&lab);
}

static void tables_have_the_separators_of_their_format(void **state)
{
    static const char *const tables[] = {"\"Time (s)\",\"Brightness (%)\"\n0.5,12.25\n",
                                         "\"Time (s)\"\t\"Brightness (%)\"\n0.5\t12.25\n",
                                         "\"Time (s)\";\"Brightness (%)\"\n0.5;12.25\n",
                                         "\"Time (s)\"\t\"Brightness (%)\"\n0,5\t12,25\n",
                                         "\"Time (s)\";\"Brightness (%)\"\n0,5;12,25\n"};
    tpi_lab lab;

    (void)state;
    make(&lab);
    add(&lab, 0.5, 12.25, NAN);
    for (int format = 0; format <= 6; format++) {
        tpi_buf out = {0};
        const bool done = tpi_lab_put_export(&lab, format, &out);

        assert_int_equal(done, format <= 5);
        if (format == 0) {
            assert_memory_equal(out.data + 30, "[Content_Types].xml", 19);
        } else if (done) {
            assert_memory_equal(out.data, "PK\3\4", 4);
            assert_memory_equal(out.data + 30, "ch1 Brightness (%).csv", 22);
            assert_memory_equal(out.data + 52, tables[format - 1], strlen(tables[format - 1]));
            assert_memory_equal(out.data + out.length - 22, "PK\5\6", 4);
        }
        tpi_buf_fini(&out);
    }
    tpi_lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_given_whole_in_part_and_by_their_last_number),
        cmocka_unit_test(a_query_that_cannot_be_read_is_refused),
        cmocka_unit_test(parameters_of_a_body_come_first),
        cmocka_unit_test(other_channels_end_the_session),
        cmocka_unit_test(a_full_buffer_drops_its_oldest_half),
        cmocka_unit_test(its_channels_are_told),
        cmocka_unit_test(tables_have_the_separators_of_their_format),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
