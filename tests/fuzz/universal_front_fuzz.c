/*
 * universal_front_fuzz.c - any bytes as what a client of the universal front sends, cut into
 * pieces.
 *
 * The first byte says how they are cut. A NoOp that waits is sent behind them, after as many bytes
 * as the last packet lacks. What comes back is whole replies. Every packet that waits is answered
 * once and in order, and so is the last one: the front has kept its place in the stream. A packet
 * with PANIC raises one, and nothing else does. The connection is closed only if a packet is too
 * long.
 */
#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include "device/hub.h"
#include "fuzz.h"
#include "mirror.h"
#include "troupe/driver.h"
#include "troupe/interfaces/universal.h"
#include "universal/packet.h"

extern const tp_front tp_front_universal;

enum {
    MOST_TURNS = 20000,
    TURN_NS = 100000,
    LENGTH_SIZE = 4,
    LONGEST_SURE = 4096, /* packets beyond this may be too long */
};

/* ---- A robot that answers every order -------------------------------------------------------- */

static char nothing[1];

/* A number, or bytes for commands that read some. */
static tp_status answer_it(tp_device *device, const tp_universal_order *ask,
                           tp_universal_outcome *answer, tp_error *err)
{
    static uint8_t bytes[] = {0xff, 0xd8, 1, 2};
    static tp_universal_value result;

    (void)device;
    (void)err;
    result = (tp_universal_value){.number = ask->id};
    if (ask->command == tpi_dictionary_entry(TPI_READ_BUFFER)->code) {
        result = (tp_universal_value){.is_text = 1, .text_count = sizeof bytes, .text = bytes};
    }
    *answer = (tp_universal_outcome){.fault = ask->id % 5 == 4 ? TP_UNIVERSAL_NO_MATCH
                                                               : TP_UNIVERSAL_DONE,
                                     .text_count = 1,
                                     .text = nothing,
                                     .trace_count = 1,
                                     .trace = nothing,
                                     .results_count = 1,
                                     .results = &result};
    return TP_OK;
}

static tp_status describe(tp_device *device, tp_universal_robot *answer, tp_error *err)
{
    static char name[] = "echo";
    static uint8_t file[] = {'<', '>'};

    (void)device;
    (void)err;
    *answer = (tp_universal_robot){1, sizeof name, name, sizeof name, name, sizeof file, file};
    return TP_OK;
}

static tp_status list_parts(tp_device *device, tp_universal_parts *answer, tp_error *err)
{
    (void)device;
    (void)err;
    *answer = (tp_universal_parts){.revision = 1};
    return TP_OK;
}

/* Devices with an even number fit. */
static tp_status match(tp_device *device, const tp_universal_program *ask,
                       tp_universal_matches *answer, tp_error *err)
{
    static tp_universal_match matches[TP_UNIVERSAL_MOST_DEVICES];

    (void)device;
    fuzz_require(ask->devices_count <= TP_UNIVERSAL_MOST_DEVICES, "too many devices");
    for (uint32_t i = 0; i < ask->devices_count; i++) {
        fuzz_require(memchr(ask->devices[i].classes, 0, ask->devices[i].classes_count) != NULL,
                     "classes without an end");
        matches[i] = (tp_universal_match){.part = ask->devices[i].id % 2 == 0 ? (int)i : -1,
                                          .moves = ask->devices[i].id % 4 == 0,
                                          .explanation_count = 1,
                                          .explanation = nothing};
    }
    (void)err;
    *answer = (tp_universal_matches){1, ask->devices_count, matches};
    return TP_OK;
}

static tp_status init(tp_instance *self, tp_error *err)
{
    static const tp_universal_ops ops = {.req_describe = describe,
                                         .req_parts = list_parts,
                                         .req_match = match,
                                         .req_look = answer_it,
                                         .req_run = answer_it,
                                         .req_move = answer_it};

    return tp_offer(self, &tp_interface_universal, NULL, &ops, NULL, NULL, err);
}

static void halt(tp_device *device, tp_halt how)
{
    (void)device;
    (void)how;
}

static const tp_driver_ops echo_ops = {.init = init, .halt = halt};
static const tp_driver echo = {.abi = TP_DRIVER_ABI,
                               .name = "echo",
                               .summary = "answers every order",
                               .ops = &echo_ops,
                               .flags = TP_DRIVER_ON_LOOP};

/* ---- What is said ---------------------------------------------------------------------------- */

/* What the input asks for, by its bytes. */
struct wanted {
    unsigned replies;
    bool panics, streams;
    bool is_long; /* a packet that may be too long: nothing behind it is sure */
    size_t lacks; /* bytes of the last packet */
};

/* A panic is one by its command and its function, whatever its lengths are. */
static bool is_panic(const uint8_t *bytes, size_t length)
{
    const size_t command = length > 0 && bytes[0] == 1 ? 5 : 1;
    const size_t function = command + 2 + LENGTH_SIZE;

    return length > function && bytes[command] == 0x50 && bytes[command + 1] == 0 &&
           bytes[function] == TPI_PACKET_PANIC;
}

static void look_at_packet(struct wanted *wanted, const uint8_t *bytes, size_t length)
{
    char why[256];
    tpi_packet packet;
    const tpi_fault fault = tpi_packet_read(&packet, bytes, length, why, sizeof why);
    const bool extends = fault == TPI_FAULT_NONE && packet.command == TPI_EXTENDED &&
                         packet.count > 0 && packet.values[0].length > 0;

    wanted->replies += packet.waits;
    wanted->panics = wanted->panics || is_panic(bytes, length);
    wanted->streams = wanted->streams || (extends && packet.values[0].text[0] == TPI_PACKET_STREAM);
}

static struct wanted look_at(const uint8_t *data, size_t size)
{
    struct wanted wanted = {0};
    size_t at = 0;

    while (size - at >= LENGTH_SIZE && !wanted.is_long && wanted.lacks == 0) {
        tpi_packet_rest rest = {data + at, LENGTH_SIZE};
        uint32_t length = 0;

        (void)tpi_packet_take_u32(&rest, &length);
        at += LENGTH_SIZE;
        if (length > LONGEST_SURE) {
            wanted.is_long = true;
        } else if (length > size - at) {
            wanted.lacks = length - (size - at);
        } else {
            look_at_packet(&wanted, data + at, length);
            at += length;
        }
    }
    if (!wanted.is_long && wanted.lacks == 0 && size > at) {
        wanted.lacks = LENGTH_SIZE - (size - at); /* of a length, whose last bytes are 0 */
    }
    return wanted;
}

/* The bytes that end the last packet are 0; what is wanted then. A length may lack bytes, and the
 * packet behind it as well. */
static size_t complete(const uint8_t *data, size_t size, struct wanted *wanted)
{
    uint8_t *all = calloc(1, size + 2 * (LENGTH_SIZE + LONGEST_SURE));
    size_t rest = 0;

    fuzz_require(all != NULL, "no memory");
    memcpy(all, data, size);
    *wanted = look_at(all, size);
    while (wanted->lacks > 0) {
        rest += wanted->lacks;
        *wanted = look_at(all, size + rest);
    }
    free(all);
    return rest;
}

/* ---- What comes back ------------------------------------------------------------------------- */

static const caller *us;
static size_t counted;
static unsigned replies;

static void count(void)
{
    while (us->length - counted >= LENGTH_SIZE) {
        tpi_packet_rest rest = {us->received + counted, us->length - counted};
        uint32_t length = 0;
        uint8_t status = 0;

        (void)tpi_packet_take_u32(&rest, &length);
        if (rest.length < length) {
            return;
        }
        fuzz_require(tpi_packet_take_u8(&rest, &status) && length >= 1 &&
                         status <= TPI_PACKET_EARLIER,
                     "a reply that is none");
        replies++;
        counted += LENGTH_SIZE + (size_t)length;
    }
}

static void turn(void)
{
    mirror_move_clock(TURN_NS);
    mirror_turn();
    count();
}

static uint32_t panic_epoch(bool *on)
{
    tp_panic_state *state = NULL;

    fuzz_require(tp_hub_panic(mirror_hub(), &state) == TP_OK, "no state of the panic");
    const uint32_t epoch = state->epoch;
    *on = state->active != 0;
    free(state);
    return epoch;
}

/* A panic of the input before is over. */
static void begin(void)
{
    bool on;
    const uint32_t epoch = panic_epoch(&on);

    fuzz_require(!on || tpi_hub_reset_panic(mirror_hub(), epoch, "fuzz"), "the panic is not over");
    us = caller_connect(&tp_front_universal);
    counted = replies = 0;
}

/* Say the rest of the last packet and a NoOp, and wait for the replies. */
static void say_last(size_t rest, struct wanted *wanted)
{
    static const uint8_t zeros[2 * (LENGTH_SIZE + LONGEST_SURE)];
    const tpi_packet no_op = {.waits = true, .command = TPI_NO_OP};
    tpi_buf last = {0};

    tpi_packet_put(&last, &no_op);
    caller_say(zeros, rest);
    caller_say((const uint8_t *)last.data, last.length);
    tpi_buf_fini(&last);
    wanted->replies++;
    for (int i = 0; i < MOST_TURNS && !us->ended && replies < wanted->replies; i++) {
        turn();
    }
    fuzz_require(!us->ended, "closed without a reason");
    fuzz_require(replies >= wanted->replies, "a packet is not answered");
    fuzz_require(wanted->streams || replies == wanted->replies, "a packet is answered twice");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool made;
    struct wanted wanted;
    bool on;

    if (!made) {
        made = true;
        mirror_add(&echo, "driver ( name \"echo\" provides [ \"universal:0\" ] )");
    }
    if (size == 0) {
        return 0;
    }
    const size_t rest = complete(data + 1, size - 1, &wanted);
    begin();
    const uint32_t before = panic_epoch(&on);
    caller_say_in_pieces(data[0], data + 1, size - 1);
    if (!wanted.is_long) {
        say_last(rest, &wanted);
    }
    turn();
    if (!wanted.is_long) {
        fuzz_require((panic_epoch(&on) != before) == wanted.panics, "a panic too many, or none");
    }
    caller_close();
    return 0;
}
