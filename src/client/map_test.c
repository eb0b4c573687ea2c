/* map_test.c - tiles of maps as Player sends them. */
#include "client/map.h"

#include <string.h>
#include <zlib.h>

#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/map.h"
#include "troupe/interfaces/player.h"

/* The answer to GET_DATA with these bytes as cells. */
static tp_msg *make(unsigned type, uint32_t width, uint32_t height, void *bytes, uint32_t count)
{
    const tp_msghdr header = {.addr = {.interf = TP_MAP_CODE},
                              .type = (uint8_t)type,
                              .subtype = TP_MAP_REQ_GET_DATA,
                              .seq = 7};
    const tp_map_data tile = {
        .width = width, .height = height, .data_count = count, .data_range = 1, .data = bytes};
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, &tp_desc_map_data, &tile), TP_OK);
    return msg;
}

static uint32_t pack(unsigned char out[256], const int8_t *cells, size_t count)
{
    uLongf length = 256;

    assert_int_equal(compress(out, &length, (const unsigned char *)cells, count), Z_OK);
    return (uint32_t)length;
}

static void cells_are_unpacked(void **state)
{
    const int8_t cells[12] = {-1, 0, 1, 1, 1, 0, -1, -1, 0, 0, 0, 1};
    unsigned char packed[256];
    const uint32_t length = pack(packed, cells, sizeof cells);
    tp_msg *msg = make(TP_MSGTYPE_RESP_ACK, 4, 3, packed, length);

    (void)state;
    assert_int_equal(tpi_map_unpack(&msg), TP_OK);
    const tp_map_data *tile = tp_msg_payload(msg);
    assert_int_equal(tile->data_count, 12);
    assert_memory_equal(tile->data, cells, sizeof cells);
    assert_int_equal(tile->width, 4);
    assert_int_equal(tile->data_range, 1);
    assert_int_equal(tp_msg_header(msg)->seq, 7);
    tp_msg_unref(msg);
}

static void is_refused(tp_msg *msg)
{
    const tp_msg *before = msg;

    assert_int_equal(tpi_map_unpack(&msg), TP_E_COUNT);
    assert_ptr_equal(msg, before);
    tp_msg_unref(msg);
}

static void tiles_that_are_wrong_are_refused(void **state)
{
    const int8_t cells[12] = {0};
    unsigned char packed[256];
    char nonsense[] = "nonsense";
    const uint32_t length = pack(packed, cells, sizeof cells);

    (void)state;
    is_refused(make(TP_MSGTYPE_RESP_ACK, 4, 2, packed, length)); /* too many cells */
    is_refused(make(TP_MSGTYPE_RESP_ACK, 4, 4, packed, length)); /* too few */
    is_refused(make(TP_MSGTYPE_RESP_ACK, 0, 0, packed, length));
    is_refused(make(TP_MSGTYPE_RESP_ACK, 2, 2, nonsense, sizeof nonsense));
    is_refused(make(TP_MSGTYPE_RESP_ACK, 1u << 16, 1u << 16, packed, length));
    is_refused(make(TP_MSGTYPE_RESP_ACK, UINT32_MAX, UINT32_MAX, packed, length));
}

static void other_messages_are_left_alone(void **state)
{
    char cells[] = "cells";
    tp_msg *messages[] = {make(TP_MSGTYPE_RESP_NACK, 1, 5, cells, 5),
                          make(TP_MSGTYPE_RESP_ACK, 0, 0, NULL, 0)};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const tp_msg *before = messages[i];
        assert_int_equal(tpi_map_unpack(&messages[i]), TP_OK);
        assert_ptr_equal(messages[i], before);
        tp_msg_unref(messages[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_unpacked),
        cmocka_unit_test(tiles_that_are_wrong_are_refused),
        cmocka_unit_test(other_messages_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
