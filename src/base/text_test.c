/* text_test.c - nearest names, hexadecimal text, UTF-8. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"

/* The best of three candidates, NULL if none is close. */
static const char *nearest_of(const char *word, const char *a, const char *b, const char *c)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, word);
    tpi_nearest_offer(&nearest, a);
    tpi_nearest_offer(&nearest, b);
    tpi_nearest_offer(&nearest, c);
    return nearest.best;
}

static void assert_nearest(const char *word, const char *wanted)
{
    const char *best = nearest_of(word, "position2d", "sonar", "power");

    if (wanted == NULL) {
        assert_null(best);
    } else {
        assert_non_null(best);
        assert_string_equal(best, wanted);
    }
}

static void a_mistyped_name_finds_the_one_that_was_meant(void **state)
{
    (void)state;
    assert_nearest("positon2d", "position2d");                          /* left out */
    assert_nearest("positiion2d", "position2d");                        /* put in */
    assert_nearest("pasition2d", "position2d");                         /* replaced */
    assert_nearest("psoition2d", "position2d");                         /* swapped */
    assert_string_equal(nearest_of("bne", "bob", "ben", "one"), "ben"); /* swapped is one slip */
    assert_string_equal(nearest_of("EBn", "bob", "bin", "ben"), "ben");
    assert_nearest("sonnar", "sonar");
    assert_nearest("onar", "sonar");
    assert_nearest("powder", "power");
    assert_nearest("power", "power");
}

static void case_does_not_count(void **state)
{
    (void)state;
    assert_nearest("SONAR", "sonar");
    assert_nearest("Position2D", "position2d");
    assert_string_equal(nearest_of("speed", "feed", "SPEED", "steed"), "SPEED");
}

static void a_name_too_far_away_is_not_suggested(void **state)
{
    (void)state;
    assert_nearest("laser", NULL);
    assert_nearest("camera", NULL);
    assert_nearest("po", NULL);
    assert_nearest("", NULL);
}

static void a_third_of_the_word_and_one_more_may_be_wrong(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("abc", "axy", "", ""), "axy");
    assert_string_equal(nearest_of("abcdef", "abcdyz", "", ""), "abcdyz");
    assert_null(nearest_of("abcdef", "abcxyz", "", ""));
    assert_string_equal(nearest_of("abcdefgh", "abcdexyz", "", ""), "abcdexyz");
    assert_null(nearest_of("abcdefgh", "abcdwxyz", "", ""));
    assert_null(nearest_of("mapfile", "mobile", "", ""));
    assert_null(nearest_of("floorplan", "floor", "", ""));
    assert_string_equal(nearest_of("ab", "ax", "", ""), "ax");
    assert_null(nearest_of("ab", "xy", "xyz", "wxyz"));
}

static void the_closest_wins_and_among_equals_the_first(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("speed", "sped", "speeds", "speed"), "speed");
    assert_string_equal(nearest_of("speed", "steer", "sped", "spree"), "sped");
    assert_string_equal(nearest_of("speed", "speeds", "sped", "spleed"), "speeds");
}

static void half_a_name_finds_it_if_no_other_has_that_half(void **state)
{
    (void)state;
    assert_nearest("POSITION", "position2d"); /* nearer than half */
    assert_string_equal(nearest_of("World", "model", "worldfile", "speed"), "worldfile");
    assert_string_equal(nearest_of("file", "worldfile", "model", "worldfile"), "worldfile");
    assert_null(nearest_of("world", "worldfile", "worldpath", "model"));
    assert_null(nearest_of("world", "worldfile", "worldpath", "worldname"));
    assert_string_equal(nearest_of("file", "worldfile", "keyfiles", "fill"), "fill");
    assert_null(nearest_of("fil", "worldfil", "model", "speed"));
    assert_null(nearest_of("ldfi", "worldfile", "model", "speed"));
}

static void without_candidates_nothing_is_near(void **state)
{
    tpi_nearest nearest;
    char hint[40] = "old";

    (void)state;
    tpi_nearest_init(&nearest, "word");
    assert_null(nearest.best);
    assert_string_equal(tpi_nearest_hint(&nearest, hint, sizeof hint), "");
}

static void very_long_names_are_not_compared(void **state)
{
    char word[65];
    char close[64];

    (void)state;
    memset(word, 'a', sizeof word);
    word[64] = '\0';
    memset(close, 'a', sizeof close);
    close[63] = '\0';
    assert_null(nearest_of(word, word, close, "a"));
    assert_ptr_equal(nearest_of(close, word, close, "a"), close);
    assert_null(nearest_of("aaaa", word, "", ""));
}

static void the_hint_is_a_question_for_the_operator(void **state)
{
    tpi_nearest nearest;
    char hint[64];
    char small[12];

    (void)state;
    tpi_nearest_init(&nearest, "sonnar");
    tpi_nearest_offer(&nearest, "sonar");
    assert_ptr_equal(tpi_nearest_hint(&nearest, hint, sizeof hint), hint);
    assert_string_equal(hint, "; did you mean \"sonar\"?");
    assert_string_equal(tpi_nearest_hint(&nearest, small, sizeof small), "; did you m");
}

static void bytes_are_written_as_lower_case_hex(void **state)
{
    static const unsigned char bytes[] = {0x00, 0x01, 0x7f, 0x80, 0xab, 0xff};
    tpi_buf out = {0};

    (void)state;
    tpi_hex_put(&out, bytes, 0);
    assert_string_equal(tpi_buf_text(&out), "");
    tpi_buf_puts(&out, "0x");
    tpi_hex_put(&out, bytes, sizeof bytes);
    assert_string_equal(tpi_buf_text(&out), "0x00017f80abff");
    assert_int_equal(out.length, 14);
    tpi_buf_fini(&out);
}

/* Read a copy that ends where it ends, so that a sanitizer sees a read behind it. */
static tp_status hex_read(tpi_buf *out, const char *text, tp_error *err)
{
    const size_t length = strlen(text);
    char *tight = malloc(length > 0 ? length : 1);

    assert_non_null(tight);
    memcpy(tight, text, length);
    tp_status status = tpi_hex_read(out, tight, length, err);
    free(tight);
    return status;
}

static void hex_of_either_case_is_read_with_blanks_between_bytes(void **state)
{
    tpi_buf out = {0};
    tp_error err;

    (void)state;
    assert_int_equal(hex_read(&out, "00 7F\tfF\n\nabCD  ", &err), TP_OK);
    assert_int_equal(out.length, 5);
    assert_memory_equal(out.data, "\x00\x7f\xff\xab\xcd", 6);
    assert_int_equal(hex_read(&out, "", &err), TP_OK);
    assert_int_equal(hex_read(&out, "  ", &err), TP_OK);
    assert_int_equal(out.length, 5);
    assert_int_equal(hex_read(&out, "01", NULL), TP_OK);
    assert_int_equal(out.length, 6);
    tpi_buf_fini(&out);
}

static void what_is_not_hex_is_refused_and_told_where(void **state)
{
    static const struct {
        const char *text;
        const char *error;
    } cases[] = {
        {"0", "character 1, '0', has no second hex digit"},
        {"001", "character 3, '1', has no second hex digit"},
        {"0 1", "character 1, '0', has no second hex digit"},
        {"a\n", "character 1, 'a', has no second hex digit"},
        {"0g", "character 2, 'g', is not a hex digit"},
        {"g0", "character 1, 'g', is not a hex digit"},
        {"00 x1", "character 4, 'x', is not a hex digit"},
        {"0x12", "character 2, 'x', is not a hex digit"},
        {"00-11", "character 3, '-', is not a hex digit"},
        {"/0", "character 1, '/', is not a hex digit"},
        {":0", "character 1, ':', is not a hex digit"},
        {"@0", "character 1, '@', is not a hex digit"},
        {"G0", "character 1, 'G', is not a hex digit"},
        {"`0", "character 1, '`', is not a hex digit"},
        {"\xff\x30", "character 1, byte 255, is not a hex digit"},
        {"0\x01", "character 2, byte 1, is not a hex digit"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tpi_buf out = {0};
        tp_error err = {0};
        assert_int_equal(hex_read(&out, cases[i].text, &err), TP_E_SYNTAX);
        assert_int_equal(err.code, TP_E_SYNTAX);
        assert_string_equal(err.text, cases[i].error);
        assert_int_equal(hex_read(&out, cases[i].text, NULL), TP_E_SYNTAX);
        tpi_buf_fini(&out);
    }
}

static void every_byte_survives_hex(void **state)
{
    unsigned char bytes[256];
    tpi_buf hex = {0};
    tpi_buf back = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)i;
    }
    tpi_hex_put(&hex, bytes, sizeof bytes);
    assert_int_equal(hex.length, 512);
    assert_int_equal(tpi_hex_read(&back, hex.data, hex.length, NULL), TP_OK);
    assert_int_equal(back.length, sizeof bytes);
    assert_memory_equal(back.data, bytes, sizeof bytes);
    tpi_buf_fini(&hex);
    tpi_buf_fini(&back);
}

static void hex_of_a_huge_size_fails_the_buffer(void **state)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4 + 1, SIZE_MAX / 4};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        tpi_buf out = {0};
        tpi_buf_puts(&out, "text");
        tpi_hex_put(&out, "x", sizes[i]);
        assert_int_equal(tpi_buf_status(&out), TP_E_NOMEM);
        tpi_buf_fini(&out);
    }
}

static tp_status hex_both_ways(void *context)
{
    tpi_buf hex = {0};
    tpi_buf back = {0};
    tp_error err = {0};

    tpi_hex_put(&hex, context, 100);
    tp_status status = tpi_buf_status(&hex);
    if (status == TP_OK) {
        status = tpi_hex_read(&back, hex.data, hex.length, &err);
        assert_int_equal(err.code, status);
        assert_string_equal(err.text, status == TP_OK ? "" : "out of memory");
    }
    tpi_buf_fini(&hex);
    tpi_buf_fini(&back);
    return status;
}

static void hex_tells_when_memory_runs_out(void **state)
{
    char bytes[100] = {0};

    (void)state;
    memory_sweep(hex_both_ways, bytes);
}

/* The length of the first sequence of `text`, read from a tight copy. */
static size_t utf8_length(const char *text, size_t available)
{
    char *tight = malloc(available > 0 ? available : 1);

    assert_non_null(tight);
    memcpy(tight, text, available);
    size_t length = tpi_utf8_length(tight, available);
    assert_int_equal(tpi_utf8_valid(tight, length), true);
    assert_int_equal(tpi_utf8_valid(tight, available), length == available);
    free(tight);
    return length;
}

static void the_borders_of_each_length_are_accepted(void **state)
{
    static const char *const sequences[] = {
        "\x01",             /* U+0001 */
        "\x7f",             /* U+007F */
        "\xc2\x80",         /* U+0080 */
        "\xdf\xbf",         /* U+07FF */
        "\xe0\xa0\x80",     /* U+0800 */
        "\xed\x9f\xbf",     /* U+D7FF, before the surrogates */
        "\xee\x80\x80",     /* U+E000, behind them */
        "\xef\xbf\xbf",     /* U+FFFF */
        "\xf0\x90\x80\x80", /* U+10000 */
        "\xf4\x8f\xbf\xbf", /* U+10FFFF */
    };

    (void)state;
    assert_int_equal(utf8_length("", 1), 1); /* a NUL is a character */
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        const size_t length = strlen(sequences[i]);
        assert_int_equal(utf8_length(sequences[i], length), length);
        assert_int_equal(tpi_utf8_length(sequences[i], length + 1), length);
    }
}

static void cut_sequences_are_refused(void **state)
{
    static const char *const sequences[] = {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

    (void)state;
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        const size_t length = strlen(sequences[i]);
        assert_int_equal(utf8_length(sequences[i], length), length);
        for (size_t available = 1; available < length; available++) {
            char cut[5] = "xxxx";
            memcpy(cut, sequences[i], available);
            assert_int_equal(utf8_length(cut, available), 0);
            assert_int_equal(tpi_utf8_length(cut, 4), 0);
        }
    }
    assert_int_equal(tpi_utf8_length("a", 0), 0);
}

static void what_is_not_utf8_is_refused(void **state)
{
    static const char *const sequences[] = {
        "\x80",             /* a continuation without a start */
        "\xbf",             /* the same */
        "\xc0\x80",         /* overlong U+0000 */
        "\xc0\xaf",         /* overlong / */
        "\xc1\xbf",         /* overlong U+007F */
        "\xe0\x80\x80",     /* overlong U+0000 */
        "\xe0\x9f\xbf",     /* overlong U+07FF */
        "\xf0\x80\x80\x80", /* overlong U+0000 */
        "\xf0\x8f\xbf\xbf", /* overlong U+FFFF */
        "\xed\xa0\x80",     /* the first surrogate */
        "\xed\xaf\xbf",     /* the last high one */
        "\xed\xb0\x80",     /* the first low one */
        "\xed\xbf\xbf",     /* the last surrogate */
        "\xf4\x90\x80\x80", /* U+110000 */
        "\xf5\x80\x80\x80", /* U+140000 */
        "\xf7\xbf\xbf\xbf", /* U+1FFFFF */
        "\xf8\x88\x80\x80", /* five bytes, of old */
        "\xfc\x84\x80\x80", /* six bytes, of old */
        "\xfe",             /* never used */
        "\xff",             /* never used */
        "\xc3\x28",         /* ( is no continuation */
        "\xc3\xc3",         /* a start is no continuation */
        "\xe2\x28\xa1",     /* second byte wrong */
        "\xe2\x82\x28",     /* third byte wrong */
        "\xf0\x9f\x98\x28", /* fourth byte wrong */
    };

    (void)state;
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        assert_int_equal(utf8_length(sequences[i], strlen(sequences[i])), 0);
    }
}

static void text_is_valid_only_throughout(void **state)
{
    (void)state;
    assert_true(tpi_utf8_valid(NULL, 0));
    assert_true(tpi_utf8_valid("", 0));
    assert_true(tpi_utf8_valid("plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", 17));
    assert_true(tpi_utf8_valid("a\0b", 3));
    assert_false(tpi_utf8_valid("plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98", 16));
    assert_false(tpi_utf8_valid("good \xff good", 11));
    assert_false(tpi_utf8_valid("\xa4 good", 6));
}

static void escapes_stand_for_bytes(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        char byte;
    } cases[] = {{"n", 1, '\n'},    {"rest", 1, '\r'}, {"t", 1, '\t'}, {"0", 1, '\0'},
                 {"\\", 1, '\\'},   {"\"", 1, '"'},    {"'", 1, '\''}, {"x0a", 3, '\n'},
                 {"x1Bz", 3, 0x1b}, {"", 0, 0},        {"x1", 0, 0},   {"x1g", 0, 0},
                 {"N", 0, 0},       {" n", 0, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char byte = 0;
        assert_int_equal(tpi_escape_read(cases[i].text, strlen(cases[i].text), &byte),
                         cases[i].length);
        assert_int_equal(byte, cases[i].byte);
    }
    assert_int_equal(tpi_escape_read("x0a", 2, &(char){0}), 0);
    assert_int_equal(tpi_escape_read("\0", 1, &(char){0}), 0);
}

static void a_text_is_among_others_or_not(void **state)
{
    static const char *const list[] = {"lease", "guard", NULL};

    (void)state;
    assert_true(tpi_text_among(list, "lease"));
    assert_true(tpi_text_among(list, "guard"));
    assert_false(tpi_text_among(list, "gua"));
    assert_false(tpi_text_among(list, "guards"));
    assert_false(tpi_text_among(list, ""));
    assert_false(tpi_text_among(list + 2, "guard"));
}

static void a_star_stands_for_any_end_of_a_text(void **state)
{
    (void)state;
    assert_true(tpi_text_fits("joystick", "joystick", 8));
    assert_true(tpi_text_fits("joy*", "joystick", 8));
    assert_true(tpi_text_fits("joystick*", "joystick", 8));
    assert_true(tpi_text_fits("*", "", 0));
    assert_true(tpi_text_fits("", "", 0));
    assert_true(tpi_text_fits("127.0.0.1", "127.0.0.1:6665", 9)); /* no further than the length */
    assert_false(tpi_text_fits("joystick", "joysticks", 9));
    assert_false(tpi_text_fits("joysticks*", "joystick", 8));
    assert_false(tpi_text_fits("joy*", "jo", 2));
    assert_false(tpi_text_fits("j*k", "joystick", 8)); /* it stands at the end only */
    assert_false(tpi_text_fits("", "joystick", 8));
}

static void a_field_is_counted_with_its_nul(void **state)
{
    static const char text[] = "base";
    uint32_t count = 7;

    (void)state;
    assert_ptr_equal(tpi_text_field(text, &count), text);
    assert_int_equal(count, 5);
    assert_string_equal(tpi_text_field("", &count), "");
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mistyped_name_finds_the_one_that_was_meant),
        cmocka_unit_test(case_does_not_count),
        cmocka_unit_test(a_name_too_far_away_is_not_suggested),
        cmocka_unit_test(a_third_of_the_word_and_one_more_may_be_wrong),
        cmocka_unit_test(the_closest_wins_and_among_equals_the_first),
        cmocka_unit_test(half_a_name_finds_it_if_no_other_has_that_half),
        cmocka_unit_test(without_candidates_nothing_is_near),
        cmocka_unit_test(very_long_names_are_not_compared),
        cmocka_unit_test(the_hint_is_a_question_for_the_operator),
        cmocka_unit_test(a_text_is_among_others_or_not),
        cmocka_unit_test(a_star_stands_for_any_end_of_a_text),
        cmocka_unit_test(a_field_is_counted_with_its_nul),
        cmocka_unit_test(bytes_are_written_as_lower_case_hex),
        cmocka_unit_test(hex_of_either_case_is_read_with_blanks_between_bytes),
        cmocka_unit_test(what_is_not_hex_is_refused_and_told_where),
        cmocka_unit_test(every_byte_survives_hex),
        cmocka_unit_test(hex_of_a_huge_size_fails_the_buffer),
        cmocka_unit_test(hex_tells_when_memory_runs_out),
        cmocka_unit_test(escapes_stand_for_bytes),
        cmocka_unit_test(the_borders_of_each_length_are_accepted),
        cmocka_unit_test(cut_sequences_are_refused),
        cmocka_unit_test(what_is_not_utf8_is_refused),
        cmocka_unit_test(text_is_valid_only_throughout),
    };

    return cmocka_run_group_tests_name("base/text", tests, NULL, NULL);
}
