/* tun.c - see tun.h. */
#define _GNU_SOURCE /* unshare() */
#include "tun.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "reader.h"
#include "troupe/clock.h"

enum { MOST_PACKETS = 256, MOST_BYTES = 2048 };

/* ---- An end ---------------------------------------------------------------------------------- */

static void set(int fd, unsigned long what, struct ifreq *request, const char *for_people)
{
    if (ioctl(fd, what, request) != 0) {
        bench_give_up("the link: %s: %s", for_people, strerror(errno));
    }
}

static void set_address(int fd, unsigned long what, const char *name, uint32_t address)
{
    struct ifreq request = {0};
    const struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};

    (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    memcpy(&request.ifr_addr, &at, sizeof at);
    set(fd, what, &request, "its address cannot be set");
}

static void bring_up(const char *name)
{
    struct ifreq request = {0};
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);

    (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    set(fd, SIOCGIFFLAGS, &request, "it has no flags");
    request.ifr_flags |= IFF_UP;
    set(fd, SIOCSIFFLAGS, &request, "it cannot be switched on");
    (void)close(fd);
}

int tun_open(int address, int peer)
{
    const uint32_t net = 10u << 24 | 77u << 16;
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};

    if (unshare(CLONE_NEWNET) != 0) {
        bench_give_up("no network namespace: %s (--link needs root)", strerror(errno));
    }
    const int end = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (end < 0) {
        bench_give_up("/dev/net/tun: %s", strerror(errno));
    }
    (void)snprintf(request.ifr_name, sizeof request.ifr_name, "troupe0");
    set(end, TUNSETIFF, &request, "the interface cannot be made");
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    set_address(fd, SIOCSIFADDR, "troupe0", net | (uint32_t)address);
    set_address(fd, SIOCSIFDSTADDR, "troupe0", net | (uint32_t)peer);
    (void)close(fd);
    bring_up("troupe0");
    bring_up("lo");
    return end;
}

/* ---- Packets --------------------------------------------------------------------------------- */

struct packet {
    int64_t due_ns;
    size_t length;
    uint8_t bytes[MOST_BYTES];
};

/* Packets on their way in one direction, in order. */
struct way {
    struct packet packets[MOST_PACKETS];
    unsigned first, count;
    int64_t free_ns; /* when the packet before has left */
    int64_t last_ns; /* when it arrives */
};

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

/* When a packet that comes now arrives; it takes its place on the line. */
static int64_t arrival_ns(struct way *way, const struct channel *how, size_t length, uint64_t *seed)
{
    const int64_t now = now_ns();
    const int64_t start = way->free_ns > now ? way->free_ns : now;
    const double takes_s = how->rate_bps > 0 ? (double)length * 8 / how->rate_bps : 0;
    const double under_way_s = how->delay_s + how->jitter_s * reader_random(seed);

    way->free_ns = start + (int64_t)(takes_s * 1e9);
    const int64_t due = way->free_ns + (int64_t)(under_way_s * 1e9);
    way->last_ns = due > way->last_ns ? due : way->last_ns;
    return way->last_ns;
}

static void take_in(struct way *way, int from, const struct channel *how, uint64_t *seed)
{
    uint8_t bytes[MOST_BYTES];
    ssize_t got;

    while ((got = read(from, bytes, sizeof bytes)) > 0) {
        const bool lost = reader_random(seed) < how->loss;

        if (lost || way->count == MOST_PACKETS) {
            continue;
        }
        struct packet *packet = &way->packets[(way->first + way->count++) % MOST_PACKETS];
        packet->length = (size_t)got;
        memcpy(packet->bytes, bytes, packet->length);
        packet->due_ns = arrival_ns(way, how, packet->length, seed);
    }
}

/* Hand out what has arrived; when the next one arrives. */
static int64_t give_out(struct way *way, int to)
{
    while (way->count > 0) {
        const struct packet *packet = &way->packets[way->first];

        if (packet->due_ns > now_ns()) {
            return packet->due_ns;
        }
        if (write(to, packet->bytes, packet->length) < 0 && errno == EINTR) {
            continue;
        }
        way->first = (way->first + 1) % MOST_PACKETS;
        way->count--;
    }
    return TP_NEVER;
}

void tun_carry(const int ends[2], const struct channel *how, uint64_t seed, const atomic_bool *stop)
{
    static struct way ways[2]; /* one link for each process */
    struct pollfd ready[2] = {{.fd = ends[0], .events = POLLIN}, {.fd = ends[1], .events = POLLIN}};

    while (!atomic_load(stop)) {
        int64_t next = now_ns() + 50 * TP_NS_PER_MS; /* to look at `stop` */

        for (int i = 0; i < 2; i++) {
            take_in(&ways[i], ends[i], how, &seed);
            const int64_t due = give_out(&ways[i], ends[1 - i]);
            next = due < next ? due : next;
        }
        const int64_t wait_ms = (next - now_ns()) / TP_NS_PER_MS;
        (void)poll(ready, 2, wait_ms > 0 ? (int)wait_ms : next > now_ns() ? 1 : 0);
    }
}
