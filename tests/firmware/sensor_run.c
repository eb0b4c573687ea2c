/*
 * sensor_run.c - the firmware of a sensor on simavr, in lockstep: commands of a list, then samples.
 *
 *     sensor_run FIRMWARE.hex SAMPLES PERIOD_US
 *     sensor_run FIRMWARE.hex station
 *
 * Time is that of the chip. Each command of the list has one answer, which is compared. Then so
 * many samples are logged at the period, over the real serial line of the chip (115,200 baud); what
 * is delivered and what is announced as lost has to be all of them, once each, with times that
 * never go back. Prints "delivered N lost N in S s".
 *
 * The second form is for the firmware with a channel of each kind: a button is pressed, the pulses
 * of the lamp are measured. Prints "stack N": the lowest address that the stack has reached.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_hex.h>

enum { HERTZ = 16000000, MOST_LINE = 512, PATIENCE_S = 5 };
enum { STACK_POINTER = 0x5d, LAMP_CONTROL = 0x44, LAMP_DUTY = 0x47 }; /* of the data sheet */

static struct {
    avr_t *avr;
    char line[MOST_LINE], answer[MOST_LINE];
    size_t length;
    bool has_answer;
    bool is_station;
    char told[MOST_LINE]; /* data of a station, without their times */
    unsigned stack;
    unsigned long long delivered, lost, next, time_us;
} run;

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "sensor_run: %s: %s\n", what, text);
    _Exit(1);
}

/* A line of data or of loss; false if it is something else. */
static bool take_data(const char *line)
{
    unsigned long long first, count, time_us;

    if (sscanf(line, "L,1,lost,%llu,%llu", &first, &count) == 2) {
        run.lost += count;
    } else if (sscanf(line, "L,1,%llu,%llu,%llu,", &first, &count, &time_us) == 3) {
        if (time_us < run.time_us) {
            fail("time goes back", line);
        }
        run.time_us = time_us;
        run.delivered += count;
    } else {
        return false;
    }
    if (first != run.next) {
        fail("a sample is missing or there twice", line);
    }
    run.next = first + count;
    return true;
}

/* The same of a station: "L,CHANNEL,FIRST,COUNT,TIME,VALUES". */
static bool take_told(const char *line)
{
    unsigned channel, first, count;
    unsigned long long time_us;
    int values = 0;
    const size_t length = strlen(run.told);

    if (sscanf(line, "L,%u,%u,%u,%llu,%n", &channel, &first, &count, &time_us, &values) != 4 ||
        values == 0) {
        return false;
    }
    snprintf(run.told + length, sizeof run.told - length, "%u,%u,%u,%s ", channel, first, count,
             line + values);
    return true;
}

static void on_byte(struct avr_irq_t *irq, uint32_t value, void *context)
{
    (void)irq;
    (void)context;
    if ((char)value != '\n') {
        if (run.length + 1 == MOST_LINE) {
            fail("a line without an end", run.line);
        }
        run.line[run.length++] = (char)value;
        return;
    }
    run.line[run.length] = '\0';
    run.length = 0;
    if (run.is_station ? !take_told(run.line) : !take_data(run.line)) {
        memcpy(run.answer, run.line, MOST_LINE);
        run.has_answer = true;
    }
}

/* Run for some time of the chip. */
static void pass_us(unsigned long us)
{
    const avr_cycle_count_t until = run.avr->cycle + (avr_cycle_count_t)us * (HERTZ / 1000000);

    while (run.avr->cycle < until) {
        const int state = avr_run(run.avr);
        if (state == cpu_Done || state == cpu_Crashed) {
            fail("the firmware has crashed", "");
        }
        const unsigned stack =
            run.avr->data[STACK_POINTER] | (unsigned)run.avr->data[STACK_POINTER + 1] << 8;
        run.stack =
            stack >= 0x100 && stack < run.stack ? stack : run.stack; /* 0 before it is set */
    }
}

/* At 115,200 baud a byte takes 87 us. */
static void ask(const char *command, const char *expected)
{
    run.has_answer = false;
    for (const char *at = command; *at != '\0'; at++) {
        avr_raise_irq(avr_io_getirq(run.avr, (uint32_t)AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT),
                      (uint32_t)(unsigned char)*at);
        pass_us(87);
    }
    for (int i = 0; i < PATIENCE_S * 1000 && !run.has_answer && expected != NULL; i++) {
        pass_us(1000);
    }
    if (expected != NULL && (!run.has_answer || strcmp(run.answer, expected) != 0)) {
        fprintf(stderr, "sensor_run: %s: \"%s\" instead of \"%s\"\n", command,
                run.has_answer ? run.answer : "", expected);
        _Exit(1);
    }
}

static void set_input(unsigned input, unsigned millivolts)
{
    avr_raise_irq(
        avr_io_getirq(run.avr, (uint32_t)AVR_IOCTL_ADC_GETIRQ, (int)(ADC_IRQ_ADC0 + input)),
        millivolts);
    pass_us(1000);
}

static void start(const char *path)
{
    uint32_t base = 0, size = 0, flags = 0;
    uint8_t *code = read_ihex_file(path, &size, &base);

    run.avr = avr_make_mcu_by_name("atmega328p");
    if (code == NULL || run.avr == NULL) {
        fail("cannot load", path);
    }
    avr_init(run.avr);
    run.avr->frequency = HERTZ;
    run.avr->vcc = run.avr->avcc = run.avr->aref = 5000;
    run.avr->log = LOG_NONE;
    memcpy(run.avr->flash + base, code, size);
    free(code);
    run.avr->pc = base;
    run.stack = run.avr->ramend;
    run.avr->codeend = run.avr->flashend;
    avr_extint_set_strict_lvl_trig(run.avr, 0, 0);
    avr_extint_set_strict_lvl_trig(run.avr, 1, 0);
    avr_ioctl(run.avr, (uint32_t)AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(
        avr_io_getirq(run.avr, (uint32_t)AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_byte,
        NULL);
    pass_us(20000);
}

/* The ids of tables 2.1, B.1 and B.2 that a sensor with one channel has. */
static void talk(void)
{
    static const char *const list[][2] = {
        {"<R>", "R,409"},
        {"<R,1>", "R,1,409"},
        {"<R1>", "R,1,409"},
        {"<G, M, 1>", "G,M,1"},
        {"<S, M, 1, 2>", "S,M,1,2"},
        {"<S,M,1>", "S,M,1,1"},
        {"<SM121>", "S,M,1,2,1"},
        {"<G,M>", "G,M,2"},
        {"<S,C,2>", "S,C,2"},
        {"<G,C>", "G,C,2"},
        {"<R>", "R,70"},
        {"<R*52>", "R,70*79"},
        {"<R*53>", "!!!,R*53*73"},
        {"<W,1>", "!!!,W,1"},
        {"<Q\x01>", "!!!,Q?"},
        {"<S,C,1>", "S,C,1"},
        {"<T>", "T"},
        {"<X,99>", "X\xFF"},
        {"<L,1,K:t=499>", "L,1,bad,K,500"},
        {"<L,1,S:t=5000,E:n=3,X:done,K:t=1000>", "L,1,ok"},
        {"<L,go>", "L,go"},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        ask(list[i][0], list[i][1]);
    }
    pass_us(20000);
    if (run.delivered != 3) {
        fail("three samples were to come", run.line);
    }
    run.delivered = run.next = 0;
    ask("<L,1,S:trig,E:inf,X:t=10000,K:t=1000>", "L,1,ok");
    ask("<L,go>", "L,go");
    pass_us(30000);
    if (run.delivered != 0) {
        fail("it started by itself", run.line);
    }
    ask("<T>", "T");
    pass_us(30000);
    ask("<L,stop>", "L,stop");
    pass_us(20000);
    if (run.delivered < 20) {
        fail("too few samples", run.line);
    }
    ask("+++", NULL);
    ask("<L,1,read>", "!!!,L,1,read");
}

/* ---- A channel of each kind ------------------------------------------------------------------ */

/* The button at pin 2, which has a pull-up, for some time of the chip. */
static void press(bool on, unsigned long us)
{
    avr_raise_irq(avr_io_getirq(run.avr, (uint32_t)AVR_IOCTL_IOPORT_GETIRQ('D'), 2), !on);
    pass_us(us);
}

static void told(const char *expected)
{
    if (strcmp(run.told, expected) != 0) {
        fprintf(stderr, "sensor_run: told \"%s\" instead of \"%s\"\n", run.told, expected);
        _Exit(1);
    }
    run.told[0] = '\0';
}

static void lamp_is(unsigned expected)
{
    const unsigned duty = (run.avr->data[LAMP_CONTROL] & 0x80) != 0 ? run.avr->data[LAMP_DUTY] : 0;

    if (duty != expected) {
        fprintf(stderr, "sensor_run: the lamp is %u instead of %u\n", duty, expected);
        _Exit(1);
    }
}

/* What commands beside data logging do with several channels. */
static void talk_to_channels(void)
{
    lamp_is(0);
    ask("<R>", "R,409");
    ask("<R*52>", "R,409*43");
    ask("<R,2>", "R,2,2.50");
    ask("<R,3>", "R,3,0");
    press(true, 1000);
    ask("<R3>", "R,3,1");
    press(false, 1000);
    ask("<S,C,2,1>", "S,C,2,1");
    ask("<R,1>", "R,1,70");
    ask("<S,C,1,1>", "S,C,1,1");
    ask("<W,4,40>", "W,4,40");
    lamp_is(102);
    ask("<R,4>", "R,4,40");
    ask("<W,4,101>", "!!!,W,4,101");
    ask("<W,2,1>", "!!!,W,2,1");
    ask("<W,4,0>", "W,4,0");
    lamp_is(0);
    ask("<L,3,C:1;0;once,C:0;0;once,C:1;0;once>", "L,3,bad,C,2");
    ask("<L,1,D:1;2>", "L,1,bad,D,0");
    ask("<L,2,S:ch=7>", "L,2,bad,S,4");
}

/* B.2: other channels start, trigger and end a channel; events with their conditions. */
static void log_events(void)
{
    ask("<L,3,K:t=1000,E:n=2,X:n=1,C:1;0;once>", "L,3,ok");
    ask("<L,1,S:ch=3,E:ch=3,X:done,K:t=10000>", "L,1,ok");
    ask("<L,2,K:ch=3,E:inf,X:n=1>", "L,2,ok");
    ask("<L,go>", "L,go");
    pass_us(100000);
    told("");
    press(true, 20000);
    told("2,0,1,2.50 3,0,1,1 ");
    press(false, 5000);
    told("");
    press(true, 20000); /* the second press ends the button, which ends channel 1 */
    told("1,0,3,409;409;409 2,1,1,2.50 3,1,1,1 ");
    ask("<L,stop>", "L,stop");
    ask("+++", NULL);
    ask("<L,3,K:t=1000,E:n=3,X:done,C:1;0.5;while,C:9;0;once>", "L,3,ok");
    ask("<L,go>", "L,go");
    pass_us(20000);
    told("3,0,1,1 3,1,1,1 3,2,1,1 ");
    ask("<L,2,K:t=20000,E:n=3,X:read>", "L,2,ok");
    ask("<L,3,K:ch=2,X:n=1,C:1;0;while>", "L,3,ok");
    ask("<L,go>", "L,go");
    pass_us(100000);
    told("3,0,1,1 3,1,1,1 3,2,1,1 ");
    ask("<L,2,read>", "L,2,read");
    told("2,0,3,2.50;2.50;2.50 ");
    ask("<L,stop>", "L,stop");
    ask("+++", NULL);
    press(false, 1000);
}

/* B.2: data sets of an actuator, in time and at a button. */
static void log_actuators(void)
{
    ask("<L,4,K:t=10000,E:inf,D:0;20,B:hold>", "L,4,ok");
    ask("<L,4,D+:40;60>", "L,4,ok");
    ask("<L,go>", "L,go");
    pass_us(14000);
    lamp_is(51);
    pass_us(100000);
    lamp_is(153);
    ask("<L,stop>", "L,stop");
    ask("<L,4,K:t=10000,E:n=5,D:10;90,B:repeat*66>", "L,4,ok*7C");
    ask("<L,go>", "L,go");
    pass_us(14000);
    lamp_is(230);
    pass_us(100000);
    lamp_is(26);
    ask("+++", NULL);
    ask("<W,4,0>", "W,4,0");
    ask("<L,3,K:t=1000,X:read>", "L,3,ok");
    ask("<L,4,K:ch=3,D:10;20;30,B:hold>", "L,4,ok");
    ask("<L,go>", "L,go");
    pass_us(20000);
    lamp_is(0);
    press(true, 5000);
    lamp_is(26);
    press(false, 5000);
    press(true, 5000);
    lamp_is(51);
    ask("<L,3,read>", "L,3,read");
    told("3,0,1,1 3,1,1,1 ");
    ask("<L,stop>", "L,stop");
}

static void run_station(void)
{
    run.is_station = true;
    press(false, 1000);
    set_input(0, 2000);
    set_input(1, 2500);
    talk_to_channels();
    log_events();
    log_actuators();
    printf("stack %u\n", run.stack);
    (void)fflush(stdout);
    _Exit(0);
}

int main(int argc, char **argv)
{
    char command[128];

    if (argc == 3 && strcmp(argv[2], "station") == 0) {
        start(argv[1]);
        run_station();
    }
    if (argc != 4) {
        fputs("usage: sensor_run FIRMWARE.hex SAMPLES PERIOD_US | station\n", stderr);
        return 2;
    }
    start(argv[1]);
    set_input(0, 2000);
    talk();
    run.delivered = run.lost = run.next = 0;
    const unsigned long long samples = strtoull(argv[2], NULL, 10);
    const unsigned long period = strtoul(argv[3], NULL, 10);
    snprintf(command, sizeof command, "<L,1,E:n=%llu,X:n=16,K:t=%lu>", samples, period);
    ask(command, "L,1,ok");
    ask("<L,go>", "L,go");
    const avr_cycle_count_t began = run.avr->cycle;
    const double limit_s = (double)samples * (double)period * 1e-6 * 2 + PATIENCE_S;
    while (run.next < samples && (double)(run.avr->cycle - began) / HERTZ < limit_s) {
        pass_us(10000);
    }
    printf("delivered %llu lost %llu in %.1f s\n", run.delivered, run.lost,
           (double)(run.avr->cycle - began) / HERTZ);
    (void)fflush(stdout);
    _Exit(run.delivered + run.lost == samples ? 0 : 1); /* simavr does not free what it has read */
}
