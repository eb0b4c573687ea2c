/* tries.c - how many wrong keys may come from one host; see tries.h. */
#include "session/tries.h"

#include <stdio.h>
#include <string.h>

#include "troupe/clock.h"

enum { AT_ONCE = 100, A_SECOND = 10 };

static const int64_t price_ns = TP_NS_PER_S / A_SECOND;

/* The host of a client: its name without the port. */
static void cut_port(char host[TRIES_NAME], const char *client)
{
    (void)snprintf(host, TRIES_NAME, "%s", client);
    char *colon = strrchr(host, ':');
    if (colon != NULL) {
        *colon = '\0';
    }
}

/* The place of a host; the first one if it has none. */
static size_t find(const struct tries *tries, const char *client)
{
    char host[TRIES_NAME];

    cut_port(host, client);
    for (size_t i = 1; i < TRIES_HOSTS; i++) {
        if (strcmp(tries->hosts[i].name, host) == 0) {
            return i;
        }
    }
    return 0;
}

/* A place for one more host: one whose tries are all paid for. */
static size_t take(struct tries *tries, const char *client, int64_t now_ns)
{
    for (size_t i = 1; i < TRIES_HOSTS; i++) {
        if (tries->hosts[i].name[0] == '\0' || tries->hosts[i].paid_ns <= now_ns) {
            cut_port(tries->hosts[i].name, client);
            tries->hosts[i].paid_ns = now_ns;
            return i;
        }
    }
    return 0;
}

int64_t tpi_tries_wait_ns(const struct tries *tries, const char *client, int64_t now_ns)
{
    const int64_t wait_ns =
        tries->hosts[find(tries, client)].paid_ns + price_ns - (now_ns + AT_ONCE * price_ns);

    return wait_ns > 0 ? wait_ns : 0;
}

void tpi_tries_count(struct tries *tries, const char *client, int64_t now_ns)
{
    size_t at = find(tries, client);

    at = at > 0 ? at : take(tries, client, now_ns);
    if (tries->hosts[at].paid_ns < now_ns) {
        tries->hosts[at].paid_ns = now_ns;
    }
    tries->hosts[at].paid_ns += price_ns;
}
