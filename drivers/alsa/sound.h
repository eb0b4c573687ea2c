/*
 * sound.h - sound as this driver plays it: 44100 frames a second, two channels of 16 bits; and what
 * becomes of other formats and of tones.
 */
#ifndef ALSA_SOUND_H
#define ALSA_SOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/interfaces/audio.h"

enum { SOUND_RATE = 44100, SOUND_MOST = 20 * SOUND_RATE }; /* frames that wait, at most */

/* Frames that wait to be played: a ring. */
struct sound {
    int16_t (*frames)[2]; /* owned: room for SOUND_MOST */
    size_t first, count;
};

/* Take the memory; false if there is none. */
bool tpi_sound_init(struct sound *sound);
void tpi_sound_fini(struct sound *sound);

/* Append a piece of sound. TP_E_UNSUPPORTED for a coding that is not raw, TP_E_LIMIT if there is no
 * room for all of it; nothing is appended then. */
tp_status tpi_sound_put_wav(struct sound *sound, const tp_audio_wav *wav, tp_error *err);

/* Append tones, one after the other or together as they are linked. Fails likewise, and with
 * TP_E_RANGE for tones that are none. */
tp_status tpi_sound_put_tones(struct sound *sound, const tp_audio_seq *tones, tp_error *err);

/* Take at most `most` frames, as bytes for a program: little-endian, left before right. How many.
 */
size_t tpi_sound_take(struct sound *sound, uint8_t *out, size_t most);

#endif
