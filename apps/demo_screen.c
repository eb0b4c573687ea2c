/* demo_screen.c - what the demo shows on a terminal; see demo_screen.h. */
#include "demo_screen.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"

enum { ABOVE = 1, BELOW = 4, LEAST_COLUMNS = 16, LEAST_ROWS = 4 };

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
}

bool demo_screen_measure(struct demo_screen *screen, uint32_t *width, uint32_t *height)
{
    const size_t columns = screen->columns;
    const size_t lines = screen->lines;

    output_size(&screen->columns, &screen->lines);
    if (screen->columns < LEAST_COLUMNS || screen->lines < ABOVE + BELOW + LEAST_ROWS) {
        return false;
    }
    const uint32_t across = (uint32_t)screen->columns;
    const uint32_t down = (uint32_t)(screen->lines - ABOVE - BELOW);
    if (columns != screen->columns || lines != screen->lines || screen->mosaic.shown == NULL) {
        if (mosaic_resize(&screen->mosaic, across, down) != TP_OK ||
            output_write("\033[0m\033[2J", 8) != TP_OK) {
            return false;
        }
    }
    *width = 2 * across;
    *height = 4 * down;
    return true;
}

/* ---- Lines of text --------------------------------------------------------------------------- */

/* A line of text, cut where the terminal ends. */
static void put_line(const struct demo_screen *screen, tpi_buf *out, size_t line, const char *text)
{
    tpi_buf_printf(out, "\033[%zu;1H", line);
    tpi_buf_put(out, text, output_fit(text, strlen(text), screen->columns));
    tpi_buf_puts(out, "\033[K");
}

static void put_title(const struct demo_screen *screen, tpi_buf *out,
                      const struct demo_picture *picture)
{
    tpi_buf text = {0};

    tpi_buf_printf(&text, " troupe demo - %s, %u robots that find their own way, %.0f s. q quits",
                   screen->world, picture->robot_count, picture->time_s);
    tpi_buf_puts(out, screen->mosaic.depth == MOSAIC_ASCII ? "" : "\033[1m");
    put_line(screen, out, 1, tpi_buf_text(&text));
    tpi_buf_puts(out, screen->mosaic.depth == MOSAIC_ASCII ? "" : "\033[0m");
    tpi_buf_fini(&text);
}

/* A spot in the robot's colour, as far as there are colours. */
static void put_spot(const struct demo_screen *screen, tpi_buf *out, uint32_t colour)
{
    if (screen->mosaic.depth == MOSAIC_ASCII) {
        tpi_buf_puts(out, "*");
        return;
    }
    mosaic_put_colour(out, screen->mosaic.depth, colour >> 8);
    tpi_buf_puts(out, "●\033[0m");
}

/* Who is who. */
static void put_robots(const struct demo_screen *screen, tpi_buf *out,
                       const struct demo_picture *picture)
{
    size_t column = 1;
    tpi_buf text = {0};

    tpi_buf_printf(out, "\033[%zu;1H\033[K", screen->lines - BELOW + 1);
    for (uint32_t i = 0; i < picture->robot_count && i < DEMO_ROBOTS; i++) {
        const struct demo_robot *robot = &picture->robots[i];
        tpi_buf_clear(&text);
        tpi_buf_printf(&text, " %s %.2f m/s", robot->name, robot->speed);
        if (robot->nearest >= 0) {
            tpi_buf_printf(&text, ", %.1f m free", robot->nearest);
        }
        if (column + 3 + text.length > screen->columns) {
            break;
        }
        tpi_buf_puts(out, " ");
        put_spot(screen, out, robot->colour);
        tpi_buf_puts(out, tpi_buf_text(&text));
        tpi_buf_puts(out, "  ");
        column += 4 + text.length;
    }
    tpi_buf_fini(&text);
}

static void put_hints(const struct demo_screen *screen, tpi_buf *out)
{
    const char *at = screen->hints;
    tpi_buf text = {0};

    for (size_t i = 2; i <= BELOW; i++) {
        const size_t length = strcspn(at, "\n");
        tpi_buf_clear(&text);
        tpi_buf_put(&text, at, length);
        put_line(screen, out, screen->lines - BELOW + i, tpi_buf_text(&text));
        at += length + (at[length] == '\n');
    }
    tpi_buf_fini(&text);
}

tp_status demo_screen_show(struct demo_screen *screen, const struct demo_picture *picture)
{
    tpi_buf out = {0};
    tp_status status = TP_OK;

    if (picture->width != 2 * screen->mosaic.columns ||
        picture->height != 4 * screen->mosaic.rows ||
        picture->pixels.length != (size_t)3 * picture->width * picture->height) {
        return TP_OK;
    }
    put_title(screen, &out, picture);
    mosaic_show(&screen->mosaic, &out, (const unsigned char *)picture->pixels.data, ABOVE + 1);
    put_robots(screen, &out, picture);
    put_hints(screen, &out);
    status = out.failed ? TP_E_NOMEM : output_write(tpi_buf_text(&out), out.length);
    tpi_buf_fini(&out);
    return status;
}
