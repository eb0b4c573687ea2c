/*
 * microbit.c - the board: a BBC micro:bit (nRF51822, Cortex-M0), the second architecture.
 *
 * It executes the same images with the same line protocol. Its pins are on or off: pulses are
 * rounded to that, and there is no converter. The program is kept in memory, until the power goes.
 * It was tested in QEMU only.
 */
#include "chip.h"
#include "sizes.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
enum { UART = 0x40002000, TIMER = 0x40008000, GPIO = 0x50000000 };
enum { BAUD_57600 = 0x00ebf000 };

int main(void);
void reset_handler(void);
extern uint32_t _stack_top, _data_from, _data_begin, _data_end, _bss_begin, _bss_end;

static uint8_t store[CHIP_STORE];
static uint32_t last_us, rest_us, milliseconds;

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    &_stack_top, (void *)&reset_handler};

void reset_handler(void)
{
    const uint32_t *from = &_data_from;

    for (uint32_t *to = &_data_begin; to < &_data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = &_bss_begin; to < &_bss_end;) {
        *to++ = 0;
    }
    main();
}

void board_start(void)
{
    REGISTER(UART + 0x50c) = 24; /* pins of the USB chip */
    REGISTER(UART + 0x514) = 25;
    REGISTER(UART + 0x524) = BAUD_57600;
    REGISTER(UART + 0x500) = 4;
    REGISTER(UART + 0x000) = 1;
    REGISTER(UART + 0x008) = 1;
    REGISTER(TIMER + 0x504) = 0;
    REGISTER(TIMER + 0x508) = 3; /* 32 bits */
    REGISTER(TIMER + 0x510) = 4; /* microseconds */
    REGISTER(TIMER + 0x000) = 1;
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
    REGISTER(TIMER + 0x040) = 1;
    const uint32_t now_us = REGISTER(TIMER + 0x540);

    rest_us += now_us - last_us;
    last_us = now_us;
    milliseconds += rest_us / 1000;
    rest_us %= 1000;
    return milliseconds;
}

bool board_take(uint8_t *byte)
{
    if (REGISTER(UART + 0x108) == 0) {
        return false;
    }
    REGISTER(UART + 0x108) = 0;
    *byte = (uint8_t)REGISTER(UART + 0x518);
    return true;
}

void board_send(uint8_t byte)
{
    REGISTER(UART + 0x11c) = 0;
    REGISTER(UART + 0x51c) = byte;
    while (REGISTER(UART + 0x11c) == 0) {
    }
}

uint16_t board_untouched(void)
{
    return 0; /* not measured */
}

uint8_t board_read(uint16_t at)
{
    return at < sizeof store ? store[at] : 0;
}

void board_write(uint16_t at, uint8_t byte)
{
    if (at < sizeof store) {
        store[at] = byte;
    }
}

/* ---- Pins: P0 to P16 and P19 of the edge ---- */

static uint32_t bit_of(uint8_t pin)
{
    static const uint8_t pins[BOARD_PINS] = {3,  2, 1,  4,  5,  17, 12, 11, 18,
                                             10, 6, 26, 20, 23, 22, 21, 16, 0};

    return 1u << pins[pin];
}

uint16_t board_analog(uint8_t channel)
{
    (void)channel;
    return 0;
}

bool board_digital(uint8_t pin, bool pulls_up)
{
    (void)pulls_up; /* the board has its own resistors */
    REGISTER(GPIO + 0x51c) = bit_of(pin);
    return (REGISTER(GPIO + 0x510) & bit_of(pin)) != 0;
}

void board_level(uint8_t pin, bool is_high)
{
    REGISTER(GPIO + (is_high ? 0x508 : 0x50c)) = bit_of(pin);
    REGISTER(GPIO + 0x518) = bit_of(pin);
}

void board_duty(uint8_t output, uint8_t duty)
{
    board_level(output, duty >= 128);
}

void board_servo(uint8_t servo, uint8_t degrees)
{
    (void)servo;
    (void)degrees;
}

void board_motor(uint8_t motor, bool is_back, uint8_t duty)
{
    board_level((uint8_t)(motor * 2), is_back);
    board_level((uint8_t)(motor * 2 + 1), duty >= 128);
}

void board_off(void)
{
    for (uint8_t i = 0; i < BOARD_PINS; i++) {
        REGISTER(GPIO + 0x50c) = bit_of(i);
    }
}
