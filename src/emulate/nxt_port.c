/*
 * nxt_port.c - the four sensor ports of an NXT: what is plugged in, and what the firmware makes of
 * it.
 *
 * The raw value (0 to 1023) is what the converter reads; it falls with light and sound. The type
 * that the host sets decides how it is normalised, the mode how it is scaled. After a change of
 * type readings are invalid for a while.
 */
#include <math.h>
#include <string.h>

#include "emulate/nxt.h"

enum {
    TYPE_NONE = 0x00,
    TYPE_REFLECTION = 0x03,
    TYPE_LIGHT_ACTIVE = 0x05,
    TYPE_LIGHT_INACTIVE = 0x06,
    TYPE_SOUND_DB = 0x07,
    TYPE_SOUND_DBA = 0x08,
    TYPE_COLOUR = 0x0d,
    TYPE_COLOUR_RED = 0x0e,
    TYPE_COLOUR_GREEN = 0x0f,
    TYPE_COLOUR_BLUE = 0x10,
    TYPE_COLOUR_NONE = 0x11,
};
enum { MODE_BOOLEAN = 0x20, MODE_TRANSITIONS = 0x40, MODE_PERIODS = 0x60, MODE_PERCENT = 0x80 };
enum { FULL = 1023, PRESSED = 183, LOW = 460 };

static const double own_light = 0.35; /* that the sensor's lamp adds over a white floor */

/* A conversion of the firmware: the part of the range that a sensor uses, in percent of it. */
struct scale {
    int zero, percent;
};
static const struct scale light_scale = {200, 68}, sound_scale = {162, 83},
                          reflection_scale = {476, 41};

/* ---- Raw ------------------------------------------------------------------------------------- */

/* The raw value that a conversion turns into a share of the full range; rounded up, since the
 * firmware rounds down twice. */
static int raw_of(const struct scale *scale, double share)
{
    const double clamped = fmin(fmax(share, 0), 1);

    return scale->zero + (int)ceil((1 - clamped) * FULL * scale->percent / 100);
}

static int raw_light(tpi_emu *emu, const struct nxt_port *port)
{
    const struct nxt_parts *parts = &nxt_of(emu)->parts;
    const bool lamp = port->type == TYPE_LIGHT_ACTIVE || port->type == TYPE_REFLECTION;
    const double added = lamp ? own_light * tpi_body_floor(&emu->body, parts->line, 0) : 0;

    return raw_of(&light_scale, tpi_body_light(&emu->body, parts->light, added));
}

/* From 25 dB, which is silence, to 90 dB. */
static int raw_sound(tpi_emu *emu)
{
    const double level = tpi_body_sound(&emu->body, nxt_of(emu)->parts.sound);

    return raw_of(&sound_scale, (level - 25) / 65);
}

static int raw_colour(tpi_emu *emu, const struct nxt_port *port)
{
    const struct nxt_parts *parts = &nxt_of(emu)->parts;
    const uint32_t colour = tpi_body_floor_colour(&emu->body, parts->line, 0);

    switch (port->type) {
    case TYPE_COLOUR:
        return (int)(FULL * tpi_body_floor(&emu->body, parts->line, 0));
    case TYPE_COLOUR_RED:
        return (int)((colour >> 16 & 0xff) * FULL / 255);
    case TYPE_COLOUR_GREEN:
        return (int)((colour >> 8 & 0xff) * FULL / 255);
    case TYPE_COLOUR_BLUE:
        return (int)((colour & 0xff) * FULL / 255);
    case TYPE_COLOUR_NONE:
        return (int)(FULL * tpi_body_light(&emu->body, parts->light, 0));
    default:
        return FULL;
    }
}

static int raw_value(tpi_emu *emu, const struct nxt_port *port)
{
    switch (port->plug) {
    case NXT_TOUCH:
        return tpi_body_button(&emu->body, nxt_of(emu)->parts.touch) ? PRESSED : FULL;
    case NXT_SOUND:
        return raw_sound(emu);
    case NXT_LIGHT:
        return raw_light(emu, port);
    case NXT_COLOUR:
        return raw_colour(emu, port);
    default:
        return FULL; /* an open line */
    }
}

/* ---- Normalised and scaled ------------------------------------------------------------------- */

static int full_scale(const struct scale *scale, int raw)
{
    const int above = raw > scale->zero ? (raw - scale->zero) * 100 / scale->percent : 0;

    return FULL - (above < FULL ? above : FULL);
}

static int normalised(const struct nxt_port *port, int raw)
{
    switch (port->type) {
    case TYPE_LIGHT_ACTIVE:
    case TYPE_LIGHT_INACTIVE:
        return full_scale(&light_scale, raw);
    case TYPE_SOUND_DB:
    case TYPE_SOUND_DBA:
        return full_scale(&sound_scale, raw);
    case TYPE_REFLECTION:
        return full_scale(&reflection_scale, raw);
    default:
        return raw;
    }
}

/* 1 black, 2 blue, 3 green, 4 yellow, 5 red, 6 white. */
static int colour_number(uint32_t colour)
{
    const int red = (int)(colour >> 16 & 0xff);
    const int green = (int)(colour >> 8 & 0xff);
    const int blue = (int)(colour & 0xff);
    const int most = red > green ? (red > blue ? red : blue) : (green > blue ? green : blue);
    const int least = red < green ? (red < blue ? red : blue) : (green < blue ? green : blue);

    if (most < 60) {
        return 1;
    }
    if (most - least < most / 4) {
        return most > 140 ? 6 : 1;
    }
    if (most == blue) {
        return 2;
    }
    return least == blue && red > most * 3 / 4 && green > most / 2 ? 4 : most == green ? 3 : 5;
}

static int scaled(tpi_emu *emu, const struct nxt_port *port, int raw, int normal)
{
    if (port->plug == NXT_COLOUR && port->type == TYPE_COLOUR) {
        return colour_number(tpi_body_floor_colour(&emu->body, nxt_of(emu)->parts.line, 0));
    }
    switch (port->mode & 0xe0) {
    case MODE_BOOLEAN:
        return raw <= LOW;
    case MODE_TRANSITIONS:
    case MODE_PERIODS:
        return port->count;
    case MODE_PERCENT:
        return normal * 100 / FULL;
    default:
        return normal;
    }
}

static bool is_valid(const tpi_emu *emu, const struct nxt_port *port)
{
    return emu->now_us >= port->valid_us;
}

void tpi_nxt_ports_tick(tpi_emu *emu)
{
    struct nxt *nxt = nxt_of(emu);

    for (unsigned i = 0; i < NXT_PORTS; i++) {
        struct nxt_port *port = &nxt->ports[i];
        const uint8_t mode = port->mode & 0xe0;
        if ((mode != MODE_TRANSITIONS && mode != MODE_PERIODS) || !is_valid(emu, port)) {
            continue;
        }
        const bool is = raw_value(emu, port) <= LOW;
        const bool counts = mode == MODE_PERIODS ? port->was && !is : port->was != is;
        port->count = (int16_t)(port->count + (counts && port->count < INT16_MAX ? 1 : 0));
        port->was = is;
    }
}

/* ---- Commands -------------------------------------------------------------------------------- */

static int64_t settles_us(uint8_t type)
{
    if (type == TYPE_NONE) {
        return 0;
    }
    if (type == TYPE_SOUND_DB || type == TYPE_SOUND_DBA) {
        return 300000;
    }
    return type >= TYPE_COLOUR && type <= TYPE_COLOUR_NONE ? 400000 : 20000;
}

static uint8_t set_input_mode(tpi_emu *emu, struct nxt_call *call)
{
    if (call->data[0] >= NXT_PORTS) {
        return NXT_RANGE;
    }
    struct nxt_port *port = &nxt_of(emu)->ports[call->data[0]];
    port->type = call->data[1];
    port->mode = call->data[2];
    port->valid_us = emu->now_us + settles_us(port->type);
    port->count = 0;
    port->was = false;
    port->bus.count = 0;
    port->bus.status = NXT_OK;
    port->bus.ready_us = 0;
    return NXT_OK;
}

static uint8_t get_input_values(tpi_emu *emu, struct nxt_call *call)
{
    uint8_t *reply = call->reply;

    call->reply_length = 13;
    if (call->data[0] >= NXT_PORTS) {
        return NXT_RANGE;
    }
    const struct nxt_port *port = &nxt_of(emu)->ports[call->data[0]];
    reply[0] = call->data[0];
    reply[1] = is_valid(emu, port) ? 1 : 0;
    reply[3] = port->type;
    reply[4] = port->mode;
    if (is_valid(emu, port) && port->type != TYPE_NONE) {
        const int raw = raw_value(emu, port);
        const int normal = normalised(port, raw);
        tpi_put_le16(reply + 5, (uint32_t)raw);
        tpi_put_le16(reply + 7, (uint32_t)normal);
        tpi_put_le16(reply + 9, (uint32_t)scaled(emu, port, raw, normal));
        tpi_put_le16(reply + 11, (uint32_t)normal);
    }
    return NXT_OK;
}

static uint8_t reset_input_value(tpi_emu *emu, struct nxt_call *call)
{
    if (call->data[0] >= NXT_PORTS) {
        return NXT_RANGE;
    }
    nxt_of(emu)->ports[call->data[0]].count = 0;
    return NXT_OK;
}

const struct nxt_command tpi_nxt_port_commands[] = {
    {0x05, "SETINPUTMODE", 3, set_input_mode},
    {0x07, "GETINPUTVALUES", 1, get_input_values},
    {0x08, "RESETINPUTSCALEDVALUE", 1, reset_input_value},
    {0},
};
