/* amtec_frame.c - frames of PowerCubes on a CAN bus; see amtec.h. */
#include <string.h>

#include "amtec.h"

void tpi_amtec_frame(uint8_t out[AMTEC_FRAME], unsigned id, unsigned length, unsigned command,
                     unsigned value, double number)
{
    const float narrow = (float)number;
    uint32_t bits = 0;

    memset(out, 0, AMTEC_FRAME);
    memcpy(&bits, &narrow, sizeof bits);
    out[0] = (uint8_t)id;
    out[1] = (uint8_t)(id >> 8);
    out[4] = (uint8_t)length;
    out[8] = (uint8_t)command;
    out[9] = (uint8_t)value;
    for (unsigned i = 0; i < 4 && length == 6; i++) {
        out[10 + i] = (uint8_t)(bits >> 8 * i);
    }
}

uint32_t tpi_amtec_bits(const uint8_t *frame)
{
    return (uint32_t)frame[10] | (uint32_t)frame[11] << 8 | (uint32_t)frame[12] << 16 |
           (uint32_t)frame[13] << 24;
}

double tpi_amtec_number(const uint8_t *frame)
{
    const uint32_t bits = tpi_amtec_bits(frame);
    float number = 0;

    memcpy(&number, &bits, sizeof number);
    return (double)number;
}
