/*
 * guarded_test.c - ports whose lines are guarded: by their driver, by the configuration, again
 * after a guard has ended.
 *
 * Guards that write when their process dies are guard_test.c's matter; here it only says that it
 * crashes, which makes them write too.
 */
#define _GNU_SOURCE /* posix_openpt */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus/pool.h"
#include "device/inside.h"
#include "port/port_inside.h"
#include "support/unit.h"
#include "troupe/interfaces/opaque.h"
#include "troupe/port.h"

/* ---- A driver with a line -------------------------------------------------------------------- */

struct wheel {
    tp_port *port;
};

static struct {
    char url[128];
    const char *bytes; /* that the driver guards its line with; NULL for none */
    size_t length;
    bool lazy; /* its stop leaves the line open */
} wish;

static const tp_opaque_ops no_ops = {0};

static tp_status wheel_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_opaque, NULL, &no_ops, NULL, NULL, err);
}

static tp_status wheel_start(tp_instance *self, tp_error *err)
{
    struct wheel *w = tp_instance_state(self);
    tp_status status = tp_port_open(&w->port, self, wish.url, NULL, TP_NEVER, err);

    return status == TP_OK && wish.bytes != NULL
               ? tp_port_guard(w->port, wish.bytes, wish.length, err)
               : status;
}

static void wheel_stop(tp_instance *self)
{
    struct wheel *w = tp_instance_state(self);

    if (!wish.lazy) {
        tp_port_close(w->port);
        w->port = NULL;
    }
}

static const tp_driver_ops wheel_ops = {
    .init = wheel_init, .start = wheel_start, .stop = wheel_stop};
static const tp_driver wheel = {TP_DRIVER_ABI, "wheel",    "turns", sizeof(struct wheel),
                                NULL,          &wheel_ops, 0};

/* ---- A bench for it -------------------------------------------------------------------------- */

struct scene {
    tp_loop *loop;
    tp_catalogue *catalogue;
    tpi_hub *hub;
    tp_instance *self;
    int far; /* of the line */
    /* Something that is done where the instance runs. */
    job job;
    tpi_task task;
    void (*step)(struct scene *s);
    bool stepped;
    tp_status status;
    tp_error err;
    /* A reader. */
    tpi_reader reader;
    tpi_opening opening;
    bool opened;
    char failure[256]; /* of the device */
    char note[256];    /* to the owner */
};

static const tpi_wanted opaque0 = {
    "", {.robot = 6665, .interf = TP_OPAQUE_CODE}, &tp_interface_opaque};

static void on_failed(void *context, const tp_instance *instance, const char *why)
{
    struct scene *s = context;

    (void)instance;
    snprintf(s->note, sizeof s->note, "%s", why);
}

static struct scene *begin(const char *bytes, const char *configured)
{
    struct scene *s = calloc(1, sizeof *s);
    const tpi_blueprint blueprint = {.driver = &wheel,
                                     .provides = &opaque0,
                                     .provide_count = 1,
                                     .guard = configured,
                                     .guard_length = configured == NULL ? 0 : strlen(configured)};

    assert_non_null(s);
    s->far = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_int_equal(grantpt(s->far), 0);
    assert_int_equal(unlockpt(s->far), 0);
    snprintf(wish.url, sizeof wish.url, "%s", ptsname(s->far));
    wish.bytes = bytes;
    wish.length = bytes == NULL ? 0 : strlen(bytes);
    assert_int_equal(tp_loop_create(&s->loop, tp_clock_real(), &s->err), TP_OK);
    assert_int_equal(tp_catalogue_create(&s->catalogue, &s->err), TP_OK);
    assert_int_equal(tpi_hub_create(&s->hub, s->loop, s->catalogue, &s->err), TP_OK);
    tpi_hub_set_guard(s->hub, TEST_GUARD);
    tpi_hub_set_lines(s->hub, NULL, "/dev/");
    assert_int_equal(tpi_hub_add(s->hub, &blueprint, &s->self, &s->err), TP_OK);
    tpi_hub_begin(s->hub, on_failed, s);
    return s;
}

static void end(struct scene *s)
{
    tpi_device_close(&s->reader);
    tpi_hub_destroy(s->hub);
    tp_loop_destroy(s->loop);
    tp_catalogue_destroy(s->catalogue);
    tpi_pool_leave();
    close(s->far);
    free(s);
}

static void on_opened(tpi_opening *opening, tp_status status, const tp_error *err)
{
    struct scene *s = opening->context;

    s->opened = true;
    s->status = status;
    snprintf(s->err.text, sizeof s->err.text, "%s", status == TP_OK ? "" : err->text);
}

static void on_data(tpi_reader *reader, tp_msg *msg)
{
    struct scene *s = reader->context;
    const tp_failure *failure = tp_msg_payload(msg);

    assert_int_equal(tp_msg_header(msg)->subtype, TP_COMMON_DATA_ERROR);
    snprintf(s->failure, sizeof s->failure, "%s", failure->text);
}

static void open_device(struct scene *s)
{
    s->opened = false;
    s->reader = (tpi_reader){.deliver = on_data, .context = s};
    s->opening = (tpi_opening){.reader = &s->reader, .done = on_opened, .context = s};
    tpi_device_open(tpi_hub_device_at(s->hub, 0), &s->opening);
    while (!s->opened) {
        tp_loop_turn(s->loop, true);
    }
}

static void close_device(struct scene *s)
{
    tpi_device_close(&s->reader);
    while (s->self->life.phase != IDLE) {
        tp_loop_turn(s->loop, true);
    }
}

static void stepped(tpi_task *task)
{
    ((struct scene *)((char *)task - offsetof(struct scene, task)))->stepped = true;
}

static void run_step(job *next, tp_instance *self)
{
    struct scene *s = (struct scene *)((char *)next - offsetof(struct scene, job));

    (void)self;
    s->err.text[0] = '\0';
    s->step(s);
    s->task.run = stepped;
    tpi_loop_post(s->loop, &s->task);
}

static void there(struct scene *s, void (*step)(struct scene *s))
{
    s->step = step;
    s->stepped = false;
    s->job.run = run_step;
    tpi_instance_submit(s->self, &s->job);
    while (!s->stepped) {
        tp_loop_turn(s->loop, true);
    }
}

static tp_port *port_of(const struct scene *s)
{
    return ((struct wheel *)tp_instance_state(s->self))->port;
}

static void guard_with_wish(struct scene *s)
{
    s->status = tp_port_guard(port_of(s), wish.bytes, wish.length, &s->err);
}

static void write_something(struct scene *s)
{
    s->status = tp_port_printf(port_of(s), &s->err, "go");
}

static void lose_program(struct scene *s)
{
    s->hub->lines.guard_program = "/no/such/guard";
}

/* Whose child a process is; 0 if it is none. */
static int parent_of(const char *pid)
{
    char path[300];
    char line[256];
    int parent = 0;

    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        const char *name_end = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
        if (name_end == NULL || sscanf(name_end, ") %*c %d", &parent) != 1) {
            parent = 0;
        }
        fclose(file);
    }
    return parent;
}

/* The only child of this process, which is the guard; 0 if there is none. */
static pid_t find_guard(void)
{
    DIR *processes = opendir("/proc");
    pid_t found = 0;

    assert_non_null(processes);
    for (struct dirent *entry = readdir(processes); entry != NULL; entry = readdir(processes)) {
        if (strspn(entry->d_name, "0123456789") == strlen(entry->d_name) &&
            parent_of(entry->d_name) == getpid()) {
            assert_int_equal(found, 0);
            found = (pid_t)strtol(entry->d_name, NULL, 10);
        }
    }
    closedir(processes);
    return found;
}

/* What has arrived at the other side; waits for it. */
static void expect_bytes(const struct scene *s, const char *wanted)
{
    char text[64] = "";
    size_t length = 0;

    while (length < strlen(wanted)) {
        const ssize_t got = read(s->far, text + length, sizeof text - 1 - length);
        assert_true(got > 0);
        length += (size_t)got;
    }
    assert_string_equal(text, wanted);
}

static void expect_silence(const struct scene *s)
{
    struct pollfd far = {.fd = s->far, .events = POLLIN};

    assert_int_equal(poll(&far, 1, 0) == 1 && (far.revents & POLLIN) != 0, 0);
}

/* ---- Guarding -------------------------------------------------------------------------------- */

static void a_line_is_guarded_as_long_as_it_is_open(void **state)
{
    struct scene *s = begin("stop", NULL);

    (void)state;
    for (unsigned i = 0; i < 20; i++) { /* it can be opened again at once: the guard has let go */
        open_device(s);
        assert_string_equal(s->err.text, "");
        assert_int_equal(atomic_load(&s->self->lines.guarded), 1);
        assert_int_not_equal(find_guard(), 0);
        close_device(s);
        assert_int_equal(atomic_load(&s->self->lines.guarded), 0);
        assert_int_equal(find_guard(), 0);
        expect_silence(s);
    }
    end(s);
}

static void bytes_can_be_changed_and_taken_back(void **state)
{
    struct scene *s = begin("stop", NULL);

    (void)state;
    open_device(s);
    wish.bytes = "freeze";
    wish.length = 6;
    there(s, guard_with_wish);
    assert_int_equal(s->status, TP_OK);
    tpi_hub_crash(s->hub);
    expect_bytes(s, "freeze");
    close_device(s);
    atomic_store(&s->hub->lines.guards.crashed, false);
    open_device(s);
    wish.length = 0;
    there(s, guard_with_wish);
    assert_int_equal(s->status, TP_OK);
    assert_int_equal(atomic_load(&s->self->lines.guarded), 0);
    assert_int_equal(find_guard(), 0);
    expect_silence(s);
    end(s);
}

static void the_configuration_goes_before_the_driver(void **state)
{
    struct scene *s = begin("stop", "halt");

    (void)state;
    open_device(s);
    assert_int_equal(atomic_load(&s->self->lines.guarded), 1);
    tpi_hub_crash(s->hub);
    expect_bytes(s, "halt");
    end(s);
    s = begin(NULL, "halt"); /* also for drivers that know nothing of guards */
    open_device(s);
    tpi_hub_crash(s->hub);
    expect_bytes(s, "halt");
    end(s);
}

static void a_line_that_is_left_open_is_let_go_in_order(void **state)
{
    struct scene *s = begin("stop", NULL);
    const int far = dup(s->far);
    char byte;

    (void)state;
    wish.lazy = true;
    open_device(s);
    end(s);
    wish.lazy = false;
    assert_int_equal(find_guard(), 0);
    assert_int_equal(read(far, &byte, 1), -1); /* nobody has it open, and nothing was written */
    close(far);
}

static void after_a_crash_nobody_else_writes(void **state)
{
    struct scene *s = begin("stop", NULL);

    (void)state;
    open_device(s);
    there(s, write_something);
    assert_int_equal(s->status, TP_OK);
    expect_bytes(s, "go");
    tpi_hub_crash(s->hub);
    there(s, write_something);
    assert_int_equal(s->status, TP_E_DENIED);
    expect_bytes(s, "stop");
    end(s);
}

static void a_script_needs_no_guard(void **state)
{
    struct scene *s = begin("stop", NULL);

    (void)state;
    snprintf(wish.url, sizeof wish.url, "script:null"); /* an empty one */
    tpi_hub_set_guard(s->hub, "/no/such/guard");
    open_device(s);
    assert_string_equal(s->err.text, "");
    assert_int_equal(atomic_load(&s->self->lines.guarded), 0);
    end(s);
}

static void mistakes_are_explained(void **state)
{
    static char many[TPI_GUARD_MOST + 1];
    struct scene *s = begin("stop", NULL);
    char wanted[256];

    (void)state;
    open_device(s);
    wish.bytes = many;
    wish.length = sizeof many;
    there(s, guard_with_wish);
    assert_int_equal(s->status, TP_E_LIMIT);
    snprintf(wanted, sizeof wanted, "%s: a guard has at most 1024 bytes", wish.url);
    assert_string_equal(s->err.text, wanted);
    tpi_hub_crash(s->hub);
    expect_bytes(s, "stop"); /* as before */
    end(s);

    s = begin("stop", "halt");
    tpi_hub_set_guard(s->hub, "/no/such/guard");
    open_device(s);
    assert_int_equal(s->status, TP_E_IO);
    snprintf(wanted, sizeof wanted,
             "wheel0: open %s: cannot start /no/such/guard: no such file or directory", wish.url);
    assert_string_equal(s->err.text, wanted);
    end(s);
}

/* ---- Guards that end ------------------------------------------------------------------------- */

static void one_that_ends_is_started_again_and_told(void **state)
{
    struct scene *s = begin("stop", NULL);
    char wanted[256];

    (void)state;
    snprintf(wanted, sizeof wanted, "wheel0: the guard of %s had ended; it was started again",
             wish.url);
    open_device(s);
    for (unsigned i = 1; i <= 3; i++) {
        s->note[0] = '\0';
        assert_int_equal(kill(find_guard(), SIGKILL), 0);
        while (s->note[0] == '\0') {
            tp_loop_turn(s->loop, true);
        }
        assert_string_equal(s->note, wanted);
        assert_int_equal(atomic_load(&s->self->lines.guard_restarts), i);
        assert_int_equal(atomic_load(&s->self->lines.guarded), 1);
    }
    expect_silence(s);
    tpi_hub_crash(s->hub);
    expect_bytes(s, "stop"); /* the new one has the bytes too */
    end(s);
}

static void expect_failure(struct scene *s, const char *why)
{
    char wanted[256];

    snprintf(wanted, sizeof wanted, "wheel0: %s: %s", wish.url, why);
    while (s->failure[0] == '\0') {
        tp_loop_turn(s->loop, true);
    }
    assert_string_equal(s->failure, wanted);
    assert_int_equal(atomic_load(&s->self->lines.guarded), 0);
}

static void a_line_that_cannot_be_guarded_again_is_not_used(void **state)
{
    struct scene *s = begin("stop", NULL);

    (void)state;
    open_device(s);
    there(s, lose_program);
    assert_int_equal(kill(find_guard(), SIGKILL), 0);
    expect_failure(s, "cannot start /no/such/guard: no such file or directory");
    end(s);
}

static void one_that_ends_again_and_again_is_given_up(void **state)
{
    struct scene *s = begin("stop", NULL);

    (void)state;
    open_device(s);
    for (unsigned i = 1; i <= 10; i++) {
        assert_int_equal(kill(find_guard(), SIGKILL), 0);
        while (atomic_load(&s->self->lines.guard_restarts) < i) {
            tp_loop_turn(s->loop, false);
        }
    }
    assert_int_equal(kill(find_guard(), SIGKILL), 0);
    expect_failure(s, "the guard ends again and again");
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_guarded_as_long_as_it_is_open),
        cmocka_unit_test(bytes_can_be_changed_and_taken_back),
        cmocka_unit_test(the_configuration_goes_before_the_driver),
        cmocka_unit_test(a_line_that_is_left_open_is_let_go_in_order),
        cmocka_unit_test(after_a_crash_nobody_else_writes),
        cmocka_unit_test(a_script_needs_no_guard),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(one_that_ends_is_started_again_and_told),
        cmocka_unit_test(a_line_that_cannot_be_guarded_again_is_not_used),
        cmocka_unit_test(one_that_ends_again_and_again_is_given_up),
    };

    return cmocka_run_group_tests_name("src/device/guarded", tests, NULL, NULL);
}
