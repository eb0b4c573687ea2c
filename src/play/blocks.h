/*
 * blocks.h - programs as blocks: JSON that a block editor reads and writes.
 *
 * Every program has blocks and every block has text. The description of all kinds comes from
 * grammar.def, like the parser. docs/play.md describes the JSON.
 */
#ifndef TROUPE_PLAY_BLOCKS_H
#define TROUPE_PLAY_BLOCKS_H

#include "base/json.h"
#include "play/lang.h"
#include "universal/vocabulary.h"

/* Append the description of all blocks, with the words of a language: kinds, slots, words,
 * categories, units, classes, commands. */
void tpi_play_blocks_describe(tpi_buf *out, const tpi_vocabulary *vocabulary,
                              const tpi_play_lang *lang);

/* Append a program as blocks. */
void tpi_play_blocks_put(tpi_buf *out, const tpi_play_tree *tree);

/* Read blocks. The tree must be all zero; fini is due in any case. Blocks that no text stands for
 * are refused with their place. */
tp_status tpi_play_blocks_read(tpi_play_tree *tree, const char *json, size_t length, tp_error *err);

/* ---- Inside ---- */

enum { TPI_PLAY_BLOCKS_DEPTH = 400 };

/* A kind of expression: its name, what its text is, and the names of its slots. */
typedef struct tpi_play_expression {
    const char *name;
    const char *text; /* "number", "name", "operator" ...; NULL for none */
    const char *slots[2];
    bool is_row; /* the slot is a row of values */
} tpi_play_expression;

/* Of a kind from TPI_PLAY_NUMBER to TPI_PLAY_MESSAGE. */
const tpi_play_expression *tpi_play_expression_of(tpi_play_kind kind);

/* The name of a statement, in small letters. */
void tpi_play_statement_name(tpi_play_kind kind, char out[24]);

/* ---- Inside ---- */

/* Whether the text of a slot or expression is of its type: "number", "name", "class" ... */
bool tpi_play_block_fits(const char *type, const char *text, const tpi_play_words *words);

/* Whether a text is that of a unit. */
bool tpi_play_block_is_unit(const char *text, const tpi_play_words *words);

#endif
