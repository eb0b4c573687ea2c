/*
 * sensor_test.c - the driver on emulated sensors, whose lines and clocks are slow or bad.
 *
 * The clock is the test's: nothing waits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "sensors/host/line.h"
#include "troupe/interfaces/experiment.h"

extern const tp_driver tp_driver_sensor;

enum { SEEDS = 6 };

/* ---- A line to a sensor with a clock of its own ---------------------------------------------- */

/* How lines are that are opened from now on. */
static struct {
    int64_t slower;        /* a second of the sensor takes so many */
    int64_t byte_ns;       /* how long a byte takes to the host */
    int64_t late_ns;       /* how long an answer takes to begin */
    int64_t stall_ns;      /* how long the line stands still after each thousand bytes */
    const char *unknown;   /* a word of commands that the sensor does not know; NULL for none */
    atomic_llong *time_ns; /* of the test */
} way;

struct slow {
    tpi_line line;
    tpi_line *inner; /* owned */
    tp_clock clock;  /* of the sensor */
    int64_t began_ns, next_ns;
    unsigned count; /* of bytes to the host */
};

static struct slow *of(tpi_line *line)
{
    return (struct slow *)line;
}

static int64_t slow_now(const tp_clock *clock)
{
    const struct slow *l = clock->context;

    return l->began_ns + (atomic_load(way.time_ns) - l->began_ns) / way.slower;
}

static tp_status slow_read(tpi_line *line, void *bytes, size_t size, size_t *length, tp_error *err)
{
    struct slow *l = of(line);
    const int64_t now_ns = atomic_load(way.time_ns);

    *length = 0;
    if (now_ns < l->next_ns) {
        return TP_OK;
    }
    const bool is_slow = way.byte_ns > 0 || way.stall_ns > 0;
    const tp_status status = l->inner->ops->read(l->inner, bytes, is_slow ? 1 : size, length, err);
    if (is_slow && *length > 0) {
        l->next_ns = now_ns + way.byte_ns + (++l->count % 1000 == 0 ? way.stall_ns : 0);
    }
    return status;
}

/* A sensor that does not know a word gets another one of the same length: with the same letters in
 * another order, the check sum is right. */
static tp_status slow_write(tpi_line *line, const void *bytes, size_t size, size_t *length,
                            tp_error *err)
{
    struct slow *l = of(line);
    char copy[512];

    assert_true(size < sizeof copy);
    if (l->inner->ops->due_ns(l->inner) != INT64_MIN) { /* nothing is on its way back */
        l->next_ns = atomic_load(way.time_ns) + way.late_ns;
    }
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    char *word = way.unknown != NULL ? strstr(copy, way.unknown) : NULL;
    if (word != NULL) {
        const char first = word[0];
        word[0] = word[1];
        word[1] = first;
    }
    return l->inner->ops->write(l->inner, copy, size, length, err);
}

static int64_t slow_due(const tpi_line *line)
{
    const struct slow *l = (const struct slow *)line;
    const int64_t due_ns = l->inner->ops->due_ns(l->inner);

    if (due_ns == TP_NEVER) {
        return due_ns;
    }
    const int64_t at_ns =
        due_ns == INT64_MIN ? due_ns : l->began_ns + (due_ns - l->began_ns) * way.slower;
    return at_ns > l->next_ns ? at_ns : l->next_ns;
}

/* The driver waits for its line, before the device is open: time passes for all. */
static void slow_skip(tpi_line *line, int64_t until_ns)
{
    (void)line;
    if (until_ns > atomic_load(way.time_ns)) {
        atomic_store(way.time_ns, until_ns);
    }
}

static void slow_close(tpi_line *line)
{
    of(line)->inner->ops->close(of(line)->inner);
    free(line);
}

static tp_status slow_open(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    static const tpi_line_ops ops = {.read = slow_read,
                                     .write = slow_write,
                                     .due_ns = slow_due,
                                     .skip_to = slow_skip,
                                     .close = slow_close};
    tpi_line_options inner = *plan;
    struct slow *l = calloc(1, sizeof *l);

    assert_non_null(l);
    l->line = (tpi_line){.ops = &ops, .url = plan->url, .fd = -1};
    l->clock = (tp_clock){.now_ns = slow_now, .context = l};
    l->began_ns = tp_clock_now_ns(plan->clock);
    l->next_ns = INT64_MIN;
    inner.clock = &l->clock;
    const tp_status status = tpi_scheme_sensor.open(&l->inner, &inner, err);
    if (status != TP_OK) {
        free(l);
        return status;
    }
    *out = &l->line;
    return TP_OK;
}

static const tp_scheme slow_scheme = {.name = "slow", .open = slow_open};

/* ---- Experiments ----------------------------------------------------------------------------- */

static play *begin(const char *sensor, const char *more)
{
    static const tp_scheme *const schemes[] = {&slow_scheme, NULL};
    char settings[256];
    play *p = play_create();

    way.time_ns = &p->b.now_ns;
    tpi_hub_set_lines(p->b.hub, schemes, "");
    snprintf(settings, sizeof settings, "port=slow:" TEST_ROOT "/sensors/%s %s", sensor, more);
    play_add(p, &tp_driver_sensor, "experiment:0", NULL, settings);
    play_open(p);
    return p;
}

static int set_up(void **state)
{
    (void)state;
    way.slower = 1;
    way.byte_ns = way.late_ns = way.stall_ns = 0;
    way.unknown = NULL;
    return 0;
}

struct ending {
    bool done;
    tp_status status;
    char why[256];
};

static void ended(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct ending *ending = context;

    (void)answer;
    ending->done = true;
    ending->status = status;
    snprintf(ending->why, sizeof ending->why, "%s", status == TP_OK ? "" : err->text);
}

/* A request whose answer takes time. */
static void ask(play *p, unsigned code, const void *value)
{
    const tp_message *what =
        tp_catalogue_message(p->b.catalogue, TP_EXPERIMENT_CODE, TP_KIND_REQUEST, code);
    const tp_msghdr header = {.addr = *tp_device_addr(p->device),
                              .type = (uint8_t)what->kind,
                              .subtype = what->code,
                              .seq = 1000};
    struct ending ending = {0};
    tp_msg *msg = NULL;
    tpi_call *call = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, what->ask, value), TP_OK);
    assert_int_equal(tpi_device_call(p->device, what, msg, ended, &ending, &call), TP_OK);
    while (!ending.done) {
        play_pass(p, 0.005);
    }
    tp_msg_unref(msg);
    assert_string_equal(ending.why, "");
}

static const tp_experiment_state *state_of(play *p)
{
    return play_get(p, TP_EXPERIMENT_REQ_GET_STATE, NULL);
}

/* Run an experiment to its end, at most so many seconds. */
static const tp_experiment_state *run(play *p, const char *text, double most_s)
{
    const tp_experiment_text setup = {.name_count = 2,
                                      .name = play_chars("a"),
                                      .text_count = (uint32_t)strlen(text) + 1,
                                      .text = play_chars(text)};
    double passed_s = 0;

    ask(p, TP_EXPERIMENT_REQ_SETUP, &setup);
    ask(p, TP_EXPERIMENT_REQ_LAUNCH, NULL);
    while (state_of(p)->phase == TP_EXPERIMENT_RUNNING) {
        play_pass(p, 0.005);
        passed_s += 0.005;
        if (passed_s > most_s) {
            fail_msg("%s: it has not ended after %g s", text, passed_s);
        }
    }
    assert_string_equal(state_of(p)->why, "");
    return state_of(p);
}

static void the_clock_of_the_sensor_decides_when_a_channel_ends(void **state)
{
    (void)state;
    way.slower = 50;
    play *p = begin("heater.xml", "");
    const tp_experiment_state *told = run(p, "ch2 every=20ms end=3 send=1", 10);
    assert_int_equal(told->samples, 3);
    assert_int_equal(told->lost, 0);
    play_assert_between(told->time, 2, 3.2);
    told = run(p, "ch1 every=20ms values=10,90,20 end=3", 10);
    play_assert_between(told->time, 2, 3.2);
    told = run(p, "ch1 every=20ms values=10,90,20 end=3\nch2 every=10ms end=1", 10);
    assert_int_equal(told->samples, 1);
    play_assert_between(told->time, 2, 3.2);
    play_destroy(p);
}

static void a_sensor_that_cannot_be_asked_ends_by_the_clock_of_this_computer(void **state)
{
    (void)state;
    way.slower = 50;
    way.unknown = "state";
    play *p = begin("heater.xml", "");
    const tp_experiment_state *told = run(p, "ch2 every=20ms end=3 send=1", 10);
    assert_int_equal(told->samples + told->lost, 3);
    assert_true(told->lost > 0);
    play_assert_between(told->time, 1.06, 1.2);
    play_destroy(p);
}

/* Answers are late and bytes are lost and damaged; the clock of the sensor is right or slow. */
static void run_on_a_bad_line(int seed)
{
    static const char *const texts[] = {
        "ch1 conversion=1 every=10ms start=now end=20 send=5",
        "ch1 every=10ms start=100ms end=200ms send=100ms",
        "ch2 every=50ms end=4 send=1\nch3 every=ch2 event=1:0:while end=ch2",
        "ch2 every=20ms end=10\nch4 values=10,90 every=20ms then=repeat end=9",
        "ch1 every=10ms end=20 send=read"};
    static const unsigned samples[] = {20, 20, 0, 10, 20}; /* 0: not known before */
    char sensor[64];

    snprintf(sensor, sizeof sensor, "uno_station.xml?lose=1&garble=1&seed=%d", seed);
    way.slower = seed % 3 == 0 ? 10 : 1;
    way.late_ns = (seed % 5) * 70 * TP_NS_PER_MS;
    way.byte_ns = (seed % 7) * TP_NS_PER_MS / 2;
    play *p = begin(sensor, "verify=yes");
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const tp_experiment_state *told = run(p, texts[i], 60);
        assert_true(samples[i] == 0 || told->samples + told->lost == samples[i]);
    }
    play_destroy(p);
}

static void every_run_ends_on_a_bad_line(void **state)
{
    (void)state;
    for (int seed = 1; seed <= SEEDS; seed++) {
        run_on_a_bad_line(seed);
    }
}

static void a_long_manifest_on_a_slow_line_is_awaited(void **state)
{
    (void)state;
    way.byte_ns = 10 * TP_NS_PER_MS; /* 1000 baud: 36 s */
    play_destroy(begin("heater.xml", ""));
}

/* The manifest of the thesis says 10 s; that of the heater 1 s. */
static void a_sensor_may_take_as_long_as_its_manifest_says(void **state)
{
    (void)state;
    way.late_ns = 3 * TP_NS_PER_S / 2;
    play *p = begin("nxt_light.xml", "");
    const tp_experiment_state *told = run(p, "ch1 every=10ms end=5", 60);
    assert_int_equal(told->samples, 5);
    play_destroy(p);
    p = begin("heater.xml", "");
    const tp_failure *failure = play_await(p, TP_COMMON_DATA_ERROR);
    assert_non_null(strstr(failure->text, "it does not answer"));
    play_destroy(p);
}

/* Each time for longer than the sensor may be silent: the chunks that were there are kept. */
static void a_manifest_comes_on_a_line_that_often_stands_still(void **state)
{
    (void)state;
    way.byte_ns = TP_NS_PER_MS / 10;
    way.stall_ns = TP_NS_PER_S;
    play_destroy(begin("heater.xml", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_clock_of_the_sensor_decides_when_a_channel_ends, set_up),
        cmocka_unit_test_setup(a_sensor_that_cannot_be_asked_ends_by_the_clock_of_this_computer,
                               set_up),
        cmocka_unit_test_setup(every_run_ends_on_a_bad_line, set_up),
        cmocka_unit_test_setup(a_long_manifest_on_a_slow_line_is_awaited, set_up),
        cmocka_unit_test_setup(a_sensor_may_take_as_long_as_its_manifest_says, set_up),
        cmocka_unit_test_setup(a_manifest_comes_on_a_line_that_often_stands_still, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
