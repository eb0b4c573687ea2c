/* urdf_values.c - numbers and words in the attributes of a URDF file; see urdf.h. */
#include <ctype.h>

#include "base/number.h"
#include "kinematics/urdf.h"

/* No length, mass or angle of a robot is larger. Products of such numbers stay finite. */
#define LARGEST 1e9

static const char blanks[] = " \t\n\r";

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* The length of the exponent at `text`; 0 if there is none. */
static size_t exponent_length(const char *text)
{
    const size_t sign = text[0] != 0 && (text[1] == '+' || text[1] == '-');
    const size_t digits = text[0] == 'e' || text[0] == 'E' ? count_digits(text + 1 + sign) : 0;

    return digits > 0 ? 1 + sign + digits : 0;
}

/* Read a number without its sign as files have it: also ".5", "1." and "007". Returns its length, 0
 * if there is none. */
static size_t read_unsigned(const char *text, double *value)
{
    char plain[80];
    const size_t whole = count_digits(text), dot = text[whole] == '.';
    const size_t part = dot ? count_digits(text + whole + 1) : 0;
    const size_t exponent = exponent_length(text + whole + dot + part);
    size_t zeros = 0, used = 0;

    if (whole + part == 0 || whole + part + exponent > sizeof plain - 3) {
        return 0;
    }
    while (zeros + 1 < whole && text[zeros] == '0') {
        zeros++;
    }
    if (whole == 0) {
        plain[used++] = '0';
    }
    memcpy(plain + used, text + zeros, whole - zeros);
    used += whole - zeros;
    if (part > 0) {
        memcpy(plain + used, text + whole, 1 + part);
        used += 1 + part;
    }
    memcpy(plain + used, text + whole + dot + part, exponent);
    used += exponent;
    return tpi_number_read_f64(plain, used, value) == used ? whole + dot + part + exponent : 0;
}

/* The length of "inf" or "infinity" at `text`; 0 if there is none. */
static size_t infinity_length(const char *text)
{
    static const char word[] = "infinity";
    size_t length = 0;

    while (length < 8 && tolower((unsigned char)text[length]) == word[length]) {
        length++;
    }
    return length == 3 || length == 8 ? length : 0;
}

static size_t read_number(const char *text, double *value, bool may_be_infinite)
{
    const size_t sign = *text == '-' || *text == '+';
    size_t length = read_unsigned(text + sign, value);

    if (length > 0 && !may_be_infinite && !(*value <= LARGEST)) {
        return 0;
    }
    if (length == 0 && may_be_infinite) {
        length = infinity_length(text + sign);
        *value = INFINITY;
    }
    if (*text == '-') {
        *value = -*value;
    }
    return length > 0 ? sign + length : 0;
}

bool tpi_urdf_read_numbers(const char *text, double *out, unsigned count, bool may_be_infinite)
{
    for (unsigned i = 0; i < count; i++) {
        text += strspn(text, blanks);
        const size_t length = read_number(text, &out[i], may_be_infinite);
        if (length == 0 || (text[length] != 0 && strchr(blanks, text[length]) == NULL)) {
            return false;
        }
        text += length;
    }
    return text[strspn(text, blanks)] == 0;
}

bool tpi_urdf_has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == 0 || at[length] == ' ')) {
            return true;
        }
    }
    return false;
}

bool tpi_urdf_read_servo(const char *text, unsigned *out)
{
    static const struct {
        const char *word;
        unsigned bit;
    } words[] = {{"position", TPI_SERVO_POSITION},
                 {"speed", TPI_SERVO_SPEED},
                 {"force", TPI_SERVO_FORCE},
                 {"none", 0}};

    *out = 0;
    for (text += strspn(text, blanks); *text != 0; text += strspn(text, blanks)) {
        const size_t length = strcspn(text, blanks);
        size_t i = 0;

        while (i < 4 &&
               (strlen(words[i].word) != length || memcmp(words[i].word, text, length) != 0)) {
            i++;
        }
        if (i == 4) {
            return false;
        }
        *out |= words[i].bit;
        text += length;
    }
    return true;
}

tpi_spatial tpi_urdf_pose(const tpi_urdf_origin *origin)
{
    tpi_spatial out;

    tpi_rotation_of_rpy(out.r, origin->rpy[0], origin->rpy[1], origin->rpy[2]);
    memcpy(out.p, origin->xyz, sizeof out.p);
    return out;
}
