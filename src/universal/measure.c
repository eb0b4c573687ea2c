/* measure.c - channels of sensors as devices; see measure.h. */
#include "universal/measure.h"

#include <math.h>
#include <string.h>

enum { MOST_WORDS = 8, LONGEST = 80 };

/* ---- Classes ---- */

/* Where the words of a name begin, up to MOST_WORDS; how many. */
static unsigned split(const char *name, const char *starts[MOST_WORDS])
{
    unsigned count = 0;

    while (count < MOST_WORDS && *(name += strspn(name, " _")) != '\0') {
        starts[count++] = name;
        name += strcspn(name, " _");
    }
    return count;
}

static int class_of(const tpi_vocabulary *vocabulary, const char *first, const char *end,
                    bool is_output)
{
    char text[LONGEST];
    const size_t length = (size_t)(end - first);

    if (length >= sizeof text) {
        return -1;
    }
    memcpy(text, first, length);
    text[length] = '\0';
    const int class = tpi_vocabulary_find(vocabulary, text);
    if (class < 0) {
        return -1;
    }
    const tpi_device_class *found = tpi_vocabulary_class(vocabulary, class);
    return found->is_output == is_output && !found->is_generic ? class : -1;
}

/* Of parts of the same length the last one: it says what the thing is. */
int tpi_measure_class(const tpi_vocabulary *vocabulary, const char *name, bool is_output)
{
    const char *starts[MOST_WORDS];
    const unsigned count = split(name, starts);

    for (unsigned length = count; length > 0; length--) {
        for (unsigned first = count - length + 1; first-- > 0;) {
            const char *last = starts[first + length - 1];
            const int class =
                class_of(vocabulary, starts[first], last + strcspn(last, " _"), is_output);
            if (class >= 0) {
                return class;
            }
        }
    }
    return -1;
}

/* ---- Units ---- */

/* Units of sensors, and of the classes that they fit. */
static const struct {
    const char *unit, *of_class;
    double factor, offset;
} units[] = {
    {"m", "mm", 1000, 0},
    {"dm", "mm", 100, 0},
    {"cm", "mm", 10, 0},
    {"mm", "mm", 1, 0},
    {"um", "mm", 0.001, 0},
    {"degC", "°C", 1, 0},
    {"°C", "°C", 1, 0},
    {"K", "°C", 1, -273.15},
    {"degF", "°C", 5.0 / 9, -160.0 / 9},
    {"deg", "deg", 1, 0},
    {"rad", "deg", 57.29577951308232, 0},
    {"deg/s", "deg/s", 1, 0},
    {"rad/s", "deg/s", 57.29577951308232, 0},
    {"m/s^2", "mg", 1000 / 9.80665, 0},
    {"g", "mg", 1000, 0},
    {"mg", "mg", 1, 0},
    {"V", "mV", 1000, 0},
    {"mV", "mV", 1, 0},
    {"A", "mA", 1000, 0},
    {"mA", "mA", 1, 0},
    {"s", "ms", 1000, 0},
    {"ms", "ms", 1, 0},
    {"dB", "dB", 1, 0},
};

bool tpi_measure_counts(const tpi_device_class *class, const char *unit, double *factor,
                        double *offset)
{
    for (size_t i = 0; class->unit != NULL && i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].unit, unit) == 0 && strcmp(units[i].of_class, class->unit) == 0) {
            const double step = class->resolution > 0 ? class->resolution : 1;
            *factor = units[i].factor / step;
            *offset = units[i].offset / step;
            return true;
        }
    }
    return false;
}

/* ---- The device ---- */

/* Names come from outside. */
static void put_escaped(tpi_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || strchr("&<>\"%", *text) != NULL) {
            tpi_buf_printf(out, "&#%u;", (unsigned char)*text < ' ' ? ' ' : (unsigned char)*text);
        } else {
            tpi_buf_putc(out, *text);
        }
    }
}

/* What the classes of a channel are, and whether its values are counts. */
struct judged {
    int classes[2]; /* -1 for none */
    bool is_counted;
    double factor, offset;
};

static struct judged judge(const tpi_vocabulary *vocabulary, const tpi_measure *measure)
{
    struct judged out = {{tpi_measure_class(vocabulary, measure->name, measure->is_output),
                          tpi_measure_class(vocabulary, measure->parameter, measure->is_output)},
                         false,
                         1,
                         0};
    const bool may_count = !measure->is_output && !measure->is_digital;

    for (int i = 0; i < 2; i++) { /* of a raw number it is not known what a high one means */
        const bool is_raw = strcmp(measure->unit, "raw") == 0 && out.classes[i] >= 0;
        if (is_raw && tpi_vocabulary_class(vocabulary, out.classes[i])->sense != NULL) {
            out.classes[i] = -1;
        }
    }
    if (out.classes[0] < 0 || out.classes[0] == out.classes[1]) {
        out.classes[0] = out.classes[1];
        out.classes[1] = -1;
    }
    for (int i = 0; i < 2 && may_count && !out.is_counted; i++) {
        out.is_counted = out.classes[i] >= 0 &&
                         tpi_measure_counts(tpi_vocabulary_class(vocabulary, out.classes[i]),
                                            measure->unit, &out.factor, &out.offset);
        if (out.is_counted) { /* the other one may count something else */
            const int other = out.classes[1 - i];
            double factor, offset;
            out.classes[0] = out.classes[i];
            out.classes[1] = other >= 0 &&
                                     tpi_measure_counts(tpi_vocabulary_class(vocabulary, other),
                                                        measure->unit, &factor, &offset) &&
                                     factor == out.factor
                                 ? other
                                 : -1;
        }
    }
    return out;
}

static void put_classes(tpi_buf *out, const tpi_vocabulary *vocabulary, const tpi_measure *measure,
                        const struct judged *judged)
{
    bool any = false;

    for (int i = 0; i < 2; i++) {
        if (judged->classes[i] >= 0) {
            tpi_buf_printf(out, "%s, ", tpi_vocabulary_class(vocabulary, judged->classes[i])->name);
            any = true;
        }
    }
    if (!any && !measure->is_output) { /* nothing else may take it for a pin */
        tpi_buf_puts(out, "Measurement, ");
    }
    if (measure->is_output) {
        tpi_buf_puts(out, measure->is_digital ? "Digital_Output, Output" : "Analog_Output, Output");
    } else {
        tpi_buf_puts(out, measure->is_digital  ? "Digital_Input, Input"
                          : judged->is_counted ? "Count_Input, Input"
                                               : "Analog_Input, Input");
    }
}

static void put_range(const tpi_measure *measure, const struct judged *judged, double range[2])
{
    range[0] = round(measure->low * judged->factor + judged->offset);
    range[1] = round(measure->high * judged->factor + judged->offset);
}

bool tpi_measure_classes(tpi_buf *out, const tpi_vocabulary *vocabulary, const tpi_measure *measure,
                         double range[2])
{
    const struct judged judged = judge(vocabulary, measure);

    put_classes(out, vocabulary, measure, &judged);
    if (judged.is_counted) {
        put_range(measure, &judged, range);
    }
    return judged.is_counted;
}

double tpi_measure_percent(const tpi_scaling *scaling, double percent)
{
    const double raw = scaling->low + percent / 100 * (scaling->high - scaling->low);

    return (tpi_scaling_value(scaling, raw) - scaling->min) / (scaling->max - scaling->min) * 100;
}

void tpi_measure_put(tpi_buf *out, const tpi_vocabulary *vocabulary, const tpi_measure *measure,
                     const char *place, unsigned device, unsigned number)
{
    const struct judged judged = judge(vocabulary, measure);
    const char *type = measure->is_output    ? (measure->is_digital ? "switched" : "driven")
                       : measure->is_digital ? "sensed"
                       : judged.is_counted   ? "measured"
                                             : "scaled";
    const char *base = measure->is_output ? (measure->is_digital ? "WriteDigital" : "WriteAnalog")
                       : measure->is_digital ? "ReadDigital"
                       : judged.is_counted   ? "ReadCount"
                                             : "ReadAnalog";

    tpi_buf_puts(out, "<device name=\"");
    put_escaped(out, measure->name[0] != '\0' ? measure->name : "Channel");
    tpi_buf_printf(out, " (%s)\" type=\"%s\" base=\"%s\" classes=\"", place, type, base);
    put_classes(out, vocabulary, measure, &judged);
    tpi_buf_puts(out, "\"");
    if (judged.is_counted) {
        double range[2];
        put_range(measure, &judged, range);
        tpi_buf_printf(out, " range=\"%.12g %.12g\"", range[0], range[1]);
    }
    tpi_buf_printf(out,
                   " values=\"device %u, channel %u, factor %.12g, offset %.12g, low %.12g, high "
                   "%.12g\"/>\n",
                   device, number, judged.factor, judged.offset, measure->low, measure->high);
}
