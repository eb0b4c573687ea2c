/*
 * cmd_demo.c - troupe demo: a laser scan of a small room, on its way from a device to a program.
 *
 * The room is made of a few walls, the scan is cast against them, encoded as Player clients expect
 * it, decoded again and drawn. The simulator will take its place.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "commands.h"
#include "troupe/interfaces/ranger.h"

static const char name[] = "demo";

enum { BEAMS = 361, COLUMNS = 72, ROWS = 26 };

static const double pi = 3.14159265358979323846;

/* In metres, the robot at the origin looking along x. */
static const tp_segment walls[] = {
    {-2, -3, 6, -3},    {6, -3, 6, 4},      {6, 4, -2, 4},      {-2, 4, -2, -3},
    {2, -3, 2, -1.2},   {2, 1, 2, 4},       {3.5, 0, 4, 0},     {4, 0, 4, 0.5},
    {4, 0.5, 3.5, 0.5}, {3.5, 0.5, 3.5, 0}, {0, -2, 0.6, -2.2}, {0.6, -2.2, 0.4, -2.6},
};

/* The distance along the direction (dx, dy) to a wall, infinite if it is missed. */
static double distance_to(const tp_segment *wall, double dx, double dy)
{
    const double ex = wall->x1 - wall->x0;
    const double ey = wall->y1 - wall->y0;
    const double cross = dx * ey - dy * ex;
    const double along = (wall->x0 * ey - wall->y0 * ex) / cross;
    const double share = (wall->x0 * dy - wall->y0 * dx) / cross;

    return cross != 0 && along >= 0 && share >= 0 && share <= 1 ? along : (double)INFINITY;
}

static double cast(double angle)
{
    double nearest = INFINITY;

    for (size_t i = 0; i < sizeof walls / sizeof walls[0]; i++) {
        nearest = fmin(nearest, distance_to(&walls[i], cos(angle), sin(angle)));
    }
    return nearest;
}

static double beam_angle(uint32_t i)
{
    return -pi + 2 * pi * i / (BEAMS - 1);
}

static void mark(char picture[ROWS][COLUMNS + 1], double x, double y, char with)
{
    const int column = (int)lround((x + 2.5) / 9.0 * (COLUMNS - 1));
    const int row = (int)lround((4.5 - y) / 8.0 * (ROWS - 1));

    if (column >= 0 && column < COLUMNS && row >= 0 && row < ROWS) {
        picture[row][column] = with;
    }
}

/* Without the blanks at its end. */
static void print_row(const char row[COLUMNS + 1])
{
    int length = COLUMNS;

    while (length > 0 && row[length - 1] == ' ') {
        length--;
    }
    printf("%.*s\n", length, row);
}

static void draw(const tp_ranger_data_range *scan)
{
    char picture[ROWS][COLUMNS + 1];

    for (int row = 0; row < ROWS; row++) {
        memset(picture[row], ' ', COLUMNS);
        picture[row][COLUMNS] = '\0';
    }
    for (uint32_t i = 0; i < scan->ranges_count; i++) {
        const double angle = beam_angle(i);
        for (double r = 0.5; i % 10 == 0 && r < scan->ranges[i]; r += 0.25) {
            mark(picture, r * cos(angle), r * sin(angle), '.');
        }
    }
    for (uint32_t i = 0; i < scan->ranges_count; i++) {
        const double angle = beam_angle(i);
        mark(picture, scan->ranges[i] * cos(angle), scan->ranges[i] * sin(angle), '#');
    }
    mark(picture, 0, 0, '>');
    for (int row = 0; row < ROWS; row++) {
        print_row(picture[row]);
    }
    puts("\n# hit by a beam   . passed by a beam   > the robot, looking to the right\n"
         "8 columns or 3 rows are about a metre.");
}

/* Through the wire and back: what a client far away would hold in its hands. */
static tp_status transfer(const tp_ranger_data_range *scan, void **received, size_t *size)
{
    tp_status status = tp_xdr_size(&tp_desc_ranger_data_range, scan, size);
    char *wire = status == TP_OK ? malloc(*size) : NULL;

    if (wire == NULL) {
        return status == TP_OK ? TP_E_NOMEM : status;
    }
    status = tp_xdr_encode(&tp_desc_ranger_data_range, scan, wire, *size, size);
    if (status == TP_OK) {
        status = tp_xdr_decode_new(received, &tp_desc_ranger_data_range, wire, *size);
    }
    free(wire);
    return status;
}

static int run(int argc, char **argv)
{
    double ranges[BEAMS];
    const tp_ranger_data_range scan = {.ranges_count = BEAMS, .ranges = ranges};
    void *received = NULL;
    size_t size = 0;

    if (argc > 0) {
        return command_fail(name, EXIT_USAGE, "unexpected \"%s\"", argv[0]);
    }
    for (uint32_t i = 0; i < BEAMS; i++) {
        ranges[i] = cast(beam_angle(i));
    }
    tp_status status = transfer(&scan, &received, &size);
    if (status != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", tp_status_text(status));
    }
    printf("A ranger with %d beams in a room of two chambers; its scan as it arrives after %zu "
           "bytes of XDR:\n\n",
           BEAMS, size);
    draw(received);
    free(received);
    puts("\nNext: ./troupe interfaces             what devices can say\n"
         "      ./troupe interfaces ranger      the messages of this one\n"
         "      ./troupe encode position2d command VEL '{\"vel\":{\"px\":0.5},\"state\":1}'");
    return EXIT_DONE;
}

const command command_demo = {
    .name = name,
    .summary = "a laser scan of a small room, through the wire and drawn",
    .help = "usage: troupe demo\n"
            "\n"
            "Casts a laser scan in a small room, encodes it as it goes over the network, decodes "
            "it\nand draws it.\n",
    .run = run,
};
