/* lex.c - the words of a .padi file. */
#include "padi/lex.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

tp_status tpi_lexer_fail(const tpi_lexer *lexer, const tpi_token *at, tp_error *err,
                         const char *format, ...)
{
    char reason[192];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return tp_fail(err, TP_E_SYNTAX, "%s:%u:%u: %s", lexer->file, at->line, at->column, reason);
}

static tp_status no_memory(const tpi_lexer *lexer, tp_error *err)
{
    return tp_fail(err, TP_E_NOMEM, "%s: out of memory", lexer->file);
}

static bool at_end(const tpi_lexer *lexer)
{
    return lexer->at == lexer->length;
}

static char current(const tpi_lexer *lexer)
{
    return at_end(lexer) ? '\0' : lexer->text[lexer->at];
}

static void step(tpi_lexer *lexer)
{
    if (current(lexer) == '\n') {
        lexer->line++;
        lexer->column = 0;
    }
    lexer->at++;
    lexer->column++;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_mark(char c)
{
    return c != '\0' && strchr("()[]{}=", c) != NULL;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("_/%^*.|-+>", c) != NULL);
}

static void skip_blank(tpi_lexer *lexer)
{
    while (!at_end(lexer)) {
        if (current(lexer) == '#') {
            while (!at_end(lexer) && current(lexer) != '\n') {
                step(lexer);
            }
        } else if (is_space(current(lexer))) {
            step(lexer);
        } else {
            return;
        }
    }
}

static tp_status keep(tpi_lexer *lexer, tpi_token_kind kind, const char *text, size_t length,
                      tp_error *err)
{
    lexer->token.kind = kind;
    lexer->token.text = tpi_arena_text(lexer->arena, text, length);
    return lexer->token.text == NULL ? no_memory(lexer, err) : TP_OK;
}

/* One character of a string, escapes resolved; how many bytes it takes in the file. */
static size_t string_step(const tpi_lexer *lexer, size_t *skip)
{
    const char *at = lexer->text + lexer->at;
    const size_t left = lexer->length - lexer->at;

    *skip = 0;
    if (at[0] == '\\') {
        *skip = 1;
        return left > 1 && (at[1] == '"' || at[1] == '\\') ? 1 : 0;
    }
    return (unsigned char)at[0] < 0x20 || at[0] == 0x7f ? 0 : tpi_utf8_length(at, left);
}

static tp_status read_string(tpi_lexer *lexer, tp_error *err)
{
    tpi_buf text = {0};
    tp_status status = TP_OK;

    step(lexer);
    while (status == TP_OK && current(lexer) != '"') {
        size_t skip;
        size_t length;
        if (at_end(lexer) || current(lexer) == '\n') {
            status = tpi_lexer_fail(lexer, &lexer->token, err, "the string has no closing quote");
            break;
        }
        length = string_step(lexer, &skip);
        if (length == 0) {
            tpi_token here = {.line = lexer->line, .column = lexer->column};
            status = tpi_lexer_fail(lexer, &here, err,
                                    "a string holds UTF-8 text with \\\" and \\\\ only");
            break;
        }
        tpi_buf_put(&text, lexer->text + lexer->at + skip, length);
        lexer->at += skip + length;
        lexer->column += 1 + (unsigned)skip;
    }
    if (status == TP_OK) {
        step(lexer);
        status = text.failed ? no_memory(lexer, err)
                             : keep(lexer, TPI_TOKEN_STRING, tpi_buf_text(&text), text.length, err);
    }
    tpi_buf_fini(&text);
    return status;
}

tp_status tpi_lexer_next(tpi_lexer *lexer, tp_error *err)
{
    skip_blank(lexer);
    lexer->token = (tpi_token){.line = lexer->line, .column = lexer->column, .text = ""};
    const size_t start = lexer->at;
    const char c = current(lexer);

    if (at_end(lexer)) {
        return TP_OK;
    }
    if (c == '"') {
        return read_string(lexer, err);
    }
    if (is_mark(c)) {
        step(lexer);
        return keep(lexer, TPI_TOKEN_MARK, lexer->text + start, 1, err);
    }
    while (is_word(current(lexer))) {
        step(lexer);
    }
    if (lexer->at > start) {
        return keep(lexer, TPI_TOKEN_WORD, lexer->text + start, lexer->at - start, err);
    }
    if ((unsigned char)c > 0x20 && (unsigned char)c < 0x7f) {
        return tpi_lexer_fail(lexer, &lexer->token, err, "'%c' is out of place", c);
    }
    return tpi_lexer_fail(lexer, &lexer->token, err, "byte %u is out of place", (unsigned char)c);
}

tp_status tpi_lexer_init(tpi_lexer *lexer, const char *file, const char *text, size_t length,
                         tpi_arena *arena, tp_error *err)
{
    *lexer = (tpi_lexer){
        .file = file, .text = text, .length = length, .line = 1, .column = 1, .arena = arena};
    return tpi_lexer_next(lexer, err);
}
