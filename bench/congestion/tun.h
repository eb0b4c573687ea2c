/*
 * tun.h - a link between two network namespaces in user space: packets of one end come out of the
 * other later, in order, or not at all.
 *
 * Each direction has a rate (a packet starts when the one before has left), a delay, a jitter that
 * is added to it, and a loss. A queue takes only so many packets; those beyond are dropped.
 */
#ifndef TROUPE_BENCH_CONGESTION_TUN_H
#define TROUPE_BENCH_CONGESTION_TUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct channel {
    double delay_s, jitter_s; /* each packet: delay + 0 to jitter */
    double loss;              /* 0 to 1 */
    double rate_bps;          /* bits per second; 0 for no limit */
};

/* Enter a new network namespace and open an end of a link there, with this address of 10.77.0.x.
 * The process stays in it. Ends the program, with the reason, if that is not possible. */
int tun_open(int address, int peer);

/* Carry packets between two ends until *stop. */
void tun_carry(const int ends[2], const struct channel *how, uint64_t seed,
               const atomic_bool *stop);

#endif
