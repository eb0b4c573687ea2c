/* frame.c - see frame.h. */
#include "frame.h"

#include <math.h>
#include <string.h>

enum { V1 = 0xfe, V2 = 0xfd, V1_HEAD = 6, V2_HEAD = 10, SUM = 2, SIGNATURE = 13, IS_SIGNED = 1 };

/* What is known of a message: the number that its sum includes, and how long it is without its
 * extensions. */
static const struct known {
    uint32_t id;
    uint8_t extra;
    uint8_t length;
} known[] = {
    {MAV_HEARTBEAT, 50, 9},
    {MAV_SYS_STATUS, 124, 31},
    {MAV_SET_MODE, 89, 6},
    {MAV_GPS_RAW_INT, 24, 30},
    {MAV_SCALED_IMU, 170, 22},
    {MAV_ATTITUDE, 39, 28},
    {MAV_LOCAL_POSITION_NED, 185, 28},
    {MAV_REQUEST_DATA_STREAM, 148, 6},
    {MAV_COMMAND_LONG, 152, 33},
    {MAV_COMMAND_ACK, 143, 3},
    {MAV_SET_POSITION_TARGET_LOCAL_NED, 143, 53},
    {MAV_HIGHRES_IMU, 93, 62},
    {MAV_STATUSTEXT, 83, 51},
};

static const struct known *find(uint32_t id)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].id == id) {
            return &known[i];
        }
    }
    return NULL;
}

/* CRC-16/MCRF4XX. */
static uint16_t add(uint16_t crc, uint8_t byte)
{
    uint8_t t = (uint8_t)(byte ^ (uint8_t)crc);

    t = (uint8_t)(t ^ (t << 4));
    return (uint16_t)((crc >> 8) ^ (t << 8) ^ (t << 3) ^ (t >> 4));
}

static uint16_t sum_of(const uint8_t *bytes, size_t length, uint8_t extra)
{
    uint16_t crc = 0xffff;

    for (; length > 0; length--, bytes++) {
        crc = add(crc, *bytes);
    }
    return add(crc, extra);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static size_t head_of(const uint8_t *frame)
{
    return frame[0] == V1 ? V1_HEAD : V2_HEAD;
}

/* How long the frame will be; 0 while that is unknown. */
static size_t whole(const uint8_t *frame, size_t length)
{
    if (length < 3) {
        return 0;
    }
    return head_of(frame) + frame[1] + SUM +
           (frame[0] == V2 && (frame[2] & IS_SIGNED) != 0 ? SIGNATURE : 0);
}

static uint32_t id_of(const uint8_t *frame)
{
    return frame[0] == V1 ? frame[5]
                          : (uint32_t)frame[7] | (uint32_t)frame[8] << 8 | (uint32_t)frame[9] << 16;
}

static bool is_right(const uint8_t *frame)
{
    const struct known *what = find(id_of(frame));
    const size_t covered = head_of(frame) + frame[1];

    return what != NULL && sum_of(frame + 1, covered - 1, what->extra) ==
                               (frame[covered] | (uint16_t)frame[covered + 1] << 8);
}

static void drop(struct mav_reader *reader, size_t count)
{
    reader->length -= count;
    memmove(reader->bytes, reader->bytes + count, reader->length);
}

/* Drop whatever can begin no frame. */
static void seek(struct mav_reader *reader)
{
    size_t at = 0;

    while (at < reader->length && reader->bytes[at] != V1 && reader->bytes[at] != V2) {
        at++;
    }
    drop(reader, at);
}

static void take(const uint8_t *frame, struct mav_message *out)
{
    const size_t head = head_of(frame);

    *out = (struct mav_message){.id = id_of(frame),
                                .version = frame[0] == V1 ? 1 : 2,
                                .system = frame[head == V1_HEAD ? 3 : 5],
                                .component = frame[head == V1_HEAD ? 4 : 6],
                                .length = frame[1]};
    memcpy(out->payload, frame + head, frame[1]);
}

size_t tpi_mav_feed(struct mav_reader *reader, const uint8_t *bytes, size_t length)
{
    const size_t room = sizeof reader->bytes - reader->length;
    const size_t taken = length < room ? length : room;

    memcpy(reader->bytes + reader->length, bytes, taken);
    reader->length += taken;
    return taken;
}

bool tpi_mav_next(struct mav_reader *reader, struct mav_message *out)
{
    for (seek(reader); reader->length > 0; seek(reader)) {
        const size_t size = whole(reader->bytes, reader->length);
        if (size == 0 || reader->length < size) {
            return false;
        }
        if (is_right(reader->bytes)) {
            take(reader->bytes, out);
            drop(reader, size);
            return true;
        }
        /* Damaged, unknown, or no frame: the next one may begin inside of it. */
        reader->damaged += find(id_of(reader->bytes)) != NULL;
        drop(reader, 1);
    }
    return false;
}

/* ---- Writing --------------------------------------------------------------------------------- */

size_t tpi_mav_write(uint8_t out[MAV_MOST_FRAME], const struct mav_message *message,
                     uint8_t sequence)
{
    const struct known *what = find(message->id);
    size_t length = what->length;
    size_t head = V1_HEAD;

    if (message->version == 1) {
        const uint8_t first[] = {V1,
                                 (uint8_t)length,
                                 sequence,
                                 message->system,
                                 message->component,
                                 (uint8_t)message->id};
        memcpy(out, first, head);
    } else {
        while (length > 1 && message->payload[length - 1] == 0) {
            length--;
        }
        const uint8_t first[] = {V2,
                                 (uint8_t)length,
                                 0,
                                 0,
                                 sequence,
                                 message->system,
                                 message->component,
                                 (uint8_t)message->id,
                                 (uint8_t)(message->id >> 8),
                                 (uint8_t)(message->id >> 16)};
        head = V2_HEAD;
        memcpy(out, first, head);
    }
    memcpy(out + head, message->payload, length);
    const uint16_t sum = sum_of(out + 1, head - 1 + length, what->extra);
    out[head + length] = (uint8_t)sum;
    out[head + length + 1] = (uint8_t)(sum >> 8);
    return head + length + SUM;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

uint64_t tpi_mav_u64(const struct mav_message *message, size_t at)
{
    return tpi_mav_u32(message, at) | (uint64_t)tpi_mav_u32(message, at + 4) << 32;
}

uint32_t tpi_mav_u32(const struct mav_message *message, size_t at)
{
    return tpi_mav_u16(message, at) | (uint32_t)tpi_mav_u16(message, at + 2) << 16;
}

int32_t tpi_mav_i32(const struct mav_message *message, size_t at)
{
    return (int32_t)tpi_mav_u32(message, at);
}

uint16_t tpi_mav_u16(const struct mav_message *message, size_t at)
{
    return (uint16_t)(message->payload[at] | message->payload[at + 1] << 8);
}

int16_t tpi_mav_i16(const struct mav_message *message, size_t at)
{
    return (int16_t)tpi_mav_u16(message, at);
}

double tpi_mav_float(const struct mav_message *message, size_t at)
{
    const uint32_t bits = tpi_mav_u32(message, at);
    float value;

    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? (double)value : 0;
}

void tpi_mav_put_u16(struct mav_message *message, size_t at, unsigned value)
{
    message->payload[at] = (uint8_t)value;
    message->payload[at + 1] = (uint8_t)(value >> 8);
}

void tpi_mav_put_u32(struct mav_message *message, size_t at, uint32_t value)
{
    tpi_mav_put_u16(message, at, value & 0xffff);
    tpi_mav_put_u16(message, at + 2, value >> 16);
}

void tpi_mav_put_float(struct mav_message *message, size_t at, double value)
{
    const float small = (float)value;
    uint32_t bits;

    memcpy(&bits, &small, sizeof bits);
    tpi_mav_put_u32(message, at, bits);
}
