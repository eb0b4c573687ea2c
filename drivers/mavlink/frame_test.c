/* frame_test.c - frames that another implementation (node-mavlink) has made: whole, torn at every
 * byte, damaged at every byte, behind noise. */
#include <string.h>

#include "base/text.h"
#include "frame.h"
#include "support/unit.h"

/* COMMAND_LONG that arms, ATTITUDE, and HEARTBEAT of a ground station: system 255, component 190,
 * number 7. */
static const char *const frames[] = {
    "fe2107ffbe4c0000803f00000000000000000000000000000000000000000000000090010101007246",
    "fd20000007ffbe4c00000000803f0000000000000000000000000000000000000000000000009001010105b2",
    "fe1c07ffbe1ee8030000cdcccc3dcdcc4cbe0000c03f00000000000000000000803e7664",
    "fd1c000007ffbe1e0000e8030000cdcccc3dcdcc4cbe0000c03f00000000000000000000803e244d",
    "fe0907ffbe00000000000608000403ce51",
    "fd09000007ffbe0000000000000006080004037efa",
};

enum { FRAMES = sizeof frames / sizeof frames[0] };

static tpi_buf bytes_of(const char *hex)
{
    tpi_buf bytes = {0};

    assert_int_equal(tpi_hex_read(&bytes, hex, strlen(hex), NULL), TP_OK);
    return bytes;
}

/* How many frames are found when the bytes come in pieces of this size; the last one is kept. */
static unsigned count(struct mav_reader *reader, const tpi_buf *bytes, size_t piece,
                      struct mav_message *out)
{
    unsigned found = 0;

    for (size_t at = 0; at < bytes->length;) {
        const size_t left = bytes->length - at;
        at += tpi_mav_feed(reader, (const uint8_t *)bytes->data + at, left < piece ? left : piece);
        while (tpi_mav_next(reader, out)) {
            found++;
        }
    }
    return found;
}

static void frames_are_understood_however_they_are_cut(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FRAMES; i++) {
        tpi_buf bytes = bytes_of(frames[i]);
        for (size_t piece = 1; piece <= bytes.length; piece++) {
            struct mav_reader reader = {0};
            struct mav_message message = {0};
            assert_int_equal(count(&reader, &bytes, piece, &message), 1);
            assert_int_equal(message.version, 1 + i % 2);
            assert_int_equal(message.system, 255);
            assert_int_equal(message.component, 190);
            assert_int_equal(message.id, i < 2 ? 76 : i < 4 ? 30 : 0);
        }
        tpi_buf_fini(&bytes);
    }
}

static void frames_are_written_as_others_write_them(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FRAMES; i++) {
        tpi_buf bytes = bytes_of(frames[i]);
        struct mav_reader reader = {0};
        struct mav_message message = {0};
        uint8_t out[MAV_MOST_FRAME];
        assert_int_equal(count(&reader, &bytes, bytes.length, &message), 1);
        assert_int_equal(tpi_mav_write(out, &message, 7), bytes.length);
        assert_memory_equal(out, bytes.data, bytes.length);
        tpi_buf_fini(&bytes);
    }
}

/* A damaged frame is dropped, and the one behind it is found. A wrong length may swallow the next
 * ones until its sum is wrong; none of them is lost. */
static void damaged_frames_are_dropped(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FRAMES; i++) {
        tpi_buf bytes = bytes_of(frames[i]);
        for (size_t at = 0; at < bytes.length; at++) {
            struct mav_reader reader = {0};
            struct mav_message message = {0};
            tpi_buf all = {0};
            tpi_buf_put(&all, bytes.data, bytes.length);
            all.data[at] ^= 0x20;
            for (unsigned more = 0; more < 20; more++) {
                tpi_buf_put(&all, bytes.data, bytes.length);
            }
            const unsigned found = count(&reader, &all, 7, &message);
            /* the last few may still be waited for inside of a long one */
            assert_in_range(found, 10, 20);
            tpi_buf_fini(&all);
        }
        tpi_buf_fini(&bytes);
    }
}

static void noise_and_signatures_are_skipped(void **state)
{
    /* Noise; a heartbeat with a signature of thirteen bytes; a plain one. */
    static const char text[] = "00ff55"
                               "fd09010007ffbe0000000000000006080004039902"
                               "01010101010101010101010101"
                               "fe0907ffbe00000000000608000403ce51";
    struct mav_reader reader = {0};
    struct mav_message message = {0};
    tpi_buf bytes = bytes_of(text);

    (void)state;
    assert_int_equal(count(&reader, &bytes, 3, &message), 2);
    assert_int_equal(message.version, 1);
    tpi_buf_fini(&bytes);
}

static void numbers_keep_their_sign(void **state)
{
    struct mav_message message = {.id = MAV_ATTITUDE};

    (void)state;
    tpi_mav_put_float(&message, 4, -0.25);
    tpi_mav_put_u32(&message, 8, (uint32_t)-5);
    tpi_mav_put_u16(&message, 12, 0xfffe);
    tpi_mav_put_u32(&message, 16, 0x7fc00000); /* not a number */
    assert_true(tpi_mav_float(&message, 4) == -0.25);
    assert_int_equal(tpi_mav_i32(&message, 8), -5);
    assert_int_equal(tpi_mav_i16(&message, 12), -2);
    assert_true(tpi_mav_float(&message, 16) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_understood_however_they_are_cut),
        cmocka_unit_test(frames_are_written_as_others_write_them),
        cmocka_unit_test(damaged_frames_are_dropped),
        cmocka_unit_test(noise_and_signatures_are_skipped),
        cmocka_unit_test(numbers_keep_their_sign),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
