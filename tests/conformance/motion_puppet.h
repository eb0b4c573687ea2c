/*
 * motion_puppet.h - a device of the interface `mechanism` that moves the motor of a stage, for the
 * suite of fronts: it answers CLOCK and SETSPEED, halts when its client leaves or is silent, and
 * broadcasts STATE when the test says so.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_MOTION_PUPPET_H
#define TROUPE_TESTS_CONFORMANCE_MOTION_PUPPET_H

#include "conformance/front_scene.h"

extern const tp_driver motion_puppet;

/* An answer to STATE for every client; clients that do not take theirs miss them. */
void motion_puppet_publish(struct front_scene *s);

/* How many answers the client with this address has missed. */
uint64_t motion_puppet_missed(const struct front_scene *s, const char *name);

#endif
