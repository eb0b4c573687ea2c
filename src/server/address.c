/* address.c - device addresses as configurations write them. */
#include "server/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cut the part behind the last colon off `rest` into `part`; false if it is too long. */
static bool cut_part(char *rest, char part[TPI_ADDRESS_PART])
{
    char *colon = strrchr(rest, ':');
    const char *from = colon == NULL ? rest : colon + 1;

    if (strlen(from) >= TPI_ADDRESS_PART) {
        return false;
    }
    memcpy(part, from, strlen(from) + 1);
    *(colon == NULL ? rest : colon) = '\0';
    return true;
}

/* An empty number is 0. */
static bool read_number(const char *text, unsigned most, unsigned *value)
{
    char *end = NULL;
    const unsigned long number = strtoul(text, &end, 10);

    *value = (unsigned)number;
    return *end == '\0' && text[0] != '-' && text[0] != '+' && number <= most;
}

static size_t count_colons(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++) {
        count += *text == ':';
    }
    return count;
}

tp_status tpi_devaddr_parse(tpi_devaddr_text *out, const char *text, tp_error *err)
{
    char rest[4 * TPI_ADDRESS_PART + 4];
    char number[TPI_ADDRESS_PART];
    size_t length = strlen(text += strspn(text, " \t")); /* files of Player have such blanks */

    while (length > 0 && strchr(" \t", text[length - 1]) != NULL) {
        length--;
    }
    *out = (tpi_devaddr_text){0};
    if (length >= sizeof rest) {
        return tp_fail(err, TP_E_SYNTAX, "the address \"%.40s...\" is too long", text);
    }
    memcpy(rest, text, length);
    rest[length] = '\0';
    const size_t colons = count_colons(rest); /* parts may be empty, so they cannot tell */
    if (colons == 0 || !cut_part(rest, number) || number[0] == '\0' ||
        !read_number(number, UINT16_MAX, &out->index) || !cut_part(rest, out->interface) ||
        out->interface[0] == '\0') {
        return tp_fail(err, TP_E_SYNTAX,
                       "\"%s\" is no device address: [[[key:]host:]robot:]interface:index", text);
    }
    if (colons > 1) {
        out->has_robot = cut_part(rest, number) && number[0] != '\0';
        if (!read_number(number, 65535, &out->robot)) {
            return tp_fail(err, TP_E_SYNTAX, "\"%s\": \"%s\" is no port", text, number);
        }
    }
    if (!cut_part(rest, out->host) || !cut_part(rest, out->key) || colons > 4) {
        return tp_fail(err, TP_E_SYNTAX, "\"%s\" has too many parts", text);
    }
    return TP_OK;
}
