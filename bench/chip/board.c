/* board.c - an Arduino Uno on simavr, within this process. */
#include "chip/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

enum { PINS = 20, EEPROM = 1024, TRAMPOLINE = 0x7f00 };

struct board {
    avr_t *avr;
    elf_firmware_t firmware;
    bool takes; /* its receiver has room */
    uint8_t in[BOARD_MOST_BYTES], out[BOARD_MOST_BYTES];
    size_t in_begin, in_end, out_begin, out_end;
    int levels[PINS];
    unsigned long conversions;
};

static board *the_board; /* for the notices of simavr */

static char port_of(unsigned pin)
{
    return pin < 8 ? 'D' : pin < 14 ? 'B' : 'C';
}

static int bit_of(unsigned pin)
{
    return (int)(pin < 8 ? pin : pin < 14 ? pin - 8 : pin - 14);
}

/* ---- Notices ---- */

static void on_byte(struct avr_irq_t *irq, uint32_t value, void *context)
{
    board *b = context;

    (void)irq;
    if (b->out_end < BOARD_MOST_BYTES) {
        b->out[b->out_end++] = (uint8_t)value;
    } /* else nobody reads it */
}

static void on_room(struct avr_irq_t *irq, uint32_t value, void *context)
{
    (void)irq;
    (void)value;
    the_board->takes = context != NULL;
}

static void on_pin(struct avr_irq_t *irq, uint32_t value, void *context)
{
    int *level = context;

    (void)irq;
    *level = (value & 1) != 0;
}

static void on_conversion(struct avr_irq_t *irq, uint32_t value, void *context)
{
    board *b = context;

    (void)irq;
    (void)value;
    b->conversions++;
}

static void quiet(avr_t *avr, const int level, const char *format, va_list arguments)
{
    (void)avr;
    (void)level;
    (void)format;
    (void)arguments;
}

static avr_irq_t *line_of(const board *b, int index)
{
    return avr_io_getirq(b->avr, (uint32_t)AVR_IOCTL_UART_GETIRQ('0'), index);
}

static void watch(board *b)
{
    uint32_t flags = 0;

    for (unsigned i = 0; i < PINS; i++) {
        avr_irq_register_notify(
            avr_io_getirq(b->avr, (uint32_t)AVR_IOCTL_IOPORT_GETIRQ(port_of(i)), bit_of(i)), on_pin,
            &b->levels[i]);
    }
    avr_irq_register_notify(
        avr_io_getirq(b->avr, (uint32_t)AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER), on_conversion,
        b);
    avr_ioctl(b->avr, (uint32_t)AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(line_of(b, UART_IRQ_OUTPUT), on_byte, b);
    avr_irq_register_notify(line_of(b, UART_IRQ_OUT_XON), on_room, b);
    avr_irq_register_notify(line_of(b, UART_IRQ_OUT_XOFF), on_room, NULL);
}

/* ---- Running ---- */

board *board_create(const char *path)
{
    board *b = calloc(1, sizeof *b);

    the_board = b;
    avr_global_logger_set(quiet);
    if (b == NULL || elf_read_firmware(path, &b->firmware) != 0 ||
        (b->avr = avr_make_mcu_by_name("atmega328p")) == NULL) {
        fprintf(stderr, "cannot load %s\n", path);
        exit(1);
    }
    avr_init(b->avr);
    b->firmware.frequency = BOARD_HERTZ;
    b->firmware.vcc = b->firmware.avcc = b->firmware.aref = 5000;
    avr_load_firmware(b->avr, &b->firmware);
    b->avr->log = LOG_NONE;
    b->avr->codeend = b->avr->flashend;
    avr_extint_set_strict_lvl_trig(b->avr, 0, 0);
    avr_extint_set_strict_lvl_trig(b->avr, 1, 0);
    watch(b);
    board_reset(b);
    return b;
}

void board_reset(board *b)
{
    uint32_t flags = 0;

    avr_reset(b->avr);
    avr_ioctl(b->avr, (uint32_t)AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    b->avr->pc = 0;
    b->in_begin = b->in_end = b->out_begin = b->out_end = 0;
    b->takes = true;
}

uint64_t board_cycles(const board *b)
{
    return b->avr->cycle;
}

static void step(board *b)
{
    const int state = avr_run(b->avr);

    if (state == cpu_Done || state == cpu_Crashed) {
        fprintf(stderr, "the firmware has crashed at %x\n", (unsigned)b->avr->pc);
        exit(1);
    }
}

static void feed(board *b)
{
    while (b->takes && b->in_begin < b->in_end) {
        avr_raise_irq(line_of(b, UART_IRQ_INPUT), b->in[b->in_begin++]);
    }
}

void board_run_ms(board *b, unsigned ms)
{
    for (; ms > 0; ms--) {
        const avr_cycle_count_t until = b->avr->cycle + BOARD_HERTZ / 1000;
        feed(b);
        while (b->avr->cycle < until) {
            step(b);
        }
    }
}

/* ---- The line ---- */

void board_write(board *b, const uint8_t *bytes, size_t length)
{
    if (b->in_begin == b->in_end) {
        b->in_begin = b->in_end = 0;
    }
    if (length > 0 && length <= BOARD_MOST_BYTES - b->in_end) {
        memcpy(b->in + b->in_end, bytes, length);
        b->in_end += length;
    }
}

bool board_packet(board *b, uint8_t *out, size_t size, size_t *length, unsigned ms)
{
    for (;; ms--) {
        const size_t have = b->out_end - b->out_begin;
        const uint8_t *at = b->out + b->out_begin;
        if (have >= 4) {
            *length = (size_t)at[2] << 8 | at[3];
            if (*length <= size && have >= 4 + *length) {
                memcpy(out, at + 4, *length);
                b->out_begin += 4 + *length;
                if (b->out_begin == b->out_end) {
                    b->out_begin = b->out_end = 0;
                }
                return true;
            }
        }
        if (ms == 0) {
            return false;
        }
        board_run_ms(b, 1);
    }
}

void board_forget(board *b)
{
    b->out_begin = b->out_end = 0;
}

bool board_extended(board *b, uint8_t function, const uint8_t *body, size_t length, uint8_t *out,
                    size_t size, size_t *got)
{
    uint8_t head[] = {0, 0, 0, (uint8_t)(12 + length), 1,       0, 0, 0, 255, 0x50, 0,
                      0, 0, 0, (uint8_t)(1 + length),  function};

    board_write(b, head, sizeof head);
    board_write(b, body, length);
    while (board_packet(b, out, size, got, 2000)) {
        if (*got > 0 && out[0] != 3) {
            return true;
        }
    }
    return false;
}

/* ---- Memory and pins ---- */

void board_store(board *b, const uint8_t *bytes, size_t length)
{
    uint8_t all[EEPROM];

    memset(all, 0xff, sizeof all);
    memcpy(all, bytes, length < sizeof all ? length : sizeof all);
    avr_eeprom_desc_t desc = {.ee = all, .offset = 0, .size = sizeof all};
    avr_ioctl(b->avr, AVR_IOCTL_EEPROM_SET, &desc);
}

const uint8_t *board_stored(board *b)
{
    avr_eeprom_desc_t desc = {.ee = NULL, .offset = 0, .size = EEPROM};

    avr_ioctl(b->avr, AVR_IOCTL_EEPROM_GET, &desc);
    return desc.ee;
}

void board_analog_mv(board *b, unsigned channel, unsigned mv)
{
    avr_raise_irq(
        avr_io_getirq(b->avr, (uint32_t)AVR_IOCTL_ADC_GETIRQ, (int)(ADC_IRQ_ADC0 + channel)), mv);
}

unsigned board_duty_of(const board *b, unsigned pin)
{
    static const struct {
        unsigned pin, control, bit, compare;
    } outputs[] = {{6, 0x44, 7, 0x47},  {5, 0x44, 5, 0x48},  {9, 0x80, 7, 0x88},
                   {10, 0x80, 5, 0x8a}, {11, 0xb0, 7, 0xb3}, {3, 0xb0, 5, 0xb4}};
    const uint8_t *data = b->avr->data;

    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        if (outputs[i].pin == pin && (data[outputs[i].control] >> outputs[i].bit & 1) != 0) {
            return data[outputs[i].compare];
        }
    }
    return 0;
}

bool board_level_of(const board *b, unsigned pin)
{
    return b->levels[pin] != 0;
}

unsigned long board_conversions(const board *b)
{
    return b->conversions;
}

/* ---- Functions ---- */

unsigned board_symbol(const board *b, const char *name)
{
    for (unsigned i = 0; i < b->firmware.symbolcount; i++) {
        if (strcmp(b->firmware.symbol[i]->symbol, name) == 0) {
            return b->firmware.symbol[i]->addr;
        }
    }
    return 0;
}

uint8_t *board_data(board *b)
{
    return b->avr->data;
}

void board_call(board *b, unsigned address)
{
    const uint8_t code[] = {0x0e, 0x94, (uint8_t)(address / 2), (uint8_t)(address / 2 >> 8),
                            0xff, 0xcf}; /* call; then a loop */
    avr_t *avr = b->avr;

    memcpy(avr->flash + TRAMPOLINE, code, sizeof code);
    avr->data[1] = 0;
    avr->data[R_SPL] = 0xff;
    avr->data[R_SPH] = 0x08;
    avr->data[R_SREG] = 0;
    memset(avr->sreg, 0, sizeof avr->sreg);
    avr->pc = TRAMPOLINE;
    avr->state = cpu_Running;
    while (avr->pc != TRAMPOLINE + 4) {
        step(b);
    }
}
