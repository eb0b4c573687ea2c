/*
 * lang.h - the words of the language in other languages.
 *
 * The first statement of a file, `lang de`, says in which one its words are written. Words are
 * translated to English between lexer and parser, so tree, blocks and bytecode cannot tell; the
 * formatter and the list of mistakes translate back. English words are understood in every file.
 */
#ifndef TROUPE_PLAY_LANG_H
#define TROUPE_PLAY_LANG_H

#include "play/lex.h"
#include "play/tree.h"

/* A word of expressions. */
typedef struct tpi_play_value_word {
    const char *english, *word;
} tpi_play_value_word;

typedef struct tpi_play_lang {
    const char *name;                  /* "de" */
    const char *const *shapes;         /* by statement; NULL for those of grammar.def */
    const tpi_play_value_word *values; /* ends with NULLs; NULL for none */
} tpi_play_lang;

/* The languages, English first; NULL behind the last one. */
const tpi_play_lang *tpi_play_lang_at(unsigned index);

/* A language by its name; NULL if there is none. */
const tpi_play_lang *tpi_play_lang_find(const char *name);

/* Pass over the mark with which editors of Windows begin a text. */
void tpi_play_skip_mark(const char **text, size_t *length);

/* The language that the first statement of a text names; English if it names none. */
const tpi_play_lang *tpi_play_lang_of_text(const char *text, size_t length);

/* The language that the first statement of a tree names; English if it names none. */
const tpi_play_lang *tpi_play_lang_of(const tpi_play_tree *tree);

/* The shape of a statement with the words of a language. */
const char *tpi_play_lang_shape(const tpi_play_lang *lang, tpi_play_kind kind);

/* The statement that begins with these words, in a language or in English; TPI_PLAY_STATEMENTS for
 * none. `second` is "" for none. */
tpi_play_kind tpi_play_lang_kind(const tpi_play_lang *lang, const char *first, const char *second);

/* A word of expressions, or `end`, in a language. */
const char *tpi_play_lang_value(const tpi_play_lang *lang, const char *english);

/* Change the language of a tree. Names that are words of the new one are mistakes; false if there
 * are any, or memory ran out. */
bool tpi_play_lang_set(tpi_play_tree *tree, const tpi_play_lang *lang, tpi_play_troubles *troubles);

/* ---- Both ways ---- */

enum { TPI_PLAY_MOST_WORDS = 128 };

/* What a word means in a statement. */
typedef struct tpi_play_meaning {
    tpi_play_kind kind; /* TPI_PLAY_STATEMENTS: in expressions */
    char word[16];
    char english[12]; /* one word, or two with a blank between them */
} tpi_play_meaning;

/* All words of a language; none for English. */
typedef struct tpi_play_words {
    const tpi_play_lang *lang;
    unsigned count;
    tpi_play_meaning list[TPI_PLAY_MOST_WORDS];
} tpi_play_words;

void tpi_play_words_init(tpi_play_words *words, const tpi_play_lang *lang);

/* Whether a word is one of the language, or an English one. */
bool tpi_play_words_have(const tpi_play_words *words, const char *word);

/* What a word is in English, on a line of a statement; NULL if it is no word of the language. */
const char *tpi_play_words_english(const tpi_play_words *words, tpi_play_kind kind,
                                   const char *word);

/* Whether a word stands for an English one, or for two of which it is the first. */
bool tpi_play_meaning_is(const tpi_play_meaning *meaning, const char *english);

/* An English word in the language, on a line of a statement; itself if it is none of it. */
const char *tpi_play_words_of(const tpi_play_words *words, tpi_play_kind kind, const char *english);

/* ---- translate.c ---- */

/* Where a line of a text begins; lines count from 1. */
const char *tpi_play_line_at(const char *text, const char *end, unsigned number);

/* Where a column of a line begins; columns count characters from 1. */
const char *tpi_play_column(const char *line, const char *end, unsigned count);

/* The layout of the head of a program: `lang` stands above all comments, with a blank line behind
 * it; a program does not begin with a blank line. */
void tpi_play_settle_head(tpi_play_tree *tree);

/* Replace the words of a language by English ones. False if memory ran out. */
bool tpi_play_translate(tpi_play_tokens *tokens, const tpi_play_words *words, tpi_arena *arena);

/* Put the words of the text into mistakes that name English ones. */
void tpi_play_translate_troubles(tpi_play_troubles *troubles, const tpi_play_words *words,
                                 const char *text, size_t length);

#endif
