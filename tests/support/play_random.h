/* play_random.h - random programs whose grammar is right, for tests of src/play. */
#ifndef TROUPE_TESTS_PLAY_RANDOM_H
#define TROUPE_TESTS_PLAY_RANDOM_H

#include "base/buf.h"
#include "play/cell.h"

struct play_random {
    uint32_t state;
    tpi_buf *out;
    unsigned depth;
};

static inline unsigned play_pick(struct play_random *r, unsigned count)
{
    return (tpi_play_random(&r->state) >> 8) % count;
}

static inline void play_random_value(struct play_random *r, unsigned depth)
{
    static const char *const operators[] = {"+", "-", "*", "/", "mod", "and", "or"};
    static const char *const comparisons[] = {"=", "<>", "<", "<=", ">", ">="};
    static const char *const plain[] = {"x",
                                        "y",
                                        "eye",
                                        "5",
                                        "0.25",
                                        "30 cm",
                                        "20 %",
                                        "true",
                                        "\"a \\\"b\\\"\"",
                                        "message from crew",
                                        "time()",
                                        "1.5 s"};

    switch (depth > 3 ? 9 : play_pick(r, 10)) {
    case 0:
    case 1:
        play_random_value(r, depth + 1);
        tpi_buf_printf(r->out, " %s ", operators[play_pick(r, 7)]);
        play_random_value(r, depth + 1);
        break;
    case 2:
        tpi_buf_puts(r->out, "(");
        play_random_value(r, depth + 1);
        tpi_buf_printf(r->out, " %s ", comparisons[play_pick(r, 6)]);
        play_random_value(r, depth + 1);
        tpi_buf_puts(r->out, ")");
        break;
    case 3:
        tpi_buf_puts(r->out, "-");
        play_random_value(r, 4);
        break;
    case 4:
        tpi_buf_puts(r->out, "max(");
        play_random_value(r, depth + 1);
        tpi_buf_puts(r->out, ",");
        play_random_value(r, depth + 1);
        tpi_buf_puts(r->out, ")");
        break;
    case 5:
        tpi_buf_puts(r->out, "(not ");
        play_random_value(r, 4);
        tpi_buf_puts(r->out, ")");
        break;
    case 6:
        tpi_buf_puts(r->out, "(do ReadAnalog eye)");
        break;
    default:
        tpi_buf_puts(r->out, plain[play_pick(r, 12)]);
    }
}

static inline void play_random_end(struct play_random *r)
{
    tpi_buf_puts(r->out, play_pick(r, 5) == 0 ? " # tail ö\n" : "\n");
}

static inline void play_random_body(struct play_random *r);

static inline void play_random_line(struct play_random *r, const char *before)
{
    tpi_buf_puts(r->out, before);
    play_random_value(r, 0);
    play_random_end(r);
}

static inline void play_random_block(struct play_random *r)
{
    static const char *const heads[] = {"while ", "if ", "repeat "};
    const unsigned kind = play_pick(r, 4);

    if (kind == 3) {
        tpi_buf_puts(r->out, "forever");
    } else {
        tpi_buf_puts(r->out, heads[kind]);
        play_random_value(r, 1);
        tpi_buf_puts(r->out, kind == 2 ? " times" : "");
    }
    play_random_end(r);
    play_random_body(r);
    if (kind == 1 && play_pick(r, 2) == 0) {
        play_random_line(r, "else if ");
        play_random_body(r);
    }
    if (kind == 1 && play_pick(r, 2) == 0) {
        tpi_buf_puts(r->out, "else");
        play_random_end(r);
        play_random_body(r);
    }
    tpi_buf_puts(r->out, "end");
    play_random_end(r);
}

static inline void play_random_statement(struct play_random *r)
{
    static const char *const simple[] = {"let x be ",   "change y by ", "print x, ", "drive ",
                                         "wait ",       "show ",        "say ",      "log x, ",
                                         "wait until ", "set lamp to ", "print "};

    if (play_pick(r, 6) == 0) {
        tpi_buf_puts(r->out, "\n\n");
    }
    if (play_pick(r, 5) == 0) {
        tpi_buf_puts(r->out, "  #  a comment #\n");
    }
    if (r->depth < 4 && play_pick(r, 4) == 0) {
        play_random_block(r);
    } else if (play_pick(r, 8) == 0) {
        tpi_buf_puts(r->out, "stop");
        play_random_end(r);
    } else {
        play_random_line(r, simple[play_pick(r, 11)]);
    }
}

static inline void play_random_body(struct play_random *r)
{
    r->depth++;
    for (unsigned i = play_pick(r, 4); i > 0; i--) {
        play_random_statement(r);
    }
    if (play_pick(r, 6) == 0) {
        tpi_buf_puts(r->out, "# closing\n");
    }
    r->depth--;
}

/* A program. */
static inline void play_random_program(tpi_buf *out, uint32_t seed)
{
    struct play_random r = {.state = seed * 2654435761u + 1, .out = out};

    tpi_buf_puts(out, "device eye is Light Sensor\ndevice lamp is LED # red\nchannel crew\n"
                      "let x be 1\nlet y be 2\n");
    play_random_body(&r);
    tpi_buf_puts(out, "to f ( a,b )\n");
    play_random_body(&r);
    tpi_buf_puts(out, "end\nwhen eye>5\n");
    play_random_body(&r);
    tpi_buf_puts(out, "end\n");
    for (unsigned i = play_pick(&r, 8); i > 0; i--) {
        play_random_statement(&r);
    }
    tpi_buf_puts(out, play_pick(&r, 2) == 0 ? "# the end\n" : "");
}

#endif
