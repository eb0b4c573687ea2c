/* rangertolaser_test.c - ranges, settings and geometry of a ranger, as a laser has them. */
#include "conformance/play.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/ranger.h"

extern const tp_driver tp_driver_dummy;
extern const tp_driver tp_driver_fake;
extern const tp_driver tp_driver_rangertolaser;

static const double degree = 0.017453292519943295;

static play *begin(const tp_driver *ranger, const char *settings)
{
    play *p = play_create();

    play_add(p, ranger, "ranger:0", NULL, settings);
    play_add(p, &tp_driver_rangertolaser, "laser:0", "ranger:0", NULL);
    play_open(p);
    return p;
}

/* The first scan may go without intensities; the others have those of their own ranges. */
static void ranges_and_intensities_become_one_scan(void **state)
{
    play *p = begin(&tp_driver_fake, "rate=1000 noise=0");

    (void)state;
    bench_await(&p->r, TP_LASER_DATA_SCAN);
    bench_await(&p->r, TP_LASER_DATA_SCAN);
    const tp_laser_data *scan = bench_await(&p->r, TP_LASER_DATA_SCAN);
    const uint32_t number = scan->id;
    assert_int_equal(scan->ranges_count, 361);
    assert_int_equal(scan->intensity_count, 361);
    play_assert_near((double)scan->min_angle, -90 * degree);
    play_assert_near((double)scan->resolution, 0.5 * degree);
    play_assert_near((double)scan->max_range, 8);
    assert_int_equal(scan->intensity[0], (uint8_t)(255 / (1 + (double)scan->ranges[0])));
    scan = bench_await(&p->r, TP_LASER_DATA_SCAN);
    assert_true(scan->id > number);
    play_destroy(p);
}

/* Player's dummy tells no settings: better a scan without angles than none. */
static void a_ranger_without_settings_still_scans(void **state)
{
    play *p = begin(&tp_driver_dummy, "rate=1000");
    const tp_laser_data *scan = bench_await(&p->r, TP_LASER_DATA_SCAN);

    (void)state;
    assert_int_equal(scan->ranges_count, 361);
    assert_int_equal(scan->intensity_count, 0);
    play_assert_near((double)scan->ranges[0], 8);
    play_assert_near((double)scan->min_angle, 0);
    play_assert_request_refused(p, TP_LASER_REQ_GET_CONFIG, NULL,
                                "GET_CONFIG: this driver refuses every request");
    play_destroy(p);
}

static void geometry_is_the_rangers(void **state)
{
    play *p = begin(&tp_driver_fake, "rate=1000 position=1,2,3 size=0.4,0.3,0.2");
    const tp_laser_geom *geom = play_get(p, TP_LASER_REQ_GET_GEOM, NULL);

    (void)state;
    play_assert_near(geom->pose.pz, 3);
    play_assert_near(geom->size.sl, 0.4);
    play_destroy(p);
}

static void settings_are_changed_in_one_go(void **state)
{
    play *p = begin(&tp_driver_fake, "rate=1000");
    tp_laser_config ask = {.min_angle = 0,
                           .max_angle = (float)(90 * degree),
                           .resolution = (float)degree,
                           .max_range = 4,
                           .intensity = 1};

    (void)state;
    const tp_laser_config *made = play_get(p, TP_LASER_REQ_SET_CONFIG, &ask);
    play_assert_near((double)made->max_range, 4);
    play_assert_near((double)made->scanning_frequency, 1000);
    assert_int_equal(made->intensity, 1);
    const tp_laser_data *scan = play_after(p, 0, TP_LASER_DATA_SCAN);
    assert_int_equal(scan->ranges_count, 91);
    ask.intensity = 0;
    made = play_get(p, TP_LASER_REQ_SET_CONFIG, &ask);
    assert_int_equal(made->intensity, 0);
    play_after(p, 0, TP_LASER_DATA_SCAN);
    bench_await(&p->r, TP_LASER_DATA_SCAN); /* the first one had waited for them in vain */
    scan = bench_await(&p->r, TP_LASER_DATA_SCAN);
    assert_int_equal(scan->intensity_count, 0);
    play_destroy(p);
}

static void power_is_switched_and_the_rest_refused(void **state)
{
    play *p = begin(&tp_driver_fake, "rate=1000");
    const tp_laser_power_config off = {.state = 0};
    const tp_laser_set_filter_config filter = {0};

    (void)state;
    play_request(p, TP_LASER_REQ_POWER, &off);
    const uint32_t scans = p->r.counts[TP_LASER_DATA_SCAN];
    play_get(p, TP_LASER_REQ_GET_CONFIG, NULL); /* still there, but silent */
    assert_int_equal(p->r.counts[TP_LASER_DATA_SCAN], scans);
    play_assert_request_refused(p, TP_LASER_REQ_GET_ID, NULL, "GET_ID is not supported");
    play_assert_request_refused(p, TP_LASER_REQ_SET_FILTER, &filter, "SET_FILTER is not supported");
    play_destroy(p);
}

/* ---- A ranger that stamps its data ----------------------------------------------------------- */

struct stamped {
    tp_device *device;
    unsigned polls;
};

static tp_status stamped_poll(tp_instance *self, tp_error *err)
{
    struct stamped *s = tp_instance_state(self);
    double ranges[] = {1, 2};
    double intensities[] = {-5, 300};
    const tp_ranger_data_rangestamped range = {.data = {2, ranges},
                                               .have_geom = 1,
                                               .geom = {.pose = {.px = 4, .py = 5, .pyaw = 6}},
                                               .have_config = 1,
                                               .config = {.min_angle = -1, .max_range = 9}};
    const tp_ranger_data_intnsstamped intensity = {.data = {2, intensities}};

    (void)err;
    tp_publish(s->device, TP_RANGER_DATA_RANGESTAMPED, &range, 0);
    if (s->polls++ % 4 < 2) { /* now and then they are lost */
        tp_publish(s->device, TP_RANGER_DATA_INTNSSTAMPED, &intensity, 0);
    }
    return TP_OK;
}

static tp_status stamped_init(tp_instance *self, tp_error *err)
{
    static const tp_ranger_ops no_ops = {0};
    struct stamped *s = tp_instance_state(self);

    tp_instance_set_period(self, TP_NS_PER_MS);
    return tp_offer(self, &tp_interface_ranger, NULL, &no_ops, NULL, &s->device, err);
}

static const tp_driver_ops stamped_ops = {.init = stamped_init, .poll = stamped_poll};
static const tp_driver stamped_driver = {.abi = TP_DRIVER_ABI,
                                         .name = "stamped",
                                         .state_size = sizeof(struct stamped),
                                         .ops = &stamped_ops};

static void a_stamp_becomes_a_pose(void **state)
{
    play *p = begin(&stamped_driver, NULL);
    const tp_laser_data_scanpose *data = bench_await(&p->r, TP_LASER_DATA_SCANPOSE);

    (void)state;
    while (data->scan.intensity_count == 0) {
        data = bench_await(&p->r, TP_LASER_DATA_SCANPOSE);
    }
    play_assert_pose(&data->pose, 4, 5, 6);
    play_assert_near((double)data->scan.min_angle, -1);
    play_assert_near((double)data->scan.max_range, 9);
    assert_int_equal(data->scan.intensity[0], 0);
    assert_int_equal(data->scan.intensity[1], 255);
    while (data->scan.intensity_count > 0) {
        data = bench_await(&p->r, TP_LASER_DATA_SCANPOSE);
    }
    play_assert_pose(&data->pose, 4, 5, 6);
    assert_int_equal(data->scan.ranges_count, 2);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_and_intensities_become_one_scan),
        cmocka_unit_test(a_ranger_without_settings_still_scans),
        cmocka_unit_test(geometry_is_the_rangers),
        cmocka_unit_test(settings_are_changed_in_one_go),
        cmocka_unit_test(power_is_switched_and_the_rest_refused),
        cmocka_unit_test(a_stamp_becomes_a_pose),
    };

    return cmocka_run_group_tests_name("rangertolaser_test", tests, NULL, NULL);
}
