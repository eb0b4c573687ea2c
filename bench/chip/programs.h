/* programs.h - programs that chip and computer both run. */
#ifndef TROUPE_BENCH_CHIP_PROGRAMS_H
#define TROUPE_BENCH_CHIP_PROGRAMS_H

#include <stddef.h>

enum { CHIP_PROGRAM = 4096 };

/* The text of a program: the first ones are written by hand, the others made by chance. */
void chip_program(char *out, size_t size, unsigned long index);

#endif
