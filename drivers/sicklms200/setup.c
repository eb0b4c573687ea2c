/*
 * setup.c - the first words with the scanner.
 *
 * A telegram that it understands is acknowledged with one byte, and answered with a telegram whose
 * command has the highest bit set. A new speed holds from the end of the answer on. Its settings
 * can be changed after a password only.
 */
#include <stdio.h>
#include <string.h>

#include "sicklms200.h"

enum { MODE = 0x20, TYPE = 0x3a, VARIANT = 0x3b, GET_CONFIG = 0x74, SET_CONFIG = 0x77 };
enum { MODE_INSTALL = 0x00, MODE_STREAM = 0x24, MODE_ASKED = 0x25 };
enum { CONFIG = 34, UNIT = 6 }; /* bytes of the settings, and which of them is the unit */

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* Send a body and wait for its answer. Scans that are under way are passed over. */
static tp_status ask(tp_instance *self, const uint8_t *body, size_t length, double patience_s,
                     tp_error *err)
{
    struct lms *l = tp_instance_state(self);
    const int64_t deadline_ns = now_ns(self) + (int64_t)(patience_s * (double)TP_NS_PER_S);
    uint8_t out[LMS_MOST];
    uint8_t byte = 0;
    tp_status status = tp_port_write(l->port, out, tpi_lms_wrap(out, body, length), err);

    while (status == TP_OK) {
        status = tp_port_read_all(l->port, &byte, 1, deadline_ns, err);
        if (status == TP_OK && tpi_lms_read(&l->reader, byte) &&
            l->reader.bytes[LMS_HEAD] == (body[0] | 0x80)) {
            return TP_OK;
        }
    }
    return status;
}

/* The byte behind the command of the answer. */
static unsigned answer(const struct lms *l)
{
    return tpi_lms_body(&l->reader) > 1 ? l->reader.bytes[LMS_HEAD + 1] : 0xff;
}

static tp_status set_mode(tp_instance *self, uint8_t mode, double patience_s, tp_error *err)
{
    const uint8_t body[] = {MODE, mode};
    const tp_status status = ask(self, body, sizeof body, patience_s, err);

    if (status == TP_OK && answer(tp_instance_state(self)) != 0) {
        return tp_fail(err, TP_E_DEVICE, "the scanner refuses mode 0x%02x", mode);
    }
    return status;
}

/* At one of the speeds it answers. */
static tp_status find_scanner(tp_instance *self, tp_error *err)
{
    struct lms *l = tp_instance_state(self);
    tp_status status = TP_E_TIMEOUT;

    for (size_t i = 0; i < 2 * l->rate_count; i++) {
        status = tp_port_set_baud(l->port, l->rates[i % l->rate_count], err);
        if (status == TP_OK) {
            tp_port_drain(l->port);
            l->reader = (struct lms_reader){0};
            status = set_mode(self, MODE_ASKED, 0.7, err);
        }
        if (status != TP_E_TIMEOUT) {
            return status;
        }
    }
    return tp_fail(err, TP_E_TIMEOUT,
                   "%s: no scanner answers: is it switched on, and is connect_rate right?",
                   tp_port_url(l->port));
}

/* Give it time to change its speed; what comes meanwhile is dropped. */
static tp_status settle(tp_instance *self, tp_error *err)
{
    struct lms *l = tp_instance_state(self);
    const int64_t deadline_ns = now_ns(self) + 100 * TP_NS_PER_MS;
    uint8_t dropped[64];
    size_t length = 0;
    tp_status status = TP_OK;

    while (status == TP_OK) {
        status = tp_port_read(l->port, dropped, sizeof dropped, &length, deadline_ns, err);
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status set_speed(tp_instance *self, tp_error *err)
{
    struct lms *l = tp_instance_state(self);
    const uint8_t mode = l->rate == 500000  ? 0x48
                         : l->rate == 38400 ? 0x40
                         : l->rate == 19200 ? 0x41
                                            : 0x42;
    tp_status status = set_mode(self, mode, 1, err);

    status = status == TP_OK ? tp_port_set_baud(l->port, l->rate, err) : status;
    return status == TP_OK ? settle(self, err) : status;
}

static tp_status learn_type(tp_instance *self, tp_error *err)
{
    struct lms *l = tp_instance_state(self);
    const uint8_t body = TYPE;
    const tp_status status = ask(self, &body, 1, 1, err);

    if (status == TP_OK) {
        const size_t length = tpi_lms_body(&l->reader) - 1;
        size_t used = 0;
        for (size_t i = 0; i < length && used + 1 < sizeof l->type; i++) {
            const uint8_t c = l->reader.bytes[LMS_HEAD + 1 + i];
            if (c < ' ' || c > '~') {
                break;
            }
            l->type[used++] = (char)c;
        }
        l->type[used] = '\0';
    }
    return status;
}

/* The unit of ranges is a setting: it is changed only if it is another, since the scanner keeps
 * settings in memory that wears out. */
static tp_status set_unit(tp_instance *self, tp_error *err)
{
    static const uint8_t install[] = "\x20\x00SICK_LMS";
    struct lms *l = tp_instance_state(self);
    const uint8_t get = GET_CONFIG;
    uint8_t set[1 + CONFIG] = {SET_CONFIG};
    const uint8_t unit = l->range_res == 1 ? 1 : 0;
    tp_status status = ask(self, &get, 1, 1, err);

    if (status != TP_OK || tpi_lms_body(&l->reader) < 1 + CONFIG) {
        return status == TP_OK ? tp_fail(err, TP_E_DEVICE, "the scanner's settings are too short")
                               : status;
    }
    memcpy(set + 1, l->reader.bytes + LMS_HEAD + 1, CONFIG);
    if (set[1 + UNIT] == unit) {
        return TP_OK;
    }
    set[1 + UNIT] = unit;
    status = ask(self, install, sizeof install - 1, 1, err);
    status = status == TP_OK ? ask(self, set, sizeof set, 7, err) : status;
    if (status == TP_OK && answer(l) != 1) {
        return tp_fail(err, TP_E_DEVICE, "the scanner refuses a resolution of %u mm", l->range_res);
    }
    return status == TP_OK ? set_mode(self, MODE_ASKED, 3, err) : status;
}

static tp_status set_angles(tp_instance *self, tp_error *err)
{
    const struct lms *l = tp_instance_state(self);
    const uint8_t body[] = {VARIANT, l->resolution == 25 ? 100 : 180, 0, (uint8_t)l->resolution, 0};
    const tp_status status = ask(self, body, sizeof body, 3, err);

    if (status == TP_OK && answer(l) != 1) {
        return tp_fail(err, TP_E_DEVICE, "the scanner refuses a resolution of %.2f degrees",
                       l->resolution / 100.0);
    }
    return status;
}

tp_status tpi_lms_connect(tp_instance *self, tp_error *err)
{
    struct lms *l = tp_instance_state(self);
    const tp_port_settings settings = {.baud = l->rates[0]};
    tp_status status = tp_port_open(&l->port, self, tp_param_string(self, "port"), &settings,
                                    now_ns(self) + 5 * TP_NS_PER_S, err);

    status = status == TP_OK ? find_scanner(self, err) : status;
    status = status == TP_OK ? set_speed(self, err) : status;
    status = status == TP_OK ? learn_type(self, err) : status;
    status = status == TP_OK ? set_unit(self, err) : status;
    status = status == TP_OK ? set_angles(self, err) : status;
    return status == TP_OK ? set_mode(self, MODE_STREAM, 3, err) : status;
}

void tpi_lms_quiet(tp_instance *self)
{
    struct lms *l = tp_instance_state(self);
    const uint8_t body[] = {MODE, MODE_ASKED};
    uint8_t out[LMS_MOST];

    (void)tp_port_write(l->port, out, tpi_lms_wrap(out, body, sizeof body), NULL);
}
