/* parse.h - from text to a tree; every mistake is reported, and parsing goes on behind it. */
#ifndef TROUPE_PLAY_PARSE_H
#define TROUPE_PLAY_PARSE_H

#include "play/lex.h"
#include "play/tree.h"

/* Parse a text. The tree must be all zero; fini is due in any case. False if there are mistakes or
 * memory ran out (`no_memory`). */
bool tpi_play_parse(tpi_play_tree *tree, const char *text, size_t length,
                    tpi_play_troubles *troubles);

/* ---- Inside ---- */

typedef struct tpi_play_parser {
    tpi_play_tree *tree;         /* borrowed */
    tpi_play_troubles *troubles; /* borrowed */
    tpi_play_tokens tokens;
    unsigned at;
    unsigned depth;
    bool is_lost;              /* the rest of the line is skipped */
    bool is_abandoned;         /* an `end` is missing; all bodies end here */
    tpi_play_node *blamed;     /* a block whose `end` seems to be missing; NULL for none */
    const tpi_play_token *odd; /* an `end` that seems to be too many; NULL for none */
} tpi_play_parser;

/* The next token; one of the kind LINE_END at the end. */
const tpi_play_token *tpi_play_peek(const tpi_play_parser *parser);

/* Whether the next token is this word or symbol. */
bool tpi_play_sees(const tpi_play_parser *parser, const char *text);

/* Whether the line ends here. */
bool tpi_play_at_line_end(const tpi_play_parser *parser);

/* Report a mistake at the next token, or at the last one of the line; the rest of the line is
 * skipped. */
tpi_play_trouble *tpi_play_lose(tpi_play_parser *parser, const char *format, ...) TP_PRINTF(2, 3);

/* A node at the next token, which is not taken; NULL if memory ran out. */
tpi_play_node *tpi_play_node_here(tpi_play_parser *parser, tpi_play_kind kind);

/* Take a name. NULL if there is none. */
tpi_play_node *tpi_play_parse_name(tpi_play_parser *parser);

/* Take an expression; a row of them, with commas. NULL if there is none. */
tpi_play_node *tpi_play_parse_expression(tpi_play_parser *parser);
tpi_play_node *tpi_play_parse_expressions(tpi_play_parser *parser);

/* ---- parse_item.c ---- */

/* Take a row of names, or of classes, with commas. NULL if there is none. */
tpi_play_node *tpi_play_parse_names(tpi_play_parser *parser);
tpi_play_node *tpi_play_parse_classes(tpi_play_parser *parser);

/* Take a token of a kind, which is `what`, as a node. NULL if there is none. */
tpi_play_node *tpi_play_parse_literal(tpi_play_parser *parser, tpi_play_token_kind kind,
                                      tpi_play_kind node_kind, const char *what);

/* Whether a mistyped word stands where `wanted` can stand. */
bool tpi_play_sees_nearly(const tpi_play_parser *parser, const char *wanted);

/* Take a word or symbol of the shape. A mistyped one is reported and taken. */
void tpi_play_expect(tpi_play_parser *parser, const char *wanted);

/* ---- parse_kind.c ---- */

/* The statement that begins here by its first words; TPI_PLAY_STATEMENTS for none. */
tpi_play_kind tpi_play_kind_here(const tpi_play_parser *parser);

/* A statement that begins with no known word: it is reported, and read as what it may have meant.
 */
tpi_play_kind tpi_play_guess(tpi_play_parser *parser);

/* ---- parse_hint.c ---- */

/* Report what is left of the line of a statement; BODY for that of an `end`. */
void tpi_play_leftover(tpi_play_parser *parser, tpi_play_kind kind);

/* Report a line that begins with a name, if it is known what it means elsewhere. */
bool tpi_play_guess_line(tpi_play_parser *parser);

/* Report words that mean another statement together; that statement. */
tpi_play_kind tpi_play_guess_pair(tpi_play_parser *parser, tpi_play_kind kind);

#endif
