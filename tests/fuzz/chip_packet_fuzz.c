/*
 * chip_packet_fuzz.c - any bytes on the line of a chip, in any pieces and at any times: the
 * firmware stays within its memory and its pins, and answers when the line has been quiet.
 *
 * The input is a row of pieces: how many bytes come, how many milliseconds pass, and the bytes.
 * This file is the board.
 */
#include <string.h>

#include "../../firmware/fetch.h"

#include "../../firmware/chip.h"
#include "../../firmware/sizes.h"
#include "fuzz.h"

enum { MOST_SENT = 4096, TURNS = 4 };

static uint8_t store[CHIP_STORE];
static const uint8_t *coming;
static size_t left;
static uint32_t now_ms;
static size_t sent;
static uint8_t first_sent[8];

/* ---- The board ---- */

void board_start(void)
{
}

bool board_may_run(void)
{
    return true;
}

void board_feed(void)
{
}

uint32_t board_ms(void)
{
    return now_ms;
}

bool board_take(uint8_t *byte)
{
    if (left == 0) {
        return false;
    }
    *byte = *coming++;
    left--;
    return true;
}

void board_send(uint8_t byte)
{
    if (sent < sizeof first_sent) {
        first_sent[sent] = byte;
    }
    sent++;
}

uint16_t board_untouched(void)
{
    return 0;
}

uint8_t board_read(uint16_t at)
{
    fuzz_require(at < CHIP_STORE, "the chip reads beyond its memory");
    return store[at];
}

void board_write(uint16_t at, uint8_t byte)
{
    fuzz_require(at < CHIP_STORE, "the chip writes beyond its memory");
    store[at] = byte;
}

uint16_t board_analog(uint8_t channel)
{
    fuzz_require(channel < BOARD_CHANNELS, "there is no such channel");
    return (uint16_t)(now_ms & 1023u);
}

bool board_digital(uint8_t pin, bool pulls_up)
{
    fuzz_require(pin < BOARD_PINS, "there is no such pin");
    return pulls_up;
}

void board_level(uint8_t pin, bool is_high)
{
    (void)is_high;
    fuzz_require(pin < BOARD_PINS, "there is no such pin");
}

void board_duty(uint8_t output, uint8_t duty)
{
    (void)duty;
    fuzz_require(output < BOARD_DUTIES, "there is no such output");
}

void board_servo(uint8_t servo, uint8_t degrees)
{
    fuzz_require(servo < BOARD_SERVOS && degrees <= 180, "there is no such servo");
}

void board_motor(uint8_t motor, bool is_back, uint8_t duty)
{
    (void)is_back;
    (void)duty;
    fuzz_require(motor < BOARD_MOTORS, "there is no such motor");
}

void board_off(void)
{
}

/* ---- The target ---- */

static void pass(uint32_t ms)
{
    now_ms += ms;
    for (unsigned i = 0; i < TURNS; i++) {
        chip_step();
    }
}

/* Put length and checksum of what is stored right now and then, so that programs run too. */
static void mend(void)
{
    uint16_t sum = 0xffff;

    memcpy(store, "TP", 2);
    store[TPI_PLAY_AT_VERSION] = TPI_PLAY_VERSION;
    const unsigned length = store[TPI_PLAY_AT_LENGTH] | (unsigned)store[TPI_PLAY_AT_LENGTH + 1]
                                                            << 8;
    for (unsigned at = TPI_PLAY_AT_VERSION; at < length && length <= CHIP_STORE; at++) {
        sum = tpi_play_checksum_byte(sum, store[at]);
    }
    store[TPI_PLAY_AT_CHECKSUM] = (uint8_t)sum;
    store[TPI_PLAY_AT_CHECKSUM + 1] = (uint8_t)(sum >> 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t no_op[] = {0, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0};

    memset(store, 0xff, sizeof store);
    left = 0;
    pass(100); /* what the input before has left is forgotten */
    chip_start();
    while (size >= 2) {
        const size_t count = data[0] < size - 2 ? data[0] : size - 2;
        const uint8_t time = data[1];
        coming = data + 2;
        left = count;
        data += 2 + count;
        size -= 2 + count;
        if (time == 255) {
            mend();
        }
        pass(time);
    }
    left = 0;
    program_stop();
    pass(100);
    pass(100);
    sent = 0;
    coming = no_op;
    left = sizeof no_op;
    pass(0);
    fuzz_require(sent >= 5 && first_sent[0] == 0 && first_sent[3] >= 1,
                 "the chip does not answer any more");
    return 0;
}
