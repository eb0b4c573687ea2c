/* parse_order.c - lines whose words stand in another order, and lines of another language. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "play/parse.h"
#include "play/units.h"

enum { MOST_ITEMS = 8, MOST_ATOMS = 3, MOST_TOKENS = 24 };

/* ---- Words in another order ---- */

/* Tokens that fill a slot together: a number with its unit, a text, a name, a class. */
struct atom {
    const tpi_play_token *from;
    unsigned count;
};

/* A line: the items of its shape behind the first word, and what stands there. */
struct line {
    unsigned item_count, atom_count, slot_count;
    tpi_play_item items[MOST_ITEMS];
    struct atom atoms[MOST_ATOMS];
    const tpi_play_token *words[MOST_ITEMS]; /* by item: the word where it stands */
    int behind[MOST_ATOMS];                  /* by atom: the item of the word before it; -1: none */
};

/* The items of a shape up to its body; what may be left out is. */
static bool read_shape(struct line *line, tpi_play_kind kind)
{
    const char *shape = tpi_play_statement_of(kind)->shape;
    unsigned slot = 0, depth = 0;
    tpi_play_item item;

    tpi_play_item_next(&shape, &slot, &item);
    while (tpi_play_item_next(&shape, &slot, &item) && item.sort != '{') {
        depth += item.sort == '[';
        if (item.sort == 'w' && line->item_count == 0 && depth == 0) {
            return false; /* two words in front: the order of the rest is free of doubt */
        }
        if (depth == 0) {
            if (line->item_count == MOST_ITEMS || strchr("w<@%", item.sort) == NULL) {
                return false;
            }
            line->slot_count += item.sort != 'w';
            line->items[line->item_count++] = item;
        }
        depth -= item.sort == ']';
    }
    return line->item_count > line->slot_count && line->slot_count <= MOST_ATOMS;
}

/* How many tokens the value or name has that begins here; 0 if it is something else. */
static unsigned length_of(const tpi_play_token *token)
{
    const bool is_word = token->kind == TPI_PLAY_T_WORD;
    const bool has_class = is_word && token->text[0] >= 'A' && token->text[0] <= 'Z';

    if (token->kind == TPI_PLAY_T_NUMBER) {
        return token[1].kind == TPI_PLAY_T_UNIT && tpi_play_unit_known(token[1].text) ? 2 : 1;
    }
    if (token->kind == TPI_PLAY_T_UNIT) {
        return 1; /* a name behind a number */
    }
    if (has_class && token[1].kind == TPI_PLAY_T_WORD && !tpi_play_is_reserved(token[1].text)) {
        return 2; /* Light Sensor */
    }
    return token->kind == TPI_PLAY_T_STRING || (is_word && !tpi_play_is_reserved(token->text));
}

static int item_of(const struct line *line, const tpi_play_token *token)
{
    for (unsigned i = 0; token->kind == TPI_PLAY_T_WORD && i < line->item_count; i++) {
        if (line->items[i].sort == 'w' && line->words[i] == NULL &&
            strcmp(line->items[i].text, token->text) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Take the tokens of the line apart. False if there is more or less than the shape needs. */
static bool read_line(struct line *line, const tpi_play_token *token)
{
    int last = -1;
    unsigned words = 0;

    while (!tpi_play_ends(token)) {
        const int item = item_of(line, token);
        if (item >= 0) {
            line->words[item] = token++;
            last = item;
            words++;
            continue;
        }
        const unsigned length = length_of(token);
        if (length == 0 || line->atom_count == line->slot_count) {
            return false;
        }
        line->behind[line->atom_count] = last;
        line->atoms[line->atom_count++] = (struct atom){token, length};
        token += length;
        last = -1;
    }
    return line->atom_count == line->slot_count && words == line->item_count - line->slot_count;
}

static bool fits(const tpi_play_item *item, const struct atom *atom)
{
    const bool is_word = atom->from->kind == TPI_PLAY_T_WORD || atom->from->kind == TPI_PLAY_T_UNIT;

    return item->sort == '@' ? is_word && atom->count == 1 : item->sort == '%' ? is_word : true;
}

/* Which atom fills which item: those behind their word first, else in any order that fits. */
static bool arrange(const struct line *line, bool keeps, const struct atom *by_item[MOST_ITEMS])
{
    bool is_used[MOST_ATOMS] = {false};

    memset(by_item, 0, MOST_ITEMS * sizeof by_item[0]);
    for (unsigned a = 0; keeps && a < line->atom_count; a++) {
        const unsigned item = (unsigned)(line->behind[a] + 1);
        if (item > 0 && item < line->item_count && line->items[item].sort != 'w') {
            by_item[item] = &line->atoms[a];
            is_used[a] = true;
        }
    }
    for (unsigned i = 0; i < line->item_count; i++) {
        for (unsigned a = 0; by_item[i] == NULL && a < line->atom_count; a++) {
            if (line->items[i].sort != 'w' && !is_used[a] &&
                fits(&line->items[i], &line->atoms[a])) {
                by_item[i] = &line->atoms[a];
                is_used[a] = true;
            }
        }
        if (line->items[i].sort != 'w' &&
            (by_item[i] == NULL || !fits(&line->items[i], by_item[i]))) {
            return false;
        }
    }
    return true;
}

/* Put the tokens into their order; the text of them behind the first word. */
static void reorder(tpi_play_token *first, const struct line *line,
                    const struct atom *const by_item[MOST_ITEMS], tpi_buf *text)
{
    tpi_play_token sorted[MOST_TOKENS];
    unsigned count = 0;

    for (unsigned i = 0; i < line->item_count; i++) {
        const tpi_play_token *from = by_item[i] != NULL ? by_item[i]->from : line->words[i];
        const unsigned length = by_item[i] != NULL ? by_item[i]->count : 1;
        for (unsigned n = 0; n < length && count < MOST_TOKENS; n++) {
            const char *quote = from[n].kind == TPI_PLAY_T_STRING ? "\"" : "";
            tpi_buf_printf(text, "%s%s%.40s%s",
                           from[n].kind == TPI_PLAY_T_UNIT && from[n].is_attached ? "" : " ", quote,
                           from[n].text, quote);
            sorted[count] = from[n];
            if (n == 0 && from[n].kind == TPI_PLAY_T_UNIT) {
                sorted[count].kind = TPI_PLAY_T_WORD;
            }
            count++;
        }
    }
    memcpy(first, sorted, count * sizeof *sorted);
}

/* Whether the line cannot be right: a word of the shape stands where a value or name must, or a
 * class stands where its name must. */
static bool is_disordered(const struct line *line, const tpi_play_token *token, tpi_play_kind kind)
{
    return item_of(line, token) >= 0 || (kind == TPI_PLAY_DEVICE_STATEMENT &&
                                         token->kind == TPI_PLAY_T_WORD && length_of(token) == 2);
}

void tpi_play_guess_order(tpi_play_parser *parser, tpi_play_kind kind)
{
    tpi_play_token *token = &parser->tokens.list[parser->at];
    struct line line = {0};
    const struct atom *by_item[MOST_ITEMS];
    tpi_buf text = {0};

    if (token->kind != TPI_PLAY_T_WORD || tpi_play_ends(&token[1]) || !read_shape(&line, kind) ||
        !is_disordered(&line, &token[1], kind) || !read_line(&line, &token[1]) ||
        (!arrange(&line, true, by_item) && !arrange(&line, false, by_item))) {
        return;
    }
    const tpi_play_token wrong = token[1];
    tpi_buf_puts(&text, token->text);
    reorder(token + 1, &line, (const struct atom *const *)by_item, &text);
    (void)snprintf(tpi_play_trouble_add(parser->troubles, wrong.line, wrong.column, wrong.width,
                                        wrong.text, "the words stand in another order")
                       ->whole,
                   100, "%s", tpi_buf_text(&text));
    parser->troubles->no_memory |= text.failed;
    tpi_buf_fini(&text);
}

/* Append tokens as they stand on their line. */
static void put_tokens(tpi_buf *text, const tpi_play_token *from, const tpi_play_token *end)
{
    for (const tpi_play_token *t = from; t < end; t++) {
        tpi_buf_printf(text, "%s%s", t->is_attached ? "" : " ", t->source);
    }
}

/* Offer a statement for a line whose words stand in another order. */
static void offer_order(tpi_play_parser *parser, tpi_play_trouble *trouble, tpi_buf *text)
{
    if (text->length < sizeof trouble->whole) {
        (void)snprintf(trouble->whole, sizeof trouble->whole, "%s", tpi_buf_text(text));
    }
    parser->troubles->no_memory |= text->failed;
    tpi_buf_fini(text);
}

bool tpi_play_guess_swapped(tpi_play_parser *parser, const char *wanted)
{
    const tpi_play_token *token = tpi_play_peek(parser), *name = token - 1, *joint = token;
    tpi_buf text = {0};

    if (parser->at < 2 || name->kind != TPI_PLAY_T_WORD || token->kind != TPI_PLAY_T_SYMBOL ||
        strpbrk(token->text, "+-*/") == NULL) {
        return false;
    }
    while (!tpi_play_ends(joint) && !tpi_play_is_word(joint, wanted)) {
        joint++;
    }
    if (tpi_play_ends(joint) || joint[1].kind != TPI_PLAY_T_WORD ||
        tpi_play_is_reserved(joint[1].text) || !tpi_play_ends(&joint[2])) {
        return false;
    }
    tpi_buf_printf(&text, "%s %s %s", name[-1].source, joint[1].source, joint->source);
    put_tokens(&text, name, joint);
    offer_order(parser, tpi_play_mark(parser, name, name, "the words stand in another order"),
                &text);
    return true;
}

void tpi_play_guess_branch(tpi_play_parser *parser)
{
    tpi_play_token *token = &parser->tokens.list[parser->at];
    const tpi_play_token *end = token;
    tpi_buf text = {0};

    if (!tpi_play_is_word(token, "if") || !tpi_play_is_word(&token[1], "else")) {
        return;
    }
    tpi_play_trouble *trouble =
        tpi_play_trouble_add(parser->troubles, token->line, token->column, token->width,
                             token->source, "the words stand in another order");
    tpi_buf_printf(&text, "%s %s", token[1].source, token->source);
    while (!tpi_play_ends(end)) {
        end++;
    }
    put_tokens(&text, token + 2, end);
    offer_order(parser, trouble, &text);
    token[0].text = "else";
    token[1].text = "if";
}

/* ---- Words of another language ---- */

/* The language, other than that of the program, in which a statement begins with this word. */
static const tpi_play_lang *lang_of(const tpi_play_parser *parser, const char *word)
{
    for (unsigned i = 1; tpi_play_lang_at(i) != NULL; i++) {
        const tpi_play_lang *lang = tpi_play_lang_at(i);
        if (lang != parser->words->lang && tpi_play_begins_statement(lang, word)) {
            return lang;
        }
    }
    return NULL;
}

/* Whether no line begins with a statement of the program's own language. */
static bool is_whole(const tpi_play_parser *parser)
{
    const tpi_play_token *list = parser->tokens.list;

    for (unsigned i = 0; i < parser->tokens.count; i++) {
        if ((i == 0 || list[i - 1].kind == TPI_PLAY_T_LINE_END) &&
            list[i].kind == TPI_PLAY_T_WORD &&
            tpi_play_begins_statement(tpi_play_lang_at(0), list[i].text)) {
            return false;
        }
    }
    return true;
}

/* Read the line, or all that follows, in a language. */
static bool translate_rest(tpi_play_parser *parser, const tpi_play_words *words, bool is_all)
{
    tpi_arena *arena = &parser->tree->arena;
    tpi_play_token *list = parser->tokens.list;
    unsigned end = parser->at;

    while (end < parser->tokens.count && (is_all || list[end].kind != TPI_PLAY_T_LINE_END)) {
        end++;
    }
    tpi_play_tokens part = {.count = end - parser->at, .list = list + parser->at};
    for (unsigned i = 0; i < part.count; i++) {
        if (part.list[i].kind == TPI_PLAY_T_UNIT && tpi_play_words_have(words, part.list[i].text)) {
            part.list[i].kind = TPI_PLAY_T_WORD; /* `4 fois` */
        }
    }
    if (!tpi_play_translate(&part, words, arena)) {
        return false;
    }
    const unsigned left = parser->tokens.count - end, before = parser->at;
    tpi_play_token *all = tpi_arena_array(arena, (size_t)before + part.count + left, sizeof *all);
    if (all == NULL) {
        return false;
    }
    memcpy(all, list, before * sizeof *all);
    memcpy(all + before, part.list, part.count * sizeof *all);
    memcpy(all + before + part.count, list + end, left * sizeof *all);
    parser->tokens = (tpi_play_tokens){.count = before + part.count + left, .list = all};
    return true;
}

bool tpi_play_guess_lang(tpi_play_parser *parser)
{
    const tpi_play_token token = *tpi_play_peek(parser);
    const tpi_play_lang *lang = lang_of(parser, token.text);
    const bool is_all = lang != NULL && parser->words->count == 0 && is_whole(parser);
    tpi_play_words words;

    if (lang == NULL || (!is_all && strlen(token.text) <= 3)) {
        return false; /* a short word is rather a mistyped one */
    }
    tpi_play_words_init(&words, lang);
    if (!translate_rest(parser, &words, is_all)) {
        parser->troubles->no_memory = parser->is_lost = true;
        return true;
    }
    const char *name = strcmp(lang->name, "de") == 0 ? "German" : "French";
    const char *here = tpi_play_peek(parser)->text;
    if (parser->words->count > 0) {
        (void)snprintf(tpi_play_trouble_add(parser->troubles, token.line, token.column, token.width,
                                            token.text, "a %s word", name)
                           ->fix,
                       16, "%.15s", here);
    } else {
        tpi_play_trouble_add(parser->troubles, token.line, token.column, token.width, token.text,
                             "a %s word: write `lang %s` as the first line, or `%s`", name,
                             lang->name, here);
    }
    return true;
}
