/* talk.c - see talk.h. */
#include "talk.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "motion/package.h"
#include "robot.h"

static void send_all(int fd, const uint8_t *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);

        if (sent < 0 && errno != EINTR) {
            bench_give_up("the server has closed a connection");
        }
        bytes += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
    }
}

static void receive_all(int fd, uint8_t *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t got = recv(fd, bytes, length, 0);

        if (got <= 0) {
            bench_give_up("the server has closed a connection");
        }
        bytes += got;
        length -= (size_t)got;
    }
}

/* One record as a package. */
static void send_record(int fd, uint8_t kind, uint8_t mode, uint64_t time_us, uint16_t code,
                        const void *value)
{
    uint8_t bytes[1024];
    const size_t size = tpi_motion_record_put(bytes + TPI_MOTION_HEADER,
                                              sizeof bytes - TPI_MOTION_HEADER, code, 1, value);
    const tpi_motion_header header = {
        .kind = kind, .mode = mode, .records = 1, .size = (uint32_t)size, .time_us = time_us};

    tpi_motion_header_put(bytes, &header);
    send_all(fd, bytes, TPI_MOTION_HEADER + size);
}

/* The next package; its first record's code. The payload is in `bytes`. */
static uint16_t receive(int fd, uint8_t *bytes, size_t size, tpi_motion_header *header)
{
    uint8_t head[TPI_MOTION_HEADER];
    bool foreign = false;

    receive_all(fd, head, sizeof head);
    if (tpi_motion_header_get(header, head, &foreign, NULL) != TP_OK || header->size > size) {
        bench_give_up("the server has sent a wrong package");
    }
    receive_all(fd, bytes, header->size);
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

int talk_connect(unsigned port)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const tpi_motion_hello hello = {.name = "bench"};
    const int one = 1;
    static uint8_t room[1 << 20];
    tpi_motion_header header;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        bench_give_up("port %u: no connection", port);
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    send_record(fd, TPI_MOTION_SESSION, 0, 0, TPI_MOTION_HELLO, &hello);
    if (receive(fd, room, sizeof room, &header) != (TPI_MOTION_HELLO | TPI_MOTION_ANSWER)) {
        bench_give_up("HELLO was refused");
    }
    return fd;
}

void talk_frame(int fd, unsigned frame, int64_t due_us)
{
    tpi_motion_drive targets[JOINTS];
    const tpi_motion_move move = {.duration_us = robot_frame_us,
                                  .servo = TPI_MOTION_SERVO_POSITION,
                                  .count = JOINTS,
                                  .targets = targets};

    for (int i = 0; i < JOINTS; i++) {
        targets[i] = (tpi_motion_drive){.joint = (uint16_t)(i + 1), .value = frame * STEP};
    }
    send_record(fd, TPI_MOTION_COMMAND, TPI_MOTION_DELAY, (uint64_t)due_us, TPI_MOTION_MOVE, &move);
}

int64_t talk_sync(int fd)
{
    const tpi_motion_empty nothing = {0};
    static uint8_t room[1 << 20];
    tpi_motion_header header;
    tpi_motion_record record;

    send_record(fd, TPI_MOTION_QUERY, 0, 0, TPI_MOTION_ASK_CLOCK, &nothing);
    for (;;) {
        size_t at = 0;

        (void)receive(fd, room, sizeof room, &header);
        while (at < header.size &&
               tpi_motion_record_next(&record, room, header.size, &at, NULL) == TP_OK) {
            tpi_motion_clock clock;

            if (record.code == (TPI_MOTION_ASK_CLOCK | TPI_MOTION_ANSWER) &&
                tpi_motion_body_get(tpi_motion_body_of(record.code), record.body, record.length,
                                    &clock, NULL, 0, NULL) == TP_OK) {
                return (int64_t)clock.time_us;
            }
        }
    }
}

void talk_clear(int fd, int64_t from_us)
{
    const tpi_motion_move nothing = {.servo = TPI_MOTION_SERVO_POSITION};
    uint8_t bytes[256];
    const size_t size = tpi_motion_record_put(
        bytes + TPI_MOTION_HEADER, sizeof bytes - TPI_MOTION_HEADER, TPI_MOTION_MOVE, 1, &nothing);
    const tpi_motion_header header = {.kind = TPI_MOTION_COMMAND,
                                      .mode = TPI_MOTION_DELAY,
                                      .flags = TPI_MOTION_CLEAR,
                                      .records = 1,
                                      .size = (uint32_t)size,
                                      .time_us = (uint64_t)from_us};

    tpi_motion_header_put(bytes, &header);
    send_all(fd, bytes, TPI_MOTION_HEADER + size);
}

void talk_questions(int fd, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const tpi_motion_empty nothing = {0};

        send_record(fd, TPI_MOTION_QUERY, 0, 0, TPI_MOTION_ASK_STATE, &nothing);
    }
}

void talk_broadcast(int fd, uint64_t period_us)
{
    const tpi_motion_broadcast body = {.period_us = period_us, .query = TPI_MOTION_ASK_STATE};

    send_record(fd, TPI_MOTION_SESSION, 0, 0, TPI_MOTION_BROADCAST_BEGIN, &body);
}

static void send_flag(int fd, uint8_t flags, uint32_t sequence)
{
    const tpi_motion_header header = {
        .flags = flags, .kind = TPI_MOTION_SESSION, .sequence = sequence};
    uint8_t bytes[TPI_MOTION_HEADER];

    tpi_motion_header_put(bytes, &header);
    send_all(fd, bytes, sizeof bytes);
}

void talk_panic(int fd)
{
    send_flag(fd, TPI_MOTION_PANIC, 0);
}

void talk_reset(int fd, uint32_t epoch)
{
    send_flag(fd, TPI_MOTION_RESET, epoch);
}

/* Wait for the next signal that is one of these two; its body, which the next call overwrites. */
static const uint8_t *await_signal(int fd, uint8_t one, uint8_t other)
{
    static uint8_t room[1 << 20];
    tpi_motion_header header;

    for (;;) {
        const uint16_t code = receive(fd, room, sizeof room, &header);
        tpi_motion_record record;
        size_t at = 0;

        while (code == TPI_MOTION_SIGNAL && at < header.size &&
               tpi_motion_record_next(&record, room, header.size, &at, NULL) == TP_OK) {
            if (record.body[0] == one || record.body[0] == other) {
                return record.body;
            }
        }
    }
}

uint32_t talk_await_panic(int fd)
{
    const uint8_t *body = await_signal(fd, TPI_MOTION_PANICKED, TPI_MOTION_PANICKED);

    return (uint32_t)body[8] << 24 | (uint32_t)body[9] << 16 | (uint32_t)body[10] << 8 | body[11];
}

bool talk_await_reset(int fd)
{
    return await_signal(fd, TPI_MOTION_SUCCESS, TPI_MOTION_ERROR)[0] == TPI_MOTION_SUCCESS;
}

unsigned talk_drain(int fd)
{
    static __thread uint8_t room[1 << 16];
    unsigned dropped = 0;
    ssize_t got;

    while ((got = recv(fd, room, sizeof room, MSG_DONTWAIT)) > 0) {
        dropped += (unsigned)got;
    }
    return dropped;
}
