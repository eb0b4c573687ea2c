/*
 * visca.h - packets of VISCA, the language of Sony's cameras: 3 to 16 bytes, of which FF is the
 * last.
 */
#ifndef SONYEVID30_VISCA_H
#define SONYEVID30_VISCA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VISCA_MOST = 16 };

struct visca_reader {
    uint8_t bytes[VISCA_MOST];
    size_t length;    /* of the packet, once it is whole */
    bool whole;       /* it was handed out */
    uint64_t damaged; /* bytes that belong to no packet */
};

/* What a packet of a camera means. */
enum visca_kind {
    VISCA_OTHER,
    VISCA_ACK,    /* a command was taken; it has a socket */
    VISCA_DONE,   /* a command is done; it has a socket */
    VISCA_ANSWER, /* of an inquiry */
    VISCA_ERROR,  /* has a socket and a code */
    VISCA_CHAIN,  /* the answer of a chain of cameras: addresses, or that all is cleared */
};

/* Take a byte; whether a packet is whole. It stays until the next byte. */
bool tpi_visca_read(struct visca_reader *reader, uint8_t byte);

/* What the whole packet of camera 1 is. */
enum visca_kind tpi_visca_kind(const struct visca_reader *reader);

/* A number of 16 bits with a sign, in four bytes of which the lower halves count. */
int tpi_visca_number(const uint8_t *at);
void tpi_visca_put_number(uint8_t *at, int value);

#endif
