/* repair.c - tries what is offered for a mistake; see repair.h. */
#include "play/repair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORK = 1 << 19,   /* bytes that are looked at for one program */
    MOST_LENGTH = 1 << 15, /* of a text for which something is tried */
    MOST_STEPS = 5,        /* offers that are taken one after the other on a line */
};

bool tpi_play_understand(tpi_play_tree *tree, tpi_play_names *names, const char *text,
                         size_t length, const tpi_vocabulary *vocabulary,
                         tpi_play_troubles *troubles)
{
    tpi_play_words words;
    bool fine = false;

    tpi_play_words_init(&words, tpi_play_lang_of_text(text, length));
    const bool parsed = tpi_play_parse_raw(tree, text, length, &words, troubles);
    for (unsigned i = 0; i < tpi_play_trouble_count(troubles); i++) {
        troubles->list[i].is_grammar = true;
    }
    if (!troubles->no_memory && tree->body != NULL) {
        /* A program with slips of grammar is checked too, so that all mistakes show at once. */
        fine = tpi_play_check(names, tree, vocabulary, troubles) && parsed;
    }
    tpi_play_translate_troubles(troubles, &words, text, length);
    tpi_play_troubles_sort(troubles);
    return fine;
}

/* ---- Trying ---- */

const char *tpi_play_end_of_line(const char *line, const char *end)
{
    const char *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;

    return stop != NULL ? stop : end;
}

bool tpi_play_try_line(tpi_play_bench *bench, unsigned number, const tpi_buf *line)
{
    const char *from = tpi_play_line_at(bench->text, bench->end, number);
    const char *to = tpi_play_end_of_line(from, bench->end);
    tpi_play_tree tree = {0};
    tpi_play_names names;

    tpi_buf_clear(&bench->tried);
    tpi_buf_put(&bench->tried, bench->text, (size_t)(from - bench->text));
    tpi_buf_put(&bench->tried, tpi_buf_text(line), line->length);
    tpi_buf_put(&bench->tried, to, (size_t)(bench->end - to));
    if (line->failed || bench->tried.failed || bench->work < bench->tried.length) {
        return false;
    }
    bench->work -= bench->tried.length;
    bench->found->count = 0;
    tpi_play_understand(&tree, &names, tpi_buf_text(&bench->tried), bench->tried.length,
                        bench->vocabulary, bench->found);
    tpi_play_tree_fini(&tree);
    return !bench->found->no_memory;
}

/* The mistake that was reported at a place; the count if there is none. */
static unsigned told_at(const tpi_play_bench *bench, unsigned line, unsigned column)
{
    const unsigned count = tpi_play_trouble_count(bench->told);
    unsigned i = 0;

    while (i < count &&
           (bench->told->list[i].line != line || bench->told->list[i].column != column)) {
        i++;
    }
    return i;
}

bool tpi_play_try_helps(tpi_play_bench *bench, unsigned number, unsigned mistake)
{
    const unsigned count = tpi_play_trouble_count(bench->told);
    bool *is_gone = bench->is_gone[mistake];

    for (unsigned i = 0; i < count; i++) {
        is_gone[i] = true;
    }
    for (unsigned i = 0; i < tpi_play_trouble_count(bench->found); i++) {
        const tpi_play_trouble *found = &bench->found->list[i];
        const unsigned told = told_at(bench, found->line, found->column);
        if (found->line == number || (told == count && found->is_grammar)) {
            return false;
        }
        if (told < count) {
            is_gone[told] = false;
        }
    }
    return bench->found->count <= bench->told->count;
}

/* The same for a word that was replaced: `taken` characters by `given` ones. */
static bool replacing_helps(tpi_play_bench *bench, unsigned mistake, unsigned taken, unsigned given)
{
    const unsigned count = tpi_play_trouble_count(bench->told);
    const tpi_play_trouble *trouble = &bench->told->list[mistake];
    bool *is_gone = bench->is_gone[mistake];

    for (unsigned i = 0; i < count; i++) {
        is_gone[i] = true;
    }
    for (unsigned i = 0; i < tpi_play_trouble_count(bench->found); i++) {
        const tpi_play_trouble *found = &bench->found->list[i];
        const bool is_behind =
            found->line == trouble->line && found->column >= trouble->column + given;
        const unsigned column = is_behind ? found->column + taken - given : found->column;
        const unsigned told = told_at(bench, found->line, column);
        if (told < count && told != mistake) {
            is_gone[told] = false;
        } else if (found->line == trouble->line || found->is_grammar) {
            return false;
        }
    }
    return bench->found->count <= bench->told->count;
}

/* ---- Changing a line ---- */

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (c & 0x80) != 0;
}

static unsigned characters(const char *text)
{
    unsigned count = 0;

    for (; *text != '\0'; text++) {
        count += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return count;
}

/* Whether a word would stand against the one before it: `drive 50, 20` with `turn`. */
static bool joins_left(const char *line, const char *from, const char *by)
{
    const bool is_number = from > line && from[-1] >= '0' && from[-1] <= '9';

    return from > line && is_of_word(from[-1]) && is_of_word(*by) &&
           !(is_number && tpi_play_unit_known(by));
}

/* The same for the one behind it: `!bump` with `not`. */
static bool joins_right(const char *to, const char *end, const char *by)
{
    return *by != '\0' && to < end && is_of_word(*to) && is_of_word(by[strlen(by) - 1]);
}

unsigned tpi_play_put_edit(tpi_buf *out, const char *line, const char *end, unsigned column,
                           unsigned width, const char *by)
{
    const char *from = tpi_play_column(line, end, column);
    const char *to = tpi_play_column(from, end, width + 1);

    tpi_buf_put(out, line, (size_t)(from - line));
    tpi_buf_puts(out, joins_left(line, from, by) ? " " : "");
    tpi_buf_puts(out, by);
    tpi_buf_puts(out, joins_right(to, end, by) ? " " : "");
    /* What is left out leaves no two blanks. */
    const bool has_blank =
        *by == '\0' && to < end && *to == ' ' && (from == line || from[-1] == ' ');
    to += has_blank;
    tpi_buf_put(out, to, (size_t)(end - to));
    return width + has_blank;
}

/* What a mistake says is to be left out. */
static bool says_leave(const tpi_play_trouble *trouble)
{
    return strstr(trouble->text, "leave it out") != NULL;
}

static bool offers(const tpi_play_trouble *trouble)
{
    return trouble->fix[0] != '\0' || says_leave(trouble);
}

bool tpi_play_try_word(tpi_play_bench *bench, unsigned mistake, const char *by)
{
    const tpi_play_trouble *trouble = &bench->told->list[mistake];
    const char *line = tpi_play_line_at(bench->text, bench->end, trouble->line);
    const char *end = tpi_play_end_of_line(line, bench->end);
    tpi_buf changed = {0};

    const char *from = tpi_play_column(line, end, trouble->column);
    if (joins_left(line, from, by) ||
        joins_right(tpi_play_column(from, end, trouble->width + 1), end, by)) {
        return false; /* a blank is missing: the whole line is reported */
    }
    const unsigned taken =
        tpi_play_put_edit(&changed, line, end, trouble->column, trouble->width, by);
    const bool helps = tpi_play_try_line(bench, trouble->line, &changed) &&
                       replacing_helps(bench, mistake, taken, characters(by));
    tpi_buf_fini(&changed);
    return helps;
}

/* If a line differs in the place of the mark only, offer what stands there. */
static bool tell_middle(tpi_play_bench *bench, tpi_play_trouble *trouble, const tpi_buf *changed)
{
    const char *line = tpi_play_line_at(bench->text, bench->end, trouble->line);
    const char *end = tpi_play_end_of_line(line, bench->end), *text = tpi_buf_text(changed);
    const char *from = tpi_play_column(line, end, trouble->column);
    const char *to = tpi_play_column(from, end, trouble->width + 1);
    const size_t before = (size_t)(from - line), behind = (size_t)(end - to);

    if (changed->length <= before + behind || text[before] == ' ' ||
        text[changed->length - behind - 1] == ' ' || memcmp(text, line, before) != 0 ||
        memcmp(text + changed->length - behind, to, behind) != 0 ||
        changed->length - before - behind >= sizeof trouble->fix) {
        return false;
    }
    snprintf(trouble->fix, sizeof trouble->fix, "%.*s", (int)(changed->length - before - behind),
             text + before);
    return true;
}

/* Take what is offered on the line, one after the other, until it has no mistakes. */
static bool try_steps(tpi_play_bench *bench, unsigned mistake)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    const unsigned number = trouble->line;
    const char *line = tpi_play_line_at(bench->text, bench->end, number);
    tpi_buf now = {0}, next = {0};
    tpi_play_trouble step = *trouble;
    bool helps = false, goes_on = offers(trouble);

    tpi_buf_put(&now, line, (size_t)(tpi_play_end_of_line(line, bench->end) - line));
    for (unsigned i = 0; i < MOST_STEPS && goes_on && !helps; i++) {
        tpi_buf_clear(&next);
        const char *from = tpi_buf_text(&now);
        tpi_play_put_edit(&next, from, from + now.length, step.column, step.width, step.fix);
        goes_on = tpi_play_try_line(bench, number, &next);
        helps = goes_on && tpi_play_try_helps(bench, number, mistake);
        unsigned n = 0;
        while (n < tpi_play_trouble_count(bench->found) && bench->found->list[n].line != number) {
            n++;
        }
        goes_on =
            goes_on && n < tpi_play_trouble_count(bench->found) && offers(&bench->found->list[n]);
        step = goes_on ? bench->found->list[n] : step;
        tpi_buf_clear(&now);
        tpi_buf_put(&now, tpi_buf_text(&next), next.length);
    }
    if (helps && !tell_middle(bench, trouble, &now)) {
        tpi_play_tell_whole(bench, trouble, &now);
    }
    tpi_buf_fini(&now);
    tpi_buf_fini(&next);
    return helps;
}

/* Try what is offered for a word in the place of the whole line. */
static bool try_whole(tpi_play_bench *bench, unsigned mistake, const char *whole)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    tpi_buf line = {0};

    tpi_buf_indent(&line, trouble->column - 1);
    tpi_buf_puts(&line, whole);
    const bool helps = strchr(whole, ' ') != NULL &&
                       tpi_play_try_line(bench, trouble->line, &line) &&
                       tpi_play_try_helps(bench, trouble->line, mistake);
    if (helps) {
        tpi_play_tell_whole(bench, trouble, &line);
    }
    tpi_buf_fini(&line);
    return helps;
}

/* ---- One mistake ---- */

/* `print "light: , eye`: the text may end before a comma. */
static bool try_closing(tpi_play_bench *bench, unsigned mistake)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    const size_t length = strlen(trouble->word);
    const char *comma = strrchr(trouble->word, ',');
    char fix[sizeof trouble->fix];

    if (trouble->word[0] != '"' || (length > 1 && trouble->word[length - 1] == '"') ||
        comma == NULL) {
        return false;
    }
    snprintf(fix, sizeof fix, "%.*s\"%s", (int)(comma - trouble->word), trouble->word, comma);
    if (!tpi_play_try_word(bench, mistake, fix)) {
        return false;
    }
    memcpy(trouble->fix, fix, sizeof fix);
    return true;
}

/* Another mistake of grammar stands on the line: both may follow from the order of its words. */
static bool has_company(const tpi_play_bench *bench, unsigned mistake)
{
    unsigned on_line = 0, of_grammar = 0;

    for (unsigned i = 0; i < tpi_play_trouble_count(bench->told); i++) {
        const bool is_here = bench->told->list[i].line == bench->told->list[mistake].line;
        on_line += is_here;
        of_grammar += is_here && bench->told->list[i].is_grammar;
    }
    return on_line > 1 && of_grammar > 0;
}

/* What is offered does not help: it is said, but not offered. */
static void take_back(tpi_play_trouble *trouble)
{
    static const char perhaps[] = "perhaps ";
    char quoted[sizeof trouble->fix + 2];
    char *leave = strstr(trouble->text, "leave it out");

    if (leave != NULL && strlen(trouble->text) + sizeof perhaps <= sizeof trouble->text) {
        memmove(leave + sizeof perhaps - 1, leave, strlen(leave) + 1);
        memcpy(leave, perhaps, sizeof perhaps - 1);
    }
    const size_t length = strlen(trouble->text);
    const char *offer = trouble->whole[0] != '\0' ? trouble->whole : trouble->fix;

    snprintf(quoted, sizeof quoted, "`%s`", offer);
    if (offer[0] != '\0' && strstr(trouble->text, quoted) == NULL) {
        snprintf(trouble->text + length, sizeof trouble->text - length, "; perhaps %s", quoted);
    }
    trouble->fix[0] = trouble->whole[0] = '\0';
}

/* Try the line without the marked word. */
static bool try_without(tpi_play_bench *bench, unsigned mistake)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    const size_t length = strlen(trouble->text);

    if (!trouble->is_grammar || !tpi_play_try_word(bench, mistake, "")) {
        return false;
    }
    snprintf(trouble->text + length, sizeof trouble->text - length, "%s leave it out",
             strstr(trouble->text, ": ") != NULL ? ";" : ":");
    trouble->fix[0] = '\0';
    trouble->removes = true;
    return true;
}

/* `log light eye`, with `, eye` in the place of the mark: no blank stands before the comma. */
static void tell_comma(tpi_play_bench *bench, unsigned mistake)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    const char *line = tpi_play_line_at(bench->text, bench->end, trouble->line);
    const char *end = tpi_play_end_of_line(line, bench->end);
    const char *from = tpi_play_column(line, end, trouble->column);
    tpi_buf changed = {0};
    unsigned blanks = 0;

    while (from - blanks > line && from[-(ptrdiff_t)blanks - 1] == ' ') {
        blanks++;
    }
    if (trouble->fix[0] == ',' && blanks > 0 && from - blanks > line) {
        tpi_play_put_edit(&changed, line, end, trouble->column - blanks, trouble->width + blanks,
                          trouble->fix);
        if (changed.length < sizeof trouble->whole &&
            tpi_play_try_line(bench, trouble->line, &changed) &&
            tpi_play_try_helps(bench, trouble->line, mistake)) {
            tpi_play_tell_whole(bench, trouble, &changed);
        } else { /* another mistake is on the line: note again what is gone */
            (void)tpi_play_try_word(bench, mistake, trouble->fix);
        }
    }
    tpi_buf_fini(&changed);
}

/* Try what may help, the least change first. */
static bool try_all(tpi_play_bench *bench, unsigned mistake)
{
    tpi_play_trouble *trouble = &bench->told->list[mistake];
    const bool had_fix = trouble->fix[0] != '\0';

    if (trouble->whole[0] != '\0') {
        const bool helps = try_whole(bench, mistake, trouble->whole);
        if (!helps) {
            take_back(trouble);
        }
        return helps;
    }
    if (tpi_play_try_double(bench, mistake) || tpi_play_try_rename(bench, mistake) ||
        tpi_play_try_names(bench, mistake)) {
        return true;
    }
    if (has_company(bench, mistake) && tpi_play_try_orders(bench, mistake)) {
        return true;
    }
    if (try_closing(bench, mistake)) {
        return true;
    }
    if (offers(trouble) && tpi_play_try_word(bench, mistake, trouble->fix)) {
        trouble->removes = !had_fix;
        tell_comma(bench, mistake);
        return true;
    }
    const bool is_sign = !is_of_word(trouble->word[0]);
    if (try_whole(bench, mistake, trouble->fix) || try_steps(bench, mistake) ||
        (is_sign && had_fix && try_without(bench, mistake)) ||
        (trouble->is_grammar && tpi_play_try_orders(bench, mistake)) ||
        tpi_play_try_missing(bench, mistake) || tpi_play_try_values(bench, mistake) ||
        tpi_play_try_beginnings(bench, mistake)) {
        return true;
    }
    const bool is_rest = strncmp(trouble->text, "nothing more", 12) == 0;
    if (is_rest && try_without(bench, mistake)) {
        return true;
    }
    take_back(trouble);
    return false;
}

/* ---- All mistakes ---- */

/* Mistakes that vanish with another one are not told. */
static void drop_followers(tpi_play_bench *bench, unsigned tried)
{
    tpi_play_troubles *told = bench->told;
    const unsigned count = tpi_play_trouble_count(told);
    bool is_dropped[TPI_PLAY_MOST_TROUBLES] = {false};
    unsigned kept = 0;

    for (unsigned i = 0; i < tried; i++) {
        for (unsigned n = 0; bench->is_right[i] && !is_dropped[i] && n < count; n++) {
            const bool is_mutual =
                n < i && bench->is_right[n] && bench->is_gone[n][i] && !is_dropped[n];
            is_dropped[n] |= n != i && bench->is_gone[i][n] && !is_mutual;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        if (!is_dropped[i]) {
            told->list[kept++] = told->list[i];
        }
    }
    told->count -= count - kept;
    tpi_play_troubles_sort(told); /* marks may have moved */
}

void tpi_play_repair(tpi_play_troubles *troubles, const char *text, size_t length,
                     const tpi_vocabulary *vocabulary)
{
    const unsigned count = tpi_play_trouble_count(troubles);
    const unsigned most = length <= MOST_LENGTH && troubles->count <= TPI_PLAY_MOST_TROUBLES
                              ? TPI_PLAY_MOST_TRIED
                              : 0;
    const unsigned tried = count < most ? count : most;
    tpi_play_bench *bench = calloc(1, sizeof *bench);
    tpi_play_troubles *found = calloc(1, sizeof *found);

    if (bench != NULL && found != NULL) {
        *bench = (tpi_play_bench){.text = text,
                                  .end = text + length,
                                  .vocabulary = vocabulary,
                                  .told = troubles,
                                  .found = found,
                                  .work = MOST_WORK};
        for (unsigned i = 0; i < tried; i++) {
            bench->is_right[i] = try_all(bench, i);
        }
        for (unsigned i = tried; i < count; i++) {
            take_back(&troubles->list[i]);
        }
        drop_followers(bench, tried);
        tpi_buf_fini(&bench->tried);
    }
    free(found);
    free(bench);
}
