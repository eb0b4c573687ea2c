/*
 * robot.h - a robot file, read and checked: devices, translations, framing, safety.
 *
 * Constant after reading; any thread may use it. docs/robot-files.md describes the format.
 *
 * robot_read.c reads the elements, robot_link.c links and framing, robot_state.c registers and
 * incoming messages, robot_device.c devices, slots and groups, robot_steps.c and robot_macro.c
 * compile steps, robot_check.c checks what belongs together.
 */
#ifndef TROUPE_UNIVERSAL_ROBOT_H
#define TROUPE_UNIVERSAL_ROBOT_H

#include "convert/scaling.h"
#include "universal/pattern.h"
#include "universal/vocabulary.h"

enum {
    TPI_MOST_DEVICES = 160,
    TPI_MOST_TRANSLATIONS = 400,
    TPI_MOST_STEPS = 200, /* of one translation */
    TPI_MOST_ROWS = 8,    /* rows of slots */
    TPI_MOST_SLOTS = 32,  /* in a row */
    TPI_MOST_LINKS = 4,
    TPI_MOST_TYPES = 8,     /* of a translation */
    TPI_MOST_INCOMING = 32, /* and refusals */
    TPI_MOST_ESCAPES = 16,
    TPI_MOST_REMARKS = 200, /* na, unused, errors, labels: of each */
    TPI_MOST_POLLS = 4,     /* nested */
    TPI_MOST_MARK = 8,      /* bytes of start and end */
    TPI_MOST_USES = 4,      /* pins of one device */
};

/* Why a universal command failed; the numbers of the protocol. */
typedef enum tpi_fault {
    TPI_FAULT_NONE,
    TPI_FAULT_NOT_AVAILABLE,
    TPI_FAULT_NO_MATCH,
    TPI_FAULT_VALUE,
    TPI_FAULT_SILENT,
    TPI_FAULT_REFUSED,
    TPI_FAULT_STOPPED,
    TPI_FAULT_DENIED,
    TPI_FAULT_TOO_LONG,
    TPI_FAULTS,
} tpi_fault;

/* "robot silent" */
const char *tpi_fault_text(tpi_fault fault);

/* ---- Steps ---- */

typedef enum tpi_step_code {
    TPI_STEP_SEND,
    TPI_STEP_REPLY,
    TPI_STEP_SET,
    TPI_STEP_CHECK,
    TPI_STEP_WAIT,
    TPI_STEP_POLL,  /* the beginning */
    TPI_STEP_UNTIL, /* the end; `target` is the step behind the beginning */
    TPI_STEP_AWAIT,
    TPI_STEP_DO,
    TPI_STEP_UNLESS, /* go to `target` unless the expression holds */
    TPI_STEP_GO,
    TPI_STEP_RESULT, /* number `target` */
} tpi_step_code;

/* A universal command inside of a macro. */
typedef struct tpi_macro {
    tpi_command command;
    const char *device; /* name; "" for the device of the translation */
    int index;          /* of the device; -1 for the device of the translation */
    bool given[TPI_MOST_VALUES];
    tpi_expression values[TPI_MOST_VALUES];
    int local; /* where its first result goes; -1 for nowhere */
} tpi_macro;

typedef struct tpi_step {
    tpi_step_code code;
    unsigned line;
    tpi_pattern pattern;
    tpi_expression value;
    tpi_expression at; /* index of a register */
    int target;        /* local, register, step or result */
    bool is_register, is_fresh;
    bool is_patient; /* of UNTIL: a reply that does not come begins another turn */
    double timeout_ms, every_ms;
    tpi_fault fault;
    const char *says; /* the text of a fault; of a result its expression */
    const tpi_macro *call;
} tpi_step;

typedef struct tpi_steps {
    const tpi_step *steps; /* borrowed from the arena */
    unsigned count;
} tpi_steps;

/* ---- Devices ---- */

typedef struct tpi_row {
    const char *name;
    unsigned count;
    const char *labels[TPI_MOST_SLOTS];
} tpi_row;

typedef struct tpi_device {
    const char *name, *label, *type;
    unsigned line;
    const tpi_element *element; /* of the file */
    tpi_classes classes;
    tpi_command base;
    bool is_output, is_signed, is_group;
    int row, at; /* the slots where it fits, where it sits; -1 for none */
    unsigned id; /* of the file, or the index among the devices of its type */
    bool has_id; /* the file gives it */
    double range[2], degrees[2];
    double volts[2]; /* what 0 and 100 % stand for; equal if unknown */
    const char
        *uses[TPI_MOST_USES]; /* things that it has for itself, such as pins; NULL for none */
    double threshold, hysteresis;
    const double *numbers;      /* by the names of the robot's scope; NaN where it has none */
    const char *left, *right;   /* names of the members of a group */
    const tpi_scaling *scaling; /* of a manifest: raw numbers to values; NULL for none */
    bool is_counted;            /* its counts have the unit of its class, by the manifest */
    uint64_t does; /* kind universal: commands that the robot executes, by their bits */
    tpi_steps setup, shutdown;
} tpi_device;

/* ---- Translations ---- */

typedef struct tpi_translation {
    tpi_command command;
    unsigned type_count; /* 0: any type */
    const char *types[TPI_MOST_TYPES];
    unsigned line;
    tpi_steps steps;
    const tpi_element *element; /* its examples */
} tpi_translation;

/* A message that the robot sends unasked, or that refuses a command. */
typedef struct tpi_incoming {
    tpi_pattern pattern;
    tpi_steps steps;
    const char *says; /* of a refusal */
    unsigned line;
} tpi_incoming;

/* A command that is not available, a native instruction that is not used, an error code. */
typedef struct tpi_remark {
    const char *what, *why;
    tpi_command command;
    double code;
    unsigned line;
} tpi_remark;

typedef struct tpi_remarks {
    unsigned count;
    tpi_remark all[TPI_MOST_REMARKS];
} tpi_remarks;

/* ---- The line ---- */

typedef struct tpi_robot_link {
    const char *kind, *host;
    double baud, port, boot_ms;
} tpi_robot_link;

typedef struct tpi_mark {
    uint8_t bytes[TPI_MOST_MARK];
    unsigned length;
} tpi_mark;

typedef struct tpi_framing {
    bool is_used;     /* there is the element */
    bool is_packet;   /* each packet of the link is a frame */
    bool reads_plain; /* replies have no framing */
    tpi_mark start, end;
    tpi_format length; /* width 0: none */
    double length_adds;
    unsigned size, in_size; /* 0: not fixed */
    uint8_t pad;
    bool has_sequence;
    tpi_format checksum; /* width 0: none */
    bool has_escape;
    uint8_t escape;
    unsigned escape_count;
    uint8_t escapes[TPI_MOST_ESCAPES][2]; /* the byte, and what stands for it */
} tpi_framing;

typedef struct tpi_timing {
    double reply_ms, gap_ms, keepalive_ms, silence_ms;
    size_t largest; /* bytes of the longest message */
    bool drops;     /* it drops what comes before its answer */
    bool is_timed;  /* the keep-alive is due whatever else is sent */
} tpi_timing;

/* Who the robot is. */
typedef struct tpi_robot_identity {
    const char *name, *title, *lang;
    const char *maker, *icon, *url, *about; /* NULL for none */
    const char *palette;                    /* commands, NULL for none */
} tpi_robot_identity;

typedef struct tpi_robotfile {
    tpi_document document;            /* its arena has everything here */
    const tpi_vocabulary *vocabulary; /* borrowed */
    bool is_universal;                /* it executes universal commands itself; no translations */
    tpi_robot_identity identity;
    unsigned link_count;
    tpi_robot_link links[TPI_MOST_LINKS];
    tpi_timing timing;
    tpi_framing framing;
    tpi_scope scope; /* registers, and the names of the devices' numbers */
    unsigned row_count;
    tpi_row rows[TPI_MOST_ROWS];
    unsigned device_count;
    tpi_device devices[TPI_MOST_DEVICES];
    unsigned translation_count;
    tpi_translation translations[TPI_MOST_TRANSLATIONS];
    unsigned incoming_count, refusal_count;
    tpi_incoming incoming[TPI_MOST_INCOMING], refusals[TPI_MOST_INCOMING];
    tpi_remarks na, unused, errors;
    tpi_steps setup, shutdown, keepalive, stop;
    bool has_stop;
} tpi_robotfile;

/* Read the text of a robot file. The vocabulary must outlive it. */
tp_status tpi_robotfile_read(tpi_robotfile **out, const char *text, size_t length, const char *path,
                             const tpi_vocabulary *vocabulary, tp_error *err);
/* The same, telling all mistakes of a stage: elements and devices; translations; what belongs
 * together. A stage with mistakes ends the reading. `mistakes` may be NULL. */
tp_status tpi_robotfile_read_all(tpi_robotfile **out, const char *text, size_t length,
                                 const char *path, const tpi_vocabulary *vocabulary,
                                 tpi_mistakes *mistakes, tp_error *err);
void tpi_robotfile_destroy(tpi_robotfile *robot);

/* The device with this name; -1 for none. */
int tpi_robotfile_device(const tpi_robotfile *robot, const char *name);

/* Find a slot by its label in one row, or in all (`row` below 0); false for none. */
bool tpi_robotfile_slot(const tpi_robotfile *robot, const char *label, int *row, int *slot);

/* Why a command is not available, NULL if the file does not say. */
const char *tpi_robotfile_na(const tpi_robotfile *robot, tpi_command command);

/* Whether replies are frames. */
bool tpi_robotfile_reads_frames(const tpi_robotfile *robot);

/* ---- Inside: the parts of reading ---- */

/* Read links, timing, framing. */
tp_status tpi_robotfile_read_link(tpi_robotfile *robot, const tpi_element *element);
tp_status tpi_robotfile_read_timing(tpi_robotfile *robot, const tpi_element *element);
tp_status tpi_robotfile_read_framing(tpi_robotfile *robot, const tpi_element *element);

/* Read registers, counters, and messages that come unasked. */
tp_status tpi_robotfile_read_register(tpi_robotfile *robot, const tpi_element *element);
tp_status tpi_robotfile_read_counter(tpi_robotfile *robot, const tpi_element *element);
tp_status tpi_robotfile_read_incoming(tpi_robotfile *robot, const tpi_element *element);
tp_status tpi_robotfile_read_refusal(tpi_robotfile *robot, const tpi_element *element);

/* Read slots; devices and groups into `out` (setup and shutdown are compiled later). */
tp_status tpi_robotfile_read_slots(tpi_robotfile *robot, const tpi_element *element);
tp_status tpi_robotfile_read_device(tpi_robotfile *robot, const tpi_element *element);
tp_status tpi_robotfile_read_group(tpi_robotfile *robot, const tpi_element *element);

/* Read one device of an element, with `number` in the place of %. The messages go to `document`,
 * the memory comes from `arena`. Used for robot files and for own devices of wiring files. */
tp_status tpi_device_read(tpi_device *out, const tpi_robotfile *robot, const tpi_document *document,
                          tpi_arena *arena, const tpi_element *element, int number);

/* Compile the steps of an element, for a command (TPI_COMMANDS for none), with its attributes send,
 * reply and result. `only` is a list of allowed steps, NULL for all. */
tp_status tpi_steps_read(tpi_steps *out, tpi_robotfile *robot, const tpi_element *element,
                         tpi_command command, const char *const *only);

/* Whether the steps use a number of a device. */
bool tpi_steps_use(const tpi_steps *steps, unsigned number);

/* Whether a device with these numbers has all that the steps use. */
bool tpi_steps_fit(const tpi_robotfile *robot, const tpi_steps *steps, const double *numbers);

/* robot_universal.c: whether an element may stand in a file of the kind universal; framing, stop
 * bytes and keep-alive of such a robot. */
bool tpi_robotfile_may_stand(const tpi_robotfile *robot, const char *element);
tp_status tpi_robotfile_speak_universal(tpi_robotfile *robot);

/* robot_universal.c: the commands that a robot of the kind universal executes for a device. */
tp_status tpi_device_read_does(tpi_device *out, const tpi_robotfile *robot,
                               const tpi_document *document, tpi_arena *arena,
                               const tpi_element *element);

/* robot_manifest.c: what the attribute `manifest` says about a device: its scaling, its range and,
 * in `classes`, its classes. Nothing without the attribute. */
tp_status tpi_device_read_manifest(tpi_device *out, const tpi_robotfile *robot,
                                   const tpi_document *document, tpi_arena *arena,
                                   const tpi_element *element, const char **classes);

/* Check what belongs together, once everything is read. */
tp_status tpi_robotfile_check(const tpi_robotfile *robot);

#endif
