/*
 * telegram.h - telegrams of SICK's LMS range finders: STX, address, length, command, data, sum.
 *
 * A reader takes bytes however they are cut. What is no telegram of the scanner, or has a wrong
 * sum, is dropped.
 */
#ifndef SICKLMS200_TELEGRAM_H
#define SICKLMS200_TELEGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LMS_HEAD = 4,        /* bytes before the command */
    LMS_SUM = 2,         /* bytes after the data */
    LMS_MOST_BODY = 900, /* command, data and status: a scan of 401 values has 806 */
    LMS_MOST = LMS_HEAD + LMS_MOST_BODY + LMS_SUM,
};

struct lms_reader {
    uint8_t bytes[LMS_MOST];
    size_t length;
    unsigned damaged; /* telegrams with a wrong sum, so far */
};

/* Take a byte. True if it completes a telegram: its command is at bytes + LMS_HEAD, and the body
 * tpi_lms_body() bytes long, until the next call. */
bool tpi_lms_read(struct lms_reader *reader, uint8_t byte);

size_t tpi_lms_body(const struct lms_reader *reader);

/* Write a telegram to the scanner around a body of at most LMS_MOST_BODY bytes; its length. */
size_t tpi_lms_wrap(uint8_t out[LMS_MOST], const uint8_t *body, size_t length);

/* A number of two bytes, the lower one first. */
static inline unsigned lms_u16(const uint8_t *at)
{
    return (unsigned)at[0] | (unsigned)at[1] << 8;
}

#endif
