/* classes.c - lists of classes; see vocabulary.h. */
#include <string.h>

#include "universal/vocabulary.h"

bool tpi_word_same(const tpi_word *a, const tpi_word *b)
{
    return a->class >= 0 || b->class >= 0 ? a->class == b->class : tpi_word_equal(a->text, b->text);
}

int tpi_classes_find(const tpi_classes *list, const tpi_word *word)
{
    for (unsigned i = 0; i < list->count; i++) {
        if (tpi_word_same(&list->words[i], word)) {
            return (int)i;
        }
    }
    return -1;
}

static bool add(tpi_classes *list, tpi_word word)
{
    if (tpi_classes_find(list, &word) >= 0) {
        return true;
    }
    if (list->count == TPI_MOST_LIST) {
        return false;
    }
    list->words[list->count++] = word;
    return true;
}

bool tpi_classes_add(tpi_classes *list, const tpi_vocabulary *vocabulary, const char *word)
{
    return add(list, (tpi_word){word, tpi_vocabulary_find(vocabulary, word)});
}

tp_status tpi_classes_read(tpi_classes *list, const tpi_vocabulary *vocabulary, tpi_arena *arena,
                           const char *text)
{
    while (*text != '\0') {
        text += strspn(text, " \t\r\n,");
        size_t length = strcspn(text, ",\n"), end = length;
        while (end > 0 && strchr(" \t\r", text[end - 1]) != NULL) {
            end--;
        }
        if (end > 0) {
            const char *word = tpi_arena_text(arena, text, end);
            if (word == NULL) {
                return TP_E_NOMEM;
            }
            if (!tpi_classes_add(list, vocabulary, word)) {
                return TP_E_LIMIT;
            }
        }
        text += length;
    }
    return TP_OK;
}

void tpi_classes_add_parents(tpi_classes *list, const tpi_vocabulary *vocabulary)
{
    list->listed = list->count;
    /* The list grows while it is walked, so parents of parents follow. */
    for (unsigned i = 0; i < list->count; i++) {
        const int class = list->words[i].class;
        const tpi_device_class *entry = class >= 0 ? tpi_vocabulary_class(vocabulary, class) : NULL;

        for (unsigned j = 0; entry != NULL && j < entry->parent_count; j++) {
            const tpi_device_class *parent = tpi_vocabulary_class(vocabulary, entry->parents[j]);
            if (!parent->is_generic) {
                add(list, (tpi_word){parent->name, entry->parents[j]});
            }
        }
    }
}
