/*
 * vectors.c - the arithmetic of the firmware beside that of this computer, bit by bit.
 *
 * The functions of the firmware are called on the simulated chip, with cells in its memory. Edges
 * (infinite, not a number, tiny, half-way) come often.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "play/cell.h"

enum { OUT = 0x700, X = 0x710, RANDOM = 0x720 }; /* addresses in the memory of the chip */
enum { ARITH = 5, COMPARE = 6 };

static uint32_t state = 1;

static uint32_t draw(uint32_t count)
{
    return tpi_play_random(&state) % count;
}

static tpi_play_cell any_cell(void)
{
    static const uint32_t edges[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                     1,          0x007fffff, 0x00800000, 0x7f7fffff, 0x3f800000,
                                     0xbf800000, 0x4b800000, 0x4effffff, 0x4f000000, 0xcf000000,
                                     0x3f000000, 0xbf000000, 0x80000001, 0x42b40000, 0x43b40000};
    tpi_play_cell cell = {.tag = (uint8_t)(draw(8) < 5 ? TPI_PLAY_FLOAT : draw(8) / 7 * 2)};

    cell.as.bits = tpi_play_random(&state);
    switch (draw(8)) {
    case 0:
        cell.as.bits = edges[draw(sizeof edges / sizeof edges[0])];
        break;
    case 1:
    case 2:
        cell.as.bits = (cell.as.bits & 0x807fffffu) | (120 + draw(20)) << 23;
        break;
    case 3:
        cell.as.f = (float)((int)draw(2001) - 1000) / (draw(2) ? 1.0f : 8.0f);
        break;
    case 4:
        cell.as.bits &= 0x80ffffffu; /* tiny */
        break;
    default:
        break;
    }
    if (cell.tag == TPI_PLAY_FLOAT) {
        cell.as.f = tpi_play_canonical(cell.as.f);
    } else {
        cell.as.i =
            cell.tag == TPI_PLAY_BOOL ? (int32_t)draw(2) : (int32_t)(cell.as.bits >> draw(32));
    }
    return cell;
}

static void put_cell(uint8_t *data, unsigned at, const tpi_play_cell *cell)
{
    memcpy(data + at, &cell->as.bits, 4);
    data[at + 4] = cell->tag;
}

static void put_pointer(uint8_t *data, unsigned reg, unsigned value)
{
    data[reg] = (uint8_t)value;
    data[reg + 1] = (uint8_t)(value >> 8);
}

struct bench {
    board *b;
    unsigned arith, compare, math;
    unsigned long wrong;
};

static void tell(struct bench *bench, const char *what, unsigned op, const tpi_play_cell *x,
                 unsigned fault, unsigned expected_fault, const tpi_play_cell *expected)
{
    const uint8_t *data = board_data(bench->b);
    uint32_t bits;

    memcpy(&bits, data + OUT, 4);
    if (bench->wrong++ < 20) {
        printf("%s %u of %u:%08x %u:%08x: fault %u, %u:%08x; expected fault %u, %u:%08x\n", what,
               op, x[0].tag, x[0].as.bits, x[1].tag, x[1].as.bits, fault, data[OUT + 4], bits,
               expected_fault, expected->tag, expected->as.bits);
    }
}

static void check(struct bench *bench, const char *what, unsigned op, const tpi_play_cell *x,
                  unsigned expected_fault, const tpi_play_cell *expected)
{
    const uint8_t *data = board_data(bench->b);
    const unsigned fault = data[24];
    uint32_t bits;

    memcpy(&bits, data + OUT, 4);
    if (fault != expected_fault ||
        (fault == 0 && (bits != expected->as.bits || data[OUT + 4] != expected->tag))) {
        tell(bench, what, op, x, fault, expected_fault, expected);
    }
}

static void one(struct bench *bench)
{
    uint8_t *data = board_data(bench->b);
    const tpi_play_cell x[2] = {any_cell(), any_cell()};
    tpi_play_cell out = {0};
    const unsigned op = draw(ARITH + COMPARE + TPI_PLAY_MATH_COUNT - 1); /* but for the time */

    put_cell(data, OUT, &out);
    put_cell(data, X, &x[0]);
    put_cell(data, X + 5, &x[1]);
    if (op < ARITH) { /* out r24, op r22, x r20, y r18 */
        put_pointer(data, 24, OUT);
        data[22] = (uint8_t)op;
        put_pointer(data, 20, X);
        put_pointer(data, 18, X + 5);
        board_call(bench->b, bench->arith);
        const unsigned fault = (unsigned)tpi_play_arith(&out, (uint8_t)op, &x[0], &x[1]);
        check(bench, "arithmetic", op, x, fault, &out);
    } else if (op < ARITH + COMPARE) { /* op r24, x r22, y r20 */
        data[24] = (uint8_t)(op - ARITH);
        put_pointer(data, 22, X);
        put_pointer(data, 20, X + 5);
        board_call(bench->b, bench->compare);
        check(bench, "comparing", op - ARITH, x,
              tpi_play_compare((uint8_t)(op - ARITH), &x[0], &x[1]), &out);
    } else { /* out r24, function r22, x r20, random r18, time r14 */
        const uint8_t function = (uint8_t)(op - ARITH - COMPARE);
        uint32_t random = state | 1u;
        memcpy(data + RANDOM, &random, 4);
        put_pointer(data, 24, OUT);
        data[22] = function;
        put_pointer(data, 20, X);
        put_pointer(data, 18, RANDOM);
        memset(data + 14, 0, 4);
        board_call(bench->b, bench->math);
        const unsigned fault = (unsigned)tpi_play_math(&out, function, x, &random, 0);
        check(bench, "function", function, x, fault, &out);
    }
}

int chip_vectors(board *b, unsigned long count)
{
    struct bench bench = {b, board_symbol(b, "tpi_play_arith"), board_symbol(b, "tpi_play_compare"),
                          board_symbol(b, "tpi_play_math"), 0};

    if (bench.arith == 0 || bench.compare == 0 || bench.math == 0) {
        fprintf(stderr, "the firmware has no symbols of its arithmetic\n");
        return 1;
    }
    for (unsigned long i = 0; i < count; i++) {
        one(&bench);
    }
    printf("vectors %lu differ %lu\n", count, bench.wrong);
    return bench.wrong > 0;
}
