/* blocks_text.c - whether the texts of blocks are what they stand for: names, numbers, units,
 * classes. */
#include <string.h>

#include "base/text.h"
#include "play/blocks.h"

static bool is_word(const char *text)
{
    const size_t length = strlen(text);

    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        const bool is_digit = c >= '0' && c <= '9';
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0 ||
              (is_digit && i > 0))) {
            return false;
        }
    }
    return length > 0 && length <= TPI_PLAY_MOST_NAME;
}

static bool is_number(const char *text)
{
    const size_t whole = strspn(text, "0123456789");
    const size_t rest = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;

    return whole > 0 && (text[whole] == '\0' || (rest > 0 && text[whole + 1 + rest] == '\0')) &&
           strlen(text) < 60;
}

bool tpi_play_block_is_unit(const char *text, const tpi_play_words *words)
{
    char part[TPI_PLAY_MOST_NAME + 1] = {0};
    const size_t length = strcspn(text, "/");

    if (strcmp(text, "%") == 0) {
        return true;
    }
    if (length > TPI_PLAY_MOST_NAME) {
        return false;
    }
    memcpy(part, text, length);
    return is_word(part) && !tpi_play_words_have(words, part) &&
           (text[length] == '\0' || is_word(text + length + 1));
}

/* Words with single blanks between them, a - between letters. */
static bool is_class(const char *text, const tpi_play_words *words)
{
    char part[TPI_PLAY_MOST_NAME + 1];
    bool is_first = true;
    const char *number = tpi_play_words_of(words, TPI_PLAY_DEVICE_STATEMENT, "number");

    for (;;) {
        const size_t length = strcspn(text, " -");
        memset(part, 0, sizeof part);
        if (length > TPI_PLAY_MOST_NAME) {
            return false;
        }
        memcpy(part, text, length);
        if (!is_word(part) ||
            (!is_first && (strcmp(part, "number") == 0 || strcmp(part, number) == 0))) {
            return false;
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
        is_first = false;
    }
}

static bool is_operator(const char *text)
{
    static const char *const list[] = {"or", "and", "=", "<>", "<", "<=",  ">",
                                       ">=", "+",   "-", "*",  "/", "mod", NULL};

    return tpi_text_among(list, text);
}

/* Whether the text of a slot or expression is of its type. */
bool tpi_play_block_fits(const char *type, const char *text, const tpi_play_words *words)
{
    if (strcmp(type, "number") == 0) {
        return is_number(text);
    }
    if (strcmp(type, "text") == 0) {
        return true;
    }
    if (strcmp(type, "truth") == 0) {
        return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    }
    if (strcmp(type, "operator") == 0) {
        return is_operator(text);
    }
    if (strcmp(type, "class") == 0) {
        return is_class(text, words);
    }
    if (strcmp(type, "command") == 0) {
        return is_word(text) && (!tpi_play_words_have(words, text) || tpi_play_is_reserved(text));
    }
    return is_word(text) && !tpi_play_words_have(words, text);
}
