/* lex.h - a source text as tokens. */
#ifndef TROUPE_PLAY_LEX_H
#define TROUPE_PLAY_LEX_H

#include "base/arena.h"
#include "play/trouble.h"

struct tpi_play_words;

typedef enum tpi_play_token_kind {
    TPI_PLAY_T_LINE_END,
    TPI_PLAY_T_WORD,
    TPI_PLAY_T_NUMBER,
    TPI_PLAY_T_UNIT, /* a word, or %, behind a number */
    TPI_PLAY_T_STRING,
    TPI_PLAY_T_SYMBOL,
    TPI_PLAY_T_COMMENT, /* the last one of its line */
    TPI_PLAY_T_BAD,     /* reported already */
} tpi_play_token_kind;

typedef struct tpi_play_token {
    tpi_play_token_kind kind;
    unsigned line, column, width;
    bool is_attached;   /* no blank stands before it */
    const char *source; /* of words: as they are written; "" for the second of one word */
    const char *text;   /* of strings: what they stand for; of comments: without # */
} tpi_play_token;

typedef struct tpi_play_tokens {
    unsigned count;
    tpi_play_token *list; /* the arena's; ends with a LINE_END */
} tpi_play_tokens;

/* Split a text into tokens, with words of a language; mistakes are added to the list. False if
 * memory ran out or the text is too long. */
bool tpi_play_lex(tpi_play_tokens *out, const char *text, size_t length,
                  const struct tpi_play_words *words, tpi_arena *arena,
                  tpi_play_troubles *troubles);

#endif
