/*
 * can_line_test.c - frames of a CAN bus as bytes, and what is told of a bus that is not there.
 *
 * A bus itself needs rights that tests do not have.
 */
#include "loop/can_line.h"

#include <string.h>

#include <linux/can.h>

#include "support/unit.h"

static void frames_are_bytes_and_back(void **state)
{
    const struct can_frame frame = {.can_id = 0x413, .can_dlc = 3, .data = {1, 2, 3}};
    const unsigned char wanted[TPI_CAN_FRAME] = {0x13, 4, 0, 0, 3, 0, 0, 0, 1, 2, 3};
    unsigned char bytes[TPI_CAN_FRAME];
    struct can_frame back;

    (void)state;
    tpi_can_pack(bytes, &frame);
    assert_memory_equal(bytes, wanted, sizeof wanted);
    tpi_can_unpack(&back, bytes);
    assert_int_equal(back.can_id, 0x413);
    assert_int_equal(back.can_dlc, 3);
    assert_memory_equal(back.data, frame.data, 8);
}

static void too_long_a_frame_is_cut(void **state)
{
    unsigned char bytes[TPI_CAN_FRAME] = {1, 0, 0, 0, 200};
    struct can_frame frame;

    (void)state;
    memset(bytes + 8, 7, 8);
    tpi_can_unpack(&frame, bytes);
    assert_int_equal(frame.can_dlc, 8);
    frame.can_dlc = 99;
    tpi_can_pack(bytes, &frame);
    assert_int_equal(bytes[4], 8);
}

static void a_bus_that_is_not_there_is_named(void **state)
{
    const tpi_line_options nameless = {.url = "can:", .rest = ""};
    const tpi_line_options missing = {.url = "can:nosuchbus", .rest = "nosuchbus"};
    tpi_line *line = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_scheme_can.open(&line, &nameless, &err), TP_E_INVALID);
    assert_string_equal(err.text, "which interface? can:can0");
    assert_int_equal(tpi_scheme_can.open(&line, &missing, &err), TP_E_IO);
    assert_memory_equal(err.text, "nosuchbus: ", 11);
    assert_null(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_bytes_and_back),
        cmocka_unit_test(too_long_a_frame_is_cut),
        cmocka_unit_test(a_bus_that_is_not_there_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
