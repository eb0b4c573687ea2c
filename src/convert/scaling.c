/* scaling.c - raw numbers to values and back; see scaling.h. */
#include "convert/scaling.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static double within(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* ---- Forward --------------------------------------------------------------------------------- */

static double line_through(const double *from, double x)
{
    const double run = from[2] - from[0];

    return run == 0 ? from[3] : from[1] + (from[3] - from[1]) * ((x - from[0]) / run);
}

static double apply_piecewise(const tpi_scaling *s, double x)
{
    const uint16_t pairs = s->count / 2;
    uint16_t i = 0;

    if (pairs == 0) {
        return x;
    }
    if (x <= s->numbers[0]) {
        return s->numbers[1];
    }
    if (x >= s->numbers[2 * (pairs - 1)]) {
        return s->numbers[2 * pairs - 1];
    }
    while (x >= s->numbers[2 * (i + 1)]) {
        i++;
    }
    return line_through(s->numbers + 2 * i, x);
}

static double apply_polynomial(const tpi_scaling *s, double x)
{
    double value = 0;

    for (uint16_t i = s->count; i > 0; i--) {
        value = value * x + s->numbers[i - 1];
    }
    return value;
}

/* The argument of a logarithm that has one. */
static double logarithm(const tpi_scaling *s, double x)
{
    const double product = s->numbers[1] * x;

    return log(product > 0 ? product : fabs(s->numbers[1]) * s->raw_step);
}

double tpi_scaling_apply(const tpi_scaling *s, double raw)
{
    const double *n = s->numbers;

    switch (s->function) {
    case TPI_SCALING_PIECEWISE:
        return apply_piecewise(s, raw);
    case TPI_SCALING_POLYNOMIAL:
        return apply_polynomial(s, raw);
    case TPI_SCALING_EXPONENTIAL:
        return n[0] * exp(n[1] * raw) + n[2];
    case TPI_SCALING_LOG:
        return n[0] * logarithm(s, raw) + n[2];
    case TPI_SCALING_NORMALIZE:
        return s->min + (s->max - s->min) * ((raw - n[0]) / (n[1] - n[0]));
    case TPI_SCALING_NONE:
    default:
        return raw;
    }
}

double tpi_scaling_round(double value, double resolution)
{
    const double steps = resolution > 0 ? fabs(value) / resolution : 0;
    const double error = steps * 4 * DBL_EPSILON;

    /* numbers this large have no halves, and infinities no steps */
    if (!(resolution > 0) || !(steps < 1 / (8 * DBL_EPSILON))) {
        return value;
    }
    const double rounded = floor(steps + (double)0.5F + error) * resolution;
    return value < 0 ? -rounded : rounded;
}

double tpi_scaling_value(const tpi_scaling *s, double raw)
{
    return tpi_scaling_round(within(tpi_scaling_apply(s, raw), s->min, s->max), s->resolution);
}

/* ---- Back ------------------------------------------------------------------------------------ */

static bool is_between(double value, double a, double b)
{
    return a < b ? value >= a && value <= b : value >= b && value <= a;
}

/* The part that is not flat and has the value, or else the corner with the nearest value. */
static double invert_piecewise(const tpi_scaling *s, double value)
{
    const uint16_t pairs = s->count / 2;
    double best = pairs > 0 ? s->numbers[0] : value;
    double distance = INFINITY;

    for (uint16_t i = 0; i + 1 < pairs; i++) {
        const double *from = s->numbers + 2 * i;
        if (from[1] == from[3]) {
            continue;
        }
        if (is_between(value, from[1], from[3])) {
            return from[0] + (from[2] - from[0]) * ((value - from[1]) / (from[3] - from[1]));
        }
        for (int end = 0; end < 4; end += 2) {
            if (fabs(value - from[end + 1]) < distance) {
                distance = fabs(value - from[end + 1]);
                best = from[end];
            }
        }
    }
    return best;
}

/* Halve the part between two raw numbers, whose values are on either side, until it is a point. */
static double halve(const tpi_scaling *s, double value, double low, double high)
{
    enum { HALVINGS = 60 };
    const bool rises = tpi_scaling_apply(s, high) >= tpi_scaling_apply(s, low);

    for (int i = 0; i < HALVINGS; i++) {
        const double middle = low + (high - low) / 2;
        if ((tpi_scaling_apply(s, middle) < value) == rises) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low + (high - low) / 2;
}

/* Look for the lowest part that has the value. */
static double invert_polynomial(const tpi_scaling *s, double value)
{
    enum { PARTS = 64 };
    double best = s->low;
    double distance = INFINITY;
    double x = s->low;

    for (int i = 1; i <= PARTS; i++) {
        const double next = s->low + (s->high - s->low) * ((double)i / PARTS);
        const double a = tpi_scaling_apply(s, x);
        const double b = tpi_scaling_apply(s, next);
        if (is_between(value, a, b)) {
            return a == b ? x : halve(s, value, x, next);
        }
        if (fabs(value - a) < distance) {
            distance = fabs(value - a);
            best = x;
        }
        if (fabs(value - b) < distance) {
            distance = fabs(value - b);
            best = next;
        }
        x = next;
    }
    return best;
}

/* A quotient of which no logarithm exists belongs to the end where the function approaches it. */
static double invert_exponential(const tpi_scaling *s, double value)
{
    const double *n = s->numbers;
    const double quotient = (value - n[2]) / n[0];

    if (quotient > 0) {
        return log(quotient) / n[1];
    }
    return n[1] > 0 ? s->low : s->high;
}

double tpi_scaling_invert(const tpi_scaling *s, double value)
{
    const double *n = s->numbers;
    double raw = value;

    switch (s->function) {
    case TPI_SCALING_PIECEWISE:
        raw = invert_piecewise(s, value);
        break;
    case TPI_SCALING_POLYNOMIAL:
        raw = invert_polynomial(s, value);
        break;
    case TPI_SCALING_EXPONENTIAL:
        raw = invert_exponential(s, value);
        break;
    case TPI_SCALING_LOG:
        raw = exp((value - n[2]) / n[0]) / n[1];
        break;
    case TPI_SCALING_NORMALIZE:
        raw = n[0] + (n[1] - n[0]) * ((value - s->min) / (s->max - s->min));
        break;
    case TPI_SCALING_NONE:
    default:
        break;
    }
    return within(raw, s->low, s->high);
}

/* ---- Uncertainty ----------------------------------------------------------------------------- */

double tpi_scaling_uncertainty(const tpi_scaling *s, double raw)
{
    if (s->uncertainty >= 0) {
        return s->uncertainty;
    }
    const double here = tpi_scaling_apply(s, raw);
    const double before = fabs(here - tpi_scaling_apply(s, raw - s->raw_step));
    const double behind = fabs(tpi_scaling_apply(s, raw + s->raw_step) - here);
    return before > behind ? before : behind;
}

uint8_t tpi_scaling_places(double resolution)
{
    enum { MOST = 9 };
    uint8_t places = 0;
    double left = fabs(resolution);

    while (places < MOST && left > 0 && left < 1 / DBL_EPSILON &&
           fabs(left - floor(left + (double)0.5F)) > left * 64 * DBL_EPSILON) {
        left *= 10;
        places++;
    }
    return places;
}
