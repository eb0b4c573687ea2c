/*
 * script_line.c - a line that plays a script.
 *
 * Between calls the place in the script is at a line that waits: for the driver to write, for its
 * time to come, or for ever. What the driver writes is matched as a stream of bytes, however it is
 * cut. If it writes before an answer is due, the answer comes at once, so that the two are never
 * out of step.
 *
 * Time is the clock's. If that is not the real one it may stand still while somebody waits for the
 * line: then time passes for the line alone (skip_to), and the wait takes no time at all.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "port/script.h"

enum {
    LARGEST_FILE = 64 << 20,
    MOST_UNREAD = 1 << 20, /* answers that a driver may leave behind */
    MOST_SHOWN = 48,       /* bytes of a line in an error */
};

struct script_line {
    tpi_line line;
    tpi_script script;
    const tp_clock *clock; /* borrowed */
    int64_t skipped_ns;    /* it is not earlier than this */
    uint32_t at;           /* the item that waits; the count at the end */
    size_t offset;         /* how much of it is done */
    int64_t since_ns;      /* when the one before it was */
    tpi_buf overtaken;     /* answers that the driver did not wait for */
    size_t overtaken_read;
    tp_error broken; /* what the driver did wrong; TP_OK so far */
};

static struct script_line *of(tpi_line *line)
{
    return (struct script_line *)line;
}

static int64_t now_ns(const struct script_line *s)
{
    const int64_t now = tp_clock_now_ns(s->clock);

    return now > s->skipped_ns ? now : s->skipped_ns;
}

static int64_t later(int64_t from_ns, int64_t by_ns)
{
    return from_ns > TP_NEVER - by_ns ? TP_NEVER : from_ns + by_ns;
}

/* NULL at the end of the script. */
static const tpi_script_item *item_of(const struct script_line *s)
{
    return s->at < s->script.count ? &s->script.items[s->at] : NULL;
}

/* ---- Moving on ------------------------------------------------------------------------------- */

/* Go to the item, or to where it leads. */
static void go_to(struct script_line *s, uint32_t at)
{
    s->offset = 0;
    for (s->at = at; s->at < s->script.count;) {
        tpi_script_item *item = &s->script.items[s->at];
        tpi_script_item *repeat = &s->script.items[item->partner];
        if (item->kind == TPI_SCRIPT_REPEAT) {
            item->done = 0;
            s->at++;
        } else if (item->kind != TPI_SCRIPT_END) {
            return;
        } else if (repeat->passes > 0 && ++repeat->done == repeat->passes) {
            s->at++;
        } else {
            s->at = item->partner + 1;
        }
    }
}

static void done_at(struct script_line *s, int64_t when_ns)
{
    s->since_ns = when_ns;
    go_to(s, s->at + 1);
}

/* Silences that are over. */
static void end_silences(struct script_line *s)
{
    const tpi_script_item *item = item_of(s);

    while (item != NULL && item->kind == TPI_SCRIPT_SILENCE &&
           later(s->since_ns, item->delay_ns) <= now_ns(s)) {
        done_at(s, later(s->since_ns, item->delay_ns));
        item = item_of(s);
    }
}

/* The innermost repeat that the item is in; NULL if there is none. */
static const tpi_script_item *repeat_around(const struct script_line *s,
                                            const tpi_script_item *item)
{
    return item == NULL || item->within == 0 ? NULL : &s->script.items[item->within - 1];
}

/* ---- Reading --------------------------------------------------------------------------------- */

static size_t read_overtaken(struct script_line *s, char *bytes, size_t size)
{
    const size_t left = s->overtaken.length - s->overtaken_read;
    const size_t length = left < size ? left : size;

    if (length > 0) {
        memcpy(bytes, s->overtaken.data + s->overtaken_read, length);
        s->overtaken_read += length;
    }
    if (s->overtaken_read == s->overtaken.length) {
        tpi_buf_clear(&s->overtaken);
        s->overtaken_read = 0;
    }
    return length;
}

static size_t read_answer(struct script_line *s, const tpi_script_item *item, char *bytes,
                          size_t size)
{
    const size_t left = item->length - s->offset;
    const size_t length = left < size ? left : size;

    memcpy(bytes, item->bytes + s->offset, length);
    s->offset += length;
    if (s->offset == item->length) {
        done_at(s, later(s->since_ns, item->delay_ns));
    }
    return length;
}

static tp_status script_read(tpi_line *line, void *bytes, size_t size, size_t *length,
                             tp_error *err)
{
    struct script_line *s = of(line);
    const tpi_script_item *item;

    *length = read_overtaken(s, bytes, size);
    end_silences(s);
    for (item = item_of(s); item != NULL && item->kind == TPI_SCRIPT_ANSWER && *length < size &&
                            later(s->since_ns, item->delay_ns) <= now_ns(s);
         item = item_of(s)) {
        *length += read_answer(s, item, (char *)bytes + *length, size - *length);
        end_silences(s);
    }
    if (*length == 0 && item != NULL && item->kind == TPI_SCRIPT_HANG_UP &&
        later(s->since_ns, item->delay_ns) <= now_ns(s)) {
        return tp_fail(err, TP_E_CLOSED, "script %s:%u: the hardware hung up", s->script.file,
                       item->line);
    }
    return TP_OK;
}

static int64_t script_due_ns(const tpi_line *line)
{
    const struct script_line *s = (const struct script_line *)line;
    const tpi_script_item *item = item_of(s);

    if (s->overtaken.length > 0) {
        return INT64_MIN;
    }
    return item == NULL || item->kind == TPI_SCRIPT_WRITE ? TP_NEVER
                                                          : later(s->since_ns, item->delay_ns);
}

static void script_skip_to(tpi_line *line, int64_t until_ns)
{
    struct script_line *s = of(line);

    s->skipped_ns = until_ns > s->skipped_ns ? until_ns : s->skipped_ns;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void put_shown(tpi_buf *out, const char *bytes, size_t length)
{
    static const char special[] = "\n\r\t\\\"";
    static const char letters[] = "nrt\\\"";

    for (size_t i = 0; i < length && i < MOST_SHOWN; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        const char *found = c == '\0' ? NULL : strchr(special, c);
        if (found != NULL) {
            tpi_buf_printf(out, "\\%c", letters[found - special]);
        } else if (c < 0x80 && isprint(c)) {
            tpi_buf_putc(out, (char)c);
        } else {
            tpi_buf_printf(out, "\\x%02x", c);
        }
    }
    tpi_buf_puts(out, length > MOST_SHOWN ? "..." : "");
}

/* The driver wrote something else: what it wrote of this line before, and now. */
static tp_status mismatch(struct script_line *s, const char *bytes, size_t size)
{
    const tpi_script_item *item = item_of(s);
    tpi_buf wanted = {0};
    tpi_buf written = {0};
    tpi_buf got = {0};
    const unsigned line = item != NULL ? item->line : s->script.last_line;

    if (item != NULL) {
        put_shown(&wanted, item->bytes, item->length);
        tpi_buf_put(&written, item->bytes, s->offset);
    }
    tpi_buf_put(&written, bytes, size < MOST_SHOWN + 1 ? size : MOST_SHOWN + 1);
    put_shown(&got, tpi_buf_text(&written), written.length);
    tp_fail(&s->broken, TP_E_IO, "script %s:%u: expected %s%s%s, got \"%s\"", s->script.file, line,
            item == NULL ? "nothing more" : "\"", tpi_buf_text(&wanted), item == NULL ? "" : "\"",
            tpi_buf_text(&got));
    tpi_buf_fini(&wanted);
    tpi_buf_fini(&written);
    tpi_buf_fini(&got);
    return TP_E_IO;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static bool fits(const tpi_script_item *item, const char *bytes, size_t size)
{
    return memcmp(item->bytes, bytes, size < item->length ? size : item->length) == 0;
}

/* Whether what comes behind a repeat can take these bytes: at its own level, or further out. */
static bool fits_behind(const struct script_line *s, const tpi_script_item *repeat,
                        const char *bytes, size_t size)
{
    const tpi_script_item *item = &s->script.items[repeat->partner + 1];
    const tpi_script_item *const end = &s->script.items[s->script.count];

    while (item < end && (item->kind == TPI_SCRIPT_ANSWER || item->kind == TPI_SCRIPT_REPEAT)) {
        item++;
    }
    if (item == end) {
        return false;
    }
    if (item->kind != TPI_SCRIPT_END) {
        return item->kind != TPI_SCRIPT_WRITE || fits(item, bytes, size);
    }
    const tpi_script_item *outer = &s->script.items[item->partner];
    return (outer->prompt != outer->partner &&
            fits(&s->script.items[outer->prompt], bytes, size)) ||
           fits_behind(s, outer, bytes, size);
}

/* The repeat without end that a write leaves: one with answers only, or one that begins with
 * another write. NULL if there is none. */
static const tpi_script_item *left_repeat(const struct script_line *s, const char *bytes,
                                          size_t size)
{
    const tpi_script_item *item = item_of(s);
    const tpi_script_item *repeat = s->offset > 0 ? NULL : repeat_around(s, item);
    const tpi_script_item *left = NULL;

    for (; repeat != NULL; repeat = repeat_around(s, repeat)) {
        const bool answers_only = repeat->prompt == repeat->partner;
        if (repeat->passes == 0 &&
            (answers_only || (item->kind == TPI_SCRIPT_WRITE && !fits(item, bytes, size) &&
                              fits_behind(s, repeat, bytes, size)))) {
            left = repeat; /* or one further out */
        }
    }
    return left;
}

/* The driver does not wait for the answer: it comes now, or what is left of it. */
static tp_status overtake(struct script_line *s, const tpi_script_item *item)
{
    if (s->overtaken.length > MOST_UNREAD) {
        return tp_fail(&s->broken, TP_E_LIMIT, "script %s:%u: the driver writes and does not read",
                       s->script.file, item->line);
    }
    tpi_buf_put(&s->overtaken, item->bytes + s->offset, item->length - s->offset);
    if (s->overtaken.failed) {
        return tp_fail(&s->broken, TP_E_NOMEM, "script %s: out of memory", s->script.file);
    }
    done_at(s, now_ns(s));
    return TP_OK;
}

/* Match bytes with the item; how many it takes. */
static tp_status match(struct script_line *s, const tpi_script_item *item, const char *bytes,
                       size_t size, size_t *length)
{
    const size_t left = item->length - s->offset;

    *length = left < size ? left : size;
    if (memcmp(item->bytes + s->offset, bytes, *length) != 0) {
        return mismatch(s, bytes, size);
    }
    s->offset += *length;
    if (s->offset == item->length) {
        done_at(s, now_ns(s));
    }
    return TP_OK;
}

/* Take some of the bytes, or move on to an item that may. */
static tp_status write_some(struct script_line *s, const char *bytes, size_t size, size_t *length)
{
    const tpi_script_item *item = item_of(s);

    *length = 0;
    if (item == NULL) {
        return mismatch(s, bytes, size);
    }
    const tpi_script_item *left = left_repeat(s, bytes, size);
    if (left != NULL) {
        s->since_ns = now_ns(s);
        go_to(s, left->partner + 1);
        return TP_OK;
    }
    switch (item->kind) {
    case TPI_SCRIPT_WRITE:
        return match(s, item, bytes, size, length);
    case TPI_SCRIPT_ANSWER:
        return overtake(s, item);
    case TPI_SCRIPT_HANG_UP:
        return tp_fail(&s->broken, TP_E_CLOSED, "script %s:%u: the hardware hung up",
                       s->script.file, item->line);
    default: /* a silence hears nothing */
        *length = size;
        return TP_OK;
    }
}

static tp_status script_write(tpi_line *line, const void *bytes, size_t size, size_t *length,
                              tp_error *err)
{
    struct script_line *s = of(line);
    const char *at = bytes;
    const char *const end = at + size;

    end_silences(s);
    while (at < end && s->broken.code == TP_OK) {
        size_t taken = 0;
        write_some(s, at, (size_t)(end - at), &taken);
        at += taken;
    }
    *length = size;
    return s->broken.code == TP_OK ? TP_OK : tp_fail(err, s->broken.code, "%s", s->broken.text);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void script_close(tpi_line *line)
{
    struct script_line *s = of(line);

    tpi_script_fini(&s->script);
    tpi_buf_fini(&s->overtaken);
    free(s);
}

static const tpi_line_ops script_ops = {
    .read = script_read,
    .write = script_write,
    .due_ns = script_due_ns,
    .skip_to = script_skip_to,
    .close = script_close,
};

tp_status tpi_script_play_take(tpi_line **out, tpi_script *script, const tpi_line_options *plan,
                               tp_error *err)
{
    struct script_line *s = calloc(1, sizeof *s);

    if (s == NULL) {
        tpi_script_fini(script);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    s->line = (tpi_line){.ops = &script_ops, .url = plan->url, .fd = -1};
    s->script = *script;
    s->clock = plan->clock;
    s->skipped_ns = INT64_MIN;
    s->since_ns = tp_clock_now_ns(s->clock);
    go_to(s, 0);
    *out = &s->line;
    return TP_OK;
}

static tp_status load(tpi_script *script, const tpi_line_options *plan, tp_error *err)
{
    tpi_buf path = {0};
    tpi_buf text = {0};

    /* a file of the name "-" is no standard input */
    tpi_buf_printf(&path, "%s%s%s", plan->rest[0] == '/' ? "" : plan->folder,
                   strcmp(plan->rest, "-") == 0 ? "./" : "", plan->rest);
    tp_status status = path.failed ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                   : tpi_file_read_any(&text, path.data, LARGEST_FILE, err);
    if (status == TP_OK) {
        status = tpi_script_parse(script, plan->rest, tpi_buf_text(&text), text.length, err);
    }
    tpi_buf_fini(&path);
    tpi_buf_fini(&text);
    return status;
}

static tp_status open_script(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    tpi_script script;

    if (plan->rest[0] == '\0') {
        return tp_fail(err, TP_E_INVALID, "which file? script:FILE");
    }
    tp_status status = load(&script, plan, err);
    return status == TP_OK ? tpi_script_play_take(out, &script, plan, err) : status;
}

const tp_scheme tpi_scheme_script = {.name = "script", .open = open_script};
