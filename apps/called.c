/* called.c - what the user types to call this program; see called.h. */
#include "called.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 512 }; /* what is longer helps nobody */

static const char usual[] = "troupe";
static char chosen[LONGEST];
static char server[LONGEST];

/* What a shell takes as it is. */
static bool is_plain(const char *text)
{
    for (; *text != '\0'; text++) {
        if (isalnum((unsigned char)*text) == 0 && strchr("_-./+:@%,", *text) == NULL) {
            return false;
        }
    }
    return true;
}

/* In single quotation marks; one of those within it ends them, stands alone, and begins them
 * again. */
static void put_quoted(tpi_buf *out, const char *text)
{
    tpi_buf_putc(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            tpi_buf_puts(out, "'\\''");
        } else {
            tpi_buf_putc(out, *text);
        }
    }
    tpi_buf_putc(out, '\'');
}

static bool is_printable(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == '\x7f') {
            return false;
        }
    }
    return true;
}

/* Write a word as a shell takes it, behind `before`; nothing if it cannot be typed. */
static void quote(char *out, const char *before, const char *word)
{
    tpi_buf text = {0};

    out[0] = '\0';
    if (word == NULL || word[0] == '\0' || !is_printable(word)) {
        return;
    }
    tpi_buf_puts(&text, before);
    if (is_plain(word)) {
        tpi_buf_puts(&text, word);
    } else {
        put_quoted(&text, word);
    }
    if (!text.failed && text.length < LONGEST) {
        memcpy(out, tpi_buf_text(&text), text.length + 1);
    }
    tpi_buf_fini(&text);
}

void called_set(const char *program, const char *command)
{
    quote(chosen, "", command != NULL && command[0] != '\0' ? command : program);
}

void called_set_server(const char *url)
{
    quote(server, " ", url);
}

const char *called_server(void)
{
    return server;
}

const char *called(void)
{
    return chosen[0] != '\0' ? chosen : usual;
}

void called_put(tpi_buf *out, const char *text)
{
    const size_t length = sizeof usual - 1;

    for (const char *at = text; *at != '\0';) {
        const bool begins = at == text || at[-1] == ' ' || at[-1] == '\n';
        if (begins && strncmp(at, usual, length) == 0 && at[length] == ' ') {
            tpi_buf_puts(out, called());
            at += length;
        } else {
            tpi_buf_putc(out, *at++);
        }
    }
}

const char *called_program(void)
{
    static char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    path[length > 0 ? length : 0] = '\0';
    return length > 0 ? path : NULL;
}
