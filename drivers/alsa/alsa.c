/*
 * alsa - sound: plays waves and tones, and records.
 *
 * The programs aplay and arecord of ALSA run beside the server (lines run:). Sound waits in the
 * driver and is written as fast as it is played, so that nothing waits for a program. See
 * README.md. Not supported: samples that the device keeps, mixers.
 */
#include <stdio.h>
#include <string.h>

#include "sound.h"
#include "troupe/driver/audio.h"
#include "troupe/port.h"

enum { LEAD = SOUND_RATE / 5, PIECE = SOUND_RATE / 10, RECORD_PIECE = 4410, LONGEST = 256 };

struct alsa {
    tp_device *device;
    tp_port *play, *record;                      /* owned; NULL unless they run */
    char play_url[LONGEST], record_url[LONGEST]; /* empty for none */
    struct sound sound;
    bool playing, recording; /* as they were told */
    int64_t began_ns;        /* when playing began */
    int64_t written;         /* frames since then */
    uint8_t piece[RECORD_PIECE];
    size_t length;
};

static const tp_param alsa_params[] = {
    {"playdevice", NULL, "default", "ALSA's name of the output; empty for none"},
    {"recdevice", NULL, "", "ALSA's name of the input; empty for none"},
    {"playline", "line", "", "a line that takes the sound, instead of playdevice"},
    {"recline", "line", "", "a line that sends sound, instead of recdevice"},
    {"mixerdevice", NULL, "", "ignored: there is no mixer"},
    {NULL, NULL, NULL, NULL},
};

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

static struct alsa *alsa_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Playing --------------------------------------------------------------------------------- */

static void tell(struct alsa *a, bool playing, bool recording)
{
    if (playing != a->playing || recording != a->recording) {
        const tp_audio_state state = {.state =
                                          (playing ? (uint32_t)TP_AUDIO_STATE_PLAYING : 0) |
                                          (recording ? (uint32_t)TP_AUDIO_STATE_RECORDING : 0)};
        a->playing = playing;
        a->recording = recording;
        tp_audio_publish_state(a->device, &state, 0);
    }
}

/* Write what is due, and a little ahead. */
static tp_status play_on(tp_instance *self, tp_error *err)
{
    struct alsa *a = tp_instance_state(self);
    const int64_t now = now_ns(self);
    uint8_t bytes[4 * PIECE];
    tp_status status = TP_OK;

    if (a->play == NULL) {
        return TP_OK;
    }
    if (!a->playing && a->sound.count > 0) {
        a->began_ns = now;
        a->written = 0;
        tell(a, true, a->recording);
    }
    const int64_t due = (now - a->began_ns) / 1000 * SOUND_RATE / 1000000;
    while (a->sound.count > 0 && a->written < due + LEAD && status == TP_OK) {
        const size_t frames = tpi_sound_take(&a->sound, bytes, PIECE);
        a->written += (int64_t)frames;
        status = tp_port_write(a->play, bytes, 4 * frames, err);
    }
    if (a->playing && a->sound.count == 0 && due >= a->written) {
        tell(a, false, a->recording);
    }
    return status;
}

static tp_status need_output(const struct alsa *a, tp_error *err)
{
    return a->play != NULL
               ? TP_OK
               : tp_fail(err, TP_E_UNSUPPORTED, "there is no output: `playdevice` names one");
}

static tp_status wav_play(tp_device *device, const tp_audio_wav *ask, tp_error *err)
{
    struct alsa *a = alsa_of(device);
    tp_status status = need_output(a, err);

    status = status == TP_OK ? tpi_sound_put_wav(&a->sound, ask, err) : status;
    return status == TP_OK ? play_on(tp_device_instance(device), err) : status;
}

static tp_status seq_play(tp_device *device, const tp_audio_seq *ask, tp_error *err)
{
    struct alsa *a = alsa_of(device);
    tp_status status = need_output(a, err);

    status = status == TP_OK ? tpi_sound_put_tones(&a->sound, ask, err) : status;
    return status == TP_OK ? play_on(tp_device_instance(device), err) : status;
}

/* ---- Recording ------------------------------------------------------------------------------- */

static tp_status stream_rec(tp_device *device, const tp_bool *ask, tp_error *err)
{
    struct alsa *a = alsa_of(device);

    if (a->record == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED, "there is no input: `recdevice` names one");
    }
    a->length = 0;
    tell(a, a->playing, ask->state != 0);
    return TP_OK;
}

/* A tenth of a second at a time. */
static void take_bytes(struct alsa *a, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length && a->recording; i++) {
        a->piece[a->length++] = bytes[i];
        if (a->length == sizeof a->piece) {
            const tp_audio_wav wav = {.data_count = sizeof a->piece,
                                      .data = a->piece,
                                      .format = TP_AUDIO_16BIT | TP_AUDIO_MONO | TP_AUDIO_FREQ_22k |
                                                TP_AUDIO_FORMAT_RAW};
            tp_audio_publish_wav_rec(a->device, &wav, 0);
            a->length = 0;
        }
    }
}

static tp_status alsa_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct alsa *a = tp_instance_state(self);
    uint8_t bytes[4096];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        if (port == a->record) {
            take_bytes(a, bytes, length);
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status alsa_poll(tp_instance *self, tp_error *err)
{
    return play_on(self, err);
}

static const tp_audio_ops audio_ops = {
    .cmd_wav_play = wav_play, .cmd_seq_play = seq_play, .cmd_wav_stream_rec = stream_rec};

/* ---- Life ------------------------------------------------------------------------------------ */

/* A name of ALSA is one word of a command. */
static tp_status make_url(tp_instance *self, char out[LONGEST], const char *line,
                          const char *device, const char *command, tp_error *err)
{
    const char *given = tp_param_string(self, line);
    const char *name = tp_param_string(self, device);
    const int length = given[0] != '\0'  ? snprintf(out, LONGEST, "%s", given)
                       : name[0] == '\0' ? snprintf(out, LONGEST, "%s", "")
                                         : snprintf(out, LONGEST, "run:%s -D %s", command, name);

    if (length >= LONGEST || strchr(name, ' ') != NULL) {
        tp_param_blame(self, given[0] != '\0' ? line : device);
        return tp_fail(err, TP_E_RANGE, "%s has blanks, or more than %d characters",
                       given[0] != '\0' ? line : device, LONGEST - 64);
    }
    return TP_OK;
}

static tp_status alsa_init(tp_instance *self, tp_error *err)
{
    struct alsa *a = tp_instance_state(self);
    tp_status status = make_url(self, a->play_url, "playline", "playdevice",
                                "aplay -q -t raw -f S16_LE -r 44100 -c 2", err);

    status = status == TP_OK ? make_url(self, a->record_url, "recline", "recdevice",
                                        "arecord -q -t raw -f S16_LE -r 22050 -c 1", err)
                             : status;
    return status == TP_OK ? tp_offer_audio(self, NULL, &audio_ops, &a->device, err) : status;
}

static void alsa_stop(tp_instance *self)
{
    struct alsa *a = tp_instance_state(self);

    tp_port_close(a->play);
    tp_port_close(a->record);
    a->play = a->record = NULL;
    tpi_sound_fini(&a->sound);
}

static tp_status open_line(tp_instance *self, tp_port **port, const char *url, tp_error *err)
{
    const tp_status status =
        url[0] == '\0' ? TP_OK
                       : tp_port_open(port, self, url, NULL, now_ns(self) + 5 * TP_NS_PER_S, err);

    if (status == TP_OK && *port != NULL) {
        tp_port_watch(*port, true);
    }
    return status;
}

static tp_status alsa_start(tp_instance *self, tp_error *err)
{
    struct alsa *a = tp_instance_state(self);
    tp_status status =
        tpi_sound_init(&a->sound) ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");

    a->playing = a->recording = false;
    status = status == TP_OK ? open_line(self, &a->play, a->play_url, err) : status;
    status = status == TP_OK ? open_line(self, &a->record, a->record_url, err) : status;
    if (status != TP_OK) {
        alsa_stop(self);
        return status;
    }
    tp_instance_set_period(self, 50 * TP_NS_PER_MS);
    return TP_OK;
}

static const tp_driver_ops alsa_ops = {
    .init = alsa_init,
    .start = alsa_start,
    .poll = alsa_poll,
    .input = alsa_input,
    .stop = alsa_stop,
};

extern const tp_driver tp_driver_alsa;
TP_API const tp_driver tp_driver_alsa = {
    .abi = TP_DRIVER_ABI,
    .name = "alsa",
    .summary = "sound with ALSA: plays waves and tones, and records",
    .state_size = sizeof(struct alsa),
    .params = alsa_params,
    .ops = &alsa_ops,
};
