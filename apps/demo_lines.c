/* demo_lines.c - the lines of text that the demo shows; see demo_lines.h. */
#include "demo_lines.h"

#include <string.h>

#include "called.h"
#include "output.h"

static size_t width_of(const tpi_buf *text)
{
    return output_width(tpi_buf_text(text), text->length);
}

/* ---- The title ------------------------------------------------------------------------------- */

/* A path without its folder and ending. */
static void put_world(tpi_buf *out, const char *world)
{
    const char *slash = strrchr(world, '/');
    const char *begin = slash == NULL ? world : slash + 1;
    const char *dot = strrchr(begin, '.');

    output_put_clean(out, begin,
                     dot == NULL || dot == begin ? strlen(begin) : (size_t)(dot - begin));
}

/* A robot that waits for a program does not find its way. */
static void put_how(tpi_buf *out, const struct demo_picture *picture)
{
    const uint32_t own = picture->own_count;
    const char *way = own == 1 ? "finds its own way" : "find their own way";

    if (own > 0 && own == picture->robot_count) {
        tpi_buf_printf(out, " that %s", way);
    } else if (own > 0) {
        tpi_buf_printf(out, ", %u %s", own, way);
    }
}

static void put_keys(tpi_buf *out, int form, const struct demo_picture *picture)
{
    if (form < 2 && picture->robot_count > 0) {
        tpi_buf_printf(out, "%sarrows drive, ", picture->robot_count > 1 ? "Tab selects, " : "");
    }
    tpi_buf_puts(out, "q quits");
}

/* From the longest to the shortest. */
static void put_form(tpi_buf *out, int form, const char *world, const struct demo_picture *picture)
{
    const char *many = picture->robot_count == 1 ? "" : "s";

    tpi_buf_puts(out, form < 3 ? " troupe demo - " : " ");
    if (form < 5) {
        put_world(out, world);
        tpi_buf_puts(out, form < 4 ? ", " : " ");
    }
    if (form < 4) {
        tpi_buf_printf(out, "%u robot%s", picture->robot_count, many);
        if (form == 0) {
            put_how(out, picture);
        }
        tpi_buf_puts(out, ", ");
    }
    if (form < 6) {
        tpi_buf_printf(out, "%.0f s. ", picture->time_s);
    }
    put_keys(out, form, picture);
}

void demo_lines_put_title(tpi_buf *out, size_t columns, const char *world,
                          const struct demo_picture *picture)
{
    enum { FORMS = 7 };
    tpi_buf text = {0};

    for (int form = 0; form < FORMS; form++) {
        tpi_buf_clear(&text);
        put_form(&text, form, world, picture);
        if (width_of(&text) <= columns) {
            tpi_buf_put(out, tpi_buf_text(&text), text.length);
            break;
        }
    }
    tpi_buf_fini(&text);
}

/* The length of "eve at 127.0.0.1:50123" without the address. */
static size_t name_length(const char *who)
{
    static const char glue[] = " at ";
    size_t length = strlen(who);

    for (const char *at = strstr(who, glue); at != NULL; at = strstr(at + 1, glue)) {
        length = (size_t)(at - who);
    }
    return length;
}

/* The reason is what matters most, then the way out of it. From the longest to the shortest. */
static void put_panic(tpi_buf *out, int form, const char *who, const char *why)
{
    tpi_buf_puts(out, " PANIC");
    if (form < 2) {
        tpi_buf_puts(out, ", raised by ");
        output_put_clean(out, who, form < 1 ? strlen(who) : name_length(who));
    }
    if (why[0] != '\0') {
        tpi_buf_puts(out, ": ");
        output_put_clean(out, why, strlen(why));
    }
    if (form < 3) {
        tpi_buf_printf(out, ". %s reset%s ends it", called(), called_server());
    }
}

void demo_lines_put_panic(tpi_buf *out, size_t columns, const char *who, const char *why)
{
    static const char word[] = " PANIC", cut[] = "...";
    enum { FORMS = 4 };
    tpi_buf text = {0};
    int form = 0;

    do {
        tpi_buf_clear(&text);
        put_panic(&text, form, who, why);
    } while (width_of(&text) > columns && ++form < FORMS);
    if (form < FORMS) {
        tpi_buf_put(out, tpi_buf_text(&text), text.length);
    } else if (columns >= 2 * sizeof word) { /* the beginning of the reason */
        const size_t room = columns - (sizeof cut - 1);
        tpi_buf_put(out, tpi_buf_text(&text), output_fit(tpi_buf_text(&text), text.length, room));
        tpi_buf_puts(out, cut);
    } else if (columns >= sizeof word - 1) {
        tpi_buf_puts(out, word);
    }
    tpi_buf_fini(&text);
}

/* ---- Robots ---------------------------------------------------------------------------------- */

/* How much is reported each. */
enum detail { ALL, SPEED, NAME, DETAILS };

static void put_robot(tpi_buf *out, const struct demo_robot *robot, enum detail detail)
{
    tpi_buf_printf(out, "%u ", robot->device);
    output_put_clean(out, robot->name, strlen(robot->name));
    if (detail <= SPEED) {
        tpi_buf_printf(out, " %.2f m/s", robot->speed);
    }
    if (detail == ALL && robot->nearest >= 0) {
        tpi_buf_printf(out, ", %.1f m free", robot->nearest);
    }
}

/* Two columns before a robot, one behind it. */
static size_t robot_width(const struct demo_robot *robot, enum detail detail)
{
    tpi_buf text = {0};

    put_robot(&text, robot, detail);
    const size_t width = 4 + width_of(&text);
    tpi_buf_fini(&text);
    return width;
}

static uint32_t listed(const struct demo_picture *picture)
{
    const uint32_t left = picture->robot_count - picture->first;

    return left < DEMO_ROBOTS ? left : DEMO_ROBOTS;
}

/* " and 72 more" */
static size_t rest_width(uint32_t count)
{
    size_t width = count == 0 ? 0 : sizeof " and  more" - 1;

    for (; count > 0; count /= 10) {
        width++;
    }
    return width;
}

/* How many robots fit from one on, with what is said of those that do not. */
static uint32_t count_fitting(const struct demo_picture *picture, size_t columns, uint32_t begin,
                              enum detail detail)
{
    uint32_t fitting = 0;
    size_t used = 0;

    for (uint32_t i = begin; i < listed(picture); i++) {
        used += robot_width(&picture->robots[i], detail);
        const uint32_t shown = i - begin + 1;
        const uint32_t rest = picture->robot_count - shown;
        if (used - (rest == 0) + rest_width(rest) <= columns) { /* no blank at the end */
            fitting = shown;
        }
    }
    return fitting;
}

/* A spot in the robot's colour, as far as there are colours. */
static void put_spot(tpi_buf *out, mosaic_depth depth, uint32_t colour, bool chosen)
{
    if (depth == MOSAIC_ASCII) {
        tpi_buf_putc(out, chosen ? '>' : '*');
        return;
    }
    mosaic_put_colour(out, depth, colour >> 8);
    tpi_buf_puts(out, chosen ? "▶\033[0m" : "●\033[0m");
}

void demo_lines_put_robots(tpi_buf *out, size_t columns, mosaic_depth depth,
                           const struct demo_picture *picture, uint32_t chosen)
{
    const uint32_t wanted = chosen - picture->first; /* beyond the list until it is drawn anew */
    enum detail detail = ALL;
    uint32_t begin = 0;

    while (detail < NAME && count_fitting(picture, columns, 0, detail) < listed(picture)) {
        detail++;
    }
    if (wanted >= count_fitting(picture, columns, 0, detail) && wanted < listed(picture)) {
        begin = wanted;
    }
    const uint32_t fitting = count_fitting(picture, columns, begin, detail);
    for (uint32_t i = begin; i < begin + fitting; i++) {
        tpi_buf_puts(out, " ");
        put_spot(out, depth, picture->robots[i].colour, i == wanted);
        tpi_buf_puts(out, " ");
        put_robot(out, &picture->robots[i], detail);
        tpi_buf_puts(out, i + 1 - begin < picture->robot_count ? " " : "");
    }
    if (fitting > 0 && fitting < picture->robot_count) {
        tpi_buf_printf(out, " and %u more", picture->robot_count - fitting);
    }
}

/* ---- Commands to type ------------------------------------------------------------------------ */

static const char label[] = " in another terminal: ";
static const char prompt[] = " $ ";

size_t demo_lines_hints(size_t lines)
{
    return lines >= 22 ? 4 : lines >= 18 ? 3 : lines >= 15 ? 2 : lines >= 10 ? 1 : 0;
}

/* Whether every one fits behind the label. */
static bool has_room(const char *commands, size_t columns)
{
    for (const char *at = commands; *at != '\0'; at += *at == '\n') {
        const size_t length = strcspn(at, "\n");
        if (sizeof label - 1 + output_width(at, length) > columns) {
            return false;
        }
        at += length;
    }
    return true;
}

/* Half a command is of no use to anybody: those that do not fit are passed over. */
void demo_lines_put_hint(tpi_buf *out, size_t columns, const char *commands, size_t index)
{
    const bool labelled = has_room(commands, columns);
    size_t fitting = 0;

    for (const char *at = commands; *at != '\0'; at += *at == '\n') {
        const size_t length = strcspn(at, "\n");
        const bool fits = labelled || sizeof prompt - 1 + output_width(at, length) <= columns;
        if (fits && fitting++ == index) {
            if (labelled) {
                tpi_buf_printf(out, "%*s", (int)sizeof label - 1, index == 0 ? label : "");
            } else {
                tpi_buf_puts(out, prompt);
            }
            tpi_buf_put(out, at, length);
        }
        at += length;
    }
}
