/* host_inside.h - what the files of the host side share; see host.h. */
#ifndef TROUPE_SENSORS_HOST_INSIDE_H
#define TROUPE_SENSORS_HOST_INSIDE_H

#include "sensors/host.h"

enum { TPI_HOST_LINE = 2048, TPI_HOST_COMMAND = 128, TPI_HOST_MANIFEST = 65536 };

/* What commands are sent with: a number and a CRC, if that is known or has to be tried; a check
 * sum, the same; or nothing. */
enum { TPI_SUMS_TRY_NUMBERS, TPI_SUMS_NUMBERS, TPI_SUMS_UNKNOWN, TPI_SUMS_YES, TPI_SUMS_NO };

struct tpi_sensor_host {
    tpi_sensor_host_hooks hooks;
    tpi_sensor_host_options options;
    tpi_sensor_host_state state;
    uint8_t sums;
    char command[TPI_HOST_COMMAND]; /* without < > and check sum */
    char number; /* of the command, a small letter; the same when it is sent again */
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

/* ---- Check sums (host_sums.c) ---- */

/* The next command has another number. */
void tpi_sensor_host_renumber(tpi_sensor_host *host);

/* Whether commands have numbers. */
bool tpi_sensor_host_has_numbers(const tpi_sensor_host *host);

/* How many bytes a check sum has, with the * and without the line feed. */
size_t tpi_sensor_host_sum_size(const tpi_sensor_host *host);

/* The length of a line without its check sum. False if it lacks one, or has a wrong one. */
bool tpi_sensor_host_sum(const tpi_sensor_host *host, const char *line, size_t length,
                         size_t *without);

/* The sensor has shown that it knows the check sums that it was sent. */
void tpi_sensor_host_knows_sums(tpi_sensor_host *host);

/* What is sent for the command: "<R*52>". How many bytes. */
size_t tpi_sensor_host_wrap(const tpi_sensor_host *host, char *out, size_t size);

/* Whether a sensor that does not know such check sums has refused the command: it repeats it with
 * its sum, and adds none. Then the next simpler ones are tried. */
bool tpi_sensor_host_is_old(tpi_sensor_host *host, const char *line, size_t length);

/* ---- Manifests (host_manifest.c) ---- */

/* The line holds bytes of a manifest: take whole chunks out of it. True if some were taken. */
bool tpi_sensor_host_chunk(tpi_sensor_host *host, int64_t now_ns);

/* ---- Data (host_data.c) ---- */

/* Take a line of data. False if it is something else; a damaged one is counted. */
bool tpi_sensor_host_data(tpi_sensor_host *host, const char *line, size_t length);

#endif
