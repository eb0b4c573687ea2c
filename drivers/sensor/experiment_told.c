/* experiment_told.c - what a sensor is and what can be set, as an answer; see sensor.h. */
#include <string.h>

#include "base/text.h"
#include "sensor.h"

/* A setting with room for its choices; NULL if memory ran out. */
static bool put_choices(tpi_arena *arena, tp_experiment_setting *out, unsigned count)
{
    out->choices_count = count;
    out->choices = tpi_arena_array(arena, count > 0 ? count : 1, sizeof *out->choices);
    return out->choices != NULL;
}

static bool put_conversion(tpi_arena *arena, const struct sensor_channel *c,
                           tp_experiment_setting *out)
{
    const tpi_transducer *t = c->transducer;

    out->name = tpi_text_field("conversion", &out->name_count);
    out->value = c->conversion->index;
    out->min = 1;
    out->max = t->conversion_count;
    if (!put_choices(arena, out, t->conversion_count)) {
        return false;
    }
    for (unsigned i = 0; i < t->conversion_count; i++) {
        const tpi_conversion *conversion = &t->conversions[i];
        tpi_buf unit = {0};
        tpi_conversion_put_unit(conversion, &unit);
        const char *name = tpi_arena_text(
            arena, unit.length > 0 ? tpi_buf_text(&unit) : tpi_unit_type_name(conversion->unit),
            unit.length > 0 ? unit.length : strlen(tpi_unit_type_name(conversion->unit)));
        tpi_buf_fini(&unit);
        out->choices[i].value = conversion->index;
        out->choices[i].name =
            tpi_text_field(name != NULL ? name : "", &out->choices[i].name_count);
    }
    return true;
}

static bool put_mode(tpi_arena *arena, const tpi_mode *mode, double value,
                     tp_experiment_setting *out)
{
    out->name = tpi_text_field(mode->name, &out->name_count);
    out->value = value;
    out->min = mode->is_state && mode->option_count > 0 ? mode->options[0].index : mode->min;
    out->max = mode->is_state && mode->option_count > 0
                   ? mode->options[mode->option_count - 1].index
                   : mode->max;
    if (!put_choices(arena, out, mode->is_state ? mode->option_count : 0)) {
        return false;
    }
    for (unsigned i = 0; i < out->choices_count; i++) {
        out->choices[i].value = mode->options[i].index;
        out->choices[i].name = tpi_text_field(mode->options[i].name, &out->choices[i].name_count);
    }
    return true;
}

static bool put_channel(tpi_arena *arena, const struct sensor_channel *c,
                        tp_experiment_channel *out)
{
    static const uint8_t kinds[] = {[TPI_CHANNEL_SENSOR] = TP_EXPERIMENT_SENSOR,
                                    [TPI_CHANNEL_ACTUATOR] = TP_EXPERIMENT_ACTUATOR,
                                    [TPI_CHANNEL_EVENT] = TP_EXPERIMENT_EVENT};
    const tpi_transducer *t = c->transducer;
    const tpi_scaling *scaling = &c->conversion->scaling;
    tpi_buf unit = {0};

    tpi_conversion_put_unit(c->conversion, &unit);
    const char *text = tpi_arena_text(arena, tpi_buf_text(&unit), unit.length);
    tpi_buf_fini(&unit);
    *out = (tp_experiment_channel){
        .number = t->channel,
        .kind = kinds[t->type],
        .min = scaling->min,
        .max = scaling->max,
        .resolution = scaling->resolution,
        .uncertainty = tpi_scaling_uncertainty(scaling, (scaling->low + scaling->high) / 2),
        .min_period = t->min_period_ms / 1000,
        .settings_count = t->mode_count + 1};
    out->name = tpi_text_field(t->name, &out->name_count);
    out->parameter = tpi_text_field(t->parameter, &out->parameter_count);
    out->unit = tpi_text_field(text != NULL ? text : "", &out->unit_count);
    out->settings = tpi_arena_array(arena, out->settings_count, sizeof *out->settings);
    bool is_done = out->settings != NULL && put_conversion(arena, c, &out->settings[0]);
    for (unsigned i = 0; i < t->mode_count && is_done; i++) {
        is_done = put_mode(arena, &t->modes[i], c->modes[i], &out->settings[i + 1]);
    }
    return is_done;
}

tp_status tpi_sensor_put_channels(struct sensor *s, tp_experiment_channels *out, tp_error *err)
{
    tpi_arena *arena = &s->experiment.answers;
    const tpi_manifest *m = s->manifest;

    tpi_arena_fini(arena);
    *arena = (tpi_arena){0};
    *out = (tp_experiment_channels){.channels_count = s->count};
    out->sensor = tpi_text_field(m != NULL ? m->name : "", &out->sensor_count);
    out->uuid = tpi_text_field(m != NULL ? m->uuid : "", &out->uuid_count);
    out->serial = tpi_text_field(m != NULL ? m->serial_no : "", &out->serial_count);
    out->channels = tpi_arena_array(arena, s->count > 0 ? s->count : 1, sizeof *out->channels);
    bool is_done = out->channels != NULL;
    for (unsigned i = 0; i < s->count && is_done; i++) {
        is_done = put_channel(arena, &s->channels[i], &out->channels[i]);
    }
    return is_done ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}
