/*
 * urg_test.c - the urg driver on scripts, without waiting. Part of Troupe's own suite, since it
 * uses its bench for drivers; see docs/writing-a-driver.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "conformance/play.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/ranger.h"

extern const tp_driver tp_driver_urg;

#define SCRIPTS TEST_ROOT "/examples/driver-out-of-tree/"

static const tp_ranger_power_config on = {.state = 1};
static const tp_ranger_power_config off = {.state = 0};

static char settings[512];
static char edited[64];

/* Play a script of the folder, or one that was edited. */
static play *begin(const char *script, const char *more)
{
    const bool own = script[0] != '/';

    snprintf(settings, sizeof settings, "port=script:%s%s %s", own ? SCRIPTS : "", script, more);
    return play_begin(&tp_driver_urg, "ranger:0", settings);
}

/* A copy of a script in which one text is replaced by another, everywhere. */
static const char *edit(const char *script, const char *old, const char *new)
{
    tpi_buf text = {0};
    tpi_buf out = {0};
    char path[512];
    bool found = false;

    snprintf(path, sizeof path, SCRIPTS "%s", script);
    assert_int_equal(tpi_file_read(&text, path, 1 << 20, NULL), TP_OK);
    for (const char *at = text.data; *at != '\0';) {
        if (strncmp(at, old, strlen(old)) == 0) {
            tpi_buf_puts(&out, new);
            at += strlen(old);
            found = true;
        } else {
            tpi_buf_putc(&out, *at++);
        }
    }
    assert_true(found);
    snprintf(edited, sizeof edited, "/tmp/troupe-urg-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(edited, out.data, out.length, NULL), TP_OK);
    tpi_buf_fini(&text);
    tpi_buf_fini(&out);
    return edited;
}

static void end(play *p)
{
    play_destroy(p);
    unlink(edited);
}

/* Let the time of a few scans pass, and look at the next one. */
static const tp_ranger_data_range *next_scan(play *p)
{
    bench_move_clock(&p->b, 0.3);
    return bench_await(&p->r, TP_RANGER_DATA_RANGE);
}

static void assert_scan(const tp_ranger_data_range *scan)
{
    assert_int_equal(scan->ranges_count, 682);
    play_assert_near(scan->ranges[384 + 256 - 44], 1.5);
    play_assert_near(scan->ranges[510 - 44], 5.6); /* nothing was seen */
}

/* From two places in turn; at the second one a line of data looks like one of information. */
static void scans_come_as_time_passes(void **state)
{
    play *p = begin("stream.script", "");
    unsigned seen[2] = {0};

    (void)state;
    while (seen[0] < 3 || seen[1] < 3) {
        const tp_ranger_data_range *scan = next_scan(p);
        assert_scan(scan);
        seen[scan->ranges[384 - 44] < 1.9]++;
        assert_true(seen[0] < 100 && seen[1] < 100);
    }
    end(p);
}

static void scans_are_cut_to_what_is_wanted(void **state)
{
    play *p = begin(edit("stream.script", "MD0044072501000", "MD0384064002000"),
                    "min_angle=0 max_angle=1.5708 cluster=2 timeout=3600");
    const tp_ranger_config *config = play_get(p, TP_RANGER_REQ_GET_CONFIG, NULL);

    (void)state;
    play_assert_near(config->min_angle, 0);
    play_assert_near(config->max_angle, 256 * 6.283185307179586 / 1024);
    play_assert_near(config->angular_res, 2 * 6.283185307179586 / 1024);
    end(p);
}

static void it_tells_where_it_sits_and_who_it_is(void **state)
{
    play *p = begin("stream.script", "pose=0.1,0.2,0.3");
    const tp_geometry *geometry = play_get(p, TP_COMMON_REQ_GET_GEOMETRY, NULL);
    const tp_intprop_req serial = {.key_count = 7, .key = play_chars("serial")};

    (void)state;
    assert_int_equal(geometry->known, TP_GEOMETRY_CONFIGURED);
    play_assert_near(geometry->pose.py, 0.2);
    play_assert_near(geometry->pose.pyaw, 0.3);
    play_assert_near(geometry->size.sh, 0.07);
    const tp_intprop_req *answer = play_get(p, TP_COMMON_REQ_GET_INTPROP, &serial);
    assert_int_equal(answer->value, 1234);
    end(p);
}

/* The server died while the sensor sent scans; nobody has told it to stop. */
static void a_sensor_that_still_sends_is_stopped_first(void **state)
{
    play *p = begin(edit("stream.script", "> SCIP2.0\\n\n< SCIP2.0\\n\n< 0\\n\n< \\n\n",
                         "> SCIP2.0\\n\n< rest of a scan\\n\n< \\n\n< MD0044072501000\\n\n"
                         "< SCIP2.0\\n\n< 0Ee\\n\n< \\n\n> QT\\n\n< QT\\n\n< 00P\\n\n< \\n\n"),
                    "");

    (void)state;
    assert_scan(next_scan(p));
    end(p);
}

static void a_damaged_scan_is_left_out(void **state)
{
    /* the second scan of the script has a wrong time line, which does not matter, and a wrong sum
     */
    play *p = begin(edit("stream.script", "\n+0.1 < MD0044072501000\\n\n< 99b\\n\n< 001TU\\n\n",
                         "\n+0.1 < MD0044072501000\\n\n< 99b\\n\n< 00\\n\n< 000x\\n\n"),
                    "");
    const tp_ranger_data_range *scan = next_scan(p);

    (void)state;
    for (int i = 0; i < 3; i++) {
        play_assert_near(scan->ranges[384 - 44], 2.0); /* only the first ones */
        scan = next_scan(p);
    }
    end(p);
}

static const char *await_failure(play *p)
{
    const tp_failure *failure = play_last(p, TP_COMMON_DATA_ERROR);

    return failure != NULL ? failure->text
                           : ((const tp_failure *)bench_await(&p->r, TP_COMMON_DATA_ERROR))->text;
}

static void many_damaged_scans_are_a_failure(void **state)
{
    play *p = begin(edit("stream.script", "99b\\n\n", "99b\\n\n< 0000\\n\n< spoilt\\n\n"), "");

    (void)state;
    bench_move_clock(&p->b, 1);
    assert_string_equal(await_failure(p), "urg0: 5 damaged scans in a row");
    end(p);
}

static void a_sensor_that_falls_silent_is_a_failure(void **state)
{
    play *p = begin(edit("stream.script", "repeat\n+0.1", "silence\nrepeat\n+0.1"), "timeout=3");

    (void)state;
    play_get(p, TP_RANGER_REQ_GET_CONFIG, NULL);
    bench_move_clock(&p->b, 3.1);
    assert_string_equal(await_failure(p), "urg0: no scan for 3.0 s");
    end(p);
}

static void a_refused_scan_is_a_failure(void **state)
{
    play *p = begin(
        edit("stream.script", "< MD0044072501000\\n\n< 00P", "< MD0044072501000\\n\n< 10Q"), "");

    (void)state;
    assert_string_equal(await_failure(p),
                        "urg0: the sensor answers MD0044072501000 with status 10Q");
    end(p);
}

static void check_power(play *p)
{
    assert_non_null(next_scan(p));
    play_request(p, TP_RANGER_REQ_POWER, &off);
    play_request(p, TP_RANGER_REQ_POWER, &off); /* nothing to do */
    bench_move_clock(&p->b, 100);               /* and no watchdog */
    play_get(p, TP_RANGER_REQ_GET_CONFIG, NULL);
    play_request(p, TP_RANGER_REQ_POWER, &on);
    assert_non_null(next_scan(p));
    play_destroy(p);
}

static void it_is_switched_off_and_on(void **state)
{
    (void)state;
    check_power(begin("stream.script", ""));
    check_power(begin("asked.script", "continuous=no"));
    check_power(begin("old.script", ""));
}

static void a_scan_may_be_cut_off(void **state)
{
    play *p = begin(
        edit("stream.script", "< QT\\n\n", "< MD0044072501000\\n\n< 99b\\n\n< 0000\\n\n< QT\\n\n"),
        "");

    (void)state;
    next_scan(p);
    play_request(p, TP_RANGER_REQ_POWER, &off);
    end(p);
}

static void what_the_sensor_refuses_is_told(void **state)
{
    play *p = begin(edit("stream.script", "< QT\\n\n< 00P", "< QT\\n\n< 02R"), "");

    (void)state;
    next_scan(p);
    play_assert_request_refused(p, TP_RANGER_REQ_POWER, &off, "the sensor answers with status 02R");
    end(p);
}

/* It is asked to switch off, and closed before it answers. */
static void a_request_ends_with_the_driver(void **state)
{
    play *p = begin(edit("stream.script", "< QT\\n\n< 00P\\n\n< \\n\n", "silence\n"), "");
    const tp_message *power =
        tp_interface_message(&tp_interface_ranger, TP_KIND_REQUEST, TP_RANGER_REQ_POWER);
    const tp_msghdr header = {
        .addr = *tp_device_addr(p->device), .type = TP_MSGTYPE_REQ, .subtype = TP_RANGER_REQ_POWER};
    tp_msg *msg = NULL;

    (void)state;
    next_scan(p);
    assert_int_equal(tp_msg_create(&msg, &header, power->ask, &off), TP_OK);
    assert_int_equal(tpi_device_call(p->device, power, msg, NULL, NULL, NULL), TP_OK);
    tp_msg_unref(msg);
    play_get(p, TP_RANGER_REQ_GET_CONFIG, NULL);
    end(p); /* the sanitizer sees what is left behind */
}

static void a_sensor_without_sense_is_refused(void **state)
{
    bench_reader r;
    play *p = play_create();

    (void)state;
    snprintf(settings, sizeof settings, "port=script:%s",
             edit("stream.script", "< AMAX:725;o", "< AMAX:10;2"));
    play_add(p, &tp_driver_urg, "ranger:0", NULL, settings);
    assert_int_equal(bench_open(&p->b, &r, p->device), TP_E_DEVICE);
    play_assert_refused(p, TP_E_DEVICE, "urg0: the sensor's description makes no sense");
    end(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_come_as_time_passes),
        cmocka_unit_test(scans_are_cut_to_what_is_wanted),
        cmocka_unit_test(it_tells_where_it_sits_and_who_it_is),
        cmocka_unit_test(a_sensor_that_still_sends_is_stopped_first),
        cmocka_unit_test(a_damaged_scan_is_left_out),
        cmocka_unit_test(many_damaged_scans_are_a_failure),
        cmocka_unit_test(a_sensor_that_falls_silent_is_a_failure),
        cmocka_unit_test(a_refused_scan_is_a_failure),
        cmocka_unit_test(it_is_switched_off_and_on),
        cmocka_unit_test(a_scan_may_be_cut_off),
        cmocka_unit_test(what_the_sensor_refuses_is_told),
        cmocka_unit_test(a_request_ends_with_the_driver),
        cmocka_unit_test(a_sensor_without_sense_is_refused),
    };

    return cmocka_run_group_tests_name("urg", tests, NULL, NULL);
}
