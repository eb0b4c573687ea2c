/*
 * log_bench.c - recording: messages and bytes per second into a file, against writing the same
 * bytes raw in the same run; and files of millions of samples, to try other commands with.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "log/recorder.h"
#include "log/requests.h"
#include "troupe/clock.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"

static const char help[] =
    "usage: ./troupe bench log [--json]\n"
    "       ./troupe bench log --save FILE [SAMPLES]\n\n"
    "Records poses and laser scans in XDR with lz4 to a file in the present folder, three rounds\n"
    "each, and writes the same bytes raw. The best rounds count. Exits with 1 below 300000 poses\n"
    "per second, or if scans are below both 150 MB/s and half of raw writing. Then requests to a\n"
    "server are timed in turns while it records and while it does not; exits with 1 if 99 of 100\n"
    "take more than 1.3 times as long.\n"
    "--save writes a recording of SAMPLES (10000000) voltages, for troupe log plot.\n";

enum { POSES = 1000000, SCANS = 100000, BEAMS = 361, ROUNDS = 3, PIECE = 768 << 10 };
static const char file_name[] = "bench-log.tmp";

static double now_s(void)
{
    return (double)tp_clock_now_ns(tp_clock_real()) * 1e-9;
}

static tp_status to_file(void *context, const void *bytes, size_t length, tp_error *err)
{
    return fwrite(bytes, 1, length, context) == length && fflush(context) == 0
               ? TP_OK
               : tp_fail(err, TP_E_IO, "cannot write");
}

struct recording {
    FILE *file;
    tpi_log_writer *writer;
    tpi_log_recorder *recorder;
    unsigned device;
};

static void begin(struct recording *r, const char *path, const char *name,
                  const tp_interface *interface)
{
    tp_error err = {.text = ""};

    r->file = fopen(path, "wb");
    if (r->file == NULL) {
        bench_give_up("%s cannot be written", path);
    }
    const tpi_log_writer_options options = {.sink = to_file,
                                            .context = r->file,
                                            .compression = TPI_MCAP_LZ4,
                                            .span_ns = (uint64_t)TP_NS_PER_S};
    if (tpi_log_writer_open(&r->writer, &options, &err) != TP_OK ||
        tpi_log_recorder_create(&r->recorder, r->writer, TPI_LOG_XDR, NULL, &err) != TP_OK ||
        tpi_log_recorder_add(r->recorder, name, "bench", interface, &r->device, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
}

static void put(struct recording *r, unsigned code, const void *value, uint64_t time_ns)
{
    tp_error err = {.text = ""};

    if (tpi_log_recorder_put(r->recorder, r->device, code, value, time_ns, time_ns, &err) !=
        TP_OK) {
        bench_give_up("%s", err.text);
    }
}

static void end(struct recording *r)
{
    tpi_log_recorder_destroy(r->recorder);
    if (tpi_log_writer_close(r->writer, NULL) != TP_OK || fclose(r->file) != 0) {
        bench_give_up("the recording cannot be ended");
    }
}

/* Seconds to record so many poses of a robot that drives a curve. */
static double record_poses(void)
{
    struct recording r;
    const double start = now_s();

    begin(&r, file_name, "position2d:0", &tp_interface_position2d);
    for (int i = 0; i < POSES; i++) {
        const tp_position2d_data pose = {.pos = {i * 1e-3, i * 1.7e-4, i * 1e-5},
                                         .vel = {0.5, 0, i}};
        put(&r, TP_POSITION2D_DATA_STATE, &pose, (uint64_t)i * 10000000);
    }
    end(&r);
    return now_s() - start;
}

/* Scans of a room, with noise as a real scanner has it. */
static double record_scans(void)
{
    struct recording r;
    float ranges[BEAMS];
    uint8_t intensity[BEAMS] = {0};
    tp_laser_data scan = {.min_angle = -1.5707964F,
                          .max_angle = 1.5707964F,
                          .max_range = 8,
                          .ranges_count = BEAMS,
                          .ranges = ranges,
                          .intensity_count = BEAMS,
                          .intensity = intensity};
    uint32_t random = 1;
    const double start = now_s();

    begin(&r, file_name, "laser:0", &tp_interface_laser);
    for (uint32_t i = 0; i < SCANS; i++) {
        for (int k = 0; k < BEAMS; k++) {
            random = random * 1664525 + 1013904223;
            ranges[k] = 3.0F + (float)k * 0.01F + (float)(random >> 22) * 1e-5F;
        }
        scan.id = i;
        put(&r, TP_LASER_DATA_SCAN, &scan, (uint64_t)i * 10000000);
    }
    end(&r);
    return now_s() - start;
}

static double write_raw(size_t bytes)
{
    char *piece = malloc(PIECE);
    FILE *file = fopen(file_name, "wb");

    if (piece == NULL || file == NULL) {
        bench_give_up("no memory, or %s cannot be written", file_name);
    }
    memset(piece, 'x', PIECE);
    const double start = now_s();
    for (size_t left = bytes; left > 0;) {
        const size_t length = left < PIECE ? left : PIECE;
        if (fwrite(piece, 1, length, file) != length || fflush(file) != 0) {
            bench_give_up("%s cannot be written", file_name);
        }
        left -= length;
    }
    (void)fclose(file);
    const double took = now_s() - start;
    free(piece);
    return took;
}

static int measure(bool json)
{
    const size_t pose_bytes = (size_t)POSES * 52, scan_bytes = (size_t)SCANS * 1844;
    double poses = HUGE_VAL, scans = HUGE_VAL, raw = HUGE_VAL;

    for (int i = 0; i < ROUNDS; i++) {
        poses = fmin(poses, record_poses());
        scans = fmin(scans, record_scans());
        raw = fmin(raw, write_raw(scan_bytes));
    }
    (void)remove(file_name);
    const double per_s = POSES / poses, speed = (double)scan_bytes / scans * 1e-6;
    const double floor = (double)scan_bytes / raw * 1e-6;
    const double wanted = fmin(150, floor / 2);
    (void)printf(json ? "{\"poses_per_s\":%.0f,\"poses_MB_per_s\":%.1f,\"scans_per_s\":%.0f,"
                        "\"scans_MB_per_s\":%.1f,\"raw_MB_per_s\":%.1f}\n"
                      : "poses   %9.0f messages/s  %7.1f MB/s\n"
                        "scans   %9.0f messages/s  %7.1f MB/s\n"
                        "raw writing                  %7.1f MB/s\n",
                 per_s, (double)pose_bytes / poses * 1e-6, SCANS / scans, speed, floor);
    const log_requests requests = log_requests_measure("bench-log.mcap");
    const double ratio = requests.records_us / requests.idle_us;
    (void)printf(
        json ? "{\"request_p99_us\":%.1f,\"request_p99_recording_us\":%.1f,\"ratio\":%.2f,"
               "\"request_p50_us\":%.1f,\"request_p50_recording_us\":%.1f,\"messages\":%llu}\n"
             : "requests  p99 %7.1f us, while it records %7.1f us: %.2f times; p50 %.1f "
               "and %.1f us; %llu messages\n",
        requests.idle_us, requests.records_us, ratio, requests.idle_median_us,
        requests.records_median_us, requests.messages);
    return per_s >= 300000 && speed >= wanted && ratio <= 1.3 ? 0 : 1;
}

static int save(const char *path, long samples)
{
    struct recording r;
    const double start = now_s();

    begin(&r, path, "aio:0", &tp_interface_aio);
    for (long i = 0; i < samples; i++) {
        float voltage = 2.5F + (float)sin((double)i * 1e-5) + (i == samples / 3 ? 2 : 0);
        const tp_aio_data data = {.voltages_count = 1, .voltages = &voltage};
        put(&r, TP_AIO_DATA_STATE, &data, (uint64_t)i * 1000000);
    }
    end(&r);
    (void)printf("%s: %ld samples in %.1f s\n", path, samples, now_s() - start);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && argc <= 4 && strcmp(argv[1], "--save") == 0) {
        const long samples = argc == 4 ? strtol(argv[3], NULL, 10) : 10000000;
        if (samples <= 0) {
            bench_give_up("\"%s\" is no number of samples", argv[3]);
        }
        return save(argv[2], samples);
    }
    return measure(bench_wants_json(argc, argv, help));
}
