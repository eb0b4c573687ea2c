/* lex.h - the words of a .padi file, each with its line and column. */
#ifndef TROUPE_PADI_LEX_H
#define TROUPE_PADI_LEX_H

#include "base/arena.h"
#include "troupe/status.h"

typedef enum tpi_token_kind {
    TPI_TOKEN_END,
    TPI_TOKEN_WORD,   /* names, numbers, units, "->" */
    TPI_TOKEN_STRING, /* unescaped, without its quotes */
    TPI_TOKEN_MARK,   /* one of ( ) [ ] { } = */
} tpi_token_kind;

typedef struct tpi_token {
    tpi_token_kind kind;
    const char *text; /* the arena's */
    unsigned line;
    unsigned column;
} tpi_token;

typedef struct tpi_lexer {
    const char *file; /* borrowed; for messages */
    const char *text; /* borrowed */
    size_t length;
    size_t at;
    unsigned line;
    unsigned column;
    tpi_arena *arena; /* borrowed */
    tpi_token token;  /* the current one */
} tpi_lexer;

/* Start, and read the first token. */
tp_status tpi_lexer_init(tpi_lexer *lexer, const char *file, const char *text, size_t length,
                         tpi_arena *arena, tp_error *err);

/* Move to the next token. Fails for a string without an end or a character out of place. */
tp_status tpi_lexer_next(tpi_lexer *lexer, tp_error *err);

/* Fail with "FILE:LINE:COLUMN: ..." at a token. */
tp_status tpi_lexer_fail(const tpi_lexer *lexer, const tpi_token *at, tp_error *err,
                         const char *format, ...) TP_PRINTF(4, 5);

#endif
