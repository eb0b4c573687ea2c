/*
 * codec_bench.c - encoding and decoding of common messages, against two others in the same run:
 * the floor, which copies the same bytes with a byte swap and knows nothing of messages, and
 * libtirpc's XDR routines called field by field, as Player does.
 */
#include <rpc/types.h>
#include <rpc/xdr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ranger.h"

static const char help[] =
    "usage: ./troupe bench codec [--json]\n\n"
    "Encode and decode of a laser scan, a ranger scan and position2d data. The floor copies the\n"
    "same bytes with a byte swap; the peer is libtirpc, field by field.\n";

enum { MOST_BYTES = 65536 };

/* A message to encode and decode, and room for it. */
struct subject {
    const tp_struct *type;
    const void *value;
    xdrproc_t peer;
    void *peer_value; /* with arrays of its own, so that the peer need not allocate */
    bool wide;        /* swap 8 bytes, not 4, for the floor */
    size_t size;
    unsigned char *wire;
    unsigned char *memory;
};

/* ---- Ours ------------------------------------------------------------------------------------ */

static void our_encode(void *context, size_t times)
{
    const struct subject *s = context;
    size_t size;

    for (size_t i = 0; i < times; i++) {
        if (tp_xdr_encode(s->type, s->value, s->wire, MOST_BYTES, &size) != TP_OK) {
            abort();
        }
    }
}

static void our_decode(void *context, size_t times)
{
    const struct subject *s = context;

    for (size_t i = 0; i < times; i++) {
        if (tp_xdr_decode(s->type, s->wire, s->size, s->memory, MOST_BYTES) != TP_OK) {
            abort();
        }
    }
}

/* ---- Floor ----------------------------------------------------------------------------------- */

static void swap_words(unsigned char *restrict to, const unsigned char *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, from + 4 * i, 4);
        word = __builtin_bswap32(word);
        memcpy(to + 4 * i, &word, 4);
    }
}

static void swap_longs(unsigned char *restrict to, const unsigned char *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t word;
        memcpy(&word, from + 8 * i, 8);
        word = __builtin_bswap64(word);
        memcpy(to + 8 * i, &word, 8);
    }
}

static void floor_copy(void *context, size_t times)
{
    const struct subject *s = context;

    for (size_t i = 0; i < times; i++) {
        if (s->wide) {
            swap_longs(s->memory, s->wire, s->size / 8);
        } else {
            swap_words(s->memory, s->wire, s->size / 4);
        }
        __asm__ volatile("" : : "r"(s->memory) : "memory"); /* keep every copy */
    }
}

/* ---- libtirpc, in the order and with the routines of Player ---------------------------------- */

static bool_t peer_laser(XDR *xdr, tp_laser_data *scan)
{
    char *ranges = (char *)scan->ranges;
    char *intensity = (char *)scan->intensity;

    return xdr_float(xdr, &scan->min_angle) && xdr_float(xdr, &scan->max_angle) &&
           xdr_float(xdr, &scan->resolution) && xdr_float(xdr, &scan->max_range) &&
           xdr_u_int(xdr, &scan->ranges_count) &&
           xdr_array(xdr, &ranges, &scan->ranges_count, scan->ranges_count, sizeof(float),
                     (xdrproc_t)xdr_float) &&
           xdr_u_int(xdr, &scan->intensity_count) &&
           xdr_bytes(xdr, &intensity, &scan->intensity_count, scan->intensity_count) &&
           xdr_u_int(xdr, &scan->id);
}

static bool_t peer_ranger(XDR *xdr, tp_ranger_data_range *scan)
{
    char *ranges = (char *)scan->ranges;

    return xdr_u_int(xdr, &scan->ranges_count) &&
           xdr_array(xdr, &ranges, &scan->ranges_count, scan->ranges_count, sizeof(double),
                     (xdrproc_t)xdr_double);
}

static bool_t peer_pose(XDR *xdr, tp_pose2d *pose)
{
    return xdr_double(xdr, &pose->px) && xdr_double(xdr, &pose->py) && xdr_double(xdr, &pose->pa);
}

static bool_t peer_position2d(XDR *xdr, tp_position2d_data *data)
{
    return peer_pose(xdr, &data->pos) && peer_pose(xdr, &data->vel) &&
           xdr_u_char(xdr, &data->stall);
}

static void peer_run(const struct subject *s, enum xdr_op op, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        XDR xdr;
        xdrmem_create(&xdr, (char *)s->wire, MOST_BYTES, op);
        if (!s->peer(&xdr, s->peer_value)) {
            abort();
        }
        xdr_destroy(&xdr);
    }
}

static void peer_encode(void *context, size_t times)
{
    peer_run(context, XDR_ENCODE, times);
}

static void peer_decode(void *context, size_t times)
{
    peer_run(context, XDR_DECODE, times);
}

/* ---- Running --------------------------------------------------------------------------------- */

/* The peer has to make the same bytes, or the race means nothing. */
static void check_same_bytes(struct subject *s)
{
    unsigned char *ours = malloc(MOST_BYTES);

    if (tp_xdr_encode(s->type, s->value, ours, MOST_BYTES, &s->size) != TP_OK) {
        abort();
    }
    peer_encode(s, 1);
    if (memcmp(ours, s->wire, s->size) != 0) {
        fprintf(stderr, "%s: libtirpc encodes differently\n", s->type->name);
        exit(1);
    }
    free(ours);
}

static void print_race(bool json, const char *name, const char *parameter,
                       const bench_candidate *race)
{
    const bench_row row = {.name = name,
                           .parameter = parameter,
                           .ns = race[0].best_ns,
                           .floor_ns = race[1].best_ns,
                           .peer = "libtirpc",
                           .peer_ns = race[2].best_ns};

    bench_print_row(json, &row);
}

static void run(bool json, const char *name, const char *parameter, struct subject *s)
{
    char full[64];
    s->wire = malloc(MOST_BYTES);
    s->memory = malloc(MOST_BYTES);
    check_same_bytes(s);

    bench_candidate encode[] = {
        {"ours", our_encode, s, 0}, {"floor", floor_copy, s, 0}, {"libtirpc", peer_encode, s, 0}};
    bench_race(encode, 3);
    snprintf(full, sizeof full, "%s encode", name);
    print_race(json, full, parameter, encode);

    bench_candidate decode[] = {
        {"ours", our_decode, s, 0}, {"floor", floor_copy, s, 0}, {"libtirpc", peer_decode, s, 0}};
    bench_race(decode, 3);
    snprintf(full, sizeof full, "%s decode", name);
    print_race(json, full, parameter, decode);

    for (int i = 0; i < 3; i++) {
        encode[i].best_ns += decode[i].best_ns;
    }
    snprintf(full, sizeof full, "%s encode+decode", name);
    print_race(json, full, parameter, encode);
    free(s->wire);
    free(s->memory);
}

static void run_laser(bool json, uint32_t n)
{
    char parameter[32];
    float *ranges = calloc(n, sizeof *ranges);
    uint8_t *intensity = calloc(n, 1);
    for (uint32_t i = 0; i < n; i++) {
        ranges[i] = (float)i * 0.01f;
        intensity[i] = (uint8_t)i;
    }
    tp_laser_data scan = {.ranges_count = n,
                          .ranges = ranges,
                          .intensity_count = n,
                          .intensity = intensity,
                          .max_range = 8};
    struct subject s = {.type = &tp_desc_laser_data,
                        .value = &scan,
                        .peer = (xdrproc_t)peer_laser,
                        .peer_value = &scan};

    snprintf(parameter, sizeof parameter, "%u ranges", n);
    run(json, "laser scan", parameter, &s);
    free(ranges);
    free(intensity);
}

static void run_ranger(bool json, uint32_t n)
{
    char parameter[32];
    double *ranges = calloc(n, sizeof *ranges);
    for (uint32_t i = 0; i < n; i++) {
        ranges[i] = i * 0.01;
    }
    tp_ranger_data_range scan = {.ranges_count = n, .ranges = ranges};
    struct subject s = {.type = &tp_desc_ranger_data_range,
                        .value = &scan,
                        .peer = (xdrproc_t)peer_ranger,
                        .peer_value = &scan,
                        .wide = true};

    snprintf(parameter, sizeof parameter, "%u ranges", n);
    run(json, "ranger scan", parameter, &s);
    free(ranges);
}

static void run_position2d(bool json)
{
    tp_position2d_data data = {.pos = {1, 2, 3}, .vel = {4, 5, 6}, .stall = 1};
    struct subject s = {.type = &tp_desc_position2d_data,
                        .value = &data,
                        .peer = (xdrproc_t)peer_position2d,
                        .peer_value = &data};

    run(json, "position2d", "52 bytes", &s);
}

int main(int argc, char **argv)
{
    const bool json = bench_wants_json(argc, argv, help);

    bench_print_head(json);
    run_laser(json, 361);
    run_laser(json, 1081);
    run_ranger(json, 361);
    run_ranger(json, 1081);
    run_position2d(json);
    return 0;
}
