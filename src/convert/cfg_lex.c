/* cfg_lex.c - the words of a configuration file. */
#include "convert/cfg_lex.h"

#include <string.h>

#include "base/text.h"

static bool at_end(const tpi_cfg_lexer *lexer)
{
    return lexer->at == lexer->length;
}

/* The character `ahead` of the current one; NUL behind the end. */
static char peek(const tpi_cfg_lexer *lexer, size_t ahead)
{
    if (lexer->length - lexer->at <= ahead) {
        return '\0';
    }
    return lexer->text[lexer->at + ahead];
}

static char current(const tpi_cfg_lexer *lexer)
{
    return peek(lexer, 0);
}

/* Lines end in LF, CR or both; columns count characters as an editor does. */
static void step(tpi_cfg_lexer *lexer)
{
    const char c = current(lexer);

    if (c == '\n' || (c == '\r' && peek(lexer, 1) != '\n')) {
        lexer->here.line++;
        lexer->here.column = 1;
    } else if (((unsigned char)c & 0xc0) != 0x80) {
        lexer->here.column++;
    }
    lexer->at++;
}

static void step_by(tpi_cfg_lexer *lexer, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        step(lexer);
    }
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || is_line_end(c);
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_' || c == ':';
}

static bool begins_number(char c)
{
    return is_digit(c) || c == '+' || c == '-' || c == '.';
}

/* What stands in its place in these files; "" if that is not known. */
static const char *hint_for(const tpi_cfg_lexer *lexer)
{
    const char next = peek(lexer, 1);

    switch (current(lexer)) {
    case '=':
        return ": a value follows its name without it";
    case '{':
    case '}':
        return ": sections stand in ( )";
    case '\'':
        return ": a text stands in \"";
    case '/':
        return next == '/' || next == '*' ? ": a comment begins with #" : "";
    default:
        return "";
    }
}

/* Characters that word processors and PDF files put in place of those of the keyboard. */
static const struct {
    const char *bytes;
    const char *hint;
} look_alikes[] = {
    {"\xe2\x80\x9c", ": a text stands in \""}, /* quotes: double, raised and low */
    {"\xe2\x80\x9d", ": a text stands in \""},
    {"\xe2\x80\x9e", ": a text stands in \""},
    {"\xe2\x80\x98", ": a text stands in \""}, /* single */
    {"\xe2\x80\x99", ": a text stands in \""},
    {"\xe2\x80\x9a", ": a text stands in \""},
    {"\xc2\xab", ": a text stands in \""}, /* pointed */
    {"\xc2\xbb", ": a text stands in \""},
    {"\xe2\x88\x92", ": a minus is -"}, /* the minus sign */
    {"\xe2\x80\x90", ": a minus is -"}, /* hyphens and dashes */
    {"\xe2\x80\x91", ": a minus is -"},
    {"\xe2\x80\x93", ": a minus is -"},
    {"\xe2\x80\x94", ": a minus is -"},
};

static const char *hint_for_look_alike(const char *character, size_t length)
{
    for (size_t i = 0; i < sizeof look_alikes / sizeof look_alikes[0]; i++) {
        if (strlen(look_alikes[i].bytes) == length &&
            memcmp(look_alikes[i].bytes, character, length) == 0) {
            return look_alikes[i].hint;
        }
    }
    return "";
}

/* Whether it cannot be shown: controls, marks of the direction of writing and of the byte order. */
static bool is_unseen(const char *character, size_t length)
{
    const unsigned char *c = (const unsigned char *)character;

    if (length == 2) {
        return c[0] == 0xc2 && c[1] < 0xa0;
    }
    return length == 3 &&
           ((c[0] == 0xe2 && c[1] == 0x80 && (c[2] < 0x90 || c[2] >= 0xa8)) ||
            (c[0] == 0xe2 && c[1] == 0x81 && c[2] >= 0xa0) || (c[0] == 0xef && c[1] == 0xbb));
}

/* What is not ASCII is shown as it is if it can be, and by its first byte otherwise. */
static tp_status strange_out_of_place(const tpi_cfg_lexer *lexer, tp_error *err)
{
    const char *character = lexer->text + lexer->at;
    const size_t length = tpi_utf8_length(character, lexer->length - lexer->at);

    if (length == 2 && memcmp(character, "\xc2\xa0", 2) == 0) {
        return tpi_cfg_fail(&lexer->here, err,
                            "a no-break space is out of place: please type a plain one");
    }
    if (length < 2 || is_unseen(character, length)) {
        return tpi_cfg_fail(&lexer->here, err, "byte %u is out of place",
                            (unsigned)(unsigned char)*character);
    }
    return tpi_cfg_fail(&lexer->here, err, "'%.*s' is out of place%s", (int)length, character,
                        hint_for_look_alike(character, length));
}

static tp_status out_of_place(const tpi_cfg_lexer *lexer, tp_error *err)
{
    const unsigned char c = (unsigned char)current(lexer);

    if (lexer->at == 0 && lexer->length >= 2 &&
        (memcmp(lexer->text, "\xff\xfe", 2) == 0 || memcmp(lexer->text, "\xfe\xff", 2) == 0)) {
        return tpi_cfg_fail(&lexer->here, err, "the file is UTF-16; please save it as UTF-8");
    }
    if (c > 0x20 && c < 0x7f) {
        return tpi_cfg_fail(&lexer->here, err, "'%c' is out of place%s", c, hint_for(lexer));
    }
    return strange_out_of_place(lexer, err);
}

static tp_status keep(tpi_cfg_lexer *lexer, tpi_cfg_token_kind kind, size_t start, size_t end,
                      tp_error *err)
{
    lexer->token.kind = kind;
    lexer->token.text = tpi_arena_text(lexer->arena, lexer->text + start, end - start);
    if (lexer->token.text == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", lexer->here.file);
    }
    return TP_OK;
}

/* Move on to the end of the line or, if it comes first, to the character `stop`. */
static tp_status skip_text(tpi_cfg_lexer *lexer, char stop, tp_error *err)
{
    while (!at_end(lexer) && !is_line_end(current(lexer)) && current(lexer) != stop) {
        if (is_control(current(lexer)) && current(lexer) != '\t') {
            return out_of_place(lexer, err);
        }
        step(lexer);
    }
    return TP_OK;
}

static tp_status skip_blank(tpi_cfg_lexer *lexer, tp_error *err)
{
    tp_status status = TP_OK;

    while (status == TP_OK && !at_end(lexer)) {
        if (current(lexer) == '#') {
            status = skip_text(lexer, '\n', err);
        } else if (is_space(current(lexer))) {
            step(lexer);
        } else {
            break;
        }
    }
    return status;
}

static tp_status read_string(tpi_cfg_lexer *lexer, tp_error *err)
{
    step(lexer);
    const size_t start = lexer->at;
    tp_status status = skip_text(lexer, '"', err);

    if (status != TP_OK) {
        return status;
    }
    if (current(lexer) != '"') {
        return tpi_cfg_fail(&lexer->token.place, err, "the text has no closing quote");
    }
    step(lexer);
    return keep(lexer, TPI_CFG_TOKEN_STRING, start, lexer->at - 1, err);
}

/* The length of an index such as "[0]" here; 0 if there is none. */
static size_t index_length(const tpi_cfg_lexer *lexer)
{
    size_t length = 1;

    if (current(lexer) != '[') {
        return 0;
    }
    while (is_word(peek(lexer, length))) {
        length++;
    }
    return length > 1 && peek(lexer, length) == ']' ? length + 1 : 0;
}

static tp_status read_word(tpi_cfg_lexer *lexer, tp_error *err)
{
    const size_t start = lexer->at;
    size_t length;

    do {
        length = is_word(current(lexer)) ? 1 : index_length(lexer);
        step_by(lexer, length);
    } while (length > 0);
    lexer->word_end = lexer->at;
    return keep(lexer, TPI_CFG_TOKEN_WORD, start, lexer->at, err);
}

/* Everything up to a blank or a mark, so that 1.5m and 10.0.0.1 are refused as a whole. */
static tp_status read_number(tpi_cfg_lexer *lexer, tp_error *err)
{
    const size_t start = lexer->at;

    while (is_word(current(lexer)) || current(lexer) == '+') {
        step(lexer);
    }
    return keep(lexer, TPI_CFG_TOKEN_NUMBER, start, lexer->at, err);
}

static tp_status read_mark(tpi_cfg_lexer *lexer, tp_error *err)
{
    static const char *const marks[] = {"(", ")", "[", "]", ",", ";"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (current(lexer) == marks[i][0]) {
            lexer->token.kind = TPI_CFG_TOKEN_MARK;
            lexer->token.text = marks[i];
            lexer->token.glued = i == 2 && lexer->at > 0 && lexer->word_end == lexer->at;
            step(lexer);
            return TP_OK;
        }
    }
    return out_of_place(lexer, err);
}

tp_status tpi_cfg_lexer_next(tpi_cfg_lexer *lexer, tp_error *err)
{
    tp_status status = skip_blank(lexer, err);

    lexer->token = (tpi_cfg_token){.place = lexer->here, .text = ""};
    if (status != TP_OK || at_end(lexer)) {
        return status;
    }
    if (current(lexer) == '"') {
        return read_string(lexer, err);
    }
    if (is_letter(current(lexer))) {
        return read_word(lexer, err);
    }
    return begins_number(current(lexer)) ? read_number(lexer, err) : read_mark(lexer, err);
}

tp_status tpi_cfg_lexer_init(tpi_cfg_lexer *lexer, const char *file, const char *text,
                             size_t length, tpi_arena *arena, tp_error *err)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";

    *lexer = (tpi_cfg_lexer){
        .text = text, .length = length, .here = {.file = file, .line = 1, .column = 1}};
    lexer->arena = arena;
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        lexer->at = 3;
    }
    return tpi_cfg_lexer_next(lexer, err);
}
