/* create_command.c - the commands of an emulated Create; see create.h. */
#include <string.h>

#include "emulate/create.h"

/* The robots that have a command. */
enum owner { BOTH, FIRST_ONLY, SECOND_ONLY };

/* Where the length of the data stands in it. */
enum { FIXED = 0, COUNT = -1, NOTES = -2 }; /* one byte each; two bytes each behind a number */

struct opcode {
    uint8_t code;
    enum owner owner;
    const char *name;
    int length; /* of the data, or one of the above */
    bool moves; /* works in the modes safe and full only */
    void (*run)(tpi_emu *emu, const uint8_t *data, size_t length);
};

/* ---- Modes and lines ------------------------------------------------------------------------- */

static void do_start(tpi_emu *emu, const uint8_t *data, size_t length)
{
    (void)data;
    (void)length;
    tpi_create_set_mode(emu, CREATE_PASSIVE);
}

static void do_safe(tpi_emu *emu, const uint8_t *data, size_t length)
{
    (void)data;
    (void)length;
    tpi_create_set_mode(emu, CREATE_SAFE);
}

static void do_full(tpi_emu *emu, const uint8_t *data, size_t length)
{
    (void)data;
    (void)length;
    tpi_create_set_mode(emu, CREATE_FULL);
}

static void do_stop(tpi_emu *emu, const uint8_t *data, size_t length)
{
    (void)data;
    (void)length;
    tpi_create_set_mode(emu, CREATE_OFF);
}

static void do_reset(tpi_emu *emu, const uint8_t *data, size_t length)
{
    static const char text[] = "bl-start\r\n";

    (void)data;
    (void)length;
    tpi_create_set_mode(emu, CREATE_OFF);
    tpi_emu_say(emu, text, sizeof text - 1, "starts again");
}

static void do_baud(tpi_emu *emu, const uint8_t *data, size_t length)
{
    static const unsigned speeds[] = {300,   600,   1200,  2400,  4800,  9600,
                                      14400, 19200, 28800, 38400, 57600, 115200};

    (void)length;
    if (data[0] < sizeof speeds / sizeof speeds[0]) {
        emu->baud = speeds[data[0]];
    }
}

/* ---- Actuators ------------------------------------------------------------------------------- */

static void do_drive(tpi_emu *emu, const uint8_t *data, size_t length)
{
    const double half = emu->kind->track * 1000 / 2;
    const double velocity = tpi_get_be16(data);
    const int16_t radius = tpi_get_be16(data + 2);
    double left = velocity;
    double right = velocity;

    (void)length;
    if (radius == 1 || radius == -1) {
        left = radius == 1 ? -velocity : velocity;
        right = -left;
    } else if (radius != INT16_MIN && radius != INT16_MAX && radius != 0) {
        left = velocity * (1 - half / radius);
        right = velocity * (1 + half / radius);
    }
    const double most = 500;
    left = left > most ? most : left < -most ? -most : left;
    right = right > most ? most : right < -most ? -most : right;
    tpi_create_drive(
        emu, &(struct create_drive){tpi_get_be16(data), radius, (int16_t)right, (int16_t)left});
}

static int16_t within(int value, int most)
{
    return (int16_t)(value > most ? most : value < -most ? -most : value);
}

static void do_drive_direct(tpi_emu *emu, const uint8_t *data, size_t length)
{
    (void)length;
    tpi_create_drive(emu, &(struct create_drive){.right = within(tpi_get_be16(data), 500),
                                                 .left = within(tpi_get_be16(data + 2), 500)});
}

static void do_drive_pwm(tpi_emu *emu, const uint8_t *data, size_t length)
{
    (void)length;
    tpi_create_drive(emu, &(struct create_drive){
                              .right = (int16_t)(within(tpi_get_be16(data), 255) * 500 / 255),
                              .left = (int16_t)(within(tpi_get_be16(data + 2), 255) * 500 / 255)});
}

static void do_low_side(tpi_emu *emu, const uint8_t *data, size_t length)
{
    (void)length;
    create_of(emu)->drivers = data[0];
}

static void do_outputs(tpi_emu *emu, const uint8_t *data, size_t length)
{
    (void)length;
    create_of(emu)->outputs = data[0] & 7;
}

/* The power light: from green to red, as bright as the command says. */
static void do_lights(tpi_emu *emu, const uint8_t *data, size_t length)
{
    const uint32_t red = (uint32_t)data[1] * data[2] / 255;
    const uint32_t green = (uint32_t)(255 - data[1]) * data[2] / 255;

    (void)length;
    tpi_body_lamp(&emu->body, create_of(emu)->parts.led, red << 16 | green << 8);
}

static void do_song(tpi_emu *emu, const uint8_t *data, size_t length)
{
    struct create *c = create_of(emu);

    (void)length;
    if (data[0] < (c->second ? 5 : CREATE_SONGS) && data[1] >= 1 && data[1] <= CREATE_NOTES) {
        c->songs[data[0]].count = data[1];
        memcpy(c->songs[data[0]].notes, data + 2, (size_t)data[1] * 2);
    }
}

static void do_play(tpi_emu *emu, const uint8_t *data, size_t length)
{
    (void)length;
    if (data[0] < CREATE_SONGS && emu->now_us >= create_of(emu)->song_us) {
        tpi_create_play(emu, data[0]);
    }
}

/* What the emulator has no use for: behaviour of its own, schedules, brushes. */
static void do_nothing(tpi_emu *emu, const uint8_t *data, size_t length)
{
    (void)emu;
    (void)data;
    (void)length;
}

/* ---- Sensors --------------------------------------------------------------------------------- */

static void send_packets(tpi_emu *emu, const uint8_t *ids, size_t count)
{
    uint8_t reply[UINT8_MAX * CREATE_LARGEST];
    size_t length = 0;

    for (size_t i = 0; i < count; i++) {
        length += tpi_create_put_packet(emu, ids[i], reply + length);
    }
    tpi_emu_say(emu, reply, length, "packet%s %u%s", count == 1 ? "" : "s", ids[0],
                count > 1 ? ", ..." : "");
}

static void do_sensors(tpi_emu *emu, const uint8_t *data, size_t length)
{
    send_packets(emu, data, length);
}

static void do_query_list(tpi_emu *emu, const uint8_t *data, size_t length)
{
    if (length > 1) {
        send_packets(emu, data + 1, length - 1);
    }
}

static void do_stream(tpi_emu *emu, const uint8_t *data, size_t length)
{
    struct create_stream *stream = &create_of(emu)->stream;
    const size_t count = length - 1 < CREATE_STREAM ? length - 1 : CREATE_STREAM;
    size_t size = 0;

    for (size_t i = 0; i < count; i++) {
        size += 1 + tpi_create_packet_size(create_of(emu), data[1 + i]);
    }
    if (size <= UINT8_MAX) { /* the length of a frame is a byte */
        memcpy(stream->ids, data + 1, count);
        stream->count = (uint8_t)count;
        stream->runs = count > 0;
        stream->next_us = emu->now_us + 15000;
    }
}

static void do_pause(tpi_emu *emu, const uint8_t *data, size_t length)
{
    struct create_stream *stream = &create_of(emu)->stream;

    (void)length;
    stream->runs = data[0] != 0 && stream->count > 0;
    stream->next_us = emu->now_us + 15000;
}

/* ---- Scripts --------------------------------------------------------------------------------- */

static void do_script(tpi_emu *emu, const uint8_t *data, size_t length)
{
    struct create_script *script = &create_of(emu)->script;

    if (length - 1 <= CREATE_SCRIPT) {
        script->length = (uint8_t)(length - 1);
        script->plays = false;
        memcpy(script->bytes, data + 1, script->length);
    }
}

static void do_play_script(tpi_emu *emu, const uint8_t *data, size_t length)
{
    struct create_script *script = &create_of(emu)->script;

    (void)data;
    (void)length;
    script->at = 0;
    script->plays = script->length > 0;
}

static void do_show_script(tpi_emu *emu, const uint8_t *data, size_t length)
{
    const struct create_script *script = &create_of(emu)->script;
    uint8_t reply[1 + CREATE_SCRIPT] = {script->length};

    (void)data;
    (void)length;
    memcpy(reply + 1, script->bytes, script->length);
    tpi_emu_say(emu, reply, 1U + script->length, "the script");
}

/* Its opcode stands before the data. */
static void do_wait(tpi_emu *emu, const uint8_t *data, size_t length)
{
    (void)length;
    tpi_create_begin_wait(emu, data[-1], data);
}

static const struct opcode opcodes[] = {
    {7, SECOND_ONLY, "Reset", 0, false, do_reset},
    {128, BOTH, "Start", 0, false, do_start},
    {129, BOTH, "Baud", 1, false, do_baud},
    {130, BOTH, "Control", 0, false, do_safe},
    {131, BOTH, "Safe", 0, false, do_safe},
    {132, BOTH, "Full", 0, false, do_full},
    {133, SECOND_ONLY, "Power", 0, false, do_start},
    {134, BOTH, "Spot", 0, false, do_start},
    {135, BOTH, "Cover", 0, false, do_start},
    {136, FIRST_ONLY, "Demo", 1, false, do_start},
    {136, SECOND_ONLY, "Max", 0, false, do_start},
    {137, BOTH, "Drive", 4, true, do_drive},
    {138, BOTH, "Low side drivers", 1, true, do_low_side},
    {139, BOTH, "LEDs", 3, true, do_lights},
    {140, BOTH, "Song", NOTES, false, do_song},
    {141, BOTH, "Play", 1, true, do_play},
    {142, BOTH, "Sensors", 1, false, do_sensors},
    {143, BOTH, "Dock", 0, false, do_start},
    {144, BOTH, "PWM low side drivers", 3, true, do_low_side},
    {145, BOTH, "Drive direct", 4, true, do_drive_direct},
    {146, SECOND_ONLY, "Drive PWM", 4, true, do_drive_pwm},
    {147, FIRST_ONLY, "Digital outputs", 1, true, do_outputs},
    {148, BOTH, "Stream", COUNT, false, do_stream},
    {149, BOTH, "Query list", COUNT, false, do_query_list},
    {150, BOTH, "Pause stream", 1, false, do_pause},
    {151, FIRST_ONLY, "Send IR", 1, true, do_nothing},
    {152, FIRST_ONLY, "Script", COUNT, false, do_script},
    {153, FIRST_ONLY, "Play script", 0, false, do_play_script},
    {154, FIRST_ONLY, "Show script", 0, false, do_show_script},
    {155, FIRST_ONLY, "Wait time", 1, false, do_wait},
    {156, FIRST_ONLY, "Wait distance", 2, false, do_wait},
    {157, FIRST_ONLY, "Wait angle", 2, false, do_wait},
    {158, FIRST_ONLY, "Wait event", 1, false, do_wait},
    {162, SECOND_ONLY, "Schedule LEDs", 2, true, do_nothing},
    {163, SECOND_ONLY, "Digit LEDs", 4, true, do_nothing},
    {164, SECOND_ONLY, "Digits", 4, true, do_nothing},
    {165, SECOND_ONLY, "Buttons", 1, false, do_nothing},
    {167, SECOND_ONLY, "Schedule", 15, false, do_nothing},
    {168, SECOND_ONLY, "Day and time", 3, false, do_nothing},
    {173, SECOND_ONLY, "Stop", 0, false, do_stop},
};

static const struct opcode *find_opcode(const struct create *c, uint8_t code)
{
    const enum owner other = c->second ? FIRST_ONLY : SECOND_ONLY;

    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        if (opcodes[i].code == code && opcodes[i].owner != other) {
            return &opcodes[i];
        }
    }
    return NULL;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* How long the whole command is, as far as its bytes tell. */
static size_t whole_length(const struct opcode *opcode, const uint8_t *command, size_t length)
{
    switch (opcode->length) {
    case COUNT:
        return length < 2 ? 2 : 2U + command[1];
    case NOTES:
        return length < 3 ? 3 : 3U + 2U * (command[2] & 0x7f);
    default:
        return 1U + (size_t)opcode->length;
    }
}

static void execute(tpi_emu *emu, const struct opcode *opcode)
{
    struct create *c = create_of(emu);
    const char *why = "";

    if (c->mode == CREATE_OFF && opcode->code != 128 && opcode->code != 7) {
        why = ": ignored, it is off";
    } else if (opcode->moves && c->mode == CREATE_PASSIVE) {
        why = ": ignored in passive mode";
    }
    tpi_emu_heard(emu, c->command, c->length, "%s%s", opcode->name, why);
    const size_t length = c->length;
    c->length = 0; /* before it runs: a script may follow */
    if (why[0] == '\0') {
        opcode->run(emu, c->command + 1, length - 1);
    }
}

void tpi_create_feed(tpi_emu *emu, uint8_t byte)
{
    struct create *c = create_of(emu);

    c->command[c->length++] = byte;
    const struct opcode *opcode = find_opcode(c, c->command[0]);
    if (opcode == NULL) {
        tpi_emu_heard(emu, c->command, 1, "ignored: no opcode");
        c->length = 0;
    } else if (c->length == whole_length(opcode, c->command, c->length)) {
        execute(emu, opcode);
    }
}
