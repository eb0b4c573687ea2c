/* p2os_packet_test.c - packets however they are cut or damaged. */
#include "p2os_packet.h"

#include <string.h>

#include "support/unit.h"

/* Feed bytes; how many packets come of them. */
static unsigned feed(struct p2os_reader *reader, const uint8_t *bytes, size_t length)
{
    unsigned packets = 0;

    for (size_t i = 0; i < length; i++) {
        packets += tpi_p2os_read(reader, bytes[i]);
    }
    return packets;
}

/* As the maker's library writes them. */
static void commands_are_those_of_the_maker(void **state)
{
    static const uint8_t ahead[] = {0xfa, 0xfb, 0x06, 0x0b, 0x3b, 0xc8, 0x00, 0xd3, 0x3b};
    static const uint8_t right[] = {0xfa, 0xfb, 0x06, 0x15, 0x1b, 0x14, 0x00, 0x29, 0x1b};
    static const uint8_t open[] = {0xfa, 0xfb, 0x03, 0x01, 0x00, 0x01};
    uint8_t out[P2OS_MOST_PACKET];

    (void)state;
    assert_int_equal(tpi_p2os_command(out, 11, 200), sizeof ahead);
    assert_memory_equal(out, ahead, sizeof ahead);
    assert_int_equal(tpi_p2os_command(out, 21, -20), sizeof right);
    assert_memory_equal(out, right, sizeof right);
    assert_int_equal(tpi_p2os_wrap(out, (const uint8_t[]){1}, 1), sizeof open);
    assert_memory_equal(out, open, sizeof open);
}

static void what_is_no_packet_is_skipped(void **state)
{
    static const uint8_t noise[] = {0xfb, 0xfa, 0xfa, 0xfa, 0xfb, 0x00, 0xfa, 0xfb,
                                    0xff, 0xfa, 0xfb, 0x03, 0x01, 0x00, 0x01};
    struct p2os_reader reader = {0};

    (void)state;
    assert_int_equal(feed(&reader, noise, sizeof noise), 1);
    assert_int_equal(tpi_p2os_payload(&reader), 1);
    assert_int_equal(reader.bytes[P2OS_HEAD], 1);
    assert_int_equal(reader.damaged, 2);
}

/* Whichever bit is wrong, nothing comes of it, and the next packets are found. */
static void a_damaged_packet_is_dropped(void **state)
{
    uint8_t good[P2OS_MOST_PACKET];
    const size_t length = tpi_p2os_command(good, 11, 300);

    (void)state;
    for (size_t bit = 0; bit < 8 * length; bit++) {
        struct p2os_reader reader = {0};
        uint8_t bad[P2OS_MOST_PACKET];
        memcpy(bad, good, length);
        bad[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(feed(&reader, bad, length), 0);
        unsigned found = 0; /* a wrong length swallows some of them */
        for (unsigned i = 0; i < 30; i++) {
            found += feed(&reader, good, length);
        }
        assert_in_range(found, 5, 30);
        assert_int_equal(feed(&reader, good, length), 1);
    }
}

static void any_bytes_are_survived(void **state)
{
    struct p2os_reader reader = {0};
    uint8_t good[P2OS_MOST_PACKET];
    const size_t length = tpi_p2os_command(good, 11, 300);
    uint64_t seed = 7;

    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        const uint8_t byte = (uint8_t)(seed >> 56);
        (void)tpi_p2os_read(&reader, byte < 40 ? 0xfa : byte < 80 ? 0xfb : byte);
        assert_true(reader.length <= P2OS_MOST_PACKET);
    }
    unsigned found = 0;
    for (unsigned i = 0; i < 40; i++) {
        found += feed(&reader, good, length);
    }
    assert_true(found > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_those_of_the_maker),
        cmocka_unit_test(what_is_no_packet_is_skipped),
        cmocka_unit_test(a_damaged_packet_is_dropped),
        cmocka_unit_test(any_bytes_are_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
