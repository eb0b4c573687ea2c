/*
 * nxt_bus.c - digital sensors of an NXT: transactions on the I2C lines of a port.
 *
 * A transaction takes a millisecond for each byte; until then it is pending. The ultrasonic sensor
 * is the only one, at address 02. Nobody answers at other addresses, and the bus reports an error.
 */
#include <math.h>
#include <string.h>

#include "emulate/nxt.h"

enum { TYPE_LOWSPEED = 0x0a, TYPE_LOWSPEED_9V = 0x0b };
enum {
    ADDRESS = 0x02,
    REGISTER_VARIABLE = 0x40, /* constants are below */
    REGISTER_COMMAND = 0x41,
    REGISTER_FIRST = 0x42,
    REGISTER_LAST = 0x49
};
enum { SONAR_OFF = 0, SONAR_SINGLE = 1, SONAR_CONTINUOUS = 2, SONAR_RESET = 4 };
enum { MOST = 16, NOTHING = 255 };

/* ---- The ultrasonic sensor ------------------------------------------------------------------- */

static uint8_t measure(tpi_emu *emu)
{
    const double centimetres = tpi_body_range(&emu->body, nxt_of(emu)->parts.sonar, 0) * 100;

    return centimetres < NOTHING ? (uint8_t)lround(centimetres) : NOTHING;
}

/* What it is: constants, each under a register of its own, however many bytes they have. */
static uint8_t constant(uint8_t at, size_t index)
{
    static const struct {
        uint8_t at;
        char text[8];
    } constants[] = {{0x00, "V1.0"}, {0x08, "LEGO"}, {0x10, "Sonar"},
                     {0x12, "\x01"}, {0x13, "\x0e"}, {0x14, "10E-2m"}};

    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (constants[i].at == at && index < sizeof constants[i].text) {
            return (uint8_t)constants[i].text[index];
        }
    }
    return 0;
}

static uint8_t read_register(tpi_emu *emu, struct nxt_bus *bus, uint8_t at)
{
    if (at == REGISTER_COMMAND) {
        return bus->command;
    }
    if (at == REGISTER_FIRST && bus->command == SONAR_CONTINUOUS) {
        bus->distance = measure(emu);
    }
    if (at == REGISTER_FIRST) {
        return bus->distance;
    }
    return at > REGISTER_FIRST && at <= REGISTER_LAST ? NOTHING : 0;
}

static void write_register(tpi_emu *emu, struct nxt_bus *bus, uint8_t at, uint8_t value)
{
    if (at != REGISTER_COMMAND) {
        return;
    }
    bus->command = value == SONAR_RESET ? SONAR_CONTINUOUS : value;
    if (value == SONAR_SINGLE) {
        bus->distance = measure(emu);
    }
}

/* ---- Transactions ---------------------------------------------------------------------------- */

static bool is_digital(const struct nxt_port *port)
{
    return port->type == TYPE_LOWSPEED || port->type == TYPE_LOWSPEED_9V;
}

/* Whether it is under way. On the links of a real robot a question takes a millisecond at least,
 * and hosts ask without a pause, so each question counts as one. */
static bool is_pending(const tpi_emu *emu, struct nxt_port *port)
{
    const bool pending = emu->now_us < port->bus.ready_us;

    port->bus.ready_us -= pending ? 1000 : 0;
    return pending;
}

static void transact(tpi_emu *emu, struct nxt_port *port, const uint8_t *sent, size_t sent_length,
                     size_t wanted)
{
    struct nxt_bus *bus = &port->bus;

    bus->ready_us = emu->now_us + (int64_t)(sent_length + wanted) * 1000;
    bus->count = 0;
    memset(bus->bytes, 0, sizeof bus->bytes);
    if (sent_length == 0 || sent[0] != ADDRESS || port->plug != NXT_ULTRASONIC) {
        bus->status = NXT_BUS_ERROR;
        return;
    }
    bus->status = NXT_OK;
    for (size_t i = 2; i < sent_length; i++) {
        write_register(emu, bus, (uint8_t)(sent[1] + i - 2), sent[i]);
    }
    for (size_t i = 0; i < wanted && sent_length > 1; i++) {
        bus->bytes[i] = sent[1] < REGISTER_VARIABLE
                            ? constant(sent[1], i)
                            : read_register(emu, bus, (uint8_t)(sent[1] + i));
        bus->count++;
    }
}

static uint8_t write_bus(tpi_emu *emu, struct nxt_call *call)
{
    const size_t length = call->data[1];
    const size_t wanted = call->data[2];

    if (call->data[0] >= NXT_PORTS) {
        return NXT_RANGE;
    }
    struct nxt_port *port = &nxt_of(emu)->ports[call->data[0]];
    if (!is_digital(port)) {
        return NXT_NOT_CONFIGURED;
    }
    if (length > MOST || wanted > MOST || length > call->length - 3) {
        return NXT_ILLEGAL_SIZE;
    }
    if (is_pending(emu, port)) {
        return NXT_PENDING;
    }
    transact(emu, port, call->data + 3, length, wanted);
    return NXT_OK;
}

static uint8_t get_bus_status(tpi_emu *emu, struct nxt_call *call)
{
    if (call->data[0] >= NXT_PORTS) {
        return NXT_RANGE;
    }
    struct nxt_port *port = &nxt_of(emu)->ports[call->data[0]];
    call->reply_length = 1;
    if (!is_digital(port)) {
        return NXT_NOT_CONFIGURED;
    }
    if (is_pending(emu, port)) {
        return NXT_PENDING;
    }
    call->reply[0] = port->bus.count;
    return port->bus.status;
}

static uint8_t read_bus(tpi_emu *emu, struct nxt_call *call)
{
    if (call->data[0] >= NXT_PORTS) {
        return NXT_RANGE;
    }
    struct nxt_port *port = &nxt_of(emu)->ports[call->data[0]];
    call->reply_length = 1 + MOST;
    if (!is_digital(port)) {
        return NXT_NOT_CONFIGURED;
    }
    if (is_pending(emu, port)) {
        return NXT_PENDING;
    }
    call->reply[0] = port->bus.count;
    memcpy(call->reply + 1, port->bus.bytes, port->bus.count);
    port->bus.count = 0;
    return port->bus.status;
}

const struct nxt_command tpi_nxt_bus_commands[] = {
    {0x0e, "LSGETSTATUS", 1, get_bus_status},
    {0x0f, "LSWRITE", 3, write_bus},
    {0x10, "LSREAD", 1, read_bus},
    {0},
};
