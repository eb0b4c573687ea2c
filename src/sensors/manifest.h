/*
 * manifest.h - the manifest of a sensor: an XML file that says who it is, what it measures and how
 * it is used.
 *
 *     tpi_manifest_read()     text -> manifest; every mistake has its file, its line and a fix
 *     tpi_manifest_write()    manifest -> text that reads back as the same
 *
 * docs/reference/sensor-protocol.md describes the elements. Names with a blank or an underscore are
 * the same. All memory belongs to the manifest. Nothing here waits or prints.
 */
#ifndef TROUPE_SENSORS_MANIFEST_H
#define TROUPE_SENSORS_MANIFEST_H

#include <stdbool.h>

#include "base/buf.h"
#include "convert/element.h"
#include "convert/scaling.h"

enum {
    TPI_MOST_CHANNELS = 16,
    TPI_MOST_CONVERSIONS = 8, /* of a channel */
    TPI_MOST_MODES = 8,       /* of a channel */
    TPI_MOST_OPTIONS = 32,    /* of a mode, and states of a unit */
    TPI_MOST_COORDS = 64,     /* numbers of a function */
    TPI_MOST_MANIFEST = 65536 /* bytes */
};

typedef enum tpi_channel_type {
    TPI_CHANNEL_SENSOR,
    TPI_CHANNEL_ACTUATOR,
    TPI_CHANNEL_EVENT,
} tpi_channel_type;

typedef enum tpi_unit_type {
    TPI_UNIT_RAW,
    TPI_UNIT_SI_PRODUCT,
    TPI_UNIT_DIGITAL,
    TPI_UNIT_PERCENT,
    TPI_UNIT_ARBITRARY,
} tpi_unit_type;

/* A state of a mode or of a digital unit. */
typedef struct tpi_option {
    unsigned index;
    const char *name;
} tpi_option;

typedef struct tpi_conversion {
    unsigned index; /* 1 and up */
    tpi_unit_type unit;
    const char *label;    /* for axes: "Light"; "" for none */
    const char *si_units; /* a formula: "m/s^2"; "" for none */
    double magnitude;     /* a value times ten to this power is in si_units */
    const tpi_option *states;
    unsigned state_count;
    tpi_scaling scaling; /* numbers, limits, resolution, uncertainty */
    bool has_scale;      /* the manifest has min and max */
    const char *datatype;
    unsigned sample_size;
} tpi_conversion;

typedef struct tpi_mode {
    unsigned index;
    bool is_state; /* its values are the indexes of options; otherwise a number */
    const char *name;
    const tpi_option *options;
    unsigned option_count;
    double min, max, resolution; /* of a number */
    double start;                /* its value after power-up */
} tpi_mode;

typedef struct tpi_transducer {
    unsigned index;
    unsigned channel; /* 1 to 99 */
    tpi_channel_type type;
    const char *name, *parameter, *documentation; /* "" for none */
    const tpi_conversion *conversions;
    unsigned conversion_count; /* at least 1 */
    unsigned start;            /* the number of the conversion after power-up, from 0 */
    tpi_mode *modes;
    unsigned mode_count;
    double min_period_ms, trig_delay_ms;
} tpi_transducer;

/* Something that a manufacturer has added: its element and its text. */
typedef struct tpi_manifest_extra {
    const char *name, *text;
} tpi_manifest_extra;

typedef struct tpi_manifest {
    tpi_arena arena; /* owned */
    const char *lang;
    const char *name, *uuid, *version, *info_uri;
    unsigned num_chans; /* 0: not given */
    double timeout_ms;  /* how long the sensor may take for an answer */
    const char *maker, *serial_no, *maker_documentation, *home_page;
    const tpi_manifest_extra *extras;
    unsigned extra_count;
    tpi_transducer *transducers;
    unsigned transducer_count;
    bool has_datalogging;
    unsigned max_datasize; /* bytes for samples; 0: not given */
    const char *time_source;
    const char *log_commands, *log_options; /* lists with commas; "" for all */
    unsigned default_channel;               /* the channel of commands without one */
} tpi_manifest;

/* Read a manifest. `path` is for messages. Without `mistakes` the first mistake ends the reading;
 * with it all are told, in the order of their lines, and the first one is the error. */
tp_status tpi_manifest_read(tpi_manifest **out, const char *text, size_t length, const char *path,
                            tpi_mistakes *mistakes, tp_error *err);

void tpi_manifest_destroy(tpi_manifest *manifest); /* NULL is accepted */

/* Append the manifest as a text. */
void tpi_manifest_write(const tpi_manifest *manifest, tpi_buf *out);

/* The channel with this number; NULL for none. */
const tpi_transducer *tpi_manifest_channel(const tpi_manifest *manifest, unsigned channel);

/* The unit of a conversion for people: "%", "m/s^2", "mm" (si_units with the prefix of magnitude),
 * the label of an arbitrary one, "" for raw and digital ones. */
void tpi_conversion_put_unit(const tpi_conversion *conversion, tpi_buf *out);

/* Words for enumerations, as they stand in manifests. */
const char *tpi_channel_type_name(tpi_channel_type type);
const char *tpi_unit_type_name(tpi_unit_type type);
const char *tpi_scaling_function_name(tpi_scaling_function function);

/* Why a text is no XML, in the words of a manifest: elements that are not closed, names with
 * blanks, closing tags without an opening one; earliest line first. The number of mistakes told; 0
 * if there is another reason. */
unsigned tpi_manifest_explain(const tpi_document *document, const char *text, size_t length);

/* Whether a formula of SI units can be read: symbols with ^ powers, joined by * and /. */
bool tpi_si_units_valid(const char *formula);

#endif
