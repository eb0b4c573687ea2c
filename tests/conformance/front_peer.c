/* front_peer.c - see front_peer.h. */
#include "conformance/front_peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/unit.h"

void peer_connect(peer *p, const suite_front *suite, tp_loop *loop, unsigned port, int room)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in own = {0};
    socklen_t length = sizeof own;

    *p = (peer){.suite = suite, .loop = loop, .greeting = suite->greeting};
    p->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(p->fd >= 0);
    if (room > 0) {
        assert_int_equal(setsockopt(p->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), 0);
    }
    assert_int_equal(connect(p->fd, (const struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(fcntl(p->fd, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(getsockname(p->fd, (struct sockaddr *)&own, &length), 0);
    (void)snprintf(p->name, sizeof p->name, "127.0.0.1:%u", (unsigned)ntohs(own.sin_port));
}

void peer_close(peer *p)
{
    if (p->fd >= 0) {
        close(p->fd);
        p->fd = -1;
    }
    tpi_buf_fini(&p->in);
}

void peer_reset(peer *p)
{
    const struct linger at_once = {.l_onoff = 1};

    assert_int_equal(setsockopt(p->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    peer_close(p);
}

bool peer_send(peer *p, const void *bytes, size_t length)
{
    const char *at = bytes;

    while (length > 0 && !p->ended) {
        const ssize_t sent = send(p->fd, at, length, MSG_NOSIGNAL);
        if (sent > 0) {
            at += sent;
            length -= (size_t)sent;
        } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            tp_loop_turn(p->loop, false);
        } else {
            p->ended = true;
        }
    }
    return !p->ended;
}

bool peer_send_buf(peer *p, tpi_buf *bytes)
{
    const bool sent = peer_send(p, bytes->data, bytes->length);

    assert_false(bytes->failed);
    tpi_buf_clear(bytes);
    return sent;
}

void peer_look(peer *p)
{
    char room[65536];
    ssize_t got;

    while (!p->ended && (got = recv(p->fd, room, sizeof room, 0)) != 0) {
        if (got < 0) {
            p->ended = errno != EAGAIN && errno != EWOULDBLOCK;
            return;
        }
        const size_t skipped = p->greeting < (size_t)got ? p->greeting : (size_t)got;
        p->greeting -= skipped;
        tpi_buf_put(&p->in, room + skipped, (size_t)got - skipped);
    }
    p->ended = true;
}

suite_answer peer_next(peer *p)
{
    suite_answer what = SUITE_NONE;
    const size_t length = p->in.length == 0 ? 0 : p->suite->next(p->in.data, p->in.length, &what);

    if (what != SUITE_NONE) {
        memmove(p->in.data, p->in.data + length, p->in.length - length);
        p->in.length -= length;
    }
    return what;
}

void peer_await(peer *p, suite_answer wanted)
{
    suite_answer what = SUITE_NONE;

    while (what != wanted) {
        what = peer_next(p);
        if (what == SUITE_NONE) {
            assert_false(p->ended);
            tp_loop_turn(p->loop, false);
            peer_look(p);
        }
    }
}

void peer_await_end(peer *p)
{
    while (!p->ended) {
        tp_loop_turn(p->loop, false);
        peer_look(p);
        tpi_buf_clear(&p->in);
    }
}
