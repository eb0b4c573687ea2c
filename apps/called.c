/* called.c - what the user types to call this program; see called.h. */
#include "called.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 512 }; /* what is longer helps nobody */

static const char usual[] = "troupe";
static char chosen[LONGEST];

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

void called_set(const char *program, const char *command)
{
    const char *typed = command != NULL && command[0] != '\0' ? command : program;
    tpi_buf text = {0};

    chosen[0] = '\0';
    if (typed == NULL || typed[0] == '\0' || !is_printable(typed)) {
        return;
    }
    if (is_plain(typed)) {
        tpi_buf_puts(&text, typed);
    } else {
        put_quoted(&text, typed);
    }
    if (!text.failed && text.length < sizeof chosen) {
        memcpy(chosen, tpi_buf_text(&text), text.length + 1);
    }
    tpi_buf_fini(&text);
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
