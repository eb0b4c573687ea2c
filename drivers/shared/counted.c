/* counted.c - texts in messages; see counted.h. */
#include "counted.h"

#include <string.h>

uint32_t tpi_counted_size(const char *text)
{
    return (uint32_t)strlen(text) + 1;
}

static size_t length_of(const char *chars, uint32_t count)
{
    const char *end = count == 0 ? NULL : memchr(chars, '\0', count);

    return end == NULL ? count : (size_t)(end - chars);
}

bool tpi_counted_is(const char *chars, uint32_t count, const char *text)
{
    const size_t length = length_of(chars, count);

    return length == strlen(text) && (length == 0 || memcmp(chars, text, length) == 0);
}

bool tpi_counted_copy(char *to, size_t size, const char *chars, uint32_t count)
{
    const size_t length = length_of(chars, count);
    const size_t kept = length < size ? length : size - 1;

    if (kept > 0) {
        memcpy(to, chars, kept);
    }
    to[kept] = '\0';
    return kept == length;
}
