/* pattern_read.c - the compiler of templates and patterns; see pattern.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "universal/pattern.h"

struct reading {
    const char *at;
    bool is_template, framed;
    tpi_scope *scope;
    tpi_arena *arena;
    char *why;
    size_t size;
    unsigned count;
    tpi_pattern_item items[TPI_MOST_ITEMS];
};

static tp_status fail(const struct reading *in, const char *what, const char *word, int length)
{
    snprintf(in->why, in->size, "\"%.*s\": %s", length, word, what);
    return TP_E_SYNTAX;
}

/* ---- Types ---- */

static bool read_integer(tpi_format *out, const char *text)
{
    static const struct {
        const char *name;
        unsigned width;
    } widths[] = {{"8", 1},    {"16le", 2}, {"16be", 2}, {"24le", 3},
                  {"24be", 3}, {"32le", 4}, {"32be", 4}};
    const bool magnitude = strncmp(text, "sm", 2) == 0;

    if (!magnitude && text[0] != 'u' && text[0] != 's') {
        return false;
    }
    for (unsigned i = 0; i < 7; i++) {
        if (strcmp(widths[i].name, text + (magnitude ? 2 : 1)) == 0 &&
            (!magnitude || widths[i].width <= 2)) {
            *out = (tpi_format){.kind = magnitude ? TPI_FORMAT_SIGN_MAGNITUDE : TPI_FORMAT_INTEGER,
                                .width = (uint16_t)widths[i].width,
                                .is_signed = text[0] == 's',
                                .is_little = strchr(widths[i].name, 'l') != NULL};
            return true;
        }
    }
    return false;
}

static bool read_fixed(tpi_format *out, const char *text)
{
    static const struct {
        const char *name;
        tpi_format format;
    } all[] = {
        {"f32le", {TPI_FORMAT_FLOAT, 4, true, true, TPI_CHECKSUM_NONE}},
        {"f32be", {TPI_FORMAT_FLOAT, 4, true, false, TPI_CHECKSUM_NONE}},
        {"f64le", {TPI_FORMAT_FLOAT, 8, true, true, TPI_CHECKSUM_NONE}},
        {"f64be", {TPI_FORMAT_FLOAT, 8, true, false, TPI_CHECKSUM_NONE}},
        {"strz", {TPI_FORMAT_TEXT_NUL, 0, false, false, TPI_CHECKSUM_NONE}},
        {"str7", {TPI_FORMAT_TEXT_SEVEN, 0, false, false, TPI_CHECKSUM_NONE}},
        {"strq", {TPI_FORMAT_TEXT_QUOTED, 0, false, false, TPI_CHECKSUM_NONE}},
        {"sum8", {TPI_FORMAT_CHECKSUM, 1, false, false, TPI_CHECKSUM_SUM}},
        {"sum0", {TPI_FORMAT_CHECKSUM, 1, false, false, TPI_CHECKSUM_ZERO}},
        {"inv8", {TPI_FORMAT_CHECKSUM, 1, false, false, TPI_CHECKSUM_INVERSE}},
        {"xor8", {TPI_FORMAT_CHECKSUM, 1, false, false, TPI_CHECKSUM_XOR}},
        {"crc8", {TPI_FORMAT_CHECKSUM, 1, false, false, TPI_CHECKSUM_CRC8}},
        {"crc16le", {TPI_FORMAT_CHECKSUM, 2, false, true, TPI_CHECKSUM_CRC16}},
        {"crc16be", {TPI_FORMAT_CHECKSUM, 2, false, false, TPI_CHECKSUM_CRC16}},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i].name, text) == 0) {
            *out = all[i].format;
            return true;
        }
    }
    return false;
}

/* A word and a number behind it: dec3, str20, u7x2. */
static bool read_numbered(tpi_format *out, const char *text)
{
    static const struct {
        const char *name;
        tpi_format_kind kind;
        unsigned least, most; /* of the number; least 0: it may be missing */
    } all[] = {{"u7x", TPI_FORMAT_SEVEN, 1, 5},
               {"dec", TPI_FORMAT_DECIMAL, 0, 9},
               {"hex", TPI_FORMAT_HEX, 1, 8},
               {"real", TPI_FORMAT_REAL, 1, 9},
               {"str", TPI_FORMAT_TEXT, 0, 4096}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const size_t length = strlen(all[i].name);
        unsigned number = 0;
        const char *at = text + length;

        if (strncmp(text, all[i].name, length) != 0) {
            continue;
        }
        for (; isdigit((unsigned char)*at) && number < 10000; at++) {
            number = number * 10 + (unsigned)(*at - '0');
        }
        if (*at == '\0' && number >= all[i].least && number <= all[i].most &&
            (number > 0 || at == text + length)) {
            *out = (tpi_format){.kind = all[i].kind, .width = (uint16_t)number};
            return true;
        }
    }
    return false;
}

bool tpi_format_read(tpi_format *out, const char *text, size_t length)
{
    char word[16];

    if (length >= sizeof word || length == 0) {
        return false;
    }
    memcpy(word, text, length);
    word[length] = '\0';
    return read_fixed(out, word) || read_integer(out, word) || read_numbered(out, word);
}

static bool is_text(const tpi_format *format)
{
    return format->kind >= TPI_FORMAT_TEXT && format->kind <= TPI_FORMAT_TEXT_QUOTED;
}

/* ---- Bytes and texts ---- */

static tp_status put_bytes(struct reading *in, const uint8_t *bytes, unsigned length)
{
    tpi_pattern_item *last = in->count > 0 ? &in->items[in->count - 1] : NULL;
    const bool joins = last != NULL && last->kind == TPI_ITEM_BYTES;
    const unsigned before = joins ? last->length : 0;
    uint8_t *all = tpi_arena_alloc(in->arena, before + length + 1);

    if (all == NULL) {
        snprintf(in->why, in->size, "out of memory");
        return TP_E_NOMEM;
    }
    if (joins) {
        memcpy(all, last->bytes, before);
        in->count--;
    }
    memcpy(all + before, bytes, length);
    in->items[in->count++] = (tpi_pattern_item){
        .kind = TPI_ITEM_BYTES, .bytes = all, .length = before + length, .local = -1};
    return TP_OK;
}

static tp_status read_text(struct reading *in)
{
    uint8_t bytes[200];
    unsigned length = 0;
    const char *start = in->at++;

    while (*in->at != '\'' && *in->at != '\0' && length < sizeof bytes) {
        if (*in->at == '\\') {
            char c;
            const size_t used = tpi_escape_read(in->at + 1, strlen(in->at + 1), &c);
            if (used == 0) {
                return fail(in, "no such escape; there are \\n \\r \\t \\0 \\\\ \\' \\xHH", in->at,
                            2);
            }
            bytes[length++] = (uint8_t)c;
            in->at += used + 1;
        } else {
            bytes[length++] = (uint8_t)*in->at++;
        }
    }
    if (*in->at != '\'') {
        return fail(in, "the text has no end; write ' behind it", start, 20);
    }
    in->at++;
    return put_bytes(in, bytes, length);
}

static int digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* ---- Fields ---- */

/* "90..9F" */
static tp_status read_bounds(struct reading *in, tpi_pattern_item *item, const char *text,
                             size_t length)
{
    unsigned low, high;
    char rest, copy[40];

    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    if (sscanf(copy, "%x..%x %c", &low, &high, &rest) != 2 || low > high) {
        return fail(in, "expected two hexadecimal numbers: 90..9F", text, (int)length);
    }
    item->has_bounds = true;
    item->low = low;
    item->high = high;
    return TP_OK;
}

/* "00 20", behind "ok" */
static tp_status read_allowed(struct reading *in, tpi_pattern_item *item, const char *text,
                              size_t length)
{
    const char *at = text, *end = text + length;

    while (at < end) {
        char *next;
        const unsigned long value = strtoul(at, &next, 16);
        if (next == at || next > end || item->allowed_count == TPI_MOST_ALLOWED) {
            return fail(in, "expected up to 8 hexadecimal numbers behind ok", text, (int)length);
        }
        item->allowed[item->allowed_count++] = (double)value;
        at = next + strspn(next, " ");
    }
    return item->allowed_count > 0 ? TP_OK
                                   : fail(in, "expected numbers behind it: ok 00 20", "ok", 2);
}

/* What stands behind the type of a pattern's field. */
static tp_status read_condition(struct reading *in, tpi_pattern_item *item, const char *text,
                                size_t length)
{
    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    if (length == 0) {
        return TP_OK;
    }
    if (in->is_template || is_text(&item->format)) {
        return fail(in, "nothing may stand behind this type", text, (int)length);
    }
    if (length >= 2 && strncmp(text, "ok", 2) == 0) {
        const size_t skip = length > 2 ? 3 : 2;
        return read_allowed(in, item, text + skip, length - skip);
    }
    return read_bounds(in, item, text, length);
}

static tp_status read_expression(struct reading *in, tpi_expression *out, const char *text,
                                 size_t length)
{
    char why[120];
    const tp_status status =
        tpi_expression_read(out, text, length, in->scope, in->arena, why, sizeof why);

    if (status != TP_OK) {
        snprintf(in->why, in->size, "\"%.*s\": %s", (int)length, text, why);
    }
    return status;
}

/* The name in front of the colon, or the expression. */
static tp_status read_value(struct reading *in, tpi_pattern_item *item, const char *text,
                            size_t length)
{
    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    if (item->format.kind == TPI_FORMAT_CHECKSUM) {
        return length == 0 ? TP_OK
                           : fail(in, "a checksum has no name; write {:sum8}", text, (int)length);
    }
    if (in->is_template) {
        tp_status status = read_expression(in, &item->value, text, length);
        if (status == TP_OK && item->value.is_text != is_text(&item->format)) {
            status = fail(in,
                          item->value.is_text ? "a text needs a type such as str"
                                              : "a number needs a type such as u8",
                          text, (int)length);
        }
        return status;
    }
    if (length > 0) {
        const char *name = tpi_arena_text(in->arena, text, length);
        if (strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") <
                length ||
            isdigit((unsigned char)*text)) {
            return fail(in, "a field of a reply has a name of letters and digits", text,
                        (int)length);
        }
        if (name == NULL) {
            snprintf(in->why, in->size, "out of memory");
            return TP_E_NOMEM;
        }
        item->local = tpi_scope_local(in->scope, name, is_text(&item->format));
        if (item->local < 0) {
            return fail(in, "over 32 names in one translation", text, (int)length);
        }
    }
    return TP_OK;
}

/* "str*expression" */
static tp_status read_counted(struct reading *in, tpi_pattern_item *item, const char *text,
                              size_t length)
{
    item->format = (tpi_format){.kind = TPI_FORMAT_TEXT};
    if (in->is_template) {
        return fail(in, "str* is for replies", text, (int)length);
    }
    return read_expression(in, &item->value, text + 4, length - 4);
}

/* Whether le or be behind it makes it a type. */
static bool lacks_order(const char *type, size_t length)
{
    char whole[8];
    tpi_format format;

    if (length + 2 >= sizeof whole) {
        return false;
    }
    (void)snprintf(whole, sizeof whole, "%.*sle", (int)length, type);
    return tpi_format_read(&format, whole, length + 2);
}

static tp_status read_field(struct reading *in)
{
    const char *start = in->at + 1, *end = strchr(start, '}');
    const char *colon = NULL;
    tpi_pattern_item item = {.kind = TPI_ITEM_FIELD, .local = -1};
    tp_status status = TP_OK;

    if (end == NULL) {
        return fail(in, "the field has no end; write } behind it", in->at, 20);
    }
    for (const char *at = start; at < end; at++) {
        colon = *at == ':' ? at : colon;
    }
    if (colon == NULL) {
        return fail(in, "a field needs a type: {value:u8}", in->at, (int)(end + 1 - in->at));
    }
    const char *type = colon + 1 + strspn(colon + 1, " ");
    const size_t length = strcspn(type, " }*");
    if (strncmp(type, "str*", 4) == 0) {
        status = read_counted(in, &item, type, (size_t)(end - type));
    } else if (!tpi_format_read(&item.format, type, length)) {
        return fail(in,
                    lacks_order(type, length)
                        ? "no such type; write le (low byte first) or be behind it"
                        : "no such type; some are u8 s16be u7x2 dec str",
                    type, (int)length);
    } else if (item.format.kind == TPI_FORMAT_TEXT_QUOTED && !in->is_template) {
        return fail(in, "this type is only for what is sent", type, (int)length);
    } else {
        status = read_condition(in, &item, type + length, (size_t)(end - type) - length);
    }
    if (status == TP_OK) {
        status = read_value(in, &item, start, (size_t)(colon - start));
    }
    in->items[in->count++] = item;
    in->at = end + 1;
    return status;
}

/* ---- Rows ---- */

static tp_status read_mark(struct reading *in)
{
    static const struct {
        const char *mark;
        tpi_item_kind kind;
    } marks[] = {{"~", TPI_ITEM_BLANKS}, {"??", TPI_ITEM_ANY}, {"...", TPI_ITEM_REST}};

    for (unsigned i = 0; i < 3; i++) {
        const size_t length = strlen(marks[i].mark);
        if (strncmp(in->at, marks[i].mark, length) != 0) {
            continue;
        }
        if (in->is_template) {
            return fail(in, "this is for replies", marks[i].mark, (int)length);
        }
        in->items[in->count++] = (tpi_pattern_item){.kind = marks[i].kind, .local = -1};
        in->at += length;
        return TP_OK;
    }
    return fail(in, "expected a byte (4C), a text ('L') or a field ({value:u8})", in->at,
                (int)strcspn(in->at, " \n") > 20 ? 20 : (int)strcspn(in->at, " \n"));
}

static tp_status read_item(struct reading *in)
{
    if (*in->at == '\'') {
        return read_text(in);
    }
    if (*in->at == '{') {
        return read_field(in);
    }
    if (isxdigit((unsigned char)in->at[0]) && isxdigit((unsigned char)in->at[1]) &&
        !isalnum((unsigned char)in->at[2])) {
        const uint8_t byte = (uint8_t)(digit(in->at[0]) * 16 + digit(in->at[1]));
        in->at += 2;
        return put_bytes(in, &byte, 1);
    }
    return read_mark(in);
}

/* Without frames a pattern must know by itself where it ends. */
static tp_status check_end(const struct reading *in)
{
    const tpi_pattern_item *last = in->count > 0 ? &in->items[in->count - 1] : NULL;

    if (last == NULL) {
        snprintf(in->why, in->size, "it is empty; write bytes, texts or fields");
        return TP_E_SYNTAX;
    }
    for (unsigned i = 0; i < in->count; i++) {
        const tpi_pattern_item *item = &in->items[i];
        const bool open =
            item->kind == TPI_ITEM_REST ||
            (item->kind == TPI_ITEM_FIELD && item->format.width == 0 && item->value.ops == NULL &&
             is_text(&item->format) && item->format.kind != TPI_FORMAT_TEXT_NUL);
        const bool is_last = i + 1 == in->count;
        if (!in->is_template && open && is_last && !in->framed) {
            snprintf(in->why, in->size,
                     "without framing nobody knows where it ends; write the byte behind it");
            return TP_E_SYNTAX;
        }
        if (!in->is_template && open && !is_last && in->items[i + 1].kind != TPI_ITEM_BYTES) {
            snprintf(in->why, in->size, "a byte or text must stand behind str, str7 and ...");
            return TP_E_SYNTAX;
        }
    }
    return TP_OK;
}

tp_status tpi_pattern_read(tpi_pattern *out, const char *text, bool is_template, bool framed,
                           tpi_scope *scope, tpi_arena *arena, char *why, size_t size)
{
    struct reading in = {.at = text,
                         .is_template = is_template,
                         .framed = framed,
                         .scope = scope,
                         .arena = arena,
                         .why = why,
                         .size = size};
    tp_status status = TP_OK;

    for (in.at += strspn(in.at, " \t\r\n"); *in.at != '\0' && status == TP_OK;
         in.at += strspn(in.at, " \t\r\n")) {
        if (in.count == TPI_MOST_ITEMS) {
            return fail(&in, "over 128 parts", in.at, 10);
        }
        status = read_item(&in);
    }
    if (status == TP_OK) {
        status = check_end(&in);
    }
    if (status != TP_OK) {
        return status;
    }
    tpi_pattern_item *items = tpi_arena_array(arena, in.count, sizeof *items);
    if (items == NULL) {
        snprintf(why, size, "out of memory");
        return TP_E_NOMEM;
    }
    memcpy(items, in.items, in.count * sizeof *items);
    *out = (tpi_pattern){.items = items, .count = in.count, .text = text};
    return TP_OK;
}
