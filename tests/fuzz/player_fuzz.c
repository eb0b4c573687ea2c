/*
 * player_fuzz.c - any bytes as what a client of the Player front sends, cut into pieces.
 *
 * The first byte says how they are cut. What comes back is a greeting and whole messages: one reply
 * for each request, unless a rule of the client's own swallows them; or the server closes the
 * connection, and then a length was too large.
 */
#include "caller.h"
#include "fronts/player/player.h"
#include "fuzz.h"
#include "mirror.h"
#include "troupe/interfaces/player.h"

/* A request that is not answered after so many turns never is. Of one whose reply a rule may
 * swallow nobody knows: a few turns without a byte are enough, since what is under way then is not
 * checked. */
enum { MOST_TURNS = 10000, QUIET_TURNS = 20 };

static const caller *us;
static size_t counted; /* bytes of whole messages */
static mirror_answers answers;

/* What the input asks for, by its bytes. */
struct wanted {
    unsigned replies;
    bool rules;     /* some of them may be swallowed */
    bool too_large; /* a length that the server does not put up with */
};

static void count(void)
{
    counted += mirror_count(&answers, us->received + counted, us->length - counted);
}

static void begin(void)
{
    us = caller_connect(&tp_front_player);
    counted = 0;
    answers = (mirror_answers){0};
    while (answers.greetings == 0) {
        mirror_turn();
        count();
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
    size_t before = us->length;

    count();
    for (unsigned turn = 0;
         turn < most && !us->ended && (wanted->too_large || answers.replies < wanted->replies);
         turn++) {
        mirror_turn();
        count();
        turn = us->length != before ? 0 : turn;
        before = us->length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const struct wanted wanted = look_at(data + 1, size - 1);
    begin();
    caller_say_in_pieces(data[0], data + 1, size - 1);
    wait_for_replies(&wanted);
    fuzz_require(us->ended == wanted.too_large,
                 "the connection is not closed, or without a reason");
    fuzz_require(answers.replies <= wanted.replies, "too many replies");
    fuzz_require(us->ended || wanted.rules || answers.replies == wanted.replies,
                 "a request is not answered");
    caller_close();
    return 0;
}
