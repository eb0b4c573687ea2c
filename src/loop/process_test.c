/* process_test.c - children that end by themselves, with their parent, or not at all. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/process.h"

struct bench {
    tp_loop *loop;
    tp_process *process;
    tp_error err;
    unsigned ended;
    int64_t code;
    int signal;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    assert_int_equal(tp_loop_create(&b->loop, tp_clock_real(), &b->err), TP_OK);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    tp_process_destroy(b->process);
    tp_loop_destroy(b->loop);
    free(b);
    return 0;
}

static void on_ended(void *context, int64_t code, int signal)
{
    struct bench *b = context;

    b->ended++;
    b->code = code;
    b->signal = signal;
}

static tp_status start(struct bench *b, const char *script, const char *text)
{
    const char *const arguments[] = {"/bin/sh", "-c", script, NULL};

    return tp_process_start(&b->process, b->loop, arguments, text, on_ended, b, &b->err);
}

static void wait_for_end(struct bench *b)
{
    while (b->ended == 0) {
        tp_loop_turn(b->loop, true);
    }
    assert_int_equal(b->ended, 1);
}

static void tells_the_exit_code(void **state)
{
    struct bench *b = *state;

    assert_int_equal(start(b, "exit 7", NULL), TP_OK);
    assert_true(tp_process_number(b->process) > 1);
    assert_int_equal(b->ended, 0);
    wait_for_end(b);
    assert_int_equal(b->code, 7);
    assert_int_equal(b->signal, 0);
}

static void tells_the_signal_that_killed_it(void **state)
{
    struct bench *b = *state;

    assert_int_equal(start(b, "kill -9 $$", NULL), TP_OK);
    wait_for_end(b);
    assert_int_equal(b->signal, SIGKILL);
}

static void reads_the_text_it_was_given(void **state)
{
    struct bench *b = *state;

    assert_int_equal(start(b, "test \"$(cat /dev/fd/3)\" = \"play it\"", "play it"), TP_OK);
    wait_for_end(b);
    assert_int_equal(b->code, 0);
}

/* Not only a pipe's worth of it. */
static void reads_a_long_text(void **state)
{
    struct bench *b = *state;
    enum { LENGTH = 300000 };
    char *text = malloc(LENGTH + 1);

    assert_non_null(text);
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    assert_int_equal(start(b, "test $(wc -c <&3) -eq 300000", text), TP_OK);
    free(text);
    wait_for_end(b);
    assert_int_equal(b->code, 0);
}

static void refuses_a_program_that_is_not_there(void **state)
{
    struct bench *b = *state;
    const char *const arguments[] = {"/nowhere/at all", NULL};

    assert_int_equal(tp_process_start(&b->process, b->loop, arguments, NULL, on_ended, b, &b->err),
                     TP_E_IO);
    assert_string_equal(b->err.text, "/nowhere/at all: no such file or directory");
    assert_null(b->process);
}

/* The child ends when its input does; destroying the loop waits for that. */
static void ends_with_its_lifeline(void **state)
{
    struct bench *b = *state;
    char path[] = "/tmp/troupe-process-XXXXXX";
    char script[128];
    FILE *file = fdopen(mkstemp(path), "r");

    assert_non_null(file);
    (void)snprintf(script, sizeof script, "cat; echo ended in order > %s", path);
    assert_int_equal(start(b, script, NULL), TP_OK);
    tp_process_destroy(b->process);
    b->process = NULL;
    tp_loop_destroy(b->loop);
    char line[64] = "";
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "ended in order\n");
    (void)fclose(file);
    assert_int_equal(remove(path), 0);
    assert_int_equal(b->ended, 0);
    assert_int_equal(tp_loop_create(&b->loop, tp_clock_real(), &b->err), TP_OK);
}

/* One that does not listen is killed, which is all that lets this test end. */
static void kills_a_child_that_does_not_end(void **state)
{
    struct bench *b = *state;

    assert_int_equal(start(b, "trap '' TERM INT; while :; do :; done", NULL), TP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tells_the_exit_code, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tells_the_signal_that_killed_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_the_text_it_was_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_a_long_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_a_program_that_is_not_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ends_with_its_lifeline, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kills_a_child_that_does_not_end, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
