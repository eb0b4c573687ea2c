/* parser.h - the state that the parts of the .padi parser share. */
#ifndef TROUPE_PADI_PARSER_H
#define TROUPE_PADI_PARSER_H

#include "base/text.h"
#include "padi/lex.h"
#include "padi/parse.h"

/* Codes below the first of these are Player's, codes of messages from the second up those of the
 * common questions. */
enum { TPI_PADI_LONGEST_NAME = 64, TPI_PADI_FIRST_FREE = 200, TPI_PADI_FIRST_COMMON = 239 };

/* A list that grows in the arena. */
struct list {
    void *items;
    size_t item_size;
    uint32_t count;
    uint32_t capacity;
};

struct parser {
    tpi_lexer lexer;
    tpi_arena *arena; /* borrowed: the result's */
    const tpi_padi_scope *scope;
    tp_error *err;
    bool has_interface;
    tp_interface interface;
    struct list uses;      /* const char * */
    struct list used;      /* const tp_interface *, matches `uses` */
    struct list units;     /* const char * */
    struct list constants; /* tp_constant */
    struct list enums;     /* tp_enum * */
    struct list structs;   /* tp_struct * */
    struct list paths;     /* const tpi_step_path *, matches `structs` */
    struct list messages;  /* tp_message */
};

/* The place for one more item, zeroed; NULL if memory ran out (and the error says so). */
void *tpi_list_add(struct parser *p, struct list *list);

/* Look at or take the current token. */
bool tpi_parser_at(const struct parser *p, tpi_token_kind kind, const char *text);
tp_status tpi_parser_take(struct parser *p, tpi_token *token);
tp_status tpi_parser_expect(struct parser *p, const char *mark);

/* Fail at a token, or at the current one with "expected X, found Y". */
tp_status tpi_parser_fail_at(struct parser *p, const tpi_token *at, const char *format, ...)
    TP_PRINTF(3, 4);
tp_status tpi_parser_unexpected(struct parser *p, const char *wanted);
tp_status tpi_parser_no_memory(struct parser *p);

/* Pieces that several items have. A name is a C identifier; `upper` is how it has to begin. */
tp_status tpi_parse_name(struct parser *p, const char *what, bool upper, tpi_token *name);
tp_status tpi_parse_integer(struct parser *p, const char *what, int64_t least, int64_t most,
                            int64_t *value);
tp_status tpi_parse_doc(struct parser *p, const char **doc);

/* Names, in parse_name.c. Fail at the name or code that will not do. */
tp_status tpi_parser_check_interface(struct parser *p, const tpi_token *name,
                                     const tpi_token *code);
tp_status tpi_parser_check_type(struct parser *p, const tpi_token *name);
tp_status tpi_parser_check_constant(struct parser *p, const tpi_token *name);

/* Look-ups through this file and those it uses; NULL if there is none. */
const tp_struct *tpi_parser_struct(const struct parser *p, const char *name);
const tp_enum *tpi_parser_enum(const struct parser *p, const char *name);
const tp_constant *tpi_parser_constant(const struct parser *p, const char *name);
const char *tpi_parser_unit(const struct parser *p, const char *name);
const tp_constant *tpi_find_constant(const tp_constant *constants, uint32_t count,
                                     const char *name);

/* Offer the names of all structs or enums of this file and those it uses. */
void tpi_parser_offer_structs(const struct parser *p, tpi_nearest *nearest);
void tpi_parser_offer_enums(const struct parser *p, tpi_nearest *nearest);

/* What to say behind an unknown name: the nearest one, or that nothing is used. */
const char *tpi_parser_hint(const struct parser *p, const tpi_nearest *nearest, char *out,
                            size_t size);

/* Whether a constant, a member of an enum or the code of a message cannot have this name: in C they
 * share one name space. `members` are those of an enum in the making. */
bool tpi_parser_constant_taken(const struct parser *p, const struct list *members,
                               const char *name);

/* "struct NAME DOC { ... }" behind the word struct. */
tp_status tpi_parse_struct(struct parser *p);

#endif
