/* libraries.c - ZeroMQ and nng: the source and the sockets are in one process; see system.h. */
#include <nng/nng.h>
#include <nng/protocol/pubsub0/pub.h>
#include <nng/supplemental/util/platform.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#include "bench.h"
#include "server/dial.h"
#include "server/machine.h"
#include "system.h"

/* ---- ZeroMQ ------------------------------------------------------------------------------------
 */

/* The greeting of ZMTP 3.0 without security, the READY of a SUB socket, and a subscription to
 * everything. */
static const unsigned char zmq_greeting[64] = {0xff, 0,    0, 0, 0,   0,   0,   0,
                                               1,    0x7f, 3, 0, 'N', 'U', 'L', 'L'};
static const unsigned char zmq_hello[] = "\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03SUB\0\x01\x01";

static void zeromq_join(int fd, bool flat)
{
    unsigned char theirs[64];
    unsigned char command[256];

    (void)flat;
    dial_send(fd, zmq_greeting, sizeof zmq_greeting);
    dial_receive(fd, theirs, sizeof theirs);
    dial_send(fd, zmq_hello, sizeof zmq_hello - 1);
    dial_receive(fd, command, 2); /* READY: flags, length, body */
    dial_receive(fd, command + 2, command[1]);
}

static void zeromq_send(void *socket, int count)
{
    static unsigned char scan[SCAN_SIZE];

    for (int i = 0; i < count; i++) {
        source_stamp(scan);
        if (zmq_send(socket, scan, sizeof scan, 0) < 0) {
            bench_give_up("ZeroMQ cannot send");
        }
    }
}

static void zeromq_run(peer_flow *flow, int mode)
{
    const int yes = 1, backlog = 4096;
    const unsigned port = source_free_port();
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_XPUB);
    char address[64];

    zmq_ctx_set(context, ZMQ_MAX_SOCKETS, 8192);
    zmq_setsockopt(socket, ZMQ_XPUB_NODROP, &yes, sizeof yes);
    zmq_setsockopt(socket, ZMQ_BACKLOG, &backlog, sizeof backlog);
    snprintf(address, sizeof address, "tcp://127.0.0.1:%u", port);
    if (zmq_bind(socket, address) != 0) {
        bench_give_up("ZeroMQ cannot listen");
    }
    peer_ready(flow, port);
    source_run(flow, mode, zeromq_send, socket);
}

const bench_system bench_zeromq = {
    .name = "ZeroMQ",
    .setting = "XPUB with XPUB_NODROP, one I/O thread",
    .run = zeromq_run,
    .join = zeromq_join,
    .before = 9, /* flags and a length of eight bytes */
};

/* ---- nng ---------------------------------------------------------------------------------------
 */

static void nng_join(int fd, bool flat)
{
    static const unsigned char hello[8] = {0, 'S', 'P', 0, 0, 0x21, 0, 0};
    unsigned char theirs[sizeof hello];

    (void)flat;
    dial_send(fd, hello, sizeof hello);
    dial_receive(fd, theirs, sizeof theirs);
}

/* A pub0 socket never waits: it drops. The pause lets its threads send what they have. */
static void nng_send_scans(void *context, int count)
{
    const nng_socket *socket = context;
    static unsigned char scan[SCAN_SIZE];

    for (int i = 0; i < count; i++) {
        source_stamp(scan);
        if (nng_send(*socket, scan, sizeof scan, 0) != 0) {
            bench_give_up("nng cannot send");
        }
    }
    nng_msleep(0);
}

static void nng_run(peer_flow *flow, int mode)
{
    const unsigned port = source_free_port();
    static nng_socket socket;
    char address[64];

    snprintf(address, sizeof address, "tcp://127.0.0.1:%u", port);
    if (nng_pub0_open(&socket) != 0 || nng_socket_set_int(socket, NNG_OPT_SENDBUF, 1024) != 0 ||
        nng_listen(socket, address, NULL, 0) != 0) {
        bench_give_up("nng cannot listen");
    }
    peer_ready(flow, port);
    source_run(flow, mode, nng_send_scans, &socket);
}

const bench_system bench_nng = {
    .name = "nng",
    .setting = "pub0 with a send buffer of 1024 messages; it drops instead of waiting",
    .run = nng_run,
    .join = nng_join,
    .before = 8, /* a length */
};
