/*
 * fuzz.h - what fuzz targets share.
 *
 * A target is one file NAME_fuzz.c with LLVMFuzzerTestOneInput(). `./troupe fuzz NAME SECONDS`
 * links it with libFuzzer; the suite links it with replay.c and runs every file of corpus/NAME.
 */
#ifndef TROUPE_TESTS_FUZZ_H
#define TROUPE_TESTS_FUZZ_H

#include "troupe/padi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The built-in interfaces, made once. */
const tp_catalogue *fuzz_catalogue(void);

/* The struct that the first two bytes choose; NULL if there are fewer. */
const tp_struct *fuzz_struct(const uint8_t *data, size_t size);

/* Stop with a message: the input has shown a defect. */
void fuzz_require(bool condition, const char *what);

#endif
