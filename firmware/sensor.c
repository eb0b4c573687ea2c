/*
 * sensor.c - a sensor that describes itself on an ATmega328P at 16 MHz: the device side of the
 * sensor protocol with a converter and a serial line of 115,200 baud.
 *
 * It is one of two sensors, as its manifest says: uno_light has the first channel, uno_station all.
 *
 *     1    the analog input A0, ten bits; its mode 1, the floodlight, is the LED at pin 13: lit at
 * 1 2    the analog input A1, ten bits 3    a button between pin 2 and ground: 1 while it is
 * pressed 4    a lamp at pin 6: pulses of timer 0, 0 to 255
 *
 * Timer 1 counts half microseconds. The converter runs all the time, for one input after the other,
 * so that a reading does not wait; the line is served by interrupts.
 */
#include <avr/interrupt.h>
#include <avr/io.h>

#include "firmware_plan.h"

#ifndef SENSOR_SAMPLES
#define SENSOR_SAMPLES 256
#endif

enum { RECEIVED = 64, SENT = 64, INPUTS = 2 }; /* powers of 2 */
enum { LIGHT, VOLTAGE, BUTTON, LAMP };         /* places of the channels in the plan */

static volatile uint8_t received[RECEIVED], sent[SENT];
static volatile uint8_t received_in, received_out, sent_in, sent_out;
static volatile uint32_t turns;          /* of timer 1, 32.768 ms each */
static volatile uint16_t inputs[INPUTS]; /* the newest values of A0 and A1 */
static tpi_sensor_cell cells[SENSOR_SAMPLES];
static tpi_sensor sensor;

/* ---- Hardware -------------------------------------------------------------------------------- */

ISR(TIMER1_OVF_vect)
{
    turns++;
}

ISR(ADC_vect)
{
    const uint8_t input = ADMUX & (INPUTS - 1);

    inputs[input] = ADC;
    ADMUX = _BV(REFS0) | ((input + 1) & (INPUTS - 1));
    ADCSRA |= _BV(ADSC);
}

ISR(USART_RX_vect)
{
    const uint8_t byte = UDR0;
    const uint8_t next = (uint8_t)((received_in + 1) & (RECEIVED - 1));

    if (next != received_out) {
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
        sent_out = (uint8_t)((sent_out + 1) & (SENT - 1));
    }
}

static uint64_t now_us(void)
{
    uint32_t high;
    uint16_t low;

    cli();
    high = turns;
    low = TCNT1;
    if ((TIFR1 & _BV(TOV1)) != 0 && low < 0x8000) { /* it has just begun anew */
        high++;
    }
    sei();
    return (((uint64_t)high << 16) | low) >> 1;
}

static void set_up(void)
{
    DDRB |= _BV(DDB5);
    DDRD |= _BV(DDD6);
    PORTD |= _BV(PORTD2);           /* the pull-up of the button */
    TCCR0B = _BV(CS01) | _BV(CS00); /* 977 pulses of the lamp in a second */
    TCCR1B = _BV(CS11);             /* 2 MHz */
    TIMSK1 = _BV(TOIE1);
    ADMUX = _BV(REFS0);
    ADCSRA = _BV(ADEN) | _BV(ADIE) | _BV(ADSC) | 7; /* 104 us for a conversion */
    UBRR0 = 16;                                     /* 115,200 baud */
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
    sei();
}

/* ---- Hooks of the device side ---------------------------------------------------------------- */

static int32_t on_read(void *context, uint8_t channel, uint64_t at_us)
{
    uint16_t value;

    (void)context;
    (void)at_us;
    if (channel == BUTTON) {
        return (PIND & _BV(PIND2)) == 0;
    }
    cli();
    value = inputs[channel & (INPUTS - 1)];
    sei();
    return value;
}

static void on_write(void *context, uint8_t channel, int32_t raw)
{
    (void)context;
    if (channel != LAMP) {
        return;
    }
    OCR0A = (uint8_t)raw;
    if (raw > 0) {
        TCCR0A = _BV(COM0A1) | _BV(WGM01) | _BV(WGM00);
    } else {
        TCCR0A = 0; /* the pin, which is low, and not a short pulse */
    }
}

static void on_set(void *context, uint8_t channel, uint8_t mode, double value)
{
    (void)context;
    (void)channel;
    (void)mode;
    if (value == 1) {
        PORTB |= _BV(PORTB5);
    } else {
        PORTB &= (uint8_t)~_BV(PORTB5);
    }
}

static char on_manifest(void *context, uint32_t at)
{
    (void)context;
    return (char)pgm_read_byte(&tpi_sensor_firmware_manifest[(uint16_t)at]);
}

static uint16_t on_room(void *context)
{
    (void)context;
    return (uint16_t)((sent_out - sent_in - 1) & (SENT - 1));
}

static void on_put(void *context, const char *bytes, uint8_t length)
{
    (void)context;
    for (uint8_t i = 0; i < length; i++) {
        sent[sent_in] = (uint8_t)bytes[i];
        sent_in = (uint8_t)((sent_in + 1) & (SENT - 1));
    }
    UCSR0B |= _BV(UDRIE0);
}

static const tpi_sensor_hooks hooks = {.read = on_read,
                                       .write = on_write,
                                       .set = on_set,
                                       .manifest = on_manifest,
                                       .room = on_room,
                                       .put = on_put};

/* Bytes are taken only while no command waits, so that none takes another one's place. */
static void take_bytes(void)
{
    while (received_out != received_in && !sensor.is_whole) {
        const char byte = (char)received[received_out];
        received_out = (uint8_t)((received_out + 1) & (RECEIVED - 1));
        tpi_sensor_input(&sensor, &byte, 1);
    }
}

int main(void)
{
    set_up();
    tpi_sensor_init(&sensor, &tpi_sensor_firmware_plan, &hooks, 0, cells, SENSOR_SAMPLES);
    for (;;) {
        take_bytes();
        (void)tpi_sensor_step(&sensor, now_us());
    }
}
