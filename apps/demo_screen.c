/* demo_screen.c - what the demo shows on a terminal; see demo_screen.h. */
#include "demo_screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo_lines.h"
#include "output.h"
#include "terminal.h"

enum { PATIENCE_MS = 10 }; /* how long the terminal is waited for each time */
enum { LEAST_COLUMNS = 8, LEAST_LINES = 5 };

void demo_screen_init(struct demo_screen *screen)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;

    for (size_t i = 0; i < 3 && (locale == NULL || locale[0] == '\0'); i++) {
        locale = getenv(names[i]);
    }
    screen->mosaic.depth =
        mosaic_depth_of(getenv("TERM"), getenv("COLORTERM"), getenv("NO_COLOR"), locale);
}

void demo_screen_fini(struct demo_screen *screen)
{
    mosaic_fini(&screen->mosaic);
    tpi_buf_fini(&screen->waiting);
    tpi_buf_fini(&screen->scaled);
}

/* Send what is waiting, as far as the terminal takes it. */
static tp_status send(struct demo_screen *screen)
{
    size_t written = 0;

    if (screen->waiting.failed) {
        return TP_E_NOMEM;
    }
    const tp_status status =
        terminal_write(tpi_buf_text(&screen->waiting) + screen->taken,
                       screen->waiting.length - screen->taken, PATIENCE_MS, &written);
    screen->taken += written;
    if (screen->taken == screen->waiting.length) {
        tpi_buf_clear(&screen->waiting);
        screen->taken = 0;
    }
    return status;
}

/* A line above the picture; below it one of robots, and commands. */
static uint32_t rows_of(const struct demo_screen *screen)
{
    return (uint32_t)(screen->lines - 2 - demo_lines_hints(screen->lines));
}

bool demo_screen_measure(struct demo_screen *screen, uint32_t *width, uint32_t *height)
{
    const size_t columns = screen->columns;
    const size_t lines = screen->lines;

    output_size(&screen->columns, &screen->lines);
    if (screen->columns < LEAST_COLUMNS || screen->lines < LEAST_LINES) {
        return false;
    }
    const uint32_t across = (uint32_t)screen->columns;
    const uint32_t down = rows_of(screen);
    if (columns != screen->columns || lines != screen->lines || screen->mosaic.shown == NULL) {
        if (mosaic_resize(&screen->mosaic, across, down) != TP_OK) {
            return false;
        }
        tpi_buf_puts(&screen->waiting, "\033[0m\033[2J");
        screen->is_new = true;
    }
    *width = 2 * across;
    *height = 4 * down;
    return true;
}

bool demo_screen_is_new(const struct demo_screen *screen)
{
    return screen->is_new;
}

void demo_screen_set_panic(struct demo_screen *screen, const tp_panic_state *panic)
{
    const bool before = screen->panic;

    screen->panic = panic->active != 0;
    snprintf(screen->panic_who, sizeof screen->panic_who, "%.*s", (int)panic->who_count,
             panic->who);
    snprintf(screen->panic_why, sizeof screen->panic_why, "%.*s", (int)panic->why_count,
             panic->why);
    screen->is_new = screen->is_new || before != screen->panic;
}

/* ---- Lines of text --------------------------------------------------------------------------- */

static void begin_line(tpi_buf *out, size_t line)
{
    tpi_buf_printf(out, "\033[%zu;1H\033[K", line);
}

static void put_title(const struct demo_screen *screen, tpi_buf *out,
                      const struct demo_picture *picture)
{
    begin_line(out, 1);
    tpi_buf_puts(out, screen->mosaic.depth == MOSAIC_ASCII ? "" : "\033[1m");
    if (screen->panic) {
        tpi_buf_puts(out, screen->mosaic.depth == MOSAIC_ASCII ? "" : "\033[7m");
        demo_lines_put_panic(out, screen->columns, screen->panic_who, screen->panic_why);
    } else {
        demo_lines_put_title(out, screen->columns, screen->world, picture);
    }
    tpi_buf_puts(out, screen->mosaic.depth == MOSAIC_ASCII ? "" : "\033[0m");
}

static void put_below(const struct demo_screen *screen, tpi_buf *out,
                      const struct demo_picture *picture)
{
    const size_t hints = demo_lines_hints(screen->lines);

    begin_line(out, screen->lines - hints);
    demo_lines_put_robots(out, screen->columns, screen->mosaic.depth, picture, screen->chosen);
    for (size_t i = 0; i < hints; i++) {
        begin_line(out, screen->lines - hints + 1 + i);
        demo_lines_put_hint(out, screen->columns, screen->hints, i);
    }
}

/* ---- Names in the picture -------------------------------------------------------------------- */

struct name {
    const struct demo_robot *robot;
    uint32_t column, row, width;
    bool bold;
};

static bool collides(const struct name *names, uint32_t count, const struct name *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (names[i].row == name->row && names[i].column <= name->column + name->width &&
            name->column <= names[i].column + names[i].width) {
            return true;
        }
    }
    return false;
}

/* Beside the robot, above or below, where no other name is. */
static bool place_name(const struct demo_screen *screen, const struct demo_robot *robot,
                       struct name *names, uint32_t count)
{
    const int width = (int)output_width(robot->name, strlen(robot->name));
    const int column = (int)floor(robot->place[0] * screen->mosaic.columns);
    const int row = (int)floor(robot->place[1] * screen->mosaic.rows);
    const int places[][2] = {{column + 2, row},
                             {column - 1 - width, row},
                             {column - width / 2, row + 1},
                             {column - width / 2, row - 1}};

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int x = places[i][0];
        const int y = places[i][1];
        if (x < 0 || y < 0 || x + width > (int)screen->mosaic.columns ||
            y >= (int)screen->mosaic.rows) {
            continue;
        }
        names[count] = (struct name){robot, (uint32_t)x, (uint32_t)y, (uint32_t)width, false};
        if (!collides(names, count, &names[count])) {
            return true;
        }
    }
    return false;
}

/* The chosen one first; a name that finds no place is left out. */
static uint32_t place_names(const struct demo_screen *screen, const struct demo_picture *picture,
                            struct name *names)
{
    const uint32_t left = picture->robot_count - picture->first;
    const uint32_t listed = left < DEMO_ROBOTS ? left : DEMO_ROBOTS;
    uint32_t count = 0;

    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < listed; i++) {
            const bool chosen = picture->first + i == screen->chosen;
            if (chosen == (turn == 0) && place_name(screen, &picture->robots[i], names, count)) {
                names[count++].bold = chosen;
            }
        }
    }
    return count;
}

static void put_names(const struct demo_screen *screen, tpi_buf *out, const struct name *names,
                      uint32_t count)
{
    const bool plain = screen->mosaic.depth == MOSAIC_ASCII;

    for (uint32_t i = 0; i < count; i++) {
        tpi_buf_printf(out, "\033[%u;%uH", names[i].row + 2, names[i].column + 1);
        if (!plain) {
            tpi_buf_puts(out, names[i].bold ? "\033[1m" : "");
            mosaic_put_colour(out, screen->mosaic.depth, names[i].robot->colour >> 8);
        }
        output_put_clean(out, names[i].robot->name, strlen(names[i].robot->name));
        tpi_buf_puts(out, plain ? "" : "\033[0m");
    }
}

/* ---- The picture ----------------------------------------------------------------------------- */

static bool fits(const struct demo_screen *screen, const struct demo_picture *picture)
{
    return picture->width == 2 * screen->mosaic.columns &&
           picture->height == 4 * screen->mosaic.rows;
}

/* What was drawn for another size does until the next one comes, which is never while the world
 * stands still. */
static void scale(struct demo_screen *screen, const struct demo_picture *picture)
{
    const uint32_t width = 2 * screen->mosaic.columns;
    const uint32_t height = 4 * screen->mosaic.rows;

    tpi_buf_clear(&screen->scaled);
    for (uint32_t y = 0; y < height; y++) {
        const size_t row = (size_t)y * picture->height / height * picture->width;
        for (uint32_t x = 0; x < width; x++) {
            const size_t from = row + (size_t)x * picture->width / width;
            tpi_buf_put(&screen->scaled, picture->pixels.data + 3 * from, 3);
        }
    }
}

tp_status demo_screen_show(struct demo_screen *screen, const struct demo_picture *picture)
{
    const tp_status status = send(screen);
    const size_t size = (size_t)3 * picture->width * picture->height;
    const tpi_buf *pixels = &picture->pixels;

    if (status != TP_OK || screen->waiting.length > 0 || size == 0 || pixels->length != size) {
        return status;
    }
    if (!fits(screen, picture)) {
        scale(screen, picture);
        pixels = &screen->scaled;
    }
    if (pixels->failed) {
        return TP_E_NOMEM;
    }
    tpi_buf *out = &screen->waiting;
    struct name names[DEMO_ROBOTS];
    const uint32_t count = place_names(screen, picture, names);
    screen->is_new = false;
    put_title(screen, out, picture);
    for (uint32_t i = 0; i < count; i++) {
        mosaic_cover(&screen->mosaic, names[i].column, names[i].row, names[i].width);
    }
    mosaic_show(&screen->mosaic, out, (const unsigned char *)pixels->data, 2);
    put_names(screen, out, names, count);
    put_below(screen, out, picture);
    return send(screen);
}
