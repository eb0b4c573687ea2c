/*
 * replies_fuzz.c - any bytes from a robot: each command ends, with a result or a fault.
 *
 * The first byte chooses the framing; then each piece is a length and bytes that arrive, with
 * commands and time between them.
 */
#include <math.h>
#include <stdio.h>

#include "universal.h"
#include "universal/dialog.h"

static const char *const framings[] = {
    "",
    "<framing length='u8'/>",
    "<framing start='FE' end='FD' escape='FC FE=01 FD=02 FC=03' checksum='xor8'/>",
    "<framing size='8' sequence='u8'/>",
    "<framing packet='yes'/>",
    "<framing end='0A'/>",
    "<framing start='AA' length='u16be' length-adds='2' checksum='crc16le'/>",
};
enum { FRAMINGS = sizeof framings / sizeof framings[0] };

static const tpi_wired *fuzz_wired(unsigned index)
{
    static tpi_robotfile *robots[FRAMINGS];
    static tpi_wired *all[FRAMINGS];
    char text[sizeof fuzz_robot_text + 200];

    if (all[index] == NULL) {
        snprintf(text, sizeof text, fuzz_robot_text, framings[index]);
        fuzz_require(tpi_robotfile_read(&robots[index], text, strlen(text), "x.xml",
                                        fuzz_vocabulary(), NULL) == TP_OK &&
                         tpi_wired_create(&all[index], robots[index], NULL, 0, NULL, NULL) == TP_OK,
                     "a robot of the target is wrong");
    }
    return all[index];
}

static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    (void)context;
    (void)frame;
    (void)length;
    (void)body;
    (void)body_length;
}

/* What a command gave can be used. */
static void check_outcome(const tpi_outcome *outcome)
{
    size_t sum = 0;

    for (unsigned i = 0; i < TPI_MOST_RESULTS; i++) {
        const tpi_value *value = &outcome->results[i];
        for (uint32_t j = 0; value->text != NULL && j < value->length; j++) {
            sum += (uint8_t)value->text[j];
        }
        fuzz_require(value->text != NULL || isfinite(value->number), "a result that is no number");
    }
    fuzz_require(sum < SIZE_MAX, "texts that cannot be read");
    fuzz_require((outcome->fault == TPI_FAULT_NONE) == (outcome->text[0] == '\0'),
                 "a fault without a sentence");
}

/* A command ends when only time passes. */
static void run_out(tpi_dialog *dialog, int64_t *now_ns)
{
    enum { MOST_TURNS = 5000 };
    int turns = 0;

    while (tpi_dialog_is_busy(dialog)) {
        *now_ns = tpi_dialog_due_ns(dialog);
        tpi_dialog_tick(dialog, *now_ns);
        fuzz_require(++turns < MOST_TURNS, "a command that never ends");
    }
    check_outcome(tpi_dialog_outcome(dialog));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tpi_dialog_hooks hooks = {.write = on_write};
    const tpi_wired *wired = fuzz_wired(size > 0 ? data[0] % FRAMINGS : 0);
    int64_t now_ns = 0;
    tpi_dialog *dialog = NULL;

    fuzz_require(tpi_dialog_create(&dialog, wired, &hooks, NULL) == TP_OK, "no memory");
    for (size_t at = 1; at + 2 < size;) {
        const tpi_dialog_order order = {.command = (tpi_command)(data[at] % TPI_COMMANDS),
                                        .part = (int)(data[at + 1] % (wired->part_count + 1)) - 1};
        size_t length = data[at + 2];
        at += 3;
        length = length < size - at ? length : size - at;
        tpi_dialog_begin(dialog, &order, now_ns);
        tpi_dialog_receive(dialog, data + at, length, now_ns);
        at += length;
        if (length % 3 != 0) {
            run_out(dialog, &now_ns);
        }
    }
    run_out(dialog, &now_ns);
    tpi_dialog_destroy(dialog);
    return 0;
}
