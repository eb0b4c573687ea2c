/*
 * machine.h - what makes figures of a shared machine comparable: cores of one's own, and quiet.
 */
#ifndef TROUPE_BENCH_SERVER_MACHINE_H
#define TROUPE_BENCH_SERVER_MACHINE_H

enum { CLIENT_CORE = 0, PEER_CORE = 1 };

/* Pin the calling process to a core, if the machine has it. */
void machine_pin(int core);

/* Wait until the machine is nearly idle, as long as there is patience left: the time is taken
 * from it. */
void machine_wait_until_quiet(int *patience_ms);

void machine_rest_ms(int ms);

#endif
