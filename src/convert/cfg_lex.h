/*
 * cfg_lex.h - the words of a configuration file, each with its place.
 *
 * A word may end in an index, as in point[0] or block[0].z. A "[" that is not closed right behind
 * its index begins a tuple: pose[0 0 0] is read as pose [0 0 0].
 */
#ifndef TROUPE_CONVERT_CFG_LEX_H
#define TROUPE_CONVERT_CFG_LEX_H

#include "base/arena.h"
#include "convert/cfg.h"

typedef enum tpi_cfg_token_kind {
    TPI_CFG_TOKEN_END,
    TPI_CFG_TOKEN_WORD,
    TPI_CFG_TOKEN_NUMBER, /* what begins like one; it may turn out to be none */
    TPI_CFG_TOKEN_STRING, /* without its quotes */
    TPI_CFG_TOKEN_MARK,   /* one of ( ) [ ] , ; */
} tpi_cfg_token_kind;

typedef struct tpi_cfg_token {
    tpi_cfg_token_kind kind;
    const char *text; /* the arena's, or a constant */
    bool glued;       /* a "[" without a blank between it and the word before it */
    tpi_cfg_place place;
} tpi_cfg_token;

typedef struct tpi_cfg_lexer {
    const char *text; /* borrowed */
    size_t length;
    size_t at;
    size_t word_end; /* where the last word ended; 0 before there was one */
    tpi_cfg_place here;
    tpi_arena *arena;    /* borrowed */
    tpi_cfg_token token; /* the current one */
} tpi_cfg_lexer;

/* Start, and read the first token. `file` is kept for the places of tokens. */
tp_status tpi_cfg_lexer_init(tpi_cfg_lexer *lexer, const char *file, const char *text,
                             size_t length, tpi_arena *arena, tp_error *err);

/* Move to the next token. Fails for a string without an end or a character out of place. */
tp_status tpi_cfg_lexer_next(tpi_cfg_lexer *lexer, tp_error *err);

#endif
