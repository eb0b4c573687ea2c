/* odometry_test.c - very many vehicles, each with a localizer of its own. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conformance/play.h"
#include "troupe/front.h"
#include "troupe/interfaces/localize.h"
#include "troupe/interfaces/position2d.h"

static tp_status nothing(tp_device *device, const tp_message *what, const void *ask, void *answer,
                         tp_error *err)
{
    (void)device;
    (void)ask;
    (void)answer;
    return tp_fail(err, TP_E_UNSUPPORTED, "no %s", what->name);
}

static tp_status crowd_init(tp_instance *self, tp_error *err)
{
    tp_device *device = NULL;
    tp_status status = TP_OK;

    for (size_t i = 0; i < tp_provides_count(self) && status == TP_OK; i++) {
        status = tp_offer(self, tp_provides_interface(self, i), NULL, NULL, nothing, &device, err);
    }
    return status;
}

static const tp_driver_ops crowd_ops = {.init = crowd_init};
static const tp_driver crowd = {
    .abi = TP_DRIVER_ABI, .name = "crowd", .ops = &crowd_ops, .flags = TP_DRIVER_ON_LOOP};

struct robots {
    play *p;
    tpi_wanted *provides; /* owned */
    uint32_t count;
};

static void begin(struct robots *r, uint32_t count)
{
    *r = (struct robots){play_create(), calloc(2 * (size_t)count, sizeof(tpi_wanted)), count};
    assert_non_null(r->provides);
    for (uint32_t i = 0; i < 2 * count; i++) {
        const tp_interface *interface =
            i % 2 == 0 ? &tp_interface_localize : &tp_interface_position2d;
        r->provides[i] = (tpi_wanted){.key = "",
                                      .interface = interface,
                                      .addr = {.robot = BENCH_ROBOT,
                                               .interf = (uint16_t)interface->code,
                                               .index = (uint16_t)(i / 2)}};
    }
    const tpi_blueprint blueprint = {.driver = &crowd,
                                     .robot = BENCH_ROBOT,
                                     .provides = r->provides,
                                     .provide_count = 2 * count};
    if (tpi_hub_add(r->p->b.hub, &blueprint, NULL, &r->p->b.err) != TP_OK) {
        fail_msg("%s", r->p->b.err.text);
    }
}

static void end(struct robots *r)
{
    play_destroy(r->p);
    free(r->provides);
}

/* A robot whose odometry is i ahead is believed to be 10 to the left of that. */
static void believe(struct robots *r, uint32_t i)
{
    tp_localize_hypoth hypoth = {.mean = {i, 10, 0}, .alpha = 1};
    const tp_localize_data data = {.hypoths_count = 1, .hypoths = &hypoth};
    tp_device *device = tpi_hub_find(r->p->b.hub, BENCH_ROBOT, TP_LOCALIZE_CODE, i);

    assert_int_equal(tp_publish(device, TP_LOCALIZE_DATA_HYPOTHS, &data, 1), TP_OK);
}

static void drive(struct robots *r, uint32_t i)
{
    const tp_position2d_data data = {.pos = {.px = i}};
    tp_device *device = tpi_hub_find(r->p->b.hub, BENCH_ROBOT, TP_POSITION2D_CODE, i);

    assert_int_equal(tp_publish(device, TP_POSITION2D_DATA_STATE, &data, 1), TP_OK);
}

static void assert_found(const struct robots *r, uint32_t i)
{
    tp_pose3d pose;
    double time_s;
    char odometry[16] = "odom";

    if (i > 0) {
        snprintf(odometry, sizeof odometry, "odom%u", i);
    }
    if (tp_hub_transform(r->p->b.hub, BENCH_ROBOT, odometry, "map", &pose, &time_s, &r->p->b.err) !=
        TP_OK) {
        fail_msg("%s", r->p->b.err.text);
    }
    play_assert_near(pose.px, 0);
    play_assert_near(pose.py, 10);
}

static void each_finds_its_own_whoever_speaks_first(void **state)
{
    static const uint32_t counts[] = {3, 300}; /* without a table, and with one */

    (void)state;
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        struct robots r;
        begin(&r, counts[k]);
        for (uint32_t i = 0; i < r.count; i++) {
            if (i % 2 == 0) {
                drive(&r, i);
                believe(&r, i);
            } else {
                believe(&r, i);
                drive(&r, i);
            }
        }
        for (uint32_t i = 0; i < r.count; i++) {
            assert_found(&r, i);
        }
        end(&r);
    }
}

static void a_frame_that_changes_is_found_by_its_new_name(void **state)
{
    const tp_geometry other = {.known = TP_GEOMETRY_UNKNOWN,
                               .frame_count = sizeof "base5",
                               .frame = play_chars("base5"),
                               .parent_count = sizeof "odom7",
                               .parent = play_chars("odom7")};
    struct robots r;

    (void)state;
    begin(&r, 300);
    believe(&r, 5);
    believe(&r, 7);
    assert_int_equal(tp_publish(tpi_hub_find(r.p->b.hub, BENCH_ROBOT, TP_POSITION2D_CODE, 5),
                                TP_COMMON_DATA_GEOMETRY, &other, 1),
                     TP_OK);
    tp_localize_hypoth hypoth = {.mean = {5, 10, 0}, .alpha = 1};
    const tp_localize_data data = {.hypoths_count = 1, .hypoths = &hypoth};
    drive(&r, 5);
    assert_int_equal(tp_publish(tpi_hub_find(r.p->b.hub, BENCH_ROBOT, TP_LOCALIZE_CODE, 7),
                                TP_LOCALIZE_DATA_HYPOTHS, &data, 2),
                     TP_OK);
    assert_found(&r, 7);
    end(&r);
}

/* How long it takes until so many robots are where they are. */
static double settle(uint32_t count)
{
    struct robots r;

    begin(&r, count);
    const clock_t begun = clock();
    for (uint32_t i = 0; i < count; i++) {
        believe(&r, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        drive(&r, i);
    }
    const clock_t taken = clock() - begun;
    assert_found(&r, count - 1);
    end(&r);
    return (double)taken;
}

/* The loop waits meanwhile: sixteen times as many may not take 256 times as long. */
static void very_many_settle_without_looking_at_each_other(void **state)
{
    (void)state;
    (void)settle(500);
    const double few = settle(500);
    const double many = settle(8000);
    if (many > 64 * few) {
        fail_msg("16 times as many robots take %.0f times as long", many / few);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_finds_its_own_whoever_speaks_first),
        cmocka_unit_test(a_frame_that_changes_is_found_by_its_new_name),
        cmocka_unit_test(very_many_settle_without_looking_at_each_other),
    };

    return cmocka_run_group_tests_name("src/device/odometry", tests, NULL, NULL);
}
