/* machine_test.c - programs do what they say: arithmetic, tasks, waits, faults, bounds. */
#include "play/machine.h"

#include "support/play.h"

static int set_up(void **state)
{
    *state = play_create();
    return 0;
}

static int tear_down(void **state)
{
    play_destroy(*state);
    return 0;
}

static void does(struct play *play, const char *text, const char *expected)
{
    assert_string_equal(play_run(play, text), expected);
    assert_int_equal(play->machine.fault, TPI_PLAY_FINE);
}

static void integers_wrap_and_division_gives_floats(void **state)
{
    does(*state, "print 7 / 2, 8 / 2, 7 mod 3, -7 mod 3, 7 mod -3", " 3.5 4 1 2 -2\n");
    does(*state, "let x be 2147483647\nprint x + 1, x * 2, -x - 2", " -2147483648 -2 2147483647\n");
    does(*state, "print 1 + 0.5, 2 * 0.25, 5.5 mod 2, -5.5 mod 2", " 1.5 0.5 1.5 0.5\n");
    does(*state, "print 1 / 0, -1 / 0, 0 / 0", " Infinity -Infinity NaN\n");
    does(*state, "let d be -1\nprint -2147483647 - 1, (-2147483647 - 1) mod d", " -2147483648 0\n");
    does(*state, "print 2 - 3 - 4, 2 * 3 + 4, 2 + 3 * 4, -2 * -3, 10 - 4 / 2", " -5 10 14 6 8\n");
    does(*state, "let a be 3\nprint 2 - a, 2 < a, 10 / a * 3, 100 - a, 0.5 * a, 1000 < a",
         " -1 true 10 97 1.5 false\n");
}

static void truth_and_comparing(void **state)
{
    does(*state, "print 1 < 2, 1 > 2, 1 = 1.0, 2 <> 2, 1 <= 1, 1 >= 2",
         " true false true false true false\n");
    does(*state, "print true and false, true or false, not true, 1 = 1 and not 2 = 3",
         " false true false true\n");
    does(*state, "let n be 1\nprint \"a\" = \"a\", \"a\" <> \"b\", \"a\" = n, true = 1",
         " true true false true\n");
    does(*state, "let n be 0 / 0\nprint n = n, n < 1, n >= 1, not n < 1, n <> n",
         " false false false true true\n");
    does(*state, "let x be 5\nlet x be x > 3\nprint x", " true\n");
    does(*state,
         "let a be 0\nif a = 1 or a = 0 and not a = 2\n print 1\nend\nif not (a = 0 or a = 3)\n "
         "print 2\nend",
         " 1\n");
}

static void built_in_functions(void **state)
{
    does(*state,
         "print abs(-5), abs(-0.5), min(2, 3), max(2, 3.5), round(2.5), round(-2.5), round(7)",
         " 5 0.5 2 3.5 3 -3 7\n");
    does(*state, "print sqrt(16), sin(30), cos(60), sin(180), cos(90), atan2(1, 1), exp(0)",
         " 4 0.5 0.5 0 0 45 1\n");
    does(*state, "wait 1.5\nprint time()", " 1.5\n");
    does(*state,
         "repeat 50 times\nlet r be random(3, 5)\nif r < 3 or r > 5\nprint r\nend\nend\n"
         "let r be random(0, 1.0)\nprint r > 0 and r < 1",
         " true\n");
}

static void loops_and_functions(void **state)
{
    does(*state, "let i be 0\nwhile i < 3\nchange i by 1\nif i = 2\nbreak\nend\nend\nprint i",
         " 2\n");
    does(*state, "repeat 2 times\nrepeat 1.6 times\nprint 1\nend\nend", " 1\n 1\n 1\n 1\n");
    does(*state, "repeat 1 - 2 times\nprint 1\nend\nprint 2", " 2\n");
    does(*state,
         "to fib(n)\nif n < 2\nreturn n\nend\nreturn fib(n - 1) + fib(n - 2)\nend\nprint fib(15)",
         " 610\n");
    does(*state,
         "let total be 0\nto add(x)\nlet total be total + x\nlet own be "
         "x\nend\nadd(2)\nadd(3)\nprint total, add(1)",
         " 5 0\n");
    does(*state, "let x be 1\nto f()\nlet x be 10\nreturn 1\nend\nprint x + f(), x", " 2 10\n");
    does(*state, "to f(a, b)\nlet c be a - b\nreturn c * 2\nend\nprint f(f(5, 3), 1)", " 6\n");
    does(*state,
         "forever\nif 1 > 0\nbreak\nelse if 2 > 1\nprint 5\nelse\nprint 6\nend\nend\nprint 7",
         " 7\n");
}

static void devices_are_read_and_written(void **state)
{
    static const double readings[] = {12, 300};
    struct play *play = *state;

    play->readings = readings;
    play->reading_count = 2;
    does(play, "device eye is Light Sensor\ndevice far is Distance Sensor\nprint eye, far",
         "ReadAnalog #0\nReadCount #1\n 12 300\n");
    does(play, "device c is Compass\nprint c, c > 1 deg",
         "ReadCount #0\nReadCount #0\n 1.2 true\n");
    does(play, "device ear is Sound Sensor\nprint ear\nif ear > 20 dB\nprint 1\nend",
         "ReadAnalog #0\n 12\nReadCount #0\n 1\n");
    does(play, "device bump is Bump Sensor\nprint bump", "ReadDigital #0\n true\n");
    does(
        play,
        "device lamp is LED\ndevice arm is Servo\ndevice left is Left Wheel\nset lamp to true\nset "
        "lamp to 40\nset arm to 45 deg\nmove left at 30 %\ndrive 50\ndrive 0 turn 60\nstop\nstop "
        "left\nshow \"hi\"\nshow 5\ntone 440 for 0.5",
        "IndicateTrigger #0 true\nIndicateValue #0 40\nWriteServo #1 45\nMovePower #2 30\nDrive "
        "50\n"
        "Drive 0 60\nStop\nStop #2\nDisplayString \"hi\"\nDisplayValue 5\nTone 440 500\n");
    does(
        play,
        "device ball is Blob\nlet x, y, size be do Track ball\nprint x, y, size\ndo WaitTime 0.5 s",
        "Track #0\n 12 300 12\nWaitTime 500\n");
    does(play, "print 30 cm, 0.5 m, 500 ms, 2 min, 45 deg, 20 %", " 300 500 0.5 120 45 20\n");
}

static void messages_and_logs(void **state)
{
    struct play *play = *state;

    play->message = "go";
    does(play,
         "channel crew is \"all\"\nsend \"hello\" to crew\nsend 5 to crew\nlet m be message from "
         "crew\n"
         "if m = \"go\"\nprint m\nend\nlog eye, 5\nsay m",
         "WriteMessage #0 \"hello\"\nWriteMessage #0 5\nReadMessage #0\n \"go\"\nlog \"eye\" 5\n"
         "WriteString #0 \"go\"\n");
    assert_string_equal(play->program.channels[0].text, "all");
    assert_string_equal(play->program.devices[0].classes, "Voice, Display");
}

static void tasks_switch_at_the_ends_of_loops_only(void **state)
{
    does(*state,
         "let x be 0\nstart other\nrepeat 3 times\nprint \"a\", x\nend\ntask other\nrepeat 2 "
         "times\nchange x "
         "by 1\nprint \"b\", x\nend\nend",
         " \"a\" 0\n \"b\" 1\n \"a\" 1\n \"b\" 2\n \"a\" 2\n");
}

static void waiting_tasks_let_others_run(void **state)
{
    does(*state,
         "start blink\nwait 0.25 s\nprint \"main\"\nstop blink\ntask blink\nforever\nprint "
         "time()\nwait 0.1 "
         "s\nend\nend",
         " 0\n 0.1\n 0.2\n \"main\"\n");
}

static void a_handler_runs_when_its_condition_becomes_true(void **state)
{
    static const double readings[] = {0, 1, 1, 0, 1, 1, 1, 1};
    struct play *play = *state;

    play->readings = readings;
    play->reading_count = 8;
    play_compile(
        play,
        "device b is Button\nlet n be 0\nwhen b\nchange n by 1\nprint n\nif n = 2\nstop\nend\nend");
    play_begin(play);
    for (int i = 0; i < 16; i++) {
        assert_int_equal(tpi_play_run(&play->machine, 100), TPI_PLAY_ASKS);
        play_serve(play);
    }
    tpi_buf text = {0};
    for (const char *c = tpi_buf_text(&play->trace); *c != '\0';) {
        const size_t length = strcspn(c, "\n") + 1;
        if (*c == ' ' || strncmp(c, "Stop", 4) == 0) {
            tpi_buf_put(&text, c, length);
        }
        c += length;
    }
    assert_string_equal(tpi_buf_text(&text), " 1\n 2\nStop\n 3\n");
    tpi_buf_fini(&text);
}

static void waiting_until_ends_in_time(void **state)
{
    static const double readings[] = {0, 0, 0, 80};
    struct play *play = *state;

    play->readings = readings;
    play->reading_count = 4;
    does(play, "device eye is Light Sensor\nwait until eye > 50\nprint 1",
         "ReadAnalog #0\nReadAnalog #0\nReadAnalog #0\nReadAnalog #0\n 1\n");
    play_compile(play, "wait until 1 > 2 at most 0.3 s\nprint time() >= 0.3 and time() < 0.4");
    play_begin(play);
    assert_int_equal(play_go(play, 50), TPI_PLAY_DONE);
    assert_string_equal(tpi_buf_text(&play->trace), " true\n");
}

static void faults(struct play *play, const char *text, tpi_play_fault fault, unsigned line)
{
    play_run(play, text);
    assert_int_equal(play->machine.fault, fault);
    assert_int_equal(tpi_play_program_line(&play->program, play->machine.fault_pc), line);
    assert_int_equal(tpi_play_run(&play->machine, 10), TPI_PLAY_FAULTED);
}

/* The checker cannot know that the loop is executed. */
#define TEXT_X "repeat 1 times\nlet x be \"a\"\nend\n"

static void what_cannot_be_computed_is_a_fault_with_its_line(void **state)
{
    struct play *play = *state;

    faults(play, "let x be 0\nprint 1\nprint 5 mod x\nprint 2", TPI_PLAY_DIVISOR, 3);
    faults(play, "let x be 0.0\nprint 5 mod x", TPI_PLAY_DIVISOR, 2);
    faults(play, TEXT_X "\nlet x be x + 1", TPI_PLAY_NOT_A_NUMBER, 5);
    faults(play, TEXT_X "if x < 1\nend", TPI_PLAY_NOT_A_NUMBER, 4);
    faults(play, TEXT_X "wait x", TPI_PLAY_NOT_A_NUMBER, 4);
    faults(play, TEXT_X "print -x", TPI_PLAY_NOT_A_NUMBER, 4);
    faults(play, TEXT_X "print sin(x)", TPI_PLAY_NOT_A_NUMBER, 4);
    faults(play, "to f(n)\nreturn f(n + 1) + 1\nend\nprint f(1)", TPI_PLAY_TOO_DEEP, 2);
}

static void a_runaway_program_uses_its_budget_only(void **state)
{
    struct play *play = *state;

    play_compile(play, "forever\nend");
    play_begin(play);
    assert_int_equal(tpi_play_run(&play->machine, 1000), TPI_PLAY_RUNS);
    /* Calls count too: this one would make 2^200 of them. */
    play_compile(play,
                 "to f(n)\nif n = 0\nreturn 1\nend\nreturn f(n - 1) + f(n - 1)\nend\nprint f(200)");
    play_begin(play);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(tpi_play_run(&play->machine, 1000), TPI_PLAY_RUNS);
    }
}

static void a_long_text_is_cut_and_slots_are_used_again(void **state)
{
    struct play *play = *state;

    play->message = "0123456789012345678901234567890123456789";
    does(play, "channel c\nlet m be message from c\nprint m",
         "ReadMessage #0\n \"0123456789012345678901234567890\"\n");
    play->message = "x";
    play_compile(play, "channel c\nrepeat 100 times\nlet m be message from c\nend\nprint m");
    play_begin(play);
    assert_int_equal(play_go(play, 1000), TPI_PLAY_DONE);
    play_compile(
        play,
        "channel c\nlet a1 be message from c\nlet a2 be message from c\nlet a3 be message from "
        "c\nlet a4 be message from c\nlet a5 be message from c\nlet a6 be message from c\nlet a7 "
        "be "
        "message from c\nlet a8 be message from c\nlet a9 be message from c");
    play_begin(play);
    assert_int_equal(play_go(play, 1000), TPI_PLAY_FAULTED);
    assert_int_equal(play->machine.fault, TPI_PLAY_NO_SLOT);
}

static void a_refused_command_ends_the_program(void **state)
{
    struct play *play = *state;

    play_compile(play, "print 1\ndrive 5\nprint 2");
    play_begin(play);
    assert_int_equal(tpi_play_run(&play->machine, 10), TPI_PLAY_ASKS);
    tpi_play_answer(&play->machine);
    assert_int_equal(tpi_play_run(&play->machine, 10), TPI_PLAY_ASKS);
    tpi_play_refuse(&play->machine);
    assert_int_equal(tpi_play_run(&play->machine, 10), TPI_PLAY_FAULTED);
    assert_int_equal(tpi_play_program_line(&play->program, play->machine.fault_pc), 2);
}

static void too_little_memory_is_refused(void **state)
{
    struct play *play = *state;
    const tpi_play_memory memory = {play->cells, 2, play->frames,   4, play->slots,
                                    1,           8, play->constants};

    play_compile(play, "let a be 1\nlet b be 2\nlet c be 3\nprint a, b, c");
    assert_false(
        tpi_play_init(&play->machine, (const uint8_t *)play->program.image.data, &memory, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(integers_wrap_and_division_gives_floats, set_up, tear_down),
        cmocka_unit_test_setup_teardown(truth_and_comparing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(built_in_functions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(loops_and_functions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(devices_are_read_and_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(messages_and_logs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tasks_switch_at_the_ends_of_loops_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(waiting_tasks_let_others_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_handler_runs_when_its_condition_becomes_true, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(waiting_until_ends_in_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_computed_is_a_fault_with_its_line, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_runaway_program_uses_its_budget_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_text_is_cut_and_slots_are_used_again, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_refused_command_ends_the_program, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_little_memory_is_refused, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
