/* sounds.c - audio: plays for as long as a sound lasts, hears a tone, keeps samples and levels. */
#include <math.h>
#include <stdlib.h>

#include "fake.h"
#include "troupe/interfaces/audio.h"

enum {
    CHANNELS = 2, /* of the mixer: 0 plays, 1 records */
    SAMPLES = 16,
    MOST_SAMPLE_SIZE = 1 << 20,
    RECORDED_HZ = 11025,
    RECORDED = 1102, /* a tenth of a second */
};

static const double tone_hz = 440;

static const struct {
    const char *name;
    uint8_t caps;
} channels[CHANNELS] = {
    {"master", TP_AUDIO_MIXER_CHANNEL_TYPE_OUTPUT},
    {"microphone", TP_AUDIO_MIXER_CHANNEL_TYPE_INPUT},
};

struct audio {
    double playing_s; /* how long it still plays */
    double recording_s;
    bool streams; /* what it records */
    uint32_t told;
    tp_audio_mixer_channel mixer[CHANNELS];
    tp_audio_mixer_channel_detail details[CHANNELS]; /* room for an answer */
    tp_audio_wav *samples[SAMPLES];                  /* owned, each one block; NULL for none */
    uint8_t heard[RECORDED];
};

static tp_status audio_begin(fake_device *d, tp_error *err)
{
    struct audio *a = d->state;

    (void)err;
    for (uint32_t i = 0; i < CHANNELS; i++) {
        a->mixer[i] =
            (tp_audio_mixer_channel){.amplitude = 0.5f, .active = {.state = 1}, .index = i};
    }
    return TP_OK;
}

static void audio_end(fake_device *d)
{
    struct audio *a = d->state;

    for (size_t i = 0; i < SAMPLES; i++) {
        free(a->samples[i]);
    }
}

static void audio_advance(fake_device *d, double dt_s)
{
    struct audio *a = d->state;

    a->playing_s = fmax(0, a->playing_s - dt_s);
    a->recording_s = fmax(0, a->recording_s - dt_s);
}

static void audio_halt(fake_device *d)
{
    struct audio *a = d->state;

    a->playing_s = 0;
    a->recording_s = 0;
    a->streams = false;
}

/* ---- Data ------------------------------------------------------------------------------------ */

static tp_audio_wav listen(struct audio *a)
{
    for (size_t i = 0; i < RECORDED; i++) {
        const double turn = 6.283185307179586 * tone_hz * (double)i / RECORDED_HZ;
        a->heard[i] = (uint8_t)(128 + 100 * sin(turn));
    }
    return (tp_audio_wav){.data_count = RECORDED,
                          .data = a->heard,
                          .format = TP_AUDIO_8BIT | TP_AUDIO_MONO | TP_AUDIO_FREQ_11k |
                                    TP_AUDIO_FORMAT_RAW};
}

/* Told when it changes. */
static void tell_state(fake_device *d)
{
    struct audio *a = d->state;
    const tp_audio_state data = {
        .state = (a->playing_s > 0 ? (uint32_t)TP_AUDIO_STATE_PLAYING : 0) |
                 (a->streams || a->recording_s > 0 ? (uint32_t)TP_AUDIO_STATE_RECORDING : 0)};

    if (data.state != a->told) {
        a->told = data.state;
        tp_publish(d->device, TP_AUDIO_DATA_STATE, &data, 0);
    }
}

static void audio_publish(fake_device *d)
{
    struct audio *a = d->state;

    tell_state(d);
    if (a->streams) {
        const tp_audio_wav data = listen(a);
        tp_publish(d->device, TP_AUDIO_DATA_WAV_REC, &data, 0);
    }
}

/* ---- Playing --------------------------------------------------------------------------------- */

static double bytes_per_s(uint32_t format)
{
    static const double rates[] = {44100, 11025, 22050, 48000};
    const double size = 1 + (format & TP_AUDIO_BITS);
    const double sides = (format & TP_AUDIO_STEREO) != 0 ? 2 : 1;

    if ((format & TP_AUDIO_FORMAT_BITS) != TP_AUDIO_FORMAT_RAW) {
        return 16000; /* as compressed sound has */
    }
    return rates[(format & TP_AUDIO_FREQ) >> 3] * size * sides;
}

static void play(tp_device *device, double duration_s)
{
    struct audio *a = fake_state(device);

    a->playing_s = duration_s;
    tell_state(fake_of(device));
}

static tp_status cmd_wav_play(tp_device *device, const tp_audio_wav *ask, tp_error *err)
{
    (void)err;
    play(device, ask->data_count / bytes_per_s(ask->format));
    return TP_OK;
}

static tp_status cmd_stream_rec(tp_device *device, const tp_bool *ask, tp_error *err)
{
    (void)err;
    ((struct audio *)fake_state(device))->streams = ask->state != 0;
    tell_state(fake_of(device));
    return TP_OK;
}

/* The sample kept at an index; NULL with a reason if there is none. */
static const tp_audio_wav *find_sample(const struct audio *a, int32_t index, tp_error *err)
{
    const tp_audio_wav *sample = index >= 0 && index < SAMPLES ? a->samples[index] : NULL;

    if (sample == NULL) {
        tp_fail(err, TP_E_UNKNOWN, "there is no sample %d", index);
    }
    return sample;
}

static tp_status cmd_sample_play(tp_device *device, const tp_audio_sample_item *ask, tp_error *err)
{
    const tp_audio_wav *sample = find_sample(fake_state(device), ask->index, err);

    return sample != NULL ? cmd_wav_play(device, sample, err) : TP_E_UNKNOWN;
}

static tp_status cmd_seq_play(tp_device *device, const tp_audio_seq *ask, tp_error *err)
{
    double duration_s = 0;

    for (uint32_t i = 0; i < ask->tones_count; i++) {
        const tp_audio_seq_item *tone = &ask->tones[i];
        if (!(tone->duration >= 0 && tone->duration < 1e6f)) {
            return tp_fail(err, TP_E_RANGE, "tone %u lasts for %g s", i, (double)tone->duration);
        }
        duration_s += tone->link.state != 0 ? 0 : (double)tone->duration;
    }
    play(device, duration_s);
    return TP_OK;
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Keep a sound; `index` is the place asked for, -1 for the next free one, and becomes the place. */
static tp_status keep(struct audio *a, int32_t *index, const tp_audio_wav *sound, tp_error *err)
{
    void *copy = NULL;

    for (int32_t i = 0; *index == -1 && i < SAMPLES; i++) {
        *index = a->samples[i] == NULL ? i : -1;
    }
    if (*index < 0 || *index >= SAMPLES) {
        return tp_fail(err, TP_E_RANGE, "there are %d places for samples", SAMPLES);
    }
    tp_status status = tpi_fake_check_size(&tp_desc_audio_wav, sound, MOST_SAMPLE_SIZE, err);
    if (status != TP_OK) {
        return status;
    }
    if (tp_value_copy(&copy, &tp_desc_audio_wav, sound, NULL) != TP_OK) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    free(a->samples[*index]);
    a->samples[*index] = copy;
    return TP_OK;
}

static tp_status req_wav_rec(tp_device *device, tp_audio_wav *answer, tp_error *err)
{
    (void)err;
    *answer = listen(fake_state(device));
    return TP_OK;
}

static tp_status req_sample_load(tp_device *device, const tp_audio_sample *ask,
                                 tp_audio_sample *answer, tp_error *err)
{
    answer->index = ask->index;
    return keep(fake_state(device), &answer->index, &ask->sample, err);
}

static tp_status req_sample_retrieve(tp_device *device, const tp_audio_sample *ask,
                                     tp_audio_sample *answer, tp_error *err)
{
    const tp_audio_wav *sample = find_sample(fake_state(device), ask->index, err);

    if (sample == NULL) {
        return TP_E_UNKNOWN;
    }
    answer->index = ask->index;
    answer->sample = *sample;
    return TP_OK;
}

static tp_status req_sample_rec(tp_device *device, const tp_audio_sample_item *ask,
                                tp_audio_sample_item *answer, tp_error *err)
{
    struct audio *a = fake_state(device);
    const tp_audio_wav sound = listen(a);

    answer->index = ask->index;
    tp_status status = keep(a, &answer->index, &sound, err);
    if (status == TP_OK) {
        a->recording_s = (double)RECORDED / RECORDED_HZ;
        tell_state(fake_of(device));
    }
    return status;
}

/* ---- Mixer ----------------------------------------------------------------------------------- */

static tp_status cmd_mixer(tp_device *device, const tp_audio_mixer_channel_list *ask, tp_error *err)
{
    struct audio *a = fake_state(device);
    const tp_audio_mixer_channel_list all = {.channels_count = CHANNELS, .channels = a->mixer};

    for (uint32_t i = 0; i < ask->channels_count; i++) {
        const tp_audio_mixer_channel *channel = &ask->channels[i];
        if (channel->index >= CHANNELS || !(channel->amplitude >= 0 && channel->amplitude <= 1)) {
            return tp_fail(err, TP_E_RANGE, "channel %u does not go to %g", channel->index,
                           (double)channel->amplitude);
        }
    }
    for (uint32_t i = 0; i < ask->channels_count; i++) {
        a->mixer[ask->channels[i].index] = ask->channels[i];
    }
    return tp_publish(device, TP_AUDIO_DATA_MIXER_CHANNEL, &all, 0);
}

static tp_status req_mixer_list(tp_device *device, tp_audio_mixer_channel_list_detail *answer,
                                tp_error *err)
{
    struct audio *a = fake_state(device);

    (void)err;
    for (size_t i = 0; i < CHANNELS; i++) {
        a->details[i] =
            (tp_audio_mixer_channel_detail){.name_count = tpi_counted_size(channels[i].name),
                                            .name = fake_chars(channels[i].name),
                                            .caps = channels[i].caps};
    }
    answer->details = a->details;
    answer->details_count = CHANNELS;
    answer->default_output = 0;
    answer->default_input = 1;
    return TP_OK;
}

static tp_status req_mixer_level(tp_device *device, tp_audio_mixer_channel_list *answer,
                                 tp_error *err)
{
    (void)err;
    answer->channels = ((struct audio *)fake_state(device))->mixer;
    answer->channels_count = CHANNELS;
    return TP_OK;
}

static const tp_audio_ops audio_ops = {
    .cmd_wav_play = cmd_wav_play,
    .cmd_wav_stream_rec = cmd_stream_rec,
    .cmd_sample_play = cmd_sample_play,
    .cmd_seq_play = cmd_seq_play,
    .cmd_mixer_channel = cmd_mixer,
    .req_wav_rec = req_wav_rec,
    .req_sample_load = req_sample_load,
    .req_sample_retrieve = req_sample_retrieve,
    .req_sample_rec = req_sample_rec,
    .req_mixer_channel_list = req_mixer_list,
    .req_mixer_channel_level = req_mixer_level,
};

const fake_kind tpi_fake_sounds[] = {
    {
        .interface = &tp_interface_audio,
        .ops = &audio_ops,
        .state_size = sizeof(struct audio),
        .size = {.sw = 0.1, .sl = 0.05, .sh = 0.1},
        .publishes = 1u << TP_AUDIO_DATA_WAV_REC | 1u << TP_AUDIO_DATA_MIXER_CHANNEL |
                     1u << TP_AUDIO_DATA_STATE,
        .begin = audio_begin,
        .advance = audio_advance,
        .publish = audio_publish,
        .halt = audio_halt,
        .end = audio_end,
    },
    {0},
};
