/* speech_test.c - what the programs are told, one text after the other. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "conformance/play.h"
#include "troupe/interfaces/speech.h"

extern const tp_driver tp_driver_espeak;
extern const tp_driver tp_driver_festival;

static char path[64];

static play *begin(const tp_driver *driver, const char *script, const char *more)
{
    static char settings[160];

    snprintf(path, sizeof path, "/tmp/troupe-speech-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(path, script, strlen(script), NULL), TP_OK);
    snprintf(settings, sizeof settings, "line=script:%s %s", path, more);
    return play_begin(driver, "speech:0", settings);
}

static void end(play *p)
{
    play_destroy(p);
    unlink(path);
}

static tp_status say(play *p, const char *text)
{
    const tp_speech_cmd ask = {.string_count = (uint32_t)strlen(text) + 1,
                               .string = play_chars(text)};

    return bench_command(&p->b, p->device, TP_SPEECH_CMD_SAY, &ask);
}

/* A script refuses what it does not expect, and the line then fails. */
static void assert_running(play *p)
{
    play_pass(p, 0.2);
    assert_int_equal(say(p, "end"), TP_OK);
    assert_null(play_last(p, TP_COMMON_DATA_ERROR));
}

static void texts_are_lines_one_after_the_other(void **state)
{
    play *p = begin(&tp_driver_espeak,
                    "> hello, world\\n\n> two  lines quit \\n\n> \xc3\xa9t\xc3\xa9\\n\n> end\\n\n"
                    "silence\n",
                    "");

    (void)state;
    assert_int_equal(say(p, "hello, world"), TP_OK);
    assert_int_equal(say(p, "two\r\nlines\x01quit\""), TP_OK); /* waits */
    play_pass(p, 2);
    assert_int_equal(say(p, "\xc3\xa9t\xc3\xa9"), TP_OK);
    play_pass(p, 3);
    play_pass(p, 3);
    assert_running(p);
    end(p);
}

static void a_full_queue_refuses(void **state)
{
    play *p = begin(&tp_driver_espeak, "> a long text\\n\nsilence\n", "queuelen=2");

    (void)state;
    assert_int_equal(say(p, "a long text"), TP_OK);
    assert_int_equal(say(p, "b"), TP_OK);
    assert_int_equal(say(p, "c"), TP_OK);
    assert_int_equal(say(p, "d"), TP_E_LIMIT);
    assert_string_equal(p->b.err.text, "2 texts wait to be spoken; no more do");
    end(p);
}

static void festival_says_when_it_has_spoken(void **state)
{
    play *p = begin(&tp_driver_festival,
                    "> (begin (SayText \"one   two\") (format t \"spoken\\\\n\") (fflush t))\\n\n"
                    "+1 < spoken\\n\n"
                    "> (begin (SayText \"three\") (format t \"spoken\\\\n\") (fflush t))\\n\n"
                    "silence\n",
                    "");

    (void)state;
    assert_int_equal(say(p, "one \"\\two"), TP_OK); /* nothing ends the literal */
    assert_int_equal(say(p, "three"), TP_OK);
    play_pass(p, 1.5);
    play_pass(p, 0.5);
    assert_int_equal(say(p, "four"), TP_OK);
    assert_null(play_last(p, TP_COMMON_DATA_ERROR));
    end(p);
}

static void a_program_that_ends_is_a_failure(void **state)
{
    play *p = begin(&tp_driver_espeak, "+0.1 hang-up\n", "");

    (void)state;
    bench_move_clock(&p->b, 1);
    const tp_failure *failure = play_last(p, TP_COMMON_DATA_ERROR);
    failure = failure != NULL ? failure : bench_await(&p->r, TP_COMMON_DATA_ERROR);
    assert_non_null(strstr(failure->text, "the hardware hung up"));
    end(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_lines_one_after_the_other),
        cmocka_unit_test(a_full_queue_refuses),
        cmocka_unit_test(festival_says_when_it_has_spoken),
        cmocka_unit_test(a_program_that_ends_is_a_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
