/* host_damage_test.c - a session on a line that damages chosen bytes: whatever byte it is, the host
 * sees and the sensor does the same as on a good line. Time is simulated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "sensors/emulated.h"
#include "sensors/host.h"

enum { NOWHERE = -1, MOST_DAMAGES = 2 };

/* The bytes of one direction are numbered; some are lost, or have a bit turned. */
struct damage {
    long at[MOST_DAMAGES]; /* NOWHERE for none */
    char turns;            /* the bits that are turned; 0: the byte is lost */
    long passed;
};

struct bench {
    tpi_emulated *sensor;
    tpi_sensor_host *host;
    int64_t now_ns;
    struct damage out, in;
    uint64_t samples, next;
    double value;
    tpi_buf outcome;
};

static size_t pass(struct damage *d, const char *bytes, size_t length, char *out)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++, d->passed++) {
        const bool is_hit = d->passed == d->at[0] || d->passed == d->at[1];
        if (!is_hit || d->turns != 0) {
            out[count++] = (char)(is_hit ? bytes[i] ^ d->turns : bytes[i]);
        }
    }
    return count;
}

static void on_write(void *context, const char *bytes, size_t length)
{
    struct bench *b = context;
    char passed[256];

    tpi_emulated_input(b->sensor, passed, pass(&b->out, bytes, length, passed));
}

/* What does not come is known by its numbers: here, it counts as if it had come. */
static void on_samples(void *context, const tpi_sensor_samples *samples)
{
    struct bench *b = context;

    for (unsigned i = 0; i < samples->count; i++) {
        b->value = b->next == 0 && i == 0 ? samples->values[i] : b->value;
        assert_true(samples->values[i] == b->value); /* the wave is a constant */
    }
    b->samples +=
        samples->first + samples->count > b->next ? samples->first + samples->count - b->next : 0;
    b->next = samples->first + samples->count;
}

static void step(struct bench *b)
{
    char bytes[64], passed[64];

    b->now_ns += 1000000;
    tpi_emulated_advance(b->sensor, (uint64_t)b->now_ns / 1000);
    const size_t length = tpi_emulated_output(b->sensor, bytes, sizeof bytes);
    tpi_sensor_host_input(b->host, passed, pass(&b->in, bytes, length, passed), b->now_ns);
    if (b->now_ns >= tpi_sensor_host_due_ns(b->host)) {
        tpi_sensor_host_tick(b->host, b->now_ns);
    }
}

static void wait_ms(struct bench *b, unsigned ms)
{
    for (unsigned i = 0; i < ms; i++) {
        step(b);
    }
}

static void finish(struct bench *b, const char *question)
{
    while (tpi_sensor_host_state_of(b->host) == TPI_HOST_BUSY) {
        step(b);
    }
    const char *text = tpi_sensor_host_text(b->host);
    tpi_buf_printf(&b->outcome, "%s: %d %.*s\n", question, (int)tpi_sensor_host_state_of(b->host),
                   (int)strcspn(text, "*"), text); /* a refusal repeats what was sent */
}

static void ask(struct bench *b, const char *command)
{
    tpi_sensor_host_ask(b->host, command, b->now_ns);
    finish(b, command);
}

static void make(struct bench *b, bool is_plain)
{
    const tpi_sensor_host_hooks hooks = {.write = on_write, .samples = on_samples, .context = b};
    const tpi_sensor_host_options options = {
        .tries = 20, .try_ns = 100000000, .verify = true, .plain = is_plain};
    static tpi_buf text; /* read once: there are thousands of sessions */

    memset(b, 0, sizeof *b);
    b->now_ns = 1000000000;
    b->out.at[0] = b->out.at[1] = b->in.at[0] = b->in.at[1] = NOWHERE;
    b->host = tpi_sensor_host_create(&hooks, &options);
    if (text.length == 0) {
        assert_int_equal(
            tpi_file_read(&text, TEST_ROOT "/sensors/simulated.xml", TPI_MOST_MANIFEST, NULL),
            TP_OK);
    }
    assert_int_equal(tpi_emulated_create(&b->sensor, tpi_buf_text(&text), text.length,
                                         "simulated.xml", NULL, NULL),
                     TP_OK);
    assert_int_equal(tpi_emulated_set_wave(b->sensor, "2=42", NULL), TP_OK);
    assert_int_equal(tpi_emulated_set_wave(b->sensor, "1=550", NULL), TP_OK);
}

static void drop(struct bench *b)
{
    tpi_sensor_host_destroy(b->host);
    tpi_emulated_destroy(b->sensor);
    tpi_buf_fini(&b->outcome);
}

static void note_writes(struct bench *b)
{
    unsigned times = 0;
    const int raw = (int)tpi_emulated_written(b->sensor, 5, &times);

    tpi_buf_printf(&b->outcome, "channel 5: %d after %u writes\n", raw, times);
}

/* What can be made wrong: a number that loses digits, a data set that is appended twice, a run that
 * is started twice, a set-up of before that is not forgotten. */
static void run_session(struct bench *b)
{
    ask(b, "G,C"); /* shows what the sensor knows of check sums */
    ask(b, "L,5,E:n=2,K:t=10000,D:90;95");
    tpi_sensor_host_clear(b->host);
    ask(b, "S,C,2,1");
    ask(b, "S,M,2,33");
    ask(b, "L,2,S:now,E:n=1100,X:done,K:t=1000");
    tpi_sensor_host_clear(b->host);
    ask(b, "L,2,S:trig,E:n=20,X:done,K:t=10000");
    ask(b, "L,go");
    note_writes(b);
    ask(b, "T,2");
    wait_ms(b, 300);
    ask(b, "L,2,state");
    assert_true(b->samples <= 20);
    if (b->in.at[0] == NOWHERE) { /* else a line of data may be damaged, which nothing repeats */
        assert_int_equal(b->samples, 20);
    }
    tpi_sensor_host_clear(b->host);
    ask(b, "L,5,E:n=6,K:t=1000,D:10;20");
    ask(b, "L,5,D+:30;40");
    ask(b, "L,5,D+:50;60");
    ask(b, "L,go");
    wait_ms(b, 20);
    note_writes(b);
    ask(b, "L,stop");
    ask(b, "W,5,7");
    ask(b, "R,5");
    ask(b, "R,1");
    ask(b, "G,M,2");
    ask(b, "R,9");
    ask(b, "L,2,E:n=20,K:t=10");
}

static const char good[] = "G,C: 2 G,C,1\n"
                           "L,5,E:n=2,K:t=10000,D:90;95: 2 L,5,ok\n"
                           "S,C,2,1: 2 S,C,2,1\n"
                           "S,M,2,33: 2 S,M,2,33\n"
                           "L,2,S:now,E:n=1100,X:done,K:t=1000: 2 L,2,ok\n"
                           "L,2,S:trig,E:n=20,X:done,K:t=10000: 2 L,2,ok\n"
                           "L,go: 2 L,go\n"
                           "channel 5: 0 after 0 writes\n"
                           "T,2: 2 T,2\n"
                           "L,2,state: 2 L,2,state,ended,20\n"
                           "L,5,E:n=6,K:t=1000,D:10;20: 2 L,5,ok\n"
                           "L,5,D+:30;40: 2 L,5,ok\n"
                           "L,5,D+:50;60: 2 L,5,ok\n"
                           "L,go: 2 L,go\n"
                           "channel 5: 227 after 6 writes\n"
                           "L,stop: 2 L,stop\n"
                           "W,5,7: 2 W,5,7\n"
                           "R,5: 2 R,5,7\n"
                           "R,1: 2 R,1,550\n"
                           "G,M,2: 2 G,M,33\n"
                           "R,9: 3 !!!,R,9\n"
                           "L,2,E:n=20,K:t=10: 3 L,2,bad,K,1000\n";

static void a_good_line_is_as_expected(void **state)
{
    struct bench b;

    (void)state;
    make(&b, false);
    run_session(&b);
    assert_string_equal(tpi_buf_text(&b.outcome), good);
    assert_int_equal(tpi_sensor_host_repeats(b.host), 2); /* the two refusals */
    drop(&b);
}

static void check(const struct damage *out, const struct damage *in, bool is_plain)
{
    struct bench b;

    make(&b, is_plain);
    b.out = *out;
    b.in = *in;
    run_session(&b);
    if (strcmp(tpi_buf_text(&b.outcome), good) != 0) {
        print_error("out %ld %ld, in %ld %ld, turns %d\n%s", out->at[0], out->at[1], in->at[0],
                    in->at[1], out->turns | in->turns, tpi_buf_text(&b.outcome));
    }
    assert_string_equal(tpi_buf_text(&b.outcome), good);
    drop(&b);
}

static void measure(bool is_plain, long *out, long *in)
{
    struct bench b;

    make(&b, is_plain);
    run_session(&b);
    *out = b.out.passed;
    *in = b.in.passed;
    drop(&b);
}

static const struct damage none = {.at = {NOWHERE, NOWHERE}};

static void each_byte_of_each_command_can_be_lost_or_garbled(void **state)
{
    long out, in;

    (void)state;
    measure(false, &out, &in);
    for (long at = 0; at < out; at++) {
        for (int turns = 0; turns <= 64; turns = turns == 0 ? 1 : turns * 4) {
            const struct damage damage = {.at = {at, NOWHERE}, .turns = (char)turns};
            check(&damage, &none, false);
        }
    }
}

static void each_byte_of_each_answer_can_be_lost_or_garbled(void **state)
{
    long out, in;

    (void)state;
    measure(false, &out, &in);
    for (long at = 0; at < in; at++) {
        for (int turns = 0; turns <= 1; turns++) {
            const struct damage damage = {.at = {at, NOWHERE}, .turns = (char)turns};
            check(&none, &damage, false);
        }
    }
}

/* Two equal bytes that are lost, and two equal bits that are turned, have the same exclusive or. */
static void two_bytes_near_each_other_can_be_lost_or_garbled(void **state)
{
    long out, in;

    (void)state;
    measure(false, &out, &in);
    for (long at = 0; at < out; at++) {
        for (long next = at + 1; next <= at + 2; next++) {
            const struct damage lost = {.at = {at, next}}, turned = {.at = {at, next}, .turns = 1};
            check(&lost, &none, false);
            check(&turned, &none, false);
        }
    }
}

/* A sensor without check sums: what is asked twice is the same twice. */
static void a_refusal_of_a_plain_sensor_is_asked_for_twice(void **state)
{
    const char command[] = "L,2,E:n=20,K:t=10000";

    (void)state;
    for (long at = 0; at < (long)sizeof command + 1; at++) {
        struct bench b;
        make(&b, true);
        b.out.at[0] = at;
        ask(&b, command);
        assert_string_equal(tpi_buf_text(&b.outcome), "L,2,E:n=20,K:t=10000: 2 L,2,ok\n");
        drop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_line_is_as_expected),
        cmocka_unit_test(each_byte_of_each_command_can_be_lost_or_garbled),
        cmocka_unit_test(each_byte_of_each_answer_can_be_lost_or_garbled),
        cmocka_unit_test(two_bytes_near_each_other_can_be_lost_or_garbled),
        cmocka_unit_test(a_refusal_of_a_plain_sensor_is_asked_for_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
