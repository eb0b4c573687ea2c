/* grammar.c - what grammar.def says: shapes of statements, words of the language. */
#include <string.h>

#include "play/tree.h"

static const tpi_play_statement statements[] = {
#define TOP TPI_PLAY_TOP
#define ANY TPI_PLAY_ANY
#define BRANCH TPI_PLAY_BRANCH
#define PLAY_STATEMENT(name, category, place, shape, sentence)                                     \
    {#name, category, place, shape, sentence},
#include "play/grammar.def"
#undef PLAY_STATEMENT
#undef TOP
#undef ANY
#undef BRANCH
};

/* Sorted by use, not by letter: suggestions offer all of them. */
static const char *const words[] = {
    "let",     "be",    "if",   "else",  "end",   "while",  "repeat", "times",  "forever", "break",
    "wait",    "until", "at",   "most",  "drive", "turn",   "move",   "stop",   "set",     "to",
    "print",   "show",  "say",  "tone",  "for",   "device", "is",     "number", "channel", "send",
    "message", "from",  "task", "start", "when",  "return", "change", "by",     "log",     "do",
    "and",     "or",    "not",  "mod",   "true",  "false",  "lang",   NULL,
};

void tpi_play_tree_fini(tpi_play_tree *tree)
{
    tpi_arena_fini(&tree->arena);
    tree->body = NULL;
}

tpi_play_node *tpi_play_node_create(tpi_play_tree *tree, tpi_play_kind kind)
{
    tpi_play_node *node = tpi_arena_alloc(&tree->arena, sizeof *node);

    if (node != NULL) {
        node->kind = kind;
    }
    return node;
}

const tpi_play_statement *tpi_play_statement_of(tpi_play_kind kind)
{
    return &statements[kind];
}

bool tpi_play_item_next(const char **shape, unsigned *slot, tpi_play_item *item)
{
    const char *at = *shape + strspn(*shape, " ");
    size_t length = strcspn(at, " ");

    *item = (tpi_play_item){.sort = *at};
    if (length == 0) {
        return false;
    }
    *shape = at + length;
    if (strchr("<@%!#$", *at) != NULL) {
        item->is_list = at[length - 1] == ',' || *at == '%';
        length -= at[length - 1] == ',';
        length -= *at == '<';
        memcpy(item->text, at + 1, length - 1);
        item->slot = (*slot)++;
    } else if (*at == '{') {
        memcpy(item->text, at + 1, length - 2);
        item->slot = (*slot)++;
    } else {
        item->sort = strchr("[]", *at) != NULL ? *at : strchr("(),", *at) != NULL ? 's' : 'w';
        memcpy(item->text, at, length);
    }
    return true;
}

bool tpi_play_has_body(tpi_play_kind kind)
{
    return strchr(statements[kind].shape, '{') != NULL;
}

const char *tpi_play_reserved(unsigned index)
{
    return index < sizeof words / sizeof words[0] ? words[index] : NULL;
}

bool tpi_play_is_reserved(const char *word)
{
    for (unsigned i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], word) == 0) {
            return true;
        }
    }
    return false;
}
