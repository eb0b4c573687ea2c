/* msg_test.c - messages: copied in, counted, encoded once in each form. */
#include "bus/msg.h"

#include <string.h>

#include "bus/pool.h"
#include "support/encodings.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/sonar.h"

static const tp_msghdr header = {.addr = {.host = 0x0100007f, .robot = 6665, .interf = 5},
                                 .type = TP_MSGTYPE_DATA,
                                 .subtype = 1,
                                 .timestamp = 1.5};

static tp_msg *make_scan(uint32_t count)
{
    float ranges[64] = {1, 2, 3};
    const tp_sonar_data data = {.ranges_count = count, .ranges = ranges};
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, &tp_desc_sonar_data, &data), TP_OK);
    return msg;
}

static void the_payload_is_a_copy_of_its_own(void **state)
{
    (void)state;
    tp_msg *msg = make_scan(3);
    const tp_sonar_data *data = tp_msg_payload(msg);

    assert_ptr_equal(tp_msg_type(msg), &tp_desc_sonar_data);
    assert_int_equal(data->ranges_count, 3);
    assert_true(data->ranges[2] == 3.0f);
    assert_int_equal(tp_msg_header(msg)->addr.interf, 5);
    tp_msg_unref(msg);
}

/* The bytes of an encoding; fails the test if they cannot be made. */
static const void *encode(tp_msg *msg, const tp_encoding *encoding, size_t *length)
{
    const void *bytes = NULL;

    assert_int_equal(tp_msg_encode(msg, encoding, &bytes, length), TP_OK);
    return bytes;
}

static void assert_json(tp_msg *msg, const char *wanted)
{
    size_t length;
    const void *bytes = encode(msg, &counted_json, &length);

    assert_int_equal(length, strlen(wanted));
    assert_memory_equal(bytes, wanted, length);
}

static const char *const scan_of_two =
    "{\"interf\":5,\"type\":1,\"subtype\":1,\"body\":{\"ranges_count\":2,\"ranges\":[1,2]}}\n";

static void players_form_is_made_once_with_its_header(void **state)
{
    (void)state;
    tp_msg *msg = make_scan(2);
    size_t length = 0;
    const void *first = encode(msg, &counted_player, &length);

    assert_int_equal(length, 40 + 16);
    assert_memory_equal(first,
                        "\1\0\0\x7f\0\0\x1a\x09\0\0\0\5\0\0\0\0\0\0\0\1\0\0\0\1"
                        "\x3f\xf8\0\0\0\0\0\0\0\0\0\0\0\0\0\x10"
                        "\0\0\0\2\0\0\0\2\x3f\x80\0\0\x40\0\0\0",
                        length);
    assert_ptr_equal(encode(msg, &counted_player, &length), first);
    tp_msg_unref(msg);
}

static void every_encoding_is_made_once(void **state)
{
    (void)state;
    tp_msg *msg = make_scan(2);
    size_t length;

    encodings_reset();
    const void *player = encode(msg, &counted_player, &length);
    assert_json(msg, scan_of_two);
    const void *json = encode(msg, &counted_json, &length);
    assert_ptr_equal(encode(msg, &counted_player, &length), player);
    assert_int_equal(length, 40 + 16);
    assert_ptr_equal(encode(msg, &counted_json, &length), json);
    assert_int_equal(encodings_count().player, 1);
    assert_int_equal(encodings_count().json, 1);
    assert_int_equal(tp_msg_header(msg)->size, 0);
    tp_msg_unref(msg);
}

static void the_order_of_encodings_does_not_matter(void **state)
{
    (void)state;
    tp_msg *msg = make_scan(2);
    size_t length;

    assert_json(msg, scan_of_two);
    encode(msg, &counted_player, &length);
    assert_int_equal(length, 40 + 16);
    assert_json(msg, scan_of_two);
    tp_msg_unref(msg);
}

static void a_failed_encoding_leaves_the_others_and_is_tried_again(void **state)
{
    (void)state;
    tp_msg *msg = make_scan(2);
    const void *bytes = NULL;
    size_t length;

    encodings_reset();
    encodings_fail(TP_E_LIMIT, TP_OK);
    assert_int_equal(tp_msg_encode(msg, &counted_json, &bytes, &length), TP_E_LIMIT);
    encode(msg, &counted_player, &length);
    encodings_fail(TP_OK, TP_E_RANGE);
    assert_int_equal(tp_msg_encode(msg, &counted_json, &bytes, &length), TP_E_RANGE);
    assert_null(tpi_msg_encoded(msg, &counted_json));
    encodings_fail(TP_OK, TP_OK);
    assert_json(msg, scan_of_two);
    encode(msg, &counted_player, &length);
    assert_int_equal(encodings_count().player, 1);
    tp_msg_unref(msg);
}

static void a_message_of_bytes_has_no_other_encoding(void **state)
{
    (void)state;
    tp_msg *msg = NULL;
    const void *bytes = NULL;
    size_t length;

    assert_int_equal(tp_msg_create_encoded(&msg, &counted_json, &header, NULL, NULL), TP_OK);
    assert_json(msg, "{\"interf\":5,\"type\":1,\"subtype\":1,\"body\":null}\n");
    assert_ptr_equal(tpi_msg_encoded(msg, &counted_json), msg);
    assert_int_equal(tp_msg_encode(msg, &counted_player, &bytes, &length), TP_E_UNSUPPORTED);
    assert_null(tpi_msg_encoded(msg, &counted_player));
    tp_msg_unref(msg);
}

static void a_message_without_a_body_has_every_encoding(void **state)
{
    (void)state;
    tp_msg *msg = NULL;
    size_t length;

    assert_int_equal(tp_msg_create(&msg, &header, NULL, NULL), TP_OK);
    encode(msg, &counted_player, &length);
    assert_int_equal(length, 40);
    assert_json(msg, "{\"interf\":5,\"type\":1,\"subtype\":1,\"body\":null}\n");
    tp_msg_unref(msg);
}

static void a_message_lives_until_its_last_reference_is_gone(void **state)
{
    (void)state;
    tp_msg *msg = make_scan(1);

    assert_ptr_equal(tp_msg_ref(msg), msg);
    tp_msg_unref(msg);
    assert_int_equal(((const tp_sonar_data *)tp_msg_payload(msg))->ranges_count, 1);
    tp_msg_unref(msg);
    tp_msg_unref(NULL);
}

static void the_bytes_alone_outlive_the_payload(void **state)
{
    (void)state;
    tp_msg *msg = make_scan(3);
    tp_msg *bytes = tp_msg_ref(tpi_msg_encoded(msg, &counted_player));
    size_t length;

    assert_ptr_equal(tpi_msg_encoded(msg, &counted_player), bytes);
    const void *before = encode(msg, &counted_player, &length);
    assert_int_equal(tp_msg_header(bytes)->subtype, tp_msg_header(msg)->subtype);
    tp_msg_unref(msg);
    assert_null(tp_msg_payload(bytes));
    assert_ptr_equal(encode(bytes, &counted_player, &length), before);
    assert_ptr_equal(tpi_msg_encoded(bytes, &counted_player), bytes);
    tp_msg_unref(bytes);
}

/* Each of two holders keeps the bytes that it sends, and nothing else: not the other's. */
static void the_bytes_of_each_encoding_are_kept_apart(void **state)
{
    (void)state;
    tpi_pool_leave();
    const long before = memory_live();
    tp_msg *msg = make_scan(2);
    tp_msg *player = tp_msg_ref(tpi_msg_encoded(msg, &counted_player));
    tp_msg *json = tp_msg_ref(tpi_msg_encoded(msg, &counted_json));

    assert_ptr_not_equal(player, json);
    tp_msg_unref(msg);
    tp_msg_unref(player);
    tpi_pool_leave();
    assert_int_equal(memory_live() - before, 2); /* the block with JSON, and its pool */
    assert_json(json, scan_of_two);
    tp_msg_unref(json);
    assert_int_equal(memory_live(), before);
}

static void bytes_become_a_message_or_say_why_not(void **state)
{
    (void)state;
    tp_msg *msg = NULL;
    static const unsigned char bytes[] = {0, 0, 0, 1, 0, 0, 0, 1, 0x3f, 0x80, 0, 0};

    assert_int_equal(tp_msg_decode(&msg, &header, &tp_desc_sonar_data, bytes, 12), TP_OK);
    assert_true(((const tp_sonar_data *)tp_msg_payload(msg))->ranges[0] == 1.0f);
    tp_msg_unref(msg);
    assert_int_equal(tp_msg_decode(&msg, &header, &tp_desc_sonar_data, bytes, 11), TP_E_SHORT);
    assert_int_equal(tp_msg_decode(&msg, &header, &tp_desc_sonar_data, bytes, 0), TP_OK);
    assert_null(tp_msg_payload(msg));
    tp_msg_unref(msg);
    assert_int_equal(tp_msg_decode(&msg, &header, NULL, bytes, 12), TP_OK);
    assert_null(tp_msg_payload(msg));
    tp_msg_unref(msg);
}

static void making_the_same_again_allocates_nothing(void **state)
{
    (void)state;
    const tp_encoding second_player = counted_player; /* another table is another encoding */

    for (int round = 0; round < 2; round++) {
        const size_t before = memory_allocations();
        for (int i = 0; i < 100; i++) {
            size_t length;
            tp_msg *msg = make_scan(64);
            encode(msg, &counted_player, &length);
            encode(msg, &second_player, &length);
            tp_msg_unref(msg);
        }
        if (round == 1) {
            assert_int_equal(memory_allocations(), before);
        }
    }
}

static tp_status make_and_encode(void *context)
{
    (void)context;
    float range = 1;
    const tp_sonar_data data = {.ranges_count = 1, .ranges = &range};
    tp_msg *msg = NULL;
    const void *bytes;
    size_t length;
    tp_status status = tp_msg_create(&msg, &header, &tp_desc_sonar_data, &data);

    status = status == TP_OK ? tp_msg_encode(msg, &counted_player, &bytes, &length) : status;
    status = status == TP_OK ? tp_msg_encode(msg, &counted_json, &bytes, &length) : status;
    tp_msg_unref(msg);
    tpi_pool_leave();
    return status;
}

static tp_status decode(void *context)
{
    static const unsigned char bytes[] = {0, 0, 0, 1, 0, 0, 0, 1, 0x3f, 0x80, 0, 0};
    tp_msg *msg = NULL;
    const tp_status status = tp_msg_decode(&msg, &header, &tp_desc_sonar_data, bytes, 12);

    (void)context;
    tp_msg_unref(msg);
    tpi_pool_leave();
    return status;
}

static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    tpi_pool_leave();
    memory_sweep(make_and_encode, NULL);
    memory_sweep(decode, NULL);
}

static void blocks_are_large_enough_and_used_again(void **state)
{
    (void)state;
    for (size_t size = 1; size < 100000; size = size * 3 + 1) {
        void *block = tpi_pool_take(size);
        assert_true(tpi_pool_size(block) >= size);
        assert_true(size <= 256 || tpi_pool_size(block) <= size + size / 7);
        memset(block, 0xa5, size);
        tpi_pool_give(block);
        assert_ptr_equal(tpi_pool_take(size), block);
        tpi_pool_give(block);
    }
    assert_null(tpi_pool_take(SIZE_MAX / 2 + 1));
    tpi_pool_give(NULL);
}

/* Whatever takes them all at once, such as a burst of large answers, is over. */
static void what_a_thread_does_not_use_goes_back_to_the_system(void **state)
{
    enum { BLOCKS = 5, LENGTH = 100000 };
    void *large[BLOCKS], *small[BLOCKS];

    (void)state;
    tpi_pool_leave();
    const long before = memory_bytes();
    for (int i = 0; i < BLOCKS; i++) {
        small[i] = tpi_pool_take(100);
        large[i] = tpi_pool_take(LENGTH);
    }
    for (int i = 1; i < BLOCKS; i++) {
        tpi_pool_give(small[i]);
        tpi_pool_give(large[i]);
    }
    void *again = tpi_pool_take(LENGTH); /* one of several */
    tpi_pool_tidy(NULL);                 /* as any other thread does it */
    assert_in_range(memory_bytes() - before, 2 * LENGTH, 3 * LENGTH);
    tpi_pool_give(again);
    tpi_pool_give(large[0]);
    assert_ptr_equal(tpi_pool_take(LENGTH), large[0]);
    assert_ptr_equal(tpi_pool_take(LENGTH), again);
    tpi_pool_give(again);
    tpi_pool_give(large[0]);
    tpi_pool_give(small[0]);
}

static void large_blocks_of_many_sizes_are_not_all_kept(void **state)
{
    (void)state;
    tpi_pool_leave();
    const long before = memory_bytes();
    for (size_t size = 1 << 14; size <= 15 << 20; size += size / 8) {
        tpi_pool_give(tpi_pool_take(size));
    }
    assert_in_range(memory_bytes() - before, 16 << 20, 33 << 20);
    tpi_pool_leave();
    assert_int_equal(memory_bytes(), before);
}

static int leave_pool(void **state)
{
    (void)state;
    tpi_pool_leave();
    return memory_live() == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_payload_is_a_copy_of_its_own),
        cmocka_unit_test(players_form_is_made_once_with_its_header),
        cmocka_unit_test(every_encoding_is_made_once),
        cmocka_unit_test(the_order_of_encodings_does_not_matter),
        cmocka_unit_test(a_failed_encoding_leaves_the_others_and_is_tried_again),
        cmocka_unit_test(a_message_of_bytes_has_no_other_encoding),
        cmocka_unit_test(a_message_without_a_body_has_every_encoding),
        cmocka_unit_test(a_message_lives_until_its_last_reference_is_gone),
        cmocka_unit_test(the_bytes_alone_outlive_the_payload),
        cmocka_unit_test(the_bytes_of_each_encoding_are_kept_apart),
        cmocka_unit_test(bytes_become_a_message_or_say_why_not),
        cmocka_unit_test(making_the_same_again_allocates_nothing),
        cmocka_unit_test(running_out_of_memory_is_told),
        cmocka_unit_test(blocks_are_large_enough_and_used_again),
        cmocka_unit_test(what_a_thread_does_not_use_goes_back_to_the_system),
        cmocka_unit_test(large_blocks_of_many_sizes_are_not_all_kept),
    };
    return cmocka_run_group_tests(tests, NULL, leave_pool);
}
