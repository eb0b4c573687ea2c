/*
 * measure.h - a channel of a sensor that describes itself, as a device of a robot.
 *
 * The name and the parameter of the channel are looked for in the vocabulary; the unit decides
 * whether its values are counts of such a class. The result is a <device> of a wiring file, with a
 * type of robots/troupe.xml.
 */
#ifndef TROUPE_UNIVERSAL_MEASURE_H
#define TROUPE_UNIVERSAL_MEASURE_H

#include "base/buf.h"
#include "convert/scaling.h"
#include "universal/vocabulary.h"

typedef struct tpi_measure {
    const char *name, *parameter; /* "Light Sensor", "Brightness"; "" for none */
    const char *unit;             /* "mm", "degC", "%", "raw"; "" for none */
    bool is_output, is_digital;
    double low, high; /* its values; low < high */
} tpi_measure;

/* What a manifest says about a channel: how a raw number becomes a value, and what that is. Its
 * scaling has min < max. */
struct tpi_channel_facts {
    tpi_measure measure;
    tpi_scaling scaling;
};

/* Append the classes of a channel, with commas, ending in Input or Output. True if its values are
 * counts: `range` has those of the lowest and of the highest value. */
bool tpi_measure_classes(tpi_buf *out, const tpi_vocabulary *vocabulary, const tpi_measure *measure,
                         double range[2]);

/* What a reading in percent of the raw numbers is in percent of the values. */
double tpi_measure_percent(const tpi_scaling *scaling, double percent);

/* The class that a name means: that of its longest part which is one, "Light Sensor" for "NXT Light
 * Sensor". -1 for none. */
int tpi_measure_class(const tpi_vocabulary *vocabulary, const char *name, bool is_output);

/* Values in `unit` as counts of a class: count = value * factor + offset. False if the class has
 * another quantity, or none. */
bool tpi_measure_counts(const tpi_device_class *class, const char *unit, double *factor,
                        double *offset);

/* Append the element. `place` is the address of its device ("aio:0"), `device` and `number` count
 * the device among those of its interface, and the channel among its inputs or outputs. */
void tpi_measure_put(tpi_buf *out, const tpi_vocabulary *vocabulary, const tpi_measure *measure,
                     const char *place, unsigned device, unsigned number);

#endif
