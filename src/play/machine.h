/*
 * machine.h - executes images: tasks, time, requests.
 *
 * The machine is pure: it knows no robot and no clock. It takes no memory; the caller gives it all.
 * Life: init -> (run -> (answer | the time changes))* . tpi_play_run() returns when a universal
 * command is needed (ASKS; the caller carries it out and calls tpi_play_answer()), when all tasks
 * wait (WAITS), when its budget is used up (RUNS), at the end (DONE), or at a fault.
 *
 * Tasks switch at the ends of loops and in waits only. A task runs on while the caller carries out
 * its command. Freestanding: the same source is compiled for the host and for chips. A chip has
 * exec_small.c and texts_small.c instead of exec.c and texts.c, and TPI_PLAY_BYTE(image, at) can
 * read the image from a memory of its own.
 */
#ifndef TROUPE_PLAY_MACHINE_H
#define TROUPE_PLAY_MACHINE_H

#include "play/cell.h"
#include "play/image.h"

#ifndef TPI_PLAY_BYTE
#define TPI_PLAY_BYTE(image, at) ((image)[at])
#endif

/* Counts cells and frames. A chip with fewer than 256 of them can have a smaller type. */
#ifndef TPI_PLAY_INDEX
#define TPI_PLAY_INDEX uint16_t
#endif
typedef TPI_PLAY_INDEX tpi_play_index;

/* Texts below this number are those of the image, the others are slots. */
enum { TPI_PLAY_FIRST_SLOT = 256 };

/* What a call returns to. */
typedef struct tpi_play_frame {
    uint16_t pc;
    tpi_play_index base;
    uint8_t target; /* the register that takes the result */
} tpi_play_frame;

typedef enum tpi_play_state {
    TPI_PLAY_OFF,
    TPI_PLAY_READY,
    TPI_PLAY_WAITING,
} tpi_play_state;

typedef struct tpi_play_task {
    uint16_t pc;
    tpi_play_index base; /* its registers: 0 for those of the program, else its frame */
    tpi_play_index top;  /* the first cell that no frame of it uses */
    uint8_t depth;       /* calls within calls */
    uint8_t state;
    int32_t wake_ms;
} tpi_play_task;

/* The memory of a machine; all of it is the caller's. */
typedef struct tpi_play_memory {
    tpi_play_cell *cells; /* registers of the program, then frames of functions */
    tpi_play_index cell_count;
    tpi_play_frame *frames;
    tpi_play_index frame_count;
    char *slots; /* texts that are made while it runs */
    uint8_t slot_count;
    uint8_t slot_size;        /* a slot holds a text of slot_size - 1 bytes and its length */
    tpi_play_cell *constants; /* 256; NULL on a chip */
} tpi_play_memory;

/* A universal command that the program needs. The values lie in `row`; the results go there. */
typedef struct tpi_play_request {
    uint16_t code;
    uint8_t device; /* or channel; TPI_PLAY_NO_DEVICE for none */
    uint8_t values, results;
    tpi_play_cell *row; /* borrowed from the machine */
} tpi_play_request;

typedef enum tpi_play_status {
    TPI_PLAY_RUNS,
    TPI_PLAY_ASKS,
    TPI_PLAY_WAITS,
    TPI_PLAY_DONE,
    TPI_PLAY_FAULTED,
} tpi_play_status;

typedef struct tpi_play_machine {
    const uint8_t *image;   /* borrowed */
    tpi_play_memory memory; /* borrowed */
    tpi_play_index part;    /* cells for the frames of one task */
    uint8_t frame_part;
    uint8_t current;
    uint8_t next_slot;
    bool is_asking;
    uint8_t fault;
    uint16_t fault_pc;
    int32_t now_ms; /* since the program began; set by the caller before it runs */
    uint32_t random;
    tpi_play_request request;
    tpi_play_layout layout;
    tpi_play_task tasks[TPI_PLAY_MOST_TASKS];
} tpi_play_machine;

/* Read the header of an image that the verifier accepted. */
void tpi_play_layout_read(tpi_play_layout *layout, const uint8_t *image);

/* Prepare to execute an image that the verifier accepted. False if the memory does not suffice.
 * `seed` begins the random numbers. */
bool tpi_play_init(tpi_play_machine *machine, const uint8_t *image, const tpi_play_memory *memory,
                   uint32_t seed);

/* Go on. The budget is the number of ends of loops and calls that it may execute. */
tpi_play_status tpi_play_run(tpi_play_machine *machine, unsigned budget);

/* The command of the request was carried out: its results lie in its row. */
void tpi_play_answer(tpi_play_machine *machine);

/* The command of the request failed: the program ends with a fault. */
void tpi_play_refuse(tpi_play_machine *machine);

/* When the first task wakes up; for WAITS. */
int32_t tpi_play_wake_ms(const tpi_play_machine *machine);

/* The bytes of a text; `length` is set. Valid until the machine runs on. Not on a chip. */
const char *tpi_play_text(const tpi_play_machine *machine, const tpi_play_cell *cell,
                          uint8_t *length);

/* On a chip: where a text begins in the image, at its length. */
uint16_t tpi_play_text_at(const tpi_play_machine *machine, const tpi_play_cell *cell);

/* Put a text into a cell: into a slot. What does not fit is cut. Not on a chip. */
void tpi_play_put_text(tpi_play_machine *machine, tpi_play_cell *cell, const char *text,
                       uint8_t length);

/* ---- Inside ---- */

/* Execute the current task until it waits, ends, asks, or has used up `*budget`, which is counted
 * down; at the end of a loop also if it is not alone. True at the end of a loop, where tasks can
 * switch. */
bool tpi_play_execute(tpi_play_machine *machine, unsigned *budget, bool is_alone);

/* Whether it is this time, or later. */
bool tpi_play_has_come(const tpi_play_machine *machine, int32_t time_ms);

/* Begin a task anew, unless it runs. */
void tpi_play_start(tpi_play_machine *machine, uint8_t task);

/* Prepare slots and constants. */
void tpi_play_prepare(tpi_play_machine *machine);

/* Whether two texts are equal. */
bool tpi_play_same_text(const tpi_play_machine *machine, const tpi_play_cell *x,
                        const tpi_play_cell *y);

#endif
