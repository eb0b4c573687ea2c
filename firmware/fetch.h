/* fetch.h - how the machine reads a program on a chip. Included before all else by the compiler. */
#ifndef TROUPE_FIRMWARE_FETCH_H
#define TROUPE_FIRMWARE_FETCH_H

#include <stdint.h>

/* A byte of the memory that keeps a program. Nothing is being written then: board_write() waits. */
#ifdef __AVR__
#include <avr/io.h>
__attribute__((always_inline)) static inline uint8_t board_read(uint16_t at)
{
    EEAR = at;
    EECR |= _BV(EERE);
    return EEDR;
}
#else
uint8_t board_read(uint16_t at);
#endif

#define TPI_PLAY_BYTE(image, at) ((void)(image), board_read((uint16_t)(at)))
#define TPI_PLAY_INDEX uint8_t

#endif
