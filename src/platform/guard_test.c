/*
 * guard_test.c - guards of processes that end in every way there is.
 *
 * Those who die are children of the test; their guards become its children too, so that it sees
 * how each has ended. The line is a pseudo-terminal, a connection, or a pipe.
 */
#define _GNU_SOURCE /* posix_openpt */
#include "platform/guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "support/unit.h"

static tpi_guard_board board; /* for the handler */

/* ---- Lines: what the guard writes to, and where it arrives ----------------------------------- */

struct line {
    int near;
    int far;
};

static struct line open_pty(void)
{
    struct termios raw;
    struct line line = {.far = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};

    assert_int_equal(grantpt(line.far), 0);
    assert_int_equal(unlockpt(line.far), 0);
    line.near = open(ptsname(line.far), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    assert_int_equal(tcgetattr(line.near, &raw), 0);
    cfmakeraw(&raw);
    assert_int_equal(tcsetattr(line.near, TCSANOW, &raw), 0);
    return line;
}

static struct line open_connection(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct line line = {.near = socket(AF_INET, SOCK_STREAM, 0)};

    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(connect(line.near, (struct sockaddr *)&address, size), 0);
    line.far = accept(listener, NULL, NULL);
    assert_int_equal(fcntl(line.near, F_SETFL, O_NONBLOCK), 0);
    close(listener);
    return line;
}

/* All that arrives until nobody has the other side open. */
static size_t read_all(int fd, char *out, size_t size)
{
    size_t length = 0;
    ssize_t got;

    while ((got = read(fd, out + length, size - length)) > 0) {
        length += (size_t)got;
    }
    assert_true(got == 0 || errno == EIO || errno == ECONNRESET); /* EIO of a terminal */
    return length;
}

/* ---- Those who die --------------------------------------------------------------------------- */

typedef void deed(tpi_guard *guard);

static tp_status start(tpi_guard **guard, int line, const char *bytes, tp_error *err)
{
    const tpi_guard_options plan = {.program = TEST_GUARD,
                                    .board = &board,
                                    .line = line,
                                    .url = "test",
                                    .bytes = bytes,
                                    .length = strlen(bytes)};

    return tpi_guard_start(guard, &plan, err);
}

/* A process that guards the line with "stop" and then does the deed. How it ended. */
static int live_and_die(const struct line *line, deed *how)
{
    tpi_guard *guard = NULL;
    int result = 0;
    const pid_t pid = fork();

    if (pid == 0) {
        const struct rlimit none = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &none);
        (void)freopen("/dev/null", "w", stderr); /* what sanitizers say of a crash, and the guard */
        if (start(&guard, line->near, "stop", NULL) == TP_OK) {
            how(guard);
        }
        _exit(99);
    }
    close(line->near);
    assert_int_equal(waitpid(pid, &result, 0), pid);
    return result;
}

/* Exit codes of the guards that were left behind: so many, each with this code. */
static void expect_orphans(unsigned count, int code)
{
    int result = 0;

    for (; count > 0; count--) {
        assert_true(waitpid(-1, &result, 0) > 0);
        assert_true(WIFEXITED(result));
        assert_int_equal(WEXITSTATUS(result), code);
    }
    assert_int_equal(waitpid(-1, &result, 0), -1);
    assert_int_equal(errno, ECHILD);
}

static void expect(deed *how, struct line line, const char *wanted)
{
    char text[64] = "";

    (void)live_and_die(&line, how);
    assert_int_equal(read_all(line.far, text, sizeof text - 1), strlen(wanted));
    assert_string_equal(text, wanted);
    close(line.far);
}

static void be_killed(tpi_guard *guard)
{
    (void)guard;
    raise(SIGKILL);
}

static void go(tpi_guard *guard)
{
    (void)guard;
    _exit(0);
}

static void fall(tpi_guard *guard)
{
    (void)guard;
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static void give_up(tpi_guard *guard)
{
    (void)guard;
    abort();
}

static void change_and_be_killed(tpi_guard *guard)
{
    (void)tpi_guard_change(guard, "halt", 4, NULL);
    (void)tpi_guard_change(guard, "freeze", 6, NULL);
    raise(SIGKILL);
}

static void say_goodbye(tpi_guard *guard)
{
    tpi_guard_end(guard);
    _exit(0);
}

/* ---- Every way to die ------------------------------------------------------------------------ */

static void the_bytes_arrive_once_however_it_dies(void **state)
{
    deed *const ways[] = {be_killed, go, fall, give_up};

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        expect(ways[i], open_pty(), "stop");
        expect_orphans(1, 0);
        expect(ways[i], open_connection(), "stop");
        expect_orphans(1, 0);
    }
}

static void the_last_bytes_that_were_told_count(void **state)
{
    (void)state;
    expect(change_and_be_killed, open_pty(), "freeze");
    expect_orphans(1, 0);
}

static void after_a_goodbye_nothing_arrives(void **state)
{
    (void)state;
    expect(say_goodbye, open_pty(), "");
    expect(say_goodbye, open_connection(), "");
    expect_orphans(0, 0);
}

/* What came and was not read would reset the connection, and take the bytes along. */
static void unread_input_does_not_cost_the_bytes(void **state)
{
    char much[4096] = {0};
    const struct line line = open_connection();

    (void)state;
    assert_int_equal(write(line.far, much, sizeof much), sizeof much);
    expect(be_killed, line, "stop");
    expect_orphans(1, 0);
}

static void go_unheard(tpi_guard *guard)
{
    char much[1 << 16] = {0};

    (void)guard;
    while (write(STDOUT_FILENO, much, sizeof much) > 0) { /* until the pipe is full */
    }
    raise(SIGKILL);
}

static void a_line_that_takes_nothing_is_given_up(void **state)
{
    int ends[2];
    char byte;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    const int output = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO); /* which the child fills */
    const struct line line = {.near = ends[1], .far = ends[0]};
    (void)live_and_die(&line, go_unheard);
    dup2(output, STDOUT_FILENO);
    close(output);
    expect_orphans(1, 1);
    while (read(line.far, &byte, 1) > 0) {
        assert_int_equal(byte, 0);
    }
    close(line.far);
}

static void crash(int number)
{
    tpi_guard_crash(&board);
    signal(number, SIG_IGN);
}

/* The crash is told at once; the process lives on, as one does that dumps its core. */
static void a_crash_need_not_be_over(void **state)
{
    const struct line line = open_pty();
    tpi_guard *guard = NULL;
    char text[64];

    (void)state;
    assert_int_equal(start(&guard, line.near, "stop", NULL), TP_OK);
    signal(SIGUSR2, crash);
    raise(SIGUSR2);
    assert_int_equal(read(line.far, text, sizeof text), 4);
    assert_memory_equal(text, "stop", 4);
    tpi_guard_end(guard);
    assert_true(atomic_exchange(&board.crashed, false));
    close(line.near);
    assert_int_equal(read_all(line.far, text, sizeof text), 0);
    close(line.far);
    expect_orphans(0, 0);
}

/* ---- Guards themselves ----------------------------------------------------------------------- */

static unsigned count_files(void)
{
    unsigned count = 0;

    for (int fd = 0; fd < 256; fd++) {
        count += fcntl(fd, F_GETFD) >= 0;
    }
    return count;
}

static void nothing_is_left_open(void **state)
{
    const struct line line = open_pty();
    const unsigned before = count_files();
    tpi_guard *guard = NULL;

    (void)state;
    for (unsigned i = 0; i < 3 * TPI_GUARD_SEATS; i++) { /* seats are given back, too */
        assert_int_equal(start(&guard, line.near, "x", NULL), TP_OK);
        tpi_guard_end(guard);
    }
    assert_int_equal(count_files(), before);
    for (unsigned i = 0; i < TPI_GUARD_SEATS; i++) {
        assert_int_equal(atomic_load(&board.seats[i]), 0);
    }
    close(line.near);
    close(line.far);
}

static void signals_do_not_end_it(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1};
    const struct line line = open_pty();
    tpi_guard *guard = NULL;
    char byte = 0;

    (void)state;
    assert_int_equal(start(&guard, line.near, "x", NULL), TP_OK);
    assert_int_equal(getsid((pid_t)tpi_guard_number(guard)), tpi_guard_number(guard));
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        assert_int_equal(kill((pid_t)tpi_guard_number(guard), signals[i]), 0);
    }
    tpi_guard_crash(&board); /* it is there, and hears what it is told */
    assert_int_equal(read(line.far, &byte, 1), 1);
    assert_int_equal(byte, 'x');
    atomic_store(&board.crashed, false);
    tpi_guard_end(guard);
    close(line.near);
    close(line.far);
}

static void its_end_is_noticed(void **state)
{
    const struct line line = open_pty();
    tpi_guard *guard = NULL;

    (void)state;
    assert_int_equal(start(&guard, line.near, "x", NULL), TP_OK);
    assert_int_equal(kill((pid_t)tpi_guard_number(guard), SIGKILL), 0);
    struct pollfd alive = {.fd = tpi_guard_fd(guard), .events = POLLIN};
    assert_int_equal(poll(&alive, 1, -1), 1);
    assert_int_equal(tpi_guard_change(guard, "y", 1, NULL), TP_OK); /* no signal, no failure */
    tpi_guard_end(guard);
    expect_orphans(0, 0);
    close(line.near);
    close(line.far);
}

static void one_that_cannot_start_is_explained(void **state)
{
    tpi_guard *guard = NULL;
    tp_error err = {0};
    tpi_guard_options plan = {.program = "/no/such/guard",
                              .board = &board,
                              .line = 0,
                              .url = "x",
                              .bytes = "x",
                              .length = 1};

    (void)state;
    assert_int_equal(tpi_guard_start(&guard, &plan, &err), TP_E_IO);
    assert_string_equal(err.text, "cannot start /no/such/guard: no such file or directory");
    plan.program = "/bin/false";
    assert_int_equal(tpi_guard_start(&guard, &plan, &err), TP_E_IO);
    assert_string_equal(err.text, "/bin/false has ended at once");
}

static void it_is_found_beside_a_program(void **state)
{
    char path[4096];

    (void)state;
    assert_string_equal(tpi_guard_find(TEST_GUARD, path, sizeof path), TEST_GUARD);
    assert_string_equal(tpi_guard_find("/bin/sh", path, sizeof path), "troupe-guard");
    assert_string_equal(tpi_guard_find("troupe", path, sizeof path), "troupe-guard");
    assert_string_equal(tpi_guard_find(NULL, path, sizeof path), "troupe-guard");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_arrive_once_however_it_dies),
        cmocka_unit_test(the_last_bytes_that_were_told_count),
        cmocka_unit_test(after_a_goodbye_nothing_arrives),
        cmocka_unit_test(unread_input_does_not_cost_the_bytes),
        cmocka_unit_test(a_line_that_takes_nothing_is_given_up),
        cmocka_unit_test(a_crash_need_not_be_over),
        cmocka_unit_test(nothing_is_left_open),
        cmocka_unit_test(signals_do_not_end_it),
        cmocka_unit_test(its_end_is_noticed),
        cmocka_unit_test(one_that_cannot_start_is_explained),
        cmocka_unit_test(it_is_found_beside_a_program),
    };

    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    return cmocka_run_group_tests_name("src/platform/guard", tests, NULL, NULL);
}
