/* packet_test.c - the bytes of the universal protocol: what is read, written, and refused. */
#include "universal/packet.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "support/unit.h"

static tpi_fault read_hex(tpi_packet *out, tpi_buf *bytes, const char *hex, char *why, size_t size)
{
    tpi_buf_clear(bytes);
    assert_int_equal(tpi_hex_read(bytes, hex, strlen(hex), NULL), TP_OK);
    return tpi_packet_read(out, (const uint8_t *)bytes->data, bytes->length, why, size);
}

static void the_packet_of_the_thesis_is_read(void **state)
{
    tpi_buf bytes = {0};
    tpi_packet packet;
    char why[100] = "";

    (void)state;
    assert_int_equal(read_hex(&packet, &bytes, "01 00 00 00 08 33 02 13 05 40 49 00 00 00 00 00 00",
                              why, sizeof why),
                     TPI_FAULT_NONE);
    assert_true(packet.waits && packet.has_port);
    assert_int_equal(packet.most, 8);
    assert_int_equal(packet.command, TPI_MOVE_POWER);
    assert_int_equal(packet.type, TPI_TYPE_LOCOMOTOR);
    assert_int_equal(packet.id, 5);
    assert_int_equal(packet.count, 1);
    assert_float_equal(packet.values[0].number, 50, 0);
    tpi_buf_fini(&bytes);
}

static void every_command_comes_back_as_it_was_written(void **state)
{
    (void)state;
    for (int i = 0; i < TPI_COMMANDS; i++) {
        const tpi_entry *entry = tpi_dictionary_entry((tpi_command)i);
        tpi_packet packet = {.waits = (i & 1) != 0,
                             .most = (i & 1) != 0 ? 77 : 0,
                             .command = (tpi_command)i,
                             .has_port = entry->has_port,
                             .type = entry->has_port ? (uint8_t)entry->type : 0,
                             .id = entry->has_port ? 3 : 0,
                             .count = tpi_entry_value_count(entry->values)};
        tpi_packet again;
        tpi_buf bytes = {0};
        char why[100] = "";

        for (unsigned k = 0; k < packet.count; k++) {
            packet.values[k] = tpi_kind_is_text(entry->values[k].kind)
                                   ? (tpi_value){.text = "ab", .length = 2}
                                   : (tpi_value){.number = 1};
        }
        tpi_packet_put(&bytes, &packet);
        assert_int_equal(tpi_buf_status(&bytes), TP_OK);
        assert_int_equal((unsigned char)bytes.data[3], bytes.length - TPI_PACKET_LENGTH);
        assert_int_equal(tpi_packet_read(&again, (const uint8_t *)bytes.data + TPI_PACKET_LENGTH,
                                         bytes.length - TPI_PACKET_LENGTH, why, sizeof why),
                         TPI_FAULT_NONE);
        assert_int_equal(again.command, i);
        assert_int_equal(again.waits, packet.waits);
        assert_int_equal(again.most, packet.most);
        assert_int_equal(again.has_port, packet.has_port);
        assert_int_equal(again.id, packet.id);
        assert_int_equal(again.count, packet.count);
        for (unsigned k = 0; k < packet.count; k++) {
            assert_float_equal(again.values[k].number, packet.values[k].number, 0);
            assert_int_equal(again.values[k].length, packet.values[k].length);
        }
        tpi_buf_fini(&bytes);
    }
}

/* Every prefix of a packet is refused, or is one with values left out. */
static void no_prefix_reads_what_is_not_there(void **state)
{
    static const char *const whole[] = {
        "01 00 00 00 08 30 0C 14 00 40 39 00 00 00 00 00 00 C0 39 00 00 00 00 00 00",
        "00 40 00 10 02 00 00 00 03 61 62 63",
        "01 00 00 00 08 00 06 01 00 04 40 49 00 00 00 00 00 00 03 E8",
    };

    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        tpi_buf bytes = {0};
        assert_int_equal(tpi_hex_read(&bytes, whole[i], strlen(whole[i]), NULL), TP_OK);
        for (size_t length = 0; length <= bytes.length; length++) {
            uint8_t *exact = malloc(length > 0 ? length : 1); /* so that reading beyond is seen */
            tpi_packet packet;
            char why[100] = "";
            assert_non_null(exact);
            memcpy(exact, bytes.data, length);
            const tpi_fault fault = tpi_packet_read(&packet, exact, length, why, sizeof why);
            assert_true((fault == TPI_FAULT_NONE) == (why[0] == '\0'));
            assert_true(length < bytes.length || fault == TPI_FAULT_NONE);
            free(exact);
        }
        tpi_buf_fini(&bytes);
    }
}

static void mistakes_are_told(void **state)
{
    static const struct {
        const char *hex;
        tpi_fault fault;
        const char *why;
    } all[] = {
        {"", TPI_FAULT_VALUE, "bad value: a packet begins with 0 (no wait) or 1 (wait)"},
        {"02", TPI_FAULT_VALUE, "bad value: a packet begins with 0 (no wait) or 1 (wait)"},
        {"01 00 00 00", TPI_FAULT_VALUE, "bad value: the packet ends before its command"},
        {"00 10", TPI_FAULT_VALUE, "bad value: the packet ends before its command"},
        {"00 FF FF", TPI_FAULT_NOT_AVAILABLE, "not available: there is no command 0xFFFF"},
        {"00 10 03 03", TPI_FAULT_VALUE, "bad value: half of a port"},
        {"00 30 0B 13 00 40", TPI_FAULT_VALUE, "bad value: power is not whole"},
        {"00 30 05 10 00 FF FF FF FF 61", TPI_FAULT_VALUE, "bad value: text is not whole"},
        {"00 10 03 03 00 01 02", TPI_FAULT_VALUE, "bad value: 2 bytes too many for ReadAnalog"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tpi_buf bytes = {0};
        tpi_packet packet;
        char why[100] = "";

        assert_int_equal(read_hex(&packet, &bytes, all[i].hex, why, sizeof why), all[i].fault);
        assert_string_equal(why, all[i].why);
        tpi_buf_fini(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_packet_of_the_thesis_is_read),
        cmocka_unit_test(every_command_comes_back_as_it_was_written),
        cmocka_unit_test(no_prefix_reads_what_is_not_there),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
