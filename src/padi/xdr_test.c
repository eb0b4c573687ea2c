/* xdr_test.c - the wire form: exact bytes, exact sizes, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "padi/xdr.h"
#include "support/memory.h"
#include "support/random.h"
#include "support/unit.h"
#include "troupe/interfaces/all.h"

static void encodes_a_scan_byte_by_byte(void **state)
{
    (void)state;
    static const unsigned char wanted[] = {
        0x3f, 0xc0, 0, 0, 0x40, 0x20, 0, 0, 0x40, 0x60, 0,  0, 0x40, 0x90, 0, 0, /* four floats */
        0,    0,    0, 2, 0,    0,    0, 2, 0x40, 0xb0, 0,  0, 0x40, 0xd0, 0, 0, /* ranges */
        0,    0,    0, 3, 0,    0,    0, 3, 8,    9,    10, 0, 0,    0,    0, 7, /* intensity, id */
    };
    float ranges[] = {5.5f, 6.5f};
    uint8_t intensity[] = {8, 9, 10};
    const tp_laser_data scan = {.min_angle = 1.5f,
                                .max_angle = 2.5f,
                                .resolution = 3.5f,
                                .max_range = 4.5f,
                                .ranges_count = 2,
                                .ranges = ranges,
                                .intensity_count = 3,
                                .intensity = intensity,
                                .id = 7};
    unsigned char bytes[64];
    size_t size = 0;

    assert_int_equal(tp_xdr_encode(&tp_desc_laser_data, &scan, bytes, sizeof bytes, &size), TP_OK);
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(bytes, wanted, sizeof wanted);
}

static void a_header_is_encoded_as_its_plan_says(void **state)
{
    const tp_msghdr header = {
        .addr = {.host = 0x81020304, .robot = 0x85060708, .interf = 0x8910, .index = 0xf112},
        .type = 0x93,
        .subtype = 0xd4,
        .timestamp = -1234567.89,
        .seq = 0x95161718,
        .size = 0x99202122};
    unsigned char wanted[TP_XDR_HEADER_SIZE];
    unsigned char bytes[TP_XDR_HEADER_SIZE];
    size_t size = 0;

    (void)state;
    assert_int_equal(tp_xdr_encode(&tp_desc_msghdr, &header, wanted, sizeof wanted, &size), TP_OK);
    assert_int_equal(size, sizeof wanted);
    tp_xdr_encode_header(&header, bytes);
    assert_memory_equal(bytes, wanted, sizeof wanted);
}

static void sign_extends_narrow_numbers(void **state)
{
    (void)state;
    const tp_coopobject_sensor sensor = {.type = 200, .value = -2};
    static const unsigned char wanted[] = {0, 0, 0, 200, 0xff, 0xff, 0xff, 0xfe};
    unsigned char bytes[8];
    size_t size = 0;
    tp_coopobject_sensor back;

    assert_int_equal(tp_xdr_encode(&tp_desc_coopobject_sensor, &sensor, bytes, sizeof bytes, &size),
                     TP_OK);
    assert_memory_equal(bytes, wanted, sizeof wanted);
    assert_int_equal(
        tp_xdr_decode(&tp_desc_coopobject_sensor, bytes, sizeof bytes, &back, sizeof back), TP_OK);
    assert_int_equal(back.value, -2);
}

static void keeps_only_the_low_bits_of_narrow_fields(void **state)
{
    (void)state;
    static const unsigned char bytes[40] = {
        [8] = 0, [9] = 1, [11] = 4, [13] = 2, [15] = 1, [18] = 1, [19] = 1, [22] = 1, [23] = 0xff};
    tp_msghdr header;

    assert_int_equal(tp_xdr_decode(&tp_desc_msghdr, bytes, sizeof bytes, &header, sizeof header),
                     TP_OK);
    assert_int_equal(header.addr.interf, 4);
    assert_int_equal(header.addr.index, 1);
    assert_int_equal(header.type, 1);
    assert_int_equal(header.subtype, 255);
}

static void says_when_the_buffer_is_too_small(void **state)
{
    (void)state;
    const tp_bool value = {1};
    unsigned char bytes[4] = {9, 9, 9, 9};
    size_t size = 77;

    assert_int_equal(tp_xdr_encode(&tp_desc_bool, &value, bytes, 3, &size), TP_E_SPACE);
    assert_int_equal(bytes[0], 9);
    assert_int_equal(size, 77);
}

static void refuses_to_encode_a_count_over_its_maximum(void **state)
{
    (void)state;
    tp_device_req request = {.driver_name_count = 65};
    size_t size;

    assert_int_equal(tp_xdr_size(&tp_desc_device_req, &request, &size), TP_E_COUNT);
    request.driver_name_count = 64;
    assert_int_equal(tp_xdr_size(&tp_desc_device_req, &request, &size), TP_OK);
    assert_int_equal(size, 92);
}

static void refuses_to_encode_a_count_without_elements(void **state)
{
    (void)state;
    const tp_sonar_data data = {.ranges_count = 1, .ranges = NULL};
    size_t size;

    assert_int_equal(tp_xdr_size(&tp_desc_sonar_data, &data, &size), TP_E_INVALID);
}

/* The wire form of sonar data with any two counts and `floats` elements. */
static size_t sonar_bytes(unsigned char *bytes, unsigned first, unsigned second, unsigned floats)
{
    const unsigned counts[] = {first, second};

    memset(bytes, 0, 8 + 4 * floats);
    for (int i = 0; i < 2; i++) {
        bytes[4 * i] = (unsigned char)(counts[i] >> 24);
        bytes[4 * i + 1] = (unsigned char)(counts[i] >> 16);
        bytes[4 * i + 2] = (unsigned char)(counts[i] >> 8);
        bytes[4 * i + 3] = (unsigned char)counts[i];
    }
    return 8 + 4 * (size_t)floats;
}

static void counts_that_disagree_follow_players_rules(void **state)
{
    (void)state;
    static const struct {
        unsigned first;
        unsigned second;
        unsigned floats;
        tp_status status;
        unsigned count;
    } cases[] = {
        {3, 3, 3, TP_OK, 3},
        {3, 2, 2, TP_OK, 2},
        {3, 0, 0, TP_OK, 0},
        {2, 3, 3, TP_E_COUNT, 0},
        {0, 1, 1, TP_E_COUNT, 0},
        {3, 3, 2, TP_E_SHORT, 0},
        {3, 3, 5, TP_OK, 3},
        {0xffffffff, 0xffffffff, 3, TP_E_SHORT, 0},
        {0x40000000, 0x40000000, 3, TP_E_SHORT, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char bytes[64];
        size_t length = sonar_bytes(bytes, cases[i].first, cases[i].second, cases[i].floats);
        void *value = NULL;
        assert_int_equal(tp_xdr_decode_new(&value, &tp_desc_sonar_data, bytes, length),
                         cases[i].status);
        if (cases[i].status == TP_OK) {
            assert_int_equal(((tp_sonar_data *)value)->ranges_count, cases[i].count);
        }
        free(value);
    }
}

/* An array kept in the struct was not allocated by its count, so Player lets the length win. */
static void the_length_wins_for_an_array_in_the_struct(void **state)
{
    (void)state;
    const tp_device_req request = {.driver_name_count = 3, .driver_name = "ab"};
    unsigned char bytes[64];
    size_t size = 0;
    tp_device_req back;

    tp_xdr_encode(&tp_desc_device_req, &request, bytes, sizeof bytes, &size);
    bytes[23] = 1; /* the count field */
    assert_int_equal(tp_xdr_decode(&tp_desc_device_req, bytes, size, &back, sizeof back), TP_OK);
    assert_int_equal(back.driver_name_count, 3);
    assert_string_equal(back.driver_name, "ab");
}

static void explains(const tp_struct *type, const char *hex, tp_status status, const char *wanted)
{
    tpi_buf bytes = {0};
    tp_error err = {0};
    size_t size = 0;

    assert_int_equal(tpi_hex_read(&bytes, hex, strlen(hex), NULL), TP_OK);
    assert_int_equal(tpi_xdr_explain(type, tpi_buf_text(&bytes), bytes.length, &err), status);
    assert_string_equal(err.text, wanted);
    assert_int_equal(tp_xdr_measure(type, tpi_buf_text(&bytes), bytes.length, &size), status);
    tpi_buf_fini(&bytes);
}

static void why_bytes_are_refused_is_told(void **state)
{
    (void)state;
    explains(&tp_desc_sonar_data, "0000000100000001 3fc00000 ff", TP_OK, "");
    explains(&tp_desc_sonar_data, "0000", TP_E_SHORT, "2 bytes, at least 8 are needed");
    explains(&tp_desc_pose2d, "0000", TP_E_SHORT, "2 bytes, at least 24 are needed");
    explains(&tp_desc_sonar_data, "0000000200000002", TP_E_SHORT,
             "ranges has 2 elements in at least 8 bytes, but 0 are left");
    explains(&tp_desc_sonar_data, "00000001 00000002 3fc0000040200000", TP_E_COUNT,
             "ranges has 2 elements, but its count says 1");
    explains(&tp_desc_laser_set_filter_config, "00000001 00000009 00000009", TP_E_COUNT,
             "parameters has 9 elements, at most 8 fit");
    explains(&tp_desc_audio_mixer_channel_list_detail,
             "00000001 00000001  00000001 00000001 61000000 00000001  00000000", TP_E_SHORT,
             "the 28 bytes end before default_input is complete");
    explains(&tp_desc_intprop_req, "00000001 00000001 61000000", TP_E_SHORT,
             "the 12 bytes end before value is complete");
    explains(&tp_desc_audio_mixer_channel_list_detail,
             "00000001 00000001  00000005 00000005 61000000 0000", TP_E_SHORT,
             "name has 5 elements in at least 8 bytes, but 6 are left");
}

static void measures_exactly_what_decoding_needs(void **state)
{
    (void)state;
    float ranges[] = {1, 2, 3, 4, 5};
    const tp_sonar_data data = {.ranges_count = 5, .ranges = ranges};
    unsigned char bytes[28];
    size_t size = 0;
    size_t block_size = 0;

    tp_xdr_encode(&tp_desc_sonar_data, &data, bytes, sizeof bytes, &size);
    assert_int_equal(tp_xdr_measure(&tp_desc_sonar_data, bytes, size, &block_size), TP_OK);
    assert_int_equal(block_size, sizeof(tp_sonar_data) + sizeof ranges);
    void *block = malloc(block_size);
    assert_int_equal(tp_xdr_decode(&tp_desc_sonar_data, bytes, size, block, block_size - 1),
                     TP_E_SPACE);
    assert_int_equal(tp_xdr_decode(&tp_desc_sonar_data, bytes, size, block, block_size), TP_OK);
    assert_true(tp_value_equal(&tp_desc_sonar_data, block, &data));
    free(block);
}

typedef void for_struct(const tp_struct *type);

static void for_every_struct(for_struct *work)
{
    tp_catalogue *catalogue = NULL;

    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        for (uint32_t k = 0; k < interface->struct_count; k++) {
            work(interface->structs[k]);
        }
    }
    tp_catalogue_destroy(catalogue);
}

static void round_trip(const tp_struct *type)
{
    random_source source = {type->size};

    for (int i = 0; i < 20; i++) {
        void *value = random_value(&source, type);
        void *back = NULL;
        size_t size = 0;
        size_t written = 0;
        assert_int_equal(tp_xdr_size(type, value, &size), TP_OK);
        assert_int_equal(size % 4, 0);
        unsigned char *bytes = malloc(size + 1);
        assert_int_equal(tp_xdr_encode(type, value, bytes, size, &written), TP_OK);
        assert_int_equal(written, size);
        assert_int_equal(tp_xdr_decode_new(&back, type, bytes, size), TP_OK);
        assert_true(tp_value_equal(type, value, back));
        free(bytes);
        free(back);
        free(value);
    }
}

static void every_struct_survives_a_round_trip(void **state)
{
    (void)state;
    for_every_struct(round_trip);
}

/* Every shorter body is refused, and never read beyond its end (the sanitizer watches). */
static void cut_short(const tp_struct *type)
{
    random_source source = {type->field_count};
    void *value = random_value(&source, type);
    size_t size = 0;
    size_t block_size;

    assert_int_equal(tp_xdr_size(type, value, &size), TP_OK);
    unsigned char *bytes = malloc(size);
    assert_int_equal(tp_xdr_encode(type, value, bytes, size, &size), TP_OK);
    for (size_t length = 0; length < size; length += 4) {
        unsigned char *cut = malloc(length + 1);
        memcpy(cut, bytes, length);
        void *back = NULL;
        assert_int_equal(tp_xdr_measure(type, cut, length, &block_size), TP_E_SHORT);
        assert_int_equal(tp_xdr_decode_new(&back, type, cut, length), TP_E_SHORT);
        free(cut);
    }
    free(bytes);
    free(value);
}

static void every_struct_cut_short_is_refused(void **state)
{
    (void)state;
    for_every_struct(cut_short);
}

/* Whatever arrives, decoding ends, and measuring and decoding agree. */
static void garbage(const tp_struct *type)
{
    random_source source = {type->wire_min};

    for (int i = 0; i < 30; i++) {
        unsigned char bytes[256];
        size_t block_size = 0;
        for (size_t k = 0; k < sizeof bytes; k++) {
            bytes[k] = (unsigned char)(random_below(&source, 3) == 0 ? random_bits(&source) : 0);
        }
        tp_status measured = tp_xdr_measure(type, bytes, sizeof bytes, &block_size);
        void *value = NULL;
        assert_int_equal(tp_xdr_decode_new(&value, type, bytes, sizeof bytes), measured);
        free(value);
    }
}

static void every_struct_survives_garbage(void **state)
{
    (void)state;
    for_every_struct(garbage);
}

static tp_status decode_scan(void *context)
{
    void *value = NULL;
    tp_status status = tp_xdr_decode_new(&value, &tp_desc_sonar_data, context, 12);

    free(value);
    return status;
}

static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    unsigned char bytes[12];

    sonar_bytes(bytes, 1, 1, 1);
    memory_sweep(decode_scan, bytes);
}

static void encoding_allocates_nothing(void **state)
{
    (void)state;
    float ranges[361] = {0};
    const tp_sonar_data data = {.ranges_count = 361, .ranges = ranges};
    unsigned char bytes[2048];
    char block[2048];
    size_t size = 0;
    const size_t before = memory_allocations();

    assert_int_equal(tp_xdr_encode(&tp_desc_sonar_data, &data, bytes, sizeof bytes, &size), TP_OK);
    assert_int_equal(tp_xdr_decode(&tp_desc_sonar_data, bytes, size, block, sizeof block), TP_OK);
    assert_int_equal(memory_allocations(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_a_scan_byte_by_byte),
        cmocka_unit_test(a_header_is_encoded_as_its_plan_says),
        cmocka_unit_test(sign_extends_narrow_numbers),
        cmocka_unit_test(keeps_only_the_low_bits_of_narrow_fields),
        cmocka_unit_test(says_when_the_buffer_is_too_small),
        cmocka_unit_test(refuses_to_encode_a_count_over_its_maximum),
        cmocka_unit_test(refuses_to_encode_a_count_without_elements),
        cmocka_unit_test(counts_that_disagree_follow_players_rules),
        cmocka_unit_test(the_length_wins_for_an_array_in_the_struct),
        cmocka_unit_test(why_bytes_are_refused_is_told),
        cmocka_unit_test(measures_exactly_what_decoding_needs),
        cmocka_unit_test(every_struct_survives_a_round_trip),
        cmocka_unit_test(every_struct_cut_short_is_refused),
        cmocka_unit_test(every_struct_survives_garbage),
        cmocka_unit_test(running_out_of_memory_is_told),
        cmocka_unit_test(encoding_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
