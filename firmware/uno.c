/*
 * uno.c - the board: an Arduino Uno or Nano, ATmega328P at 16 MHz.
 *
 * Timer 0 makes the clock and the pulses of pins 5 and 6, timer 2 those of pins 3 and 11, timer 1
 * those of pins 9 and 10, or of two servos there. The line has 57,600 baud. The program is kept in
 * the EEPROM. The watchdog resets a chip whose loop stands still for half a second; then the
 * program does not start again.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/wdt.h>

#include "chip.h"

enum { RECEIVED = 128, SENT = 64 };                                   /* powers of 2 */
enum { SERVO_PERIOD = 40000, SERVO_LEAST = 1088, SERVO_MOST = 4800 }; /* half microseconds */
enum { PAINT = 0xc5 };

static volatile uint8_t received[RECEIVED], sent[SENT];
static volatile uint8_t received_in, received_out, sent_in, sent_out;
static volatile uint32_t milliseconds;
static uint8_t reset_cause __attribute__((section(".noinit")));
static bool has_servos; /* timer 1 makes pulses for servos */

extern uint8_t _end; /* of static memory */
void wake_up(void) __attribute__((naked, used, section(".init3")));

/* Before main: the watchdog is still on after a reset of its own; the stack is painted, to see
 * later how deep it was. */
void wake_up(void)
{
    reset_cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
    for (uint8_t *place = &_end; place < (uint8_t *)RAMEND; place++) {
        *place = PAINT;
    }
}

uint16_t board_untouched(void)
{
    const uint8_t *place = &_end;

    while (*place == PAINT) {
        place++;
    }
    return (uint16_t)(place - &_end);
}

/* ---- Time ---- */

ISR(TIMER0_OVF_vect) /* every 1.024 ms */
{
    static uint8_t part;

    milliseconds++;
    part = (uint8_t)(part + 3);
    if (part >= 125) {
        part = (uint8_t)(part - 125);
        milliseconds++;
    }
}

uint32_t board_ms(void)
{
    cli();
    const uint32_t now = milliseconds;
    sei();
    return now;
}

void board_feed(void)
{
    wdt_reset();
}

bool board_may_run(void)
{
    return (reset_cause & _BV(WDRF)) == 0;
}

/* ---- The line ---- */

ISR(USART_RX_vect)
{
    const uint8_t byte = UDR0, next = (uint8_t)(received_in + 1) % RECEIVED;

    if (next != received_out) { /* else it is lost, and the packet with it */
        received[received_in] = byte;
        received_in = next;
    }
}

ISR(USART_UDRE_vect)
{
    if (sent_out == sent_in) {
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
    } else {
        UDR0 = sent[sent_out];
        sent_out = (uint8_t)(sent_out + 1) % SENT;
    }
}

bool board_take(uint8_t *byte)
{
    if (received_out == received_in) {
        return false;
    }
    *byte = received[received_out];
    received_out = (uint8_t)(received_out + 1) % RECEIVED;
    return true;
}

void board_send(uint8_t byte)
{
    const uint8_t next = (uint8_t)(sent_in + 1) % SENT;

    while (next == sent_out) {
    }
    sent[sent_in] = byte;
    sent_in = next;
    UCSR0B |= _BV(UDRIE0);
}

/* ---- The EEPROM ---- */

void board_write(uint16_t at, uint8_t byte)
{
    if (board_read(at) == byte) {
        return;
    }
    EEDR = byte;
    cli();
    EECR |= _BV(EEMPE);
    EECR |= _BV(EEPE);
    sei();
    while ((EECR & _BV(EEPE)) != 0) {
    }
}

/* ---- Pins ---- */

/* A pin from 2 on: 2 to 7 are port D, 8 to 13 port B, 14 to 19 (A0 to A5) port C. The registers of
 * a port lie one behind the other: input, direction, output. */
static volatile uint8_t *port_of(uint8_t index, uint8_t *bit)
{
    const uint8_t pin = (uint8_t)(index + 2);

    *bit = (uint8_t)(1u << (pin < 8 ? pin : pin < 14 ? pin - 8 : pin - 14));
    return pin < 8 ? &PIND : pin < 14 ? &PINB : &PINC;
}

/* Registers of a pulse output: control of its timer, compare; and its bit and pin. */
typedef struct pulse {
    volatile uint8_t *control, *compare;
    uint8_t connect, pin;
} pulse;
static const pulse pulses[BOARD_DUTIES] PROGMEM = {
    {&TCCR2A, &OCR2B, _BV(COM2B1), 1},  {&TCCR0A, &OCR0B, _BV(COM0B1), 3},
    {&TCCR0A, &OCR0A, _BV(COM0A1), 4},  {&TCCR1A, &OCR1AL, _BV(COM1A1), 7},
    {&TCCR1A, &OCR1BL, _BV(COM1B1), 8}, {&TCCR2A, &OCR2A, _BV(COM2A1), 9},
};

static void set_level(uint8_t pin, bool is_high)
{
    uint8_t bit;
    volatile uint8_t *port = port_of(pin, &bit);

    port[2] = is_high ? port[2] | bit : port[2] & (uint8_t)~bit;
    port[1] |= bit;
}

/* No pulses at a pin. */
static void disconnect(uint8_t pin)
{
    for (uint8_t i = 0; i < BOARD_DUTIES; i++) {
        pulse p;
        memcpy_P(&p, &pulses[i], sizeof p);
        if (p.pin == pin || pin == BOARD_PINS) {
            *p.control &= (uint8_t)~p.connect;
        }
    }
}

uint16_t board_analog(uint8_t channel)
{
    ADMUX = (uint8_t)(_BV(REFS0) | channel);
    ADCSRA |= _BV(ADSC);
    while ((ADCSRA & _BV(ADSC)) != 0) {
    }
    return ADC;
}

bool board_digital(uint8_t pin, bool pulls_up)
{
    uint8_t bit;
    volatile uint8_t *port = port_of(pin, &bit);

    if ((port[1] & bit) != 0 || ((port[2] & bit) != 0) != pulls_up) { /* its first use */
        disconnect(pin);
        port[1] &= (uint8_t)~bit;
        port[2] = pulls_up ? port[2] | bit : port[2] & (uint8_t)~bit;
        for (uint8_t i = 0; i < 50; i++) { /* the pull-up needs a few microseconds */
            __asm__ volatile("nop");
        }
    }
    return (*port & bit) != 0;
}

void board_level(uint8_t pin, bool is_high)
{
    disconnect(pin);
    set_level(pin, is_high);
}

/* Timer 1: pulses as those of the other timers, or 50 Hz for servos. */
static void set_timer(bool servos)
{
    if (servos != has_servos) {
        has_servos = servos;
        TCCR1A = servos ? _BV(WGM11) : _BV(WGM10);
        ICR1 = SERVO_PERIOD;
        TCCR1B = servos ? _BV(WGM13) | _BV(WGM12) | _BV(CS11) : _BV(WGM12) | _BV(CS11) | _BV(CS10);
    }
}

void board_duty(uint8_t output, uint8_t duty)
{
    pulse p;

    memcpy_P(&p, &pulses[output], sizeof p);
    if (p.control == &TCCR1A) {
        set_timer(false);
        p.compare[1] = 0; /* its high byte is written first */
    }
    if (duty == 0 || duty == 255) {
        *p.control &= (uint8_t)~p.connect;
    } else {
        *p.compare = duty;
        *p.control |= p.connect;
    }
    set_level(p.pin, duty == 255);
}

void board_servo(uint8_t servo, uint8_t degrees)
{
    const uint16_t length =
        (uint16_t)(SERVO_LEAST + (uint32_t)degrees * (SERVO_MOST - SERVO_LEAST) / 180u);

    set_timer(true);
    if (servo == 0) {
        OCR1A = length;
        TCCR1A |= _BV(COM1A1);
    } else {
        OCR1B = length;
        TCCR1A |= _BV(COM1B1);
    }
    set_level((uint8_t)(7 + servo), false);
}

/* Power at pins 5 and 6, directions at pins 4 and 7. */
void board_motor(uint8_t motor, bool is_back, uint8_t duty)
{
    set_level(motor == 0 ? 2 : 5, is_back);
    board_duty((uint8_t)(1 + motor), duty);
}

void board_off(void)
{
    disconnect(BOARD_PINS);
    PORTB &= (uint8_t)~DDRB;
    PORTC &= (uint8_t)~DDRC;
    PORTD &= (uint8_t)~DDRD;
}

void board_start(void)
{
    TCCR0A = _BV(WGM01) | _BV(WGM00);
    TCCR0B = _BV(CS01) | _BV(CS00);
    TIMSK0 = _BV(TOIE0);
    TCCR2A = _BV(WGM21) | _BV(WGM20);
    TCCR2B = _BV(CS22);
    has_servos = true;
    set_timer(false);
    ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
    UBRR0 = 34; /* 57,600 baud, 0.8 % less */
    UCSR0A = _BV(U2X0);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
    wdt_enable(WDTO_500MS);
    sei();
}
