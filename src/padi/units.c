/* units.c - the units that every interface file may use; docs/reference/padi.md explains them. */
#include "padi/names.h"

const char *const tpi_units[] = {
    "m",       "mm",    "km",        "m^2",           "rad",   "deg",   "1e-7deg",
    "s",       "ms",    "us",        "m/s",           "rad/s", "deg/s", "m/s^2",
    "rad/s^2", "m|rad", "m/s|rad/s", "m/s^2|rad/s^2", "Hz",    "MHz",   "kg",
    "N",       "N*m",   "Pa",        "degC",          "lx",    "T",     "V",
    "A",       "W",     "J",         "dBm",           "dB",    "%",     "px",
    "byte",    "bit",   "bit/s",     "count",         "bool",  "id",    "1",
    "raw",     "text",  "rgb",       "dBm|raw",       NULL,
};
