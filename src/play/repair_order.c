/* repair_order.c - the words of a line in another order. */
#include <stdio.h>
#include <string.h>

#include "play/repair.h"
#include "play/units.h"

enum { MOST_ATOMS = 10 };

/* What stands on a line: words, signs, texts, and numbers with their units. */
struct atoms {
    unsigned count;
    unsigned first[MOST_ATOMS], behind[MOST_ATOMS]; /* bytes of the line */
    unsigned column[MOST_ATOMS], width[MOST_ATOMS];
    size_t end; /* of the last one */
};

/* Whether a word begins with a large letter, as those of classes do. */
static bool is_class(const tpi_play_token *token)
{
    return token->kind == TPI_PLAY_T_WORD && token->text[0] >= 'A' && token->text[0] <= 'Z';
}

/* Take a line apart. False if it has too many atoms. */
static bool take_apart(struct atoms *out, const tpi_play_bench *bench, const char *line,
                       size_t length)
{
    tpi_play_troubles *scratch = bench->found;
    tpi_play_words words;
    tpi_play_tokens tokens = {0};
    tpi_arena arena = {0};

    scratch->count = 0;
    tpi_play_words_init(&words,
                        tpi_play_lang_of_text(bench->text, (size_t)(bench->end - bench->text)));
    bool fine = tpi_play_lex(&tokens, line, length, &words, &arena, scratch);
    for (unsigned i = 0; fine && i < tokens.count && !tpi_play_ends(&tokens.list[i]); i++) {
        const tpi_play_token *token = &tokens.list[i];
        const unsigned last = out->count - 1;
        const unsigned from =
            (unsigned)(tpi_play_column(line, line + length, token->column) - line);
        const unsigned to =
            (unsigned)(tpi_play_column(line + from, line + length, token->width + 1) - line);
        if (out->count > 0 && token->kind == TPI_PLAY_T_UNIT && tpi_play_unit_known(token->text)) {
            out->behind[last] = to;
            out->width[last] = token->column + token->width - out->column[last];
        } else if (out->count > 0 && is_class(token) && is_class(&token[-1])) {
            out->behind[last] = to; /* Light Sensor */
            out->width[last] = token->column + token->width - out->column[last];
        } else if (out->count == MOST_ATOMS) {
            fine = false;
        } else {
            out->first[out->count] = from;
            out->behind[out->count] = to;
            out->column[out->count] = token->column;
            out->width[out->count++] = token->width;
        }
        out->end = to;
    }
    tpi_arena_fini(&arena);
    return fine;
}

/* The line with two atoms in each other's place. */
static void put_swapped(tpi_buf *out, const char *line, size_t length, const struct atoms *atoms,
                        unsigned a, unsigned b)
{
    tpi_buf_put(out, line, atoms->first[a]);
    tpi_buf_put(out, line + atoms->first[b], atoms->behind[b] - atoms->first[b]);
    tpi_buf_put(out, line + atoms->behind[a], atoms->first[b] - atoms->behind[a]);
    tpi_buf_put(out, line + atoms->first[a], atoms->behind[a] - atoms->first[a]);
    tpi_buf_put(out, line + atoms->behind[b], length - atoms->behind[b]);
}

/* The line with one atom at another's place: the others make room. */
static void put_moved(tpi_buf *out, const char *line, size_t length, const struct atoms *atoms,
                      unsigned from, unsigned to)
{
    const unsigned low = from < to ? from : to, high = from < to ? to : from;

    tpi_buf_put(out, line, atoms->first[low]);
    for (unsigned i = low; i <= high; i++) {
        const unsigned atom = from < to ? (i == high ? from : i + 1) : (i == low ? from : i - 1);
        const unsigned gap = i < high ? atoms->first[i + 1] - atoms->behind[i] : 0;
        tpi_buf_put(out, line + atoms->first[atom], atoms->behind[atom] - atoms->first[atom]);
        tpi_buf_put(out, line + atoms->behind[i], gap);
    }
    tpi_buf_put(out, line + atoms->behind[high], length - atoms->behind[high]);
}

/* Whether a line alone is a statement, but for the `end` of its body. */
static bool is_statement(tpi_play_bench *bench, const tpi_buf *line)
{
    tpi_play_words words;
    tpi_play_tree tree = {0};
    tpi_play_troubles *found = bench->found;

    if (bench->work < line->length) {
        return false;
    }
    bench->work -= line->length;
    found->count = 0;
    tpi_play_words_init(&words,
                        tpi_play_lang_of_text(bench->text, (size_t)(bench->end - bench->text)));
    tpi_play_parse_raw(&tree, tpi_buf_text(line), line->length, &words, found);
    tpi_play_tree_fini(&tree);
    return !line->failed && !found->no_memory &&
           (found->count == 0 ||
            (found->count == 1 && strncmp(found->list[0].text, "this has no `end`", 17) == 0));
}

void tpi_play_tell_whole(tpi_play_bench *bench, tpi_play_trouble *trouble, const tpi_buf *line)
{
    const char *text = tpi_buf_text(line);
    struct atoms atoms = {0};
    size_t length = strlen(trouble->text);

    (void)take_apart(&atoms, bench, text, line->length);
    const size_t end = atoms.end > 0 ? atoms.end : line->length;
    const size_t begin = atoms.count > 0 ? atoms.first[0] : 0;
    trouble->fix[0] = '\0';
    if (end - begin >= sizeof trouble->whole) {
        return;
    }
    snprintf(trouble->whole, sizeof trouble->whole, "%.*s", (int)(end - begin), text + begin);
    snprintf(trouble->text + length, sizeof trouble->text - length, "%s write `%s`",
             strstr(trouble->text, ": ") != NULL ? ";" : ":", trouble->whole);
}

/* Tell the order that helps. */
static void tell_order(tpi_play_bench *bench, unsigned mistake, const struct atoms *atoms,
                       unsigned wrong, const tpi_buf *line)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    const char *from = tpi_play_line_at(bench->text, bench->end, trouble->line);

    trouble->column = atoms->column[wrong];
    trouble->width = atoms->width[wrong];
    snprintf(trouble->word, sizeof trouble->word, "%.*s",
             (int)(atoms->behind[wrong] - atoms->first[wrong]), from + atoms->first[wrong]);
    strcpy(trouble->text, "the words stand in another order");
    tpi_play_tell_whole(bench, trouble, line);
}

/* Try one order: two atoms swapped, or one moved. */
static bool try_order(tpi_play_bench *bench, unsigned mistake, const struct atoms *atoms,
                      size_t length, unsigned a, unsigned b, bool swaps)
{
    const unsigned number = bench->told->list[mistake].line;
    const char *from = tpi_play_line_at(bench->text, bench->end, number);
    tpi_buf line = {0};

    if (swaps) {
        put_swapped(&line, from, length, atoms, a, b);
    } else {
        put_moved(&line, from, length, atoms, a, b);
    }
    const bool helps = is_statement(bench, &line) && tpi_play_try_line(bench, number, &line) &&
                       tpi_play_try_helps(bench, number, mistake) &&
                       bench->found->count < bench->told->count;
    if (helps) {
        tell_order(bench, mistake, atoms, a < b ? a : b, &line);
    }
    tpi_buf_fini(&line);
    return helps;
}

bool tpi_play_try_orders(tpi_play_bench *bench, unsigned mistake)
{
    const char *line = tpi_play_line_at(bench->text, bench->end, bench->told->list[mistake].line);
    const size_t length = (size_t)(tpi_play_end_of_line(line, bench->end) - line);
    struct atoms atoms = {0};

    if (!take_apart(&atoms, bench, line, length) || atoms.count < 2) {
        return false;
    }
    for (unsigned distance = 1; distance < atoms.count; distance++) {
        for (unsigned a = 0; a + distance < atoms.count; a++) {
            if (try_order(bench, mistake, &atoms, length, a, a + distance, true)) {
                return true;
            }
        }
    }
    for (unsigned a = 0; a < atoms.count; a++) {
        for (unsigned b = 0; b < atoms.count; b++) {
            if ((a > b + 1 || b > a + 1) &&
                try_order(bench, mistake, &atoms, length, a, b, false)) {
                return true;
            }
        }
    }
    return false;
}
