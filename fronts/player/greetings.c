/*
 * greetings.c - how many greetings go to each host on UDP.
 *
 * The hosts have no table that could be filled. Each one has a cell in each of a few rows, chosen
 * by a hash that nobody outside knows. A host is refused only if all its cells have had too many,
 * so it needs many attacking hosts to refuse another one by chance. Addresses can be forged, so
 * there can be many. Those of this machine cannot, and are not limited.
 */
#include <string.h>

#include "inside.h"

enum { GREETINGS_A_SECOND = 100 }; /* to one host; as many may go out at once */

static const int64_t greeting_ns = TP_NS_PER_S / GREETINGS_A_SECOND;

void tpi_player_greetings_init(tpi_greetings *greetings, int64_t now_ns)
{
    greetings->seed = (uint32_t)now_ns ^ (uint32_t)((uintptr_t)greetings >> 4);
    for (unsigned row = 0; row < GREETING_ROWS; row++) {
        for (unsigned cell = 0; cell < GREETING_CELLS; cell++) {
            greetings->paid_ns[row][cell] = INT64_MIN / 2;
        }
    }
}

/* FNV-1a of the host, which is the peer without its port. */
uint32_t tpi_player_host(const tpi_greetings *greetings, const tp_peer *peer)
{
    uint32_t hash = 2166136261U ^ greetings->seed;
    char host[80];

    tp_peer_print(host, sizeof host, peer);
    char *port = strrchr(host, ':');
    if (port != NULL) {
        *port = '\0';
    }
    for (const char *at = host; *at != '\0'; at++) {
        hash = (hash ^ (unsigned char)*at) * 16777619U;
    }
    return hash;
}

/* Each row mixes the bits in another way, so hosts that share one cell do not share the others. */
static uint32_t mix(uint32_t bits)
{
    bits = (bits ^ (bits >> 16)) * 0x85ebca6bU;
    bits = (bits ^ (bits >> 13)) * 0xc2b2ae35U;
    return bits ^ (bits >> 16);
}

bool tpi_player_may_greet(tpi_greetings *greetings, const tp_peer *peer, int64_t now_ns)
{
    const uint32_t hash = tpi_player_host(greetings, peer);
    int64_t *cells[GREETING_ROWS];
    bool may = false;

    for (uint32_t row = 0; row < GREETING_ROWS; row++) {
        cells[row] = &greetings->paid_ns[row][mix(hash + row) & (GREETING_CELLS - 1)];
        if (*cells[row] < now_ns - TP_NS_PER_S) {
            *cells[row] = now_ns - TP_NS_PER_S;
        }
        may = may || *cells[row] + greeting_ns <= now_ns;
    }
    for (unsigned row = 0; row < GREETING_ROWS && may; row++) {
        *cells[row] += *cells[row] + greeting_ns <= now_ns ? greeting_ns : 0;
    }
    return may;
}
