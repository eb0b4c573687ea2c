/* robot_fuzz.c - any text as a robot file: it is refused with its place, or its examples run and
 * its stop bytes can be made. */
#include "universal.h"
#include "universal/example.h"

static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    (void)context;
    (void)frame;
    (void)body;
    fuzz_require(length >= body_length || length == 0,
                 "a frame that is shorter than what it frames");
}

/* Every command of every part, with replies that fit. */
static void try_commands(tpi_dialog *dialog, const tpi_wired *wired)
{
    enum { MOST_TURNS = 40 };
    int64_t now_ns = 0;

    for (unsigned part = 0; part < wired->part_count && part < 4; part++) {
        for (int c = 0; c < TPI_COMMANDS; c++) {
            const tpi_dialog_order order = {.command = (tpi_command)c, .part = (int)part};
            tpi_dialog_begin(dialog, &order, now_ns);
            for (int i = 0; i < MOST_TURNS && tpi_dialog_is_busy(dialog); i++) {
                tpi_dialog_pretend(dialog, now_ns);
                if (tpi_dialog_is_busy(dialog)) {
                    now_ns = tpi_dialog_due_ns(dialog);
                    tpi_dialog_tick(dialog, now_ns);
                }
            }
            tpi_dialog_stop(dialog, now_ns);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tpi_dialog_hooks hooks = {.write = on_write};
    tpi_robotfile *robot = NULL;
    tpi_wired *wired = NULL;
    tpi_dialog *dialog = NULL;
    tp_error err = {0};
    unsigned count;

    if (tpi_robotfile_read(&robot, (const char *)data, size, "x.xml", fuzz_vocabulary(), &err) !=
        TP_OK) {
        fuzz_require(strncmp(err.text, "x.xml:", 6) == 0, "an error without its place");
        return 0;
    }
    tpi_examples_run(robot, &count, &err);
    if (tpi_wired_create(&wired, robot, NULL, 0, NULL, &err) == TP_OK &&
        tpi_dialog_create(&dialog, wired, &hooks, &err) == TP_OK) {
        try_commands(dialog, wired);
    }
    tpi_dialog_destroy(dialog);
    tpi_wired_destroy(wired);
    tpi_robotfile_destroy(robot);
    return 0;
}
