/* script_fuzz.c - any text as a script; what is accepted means the same when it is written down
 * again, and can be played to a driver that does what it expects. */
#include <string.h>

#include "base/buf.h"
#include "fuzz.h"
#include "port/script.h"

enum { MOST_STEPS = 2000 };

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_time(tpi_buf *out, const tpi_script_item *item)
{
    if (item->delay_ns > 0) {
        tpi_buf_printf(out, "+%lld.%09lld ", (long long)(item->delay_ns / TP_NS_PER_S),
                       (long long)(item->delay_ns % TP_NS_PER_S));
    }
}

static void write_bytes(tpi_buf *out, const tpi_script_item *item)
{
    write_time(out, item);
    tpi_buf_puts(out, item->kind == TPI_SCRIPT_WRITE ? ">>" : "<<");
    for (size_t i = 0; i < item->length; i++) {
        tpi_buf_printf(out, " %02x", (unsigned char)item->bytes[i]);
    }
}

static void write_item(tpi_buf *out, const tpi_script_item *item)
{
    switch (item->kind) {
    case TPI_SCRIPT_WRITE:
    case TPI_SCRIPT_ANSWER:
        write_bytes(out, item);
        break;
    case TPI_SCRIPT_SILENCE:
        tpi_buf_puts(out, "silence ");
        if (item->delay_ns != TP_NEVER) {
            tpi_buf_printf(out, "%lld.%09lld", (long long)(item->delay_ns / TP_NS_PER_S),
                           (long long)(item->delay_ns % TP_NS_PER_S));
        }
        break;
    case TPI_SCRIPT_HANG_UP:
        write_time(out, item);
        tpi_buf_puts(out, "hang-up");
        break;
    case TPI_SCRIPT_REPEAT:
        tpi_buf_puts(out, "repeat");
        if (item->passes > 0) {
            tpi_buf_printf(out, " %u", item->passes);
        }
        break;
    case TPI_SCRIPT_END:
        tpi_buf_puts(out, "end");
        break;
    }
    tpi_buf_putc(out, '\n');
}

static bool nearly(int64_t a, int64_t b)
{
    return a == b || (a - b < 2000 && b - a < 2000); /* seconds are read as a double */
}

static void round_trip(const tpi_script *script)
{
    tpi_script back;
    tpi_buf text = {0};
    tp_error err = {0};

    for (uint32_t i = 0; i < script->count; i++) {
        write_item(&text, &script->items[i]);
    }
    fuzz_require(tpi_script_parse(&back, "back", tpi_buf_text(&text), text.length, &err) == TP_OK,
                 "what was accepted is refused");
    fuzz_require(back.count == script->count, "lines are lost");
    for (uint32_t i = 0; i < script->count; i++) {
        const tpi_script_item *a = &script->items[i];
        const tpi_script_item *b = &back.items[i];
        fuzz_require(a->kind == b->kind && a->length == b->length && a->passes == b->passes &&
                         a->partner == b->partner && a->prompt == b->prompt &&
                         a->within == b->within && nearly(a->delay_ns, b->delay_ns),
                     "a line has changed");
        fuzz_require(a->length == 0 || memcmp(a->bytes, b->bytes, a->length) == 0,
                     "bytes have changed");
    }
    tpi_script_fini(&back);
    tpi_buf_fini(&text);
}

/* ---- Playing --------------------------------------------------------------------------------- */

static int64_t no_time(const tp_clock *clock)
{
    (void)clock;
    return 0;
}

/* Read all that comes by itself, for a while; false when the line hangs up. */
static bool read_on(tpi_line *line, unsigned *steps)
{
    char bytes[7];
    size_t length = 0;

    while (++*steps < MOST_STEPS) {
        if (line->ops->read(line, bytes, sizeof bytes, &length, NULL) != TP_OK) {
            return false;
        }
        const int64_t due_ns = line->ops->due_ns(line);
        if (length == 0 && due_ns == TP_NEVER) {
            return true;
        }
        if (due_ns != TP_NEVER) {
            line->ops->skip_to(line, due_ns);
        }
    }
    return false;
}

/* A driver that writes what the script expects somewhere, every `stride`-th line of it. */
static void play(tpi_script *script, uint32_t stride)
{
    const tp_clock clock = {.now_ns = no_time};
    const tpi_line_options plan = {.url = "script:fuzz", .clock = &clock};
    const tpi_script_item *items = script->items; /* which the line keeps in its place */
    const uint32_t count = script->count;
    tpi_line *line = NULL;
    tp_error err = {0};
    unsigned steps = 0;

    if (tpi_script_play_take(&line, script, &plan, &err) != TP_OK) {
        return;
    }
    for (uint32_t i = 0; i < 2 * count && steps < MOST_STEPS; i++) {
        const tpi_script_item *item = &items[(uint64_t)i * stride % count];
        const size_t half = item->length / 2;
        size_t length = 0;
        if (item->kind == TPI_SCRIPT_WRITE) {
            line->ops->write(line, item->bytes, half, &length, &err);
            line->ops->write(line, item->bytes + half, item->length - half, &length, &err);
        }
        if (i % 2 == 0 && !read_on(line, &steps)) {
            break;
        }
    }
    line->ops->close(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tpi_script script;
    tp_error err = {0};

    if (tpi_script_parse(&script, "fuzz", (const char *)data, size, &err) != TP_OK) {
        fuzz_require(strncmp(err.text, "fuzz:", 5) == 0, "an error without a place");
        return 0;
    }
    round_trip(&script);
    play(&script, 1);
    if (size < 4096 && tpi_script_parse(&script, "fuzz", (const char *)data, size, &err) == TP_OK) {
        play(&script, 7);
    }
    return 0;
}
