/*
 * nxt.h - the emulated LEGO NXT: what its files share.
 *
 * A telegram is a type (00 direct, 01 system; 80 and 81 want no reply), an opcode and data. A reply
 * is 02, the opcode, a status and data. On a Bluetooth line each is behind its length, two bytes
 * from the lowest. Handlers get the data behind the opcode and fill the data behind the status.
 */
#ifndef TROUPE_EMULATE_NXT_H
#define TROUPE_EMULATE_NXT_H

#include "emulate/robot.h"

enum {
    NXT_MOTORS = 3,
    NXT_PORTS = 4,
    NXT_BUTTONS = 4,
    NXT_BOXES = 20,
    NXT_BOX_DEPTH = 5,    /* messages that a mailbox keeps */
    NXT_MESSAGE = 59,     /* the longest, with its NUL */
    NXT_NAME = 20,        /* of a file, padded with NUL */
    NXT_FILES = 24,       /* that fit */
    NXT_HANDLES = 16,     /* open files and searches */
    NXT_FLASH = 121124,   /* bytes for files */
    NXT_TELEGRAM = 255,   /* the longest that is taken */
    NXT_REPLY = 255,      /* the longest data of a reply */
    NXT_SCREEN = 8 * 100, /* bytes of the display */
    NXT_SCREEN_AT = 119,  /* where they are in the module's memory */
};

/* Status bytes of replies. */
enum {
    NXT_OK = 0x00,
    NXT_PENDING = 0x20,
    NXT_BOX_EMPTY = 0x40,
    NXT_NO_HANDLES = 0x81,
    NXT_NO_SPACE = 0x82,
    NXT_EOF = 0x85,
    NXT_NOT_FOUND = 0x87,
    NXT_EXISTS = 0x8f,
    NXT_NO_MODULE = 0x90,
    NXT_OUT_OF_BOUNDS = 0x91,
    NXT_ILLEGAL_NAME = 0x92,
    NXT_ILLEGAL_HANDLE = 0x93,
    NXT_UNKNOWN = 0xbe,
    NXT_INSANE = 0xbf,
    NXT_RANGE = 0xc0,
    NXT_BUS_ERROR = 0xdd,
    NXT_NOT_CONFIGURED = 0xe0,
    NXT_NO_PROGRAM = 0xec,
    NXT_ILLEGAL_SIZE = 0xed,
    NXT_ILLEGAL_BOX = 0xee,
};

/* What may be plugged into a port. */
enum nxt_plug { NXT_EMPTY, NXT_TOUCH, NXT_SOUND, NXT_LIGHT, NXT_ULTRASONIC, NXT_COLOUR };

struct nxt_motor {
    int8_t power, turn;
    uint8_t mode, regulation, run_state;
    uint32_t limit;         /* degrees; 0 for ever */
    double speed;           /* degrees per second */
    double turned;          /* degrees since it was switched on */
    double began;           /* `turned` when the command came */
    double block, rotation; /* `turned` when these counters were reset */
};

/* A transaction on the digital lines of a port. */
struct nxt_bus {
    uint8_t bytes[16];
    uint8_t count;    /* that were read and not fetched */
    uint8_t status;   /* how it ended */
    int64_t ready_us; /* when it ends */
    uint8_t command;  /* register 41 of the ultrasonic sensor: how it measures */
    uint8_t distance; /* register 42 */
};

struct nxt_port {
    enum nxt_plug plug;
    uint8_t type, mode;
    int64_t valid_us; /* when readings settle */
    bool was;         /* the boolean reading of the last step */
    int16_t count;    /* of transitions */
    struct nxt_bus bus;
};

struct nxt_box {
    uint8_t bytes[NXT_BOX_DEPTH][NXT_MESSAGE];
    uint8_t sizes[NXT_BOX_DEPTH];
    uint8_t count;
};

struct nxt_file {
    char name[NXT_NAME];
    uint32_t begin, size; /* in the flash; a size of UINT32_MAX is no file */
};

struct nxt_handle {
    enum { NXT_CLOSED, NXT_READS, NXT_WRITES, NXT_SEARCHES } use;
    uint32_t file; /* of a search: the next to look at */
    uint32_t at;
    char pattern[NXT_NAME];
};

struct nxt_disk {
    struct nxt_file files[NXT_FILES];
    uint32_t count;
    struct nxt_handle handles[NXT_HANDLES];
    uint8_t flash[NXT_FLASH];
    uint32_t used;
};

/* Parts of the body. */
struct nxt_parts {
    tpi_sim_model touch, sound, light, line, sonar, speaker;
    tpi_sim_model buttons[NXT_BUTTONS];
};

struct nxt {
    uint8_t input[2 + NXT_TELEGRAM];
    size_t input_length;
    int64_t input_us; /* when the last byte came */
    struct nxt_parts parts;
    struct nxt_motor motors[NXT_MOTORS];
    struct nxt_port ports[NXT_PORTS];
    struct nxt_box boxes[NXT_BOXES];
    struct nxt_disk disk;
    char brick_name[15];
    char program[NXT_NAME]; /* that runs; "" for none */
    int64_t awake_us;       /* when the sleep timer was reset */
    bool asleep;            /* switched itself off */
    uint8_t button_counts[NXT_BUTTONS], button_was[NXT_BUTTONS];
    uint8_t module_at; /* of the search for modules */
    uint8_t screen[NXT_SCREEN];
};

static inline struct nxt *nxt_of(tpi_emu *emu)
{
    return emu->state;
}

/* The data of a request, and of its reply. */
struct nxt_call {
    const uint8_t *data;
    size_t length;
    uint8_t *reply; /* zeroed; NXT_REPLY bytes */
    size_t reply_length;
};

/* A command: returns the status. `least` is the shortest data of its request. */
struct nxt_command {
    uint8_t code;
    const char *name;
    size_t least;
    uint8_t (*run)(tpi_emu *emu, struct nxt_call *call);
};

extern const struct nxt_command tpi_nxt_motor_commands[];  /* nxt_motor.c */
extern const struct nxt_command tpi_nxt_port_commands[];   /* nxt_port.c */
extern const struct nxt_command tpi_nxt_bus_commands[];    /* nxt_bus.c */
extern const struct nxt_command tpi_nxt_box_commands[];    /* nxt_box.c */
extern const struct nxt_command tpi_nxt_disk_commands[];   /* nxt_disk.c: system commands */
extern const struct nxt_command tpi_nxt_module_commands[]; /* nxt_module.c: system commands */

void tpi_nxt_motors_tick(tpi_emu *emu);
void tpi_nxt_motors_stop(tpi_emu *emu);
void tpi_nxt_ports_tick(tpi_emu *emu);
void tpi_nxt_buttons_tick(tpi_emu *emu);

/* Whether there is a file of that name. */
bool tpi_nxt_file_exists(const struct nxt *nxt, const uint8_t name[NXT_NAME]);

#endif
