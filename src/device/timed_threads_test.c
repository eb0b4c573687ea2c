/*
 * timed_threads_test.c - two threads post commands to a third one, while panics come and go and
 * leases end. By the real clock and without limits of time: the test ends when enough has happened.
 */
#include <stdlib.h>
#include <string.h>

#include "bus/pool.h"
#include "conformance/bench.h"
#include "device/inside.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

enum { OWNERS = 2, ENOUGH_ENDS = 12, ENOUGH_PLAYS = 300, LEASE_MS = 6 };

/* ---- The motors ------------------------------------------------------------------------------ */

/* Commands say of themselves, in the fields of a velocity: when they are due (x), how many panics
 * there had been (y), and which grant of their owner they are of (a). */
struct motor_state {
    tp_device *device;
    unsigned panics; /* that it was halted for; commands are from after the last one */
    unsigned ended;  /* grants up to this one have lost their lease */
    unsigned playing;
};

static struct {
    struct motor_state motors[OWNERS]; /* where the motors run */
    atomic_int early, from_before_panic, from_before_lease, out_of_place;
    int64_t begun_ns;
    const tpi_hub *hub;
} all;

static unsigned panics_so_far(void)
{
    return (tpi_panic_epoch(tpi_panic_of(all.hub)) + 1) / 2;
}

static tp_status drive(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    struct motor_state *motor = tp_device_context(device);
    const int64_t now_ns = tp_clock_now_ns(tp_clock_real()) - all.begun_ns;

    (void)err;
    motor->playing = (unsigned)ask->vel.pa;
    atomic_fetch_add(&all.early, now_ns < (int64_t)ask->vel.px);
    atomic_fetch_add(&all.from_before_panic, (unsigned)ask->vel.py < motor->panics);
    atomic_fetch_add(&all.from_before_lease, motor->playing <= motor->ended);
    return TP_OK;
}

static void halt(tp_device *device, tp_halt how)
{
    struct motor_state *motor = tp_device_context(device);

    (void)how;
    switch (tp_instance_halt_reason(tp_device_instance(device))) {
    case TP_HALT_PANIC:
        motor->panics = panics_so_far();
        break;
    case TP_HALT_SILENT:
        motor->ended = motor->playing;
        break;
    default:
        break;
    }
}

static const tp_position2d_ops ops = {.cmd_vel = drive};

static tp_status motors_init(tp_instance *self, tp_error *err)
{
    tp_status status = TP_OK;

    for (unsigned i = 0; i < OWNERS && status == TP_OK; i++) {
        struct motor_state *motor = &all.motors[i];
        status = tp_offer_at(self, i, &ops, NULL, &motor->device, err);
        if (status == TP_OK) {
            tp_device_set_context(motor->device, motor);
        }
    }
    return status;
}

static const tp_driver_ops motors_ops = {.init = motors_init, .halt = halt};
static const tp_driver motors = {.abi = TP_DRIVER_ABI, .name = "motors", .ops = &motors_ops};

/* ---- Owners ---------------------------------------------------------------------------------- */

struct owner {
    tp_link *link;
    tp_grant *grant;
    bool asked;
    unsigned grants; /* that it has had */
    unsigned silent; /* polls without a word */
    uint32_t random;
};

/* Of both owners. */
static struct {
    atomic_int plays, panics, leases, others;
} ends;

static uint32_t draw(struct owner *owner, uint32_t below)
{
    owner->random = owner->random * 1664525 + 1013904223;
    return (owner->random >> 8) % below;
}

static void decided(tp_instance *self, void *context, tp_status status, tp_grant *grant,
                    const char *why)
{
    struct owner *owner = context;

    (void)self;
    (void)status; /* in a panic it is asked for again */
    (void)why;
    owner->asked = false;
    owner->grant = grant;
    owner->grants += grant != NULL;
    owner->silent = 0;
}

static void ended(tp_instance *self, void *context, tp_grant *grant, tp_status status,
                  const char *why)
{
    struct owner *owner = context;
    tp_grant_counts counts;

    (void)self;
    (void)why;
    tp_grant_look(grant, &counts);
    atomic_fetch_add(&all.out_of_place, counts.waiting != 0);
    atomic_fetch_add(&ends.plays, (int)counts.played);
    atomic_fetch_add(status == TP_E_PANIC     ? &ends.panics
                     : status == TP_E_TIMEOUT ? &ends.leases
                                              : &ends.others,
                     1);
    tp_grant_end(grant);
    owner->grant = NULL;
}

static void post_some(struct owner *owner)
{
    for (uint32_t i = draw(owner, 8); i > 0; i--) {
        const int64_t now_ns = tp_clock_now_ns(tp_clock_real());
        const int64_t due_ns = now_ns + draw(owner, 2000000);
        const tp_position2d_cmd_vel vel = {.vel = {.px = (double)(due_ns - all.begun_ns),
                                                   .py = panics_so_far(),
                                                   .pa = owner->grants},
                                           .state = 1};
        (void)tp_grant_post(owner->grant, due_ns, TP_POSITION2D_CMD_VEL, &vel); /* or it is full */
    }
}

static void use(struct owner *owner)
{
    post_some(owner);
    switch (draw(owner, 16)) {
    case 0:
        tp_grant_cancel(owner->grant, tp_clock_now_ns(tp_clock_real()) + TP_NS_PER_MS);
        break;
    case 1:
        tp_grant_flush(owner->grant);
        break;
    case 2:
        tp_grant_hold(owner->grant);
        break;
    case 3:
        owner->silent = 2 * LEASE_MS;
        break;
    default:
        tp_grant_resume(owner->grant);
        break;
    }
    if (owner->silent > 0) {
        owner->silent--;
    } else {
        (void)tp_grant_renew(owner->grant);
    }
}

static tp_status owner_poll(tp_instance *self, tp_error *err)
{
    struct owner *owner = tp_instance_state(self);
    const tp_grant_options plan = {.capacity = 16,
                                   .lease_ns = LEASE_MS * TP_NS_PER_MS,
                                   .done = decided,
                                   .ended = ended,
                                   .context = owner};

    (void)err;
    if (owner->grant != NULL) {
        use(owner);
    } else if (!owner->asked && tp_link_grant(owner->link, &plan) == TP_OK) {
        owner->asked = true;
    }
    return TP_OK;
}

static tp_status owner_init(tp_instance *self, tp_error *err)
{
    struct owner *owner = tp_instance_state(self);

    owner->random = (uint32_t)tp_requires_count(self) + (uint32_t)(uintptr_t)owner;
    tp_instance_stay_on(self);
    tp_instance_set_period(self, TP_NS_PER_MS);
    return tp_require(self, &tp_interface_position2d, NULL, &owner->link, err);
}

static const tp_driver_ops owner_ops = {.init = owner_init, .poll = owner_poll};
static const tp_driver owner_driver = {
    .abi = TP_DRIVER_ABI, .name = "owner", .ops = &owner_ops, .state_size = sizeof(struct owner)};

/* ---- The test -------------------------------------------------------------------------------- */

struct scene {
    tp_loop *loop;
    tp_catalogue *catalogue;
    tpi_hub *hub;
    bench_plan *plans[OWNERS + 1];
    atomic_bool enough;
};

static void add(struct scene *s, unsigned i, const bench_section *section)
{
    tp_error err = {0};

    s->plans[i] = bench_plan_create(s->catalogue, section, 0);
    if (tpi_hub_add(s->hub, bench_plan_blueprint(s->plans[i]), NULL, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
}

static void begin(struct scene *s)
{
    memset(s, 0, sizeof *s);
    memset(&all, 0, sizeof all);
    memset(&ends, 0, sizeof ends);
    all.begun_ns = tp_clock_now_ns(tp_clock_real());
    assert_int_equal(tp_loop_create(&s->loop, tp_clock_real(), NULL), TP_OK);
    assert_int_equal(tp_catalogue_create(&s->catalogue, NULL), TP_OK);
    assert_int_equal(tpi_hub_create(&s->hub, s->loop, s->catalogue, NULL), TP_OK);
    all.hub = s->hub;
    add(s, 0, &(bench_section){.driver = &motors, .provides = "position2d:0 position2d:1"});
    add(s, 1, &(bench_section){.driver = &owner_driver, .requires = "position2d:0"});
    add(s, 2, &(bench_section){.driver = &owner_driver, .requires = "position2d:1"});
    tpi_hub_begin(s->hub, NULL, NULL);
}

static void end(struct scene *s)
{
    tpi_hub_destroy(s->hub);
    tp_loop_destroy(s->loop);
    tp_catalogue_destroy(s->catalogue);
    tpi_pool_leave();
    for (unsigned i = 0; i <= OWNERS; i++) {
        bench_plan_destroy(s->plans[i]);
    }
}

static void rest_ms(int64_t ms)
{
    tpi_wait(NULL, 0, tp_clock_now_ns(tp_clock_real()) + ms * TP_NS_PER_MS);
}

/* Some panics are over before anybody has looked. */
static void panic_often(void *context)
{
    struct scene *s = context;
    tpi_panic *panic = tpi_panic_of(s->hub);

    for (unsigned i = 0; !atomic_load(&s->enough); i++) {
        rest_ms(4 + 12 * (i % 2));
        tpi_panic_raise(panic, "test", "because");
        rest_ms(i % 3);
        tpi_panic_reset(panic, tpi_panic_epoch(panic));
    }
}

static void nothing_is_early_or_from_before_a_panic(void **state)
{
    struct scene s;
    tpi_thread *thread = NULL;

    (void)state;
    begin(&s);
    assert_int_equal(tpi_thread_start(&thread, "panics", panic_often, &s, NULL), TP_OK);
    while (atomic_load(&ends.panics) < ENOUGH_ENDS || atomic_load(&ends.leases) < ENOUGH_ENDS ||
           atomic_load(&ends.plays) < ENOUGH_PLAYS) {
        tp_loop_turn(s.loop, true);
    }
    atomic_store(&s.enough, true);
    tpi_thread_join(thread);
    end(&s);
    assert_int_equal(atomic_load(&all.early), 0);
    assert_int_equal(atomic_load(&all.from_before_panic), 0);
    assert_int_equal(atomic_load(&all.from_before_lease), 0);
    assert_int_equal(atomic_load(&all.out_of_place), 0);
    assert_int_equal(atomic_load(&ends.others), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_early_or_from_before_a_panic),
    };

    return cmocka_run_group_tests_name("src/device/timed_threads", tests, NULL, NULL);
}
