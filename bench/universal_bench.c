/*
 * universal_bench.c - universal commands per second on one core: match, translate, convert.
 *
 * Each turn is one command: its default class list is matched, it is translated to the bytes of a
 * LEGO NXT, the reply of a real brick is read and converted. The floor is the same number of
 * copies of the bytes that go out and come in. The goal is a million commands a second.
 *
 * universal/trip.c measures round trips through an emulated robot on a pty, and the writes of both
 * wheels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "bench.h"
#include "universal/dialog.h"
#include "universal/registry.h"
#include "universal/trip.h"

static const char help[] =
    "usage: ./troupe bench universal\n\n"
    "Measures on one core how many universal commands are matched, translated and converted per\n"
    "second, beside copies of the same bytes, and round trips through emulated robots.\n";

enum { TURNS = 2000000 };

static uint8_t line[64];
static size_t written;

static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    (void)context;
    (void)body;
    (void)body_length;
    memcpy(line, frame, length < sizeof line ? length : sizeof line);
    written += length;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A command of the bench, and the reply to it. */
struct turn {
    tpi_command command;
    double value;
    size_t length;
    uint8_t reply[20];
};

static const struct turn turns[] = {
    {TPI_READ_ANALOG,
     0,
     18,
     {16, 0, 2, 7, 0, 1, 1, 0, 7, 0x80, 0xf4, 1, 0x46, 2, 0x38, 0, 0x46, 2}},
    {TPI_READ_DIGITAL, 0, 18, {16, 0, 2, 7, 0, 0, 1, 0, 1, 0x20, 0xb7, 0, 0xb7, 0, 1, 0, 0xb7, 0}},
    {TPI_DRIVE, 40, 5, {3, 0, 2, 4, 0}},
    {TPI_MOVE_POWER, 60, 5, {3, 0, 2, 4, 0}},
};

static int run(const tpi_wired *wired)
{
    const tpi_dialog_hooks hooks = {.write = on_write};
    tpi_registry *registry = calloc(1, sizeof *registry);
    tpi_dialog *dialog = NULL;
    unsigned faults = 0;

    if (registry == NULL || tpi_dialog_create(&dialog, wired, &hooks, NULL) != TP_OK) {
        free(registry);
        return 1;
    }
    tpi_registry_init(registry, wired, false);
    tpi_dialog_assume_ready(dialog);
    const double start = seconds();
    for (unsigned i = 0; i < TURNS; i++) {
        const struct turn *turn = &turns[i % 4];
        const tpi_match *match = tpi_registry_default(registry, turn->command, 0);
        const tpi_dialog_order order = {.command = turn->command,
                                        .part = match->part,
                                        .is_inverted = match->is_inverted,
                                        .count = 1,
                                        .values = {{.number = turn->value}}};
        tpi_dialog_begin(dialog, &order, i);
        tpi_dialog_receive(dialog, turn->reply, turn->length, i);
        faults += tpi_dialog_is_busy(dialog) || tpi_dialog_outcome(dialog)->fault != TPI_FAULT_NONE;
    }
    const double taken = seconds() - start;
    const double floor_start = seconds();
    for (unsigned i = 0; i < TURNS; i++) {
        on_write(NULL, turns[i % 4].reply, turns[i % 4].length, NULL, 0);
        __asm__ volatile("" ::: "memory");
    }
    const double floor_taken = seconds() - floor_start;
    printf("commands            %10.0f /s\n", TURNS / taken);
    printf("copies of the bytes %10.0f /s\n", TURNS / floor_taken);
    printf("faults              %10u\n", faults);
    printf("goal                   1000000 /s: %s\n", TURNS / taken >= 1e6 ? "reached" : "missed");
    tpi_dialog_destroy(dialog);
    tpi_registry_fini(registry);
    free(registry);
    return faults == 0 ? 0 : 1;
}

static tp_status read_file(tpi_buf *out, const char *name, tp_error *err)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", BENCH_ROBOTS, name);
    return tpi_file_read(out, path, TPI_MOST_DOCUMENT, err);
}

struct loaded {
    tpi_buf text;
    tpi_robotfile *robot;
    tpi_wired *wired;
};

static bool load(struct loaded *out, const char *name, const tpi_vocabulary *vocabulary)
{
    char file[64];
    tp_error err = {0};

    snprintf(file, sizeof file, "%s.xml", name);
    if (read_file(&out->text, file, &err) != TP_OK ||
        tpi_robotfile_read(&out->robot, out->text.data, out->text.length, file, vocabulary, &err) !=
            TP_OK ||
        tpi_wired_create(&out->wired, out->robot, NULL, 0, NULL, &err) != TP_OK) {
        fprintf(stderr, "universal: %s\n", err.text);
        return false;
    }
    return true;
}

static void unload(struct loaded *loaded)
{
    tpi_wired_destroy(loaded->wired);
    tpi_robotfile_destroy(loaded->robot);
    tpi_buf_fini(&loaded->text);
    *loaded = (struct loaded){0};
}

int main(int argc, char **argv)
{
    static const char *const others[] = {"create", "create2",  "finch",  "firmata", "lifa",
                                         "srv1",   "microbit", "thymio", "tello"};
    struct loaded loaded = {0};
    tpi_buf classes = {0};
    tpi_vocabulary *vocabulary = NULL;
    tp_error err = {0};
    int result = 1;

    bench_takes_nothing(argc, argv, help);
    if (read_file(&classes, "classes.xml", &err) != TP_OK ||
        tpi_vocabulary_read(&vocabulary, classes.data, classes.length, "classes.xml", &err) !=
            TP_OK) {
        fprintf(stderr, "universal: %s\n", err.text);
    } else if (load(&loaded, "nxt", vocabulary)) {
        result = run(loaded.wired);
        result |= universal_trip(loaded.wired, BENCH_WORLDS);
    }
    unload(&loaded);
    for (size_t i = 0; vocabulary != NULL && i < sizeof others / sizeof others[0]; i++) {
        result |= load(&loaded, others[i], vocabulary) ? universal_wheels(loaded.wired) : 1;
        unload(&loaded);
    }
    tpi_vocabulary_destroy(vocabulary);
    tpi_buf_fini(&classes);
    return result;
}
