/*
 * udp_fuzz.c - any datagrams for the Player front, from two sources.
 *
 * Each begins with a byte: its length, with the top bit for the source; 127 is not a datagram but
 * time that passes. What comes back are greetings and whole messages, one in each datagram, and
 * nothing before a greeting.
 */
#include <stdio.h>
#include <string.h>

#include "fronts/player/player.h"
#include "fuzz.h"
#include "mirror.h"
#include "troupe/datagram.h"

enum { TIME_PASSES = 127 };

static struct source {
    tp_datagram *datagram;
    mirror_answers answers;
} sources[2];

static tp_peer server;
static tp_front_instance *front;

static void receive(void *context, const tp_peer *from, const void *bytes, size_t length)
{
    struct source *source = context;

    (void)from;
    fuzz_require(mirror_count(&source->answers, bytes, length) == length, "half a message");
    fuzz_require(source->answers.greetings > 0, "an answer to somebody who was not greeted");
}

static void begin(void)
{
    char address[64];
    tp_error err = {0};

    if (sources[0].datagram == NULL) {
        for (unsigned i = 0; i < 2; i++) {
            fuzz_require(tp_datagram_open(&sources[i].datagram, mirror_loop(), "udp:127.0.0.1:0",
                                          receive, &sources[i], &err) == TP_OK,
                         "no socket");
        }
    }
    sources[0].answers = sources[1].answers = (mirror_answers){0};
    front = mirror_open(&tp_front_player, "udp:127.0.0.1:0");
    (void)snprintf(address, sizeof address, "udp:127.0.0.1:%u", tpi_front_port(front));
    fuzz_require(tp_peer_parse(&server, address, &err) == TP_OK, "no address");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    while (size > 0) {
        struct source *source = &sources[data[0] >> 7];
        size_t length = data[0] & 127;
        data++;
        size--;
        if (length == TIME_PASSES) {
            mirror_move_clock(31 * TP_NS_PER_S);
        } else {
            length = length < size ? length : size;
            tp_datagram_send(source->datagram, &server, data, length);
            data += length;
            size -= length;
        }
        mirror_turn();
    }
    mirror_turn();
    fuzz_require(tp_player_front_clients(front) <= 2, "more clients than sources");
    tpi_front_close(front);
    mirror_turn(); /* what came last is for a front that is gone */
    return 0;
}
