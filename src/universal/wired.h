/*
 * wired.h - a robot as it is wired: which devices are there, and in which slots.
 *
 * A part is one device that is there. Without a wiring file the parts are what the robot file says;
 * a wiring file decides what sits in a row of slots, adds devices, binds classes of programs to
 * devices. `--map` texts do the same for one program. Constant once it is complete.
 */
#ifndef TROUPE_UNIVERSAL_WIRED_H
#define TROUPE_UNIVERSAL_WIRED_H

#include "universal/robot.h"

enum { TPI_MOST_PARTS = 192, TPI_MOST_BOUND = 64, TPI_MOST_OWN = 32 };

typedef struct tpi_part {
    const tpi_device *device;
    int slot;    /* -1 for none */
    unsigned id; /* the slot, or the index among the devices of its type */
    double numbers[TPI_MOST_NUMBERS];
    double threshold, hysteresis;
    int left, right; /* parts that a group consists of; -1 for none */
    bool is_gone;    /* it is not there now: nothing matches it */
} tpi_part;

/* A class of programs that is bound to a part. */
typedef struct tpi_bound {
    tpi_word word;
    int part;
    bool by_map; /* else by the wiring file */
} tpi_bound;

/* How a command is done with a part. */
typedef enum tpi_way {
    TPI_WAY_NONE,      /* not available */
    TPI_WAY_DIRECT,    /* a translation of the part's type */
    TPI_WAY_BASE_TYPE, /* one of the default type of its base command */
    TPI_WAY_ANY_TYPE,  /* one of any type */
    TPI_WAY_CONVERT,   /* the base command, and a conversion */
    TPI_WAY_PARENT,    /* the parent command, with its map */
    TPI_WAY_MEMBERS,   /* each wheel of a group */
    TPI_WAY_ENGINE,    /* the engine itself */
} tpi_way;

typedef struct tpi_route {
    tpi_way way;
    const tpi_translation *translation;
    tpi_command next; /* of CONVERT, PARENT and MEMBERS */
} tpi_route;

typedef struct tpi_wired {
    const tpi_robotfile *robot; /* borrowed */
    tpi_document document;      /* the wiring file; its arena has the memory of maps too */
    bool is_loose;              /* actuators may fall back to generic words */
    unsigned own_count;
    tpi_device own[TPI_MOST_OWN];
    unsigned part_count;
    tpi_part parts[TPI_MOST_PARTS];
    unsigned fixed_count;    /* parts that stay; those behind them are plugged in */
    tpi_document plugged_in; /* what was plugged in last */
    unsigned plugged_count;
    tpi_device plugged[TPI_MOST_OWN];
    unsigned bound_count;
    tpi_bound bound[TPI_MOST_BOUND];
    tpi_route routes[TPI_MOST_PARTS][TPI_COMMANDS];
    uint64_t carried[TPI_MOST_CLASSES / 64]; /* classes that a part has, by their bits */
} tpi_wired;

/* A robot with its default wiring (`text` is NULL) or with a wiring file. The robot must outlive
 * it. */
tp_status tpi_wired_create(tpi_wired **out, const tpi_robotfile *robot, const char *text,
                           size_t length, const char *path, tp_error *err);

/* The same, telling all mistakes of a stage: slots; devices; what refers to them. A stage with
 * mistakes ends the reading. `mistakes` may be NULL. */
tp_status tpi_wired_create_all(tpi_wired **out, const tpi_robotfile *robot, const char *text,
                               size_t length, const char *path, tpi_mistakes *mistakes,
                               tp_error *err);
void tpi_wired_destroy(tpi_wired *wired);

/* Apply "Light Sensor=port 2" or "Left Wheel=Motor A". */
tp_status tpi_wired_map(tpi_wired *wired, const char *text, tp_error *err);

/* Leave out the parts that are not there, and groups without their wheels. Classes that are bound
 * to them are bound to nothing. Before anything is matched. */
void tpi_wired_leave_out(tpi_wired *wired, bool (*is_there)(void *context, const tpi_part *part),
                         void *context);

/* Replace what is plugged in while the robot is used: the <device> elements of a text, each of a
 * type of the robot file (NULL: nothing). The other parts keep their numbers. After a failure
 * nothing is plugged in. */
tp_status tpi_wired_plug_in(tpi_wired *wired, const char *text, size_t length, tp_error *err);

/* The part of a device in a slot (-1: wherever it is, else the first slot of its row); it is put
 * there if it is not, a group with its wheels. -1 if it does not fit. */
int tpi_wired_plug(tpi_wired *wired, int device, int slot);

/* The part with this name of a device, and in this slot (-1: any); -1 for none. */
int tpi_wired_part(const tpi_wired *wired, const char *name, int slot);

/* Where a part is: "port 3", or "" without a slot. */
const char *tpi_part_place(const tpi_wired *wired, const tpi_part *part);

/* Whether two parts are the same thing: one of them, one slot, a group and its member. */
bool tpi_parts_overlap(const tpi_wired *wired, int a, int b);

/* How a command is done with a part. */
const tpi_route *tpi_wired_route(const tpi_wired *wired, tpi_command command, int part);

/* "by its type", "from its base command" ... */
const char *tpi_way_text(tpi_way way);

/* ---- Inside ---- */

/* Add a part behind the others; -1 for no slot. Routes are not found anew. */
tp_status tpi_wired_add(tpi_wired *wired, const tpi_device *device, int slot, tp_error *err);

/* Let a class of programs mean a part. */
tp_status tpi_wired_bind(tpi_wired *wired, const char *class, int part, bool by_map, tp_error *err);

/* Find the wheels of groups. */
void tpi_wired_join_groups(tpi_wired *wired);

/* Find the ways of all commands and parts, and the classes that are there. */
void tpi_wired_find_routes(tpi_wired *wired);

#endif
