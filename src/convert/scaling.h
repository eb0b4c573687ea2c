/*
 * scaling.h - what the raw number of a sensor or an actuator stands for, both ways.
 *
 * A scaling is plain data that somebody else owns. Nothing here allocates, prints or keeps state,
 * so that small chips use it too; there a double has 32 bits.
 *
 *     function      numbers                      value of the raw number x
 *     none                                       x
 *     piecewise     x0 y0 x1 y1 …, x ascending   on the line between two neighbours; the first and
 *                                                the last y beyond the ends
 *     polynomial    c0 c1 c2 …                   c0 + c1 x + c2 x^2 + …
 *     exponential   a b c                        a e^(b x) + c
 *     log           a b c                        a ln(b x) + c
 *     normalize     x0 x1                        min at x0, max at x1, a line between them
 */
#ifndef TROUPE_CONVERT_SCALING_H
#define TROUPE_CONVERT_SCALING_H

#include <stdint.h>

typedef enum tpi_scaling_function {
    TPI_SCALING_NONE,
    TPI_SCALING_PIECEWISE,
    TPI_SCALING_POLYNOMIAL,
    TPI_SCALING_EXPONENTIAL,
    TPI_SCALING_LOG,
    TPI_SCALING_NORMALIZE,
} tpi_scaling_function;

typedef struct tpi_scaling {
    tpi_scaling_function function;
    const double *numbers; /* borrowed; see the table above */
    uint16_t count;        /* of the numbers */
    double low, high;      /* the raw numbers that occur; low < high */
    double raw_step;       /* one count of the raw number */
    double min, max;       /* the values that occur; min < max */
    double resolution;     /* values are rounded to multiples of it; 0: they are not rounded */
    double uncertainty;    /* of a value; negative: slope times raw_step */
} tpi_scaling;

/* The value of a raw number, not rounded and not limited. A log of a number that has none is that
 * of the lowest raw number that has one. */
double tpi_scaling_apply(const tpi_scaling *scaling, double raw);

/* Round to a multiple of the resolution, half away from zero; 0 does not round. A value that is
 * half-way but for the error of a floating-point number is half-way. */
double tpi_scaling_round(double value, double resolution);

/* What is reported for a raw number: the value within min and max, rounded. */
double tpi_scaling_value(const tpi_scaling *scaling, double raw);

/* The raw number of a value, not rounded, between low and high. Where several raw numbers have the
 * value, on a flat part of a piecewise function, it is the one next to the part that is not flat. A
 * value that no raw number has gives the raw number with the nearest value. */
double tpi_scaling_invert(const tpi_scaling *scaling, double value);

/* The uncertainty of the value of a raw number: the given one, or the slope times one count. On a
 * corner it is that of the steeper side. */
double tpi_scaling_uncertainty(const tpi_scaling *scaling, double raw);

/* How many decimal places a resolution has: 0 for 5, 1 for 0.5, 3 for 0.125; at most 9. */
uint8_t tpi_scaling_places(double resolution);

#endif
