/* package_test.c - every body there and back, what is refused, and the tables of the page. */
#include "motion/package.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 1 << 16, ITEMS = 3 };

/* ---- Values of any body ---- */

static void fill(const tpi_motion_body *body, char *value, char **items, unsigned *seed);

static void fill_numbers(const tpi_motion_field *field, char *at, unsigned *seed)
{
    for (unsigned i = 0; i < field->count; i++) {
        const uint64_t n = ++*seed;
        const double d = (double)n / 64 - 1; /* exact in every scale but the last digit */
        const double ratio = (double)(n % 1000) / 1000;

        switch (field->type) {
        case TPI_MOTION_U8:
            at[i] = (char)n;
            break;
        case TPI_MOTION_U16:
            memcpy(at + 2 * i, &(uint16_t){(uint16_t)n}, 2);
            break;
        case TPI_MOTION_U32:
            memcpy(at + 4 * i, &(uint32_t){(uint32_t)n}, 4);
            break;
        case TPI_MOTION_U64:
            memcpy(at + 8 * i, &n, 8);
            break;
        case TPI_MOTION_RATIO:
            memcpy(at + 8 * i, &ratio, 8);
            break;
        default:
            memcpy(at + 8 * i, &d, 8);
            break;
        }
    }
}

static void fill_list(const tpi_motion_field *list, char *at, char **items, unsigned *seed)
{
    char *own = *items;

    memcpy(at, &own, sizeof own);
    *items += ITEMS * list->of->struct_size;
    for (unsigned i = 0; i < ITEMS; i++) {
        fill(list->of, own + i * list->of->struct_size, items, seed);
    }
}

static void fill(const tpi_motion_body *body, char *value, char **items, unsigned *seed)
{
    for (const tpi_motion_field *field = body->fields; field->name != NULL; field++) {
        char *at = value + field->offset;

        switch (field->type) {
        case TPI_MOTION_ZERO:
            break;
        case TPI_MOTION_CHARS:
            snprintf(at, field->count, "name%u", ++*seed);
            break;
        case TPI_MOTION_COUNT:
            memcpy(at, &(uint16_t){ITEMS}, 2);
            break;
        case TPI_MOTION_LIST:
            fill_list(field, at, items, seed);
            break;
        case TPI_MOTION_PART:
            for (unsigned i = 0; i < field->count; i++) {
                fill(field->of, at + i * field->of->struct_size, items, seed);
            }
            break;
        default:
            fill_numbers(field, at, seed);
            break;
        }
    }
}

/* A record of the body with values that all differ; its size. */
static size_t example(const tpi_motion_body *body, uint8_t *out)
{
    static double value[512], items[4096];
    char *free_items = (char *)items;
    unsigned seed = 0;

    memset(value, 0, sizeof value);
    memset(items, 0, sizeof items);
    fill(body, (char *)value, &free_items, &seed);
    return tpi_motion_record_put(out, ROOM, body->code, 77, value);
}

static void every_body_reads_back(void **state)
{
    static uint8_t bytes[ROOM], again[ROOM];
    static double value[512], scratch[4096];

    (void)state;
    for (const tpi_motion_body *const *body = tpi_motion_bodies; *body != NULL; body++) {
        const size_t size = example(*body, bytes);
        tp_error err = {0};

        assert_true(size >= TPI_MOTION_RECORD);
        memset(value, 0, sizeof value);
        assert_int_equal(tpi_motion_body_get(*body, bytes + TPI_MOTION_RECORD,
                                             size - TPI_MOTION_RECORD, value, scratch,
                                             sizeof scratch, &err),
                         TP_OK);
        assert_int_equal(tpi_motion_record_put(again, ROOM, (*body)->code, 77, value), size);
        assert_memory_equal(bytes, again, size);
        assert_int_equal(
            tpi_motion_body_check(*body, bytes + TPI_MOTION_RECORD, size - TPI_MOTION_RECORD, &err),
            TP_OK);
    }
}

static void a_body_of_another_length_is_refused(void **state)
{
    static uint8_t bytes[ROOM];
    static double value[512], scratch[4096];

    (void)state;
    for (const tpi_motion_body *const *body = tpi_motion_bodies; *body != NULL; body++) {
        const size_t size = example(*body, bytes) - TPI_MOTION_RECORD;
        tp_error err = {0};

        for (int more = -1; more <= 1; more += 2) {
            if (size + (size_t)more > ROOM) { /* an empty body is not made shorter */
                continue;
            }
            assert_int_equal(tpi_motion_body_get(*body, bytes + TPI_MOTION_RECORD,
                                                 size + (size_t)more, value, scratch,
                                                 sizeof scratch, &err),
                             TP_E_INVALID);
            assert_memory_equal(err.text, (*body)->name, strlen((*body)->name));
        }
    }
}

static void values_are_scaled_and_rounded(void **state)
{
    const tpi_motion_setspeed speed = {.vx_mps = 0.5, .vy_mps = -0.0000015, .omega_radps = 4e12};
    const tpi_motion_setspeed bad = {.vx_mps = (double)NAN}, fast = {.vx_mps = 1e13};
    uint8_t bytes[64];
    static const uint8_t wanted[] = {0x01, 0x02, 0x00, 0x18, 0,    0,    0,    9,
                                     0,    0,    0,    0,    0,    7,    0xa1, 0x20,
                                     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
                                     0x37, 0x82, 0xda, 0xce, 0x9d, 0x90, 0x00, 0x00};

    (void)state;
    assert_int_equal(tpi_motion_record_put(bytes, sizeof bytes, TPI_MOTION_SETSPEED, 9, &speed),
                     sizeof wanted);
    assert_memory_equal(bytes, wanted, sizeof wanted);
    assert_int_equal(tpi_motion_record_put(bytes, sizeof bytes, TPI_MOTION_SETSPEED, 9, &bad), 0);
    assert_int_equal(tpi_motion_record_put(bytes, sizeof bytes, TPI_MOTION_SETSPEED, 9, &fast), 0);
    assert_int_equal(tpi_motion_record_put(bytes, 31, TPI_MOTION_SETSPEED, 9, &speed), 0);
}

static void only_limits_are_infinite(void **state)
{
    static const uint8_t largest[] = {0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const tpi_motion_update update = {.field = TPI_MOTION_DOF_UPPER, .value = {(double)INFINITY}};
    uint8_t bytes[128] = {0}, again[128];
    tpi_motion_update limit;
    tpi_motion_setspeed speed;
    tp_error err = {0};

    (void)state;
    const size_t size = tpi_motion_record_put(bytes, sizeof bytes, TPI_MOTION_UPDATE, 9, &update) -
                        TPI_MOTION_RECORD;
    assert_int_equal(tpi_motion_body_get(tpi_motion_body_of(TPI_MOTION_UPDATE),
                                         bytes + TPI_MOTION_RECORD, size, &limit, NULL, 0, &err),
                     TP_OK);
    assert_true(isinf(limit.value[0]) && limit.value[1] == 0);
    assert_memory_equal(bytes + TPI_MOTION_RECORD + 8, largest, sizeof largest);
    memset(bytes, 0, sizeof bytes);
    bytes[8] = 0x40; /* 2^62 is finite, 1 more is not */
    assert_int_equal(tpi_motion_body_get(tpi_motion_body_of(TPI_MOTION_SETSPEED), bytes, 24, &speed,
                                         NULL, 0, &err),
                     TP_OK);
    assert_true(speed.vy_mps == 0x1p62 / 1e6);
    assert_true(tpi_motion_record_put(again, sizeof again, TPI_MOTION_SETSPEED, 9, &speed) > 0);
    bytes[15] = 1;
    assert_int_equal(tpi_motion_body_get(tpi_motion_body_of(TPI_MOTION_SETSPEED), bytes, 24, &speed,
                                         NULL, 0, &err),
                     TP_E_INVALID);
    assert_string_equal(err.text, "SETSPEED: vy is out of range");
}

static void a_name_is_not_cut_inside_of_a_character(void **state)
{
    char name[TPI_MOTION_NAME + 1];

    (void)state;
    tpi_motion_name_put(name, "0123456789012345678901234567890\xc3\xa9");
    assert_string_equal(name, "0123456789012345678901234567890");
    tpi_motion_name_put(name, "012345678901234567890123456789\xc3\xa9 and more");
    assert_string_equal(name, "012345678901234567890123456789\xc3\xa9");
}

/* ---- Headers ---- */

static const tpi_motion_header plain = {.flags = TPI_MOTION_ACK,
                                        .kind = TPI_MOTION_COMMAND,
                                        .mode = TPI_MOTION_PLAYBACK,
                                        .records = 2,
                                        .id = 0x01020304,
                                        .size = 64,
                                        .time_us = 0x1122334455667788,
                                        .sequence = 5};

static void a_header_reads_back(void **state)
{
    uint8_t bytes[TPI_MOTION_HEADER], again[TPI_MOTION_HEADER];
    tpi_motion_header header;
    bool foreign;

    (void)state;
    tpi_motion_header_put(bytes, &plain);
    assert_int_equal(tpi_motion_header_get(&header, bytes, &foreign, NULL), TP_OK);
    assert_false(foreign);
    assert_int_equal(header.time_us, plain.time_us);
    assert_int_equal(header.records, plain.records);
    assert_int_equal(header.id, plain.id);
    assert_int_equal(header.size, plain.size);
    assert_int_equal(header.sequence, plain.sequence);
    assert_true(header.flags == plain.flags && header.kind == plain.kind &&
                header.mode == plain.mode);
    tpi_motion_header_put(again, &header);
    assert_memory_equal(again, bytes, sizeof again);
}

static void a_wrong_header_is_refused(void **state)
{
    static const struct {
        int at;
        uint8_t byte;
        tp_status status;
        const char *text;
    } cases[] = {
        {2, 2, TP_E_INVALID, "version 2 is not 1"},
        {3, 0x10, TP_E_INVALID, "unknown flags 0x10"},
        {4, 0, TP_E_INVALID, "unknown kind 0"},
        {4, 5, TP_E_INVALID, "unknown kind 5"},
        {5, 3, TP_E_INVALID, "mode 3 does not fit kind 2"},
        {5, 9, TP_E_INVALID, "mode 9 does not fit kind 2"},
        {12, 1, TP_E_LIMIT, "a payload of 16777280 bytes is over 1048576"},
        {31, 1, TP_E_INVALID, "bytes 28 to 31 of the header are not zero"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[TPI_MOTION_HEADER];
        tpi_motion_header header;
        bool foreign;
        tp_error err = {0};

        tpi_motion_header_put(bytes, &plain);
        bytes[cases[i].at] = cases[i].byte;
        assert_int_equal(tpi_motion_header_get(&header, bytes, &foreign, &err), cases[i].status);
        assert_string_equal(err.text, cases[i].text);
        assert_false(foreign);
    }
}

static void a_panic_needs_two_letters_and_a_flag(void **state)
{
    uint8_t bytes[TPI_MOTION_HEADER];
    tpi_motion_header header;
    bool foreign;

    (void)state;
    memset(bytes, 0xff, sizeof bytes);
    memcpy(bytes, "RT", 2);
    assert_true(tpi_motion_is_panic(bytes));
    bytes[3] = 0xfe;
    assert_false(tpi_motion_is_panic(bytes));
    bytes[3] = 1;
    bytes[1] = 'S';
    assert_false(tpi_motion_is_panic(bytes));
    assert_int_equal(tpi_motion_header_get(&header, bytes, &foreign, NULL), TP_E_INVALID);
    assert_true(foreign);
}

/* ---- Payloads ---- */

static void a_payload_has_records_of_one_kind(void **state)
{
    tpi_motion_header header = {.kind = TPI_MOTION_COMMAND, .records = 2};
    const tpi_motion_setspeed speed = {.vx_mps = 1};
    const tpi_motion_empty none = {0};
    uint8_t bytes[128];
    size_t size = tpi_motion_record_put(bytes, sizeof bytes, TPI_MOTION_SETSPEED, 1, &speed);
    const size_t first = size;
    tp_error err = {0};

    (void)state;
    size += tpi_motion_record_put(bytes + size, sizeof bytes - size, TPI_MOTION_STOP, 2, &none);
    header.size = (uint32_t)size;
    assert_int_equal(tpi_motion_payload_check(&header, bytes, &err), TP_OK);
    header.records = 1;
    assert_int_equal(tpi_motion_payload_check(&header, bytes, &err), TP_E_INVALID);
    assert_string_equal(err.text, "8 bytes follow the last record");
    header.records = 3;
    assert_int_equal(tpi_motion_payload_check(&header, bytes, &err), TP_E_INVALID);
    assert_string_equal(err.text, "record 2: the payload ends inside of a record");
    header.records = 2;
    header.kind = TPI_MOTION_QUERY;
    assert_int_equal(tpi_motion_payload_check(&header, bytes, &err), TP_E_INVALID);
    assert_string_equal(err.text, "record 0: SETSPEED does not fit kind 1");
    header.kind = TPI_MOTION_COMMAND;
    bytes[first + 1] = 0xff;
    assert_int_equal(tpi_motion_payload_check(&header, bytes, &err), TP_E_INVALID);
    assert_string_equal(err.text, "record 1: unknown code 0x01ff");
}

static void a_payload_with_a_wrong_value_is_refused(void **state)
{
    static const struct {
        uint16_t code;
        size_t at; /* a byte of the body, and what it becomes */
        uint8_t byte;
        const char *reason;
    } wrong[] = {
        {TPI_MOTION_RATE, 0, 1, "record 0: RATE: rate is over 1"},
        {TPI_MOTION_SET_MODE, 7, 1, "record 0: MODE: a reserved byte is not zero"},
        {TPI_MOTION_HELLO, 31, 'x', "record 0: HELLO: name has bytes after its end"},
        {TPI_MOTION_HELLO, 0, 0xff, "record 0: HELLO: name is no text in UTF-8"},
        {TPI_MOTION_SPEED, 8, 0x7f, "record 0: SPEED: value is out of range"},
        {TPI_MOTION_MOVE, 15, 1, "record 0: MOVE: the body does not have the length of 1 targets"},
        {TPI_MOTION_MOVE, 20, 0x80, "record 0: MOVE: value is out of range"},
    };
    static uint8_t bytes[ROOM];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const size_t size = example(tpi_motion_body_of(wrong[i].code), bytes);
        const tpi_motion_header header = {.kind = (uint8_t)tpi_motion_kind_of(wrong[i].code),
                                          .records = 1,
                                          .size = (uint32_t)size};
        tp_error err = {0};

        assert_int_equal(tpi_motion_payload_check(&header, bytes, &err), TP_OK);
        bytes[TPI_MOTION_RECORD + wrong[i].at] = wrong[i].byte;
        assert_int_equal(tpi_motion_payload_check(&header, bytes, &err), TP_E_INVALID);
        assert_string_equal(err.text, wrong[i].reason);
    }
}

/* ---- The page ---- */

static const char *page_type(const tpi_motion_field *field)
{
    static const char *const names[] = {"u8", "u16", "u32",   "u64",  "\xc2\xb5", "\xc2\xb5",
                                        "n",  "p",   "ratio", "name", "zero",     "u16"};

    return names[field->type];
}

/* The fields of a body as the page writes them. */
static void describe(const tpi_motion_body *body, char *out, size_t space)
{
    size_t length = 0;

    snprintf(out, space, "\xe2\x80\x93"); /* a dash for an empty body */
    for (const tpi_motion_field *field = body->fields; field->name != NULL; field++) {
        char *to = out + length;
        const char *comma = field == body->fields ? "" : ", ";
        const size_t left = space - length;

        if (field->type == TPI_MOTION_LIST) {
            const bool text = strcmp(field->of->name, "character") == 0;
            snprintf(to, left, "%s%s: %s[%s]", comma, field->name, text ? "u8" : field->of->name,
                     text ? "length" : "count");
        } else if (field->type == TPI_MOTION_PART) {
            snprintf(to, left, "%s%s[%u]", comma, field->name, field->count);
        } else if (field->type == TPI_MOTION_ZERO) {
            snprintf(to, left, "%szero[%u]", comma, field->count);
        } else if (field->count > 1 && field->type != TPI_MOTION_CHARS) {
            snprintf(to, left, "%s%s %s[%u]", comma, field->name, page_type(field), field->count);
        } else {
            snprintf(to, left, "%s%s %s", comma, field->name, page_type(field));
        }
        length += strlen(to);
    }
}

static char *read_page(void)
{
    static char text[1 << 17];
    FILE *file = fopen(MOTION_PAGE, "rb");

    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void the_page_has_every_record(void **state)
{
    const char *page = read_page();
    unsigned on_page = 0, in_table = 0;

    (void)state;
    for (const tpi_motion_body *const *body = tpi_motion_bodies; *body != NULL; body++) {
        char fields[1024], row[1200];

        describe(*body, fields, sizeof fields);
        snprintf(row, sizeof row, "| 0x%04x | %s | %s |\n", (*body)->code, (*body)->name, fields);
        if (strstr(page, row) == NULL) {
            fail_msg("the page lacks the row %s", row);
        }
        in_table++;
    }
    for (const char *at = page; (at = strstr(at, "\n| 0x")) != NULL; at++) {
        on_page++;
    }
    assert_int_equal(on_page, in_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_body_reads_back),
        cmocka_unit_test(a_body_of_another_length_is_refused),
        cmocka_unit_test(values_are_scaled_and_rounded),
        cmocka_unit_test(only_limits_are_infinite),
        cmocka_unit_test(a_name_is_not_cut_inside_of_a_character),
        cmocka_unit_test(a_header_reads_back),
        cmocka_unit_test(a_wrong_header_is_refused),
        cmocka_unit_test(a_panic_needs_two_letters_and_a_flag),
        cmocka_unit_test(a_payload_has_records_of_one_kind),
        cmocka_unit_test(a_payload_with_a_wrong_value_is_refused),
        cmocka_unit_test(the_page_has_every_record),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
