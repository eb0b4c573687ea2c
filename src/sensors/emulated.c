/* emulated.c - a sensor with simulated values; see emulated.h. */
#include "sensors/emulated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { LINE_BYTES = 4096, DEFAULT_BYTES = 32768, CELL_BYTES = 4, MOST_CELLS = 65535 };

enum wave_kind { SINE, NOISE, RAMP, SQUARE, COUNT, CONSTANT };

struct wave {
    enum wave_kind kind;
    double seconds; /* of a period */
    double value;   /* of a constant */
    int32_t count;
};

struct tpi_emulated {
    tpi_manifest *manifest;      /* owned */
    const tpi_sensor_plan *plan; /* owned by the manifest */
    tpi_sensor device;
    tpi_emulated_options options;
    char *text;             /* owned: the manifest as it is sent */
    tpi_sensor_cell *cells; /* owned */
    char *line;             /* owned: for the host, a ring */
    size_t head, waiting;
    uint64_t random;
    struct wave waves[TPI_MOST_CHANNELS];
    unsigned writes[TPI_MOST_CHANNELS];
};

/* ---- Chance ---------------------------------------------------------------------------------- */

/* A number from 0 to 1 (xorshift64*). */
static double chance(tpi_emulated *e)
{
    e->random ^= e->random >> 12;
    e->random ^= e->random << 25;
    e->random ^= e->random >> 27;
    return (double)((e->random * 2685821657736338717U) >> 11) / 9007199254740992.0;
}

/* Whether a byte arrives; it can be another one then. */
static bool passes(tpi_emulated *e, char *byte)
{
    if (e->options.lose > 0 && chance(e) < e->options.lose) {
        return false;
    }
    if (e->options.garble > 0 && chance(e) < e->options.garble) {
        *byte = (char)(*byte ^ (char)(1 << (unsigned)(chance(e) * 8)));
    }
    return true;
}

/* ---- Hooks of the device --------------------------------------------------------------------- */

static int32_t on_read(void *context, uint8_t channel, uint64_t now_us)
{
    tpi_emulated *e = context;
    struct wave *wave = &e->waves[channel];
    const tpi_scaling *s = &e->plan->channels[channel].conversions[0].scaling;
    const double turns = (double)now_us * 1e-6 / wave->seconds;
    double part = 0;

    switch (wave->kind) {
    case SINE:
        part = 0.5 + 0.5 * sin(turns * 2 * acos(-1));
        break;
    case NOISE:
        part = chance(e);
        break;
    case RAMP:
        part = turns - floor(turns);
        break;
    case SQUARE:
        part = turns - floor(turns) < 0.5 ? 0 : 1;
        break;
    case COUNT:
        return wave->count++;
    case CONSTANT:
    default:
        return (int32_t)wave->value;
    }
    return (int32_t)floor(s->low + part * (s->high - s->low) + 0.5);
}

static void on_write(void *context, uint8_t channel, int32_t raw)
{
    tpi_emulated *e = context;

    (void)raw;
    e->writes[channel]++;
}

static void on_set(void *context, uint8_t channel, uint8_t mode, double value)
{
    (void)context;
    (void)channel;
    (void)mode;
    (void)value;
}

static char on_manifest(void *context, uint32_t at)
{
    return ((tpi_emulated *)context)->text[at];
}

static uint16_t on_room(void *context)
{
    const tpi_emulated *e = context;
    const size_t room = e->options.line - e->waiting;

    return room < UINT16_MAX ? (uint16_t)room : UINT16_MAX;
}

static void on_put(void *context, const char *bytes, uint8_t length)
{
    tpi_emulated *e = context;

    for (uint8_t i = 0; i < length; i++) {
        char byte = bytes[i];
        if (passes(e, &byte) && e->waiting < e->options.line) {
            e->line[(e->head + e->waiting++) % e->options.line] = byte;
        }
    }
}

static const tpi_sensor_hooks hooks = {.read = on_read,
                                       .write = on_write,
                                       .set = on_set,
                                       .manifest = on_manifest,
                                       .room = on_room,
                                       .put = on_put};

/* ---- Life ------------------------------------------------------------------------------------ */

static uint32_t count_cells(const tpi_emulated *e)
{
    const uint32_t bytes =
        e->manifest->max_datasize > 0 ? e->manifest->max_datasize : DEFAULT_BYTES;
    const uint32_t cells = e->options.cells > 0 ? e->options.cells : bytes / CELL_BYTES;

    return cells < MOST_CELLS ? cells : MOST_CELLS;
}

void tpi_emulated_restart(tpi_emulated *e)
{
    const uint32_t cells = count_cells(e);

    e->random = e->options.seed * 0x9E3779B97F4A7C15U + 0x2545F4914F6CDD1DU;
    e->random = e->random == 0 ? 1 : e->random;
    e->head = e->waiting = 0;
    for (unsigned i = 0; i < e->plan->channel_count; i++) {
        e->waves[i] =
            (struct wave){.kind = e->plan->channels[i].kind == TPI_SENSOR_EVENTS ? SQUARE : SINE,
                          .seconds = 2 + i};
    }
    memset(e->cells, 0, (cells + (size_t)1) * sizeof *e->cells);
    tpi_sensor_init(&e->device, e->plan, &hooks, e, e->cells, (uint16_t)cells);
    memset(e->writes, 0, sizeof e->writes); /* what it writes at power-on does not count */
}

static tp_status set_up(tpi_emulated *e, const char *text, size_t length, tp_error *err)
{
    const uint32_t cells = count_cells(e);
    tpi_buf brief = {0};

    tpi_manifest_put_short(&brief, text, length);
    e->plan = tpi_sensor_plan_make(e->manifest, brief.length);
    e->cells = calloc(cells + 1, sizeof *e->cells);
    e->line = malloc(e->options.line);
    if (brief.failed || brief.data == NULL || e->plan == NULL || e->cells == NULL ||
        e->line == NULL) {
        tpi_buf_fini(&brief);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    e->text = brief.data; /* taken over */
    tpi_emulated_restart(e);
    return TP_OK;
}

tp_status tpi_emulated_create(tpi_emulated **out, const char *text, size_t length, const char *path,
                              const tpi_emulated_options *options, tp_error *err)
{
    tpi_emulated *e = calloc(1, sizeof *e);

    if (e == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (options != NULL) {
        e->options = *options;
    }
    e->options.line = e->options.line == 0                 ? LINE_BYTES
                      : e->options.line < TPI_SENSOR_PIECE ? TPI_SENSOR_PIECE
                                                           : e->options.line;
    tp_status status = tpi_manifest_read(&e->manifest, text, length, path, NULL, err);
    status = status == TP_OK ? set_up(e, text, length, err) : status;
    if (status != TP_OK) {
        tpi_emulated_destroy(e);
        return status;
    }
    *out = e;
    return TP_OK;
}

void tpi_emulated_destroy(tpi_emulated *e)
{
    if (e != NULL) {
        tpi_manifest_destroy(e->manifest);
        free(e->text);
        free(e->cells);
        free(e->line);
        free(e);
    }
}

const tpi_manifest *tpi_emulated_manifest(const tpi_emulated *e)
{
    return e->manifest;
}

/* ---- Waves ----------------------------------------------------------------------------------- */

static bool read_wave(struct wave *wave, const char *text)
{
    static const char *const names[] = {"sine", "noise", "ramp", "square", "count"};
    const size_t length = strcspn(text, ":");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0) {
            *wave = (struct wave){.kind = (enum wave_kind)i, .seconds = wave->seconds};
            return text[length] == '\0' ||
                   (tpi_number_read_f64(text + length + 1, strlen(text + length + 1),
                                        &wave->seconds) == strlen(text + length + 1) &&
                    wave->seconds > 0);
        }
    }
    wave->kind = CONSTANT;
    return text[0] != '\0' &&
           tpi_number_read_f64(text, strlen(text), &wave->value) == strlen(text) &&
           fabs(wave->value) < INT32_MAX;
}

tp_status tpi_emulated_set_wave(tpi_emulated *e, const char *text, tp_error *err)
{
    const char *equals = strchr(text, '=');
    int64_t channel = 0;

    if (equals == NULL || !tpi_number_read_i64(text, (size_t)(equals - text), &channel)) {
        return tp_fail(err, TP_E_INVALID, "\"%.40s\" is no CHANNEL=WAVE, as 1=sine:2 is", text);
    }
    for (unsigned i = 0; i < e->plan->channel_count; i++) {
        if (e->plan->channels[i].number == channel) {
            return read_wave(&e->waves[i], equals + 1)
                       ? TP_OK
                       : tp_fail(err, TP_E_INVALID,
                                 "\"%.40s\" is no wave: sine, noise, ramp, square (each with "
                                 ":SECONDS), count, or a raw number",
                                 equals + 1);
        }
    }
    return tp_fail(err, TP_E_INVALID, "the sensor has no channel %.20s", text);
}

int32_t tpi_emulated_written(const tpi_emulated *e, unsigned channel, unsigned *times)
{
    for (unsigned i = 0; i < e->plan->channel_count; i++) {
        if (e->plan->channels[i].number == channel) {
            *times = e->writes[i];
            return e->device.written[i];
        }
    }
    *times = 0;
    return 0;
}

/* ---- Bytes and time -------------------------------------------------------------------------- */

void tpi_emulated_input(tpi_emulated *e, const void *bytes, size_t length)
{
    const char *from = bytes;

    for (size_t i = 0; i < length; i++) {
        char byte = from[i];
        if (passes(e, &byte)) {
            tpi_sensor_input(&e->device, &byte, 1);
        }
        while (e->device.is_whole && tpi_sensor_step(&e->device, e->device.now_us)) {
        }
    }
}

/* Each sample at its own time, so that waves are what they are then. */
void tpi_emulated_advance(tpi_emulated *e, uint64_t now_us)
{
    for (;;) {
        const uint64_t due_us = tpi_sensor_due_us(&e->device);
        const uint64_t next_us = due_us < now_us ? due_us : now_us;
        const uint64_t at_us = next_us > e->device.now_us ? next_us : e->device.now_us;
        while (tpi_sensor_step(&e->device, at_us)) {
        }
        if (at_us >= now_us) {
            return;
        }
    }
}

uint64_t tpi_emulated_due_us(const tpi_emulated *e)
{
    return tpi_sensor_due_us(&e->device);
}

size_t tpi_emulated_output(tpi_emulated *e, void *bytes, size_t size)
{
    char *to = bytes;
    size_t length = 0;

    while (length < size && e->waiting > 0) {
        to[length++] = e->line[e->head];
        e->head = (e->head + 1) % e->options.line;
        e->waiting--;
    }
    return length;
}

size_t tpi_emulated_waiting(const tpi_emulated *e)
{
    return e->waiting;
}
