/*
 * idle.h - a driver whose devices do nothing by themselves: the test speaks for them.
 *
 * They refuse every command and request, and take next to no memory, so there may be very many.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_IDLE_H
#define TROUPE_TESTS_CONFORMANCE_IDLE_H

#include "conformance/play.h"

extern const tp_driver idle_driver; /* offers whatever `provides` lists; runs on the loop */

/* Very many devices of one instance, on a bench of their own. */
typedef struct idle_crowd {
    play *p;              /* owned */
    tpi_wanted *provides; /* owned */
} idle_crowd;

/* `count` devices of each of the interfaces, which end with NULL; their indices count from 0. */
void idle_begin(idle_crowd *crowd, const tp_interface *const *interfaces, uint32_t count);
void idle_end(idle_crowd *crowd);

#endif
