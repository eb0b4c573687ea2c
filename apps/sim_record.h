/*
 * sim_record.h - where robots were, step by step, in a file that spreadsheets and plots take.
 *
 * Comma-separated values with a heading: time in seconds, the robot's name, x, y and heading in the
 * world (m, m, rad), speed ahead, to the left and turning (m/s, m/s, rad/s), and whether it was
 * stalled, 0 or 1.
 *
 * Whole lines are written several times each second, so that others can read along, and a
 * killed program loses only the last moment.
 */
#ifndef TROUPE_APPS_SIM_RECORD_H
#define TROUPE_APPS_SIM_RECORD_H

#include "sim/sim.h"

typedef struct sim_record sim_record;

tp_status sim_record_open(sim_record **out, const char *path, tp_error *err);

/* One line for each robot, if time has moved since the last call. May wait for the file. */
void sim_record_note(sim_record *record, const tpi_sim *sim);

/* Fails if anything could not be written. NULL is accepted. */
tp_status sim_record_close(sim_record *record, tp_error *err);

#endif
