/* packet.c - the bytes of the universal protocol; see packet.h. */
#include "universal/packet.h"

#include <stdio.h>
#include <string.h>

/* ---- Fields out ---- */

void tpi_packet_put_u8(tpi_buf *out, unsigned value)
{
    tpi_buf_putc(out, (char)value);
}

void tpi_packet_put_u16(tpi_buf *out, unsigned value)
{
    tpi_packet_put_u8(out, value >> 8);
    tpi_packet_put_u8(out, value & 0xff);
}

void tpi_packet_put_u32(tpi_buf *out, uint32_t value)
{
    tpi_packet_put_u16(out, value >> 16);
    tpi_packet_put_u16(out, value & 0xffff);
}

void tpi_packet_put_text(tpi_buf *out, const void *text, size_t length)
{
    tpi_packet_put_u32(out, (uint32_t)length);
    if (length > 0) {
        tpi_buf_put(out, text, length);
    }
}

void tpi_packet_put_value(tpi_buf *out, tpi_kind kind, const tpi_value *value)
{
    uint64_t bits;

    switch (kind) {
    case TPI_KIND_BOOL:
        tpi_packet_put_u8(out, value->number != 0);
        break;
    case TPI_KIND_U8:
        tpi_packet_put_u8(out, (unsigned)value->number);
        break;
    case TPI_KIND_U16:
        tpi_packet_put_u16(out, (unsigned)value->number);
        break;
    case TPI_KIND_I32:
        tpi_packet_put_u32(out, (uint32_t)(int32_t)value->number);
        break;
    case TPI_KIND_DOUBLE:
        memcpy(&bits, &value->number, sizeof bits);
        tpi_packet_put_u32(out, (uint32_t)(bits >> 32));
        tpi_packet_put_u32(out, (uint32_t)bits);
        break;
    case TPI_KIND_TEXT:
    case TPI_KIND_BYTES:
        tpi_packet_put_text(out, value->text, value->length);
        break;
    case TPI_KIND_NONE:
        break;
    }
}

/* ---- Fields in ---- */

static bool take(tpi_packet_rest *rest, unsigned width, uint64_t *out)
{
    if (rest->length < width) {
        return false;
    }
    *out = 0;
    for (unsigned i = 0; i < width; i++) {
        *out = *out << 8 | rest->at[i];
    }
    rest->at += width;
    rest->length -= width;
    return true;
}

bool tpi_packet_take_u8(tpi_packet_rest *rest, uint8_t *out)
{
    uint64_t value = 0;
    const bool is_whole = take(rest, 1, &value);

    *out = (uint8_t)value;
    return is_whole;
}

bool tpi_packet_take_u16(tpi_packet_rest *rest, uint16_t *out)
{
    uint64_t value = 0;
    const bool is_whole = take(rest, 2, &value);

    *out = (uint16_t)value;
    return is_whole;
}

bool tpi_packet_take_u32(tpi_packet_rest *rest, uint32_t *out)
{
    uint64_t value = 0;
    const bool is_whole = take(rest, 4, &value);

    *out = (uint32_t)value;
    return is_whole;
}

bool tpi_packet_take(tpi_packet_rest *rest, tpi_kind kind, tpi_value *out)
{
    static const unsigned widths[] = {
        [TPI_KIND_BOOL] = 1,   [TPI_KIND_U8] = 1,   [TPI_KIND_U16] = 2,  [TPI_KIND_I32] = 4,
        [TPI_KIND_DOUBLE] = 8, [TPI_KIND_TEXT] = 4, [TPI_KIND_BYTES] = 4};
    uint64_t bits = 0;

    *out = (tpi_value){0};
    if (kind == TPI_KIND_NONE || !take(rest, widths[kind], &bits)) {
        return false;
    }
    if (tpi_kind_is_text(kind)) {
        if (bits > rest->length) {
            return false;
        }
        *out = (tpi_value){.text = (const char *)rest->at, .length = (uint32_t)bits};
        rest->at += bits;
        rest->length -= (size_t)bits;
    } else if (kind == TPI_KIND_DOUBLE) {
        memcpy(&out->number, &bits, sizeof bits);
    } else if (kind == TPI_KIND_I32) {
        out->number = (int32_t)(uint32_t)bits;
    } else {
        out->number = kind == TPI_KIND_BOOL ? bits != 0 : (double)bits;
    }
    return true;
}

/* ---- Packets ---- */

static tpi_fault read_values(tpi_packet *out, tpi_packet_rest *rest, char *why, size_t size)
{
    const tpi_entry *entry = tpi_dictionary_entry(out->command);

    if (entry->has_port && rest->length > 0) {
        out->has_port = tpi_packet_take_u8(rest, &out->type) && tpi_packet_take_u8(rest, &out->id);
        if (!out->has_port) {
            snprintf(why, size, "bad value: half of a port");
            return TPI_FAULT_VALUE;
        }
    }
    for (unsigned i = 0; entry->values[i].name != NULL && rest->length > 0; i++) {
        if (!tpi_packet_take(rest, entry->values[i].kind, &out->values[i])) {
            snprintf(why, size, "bad value: %s is not whole", entry->values[i].name);
            return TPI_FAULT_VALUE;
        }
        out->count = i + 1;
    }
    if (rest->length > 0) {
        snprintf(why, size, "bad value: %zu bytes too many for %s", rest->length, entry->name);
        return TPI_FAULT_VALUE;
    }
    return TPI_FAULT_NONE;
}

tpi_fault tpi_packet_read(tpi_packet *out, const uint8_t *bytes, size_t length, char *why,
                          size_t size)
{
    tpi_packet_rest rest = {bytes, length};
    uint8_t behaviour = 0;

    *out = (tpi_packet){.command = TPI_COMMANDS};
    if (!tpi_packet_take_u8(&rest, &behaviour) || behaviour > 1) {
        out->waits = length > 0; /* so that the mistake is seen */
        snprintf(why, size, "bad value: a packet begins with 0 (no wait) or 1 (wait)");
        return TPI_FAULT_VALUE;
    }
    out->waits = behaviour == 1;
    if ((out->waits && !tpi_packet_take_u32(&rest, &out->most)) ||
        !tpi_packet_take_u16(&rest, &out->code)) {
        snprintf(why, size, "bad value: the packet ends before its command");
        return TPI_FAULT_VALUE;
    }
    out->command = tpi_dictionary_code(out->code);
    if (out->command == TPI_COMMANDS) {
        snprintf(why, size, "not available: there is no command 0x%04X", out->code);
        return TPI_FAULT_NOT_AVAILABLE;
    }
    return read_values(out, &rest, why, size);
}

void tpi_packet_put(tpi_buf *out, const tpi_packet *packet)
{
    const tpi_entry *entry = tpi_dictionary_entry(packet->command);
    const size_t start = out->length;

    tpi_packet_put_u32(out, 0);
    tpi_packet_put_u8(out, packet->waits);
    if (packet->waits) {
        tpi_packet_put_u32(out, packet->most);
    }
    tpi_packet_put_u16(out, packet->code != 0 ? packet->code : entry->code);
    if (entry->has_port && (packet->has_port || packet->count > 0)) {
        tpi_packet_put_u8(out, packet->type);
        tpi_packet_put_u8(out, packet->id);
    }
    for (unsigned i = 0; i < packet->count; i++) {
        tpi_packet_put_value(out, entry->values[i].kind, &packet->values[i]);
    }
    if (!out->failed) {
        const size_t length = out->length - start - 4;
        for (unsigned i = 0; i < 4; i++) {
            out->data[start + i] = (char)(length >> (24 - 8 * i));
        }
    }
}
