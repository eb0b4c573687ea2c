/* source.c - what the systems share: scans at a pace, and plain sockets; see system.h. */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/endian.h"
#include "bench.h"
#include "server/dial.h"
#include "server/machine.h"
#include "system.h"
#include "troupe/clock.h"

enum {
    BATCH = 32,        /* scans that a flat-out source makes between two looks at the flow */
    PERIOD_MS = 10,    /* of a source at 100 Hz */
    PATIENCE_MS = 5000 /* for a broker to start */
};

void source_stamp(unsigned char scan[SCAN_SIZE])
{
    const double now_s = tp_clock_wall_s(tp_clock_real());
    uint64_t bits;

    memcpy(&bits, &now_s, sizeof bits);
    tpi_store_be64(scan + STAMP_AT, bits);
}

_Noreturn void source_run(peer_flow *flow, int mode, void (*send)(void *context, int count),
                          void *context)
{
    const int count = mode == SOURCE_FLAT ? BATCH : 1;

    while (mode == SOURCE_SILENT) { /* no wake-up of its own beside the requests */
        pause();
    }
    for (;;) {
        if (!atomic_load(&flow->on)) {
            machine_rest_ms(1);
            continue;
        }
        send(context, count);
        atomic_fetch_add(&flow->made, (unsigned long)count);
        if (mode == SOURCE_PACED) {
            machine_rest_ms(PERIOD_MS);
        }
    }
}

unsigned source_free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &length) != 0) {
        bench_give_up("no free port");
    }
    close(fd);
    return ntohs(at.sin_port);
}

int source_connect(unsigned port)
{
    for (int left_ms = PATIENCE_MS; left_ms > 0; left_ms -= 10) {
        const int fd = dial(port, false);
        if (fd >= 0) {
            return fd;
        }
        machine_rest_ms(10);
    }
    bench_give_up("nothing listens on port %u", port);
}
