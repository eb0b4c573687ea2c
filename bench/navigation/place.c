/* place.c - maps, scans and journeys for bench navigation; see place.h. */
#include "place.h"

#include <math.h>

enum { ROOM = 100, DOOR = 20 }; /* cells */

static const double half_turn = 3.14159265358979323846;

/* A door is somewhere in each wall, by a hash of its place. */
static int door_of(unsigned a, unsigned b)
{
    unsigned h = a * 2654435761U + b * 40503U;

    h ^= h >> 13;
    h *= 2246822519U;
    h ^= h >> 16;
    return 10 + (int)(h % (ROOM - DOOR - 20));
}

static int is_wall(int x, int y, int side)
{
    const int in_x = x % ROOM;
    const int in_y = y % ROOM;

    if (x < 2 || y < 2 || x >= side - 2 || y >= side - 2) {
        return 1;
    }
    if (in_x < 2) {
        const int door = door_of((unsigned)(x / ROOM), (unsigned)(y / ROOM) + 1000);
        return in_y < 2 || in_y < door || in_y >= door + DOOR;
    }
    if (in_y < 2) {
        const int door = door_of((unsigned)(x / ROOM) + 5000, (unsigned)(y / ROOM));
        return in_x < door || in_x >= door + DOOR;
    }
    return 0;
}

void place_make(signed char *cells, int side)
{
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++) {
            cells[(long)y * side + x] = is_wall(x, y, side) ? 1 : -1;
        }
    }
}

void place_journey(int number, double out[4])
{
    static const int rooms[PLACE_JOURNEYS][4] = {
        {0, 0, 39, 39}, {0, 39, 39, 0}, {3, 20, 36, 17}, {20, 2, 22, 12}};

    for (int i = 0; i < 4; i++) {
        out[i] = (rooms[number][i] + 0.5) * ROOM * PLACE_SCALE;
    }
}

void place_walk(int number, double out[3])
{
    out[0] = 5.8 + 0.03 * number;
    out[1] = 7.5;
    out[2] = 0.3;
}

void place_scan(const signed char *cells, int side, const double pose[3], int count, double longest,
                double *ranges)
{
    for (int i = 0; i < count; i++) {
        const double angle = pose[2] - half_turn / 2 + half_turn * i / (count - 1);
        double range = 0;
        while (range < longest) {
            const int x = (int)floor((pose[0] + range * cos(angle)) / PLACE_SCALE);
            const int y = (int)floor((pose[1] + range * sin(angle)) / PLACE_SCALE);
            if (x < 0 || y < 0 || x >= side || y >= side || cells[(long)y * side + x] > 0) {
                break;
            }
            range += PLACE_SCALE / 5;
        }
        ranges[i] = fmin(range, longest);
    }
}
