/*
 * passed_on_test.c - how old data is that drivers pass on, and what follows from it.
 *
 * Data of a puppet goes through one driver or two to a switch, which commands another puppet. The
 * clock is the test's, and so is the time at which the data has come to this program.
 */
#include "conformance/puppet.h"
#include "loop/inside.h"
#include "troupe/interfaces/dio.h"

/* ---- Drivers that pass data on --------------------------------------------------------------- */

struct pass {
    tp_device *device;
    tp_link *link;
};

static const tp_dio_ops no_ops = {0};

static tp_status pass_init(tp_instance *self, tp_error *err)
{
    struct pass *p = tp_instance_state(self);
    const tp_status status = tp_require(self, &tp_interface_dio, NULL, &p->link, err);

    return status == TP_OK ? tp_offer(self, &tp_interface_dio, NULL, &no_ops, NULL, &p->device, err)
                           : status;
}

static void pass_data(tp_instance *self, tp_link *link, const tp_msg *msg)
{
    const struct pass *p = tp_instance_state(self);

    (void)link;
    tp_publish(p->device, TP_DIO_DATA_VALUES, tp_msg_payload(msg), 0);
}

static const tp_driver_ops pass_ops = {.init = pass_init, .data = pass_data};
static const tp_driver pass_threaded = {
    .abi = TP_DRIVER_ABI, .name = "pass", .state_size = sizeof(struct pass), .ops = &pass_ops};
static const tp_driver pass_on_loop = {.abi = TP_DRIVER_ABI,
                                       .name = "pass",
                                       .state_size = sizeof(struct pass),
                                       .ops = &pass_ops,
                                       .flags = TP_DRIVER_ON_LOOP};

/* ---- A switch -------------------------------------------------------------------------------- */

struct toggle {
    tp_device *device;
    tp_link *inputs;
    tp_link *outputs;
};

static atomic_int commanded; /* the last time; TP_PENDING while that is awaited */

static tp_status toggle_init(tp_instance *self, tp_error *err)
{
    struct toggle *t = tp_instance_state(self);
    tp_status status = tp_require(self, &tp_interface_dio, "in", &t->inputs, err);

    status =
        status == TP_OK ? tp_require(self, &tp_interface_dio, "out", &t->outputs, err) : status;
    return status == TP_OK ? tp_offer(self, &tp_interface_dio, NULL, &no_ops, NULL, &t->device, err)
                           : status;
}

static void toggle_data(tp_instance *self, tp_link *link, const tp_msg *msg)
{
    const struct toggle *t = tp_instance_state(self);
    const tp_dio_data *data = tp_msg_payload(msg);
    const tp_dio_cmd command = {.count = data->count, .digout = data->bits};

    if (link == t->inputs) {
        atomic_store(&commanded, tp_link_command(t->outputs, TP_DIO_CMD_VALUES, &command));
    }
}

static const tp_driver_ops toggle_ops = {.init = toggle_init, .data = toggle_data};
static const tp_driver toggle_on_loop = {.abi = TP_DRIVER_ABI,
                                         .name = "toggle",
                                         .state_size = sizeof(struct toggle),
                                         .ops = &toggle_ops,
                                         .flags = TP_DRIVER_ON_LOOP};
static const tp_driver toggle_threaded = {.abi = TP_DRIVER_ABI,
                                          .name = "toggle",
                                          .state_size = sizeof(struct toggle),
                                          .ops = &toggle_ops};

/* ---- Tests ----------------------------------------------------------------------------------- */

static play *begin(const tp_driver *pass, const tp_driver *toggle)
{
    play *p = play_create();

    play_add(p, &puppet_driver, "dio:0 dio:9", NULL, NULL);
    play_add(p, pass, "dio:1", "dio:0", NULL);
    play_add(p, pass, "dio:2", "dio:1", NULL);
    play_add(p, toggle, "dio:3", "in@dio:2 out@dio:9", NULL);
    play_open(p);
    return p;
}

static tp_status await_command(play *p)
{
    while (atomic_load(&commanded) == TP_PENDING) {
        tp_loop_turn(p->b.loop, false);
    }
    return (tp_status)atomic_load(&commanded);
}

/* The command that the switch received after it had handled data that came so long ago. */
static tp_status toggle(play *p, double age_s)
{
    const tp_dio_data data = {.count = 3, .bits = 5};
    const int64_t now_ns = tp_clock_now_ns(&p->b.clock);

    atomic_store(&commanded, TP_PENDING);
    bench_move_clock(&p->b, 10);
    tpi_loop_set_arrival(p->b.loop, now_ns + (int64_t)((10 - age_s) * (double)TP_NS_PER_S));
    assert_int_equal(tp_publish(puppet_at(&p->b, "dio:0")->device, TP_DIO_DATA_VALUES, &data, 0),
                     TP_OK);
    tpi_loop_set_arrival(p->b.loop, TP_NEVER);
    return await_command(p);
}

static void check(const tp_driver *pass, const tp_driver *toggle_driver)
{
    play *p = begin(pass, toggle_driver);

    assert_int_equal(toggle(p, 0.5), TP_OK);
    assert_int_equal(toggle(p, 1.5), TP_E_TIMEOUT);
    assert_int_equal(toggle(p, 0), TP_OK);
    play_destroy(p);
}

static void what_drivers_on_the_loop_pass_on_is_as_old(void **state)
{
    (void)state;
    check(&pass_on_loop, &toggle_on_loop);
}

static void what_threads_pass_on_is_as_old(void **state)
{
    (void)state;
    check(&pass_threaded, &toggle_on_loop);
    check(&pass_threaded, &toggle_threaded);
    check(&pass_on_loop, &toggle_threaded);
}

/* It says how things are now. */
static void what_is_repeated_to_a_new_reader_is_new(void **state)
{
    play *p = play_create();
    const tp_dio_data data = {.count = 3, .bits = 5};

    (void)state;
    play_add(p, &puppet_driver, "dio:0 dio:9", NULL, NULL);
    assert_int_equal(tp_device_latch(puppet_at(&p->b, "dio:0")->device, NULL), TP_OK);
    play_add(p, &toggle_on_loop, "dio:3", "in@dio:0 out@dio:9", NULL);
    bench_move_clock(&p->b, 10);
    tpi_loop_set_arrival(p->b.loop, 0);
    puppet_send(&p->b, "dio:0", TP_DIO_DATA_VALUES, &data);
    tpi_loop_set_arrival(p->b.loop, TP_NEVER);
    atomic_store(&commanded, TP_PENDING);
    play_open(p);
    assert_int_equal(await_command(p), TP_OK);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_drivers_on_the_loop_pass_on_is_as_old),
        cmocka_unit_test(what_threads_pass_on_is_as_old),
        cmocka_unit_test(what_is_repeated_to_a_new_reader_is_new),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
