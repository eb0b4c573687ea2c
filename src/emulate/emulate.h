/*
 * emulate.h - robots at the level of their bytes, with bodies in a simulated world.
 *
 * An emulated robot takes the bytes that a host sends to such a robot, answers with the bytes that
 * the robot would send, and moves a body in a world (sim/sim.h). It has no sockets, no threads and
 * no clock of its own: its time is the time of its world. The same world, seed and bytes at the
 * same times give the same answers.
 *
 *     tpi_emu_create()            a robot for a model of a world
 *     tpi_emu_input()             bytes of the host; answers follow at once
 *     tpi_emu_output()            the answers
 *     tpi_emu_tick()              after each step of the world
 *
 * scene.h does all of this for several robots in one world. The emulators are written from the
 * descriptions of the protocols. They share nothing with robot files and drivers, so that both
 * cannot be wrong together.
 *
 * Everything belongs to the thread that steps the world. tpi_emu_input() and tpi_emu_tick()
 * allocate only to make room for output, which is bounded.
 */
#ifndef TROUPE_EMULATE_EMULATE_H
#define TROUPE_EMULATE_EMULATE_H

#include "emulate/fault.h"
#include "sim/sim.h"

typedef struct tpi_emu tpi_emu;
typedef struct tpi_emu_kind tpi_emu_kind;

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* The kinds by number; NULL behind the last. */
const tpi_emu_kind *tpi_emu_kind_at(size_t index);

/* A kind by its name; NULL and an error with the nearest name if there is none. */
const tpi_emu_kind *tpi_emu_kind_named(const char *name, tp_error *err);

const char *tpi_emu_kind_name(const tpi_emu_kind *kind);
const char *tpi_emu_kind_summary(const tpi_emu_kind *kind);

/* What a world needs for its body: a file to include, and the macro in it. */
const char *tpi_emu_kind_file(const tpi_emu_kind *kind);
const char *tpi_emu_kind_macro(const tpi_emu_kind *kind);

/* Half of the longest side of its body, in metres: the room that it needs. */
double tpi_emu_kind_radius(const tpi_emu_kind *kind);

/* ---- Life ------------------------------------------------------------------------------------ */

/* Receives a line of the trace: time, robot, direction, bytes, meaning. Without a line end. */
typedef void tpi_emu_trace(void *context, const char *line);

typedef struct tpi_emu_options {
    const char *const *wires;    /* borrowed: what is plugged in, "SLOT=PART"; NULL ends it */
    const tpi_emu_fault *faults; /* borrowed; copied */
    size_t fault_count;          /* at most TPI_EMU_MOST_FAULTS */
    tpi_emu_trace *trace;        /* may be NULL */
    void *context;               /* of `trace`; borrowed as long as the robot */
} tpi_emu_options;

/* A robot that was just switched on, for a model of its macro. Options may be NULL. Fails if the
 * model lacks a part that the robot needs, or a wire is wrong. */
tp_status tpi_emu_create(tpi_emu **out, const tpi_emu_kind *kind, tpi_sim *sim, tpi_sim_model model,
                         const tpi_emu_options *options, tp_error *err);

void tpi_emu_destroy(tpi_emu *emu); /* NULL is accepted */

const tpi_emu_kind *tpi_emu_kind_of(const tpi_emu *emu);
tpi_sim_model tpi_emu_model(const tpi_emu *emu);

/* ---- Bytes and time -------------------------------------------------------------------------- */

/* Bytes of the host, however they are cut. */
void tpi_emu_input(tpi_emu *emu, const void *bytes, size_t length);

/* Whether its line has packets: every call of tpi_emu_input() and tpi_emu_output() is one. */
bool tpi_emu_has_packets(const tpi_emu *emu);

/* Take bytes for the host, at most `size`; how many. The rest of a packet is lost. */
size_t tpi_emu_output(tpi_emu *emu, void *bytes, size_t size);

/* A packet that it sends unasked, to another port of the host: how many bytes, 0 for none now. */
size_t tpi_emu_report(tpi_emu *emu, char *bytes, size_t size, unsigned *port);

/* How many bytes wait for the host. */
size_t tpi_emu_waiting(const tpi_emu *emu);

/* The world has made a step: read sensors, run timers, drive the body. */
void tpi_emu_tick(tpi_emu *emu);

/* The speed of its line in bits per second; 0 if its line has none. */
unsigned tpi_emu_baud(const tpi_emu *emu);

/* ---- What happens to it ---------------------------------------------------------------------- */

/* Begin or end a fault now; a fault of the options ends with it, too. */
void tpi_emu_set_fault(tpi_emu *emu, tpi_emu_fault_kind kind, bool on);

/* Whether a fault is there now. */
bool tpi_emu_has_fault(const tpi_emu *emu, tpi_emu_fault_kind kind);

/* Press or release a button or touch sensor of its body by hand. Fails if it has no such part. */
tp_status tpi_emu_press(tpi_emu *emu, const char *part, bool pressed, tp_error *err);

#endif
