/* experiment_test.c - experiments as text: what is read, what is refused and where, and what
 * sensors are told. */
#include "sensors/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

#include "base/file.h"

static tpi_manifest *manifest_of(const char *name)
{
    tpi_manifest *manifest = NULL;
    tpi_buf text = {0};
    char path[512];

    snprintf(path, sizeof path, "%s/sensors/%s.xml", TEST_ROOT, name);
    assert_int_equal(tpi_file_read(&text, path, TPI_MOST_MANIFEST, NULL), TP_OK);
    assert_int_equal(
        tpi_manifest_read(&manifest, tpi_buf_text(&text), text.length, path, NULL, NULL), TP_OK);
    tpi_buf_fini(&text);
    return manifest;
}

static void gather(void *context, unsigned line, const char *command)
{
    tpi_buf_printf(context, "%u %s\n", line, command);
}

/* The text tells a sensor this. */
static void tells(const char *name, const char *text, const char *commands)
{
    tpi_manifest *manifest = manifest_of(name);
    tpi_experiment *experiment = NULL;
    tp_error err = {.text = ""};
    tpi_buf out = {0};

    if (tpi_experiment_read(&experiment, text, strlen(text), "a.exp", &err) != TP_OK ||
        tpi_experiment_fit(experiment, 0, manifest, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    tpi_experiment_commands(experiment, 0, manifest, gather, &out);
    assert_string_equal(tpi_buf_text(&out), commands);
    tpi_buf_fini(&out);
    tpi_experiment_destroy(experiment);
    tpi_manifest_destroy(manifest);
}

static void refuses(const char *name, const char *text, const char *why)
{
    tpi_manifest *manifest = manifest_of(name);
    tpi_experiment *experiment = NULL;
    tp_error err = {.text = ""};
    tp_status status = tpi_experiment_read(&experiment, text, strlen(text), "a.exp", &err);

    status = status == TP_OK ? tpi_experiment_fit(experiment, 0, manifest, &err) : status;
    assert_int_equal(status, TP_E_INVALID);
    assert_string_equal(err.text, why);
    tpi_experiment_destroy(experiment);
    tpi_manifest_destroy(manifest);
}

static void every_start_end_trigger_and_transmission_has_its_word(void **state)
{
    (void)state;
    tells("simulated", "ch1\n", "1 L,1,S:now,E:inf,X:t=100000\n");
    tells("simulated", "# first\n\nch1 start=now end=100 every=10ms send=16\n",
          "3 L,1,S:now,E:n=100,X:n=16,K:t=10000\n");
    tells("simulated", "ch1 start=2s end=never every=0.5s send=read",
          "1 L,1,S:t=2000000,E:inf,X:read,K:t=500000\n");
    tells("simulated", "ch1 start=trigger end=10s every=0.1s send=done",
          "1 L,1,S:trig,E:n=100,X:done,K:t=100000\n");
    tells("simulated", "ch1 start=ch4 end=ch2 every=ch4 send=1s\nch4\nch2 end=5\n",
          "1 L,1,S:ch=4,E:ch=2,X:t=1000000,K:ch=4\n2 L,4,S:now,E:inf,X:n=1\n"
          "3 L,2,S:now,E:n=5,X:t=100000\n");
}

static void actuators_have_values_and_events_conditions(void **state)
{
    (void)state;
    tells("simulated", "ch5 values=0,50,12.5 every=1s then=repeat",
          "1 L,5,S:now,E:inf,X:t=100000,K:t=1000000,B:repeat,D:0;50;12.5\n");
    tells("simulated", "ch4 every=20ms event=1 event=0:0.5:while",
          "1 L,4,S:now,E:inf,X:n=1,K:t=20000,C:1;0;once,C:0;0.5;while\n");
}

/* A command has at most 110 bytes; a longer data set comes in several. */
static void long_data_sets_come_in_pieces(void **state)
{
    tpi_buf text = {0};
    tpi_manifest *manifest = manifest_of("simulated");
    tpi_experiment *experiment = NULL;
    tpi_buf out = {0};
    unsigned values = 0, commands = 0;

    (void)state;
    tpi_buf_puts(&text, "ch5 every=1s values=0");
    for (unsigned i = 1; i < 200; i++) {
        tpi_buf_printf(&text, ",%u", i % 100);
    }
    assert_int_equal(tpi_experiment_read(&experiment, tpi_buf_text(&text), text.length, "a", NULL),
                     TP_OK);
    tpi_experiment_commands(experiment, 0, manifest, gather, &out);
    const char *line = tpi_buf_text(&out);
    while (*line != '\0') {
        const char *end = strchr(line, '\n');
        assert_true(end - line <= 112);
        values += 1;
        for (const char *at = line; at < end; at++) {
            values += *at == ';';
        }
        commands++;
        line = end + 1;
    }
    assert_int_equal(values, 200);
    assert_true(commands > 4);
    tpi_experiment_destroy(experiment);
    tpi_manifest_destroy(manifest);
    tpi_buf_fini(&out);
    tpi_buf_fini(&text);
}

static void settings_are_told_before_the_set_up(void **state)
{
    (void)state;
    tells("nxt_light", "title Light\nch1 conversion=2 Floodlight=Off every=10ms end=3\n",
          "2 S,C,2,1\n2 S,M,1,2,1\n2 L,1,S:now,E:n=3,X:t=100000,K:t=10000\n");
    tells("nxt_light", "ch1 Floodlight=1 end=3\n", "1 S,M,1,1,1\n1 L,1,S:now,E:n=3,X:t=100000\n");
}

/* Signals of other sensors are passed on by the host. */
static void other_sensors_signal_through_the_host(void **state)
{
    tpi_experiment *e = NULL;
    tp_error err = {.text = ""};
    const char text[] = "sensor b experiment:0\nsensor light experiment:1\n"
                        "b.ch1 every=20ms\nlight.ch1 start=b.ch1 end=10 every=10ms\n"
                        "light.ch2 every=b.ch1 end=b.ch1\n";
    tpi_manifest *manifest = manifest_of("simulated");
    tpi_buf out = {0};

    (void)state;
    if (tpi_experiment_read(&e, text, strlen(text), "a.exp", &err) != TP_OK ||
        tpi_experiment_fit(e, 1, manifest, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(e->sensor_count, 2);
    assert_string_equal(e->sensors[1].device, "experiment:1");
    tpi_experiment_commands(e, 1, manifest, gather, &out);
    assert_string_equal(tpi_buf_text(&out), "4 L,1,S:trig,E:n=10,X:t=100000,K:t=10000\n");
    assert_true(tpi_experiment_is_relayed(&e->channels[2]));
    tpi_buf_fini(&out);
    tpi_experiment_destroy(e);
    tpi_manifest_destroy(manifest);
}

static void mistakes_have_their_line_and_a_fix(void **state)
{
    (void)state;
    refuses("simulated", "\n\n", "a.exp:2: no channel; write for instance: ch1 every=10ms end=100");
    refuses("simulated", "light 1",
            "a.exp:1: \"light\": a line begins with title, sensor or a channel (ch1)");
    refuses("simulated", "ch1 every", "a.exp:1: \"every\": KEY=VALUE is wanted, as every=10ms");
    refuses("simulated", "ch1\nch2 every=10",
            "a.exp:2: every=10 is not known; write a time (10ms) or a channel (ch2)");
    refuses("simulated", "ch1 every=1s every=2s", "a.exp:1: every is there twice");
    refuses("simulated", "ch1\nch1", "a.exp:2: ch1 is in line 1 already");
    refuses("simulated", "ch9", "a.exp:1: Simulated Set has no channel 9; it has 5");
    refuses("simulated", "ch1 evry=1s",
            "a.exp:1: ch1 has no setting \"evry\"; did you mean \"every\"?");
    refuses("simulated", "ch1 start=ch2",
            "a.exp:1: start=ch2: the experiment has no line for that channel; add one");
    refuses("simulated", "ch1 every=ch1", "a.exp:1: every: a channel cannot wait for itself");
    refuses("simulated", "ch5 every=1s",
            "a.exp:1: ch5 is an actuator and needs values, as values=0,50,100");
    refuses("simulated", "ch5 values=0,101", "a.exp:1: values: 101 is not between 0 and 100");
    refuses("simulated", "ch5 values=0,x",
            "a.exp:1: values: \"x\" is no number; write values=0,50,100");
    refuses("simulated", "ch1 values=0", "a.exp:1: values: ch1 is no actuator");
    refuses("simulated", "ch1 event=1", "a.exp:1: event: ch1 is no event sensor");
    refuses("simulated", "ch1 every=0us",
            "a.exp:1: every: ch1 needs at least 1 ms between two samples");
    refuses("simulated", "x.ch1",
            "a.exp:1: there is no sensor \"x\"; a line \"sensor x experiment:0\" names it");
    refuses("nxt_light", "ch1 conversion=7",
            "a.exp:1: conversion=7: ch1 has the conversions 1 to 2");
    refuses("nxt_light", "ch1 Floodlight=Maybe",
            "a.exp:1: Floodlight=Maybe: ch1 cannot be set to it; troupe sensors show lists what it "
            "can");
    refuses("simulated", "ch1 end=5s",
            "a.exp:1: end: a time needs every=TIME; write a number of samples");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_start_end_trigger_and_transmission_has_its_word),
        cmocka_unit_test(actuators_have_values_and_events_conditions),
        cmocka_unit_test(long_data_sets_come_in_pieces),
        cmocka_unit_test(settings_are_told_before_the_set_up),
        cmocka_unit_test(other_sensors_signal_through_the_host),
        cmocka_unit_test(mistakes_have_their_line_and_a_fix),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
