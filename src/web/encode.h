/*
 * encode.h - messages as the bytes that WebSocket clients get, made once for all of them.
 *
 * The bytes begin with 8 that are not the value's. Of data they are the time of the message in
 * nanoseconds, little-endian: with the number of a client's subscription before them they are a
 * message of Foxglove's protocol. Of a refusal the first 4 are its code, and the text follows as a
 * JSON string.
 */
#ifndef TROUPE_WEB_ENCODE_H
#define TROUPE_WEB_ENCODE_H

#include "troupe/msg.h"

enum { TPI_WEB_STAMP = 8 };

/* The value as JSON; `null` is "{}" in answers, since a service always answers something. */
extern const tp_encoding tpi_web_json;

/* The value in CDR, as ROS 2 has it (ros.h); nothing but the stamp if ROS 2 has no such type. */
extern const tp_encoding tpi_web_cdr;

/* The same for data that ROS 2 has a second type for. */
extern const tp_encoding tpi_web_second;

/* A time in seconds as nanoseconds; 0 for what is no time. */
uint64_t tpi_web_nanoseconds(double seconds);

/* Little-endian. */
void tpi_web_put_u32(uint8_t *at, uint32_t value);
void tpi_web_put_u64(uint8_t *at, uint64_t value);
uint32_t tpi_web_get_u32(const uint8_t *at);

#endif
