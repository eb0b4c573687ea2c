/* peer.c - processes that serve; see peer.h. */
#define _GNU_SOURCE 1 /* MAP_ANONYMOUS */
#include "peer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "machine.h"
#include "troupe/clock.h"

enum { PATIENCE_S = 20 };

static peer_flow *share_memory(void)
{
    peer_flow *flow =
        mmap(NULL, sizeof *flow, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (flow == MAP_FAILED || sem_init(&flow->ready, 1, 0) != 0) {
        bench_give_up("no shared memory");
    }
    return flow;
}

void peer_ready(peer_flow *flow, unsigned port)
{
    flow->port = port;
    sem_post(&flow->ready);
}

void peer_start(bench_peer *out, peer_main *run, int mode)
{
    struct timespec deadline;

    out->flow = share_memory();
    fflush(stdout);
    out->pid = fork();
    if (out->pid < 0) {
        bench_give_up("cannot fork");
    }
    if (out->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        machine_pin(PEER_CORE);
        out->flow->began_ns = tp_clock_now_ns(tp_clock_real());
        run(out->flow, mode);
        _exit(0);
    }
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += PATIENCE_S;
    if (sem_timedwait(&out->flow->ready, &deadline) != 0) {
        bench_give_up("a server did not start");
    }
}

void peer_end(bench_peer *peer)
{
    kill(peer->pid, SIGKILL);
    waitpid(peer->pid, NULL, 0);
    sem_destroy(&peer->flow->ready);
    munmap(peer->flow, sizeof *peer->flow);
}

static int64_t cpu_ns_of(pid_t pid)
{
    clockid_t clock;
    struct timespec used;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) {
        bench_give_up("a server has ended");
    }
    return (int64_t)used.tv_sec * TP_NS_PER_S + used.tv_nsec;
}

int64_t peer_cpu_ns(const bench_peer *peer)
{
    const pid_t broker = peer->flow->broker;

    return cpu_ns_of(peer->pid) + (broker != 0 ? cpu_ns_of(broker) : 0);
}

double peer_memory_bytes(const bench_peer *peer)
{
    char path[64];
    char line[256];
    double total = 0;

    snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", (long)peer->pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        bench_give_up("cannot read %s", path);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        double kilobytes;
        if (sscanf(line, "Private_Clean: %lf", &kilobytes) == 1 ||
            sscanf(line, "Private_Dirty: %lf", &kilobytes) == 1) {
            total += kilobytes * 1024;
        }
    }
    fclose(file);
    return total;
}
