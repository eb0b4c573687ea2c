/*
 * sicklms200_test.c - telegrams however they are cut or damaged, and the driver on an emulated
 * scanner in a world. The clock is the test's: nothing waits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "conformance/play.h"
#include "emulate/host/line.h"
#include "telegram.h"
#include "troupe/interfaces/laser.h"

extern const tp_driver tp_driver_sicklms200;

static const tp_scheme *const schemes[] = {&tpi_scheme_emulate, NULL};
static char world[64];

/* ---- Telegrams ------------------------------------------------------------------------------- */

static const uint8_t request[] = {0x02, 0x00, 0x02, 0x00, 0x20, 0x25, 0x35, 0x08};
static const uint8_t reply[] = {0x02, 0x80, 0x03, 0x00, 0xa0, 0x00, 0x10, 0x16, 0x0a};

static unsigned feed(struct lms_reader *reader, const uint8_t *bytes, size_t length)
{
    unsigned found = 0;

    for (size_t i = 0; i < length; i++) {
        found += tpi_lms_read(reader, bytes[i]);
    }
    return found;
}

static void telegrams_are_those_of_the_maker(void **state)
{
    uint8_t out[LMS_MOST];

    (void)state;
    assert_int_equal(tpi_lms_wrap(out, (const uint8_t[]){0x20, 0x25}, 2), sizeof request);
    assert_memory_equal(out, request, sizeof request);
}

static void what_is_no_telegram_is_skipped(void **state)
{
    static const uint8_t noise[] = {0x06, 0x02, 0x02, 0x80, 0xff, 0xff,
                                    0x02, 0x80, 0x00, 0x00, 0x80};
    struct lms_reader reader = {0};

    (void)state;
    assert_int_equal(feed(&reader, noise, sizeof noise), 0);
    assert_int_equal(feed(&reader, reply, sizeof reply), 1);
    assert_int_equal(tpi_lms_body(&reader), 3);
    assert_int_equal(reader.bytes[LMS_HEAD], 0xa0);
}

static void a_damaged_telegram_is_dropped(void **state)
{
    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof reply; bit++) {
        struct lms_reader reader = {0};
        uint8_t bad[sizeof reply];
        unsigned found = 0;
        memcpy(bad, reply, sizeof bad);
        bad[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(feed(&reader, bad, sizeof bad), 0);
        for (unsigned i = 0; i < 200; i++) { /* a wrong length swallows some of them */
            found += feed(&reader, reply, sizeof reply);
        }
        assert_in_range(found, 90, 200);
    }
}

static void any_bytes_are_survived(void **state)
{
    static const uint8_t likely[] = {0x02, 0x80, 0x00, 0x03};
    struct lms_reader reader = {0};
    uint64_t seed = 3;

    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        const uint8_t byte = (uint8_t)(seed >> 56);
        (void)tpi_lms_read(&reader, byte < 160 ? likely[byte % 4] : byte);
        assert_true(reader.length <= LMS_MOST);
    }
}

/* ---- An emulated scanner --------------------------------------------------------------------- */

static int make_world(void **state)
{
    static const char text[] = "include \"robots/sick.inc\"\n"
                               "model ( pose [2.1 0 0 0] size [0.2 20 1] )\n"
                               "model ( pose [0 1.1 0 0] size [0.2 0.2 1] )\n";

    (void)state;
    snprintf(world, sizeof world, "/tmp/troupe-sick-%d.world", (int)getpid());
    return tpi_file_write(world, text, sizeof text - 1, NULL) == TP_OK ? 0 : -1;
}

static int remove_world(void **state)
{
    (void)state;
    return unlink(world);
}

static play *begin(const char *more, const char *settings)
{
    static char line[256];
    play *p = play_create();

    tpi_hub_set_lines(p->b.hub, schemes, TEST_ROOT "/worlds/");
    snprintf(line, sizeof line, "port=emulate:sicklms200?world=%s%s %s", world, more, settings);
    play_add(p, &tp_driver_sicklms200, "laser:0", NULL, line);
    play_open(p);
    bench_move_clock(&p->b, 3); /* the line is ahead by the time-outs of the start */
    return p;
}

static const tp_laser_data *next_scan(play *p)
{
    return bench_await_later(&p->r, 0.5, TP_LASER_DATA_SCAN);
}

static void is_near(double value, double wanted, double most)
{
    if (!(fabs(value - wanted) <= most)) {
        fail_msg("%g is not %g", value, wanted);
    }
}

static void scans_have_the_walls_where_they_are(void **state)
{
    play *p = begin("", "");
    const tp_laser_data *scan = next_scan(p);

    (void)state;
    assert_int_equal(scan->ranges_count, 361);
    is_near((double)scan->ranges[180], 2, 0.002);
    is_near((double)scan->ranges[180 + 90], 2 * sqrt(2), 0.003);
    is_near((double)scan->ranges[360], 1, 0.002); /* a post on the left */
    is_near((double)scan->resolution, 3.14159265 / 360, 1e-6);
    is_near((double)scan->max_range, 8.191, 1e-5);
    play_destroy(p);
}

static void resolutions_units_and_sides_can_be_chosen(void **state)
{
    play *p = begin("", "resolution=100 range_res=10 invert=yes transfer_rate=500000");
    const tp_laser_data *scan = next_scan(p);

    (void)state;
    assert_int_equal(scan->ranges_count, 181);
    is_near((double)scan->ranges[90], 2, 0.006);
    is_near((double)scan->ranges[0], 1, 0.006); /* upside down, left is right */
    play_destroy(p);
    p = begin("", "resolution=25");
    scan = next_scan(p);
    assert_int_equal(scan->ranges_count, 401);
    is_near((double)scan->min_angle, -50 * 3.14159265 / 180, 1e-6);
    is_near((double)scan->ranges[200], 2, 0.002);
    const tp_laser_config *config = play_get(p, TP_LASER_REQ_GET_CONFIG, NULL);
    is_near((double)config->range_res, 0.001, 1e-9);
    play_destroy(p);
}

/* Wrong bytes on the line cost scans, not the connection. */
static void an_unplugged_scanner_is_a_failure(void **state)
{
    play *p = begin("&fault=unplugged@6", "");

    (void)state;
    (void)next_scan(p);
    for (unsigned i = 0; i < 20 && play_last(p, TP_COMMON_DATA_ERROR) == NULL; i++) {
        bench_move_clock(&p->b, 1);
        (void)bench_request(&p->b, p->device, TP_COMMON_REQ_GET_PROPERTIES, NULL, NULL);
    }
    assert_non_null(strstr(play_await_failure(p), "sicklms2000: "));
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(telegrams_are_those_of_the_maker),
        cmocka_unit_test(what_is_no_telegram_is_skipped),
        cmocka_unit_test(a_damaged_telegram_is_dropped),
        cmocka_unit_test(any_bytes_are_survived),
        cmocka_unit_test(scans_have_the_walls_where_they_are),
        cmocka_unit_test(resolutions_units_and_sides_can_be_chosen),
        cmocka_unit_test(an_unplugged_scanner_is_a_failure),
    };

    setenv("TROUPE_WORLD_PATH", TEST_ROOT "/worlds", 1);
    return cmocka_run_group_tests(tests, make_world, remove_world);
}
