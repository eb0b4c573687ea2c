/*
 * dictionary.h - the universal commands: codes, values, parents, default devices.
 *
 * A command has the same values and results on every robot. Its code has a class byte and a
 * specifier byte. Most commands act on a device, which a port of two bytes names: a type and an id.
 * The table is constant.
 */
#ifndef TROUPE_UNIVERSAL_DICTIONARY_H
#define TROUPE_UNIVERSAL_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TPI_MOST_VALUES = 4,  /* of a command */
    TPI_MOST_RESULTS = 3, /* of a command */
};

/* What a value is on the wire and in expressions. Numbers are doubles inside. */
typedef enum tpi_kind {
    TPI_KIND_NONE,
    TPI_KIND_BOOL,
    TPI_KIND_U8,
    TPI_KIND_U16,
    TPI_KIND_I32,
    TPI_KIND_DOUBLE,
    TPI_KIND_TEXT,
    TPI_KIND_BYTES,
} tpi_kind;

/* One value or result of a command. */
typedef struct tpi_entry_value {
    const char *name; /* NULL ends the list */
    tpi_kind kind;
    double low, high; /* what it is clamped to; both 0 for no range */
    double missing;   /* the value if it is left out */
} tpi_entry_value;

/* Default device types, with their numbers on the wire. */
typedef enum tpi_type_number {
    TPI_TYPE_GENERAL = 0,
    TPI_TYPE_INPUT = 1,
    TPI_TYPE_DIGITAL_INPUT = 2,
    TPI_TYPE_ANALOG_INPUT = 3,
    TPI_TYPE_OUTPUT = 16,
    TPI_TYPE_DIGITAL_OUTPUT = 17,
    TPI_TYPE_ANALOG_OUTPUT = 18,
    TPI_TYPE_LOCOMOTOR = 19,
    TPI_TYPE_DRIVE_AXIS = 20,
    TPI_TYPE_FIRST_OWN = 64, /* types of ports that a program declared */
    TPI_TYPE_ALL = 255,      /* of Stop: everything that moves */
} tpi_type_number;

/* Who carries a command out. */
typedef enum tpi_sort {
    TPI_SORT_CONTROL, /* the engine: waiting, starting, stopping */
    TPI_SORT_READ,
    TPI_SORT_WRITE,
    TPI_SORT_CHANNEL,
    TPI_SORT_RAW, /* bytes of the robot, or of extensions */
} tpi_sort;

/* Every command, in the order of the codes. The enum is the index in the table. */
typedef enum tpi_command {
    TPI_NO_OP,
    TPI_INITIALIZE,
    TPI_START,
    TPI_END,
    TPI_RESET,
    TPI_WAIT_TIME,
    TPI_WAIT_TRIGGER,
    TPI_SETUP_INPUT,
    TPI_READ_GENERIC,
    TPI_READ_DIGITAL,
    TPI_READ_ANALOG,
    TPI_READ_COUNT,
    TPI_READ_STRING,
    TPI_READ_BUFFER,
    TPI_TRACK,
    TPI_SETUP_OUTPUT,
    TPI_WRITE_GENERIC,
    TPI_WRITE_DIGITAL,
    TPI_WRITE_ANALOG,
    TPI_WRITE_COUNT,
    TPI_WRITE_STRING,
    TPI_WRITE_BUFFER,
    TPI_INDICATE_TRIGGER,
    TPI_INDICATE_VALUE,
    TPI_DISPLAY_VALUE,
    TPI_DISPLAY_STRING,
    TPI_MOVE_POWER,
    TPI_DRIVE,
    TPI_WRITE_PWM,
    TPI_WRITE_SERVO,
    TPI_TONE,
    TPI_MOVE_MOTORS,
    TPI_GO_TO,
    TPI_STOP,
    TPI_SETUP_CHANNEL,
    TPI_READ_MESSAGE,
    TPI_WRITE_MESSAGE,
    TPI_CHECK_STATUS,
    TPI_EXTENDED,
    TPI_RAW,
    TPI_COMMANDS, /* how many there are; as an index: none */
} tpi_command;

/* What the dictionary says about a command. Constant. */
typedef struct tpi_entry {
    const char *name;
    uint16_t code;
    tpi_sort sort;
    bool has_port;
    tpi_type_number type; /* default device type */
    const char *classes;  /* default class list, separated by commas; "" for none */
    tpi_command parent;   /* TPI_COMMANDS for none */
    uint16_t base;        /* code of the default base command; 0 for none */
    tpi_entry_value values[TPI_MOST_VALUES + 1];
    tpi_entry_value results[TPI_MOST_RESULTS + 1];
    const char *text; /* what it does */
} tpi_entry;

/* The entry of a command below TPI_COMMANDS. */
const tpi_entry *tpi_dictionary_entry(tpi_command command);

/* The command with this code, or one of its other codes; TPI_COMMANDS if there is none. */
tpi_command tpi_dictionary_code(uint16_t code);

/* The command with this name or alias; case, blanks and underscores do not matter. TPI_COMMANDS if
 * there is none. */
tpi_command tpi_dictionary_named(const char *name);

/* How many values, or results, a command has. */
unsigned tpi_entry_value_count(const tpi_entry_value *slots);

/* The name of a default type: "Analog_Input"; NULL for a number that is none. */
const char *tpi_dictionary_type(unsigned number);

/* The number of a type on the wire: that of a default type, or a number from 64 to 254 as text; -1
 * for none. */
int tpi_dictionary_type_number(const char *type);

/* The default type of a command, as a name. */
const char *tpi_dictionary_type_of(tpi_command command);

/* What a command can do, whatever part it is for. */
typedef enum tpi_risk {
    TPI_RISK_LOOK, /* it reads a number, or only waits */
    TPI_RISK_RUN,  /* it moves nothing */
    TPI_RISK_MOVE, /* it may move something */
} tpi_risk;

/* The risk of a command with the parts of its default classes. A command that shows something can
 * move a part that a program has declared for it. */
tpi_risk tpi_dictionary_risk(tpi_command command);

/* Whether two words are equal without case, blanks and underscores. */
bool tpi_word_equal(const char *a, const char *b);

/* A number that equal words share, for finding one among many. */
uint32_t tpi_word_mark(const char *word);

/* How a value is called in tables: "double", "u16". */
const char *tpi_kind_name(tpi_kind kind);

enum { TPI_COMPARISONS = 8 };

/* What a comparison (0 to 7) of WaitTrigger waits for: "below the value". */
const char *tpi_comparison_text(unsigned comparison);

/* Whether the value is a text or bytes. */
bool tpi_kind_is_text(tpi_kind kind);

#endif
