/*
 * chip_bench.c - the firmware of firmware/ on a simulated ATmega328P: figures, and whether it
 * computes what this computer computes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"

static const char help[] =
    "usage: ./troupe bench chip [figures | vectors COUNT | traces COUNT | hostile COUNT]\n\n"
    "Runs the firmware of an Arduino Uno on a simulated chip.\n\n"
    "  figures        memory, speed and upload, with their limits (what it does without "
    "arguments)\n"
    "  vectors COUNT  arithmetic on the chip and here, bit by bit (100)\n"
    "  traces COUNT   programs on the chip and here: what they print and do (100)\n"
    "  hostile COUNT  damaged images: refused as here, or run without harm (100)\n";

static int misuse(void)
{
    fputs(help, stderr);
    return 2;
}

/* The first argument is the folder that has uno.elf and uno.map; the script ./troupe adds it. */
int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "figures";
    char elf[4096], map[4096];

    if (argc < 2 || argc > 4) {
        return misuse();
    }
    const unsigned long count = argc > 3 ? strtoul(argv[3], NULL, 10) : 100;
    snprintf(elf, sizeof elf, "%s/uno.elf", argv[1]);
    snprintf(map, sizeof map, "%s/uno.map", argv[1]);
    board *b = board_create(elf);
    return strcmp(what, "vectors") == 0   ? chip_vectors(b, count)
           : strcmp(what, "traces") == 0  ? chip_traces(b, count)
           : strcmp(what, "hostile") == 0 ? chip_hostile(b, count)
           : strcmp(what, "figures") == 0 ? chip_figures(b, map)
                                          : misuse();
}
