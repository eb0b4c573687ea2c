/*
 * sensor_run.c - the firmware of a sensor on simavr, in lockstep: commands of a list, then samples.
 *
 *     sensor_run FIRMWARE.hex SAMPLES PERIOD_US
 *
 * Time is that of the chip. Each command of the list has one answer, which is compared. Then so
 * many samples are logged at the period, over the real serial line of the chip (115,200 baud); what
 * is delivered and what is announced as lost has to be all of them, once each, with times that
 * never go back. Prints "delivered N lost N in S s".
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_hex.h>

enum { HERTZ = 16000000, MOST_LINE = 512, PATIENCE_S = 5 };

static struct {
    avr_t *avr;
    char line[MOST_LINE], answer[MOST_LINE];
    size_t length;
    bool has_answer;
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
    if (!take_data(run.line)) {
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

static void set_light(unsigned millivolts)
{
    avr_raise_irq(avr_io_getirq(run.avr, (uint32_t)AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0), millivolts);
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

int main(int argc, char **argv)
{
    char command[128];

    if (argc != 4) {
        fputs("usage: sensor_run FIRMWARE.hex SAMPLES PERIOD_US\n", stderr);
        return 2;
    }
    start(argv[1]);
    set_light(2000);
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
