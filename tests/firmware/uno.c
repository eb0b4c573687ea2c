/*
 * uno.c - an Arduino Uno with a real firmware, on simavr: its serial line is a pseudo-terminal.
 *
 *     uno FIRMWARE.hex [--silent]
 *
 * It prints "serial:/dev/pts/5" once the firmware has sent its first byte; at once with --silent,
 * for a firmware that speaks only when it is asked. Then it takes commands on standard input and
 * answers each with a line:
 *
 *     pin N LEVEL          a level at a digital input; "ok"
 *     analog CHANNEL MV    a voltage at an analog input; "ok"
 *     state N              "level L duty D pulse US": of pin N: its level, the duty of its timer (0
 *                          to 255), the length of its last pulse
 *     clock                "MS": the time of the board since its start
 *     reset                the button; the EEPROM stays; "ok"
 *     lose N               the N-th byte that the host sends from now on is lost; "ok"
 *     flip N               a bit of it is turned; "ok"
 *     traffic              "in BYTES out BYTES first MS": what the host has sent, what the board
 * has sent since then, and the time of the board from the first byte of the host to its first
 * analog report (-1 if there was none)
 *
 * The board runs at its own speed (16 MHz) or as fast as this machine can.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_hex.h>

enum { PINS = 20, HERTZ = 16000000, SLICE = HERTZ / 1000, QUEUE = 4096, ANALOG_REPORT = 0xe0 };

struct pin {
    int level;
    avr_cycle_count_t rose;
    unsigned pulse_us;
};

static struct board {
    avr_t *avr;
    int line; /* the master of the pseudo-terminal */
    bool has_started;
    bool takes; /* its receiver has room */
    unsigned char queue[QUEUE];
    size_t begin, end;
    unsigned long in, out;
    unsigned long lose, flip; /* counted down; 0 for none */
    avr_cycle_count_t first_in, first_report;
    struct pin pins[PINS];
} board;

/* The port and bit of a pin: 0 to 7 are port D, 8 to 13 port B, 14 to 19 port C. */
static char port_of(int pin)
{
    return pin < 8 ? 'D' : pin < 14 ? 'B' : 'C';
}

static int bit_of(int pin)
{
    return pin < 8 ? pin : pin < 14 ? pin - 8 : pin - 14;
}

/* ---- What the board does --------------------------------------------------------------------- */

static void on_byte(struct avr_irq_t *irq, uint32_t value, void *context)
{
    const unsigned char byte = (unsigned char)value;

    (void)irq;
    (void)context;
    board.has_started = true;
    if (board.in > 0) {
        board.out++;
        if ((byte & 0xf0) == ANALOG_REPORT && board.first_report == 0) {
            board.first_report = board.avr->cycle;
        }
    }
    if (write(board.line, &byte, 1) != 1) {
        return; /* nobody has the line open */
    }
}

static void on_room(struct avr_irq_t *irq, uint32_t value, void *context)
{
    (void)irq;
    (void)value;
    board.takes = context != NULL;
}

static void on_pin(struct avr_irq_t *irq, uint32_t value, void *context)
{
    struct pin *pin = context;
    const int level = (value & 1) != 0;

    (void)irq;
    if (level && !pin->level) {
        pin->rose = board.avr->cycle;
    } else if (!level && pin->level) {
        pin->pulse_us = (unsigned)((board.avr->cycle - pin->rose) / (HERTZ / 1000000));
    }
    pin->level = level;
}

/* The compare register of a pin that its timer drives, from the data sheet; 0 if it does not. */
static int duty_of(int pin)
{
    static const struct {
        int pin;
        unsigned control, bit, compare;
    } outputs[] = {{6, 0x44, 7, 0x47},  {5, 0x44, 5, 0x48},  {9, 0x80, 7, 0x88},
                   {10, 0x80, 5, 0x8a}, {11, 0xb0, 7, 0xb3}, {3, 0xb0, 5, 0xb4}};
    const uint8_t *data = board.avr->data;

    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        if (outputs[i].pin == pin && (data[outputs[i].control] >> outputs[i].bit & 1) != 0) {
            return data[outputs[i].compare];
        }
    }
    return 0;
}

/* The length of the pulses that timer 1 makes for a servo at pin 9 or 10; 0 if it does not. */
static unsigned servo_us(int pin)
{
    const uint8_t *data = board.avr->data;
    const unsigned at = pin == 9 ? 0x88 : 0x8a;

    if ((pin != 9 && pin != 10) || (data[0x81] & 0x10) == 0 ||
        (data[0x80] >> (pin == 9 ? 7 : 5) & 1) == 0) {
        return 0;
    }
    return (data[at] | (unsigned)data[at + 1] << 8) / 2; /* it counts at 2 MHz */
}

static void watch(void)
{
    static char room;
    uint32_t flags = 0;
    avr_t *avr = board.avr;

    for (int i = 0; i < PINS; i++) {
        avr_irq_register_notify(
            avr_io_getirq(avr, (uint32_t)AVR_IOCTL_IOPORT_GETIRQ(port_of(i)), bit_of(i)), on_pin,
            &board.pins[i]);
    }
    avr_ioctl(avr, (uint32_t)AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)AVR_UART_FLAG_STDIO;
    avr_ioctl(avr, (uint32_t)AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(
        avr_io_getirq(avr, (uint32_t)AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_byte, NULL);
    avr_irq_register_notify(
        avr_io_getirq(avr, (uint32_t)AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), on_room, &room);
    avr_irq_register_notify(
        avr_io_getirq(avr, (uint32_t)AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), on_room, NULL);
}

/* ---- Its line -------------------------------------------------------------------------------- */

static void take_bytes(void)
{
    unsigned char bytes[256];
    const ssize_t got = read(board.line, bytes, sizeof bytes);

    for (ssize_t i = 0; i < got && board.end < QUEUE; i++) {
        if (board.lose > 0 && --board.lose == 0) {
            continue;
        }
        board.queue[board.end++] = board.flip > 0 && --board.flip == 0 ? bytes[i] ^ 0x10 : bytes[i];
        if (board.in++ == 0) {
            board.first_in = board.avr->cycle;
        }
    }
    while (board.takes && board.begin < board.end) {
        avr_raise_irq(
            avr_io_getirq(board.avr, (uint32_t)AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT),
            board.queue[board.begin++]);
    }
    if (board.begin == board.end) {
        board.begin = board.end = 0;
    }
}

static void open_line(char *path, size_t size)
{
    struct termios mode;

    board.line = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (board.line < 0 || grantpt(board.line) != 0 || unlockpt(board.line) != 0 ||
        ptsname_r(board.line, path, size) != 0 || tcgetattr(board.line, &mode) != 0) {
        perror("uno: pseudo-terminal");
        exit(1);
    }
    cfmakeraw(&mode);
    tcsetattr(board.line, TCSANOW, &mode);
    const int once = open(path, O_RDWR | O_NOCTTY); /* a side that was never opened is not closed */
    close(once);
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* From outside; it stays when the firmware changes the mode of the pin. */
static void set_pin(int pin, int level)
{
    static avr_ioport_external_t ports[3];
    const char name = port_of(pin);
    avr_ioport_external_t *port = &ports[name == 'D' ? 0 : name == 'B' ? 1 : 2];
    const unsigned bit = 1u << bit_of(pin);

    port->name = (unsigned long)name & 0x7f;
    port->mask = (port->mask | bit) & 0xff;
    port->value = (level != 0 ? port->value | bit : port->value & ~bit) & 0xff;
    avr_ioctl(board.avr, (uint32_t)AVR_IOCTL_IOPORT_SET_EXTERNAL(name), port);
    avr_raise_irq(avr_io_getirq(board.avr, (uint32_t)AVR_IOCTL_IOPORT_GETIRQ(name), bit_of(pin)),
                  (uint32_t)level);
}

static void set_line(void)
{
    uint32_t flags = 0; /* nothing is printed, nothing waits */

    avr_ioctl(board.avr, (uint32_t)AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
}

static void press_reset(void)
{
    avr_reset(board.avr);
    board.avr->pc = 0;
    board.begin = board.end = 0;
    board.takes = true;
    set_line();
}

static void obey(const char *text)
{
    int a, b;

    if (sscanf(text, "pin %d %d", &a, &b) == 2 && a >= 0 && a < PINS) {
        set_pin(a, b);
        puts("ok");
    } else if (sscanf(text, "analog %d %d", &a, &b) == 2 && a >= 0 && a < 8) {
        avr_raise_irq(avr_io_getirq(board.avr, (uint32_t)AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + a),
                      (uint32_t)b);
        puts("ok");
    } else if (sscanf(text, "state %d", &a) == 1 && a >= 0 && a < PINS) {
        const struct pin *pin = &board.pins[a];
        const unsigned servo = servo_us(a);
        printf("level %d duty %d pulse %u\n", pin->level, duty_of(a),
               servo > 0 ? servo : pin->pulse_us);
    } else if (strncmp(text, "clock", 5) == 0) {
        printf("%llu\n", (unsigned long long)(board.avr->cycle / (HERTZ / 1000)));
    } else if (strncmp(text, "reset", 5) == 0) {
        press_reset();
        puts("ok");
    } else if (sscanf(text, "lose %lu", &board.lose) == 1 ||
               sscanf(text, "flip %lu", &board.flip) == 1) {
        puts("ok");
    } else if (strncmp(text, "traffic", 7) == 0) {
        const double ms = (double)(board.first_report - board.first_in) * 1000 / HERTZ;
        printf("in %lu out %lu first %.3f\n", board.in, board.out,
               board.first_report == 0 ? -1 : ms);
    } else {
        puts("error");
    }
    fflush(stdout);
}

/* Wait for a command or for bytes of the line. While nobody has the line open, only for a command:
 * such a line is always ready. */
static bool await_command(int wait_ms)
{
    struct pollfd input[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = board.line, .events = POLLIN}};

    if (poll(input, 2, 0) >= 0 && (input[1].revents & POLLHUP) != 0) {
        input[1].fd = -1;
    }
    return poll(input, 2, wait_ms) > 0 && input[0].revents != 0;
}

/* False at the end of the input. */
static bool take_commands(int wait_ms)
{
    static char text[256];
    static size_t length;

    if (!await_command(wait_ms)) {
        return true;
    }
    const ssize_t got = read(STDIN_FILENO, text + length, sizeof text - 1 - length);
    if (got <= 0) {
        return false;
    }
    length += (size_t)got;
    text[length] = '\0';
    for (char *end; (end = strchr(text, '\n')) != NULL;) {
        *end = '\0';
        obey(text);
        length -= (size_t)(end + 1 - text);
        memmove(text, end + 1, length + 1);
    }
    return true;
}

/* ---- Running --------------------------------------------------------------------------------- */

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A millisecond of the board. */
static void run_slice(void)
{
    const avr_cycle_count_t until = board.avr->cycle + SLICE;

    while (board.avr->cycle < until) {
        const int state = avr_run(board.avr);
        if (state == cpu_Done || state == cpu_Crashed) {
            fputs("uno: the firmware has crashed\n", stderr);
            exit(1);
        }
    }
}

static void start(const char *path)
{
    uint32_t base = 0, size = 0;
    uint8_t *code = read_ihex_file(path, &size, &base);

    board.avr = avr_make_mcu_by_name("atmega328p");
    if (code == NULL || board.avr == NULL) {
        fprintf(stderr, "uno: cannot load %s\n", path);
        exit(1);
    }
    avr_init(board.avr);
    board.avr->frequency = HERTZ;
    board.avr->vcc = board.avr->avcc = board.avr->aref = 5000;
    board.avr->log = LOG_NONE;
    memcpy(board.avr->flash + base, code, size);
    free(code);
    board.avr->pc = base;
    board.avr->codeend = board.avr->flashend;
    /* else these two inputs are looked at in every cycle */
    avr_extint_set_strict_lvl_trig(board.avr, 0, 0);
    avr_extint_set_strict_lvl_trig(board.avr, 1, 0);
}

int main(int argc, char **argv)
{
    char path[128];

    const bool is_silent = argc == 3 && strcmp(argv[2], "--silent") == 0;

    if (argc != 2 && !is_silent) {
        fputs("usage: uno FIRMWARE.hex [--silent]\n", stderr);
        return 2;
    }
    start(argv[1]);
    board.takes = true;
    open_line(path, sizeof path);
    watch();
    while (!board.has_started && !is_silent) {
        run_slice();
    }
    /* The rest of what it says at its start is lost, as on a real line. */
    for (int i = 0; i < (is_silent ? 50 : 500); i++) {
        run_slice();
    }
    tcflush(board.line, TCIOFLUSH);
    printf("serial:%s\n", path);
    fflush(stdout);
    double ahead = now_s();
    for (bool goes = true; goes;) {
        take_bytes();
        run_slice();
        ahead += 1e-3;
        const double left = ahead - now_s();
        ahead = left < -0.1 ? now_s() : ahead; /* time that is lost is not made up for */
        goes = take_commands(left > 0 ? (int)(left * 1000) : 0);
    }
    avr_terminate(board.avr);
    return 0;
}
