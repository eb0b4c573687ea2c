/*
 * emulated.h - a sensor at the level of its bytes: the device side of the protocol with simulated
 * values instead of hardware.
 *
 * It has no line and no clock of its own: bytes and times come from the caller. Values are waves:
 *
 *     sine, sine:SECONDS   over all raw numbers
 *     noise                any raw number
 *     ramp, ramp:SECONDS   from the lowest raw number to the highest, and again
 *     square, square:SECONDS   the lowest and the highest in turns; the default of events
 *     count                the number of the reading: 0, 1, 2, ...
 *     N                    this raw number
 *
 * The same seed, bytes and times give the same answers.
 */
#ifndef TROUPE_SENSORS_EMULATED_H
#define TROUPE_SENSORS_EMULATED_H

#include "sensors/plan.h"

typedef struct tpi_emulated tpi_emulated;

typedef struct tpi_emulated_options {
    uint64_t seed;
    double lose, garble; /* parts of the bytes in both directions, 0 to 1 */
    uint32_t cells;      /* samples that fit; 0: what the manifest says */
    uint32_t line;       /* bytes that the line holds; 0: 4096 */
} tpi_emulated_options;

/* Make a sensor of a manifest's text. `path` is for errors. */
tp_status tpi_emulated_create(tpi_emulated **out, const char *text, size_t length, const char *path,
                              const tpi_emulated_options *options, tp_error *err);

void tpi_emulated_destroy(tpi_emulated *sensor); /* NULL is accepted */

/* As after power-on: without samples, bytes and times, and with the first waves. The same bytes
 * and times then give the same answers as of a new one. */
void tpi_emulated_restart(tpi_emulated *sensor);

const tpi_manifest *tpi_emulated_manifest(const tpi_emulated *sensor);

/* Give a channel another wave: "CHANNEL=WAVE". */
tp_status tpi_emulated_set_wave(tpi_emulated *sensor, const char *text, tp_error *err);

/* What an actuator was told last, raw, and how often. */
int32_t tpi_emulated_written(const tpi_emulated *sensor, unsigned channel, unsigned *times);

/* Bytes of the host. */
void tpi_emulated_input(tpi_emulated *sensor, const void *bytes, size_t length);

/* Go on until a time, which does not go back. */
void tpi_emulated_advance(tpi_emulated *sensor, uint64_t now_us);

/* The time of the next sample; UINT64_MAX for none. */
uint64_t tpi_emulated_due_us(const tpi_emulated *sensor);

/* Take bytes for the host, at most `size`; how many. */
size_t tpi_emulated_output(tpi_emulated *sensor, void *bytes, size_t size);

/* How many bytes wait for the host. */
size_t tpi_emulated_waiting(const tpi_emulated *sensor);

#endif
