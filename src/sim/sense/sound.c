/*
 * sound.c - the models `sound` and `microphone`.
 *
 * A source is as loud as its level at one metre, 6 dB less at each doubling of the distance, and a
 * wall in between takes away what the microphone's wall_loss says. Sounds add up by their power,
 * with the background. Sound takes no time.
 *
 * A source can play a melody: tones one after the other, after which it sounds as before. What it
 * sounds like follows from its state and the time alone, so microphones may look at any moment.
 */
#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/ray/cross.h"
#include "sim/sense/sense.h"

static const double least_square = 1e-4;                  /* of a distance */
static const double least_level = -200, most_level = 300; /* dB */
static const double most_frequency = 1e6;                 /* Hz */

/* ---- Sources --------------------------------------------------------------------------------- */

/* A tone of a melody. */
struct note {
    tpi_sim_tone tone;
    int64_t until_us; /* from the beginning of the melody */
};

struct sound {
    tpi_sim_tone tone;
    double loudest; /* dB of a tone of amplitude 1 */
};

struct sound_state {
    struct sim_common common;
    tpi_sim_tone tone;
    int64_t begun_us; /* the melody */
    uint32_t count, spare;
    struct note notes[TPI_SIM_MOST_NOTES];
};

static const char *const sound_properties[] = {"level", "frequency", "max_level", NULL};

static bool is_tone(const tpi_sim_tone *tone)
{
    return tone->level >= least_level && tone->level <= most_level && tone->frequency >= 0 &&
           tone->frequency <= most_frequency;
}

static tp_status sound_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    struct sound config = {.tone = {.level = 60, .frequency = 440}, .loudest = 80};
    tp_status status = tpi_sim_read_within(reader, section, "level", 'F', least_level, most_level,
                                           &config.tone.level);

    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "frequency", 'F', 0, most_frequency,
                                     &config.tone.frequency);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "max_level", 'F', least_level, most_level,
                                     &config.loudest);
    }
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

/* What it sounds like now. */
static tpi_sim_tone tone_of(const struct sim_view *view)
{
    const struct sound_state *state = (const struct sound_state *)view->state;
    const int64_t passed_us = view->sim->time_us - state->begun_us;

    for (uint32_t i = 0; i < state->count; i++) {
        if (passed_us < state->notes[i].until_us) {
            return state->notes[i].tone;
        }
    }
    return state->tone;
}

static void sound_start(const struct sim_view *view)
{
    ((struct sound_state *)view->state)->tone = ((const struct sound *)view->config)->tone;
}

static bool sound_check(const struct sim_common *common)
{
    const struct sound_state *state = (const struct sound_state *)common;
    bool good = is_tone(&state->tone) && state->count <= TPI_SIM_MOST_NOTES && state->begun_us >= 0;

    for (uint32_t i = 0; good && i < state->count; i++) {
        good = is_tone(&state->notes[i].tone);
    }
    return good;
}

const tpi_sim_type tpi_sim_type_sound = {
    .kind = TPI_SIM_SOUND,
    .name = "sound",
    .size = {0.05, 0.05, 0.05},
    .colour = 0x0000ffff,
    .bodiless = true,
    .properties = sound_properties,
    .state_size = sizeof(struct sound_state),
    .read = sound_read,
    .start = sound_start,
    .check = sound_check,
};

/* ---- Microphones ----------------------------------------------------------------------------- */

struct microphone {
    double background; /* dB */
    double wall_loss;  /* dB */
    double noise;      /* standard deviation, in dB */
};

struct microphone_state {
    struct sim_common common;
    double level, frequency, bearing;
};

static const char *const microphone_properties[] = {"background", "wall_loss", "noise", NULL};

static tp_status microphone_read(struct sim_reader *reader, tpi_cfg_section *section,
                                 tpi_buf *settings)
{
    struct microphone config = {.background = 30, .wall_loss = 15};
    tp_status status = tpi_sim_read_within(reader, section, "background", 'F', least_level,
                                           most_level, &config.background);

    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "wall_loss", 'F', 0, 300, &config.wall_loss);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "noise", 'F', 0, 300, &config.noise);
    }
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

/* dB to power and back. */
static double power_of(double level)
{
    return pow(10, level / 10);
}

static double level_of(double power)
{
    return 10 * log10(power);
}

/* Sources that are listened to at once, and the lines to them. */
struct earful {
    uint32_t count;
    tpi_sim_tone tones[SIM_MOST_LINES];
    struct sim_line lines[SIM_MOST_LINES];
};

static void add_source(struct earful *e, const struct sim_view *view, const struct sim_view *source)
{
    e->tones[e->count] = tone_of(source);
    e->lines[e->count++] = sim_line_between(view, source);
}

/* The power of a source where the microphone is, behind so many sides of walls. */
static double hear(const struct microphone *config, const tpi_sim_tone *tone,
                   const struct sim_line *line, uint32_t sides)
{
    const double square = sim_line_square(line);
    const double loss = config->wall_loss * sides / 2; /* a wall has two sides */

    return power_of(tone->level - loss) / (square > least_square ? square : least_square);
}

/* What the microphone has heard so far. */
struct heard {
    double power;
    double loudest;
    struct microphone_state *state; /* borrowed: of the microphone */
};

static void listen(const struct sim_view *view, struct earful *e, struct heard *heard)
{
    const struct microphone *config = view->config;
    const struct sim_frame *f = &view->frame;
    uint32_t sides[SIM_MOST_LINES] = {0};

    if (config->wall_loss > 0) {
        tpi_sim_count_many(view->sim, e->lines, e->count, sides);
    }
    for (uint32_t i = 0; i < e->count; i++) {
        const struct sim_line *line = &e->lines[i];
        const double power = hear(config, &e->tones[i], line, sides[i]);
        heard->power += power;
        if (power > heard->loudest) {
            heard->loudest = power;
            heard->state->frequency = e->tones[i].frequency;
            heard->state->bearing =
                atan2(f->c * line->dy - f->s * line->dx, f->c * line->dx + f->s * line->dy);
        }
    }
    e->count = 0;
}

static void microphone_sense(const struct sim_view *view)
{
    const struct microphone *config = view->config;
    const struct sim_beacons *sounds = &view->sim->beacons[SIM_SOUNDS];
    struct microphone_state *state = (struct microphone_state *)view->state;
    const double background = power_of(config->background);
    struct heard heard = {.power = background, .loudest = background, .state = state};
    struct earful earful = {.count = 0};

    state->frequency = state->bearing = 0;
    for (uint32_t i = 0; i < sounds->count; i++) {
        struct sim_view source;
        if (tpi_sim_find_device(view->sim, sounds->models[i], &tpi_sim_type_sound, &source, NULL) ==
                TP_OK &&
            tone_of(&source).level > 0) {
            add_source(&earful, view, &source);
        }
        if (earful.count == SIM_MOST_LINES) {
            listen(view, &earful, &heard);
        }
    }
    listen(view, &earful, &heard);
    state->level = level_of(heard.power) + tpi_sim_noise(view, config->noise, 0);
}

const tpi_sim_type tpi_sim_type_microphone = {
    .kind = TPI_SIM_MICROPHONE,
    .name = "microphone",
    .size = {0.02, 0.02, 0.02},
    .colour = 0x000000ff,
    .bodiless = true,
    .properties = microphone_properties,
    .state_size = sizeof(struct microphone_state),
    .read = microphone_read,
    .sense = microphone_sense,
};

/* ---- Asking ---------------------------------------------------------------------------------- */

tp_status tpi_sim_get_tone(const tpi_sim *sim, tpi_sim_model model, tpi_sim_tone *tone,
                           tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_sound, &view, err);

    if (status == TP_OK) {
        *tone = tone_of(&view);
    }
    return status;
}

tp_status tpi_sim_set_tone(tpi_sim *sim, tpi_sim_model model, const tpi_sim_tone *tone,
                           tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_sound, &view, err);

    if (status == TP_OK && !is_tone(tone)) {
        return tp_fail(err, TP_E_INVALID,
                       "a tone is from -200 to 300 dB and from 0 to 1 MHz, not %g dB and %g Hz",
                       tone->level, tone->frequency);
    }
    if (status == TP_OK) {
        ((struct sound_state *)view.state)->tone = *tone;
    }
    return status;
}

static tp_status check_notes(const tpi_sim_note_play *notes, uint32_t count, tp_error *err)
{
    if (count > TPI_SIM_MOST_NOTES) {
        return tp_fail(err, TP_E_LIMIT, "a melody has at most %d tones, not %u", TPI_SIM_MOST_NOTES,
                       count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!(notes[i].amplitude >= 0 && notes[i].amplitude <= 1 && notes[i].seconds >= 0 &&
              notes[i].seconds <= 1e6 && notes[i].frequency >= 0 &&
              notes[i].frequency <= most_frequency)) {
            return tp_fail(err, TP_E_RANGE,
                           "tone %u of %g Hz, %g s and amplitude %g makes no sense", i,
                           notes[i].frequency, notes[i].seconds, notes[i].amplitude);
        }
    }
    return TP_OK;
}

tp_status tpi_sim_play_on(tpi_sim *sim, tpi_sim_model model, const tpi_sim_note_play *notes,
                          uint32_t count, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_sound, &view, err);

    status = status == TP_OK ? check_notes(notes, count, err) : status;
    if (status != TP_OK) {
        return status;
    }
    struct sound_state *state = (struct sound_state *)view.state;
    const double loudest = ((const struct sound *)view.config)->loudest;
    int64_t until_us = 0;
    memset(state->notes, 0, sizeof state->notes);
    for (uint32_t i = 0; i < count; i++) {
        const double level = loudest + 20 * log10(fmax(notes[i].amplitude, 1e-9));
        until_us += (int64_t)(notes[i].seconds * 1e6);
        state->notes[i] = (struct note){
            .tone = {.level = fmax(level, least_level), .frequency = notes[i].frequency},
            .until_us = until_us};
    }
    state->count = count;
    return TP_OK;
}

tp_status tpi_sim_play(tpi_sim *sim, tpi_sim_model model, const tpi_sim_note_play *notes,
                       uint32_t count, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_play_on(sim, model, notes, count, err);

    status =
        status == TP_OK ? tpi_sim_find_device(sim, model, &tpi_sim_type_sound, &view, err) : status;
    if (status == TP_OK) {
        ((struct sound_state *)view.state)->begun_us = sim->time_us;
    }
    return status;
}

tp_status tpi_sim_get_playing(const tpi_sim *sim, tpi_sim_model model, bool *playing, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_sound, &view, err);

    if (status == TP_OK) {
        const struct sound_state *state = (const struct sound_state *)view.state;
        *playing = state->count > 0 &&
                   sim->time_us - state->begun_us < state->notes[state->count - 1].until_us;
    }
    return status;
}

tp_status tpi_sim_get_hearing(const tpi_sim *sim, tpi_sim_model model, tpi_sim_hearing *hearing,
                              tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_microphone, &view, err);

    if (status == TP_OK) {
        const struct microphone_state *state = (const struct microphone_state *)view.state;
        *hearing = (tpi_sim_hearing){.level = state->level,
                                     .frequency = state->frequency,
                                     .bearing = state->bearing,
                                     .time_us = state->common.updated_us};
    }
    return status;
}
