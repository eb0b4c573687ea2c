/*
 * json_test.c - every form that the reader accepts, and where and why it refuses the others.
 *
 * Long because it is mostly tables: a text and the exact error that it has to end in.
 */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"
#include "support/random.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A reader on a copy that ends where the text ends, so that a sanitizer sees a read behind it. */
struct bench {
    tpi_json json;
    char *text; /* owned */
    tp_error err;
};

static void open_bytes(struct bench *b, const char *text, size_t length)
{
    b->err = (tp_error){0};
    b->text = malloc(length > 0 ? length : 1);
    assert_non_null(b->text);
    memcpy(b->text, text, length);
    tpi_json_init(&b->json, b->text, length);
}

static void open_text(struct bench *b, const char *text)
{
    open_bytes(b, text, strlen(text));
}

/* All was read and nothing failed. */
static void close_well(struct bench *b)
{
    tp_status status = tpi_json_end(&b->json, &b->err);

    assert_string_equal(b->err.text, "");
    assert_int_equal(status, TP_OK);
    free(b->text);
}

static void close_with(struct bench *b, const char *error)
{
    assert_int_equal(tpi_json_end(&b->json, NULL), TP_E_SYNTAX);
    assert_int_equal(tpi_json_end(&b->json, &b->err), TP_E_SYNTAX);
    assert_int_equal(b->err.code, TP_E_SYNTAX);
    assert_string_equal(b->err.text, error);
    free(b->text);
}

static void accepts_every_form_of_json(void **state)
{
    static const char *const texts[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-12.5e+3",
        "1E-2",
        "\"\"",
        "\"text\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\uABCD\"",
        "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "[[]]",
        "[{}]",
        "{\"\":{}}",
        "[1]",
        "[1,2,3]",
        "[[],[[]],{},[1]]",
        "{\"a\":1}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":{\"b\":[null,true,\"x\"]},\"c\":[]}",
        " \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n",
        " \t\r\n{ \t\r\n\"a\" \t\r\n: \t\r\n2 \t\r\n} \t\r\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bench b;
        open_text(&b, texts[i]);
        assert_true(tpi_json_skip(&b.json, NULL));
        close_well(&b);
    }
}

struct refusal {
    const char *text;
    const char *error;
};

/* Skipping each text and closing the reader ends in the error. */
static void assert_refused(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct bench b;
        open_text(&b, cases[i].text);
        tpi_json_skip(&b.json, NULL);
        close_with(&b, cases[i].error);
    }
}

static void refuses_what_is_no_value(void **state)
{
    static const struct refusal cases[] = {
        {"", "line 1, column 1: the text ends where a value was expected"},
        {" \n ", "line 2, column 2: the text ends where a value was expected"},
        {"nul", "line 1, column 1: 'n' where null was expected"},
        {"nil", "line 1, column 1: 'n' where null was expected"},
        {"tru", "line 1, column 1: 't' where true or false was expected"},
        {"trUe", "line 1, column 1: 't' where true or false was expected"},
        {"fals", "line 1, column 1: 'f' where true or false was expected"},
        {"Null", "line 1, column 1: 'N' where a value was expected"},
        {"NaN", "line 1, column 1: 'N' where a value was expected"},
        {"Infinity", "line 1, column 1: 'I' where a value was expected"},
        {"'a'", "line 1, column 1: ''' where a value was expected"},
        {"]", "line 1, column 1: ']' where a value was expected"},
        {"}", "line 1, column 1: '}' where a value was expected"},
        {",", "line 1, column 1: ',' where a value was expected"},
        {"// no\n1", "line 1, column 1: '/' where a value was expected"},
        {"\v1", "line 1, column 1: byte 11 where a value was expected"},
        {"\x7f", "line 1, column 1: byte 127 where a value was expected"},
        {"\xef\xbb\xbf{}", "line 1, column 1: byte 239 where a value was expected"},
    };

    (void)state;
    assert_refused(cases, COUNT_OF(cases));
}

static void refuses_numbers_that_json_does_not_have(void **state)
{
    static const struct refusal cases[] = {
        {"-", "line 1, column 1: '-' where a number was expected"},
        {"-x", "line 1, column 1: '-' where a number was expected"},
        {"-Infinity", "line 1, column 1: '-' where a number was expected"},
        {"+1", "line 1, column 1: '+' where a value was expected"},
        {".5", "line 1, column 1: '.' where a value was expected"},
        {"01", "line 1, column 1: '0' where a number was expected"},
        {"1.", "line 1, column 1: '1' where a number was expected"},
        {"1.e5", "line 1, column 1: '1' where a number was expected"},
        {"[2e]", "line 1, column 2: '2' where a number was expected"},
        {"2e+", "line 1, column 1: '2' where a number was expected"},
        {"0x10", "line 1, column 2: 'x' where the end was expected"},
        {"1_000", "line 1, column 2: '_' where the end was expected"},
    };

    (void)state;
    assert_refused(cases, COUNT_OF(cases));
}

static void refuses_text_behind_the_value(void **state)
{
    static const struct refusal cases[] = {
        {"1 2", "line 1, column 3: '2' where the end was expected"},
        {"nullx", "line 1, column 5: 'x' where the end was expected"},
        {"{} {}", "line 1, column 4: '{' where the end was expected"},
        {"[]]", "line 1, column 3: ']' where the end was expected"},
        {"\"a\"\"b\"", "line 1, column 4: '\"' where the end was expected"},
        {"[1]\r\n\n  ,", "line 3, column 3: ',' where the end was expected"},
        {"1\x01", "line 1, column 2: byte 1 where the end was expected"},
    };

    (void)state;
    assert_refused(cases, COUNT_OF(cases));
}

static void refuses_broken_arrays(void **state)
{
    static const struct refusal cases[] = {
        {"[", "line 1, column 2: the text ends where a value was expected"},
        {"[1", "line 1, column 3: the text ends where ',' or ']' was expected"},
        {"[1,", "line 1, column 4: the text ends where a value was expected"},
        {"[1,]", "line 1, column 4: ']' where a value was expected"},
        {"[,1]", "line 1, column 2: ',' where a value was expected"},
        {"[1,,2]", "line 1, column 4: ',' where a value was expected"},
        {"[1 2]", "line 1, column 4: '2' where ',' or ']' was expected"},
        {"[1}", "line 1, column 3: '}' where ',' or ']' was expected"},
        {"[}", "line 1, column 2: '}' where a value was expected"},
        {"[\n  1,\n  x\n]", "line 3, column 3: 'x' where a value was expected"},
        {"[[1,2],[3,4}]", "line 1, column 12: '}' where ',' or ']' was expected"},
    };

    (void)state;
    assert_refused(cases, COUNT_OF(cases));
}

static void refuses_broken_objects(void **state)
{
    static const struct refusal cases[] = {
        {"{", "line 1, column 2: the text ends where a name in quotes was expected"},
        {"{\"a\"", "line 1, column 5: the text ends where ':' was expected"},
        {"{\"a\":", "line 1, column 6: the text ends where a value was expected"},
        {"{\"a\":1", "line 1, column 7: the text ends where ',' or '}' was expected"},
        {"{\"a\":1,", "line 1, column 8: the text ends where a name in quotes was expected"},
        {"{\"a\":1,}", "line 1, column 8: '}' where a name in quotes was expected"},
        {"{,}", "line 1, column 2: ',' where a name in quotes was expected"},
        {"{\"a\" 1}", "line 1, column 6: '1' where ':' was expected"},
        {"{\"a\"}", "line 1, column 5: '}' where ':' was expected"},
        {"{\"a\":}", "line 1, column 6: '}' where a value was expected"},
        {"{a:1}", "line 1, column 2: 'a' where a name in quotes was expected"},
        {"{1:2}", "line 1, column 2: '1' where a name in quotes was expected"},
        {"{null:2}", "line 1, column 2: 'n' where a name in quotes was expected"},
        {"{\"a\":1 \"b\":2}", "line 1, column 8: '\"' where ',' or '}' was expected"},
        {"{\"a\":1]", "line 1, column 7: ']' where ',' or '}' was expected"},
        {"{]", "line 1, column 2: ']' where a name in quotes was expected"},
        {"{\"a", "line 1, column 4: the text ends inside a string"},
    };

    (void)state;
    assert_refused(cases, COUNT_OF(cases));
}

static void refuses_broken_strings(void **state)
{
    static const struct refusal cases[] = {
        {"\"", "line 1, column 2: the text ends inside a string"},
        {"\"abc", "line 1, column 5: the text ends inside a string"},
        {"\"abc\\\"", "line 1, column 7: the text ends inside a string"},
        {"\"a\nb\"", "line 1, column 3: a character that a string cannot contain"},
        {"\"\t\"", "line 1, column 2: a character that a string cannot contain"},
        {"\"\x1f\"", "line 1, column 2: a character that a string cannot contain"},
        {"\"\\", "line 1, column 2: a character that a string cannot contain"},
        {"\"\\x\"", "line 1, column 2: a character that a string cannot contain"},
        {"\"\\'\"", "line 1, column 2: a character that a string cannot contain"},
        {"\"\\U0041\"", "line 1, column 2: a character that a string cannot contain"},
        {"\"ab\\u\"", "line 1, column 4: a character that a string cannot contain"},
        {"\"\\u12\"", "line 1, column 2: a character that a string cannot contain"},
        {"\"\\u12", "line 1, column 2: a character that a string cannot contain"},
        {"\"\\u123", "line 1, column 2: a character that a string cannot contain"},
        {"\"\\u123g\"", "line 1, column 2: a character that a string cannot contain"},
        {"\"\\u-123\"", "line 1, column 2: a character that a string cannot contain"},
        {"\"\\u1234", "line 1, column 8: the text ends inside a string"},
    };

    (void)state;
    assert_refused(cases, COUNT_OF(cases));
}

static void refuses_strings_that_are_not_utf8(void **state)
{
    static const char error[] = "line 1, column 3: a character that a string cannot contain";
    static const char *const sequences[] = {
        "\x80",         "\xbf",         "\xff",         "\xc0\xaf",         "\xc1\xbf",
        "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xc3",         "\xe2\x82",     "\xf0\x9f\x98", "\xf8\x88\x80\x80", "\xc3\xc3\xa4",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sequences); i++) {
        char text[16];
        snprintf(text, sizeof text, "\"a%s\"", sequences[i]);
        assert_refused(&(struct refusal){text, error}, 1);
        text[strlen(text) - 1] = '\0'; /* cut by the end of the text, not by a quote */
        assert_refused(&(struct refusal){text, error}, 1);
    }
}

static void refuses_nul_bytes(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        const char *error;
    } cases[] = {
        {"\0", 1, "line 1, column 1: byte 0 where a value was expected"},
        {"1\0", 2, "line 1, column 2: byte 0 where the end was expected"},
        {"[1,\0]", 5, "line 1, column 4: byte 0 where a value was expected"},
        {"[\0]", 3, "line 1, column 2: byte 0 where a value was expected"},
        {"\"a\0b\"", 5, "line 1, column 3: a character that a string cannot contain"},
        {"\"\\\0\"", 4, "line 1, column 2: a character that a string cannot contain"},
        {"\"\\u00\0\"", 7, "line 1, column 2: a character that a string cannot contain"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bench b;
        open_bytes(&b, cases[i].text, cases[i].length);
        tpi_json_skip(&b.json, NULL);
        close_with(&b, cases[i].error);
    }
}

/* `depth` times `opening`, and the matching ends. */
static void open_nested(struct bench *b, int depth, const char *opening, char closing)
{
    tpi_buf text = {0};

    for (int i = 0; i < depth; i++) {
        tpi_buf_puts(&text, i < depth - 1 || opening[0] == '[' ? opening : "{");
    }
    for (int i = 0; i < depth; i++) {
        tpi_buf_putc(&text, closing);
    }
    open_bytes(b, tpi_buf_text(&text), text.length);
    tpi_buf_fini(&text);
}

static void nesting_ends_at_the_limit(void **state)
{
    struct bench b;

    (void)state;
    open_nested(&b, TPI_JSON_DEPTH, "[", ']');
    assert_true(tpi_json_skip(&b.json, NULL));
    close_well(&b);
    open_nested(&b, TPI_JSON_DEPTH + 1, "[", ']');
    assert_false(tpi_json_skip(&b.json, NULL));
    close_with(&b, "line 1, column 65: nested more than 64 deep");
    open_nested(&b, TPI_JSON_DEPTH, "{\"\":", '}');
    assert_true(tpi_json_skip(&b.json, NULL));
    close_well(&b);
    open_nested(&b, TPI_JSON_DEPTH + 1, "{\"\":", '}');
    assert_false(tpi_json_skip(&b.json, NULL));
    close_with(&b, "line 1, column 257: nested more than 64 deep");
    open_nested(&b, 100000, "[", ']');
    assert_false(tpi_json_skip(&b.json, NULL));
    close_with(&b, "line 1, column 65: nested more than 64 deep");
}

static void neighbours_do_not_nest(void **state)
{
    tpi_buf text = {0};
    struct bench b;

    (void)state;
    tpi_buf_putc(&text, '[');
    for (int i = 0; i < 1000; i++) {
        tpi_buf_puts(&text, "[],{},[{\"a\":[]}],");
    }
    tpi_buf_puts(&text, "0]");
    open_bytes(&b, text.data, text.length);
    assert_true(tpi_json_skip(&b.json, NULL));
    close_well(&b);
    tpi_buf_fini(&text);
}

static void peek_tells_the_kind_without_reading(void **state)
{
    static const struct {
        const char *text;
        tpi_json_kind kind;
    } cases[] = {
        {" {", TPI_JSON_OBJECT}, {" [", TPI_JSON_ARRAY},  {" \"", TPI_JSON_STRING},
        {" t", TPI_JSON_BOOL},   {" f", TPI_JSON_BOOL},   {" n", TPI_JSON_NULL},
        {" -", TPI_JSON_NUMBER}, {" 0", TPI_JSON_NUMBER}, {" 9", TPI_JSON_NUMBER},
        {" ", TPI_JSON_NONE},    {"", TPI_JSON_NONE},     {" x", TPI_JSON_NONE},
        {" ]", TPI_JSON_NONE},   {" +", TPI_JSON_NONE},   {" /", TPI_JSON_NONE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bench b;
        open_text(&b, cases[i].text);
        assert_int_equal(tpi_json_peek(&b.json), cases[i].kind);
        assert_int_equal(tpi_json_peek(&b.json), cases[i].kind);
        assert_false(b.json.failed);
        free(b.text);
    }
}

static void assert_span(tpi_json_span span, const char *wanted)
{
    assert_int_equal(span.length, strlen(wanted));
    assert_memory_equal(span.text, wanted, span.length);
    assert_true(tpi_json_is(span, wanted));
}

static void reads_an_object_member_by_member(void **state)
{
    static const char text[] = "{\"speed\": 1.5, \"count\": -3, \"on\": true, \"off\":false,\n"
                               " \"no\": null, \"list\": [1, 2], \"name\": \"a\\tb\"}";
    struct bench b;
    tpi_json_span span;
    double real = 0;
    int64_t whole = 0;
    bool flag = false;

    (void)state;
    open_text(&b, text);
    assert_true(tpi_json_object(&b.json));
    assert_true(tpi_json_member(&b.json, &span) && tpi_json_is(span, "speed"));
    assert_true(tpi_json_f64(&b.json, &real) && real == 1.5);
    assert_true(tpi_json_member(&b.json, &span) && tpi_json_is(span, "count"));
    assert_true(tpi_json_i64(&b.json, &whole) && whole == -3);
    assert_true(tpi_json_member(&b.json, &span) && tpi_json_is(span, "on"));
    assert_true(tpi_json_bool(&b.json, &flag) && flag);
    assert_true(tpi_json_member(&b.json, &span) && tpi_json_is(span, "off"));
    assert_true(tpi_json_bool(&b.json, &flag) && !flag);
    assert_true(tpi_json_member(&b.json, &span) && tpi_json_is(span, "no"));
    assert_true(tpi_json_null(&b.json));
    assert_true(tpi_json_member(&b.json, &span) && tpi_json_is(span, "list"));
    assert_true(tpi_json_array(&b.json));
    assert_true(tpi_json_element(&b.json) && tpi_json_i64(&b.json, &whole) && whole == 1);
    assert_true(tpi_json_element(&b.json) && tpi_json_i64(&b.json, &whole) && whole == 2);
    assert_false(tpi_json_element(&b.json));
    assert_true(tpi_json_member(&b.json, &span) && tpi_json_is(span, "name"));
    assert_true(tpi_json_string(&b.json, &span));
    assert_span(span, "a\\tb");
    assert_false(tpi_json_member(&b.json, &span));
    close_well(&b);
}

static void empty_objects_and_arrays_end_at_once(void **state)
{
    struct bench b;
    tpi_json_span name;

    (void)state;
    open_text(&b, "{ \"a\" : [ ] , \"b\" : { } }");
    assert_true(tpi_json_object(&b.json));
    assert_true(tpi_json_member(&b.json, &name));
    assert_true(tpi_json_array(&b.json));
    assert_false(tpi_json_element(&b.json));
    assert_true(tpi_json_member(&b.json, &name));
    assert_true(tpi_json_object(&b.json));
    assert_false(tpi_json_member(&b.json, &name));
    assert_false(tpi_json_member(&b.json, &name));
    close_well(&b);
}

static void spans_are_pieces_of_the_text(void **state)
{
    static const char *const values[] = {
        "{\"b\" : [ 1 ]}", "[ 2, {} ]", "\"x\\ny\"", "-1.5e3", "true", "false", "null", "[]",
    };
    tpi_buf text = {0};
    struct bench b;
    tpi_json_span span = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        tpi_buf_printf(&text, "%s %s\n", i == 0 ? "[" : ",", values[i]);
    }
    tpi_buf_puts(&text, "]");
    open_bytes(&b, text.data, text.length);
    assert_true(tpi_json_array(&b.json));
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        assert_true(tpi_json_element(&b.json));
        assert_true(tpi_json_skip(&b.json, &span));
        assert_span(span, values[i]);
        assert_ptr_equal(span.text + span.length, b.text + b.json.at);
    }
    assert_false(tpi_json_element(&b.json));
    close_well(&b);
    tpi_buf_fini(&text);
}

static void a_span_can_be_read_again(void **state)
{
    struct bench b;
    tpi_json_span span;
    tpi_json inner;
    int64_t value = 0;

    (void)state;
    open_text(&b, " [[7], 8] ");
    assert_true(tpi_json_array(&b.json) && tpi_json_element(&b.json));
    assert_true(tpi_json_skip(&b.json, &span));
    tpi_json_init(&inner, span.text, span.length);
    assert_true(tpi_json_array(&inner) && tpi_json_element(&inner));
    assert_true(tpi_json_i64(&inner, &value));
    assert_int_equal(value, 7);
    assert_false(tpi_json_element(&inner));
    assert_int_equal(tpi_json_end(&inner, NULL), TP_OK);
    assert_true(tpi_json_element(&b.json) && tpi_json_i64(&b.json, &value));
    assert_int_equal(value, 8);
    assert_false(tpi_json_element(&b.json));
    close_well(&b);
}

static bool read_bool(tpi_json *json)
{
    bool value;
    return tpi_json_bool(json, &value);
}

static bool read_f64(tpi_json *json)
{
    double value;
    return tpi_json_f64(json, &value);
}

static bool read_i64(tpi_json *json)
{
    int64_t value;
    return tpi_json_i64(json, &value);
}

static bool read_string(tpi_json *json)
{
    tpi_json_span raw;
    return tpi_json_string(json, &raw);
}

static bool read_member(tpi_json *json)
{
    tpi_json_span name;
    return tpi_json_member(json, &name);
}

static bool read_any(tpi_json *json)
{
    return tpi_json_skip(json, NULL);
}

typedef bool reading(tpi_json *json);

static void the_wrong_kind_is_refused(void **state)
{
    static const struct {
        reading *read;
        const char *text;
        const char *error;
    } cases[] = {
        {tpi_json_object, "[]", "line 1, column 1: '[' where an object was expected"},
        {tpi_json_object, " ", "line 1, column 2: the text ends where an object was expected"},
        {tpi_json_array, "\n{}", "line 2, column 1: '{' where an array was expected"},
        {tpi_json_null, "0", "line 1, column 1: '0' where null was expected"},
        {tpi_json_null, "", "line 1, column 1: the text ends where null was expected"},
        {read_bool, " 1", "line 1, column 2: '1' where true or false was expected"},
        {read_bool, "", "line 1, column 1: the text ends where true or false was expected"},
        {read_f64, "true", "line 1, column 1: 't' where a number was expected"},
        {read_f64, "", "line 1, column 1: the text ends where a number was expected"},
        {read_f64, "\"nan\"",
         "line 1, column 1: '\"' where a number, \"NaN\", \"Infinity\" or \"-Infinity\" was "
         "expected"},
        {read_f64, " \"1\"",
         "line 1, column 2: '\"' where a number, \"NaN\", \"Infinity\" or \"-Infinity\" was "
         "expected"},
        {read_f64, "\"NaN", "line 1, column 5: the text ends inside a string"},
        {read_i64, "\"1\"", "line 1, column 1: '\"' where a whole number was expected"},
        {read_i64, "", "line 1, column 1: the text ends where a whole number was expected"},
        {read_string, "5", "line 1, column 1: '5' where a string was expected"},
        {read_string, "", "line 1, column 1: the text ends where a string was expected"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bench b;
        open_text(&b, cases[i].text);
        assert_false(cases[i].read(&b.json));
        close_with(&b, cases[i].error);
    }
}

static void real_numbers_may_be_special_words_in_quotes(void **state)
{
    struct bench b;
    double value = 0;

    (void)state;
    open_text(&b, "[\"NaN\", \"Infinity\", \"-Infinity\", -0, 1e400, 0.1]");
    assert_true(tpi_json_array(&b.json));
    assert_true(tpi_json_element(&b.json) && tpi_json_f64(&b.json, &value) && isnan(value));
    assert_true(tpi_json_element(&b.json) && tpi_json_f64(&b.json, &value));
    assert_true(isinf(value) && value > 0);
    assert_true(tpi_json_element(&b.json) && tpi_json_f64(&b.json, &value));
    assert_true(isinf(value) && value < 0);
    assert_true(tpi_json_element(&b.json) && tpi_json_f64(&b.json, &value));
    assert_true(value == 0 && signbit(value));
    assert_true(tpi_json_element(&b.json) && tpi_json_f64(&b.json, &value) && isinf(value));
    assert_true(tpi_json_element(&b.json) && tpi_json_f64(&b.json, &value) && value == 0.1);
    assert_false(tpi_json_element(&b.json));
    close_well(&b);
}

static void whole_numbers_are_exact(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"-0.0", 0},
        {"42", 42},
        {"5.0", 5},
        {"-5.00", -5},
        {"1e3", 1000},
        {"-1E+3", -1000},
        {"1.5e1", 15},
        {"2500e-2", 25},
        {"0e400", 0},
        {"1e15", INT64_C(1000000000000000)},
        {"9007199254740991.0", INT64_C(9007199254740991)},
        {"9007199254740993", INT64_C(9007199254740993)}, /* 2^53 + 1 */
        {"-9007199254740993", INT64_C(-9007199254740993)},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bench b;
        int64_t value = 99;
        open_text(&b, cases[i].text);
        assert_true(tpi_json_i64(&b.json, &value));
        assert_int_equal(value, cases[i].value);
        close_well(&b);
    }
}

static void what_is_not_whole_or_not_exact_is_refused(void **state)
{
    static const char not_whole[] = "where a whole number was expected";
    static const char too_large[] = "does not fit into 64 bits";
    static const char not_exact[] = "may not be exact; write it without point and exponent";
    static const struct {
        const char *text;
        const char *why;
    } cases[] = {
        {"0.5", not_whole},
        {"-1.25", not_whole},
        {"1e-1", not_whole},
        {"1e400", too_large},
        {"9223372036854775808", too_large},
        {"-9223372036854775809", too_large},
        {"9.3e18", too_large},
        {"9007199254740993.0", not_exact}, /* as a double it would be 9007199254740992 */
        {"-9007199254740993.0", not_exact},
        {"1e17", not_exact},
        {"1E17", not_exact},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bench b;
        int64_t value = 0;
        char text[40];
        char error[128];
        snprintf(text, sizeof text, " %s", cases[i].text);
        snprintf(error, sizeof error, "line 1, column 2: %s %s", cases[i].text, cases[i].why);
        open_text(&b, text);
        assert_false(tpi_json_i64(&b.json, &value));
        close_with(&b, error);
    }
}

static void a_long_number_is_cut_in_the_error(void **state)
{
    struct bench b;
    int64_t value = 0;

    (void)state;
    open_text(&b, "12345678901234567890123456789012345678901234567890");
    assert_false(tpi_json_i64(&b.json, &value));
    close_with(&b, "line 1, column 1: 1234567890123456789012345678901234567890 "
                   "does not fit into 64 bits");
}

static void columns_count_characters(void **state)
{
    struct bench b;
    tpi_json_span name = {0};

    (void)state;
    open_text(&b, "{\"\xc3\xa9\xe2\x82\xac\": x}");
    assert_true(tpi_json_object(&b.json));
    assert_true(tpi_json_member(&b.json, &name));
    assert_false(tpi_json_skip(&b.json, NULL));
    close_with(&b, "line 1, column 8: 'x' where a value was expected");
}

static void a_caller_may_reject_at_another_place(void **state)
{
    struct bench b;
    int64_t value = 0;

    (void)state;
    open_text(&b, "\n  12345");
    assert_true(tpi_json_i64(&b.json, &value));
    assert_false(tpi_json_reject_at(&b.json, 3, "%d is too much", 12345));
    assert_false(tpi_json_reject(&b.json, "the first reason stays"));
    close_with(&b, "line 2, column 3: 12345 is too much");
}

static void failure_is_sticky(void **state)
{
    static reading *const all[] = {tpi_json_object, tpi_json_array, tpi_json_null,
                                   read_bool,       read_f64,       read_i64,
                                   read_any,        read_string,    read_member};
    static const char *const texts[] = {"x {}",  "x []", "x null",  "x true",  "x 1",
                                        "x 1.0", "x 5",  "x \"s\"", "x \"s\":"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        struct bench b;
        open_text(&b, texts[i]);
        assert_false(tpi_json_null(&b.json));
        b.json.at = 2; /* even where it would find what it wants */
        assert_false(all[i](&b.json));
        assert_false(tpi_json_element(&b.json));
        assert_int_equal(tpi_json_peek(&b.json), TPI_JSON_NONE);
        assert_int_equal(b.json.at, 2);
        close_with(&b, "line 1, column 1: 'x' where null was expected");
    }
}

static void loops_end_after_a_failure(void **state)
{
    struct bench b;
    tpi_json_span name;
    int rounds = 0;

    (void)state;
    open_text(&b, "{\"a\":[1,2,x,4],\"b\":5}");
    assert_true(tpi_json_object(&b.json));
    while (tpi_json_member(&b.json, &name)) {
        tpi_json_array(&b.json);
        while (tpi_json_element(&b.json)) {
            read_i64(&b.json);
            rounds++;
        }
    }
    assert_int_equal(rounds, 3);
    close_with(&b, "line 1, column 11: 'x' where a whole number was expected");
}

static void the_caller_may_reject_for_a_reason_of_its_own(void **state)
{
    struct bench b;

    (void)state;
    open_text(&b, "[1,\n 22]");
    assert_true(tpi_json_array(&b.json) && tpi_json_element(&b.json) && read_i64(&b.json));
    assert_true(tpi_json_element(&b.json));
    assert_int_equal(tpi_json_peek(&b.json), TPI_JSON_NUMBER);
    assert_false(tpi_json_reject(&b.json, "%d is over %s", 22, "the limit"));
    assert_false(tpi_json_reject(&b.json, "too late"));
    assert_false(read_i64(&b.json));
    close_with(&b, "line 2, column 2: 22 is over the limit");
}

static void a_long_reason_is_cut(void **state)
{
    char reason[300];
    char wanted[300];
    struct bench b;

    (void)state;
    memset(reason, 'r', sizeof reason - 1);
    reason[sizeof reason - 1] = '\0';
    snprintf(wanted, sizeof wanted, "line 1, column 1: %.*s", (int)sizeof b.json.reason - 1,
             reason);
    open_text(&b, "1");
    assert_false(tpi_json_reject(&b.json, "%s", reason));
    close_with(&b, wanted);
}

static void an_unread_text_is_not_at_its_end(void **state)
{
    struct bench b;

    (void)state;
    open_text(&b, " 1");
    close_with(&b, "line 1, column 2: '1' where the end was expected");
    open_text(&b, " \n");
    close_well(&b);
    open_text(&b, "");
    close_well(&b);
}

static void is_compares_the_whole_string(void **state)
{
    (void)state;
    assert_true(tpi_json_is((tpi_json_span){"speed", 5}, "speed"));
    assert_true(tpi_json_is((tpi_json_span){"speed", 0}, ""));
    assert_false(tpi_json_is((tpi_json_span){"speed", 4}, "speed"));
    assert_false(tpi_json_is((tpi_json_span){"speed", 5}, "spee"));
    assert_false(tpi_json_is((tpi_json_span){"speed", 5}, "Speed"));
    assert_false(tpi_json_is((tpi_json_span){"a\0b", 3}, "a"));
}

/* Read `text`, a string in its quotes, and expect it to stand for `length` bytes. */
static void assert_stands_for(const char *text, const char *wanted, size_t length)
{
    struct bench b;
    tpi_json_span raw;
    tpi_buf out = {0};

    open_text(&b, text);
    assert_true(tpi_json_string(&b.json, &raw));
    tpi_json_unescape(&out, raw);
    assert_int_equal(out.length, length);
    assert_memory_equal(tpi_buf_text(&out), wanted, length);
    close_well(&b);
    tpi_buf_fini(&out);
}

static void escapes_stand_for_characters(void **state)
{
    static const struct {
        const char *text;
        const char *wanted;
    } cases[] = {
        {"\"\"", ""},
        {"\"plain\"", "plain"},
        {"\"\\\"\\\\\\/\"", "\"\\/"},
        {"\"\\b\\f\\n\\r\\t\"", "\b\f\n\r\t"},
        {"\"\\\\u0041\"", "\\u0041"},
        {"\"\\u0041\\u007a\"", "Az"},
        {"\"\\u007f\"", "\x7f"},
        {"\"\\u0080\"", "\xc2\x80"},
        {"\"\\u00e4\\u00E4\"", "\xc3\xa4\xc3\xa4"},
        {"\"\\u07ff\"", "\xdf\xbf"},
        {"\"\\u0800\"", "\xe0\xa0\x80"},
        {"\"\\u20AC\"", "\xe2\x82\xac"},
        {"\"\\uD7FF\\uE000\"", "\xed\x9f\xbf\xee\x80\x80"},
        {"\"\\uFFFF\"", "\xef\xbf\xbf"},
        {"\"\xe2\x82\xac\\n\"", "\xe2\x82\xac\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_stands_for(cases[i].text, cases[i].wanted, strlen(cases[i].wanted));
    }
    assert_stands_for("\"\\u0000\"", "\0", 1);
    assert_stands_for("\"a\\u0000b\"", "a\0b", 3);
}

static void a_pair_of_surrogates_is_one_character(void **state)
{
    (void)state;
    assert_stands_for("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", 4);
    assert_stands_for("\"\\uD83D\\uDE00!\"", "\xf0\x9f\x98\x80!", 5);
    assert_stands_for("\"\\ud800\\udc00\"", "\xf0\x90\x80\x80", 4);
    assert_stands_for("\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf", 4);
}

static void a_lone_surrogate_is_the_replacement_character(void **state)
{
    (void)state;
    assert_stands_for("\"\\ud83d\"", "\xef\xbf\xbd", 3);
    assert_stands_for("\"\\ude00\"", "\xef\xbf\xbd", 3);
    assert_stands_for("\"\\ud83da bcdef\"", "\xef\xbf\xbd\x61 bcdef", 10);
    assert_stands_for("\"\\ud83d\\nabcd\"", "\xef\xbf\xbd\nabcd", 8);
    assert_stands_for("\"\\ud83d\\u0041\"", "\xef\xbf\xbd\x41", 4);
    assert_stands_for("\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd", 6);
    assert_stands_for("\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7);
    assert_stands_for("\"\\ud83d\\\\ude00\"", "\xef\xbf\xbd\\ude00", 9);
}

static void strings_are_written_with_few_escapes(void **state)
{
    tpi_buf out = {0};

    (void)state;
    tpi_json_put_string(&out, "", 0);
    tpi_json_put_string(&out, "a\"b\\c/", 6);
    tpi_json_put_string(&out, "\0\x01\n\x1f\x20\x7f", 6);
    tpi_json_put_string(&out, "\xc3\xa4\xf0\x9f\x98\x80", 6);
    assert_string_equal(tpi_buf_text(&out), "\"\""
                                            "\"a\\\"b\\\\c/\""
                                            "\"\\u0000\\u0001\\u000a\\u001f \x7f\""
                                            "\"\xc3\xa4\xf0\x9f\x98\x80\"");
    tpi_buf_fini(&out);
}

static void bytes_that_are_no_utf8_are_written_as_the_character_for_them(void **state)
{
    tpi_buf out = {0};

    (void)state;
    tpi_json_put_string(&out,
                        "a\xff\xfe"
                        "b",
                        4);
    tpi_json_put_string(&out, "\xc3", 1);                 /* cut off */
    tpi_json_put_string(&out, "\xc0\xaf\xed\xa0\x80", 5); /* longer than needed, a surrogate */
    assert_string_equal(tpi_buf_text(&out),
                        "\"a\xef\xbf\xbd\xef\xbf\xbd"
                        "b\""
                        "\"\xef\xbf\xbd\""
                        "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    tpi_buf_fini(&out);
}

/* UTF-8 by its definition, apart from the code under test. */
static void put_code_point(tpi_buf *out, uint32_t code)
{
    if (code < 0x80) {
        tpi_buf_putc(out, (char)code);
    } else if (code < 0x800) {
        tpi_buf_putc(out, (char)(0xc0 + code / 64));
        tpi_buf_putc(out, (char)(0x80 + code % 64));
    } else if (code < 0x10000) {
        tpi_buf_putc(out, (char)(0xe0 + code / 4096));
        tpi_buf_putc(out, (char)(0x80 + code / 64 % 64));
        tpi_buf_putc(out, (char)(0x80 + code % 64));
    } else {
        tpi_buf_putc(out, (char)(0xf0 + code / 262144));
        tpi_buf_putc(out, (char)(0x80 + code / 4096 % 64));
        tpi_buf_putc(out, (char)(0x80 + code / 64 % 64));
        tpi_buf_putc(out, (char)(0x80 + code % 64));
    }
}

static void assert_survives(const tpi_buf *text)
{
    tpi_buf json = {0};
    tpi_buf back = {0};
    struct bench b;
    tpi_json_span raw;

    tpi_json_put_string(&json, tpi_buf_text(text), text->length);
    open_bytes(&b, json.data, json.length);
    assert_true(tpi_json_string(&b.json, &raw));
    tpi_json_unescape(&back, raw);
    close_well(&b);
    assert_int_equal(back.length, text->length);
    assert_memory_equal(tpi_buf_text(&back), tpi_buf_text(text), text->length);
    tpi_buf_fini(&json);
    tpi_buf_fini(&back);
}

static void every_character_survives(void **state)
{
    tpi_buf text = {0};

    (void)state;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        if (code < 0xd800 || code > 0xdfff) {
            put_code_point(&text, code);
        }
    }
    assert_survives(&text);
    tpi_buf_fini(&text);
}

static void random_strings_survive(void **state)
{
    random_source source = {9};
    tpi_buf text = {0};

    (void)state;
    for (int i = 0; i < 5000; i++) {
        tpi_buf_clear(&text);
        for (uint32_t n = random_below(&source, 12); n > 0; n--) {
            uint32_t code = (uint32_t)(random_bits(&source) >> (43 + random_below(&source, 21)));
            code = code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\\' : code;
            put_code_point(&text, code);
        }
        assert_survives(&text);
    }
    tpi_buf_fini(&text);
}

/* Every escape of four hex digits, against the definition of UTF-8. */
static void every_escape_stands_for_its_character(void **state)
{
    tpi_buf wanted = {0};
    char text[16];

    (void)state;
    for (uint32_t code = 0; code <= 0xffff; code += 7) {
        tpi_buf_clear(&wanted);
        put_code_point(&wanted, code >= 0xd800 && code <= 0xdfff ? 0xfffd : code);
        snprintf(text, sizeof text, "\"\\u%04" PRIx32 "\"", code);
        assert_stands_for(text, wanted.data, wanted.length);
    }
    tpi_buf_fini(&wanted);
}

static void reading_allocates_nothing(void **state)
{
    struct bench b;

    (void)state;
    open_text(&b, "{\"a\":[1,\"NaN\",\"\\u0041\",true,null,{\"b\":[[2.5e300]]}],\"c\":x}");
    const size_t before = memory_allocations();
    assert_false(tpi_json_skip(&b.json, NULL));
    assert_int_equal(tpi_json_end(&b.json, &b.err), TP_E_SYNTAX);
    assert_int_equal(memory_allocations(), before);
    free(b.text);
}

static tp_status write_strings(void *context)
{
    tpi_buf out = {0};

    (void)context;
    for (int i = 0; i < 50; i++) {
        tpi_json_put_string(&out, "a\"\\\n\xc3\xa4", 6);
    }
    tp_status status = tpi_buf_status(&out);
    tpi_buf_fini(&out);
    return status;
}

static tp_status unescape_strings(void *context)
{
    static const char raw[] = "plain\\n\\u00e4\\ud83d\\ude00\\ud83d";
    tpi_buf out = {0};

    (void)context;
    for (int i = 0; i < 50; i++) {
        tpi_json_unescape(&out, (tpi_json_span){raw, sizeof raw - 1});
    }
    tp_status status = tpi_buf_status(&out);
    tpi_buf_fini(&out);
    return status;
}

static void writing_tells_when_memory_runs_out(void **state)
{
    (void)state;
    memory_sweep(write_strings, NULL);
    memory_sweep(unescape_strings, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_every_form_of_json),
        cmocka_unit_test(refuses_what_is_no_value),
        cmocka_unit_test(refuses_numbers_that_json_does_not_have),
        cmocka_unit_test(refuses_text_behind_the_value),
        cmocka_unit_test(refuses_broken_arrays),
        cmocka_unit_test(refuses_broken_objects),
        cmocka_unit_test(refuses_broken_strings),
        cmocka_unit_test(refuses_strings_that_are_not_utf8),
        cmocka_unit_test(refuses_nul_bytes),
        cmocka_unit_test(nesting_ends_at_the_limit),
        cmocka_unit_test(neighbours_do_not_nest),
        cmocka_unit_test(peek_tells_the_kind_without_reading),
        cmocka_unit_test(reads_an_object_member_by_member),
        cmocka_unit_test(empty_objects_and_arrays_end_at_once),
        cmocka_unit_test(spans_are_pieces_of_the_text),
        cmocka_unit_test(a_span_can_be_read_again),
        cmocka_unit_test(the_wrong_kind_is_refused),
        cmocka_unit_test(real_numbers_may_be_special_words_in_quotes),
        cmocka_unit_test(whole_numbers_are_exact),
        cmocka_unit_test(what_is_not_whole_or_not_exact_is_refused),
        cmocka_unit_test(a_long_number_is_cut_in_the_error),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(a_caller_may_reject_at_another_place),
        cmocka_unit_test(failure_is_sticky),
        cmocka_unit_test(loops_end_after_a_failure),
        cmocka_unit_test(the_caller_may_reject_for_a_reason_of_its_own),
        cmocka_unit_test(a_long_reason_is_cut),
        cmocka_unit_test(an_unread_text_is_not_at_its_end),
        cmocka_unit_test(is_compares_the_whole_string),
        cmocka_unit_test(escapes_stand_for_characters),
        cmocka_unit_test(a_pair_of_surrogates_is_one_character),
        cmocka_unit_test(a_lone_surrogate_is_the_replacement_character),
        cmocka_unit_test(strings_are_written_with_few_escapes),
        cmocka_unit_test(bytes_that_are_no_utf8_are_written_as_the_character_for_them),
        cmocka_unit_test(every_character_survives),
        cmocka_unit_test(random_strings_survive),
        cmocka_unit_test(every_escape_stands_for_its_character),
        cmocka_unit_test(reading_allocates_nothing),
        cmocka_unit_test(writing_tells_when_memory_runs_out),
    };

    return cmocka_run_group_tests_name("base/json", tests, NULL, NULL);
}
