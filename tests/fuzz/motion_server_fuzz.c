/* motion_server_fuzz.c - whatever a motion server says, its client stays whole. */
#include <stdlib.h>
#include <string.h>

#include "client/motion/encode.h"
#include "client/motion/greet.h"
#include "client/motion/returns.h"
#include "fuzz.h"

struct client {
    tpi_talk talk;
    tpi_greet greet;
    tpi_returns returns;
    tp_status status;
    int64_t now_ns;
};

static void take(void *context, const tpi_motion_record *record)
{
    struct client *c = context;
    size_t bytes = 0;

    c->now_ns += 1000000;
    if (c->status == TP_PENDING) {
        c->status = tpi_greet_take(&c->greet, &c->talk, record, c->now_ns, NULL);
        if (c->status == TP_OK) {
            fuzz_require(tpi_robot_check(c->greet.robot, NULL) == TP_OK, "a robot that is none");
        }
        c->talk.ended = c->status < 0;
        return;
    }
    (void)tpi_greet_synced(&c->greet, record, c->now_ns);
    tp_motion_reply *reply = tpi_decode(record, c->now_ns, &bytes);
    if (reply != NULL) {
        tpi_returns_add_take(&c->returns, reply, bytes);
    }
}

/* A whole conversation, read in pieces. */
static void play(const uint8_t *data, size_t size, size_t piece)
{
    static struct client c;
    tp_status status = TP_OK;

    memset(&c, 0, sizeof c);
    c.status = TP_PENDING;
    fuzz_require(tpi_greet_begin(&c.greet, &c.talk, 0, NULL) == TP_OK, "no memory");
    for (size_t at = 0; at < size && status == TP_OK && !c.talk.ended; at += piece) {
        const size_t length = size - at < piece ? size - at : piece;
        size_t room = 0;
        uint8_t *place = tpi_talk_room(&c.talk, &room);

        fuzz_require(place != NULL && room >= length, "no room");
        memcpy(place, data + at, length);
        status = tpi_talk_came(&c.talk, length, take, &c, NULL);
    }
    const int64_t first = tpi_sync_read(&c.greet.sync, c.now_ns);
    fuzz_require(tpi_sync_read(&c.greet.sync, c.now_ns + 1000) >= first, "a clock that goes back");
    tpi_returns_fini(&c.returns);
    tpi_greet_fini(&c.greet);
    tpi_talk_fini(&c.talk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0) {
        play(data + 1, size - 1, 1 + (size_t)data[0] * 16);
    }
    return 0;
}
