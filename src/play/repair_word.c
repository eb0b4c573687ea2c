/* repair_word.c - words that stand twice, are missing, or stand for a value or another statement.
 */
#include <stdio.h>
#include <string.h>

#include "play/repair.h"

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (c & 0x80) != 0;
}

/* `let let x be 5`, `let x x be 5`: a mark of two equal words becomes one of the second. */
static void halve(tpi_play_trouble *trouble)
{
    const size_t half = strlen(trouble->word) / 2;

    if (half > 0 && trouble->word[half] == ' ' && trouble->word[2 * half + 1] == '\0' &&
        memcmp(trouble->word, trouble->word + half + 1, half) == 0) {
        memmove(trouble->word, trouble->word + half + 1, half + 1);
        trouble->column += trouble->width / 2 + 1;
        trouble->width /= 2;
    }
}

bool tpi_play_try_double(tpi_play_bench *bench, unsigned mistake)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    const tpi_play_trouble before = *trouble;
    const size_t length = strlen(trouble->word);
    const char *line = tpi_play_line_at(bench->text, bench->end, trouble->line);

    halve(trouble);
    const size_t width = strlen(trouble->word);
    const char *at = tpi_play_column(line, bench->end, trouble->column);
    while (at > line && at[-1] == ' ') {
        at--;
    }
    const bool is_double = width > 0 && (size_t)(at - line) >= width &&
                           memcmp(at - width, trouble->word, width) == 0 &&
                           ((size_t)(at - line) == width || !is_of_word(trouble->word[0]) ||
                            !is_of_word(at[-(ptrdiff_t)width - 1]) || width < length);
    if (!is_double || (!trouble->is_grammar && width == length) ||
        !tpi_play_try_word(bench, mistake, "")) {
        *trouble = before;
        return false;
    }
    strcpy(trouble->text, "leave it out: it stands here twice");
    trouble->fix[0] = '\0';
    trouble->removes = true;
    return true;
}

bool tpi_play_try_values(tpi_play_bench *bench, unsigned mistake)
{
    static const char *const values[] = {"10", "1 s", "\"hello\""};
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    const bool is_behind = strncmp(trouble->text, "a value is missing behind", 25) == 0;
    const bool is_before = strncmp(trouble->text, "a value is missing before", 25) == 0;
    const bool is_place = is_before || strstr(trouble->text, "a value stands here") != NULL ||
                          strcmp(trouble->text, "a value is expected here") == 0;
    const char *gap = strcmp(trouble->word, "-") == 0 ? "" : " ";
    char fix[sizeof trouble->fix];

    for (unsigned i = 0; (is_behind || is_before) && i < 3; i++) {
        snprintf(fix, sizeof fix, "%.60s%s%.50s", is_behind ? trouble->word : values[i], gap,
                 is_behind ? values[i] : trouble->word);
        if (tpi_play_try_word(bench, mistake, fix)) {
            memcpy(trouble->fix, fix, sizeof fix);
            return true;
        }
    }
    for (unsigned i = 0; is_place && i < 3; i++) {
        if (!tpi_play_try_word(bench, mistake, values[i])) {
            continue;
        }
        strcpy(trouble->text, "a value is expected here, such as a number or a name");
        trouble->fix[0] = '\0';
        return true; /* which one is not known */
    }
    return false;
}

/* The first words of statements; `else` and `end`. NULL behind the last one. */
static const char *beginning(unsigned index, char *room, size_t size)
{
    const tpi_play_kind kind = (tpi_play_kind)index;

    if (index > TPI_PLAY_STATEMENTS) {
        return NULL;
    }
    const char *shape = index == TPI_PLAY_STATEMENTS ? "end" : tpi_play_statement_of(kind)->shape;
    snprintf(room, size, "%.*s", (int)strcspn(shape, " "), shape);
    return room;
}

/* Whether nothing but a comment stands behind the mark. */
static bool stands_alone(const tpi_play_bench *bench, const tpi_play_trouble *trouble)
{
    const char *line = tpi_play_line_at(bench->text, bench->end, trouble->line);
    const char *at = tpi_play_column(line, bench->end, trouble->column + trouble->width);

    while (at < bench->end && *at == ' ') {
        at++;
    }
    return at == bench->end || *at == '\n' || *at == '\r' || *at == '#';
}

/* Whether the mark stands first on its line. */
static bool begins_line(const tpi_play_bench *bench, const tpi_play_trouble *trouble)
{
    const char *line = tpi_play_line_at(bench->text, bench->end, trouble->line);
    const char *at = tpi_play_column(line, bench->end, trouble->column);

    while (at > line && at[-1] == ' ') {
        at--;
    }
    return at == line;
}

/* Whether a mistake stands on a line of the text that was tried. */
static bool has_mistake(const tpi_play_bench *bench, unsigned line)
{
    unsigned i = 0;

    while (i < tpi_play_trouble_count(bench->found) && bench->found->list[i].line != line) {
        i++;
    }
    return i < tpi_play_trouble_count(bench->found);
}

/* Try the first words of all statements in the place of the mark, or before it. How many of them
 * help most; the last one is `fix`. */
static unsigned count_beginnings(tpi_play_bench *bench, unsigned mistake, bool is_before,
                                 const tpi_play_words *words, char *fix, size_t size)
{
    const tpi_play_trouble *trouble = &bench->told->list[mistake];
    char english[16], text[sizeof trouble->fix], seen[16] = "";
    unsigned count = 0, fewest = bench->told->count;

    for (unsigned i = 0; beginning(i, english, sizeof english) != NULL; i++) {
        const char *word = tpi_play_words_of(words, (tpi_play_kind)i, english);
        if (strcmp(english, seen) == 0 || english[0] == '@' ||
            (i != TPI_PLAY_STATEMENTS && is_before && strcmp(english, "else") == 0)) {
            continue;
        }
        memcpy(seen, english, sizeof seen);
        snprintf(text, sizeof text, "%s%s%.60s", word, is_before ? " " : "",
                 is_before ? trouble->word : "");
        if (tpi_play_try_word(bench, mistake, text) && bench->found->count <= fewest &&
            !has_mistake(bench, trouble->line)) {
            snprintf(fix, size, "%s", text);
            count = bench->found->count < fewest ? 1 : count + 1;
            fewest = bench->found->count;
        }
    }
    return count;
}

/* Move the mark to the first word of its line. */
static bool move_to_first(const tpi_play_bench *bench, tpi_play_trouble *trouble)
{
    const char *line = tpi_play_line_at(bench->text, bench->end, trouble->line);
    const size_t blanks = strspn(line, " ");
    const size_t length = strspn(line + blanks, "abcdefghijklmnopqrstuvwxyz");

    if (length == 0 || length >= sizeof trouble->word || line[blanks + length] != ' ') {
        return false;
    }
    trouble->column = (unsigned)blanks + 1;
    trouble->width = (unsigned)length;
    snprintf(trouble->word, sizeof trouble->word, "%.*s", (int)length, line + blanks);
    strcpy(trouble->text, "the line is that of another statement");
    return true;
}

/* Whether it is not known what a mistake comes from. */
static bool is_plain(const tpi_play_trouble *trouble)
{
    return strncmp(trouble->text, "nothing more", 12) == 0 ||
           strcmp(trouble->text, "a name is expected here") == 0 ||
           strstr(trouble->text, "` is missing before this") != NULL;
}

/* Whether the statement is right, but not where it stands, or without its `end`. */
static bool is_misplaced(const tpi_play_trouble *trouble)
{
    static const char *const begins[] = {"this has no", "this stands", "this belongs", "this `end`",
                                         "nothing but"};
    unsigned i = 0;

    while (i < 5 && strncmp(trouble->text, begins[i], strlen(begins[i])) != 0) {
        i++;
    }
    return i < 5;
}

bool tpi_play_try_beginnings(tpi_play_bench *bench, unsigned mistake)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    const tpi_play_trouble before = *trouble;
    const bool is_first = begins_line(bench, trouble);
    const bool is_value = strchr("\"0123456789", trouble->word[0]) != NULL;
    /* A word alone, or a statement of which something is missing, is another statement only if that
     * explains more. */
    const bool is_short =
        strstr(trouble->text, "is missing behind") != NULL || stands_alone(bench, trouble);
    tpi_play_words words;
    char fix[sizeof trouble->fix];

    if (!trouble->is_grammar || is_misplaced(trouble) ||
        (!is_first && !(is_plain(trouble) && move_to_first(bench, trouble)))) {
        return false;
    }
    tpi_play_words_init(&words,
                        tpi_play_lang_of_text(bench->text, (size_t)(bench->end - bench->text)));
    for (int is_before = is_value && is_first; is_before < (is_first ? 2 : 1); is_before++) {
        if (count_beginnings(bench, mistake, is_before != 0, &words, fix, sizeof fix) == 1 &&
            tpi_play_try_word(bench, mistake, fix) &&
            (!is_short || bench->found->count + 1 < bench->told->count)) {
            snprintf(trouble->fix, sizeof trouble->fix, "%s", fix);
            if (strncmp(trouble->text, "leave it out", 12) == 0) {
                strcpy(trouble->text, "no statement begins with this word");
            }
            return true;
        }
    }
    *trouble = before;
    return false;
}

/* ---- Names ---- */

/* The only place of a name in the text, outside of comments and texts; NULL if there are more. */
static const char *only_place(const tpi_play_bench *bench, const char *name, unsigned *line)
{
    const size_t length = strlen(name);
    const char *found = NULL;
    unsigned number = 1;
    bool is_skipped = false;

    for (const char *at = bench->text; at < bench->end; at++) {
        const bool is_line = *at == '\n';
        number += is_line;
        is_skipped = is_line ? false : *at == '#' ? true : is_skipped ^ (*at == '"');
        if (!is_skipped && (size_t)(bench->end - at) >= length && memcmp(at, name, length) == 0 &&
            (at == bench->text || !is_of_word(at[-1])) &&
            (at + length == bench->end || !is_of_word(at[length]))) {
            if (found != NULL) {
                return NULL;
            }
            found = at;
            *line = number;
        }
    }
    return found;
}

bool tpi_play_try_rename(tpi_play_bench *bench, unsigned mistake)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    unsigned number = 0, column = 1;
    tpi_buf changed = {0};

    if (trouble->is_grammar || trouble->fix[0] == '\0' ||
        strncmp(trouble->text, "there is no such", 16) != 0) {
        return false;
    }
    const char *at = only_place(bench, trouble->fix, &number);
    if (at == NULL || number >= trouble->line) {
        return false;
    }
    const char *line = tpi_play_line_at(bench->text, bench->end, number);
    for (const char *c = line; c < at; c++) {
        column += ((unsigned char)*c & 0xc0) != 0x80;
    }
    unsigned width = 0;
    for (const char *c = trouble->fix; *c != '\0'; c++) {
        width += ((unsigned char)*c & 0xc0) != 0x80;
    }
    tpi_play_put_edit(&changed, line, tpi_play_end_of_line(line, bench->end), column, width,
                      trouble->word);
    const bool helps = tpi_play_try_line(bench, number, &changed) &&
                       tpi_play_try_helps(bench, number, mistake) &&
                       bench->found->count + 2 <= bench->told->count;
    tpi_buf_fini(&changed);
    if (helps) {
        char used[sizeof trouble->word], made[sizeof trouble->word];
        memcpy(used, trouble->word, sizeof used);
        snprintf(made, sizeof made, "%.60s", trouble->fix);
        memcpy(trouble->word, made, sizeof made);
        memcpy(trouble->fix, used, sizeof used);
        strcpy(trouble->text, "this name is used nowhere, but one like it is");
        trouble->line = number;
        trouble->column = column;
        trouble->width = width;
    }
    return helps;
}

/* Whether a word stands on a line already. */
static bool is_on_line(const tpi_play_bench *bench, unsigned number, const char *word)
{
    const char *line = tpi_play_line_at(bench->text, bench->end, number);
    const char *end = tpi_play_end_of_line(line, bench->end);
    const size_t length = strlen(word);

    for (const char *at = line; (size_t)(end - at) >= length; at++) {
        if (memcmp(at, word, length) == 0 && (at == line || !is_of_word(at[-1])) &&
            (at + length == end || !is_of_word(at[length]))) {
            return true;
        }
    }
    return false;
}

/* Where a name is tried: in the place of the mark, behind it, or before it. */
enum place { INSTEAD, BEHIND, BEFORE };

/* Try the names that are not known with the mark, or in its place. */
static bool try_names(tpi_play_bench *bench, unsigned mistake, enum place place)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    char fix[sizeof trouble->fix];

    for (unsigned i = 0; i < tpi_play_trouble_count(bench->told); i++) {
        const tpi_play_trouble *other = &bench->told->list[i];
        if (other->is_grammar || strncmp(other->text, "there is no such", 16) != 0 ||
            is_on_line(bench, trouble->line, other->word)) {
            continue;
        }
        const bool is_behind = place == BEHIND, is_before = place == BEFORE;
        snprintf(fix, sizeof fix, "%.40s%s%.40s%s%.30s", is_behind ? trouble->word : "",
                 is_behind ? " " : "", other->word, is_before ? " " : "",
                 is_before ? trouble->word : "");
        if (tpi_play_try_word(bench, mistake, fix) && bench->is_gone[mistake][i]) {
            memcpy(trouble->fix, fix, sizeof fix);
            return true;
        }
    }
    return false;
}
bool tpi_play_try_names(tpi_play_bench *bench, unsigned mistake)
{
    static const struct {
        const char *begin;
        enum place place;
    } texts[] = {{"a name is missing behind this", BEHIND},
                 {"a name is missing before this", BEFORE},
                 {"this is a word of the language, a name", INSTEAD},
                 {"this is a device already", INSTEAD},
                 {"a name is one word without quotes", INSTEAD}};
    const char *text = bench->told->list[mistake].text;

    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strncmp(text, texts[i].begin, strlen(texts[i].begin)) == 0) {
            return try_names(bench, mistake, texts[i].place);
        }
    }
    return false;
}

bool tpi_play_try_missing(tpi_play_bench *bench, unsigned mistake)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    char fix[sizeof trouble->fix], text[sizeof trouble->text];
    const size_t wanted = strcspn(trouble->fix, " ");

    if (trouble->fix[0] == '\0' || !trouble->is_grammar) {
        return false;
    }
    if (trouble->fix[wanted] == '\0') { /* the word is not mistyped, it is missing */
        snprintf(fix, sizeof fix, "%.50s %.60s", trouble->fix, trouble->word);
        snprintf(text, sizeof text, "`%.50s` is missing before this", trouble->fix);
    } else { /* it is not missing, another one stands in its place */
        snprintf(fix, sizeof fix, "%.*s", (int)wanted, trouble->fix);
        snprintf(text, sizeof text, "another word is expected here");
    }
    if (!tpi_play_try_word(bench, mistake, fix)) {
        return false;
    }
    memcpy(trouble->text, text, sizeof text);
    memcpy(trouble->fix, fix, sizeof fix);
    return true;
}
