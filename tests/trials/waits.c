/* waits.c - how long threads of a process had to wait for a processor. */
#include "waits.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t waited(int process, int thread)
{
    char path[64];
    long long ran_ns = 0;
    long long waited_ns = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", process, thread);
    FILE *file = fopen(path, "r");
    if (file == NULL) { /* it has ended */
        return 0;
    }
    if (fscanf(file, "%lld %lld", &ran_ns, &waited_ns) != 2) {
        waited_ns = 0;
    }
    fclose(file);
    return waited_ns;
}

void waits_look(waits *w, int process)
{
    char path[64];
    const struct dirent *entry;

    w->count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *folder = opendir(path);
    while (folder != NULL && w->count < WAITS_THREADS && (entry = readdir(folder)) != NULL) {
        const int thread = atoi(entry->d_name);
        if (thread > 0) {
            w->of[w->count].thread = thread;
            w->of[w->count++].waited_ns = waited(process, thread);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

int64_t waits_worst(const waits *since, int process)
{
    int64_t worst_ns = 0;

    for (unsigned i = 0; i < since->count; i++) {
        const int64_t more_ns = waited(process, since->of[i].thread) - since->of[i].waited_ns;
        worst_ns = more_ns > worst_ns ? more_ns : worst_ns;
    }
    return worst_ns;
}
