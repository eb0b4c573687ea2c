/*
 * player_fuzz.c - any bytes as what a client of the Player front sends, cut into pieces.
 *
 * The first byte says how they are cut. What comes back is a greeting and whole messages: one reply
 * for each request, unless a rule of the client's own swallows them; or the server closes the
 * connection, and then a length was too large.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fronts/player/player.h"
#include "fuzz.h"
#include "mirror.h"
#include "troupe/interfaces/player.h"
#include "troupe/stream.h"

/* A request that is not answered after so many turns never is. Of one whose reply a rule may
 * swallow nobody knows: a few turns without a byte are enough, since what is under way then is not
 * checked. */
enum { ROOM = 1 << 22, MOST_TURNS = 10000, QUIET_TURNS = 20 };

/* The client's side. */
static struct {
    tp_stream *stream;
    bool connected;
    bool ended;
    bool blocked;
    unsigned char *received; /* ROOM bytes */
    size_t length;
    size_t counted;
    mirror_answers answers;
} us;

/* What the input asks for, by its bytes. */
struct wanted {
    unsigned replies;
    bool rules;     /* some of them may be swallowed */
    bool too_large; /* a length that the server does not put up with */
};

static void on_room(void *context, void **bytes, size_t *length)
{
    (void)context;
    fuzz_require(us.length < ROOM, "the answers have no end");
    *bytes = us.received + us.length;
    *length = ROOM - us.length;
}

static void on_read(void *context, size_t length)
{
    (void)context;
    us.length += length;
    us.counted += mirror_count(&us.answers, us.received + us.counted, us.length - us.counted);
}

static void on_written(void *context)
{
    (void)context;
    us.blocked = false;
}

static void on_end(void *context, tp_status status)
{
    (void)context;
    (void)status;
    us.ended = true;
}

static const tp_stream_events events = {
    .room = on_room, .read = on_read, .written = on_written, .end = on_end};

static void on_connected(void *context, tp_stream *stream, tp_status status)
{
    (void)context;
    fuzz_require(status == TP_OK && tp_stream_start(stream, &events, NULL) == TP_OK,
                 "cannot connect");
    us.connected = true;
}

static tp_front_instance *front;

static void close_front(void)
{
    tpi_front_close(front);
}

/* The front listens on a socket that is named after the process, made at the first input and
 * removed at the end. */
static const char *front_address(void)
{
    static char address[64];

    if (front == NULL) {
        (void)snprintf(address, sizeof address, "unix:/tmp/troupe-fuzz-%ld", (long)getpid());
        front = mirror_open(&tp_front_player, address);
        fuzz_require(atexit(close_front) == 0, "no room for atexit");
    }
    return address;
}

static void begin(void)
{
    unsigned char *received = us.received != NULL ? us.received : malloc(ROOM);

    memset(&us, 0, sizeof us);
    us.received = received;
    fuzz_require(received != NULL && tp_stream_connect(&us.stream, mirror_loop(), front_address(),
                                                       on_connected, NULL, NULL) == TP_OK,
                 "cannot connect");
    while (us.answers.greetings == 0) {
        mirror_turn();
    }
}

static void say(const uint8_t *data, size_t size)
{
    while (size > 0 && !us.ended) {
        const tp_piece piece = {data, size};
        const long taken = us.blocked ? 0 : tp_stream_try_write(us.stream, &piece, 1);
        if (taken < 0) {
            return;
        }
        us.blocked = us.blocked || (size_t)taken < size;
        data += taken;
        size -= (size_t)taken;
        mirror_turn();
    }
}

/* Cut by the bits of `pattern`: a short or a long piece, again and again. */
static void say_in_pieces(unsigned pattern, const uint8_t *data, size_t size)
{
    for (unsigned i = 0; size > 0; i = (i + 1) % 8) {
        size_t length = (pattern >> i & 1) != 0 ? 1 + pattern % 61 : 1000;
        length = length < size ? length : size;
        say(data, length);
        data += length;
        size -= length;
    }
}

static struct wanted look_at(const uint8_t *data, size_t size)
{
    struct wanted wanted = {0};

    while (size >= TP_XDR_HEADER_SIZE && !wanted.too_large) {
        tp_msghdr header;
        tp_xdr_decode(&tp_desc_msghdr, data, TP_XDR_HEADER_SIZE, &header, sizeof header);
        wanted.too_large = header.size > TP_XDR_MAX_MESSAGE_SIZE - TP_XDR_HEADER_SIZE;
        if (size - TP_XDR_HEADER_SIZE < header.size) {
            break;
        }
        const bool to_server =
            header.addr.interf == TP_PLAYER_CODE && header.type != TP_MSGTYPE_SYNCH;
        wanted.replies += to_server || header.type == TP_MSGTYPE_REQ;
        wanted.rules =
            wanted.rules || (to_server && header.subtype == TP_PLAYER_REQ_ADD_REPLACE_RULE);
        data += TP_XDR_HEADER_SIZE + header.size;
        size -= TP_XDR_HEADER_SIZE + header.size;
    }
    return wanted;
}

static void wait_for_replies(const struct wanted *wanted)
{
    const unsigned most = wanted->rules && !wanted->too_large ? QUIET_TURNS : MOST_TURNS;
    size_t before = us.length;

    for (unsigned turn = 0;
         turn < most && !us.ended && (wanted->too_large || us.answers.replies < wanted->replies);
         turn++) {
        mirror_turn();
        turn = us.length != before ? 0 : turn;
        before = us.length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const struct wanted wanted = look_at(data + 1, size - 1);
    begin();
    say_in_pieces(data[0], data + 1, size - 1);
    wait_for_replies(&wanted);
    fuzz_require(us.ended == wanted.too_large, "the connection is not closed, or without a reason");
    fuzz_require(us.answers.replies <= wanted.replies, "too many replies");
    fuzz_require(us.ended || wanted.rules || us.answers.replies == wanted.replies,
                 "a request is not answered");
    tp_stream_close(us.stream);
    mirror_turn();
    mirror_turn();
    return 0;
}
