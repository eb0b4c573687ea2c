/*
 * urg.c - an emulated Hokuyo URG-04LX: a small scanner that speaks SCIP 2.0, and SCIP 1 until it is
 * told "SCIP2.0".
 *
 * A request is a line; the answer begins with the same line, then a status with a sum, then data in
 * blocks of 64 characters, each with a sum, and an empty line. MD and MS send scans by themselves.
 * Steps 44 to 725 of 1024 are measured; 384 is ahead.
 *
 * Not emulated: SS (the speed of the line), CR, HS, scans of SCIP 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/robot.h"

enum {
    FIRST = 44,
    LAST = 725,
    STEPS = LAST - FIRST + 1,
    LONGEST = 27,
    BLOCK = 64,
    SCAN_US = 100000
};

struct urg {
    tpi_sim_model beam;
    char line[LONGEST + 1];
    size_t length;
    bool newer; /* SCIP 2.0 */
    bool laser;
    /* a stream of scans */
    bool streams;
    char request[LONGEST + 1]; /* as it came */
    unsigned first, last, cluster, skip, left, passed;
    int64_t next_us;
};

static struct urg *urg_of(tpi_emu *emu)
{
    return emu->state;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static char sum_of(const char *text, size_t length)
{
    unsigned sum = 0;

    for (size_t i = 0; i < length; i++) {
        sum += (unsigned char)text[i];
    }
    return (char)((sum & 0x3f) + 0x30);
}

static void put_status(tpi_buf *out, const char *request, const char *status)
{
    tpi_buf_printf(out, "%s\n%s%c\n", request, status, sum_of(status, strlen(status)));
}

static void say(tpi_emu *emu, tpi_buf *out, const char *meaning)
{
    tpi_buf_puts(out, "\n");
    if (!out->failed) {
        tpi_emu_say(emu, out->data, out->length, "%s", meaning);
    }
    tpi_buf_fini(out);
}

static void answer(tpi_emu *emu, const char *request, const char *status)
{
    tpi_buf out = {0};

    put_status(&out, request, status);
    say(emu, &out, status);
}

/* "DMIN:20;" and the sum of what is before the semicolon. */
static void put_fact(tpi_buf *out, const char *fact)
{
    tpi_buf_printf(out, "%s;%c\n", fact, sum_of(fact, strlen(fact)));
}

static void tell(tpi_emu *emu, const char *request, const char *const *facts)
{
    tpi_buf out = {0};

    put_status(&out, request, "00");
    for (; *facts != NULL; facts++) {
        put_fact(&out, *facts);
    }
    say(emu, &out, request);
}

/* ---- Scans ----------------------------------------------------------------------------------- */

static void put_code(tpi_buf *out, unsigned value, unsigned digits)
{
    for (unsigned i = digits; i > 0; i--) {
        const char digit = (char)((value >> 6 * (i - 1) & 0x3f) + 0x30);
        tpi_buf_put(out, &digit, 1);
    }
}

/* Millimetres of one step; 0 beyond the reach. */
static unsigned range_at(const tpi_sim_scan *scan, unsigned step)
{
    const double range = scan->ranges[step - FIRST];

    return range < 0.02 || range >= 5.6 ? 0 : (unsigned)lrint(range * 1000);
}

static void put_values(tpi_buf *out, const struct urg *u, const tpi_sim_scan *scan, unsigned digits)
{
    for (unsigned step = u->first; step <= u->last; step += u->cluster) {
        unsigned least = range_at(scan, step);
        for (unsigned i = step + 1; i < step + u->cluster && i <= u->last; i++) {
            const unsigned other = range_at(scan, i);
            least = other < least ? other : least;
        }
        put_code(out, digits == 2 && least > 4095 ? 0 : least, digits);
    }
}

static void put_blocks(tpi_buf *out, const tpi_buf *data)
{
    for (size_t at = 0; at < data->length; at += BLOCK) {
        const size_t length = data->length - at < BLOCK ? data->length - at : BLOCK;
        tpi_buf_put(out, data->data + at, length);
        tpi_buf_printf(out, "%c\n", sum_of(data->data + at, length));
    }
}

static void send_scan(tpi_emu *emu, const char *request, const char *status)
{
    const struct urg *u = urg_of(emu);
    const unsigned digits = request[1] == 'S' ? 2 : 3;
    tpi_sim_scan scan = {0};
    tpi_buf out = {0};
    tpi_buf data = {0};
    tpi_buf time = {0};

    if (tpi_sim_get_scan(emu->body.sim, u->beam, 0, &scan, NULL) != TP_OK || scan.time_us < 0 ||
        scan.count < STEPS) {
        return;
    }
    put_status(&out, request, status);
    put_code(&time, (unsigned)(emu->now_us / 1000) & 0xffffff, 4);
    put_blocks(&out, &time);
    put_values(&data, u, &scan, digits);
    put_blocks(&out, &data);
    tpi_buf_fini(&data);
    tpi_buf_fini(&time);
    say(emu, &out, "scan");
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* A number of so many digits; -1 if there is none. */
static int number_at(const char *text, unsigned digits)
{
    int value = 0;

    for (unsigned i = 0; i < digits; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -1;
        }
        value = 10 * value + text[i] - '0';
    }
    return value;
}

/* GD0044072501 and MD0044072501000: the numbers, or the status that says what is wrong. */
static const char *read_range(struct urg *u, const char *text, bool stream)
{
    const int first = number_at(text + 2, 4);
    const int last = first < 0 ? -1 : number_at(text + 6, 4);
    const int cluster = last < 0 ? -1 : number_at(text + 10, 2);
    const int skip = cluster < 0 || !stream ? 0 : number_at(text + 12, 1);
    const int count = cluster < 0 || !stream ? 0 : skip < 0 ? -1 : number_at(text + 13, 2);

    if (first < 0 || last < 0 || cluster < 0) {
        return first < 0 ? "01" : last < 0 ? "02" : "03";
    }
    if (first < FIRST || last > LAST || last < first) {
        return last < first ? "05" : "04";
    }
    if (skip < 0 || count < 0) {
        return skip < 0 ? "06" : "07";
    }
    u->first = (unsigned)first;
    u->last = (unsigned)last;
    u->cluster = cluster == 0 ? 1 : (unsigned)cluster;
    u->skip = (unsigned)skip;
    u->left = (unsigned)count;
    u->passed = 0;
    return "00";
}

static void take_scan_request(tpi_emu *emu, const char *text)
{
    struct urg *u = urg_of(emu);
    const bool stream = text[0] == 'M';
    const char *status = read_range(u, text, stream);

    if (strcmp(status, "00") != 0) {
        answer(emu, text, status);
    } else if (stream) {
        answer(emu, text, status);
        (void)snprintf(u->request, sizeof u->request, "%s", text);
        u->streams = u->laser = true;
        u->next_us = emu->now_us + SCAN_US;
    } else if (!u->laser) {
        answer(emu, text, "10");
    } else {
        send_scan(emu, text, "00");
    }
}

static void switch_off(struct urg *u)
{
    u->laser = u->streams = false;
}

static void obey(tpi_emu *emu, const char *text)
{
    static const char *const who[] = {"VEND:Hokuyo Automatic Co.,Ltd.",
                                      "PROD:SOKUIKI Sensor URG-04LX",
                                      "FIRM:3.1.04(02/Aug./2007)",
                                      "PROT:SCIP 2.0",
                                      "SERI:H0000001",
                                      NULL};
    static const char *const what[] = {"MODL:URG-04LX(Hokuyo Automatic Co.,Ltd.)",
                                       "DMIN:20",
                                       "DMAX:5600",
                                       "ARES:1024",
                                       "AMIN:44",
                                       "AMAX:725",
                                       "AFRT:384",
                                       "SCAN:600",
                                       NULL};
    struct urg *u = urg_of(emu);

    if (strncmp(text, "VV", 2) == 0) {
        tell(emu, text, who);
    } else if (strncmp(text, "PP", 2) == 0) {
        tell(emu, text, what);
    } else if (strncmp(text, "BM", 2) == 0) {
        answer(emu, text, u->laser ? "02" : "00");
        u->laser = true;
    } else if (strncmp(text, "QT", 2) == 0 || strncmp(text, "RS", 2) == 0) {
        switch_off(u);
        answer(emu, text, "00");
    } else if ((strncmp(text, "GD", 2) == 0 || strncmp(text, "GS", 2) == 0) && strlen(text) >= 12) {
        take_scan_request(emu, text);
    } else if ((strncmp(text, "MD", 2) == 0 || strncmp(text, "MS", 2) == 0) && strlen(text) >= 15) {
        take_scan_request(emu, text);
    } else {
        answer(emu, text, "0E");
    }
}

/* In SCIP 1: no sums; a status of one digit. */
static void obey_old(tpi_emu *emu, const char *text)
{
    tpi_buf out = {0};

    if (strcmp(text, "SCIP2.0") == 0) {
        urg_of(emu)->newer = true;
        tpi_buf_puts(&out, "SCIP2.0\n0\n");
    } else if (strcmp(text, "V") == 0) {
        tpi_buf_puts(&out, "V\n0\nVEND:Hokuyo Automatic Co.,Ltd.\nPROD:SOKUIKI Sensor URG-04LX\n"
                           "FIRM:3.1.04\nPROT:00003,(SCIP 1.0)\nSERI:H0000001\n");
    } else {
        tpi_buf_printf(&out, "%s\nE\n", text);
    }
    say(emu, &out, text);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void urg_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    struct urg *u = urg_of(emu);

    for (; length > 0; length--, bytes++) {
        if (*bytes != '\n' && *bytes != '\r') {
            u->line[u->length] = (char)(*bytes == '\0' ? '?' : *bytes);
            u->length += u->length < LONGEST - 1;
            continue;
        }
        u->line[u->length] = '\0';
        if (u->length > 0) {
            tpi_emu_heard(emu, u->line, u->length, "%s", u->line);
            (u->newer ? obey : obey_old)(emu, u->line);
        }
        u->length = 0;
    }
}

/* The count in the echo goes down to 0; 00 at the beginning is without end. */
static void stream(tpi_emu *emu)
{
    struct urg *u = urg_of(emu);
    const bool ends = u->request[13] != '0' || u->request[14] != '0';
    char echo[LONGEST + 1];

    u->next_us += SCAN_US;
    if (u->passed++ < u->skip) {
        return;
    }
    u->passed = 0;
    u->left -= ends;
    memcpy(echo, u->request, sizeof echo);
    echo[13] = (char)('0' + u->left / 10 % 10);
    echo[14] = (char)('0' + u->left % 10);
    send_scan(emu, echo, "99");
    if (ends && u->left == 0) {
        switch_off(u);
    }
}

static tp_status urg_start(tpi_emu *emu, tp_error *err)
{
    const struct tpi_emu_part parts[] = {{&urg_of(emu)->beam, "beam"}};

    emu->body.flies = true; /* nothing here drives it */
    return tpi_emu_find_parts(emu, parts, 1, err);
}

static void urg_reset(tpi_emu *emu)
{
    struct urg *u = urg_of(emu);

    switch_off(u);
    u->newer = false;
    u->length = 0;
}

static void urg_tick(tpi_emu *emu)
{
    const struct urg *u = urg_of(emu);

    if (u->streams && emu->now_us >= u->next_us) {
        stream(emu);
    }
}

const tpi_emu_kind tpi_emu_urg = {
    .name = "urg04lx",
    .summary = "Hokuyo URG-04LX: SCIP 1 and 2, USB; it stands",
    .file = "robots/urg04lx.inc",
    .macro = "urg04lx",
    .radius = 0.05,
    .track = 0.1,
    .state_size = sizeof(struct urg),
    .start = urg_start,
    .reset = urg_reset,
    .input = urg_input,
    .tick = urg_tick,
};
