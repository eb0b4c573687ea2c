/* link.h - the experiment in real time over a bad link between two network namespaces. */
#ifndef TROUPE_BENCH_CONGESTION_LINK_H
#define TROUPE_BENCH_CONGESTION_LINK_H

#include <stdbool.h>

/* The exit status of the program. So many packets of a hundred are lost. */
int link_bench(bool json, unsigned loss_percent);

#endif
