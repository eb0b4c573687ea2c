/*
 * nxt.c - an emulated LEGO NXT: telegrams on a Bluetooth line; see nxt.h.
 *
 * Sensors are plugged into its ports as LEGO's instructions say: touch, sound, light, ultrasonic.
 * B and C turn the wheels, left and right.
 *
 * Not emulated: the bytecode of programs, stepper ramps of the firmware's regulation, and the
 * commands of enhanced firmwares.
 */
#include "emulate/nxt.h"

#include <string.h>

enum { DIRECT = 0x00, SYSTEM = 0x01, REPLY = 0x02, NO_REPLY = 0x80 };

static const int64_t sleep_us = INT64_C(600000000);
static const int64_t gap_us = 1000000; /* a telegram that stops this long is forgotten */

/* ---- Commands -------------------------------------------------------------------------------- */

static const struct nxt_command *find_in(const struct nxt_command *commands, uint8_t code)
{
    for (; commands->name != NULL; commands++) {
        if (commands->code == code) {
            return commands;
        }
    }
    return NULL;
}

static const struct nxt_command *find_command(uint8_t type, uint8_t code)
{
    const struct nxt_command *const direct[] = {tpi_nxt_box_commands, tpi_nxt_motor_commands,
                                                tpi_nxt_port_commands, tpi_nxt_bus_commands};
    const struct nxt_command *const system[] = {tpi_nxt_disk_commands, tpi_nxt_module_commands};
    const bool is_system = type == SYSTEM;
    const size_t count =
        is_system ? sizeof system / sizeof system[0] : sizeof direct / sizeof direct[0];
    const struct nxt_command *found = NULL;

    for (size_t i = 0; i < count && found == NULL; i++) {
        found = find_in(is_system ? system[i] : direct[i], code);
    }
    return found;
}

/* A telegram without its length, which is in front of it: a type, an opcode, data. */
static void answer(tpi_emu *emu, const uint8_t *telegram, size_t length)
{
    uint8_t reply[2 + 3 + NXT_REPLY] = {0};
    const uint8_t type = telegram[0] & (uint8_t)~NO_REPLY;
    struct nxt_call call = {.data = telegram + 2, .length = length - 2, .reply = reply + 5};
    const struct nxt_command *command = find_command(type, telegram[1]);
    const char *name = command == NULL ? "unknown opcode" : command->name;
    uint8_t status = NXT_UNKNOWN;

    tpi_emu_heard(emu, telegram - 2, length + 2, "%s%s", name, type == SYSTEM ? " (system)" : "");
    if (command == NULL) {
        call.reply_length = type == SYSTEM ? 1 : 0; /* as the real firmware does */
    } else {
        status = call.length < command->least ? NXT_INSANE : command->run(emu, &call);
    }
    if ((telegram[0] & NO_REPLY) != 0) {
        return;
    }
    tpi_put_le16(reply, (uint32_t)call.reply_length + 3);
    reply[2] = REPLY;
    reply[3] = telegram[1];
    reply[4] = status;
    tpi_emu_say(emu, reply, 5 + call.reply_length, "%s: status %02x", name, status);
}

static void take_telegram(tpi_emu *emu, const uint8_t *telegram, size_t length)
{
    const uint8_t type = length > 0 ? telegram[0] & (uint8_t)~NO_REPLY : REPLY;

    if (nxt_of(emu)->asleep) {
        tpi_emu_heard(emu, telegram - 2, length + 2, "ignored: it has switched itself off");
    } else if (length < 2 || (type != DIRECT && type != SYSTEM)) {
        tpi_emu_heard(emu, telegram - 2, length + 2, "ignored: no command");
    } else {
        answer(emu, telegram, length);
    }
}

/* ---- The line -------------------------------------------------------------------------------- */

/* Whole telegrams at the beginning of the input; what is behind them stays. */
static void take_telegrams(tpi_emu *emu)
{
    struct nxt *nxt = nxt_of(emu);

    while (nxt->input_length >= 2) {
        const size_t length = tpi_get_le16(nxt->input);
        if (length > NXT_TELEGRAM) {
            tpi_emu_heard(emu, nxt->input, nxt->input_length, "dropped: no telegram is so long");
            nxt->input_length = 0;
            return;
        }
        if (nxt->input_length < 2 + length) {
            return;
        }
        take_telegram(emu, nxt->input + 2, length);
        nxt->input_length -= 2 + length;
        memmove(nxt->input, nxt->input + 2 + length, nxt->input_length);
    }
}

static void nxt_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    struct nxt *nxt = nxt_of(emu);

    if (emu->now_us - nxt->input_us > gap_us) {
        nxt->input_length = 0;
    }
    nxt->input_us = emu->now_us;
    while (length > 0) {
        const size_t room = sizeof nxt->input - nxt->input_length;
        const size_t taken = length < room ? length : room;
        memcpy(nxt->input + nxt->input_length, bytes, taken);
        nxt->input_length += taken;
        bytes += taken;
        length -= taken;
        take_telegrams(emu);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status nxt_start(tpi_emu *emu, tp_error *err)
{
    static const enum nxt_plug usual[NXT_PORTS] = {NXT_TOUCH, NXT_SOUND, NXT_LIGHT, NXT_ULTRASONIC};
    struct nxt *nxt = nxt_of(emu);
    const struct tpi_emu_part parts[] = {
        {&nxt->parts.touch, "touch"},      {&nxt->parts.sound, "sound"},
        {&nxt->parts.light, "light"},      {&nxt->parts.line, "line"},
        {&nxt->parts.sonar, "ultrasonic"}, {&nxt->parts.speaker, "speaker"},
        {&nxt->parts.buttons[0], "exit"},  {&nxt->parts.buttons[1], "right"},
        {&nxt->parts.buttons[2], "left"},  {&nxt->parts.buttons[3], "enter"}};

    for (unsigned i = 0; i < NXT_PORTS; i++) {
        nxt->ports[i].plug = usual[i];
    }
    return tpi_emu_find_parts(emu, parts, sizeof parts / sizeof parts[0], err);
}

static tp_status nxt_wire(tpi_emu *emu, const char *slot, const char *part, tp_error *err)
{
    static const char *const names[] = {
        [NXT_EMPTY] = "none",  [NXT_TOUCH] = "touch",           [NXT_SOUND] = "sound",
        [NXT_LIGHT] = "light", [NXT_ULTRASONIC] = "ultrasonic", [NXT_COLOUR] = "colour"};

    if (slot[0] < '1' || slot[0] > '0' + NXT_PORTS || slot[1] != '\0') {
        return tpi_emu_no_slot(slot, "1 to 4", err);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], part) == 0) {
            nxt_of(emu)->ports[slot[0] - '1'].plug = (enum nxt_plug)i;
            return TP_OK;
        }
    }
    return tpi_emu_no_part(part, "touch, sound, light, ultrasonic, colour, none", err);
}

static void nxt_reset(tpi_emu *emu)
{
    struct nxt *nxt = nxt_of(emu);

    memcpy(nxt->brick_name, "NXT", 4);
    nxt->awake_us = emu->now_us;
    for (unsigned i = 0; i < NXT_PORTS; i++) {
        nxt->ports[i].bus.command = 2; /* the ultrasonic sensor measures all the time */
    }
}

static void nxt_tick(tpi_emu *emu)
{
    struct nxt *nxt = nxt_of(emu);

    if (!nxt->asleep && emu->now_us - nxt->awake_us >= sleep_us) {
        nxt->asleep = true;
        tpi_nxt_motors_stop(emu);
        tpi_emu_heard(emu, NULL, 0, "no KEEPALIVE for 600 s: it switches itself off");
    }
    tpi_nxt_motors_tick(emu);
    tpi_nxt_ports_tick(emu);
    tpi_nxt_buttons_tick(emu);
}

const tpi_emu_kind tpi_emu_nxt = {
    .name = "nxt",
    .summary = "LEGO NXT: telegrams on a Bluetooth serial line",
    .file = "robots/nxt.inc",
    .macro = "nxt",
    .radius = 0.15,
    .track = 0.112,
    .state_size = sizeof(struct nxt),
    .start = nxt_start,
    .wire = nxt_wire,
    .reset = nxt_reset,
    .input = nxt_input,
    .tick = nxt_tick,
};
