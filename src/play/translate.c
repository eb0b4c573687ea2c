/* translate.c - the words of a language in tokens, in mistakes and in trees. */
#include <string.h>

#include "base/text.h"
#include "play/lang.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (c & 0x80) != 0;
}

/* ---- Tokens ---- */

/* The statement of a line by its first words. */
static tpi_play_kind kind_of_line(const tpi_play_words *words, const tpi_play_token *token)
{
    const bool has_two =
        token->kind == TPI_PLAY_T_WORD && token[1].kind == TPI_PLAY_T_WORD; /* a line has an end */

    return token->kind == TPI_PLAY_T_WORD
               ? tpi_play_lang_kind(words->lang, token->text, has_two ? token[1].text : "")
               : TPI_PLAY_STATEMENTS;
}

/* Put a token out, in English. */
static bool put_token(tpi_play_tokens *out, const tpi_play_token *token,
                      const tpi_play_words *words, tpi_play_kind kind, tpi_arena *arena)
{
    const char *english =
        token->kind == TPI_PLAY_T_WORD ? tpi_play_words_english(words, kind, token->text) : NULL;

    out->list[out->count++] = *token;
    if (english == NULL) {
        return true;
    }
    tpi_play_token *to = &out->list[out->count - 1];
    const size_t first = strcspn(english, " ");
    to->text = tpi_arena_text(arena, english, first);
    if (english[first] != '\0') { /* one word for two */
        out->list[out->count++] = *to;
        to[1].source = "";
        to[1].is_attached = true;
        to[1].text = tpi_arena_text(arena, english + first + 1, strlen(english + first + 1));
    }
    return to->text != NULL && out->list[out->count - 1].text != NULL;
}

bool tpi_play_translate(tpi_play_tokens *tokens, const tpi_play_words *words, tpi_arena *arena)
{
    tpi_play_tokens out = {0};
    tpi_play_kind kind = TPI_PLAY_STATEMENTS;

    if (words->count == 0) {
        return true;
    }
    out.list = tpi_arena_array(arena, (size_t)tokens->count * 2, sizeof *out.list);
    if (out.list == NULL) {
        return false;
    }
    for (unsigned i = 0; i < tokens->count; i++) {
        if (i == 0 || tokens->list[i - 1].kind == TPI_PLAY_T_LINE_END) {
            kind = kind_of_line(words, &tokens->list[i]);
        }
        if (!put_token(&out, &tokens->list[i], words, kind, arena)) {
            return false;
        }
    }
    *tokens = out;
    return true;
}

/* ---- Mistakes ---- */

/* The next word of a text: its length. */
static size_t take_word(const char *text, size_t length, char *room, size_t size)
{
    size_t count = 0;

    while (count < length && is_letter(text[count])) {
        count++;
    }
    room[0] = '\0';
    if (count < size) {
        memcpy(room, text, count);
        room[count] = '\0';
    }
    return count;
}

/* An English word, as this statement or that one has it. */
static const char *in_language(const tpi_play_words *words, tpi_play_kind line,
                               tpi_play_kind phrase, const char *english)
{
    const tpi_play_kind kinds[] = {line, phrase, TPI_PLAY_STATEMENTS};

    for (unsigned k = 0; k < 3; k++) {
        for (unsigned i = 0; i < words->count; i++) {
            if (words->list[i].kind == kinds[k] && tpi_play_meaning_is(&words->list[i], english)) {
                return words->list[i].word;
            }
        }
    }
    return tpi_play_words_of(words, TPI_PLAY_STATEMENTS, english);
}

/* Append a piece of a program, which is in English. Texts in quotes are not translated. */
static void put_phrase(tpi_buf *out, const tpi_play_words *words, tpi_play_kind line,
                       const char *text, size_t length)
{
    char word[64], next[64];
    bool is_quoted = false, is_first = true;
    tpi_play_kind phrase = TPI_PLAY_STATEMENTS;

    for (size_t at = 0; at < length;) {
        size_t count = take_word(text + at, length - at, word, sizeof word);
        is_quoted ^= text[at] == '"';
        if (count == 0 || is_quoted) {
            count = count == 0 ? 1 : count;
            tpi_buf_put(out, text + at, count);
        } else {
            const size_t behind = at + count;
            const size_t second =
                behind < length && text[behind] == ' '
                    ? take_word(text + behind + 1, length - behind - 1, next, sizeof next)
                    : 0;
            if (is_first) {
                phrase = tpi_play_lang_kind(tpi_play_lang_at(0), word, second > 0 ? next : "");
            }
            if (strcmp(word, "at") == 0 && second > 0 && strcmp(next, "most") == 0) {
                memcpy(word, "at most", 8);
                count += second + 1;
            }
            const char *mine = in_language(words, line, phrase, word);
            if (strcmp(word, "at most") == 0 && mine == word) { /* two words there as well */
                tpi_buf_printf(out, "%s %s", in_language(words, line, phrase, "at"),
                               in_language(words, line, phrase, "most"));
            } else {
                tpi_buf_puts(out, mine);
            }
            is_first = false;
        }
        at += count;
    }
}

/* Copy whole characters. */
static void cut(char *to, size_t size, const tpi_buf *from)
{
    size_t length = from->length;

    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)from->data[length] & 0xc0) == 0x80) {
            length--;
        }
    }
    memcpy(to, tpi_buf_text(from), length);
    to[length] = '\0';
}

/* A sentence: what stands between backquotes is a piece of a program. */
static void put_sentence(tpi_buf *out, const tpi_play_words *words, tpi_play_kind line,
                         const char *text)
{
    for (bool is_code = false; *text != '\0'; is_code = !is_code) {
        const size_t length = strcspn(text, "`");
        if (is_code) {
            put_phrase(out, words, line, text, length);
        } else {
            tpi_buf_put(out, text, length);
        }
        text += length;
        if (*text == '`') {
            tpi_buf_putc(out, *text++);
        }
    }
}

const char *tpi_play_column(const char *line, const char *end, unsigned count)
{
    for (; line < end && *line != '\n'; line++) {
        if (((unsigned char)*line & 0xc0) != 0x80 && --count == 0) {
            break;
        }
    }
    return line;
}

const char *tpi_play_line_at(const char *text, const char *end, unsigned number)
{
    for (unsigned n = 1; n < number && text < end; n++) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        text = next != NULL ? next + 1 : end;
    }
    return text;
}

static tpi_play_kind kind_of_text(const tpi_play_words *words, const char *line, const char *end)
{
    char first[64], second[64];

    while (line < end && (*line == ' ' || *line == '\t')) {
        line++;
    }
    const char *next = line + take_word(line, (size_t)(end - line), first, sizeof first);
    next += next < end && *next == ' ';
    take_word(next, (size_t)(end - next), second, sizeof second);
    return tpi_play_lang_kind(words->lang, first, second);
}

static void translate_one(tpi_play_trouble *trouble, const tpi_play_words *words, const char *line,
                          const char *end)
{
    const tpi_play_kind kind = kind_of_text(words, line, end);
    tpi_buf out = {0};

    if (trouble->width > 0 && trouble->column > 0) {
        const char *from = tpi_play_column(line, end, trouble->column);
        tpi_buf_put(&out, from, (size_t)(tpi_play_column(from, end, trouble->width + 1) - from));
        if (!out.failed) {
            cut(trouble->word, sizeof trouble->word, &out);
        }
    }
    tpi_buf_clear(&out);
    put_sentence(&out, words, kind, trouble->text);
    if (!out.failed) {
        cut(trouble->text, sizeof trouble->text, &out);
    }
    tpi_buf_clear(&out);
    put_phrase(&out, words, kind, trouble->fix, strlen(trouble->fix));
    if (!out.failed) {
        cut(trouble->fix, sizeof trouble->fix, &out);
    }
    tpi_buf_clear(&out);
    put_phrase(&out, words, kind, trouble->whole, strlen(trouble->whole));
    if (!out.failed) {
        cut(trouble->whole, sizeof trouble->whole, &out);
    }
    tpi_buf_fini(&out);
}

void tpi_play_translate_troubles(tpi_play_troubles *troubles, const tpi_play_words *words,
                                 const char *text, size_t length)
{
    for (unsigned i = 0; words->count > 0 && i < tpi_play_trouble_count(troubles); i++) {
        const char *end = text + length;
        translate_one(&troubles->list[i], words,
                      tpi_play_line_at(text, end, troubles->list[i].line), end);
    }
}

/* ---- Trees ---- */

struct setter {
    const tpi_play_words *words; /* borrowed */
    tpi_play_troubles *troubles; /* borrowed */
};

static void refuse(const struct setter *in, const tpi_play_node *node, unsigned at,
                   const char *word)
{
    tpi_play_trouble_add(in->troubles, node->line, at, (unsigned)strlen(word), word,
                         "this is a word of `lang %s`: choose another one", in->words->lang->name);
}

/* Names, units, classes and commands that are words of the new language. */
static void check_node(const struct setter *in, const tpi_play_node *node)
{
    const char *text = node->text != NULL ? node->text : "";
    const tpi_play_kind kind = node->kind;

    if ((kind == TPI_PLAY_NAME || kind == TPI_PLAY_CALL || kind == TPI_PLAY_DO ||
         kind == TPI_PLAY_WORD || kind == TPI_PLAY_CLASS) &&
        tpi_play_words_have(in->words, text) && !tpi_play_is_reserved(text)) {
        refuse(in, node, node->column, text);
    }
    if (node->unit != NULL && tpi_play_words_have(in->words, node->unit)) {
        refuse(in, node, node->unit_column, node->unit);
    }
    if (kind == TPI_PLAY_CLASS) {
        const char *number = tpi_play_words_of(in->words, TPI_PLAY_DEVICE_STATEMENT, "number");
        const char *found = strstr(text, number);
        if (found != NULL && found > text) {
            refuse(in, node, node->column, text);
        }
    }
}

static void check_nodes(const struct setter *in, const tpi_play_node *node)
{
    for (; node != NULL; node = node->next) {
        check_node(in, node);
        for (unsigned i = 0; i < TPI_PLAY_MOST_SLOTS; i++) {
            check_nodes(in, node->slots[i]);
        }
        check_nodes(in, node->branches);
    }
}

void tpi_play_settle_head(tpi_play_tree *tree)
{
    tpi_play_node *first = tree->body->slots[0];
    const bool has_lang = first != NULL && first->kind == TPI_PLAY_LANG_STATEMENT;
    tpi_play_node *next = has_lang ? first->next : first;
    tpi_play_comment **comments = next != NULL ? &next->comments : &tree->body->comments;

    if (has_lang) {
        tpi_play_comment **end = &first->comments;
        while (*end != NULL) {
            end = &(*end)->next;
        }
        *end = *comments;
        *comments = first->comments;
        first->comments = NULL;
        first->has_blank = false;
    }
    if (*comments != NULL) {
        (*comments)->has_blank = has_lang;
    } else if (next != NULL) {
        next->has_blank = has_lang;
    }
}

/* Take the statement away; the comment behind it is one of the program. */
static void remove_lang(tpi_play_tree *tree)
{
    tpi_play_node *lang = tree->body->slots[0], *next = lang->next;
    tpi_play_comment *tail =
        lang->tail != NULL ? tpi_arena_alloc(&tree->arena, sizeof *tail) : NULL;
    tpi_play_comment **comments = next != NULL ? &next->comments : &tree->body->comments;

    if (tail != NULL) {
        tail->text = lang->tail;
        tail->next = *comments;
        *comments = tail;
    }
    tree->body->slots[0] = next;
    tpi_play_settle_head(tree);
}

/* Put the statement before all others. */
static tpi_play_node *insert_lang(tpi_play_tree *tree)
{
    tpi_play_node *lang = tpi_play_node_create(tree, TPI_PLAY_LANG_STATEMENT);

    if (lang != NULL) {
        lang->slots[0] = tpi_play_node_create(tree, TPI_PLAY_NAME);
        lang->next = tree->body->slots[0];
        tree->body->slots[0] = lang;
        tpi_play_settle_head(tree);
    }
    return lang;
}

bool tpi_play_lang_set(tpi_play_tree *tree, const tpi_play_lang *lang, tpi_play_troubles *troubles)
{
    tpi_play_words words;
    const struct setter in = {&words, troubles};
    tpi_play_node *node = tree->body->slots[0];

    tpi_play_words_init(&words, lang);
    const bool has_lang = node != NULL && node->kind == TPI_PLAY_LANG_STATEMENT;
    if (words.count > 0) {
        check_nodes(&in, has_lang ? node->next : node);
    }
    if (troubles->count > 0) {
        return false;
    }
    if (lang == tpi_play_lang_at(0)) {
        if (has_lang) {
            remove_lang(tree);
        }
        return true;
    }
    node = has_lang ? node : insert_lang(tree);
    if (node == NULL || node->slots[0] == NULL) {
        troubles->no_memory = true;
        return false;
    }
    node->slots[0]->text = lang->name;
    return true;
}
