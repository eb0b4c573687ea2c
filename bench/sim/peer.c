/* peer.c - the same world in Stage; see peer.h. */
#include "sim/peer.h"

#include <stdio.h>

enum { WARM_UP = 5, MOST_SECONDS = 300 };

bool peer_measure(const char *program, const char *world, int steps, double round_ms,
                  struct bench_peer *out)
{
    char command[1024];
    char line[256];
    bool found = false;

    snprintf(command, sizeof command, "timeout %d '%s' '%s' %d %d %.0f 2>/dev/null", MOST_SECONDS,
             program, world, WARM_UP, steps, round_ms);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) {
        return false;
    }
    while (fgets(line, sizeof line, pipe) != NULL) {
        found |= sscanf(line, "load_ms %lf cpu_ms %lf wall_ms %lf", &out->load_ms, &out->cpu_ms,
                        &out->wall_ms) == 3;
    }
    return pclose(pipe) == 0 && found;
}
