/* plan.c - from a manifest to the plan of the device side; see plan.h. */
#include "sensors/plan.h"

#include <math.h>
#include <string.h>

static uint32_t micros(double ms)
{
    return (uint32_t)(ms * 1000 + 0.5);
}

/* As many places as the resolution has; without one, what six digits need. */
static uint8_t places_of(const tpi_scaling *s)
{
    uint8_t places = 6;

    if (s->resolution > 0) {
        return tpi_scaling_places(s->resolution);
    }
    for (double most = fmax(fabs(s->min), fabs(s->max)); most >= 10 && places > 0; most /= 10) {
        places--;
    }
    return s->function == TPI_SCALING_NONE ? 0 : places;
}

static bool make_channel(tpi_arena *arena, const tpi_transducer *t, tpi_sensor_channel *out)
{
    tpi_sensor_conversion *conversions =
        tpi_arena_array(arena, t->conversion_count, sizeof *conversions);
    tpi_sensor_mode *modes = tpi_arena_array(arena, t->mode_count + 1, sizeof *modes);

    if (conversions == NULL || modes == NULL) {
        return false;
    }
    for (unsigned i = 0; i < t->conversion_count; i++) {
        conversions[i].scaling = t->conversions[i].scaling;
        conversions[i].places = places_of(&t->conversions[i].scaling);
    }
    for (unsigned i = 0; i < t->mode_count; i++) {
        const tpi_mode *mode = &t->modes[i];
        modes[i] = (tpi_sensor_mode){.min = mode->min,
                                     .max = mode->max,
                                     .start = mode->start,
                                     .is_state = mode->is_state,
                                     .places = tpi_scaling_places(mode->resolution)};
    }
    *out = (tpi_sensor_channel){.number = (uint8_t)t->channel,
                                .kind = t->type == TPI_CHANNEL_ACTUATOR ? TPI_SENSOR_ACTS
                                        : t->type == TPI_CHANNEL_EVENT  ? TPI_SENSOR_EVENTS
                                                                        : TPI_SENSOR_SENSES,
                                .conversion_count = (uint8_t)t->conversion_count,
                                .conversion_start = (uint8_t)t->start,
                                .mode_count = (uint8_t)t->mode_count,
                                .conversions = conversions,
                                .modes = modes,
                                .min_period_us = micros(t->min_period_ms),
                                .trig_delay_us = micros(t->trig_delay_ms)};
    return true;
}

const tpi_sensor_plan *tpi_sensor_plan_make(tpi_manifest *manifest, size_t manifest_length)
{
    tpi_arena *arena = &manifest->arena;
    tpi_sensor_plan *plan = tpi_arena_alloc(arena, sizeof *plan);
    tpi_sensor_channel *channels =
        tpi_arena_array(arena, manifest->transducer_count, sizeof *channels);

    if (plan == NULL || channels == NULL) {
        return NULL;
    }
    for (unsigned i = 0; i < manifest->transducer_count; i++) {
        if (!make_channel(arena, &manifest->transducers[i], &channels[i])) {
            return NULL;
        }
    }
    *plan = (tpi_sensor_plan){.channels = channels,
                              .channel_count = (uint8_t)manifest->transducer_count,
                              .default_channel = (uint8_t)manifest->default_channel,
                              .manifest_length = (uint32_t)manifest_length};
    return plan;
}

/* ---- Short texts ----------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void tpi_manifest_put_short(tpi_buf *out, const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    bool was_blank = false;

    while (at < end) {
        if (end - at >= 4 && memcmp(at, "<!--", 4) == 0) {
            at += 4;
            while (end - at >= 3 && memcmp(at, "-->", 3) != 0) {
                at++;
            }
            at = end - at >= 3 ? at + 3 : end;
        } else if (is_blank(*at)) {
            was_blank = true;
            at++;
        } else {
            const char before = out->length > 0 ? out->data[out->length - 1] : '>';
            if (was_blank && before != '>' && *at != '<') {
                tpi_buf_putc(out, ' ');
            }
            was_blank = false;
            tpi_buf_putc(out, *at++);
        }
    }
}

/* ---- Firmware -------------------------------------------------------------------------------- */

static void put_scaling(tpi_buf *out, const tpi_scaling *s, unsigned channel, unsigned conversion)
{
    tpi_buf_printf(out,
                   "    {.scaling = {.function = %d, .numbers = numbers_%u_%u, .count = %u, .low = "
                   "%.9g, .high = %.9g,\n     .raw_step = %.9g, .min = %.9g, .max = %.9g, "
                   ".resolution = %.9g, .uncertainty = %.9g},\n",
                   (int)s->function, channel, conversion, s->count, s->low, s->high, s->raw_step,
                   s->min, s->max, s->resolution, s->uncertainty);
}

static void put_channel_tables(tpi_buf *out, const tpi_sensor_channel *c, unsigned index)
{
    for (unsigned i = 0; i < c->conversion_count; i++) {
        const tpi_scaling *s = &c->conversions[i].scaling;
        tpi_buf_printf(out, "static const double numbers_%u_%u[] = {", index, i);
        for (unsigned k = 0; k < s->count; k++) {
            tpi_buf_printf(out, "%.9g, ", s->numbers[k]);
        }
        tpi_buf_puts(out, "0};\n");
    }
    tpi_buf_printf(out, "static const tpi_sensor_conversion conversions_%u[] = {\n", index);
    for (unsigned i = 0; i < c->conversion_count; i++) {
        put_scaling(out, &c->conversions[i].scaling, index, i);
        tpi_buf_printf(out, "     .places = %u},\n", c->conversions[i].places);
    }
    tpi_buf_printf(out, "};\nstatic const tpi_sensor_mode modes_%u[] = {\n", index);
    for (unsigned i = 0; i < c->mode_count; i++) {
        const tpi_sensor_mode *m = &c->modes[i];
        tpi_buf_printf(out,
                       "    {.min = %.9g, .max = %.9g, .start = %.9g, .is_state = %d, .places = "
                       "%u},\n",
                       m->min, m->max, m->start, m->is_state, m->places);
    }
    tpi_buf_puts(out, "    {0},\n};\n");
}

static void put_text(tpi_buf *out, const tpi_manifest *manifest)
{
    tpi_buf text = {0}, brief = {0};

    tpi_manifest_write(manifest, &text);
    tpi_manifest_put_short(&brief, tpi_buf_text(&text), text.length);
    tpi_buf_puts(out, "const char tpi_sensor_firmware_manifest[] TPI_SENSOR_FLASH =");
    for (size_t i = 0; i < brief.length; i++) {
        const char c = brief.data[i];
        if (i % 96 == 0) {
            tpi_buf_puts(out, i == 0 ? "\n    \"" : "\"\n    \"");
        }
        if (c == '"' || c == '\\') {
            tpi_buf_printf(out, "\\%c", c);
        } else if (c < ' ' || c > '~') {
            tpi_buf_printf(out, "\\%03o", (unsigned)(unsigned char)c);
        } else {
            tpi_buf_putc(out, c);
        }
    }
    tpi_buf_puts(out, "\";\n");
    out->failed = out->failed || text.failed || brief.failed;
    tpi_buf_fini(&text);
    tpi_buf_fini(&brief);
}

void tpi_sensor_plan_put_code(const tpi_manifest *manifest, const tpi_sensor_plan *plan,
                              tpi_buf *out)
{
    tpi_buf_printf(
        out, "/* The plan of %s; made from its manifest. */\n#include \"firmware_plan.h\"\n\n",
        manifest->uuid);
    for (unsigned i = 0; i < plan->channel_count; i++) {
        put_channel_tables(out, &plan->channels[i], i);
    }
    tpi_buf_puts(out, "static const tpi_sensor_channel channels[] = {\n");
    for (unsigned i = 0; i < plan->channel_count; i++) {
        const tpi_sensor_channel *c = &plan->channels[i];
        tpi_buf_printf(out,
                       "    {.number = %u, .kind = %u, .conversion_count = %u, .conversion_start = "
                       "%u, .mode_count = %u,\n     .conversions = conversions_%u, .modes = "
                       "modes_%u, .min_period_us = %lu, .trig_delay_us = %lu},\n",
                       c->number, c->kind, c->conversion_count, c->conversion_start, c->mode_count,
                       i, i, (unsigned long)c->min_period_us, (unsigned long)c->trig_delay_us);
    }
    tpi_buf_puts(out, "};\n");
    put_text(out, manifest);
    tpi_buf_printf(out,
                   "const tpi_sensor_plan tpi_sensor_firmware_plan = {\n    .channels = channels, "
                   ".channel_count = %u, .default_channel = %u,\n    .manifest_length = sizeof "
                   "tpi_sensor_firmware_manifest - 1};\n",
                   plan->channel_count, plan->default_channel);
}
