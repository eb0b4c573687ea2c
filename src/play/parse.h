/* parse.h - from text to a tree; every mistake is reported, and parsing goes on behind it. */
#ifndef TROUPE_PLAY_PARSE_H
#define TROUPE_PLAY_PARSE_H

#include "play/lang.h"

/* Parse a text. The tree must be all zero; fini is due in any case. False if there are mistakes or
 * memory ran out (`no_memory`). */
bool tpi_play_parse(tpi_play_tree *tree, const char *text, size_t length,
                    tpi_play_troubles *troubles);

/* The same; mistakes name English words, until tpi_play_translate_troubles(). */
bool tpi_play_parse_raw(tpi_play_tree *tree, const char *text, size_t length,
                        const tpi_play_words *words, tpi_play_troubles *troubles);

/* ---- Inside ---- */

typedef struct tpi_play_parser {
    tpi_play_tree *tree;         /* borrowed */
    tpi_play_troubles *troubles; /* borrowed */
    const tpi_play_words *words; /* borrowed */
    tpi_play_tokens tokens;
    unsigned at;
    unsigned depth;
    tpi_play_kind kind;        /* of the statement that is read */
    bool has_second;           /* a mistyped word stands for the next one of the shape too */
    bool is_lost;              /* the rest of the line is skipped */
    bool is_abandoned;         /* an `end` is missing; all bodies end here */
    tpi_play_node *blamed;     /* a block whose `end` seems to be missing; NULL for none */
    const tpi_play_token *odd; /* an `end` that seems to be too many; NULL for none */
    bool is_bare;              /* the first word of the statement is missing: `x = 5` */
    unsigned calls;            /* how many calls are open on the line */
    unsigned crowded;          /* the last line of a block's head on which its body begins, too */
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

/* Whether the first word of a statement that can stand alone is as near to a word. */
bool tpi_play_near_statement(const char *word, unsigned distance);

/* A statement that begins with no known word: it is reported, and read as what it may have meant.
 */
tpi_play_kind tpi_play_guess(tpi_play_parser *parser);

/* Whether a statement of a language begins with this word. */
bool tpi_play_begins_statement(const tpi_play_lang *lang, const char *word);

/* ---- parse_order.c ---- */

/* Report a line whose words stand in another order than the shape has them, and sort them. */
void tpi_play_guess_order(tpi_play_parser *parser, tpi_play_kind kind);

/* Report a value and a name around a word that stand in each other's place: `change eye / 60 by x`.
 */
bool tpi_play_guess_swapped(tpi_play_parser *parser, const char *wanted);

/* Report `if else` where another case can stand, and take it for `else if`. */
void tpi_play_guess_branch(tpi_play_parser *parser);

/* Report a line that begins with a word of another language, and translate it; if the whole program
 * is written in that language, all that follows. */
bool tpi_play_guess_lang(tpi_play_parser *parser);

/* ---- parse_hint.c ---- */

/* Report a name of two words, before the word that is wanted behind it. */
bool tpi_play_guess_name(tpi_play_parser *parser, const char *wanted);

/* The line before which the `end` of a block is missing, by the indentation; 0 if that is not
 * known. */
unsigned tpi_play_line_of_end(const tpi_play_parser *parser, const tpi_play_node *opener);

/* Take a mistyped `end`, or `else` where one can stand, at the begin of a line for it. */
void tpi_play_guess_closing(tpi_play_parser *parser, bool takes_else);

/* Report a word that stands for the wanted one in other languages and in speech. */
bool tpi_play_guess_word(tpi_play_parser *parser, const char *wanted);

/* Take the values of a function without ( ) behind its name, and report them. */
void tpi_play_guess_values(tpi_play_parser *parser, tpi_play_node *function);

/* The only name that is declared by this word; NULL if there are none or several. */
const char *tpi_play_only(const tpi_play_parser *parser, const char *word);

/* Whether a statement stands on what is left of the line. */
bool tpi_play_has_statement(const tpi_play_parser *parser);

/* Whether a token can be a value or the begin of one. */
bool tpi_play_is_value(const tpi_play_token *token);

/* Report a mistake that goes from one token to another one of the same line. */
tpi_play_trouble *tpi_play_mark(tpi_play_parser *parser, const tpi_play_token *from,
                                const tpi_play_token *to, const char *sentence);

/* Offer a text between two others. */
void tpi_play_fix(tpi_play_trouble *trouble, const char *before, const char *text,
                  const char *after);

/* Whether a token is this word or symbol. */
bool tpi_play_is_word(const tpi_play_token *token, const char *text);

/* Whether nothing but a comment follows on the line. */
bool tpi_play_ends(const tpi_play_token *token);

/* Whether the program declares this name by this word, on any line. */
bool tpi_play_is_declared(const tpi_play_parser *parser, const char *word, const char *name);

/* Whether a word stands on another line than the one it is on. */
bool tpi_play_is_used(const tpi_play_parser *parser, const tpi_play_token *word);

/* `3 speed`: take a name of the program behind a number for a name, not for a unit. */
void tpi_play_take_for_name(tpi_play_parser *parser);

/* ---- parse_rest.c ---- */

/* Report what is left of the line of a statement; BODY for that of an `end`. */
void tpi_play_leftover(tpi_play_parser *parser, tpi_play_kind kind);

/* ---- parse_line.c ---- */

/* Report a line that begins with a name, if it is known what it means elsewhere. */
bool tpi_play_guess_line(tpi_play_parser *parser);

/* Report words that mean another statement together; that statement. */
tpi_play_kind tpi_play_guess_pair(tpi_play_parser *parser, tpi_play_kind kind);

#endif
