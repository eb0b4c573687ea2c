/*
 * phidgetIFK - PhidgetInterfaceKit 8/8/8 (1018, 1203): eight analog inputs, eight digital inputs,
 * eight digital outputs, and perhaps a display, on USB.
 *
 * Boards before version 9 send reports of 8 bytes with half of the analog inputs each; later ones
 * send 64 bytes with as many readings as they have. Readings have 12 bits. The display is a device
 * of its own: it takes up to seven bytes of commands and letters, and their number.
 */
#include <math.h>
#include <string.h>

#include "phidget.h"
#include "troupe/driver/aio.h"
#include "troupe/driver/speech.h"

enum {
    INPUTS = 8,
    OLD_OUTPUT = 4, /* bytes of what is sent to old boards */
    COLUMNS = 20,
    ROWS = 2,
    ROW_BYTES = 3 + COLUMNS + 1,
    TO_COMMANDS = 1,
    TO_LETTERS = 2,
    LIGHT = 0x11,
    SHOW = 0x0c, /* without a cursor */
};

struct kit {
    tp_device *aio, *dio, *speech; /* NULL if not offered */
    tp_port *port, *display;       /* owned; NULL unless they run */
    double period_ms;
    float volts[INPUTS];
    uint8_t switches, outputs; /* a bit each */
    bool known, is_new;        /* it has reported; in 64 bytes */
};

static const tp_param kit_params[] = {
    {"port", "line", "hid:06c2:0045", "the line, for instance hid:/dev/hidraw0"},
    {"lcd", "line", "hid:06c2:007d", "line of the display, for the interface speech"},
    {"serial", "1", "-1", "ignored: `port` chooses one of several"},
    {"samplingrate", "1", "20", "time between two messages in ms, 10 to 1000"},
    {"alarmtime", "1", "25", "ignored"},
    {NULL, NULL, NULL, NULL},
};

static struct kit *kit_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static void set_volts(struct kit *k, unsigned input, unsigned raw, double scale)
{
    k->volts[input] = (float)(fmin(raw * scale, 4095) / 4095 * 5);
}

/* Two readings share a byte: the lower half of it belongs to the first. */
static void take_old(struct kit *k, const uint8_t *report)
{
    const unsigned first = (report[0] & 1U) * INPUTS / 2;

    set_volts(k, first, report[2] | (report[3] & 0x0fU) << 8, 1);
    set_volts(k, first + 1, report[4] | (report[3] & 0xf0U) << 4, 1);
    set_volts(k, first + 2, report[5] | (report[6] & 0x0fU) << 8, 1);
    set_volts(k, first + 3, report[7] | (report[6] & 0xf0U) << 4, 1);
    k->switches = (uint8_t)~report[1]; /* an input that is closed is 0 */
}

/* The place of reading number `nth` of a new report that begin at `at`; two of them are three
 * bytes. Its last byte is behind the report: false. */
static bool read_packed(const uint8_t *at, const uint8_t *end, unsigned nth, unsigned *out)
{
    const uint8_t *pair = at + 3 * (nth / 2);

    if (pair + (nth % 2 == 0 ? 2 : 3) > end) {
        return false;
    }
    *out = nth % 2 == 0 ? pair[0] | (pair[1] & 0xf0U) << 4 : pair[2] | (pair[1] & 0x0fU) << 8;
    return true;
}

/* Counters of lost readings (a bit says which pairs have one), numbers of readings, then the first
 * reading of each input, the second ones, and so on. The last one of each counts. */
static void take_new(struct kit *k, const uint8_t *report)
{
    const uint8_t *const end = report + PHIDGET_LARGEST;
    const uint8_t *counts = report + 3;
    unsigned nth = 0, raw = 0;

    for (unsigned i = 0; i < 4; i++) {
        counts += report[0] >> i & 1;
    }
    for (unsigned round = 0; round < 16; round++) {
        for (unsigned i = 0; i < INPUTS; i++) {
            const unsigned count = i % 2 == 0 ? counts[i / 2] >> 4 : counts[i / 2] & 0x0f;
            if (count > round && read_packed(counts + 4, end, nth++, &raw)) {
                set_volts(k, i, raw, 1.001); /* its resistors */
            }
        }
    }
    k->switches = (uint8_t)~report[1];
}

static void take_report(tp_instance *self, const uint8_t *report, size_t length)
{
    struct kit *k = tp_instance_state(self);

    k->known = true;
    k->is_new = length == PHIDGET_LARGEST;
    if (k->is_new) {
        take_new(k, report);
    } else {
        take_old(k, report);
    }
}

static tp_status kit_input(tp_instance *self, tp_port *port, tp_error *err)
{
    return tpi_phidget_hear(self, port, take_report, err);
}

static tp_status kit_poll(tp_instance *self, tp_error *err)
{
    struct kit *k = tp_instance_state(self);

    (void)err;
    if (k->aio != NULL) {
        const tp_aio_data data = {.voltages_count = INPUTS, .voltages = k->volts};
        tp_aio_publish_state(k->aio, &data, 0);
    }
    if (k->dio != NULL) {
        const tp_dio_data data = {.count = INPUTS, .bits = k->switches};
        tp_dio_publish_values(k->dio, &data, 0);
    }
    return TP_OK;
}

/* ---- Saying ---------------------------------------------------------------------------------- */

/* The outputs, and that inputs are measured against the board's own 5 V. New boards also take how
 * often each input is read: every 8 ms. */
static tp_status say_outputs(const struct kit *k, tp_error *err)
{
    const uint8_t old[OLD_OUTPUT] = {k->outputs, 0, 0, 1};
    const uint8_t newer[PHIDGET_REPORT] = {k->outputs, 0x77, 0x77, 0x77, 0x77, 1};

    return k->is_new ? tp_port_write(k->port, newer, sizeof newer, err)
                     : tp_port_write(k->port, old, sizeof old, err);
}

static tp_status set_outputs(tp_device *device, const tp_dio_cmd *ask, tp_error *err)
{
    struct kit *k = kit_of(device);

    if (ask->count > INPUTS) {
        return tp_fail(err, TP_E_RANGE, "there are %d outputs, not %u", INPUTS,
                       (unsigned)ask->count);
    }
    k->outputs = tpi_phidget_bits(k->outputs, ask);
    return say_outputs(k, err);
}

/* Bytes for the display, in reports of seven. */
static tp_status say_display(const struct kit *k, const uint8_t *bytes, size_t length,
                             tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < length && status == TP_OK; i += PHIDGET_REPORT - 1) {
        const size_t part = length - i < PHIDGET_REPORT - 1 ? length - i : PHIDGET_REPORT - 1;
        uint8_t report[PHIDGET_REPORT] = {0};
        memcpy(report, bytes + i, part);
        report[PHIDGET_REPORT - 1] = (uint8_t)part;
        status = tp_port_write(k->display, report, sizeof report, err);
    }
    return status;
}

/* One row; the rest of it becomes empty. Signs that the display takes for commands become blanks.
 */
static tp_status say_row(const struct kit *k, unsigned row, const char *text, size_t length,
                         tp_error *err)
{
    uint8_t bytes[ROW_BYTES] = {TO_COMMANDS, (uint8_t)(0x80 + 0x40 * row), TO_LETTERS};

    for (size_t i = 0; i < COLUMNS; i++) {
        bytes[3 + i] = i < length && (unsigned char)text[i] >= ' ' ? (uint8_t)text[i] : ' ';
    }
    bytes[3 + COLUMNS] = TO_COMMANDS;
    return say_display(k, bytes, sizeof bytes, err);
}

/* A line ends where the text says so, or where the row does. */
static tp_status say(tp_device *device, const tp_speech_cmd *ask, tp_error *err)
{
    const struct kit *k = kit_of(device);
    const char *at = ask->string, *const end = at + ask->string_count;
    tp_status status = TP_OK;

    for (unsigned row = 0; row < ROWS && status == TP_OK; row++) {
        size_t length = 0;
        while (length < COLUMNS && at + length < end && at[length] != '\n' && at[length] != '\0') {
            length++;
        }
        status = say_row(k, row, at, length, err);
        at += length;
        at += at < end && *at == '\n';
    }
    return status;
}

static const tp_aio_ops aio_ops = {0};
static const tp_dio_ops dio_ops = {.cmd_values = set_outputs};
static const tp_speech_ops speech_ops = {.cmd_say = say};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status kit_init(tp_instance *self, tp_error *err)
{
    struct kit *k = tp_instance_state(self);
    tp_status status = tpi_phidget_period(self, &k->period_ms, err);

    if (status == TP_OK && tp_provides(self, &tp_interface_aio, NULL)) {
        status = tp_offer_aio(self, NULL, &aio_ops, &k->aio, err);
    }
    if (status == TP_OK && tp_provides(self, &tp_interface_dio, NULL)) {
        status = tp_offer_dio(self, NULL, &dio_ops, &k->dio, err);
    }
    if (status == TP_OK && tp_provides(self, &tp_interface_speech, NULL)) {
        status = tp_offer_speech(self, NULL, &speech_ops, &k->speech, err);
    }
    return status;
}

/* It reports without being asked; the size of a report tells which kind of board it is. */
static tp_status await_report(tp_instance *self, tp_error *err)
{
    struct kit *k = tp_instance_state(self);
    const int64_t deadline_ns = tpi_phidget_now_ns(self) + 2 * TP_NS_PER_S;
    uint8_t report[PHIDGET_LARGEST];
    size_t length = 0;

    k->known = false;
    const tp_status status =
        tp_port_read(k->port, report, sizeof report, &length, deadline_ns, err);
    if (status == TP_OK && length >= PHIDGET_REPORT) {
        take_report(self, report, length);
    }
    return status == TP_E_TIMEOUT || (status == TP_OK && !k->known)
               ? tp_fail(err, TP_E_TIMEOUT, "%s: no board reports", tp_port_url(k->port))
               : status;
}

static tp_status begin_display(tp_instance *self, tp_error *err)
{
    struct kit *k = tp_instance_state(self);
    const uint8_t light[PHIDGET_REPORT] = {1, [PHIDGET_REPORT - 1] = LIGHT};
    const uint8_t show[] = {SHOW};
    tp_status status = tpi_phidget_open(&k->display, self, "lcd", err);

    status = status == TP_OK ? tp_port_write(k->display, light, sizeof light, err) : status;
    return status == TP_OK ? say_display(k, show, sizeof show, err) : status;
}

static void close_ports(struct kit *k)
{
    tp_port_close(k->display);
    tp_port_close(k->port);
    k->display = k->port = NULL;
}

static tp_status kit_start(tp_instance *self, tp_error *err)
{
    struct kit *k = tp_instance_state(self);

    k->outputs = 0;
    tp_status status = tpi_phidget_open(&k->port, self, "port", err);
    status = status == TP_OK ? await_report(self, err) : status;
    status = status == TP_OK ? say_outputs(k, err) : status;
    status = status == TP_OK && k->speech != NULL ? begin_display(self, err) : status;
    if (status != TP_OK) {
        close_ports(k);
        return status;
    }
    tp_instance_set_period(self, (int64_t)(k->period_ms * 1e6));
    tp_port_watch(k->port, true);
    return TP_OK;
}

/* All outputs are switched off. */
static void kit_stop(tp_instance *self)
{
    struct kit *k = tp_instance_state(self);

    k->outputs = 0;
    (void)say_outputs(k, NULL);
    close_ports(k);
}

static const tp_driver_ops kit_ops = {
    .init = kit_init,
    .start = kit_start,
    .poll = kit_poll,
    .input = kit_input,
    .stop = kit_stop,
};

extern const tp_driver tp_driver_phidgetIFK;
TP_API const tp_driver tp_driver_phidgetIFK = {
    .abi = TP_DRIVER_ABI,
    .name = "phidgetIFK",
    .summary = "the boards PhidgetInterfaceKit 8/8/8",
    .state_size = sizeof(struct kit),
    .params = kit_params,
    .ops = &kit_ops,
};
