/* dialog_stop_test.c - stops of a robot that drops what comes before its answer (SRV-1): they are
 * written again until it has heard one. */
#include "support/memory.h"
#include "support/universal.h"
#include "universal/dialog.h"

enum { MS = 1000000 };

struct bench {
    tpi_vocabulary *vocabulary;
    tpi_robotfile *robot;
    tpi_wired *wired;
    tpi_dialog *dialog;
    char sent[64]; /* the letter of each instruction */
    int64_t now_ns;
};

static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    char *sent = ((struct bench *)context)->sent;

    (void)frame;
    (void)length;
    assert_true(body_length > 0 && strlen(sent) + 1 < sizeof((struct bench *)context)->sent);
    sent[strlen(sent)] = (char)body[0];
}

static struct bench *start(void)
{
    struct bench *b = calloc(1, sizeof *b);
    const tpi_dialog_hooks hooks = {.write = on_write, .context = b};

    assert_non_null(b);
    b->vocabulary = universal_vocabulary();
    b->robot = universal_file(b->vocabulary, "robots/srv1.xml");
    b->wired = universal_wired(b->robot, NULL);
    assert_int_equal(tpi_dialog_create(&b->dialog, b->wired, &hooks, NULL), TP_OK);
    b->now_ns = 1000 * (int64_t)MS;
    tpi_dialog_connected(b->dialog, b->now_ns);
    tpi_dialog_assume_ready(b->dialog);
    return b;
}

static void finish(struct bench *b)
{
    tpi_dialog_destroy(b->dialog);
    tpi_wired_destroy(b->wired);
    tpi_robotfile_destroy(b->robot);
    tpi_vocabulary_destroy(b->vocabulary);
    free(b);
}

static void begin(struct bench *b, tpi_command command, const char *device)
{
    const tpi_dialog_order order = {.command = command,
                                    .part = tpi_wired_part(b->wired, device, -1)};

    assert_int_equal(tpi_dialog_begin(b->dialog, &order, b->now_ns), TP_OK);
}

static void receive(struct bench *b, const char *text)
{
    tpi_dialog_receive(b->dialog, (const uint8_t *)text, strlen(text), b->now_ns);
}

/* Only what a driver sees: ticks of 5 ms. */
static void pass(struct bench *b, int ms)
{
    for (const int64_t end = b->now_ns + (int64_t)ms * MS; b->now_ns < end; b->now_ns += 5 * MS) {
        tpi_dialog_tick(b->dialog, b->now_ns);
    }
}

static void a_stop_of_an_idle_robot_is_written_once(void **state)
{
    struct bench *b = start();

    (void)state;
    begin(b, TPI_READ_COUNT, "Laser Range");
    receive(b, "##Range(cm) = 85\r\n");
    tpi_dialog_stop(b->dialog, b->now_ns);
    pass(b, 900);
    assert_string_equal(b->sent, "RM");
    assert_false(tpi_dialog_is_busy(b->dialog));
    finish(b);
}

static void a_stop_before_an_answer_is_written_again_behind_it(void **state)
{
    struct bench *b = start();

    (void)state;
    begin(b, TPI_READ_COUNT, "Laser Range");
    tpi_dialog_stop(b->dialog, b->now_ns);
    assert_int_equal(tpi_dialog_outcome(b->dialog)->fault, TPI_FAULT_STOPPED);
    assert_true(tpi_dialog_is_busy(b->dialog));
    pass(b, 100);
    receive(b, "##Range(cm) = ");
    pass(b, 15);
    receive(b, "85\r\n");
    assert_string_equal(b->sent, "RM");
    pass(b, 30);
    assert_string_equal(b->sent, "RMM");
    assert_false(tpi_dialog_is_busy(b->dialog));
    receive(b, "#M");
    pass(b, 500);
    assert_string_equal(b->sent, "RMM");
    finish(b);
}

static void a_robot_that_answers_late_is_stopped_all_the_same(void **state)
{
    struct bench *b = start();

    (void)state;
    begin(b, TPI_READ_BUFFER, "Camera");
    tpi_dialog_stop(b->dialog, b->now_ns);
    pass(b, 700);
    assert_string_equal(b->sent, "IMMMM");
    assert_true(tpi_dialog_is_busy(b->dialog));
    receive(b, "##IMJ5");
    pass(b, 30);
    assert_string_equal(b->sent, "IMMMMM");
    assert_false(tpi_dialog_is_busy(b->dialog));
    finish(b);
}

static void a_robot_that_never_answers_is_given_up(void **state)
{
    struct bench *b = start();

    (void)state;
    begin(b, TPI_READ_COUNT, "Laser Range");
    tpi_dialog_stop(b->dialog, b->now_ns);
    pass(b, 10000);
    assert_int_equal(strspn(b->sent + 1, "M"), 26);
    assert_int_equal(b->sent[27], 't'); /* it is asked whether it lives */
    finish(b);
}

static void a_keep_alive_does_not_give_way(void **state)
{
    struct bench *b = start();

    (void)state;
    begin(b, TPI_READ_COUNT, "Laser Range");
    receive(b, "##Range(cm) = 85\r\n");
    pass(b, 1005);
    assert_string_equal(b->sent, "Rt");
    assert_true(tpi_dialog_is_busy(b->dialog));
    tpi_dialog_stop(b->dialog, b->now_ns);
    receive(b, "##time - millisecs:  5\r\n");
    pass(b, 30);
    assert_string_equal(b->sent, "RtMM");
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_of_an_idle_robot_is_written_once),
        cmocka_unit_test(a_stop_before_an_answer_is_written_again_behind_it),
        cmocka_unit_test(a_robot_that_answers_late_is_stopped_all_the_same),
        cmocka_unit_test(a_robot_that_never_answers_is_given_up),
        cmocka_unit_test(a_keep_alive_does_not_give_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
