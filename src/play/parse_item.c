/* parse_item.c - tokens and the small parts of statements: names, classes, words. */
#include "play/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "play/meant.h"

/* ---- Tokens ---- */

const tpi_play_token *tpi_play_peek(const tpi_play_parser *parser)
{
    const unsigned last = parser->tokens.count - 1;

    return &parser->tokens.list[parser->at < last ? parser->at : last];
}

bool tpi_play_sees(const tpi_play_parser *parser, const char *text)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    return (token->kind == TPI_PLAY_T_WORD || token->kind == TPI_PLAY_T_SYMBOL) &&
           strcmp(token->text, text) == 0;
}

bool tpi_play_at_line_end(const tpi_play_parser *parser)
{
    const tpi_play_token_kind kind = tpi_play_peek(parser)->kind;

    return kind == TPI_PLAY_T_LINE_END || kind == TPI_PLAY_T_COMMENT;
}

tpi_play_trouble *tpi_play_lose(tpi_play_parser *parser, const char *format, ...)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    char text[200];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    parser->is_lost = true;
    /* At the end of a line the last word of it is marked. */
    if (tpi_play_at_line_end(parser) && parser->at > 0 && token[-1].line == token->line) {
        token--;
    }
    char quoted[64];
    const bool is_text = token->kind == TPI_PLAY_T_STRING;
    (void)snprintf(quoted, sizeof quoted, "\"%.60s\"", is_text ? token->text : "");
    return tpi_play_trouble_add(parser->troubles, token->line, token->column, token->width,
                                is_text ? quoted : token->text, "%s", text);
}

tpi_play_node *tpi_play_node_here(tpi_play_parser *parser, tpi_play_kind kind)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    tpi_play_node *node = tpi_play_node_create(parser->tree, kind);

    if (node == NULL) {
        parser->troubles->no_memory = parser->is_lost = true;
        return NULL;
    }
    node->line = token->line;
    node->column = token->column;
    node->width = token->width;
    return node;
}

/* ---- Items ---- */

/* `2x` as a name. */
static tpi_play_node *lose_number(tpi_play_parser *parser, const tpi_play_token *token)
{
    char word[64];

    snprintf(word, sizeof word, "%.30s%.30s", token->text, token[1].text);
    tpi_play_trouble *trouble =
        tpi_play_trouble_add(parser->troubles, token->line, token->column,
                             token->width + token[1].width, word, "a name begins with a letter");
    snprintf(trouble->fix, sizeof trouble->fix, "%.30s%.30s", token[1].text, token->text);
    parser->is_lost = true;
    return NULL;
}

/* A word of the language where a name must stand: `let end be 5`, or none does: `change by 1`. */
static void lose_reserved(tpi_play_parser *parser, const tpi_play_token *token)
{
    const tpi_play_token *before = token - 1;
    const bool is_first = parser->at > 0 && tpi_play_is_reserved(before->text);
    const char *shape =
        parser->kind < TPI_PLAY_STATEMENTS ? tpi_play_statement_of(parser->kind)->shape : "";
    const char *at = strstr(shape, token->text);
    const size_t length = strlen(token->text);
    const bool is_of_shape = at != NULL && at > shape && at[-1] == ' ' && at[length] == ' ';
    const char *device = strcmp(token->text, "at") == 0 ? tpi_play_only(parser, "device") : NULL;

    if (!is_first || !is_of_shape || tpi_play_is_word(&token[1], token->text)) {
        tpi_play_fix(tpi_play_lose(parser, "this is a word of the language, a name is another one"),
                     "my_", token->source, "");
        return;
    }
    tpi_play_trouble *trouble = tpi_play_lose(parser, "a name is missing before this");
    if (device != NULL) {
        snprintf(trouble->fix, sizeof trouble->fix, "%.60s at", device);
    }
}

tpi_play_node *tpi_play_parse_name(tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if (token->kind == TPI_PLAY_T_BAD) {
        parser->is_lost = true;
        return NULL;
    }
    if (token->kind == TPI_PLAY_T_NUMBER && token[1].is_attached &&
        (token[1].kind == TPI_PLAY_T_UNIT || token[1].kind == TPI_PLAY_T_WORD)) {
        return lose_number(parser, token);
    }
    if (parser->kind == TPI_PLAY_STOP_STATEMENT && tpi_play_sees(parser, "(")) {
        tpi_play_lose(parser, "leave it out: nothing stands in ( ) behind `stop`");
        return NULL;
    }
    if (token->kind != TPI_PLAY_T_WORD) {
        tpi_play_trouble *trouble = tpi_play_lose(
            parser, tpi_play_at_line_end(parser)       ? "a name is missing behind this"
                    : token->kind == TPI_PLAY_T_STRING ? "a name is one word without quotes"
                                                       : "a name is expected here");
        if (token->kind == TPI_PLAY_T_STRING && strpbrk(token->text, " \"\\") == NULL) {
            snprintf(trouble->fix, sizeof trouble->fix, "%.70s", token->text);
        }
        return NULL;
    }
    if ((parser->kind == TPI_PLAY_START_STATEMENT || parser->kind == TPI_PLAY_STOP_STATEMENT) &&
        token[1].kind == TPI_PLAY_T_WORD && tpi_play_sees(parser, "task")) {
        tpi_play_lose(parser, "leave it out: the name of the task is enough");
        return NULL;
    }
    if (tpi_play_is_reserved(token->text)) {
        lose_reserved(parser, token);
        return NULL;
    }
    tpi_play_node *node = tpi_play_node_here(parser, TPI_PLAY_NAME);
    if (node != NULL) {
        node->text = token->text;
        parser->at++;
    }
    return node;
}

/* Whether the results of a command are taken on this line: `be do`. */
static bool takes_results(const tpi_play_token *token)
{
    while (!tpi_play_ends(token) && !tpi_play_is_word(token, "be")) {
        token++;
    }
    return tpi_play_is_word(token, "be") && tpi_play_is_word(&token[1], "do");
}

/* `to f(a b)`: the comma is reported, and taken for there. */
static bool lacks_comma(tpi_play_parser *parser)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if (token->kind != TPI_PLAY_T_WORD || tpi_play_is_reserved(token->text) ||
        !(parser->kind == TPI_PLAY_TO_STATEMENT ||
          (parser->kind == TPI_PLAY_LET_STATEMENT && takes_results(token)))) {
        return false;
    }
    tpi_play_fix(tpi_play_lose(parser, "a comma stands between two of them"), ", ", token->text,
                 "");
    parser->is_lost = false;
    return true;
}

tpi_play_node *tpi_play_parse_names(tpi_play_parser *parser)
{
    tpi_play_node *first = tpi_play_sees(parser, ")") ? NULL : tpi_play_parse_name(parser);
    tpi_play_node *last = first;

    while (last != NULL && (tpi_play_sees(parser, ",") || lacks_comma(parser))) {
        const tpi_play_token *next = tpi_play_peek(parser) + 1;
        if (parser->kind == TPI_PLAY_LET_STATEMENT && next->kind != TPI_PLAY_T_WORD &&
            tpi_play_is_value(next)) {
            return first; /* `let x, 5` */
        }
        if (tpi_play_sees(parser, ",") && tpi_play_is_word(next, ")")) {
            tpi_play_lose(parser, "leave it out: nothing follows");
            return first;
        }
        parser->at += tpi_play_sees(parser, ",");
        last->next = tpi_play_parse_name(parser);
        last = last->next;
    }
    return first;
}

/* A - that stands between two letters. */
static bool joins(const tpi_play_token *token)
{
    return token->kind == TPI_PLAY_T_SYMBOL && strcmp(token->text, "-") == 0 &&
           token->is_attached && token[1].is_attached && token[1].kind == TPI_PLAY_T_WORD;
}

/* One class: words up to a comma, `number`, or the end of the line; a - may join two. */
static tpi_play_node *parse_class(tpi_play_parser *parser)
{
    tpi_play_node *node = tpi_play_node_here(parser, TPI_PLAY_CLASS);
    tpi_buf text = {0};
    const tpi_play_token *token = tpi_play_peek(parser), *last = token;

    for (; token->kind == TPI_PLAY_T_WORD || (text.length > 0 && joins(token));
         last = token, parser->at++, token = tpi_play_peek(parser)) {
        if (text.length > 0 &&
            (tpi_play_sees(parser, "number") || tpi_play_sees(parser, "or") ||
             tpi_play_sees(parser, "and") ||
             (token[1].kind == TPI_PLAY_T_NUMBER && tpi_play_sees_nearly(parser, "number")))) {
            break;
        }
        if (text.length > 0 && !token->is_attached) {
            tpi_buf_putc(&text, ' ');
        }
        tpi_buf_puts(&text, token->source);
    }
    if (text.length == 0 && token->kind == TPI_PLAY_T_STRING && token->text[0] != '\0') {
        (void)snprintf(tpi_play_lose(parser, "leave out the quotes")->fix, 80, "%.70s",
                       token->text);
        parser->is_lost = false;
        tpi_buf_puts(&text, token->text);
        parser->at++;
    }
    if (text.length == 0) {
        if (token->kind != TPI_PLAY_T_BAD) {
            tpi_play_lose(parser, "a class is missing here, such as Light Sensor");
        }
        parser->is_lost = true;
    } else if (node != NULL) {
        node->text = tpi_arena_text(&parser->tree->arena, tpi_buf_text(&text), text.length);
        node->width = last->column + last->width - node->column;
    }
    parser->troubles->no_memory |=
        text.failed || (node != NULL && text.length > 0 && node->text == NULL);
    parser->is_lost |= parser->troubles->no_memory;
    tpi_buf_fini(&text);
    return parser->is_lost ? NULL : node;
}

tpi_play_node *tpi_play_parse_classes(tpi_play_parser *parser)
{
    tpi_play_node *first = parse_class(parser), *last = first;

    while (last != NULL && (tpi_play_sees(parser, ",") || tpi_play_sees(parser, "or") ||
                            tpi_play_sees(parser, "and"))) {
        if (!tpi_play_sees(parser, ",")) {
            strcpy(tpi_play_lose(parser, "a comma stands between two classes")->fix, ",");
            parser->is_lost = false;
        }
        parser->at++;
        last->next = parse_class(parser);
        last = last->next;
    }
    return first;
}

tpi_play_node *tpi_play_parse_literal(tpi_play_parser *parser, tpi_play_token_kind kind,
                                      tpi_play_kind node_kind, const char *what)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if (kind == TPI_PLAY_T_NUMBER && tpi_play_is_word(token, "-") &&
        token[1].kind == TPI_PLAY_T_NUMBER) {
        tpi_play_fix(tpi_play_mark(parser, token, token + 1, "this is never below 0"), "",
                     token[1].text, "");
        return NULL;
    }
    if (token->kind != kind || (kind == TPI_PLAY_T_NUMBER && strchr(token->text, '.') != NULL)) {
        tpi_play_trouble *trouble = tpi_play_lose(parser, "%s is expected here", what);
        const char *number = kind == TPI_PLAY_T_NUMBER && token->kind == TPI_PLAY_T_WORD
                                 ? tpi_play_meant(TPI_PLAY_MEANS_NUMBER, token->text)
                                 : NULL;
        if (number != NULL) {
            strcpy(trouble->fix, number);
        }
        if (kind == TPI_PLAY_T_STRING && token->kind == TPI_PLAY_T_WORD) {
            snprintf(trouble->fix, sizeof trouble->fix, "\"%.70s\"", token->source);
        }
        return NULL;
    }
    tpi_play_node *node = tpi_play_node_here(parser, node_kind);
    if (node != NULL) {
        node->text = token->source;
        parser->at++;
    }
    return node;
}

/* Whether a word is like the wanted one, in English or in the language of the text. */
static bool is_near(const tpi_play_parser *parser, const char *word, const char *wanted)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, word);
    tpi_nearest_offer(&nearest, wanted);
    tpi_nearest_offer(&nearest, tpi_play_words_of(parser->words, parser->kind, wanted));
    return nearest.best != NULL;
}

/* Whether a mistyped word stands where `wanted` can stand. */
bool tpi_play_sees_nearly(const tpi_play_parser *parser, const char *wanted)
{
    const tpi_play_token *token = tpi_play_peek(parser);

    if ((strcmp(wanted, "at") == 0 && strcmp(token->text, "max") == 0) ||
        strcmp(token->text, "then") == 0 || strcmp(token->text, "dann") == 0) {
        return false; /* `max` means both words of `at most`, `then` another statement */
    }
    return (token->kind == TPI_PLAY_T_WORD || token->kind == TPI_PLAY_T_UNIT) && *wanted != ')' &&
           !tpi_play_is_reserved(token->text) && is_near(parser, token->text, wanted);
}

/* Whether a word that joins the parts of another statement stands here: `let x to 5`. */
static bool sees_joint(const tpi_play_parser *parser)
{
    static const char *const joints[] = {"to", "be",   "by",   "is",   "at",  "for",  "into",
                                         "on", "with", "from", "as",   "of",  "than", "in",
                                         "zu", "nach", "bei",  "vers", "sur", "dans", NULL};
    unsigned i = 0;

    while (joints[i] != NULL && !tpi_play_sees(parser, joints[i])) {
        i++;
    }
    return joints[i] != NULL;
}

/* Whether the language has one word for the wanted one and the one behind it. */
static bool is_two_words(const tpi_play_parser *parser, const char *wanted)
{
    const char *word = tpi_play_words_of(parser->words, parser->kind, wanted);
    const char *english = tpi_play_words_english(parser->words, parser->kind, word);

    return english != NULL && strchr(english, ' ') != NULL;
}

/* Whether a value goes on behind a word: `change half eye / 60`. So the word is no mistyped one. */
static bool begins_expression(const tpi_play_parser *parser, const tpi_play_token *token)
{
    static const char *const signs[] = {"+", "*",  "/", "mod", "=", "<>",
                                        "<", "<=", ">", ">=",  NULL};
    const tpi_play_token *next = token + 1;

    return token->kind == TPI_PLAY_T_WORD &&
           (next->kind == TPI_PLAY_T_SYMBOL || next->kind == TPI_PLAY_T_WORD) &&
           (tpi_text_among(signs, next->text) ||
            (tpi_play_is_word(next, "(") && next->is_attached) ||
            (tpi_play_is_word(next, "-") && tpi_play_is_used(parser, token)));
}

/* Take a word or symbol of the shape. A mistyped one is reported and taken. */
void tpi_play_expect(tpi_play_parser *parser, const char *wanted)
{
    const tpi_play_token *token = tpi_play_peek(parser);
    const bool has_second = parser->has_second;

    parser->has_second = false;
    if (has_second || tpi_play_sees(parser, wanted)) {
        parser->at += !has_second;
        return;
    }
    if (token->kind == TPI_PLAY_T_BAD) {
        parser->is_lost = true;
        return;
    }
    if (tpi_play_guess_name(parser, wanted) || tpi_play_guess_word(parser, wanted) ||
        tpi_play_guess_swapped(parser, wanted)) {
        return;
    }
    const bool is_joint = tpi_play_sees(parser, "=") || sees_joint(parser) ||
                          (tpi_play_sees(parser, ",") && tpi_play_is_value(&token[1])) ||
                          (tpi_play_sees(parser, "+") && strcmp(wanted, "by") == 0);
    const bool is_typo =
        (tpi_play_sees_nearly(parser, wanted) && !begins_expression(parser, token)) ||
        (is_joint && wanted[0] >= 'a' && wanted[0] <= 'z') ||
        (strcmp(wanted, "most") == 0 && token->kind == TPI_PLAY_T_WORD);
    const bool is_end = tpi_play_at_line_end(parser);
    tpi_play_trouble *trouble = is_typo ? tpi_play_lose(parser, "another word is expected here")
                                : is_end
                                    ? tpi_play_lose(parser, "`%s` is missing behind this", wanted)
                                    : tpi_play_lose(parser, "`%s` is missing before this", wanted);
    if (is_typo) {
        snprintf(trouble->fix, sizeof trouble->fix, "%s", wanted);
        parser->is_lost = false;
        parser->at++;
        parser->has_second = is_two_words(parser, wanted);
    } else if (is_end && *wanted == ',') {
        strcpy(trouble->text, "a name, a comma and a value stand behind `log`");
        snprintf(trouble->fix, sizeof trouble->fix, "%.30s, %.30s", trouble->word, trouble->word);
    } else {
        const bool is_time = is_end && strcmp(wanted, "for") == 0;
        snprintf(trouble->fix, sizeof trouble->fix, "%.50s%s%.20s%s",
                 is_end ? trouble->word : wanted, *wanted == ')' ? "" : " ",
                 is_end ? wanted : trouble->word, is_time ? " 1 s" : "");
    }
}
