/* readers.c - many readers of one system; see readers.h. */
#include "readers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/endian.h"
#include "bench.h"
#include "troupe/clock.h"

enum { READ_SIZE = 65536, MOST_EVENTS = 512 };

struct reader {
    int fd;
    size_t at; /* how many bytes of the current message were read */
    unsigned char stamp[8];
};

struct bench_readers {
    const bench_system *system;
    int epoll, count;
    uint64_t messages;
    unsigned char *room;     /* owned */
    struct reader readers[]; /* `count` of them */
};

bench_readers *readers_join(const bench_system *system, unsigned port, int count, bool flat)
{
    bench_readers *all = calloc(1, sizeof *all + (size_t)count * sizeof all->readers[0]);

    if (all == NULL || (all->room = malloc(READ_SIZE)) == NULL) {
        bench_give_up("out of memory");
    }
    all->system = system;
    all->epoll = epoll_create1(EPOLL_CLOEXEC);
    all->count = count;
    for (int i = 0; i < count; i++) {
        struct reader *reader = &all->readers[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = reader};
        reader->fd = source_connect(port);
        system->join(reader->fd, flat);
        epoll_ctl(all->epoll, EPOLL_CTL_ADD, reader->fd, &event);
    }
    return all;
}

void readers_close(bench_readers *all)
{
    for (int i = 0; i < all->count; i++) {
        close(all->readers[i].fd);
    }
    close(all->epoll);
    free(all->room);
    free(all);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The stamp of a message is complete. */
static void note(bench_readers *all, const struct reader *reader, double now_s, bench_spread *ages)
{
    const uint64_t bits = tpi_load_be64(reader->stamp);
    double made_s;

    memcpy(&made_s, &bits, sizeof made_s);
    spread_add(ages, (int64_t)((now_s - made_s) * 1e9));
    all->messages++;
}

static void parse(bench_readers *all, struct reader *reader, size_t length, double now_s,
                  bench_spread *ages)
{
    const size_t stamp_at = all->system->before + STAMP_AT;
    const size_t frame = all->system->before + SCAN_SIZE + all->system->after;
    const unsigned char *from = all->room;

    while (length > 0) {
        size_t taken;
        if (reader->at < stamp_at) {
            taken = least(length, stamp_at - reader->at);
        } else if (reader->at < stamp_at + sizeof reader->stamp) {
            const size_t got = reader->at - stamp_at;
            taken = least(length, sizeof reader->stamp - got);
            memcpy(reader->stamp + got, from, taken);
            if (got + taken == sizeof reader->stamp) {
                note(all, reader, now_s, ages);
            }
        } else {
            taken = least(length, frame - reader->at);
        }
        reader->at = (reader->at + taken) % frame;
        from += taken;
        length -= taken;
    }
}

uint64_t readers_read(bench_readers *all, int64_t until_ns, bench_spread *ages)
{
    struct epoll_event events[MOST_EVENTS];
    const tp_clock *clock = tp_clock_real();
    const uint64_t before = all->messages;

    for (;;) {
        const int64_t left_ns = until_ns - tp_clock_now_ns(clock);
        if (left_ns <= 0) {
            return all->messages - before;
        }
        const int ready = epoll_wait(all->epoll, events, MOST_EVENTS,
                                     (int)((left_ns + TP_NS_PER_MS - 1) / TP_NS_PER_MS));
        for (int i = 0; i < ready; i++) {
            struct reader *reader = events[i].data.ptr;
            const ssize_t length = recv(reader->fd, all->room, READ_SIZE, MSG_DONTWAIT);
            if (length <= 0) {
                bench_give_up("%s has closed a connection", all->system->name);
            }
            parse(all, reader, (size_t)length, tp_clock_wall_s(clock), ages);
        }
    }
}
