/* text.c - pieces of C text that the emitters share. */
#include <ctype.h>
#include <string.h>

#include "padi/gen/gen.h"

enum { LINE_WIDTH = 100 };

void gen_upper(tpi_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        tpi_buf_putc(out, (char)toupper((unsigned char)*text));
    }
}

/* The length of the word at `text`, with the blanks before it skipped. */
static size_t next_word(const char **text)
{
    *text += strspn(*text, " ");
    return strcspn(*text, " ");
}

static void put_word(tpi_buf *out, const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        tpi_buf_putc(out, word[i]);
        if (i + 1 < length &&
            ((word[i] == '*' && word[i + 1] == '/') || (word[i] == '/' && word[i + 1] == '*'))) {
            tpi_buf_putc(out, ' ');
        }
    }
}

void gen_comment(tpi_buf *out, size_t indent, const char *text)
{
    size_t column = indent + 2;
    size_t length;

    tpi_buf_indent(out, indent);
    tpi_buf_puts(out, "/*");
    while ((length = next_word(&text)) > 0) {
        if (column + 1 + length + 3 > LINE_WIDTH) {
            tpi_buf_putc(out, '\n');
            tpi_buf_indent(out, indent);
            tpi_buf_puts(out, " *");
            column = indent + 2;
        }
        tpi_buf_putc(out, ' ');
        put_word(out, text, length);
        column += 1 + length;
        text += length;
    }
    tpi_buf_puts(out, " */\n");
}

void gen_string(tpi_buf *out, const char *text)
{
    tpi_buf_putc(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\' || *text == '?') {
            tpi_buf_putc(out, '\\'); /* \? keeps trigraphs away */
        }
        tpi_buf_putc(out, *text);
    }
    tpi_buf_putc(out, '"');
}

void gen_type(tpi_buf *out, const tp_field *field)
{
    static const char *const names[] = {
        [TP_TYPE_U8] = "uint8_t",  [TP_TYPE_I8] = "int8_t",    [TP_TYPE_U16] = "uint16_t",
        [TP_TYPE_I16] = "int16_t", [TP_TYPE_U32] = "uint32_t", [TP_TYPE_I32] = "int32_t",
        [TP_TYPE_I64] = "int64_t", [TP_TYPE_F32] = "float",    [TP_TYPE_F64] = "double",
        [TP_TYPE_CHAR] = "char",
    };

    if (field->type == TP_TYPE_STRUCT) {
        tpi_buf_printf(out, "tp_%s", field->of->name);
    } else {
        tpi_buf_puts(out, names[field->type]);
    }
}

void gen_operation(tpi_buf *out, const tp_message *message)
{
    tpi_buf_puts(out, message->kind == TP_KIND_COMMAND ? "cmd_" : "req_");
    for (const char *c = message->name; *c != '\0'; c++) {
        tpi_buf_putc(out, (char)tolower((unsigned char)*c));
    }
}

bool gen_has_operation(const tp_message *message)
{
    return message->kind == TP_KIND_COMMAND || message->kind == TP_KIND_REQUEST;
}

bool gen_has_operations(const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        if (gen_has_operation(&interface->messages[i])) {
            return true;
        }
    }
    return false;
}
