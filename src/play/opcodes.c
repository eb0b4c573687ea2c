/* opcodes.c - the table that opcodes.def makes. */
#include "play/opcodes.h"

static const tpi_play_opcode_info infos[] = {
#define PLAY_OP(name, operands, sentence) {#name, operands, sentence},
#include "play/opcodes.def"
#undef PLAY_OP
};

const tpi_play_opcode_info *tpi_play_opcode_of(unsigned opcode)
{
    return &infos[opcode];
}

unsigned tpi_play_opcode_size(unsigned opcode)
{
    unsigned size = 1;

    for (const char *letter = infos[opcode].operands; *letter != '\0'; letter++) {
        size += *letter == 'j' || *letter == 'c' ? 2 : 1;
    }
    return size;
}
