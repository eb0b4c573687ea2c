/* opcodes.h - names and operands of the instructions, from opcodes.def. */
#ifndef TROUPE_PLAY_OPCODES_H
#define TROUPE_PLAY_OPCODES_H

#include "play/image.h"

typedef struct tpi_play_opcode_info {
    const char *name;
    const char *operands; /* letters, as opcodes.def explains */
    const char *sentence;
} tpi_play_opcode_info;

/* Of an opcode below TPI_PLAY_OPCODES. */
const tpi_play_opcode_info *tpi_play_opcode_of(unsigned opcode);

/* How many bytes an instruction has. */
unsigned tpi_play_opcode_size(unsigned opcode);

#endif
