/* units.c - the table of units. */
#include "play/units.h"

#include <string.h>

#include "base/text.h"

static const tpi_play_unit units[] = {
    {"%", TPI_PLAY_PERCENT, 1},         {"s", TPI_PLAY_TIME, 1},
    {"ms", TPI_PLAY_TIME, 0.001},       {"min", TPI_PLAY_TIME, 60},
    {"mm", TPI_PLAY_DISTANCE, 1},       {"cm", TPI_PLAY_DISTANCE, 10},
    {"m", TPI_PLAY_DISTANCE, 1000},     {"deg", TPI_PLAY_ANGLE, 1},
    {"deg/s", TPI_PLAY_TURN_RATE, 1},   {"°C", TPI_PLAY_TEMPERATURE, 1},
    {"dB", TPI_PLAY_SOUND, 1},          {"mV", TPI_PLAY_VOLTAGE, 1},
    {"V", TPI_PLAY_VOLTAGE, 1000},      {"mA", TPI_PLAY_CURRENT, 1},
    {"A", TPI_PLAY_CURRENT, 1000},      {"mg", TPI_PLAY_ACCELERATION, 1},
    {"g", TPI_PLAY_ACCELERATION, 1000}, {"Hz", TPI_PLAY_FREQUENCY, 1},
    {"kHz", TPI_PLAY_FREQUENCY, 1000},
};

static const struct {
    const char *word, *unit;
} other_words[] = {
    {"sec", "s"},
    {"secs", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"millis", "ms"},
    {"msec", "ms"},
    {"milliseconds", "ms"},
    {"minute", "min"},
    {"minutes", "min"},
    {"degree", "deg"},
    {"degrees", "deg"},
    {"percent", "%"},
    {"meter", "m"},
    {"metre", "m"},
    {"meters", "m"},
    {"metres", "m"},
    {"centimeter", "cm"},
    {"centimetres", "cm"},
    {"centimeters", "cm"},
    {"millimeters", "mm"},
    {"hertz", "Hz"},
    {"hz", "Hz"},
    {"C", "°C"},
    {"celsius", "°C"},
    {"db", "dB"},
    {"volt", "V"},
    {"volts", "V"},
    {"°", "deg"},
    {"hour", ""},
    {"hours", ""},
    {"h", ""},
    {"miliseconds", "ms"},
    {"millisecond", "ms"},
    {"sek", "s"},
    {"sekunden", "s"},
    {"Sekunden", "s"},
    {"mins", "min"},
    {"cms", "cm"},
    {"mms", "mm"},
    {"c", "cm"},
    {"centimetre", "cm"},
    {"millimeter", "mm"},
    {"millimetres", "mm"},
    {"Meter", "m"},
    {"grad", "deg"},
    {"Grad", "deg"},
    {"pct", "%"},
    {"Prozent", "%"},
    {"prozent", "%"},
    {"S", "s"},
    {"MS", "ms"},
    {"CM", "cm"},
    {"MM", "mm"},
    {"HZ", "Hz"},
    {"khz", "kHz"},
    {"mv", "mV"},
    {"v", "V"},
    {"Volt", "V"},
    {"ma", "mA"},
    {"lux", "%"},
    {"lx", "%"},
    {"lumen", "%"},
    {"m/s", "%"},
    {"cm/s", "%"},
    {"mm/s", "%"},
    {"km/h", "%"},
    {"mph", "%"},
    {"rpm", "%"},
    {"Sekunde", "s"},
    {"sekunde", "s"},
    {"secondes", "s"},
    {"seconde", "s"},
    {"Millisekunden", "ms"},
    {"Minuten", "min"},
    {"minuten", "min"},
    {"Minute", "min"},
    {"Zentimeter", "cm"},
    {"zentimeter", "cm"},
    {"Millimeter", "mm"},
    {"inch", "cm"},
    {"inches", "cm"},
    {"in", "cm"},
    {"km", "m"},
    {"degs", "deg"},
    {"degré", "deg"},
    {"degrés", "deg"},
    {"pourcent", "%"},
    {"Hertz", "Hz"},
};

static const struct {
    const char *text, *unit;
} dimensions[TPI_PLAY_DIMENSIONS] = {
    {"a plain number", ""},  {"a percentage", "%"},     {"a time", "s"},
    {"a distance", "mm"},    {"an angle", "deg"},       {"a turn rate", "deg/s"},
    {"a temperature", "°C"}, {"a loudness", "dB"},      {"a voltage", "mV"},
    {"a current", "mA"},     {"an acceleration", "mg"}, {"a frequency", "Hz"},
};

const tpi_play_unit *tpi_play_unit_at(unsigned index)
{
    return index < sizeof units / sizeof units[0] ? &units[index] : NULL;
}

const tpi_play_unit *tpi_play_unit_named(const char *name)
{
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].name, name) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

static const char *spelled(const char *word)
{
    for (unsigned i = 0; i < sizeof other_words / sizeof other_words[0]; i++) {
        if (strcmp(other_words[i].word, word) == 0) {
            return other_words[i].unit;
        }
    }
    return NULL;
}

bool tpi_play_unit_known(const char *word)
{
    return tpi_play_unit_named(word) != NULL || spelled(word) != NULL;
}

const char *tpi_play_unit_meant(const char *word)
{
    tpi_nearest nearest;

    if (spelled(word) != NULL) {
        return spelled(word);
    }
    tpi_nearest_init(&nearest, word);
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++) {
        tpi_nearest_offer(&nearest, units[i].name);
    }
    return nearest.best;
}

const char *tpi_play_dimension_text(tpi_play_dimension dimension)
{
    return dimensions[dimension].text;
}

const char *tpi_play_dimension_unit(tpi_play_dimension dimension)
{
    return dimensions[dimension].unit;
}
