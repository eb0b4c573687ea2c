/* host_inside.h - what the files of the host side share; see host.h. */
#ifndef TROUPE_SENSORS_HOST_INSIDE_H
#define TROUPE_SENSORS_HOST_INSIDE_H

#include "sensors/host.h"

enum { TPI_HOST_LINE = 2048, TPI_HOST_COMMAND = 128, TPI_HOST_MANIFEST = 65536 };

/* Whether check sums are used. */
enum { TPI_SUMS_UNKNOWN, TPI_SUMS_YES, TPI_SUMS_NO };

struct tpi_sensor_host {
    tpi_sensor_host_hooks hooks;
    tpi_sensor_host_options options;
    tpi_sensor_host_state state;
    uint8_t sums;
    char command[TPI_HOST_COMMAND]; /* without < > and check sum */
    unsigned tried;
    int64_t asked_ns, heard_ns; /* heard: the last byte since the question; 0 for none */
    char line[TPI_HOST_LINE];
    size_t length;
    tpi_buf text;   /* owned: the answer, or the manifest so far */
    tpi_buf before; /* owned: the answer before, for `verify` */
    bool is_manifest;
    bool by_chunks; /* chunks are asked for one by one */
    bool skips;     /* something was damaged: what follows has no place */
    unsigned chunk; /* the number of the next chunk, from 1 */
    unsigned repeats, damaged;
};

/* Write the question again, or for the first time. */
void tpi_sensor_host_send(tpi_sensor_host *host, int64_t now_ns);

/* The answer is damaged, or did not come: ask again, or give up. */
void tpi_sensor_host_again(tpi_sensor_host *host, int64_t now_ns);

/* The length of a line without its check sum. False if it lacks one, or has a wrong one. */
bool tpi_sensor_host_sum(const char *line, size_t length, size_t *without);

/* ---- Manifests (host_manifest.c) ---- */

/* The line holds bytes of a manifest: take whole chunks out of it. True if some were taken. */
bool tpi_sensor_host_chunk(tpi_sensor_host *host, int64_t now_ns);

/* ---- Data (host_data.c) ---- */

/* Take a line of data. False if it is something else; a damaged one is counted. */
bool tpi_sensor_host_data(tpi_sensor_host *host, const char *line, size_t length);

#endif
