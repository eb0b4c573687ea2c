/* loop_test.c - turns, tasks, what is done after turns, and signals. Only the main thread calls
 * cmocka. */
#include "loop/idle.h"
#include "loop/task.h"

#include <signal.h>
#include <sys/resource.h>

#include "support/loop_bench.h"
#include "support/memory.h"
#include "support/uv_memory.h"

/* ---- Tasks ----------------------------------------------------------------------------------- */

struct job {
    tpi_task task;
    struct bench *b;
    char letter;
    struct job *next; /* posted by this one */
};

static void run_job(tpi_task *task)
{
    struct job *job = (struct job *)task;

    note(job->b, job->letter);
    if (job->next != NULL) {
        tpi_loop_post(job->b->loop, &job->next->task);
    }
}

static struct job job_of(struct bench *b, char letter)
{
    return (struct job){.task.run = run_job, .b = b, .letter = letter};
}

static void a_posted_task_runs_once_in_the_next_turn(void **state)
{
    struct bench *b = *state;
    struct job job = job_of(b, 'a');

    tpi_loop_post(b->loop, &job.task);
    assert_trace(b, "");
    turn(b);
    turn(b);
    assert_trace(b, "a");
}

static void tasks_run_in_the_order_of_posting(void **state)
{
    struct bench *b = *state;
    struct job jobs[] = {job_of(b, 'a'), job_of(b, 'b'), job_of(b, 'c')};

    for (size_t i = 0; i < 3; i++) {
        tpi_loop_post(b->loop, &jobs[i].task);
    }
    tp_loop_turn(b->loop, true);
    assert_trace(b, "abc");
}

static void a_task_posted_by_a_task_runs_in_the_next_turn_which_does_not_wait(void **state)
{
    struct bench *b = *state;
    struct job second = job_of(b, 'b');
    struct job first = job_of(b, 'a');

    first.next = &second;
    tpi_loop_post(b->loop, &first.task);
    tp_loop_turn(b->loop, true);
    assert_trace(b, "a");
    tp_loop_turn(b->loop, true);
    assert_trace(b, "b");
}

static void post(void *context)
{
    struct job *job = context;

    tpi_loop_post(job->b->loop, &job->task);
}

static void another_thread_wakes_the_loop_by_posting(void **state)
{
    struct bench *b = *state;
    struct job job = job_of(b, 'a');
    tpi_thread *thread = NULL;

    assert_int_equal(tpi_thread_start(&thread, "poster", post, &job, &b->err), TP_OK);
    while (b->trace[0] == '\0') {
        tp_loop_turn(b->loop, true);
    }
    tpi_thread_join(thread);
    assert_trace(b, "a");
}

static void tasks_that_still_wait_are_run_when_the_loop_is_destroyed(void **state)
{
    struct bench *b = *state;
    struct job second = job_of(b, 'b');
    struct job first = job_of(b, 'a');

    first.next = &second;
    tpi_loop_post(b->loop, &first.task);
    tp_loop_destroy(b->loop);
    b->loop = NULL;
    assert_trace(b, "ab");
}

/* ---- After each turn ------------------------------------------------------------------------- */

struct later {
    tp_after after;
    struct bench *b;
    char letter;
    struct later *asks;    /* queued by this one */
    struct later *cancels; /* cancelled by this one */
};

static void run_later(tp_after *after)
{
    struct later *later = (struct later *)after;

    note(later->b, later->letter);
    if (later->asks != NULL) {
        tp_loop_after(later->b->loop, &later->asks->after);
    }
    if (later->cancels != NULL) {
        tp_loop_after_cancel(later->b->loop, &later->cancels->after);
    }
}

static struct later later_of(struct bench *b, char letter)
{
    return (struct later){.after.run = run_later, .b = b, .letter = letter};
}

static void what_is_asked_for_twice_is_done_once_after_the_turn(void **state)
{
    struct bench *b = *state;
    struct later a = later_of(b, 'a');
    struct later c = later_of(b, 'c');

    tp_loop_after(b->loop, &a.after);
    tp_loop_after(b->loop, &c.after);
    tp_loop_after(b->loop, &a.after);
    turn(b);
    assert_trace(b, "ac");
    turn(b);
    assert_trace(b, "");
    tp_loop_after(b->loop, &a.after);
    turn(b);
    assert_trace(b, "a");
}

static void it_is_done_after_the_tasks(void **state)
{
    struct bench *b = *state;
    struct later later = later_of(b, 'z');
    struct job job = job_of(b, 'a');

    tp_loop_after(b->loop, &later.after);
    tpi_loop_post(b->loop, &job.task);
    turn(b);
    assert_trace(b, "az");
}

static void what_is_asked_for_meanwhile_is_done_after_the_next_turn(void **state)
{
    struct bench *b = *state;
    struct later a = later_of(b, 'a');
    struct later c = later_of(b, 'c');

    a.asks = &a; /* itself, for ever */
    tp_loop_after(b->loop, &a.after);
    tp_loop_after(b->loop, &c.after);
    turn(b);
    assert_trace(b, "ac");
    tp_loop_turn(b->loop, true); /* has something to do, so it does not wait */
    assert_trace(b, "a");
    tp_loop_after_cancel(b->loop, &a.after);
    turn(b);
    assert_trace(b, "");
}

static void what_is_cancelled_is_not_done(void **state)
{
    struct bench *b = *state;
    struct later laters[] = {later_of(b, 'a'), later_of(b, 'b'), later_of(b, 'c')};

    for (size_t cancelled = 0; cancelled < 3; cancelled++) {
        for (size_t i = 0; i < 3; i++) {
            tp_loop_after(b->loop, &laters[i].after);
        }
        tp_loop_after_cancel(b->loop, &laters[cancelled].after);
        tp_loop_after_cancel(b->loop, &laters[cancelled].after);
        turn(b);
    }
    assert_trace(b, "bcacab");
}

static void the_last_one_can_be_cancelled_and_the_queue_goes_on(void **state)
{
    struct bench *b = *state;
    struct later a = later_of(b, 'a');
    struct later c = later_of(b, 'c');

    tp_loop_after(b->loop, &a.after);
    tp_loop_after_cancel(b->loop, &a.after);
    tp_loop_after(b->loop, &c.after);
    tp_loop_after(b->loop, &a.after);
    turn(b);
    assert_trace(b, "ca");
}

static void one_can_cancel_another_of_the_same_turn(void **state)
{
    struct bench *b = *state;
    struct later a = later_of(b, 'a');
    struct later c = later_of(b, 'c');
    struct later d = later_of(b, 'd');

    a.cancels = &c;
    d.cancels = &a; /* done already */
    d.asks = &a;
    tp_loop_after(b->loop, &a.after);
    tp_loop_after(b->loop, &c.after);
    tp_loop_after(b->loop, &d.after);
    turn(b);
    turn(b);
    assert_trace(b, "ad");
}

static void one_can_cancel_what_the_next_turn_would_do(void **state)
{
    struct bench *b = *state;
    struct later a = later_of(b, 'a');
    struct later c = later_of(b, 'c');
    struct later d = later_of(b, 'd');

    a.asks = &d;
    c.cancels = &d;
    tp_loop_after(b->loop, &a.after);
    tp_loop_after(b->loop, &c.after);
    turn(b);
    turn(b);
    assert_trace(b, "ac");
}

/* 32 in a turn, and what is urgent between the turns and before them. */
static void what_can_be_done_later_is_done_in_portions(void **state)
{
    struct bench *b = *state;
    struct later many[40];
    struct later urgent = later_of(b, 'U');
    struct job job = job_of(b, 'J');

    for (int i = 0; i < 40; i++) {
        many[i] = later_of(b, (char)('a' + i % 8));
        tp_loop_later(b->loop, &many[i].after);
    }
    tp_loop_later(b->loop, &many[0].after); /* once */
    tp_loop_after(b->loop, &urgent.after);
    turn(b);
    assert_trace(b, "Uabcdefghabcdefghabcdefghabcdefgh");
    tpi_loop_post(b->loop, &job.task);
    tp_loop_turn(b->loop, true); /* has something to do, so it does not wait */
    assert_trace(b, "Jabcdefgh");
}

/* What is posted meanwhile comes behind the rest, and is not forgotten. */
static void many_tasks_are_run_in_portions(void **state)
{
    enum { MANY = 200, OF_A_TURN = 128 };
    struct bench *b = *state;
    struct job *jobs = calloc(MANY + 1, sizeof *jobs);

    assert_non_null(jobs);
    for (int i = 0; i <= MANY; i++) {
        jobs[i] = job_of(b, i < MANY ? 'a' : 'z');
    }
    for (int i = 0; i < MANY; i++) {
        tpi_loop_post(b->loop, &jobs[i].task);
    }
    turn(b);
    assert_int_equal(strlen(b->trace), OF_A_TURN);
    tpi_loop_post(b->loop, &jobs[MANY].task);
    tp_loop_turn(b->loop, true); /* has something to do, so it does not wait */
    assert_int_equal(strlen(b->trace), MANY + 1);
    assert_int_equal(b->trace[MANY], 'z');
    free(jobs);
}

static void what_waits_can_become_urgent_or_be_cancelled(void **state)
{
    struct bench *b = *state;
    struct later laters[] = {later_of(b, 'a'), later_of(b, 'b'), later_of(b, 'c'),
                             later_of(b, 'd')};

    laters[3].asks = &laters[0]; /* in the next turn */
    for (int i = 0; i < 4; i++) {
        tp_loop_later(b->loop, &laters[i].after);
    }
    tp_loop_after(b->loop, &laters[2].after);
    tp_loop_later(b->loop, &laters[2].after); /* stays urgent */
    tp_loop_after_cancel(b->loop, &laters[1].after);
    turn(b);
    assert_trace(b, "cad");
    turn(b);
    assert_trace(b, "a");
}

static void timers_fire_before_tasks_and_in_the_order_of_their_times(void **state)
{
    struct bench *b = *state;
    struct later later = later_of(b, 'z');
    struct job job = job_of(b, 't');
    struct alarm alarms[4];

    for (int i = 0; i < 4; i++) {
        make_alarm(&alarms[i], b, (char)('a' + i));
    }
    tp_timer_at(alarms[0].timer, b->now_ns + 3);
    tp_timer_at(alarms[1].timer, b->now_ns + 1);
    tp_timer_at(alarms[2].timer, b->now_ns + 3);
    tp_timer_at(alarms[3].timer, b->now_ns + 2);
    tp_loop_after(b->loop, &later.after);
    tpi_loop_post(b->loop, &job.task);
    b->now_ns += 3;
    turn(b);
    assert_trace(b, "bdactz");
    for (int i = 0; i < 4; i++) {
        tp_timer_destroy(alarms[i].timer);
    }
}

/* ---- Running and stopping -------------------------------------------------------------------- */

static void stop_from_task(tpi_task *task)
{
    struct job *job = (struct job *)task;

    note(job->b, job->letter);
    tp_loop_stop(job->b->loop);
}

static void a_run_ends_with_the_turn_in_which_it_is_stopped(void **state)
{
    struct bench *b = *state;
    struct job job = job_of(b, 's');
    struct later later = later_of(b, 'z');

    for (int i = 0; i < 2; i++) { /* it can run again */
        job.task.run = stop_from_task;
        tpi_loop_post(b->loop, &job.task);
        tp_loop_after(b->loop, &later.after);
        tp_loop_run(b->loop);
        assert_trace(b, "sz");
    }
}

static void a_stop_before_the_run_ends_it_at_once(void **state)
{
    struct bench *b = *state;
    struct job job = job_of(b, 'a');

    tp_loop_stop(b->loop);
    tpi_loop_post(b->loop, &job.task);
    tp_loop_run(b->loop);
    assert_trace(b, "");
    turn(b);
    assert_trace(b, "a");
}

static void stop(void *context)
{
    tp_loop_stop(context);
}

static void another_thread_stops_the_loop(void **state)
{
    struct bench *b = *state;
    tpi_thread *thread = NULL;

    assert_int_equal(tpi_thread_start(&thread, "stopper", stop, b->loop, &b->err), TP_OK);
    tp_loop_run(b->loop);
    tpi_thread_join(thread);
}

static tp_loop *stopped_by_signal;

static void handle_by_stopping(int number)
{
    (void)number;
    tp_loop_stop(stopped_by_signal);
}

static void raise_signal(tpi_task *task)
{
    (void)task;
    raise(SIGUSR1);
}

static void a_signal_handler_stops_the_loop(void **state)
{
    const struct sigaction action = {.sa_handler = handle_by_stopping};
    struct bench *b = *state;
    tpi_task task = {.run = raise_signal};

    stopped_by_signal = b->loop;
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    tpi_loop_post(b->loop, &task);
    tp_loop_run(b->loop);
    signal(SIGUSR1, SIG_DFL);
}

struct visitor {
    tp_loop *loop;
    bool before;
    bool after;
};

static void look_and_turn(void *context)
{
    struct visitor *visitor = context;

    visitor->before = tp_loop_is_current(visitor->loop);
    tp_loop_turn(visitor->loop, false);
    visitor->after = tp_loop_is_current(visitor->loop);
}

static void the_loop_belongs_to_its_maker_until_another_thread_turns_it(void **state)
{
    struct bench *b = *state;
    struct visitor visitor = {.loop = b->loop};
    tpi_thread *thread = NULL;

    assert_true(tp_loop_is_current(b->loop));
    assert_int_equal(tpi_thread_start(&thread, "visitor", look_and_turn, &visitor, &b->err), TP_OK);
    tpi_thread_join(thread);
    assert_false(visitor.before);
    assert_true(visitor.after);
    assert_false(tp_loop_is_current(b->loop));
    turn(b);
    assert_true(tp_loop_is_current(b->loop));
}

static void the_loop_knows_its_clock(void **state)
{
    struct bench *b = *state;

    assert_ptr_equal(tp_loop_clock(b->loop), &b->clock);
    tp_loop_destroy(NULL);
}

/* ---- Waits ----------------------------------------------------------------------------------- */

static void nothing(void *context)
{
    (void)context;
}

static void spend(void *context)
{
    struct bench *b = context;

    b->now_ns += TP_NS_PER_S;
}

static void a_wait_is_what_lies_between_two_turns(void **state)
{
    struct bench *b = *state;
    tp_timer *timer = NULL;

    assert_int_equal(tp_timer_create(&timer, b->loop, spend, b, &b->err), TP_OK);
    turn(b);
    b->now_ns += 3 * TP_NS_PER_S;
    turn(b);
    assert_int_equal(tpi_loop_idle_ns(b->loop), 3 * TP_NS_PER_S); /* nothing was due */
    tp_timer_at(timer, b->now_ns + TP_NS_PER_S);
    turn(b);
    assert_int_equal(tpi_loop_idle_ns(b->loop), 0);
    b->now_ns += TP_NS_PER_S + 10 * TP_NS_PER_MS;
    turn(b);
    assert_int_equal(tpi_loop_idle_ns(b->loop), TP_NS_PER_S + 10 * TP_NS_PER_MS);
    turn(b); /* the one before has taken a second */
    assert_int_equal(tpi_loop_idle_ns(b->loop), 0);
    tp_timer_destroy(timer);
}

static void a_wait_that_ends_too_late_is_none(void **state)
{
    struct bench *b = *state;
    tp_timer *timer = NULL;

    assert_int_equal(tp_timer_create(&timer, b->loop, nothing, NULL, &b->err), TP_OK);
    tp_timer_at(timer, b->now_ns + TP_NS_PER_S);
    turn(b);
    b->now_ns += TP_NS_PER_S + 30 * TP_NS_PER_MS;
    turn(b);
    assert_int_equal(tpi_loop_idle_ns(b->loop), 0);
    tp_timer_destroy(timer);
}

/* ---- Signals --------------------------------------------------------------------------------- */

static void on_signal(void *context, int number)
{
    note(context, number == SIGUSR2 ? '2' : '?');
}

static void a_signal_is_an_event_of_the_loop(void **state)
{
    struct bench *b = *state;
    tp_signal *signal = NULL;

    assert_int_equal(tp_signal_create(&signal, b->loop, SIGUSR2, on_signal, b, &b->err), TP_OK);
    raise(SIGUSR2);
    assert_trace(b, "");
    while (b->trace[0] == '\0') {
        tp_loop_turn(b->loop, true);
    }
    assert_trace(b, "2");
    tp_signal_destroy(signal);
    tp_signal_destroy(NULL);
}

static void a_signal_that_cannot_be_caught_is_refused(void **state)
{
    struct bench *b = *state;
    tp_signal *signal = NULL;

    assert_int_equal(tp_signal_create(&signal, b->loop, SIGKILL, on_signal, b, &b->err), TP_E_IO);
    assert_string_equal(b->err.text, "signal 9: invalid argument");
    assert_null(signal);
}

static void handle_nothing(int number)
{
    (void)number;
}

static void broken_pipes_are_ignored_unless_somebody_handles_them(void **state)
{
    tp_loop *loop = NULL;
    struct sigaction action;

    (void)state;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(tp_loop_create(&loop, tp_clock_real(), NULL), TP_OK);
    tp_loop_destroy(loop);
    assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_IGN);
    assert_int_equal(sigaction(SIGXFSZ, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_IGN);

    signal(SIGPIPE, handle_nothing);
    assert_int_equal(tp_loop_create(&loop, tp_clock_real(), NULL), TP_OK);
    tp_loop_destroy(loop);
    assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
    assert_true(action.sa_handler == handle_nothing);
    signal(SIGPIPE, SIG_DFL);
}

/* ---- Memory and descriptors ------------------------------------------------------------------ */

static tp_status make_everything(void *context)
{
    struct bench *b = context;
    tp_loop *loop = NULL;
    tp_timer *timer = NULL;
    tp_signal *signal = NULL;

    tp_status status = tp_loop_create(&loop, &b->clock, &b->err);
    if (status == TP_OK) {
        status = tp_timer_create(&timer, loop, fire, b, &b->err);
    }
    if (status == TP_OK) {
        status = tp_signal_create(&signal, loop, SIGUSR1, on_signal, b, &b->err);
    }
    tp_signal_destroy(signal);
    tp_timer_destroy(timer);
    tp_loop_destroy(loop);
    return status;
}

static void running_out_of_memory_is_told(void **state)
{
    struct bench *b = *state;

    memory_sweep(make_everything, b);
    assert_string_equal(b->err.text, "signal 10: not enough memory"); /* the last one to fail */
}

static void running_out_of_descriptors_is_told(void **state)
{
    struct bench *b = *state;
    struct rlimit limit;
    tp_loop *loop = NULL;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    tp_status status = tp_loop_create(&loop, &b->clock, &b->err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(status, TP_E_IO);
    assert_string_equal(b->err.text, "event loop: too many open files");
}

static void busy_turn(struct bench *b, struct alarm *alarm, struct job *job, struct later *later)
{
    tp_timer_at(alarm->timer, b->now_ns + 1);
    tpi_loop_post(b->loop, &job->task);
    tp_loop_after(b->loop, &later->after);
    b->now_ns++;
    tp_loop_turn(b->loop, true);
    assert_trace(b, "ajl");
}

static void turning_allocates_nothing(void **state)
{
    struct bench *b = *state;
    struct job job = job_of(b, 'j');
    struct later later = later_of(b, 'l');
    struct alarm alarm;

    make_alarm(&alarm, b, 'a');
    busy_turn(b, &alarm, &job, &later);
    const size_t before = memory_allocations();
    const size_t uv_before = uv_allocations;
    for (int i = 0; i < 1000; i++) {
        busy_turn(b, &alarm, &job, &later);
    }
    assert_int_equal(memory_allocations(), before);
    assert_int_equal(uv_allocations, uv_before);
    tp_timer_destroy(alarm.timer);
}

int main(void)
{
#define LOOP_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        LOOP_TEST(a_posted_task_runs_once_in_the_next_turn),
        LOOP_TEST(tasks_run_in_the_order_of_posting),
        LOOP_TEST(a_task_posted_by_a_task_runs_in_the_next_turn_which_does_not_wait),
        LOOP_TEST(another_thread_wakes_the_loop_by_posting),
        LOOP_TEST(tasks_that_still_wait_are_run_when_the_loop_is_destroyed),
        LOOP_TEST(what_is_asked_for_twice_is_done_once_after_the_turn),
        LOOP_TEST(it_is_done_after_the_tasks),
        LOOP_TEST(what_is_asked_for_meanwhile_is_done_after_the_next_turn),
        LOOP_TEST(what_can_be_done_later_is_done_in_portions),
        LOOP_TEST(many_tasks_are_run_in_portions),
        LOOP_TEST(what_waits_can_become_urgent_or_be_cancelled),
        LOOP_TEST(what_is_cancelled_is_not_done),
        LOOP_TEST(the_last_one_can_be_cancelled_and_the_queue_goes_on),
        LOOP_TEST(one_can_cancel_another_of_the_same_turn),
        LOOP_TEST(one_can_cancel_what_the_next_turn_would_do),
        LOOP_TEST(timers_fire_before_tasks_and_in_the_order_of_their_times),
        LOOP_TEST(a_run_ends_with_the_turn_in_which_it_is_stopped),
        LOOP_TEST(a_stop_before_the_run_ends_it_at_once),
        LOOP_TEST(another_thread_stops_the_loop),
        LOOP_TEST(a_wait_is_what_lies_between_two_turns),
        LOOP_TEST(a_wait_that_ends_too_late_is_none),
        LOOP_TEST(a_signal_handler_stops_the_loop),
        LOOP_TEST(the_loop_belongs_to_its_maker_until_another_thread_turns_it),
        LOOP_TEST(the_loop_knows_its_clock),
        LOOP_TEST(a_signal_is_an_event_of_the_loop),
        LOOP_TEST(a_signal_that_cannot_be_caught_is_refused),
        cmocka_unit_test(broken_pipes_are_ignored_unless_somebody_handles_them),
        LOOP_TEST(running_out_of_memory_is_told),
        LOOP_TEST(running_out_of_descriptors_is_told),
        LOOP_TEST(turning_allocates_nothing),
    };
#undef LOOP_TEST

    uv_memory_count();
    return cmocka_run_group_tests_name("loop/loop", tests, NULL, NULL);
}
