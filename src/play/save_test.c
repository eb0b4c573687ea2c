/* save_test.c - a program goes on from any of its states; damaged states are refused or harmless.
 */
#include "play/save.h"

#include "support/play.h"

static const char text[] = "device eye is Light Sensor\nchannel c\nlet m be \"\"\nlet n be 0\nto "
                           "f(a)\nlet b be a\nif a > 3\n"
                           "wait 0.1\nreturn b\nend\nreturn f(a + 1) + b\nend\nstart other\nrepeat "
                           "3 times\nprint f(n), m\n"
                           "change n by 1\nlet m be message from c\nend\nprint eye\ntask "
                           "other\nrepeat 4 times\nprint \"o\", time()\n"
                           "wait 0.05\nend\nend\n";

/* Save and restore before every step. */
static void a_program_goes_on_from_every_state(void **state)
{
    struct play *play = play_create();
    tpi_buf expected = {0};
    bool is_over = false;

    (void)state;
    play->message = "hey";
    tpi_buf_puts(&expected, play_run(play, text));
    play_compile(play, text);
    play_begin(play);
    for (int i = 0; i < 2000 && !is_over; i++) {
        tpi_buf saved = {0};
        tp_error err = {0};
        const int32_t now_ms = play->machine.now_ms;
        tpi_play_save(&saved, &play->machine);
        play_begin(play);
        if (tpi_play_restore(&play->machine, (const uint8_t *)saved.data, saved.length, &err) !=
            TP_OK) {
            fail_msg("%s", err.text);
        }
        assert_int_equal(play->machine.now_ms, now_ms);
        tpi_buf_fini(&saved);
        const tpi_play_status status = tpi_play_run(&play->machine, 1);
        if (status == TPI_PLAY_ASKS) {
            play_serve(play);
        } else if (status == TPI_PLAY_WAITS) {
            play->machine.now_ms = tpi_play_wake_ms(&play->machine);
        }
        is_over = status == TPI_PLAY_DONE;
    }
    assert_true(is_over);
    assert_string_equal(tpi_buf_text(&play->trace), tpi_buf_text(&expected));
    tpi_buf_fini(&expected);
    play_destroy(play);
}

static void a_damaged_state_is_refused_or_harmless(void **state)
{
    struct play *play = play_create();
    tpi_buf saved = {0};
    uint32_t random = 5;
    unsigned refused = 0;

    (void)state;
    play->message = "hey";
    play_compile(play, text);
    play_begin(play);
    for (int i = 0; i < 9; i++) {
        if (tpi_play_run(&play->machine, 3) == TPI_PLAY_ASKS) {
            play_serve(play);
        }
    }
    tpi_play_save(&saved, &play->machine);
    for (int i = 0; i < 4000; i++) {
        /* Most of the state are cells of frames that nobody uses: the beginning is damaged more. */
        const size_t at = tpi_play_random(&random) % (i % 2 == 0 ? 140 : saved.length);
        const char before = saved.data[at];
        saved.data[at] = (char)tpi_play_random(&random);
        play_begin(play);
        if (tpi_play_restore(&play->machine, (const uint8_t *)saved.data, saved.length, NULL) !=
            TP_OK) {
            refused++;
        } else {
            for (int turn = 0; turn < 30; turn++) {
                if (tpi_play_run(&play->machine, 20) == TPI_PLAY_ASKS) {
                    play_serve(play);
                }
                play->machine.now_ms = (int32_t)((uint32_t)play->machine.now_ms + 50u);
            }
            tpi_buf_clear(&play->trace);
        }
        saved.data[at] = before;
    }
    assert_true(refused > 500);
    for (size_t length = 0; length < 200; length++) {
        play_begin(play);
        assert_int_not_equal(
            tpi_play_restore(&play->machine, (const uint8_t *)saved.data, length, NULL), TP_OK);
    }
    tpi_buf_fini(&saved);
    play_destroy(play);
}

static void the_state_of_another_program_is_refused(void **state)
{
    struct play *play = play_create();
    tpi_buf saved = {0};
    tp_error err = {0};

    (void)state;
    play_compile(play, "print 1\n");
    play_begin(play);
    tpi_play_save(&saved, &play->machine);
    play_compile(play, "print 2\n");
    play_begin(play);
    assert_int_equal(
        tpi_play_restore(&play->machine, (const uint8_t *)saved.data, saved.length, &err),
        TP_E_INVALID);
    assert_string_equal(err.text, "this is no state of this program");
    tpi_buf_fini(&saved);
    play_destroy(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_goes_on_from_every_state),
        cmocka_unit_test(a_damaged_state_is_refused_or_harmless),
        cmocka_unit_test(the_state_of_another_program_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
