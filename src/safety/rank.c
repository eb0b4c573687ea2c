/*
 * rank.c - which writers take precedence: a joystick over a planner.
 *
 * Ranks stand in the configuration. A client that asks for another rank gets no higher one by that.
 * How a rank keeps others from a device is in claim.c.
 */
#include "safety/rank.h"

#include <string.h>

#include "base/text.h"

static bool fits(const char *pattern, const char *name)
{
    return tpi_text_fits(pattern, name, strlen(name));
}

/* "127.0.0.1:51234" is 127.0.0.1, "[::1]:51234" is ::1, and "unix" is itself. */
static bool fits_host(const char *pattern, const char *name)
{
    const char *colon = strrchr(name, ':');
    size_t length = colon != NULL ? (size_t)(colon - name) : strlen(name);

    if (length >= 2 && name[0] == '[' && name[length - 1] == ']') {
        name++;
        length -= 2;
    }
    return tpi_text_fits(pattern, name, length);
}

static bool fits_client(const tpi_rank *rank, const tpi_writer *writer)
{
    return rank->driver == NULL && (rank->client == NULL || fits(rank->client, writer->client)) &&
           (rank->host == NULL || fits_host(rank->host, writer->address)) &&
           (rank->key == NULL || fits(rank->key, writer->key));
}

/* By the name of the driver, or of the instance. */
static bool fits_driver(const tpi_rank *rank, const tpi_writer *writer)
{
    return rank->client == NULL && rank->host == NULL && rank->key == NULL &&
           (rank->driver == NULL || fits(rank->driver, writer->driver) ||
            fits(rank->driver, writer->instance));
}

void tpi_rank_choose(const tpi_rank_list *list, const tpi_writer *writer, tpi_claim *claim)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const tpi_rank *rank = &list->ranks[i];
        if (rank->section == list->section &&
            (writer->driver != NULL ? fits_driver(rank, writer) : fits_client(rank, writer))) {
            claim->rank = rank->rank;
            claim->hold_ns = rank->hold_ns;
            return;
        }
    }
    claim->hold_ns = TPI_RANK_HOLD_NS;
}

bool tpi_rank_is_configured(const tpi_rank_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->ranks[i].section == list->section) {
            return true;
        }
    }
    return false;
}
