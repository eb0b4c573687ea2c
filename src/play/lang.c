/* lang.c - languages: their shapes and words, and which one a program is written in. */
#include "play/lang.h"

#include <stdio.h>
#include <string.h>

#define PLAY_VALUE(english, word)
#define PLAY_SHAPE(name, shape) [TPI_PLAY_##name##_STATEMENT] = shape,
static const char *const de_shapes[TPI_PLAY_STATEMENTS] = {
#include "play/lang_de.def"
};
static const char *const fr_shapes[TPI_PLAY_STATEMENTS] = {
#include "play/lang_fr.def"
};
#undef PLAY_SHAPE
#undef PLAY_VALUE

#define PLAY_SHAPE(name, shape)
#define PLAY_VALUE(english, word) {english, word},
static const tpi_play_value_word de_values[] = {
#include "play/lang_de.def"
    {NULL, NULL},
};
static const tpi_play_value_word fr_values[] = {
#include "play/lang_fr.def"
    {NULL, NULL},
};
#undef PLAY_SHAPE
#undef PLAY_VALUE

static const tpi_play_lang langs[] = {
    {"en", NULL, NULL},
    {"de", de_shapes, de_values},
    {"fr", fr_shapes, fr_values},
};

const tpi_play_lang *tpi_play_lang_at(unsigned index)
{
    return index < sizeof langs / sizeof langs[0] ? &langs[index] : NULL;
}

const tpi_play_lang *tpi_play_lang_find(const char *name)
{
    for (unsigned i = 0; tpi_play_lang_at(i) != NULL; i++) {
        if (strcmp(langs[i].name, name) == 0) {
            return &langs[i];
        }
    }
    return NULL;
}

void tpi_play_skip_mark(const char **text, size_t *length)
{
    if (*length >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) {
        *text += 3;
        *length -= 3;
    }
}

/* Pass over characters of a set, up to the end. */
static size_t span(const char *text, size_t at, size_t length, const char *set)
{
    while (at < length && text[at] != '\0' && strchr(set, text[at]) != NULL) {
        at++;
    }
    return at;
}

const tpi_play_lang *tpi_play_lang_of_text(const char *text, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    size_t at = span(text, 0, length, " \t\r\n");
    char name[8] = {0};

    while (at < length && text[at] == '#') {
        while (at < length && text[at] != '\n') {
            at++;
        }
        at = span(text, at, length, " \t\r\n");
    }
    if (length - at > 5 && memcmp(text + at, "lang", 4) == 0 && strchr(" \t", text[at + 4])) {
        const size_t from = span(text, at + 4, length, " \t");
        const size_t end = span(text, from, length, letters);
        if (end - from < sizeof name) {
            memcpy(name, text + from, end - from);
        }
    }
    const tpi_play_lang *lang = tpi_play_lang_find(name);
    return lang != NULL ? lang : &langs[0];
}

const tpi_play_lang *tpi_play_lang_of(const tpi_play_tree *tree)
{
    const tpi_play_node *first = tree->body != NULL ? tree->body->slots[0] : NULL;
    const tpi_play_lang *lang = NULL;

    if (first != NULL && first->kind == TPI_PLAY_LANG_STATEMENT && first->slots[0] != NULL) {
        lang = tpi_play_lang_find(first->slots[0]->text);
    }
    return lang != NULL ? lang : &langs[0];
}

const char *tpi_play_lang_shape(const tpi_play_lang *lang, tpi_play_kind kind)
{
    return lang->shapes != NULL ? lang->shapes[kind] : tpi_play_statement_of(kind)->shape;
}

const char *tpi_play_lang_value(const tpi_play_lang *lang, const char *english)
{
    for (const tpi_play_value_word *value = lang->values; value != NULL && value->word != NULL;
         value++) {
        if (strcmp(value->english, english) == 0) {
            return value->word;
        }
    }
    return english;
}

/* ---- Both ways ---- */

/* The words between two slots of a shape. */
struct run {
    unsigned count;
    char words[2][24];
};

/* The next run of words; false if there is none. */
static bool next_run(const char **shape, struct run *run)
{
    unsigned slot = 0;
    tpi_play_item item;

    run->count = 0;
    while (tpi_play_item_next(shape, &slot, &item)) {
        if (item.sort == 'w' && run->count < 2) {
            memcpy(run->words[run->count++], item.text, sizeof item.text);
        } else if (run->count > 0) {
            break;
        }
    }
    return run->count > 0;
}

static tpi_play_kind kind_in(const tpi_play_lang *lang, const char *first, const char *second)
{
    struct run lead;

    for (unsigned i = 0; i < TPI_PLAY_STATEMENTS; i++) {
        const char *shape = tpi_play_lang_shape(lang, (tpi_play_kind)i);
        if (i != TPI_PLAY_CALL_STATEMENT && next_run(&shape, &lead) &&
            strcmp(lead.words[0], first) == 0 &&
            (lead.count == 1 || strcmp(lead.words[1], second) == 0)) {
            return (tpi_play_kind)i;
        }
    }
    return TPI_PLAY_STATEMENTS;
}

tpi_play_kind tpi_play_lang_kind(const tpi_play_lang *lang, const char *first, const char *second)
{
    const tpi_play_kind kind = kind_in(lang, first, second);

    return kind == TPI_PLAY_STATEMENTS ? kind_in(&langs[0], first, second) : kind;
}

static void add(tpi_play_words *words, tpi_play_kind kind, const char *word, const char *english)
{
    if (words->count < TPI_PLAY_MOST_WORDS) {
        tpi_play_meaning *meaning = &words->list[words->count++];
        meaning->kind = kind;
        (void)snprintf(meaning->word, sizeof meaning->word, "%.15s", word);
        (void)snprintf(meaning->english, sizeof meaning->english, "%.11s", english);
    }
}

static void add_shape(tpi_play_words *words, tpi_play_kind kind)
{
    const char *shape = words->lang->shapes[kind], *english = tpi_play_statement_of(kind)->shape;
    struct run mine, theirs;

    while (next_run(&shape, &mine) && next_run(&english, &theirs)) {
        if (mine.count < theirs.count) { /* one word for both */
            char both[64];
            (void)snprintf(both, sizeof both, "%s %s", theirs.words[0], theirs.words[1]);
            add(words, kind, mine.words[0], both);
            continue;
        }
        for (unsigned i = 0; i < theirs.count; i++) {
            add(words, kind, mine.words[i], theirs.words[i]);
        }
    }
}

void tpi_play_words_init(tpi_play_words *words, const tpi_play_lang *lang)
{
    words->lang = lang;
    words->count = 0;
    if (lang->shapes == NULL) {
        return;
    }
    for (const tpi_play_value_word *value = lang->values; value->word != NULL; value++) {
        add(words, TPI_PLAY_STATEMENTS, value->word, value->english);
    }
    for (unsigned i = 0; i < TPI_PLAY_STATEMENTS; i++) {
        add_shape(words, (tpi_play_kind)i);
    }
}

bool tpi_play_words_have(const tpi_play_words *words, const char *word)
{
    for (unsigned i = 0; i < words->count; i++) {
        if (strcmp(words->list[i].word, word) == 0) {
            return true;
        }
    }
    return tpi_play_is_reserved(word);
}

const char *tpi_play_words_english(const tpi_play_words *words, tpi_play_kind kind,
                                   const char *word)
{
    const char *any = NULL;

    for (unsigned i = 0; i < words->count; i++) {
        if (strcmp(words->list[i].word, word) == 0) {
            if (words->list[i].kind == kind) {
                return words->list[i].english;
            }
            any = any == NULL ? words->list[i].english : any; /* expressions first */
        }
    }
    return any;
}

bool tpi_play_meaning_is(const tpi_play_meaning *meaning, const char *english)
{
    const size_t length = strlen(english);

    return strncmp(meaning->english, english, length) == 0 &&
           (meaning->english[length] == '\0' || meaning->english[length] == ' ');
}

const char *tpi_play_words_of(const tpi_play_words *words, tpi_play_kind kind, const char *english)
{
    const char *any = NULL;

    for (unsigned i = 0; i < words->count; i++) {
        if (tpi_play_meaning_is(&words->list[i], english)) {
            if (words->list[i].kind == kind) {
                return words->list[i].word;
            }
            any = any == NULL ? words->list[i].word : any;
        }
    }
    return any != NULL ? any : english;
}
