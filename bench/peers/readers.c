/* readers.c - many readers of one system; see readers.h. */
#include "readers.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/endian.h"

struct reader {
    size_t at; /* how many bytes of the current message were read */
    unsigned char stamp[8];
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The stamp of a message is complete. */
static void note(const struct reader *reader, double now_s, bench_spread *ages)
{
    const uint64_t bits = tpi_load_be64(reader->stamp);
    double made_s;

    memcpy(&made_s, &bits, sizeof made_s);
    spread_add(ages, (int64_t)((now_s - made_s) * 1e9));
}

/* A message counts when its stamp is complete. */
static uint64_t parse(void *context, void *state, const unsigned char *from, size_t length,
                      double now_s, bench_spread *ages)
{
    const bench_system *system = context;
    struct reader *reader = state;
    const size_t stamp_at = system->before + STAMP_AT;
    const size_t frame = system->before + SCAN_SIZE + system->after;
    uint64_t messages = 0;

    while (length > 0) {
        size_t taken;
        if (reader->at < stamp_at) {
            taken = least(length, stamp_at - reader->at);
        } else if (reader->at < stamp_at + sizeof reader->stamp) {
            const size_t got = reader->at - stamp_at;
            taken = least(length, sizeof reader->stamp - got);
            memcpy(reader->stamp + got, from, taken);
            if (got + taken == sizeof reader->stamp) {
                note(reader, now_s, ages);
                messages++;
            }
        } else {
            taken = least(length, frame - reader->at);
        }
        reader->at = (reader->at + taken) % frame;
        from += taken;
        length -= taken;
    }
    return messages;
}

struct target {
    const bench_system *system;
    unsigned port;
    bool flat;
};

static int join_one(void *context)
{
    const struct target *target = context;
    const int fd = source_connect(target->port);

    target->system->join(fd, target->flat);
    return fd;
}

bench_crowd *readers_join(const bench_system *system, unsigned port, int count, bool flat)
{
    const crowd_kind kind = {.server = system->name,
                             .state_size = sizeof(struct reader),
                             .parse = parse,
                             .context = (void *)(uintptr_t)system};
    struct target target = {system, port, flat};

    return crowd_create(&kind, count, join_one, &target);
}

/* It lasts, because they send nothing any more. */
void readers_acknowledge(const bench_crowd *readers, bool at_once)
{
    const int value = at_once;

    for (int i = 0; i < crowd_count(readers); i++) {
        setsockopt(crowd_socket(readers, i), IPPROTO_TCP, TCP_QUICKACK, &value, sizeof value);
    }
}
