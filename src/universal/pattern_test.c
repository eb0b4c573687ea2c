/* pattern_test.c - every type of field out and in, checksums, expressions, frames. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "support/universal.h"
#include "universal/framing.h"

/* A scope with a number x, a text t, a register and a counter. */
struct bench {
    tpi_scope scope;
    tpi_arena arena;
    tpi_value locals[TPI_MOST_LOCALS];
    double words[8];
    char why[200];
};

static void set_up(struct bench *b)
{
    memset(b, 0, sizeof *b);
    assert_int_equal(tpi_scope_local(&b->scope, "x", false), 0);
    assert_int_equal(tpi_scope_local(&b->scope, "t", true), 1);
    b->scope.registers[0] = (tpi_register){.name = "r", .offset = 0, .size = 4};
    b->scope.registers[1] =
        (tpi_register){.name = "c", .offset = 4, .is_counter = true, .from = 1, .to = 3};
    b->scope.register_count = 2;
    b->words[2] = 7;
    b->words[4] = 3;
}

static tpi_context context_of(struct bench *b)
{
    return (tpi_context){.locals = b->locals, .words = b->words, .scope = &b->scope, .now_ms = 5};
}

static const char *hex(const uint8_t *data, size_t length)
{
    static char out[300];
    size_t at = 0;

    out[0] = '\0';
    for (size_t i = 0; i < length; i++) {
        at += (size_t)snprintf(out + at, sizeof out - at, "%s%02X", i > 0 ? " " : "", data[i]);
    }
    return out;
}

static const struct {
    const char *type;
    double value;
    const char *bytes;
} numbers[] = {
    {"u8", 200, "C8"},
    {"s8", -2, "FE"},
    {"u16le", 0x1234, "34 12"},
    {"u16be", 0x1234, "12 34"},
    {"s16be", -500, "FE 0C"},
    {"s16le", -500, "0C FE"},
    {"u24be", 0x123456, "12 34 56"},
    {"s24le", -2, "FE FF FF"},
    {"u32le", 4294967295.0, "FF FF FF FF"},
    {"s32be", -2, "FF FF FF FE"},
    {"f32be", 0.5, "3F 00 00 00"},
    {"f32le", -0.5, "00 00 00 BF"},
    {"f64be", 50, "40 49 00 00 00 00 00 00"},
    {"sm8", -5, "85"},
    {"sm16be", -300, "81 2C"},
    {"u7x1", 100, "64"},
    {"u7x2", 1023, "7F 07"},
    {"u7x5", 4294967295.0, "7F 7F 7F 7F 0F"},
    {"dec3", 7, "30 30 37"},
    {"hex2", 0xAB, "41 42"},
    {"real2", -2.5, "2D 32 2E 35 30"},
    {"real1", 0.06, "30 2E 31"},
};

static void numbers_go_out_and_come_back(void **state)
{
    struct bench b;

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        tpi_pattern out, in;
        uint8_t data[64];
        tpi_bytes bytes = {.data = data, .capacity = sizeof data};
        tpi_found found;
        char text[40];

        set_up(&b);
        const tpi_context context = context_of(&b);
        snprintf(text, sizeof text, "{x:%s}", numbers[i].type);
        assert_int_equal(tpi_pattern_read(&out, text, true, true, &b.scope, &b.arena, b.why, 200),
                         TP_OK);
        assert_int_equal(tpi_pattern_read(&in, text, false, true, &b.scope, &b.arena, b.why, 200),
                         TP_OK);
        b.locals[0].number = numbers[i].value;
        assert_int_equal(tpi_pattern_write(&out, &context, &bytes), TPI_WRITTEN);
        assert_string_equal(hex(data, bytes.length), numbers[i].bytes);
        b.locals[0].number = 0;
        assert_int_equal(tpi_pattern_match(&in, data, bytes.length, true, &context, &found),
                         TPI_MATCH_YES);
        assert_float_equal(b.locals[0].number, numbers[i].value, 0.05);
        tpi_arena_fini(&b.arena);
    }
}

static void numbers_outside_of_their_type_are_clamped(void **state)
{
    static const struct {
        const char *text;
        double value;
        const char *bytes;
    } all[] = {{"{x:u8}", 300, "FF"},      {"{x:u8}", -3, "00"},    {"{x:s8}", -200, "80"},
               {"{x:u7x1}", 200, "7F"},    {"{x:sm8}", 1000, "7F"}, {"{x:dec2}", 100, "39 39"},
               {"{x:s16be}", 1e9, "7F FF"}};
    struct bench b;

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tpi_pattern out;
        uint8_t data[16];
        tpi_bytes bytes = {.data = data, .capacity = sizeof data};
        set_up(&b);
        const tpi_context context = context_of(&b);
        b.locals[0].number = all[i].value;
        assert_int_equal(
            tpi_pattern_read(&out, all[i].text, true, true, &b.scope, &b.arena, b.why, 200), TP_OK);
        assert_int_equal(tpi_pattern_write(&out, &context, &bytes), TPI_WRITTEN_CLAMPED);
        assert_string_equal(hex(data, bytes.length), all[i].bytes);
        tpi_arena_fini(&b.arena);
    }
}

static void texts_and_checksums_are_written(void **state)
{
    static const struct {
        const char *text, *bytes;
    } all[] = {
        {"'A\\n' {t:str}", "41 0A 48 69"},
        {"{t:str4}", "48 69 00 00"},
        {"{size(t) + 1:u8} {t:strz}", "03 48 69 00"},
        {"F0 71 {t:str7} F7", "F0 71 48 00 69 00 F7"},
        {"'\"' {t:strq} '\"'", "22 48 69 22"},
        {"01 02 {:sum8}", "01 02 03"},
        {"13 02 {:sum0}", "13 02 EB"},
        {"01 02 {:inv8}", "01 02 FC"},
        {"0F F0 {:xor8}", "0F F0 FF"},
        {"'123456789' {:crc8}", "31 32 33 34 35 36 37 38 39 F4"},
        {"'123456789' {:crc16be}", "31 32 33 34 35 36 37 38 39 BB 3D"},
        {"{next(c):u8} {next(c):u8} {next(c):u8} {next(c):u8}", "01 02 03 01"},
        {"{r[2]:u8} {now():u8}", "07 05"},
    };
    struct bench b;

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tpi_pattern out;
        uint8_t data[64];
        tpi_bytes bytes = {.data = data, .capacity = sizeof data};
        set_up(&b);
        const tpi_context context = context_of(&b);
        b.locals[1] = (tpi_value){.text = "Hi", .length = 2};
        if (tpi_pattern_read(&out, all[i].text, true, true, &b.scope, &b.arena, b.why, 200) !=
            TP_OK) {
            fail_msg("%s: %s", all[i].text, b.why);
        }
        assert_int_equal(tpi_pattern_write(&out, &context, &bytes), TPI_WRITTEN);
        assert_string_equal(hex(data, bytes.length), all[i].bytes);
        tpi_arena_fini(&b.arena);
    }
}

/* Whatever a text holds, it does not end the quotes around it. */
static void quoted_texts_stay_texts(void **state)
{
    static const char text[] = "\"'\\\n\0\x04\xC3#";
    struct bench b;
    tpi_pattern out;
    uint8_t data[64];
    tpi_bytes bytes = {.data = data, .capacity = sizeof data};

    (void)state;
    set_up(&b);
    const tpi_context context = context_of(&b);
    b.locals[1] = (tpi_value){.text = text, .length = sizeof text - 1};
    assert_int_equal(tpi_pattern_read(&out, "{t:strq}", true, true, &b.scope, &b.arena, b.why, 200),
                     TP_OK);
    assert_int_equal(tpi_pattern_write(&out, &context, &bytes), TPI_WRITTEN);
    assert_int_equal(bytes.length, 29);
    assert_memory_equal(data, "\\x22\\x27\\x5c\\x0a\\x00\\x04\\xc3#", 29);
    bytes = (tpi_bytes){.data = data, .capacity = 28};
    assert_int_equal(tpi_pattern_write(&out, &context, &bytes), TPI_WRITTEN_TOO_LONG);
    assert_int_not_equal(
        tpi_pattern_read(&out, "{u:strq} 00", false, true, &b.scope, &b.arena, b.why, 200), TP_OK);
    assert_string_equal(b.why, "\"strq\": this type is only for what is sent");
    tpi_arena_fini(&b.arena);
}

static void replies_are_matched(void **state)
{
    static const struct {
        const char *pattern;
        bool is_whole;
        const char *data;
        tpi_matched result;
        double x; /* after a match */
    } all[] = {
        {"41 {x:u8}", true, "A\x05", TPI_MATCH_YES, 5},
        {"41 {x:u8}", true, "A\x05!", TPI_MATCH_NO, 0},
        {"41 {x:u8}", true, "A", TPI_MATCH_NO, 0},
        {"41 {x:u8}", false, "A", TPI_MATCH_MORE, 0},
        {"41 {x:u8}", false, "B", TPI_MATCH_NO, 0},
        {"41 {x:u8 10..1F}", false, "A\x18", TPI_MATCH_YES, 24},
        {"41 {x:u8 10..1F}", false, "A\x28", TPI_MATCH_NO, 0},
        {"41 {x:u8 ok 01 20}", false, "A ", TPI_MATCH_YES, 32},
        {"41 {x:u8 ok 01 20} {:u32le}", true, "A\x07", TPI_MATCH_REFUSED, 0},
        {"'##Range(cm) =' {x:dec} 0D 0A", false, "##Range(cm) = 42\r\n", TPI_MATCH_YES, 42},
        {"'##Range(cm) =' {x:dec} 0D 0A", false, "##Range(cm) = 4", TPI_MATCH_MORE, 0},
        {"'left =' {:dec} ~ 'right =' {x:dec} 0A", false, "left = 1  right = -2.5\n", TPI_MATCH_YES,
         -2.5},
        {"{t:str} 04 {x:u8}", false, "hello\x04\x09", TPI_MATCH_YES, 9},
        {"{n:u8} {t:str*n} {x:u8}", true, "\x02hi\x03", TPI_MATCH_YES, 3},
        {"{n:u8} {t:str*n} {x:u8}", true, "\x09hi\x03", TPI_MATCH_NO, 0},
        {"?? {x:u8} ...", true, "zA123", TPI_MATCH_YES, 65},
        {"{x:u8} {:sum0}", true, "\x13\xed", TPI_MATCH_YES, 19},
        {"{x:u8} {:sum0}", true, "\x13\xee", TPI_MATCH_NO, 0},
    };
    struct bench b;

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tpi_pattern in;
        uint8_t data[64];
        tpi_found found;
        set_up(&b);
        const tpi_context context = context_of(&b);
        memcpy(data, all[i].data, strlen(all[i].data));
        if (tpi_pattern_read(&in, all[i].pattern, false, true, &b.scope, &b.arena, b.why, 200) !=
            TP_OK) {
            fail_msg("%s: %s", all[i].pattern, b.why);
        }
        assert_int_equal(
            tpi_pattern_match(&in, data, strlen(all[i].data), all[i].is_whole, &context, &found),
            all[i].result);
        if (all[i].result == TPI_MATCH_YES) {
            assert_float_equal(b.locals[0].number, all[i].x, 0.001);
        }
        tpi_arena_fini(&b.arena);
    }
}

static void expressions_are_evaluated(void **state)
{
    static const struct {
        const char *text;
        double value; /* NaN: it has none */
    } all[] = {
        {"1 + 2 * 3 - 4 / 2", 5},
        {"-(2 - 5) mod 2", 1},
        {"0x1F + 0.5", 31.5},
        {"scale(512, 0, 1023, 0, 100)", 50.0489},
        {"scale(-5, 0, 10, 0, 100)", 0},
        {"points(550, 0, 100, 200, 100, 900, 0, 1023, 0)", 50},
        {"points(2000, 0, 100, 200, 100, 900, 0, 1023, 0)", 0},
        {"bit(5, 2) + setbit(0, 3, 1) + both(6, 3) + either(8, 1)", 20},
        {"left(1, 4) + right(32, 2)", 24},
        {"pick(1, 10, 20, 30) + if(0, 1, 2)", 22},
        {"not (1 lt 2 and 2 le 2) or 3 ne 3", 0},
        {"clamp(7, 0, 5) + min(1, 2) + max(1, 2) + abs(-3) + sign(-9)", 10},
        {"floor(2.7) + round(2.5) + sqrt(9)", 8},
        {"r[2] + r[x]", 7},
        {"1 / 0", (double)NAN},
        {"if(x eq 0, 5, 1 / x)", 5},
        {"r[9]", (double)NAN},
        {"pick(7, 1, 2)", (double)NAN},
    };
    struct bench b;

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tpi_expression e;
        double value = 0;
        set_up(&b);
        const tpi_context context = context_of(&b);
        const char *text = all[i].text;
        if (tpi_expression_read(&e, text, strlen(text), &b.scope, &b.arena, b.why, 200) != TP_OK) {
            fail_msg("%s: %s", text, b.why);
        }
        const bool has = tpi_expression_number(&e, &context, &value);
        assert_int_equal(has, !isnan(all[i].value));
        if (has) {
            assert_float_equal(value, all[i].value, 0.001);
        }
        tpi_arena_fini(&b.arena);
    }
}

static void deep_and_long_expressions_are_refused(void **state)
{
    char text[2000];
    tpi_expression e;
    struct bench b;

    (void)state;
    set_up(&b);
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(tpi_expression_read(&e, text, strlen(text), &b.scope, &b.arena, b.why, 200),
                     TP_E_SYNTAX);
    assert_string_equal(b.why, "the expression is nested too deep; split it with <set>");
    text[0] = '\0';
    for (int i = 0; i < 200; i++) {
        strcat(text, "1+");
    }
    strcat(text, "1");
    assert_int_equal(tpi_expression_read(&e, text, strlen(text), &b.scope, &b.arena, b.why, 200),
                     TP_E_SYNTAX);
    assert_string_equal(b.why, "the expression is too long; split it with <set>");
    tpi_arena_fini(&b.arena);
}

/* ---- Frames ---- */

static void frames_go_out_and_come_back(void **state)
{
    static const struct {
        tpi_framing framing;
        const char *frame; /* of the body AB 8D 01 */
    } all[] = {
        {{.is_used = true, .length = {.width = 2, .is_little = true}}, "03 00 AB 8D 01"},
        {{.is_used = true, .length = {.width = 1}, .length_adds = 1}, "04 AB 8D 01"},
        {{.is_used = true, .size = 8, .in_size = 8, .has_sequence = true},
         "AB 8D 01 00 00 00 00 2A"},
        {{.is_used = true,
          .size = 15,
          .in_size = 15,
          .checksum = {TPI_FORMAT_CHECKSUM, 1, false, false, TPI_CHECKSUM_SUM}},
         "AB 8D 01 00 00 00 00 00 00 00 00 00 00 00 39"},
        {{.is_used = true,
          .start = {{0x8D}, 1},
          .end = {{0xD8}, 1},
          .has_escape = true,
          .escape = 0xAB,
          .escape_count = 3,
          .escapes = {{0xAB, 0x23}, {0x8D, 0x05}, {0xD8, 0x50}}},
         "8D AB 23 AB 05 01 D8"},
        {{.is_used = true, .end = {{13, 10}, 2}}, "AB 8D 01 0D 0A"},
    };
    static const uint8_t body[] = {0xAB, 0x8D, 1};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        uint8_t data[64];
        tpi_bytes out = {.data = data, .capacity = sizeof data};
        tpi_frame frame;
        assert_true(tpi_framing_put(&all[i].framing, body, sizeof body, 42, &out));
        assert_string_equal(hex(data, out.length), all[i].frame);
        for (size_t part = 0; part < out.length; part++) { /* it arrives byte by byte */
            uint8_t copy[64];
            memcpy(copy, data, out.length);
            assert_int_equal(tpi_framing_get(&all[i].framing, copy, part, &frame), TPI_FRAME_MORE);
        }
        assert_int_equal(tpi_framing_get(&all[i].framing, data, out.length, &frame),
                         TPI_FRAME_FOUND);
        assert_int_equal(frame.used, out.length);
        assert_true(frame.length >= sizeof body);
        assert_memory_equal(frame.body, body, sizeof body);
        assert_int_equal(frame.sequence, all[i].framing.has_sequence ? 42 : 0);
    }
}

static void a_broken_frame_is_noise(void **state)
{
    const tpi_framing framing = {
        .is_used = true,
        .start = {{0xFE}, 1},
        .length = {.width = 1},
        .checksum = {TPI_FORMAT_CHECKSUM, 1, false, false, TPI_CHECKSUM_XOR}};
    uint8_t data[] = {0x00, 0xFE, 1, 5, 0xFF};
    tpi_frame frame;

    (void)state;
    assert_int_equal(tpi_framing_get(&framing, data, 5, &frame), TPI_FRAME_NOISE);
    assert_int_equal(frame.used, 1);
    assert_int_equal(tpi_framing_get(&framing, data + 1, 4, &frame), TPI_FRAME_NOISE);
    data[4] = 0xFE ^ 1 ^ 5;
    assert_int_equal(tpi_framing_get(&framing, data + 1, 4, &frame), TPI_FRAME_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_go_out_and_come_back),
        cmocka_unit_test(numbers_outside_of_their_type_are_clamped),
        cmocka_unit_test(texts_and_checksums_are_written),
        cmocka_unit_test(quoted_texts_stay_texts),
        cmocka_unit_test(replies_are_matched),
        cmocka_unit_test(expressions_are_evaluated),
        cmocka_unit_test(deep_and_long_expressions_are_refused),
        cmocka_unit_test(frames_go_out_and_come_back),
        cmocka_unit_test(a_broken_frame_is_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
