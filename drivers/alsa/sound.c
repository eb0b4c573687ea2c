/* sound.c - see sound.h. */
#include "sound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

bool tpi_sound_init(struct sound *sound)
{
    *sound = (struct sound){.frames = malloc(SOUND_MOST * sizeof *sound->frames)};
    return sound->frames != NULL;
}

void tpi_sound_fini(struct sound *sound)
{
    free(sound->frames);
    *sound = (struct sound){0};
}

static void put(struct sound *sound, double left, double right)
{
    int16_t *frame = sound->frames[(sound->first + sound->count) % SOUND_MOST];

    frame[0] = (int16_t)lrint(fmax(-1, fmin(1, left)) * 32767);
    frame[1] = (int16_t)lrint(fmax(-1, fmin(1, right)) * 32767);
    sound->count++;
}

static tp_status check_room(const struct sound *sound, double frames, tp_error *err)
{
    return frames <= (double)(SOUND_MOST - sound->count)
               ? TP_OK
               : tp_fail(err, TP_E_LIMIT, "there is no room: %d s of sound wait at most",
                         SOUND_MOST / SOUND_RATE);
}

/* ---- Sound ----------------------------------------------------------------------------------- */

/* One sample, from -1 to 1. Eight bits have no sign. */
static double sample_at(const uint8_t *at, unsigned bytes)
{
    if (bytes == 1) {
        return (at[0] - 128) / 128.0;
    }
    if (bytes == 2) {
        return (int16_t)(uint16_t)(at[0] | at[1] << 8) / 32768.0;
    }
    return (int32_t)((uint32_t)at[0] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 24) /
           2147483648.0;
}

static double rate_of(uint32_t format)
{
    static const double rates[] = {44100, 11025, 22050, 48000};

    return rates[(format & TP_AUDIO_FREQ) >> 3];
}

tp_status tpi_sound_put_wav(struct sound *sound, const tp_audio_wav *wav, tp_error *err)
{
    const unsigned bytes = (wav->format & TP_AUDIO_BITS) + 1;
    const unsigned channels = (wav->format & TP_AUDIO_STEREO) != 0 ? 2 : 1;
    const uint32_t coding = wav->format & TP_AUDIO_FORMAT_BITS;
    const size_t count = wav->data_count / (bytes * channels);
    const double step = rate_of(wav->format) / SOUND_RATE;
    const double frames = ceil((double)count / step);

    if ((coding != TP_AUDIO_FORMAT_RAW && coding != TP_AUDIO_FORMAT_NULL) || bytes > 3) {
        return tp_fail(err, TP_E_UNSUPPORTED, "only raw sound of 8, 16 or 24 bits is played");
    }
    const tp_status status = check_room(sound, frames, err);
    for (size_t i = 0; status == TP_OK && count > 0 && i < (size_t)frames; i++) {
        const double at = fmin((double)i * step, (double)count - 1);
        const size_t before = (size_t)at;
        const size_t after = before + 1 < count ? before + 1 : before;
        double values[2];
        for (unsigned c = 0; c < channels; c++) {
            const double a = sample_at(wav->data + (before * channels + c) * bytes, bytes);
            const double b = sample_at(wav->data + (after * channels + c) * bytes, bytes);
            values[c] = a + (b - a) * (at - (double)before);
        }
        put(sound, values[0], values[channels - 1]);
    }
    return status;
}

/* ---- Tones ----------------------------------------------------------------------------------- */

/* How many tones from this one on sound together, and how long the longest is. */
static size_t chord(const tp_audio_seq *tones, size_t from, double *seconds)
{
    size_t count = 0;

    *seconds = 0;
    do {
        *seconds = fmax(*seconds, (double)tones->tones[from + count].duration);
        count++;
    } while (from + count < tones->tones_count && tones->tones[from + count - 1].link.state != 0);
    return count;
}

static double value_of(const tp_audio_seq_item *tone, double time)
{
    return time < (double)tone->duration
               ? (double)tone->amplitude * sin(2 * pi * (double)tone->freq * time)
               : 0;
}

static tp_status check_tones(const struct sound *sound, const tp_audio_seq *tones, tp_error *err)
{
    double all = 0;
    double seconds;

    for (size_t i = 0; i < tones->tones_count; i++) {
        const tp_audio_seq_item *t = &tones->tones[i];
        if (!(t->freq >= 0 && t->freq <= 22050 && t->duration >= 0 && t->duration <= 3600 &&
              t->amplitude >= 0 && t->amplitude <= 1)) {
            return tp_fail(err, TP_E_RANGE,
                           "a tone has 0 to 22050 Hz, 0 to 3600 s and an amplitude from 0 to 1");
        }
    }
    for (size_t i = 0; i < tones->tones_count; i += chord(tones, i, &seconds)) {
        (void)chord(tones, i, &seconds);
        all += ceil(seconds * SOUND_RATE);
    }
    return check_room(sound, all, err);
}

tp_status tpi_sound_put_tones(struct sound *sound, const tp_audio_seq *tones, tp_error *err)
{
    const tp_status status = check_tones(sound, tones, err);
    size_t count = 0;

    for (size_t i = 0; i < tones->tones_count && status == TP_OK; i += count) {
        double seconds = 0;
        count = chord(tones, i, &seconds);
        const size_t frames = (size_t)ceil(seconds * SOUND_RATE);
        for (size_t f = 0; f < frames; f++) {
            double value = 0;
            for (size_t k = 0; k < count; k++) {
                value += value_of(&tones->tones[i + k], (double)f / SOUND_RATE);
            }
            put(sound, value, value);
        }
    }
    return status;
}

size_t tpi_sound_take(struct sound *sound, uint8_t *out, size_t most)
{
    const size_t taken = sound->count < most ? sound->count : most;

    for (size_t i = 0; i < taken; i++) {
        const int16_t *frame = sound->frames[(sound->first + i) % SOUND_MOST];
        for (unsigned c = 0; c < 2; c++) {
            *out++ = (uint8_t)frame[c];
            *out++ = (uint8_t)((uint16_t)frame[c] >> 8);
        }
    }
    sound->first = (sound->first + taken) % SOUND_MOST;
    sound->count -= taken;
    return taken;
}
