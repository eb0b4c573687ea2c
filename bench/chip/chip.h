/* chip.h - the parts of the benchmark of the firmware. Each returns an exit code. */
#ifndef TROUPE_BENCH_CHIP_H
#define TROUPE_BENCH_CHIP_H

#include "chip/board.h"

/* The arithmetic of the chip and of this computer, `count` times. */
int chip_vectors(board *b, unsigned long count);

/* Programs on the chip and on this computer: what they print and do. */
int chip_traces(board *b, unsigned long count);

/* Damaged images: refused as here, or run without harm. */
int chip_hostile(board *b, unsigned long count);

/* Memory, speed, upload; `map` is the map of the linker. */
int chip_figures(board *b, const char *map);

#endif
