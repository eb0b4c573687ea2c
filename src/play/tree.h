/*
 * tree.h - a program as a tree that keeps its comments and blank lines.
 *
 * A statement has slots in the order of its shape in grammar.def. A slot holds a node, a row of
 * nodes (by `next`), or a body. All memory is the arena's of the tree. Parser and block reader make
 * trees, formatter and block writer print them, the checker adds what names mean.
 */
#ifndef TROUPE_PLAY_TREE_H
#define TROUPE_PLAY_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum {
    TPI_PLAY_MOST_SLOTS = 3,
    TPI_PLAY_MOST_DEPTH = 48,      /* of blocks, and of parentheses within them */
    TPI_PLAY_MOST_HEIGHT = 100,    /* of the tree of an expression */
    TPI_PLAY_MOST_SOURCE = 262144, /* bytes of a source file */
    TPI_PLAY_MOST_NAME = 60,       /* bytes of a name */
};

typedef enum tpi_play_kind {
#define PLAY_STATEMENT(name, category, place, shape, sentence) TPI_PLAY_##name##_STATEMENT,
#include "play/grammar.def"
#undef PLAY_STATEMENT
    TPI_PLAY_STATEMENTS, /* how many there are */
    /* Expressions. */
    TPI_PLAY_NUMBER = TPI_PLAY_STATEMENTS, /* text, unit */
    TPI_PLAY_STRING,                       /* text */
    TPI_PLAY_TRUTH,                        /* text: true or false */
    TPI_PLAY_NAME,                         /* text */
    TPI_PLAY_BINARY,                       /* text: the operator; slots: left, right */
    TPI_PLAY_NEGATIVE,                     /* slot: value */
    TPI_PLAY_NOT,                          /* slot: value */
    TPI_PLAY_GROUP,                        /* slot: value; in parentheses */
    TPI_PLAY_CALL,                         /* text: the function; slot: values */
    TPI_PLAY_DO,                           /* text: the command; slot: values */
    TPI_PLAY_MESSAGE,                      /* slot: the channel's name */
    /* Parts. */
    TPI_PLAY_CLASS, /* text */
    TPI_PLAY_WORD,  /* text: a command */
    TPI_PLAY_BODY,  /* slot: statements; comments: those before its end */
    TPI_PLAY_KINDS
} tpi_play_kind;

/* A comment on a line of its own. */
typedef struct tpi_play_comment {
    const char *text; /* without the # and blanks around it */
    bool has_blank;   /* a blank line stands before it */
    struct tpi_play_comment *next;
} tpi_play_comment;

struct tpi_play_symbol;

typedef struct tpi_play_node {
    tpi_play_kind kind;
    unsigned line, column, width; /* of its first word; columns count characters from 1 */
    const char *text;             /* NULL for none */
    const char *unit;             /* of a number; NULL for none */
    unsigned unit_column;
    unsigned height; /* of the tree of an expression */
    struct tpi_play_node *slots[TPI_PLAY_MOST_SLOTS];
    struct tpi_play_node *branches; /* of an `if`: else if, else */
    struct tpi_play_node *next;
    /* What stands around a statement. */
    tpi_play_comment *comments; /* before it; of a body: before its end */
    const char *tail;           /* comment at the end of its line; NULL for none */
    const char *end_tail;       /* comment behind its `end`; NULL for none */
    bool has_blank;             /* a blank line stands before it, behind its comments */
    /* What the checker finds out. */
    struct tpi_play_symbol *symbol; /* of names */
    uint8_t dimension;              /* of expressions; units.h */
    uint8_t reading;                /* of a device that is read: the command */
    bool is_text;                   /* of a variable that is read: it surely holds a text */
} tpi_play_node;

typedef struct tpi_play_tree {
    tpi_arena arena;
    tpi_play_node *body; /* a BODY; NULL if there was no memory */
} tpi_play_tree;

/* An all-zero tree is empty. */
void tpi_play_tree_fini(tpi_play_tree *tree);

/* A new node of the tree; NULL if memory ran out. */
tpi_play_node *tpi_play_node_create(tpi_play_tree *tree, tpi_play_kind kind);

/* ---- Statements, as grammar.def lists them ---- */

typedef enum tpi_play_place { TPI_PLAY_TOP, TPI_PLAY_ANY, TPI_PLAY_BRANCH } tpi_play_place;

typedef struct tpi_play_statement {
    const char *name; /* "WAIT_UNTIL" */
    const char *category;
    tpi_play_place place;
    const char *shape;
    const char *sentence;
} tpi_play_statement;

const tpi_play_statement *tpi_play_statement_of(tpi_play_kind kind);

/* An item of a shape. */
typedef struct tpi_play_item {
    char sort;     /* w word, s symbol, < @ % ! # $ {, [ ] */
    bool is_list;  /* < and @: a row */
    char text[24]; /* the word, symbol or name of the slot */
    unsigned slot; /* of those that have one */
} tpi_play_item;

/* The next item of a shape: begin with the shape and slot 0. False at its end. */
bool tpi_play_item_next(const char **shape, unsigned *slot, tpi_play_item *item);

/* Whether the statement has a body. */
bool tpi_play_has_body(tpi_play_kind kind);

/* Whether a word is one of the language. */
bool tpi_play_is_reserved(const char *word);

/* The words of the language, one after the other; NULL at the end. */
const char *tpi_play_reserved(unsigned index);

#endif
