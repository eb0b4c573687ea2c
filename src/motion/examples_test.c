/*
 * examples_test.c - the page of the protocol has an example of each record, as bytes.
 *
 * The examples are made from the table of bodies: each field gets a value that can be recognised.
 * With the argument --print the program prints the rows for the page.
 */
#include "motion/package.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "motion/body.h"

enum { TAG = 7, LONGEST_ROW = 4000 };

/* ---- Values ---- */

static void fill(const tpi_motion_body *body, char *value, char *scratch);

static unsigned numbers; /* that the example has so far: each is another one */

static void fill_number(const tpi_motion_field *field, char *to)
{
    const unsigned n = numbers++;
    const uint8_t u8 = 1;
    const uint16_t u16 = (uint16_t)(n + 1);
    const uint32_t u32 = 5 + n;
    const uint64_t u64 = UINT64_C(1500000) + n;
    const double real = field->type == TPI_MOTION_RATIO ? 0.5 : 0.25 + n;
    const size_t size = tpi_motion_native_size(field->type);

    memcpy(to,
           field->type == TPI_MOTION_U8    ? (const void *)&u8
           : field->type == TPI_MOTION_U16 ? (const void *)&u16
           : field->type == TPI_MOTION_U32 ? (const void *)&u32
           : field->type == TPI_MOTION_U64 ? (const void *)&u64
                                           : (const void *)&real,
           size);
}

static void fill_field(const tpi_motion_field *field, char *value, char *scratch, bool text)
{
    char *to = value + field->offset;
    const uint16_t one = text ? 4 : 1;

    switch (field->type) {
    case TPI_MOTION_ZERO:
        break;
    case TPI_MOTION_CHARS:
        strcpy(to, "head");
        break;
    case TPI_MOTION_COUNT:
        memcpy(to, &one, sizeof one);
        break;
    case TPI_MOTION_LIST:
        memcpy(to, &scratch, sizeof scratch);
        if (text) {
            memcpy(scratch, "done", 4);
        } else {
            fill(field->of, scratch, NULL);
        }
        break;
    case TPI_MOTION_PART: /* the others stay zero */
        fill(field->of, to, NULL);
        break;
    default:
        for (unsigned i = 0; i < field->count; i++) {
            fill_number(field, to + i * tpi_motion_native_size(field->type));
        }
        break;
    }
}

static bool has_text(const tpi_motion_body *body)
{
    const tpi_motion_field *count = NULL, *list = tpi_motion_list_of(body, &count);

    return list != NULL && strcmp(list->of->name, "character") == 0;
}

static void fill(const tpi_motion_body *body, char *value, char *scratch)
{
    for (const tpi_motion_field *field = body->fields; field->name != NULL; field++) {
        fill_field(field, value, scratch, has_text(body));
    }
}

/* ---- Rows ---- */

struct row {
    char text[LONGEST_ROW];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void put(struct row *row, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    row->length +=
        (size_t)vsnprintf(row->text + row->length, LONGEST_ROW - row->length, format, args);
    va_end(args);
    assert_true(row->length < LONGEST_ROW);
}

/* Bytes as hex digits; zeros at the end are counted. */
static void put_bytes(struct row *row, const uint8_t *bytes, size_t size)
{
    size_t used = size;

    while (used > 0 && bytes[used - 1] == 0) {
        used--;
    }
    used = size - used > 8 ? used : size;
    put(row, " ");
    for (size_t i = 0; i < used; i++) {
        put(row, "%02x", bytes[i]);
    }
    if (used < size) {
        put(row, "%s00*%zu", used > 0 ? " " : "", size - used);
    }
}

/* Whether the values of a field are numbers of several bytes. */
static bool is_number(const tpi_motion_field *field)
{
    return field->type != TPI_MOTION_U8 && field->type != TPI_MOTION_CHARS &&
           field->type != TPI_MOTION_ZERO && field->type != TPI_MOTION_LIST;
}

/* The bytes of a body, a group for each number. Returns how many there are. */
static size_t put_body(struct row *row, const tpi_motion_body *body, const uint8_t *bytes,
                       unsigned elements)
{
    size_t at = 0;

    for (const tpi_motion_field *field = body->fields; field->name != NULL; field++) {
        size_t size = tpi_motion_field_size(field);

        if (field->type == TPI_MOTION_LIST && has_text(body)) {
            size = elements;
        } else if (field->type == TPI_MOTION_LIST) {
            at += put_body(row, field->of, bytes + at, 0);
            continue;
        } else if (field->type == TPI_MOTION_PART) {
            const size_t first = put_body(row, field->of, bytes + at, 0);
            put_bytes(row, bytes + at + first, size - first);
            at += size;
            continue;
        }
        const unsigned groups = is_number(field) ? field->count : 1;
        for (unsigned i = 0; i < groups; i++) {
            put_bytes(row, bytes + at + i * (size / groups), size / groups);
        }
        at += size;
    }
    return at;
}

static void make_row(struct row *row, const tpi_motion_body *body)
{
    static _Alignas(16) char value[4096], scratch[4096];
    static uint8_t bytes[8192];
    tp_error err = {.text = ""};

    numbers = 0;
    memset(value, 0, sizeof value);
    memset(scratch, 0, sizeof scratch);
    fill(body, value, scratch);
    const size_t size = tpi_motion_record_put(bytes, sizeof bytes, body->code, TAG, value);
    assert_true(size > 0);
    assert_int_equal(tpi_motion_body_get(body, bytes + TPI_MOTION_RECORD, size - TPI_MOTION_RECORD,
                                         value, scratch, sizeof scratch, &err),
                     TP_OK);
    row->length = 0;
    put(row, "| %s | `%02x%02x %02x%02x %02x%02x%02x%02x", body->name, bytes[0], bytes[1], bytes[2],
        bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]);
    assert_int_equal(put_body(row, body, bytes + TPI_MOTION_RECORD, 4), size - TPI_MOTION_RECORD);
    put(row, "` |\n");
}

/* ---- The page ---- */

static char *read_page(void)
{
    static char text[1 << 18];
    FILE *file = fopen(MOTION_PAGE, "rb");

    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void each_record_has_an_example(void **state)
{
    static struct row row;
    const char *page = read_page();

    (void)state;
    for (const tpi_motion_body *const *body = tpi_motion_bodies; *body != NULL; body++) {
        make_row(&row, *body);
        if (strstr(page, row.text) == NULL) {
            fail_msg("the page lacks the row %s", row.text);
        }
    }
}

/* The package of the page: forward at 0.25 m/s, and a turn of the head, in direct mode. */
static void the_page_has_a_whole_package(void **state)
{
    static struct row row;
    static uint8_t bytes[256];
    const tpi_motion_setspeed speed = {0.25, 0, 0};
    const tpi_motion_set set = {1, 0, -0.5, 2000000};
    tpi_motion_header header = {.kind = TPI_MOTION_COMMAND, .records = 2, .id = 3};
    size_t size = TPI_MOTION_HEADER;
    const char *page = read_page();

    (void)state;
    size +=
        tpi_motion_record_put(bytes + size, sizeof bytes - size, TPI_MOTION_SETSPEED, 7, &speed);
    size += tpi_motion_record_put(bytes + size, sizeof bytes - size, TPI_MOTION_SET, 8, &set);
    header.size = (uint32_t)(size - TPI_MOTION_HEADER);
    tpi_motion_header_put(bytes, &header);
    row.length = 0;
    for (size_t i = 0; i < size; i++) {
        put(&row, "%02x%s", bytes[i], i % 16 == 15 || i + 1 == size ? "\n" : " ");
    }
    if (strstr(page, row.text) == NULL) {
        fail_msg("the page lacks the package\n%s", row.text);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_record_has_an_example),
        cmocka_unit_test(the_page_has_a_whole_package),
    };

    if (argc > 1 && strcmp(argv[1], "--print") == 0) {
        static struct row row;

        for (const tpi_motion_body *const *body = tpi_motion_bodies; *body != NULL; body++) {
            make_row(&row, *body);
            fputs(row.text, stdout);
        }
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
