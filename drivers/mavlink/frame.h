/*
 * frame.h - frames of MAVLink 1 and 2: a reader that takes one byte at a time, and a writer.
 *
 * The sum of a frame includes a number that belongs to its message (CRC_EXTRA). A frame whose
 * message is not in the table here cannot be checked; it is skipped. A signature (MAVLink 2) is
 * read over and not verified.
 */
#ifndef MAVLINK_FRAME_H
#define MAVLINK_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAV_MOST_PAYLOAD = 255, MAV_MOST_FRAME = 10 + MAV_MOST_PAYLOAD + 2 + 13 };

/* Numbers of messages. */
enum {
    MAV_HEARTBEAT = 0,
    MAV_SYS_STATUS = 1,
    MAV_SET_MODE = 11,
    MAV_GPS_RAW_INT = 24,
    MAV_SCALED_IMU = 26,
    MAV_ATTITUDE = 30,
    MAV_LOCAL_POSITION_NED = 32,
    MAV_REQUEST_DATA_STREAM = 66,
    MAV_COMMAND_LONG = 76,
    MAV_COMMAND_ACK = 77,
    MAV_SET_POSITION_TARGET_LOCAL_NED = 84,
    MAV_HIGHRES_IMU = 105,
    MAV_STATUSTEXT = 253,
};

/* One message. Bytes that the sender has left out are 0. */
struct mav_message {
    uint32_t id;
    uint8_t version; /* 1 or 2 */
    uint8_t system, component;
    uint8_t length; /* of the payload, as it was sent */
    uint8_t payload[MAV_MOST_PAYLOAD];
};

struct mav_reader {
    uint8_t bytes[MAV_MOST_FRAME];
    size_t length;
    uint64_t damaged; /* frames with a wrong sum */
};

/* Append bytes. Call tpi_mav_next() until it returns false before the next call. How many were
 * taken: less than `length` if there is no room for more. */
size_t tpi_mav_feed(struct mav_reader *reader, const uint8_t *bytes, size_t length);

/* Take the next whole frame with a right sum out of the reader; false if there is none yet. */
bool tpi_mav_next(struct mav_reader *reader, struct mav_message *out);

/* Write a frame of a known message; its length. The payload has its full length. */
size_t tpi_mav_write(uint8_t out[MAV_MOST_FRAME], const struct mav_message *message,
                     uint8_t sequence);

/* ---- Fields: little-endian ------------------------------------------------------------------- */

uint16_t tpi_mav_u16(const struct mav_message *message, size_t at);
int16_t tpi_mav_i16(const struct mav_message *message, size_t at);
uint32_t tpi_mav_u32(const struct mav_message *message, size_t at);
int32_t tpi_mav_i32(const struct mav_message *message, size_t at);
uint64_t tpi_mav_u64(const struct mav_message *message, size_t at);
double tpi_mav_float(const struct mav_message *message, size_t at); /* 0 if it is not finite */

void tpi_mav_put_u16(struct mav_message *message, size_t at, unsigned value);
void tpi_mav_put_u32(struct mav_message *message, size_t at, uint32_t value);
void tpi_mav_put_float(struct mav_message *message, size_t at, double value);

#endif
