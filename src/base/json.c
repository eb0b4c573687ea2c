/* json.c - reading JSON piece by piece; see json.h. */
#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

void tpi_json_init(tpi_json *json, const char *text, size_t length)
{
    *json = (tpi_json){.text = text, .length = length, .most_depth = TPI_JSON_DEPTH};
}

static bool reject(tpi_json *json, size_t at, const char *format, va_list args)
{
    if (!json->failed) {
        json->failed = true;
        json->failed_at = at;
        vsnprintf(json->reason, sizeof json->reason, format, args);
    }
    return false;
}

bool tpi_json_reject(tpi_json *json, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    reject(json, json->at, format, args);
    va_end(args);
    return false;
}

bool tpi_json_reject_at(tpi_json *json, size_t at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    reject(json, at, format, args);
    va_end(args);
    return false;
}

static void skip_space(tpi_json *json)
{
    while (json->at < json->length && strchr(" \t\r\n", json->text[json->at]) != NULL &&
           json->text[json->at] != '\0') {
        json->at++;
    }
}

/* The next character that is no space, '\0' at the end. */
static char next_char(tpi_json *json)
{
    skip_space(json);
    return json->at < json->length ? json->text[json->at] : '\0';
}

tpi_json_kind tpi_json_peek(tpi_json *json)
{
    char c = json->failed ? '\0' : next_char(json);

    switch (c) {
    case '{':
        return TPI_JSON_OBJECT;
    case '[':
        return TPI_JSON_ARRAY;
    case '"':
        return TPI_JSON_STRING;
    case 't':
    case 'f':
        return TPI_JSON_BOOL;
    case 'n':
        return TPI_JSON_NULL;
    default:
        return c == '-' || (c >= '0' && c <= '9') ? TPI_JSON_NUMBER : TPI_JSON_NONE;
    }
}

static bool unexpected(tpi_json *json, const char *wanted)
{
    if (json->at >= json->length) {
        return tpi_json_reject(json, "the text ends where %s was expected", wanted);
    }
    unsigned char c = (unsigned char)json->text[json->at];
    if (c < 0x20 || c >= 0x7f) {
        return tpi_json_reject(json, "byte %u where %s was expected", c, wanted);
    }
    return tpi_json_reject(json, "'%c' where %s was expected", c, wanted);
}

static bool enter(tpi_json *json, char bracket, const char *wanted)
{
    if (json->failed) {
        return false;
    }
    if (next_char(json) != bracket) {
        return unexpected(json, wanted);
    }
    if (json->depth == json->most_depth) {
        return tpi_json_reject(json, "nested more than %u deep", json->most_depth);
    }
    json->depth++;
    json->at++;
    json->fresh = true;
    return true;
}

/* Move to the next member or element; false at the closing bracket, which is consumed. */
static bool advance(tpi_json *json, char closing)
{
    if (json->failed) {
        return false;
    }
    char c = next_char(json);
    bool first = json->fresh;
    json->fresh = false;
    if (c == closing) {
        json->at++;
        json->depth--;
        return false;
    }
    if (first) {
        return true;
    }
    if (c != ',') {
        return unexpected(json, closing == '}' ? "',' or '}'" : "',' or ']'");
    }
    json->at++;
    return true;
}

bool tpi_json_object(tpi_json *json)
{
    return enter(json, '{', "an object");
}

bool tpi_json_array(tpi_json *json)
{
    return enter(json, '[', "an array");
}

bool tpi_json_element(tpi_json *json)
{
    return advance(json, ']');
}

bool tpi_json_member(tpi_json *json, tpi_json_span *name)
{
    if (!advance(json, '}')) {
        return false;
    }
    if (next_char(json) != '"') {
        return unexpected(json, "a name in quotes");
    }
    if (!tpi_json_string(json, name)) {
        return false;
    }
    if (next_char(json) != ':') {
        return unexpected(json, "':'");
    }
    json->at++;
    return true;
}

static bool read_word(tpi_json *json, const char *word)
{
    size_t length = strlen(word);

    if (json->length - json->at < length || memcmp(json->text + json->at, word, length) != 0) {
        return false;
    }
    json->at += length;
    return true;
}

bool tpi_json_null(tpi_json *json)
{
    if (json->failed) {
        return false;
    }
    skip_space(json);
    return read_word(json, "null") || unexpected(json, "null");
}

bool tpi_json_bool(tpi_json *json, bool *value)
{
    if (json->failed) {
        return false;
    }
    skip_space(json);
    *value = json->at < json->length && json->text[json->at] == 't';
    return read_word(json, *value ? "true" : "false") || unexpected(json, "true or false");
}

static bool special_number(tpi_json *json, double *value)
{
    const size_t start = json->at;
    tpi_json_span raw = {NULL, 0};

    if (!tpi_json_string(json, &raw)) {
        return false;
    }
    if (tpi_json_is(raw, "NaN")) {
        *value = (double)NAN;
    } else if (tpi_json_is(raw, "Infinity")) {
        *value = (double)INFINITY;
    } else if (tpi_json_is(raw, "-Infinity")) {
        *value = -(double)INFINITY;
    } else {
        json->at = start;
        return unexpected(json, "a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
    }
    return true;
}

bool tpi_json_f64(tpi_json *json, double *value)
{
    if (json->failed) {
        return false;
    }
    if (next_char(json) == '"') {
        return special_number(json, value);
    }
    size_t used = tpi_number_read_f64(json->text + json->at, json->length - json->at, value);
    json->at += used;
    return used > 0 || unexpected(json, "a number");
}

/* Why a number is not a whole one that fits. */
static bool not_whole(tpi_json *json, const char *text, size_t length, double real)
{
    const int shown = (int)(length < 40 ? length : 40);
    bool digits = true;

    for (size_t i = 0; i < length; i++) {
        digits = digits && text[i] != '.' && text[i] != 'e' && text[i] != 'E';
    }
    if (real != floor(real)) {
        return tpi_json_reject(json, "%.*s where a whole number was expected", shown, text);
    }
    if (digits || fabs(real) >= 9223372036854775808.0) {
        return tpi_json_reject(json, "%.*s does not fit into 64 bits", shown, text);
    }
    return tpi_json_reject(json, "%.*s may not be exact; write it without point and exponent",
                           shown, text);
}

bool tpi_json_i64(tpi_json *json, int64_t *value)
{
    double real = 0;

    if (json->failed) {
        return false;
    }
    skip_space(json);
    const char *start = json->text + json->at;
    size_t used = tpi_number_read_f64(start, json->length - json->at, &real);
    if (used == 0) {
        return unexpected(json, "a whole number");
    }
    if (!tpi_number_read_i64(start, used, value)) {
        /* 1e3 and 5.0 are whole numbers too, as far as a double is exact: 2^53 may be 2^53 + 1 */
        if (real != floor(real) || fabs(real) >= 9007199254740992.0) {
            return not_whole(json, start, used, real);
        }
        *value = (int64_t)real;
    }
    json->at += used;
    return true;
}

/* The length of the escape at `text` (behind the backslash), 0 if it is none. */
static size_t escape_length(const char *text, size_t available)
{
    if (available == 0 || text[0] == '\0') {
        return 0;
    }
    if (text[0] != 'u') {
        return strchr("\"\\/bfnrt", text[0]) != NULL ? 1 : 0;
    }
    for (size_t i = 1; i <= 4; i++) {
        if (i >= available || text[i] == '\0' ||
            strchr("0123456789abcdefABCDEF", text[i]) == NULL) {
            return 0;
        }
    }
    return 5;
}

bool tpi_json_string(tpi_json *json, tpi_json_span *raw)
{
    if (json->failed) {
        return false;
    }
    if (next_char(json) != '"') {
        return unexpected(json, "a string");
    }
    const size_t start = ++json->at;
    while (json->at < json->length && json->text[json->at] != '"') {
        const char *at = json->text + json->at;
        size_t available = json->length - json->at;
        size_t step = *at == '\\' ? escape_length(at + 1, available - 1) : 0;
        if (*at == '\\') {
            step = step == 0 ? 0 : step + 1;
        } else if ((unsigned char)*at >= 0x20) {
            step = tpi_utf8_length(at, available);
        }
        if (step == 0) {
            return tpi_json_reject(json, "a character that a string cannot contain");
        }
        json->at += step;
    }
    if (json->at == json->length) {
        return tpi_json_reject(json, "the text ends inside a string");
    }
    *raw = (tpi_json_span){json->text + start, json->at - start};
    json->at++;
    return true;
}

static bool skip_value(tpi_json *json)
{
    tpi_json_span span;
    double number;
    bool boolean;

    switch (tpi_json_peek(json)) {
    case TPI_JSON_OBJECT:
        tpi_json_object(json);
        while (tpi_json_member(json, &span) && skip_value(json)) {
        }
        return !json->failed;
    case TPI_JSON_ARRAY:
        tpi_json_array(json);
        while (tpi_json_element(json) && skip_value(json)) {
        }
        return !json->failed;
    case TPI_JSON_STRING:
        return tpi_json_string(json, &span);
    case TPI_JSON_NUMBER:
        return tpi_json_f64(json, &number);
    case TPI_JSON_BOOL:
        return tpi_json_bool(json, &boolean);
    case TPI_JSON_NULL:
        return tpi_json_null(json);
    case TPI_JSON_NONE:
        break;
    }
    return unexpected(json, "a value");
}

bool tpi_json_skip(tpi_json *json, tpi_json_span *span)
{
    if (json->failed) {
        return false;
    }
    skip_space(json);
    const size_t start = json->at;
    if (!skip_value(json)) {
        return false;
    }
    if (span != NULL) {
        *span = (tpi_json_span){json->text + start, json->at - start};
    }
    return true;
}

tp_status tpi_json_end(tpi_json *json, tp_error *err)
{
    if (!json->failed && (next_char(json) != '\0' || json->at < json->length)) {
        unexpected(json, "the end");
    }
    if (!json->failed) {
        return TP_OK;
    }
    size_t line = 1;
    size_t column = 1;
    for (size_t i = 0; i < json->failed_at; i++) {
        column += ((unsigned char)json->text[i] & 0xc0) == 0x80 ? 0 : 1; /* as an editor counts */
        if (json->text[i] == '\n') {
            line++;
            column = 1;
        }
    }
    return tp_fail(err, TP_E_SYNTAX, "line %zu, column %zu: %s", line, column, json->reason);
}

static unsigned long hex4(const char *digits)
{
    unsigned long value = 0;

    for (int i = 0; i < 4; i++) {
        char c = digits[i];
        unsigned long digit = c <= '9'   ? (unsigned long)(c - '0')
                              : c <= 'F' ? (unsigned long)(c - 'A') + 10
                                         : (unsigned long)(c - 'a') + 10;
        value = value << 4 | digit;
    }
    return value;
}

static void put_utf8(tpi_buf *out, unsigned long code)
{
    if (code < 0x80) {
        tpi_buf_putc(out, (char)code);
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    tpi_buf_putc(out, (char)(lead[more] | code >> (6 * more)));
    while (more-- > 0) {
        tpi_buf_putc(out, (char)(0x80 | (code >> (6 * more) & 0x3f)));
    }
}

/* \uXXXX at `at` (behind the u): appended; how many characters were used. A pair of surrogates is
 * one code point, a lone one is U+FFFD. */
static size_t unescape_u(tpi_buf *out, const char *at, size_t available)
{
    unsigned long code = hex4(at);

    if (code >= 0xd800 && code <= 0xdbff && available >= 10 && at[4] == '\\' && at[5] == 'u') {
        unsigned long low = hex4(at + 6);
        if (low >= 0xdc00 && low <= 0xdfff) {
            put_utf8(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
            return 10;
        }
    }
    put_utf8(out, code >= 0xd800 && code <= 0xdfff ? 0xfffd : code);
    return 4;
}

void tpi_json_unescape(tpi_buf *out, tpi_json_span raw)
{
    static const char letters[] = "bfnrt";
    static const char meanings[] = "\b\f\n\r\t";

    for (size_t i = 0; i < raw.length; i++) {
        if (raw.text[i] != '\\') {
            tpi_buf_putc(out, raw.text[i]);
            continue;
        }
        char c = raw.text[++i];
        const char *letter = strchr(letters, c);
        if (c == 'u') {
            i += unescape_u(out, raw.text + i + 1, raw.length - i - 1);
        } else {
            tpi_buf_putc(out, letter != NULL ? meanings[letter - letters] : c);
        }
    }
}

bool tpi_json_is(tpi_json_span raw, const char *word)
{
    return strlen(word) == raw.length && memcmp(raw.text, word, raw.length) == 0;
}

/* One character that is not ASCII; how many bytes it has. */
static size_t put_character(tpi_buf *out, const char *text, size_t available)
{
    const size_t length = tpi_utf8_length(text, available);

    if (length == 0) {
        tpi_buf_puts(out, "\xef\xbf\xbd");
        return 1;
    }
    tpi_buf_put(out, text, length);
    return length;
}

void tpi_json_put_string(tpi_buf *out, const char *text, size_t length)
{
    tpi_buf_putc(out, '"');
    for (size_t i = 0; i < length;) {
        const unsigned char c = (unsigned char)text[i];
        if (c >= 0x80) {
            i += put_character(out, text + i, length - i);
            continue;
        }
        if (c == '"' || c == '\\') {
            tpi_buf_putc(out, '\\');
            tpi_buf_putc(out, (char)c);
        } else if (c < 0x20) {
            tpi_buf_printf(out, "\\u%04x", c);
        } else {
            tpi_buf_putc(out, (char)c);
        }
        i++;
    }
    tpi_buf_putc(out, '"');
}
