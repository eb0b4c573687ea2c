/*
 * sick.c - an emulated SICK LMS 200: a scanner on a serial line, on a body that stands.
 *
 * A telegram is 02, an address, a length, a command, data and a sum. Each one that is understood
 * is acknowledged with 06, a damaged one with 15; then the answer follows, with the command's
 * highest bit set and a status at its end. A new speed holds after the answer. Scans are sent as
 * fast as the line takes them.
 *
 * Not emulated: fields, calibration, parts of scans (the mode 27), several echoes.
 */
#include <math.h>
#include <string.h>

#include "emulate/robot.h"

enum { RAYS = 721, SETTINGS = 34, MOST_BODY = 820, STATUS = 0x10 };

struct scanner {
    tpi_sim_model beam;
    uint8_t bytes[MOST_BODY + 6];
    size_t length;
    bool installs; /* the password was said */
    bool streams;
    unsigned angle;             /* degrees */
    unsigned step;              /* hundredths */
    uint8_t settings[SETTINGS]; /* the seventh is the unit: 0 for cm, 1 for mm */
    int64_t next_us;
    unsigned next_baud; /* when the answer has gone out; 0 for none */
};

static struct scanner *scanner_of(tpi_emu *emu)
{
    return emu->state;
}

/* ---- Telegrams ------------------------------------------------------------------------------- */

static uint16_t crc(const uint8_t *bytes, size_t length)
{
    uint16_t value = 0;
    uint8_t low = 0;
    uint8_t high;

    for (; length > 0; length--, bytes++) {
        high = low;
        low = *bytes;
        const bool carry = (value & 0x8000) != 0;
        value = (uint16_t)(value << 1);
        value = (uint16_t)(carry ? value ^ 0x8005 : value);
        value = (uint16_t)(value ^ (low | high << 8));
    }
    return value;
}

/* Answer: the body without its status. */
static void answer(tpi_emu *emu, const uint8_t *body, size_t length, const char *meaning)
{
    uint8_t out[MOST_BODY + 7];

    out[0] = 0x02;
    out[1] = 0x80;
    tpi_put_le16(out + 2, (uint32_t)length + 1);
    memcpy(out + 4, body, length);
    out[4 + length] = STATUS;
    tpi_put_le16(out + 5 + length, crc(out, 5 + length));
    tpi_emu_say(emu, out, length + 7, "%s", meaning);
}

/* ---- Scans ----------------------------------------------------------------------------------- */

static unsigned ray_count(const struct scanner *s)
{
    return s->angle * 100 / s->step + 1;
}

static void send_scan(tpi_emu *emu)
{
    const struct scanner *s = scanner_of(emu);
    const bool mm = s->settings[6] == 1;
    const unsigned count = ray_count(s);
    const unsigned first = (180 - s->angle) * 2; /* rays are a quarter of a degree apart */
    uint8_t body[3 + 2 * 401] = {0xb0};
    tpi_sim_scan scan = {0};

    if (tpi_sim_get_scan(emu->body.sim, s->beam, 0, &scan, NULL) != TP_OK || scan.time_us < 0 ||
        scan.count < RAYS) {
        return;
    }
    tpi_put_le16(body + 1, count | (mm ? 0x4000U : 0));
    for (unsigned i = 0; i < count; i++) {
        const double range = scan.ranges[first + i * s->step / 25];
        const double units = fmin(range * (mm ? 1000 : 100), 8191);
        tpi_put_le16(body + 3 + 2 * (size_t)i, (uint32_t)lrint(units));
    }
    answer(emu, body, 3 + 2 * (size_t)count, "scan");
}

/* As long as the line needs for one, but not faster than the mirror turns. */
static int64_t scan_us(const tpi_emu *emu, const struct scanner *s)
{
    const double mirror = 13300.0 * 100 / s->step;
    const double line = (2.0 * ray_count(s) + 10) * 10 * 1e6 / emu->baud;

    return (int64_t)fmax(mirror, line);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void set_mode(tpi_emu *emu, const uint8_t *data, size_t length)
{
    struct scanner *s = scanner_of(emu);
    static const struct {
        uint8_t mode;
        unsigned baud;
    } speeds[] = {{0x40, 38400}, {0x41, 19200}, {0x42, 9600}, {0x48, 500000}};
    uint8_t body[] = {0xa0, 0x00};
    unsigned baud = 0;

    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        baud = data[0] == speeds[i].mode ? speeds[i].baud : baud;
    }
    if (data[0] == 0x00) {
        s->installs = length == 9 && memcmp(data + 1, "SICK_LMS", 8) == 0;
        body[1] = s->installs ? 0 : 2;
        s->streams = s->streams && !s->installs;
    } else if (data[0] == 0x24 || data[0] == 0x25) {
        s->installs = false;
        s->streams = data[0] == 0x24;
        s->next_us = emu->now_us + scan_us(emu, s);
    } else if (baud == 0) {
        body[1] = 1;
    }
    answer(emu, body, sizeof body, body[1] == 0 ? "mode" : "mode refused");
    s->next_baud = baud;
}

static void set_variant(tpi_emu *emu, const uint8_t *data)
{
    struct scanner *s = scanner_of(emu);
    const unsigned angle = tpi_get_le16(data);
    const unsigned step = tpi_get_le16(data + 2);
    const bool known = (angle == 180 && (step == 50 || step == 100)) ||
                       (angle == 100 && (step == 25 || step == 50 || step == 100));
    uint8_t body[] = {0xbb, known, 0, 0, 0, 0};

    if (known) {
        s->angle = angle;
        s->step = step;
    }
    tpi_put_le16(body + 2, s->angle);
    tpi_put_le16(body + 4, s->step);
    answer(emu, body, sizeof body, "variant");
}

static void set_settings(tpi_emu *emu, const uint8_t *data)
{
    struct scanner *s = scanner_of(emu);
    uint8_t body[2 + SETTINGS] = {0xf7, s->installs};

    if (s->installs) {
        memcpy(s->settings, data, SETTINGS);
    }
    memcpy(body + 2, s->settings, SETTINGS);
    answer(emu, body, sizeof body, s->installs ? "settings" : "settings refused");
}

static void tell_settings(tpi_emu *emu)
{
    uint8_t body[1 + SETTINGS] = {0xf4};

    memcpy(body + 1, scanner_of(emu)->settings, SETTINGS);
    answer(emu, body, sizeof body, "settings");
}

static void obey(tpi_emu *emu, const uint8_t *body, size_t length)
{
    static const uint8_t type[] = "\xbaLMS200;30106;V02.30 ";
    static const uint8_t unknown = 0x92;

    if (body[0] == 0x20 && length >= 2) {
        set_mode(emu, body + 1, length - 1);
    } else if (body[0] == 0x3a) {
        answer(emu, type, sizeof type - 1, "type");
    } else if (body[0] == 0x30 && length >= 2) {
        send_scan(emu);
    } else if (body[0] == 0x3b && length >= 5) {
        set_variant(emu, body + 1);
    } else if (body[0] == 0x74) {
        tell_settings(emu);
    } else if (body[0] == 0x77 && length >= 1 + SETTINGS) {
        set_settings(emu, body + 1);
    } else {
        answer(emu, &unknown, 1, "not understood");
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void take_telegram(tpi_emu *emu)
{
    static const uint8_t good = 0x06, bad = 0x15;
    struct scanner *s = scanner_of(emu);
    const size_t length = tpi_get_le16(s->bytes + 2);

    if (crc(s->bytes, 4 + length) != tpi_get_le16(s->bytes + 4 + length)) {
        tpi_emu_heard(emu, s->bytes, s->length, "a wrong sum");
        tpi_emu_say(emu, &bad, 1, "not acknowledged");
        return;
    }
    tpi_emu_heard(emu, s->bytes, s->length, "command %02x", s->bytes[4]);
    tpi_emu_say(emu, &good, 1, "acknowledged");
    obey(emu, s->bytes + 4, length);
}

static void scanner_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    struct scanner *s = scanner_of(emu);

    for (; length > 0; length--, bytes++) {
        s->bytes[s->length++] = *bytes;
        if ((s->length == 1 && *bytes != 0x02) || (s->length == 2 && *bytes != 0x00) ||
            (s->length == 4 &&
             (tpi_get_le16(s->bytes + 2) == 0 || tpi_get_le16(s->bytes + 2) > MOST_BODY))) {
            s->length = 0;
        } else if (s->length >= 4 && s->length == tpi_get_le16(s->bytes + 2) + 6U) {
            take_telegram(emu);
            s->length = 0;
        }
    }
}

static tp_status scanner_start(tpi_emu *emu, tp_error *err)
{
    const struct tpi_emu_part parts[] = {{&scanner_of(emu)->beam, "beam"}};

    emu->body.flies = true; /* nothing here drives it */
    return tpi_emu_find_parts(emu, parts, 1, err);
}

static void scanner_reset(tpi_emu *emu)
{
    struct scanner *s = scanner_of(emu);

    s->angle = 180;
    s->step = 100;
    s->streams = s->installs = false;
    s->next_baud = 0;
    emu->baud = emu->kind->baud;
}

static void scanner_tick(tpi_emu *emu)
{
    struct scanner *s = scanner_of(emu);

    if (s->next_baud != 0 && tpi_emu_waiting(emu) == 0) {
        emu->baud = s->next_baud;
        s->next_baud = 0;
    }
    if (s->streams && emu->now_us >= s->next_us) {
        s->next_us = emu->now_us + scan_us(emu, s);
        send_scan(emu);
    }
}

const tpi_emu_kind tpi_emu_sick = {
    .name = "sicklms200",
    .summary = "SICK LMS 200: telegrams, serial, 9600 to 500000 baud; it stands",
    .file = "robots/sick.inc",
    .macro = "sick",
    .radius = 0.11,
    .track = 0.1,
    .baud = 9600,
    .state_size = sizeof(struct scanner),
    .start = scanner_start,
    .reset = scanner_reset,
    .input = scanner_input,
    .tick = scanner_tick,
};
