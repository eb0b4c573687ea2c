/*
 * typed.h - keys from the bytes that a terminal sends.
 *
 * A key is a byte, or a sequence that begins with ESC: an arrow is ESC [ A or ESC O A. ESC alone is
 * a key, too: it is one if no other byte follows soon. Modifiers (ESC [ 1;5 A) make no difference,
 * and sequences of other keys are one key TYPED_OTHER, so that no part of them is taken for a
 * letter.
 */
#ifndef TROUPE_APPS_TYPED_H
#define TROUPE_APPS_TYPED_H

#include <stdint.h>

/* Keys that are no byte. */
enum {
    TYPED_NONE = -1, /* the key is not complete */
    TYPED_UP = 0x100,
    TYPED_DOWN,
    TYPED_RIGHT,
    TYPED_LEFT,
    TYPED_BACKTAB,
    TYPED_ESCAPE,
    TYPED_OTHER,
};

/* All zero at first. */
struct typed {
    enum { TYPED_PLAIN, TYPED_ESCAPED, TYPED_SINGLE, TYPED_SEQUENCE } state;
    int64_t since_ns;  /* the last byte */
    int64_t looked_ns; /* when the terminal was read last */
};

/* When the keys have come, at the earliest, that are in the terminal now: call it each time before
 * these are read. It is now, unless the program was frozen or busy since the last time. */
int64_t typed_came_ns(struct typed *typed, int64_t now_ns);

/* The key that the byte completes. */
int typed_byte(struct typed *typed, unsigned char byte, int64_t now_ns);

/* The same if there is no byte: a sequence that does not go on ends. */
int typed_pause(struct typed *typed, int64_t now_ns);

#endif
