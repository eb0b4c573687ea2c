/*
 * alsa_test.c - sound in all formats, tones, and what the programs are sent and send.
 *
 * The clock is the test's: nothing waits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "conformance/play.h"
#include "sound.h"

extern const tp_driver tp_driver_alsa;

static char path[64];

/* ---- Sound ----------------------------------------------------------------------------------- */

static tp_audio_wav wav_of(void *data, size_t length, uint32_t format)
{
    return (tp_audio_wav){.data_count = (uint32_t)length, .data = data, .format = format};
}

static int16_t left_at(const struct sound *sound, size_t at)
{
    return sound->frames[(sound->first + at) % SOUND_MOST][0];
}

static void formats_become_one(void **state)
{
    static uint8_t eight[] = {128, 255}, sixteen[] = {0, 0x40, 0, 0xc0},
                   many[] = {0, 0, 0x40, 0, 0, 0xc0};
    struct sound sound;
    tp_audio_wav wav = wav_of(eight, 2, TP_AUDIO_8BIT | TP_AUDIO_FREQ_11k | TP_AUDIO_FORMAT_RAW);

    (void)state;
    assert_true(tpi_sound_init(&sound));
    assert_int_equal(tpi_sound_put_wav(&sound, &wav, NULL), TP_OK);
    assert_int_equal(sound.count, 8); /* four times as many */
    assert_int_equal(left_at(&sound, 0), 0);
    assert_in_range(left_at(&sound, 2), 16100, 16400); /* half way */
    assert_in_range(left_at(&sound, 4), 32000, 32767);
    wav = wav_of(sixteen, 4, TP_AUDIO_16BIT | TP_AUDIO_STEREO | TP_AUDIO_FREQ_44k);
    assert_int_equal(tpi_sound_put_wav(&sound, &wav, NULL), TP_OK);
    assert_int_equal(sound.count, 9);
    assert_in_range(left_at(&sound, 8), 16383, 16384);
    assert_in_range(-sound.frames[8][1], 16383, 16384);
    wav = wav_of(many, 6, TP_AUDIO_24BIT | TP_AUDIO_FREQ_44k);
    assert_int_equal(tpi_sound_put_wav(&sound, &wav, NULL), TP_OK);
    assert_int_equal(sound.count, 11);
    assert_in_range(left_at(&sound, 9), 16383, 16384);
    tpi_sound_fini(&sound);
}

static void what_is_too_long_or_coded_is_refused(void **state)
{
    struct sound sound;
    tp_error err = {0};
    uint8_t *data = calloc(1, 4 * SOUND_MOST);
    tp_audio_wav wav = wav_of(data, 4, TP_AUDIO_FORMAT_MP3);

    (void)state;
    assert_non_null(data);
    assert_true(tpi_sound_init(&sound));
    assert_int_equal(tpi_sound_put_wav(&sound, &wav, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "only raw sound of 8, 16 or 24 bits is played");
    wav = wav_of(data, 4 * SOUND_MOST, TP_AUDIO_16BIT | TP_AUDIO_STEREO | TP_AUDIO_FORMAT_RAW);
    assert_int_equal(tpi_sound_put_wav(&sound, &wav, &err), TP_OK); /* just fits */
    wav.data_count = 4;
    assert_int_equal(tpi_sound_put_wav(&sound, &wav, &err), TP_E_LIMIT);
    assert_string_equal(err.text, "there is no room: 20 s of sound wait at most");
    assert_int_equal(tpi_sound_take(&sound, data, 100), 100);
    assert_int_equal(tpi_sound_put_wav(&sound, &wav, &err), TP_OK); /* over the end of the ring */
    assert_int_equal(sound.count, SOUND_MOST - 99);
    tpi_sound_fini(&sound);
    free(data);
}

static void tones_sound_after_each_other_or_together(void **state)
{
    tp_audio_seq_item items[] = {{.freq = 441, .duration = 0.01f, .amplitude = 0.5f},
                                 {.freq = 441, .duration = 0.01f, .amplitude = 0.25f},
                                 {.freq = 441, .duration = 0.02f, .amplitude = 0.25f}};
    const tp_audio_seq tones = {.tones_count = 3, .tones = items};
    struct sound sound;
    tp_error err = {0};

    (void)state;
    items[1].link.state = 1;
    assert_true(tpi_sound_init(&sound));
    assert_int_equal(tpi_sound_put_tones(&sound, &tones, &err), TP_OK);
    assert_int_equal(sound.count, 441 + 882);
    assert_in_range(left_at(&sound, 25), 16300, 16384);       /* a quarter of a period */
    assert_in_range(left_at(&sound, 441 + 25), 16200, 16384); /* two halves */
    assert_in_range(left_at(&sound, 441 + 525), 8000, 8192);  /* one of them has ended */
    items[0].freq = NAN;
    assert_int_equal(tpi_sound_put_tones(&sound, &tones, &err), TP_E_RANGE);
    tpi_sound_fini(&sound);
}

/* ---- The driver ------------------------------------------------------------------------------ */

static play *begin(const char *line, const char *script)
{
    static char settings[160];

    snprintf(path, sizeof path, "/tmp/troupe-alsa-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(path, script, strlen(script), NULL), TP_OK);
    snprintf(settings, sizeof settings, "playdevice= %s=script:%s", line, path);
    return play_begin(&tp_driver_alsa, "audio:0", settings);
}

static void end(play *p)
{
    play_destroy(p);
    unlink(path);
}

static void await_state(play *p, uint32_t wanted)
{
    for (unsigned i = 0; i < 100; i++) {
        const tp_audio_state *state = play_last(p, TP_AUDIO_DATA_STATE);
        if (state != NULL && state->state == wanted) {
            return;
        }
        play_pass(p, 0.02);
    }
    fail_msg("the state is never %u", wanted);
}

static void sound_is_played(void **state)
{
    static uint8_t data[] = {0, 0x40, 0, 0xc0};
    const tp_audio_wav wav = wav_of(data, 4, TP_AUDIO_16BIT | TP_AUDIO_STEREO);
    const tp_bool on = {1};
    play *p = begin("playline", ">> 00 40 00 c0\n>> 00 40 00 c0\n");

    (void)state;
    play_command(p, TP_AUDIO_CMD_WAV_PLAY, &wav);
    await_state(p, TP_AUDIO_STATE_PLAYING);
    await_state(p, TP_AUDIO_STATE_STOPPED);
    play_command(p, TP_AUDIO_CMD_WAV_PLAY, &wav);
    play_assert_command_refused(p, TP_AUDIO_CMD_WAV_STREAM_REC, &on,
                                "there is no input: `recdevice` names one");
    end(p);
}

static void sound_is_recorded(void **state)
{
    static uint8_t data[4];
    const tp_audio_wav wav = wav_of(data, 4, TP_AUDIO_16BIT);
    const tp_bool on = {1};
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "silence 0.2\nrepeat 90\n+0.001 <<");
    for (unsigned i = 0; i < 98; i++) {
        tpi_buf_printf(&text, " %02x", i);
    }
    tpi_buf_puts(&text, "\nend\nsilence\n");
    play *p = begin("recline", tpi_buf_text(&text));
    play_command(p, TP_AUDIO_CMD_WAV_STREAM_REC, &on);
    for (unsigned i = 0; i < 100 && play_last(p, TP_AUDIO_DATA_WAV_REC) == NULL; i++) {
        play_pass(p, 0.02);
    }
    const tp_audio_wav *heard = play_last(p, TP_AUDIO_DATA_WAV_REC);
    assert_non_null(heard);
    assert_int_equal(heard->data_count, 4410);
    assert_int_equal(heard->data[97], 97);
    play_assert_command_refused(p, TP_AUDIO_CMD_WAV_PLAY, &wav,
                                "there is no output: `playdevice` names one");
    end(p);
    tpi_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_become_one),
        cmocka_unit_test(what_is_too_long_or_coded_is_refused),
        cmocka_unit_test(tones_sound_after_each_other_or_together),
        cmocka_unit_test(sound_is_played),
        cmocka_unit_test(sound_is_recorded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
