/* thread_test.c - threads, bells and waiting. Only the main thread calls cmocka. */
#define _GNU_SOURCE /* pthread_getname_np */
#include "platform/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/unit.h"
#include "troupe/clock.h"

static tp_error err;

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

static tpi_thread *start(const char *name, void (*thread_main)(void *), void *context)
{
    tpi_thread *thread = NULL;

    assert_int_equal(tpi_thread_start(&thread, name, thread_main, context, &err), TP_OK);
    return thread;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void set_to_seven(void *context)
{
    *(int *)context = 7;
}

static void what_a_thread_did_is_seen_after_the_join(void **state)
{
    int value = 0;

    (void)state;
    tpi_thread_join(start("worker", set_to_seven, &value));
    assert_int_equal(value, 7);
    tpi_thread_join(NULL);
}

static void wait_for_bell(void *context)
{
    (void)tpi_wait(&((tpi_bell *)context)->fd, 1, TP_NEVER);
}

static void a_thread_that_does_not_end_is_given_up_and_can_be_awaited_again(void **state)
{
    tpi_bell bell = {.fd = -1};

    (void)state;
    assert_int_equal(tpi_bell_init(&bell, &err), TP_OK);
    tpi_thread *thread = start("worker", wait_for_bell, &bell);
    assert_false(tpi_thread_join_by(thread, now_ns() + TP_NS_PER_MS));
    tpi_bell_ring(&bell);
    assert_true(tpi_thread_join_by(thread, now_ns() + 60 * TP_NS_PER_S));
    assert_true(tpi_thread_join_by(start("worker", wait_for_bell, &bell), TP_NEVER));
    tpi_bell_fini(&bell);
}

static void note_name(void *context)
{
    pthread_getname_np(pthread_self(), context, 64);
}

static void a_thread_has_its_name_as_far_as_there_is_room(void **state)
{
    char name[64] = "";

    (void)state;
    tpi_thread_join(start("front_motor", note_name, name));
    assert_string_equal(name, "front_motor");
    tpi_thread_join(start("a-name-of-more-than-15", note_name, name));
    assert_string_equal(name, "a-name-of-more-");
}

static void note_mask(void *context)
{
    pthread_sigmask(SIG_SETMASK, NULL, context);
}

static void signals_from_outside_go_to_the_thread_that_made_it(void **state)
{
    sigset_t before;
    sigset_t inside;
    sigset_t after;

    (void)state;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    tpi_thread_join(start("worker", note_mask, &inside));
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_true(sigismember(&inside, SIGTERM));
    assert_true(sigismember(&inside, SIGINT));
    assert_true(sigismember(&inside, SIGPIPE));
    assert_true(sigismember(&inside, SIGUSR1));
    assert_false(sigismember(&inside, SIGSEGV)); /* a fault is the thread's own */
    assert_false(sigismember(&inside, SIGABRT));
    for (int number = 1; number < 32; number++) {
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
    }
}

static tp_status start_and_join(void *context)
{
    int value = 0;
    tpi_thread *thread = NULL;
    tp_status status = tpi_thread_start(&thread, "worker", set_to_seven, &value, context);

    tpi_thread_join(thread);
    return status;
}

/* ---- Priority -------------------------------------------------------------------------------- */

struct priority {
    bool may; /* keep the right to real-time priorities */
    int slack, policies[3];
    tp_status status[2];
    tp_error err;
};

/* Of this thread alone, whoever runs the test. */
static void drop_right(void)
{
    struct {
        uint32_t version;
        int pid;
    } header = {0x20080522, 0};
    struct {
        uint32_t effective, permitted, inheritable;
    } sets[2] = {{0}};

    (void)syscall(SYS_capget, &header, sets);
    sets[0].effective &= ~(1u << 23); /* CAP_SYS_NICE */
    (void)syscall(SYS_capset, &header, sets);
}

static void try_priorities(void *context)
{
    struct priority *p = context;

    if (!p->may) {
        drop_right();
    }
    tpi_thread_be_prompt();
    p->slack = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
    p->policies[0] = sched_getscheduler(0);
    p->status[0] = tpi_thread_set_realtime(3, &p->err);
    p->policies[1] = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    p->status[1] = tpi_thread_set_realtime(0, NULL);
    p->policies[2] = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

static void a_prompt_thread_has_no_other_policy_and_no_slack(void **state)
{
    struct priority p = {.may = true};

    (void)state;
    tpi_thread_join(start("prompt", try_priorities, &p));
    assert_int_equal(p.slack, 1);
    assert_int_equal(p.policies[0], SCHED_OTHER);
    assert_int_equal(p.policies[1], p.status[0] == TP_OK ? SCHED_FIFO : SCHED_OTHER);
    assert_int_equal(p.status[1], TP_OK);
    assert_int_equal(p.policies[2], SCHED_OTHER);
}

static void a_real_time_priority_that_is_not_permitted_is_refused(void **state)
{
    struct priority p = {.may = false};
    struct rlimit before;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_RTPRIO, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_RTPRIO, &(struct rlimit){0, before.rlim_max}), 0);
    tpi_thread_join(start("prompt", try_priorities, &p));
    assert_int_equal(setrlimit(RLIMIT_RTPRIO, &before), 0);
    assert_int_equal(p.status[0], TP_E_DENIED);
    assert_string_equal(p.err.text,
                        "the real-time priority 3 is not permitted: Operation not permitted (it "
                        "needs CAP_SYS_NICE or `ulimit -r 3`)");
    assert_int_equal(p.policies[1], SCHED_OTHER);
}

static void a_thread_without_memory_is_told(void **state)
{
    (void)state;
    memory_sweep(start_and_join, &err);
    assert_string_equal(err.text, "thread worker: out of memory");
}

/* ---- Bells ----------------------------------------------------------------------------------- */

static unsigned look(const tpi_bell *bell)
{
    return tpi_wait(&bell->fd, 1, 0);
}

static int set_up(void **state)
{
    static tpi_bell bell;

    *state = &bell;
    return tpi_bell_init(&bell, NULL) == TP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    tpi_bell_fini(*state);
    return 0;
}

static void a_bell_rings_until_it_is_silenced(void **state)
{
    tpi_bell *bell = *state;

    assert_int_equal(look(bell), 0);
    tpi_bell_silence(bell); /* does not wait for a ring */
    tpi_bell_ring(bell);
    tpi_bell_ring(bell);
    assert_int_equal(look(bell), 1);
    assert_int_equal(look(bell), 1);
    tpi_bell_silence(bell);
    assert_int_equal(look(bell), 0);
}

static void a_bell_can_be_rung_any_number_of_times(void **state)
{
    tpi_bell *bell = *state;
    const uint64_t most = UINT64_MAX - 1;

    assert_int_equal(write(bell->fd, &most, sizeof most), sizeof most);
    tpi_bell_ring(bell);
    assert_int_equal(look(bell), 1);
    tpi_bell_silence(bell);
    assert_int_equal(look(bell), 0);
}

static void a_bell_leaves_errno_alone(void **state)
{
    tpi_bell *bell = *state;
    const uint64_t most = UINT64_MAX - 1;

    assert_int_equal(write(bell->fd, &most, sizeof most), sizeof most);
    errno = ENOENT;
    tpi_bell_ring(bell); /* the write inside fails */
    assert_int_equal(errno, ENOENT);
}

static void a_bell_that_is_gone_can_be_released_again(void **state)
{
    tpi_bell bell = {.fd = -1};

    (void)state;
    tpi_bell_fini(&bell);
    assert_int_equal(tpi_bell_init(&bell, &err), TP_OK);
    tpi_bell_fini(&bell);
    assert_int_equal(bell.fd, -1);
    tpi_bell_fini(&bell);
}

static void a_bell_that_cannot_be_made_says_why(void **state)
{
    struct rlimit limit;
    tpi_bell bell;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    tp_status status = tpi_bell_init(&bell, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(status, TP_E_IO);
    assert_string_equal(err.text, "bell: Too many open files");
    tpi_bell_fini(&bell);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static void ring(void *context)
{
    tpi_bell_ring(context);
}

static void another_thread_ends_a_wait_without_a_deadline(void **state)
{
    tpi_bell *bell = *state;
    tpi_thread *thread = start("ringer", ring, bell);

    assert_int_equal(tpi_wait(&bell->fd, 1, TP_NEVER), 1);
    tpi_thread_join(thread);
}

static void each_descriptor_has_its_bit(void **state)
{
    tpi_bell *bell = *state;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    const int fds[] = {-1, bell->fd, ends[0], -1, bell->fd, -1, -1, ends[0]};
    assert_int_equal(tpi_wait(fds, 8, 0), 0);
    tpi_bell_ring(bell);
    assert_int_equal(tpi_wait(fds, 8, TP_NEVER), 1u << 1 | 1u << 4);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(tpi_wait(fds, 8, TP_NEVER), 1u << 1 | 1u << 2 | 1u << 4 | 1u << 7);
    tpi_bell_silence(bell);
    assert_int_equal(tpi_wait(fds, 3, TP_NEVER), 1u << 2);
    close(ends[0]);
    close(ends[1]);
}

static void a_peer_that_is_gone_is_something_to_read(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    assert_int_equal(tpi_wait(ends, 1, TP_NEVER), 1);
    close(ends[0]);
    assert_int_equal(tpi_wait(ends, 1, TP_NEVER), 1); /* so is a descriptor that is closed */
}

static void a_wait_ends_at_its_deadline_and_never_before(void **state)
{
    tpi_bell *bell = *state;

    for (int i = 0; i < 50; i++) {
        const int64_t deadline = now_ns() + i * 20 * TP_NS_PER_US;
        assert_int_equal(tpi_wait(&bell->fd, 1, deadline), 0);
        assert_true(now_ns() >= deadline);
    }
    const int64_t deadline = now_ns() + TP_NS_PER_MS;
    assert_int_equal(tpi_wait(NULL, 0, deadline), 0);
    assert_true(now_ns() >= deadline);
}

static void a_deadline_in_the_past_still_looks_at_the_descriptors(void **state)
{
    static const int64_t deadlines[] = {INT64_MIN, -1, 0, 1};
    tpi_bell *bell = *state;

    tpi_bell_ring(bell);
    for (size_t i = 0; i < sizeof deadlines / sizeof deadlines[0]; i++) {
        assert_int_equal(tpi_wait(&bell->fd, 1, deadlines[i]), 1);
    }
}

static atomic_int signals_handled;

static void handle(int number)
{
    (void)number;
    atomic_fetch_add(&signals_handled, 1);
}

struct nagger {
    pthread_t whom;
    const tpi_bell *bell;
};

static void send_signals_until_some_are_handled_then_ring(void *context)
{
    const struct nagger *nagger = context;

    while (atomic_load(&signals_handled) < 20) {
        pthread_kill(nagger->whom, SIGUSR1);
    }
    tpi_bell_ring(nagger->bell);
}

static void signals_do_not_end_a_wait(void **state)
{
    const struct sigaction action = {.sa_handler = handle};
    tpi_bell *bell = *state;
    struct nagger nagger = {.whom = pthread_self(), .bell = bell};

    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    atomic_store(&signals_handled, 0);
    tpi_thread *thread = start("nagger", send_signals_until_some_are_handled_then_ring, &nagger);
    assert_int_equal(tpi_wait(&bell->fd, 1, TP_NEVER), 1);
    tpi_thread_join(thread);
    assert_true(atomic_load(&signals_handled) >= 20);
}

int main(void)
{
#define BELL_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_thread_did_is_seen_after_the_join),
        cmocka_unit_test(a_thread_that_does_not_end_is_given_up_and_can_be_awaited_again),
        cmocka_unit_test(a_thread_has_its_name_as_far_as_there_is_room),
        cmocka_unit_test(signals_from_outside_go_to_the_thread_that_made_it),
        cmocka_unit_test(a_prompt_thread_has_no_other_policy_and_no_slack),
        cmocka_unit_test(a_real_time_priority_that_is_not_permitted_is_refused),
        cmocka_unit_test(a_thread_without_memory_is_told),
        BELL_TEST(a_bell_rings_until_it_is_silenced),
        BELL_TEST(a_bell_can_be_rung_any_number_of_times),
        BELL_TEST(a_bell_leaves_errno_alone),
        cmocka_unit_test(a_bell_that_is_gone_can_be_released_again),
        cmocka_unit_test(a_bell_that_cannot_be_made_says_why),
        BELL_TEST(another_thread_ends_a_wait_without_a_deadline),
        BELL_TEST(each_descriptor_has_its_bit),
        cmocka_unit_test(a_peer_that_is_gone_is_something_to_read),
        BELL_TEST(a_wait_ends_at_its_deadline_and_never_before),
        BELL_TEST(a_deadline_in_the_past_still_looks_at_the_descriptors),
        BELL_TEST(signals_do_not_end_a_wait),
    };
#undef BELL_TEST

    return cmocka_run_group_tests_name("platform/thread", tests, NULL, NULL);
}
