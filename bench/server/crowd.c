/* crowd.c - see crowd.h. */
#include "crowd.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "troupe/clock.h"

enum { READ_SIZE = 65536, MOST_EVENTS = 512 };

struct member {
    int fd;
    void *state; /* in the crowd's block of states */
};

struct bench_crowd {
    crowd_kind kind;
    int epoll;
    int count;
    unsigned char *room;     /* owned */
    char *states;            /* owned: of all members */
    struct member members[]; /* `count` of them */
};

bench_crowd *crowd_create(const crowd_kind *kind, int count, int (*connect)(void *context),
                          void *context)
{
    bench_crowd *crowd = calloc(1, sizeof *crowd + (size_t)count * sizeof crowd->members[0]);

    if (crowd == NULL || (crowd->room = malloc(READ_SIZE)) == NULL ||
        (crowd->states = calloc((size_t)count, kind->state_size)) == NULL) {
        bench_give_up("out of memory");
    }
    crowd->kind = *kind;
    crowd->epoll = epoll_create1(EPOLL_CLOEXEC);
    crowd->count = count;
    for (int i = 0; i < count; i++) {
        struct member *member = &crowd->members[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = member};

        member->fd = connect(context);
        member->state = crowd->states + (size_t)i * kind->state_size;
        epoll_ctl(crowd->epoll, EPOLL_CTL_ADD, member->fd, &event);
    }
    return crowd;
}

void crowd_close(bench_crowd *crowd)
{
    for (int i = 0; i < crowd->count; i++) {
        close(crowd->members[i].fd);
    }
    close(crowd->epoll);
    free(crowd->room);
    free(crowd->states);
    free(crowd);
}

int crowd_count(const bench_crowd *crowd)
{
    return crowd->count;
}

int crowd_socket(const bench_crowd *crowd, int i)
{
    return crowd->members[i].fd;
}

static uint64_t read_member(bench_crowd *crowd, struct member *member, bench_spread *ages)
{
    const crowd_kind *kind = &crowd->kind;
    const ssize_t length = recv(member->fd, crowd->room, READ_SIZE, MSG_DONTWAIT);

    if (length <= 0) {
        bench_give_up("%s has closed a connection", kind->server);
    }
    return kind->parse(kind->context, member->state, crowd->room, (size_t)length,
                       tp_clock_wall_s(tp_clock_real()), ages);
}

uint64_t crowd_read(bench_crowd *crowd, int64_t until_ns, bench_spread *ages)
{
    struct epoll_event events[MOST_EVENTS];
    uint64_t messages = 0;

    for (;;) {
        const int64_t left_ns = until_ns - tp_clock_now_ns(tp_clock_real());
        if (left_ns <= 0) {
            return messages;
        }
        const int ready = epoll_wait(crowd->epoll, events, MOST_EVENTS,
                                     (int)((left_ns + TP_NS_PER_MS - 1) / TP_NS_PER_MS));
        for (int i = 0; i < ready; i++) {
            messages += read_member(crowd, events[i].data.ptr, ages);
        }
    }
}
