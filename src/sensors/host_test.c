/* host_test.c - the host side of the sensor protocol against emulated sensors, on good and on bad
 * lines. Time is simulated. */
#include "sensors/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

#include "base/file.h"
#include "sensors/emulated.h"

struct bench {
    tpi_emulated *sensor;
    tpi_sensor_host *host;
    int64_t now_ns;
    char sent[256]; /* the last question */
    uint64_t samples, lost, next, time_us;
    bool is_cut; /* nothing passes */
};

static void on_write(void *context, const char *bytes, size_t length)
{
    struct bench *b = context;

    snprintf(b->sent, sizeof b->sent, "%.*s", (int)length, bytes);
    if (b->sensor != NULL && !b->is_cut) {
        tpi_emulated_input(b->sensor, bytes, length);
    }
}

static void on_samples(void *context, const tpi_sensor_samples *samples)
{
    struct bench *b = context;

    assert_true(samples->time_us >= b->time_us);
    b->time_us = samples->time_us;
    b->samples += samples->count;
    b->next = samples->first + samples->count;
}

static void on_lost(void *context, unsigned channel, uint64_t first, uint64_t count)
{
    struct bench *b = context;

    (void)channel;
    assert_int_equal(first, b->next);
    b->next = first + count;
    b->lost += count;
}

static void make(struct bench *b, const char *name, const tpi_emulated_options *emulated,
                 const tpi_sensor_host_options *options)
{
    const tpi_sensor_host_hooks hooks = {
        .write = on_write, .samples = on_samples, .lost = on_lost, .context = b};
    tpi_buf text = {0};
    char path[512];

    memset(b, 0, sizeof *b);
    b->now_ns = 1000000000;
    b->host = tpi_sensor_host_create(&hooks, options);
    assert_non_null(b->host);
    if (name != NULL) {
        snprintf(path, sizeof path, "%s/sensors/%s.xml", TEST_ROOT, name);
        assert_int_equal(tpi_file_read(&text, path, TPI_MOST_MANIFEST, NULL), TP_OK);
        assert_int_equal(
            tpi_emulated_create(&b->sensor, tpi_buf_text(&text), text.length, path, emulated, NULL),
            TP_OK);
    }
    tpi_buf_fini(&text);
}

static void drop(struct bench *b)
{
    tpi_sensor_host_destroy(b->host);
    tpi_emulated_destroy(b->sensor);
}

/* Let a millisecond pass. */
static void step(struct bench *b)
{
    char bytes[256];
    size_t length;

    b->now_ns += 1000000;
    tpi_emulated_advance(b->sensor, (uint64_t)b->now_ns / 1000);
    length = b->is_cut ? 0 : tpi_emulated_output(b->sensor, bytes, 64);
    tpi_sensor_host_input(b->host, bytes, length, b->now_ns);
    if (b->now_ns >= tpi_sensor_host_due_ns(b->host)) {
        tpi_sensor_host_tick(b->host, b->now_ns);
    }
}

static tpi_sensor_host_state finish(struct bench *b)
{
    while (tpi_sensor_host_state_of(b->host) == TPI_HOST_BUSY) {
        step(b);
    }
    return tpi_sensor_host_state_of(b->host);
}

static void says(struct bench *b, const char *command, const char *answer)
{
    tpi_sensor_host_ask(b->host, command, b->now_ns);
    if (finish(b) != TPI_HOST_DONE) {
        fail_msg("%s: state %d after %u repeats", command, (int)tpi_sensor_host_state_of(b->host),
                 tpi_sensor_host_repeats(b->host));
    }
    assert_string_equal(tpi_sensor_host_text(b->host), answer);
}

/* The whole manifest, and every kind of command. */
static void talk(struct bench *b)
{
    tpi_manifest *manifest = NULL;
    tp_error err = {0};

    tpi_sensor_host_manifest(b->host, b->now_ns);
    assert_int_equal(finish(b), TPI_HOST_DONE);
    if (tpi_manifest_read(&manifest, tpi_sensor_host_text(b->host),
                          tpi_sensor_host_text_length(b->host), "x.xml", NULL, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    assert_string_equal(manifest->uuid, "Troupe.Simulated.1");
    assert_int_equal(manifest->transducer_count, 5);
    tpi_manifest_destroy(manifest);
    assert_int_equal(tpi_emulated_set_wave(b->sensor, "1=550", NULL), TP_OK);
    says(b, "R", "R,50");
    says(b, "R,1", "R,1,50");
    says(b, "S,C,2", "S,C,2");
    says(b, "G,C", "G,C,2");
    says(b, "R,1", "R,1,550");
    says(b, "S,M,2,33", "S,M,2,33");
    says(b, "G,M,2", "G,M,33");
    says(b, "W,5,50", "W,5,50");
    says(b, "R,5", "R,5,50");
    says(b, "T,1", "T,1");
}

static void talks_on_a_good_line(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "simulated", NULL, NULL);
    talk(&b);
    assert_int_equal(tpi_sensor_host_repeats(b.host), 0);
    assert_int_equal(tpi_sensor_host_damaged(b.host), 0);
    drop(&b);
}

static void talks_on_a_bad_line(void **state)
{
    const tpi_sensor_host_options options = {.tries = 400, .try_ns = 100000000, .verify = true};

    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const tpi_emulated_options bad = {.seed = seed, .lose = 0.01, .garble = 0.01};
        struct bench b;
        make(&b, "simulated", &bad, &options);
        talk(&b);
        assert_true(tpi_sensor_host_repeats(b.host) > 0);
        drop(&b);
    }
}

static void knows_a_refusal(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "nxt_light", NULL, NULL);
    tpi_sensor_host_ask(b.host, "R,7", b.now_ns);
    assert_int_equal(finish(&b), TPI_HOST_REFUSED);
    assert_string_equal(tpi_sensor_host_text(b.host), "!!!,R,7*49");
    drop(&b);
}

static void gives_up_on_a_silent_line(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "nxt_light", NULL, NULL);
    b.is_cut = true;
    const int64_t began_ns = b.now_ns;
    tpi_sensor_host_ask(b.host, "R", b.now_ns);
    assert_int_equal(finish(&b), TPI_HOST_SILENT);
    assert_int_equal(b.now_ns - began_ns, 900000000); /* three tries of 300 ms */
    assert_int_equal(tpi_sensor_host_repeats(b.host), 2);
    drop(&b);
}

/* Bytes of an old sensor, without check sums and line feeds. */
static void feed(struct bench *b, const char *text)
{
    tpi_sensor_host_input(b->host, text, strlen(text), b->now_ns);
}

static void takes_answers_without_a_line_feed(void **state)
{
    struct bench b;

    (void)state;
    make(&b, NULL, NULL, NULL);
    tpi_sensor_host_ask(b.host, "R", b.now_ns);
    assert_string_equal(b.sent, "<R*52>");
    feed(&b, "!!!,R*52"); /* it does not know check sums */
    b.now_ns += 20000000;
    tpi_sensor_host_tick(b.host, b.now_ns);
    assert_string_equal(b.sent, "<R>");
    feed(&b, "R,5");
    b.now_ns += 19000000;
    tpi_sensor_host_tick(b.host, b.now_ns);
    assert_int_equal(tpi_sensor_host_state_of(b.host), TPI_HOST_BUSY);
    feed(&b, "7");
    b.now_ns += 20000000;
    tpi_sensor_host_tick(b.host, b.now_ns);
    assert_int_equal(tpi_sensor_host_state_of(b.host), TPI_HOST_DONE);
    assert_string_equal(tpi_sensor_host_text(b.host), "R,57");
    drop(&b);
}

static void verifies_by_asking_twice(void **state)
{
    const tpi_sensor_host_options options = {.verify = true, .plain = true, .tries = 5};
    struct bench b;

    (void)state;
    make(&b, NULL, NULL, &options);
    tpi_sensor_host_ask(b.host, "R", b.now_ns);
    feed(&b, "R,57\n");
    assert_int_equal(tpi_sensor_host_state_of(b.host), TPI_HOST_BUSY);
    feed(&b, "R,17\n");
    assert_int_equal(tpi_sensor_host_state_of(b.host), TPI_HOST_BUSY);
    feed(&b, "R,57\n");
    assert_int_equal(tpi_sensor_host_state_of(b.host), TPI_HOST_BUSY);
    feed(&b, "R,57\n");
    assert_int_equal(tpi_sensor_host_state_of(b.host), TPI_HOST_DONE);
    drop(&b);
}

static void gathers_every_sample(void **state)
{
    struct bench b;

    (void)state;
    make(&b, "simulated", NULL, NULL);
    says(&b, "L,2,E:n=1000,X:n=10,K:t=1000", "L,2,ok");
    says(&b, "L,go", "L,go");
    for (int i = 0; i < 500; i++) {
        step(&b);
    }
    tpi_sensor_host_ask(b.host, "R,1", b.now_ns); /* an answer among the data */
    assert_int_equal(finish(&b), TPI_HOST_DONE);
    for (int i = 0; i < 1000; i++) {
        step(&b);
    }
    assert_int_equal(b.samples, 1000);
    assert_int_equal(b.lost, 0);
    drop(&b);
}

static void refuses_lines_that_are_no_data(void **state)
{
    static const char *const bad[] = {"L,1,0,2,5,1\n",    "L,1,0,1,5,1;2\n", "L,1,0,99,5,1\n",
                                      "L,1,0,1,5,x\n",    "L,1,0,1,5\n",     "L,1,lost,1\n",
                                      "L,1,lost,1,2,3\n", "L,100,0,1,5,1\n", "L,1,-1,1,5,1\n",
                                      "L,1,0,1,5,1*00\n"};
    const tpi_sensor_host_options plain = {.plain = true};
    struct bench b;

    (void)state;
    make(&b, NULL, NULL, &plain);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        feed(&b, bad[i]);
    }
    assert_int_equal(b.samples, 0);
    assert_int_equal(b.lost, 0);
    feed(&b, "L,1,0,2,5,1;2.5\n");
    assert_int_equal(b.samples, 2);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(talks_on_a_good_line),
        cmocka_unit_test(talks_on_a_bad_line),
        cmocka_unit_test(knows_a_refusal),
        cmocka_unit_test(gives_up_on_a_silent_line),
        cmocka_unit_test(takes_answers_without_a_line_feed),
        cmocka_unit_test(verifies_by_asking_twice),
        cmocka_unit_test(gathers_every_sample),
        cmocka_unit_test(refuses_lines_that_are_no_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
