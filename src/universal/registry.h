/*
 * registry.h - the port registry: which part of a robot each device of a program is.
 *
 * A program declares devices by class lists; a command without a declared device uses its default
 * list. The rules are in docs/robot-files.md. Every result carries a sentence that explains it.
 * Matching takes no memory; results of default lists are kept.
 */
#ifndef TROUPE_UNIVERSAL_REGISTRY_H
#define TROUPE_UNIVERSAL_REGISTRY_H

#include "universal/wired.h"

enum { TPI_MOST_PORTS = 64, TPI_EXPLANATION = 240 };

/* Where the class that matched comes from. */
typedef enum tpi_origin {
    TPI_ORIGIN_PROGRAM,
    TPI_ORIGIN_PARENT,  /* a parent of a class of the program */
    TPI_ORIGIN_COMMAND, /* the default list of the command */
    TPI_ORIGIN_MAP,
    TPI_ORIGIN_WIRING,
} tpi_origin;

typedef struct tpi_match {
    int part; /* -1: no match */
    unsigned step;
    tpi_word word; /* the class that matched */
    tpi_origin origin;
    bool is_inverted;     /* high means the opposite */
    bool is_shared;       /* another device of the program uses it */
    bool is_percent_only; /* the class has a unit, the device gives percent */
    bool missed_id;       /* the number did not fit */
    bool is_tie;          /* only the order in the file decided */
} tpi_match;

/* What is looked for. */
typedef struct tpi_match_wish {
    const tpi_classes *classes; /* of the program; NULL for none */
    int id;                     /* -1 for none */
    tpi_command command;        /* whose default classes are added; TPI_COMMANDS for none */
    bool is_loose;
    bool is_brief; /* a failure is explained without hints, which cost time */
} tpi_match_wish;

/* A device that a program has declared. */
typedef struct tpi_port {
    tpi_classes classes;
    int id;
    tpi_match match;
    char explanation[TPI_EXPLANATION];
} tpi_port;

typedef struct tpi_registry {
    const tpi_wired *wired; /* borrowed */
    bool is_loose;
    unsigned failed; /* devices that matched nothing: only the first ones get hints */
    tpi_arena arena;
    unsigned port_count;
    tpi_port ports[TPI_MOST_PORTS];
    bool is_known[TPI_COMMANDS]; /* default lists that were matched, for id 0 */
    tpi_match known[TPI_COMMANDS];
} tpi_registry;

/* The registry is zeroed memory of the caller. */
void tpi_registry_init(tpi_registry *registry, const tpi_wired *wired, bool is_loose);
void tpi_registry_fini(tpi_registry *registry);

/* Declare a device by a text with one class per line, or with commas. `command` is what it will be
 * used with, TPI_COMMANDS if that is not known. The number of the port, or -1 with the error; a
 * port without a match is TP_E_UNKNOWN, and the error explains it. */
int tpi_registry_declare(tpi_registry *registry, const char *classes, int id, tpi_command command,
                         tp_error *err);

/* The match of a command without a declared device. */
const tpi_match *tpi_registry_default(tpi_registry *registry, tpi_command command, int id);

/* Look for a part; `claimed` (by part) are those that the program's other devices use, NULL for
 * none. */
tpi_match tpi_match_find(const tpi_wired *wired, const tpi_match_wish *wish, const bool *claimed);

/* Write the sentence that explains a match. */
void tpi_match_explain(const tpi_wired *wired, const tpi_match_wish *wish, const tpi_match *match,
                       char *out, size_t size);

#endif
