/*
 * udp.c - clients on UDP, one message in a datagram.
 *
 * A source (an address and port) is greeted when it sends an empty datagram, which begins a session
 * or begins it anew. It ends when nothing has come from the source for a while. The address of
 * a sender can be forged, so little is sent to it at first: a greeting, and only so many of them
 * per second to each host; nothing more until a message has come. Sources that were only greeted
 * have no session yet and make room for others. A few of this machine, and of a host with a client
 * that may do more than read, make room last: nobody can forge so many senders that these are not
 * heard.
 *
 * A message goes out whole or not at all, and nothing waits: what the kernel does not take is lost,
 * as anything may be on its way.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum {
    BUCKETS = 1024,           /* a power of two */
    MOST_DATAGRAM = 65507,    /* bytes that fit into one on IPv4 */
    MOST_OVER = 64,           /* sources beyond the limit, for others that end with this turn */
    MOST_HELD_DATAGRAMS = 16, /* requests of a busy source that wait */
    HOST_CELLS = 1024,
    RESERVED = 16 /* sources without a session of a host that make room last */
};

static const int64_t silence_ns = 60 * TP_NS_PER_S;
static const int64_t last_word_ns = TP_NS_PER_S / 10;

/* A message that waits because its session is busy. */
struct held {
    struct held *next;
    tp_msghdr header;
    unsigned char body[]; /* as long as the header says */
};

struct source {
    struct client client; /* comes first, so that one can be had from the other */
    tp_peer peer;
    uint32_t host; /* 0 for this machine */
    bool local;
    int64_t heard_ns;    /* when the last message or empty datagram came */
    struct source *next; /* in its bucket */

    struct held *held, **held_end; /* owned; oldest first */
    unsigned held_count;
    size_t held_bytes;
};

/* The front's list of clients has the source that was heard last at its beginning. */
struct udp {
    tp_player_front *front; /* borrowed */
    tp_datagram *datagram;  /* owned */
    tp_timer *timer;        /* owned: the next source falls silent */
    bool listens;           /* for the last words of sources that are about to count as silent */
    tpi_greetings greetings;
    tp_player_counts counts;
    struct source *buckets[BUCKETS]; /* the sources are the front's */
};

static int64_t now_ns(const struct udp *udp)
{
    return tp_clock_now_ns(tp_loop_clock(udp->front->loop));
}

/* ---- Sources --------------------------------------------------------------------------------- */

/* FNV-1a. An attacker that aims at one bucket gets at most MOST_SOURCES into it. */
static struct source **bucket_of(struct udp *udp, const tp_peer *peer)
{
    uint32_t hash = 2166136261U;

    for (unsigned i = 0; i < peer->length; i++) {
        hash = (hash ^ peer->bytes[i]) * 16777619U;
    }
    return &udp->buckets[hash & (BUCKETS - 1)];
}

static struct source *find(struct udp *udp, const tp_peer *peer)
{
    struct source *source = *bucket_of(udp, peer);

    while (source != NULL && (source->peer.length != peer->length ||
                              memcmp(source->peer.bytes, peer->bytes, peer->length) != 0)) {
        source = source->next;
    }
    return source;
}

/* The first of the list falls silent last. */
static void hear(struct udp *udp, struct source *source)
{
    source->heard_ns = now_ns(udp);
    tpi_player_client_unlink(&source->client);
    tpi_player_client_link(&source->client);
    if (!udp->listens) {
        tp_timer_at(udp->timer, ((struct source *)udp->front->oldest)->heard_ns + silence_ns);
    }
}

/* If the program was frozen, what sources have sent meanwhile is not read yet: it is read before
 * they count as silent. */
static void on_silence(void *context)
{
    struct udp *udp = context;
    struct client **oldest = &udp->front->oldest;
    const int64_t now = now_ns(udp);

    assert(tpi_player_is_current(udp->front));
    udp->listens = !udp->listens && *oldest != NULL &&
                   ((struct source *)*oldest)->heard_ns + silence_ns <= now;
    if (udp->listens) {
        tp_timer_at(udp->timer, now + last_word_ns);
        return;
    }
    while (*oldest != NULL && ((struct source *)*oldest)->heard_ns + silence_ns <= now) {
        tpi_player_client_close(*oldest);
    }
    if (*oldest != NULL) {
        tp_timer_at(udp->timer, ((struct source *)*oldest)->heard_ns + silence_ns);
    }
}

/* By the cell of a host: how many sources have no session, and whether a few of them are spared. */
struct hosts {
    unsigned waiting[HOST_CELLS];
    bool spared[HOST_CELLS];
};

static void count_hosts(struct hosts *hosts, const struct client *oldest)
{
    for (const struct client *client = oldest; client != NULL; client = client->previous) {
        const struct source *source = (const struct source *)client;
        const uint32_t cell = source->host % HOST_CELLS;

        hosts->waiting[cell] += client->session == NULL;
        hosts->spared[cell] |= source->local || (client->session != NULL &&
                                                 tp_session_right(client->session) > TP_RIGHT_READ);
    }
}

/* The oldest source without a session of the host with the most of them; NULL if all have one. */
static struct client *find_waiting(struct client *oldest)
{
    struct hosts hosts = {0};
    struct client *best = NULL;
    unsigned most = 0;

    count_hosts(&hosts, oldest);
    for (struct client *client = oldest; client != NULL; client = client->previous) {
        const uint32_t cell = ((const struct source *)client)->host % HOST_CELLS;
        const unsigned waiting = hosts.waiting[cell];
        const unsigned count = hosts.spared[cell] && waiting <= RESERVED ? 0 : waiting;

        if (client->session == NULL && (best == NULL || count > most)) {
            best = client;
            most = count;
        }
    }
    return best;
}

/* A place for one more: if all are taken, that of a source without a session. If all have sessions,
 * that of the client with the least standing is free at the end of the turn. */
static bool make_room(struct udp *udp)
{
    if (udp->front->client_count < udp->front->most_clients) {
        return true;
    }
    struct client *client = find_waiting(udp->front->oldest);
    if (client == NULL) {
        return udp->front->client_count < (size_t)udp->front->most_clients + MOST_OVER &&
               tp_front_make_room(udp->front->instance);
    }
    tpi_player_client_close(client);
    return true;
}

/* ---- Going out ------------------------------------------------------------------------------- */

/* What is too long for a datagram is refused if it is a reply; there is always room for that. */
static void skip_long(struct client *client, const tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);

    if (header->type == TP_MSGTYPE_RESP_ACK || header->type == TP_MSGTYPE_RESP_NACK) {
        tp_session_refuse(client->session, header, TP_E_LIMIT,
                          "the answer is too long for a datagram");
    }
}

/* Datagrams at a time, to a client that lets others go on. */
enum { PART = 64 };

static void write_all(struct client *client)
{
    const struct source *source = (const struct source *)client;
    struct udp *udp = client->front->udp;
    uint64_t sent = 0;

    for (unsigned i = 0; tp_session_sealed(client->session) > 0; i++) {
        if (i == PART && tp_session_comes_last(client->session)) {
            tpi_player_client_flush(client);
            break;
        }
        tp_msg *msg = tp_session_take(client->session);
        const void *bytes;
        size_t length;
        tp_status status = tp_msg_encode(msg, &tp_encoding_player, &bytes, &length);
        if (status == TP_OK && length > MOST_DATAGRAM) {
            skip_long(client, msg);
            status = TP_E_LIMIT;
        }
        if (status == TP_OK) {
            status = tp_datagram_send(udp->datagram, &source->peer, bytes, length);
        }
        *(status == TP_OK ? &sent : &udp->counts.unsent) += 1;
        tp_msg_unref(msg);
    }
    tp_session_count_sent(client->session, sent);
}

/* Datagrams in the socket cannot be counted, but they may be lost. */
static void drop(struct client *client)
{
    tp_datagram_drain(client->front->udp->datagram);
}

/* ---- Messages that wait -----------------------------------------------------------------------
 */

static size_t length_of(const tp_msghdr *header)
{
    return TP_XDR_HEADER_SIZE + (size_t)header->size;
}

/* The socket is read for all sources, so a busy one cannot be paused: its next few requests wait
 * here. False if there are too many. */
static bool hold(struct source *source, const tp_msghdr *header, const unsigned char *body)
{
    struct held *held = source->held_count < MOST_HELD_DATAGRAMS
                            ? malloc(sizeof *held + (size_t)header->size)
                            : NULL;

    if (held == NULL) {
        return false;
    }
    held->next = NULL;
    held->header = *header;
    memcpy(held->body, body, header->size);
    *(source->held == NULL ? &source->held : source->held_end) = held;
    source->held_end = &held->next;
    source->held_count++;
    source->held_bytes += length_of(header);
    source->client.paused = true;
    if (!tp_session_hold(source->client.session, source->held_bytes, false)) {
        tpi_player_client_give_up(&source->client);
    }
    return true;
}

static struct held *take_held(struct source *source)
{
    struct held *held = source->held;

    source->held = held->next;
    source->held_count--;
    source->held_bytes -= length_of(&held->header);
    return held;
}

static void drop_held(struct source *source)
{
    while (source->held != NULL) {
        free(take_held(source));
    }
}

static void handle(struct client *client, tp_msghdr *header, const unsigned char *body)
{
    tpi_player_message_handle(client, header, body);
    tp_session_took(client->session, length_of(header));
}

static void resume(struct client *client)
{
    struct source *source = (struct source *)client;

    while (source->held != NULL && !client->ending) {
        if (tp_session_is_busy(client->session)) {
            client->paused = true;
            break;
        }
        struct held *held = take_held(source);
        handle(client, &held->header, held->body);
        free(held);
    }
    tp_session_hold(client->session, source->held_bytes, false);
}

static size_t unread(struct client *client)
{
    return ((struct source *)client)->held_bytes;
}

static void release(struct client *client)
{
    struct source *source = (struct source *)client;
    struct source **at = bucket_of(client->front->udp, &source->peer);

    while (*at != source) {
        at = &(*at)->next;
    }
    *at = source->next;
    drop_held(source);
    free(source);
}

static const struct transport udp_transport = {
    .write = write_all,
    .resume = resume,
    .unread = unread,
    .drop = drop,
    .close = release,
};

/* ---- Coming in ------------------------------------------------------------------------------- */

static bool is_local(const tp_peer *peer)
{
    char name[80];

    tp_peer_print(name, sizeof name, peer);
    return tp_front_is_local(name);
}

static struct source *add_source(struct udp *udp, const tp_peer *peer, bool local)
{
    struct source **bucket = bucket_of(udp, peer);
    struct source *source = make_room(udp) ? calloc(1, sizeof *source) : NULL;

    if (source != NULL) {
        tpi_player_session_init(&source->client, udp->front, &udp_transport);
        tpi_player_client_link(&source->client);
        source->peer = *peer;
        source->local = local;
        source->host = local ? 0 : tpi_player_host(&udp->greetings, peer);
        source->next = *bucket;
        *bucket = source;
    }
    return source;
}

/* An empty datagram: whatever was before, this source begins anew, and no other one notices. */
static void begin(struct udp *udp, const tp_peer *peer)
{
    struct source *source = find(udp, peer);
    const bool local = is_local(peer);

    if (!local && !tpi_player_may_greet(&udp->greetings, peer, now_ns(udp))) {
        udp->counts.turned_away++;
        return;
    }
    if (source != NULL) {
        drop_held(source);
        tpi_player_client_reset(&source->client);
    } else {
        source = add_source(udp, peer, local);
    }
    if (source == NULL) {
        udp->counts.turned_away++;
        return;
    }
    hear(udp, source);
    if (tp_datagram_send(udp->datagram, peer, tpi_player_greeting, sizeof tpi_player_greeting) !=
        TP_OK) {
        udp->counts.unsent++;
    }
}

static bool read_header(tp_msghdr *header, const unsigned char *bytes, size_t length)
{
    if (length < TP_XDR_HEADER_SIZE) {
        return false;
    }
    tp_xdr_decode_header(header, bytes);
    if (tp_session_is_panic(header)) { /* whatever its body is */
        header->size = (uint32_t)(length - TP_XDR_HEADER_SIZE);
    }
    return header->size == length - TP_XDR_HEADER_SIZE;
}

/* Whether a message is handled at once. Commands of clients that may write do not wait for their
 * requests; what others send beyond their budget is lost. */
static bool may_handle(struct source *source, const tp_msghdr *header)
{
    tp_session *session = source->client.session;

    if (tp_session_is_panic(header) ||
        (header->type != TP_MSGTYPE_REQ && tp_session_right(session) > TP_RIGHT_READ)) {
        return true;
    }
    return source->held == NULL && !tp_session_is_busy(session);
}

/* A message of a source that was greeted. */
static void hear_message(struct udp *udp, struct source *source, tp_msghdr *header,
                         const unsigned char *body)
{
    struct client *client = &source->client;
    char name[80];

    if (client->session == NULL) {
        tp_peer_print(name, sizeof name, &source->peer);
        if (tpi_player_session_begin(client, name) != TP_OK) {
            udp->counts.turned_away++;
            return;
        }
    }
    hear(udp, source);
    if (may_handle(source, header)) {
        handle(client, header, body);
    } else if (header->type != TP_MSGTYPE_REQ) {
        udp->counts.turned_away++;
    } else if (!hold(source, header, body)) {
        tp_session_heard(client->session);
        tp_session_refuse(client->session, header, TP_E_LIMIT, "too many requests are under way");
    }
}

void tpi_player_udp_receive(void *context, const tp_peer *from, const void *bytes, size_t length)
{
    struct udp *udp = context;
    const unsigned char *message = bytes;
    tp_msghdr header;

    assert(tpi_player_is_current(udp->front));
    if (length == 0) {
        begin(udp, from);
        return;
    }
    struct source *source = find(udp, from);
    if (source == NULL || source->client.ending) {
        udp->counts.unknown++;
    } else if (!read_header(&header, message, length)) {
        udp->counts.malformed++;
    } else {
        hear_message(udp, source, &header, message + TP_XDR_HEADER_SIZE);
    }
}

/* ---- Opening and closing --------------------------------------------------------------------- */

tp_status tpi_player_udp_open(tp_player_front *front, const char *address, tp_error *err)
{
    struct udp *udp = calloc(1, sizeof *udp);

    if (udp == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    front->udp = udp;
    udp->front = front;
    tpi_player_greetings_init(&udp->greetings, now_ns(udp));
    if (front->most_clients == 0 || front->most_clients > MOST_SOURCES) {
        front->most_clients = MOST_SOURCES;
    }
    tp_status status = tp_timer_create(&udp->timer, front->loop, on_silence, udp, err);
    return status != TP_OK ? status
                           : tp_datagram_open(&udp->datagram, front->loop, address,
                                              tpi_player_udp_receive, udp, err);
}

void tpi_player_udp_close(struct udp *udp)
{
    if (udp != NULL) {
        tp_datagram_close(udp->datagram);
        tp_timer_destroy(udp->timer);
        free(udp);
    }
}

unsigned tpi_player_udp_port(const struct udp *udp)
{
    return tp_datagram_port(udp->datagram);
}

tp_player_counts tpi_player_udp_counts(const struct udp *udp)
{
    return udp->counts;
}
