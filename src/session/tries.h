/*
 * tries.h - how many wrong keys may come from one host, whatever the number of its connections.
 *
 * A host may be wrong a hundred times at once, and from then on ten times a second. There is room
 * for so many hosts; further ones share what is left for one. Belongs to the loop's thread.
 */
#ifndef TROUPE_SESSION_TRIES_H
#define TROUPE_SESSION_TRIES_H

#include <stdint.h>

enum { TRIES_HOSTS = 64, TRIES_NAME = 48 };

/* An all-zero struct is ready. */
struct tries {
    struct {
        char name[TRIES_NAME];
        int64_t paid_ns;  /* wrong tries are paid for up to this time, by the clock */
    } hosts[TRIES_HOSTS]; /* the first one is for all that have no place */
};

/* How long the client with this name ("10.0.0.7:51234", "unix") has to wait; 0 for not at all. */
int64_t tpi_tries_wait_ns(const struct tries *tries, const char *client, int64_t now_ns);

/* It was wrong. */
void tpi_tries_count(struct tries *tries, const char *client, int64_t now_ns);

#endif
