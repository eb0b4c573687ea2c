/* crc.h - the check of a numbered command and of its answer, for hosts and for small chips.
 *
 * CRC-16 with the polynomial 1021, begun with FFFF. Unlike an exclusive or, it notices two equal
 * bytes that are lost and two equal bits that are turned. */
#ifndef TROUPE_SENSORS_CRC_H
#define TROUPE_SENSORS_CRC_H

#include <stdint.h>

enum { TPI_SENSOR_CRC_START = 0xFFFF };

/* A byte more. Without a table and without a loop: some twenty instructions of an AVR. */
static inline uint16_t tpi_sensor_crc(uint16_t crc, char byte)
{
    uint8_t x = (uint8_t)((crc >> 8) ^ (uint8_t)byte);

    x = (uint8_t)(x ^ (x >> 4));
    return (uint16_t)((uint16_t)(crc << 8) ^ (uint16_t)((uint16_t)x << 12) ^
                      (uint16_t)((uint16_t)x << 5) ^ x);
}

#endif
