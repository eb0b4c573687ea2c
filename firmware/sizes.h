/* sizes.h - the memory of a chip: that of the ATmega328P, for all boards. */
#ifndef TROUPE_FIRMWARE_SIZES_H
#define TROUPE_FIRMWARE_SIZES_H

enum {
    CHIP_STORE = 1024, /* bytes that keep a program */
    CHIP_CELLS = 128,
    CHIP_FRAMES = 16,
    CHIP_PACKET = 84, /* the longest packet: 64 bytes of a program */
};

#endif
