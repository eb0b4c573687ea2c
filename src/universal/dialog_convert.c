/* dialog_convert.c - values of commands that stand for other commands; see dialog_inside.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "universal/dialog_inside.h"

/* What a number of a command means. */
enum scale { YES_OR_NO, PERCENT, COUNTS, DEGREES, WORDS, AS_IT_IS };

static enum scale scale_of(tpi_command command, const tpi_device *device)
{
    switch (command) {
    case TPI_READ_DIGITAL:
    case TPI_WRITE_DIGITAL:
    case TPI_INDICATE_TRIGGER:
        return YES_OR_NO;
    case TPI_READ_COUNT:
    case TPI_WRITE_COUNT:
        return COUNTS;
    case TPI_WRITE_SERVO:
        return DEGREES;
    case TPI_READ_STRING:
    case TPI_WRITE_STRING:
    case TPI_DISPLAY_STRING:
        return WORDS;
    case TPI_READ_GENERIC:
    case TPI_WRITE_GENERIC: /* it means what the base command means */
        return device->base == command ? AS_IT_IS : scale_of(device->base, device);
    default:
        return PERCENT;
    }
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static bool has_range(const double range[2])
{
    return range[0] < range[1];
}

/* Any scale but words as percents. */
static double to_percent(double x, enum scale from, const tpi_device *device)
{
    const double *range = from == DEGREES ? device->degrees : device->range;

    switch (from) {
    case YES_OR_NO:
        return x != 0 ? 100 : 0;
    case COUNTS:
        if (!has_range(range)) {
            return x;
        }
        return clamp((x - range[0]) / (range[1] - range[0]) * 100, 0, 100);
    case DEGREES:
        return clamp((x - range[0]) / (range[1] - range[0]) * 100, 0, 100);
    default:
        return x;
    }
}

static double from_percent(double x, enum scale to, const tpi_device *device)
{
    const double *range = to == DEGREES ? device->degrees : device->range;

    if (to == DEGREES || (to == COUNTS && has_range(range))) {
        x = range[0] + x / 100 * (range[1] - range[0]);
    }
    return to == COUNTS ? round(x) : x;
}

static double convert(double x, enum scale from, enum scale to, const tpi_device *device)
{
    if (from == to || from == AS_IT_IS || to == AS_IT_IS) {
        return x;
    }
    if (from == YES_OR_NO && to == COUNTS && !has_range(device->range)) {
        return x != 0 ? 1 : 0;
    }
    if (from == COUNTS && to == YES_OR_NO && !has_range(device->range)) {
        return x != 0 ? 1 : 0;
    }
    return from_percent(to_percent(x, from, device), to, device);
}

static tpi_value as_text(double x, char *number, size_t size)
{
    char text[TPI_NUMBER_SIZE];
    const size_t length = tpi_number_put_f64(text, x);

    snprintf(number, size, "%.*s", (int)length, text);
    return (tpi_value){.text = number, .length = (uint32_t)strlen(number)};
}

/* ---- Values ---- */

/* Power and turn as two wheels; the ratio stays if one would be over 100. */
static void wheels(double power, double turn, tpi_value *out)
{
    const double left = power - turn, right = power + turn;
    const double most = fmax(fmax(fabs(left), fabs(right)), 100);

    out[0] = (tpi_value){.number = left * 100 / most};
    out[1] = (tpi_value){.number = right * 100 / most};
}

void tpi_convert_values(const tpi_part *part, tpi_command from, tpi_command to,
                        const tpi_value *values, tpi_value *out, char *number, size_t size)
{
    const tpi_device *device = part->device;
    const enum scale source = scale_of(from, device), target = scale_of(to, device);

    memset(out, 0, TPI_MOST_VALUES * sizeof *out);
    if (from == TPI_DRIVE) {
        wheels(values[0].number, values[1].number, out);
    } else if (to == TPI_MOVE_MOTORS) {
        out[0] = out[1] = values[0];
    } else if (source == WORDS) {
        out[0] = values[0];
    } else if (target == WORDS) {
        out[0] = as_text(values[0].number, number, size);
    } else if (target == YES_OR_NO) {
        const double percent = to_percent(values[0].number, source, device);
        out[0].number = source == YES_OR_NO || (source == COUNTS && !has_range(device->range))
                            ? values[0].number != 0
                            : percent >= part->threshold;
    } else {
        out[0].number = convert(values[0].number, source, target, device);
    }
}

/* ---- Results ---- */

/* Yes above the threshold, no below it, as before around it. */
static bool level_of(tpi_part_state *state, const tpi_part *part, double percent)
{
    const double margin = state->level ? -part->hysteresis : part->hysteresis;

    state->level = percent >= part->threshold + margin;
    return state->level;
}

void tpi_convert_results(tpi_part_state *state, const tpi_part *part, tpi_command from,
                         tpi_command to, tpi_value *results, char *number, size_t size)
{
    const tpi_device *device = part->device;
    const enum scale source = scale_of(to, device), target = scale_of(from, device);
    const double x = results[0].number;

    if (results[0].text != NULL || source == WORDS) {
        return;
    }
    if (target == WORDS) {
        results[0] = as_text(x, number, size);
    } else if (target == YES_OR_NO && source != YES_OR_NO &&
               !(source == COUNTS && !has_range(device->range))) {
        results[0].number = level_of(state, part, to_percent(x, source, device));
    } else {
        results[0].number = convert(x, source, target, device);
    }
}

void tpi_convert_sense(const tpi_part *part, tpi_command command, tpi_value *result)
{
    const double *range = part->device->range;

    switch (scale_of(command, part->device)) {
    case YES_OR_NO:
        result->number = result->number == 0;
        break;
    case COUNTS:
        result->number = has_range(range) ? range[0] + range[1] - result->number : result->number;
        break;
    case PERCENT:
        result->number = 100 - result->number;
        break;
    default:
        break;
    }
}
