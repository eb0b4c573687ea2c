/* number_test.c - numbers survive being text, in few digits and in every locale. */
#include "base/number.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

enum { ROUNDS = 100000 };

static double f64_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static float f32_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Equal to the bit, so that -0 is not 0. */
static void assert_same_f64(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static void assert_same_f32(float a, float b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

/* Read from a copy that ends where the text ends, so that a sanitizer sees a read behind it. */
static size_t read_f64(const char *text, double *value)
{
    const size_t length = strlen(text);
    char *tight = malloc(length > 0 ? length : 1);

    assert_non_null(tight);
    memcpy(tight, text, length);
    size_t used = tpi_number_read_f64(tight, length, value);
    free(tight);
    return used;
}

static void assert_survives_f64(double value)
{
    char text[TPI_NUMBER_SIZE];
    double back = 0;
    const size_t length = tpi_number_put_f64(text, value);

    assert_int_equal(length, strlen(text));
    assert_int_equal(read_f64(text, &back), length);
    assert_same_f64(back, value);
    assert_same_f64(strtod(text, NULL), value); /* for any other reader, too */
}

static void assert_survives_f32(float value)
{
    char text[TPI_NUMBER_SIZE];
    double back = 0;
    const size_t length = tpi_number_put_f32(text, value);

    assert_int_equal(length, strlen(text));
    assert_int_equal(read_f64(text, &back), length);
    assert_same_f32((float)back, value);
    assert_same_f32(strtof(text, NULL), value);
}

static void random_doubles_survive(void **state)
{
    random_source source = {1};

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        double value = f64_of_bits(random_bits(&source));
        if (isfinite(value)) {
            assert_survives_f64(value);
        }
    }
}

static void random_floats_survive(void **state)
{
    random_source source = {2};

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        float value = f32_of_bits((uint32_t)random_bits(&source));
        if (isfinite(value)) {
            assert_survives_f32(value);
        }
    }
}

/* Random bits are mostly huge or tiny; these have the size of what robots measure. */
static void doubles_and_floats_of_everyday_size_survive(void **state)
{
    random_source source = {3};

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t bits = random_bits(&source);
        const int exponent = (int)random_below(&source, 90) - 30;
        double value = ldexp((double)(bits >> 11), exponent - 53);
        value = (bits & 1) != 0 ? -value : value;
        assert_survives_f64(value);
        assert_survives_f32((float)value);
    }
}

static void denormals_survive(void **state)
{
    random_source source = {4};

    (void)state;
    assert_survives_f64(f64_of_bits(1));
    assert_survives_f64(DBL_MIN);
    assert_survives_f64(f64_of_bits(UINT64_C(0x000fffffffffffff))); /* the largest denormal */
    assert_survives_f32(f32_of_bits(1));
    assert_survives_f32(FLT_MIN);
    assert_survives_f32(f32_of_bits(UINT32_C(0x007fffff)));
    for (int i = 0; i < ROUNDS / 10; i++) {
        const uint64_t bits = random_bits(&source);
        assert_survives_f64(f64_of_bits(bits >> (12 + bits % 52)));
        assert_survives_f32(f32_of_bits((uint32_t)(bits >> (41 + bits % 23))));
    }
}

/* Both neighbours of every power of two and of ten, where the spacing of numbers changes. */
static void numbers_at_the_borders_survive(void **state)
{
    (void)state;
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        const double power = ldexp(1.0, exponent);
        assert_survives_f64(power);
        assert_survives_f64(nextafter(power, 0.0));
        assert_survives_f64(nextafter(power, DBL_MAX));
    }
    for (int exponent = -323; exponent <= 308; exponent++) {
        const double power = pow(10.0, exponent);
        assert_survives_f64(power);
        assert_survives_f64(nextafter(power, 0.0));
        assert_survives_f64(nextafter(power, DBL_MAX));
    }
    for (int exponent = -149; exponent <= 127; exponent++) {
        const float power = ldexpf(1.0F, exponent);
        assert_survives_f32(power);
        assert_survives_f32(nextafterf(power, 0.0F));
        assert_survives_f32(nextafterf(power, FLT_MAX));
    }
    assert_survives_f64(DBL_MAX);
    assert_survives_f64(-DBL_MAX);
    assert_survives_f32(FLT_MAX);
    assert_survives_f32(-FLT_MAX);
}

static void doubles_are_written_in_few_digits(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0, "1"},
        {-1.0, "-1"},
        {0.1, "0.1"},
        {-0.5, "-0.5"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3.0, "0.3333333333333333"},
        {123456.789, "123456.789"},
        {0.00001, "0.00001"},
        {0.000001, "1e-06"},
        {3.141592653589793, "3.141592653589793"},
        {1e15, "1000000000000000"},
        {1e16, "1e+16"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {1.5e300, "1.5e+300"},
        {1e-300, "1e-300"},
        {9007199254740991.0, "9007199254740991"}, /* 2^53 - 1 */
        {9007199254740992.0, "9007199254740992"}, /* 2^53 */
        {9007199254740994.0, "9007199254740994"}, /* the next there is */
        {-9007199254740991.0, "-9007199254740991"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
    };
    char text[TPI_NUMBER_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t length = tpi_number_put_f64(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(length, strlen(text));
        assert_survives_f64(cases[i].value);
    }
}

static void floats_are_written_in_as_many_digits_as_a_float_needs(void **state)
{
    static const struct {
        float value;
        const char *text;
    } cases[] = {
        {0.0F, "0"},
        {-0.0F, "-0"},
        {0.1F, "0.1"},
        {0.3F, "0.3"},
        {-2.7F, "-2.7"},
        {3.14159274F, "3.1415927"},
        {1.0F / 3.0F, "0.33333334"},
        {16777216.0F, "16777216"},
        {16777217.0F, "16777216"},
        {1e10F, "10000000000"},
        {1e38F, "1e+38"},
        {1e-7F, "1e-07"},
        {FLT_MAX, "3.4028235e+38"},
        {FLT_MIN, "1.1754944e-38"},
    };
    char text[TPI_NUMBER_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t length = tpi_number_put_f32(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(length, strlen(text));
        assert_survives_f32(cases[i].value);
    }
}

static void short_decimals_keep_their_text(void **state)
{
    random_source source = {5};

    (void)state;
    for (int i = 0; i < ROUNDS / 10; i++) {
        const int decimals = 1 + (int)random_below(&source, 4);
        const unsigned last = 1 + random_below(&source, 9); /* no zero at the end */
        char wanted[TPI_NUMBER_SIZE];
        char text[TPI_NUMBER_SIZE];
        snprintf(wanted, sizeof wanted, "%u.%0*u%u", random_below(&source, 99999), decimals,
                 random_below(&source, 10), last);
        assert_int_equal(tpi_number_put_f64(text, strtod(wanted, NULL)), strlen(wanted));
        assert_string_equal(text, wanted);
    }
}

static void what_is_not_finite_is_a_word(void **state)
{
    char text[TPI_NUMBER_SIZE];

    (void)state;
    assert_int_equal(tpi_number_put_f64(text, (double)NAN), 3);
    assert_string_equal(text, "NaN");
    assert_int_equal(tpi_number_put_f64(text, -(double)NAN), 3);
    assert_string_equal(text, "NaN");
    assert_int_equal(tpi_number_put_f64(text, (double)INFINITY), 8);
    assert_string_equal(text, "Infinity");
    assert_int_equal(tpi_number_put_f64(text, -(double)INFINITY), 9);
    assert_string_equal(text, "-Infinity");
    assert_int_equal(tpi_number_put_f32(text, NAN), 3);
    assert_string_equal(text, "NaN");
    assert_int_equal(tpi_number_put_f32(text, INFINITY), 8);
    assert_string_equal(text, "Infinity");
    assert_int_equal(tpi_number_put_f32(text, -INFINITY), 9);
    assert_string_equal(text, "-Infinity");
}

static void every_form_of_a_json_number_is_read(void **state)
{
    static const struct {
        const char *text;
        size_t used;
        double value;
    } cases[] = {
        {"0", 1, 0.0},         {"-0", 2, -0.0},      {"-0.0e-5", 7, -0.0},
        {"10", 2, 10.0},       {"0.5", 3, 0.5},      {"-1.25", 5, -1.25},
        {"1e3", 3, 1000.0},    {"1E3", 3, 1000.0},   {"1e+3", 4, 1000.0},
        {"1e-3", 4, 0.001},    {"0e0", 3, 0.0},      {"0e99999999999999999999", 22, 0.0},
        {"1e0003", 6, 1000.0}, {"1.5E+2", 6, 150.0}, {"12,5", 2, 12.0},
        {"7]", 1, 7.0},        {"7.5 ", 3, 7.5},     {"1.5.5", 3, 1.5},
        {"2-1", 1, 2.0},       {"0x10", 1, 0.0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 99;
        assert_int_equal(read_f64(cases[i].text, &value), cases[i].used);
        assert_same_f64(value, cases[i].value);
    }
}

static void what_is_no_json_number_is_refused(void **state)
{
    static const char *const texts[] = {
        "",    "-",   "+1",  ".5",  "-.5", "01",  "-01",  "00",       "1.",  "1.e5",
        "1.x", "1e",  "1E",  "1e+", "1e-", "1ex", "1.5e", "e5",       "--1", "Infinity",
        "NaN", "inf", "nan", " 1",  "x",   "-x",  "- 1",  "\xd9\xa1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value = 0;
        assert_int_equal(read_f64(texts[i], &value), 0);
    }
}

static void only_the_given_length_is_read(void **state)
{
    double value = 0;

    (void)state;
    assert_int_equal(tpi_number_read_f64("12345", 3, &value), 3);
    assert_same_f64(value, 123.0);
    assert_int_equal(tpi_number_read_f64("1.5e10", 3, &value), 3);
    assert_same_f64(value, 1.5);
    assert_int_equal(tpi_number_read_f64("123456789012345678901.5", 21, &value), 21);
    assert_same_f64(value, 123456789012345678901.0);
    assert_int_equal(tpi_number_read_f64("1", 0, &value), 0);
    assert_int_equal(tpi_number_read_f64("-1", 1, &value), 0);
}

static void a_number_may_have_800_characters_and_no_more(void **state)
{
    char text[802];
    double value = 0;

    (void)state;
    memset(text, '1', 801);
    text[801] = '\0';
    assert_int_equal(read_f64(text, &value), 0);
    text[800] = '\0';
    assert_int_equal(read_f64(text, &value), 800);
    assert_same_f64(value, (double)INFINITY);
    memset(text, '0', 800);
    text[1] = '.';
    text[799] = '1';
    assert_int_equal(read_f64(text, &value), 800);
    assert_same_f64(value, 0.0);
    text[300] = '5';
    assert_int_equal(read_f64(text, &value), 800);
    assert_same_f64(value, 5e-299);
}

static void assert_reads_like_the_c_library(const char *text)
{
    double value = 0;

    assert_int_equal(read_f64(text, &value), strlen(text));
    assert_same_f64(value, strtod(text, NULL));
}

static void numbers_are_rounded_to_the_nearest_double(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"10000000000000000000000", 1e22},
        {"100000000000000000000000", 1e23},
        {"9007199254740991", 9007199254740991.0},
        {"9007199254740992", 9007199254740992.0},
        {"9007199254740993", 9007199254740992.0}, /* in the middle: the even one */
        {"9007199254740993.0000000000000000000000001", 9007199254740994.0},
        {"9007199254740995", 9007199254740996.0},
        {"1.00000000000000011102230246251565404236316680908203125", 1.0},
        {"1.00000000000000011102230246251565404236316680908203126", 1.0 + DBL_EPSILON},
        {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
        {"5e-324", 0x1p-1074},
        {"2.4703282292062328e-324", 0x1p-1074}, /* just over half of the smallest */
        {"2.4703282292062327e-324", 0.0},       /* just under */
        {"1e-400", 0.0},
        {"-1e-400", -0.0},
        {"1.7976931348623158e308", DBL_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 99;
        assert_int_equal(read_f64(cases[i].text, &value), strlen(cases[i].text));
        assert_same_f64(value, cases[i].value);
        assert_reads_like_the_c_library(cases[i].text);
    }
}

static void numbers_beyond_the_largest_are_infinite(void **state)
{
    static const char *const texts[] = {"1.7976931348623159e308", "1e309", "1e99999999999"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value = 0;
        assert_int_equal(read_f64(texts[i], &value), strlen(texts[i]));
        assert_same_f64(value, (double)INFINITY);
    }
}

/* A number of up to 40 digits with a point and an exponent anywhere. */
static void random_decimal(random_source *source, char *out, size_t size)
{
    const uint32_t whole = 1 + random_below(source, 20);
    const uint32_t fraction = random_below(source, 21);
    size_t length = 0;

    if (random_below(source, 2) == 0) {
        out[length++] = '-';
    }
    out[length++] = (char)('1' + random_below(source, 9));
    for (uint32_t i = 1; i < whole; i++) {
        out[length++] = (char)('0' + random_below(source, 10));
    }
    out[length++] = '.';
    for (uint32_t i = 0; i <= fraction; i++) {
        out[length++] = (char)('0' + random_below(source, 10));
    }
    const int reach = random_below(source, 2) == 0 ? 30 : 340;
    const int exponent = (int)random_below(source, (uint32_t)(2 * reach)) - reach;
    snprintf(out + length, size - length, "e%d", exponent);
}

static void random_decimal_texts_read_like_the_c_library(void **state)
{
    random_source source = {6};

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        char text[80];
        random_decimal(&source, text, sizeof text);
        assert_reads_like_the_c_library(text);
        snprintf(text, sizeof text, "%" PRIu64, random_bits(&source) >> random_below(&source, 64));
        assert_reads_like_the_c_library(text);
    }
}

/* The text exactly between two neighbouring doubles, where one wrong digit shows. */
static void texts_between_two_doubles_read_like_the_c_library(void **state)
{
    random_source source = {7};

    (void)state;
    for (int i = 0; i < ROUNDS / 10; i++) {
        const uint64_t odd = (random_bits(&source) >> 10 | UINT64_C(1) << 53) | 1;
        char text[80];
        snprintf(text, sizeof text, "%" PRIu64, odd);
        assert_reads_like_the_c_library(text);
        snprintf(text, sizeof text, "%" PRIu64 ".0000000000000000000001", odd);
        assert_reads_like_the_c_library(text);
        snprintf(text, sizeof text, "%" PRIu64 "e%d", odd, (int)random_below(&source, 600) - 300);
        assert_reads_like_the_c_library(text);
    }
}

static void assert_reads_i64(const char *text, int64_t wanted)
{
    int64_t value = 99;

    assert_true(tpi_number_read_i64(text, strlen(text), &value));
    assert_int_equal(value, wanted);
}

static void whole_numbers_are_read_up_to_the_extremes(void **state)
{
    random_source source = {8};

    (void)state;
    assert_reads_i64("0", 0);
    assert_reads_i64("-0", 0);
    assert_reads_i64("-1", -1);
    assert_reads_i64("9007199254740993", INT64_C(9007199254740993)); /* 2^53 + 1 */
    assert_reads_i64("9223372036854775807", INT64_MAX);
    assert_reads_i64("-9223372036854775808", INT64_MIN);
    for (int i = 0; i < ROUNDS; i++) {
        char text[TPI_NUMBER_SIZE];
        int64_t value = (int64_t)random_bits(&source) / ((int64_t)1 << random_below(&source, 63));
        snprintf(text, sizeof text, "%" PRId64, value);
        assert_reads_i64(text, value);
    }
}

static void what_is_no_whole_number_or_too_large_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "-",
        "+1",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "0x10",
        "--1",
        "1-",
        "/",
        ":",
        "9223372036854775808",
        "-9223372036854775809",
        "9223372036854775810",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551617",
        "99999999999999999999999999",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int64_t value = 0;
        assert_false(tpi_number_read_i64(texts[i], strlen(texts[i]), &value));
    }
}

/* One number for each way through the writer and the reader. */
static void assert_points_are_full_stops(void)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.5, "0.5"},
        {123456.789, "123456.789"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.5e300, "1.5e+300"},
        {-2.5e-300, "-2.5e-300"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {1e300, "1e+300"},
    };
    char text[TPI_NUMBER_SIZE];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double back = 0;
        size_t length = tpi_number_put_f64(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(read_f64(text, &back), length);
        assert_same_f64(back, cases[i].value);
    }
    assert_int_equal(tpi_number_put_f32(text, FLT_MAX), 13);
    assert_string_equal(text, "3.4028235e+38");
}

/* The names of locales differ between systems, and few are installed: any that is there is tried,
 * among them the one of the environment. ps_AF writes its point in two bytes. */
static void the_locale_does_not_matter(void **state)
{
    static const char *const names[] = {
        "C",           "POSIX",       "",
        "de_DE.UTF-8", "de_DE.utf8",  "de_DE",
        "fr_FR.UTF-8", "fr_FR.utf8",  "it_IT.UTF-8",
        "nl_NL.UTF-8", "es_ES.UTF-8", "pt_BR.UTF-8",
        "ru_RU.UTF-8", "ps_AF.UTF-8", "ps_AF",
        "fa_IR.UTF-8",
    };
    unsigned others = 0;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i]) != NULL) {
            others += strcmp(localeconv()->decimal_point, ".") != 0 ? 1 : 0;
            assert_points_are_full_stops();
        }
    }
    assert_non_null(setlocale(LC_ALL, "C"));
    assert_string_equal(localeconv()->decimal_point, ".");
    assert_points_are_full_stops();
    print_message("# tried %u locales without a decimal full stop\n", others);
}

/* The fast way gives the fewest digits, and the nearest number with so many. */
static void the_fast_way_is_the_shortest(void **state)
{
    uint32_t seed = 1;
    unsigned known = 0;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        char fast[TPI_NUMBER_SIZE];
        char general[TPI_NUMBER_SIZE];
        int digits = 1;
        seed = seed * 1664525u + 1013904223u;
        const float value = i % 2 == 0
                                ? (float)(seed % 8000000u) / 1000.0F
                                : f32_of_bits((seed & 0x807fffffu) | (112u + seed % 43u) << 23);
        const size_t length = tpi_number_fast_f32(fast, value);
        if (length == 0) {
            continue;
        }
        known++;
        assert_int_equal(length, strlen(fast));
        do {
            (void)snprintf(general, sizeof general, "%.*g", digits++, (double)value);
        } while (strtof(general, NULL) != value);
        assert_same_f64(strtod(fast, NULL), strtod(general, NULL));
    }
    assert_in_range(known, ROUNDS * 8 / 10, ROUNDS);
    char text[TPI_NUMBER_SIZE];
    assert_int_equal(tpi_number_put_whole(text, INT64_MIN), 20);
    assert_string_equal(text, "-9223372036854775808");
    for (int64_t whole = -12000; whole <= 12000; whole += 7) {
        char wanted[TPI_NUMBER_SIZE];
        assert_int_equal(tpi_number_put_whole(text, whole),
                         snprintf(wanted, sizeof wanted, "%" PRId64, whole));
        assert_string_equal(text, wanted);
    }
}

/* What scans are full of: nothing, the farthest range, steps of a decimal. */
static void short_numbers_take_the_fast_way(void **state)
{
    static const struct {
        float value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0F, "-0"},
                 {8, "8"},
                 {-0.5F, "-0.5"},
                 {0.0625F, "0.0625"},
                 {0.0001F, "0.0001"},
                 {127.9999F, "127.9999"},
                 {100, "100"},
                 {10.01F, "10.01"},
                 {1.1F, "1.1"},
                 {0.03F, "0.03"},
                 {99.5F, "99.5"},
                 {12.00001F, "12.00001"}};
    char text[TPI_NUMBER_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(tpi_number_fast_f32(text, cases[i].value), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
    assert_int_equal(tpi_number_fast_f32(text, 0.03125F), 0); /* a power of two, five decimals */
    assert_int_equal(tpi_number_fast_f32(text, 1e-30F), 0);
    for (uint32_t i = 0; i < 1280000; i++) { /* all decimals of four places */
        const double wanted = (double)i / 10000;
        double back = -1;
        const size_t length = tpi_number_fast_f32(text, (float)wanted);
        assert_int_equal(tpi_number_read_f64(text, length, &back), length);
        assert_same_f64(back, wanted);
        assert_true(length <= 8);
    }
}

static void bytes_have_commas_behind_them(void **state)
{
    uint8_t all[256];
    char text[256 * 4], wanted[256 * 4 + 1];
    size_t length = 0;

    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        all[i] = (uint8_t)i;
        length += (size_t)snprintf(wanted + length, sizeof wanted - length, "%u,", i);
    }
    assert_ptr_equal(tpi_number_put_bytes(text, all, 256), text + length);
    assert_memory_equal(text, wanted, length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_doubles_survive),
        cmocka_unit_test(short_numbers_take_the_fast_way),
        cmocka_unit_test(bytes_have_commas_behind_them),
        cmocka_unit_test(random_floats_survive),
        cmocka_unit_test(doubles_and_floats_of_everyday_size_survive),
        cmocka_unit_test(denormals_survive),
        cmocka_unit_test(numbers_at_the_borders_survive),
        cmocka_unit_test(doubles_are_written_in_few_digits),
        cmocka_unit_test(floats_are_written_in_as_many_digits_as_a_float_needs),
        cmocka_unit_test(short_decimals_keep_their_text),
        cmocka_unit_test(what_is_not_finite_is_a_word),
        cmocka_unit_test(every_form_of_a_json_number_is_read),
        cmocka_unit_test(what_is_no_json_number_is_refused),
        cmocka_unit_test(only_the_given_length_is_read),
        cmocka_unit_test(a_number_may_have_800_characters_and_no_more),
        cmocka_unit_test(numbers_are_rounded_to_the_nearest_double),
        cmocka_unit_test(numbers_beyond_the_largest_are_infinite),
        cmocka_unit_test(random_decimal_texts_read_like_the_c_library),
        cmocka_unit_test(texts_between_two_doubles_read_like_the_c_library),
        cmocka_unit_test(whole_numbers_are_read_up_to_the_extremes),
        cmocka_unit_test(what_is_no_whole_number_or_too_large_is_refused),
        cmocka_unit_test(the_fast_way_is_the_shortest),
        cmocka_unit_test(the_locale_does_not_matter),
    };

    return cmocka_run_group_tests_name("base/number", tests, NULL, NULL);
}
