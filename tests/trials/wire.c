/* wire.c - the Player protocol as far as trials need it. */
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void wire_die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    _exit(1);
}

/* ---- Values ---------------------------------------------------------------------------------- */

void wire_put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (unsigned char)(value >> (24 - 8 * i));
    }
}

void wire_put_f64(unsigned char *at, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    wire_put_u32(at, (uint32_t)(bits >> 32));
    wire_put_u32(at + 4, (uint32_t)bits);
}

uint32_t wire_get_u32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

double wire_get_f64(const unsigned char *at)
{
    const uint64_t bits = (uint64_t)wire_get_u32(at) << 32 | wire_get_u32(at + 4);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static bool receive_all(int fd, void *bytes, size_t length)
{
    size_t had = 0;

    while (had < length) {
        const ssize_t more = recv(fd, (char *)bytes + had, length - had, 0);
        if (more <= 0) {
            if (more < 0 && errno == EINTR) {
                continue;
            }
            return false;
        }
        had += (size_t)more;
    }
    return true;
}

static void send_all(int fd, const void *bytes, size_t length)
{
    size_t sent = 0;

    while (sent < length) {
        const ssize_t more = send(fd, (const char *)bytes + sent, length - sent, MSG_NOSIGNAL);
        if (more < 0 && errno != EINTR) {
            wire_die("send");
        }
        sent += more > 0 ? (size_t)more : 0;
    }
}

int wire_connect(const char *host, unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    char greeting[32];

    if (fd < 0 || inet_pton(AF_INET, host, &to.sin_addr) != 1 ||
        connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        wire_die("connect");
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (!receive_all(fd, greeting, sizeof greeting)) {
        wire_die("greeting");
    }
    return fd;
}

/* ---- Messages -------------------------------------------------------------------------------- */

void wire_send(int fd, uint32_t interf, uint32_t index, uint32_t type, uint32_t subtype,
               uint32_t seq, const void *body, uint32_t size)
{
    unsigned char bytes[WIRE_HEADER + 256] = {0};

    if (size > sizeof bytes - WIRE_HEADER) {
        wire_die("a message that is too long");
    }
    wire_put_u32(bytes + 8, interf);
    wire_put_u32(bytes + 12, index);
    wire_put_u32(bytes + 16, type);
    wire_put_u32(bytes + 20, subtype);
    wire_put_u32(bytes + 32, seq);
    wire_put_u32(bytes + 36, size);
    if (size > 0) {
        memcpy(bytes + WIRE_HEADER, body, size);
    }
    send_all(fd, bytes, WIRE_HEADER + size);
}

bool wire_receive(int fd, wire_message *out)
{
    unsigned char header[WIRE_HEADER];

    if (!receive_all(fd, header, sizeof header)) {
        return false;
    }
    out->interf = wire_get_u32(header + 8);
    out->index = wire_get_u32(header + 12);
    out->type = wire_get_u32(header + 16);
    out->subtype = wire_get_u32(header + 20);
    out->time_s = wire_get_f64(header + 24);
    out->seq = wire_get_u32(header + 32);
    out->size = wire_get_u32(header + 36);
    if (out->size > sizeof out->body) {
        wire_die("a message that is too long");
    }
    return receive_all(fd, out->body, out->size);
}

void wire_await(int fd, uint32_t seq, wire_message *out)
{
    do {
        if (!wire_receive(fd, out)) {
            wire_die("the server has closed the connection");
        }
    } while ((out->type != WIRE_ACK && out->type != WIRE_NACK) || out->seq != seq);
}

void wire_open(int fd, uint32_t interf, uint32_t index)
{
    static wire_message reply;
    unsigned char body[28] = {0};

    wire_put_u32(body + 8, interf);
    wire_put_u32(body + 12, index);
    wire_put_u32(body + 16, 1);
    wire_send(fd, WIRE_PLAYER, 0, WIRE_REQUEST, 3, 0xfffffff0, body, sizeof body);
    wire_await(fd, 0xfffffff0, &reply);
    if (reply.type != WIRE_ACK || wire_get_u32(reply.body + 16) != 1) {
        wire_die("the device cannot be opened");
    }
}

void wire_drive(int fd, uint32_t index, double speed_mps)
{
    unsigned char body[28] = {0};

    wire_put_f64(body, speed_mps);
    wire_put_u32(body + 24, 1);
    wire_send(fd, WIRE_POSITION2D, index, WIRE_COMMAND, 1, 0, body, sizeof body);
}
