/* verify_test.c - images that cannot be executed are refused; every image with one byte changed is
 * refused or executed within its bounds. */
#include "support/play.h"

static const char text[] = "device eye is Light Sensor\nchannel c\nlet x be 1000\nto f(a, b)\nlet "
                           "x be a\nreturn a + b * 0.5\n"
                           "end\nwhen eye > 5\nprint \"hello\", x\nend\nrepeat 3 times\nchange x "
                           "by f(x, 2)\nif x > 5 and x <> 7\n"
                           "send \"m\" to c\nelse\nprint max(1, x)\nend\nwait 0.1\nend\n";

static void seal(uint8_t *image, size_t length)
{
    const uint16_t sum =
        tpi_play_checksum(0xffff, image + TPI_PLAY_AT_VERSION, length - TPI_PLAY_AT_VERSION);

    image[TPI_PLAY_AT_CHECKSUM] = (uint8_t)(sum & 0xff);
    image[TPI_PLAY_AT_CHECKSUM + 1] = (uint8_t)(sum >> 8);
}

static void a_changed_image_without_its_checksum_is_refused(void **state)
{
    struct play *play = play_create();
    tp_error err = {0};

    (void)state;
    play_compile(play, text);
    uint8_t *image = (uint8_t *)play->program.image.data;
    const size_t length = play->program.image.length;
    for (size_t i = 0; i < length; i++) {
        image[i] ^= 0x10;
        assert_int_not_equal(tpi_play_verify(image, length, &err), TP_OK);
        image[i] ^= 0x10;
    }
    for (size_t i = 0; i < length; i++) {
        assert_int_not_equal(tpi_play_verify(image, i, &err), TP_OK);
    }
    assert_int_equal(tpi_play_verify(image, length, &err), TP_OK);
    play_destroy(play);
}

static void any_byte_may_change(void **state)
{
    static const uint8_t changes[] = {1, 2, 0x7f, 0x80, 0xff, 0x20, 5, 0xfe};
    struct play *play = play_create();
    unsigned accepted = 0, refused = 0;

    (void)state;
    play_compile(play, text);
    uint8_t *image = (uint8_t *)play->program.image.data;
    const size_t length = play->program.image.length;
    for (size_t i = 4; i < length; i++) {
        for (unsigned change = 0; change < sizeof changes; change++) {
            const uint8_t before = image[i];
            tp_error err = {0};
            image[i] ^= changes[change];
            seal(image, length);
            if (tpi_play_verify(image, length, &err) == TP_OK) {
                accepted++;
                play_begin(play);
                for (int turn = 0; turn < 50; turn++) {
                    const tpi_play_status status = tpi_play_run(&play->machine, 100);
                    if (status == TPI_PLAY_ASKS) {
                        play_serve(play);
                    }
                    play->machine.now_ms += 50;
                }
                tpi_buf_clear(&play->trace);
            } else {
                refused++;
                assert_true(err.text[0] != '\0');
            }
            image[i] = before;
        }
    }
    assert_true(accepted > 100);
    assert_true(refused > 100);
    seal(image, length);
    play_destroy(play);
}

static void refuses(struct play *play, size_t at, uint8_t value, const char *expected)
{
    uint8_t *image = (uint8_t *)play->program.image.data;
    const uint8_t before = image[at];
    tp_error err = {0};

    image[at] = value;
    seal(image, play->program.image.length);
    assert_int_not_equal(tpi_play_verify(image, play->program.image.length, &err), TP_OK);
    assert_string_equal(err.text, expected);
    image[at] = before;
    seal(image, play->program.image.length);
}

static void the_reason_is_named(void **state)
{
    struct play *play = play_create();

    (void)state;
    play_compile(play, "let x be 5\nforever\nend");
    /* Header 18, one task of 3: INT r0 5 at 21, LOOP at 24, END at 27. */
    refuses(play, 4, 9, "the program has version 9, this is version 1");
    refuses(play, 21, 200, "the program's code at byte 21: there is no such instruction");
    refuses(play, 22, 9, "the program's code at byte 21: there is no such register");
    refuses(play, 24, TPI_PLAY_OP_JUMP, "the program's code at byte 24: the jump leads nowhere");
    refuses(play, 27, TPI_PLAY_OP_MOVE, "the program's code at byte 27: the instruction is cut");
    refuses(play, 25, 0xfe, "the program's code at byte 24: the jump leads nowhere");
    refuses(play, 18, 22,
            "the program's code at byte 22: a task or function begins at a wrong place");
    refuses(play, 24, TPI_PLAY_OP_RETURN,
            "the program's code at byte 24: there is no function to return from");
    play_destroy(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_image_without_its_checksum_is_refused),
        cmocka_unit_test(any_byte_may_change),
        cmocka_unit_test(the_reason_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
