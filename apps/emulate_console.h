/*
 * emulate_console.h - commands on standard input for emulated robots in lockstep.
 *
 *     run SECONDS            let time pass
 *     await ROBOT BYTES      wait until so many bytes have come since the last await
 *     where                  print where the robots are
 *     press ROBOT PART       press a button by hand; release ROBOT PART
 *     fault ROBOT KIND       begin a fault; mend ROBOT KIND ends it
 *     quit
 *
 * Each command is answered with one line, or one for each robot; a mistake with "error: ...".
 */
#ifndef TROUPE_APPS_EMULATE_CONSOLE_H
#define TROUPE_APPS_EMULATE_CONSOLE_H

#include "emulate/scene.h"
#include "emulate_line.h"

typedef struct emulate_console {
    tpi_scene *scene;                 /* borrowed */
    emulate_line *const *lines;       /* borrowed: one for each robot */
    uint64_t counted[TPI_SCENE_MOST]; /* bytes that an await has taken into account */
    size_t awaited;                   /* 1 + the robot whose bytes are awaited; 0 for none */
    uint64_t wanted;                  /* how many, in all */
    bool running;                     /* time goes on... */
    int64_t until_us;                 /* ...up to here */
    tpi_buf input;                    /* what is left of a line */
    bool quit;
} emulate_console;

/* Bytes of standard input. */
void emulate_console_feed(emulate_console *console, const char *bytes, size_t length);

/* Do commands until one has to wait; answers go to `out`. True if time has to pass now, up to
 * `until_us`; then call it again. */
bool emulate_console_work(emulate_console *console, tpi_buf *out);

void emulate_console_fini(emulate_console *console);

#endif
