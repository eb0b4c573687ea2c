/*
 * cdr.h - writing CDR, little-endian, as ROS 2 does.
 *
 * Without a place the writer only counts, so that one function gives the length and the bytes.
 */
#ifndef TROUPE_WEB_CDR_H
#define TROUPE_WEB_CDR_H

#include <stddef.h>
#include <stdint.h>

enum { TPI_CDR_HEAD = 4 };

typedef struct tpi_cdr {
    uint8_t *bytes; /* borrowed; NULL to count */
    size_t capacity;
    size_t length; /* may grow beyond the capacity; nothing is written there */
} tpi_cdr;

/* Begin with the 4 bytes that announce the encoding. */
void tpi_cdr_begin(tpi_cdr *cdr, void *bytes, size_t capacity);

void tpi_cdr_u8(tpi_cdr *cdr, uint8_t value);
void tpi_cdr_u16(tpi_cdr *cdr, uint16_t value);
void tpi_cdr_u32(tpi_cdr *cdr, uint32_t value);
void tpi_cdr_f32(tpi_cdr *cdr, float value);
void tpi_cdr_f64(tpi_cdr *cdr, double value);

/* Numbers without their count before them. */
void tpi_cdr_f32s(tpi_cdr *cdr, const float *values, uint32_t count);

/* A string with its NUL. */
void tpi_cdr_text(tpi_cdr *cdr, const char *text);

/* Bytes without a length before them. */
void tpi_cdr_bytes(tpi_cdr *cdr, const void *bytes, size_t length);

#endif
