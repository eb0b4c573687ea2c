/* text.c - nearest names, lists, patterns, fields, hexadecimal, escapes, UTF-8. */
#include "base/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_COMPARED = 63 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

static bool is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Whether the last two letters of both are swapped. */
static bool is_swapped(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length > 1 && b_length > 1 && is_same(a[a_length - 1], b[b_length - 2]) &&
           is_same(a[a_length - 2], b[b_length - 1]);
}

/* Edit distance, ignoring case; letters that are swapped are one slip. UINT_MAX for names too long
 * to be worth comparing. */
static unsigned distance_between(const char *a, const char *b)
{
    const size_t rows = strlen(a);
    const size_t columns = strlen(b);
    unsigned table[3][LONGEST_COMPARED + 1]; /* a row and the two before it, in turn */

    if (rows > LONGEST_COMPARED || columns > LONGEST_COMPARED) {
        return UINT_MAX;
    }
    for (size_t j = 0; j <= columns; j++) {
        table[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= rows; i++) {
        unsigned *row = table[i % 3];
        const unsigned *last = table[(i + 2) % 3];
        const unsigned *last_but_one = table[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= columns; j++) {
            const unsigned replaced = last[j - 1] + (is_same(a[i - 1], b[j - 1]) ? 0 : 1);
            row[j] = min3(last[j] + 1, row[j - 1] + 1, replaced);
            if (is_swapped(a, i, b, j) && last_but_one[j - 2] + 1 < row[j]) {
                row[j] = last_but_one[j - 2] + 1;
            }
        }
    }
    return table[rows % 3][columns];
}

void tpi_nearest_init(tpi_nearest *nearest, const char *word)
{
    *nearest = (tpi_nearest){.word = word, .distance = UINT_MAX};
}

/* Farther than any that is counted. */
enum { HALF = INT_MAX - 1, TWO_HALVES = INT_MAX - 2 };

static bool begins_with(const char *text, const char *word)
{
    while (*word != '\0' && tolower((unsigned char)*text) == tolower((unsigned char)*word)) {
        text++;
        word++;
    }
    return *word == '\0';
}

/* Whether a word is the first or the last part of a name, and long enough to mean it. */
static bool is_half(const char *word, const char *name)
{
    enum { SHORTEST = 4 };
    const size_t length = strlen(word);
    const size_t whole = strlen(name);

    return length >= SHORTEST && length < whole && whole <= LONGEST_COMPARED &&
           (begins_with(name, word) || begins_with(name + whole - length, word));
}

/* How many slips a word of that length may have. More than one in four letters is another word. */
static unsigned most_slips(size_t length)
{
    enum { SHORT = 2, FEW = 2 };

    if (length <= SHORT) {
        return 1;
    }
    return length / 4 + 1 > FEW ? (unsigned)length / 4 + 1 : FEW;
}

void tpi_nearest_offer(tpi_nearest *nearest, const char *candidate)
{
    unsigned distance = distance_between(nearest->word, candidate);
    unsigned allowed = most_slips(strlen(nearest->word));

    if (distance <= allowed && distance < nearest->distance) {
        nearest->best = candidate;
        nearest->distance = distance;
    } else if (nearest->distance >= TWO_HALVES && is_half(nearest->word, candidate)) {
        const bool first = nearest->distance > HALF ||
                           (nearest->best != NULL && strcmp(nearest->best, candidate) == 0);
        nearest->best = first ? candidate : NULL;
        nearest->distance = first ? HALF : TWO_HALVES;
    }
}

const char *tpi_nearest_hint(const tpi_nearest *nearest, char *out, size_t size)
{
    out[0] = '\0';
    if (nearest->best != NULL) {
        snprintf(out, size, "; did you mean \"%s\"?", nearest->best);
    }
    return out;
}

bool tpi_text_among(const char *const *list, const char *text)
{
    while (*list != NULL && strcmp(*list, text) != 0) {
        list++;
    }
    return *list != NULL;
}

bool tpi_text_fits(const char *pattern, const char *text, size_t length)
{
    const size_t wanted = strlen(pattern);

    if (wanted > 0 && pattern[wanted - 1] == '*') {
        return length >= wanted - 1 && memcmp(pattern, text, wanted - 1) == 0;
    }
    return length == wanted && memcmp(pattern, text, wanted) == 0;
}

char *tpi_text_field(const char *text, uint32_t *count)
{
    *count = (uint32_t)strlen(text) + 1;
    return (char *)(uintptr_t)text;
}

void tpi_hex_put(tpi_buf *out, const void *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *in = bytes;
    char *at = tpi_buf_reserve(out, length <= SIZE_MAX / 4 ? length * 2 : SIZE_MAX);

    if (at == NULL) {
        return;
    }
    for (size_t i = 0; i < length; i++) {
        at[2 * i] = digits[in[i] >> 4];
        at[2 * i + 1] = digits[in[i] & 15];
    }
    out->length += length * 2;
    out->data[out->length] = '\0';
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static tp_status no_digit(const char *text, size_t at, tp_error *err)
{
    const unsigned char c = (unsigned char)text[at];

    if (c < 0x20 || c >= 0x7f) {
        return tp_fail(err, TP_E_SYNTAX, "character %zu, byte %u, is not a hex digit", at + 1, c);
    }
    return tp_fail(err, TP_E_SYNTAX, "character %zu, '%c', is not a hex digit", at + 1, c);
}

tp_status tpi_hex_read(tpi_buf *out, const char *text, size_t length, tp_error *err)
{
    for (size_t i = 0; i < length;) {
        if (isspace((unsigned char)text[i])) {
            i++;
            continue;
        }
        int high = digit_value(text[i]);
        int low = i + 1 < length ? digit_value(text[i + 1]) : -1;
        if (high < 0) {
            return no_digit(text, i, err);
        }
        if (low < 0 && (i + 1 == length || isspace((unsigned char)text[i + 1]))) {
            return tp_fail(err, TP_E_SYNTAX, "character %zu, '%c', has no second hex digit", i + 1,
                           text[i]);
        }
        if (low < 0) {
            return no_digit(text, i + 1, err);
        }
        tpi_buf_putc(out, (char)(high << 4 | low));
        i += 2;
    }
    return out->failed ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}

size_t tpi_escape_read(const char *text, size_t available, char *out)
{
    static const char letters[] = "nrt0\\\"'";
    static const char meanings[] = "\n\r\t\0\\\"'";
    const char *letter = available > 0 && text[0] != '\0' ? strchr(letters, text[0]) : NULL;

    if (letter != NULL) {
        *out = meanings[letter - letters];
        return 1;
    }
    if (available < 3 || text[0] != 'x' || digit_value(text[1]) < 0 || digit_value(text[2]) < 0) {
        return 0;
    }
    *out = (char)(digit_value(text[1]) << 4 | digit_value(text[2]));
    return 3;
}

/* What the first byte of a sequence says: its length and the least code point it may carry. */
static size_t utf8_lead(unsigned char c, unsigned long *bits, unsigned long *least)
{
    if (c < 0x80) {
        *bits = c;
        *least = 0;
        return 1;
    }
    if ((c & 0xe0) == 0xc0) {
        *bits = c & 0x1f;
        *least = 0x80;
        return 2;
    }
    if ((c & 0xf0) == 0xe0) {
        *bits = c & 0x0f;
        *least = 0x800;
        return 3;
    }
    *bits = c & 0x07;
    *least = 0x10000;
    return (c & 0xf8) == 0xf0 ? 4 : 0;
}

size_t tpi_utf8_length(const char *text, size_t available)
{
    unsigned long code = 0;
    unsigned long least = 0;
    size_t length = available == 0 ? 0 : utf8_lead((unsigned char)text[0], &code, &least);

    if (length == 0 || length > available) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (c & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least || surrogate || code > 0x10ffff ? 0 : length;
}

bool tpi_utf8_valid(const char *text, size_t length)
{
    size_t i = 0;

    while (i < length) {
        size_t step = tpi_utf8_length(text + i, length - i);
        if (step == 0) {
            return false;
        }
        i += step;
    }
    return true;
}
