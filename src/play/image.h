/*
 * image.h - a compiled program: the bytes that host and chip execute.
 *
 * docs/play-bytecode.md describes the format. Numbers have their low byte first. The verifier
 * decides whether an image can be executed; the machine trusts an image that it accepted.
 * Freestanding.
 */
#ifndef TROUPE_PLAY_IMAGE_H
#define TROUPE_PLAY_IMAGE_H

#include <stddef.h>
#include <stdint.h>

enum {
    TPI_PLAY_VERSION = 1,
    TPI_PLAY_HEADER = 18,
    TPI_PLAY_TASK_SIZE = 3,     /* entry u16, flags u8 */
    TPI_PLAY_FUNCTION_SIZE = 5, /* entry u16, values u8, variables u8, registers u8 */
    TPI_PLAY_PORT_SIZE = 2,     /* type u8, id u8 */
    TPI_PLAY_MOST_TASKS = 4,
    TPI_PLAY_MOST_REGISTERS = 250,
    TPI_PLAY_NO_DEVICE = 255,
    TPI_PLAY_STARTS = 1, /* flag of a task: it runs from the beginning */
};

/* Places in the header. */
enum {
    TPI_PLAY_AT_CHECKSUM = 2,
    TPI_PLAY_AT_VERSION = 4,
    TPI_PLAY_AT_REGISTERS = 5,
    TPI_PLAY_AT_LENGTH = 6,
    TPI_PLAY_AT_TASKS = 8,
    TPI_PLAY_AT_FUNCTIONS = 9,
    TPI_PLAY_AT_DEVICES = 10,
    TPI_PLAY_AT_CHANNELS = 11,
    TPI_PLAY_AT_INTEGERS = 12,
    TPI_PLAY_AT_FLOATS = 13,
    TPI_PLAY_AT_TEXTS = 14,
    TPI_PLAY_AT_RESERVED = 15,
    TPI_PLAY_AT_CODE = 16,
};

typedef enum tpi_play_opcode {
#define PLAY_OP(name, operands, sentence) TPI_PLAY_OP_##name,
#include "play/opcodes.def"
#undef PLAY_OP
    TPI_PLAY_OPCODES /* how many there are */
} tpi_play_opcode;

/* Where the parts of an image begin, computed from its header. */
typedef struct tpi_play_layout {
    uint16_t length, code;
    uint16_t tasks, functions, ports, constants, texts;
    uint8_t registers;
    uint8_t task_count, function_count, device_count, channel_count; /* as in the header */
    uint8_t integer_count, float_count, text_count;
} tpi_play_layout;

/* The checksum of bytes: CRC-16 with the polynomial 1021, begun with FFFF; `sum` continues one. */
uint16_t tpi_play_checksum(uint16_t sum, const uint8_t *bytes, size_t length);
uint16_t tpi_play_checksum_byte(uint16_t sum, uint8_t byte);

#endif
