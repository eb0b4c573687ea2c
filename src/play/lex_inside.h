/* lex_inside.h - what the parts of the lexer share. */
#ifndef TROUPE_PLAY_LEX_INSIDE_H
#define TROUPE_PLAY_LEX_INSIDE_H

#include "play/lang.h"
#include "play/lex.h"

typedef struct tpi_play_lexer {
    const char *at, *end;
    const char *line_start;
    unsigned line;
    bool is_attached;
    bool has_bracket;            /* a { was reported */
    const tpi_play_words *words; /* borrowed */
    tpi_arena *arena;            /* borrowed */
    tpi_play_troubles *troubles; /* borrowed */
    tpi_play_tokens *out;        /* borrowed */
    unsigned room;
} tpi_play_lexer;

/* Add a token of this text that goes from a place to where the lexer is; NULL if memory ran out. */
tpi_play_token *tpi_play_lex_add(tpi_play_lexer *in, tpi_play_token_kind kind, const char *from,
                                 const char *text, size_t length);

/* Report a mistake that goes from a place to where the lexer is. */
tpi_play_trouble *tpi_play_lex_complain(tpi_play_lexer *in, const char *from, const char *sentence);

/* Whether nothing stands before this on its line. */
bool tpi_play_lex_begins_line(const tpi_play_lexer *in);

/* ---- lex_symbol.c ---- */

/* Whether the two slashes here divide, and begin no comment. */
bool tpi_play_lex_divides(const tpi_play_lexer *in);

/* Whether a sign stands here that is no letter although it is beyond ASCII. */
bool tpi_play_lex_is_sign(const char *at, const char *end);

/* Take a symbol of the language, or one of another language, which is reported. False if memory ran
 * out. */
bool tpi_play_lex_symbol(tpi_play_lexer *in);

#endif
