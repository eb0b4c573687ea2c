/* datagram.c - UDP sockets on libuv. */
#include "troupe/datagram.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop/address.h"
#include "loop/arrival.h"
#include "loop/inside.h"

_Static_assert(sizeof(struct sockaddr_in6) <= sizeof((tp_peer *)NULL)->bytes,
               "a peer has room for every socket address");

/* More datagrams than any socket holds. A peer that sends faster than we drop does not keep us in
 * the loop. */
enum { MOST_WAITING = 4096 };

struct tp_datagram {
    uv_udp_t uv;
    tp_loop *loop; /* borrowed */
    void (*receive)(void *context, const tp_peer *from, const void *bytes, size_t length);
    void *context; /* borrowed */
    unsigned port;
    tpi_arrival arrival; /* how old unread datagrams can be */
    char room[65536];    /* for the longest datagram there can be */
};

static void set_peer(tp_peer *out, const struct sockaddr *address)
{
    memset(out, 0, sizeof *out);
    out->length =
        address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    memcpy(out->bytes, address, out->length);
}

tp_status tp_peer_parse(tp_peer *out, const char *address, tp_error *err)
{
    tpi_address parsed;
    tp_status status = tpi_address_get(&parsed, address, TPI_ADDRESS_SEND, true, err);

    if (status == TP_OK) {
        set_peer(out, &parsed.endpoints[0].as.any);
    }
    return status;
}

void tp_peer_print(char *out, size_t size, const tp_peer *peer)
{
    tpi_endpoint endpoint = {.length = peer->length};

    memcpy(&endpoint.as, peer->bytes, peer->length);
    tpi_address_print(out, size, &endpoint.as.any);
}

/* ---- Receiving ------------------------------------------------------------------------------- */

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    tp_datagram *datagram = CONTAINER_OF(handle, tp_datagram, uv);

    (void)suggested;
    *out = uv_buf_init(datagram->room, sizeof datagram->room);
}

/* Without a sender it is no datagram: there is nothing more, or an error of an earlier send. */
static void on_receive(uv_udp_t *uv, ssize_t length, const uv_buf_t *room,
                       const struct sockaddr *from, unsigned flags)
{
    tp_datagram *datagram = CONTAINER_OF(uv, tp_datagram, uv);
    const bool is_one = length >= 0 && from != NULL;
    const int64_t since_ns =
        tpi_arrival_read(&datagram->arrival, tpi_loop_before_ns(datagram->loop),
                         tp_clock_now_ns(tp_loop_clock(datagram->loop)), is_one,
                         length == 0 && from == NULL, MOST_WAITING);
    tp_peer peer;

    (void)flags;
    if (is_one) {
        set_peer(&peer, from);
        tpi_loop_set_arrival(datagram->loop, since_ns);
        datagram->receive(datagram->context, &peer, room->base, (size_t)length);
        tpi_loop_set_arrival(datagram->loop, TP_NEVER);
    }
}

void tp_datagram_drain(tp_datagram *datagram)
{
    uv_os_fd_t fd;
    char first;
    unsigned count = 0;

    assert(tp_loop_is_current(datagram->loop));
    if (uv_fileno((const uv_handle_t *)&datagram->uv, &fd) == 0) {
        while (count < MOST_WAITING &&
               (recv(fd, &first, 1, MSG_DONTWAIT) >= 0 || errno != EAGAIN)) {
            count++;
        }
    }
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    free(CONTAINER_OF(handle, tp_datagram, uv));
}

static int bind_and_start(tp_datagram *datagram, const struct sockaddr *address, unsigned flags)
{
    tpi_endpoint own = {0};
    int length = sizeof own.as;
    int error = uv_udp_bind(&datagram->uv, address, flags);

    if (error == 0) {
        error = uv_udp_recv_start(&datagram->uv, on_room, on_receive);
    }
    if (error == 0) {
        error = uv_udp_getsockname(&datagram->uv, &own.as.any, &length);
    }
    datagram->port = tpi_address_port(&own.as.any);
    return error;
}

/* A handle that could not be bound cannot be used for another address; each gets its own. */
static int open_on(tp_datagram **out, tp_loop *loop, const tpi_endpoint *endpoint, unsigned flags)
{
    tp_datagram *datagram = calloc(1, sizeof *datagram);

    if (datagram == NULL) {
        return UV_ENOMEM;
    }
    datagram->loop = loop;
    uv_udp_init(tpi_loop_uv(loop), &datagram->uv);
    int error = bind_and_start(datagram, &endpoint->as.any, flags);
    if (error != 0) {
        tp_datagram_close(datagram);
        return error;
    }
    *out = datagram;
    return 0;
}

tp_status tp_datagram_open(tp_datagram **out, tp_loop *loop, const char *address,
                           void (*receive)(void *context, const tp_peer *from, const void *bytes,
                                           size_t length),
                           void *context, tp_error *err)
{
    tpi_address parsed;
    tp_datagram *datagram = NULL;
    tp_status status = tpi_address_get(&parsed, address, TPI_ADDRESS_RECEIVE, true, err);

    assert(tp_loop_is_current(loop));
    if (status != TP_OK) {
        return status;
    }
    int error = UV_EINVAL;
    for (unsigned i = 0; i < parsed.count && error != 0; i++) {
        error = open_on(&datagram, loop, &parsed.endpoints[i], 0);
    }
    if (error != 0) {
        return tpi_address_fail(err, error, TPI_ADDRESS_RECEIVE, address);
    }
    datagram->receive = receive;
    datagram->context = context;
    *out = datagram;
    return TP_OK;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* The interface of this name or address; for "" the first that reaches other machines, or else one
 * that does not. Whether there is one. */
static bool find_network(const char *interface, tp_network *out)
{
    uv_interface_address_t *all = NULL;
    int count = 0;
    bool found = false;

    if (uv_interface_addresses(&all, &count) != 0) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        char text[INET_ADDRSTRLEN] = "";
        const bool outward = !all[i].is_internal;
        if (all[i].address.address4.sin_family != AF_INET ||
            uv_ip4_name(&all[i].address.address4, text, sizeof text) != 0 ||
            (interface[0] == '\0' ? found && !outward
                                  : found || (strcmp(interface, text) != 0 &&
                                              strcmp(interface, all[i].name) != 0))) {
            continue;
        }
        memcpy(out->address, &all[i].address.address4.sin_addr, sizeof out->address);
        memcpy(out->mask, &all[i].netmask.netmask4.sin_addr, sizeof out->mask);
        found = true;
        if (outward) {
            break;
        }
    }
    uv_free_interface_addresses(all, count);
    return found;
}

static int join(tp_datagram *datagram, const tpi_endpoint *group, const tp_network *network)
{
    char own[INET_ADDRSTRLEN];
    char name[INET_ADDRSTRLEN];
    int error = uv_inet_ntop(AF_INET, network->address, own, sizeof own);

    error = error == 0 ? uv_ip4_name(&group->as.v4, name, sizeof name) : error;
    error = error == 0 ? uv_udp_set_membership(&datagram->uv, name, own, UV_JOIN_GROUP) : error;
    error = error == 0 ? uv_udp_set_multicast_interface(&datagram->uv, own) : error;
    return error == 0 ? uv_udp_set_multicast_ttl(&datagram->uv, 255) : error;
}

static bool is_group(const tpi_address *parsed)
{
    const tpi_endpoint *endpoint = &parsed->endpoints[0];

    return endpoint->as.any.sa_family == AF_INET &&
           (ntohl(endpoint->as.v4.sin_addr.s_addr) >> 28) == 14;
}

tp_status tp_datagram_open_group(tp_datagram **out, tp_loop *loop, const char *group,
                                 const char *interface, tp_network *network,
                                 void (*receive)(void *context, const tp_peer *from,
                                                 const void *bytes, size_t length),
                                 void *context, tp_error *err)
{
    tpi_address parsed;
    tp_datagram *datagram = NULL;
    const tp_status status = tpi_address_get(&parsed, group, TPI_ADDRESS_RECEIVE, true, err);

    assert(tp_loop_is_current(loop));
    if (status != TP_OK) {
        return status;
    }
    if (!is_group(&parsed)) {
        return tp_fail(err, TP_E_INVALID, "%s is no multicast group of IPv4", group);
    }
    if (!find_network(interface, network)) {
        return interface[0] == '\0'
                   ? tp_fail(err, TP_E_UNKNOWN, "this machine has no network")
                   : tp_fail(err, TP_E_UNKNOWN, "this machine has no network interface \"%.40s\"",
                             interface);
    }
    int error = open_on(&datagram, loop, &parsed.endpoints[0], UV_UDP_REUSEADDR);
    if (error == 0) {
        datagram->receive = receive;
        datagram->context = context;
        error = join(datagram, &parsed.endpoints[0], network);
    }
    if (error != 0) {
        tp_datagram_close(datagram);
        return tpi_address_fail(err, error, TPI_ADDRESS_RECEIVE, group);
    }
    *out = datagram;
    return TP_OK;
}

bool tp_network_has(const tp_network *network, const tp_peer *peer, unsigned *port)
{
    struct sockaddr_in address;
    unsigned char bytes[4];

    if (peer->length != sizeof address) {
        return false;
    }
    memcpy(&address, peer->bytes, sizeof address);
    memcpy(bytes, &address.sin_addr, sizeof bytes);
    *port = ntohs(address.sin_port);
    for (unsigned i = 0; i < 4; i++) {
        if (((bytes[i] ^ network->address[i]) & network->mask[i]) != 0) {
            return false;
        }
    }
    return address.sin_family == AF_INET;
}

void tp_datagram_close(tp_datagram *datagram)
{
    if (datagram != NULL) {
        assert(tp_loop_is_current(datagram->loop));
        uv_close((uv_handle_t *)&datagram->uv, on_closed);
    }
}

unsigned tp_datagram_port(const tp_datagram *datagram)
{
    return datagram->port;
}

/* ---- Sending --------------------------------------------------------------------------------- */

tp_status tp_datagram_send(tp_datagram *datagram, const tp_peer *to, const void *bytes,
                           size_t length)
{
    const uv_buf_t piece = tpi_uv_buf(bytes, length);
    tpi_endpoint endpoint = {.length = to->length};

    assert(tp_loop_is_current(datagram->loop));
    memcpy(&endpoint.as, to->bytes, to->length);
    int sent = uv_udp_try_send(&datagram->uv, &piece, 1, &endpoint.as.any);
    if (sent >= 0) {
        return TP_OK;
    }
    return sent == UV_EAGAIN ? TP_E_SPACE : sent == UV_EMSGSIZE ? TP_E_LIMIT : TP_E_IO;
}
