/*
 * font.c - letters made of lines, for pictures with pixels.
 *
 * A letter is a width and some lines, each a run of points with two digits, x and y. Letters stand
 * on y = 2; capitals reach up to 8, small ones to 6 or 8, and down to 0. A line of one point is a
 * dot. A letter with a mark is a plain letter and the lines of the mark.
 */
#include <string.h>

#include "base/text.h"
#include "sim/draw/pen.h"

struct letter {
    const char *text; /* UTF-8 */
    char width;
    const char *lines;
};

/* For a small letter whose middle is at x = 2; a tall letter has it two units higher. */
struct mark {
    const char *lines;
    const char *letters; /* pairs: a plain letter and the same with the mark, UTF-8 */
};

/* clang-format off */
static const struct letter letters[] = {
    {" ", 2, ""}, {"!", 0, "0804 02"}, {"#", 4, "1218 3238 0646 0444"}, {"%", 4, "0248 07 43"},
    {"'", 0, "0807"}, {"(", 1, "18070312"}, {")", 1, "08171302"}, {"+", 4, "0545 2723"},
    {",", 1, "1201"}, {"-", 3, "0535"}, {".", 0, "02"}, {"/", 3, "0138"},
    {"0", 4, "030718384743321203"}, {"1", 2, "062822"}, {"2", 4, "07183847460242"},
    {"3", 4, "084826364543321203"}, {"4", 4, "32380444"}, {"5", 4, "480805354443321203"},
    {"6", 4, "473818070312324344351504"}, {"7", 4, "084812"},
    {"8", 4, "15060718384746351504031232434435"}, {"9", 4, "031232434738180706153546"},
    {":", 0, "02 05"}, {";", 1, "15 1201"}, {"<", 3, "370533"}, {"=", 4, "0646 0444"},
    {">", 3, "073503"}, {"?", 4, "07183847462524 22"},
    {"A", 4, "022842 1434"}, {"B", 4, "02083847463505 3544433202"}, {"C", 4, "4738180703123243"},
    {"D", 4, "02082846442202"}, {"E", 4, "48080242 0535"}, {"F", 4, "480802 0535"},
    {"G", 4, "47381807031232434525"}, {"H", 4, "0208 0545 4842"}, {"I", 0, "0802"},
    {"J", 3, "3833221203"}, {"K", 4, "0802 480542"}, {"L", 3, "080232"}, {"M", 4, "0208254842"},
    {"N", 4, "02084248"}, {"O", 4, "030718384743321203"}, {"P", 4, "02083847463505"},
    {"Q", 4, "030718384743321203 2442"}, {"R", 4, "02083847463505 2542"},
    {"S", 4, "473818070615354443321203"}, {"T", 4, "0848 2822"}, {"U", 4, "080312324348"},
    {"V", 4, "082248"}, {"W", 6, "0812375268"}, {"X", 4, "0842 4802"}, {"Y", 4, "082548 2522"},
    {"Z", 4, "08480242"}, {"[", 1, "18080212"}, {"]", 1, "08181202"}, {"_", 4, "0141"},
    {"a", 4, "4642 4536160503123243"}, {"b", 4, "0802 0516364543321203"},
    {"c", 4, "4536160503123243"}, {"d", 4, "4842 4536160503123243"}, {"e", 4, "044445361605031232"},
    {"f", 2, "281712 0626"}, {"g", 4, "46413010 4536160503123243"}, {"h", 4, "0802 0516364542"},
    {"i", 0, "0602 08"}, {"j", 1, "161100 18"}, {"k", 3, "0802 360432"}, {"l", 1, "080312"},
    {"m", 6, "0602 0516263532 3546566562"}, {"n", 4, "0602 0516364542"},
    {"o", 4, "160503123243453616"}, {"p", 4, "0600 0516364543321203"},
    {"q", 4, "4640 4536160503123243"}, {"r", 2, "0602 051626"}, {"s", 3, "35261605142433221203"},
    {"t", 2, "181322 0626"}, {"u", 4, "0603123243 4642"}, {"v", 4, "062246"},
    {"w", 6, "0612355266"}, {"x", 3, "0632 3602"}, {"y", 4, "0622 4610"}, {"z", 3, "06360232"},
    {"ß", 4, "020718384736254432"}, {"ø", 4, "160503123243453616 0147"},
    {"Ø", 4, "030718384743321203 0149"}, {"æ", 6, "351605031233 3632 34646556463533425263"},
    {"Æ", 6, "0238 683832 6232 0434 3565"}, {"ł", 2, "1812 0426"}, {"Ł", 4, "181242 0427"},
    {"ð", 4, "2847433212030516364547 1738"}, {"þ", 4, "0800 0516364543321203"},
    {"đ", 4, "4842 4536160503123243 2747"}, {"Đ", 4, "02082846442202 0525"},
    {"œ", 6, "3526160503122233 34646556463533425263"}, {"ı", 0, "0602"}, {"°", 2, "0718271607"},
    {"µ", 4, "0600 0603123243 4642"}, {"^", 4, "062846"}, {"*", 4, "2824 0745 0547"},
    {"\"", 2, "0807 2827"}, {"$", 4, "473818070615354443321203 2921"}, {"&", 4, "421728370403122244"},
    {"@", 4, "333616134347381807031242"}, {"\\", 3, "0831"}, {"`", 1, "0817"}, {"|", 0, "0800"},
    {"{", 2, "28171605141322"}, {"}", 2, "08171625141302"}, {"~", 4, "05163445"},
};

static const struct mark marks[] = {
    {"1837",
     "AÀEÈIÌOÒUÙaàeèiìoòuù"},
    {"1738",
     "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzź"},
    {"172837",
     "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷ"},
    {"07183748",
     "AÃNÑOÕaãnñoõIĨiĩUŨuũ"},
    {"18 38",
     "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸ"},
    {"1829382718",
     "AÅaåUŮuů"},
    {"222110",
     "CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţSȘsșTȚtț"},
    {"1838",
     "AĀaāEĒeēIĪiīOŌoōUŪuū"},
    {"18173738",
     "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭ"},
    {"322130",
     "AĄaąEĘeęIĮiįUŲuų"},
    {"28",
     "CĊcċEĖeėGĠgġIİZŻzż"},
    {"182738",
     "CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzž"},
    {"1728 3748",
     "OŐoőUŰuű"},
};
/* clang-format on */

static const struct letter unknown = {"", 3, "0232380802"};

static const double gap = 1.9;       /* between two letters */
static const double per_size = 8.57; /* units of letters in a size of 1: 6 / 0.7 */

/* What is drawn for a character. */
struct glyph {
    const struct letter *letter;
    const char *mark; /* its lines; NULL without one */
    int lift;         /* how much higher that is than above a small letter */
};

static bool same(const char *a, const char *b, size_t length)
{
    return strncmp(a, b, length) == 0;
}

/* NULL if there is none. */
static const struct letter *find_letter(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if (strlen(letters[i].text) == length && same(letters[i].text, text, length)) {
            return &letters[i];
        }
    }
    return NULL;
}

/* The plain letter of a pair that ends with this character; NULL if there is none. */
static const char *find_pair(const struct mark *mark, const char *text, size_t length)
{
    for (const char *at = mark->letters; *at != '\0';) {
        const size_t marked = tpi_utf8_length(at + 1, strlen(at + 1));
        if (marked == length && same(at + 1, text, length)) {
            return at;
        }
        at += 1 + marked;
    }
    return NULL;
}

/* Such a mark begins where letters stand. */
static bool is_below(const char *mark)
{
    return mark[1] == '2';
}

static struct glyph find_marked(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *plain = find_pair(&marks[i], text, length);
        if (plain != NULL) {
            const bool above = !is_below(marks[i].lines);
            return (struct glyph){
                .letter = *plain == 'i' && above ? find_letter("ı", 2) : find_letter(plain, 1),
                .mark = marks[i].lines,
                .lift = above && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZdhklt", *plain) != NULL ? 2 : 0,
            };
        }
    }
    return (struct glyph){.letter = &unknown};
}

/* The character that a text begins with, and its length; a byte that is none is one by itself. */
static struct glyph find(const char *text, size_t *length)
{
    const size_t bytes = tpi_utf8_length(text, strlen(text));
    const struct letter *letter = bytes > 0 ? find_letter(text, bytes) : &unknown;

    *length = bytes > 0 ? bytes : 1;
    return letter != NULL ? (struct glyph){.letter = letter} : find_marked(text, bytes);
}

static void put_lines(struct draw_path *path, const char *lines, double x, double y, double unit)
{
    for (const char *at = lines; *at != '\0'; at += at[0] == ' ' ? 1 : 2) {
        if (at[0] == ' ') {
            tpi_draw_path_end(path);
        } else {
            tpi_draw_path_to(path, x + (at[0] - '0') * unit, y - (at[1] - '0' - 2) * unit);
        }
    }
    tpi_draw_path_end(path);
}

void tpi_draw_font_put(struct draw_path *path, const char *text, double x, double y, double size)
{
    const double unit = size / per_size;
    size_t length;

    for (; *text != '\0'; text += length) {
        const struct glyph glyph = find(text, &length);
        put_lines(path, glyph.letter->lines, x, y, unit);
        if (glyph.mark != NULL) {
            put_lines(path, glyph.mark, x + (glyph.letter->width / 2.0 - 2) * unit,
                      y - glyph.lift * unit, unit);
        }
        x += (glyph.letter->width + gap) * unit;
    }
}

double tpi_draw_font_width(const char *text, double size)
{
    double width = 0;
    size_t length;

    for (; *text != '\0'; text += length) {
        width += find(text, &length).letter->width + gap;
    }
    return width > 0 ? (width - gap) * size / per_size : 0;
}
