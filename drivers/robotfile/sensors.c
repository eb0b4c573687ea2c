/*
 * sensors.c - sensors that describe themselves, among the devices of a robot; see devices.h.
 *
 * Such a device has the property `channels`: a line for each channel, with tabs between its fields
 * (drivers/sensor/README.md). Each channel becomes a part of the robot, with the classes that the
 * vocabulary has for its name. Parts are changed between commands only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "robotfile.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/common.h"
#include "troupe/interfaces/dio.h"
#include "universal/measure.h"

static char key[] = "channels"; /* messages have texts that could be changed */
enum { FIELDS = 8, MOST_FIELD = 64, MOST_TOLD = 16 << 10 };

/* ---- What a sensor tells --------------------------------------------------------------------- */

static void keep(struct robotfile *r, struct devices_item *item, const char *text, size_t length)
{
    char *told = NULL;

    if (text != NULL && length < MOST_TOLD) {
        told = malloc(length + 1);
    }
    if (told != NULL) {
        memcpy(told, text, length);
        told[length] = '\0';
    }
    if (told != NULL && item->told != NULL && strcmp(told, item->told) == 0) {
        free(told);
        return;
    }
    free(item->told);
    item->told = told;
    r->devices->is_new = true;
}

static void got_channels(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                         const char *why)
{
    struct robotfile *r = tp_instance_state(self);
    const tp_strprop_req *text = status == TP_OK ? tp_msg_payload(answer) : NULL;

    (void)why;
    r->devices->asking -= r->devices->asking > 0;
    if (text != NULL && text->value_count > 0) {
        keep(r, context, text->value, strnlen(text->value, text->value_count));
    }
}

void tpi_robotfile_sensors_ask(struct robotfile *r, struct devices_item *item)
{
    const tp_strprop_req ask = {.key_count = sizeof key, .key = key};
    const int64_t most_ns = 6 * TP_NS_PER_S; /* opening its line may reset a chip */

    if (item->told != NULL) {
        keep(r, item, NULL, 0);
    }
    if ((item->interface == &tp_interface_aio || item->interface == &tp_interface_dio) &&
        tp_link_request(item->link, TP_COMMON_REQ_GET_STRPROP, &ask, most_ns, got_channels, item) ==
            TP_OK) {
        r->devices->asking++;
    }
}

bool tpi_robotfile_sensors_take(struct robotfile *r, struct devices_item *item, const tp_msg *msg)
{
    const tp_strprop_req *text = tp_msg_payload(msg);

    if (tp_msg_header(msg)->subtype != TP_COMMON_DATA_PROPERTY || text == NULL) {
        return false;
    }
    if (text->key_count >= sizeof key - 1 && strncmp(text->key, key, text->key_count) == 0) {
        keep(r, item, text->value_count > 0 ? text->value : "",
             text->value_count > 0 ? strnlen(text->value, text->value_count) : 0);
    }
    return true;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* "input\t0\tLight Sensor\tBrightness\t%\t0\t100\t1": the last one is its resolution. */
struct line {
    char fields[FIELDS][MOST_FIELD];
    double number, low, high;
};

static bool read_number(const char *text, double *out)
{
    return tpi_number_read_f64(text, strlen(text), out) == strlen(text) && text[0] != '\0' &&
           isfinite(*out);
}

static bool read_line(struct line *out, const char *at)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        const size_t length = strcspn(at, "\t\n");
        if (length >= MOST_FIELD || (at[length] == '\t') != (i + 1 < FIELDS)) {
            return false;
        }
        memcpy(out->fields[i], at, length);
        out->fields[i][length] = '\0';
        at += length + 1;
    }
    return read_number(out->fields[1], &out->number) && out->number >= 0 && out->number < 32 &&
           read_number(out->fields[5], &out->low) && read_number(out->fields[6], &out->high) &&
           out->low < out->high;
}

static void put_item(struct robotfile *r, const struct devices_item *item, unsigned device,
                     tpi_buf *out)
{
    const bool is_digital = item->interface == &tp_interface_dio;
    char place[40];

    snprintf(place, sizeof place, "%s:%u", item->interface->name,
             (unsigned)tp_link_addr(item->link)->index);
    for (const char *at = item->told; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        struct line line;
        if (at[length] == '\n' && read_line(&line, at)) {
            const tpi_measure measure = {.name = line.fields[2],
                                         .parameter = line.fields[3],
                                         .unit = line.fields[4],
                                         .is_output = strcmp(line.fields[0], "output") == 0,
                                         .is_digital = is_digital,
                                         .low = line.low,
                                         .high = line.high};
            tpi_measure_put(out, r->loaded->vocabulary, &measure, place, device,
                            (unsigned)line.number);
        }
        at += length + (at[length] == '\n');
    }
}

/* Inputs and outputs of the robot file are those of other devices. */
static void leave_out(struct robotfile *r, const char *name)
{
    const size_t length = strlen(name);
    const struct devices_item *item;
    bool is_plain = false;

    for (unsigned i = 0; (item = tpi_robotfile_devices_find(r, name, i)) != NULL; i++) {
        is_plain = is_plain || item->told == NULL;
    }
    for (unsigned i = 0; i < r->loaded->wired->fixed_count; i++) {
        tpi_part *part = &r->loaded->wired->parts[i];
        const char *type = part->device->type;
        if (strncmp(type, name, length) != 0 || (type[length] != '\0' && type[length] != '_')) {
            continue;
        }
        item = tpi_robotfile_devices_find(r, name, tpi_robotfile_devices_number(r, part));
        part->is_gone =
            !is_plain || (part->device->is_output && item != NULL && item->told != NULL);
    }
}

/* A number that differs for other texts (FNV-1a). */
static uint16_t mark_of(const tpi_buf *text)
{
    uint32_t number = 2166136261U;

    for (size_t i = 0; i < text->length; i++) {
        number = (number ^ (uint8_t)text->data[i]) * 16777619U;
    }
    return (uint16_t)(number ^ number >> 16);
}

void tpi_robotfile_sensors_settle(struct robotfile *r)
{
    struct robotfile_devices *d = r->devices;
    tpi_buf text = {0};
    tp_error err = {0};

    if (d == NULL || r->line.is_busy || d->asking > 0) {
        return;
    }
    if (d->is_new) {
        unsigned analog = 0, digital = 0;
        d->is_new = false;
        tpi_buf_puts(&text, "<wiring>\n");
        for (unsigned i = 0; i < d->count; i++) {
            const bool is_dio = d->items[i].interface == &tp_interface_dio;
            put_item(r, &d->items[i], is_dio ? digital : analog, &text);
            digital += is_dio;
            analog += d->items[i].interface == &tp_interface_aio;
        }
        tpi_buf_puts(&text, "</wiring>\n");
        if (text.failed ||
            tpi_wired_plug_in(r->loaded->wired, tpi_buf_text(&text), text.length, &err) != TP_OK) {
            tp_instance_note(r->self, text.failed ? "out of memory" : err.text);
        }
        leave_out(r, "aio");
        leave_out(r, "dio");
        tpi_dialog_forget(r->dialog, r->loaded->wired->fixed_count);
        tpi_robotfile_universal_changed(r, mark_of(&text));
        tpi_buf_fini(&text);
    }
    if (r->universal != NULL) {
        tpi_robotfile_match_waiting(r, NULL);
    }
}

/* 0, or what is next to it in the range of the actuator. */
static void switch_off(struct devices_item *item, const struct line *line)
{
    if (item->interface == &tp_interface_aio) {
        const tp_aio_cmd off = {.id = (uint32_t)line->number,
                                .voltage = (float)fmax(line->low, fmin(0, line->high))};
        (void)tp_link_command(item->link, TP_AIO_CMD_STATE, &off);
    } else {
        const tp_dio_cmd off = {.count = (uint32_t)line->number + 1};
        (void)tp_link_command(item->link, TP_DIO_CMD_VALUES, &off);
        item->outputs = 0;
    }
}

void tpi_robotfile_sensors_stop(struct robotfile *r)
{
    for (unsigned i = 0; i < r->devices->count; i++) {
        struct devices_item *item = &r->devices->items[i];
        const char *at = item->told;
        struct line line;

        while (at != NULL && *at != '\0') {
            if (strncmp(at, "output\t", 7) == 0 && read_line(&line, at)) {
                switch_off(item, &line);
            }
            at += strcspn(at, "\n");
            at += *at == '\n';
        }
    }
}

bool tpi_robotfile_sensors_are_open(const struct robotfile *r)
{
    return r->devices != NULL && (r->devices->asking > 0 || r->devices->is_new);
}
