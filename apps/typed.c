/* typed.c - keys from the bytes that a terminal sends; see typed.h. */
#include "typed.h"

#include "troupe/clock.h"

/* Terminals send a sequence at once. A line between may hold it up a little. */
static const int64_t patience_ns = 150 * TP_NS_PER_MS;

/* Programs look for keys more often. */
static const int64_t longest_look_ns = 200 * TP_NS_PER_MS;

enum { ESC = 0x1b };

static int end(struct typed *typed, int key)
{
    typed->state = TYPED_PLAIN;
    return key;
}

static int go_on(struct typed *typed, int state)
{
    typed->state = state;
    return TYPED_NONE;
}

static int key_of(unsigned char final)
{
    switch (final) {
    case 'A':
        return TYPED_UP;
    case 'B':
        return TYPED_DOWN;
    case 'C':
        return TYPED_RIGHT;
    case 'D':
        return TYPED_LEFT;
    case 'Z':
        return TYPED_BACKTAB;
    default:
        return TYPED_OTHER;
    }
}

/* Behind ESC. A letter was typed with the key Alt, which changes nothing about q. */
static int take_second(struct typed *typed, unsigned char byte)
{
    if (byte == '[') {
        return go_on(typed, TYPED_SEQUENCE);
    }
    if (byte == 'O') {
        return go_on(typed, TYPED_SINGLE);
    }
    return end(typed, byte == 'q' || byte == 'Q' ? byte : TYPED_OTHER);
}

int64_t typed_came_ns(struct typed *typed, int64_t now_ns)
{
    const int64_t looked_ns = typed->looked_ns;

    typed->looked_ns = now_ns;
    return looked_ns > 0 && now_ns - looked_ns > longest_look_ns ? looked_ns : now_ns;
}

int typed_byte(struct typed *typed, unsigned char byte, int64_t now_ns)
{
    typed->since_ns = now_ns;
    if (byte == ESC) { /* begins anew, wherever it comes; ESC ESC [ A is an arrow with Alt */
        return go_on(typed, TYPED_ESCAPED);
    }
    switch (typed->state) {
    case TYPED_ESCAPED:
        return take_second(typed, byte);
    case TYPED_SINGLE:
        return end(typed, key_of(byte));
    case TYPED_SEQUENCE:
        if (byte >= 0x20 && byte < 0x40) { /* parameters */
            return TYPED_NONE;
        }
        return end(typed, byte < 0x7f ? key_of(byte) : TYPED_OTHER);
    default:
        return byte;
    }
}

int typed_pause(struct typed *typed, int64_t now_ns)
{
    if (typed->state == TYPED_PLAIN || now_ns - typed->since_ns < patience_ns) {
        return TYPED_NONE;
    }
    return end(typed, typed->state == TYPED_ESCAPED ? TYPED_ESCAPE : TYPED_OTHER);
}
