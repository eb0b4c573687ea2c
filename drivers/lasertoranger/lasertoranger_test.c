/* lasertoranger_test.c - scans, settings and geometry of a laser, as a ranger has them. */
#include "conformance/play.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/ranger.h"

extern const tp_driver tp_driver_dummy;
extern const tp_driver tp_driver_fake;
extern const tp_driver tp_driver_lasertoranger;

static const double degree = 0.017453292519943295;

static play *begin(const tp_driver *laser, const char *laser_settings, const char *settings)
{
    play *p = play_create();

    play_add(p, laser, "laser:0", NULL, laser_settings);
    play_add(p, &tp_driver_lasertoranger, "ranger:0", "laser:0", settings);
    play_open(p);
    return p;
}

static void scans_become_ranges_and_intensities(void **state)
{
    play *p = begin(&tp_driver_dummy, "rate=1000", NULL);
    const tp_ranger_data_range *ranges = bench_await(&p->r, TP_RANGER_DATA_RANGE);

    (void)state;
    assert_int_equal(ranges->ranges_count, 361);
    play_assert_near(ranges->ranges[360], 8);
    const tp_ranger_data_intns *intensities = bench_await(&p->r, TP_RANGER_DATA_INTNS);
    assert_int_equal(intensities->intensities_count, 361);
    play_assert_near(intensities->intensities[0], 1);
    play_destroy(p);
}

static void geometry_is_the_lasers(void **state)
{
    play *p = begin(&tp_driver_fake, "rate=1000 position=1,2,3 orientation=0.1,0.2,0.3", NULL);
    const tp_ranger_geom *geom = play_get(p, TP_RANGER_REQ_GET_GEOM, NULL);

    (void)state;
    play_assert_near(geom->pose.pz, 3);
    play_assert_near(geom->pose.pyaw, 0.3);
    play_assert_near(geom->size.sw, 0.16);
    assert_int_equal(geom->element_poses_count, 1);
    play_assert_near(geom->element_poses[0].px, 0);
    play_assert_near(geom->element_sizes[0].sw, 0.16);
    play_destroy(p);
}

static void a_buggy_geometry_is_made_flat(void **state)
{
    play *p =
        begin(&tp_driver_fake, "rate=1000 position=1,2,3 orientation=0.1,0.2,0.3", "buggy_geom=1");
    const tp_ranger_geom *geom = play_get(p, TP_RANGER_REQ_GET_GEOM, NULL);

    (void)state;
    play_assert_near(geom->pose.px, 1);
    play_assert_near(geom->pose.pz, 0);
    play_assert_near(geom->pose.proll, 0);
    play_assert_near(geom->pose.pyaw, 0.3);
    play_destroy(p);
}

static void settings_are_the_lasers(void **state)
{
    play *p = begin(&tp_driver_fake, "rate=1000", NULL);
    const tp_ranger_config *config = play_get(p, TP_RANGER_REQ_GET_CONFIG, NULL);

    (void)state;
    play_assert_near(config->min_angle, -90 * degree);
    play_assert_near(config->angular_res, 0.5 * degree);
    play_assert_near(config->max_range, 8);
    play_assert_near(config->frequency, 1000);
    tp_ranger_config half = *config;
    half.min_angle = 0;
    half.max_range = 4;
    config = play_get(p, TP_RANGER_REQ_SET_CONFIG, &half);
    play_assert_near(config->min_angle, 0);
    play_assert_near(config->max_range, 4);
    const tp_ranger_data_range *ranges = play_after(p, 0, TP_RANGER_DATA_RANGE);
    assert_int_equal(ranges->ranges_count, 181);
    play_destroy(p);
}

/* Player's dummy refuses to be asked; its scans say enough. */
static void a_laser_that_does_not_answer_is_known_by_its_scans(void **state)
{
    play *p = begin(&tp_driver_dummy, "rate=1000", NULL);

    (void)state;
    bench_await(&p->r, TP_RANGER_DATA_RANGE);
    const tp_ranger_config *config = play_get(p, TP_RANGER_REQ_GET_CONFIG, NULL);
    play_assert_near(config->max_angle, 90 * degree);
    play_assert_near(config->max_range, 8);
    play_assert_request_refused(p, TP_RANGER_REQ_GET_GEOM, NULL,
                                "GET_GEOM: this driver refuses every request");
    play_destroy(p);
}

static void settings_can_be_forced(void **state)
{
    play *p = begin(&tp_driver_fake, "rate=1000", "force_config=-0.2,0.4,0.01,5,0.5");
    const tp_ranger_config *config = play_get(p, TP_RANGER_REQ_GET_CONFIG, NULL);

    (void)state;
    play_assert_near(config->min_angle, -0.2);
    play_assert_near(config->max_angle, 0.4);
    play_assert_near(config->angular_res, 0.01);
    play_assert_near(config->max_range, 5);
    play_assert_near(config->range_res, 0.5);
    play_destroy(p);
    play_assert_not_added(&tp_driver_lasertoranger, "ranger:0", "laser:0", "force_config=1,2",
                          "lasertoranger0: force_config has 2 values in place of 5");
}

static void intensities_and_power_are_switched(void **state)
{
    play *p = begin(&tp_driver_fake, "rate=1000", NULL);
    const tp_ranger_intns_config without = {.state = 0};
    const tp_ranger_power_config off = {.state = 0};

    (void)state;
    play_request(p, TP_RANGER_REQ_INTNS, &without);
    play_after(p, 0, TP_RANGER_DATA_RANGE);
    const uint32_t before = p->r.counts[TP_RANGER_DATA_INTNS];
    bench_await(&p->r, TP_RANGER_DATA_RANGE);
    assert_int_equal(p->r.counts[TP_RANGER_DATA_INTNS], before);
    play_request(p, TP_RANGER_REQ_POWER, &off);
    const uint32_t scans = p->r.counts[TP_RANGER_DATA_RANGE];
    play_get(p, TP_RANGER_REQ_GET_CONFIG, NULL); /* still there, but silent */
    assert_int_equal(p->r.counts[TP_RANGER_DATA_RANGE], scans);
    play_destroy(p);
}

static void it_knows_what_it_can_do(void **state)
{
    play *p = begin(&tp_driver_fake, "rate=1000", NULL);
    const tp_capabilities_req geom = {TP_KIND_REQUEST, TP_RANGER_REQ_GET_GEOM};
    const tp_capabilities_req common = {TP_KIND_REQUEST, TP_COMMON_REQ_GET_PROPERTIES};
    const tp_capabilities_req nothing = {TP_KIND_COMMAND, 1};

    (void)state;
    play_request(p, TP_COMMON_REQ_CAPABILITIES, &geom);
    play_request(p, TP_COMMON_REQ_CAPABILITIES, &common);
    play_assert_request_refused(p, TP_COMMON_REQ_CAPABILITIES, &nothing,
                                "message 1 of kind 2 is not supported");
    play_destroy(p);
}

/* ---- A laser that knows where it is ---------------------------------------------------------- */

static tp_status posed_poll(tp_instance *self, tp_error *err)
{
    tp_device *const *device = tp_instance_state(self);
    float ranges[] = {1, 2};
    const tp_laser_data_scanpose data = {.scan = {.min_angle = -1,
                                                  .max_angle = 1,
                                                  .resolution = 2,
                                                  .max_range = 9,
                                                  .ranges_count = 2,
                                                  .ranges = ranges},
                                         .pose = {4, 5, 6}};

    (void)err;
    tp_publish(*device, TP_LASER_DATA_SCANPOSE, &data, 0);
    return TP_OK;
}

static tp_status posed_init(tp_instance *self, tp_error *err)
{
    static const tp_laser_ops no_ops = {0};

    tp_instance_set_period(self, TP_NS_PER_MS);
    return tp_offer(self, &tp_interface_laser, NULL, &no_ops, NULL, tp_instance_state(self), err);
}

static const tp_driver_ops posed_ops = {.init = posed_init, .poll = posed_poll};
static const tp_driver posed_driver = {
    .abi = TP_DRIVER_ABI, .name = "posed", .state_size = sizeof(tp_device *), .ops = &posed_ops};

static void a_pose_comes_as_a_stamp(void **state)
{
    play *p = begin(&posed_driver, NULL, NULL);
    const tp_ranger_data_rangestamped *data = bench_await(&p->r, TP_RANGER_DATA_RANGESTAMPED);

    (void)state;
    assert_int_equal(data->data.ranges_count, 2);
    play_assert_near(data->data.ranges[1], 2);
    assert_true(data->have_geom && data->have_config);
    play_assert_near(data->geom.pose.px, 4);
    play_assert_near(data->geom.pose.pyaw, 6);
    play_assert_near(data->config.max_range, 9);
    assert_int_equal(p->r.counts[TP_RANGER_DATA_INTNSSTAMPED], 0);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_become_ranges_and_intensities),
        cmocka_unit_test(geometry_is_the_lasers),
        cmocka_unit_test(a_buggy_geometry_is_made_flat),
        cmocka_unit_test(settings_are_the_lasers),
        cmocka_unit_test(a_laser_that_does_not_answer_is_known_by_its_scans),
        cmocka_unit_test(settings_can_be_forced),
        cmocka_unit_test(intensities_and_power_are_switched),
        cmocka_unit_test(it_knows_what_it_can_do),
        cmocka_unit_test(a_pose_comes_as_a_stamp),
    };

    return cmocka_run_group_tests_name("lasertoranger_test", tests, NULL, NULL);
}
