/*
 * web_front_fuzz.c - any bytes as what a client of the web front sends, cut into pieces.
 *
 * The first byte says how they are cut, the second what they are: a connection from its beginning,
 * frames of a WebSocket as they are, or messages of one, each with two bytes before it: its kind
 * and its length. What comes back is whole answers of HTTP and whole frames without a mask. A
 * message `ping` behind well-formed messages is answered: the front has kept its place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include "fuzz.h"
#include "mirror.h"
#include "web/frame.h"

extern const tp_front tp_front_web;

enum { TURNS = 400, SOCKET = 1, MESSAGES = 2, STOP = 4, TICK_NS = 100000000 };

static const caller *us;

static void say(const char *text)
{
    caller_say((const uint8_t *)text, strlen(text));
}

static void upgrade(bool stop)
{
    say(stop ? "GET /stop HTTP/1.1\r\nSec-WebSocket-Protocol: troupe.stop.v1\r\n"
             : "GET /ws?brief=1 HTTP/1.1\r\nSec-WebSocket-Protocol: foxglove.websocket.v1\r\n");
    say("Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
}

/* A message in a frame, with a mask that changes nothing. */
static void say_message(unsigned opcode, const uint8_t *bytes, size_t length)
{
    uint8_t head[TPI_FRAME_HEAD + 4] = {0};
    const size_t size = tpi_frame_begin(head, opcode, length);

    head[1] |= 0x80;
    memset(head + size, 0, 4);
    caller_say(head, size + 4);
    caller_say(bytes, length);
}

static void say_messages(const uint8_t *data, size_t size)
{
    while (size >= 2 && !us->ended) {
        const size_t length = data[1] < size - 2 ? data[1] : size - 2;

        say_message(data[0] % 2 == 0 ? TPI_FRAME_TEXT : TPI_FRAME_BINARY, data + 2, length);
        data += 2 + length;
        size -= 2 + length;
    }
}

/* The first of what came: an answer of HTTP or a frame; its length, 0 if it is not whole. */
static size_t next(const unsigned char *bytes, size_t length)
{
    char head[4096];
    size_t body = 0;

    if (length < 4 || memcmp(bytes, "HTTP", 4) != 0) {
        const uint64_t whole = tpi_frame_length(bytes, length);

        fuzz_require(length < 2 || (bytes[1] & 0x80) == 0, "a frame of the server has a mask");
        fuzz_require(length < 1 || (bytes[0] & 0xf0) == 0x80, "a frame that is not whole");
        return whole > 0 && whole <= length ? (size_t)whole : 0;
    }
    const size_t looked = length < sizeof head - 1 ? length : sizeof head - 1;
    memcpy(head, bytes, looked);
    head[looked] = '\0';
    const char *end = strstr(head, "\r\n\r\n");
    const char *said = strstr(head, "Content-Length: ");
    if (end == NULL) {
        return 0;
    }
    if (said != NULL && said < end) {
        body = (size_t)strtoul(said + strlen("Content-Length: "), NULL, 10);
    }
    const size_t whole = (size_t)(end - head) + 4 + body;
    return whole <= length ? whole : 0;
}

static bool has(const char *text)
{
    const size_t length = strlen(text);

    for (size_t i = 0; i + length <= us->length; i++) {
        if (memcmp(us->received + i, text, length) == 0) {
            return true;
        }
    }
    return false;
}

static void check(void)
{
    size_t at = 0, taken;

    while ((taken = next(us->received + at, us->length - at)) > 0) {
        at += taken;
    }
    fuzz_require(us->ended || at == us->length, "a part of an answer");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned kind = size >= 2 ? data[1] : 0;
    const bool socket = (kind & SOCKET) != 0;

    if (size < 2) {
        return 0;
    }
    us = caller_connect(&tp_front_web);
    if (socket) {
        upgrade((kind & STOP) != 0);
    }
    if (socket && (kind & MESSAGES) != 0) {
        say_messages(data + 2, size - 2);
        say_message(TPI_FRAME_TEXT, (const uint8_t *)"{\"op\":\"ping\"}", 13);
    } else {
        caller_say_in_pieces(data[0], data + 2, size - 2);
    }
    for (int i = 0; i < TURNS && !us->ended; i++) {
        mirror_turn();
        if (i % 40 == 39) {
            mirror_move_clock(TICK_NS);
        }
    }
    check();
    if (socket && (kind & MESSAGES) != 0 && !us->ended) {
        fuzz_require(has("{\"op\":\"pong\"}"), "the front has lost its place");
    }
    caller_close();
    return 0;
}
