/*
 * port_test.c - ports on scripts, pseudo-terminals and sockets, and how workers wait for them.
 *
 * Ports are used where their instance runs: a step of a test runs there as a job, and the main
 * thread, which alone calls cmocka, looks at what came of it.
 */
#define _GNU_SOURCE /* posix_openpt */
#include "troupe/port.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bus/pool.h"
#include "device/inside.h"
#include "loop/socket_line.h"
#include "platform/hid.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/opaque.h"

/* ---- A driver that repeats what it hears ----------------------------------------------------- */

struct echo {
    tp_device *device;
    tp_port *port;
};

static struct {
    char url[128];
    bool on_loop;
    bool watch;
    bool swallow;    /* the end of the line does not make it fail */
    bool reads_one;  /* of the lines that are there */
    bool asks_again; /* for each line that it has read */
    atomic_int inputs;
    atomic_int polls;
    int64_t patience_ns; /* of start, for a greeting; 0 if it needs none */
} wish;

static const tp_opaque_ops no_ops = {0};

static tp_status echo_init(tp_instance *self, tp_error *err)
{
    struct echo *e = tp_instance_state(self);

    return tp_offer(self, &tp_interface_opaque, NULL, &no_ops, NULL, &e->device, err);
}

static tp_status greet(struct echo *e, tp_instance *self, tp_error *err)
{
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(self));
    char text[64];
    size_t length;
    tp_status status = tp_port_printf(e->port, err, "hello %d\n", 1);

    return status == TP_OK ? tp_port_read_until(e->port, text, sizeof text, '\n', &length,
                                                now_ns + wish.patience_ns, err)
                           : status;
}

static tp_status echo_start(tp_instance *self, tp_error *err)
{
    struct echo *e = tp_instance_state(self);
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(self));
    tp_status status = tp_port_open(&e->port, self, wish.url, NULL, now_ns + TP_NS_PER_S, err);

    if (status == TP_OK && wish.patience_ns > 0) {
        status = greet(e, self, err);
    }
    if (status != TP_OK) {
        tp_port_close(e->port);
        e->port = NULL;
        return status;
    }
    tp_port_watch(e->port, wish.watch);
    return TP_OK;
}

static tp_status echo_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct echo *e = tp_instance_state(self);
    char text[64];
    size_t length;
    tp_status status;

    wish.inputs++;
    do {
        status = tp_port_read_until(port, text, sizeof text, '\n', &length, 0, err);
        const tp_opaque_data data = {.data_count = (uint32_t)length, .data = (uint8_t *)text};
        if (status == TP_OK) {
            tp_publish(e->device, TP_OPAQUE_DATA_STATE, &data, 0);
            status = wish.asks_again ? tp_port_printf(port, err, "next") : TP_OK;
        }
    } while (status == TP_OK && !wish.reads_one);
    return status == TP_E_TIMEOUT || wish.swallow ? TP_OK : status;
}

static tp_status echo_poll(tp_instance *self, tp_error *err)
{
    (void)self;
    (void)err;
    wish.polls++;
    return TP_OK;
}

static void echo_stop(tp_instance *self)
{
    struct echo *e = tp_instance_state(self);

    tp_port_close(e->port);
    e->port = NULL;
}

static const tp_driver_ops echo_ops = {.init = echo_init,
                                       .start = echo_start,
                                       .poll = echo_poll,
                                       .input = echo_input,
                                       .stop = echo_stop};
static const tp_driver echo = {TP_DRIVER_ABI, "echo",    "repeats", sizeof(struct echo),
                               NULL,          &echo_ops, 0};
static const tp_driver echo_on_loop = {
    TP_DRIVER_ABI, "echo", "repeats", sizeof(struct echo), NULL, &echo_ops, TP_DRIVER_ON_LOOP};

/* ---- A bench for it -------------------------------------------------------------------------- */

struct scene {
    tp_clock clock;
    atomic_llong now_ns;
    tp_loop *loop;
    tp_catalogue *catalogue;
    tpi_hub *hub;
    tp_instance *self;
    struct echo *e;
    char folder[32];
    /* A step, and what came of it. */
    job job;
    tpi_task task;
    void (*step)(struct scene *s);
    bool stepped;
    tp_status status;
    tp_error err;
    const char *out; /* to be written */
    size_t size;     /* to be read */
    int64_t wait_ns;
    char text[128];
    size_t length;
    /* A reader. */
    tpi_reader reader;
    tpi_opening opening;
    bool opened;
    int heard;
    char said[256]; /* the first lines */
    char failure[256];
};

static int64_t scene_now(const tp_clock *clock)
{
    return atomic_load(&((struct scene *)clock->context)->now_ns);
}

static double scene_wall(const tp_clock *clock)
{
    return (double)scene_now(clock) / 1e9;
}

static const tpi_wanted opaque0 = {
    "", {.robot = 6665, .interf = TP_OPAQUE_CODE}, &tp_interface_opaque};
static const tp_scheme *const schemes[] = {&tpi_scheme_tcp, &tpi_scheme_unix, NULL};

static struct scene *set_up(const tp_clock *clock, const tp_driver *driver)
{
    struct scene *s = calloc(1, sizeof *s);
    const tpi_blueprint blueprint = {
        .driver = driver, .provides = &opaque0, .provide_count = 1, .restart_ns = TP_NS_PER_S};

    assert_non_null(s);
    s->clock = (tp_clock){.now_ns = scene_now, .wall_s = scene_wall, .context = s};
    atomic_init(&s->now_ns, TP_NS_PER_S);
    snprintf(s->folder, sizeof s->folder, "/tmp/troupe-port-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    s->folder[strlen(s->folder)] = '/';
    assert_int_equal(tp_loop_create(&s->loop, clock == NULL ? &s->clock : clock, &s->err), TP_OK);
    assert_int_equal(tp_catalogue_create(&s->catalogue, &s->err), TP_OK);
    assert_int_equal(tpi_hub_create(&s->hub, s->loop, s->catalogue, &s->err), TP_OK);
    tpi_hub_set_lines(s->hub, schemes, s->folder);
    assert_int_equal(tpi_hub_add(s->hub, &blueprint, &s->self, &s->err), TP_OK);
    s->e = tp_instance_state(s->self);
    return s;
}

static void write_script(struct scene *s, const char *text)
{
    char path[64];

    snprintf(path, sizeof path, "%sx.script", s->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(wish.url, sizeof wish.url, "script:x.script");
}

static struct scene *begin(const char *script)
{
    memset(&wish, 0, sizeof wish);
    wish.watch = true;
    struct scene *s = set_up(NULL, &echo);
    write_script(s, script);
    return s;
}

static struct scene *begin_real(const char *url)
{
    memset(&wish, 0, sizeof wish);
    wish.watch = true;
    snprintf(wish.url, sizeof wish.url, "%s", url);
    return set_up(tp_clock_real(), &echo);
}

static void end(struct scene *s)
{
    char path[64];

    tpi_device_close(&s->reader);
    tpi_hub_destroy(s->hub);
    tp_loop_destroy(s->loop);
    tp_catalogue_destroy(s->catalogue);
    tpi_pool_leave();
    snprintf(path, sizeof path, "%sx.script", s->folder);
    unlink(path);
    snprintf(path, sizeof path, "%sx.socket", s->folder);
    unlink(path);
    assert_int_equal(rmdir(s->folder), 0);
    free(s);
    assert_int_equal(memory_live(), 0);
}

static void stepped(tpi_task *task)
{
    ((struct scene *)((char *)task - offsetof(struct scene, task)))->stepped = true;
}

static void run_step(job *next, tp_instance *self)
{
    struct scene *s = (struct scene *)((char *)next - offsetof(struct scene, job));

    (void)self;
    s->step(s);
    s->task.run = stepped;
    tpi_loop_post(s->loop, &s->task);
}

/* Run the step where the instance runs. */
static void there(struct scene *s, void (*step)(struct scene *s))
{
    s->err.text[0] = '\0'; /* before the job: an opening may write it on this thread */
    s->step = step;
    s->stepped = false;
    s->job.run = run_step;
    tpi_instance_submit(s->self, &s->job);
    while (!s->stepped) {
        tp_loop_turn(s->loop, true);
    }
}

static void works_there(struct scene *s, void (*step)(struct scene *s))
{
    there(s, step);
    assert_string_equal(s->err.text, "");
    assert_int_equal(s->status, TP_OK);
}

static void fails_there(struct scene *s, void (*step)(struct scene *s), tp_status code,
                        const char *why)
{
    there(s, step);
    assert_string_equal(s->err.text, why);
    assert_int_equal(s->status, code);
}

static int64_t deadline(const struct scene *s)
{
    return s->wait_ns == 0 ? 0 : tp_clock_now_ns(tp_instance_clock(s->self)) + s->wait_ns;
}

static void open_port(struct scene *s)
{
    s->status = tp_port_open(&s->e->port, s->self, wish.url, NULL, deadline(s), &s->err);
}

static void write_port(struct scene *s)
{
    s->status = tp_port_write(s->e->port, s->out, strlen(s->out), &s->err);
}

static void read_port(struct scene *s)
{
    s->status =
        tp_port_read(s->e->port, s->text, sizeof s->text - 1, &s->length, deadline(s), &s->err);
    s->text[s->length] = '\0';
}

static void read_all(struct scene *s)
{
    s->status = tp_port_read_all(s->e->port, s->text, s->size, deadline(s), &s->err);
    s->text[s->size] = '\0';
}

static void read_line(struct scene *s)
{
    s->status =
        tp_port_read_until(s->e->port, s->text, s->size, '\n', &s->length, deadline(s), &s->err);
}

static void close_port(struct scene *s)
{
    tp_port_close(s->e->port);
    s->e->port = NULL;
}

static void drain_port(struct scene *s)
{
    tp_port_drain(s->e->port);
}

static void says(struct scene *s, const char *text)
{
    s->out = text;
    works_there(s, write_port);
}

static void hears_line(struct scene *s, size_t size, const char *text)
{
    s->size = size;
    works_there(s, read_line);
    assert_string_equal(s->text, text);
    assert_int_equal(s->length, strlen(text));
}

/* ---- Reading and writing --------------------------------------------------------------------- */

static void lines_blocks_and_pieces_are_read(void **state)
{
    struct scene *s = begin("> a\n< one\\ntwo\\nthr\n> b\n< ee\\n0123456789rest\n");

    (void)state;
    works_there(s, open_port);
    assert_string_equal(tp_port_url(s->e->port), "script:x.script");
    says(s, "a");
    hears_line(s, 64, "one\n");
    hears_line(s, 5, "two\n");
    s->size = 64;
    fails_there(s, read_line, TP_E_TIMEOUT, "script:x.script: no answer in time");
    s->size = 4;
    fails_there(s, read_all, TP_E_TIMEOUT, "script:x.script: no answer in time");
    says(s, "b"); /* what had come was kept */
    hears_line(s, 64, "three\n");
    s->size = 10;
    works_there(s, read_all);
    assert_string_equal(s->text, "0123456789");
    works_there(s, read_port);
    assert_string_equal(s->text, "rest");
    there(s, close_port);
    end(s);
}

static void a_line_that_is_too_long_is_dropped(void **state)
{
    struct scene *s = begin("< 0123456789\\nabc\\n\n");

    (void)state;
    works_there(s, open_port);
    s->size = 8;
    fails_there(s, read_line, TP_E_SPACE, "script:x.script: no end of the line within 7 bytes");
    hears_line(s, 8, "789\n");
    s->size = 4;
    fails_there(s, read_line, TP_E_SPACE, "script:x.script: no end of the line within 3 bytes");
    hears_line(s, 8, "\n");
    end(s); /* closes what was left open */
}

static void a_port_can_be_emptied(void **state)
{
    struct scene *s = begin("< old\n> a\n< new\n");

    (void)state;
    works_there(s, open_port);
    there(s, drain_port);
    says(s, "a");
    works_there(s, read_port);
    assert_string_equal(s->text, "new");
    end(s);
}

static void read_a_lot(struct scene *s)
{
    char *block = malloc(100000);

    s->status = tp_port_read_all(s->e->port, block, 100000, 0, &s->err);
    s->length = block[99999] == 'x' ? 1 : 0;
    free(block);
}

static void a_block_may_be_larger_than_the_room(void **state)
{
    struct scene *s = begin("repeat 10000\n< 0123456789\nend\n< x\n");

    (void)state;
    works_there(s, open_port);
    works_there(s, read_a_lot);
    s->size = 1;
    works_there(s, read_all);
    assert_string_equal(s->text, "x");
    end(s);
}

static void what_a_script_does_not_expect_is_a_failure(void **state)
{
    struct scene *s = begin("> a\\n\n");

    (void)state;
    works_there(s, open_port);
    s->out = "b\n";
    fails_there(s, write_port, TP_E_IO, "script x.script:1: expected \"a\\n\", got \"b\\n\"");
    end(s);
}

static void print_much(struct scene *s)
{
    char text[1100];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    s->status = tp_port_printf(s->e->port, &s->err, "%s", text);
}

static void texts_have_a_limit(void **state)
{
    struct scene *s = begin("silence\n");

    (void)state;
    works_there(s, open_port);
    fails_there(s, print_much, TP_E_SPACE, "script:x.script: a text is longer than 1023 bytes");
    end(s);
}

/* The clock stands still, and nobody waits an hour. */
static void waiting_for_a_script_takes_no_time(void **state)
{
    struct scene *s = begin("> a\n+3000 < b\nsilence\n");

    (void)state;
    works_there(s, open_port);
    says(s, "a");
    s->wait_ns = 3600 * TP_NS_PER_S;
    works_there(s, read_port);
    assert_string_equal(s->text, "b");
    fails_there(s, read_port, TP_E_TIMEOUT, "script:x.script: no answer in time");
    end(s);
}

static void a_wait_for_a_script_ends_at_its_deadline(void **state)
{
    struct scene *s = begin("> a\n+3 < b\n+3 < c\n");

    (void)state;
    works_there(s, open_port);
    says(s, "a");
    s->wait_ns = 2 * TP_NS_PER_S;
    fails_there(s, read_port, TP_E_TIMEOUT, "script:x.script: no answer in time");
    atomic_fetch_add(&s->now_ns, 2 * TP_NS_PER_S); /* the clock catches up */
    works_there(s, read_port);
    assert_string_equal(s->text, "b");
    atomic_fetch_add(&s->now_ns, 2 * TP_NS_PER_S);
    s->wait_ns = 0;
    fails_there(s, read_port, TP_E_TIMEOUT, "script:x.script: no answer in time");
    end(s);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void cannot_open(struct scene *s, const char *url, tp_status code, const char *why)
{
    snprintf(wish.url, sizeof wish.url, "%s", url);
    fails_there(s, open_port, code, why);
}

static void what_cannot_be_opened_is_told_with_its_url(void **state)
{
    struct scene *s = begin("");

    (void)state;
    cannot_open(s, "carrier:pigeon", TP_E_UNKNOWN,
                "open carrier:pigeon: a line here is a path, serial:, script:, tcp:, unix:");
    cannot_open(s, "ttyUSB0", TP_E_UNKNOWN,
                "open ttyUSB0: a line here is a path, serial:, script:, tcp:, unix:");
    cannot_open(s, "/dev/ttyNONE7", TP_E_IO,
                "open /dev/ttyNONE7: no such file or directory (is it plugged in?)");
    cannot_open(s, "serial:/dev/null?bau=1", TP_E_INVALID,
                "open serial:/dev/null?bau=1: there is no setting \"bau\"; did you mean \"baud\"?");
    cannot_open(s, "tcp:localhost", TP_E_INVALID, "open tcp:localhost: the port is missing");
    cannot_open(s, "unix:/nowhere", TP_E_IO, "open unix:/nowhere: no such file or directory");
    tpi_hub_set_lines(s->hub, NULL, NULL);
    cannot_open(s, "tcp:localhost:1", TP_E_UNKNOWN,
                "open tcp:localhost:1: a line here is a path, serial:, script:");
    end(s);
}

static void open_many(struct scene *s)
{
    for (int i = 0; i <= TPI_MOST_PORTS; i++) {
        tp_port *port = NULL;
        s->status = tp_port_open(&port, s->self, wish.url, NULL, 0, &s->err);
    }
}

static void an_instance_has_some_ports_only(void **state)
{
    struct scene *s = begin("");

    (void)state;
    fails_there(s, open_many, TP_E_LIMIT, "open script:x.script: an instance has at most 7 ports");
    end(s);
}

static void a_driver_on_the_loop_has_no_ports(void **state)
{
    (void)state;
    memset(&wish, 0, sizeof wish);
    struct scene *s = set_up(NULL, &echo_on_loop);
    snprintf(wish.url, sizeof wish.url, "script:x.script");
    fails_there(s, open_port, TP_E_UNSUPPORTED,
                "open script:x.script: a driver that runs on the loop has no ports");
    end(s);
}

/* ---- Watching -------------------------------------------------------------------------------- */

static void deliver(tpi_reader *reader, tp_msg *msg)
{
    struct scene *s = reader->context;

    if (tp_msg_header(msg)->subtype == TP_COMMON_DATA_ERROR) {
        const tp_failure *failure = tp_msg_payload(msg);
        snprintf(s->failure, sizeof s->failure, "%s", failure->text);
        return;
    }
    const tp_opaque_data *data = tp_msg_payload(msg);
    const size_t length = strlen(s->said);
    snprintf(s->said + length, sizeof s->said - length, "%.*s", (int)data->data_count,
             (const char *)data->data);
    s->heard++;
}

static void opened(tpi_opening *opening, tp_status status, const tp_error *err)
{
    struct scene *s = opening->context;

    s->opened = true;
    s->status = status;
    snprintf(s->err.text, sizeof s->err.text, "%s", err == NULL ? "" : err->text);
}

static void begin_open(struct scene *s)
{
    s->reader = (tpi_reader){.deliver = deliver, .context = s};
    s->opening = (tpi_opening){.reader = &s->reader, .done = opened, .context = s};
    tpi_device_open(tpi_hub_device_at(s->hub, 0), &s->opening);
}

static void open_device(struct scene *s)
{
    begin_open(s);
    while (!s->opened) {
        tp_loop_turn(s->loop, true);
    }
}

static void await_lines(struct scene *s, int count)
{
    while (s->heard < count) {
        tp_loop_turn(s->loop, true);
    }
}

static void await_failure(struct scene *s)
{
    while (s->failure[0] == '\0') {
        tp_loop_turn(s->loop, true);
    }
}

static void nothing(struct scene *s)
{
    (void)s;
}

/* Everything that was due has been done: the second job finds the worker behind its waits. */
static void settle(struct scene *s)
{
    for (int i = 0; i < 3; i++) {
        tp_loop_turn(s->loop, false);
        there(s, nothing);
    }
}

static void move_clock(struct scene *s, double seconds)
{
    atomic_fetch_add(&s->now_ns, (long long)(seconds * 1e9));
    settle(s);
}

static void input_is_called_when_bytes_come(void **state)
{
    struct scene *s = begin("> a\n< half a \n> b\n< line\\nand one\\n\n");

    (void)state;
    open_device(s);
    says(s, "a");
    settle(s);
    assert_int_equal(wish.inputs, 1);
    assert_int_equal(s->heard, 0);
    says(s, "b");
    await_lines(s, 2);
    assert_int_equal(wish.inputs, 2);
    assert_string_equal(s->said, "half a line\nand one\n");
    end(s);
}

static void input_comes_in_its_time(void **state)
{
    struct scene *s = begin("> a\n+5 < five\\n\n+5 < ten\\n\n");

    (void)state;
    open_device(s);
    says(s, "a");
    move_clock(s, 4.9);
    assert_int_equal(s->heard, 0);
    move_clock(s, 0.2);
    await_lines(s, 1);
    move_clock(s, 4.8);
    assert_int_equal(s->heard, 1);
    move_clock(s, 0.2);
    await_lines(s, 2);
    assert_string_equal(s->said, "five\nten\n");
    end(s);
}

/* No job comes: the loop's timer alone wakes the thread. */
static void moving_the_clock_and_turning_the_loop_is_enough(void **state)
{
    struct scene *s = begin("> a\n+5 < five\\n\n");

    (void)state;
    open_device(s);
    says(s, "a");
    settle(s);
    atomic_fetch_add(&s->now_ns, 5 * TP_NS_PER_S);
    await_lines(s, 1);
    end(s);
}

static void an_unwatched_port_is_left_alone(void **state)
{
    struct scene *s = begin("< a\\n\n");

    (void)state;
    wish.watch = false;
    open_device(s);
    settle(s);
    assert_int_equal(wish.inputs, 0);
    hears_line(s, 8, "a\n");
    end(s);
}

/* A command reads its answer and leaves what came behind it. */
static void input_hears_of_what_an_operation_left(void **state)
{
    struct scene *s = begin("> a\n< answer\\nand data\\n\n");

    (void)state;
    open_device(s);
    s->out = "a";
    there(s, write_port);
    await_lines(s, 2);
    end(s);
    s = begin("> a\n+1 < answer\\nand data\\n\n");
    open_device(s);
    says(s, "a");
    s->wait_ns = 2 * TP_NS_PER_S;
    hears_line(s, 64, "answer\n");
    await_lines(s, 1);
    assert_string_equal(s->said, "and data\n");
    end(s);
}

static void what_was_read_in_start_is_not_lost(void **state)
{
    struct scene *s = begin("> hello 1\\n\n< hello\\nfirst\\n\n");

    (void)state;
    wish.patience_ns = TP_NS_PER_S;
    open_device(s);
    assert_string_equal(s->err.text, "");
    settle(s); /* nobody may have been there to hear it, but it was read */
    assert_int_equal(wish.inputs, 1);
    s->size = 8;
    fails_there(s, read_line, TP_E_TIMEOUT, "script:x.script: no answer in time");
    end(s);
}

/* It is called again for new bytes only; and what it leaves does not keep the thread busy. */
static void input_may_leave_something(void **state)
{
    struct scene *s = begin("> a\n< one\\ntwo\\n\n> b\n< three\\n\n");

    (void)state;
    wish.reads_one = true;
    open_device(s);
    says(s, "a");
    await_lines(s, 1);
    settle(s);
    assert_int_equal(wish.inputs, 1);
    says(s, "b");
    await_lines(s, 2);
    assert_string_equal(s->said, "one\ntwo\n");
    end(s);
}

/* Every line that is read is answered by the next one, at once: commands have their turn anyway. */
static void a_line_that_never_stops_leaves_time_for_others(void **state)
{
    struct scene *s = begin("repeat\n> next\n< line\\n\nend\n");

    (void)state;
    wish.asks_again = true;
    open_device(s);
    says(s, "next");
    await_lines(s, 10);
    there(s, nothing);
    await_lines(s, s->heard + 10);
    end(s);
}

static void a_start_that_gets_no_answer_fails(void **state)
{
    struct scene *s = begin("> hello 1\\n\nsilence\n");

    (void)state;
    wish.patience_ns = 3600 * TP_NS_PER_S;
    open_device(s);
    assert_int_equal(s->status, TP_E_TIMEOUT);
    assert_string_equal(s->err.text, "echo0: script:x.script: no answer in time");
    end(s);
}

static void the_end_of_the_line_is_a_failure_and_a_new_start(void **state)
{
    struct scene *s = begin("+1 < a\\n\n+1 hang-up\n");

    (void)state;
    open_device(s);
    move_clock(s, 1);
    await_lines(s, 1);
    move_clock(s, 1);
    await_failure(s);
    assert_string_equal(s->failure, "echo0: script x.script:2: the hardware hung up");
    move_clock(s, 1); /* the restart */
    move_clock(s, 1);
    await_lines(s, 2);
    end(s);
}

static void the_end_is_told_once(void **state)
{
    struct scene *s = begin("hang-up\n");

    (void)state;
    wish.swallow = true;
    open_device(s);
    settle(s);
    assert_int_equal(wish.inputs, 1);
    s->size = 8;
    fails_there(s, read_line, TP_E_CLOSED, "script x.script:1: the hardware hung up");
    settle(s);
    assert_int_equal(wish.inputs, 1);
    end(s);
}

/* ---- Polls ----------------------------------------------------------------------------------- */

static void set_period(struct scene *s)
{
    tp_instance_set_period(s->self, s->wait_ns);
}

static void check_polls(const tp_driver *driver)
{
    memset(&wish, 0, sizeof wish);
    struct scene *s = set_up(NULL, driver);
    write_script(s, "");
    s->wait_ns = TP_NS_PER_S;
    snprintf(wish.url, sizeof wish.url, "%s", "script:x.script");
    open_device(s);
    there(s, set_period);
    wish.polls = 0;
    move_clock(s, 0.9);
    assert_int_equal(wish.polls, 0);
    move_clock(s, 0.2);
    assert_int_equal(wish.polls, 1);
    move_clock(s, 5); /* missed ones are left out, and the beat is kept */
    assert_int_equal(wish.polls, 2);
    move_clock(s, 0.8);
    assert_int_equal(wish.polls, 2);
    move_clock(s, 0.1);
    assert_int_equal(wish.polls, 3);
    s->wait_ns = 0; /* no more of them */
    there(s, set_period);
    move_clock(s, 10);
    assert_int_equal(wish.polls, 3);
    s->wait_ns = TP_NS_PER_S;
    there(s, set_period);
    move_clock(s, 1);
    assert_int_equal(wish.polls, 4);
    atomic_fetch_add(&s->now_ns, TP_NS_PER_S);
    while (wish.polls < 5) {
        tp_loop_turn(s->loop, false);
    }
    end(s);
}

static void a_thread_polls_by_the_instances_clock(void **state)
{
    (void)state;
    check_polls(&echo);
}

static tp_status plain_start(tp_instance *self, tp_error *err)
{
    (void)self;
    (void)err;
    return TP_OK;
}

static const tp_driver_ops plain_ops = {.init = echo_init, .start = plain_start, .poll = echo_poll};
static const tp_driver plain_on_loop = {
    TP_DRIVER_ABI, "plain", "polls", sizeof(struct echo), NULL, &plain_ops, TP_DRIVER_ON_LOOP};

static void a_driver_on_the_loop_polls_by_it_too(void **state)
{
    (void)state;
    check_polls(&plain_on_loop);
}

/* ---- Real lines ------------------------------------------------------------------------------ */

static int make_terminal(char *path, size_t size)
{
    const int far = posix_openpt(O_RDWR | O_NOCTTY);

    assert_true(far >= 0);
    assert_int_equal(grantpt(far), 0);
    assert_int_equal(unlockpt(far), 0);
    assert_int_equal(ptsname_r(far, path, size), 0);
    return far;
}

static void put(int fd, const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void get(int fd, const char *text)
{
    char got[64];
    size_t length = 0;

    while (length < strlen(text)) {
        const ssize_t more = read(fd, got + length, sizeof got - length);
        assert_true(more > 0);
        length += (size_t)more;
    }
    assert_memory_equal(got, text, strlen(text));
}

/* The driver talks to the far end of a real line, which then is closed. */
static void check_real_line(struct scene *s, int far)
{
    char wanted[256];

    put(far, "one\ntw");
    await_lines(s, 1);
    put(far, "o\n");
    await_lines(s, 2);
    assert_string_equal(s->said, "one\ntwo\n");
    says(s, "answer\n");
    get(far, "answer\n");
    close(far);
    await_failure(s);
    snprintf(wanted, sizeof wanted, "echo0: %s: the other side is gone", wish.url);
    assert_string_equal(s->failure, wanted);
    end(s);
}

static void a_serial_line_is_heard_until_it_is_gone(void **state)
{
    char path[64];
    const int far = make_terminal(path, sizeof path);

    (void)state;
    struct scene *s = begin_real(path);
    open_device(s);
    assert_string_equal(s->err.text, "");
    check_real_line(s, far);
}

static int listen_tcp(char *url, size_t size)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    snprintf(url, size, "tcp:localhost:%u", ntohs(address.sin_port));
    return fd;
}

static void a_serial_server_is_heard_until_it_is_gone(void **state)
{
    char url[64];
    const int listener = listen_tcp(url, sizeof url);

    (void)state;
    struct scene *s = begin_real(url);
    open_device(s);
    assert_string_equal(s->err.text, "");
    const int far = accept(listener, NULL, NULL);
    check_real_line(s, far);
    close(listener);
}

static void a_unix_socket_is_heard_until_it_is_gone(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)state;
    struct scene *s = begin_real("");
    snprintf(address.sun_path, sizeof address.sun_path, "%sx.socket", s->folder);
    snprintf(wish.url, sizeof wish.url, "unix:%s", address.sun_path);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    open_device(s);
    assert_string_equal(s->err.text, "");
    const int far = accept(listener, NULL, NULL);
    check_real_line(s, far);
    close(listener);
}

static void a_socket_that_nobody_serves_is_told(void **state)
{
    char url[64];
    char wanted[128];

    (void)state;
    close(listen_tcp(url, sizeof url)); /* a port that was free a moment ago */
    struct scene *s = begin_real(url);
    open_device(s);
    snprintf(wanted, sizeof wanted, "echo0: open %s: connection refused", url);
    assert_string_equal(s->err.text, wanted);
    end(s);
}

/* Another clock cannot end a wait for a real line, but time passes there anyway. */
static void a_real_line_with_another_clock_has_its_deadline(void **state)
{
    char path[64];
    char wanted[128];
    const int far = make_terminal(path, sizeof path);
    struct scene *s = begin("");

    (void)state;
    snprintf(wish.url, sizeof wish.url, "%s", path);
    snprintf(wanted, sizeof wanted, "%s: no answer in time", path);
    works_there(s, open_port);
    s->wait_ns = TP_NS_PER_MS;
    fails_there(s, read_port, TP_E_TIMEOUT, wanted);
    put(far, "x");
    s->wait_ns = 3600 * TP_NS_PER_S;
    works_there(s, read_port);
    close(far);
    end(s);
}

/* A start that waits for an hour does not keep the server from ending. */
static void the_end_of_the_server_ends_a_wait(void **state)
{
    char path[64];
    const int far = make_terminal(path, sizeof path);
    struct scene *s = begin_real(path);

    (void)state;
    wish.patience_ns = 3600 * TP_NS_PER_S;
    begin_open(s);
    get(far, "hello 1\n"); /* it waits now, or is about to */
    tpi_device_give_up(&s->opening);
    end(s);
    close(far);
}

/* A job that comes during a wait is done after it. */
static void a_job_is_not_forgotten_by_a_wait(void **state)
{
    char path[64];
    const int far = make_terminal(path, sizeof path);
    struct scene *s = begin_real(path);

    (void)state;
    wish.patience_ns = 3600 * TP_NS_PER_S;
    begin_open(s);
    get(far, "hello 1\n");
    s->step = nothing;
    s->job.run = run_step;
    tpi_instance_submit(s->self, &s->job);
    put(far, "hello\n");
    while (!s->stepped || !s->opened) {
        tp_loop_turn(s->loop, true);
    }
    assert_int_equal(s->status, TP_OK);
    end(s);
    close(far);
}

static void fill_line(struct scene *s)
{
    static char block[1 << 20];

    s->status = tp_port_write(s->e->port, block, sizeof block, &s->err);
}

/* The one test that takes a second: that is what it is about. */
static void a_line_that_takes_nothing_is_a_failure(void **state)
{
    char path[64];
    char wanted[128];
    const int far = make_terminal(path, sizeof path);
    struct scene *s = begin_real(path);

    (void)state;
    works_there(s, open_port);
    snprintf(wanted, sizeof wanted, "%s: the line takes nothing", path);
    fails_there(s, fill_line, TP_E_TIMEOUT, wanted);
    end(s);
    close(far);
}

static void mistakes_in_a_line_are_found_before_it_is_opened(void **state)
{
    static const tp_scheme *const kinds[] = {&tpi_scheme_tcp, &tpi_scheme_hid, NULL};
    static const struct {
        const char *url, *usual, *why; /* "" if nothing is wrong */
    } cases[] = {
        {"/dev/ttyUSB0", "/dev/ttyS0", ""},
        {"serial:/dev/ttyUSB0?baud=57600&parity=even", "", ""},
        {"serial:/dev/ttyUSB0?baud=fast", "", "baud is a speed in bits per second, not \"fast\""},
        {"/dev/ttyUSB0?speed=9600", "", "there is no setting \"speed\""},
        {"serial:", "", "which line? serial:/dev/ttyUSB0"},
        {"tcp:robot:8101", "/dev/ttyS0", ""},
        {"tcp:robot:none", "/dev/ttyS0", "the port must be a number from 0 to 65535"},
        {"gopher:robot", "", "a line here is a path, serial:, script:, tcp:, hid:"},
        {"hid:1:2", "/dev/ttyS0", "the driver needs a line of bytes, such as /dev/ttyS0, not hid:"},
        {"tcp:robot:8101", "hid:1:2",
         "the driver needs a line of the kind hid:, such as hid:1:2, not tcp:"},
        {"script:x", "hid:1:2", ""},
        {"hid:x", "hid:1:2",
         "which device? hid:/dev/hidraw0 or hid:VENDOR:PRODUCT, as hid:2354:1111"},
        {"devices", "hid:1:2", ""}, /* a word of the driver's own */
        {"", "hid:1:2", ""},
    };
    const tpi_port_setup setup = {.schemes = kinds};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tp_error err = {0};
        const tp_status status = tpi_port_check(&setup, cases[i].url, cases[i].usual, &err);
        assert_string_equal(err.text, cases[i].why);
        assert_int_equal(status == TP_OK, cases[i].why[0] == '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_blocks_and_pieces_are_read),
        cmocka_unit_test(a_line_that_is_too_long_is_dropped),
        cmocka_unit_test(a_port_can_be_emptied),
        cmocka_unit_test(a_block_may_be_larger_than_the_room),
        cmocka_unit_test(what_a_script_does_not_expect_is_a_failure),
        cmocka_unit_test(texts_have_a_limit),
        cmocka_unit_test(waiting_for_a_script_takes_no_time),
        cmocka_unit_test(a_wait_for_a_script_ends_at_its_deadline),
        cmocka_unit_test(mistakes_in_a_line_are_found_before_it_is_opened),
        cmocka_unit_test(what_cannot_be_opened_is_told_with_its_url),
        cmocka_unit_test(an_instance_has_some_ports_only),
        cmocka_unit_test(a_driver_on_the_loop_has_no_ports),
        cmocka_unit_test(input_is_called_when_bytes_come),
        cmocka_unit_test(input_comes_in_its_time),
        cmocka_unit_test(moving_the_clock_and_turning_the_loop_is_enough),
        cmocka_unit_test(an_unwatched_port_is_left_alone),
        cmocka_unit_test(input_hears_of_what_an_operation_left),
        cmocka_unit_test(what_was_read_in_start_is_not_lost),
        cmocka_unit_test(input_may_leave_something),
        cmocka_unit_test(a_line_that_never_stops_leaves_time_for_others),
        cmocka_unit_test(a_start_that_gets_no_answer_fails),
        cmocka_unit_test(the_end_of_the_line_is_a_failure_and_a_new_start),
        cmocka_unit_test(the_end_is_told_once),
        cmocka_unit_test(a_thread_polls_by_the_instances_clock),
        cmocka_unit_test(a_driver_on_the_loop_polls_by_it_too),
        cmocka_unit_test(a_serial_line_is_heard_until_it_is_gone),
        cmocka_unit_test(a_serial_server_is_heard_until_it_is_gone),
        cmocka_unit_test(a_unix_socket_is_heard_until_it_is_gone),
        cmocka_unit_test(a_socket_that_nobody_serves_is_told),
        cmocka_unit_test(a_real_line_with_another_clock_has_its_deadline),
        cmocka_unit_test(the_end_of_the_server_ends_a_wait),
        cmocka_unit_test(a_job_is_not_forgotten_by_a_wait),
        cmocka_unit_test(a_line_that_takes_nothing_is_a_failure),
    };

    return cmocka_run_group_tests_name("device/port", tests, NULL, NULL);
}
