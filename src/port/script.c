/* script.c - reading scripts, line by line. */
#include "port/script.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

enum { MOST_ITEMS = 1 << 20, MOST_PASSES = 1000000, MOST_SECONDS = 1000000, MOST_DEPTH = 8 };

static const int64_t latest_ns = TP_NEVER / 2; /* beyond this times are not added up any more */

struct reader {
    tpi_script *script; /* borrowed: the result */
    tp_error *err;
    const char *at; /* in the line */
    const char *end;
    unsigned line;
    uint32_t capacity; /* of the items */
    int64_t last_ns;   /* the last time that was reported */
    struct {
        uint32_t at;  /* the repeat */
        bool pausing; /* it has something to wait for */
    } open[MOST_DEPTH];
    unsigned depth;
    tpi_buf bytes; /* of the line */
};

static tp_status fail(struct reader *r, const char *format, ...) TP_PRINTF(2, 3);

static tp_status fail(struct reader *r, const char *format, ...)
{
    char what[160];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return tp_fail(r->err, TP_E_SYNTAX, "%s:%u: %s", r->script->file, r->line, what);
}

static tp_status no_memory(struct reader *r)
{
    return tp_fail(r->err, TP_E_NOMEM, "%s: out of memory", r->script->file);
}

/* ---- Items ----------------------------------------------------------------------------------- */

static tp_status grow(struct reader *r)
{
    tpi_script *script = r->script;
    const uint32_t capacity = r->capacity == 0 ? 16 : r->capacity * 2;

    if (script->count == MOST_ITEMS) {
        return fail(r, "a script has at most %d lines", MOST_ITEMS);
    }
    tpi_script_item *items = tpi_arena_array(&script->arena, capacity, sizeof *items);
    if (items == NULL) {
        return no_memory(r);
    }
    if (script->count > 0) {
        memcpy(items, script->items, script->count * sizeof *items);
    }
    script->items = items;
    r->capacity = capacity;
    return TP_OK;
}

static tp_status add(struct reader *r, const tpi_script_item *item)
{
    tp_status status = r->script->count == r->capacity ? grow(r) : TP_OK;

    if (status == TP_OK) {
        tpi_script_item *added = &r->script->items[r->script->count++];
        *added = *item;
        added->line = r->line;
        r->script->last_line = r->line;
        added->within = r->depth > 0 ? r->open[r->depth - 1].at + 1 : 0;
    }
    return status;
}

/* All repeats that are open have something to wait for. */
static void pause(struct reader *r)
{
    for (unsigned i = 0; i < r->depth; i++) {
        r->open[i].pausing = true;
    }
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) {
        r->at++;
    }
}

static bool take(struct reader *r, const char *word)
{
    const size_t length = strlen(word);
    const size_t left = (size_t)(r->end - r->at);

    if (left < length || memcmp(r->at, word, length) != 0) {
        return false;
    }
    if (isalpha((unsigned char)word[0]) && left > length && r->at[length] != ' ' &&
        r->at[length] != '\t') {
        return false;
    }
    r->at += length;
    return true;
}

/* Seconds: digits, with a point among them or not. */
static tp_status read_seconds(struct reader *r, int64_t *ns)
{
    const char *begin = r->at;
    double seconds = 0;

    while (r->at < r->end && (isdigit((unsigned char)*r->at) || *r->at == '.')) {
        r->at++;
    }
    const size_t length = (size_t)(r->at - begin);
    if (length == 0 || tpi_number_read_f64(begin, length, &seconds) != length ||
        seconds > MOST_SECONDS) {
        return fail(r, "\"%.*s\" is no number of seconds", (int)(length < 40 ? length : 40), begin);
    }
    *ns = (int64_t)(seconds * (double)TP_NS_PER_S);
    return TP_OK;
}

static tp_status expect_end(struct reader *r, const char *behind)
{
    skip_blanks(r);
    return r->at == r->end ? TP_OK : fail(r, "nothing stands behind %s", behind);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *found = c == '\0' ? NULL : strchr(digits, tolower((unsigned char)c));

    return found == NULL ? -1 : (int)(found - digits);
}

/* Two digits at `at`; -1 if they are none. */
static int hex_byte(const struct reader *r, const char *at)
{
    if (r->end - at < 2 || hex_digit(at[0]) < 0 || hex_digit(at[1]) < 0) {
        return -1;
    }
    return hex_digit(at[0]) * 16 + hex_digit(at[1]);
}

/* Behind a backslash. */
static tp_status read_escape(struct reader *r)
{
    char byte = 0;
    const size_t length = tpi_escape_read(r->at, (size_t)(r->end - r->at), &byte);

    if (length == 0) {
        return fail(r, "behind \\ stands n, r, t, 0, \\, \", ' or x and two hex digits");
    }
    tpi_buf_putc(&r->bytes, byte);
    r->at += length;
    return TP_OK;
}

/* The rest of the line behind one blank, as it is but for escapes. */
static tp_status read_text(struct reader *r)
{
    tp_status status = TP_OK;

    r->at += r->at < r->end && *r->at == ' ';
    while (r->at < r->end && status == TP_OK) {
        const char c = *r->at++;
        if (c == '\\') {
            status = read_escape(r);
        } else {
            tpi_buf_putc(&r->bytes, c);
        }
    }
    return status;
}

static tp_status read_hex(struct reader *r)
{
    for (skip_blanks(r); r->at < r->end; skip_blanks(r)) {
        const int byte = hex_byte(r, r->at);
        if (byte < 0) {
            return fail(r, "bytes in hex have two digits each");
        }
        tpi_buf_putc(&r->bytes, (char)byte);
        r->at += 2;
    }
    return TP_OK;
}

static tp_status read_bytes(struct reader *r, tpi_script_kind kind, bool hex, int64_t delay_ns)
{
    tpi_script_item item = {.kind = kind, .delay_ns = delay_ns};
    tp_status status;

    tpi_buf_clear(&r->bytes);
    status = hex ? read_hex(r) : read_text(r);
    if (status != TP_OK) {
        return status;
    }
    if (r->bytes.length == 0 && !r->bytes.failed) {
        return fail(r, "which bytes?");
    }
    item.length = r->bytes.length;
    item.bytes =
        r->bytes.failed ? NULL : tpi_arena_text(&r->script->arena, r->bytes.data, item.length);
    if (item.bytes == NULL) {
        return no_memory(r);
    }
    if (kind == TPI_SCRIPT_WRITE || delay_ns > 0) {
        pause(r);
    }
    return add(r, &item);
}

/* ---- Everything else ------------------------------------------------------------------------- */

static tp_status read_silence(struct reader *r)
{
    tpi_script_item item = {.kind = TPI_SCRIPT_SILENCE, .delay_ns = TP_NEVER};
    tp_status status = TP_OK;

    skip_blanks(r);
    if (r->at < r->end) {
        status = read_seconds(r, &item.delay_ns);
        status = status == TP_OK ? expect_end(r, "the length of a silence") : status;
    }
    if (item.delay_ns > 0) {
        pause(r);
    }
    return status == TP_OK ? add(r, &item) : status;
}

static tp_status read_repeat(struct reader *r)
{
    tpi_script_item item = {.kind = TPI_SCRIPT_REPEAT};
    const char *begin;
    int64_t passes = 0;

    skip_blanks(r);
    begin = r->at;
    while (r->at < r->end && isdigit((unsigned char)*r->at)) {
        r->at++;
    }
    if (r->at > begin && (!tpi_number_read_i64(begin, (size_t)(r->at - begin), &passes) ||
                          passes < 1 || passes > MOST_PASSES)) {
        return fail(r, "a repeat has from 1 to %d passes", MOST_PASSES);
    }
    tp_status status = expect_end(r, "a repeat but a number");
    if (status == TP_OK && r->depth == MOST_DEPTH) {
        return fail(r, "repeats are nested deeper than %d", MOST_DEPTH);
    }
    item.passes = (uint32_t)passes;
    status = status == TP_OK ? add(r, &item) : status;
    if (status == TP_OK) {
        r->open[r->depth].at = r->script->count - 1;
        r->open[r->depth++].pausing = false;
    }
    return status;
}

/* The first write behind the repeat, or its end, which is the last item so far. */
static uint32_t find_prompt(const tpi_script *script, uint32_t repeat)
{
    uint32_t at = repeat + 1;

    while (at + 1 < script->count && script->items[at].kind != TPI_SCRIPT_WRITE) {
        at++;
    }
    return at;
}

static tp_status read_end(struct reader *r)
{
    tpi_script *script = r->script;
    tp_status status = expect_end(r, "an end");

    if (status != TP_OK) {
        return status;
    }
    if (r->depth == 0) {
        return fail(r, "there is no repeat to end");
    }
    const uint32_t repeat = r->open[r->depth - 1].at;
    if (script->count == repeat + 1) {
        return fail(r, "there is nothing to repeat");
    }
    if (script->items[repeat].passes == 0 && !r->open[r->depth - 1].pausing) {
        return fail(r, "a repeat without end needs a > line or a time in it");
    }
    r->depth--;
    status = add(r, &(tpi_script_item){.kind = TPI_SCRIPT_END, .partner = repeat});
    if (status == TP_OK) {
        script->items[repeat].partner = script->count - 1;
        script->items[repeat].prompt = find_prompt(script, repeat);
    }
    return status;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* The time before a line, as how long after the one before it. */
static tp_status read_time(struct reader *r, int64_t *delay_ns, bool *given)
{
    const bool relative = take(r, "+");
    int64_t time_ns = 0;

    *delay_ns = 0;
    *given = relative || (r->at < r->end && isdigit((unsigned char)*r->at));
    if (!*given) {
        return TP_OK;
    }
    tp_status status = read_seconds(r, &time_ns);
    if (status == TP_OK) {
        *delay_ns = relative ? time_ns : time_ns - r->last_ns;
        *delay_ns = *delay_ns > 0 ? *delay_ns : 0;
        r->last_ns = relative && r->last_ns < latest_ns ? r->last_ns + time_ns : time_ns;
        skip_blanks(r);
    }
    return status;
}

static tp_status read_kind(struct reader *r, int64_t delay_ns, bool timed)
{
    tpi_script_item hang_up = {.kind = TPI_SCRIPT_HANG_UP, .delay_ns = delay_ns};

    if (take(r, ">>")) {
        return read_bytes(r, TPI_SCRIPT_WRITE, true, delay_ns);
    }
    if (take(r, "<<")) {
        return read_bytes(r, TPI_SCRIPT_ANSWER, true, delay_ns);
    }
    if (take(r, ">")) {
        return read_bytes(r, TPI_SCRIPT_WRITE, false, delay_ns);
    }
    if (take(r, "<")) {
        return read_bytes(r, TPI_SCRIPT_ANSWER, false, delay_ns);
    }
    if (take(r, "hang-up")) {
        tp_status status = expect_end(r, "hang-up");
        return status == TP_OK ? add(r, &hang_up) : status;
    }
    if (timed) {
        return fail(r, "a time stands before >, <, >>, << or hang-up");
    }
    if (take(r, "silence")) {
        return read_silence(r);
    }
    if (take(r, "repeat")) {
        return read_repeat(r);
    }
    return take(r, "end") ? read_end(r)
                          : fail(r, "a line is >, <, >>, <<, silence, hang-up, repeat or end");
}

static tp_status read_line(struct reader *r)
{
    int64_t delay_ns = 0;
    bool timed = false;

    skip_blanks(r);
    if (r->at == r->end || *r->at == '#') {
        return TP_OK;
    }
    tp_status status = read_time(r, &delay_ns, &timed);
    return status == TP_OK ? read_kind(r, delay_ns, timed) : status;
}

static tp_status read_lines(struct reader *r, const char *text, size_t length)
{
    const char *const end = text + length;
    tp_status status = TP_OK;

    while (text < end && status == TP_OK) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        r->at = text;
        r->end = newline == NULL ? end : newline;
        text = newline == NULL ? end : newline + 1;
        r->end -= r->end > r->at && r->end[-1] == '\r';
        r->line++;
        status = read_line(r);
    }
    if (status == TP_OK && r->depth > 0) {
        r->line = r->script->items[r->open[r->depth - 1].at].line;
        return fail(r, "the repeat has no end");
    }
    return status;
}

tp_status tpi_script_parse(tpi_script *out, const char *file, const char *text, size_t length,
                           tp_error *err)
{
    struct reader r = {.script = out, .err = err};

    *out = (tpi_script){.last_line = 1};
    out->file = tpi_arena_text(&out->arena, file, strlen(file));
    if (out->file == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", file);
    }
    tp_status status = read_lines(&r, text, length);
    tpi_buf_fini(&r.bytes);
    if (status != TP_OK) {
        tpi_script_fini(out);
    }
    return status;
}

void tpi_script_fini(tpi_script *script)
{
    tpi_arena_fini(&script->arena);
    *script = (tpi_script){0};
}
