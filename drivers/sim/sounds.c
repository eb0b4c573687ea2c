/*
 * sounds.c - audio: sources that play, and microphones.
 *
 * A source plays tones (SEQ_PLAY) and raw waves (WAV_PLAY), which become tones: in pieces, as loud
 * as the piece and as high as it crosses zero. One tone sounds at a time. A microphone sends the
 * loudest tone that it hears (SEQ), or a wave of it. An amplitude of 1 is 100 dB at the microphone.
 */
#include <math.h>
#include <string.h>

#include "sim/sense/sensors.h"
#include "simulator.h"
#include "troupe/interfaces/audio.h"

enum { RECORDED_HZ = 11025, MOST_RECORDED = 11025, FORMAT_RATE_SHIFT = 3 };

static const double full_db = 100;   /* at a microphone: amplitude 1 */
static const double piece_s = 0.1;   /* of a wave that is played */
static const double loudest = 32767; /* of a sample of 16 bits */

struct audio {
    bool hears; /* a microphone, not a source */
    bool streams;
    bool muted;
    uint32_t sent;                               /* the state that was sent last */
    double amplitude;                            /* of its mixer channel */
    double phase;                                /* of the wave that is recorded */
    tpi_sim_note_play notes[TPI_SIM_MOST_NOTES]; /* what it plays, as it was asked */
    uint32_t note_count;
    tp_audio_mixer_channel channel; /* room for answers */
    tp_audio_mixer_channel_detail detail;
    uint8_t wave[MOST_RECORDED * 2];
};

static tp_status audio_begin(simd_device *d, tp_error *err)
{
    struct audio *a = d->state;
    tpi_sim_info info;

    (void)err;
    tpi_simd_info(d, &info);
    a->hears = info.kind == TPI_SIM_MICROPHONE;
    a->amplitude = 1;
    return TP_OK;
}

static void audio_halt(simd_device *d)
{
    struct audio *a = d->state;

    a->streams = false;
    a->note_count = 0;
    (void)tpi_sim_play(d->owner->world, d->model, NULL, 0, NULL);
}

static double volume_of(const struct audio *a)
{
    return a->muted ? 0 : a->amplitude;
}

/* ---- Data ------------------------------------------------------------------------------------ */

static void send_state(simd_device *d)
{
    struct audio *a = d->state;
    bool playing = false;

    (void)tpi_sim_get_playing(d->owner->world, d->model, &playing, NULL);
    const tp_audio_state data = {.state = (playing ? (uint32_t)TP_AUDIO_STATE_PLAYING : 0) |
                                          (a->streams ? (uint32_t)TP_AUDIO_STATE_RECORDING : 0)};
    if (data.state != a->sent) {
        a->sent = data.state;
        tp_publish(d->device, TP_AUDIO_DATA_STATE, &data, tpi_simd_time_s(d->owner));
    }
}

static double amplitude_of(const struct audio *a, const tpi_sim_hearing *heard)
{
    return heard->frequency > 0 ? fmin(pow(10, (heard->level - full_db) / 20), 1) * volume_of(a)
                                : 0;
}

/* A wave of the tone that is heard, which goes on where the last one has ended. */
static tp_audio_wav record(struct audio *a, const tpi_sim_hearing *heard, double seconds)
{
    const uint32_t count = (uint32_t)fmin(fmax(seconds * RECORDED_HZ, 1), MOST_RECORDED);
    const double amplitude = amplitude_of(a, heard) * loudest;

    for (uint32_t i = 0; i < count; i++) {
        const int16_t sample = (int16_t)lrint(amplitude * sin(2 * SIMD_PI * a->phase));
        a->wave[2 * i] = (uint8_t)((uint16_t)sample & 255);
        a->wave[2 * i + 1] = (uint8_t)((uint16_t)sample >> 8);
        a->phase = fmod(a->phase + heard->frequency / RECORDED_HZ, 1);
    }
    return (tp_audio_wav){.data_count = count * 2,
                          .data = a->wave,
                          .format = TP_AUDIO_16BIT | TP_AUDIO_MONO | TP_AUDIO_FREQ_11k |
                                    TP_AUDIO_FORMAT_RAW};
}

static double update_s(const simd_device *d)
{
    tpi_sim_info info;

    tpi_simd_info(d, &info);
    return (double)info.update_us / 1e6;
}

static void send_heard(simd_device *d)
{
    struct audio *a = d->state;
    tpi_sim_hearing heard;

    if (tpi_sim_get_hearing(d->owner->world, d->model, &heard, NULL) != TP_OK ||
        !tpi_simd_is_new(d, heard.time_us)) {
        return;
    }
    const double at_s = (double)heard.time_us / 1e6;
    tp_audio_seq_item tone = {.freq = (float)heard.frequency,
                              .duration = (float)update_s(d),
                              .amplitude = (float)amplitude_of(a, &heard)};
    const tp_audio_seq data = {.tones_count = heard.frequency > 0, .tones = &tone};
    tp_publish(d->device, TP_AUDIO_DATA_SEQ, &data, at_s);
    if (a->streams) {
        const tp_audio_wav wave = record(a, &heard, update_s(d));
        tp_publish(d->device, TP_AUDIO_DATA_WAV_REC, &wave, at_s);
    }
}

static void audio_publish(simd_device *d)
{
    send_state(d);
    if (((const struct audio *)d->state)->hears) {
        send_heard(d);
    }
}

/* ---- Playing --------------------------------------------------------------------------------- */

static tp_status check_source(tp_device *device, bool hears, tp_error *err)
{
    const struct audio *a = simd_state(device);

    return a->hears == hears
               ? TP_OK
               : tp_fail(err, TP_E_UNSUPPORTED,
                         hears ? "a sound records nothing" : "a microphone plays nothing");
}

static void put_loudness(const struct audio *a, const tpi_sim_note_play *notes, uint32_t count,
                         tpi_sim_note_play *out)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = notes[i];
        out[i].amplitude *= volume_of(a);
    }
}

static tp_status play(tp_device *device, const tpi_sim_note_play *notes, uint32_t count,
                      tp_error *err)
{
    simd_device *d = simd_of(device);
    struct audio *a = d->state;
    tpi_sim_note_play loud[TPI_SIM_MOST_NOTES];

    put_loudness(a, notes, count, loud);
    tp_status status = tpi_sim_play(d->owner->world, d->model, loud, count, err);
    if (status == TP_OK) {
        memcpy(a->notes, notes, count * sizeof *notes);
        a->note_count = count;
    }
    send_state(d);
    return status;
}

/* The mixer counts for what sounds already. */
static tp_status play_on(const simd_device *d, tp_error *err)
{
    const struct audio *a = d->state;
    tpi_sim_note_play loud[TPI_SIM_MOST_NOTES];

    put_loudness(a, a->notes, a->note_count, loud);
    return a->note_count == 0
               ? TP_OK
               : tpi_sim_play_on(d->owner->world, d->model, loud, a->note_count, err);
}

/* The world has gone back, to a melody of others. */
static void audio_return(simd_device *d)
{
    ((struct audio *)d->state)->note_count = 0;
}

static tp_status seq_play(tp_device *device, const tp_audio_seq *ask, tp_error *err)
{
    tpi_sim_note_play notes[TPI_SIM_MOST_NOTES];
    tp_status status = check_source(device, false, err);

    if (status == TP_OK && ask->tones_count > TPI_SIM_MOST_NOTES) {
        return tp_fail(err, TP_E_LIMIT, "a melody has at most %d tones, not %u", TPI_SIM_MOST_NOTES,
                       ask->tones_count);
    }
    for (uint32_t i = 0; status == TP_OK && i < ask->tones_count; i++) {
        const tp_audio_seq_item *tone = &ask->tones[i];
        notes[i] = (tpi_sim_note_play){.frequency = (double)tone->freq,
                                       .seconds = (double)tone->duration,
                                       .amplitude = (double)tone->amplitude};
        if (tone->link.state != 0) {
            status = tp_fail(err, TP_E_UNSUPPORTED, "a sound plays one tone at a time");
        }
    }
    return status == TP_OK ? play(device, notes, ask->tones_count, err) : status;
}

/* A wave of samples; of two channels the left one counts. */
struct wave {
    const uint8_t *bytes; /* borrowed */
    uint32_t count;       /* of samples */
    uint32_t stride;      /* bytes from one to the next */
    bool wide;            /* 16 bits, not 8 */
    double rate;
};

static double sample_at(const struct wave *w, uint32_t i)
{
    const uint8_t *at = w->bytes + (size_t)i * w->stride;

    return w->wide ? (int16_t)(uint16_t)(at[0] | at[1] << 8) / loudest
                   : ((double)at[0] - 128) / 127;
}

static tp_status open_wave(const tp_audio_wav *ask, struct wave *w, tp_error *err)
{
    static const double rates[] = {44100, 11025, 22050, 48000};
    const uint32_t size = 1 + (ask->format & TP_AUDIO_BITS);

    if ((ask->format & TP_AUDIO_FORMAT_BITS) != TP_AUDIO_FORMAT_RAW || size > 2) {
        return tp_fail(err, TP_E_UNSUPPORTED, "a sound plays raw waves of 8 or 16 bits");
    }
    w->wide = size == 2;
    w->stride = size * ((ask->format & TP_AUDIO_STEREO) != 0 ? 2 : 1);
    w->rate = rates[(ask->format & TP_AUDIO_FREQ) >> FORMAT_RATE_SHIFT];
    w->bytes = ask->data;
    w->count = ask->data_count / w->stride;
    return TP_OK;
}

/* A piece of a wave as a tone. */
static tpi_sim_note_play tone_of(const struct wave *w, uint32_t from, uint32_t to)
{
    double square = 0;
    uint32_t crossings = 0;
    const double seconds = (to - from) / w->rate;

    for (uint32_t i = from; i < to; i++) {
        const double sample = sample_at(w, i);
        square += sample * sample;
        crossings += i > from && (sample < 0) != (sample_at(w, i - 1) < 0);
    }
    return (tpi_sim_note_play){.frequency = crossings / seconds / 2,
                               .seconds = seconds,
                               .amplitude = fmin(sqrt(2 * square / (to - from)), 1)};
}

static tp_status wav_play(tp_device *device, const tp_audio_wav *ask, tp_error *err)
{
    tpi_sim_note_play notes[TPI_SIM_MOST_NOTES];
    uint32_t count = 0;
    struct wave w = {0};
    tp_status status = check_source(device, false, err);

    status = status == TP_OK ? open_wave(ask, &w, err) : status;
    if (status != TP_OK) {
        return status;
    }
    const uint32_t piece =
        (uint32_t)fmax(piece_s * w.rate, ceil((double)w.count / TPI_SIM_MOST_NOTES));
    for (uint32_t from = 0; from < w.count; from += piece) {
        notes[count++] = tone_of(&w, from, w.count - from < piece ? w.count : from + piece);
    }
    return play(device, notes, count, err);
}

/* ---- Recording ------------------------------------------------------------------------------- */

static tp_status stream_rec(tp_device *device, const tp_bool *ask, tp_error *err)
{
    tp_status status = check_source(device, true, err);

    if (status == TP_OK) {
        ((struct audio *)simd_state(device))->streams = ask->state != 0;
        send_state(simd_of(device));
    }
    return status;
}

static tp_status wav_rec(tp_device *device, tp_audio_wav *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    tpi_sim_hearing heard;
    tp_status status = check_source(device, true, err);

    status = status == TP_OK ? tpi_sim_get_hearing(d->owner->world, d->model, &heard, err) : status;
    if (status == TP_OK && heard.time_us < 0) {
        return tp_fail(err, TP_E_LIMIT, "nothing has been heard yet");
    }
    if (status == TP_OK) {
        *answer = record(d->state, &heard, update_s(d));
    }
    return status;
}

/* ---- The mixer: one channel ------------------------------------------------------------------ */

static tp_status set_mixer(tp_device *device, const tp_audio_mixer_channel_list *ask, tp_error *err)
{
    struct audio *a = simd_state(device);

    for (uint32_t i = 0; i < ask->channels_count; i++) {
        const tp_audio_mixer_channel *c = &ask->channels[i];
        if (c->index != 0 || !(c->amplitude >= 0 && c->amplitude <= 1)) {
            return tp_fail(err, TP_E_RANGE, "channel %u with a level of %g is none: there is 0",
                           c->index, (double)c->amplitude);
        }
    }
    for (uint32_t i = 0; i < ask->channels_count; i++) {
        a->amplitude = (double)ask->channels[i].amplitude;
        a->muted = ask->channels[i].active.state == 0;
    }
    a->channel =
        (tp_audio_mixer_channel){.amplitude = (float)a->amplitude, .active = {.state = !a->muted}};
    const tp_audio_mixer_channel_list data = {.channels_count = 1, .channels = &a->channel};
    tp_publish(device, TP_AUDIO_DATA_MIXER_CHANNEL, &data, tpi_simd_time_s(simd_of(device)->owner));
    return play_on(simd_of(device), err);
}

static tp_status mixer_list(tp_device *device, tp_audio_mixer_channel_list_detail *answer,
                            tp_error *err)
{
    struct audio *a = simd_state(device);
    static char source[] = "output";
    static char ear[] = "input";

    (void)err;
    a->detail = (tp_audio_mixer_channel_detail){
        .name = a->hears ? ear : source,
        .name_count = (uint32_t)(a->hears ? sizeof ear : sizeof source),
        .caps = a->hears ? TP_AUDIO_MIXER_CHANNEL_TYPE_INPUT : TP_AUDIO_MIXER_CHANNEL_TYPE_OUTPUT};
    answer->details_count = 1;
    answer->details = &a->detail;
    answer->default_output = a->hears ? -1 : 0;
    answer->default_input = a->hears ? 0 : -1;
    return TP_OK;
}

static tp_status mixer_level(tp_device *device, tp_audio_mixer_channel_list *answer, tp_error *err)
{
    struct audio *a = simd_state(device);

    (void)err;
    a->channel =
        (tp_audio_mixer_channel){.amplitude = (float)a->amplitude, .active = {.state = !a->muted}};
    answer->channels_count = 1;
    answer->channels = &a->channel;
    return TP_OK;
}

static const tp_audio_ops audio_ops = {
    .cmd_wav_play = wav_play,
    .cmd_wav_stream_rec = stream_rec,
    .cmd_seq_play = seq_play,
    .cmd_mixer_channel = set_mixer,
    .req_wav_rec = wav_rec,
    .req_mixer_channel_list = mixer_list,
    .req_mixer_channel_level = mixer_level,
};

const simd_kind tpi_simd_sounds[] = {
    {
        .interface = &tp_interface_audio,
        .ops = &audio_ops,
        .models = SIMD_MODEL(SOUND) | SIMD_MODEL(MICROPHONE),
        .state_size = sizeof(struct audio),
        .begin = audio_begin,
        .publish = audio_publish,
        .halt = audio_halt,
        .returned = audio_return,
    },
    {0},
};
