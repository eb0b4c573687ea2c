/* timetable.c - see timetable.h. */
#include "conformance/timetable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/inside.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

static timetable *current; /* of the test that runs */

/* ---- The motor ------------------------------------------------------------------------------- */

static int to_ms(const timetable *t, int64_t ns)
{
    return (int)((ns - t->begun_ns) / TP_NS_PER_MS);
}

static void hang(timetable *t)
{
    while (atomic_load(&t->shut)) {
        atomic_store(&t->stuck, true);
        tpi_wait(NULL, 0, tp_clock_now_ns(tp_clock_real()) + TP_NS_PER_MS);
    }
}

static tp_status note(tp_device *device, double speed_mps, tp_error *err)
{
    timetable *t = current;
    const int speed = (int)(speed_mps * 1000);
    const size_t length = strlen(t->log);
    const bool fatal = speed != 0 && speed == atomic_load(&t->fatal);

    if (fatal) {
        tp_instance_fail(tp_device_instance(device), TP_E_IO, "the motor burns");
    }
    hang(t);
    if (fatal) {
        return TP_OK;
    }
    if (speed != 0 && speed == atomic_load(&t->refused)) {
        return tp_fail(err, TP_E_RANGE, "too fast");
    }
    (void)snprintf(t->log + length, sizeof t->log - length, "%d:%g ",
                   to_ms(t, tp_clock_now_ns(&t->b.clock)), speed_mps);
    if (speed != 0 && speed == atomic_load(&t->kept)) {
        t->ticket = tp_device_defer(device);
        return TP_PENDING;
    }
    return TP_OK;
}

/* ---- Owners ---------------------------------------------------------------------------------- */

static timetable_owner *owner_of(const tp_instance *self)
{
    return *(timetable_owner *const *)tp_instance_state(self);
}

static tp_status owner_init(tp_instance *self, tp_error *err)
{
    timetable_owner **place = tp_instance_state(self);

    *place = &current->owners[current->owner_count++];
    (*place)->instance = self;
    tp_instance_stay_on(self);
    return tp_require(self, &tp_interface_position2d, NULL, &(*place)->link, err);
}

/* Its grants have ended with it. */
static void owner_stop(tp_instance *self)
{
    owner_of(self)->grant = NULL;
}

static const tp_driver_ops owner_ops = {.init = owner_init, .stop = owner_stop};
const tp_driver owner_threaded = {.abi = TP_DRIVER_ABI,
                                  .name = "owner",
                                  .ops = &owner_ops,
                                  .state_size = sizeof(timetable_owner *)};
const tp_driver owner_on_loop = {.abi = TP_DRIVER_ABI,
                                 .name = "owner",
                                 .ops = &owner_ops,
                                 .state_size = sizeof(timetable_owner *),
                                 .flags = TP_DRIVER_ON_LOOP};

struct action {
    job job;
    tpi_task task;
    timetable_owner *owner;
    timetable_action *run;
    void *argument;
    bool done;
};

static void acted(tpi_task *task)
{
    ((struct action *)((char *)task - offsetof(struct action, task)))->done = true;
}

static void act(job *next, tp_instance *self)
{
    struct action *action = (struct action *)next;

    action->run(action->owner, action->argument);
    tpi_loop_post(self->hub->loop, &action->task);
}

void timetable_do(timetable *t, unsigned who, timetable_action *run, void *argument)
{
    struct action action = {{.run = act}, {.run = acted}, &t->owners[who], run, argument, false};

    tpi_instance_submit(t->owners[who].instance, &action.job);
    while (!action.done) {
        tp_loop_turn(t->b.loop, true);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static const tpi_rank ranks[] = {
    {.client = "joystick", .rank = 1, .hold_ns = TP_NS_PER_S},
    {.driver = "owner1", .rank = -1, .hold_ns = TP_NS_PER_S},
};

static tp_instance *add(timetable *t, unsigned i, const bench_section *section, int64_t lease_ns)
{
    tp_instance *instance = NULL;

    t->plans[i] = bench_plan_create(t->b.catalogue, section, 0);
    tpi_blueprint blueprint = *bench_plan_blueprint(t->plans[i]);
    blueprint.ranks = ranks;
    blueprint.rank_count = sizeof ranks / sizeof ranks[0];
    blueprint.lease_ns = lease_ns;
    assert_int_equal(tpi_hub_add(t->b.hub, &blueprint, &instance, &t->b.err), TP_OK);
    return instance;
}

void timetable_add_owner(timetable *t, const tp_driver *driver)
{
    const bench_section section = {.driver = driver, .requires = "position2d:0"};
    const unsigned i = t->owner_count;

    add(t, i + 1, &section, 0);
    tpi_hub_begin(t->b.hub, NULL, NULL);
    while (t->owners[i].instance->life.phase != RUNNING) {
        tp_loop_turn(t->b.loop, true);
    }
}

void timetable_begin_with(timetable *t, const timetable_cast *cast, int64_t lease_ns)
{
    memset(t, 0, sizeof *t);
    memset(&motor, 0, sizeof motor);
    current = t;
    bench_init(&t->b);
    t->visit.b = &t->b;
    t->begun_ns = tp_clock_now_ns(&t->b.clock);
    motor.consider = note;
    t->target =
        add(t, 0, &(bench_section){.driver = cast->target, .provides = "position2d:0"}, lease_ns);
    t->device = bench_find(&t->b, "position2d:0");
    timetable_add_owner(t, cast->owner);
}

void timetable_begin(timetable *t, const timetable_cast *cast)
{
    timetable_begin_with(t, cast, 0);
}

void timetable_end(timetable *t)
{
    tp_session_destroy(t->sessions[0]);
    tp_session_destroy(t->sessions[1]);
    bench_fini(&t->b);
    for (unsigned i = 0; i <= TIMETABLE_OWNERS; i++) {
        bench_plan_destroy(t->plans[i]);
    }
}

static void count(void *context)
{
    (*(int *)context)++;
}

void timetable_remove(timetable *t, tp_instance *instance)
{
    int removed = 0;

    tpi_hub_remove(instance, count, &removed);
    while (removed == 0) {
        tp_loop_turn(t->b.loop, true);
    }
}

tp_session *timetable_client(timetable *t, unsigned i)
{
    static const char *const names[] = {"joystick", "other"};

    if (t->sessions[i] == NULL) {
        t->sessions[i] = visit_begin(&t->visit, "10.0.0.7:5123");
        tp_session_set_software(t->sessions[i], names[i]);
        assert_int_equal(visit_open(&t->visit, t->sessions[i], t->device, TP_ALL_MODE), TP_OK);
    }
    return t->sessions[i];
}

/* ---- Grants ---------------------------------------------------------------------------------- */

static void decided(tp_instance *self, void *context, tp_status status, tp_grant *grant,
                    const char *why)
{
    timetable_owner *owner = context;

    (void)self;
    owner->grant = grant;
    (void)snprintf(owner->why, sizeof owner->why, "%s", why);
    atomic_store(&owner->decision, status);
}

static void ended(tp_instance *self, void *context, tp_grant *grant, tp_status status,
                  const char *why)
{
    timetable_owner *owner = context;

    (void)self;
    status = grant == owner->grant ? status : TP_E_INVALID;
    (void)snprintf(owner->why, sizeof owner->why, "%s", why);
    atomic_store(&owner->end, status);
}

struct wish {
    tp_grant_options plan;
    int64_t due_ns;
    double speed;
    tp_status status;
    uint32_t count;
    tp_grant_counts counts;
};

static void ask(timetable_owner *owner, void *argument)
{
    struct wish *wish = argument;

    wish->plan.context = owner;
    atomic_store(&owner->decision, TP_PENDING);
    atomic_store(&owner->end, TP_OK);
    wish->status = tp_link_grant(owner->link, &wish->plan);
}

tp_status timetable_ask_only(timetable *t, unsigned who, uint32_t capacity, int lease_ms)
{
    struct wish wish = {.plan = {.capacity = capacity,
                                 .lease_ns = lease_ms * TP_NS_PER_MS,
                                 .done = decided,
                                 .ended = ended}};

    timetable_do(t, who, ask, &wish);
    return wish.status;
}

void timetable_await_decision(timetable *t, unsigned who)
{
    while (atomic_load(&t->owners[who].decision) == TP_PENDING) {
        tp_loop_turn(t->b.loop, false);
    }
}

tp_status timetable_ask(timetable *t, unsigned who, uint32_t capacity, int lease_ms)
{
    assert_int_equal(timetable_ask_only(t, who, capacity, lease_ms), TP_OK);
    timetable_await_decision(t, who);
    return (tp_status)atomic_load(&t->owners[who].decision);
}

tp_status timetable_await_end(timetable *t, unsigned who)
{
    while (atomic_load(&t->owners[who].end) == TP_OK) {
        tp_loop_turn(t->b.loop, false);
    }
    return (tp_status)atomic_load(&t->owners[who].end);
}

static void post(timetable_owner *owner, void *argument)
{
    struct wish *wish = argument;
    const tp_position2d_cmd_vel vel = {.vel = {.px = wish->speed}, .state = 1};

    wish->status = tp_grant_post(owner->grant, wish->due_ns, TP_POSITION2D_CMD_VEL, &vel);
}

static int64_t to_ns(const timetable *t, int ms)
{
    return t->begun_ns + ms * TP_NS_PER_MS;
}

tp_status timetable_post(timetable *t, unsigned who, int due_ms, double speed)
{
    struct wish wish = {.due_ns = to_ns(t, due_ms), .speed = speed};

    timetable_do(t, who, post, &wish);
    return wish.status;
}

void timetable_must_post(timetable *t, unsigned who, int due_ms, double speed)
{
    assert_int_equal(timetable_post(t, who, due_ms, speed), TP_OK);
}

static void cancel(timetable_owner *owner, void *argument)
{
    struct wish *wish = argument;

    wish->count = tp_grant_cancel(owner->grant, wish->due_ns);
}

uint32_t timetable_cancel(timetable *t, unsigned who, int from_ms)
{
    struct wish wish = {.due_ns = to_ns(t, from_ms)};

    timetable_do(t, who, cancel, &wish);
    return wish.count;
}

static void look(timetable_owner *owner, void *argument)
{
    tp_grant_look(owner->grant, &((struct wish *)argument)->counts);
}

tp_grant_counts timetable_look(timetable *t, unsigned who)
{
    struct wish wish = {0};

    timetable_do(t, who, look, &wish);
    return wish.counts;
}

static void renew(timetable_owner *owner, void *argument)
{
    ((struct wish *)argument)->status = tp_grant_renew(owner->grant);
}

tp_status timetable_renew(timetable *t, unsigned who)
{
    struct wish wish = {0};

    timetable_do(t, who, renew, &wish);
    return wish.status;
}

static void finish(timetable_owner *owner, void *argument)
{
    (void)argument;
    tp_grant_end(owner->grant);
    owner->grant = NULL;
}

void timetable_finish(timetable *t, unsigned who)
{
    timetable_do(t, who, finish, NULL);
}

/* ---- Time ------------------------------------------------------------------------------------ */

void timetable_settle(timetable *t)
{
    tp_msg *answer = NULL;

    for (unsigned i = 0; i < 4; i++) { /* from the player to the loop to the owner and back */
        tp_loop_turn(t->b.loop, false);
    }
    assert_int_equal(bench_request(&t->b, t->device, TP_POSITION2D_REQ_GET_GEOM, NULL, &answer),
                     TP_OK);
    tp_msg_unref(answer);
}

void timetable_at(timetable *t, int ms)
{
    atomic_store(&t->b.now_ns, to_ns(t, ms));
    timetable_settle(t);
}

void timetable_assert_log(timetable *t, const char *expected)
{
    timetable_settle(t);
    assert_string_equal(t->log, expected);
    t->log[0] = '\0';
}

void timetable_begin_moving(timetable *t, const timetable_cast *cast, int lease_ms)
{
    timetable_begin(t, cast);
    assert_int_equal(timetable_ask(t, 0, 8, lease_ms), TP_OK);
    timetable_must_post(t, 0, 10, 1);
    timetable_must_post(t, 0, 500, 2);
    timetable_at(t, 10);
    timetable_assert_log(t, "10:1 ");
    assert_int_equal(atomic_load(&motor.speed), 1000);
}

void timetable_assert_over(timetable *t, tp_status status, const char *why)
{
    assert_int_equal(timetable_await_end(t, 0), status);
    assert_string_equal(t->owners[0].why, why);
    assert_int_equal(timetable_post(t, 0, 600, 3), TP_E_CLOSED);
    assert_int_not_equal(timetable_renew(t, 0), TP_OK);
    timetable_settle(t);
    t->log[0] = '\0';
    timetable_at(t, 5000);
    timetable_assert_log(t, "");
    const tp_grant_counts counts = timetable_look(t, 0);
    assert_int_equal(counts.waiting, 0);
    assert_int_equal(counts.played, 1);
    assert_int_equal(counts.dropped_end + counts.dropped_panic, 1);
}
